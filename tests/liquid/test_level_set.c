#include "pool.h"

#include "grid/halo.h"
#include "collide/open_share.h"
#include "liquid/tuning.h"
#include "liquid/kernel_moments.h"
#include "liquid/level_set.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

// What a wall leaves open.
static dr_level_set_solids find_open(const dr_grid *grid, const body *wall)
{
    size_t blocks = grid->block_count;
    float *corner = wall_corners(grid, wall), *area = malloc(256 * blocks * sizeof(float));
    float *open = malloc(64 * blocks * sizeof(float)), *moments = malloc(256 * blocks * sizeof(float));
    uint8_t *near = malloc(blocks + 1);
    memset(near, 1, blocks + 1);
    dr_open_share_measure(grid, &one_thread, corner, area, open);
    const dr_kernel_solids solids = {.corner = corner, .open_volume = open, .near = near, .spacing = 0.5};
    dr_kernel_moments(&solids, grid, &one_thread, NULL, moments);
    free(corner);
    free(area);
    free(near);
    return (dr_level_set_solids){moments, open};
}

static void free_open(dr_level_set_solids open)
{
    free((void *)open.moments);
    free((void *)open.open_volume);
}

// Where the surface cuts the lines between cell centres, against where it should: signed distances in cells.
typedef struct offsets {
    double mean, rms, most;
    int count;
} offsets;

static void add_offset(offsets *sum, double e)
{
    sum->mean += e;
    sum->rms += e * e;
    sum->most = fmax(sum->most, fabs(e));
    sum->count++;
}

static bool is_within(const body *shape, const double x[3], double span)
{
    for (int a = 0; a < 3; a++) {
        if (fabs(x[a] - shape->at[a]) > span) return false;
    }
    return true;
}

static offsets compare(const pool *water, const dr_level_set *surface, const body *shape, double span)
{
    offsets sum = {0};
    for (size_t b = 0; b < water->grid.block_count; b++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(&water->grid, b, surface->distance, 1.0F, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            double x[3];
            cell_place(&water->grid, b, c, 0.5, x);
            if (!is_within(shape, x, span)) continue;
            for (int a = 0; a < 3; a++) {
                int at = dr_halo_place(c);
                double here = (double)halo[at], above = (double)halo[at + dr_halo_step[a]], y[3] = {x[0], x[1], x[2]};
                if ((here < 0.0) == (above < 0.0)) continue;
                y[a] += cell * here / (here - above);
                add_offset(&sum, body_distance(shape, y) / cell);
            }
        }
    }
    assert_true(sum.count > 20);
    sum.mean /= sum.count;
    sum.rms = sqrt(sum.rms / sum.count);
    return sum;
}

// Measure-preserving shears that leave the surface where it is.
static void turn(double x[3], const double axis[3], double angle)
{
    double along = x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2], c = cos(angle), s = sin(angle);
    const double across[3] = {axis[1] * x[2] - axis[2] * x[1], axis[2] * x[0] - axis[0] * x[2],
                              axis[0] * x[1] - axis[1] * x[0]};
    for (int a = 0; a < 3; a++) x[a] = c * x[a] + s * across[a] + (1.0 - c) * along * axis[a];
}

static void stir_sphere(pool *water, const body *shape, int strokes)
{
    dice d = {5};
    for (int k = 0; k < strokes; k++) {
        double axis[3], length = 0.0, phase = roll(&d, 0.0, 6.0), pitch = roll(&d, 1.5, 4.5);
        for (int a = 0; a < 3; a++) length += pow(axis[a] = roll(&d, -1.0, 1.0), 2);
        for (int a = 0; a < 3; a++) axis[a] /= sqrt(length);
        for (size_t p = 0; p < water->particles.count; p++) {
            double x[3], r = 0.0;
            dr_grid_position(&water->grid, water->particles.key[p], water->particles.offset + 3 * p, x);
            for (int a = 0; a < 3; a++) r += pow(x[a] -= shape->at[a], 2);
            turn(x, axis, 0.7 * sin(phase + pitch * sqrt(r) / cell));
            for (int a = 0; a < 3; a++) x[a] += shape->at[a];
            dr_grid_place(&water->grid, x, water->particles.key + p, water->particles.offset + 3 * p);
        }
    }
}

static offsets measure(const body *shape, int per_cell, double jitter, int strokes)
{
    pool water;
    dr_level_set surface;
    bool sphere = shape->kind == SPHERE;
    double span = sphere ? shape->radius + cell : 8.0 * cell;
    open_pool(&water, cell);
    dr_level_set_open(&surface, NULL, 1.0 / cbrt(per_cell));
    pour_body(&water, shape, per_cell, jitter, span);
    if (strokes) stir_sphere(&water, shape, strokes);
    assert_true(dr_grid_rebuild(&water.grid, &one_thread, &water.particles));
    assert_true(dr_level_set_build(&surface, &water.grid, &one_thread, &water.particles, NULL));
    offsets result = compare(&water, &surface, shape, sphere ? 2.0 * span : span - 4.0 * cell);
    dr_level_set_close(&surface);
    close_pool(&water);
    return result;
}

