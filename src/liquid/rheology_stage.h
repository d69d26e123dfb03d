// Thick liquids within the liquid's step. docs/theory/rheology.md, "The step".
#ifndef DR_LIQUID_RHEOLOGY_STAGE_H
#define DR_LIQUID_RHEOLOGY_STAGE_H

#include "liquid/liquid.h"

static inline dr_thick_matter dr_liquid_matter(const dr_liquid *liquid)
{
    const dr_liquid_constants *constants = &liquid->constants;
    return (dr_thick_matter){.laws = constants->laws,
                             .law = constants->law,
                             .several = constants->several,
                             .grid = liquid->grid,
                             .par = liquid->par,
                             .particles = liquid->particles};
}

// [particle] volumes as they are now, cm3.
static inline float *dr_liquid_volume(const dr_liquid *liquid)
{
    return liquid->constants.compressible ? liquid->rheology.volume : liquid->particles->volume;
}

bool dr_liquid_is_viscous(const dr_liquid *liquid);
double dr_liquid_thickest(const dr_liquid *liquid, double dt); // viscosity, with the elastic one of a step, g/(cm s)

// The velocity that the stress of the last step gives, before the first pressure: part of what is predicted until its
// end. False when memory is out.
bool dr_liquid_thrust(dr_liquid *liquid, const dr_liquid_step *step);
void dr_liquid_end_thrust(dr_liquid *liquid);

// Velocity gradients of particles, as the velocity is now.
void dr_liquid_read_gradient(dr_liquid *liquid, double dt);

// Commits strains: a dr_transfer_update with a dr_liquid_moving.
typedef struct dr_liquid_moving {
    const dr_liquid *liquid;
    double dt;
} dr_liquid_moving;
void dr_liquid_strain(void *user, size_t first, size_t count, const float (*gradient)[9]);

// Parts of the liquid's step that the shear solve uses too, liquid.c: no_slip of solids; the problem of viscosity and
// its solve; velocity beyond the liquid, and inside solids.
void dr_liquid_hold(dr_liquid *liquid, const dr_liquid_step *step);
dr_strain_problem dr_liquid_pose_viscosity(const dr_liquid *liquid, const dr_liquid_step *step);
bool dr_liquid_solve_shear(dr_liquid *liquid, dr_liquid_step *step, const dr_strain_problem *problem);
void dr_liquid_carry_changes(dr_liquid *liquid, const dr_liquid_step *step);
void dr_liquid_constrain(dr_liquid *liquid, double dt, bool before_pressure);

#endif
