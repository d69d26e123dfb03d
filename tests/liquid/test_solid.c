#include "pool.h"

#include "geom/cut.h"
#include "grid/halo.h"
#include "liquid/solid.h"
#include "collide/open_share.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

typedef struct room {
    pool water;
    size_t items;
    float *corner, *area, *volume;
} room;

// A block of liquid around the origin, and solids over it.
static void open_room(room *r)
{
    body box = {.kind = BOX, .at = {0.0, 0.0, 0.0}, .half = {8.0 * cell, 8.0 * cell, 8.0 * cell}};
    open_pool(&r->water, cell);
    pour_body(&r->water, &box, 1, 0.0, 9.0 * cell);
    assert_true(dr_grid_rebuild(&r->water.grid, &one_thread, &r->water.particles));
    r->items = r->water.grid.block_count * 64;
    r->corner = malloc(r->items * sizeof(float));
    r->area = malloc(4 * r->items * sizeof(float));
    r->volume = malloc(r->items * sizeof(float));
}

static void set_solid(room *r, const body *solid)
{
    for (size_t i = 0; i < r->items; i++) {
        double x[3];
        cell_place(&r->water.grid, i / 64, (int)(i % 64), 0.0, x);
        r->corner[i] = (float)body_distance(solid, x);
    }
    dr_open_share_measure(&r->water.grid, &one_thread, r->corner, r->area, r->volume);
}

static void close_room(room *r)
{
    free(r->corner);
    free(r->area);
    free(r->volume);
    close_pool(&r->water);
}

static bool is_inner(const double x[3])
{
    return fabs(x[0]) < 7.0 * cell && fabs(x[1]) < 7.0 * cell && fabs(x[2]) < 7.0 * cell;
}

// Share of the unit square with d + n.x > 0, counted finely along one direction and exactly along the other.
static double open_square(double d, double n, double m)
{
    enum { ROWS = 20000 };
    double sum = 0.0;
    for (int i = 0; i < ROWS; i++) {
        double rest = d + n * ((i + 0.5) / ROWS - 0.5);
        if (fabs(m) < 1e-9) {
            sum += rest > 0.0;
        } else {
            double edge = fmin(0.5, fmax(-0.5, -rest / fabs(m)));
            sum += 0.5 - edge;
        }
    }
    return sum / ROWS;
}

static double open_cube(double d, const double n[3])
{
    enum { SLICES = 400 };
    double sum = 0.0;
    for (int i = 0; i < SLICES; i++) {
        double rest = d + n[0] * ((i + 0.5) / SLICES - 0.5);
        double m[3] = {1e-14, n[1], n[2]};
        sum += 1.0 - dr_cut_cube(rest, m);
    }
    return sum / SLICES;
}

static void test_faces_cut_by_planes_are_exact(void **state)
{
    (void)state;
    const double normals[][3] = {{1, 0, 0}, {0.6, 0.8, 0}, {0.48, -0.6, 0.64}, {-0.36, 0.48, -0.8}, {0, 0, -1}};
    room r;
    open_room(&r);
    for (int k = 0; k < 5; k++) {
        body plane = {.kind = PLANE, .at = {0.031 * k, 0.02, 0.07}, .normal = {0}};
        memcpy(plane.normal, normals[k], sizeof plane.normal);
        set_solid(&r, &plane);
        int cut = 0;
        for (size_t i = 0; i < r.items && cut < 200; i++) {
            double x[3];
            cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
            if (!is_inner(x)) continue;
            for (int a = 0; a < 3; a++) {
                double y[3] = {x[0], x[1], x[2]};
                y[a] -= 0.5 * cell;
                double d = body_distance(&plane, y) / cell, n = plane.normal[(a + 1) % 3],
                       m = plane.normal[(a + 2) % 3];
                if (fabs(d) > 1.0) continue;
                double truth = open_square(d, n, m);
                if (truth < 0.0101) truth = truth < 0.0099 ? 0.0 : (double)r.area[4 * i + (size_t)a];
                double side = 0.5 * plane.normal[a],
                       room = fmin(open_cube(d + side, plane.normal), open_cube(d - side, plane.normal));
                if (room < 0.0099) truth = 0.0;
                if (fabs(room - 0.01) < 1e-4) continue;
                assert_true(fabs((double)r.area[4 * i + (size_t)a] - truth) < 1e-4);
                cut++;
            }
        }
        assert_true(cut > 50);
    }
    close_room(&r);
}

