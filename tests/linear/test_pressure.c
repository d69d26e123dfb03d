// The pressure solve: answers that are known, regions of every kind, bad input, memory, threads.
#include "linear/pool.h"
#include "support/scarce.h"

static const int32_t open_period[3] = {0, 0, 0};
static const dr_pressure_options sharp = {1e-10, 150, 2000};

static double largest_divergence(const pool *p)
{
    double largest = 0.0;
    for (size_t c = 0; c < p->cells; c++) {
        if (p->kind[c] == DR_CELL_LIQUID) largest = fmax(largest, fabs(pool_divergence(p, c)));
    }
    return largest;
}

// Blocks of random cells: liquid, air and solid.
static void open_random(pool *p, const int blocks[3], uint64_t seed, double decades)
{
    pool_open_box(p, 1.0, (const int[3]){0, 0, 0}, blocks, open_period);
    pool_fill_random(p, seed, decades);
}

// A box of blocks whose outer faces are walls: lower ones closed here, upper ones because no block follows.
static void close_lower_walls(pool *p, const int low[3])
{
    for (size_t c = 0; c < p->cells; c++) {
        int cell[3];
        pool_cell(p, c, cell);
        for (int a = 0; a < 3; a++) {
            if (cell[a] == 4 * low[a]) p->open[4 * c + (size_t)a] = 0.0F;
        }
    }
}

// ---- known answers

static void test_hydrostatic_column_is_exact(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {1, 5, 1};
    const double density = 1.3, gravity = 981.0, dt = 1e-3, depth = 15.3; // depth in cells
    pool p;
    pool_open_box(&p, 0.25, low, high, open_period);
    close_lower_walls(&p, low);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        p.kind[c] = cell[1] + 0.5 < depth ? DR_CELL_LIQUID : DR_CELL_AIR;
        p.theta[4 * c + 1] = (float)(depth - (cell[1] - 0.5));
        for (size_t a = 0; a < 3; a++) p.mobility[4 * c + a] = (float)(dt / density);
        p.flux[4 * c + 1] = (float)(-gravity * dt);
    }
    dr_solve_report report = pool_solve(&p, 1, &sharp, NULL);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        double expected = density * gravity * 0.25 * (depth - (cell[1] + 0.5));
        check_near((double)p.pressure[c], p.kind[c] == DR_CELL_LIQUID ? expected : 0.0, 1e-5 * density * gravity);
        bool moving = cell[1] > 0 && cell[1] < depth + 0.5;
        check_near((double)p.gradient[4 * c + 1], moving ? -density * gravity : 0.0, 1e-5 * density * gravity);
        check_near((double)p.gradient[4 * c], 0.0, 1e-5 * density * gravity);
    }
    pool_close(&p);
}

static double known_pressure(const double x[3])
{
    return sin(2.1 * x[0] + 0.3) * cos(1.7 * x[1]) * exp(0.8 * x[2]);
}

static double known_source(const double x[3]) // minus the Laplacian
{
    return (2.1 * 2.1 + 1.7 * 1.7 - 0.8 * 0.8) * known_pressure(x);
}

static double ball_distance(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.8;
}

