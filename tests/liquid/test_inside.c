#include "bath.h"

#include "grid/halo.h"

static double occupied_with(const bath *b, const dr_par *par)
{
    double *partial = malloc(b->water.grid.block_count * sizeof(double));
    double volume = dr_inside_volume(&b->inside, &b->water.grid, par, &b->water.particles, partial);
    free(partial);
    return volume;
}

static double occupied(const bath *b)
{
    return occupied_with(b, &one_thread);
}

// The trilinear distance at a place in a cell, counted from its centre.
static double trilinear(const float *halo, int at, const double place[3])
{
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        double weight = 1.0;
        int from = at;
        for (int a = 0; a < 3; a++) {
            weight *= i >> a & 1 ? fabs(place[a]) : 1.0 - fabs(place[a]);
            if (i >> a & 1) from += place[a] < 0.0 ? -dr_halo_step[a] : dr_halo_step[a];
        }
        sum += weight * (double)halo[from];
    }
    return sum;
}

// The volume inside by 8 x 8 x 8 samples of every cell.
static double sampled(const bath *b)
{
    enum { SAMPLES = 8 };
    double sum = 0.0;
    for (size_t block = 0; block < b->water.grid.block_count; block++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(&b->water.grid, block, b->surface.distance, 1.0F, halo);
        for (int i = 0; i < DR_BLOCK_NODES * SAMPLES * SAMPLES * SAMPLES; i++) {
            const int at[3] = {i % SAMPLES, i / SAMPLES % SAMPLES, i / SAMPLES / SAMPLES % SAMPLES};
            double place[3];
            for (int a = 0; a < 3; a++) place[a] = (at[a] + 0.5) / SAMPLES - 0.5;
            int c = i / (SAMPLES * SAMPLES * SAMPLES);
            sum += trilinear(halo, dr_halo_place(c), place) < 0.0;
        }
    }
    return sum * cell * cell * cell / (SAMPLES * SAMPLES * SAMPLES);
}

// Spheres, and slabs of any thickness and place.
static void test_what_is_inside_is_what_was_poured(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        bath b;
        double o = 0.031 * i;
        body shape = {.kind = SPHERE, .at = {o, 0.1 - o, 0.02}, .radius = (4.0 + i) * cell};
        if (i >= 5) {
            shape =
                (body){.kind = BOX, .at = {o, 0.1 - o, 0.02}, .half = {10.0 * cell, (1.5 + 0.3 * i) * cell, 9 * cell}};
            shape.turned = i > 7 ? 0.4 : 0.0;
        }
        open_bath(&b, NULL);
        pour_body(&b.water, &shape, 8, DR_POUR_JITTER, 14.0 * cell);
        settle(&b, &one_thread);
        assert_true(fabs(occupied(&b) / b.water.volume - 1.0) < 0.012);
        close_bath(&b);
    }
}

// Liquid torn apart: sheets, fingers and holes.
static void test_a_splash_holds_what_fine_samples_find(void **state)
{
    (void)state;
    bath b;
    body box = {.kind = BOX, .at = {0.0, 0.0, 0.0}, .half = {8 * cell, 8 * cell, 8 * cell}};
    open_bath(&b, NULL);
    pour_body(&b.water, &box, 8, DR_POUR_JITTER, 9.0 * cell);
    for (size_t p = 0; p < b.water.particles.count; p++) {
        double x[3];
        dr_grid_position(&b.water.grid, b.water.particles.key[p], b.water.particles.offset + 3 * p, x);
        x[1] += 2.0 * cell * sin(1.1 * x[0] / cell) * cos(0.9 * x[2] / cell);
        dr_grid_place(&b.water.grid, x, b.water.particles.key + p, b.water.particles.offset + 3 * p);
    }
    settle(&b, &one_thread);
    double fine = sampled(&b);
    assert_true(fabs(occupied(&b) / fine - 1.0) < 0.02);
    close_bath(&b);
}

