// The elimination of drag against dense solves, and what a mixture must keep.
#include "../linear/pool.h"

#include "mixture/mixture.h"

enum { PHASES = 3, MOST = 1 + PHASES };

typedef struct blend {
    pool pool;
    size_t faces;
    float *mass[MOST], *volume[MOST], *momentum[MOST], *force[MOST], *drag[MOST], *prescribed[MOST]; // 0: the liquid
    float *velocity, *result[MOST];
    dr_phase_faces phases[PHASES];
    dr_mixture mixture;
} blend;

static const dr_par one_thread = {1};

static void open_blend(blend *b, int phases, const int high[3])
{
    const int low[3] = {0, 0, 0};
    const int32_t period[3] = {0, 0, 0};
    pool_open_box(&b->pool, 0.5, low, high, period);
    b->faces = 4 * b->pool.cells;
    for (int i = 0; i < MOST; i++) {
        b->mass[i] = pool_floats(b->faces, 0.0F);
        b->volume[i] = pool_floats(b->faces, 0.0F);
        b->momentum[i] = pool_floats(b->faces, 0.0F);
        b->force[i] = pool_floats(b->faces, 0.0F);
        b->drag[i] = pool_floats(b->faces, 0.0F);
        b->prescribed[i] = pool_floats(b->faces, 0.0F);
        b->result[i] = pool_floats(b->faces, 7.0F);
    }
    b->velocity = pool_floats(b->faces, 0.0F);
    for (int i = 0; i < PHASES; i++) {
        b->phases[i] = (dr_phase_faces){.mass = b->mass[1 + i],
                                        .volume = b->volume[1 + i],
                                        .momentum = b->momentum[1 + i],
                                        .force = b->force[1 + i],
                                        .drag = b->drag[1 + i]};
    }
    b->mixture = (dr_mixture){.grid = &b->pool.grid,
                              .dt = 1e-3,
                              .liquid_mass = b->mass[0],
                              .liquid_volume = b->volume[0],
                              .liquid_velocity = b->velocity,
                              .liquid_density = 1.25,
                              .phases = b->phases,
                              .phase_count = phases,
                              .most = 0.9};
}

static void close_blend(blend *b)
{
    for (int i = 0; i < MOST; i++) {
        free(b->mass[i]);
        free(b->volume[i]);
        free(b->momentum[i]);
        free(b->force[i]);
        free(b->drag[i]);
        free(b->prescribed[i]);
        free(b->result[i]);
    }
    free(b->velocity);
    pool_close(&b->pool);
}

// Random matter: every fourth face lacks a phase, drag goes over six decades about the masses, and some is infinite.
static void fill_blend(blend *b, uint64_t seed, bool endless)
{
    pool *p = &b->pool;
    double cell = p->grid.cell, whole = cell * cell * cell;
    p->random = 2 * seed + 1;
    for (size_t f = 0; f < b->faces; f++) {
        b->velocity[f] = (float)(4.0 * pool_random(p) - 2.0);
        for (int i = 0; i < MOST; i++) {
            bool there = pool_random(p) > 0.25;
            double volume = there ? whole * (0.05 + 0.3 * pool_random(p)) : 0.0, density = 0.5 + 2.0 * pool_random(p);
            b->volume[i][f] = (float)volume;
            b->mass[i][f] = (float)(volume * density);
            b->momentum[i][f] = (float)(volume * density * (4.0 * pool_random(p) - 2.0));
            b->force[i][f] = (float)(volume * density * (2000.0 * pool_random(p) - 1000.0));
            b->drag[i][f] = (float)(whole * pow(10.0, 6.0 * pool_random(p) - 3.0));
            b->prescribed[i][f] = (float)(4.0 * pool_random(p) - 2.0);
            if (endless && i > 0 && pool_random(p) < 0.3) b->drag[i][f] = INFINITY;
        }
        b->pool.gradient[f] = (float)(3000.0 * pool_random(p) - 1500.0);
    }
}

// ---- dense reference

// Gaussian elimination with pivots; the solution replaces the right-hand side. Rows without a pivot get 0.
static void solve_dense(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        }
        for (int j = 0; j < n && best != k; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        if (a[k * n + k] == 0.0) continue;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0.0) continue;
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] = a[k * n + k] == 0.0 ? 0.0 : b[k] / a[k * n + k];
    }
}