// Where the line from the cell's middle along an axis crosses the ball's surface, as a share of the step.
static double crossing(const double from[3], int axis, double step)
{
    double low = 0.0, high = 1.0;
    for (int n = 0; n < 50; n++) {
        double middle = 0.5 * (low + high), x[3] = {from[0], from[1], from[2]};
        x[axis] += middle * step;
        if (ball_distance(x) < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void set_surface(pool *p, size_t c, int axis, const double low[3], const double high[3])
{
    bool inside_low = ball_distance(low) < 0.0;
    double h = p->grid.cell, point[3];
    memcpy(point, inside_low ? low : high, sizeof point);
    double theta = crossing(point, axis, inside_low ? h : -h);
    theta = fmax(theta, 0.01);
    point[axis] += theta * (inside_low ? h : -h);
    p->theta[4 * c + (size_t)axis] = (float)theta;
    p->ghost[4 * c + (size_t)axis] = (float)known_pressure(point);
}

static double ball_error(int blocks)
{
    const int low[3] = {-blocks, -blocks, -blocks}, high[3] = {blocks, blocks, blocks};
    pool p;
    double h = 1.0 / (4.0 * blocks), error = 0.0;
    pool_open_box(&p, h, low, high, open_period);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        double x[3] = {h * (cell[0] + 0.5), h * (cell[1] + 0.5), h * (cell[2] + 0.5)};
        p.kind[c] = ball_distance(x) < 0.0 ? DR_CELL_LIQUID : DR_CELL_AIR;
        p.source[c] = (float)known_source(x);
        for (int a = 0; a < 3; a++) {
            double below[3] = {x[0], x[1], x[2]};
            below[a] -= h;
            if ((ball_distance(below) < 0.0) != (ball_distance(x) < 0.0)) set_surface(&p, c, a, below, x);
        }
    }
    dr_solve_report report = pool_solve(&p, 1, &sharp, NULL);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        double x[3] = {h * (cell[0] + 0.5), h * (cell[1] + 0.5), h * (cell[2] + 0.5)};
        if (p.kind[c] == DR_CELL_LIQUID) error = fmax(error, fabs((double)p.pressure[c] - known_pressure(x)));
    }
    pool_close(&p);
    return error;
}

static void test_free_surface_is_second_order(void **state)
{
    (void)state;
    double coarse = ball_error(2), middle = ball_error(4), fine = ball_error(8);
    check_at_most(fine, 2e-3);
    assert_true(log2(coarse / fine) / 2.0 > 1.8);
    assert_true(middle < coarse && fine < middle);
}

static void test_compressible_cell_follows_its_source(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    pool p;
    pool_open_box(&p, 2.0, low, high, open_period);
    close_lower_walls(&p, low);
    p.problem.inverse_stiffness = p.stiffness;
    p.problem.old_pressure = p.old_pressure;
    for (size_t c = 0; c < p.cells; c++) {
        p.kind[c] = DR_CELL_LIQUID;
        p.stiffness[c] = 0.5F;
        p.old_pressure[c] = 10.0F;
        p.source[c] = 3.0F;
    }
    dr_pressure_facts facts;
    dr_solve_report report = pool_solve(&p, 1, &sharp, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.floating, 0);
    for (size_t c = 0; c < p.cells; c++) check_near((double)p.pressure[c], 16.0, 1e-5);
    pool_close(&p);
}

// A piston pushes into a channel: what it displaces leaves through the open end.
static void test_moving_wall_pushes_its_volume_out(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {4, 1, 1};
    pool p;
    pool_open_box(&p, 1.0, low, high, open_period);
    close_lower_walls(&p, low);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        p.kind[c] = cell[0] < 2 ? DR_CELL_SOLID : cell[0] < 14 ? DR_CELL_LIQUID : DR_CELL_AIR;
        if (cell[0] <= 2) p.solid_velocity[4 * c] = 5.0F;
    }
    dr_solve_report report = pool_solve(&p, 1, &sharp, NULL);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        double speed = (double)(p.flux[4 * c] - p.mobility[4 * c] * p.gradient[4 * c]);
        check_near(speed, cell[0] > 2 && cell[0] <= 14 ? 5.0 : 0.0, 1e-5);
    }
    pool_close(&p);
}

// The gradient a face should have, from the pressures around it.
static double expected_gradient(const pool *p, size_t c, int axis)
{
    const dr_pressure_problem *m = &p->problem;
    long low = pool_beside(p, c, axis, -1);
    size_t f = 4 * c + (size_t)axis;
    uint8_t own_kind = m->kind[c], low_kind = low < 0 ? (uint8_t)DR_CELL_AIR : m->kind[low];
    bool own = own_kind == DR_CELL_LIQUID, below = low_kind == DR_CELL_LIQUID;
    if (!(own || below) || own_kind == DR_CELL_SOLID || low_kind == DR_CELL_SOLID) return 0.0;
    if (!(m->mobility[f] * m->open[f] > 0.0F)) return 0.0;
    if (own && below) return ((double)p->pressure[c] - (double)p->pressure[low]) / p->grid.cell;
    double reach = fmax(0.01, (double)m->theta[f]) * p->grid.cell, ghost = (double)m->ghost_pressure[f];
    return own ? ((double)p->pressure[c] - ghost) / reach : (ghost - (double)p->pressure[low]) / reach;
}

