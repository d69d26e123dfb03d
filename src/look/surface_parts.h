// What the files of the reconstruction share. Inside, lengths are in cells; node n lies at n * cell.
// docs/theory/reconstruction.md has the equations.
#ifndef DR_LOOK_SURFACE_PARTS_H
#define DR_LOOK_SURFACE_PARTS_H

#include "base/memory.h"
#include "look/solids.h"
#include "look/surface.h"
#include "par/sort.h"

enum {
    DR_SURFACE_SIDE = 15,                      // cells along a block
    DR_SURFACE_NODES = 16,                     // nodes along a block, both ends counted
    DR_SURFACE_BLOCK_NODES = 16 * 16 * 16,     //
    DR_SURFACE_BLOCK_EDGES = 15 * 15 * 15 * 3, // that a block owns: those that begin in its cells' low corners
    DR_SURFACE_RANGE = 1 << 17,                // blocks to either side of the origin
    DR_SURFACE_MOST_BINS = 4,                  // along a block
    DR_SURFACE_AROUND = 27                     // blocks around a block, itself among them
};

#define DR_SURFACE_LEVEL 0.5F // of the field, at the surface

// ---- blocks

// z, y, x; the low nine bits are free.
static inline uint64_t dr_surface_key(const int32_t block[3])
{
    uint64_t key = 0;
    for (int a = 2; a >= 0; a--) key = key << 18 | (uint64_t)(block[a] + DR_SURFACE_RANGE);
    return key << 9;
}

static inline void dr_surface_block_of(uint64_t key, int32_t block[3])
{
    for (int a = 0; a < 3; a++) block[a] = (int32_t)(key >> (9 + 18 * a) & 0x3ffff) - DR_SURFACE_RANGE;
}

// The place of a key among sorted ones, count where it is not among them.
size_t dr_surface_find(const uint64_t *keys, size_t count, uint64_t key);

// Places of the blocks around a block among sorted keys, in the order of z, y, x; count where there is none.
void dr_surface_around(const uint64_t *keys, size_t count, const int32_t block[3], size_t around[DR_SURFACE_AROUND]);

// ---- what a frame holds

typedef struct dr_surface_points {
    const dr_frame_array *position, *volume, *velocity; // velocity NULL: at rest
    size_t count;
} dr_surface_points;

typedef struct dr_surface_scale {
    double cell;   // cm
    double volume; // of a particle as they usually are, cubic cells
    float spacing; // its cube root
    float near;    // neighbours are looked for within this distance
    float reach;   // no kernel reaches further; it is positive within near
    float smooth;  // how far kernels follow the spread of the volume around
    int bins;      // along a block
    float bin;     // side of one
} dr_surface_scale;

// Component c of item i of an array of numbers, 0 where there is no array.
double dr_surface_number(const dr_frame_array *array, size_t i, int c);

// Finds the liquid in a frame: arrays must be there and as long as the part. Points stay empty where there is none.
dr_status dr_surface_find_points(const dr_frame *frame, dr_surface_points *points, dr_error *error);

// The volume of a typical particle, cm3: the mean logarithm, weighted by volume. 0 where there is none.
double dr_surface_typical_volume(const dr_surface_points *points);

// ---- particles sorted into bins

typedef struct dr_surface_bins {
    size_t block_count, block_capacity;
    size_t bin_count; // block_count * bins^3
    uint64_t *key;    // [block], sorted
    float *fill;      // [bin] share of it that is full
    uint32_t *count;  // [bin] particles
    uint32_t *grain;  // [bin], and one more: first grain
} dr_surface_bins;

bool dr_surface_bins_open(dr_surface_bins *bins, const dr_surface_scale *scale, const dr_surface_points *points,
                          const dr_par *par, const dr_allocator *allocator);
void dr_surface_bins_close(dr_surface_bins *bins, const dr_allocator *allocator);

// A particle's block and bin, false where it has none; *block is where to look first, and its block then.
bool dr_surface_bins_find(const dr_surface_bins *bins, const dr_surface_scale *scale, const dr_surface_points *points,
                          size_t p, size_t *block, size_t *bin);

