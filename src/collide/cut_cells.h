// The cut cells of a grid: what colliders and the closed sides of a domain leave open of faces and cells, and how fast
// and firm they are. Blocks that no moving solid comes near are measured once and then kept by their key.
// docs/theory/solids.md.
//   [cell], [corner]: [block][64]; [face]: [block][64][4], the lower x, y, z face of a cell and a spare
#ifndef DR_COLLIDE_CUT_CELLS_H
#define DR_COLLIDE_CUT_CELLS_H

#include "collide/cut_block.h"
#include "collide/cut_store.h"

typedef struct dr_cut_cells {
    const dr_allocator *allocator;
    const dr_par *par;
    dr_cut_solids solids;
    bool has_solids;                   // nothing below is kept where there are none
    bool any_hold;                     // some of them liquid along their surface
    bool any_rub;                      // with friction
    double open_space;                 // cm3 of all cells of the touched blocks; infinite without solids or such blocks
    const uint8_t *touched;            // [block] that matter is in
    size_t capacity;                   // blocks
    float *corner;                     // [corner] distance of solids, cm
    float *open_area, *solid_velocity; // [face]
    float *rub;                        // [face] coefficient of friction, infinite where sticky
    float *open_volume, *friction;     // [cell] friction: 1 where sticky
    float *open_before;                // [cell] open shares as the step began
    uint8_t *touch;                    // [cell] DR_CUT_FIRM and smooth planes
    uint8_t *near_solid;               // [block] DR_NEAR_...
    double *block_open, *partial;      // [block] cells' worth of open volume, and a copy to sum
    int32_t *holds;                    // [block] which row of the store the arrays hold, or DR_CUT_...
    int32_t *stands;                   // [block] the row of its solids, which stand still, or DR_CUT_...
    uint64_t rounds;                   // the store was emptied so many times
    uint8_t *task;                     // [block] what is to be done for it
    bool any_moves;                    // some collider does
    bool *moved;                       // [collider] counted as moving when the store was filled
    double origin[3];                  // of the grid then
    dr_cut_store store;
} dr_cut_cells;

// Who is told of the impulse that a particle of a block gives to a solid at x; collider -1: a side of the domain. One
// thread at a time visits a piece of so many blocks.
typedef struct dr_cut_knocks {
    void (*add)(void *user, size_t block, int collider, const double x[3], const double impulse[3]);
    void *user;
    size_t piece;
} dr_cut_knocks;

// par, grid, domain and colliders outlive the cut cells. False when memory is out.
bool dr_cut_cells_open(dr_cut_cells *cut, const dr_allocator *allocator, const dr_par *par, const dr_grid *grid,
                       const dr_domain_spec *domain, const dr_collider_set *colliders);
void dr_cut_cells_close(dr_cut_cells *cut);
size_t dr_cut_cells_block_bytes(void);

// Room for the grid's blocks; false when memory is out.
bool dr_cut_cells_reserve(dr_cut_cells *cut);

// Fills everything from where the solids are now, at the end of a step of dt, for matter in the touched blocks. False
// when memory is out.
bool dr_cut_cells_measure(dr_cut_cells *cut, const uint8_t *touched, double dt);

// Moves particles out of solids, and turns their velocity away from them. The cells were measured where the particles
// were when the grid was built of them, and the solids have not moved since. Knocks may be NULL.
void dr_cut_cells_keep_out(const dr_cut_cells *cut, dr_particles *particles, const dr_cut_knocks *knocks);

// The same of one particle of a block that passes x; false, and nothing is done, where x is clear of solids.
bool dr_cut_cells_stop(const dr_cut_cells *cut, dr_particles *particles, const dr_cut_knocks *knocks, size_t block,
                       size_t p, const double x[3]);

#endif