static void test_gradient_is_that_of_the_pressure(void **state)
{
    (void)state;
    for (int seed = 0; seed < 5; seed++) {
        const int low[3] = {-1, 0, 0}, high[3] = {3, 3, 2};
        const int32_t period[3] = {0, 0, seed == 4 ? 2 : 0};
        pool p;
        pool_open_box(&p, 0.5, low, high, period);
        pool_fill_random(&p, 50 + (uint64_t)seed, 0.5);
        assert_int_equal(pool_solve(&p, 1, &sharp, NULL).reason, DR_REASON_CONVERGED);
        size_t surfaces = 0;
        for (size_t f = 0; f < 4 * p.cells; f++) {
            double expected = f % 4 == 3 ? 0.0 : expected_gradient(&p, f / 4, (int)(f % 4));
            check_near((double)p.gradient[f], expected, 1e-4 * (1.0 + fabs(expected)));
            surfaces += expected != 0.0;
        }
        assert_true(surfaces > 1000);
        pool_close(&p);
    }
}

// ---- regions

static void fill_closed_box(pool *p, const int low[3], const int high[3])
{
    pool_open_box(p, 0.5, low, high, open_period);
    pool_fill_random(p, 5, 0.0);
    for (size_t n = 0; n < p->cells; n++) p->kind[n] = DR_CELL_LIQUID;
    for (size_t f = 0; f < 4 * p->cells; f++) {
        p->open[f] = 1.0F;
        p->solid_velocity[f] = 0.0F;
    }
    close_lower_walls(p, low);
}

static double mean_source(const pool *p)
{
    double sum = 0.0;
    for (size_t c = 0; c < p->cells; c++) sum += (double)p->source[c];
    return sum / (double)p->cells;
}

static void test_closed_cavity_is_solved_up_to_a_constant(void **state)
{
    (void)state;
    const int low[3] = {-1, 0, 2}, high[3] = {3, 3, 4};
    pool p;
    fill_closed_box(&p, low, high);
    double mean = mean_source(&p), total = 0.0;
    for (size_t c = 0; c < p.cells; c++) p.source[c] -= (float)mean;
    dr_pressure_facts facts;
    dr_solve_report report = pool_solve(&p, 1, &sharp, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    check_at_most(report.iterations, 20);
    assert_int_equal(facts.floating, 1);
    assert_int_equal(facts.components, 1);
    check_at_most(facts.imbalance, 1e-6);
    check_at_most(largest_divergence(&p), 1e-4);
    for (size_t c = 0; c < p.cells; c++) total += (double)p.pressure[c];
    check_near(total / (double)p.cells, 0.0, 1e-6);
    pool_close(&p);
}

static void test_source_that_cannot_leave_is_spread_and_told(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {2, 2, 2};
    pool p;
    fill_closed_box(&p, low, high);
    for (size_t c = 0; c < p.cells; c++) p.source[c] += 2.0F;
    double mean = mean_source(&p);
    dr_pressure_facts facts;
    dr_solve_report report = pool_solve(&p, 1, &sharp, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    check_near(facts.imbalance, mean, 1e-5);
    for (size_t c = 0; c < p.cells; c++) check_near(pool_divergence(&p, c), -mean, 1e-4);
    pool_close(&p);
}

// Two basins with a solid wall between, one of them covered, and a cell walled in on all sides.
static void test_separate_regions_do_not_feel_each_other(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {4, 2, 2};
    pool p;
    pool_open_box(&p, 1.0, low, high, open_period);
    pool_fill_random(&p, 8, 0.5);
    close_lower_walls(&p, low);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        bool wall = cell[0] == 7 || (cell[0] > 7 && cell[1] == 7), surface = cell[0] < 7 && cell[1] == 7;
        p.kind[c] = wall ? DR_CELL_SOLID : surface ? DR_CELL_AIR : DR_CELL_LIQUID;
        for (size_t f = 4 * c; f < 4 * c + 3; f++) p.open[f] = p.open[f] > 0.0F ? 1.0F : 0.0F;
    }
    int alone[3] = {12, 3, 3};
    for (int n = 0; n < 6; n++) {
        int beside[3] = {alone[0], alone[1], alone[2]};
        beside[n / 2] += n & 1 ? 1 : -1;
        p.kind[pool_find(&p, beside)] = DR_CELL_SOLID;
    }
    dr_pressure_facts facts;
    assert_int_equal(pool_solve(&p, 1, &sharp, &facts).reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.floating, facts.components - 1);
    float *before = pool_floats(p.cells, 0.0F);
    memcpy(before, p.pressure, p.cells * sizeof *before);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        if (cell[0] > 7) p.source[c] *= -2.0F;
    }
    assert_int_equal(pool_solve(&p, 1, &sharp, NULL).reason, DR_REASON_CONVERGED);
    double moved = 0.0;
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        double change = fabs((double)(p.pressure[c] - before[c]));
        if (cell[0] < 7) check_at_most(change, 1e-5);
        moved = fmax(moved, change);
    }
    assert_true(moved > 0.1);
    check_near((double)p.pressure[pool_find(&p, alone)], 0.0, 0.0);
    free(before);
    pool_close(&p);
}

