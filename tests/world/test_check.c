#include "world_test.h"

// What dr_scene_check says of a scene with cells of 0.5 cm; empty where nothing is wrong.
static const char *verdict(const char *domain, const char *rest)
{
    static dr_error error;
    char text[1000];
    snprintf(text, sizeof text, "domain: {cell: 0.5%s}\n%s", domain, rest);
    dr_scene *scene = parse_scene(text);
    error = (dr_error){0};
    dr_scene_check(scene, &error);
    dr_scene_destroy(scene);
    return error.count ? error.text : "";
}

static void assert_told(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#define BALL "bodies: [{name: ball, material: jelly, shape: {type: sphere, center: [0, 5, 0], radius: 2}}]\n"

static void test_a_body_that_would_get_no_particle_is_refused(void **unused)
{
    (void)unused;
    const char *const nothing[] = {
        "{type: sphere, radius: 0.001}",
        "{type: intersection, of: [{type: sphere, radius: 1}, {type: sphere, center: [5, 0, 0], radius: 1}]}"};
    const char *const materials[] = {"jelly", "water"};
    for (int i = 0; i < 4; i++) {
        char body[300];
        snprintf(body, sizeof body, "bodies: [{name: ghost, material: %s, shape: %s}]\n", materials[i & 1],
                 nothing[i >> 1]);
        assert_told(verdict("", body), "body \"ghost\": its shape holds no particle");
    }
    assert_string_equal(verdict("", BALL), "");
}

static void test_matter_beyond_the_grids_reach_is_refused(void **unused)
{
    (void)unused;
    const char *far = "bodies: [{name: far, material: jelly, shape: {type: sphere, center: [0, 0, 9e6], radius: 2}}]\n";
    assert_told(verdict("", far), "body \"far\": it reaches to 9e+06 cm in z");
}

static void test_a_periodic_direction_of_too_many_cells_is_refused(void **unused)
{
    (void)unused;
    assert_told(verdict(", min: [-1e7, 0, 0], max: [1e7, 10, 10], x_min: periodic, x_max: periodic", BALL),
                "more blocks than the grid can count");
}

static void test_what_stands_still_outside_the_domain_is_refused(void **unused)
{
    (void)unused;
    const char *domain = ", min: [-9, -9, -9], max: [9, 9, 9]";
    const char *const kinds[] = {"colliders: [{name: it, shape", "drains: [{name: it, shape",
                                 "forces: [{name: it, type: uniform, acceleration: [1, 0, 0], within"};
    for (int i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text, BALL "%s: {type: box, center: [20, 0, 0], size: [2, 2, 2]}}]\n", kinds[i]);
        assert_told(verdict(domain, text), "\"it\": it reaches from 19 to 21 cm in x, wholly outside the domain");
        snprintf(text, sizeof text, BALL "%s: {type: box, center: [9, 0, 0], size: [2, 2, 2]}}]\n", kinds[i]);
        assert_string_equal(verdict(domain, text), "");
    }
    assert_string_equal(verdict(domain,
                                BALL "colliders: [{shape: {type: sphere, center: [20, 0, 0], radius: 1}, motion: "
                                     "[{type: sine, amplitude: [20, 0, 0], frequency: 1}]}]\n"),
                        "");
}

// ---- memory

typedef struct purse {
    size_t out, most;
} purse;

static void *count_bytes(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    purse *purse = user;
    const dr_allocator *standard = dr_allocator_default();
    void *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    if (new_bytes == 0 || fresh) purse->out += new_bytes - (block ? old_bytes : 0);
    if (purse->out > purse->most) purse->most = purse->out;
    return fresh;
}

