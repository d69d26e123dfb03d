// Curves as rods of somebody else's vertices: slopes and second derivatives of the least energy over turns against
// differences, rigid motion, a closed form of twist, and the bound of frequencies.
#include "math/random.h"
#include "strand/rods.h"

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { CURVES = 2, COUNT = 7, VERTICES = CURVES * COUNT };

static uint64_t draws;

static double uniform(double low, double high)
{
    return low + (high - low) * dr_random_unit(78, draws++);
}

typedef struct fixture {
    dr_rods rods;
    dr_par par;
    double x[3 * VERTICES];
} fixture;

static const dr_strand_material material = {.density = 1.0, .young = 40.0, .shear = 15.0};

// Two crooked curves whose rest shapes are others; the first is held at its root, the second is free.
static void make(fixture *f, bool crooked)
{
    const double radius[2] = {0.3, 0.2};
    dr_strands strands = {.materials = &material};
    memset(f, 0, sizeof *f);
    f->par = dr_par_open(1);
    assert_true(dr_strands_reserve(&strands, NULL, CURVES, VERTICES));
    for (int s = 0; s < CURVES; s++) {
        double points[3 * COUNT], rest[3 * COUNT];
        for (int i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++) {
                points[3 * i + a] = (a == 0 ? 0.8 * i : 0.0) + (a == 1 ? 10.0 * s : 0.0) + uniform(-0.3, 0.3);
                rest[3 * i + a] = (a == 0 ? 0.8 * i : 0.0) + (crooked ? uniform(-0.3, 0.3) : 0.0);
            }
        }
        dr_strands_add(&strands, points, COUNT, radius, 0);
        dr_strands_rest_at(&strands, s, rest);
        for (int i = 1; i + 1 < COUNT && crooked; i++) strands.rest_twist[COUNT * s + i] = uniform(-0.5, 0.5);
        dr_strands_stiffen(&strands, s);
        if (s == 0) strands.held[0] |= DR_STRAND_TURN_HELD;
        assert_true(dr_rods_add(&f->rods, NULL, &strands, s));
        memcpy(f->x + 3 * COUNT * s, points, sizeof points);
    }
    dr_strands_free(&strands, NULL);
    assert_true(dr_rods_open(&f->rods, NULL, true));
    dr_rods_start(&f->rods, &f->par, f->x);
}

static void drop(fixture *f)
{
    dr_rods_free(&f->rods, NULL);
}

// A little away from where the step began, the held edge kept.
static void wander(fixture *f)
{
    for (int i = 6; i < 3 * VERTICES; i++) f->x[i] += uniform(-0.1, 0.1);
}

static void test_the_gradient_is_the_slope_of_the_least_energy(void **state)
{
    (void)state;
    fixture f;
    make(&f, true);
    wander(&f);
    double gradient[3 * VERTICES] = {0}, size = 0.0;
    dr_rods_look(&f.rods, &f.par, f.x);
    dr_rods_gradient(&f.rods, &f.par, gradient);
    for (int i = 0; i < 3 * VERTICES; i++) size = fmax(size, fabs(gradient[i]));
    assert_true(size > 0.1);
    for (int i = 6; i < 3 * VERTICES; i++) { // the held edge itself turns its frame
        const double h = 1e-5;
        double at = f.x[i], energy[2];
        f.x[i] = at + h;
        energy[0] = dr_rods_look(&f.rods, &f.par, f.x);
        f.x[i] = at - h;
        energy[1] = dr_rods_look(&f.rods, &f.par, f.x);
        f.x[i] = at;
        assert_true(fabs((energy[0] - energy[1]) / (2.0 * h) - gradient[i]) < 1e-7 * size);
    }
    drop(&f);
}

static void product(fixture *f, const float direction[4 * VERTICES], bool whole, double out[3 * VERTICES])
{
    memset(out, 0, 3 * VERTICES * sizeof *out);
    dr_rods_look(&f->rods, &f->par, f->x);
    dr_rods_linearise(&f->rods, &f->par, whole);
    dr_rods_apply(&f->rods, &f->par, direction, out);
}

static void draw(float direction[4 * VERTICES])
{
    for (int i = 0; i < 4 * VERTICES; i++) direction[i] = i < 8 ? 0.0F : (float)uniform(-1.0, 1.0);
}

static void test_the_product_is_the_derivative_of_the_gradient(void **state)
{
    (void)state;
    fixture f;
    make(&f, true);
    wander(&f);
    for (int trial = 0; trial < 5; trial++) {
        const double h = 1e-5;
        float direction[4 * VERTICES];
        double image[3 * VERTICES], gradient[2][3 * VERTICES] = {{0}}, kept[3 * VERTICES], size = 0.0;
        draw(direction);
        product(&f, direction, true, image);
        memcpy(kept, f.x, sizeof kept);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 3 * VERTICES; i++)
                f.x[i] = kept[i] + (side ? -h : h) * (double)direction[4 * (i / 3) + i % 3];
            dr_rods_look(&f.rods, &f.par, f.x);
            dr_rods_gradient(&f.rods, &f.par, gradient[side]);
        }
        memcpy(f.x, kept, sizeof kept);
        for (int i = 0; i < 3 * VERTICES; i++) size = fmax(size, fabs(image[i]));
        for (int i = 6; i < 3 * VERTICES; i++)
            assert_true(fabs((gradient[0][i] - gradient[1][i]) / (2.0 * h) - image[i]) < 1e-5 * size);
    }
    drop(&f);
}