static void test_planes_lie_where_they_are(void **state)
{
    (void)state;
    const double normals[][3] = {{1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {0.48, -0.6, 0.64}};
    const int densities[] = {8, 27, 64};
    for (int i = 0; i < 20; i++) {
        body plane = {.kind = PLANE, .at = {0.013 * i, 0.01 - 0.013 * i, 0.02 + 0.013 * i}, .normal = {0}};
        memcpy(plane.normal, normals[i % 4], sizeof plane.normal);
        int per_cell = densities[i / 4 % 3];
        offsets o = measure(&plane, per_cell, i % 5 == 4 ? 0.0 : DR_SEEDING_JITTER, 0);
        assert_true(fabs(o.mean) < 0.02);
        assert_true(o.rms < (per_cell == 8 ? 0.05 : 0.025));
        assert_true(o.most < 0.15);
    }
}

static void test_spheres_lie_where_they_are(void **state)
{
    (void)state;
    const double radii[] = {4.0, 5.0, 7.0, 11.0};
    const int densities[] = {8, 27, 64};
    for (int i = 0; i < 12; i++) {
        double radius = radii[i % 4] * cell;
        if (i % 4 == 3 && i > 4) continue;
        body sphere = {.kind = SPHERE, .at = {0.021 * i, 0.01 - 0.017 * i, 0.02 + 0.031 * i}, .radius = radius};
        offsets o = measure(&sphere, densities[i / 4], DR_SEEDING_JITTER, 0);
        assert_true(fabs(o.mean) < 0.03);
        assert_true(o.rms < 0.05);
        assert_true(o.most < 0.15);
    }
}

static void test_a_stirred_sphere_lies_where_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        body sphere = {.kind = SPHERE, .at = {0.1 * i, 0.0, -0.03 * i}, .radius = (4.0 + 3.0 * i) * cell};
        offsets few = measure(&sphere, 8, DR_SEEDING_JITTER, 20), many = measure(&sphere, 27, DR_SEEDING_JITTER, 20);
        assert_true(fabs(few.mean) < 0.05 && few.rms < 0.15);
        assert_true(fabs(many.mean) < 0.03 && many.rms < 0.09);
    }
}

// ---- liquid and solid together

// Poured as one body; what lies beyond x = 0.3 cells is taken for a solid.
static void part(const pool *all, pool *liquid, pool *solid)
{
    for (size_t p = 0; p < all->particles.count; p++) {
        double x[3];
        dr_grid_position(&all->grid, all->particles.key[p], all->particles.offset + 3 * p, x);
        add_drop(x[0] < 0.3 * cell ? liquid : solid, x, (double)all->particles.volume[p]);
    }
}

// [cell] the solid's volume in the kernel around it, in cells.
static float *solid_share(const dr_grid *grid, const dr_particles *solid)
{
    const dr_transfer transfer = {.kernel = DR_KERNEL_QUADRATIC};
    float *face = malloc(256 * grid->block_count * sizeof(float)),
          *share = malloc(64 * grid->block_count * sizeof(float));
    dr_transfer_values_to_faces(&transfer, grid, &one_thread, solid, solid->volume, face);
    for (size_t i = 0; i < 64 * grid->block_count; i++) share[i] = face[4 * i + 3] / (float)(cell * cell * cell);
    free(face);
    return share;
}

static void test_liquid_and_solid_have_one_surface_together(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.05, 0.01, 0.02}, .radius = 6.0 * cell};
    pool all, liquid, solid;
    dr_level_set own, joint;
    open_pool(&all, cell);
    open_pool(&liquid, cell);
    open_pool(&solid, cell);
    dr_level_set_open(&own, NULL, 0.5);
    dr_level_set_open(&joint, NULL, 0.5);
    pour_body(&all, &sphere, 8, DR_SEEDING_JITTER, 7.0 * cell);
    part(&all, &liquid, &solid);
    assert_true(liquid.particles.count > 500 && solid.particles.count > 500);
    const dr_point_set sets[] = {{.particles = &liquid.particles}, {.particles = &solid.particles}};
    assert_true(dr_grid_build(&liquid.grid, &one_thread, sets, 2));
    float *share = solid_share(&liquid.grid, &solid.particles);
    assert_true(dr_level_set_build(&own, &liquid.grid, &one_thread, &liquid.particles, NULL));
    assert_true(dr_level_set_join(&joint, &own, &liquid.grid, &one_thread, NULL, share));
    offsets o = compare(&liquid, &joint, &sphere, 14.0 * cell), half = compare(&liquid, &own, &sphere, 14.0 * cell);
    assert_true(fabs(o.mean) < 0.03 && o.rms < 0.05 && o.most < 0.15);
    assert_true(half.most > 2.0); // the liquid alone ends amidst the sphere
    for (size_t i = 0; i < 64 * liquid.grid.block_count; i++) {
        if (share[i] == 0.0F) assert_true(joint.fraction[i] == own.fraction[i]);
    }
    free(share);
    dr_level_set_close(&own);
    dr_level_set_close(&joint);
    close_pool(&all);
    close_pool(&liquid);
    close_pool(&solid);
}

// ---- one body looked at from many sides

typedef struct scene {
    pool water;
    dr_level_set surface;
    float *theta;
    uint8_t *cell;
} scene;

static void open_scene(scene *s, const body *shape, double span)
{
    open_pool(&s->water, cell);
    dr_level_set_open(&s->surface, NULL, 0.5);
    if (shape) pour_body(&s->water, shape, 8, DR_SEEDING_JITTER, span);
}

