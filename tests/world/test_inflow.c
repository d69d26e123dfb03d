// Emitters as velocity boundaries of the liquid.
#include "world_test.h"

#include "grid/halo.h"
#include "world/world.h"

#define POOL                                                                                                           \
    "domain: {cell: 0.5, min: [0, 0, 0], max: [6, 8, 4], x_min: slip, x_max: slip, y_min: slip, z_min: slip, z_max: "  \
    "slip}\n"                                                                                                          \
    "bodies: [{material: water, shape: {type: box, center: [3, 2, 2], size: [6, 4, 4]}}]\n"

#define NOZZLE                                                                                                         \
    "material: water, velocity: [80, 0, 0], shape: {type: cylinder, axis: x, center: [2, 2, 2], radius: 1, height: "   \
    "0.5}"

static double emitted_in(const char *text, double from, double to)
{
    dr_world *world = open_world(text, 1);
    advance(world, from);
    double before = dr_world_report(world)->volume_emitted;
    advance(world, to);
    double after = dr_world_report(world)->volume_emitted;
    dr_world_destroy(world);
    return after - before;
}

// The space around an emitter under water is full; what it brings makes its own room.
static void test_an_emitter_under_water_keeps_its_flux(void **unused)
{
    (void)unused;
    double flux = 3.14159265 * 80.0;
    assert_true(fabs(emitted_in(POOL "emitters: [{" NOZZLE "}]\n", 0.02, 0.08) / (0.06 * flux) - 1.0) < 0.03);
}

// What flows out of the cells of inlets, through the faces that the pressure takes for given, cm3/s.
static double flux_of_inlets(const dr_world *world)
{
    const dr_liquid *liquid = &world->liquid;
    double sum = 0.0, area = world->grid.cell * world->grid.cell;
    for (size_t i = 0; i < world->grid.block_count * DR_BLOCK_NODES; i++) {
        for (int a = 0; a < 3; a++) {
            int x[3] = {(int)(i >> 4 & 3), (int)(i >> 2 & 3), (int)(i & 3)};
            x[a]--;
            int64_t below = dr_halo_find(&world->grid, i / DR_BLOCK_NODES, x[0], x[1], x[2]);
            bool inside = liquid->inflow[i], before = below >= 0 && liquid->inflow[below];
            if (inside == before) continue;
            double speed = (double)liquid->velocity[4 * i + (size_t)a];
            sum += area * (before ? speed : -speed);
        }
    }
    return sum;
}

static void test_the_liquid_around_an_emitter_flows_with_its_flux(void **unused)
{
    (void)unused;
    dr_world *world = open_world(POOL "emitters: [{" NOZZLE "}]\n", 1);
    take_steps(world, 5);
    assert_true(world->liquid.has_inflow);
    assert_true(fabs(flux_of_inlets(world) / (3.14159265 * 80.0) - 1.0) < 0.02);
    dr_world_destroy(world);
}

static void test_what_an_emitter_under_water_brings_is_seen(void **unused)
{
    (void)unused;
    dr_world *world = open_world(POOL "emitters: [{" NOZZLE "}]\n", 1);
    advance(world, 0.1);
    const dr_report *report = dr_world_report(world);
    assert_true(report->volume_bulk > 96.0 + 0.09 * 251.0);
    assert_true(fabs(report->volume_occupied / report->volume_bulk - 1.0) < 0.02);
    assert_true(report->largest_speed < 200.0);
    dr_world_destroy(world);
}

static void test_an_emitter_may_wait_for_room(void **unused)
{
    (void)unused;
    double flux = 3.14159265 * 80.0;
    assert_true(emitted_in(POOL "emitters: [{waits: yes, " NOZZLE "}]\n", 0.02, 0.08) < 0.5 * 0.06 * flux);
}

// A strand beside a collider has blocks of the grid, but no liquid is in them.
static void test_an_emitter_pours_where_there_are_strands_and_colliders_alone(void **unused)
{
    (void)unused;
    double flux = 3.14159265 * 80.0;
    assert_true(emitted_in("domain: {cell: 0.5}\n"
                           "colliders: [{shape: {type: sphere, center: [0, -6, 0], radius: 2}}]\n"
                           "strands: [{material: hair, type: line, start: [-1, -2, 0], end: [1, -2, 0]}]\n"
                           "emitters: [{" NOZZLE "}]\n",
                           0.0, 0.02) > 0.9 * 0.02 * flux);
}

// Faces make a staircase of the shape, the flux is that of the shape itself.
static void test_an_emitters_area_is_its_shapes(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5}\nemitters: [{material: water, velocity: [3, 4, 0], shape: {type: sphere, radius: 1.3}}, "
        "{material: water, velocity: [0, 5, 0], shape: {type: box, size: [1, 2, 3]}}]\n",
        1);
    assert_true(fabs(world->constants.emitters[0].area / (3.14159265 * 1.69) - 1.0) < 0.02);
    assert_true(fabs(world->constants.emitters[1].area / 3.0 - 1.0) < 0.04);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_emitter_under_water_keeps_its_flux),
        cmocka_unit_test(test_the_liquid_around_an_emitter_flows_with_its_flux),
        cmocka_unit_test(test_what_an_emitter_under_water_brings_is_seen),
        cmocka_unit_test(test_an_emitter_may_wait_for_room),
        cmocka_unit_test(test_an_emitter_pours_where_there_are_strands_and_colliders_alone),
        cmocka_unit_test(test_an_emitters_area_is_its_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
