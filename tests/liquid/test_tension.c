#include "blocks.h"
#include "support/scarce.h"

#include "liquid/curvature.h"
#include "liquid/tension.h"

#include <string.h>

// ---- shapes in cells, as a level set that stops at three and has noise

static double radius, noise;

static double shake(const double x[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++) h = (h ^ (uint64_t)llround(16.0 * x[a])) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return noise * sqrt(3.0) * ((double)(h >> 11) / 4503599627370496.0 - 1.0);
}

static double stop(double distance)
{
    return fmin(fmax(distance, -3.0), 3.0);
}

static double sphere(const double x[3])
{
    return stop(sqrt((x[0] - 0.13) * (x[0] - 0.13) + (x[1] + 0.29) * (x[1] + 0.29) + (x[2] - 0.41) * (x[2] - 0.41)) -
                radius) +
           shake(x);
}

static double bubble(const double x[3])
{
    return -sphere(x);
}

static double cylinder(const double x[3])
{
    return stop(hypot(x[0] - 0.13, x[1] + 0.29) - radius);
}

static double plane(const double x[3])
{
    return stop(0.6 * x[0] - 0.48 * x[1] + 0.64 * x[2] + 0.17);
}

static void make_box(dr_grid *grid, double half, bool long_way)
{
    int blocks = (int)ceil((half + 6.0) / 4.0);
    const int32_t period[3] = {0, 0, long_way ? 1 : 0};
    const int low[3] = {-blocks, -blocks, long_way ? 0 : -blocks}, high[3] = {blocks, blocks, long_way ? 1 : blocks};
    make_blocks(grid, 1.0, period, low, high);
}

typedef struct scatter {
    double mean, rms, worst;
} scatter;

// Mean and root mean square of (jump / exact - 1) over the faces that the surface cuts; exact 0: of the jump itself.
static scatter look_at(scalar_field field, bool long_way, double exact)
{
    dr_grid grid;
    make_box(&grid, radius, long_way);
    float *level = fill_scalar(&grid, 0.5, field), *pressure = malloc(grid.block_count * 256 * sizeof(float));
    dr_tension tension;
    dr_tension_open(&tension, NULL);
    dr_tension_problem problem = {.level = level, .uniform_tension = 1.0, .density = 1.0};
    dr_solve_report report;
    assert_true(dr_tension_find(&tension, &grid, &one_thread, &problem, pressure, &report));
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    scatter s = {0.0, 0.0, 0.0};
    int count = 0;
    for (size_t i = 0; i < grid.block_count * 256; i++) {
        if (pressure[i] == 0.0F) continue;
        double error = exact != 0.0 ? (double)pressure[i] / exact - 1.0 : (double)pressure[i];
        s.mean += error;
        s.rms += error * error;
        s.worst = fmax(s.worst, fabs(error));
        count++;
    }
    s.mean /= count;
    s.rms = sqrt(s.rms / count);
    dr_tension_close(&tension);
    dr_grid_close(&grid);
    free(level), free(pressure);
    return s;
}

static void test_curvature_of_spheres(void **state)
{
    (void)state;
    noise = 0.0;
    for (radius = 12.0; radius < 25.0; radius += 6.0) {
        scatter s = look_at(sphere, false, 2.0 / radius);
        assert_true(fabs(s.mean) < 0.002 && s.rms < 0.004 && s.worst < 0.02);
        s = look_at(bubble, false, -2.0 / radius);
        assert_true(fabs(s.mean) < 0.002 && s.rms < 0.004 && s.worst < 0.02);
    }
}

static void test_small_spheres_are_bounded(void **state)
{
    (void)state;
    noise = 0.0;
    radius = 4.0;
    scatter s = look_at(sphere, false, 0.5);
    assert_true(fabs(s.mean) < 0.002 && s.worst < 0.005);
    radius = 0.4; // less than a cell
    s = look_at(sphere, false, 0.0);
    assert_true(s.worst <= 1.0001);
}

static void test_noise_is_smoothed(void **state)
{
    (void)state;
    noise = 0.05;
    for (radius = 12.0; radius < 25.0; radius += 12.0) {
        scatter s = look_at(sphere, false, 2.0 / radius);
        assert_true(fabs(s.mean) < 0.003 && s.rms < 0.0012 * radius);
    }
    noise = 0.0;
}

