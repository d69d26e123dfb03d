#include "blocks.h"
#include "support/scarce.h"

#include "grid/halo.h"
#include "liquid/viscosity.h"

#include <string.h>

// ---- what the tests share

static double wall_low, wall_high, layer; // y

static double everywhere(const double x[3])
{
    (void)x;
    return -100.0;
}

static double channel(const double x[3])
{
    return fmin(x[1] - wall_low, wall_high - x[1]);
}

static double channel_floor(const double x[3])
{
    return x[1] - wall_low;
}

static void at_rest(const double x[3], double u[3])
{
    (void)x;
    u[0] = u[1] = u[2] = 0.0;
}

static void upper_wall_moves(const double x[3], double u[3])
{
    u[0] = x[1] > 0.5 * (wall_low + wall_high) ? 1.0 : 0.0;
    u[1] = u[2] = 0.0;
}

static double drop_centre[3] = {4.13, 3.91, 4.07}, drop_radius = 2.3;

static double drop(const double x[3])
{
    double dx = x[0] - drop_centre[0], dy = x[1] - drop_centre[1], dz = x[2] - drop_centre[2];
    return sqrt(dx * dx + dy * dy + dz * dz) - drop_radius;
}

static void rotation(const double x[3], double u[3])
{
    const double w[3] = {0.3, -1.1, 0.7}, t[3] = {2.0, 0.1, -0.4};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        u[a] = t[a] + w[b] * x[c] - w[c] * x[b];
    }
}

static void swirl(const double x[3], double u[3])
{
    u[0] = sin(3.0 * x[1]) + 0.3 * x[2] * x[2];
    u[1] = cos(2.0 * x[2] + x[0]);
    u[2] = sin(x[0] * x[1]);
}

static void solve(const dr_grid *grid, const dr_strain_problem *problem, double tolerance, float *velocity,
                  dr_solve_report *report)
{
    dr_krylov_goal goal = {tolerance, 0.0, 1000};
    dr_viscosity viscosity;
    dr_viscosity_open(&viscosity, NULL);
    assert_true(dr_viscosity_solve(&viscosity, grid, &one_thread, problem, &goal, velocity, report));
    dr_viscosity_close(&viscosity);
}

// ---- channels

// Largest error of u_x over the open faces between the walls; exact(y) per unit.
static double channel_error(const dr_grid *grid, const float *velocity, double (*exact)(double y))
{
    double worst = 0.0;
    for (size_t i = 0; i < grid->block_count * 64; i++) {
        double x[3];
        locate_face(grid, i / 64, (int)(i % 64), 0, x);
        if (channel(x) > 0.0) worst = fmax(worst, fabs((double)velocity[4 * i] - exact(x[1])));
    }
    return worst;
}

static double poiseuille(double y)
{
    return 4.0 * (y - wall_low) * (wall_high - y) / ((wall_high - wall_low) * (wall_high - wall_low));
}

static double couette(double y)
{
    return (y - wall_low) / (wall_high - wall_low);
}

static void make_channel(dr_grid *grid, int blocks)
{
    const int32_t period[3] = {1, 0, 1};
    const int low[3] = {0, 0, 0}, high[3] = {1, blocks, 1};
    make_blocks(grid, 1.0 / (4 * blocks), period, low, high);
}

// Pushed to the steady state, with a step so long that it is reached at once.
static double run_channel(int blocks, double push, scalar_field liquid, scalar_field walls, double (*exact)(double y))
{
    dr_grid grid;
    make_channel(&grid, blocks);
    float *level = fill_scalar(&grid, 0.5, liquid), *solid = fill_scalar(&grid, 0.0, walls);
    float *velocity = fill_faces(&grid, at_rest);
    double width = wall_high - wall_low;
    dr_strain_problem problem = {
        .dt = 1e4, .level = level, .solid = solid, .uniform_viscosity = 1.0, .uniform_density = 1.0};
    for (size_t i = 0; i < grid.block_count * 64; i++) velocity[4 * i] = (float)(problem.dt * push / (width * width));
    dr_solve_report report;
    solve(&grid, &problem, 1e-12, velocity, &report);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    double error = channel_error(&grid, velocity, exact);
    dr_grid_close(&grid);
    free(level), free(solid), free(velocity);
    return error;
}

