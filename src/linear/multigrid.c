// The hierarchy and its cycle. docs/theory/pressure.md, section 4.
//   S  half sweeps red, black, ... red: a palindrome, symmetric and not negative
//   C  correction by the next level
//   finest level S C S; coarser levels S C S C S, which never corrects too far, so that the whole is positive
#include "linear/multigrid.h"

#include "math/simd.h"

#include <string.h>

enum {
    BOTTOM_HALF_SWEEPS = 61, // where the last level is more than one block
    CELLS = DR_LEVEL_CELLS
};

bool dr_multigrid_open(dr_multigrid *multigrid, const dr_allocator *allocator)
{
    *multigrid = (dr_multigrid){.allocator = allocator};
    multigrid->bottom = dr_memory_alloc(allocator, CELLS * CELLS * sizeof *multigrid->bottom);
    multigrid->elimination = dr_memory_alloc(allocator, CELLS * CELLS * sizeof *multigrid->elimination);
    if (multigrid->bottom && multigrid->elimination) return true;
    dr_multigrid_close(multigrid);
    return false;
}

void dr_multigrid_close(dr_multigrid *multigrid)
{
    const dr_allocator *allocator = multigrid->allocator;
    for (int l = 0; l < DR_MULTIGRID_LEVELS; l++) dr_level_free(&multigrid->level[l], allocator);
    dr_memory_free(allocator, multigrid->bottom, CELLS * CELLS * sizeof *multigrid->bottom);
    dr_memory_free(allocator, multigrid->elimination, CELLS * CELLS * sizeof *multigrid->elimination);
    *multigrid = (dr_multigrid){0};
}

// ---- the last level, one block: a dense inverse

// Six neighbours of a cell inside a block, -1 where it is outside and the block is not its own neighbour.
static int cell_beside(const int32_t *neighbour, int i, int j, int k, int n)
{
    int at[3] = {i, j, k};
    at[n / 2] += n & 1 ? 1 : -1;
    if ((at[n / 2] & ~3) && neighbour[n] != 0) return -1;
    return dr_level_item(at[0] & 3, at[1] & 3, at[2] & 3);
}

static float link_of(const dr_level *level, int item, int k, int n)
{
    if (level->stencil_of[0] < 0) return level->uniform[0].link;
    return level->stencil[dr_level_term_item(item, dr_level_side_term(n, k))];
}

static void write_dense(const dr_level *level, double *a)
{
    memset(a, 0, CELLS * CELLS * sizeof *a);
    for (int c = 0; c < CELLS; c++) {
        int i = c >> 4, j = c >> 2 & 3, k = c & 3, item = dr_level_item(i, j, k);
        a[CELLS * item + item] += level->stencil_of[0] < 0
                                      ? (double)level->uniform[0].ground
                                      : (double)level->stencil[dr_level_term_item(item, DR_TERM_GROUND)];
        for (int n = 0; n < 6; n++) {
            double link = (double)link_of(level, item, k, n);
            int other = cell_beside(level->neighbour, i, j, k, n);
            if (other == item) continue;
            a[CELLS * item + item] += link;
            if (other >= 0) a[CELLS * item + other] -= link;
        }
    }
}

// Gauss-Jordan on the positive semi-definite matrix, in place, without pivoting. Rows whose pivot vanishes (no unknown,
// or the last cell of a region tied to nothing) become zero: a symmetric inverse of the rest.
static void invert_dense(double *a)
{
    double least[CELLS];
    for (int p = 0; p < CELLS; p++) least[p] = 1e-6 * a[CELLS * p + p];
    bool gone[CELLS] = {false};
    for (int p = 0; p < CELLS; p++) {
        double *row = a + CELLS * p, pivot = row[p];
        gone[p] = !(pivot > least[p]);
        if (gone[p]) continue;
        for (int c = 0; c < CELLS; c++) row[c] /= pivot;
        row[p] = 1.0 / pivot;
        for (int r = 0; r < CELLS; r++) {
            double factor = a[CELLS * r + p];
            if (r == p || factor == 0.0) continue;
            a[CELLS * r + p] = 0.0;
            for (int c = 0; c < CELLS; c++) a[CELLS * r + c] -= factor * row[c];
        }
    }
    for (int r = 0; r < CELLS; r++) {
        for (int c = 0; c < CELLS; c++) {
            if (gone[r] || gone[c]) a[CELLS * r + c] = 0.0;
        }
    }
}