static void build_scene(scene *s)
{
    assert_true(dr_grid_rebuild(&s->water.grid, &one_thread, &s->water.particles));
    size_t blocks = s->water.grid.block_count;
    assert_true(dr_level_set_build(&s->surface, &s->water.grid, &one_thread, &s->water.particles, NULL));
    s->theta = malloc(blocks * 256 * sizeof(float));
    s->cell = malloc(blocks * 64);
    dr_level_set_mark(&s->surface, &s->water.grid, &one_thread, NULL, s->cell);
    dr_level_set_cut(&s->surface, &s->water.grid, &one_thread, s->cell, s->theta);
}

static void close_scene(scene *s)
{
    free(s->theta);
    free(s->cell);
    dr_level_set_close(&s->surface);
    close_pool(&s->water);
}

static void test_slope_is_one_and_the_band_has_depth(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.05, 0.01, 0.02}, .radius = 8.0 * cell};
    scene s;
    open_scene(&s, &sphere, 9.0 * cell);
    build_scene(&s);
    double sum = 0.0, square = 0.0;
    int count = 0;
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double truth = body_distance(&sphere, x) / cell, seen = (double)s.surface.distance[i] / cell;
        if (truth < -2.9) assert_true(seen < -2.0);
        if (truth > 2.5) assert_true(seen > 1.8);
        if (fabs(truth) > 0.75) continue;
        sum += seen - truth;
        square += (seen - truth) * (seen - truth);
        count++;
    }
    assert_true(fabs(sum / count) < 0.05);
    assert_true(sqrt(square / count) < 0.25);
    close_scene(&s);
}

static void test_cuts_lie_between_liquid_and_air_alone(void **state)
{
    (void)state;
    body plane = {.kind = PLANE, .at = {0.0, 0.03, 0.0}, .normal = {0, 1, 0}};
    scene s;
    open_scene(&s, &plane, 6.0 * cell);
    build_scene(&s);
    int found = 0;
    for (size_t b = 0; b < s.water.grid.block_count; b++) {
        uint8_t flag[DR_HALO_ITEMS];
        dr_halo_load_bytes(&s.water.grid, b, s.cell, DR_CELL_AIR, flag);
        for (int c = 0; c < 64; c++) {
            double x[3];
            cell_place(&s.water.grid, b, c, 0.5, x);
            const float *theta = s.theta + 4 * (64 * b + (size_t)c);
            for (int a = 0; a < 3; a++) {
                bool cut = flag[dr_halo_place(c)] != flag[dr_halo_place(c) - dr_halo_step[a]];
                assert_true(theta[a] >= (float)DR_LIQUID_LEAST_CUT && theta[a] <= 1.0F);
                if (!cut) assert_true(theta[a] == 1.0F);
                if (!cut || a != 1 || !is_within(&plane, x, 3.0 * cell)) continue;
                double below = x[1] - cell, truth = fmax((plane.at[1] - below) / cell, 0.01);
                assert_true(fabs((double)theta[a] - truth) < 0.15);
                found++;
            }
        }
    }
    assert_true(found >= 36);
    close_scene(&s);
}

// Less than half a cell of liquid is spray, which nothing holds together; a sheet two cells thick is liquid.
static void test_lone_particles_and_thin_sheets_are_spray(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, NULL, 0.0);
    double centre[3], volume = cell * cell * cell / 8.0;
    for (int a = 0; a < 3; a++) centre[a] = s.water.grid.origin[a] + 20.5 * cell;
    add_drop(&s.water, centre, volume);
    for (int i = 0; i < 5 * 256; i++) {
        double x[3] = {centre[0] + (i < 256 ? 30.0 : 60.0 + 0.5 * (i / 256)) * cell, centre[1] + 0.5 * cell * (i % 16),
                       centre[2] + 0.5 * cell * (i / 16 % 16)};
        add_drop(&s.water, x, volume);
    }
    build_scene(&s);
    int sheet = 0;
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (s.cell[i] != DR_CELL_LIQUID) continue;
        assert_true(fabs(x[0] - centre[0] - 61.25 * cell) < 1.1 * cell);
        sheet++;
    }
    assert_in_range(sheet, 80, 160);
    close_scene(&s);
}

static void test_no_holes_inside_stirred_liquid(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.0, 0.0, 0.0}, .radius = 8.0 * cell};
    scene s;
    open_scene(&s, &sphere, 9.0 * cell);
    stir_sphere(&s.water, &sphere, 30);
    build_scene(&s);
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (body_distance(&sphere, x) < -cell) assert_int_equal(s.cell[i], DR_CELL_LIQUID);
    }
    close_scene(&s);
}

// Periodic along x and z, a layer of liquid has no edges: its surface is level everywhere.
static void test_periodic_directions_have_no_edges(void **state)
{
    (void)state;
    for (int32_t blocks = 1; blocks <= 2; blocks++) {
        scene s = {0};
        double volume = cell * cell * cell / 8.0;
        open_pool_with(&s.water, cell, NULL, (int32_t[3]){blocks, 0, blocks});
        dr_level_set_open(&s.surface, NULL, 0.5);
        for (int i = 0; i < 64 * 12 * blocks * blocks; i++) {
            int n = 8 * blocks;
            const int at[3] = {i % n, i / (n * n), i / n % n};
            double x[3];
            for (int a = 0; a < 3; a++) x[a] = s.water.grid.origin[a] + 0.5 * cell * (at[a] + 0.5);
            add_drop(&s.water, x, volume);
        }
        build_scene(&s);
        double top = s.water.grid.origin[1] + 6.0 * cell;
        for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
            double x[3];
            cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
            if (fabs(x[1] - top) < 1.2 * cell)
                assert_true(fabs((double)s.surface.distance[i] - x[1] + top) < 0.1 * cell);
        }
        close_scene(&s);
    }
}

