// What scenes say of cloth and yarn: rest shapes from texture coordinates, and how mistakes are named.
#include "world/world.h"
#include "world_test.h"

#include "geom/sheet.h"

#define MESH "test_cloth_language.obj"

static void write_mesh(const char *mesh)
{
    FILE *file = fopen(MESH, "w");
    assert_non_null(file);
    fputs(mesh, file);
    fclose(file);
}

// A scene that is refused with these words.
static void expect_words(const char *text, const char *words)
{
    dr_scene *scene = NULL;
    dr_error error = {0};
    dr_status status = dr_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &error);
    if (status == DR_STATUS_OK) status = dr_scene_check(scene, &error);
    if (status == DR_STATUS_OK || !strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    dr_scene_destroy(scene);
}

// ---- rest shapes

#define RAG(more)                                                                                                      \
    "domain: {cell: 0.5}\nmaterials: [{name: felt, kind: cloth, density: 1, youngs_modulus: 1e6, weft_modulus: 4e6, "  \
    "poisson_ratio: 0, thickness: 0.1, volume_fraction: 0.5, stress_power: 1}]\n"                                      \
    "cloths: [{name: rag, material: felt, type: file, file: " MESH ", " more "}]\n"

// Elastic energy and mass as the scene begins.
static double rest_energy(const char *mesh, const char *scene, double *mass)
{
    write_mesh(mesh);
    dr_world *world = open_world(scene, 1);
    const dr_report *report = dr_world_report(world);
    double energy = report->energy_elastic;
    *mass = report->mass;
    dr_world_destroy(world);
    remove(MESH);
    return energy;
}

static void expect_near(double value, double expected, double slack)
{
    if (!(fabs(value - expected) <= slack)) fail_msg("%.9g, not %.9g", value, expected);
}

// Two panels of 1 cm x 2 cm, sewn along a seam whose vertices have other coordinates in the second; the second panel's
// are turned by a right angle and mirrored.
#define PANELS(width)                                                                                                  \
    "v 0 0 0\nv " width " 0 0\nv " width " 2 0\nv 0 2 0\nv 3 0 0\nv 3 2 0\n"                                           \
    "vt 0 0\nvt 1 0\nvt 1 2\nvt 0 2\nvt 10 10\nvt 12 10\nvt 12 11\nvt 10 11\n"                                         \
    "f 1/1 2/2 3/3 4/4\nf 2/5 5/8 6/7 3/6\n"

static void test_texture_coordinates_are_the_rest_shape(void **unused)
{
    (void)unused;
    double mass, energy, strain = 0.2, volume = 0.1 * 2.0;
    energy = rest_energy(PANELS("2"), RAG("rest: texture, texture_length: 1 cm"), &mass);
    expect_near(mass, 0.5 * 1.0 * 2.0 * volume, 1e-6);
    // The first panel is drawn twice as wide as it is; so would the second be, along its weft.
    expect_near(energy, 0.5 * volume * (0.5e6 * 1.0 + 0.0), 1e-3 * 0.5e6);
    energy = rest_energy(PANELS("1.2"), RAG("rest: texture, texture_length: 1 cm"), &mass);
    double second = 3.0 - 1.2 - 1.0;
    expect_near(energy, 0.5 * volume * (0.5e6 * strain * strain + 2e6 * second * second), 1e-3 * 1e5);
    energy = rest_energy(PANELS("1.2"), RAG("rest: drawn"), &mass);
    expect_near(energy, 0.0, 1e-3);
    expect_near(mass, 0.5 * 0.1 * 6.0, 1e-6);
}

// Without a length the cloth is as large as it is drawn; it may be drawn anywhere, and turned.
static void test_the_area_is_kept(void **unused)
{
    (void)unused;
    double mass, energy = rest_energy("v 1 1 1\nv 1 1 3\nv 1 4 3\nv 1 4 1\nvt 0 0\nvt .2 0\nvt .2 .3\nvt 0 .3\n"
                                      "f 1/1 2/2 3/3\nf 1/1 4/4 3/3\n",
                                      RAG("rest: texture, rotate: [0.3, 0.2, 0.1]"), &mass);
    expect_near(energy, 0.0, 1e-3);
    expect_near(mass, 0.5 * 0.1 * 6.0, 1e-5);
}

