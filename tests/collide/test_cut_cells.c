// Cut cells: blocks measured on their own, kept from step to step with the same bits, and particles kept out.
#include "collide/cut_cells.h"
#include "geom/solids.h"
#include "grid/cloud.h"

#define CELL 0.25

typedef struct stage {
    dr_scene scene;
    dr_mesh_asset asset;
    test_mesh mesh;
    dr_domain_spec domain;
    dr_collider_set *colliders;
    dr_grid grid;
} stage;

// A box with a ball at rest, a mesh ball at rest and a plate that moves through the middle of it.
static void open_stage_of(stage *stage, double plate)
{
    static const int32_t period[3] = {0, 0, 0};
    static const double origin[3] = {0.03, 0.01, 0.02};
    dr_error error = {0};
    dr_motion_spec sine = {.kind = DR_MOTION_SINE, .amplitude = {1.5, 0.4, 0}, .frequency = 1.0, .stop = 10.0};
    dr_collider_spec specs[3] = {
        {.name = "ball", .shape = solid(DR_SHAPE_SPHERE), .boundary = DR_BOUNDARY_SLIP, .friction = 0.3},
        {.name = "mesh", .shape = solid(DR_SHAPE_MESH), .boundary = DR_BOUNDARY_STICKY},
        {.name = "plate", .shape = solid(DR_SHAPE_BOX), .boundary = DR_BOUNDARY_SEPARATE, .friction = 0.1}};
    *stage = (struct stage){.domain = {.cell = CELL, .min = {-5, -2, -5}, .max = {5, 5, 5}, .friction = 0.2}};
    for (int a = 0; a < 3; a++) stage->domain.side_min[a] = stage->domain.side_max[a] = DR_SIDE_SLIP;
    stage->domain.side_max[1] = DR_SIDE_OPEN;
    stage->mesh = ball_mesh(8);
    scene_with_mesh(&stage->scene, &stage->asset, &stage->mesh);
    dr_vec3_set(specs[0].shape.translate, -2.5, -1.2, 1);
    specs[1].shape.file = "mesh.obj";
    dr_vec3_set(specs[1].shape.translate, 2.5, -1.0, -1);
    specs[2].motion = (dr_motion_list){&sine, 1};
    specs[2].shape.scale = plate;
    stage->scene.spec.colliders = (dr_collider_list){specs, 3};
    if (dr_collider_set_create(&stage->scene, NULL, &stage->colliders, &error)) fail_msg("%s", error.text);
    assert_true(dr_grid_open(&stage->grid, NULL, CELL, origin, period));
}

static void open_stage(stage *stage)
{
    open_stage_of(stage, 1.0);
}

static void close_stage(stage *stage)
{
    dr_collider_set_destroy(stage->colliders);
    dr_grid_close(&stage->grid);
    release_mesh(&stage->mesh);
}

// Blocks of the box of which `share` are there, others for every seed.
static void make_blocks(stage *stage, double share, uint64_t seed)
{
    const dr_par par = {1};
    int32_t(*coordinate)[3] = calloc(12 * 9 * 12, sizeof *coordinate);
    size_t count = 0;
    for (int i = 0; i < 12 * 9 * 12; i++) {
        const int32_t at[3] = {i / 108 - 6, i / 12 % 9 - 3, i % 12 - 6};
        if (dr_random_unit(seed, (uint64_t)i) < share) memcpy(coordinate[count++], at, sizeof at);
    }
    assert_true(dr_grid_from_blocks(&stage->grid, &par, (const int32_t(*)[3])coordinate, count));
    free(coordinate);
}

static void drive(stage *stage, double time)
{
    dr_error error = {0};
    assert_int_equal(dr_collider_set_drive(stage->colliders, time, &error), DR_STATUS_OK);
}