// The bin `step` beside bin `at` of a block along each axis, at most a block away; -1 where its block has no particles.
int64_t dr_surface_bins_beside(const dr_surface_bins *bins, int per_side, const size_t around[DR_SURFACE_AROUND],
                               const int at[3], const int step[3]);

// Deep inside, from where bins are as full as this, the field is not looked at.
#define DR_SURFACE_FULL 0.88F

// ---- particles near the surface

// Their places and volumes, in the order of bins; the deep ones are left out.
typedef struct dr_surface_grains {
    size_t count;
    float *place[3]; // in the block that holds the particle
    float *volume;   // of typical ones
    uint32_t *particle;
} dr_surface_grains;

bool dr_surface_grains_open(dr_surface_grains *grains, dr_surface_bins *bins, const dr_surface_scale *scale,
                            const dr_surface_points *points, const dr_par *par, const dr_allocator *allocator);
void dr_surface_grains_close(dr_surface_grains *grains, const dr_allocator *allocator);

// A particle at d from a node adds volume * node.scale * k(q2), q2 = d' form d, to the field there.
typedef struct dr_surface_shapes {                       // item (z * 16 + y) * 16 + x
    float form[6][DR_SURFACE_BLOCK_NODES];               // xx, yy, zz, yz, zx, xy
    float scale[DR_SURFACE_BLOCK_NODES];                 // 0: nothing is near
    float reach[3][DR_SURFACE_NODES * DR_SURFACE_NODES]; // of the rows along x: along each axis, 0: nothing to do
    float widest;                                        // of them
} dr_surface_shapes;

typedef struct dr_surface_world dr_surface_world;

// The kernels' shapes on the nodes of a block. deep: how far nodes lie inside, 1 where shapes do not matter.
void dr_surface_shapes_make(dr_surface_shapes *shapes, const dr_surface_world *world,
                            const size_t around[DR_SURFACE_AROUND], const float *deep);

// ---- films

// A tube between two points or a slab on a triangle.
typedef struct dr_surface_film {
    int32_t node[3];      // lengths are from here
    float corner[3][3];   // a tube has two
    float radius[3];      // at the corners
    float velocity[3][3]; //
    uint32_t owner;       // curves and triangles of one owner are joined by the larger, owners are added
    uint8_t corners;
    bool open[2]; // whether a tube's ends are those of its curve
} dr_surface_film;

typedef struct dr_surface_films {
    dr_surface_film *film;
    size_t count, capacity;
    dr_sort_item *item; // block and film, sorted
    size_t item_count, item_capacity;
} dr_surface_films;

#define DR_SURFACE_BLEND      0.8 // cells over which a film ends, to either side
#define DR_SURFACE_LEAST_FILM 0.1 // cells: what is thinner is not seen at all

bool dr_surface_films_open(dr_surface_films *films, const dr_surface_scale *scale, const dr_frame *frame,
                           const dr_allocator *allocator);
// How far along an axis it has a say beyond one of its corners, cells.
float dr_surface_film_reach(const dr_surface_film *film, int corner, int axis);
void dr_surface_films_close(dr_surface_films *films, const dr_allocator *allocator);

// A typical radius of wet curves and fabric, cm; 0 where there are none.
double dr_surface_typical_radius(const dr_frame *frame);

// ---- the field in one block

typedef struct dr_surface_nodes { // item (z * 16 + y) * 16 + x
    float value[DR_SURFACE_BLOCK_NODES];
    float weight[DR_SURFACE_BLOCK_NODES]; // by which velocity is still to be divided
    float velocity[3][DR_SURFACE_BLOCK_NODES];
    float larger[DR_SURFACE_BLOCK_NODES]; // of one owner's films
    float deep[DR_SURFACE_BLOCK_NODES];   // 0 near the surface and outside, 1 deep inside
    dr_surface_shapes shapes;
    uint16_t vertex[DR_SURFACE_BLOCK_EDGES];
} dr_surface_nodes;

