// The energies of strands: their gradients and matrices against finite differences, and what rigid motion leaves alone.
#include "math/random.h"
#include "strand/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROWS  6
#define SIZE  (4 * ROWS)
#define LANES DR_ROD_WIDTH

static uint64_t draws;

static double uniform(double low, double high)
{
    return low + (high - low) * dr_random_unit(77, draws++);
}

typedef struct fixture {
    dr_rod_row row[ROWS];
    dr_rod_place base[ROWS], trial[ROWS];
    double guess[ROWS][4][LANES], step[ROWS][4][LANES];
    dr_ldlt_row factor[ROWS];
    dr_newton job;
} fixture;

// A crooked strand per lane with frames and rest shape that have nothing to do with each other.
static void fill_row(fixture *f, int i, int lane)
{
    dr_rod_row *row = &f->row[i];
    for (int a = 0; a < 3; a++) {
        row->anchor[a][lane] = uniform(-1, 1);
        f->base[i].x[a][lane] = (a == 0 ? 0.8 * i : 0.0) + uniform(-0.4, 0.4);
    }
    row->weight[lane] = uniform(0.1, 1);
    row->turn_anchor[lane] = uniform(-0.3, 0.3);
    row->turn_weight[lane] = uniform(0.1, 1);
    row->length[lane] = uniform(0.6, 1.2);
    row->stretch[lane] = uniform(1, 4);
    for (int k = 0; k < 4; k++) row->curvature[k][lane] = uniform(-0.7, 0.7);
    for (int k = 0; k < 2; k++) row->bend[k][lane] = uniform(0.3, 2);
    row->twist[lane] = uniform(-0.5, 0.5);
    row->torsion[lane] = uniform(0.3, 2);
}

static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++) v[a] /= length;
}

static void fill_frame(fixture *f, int i, int lane)
{
    double t[3], m[3], along = 0.0;
    for (int a = 0; a < 3; a++) {
        t[a] = f->base[i + 1].x[a][lane] - f->base[i].x[a][lane];
        m[a] = uniform(-1, 1);
    }
    normalise(t);
    for (int a = 0; a < 3; a++) along += t[a] * m[a];
    for (int a = 0; a < 3; a++) m[a] -= along * t[a];
    normalise(m);
    for (int a = 0; a < 3; a++) {
        f->base[i].tangent[a][lane] = t[a];
        f->base[i].director[a][lane] = m[a];
    }
}

static void wire(fixture *f)
{
    f->job = (dr_newton){.rows = ROWS,
                         .row = f->row,
                         .base = f->base,
                         .trial = f->trial,
                         .guess = f->guess,
                         .step = f->step,
                         .factor = f->factor};
}

static void make(fixture *f)
{
    memset(f, 0, sizeof *f);
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < ROWS; i++) fill_row(f, i, lane);
        for (int i = 0; i + 1 < ROWS; i++) fill_frame(f, i, lane);
    }
    wire(f);
}

typedef struct derivatives {
    double energy[LANES], gradient[SIZE][LANES], matrix[SIZE][SIZE][LANES];
} derivatives;

// Puts rows of L into a square; the matrix and the gradient come back from the factors: A = L D L^T, g = -L y.
static void unpack(const fixture *f, int lane, double l[SIZE][SIZE], double d[SIZE])
{
    static const int own[6][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}};
    memset(l, 0, SIZE * sizeof *l);
    for (int i = 0; i < ROWS; i++) {
        const dr_ldlt_row *row = &f->factor[i];
        for (int r = 0; r < 4; r++) {
            l[4 * i + r][4 * i + r] = 1.0;
            d[4 * i + r] = 1.0 / row->inverse[r][lane];
            for (int c = 0; c < 4 && i > 0; c++) l[4 * i + r][4 * i - 4 + c] = row->last[r][c][lane];
            for (int c = 0; c < 4 && i > 1 && r < 3; c++) l[4 * i + r][4 * i - 8 + c] = row->before[r][c][lane];
        }
        for (int k = 0; k < 6; k++) l[4 * i + own[k][0]][4 * i + own[k][1]] = row->own[k][lane];
    }
}

static void recover(const fixture *f, int lane, derivatives *out)
{
    static double l[SIZE][SIZE], d[SIZE];
    unpack(f, lane, l, d);
    for (int r = 0; r < SIZE; r++) {
        out->gradient[r][lane] = 0.0;
        for (int k = 0; k <= r; k++) out->gradient[r][lane] -= l[r][k] * f->guess[k / 4][k % 4][lane];
        for (int c = 0; c < SIZE; c++) {
            double sum = 0.0;
            for (int k = 0; k <= r && k <= c; k++) sum += l[r][k] * d[k] * l[c][k];
            out->matrix[r][c][lane] = sum;
        }
    }
}

