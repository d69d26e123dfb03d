// Further right-hand sides of one factorised strand, eight at a time: its numbers lie DR_LDLT_WIDTH apart and are
// each used for all eight. docs/theory/rods.md, eq. (26).
#include "linear/banded_ldlt.h"

#include <stddef.h>

const dr_ldlt_row dr_ldlt_nothing = {0};

#define PIECES (DR_LDLT_WIDTH / DR_LANES)

typedef struct eight {
    dr_lanes piece[PIECES];
} eight;

static inline eight load(const double *from)
{
    eight out;
    for (int i = 0; i < PIECES; i++) out.piece[i] = dr_lanes_load(from + i * DR_LANES);
    return out;
}

static inline void store(double *to, eight value)
{
    for (int i = 0; i < PIECES; i++) dr_lanes_store(to + i * DR_LANES, value.piece[i]);
}

// value - s other
static inline eight less(eight value, double s, eight other)
{
    for (int i = 0; i < PIECES; i++) value.piece[i] -= s * other.piece[i];
    return value;
}

static void forward(const dr_ldlt_row *row, int lane, int behind, double *at)
{
    eight value[4];
    for (int r = 0; r < 4; r++) value[r] = load(at + 8 * r);
    if (behind > 0) {
        for (int c = 0; c < 4; c++) {
            eight last = load(at - 32 + 8 * c);
            for (int r = 0; r < 4; r++) value[r] = less(value[r], row->last[r][c][lane], last);
        }
    }
    if (behind > 1) {
        for (int c = 0; c < 4; c++) {
            eight before = load(at - 64 + 8 * c);
            for (int r = 0; r < 3; r++) value[r] = less(value[r], row->before[r][c][lane], before);
        }
    }
    value[1] = less(value[1], row->own[0][lane], value[0]);
    value[2] = less(less(value[2], row->own[1][lane], value[0]), row->own[2][lane], value[1]);
    value[3] = less(less(value[3], row->own[3][lane], value[0]), row->own[4][lane], value[1]);
    value[3] = less(value[3], row->own[5][lane], value[2]);
    for (int r = 0; r < 4; r++) store(at + 8 * r, value[r]);
}

static void back(const dr_ldlt_row *row, int lane, int ahead, double *at)
{
    eight value[4];
    for (int r = 0; r < 4; r++) {
        value[r] = load(at + 8 * r);
        for (int i = 0; i < PIECES; i++) value[r].piece[i] *= row->inverse[r][lane];
    }
    for (int k = 0; ahead > 0 && k < 4; k++) {
        eight next = load(at + 32 + 8 * k);
        for (int r = 0; r < 4; r++) value[r] = less(value[r], row[1].last[k][r][lane], next);
    }
    for (int k = 0; ahead > 1 && k < 3; k++) {
        eight after = load(at + 64 + 8 * k);
        for (int r = 0; r < 4; r++) value[r] = less(value[r], row[2].before[k][r][lane], after);
    }
    value[2] = less(value[2], row->own[5][lane], value[3]);
    value[1] = less(less(value[1], row->own[4][lane], value[3]), row->own[2][lane], value[2]);
    value[0] = less(less(value[0], row->own[3][lane], value[3]), row->own[1][lane], value[2]);
    value[0] = less(value[0], row->own[0][lane], value[1]);
    for (int r = 0; r < 4; r++) store(at + 8 * r, value[r]);
}

// value - s other, system by system
static inline eight less_each(eight value, const double s[DR_LDLT_WIDTH], eight other)
{
    for (int i = 0; i < PIECES; i++) value.piece[i] -= dr_lanes_load(s + i * DR_LANES) * other.piece[i];
    return value;
}

static void forward_each(const dr_ldlt_row *row, int behind, double *at)
{
    eight value[4];
    for (int r = 0; r < 4; r++) value[r] = load(at + 8 * r);
    for (int c = 0; behind > 0 && c < 4; c++) {
        eight last = load(at - 32 + 8 * c);
        for (int r = 0; r < 4; r++) value[r] = less_each(value[r], row->last[r][c], last);
    }
    for (int c = 0; behind > 1 && c < 4; c++) {
        eight before = load(at - 64 + 8 * c);
        for (int r = 0; r < 3; r++) value[r] = less_each(value[r], row->before[r][c], before);
    }
    value[1] = less_each(value[1], row->own[0], value[0]);
    value[2] = less_each(less_each(value[2], row->own[1], value[0]), row->own[2], value[1]);
    value[3] = less_each(less_each(value[3], row->own[3], value[0]), row->own[4], value[1]);
    value[3] = less_each(value[3], row->own[5], value[2]);
    for (int r = 0; r < 4; r++) store(at + 8 * r, value[r]);
}

static void back_each(const dr_ldlt_row *row, int ahead, double *at)
{
    eight value[4];
    for (int r = 0; r < 4; r++) {
        value[r] = load(at + 8 * r);
        for (int i = 0; i < PIECES; i++) value[r].piece[i] *= dr_lanes_load(row->inverse[r] + i * DR_LANES);
    }
    for (int k = 0; ahead > 0 && k < 4; k++) {
        eight next = load(at + 32 + 8 * k);
        for (int r = 0; r < 4; r++) value[r] = less_each(value[r], row[1].last[k][r], next);
    }
    for (int k = 0; ahead > 1 && k < 3; k++) {
        eight after = load(at + 64 + 8 * k);
        for (int r = 0; r < 4; r++) value[r] = less_each(value[r], row[2].before[k][r], after);
    }
    value[2] = less_each(value[2], row->own[5], value[3]);
    value[1] = less_each(less_each(value[1], row->own[4], value[3]), row->own[2], value[2]);
    value[0] = less_each(less_each(value[0], row->own[3], value[3]), row->own[1], value[2]);
    value[0] = less_each(value[0], row->own[0], value[1]);
    for (int r = 0; r < 4; r++) store(at + 8 * r, value[r]);
}

void dr_ldlt_solve_each(const dr_ldlt_row *rows, int count, double *block)
{
    for (int i = 0; i < count; i++) forward_each(&rows[i], i, block + 32 * (size_t)i);
    for (int i = count - 1; i >= 0; i--) back_each(&rows[i], count - 1 - i, block + 32 * (size_t)i);
}

void dr_ldlt_solve_three(const dr_ldlt_row *rows, int count, double *block)
{
    size_t size = 32 * (size_t)count;
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) forward_each(&rows[i], i, block + k * size + 32 * (size_t)i);
    }
    for (int i = count - 1; i >= 0; i--) {
        for (size_t k = 0; k < 3; k++) back_each(&rows[i], count - 1 - i, block + k * size + 32 * (size_t)i);
    }
}

void dr_ldlt_solve(const dr_ldlt_row *rows, int count, int lane, int from, double *block)
{
    for (int i = from; i < count; i++) forward(&rows[i], lane, i - from, block + 32 * (size_t)i);
    for (int i = count - 1; i >= 0; i--) back(&rows[i], lane, count - 1 - i, block + 32 * (size_t)i);
}