static double given_momentum(const blend *b, size_t f, int i)
{
    if (i == 0) return (double)b->mass[0][f] * (double)b->velocity[f];
    return (double)b->momentum[i][f] + b->mixture.dt * (double)b->force[i][f];
}

// What moves phase i of a face, in unknowns u_0 .. u_n: sum row u = momentum - dt volume G. With endless drag the
// phases have one velocity, and the liquid's row is that of both.
typedef struct face_row {
    double row[MOST], momentum, volume;
} face_row;

static face_row write_row(const blend *b, size_t f, int i)
{
    face_row r = {{0}, given_momentum(b, f, i), (double)b->volume[i][f]};
    if (i > 0 && b->phases[i - 1].prescribed) {
        r = (face_row){{0}, (double)b->prescribed[i][f], 0.0};
        r.row[i] = 1.0;
        return r;
    }
    r.row[i] = (double)b->mass[i][f];
    for (int k = 1; k <= b->mixture.phase_count; k++) {
        bool there = b->phases[k - 1].prescribed ? b->volume[k][f] > 0.0F : b->mass[k][f] > 0.0F;
        double c = (double)b->drag[k][f];
        if (!there || (i > 0 && i != k)) continue;
        if (!isinf(c)) {
            r.row[i] += c;
            r.row[i == 0 ? k : 0] -= c;
        } else if (i == 0) {
            r.row[k] = (double)b->mass[k][f];
            r.momentum += given_momentum(b, f, k);
            r.volume += (double)b->volume[k][f];
        } else {
            r = (face_row){{-1.0}, 0.0, 0.0};
            r.row[i] = 1.0;
        }
    }
    return r;
}

static void check_faces(blend *b)
{
    int size = b->mixture.phase_count + 1;
    float *result[PHASES] = {b->result[1], b->result[2], b->result[3]};
    dr_mixture_correct(&b->mixture, &one_thread, b->pool.gradient, b->result[0], result);
    for (size_t f = 0; f < b->faces; f++) {
        double a[MOST * MOST] = {0}, u[MOST] = {0};
        bool moves[MOST];
        if (f % 4 == 3) continue;
        for (int i = 0; i < size; i++) {
            face_row r = write_row(b, f, i);
            memcpy(a + i * size, r.row, (size_t)size * sizeof *a);
            u[i] = r.momentum - b->mixture.dt * r.volume * (double)b->pool.gradient[f];
            moves[i] = i > 0 ? b->mass[i][f] > 0.0F : false;
            for (int k = 0; k < size && i == 0; k++) moves[0] |= r.row[k] != 0.0;
        }
        solve_dense(size, a, u);
        for (int i = 0; i < size; i++) {
            if (moves[i]) check_near((double)b->result[i][f], u[i], 1e-6);
        }
    }
}

static void test_a_face_moves_as_its_dense_system_says(void **state)
{
    (void)state;
    for (int phases = 0; phases <= PHASES; phases++) {
        for (int held = 0; held <= (phases > 0 ? 1 : 0); held++) {
            blend b;
            open_blend(&b, phases, (int[3]){2, 1, 1});
            fill_blend(&b, (uint64_t)(10 * phases + held), held == 0);
            if (held) b.phases[0].prescribed = b.prescribed[1];
            check_faces(&b);
            close_blend(&b);
        }
    }
}

// ---- the whole: phases on faces and pressure in cells as one dense system

typedef struct dense {
    int unknowns, face_start[4 * 64], cell_start;
    int cell[64];
    double *matrix, *right;
} dense;

// A box of one block, walls around it, air above y = 3.
static void fill_whole(blend *b, uint64_t seed)
{
    fill_blend(b, seed, true);
    for (size_t c = 0; c < 64; c++) {
        int at[3];
        pool_cell(&b->pool, c, at);
        b->pool.kind[c] = at[1] < 3 ? DR_CELL_LIQUID : DR_CELL_AIR;
        for (size_t a = 0; a < 3; a++) {
            b->pool.open[4 * c + a] = at[a] > 0 ? 1.0F : 0.0F;
            if (b->mass[0][4 * c + a] <= 0.0F) { // without liquid and phases a face would be in no row
                b->mass[0][4 * c + a] = 0.1F;
                b->volume[0][4 * c + a] = 0.08F;
            }
        }
    }
}

