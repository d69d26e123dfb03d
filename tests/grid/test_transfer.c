// The transfers against dense sums in double, and what they must keep.
#include "cloud.h"

#include "grid/transfer.h"
#include "grid/transfer_faces_wide.h"
#include "math/random.h"

#include <string.h>

static const double origin[3] = {0.3, -1.7, 12.0};
static const double low[3] = {-1.0, -1.5, 11.5}, high[3] = {1.0, 0.5, 13.5};
static const double cell = 0.25;
static const dr_par one_thread = {1};

// Cubic kernels are for nodes alone.
static bool is_case(int kernel, int faces)
{
    return !faces || kernel != DR_KERNEL_CUBIC;
}

static double spline(int degree, double x)
{
    double a = fabs(x);
    if (degree == 1) return a < 1.0 ? 1.0 - a : 0.0;
    if (degree == 2) return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0.0;
    if (a < 1.0) return 0.5 * a * a * a - a * a + 2.0 / 3.0;
    return a < 2.0 ? (2.0 - a) * (2.0 - a) * (2.0 - a) / 6.0 : 0.0;
}

static double sign(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static double spline_slope(int degree, double x)
{
    double a = fabs(x);
    if (degree == 1) return a < 1.0 ? -sign(x) : 0.0;
    if (degree == 2) return a < 0.5 ? -2.0 * x : a < 1.5 ? -(1.5 - a) * sign(x) : 0.0;
    if (a < 1.0) return (1.5 * a - 2.0) * x;
    return a < 2.0 ? -0.5 * (2.0 - a) * (2.0 - a) * sign(x) : 0.0;
}

typedef struct bench {
    dr_grid grid;
    dr_particles cloud;
    dr_transfer transfer;
    bool faces;
    float *mass, *field; // faces: mass, momentum or velocity; nodes: field alone
} bench;

static void open_bench(bench *b, dr_kernel kernel, dr_scheme scheme, bool faces, size_t count, const int32_t period[3])
{
    *b = (bench){.transfer = {kernel, scheme, 0.9, 0.0, false}, .faces = faces};
    assert_true(dr_grid_open(&b->grid, NULL, cell, origin, period ? period : (int32_t[3]){0, 0, 0}));
    make_cloud(&b->cloud, &b->grid, count, low, high, 17);
    assert_true(dr_grid_rebuild(&b->grid, &one_thread, &b->cloud));
    b->mass = calloc(b->grid.block_count, 256 * sizeof(float));
    b->field = calloc(b->grid.block_count, 256 * sizeof(float));
}

static void close_bench(bench *b)
{
    free(b->mass);
    free(b->field);
    dr_particles_free(&b->cloud, NULL);
    dr_grid_close(&b->grid);
}

static void scatter_with(bench *b, const dr_par *par, double dt, dr_transfer_stress stress)
{
    if (b->faces) {
        dr_transfer_stress_to_faces(&b->transfer, &b->grid, par, &b->cloud, dt, stress, NULL, b->mass, b->field);
    } else {
        dr_transfer_to_nodes(&b->transfer, &b->grid, par, &b->cloud, dt, stress, NULL, b->field);
    }
}

static void gather_with(bench *b, const dr_par *par, const float *old, double dt, dr_transfer_update update, void *user)
{
    const dr_transfer_back back = {
        .field = b->field, .old = old, .dt = dt, .particles = &b->cloud, .update = update, .user = user};
    if (b->faces) {
        dr_transfer_from_faces(&b->transfer, &b->grid, par, &back);
    } else {
        dr_transfer_from_nodes(&b->transfer, &b->grid, par, &back);
    }
}

// ---- where numbers sit: `item` counts nodes or cells over all blocks, component 0..2

static void place_of(const bench *b, size_t item, int component, double x[3])
{
    const int32_t *block = b->grid.coordinate + 3 * (item / 64);
    int node[3] = {(int)(item % 64 / 16), (int)(item % 16 / 4), (int)(item % 4)};
    for (int a = 0; a < 3; a++) {
        double half = b->faces && a != component ? 0.5 : 0.0;
        x[a] = origin[a] + cell * (4.0 * block[a] + node[a] + half);
    }
}

static float *momentum_of(const bench *b, size_t item, int component)
{
    return b->field + 4 * item + (b->faces ? component : component + 1);
}

static double mass_of(const bench *b, size_t item, int component)
{
    return b->faces ? (double)b->mass[4 * item + (size_t)component] : (double)b->field[4 * item];
}

// Distance in cm from x to y through a periodic domain.
static double apart(const bench *b, int axis, double x, double y)
{
    double period = 4.0 * b->grid.period[axis] * cell, d = y - x;
    return period > 0.0 ? d - period * round(d / period) : d;
}

static int degree_of(const bench *b)
{
    return (int)b->transfer.kernel + 1;
}

typedef struct link {
    double w, d[3], g[3]; // weight, item minus particle (cm), gradient of the weight at the particle
} link_;

static bool link_to(const bench *b, const double particle[3], size_t item, int component, link_ *l)
{
    double at[3], n[3], s[3];
    place_of(b, item, component, at);
    for (int a = 0; a < 3; a++) {
        l->d[a] = apart(b, a, particle[a], at[a]);
        n[a] = spline(degree_of(b), l->d[a] / cell);
        s[a] = spline_slope(degree_of(b), -l->d[a] / cell) / cell;
        if (fabs(l->d[a]) >= 2.0 * cell) return false;
    }
    l->w = n[0] * n[1] * n[2];
    l->g[0] = s[0] * n[1] * n[2];
    l->g[1] = n[0] * s[1] * n[2];
    l->g[2] = n[0] * n[1] * s[2];
    return true;
}

static void position_of(const bench *b, size_t p, double x[3])
{
    dr_grid_position(&b->grid, b->cloud.key[p], b->cloud.offset + 3 * p, x);
}

// ---- to the grid, by dense sums

static void fake_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    (void)user;
    for (size_t i = 0; i < count; i++) {
        dice d = {first + i};
        float m[6];
        for (int a = 0; a < 6; a++) m[a] = (float)(roll(&d, -1.0, 1.0), roll(&d, -10.0, 10.0));
        const float full[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
        memcpy(stress[i], full, sizeof full);
    }
}

static double particle_momentum(const bench *b, size_t p, int r, const link_ *l, double dt, const float *stress)
{
    double affine = 0.0, force = 0.0, m = (double)b->cloud.mass[p];
    for (int c = 0; c < 3; c++) {
        if (b->transfer.scheme == DR_SCHEME_APIC)
            affine += (double)b->cloud.affine[9 * p + (size_t)(3 * r + c)] * l->d[c];
        double g = degree_of(b) == 1 ? l->g[c] : (6.0 - degree_of(b)) / (cell * cell) * l->w * l->d[c];
        force -= (double)stress[3 * r + c] * g;
    }
    return l->w * m * ((double)b->cloud.velocity[3 * p + (size_t)r] + affine) + dt * force;
}

static void check_scatter(bench *b, double dt, bool stressed)
{
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) {
            double mass = 0.0, momentum = 0.0;
            for (size_t p = 0; p < b->cloud.count; p++) {
                double x[3];
                float stress[1][9] = {{0}};
                link_ l;
                position_of(b, p, x);
                if (!link_to(b, x, item, r, &l)) continue;
                if (stressed) fake_stress(NULL, p, 1, stress);
                mass += l.w * (double)b->cloud.mass[p];
                momentum += particle_momentum(b, p, r, &l, dt, stress[0]);
            }
            assert_true(fabs(mass - mass_of(b, item, r)) < 1e-5);
            assert_true(fabs(momentum - (double)*momentum_of(b, item, r)) < 2e-4);
        }
    }
}