static void test_cells_cut_by_planes_are_exact(void **state)
{
    (void)state;
    const double normals[][3] = {{1, 0, 0}, {0.6, 0.8, 0}, {0.48, -0.6, 0.64}, {-0.36, 0.48, -0.8}};
    room r;
    open_room(&r);
    for (int k = 0; k < 4; k++) {
        body plane = {.kind = PLANE, .at = {0.031 * k, 0.02, 0.07}, .normal = {0}};
        memcpy(plane.normal, normals[k], sizeof plane.normal);
        set_solid(&r, &plane);
        for (size_t i = 0; i < r.items; i++) {
            double x[3];
            cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
            double d = body_distance(&plane, x) / cell;
            if (!is_inner(x) || fabs(d) > 1.0) continue;
            double truth = open_cube(d, plane.normal);
            if (truth > 0.011 || truth < 0.009) {
                assert_true(fabs((double)r.volume[i] - (truth < 0.01 ? 0.0 : truth)) < 2e-3);
            }
        }
    }
    close_room(&r);
}

static void test_a_solid_sphere_takes_up_its_volume_and_closes_its_surface(void **state)
{
    (void)state;
    room r;
    open_room(&r);
    body sphere = {.kind = SPHERE, .at = {0.03, -0.05, 0.08}, .radius = 5.0 * cell};
    set_solid(&r, &sphere);
    double solid = 0.0;
    for (size_t i = 0; i < r.items; i++) {
        double x[3];
        cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
        assert_true(r.volume[i] >= 0.0F && r.volume[i] <= 1.0F);
        if (is_inner(x)) solid += 1.0 - (double)r.volume[i];
    }
    double truth = 4.0 / 3.0 * 3.14159265 * 125.0;
    assert_true(fabs(solid / truth - 1.0) < 0.025);
    close_room(&r);
}

static void test_what_a_solid_covers_is_what_it_leaves_open(void **state)
{
    (void)state;
    room r;
    body wall = {.kind = PLANE, .at = {0.03, -0.02, 0.05}, .normal = {0.6, 0.0, 0.8}};
    int cut = 0;
    open_room(&r);
    set_solid(&r, &wall);
    for (size_t b = 0; b < r.water.grid.block_count; b++) {
        float corner[DR_HALO_ITEMS] = {0}, area[4 * DR_BLOCK_NODES] = {0}, volume[DR_BLOCK_NODES] = {0};
        for (int i = 0; i < 125; i++) {
            double x[3], low[3];
            cell_place(&r.water.grid, b, 0, 0.0, low);
            for (int a = 0; a < 3; a++) x[a] = low[a] + cell * (a == 0 ? i / 25 : a == 1 ? i / 5 % 5 : i % 5);
            corner[DR_HALO_ITEM(i / 25, i / 5 % 5, i % 5)] = (float)body_distance(&wall, x);
        }
        dr_open_share_cover(corner, area, volume);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t item = b * DR_BLOCK_NODES + (size_t)c;
            double x[3];
            cell_place(&r.water.grid, b, c, 0.5, x);
            if (!is_inner(x)) continue;
            assert_true(fabsf(1.0F - volume[c] - r.volume[item]) < 1e-4F);
            for (size_t a = 0; a < 3 && r.area[4 * item + a] > 0.0F; a++)
                assert_true(fabsf(1.0F - area[4 * (size_t)c + a] - r.area[4 * item + a]) < 1e-4F);
            cut += volume[c] > 0.0F && volume[c] < 1.0F;
        }
    }
    assert_true(cut > 100);
    close_room(&r);
}

static void test_shares_of_cubes_and_squares_add_up_to_one(void **state)
{
    (void)state;
    dice d = {11};
    for (int i = 0; i < 2000; i++) {
        double n[3], back[3], at = roll(&d, -0.9, 0.9), v[4];
        for (int a = 0; a < 3; a++) back[a] = -(n[a] = i % 7 == a ? 0.0 : roll(&d, -1.0, 1.0));
        assert_true(fabs(dr_cut_cube(at, n) + dr_cut_cube(-at, back) - 1.0) < 1e-6);
        for (int a = 0; a < 4; a++) v[a] = roll(&d, -1.0, 1.0);
        double share = dr_cut_square(v[0], v[1], v[2], v[3]);
        assert_true(share >= 0.0 && share <= 1.0);
        assert_true(fabs(share + dr_cut_square(-v[0], -v[1], -v[2], -v[3]) - 1.0) < 1e-12);
        assert_true(fabs(share - dr_cut_square(v[3], v[0], v[1], v[2])) < 1e-12);
    }
}