static double run_poiseuille(int blocks)
{
    return run_channel(blocks, 8.0, everywhere, channel, poiseuille);
}

static void test_poiseuille_profile_is_second_order(void **state)
{
    (void)state;
    const double places[4][2] = {{0.101, 0.903}, {0.127, 0.866}, {0.0834, 0.9512}, {0.1099, 0.8776}};
    for (int p = 0; p < 4; p++) {
        wall_low = places[p][0];
        wall_high = places[p][1];
        double coarse = run_poiseuille(4), fine = run_poiseuille(8), finest = run_poiseuille(16);
        assert_true(coarse < 0.02);
        assert_true(finest < coarse / 10.0); // 16 but for where the walls cut the cells
        assert_true(fine < 0.002);
    }
}

static double run_couette(int blocks, const float *no_slip_value, double *middle)
{
    dr_grid grid;
    make_channel(&grid, blocks);
    float *level = fill_scalar(&grid, 0.5, everywhere), *solid = fill_scalar(&grid, 0.0, channel);
    float *wall = fill_faces(&grid, upper_wall_moves), *velocity = fill_faces(&grid, at_rest);
    float *no_slip = fill_faces(&grid, at_rest);
    for (size_t i = 0; i < grid.block_count * 256; i++) no_slip[i] = no_slip_value ? *no_slip_value : 1.0F;
    dr_strain_problem problem = {.dt = 1e6,
                                 .level = level,
                                 .solid = solid,
                                 .solid_velocity = wall,
                                 .uniform_viscosity = 1.0,
                                 .uniform_density = 1.0,
                                 .no_slip = no_slip_value ? no_slip : NULL};
    dr_solve_report report;
    solve(&grid, &problem, 1e-12, velocity, &report);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    double error = channel_error(&grid, velocity, couette);
    *middle = 0.0;
    for (size_t i = 0; i < grid.block_count * 64; i++) *middle = fmax(*middle, fabs((double)velocity[4 * i]));
    dr_grid_close(&grid);
    free(level), free(solid), free(wall), free(velocity), free(no_slip);
    return error;
}

static void test_couette_profile_is_exact(void **state)
{
    (void)state;
    double top;
    for (int p = 0; p < 5; p++) {
        wall_low = 0.1 + 0.0137 * p;
        wall_high = 0.91 - 0.0211 * p;
        double error = run_couette(4, NULL, &top);
        assert_true(error < 1e-6);
    }
}

static void test_free_slip_walls_do_not_drag(void **state)
{
    (void)state;
    float none = 0.0F;
    double top;
    wall_low = 0.11;
    wall_high = 0.87;
    run_couette(4, &none, &top);
    assert_true(top == 0.0);
}

static void across_the_channel(const double x[3], double u[3])
{
    u[0] = u[2] = 0.0;
    u[1] = sin(3.14159265358979323846 * (x[1] - wall_low) / (wall_high - wall_low));
}

// Liquid between walls stands still across them, and its stress there is 2 eta du/dy, however it slips along them.
static double run_across(int blocks)
{
    dr_grid grid;
    make_channel(&grid, blocks);
    float *level = fill_scalar(&grid, 0.5, everywhere), *solid = fill_scalar(&grid, 0.0, channel);
    float *velocity = fill_faces(&grid, across_the_channel), *before = fill_faces(&grid, across_the_channel);
    double wave = 3.14159265358979323846 / (wall_high - wall_low), worst = 0.0;
    dr_strain_problem problem = {.dt = 0.5 / (wave * wave),
                                 .level = level,
                                 .solid = solid,
                                 .slips = true,
                                 .uniform_viscosity = 1.0,
                                 .uniform_density = 1.0};
    dr_solve_report report;
    solve(&grid, &problem, 1e-10, velocity, &report);
    for (size_t i = 0; i < grid.block_count * 64; i++) {
        double x[3];
        locate_face(&grid, i / 64, (int)(i % 64), 1, x);
        if (channel(x) > 0.0) worst = fmax(worst, fabs((double)velocity[4 * i + 1] - 0.5 * (double)before[4 * i + 1]));
    }
    dr_grid_close(&grid);
    free(level), free(solid), free(velocity), free(before);
    return worst;
}

