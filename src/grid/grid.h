// The sparse block grid: which 4x4x4 blocks of nodes exist, where they are, who their neighbours are. Topology only;
// the numbers on nodes, faces and cells are arrays [block][64] of their users. docs/theory/grid.md.
//   blocks are sorted by Morton key, independent of the order of particles
//   node (i,j,k) of a block is item (i*4 + j)*4 + k
//   a block that holds points also has its 7 upper neighbours, at offsets (0|1, 0|1, 0|1)
//   blocks come of all sets of points together; who of a set lives where, the set's dr_residents say
//   a period is 1 or even: then two blocks of one colour never share an upper neighbour
//   tiles are cubes of 4 x 4 x 4 places for blocks; those that there are follow each other
#ifndef DR_GRID_GRID_H
#define DR_GRID_GRID_H

#include "base/memory.h"
#include "grid/particles.h"
#include "par/par.h"

#define DR_BLOCK_SIDE  4
#define DR_BLOCK_NODES 64
#define DR_BLOCK_FACES (4 * DR_BLOCK_NODES) // the lower x, y, z face of every cell, and a spare

// From node to node of a block along x, y, z, and from block to block in the table of 27 neighbours.
static const int dr_block_stride[3] = {16, 4, 1}, dr_block_step[3] = {9, 3, 1};

// What fills a cell of a liquid's grid.
typedef enum dr_cell_kind { DR_CELL_AIR, DR_CELL_LIQUID, DR_CELL_SOLID } dr_cell_kind;

typedef struct dr_grid {
    const dr_allocator *allocator;
    double cell;
    double origin[3];
    double velocity[3], travel[3]; // of the grid itself in the step under way, cm/s and cm; solids are asked at its end
    int32_t period[3];             // blocks, 0: not periodic; periodic directions have block coordinates 0 .. period-1
    bool padded;                   // blocks with points of any set get all 26 neighbours, not only the upper 7
    size_t block_count;
    uint64_t *key;       // [block]
    int32_t *coordinate; // [block][3]
    int32_t *neighbour;  // [block][27]: offsets (-1..1)^3, index ((dx+1)*3 + dy+1)*3 + dz+1; -1 where there is none
    size_t tile_count;
    uint32_t *tile_first;         // [tile + 1] of its blocks
    struct dr_grid_private *more; // capacities, lookup
} dr_grid;

// The colour of a tile: blocks of two tiles of one colour never share an upper neighbour where the grid can be tiled.
int dr_grid_tile_colour(const dr_grid *grid, size_t tile);
bool dr_grid_tiles(const dr_grid *grid); // a periodic one has one tile along an axis or an even number of them

bool dr_grid_open(dr_grid *grid, const dr_allocator *allocator, double cell, const double origin[3],
                  const int32_t period[3]);
void dr_grid_close(dr_grid *grid);

// Morton keys: 21 bits per axis, coordinates -2^20 .. 2^20-1.
uint64_t dr_grid_key(const int32_t coordinate[3]);
void dr_grid_coordinate(uint64_t key, int32_t coordinate[3]);
#define DR_GRID_REACH  (1 << 20)
#define DR_GRID_MARGIN 64 // blocks at the end that matter leaves empty, so that neighbours always exist

// Cells from a block's lowest node to those places whose offset in it is 0, along every axis: kernels up to cubic on
// nodes, and up to quadratic on faces and cells, then touch the block and its upper neighbours alone.
#define DR_GRID_SHIFT 1.0

// Place of a point (cm), and back.
void dr_grid_place(const dr_grid *grid, const double position[3], uint64_t *key, float offset[3]);
void dr_grid_place_many(const dr_grid *grid, const double *position, size_t count, uint64_t *key, float *offset);
void dr_grid_position(const dr_grid *grid, uint64_t key, const float offset[3], double position[3]);
void dr_grid_position_many(const dr_grid *grid, const uint64_t *key, const float *offset, size_t count,
                           double (*position)[3]);

// A set of points that blocks are made for.
typedef struct dr_point_set {
    dr_particles *particles; // sorted by block, with all their columns; NULL: points
    dr_points *points;       // that keep their order and are listed by block
    bool padded;             // blocks with its points get all 26 neighbours, not only the upper 7
} dr_point_set;

// Makes the blocks that the points of all sets touch, and finds out who lives where. Columns of particles change places
// with spare ones of the same size, so all sets must come from the grid's allocator. False when memory is out: the
// points are as they were and the grid has no blocks.
bool dr_grid_build(dr_grid *grid, const dr_par *par, const dr_point_set *sets, int count);

// The same of one set of particles.
bool dr_grid_rebuild(dr_grid *grid, const dr_par *par, dr_particles *particles);

// Puts points at these places [count][3] (cm). False when memory is out.
bool dr_grid_place_points(const dr_grid *grid, const dr_par *par, const double *position, size_t count,
                          dr_points *points);

// Makes exactly these blocks, in any order, without particles. False when memory is out: the grid has no blocks.
bool dr_grid_from_blocks(dr_grid *grid, const dr_par *par, const int32_t (*coordinate)[3], size_t count);

// The coordinate in reach: wrapped where the axis is periodic, else bounded so that the upper neighbour still has a
// key.
int32_t dr_grid_wrap(const dr_grid *grid, int axis, int64_t coordinate);

// Rounds to float without leaving 0 <= offset < 4; what is not a number becomes 0.
float dr_grid_inside(double offset);

// The block at those coordinates (wrapped where periodic), -1 where there is none.
int32_t dr_grid_find(const dr_grid *grid, const int32_t coordinate[3]);

// The point at a block's item, `shift` cells from its node, as the step under way ends.
static inline void dr_grid_point(const dr_grid *grid, size_t block, int item, const double shift[3], double x[3])
{
    const int local[3] = {item >> 4, item >> 2 & 3, item & 3};
    for (int a = 0; a < 3; a++) {
        double cells = (double)(4 * (int64_t)grid->coordinate[3 * block + (size_t)a] + local[a]) + shift[a];
        x[a] = grid->origin[a] + grid->travel[a] + grid->cell * cells;
    }
}

size_t dr_grid_bytes(const dr_grid *grid); // memory held

#endif