// ---- slip

static const double flow[3] = {3.0, -2.0, 1.0}, drive[3] = {0.5, 0.25, -4.0};

// What is done before the pressure solve to faces that are open in part, and after it to closed ones, both to
// `velocity`; `held` as if the liquid were of endless viscosity.
static void constrain(const room *r, const float *solid, float held, const float *velocity, float *result)
{
    dr_solid_slip slip = {r->corner, r->area, solid, NULL, held, NULL, 1e30F, true, NULL};
    float *before = malloc(4 * r->items * sizeof(float));
    dr_solid_constrain(&slip, &r->water.grid, &one_thread, velocity, before);
    slip.before_pressure = false;
    dr_solid_constrain(&slip, &r->water.grid, &one_thread, velocity, result);
    for (size_t i = 0; i < 4 * r->items; i++) {
        if (r->area[i] > 0.0F) result[i] = before[i];
    }
    free(before);
}

static void check_slip(const body *wall, bool moving)
{
    room r;
    open_room(&r);
    set_solid(&r, wall);
    size_t bytes = 4 * r.items * sizeof(float);
    float *velocity = malloc(bytes), *solid = malloc(bytes), *result = malloc(bytes);
    for (size_t i = 0; i < 4 * r.items; i++) {
        velocity[i] = i % 4 < 3 ? (float)flow[i % 4] : 0.0F;
        solid[i] = i % 4 < 3 ? (float)drive[i % 4] : 0.0F;
    }
    constrain(&r, moving ? solid : NULL, 0.0F, velocity, result);
    int closed = 0;
    double relative[3], along = 0.0;
    for (int a = 0; a < 3; a++) {
        relative[a] = flow[a] - (moving ? drive[a] : 0.0);
        along += relative[a] * wall->normal[a];
    }
    for (size_t i = 0; i < r.items; i++) {
        double x[3];
        cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (!is_inner(x)) continue;
        for (int a = 0; a < 3; a++) {
            double expected = flow[a], open = (double)r.area[4 * i + (size_t)a];
            if (open == 0.0) {
                double kept = relative[a] - along * wall->normal[a];
                expected = (moving ? drive[a] : 0.0) + kept;
                closed++;
            }
            assert_true(fabs((double)result[4 * i + (size_t)a] - expected) < 1e-4);
        }
    }
    assert_true(closed > 100);
    free(velocity);
    free(solid);
    free(result);
    close_room(&r);
}

static void test_walls_take_the_normal_velocity_and_leave_the_rest(void **state)
{
    (void)state;
    body wall = {.kind = PLANE, .at = {0.03, 0.02, 0.07}, .normal = {0.6, 0.0, 0.8}};
    body floor = {.kind = PLANE, .at = {0.0, 0.06, 0.0}, .normal = {0, 1, 0}};
    check_slip(&floor, false);
    check_slip(&wall, true);
}

// A velocity along the floor that grows in proportion to the height above it goes on below as it is.
static void test_a_wall_that_holds_continues_a_shear_through_zero(void **state)
{
    (void)state;
    for (int step = 0; step < 10; step++) {
        body floor = {.kind = PLANE, .at = {0.0, (0.1 * step + 0.02) * cell, 0.0}, .normal = {0, 1, 0}};
        room r;
        open_room(&r);
        set_solid(&r, &floor);
        size_t bytes = 4 * r.items * sizeof(float);
        float *velocity = calloc(1, bytes), *result = malloc(bytes);
        for (size_t i = 0; i < r.items; i++) {
            double x[3];
            cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
            velocity[4 * i] = (float)(x[1] - floor.at[1]);
        }
        constrain(&r, NULL, 1.0F, velocity, result);
        int below = 0;
        for (size_t i = 0; i < r.items; i++) {
            double x[3];
            cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
            double height = (x[1] - floor.at[1]) / cell;
            if (!is_inner(x) || height < -0.999) continue;
            assert_true(fabs((double)result[4 * i] / cell - height) < 1e-4);
            below += height < 0.0;
        }
        assert_true(below > 100);
        free(velocity);
        free(result);
        close_room(&r);
    }
}

