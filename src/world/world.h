// The world's own struct. Only src/world knows it.
//   constants  what the scene was compiled to; never written after create
//   state      what a checkpoint keeps; written by the commit stages only (move, exchange, account)
//   working    derived from constants, state and time; a rejected try may leave anything here
#ifndef DR_WORLD_WORLD_H
#define DR_WORLD_WORLD_H

#include "collide/cut_cells.h"
#include "liquid/liquid.h"
#include "world/body_stage.h"
#include "world/collider_view.h"
#include "world/constants.h"
#include "world/stages.h"
#include "world/state.h"
#include "world/strand_stage.h"

struct dr_world {
    const dr_allocator *allocator;
    dr_constants constants;
    dr_state state;
    // working
    dr_par par;
    dr_grid grid;
    dr_grid liquid_grid;
    dr_cut_cells cut; // of the liquid's grid
    dr_liquid liquid;
    dr_body_stage bodies;
    dr_strand_stage strands;
    dr_strand_contact contact;
    float *node, *node_old; // [block][64][4]: mass, momentum or velocity
    size_t node_capacity, node_old_capacity;
    double *partial; // sums per block or per chunk of particles
    size_t partial_capacity;
    unsigned char *leaving; // per particle of the larger set
    size_t leaving_capacity;
    dr_planned *planned;
    size_t planned_count, planned_capacity;
    double planned_volume;
    dr_emitter_state *emitters_after; // as they will be when this try is committed
    double acceleration;              // bound of gravity and force fields
    dr_extremes extremes;
    dr_report report;
    float *view_position; // [particle][3], cm
    float *view_pressure; // [liquid particle], dyn/cm2
    size_t view_capacity, view_pressure_capacity;
    dr_frame_array view_arrays[2][8];
    dr_frame_part view_parts[4]; // particles, liquid where there may be any, strands and colliders where there are any
    dr_collider_view view_colliders;
};

#endif
