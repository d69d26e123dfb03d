// The film on strands within the step: flow before the strands' solve, its end when they have moved, drops that leave.
// docs/theory/film.md, "In the step".
#ifndef DR_WORLD_FILM_STAGE_H
#define DR_WORLD_FILM_STAGE_H

#include "film/across.h"
#include "film/flow.h"
#include "par/sort.h"
#include "world/registry.h"
#include "world/try.h"

// Volume of a liquid that leaves a vertex with a drop.
typedef struct dr_film_loss {
    int32_t strand, vertex;
    int32_t liquid;
    double volume; // cm3
} dr_film_loss;

// A free end with film, and the cluster of strands that share one surface there.
typedef struct dr_film_tip {
    int32_t root, strand, vertex;
} dr_film_tip;

// A drop of the step being tried.
typedef struct dr_film_drop {
    int32_t strand, vertex;
    size_t loss, losses;        // of vertices
    size_t particle, particles; // of the plan; none: it is drained
} dr_film_drop;

// Liquid that goes between a vertex and a particle: to the film where positive.
typedef struct dr_film_handover {
    int32_t strand, vertex;
    int32_t liquid;
    uint32_t particle;
    double volume; // cm3; 0: nothing comes of it
} dr_film_handover;

// What a vertex would take from (positive) or give to the liquid around it.
typedef struct dr_film_wish {
    double volume;    // cm3
    int64_t particle; // the nearest; -1: none
} dr_film_wish;

// What films need besides their state.
typedef struct dr_film_stage {
    dr_film after;          // as it will be when this try is committed
    dr_film settled;        // before it went on along strands that have moved
    dr_film_answer answer;  // what strands are told
    double *radius, *pull;  // [vertex], [vertex][3]
    double *borne;          // [vertex] share of its weight that liquid around it bears
    double *turn, *spin;    // [vertex] of edges: inertia of their film, impulse about themselves
    double *velocity;       // [vertex][3] of strands as the step began; written when it ends
    double *apparent;       // [vertex][3] acceleration that drops feel
    double *room;           // of the flow, one of each thread
    unsigned char *bridged; // [vertex]
    double *company;        // [vertex] strands that share its liquid's surface, itself among them
    int32_t *parent, *seen; // [vertex] of clusters of these
    dr_sort_item *joined;   // vertices that contacts join, and their strands; room for as many behind them
    size_t joined_capacity;
    size_t vertices, room_size, threads;
    int64_t *substeps; // [strand]
    bool *drips;       // [strand] has more along it than it holds
    double *total;     // [strand] volume, cm3
    double *rate;      // [strand] 1/s
    dr_film_budget *sums;
    dr_film_loss *losses;
    dr_film_drop *drops;
    size_t loss_count, loss_capacity, drop_count, drop_capacity;
    dr_film_tip *tips;
    size_t tip_count, tip_capacity;
    size_t particles;                   // of the plan, that are drops
    dr_film_wish *wishes;               // [vertex]
    double *exposed;                    // [vertex] how much of bridges there is, where films are mixed
    float *view;                        // [liquid][vertex] volumes, where films are mixed
    const char *names[DR_FILM_LIQUIDS]; // of their arrays in frames
    dr_film_handover *handovers;
    size_t handover_count, handover_capacity;
    size_t *handed;           // [strand + 1] where its handovers begin
    uint32_t *rank, *by_rank; // [handover] how many it waits for, one after the other; handovers in their order
    size_t *rank_first;       // [rank + 1] where its handovers begin in by_rank
    uint32_t *particle_rank;  // [particle]
    size_t ranks, rank_capacity, by_rank_capacity, rank_first_capacity, particle_rank_capacity;
    dr_film_link *links; // from strand to strand
    size_t link_count, link_capacity;
    double *across; // [vertex] thrice: lengths of cells, bridges of a vertex, volumes
    size_t across_capacity;
} dr_film_stage;

// The name of the liquid that strands are covered with, and the height up to which they take it along: 0 none,
// DR_FILM_CAPTURE_MATERIAL as their material says. By themselves they take what the scene has.
bool dr_film_is_liquid(const dr_scene *scene, const char *material);
const char *dr_film_liquid(const dr_scene *scene, const dr_strands_spec *spec);
double dr_film_capture(const dr_scene *scene, const dr_strands_spec *spec);

// Whether there is film at the beginning.
static inline bool dr_film_is_given(const dr_strands_spec *spec)
{
    return spec->film_height > 0.0 || spec->film_profile.count > 0;
}

dr_film_law dr_film_stage_law(const dr_strands_spec *spec, const dr_material_spec *film);
bool dr_film_stage_thick(const dr_world *world);                // whether any film is of thick liquid
dr_status dr_film_stage_open(dr_world *world, dr_error *error); // strands are there
void dr_film_stage_close(dr_world *world);
void dr_film_stage_account(dr_world *world, dr_budget *sum);

// The liquid of a material among those that mix in films; -1: there are too many.
int dr_film_stage_liquid(dr_world *world, const dr_material_spec *material);

// After all strands were made: films that thick liquid may come to flow by the law of thick ones.
void dr_film_stage_blend(dr_world *world);

// The film of one strand, out of that of all.
dr_film dr_film_stage_film(const dr_world *world, const dr_film *all, int s);

// A strand as its film sees it, as the step began or as it is now.
dr_film_host dr_film_stage_host(const dr_world *world, int s);

double dr_film_stage_step(const dr_world *world);          // the longest that strands and films can go by themselves, s
bool dr_film_stage_flow(dr_world *world, dr_try *attempt); // false: the try was rejected
void dr_film_stage_settle(dr_world *world, double dt);     // the strands' motion is known
bool dr_film_stage_plan(dr_world *world);                  // drops; false when memory is out
void dr_film_stage_adopt(dr_film *now, const dr_film *after, size_t first, size_t n); // n vertices from the first
void dr_film_stage_keep(dr_world *world);                                             // before strands are moved
void dr_film_stage_commit(dr_world *world, double dt);                                // then liquid leaves and comes
void dr_film_stage_start(dr_world *world, double dt, double *acceleration,
                         double *spin_rate); // that strands start the step with

// [vertex] how much of bridges there is, of what the liquid of the strand's own would make: 0 under liquid, less or
// more where a film is mixed of liquids of other surface tension; NULL: all.
const double *dr_film_stage_exposed(dr_world *world);

// Adds the volumes of each liquid to a frame's arrays of strands, where films are mixed. Returns how many.
int dr_film_stage_view(dr_world *world, dr_frame_array *arrays);

// film_exchange.c: between films and the bulk
bool dr_film_exchange_plan(dr_world *world); // false when memory is out
void dr_film_exchange_commit(dr_world *world);

// film_across.c: from strand to strand; contact has been found
bool dr_film_across_plan(dr_world *world, double dt); // false when memory is out
void dr_film_across_commit(dr_world *world);

// Adds what the film did to a vertex of a strand in the step that was made, dyn s.
void dr_film_stage_add_push(const dr_world *world, size_t v, double dt, double impulse[3]);

#endif