static void test_the_part_without_moments_is_symmetric_and_never_negative(void **state)
{
    (void)state;
    fixture f;
    make(&f, true);
    wander(&f);
    for (int trial = 0; trial < 20; trial++) {
        float a[4 * VERTICES], b[4 * VERTICES];
        double of_a[3 * VERTICES], of_b[3 * VERTICES], ab = 0.0, ba = 0.0, aa = 0.0;
        draw(a);
        draw(b);
        product(&f, a, false, of_a);
        product(&f, b, false, of_b);
        for (int i = 0; i < 3 * VERTICES; i++) {
            ab += (double)a[4 * (i / 3) + i % 3] * of_b[i];
            ba += (double)b[4 * (i / 3) + i % 3] * of_a[i];
            aa += (double)a[4 * (i / 3) + i % 3] * of_a[i];
        }
        assert_true(aa > 0.0);
        assert_true(fabs(ab - ba) < 1e-5 * aa);
    }
    drop(&f);
}

static void test_rigid_motion_is_free(void **state)
{
    (void)state;
    fixture f;
    make(&f, true);
    double before = dr_rods_look(&f.rods, &f.par, f.x), force[3] = {0}, moment[3] = {0}, size = 0.0;
    double gradient[3 * VERTICES] = {0};
    // the free curve alone: turned by 0.7 about an axis, and moved
    const double c = cos(0.7), s = sin(0.7);
    for (int v = COUNT; v < VERTICES; v++) {
        double *x = f.x + 3 * v, y = x[1], z = x[2];
        x[0] += 2.0;
        x[1] = c * y - s * z + 1.0;
        x[2] = s * y + c * z - 3.0;
    }
    double after = dr_rods_look(&f.rods, &f.par, f.x);
    assert_true(fabs(after - before) < 1e-9 * before);
    dr_rods_gradient(&f.rods, &f.par, gradient);
    for (int v = COUNT; v < VERTICES; v++) {
        const double *x = f.x + 3 * v, *g = gradient + 3 * v;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, d = (a + 2) % 3;
            force[a] += g[a];
            moment[a] += x[b] * g[d] - x[d] * g[b];
            size += fabs(g[a]);
        }
    }
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(force[a]) < 1e-12 * size);
        assert_true(fabs(moment[a]) < 1e-7 * size);
    }
    drop(&f);
}

// A straight curve held at both ends whose tip is turned by an angle has the energy k_t angle^2 / (2 length).
static void test_a_turned_end_twists_evenly(void **state)
{
    (void)state;
    const double radius[2] = {0.2, 0.2}, angle = 0.9, length = 0.5 * (COUNT - 2);
    double points[3 * COUNT] = {0};
    dr_strands strands = {.materials = &material};
    dr_rods rods = {0};
    dr_par par = dr_par_open(1);
    for (int i = 0; i < COUNT; i++) points[3 * i] = 0.5 * i;
    assert_true(dr_strands_reserve(&strands, NULL, 1, COUNT));
    dr_strands_add(&strands, points, COUNT, radius, 0);
    strands.held[0] = strands.held[COUNT - 2] = DR_STRAND_TURN_HELD;
    assert_true(dr_rods_add(&rods, NULL, &strands, 0) && dr_rods_open(&rods, NULL, false));
    assert_true(fabs(dr_rods_start(&rods, &par, points)) < 1e-20);
    const double *m = strands.director;
    const double turned[3] = {0.0, cos(angle) * m[1] - sin(angle) * m[2], sin(angle) * m[1] + cos(angle) * m[2]};
    dr_rods_lead(&rods, 0, COUNT - 2, turned);
    double stiffness = material.shear * 0.5 * 3.14159265358979323846 * pow(radius[0], 4);
    double energy = dr_rods_look(&rods, &par, points);
    assert_true(fabs(energy / (0.5 * stiffness * angle * angle / length) - 1.0) < 1e-9);
    dr_rods_keep(&rods, &par, points);
    dr_rods_start(&rods, &par, points);
    dr_rods_keep(&rods, &par, points);
    for (int i = 1; i + 1 < COUNT; i++) assert_true(fabs(rods.twist[i] - angle / (COUNT - 2)) < 1e-9);
    dr_strands_free(&strands, NULL);
    dr_rods_free(&rods, NULL);
}

// Power iteration comes near the bound and not above it.
static void test_the_bound_holds_and_is_near(void **state)
{
    (void)state;
    fixture f;
    make(&f, false);
    double mass[VERTICES], image[3 * VERTICES], most = 0.0;
    float direction[4 * VERTICES];
    for (int v = 0; v < VERTICES; v++) mass[v] = uniform(0.5, 1.0);
    draw(direction);
    for (int i = 0; i < 300; i++) {
        product(&f, direction, false, image);
        double size = 0.0, along = 0.0;
        for (int k = 0; k < 3 * VERTICES; k++) {
            double d = (double)direction[4 * (k / 3) + k % 3];
            along += d * image[k];
            size += d * d * mass[k / 3];
        }
        most = along / size;
        for (int k = 0; k < 3 * VERTICES; k++)
            direction[4 * (k / 3) + k % 3] = (float)(image[k] / (mass[k / 3] * most * sqrt(size)));
    }
    double bound = dr_rods_limit(&f.rods, &f.par, mass);
    assert_true(most <= bound);
    assert_true(most > 0.3 * bound);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_gradient_is_the_slope_of_the_least_energy),
        cmocka_unit_test(test_the_product_is_the_derivative_of_the_gradient),
        cmocka_unit_test(test_the_part_without_moments_is_symmetric_and_never_negative),
        cmocka_unit_test(test_rigid_motion_is_free),
        cmocka_unit_test(test_a_turned_end_twists_evenly),
        cmocka_unit_test(test_the_bound_holds_and_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
