// The surface beside walls and colliders: it stays out of them, and lies on them without gaps.
#include "drench/scene.h"
#include "look/solids.h"
#include "made_up.h"

#define SPACING 0.1

// ---- liquid that fills the lower half of a box or of a ball, or lies around a ball

static double half_box_distance(const void *shape, const double x[3])
{
    (void)shape;
    double d[3] = {fabs(x[0]) - 1.0, fabs(x[1] + 0.5) - 0.5, fabs(x[2]) - 1.0};
    return fmax(d[0], fmax(d[1], d[2]));
}

static double bowl_distance(const void *shape, const double x[3])
{
    (void)shape;
    return fmax(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1.0, x[1]);
}

static double hollow_distance(const void *shape, const double x[3])
{
    (void)shape;
    double away = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    return fmax(away - 1.0, 0.5 - away);
}

static dr_scene *open_scene(void)
{
    dr_scene *scene;
    assert_int_equal(dr_scene_create(NULL, &scene, NULL), DR_STATUS_OK);
    return scene;
}

static dr_scene *open_box(void)
{
    dr_scene *scene = open_scene();
    dr_domain_spec *domain = &dr_scene_edit(scene)->domain;
    for (int a = 0; a < 3; a++) {
        domain->min[a] = -1.0;
        domain->max[a] = 1.0;
        domain->side_min[a] = domain->side_max[a] = DR_SIDE_SLIP;
    }
    return scene;
}

static void build(const dr_scene *scene, const made_up *m, int threads, float overlap, dr_surface_mesh *mesh)
{
    dr_surface_options options;
    dr_error error = {0};
    dr_par par = dr_par_open(threads);
    dr_surface_options_default(&options);
    options.scene = scene;
    options.overlap = overlap;
    if (dr_surface_mesh_build(&m->frame, &options, &par, NULL, mesh, &error)) fail_msg("%s", error.text);
}

// A ball's surface as the part "colliders".
enum { RINGS = 48, SEGMENTS = 96 };

static void add_ball(made_up *m, double radius, bool inwards)
{
    dr_frame_part *part = made_up_part(m, "colliders", DR_FRAME_TRIANGLES, (RINGS + 1) * SEGMENTS);
    float *position = made_up_array(m, part, "position", 3);
    uint32_t *index = made_up_own(m, calloc(6 * RINGS * SEGMENTS, sizeof *index));
    uint32_t *body = made_up_own(m, calloc(2 * RINGS * SEGMENTS, sizeof *body));
    for (uint32_t r = 0; r <= RINGS; r++) {
        for (uint32_t s = 0; s < SEGMENTS; s++) {
            double fall = PI * r / RINGS, turn = 2.0 * PI * s / SEGMENTS;
            float *x = position + 3 * (r * SEGMENTS + s);
            x[0] = (float)(radius * sin(fall) * cos(turn));
            x[1] = (float)(radius * cos(fall));
            x[2] = (float)(radius * sin(fall) * sin(turn));
        }
    }
    for (uint32_t r = 0; r < RINGS; r++) {
        for (uint32_t s = 0; s < SEGMENTS; s++) {
            uint32_t a = r * SEGMENTS + s, b = r * SEGMENTS + (s + 1) % SEGMENTS;
            uint32_t quad[6] = {a, b, b + SEGMENTS, a, b + SEGMENTS, a + SEGMENTS};
            for (int i = 0; i < 6; i++) index[6 * a + (uint32_t)i] = quad[inwards ? 5 - i : i];
        }
    }
    part->element_count = 2 * RINGS * SEGMENTS;
    part->index = index;
    m->arrays[part - m->parts][part->array_count++] =
        (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, part->element_count, body};
}

// ---- walls