static void test_scatter_is_the_dense_sum(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int scheme = 0; scheme < 3; scheme++) {
            for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
                bench b;
                open_bench(&b, (dr_kernel)kernel, (dr_scheme)scheme, faces, 300, NULL);
                scatter_with(&b, &one_thread, 0.01, NULL);
                check_scatter(&b, 0.01, false);
                close_bench(&b);
            }
        }
    }
}

static void test_scatter_through_periodic_sides_is_the_dense_sum(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 200, (int32_t[3]){2, 0, 2});
            scatter_with(&b, &one_thread, 0.01, NULL);
            check_scatter(&b, 0.01, false);
            close_bench(&b);
        }
    }
}

static void test_stress_is_scattered_as_the_formula_says(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) { // on nodes all kernels, on faces the quadratic one
        bench b;
        open_bench(&b, (dr_kernel)(i < 3 ? i : 1), DR_SCHEME_APIC, i > 2, 300, NULL);
        scatter_with(&b, &one_thread, 0.01, fake_stress);
        check_scatter(&b, 0.01, true);
        close_bench(&b);
    }
}

// ---- what is kept

static void cross_add(const double x[3], const double y[3], double factor, double sum[3])
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        sum[a] += factor * (x[b] * y[c] - x[c] * y[b]);
    }
}

typedef struct totals {
    double mass[3], momentum[3], spin[3];
} totals;

static totals grid_totals(const bench *b)
{
    totals t = {0};
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) {
            double x[3], p[3] = {0};
            place_of(b, item, r, x);
            p[r] = (double)*momentum_of(b, item, r);
            t.mass[r] += mass_of(b, item, r);
            t.momentum[r] += p[r];
            cross_add(x, p, 1.0, t.spin);
        }
    }
    return t;
}

// The second moment of the weights about the particle along an axis, cm2. Where component r sits half a cell off, so
// does its linear kernel's moment.
static double second_moment(const bench *b, size_t p, int axis, int component)
{
    if (degree_of(b) > 1) return cell * cell / (6.0 - degree_of(b));
    double f = (double)b->cloud.offset[3 * p + (size_t)axis] + DR_GRID_SHIFT;
    f -= b->faces && axis != component ? 0.5 : 0.0;
    f -= floor(f);
    return cell * cell * f * (1.0 - f);
}

static totals particle_totals(const bench *b)
{
    totals t = {0};
    for (size_t p = 0; p < b->cloud.count; p++) {
        double x[3], m = (double)b->cloud.mass[p], v[3];
        position_of(b, p, x);
        for (int r = 0; r < 3; r++) {
            v[r] = (double)b->cloud.velocity[3 * p + (size_t)r];
            t.mass[r] += m;
            t.momentum[r] += m * v[r];
            for (int c = 0; c < 3; c++) {
                double e[3] = {0}, row[3] = {0};
                e[c] = 1.0;
                row[r] = (double)b->cloud.affine[9 * p + (size_t)(3 * r + c)] * second_moment(b, p, c, r);
                cross_add(e, row, m, t.spin);
            }
        }
        cross_add(x, v, m, t.spin);
    }
    return t;
}

// To rounding: 2000 particles of mass about 1, speed about 3 and distance about 12 from the origin.
static void assert_same_totals(const totals *a, const totals *b)
{
    for (int r = 0; r < 3; r++) {
        assert_true(fabs(a->mass[r] - b->mass[r]) < 1e-3);
        assert_true(fabs(a->momentum[r] - b->momentum[r]) < 2e-4);
        assert_true(fabs(a->spin[r] - b->spin[r]) < 2e-3);
    }
}

// Momentum becomes velocity, with a small floor where there is no mass.
static void divide(bench *b)
{
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) {
            double m = mass_of(b, item, r);
            float *p = momentum_of(b, item, r);
            *p = m > 0.0 ? (float)((double)*p / m) : 0.0F;
        }
    }
}

static void test_mass_and_both_momenta_are_kept_by_a_cycle(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 2000, NULL);
            totals before = particle_totals(&b);
            scatter_with(&b, &one_thread, 0.0, NULL);
            totals between = grid_totals(&b);
            divide(&b);
            gather_with(&b, &one_thread, NULL, 0.0, NULL, NULL);
            totals after = particle_totals(&b);
            assert_same_totals(&before, &between);
            assert_same_totals(&before, &after);
            close_bench(&b);
        }
    }
}

static void test_damping_keeps_both_momenta(void **state)
{
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        bench b;
        open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, faces, 2000, NULL);
        b.transfer.damping = 0.7;
        totals before = particle_totals(&b);
        scatter_with(&b, &one_thread, 0.0, NULL);
        divide(&b);
        gather_with(&b, &one_thread, NULL, 0.0, NULL, NULL);
        totals after = particle_totals(&b);
        assert_same_totals(&before, &after);
        close_bench(&b);
    }
}

static void test_symmetric_stress_adds_neither_force_nor_torque(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) { // on nodes all kernels, on faces the quadratic one
        bench b;
        open_bench(&b, (dr_kernel)(i < 3 ? i : 1), DR_SCHEME_APIC, i > 2, 2000, NULL);
        scatter_with(&b, &one_thread, 0.0, NULL);
        totals without = grid_totals(&b);
        scatter_with(&b, &one_thread, 0.01, fake_stress);
        totals with = grid_totals(&b);
        assert_same_totals(&without, &with);
        close_bench(&b);
    }
}

// A stress that is not symmetric turns matter: by dt times the sum of its axial vectors, whatever the kernel.
static void lopsided_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    (void)user;
    (void)first;
    static const float lopsided[9] = {1.0F, 4.0F, -2.0F, 0.0F, 3.0F, 1.0F, 5.0F, -1.0F, 2.0F};
    for (size_t i = 0; i < count; i++) memcpy(stress[i], lopsided, sizeof lopsided);
}

static void test_lopsided_stress_adds_its_own_torque(void **state)
{
    (void)state;
    const double dt = 0.01, torque[3] = {1.0 - -1.0, 5.0 - -2.0, 4.0 - 0.0}; // T_yz - T_zy, T_zx - T_xz, T_xy - T_yx
    for (int i = 0; i < 4; i++) {
        bench b;
        open_bench(&b, (dr_kernel)(i < 3 ? i : 1), DR_SCHEME_APIC, i > 2, 2000, NULL);
        scatter_with(&b, &one_thread, 0.0, NULL);
        totals without = grid_totals(&b);
        scatter_with(&b, &one_thread, dt, lopsided_stress);
        totals with = grid_totals(&b);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(with.momentum[a] - without.momentum[a]) < 2e-4);
            assert_true(fabs(with.spin[a] - without.spin[a] - dt * 2000.0 * torque[a]) < 5e-3);
        }
        close_bench(&b);
    }
}

// ---- values on faces and in cells

static double dense_value(const bench *b, size_t item, int lane)
{
    double sum = 0.0;
    for (size_t p = 0; p < b->cloud.count; p++) {
        double x[3], at[3], w = 1.0;
        position_of(b, p, x);
        place_of(b, item, lane, at);
        for (int a = 0; a < 3; a++) w *= spline(degree_of(b), apart(b, a, x[a], at[a]) / cell);
        sum += w * (double)b->cloud.volume[p];
    }
    return sum;
}

