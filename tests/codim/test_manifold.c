// A mesh on the grid: triangles side by side strain and flow as each of them alone, also among such that have
// collapsed; forces are the energy's slope and add up to nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codim/manifold.h"

#include <math.h>
#include <string.h>

enum { SIDE = 5, VERTICES = SIDE * SIDE, MOST = 2 * VERTICES };

typedef struct patch {
    dr_manifold mesh;
    dr_manifold_law laws[2];
    float gradient[MOST][9];
} patch;

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 33) / 2147483648.0 - 0.5;
}

static void add_elements(dr_manifold *m)
{
    for (uint32_t i = 0; i + 1 < SIDE; i++) {
        for (uint32_t j = 0; j + 1 < SIDE; j++) {
            uint32_t a = SIDE * i + j, b = a + 1, c = a + SIDE, d = c + 1, body = (i + j) % 2;
            if (m->corners == 2) {
                dr_manifold_add(m, (uint32_t[2]){a, b}, NULL, 0.01, body);
            } else {
                dr_manifold_add(m, (uint32_t[3]){a, b, d}, NULL, 0.1, body);
                dr_manifold_add(m, (uint32_t[3]){a, d, c}, NULL, 0.1, body);
            }
        }
    }
}

// Of all directions across.
static size_t numbers(const dr_manifold *m)
{
    return (m->corners == 3 ? 3 : 6) * m->elements;
}

static void open_patch(patch *p, int corners, uint64_t seed, double shaken)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 2; i++) {
        p->laws[i] = (dr_manifold_law){.density = 0.5 + i, .fibres = 1.0, .thickness = 0.1};
        p->laws[i].sheet = dr_surface_make(400, 600 - 300 * i, 0.3);
        p->laws[i].sheet.normal = 800;
        p->laws[i].sheet.shear = 500 + i;
        p->laws[i].sheet.friction = 0.3 * i;
        p->laws[i].thread = dr_curve_make(500, 0.3, 0.3);
        p->laws[i].thread.stretch = 2000;
        p->laws[i].thread.shear = 300;
    }
    dr_manifold *m = &p->mesh;
    m->corners = corners;
    m->laws = p->laws;
    m->law_count = 2;
    assert_true(dr_manifold_reserve(m, NULL, VERTICES, MOST));
    for (int v = 0; v < VERTICES; v++)
        dr_manifold_place(m, (double[3]){v / SIDE, v % SIDE, 0.1 * noise(&seed)}, (double[3]){0});
    add_elements(m);
    assert_true(dr_manifold_join(m, NULL));
    for (size_t i = 0; i < 3 * VERTICES; i++) m->position[i] += shaken * noise(&seed);
    for (size_t i = 0; i < numbers(m); i++) m->direction[i] *= 0.9 + 0.3 * noise(&seed);
    for (size_t e = 0; e < m->elements; e++) {
        for (size_t i = 0; i < 9; i++) p->gradient[e][i] = (float)(3.0 * noise(&seed));
    }
}

static void assert_near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within)) fail_msg("%.17g is not %.17g within %g", a, b, within);
}

static void test_triangles_side_by_side_strain_as_each_alone(void **state)
{
    (void)state;
    for (int round = 0; round < 40; round++) {
        patch p;
        open_patch(&p, 3, (uint64_t)round + 1, round % 4 == 3 ? 2.5 : 0.3);
        dr_manifold *m = &p.mesh;
        if (round % 4 == 2) memcpy(m->position + 3, m->position, 3 * sizeof(double)); // an edge of no length
        dr_manifold_strains alone = {0};
        float pull[6 * MOST], press[3 * MOST];
        for (size_t e = 0; e < m->elements; e++) dr_manifold_strain_one(m, e, 2.0, &alone);
        memcpy(pull, m->pull, 6 * m->elements * sizeof(float));
        memcpy(press, m->press, 3 * m->elements * sizeof(float));
        memset(m->pull, 0, 6 * m->elements * sizeof(float));
        memset(m->press, 0, 3 * m->elements * sizeof(float));
        dr_manifold_strains together = dr_manifold_strain(m, 0, m->elements, 2.0);
        for (size_t i = 0; i < 6 * m->elements; i++)
            assert_near((double)m->pull[i], (double)pull[i], 1e-4 + 3e-6 * fabs((double)pull[i]));
        for (size_t i = 0; i < 3 * m->elements; i++)
            assert_near((double)m->press[i], (double)press[i], 1e-4 + 3e-6 * fabs((double)press[i]));
        assert_near(together.energy, alone.energy, 1e-11 * alone.energy);
        assert_near(together.along, alone.along, 1e-11 * alone.along);
        assert_near(together.across, alone.across, 1e-11 * alone.across);
        assert_int_equal(together.degenerate, alone.degenerate);
        if (round % 4 == 2) assert_true(alone.degenerate > 0);
        dr_manifold_free(m, NULL);
    }
}

