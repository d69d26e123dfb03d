// Bodies of particles that share the liquid's grid: their values on its faces and in its cells, derived within a step.
// docs/theory/mixture.md, section 6.
//   [cell]: [block][64]; [face]: [block][64][4], the lower x, y, z face of a cell and a spare
#ifndef DR_WORLD_BODY_STAGE_H
#define DR_WORLD_BODY_STAGE_H

#include <stddef.h>

typedef struct dr_body_stage {
    size_t capacity;                            // blocks
    float *mass, *volume, *momentum, *drag;     // [face]; the spare of volume: in the cell
    float *old, *predicted, *velocity, *result; // [face] before forces, before pressure, after, spare
    float *flux, *mobility;                     // [face] of bodies and liquid
    float *solid, *open;                        // [cell] share that bodies take, and that they leave to the liquid
    float *particle_volume;                     // [particle] as it is deformed, cm3
    size_t particle_capacity;
} dr_body_stage;

#endif