static void test_random_shapes_converge(void **state)
{
    (void)state;
    for (int seed = 0; seed < 12; seed++) {
        const int low[3] = {-2, 0, 0}, high[3] = {4, 4, 5};
        pool p;
        pool_open_box(&p, 0.1, low, high, open_period);
        pool_fill_random(&p, (uint64_t)seed, seed % 3 == 2 ? 3.0 : 0.5);
        dr_solve_report report = pool_solve(&p, 1, NULL, NULL);
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        check_at_most(report.residual, 1e-6);
        check_at_most(report.iterations, seed % 3 == 2 ? 25 : 15);
        pool_close(&p);
    }
}

// A pool of liquid in which `heavy` cells are a thousand times harder to move.
static dr_solve_report solve_jump(bool (*heavy)(const int cell[3]), dr_pressure_facts *facts)
{
    const int low[3] = {0, 0, 0}, high[3] = {8, 8, 8};
    pool p;
    pool_open_box(&p, 1.0, low, high, open_period);
    close_lower_walls(&p, low);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        p.kind[c] = cell[1] < 30 ? DR_CELL_LIQUID : DR_CELL_AIR;
        p.source[c] = (float)(pool_random(&p) - 0.4);
        for (size_t a = 0; a < 3; a++) p.mobility[4 * c + a] = heavy(cell) ? 1e-3F : 1.0F;
    }
    dr_solve_report report = pool_solve(&p, 1, NULL, facts);
    pool_close(&p);
    return report;
}

static bool in_slab(const int cell[3])
{
    return abs(3 * cell[0] - 2 * cell[1] + cell[2] - 30) < 9;
}

static bool in_checks(const int cell[3])
{
    return ((cell[0] / 5 + cell[1] / 5 + cell[2] / 5) & 1) != 0;
}

