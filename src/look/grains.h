// Grains of sand: what a particle of sand stands for, drawn as some small balls in several tones. docs/render.md.
#ifndef DR_LOOK_GRAINS_H
#define DR_LOOK_GRAINS_H

#include "base/memory.h"
#include "look/studio.h"

// Makes of balls whose paint is one of sand (sand[balls->body[i]]) grains that fill as much, scattered about them, the
// same in every frame for the same identity (NULL: the number of the ball); others stay as they are. Paints are 0 ..
// paint_count - 1. False when memory is out; memory is the arena's.
bool dr_grains_scatter(dr_studio_balls *balls, const uint64_t *id, const bool *sand, size_t paint_count,
                       dr_arena *arena);

#endif
