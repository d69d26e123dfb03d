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

#endif