static void test_coefficient_jump_converges(void **state)
{
    (void)state;
    dr_pressure_facts facts;
    dr_solve_report report = solve_jump(in_slab, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    check_at_most(report.iterations, 25);
    report = solve_jump(in_checks, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.tries, 1);
}

// Walls without thickness between cells that the coarser levels join: basins that only touch there.
static void test_thin_walls_converge(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {6, 5, 4};
    pool p;
    pool_open_box(&p, 1.0, low, high, open_period);
    close_lower_walls(&p, low);
    for (size_t c = 0; c < p.cells; c++) {
        int cell[3];
        pool_cell(&p, c, cell);
        p.kind[c] = cell[1] < 18 ? DR_CELL_LIQUID : DR_CELL_AIR;
        p.source[c] = (float)(pool_random(&p) - 0.5);
        if (cell[0] == 13 || (cell[2] == 7 && cell[1] < 12)) p.open[4 * c + (cell[0] == 13 ? 0 : 2)] = 0.0F;
    }
    dr_pressure_facts facts;
    dr_solve_report report = pool_solve(&p, 1, NULL, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.components, 2);
    check_at_most(report.iterations, 10);
    pool_close(&p);
}

// Along a periodic axis nothing tells where the first block is; periods of one, two, three and four blocks.
static void test_periodic_axis_has_no_seam(void **state)
{
    (void)state;
    const int32_t periods[4] = {1, 2, 6, 4};
    for (int n = 0; n < 4; n++) {
        const int32_t period[3] = {0, 0, periods[n]};
        const int low[3] = {0, 0, 0}, high[3] = {5, 5, periods[n]};
        pool p;
        pool_open_box(&p, 1.0, low, high, period);
        for (size_t c = 0; c < p.cells; c++) {
            int cell[3];
            pool_cell(&p, c, cell);
            p.kind[c] = cell[1] < 18 && cell[0] < 19 ? DR_CELL_LIQUID : DR_CELL_AIR;
            double phase = 2.0 * PI * (cell[2] + 0.5) / (4.0 * periods[n]);
            p.source[c] = (float)(sin(0.3 * cell[0]) + cos(phase));
            if (cell[1] == 0) p.open[4 * c + 1] = 0.0F;
        }
        dr_solve_report report = pool_solve(&p, 1, &sharp, NULL);
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        check_at_most(report.iterations, 20);
        for (size_t c = 0; c < p.cells; c++) { // the source is even about the seam, so the answer is
            int cell[3];
            pool_cell(&p, c, cell);
            cell[2] = 4 * periods[n] - 1 - cell[2];
            check_near((double)p.pressure[c], (double)p.pressure[pool_find(&p, cell)], 1e-4);
        }
        check_at_most(largest_divergence(&p), 1e-4);
        pool_close(&p);
    }
}

// ---- small, empty, bad

static void test_nothing_to_solve_is_solved(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {1, 2, 1};
    pool p;
    pool_open(&p, 1.0, NULL, 0, open_period);
    assert_int_equal(pool_solve(&p, 1, NULL, NULL).reason, DR_REASON_CONVERGED);
    pool_close(&p);
    pool_open_box(&p, 1.0, low, high, open_period);
    dr_solve_report report = pool_solve(&p, 1, NULL, NULL);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(report.iterations, 0);
    for (size_t c = 0; c < p.cells; c++) check_near((double)p.pressure[c], 0.0, 0.0);
    for (size_t f = 0; f < 4 * p.cells; f++) check_near((double)p.gradient[f], 0.0, 0.0);
    pool_close(&p);
}

static void test_single_cell_has_its_own_answer(void **state)
{
    (void)state;
    const int low[3] = {0, 0, 0}, high[3] = {2, 2, 2};
    pool p;
    pool_open_box(&p, 1.0, low, high, open_period);
    int middle[3] = {4, 3, 5};
    size_t c = (size_t)pool_find(&p, middle);
    p.kind[c] = DR_CELL_LIQUID;
    p.source[c] = 6.0F;
    dr_solve_report report = pool_solve(&p, 1, NULL, NULL);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    check_near((double)p.pressure[c], 0.5, 1e-6); // six surfaces at half a cell
    memset(p.open, 0, 4 * p.cells * sizeof *p.open);
    dr_pressure_facts facts;
    report = pool_solve(&p, 1, NULL, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.unknowns, 0);
    check_near((double)p.pressure[c], 0.0, 0.0);
    pool_close(&p);
}

static void test_numbers_that_are_not_finite_are_told_and_leave_zeros(void **state)
{
    (void)state;
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int n = 0; n < 15; n++) {
        pool p;
        open_random(&p, (const int[3]){2, 3, 2}, 3, 0.0);
        p.problem.inverse_stiffness = p.stiffness;
        int inside[3] = {3, 3, 3}, cell[3] = {3, 4, 3};
        size_t c = (size_t)pool_find(&p, inside);
        p.kind[c] = DR_CELL_LIQUID;
        p.kind[pool_find(&p, cell)] = DR_CELL_AIR;
        size_t f = 4 * (size_t)pool_find(&p, cell) + 1;
        p.open[f] = 1.0F;
        float *const where[5] = {&p.flux[f], &p.mobility[f], &p.ghost[f], &p.source[c], &p.stiffness[c]};
        *where[n % 5] = bad[n / 5];
        dr_solve_report report = pool_solve(&p, 1, NULL, NULL);
        bool harmless = n % 5 == 1 && n / 5 == 2; // a mobility of minus infinity counts as none, as any below zero
        assert_int_equal(report.reason, harmless ? DR_REASON_CONVERGED : DR_REASON_NOT_FINITE);
        for (size_t k = 0; k < p.cells && !harmless; k++) check_near((double)p.pressure[k], 0.0, 0.0);
        for (size_t k = 0; k < 4 * p.cells; k++) assert_true(isfinite(p.gradient[k]));
        pool_close(&p);
    }
}