static void look(fixture *f, double alpha, derivatives *out)
{
    for (int lane = 0; lane < LANES; lane += DR_LANES) {
        dr_rod_pass pass = {.job = &f->job,
                            .lane = lane,
                            .alpha = dr_lanes_all(alpha),
                            .geometric = dr_lanes_all(1.0),
                            .pressed = dr_lanes_all(1.0),
                            .shift = dr_lanes_all(0.0)};
        dr_rod_assemble(&pass, true, f->guess);
        for (int i = 0; i < DR_LANES; i++) out->energy[lane + i] = pass.energy[i];
    }
    for (int lane = 0; lane < LANES; lane++) recover(f, lane, out);
}

static void point(fixture *f, int unknown)
{
    memset(f->step, 0, sizeof f->step);
    for (int lane = 0; lane < LANES && unknown >= 0; lane++) f->step[unknown / 4][unknown % 4][lane] = 1.0;
}

static fixture f;
static derivatives here, before, after;
static double jacobian[SIZE][SIZE][LANES];

static double largest(const double *values, size_t count)
{
    double size = 0.0;
    for (size_t i = 0; i < count; i++) size = fmax(size, fabs(values[i]));
    return size;
}

// Central differences of the energy and of the gradient over all unknowns.
static void differ(double step, double (*slope)[LANES])
{
    point(&f, -1);
    look(&f, 0.0, &here);
    for (int k = 0; k < SIZE; k++) {
        point(&f, k);
        look(&f, -step, &before);
        look(&f, step, &after);
        for (int lane = 0; lane < LANES; lane++) {
            slope[k][lane] = (after.energy[lane] - before.energy[lane]) / (2.0 * step);
            for (int r = 0; r < SIZE; r++)
                jacobian[r][k][lane] = (after.gradient[r][lane] - before.gradient[r][lane]) / (2.0 * step);
        }
    }
}

static void test_gradient_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    static double slope[SIZE][LANES];
    make(&f);
    differ(1e-5, slope);
    double size = largest(&here.gradient[0][0], SIZE * LANES);
    for (int k = 0; k < SIZE - 1; k++) {
        for (int lane = 0; lane < LANES; lane++)
            assert_true(fabs(slope[k][lane] - here.gradient[k][lane]) < 1e-7 * size);
    }
}

// The turn of an edge is no coordinate of space: differences of the gradient have an antisymmetric part, which the
// matrix leaves out.
static void test_matrix_is_the_slope_of_the_gradient(void **state)
{
    (void)state;
    static double slope[SIZE][LANES];
    make(&f);
    differ(1e-5, slope);
    for (int lane = 0; lane < LANES; lane++) {
        double size = 0.0, worst = 0.0, lopsided = 0.0;
        for (int r = 0; r < SIZE - 1; r++) {
            for (int c = 0; c < SIZE - 1; c++) {
                double even = 0.5 * (jacobian[r][c][lane] + jacobian[c][r][lane]);
                size = fmax(size, fabs(here.matrix[r][c][lane]));
                worst = fmax(worst, fabs(even - here.matrix[r][c][lane]));
                lopsided = fmax(lopsided, fabs(jacobian[r][c][lane] - jacobian[c][r][lane]));
            }
        }
        assert_true(worst < 1e-8 * size);
        assert_true(lopsided > 1e-4 * size);
    }
}

// W = 1/2 dE/dturn [t]x / l^2 of each edge is all of the antisymmetric part.
static void test_antisymmetric_part_is_the_holonomy(void **state)
{
    (void)state;
    static double slope[SIZE][LANES], w[SIZE][SIZE];
    make(&f);
    differ(1e-5, slope);
    for (int lane = 0; lane < LANES; lane++) {
        memset(w, 0, sizeof w);
        for (int i = 0; i + 1 < ROWS; i++) {
            double e[3], squared = 0.0;
            for (int a = 0; a < 3; a++) {
                e[a] = f.base[i + 1].x[a][lane] - f.base[i].x[a][lane];
                squared += e[a] * e[a];
            }
            double torque = here.gradient[4 * i + 3][lane];
            double inertia = f.row[i].turn_weight[lane] * (f.base[i].turn[lane] - f.row[i].turn_anchor[lane]);
            double s = 0.5 * (torque - inertia) / (squared * sqrt(squared));
            const double cross[3][3] = {{0, -s * e[2], s * e[1]}, {s * e[2], 0, -s * e[0]}, {-s * e[1], s * e[0], 0}};
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    w[4 * i + a][4 * i + b] += cross[a][b], w[4 * i + 4 + a][4 * i + 4 + b] += cross[a][b];
                    w[4 * i + a][4 * i + 4 + b] -= cross[a][b], w[4 * i + 4 + a][4 * i + b] -= cross[a][b];
                }
            }
        }
        double size = largest(&here.matrix[0][0][0], sizeof here.matrix / sizeof(double));
        for (int r = 0; r < SIZE - 1; r++) {
            for (int c = 0; c < SIZE - 1; c++) {
                double odd = 0.5 * (jacobian[r][c][lane] - jacobian[c][r][lane]);
                assert_true(fabs(odd - w[r][c]) < 1e-7 * size);
            }
        }
    }
}