static void number_unknowns(const blend *b, dense *d)
{
    d->unknowns = 0;
    for (size_t f = 0; f < b->faces; f++) {
        d->face_start[f] = -1;
        if (f % 4 == 3 || b->pool.open[f] <= 0.0F) continue;
        d->face_start[f] = d->unknowns;
        d->unknowns += b->mixture.phase_count + 1;
    }
    d->cell_start = d->unknowns;
    for (size_t c = 0; c < 64; c++) d->cell[c] = b->pool.kind[c] == DR_CELL_LIQUID ? d->unknowns++ : -1;
    d->matrix = calloc((size_t)d->unknowns * (size_t)d->unknowns, sizeof *d->matrix);
    d->right = calloc((size_t)d->unknowns, sizeof *d->right);
}

// The gradient at a face as coefficients of pressures.
static int gradient_at(const blend *b, const dense *d, size_t f, int column[2], double factor[2])
{
    size_t c = f / 4;
    long below = pool_beside(&b->pool, c, (int)(f % 4), -1);
    int up = d->cell[c], low = below < 0 ? -1 : d->cell[below], count = 0;
    double h = b->pool.grid.cell, reach = up < 0 || low < 0 ? h * (double)b->pool.theta[f] : h;
    if (up >= 0) column[count] = up, factor[count++] = 1.0 / reach;
    if (low >= 0) column[count] = low, factor[count++] = -1.0 / reach;
    return count;
}

static void add_face(const blend *b, dense *d, size_t f)
{
    int n = b->mixture.phase_count, start = d->face_start[f], column[2], terms;
    double factor[2], volumes = 0.0, whole = pow(b->pool.grid.cell, 3.0), share[MOST];
    terms = gradient_at(b, d, f, column, factor);
    for (int i = 0; i <= n; i++) {
        double *to = d->matrix + (size_t)(start + i) * (size_t)d->unknowns;
        face_row r = write_row(b, f, i);
        d->right[start + i] = r.momentum;
        for (int k = 0; k <= n; k++) to[start + k] = r.row[k];
        for (int t = 0; t < terms; t++) to[column[t]] += b->mixture.dt * r.volume * factor[t];
        if (i > 0) volumes += (double)b->volume[i][f];
    }
    share[0] = 1.0;
    for (int i = 1; i <= n; i++) {
        share[i] = (double)b->volume[i][f] / (volumes > 0.9 * whole ? volumes / 0.9 : whole);
        share[0] -= share[i];
    }
    for (int t = 0; t < terms; t++) { // what passes the face leaves the cell below and enters the one above
        double *to = d->matrix + (size_t)column[t] * (size_t)d->unknowns, sign = factor[t] > 0.0 ? -1.0 : 1.0;
        for (int i = 0; i <= n; i++) to[start + i] += sign * share[i];
    }
}

static void test_pressure_and_velocities_are_the_dense_solution_of_the_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        blend b;
        dense d;
        open_blend(&b, 2, (int[3]){1, 1, 1});
        fill_whole(&b, seed);
        number_unknowns(&b, &d);
        for (size_t f = 0; f < b.faces; f++) {
            if (d.face_start[f] >= 0) add_face(&b, &d, f);
        }
        solve_dense(d.unknowns, d.matrix, d.right);

        float *result[PHASES] = {b.result[1], b.result[2], NULL};
        dr_pressure_options options = {1e-12, 500, 2000};
        dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
        dr_solve_report report = pool_solve(&b.pool, 1, &options, NULL);
        assert_int_equal(report.reason, DR_REASON_CONVERGED);
        dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
        double most = 0.0;
        for (size_t c = 0; c < 64; c++) {
            if (d.cell[c] >= 0) most = fmax(most, fabs(d.right[d.cell[c]]));
        }
        for (size_t c = 0; c < 64; c++) {
            if (d.cell[c] >= 0) check_near((double)b.pool.pressure[c], d.right[d.cell[c]], 2e-6 * most);
        }
        for (size_t f = 0; f < b.faces; f++) {
            for (int i = 0; i <= 2 && d.face_start[f] >= 0; i++) {
                if (b.mass[i][f] > 0.0F) check_near((double)b.result[i][f], d.right[d.face_start[f] + i], 2e-5);
            }
        }
        free(d.matrix);
        free(d.right);
        close_blend(&b);
    }
}

