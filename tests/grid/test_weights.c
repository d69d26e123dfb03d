// Weights that are written out: the sums of the transfers, either way, and their slopes along directions.
#include "cloud.h"

#include "grid/weights.h"

#include <string.h>

enum { POINTS = 200 };

typedef struct scene {
    dr_grid grid;
    dr_points points;
    double position[3 * POINTS];
    uint32_t *number;
    size_t nodes;
    float *field; // [node of the grid][4]
} scene;

static const dr_par one_thread = {.threads = 1};

static void open_scene(scene *s)
{
    dice d = {5};
    memset(s, 0, sizeof *s);
    assert_true(dr_grid_open(&s->grid, NULL, 0.5, (double[3]){0, 0, 0}, (int32_t[3]){0, 0, 0}));
    for (int i = 0; i < 3 * POINTS; i++) s->position[i] = roll(&d, -4.0, 4.0);
    assert_true(dr_grid_place_points(&s->grid, &one_thread, s->position, POINTS, &s->points));
    const dr_point_set set = {.points = &s->points};
    assert_true(dr_grid_build(&s->grid, &one_thread, &set, 1));
    size_t all = s->grid.block_count * DR_BLOCK_NODES;
    s->number = calloc(all, sizeof *s->number);
    s->field = calloc(4 * all, sizeof *s->field);
    for (size_t n = 0; n < all; n++) s->number[n] = (uint32_t)s->nodes++;
    for (size_t i = 0; i < 4 * all; i++) s->field[i] = (float)roll(&d, -1.0, 1.0);
}

static void close_scene(scene *s)
{
    free(s->number);
    free(s->field);
    dr_points_free(&s->points, NULL);
    dr_grid_close(&s->grid);
}

// The lists, whatever was in them before, are the same for any number of threads.
static void check_threads(const scene *s, const dr_weights_source *source, const dr_weights *one)
{
    for (int threads = 2; threads <= 9; threads++) {
        dr_par par = dr_par_open(threads);
        dr_weights_source other = *source;
        dr_weights many = {0};
        other.without = NULL;
        assert_true(dr_weights_build(&many, NULL, &s->grid, &par, &other));
        assert_true(dr_weights_build(&many, NULL, &s->grid, &par, source));
        assert_memory_equal(many.tap, one->tap, one->points * one->taps * sizeof *one->tap);
        assert_memory_equal(many.first, one->first, (one->nodes + 1) * sizeof *one->first);
        assert_memory_equal(many.entry, one->entry, one->first[one->nodes] * sizeof *one->entry);
        dr_weights_free(&many, NULL);
    }
}

static void check_kernel(dr_kernel kernel)
{
    scene s;
    open_scene(&s);
    dr_transfer transfer = {.kernel = kernel, .scheme = DR_SCHEME_APIC};
    dr_transfer_places places = dr_transfer_point_places(&s.points);
    dr_weights plain = {0}, sloped = {0};
    uint8_t without[POINTS] = {[7] = 1};
    static float value[4 * POINTS], gradient[9 * POINTS];
    static double direction[6 * POINTS];
    float *sums = calloc(4 * s.nodes, sizeof *sums);
    for (int i = 0; i < 6 * POINTS; i++) direction[i] = sin(0.3 * i);
    dr_weights_source source = {&places, kernel, s.number, s.nodes, POINTS, 1, NULL, 0, without, false};
    assert_true(dr_weights_build(&plain, NULL, &s.grid, &one_thread, &source));
    check_threads(&s, &source, &plain);
    source = (dr_weights_source){&places, kernel, s.number, s.nodes, 2 * POINTS, 2, direction, 6, NULL, true};
    assert_true(dr_weights_build(&sloped, NULL, &s.grid, &one_thread, &source));
    check_threads(&s, &source, &sloped);
    dr_transfer_read_nodes(&transfer, &s.grid, &one_thread, &places, s.field, value, gradient);
    for (size_t k = 0; k < POINTS; k++) {
        size_t p = dr_residents_point(&s.points.residents, k);
        dr_float4 found = dr_weights_to_point(&plain, p, s.field);
        for (int a = 0; a < 4; a++) {
            float expected = p == 7 ? 0.0F : value[4 * p + (size_t)(a + 3) % 4]; // nodes are read as 1, 2, 3, 0
            assert_true(fabsf(found[a] - expected) < 1e-5F);
        }
        for (size_t r = 0; r < 2; r++) {
            found = dr_weights_to_point(&sloped, 2 * k + r, s.field);
            for (size_t a = 0; a < 3; a++) {
                const double *d = direction + 6 * p + 3 * r;
                const float *row = gradient + 9 * p + 3 * a;
                double sum = (double)row[0] * d[0] + (double)row[1] * d[1] + (double)row[2] * d[2];
                assert_true(fabs((double)found[(int)a + 1] - sum) < 1e-4);
            }
        }
    }
    for (size_t i = 0; i < 4; i++) value[4 * 7 + i] = 0.0F;
    dr_transfer_spread_nodes(&transfer, &s.grid, &one_thread, &places, value, sums);
    for (size_t n = 0; n < s.nodes; n++) {
        dr_float4 found = dr_weights_to_node(&plain, n, value);
        for (int a = 0; a < 4; a++) assert_true(fabsf(found[a] - sums[4 * n + (size_t)a]) < 1e-5F);
    }
    free(sums);
    dr_weights_free(&plain, NULL);
    dr_weights_free(&sloped, NULL);
    close_scene(&s);
}

static void test_sums_are_those_of_the_transfers(void **unused)
{
    (void)unused;
    check_kernel(DR_KERNEL_QUADRATIC);
    check_kernel(DR_KERNEL_CUBIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_are_those_of_the_transfers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