static void open_cut(stage *stage, dr_cut_cells *cut, const dr_par *par, const dr_allocator *allocator)
{
    bool opened = dr_cut_cells_open(cut, allocator, par, &stage->grid, &stage->domain, stage->colliders);
    assert_true(opened);
}

static void measure(dr_cut_cells *cut, double dt)
{
    assert_true(dr_cut_cells_reserve(cut));
    static uint8_t everywhere[4096];
    memset(everywhere, 1, sizeof everywhere);
    assert_true(cut->solids.grid->block_count <= sizeof everywhere);
    assert_true(dr_cut_cells_measure(cut, everywhere, dt));
}

#define SAME(field, floats)                                                                                            \
    assert_memory_equal(one->field, other->field, one->solids.grid->block_count *(floats) * sizeof *one->field)

static void check_same(const dr_cut_cells *one, const dr_cut_cells *other)
{
    SAME(corner, 64);
    SAME(open_area, 256);
    SAME(solid_velocity, 256);
    SAME(rub, 256);
    SAME(open_volume, 64);
    SAME(open_before, 64);
    SAME(friction, 64);
    SAME(touch, 64);
    SAME(near_solid, 1);
    assert_memory_equal(&one->open_space, &other->open_space, sizeof one->open_space);
}

static size_t count_held(const dr_cut_cells *cut)
{
    size_t held = 0;
    for (size_t b = 0; b < cut->solids.grid->block_count; b++) held += cut->near_solid[b] && cut->holds[b] >= 0;
    return held;
}

static void test_kept_blocks_have_the_bits_of_measured_ones(void **state)
{
    (void)state;
    const dr_par one = {1}, two = {2};
    stage stage;
    dr_cut_cells kept, threaded;
    size_t held = 0;
    open_stage(&stage);
    open_cut(&stage, &kept, &one, NULL);
    open_cut(&stage, &threaded, &two, NULL);
    for (int step = 0; step < 24; step++) {
        dr_cut_cells fresh;
        make_blocks(&stage, step < 12 ? 0.7 : 0.3, (uint64_t)(step / 2)); // every second time as if retried
        drive(&stage, 0.05 * step);
        open_cut(&stage, &fresh, &one, NULL);
        measure(&kept, 0.01);
        measure(&threaded, 0.01);
        measure(&fresh, 0.01);
        check_same(&kept, &fresh);
        check_same(&kept, &threaded);
        held += count_held(&kept);
        dr_cut_cells_close(&fresh);
    }
    assert_true(held > 1000);
    dr_cut_cells_close(&kept);
    dr_cut_cells_close(&threaded);
    close_stage(&stage);
}

// A mesh and a ball that stood still are moved by a caller, and put back as if that had never been.
static void test_blocks_are_not_kept_of_a_collider_that_begins_to_move(void **state)
{
    (void)state;
    static const double none[3] = {0, 0, 0}, way[3] = {0.7, 0.4, 0.9};
    const dr_par par = {1};
    dr_steer rows[3] = {{0}}, off[3] = {{0}};
    dr_steers steers = {3, 3, off};
    stage stage;
    dr_cut_cells kept;
    open_stage(&stage);
    dr_collider_set_follow(stage.colliders, &steers);
    make_blocks(&stage, 0.7, 1);
    drive(&stage, 0.0);
    for (int i = 0; i < 2; i++)
        dr_steer_towards(&rows[i], dr_collider_set_pose(stage.colliders, i), 0.0, 0.2, none, none, way);
    open_cut(&stage, &kept, &par, NULL);
    for (int step = 0; step < 12; step++) {
        dr_cut_cells fresh;
        steers.item = step / 4 == 1 ? rows : off;
        drive(&stage, 0.05 * step);
        open_cut(&stage, &fresh, &par, NULL);
        measure(&kept, 0.01);
        measure(&fresh, 0.01);
        check_same(&kept, &fresh);
        dr_cut_cells_close(&fresh);
    }
    dr_cut_cells_close(&kept);
    close_stage(&stage);
}

