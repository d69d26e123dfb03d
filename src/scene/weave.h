// A plain weave by its threads: what follows of it as a sheet. docs/theory/weave.md.
#ifndef DR_SCENE_WEAVE_H
#define DR_SCENE_WEAVE_H

#include "base/field.h"
#include "drench/scene.h"

// What there is per direction, warp first.
typedef struct dr_weave {
    double pitch[2];     // from thread to thread, cm
    double mass[2];      // of a thread, g/cm
    double section[2];   // of its fibres, cm2
    double diameter[2];  // cm
    double bending[2];   // of a thread, dyn cm2
    double height[2];    // by how much its middle goes up and down, cm
    double crimp[2];     // by which share it is longer than the cloth
    double stiffness[2]; // force per width and strain, dyn/cm
    double rigidity[2];  // moment per width and curvature, dyn cm
    double weight, thickness, share;
} dr_weave;

// False where the material has no weave, or one that says too little.
bool dr_weave_find(const dr_material_spec *material, dr_weave *weave);

// Whether a row of the table of materials follows from a weave.
bool dr_weave_supplies(const dr_field *field);

#endif
