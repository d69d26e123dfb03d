// Liquid from strand to strand through the bridges that contact has found in this step: planned while it is tried, done
// when it is committed. docs/theory/film.md, "Across bundles".
#include "world/world.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

static const dr_strand_kind *kind_of(const dr_world *world, int s)
{
    return &world->constants.strand_kinds[world->state.strands.body[s]];
}

static bool is_on(const dr_world *world)
{
    return world->state.film.vertices > 0 && world->constants.strands_meet && world->constants.bridge_flow;
}

// Whether liquid of one kind that flows joins both sides.
static bool joins(const dr_world *world, const dr_contact *contact)
{
    if (dr_contact_is_external(contact) || !(contact->spring || contact->pull > 0.0) || !(contact->wet[0] > 0.0))
        return false;
    const dr_film_law *a = &kind_of(world, contact->strand[0])->law, *b = &kind_of(world, contact->strand[1])->law;
    bool same = a->density == b->density && a->viscosity == b->viscosity && a->surface_tension == b->surface_tension;
    return same && !a->thick && !b->thick && !a->still && !b->still;
}

static bool add_link(dr_world *world, const dr_contact *contact)
{
    dr_film_stage *stage = &world->film;
    int kind = world->state.strands.body[contact->strand[0]];
    if (!dr_memory_reserve(world->allocator, (void **)&stage->links, &stage->link_capacity, stage->link_count + 1,
                           sizeof *stage->links))
        return false;
    dr_film_link *link = &stage->links[stage->link_count++];
    *link = (dr_film_link){.law = &world->constants.strand_kinds[kind].law,
                           .length = 0.5 * (contact->wet[0] + contact->wet[1] + contact->wet[2] + contact->wet[3]),
                           .distance = contact->distance,
                           .angle = world->constants.strand_laws[kind].contact_angle};
    for (int side = 0; side < 2; side++) {
        link->strand[side] = contact->strand[side];
        link->vertex[side] = contact->vertex[side];
        link->place[side] = contact->place[side];
        link->radius[side] = (1.0 - contact->place[side]) * stage->radius[contact->vertex[side]] +
                             contact->place[side] * stage->radius[contact->vertex[side] + 1];
    }
    return true;
}

static bool find_links(dr_world *world)
{
    size_t count;
    const dr_contact *contacts = dr_contact_stage_contacts(world->contact.stage, &count);
    for (size_t k = 0; k < count; k++) {
        if (joins(world, &contacts[k]) && !add_link(world, &contacts[k])) return false;
    }
    return true;
}

// Lengths of cells, and among how many bridges their liquid is divided: lengths of bridge per length of cell. (27)
static void divide(dr_world *world, double *cell, double *parts)
{
    const dr_film_stage *stage = &world->film;
    for (int s = 0; s < world->state.strands.count; s++) {
        dr_film_host host = dr_film_stage_host(world, s);
        size_t first = (size_t)world->state.strands.first[s];
        for (int v = 0; v < host.count; v++) {
            cell[first + (size_t)v] = dr_film_cell(&host, v);
            parts[first + (size_t)v] = 0.0;
        }
    }
    for (size_t k = 0; k < stage->link_count; k++) {
        for (int corner = 0; corner < 4; corner++) {
            const dr_film_link *link = &stage->links[k];
            int32_t v = link->vertex[corner / 2] + corner % 2;
            parts[v] += dr_film_weight(link, corner / 2, corner % 2) * link->length / cell[v];
        }
    }
    for (size_t v = 0; v < stage->vertices; v++) parts[v] = fmax(1.0, parts[v]);
}

bool dr_film_across_plan(dr_world *world, double dt)
{
    dr_film_stage *stage = &world->film;
    stage->link_count = 0;
    if (!is_on(world)) return true;
    if (!find_links(world)) return false;
    if (stage->link_count == 0) return true;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->across, &stage->across_capacity, 3 * stage->vertices,
                           sizeof *stage->across))
        return false;
    double *cell = stage->across, *parts = cell + stage->vertices, *volume = parts + stage->vertices;
    divide(world, cell, parts);
    memcpy(volume, stage->after.volume, stage->vertices * sizeof *volume);
    dr_film_across(stage->links, stage->link_count, &(dr_film_cells){cell, parts}, dt, volume);
    return true;
}

// ---- at the commit

static int32_t place_of(const dr_world *world, const dr_film_link *link, int side, int end, dr_film_host *host,
                        dr_film *film)
{
    int32_t first = world->state.strands.first[link->strand[side]];
    *host = dr_film_stage_host(world, link->strand[side]);
    *film = dr_film_of(&world->film.after, (size_t)first);
    return link->vertex[side] + end - first;
}

// Both vertices of a side give; what they have not, they do not. Returns the volume.
static double give(dr_world *world, const dr_film_link *link, int side, double volume, double momentum[3])
{
    double sum = 0.0, part[3];
    dr_film_host host;
    dr_film film;
    dr_vec3_set(momentum, 0.0, 0.0, 0.0);
    for (int end = 0; end < 2; end++) {
        int32_t v = place_of(world, link, side, end, &host, &film);
        sum += dr_film_take(&film, link->law, &host, v, dr_film_weight(link, side, end) * volume, part);
        dr_vec3_add(momentum, momentum, part);
    }
    return sum;
}

static void move(dr_world *world, const dr_film_link *link)
{
    int from = link->volume > 0.0 ? 1 : 0;
    double momentum[3], velocity[3], volume = give(world, link, from, fabs(link->volume), momentum);
    if (!(volume > 0.0)) return;
    dr_vec3_scale(velocity, 1.0 / (link->law->density * volume), momentum);
    double first = dr_film_weight(link, 1 - from, 0) * volume, parts[2] = {first, volume - first};
    for (int end = 0; end < 2; end++) {
        dr_film_host host;
        dr_film film;
        int32_t v = place_of(world, link, 1 - from, end, &host, &film);
        if (parts[end] > 0.0) dr_film_add(&film, link->law, &host, v, parts[end], velocity);
    }
}

void dr_film_across_commit(dr_world *world)
{
    for (size_t k = 0; k < world->film.link_count; k++) move(world, &world->film.links[k]);
    world->film.link_count = 0;
}
