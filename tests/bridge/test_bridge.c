#include "support/check.h"
#include "support/scarce.h"

#include "bridge/table.h"

#define SIGMA 72.0
#define R     0.0037

static dr_bridge solve(double r2, double angle1, double angle2, double distance, double area)
{
    dr_bridge_sides sides = {{R, r2}, {angle1, angle2}};
    dr_bridge bridge;
    assert_true(dr_bridge_solve(&sides, distance, area, &bridge));
    return bridge;
}

static void test_forces_of_equal_fibres(void **unused)
{
    (void)unused;
    static const double rows[][6] = {// angle, distance, area, alpha, R, force
                                     {0, 0.0085, 5e-5, 2.405291, -9.43582e-3, 58.783902},
                                     {0, 0.0200, 1e-4, 1.533104, 0.261666, 145.932455},
                                     {0, 0.0300, 3e-4, 1.948874, -4.43356e-2, 122.661437},
                                     {PI / 6, 0.0120, 5e-5, 1.277968, -2.15625e-2, 116.524944},
                                     {PI / 6, 0.0200, 5e-5, 0.783582, 2.83183e-2, 152.305253},
                                     {PI / 3, 0.0120, 5e-5, 1.062194, -8.18485e-3, 66.757470},
                                     {PI / 3, 0.0200, 1e-4, 0.852559, -2.34173e-2, 119.146729},
                                     {PI / 3, 0.0300, 1e-4, 0.568545, -0.264453, 142.769837},
                                     {PI / 3, 0.0300, 8e-4, 1.886591, -1.65042e-2, -0.977451}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dr_bridge bridge = solve(R, rows[i][0], rows[i][0], rows[i][1], rows[i][2]);
        check_near(bridge.wetted[0], rows[i][3], 1e-6);
        check_near(1.0 / bridge.curvature / rows[i][4], 1.0, 3e-6);
        check_near(SIGMA * bridge.force, rows[i][5], 1e-6);
        check_near(bridge.area / rows[i][2], 1.0, 1e-12);
    }
}

static void test_forces_of_unequal_fibres_and_of_a_plane(void **unused)
{
    (void)unused;
    dr_bridge bridge = solve(0.0074, 0.3, 0.3, 0.02, 1.2e-4);
    check_near(bridge.wetted[0], 1.52229, 1e-5);
    check_near(bridge.wetted[1], 1.16002, 1e-5);
    check_near(SIGMA * bridge.force, 135.106185, 1e-6);
    bridge = solve(0.010, 0.2, 0.9, 0.022, 2e-4);
    check_near(bridge.wetted[0], 2.24608, 1e-5);
    check_near(bridge.wetted[1], 0.98258, 1e-5);
    check_near(SIGMA * bridge.force, 68.458241, 1e-6);
    check_near(SIGMA * solve(INFINITY, PI / 3, PI / 3, 0.008, 1e-4).force, 59.940048, 1e-6);
    check_near(SIGMA * solve(INFINITY, 0.3, 0.8, 0.010, 1e-4).force, 159.894480, 1e-6);
}

static void test_action_is_reaction_between_unequal_fibres(void **unused)
{
    (void)unused;
    dr_bridge_sides there = {{R, 0.0074}, {0.3, 0.7}}, back = {{0.0074, R}, {0.7, 0.3}};
    dr_bridge a, b;
    assert_true(dr_bridge_solve(&there, 0.016, 1e-4, &a) && dr_bridge_solve(&back, 0.016, 1e-4, &b));
    check_near(a.force, b.force, 1e-10);
    check_near(a.energy, b.energy, 1e-12);
}