static void test_the_surface_stays_within_walls_and_lies_on_them(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh;
    drops_fill(&d, half_box_distance, NULL, 1.2, SPACING, 0.3);
    made_up_liquid(&m, &d);
    dr_scene *scene = open_box();
    build(scene, &m, 2, 0.0f, &mesh);
    assert_null(mesh_fault(&mesh));
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        for (int a = 0; a < 3; a++) check_at_most(fabs((double)mesh.position[v][a]), 1.0 + 1e-6);
    }
    check_near(mesh_volume(&mesh), 4.0, 0.04);
    double on_floor = 0.0;
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        double c[3][3], n[3];
        triangle_corners(&mesh, t, c);
        if (c[0][1] > -1.0 + 1e-5 || c[1][1] > -1.0 + 1e-5 || c[2][1] > -1.0 + 1e-5) continue;
        triangle_normal(c, n);
        on_floor += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    check_near(on_floor, 3.6, 0.1); // all but a rim of one cell, which leans over the edge
    dr_surface_mesh_free(&mesh);
    dr_scene_destroy(scene);
    made_up_free(&m);
    drops_free(&d);
}

static void test_overlap_reaches_into_walls_by_as_much(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh;
    drops_fill(&d, half_box_distance, NULL, 1.2, SPACING, 0.3);
    made_up_liquid(&m, &d);
    dr_scene *scene = open_box();
    build(scene, &m, 2, 0.03f, &mesh);
    double lowest = 0.0;
    for (size_t v = 0; v < mesh.vertex_count; v++) lowest = fmin(lowest, (double)mesh.position[v][1]);
    check_near(lowest, -1.03, 1e-5);
    assert_null(mesh_fault(&mesh));
    dr_surface_mesh_free(&mesh);
    dr_scene_destroy(scene);
    made_up_free(&m);
    drops_free(&d);
}

// ---- colliders

static void check_outside(const dr_surface_mesh *mesh, double sign, double radius, double sag)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double c[3][3], middle[3] = {0};
        triangle_corners(mesh, t, c);
        for (int k = 0; k < 3; k++) {
            double away = sqrt(c[k][0] * c[k][0] + c[k][1] * c[k][1] + c[k][2] * c[k][2]);
            check_at_most(sign * (radius - away), 2e-3 * radius); // the ball's own facets
            for (int a = 0; a < 3; a++) middle[a] += c[k][a] / 3.0;
        }
        double away = sqrt(middle[0] * middle[0] + middle[1] * middle[1] + middle[2] * middle[2]);
        check_at_most(sign * (radius - away), sag);
    }
}

static void test_the_surface_stays_out_of_a_ball(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh;
    drops_fill(&d, hollow_distance, NULL, 1.2, SPACING, 0.3);
    made_up_liquid(&m, &d);
    add_ball(&m, 0.5, false);
    build(NULL, &m, 2, 0.0f, &mesh);
    assert_null(mesh_fault(&mesh));
    check_outside(&mesh, 1.0, 0.5, SPACING * SPACING / 8.0 / 0.5);
    check_near(mesh_volume(&mesh), 4.0 / 3.0 * PI * (1.0 - 0.125), 0.06);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
    drops_free(&d);
}

static void test_the_surface_stays_within_an_inside_out_ball(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh;
    dr_collider_spec *collider;
    drops_fill(&d, bowl_distance, NULL, 1.2, SPACING, 0.3);
    made_up_liquid(&m, &d);
    add_ball(&m, 1.0, true);
    dr_scene *scene = open_scene();
    assert_int_equal(dr_scene_append(scene, "colliders", (void **)&collider, NULL), DR_STATUS_OK);
    collider->shape.kind = DR_SHAPE_INSIDE_OUT;
    build(scene, &m, 2, 0.0f, &mesh);
    assert_null(mesh_fault(&mesh));
    check_outside(&mesh, -1.0, 1.0, 1e-3);
    check_near(mesh_volume(&mesh), 2.0 / 3.0 * PI, 0.05);
    dr_surface_mesh_free(&mesh);
    dr_scene_destroy(scene);
    made_up_free(&m);
    drops_free(&d);
}