static void make_bottom(dr_multigrid *multigrid)
{
    double *a = multigrid->elimination;
    write_dense(&multigrid->level[multigrid->level_count - 1], a);
    invert_dense(a);
    for (int r = 0; r < CELLS; r++) {
        for (int c = 0; c < CELLS; c++) {
            multigrid->bottom[CELLS * r + c] = (float)(0.5 * (a[CELLS * r + c] + a[CELLS * c + r]));
        }
    }
}

static void solve_bottom(const dr_multigrid *multigrid, dr_level *level)
{
    dr_float8 sum[8] = {{0.0F}};
    for (int c = 0; c < CELLS; c++) {
        dr_float8 b = dr_float8_all(level->b[c]);
        const float *column = multigrid->bottom + CELLS * c;
        for (int n = 0; n < 8; n++) sum[n] = dr_float8_add_product(sum[n], b, dr_float8_load(column + 8 * n));
    }
    for (int n = 0; n < 8; n++) dr_float8_store(level->x + 8 * n, sum[n]);
}

// ---- hierarchy

// Periods of the next level; false where one cannot be halved.
static bool halve_period(int32_t period[3], unsigned *fold)
{
    *fold = 0;
    for (int a = 0; a < 3; a++) {
        if (period[a] == 1) *fold |= 4U >> a;
        if (period[a] > 1 && period[a] % 2 != 0) return false;
    }
    for (int a = 0; a < 3; a++) period[a] = period[a] > 1 ? period[a] / 2 : period[a];
    return true;
}

static int choose_visits(const dr_level *fine, const dr_level *coarse)
{
    return 4 * coarse->block_count <= fine->block_count || coarse->block_count == 1 ? 2 : 1;
}

bool dr_multigrid_build(dr_multigrid *multigrid, const dr_par *par, const int32_t period[3], int half_sweeps)
{
    int32_t left[3] = {period[0], period[1], period[2]};
    multigrid->half_sweeps = half_sweeps;
    multigrid->level_count = 1;
    while (multigrid->level_count < DR_MULTIGRID_LEVELS) {
        dr_level *fine = &multigrid->level[multigrid->level_count - 1], *coarse = fine + 1;
        if (fine->block_count <= 1 || !halve_period(left, &fine->fold)) break;
        if (!dr_level_coarsen(fine, multigrid->allocator, par, coarse)) return false;
        if (coarse->block_count == 0) break;
        multigrid->visits[multigrid->level_count - 1] = multigrid->level_count == 1 ? 1 : choose_visits(fine, coarse);
        multigrid->level_count++;
    }
    multigrid->exact_bottom = multigrid->level[multigrid->level_count - 1].block_count == 1;
    if (multigrid->exact_bottom) make_bottom(multigrid);
    return true;
}

// ---- cycle

static void smooth(dr_level *level, const dr_par *par, int half_sweeps, bool first)
{
    for (int s = 0; s < half_sweeps; s++) dr_level_relax(level, par, s & 1, first && s == 0);
}

static void descend(dr_multigrid *multigrid, const dr_par *par, int l)
{
    dr_level *level = &multigrid->level[l];
    if (l == multigrid->level_count - 1) {
        if (multigrid->exact_bottom) {
            solve_bottom(multigrid, level);
        } else {
            smooth(level, par, BOTTOM_HALF_SWEEPS, true);
        }
        return;
    }
    smooth(level, par, multigrid->half_sweeps, true);
    for (int visit = 0; visit < multigrid->visits[l]; visit++) {
        dr_level_restrict(level, par, level + 1);
        descend(multigrid, par, l + 1);
        dr_level_prolong(level, par, level + 1);
        smooth(level, par, multigrid->half_sweeps, false);
    }
}

void dr_multigrid_cycle(dr_multigrid *multigrid, const dr_par *par)
{
    descend(multigrid, par, 0);
}