// Deep inside a plate that moves there was no room either as the step began.
static void test_nothing_deep_in_a_moving_solid_was_open(void **state)
{
    (void)state;
    const dr_par par = {1};
    stage stage;
    dr_cut_cells cut;
    size_t deep = 0;
    open_stage_of(&stage, 4.0);
    make_blocks(&stage, 1.1, 0);
    open_cut(&stage, &cut, &par, NULL);
    for (int step = 0; step < 12; step++) {
        drive(&stage, 0.05 * step);
        measure(&cut, 0.002);
        for (size_t i = 0; i < 64 * stage.grid.block_count; i++) {
            if (!(cut.corner[i] < -2.05F * (float)CELL))
                continue; // every corner is deeper than the plate goes in a step
            assert_true(cut.open_before[i] == 0.0F);
            deep++;
        }
    }
    assert_true(deep > 100);
    dr_cut_cells_close(&cut);
    close_stage(&stage);
}

static double sum_open(const dr_cut_cells *cut, const float *open)
{
    double sum = 0.0;
    for (size_t i = 0; i < 64 * cut->solids.grid->block_count; i++) sum += (double)open[i];
    return sum;
}

// A plate as high and deep as the box moves along it and crosses faces of the grid: what was open as a step began is
// what was open as the one before it ended, in steps that cross as in those that do not, up to open shares that count
// as none, of cells along its two sides.
static void test_what_was_open_before_is_what_the_last_step_left_open(void **state)
{
    (void)state;
    const dr_par par = {1};
    dr_collider_spec specs[1] = {{.name = "plate", .shape = solid(DR_SHAPE_BOX), .boundary = DR_BOUNDARY_SLIP}};
    dr_motion_spec sine = {.kind = DR_MOTION_SINE, .amplitude = {0.7, 0, 0}, .frequency = 1.0, .stop = 10.0};
    const double least = 2.0 * 0.01 * (7.0 / CELL) * (10.0 / CELL);
    dr_error error = {0};
    stage stage;
    dr_cut_cells cut;
    open_stage(&stage);
    dr_collider_set_destroy(stage.colliders);
    specs[0].motion = (dr_motion_list){&sine, 1};
    dr_vec3_set(specs[0].shape.size, 2, 30, 30);
    stage.scene.spec.colliders = (dr_collider_list){specs, 1};
    if (dr_collider_set_create(&stage.scene, NULL, &stage.colliders, &error)) fail_msg("%s", error.text);
    make_blocks(&stage, 1.1, 0);
    open_cut(&stage, &cut, &par, NULL);
    drive(&stage, 0.0);
    measure(&cut, 0.004);
    for (int step = 1; step < 250; step++) {
        double left = sum_open(&cut, cut.open_volume);
        drive(&stage, 0.004 * step);
        measure(&cut, 0.004);
        double before = sum_open(&cut, cut.open_before);
        assert_true(fabs(before - left) < least);
    }
    dr_cut_cells_close(&cut);
    close_stage(&stage);
}