static void test_walls_that_slip_bear_normal_stress(void **state)
{
    (void)state;
    wall_low = 0.0;
    wall_high = 1.0;
    double coarse = run_across(4), fine = run_across(8);
    assert_true(coarse < 0.002 && fine < coarse / 3.5);
    wall_low = 0.11;
    wall_high = 0.87;
    assert_true(run_across(8) < 0.01);
}

// ---- a film that flows down a wall, free at its surface

static double film(const double x[3])
{
    return x[1] - wall_high;
}

static double film_profile(double y)
{
    double depth = (y - wall_low) / (wall_high - wall_low);
    return depth * (2.0 - depth);
}

static double run_film(int blocks)
{
    return run_channel(blocks, 2.0, film, channel_floor, film_profile);
}

static void test_film_with_a_free_surface_is_second_order(void **state)
{
    (void)state;
    const double places[3][2] = {{0.101, 0.803}, {0.127, 0.766}, {0.0834, 0.8312}};
    for (int p = 0; p < 3; p++) {
        wall_low = places[p][0];
        wall_high = places[p][1];
        double coarse = run_film(4), finest = run_film(16);
        assert_true(finest < coarse / 10.0);
    }
}

// ---- a round pipe along z

static double pipe(const double x[3])
{
    return 0.41 - hypot(x[0] - 0.513, x[1] - 0.487);
}

static double run_pipe(int blocks)
{
    dr_grid grid;
    const int32_t period[3] = {0, 0, 1};
    const int low[3] = {0, 0, 0}, high[3] = {blocks, blocks, 1};
    make_blocks(&grid, 1.0 / (4 * blocks), period, low, high);
    float *level = fill_scalar(&grid, 0.5, everywhere), *solid = fill_scalar(&grid, 0.0, pipe);
    float *velocity = fill_faces(&grid, at_rest);
    dr_strain_problem problem = {
        .dt = 1e4, .level = level, .solid = solid, .uniform_viscosity = 1.0, .uniform_density = 1.0};
    for (size_t i = 0; i < grid.block_count * 64; i++) velocity[4 * i + 2] = (float)(problem.dt * 4.0 / (0.41 * 0.41));
    dr_solve_report report;
    solve(&grid, &problem, 1e-10, velocity, &report);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    double worst = 0.0;
    for (size_t i = 0; i < grid.block_count * 64; i++) {
        double x[3];
        locate_face(&grid, i / 64, (int)(i % 64), 2, x);
        double r = 0.41 - pipe(x);
        if (r < 0.41 - grid.cell * grid.cell)
            worst = fmax(worst, fabs((double)velocity[4 * i + 2] - (1.0 - r * r / (0.41 * 0.41))));
    }
    dr_grid_close(&grid);
    free(level), free(solid), free(velocity);
    return worst;
}

static void test_round_pipe_is_second_order(void **state)
{
    (void)state;
    double coarse = run_pipe(8), fine = run_pipe(16);
    assert_true(coarse < 0.0015);
    assert_true(fine < coarse / 3.5);
}

// ---- two liquids

static double thick_below(const double x[3])
{
    return x[1] < layer ? 1000.0 : 1.0;
}

static double layered_couette(double y)
{
    double below = (layer - wall_low) / 1000.0, above = wall_high - layer;
    return y < layer ? (y - wall_low) / 1000.0 / (below + above) : (below + y - layer) / (below + above);
}

static void test_layers_of_a_thousandfold_viscosity_share_one_stress(void **state)
{
    (void)state;
    dr_grid grid;
    make_channel(&grid, 4);
    wall_low = 0.083;
    wall_high = 0.934;
    layer = 0.5;
    float *level = fill_scalar(&grid, 0.5, everywhere), *solid = fill_scalar(&grid, 0.0, channel);
    float *wall = fill_faces(&grid, upper_wall_moves), *velocity = fill_faces(&grid, at_rest);
    float *thickness = fill_scalar(&grid, 0.5, thick_below);
    dr_strain_problem problem = {.dt = 1e6,
                                 .level = level,
                                 .solid = solid,
                                 .solid_velocity = wall,
                                 .viscosity = thickness,
                                 .uniform_density = 1.0};
    dr_solve_report report;
    solve(&grid, &problem, 1e-12, velocity, &report);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_true(channel_error(&grid, velocity, layered_couette) < 1e-5);
    dr_grid_close(&grid);
    free(level), free(solid), free(wall), free(velocity), free(thickness);
}

