// The liquid of a world: its own sparse grid with values on cells, faces and corners, and the solvers that work on
// them. Everything here is derived from the state within a step. docs/theory/liquid.md.
#ifndef DR_WORLD_LIQUID_H
#define DR_WORLD_LIQUID_H

#include "grid/grid.h"
#include "grid/transfer.h"
#include "linear/pressure.h"
#include "liquid/balance.h"
#include "liquid/gap.h"
#include "liquid/inside.h"
#include "liquid/pocket.h"
#include "liquid/relax.h"
#include "liquid/resample.h"
#include "liquid/surface.h"
#include "liquid/tension.h"
#include "liquid/viscosity.h"

// What frames show of the grid, kept where its blocks are made anew after a step.
typedef struct dr_liquid_shown {
    bool kept;
    size_t count, capacity; // blocks
    uint64_t *key;
    float *pressure; // [cell]
    float *gradient; // [face]
    uint8_t *kind;   // [cell]
} dr_liquid_shown;

// Which solids come near a block, as bits.
enum { DR_NEAR_SIDE = 1, DR_NEAR_COLLIDER = 2 };

// [cell], [corner]: [block][64]; [face]: [block][64][4], the lower x, y, z face of a cell and a spare.
typedef struct dr_liquid {
    dr_grid grid;
    dr_transfer transfer;
    double spacing;   // of particles, cells
    int64_t per_cell; // particles
    bool has_solids;
    bool solids_hold; // some of them liquid along their surface
    bool solids_rub;  // with friction
    bool has_inflow;  // some cells belong to emitters in this try
    double open_room;                                  // cm3 of all cells there are; infinite without solids
    size_t capacity;                                   // blocks
    float *mass, *velocity, *old, *predicted, *result; // [face]
    float *corner;                                     // [corner] distance of solids, cm
    float *open_area, *solid_velocity, *grip;          // [face]
    float *rub, *push;                                 // [face] coefficient of friction, what it pushes
    float *open_volume, *friction;                     // [cell]
    float *mobility, *theta, *ghost, *gradient;        // [face]
    float *pressure, *guess, *source;                  // [cell]
    float *room;                                       // [cell] four times
    float *volume, *thick;             // [face] of several liquids: volume, and that times viscosity or tension
    float *density, *thickness, *pull; // [cell] of several liquids; pull: surface tension
    float *weight;                     // [particle]
    size_t weight_capacity;
    uint8_t *kind, *known, *spare; // [cell]
    uint8_t *inflow;               // [cell] 1 + the emitter it belongs to, 0: none
    uint8_t *shut;                 // [cell] kind for the pressure: cells of emitters are solid
    float *inlet;                  // [face] velocity of solids and emitters
    uint8_t *touch;                // [cell] what of solids the liquid touches, balance.h
    uint8_t *near_solid;           // [block] DR_NEAR_...
    dr_surface surface;
    dr_gaps gaps;
    dr_inside inside;
    dr_pockets pockets;
    dr_relax relax;
    dr_resample resample;
    dr_relax_report relax_report;
    dr_relax_volume volume_report;
    dr_pressure solver;
    dr_viscosity viscosity;
    dr_tension tension;
    dr_balance balance;
    dr_solve_report pressure_report, viscosity_report, tension_report;
    dr_liquid_shown shown;
    double swollen;  // that volume over the particles', less one
    double occupied; // volume inside the surface as the last try began, cm3
    bool viscous;    // the viscosity was solved for in this try
    bool pressed;    // the pressure was, before that
} dr_liquid;

#endif