static void test_values_are_the_dense_sums_on_faces_and_in_cells(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        bench b;
        double sum[4] = {0}, total = 0.0;
        open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, true, 200, (int32_t[3]){2, 0, 2});
        dr_transfer_values_to_faces(&b.transfer, &b.grid, &one_thread, &b.cloud, b.cloud.volume, b.field);
        for (size_t item = 0; item < 64 * b.grid.block_count; item++) {
            for (int lane = 0; lane < 4; lane++) {
                double found = (double)b.field[4 * item + (size_t)lane];
                assert_true(fabs(found - dense_value(&b, item, lane)) < 1e-5);
                sum[lane] += found;
            }
        }
        for (size_t p = 0; p < b.cloud.count; p++) total += (double)b.cloud.volume[p];
        for (int lane = 0; lane < 4; lane++) assert_true(fabs(sum[lane] - total) < 1e-4);
        close_bench(&b);
    }
}

// Two particles to a cell along every axis, mass and volume the same.
static void even_out(bench *b, int side)
{
    dr_particles *even = &b->cloud;
    dr_particles_free(even, NULL);
    *even = (dr_particles){0};
    assert_true(dr_particles_reserve(even, NULL, (size_t)(side * side * side)));
    for (int i = 0; i < side * side * side; i++) {
        size_t p = even->count++;
        dice d = {p};
        const double at[3] = {i / (side * side), i / side % side, i % side};
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = origin[a] + cell * (0.25 + 0.5 * at[a]);
        fill_particle(even, p, &d);
        dr_grid_place(&b->grid, x, &even->key[p], even->offset + 3 * p);
        memset(even->velocity + 3 * p, 0, 3 * sizeof(float));
        memset(even->affine + 9 * p, 0, 9 * sizeof(float));
    }
    assert_true(dr_grid_rebuild(&b->grid, &one_thread, even));
    b->mass = realloc(b->mass, b->grid.block_count * 256 * sizeof(float));
    b->field = realloc(b->field, b->grid.block_count * 256 * sizeof(float));
}

// How far inside the lattice of particles a place is, in cells.
static double depth_in(const double x[3], int side)
{
    double least = INFINITY;
    for (int a = 0; a < 3; a++) {
        double at = (x[a] - origin[a]) / cell;
        least = fmin(least, fmin(at, 0.5 * side - at));
    }
    return least;
}

static void test_constant_stress_pushes_nothing_inside(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    for (int i = 0; i < 3; i++) { // on nodes quadratic and cubic, on faces quadratic
        bench b;
        double outside = 0.0;
        open_bench(&b, (dr_kernel)(i < 2 ? 1 + i : 1), DR_SCHEME_APIC, i == 2, 10, NULL);
        even_out(&b, SIDE);
        scatter_with(&b, &one_thread, 1.0, lopsided_stress);
        for (size_t item = 0; item < 64 * b.grid.block_count; item++) {
            for (int r = 0; r < 3; r++) {
                double x[3], push = fabs((double)*momentum_of(&b, item, r));
                place_of(&b, item, r, x);
                if (depth_in(x, SIDE) >= 2.0) assert_true(push < 1e-4);
                outside = fmax(outside, push);
            }
        }
        assert_true(outside > 10.0);
        close_bench(&b);
    }
}

// ---- points that keep their order

typedef struct shoal {
    dr_points points;
    dr_particles kept; // as they were before they were sorted
    double *position;
} shoal;

// The bench's cloud once more, in the order in which it was made.
static void open_shoal(shoal *s, bench *b)
{
    size_t count = b->cloud.count;
    *s = (shoal){.position = calloc(count, 3 * sizeof(double))};
    make_cloud(&s->kept, &b->grid, count, low, high, 17);
    for (size_t p = 0; p < count; p++)
        dr_grid_position(&b->grid, s->kept.key[p], s->kept.offset + 3 * p, s->position + 3 * p);
    assert_true(dr_grid_place_points(&b->grid, &one_thread, s->position, count, &s->points));
    const dr_point_set sets[] = {{.points = &s->points}, {.particles = &b->cloud}};
    assert_true(dr_grid_build(&b->grid, &one_thread, sets, 2));
}

static void close_shoal(shoal *s)
{
    dr_points_free(&s->points, NULL);
    dr_particles_free(&s->kept, NULL);
    free(s->position);
}

typedef struct same_stress {
    const dr_residents *residents;
    const uint64_t *id;
} same_stress;

// The stress of a particle goes by its identity.
static void stress_by_id(const void *user, size_t first, size_t count, float (*stress)[9])
{
    const same_stress *of = user;
    for (size_t i = 0; i < count; i++)
        fake_stress(NULL, of->id[dr_residents_point(of->residents, first + i)], 1, &stress[i]);
}

static void load_with(bench *b, const dr_transfer_load *load)
{
    if (b->faces) {
        dr_transfer_load_faces(&b->transfer, &b->grid, &one_thread, load, b->mass, b->field);
    } else {
        dr_transfer_load_nodes(&b->transfer, &b->grid, &one_thread, load, b->field);
    }
}

static void test_points_scatter_as_sorted_particles_do(void **state)
{
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        bench b;
        shoal s;
        open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, faces, 1000, NULL);
        open_shoal(&s, &b);
        size_t bytes = b.grid.block_count * 256 * sizeof(float);
        float *mass = malloc(bytes), *field = malloc(bytes);
        same_stress sorted = {&b.cloud.residents, b.cloud.id}, listed = {&s.points.residents, s.kept.id};
        dr_transfer_load load = {.places = dr_transfer_particle_places(&b.cloud),
                                 .mass = b.cloud.mass,
                                 .velocity = b.cloud.velocity,
                                 .affine = b.cloud.affine,
                                 .dt = 0.01,
                                 .stress = stress_by_id,
                                 .user = &sorted};
        load_with(&b, &load);
        memcpy(mass, b.mass, bytes);
        memcpy(field, b.field, bytes);
        load = (dr_transfer_load){.places = dr_transfer_point_places(&s.points),
                                  .mass = s.kept.mass,
                                  .velocity = s.kept.velocity,
                                  .affine = s.kept.affine,
                                  .dt = 0.01,
                                  .stress = stress_by_id,
                                  .user = &listed};
        load_with(&b, &load);
        assert_memory_equal(field, b.field, bytes);
        if (faces) assert_memory_equal(mass, b.mass, bytes);
        free(mass);
        free(field);
        close_shoal(&s);
        close_bench(&b);
    }
}