static void test_curvature_of_planes_and_cylinders(void **state)
{
    (void)state;
    noise = 0.0;
    radius = 12.0;
    scatter s = look_at(cylinder, true, 1.0 / radius);
    assert_true(fabs(s.mean) < 0.005 && s.rms < 0.01);
    dr_grid grid;
    make_box(&grid, 10.0, false);
    float *level = fill_scalar(&grid, 0.5, plane), *curvature = malloc(grid.block_count * 64 * sizeof(float));
    float *spare = malloc(grid.block_count * 128 * sizeof(float));
    dr_curvature_find(&grid, &one_thread, level, spare, curvature);
    double worst = 0.0;
    for (size_t i = 0; i < grid.block_count * 64; i++) {
        const int32_t *at = grid.coordinate + 3 * (i / 64);
        if (fabsf(level[i]) > 1.0F || abs(2 * at[0] + 1) > 4 || abs(2 * at[1] + 1) > 4 || abs(2 * at[2] + 1) > 4)
            continue;
        worst = fmax(worst, fabs((double)curvature[i]));
    }
    assert_true(worst > 0.0 && worst < 2e-3);
    dr_grid_close(&grid);
    free(level), free(curvature), free(spare);
}

static void test_step_limit_is_the_capillary_one(void **state)
{
    (void)state;
    assert_true(fabs(dr_tension_step_limit(1.0, 72.0, 0.1) - sqrt(0.001 / (2.0 * 3.14159265358979 * 72.0))) < 1e-12);
    assert_true(isinf(dr_tension_step_limit(1.0, 0.0, 0.1)));
}

// ---- a round drop in two dimensions: its outline is a polygon that moves with the liquid, cells and density are 1

enum { SIDE = 36, POINTS = 160, ROOM = SIDE + 1 };

typedef struct disc {
    dr_grid grid;
    dr_tension tension;
    float *grid_level, *grid_pressure;
    double x[POINTS][2];
    double level[SIDE][SIDE], pressure[SIDE][SIDE];
    double velocity[2][ROOM][ROOM], jump[2][ROOM][ROOM];
    bool valid[2][ROOM][ROOM];
} disc;

static const double disc_radius = 10.0, disc_viscosity = 0.02;

static void open_disc(disc *d, double stretch)
{
    const int32_t period[3] = {0, 0, 1};
    const int low[3] = {0, 0, 0}, high[3] = {SIDE / 4, SIDE / 4, 1};
    memset(d, 0, sizeof *d);
    make_blocks(&d->grid, 1.0, period, low, high);
    dr_tension_open(&d->tension, NULL);
    d->grid_level = malloc(d->grid.block_count * 64 * sizeof(float));
    d->grid_pressure = malloc(d->grid.block_count * 256 * sizeof(float));
    for (int p = 0; p < POINTS; p++) {
        double angle = 6.283185307179586 * p / POINTS, r = disc_radius * (1.0 + stretch * cos(2.0 * angle));
        d->x[p][0] = 18.13 + r * cos(angle);
        d->x[p][1] = 17.94 + r * sin(angle);
    }
}

static void close_disc(disc *d)
{
    dr_grid_close(&d->grid);
    dr_tension_close(&d->tension);
    free(d->grid_level), free(d->grid_pressure);
}

static double distance_to_outline(const disc *d, double x, double y)
{
    double best = 1e30;
    bool inside = false;
    for (int p = 0; p < POINTS; p++) {
        const double *a = d->x[p], *b = d->x[(p + 1) % POINTS];
        double dx = b[0] - a[0], dy = b[1] - a[1];
        double t = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy + 1e-300);
        t = fmin(fmax(t, 0.0), 1.0);
        best = fmin(best, hypot(x - a[0] - t * dx, y - a[1] - t * dy));
        if ((a[1] > y) != (b[1] > y) && x < dx * (y - a[1]) / dy + a[0]) inside = !inside;
    }
    return stop(inside ? -best : best);
}

