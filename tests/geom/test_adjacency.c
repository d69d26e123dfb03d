// Edges and their neighbours.
#include "geom/adjacency.h"
#include "geom/solids.h"

static bool is_closed(const test_mesh *mesh, uint32_t *opposite)
{
    bool closed = false;
    assert_true(dr_adjacency_find(mesh->triangles, mesh->triangle_count, mesh->vertex_count, NULL, opposite, &closed));
    return closed;
}

static void test_opposite_edges_run_the_other_way(void **state)
{
    (void)state;
    test_mesh ball = ball_mesh(10);
    uint32_t *opposite = calloc(3 * ball.triangle_count, sizeof *opposite);
    assert_true(is_closed(&ball, opposite));
    for (size_t edge = 0; edge < 3 * ball.triangle_count; edge++) {
        size_t other = opposite[edge];
        assert_int_equal(opposite[other], edge);
        size_t next = edge % 3 == 2 ? edge - 2 : edge + 1, other_next = other % 3 == 2 ? other - 2 : other + 1;
        assert_int_equal(ball.triangles[edge], ball.triangles[other_next]);
        assert_int_equal(ball.triangles[next], ball.triangles[other]);
    }
    free(opposite);
    release_mesh(&ball);
}

static void test_holes_flips_and_fins_are_not_closed(void **state)
{
    (void)state;
    test_mesh ball = ball_mesh(10);
    uint32_t *opposite = calloc(3 * ball.triangle_count, sizeof *opposite);
    uint32_t *first = ball.triangles, *last = ball.triangles + 3 * (ball.triangle_count - 1), swap = first[0];
    ball.triangle_count--;
    assert_false(is_closed(&ball, opposite)); // a hole
    ball.triangle_count++;
    first[0] = first[1];
    first[1] = swap;
    assert_false(is_closed(&ball, opposite)); // one triangle turned over
    first[1] = first[0];
    first[0] = swap;
    assert_true(is_closed(&ball, opposite));
    memcpy(last, first, 3 * sizeof *first);
    assert_false(is_closed(&ball, opposite)); // one triangle twice
    free(opposite);
    release_mesh(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opposite_edges_run_the_other_way),
        cmocka_unit_test(test_holes_flips_and_fins_are_not_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
