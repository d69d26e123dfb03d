// How many strands share one surface of liquid: those that contact and its bridges join in the cross-section of a
// bundle, as the last step left them. docs/theory/film.md, eq. (18).
#include "world/film_parts.h"

// The root of a vertex's cluster; ways are halved.
static int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// The lower one is the root: clusters do not depend on the order of contacts.
static void unite(int32_t *parent, int32_t a, int32_t b)
{
    int32_t low = find_root(parent, a), high = find_root(parent, b);
    if (low < high)
        parent[high] = low;
    else
        parent[low] = high;
}

static bool is_wet(const dr_world *world, int32_t v)
{
    return world->state.film.volume[v] > 0.0;
}

// A contact joins the vertices that are nearest to it, where both are wet.
static void unite_contacts(const dr_world *world, int32_t *parent)
{
    const dr_contact_memory *memory = &world->state.contacts;
    bool springs = world->constants.contact.model == DR_CONTACT_PENALTY;
    for (size_t k = 0; k < memory->count; k++) {
        const int32_t *who = memory->who + DR_CONTACT_WHO * k;
        const double *where = memory->where + DR_CONTACT_WHERE * k;
        if (who[0] < 0 || who[1] < 0 || who[0] == who[1] || who[4] >= 0) continue;
        if (springs && !(where[3] > 0.0)) continue;
        int32_t a = who[2] + (where[0] > 0.5), b = who[3] + (where[1] > 0.5);
        if (is_wet(world, a) && is_wet(world, b)) unite(parent, a, b);
    }
}

// Strands of a cluster: vertices lie strand by strand, so that one which its strand has been counted for is known by
// the last strand that the cluster saw.
static void count_strands(dr_world *world, int32_t *parent)
{
    const dr_strands *strands = &world->state.strands;
    dr_film_stage *stage = &world->film;
    for (size_t v = 0; v < stage->vertices; v++) stage->company[v] = 0.0;
    for (size_t v = 0; v < stage->vertices; v++) stage->seen[v] = -1;
    for (int32_t s = 0; s < strands->count; s++) {
        for (int32_t v = strands->first[s]; v < strands->first[s + 1]; v++) {
            int32_t root = find_root(parent, v);
            stage->company[root] += stage->seen[root] != s;
            stage->seen[root] = s;
        }
    }
    for (int32_t v = (int32_t)stage->vertices - 1; v >= 0; v--)
        stage->company[v] = stage->company[find_root(parent, v)];
}

void dr_film_bundle_find(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    for (size_t v = 0; v < stage->vertices; v++) stage->parent[v] = (int32_t)v;
    if (world->constants.strands_meet) unite_contacts(world, stage->parent);
    count_strands(world, stage->parent);
}

void dr_film_bundle_join(dr_world *world, int32_t a, int32_t b)
{
    if (find_root(world->film.parent, a) != find_root(world->film.parent, b)) unite(world->film.parent, a, b);
}

int32_t dr_film_bundle_root(dr_world *world, int32_t vertex)
{
    return find_root(world->film.parent, vertex);
}