// ---- a free drop

typedef struct drop_case {
    dr_grid grid;
    float *level, *velocity, *before;
} drop_case;

static void open_drop(drop_case *d, double cell, int blocks, vector_field field)
{
    const int32_t period[3] = {0, 0, 0};
    const int low[3] = {0, 0, 0}, high[3] = {blocks, blocks, blocks};
    make_blocks(&d->grid, cell, period, low, high);
    d->level = fill_scalar(&d->grid, 0.5, drop);
    d->velocity = fill_faces(&d->grid, field);
    d->before = fill_faces(&d->grid, field);
}

static void close_drop(drop_case *d)
{
    dr_grid_close(&d->grid);
    free(d->level), free(d->velocity), free(d->before);
}

static double largest_change(const drop_case *d)
{
    double worst = 0.0;
    for (size_t i = 0; i < d->grid.block_count * 256; i++) {
        worst = fmax(worst, fabs((double)(d->velocity[i] - d->before[i])));
    }
    return worst;
}

static void test_rigid_rotation_of_a_drop_is_untouched(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.25, 8, rotation);
    dr_strain_problem problem = {.dt = 0.1, .level = d.level, .uniform_viscosity = 50.0, .uniform_density = 1.0};
    dr_solve_report report;
    solve(&d.grid, &problem, 1e-7, d.velocity, &report);
    assert_true(largest_change(&d) < 1e-5);
    close_drop(&d);
}

// Momentum and angular momentum of what the faces carry, with the masses of the solve, and how much moves at all.
static void measure(const drop_case *d, const dr_viscosity *viscosity, const float *velocity, double momentum[7])
{
    memset(momentum, 0, 7 * sizeof *momentum);
    for (size_t i = 0; i < d->grid.block_count * 64; i++) {
        for (int a = 0; a < 3; a++) {
            const dr_strain *strain = &viscosity->multigrid.level[0].strain;
            if (viscosity->number[i / 64] < 0) continue;
            size_t own = (size_t)viscosity->number[i / 64];
            if (!(strain->inverse[(own * 3 + (size_t)a) * 64 + i % 64] > 0.0)) continue;
            double x[3], mass = (double)strain->coefficient[(own * 12 + (size_t)a) * 64 + i % 64];
            locate_face(&d->grid, i / 64, (int)(i % 64), a, x);
            double m = mass * (double)velocity[4 * i + (size_t)a];
            momentum[a] += m;
            momentum[3 + (a + 2) % 3] -= m * (x[(a + 1) % 3] - drop_centre[(a + 1) % 3]);
            momentum[3 + (a + 1) % 3] += m * (x[(a + 2) % 3] - drop_centre[(a + 2) % 3]);
            momentum[6] += fabs(m);
        }
    }
}

static void test_a_free_drop_keeps_its_momentum(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.25, 8, swirl);
    dr_viscosity viscosity;
    dr_krylov_goal goal = {1e-9, 0.0, 500};
    dr_viscosity_open(&viscosity, NULL);
    dr_strain_problem problem = {.dt = 0.1, .level = d.level, .uniform_viscosity = 5.0, .uniform_density = 1.0};
    dr_solve_report report;
    assert_true(dr_viscosity_solve(&viscosity, &d.grid, &one_thread, &problem, &goal, d.velocity, &report));
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    double before[7], after[7];
    measure(&d, &viscosity, d.before, before);
    measure(&d, &viscosity, d.velocity, after);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(after[i] - before[i]) < 1e-6 * before[6]);
    }
    assert_true(after[6] < 0.99 * before[6]);
    dr_viscosity_close(&viscosity);
    close_drop(&d);
}

