#include "linear/block_rows.h"

#include "math/simd.h"

#include <assert.h>
#include <stdlib.h>

// ---- sparsity

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The vertices that v meets, sorted, each once; `out` has room for all corners of its elements and itself.
static size_t list_columns(const dr_block_mesh *mesh, size_t v, uint32_t *out)
{
    size_t count = 0, kept = 1;
    out[count++] = (uint32_t)v;
    for (uint32_t i = mesh->first[v]; i < mesh->first[v + 1]; i++) {
        const uint32_t *corner = mesh->index + mesh->slot[i] / mesh->corners * mesh->corners;
        for (size_t k = 0; k < mesh->corners; k++) out[count++] = corner[k];
    }
    qsort(out, count, sizeof *out, compare);
    for (size_t i = 1; i < count; i++) {
        if (out[i] != out[kept - 1]) out[kept++] = out[i];
    }
    return kept;
}

static size_t longest_row(const dr_block_mesh *mesh)
{
    size_t most = 0;
    for (size_t v = 0; v < mesh->vertices; v++) {
        size_t corners = (mesh->first[v + 1] - mesh->first[v]) * mesh->corners + 1;
        if (corners > most) most = corners;
    }
    return most;
}

static size_t block_bytes(size_t entries)
{
    return (9 * entries + DR_BLOCK_ROWS_SPARE) * sizeof(float);
}

bool dr_block_rows_open(dr_block_rows *rows, const dr_block_mesh *mesh, const dr_allocator *allocator)
{
    size_t most = longest_row(mesh);
    uint32_t *list = dr_memory_alloc(allocator, most * sizeof *list + 1);
    *rows = (dr_block_rows){.rows = mesh->vertices};
    rows->first = dr_memory_alloc(allocator, (mesh->vertices + 1) * sizeof *rows->first);
    for (size_t v = 0; list && rows->first && v < mesh->vertices; v++)
        rows->first[v + 1] = rows->first[v] + (uint32_t)list_columns(mesh, v, list);
    rows->entries = rows->first ? rows->first[mesh->vertices] : 0;
    rows->column = dr_memory_alloc(allocator, rows->entries * sizeof *rows->column + 1);
    rows->block = dr_memory_alloc(allocator, block_bytes(rows->entries));
    bool ok = list && rows->first && rows->column && rows->block;
    for (size_t v = 0; ok && v < mesh->vertices; v++) {
        size_t count = list_columns(mesh, v, list);
        memcpy(rows->column + rows->first[v], list, count * sizeof *list);
    }
    if (list) dr_memory_free(allocator, list, most * sizeof *list + 1);
    if (!ok) dr_block_rows_close(rows, allocator);
    return ok;
}

void dr_block_rows_close(dr_block_rows *rows, const dr_allocator *allocator)
{
    if (rows->column) dr_memory_free(allocator, rows->column, rows->entries * sizeof *rows->column + 1);
    if (rows->block) dr_memory_free(allocator, rows->block, block_bytes(rows->entries));
    if (rows->first) dr_memory_free(allocator, rows->first, (rows->rows + 1) * sizeof *rows->first);
    *rows = (dr_block_rows){0};
}

float *dr_block_rows_at(const dr_block_rows *rows, size_t row, uint32_t column)
{
    size_t low = rows->first[row], high = rows->first[row + 1];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (rows->column[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    assert(rows->column[low] == column);
    return rows->block + 9 * low;
}

// ---- product

void dr_block_rows_multiply(const dr_block_rows *rows, size_t begin, size_t end, const float *in, float *out)
{
    static const dr_int4 three = {-1, -1, -1, 0};
    for (size_t v = begin; v < end; v++) {
        dr_float4 x = dr_float4_all(0.0F), y = x, z = x;
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; i++) {
            const float *block = rows->block + 9 * (size_t)i, *from = in + 4 * (size_t)rows->column[i];
            x = dr_float4_add_product(x, dr_float4_load(block), dr_float4_all(from[0]));
            y = dr_float4_add_product(y, dr_float4_load(block + 3), dr_float4_all(from[1]));
            z = dr_float4_add_product(z, dr_float4_load(block + 6), dr_float4_all(from[2]));
        }
        dr_float4_store(out + 4 * v, (dr_float4)((dr_int4)(x + (y + z)) & three));
    }
}