// Where a plate stands on a floor: open faces take the velocity of the one with
// friction, faces that a solid cuts that of the solid, and closed ones that of the solid they are in.
static void test_velocities_are_those_of_the_solid_that_matters(void **state)
{
    (void)state;
    const dr_par par = {1};
    stage stage;
    dr_cut_cells cut;
    int open = 0, part = 0;
    open_stage(&stage);
    stage.domain.friction = 0.0; // the plate alone has any
    stage.domain.min[1] = 0.0;   // and stands on the floor
    make_blocks(&stage, 1.1, 0);
    open_cut(&stage, &cut, &par, NULL);
    drive(&stage, 0.1);
    measure(&cut, 0.01);
    for (size_t f = 0; f < 256 * stage.grid.block_count; f++) {
        double x[3], velocity[3];
        int a = (int)(f % 4), c = (int)(f / 4 % 64);
        const double shift[3] = {a == 0 ? 0.0 : 0.5, a == 1 ? 0.0 : 0.5, a == 2 ? 0.0 : 0.5};
        if (a == 3 || fabs((double)cut.corner[f / 4]) > 1.5 * CELL) continue;
        dr_grid_point(&stage.grid, f / 256, c, shift, x);
        double plate = dr_collider_set_distance_within(stage.colliders, 2, x, CELL);
        bool cuts = cut.open_area[f] < 0.99F && a != 1; // the floor cuts no face that stands on it
        if (!(plate > 0.0 && plate < 0.7 * CELL) || !(cut.open_area[f] > 0.0F) || x[1] < 0.0) continue;
        if (a == 1 && x[1] < 0.6 * CELL) continue; // those that lie on it
        dr_collider_set_velocity(stage.colliders, 2, x, velocity);
        check_near((double)cut.solid_velocity[f], velocity[a], 1e-5);
        open += !cuts && x[1] < plate;
        part += cuts && x[1] < CELL;
    }
    assert_true(open > 15 && part > 15);
    dr_cut_cells_close(&cut);
    close_stage(&stage);
}

static void test_a_block_does_not_depend_on_which_others_there_are(void **state)
{
    (void)state;
    const dr_par par = {1};
    stage stage;
    dr_cut_cells all;
    open_stage(&stage);
    drive(&stage, 0.2);
    make_blocks(&stage, 1.1, 0);
    open_cut(&stage, &all, &par, NULL);
    measure(&all, 0.01);
    for (size_t b = 0; b < stage.grid.block_count; b++) {
        dr_cut_block block;
        dr_cut_block_measure(&all.solids, stage.grid.coordinate + 3 * b, &block);
        assert_memory_equal(block.corner, all.corner + 64 * b, sizeof block.corner);
        assert_memory_equal(block.open_volume, all.open_volume + 64 * b, sizeof block.open_volume);
        assert_memory_equal(block.rub, all.rub + 256 * b, sizeof block.rub);
    }
    dr_cut_cells_close(&all);
    close_stage(&stage);
}

static void test_corners_are_distances(void **state)
{
    (void)state;
    const dr_par par = {1};
    static const double none[3] = {0, 0, 0};
    stage stage;
    dr_cut_cells cut;
    size_t compared = 0;
    open_stage(&stage);
    make_blocks(&stage, 0.6, 3);
    drive(&stage, 0.3);
    open_cut(&stage, &cut, &par, NULL);
    measure(&cut, 0.01);
    for (size_t i = 0; i < 64 * stage.grid.block_count; i++) {
        double x[3];
        dr_grid_point(&stage.grid, i / 64, (int)(i % 64), none, x);
        double distance = dr_cut_solids_nearest(&cut.solids, x, INFINITY).distance;
        if (fabs(distance) > 2.0 * CELL) continue;
        check_near((double)cut.corner[i], distance, 2e-5 * CELL);
        compared++;
    }
    assert_true(compared > 5000);
    dr_cut_cells_close(&cut);
    close_stage(&stage);
}

static void test_the_nearest_solid_is_the_nearest_of_sides_and_colliders(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    drive(&stage, 0.3);
    const dr_cut_solids solids = {&stage.grid, &stage.domain, stage.colliders, NULL};
    for (uint64_t i = 0; i < 3000; i++) {
        double x[3];
        random_point(x, 5, i, 4.9);
        dr_collider_point expected = dr_collider_set_nearest(stage.colliders, x);
        for (int a = 0; a < 3; a++) {
            double high = a == 1 ? INFINITY : stage.domain.max[a] - x[a];
            expected.distance = fmin(expected.distance, fmin(x[a] - stage.domain.min[a], high));
        }
        dr_collider_point found = dr_cut_solids_nearest(&solids, x, INFINITY);
        check_near(found.distance, expected.distance, 1e-12);
        check_near(dr_cut_solids_nearest(&solids, x, 0.5).distance, fmin(0.5, expected.distance), 1e-12);
        check_near(dr_vec3_length(found.normal), 1.0, 1e-12);
    }
    close_stage(&stage);
}