static void find_jumps(disc *d, double dt)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) d->level[i][j] = distance_to_outline(d, i + 0.5, j + 0.5);
    }
    for (size_t n = 0; n < d->grid.block_count * 64; n++) {
        double x[3];
        const double corner[3] = {0.0, 0.0, 0.0};
        locate(&d->grid, n / 64, (int)(n % 64), corner, x);
        bool inside = x[0] < SIDE && x[1] < SIDE;
        d->grid_level[n] = inside ? (float)d->level[(int)x[0]][(int)x[1]] : 3.0F;
    }
    dr_tension_problem problem = {.level = d->grid_level, .uniform_tension = 1.0, .density = 1.0, .dt = dt};
    dr_solve_report report;
    assert_true(dr_tension_find(&d->tension, &d->grid, &one_thread, &problem, d->grid_pressure, &report));
    for (size_t n = 0; n < d->grid.block_count * 64; n++) {
        double x[3];
        const double corner[3] = {0.0, 0.0, 0.0};
        locate(&d->grid, n / 64, (int)(n % 64), corner, x);
        for (int a = 0; a < 2 && x[0] < SIDE && x[1] < SIDE; a++) {
            d->jump[a][(int)x[0]][(int)x[1]] = (double)d->grid_pressure[4 * n + (size_t)a];
        }
    }
}

static const int beside[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

static double cut(double liquid, double air)
{
    return fmax(0.01, liquid / (liquid - air));
}

static void apply_pressure(const disc *d, double x[SIDE][SIDE], double y[SIDE][SIDE])
{
    for (int i = 1; i < SIDE - 1; i++) {
        for (int j = 1; j < SIDE - 1; j++) {
            y[i][j] = 0.0;
            for (int n = 0; n < 4 && d->level[i][j] < 0.0; n++) {
                int a = i + beside[n][0], b = j + beside[n][1];
                bool wet = d->level[a][b] < 0.0;
                y[i][j] += wet ? x[i][j] - x[a][b] : x[i][j] / cut(d->level[i][j], d->level[a][b]);
            }
        }
    }
}

static double dot(double a[SIDE][SIDE], double b[SIDE][SIDE])
{
    double sum = 0.0;
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) sum += a[i][j] * b[i][j];
    }
    return sum;
}

// x += factor y
static void add(double x[SIDE][SIDE], double factor, double y[SIDE][SIDE])
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) x[i][j] += factor * y[i][j];
    }
}

static void right_side(const disc *d, double dt, double rhs[SIDE][SIDE])
{
    for (int i = 1; i < SIDE - 1; i++) {
        for (int j = 1; j < SIDE - 1; j++) {
            if (d->level[i][j] >= 0.0) continue;
            rhs[i][j] =
                -(d->velocity[0][i + 1][j] - d->velocity[0][i][j] + d->velocity[1][i][j + 1] - d->velocity[1][i][j]) /
                dt;
            for (int n = 0; n < 4; n++) {
                int a = i + beside[n][0], b = j + beside[n][1];
                double jump = d->jump[n / 2][a > i ? a : i][b > j ? b : j];
                if (d->level[a][b] >= 0.0) rhs[i][j] += jump / cut(d->level[i][j], d->level[a][b]);
            }
        }
    }
}

static void solve_pressure(disc *d, double dt)
{
    static double r[SIDE][SIDE], p[SIDE][SIDE], q[SIDE][SIDE];
    memset(r, 0, sizeof r), memset(q, 0, sizeof q), memset(d->pressure, 0, sizeof d->pressure);
    right_side(d, dt, r);
    memcpy(p, r, sizeof p);
    double size = dot(r, r), aim = 1e-18 * size;
    for (int n = 0; n < 1000 && size > aim; n++) {
        apply_pressure(d, p, q);
        double step = size / dot(p, q), before = size;
        add(d->pressure, step, p);
        add(r, -step, q);
        size = dot(r, r);
        add(p, size / before - 1.0, p);
        add(p, 1.0, r);
    }
}

static void push_faces(disc *d, double dt)
{
    for (int a = 0; a < 2; a++) {
        for (int i = 1; i < SIDE; i++) {
            for (int j = 1; j < SIDE; j++) {
                int k = i - (a == 0), l = j - (a == 1);
                double here = d->level[i][j], below = d->level[k][l], up = d->pressure[i][j], down = d->pressure[k][l];
                d->valid[a][i][j] = here < 0.0 || below < 0.0;
                if (!d->valid[a][i][j]) continue;
                double slope = up - down;
                if (here >= 0.0) slope = (d->jump[a][i][j] - down) / cut(below, here);
                if (below >= 0.0) slope = (up - d->jump[a][i][j]) / cut(here, below);
                d->velocity[a][i][j] -= dt * slope;
            }
        }
    }
}

