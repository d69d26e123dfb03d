// What the transfers to nodes and to faces share: a block's nodes and those above it in one small buffer, and how a
// particle moves. docs/theory/transfer.md.
#ifndef DR_GRID_STENCIL_H
#define DR_GRID_STENCIL_H

#include "grid/grid.h"
#include "grid/transfer.h"
#include "math/kernel.h"

enum {
    DR_STENCIL_BATCH = DR_TRANSFER_BATCH, // particles per call of the user's functions
    DR_STENCIL_PITCH = 8,                 // items from one row of a buffer to the next
    DR_STENCIL_SIDE = 7,                  // rows of the largest buffer, either way
    DR_STENCIL_ITEMS = DR_STENCIL_SIDE * DR_STENCIL_SIDE * DR_STENCIL_PITCH,
    DR_STENCIL_APART = 2 * DR_STENCIL_ITEMS // floats from one component of two fields to the next
};

// The index of the neighbour `upper` (bits x, y, z) in the table of 27.
DR_INLINE int32_t dr_stencil_upper(const dr_grid *grid, size_t block, int upper)
{
    return grid->neighbour[27 * block + 13 + (size_t)(9 * (upper >> 2) + 3 * (upper >> 1 & 1) + (upper & 1))];
}

// The slope of a kernel of degree 2 or 3 is this factor times distance times weight, eq. (6); a linear one's is its
// own.
DR_INLINE double dr_stencil_slope(int degree)
{
    return degree == 1 ? 1.0 : 6.0 - degree;
}

// Calls function(degree, ...) with a degree that the compiler knows.
#define DR_STENCIL_CALL(kernel, function, ...)                                                                         \
    do {                                                                                                               \
        if ((kernel) == DR_KERNEL_LINEAR) function(1, __VA_ARGS__);                                                    \
        if ((kernel) == DR_KERNEL_QUADRATIC) function(2, __VA_ARGS__);                                                 \
        if ((kernel) == DR_KERNEL_CUBIC) function(3, __VA_ARGS__);                                                     \
    } while (0)

// Adds a buffer of side x side x side items to the block and its upper neighbours: 4 floats of every `stride`.
void dr_stencil_add(const dr_grid *grid, size_t block, int side, const float *buffer, size_t stride, float *field);

// Fills such a buffer with items of 4 floats; those beyond the side are zero.
void dr_stencil_load(const dr_grid *grid, size_t block, int side, const float *field, float *buffer);

// Zeroes [block][64][4].
void dr_stencil_clear(const dr_grid *grid, const dr_par *par, float *field);

// What the points of a block need: columns, of which those without data end the list.
enum { DR_STENCIL_COLUMNS = 5 + DR_TRANSFER_COLUMNS };
typedef struct dr_stencil_fetch {
    const dr_residents *residents;
    dr_transfer_column column[DR_STENCIL_COLUMNS + 1];
} dr_stencil_fetch;

// ---- points to fields of 4 floats per item, counted in the order of blocks

typedef struct dr_stencil_scatter {
    const dr_grid *grid;
    const dr_residents *residents;
    int side;
    float *field[2];                                                          // [1] may be NULL
    bool keep;                                                                // what the fields hold: added to
    bool apart;                                                               // components: DR_STENCIL_APART
    void (*add)(const void *user, size_t first, size_t count, float *buffer); // up to DR_STENCIL_BATCH points
    const void *user;
    const dr_stencil_fetch *fetch;         // NULL: nothing is fetched ahead
    const uint32_t *blocks;                // of one colour
    size_t block_count;                    // of them
    int colour;                            // of tiles
    const struct dr_stencil_scatter *with; // points of another set, which go into the same buffers; NULL: none
} dr_stencil_scatter;

// An item of the buffer that `add` adds to holds the fields' items one after the other. Where components are apart it
// holds one component of each of two fields, of buffers of the largest side, one for each of the first three.
void dr_stencil_run_scatter(const dr_par *par, dr_stencil_scatter job);

// ---- a field to points

// value: the velocity; slope: its derivatives along x, y, z, per cell. Lane r is component r.
typedef struct dr_stencil_sample {
    dr_float4 value, slope[3];
} dr_stencil_sample;

// What points with these offsets find in buffers, where there are: of the last perhaps the value alone.
typedef void (*dr_stencil_find)(dr_kernel kernel, const float *offset, size_t count, const float *const buffer[3],
                                dr_stencil_sample (*found)[DR_STENCIL_BATCH]);

typedef struct dr_stencil_gather {
    const dr_transfer *transfer;
    const dr_grid *grid;
    const dr_transfer_back *back;
    int side;
    dr_stencil_find find;
} dr_stencil_gather;

// Velocity, affine matrix and place of every particle.
void dr_stencil_run_gather(const dr_par *par, const dr_stencil_gather *gather);

typedef struct dr_stencil_read {
    const dr_transfer *transfer;
    const dr_grid *grid;
    const dr_transfer_places *places;
    const float *field;
    int side;
    dr_stencil_find find;
    float *value, *gradient;  // [point][4], [point][9]; either may be NULL
    dr_transfer_visitor call; // NULL: written there
    void *user;
    const dr_stencil_fetch *fetch;      // NULL: nothing is fetched ahead
    const struct dr_stencil_read *with; // points of another set that read the same; NULL: none
} dr_stencil_read;

// Values and gradients at every point, which stays where it is.
void dr_stencil_run_read(const dr_par *par, const dr_stencil_read *read);

#endif