static void test_touching_fibres_follow_princen(void **unused)
{
    (void)unused;
    static const double rows[][3] = {
        {0.5, 7.832635, 0.0509327}, {1.0, 3.660975, 0.2884309}, {1.5, 2.146852, 0.7672925}};
    dr_bridge_sides sides = {{1.0, 1.0}, {0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        dr_bridge bridge;
        assert_true(dr_bridge_shape(&sides, 2.0, rows[i][0], &bridge));
        check_near(bridge.force, rows[i][1], 1e-6);
        check_near(bridge.area, rows[i][2], 1e-7);
        check_near(bridge.force, 2.0 / tan(0.5 * rows[i][0]), 1e-12);
    }
}

static void test_columns_in_equilibrium_with_their_ends(void **unused)
{
    (void)unused;
    static const double rows[][3] = {{0.1, 0.13571, 4.78951},
                                     {0.2, 0.45892, 3.55639},
                                     {0.4, 1.60861, 2.51070},
                                     {PI / 2 - 1, PI, 2.0},
                                     {1.0, 9.90154, 1.10390}};
    dr_bridge_sides sides = {{1.0, 1.0}, {0.0, 0.0}};
    dr_bridge bridge;
    for (int i = 0; i < 5; i++) {
        assert_true(dr_bridge_column(&sides, 2.0 + 2.0 * rows[i][0], &bridge));
        check_near(bridge.area, rows[i][1], 6e-6);
        check_near(bridge.force, rows[i][2], 6e-6);
    }
    assert_true(dr_bridge_column(&sides, 2.0 + 2.0 * 1.414, &bridge));
    assert_false(dr_bridge_column(&sides, 2.0 + 2.0 * 1.4145, &bridge));
}

static void check_slope(const dr_bridge_sides *sides, double distance, double area)
{
    double step = 1e-5 * sides->radius[0];
    dr_bridge at, more, less;
    if (!dr_bridge_solve(sides, distance, area, &at)) return;
    assert_true(dr_bridge_solve(sides, distance + step, area, &more));
    assert_true(dr_bridge_solve(sides, distance - step, area, &less));
    check_near((more.energy - less.energy) / (2.0 * step), at.force, 1e-6 * (1.0 + fabs(at.force)));
}

static void test_force_is_the_slope_of_energy_at_constant_area(void **unused)
{
    (void)unused;
    static const double angles[] = {0.0, 0.3, 0.7, 1.2}, second[] = {1.0, 1.7, 4.0, INFINITY};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            dr_bridge_sides sides = {{1.0, second[j]}, {angles[i], 0.5 * angles[i] + 0.1}};
            double touching = dr_bridge_touching(&sides);
            for (double s = 0.3; s < 6.0; s *= 1.7) {
                for (double share = 0.1; share < 1.0; share += 0.2) {
                    double reach = dr_bridge_rupture(&sides, s * s) - touching;
                    check_slope(&sides, touching + share * reach, s * s);
                }
            }
        }
    }
}

static void test_the_neck_closes_the_force(void **unused)
{
    (void)unused;
    dr_bridge bridge = solve(R, 0.4, 0.4, 0.012, 5e-5);
    double epsilon = PI / 2 - bridge.wetted[0] - 0.4, depth = 0.012 - 2.0 * R * cos(bridge.wetted[0]);
    check_near(bridge.neck, R * sin(bridge.wetted[0]) - 0.5 * depth * tan(0.5 * epsilon), 1e-12);
}

// ---- the table

