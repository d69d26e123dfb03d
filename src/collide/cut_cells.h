// The cut cells of a grid: what colliders and the closed sides of a domain leave open of faces and cells, and how fast
// and firm they are. docs/theory/solids.md.
//   [cell], [corner]: [block][64]; [face]: [block][64][4], the lower x, y, z face of a cell and a spare
#ifndef DR_COLLIDE_CUT_CELLS_H
#define DR_COLLIDE_CUT_CELLS_H

#include "collide/collider.h"
#include "grid/grid.h"

// Which solids come near a block, as bits.
enum { DR_NEAR_SIDE = 1, DR_NEAR_COLLIDER = 2 };

// What a cell touches, as bits: 1, 2, 4 a smooth plane across x, y, z; DR_CUT_FIRM anything else.
enum { DR_CUT_FIRM = 8 };

typedef struct dr_cut_cells {
    const dr_allocator *allocator;
    const dr_par *par;
    const dr_grid *grid;
    const dr_domain_spec *domain;             // its closed sides are solids at rest
    const dr_collider_set *colliders;         // where they stand
    bool has_solids;                          // nothing below is kept where there are none
    double open_room;                         // cm3 of all cells there are; infinite without solids
    size_t capacity;                          // blocks
    float *corner;                            // [corner] distance of solids, cm
    float *open_area, *solid_velocity, *grip; // [face]
    float *open_volume, *friction;            // [cell]
    uint8_t *touch;                           // [cell] DR_CUT_FIRM and smooth planes
    uint8_t *near_solid;                      // [block] DR_NEAR_...
    double *partial;                          // [block]
} dr_cut_cells;

// par, grid, domain and colliders outlive the cut cells.
void dr_cut_cells_open(dr_cut_cells *cut, const dr_allocator *allocator, const dr_par *par, const dr_grid *grid,
                       const dr_domain_spec *domain, const dr_collider_set *colliders);
void dr_cut_cells_close(dr_cut_cells *cut);
size_t dr_cut_cells_block_bytes(void);

// Room for the grid's blocks; false when memory is out.
bool dr_cut_cells_reserve(dr_cut_cells *cut);

// Fills everything but touch from where the solids are now; and touch.
void dr_cut_cells_measure(dr_cut_cells *cut);
void dr_cut_cells_touch(dr_cut_cells *cut);

// Moves particles out of solids, and turns their velocity away from them. The cells were measured where the particles
// were when the grid was built of them.
void dr_cut_cells_keep_out(const dr_cut_cells *cut, dr_particles *particles);

#endif
