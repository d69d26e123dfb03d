// The liquid's part of a step: values on cells, faces and corners of the grid, and the solvers that work on them.
// Everything here is derived from particles and the pressure of the last step. docs/theory/liquid.md.
#ifndef DR_LIQUID_LIQUID_H
#define DR_LIQUID_LIQUID_H

#include "geom/shape.h"
#include "grid/transfer.h"
#include "linear/pressure.h"
#include "liquid/balance.h"
#include "liquid/warm_start.h"
#include "liquid/bubble.h"
#include "liquid/resample.h"
#include "liquid/rheology_solve.h"
#include "liquid/spray.h"
#include "liquid/kernel_moments.h"
#include "liquid/level_set.h"
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

// What one liquid of several is like.
typedef struct dr_liquid_kind {
    double viscosity, surface_tension;
    double yield, consistency, index; // as drag on fibres takes them, dr_drag_flow; index 0: Newtonian
} dr_liquid_kind;

// What does not change from step to step.
typedef struct dr_liquid_constants {
    double gravity[3];
    double density, viscosity;   // the lightest, the thickest
    double surface_tension;      // the strongest, 0: off
    bool differ;                 // there are several
    const dr_liquid_kind *kinds; // [particles.body]
    bool thick;                  // some are not Newtonian or can be compressed
    bool compressible;           // some can
    double stiffness;            // the largest shear modulus, dyn/cm2
    const dr_rheology *laws;     // [particles.body]; read where they are thick
    const dr_rheology *law;      // of all of them,
    bool several;                // unless they have several
    int64_t per_cell;            // particles of the densest
    bool has_solids;
    bool solids_hold; // some of them liquid along their surface
    bool solids_rub;  // with friction
    dr_deconvolve deconvolve;
} dr_liquid_constants;

// What the liquid works on; all of it outlives the liquid.
typedef struct dr_liquid_context {
    const dr_allocator *allocator;
    const dr_par *par;
    dr_grid *grid;
    dr_particles *particles;
    dr_warm_start *last; // the pressure of the last step
    dr_transfer transfer;
} dr_liquid_context;

// What solids leave to it; read where there are any.
typedef struct dr_liquid_solids {
    const float *corner;                 // [corner] distance, cm
    const float *open_area, *velocity;   // [face]
    const float *rub;                    // [face] coefficient of friction, infinite where they are sticky
    const float *open_volume, *friction; // [cell] friction: 1 where they are sticky
    const float *open_before;            // [cell] open shares as the step began
    const uint8_t *touch;                // [cell] balance.h
    const uint8_t *near;                 // [block] 0: no solid is near
    const int32_t *stands;               // [block] and rounds: kernel_moments.h
    uint64_t rounds;
    bool still; // none of them moves
} dr_liquid_solids;

// A shape that brings liquid in this try.
typedef struct dr_liquid_inlet {
    const dr_shape *shape;
    double velocity[3]; // on average over the step, cm/s
    double flux;        // cm3/s
} dr_liquid_inlet;

enum { DR_LIQUID_INLETS = 255 }; // at most

// Solids that share the liquid's cells, and what the pressure solve is asked for them and the liquid together.
typedef struct dr_liquid_mixture {
    const float *solid;           // [cell] share that bodies take of the kernel around it; NULL: none
    const float *fibres;          // [face] volume that strands take, cm3; the spare: in the cell; NULL: none
    double most;                  // share of a cell that strands take at most
    const float *flux, *mobility; // [face]; NULL: there is nothing but liquid
} dr_liquid_mixture;

// Force fields: their change of a velocity at a place over the step.
typedef void (*dr_liquid_force)(const void *user, const double x[3], double velocity[3]);

// One try of a step.
typedef struct dr_liquid_step {
    double dt;
    dr_liquid_force force; // NULL: none
    const void *user;
    const char *rejected; // why the try is no good; NULL: it is
} dr_liquid_step;

// [cell], [corner]: [block][64]; [face]: [block][64][4], the lower x, y, z face of a cell and a spare.
typedef struct dr_liquid {
    const dr_allocator *allocator;
    const dr_par *par;
    dr_grid *grid;
    dr_particles *particles;
    dr_warm_start *last;
    dr_transfer transfer;
    dr_liquid_constants constants;
    dr_liquid_solids solids;
    dr_liquid_mixture mixture;
    double spacing;                                    // of particles, cells
    size_t capacity;                                   // blocks
    float *mass, *velocity, *old, *predicted, *result; // [face]
    float *mobility, *theta, *ghost, *gradient;        // [face]
    float *pressure, *guess, *source;                  // [cell]
    float *share;                                      // [cell] what strands leave of the open space
    float *moments;                                    // [cell][4] the open kernel, kernel_moments.h,
    dr_kernel_kept kept;                               // and what of it is known to hold
    float *shift; // [face] velocity that evens out density, moves positions only; spare lane: its potential over h^2
    float *no_slip, *push;             // [face] 1 where solids hold, 0 where they let slip; what friction pushes there
    float *inlet;                      // [face] velocity of solids and inlets
    float *volume, *thick;             // [face] of several liquids: volume, and that times viscosity or tension
    float *density, *thickness, *pull; // [cell] of several liquids; pull: surface tension
    float *weight;                     // [particle]
    size_t weight_capacity;
    float *smooth; // velocities [particle][3], then affine matrices [particle][9], of a transfer back: deconvolve.c
    size_t smooth_capacity;
    uint8_t *kind, *known, *spare; // [cell]
    uint8_t *inflow;               // [cell] 1 + the inlet it belongs to, 0: none
    uint8_t *shut;                 // [cell] kind for the pressure: cells of inlets are solid
    double *partial;               // [block]
    uint8_t *wet;                  // [block] liquid cells are there or beside, or solids are near
    dr_level_set surface;
    dr_level_set joint; // of liquid and the solids in its cells, where there are some
    dr_bubbles bubbles;
    dr_resample resample;
    dr_pressure solver;
    dr_viscosity viscosity;
    dr_thick rheology; // of thick ones
    dr_tension tension;
    dr_balance balance;
    dr_solve_report density_report, pressure_report, viscosity_report, tension_report;
    dr_solve_report stress_report; // of thick liquids: iterations of Newton's method
    dr_liquid_shown shown;
    double occupied; // volume inside the surface as the last try began, cm3
    bool viscous;    // the viscosity was solved for in this try
    bool pressed;    // the pressure was, before that
    bool has_inflow; // some cells belong to inlets in this try
    bool carried;    // velocity has been carried beyond the surface in this try
} dr_liquid;