// Velocity beyond the liquid, and a little viscosity.
static void extend_velocity(disc *d, int a, double dt)
{
    static double old[ROOM][ROOM];
    for (int layer = 0; layer < 4; layer++) {
        bool before[ROOM][ROOM];
        memcpy(before, d->valid[a], sizeof before);
        for (int i = 1; i < SIDE; i++) {
            for (int j = 1; j < SIDE; j++) {
                double sum = 0.0;
                int count = 0;
                for (int n = 0; n < 4 && !before[i][j]; n++) {
                    int k = i + beside[n][0], l = j + beside[n][1];
                    if (before[k][l]) sum += d->velocity[a][k][l], count++;
                }
                if (count > 0) d->velocity[a][i][j] = sum / count, d->valid[a][i][j] = true;
            }
        }
    }
    memcpy(old, d->velocity[a], sizeof old);
    for (int i = 1; i < SIDE; i++) {
        for (int j = 1; j < SIDE; j++) {
            double sum = old[i + 1][j] + old[i - 1][j] + old[i][j + 1] + old[i][j - 1] - 4.0 * old[i][j];
            d->velocity[a][i][j] = d->valid[a][i][j] ? old[i][j] + disc_viscosity * dt * sum : 0.0;
        }
    }
}

static double interpolate(double f[ROOM][ROOM], double x, double y)
{
    int i = (int)fmin(fmax(floor(x), 0.0), SIDE - 1.0), j = (int)fmin(fmax(floor(y), 0.0), SIDE - 1.0);
    double s = x - i, t = y - j;
    return (1.0 - s) * ((1.0 - t) * f[i][j] + t * f[i][j + 1]) + s * ((1.0 - t) * f[i + 1][j] + t * f[i + 1][j + 1]);
}

static void move_outline(disc *d, double dt)
{
    for (int p = 0; p < POINTS; p++) {
        double *x = d->x[p], middle[2] = {x[0] + 0.5 * dt * interpolate(d->velocity[0], x[0], x[1] - 0.5),
                                          x[1] + 0.5 * dt * interpolate(d->velocity[1], x[0] - 0.5, x[1])};
        x[0] += dt * interpolate(d->velocity[0], middle[0], middle[1] - 0.5);
        x[1] += dt * interpolate(d->velocity[1], middle[0] - 0.5, middle[1]);
    }
}

// Points evenly along the outline again.
static void space_outline(disc *d)
{
    double along[POINTS + 1] = {0}, fresh[POINTS][2];
    for (int p = 0; p < POINTS; p++) {
        const double *a = d->x[p], *b = d->x[(p + 1) % POINTS];
        along[p + 1] = along[p] + hypot(b[0] - a[0], b[1] - a[1]);
    }
    for (int p = 0, q = 0; p < POINTS; p++) {
        double at = along[POINTS] * p / POINTS;
        while (along[q + 1] < at) q++;
        double t = (at - along[q]) / (along[q + 1] - along[q]);
        for (int a = 0; a < 2; a++) fresh[p][a] = (1.0 - t) * d->x[q][a] + t * d->x[(q + 1) % POINTS][a];
    }
    memcpy(d->x, fresh, sizeof fresh);
}

// How much longer the outline is along x than along y, per diameter.
static double stretch_of(const disc *d)
{
    double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
    for (int p = 0; p < POINTS; p++) {
        for (int a = 0; a < 2; a++) low[a] = fmin(low[a], d->x[p][a]), high[a] = fmax(high[a], d->x[p][a]);
    }
    return ((high[0] - low[0]) - (high[1] - low[1])) / (4.0 * disc_radius);
}

typedef struct history {
    double speed, last_speed; // largest ever, and at the end
    double stretch;           // largest ever, but for the start
    double quarter;           // time of the first change of sign of the stretch
} history;

static double largest_speed(const disc *d)
{
    double largest = 0.0;
    for (int a = 0; a < 2; a++) {
        for (int i = 0; i < ROOM; i++) {
            for (int j = 0; j < ROOM; j++) largest = fmax(largest, fabs(d->velocity[a][i][j]));
        }
    }
    return largest;
}

static history run_disc(double stretch, double dt, bool held_back, int steps)
{
    static disc d;
    history h = {0};
    double before = stretch;
    open_disc(&d, stretch);
    for (int n = 0; n < steps && h.speed < 10.0; n++) {
        find_jumps(&d, held_back ? dt : 0.0);
        solve_pressure(&d, dt);
        push_faces(&d, dt);
        extend_velocity(&d, 0, dt);
        extend_velocity(&d, 1, dt);
        move_outline(&d, dt);
        space_outline(&d);
        h.last_speed = largest_speed(&d);
        h.speed = fmax(h.speed, h.last_speed);
        double now = stretch_of(&d);
        if (h.quarter == 0.0 && before > 0.0 && now <= 0.0) h.quarter = (n + before / (before - now)) * dt;
        h.stretch = fmax(h.stretch, fabs(now));
        before = now;
    }
    close_disc(&d);
    return h;
}

