// Thin matter where a step may end: forces are the energy's slope, differentials those of the forces, and what is apart
// pushes and does nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codim/tangent.h"

#include <math.h>
#include <string.h>

enum { SIDE = 4, VERTICES = SIDE * SIDE };

typedef struct patch {
    dr_manifold mesh;
    dr_manifold_law law;
    dr_tangent tangent;
    float velocity[4 * VERTICES];
    float gradient[9 * 2 * VERTICES];
} patch;

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 33) / 4294967296.0 - 0.5;
}

static void add_elements(dr_manifold *m)
{
    for (uint32_t i = 0; i + 1 < SIDE; i++) {
        for (uint32_t j = 0; j + 1 < SIDE; j++) {
            uint32_t a = SIDE * i + j, b = a + 1, c = a + SIDE, d = c + 1;
            if (m->corners == 2) {
                dr_manifold_add(m, (uint32_t[2]){a, b}, NULL, 0.01, 0);
            } else {
                dr_manifold_add(m, (uint32_t[3]){a, b, d}, NULL, 0.1, 0);
                dr_manifold_add(m, (uint32_t[3]){a, d, c}, NULL, 0.1, 0);
            }
        }
    }
}

// A patch whose directions across are pressed and sheared, at places away from rest.
static void open_patch(patch *p, int corners, double pressed)
{
    uint64_t seed = 7;
    memset(p, 0, sizeof *p);
    p->law = (dr_manifold_law){.density = 0.5, .fibres = 1.0, .thickness = 0.1};
    p->law.sheet = dr_surface_make(400, 600, 0.3);
    p->law.sheet.normal = 800;
    p->law.sheet.shear = 500;
    p->law.sheet.friction = 0.3;
    p->law.thread = dr_curve_make(500, 0.3, 0.3);
    p->law.thread.stretch = 2000;
    p->law.thread.shear = 300;
    dr_manifold *m = &p->mesh;
    m->corners = corners;
    m->laws = &p->law;
    assert_true(dr_manifold_reserve(m, NULL, VERTICES, 2 * VERTICES));
    for (int v = 0; v < VERTICES; v++)
        dr_manifold_place(m, (double[3]){v / SIDE, v % SIDE, 0.1 * noise(&seed)}, (double[3]){0});
    add_elements(m);
    assert_true(dr_manifold_join(m, NULL));
    for (size_t i = 0; i < 3 * dr_tangent_turns(m) * m->elements; i++) m->direction[i] *= 1.0 - pressed;
    assert_true(dr_tangent_open(&p->tangent, m, NULL));
    dr_tangent_begin(&p->tangent, 0, m->elements);
    for (int i = 0; i < 4 * VERTICES; i++) p->velocity[i] = (float)noise(&seed);
    for (size_t i = 0; i < 9 * m->elements; i++) p->gradient[i] = (float)(0.6 * noise(&seed));
}

static void close_patch(patch *p)
{
    dr_tangent_close(&p->tangent, NULL);
    dr_manifold_free(&p->mesh, NULL);
}

// Where everything is after a time; the energy there.
static double go(patch *p, double time)
{
    const dr_manifold *m = &p->mesh;
    double sum = 0.0;
    for (size_t v = 0; v < VERTICES; v++) {
        for (size_t a = 0; a < 3; a++)
            p->tangent.place[3 * v + a] = m->position[3 * v + a] + (0.1 + time) * (double)p->velocity[4 * v + a];
    }
    for (size_t e = 0; e < m->elements; e++) {
        double *across = p->tangent.across + 6 * e;
        for (size_t k = 0; k < 3 * dr_tangent_turns(m); k += 3)
            dr_manifold_carry(p->gradient + 9 * e, 0.1 + time, dr_manifold_across(m, e) + k, across + k);
    }
    dr_tangent_evaluate(&p->tangent, 0, m->elements);
    for (size_t e = 0; e < m->elements; e++) sum += p->tangent.energy[e];
    return sum;
}