// Points in very many blocks go tile by tile: to what particles in the same places bring, up to the order of sums, and
// to the same bits for any number of threads.
static void test_points_in_many_blocks_scatter_as_particles_do(void **state)
{
    (void)state;
    const int32_t periods[2][3] = {{0, 0, 0}, {80, 160, 2}};
    for (int round = 0; round < 2; round++) {
        bench b = {.transfer = {DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, 0.9, 0.0, false}};
        dr_points points = {0};
        double wide[3] = {origin[0] + 320.0 * cell, origin[1] + 640.0 * cell, origin[2] + 8.0 * cell};
        assert_true(dr_grid_open(&b.grid, NULL, cell, origin, periods[round]));
        make_cloud(&b.cloud, &b.grid, 30000, origin, wide, 5);
        assert_true(dr_grid_rebuild(&b.grid, &one_thread, &b.cloud));
        double *position = calloc(b.cloud.count, 3 * sizeof *position);
        for (size_t p = 0; p < b.cloud.count; p++)
            dr_grid_position(&b.grid, b.cloud.key[p], b.cloud.offset + 3 * p, position + 3 * p);
        assert_true(dr_grid_place_points(&b.grid, &one_thread, position, b.cloud.count, &points));
        const dr_point_set sets[] = {{.particles = &b.cloud}, {.points = &points}};
        assert_true(dr_grid_build(&b.grid, &one_thread, sets, 2));
        assert_true(b.grid.block_count > 16384 && dr_grid_tiles(&b.grid));
        size_t items = b.grid.block_count * 256;
        float *field[3];
        for (int i = 0; i < 3; i++) {
            field[i] = calloc(items, sizeof(float));
            dr_par par = {.threads = i == 2 ? 3 : 1};
            dr_transfer_load load = {.places =
                                         i ? dr_transfer_point_places(&points) : dr_transfer_particle_places(&b.cloud),
                                     .mass = b.cloud.mass,
                                     .velocity = b.cloud.velocity,
                                     .affine = b.cloud.affine};
            dr_transfer_load_nodes(&b.transfer, &b.grid, &par, &load, field[i]);
        }
        assert_memory_equal(field[1], field[2], items * sizeof(float));
        for (size_t i = 0; i < items; i++) assert_float_equal(field[0][i], field[1][i], 1e-4);
        for (int i = 0; i < 3; i++) free(field[i]);
        free(position);
        dr_points_free(&points, NULL);
        dr_particles_free(&b.cloud, NULL);
        dr_grid_close(&b.grid);
    }
}

// Residents of blocks from `from` on alone, in lists [blocks + 1] and [blocks].
static dr_residents leave_out(const dr_residents *all, size_t blocks, size_t from, uint32_t *first, uint32_t *listed)
{
    dr_residents few = *all;
    size_t count = 0;
    for (size_t i = 0; i <= blocks; i++) first[i] = all->first[i < from ? from : i];
    for (int c = 0; c < 8; c++) {
        few.colour_first[c] = count;
        for (size_t i = all->colour_first[c]; i < all->colour_first[c + 1]; i++)
            if (all->colour_block[i] >= from) listed[count++] = all->colour_block[i];
    }
    few.colour_first[8] = count;
    few.first = first;
    few.colour_block = listed;
    return few;
}

// Two sets that go to nodes together bring what they bring one after the other, also where one is alone.
static void test_two_sets_bring_what_each_brings(void **state)
{
    (void)state;
    bench b;
    shoal s;
    open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, 0, 1000, NULL);
    open_shoal(&s, &b);
    size_t items = b.grid.block_count * 256, blocks = b.grid.block_count;
    float *field = malloc(items * sizeof *field);
    uint32_t *first = malloc((blocks + 1) * sizeof *first), *listed = malloc(blocks * sizeof *listed);
    for (int half = 0; half < 2; half++) {
        dr_residents few = leave_out(&b.cloud.residents, blocks, half ? blocks / 2 : 0, first, listed);
        dr_transfer_load other = {.places = dr_transfer_point_places(&s.points),
                                  .mass = s.kept.mass,
                                  .velocity = s.kept.velocity,
                                  .affine = s.kept.affine,
                                  .dt = 0.01};
        dr_transfer_load load = {.places = {&few, b.cloud.offset},
                                 .mass = b.cloud.mass,
                                 .velocity = b.cloud.velocity,
                                 .affine = b.cloud.affine,
                                 .dt = 0.01};
        load_with(&b, &load);
        b.transfer.add = true;
        load_with(&b, &other);
        memcpy(field, b.field, items * sizeof *field);
        b.transfer.add = false;
        load.with = &other;
        load_with(&b, &load);
        for (size_t i = 0; i < items; i++)
            assert_true(fabs((double)(field[i] - b.field[i])) < 1e-5 * (1.0 + fabs((double)field[i])));
    }
    free(first);
    free(listed);
    free(field);
    close_shoal(&s);
    close_bench(&b);
}

// A force for a while is the change of velocity that it makes.
static void test_forces_kick(void **state)
{
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        bench b;
        open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, faces, 1000, NULL);
        size_t items = b.grid.block_count * 256, n = b.cloud.count;
        float *field = malloc(items * sizeof *field), *force = malloc(3 * n * sizeof *force);
        for (size_t i = 0; i < 3 * n; i++) force[i] = (float)(i % 7) * b.cloud.mass[i / 3];
        dr_transfer_load load = {.places = dr_transfer_particle_places(&b.cloud),
                                 .mass = b.cloud.mass,
                                 .velocity = b.cloud.velocity,
                                 .affine = b.cloud.affine,
                                 .dt = 0.5,
                                 .force = force};
        load_with(&b, &load);
        memcpy(field, b.field, items * sizeof *field);
        load.force = NULL;
        for (size_t i = 0; i < 3 * n; i++) b.cloud.velocity[i] += 0.5F * (float)(i % 7);
        load_with(&b, &load);
        for (size_t i = 0; i < items; i++) assert_float_equal(field[i], b.field[i], 2e-5);
        free(field);
        free(force);
        close_bench(&b);
    }
}

// ---- from the grid

static void affine_velocity(const double x[3], double v[3], double gradient[9])
{
    static const double base[3] = {1.0, -2.0, 0.5}, slope[9] = {1.0, -3.0, 2.0, 0.5, -1.0, 4.0, -2.0, 1.5, 0.25};
    for (int r = 0; r < 3; r++) {
        v[r] = base[r];
        for (int c = 0; c < 3; c++) v[r] += slope[3 * r + c] * (x[c] - 12.0 * (c == 2));
    }
    if (gradient) memcpy(gradient, slope, sizeof slope);
}

static void spin_velocity(const double x[3], double v[3], double gradient[9])
{
    static const double spin[9] = {0.0, -3.0, 2.0, 3.0, 0.0, -1.0, -2.0, 1.0, 0.0};
    for (int r = 0; r < 3; r++) {
        v[r] = 0.0;
        for (int c = 0; c < 3; c++) v[r] += spin[3 * r + c] * (x[c] - 12.0 * (c == 2));
    }
    if (gradient) memcpy(gradient, spin, sizeof spin);
}

typedef void (*velocity_field)(const double x[3], double v[3], double gradient[9]);

static void set_field(bench *b, velocity_field field)
{
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) {
            double x[3], v[3];
            place_of(b, item, r, x);
            field(x, v, NULL);
            *momentum_of(b, item, r) = (float)v[r];
        }
    }
}

static void set_particles(bench *b, velocity_field field)
{
    for (size_t p = 0; p < b->cloud.count; p++) {
        double x[3], v[3], gradient[9];
        position_of(b, p, x);
        field(x, v, gradient);
        for (int r = 0; r < 3; r++) b->cloud.velocity[3 * p + (size_t)r] = (float)v[r];
        for (int r = 0; r < 9; r++) b->cloud.affine[9 * p + (size_t)r] = (float)gradient[r];
    }
}