static void test_a_drop_swings_at_ten_times_the_capillary_limit(void **state)
{
    (void)state;
    double dt = 10.0 * dr_tension_step_limit(1.0, 1.0, 1.0);
    double period = 6.283185307179586 * sqrt(disc_radius * disc_radius * disc_radius / 6.0);
    history h = run_disc(0.05, dt, true, (int)(3.0 * period / dt));
    assert_true(h.stretch < 0.055);
    assert_true(h.speed < 0.05 && h.last_speed < 0.04);
    assert_true(fabs(h.quarter / (0.25 * period) - 1.0) < 0.08);
}

static void test_only_the_held_back_pressure_survives_very_long_steps(void **state)
{
    (void)state;
    double dt = 30.0 * dr_tension_step_limit(1.0, 1.0, 1.0);
    history wild = run_disc(0.05, dt, false, 40), held = run_disc(0.05, dt, true, 40);
    assert_true(wild.speed > 1.0);
    assert_true(held.speed < 0.05 && held.stretch < 0.06);
}

static void test_a_round_drop_stays_at_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double dt = (i == 0 ? 1.0 : 10.0) * dr_tension_step_limit(1.0, 1.0, 1.0);
        history h = run_disc(0.0, dt, true, 100);
        assert_true(h.speed < 0.01 * sqrt(1.0 / disc_radius) * 2.0);
    }
}

// ---- machines

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    noise = 0.05;
    radius = 9.0;
    dr_grid grid;
    make_box(&grid, radius, false);
    float *level = fill_scalar(&grid, 0.5, sphere), *one = malloc(grid.block_count * 256 * sizeof(float));
    float *many = malloc(grid.block_count * 256 * sizeof(float));
    const dr_par three_threads = {3};
    dr_tension tension;
    dr_tension_open(&tension, NULL);
    dr_tension_problem problem = {.level = level, .uniform_tension = 2.0, .density = 1.0, .dt = 3.0};
    dr_solve_report report;
    assert_true(dr_tension_find(&tension, &grid, &one_thread, &problem, one, &report));
    assert_true(dr_tension_find(&tension, &grid, &three_threads, &problem, many, &report));
    assert_memory_equal(one, many, grid.block_count * 256 * sizeof(float));
    dr_tension_close(&tension);
    dr_grid_close(&grid);
    free(level), free(one), free(many);
    noise = 0.0;
}

static void test_memory_may_run_out_anywhere(void **state)
{
    (void)state;
    radius = 5.0;
    dr_grid grid;
    make_box(&grid, radius, false);
    float *level = fill_scalar(&grid, 0.5, sphere), *pressure = malloc(grid.block_count * 256 * sizeof(float));
    dr_tension_problem problem = {.level = level, .uniform_tension = 2.0, .density = 1.0, .dt = 3.0};
    dr_solve_report report;
    bool done = false;
    int tries = 0;
    for (; !done && tries < 100; tries++) {
        scarce memory;
        scarce_open(&memory, tries + 1);
        dr_tension tension;
        dr_tension_open(&tension, &memory.allocator);
        done = dr_tension_find(&tension, &grid, &one_thread, &problem, pressure, &report);
        if (done) {
            assert_int_equal(memory.out, dr_tension_bytes(&tension));
            long steady = memory.requests;
            assert_true(dr_tension_find(&tension, &grid, &one_thread, &problem, pressure, &report));
            assert_int_equal(memory.requests, steady);
        }
        dr_tension_close(&tension);
        assert_int_equal(memory.out, 0);
    }
    assert_true(done && tries > 10);
    dr_grid_close(&grid);
    free(level), free(pressure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curvature_of_spheres),
        cmocka_unit_test(test_small_spheres_are_bounded),
        cmocka_unit_test(test_noise_is_smoothed),
        cmocka_unit_test(test_curvature_of_planes_and_cylinders),
        cmocka_unit_test(test_step_limit_is_the_capillary_one),
        cmocka_unit_test(test_a_drop_swings_at_ten_times_the_capillary_limit),
        cmocka_unit_test(test_only_the_held_back_pressure_survives_very_long_steps),
        cmocka_unit_test(test_a_round_drop_stays_at_rest),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
