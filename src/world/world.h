// The world's own struct. Only src/world knows it.
//   constants  what the scene was compiled to; never written after create
//   state      what a checkpoint keeps; written by the commit stages only (move, exchange, account)
//   working    derived from constants, state and time; a rejected try may leave anything here
#ifndef DR_WORLD_WORLD_H
#define DR_WORLD_WORLD_H

#include "liquid/liquid.h"
#include "world/body_stage.h"
#include "world/cloth_stage.h"
#include "world/collider_view.h"
#include "world/load.h"
#include "world/stages.h"
#include "world/state.h"
#include "world/strand_stage.h"

struct dr_world {
    const dr_allocator *allocator;
    dr_constants constants;
    dr_state state;
    // working
    dr_par par;
    dr_grid grid;     // of all matter
    dr_cut_cells cut; // what solids leave of it to liquid
    dr_liquid liquid;
    dr_body_stage bodies;
    dr_cloth_stage cloth;
    dr_strand_stage strands;
    dr_strand_contact contact;
    dr_strand_liquid strand_liquid;
    dr_film_stage film;
    dr_load_stage load;
    float *node, *node_old; // [block][64][4]: mass, momentum or velocity
    size_t node_capacity, node_old_capacity;
    double *partial; // sums per block
    dr_budget *sums; // per chunk of particles
    size_t partial_capacity, sum_capacity;
    unsigned char *leaving; // per particle of the larger set
    size_t leaving_capacity;
    dr_planned *planned;
    size_t planned_count, planned_capacity;
    double planned_volume;
    dr_emitter_state *emitters_after;  // as they will be when this try is committed
    double acceleration[DR_SET_COUNT]; // bound of what gravity and force fields do to particles
    double uneven[DR_SET_COUNT];       // of that, what is not the same everywhere
    dr_extremes extremes;
    dr_spray_survey survey; // of the liquid
    dr_report report;
    dr_budget budgets[DR_RECORD_COUNT];
    dr_particle_view views[DR_SET_COUNT];
    dr_frame_part view_parts[DR_RECORD_COUNT + 1]; // of what the registry holds, and colliders
    dr_collider_view view_colliders;
};

#endif