static void test_an_empty_world_has_no_surface(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, NULL, 0.0);
    build_scene(&s);
    assert_int_equal(s.water.grid.block_count, 0);
    close_scene(&s);
}

// ---- walls

typedef struct basin {
    body liquid, wall;
} basin;

static double basin_distance(const void *shape, const double x[3])
{
    const basin *b = shape;
    return fmax(body_distance(&b->liquid, x), -body_distance(&b->wall, x));
}

static void fill_basin(scene *s, const basin *b, double span)
{
    dr_seeding pour = {.cell = cell, .per_cell = 8, .jitter = DR_SEEDING_JITTER, .key = 3};
    memcpy(pour.origin, s->water.grid.origin, sizeof pour.origin);
    const double low[3] = {-span, -span, -span}, high[3] = {span, span, span};
    assert_true(dr_seeding_visit(&pour, basin_distance, b, low, high, add_drop, &s->water));
    assert_true(dr_grid_rebuild(&s->water.grid, &one_thread, &s->water.particles));
    dr_level_set_solids open = find_open(&s->water.grid, &b->wall);
    assert_true(dr_level_set_build(&s->surface, &s->water.grid, &one_thread, &s->water.particles, &open));
    free_open(open);
}

// Cells that touch the wall: liquid below the surface, air above it, also where their centre is in the wall.
static void check_basin(const basin *b, double span, double slack)
{
    scene s = {0};
    open_scene(&s, NULL, 0.0);
    fill_basin(&s, b, span);
    int checked = 0;
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        bool inside = true;
        for (int a = 0; a < 3; a++) inside = inside && fabs(x[a]) < span - 4.0 * cell;
        double wall = body_distance(&b->wall, x) / cell, truth = body_distance(&b->liquid, x) / cell;
        if (!inside || wall < -0.6 || wall > 1.0 || fabs(truth) < slack) continue;
        assert_int_equal(s.surface.distance[i] < 0.0F, truth < 0.0);
        checked++;
    }
    assert_true(checked > 50);
    close_scene(&s);
}

static void test_the_surface_goes_on_into_walls(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        double o = 0.03 + 0.07 * i;
        basin b = {{.kind = PLANE, .at = {0.0, o, 0.0}, .normal = {0, 1, 0}},
                   {.kind = PLANE, .at = {o, 0.0, 0.0}, .normal = {1, 0, 0}}};
        check_basin(&b, 8.0 * cell, 0.2);
        b.wall = (body){.kind = PLANE, .at = {o, 0.0, 0.0}, .normal = {sqrt(0.5), 0, sqrt(0.5)}};
        check_basin(&b, 8.0 * cell, 0.2);
        b.wall = (body){.kind = PLANE, .at = {o, 0.0, 0.0}, .normal = {0.8, 0.6, 0}};
        check_basin(&b, 8.0 * cell, 0.5);
        b.wall = (body){.kind = PLANE, .at = {o, 0.0, 0.0}, .normal = {0.8, -0.6, 0}};
        check_basin(&b, 8.0 * cell, 0.5);
        b.wall = (body){.kind = PLANE, .at = {0.0, o - 1.5 * cell, 0.0}, .normal = {0, 1, 0}}; // a film on the floor
        check_basin(&b, 8.0 * cell, 0.15);
        b.wall = (body){.kind = SPHERE, .at = {-1.2, 0.0, 0.0}, .radius = 1.2};
        check_basin(&b, 8.0 * cell, 0.4);
    }
}

// The largest lack or excess of volume fractions beside a wall, far below the surface, in kernels half open or more.
static double uneven_beside_wall(const basin *b, double span)
{
    scene s = {0};
    double most = 0.0;
    open_scene(&s, NULL, 0.0);
    fill_basin(&s, b, span);
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double wall = body_distance(&b->wall, x) / cell, depth = -body_distance(&b->liquid, x) / cell;
        bool inside = wall > 0.0 && wall < 1.5 && depth > 2.0;
        for (int a = 0; a < 3; a++) inside = inside && fabs(x[a]) < span - 2.5 * cell;
        if (inside) most = fmax(most, fabs((double)s.surface.fraction[i] - 1.0));
    }
    close_scene(&s);
    return most;
}

static void test_full_kernels_beside_walls_are_full(void **state)
{
    (void)state;
    for (int tilt = -3; tilt <= 5; tilt++) {
        double angle = 12.0 * tilt * acos(-1.0) / 180.0;
        basin b = {{.kind = PLANE, .at = {0.0, 3.0 * cell, 0.0}, .normal = {0, 1, 0}},
                   {.kind = PLANE, .at = {0.04 * tilt, 0.0, 0.0}, .normal = {cos(angle), sin(angle), 0}}};
        assert_true(uneven_beside_wall(&b, 8.0 * cell) < 0.018);
    }
}

// Whether the surface passes between a centre and that of a neighbour across a face, both open.
static bool is_passed(const basin *b, const double x[3])
{
    bool passed = false;
    for (int n = 0; n < 6; n++) {
        double y[3] = {x[0], x[1], x[2]};
        y[n / 2] += n % 2 ? cell : -cell;
        bool across = (body_distance(&b->liquid, x) < 0.0) != (body_distance(&b->liquid, y) < 0.0);
        passed = passed || (across && body_distance(&b->wall, y) > -0.4 * cell);
    }
    return passed && body_distance(&b->wall, x) > -0.4 * cell;
}