// A velocity that is the same everywhere has no slope that would bear out a wall's hold: friction is the viscous
// solve's.
static void test_a_wall_that_holds_leaves_an_even_flow_alone(void **state)
{
    (void)state;
    body floor = {.kind = PLANE, .at = {0.0, 0.3 * cell, 0.0}, .normal = {0, 1, 0}};
    room r;
    open_room(&r);
    set_solid(&r, &floor);
    float *velocity = malloc(4 * r.items * sizeof(float)), *result = malloc(4 * r.items * sizeof(float));
    for (size_t i = 0; i < 4 * r.items; i++) velocity[i] = i % 4 == 0 ? 2.0F : 0.0F;
    constrain(&r, NULL, 1.0F, velocity, result);
    for (size_t i = 0; i < r.items; i++) {
        double x[3];
        cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (is_inner(x) && floor.at[1] - x[1] < 1.999 * cell) assert_true(fabs((double)result[4 * i] - 2.0) < 1e-4);
    }
    free(velocity);
    free(result);
    close_room(&r);
}

static int expect_part_held(double floor_height, float diffusion)
{
    body floor = {.kind = PLANE, .at = {0.0, floor_height, 0.0}, .normal = {0, 1, 0}};
    room r;
    open_room(&r);
    set_solid(&r, &floor);
    float *velocity = calloc(4 * r.items, sizeof(float)), *result = malloc(4 * r.items * sizeof(float));
    for (size_t i = 0; i < r.items; i++) {
        double x[3];
        cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double height = (x[1] - floor.at[1]) / cell;
        velocity[4 * i] = height > 0.0 ? (float)height : 7.0F;
    }
    dr_solid_slip slip = {r.corner, r.area, NULL, NULL, 1.0F, NULL, diffusion, true, NULL};
    dr_solid_constrain(&slip, &r.water.grid, &one_thread, velocity, result);
    int seen = 0;
    for (size_t i = 0; i < r.items; i++) {
        double x[3];
        cell_place(&r.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double height = (x[1] - floor.at[1]) / cell, open = (double)r.area[4 * i];
        if (!is_inner(x) || !(open > 0.0 && open < 0.49)) continue;
        double rate = 2.4674011 * (double)diffusion / (open * open), held = rate / (1.0 + rate);
        assert_true(fabs((double)result[4 * i] - 7.0 * (1.0 - held) - height * held) < 1e-3);
        seen++;
    }
    free(velocity);
    free(result);
    close_room(&r);
    return seen;
}

// Faces that are open in part are held by viscosity alone: without it they keep their velocity.
static void test_faces_in_part_open_are_held_as_viscosity_tells(void **state)
{
    (void)state;
    const float diffusions[] = {0.0F, 0.1F, 1e30F};
    int seen = 0;
    for (int k = 0; k < 30; k++) seen += expect_part_held((0.1 * (k / 3) + 0.02) * cell, diffusions[k % 3]);
    assert_true(seen > 100);
}

// A leaning wall that moves with `drive`, and a flow past it: `base` on the wall, and `shear` more per cell away from
// it.
typedef struct passing {
    room r;
    body wall;
    float friction;
    double base[3], shear[3];
    float *velocity, *solid, *result;
} passing;

static double flow_at(const passing *p, const double x[3], int a)
{
    return p->base[a] + p->shear[a] * body_distance(&p->wall, x) / cell;
}

static void open_passing(passing *p, const double normal[3])
{
    p->wall = (body){.kind = PLANE, .at = {0.03, 0.02, 0.07}};
    memcpy(p->wall.normal, normal, sizeof p->wall.normal);
    open_room(&p->r);
    set_solid(&p->r, &p->wall);
    size_t bytes = 4 * p->r.items * sizeof(float);
    p->velocity = calloc(1, bytes);
    p->solid = calloc(1, bytes);
    p->result = malloc(bytes);
    for (size_t i = 0; i < 4 * p->r.items; i++) {
        double x[3];
        int a = (int)(i % 4);
        if (a == 3) continue;
        cell_place(&p->r.water.grid, i / 256, (int)(i / 4 % 64), 0.5, x);
        x[a] -= 0.5 * cell;
        p->velocity[i] = (float)flow_at(p, x, a);
        p->solid[i] = (float)drive[a];
    }
    constrain(&p->r, p->solid, p->friction, p->velocity, p->result);
}

static void close_passing(passing *p)
{
    free(p->velocity);
    free(p->solid);
    free(p->result);
    close_room(&p->r);
}

// docs/theory/solids.md, eq. (6), (7) and (9), for a flow that is the same everywhere.
static double expected_slip(const passing *p, int a, double depth, bool open)
{
    const double *n = p->wall.normal;
    double along = 0.0, step = fmax(fabs(n[(a + 1) % 3]), fabs(n[(a + 2) % 3]));
    for (int l = 0; l < 3; l++) along += n[l] * (p->base[l] - drive[l]);
    double slides = p->base[a] - drive[a] - n[a] * along, held = 2.0 * step - depth > 0.0 ? slides : 0.0;
    double friction = (double)p->friction;
    return drive[a] + (open ? along * n[a] : 0.0) + (1.0 - friction) * slides + friction * held;
}

static double input_again(const passing *p, int a, double depth, bool open)
{
    (void)open;
    return p->base[a] - p->shear[a] * depth;
}

// Faces with their centre in the wall but less than `deepest` cells.
static void expect_passing(const passing *p, double deepest, double (*expected)(const passing *, int, double, bool))
{
    int held = 0;
    for (size_t i = 0; i < 4 * p->r.items; i++) {
        double x[3];
        int a = (int)(i % 4);
        cell_place(&p->r.water.grid, i / 256, (int)(i / 4 % 64), 0.5, x);
        if (!is_inner(x) || a == 3) continue;
        x[a] -= 0.5 * cell;
        double depth = -body_distance(&p->wall, x) / cell;
        if (depth < 1e-3 || depth > deepest) continue;
        assert_true(fabs((double)p->result[i] - expected(p, a, depth, p->r.area[i] > 0.0F)) < 2e-4);
        held++;
    }
    assert_true(held > 100);
}

static const double leaning[][3] = {{0.6, 0, 0.8}, {0.48, -0.6, 0.64}, {-0.36, 0.48, -0.8}, {0, 1, 0}};

static void test_friction_on_leaning_walls_that_move_blends_between_sliding_and_holding(void **state)
{
    (void)state;
    const float frictions[] = {0.3F, 1.0F};
    for (int k = 0; k < 8; k++) {
        passing p = {.friction = frictions[k % 2], .base = {flow[0], flow[1], flow[2]}};
        open_passing(&p, leaning[k / 2]);
        expect_passing(&p, 3.0, expected_slip);
        close_passing(&p);
    }
}

static void test_a_leaning_wall_that_moves_continues_a_shear_through_its_own_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double *n = leaning[k];
        passing p = {.friction = 1.0F, .base = {drive[0], drive[1], drive[2]}};
        for (int a = 0; a < 3; a++) p.shear[a] = 2.0 * (n[(a + 1) % 3] - n[(a + 2) % 3]); // along the wall
        open_passing(&p, n);
        expect_passing(&p, 0.5, input_again);
        close_passing(&p);
    }
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    room r;
    open_room(&r);
    body sphere = {.kind = SPHERE, .at = {0.03, -0.05, 0.08}, .radius = 5.0 * cell};
    set_solid(&r, &sphere);
    float *area = malloc(4 * r.items * sizeof(float)), *volume = malloc(r.items * sizeof(float));
    for (int threads = 2; threads <= 3; threads++) {
        dr_par par = {threads};
        dr_open_share_measure(&r.water.grid, &par, r.corner, area, volume);
        assert_memory_equal(area, r.area, 4 * r.items * sizeof(float));
        assert_memory_equal(volume, r.volume, r.items * sizeof(float));
    }
    free(area);
    free(volume);
    close_room(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_cut_by_planes_are_exact),
        cmocka_unit_test(test_cells_cut_by_planes_are_exact),
        cmocka_unit_test(test_a_solid_sphere_takes_up_its_volume_and_closes_its_surface),
        cmocka_unit_test(test_what_a_solid_covers_is_what_it_leaves_open),
        cmocka_unit_test(test_shares_of_cubes_and_squares_add_up_to_one),
        cmocka_unit_test(test_walls_take_the_normal_velocity_and_leave_the_rest),
        cmocka_unit_test(test_a_wall_that_holds_continues_a_shear_through_zero),
        cmocka_unit_test(test_a_wall_that_holds_leaves_an_even_flow_alone),
        cmocka_unit_test(test_faces_in_part_open_are_held_as_viscosity_tells),
        cmocka_unit_test(test_friction_on_leaning_walls_that_move_blends_between_sliding_and_holding),
        cmocka_unit_test(test_a_leaning_wall_that_moves_continues_a_shear_through_its_own_velocity),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