// A fold that is drawn is not there at rest.
static void test_panels_rest_flat(void **unused)
{
    (void)unused;
    const char *fold = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 1\nv 1 1 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 2 0\n"
                       "vt 2 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 2/2 5/5 6/6\nf 2/2 6/6 3/3\n";
    double mass, flat = rest_energy(fold, RAG("rest: texture, texture_length: 1 cm"), &mass);
    assert_true(flat > 1.0);
    expect_near(rest_energy(fold, RAG("rest: drawn"), &mass), 0.0, 1e-3);
}

static void test_missing_texture_coordinates_are_named(void **unused)
{
    (void)unused;
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect_words(RAG("rest: texture"), "\"" MESH "\" has no texture coordinates");
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 2/2 4 3/3\n");
    expect_words(RAG("rest: texture"), "triangle 2 of \"" MESH "\" (vertices 2, 4, 3) has no area by its texture");
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 2 0\nf 1/1 2/2 3/3\n");
    expect_words(RAG("rest: texture"), "test.yaml:3:");
    remove(MESH);
    expect_words("cloths: [{material: silk, type: rectangle, width: 1, depth: 1, rest: texture}]", "rest");
}

// ---- patterns

// Diamonds are squares on a corner: away from the rim every triangle has two legs of an edge at a right angle, and its
// third side across.
static void test_diamonds_stand_on_a_corner(void **unused)
{
    (void)unused;
    dr_arena arena;
    dr_sheet sheet;
    double edge = sqrt(0.5), area = 0.0;
    dr_sheet_rule rule = {DR_SHEET_RECTANGLE, DR_SHEET_DIAMONDS, .width = 6.0, .depth = 5.0, .edge = edge};
    dr_arena_open(&arena, NULL);
    assert_true(dr_sheet_make(&rule, &arena, &sheet));
    size_t whole = 0;
    for (size_t t = 0; t < sheet.triangle_count; t++) {
        double across = 0.0, up = 0.0, e[2][2];
        for (size_t k = 0; k < 3; k++) {
            const double *a = sheet.position + 3 * (size_t)sheet.triangles[3 * t + k];
            const double *b = sheet.position + 3 * (size_t)sheet.triangles[3 * t + (k + 1) % 3];
            across = fmax(across, fabs(a[0] - b[0]));
            up = fmax(up, fabs(a[1] - b[1]));
            for (size_t c = 0; k < 2 && c < 2; c++) e[k][c] = b[c] - a[c];
        }
        double twice = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        area += 0.5 * twice;
        assert_true(twice > 0.0 && fabs(up - 0.5) < 1e-12);
        whole += fabs(across - 1.0) < 1e-12;
    }
    expect_near(area, 30.0, 1e-9);
    assert_int_equal(whole, 10 * (6 + 5)); // of ten gaps between rows; two more in each are half as wide
    assert_int_equal(sheet.triangle_count, 10 * (6 + 5 + 2));
    dr_arena_close(&arena);
}

// ---- groups

static size_t count_held(const char *text)
{
    dr_world *world = open_world(text, 1);
    size_t count = world->cloth.thin[DR_THIN_CLOTH].hold_count + world->cloth.thin[DR_THIN_YARN].hold_count;
    dr_world_destroy(world);
    return count;
}

#define SQUARE(more)                                                                                                   \
    "domain: {cell: 0.5}\ncloths: [{name: rag, material: fabric, type: file, file: " MESH ", " more "}]\n"

static void test_groups_name_vertices(void **unused)
{
    (void)unused;
    write_mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\ng left all\nf 1 2 5 4\ng right all\nf 2 3 6 5\n");
    assert_int_equal(count_held(SQUARE("groups: [{name: a, vertices: 2}], holds: [{group: a}]")), 1);
    assert_int_equal(count_held(SQUARE("groups: [{name: a, vertices: \"1 - 2 , 6\"}], holds: [{group: a}]")), 3);
    assert_int_equal(count_held(SQUARE("groups: [{name: a, file_group: right}], holds: [{group: a}]")), 4);
    assert_int_equal(count_held(SQUARE("groups: [{name: a, file_group: all}], holds: [{group: a}], layers: 2")), 12);
    assert_int_equal(
        count_held(SQUARE("groups: [{name: a, within: {type: sphere, radius: 1.1}}], holds: [{group: a}]")), 3);
    assert_int_equal(count_held(SQUARE("groups: [{name: a, edge: boundary}], holds: [{group: a}]")), 6);
    assert_int_equal(count_held(SQUARE("groups: [{name: a, vertices: 1}, {name: b, vertices: 1-2}], "
                                       "holds: [{group: a}, {group: b, within: {type: sphere, center: [2, 1, 0], "
                                       "radius: 0.1}}]")),
                     3);
    remove(MESH);
}