// How far above the drop's surface the centre of a face is, as the level tells.
static double height(const drop_case *d, size_t block, int item, int axis)
{
    int x[3] = {item >> 4, item >> 2 & 3, item & 3};
    x[axis]--;
    int64_t below = dr_halo_find(&d->grid, block, x[0], x[1], x[2]);
    return below < 0 ? 1.0 : 0.5 * ((double)d->level[block * 64 + (size_t)item] + (double)d->level[below]);
}

// Of faces beyond the surface with one neighbour inside: the largest difference of their changes.
static double largest_lag(const drop_case *d, const dr_viscosity *viscosity)
{
    const dr_strain *strain = &viscosity->multigrid.level[0].strain;
    double worst = 0.0;
    for (size_t i = 0; i < d->grid.block_count * 192; i++) {
        size_t block = i / 192, axis = i / 64 % 3, item = i % 64;
        int32_t own = viscosity->number[block];
        if (own < 0 || !(strain->inverse[((size_t)own * 3 + axis) * 64 + item] > 0.0)) continue;
        if (height(d, block, (int)item, (int)axis) <= 0.0) continue;
        int64_t inside = -1;
        int count = 0;
        for (int side = 0; side < 6; side++) {
            int x[3] = {(int)item >> 4, (int)item >> 2 & 3, (int)item & 3};
            x[side / 2] += side & 1 ? 1 : -1;
            int64_t to = dr_halo_find(&d->grid, block, x[0], x[1], x[2]);
            if (to < 0 || height(d, (size_t)to / 64, (int)(to % 64), (int)axis) > 0.0) continue;
            inside = to;
            count++;
        }
        if (count != 1) continue;
        size_t f = 4 * (64 * block + item) + axis, g = 4 * (size_t)inside + axis;
        worst = fmax(worst, fabs((double)(d->velocity[f] - d->before[f] - d->velocity[g] + d->before[g])));
    }
    return worst;
}

// What faces beyond the surface get is not lost with them: those inside take it.
static void test_faces_beyond_the_surface_hand_their_impulse_inwards(void **state)
{
    (void)state;
    dr_viscosity viscosity;
    dr_krylov_goal goal = {1e-9, 0.0, 500};
    dr_viscosity_open(&viscosity, NULL);
    for (int hands_over = 0; hands_over < 2; hands_over++) {
        drop_case d;
        open_drop(&d, 0.25, 8, swirl);
        dr_strain_problem problem = {.dt = 0.01,
                                     .level = d.level,
                                     .uniform_viscosity = 5.0,
                                     .uniform_density = 1.0,
                                     .hands_over = hands_over != 0};
        dr_solve_report report;
        assert_true(dr_viscosity_solve(&viscosity, &d.grid, &one_thread, &problem, &goal, d.velocity, &report));
        double before[7], after[7], lag = largest_lag(&d, &viscosity);
        measure(&d, &viscosity, d.before, before);
        measure(&d, &viscosity, d.velocity, after);
        for (int i = 0; i < 3; i++) assert_true(fabs(after[i] - before[i]) < 1e-6 * before[6]);
        assert_true(hands_over ? lag < 1e-6 : lag > 0.1);
        close_drop(&d);
    }
    dr_viscosity_close(&viscosity);
}

static void test_iterations_hardly_grow_with_the_step(void **state)
{
    (void)state;
    const int most[4] = {40, 12, 24, 70};
    double ratio = 1.0;
    for (int i = 0; i < 4; i++, ratio *= 10.0) {
        drop_case d;
        open_drop(&d, 0.25, 8, swirl);
        dr_strain_problem problem = {
            .dt = 1.0, .level = d.level, .uniform_viscosity = ratio * 0.0625, .uniform_density = 1.0};
        dr_solve_report report;
        solve(&d.grid, &problem, 1e-6, d.velocity, &report);
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        assert_in_range(report.iterations, 1, most[i]);
        close_drop(&d);
    }
}

// ---- a bowl that turns with its liquid

static double bowl(const double x[3])
{
    return -drop(x);
}