static void assert_particles_follow(const bench *b, velocity_field field)
{
    for (size_t p = 0; p < b->cloud.count; p++) {
        double x[3], v[3], gradient[9];
        position_of(b, p, x);
        field(x, v, gradient);
        for (int r = 0; r < 3; r++) assert_true(fabs(v[r] - (double)b->cloud.velocity[3 * p + (size_t)r]) < 2e-5);
        for (int r = 0; r < 9; r++) assert_true(fabs(gradient[r] - (double)b->cloud.affine[9 * p + (size_t)r]) < 2e-4);
    }
}

static void test_affine_fields_come_back_as_they_are(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 2000, NULL);
            set_field(&b, affine_velocity);
            gather_with(&b, &one_thread, NULL, 0.0, NULL, NULL);
            assert_particles_follow(&b, affine_velocity);
            close_bench(&b);
        }
    }
}

static double linear_potential(const double x[3])
{
    return 0.02 + 0.01 * x[0] - 0.015 * x[1] + 0.005 * (x[2] - 12.0);
}

// docs/theory/transfer.md, eq. (19); the kernel reads what is linear exactly.
static void test_the_potential_of_a_shift_turns_the_affine_matrix(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, true, 2000, NULL);
    set_field(&b, affine_velocity);
    float *shift = calloc(b.grid.block_count, 256 * sizeof *shift);
    for (size_t item = 0; item < 64 * b.grid.block_count; item++) {
        double x[3];
        place_of(&b, item, 3, x);
        shift[4 * item + 3] = (float)linear_potential(x);
    }
    const dr_transfer_back back = {.field = b.field, .shift = shift, .dt = 0.0, .particles = &b.cloud};
    dr_transfer_from_faces(&b.transfer, &b.grid, &one_thread, &back);
    for (size_t p = 0; p < b.cloud.count; p++) {
        double x[3], v[3], gradient[9];
        position_of(&b, p, x);
        affine_velocity(x, v, gradient);
        for (int r = 0; r < 3; r++) assert_true(fabs(v[r] - (double)b.cloud.velocity[3 * p + (size_t)r]) < 2e-5);
        for (int r = 0; r < 9; r++) {
            double turned = gradient[r] + 2.0 * linear_potential(x) * (gradient[3 * (r % 3) + r / 3] - gradient[r]);
            assert_true(fabs(turned - (double)b.cloud.affine[9 * p + (size_t)r]) < 2e-4);
        }
    }
    free(shift);
    close_bench(&b);
}

static void spin_of(const bench *b, double spin[3])
{
    for (int a = 0; a < 3; a++) spin[a] = 0.0;
    for (size_t p = 0; p < b->cloud.count; p++) {
        const float *v = b->cloud.velocity + 3 * p, *c = b->cloud.affine + 9 * p;
        double x[3], m = (double)b->cloud.mass[p], inertia = cell * cell / 4.0;
        position_of(b, p, x);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            spin[i] += m * (x[j] * (double)v[k] - x[k] * (double)v[j]);
            spin[i] += m * inertia * ((double)c[3 * k + j] - (double)c[3 * j + k]);
        }
    }
}

// docs/theory/transfer.md, eq. (20): where velocity is parallel to how particles move without it.
static void test_what_a_shift_gains_of_angular_momentum_is_told(void **state)
{
    (void)state;
    double spin[2][3], told[3] = {0.0};
    for (int shifted = 0; shifted < 2; shifted++) {
        bench b;
        open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, true, 2000, NULL);
        float *shift = calloc(b.grid.block_count, 256 * sizeof *shift),
              *gained = calloc(b.cloud.count, 3 * sizeof(float));
        for (size_t i = 0; i < 256 * b.grid.block_count; i++) {
            b.field[i] = 3.0F + sinf((float)(7 * i));
            if (shifted) shift[i] = 0.2F * (float)(i % 4) + 0.5F * cosf((float)(3 * i));
        }
        const dr_transfer_back back = {
            .field = b.field, .shift = shift, .dt = 0.02, .particles = &b.cloud, .gained = gained};
        dr_transfer_from_faces(&b.transfer, &b.grid, &one_thread, &back);
        spin_of(&b, spin[shifted]);
        for (size_t i = 0; i < 3 * b.cloud.count; i++) told[i % 3] += (double)(b.cloud.mass[i / 3] * gained[i]);
        free(shift);
        free(gained);
        close_bench(&b);
    }
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(told[a]) > 1e-4 * fabs(spin[0][a]));
        assert_true(fabs(spin[1][a] - spin[0][a] - told[a]) < 1e-3 * fabs(told[a]));
    }
}

static void test_rigid_rotation_survives_a_cycle_with_any_damping(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 2000, NULL);
            b.transfer.damping = 1.0;
            set_particles(&b, spin_velocity);
            scatter_with(&b, &one_thread, 0.0, NULL);
            divide(&b);
            gather_with(&b, &one_thread, NULL, 0.0, NULL, NULL);
            assert_particles_follow(&b, spin_velocity);
            close_bench(&b);
        }
    }
}

static void random_field(bench *b, uint64_t seed)
{
    dice d = {seed};
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) *momentum_of(b, item, r) = (float)roll(&d, -3.0, 3.0);
    }
}

// The velocity and its gradient at x, by dense sums.
static void sample(const bench *b, const double x[3], double v[3], double gradient[9])
{
    memset(v, 0, 3 * sizeof *v);
    memset(gradient, 0, 9 * sizeof *gradient);
    for (size_t item = 0; item < 64 * b->grid.block_count; item++) {
        for (int r = 0; r < 3; r++) {
            link_ l;
            if (!link_to(b, x, item, r, &l)) continue;
            double u = (double)*momentum_of(b, item, r);
            v[r] += l.w * u;
            for (int c = 0; c < 3; c++) {
                double g = degree_of(b) == 1 ? l.g[c] : (6.0 - degree_of(b)) / (cell * cell) * l.w * l.d[c];
                gradient[3 * r + c] += u * g;
            }
        }
    }
}

typedef struct witness {
    float (*gradient)[9];
} witness;

static void keep_gradients(void *user, size_t first, size_t count, const float (*gradient)[9])
{
    memcpy(((witness *)user)->gradient[first], gradient, count * sizeof *gradient);
}

static void check_gather(bench *b, double dt)
{
    size_t count = b->cloud.count, floats = 256 * b->grid.block_count;
    witness w = {calloc(count, sizeof *w.gradient)};
    double(*v)[3] = calloc(count, sizeof *v), (*x)[3] = calloc(count, sizeof *x), (*g)[9] = calloc(count, sizeof *g);
    double(*expected)[3] = calloc(count, sizeof *expected);
    float *old = calloc(floats, sizeof *old);
    random_field(b, 11);
    memcpy(old, b->field, floats * sizeof *old);
    bool flip = b->transfer.scheme == DR_SCHEME_FLIP;
    for (size_t p = 0; p < count; p++) {
        double before[3];
        position_of(b, p, x[p]);
        sample(b, x[p], before, g[p]);
        for (int r = 0; r < 3; r++) expected[p][r] = (double)b->cloud.velocity[3 * p + (size_t)r] - before[r];
    }
    random_field(b, 12);
    for (size_t p = 0; p < count; p++) {
        sample(b, x[p], v[p], g[p]);
        for (int r = 0; r < 3; r++) expected[p][r] = v[p][r] + (flip ? b->transfer.flip_blend * expected[p][r] : 0.0);
    }
    gather_with(b, &one_thread, flip ? old : NULL, dt, keep_gradients, &w);
    for (size_t p = 0; p < count; p++) {
        double now[3];
        position_of(b, p, now);
        for (int r = 0; r < 3; r++) {
            assert_true(fabs((double)b->cloud.velocity[3 * p + (size_t)r] - expected[p][r]) < 1e-5);
            assert_true(fabs(apart(b, r, x[p][r] + dt * v[p][r], now[r])) < 1e-6);
        }
        double damping = b->transfer.damping;
        for (int r = 0; r < 9; r++) {
            double turned = g[p][3 * (r % 3) + r / 3],
                   damped = (1.0 - damping / 2.0) * g[p][r] - damping / 2.0 * turned;
            assert_true(fabs((double)w.gradient[p][r] - g[p][r]) < 2e-4);
            if (b->transfer.scheme != DR_SCHEME_APIC) damped = 0.0;
            assert_true(fabs((double)b->cloud.affine[9 * p + (size_t)r] - damped) < 2e-4);
        }
    }
    free(w.gradient);
    free(v);
    free(x);
    free(g);
    free(expected);
    free(old);
}