struct dr_surface_world {
    dr_surface_scale scale;
    dr_surface_points points;
    dr_surface_bins bins;
    dr_surface_grains grains;
    dr_surface_films films;
    dr_solids *solids; // NULL: there are none
    float overlap;     // into them
    uint64_t *block;   // [block] key of every block the field is looked at in, sorted
    size_t block_count;
};

// Finds everything that the field is made of.
dr_status dr_surface_world_open(dr_surface_world *world, const dr_frame *frame, const dr_surface_options *options,
                                const dr_par *par, const dr_allocator *allocator, dr_error *error);
void dr_surface_world_close(dr_surface_world *world, const dr_allocator *allocator);

// The field on the nodes of a block; the same node has the same bits in every block. False where the whole block lies
// deep inside: then the nodes are not touched.
bool dr_surface_nodes_evaluate(dr_surface_nodes *nodes, const dr_surface_world *world, uint64_t key);

// ---- walls and colliders

// Whether a block comes so near to a solid that its nodes have to be looked at.
bool dr_surface_solids_reach(const dr_surface_world *world, const int32_t block[3]);

// Takes the field out of solids, and makes up for the liquid that kernels miss in them.
void dr_surface_solids_cut(dr_surface_nodes *nodes, const dr_surface_world *world, const int32_t block[3]);

// Puts vertices that lie in a solid, or next to nothing away from it, onto its surface.
void dr_surface_mesh_fit(dr_surface_mesh *mesh, const dr_surface_world *world, const dr_par *par);

// ---- cells

// The closed lines in which the surface cuts a cell, for each of the 256 ways its corners can lie.
typedef struct dr_surface_loops {
    uint8_t count;
    uint8_t length[4];
    uint8_t start[4]; // of the fan of triangles; length: the fan is around a vertex in the middle
    uint8_t edge[12]; // of all loops, one after the other; axis * 4 + bits of the other two axes, the lower one first
} dr_surface_loops;

void dr_surface_loops_make(dr_surface_loops loops[256]);

typedef struct dr_surface_count {
    size_t vertices, triangles, cells;
} dr_surface_count;

// Numbers the vertices on the edges that the block owns, and counts what there is.
dr_surface_count dr_surface_cells_count(dr_surface_nodes *nodes, const dr_surface_loops loops[256]);

#define DR_SURFACE_FOREIGN 0x80000000U // a corner on another block's edge: 3 bits of which, 14 bits of edge

typedef struct dr_surface_target {
    float (*position)[3]; // of the block's first vertex, cm
    float (*velocity)[3];
    uint16_t *edge;
    uint32_t (*triangle)[3];
    uint32_t first; // number of the first vertex
} dr_surface_target;

// Writes what was counted.
void dr_surface_cells_write(const dr_surface_nodes *nodes, const dr_surface_loops loops[256],
                            const dr_surface_scale *scale, uint64_t key, const dr_surface_target *target);

// ---- which nodes lie inside

typedef struct dr_surface_sides {
    size_t block_count, bits_count, bits_capacity;
    uint64_t *key;   // [block], sorted; outside of them all is air
    uint32_t *place; // [block] of its bits, or
    uint64_t (*bits)[DR_SURFACE_BLOCK_NODES / 64];
} dr_surface_sides;

#define DR_SURFACE_ALL_IN  UINT32_MAX
#define DR_SURFACE_ALL_OUT (UINT32_MAX - 1)

void dr_surface_sides_close(dr_surface_sides *sides, const dr_allocator *allocator);
bool dr_surface_sides_inside(const dr_surface_sides *sides, const int32_t node[3]);

// dr_surface_mesh_build, and with it the cell that was chosen and on which side nodes lie, where sides is not NULL.
dr_status dr_surface_mesh_make(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                               const dr_allocator *allocator, dr_surface_mesh *mesh, double *cell,
                               dr_surface_sides *sides, dr_error *error);

// ---- the mesh

// Smooths positions without shrinking, `rounds` times. False when memory is out.
bool dr_surface_mesh_smooth(dr_surface_mesh *mesh, int rounds, const dr_allocator *allocator);

// Normals: mean of the triangles around, weighted by their angles.
void dr_surface_mesh_normals(dr_surface_mesh *mesh);

#endif