// However far from each other they lie, and wherever the solver keeps them.
static void test_numbers_are_those_of_the_file(void **unused)
{
    (void)unused;
    write_mesh("v 20 0 0\nv 20 9 0\nv 10 0 0\nv 10 9 0\nv 0 0 0\nv 0 9 0\nf 1 2 4 3\nf 3 4 6 5\n");
    dr_world *world = open_world(SQUARE("groups: [{name: a, vertices: 2}], holds: [{group: a}]"), 1);
    const dr_thin *thin = &world->cloth.thin[DR_THIN_CLOTH];
    assert_int_equal(thin->hold_count, 1);
    const double *x = thin->mesh->position + 3 * (size_t)thin->holds[0].vertex;
    assert_true(x[0] == 20.0 && x[1] == 9.0);
    dr_world_destroy(world);
    remove(MESH);
}

static void test_groups_that_name_nothing_are_refused(void **unused)
{
    (void)unused;
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\ng hem\nf 1 2 3\n");
    expect_words(SQUARE("groups: [{name: waist, vertices: 1}], holds: [{name: h, group: wast}]"),
                 "cloth \"rag\": hold \"h\": there is no group \"wast\"");
    expect_words(SQUARE("groups: [{name: waist, vertices: 1}], holds: [{group: wast}]"), "did you mean \"waist\"?");
    expect_words(SQUARE("groups: [{name: a, vertices: 2-4}], holds: [{group: a}]"),
                 "group \"a\": there is no vertex 4");
    expect_words(SQUARE("groups: [{name: a, vertices: 1 to 3}]"), "test.yaml:2:");
    expect_words(SQUARE("groups: [{name: a, vertices: 1 to 3}]"), "\"1 to 3\" does not begin with a number");
    expect_words(SQUARE("groups: [{name: a, vertices: 3-1}]"), "does not begin with a number");
    expect_words(SQUARE("groups: [{name: a}]"), "name no vertex");
    expect_words(SQUARE("groups: [{name: a, file_group: he}], holds: [{group: a}]"), "in a group \"he\"");
    expect_words(SQUARE("groups: [{name: a, file_group: he}], holds: [{group: a}]"), "it has \"hem\"");
    expect_words(SQUARE("holds: [{until: 1 s}]"), "nothing would be held");
    remove(MESH);
}

// Yarn is held anywhere by a group, moved, and let go.
#define YARN(more)                                                                                                     \
    "domain: {cell: 0.5}\ngravity: [0, -100, 0]\nstrands: [{name: line, material: yarn, type: line, start: [0, 0, "    \
    "0], "                                                                                                             \
    "end: [6, 0, 0], vertices: 13, root: free, contact: " more "}]\n"

static double height_of(dr_world *world, size_t vertex)
{
    return (double)floats(find_part(world, "yarn"), "position")[3 * vertex + 1];
}

static void test_groups_hold_yarn(void **unused)
{
    (void)unused;
    dr_world *world = open_world(YARN("grid, disturb: 1e-3, velocity: [0, 1, 0], groups: [{name: mid, vertices: 7}], "
                                      "holds: [{group: mid, until: 0.1 s, motion: [{type: keyframes, keys: [{time: 0}, "
                                      "{time: 0.1, translate: [0, 1, 0], ease: linear}]}]}]"),
                                 1);
    assert_true(height_of(world, 6) == 0.0 && height_of(world, 5) != 0.0);
    advance(world, 0.099);
    double high = height_of(world, 6);
    assert_true(fabs(high - 0.99) < 0.02);
    advance(world, 0.3);
    assert_true(height_of(world, 6) < high - 0.5);
    dr_world_destroy(world);
    expect_words(YARN("cone, groups: [{name: a, vertices: 14}], holds: [{name: h, group: a}]"),
                 "strands \"line\": group \"a\": there is no vertex 14");
    expect_words(YARN("grid, holds: [{edge: left}]"), "strands have none");
    expect_words(YARN("grid, groups: [{name: a, vertices: 14}], holds: [{name: h, group: a}]"),
                 "strands \"line\": group \"a\": there is no vertex 14");
}