// How far off the distance is in the cells beside a wall that the surface passes.
static offsets compare_beside_wall(const basin *b, double span)
{
    scene s = {0};
    offsets sum = {0};
    open_scene(&s, NULL, 0.0);
    fill_basin(&s, b, span);
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double wall = body_distance(&b->wall, x) / cell, truth = body_distance(&b->liquid, x) / cell;
        bool inside = wall < 1.0 && is_passed(b, x);
        for (int a = 0; a < 3; a++) inside = inside && fabs(x[a]) < span - 4.0 * cell;
        if (inside) add_offset(&sum, (double)s.surface.distance[i] / cell - truth);
    }
    sum.mean /= sum.count;
    sum.rms = sqrt(sum.rms / sum.count);
    close_scene(&s);
    return sum;
}

// Of walls from an overhang of 60 degrees to a slope of 72 below them, also in cells whose centre is in the wall.
static void test_the_surface_beside_walls_lies_where_it_is(void **state)
{
    (void)state;
    for (int tilt = -5; tilt <= 6; tilt++) {
        double angle = 12.0 * tilt * acos(-1.0) / 180.0, mean = 0.0, rms = 0.0;
        for (int i = 0; i < 8; i++) {
            double o = 0.03 * i + 0.011;
            basin b = {{.kind = PLANE, .at = {0.0, o, 0.0}, .normal = {0, 1, 0}},
                       {.kind = PLANE, .at = {1.3 * o, 0.0, 0.0}, .normal = {cos(angle), sin(angle), 0}}};
            offsets one = compare_beside_wall(&b, 8.0 * cell);
            mean += one.mean / 8.0;
            rms += one.rms / 8.0;
        }
        assert_true(fabs(mean) < 0.02);
        assert_true(rms < 0.04);
    }
}

// Cells on a floor whose liquid keeps away from it have no surface behind their liquid, but lack some of it.
static void test_a_gap_beside_a_wall_is_no_surface(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene s = {0};
        open_scene(&s, NULL, 0.0);
        double floor = s.water.grid.origin[1] + (0.2 * i - 5.0) * cell, lack = 0.0;
        basin b = {{.kind = PLANE, .normal = {0, 1, 0}},
                   {.kind = PLANE, .at = {0.0, floor + 0.25 * cell, 0.0}, .normal = {0, 1, 0}}};
        int checked = 0;
        fill_basin(&s, &b, 8.0 * cell);
        b.wall.at[1] = floor;
        dr_level_set_solids open = find_open(&s.water.grid, &b.wall);
        assert_true(dr_level_set_build(&s.surface, &s.water.grid, &one_thread, &s.water.particles, &open));
        for (size_t n = 0; n < s.water.grid.block_count * 64; n++) {
            double x[3];
            cell_place(&s.water.grid, n / 64, (int)(n % 64), 0.5, x);
            if (fabs(x[0]) > 4.0 * cell || fabs(x[2]) > 4.0 * cell || !(open.open_volume[n] > 0.0F)) continue;
            if (x[1] > floor + 0.99 * cell) continue;
            assert_true(s.surface.distance[n] < -2.0F * (float)cell);
            lack -= (double)s.surface.excess[n];
            checked++;
        }
        assert_true(checked > 30);
        assert_true(lack / checked > 0.1 && lack / checked < 0.5);
        free_open(open);
        close_scene(&s);
    }
}

// Every particle goes its own way, straight on.
static void drift(pool *water, double most)
{
    for (size_t p = 0; p < water->particles.count; p++) {
        double x[3];
        dice d = {7 * water->particles.id[p] + 1};
        dr_grid_position(&water->grid, water->particles.key[p], water->particles.offset + 3 * p, x);
        for (int a = 0; a < 3; a++) x[a] += roll(&d, -most, most);
        dr_grid_place(&water->grid, x, water->particles.key + p, water->particles.offset + 3 * p);
    }
}

// The last three distances of open cells that the surface passes; NAN elsewhere.
typedef struct recent {
    size_t items;
    float *distance[3];
} recent;

// False where there are other blocks than before.
static bool look_again(recent *r, scene *s, const basin *b, double span)
{
    assert_true(dr_grid_rebuild(&s->water.grid, &one_thread, &s->water.particles));
    if (r->items != 64 * s->water.grid.block_count) return false;
    dr_level_set_solids open = find_open(&s->water.grid, &b->wall);
    float *oldest = r->distance[2];
    assert_true(dr_level_set_build(&s->surface, &s->water.grid, &one_thread, &s->water.particles, &open));
    r->distance[2] = r->distance[1];
    r->distance[1] = r->distance[0];
    r->distance[0] = oldest;
    for (size_t i = 0; i < r->items; i++) {
        double x[3], wall;
        cell_place(&s->water.grid, i / 64, (int)(i % 64), 0.5, x);
        wall = body_distance(&b->wall, x) / cell;
        bool within = wall > -0.6 && fabsf(s->surface.distance[i]) < 0.7F * (float)cell;
        for (int a = 0; a < 3; a++) within = within && fabs(x[a]) < span - 4.0 * cell;
        r->distance[0][i] = within ? s->surface.distance[i] / (float)cell : NAN;
    }
    free_open(open);
    return true;
}