// ---- what is kept

static void test_momentum_changes_by_force_and_pressure_alone(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, PHASES, (int[3]){2, 2, 1});
    fill_blend(&b, 5, true);
    float *result[PHASES] = {b.result[1], b.result[2], b.result[3]};
    dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
    double change = 0.0, magnitude = 0.0;
    for (size_t f = 0; f < b.faces; f++) {
        for (int i = 0; i < MOST && f % 4 != 3; i++) {
            double m = (double)b.mass[i][f], dt = b.mixture.dt, v = (double)b.volume[i][f];
            double before = i == 0 ? m * (double)b.velocity[f] : (double)b.momentum[i][f] + dt * (double)b.force[i][f];
            double now = m * (double)b.result[i][f], pressed = dt * v * (double)b.pool.gradient[f];
            if (b.mass[0][f] > 0.0F || i > 0) change += now - before + pressed;
            magnitude += fabs(now) + fabs(before) + fabs(pressed);
        }
    }
    check_near(change / magnitude, 0.0, 1.2e-8); // a tenth of a float's digit, over some thousand faces
    close_blend(&b);
}

static void test_a_moving_frame_changes_nothing_also_where_shares_are_clamped(void **state)
{
    (void)state;
    const double frame = 3.0;
    for (int held = 0; held < 2; held++) {
        blend b;
        open_blend(&b, PHASES, (int[3]){1, 1, 1});
        fill_blend(&b, 6, true);
        b.mixture.most = 0.3; // most faces are clamped
        if (held) b.phases[1].prescribed = b.prescribed[2];
        float *flux = pool_floats(b.faces, 0.0F), *mobility = pool_floats(b.faces, 0.0F);
        dr_mixture_eliminate(&b.mixture, &one_thread, flux, mobility);
        for (size_t f = 0; f < b.faces; f++) {
            b.velocity[f] += (float)frame;
            for (int i = 1; i < MOST; i++) {
                b.momentum[i][f] += (float)(frame * (double)b.mass[i][f]);
                b.prescribed[i][f] += (float)frame;
            }
        }
        dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
        for (size_t f = 0; f < b.faces; f++) {
            if (f % 4 == 3) continue;
            check_near((double)b.pool.flux[f], (double)flux[f] + frame, 4e-6);
            assert_memory_equal(&b.pool.mobility[f], &mobility[f], sizeof *mobility);
        }
        free(flux);
        free(mobility);
        close_blend(&b);
    }
}

// ---- limits

static void test_without_phases_the_liquid_has_its_own_bits(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) { // liquids of one density, of several
        blend b;
        open_blend(&b, 2, (int[3]){1, 1, 1});
        fill_blend(&b, 7, true);
        for (int i = 1; i < MOST; i++) {
            memset(b.mass[i], 0, b.faces * sizeof(float));
            memset(b.volume[i], 0, b.faces * sizeof(float));
        }
        if (!several) b.mixture.liquid_volume = NULL;
        float *result[PHASES] = {b.result[1], NULL, NULL}, dt = (float)b.mixture.dt;
        dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
        dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
        for (size_t f = 0; f < b.faces; f++) {
            if (f % 4 == 3) continue;
            float mobility = several && b.mass[0][f] > 0.0F ? dt * b.volume[0][f] / b.mass[0][f]
                                                            : (float)(b.mixture.dt / b.mixture.liquid_density);
            float velocity = b.velocity[f] - mobility * b.pool.gradient[f];
            assert_memory_equal(&b.pool.flux[f], &b.velocity[f], sizeof(float));
            assert_memory_equal(&b.pool.mobility[f], &mobility, sizeof(float));
            assert_memory_equal(&b.result[0][f], &velocity, sizeof(float));
            assert_true(b.result[1][f] == 0.0F && b.result[2][f] == 7.0F);
        }
        close_blend(&b);
    }
}

