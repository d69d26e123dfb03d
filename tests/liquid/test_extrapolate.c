#include "pool.h"

#include "liquid/extrapolate.h"
#include "liquid/level_set.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

typedef struct field {
    pool water;
    size_t items;
    float *velocity;
    uint8_t *known, *spare;
} field;

static double linear(const double x[3], int a)
{
    return 1.0 + 0.5 * a + (a + 1) * x[0] - 2.0 * x[1] + 0.75 * x[2];
}

// Faces inside a ball know a velocity, all others hold what must not be read.
static void open_field(field *f, bool constant)
{
    body box = {.kind = BOX, .at = {0.0, 0.0, 0.0}, .half = {7.0 * cell, 7.0 * cell, 7.0 * cell}};
    body ball = {.kind = SPHERE, .at = {0.0, 0.0, 0.0}, .radius = 3.0 * cell};
    open_pool(&f->water, cell);
    pour_body(&f->water, &box, 1, 0.0, 8.0 * cell);
    assert_true(dr_grid_rebuild(&f->water.grid, &one_thread, &f->water.particles));
    f->items = f->water.grid.block_count * 64;
    f->velocity = malloc(4 * f->items * sizeof(float));
    f->known = calloc(f->items, 1);
    f->spare = malloc(f->items);
    for (size_t i = 0; i < f->items; i++) {
        for (int a = 0; a < 4; a++) {
            double x[3];
            cell_place(&f->water.grid, i / 64, (int)(i % 64), 0.5, x);
            if (a < 3) x[a] -= 0.5 * cell;
            bool inside = a < 3 && body_distance(&ball, x) < 0.0;
            f->velocity[4 * i + (size_t)a] = inside ? (float)(constant ? 2.0 + a : linear(x, a)) : NAN;
            if (inside) f->known[i] = (uint8_t)(f->known[i] | 1 << a);
        }
    }
}

static void close_field(field *f)
{
    free(f->velocity);
    free(f->known);
    free(f->spare);
    close_pool(&f->water);
}

// The largest distance from the truth, in cells of slope, over known faces; counts them.
static double worst(const field *f, bool constant, int *count)
{
    double most = 0.0;
    *count = 0;
    for (size_t i = 0; i < f->items; i++) {
        for (int a = 0; a < 3; a++) {
            if (!(f->known[i] >> a & 1)) continue;
            double x[3];
            cell_place(&f->water.grid, i / 64, (int)(i % 64), 0.5, x);
            x[a] -= 0.5 * cell;
            double truth = constant ? 2.0 + a : linear(x, a);
            most = fmax(most, fabs((double)f->velocity[4 * i + (size_t)a] - truth));
            (*count)++;
        }
    }
    return most;
}

static void test_a_constant_velocity_goes_on_unchanged(void **state)
{
    (void)state;
    for (int layers = 0; layers < 4; layers++) {
        field f;
        int before, after;
        open_field(&f, true);
        worst(&f, true, &before);
        dr_extrapolate_faces(&(dr_extrapolate){.open_layers = layers, .spare = f.spare}, &f.water.grid, &one_thread,
                             f.velocity, f.known);
        assert_true(worst(&f, true, &after) < 1e-5);
        if (layers) assert_true(after > before + layers * 300);
        close_field(&f);
    }
}

static void test_a_linear_velocity_is_off_by_at_most_one_slope_a_layer(void **state)
{
    (void)state;
    for (int layers = 1; layers < 4; layers++) {
        field f;
        int count;
        open_field(&f, false);
        dr_extrapolate_faces(&(dr_extrapolate){.open_layers = layers, .spare = f.spare}, &f.water.grid, &one_thread,
                             f.velocity, f.known);
        double slope = 3.0 * cell;
        assert_true(worst(&f, false, &count) < 1.001 * layers * slope);
        close_field(&f);
    }
}

// In solids faces are reached further than in the open.
static void test_closed_faces_are_reached_in_more_layers(void **state)
{
    (void)state;
    field f;
    open_field(&f, true);
    float *open = malloc(4 * f.items * sizeof(float));
    memset(f.known, 0, f.items);
    size_t first = 64 * (f.water.grid.block_count / 2) + 21;
    for (size_t i = 0; i < 4 * f.items; i++) open[i] = 1.0F;
    for (size_t i = 1; i < 3; i++) open[4 * (first + 16 * i) + 1] = 0.0F;
    f.known[first] = 2;
    f.velocity[4 * first + 1] = 5.0F;
    const dr_extrapolate how = {.open_area = open, .open_layers = 1, .closed_layers = 2, .spare = f.spare};
    dr_extrapolate_faces(&how, &f.water.grid, &one_thread, f.velocity, f.known);
    int count = 0;
    for (size_t i = 0; i < f.items; i++) count += f.known[i] == 2;
    assert_true(f.known[first + 32] == 2 && f.velocity[4 * (first + 32) + 1] == 5.0F);
    assert_int_equal(count, 1 + 6 + 1);
    free(open);
    close_field(&f);
}

// The first layer's value is the mean over neighbours that were known before it.
static void test_a_layer_reads_only_what_was_known_before(void **state)
{
    (void)state;
    field f;
    open_field(&f, true);
    memset(f.known, 0, f.items);
    size_t middle = 0;
    for (size_t i = 0; i < f.items; i++) {
        double x[3];
        cell_place(&f.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1.1 * cell) middle = i;
    }
    f.known[middle] = 2;
    f.velocity[4 * middle + 1] = 5.0F;
    dr_extrapolate_faces(&(dr_extrapolate){.open_layers = 2, .spare = f.spare}, &f.water.grid, &one_thread, f.velocity,
                         f.known);
    int count = 0;
    for (size_t i = 0; i < f.items; i++) {
        assert_true((f.known[i] & ~2) == 0);
        if (!f.known[i]) continue;
        assert_true(f.velocity[4 * i + 1] == 5.0F);
        count++;
    }
    assert_int_equal(count, 1 + 6 + 18);
    close_field(&f);
}