static void test_gather_is_the_dense_sum(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int scheme = 0; scheme < 3; scheme++) {
            for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
                bench b;
                open_bench(&b, (dr_kernel)kernel, (dr_scheme)scheme, faces, 200, NULL);
                b.transfer.damping = 0.3;
                check_gather(&b, 0.2);
                close_bench(&b);
            }
        }
    }
}

typedef struct seen {
    const dr_residents *residents;
    const float *value, *gradient;
    size_t count;
} seen;

static void compare_seen(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    seen *all = user;
    for (size_t i = 0; i < count; i++) {
        size_t p = dr_residents_point(all->residents, first + i);
        assert_memory_equal(value[i], all->value + 4 * p, sizeof *value);
        assert_memory_equal(gradient[i], all->gradient + 9 * p, sizeof *gradient);
    }
    all->count += count;
}

// Alone, and with another set beside it.
static void check_visit(const bench *b, const shoal *s, const float *value, const float *gradient)
{
    seen all = {&s->points.residents, value, gradient, 0}, some = all;
    dr_transfer_places places = dr_transfer_point_places(&s->points);
    dr_residents few = s->points.residents;
    uint32_t *first = calloc(b->grid.block_count + 1, sizeof *first);
    for (size_t n = 0; n <= b->grid.block_count; n++) // the points of the last block alone
        first[n] = n < b->grid.block_count ? few.first[b->grid.block_count - 1] : few.first[n];
    few.first = first;
    some.residents = &few;
    dr_transfer_visit other = {.places = {&few, places.offset}, .call = compare_seen, .user = &some};
    dr_transfer_visit visit = {.places = places, .call = compare_seen, .user = &all, .with = &other};
    if (b->faces) {
        dr_transfer_visit_faces(&b->transfer, &b->grid, &one_thread, &visit, b->field);
    } else {
        dr_transfer_visit_nodes(&b->transfer, &b->grid, &one_thread, &visit, b->field);
    }
    assert_int_equal(all.count, s->points.count);
    assert_int_equal(some.count, few.first[b->grid.block_count] - few.first[0]);
    free(first);
}

static void check_read(bench *b, const shoal *s)
{
    size_t count = s->points.count;
    float *value = calloc(count, 4 * sizeof(float)), *gradient = calloc(count, 9 * sizeof(float));
    dr_transfer_places places = dr_transfer_point_places(&s->points);
    random_field(b, 12);
    if (b->faces) {
        dr_transfer_read_faces(&b->transfer, &b->grid, &one_thread, &places, b->field, value, gradient);
    } else {
        dr_transfer_read_nodes(&b->transfer, &b->grid, &one_thread, &places, b->field, value, gradient);
    }
    for (size_t p = 0; p < count; p++) {
        double v[3], g[9];
        sample(b, s->position + 3 * p, v, g);
        for (int r = 0; r < 3; r++) assert_true(fabs((double)value[4 * p + (size_t)r] - v[r]) < 1e-5);
        for (int r = 0; r < 9; r++) assert_true(fabs((double)gradient[9 * p + (size_t)r] - g[r]) < 2e-4);
    }
    check_visit(b, s, value, gradient);
    free(value);
    free(gradient);
}

static void test_points_read_the_dense_sum_and_stay(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            shoal s;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 200, NULL);
            open_shoal(&s, &b);
            check_read(&b, &s);
            assert_memory_equal(s.points.offset, s.kept.offset, 3 * s.points.count * sizeof(float));
            close_shoal(&s);
            close_bench(&b);
        }
    }
}

// Reading is the transpose of spreading: a field that is one at a single place is read as that place's weights.
static void test_values_are_read_with_the_weights_they_are_spread_with(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 200, NULL);
            size_t count = b.cloud.count, floats = 256 * b.grid.block_count;
            float *spread = calloc(4 * count, sizeof(float)), *read = calloc(4 * count, sizeof(float));
            dr_transfer_places places = dr_transfer_particle_places(&b.cloud);
            dice d = {3};
            double there[4] = {0}, back[4] = {0}, total[4] = {0}, sum[4] = {0};
            for (size_t i = 0; i < 4 * count; i++) spread[i] = (float)roll(&d, -1.0, 1.0);
            if (faces) {
                dr_transfer_spread_faces(&b.transfer, &b.grid, &one_thread, &places, spread, b.field);
            } else {
                dr_transfer_spread_nodes(&b.transfer, &b.grid, &one_thread, &places, spread, b.field);
            }
            float *other = calloc(floats, sizeof(float));
            for (size_t i = 0; i < floats; i++) {
                other[i] = (float)roll(&d, -1.0, 1.0);
                there[i % 4] += (double)other[i] * (double)b.field[i];
                sum[i % 4] += (double)b.field[i];
            }
            if (faces) {
                dr_transfer_read_faces(&b.transfer, &b.grid, &one_thread, &places, other, read, NULL);
            } else {
                dr_transfer_read_nodes(&b.transfer, &b.grid, &one_thread, &places, other, read, NULL);
            }
            for (size_t i = 0; i < 4 * count; i++) {
                size_t lane = faces ? i % 4 : (i + 1) % 4; // nodes are read as 1, 2, 3, 0
                float value = faces ? spread[i / 4] : spread[i - i % 4 + lane];
                back[lane] += (double)value * (double)read[i];
                total[lane] += (double)value;
            }
            for (int lane = 0; lane < 4; lane++) {
                assert_true(fabs(there[lane] - back[lane]) < 1e-4);
                assert_true(fabs(sum[lane] - total[lane]) < 1e-4);
            }
            free(spread);
            free(read);
            free(other);
            close_bench(&b);
        }
    }
}

