#include "support/check.h"

#include "base/number.h"
#include "geom/groom.h"
#include "math/vec.h"

#include <stdlib.h>

static const dr_groom hair = {.kind = DR_GROOM_TUFT,
                              .center = {1.0, 2.0, 3.0},
                              .axis = {0.0, -2.0, 1.0},
                              .radius = 0.5,
                              .size = {2.0, 1.0},
                              .spread = 0.3,
                              .strands = 300,
                              .vertices = 20,
                              .length = 5.0,
                              .curl_radius = 0.1,
                              .curl_length = 0.8,
                              .variation = 0.5,
                              .seed = 7};

typedef struct made {
    size_t strands, vertices;
    uint32_t *first;
    double *points;
} made;

static made make(const dr_groom *groom)
{
    made m = {.strands = dr_groom_strands(groom)};
    for (size_t s = 0; s < m.strands; s++) m.vertices += dr_groom_vertices(groom, s);
    m.first = calloc(m.strands + 1, sizeof *m.first);
    m.points = calloc(3 * m.vertices, sizeof *m.points);
    assert_non_null(m.first);
    assert_non_null(m.points);
    dr_groom_fill(groom, m.first, m.points);
    assert_int_equal(m.first[m.strands], m.vertices);
    return m;
}

static void drop(made m)
{
    free(m.first);
    free(m.points);
}

static double distance(const double *a, const double *b)
{
    double d[3];
    dr_vec3_sub(d, a, b);
    return dr_vec3_length(d);
}

static void test_hair_starts_where_it_should(void **state)
{
    (void)state;
    for (int kind = DR_GROOM_TUFT; kind <= DR_GROOM_CYLINDER; kind++) {
        dr_groom groom = hair;
        groom.kind = (dr_groom_kind)kind;
        made m = make(&groom);
        double axis[3];
        dr_vec3_scale(axis, 1.0 / dr_vec3_length(hair.axis), hair.axis);
        for (size_t s = 0; s < m.strands; s++) {
            double away[3];
            dr_vec3_sub(away, m.points + 3 * m.first[s], hair.center);
            double along = dr_vec3_dot(away, axis), length = dr_vec3_length(away);
            double beside = sqrt(fmax(0.0, length * length - along * along));
            if (kind == DR_GROOM_TUFT) check_at_most(beside, hair.radius + 1e-12);
            if (kind == DR_GROOM_MAT) check_at_most(beside, 0.5 * sqrt(5.0) + 1e-12);
            if (kind == DR_GROOM_TUFT || kind == DR_GROOM_MAT) check_near(along, 0.0, 1e-12);
            if (kind == DR_GROOM_BALL) check_near(length, hair.radius, 1e-12);
            if (kind == DR_GROOM_CYLINDER) check_near(beside, hair.radius, 1e-12);
            if (kind == DR_GROOM_CYLINDER) check_at_most(fabs(along), 0.5);
        }
        drop(m);
    }
}

// Chords of a helix are shorter than their arcs by a fixed share, the first edge is straight.
static void test_edges_of_a_hair_are_alike(void **state)
{
    (void)state;
    made m = make(&hair);
    for (size_t s = 0; s < m.strands; s++) {
        const double *p = m.points + 3 * m.first[s];
        double chord = distance(p + 3, p + 6);
        assert_true(chord < distance(p, p + 3) && chord > 0.8 * distance(p, p + 3));
        for (size_t v = 1; v + 1 < hair.vertices; v++) check_near(distance(p + 3 * v, p + 3 * v + 3), chord, 1e-12);
    }
    drop(m);
}

static void test_variation_zero_makes_all_hair_alike(void **state)
{
    (void)state;
    dr_groom groom = hair;
    groom.variation = 0.0;
    groom.curl_radius = 0.0;
    groom.spread = 0.0;
    made m = make(&groom);
    for (size_t s = 0; s < m.strands; s++) {
        const double *root = m.points + 3 * m.first[s], *tip = root + 3 * (groom.vertices - 1);
        double away[3];
        dr_vec3_sub(away, tip, root);
        check_near(dr_vec3_length(away), groom.length, 1e-12);
        check_near(dr_vec3_dot(away, groom.axis), groom.length * dr_vec3_length(groom.axis), 1e-11);
    }
    drop(m);
}

static void test_a_seed_gives_the_same_groom_and_another_one_another(void **state)
{
    (void)state;
    dr_groom other = hair;
    other.seed = 8;
    made a = make(&hair), b = make(&hair), c = make(&other);
    assert_memory_equal(a.points, b.points, 3 * a.vertices * sizeof *a.points);
    assert_memory_not_equal(a.points, c.points, 3 * a.vertices * sizeof *a.points);
    drop(a);
    drop(b);
    drop(c);
}

// The least distance of vertices of different strands.
static double clearance(const made *m)
{
    double least = INFINITY;
    for (size_t s = 0; s < m->strands; s++) {
        for (size_t other = s + 1; other < m->strands; other++) {
            for (size_t v = m->first[s]; v < m->first[s + 1]; v++) {
                for (size_t w = m->first[other]; w < m->first[other + 1]; w++)
                    least = fmin(least, distance(m->points + 3 * v, m->points + 3 * w));
            }
        }
    }
    return least;
}