// What a world of the scene has out at most within its first steps.
static double real_peak(const char *text)
{
    purse purse = {0};
    const dr_allocator allocator = {&purse, count_bytes};
    const dr_world_options options = {.threads = 1, .allocator = &allocator};
    dr_world *world = NULL;
    dr_frame frame;
    dr_error error = {0};
    dr_scene *scene = parse_scene(text);
    if (dr_world_create(scene, &options, &world, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < 3; i++) {
        if (dr_world_step(world, 1.0, &error)) fail_msg("%s", error.text);
    }
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    return (double)purse.most;
}

// What dr_scene_check says it would need, from its refusal.
static double foreseen(const char *text)
{
    char scarce[1200];
    double gib = 0.0;
    snprintf(scarce, sizeof scarce, "memory_limit: 1 MB\n%s", text);
    dr_scene *scene = parse_scene(scarce);
    dr_error error = {0};
    assert_int_equal(dr_scene_check(scene, &error), DR_STATUS_BAD_SCENE);
    dr_scene_destroy(scene);
    const char *about = strstr(error.text, "would need about ");
    if (!about || sscanf(about, "would need about %lf GiB", &gib) != 1) fail_msg("%s", error.text);
    return gib * 1024.0 * 1024.0 * 1024.0;
}

static void test_the_memory_of_strands_and_contacts_is_foreseen(void **unused)
{
    (void)unused;
    static const struct {
        const char *strands;
        double least, most; // of the forecast over the truth
    } cases[] = {
        {"type: tuft, count: 300, vertices: 30, length: 5, root_radius: 0.5, contact: none", 0.8, 1.25},
        {"type: tuft, count: 300, vertices: 30, length: 5, root_radius: 0.5, contact: cone", 0.8, 1.6},
        {"type: tuft, count: 300, vertices: 30, length: 5, root_radius: 0.5, contact: penalty", 0.8, 1.6},
        {"type: line, end: [100, 0, 0], vertices: 3000, contact: none", 0.7, 1.4},
        {"type: knit, width: 2, depth: 2, spacing: 0.2, vertices: 24, radius: 0.02, contact: penalty", 0.7, 1.6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, "domain: {cell: 0.5}\nstrands: [{material: hair, %s}]\n", cases[i].strands);
        double ratio = foreseen(text) / real_peak(text);
        if (!(ratio > cases[i].least && ratio < cases[i].most)) fail_msg("%s: %g", cases[i].strands, ratio);
    }
}

static void test_strands_that_do_not_fit_are_named(void **unused)
{
    (void)unused;
    const char *hair = "strands: [{name: fur, material: hair, type: tuft, count: 100000, vertices: 100, length: 5, "
                       "root_radius: 0.5}]\nmemory_limit: 100 MB\n";
    assert_told(verdict("", hair), "strands: 1e+07 vertices and their contacts would need about");
}

#define POOL "bodies: [{material: water, shape: {type: box, center: [0, 2, 0], size: [8, 4, 8]}}]\n"
#define PLATE                                                                                                          \
    "colliders: [{name: plate, shape: {type: box, center: [0, 3, 0], size: [%s, 8, 8], rotate: [0, 30 deg, 0]}}]\n"

// Walls between two layers of the grid's corners would leak without a word.
static void test_walls_too_thin_to_hold_liquid_are_refused(void **unused)
{
    (void)unused;
    const char *const thin[] = {"0.001", "0.05", "0.15", "0.45"};
    char text[400];
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, POOL PLATE, thin[i]);
        assert_told(verdict("", text), "liquid is held from 0.5 cm on");
    }
    snprintf(text, sizeof text, POOL PLATE, "0.5");
    assert_string_equal(verdict("", text), "");
    snprintf(text, sizeof text, BALL PLATE, "0.05");
    assert_string_equal(verdict("", text), "");
    assert_told(verdict("", POOL "colliders: [{shape: {type: difference, of: [{type: sphere, radius: 3}, {type: "
                                 "sphere, radius: 2.8}]}}]\n"),
                "a wall of 0.2 cm leaks");
}

// Sharp edges, tips, balls and the insides of containers are not walls.
static void test_solids_that_are_not_walls_are_not_thin(void **unused)
{
    (void)unused;
    static const char *const shapes[] = {
        "{type: sphere, center: [0, 5, 0], radius: 0.5}", "{type: cylinder, center: [0, 3, 0], radius: 1, height: 2}",
        "{type: intersection, of: [{type: box, center: [0, 3, 0], size: [6, 4, 6]}, {type: half_space, normal: [1, 1, "
        "0], point: [0, 2, 0]}]}",
        "{type: inside_out, of: [{type: box, center: [0, 4, 0], size: [8.2, 8, 8.2]}]}"};
    char text[400];
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, POOL "colliders: [{shape: %s}]\n", shapes[i]);
        assert_string_equal(verdict("", text), "");
    }
}