// The power of the forces there are: of corners along velocities, of stress along gradients.
static double power(const patch *p)
{
    const dr_manifold *m = &p->mesh;
    size_t corners = (size_t)m->corners;
    double sum = 0.0;
    for (size_t i = 0; i < corners * m->elements; i++) {
        for (size_t a = 0; a < 3; a++)
            sum += (double)p->tangent.pull[3 * i + a] * (double)p->velocity[4 * m->index[i] + a];
    }
    for (size_t e = 0; e < m->elements; e++) {
        for (int a = 0; a < 9 && p->tangent.engaged[e]; a++)
            sum -= (double)p->tangent.stress[e][a] * (double)p->gradient[9 * e + (size_t)a];
    }
    return sum;
}

static void check_forces(int corners, double pressed)
{
    patch p;
    open_patch(&p, corners, pressed);
    double step = 1e-5, slope = (go(&p, step) - go(&p, -step)) / (2.0 * step);
    go(&p, 0.0);
    double found = -power(&p);
    if (!(fabs(found - slope) < 1e-5 * fabs(slope))) fail_msg("%g, not %g", found, slope);
    close_patch(&p);
}

static void test_forces_are_the_slope_of_the_energy(void **unused)
{
    (void)unused;
    check_forces(3, 0.1);
    check_forces(3, 0.0);
    check_forces(2, 0.1);
    check_forces(2, 0.0);
}

// Velocities of directions of all elements, each of which is engaged as far as products go.
static void find_turns(const patch *p, float *turn)
{
    const dr_manifold *m = &p->mesh;
    size_t turns = dr_tangent_turns(m);
    for (size_t n = 0; n < turns * m->elements; n++) {
        const double *d = dr_manifold_across(m, n / turns) + 3 * (n % turns);
        for (size_t a = 0; a < 3; a++) {
            const float *row = p->gradient + 9 * (n / turns) + 3 * a;
            turn[4 * n + a] = (float)((double)row[0] * d[0] + (double)row[1] * d[1] + (double)row[2] * d[2]);
        }
        turn[4 * n + 3] = 0.0F;
    }
}

// a.K b of two velocities.
static double curve(patch *p, const patch *along, const patch *against)
{
    enum { MOST = 4 * 2 * 2 * VERTICES };
    const dr_manifold *m = &p->mesh;
    float turn[MOST], other[MOST], out[4 * VERTICES], turned[MOST];
    uint32_t list[2 * VERTICES];
    double sum = 0.0;
    for (uint32_t e = 0; e < m->elements; e++) list[e] = p->tangent.rank[e] = e;
    find_turns(along, turn);
    find_turns(against, other);
    dr_tangent_build(&p->tangent, 0, m->elements);
    dr_tangent_assemble(&p->tangent, 0, m->vertices);
    dr_tangent_multiply(&p->tangent, 0, m->vertices, along->velocity, turn, out);
    dr_tangent_multiply_turns(&p->tangent, 0, m->elements, list, along->velocity, turn, turned);
    for (size_t i = 0; i < 4 * VERTICES; i++) sum += i % 4 == 3 ? 0.0 : (double)(out[i] * against->velocity[i]);
    for (size_t i = 0; i < 4 * dr_tangent_turns(m) * m->elements; i++) sum += (double)(turned[i] * other[i]);
    return sum;
}

// The second derivative of the energy along the way.
static void check_differentials(int corners, double pressed)
{
    patch p;
    open_patch(&p, corners, pressed);
    double step = 2e-4;
    go(&p, step);
    double after = power(&p);
    go(&p, -step);
    double before = power(&p);
    go(&p, 0.0);
    double slope = -(after - before) / (2.0 * step), found = curve(&p, &p, &p);
    if (!(fabs(found - slope) < 3e-4 * fabs(slope))) fail_msg("%g, not %g", found, slope);
    close_patch(&p);
}

static void test_differentials_are_those_of_the_forces(void **unused)
{
    (void)unused;
    check_differentials(3, 0.1);
    check_differentials(3, 0.0);
    check_differentials(2, 0.1);
    check_differentials(2, 0.0);
}

