// Strands drawn several times over: what stands beside each strand that was simulated. docs/render.md, "Hair".
#ifndef DR_LOOK_COPIES_H
#define DR_LOOK_COPIES_H

#include "base/memory.h"
#include "look/studio.h"

// Makes of each curve as many as copies[body] asks for: itself, and others within spread[body] of it that run along
// with it and draw nearer towards the tip, the same in every frame. False when memory is out; memory is the arena's.
bool dr_copies_make(dr_studio_curves *curves, const uint32_t *copies, const float *spread, dr_arena *arena);

#endif