// Bodies are counted by their volume, emitters by what flows through them until the last frame.
static void test_what_a_scene_comes_to_is_foreseen(void **unused)
{
    (void)unused;
    dr_scene *scene = parse_scene(
        "domain: {cell: 0.5}\ntime: {frame_rate: 10, frames: 20}\n"
        "bodies: [{material: water, particles_per_cell: 8, shape: {type: box, center: [0, 5, 0], size: [2, 2, 2]}}]\n"
        "emitters: [{material: water, particles_per_cell: 8, velocity: [0, -3, 0], shape: {type: box, center: "
        "[9, 0, 0], size: [2, 1, 2]}},\n"
        "  {material: water, particles_per_cell: 8, volume_limit: 3, velocity: [0, -3, 0], shape: {type: box, center: "
        "[0, -9, 0], size: [2, 1, 2]}}]\n"
        "strands: [{material: hair, type: tuft, count: 7, vertices: 11, length: 3, root_radius: 0.5}]\n");
    dr_forecast forecast;
    dr_error error = {0};
    if (dr_scene_forecast(scene, &forecast, &error)) fail_msg("%s", error.text);
    assert_true(fabs(forecast.particles - 512.0) < 16.0);
    assert_true(fabs(forecast.emitted - 64.0 * (4.0 + 3.0 * 2.0 * 4.0 + 3.0)) < 64.0);
    assert_true(forecast.vertices == 77.0);
    assert_true(forecast.bytes > 1e5 && forecast.bytes < 1e8);
    assert_true(forecast.machine_bytes > 1e8);
    dr_scene_destroy(scene);
}

// Vertices of cloth are not those of strands.
static void test_cloth_is_foreseen_beside_strands(void **unused)
{
    (void)unused;
    dr_scene *scene = parse_scene(
        "domain: {cell: 0.5}\n"
        "cloths: [{material: fabric, type: rectangle, pattern: one_diagonal, width: 4, depth: 2, edge: 1, layers: 2}]\n"
        "strands: [{material: hair, type: tuft, count: 7, vertices: 11, length: 3, root_radius: 0.5}]\n");
    dr_forecast forecast;
    dr_error error = {0};
    if (dr_scene_forecast(scene, &forecast, &error)) fail_msg("%s", error.text);
    assert_true(forecast.vertices == 77.0);
    assert_true(forecast.cloth_vertices == 30.0);
    assert_true(forecast.triangles == 32.0);
    dr_scene_destroy(scene);
}

static void test_cloth_that_does_not_fit_is_named(void **unused)
{
    (void)unused;
    const char *rag = "cloths: [{name: rag, material: fabric, type: rectangle, width: 400, depth: 400, edge: 0.5}]\n"
                      "memory_limit: 100 MB\n";
    assert_told(verdict("", rag), "triangles would need about");
}

static void test_liquids_thick_and_thin_are_taken(void **unused)
{
    (void)unused;
    const char *const names[] = {"water",        "honey",         "olive oil",    "tetrachloroethylene",
                                 "acetaldehyde", "light oil",     "drilling mud", "acrylic paint",
                                 "milk cream",   "shaving cream", "oyster sauce", "milk chocolate",
                                 "mud"};
    char text[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(text, sizeof text, "bodies: [{name: blob, material: %s, shape: {type: sphere, radius: 2}}]\n",
                 names[i]);
        assert_string_equal(verdict("", text), "");
    }
}

static void test_a_kernel_that_nothing_would_use_is_refused(void **unused)
{
    (void)unused;
    const char *const water = "bodies: [{name: blob, material: water, shape: {type: sphere, radius: 2}}]\n";
    char text[400];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "transfer: {kernel: %s}\n%s", i ? "cubic" : "linear", water);
        assert_told(verdict("", text), "transfer: liquid goes by the quadratic kernel alone");
    }
    snprintf(text, sizeof text, "transfer: {kernel: quadratic}\n%s", water);
    assert_string_equal(verdict("", text), "");
    assert_string_equal(verdict("", "transfer: {kernel: cubic}\n" BALL), "");
    assert_string_equal(verdict("", "transfer: {kernel: cubic}\n"
                                    "bodies:\n"
                                    "  - {name: blob, material: water, shape: {type: sphere, radius: 2}}\n"
                                    "  - {name: ball, material: jelly, shape: {type: sphere, center: [9, 0, 0], "
                                    "radius: 2}}\n"),
                        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_too_thin_to_hold_liquid_are_refused),
        cmocka_unit_test(test_solids_that_are_not_walls_are_not_thin),
        cmocka_unit_test(test_a_body_that_would_get_no_particle_is_refused),
        cmocka_unit_test(test_matter_beyond_the_grids_reach_is_refused),
        cmocka_unit_test(test_a_periodic_direction_of_too_many_cells_is_refused),
        cmocka_unit_test(test_what_stands_still_outside_the_domain_is_refused),
        cmocka_unit_test(test_what_a_scene_comes_to_is_foreseen),
        cmocka_unit_test(test_cloth_is_foreseen_beside_strands),
        cmocka_unit_test(test_cloth_that_does_not_fit_is_named),
        cmocka_unit_test(test_the_memory_of_strands_and_contacts_is_foreseen),
        cmocka_unit_test(test_strands_that_do_not_fit_are_named),
        cmocka_unit_test(test_liquids_thick_and_thin_are_taken),
        cmocka_unit_test(test_a_kernel_that_nothing_would_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