static void test_liquid_turns_with_its_bowl(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.25, 8, rotation);
    float *solid = fill_scalar(&d.grid, 0.0, bowl), *level = fill_scalar(&d.grid, 0.5, everywhere);
    dr_strain_problem problem = {.dt = 1.0,
                                 .level = level,
                                 .solid = solid,
                                 .solid_velocity = d.before,
                                 .uniform_viscosity = 6.0,
                                 .uniform_density = 1.0};
    dr_solve_report report;
    solve(&d.grid, &problem, 1e-6, d.velocity, &report);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_true(largest_change(&d) < 1e-4);
    for (size_t i = 0; i < d.grid.block_count * 256; i++) d.velocity[i] = 0.0F; // and takes still liquid along
    problem.dt = 1e4;
    solve(&d.grid, &problem, 1e-9, d.velocity, &report);
    double worst = 0.0;
    for (size_t i = 0; i < d.grid.block_count * 64; i++) {
        double x[3];
        locate_face(&d.grid, i / 64, (int)(i % 64), 1, x);
        if (bowl(x) > 0.1) worst = fmax(worst, fabs((double)(d.velocity[4 * i + 1] - d.before[4 * i + 1])));
    }
    assert_true(worst < 1e-4);
    free(solid), free(level);
    close_drop(&d);
}

// ---- machines

// Several solves that share what does not depend on viscosity, each beside one of its own.
static void test_solves_that_share_a_liquid_are_as_those_alone(void **state)
{
    (void)state;
    dr_grid grid;
    const int32_t period[3] = {0, 0, 0};
    const int low[3] = {0, 0, 0}, high[3] = {4, 4, 4};
    make_blocks(&grid, 0.5, period, low, high);
    wall_low = 2.3;
    size_t cells = grid.block_count * 64;
    float *level = fill_scalar(&grid, 0.5, drop), *solid = fill_scalar(&grid, 0.0, channel_floor);
    float *eta = calloc(cells, sizeof *eta), *stress = calloc(6 * cells, sizeof *stress);
    float *zero = calloc(4 * cells, sizeof *zero);
    dr_viscosity viscosity;
    dr_viscosity_open(&viscosity, NULL);
    dr_strain_problem problem = {.dt = 0.1, .level = level, .solid = solid, .uniform_density = 1.3};
    assert_true(dr_viscosity_measure(&viscosity, &grid, &one_thread, &problem));
    problem.viscosity = eta;
    problem.stress = stress;
    problem.start = zero;
    for (int round = 0; round < 3; round++) {
        float *own = fill_faces(&grid, swirl), *shared = fill_faces(&grid, swirl);
        for (size_t i = 0; i < cells; i++) eta[i] = (float)(pow(100.0, round) * (1.0 + 0.5 * sin((double)i)));
        for (size_t i = 0; i < 6 * cells; i++) stress[i] = (float)cos((double)i);
        dr_krylov_goal goal = {1e-10, 0.0, 1000};
        dr_solve_report report;
        solve(&grid, &problem, 1e-10, own, &report);
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        assert_true(dr_viscosity_solve_measured(&viscosity, &problem, &goal, shared, &report));
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        for (size_t i = 0; i < 4 * cells; i++) assert_float_equal(own[i], shared[i], 2e-5);
        free(own);
        free(shared);
    }
    dr_viscosity_close(&viscosity);
    dr_grid_close(&grid);
    free(level);
    free(solid);
    free(eta);
    free(stress);
    free(zero);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    drop_case one, two;
    open_drop(&one, 0.25, 8, swirl);
    open_drop(&two, 0.25, 8, swirl);
    dr_strain_problem problem = {.dt = 1.0, .level = one.level, .uniform_viscosity = 3.0, .uniform_density = 1.0};
    dr_krylov_goal goal = {1e-6, 0.0, 100};
    const dr_par three_threads = {3};
    dr_solve_report report;
    dr_viscosity viscosity;
    dr_viscosity_open(&viscosity, NULL);
    assert_true(dr_viscosity_solve(&viscosity, &one.grid, &one_thread, &problem, &goal, one.velocity, &report));
    assert_true(dr_viscosity_solve(&viscosity, &two.grid, &three_threads, &problem, &goal, two.velocity, &report));
    assert_memory_equal(one.velocity, two.velocity, one.grid.block_count * 256 * sizeof(float));
    dr_viscosity_close(&viscosity);
    close_drop(&one);
    close_drop(&two);
}