static dr_bridge_table *open(double r2, double angle)
{
    dr_bridge_sides sides = {{R, r2}, {angle, angle}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    assert_non_null(table);
    return table;
}

static void compare(double r2, double angle, double limit)
{
    dr_bridge_sides sides = {{R, r2}, {angle, angle}};
    dr_bridge_table *table = open(r2, angle);
    double touching = dr_bridge_touching(&sides);
    for (double s = 0.05; s < 14.0; s *= 1.13) {
        double area = s * s * R * R, reach = dr_bridge_rupture(&sides, area) - touching;
        for (double share = 0.003; share < 1.0; share += 0.037) {
            dr_bridge bridge;
            double distance = touching + share * reach;
            double force = dr_bridge_solve(&sides, distance, area, &bridge) ? fmax(0.0, bridge.force) : 0.0;
            double found = dr_bridge_table_force(table, R, distance, area, NULL);
            check_near(found, force, limit * (1.0 + force));
        }
    }
    dr_bridge_table_destroy(table, NULL);
}

static void test_the_table_gives_the_exact_force(void **unused)
{
    (void)unused;
    compare(R, PI / 3, 5e-4);
    compare(R, 0.6, 5e-4);
    compare(INFINITY, PI / 3, 5e-4);
    compare(R, 0.0, 2e-2); // liquid that swallows both fibres begins with a kink
}

static void test_the_table_serves_every_radius(void **unused)
{
    (void)unused;
    dr_bridge_table *table = open(R, 1.0);
    double one = dr_bridge_table_force(table, R, 3.0 * R, 2.0 * R * R, NULL);
    check_near(dr_bridge_table_force(table, 1.0, 3.0, 2.0, NULL), one, 1e-12);
    dr_bridge_table_destroy(table, NULL);
}

static void test_slope_of_the_table(void **unused)
{
    (void)unused;
    dr_bridge_table *table = open(R, 1.0);
    for (double s = 0.1; s < 5.0; s *= 1.31) {
        double area = s * s * R * R, rupture = dr_bridge_table_rupture(table, R, area);
        for (double share = 0.05; share < 0.98; share += 0.0717) {
            double distance = 2.0 * R + share * (rupture - 2.0 * R), step = 1e-6 * R, slope;
            double force = dr_bridge_table_force(table, R, distance, area, &slope);
            double more = dr_bridge_table_force(table, R, distance + step, area, NULL);
            double less = dr_bridge_table_force(table, R, distance - step, area, NULL);
            if (force > 0.0 && more > 0.0 && less > 0.0)
                check_near((more - less) / (2.0 * step) * R, slope * R, 1e-5 * (1.0 + fabs(slope * R)));
        }
    }
    dr_bridge_table_destroy(table, NULL);
}

static void test_beyond_rupture_there_is_no_force(void **unused)
{
    (void)unused;
    dr_bridge_table *table = open(0.005 * R / 0.005, PI / 3);
    double film = 0.005, r = 0.005, area = 2.0 * PI * (film * film + 2.0 * film * r);
    check_near(area, 4.712389e-4, 1e-9);
    check_near(dr_bridge_table_rupture(table, r, area), 0.0430743, 1e-7);
    assert_true(dr_bridge_table_force(table, r, 0.0430, area, NULL) > 0.0);
    assert_true(dr_bridge_table_force(table, r, 0.0431, area, NULL) == 0.0);
    assert_true(dr_bridge_table_force(table, r, 2.0 * r, 0.0, NULL) == 0.0);
    dr_bridge_table_destroy(table, NULL);
}

static void test_the_table_survives_lack_of_memory(void **unused)
{
    (void)unused;
    scarce scarce;
    scarce_open(&scarce, 1);
    dr_bridge_sides sides = {{R, R}, {0.5, 0.5}};
    assert_null(dr_bridge_table_create(&sides, &scarce.allocator));
    assert_true(scarce.out == 0);
}

// Hand-made figures of four presets on fibres of 50 um: at rest, and drawn apart at 1 cm/s from touching. The yield
// stress is von Mises's: in shear sqrt(2/3) of it holds.
static void test_thick_liquids_hold_by_their_yield_stress_and_flow(void **unused)
{
    (void)unused;
    static const struct {
        dr_bridge_goo goo;
        double rest, drawn;
    } known[] = {
        {{1.2e3, 50.0, 0.27}, 11.5429, 13.5854},       // milk cream
        {{3.19e2, 2.72e2, 0.22}, 3.06850, 11.8942},    // shaving cream
        {{16.813, 6.496, 0.5173}, 0.161726, 0.990483}, // drilling mud
        {{9.6, 173.56, 0.3162}, 0.0923436, 8.86297},   // acrylic paint
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        check_near(dr_bridge_thick(&known[i].goo, 0.005, 0.01, 0.0) / known[i].rest, 1.0, 1e-5);
        check_near(dr_bridge_thick(&known[i].goo, 0.005, 0.01, -1.0) / known[i].drawn, 1.0, 1e-5);
        check_near(dr_bridge_thick(&known[i].goo, 0.005, 0.002, 1.0) / known[i].drawn, 1.0, 1e-5);
        double far = dr_bridge_thick(&known[i].goo, 0.005, 0.04, 1.0) - known[i].rest;
        check_near(far / ((known[i].drawn - known[i].rest) * pow(0.25, known[i].goo.index)), 1.0, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_of_equal_fibres),
        cmocka_unit_test(test_forces_of_unequal_fibres_and_of_a_plane),
        cmocka_unit_test(test_action_is_reaction_between_unequal_fibres),
        cmocka_unit_test(test_touching_fibres_follow_princen),
        cmocka_unit_test(test_columns_in_equilibrium_with_their_ends),
        cmocka_unit_test(test_force_is_the_slope_of_energy_at_constant_area),
        cmocka_unit_test(test_the_neck_closes_the_force),
        cmocka_unit_test(test_the_table_gives_the_exact_force),
        cmocka_unit_test(test_the_table_serves_every_radius),
        cmocka_unit_test(test_slope_of_the_table),
        cmocka_unit_test(test_beyond_rupture_there_is_no_force),
        cmocka_unit_test(test_the_table_survives_lack_of_memory),
        cmocka_unit_test(test_thick_liquids_hold_by_their_yield_stress_and_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
