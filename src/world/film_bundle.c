// How many strands share one surface of liquid: those that contact and its bridges join in the cross-section of a
// bundle, as the last step left them. docs/theory/film.md, eq. (18).
#include "world/film_parts.h"
#include "world/tuning.h"

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

// A contact joins the vertices that are nearest to it, where both are wet. Gives how many vertices, one that several
// contacts join as often; `joined` has room for twice as many as there are contacts.
static size_t unite_contacts(const dr_world *world, int32_t *parent, dr_sort_item *joined)
{
    const dr_contact_memory *memory = &world->state.contacts;
    bool springs = world->constants.contact.model == DR_CONTACT_PENALTY;
    size_t count = 0;
    for (size_t k = 0; k < memory->count; k++) {
        const int32_t *who = memory->who + DR_CONTACT_WHO * k;
        const double *where = memory->where + DR_CONTACT_WHERE * k;
        if (who[0] < 0 || who[1] < 0 || who[0] == who[1] || who[4] >= 0) continue;
        if (springs && !(where[3] > 0.0)) continue;
        int32_t a = who[2] + (where[0] > 0.5), b = who[3] + (where[1] > 0.5);
        if (!is_wet(world, a) || !is_wet(world, b)) continue;
        unite(parent, a, b);
        joined[count++] = (dr_sort_item){(uint64_t)a, (uint32_t)who[0]};
        joined[count++] = (dr_sort_item){(uint64_t)b, (uint32_t)who[1]};
    }
    return count;
}

// Strands of a cluster: joined vertices lie strand by strand, so that one which its strand has been counted for is
// known by the last strand that the cluster saw.
static void count_strands(dr_film_stage *stage, const dr_sort_item *joined, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stage->company[joined[i].key] = 0.0;
        stage->seen[joined[i].key] = -1;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t root = find_root(stage->parent, (int32_t)joined[i].key), s = (int32_t)joined[i].value;
        stage->company[root] += stage->seen[root] != s;
        stage->seen[root] = s;
    }
    for (size_t i = 0; i < count; i++)
        stage->company[joined[i].key] = stage->company[find_root(stage->parent, (int32_t)joined[i].key)];
}

static void part_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_film_stage *stage = user;
    for (size_t v = begin; v < end; v++) {
        stage->parent[v] = (int32_t)v;
        stage->company[v] = 1.0;
    }
}

bool dr_film_bundle_find(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    size_t most = world->constants.strands_meet ? 2 * world->state.contacts.count : 0;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->joined, &stage->joined_capacity, 2 * most,
                           sizeof *stage->joined))
        return false;
    dr_par_for(&world->par, stage->vertices, DR_VERTEX_CHUNK, part_vertices, stage);
    if (most == 0) return true;
    size_t count = unite_contacts(world, stage->parent, stage->joined);
    dr_sort_items(stage->joined, stage->joined + most, count);
    count_strands(stage, stage->joined, count);
    return true;
}

void dr_film_bundle_join(dr_world *world, int32_t a, int32_t b)
{
    if (find_root(world->film.parent, a) != find_root(world->film.parent, b)) unite(world->film.parent, a, b);
}

int32_t dr_film_bundle_root(dr_world *world, int32_t vertex)
{
    return find_root(world->film.parent, vertex);
}