static void test_memory_may_run_out_anywhere(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.5, 4, swirl);
    dr_strain_problem problem = {.dt = 1.0, .level = d.level, .uniform_viscosity = 3.0, .uniform_density = 1.0};
    dr_krylov_goal goal = {1e-6, 0.0, 100};
    dr_solve_report report;
    bool done = false;
    int tries = 0;
    for (; !done && tries < 200; tries++) {
        scarce memory;
        scarce_open(&memory, tries + 1);
        dr_viscosity viscosity;
        dr_viscosity_open(&viscosity, &memory.allocator);
        done = dr_viscosity_solve(&viscosity, &d.grid, &one_thread, &problem, &goal, d.velocity, &report);
        if (done) assert_int_equal(memory.out, dr_viscosity_bytes(&viscosity));
        if (!done) assert_true(largest_change(&d) == 0.0);
        dr_viscosity_close(&viscosity);
        assert_int_equal(memory.out, 0);
    }
    assert_true(done && tries > 20);
    close_drop(&d);
}

static void test_a_steady_solve_allocates_nothing(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.5, 4, swirl);
    dr_strain_problem problem = {.dt = 1.0, .level = d.level, .uniform_viscosity = 3.0, .uniform_density = 1.0};
    dr_krylov_goal goal = {1e-6, 0.0, 100};
    dr_solve_report report;
    scarce memory;
    scarce_open(&memory, 0);
    dr_viscosity viscosity;
    dr_viscosity_open(&viscosity, &memory.allocator);
    assert_true(dr_viscosity_solve(&viscosity, &d.grid, &one_thread, &problem, &goal, d.velocity, &report));
    long steady = memory.requests;
    assert_true(dr_viscosity_solve(&viscosity, &d.grid, &one_thread, &problem, &goal, d.velocity, &report));
    assert_int_equal(memory.requests, steady);
    dr_viscosity_close(&viscosity);
    close_drop(&d);
}

static void test_what_is_not_finite_is_reported_and_not_written(void **state)
{
    (void)state;
    drop_case d;
    open_drop(&d, 0.5, 4, swirl);
    dr_strain_problem problem = {.dt = 1.0, .level = d.level, .uniform_viscosity = 3.0, .uniform_density = 1.0};
    dr_solve_report report;
    const int32_t middle[3] = {2, 2, 2};
    d.velocity[256 * dr_grid_find(&d.grid, middle)] = d.before[256 * dr_grid_find(&d.grid, middle)] = NAN;
    solve(&d.grid, &problem, 1e-6, d.velocity, &report);
    assert_int_equal(report.reason, DR_REASON_NOT_FINITE);
    assert_memory_equal(d.velocity, d.before, d.grid.block_count * 256 * sizeof(float));
    close_drop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poiseuille_profile_is_second_order),
        cmocka_unit_test(test_couette_profile_is_exact),
        cmocka_unit_test(test_free_slip_walls_do_not_drag),
        cmocka_unit_test(test_walls_that_slip_bear_normal_stress),
        cmocka_unit_test(test_film_with_a_free_surface_is_second_order),
        cmocka_unit_test(test_round_pipe_is_second_order),
        cmocka_unit_test(test_layers_of_a_thousandfold_viscosity_share_one_stress),
        cmocka_unit_test(test_rigid_rotation_of_a_drop_is_untouched),
        cmocka_unit_test(test_a_free_drop_keeps_its_momentum),
        cmocka_unit_test(test_faces_beyond_the_surface_hand_their_impulse_inwards),
        cmocka_unit_test(test_iterations_hardly_grow_with_the_step),
        cmocka_unit_test(test_liquid_turns_with_its_bowl),
        cmocka_unit_test(test_solves_that_share_a_liquid_are_as_those_alone),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_memory_may_run_out_anywhere),
        cmocka_unit_test(test_a_steady_solve_allocates_nothing),
        cmocka_unit_test(test_what_is_not_finite_is_reported_and_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
