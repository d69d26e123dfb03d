// One try of a step, and the choice of its size.
#ifndef DR_WORLD_TRY_H
#define DR_WORLD_TRY_H

#include "drench/world.h"

typedef struct dr_try {
    double dt, end;
    const char *limited_by;
    bool rejected;
    const char *reason; // why, for the message
} dr_try;

dr_try dr_timestep_choose(const dr_world *world, double to_time);
bool dr_timestep_shorten(const dr_world *world, dr_try *attempt, int rejected); // false: no smaller step is allowed

#endif
