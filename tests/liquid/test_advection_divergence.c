#include "pool.h"

#include "liquid/advection_divergence.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

typedef struct field {
    pool water;
    size_t items;
    float *velocity, *source;
    uint8_t *kind;
} field;

// u = G x on the faces around a block of liquid, gradient row by row.
static void open_field(field *f, const double gradient[9])
{
    body box = {.kind = BOX, .at = {0.0, 0.0, 0.0}, .half = {6.0 * cell, 6.0 * cell, 6.0 * cell}};
    open_pool(&f->water, cell);
    pour_body(&f->water, &box, 1, 0.0, 7.0 * cell);
    assert_true(dr_grid_rebuild(&f->water.grid, &one_thread, &f->water.particles));
    f->items = f->water.grid.block_count * 64;
    f->velocity = calloc(4 * f->items, sizeof(float));
    f->source = calloc(f->items, sizeof(float));
    f->kind = calloc(f->items, 1);
    for (size_t i = 0; i < f->items; i++) {
        double x[3];
        cell_place(&f->water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (fabs(x[0]) < 4.0 * cell && fabs(x[1]) < 4.0 * cell && fabs(x[2]) < 4.0 * cell) f->kind[i] = DR_CELL_LIQUID;
        for (int a = 0; a < 3; a++) {
            double y[3] = {x[0], x[1], x[2]}, u = 0.0;
            y[a] -= 0.5 * cell;
            for (int b = 0; b < 3; b++) u += gradient[3 * a + b] * y[b];
            f->velocity[4 * i + (size_t)a] = (float)u;
        }
    }
}

static void close_field(field *f)
{
    free(f->velocity);
    free(f->source);
    free(f->kind);
    close_pool(&f->water);
}

static double determinant(const double m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// A step with the divergence asked for keeps the volume to the third order of the step.
static void test_a_straight_step_keeps_volume_with_the_source(void **state)
{
    (void)state;
    const double fields[][9] = {
        {0, -2, 0, 2, 0, 0, 0, 0, 0}, {3, 0, 0, 0, -3, 0, 0, 0, 0}, {1, 2, -1, 0.5, -2, 1, 3, -1, 1}};
    const double dt = 0.01;
    for (int k = 0; k < 3; k++) {
        field f;
        open_field(&f, fields[k]);
        dr_advection_divergence(&f.water.grid, &one_thread, f.velocity, f.kind, dt, 0.02, f.source);
        double plain[9], mended[9];
        for (size_t i = 0; i < f.items; i++) {
            if (f.kind[i] != DR_CELL_LIQUID) {
                assert_true(f.source[i] == 0.0F);
                continue;
            }
            for (int j = 0; j < 9; j++) {
                plain[j] = (j % 4 == 0) + dt * fields[k][j];
                mended[j] = plain[j] + (j % 4 == 0) * dt * (double)f.source[i] / 3.0;
            }
            assert_true(fabs(determinant(mended) - 1.0) < 0.1 * fabs(determinant(plain) - 1.0) + 2e-5);
        }
        close_field(&f);
    }
}

// dt Q of a strain of 4 in a step is 16; a limit of 16 is just met, a quarter of it asks for a sixteenth.
static void test_what_is_beyond_the_limit_is_believed_the_less_the_larger_it_is(void **state)
{
    (void)state;
    const double strain[9] = {400, 0, 0, 0, -400, 0, 0, 0, 0}, dt = 0.01;
    for (int k = 0; k < 2; k++) {
        float limit = k ? 4.0F : 16.0F, wanted = limit * (limit / 16.0F) / (float)dt;
        field f;
        open_field(&f, strain);
        dr_advection_divergence(&f.water.grid, &one_thread, f.velocity, f.kind, dt, (double)limit, f.source);
        for (size_t i = 0; i < f.items; i++) {
            float expected = f.kind[i] == DR_CELL_LIQUID ? wanted : 0.0F;
            assert_true(fabsf(f.source[i] - expected) <= 1e-5F * expected);
        }
        close_field(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_straight_step_keeps_volume_with_the_source),
        cmocka_unit_test(test_what_is_beyond_the_limit_is_believed_the_less_the_larger_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