static void test_faces_of_liquid_cells_are_known_where_open(void **state)
{
    (void)state;
    field f;
    open_field(&f, true);
    uint8_t *cells = calloc(f.items, 1);
    float *open = malloc(4 * f.items * sizeof(float));
    for (size_t i = 0; i < 4 * f.items; i++) open[i] = 1.0F;
    size_t item = 64 * (f.water.grid.block_count / 2) + 21;
    cells[item] = DR_CELL_LIQUID;
    open[4 * item + 2] = 0.0F;
    dr_extrapolate_know(&(dr_extrapolate){.open_area = open}, &f.water.grid, &one_thread, cells, f.known);
    int bits = 0;
    for (size_t i = 0; i < f.items; i++) bits += (f.known[i] & 1) + (f.known[i] >> 1 & 1) + (f.known[i] >> 2 & 1);
    assert_int_equal(bits, 5);
    assert_int_equal(f.known[item] & 7, 3);
    assert_int_equal(f.known[item + 1] & 7, 4);
    free(cells);
    free(open);
    close_field(&f);
}

static int count_known(const field *f, int axis)
{
    int count = 0;
    for (size_t i = 0; i < f->items; i++) count += f->known[i] >> axis & 1;
    return count;
}

// Kernels of particles in a liquid cell reach one cell beyond its faces along every axis, across corners too. They do
// so from a face whose centre is in a solid as from any other, though its value comes from its neighbours.
static void test_faces_within_reach_of_the_liquid_are_known_and_no_others(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        field f;
        open_field(&f, true);
        uint8_t *cells = calloc(f.items, 1);
        float *open = malloc(4 * f.items * sizeof(float)), *own = malloc(4 * f.items * sizeof(float));
        size_t item = 64 * (f.water.grid.block_count / 2) + 21;
        for (size_t i = 0; i < 4 * f.items; i++) open[i] = own[i] = 1.0F;
        cells[item] = DR_CELL_LIQUID;
        if (cut) open[4 * (item + 4) + 1] = 0.0F; // the upper face along y
        for (int a = 0; a < 3; a++) f.velocity[4 * item + (size_t)a] = 5.0F;
        f.velocity[4 * (item + 16) + 0] = f.velocity[4 * (item + 4) + 1] = f.velocity[4 * (item + 1) + 2] = 5.0F;
        const dr_extrapolate how = {
            .open_area = open, .own_area = own, .open_layers = 6, .closed_layers = 6, .beside = true, .spare = f.spare};
        dr_extrapolate_know(&how, &f.water.grid, &one_thread, cells, f.known);
        dr_extrapolate_faces(&how, &f.water.grid, &one_thread, f.velocity, f.known);
        for (int a = 0; a < 3; a++) assert_int_equal(count_known(&f, a), 3 * 3 * 4);
        for (size_t i = 0; i < f.items; i++) assert_true(!(f.known[i] >> 1 & 1) || f.velocity[4 * i + 1] == 5.0F);
        free(own);
        free(open);
        free(cells);
        close_field(&f);
    }
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    field one, many;
    open_field(&one, false);
    dr_extrapolate_faces(&(dr_extrapolate){.open_layers = 3, .spare = one.spare}, &one.water.grid, &one_thread,
                         one.velocity, one.known);
    for (int threads = 2; threads <= 3; threads++) {
        dr_par par = {threads};
        open_field(&many, false);
        dr_extrapolate_faces(&(dr_extrapolate){.open_layers = 3, .spare = many.spare}, &many.water.grid, &par,
                             many.velocity, many.known);
        assert_memory_equal(one.velocity, many.velocity, 4 * one.items * sizeof(float));
        assert_memory_equal(one.known, many.known, one.items);
        close_field(&many);
    }
    close_field(&one);
}

// A second field goes on as it does by itself.
static void test_two_fields_go_on_as_each_alone(void **state)
{
    (void)state;
    field alone[2], both[2];
    for (int i = 0; i < 2; i++) {
        open_field(&alone[i], i == 1);
        open_field(&both[i], i == 1);
        dr_extrapolate_faces(&(dr_extrapolate){.open_layers = 3, .spare = alone[i].spare}, &alone[i].water.grid,
                             &one_thread, alone[i].velocity, alone[i].known);
    }
    const dr_extrapolate how = {.open_layers = 3, .spare = both[0].spare, .with = both[1].velocity};
    dr_extrapolate_faces(&how, &both[0].water.grid, &one_thread, both[0].velocity, both[0].known);
    assert_memory_equal(both[0].known, alone[0].known, alone[0].items);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(both[i].velocity, alone[i].velocity, 4 * alone[i].items * sizeof(float));
        close_field(&alone[i]);
        close_field(&both[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_constant_velocity_goes_on_unchanged),
        cmocka_unit_test(test_a_linear_velocity_is_off_by_at_most_one_slope_a_layer),
        cmocka_unit_test(test_closed_faces_are_reached_in_more_layers),
        cmocka_unit_test(test_a_layer_reads_only_what_was_known_before),
        cmocka_unit_test(test_faces_of_liquid_cells_are_known_where_open),
        cmocka_unit_test(test_faces_within_reach_of_the_liquid_are_known_and_no_others),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_two_fields_go_on_as_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
