// One try of a step, and the choice of its size.
#ifndef DR_WORLD_TRY_H
#define DR_WORLD_TRY_H

#include "drench/world.h"

typedef struct dr_try {
    double dt, end;
    double frame[3]; // velocity of the frame in which the liquid is looked at, cm/s
    bool along;      // liquid may cross more cells than Courant allows, with what is around it
    const char *limited_by;
    bool rejected;
    const char *reason; // why the last one was, NULL: none was
    bool strands;       // a shorter step may help them
    bool forced;        // shorter steps did not, and it was taken as it is
} dr_try;

dr_try dr_timestep_choose(dr_world *world, double to_time);                     // and how cloth steps
double dr_timestep_liquid_speed(const dr_world *world, const dr_try *attempt);  // at most, over its frame
void dr_timestep_remember(dr_world *world, const dr_try *taken, double failed); // failed: for strands; 0: none
bool dr_timestep_shorten(const dr_world *world, dr_try *attempt, int rejected); // false: no smaller step is allowed

#endif
