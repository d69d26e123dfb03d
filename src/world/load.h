// Forces on solids, where they are wanted.
#ifndef DR_WORLD_LOAD_H
#define DR_WORLD_LOAD_H

#include "collide/cut_cells.h"
#include "drench/world.h"

// What matter did to solids in the step made last.
typedef struct dr_load_stage {
    bool wanted;
    double dt;                       // of that step; 0: none was made
    double (*sum)[6], (*partial)[6]; // [solid], [chunk][solid]: impulse, angular impulse about the origin
    float *body;     // [block][64][4] nodes before solids act on them; beside liquid what faces lost to solids, g cm/s
    double *contact; // [vertex][3] impulses of contact
    size_t partial_capacity, body_capacity;
    dr_cut_knocks knocks;
} dr_load_stage;

dr_status dr_load_open(dr_world *world, dr_error *error);
void dr_load_close(dr_world *world);
bool dr_load_reserve(dr_world *world); // blocks are known
void dr_load_keep(dr_world *world);    // before walls and colliders act on nodes
void dr_load_keep_faces(dr_world *world, const float *before, const float *after); // the same of bodies beside liquid
void dr_load_measure(dr_world *world, double dt);
void dr_load_stop(dr_world *world, const double x[3], const double impulse[3]); // of matter that is stopped by itself
void dr_load_finish(dr_world *world);                                           // after the commit

// While particles of the liquid are brought out of solids. NULL: loads are not wanted.
const dr_cut_knocks *dr_load_begin_knocks(dr_world *world);
void dr_load_end_knocks(dr_world *world);

#endif