// One field of one value per point, lane by lane: four values of one field or of two have the sums of each alone.
static void test_four_values_go_to_their_own_faces(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, true, 200, NULL);
    size_t count = b.cloud.count, floats = 256 * b.grid.block_count;
    float *value = calloc(8 * count, sizeof(float)), *one = calloc(count, sizeof(float));
    float *face = calloc(3 * floats, sizeof(float)), *const pair[2] = {face + floats, face + 2 * floats};
    const float *const two[2] = {value, value + 4 * count}, *const single[2] = {value, NULL};
    dr_transfer_places places = dr_transfer_particle_places(&b.cloud);
    dice d = {3};
    for (size_t i = 0; i < 8 * count; i++) value[i] = (float)roll(&d, -1.0, 1.0);
    dr_transfer_spread_quads(&b.transfer, &b.grid, &one_thread, &places, single, (float *const[2]){face, NULL});
    dr_transfer_spread_quads(&b.transfer, &b.grid, &one_thread, &places, two, pair);
    for (size_t lane = 0; lane < 8; lane++) {
        for (size_t p = 0; p < count; p++) one[p] = value[4 * count * (lane / 4) + 4 * p + lane % 4];
        dr_transfer_spread_faces(&b.transfer, &b.grid, &one_thread, &places, one, b.field);
        for (size_t i = lane % 4; i < floats; i += 4) {
            assert_true(lane > 3 || fabsf(face[i] - b.field[i]) < 1e-6F);
            assert_true(fabsf(pair[lane / 4][i] - b.field[i]) < 1e-6F);
        }
    }
    free(value);
    free(one);
    free(face);
    close_bench(&b);
}

static void supply_rolled(const void *user, const size_t *point, size_t count, float (*value)[4 * DR_TRANSFER_FIELDS])
{
    for (size_t i = 0; i < count; i++) memcpy(value[i], (const float *)user + 24 * point[i], sizeof *value);
}

// The same on faces; in the middle of cells nothing. face, found: with the middle.
static void check_without_middle(const bench *b, int fields, const float *value, float *const *face, const float *found)
{
    size_t n = (size_t)fields, floats = 256 * b->grid.block_count;
    float *own[DR_TRANSFER_FIELDS], *read = calloc(24 * b->cloud.count, sizeof(float));
    dr_transfer_places places = dr_transfer_particle_places(&b->cloud);
    dr_transfer_fields what = {fields, false};
    for (size_t f = 0; f < n; f++) own[f] = calloc(floats, sizeof(float));
    dr_transfer_spread_many(&b->transfer, &b->grid, &one_thread, &places, what, supply_rolled, value, own);
    dr_transfer_read_many(&b->transfer, &b->grid, &one_thread, &places, what, (const float *const *)face, NULL, read);
    for (size_t f = 0; f < n; f++) {
        for (size_t i = 0; i < floats; i++) assert_true(own[f][i] == (i % 4 == 3 ? 0.0F : face[f][i]));
        free(own[f]);
    }
    for (size_t i = 0; i < 4 * n * b->cloud.count; i++) assert_true(read[i] == (i % 4 == 3 ? 0.0F : found[i]));
    free(read);
}

// Any number of fields at once: each has the sums, and what points find in it, of one alone.
static void check_several_fields(dr_kernel kernel)
{
    bench b;
    open_bench(&b, kernel, DR_SCHEME_APIC, true, 200, NULL);
    size_t count = b.cloud.count, floats = 256 * b.grid.block_count;
    float *value = calloc(24 * count, sizeof(float)), *one = calloc(4 * count, sizeof(float));
    float *face[DR_TRANSFER_FIELDS], *found = calloc(24 * count, sizeof(float));
    dr_transfer_places places = dr_transfer_particle_places(&b.cloud);
    dice d = {5};
    for (int f = 0; f < DR_TRANSFER_FIELDS; f++) face[f] = calloc(floats, sizeof(float));
    for (size_t i = 0; i < 24 * count; i++) value[i] = (float)roll(&d, -1.0, 1.0);
    for (int fields = 1; fields <= DR_TRANSFER_FIELDS; fields++) {
        size_t n = (size_t)fields;
        dr_transfer_fields what = {fields, true};
        dr_transfer_spread_many(&b.transfer, &b.grid, &one_thread, &places, what, supply_rolled, value, face);
        dr_transfer_read_many(&b.transfer, &b.grid, &one_thread, &places, what, (const float *const *)face, NULL,
                              found);
        for (size_t f = 0; f < n; f++) {
            for (size_t p = 0; p < count; p++) memcpy(one + 4 * p, value + 24 * p + 4 * f, 4 * sizeof *one);
            dr_transfer_spread_quads(&b.transfer, &b.grid, &one_thread, &places, (const float *const[2]){one, NULL},
                                     (float *const[2]){b.field, NULL});
            for (size_t i = 0; i < floats; i++) assert_true(fabsf(face[f][i] - b.field[i]) < 1e-6F);
            dr_transfer_read_faces(&b.transfer, &b.grid, &one_thread, &places, b.field, one, NULL);
            for (size_t i = 0; i < 4 * count; i++)
                assert_true(fabsf(found[4 * (n * (i / 4) + f) + i % 4] - one[i]) < 1e-6F);
        }
        check_without_middle(&b, fields, value, face, found);
    }
    unsigned char *skip = calloc(b.grid.block_count, 1);
    memset(skip, 1, b.grid.block_count);
    dr_transfer_read_many(&b.transfer, &b.grid, &one_thread, &places, (dr_transfer_fields){2, true},
                          (const float *const *)face, skip, found);
    for (size_t i = 0; i < 8 * count; i++) assert_true(found[i] == 0.0F);
    for (int f = 0; f < DR_TRANSFER_FIELDS; f++) free(face[f]);
    free(skip);
    free(value);
    free(one);
    free(found);
    close_bench(&b);
}

static void test_several_fields_are_as_one_by_one(void **state)
{
    (void)state;
    check_several_fields(DR_KERNEL_LINEAR);
    check_several_fields(DR_KERNEL_QUADRATIC);
}

static void test_gather_through_periodic_sides_is_the_dense_sum(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int faces = 0; faces < 2 && is_case(kernel, faces); faces++) {
            bench b;
            open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, faces, 200, (int32_t[3]){2, 0, 2});
            check_gather(&b, 0.5);
            for (size_t p = 0; p < b.cloud.count; p++) {
                int32_t at[3];
                dr_grid_coordinate(b.cloud.key[p], at);
                assert_in_range(at[0], 0, 1);
                assert_in_range(at[2], 0, 1);
            }
            close_bench(&b);
        }
    }
}

static void test_free_fall_is_exact(void **state)
{
    (void)state;
    const double dt = 1.0 / 128.0, gravity = -981.0;
    for (int kernel = 0; kernel < 3; kernel++) {
        bench b;
        open_bench(&b, (dr_kernel)kernel, DR_SCHEME_APIC, false, 500, NULL);
        memset(b.cloud.affine, 0, b.cloud.count * 9 * sizeof(float));
        memset(b.cloud.velocity, 0, b.cloud.count * 3 * sizeof(float));
        double *start = calloc(b.cloud.count, 3 * sizeof *start), speed = 0.0, fallen = 0.0;
        for (size_t p = 0; p < b.cloud.count; p++) position_of(&b, p, start + 3 * b.cloud.id[p]);
        for (int step = 0; step < 20; step++) {
            assert_true(dr_grid_rebuild(&b.grid, &one_thread, &b.cloud));
            b.field = realloc(b.field, b.grid.block_count * 256 * sizeof(float));
            scatter_with(&b, &one_thread, dt, NULL);
            divide(&b);
            speed += dt * gravity;
            fallen += dt * speed;
            for (size_t item = 0; item < 64 * b.grid.block_count; item++)
                b.field[4 * item + 2] += (float)(dt * gravity);
            gather_with(&b, &one_thread, NULL, dt, NULL, NULL);
        }
        for (size_t p = 0; p < b.cloud.count; p++) {
            double x[3];
            position_of(&b, p, x);
            for (int r = 0; r < 3; r++) {
                double way = r == 1 ? fallen : 0.0, fast = r == 1 ? speed : 0.0;
                assert_true(fabs(x[r] - start[3 * b.cloud.id[p] + (size_t)r] - way) < 1e-4);
                assert_true(fabs((double)b.cloud.velocity[3 * p + (size_t)r] - fast) < 1e-3);
            }
        }
        free(start);
        close_bench(&b);
    }
}