// A grid of one mesh ball that turns and moves: the samples tell its distance, wherever it has got to before.
static void test_samples_of_a_moving_mesh_are_within_their_bound(void **state)
{
    (void)state;
    const dr_par one = {1}, two = {2};
    stage stage;
    dr_error error = {0};
    dr_motion_spec motions[2] = {{.kind = DR_MOTION_SINE, .amplitude = {1.5, 0.4, 0}, .frequency = 1.0, .stop = 10.0},
                                 {.kind = DR_MOTION_SPIN, .axis = {0, 1, 0}, .rate = 2.0, .stop = 10.0}};
    dr_collider_spec spec = {.name = "mesh", .shape = solid(DR_SHAPE_MESH), .motion = {motions, 2}};
    dr_cut_cells used, threaded;
    size_t compared = 0;
    double worst = 0.0;
    open_stage(&stage);
    dr_collider_set_destroy(stage.colliders);
    spec.shape.file = "mesh.obj";
    stage.scene.spec.colliders = (dr_collider_list){&spec, 1};
    if (dr_collider_set_create(&stage.scene, NULL, &stage.colliders, &error)) fail_msg("%s", error.text);
    open_cut(&stage, &used, &one, NULL);
    open_cut(&stage, &threaded, &two, NULL);
    for (int step = 0; step < 6; step++) {
        static const double none[3] = {0, 0, 0};
        dr_cut_cells fresh;
        make_blocks(&stage, 0.7, (uint64_t)step);
        drive(&stage, 0.07 * step);
        open_cut(&stage, &fresh, &one, NULL);
        measure(&used, 0.01);
        measure(&threaded, 0.01);
        measure(&fresh, 0.01);
        check_same(&used, &fresh);
        check_same(&used, &threaded);
        dr_cut_cells_close(&fresh);
        for (size_t i = 0; i < 64 * stage.grid.block_count; i++) {
            double x[3];
            dr_grid_point(&stage.grid, i / 64, (int)(i % 64), none, x);
            double distance = dr_cut_solids_nearest(&used.solids, x, INFINITY).distance;
            if (fabs(distance) > 2.0 * CELL) continue;
            worst = fmax(worst, fabs((double)used.corner[i] - distance) / CELL);
            compared++;
        }
    }
    assert_true(compared > 5000);
    check_at_most(worst, DR_BAND_ERROR);
    assert_true(worst > 0.0001); // they are samples
    dr_cut_cells_close(&used);
    dr_cut_cells_close(&threaded);
    close_stage(&stage);
}

static void test_running_out_of_memory_for_the_store_changes_nothing(void **state)
{
    (void)state;
    const dr_par par = {1};
    stage stage;
    dr_cut_cells enough;
    open_stage(&stage);
    make_blocks(&stage, 0.5, 1);
    open_cut(&stage, &enough, &par, NULL);
    measure(&enough, 0.01);
    for (long fails_at = 17; fails_at < 21; fails_at++) {
        scarce memory;
        dr_cut_cells cut;
        scarce_open(&memory, fails_at);
        open_cut(&stage, &cut, &par, &memory.allocator);
        measure(&cut, 0.01);
        measure(&cut, 0.01);
        check_same(&cut, &enough);
        dr_cut_cells_close(&cut);
        assert_int_equal(memory.out, 0);
    }
    dr_cut_cells_close(&enough);
    close_stage(&stage);
}

// ---- particles

