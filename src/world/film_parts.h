// What files of films in the step share.
#ifndef DR_WORLD_FILM_PARTS_H
#define DR_WORLD_FILM_PARTS_H

#include "world/world.h"

#define DR_FILM_GRAIN 16 // strands of a piece of work
#define DR_FILM_CHUNK 64 // strands of a sum: fixed, so that sums do not depend on the number of threads

// A step of films, for pieces of work.
typedef struct dr_film_pass {
    dr_world *world;
    double dt;
} dr_film_pass;

static inline const dr_strand_kind *dr_film_kind(const dr_world *world, int s)
{
    return &world->constants.strand_kinds[world->state.strands.body[s]];
}

static inline bool dr_film_is_there(const dr_world *world)
{
    return world->state.film.vertices > 0;
}

static inline size_t dr_film_chunks(const dr_world *world)
{
    return ((size_t)world->state.strands.count + DR_FILM_CHUNK - 1) / DR_FILM_CHUNK;
}

// film_stage.c: what the strand that begins at vertex `first` is told.
dr_film_answer dr_film_stage_answer(const dr_film_stage *stage, size_t first);

// film_bundle.c: which strands share one surface of liquid.
bool dr_film_bundle_find(dr_world *world);                       // false when memory is out
void dr_film_bundle_join(dr_world *world, int32_t a, int32_t b); // from here on of one cluster; company stays
int32_t dr_film_bundle_root(dr_world *world, int32_t vertex);    // the same of all vertices of a cluster

// film_compile.c: heights that frames, contact and bridges read.
void dr_film_stage_show(dr_world *world, int s);

// film_drip.c: a drop leaves, when the step is committed.
void dr_film_drip_release(dr_world *world, const dr_film_drop *drop);

#endif