// Q applied to places and frames; the anchors are switched off.
static void turn_rigidly(fixture *g)
{
    const double q[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}}, shift[3] = {3, -5, 2};
    for (int i = 0; i < ROWS; i++) {
        double(*sets[3])[LANES] = {g->base[i].x, g->base[i].tangent, g->base[i].director};
        for (int k = 0; k < 3; k++) {
            for (int lane = 0; lane < LANES; lane++) {
                double old[3] = {sets[k][0][lane], sets[k][1][lane], sets[k][2][lane]};
                for (int a = 0; a < 3; a++)
                    sets[k][a][lane] =
                        q[a][0] * old[0] + q[a][1] * old[1] + q[a][2] * old[2] + (k == 0 ? shift[a] : 0.0);
            }
        }
    }
}

static void test_energy_is_the_same_after_rigid_motion(void **state)
{
    (void)state;
    make(&f);
    for (int i = 0; i < ROWS; i++) {
        memset(f.row[i].weight, 0, sizeof f.row[i].weight);
        memset(f.row[i].turn_weight, 0, sizeof f.row[i].turn_weight);
    }
    point(&f, -1);
    look(&f, 0.0, &before);
    turn_rigidly(&f);
    look(&f, 0.0, &after);
    for (int lane = 0; lane < LANES; lane++)
        assert_true(fabs(before.energy[lane] - after.energy[lane]) < 1e-13 * before.energy[lane]);
}

// Two edges nearly folded back: energy and gradient stay finite and agree up to 179.9 degrees.
static void fold(double degrees)
{
    double angle = degrees * 3.141592653589793 / 180.0;
    make(&f);
    for (int lane = 0; lane < LANES; lane++) {
        double x = f.base[2].x[0][lane], y = f.base[2].x[1][lane], z = f.base[2].x[2][lane];
        double e[3] = {x - f.base[1].x[0][lane], y - f.base[1].x[1][lane], z - f.base[1].x[2][lane]};
        double n[3] = {-e[1], e[0], 0.0};
        double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        normalise(n);
        for (int a = 0; a < 3; a++)
            f.base[3].x[a][lane] = f.base[2].x[a][lane] + cos(angle) * e[a] + sin(angle) * length * n[a];
        for (int i = 0; i + 1 < ROWS; i++) fill_frame(&f, i, lane);
    }
    for (int i = 0; i < ROWS; i++) memset(f.row[i].torsion, 0, sizeof f.row[i].torsion);
}

static void test_folded_edges_have_a_bounded_energy_with_its_gradient(void **state)
{
    (void)state;
    static double slope[SIZE][LANES];
    static const double angles[] = {168.0, 169.0, 175.0, 179.0, 179.9};
    for (int k = 0; k < 5; k++) {
        fold(angles[k]);
        differ(1e-7, slope);
        double size = largest(&here.gradient[0][0], SIZE * LANES);
        assert_true(here.energy[0] < 1e4 && here.energy[7] < 1e4);
        for (int i = 0; i < SIZE - 1; i++) {
            for (int lane = 0; lane < LANES; lane++)
                assert_true(fabs(slope[i][lane] - here.gradient[i][lane]) < 1e-5 * size);
        }
    }
    fold(180.0);
    point(&f, -1);
    look(&f, 0.0, &here);
    for (int i = 0; i < SIZE; i++) {
        for (int lane = 0; lane < LANES; lane++) assert_true(isfinite(here.gradient[i][lane]));
    }
}

static void test_twist_counts_whole_turns(void **state)
{
    (void)state;
    make(&f);
    point(&f, -1);
    look(&f, 0.0, &here);
    memcpy(f.base, f.trial, sizeof f.base);
    double first = f.base[3].twist[5];
    memset(f.step, 0, sizeof f.step);
    f.step[3][3][5] = 0.1;
    for (int k = 0; k < 200; k++) {
        look(&f, 1.0, &here);
        memcpy(f.base, f.trial, sizeof f.base);
    }
    assert_true(fabs(f.base[3].twist[5] - first - 20.0) < 1e-12 * 200);
    assert_true(fabs(f.base[4].twist[5] - f.trial[4].twist[5]) < 1e-12);
}

static void test_angles_and_sines_are_exact_to_rounding(void **state)
{
    (void)state;
    for (int k = -3140; k <= 3140; k++) {
        double angle = 1e-3 * k;
        dr_lanes sine, cosine;
        dr_transport_sine_cosine(dr_lanes_all(angle), &sine, &cosine);
        assert_true(fabs(sine[0] - sin(angle)) < 3e-16 && fabs(cosine[1] - cos(angle)) < 3e-16);
        assert_true(fabs(dr_transport_angle(sine, cosine)[2] - angle) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_is_the_slope_of_the_energy),
        cmocka_unit_test(test_matrix_is_the_slope_of_the_gradient),
        cmocka_unit_test(test_antisymmetric_part_is_the_holonomy),
        cmocka_unit_test(test_energy_is_the_same_after_rigid_motion),
        cmocka_unit_test(test_folded_edges_have_a_bounded_energy_with_its_gradient),
        cmocka_unit_test(test_twist_counts_whole_turns),
        cmocka_unit_test(test_angles_and_sines_are_exact_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