static void test_without_drag_phases_move_alone(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 2, (int[3]){1, 1, 1});
    fill_blend(&b, 8, false);
    b.phases[0].drag = b.phases[1].drag = NULL;
    float *result[PHASES] = {b.result[1], b.result[2], NULL};
    dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
    for (size_t f = 0; f < b.faces; f++) {
        for (int i = 0; i < 3; i++) {
            double m = (double)b.mass[i][f], dt = b.mixture.dt;
            if (f % 4 == 3 || m == 0.0) continue;
            double start = i == 0 ? (double)b.velocity[f] : ((double)b.momentum[i][f] + dt * (double)b.force[i][f]) / m;
            double slope = dt * (double)b.volume[i][f] / m;
            check_near((double)b.result[i][f], start - slope * (double)b.pool.gradient[f], 2e-6);
        }
    }
    close_blend(&b);
}

static void test_with_endless_drag_phases_move_as_one(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 2, (int[3]){1, 1, 1});
    fill_blend(&b, 9, false);
    for (int i = 0; i < 2; i++) {
        b.phases[i].drag = NULL;
        b.phases[i].uniform_drag = INFINITY;
    }
    float *result[PHASES] = {b.result[1], b.result[2], NULL};
    dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
    dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
    for (size_t f = 0; f < b.faces; f++) {
        double mass = 0.0, momentum = 0.0, volume = 0.0, dt = b.mixture.dt;
        for (int i = 0; i < 3; i++) {
            double m = (double)b.mass[i][f];
            mass += m;
            volume += (double)b.volume[i][f];
            momentum += i == 0    ? m * (double)b.velocity[f]
                        : m > 0.0 ? (double)b.momentum[i][f] + dt * (double)b.force[i][f]
                                  : 0.0;
        }
        if (f % 4 == 3 || mass == 0.0) continue;
        check_near((double)b.pool.flux[f], momentum / mass, 1e-6);
        check_near((double)b.pool.mobility[f], dt * volume / mass, 1e-9);
        for (int i = 1; i < 3; i++) {
            if (b.mass[i][f] > 0.0F) assert_memory_equal(&b.result[i][f], &b.result[0][f], sizeof(float));
        }
    }
    close_blend(&b);
}

static void test_prescribed_phases_with_endless_drag_take_the_liquid_along(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 2, (int[3]){1, 1, 1});
    fill_blend(&b, 12, false);
    b.phases[0].prescribed = b.prescribed[1];
    b.phases[0].drag = NULL;
    b.phases[0].uniform_drag = INFINITY;
    float *result[PHASES] = {b.result[1], b.result[2], NULL};
    dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
    for (size_t f = 0; f < b.faces; f++) {
        if (f % 4 == 3 || b.volume[1][f] <= 0.0F) continue;
        assert_memory_equal(&b.result[0][f], &b.prescribed[1][f], sizeof(float));
        assert_memory_equal(&b.result[1][f], &b.prescribed[1][f], sizeof(float));
    }
    close_blend(&b);
}

static void test_a_phase_of_the_liquids_density_and_velocity_changes_nothing(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 1, (int[3]){1, 1, 1});
    fill_blend(&b, 10, true);
    for (size_t f = 0; f < b.faces; f++) {
        for (int i = 0; i < 2; i++) b.volume[i][f] = b.mass[i][f] / 1.25F;
        b.momentum[1][f] = b.mass[1][f] * b.velocity[f];
        b.force[1][f] = 0.0F;
    }
    dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
    for (size_t f = 0; f < b.faces; f++) {
        if (f % 4 == 3) continue;
        check_near((double)b.pool.flux[f], (double)b.velocity[f], 5e-7);
        check_near((double)b.pool.mobility[f], b.mixture.dt / 1.25, 1e-10);
    }
    close_blend(&b);
}

// Under a lid nothing passes: the flux vanishes, and with it goes the gradient.
static void test_free_solids_in_a_closed_column_fall_with_their_buoyancy(void **state)
{
    (void)state;
    static const double density[3] = {0.5, 1.0, 2.0}, expected[3] = {-0.53846154, 0.0, 0.41176471}, share = 0.3;
    for (int n = 0; n < 3; n++) {
        blend b;
        open_blend(&b, 1, (int[3]){1, 1, 1});
        double whole = pow(b.pool.grid.cell, 3.0), dt = b.mixture.dt, g = 981.0;
        b.mixture.liquid_density = 1.0;
        for (size_t f = 0; f < b.faces; f++) {
            b.volume[0][f] = b.mass[0][f] = (float)((1.0 - share) * whole);
            b.volume[1][f] = (float)(share * whole);
            b.mass[1][f] = (float)(share * whole * density[n]);
            b.force[1][f] = (float)(g * share * whole * density[n]);
            b.velocity[f] = (float)(g * dt);
        }
        float *result[PHASES] = {b.result[1], NULL, NULL};
        dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
        for (size_t f = 0; f < b.faces; f++) b.pool.gradient[f] = b.pool.flux[f] / b.pool.mobility[f];
        dr_mixture_correct(&b.mixture, &one_thread, b.pool.gradient, b.result[0], result);
        for (size_t f = 0; f < b.faces; f += 4) {
            check_near((double)b.result[1][f] / (g * dt), expected[n], 1e-6);
            check_near((double)b.result[0][f] / (g * dt), -expected[n] * share / (1.0 - share), 1e-6);
        }
        close_blend(&b);
    }
}