// The largest second difference of any cell's distance while particles drift by a 250th of a cell at a time: small
// where it changes smoothly, the jump where it jumps.
static float largest_jump(const basin *b, double span, int times)
{
    scene s = {0};
    recent r = {0};
    float most = 0.0F;
    open_scene(&s, NULL, 0.0);
    fill_basin(&s, b, span);
    r.items = 64 * s.water.grid.block_count;
    for (int i = 0; i < 3; i++) r.distance[i] = malloc(r.items * sizeof(float));
    for (int i = 0; i < times; i++) {
        drift(&s.water, 0.004 * cell);
        if (!look_again(&r, &s, b, span)) break;
        for (size_t c = 0; c < r.items && i >= 2; c++)
            most = fmaxf(most, fabsf(r.distance[0][c] - 2.0F * r.distance[1][c] + r.distance[2][c]));
    }
    for (int i = 0; i < 3; i++) free(r.distance[i]);
    close_scene(&s);
    return most;
}

// Jumps of a hundredth of a cell kept single cells beside a wall from ever coming to rest.
static void test_nothing_jumps_beside_walls(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 24; i++) {
        dice d = {100 + 2 * i};
        double turned = roll(&d, 0.0, 6.28), radius = (i % 3 ? 35.2 : 12.0) * cell, away = radius - 0.15 * cell;
        basin b = {{.kind = PLANE, .at = {0.0, 0.05, 0.0}, .normal = {0, 1, 0}},
                   {.kind = SPHERE,
                    .at = {-away * cos(turned), 0.05 + 3.2 * cell, -away * sin(turned)},
                    .radius = radius,
                    .hollow = true}};
        float most = largest_jump(&b, 9.0 * cell, 24);
        assert_true(most > 0.0F && most < 0.006F);
    }
}

// In a container without air, everything open is liquid and about full, in edges and corners too.
static void test_a_full_container_has_no_air(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        double o = 0.031 * i;
        body everywhere = {.kind = PLANE, .at = {0.0, 99.0, 0.0}, .normal = {0, 1, 0}};
        body box = {
            .kind = BOX, .at = {o, 0.5 * o, 0.0}, .half = {1.0 + o, 0.9, 1.1}, .hollow = true, .turned = 0.2 * (i % 4)};
        body ball = {.kind = SPHERE, .at = {o, 0.5 * o, 0.0}, .radius = 1.0 + o, .hollow = true};
        basin b = {everywhere, i % 2 ? ball : box};
        scene s = {0};
        open_scene(&s, NULL, 0.0);
        fill_basin(&s, &b, 8.0 * cell);
        size_t blocks = s.water.grid.block_count;
        float *corner = wall_corners(&s.water.grid, &b.wall);
        float *area = malloc(256 * blocks * sizeof(float)), *open = malloc(64 * blocks * sizeof(float));
        dr_open_share_measure(&s.water.grid, &one_thread, corner, area, open);
        for (size_t c = 0; c < blocks * 64; c++) {
            if (open[c] > 0.0F) assert_true(s.surface.distance[c] < 0.0F);
            if (open[c] == 1.0F) assert_true(s.surface.fraction[c] > 0.8F && s.surface.fraction[c] < 1.2F);
        }
        free(corner);
        free(area);
        free(open);
        close_scene(&s);
    }
}

// A basin with a floor whose lowest open cells are open by that share.
static basin shallow_basin(const scene *s, double share)
{
    double floor = s->water.grid.origin[1] - (2.0 + share) * cell;
    return (basin){{.kind = PLANE, .at = {0.0, 3.0 * cell, 0.0}, .normal = {0, 1, 0}},
                   {.kind = PLANE, .at = {0.0, floor, 0.0}, .normal = {0, 1, 0}}};
}

// Takes away what lies closer to the floor than so many cells, or lifts it by as much.
static void thin_out(pool *water, double floor, double cells, bool lift)
{
    for (size_t p = 0; p < water->particles.count; p++) {
        double x[3];
        dr_grid_position(&water->grid, water->particles.key[p], water->particles.offset + 3 * p, x);
        if (x[1] >= floor + cells * cell) continue;
        if (lift)
            water->particles.offset[3 * p + 1] += (float)cells;
        else
            water->particles.volume[p] = 0.0F;
    }
}

// Looks at cells from the floor up to a cell above it, all of them far inside the liquid. Gives the least fraction.
static float check_no_gap(scene *s, const basin *b, double span)
{
    double floor = b->wall.at[1];
    int checked = 0;
    float least = 1.0F;
    assert_true(dr_grid_rebuild(&s->water.grid, &one_thread, &s->water.particles));
    dr_level_set_solids open = find_open(&s->water.grid, &b->wall);
    assert_true(dr_level_set_build(&s->surface, &s->water.grid, &one_thread, &s->water.particles, &open));
    for (size_t i = 0; i < s->water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s->water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (fabs(x[0]) > span - 6.0 * cell || fabs(x[2]) > span - 6.0 * cell || x[1] > floor + cell) continue;
        if (x[1] > floor - 1.5 * cell) assert_true((double)s->surface.distance[i] < -2.0 * cell);
        if (x[1] > floor - 0.5 * cell) least = fminf(least, s->surface.fraction[i]);
        if (x[1] > floor - 0.5 * cell && s->surface.fraction[i] < 0.95F) assert_true(s->surface.excess[i] < -0.05F);
        checked++;
    }
    assert_true(checked > 20);
    free_open(open);
    return least;
}