static void test_failed_try_is_repeated_more_safely(void **state)
{
    (void)state;
    pool p;
    open_random(&p, (const int[3]){3, 3, 3}, 6, 0.5);
    const dr_pressure_options hasty = {1e-6, 1, 2000}, hopeless = {1e-6, 1, 2};
    dr_pressure_facts facts;
    dr_solve_report report = pool_solve(&p, 1, &hasty, &facts);
    assert_int_equal(report.reason, DR_REASON_CONVERGED);
    assert_int_equal(facts.tries, 3);
    check_at_most(report.residual, 1e-6);
    float *safe = pool_floats(p.cells, 0.0F);
    memcpy(safe, p.pressure, p.cells * sizeof *safe);
    pool_solve(&p, 1, &sharp, &facts);
    assert_int_equal(facts.tries, 1);
    for (size_t c = 0; c < p.cells; c++) check_near((double)safe[c], (double)p.pressure[c], 1e-4);
    report = pool_solve(&p, 1, &hopeless, &facts);
    assert_int_equal(report.reason, DR_REASON_ITERATIONS);
    assert_true(report.residual > 1e-6 && isfinite(report.residual));
    free(safe);
    pool_close(&p);
}

static void test_good_guess_saves_iterations(void **state)
{
    (void)state;
    pool p;
    open_random(&p, (const int[3]){4, 4, 4}, 7, 0.5);
    dr_solve_report cold = pool_solve(&p, 1, &sharp, NULL);
    memcpy(p.guess, p.pressure, p.cells * sizeof *p.guess);
    p.problem.guess = p.guess;
    dr_solve_report warm = pool_solve(&p, 1, &dr_pressure_defaults, NULL);
    assert_int_equal(warm.reason, DR_REASON_CONVERGED);
    assert_true(cold.iterations > 5);
    check_at_most(warm.iterations, 1);
    for (size_t c = 0; c < p.cells; c++) p.guess[c] = NAN; // no guess at all
    assert_int_equal(pool_solve(&p, 1, &dr_pressure_defaults, NULL).reason, DR_REASON_CONVERGED);
    pool_close(&p);
}

// ---- memory and threads