static void test_woven_yarns_pass_over_and_under(void **state)
{
    (void)state;
    dr_groom groom = {.kind = DR_GROOM_WEAVE, .axis = {0, 0, 1}, .size = {2.0, 1.2}, .vertices = 8, .spacing = 0.2};
    groom.amplitude = 0.05;
    made m = make(&groom);
    assert_int_equal(m.strands, 11 + 7);
    check_near(clearance(&m), 0.1, 2e-3);
    // The first yarn crosses eleven others, over and under in turn, at the middle of its spans of eight edges.
    for (size_t crossing = 0; crossing < 11; crossing++) {
        double height = m.points[3 * (4 + 8 * crossing) + 2];
        check_near(height, crossing % 2 ? -0.05 : 0.05, 1e-12);
    }
    drop(m);
}

static void test_knitted_rows_interlock_without_touching(void **state)
{
    (void)state;
    dr_groom groom = {.kind = DR_GROOM_KNIT, .axis = {0, 0, 1}, .size = {3.0, 2.75}, .vertices = 64, .spacing = 1.0};
    made m = make(&groom);
    assert_int_equal(m.strands, 4);
    assert_int_equal(m.first[1], 3 * 64 + 1);
    assert_true(clearance(&m) > 0.24);
    // Heads of a row reach above the feet of the next.
    double head = -INFINITY, foot = INFINITY;
    for (size_t v = 0; v < m.first[1]; v++) head = fmax(head, m.points[3 * v + 1]);
    for (size_t v = m.first[1]; v < m.first[2]; v++) foot = fmin(foot, m.points[3 * v + 1]);
    assert_true(head > foot + 0.4);
    drop(m);
}

// Wales of knit and of purl in turn: heads of loops lie before and behind the plane.
static void test_a_rib_turns_from_wale_to_wale_and_touches_nowhere(void **state)
{
    (void)state;
    for (size_t rib = 1; rib < 3; rib++) {
        dr_groom groom = {
            .kind = DR_GROOM_KNIT, .axis = {0, 0, 1}, .size = {6.0, 2.75}, .vertices = 64, .spacing = 1.0};
        groom.rib = rib;
        made m = make(&groom);
        for (size_t loop = 0; loop < 6; loop++) {
            double head = m.points[3 * (64 * loop + 32) + 2];
            check_near(head, loop / rib % 2 ? -0.2 : 0.2, 1e-12);
        }
        assert_true(clearance(&m) > 0.2);
        for (size_t v = 1; v < m.first[1]; v++) assert_true(distance(m.points + 3 * v, m.points + 3 * (v - 1)) < 0.1);
        drop(m);
    }
}

// One yarn on a cylinder, whose rows go on where the last one ended and interlock as those of a patch do.
static void test_a_tube_is_knitted_of_one_yarn(void **state)
{
    (void)state;
    dr_groom groom = {.kind = DR_GROOM_KNIT, .axis = {0, 1, 0}, .size = {12.0, 3.6}, .vertices = 32, .spacing = 1.0};
    groom.round = true;
    made m = make(&groom);
    double radius = 12.0 / (2.0 * DR_PI);
    assert_int_equal(m.strands, 1);
    assert_int_equal(m.first[1], 12 * 5 * 32 + 1);
    for (size_t v = 0; v < m.first[1]; v++) {
        const double *p = m.points + 3 * v;
        assert_true(fabs(hypot(p[0], p[2]) - radius) <= 0.2 + 1e-12);
        if (v > 0) assert_true(distance(p, p - 3) < 0.25);
        if (v + 12 * 32 < m.first[1]) check_near(p[3 * 12 * 32 + 1] - p[1], 0.9, 1e-12);
    }
    for (size_t v = 0; v < m.first[1]; v++) {
        for (size_t other = v + 8; other < m.first[1]; other++)
            assert_true(distance(m.points + 3 * v, m.points + 3 * other) > 0.18);
    }
    drop(m);
}

static void test_yarns_that_are_not_woven_lie_on_each_other(void **state)
{
    (void)state;
    dr_groom groom = {.kind = DR_GROOM_WEAVE, .axis = {0, 0, 1}, .size = {2.0, 1.2}, .spacing = 0.2, .layered = true};
    groom.amplitude = 0.05;
    groom.yarn_vertices = 9;
    made m = make(&groom);
    assert_int_equal(m.strands, 11 + 7);
    for (size_t s = 0; s < m.strands; s++) {
        assert_int_equal(m.first[s + 1] - m.first[s], 9);
        for (size_t v = m.first[s]; v < m.first[s + 1]; v++) check_near(m.points[3 * v + 2], s < 7 ? 0.05 : -0.05, 0.0);
    }
    drop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hair_starts_where_it_should),
        cmocka_unit_test(test_edges_of_a_hair_are_alike),
        cmocka_unit_test(test_variation_zero_makes_all_hair_alike),
        cmocka_unit_test(test_a_seed_gives_the_same_groom_and_another_one_another),
        cmocka_unit_test(test_woven_yarns_pass_over_and_under),
        cmocka_unit_test(test_knitted_rows_interlock_without_touching),
        cmocka_unit_test(test_a_rib_turns_from_wale_to_wale_and_touches_nowhere),
        cmocka_unit_test(test_a_tube_is_knitted_of_one_yarn),
        cmocka_unit_test(test_yarns_that_are_not_woven_lie_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