// ---- strands elsewhere

// A body flies through air: the pressure knows it by its own velocity and mass, whether or not strands are in liquid
// somewhere else.
static void test_strands_elsewhere_change_nothing_of_a_body(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 1, (int[3]){1, 1, 1});
    float *none = pool_floats(b.faces, 0.0F), *here = pool_floats(b.faces, 0.0F);
    const dr_phase_members strands = {here, none, none, none, none, none, none};
    double volume = 0.3 * pow(b.pool.grid.cell, 3.0);
    b.mixture.by_volume = true;
    for (size_t f = 0; f < b.faces; f++) {
        b.volume[1][f] = (float)volume;
        b.mass[1][f] = (float)(0.4 * volume);
        b.momentum[1][f] = -50.0F * b.mass[1][f];
        b.velocity[f] = 20.0F;
    }
    here[8] = (float)volume;
    b.mixture.members = &strands;
    dr_mixture_eliminate(&b.mixture, &one_thread, b.pool.flux, b.pool.mobility);
    for (size_t f = 0; f < b.faces; f++) {
        if (f % 4 == 3 || f == 8) continue;
        check_near((double)b.pool.flux[f], -50.0, 1e-6);
        check_near((double)b.pool.mobility[f], b.mixture.dt / 0.4, 1e-6);
    }
    check_near((double)b.pool.flux[8], -25.0, 1e-6); // half of it is a strand at rest
    free(none);
    free(here);
    close_blend(&b);
}

// ---- shares

static void test_the_open_share_of_cells_is_what_phases_leave(void **state)
{
    (void)state;
    blend b;
    open_blend(&b, 2, (int[3]){1, 1, 1});
    fill_blend(&b, 11, true);
    float *open = pool_floats(b.pool.cells, 7.0F);
    double whole = pow(b.pool.grid.cell, 3.0);
    for (size_t c = 0; c < b.pool.cells; c++) b.volume[1][4 * c + 3] = (float)(0.025 * (double)(c + 1) * whole);
    dr_fraction_open(&b.pool.grid, &one_thread, b.phases, 2, 0.9, open);
    for (size_t c = 0; c < b.pool.cells; c++) {
        double solid = ((double)b.volume[1][4 * c + 3] + (double)b.volume[2][4 * c + 3]) / whole;
        check_near((double)open[c], 1.0 - fmin(0.9, solid), 1e-7);
    }
    free(open);
    close_blend(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_face_moves_as_its_dense_system_says),
        cmocka_unit_test(test_pressure_and_velocities_are_the_dense_solution_of_the_whole),
        cmocka_unit_test(test_momentum_changes_by_force_and_pressure_alone),
        cmocka_unit_test(test_a_moving_frame_changes_nothing_also_where_shares_are_clamped),
        cmocka_unit_test(test_without_phases_the_liquid_has_its_own_bits),
        cmocka_unit_test(test_without_drag_phases_move_alone),
        cmocka_unit_test(test_with_endless_drag_phases_move_as_one),
        cmocka_unit_test(test_prescribed_phases_with_endless_drag_take_the_liquid_along),
        cmocka_unit_test(test_a_phase_of_the_liquids_density_and_velocity_changes_nothing),
        cmocka_unit_test(test_free_solids_in_a_closed_column_fall_with_their_buoyancy),
        cmocka_unit_test(test_strands_elsewhere_change_nothing_of_a_body),
        cmocka_unit_test(test_the_open_share_of_cells_is_what_phases_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