static void test_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    pool p;
    open_random(&p, (const int[3]){9, 7, 8}, 9, 1.0);
    dr_solve_report first = pool_solve(&p, 1, NULL, NULL);
    assert_int_equal(first.reason, DR_REASON_CONVERGED);
    size_t bytes = p.cells * sizeof *p.pressure;
    float *pressure = malloc(bytes), *gradient = malloc(4 * bytes);
    memcpy(pressure, p.pressure, bytes);
    memcpy(gradient, p.gradient, 4 * bytes);
    const int threads[4] = {2, 3, 4, 8};
    for (int n = 0; n < 4; n++) {
        dr_solve_report report = pool_solve(&p, threads[n], NULL, NULL);
        assert_int_equal(report.iterations, first.iterations);
        assert_memory_equal(&report.residual, &first.residual, sizeof report.residual);
        assert_memory_equal(pressure, p.pressure, bytes);
        assert_memory_equal(gradient, p.gradient, 4 * bytes);
    }
    free(pressure);
    free(gradient);
    pool_close(&p);
}

static void test_every_failing_request_is_survived(void **state)
{
    (void)state;
    const dr_par par = {1};
    pool p;
    open_random(&p, (const int[3]){3, 3, 3}, 4, 0.5);
    bool done = false;
    long failures = 0;
    for (long n = 1; !done; n++) {
        scarce memory;
        dr_pressure pressure;
        dr_solve_report report;
        scarce_open(&memory, n);
        done = dr_pressure_open(&pressure, &memory.allocator);
        if (done) {
            done =
                dr_pressure_solve(&pressure, &par, &p.problem, &dr_pressure_defaults, p.pressure, p.gradient, &report);
            bool again =
                dr_pressure_solve(&pressure, &par, &p.problem, &dr_pressure_defaults, p.pressure, p.gradient, &report);
            assert_true(again); // the failure was the only one
            dr_pressure_close(&pressure);
        }
        failures += !done;
        assert_int_equal(memory.out, 0);
    }
    assert_true(failures > 20);
    pool_close(&p);
}

static void test_steady_solve_allocates_nothing(void **state)
{
    (void)state;
    const dr_par par = {1};
    pool p;
    scarce memory;
    dr_pressure pressure;
    dr_solve_report report;
    scarce_open(&memory, 0);
    open_random(&p, (const int[3]){4, 3, 3}, 4, 0.5);
    assert_true(dr_pressure_open(&pressure, &memory.allocator));
    long requests = 0;
    for (int n = 0; n < 3; n++) {
        assert_true(
            dr_pressure_solve(&pressure, &par, &p.problem, &dr_pressure_defaults, p.pressure, p.gradient, &report));
        if (n == 0) requests = memory.requests;
        for (size_t f = 0; f < 4 * p.cells; f++) p.flux[f] *= -0.9F;
    }
    assert_int_equal(memory.requests, requests);
    dr_pressure_close(&pressure);
    assert_int_equal(memory.out, 0);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hydrostatic_column_is_exact),
        cmocka_unit_test(test_free_surface_is_second_order),
        cmocka_unit_test(test_compressible_cell_follows_its_source),
        cmocka_unit_test(test_moving_wall_pushes_its_volume_out),
        cmocka_unit_test(test_gradient_is_that_of_the_pressure),
        cmocka_unit_test(test_closed_cavity_is_solved_up_to_a_constant),
        cmocka_unit_test(test_source_that_cannot_leave_is_spread_and_told),
        cmocka_unit_test(test_separate_regions_do_not_feel_each_other),
        cmocka_unit_test(test_random_shapes_converge),
        cmocka_unit_test(test_coefficient_jump_converges),
        cmocka_unit_test(test_thin_walls_converge),
        cmocka_unit_test(test_periodic_axis_has_no_seam),
        cmocka_unit_test(test_nothing_to_solve_is_solved),
        cmocka_unit_test(test_single_cell_has_its_own_answer),
        cmocka_unit_test(test_numbers_that_are_not_finite_are_told_and_leave_zeros),
        cmocka_unit_test(test_failed_try_is_repeated_more_safely),
        cmocka_unit_test(test_good_guess_saves_iterations),
        cmocka_unit_test(test_bits_do_not_depend_on_threads),
        cmocka_unit_test(test_every_failing_request_is_survived),
        cmocka_unit_test(test_steady_solve_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
