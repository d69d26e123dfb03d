// LDL^T of the matrices of strands, eight strands side by side. docs/theory/rods.md, eq. (24)-(26).
// Four unknowns per vertex: three coordinates, then the turn of the edge that starts there. Coordinates reach back to
// all of the vertex before the last (bands 8, 9, 10), a turn to the vertex before (band 7): the envelope has no other
// zeros, and none of it is stored or touched. A row of the factor is made as soon as its part of the matrix is known,
// so the matrix itself is never in memory.
#ifndef DR_LINEAR_BANDED_LDLT_H
#define DR_LINEAR_BANDED_LDLT_H

#include "math/simd.h"

#define DR_LDLT_WIDTH 8 // systems side by side in storage

// Four rows of L and 1/D: [...][system].
typedef struct dr_ldlt_row {
    double before[3][4][DR_LDLT_WIDTH]; // against the vertex before the last; the turn has none
    double last[4][4][DR_LDLT_WIDTH];   // against the last vertex
    double own[6][DR_LDLT_WIDTH];       // below the diagonal: 10, 20, 21, 30, 31, 32
    double inverse[4][DR_LDLT_WIDTH];   // 1/D
} dr_ldlt_row;

// Four rows of the matrix and of the right-hand side.
typedef struct dr_ldlt_block {
    dr_lanes before[3][4], last[4][4];
    dr_lanes own[4][4]; // lower triangle
    dr_lanes right[4];
} dr_ldlt_block;

// What a walk along the strand remembers; the rows of the last two vertices it finds where they were stored.
typedef struct dr_ldlt_window {
    const dr_ldlt_row *last, *before; // rows of the factor
    const double (*last_solved)[DR_LDLT_WIDTH], (*before_solved)[DR_LDLT_WIDTH];
    dr_lanes weakest; // the smallest pivot so far
    dr_lanes descent; // sum of y^2 / D: minus the slope of the step
} dr_ldlt_window;

// What lies before the first vertex.
extern const dr_ldlt_row dr_ldlt_nothing;

DR_INLINE dr_ldlt_window dr_ldlt_start(void)
{
    const double(*zero)[DR_LDLT_WIDTH] = (const double(*)[DR_LDLT_WIDTH])dr_ldlt_nothing.own;
    return (dr_ldlt_window){&dr_ldlt_nothing, &dr_ldlt_nothing, zero, zero, dr_lanes_all(__builtin_inf()),
                            dr_lanes_all(0.0)};
}

// w <- w (unit lower triangle of `own`)^-T, a row of L D out of a row of the matrix.
DR_INLINE void dr_ldlt_reduce(dr_lanes w[4], const dr_ldlt_row *row, int lane)
{
    w[1] -= w[0] * dr_lanes_load(row->own[0] + lane);
    w[2] -= w[0] * dr_lanes_load(row->own[1] + lane) + w[1] * dr_lanes_load(row->own[2] + lane);
    w[3] -= w[0] * dr_lanes_load(row->own[3] + lane) + w[1] * dr_lanes_load(row->own[4] + lane) +
            w[2] * dr_lanes_load(row->own[5] + lane);
}

DR_INLINE dr_lanes dr_ldlt_dot_row(const dr_lanes a[4], const double (*b)[DR_LDLT_WIDTH], int lane)
{
    return a[0] * dr_lanes_load(b[0] + lane) + a[1] * dr_lanes_load(b[1] + lane) +
           (a[2] * dr_lanes_load(b[2] + lane) + a[3] * dr_lanes_load(b[3] + lane));
}

DR_INLINE dr_lanes dr_ldlt_dot(const dr_lanes a[4], const dr_lanes b[4])
{
    return a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3]);
}

// The four-by-four block at the diagonal: own <- L, pivots.
DR_INLINE void dr_ldlt_pivot(dr_lanes a[4][4], dr_lanes own[6], dr_lanes inverse[4], dr_lanes *weakest)
{
    inverse[0] = 1.0 / a[0][0];
    own[0] = a[1][0] * inverse[0];
    a[1][1] -= own[0] * a[1][0];
    inverse[1] = 1.0 / a[1][1];
    a[2][1] -= own[0] * a[2][0];
    a[3][1] -= own[0] * a[3][0];
    own[1] = a[2][0] * inverse[0];
    own[2] = a[2][1] * inverse[1];
    a[2][2] -= own[1] * a[2][0] + own[2] * a[2][1];
    inverse[2] = 1.0 / a[2][2];
    a[3][2] -= own[1] * a[3][0] + own[2] * a[3][1];
    own[3] = a[3][0] * inverse[0];
    own[4] = a[3][1] * inverse[1];
    own[5] = a[3][2] * inverse[2];
    a[3][3] -= own[3] * a[3][0] + own[4] * a[3][1] + own[5] * a[3][2];
    inverse[3] = 1.0 / a[3][3];
    for (int i = 0; i < 4; i++) *weakest = dr_lanes_smaller(a[i][i], *weakest);
}
// w of one row against the two vertices before.
DR_INLINE void dr_ldlt_eliminate(const dr_ldlt_window *window, int lane, dr_lanes before[4], dr_lanes last[4])
{
    dr_ldlt_reduce(before, window->before, lane);
    for (int c = 0; c < 4; c++)
        last[c] -= dr_ldlt_dot_row(before, (const double(*)[DR_LDLT_WIDTH])window->last->last[c], lane);
    dr_ldlt_reduce(last, window->last, lane);
}