// Liquid that has become thin at a wall has no surface there, and asks for what it lacks.
static void test_thin_liquid_at_a_wall_is_no_gap(void **state)
{
    (void)state;
    const double span = 8.0 * cell;
    scene s = {0};
    open_scene(&s, NULL, 0.0);
    basin b = shallow_basin(&s, 0.8);
    fill_basin(&s, &b, span);
    thin_out(&s.water, b.wall.at[1], 0.3, false);
    assert_true(check_no_gap(&s, &b, span) < 0.95F);
    close_scene(&s);
}

// Nor where less than half of what a wall leaves of a cell is full, as beside one that has moved away: full cells
// around are not torn open.
static void test_what_a_wall_has_opened_is_no_gap(void **state)
{
    (void)state;
    const double span = 8.0 * cell;
    scene s = {0};
    open_scene(&s, NULL, 0.0);
    basin b = shallow_basin(&s, 0.15);
    fill_basin(&s, &b, span);
    thin_out(&s.water, b.wall.at[1], 0.5, true);
    assert_true(check_no_gap(&s, &b, span) < 0.5F);
    close_scene(&s);
}

// ---- volume and excess

static void test_the_volume_inside_is_that_of_the_particles(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        body sphere = {.kind = SPHERE, .at = {0.05 * i, 0.01, 0.02}, .radius = (5.0 + 2.0 * i) * cell};
        scene s;
        open_scene(&s, &sphere, sphere.radius + cell);
        build_scene(&s);
        double *partial = malloc((s.water.grid.block_count + 1) * sizeof *partial);
        double inside = dr_level_set_volume(&s.surface, &s.water.grid, &one_thread, &s.water.particles, NULL, partial);
        assert_true(fabs(inside / s.water.volume - 1.0) < 0.02);
        free(partial);
        close_scene(&s);
    }
}

// Every volume a tenth too large: cells deep inside hold a tenth too much, and the surface is no excess.
static void test_excess_is_what_cells_hold_too_much(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.05, 0.01, 0.02}, .radius = 8.0 * cell};
    scene s;
    open_scene(&s, NULL, 0.0);
    pour_body(&s.water, &sphere, 8, 0.0, 9.0 * cell);
    for (size_t p = 0; p < s.water.particles.count; p++) s.water.particles.volume[p] *= 1.1F;
    build_scene(&s);
    int deep = 0;
    for (size_t i = 0; i < s.water.grid.block_count * 64; i++) {
        double x[3];
        cell_place(&s.water.grid, i / 64, (int)(i % 64), 0.5, x);
        double depth = -body_distance(&sphere, x) / cell;
        if (depth > 2.5) assert_true(fabsf(s.surface.excess[i] - 0.1F) < 0.02F);
        if (depth < 0.0) assert_true(s.surface.excess[i] < 0.1F);
        deep += depth > 2.5;
    }
    assert_true(deep > 500);
    close_scene(&s);
}

// ---- threads and memory

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.05, 0.01, 0.02}, .radius = 6.0 * cell},
         floor = {.kind = PLANE, .at = {0, -0.4, 0}, .normal = {0, 1, 0}};
    scene s;
    open_scene(&s, &sphere, 7.0 * cell);
    assert_true(dr_grid_rebuild(&s.water.grid, &one_thread, &s.water.particles));
    size_t items = s.water.grid.block_count * 64;
    dr_level_set_solids open = find_open(&s.water.grid, &floor);
    float *first = malloc(2 * items * sizeof *first);
    for (int threads = 1; threads <= 3; threads++) {
        dr_par par = {threads};
        assert_true(dr_level_set_build(&s.surface, &s.water.grid, &par, &s.water.particles, &open));
        if (threads == 1) {
            memcpy(first, s.surface.distance, items * sizeof *first);
            memcpy(first + items, s.surface.fraction, items * sizeof *first);
        }
        assert_memory_equal(first, s.surface.distance, items * sizeof *first);
        assert_memory_equal(first + items, s.surface.fraction, items * sizeof *first);
    }
    free_open(open);
    free(first);
    dr_level_set_close(&s.surface);
    close_pool(&s.water);
}

static void test_memory_that_is_out_is_said_and_a_steady_state_needs_none(void **state)
{
    (void)state;
    body sphere = {.kind = SPHERE, .at = {0.0, 0.0, 0.0}, .radius = 4.0 * cell};
    scene s;
    open_scene(&s, &sphere, 5.0 * cell);
    assert_true(dr_grid_rebuild(&s.water.grid, &one_thread, &s.water.particles));
    bool done = false;
    for (int fail = 1; !done; fail++) {
        scarce memory;
        scarce_open(&memory, fail);
        dr_level_set surface;
        dr_level_set_open(&surface, &memory.allocator, 0.5);
        done = dr_level_set_build(&surface, &s.water.grid, &one_thread, &s.water.particles, NULL);
        assert_int_equal(done, memory.requests < fail);
        if (done) {
            long calls = memory.requests;
            assert_true(dr_level_set_build(&surface, &s.water.grid, &one_thread, &s.water.particles, NULL));
            assert_int_equal(memory.requests, calls);
            assert_int_equal(dr_level_set_bytes(&surface), memory.out);
        }
        dr_level_set_close(&surface);
        assert_int_equal(memory.out, 0);
    }
    dr_level_set_close(&s.surface);
    close_pool(&s.water);
}

