// Strain and flow of elements once more, compiled for registers of eight doubles: called only where the machine has
// them.
#include "codim/manifold_lanes.h"

dr_manifold_strains dr_manifold_strain_wide(dr_manifold *m, size_t begin, size_t end, double grid_stiffness)
{
    return strain_lanes(m, begin, end, grid_stiffness);
}

void dr_manifold_flow_wide(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end,
                           double grid_stiffness, dr_manifold_strains *strains, dr_manifold_motion *motion,
                           double *middle)
{
    flow_lanes(m, step, begin, end, grid_stiffness, strains, motion, middle);
}