// l = w / D
DR_INLINE void dr_ldlt_divide(const dr_lanes w[4], const dr_ldlt_row *row, int lane, dr_lanes l[4])
{
    for (int c = 0; c < 4; c++) l[c] = w[c] * dr_lanes_load(row->inverse[c] + lane);
}

DR_INLINE void dr_ldlt_forward(const dr_ldlt_window *window, int lane, dr_lanes before[3][4], dr_lanes last[4][4],
                               const dr_lanes own[6], dr_lanes right[4])
{
    for (int r = 0; r < 4; r++) right[r] -= dr_ldlt_dot_row(last[r], window->last_solved, lane);
    for (int r = 0; r < 3; r++) right[r] -= dr_ldlt_dot_row(before[r], window->before_solved, lane);
    right[1] -= own[0] * right[0];
    right[2] -= own[1] * right[0] + own[2] * right[1];
    right[3] -= own[3] * right[0] + own[4] * right[1] + own[5] * right[2];
}

DR_INLINE void dr_ldlt_store(dr_ldlt_row *row, int lane, dr_lanes before[3][4], dr_lanes last[4][4],
                             const dr_lanes own[6], const dr_lanes inverse[4])
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) dr_lanes_store(row->before[r][c] + lane, before[r][c]);
    }
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) dr_lanes_store(row->last[r][c] + lane, last[r][c]);
        dr_lanes_store(row->inverse[r] + lane, inverse[r]);
    }
    for (int i = 0; i < 6; i++) dr_lanes_store(row->own[i] + lane, own[i]);
}

// Moves on by one vertex: its rows of the factor and the solution of L y = right are stored from `lane` on. (25)
DR_INLINE void dr_ldlt_factor(dr_ldlt_window *window, dr_ldlt_block *block, dr_ldlt_row *row,
                              double (*solved)[DR_LDLT_WIDTH], int lane)
{
    dr_lanes before[3][4], last[4][4], own[6], inverse[4];
    for (int r = 0; r < 3; r++) {
        dr_ldlt_eliminate(window, lane, block->before[r], block->last[r]);
        dr_ldlt_divide(block->before[r], window->before, lane, before[r]);
        dr_ldlt_divide(block->last[r], window->last, lane, last[r]);
        for (int c = 0; c <= r; c++)
            block->own[r][c] -= dr_ldlt_dot(block->before[r], before[c]) + dr_ldlt_dot(block->last[r], last[c]);
    }
    dr_ldlt_reduce(block->last[3], window->last, lane);
    dr_ldlt_divide(block->last[3], window->last, lane, last[3]);
    for (int c = 0; c < 4; c++) block->own[3][c] -= dr_ldlt_dot(block->last[3], last[c]);
    dr_ldlt_pivot(block->own, own, inverse, &window->weakest);
    dr_ldlt_forward(window, lane, before, last, own, block->right);
    dr_ldlt_store(row, lane, before, last, own, inverse);
    for (int r = 0; r < 4; r++) {
        window->descent += block->right[r] * block->right[r] * inverse[r];
        dr_lanes_store(solved[r] + lane, block->right[r]);
    }
    window->before = window->last;
    window->last = row;
    window->before_solved = window->last_solved;
    window->last_solved = (const double(*)[DR_LDLT_WIDTH])solved;
}

// The way back for one vertex: value = y / D - (what the two vertices after it, already known, take) - its own. (26)
// `next` and `after` are the rows of those two vertices, NULL past the end.
DR_INLINE void dr_ldlt_back(const dr_ldlt_row *row, const dr_ldlt_row *next, const dr_ldlt_row *after, int lane,
                            const dr_lanes known[2][4], dr_lanes value[4])
{
    for (int r = 0; r < 4; r++) value[r] *= dr_lanes_load(row->inverse[r] + lane);
    for (int k = 0; next && k < 4; k++) {
        for (int r = 0; r < 4; r++) value[r] -= dr_lanes_load(next->last[k][r] + lane) * known[0][k];
    }
    for (int k = 0; after && k < 3; k++) {
        for (int r = 0; r < 4; r++) value[r] -= dr_lanes_load(after->before[k][r] + lane) * known[1][k];
    }
    value[2] -= dr_lanes_load(row->own[5] + lane) * value[3];
    value[1] -= dr_lanes_load(row->own[4] + lane) * value[3] + dr_lanes_load(row->own[2] + lane) * value[2];
    value[0] -= dr_lanes_load(row->own[3] + lane) * value[3] + dr_lanes_load(row->own[1] + lane) * value[2] +
                dr_lanes_load(row->own[0] + lane) * value[1];
}

// Eight right-hand sides of the system `lane` of the rows, in place: block[row][4][8]; those before row `from` are
// zero.
void dr_ldlt_solve(const dr_ldlt_row *rows, int count, int lane, int from, double *block);

// One right-hand side of each of the eight systems, in place: block[row][4][system]. The same bits as one by one.
void dr_ldlt_solve_each(const dr_ldlt_row *rows, int count, double *block);
// Three right-hand sides, one block after the other.
void dr_ldlt_solve_three(const dr_ldlt_row *rows, int count, double *block);

#endif