static void pour(stage *stage, dr_particles *particles, size_t count)
{
    const dr_par par = {1};
    dice d = {7};
    assert_true(dr_particles_reserve(particles, NULL, count));
    particles->count = count;
    for (size_t p = 0; p < count; p++) {
        const double x[3] = {roll(&d, -4.9, 4.9), roll(&d, -1.9, 2.0), roll(&d, -4.9, 4.9)};
        fill_particle(particles, p, &d);
        dr_grid_place(&stage->grid, x, &particles->key[p], particles->offset + 3 * p);
    }
    assert_true(dr_grid_rebuild(&stage->grid, &par, particles));
}

// Moves every particle by up to a cell and a half, as a step does after the grid was built.
static void move(stage *stage, dr_particles *particles)
{
    dice d = {11};
    for (size_t p = 0; p < particles->count; p++) {
        double x[3];
        dr_grid_position(&stage->grid, particles->key[p], particles->offset + 3 * p, x);
        for (int a = 0; a < 3; a++) x[a] += roll(&d, -0.8, 0.8) * CELL;
        dr_grid_place(&stage->grid, x, &particles->key[p], particles->offset + 3 * p);
    }
}

// Where a particle belongs if the exact distance is asked for every one.
static bool push_out(const dr_cut_solids *solids, double x[3])
{
    bool moved = false;
    for (int again = 0; again < 3; again++) {
        dr_collider_point point = dr_cut_solids_nearest(solids, x, INFINITY);
        if (point.distance >= 0.05 * CELL) break;
        for (int a = 0; a < 3; a++) x[a] += (0.05 * CELL - point.distance) * point.normal[a];
        moved = true;
    }
    return moved;
}

static void test_particles_are_kept_out_and_others_left_alone(void **state)
{
    (void)state;
    const dr_par par = {1};
    stage stage;
    dr_cut_cells cut;
    dr_particles particles = {0};
    size_t count = 60000, clear = 0, pushed = 0;
    open_stage(&stage);
    drive(&stage, 0.1);
    pour(&stage, &particles, count);
    open_cut(&stage, &cut, &par, NULL);
    measure(&cut, 0.01);
    move(&stage, &particles);
    uint64_t *key = malloc(count * sizeof *key);
    float *offset = malloc(3 * count * sizeof *offset);
    memcpy(key, particles.key, count * sizeof *key);
    memcpy(offset, particles.offset, 3 * count * sizeof *offset);
    dr_cut_cells_keep_out(&cut, &particles, NULL);
    for (size_t p = 0; p < count; p++) {
        double before[3], after[3];
        dr_grid_position(&stage.grid, key[p], offset + 3 * p, before);
        dr_grid_position(&stage.grid, particles.key[p], particles.offset + 3 * p, after);
        if (push_out(&cut.solids, before)) {
            check_vector_near(after, before, 1e-5 * CELL);
            pushed++;
        } else {
            assert_memory_equal(before, after, sizeof before);
            clear++;
        }
    }
    assert_true(clear > 1000 && pushed > 1000);
    free(key);
    free(offset);
    dr_particles_free(&particles, NULL);
    dr_cut_cells_close(&cut);
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_blocks_have_the_bits_of_measured_ones),
        cmocka_unit_test(test_blocks_are_not_kept_of_a_collider_that_begins_to_move),
        cmocka_unit_test(test_velocities_are_those_of_the_solid_that_matters),
        cmocka_unit_test(test_nothing_deep_in_a_moving_solid_was_open),
        cmocka_unit_test(test_what_was_open_before_is_what_the_last_step_left_open),
        cmocka_unit_test(test_a_block_does_not_depend_on_which_others_there_are),
        cmocka_unit_test(test_corners_are_distances),
        cmocka_unit_test(test_the_nearest_solid_is_the_nearest_of_sides_and_colliders),
        cmocka_unit_test(test_samples_of_a_moving_mesh_are_within_their_bound),
        cmocka_unit_test(test_running_out_of_memory_for_the_store_changes_nothing),
        cmocka_unit_test(test_particles_are_kept_out_and_others_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