// The stages, in their order. What gives a bool is false when memory is out.
bool dr_liquid_open(dr_liquid *liquid, const dr_liquid_context *context, const dr_liquid_constants *constants);
void dr_liquid_close(dr_liquid *liquid);
size_t dr_liquid_block_bytes(void);        // memory of one block, without the solvers
bool dr_liquid_reserve(dr_liquid *liquid); // for the grid's blocks
void dr_liquid_gather(dr_liquid *liquid, double dt);
void dr_liquid_predict(dr_liquid *liquid, const dr_liquid_step *step);
bool dr_liquid_surface(dr_liquid *liquid);
void dr_liquid_find_inflow(dr_liquid *liquid, const dr_liquid_inlet *inlets, int count); // inflow.c
bool dr_liquid_press(dr_liquid *liquid, dr_liquid_step *step); // pressure before viscosity, where that needs it
bool dr_liquid_viscosity(dr_liquid *liquid, dr_liquid_step *step);
bool dr_liquid_shear(dr_liquid *liquid, dr_liquid_step *step);         // the same of thick liquids, rheology_stage.c
void dr_liquid_release(dr_liquid *liquid, const dr_liquid_step *step); // takes back what was pressed before viscosity
bool dr_liquid_pressure(dr_liquid *liquid, dr_liquid_step *step);      // of a mixture: leaves velocity as it is
// After the pressure: the one that, with the mobility of the mixture, would take the divergence out of a further flux
// [face]: into guess [cell] and, its gradient, into result [face]. risen [cell]: the pressures that were added since,
// to which compressible liquid gave way; NULL: none.
void dr_liquid_press_again(dr_liquid *liquid, const float *flux, const float *risen);
// Adds a pressure [cell] and its gradient [face], times a factor; the liquid's velocity, without the drag of others,
// follows.
void dr_liquid_add_pressure(dr_liquid *liquid, const dr_liquid_step *step, const float *pressure, const float *gradient,
                            double factor);
void dr_liquid_carry(dr_liquid *liquid, const dr_liquid_step *step); // velocity beyond the liquid; extend then does not
void dr_liquid_extend(dr_liquid *liquid, const dr_liquid_step *step); // velocity beyond the liquid and inside solids
bool dr_liquid_balance(dr_liquid *liquid);
// The same for given masses and velocities [face], of liquid and solids together.
bool dr_liquid_balance_of(dr_liquid *liquid, const float *mass, const float *before, float *velocity);
// Before the step is chosen, with the cells that liquid may cross. Velocity and share of cells are then in result.
dr_spray_survey dr_liquid_survey(dr_liquid *liquid, double courant);
// Relative to a frame, without spray; not a number where any velocity is not.
double dr_liquid_fastest(dr_liquid *liquid, const double frame[3]);
void dr_liquid_move(dr_liquid *liquid, double dt, double damping); // damping: RPIC, of this step
void dr_liquid_keep(dr_liquid *liquid);                            // the pressure, for the next step

// Resampling after a step: a plan of how particles are split and merged, and the same done. Blocks are those of the
// particles.
bool dr_liquid_plan_resampling(dr_liquid *liquid);
bool dr_liquid_resample(dr_liquid *liquid, uint64_t step, uint64_t *next_id);

// blend.c
bool dr_liquid_blend_reserve(dr_liquid *liquid);
void dr_liquid_blend(dr_liquid *liquid);

// deconvolve.c: what transfers smooth away of the velocity of faces
bool dr_liquid_deconvolves(const dr_liquid *liquid); // whether it is put back
bool dr_liquid_deconvolve_reserve(dr_liquid *liquid);
void dr_liquid_deconvolve_free(dr_liquid *liquid);
void dr_liquid_deconvolve(dr_liquid *liquid, double dt);

// inflow.c: the velocity of inlets onto the liquid's faces
void dr_liquid_let_in(dr_liquid *liquid);

// Whether a place lies in liquid that has no free surface or, for who waits, where more is held already than it can
// hold.
bool dr_liquid_is_full(const dr_liquid *liquid, const double x[3], bool waits);

// shown.c: what frames show. The pressure of the last try at a place, dyn/cm2; 0 in air.
double dr_liquid_pressure_at(const dr_liquid *liquid, const double x[3]);
void dr_liquid_shown_keep(dr_liquid *liquid);
void dr_liquid_shown_free(dr_liquid *liquid);

#endif