// A rod that is thinner than the bins in which the middle of the liquid counts as full.
static void test_a_thin_solid_deep_inside_is_left_out(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh;
    static const ball whole = {.radius = 1.5};
    drops_fill(&d, ball_distance, &whole, 1.7, SPACING, 0.2);
    made_up_liquid(&m, &d);
    add_ball(&m, 0.2, false);
    build(NULL, &m, 2, 0.0f, &mesh);
    assert_null(mesh_fault(&mesh));
    assert_int_equal(mesh_pieces(&mesh), 2); // its outside and the ball
    check_outside(&mesh, 1.0, 0.2, SPACING * SPACING / 8.0 / 0.2);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
    drops_free(&d);
}

static void test_walls_leave_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_mesh mesh, other;
    drops_fill(&d, hollow_distance, NULL, 1.2, SPACING, 0.3);
    made_up_liquid(&m, &d);
    add_ball(&m, 0.5, false);
    dr_scene *scene = open_box();
    dr_collider_spec *collider;
    assert_int_equal(dr_scene_append(scene, "colliders", (void **)&collider, NULL), DR_STATUS_OK);
    collider->shape.kind = DR_SHAPE_SPHERE;
    build(scene, &m, 1, 0.0f, &mesh);
    build(scene, &m, 3, 0.0f, &other);
    assert_int_equal(mesh.vertex_count, other.vertex_count);
    assert_memory_equal(mesh.position, other.position, mesh.vertex_count * sizeof *mesh.position);
    check_outside(&mesh, 1.0, 0.5, SPACING * SPACING / 8.0 / 0.5);
    dr_surface_mesh_free(&mesh);
    dr_surface_mesh_free(&other);
    dr_scene_destroy(scene);
    made_up_free(&m);
    drops_free(&d);
}

// ---- distance

static void test_a_half_space_is_a_plane_without_end(void **state)
{
    (void)state;
    made_up m = {0};
    dr_solids *solids;
    dr_collider_spec *collider;
    dr_frame_part *part = made_up_part(&m, "colliders", DR_FRAME_TRIANGLES, 3);
    float *position = made_up_array(&m, part, "position", 3);
    memcpy(position, (float[9]){0, 2, 0, 0, 2, 1, 1, 2, 0}, 9 * sizeof *position);
    static const uint32_t index[3] = {0, 1, 2}, body[1] = {0};
    part->index = index;
    part->element_count = 1;
    m.arrays[0][part->array_count++] = (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, 1, body};
    dr_scene *scene = open_scene();
    assert_int_equal(dr_scene_append(scene, "colliders", (void **)&collider, NULL), DR_STATUS_OK);
    collider->shape.kind = DR_SHAPE_HALF_SPACE;
    assert_int_equal(dr_solids_open(scene, &m.frame, NULL, &solids, NULL), DR_STATUS_OK);
    double normal[3];
    check_near(dr_solids_distance(solids, (const double[3]){40, 5, -70}, normal), 3.0, 1e-12);
    check_vector_near(normal, ((const double[3]){0, 1, 0}), 1e-12);
    check_near(dr_solids_distance(solids, (const double[3]){40, 1.5, -70}, NULL), -0.5, 1e-12);
    dr_solids_close(solids);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

static void test_nothing_solid_is_nothing(void **state)
{
    (void)state;
    made_up m = {0};
    dr_solids *solids;
    assert_int_equal(dr_solids_open(NULL, &m.frame, NULL, &solids, NULL), DR_STATUS_OK);
    assert_null(solids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_surface_stays_within_walls_and_lies_on_them),
        cmocka_unit_test(test_overlap_reaches_into_walls_by_as_much),
        cmocka_unit_test(test_the_surface_stays_out_of_a_ball),
        cmocka_unit_test(test_the_surface_stays_within_an_inside_out_ball),
        cmocka_unit_test(test_a_thin_solid_deep_inside_is_left_out),
        cmocka_unit_test(test_walls_leave_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_a_half_space_is_a_plane_without_end),
        cmocka_unit_test(test_nothing_solid_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
