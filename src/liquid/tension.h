// Surface tension as the pressure jump at the liquid's free surface, explicit or stable at any step.
// docs/theory/tension.md.
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare)
#ifndef DR_LIQUID_TENSION_H
#define DR_LIQUID_TENSION_H

#include "grid/grid.h"
#include "linear/krylov.h"

typedef struct dr_tension_problem {
    const float *level;     // [cell] signed distance, negative in the liquid, cm; its shape inside solids sets the
                            // contact angle
    const float *tension;   // [cell] dyn/cm, read in liquid cells; NULL: uniform_tension
    double uniform_tension; // the largest, where tension is given
    double density;         // of the lightest liquid, g/cm3
    double dt;              // the step the pressure is for: made stable for it; 0: the curvature as it is
} dr_tension_problem;

// Work space, kept from step to step. A slot is a block that the surface's band touches.
typedef struct dr_tension {
    const dr_allocator *allocator;
    size_t capacity, slot_capacity; // blocks, slots
    float *curvature;               // [block][64] 1/cm, of the last call, before it was made stable
    float *spare;                   // [2][block][64]
    int32_t *slot;                  // [block] -1: none
    size_t slots;
    uint32_t *block;               // [slot]
    float *weight;                 // [slot][4][64]: of the cell, of its three lower faces
    double *smooth, *rhs, *middle; // [slot][64]; smooth: the curvature used
    double *inverse;               // [slot][64] of the diagonal
    dr_krylov krylov;
    const dr_grid *grid; // of the call in progress
    const dr_par *par;
    double stiffness; // beta / cell^4
} dr_tension;

void dr_tension_open(dr_tension *tension, const dr_allocator *allocator);
void dr_tension_close(dr_tension *tension);
size_t dr_tension_bytes(const dr_tension *tension);

// pressure: [face] surface tension times curvature where the line between the centres of a liquid and an air cell meets
// the surface, 0 on other faces. False when memory is out.
bool dr_tension_find(dr_tension *tension, const dr_grid *grid, const dr_par *par, const dr_tension_problem *problem,
                     float *pressure, dr_solve_report *report);

// The largest stable step where dt is 0: the time a capillary wave of two cells' length takes for a cell.
double dr_tension_step_limit(double density, double tension, double cell);

#endif
