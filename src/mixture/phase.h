// What a kind of solid matter gathers onto the liquid's grid to share it with the liquid. docs/theory/mixture.md.
// Faces are [block][64][4]: the lower x, y, z face of a cell and a spare.
#ifndef DR_MIXTURE_PHASE_H
#define DR_MIXTURE_PHASE_H

typedef struct dr_phase_faces {
    const float *mass;       // [face] g
    const float *volume;     // [face] cm3; the spare: in the cell, as dr_transfer_values_to_faces leaves it
    const float *momentum;   // [face] g cm/s
    const float *force;      // [face] dyn, but for pressure and drag; NULL: none
    const float *drag;       // [face] impulse against the liquid per relative velocity in a step, g; INFINITY: no slip
    float uniform_drag;      // where drag is NULL
    const float *prescribed; // [face] cm/s, a velocity that nothing changes; NULL: the phase is free to move
} dr_phase_faces;

// A phase whose members (vertices of strands) each answer liquid and pressure in their own way: v = start + follow u
// - dt yield G, with u the liquid's velocity without their drag. Sums over members of a face, those against the liquid
// per gram of it. docs/theory/strands_in_liquid.md, eq. (9)-(11).
typedef struct dr_phase_members {
    const float *volume;   // [face] sum of w V, cm3; the spare: in the cell
    const float *hold;     // [face] share of its velocity that drag takes from the liquid, 0 .. 1
    const float *pull;     // [face] what drag gives to it, cm/s
    const float *lift;     // [face] volume of members that drag makes it carry, per mass, cm3/g
    const float *flux;     // [face] sum of w V start, cm4/s
    const float *follow;   // [face] sum of w V follow, cm3
    const float *mobility; // [face] sum of w V yield, cm6/g
} dr_phase_members;

#endif
