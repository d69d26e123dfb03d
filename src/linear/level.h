// One level of the pressure multigrid: a symmetric seven-point matrix on sparse blocks of 4x4x4 cells, and the passes
// over it. docs/theory/pressure.md, sections 3 to 5.
//   a block's 64 numbers lie as two colours of 32: cell (i,j,k) is of colour (i+j+k) & 1, slab i, lane 2*j + (k >> 1)
//   a colour's neighbours are all of the other colour, so a pass reads one half and writes the other
//   block -1 exists in every array `dr_level_field` makes and holds zeros: a neighbour that is not there
#ifndef DR_LINEAR_LEVEL_H
#define DR_LINEAR_LEVEL_H

#include "base/memory.h"
#include "par/par.h"

enum {
    DR_LEVEL_CELLS = 64,
    DR_LEVEL_HALF = 32,
    DR_LEVEL_STENCIL = 512, // floats of one block: [colour][slab][term][lane]
    DR_LEVEL_GRAIN = 128    // blocks of one piece of a parallel loop
};

// What a cell's row holds. A cell with even k has its upper z neighbour in its own pair (near) and the lower one
// outside (far); with odd k the other way round.
typedef enum dr_level_term {
    DR_TERM_X_LOW,
    DR_TERM_X_HIGH,
    DR_TERM_Y_LOW,
    DR_TERM_Y_HIGH,
    DR_TERM_NEAR,
    DR_TERM_FAR,
    DR_TERM_INVERSE, // 1 / (links + ground), 0 where the cell is no unknown
    DR_TERM_GROUND,  // what ties the cell to a given pressure: free surface and compressibility
    DR_TERM_COUNT
} dr_level_term;

typedef struct dr_level_uniform {
    float link, inverse, ground;
} dr_level_uniform;

#define DR_LEVEL_NOWHERE UINT32_MAX

// A cell (64 * block + item) that takes the value of the coarse cell beside its own.
typedef struct dr_level_aggregateion {
    uint32_t cell, target; // target: of the coarser level, DR_LEVEL_NOWHERE: none
    int32_t side;          // -1: none
    float residual;        // on its way to the target
} dr_level_aggregateion;

typedef struct dr_level {
    size_t block_count, stencil_count;
    bool compressible;         // mass is filled
    unsigned fold;             // bits 4, 2, 1 for x, y, z: one block per period, which is its own neighbour
    uint64_t *key;             // [block] Morton, rising
    int32_t *neighbour;        // [block][6] x low, x high, y low ...; -1: none
    int32_t *place;            // [block] 8 * (block of the next level) + octant; -1: nothing left to do there
    int32_t *stencil_of;       // [block] -1: every cell has the row `uniform`
    dr_level_uniform *uniform; // [block]
    float *stencil;            // [stencil][DR_LEVEL_STENCIL]
    float *mass;               // [stencil][64] the compressible part of ground
    float *x, *b;              // [block][64]
    uint64_t *apart;           // [block] cells, by (i*4 + j)*4 + k, that do not follow their coarse cell
    uint8_t *touched;          // [block] such cells are in it or beside it
    int32_t *adopted_first;    // [block] the first of its adoptions
    dr_level_aggregateion *adopted;
    size_t adopted_count, adopted_capacity, block_capacity, stencil_capacity;
} dr_level;

// Room for blocks, and for stencils; old contents are not kept. False when memory is out.
bool dr_level_reserve_blocks(dr_level *level, const dr_allocator *allocator, size_t count);
bool dr_level_reserve_stencils(dr_level *level, const dr_allocator *allocator, size_t count);
void dr_level_free(dr_level *level, const dr_allocator *allocator);

// A field [-1 .. count-1][64] of floats whose block -1 is zero; NULL when memory is out.
float *dr_level_field(const dr_allocator *allocator, size_t count);
void dr_level_field_free(const dr_allocator *allocator, float *field, size_t count);

// Where cell (i,j,k) of a block lies among its 64 numbers.
static inline int dr_level_item(int i, int j, int k)
{
    return DR_LEVEL_HALF * ((i + j + k) & 1) + 8 * i + 2 * j + (k >> 1);
}

// Where a term of the cell at that place lies in its block's stencil.
static inline int dr_level_term_item(int item, dr_level_term term)
{
    return (item >> 3) * (8 * DR_TERM_COUNT) + 8 * (int)term + (item & 7);
}

// The term of a cell's neighbour on a side (x low, x high, y low ...), k or its parity given.
static inline dr_level_term dr_level_side_term(int side, int k)
{
    if (side < 4) return (dr_level_term)side;
    return (side & 1) == (k & 1) ? DR_TERM_FAR : DR_TERM_NEAR;
}

// Whether a cell's row couples it to others.
bool dr_level_coupled(const float *stencil, int item);

// Fills DR_TERM_INVERSE from the other terms.
void dr_level_invert(float *stencil);

// One Gauss-Seidel half sweep on a colour; `first`: the other colour counts as zero and is not read.
void dr_level_relax(dr_level *level, const dr_par *par, int colour, bool first);

// b of the coarser level from the residual of colour 1; that of colour 0 must be zero.
void dr_level_restrict(const dr_level *level, const dr_par *par, dr_level *coarse);

// Adds x of the coarser level to colour 1; colour 0 is left for the half sweep that follows.
void dr_level_prolong(dr_level *level, const dr_par *par, const dr_level *coarse);

// q = A p, accumulated in double from differences of p, so that a constant gives exactly what is tied to the ground.
// partial[piece] receives the sums of p q, pieces of DR_LEVEL_GRAIN blocks.
void dr_level_apply(const dr_level *level, const dr_par *par, const float *p, double *q, double *partial);

// The next coarser level: Galerkin sums over 2x2x2 cells, links and ground halved. Leaves fine->place filled. A level
// that has no couplings left gives a coarse level without blocks. False when memory is out.
bool dr_level_coarsen(dr_level *fine, const dr_allocator *allocator, const dr_par *par, dr_level *coarse);

// Parts of dr_level_coarsen. Finds the cells apart and their sides; where they lead; and the rows of the coarse cells
// around them. Cells are 64 * block + item.
bool dr_level_aggregate(dr_level *level, const dr_allocator *allocator, const dr_par *par);
void dr_level_find_targets(dr_level *fine, const dr_level *coarse);
void dr_level_add_touched(const dr_level *fine, dr_level *coarse);
uint32_t dr_level_parent(const dr_level *fine, uint32_t cell);

#endif
