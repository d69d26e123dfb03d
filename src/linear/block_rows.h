// A sparse matrix of 3 x 3 blocks in float whose sparsity is that of a mesh and does not change: a row per vertex, a
// block per vertex that it shares an element with, itself included. docs/theory/codim.md, section 9.
#ifndef DR_LINEAR_BLOCK_ROWS_H
#define DR_LINEAR_BLOCK_ROWS_H

#include "base/memory.h"

enum { DR_BLOCK_ROWS_SPARE = 3 }; // floats beyond the last block, so that columns are read four at a time

typedef struct dr_block_rows {
    size_t rows, entries;
    uint32_t *first;  // [row + 1]
    uint32_t *column; // [entry], ascending in a row
    float *block;     // [entry][9], column by column
} dr_block_rows;

// Who meets in elements of so many corners: `index` [element][corners]; `slot`, entries of it by vertex, from `first`
// [vertex + 1] on.
typedef struct dr_block_mesh {
    size_t vertices, corners;
    const uint32_t *index, *first, *slot;
} dr_block_mesh;

// False when memory is out.
bool dr_block_rows_open(dr_block_rows *rows, const dr_block_mesh *mesh, const dr_allocator *allocator);
void dr_block_rows_close(dr_block_rows *rows, const dr_allocator *allocator);

// The block of a row and a column that is there.
float *dr_block_rows_at(const dr_block_rows *rows, size_t row, uint32_t column);

// out [row][4] = the sum of blocks times in [column][4], of rows begin .. end-1; their fourth numbers are nought.
void dr_block_rows_multiply(const dr_block_rows *rows, size_t begin, size_t end, const float *in, float *out);

#endif