// a.K b = b.K a
static void check_symmetry(int corners)
{
    patch p, q;
    uint64_t seed = 99;
    open_patch(&p, corners, 0.1);
    open_patch(&q, corners, 0.1);
    go(&p, 0.0);
    for (int i = 0; i < 4 * VERTICES; i++) q.velocity[i] = (float)noise(&seed);
    for (size_t i = 0; i < 9 * p.mesh.elements; i++) q.gradient[i] = (float)noise(&seed);
    double one = curve(&p, &p, &q), other = curve(&p, &q, &p);
    if (!(fabs(one - other) < 1e-5 * fabs(one))) fail_msg("%g, not %g", one, other);
    close_patch(&p);
    close_patch(&q);
}

static void test_differentials_are_symmetric(void **unused)
{
    (void)unused;
    check_symmetry(3);
    check_symmetry(2);
}

// Triangles side by side have the energy, forces and second derivatives of single ones.
static void test_triangles_side_by_side_are_single_ones(void **unused)
{
    (void)unused;
    patch p;
    open_patch(&p, 3, 0.1);
    go(&p, 0.0);
    size_t count = p.mesh.elements;
    dr_tangent_build(&p.tangent, 0, count);
    for (size_t e = 0; e < count; e++) {
        double energy = p.tangent.energy[e], most = 0.0;
        float pull[9], stress[9], stiff[DR_TANGENT_ENTRIES];
        memcpy(pull, p.tangent.pull + 9 * e, sizeof pull);
        memcpy(stress, p.tangent.stress[e], sizeof stress);
        memcpy(stiff, p.tangent.stiff + DR_TANGENT_ENTRIES * e, sizeof stiff);
        assert_true(p.tangent.engaged[e]);
        dr_tangent_evaluate_one(&p.tangent, e);
        dr_tangent_build_one(&p.tangent, e);
        assert_true(p.tangent.engaged[e]);
        assert_true(fabs(energy - p.tangent.energy[e]) < 1e-12 * energy);
        for (int i = 0; i < DR_TANGENT_ENTRIES; i++) most = fmax(most, fabs((double)stiff[i]));
        for (int i = 0; i < 9; i++) {
            assert_true(fabs((double)(pull[i] - p.tangent.pull[9 * e + (size_t)i])) < 1e-5 * fabs((double)pull[i]));
            assert_true(fabs((double)(stress[i] - p.tangent.stress[e][i])) < 1e-5 * fabs((double)stress[i]) + 1e-9);
        }
        for (size_t i = 0; i < DR_TANGENT_ENTRIES; i++)
            assert_true(fabs((double)(stiff[i] - p.tangent.stiff[DR_TANGENT_ENTRIES * e + i])) < 1e-6 * most);
    }
    close_patch(&p);
}

// Directions that lengthen and shear, of elements that are apart: nothing acts across.
static void check_apart(int corners)
{
    patch p;
    open_patch(&p, corners, 0.0);
    memset(p.velocity, 0, sizeof p.velocity);
    for (size_t e = 0; e < p.mesh.elements; e++) {
        const float open[9] = {1, 0, 0.5F, 0, 1, 0.5F, 0, 0, 1};
        memcpy(p.gradient + 9 * e, open, sizeof open);
    }
    go(&p, 0.0);
    for (size_t e = 0; e < p.mesh.elements; e++) {
        assert_true(p.tangent.apart[e]);
        for (int i = 0; i < 9; i++) assert_true(fabs((double)p.tangent.stress[e][i]) < 1e-5);
    }
    close_patch(&p);
}

static void test_what_is_apart_is_not_pulled(void **unused)
{
    (void)unused;
    check_apart(3);
    check_apart(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_the_slope_of_the_energy),
        cmocka_unit_test(test_differentials_are_those_of_the_forces),
        cmocka_unit_test(test_differentials_are_symmetric),
        cmocka_unit_test(test_triangles_side_by_side_are_single_ones),
        cmocka_unit_test(test_what_is_apart_is_not_pulled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