// Deep liquid lies by the thousand; spray beside it, a few particles each, counts as what it is.
static void test_spray_counts_as_its_particles(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, NULL);
    for (int i = 0; i < 60; i++) {
        const double x[3] = {2.0 * cell * (i % 4), 3.1 * cell * (i / 4 % 4), 2.7 * cell * (i / 16)};
        assert_true(add_drop(&b.water, x, 0.1 * cell * cell * cell));
    }
    settle(&b, &one_thread);
    assert_true(fabs(occupied(&b) / b.water.volume - 1.0) < 1e-6);
    close_bath(&b);
}

// What cells should hold is what is inside, spread by the kernel: nothing is lost of it.
static void test_what_cells_should_hold_adds_up(void **state)
{
    (void)state;
    bath b;
    body ball = {.kind = SPHERE, .at = {0.1, 0.2, -0.1}, .radius = 6.0 * cell};
    open_bath(&b, NULL);
    pour_body(&b.water, &ball, 8, DR_POUR_JITTER, 7.0 * cell);
    settle(&b, &one_thread);
    double sum = 0.0;
    for (size_t block = 0; block < b.water.grid.block_count; block++) {
        float room[DR_BLOCK_NODES], wanted[DR_BLOCK_NODES];
        dr_inside_want(&b.inside, &b.water.grid, block, NULL, room, wanted);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            assert_true(room[c] == 1.0F && wanted[c] >= -1e-6F && wanted[c] <= 1.0F + 1e-6F);
            sum += (double)wanted[c];
        }
    }
    assert_true(fabs(sum * cell * cell * cell / occupied(&b) - 1.0) < 1e-4);
    close_bath(&b);
}

// Solids are where they will be, particles where they were: the room that counts is that of the particles.
static void test_room_is_that_of_the_step_as_it_began(void **state)
{
    (void)state;
    const double dt = 0.01, speed = 3.0;
    bath b;
    body wall = open_full_box(&b);
    walls before = build_walls(&b.water.grid, &wall, speed);
    wall.at[0] += dt * speed;
    walls after = build_walls(&b.water.grid, &wall, speed);
    const dr_inside_solids solids = {after.open, after.area, after.velocity, dt};
    assert_true(dr_inside_find(&b.inside, &b.water.grid, &one_thread, b.surface.distance, &solids));
    double most = 0.0, found = 0.0, swept = 0.0;
    for (size_t i = 0; i < b.items; i++) {
        double x[3];
        cell_place(&b.water.grid, i / 64, (int)(i % 64), 0.5, x);
        if (!b.inside.near[i] || x[0] > 0.0) continue; // one of the walls
        most = fmax(most, fabs((double)(b.inside.open[i] - before.open[i])));
        found += (double)(b.inside.open[i] - after.open[i]);
        swept += (double)(before.open[i] - after.open[i]);
    }
    assert_true(swept > 10.0 && fabs(found / swept - 1.0) < 0.05);
    assert_true(most < dt * speed / cell);
    drop_walls(&before);
    drop_walls(&after);
    close_bath(&b);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    double volume[3];
    for (int threads = 1; threads <= 3; threads++) {
        bath b;
        dr_par par = {threads};
        body ball = {.kind = SPHERE, .at = {0.1, 0.2, -0.1}, .radius = 6.0 * cell};
        open_bath(&b, NULL);
        pour_body(&b.water, &ball, 8, DR_POUR_JITTER, 7.0 * cell);
        settle(&b, &par);
        volume[threads - 1] = occupied_with(&b, &par);
        close_bath(&b);
    }
    assert_true(volume[0] == volume[1] && volume[0] == volume[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_inside_is_what_was_poured),
        cmocka_unit_test(test_a_splash_holds_what_fine_samples_find),
        cmocka_unit_test(test_spray_counts_as_its_particles),
        cmocka_unit_test(test_what_cells_should_hold_adds_up),
        cmocka_unit_test(test_room_is_that_of_the_step_as_it_began),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
