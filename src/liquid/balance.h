// Liquid that touches nothing keeps its momentum: what the grid's solves changed of the linear and angular momentum of
// a free piece of liquid is given back as a rigid motion. docs/theory/liquid.md, eq. (10)-(12).
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare)
#ifndef DR_LIQUID_BALANCE_H
#define DR_LIQUID_BALANCE_H

#include "liquid/flood.h"

// What a cell's liquid touches, as bits: 1, 2, 4 a smooth plane across x, y, z; DR_TOUCH_FIRM anything else.
enum { DR_TOUCH_FIRM = 8 };

typedef struct dr_balance {
    dr_flood flood;      // of cells with mass on a face
    double *sum;         // [part][27], then [free piece][27]
    uint8_t *touched;    // [part], then [free piece]
    uint32_t *reference; // [free piece] a block of it
    size_t sum_capacity, touched_capacity, reference_capacity;
} dr_balance;

typedef struct dr_balance_problem {
    const float *mass;    // [face] g
    const float *before;  // [face] cm/s: with the momentum that pieces should have
    const uint8_t *touch; // [cell] bits as above; NULL: nothing anywhere
    float least;          // faces of less mass do not count
    const uint8_t *wet;   // [block] 0: velocities are those of before; NULL: nobody knows
} dr_balance_problem;

void dr_balance_open(dr_balance *balance, const dr_allocator *allocator);
void dr_balance_close(dr_balance *balance);

// Corrects velocity [face]. A piece between smooth planes keeps what they leave free: momentum along the axes of no
// plane, spin about an axis where neither of the others has one. False when memory is out: nothing has changed then.
bool dr_balance_restore(dr_balance *balance, const dr_grid *grid, const dr_par *par, const dr_balance_problem *problem,
                        float *velocity);

#endif
