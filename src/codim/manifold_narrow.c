// Strain and flow of elements for registers that every machine has, and the choice of wider ones.
#include "codim/manifold_lanes.h"

dr_manifold_strains dr_manifold_strain(dr_manifold *m, size_t begin, size_t end, double grid_stiffness)
{
    return dr_simd_is_wide() ? dr_manifold_strain_wide(m, begin, end, grid_stiffness)
                             : strain_lanes(m, begin, end, grid_stiffness);
}

void dr_manifold_flow(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end, double grid_stiffness,
                      dr_manifold_strains *strains, dr_manifold_motion *motion, double *middle)
{
    if (dr_simd_is_wide())
        dr_manifold_flow_wide(m, step, begin, end, grid_stiffness, strains, motion, middle);
    else
        flow_lanes(m, step, begin, end, grid_stiffness, strains, motion, middle);
}
