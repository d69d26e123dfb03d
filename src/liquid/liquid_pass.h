// Passes of the liquid's stages over blocks.
#ifndef DR_LIQUID_PASS_H
#define DR_LIQUID_PASS_H

#include "liquid/liquid.h"

typedef struct dr_liquid_pass {
    dr_liquid *liquid;
    const dr_liquid_step *step; // NULL where it is not asked for
} dr_liquid_pass;

static inline void dr_liquid_visit(dr_liquid *liquid, const dr_liquid_step *step, dr_par_body body)
{
    dr_liquid_pass job = {liquid, step};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, body, &job);
}

typedef struct dr_liquid_wet_pass {
    dr_liquid_pass job;
    dr_par_body body;
} dr_liquid_wet_pass;

static inline void dr_liquid_pass_wet(void *user, size_t begin, size_t end, int thread)
{
    dr_liquid_wet_pass *what = user;
    const uint8_t *wet = what->job.liquid->wet;
    for (size_t b = begin, last; b < end; b = last) {
        for (last = b; last < end && wet[last]; last++) continue;
        if (last > b) what->body(&what->job, b, last, thread);
        for (; last < end && !wet[last]; last++) continue;
    }
}

// Blocks that liquid is in or beside, or solids are near. Elsewhere there is spray alone, which flies free: nothing
// that comes after the surface is known concerns it.
static inline void dr_liquid_visit_wet(dr_liquid *liquid, const dr_liquid_step *step, dr_par_body body)
{
    dr_liquid_wet_pass what = {{liquid, step}, body};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, dr_liquid_pass_wet, &what);
}

// The surface towards air, with solids in the liquid's cells.
static inline const dr_level_set *dr_liquid_outline(const dr_liquid *liquid)
{
    return liquid->mixture.solid ? &liquid->joint : &liquid->surface;
}

// After the pressure: the displacement that makes density even; and, once it is continued beyond the liquid, its
// potential. docs/theory/density.md.
void dr_liquid_even_out(dr_liquid *liquid, const dr_liquid_step *step, dr_pressure_problem problem);
void dr_liquid_find_shift_potential(dr_liquid *liquid, const dr_liquid_step *step);

#endif