// ---- what a run tells of once

// Whether the first step warns with these words; afterwards no step does.
static bool tells(const char *scene, const char *words)
{
    dr_world *world = open_world(scene, 1);
    dr_error error = {0};
    bool told[2] = {false, false};
    for (int step = 0; step < 2; step++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        const dr_report *report = dr_world_report(world);
        for (int i = 0; i < report->warning_count; i++)
            told[step] = told[step] || strstr(report->warnings[i], words) != NULL;
    }
    dr_world_destroy(world);
    assert_false(told[1]);
    return told[0];
}

#define BESIDE(contact)                                                                                                \
    "domain: {cell: 0.5}\ncloths: [{name: rag, material: cotton, type: rectangle, width: 2, depth: 2}]\n"              \
    "strands: [{name: locks, material: hair, type: line, start: [0, 3, 0], end: [0, 5, 0], contact: " contact "}]\n"

static void test_strands_that_do_not_meet_cloth_are_told_of(void **unused)
{
    (void)unused;
    assert_true(tells(BESIDE("cone"), "strands \"locks\" pass through cloth"));
    assert_true(tells(BESIDE("penalty"), "strands \"locks\" pass through cloth"));
    assert_false(tells(BESIDE("none"), "pass through"));
}

#define SHEET "domain: {cell: 0.5}\ncloths: [{name: rag, material: cotton, type: file, file: " MESH "}]\n"

static size_t count_triangles(const char *scene)
{
    dr_world *world = open_world(scene, 1);
    size_t count = find_part(world, "cloth")->element_count;
    dr_world_destroy(world);
    return count;
}

// A square whose second triangle is drawn three times, the other way round too, and one that is a line.
static void test_meshes_are_mended_where_that_is_safe(void **unused)
{
    (void)unused;
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 1 2 2\nf 2 4 3\nf 4 2 3\nf 3 2 4\n");
    assert_int_equal(count_triangles(SHEET), 2);
    assert_true(tells(SHEET, "2 triangles that repeat others are left out, triangle 3 first"));
    assert_true(tells(SHEET, "1 triangles without area are left out"));
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nv 5 5 5\nf 1 2 3\nf 2 3 4\n");
    assert_true(tells(SHEET, "1 triangles were turned round"));
    assert_true(tells(SHEET, "1 vertices belong to no triangle"));
    assert_false(tells(SHEET, "left out"));
    write_mesh("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 0\nv 0 -1 0\nf 1 2 3\nf 3 2 1\nf 1 2 4\nf 1 2 6\n");
    expect_words(SHEET, "the edge between vertices 1 and 2 has more than two triangles, triangle 4 among them");
    remove(MESH);
}

// Texture coordinates are those of the triangles that are left.
static void test_mended_meshes_rest_as_their_texture_says(void **unused)
{
    (void)unused;
    double mass[2];
#define SQUARE_OF(more)                                                                                                \
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 2 0\nvt 0 1\nvt 2 1\n"                                             \
    "f 1/1 2/2 3/3\n" more "f 2/2 4/4 3/3\n"
#define TEXTURE RAG("rest: texture, texture_length: 1 cm")
    double whole = rest_energy(SQUARE_OF(""), TEXTURE, &mass[0]);
    double mended = rest_energy(SQUARE_OF("f 2/1 3/2 1/1\n"), TEXTURE, &mass[1]);
    assert_true(whole > 0.0);
    expect_near(mended, whole, 1e-9 * whole);
    expect_near(mass[1], mass[0], 1e-9 * mass[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texture_coordinates_are_the_rest_shape),
        cmocka_unit_test(test_the_area_is_kept),
        cmocka_unit_test(test_panels_rest_flat),
        cmocka_unit_test(test_missing_texture_coordinates_are_named),
        cmocka_unit_test(test_diamonds_stand_on_a_corner),
        cmocka_unit_test(test_groups_name_vertices),
        cmocka_unit_test(test_numbers_are_those_of_the_file),
        cmocka_unit_test(test_groups_that_name_nothing_are_refused),
        cmocka_unit_test(test_groups_hold_yarn),
        cmocka_unit_test(test_strands_that_do_not_meet_cloth_are_told_of),
        cmocka_unit_test(test_meshes_are_mended_where_that_is_safe),
        cmocka_unit_test(test_mended_meshes_rest_as_their_texture_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