// ---- robustness and threads

static void test_wild_velocities_keep_places_valid(void **state)
{
    (void)state;
    const float wild[] = {1e30F, -1e30F, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 5; i++) {
        bench b;
        open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, false, 300, NULL);
        for (size_t n = 0; n < 256 * b.grid.block_count; n++) b.field[n] = wild[i];
        gather_with(&b, &one_thread, NULL, 1.0, NULL, NULL);
        for (size_t n = 0; n < 3 * b.cloud.count; n++)
            assert_true(b.cloud.offset[n] >= 0.0F && b.cloud.offset[n] < 4.0F);
        assert_true(dr_grid_rebuild(&b.grid, &one_thread, &b.cloud));
        close_bench(&b);
    }
}

static uint64_t run_steps(int threads, bool faces)
{
    bench b;
    dr_par par = {threads};
    open_bench(&b, DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, faces, 20000, NULL);
    for (int step = 0; step < 5; step++) {
        assert_true(dr_grid_rebuild(&b.grid, &par, &b.cloud));
        b.field = realloc(b.field, b.grid.block_count * 256 * sizeof(float));
        b.mass = realloc(b.mass, b.grid.block_count * 256 * sizeof(float));
        scatter_with(&b, &par, 1e-3, fake_stress);
        divide(&b);
        gather_with(&b, &par, NULL, 1e-2, NULL, NULL);
    }
    uint64_t hash = dr_columns_hash(&dr_particle_columns, &b.cloud, b.cloud.count, 0);
    close_bench(&b);
    return hash;
}

static void test_steps_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        uint64_t alone = run_steps(1, faces);
        const int threads[] = {2, 3, 4, 8};
        for (int t = 0; t < 4; t++) assert_int_equal(run_steps(threads[t], faces), alone);
    }
}

// Weights and values of points that touch every place of a block.
typedef struct batch {
    dr_face_stencil stencil[DR_STENCIL_BATCH];
    dr_face_taps taps[DR_STENCIL_BATCH];
    dr_face_charge charge[DR_STENCIL_BATCH];
    float buffer[4 * (DR_STENCIL_ITEMS + 2)];
} batch;

static void fill_batch(batch *b)
{
    uint64_t draw = 0;
    for (size_t i = 0; i < sizeof b->buffer / sizeof *b->buffer; i++)
        b->buffer[i] = (float)dr_random_unit(3, draw++) - 0.5F;
    memset(b->taps, 0, sizeof b->taps);
    for (int p = 0; p < DR_STENCIL_BATCH; p++) {
        float *stencil = (float *)b->stencil[p].w; // and m after it
        b->stencil[p].item = (size_t)((p % 4 * DR_FACE_SIDE + p / 4 % 4) * DR_STENCIL_PITCH + (p + p / 4) % 4);
        for (int i = 0; i < 2 * 4 * 3 * 4; i++) stencil[i] = (float)dr_random_unit(5, draw++) - 0.5F;
        for (int kind = 0; kind < 2; kind++) {
            for (int a = 0; a < 3; a++) b->taps[p].first[kind][a] = (p >> a & 3) + kind * (p & 1);
            for (int n = 0; n < 3; n++) {
                for (int a = 0; a < 3; a++) {
                    b->taps[p].w[kind][n][a] = (float)dr_random_unit(7, draw++);
                    b->taps[p].dw[kind][n][a] = (float)dr_random_unit(11, draw++) - 0.5F;
                }
            }
        }
        for (int l = 0; l < 8; l++) {
            b->charge[p].q[l] = (float)dr_random_unit(13, draw++);
            for (int a = 0; a < 3; a++) b->charge[p].a[a][l] = (float)dr_random_unit(17, draw++) - 0.5F;
        }
    }
}

static void test_wider_registers_give_the_same_bits(void **state)
{
    (void)state;
    static _Alignas(64) float sum[2][3 * DR_STENCIL_APART];
    static dr_stencil_sample found[2][3][DR_STENCIL_BATCH];
    static batch b;
    if (!dr_simd_is_wide()) skip();
    fill_batch(&b);
    dr_transfer_faces_add_narrow(b.taps, b.charge, DR_STENCIL_BATCH, sum[0]);
    dr_transfer_faces_add_wide(b.taps, b.charge, DR_STENCIL_BATCH, sum[1]);
    for (size_t i = 0; i < 3 * DR_STENCIL_APART; i++) assert_true(sum[0][i] == sum[1][i]);
    const float *const buffer[3] = {b.buffer, NULL, b.buffer};
    dr_transfer_faces_find_narrow(b.stencil, DR_STENCIL_BATCH, buffer, found[0]);
    dr_transfer_faces_find_wide(b.stencil, DR_STENCIL_BATCH, buffer, found[1]);
    for (int p = 0; p < DR_STENCIL_BATCH; p++) {
        assert_memory_equal(&found[0][0][p], &found[1][0][p], sizeof found[0][0][p]);
        assert_memory_equal(&found[0][2][p].value, &found[1][2][p].value, sizeof found[0][2][p].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scatter_is_the_dense_sum),
        cmocka_unit_test(test_scatter_through_periodic_sides_is_the_dense_sum),
        cmocka_unit_test(test_stress_is_scattered_as_the_formula_says),
        cmocka_unit_test(test_mass_and_both_momenta_are_kept_by_a_cycle),
        cmocka_unit_test(test_damping_keeps_both_momenta),
        cmocka_unit_test(test_symmetric_stress_adds_neither_force_nor_torque),
        cmocka_unit_test(test_lopsided_stress_adds_its_own_torque),
        cmocka_unit_test(test_constant_stress_pushes_nothing_inside),
        cmocka_unit_test(test_values_are_the_dense_sums_on_faces_and_in_cells),
        cmocka_unit_test(test_points_scatter_as_sorted_particles_do),
        cmocka_unit_test(test_points_in_many_blocks_scatter_as_particles_do),
        cmocka_unit_test(test_two_sets_bring_what_each_brings),
        cmocka_unit_test(test_forces_kick),
        cmocka_unit_test(test_points_read_the_dense_sum_and_stay),
        cmocka_unit_test(test_values_are_read_with_the_weights_they_are_spread_with),
        cmocka_unit_test(test_four_values_go_to_their_own_faces),
        cmocka_unit_test(test_several_fields_are_as_one_by_one),
        cmocka_unit_test(test_affine_fields_come_back_as_they_are),
        cmocka_unit_test(test_the_potential_of_a_shift_turns_the_affine_matrix),
        cmocka_unit_test(test_what_a_shift_gains_of_angular_momentum_is_told),
        cmocka_unit_test(test_rigid_rotation_survives_a_cycle_with_any_damping),
        cmocka_unit_test(test_gather_is_the_dense_sum),
        cmocka_unit_test(test_gather_through_periodic_sides_is_the_dense_sum),
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_wild_velocities_keep_places_valid),
        cmocka_unit_test(test_steps_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_wider_registers_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
