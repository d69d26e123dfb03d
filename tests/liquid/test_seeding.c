#include "pool.h"

static const double cell = 0.25;

typedef struct list {
    double (*place)[3], *volume, total;
    size_t count, most;
} list;

static bool note(void *user, const double x[3], double volume)
{
    list *l = user;
    if (l->count == l->most) return false;
    memcpy(l->place[l->count], x, 3 * sizeof *x);
    l->volume[l->count++] = volume;
    l->total += volume;
    return true;
}

static void open_list(list *l, size_t most)
{
    *l = (list){malloc(most * 3 * sizeof(double)), malloc(most * sizeof(double)), 0.0, 0, most};
}

static void close_list(list *l)
{
    free(l->place);
    free(l->volume);
}

static bool pour(const body *shape, double per_cell, double jitter, double span, uint64_t key, list *l)
{
    dr_seeding p = {.cell = cell, .origin = {0.1, -0.2, 0.3}, .per_cell = per_cell, .jitter = jitter, .key = key};
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = shape->at[a] - span;
        high[a] = shape->at[a] + span;
    }
    return dr_seeding_visit(&p, body_distance, shape, low, high, note, l);
}

static void test_a_shape_gets_its_volume_wherever_it_lies(void **state)
{
    (void)state;
    const double densities[] = {8.0, 10.0, 27.0, 64.0};
    for (int i = 0; i < 12; i++) {
        double o = 0.017 * i, density = densities[i % 4];
        body box = {.kind = BOX, .at = {o, -o, 2.0 * o}, .half = {1.01 + o, 0.83, 0.77}, .turned = 0.3 * (i % 3)};
        body ball = {.kind = SPHERE, .at = {o, -o, 2.0 * o}, .radius = 1.1};
        list l;
        open_list(&l, 60000);
        assert_true(pour(&box, density, DR_SEEDING_JITTER, 2.0, 1, &l));
        double truth = 8.0 * box.half[0] * box.half[1] * box.half[2];
        assert_true(fabs(l.total / truth - 1.0) < 0.008);
        for (size_t p = 0; p < l.count; p++) {
            assert_true(body_distance(&box, l.place[p]) < 0.02 * cell);
            assert_true(l.volume[p] > 0.0 && l.volume[p] < 1.0001 * cell * cell * cell / density);
        }
        l.count = 0;
        l.total = 0.0;
        assert_true(pour(&ball, density, DR_SEEDING_JITTER, 2.0, 1, &l));
        assert_true(fabs(l.total / (4.0 / 3.0 * 3.14159265 * pow(1.1, 3)) - 1.0) < 0.01);
        close_list(&l);
    }
}

static void test_a_box_on_the_lattice_is_exact(void **state)
{
    (void)state;
    body box = {.kind = BOX, .at = {0.1, -0.2, 0.3}, .half = {1.0, 0.5, 0.75}};
    list l;
    open_list(&l, 5000);
    assert_true(pour(&box, 8.0, DR_SEEDING_JITTER, 2.0, 1, &l));
    assert_int_equal(l.count, 8 * 8 * 4 * 6);
    assert_true(fabs(l.total - 3.0) < 1e-9);
    close_list(&l);
}

static void test_places_depend_on_key_and_lattice_alone(void **state)
{
    (void)state;
    body ball = {.kind = SPHERE, .at = {0.0, 0.0, 0.0}, .radius = 0.9};
    list one, two, other;
    open_list(&one, 5000);
    open_list(&two, 5000);
    open_list(&other, 5000);
    assert_true(pour(&ball, 8.0, DR_SEEDING_JITTER, 1.0, 4, &one));
    assert_true(pour(&ball, 8.0, DR_SEEDING_JITTER, 1.7, 4, &two));
    assert_true(pour(&ball, 8.0, DR_SEEDING_JITTER, 1.0, 5, &other));
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.place, two.place, one.count * sizeof *one.place);
    assert_memory_not_equal(one.place, other.place, one.count * sizeof *one.place);
    close_list(&one);
    close_list(&two);
    close_list(&other);
}

static double spline(double x)
{
    double far = fabs(x);
    return far < 0.5 ? 0.75 - far * far : far < 1.5 ? 0.5 * (1.5 - far) * (1.5 - far) : 0.0;
}

// Volume in the kernel around the middle of a cell, over the cell's.
static double density_at(const list *l, const double x[3])
{
    double sum = 0.0;
    for (size_t p = 0; p < l->count; p++) {
        double w = l->volume[p] / (cell * cell * cell);
        for (int a = 0; a < 3; a++) w *= spline((l->place[p][a] - x[a]) / cell);
        sum += w;
    }
    return sum;
}

// Particles stand off the lattice by the curl of a potential, which leaves no cell fuller or emptier to the first
// order.
static void test_disorder_leaves_cells_evenly_full(void **state)
{
    (void)state;
    body box = {.kind = BOX, .at = {0.1, -0.2, 0.3}, .half = {2.0, 2.0, 2.0}};
    list still, l;
    double worst = 0.0, squares = 0.0, spacing = 0.5 * cell;
    open_list(&still, 40000);
    open_list(&l, 40000);
    assert_true(pour(&box, 8.0, 0.0, 3.0, 1, &still));
    assert_true(pour(&box, 8.0, DR_SEEDING_JITTER, 3.0, 1, &l));
    assert_int_equal(l.count, still.count);
    for (size_t p = 0; p < l.count; p++) {
        for (int a = 0; a < 3; a++) {
            double shift = (l.place[p][a] - still.place[p][a]) / spacing;
            assert_true(fabs(shift) <= DR_SEEDING_JITTER);
            squares += shift * shift;
        }
    }
    for (int i = -4; i < 4; i++) {
        const double x[3] = {0.1 + (i + 0.5) * cell, -0.2 + (i / 2 + 0.5) * cell, 0.3 + (0.5 - i) * cell};
        worst = fmax(worst, fabs(density_at(&l, x) - density_at(&still, x)));
    }
    assert_true(sqrt(squares / (3.0 * (double)l.count)) > 0.05);
    assert_true(worst < 0.01);
    close_list(&still);
    close_list(&l);
}

static void test_the_visitor_can_stop(void **state)
{
    (void)state;
    body ball = {.kind = SPHERE, .at = {0.0, 0.0, 0.0}, .radius = 0.9};
    list l;
    open_list(&l, 10);
    assert_false(pour(&ball, 8.0, DR_SEEDING_JITTER, 1.0, 4, &l));
    assert_int_equal(l.count, 10);
    close_list(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_shape_gets_its_volume_wherever_it_lies),
        cmocka_unit_test(test_a_box_on_the_lattice_is_exact),
        cmocka_unit_test(test_places_depend_on_key_and_lattice_alone),
        cmocka_unit_test(test_disorder_leaves_cells_evenly_full),
        cmocka_unit_test(test_the_visitor_can_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