// Moments of a wall on a box of blocks, as numbers 0 .. count-1 of what stands; those of `poisoned` are spoilt before.
typedef struct keeping {
    uint64_t key[64], mark[64];
    float moments[64 * 256];
    dr_kernel_kept kept;
} keeping;

static void find_moments(keeping *k, const int low[3], const int high[3], uint64_t rounds, bool moves)
{
    const body wall = {.kind = PLANE, .at = {0.9, 0.0, 0.0}, .normal = {0.8, 0.6, 0.0}};
    int32_t coordinate[64][3], stands[64];
    dr_grid grid;
    size_t count = 0;
    for (int i = low[0]; i < high[0]; i++) {
        for (int j = low[1]; j < high[1]; j++, count++)
            coordinate[count][0] = i, coordinate[count][1] = j, coordinate[count][2] = 0;
    }
    assert_true(dr_grid_open(&grid, NULL, cell, (double[3]){0.0, 0.0, 0.0}, (int32_t[3]){0, 0, 0}));
    assert_true(dr_grid_from_blocks(&grid, &one_thread, (const int32_t(*)[3])coordinate, count));
    float *corner = wall_corners(&grid, &wall), area[64 * 256], open[64 * 64];
    uint8_t near[64];
    memset(near, 1, sizeof near);
    dr_open_share_measure(&grid, &one_thread, corner, area, open);
    for (size_t b = 0; b < grid.block_count; b++)
        stands[b] = moves ? -1 : 100 + 10 * grid.coordinate[3 * b] + grid.coordinate[3 * b + 1];
    const dr_kernel_solids solids = {corner, open, near, 0.5, stands, rounds};
    k->kept.key = k->key;
    k->kept.mark = k->mark;
    dr_kernel_moments(&solids, &grid, &one_thread, &k->kept, k->moments);
    free(corner);
    dr_grid_close(&grid);
}

static size_t differing(const keeping *a, const keeping *b)
{
    size_t blocks = 0;
    for (size_t i = 0; i < a->kept.count; i++)
        blocks += memcmp(a->moments + 256 * i, b->moments + 256 * i, 256 * sizeof(float)) != 0;
    return blocks;
}

// What is spoilt by hand stays where nothing has changed around a block, and goes where something has.
static void test_moments_are_found_anew_where_solids_or_blocks_changed(void **unused)
{
    (void)unused;
    static keeping k, fresh;
    const int low[3] = {0, 0, 0}, high[3] = {5, 5, 1}, less[3] = {1, 1, 0}, more[3] = {6, 5, 1};
    find_moments(&k, low, high, 1, false);
    find_moments(&fresh, low, high, 1, false);
    assert_int_equal(differing(&k, &fresh), 0);
    for (size_t i = 0; i < 25 * 256; i += 256) k.moments[i] += 1.0F;
    find_moments(&k, low, high, 1, false);
    assert_int_equal(differing(&k, &fresh), 25);
    find_moments(&k, low, high, 2, false); // other solids with the same numbers
    assert_int_equal(differing(&k, &fresh), 0);
    for (size_t i = 0; i < 25 * 256; i += 256) k.moments[i] += 1.0F;
    find_moments(&k, less, more, 2, false); // two sides gone, one more: 4 x 3 blocks and all around them are left
    fresh.kept.count = 0;
    find_moments(&fresh, less, more, 2, false);
    assert_int_equal(k.kept.count, 20);
    assert_int_equal(differing(&k, &fresh), 6);
    find_moments(&k, less, more, 2, true); // they move
    assert_int_equal(differing(&k, &fresh), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes_lie_where_they_are),
        cmocka_unit_test(test_spheres_lie_where_they_are),
        cmocka_unit_test(test_a_stirred_sphere_lies_where_it_is),
        cmocka_unit_test(test_liquid_and_solid_have_one_surface_together),
        cmocka_unit_test(test_slope_is_one_and_the_band_has_depth),
        cmocka_unit_test(test_cuts_lie_between_liquid_and_air_alone),
        cmocka_unit_test(test_lone_particles_and_thin_sheets_are_spray),
        cmocka_unit_test(test_no_holes_inside_stirred_liquid),
        cmocka_unit_test(test_periodic_directions_have_no_edges),
        cmocka_unit_test(test_an_empty_world_has_no_surface),
        cmocka_unit_test(test_the_surface_goes_on_into_walls),
        cmocka_unit_test(test_full_kernels_beside_walls_are_full),
        cmocka_unit_test(test_the_surface_beside_walls_lies_where_it_is),
        cmocka_unit_test(test_a_gap_beside_a_wall_is_no_surface),
        cmocka_unit_test(test_nothing_jumps_beside_walls),
        cmocka_unit_test(test_a_full_container_has_no_air),
        cmocka_unit_test(test_thin_liquid_at_a_wall_is_no_gap),
        cmocka_unit_test(test_what_a_wall_has_opened_is_no_gap),
        cmocka_unit_test(test_the_volume_inside_is_that_of_the_particles),
        cmocka_unit_test(test_excess_is_what_cells_hold_too_much),
        cmocka_unit_test(test_moments_are_found_anew_where_solids_or_blocks_changed),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_memory_that_is_out_is_said_and_a_steady_state_needs_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
