// Liquid that touches nothing keeps its momentum: what the grid's solves changed of the linear and angular momentum of
// a free piece of liquid, and the displacements that even out density, is given back as a rigid motion.
// docs/theory/liquid.md, eq. (10)-(12) and (15)-(17).
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare)
#ifndef DR_LIQUID_BALANCE_H
#define DR_LIQUID_BALANCE_H

#include "grid/particles.h"
#include "liquid/flood.h"

// What a cell's liquid touches, as bits: 1, 2, 4 a smooth plane across x, y, z; DR_TOUCH_FIRM anything else.
enum { DR_TOUCH_FIRM = 8 };

typedef struct dr_balance {
    dr_flood flood;      // of cells with mass on a face
    double *sum;         // [part][30], then [free piece][30]
    uint8_t *touched;    // [part], then [free piece]
    uint32_t *reference; // [free piece] a block of it
    int32_t *piece;      // [particle] number of its free piece, -1: none
    float *gained;       // [particle][3] dr_transfer_back
    size_t slots;
    uint32_t *slot;      // [block + 1] the first of the block's slots: one for each piece that its particles are of
    double *slot_sum;    // [slot][30]
    int32_t *slot_piece; // [slot]
    size_t sum_capacity, touched_capacity, reference_capacity, piece_capacity, gained_capacity, slot_capacity,
        slot_sum_capacity, slot_piece_capacity;
} dr_balance;

typedef struct dr_balance_problem {
    const float *mass;    // [face] g
    const float *before;  // [face] cm/s: with the momentum that pieces should have
    const uint8_t *touch; // [cell] bits as above; NULL: nothing anywhere
    float least;          // faces of less mass do not count
    const uint8_t *wet;   // [block] 0: velocities are those of before; NULL: nobody knows
    float *shift;         // [face] by which places move besides; NULL: nothing
} dr_balance_problem;

void dr_balance_open(dr_balance *balance, const dr_allocator *allocator);
void dr_balance_close(dr_balance *balance);

// Corrects velocity [face], and takes from the shift what moves a piece's centre of mass. A piece between smooth planes
// keeps what they leave free: momentum along the axes of no plane, spin about an axis where neither of the others has
// one. False when memory is out: nothing has changed then.
bool dr_balance_restore(dr_balance *balance, const dr_grid *grid, const dr_par *par, const dr_balance_problem *problem,
                        float *velocity);

// Of the pieces just found: which of them particles belong to, before they move. False when memory is out.
bool dr_balance_assign(dr_balance *balance, const dr_grid *grid, const dr_par *par, const dr_particles *particles);

// Where `gained` is to be written as the particles of the pieces move; NULL: no piece is free to turn.
float *dr_balance_gained(const dr_balance *balance);

// After they moved: takes it back.
void dr_balance_turn(dr_balance *balance, const dr_grid *grid, const dr_par *par, dr_particles *particles);

#endif
