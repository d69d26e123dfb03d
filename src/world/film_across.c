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

// Whether liquid that flows joins both sides, of one kind or of such as mix.
static bool joins(const dr_world *world, const dr_contact *contact)
{
    const double *wet = contact->wet; // lengths of bridge, none where there is no bridge
    if (dr_contact_is_external(contact) || !(wet[0] + wet[1] + wet[2] + wet[3] > 0.0)) return false;
    const dr_film_law *a = &kind_of(world, contact->strand[0])->law, *b = &kind_of(world, contact->strand[1])->law;
    return a->liquids && b->liquids && !a->still && !b->still;
}

// A running mean: `part` of it is the new one.
static void mix_in(dr_film_flow_curve *mean, double part, const dr_film_flow_curve *more)
{
    dr_film_flow_curve sum = {0};
    dr_film_flow_curve_add(&sum, 1.0 - part, mean);
    dr_film_flow_curve_add(&sum, part, more);
    *mean = sum;
}

// What both sides have, by volume. (32)
static void find_liquid(const dr_world *world, dr_film_link *link)
{
    double all = 0.0, tension = 0.0, viscosity = 0.0;
    const dr_film_law *own = &kind_of(world, link->strand[0])->law;
    bool thick = own->thick || kind_of(world, link->strand[1])->law.thick;
    for (int corner = 0; corner < 4; corner++) {
        int side = corner / 2, v = link->vertex[side] + corner % 2 - world->state.strands.first[link->strand[side]];
        dr_film film = dr_film_stage_film(world, &world->film.after, link->strand[side]);
        const dr_film_law *law = &kind_of(world, link->strand[side])->law;
        double volume = film.volume[v] * dr_film_weight(link, side, corner % 2);
        all += volume;
        tension += volume * dr_film_tension(&film, law, v);
        viscosity += volume * dr_film_viscosity(&film, law, v);
        dr_film_flow_curve curve = thick ? dr_film_flow_curve_at(&film, law, v) : (dr_film_flow_curve){0};
        if (volume > 0.0) mix_in(&link->curve, volume / all, &curve);
    }
    link->surface_tension = all > 0.0 ? tension / all : own->surface_tension;
    link->viscosity = all > 0.0 ? viscosity / all : own->viscosity;
}

static bool add_link(dr_world *world, const dr_contact *contact)
{
    dr_film_stage *stage = &world->film;
    int kind = world->state.strands.body[contact->strand[0]];
    if (!dr_memory_reserve(world->allocator, (void **)&stage->links, &stage->link_capacity, stage->link_count + 1,
                           sizeof *stage->links))
        return false;
    dr_film_link *link = &stage->links[stage->link_count++];
    *link = (dr_film_link){.slip = world->constants.strand_kinds[kind].law.slip,
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
    find_liquid(world, link);
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
    *host = dr_film_stage_host(world, link->strand[side]);
    *film = dr_film_stage_film(world, &world->film.after, link->strand[side]);
    return link->vertex[side] + end - world->state.strands.first[link->strand[side]];
}

// Liquid k of a volume that comes from a vertex of one side: its share there, at most; both ends of the other side get
// theirs, with its momentum.
static void move_liquid(dr_world *world, const dr_film_link *link, int from, int end, int k, double part)
{
    dr_film_host host;
    dr_film film;
    int32_t v = place_of(world, link, from, end, &host, &film);
    const dr_film_law *law = &kind_of(world, link->strand[from])->law;
    double momentum[3], velocity[3], volume = dr_film_take(&film, law, &host, v, k, part, momentum);
    if (!(volume > 0.0)) return;
    dr_vec3_scale(velocity, 1.0 / (dr_film_liquid_density(&film, law, k) * volume), momentum);
    double first = dr_film_weight(link, 1 - from, 0) * volume, parts[2] = {first, volume - first};
    for (int to = 0; to < 2; to++) {
        v = place_of(world, link, 1 - from, to, &host, &film);
        law = &kind_of(world, link->strand[1 - from])->law;
        if (parts[to] > 0.0) dr_film_add(&film, law, &host, v, k, parts[to], velocity);
    }
}

static void move(dr_world *world, const dr_film_link *link)
{
    int from = link->volume > 0.0 ? 1 : 0;
    for (int end = 0; end < 2; end++) {
        dr_film_host host;
        dr_film film;
        int32_t v = place_of(world, link, from, end, &host, &film);
        double all = film.volume[v], part = dr_film_weight(link, from, end) * fabs(link->volume);
        if (!(all > 0.0 && part > 0.0)) continue;
        for (int k = 0, count = dr_film_liquid_count(&film); k < count; k++) {
            double share = film.mix ? dr_film_of_liquid(&film, v, k) / all : 1.0;
            move_liquid(world, link, from, end, k, part * share);
        }
    }
}

void dr_film_across_commit(dr_world *world)
{
    for (size_t k = 0; k < world->film.link_count; k++) move(world, &world->film.links[k]);
    world->film.link_count = 0;
}