// The same bits as of one alone: a resumed run places elements by those.
static void check_middles(const dr_manifold *m, const double *middle)
{
    for (size_t e = 0; e < m->elements; e++) {
        double alone[3];
        dr_manifold_middle(m, e, alone);
        assert_memory_equal(middle + 3 * e, alone, sizeof alone);
    }
}

// Velocities stay the grid's, affine ones are damped, and the sums those of all elements one after the other.
static void check_motion(const dr_manifold *m, const dr_manifold_step *step, const float (*velocity)[3],
                         const float (*gradient)[9], const dr_manifold_motion *found)
{
    double mass = 0.0, linear[3] = {0}, angular[3] = {0}, place[3] = {0}, kinetic = 0.0, most = 0.0;
    for (size_t e = 0; e < m->elements; e++) {
        double w = (double)m->element_mass[e], x[3], v[3], squared = 0.0, nu = (double)step->damping[m->body[e]];
        const float *c = m->element_affine + 9 * e, *g = gradient[e];
        dr_manifold_middle(m, e, x);
        mass += w;
        for (int a = 0; a < 3; a++) {
            assert_true(m->element_velocity[3 * e + (size_t)a] == velocity[e][a]);
            v[a] = (double)velocity[e][a];
            squared += v[a] * v[a];
            linear[a] += w * v[a];
            place[a] += w * x[a];
        }
        for (int i = 0; i < 9; i++) {
            double turned = (double)g[3 * (i % 3) + i / 3];
            assert_near((double)c[i], (1.0 - 0.5 * nu) * (double)g[i] - 0.5 * nu * turned, 1e-6);
            kinetic += 0.5 * w * step->inertia * (double)c[i] * (double)c[i];
        }
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, d = (a + 2) % 3;
            angular[a] += w * (x[b] * v[d] - x[d] * v[b]);
            angular[a] += w * step->inertia * ((double)c[3 * d + b] - (double)c[3 * b + d]);
        }
        kinetic += 0.5 * w * squared;
        most = fmax(most, squared);
    }
    assert_near(found->mass, mass, 1e-12 * mass);
    assert_near(found->kinetic, kinetic, 1e-6 * kinetic);
    assert_near(found->squared, most, 1e-12 * most);
    for (int a = 0; a < 3; a++) {
        assert_near(found->linear[a], linear[a], 1e-10 * mass);
        assert_near(found->angular[a], angular[a], 1e-6 * mass);
        assert_near(found->place[a], place[a], 1e-10 * mass);
    }
}

