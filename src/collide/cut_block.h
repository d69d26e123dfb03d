// What solids leave open of one block of cells, as a function of its coordinates and of where the solids are: it does
// not depend on which other blocks there are. docs/theory/solids.md.
#ifndef DR_COLLIDE_CUT_BLOCK_H
#define DR_COLLIDE_CUT_BLOCK_H

#include "collide/band.h"
#include "collide/collider.h"
#include "grid/grid.h"

// Which solids come near a block, as bits.
enum { DR_NEAR_SIDE = 1, DR_NEAR_COLLIDER = 2 };

// What a cell touches, as bits: 1, 2, 4 a smooth plane across x, y, z; DR_CUT_FIRM anything else.
enum { DR_CUT_FIRM = 8 };

// Cells: only so close to its surface a solid's velocity and friction are asked for.
#define DR_CUT_TOUCHED 2.0

typedef struct dr_cut_solids {
    const dr_grid *grid;
    const dr_domain_spec *domain;     // its closed sides are solids at rest
    const dr_collider_set *colliders; // where they stand
    dr_band *bands;                   // [collider] samples of those that move and have a mesh
} dr_cut_solids;

typedef struct dr_cut_block {
    float corner[DR_BLOCK_NODES];        // distance of solids at lower corners of cells, cm
    float open_area[4 * DR_BLOCK_NODES]; // of lower faces, before those of closed cells are closed
    float rub[4 * DR_BLOCK_NODES];       // coefficient of friction on faces, infinite where sticky
    float open_volume[DR_BLOCK_NODES], friction[DR_BLOCK_NODES]; // friction: 1 where sticky
    uint8_t touch[DR_BLOCK_NODES];
    uint8_t near;                             // DR_NEAR_...
    float solid_velocity[4 * DR_BLOCK_NODES]; // last: zero where no solid moves
} dr_cut_block;

bool dr_cut_solids_any(const dr_cut_solids *solids);

// The largest coefficient of friction: of all solids, or of those that are not sticky.
double dr_cut_solids_friction(const dr_cut_solids *solids, bool sticky_too);

// Samples of the colliders that move and have a mesh. False when memory is out.
bool dr_cut_solids_open_bands(dr_cut_solids *solids, const dr_allocator *allocator);
void dr_cut_solids_choose_bands(const dr_cut_solids *solids, const dr_allocator *allocator); // when others move
void dr_cut_solids_close_bands(dr_cut_solids *solids, const dr_allocator *allocator);

// Makes the samples that the grid's blocks need where the colliders now stand. False when memory is out.
bool dr_cut_solids_sample(const dr_cut_solids *solids, const dr_par *par);

// Whether a solid that moves comes near enough to a block to change anything of it.
bool dr_cut_solids_stir(const dr_cut_solids *solids, const int32_t coordinate[3]);

// Fills the block; where no solid is near, as everything open and at rest.
void dr_cut_block_measure(const dr_cut_solids *solids, const int32_t coordinate[3], dr_cut_block *block);
void dr_cut_block_open(const dr_cut_solids *solids, dr_cut_block *block);

// The nearest solid, closed sides of the domain among them, by exact distances; only the distance, which is `enough`,
// where there is none nearer than that. The index of a side is -1.
dr_collider_point dr_cut_solids_nearest(const dr_cut_solids *solids, const double x[3], double enough);

#endif