static void test_triangles_side_by_side_flow_as_each_alone(void **state)
{
    (void)state;
    int stuck = 0, apart = 0, moved = 0;
    for (int round = 0; round < 40; round++) {
        patch p;
        double before[6 * MOST], alone[6 * MOST], middle[3 * MOST];
        float pull[6 * MOST], press[3 * MOST], friction[MOST], velocity[MOST][3], damping[2] = {0.2F, 0.7F};
        open_patch(&p, 3, (uint64_t)round + 1, round % 4 == 3 ? 2.5 : 0.3);
        dr_manifold *m = &p.mesh;
        if (round % 5 == 4) damping[0] = damping[1] = 0.0F;
        dr_manifold_step step = {0.1, round % 2, 0.3, damping, round % 3 ? friction : NULL};
        for (size_t e = 0; e < m->elements; e++) {
            friction[e] = e % 5 ? 0.0F : 0.7F;
            for (int a = 0; a < 3; a++) velocity[e][a] = p.gradient[e][a + 2] - 0.3F;
        }
        memcpy(m->element_velocity, velocity, m->elements * sizeof *velocity);
        memcpy(m->element_affine, p.gradient, m->elements * sizeof *p.gradient);
        memcpy(before, m->direction, numbers(m) * sizeof(double));
        for (size_t i = 0; i < m->elements; i++) dr_manifold_flow_one(m, &step, i);
        memcpy(alone, m->direction, sizeof(double) * numbers(m));
        memcpy(m->direction, before, sizeof(double) * numbers(m));
        dr_manifold_strains flowed = {0};
        dr_manifold_motion motion = {0};
        dr_manifold_flow(m, &step, 0, m->elements, 2.0, &flowed, &motion, middle);
        check_middles(m, middle);
        check_motion(m, &step, (const float(*)[3])velocity, (const float(*)[9])p.gradient, &motion);
        for (size_t i = 0; i < numbers(m); i++) assert_near(m->direction[i], alone[i], 1e-12);
        memcpy(pull, m->pull, sizeof(float) * 6 * m->elements);
        memcpy(press, m->press, sizeof(float) * 3 * m->elements);
        dr_manifold_strains anew = dr_manifold_strain(m, 0, m->elements, 2.0); // the same bits, as a resumed run has
        assert_memory_equal(pull, m->pull, sizeof(float) * 6 * m->elements);
        assert_memory_equal(press, m->press, sizeof(float) * 3 * m->elements);
        assert_memory_equal(&flowed, &anew, sizeof anew);
        for (size_t e = 0; e < m->elements; e++) {
            double g[3][3];
            dr_manifold_directions(m, e, g);
            dr_triangular t = dr_triangular_split((const double(*)[3])g);
            bool across = hypot(t.r[0][2], t.r[1][2]) < 1e-12;
            apart += across && t.r[2][2] > 1.0 - 1e-12;
            stuck += !across;
            moved += fabs(alone[6 * e] - before[6 * e]) > 1e-6;
        }
        dr_manifold_free(m, NULL);
    }
    if (!(stuck > 100 && apart > 100 && moved > 300)) fail_msg("stuck %d, apart %d, moved %d", stuck, apart, moved);
}

// The energy with every vertex and direction gone along a velocity for a while.
static double energy_after(patch *p, const double *velocity, double time)
{
    dr_manifold *m = &p->mesh;
    double position[3 * VERTICES], direction[6 * MOST], sum = 0.0;
    memcpy(position, m->position, sizeof position);
    memcpy(direction, m->direction, numbers(m) * sizeof(double));
    for (size_t i = 0; i < 3 * VERTICES; i++) m->position[i] += time * velocity[i];
    for (size_t e = 0; e < m->elements; e++) {
        double *d = dr_manifold_across(m, e);
        for (size_t k = 0; k < numbers(m) / m->elements; k += 3)
            dr_manifold_carry(p->gradient[e], time, direction + (d - m->direction) + k, d + k);
    }
    for (size_t e = 0; e < m->elements; e++) sum += dr_manifold_energy(m, e);
    memcpy(m->position, position, sizeof position);
    memcpy(m->direction, direction, numbers(m) * sizeof(double));
    return sum;
}

static void test_loads_are_the_slope_of_the_energy_and_add_up_to_nothing(void **state)
{
    (void)state;
    for (int corners = 2; corners <= 3; corners++) {
        patch p;
        uint64_t seed = 5;
        double velocity[3 * VERTICES], power = 0.0, work = 0.0, h = 1e-5, total[3] = {0}, size = 0.0;
        open_patch(&p, corners, 3, 0.2);
        dr_manifold *m = &p.mesh;
        for (int i = 0; i < 3 * VERTICES; i++) velocity[i] = noise(&seed);
        dr_manifold_strains found = dr_manifold_strain(m, 0, m->elements, 1.0);
        dr_manifold_gather(m, 0, VERTICES, NULL);
        for (size_t i = 0; i < 3 * VERTICES; i++) {
            power -= (double)m->force[i] * velocity[i];
            work += fabs((double)m->force[i] * velocity[i]);
            total[i % 3] += (double)m->force[i];
            size += fabs((double)m->force[i]);
        }
        for (size_t e = 0; e < m->elements; e++) {
            float stress[9];
            dr_manifold_stress(m, e, stress);
            for (int i = 0; i < 9; i++) power += (double)stress[i] * (double)p.gradient[e][i];
        }
        double slope = (energy_after(&p, velocity, h) - energy_after(&p, velocity, -h)) / (2.0 * h);
        assert_near(power, slope, 1e-6 * work);
        assert_near(found.energy, energy_after(&p, velocity, 0.0), 1e-12 * found.energy);
        for (int a = 0; a < 3; a++) assert_near(total[a], 0.0, 1e-7 * size);
        dr_manifold_free(m, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles_side_by_side_strain_as_each_alone),
        cmocka_unit_test(test_triangles_side_by_side_flow_as_each_alone),
        cmocka_unit_test(test_loads_are_the_slope_of_the_energy_and_add_up_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
