// Strands that were brought out of colliders to one and the same line: they would hook into each other, and no contact
// could tell their sides. They are refused.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>

// A vertex and the edge that begins there.
typedef struct placed {
    double x[3], edge[3], radius;
    int32_t strand;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->x[0] != q->x[0]) return p->x[0] < q->x[0] ? -1 : 1;
    return (p->strand > q->strand) - (p->strand < q->strand);
}

static bool was_brought_out(const dr_world *world, size_t v, double radius)
{
    const dr_strands *strands = &world->state.strands;
    double gap = dr_collider_set_distance(world->constants.colliders, strands->position + 3 * v, NULL, NULL);
    return !strands->held[v] && fabs(gap - radius) < 2.0 * DR_STRAND_LAID * radius;
}

// Vertices that were brought out, of entries of which some were. Returns how many.
static size_t gather(const dr_world *world, placed *out)
{
    const dr_strands *strands = &world->state.strands;
    size_t count = 0;
    for (int s = 0; s < strands->count; s++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[strands->body[s]];
        for (size_t v = (size_t)strands->first[s]; kind->pushed > 0 && v < (size_t)strands->first[s + 1]; v++) {
            double radius = fmin(strands->radius[2 * v], strands->radius[2 * v + 1]);
            if (!was_brought_out(world, v, radius)) continue;
            out[count] = (placed){.radius = radius, .strand = s};
            bool last = v + 1 == (size_t)strands->first[s + 1];
            for (size_t a = 0; a < 3; a++) {
                out[count].x[a] = strands->position[3 * v + a];
                out[count].edge[a] = last ? 0.0 : strands->position[3 * v + 3 + a] - out[count].x[a];
            }
            count++;
        }
    }
    return count;
}

static bool lies_on(const placed *vertex, const placed *edge)
{
    double way[3], away[3], part = dr_vec3_dot(edge->edge, edge->edge);
    if (vertex->strand == edge->strand) return false;
    dr_vec3_sub(way, vertex->x, edge->x);
    part = part > 0.0 ? dr_clamp_double(dr_vec3_dot(way, edge->edge) / part, 0.0, 1.0) : 0.0;
    for (int a = 0; a < 3; a++) away[a] = way[a] - part * edge->edge[a];
    return dr_vec3_length(away) < DR_STRAND_ON_EDGE * fmin(vertex->radius, edge->radius);
}

static double reach_of(const placed *list, size_t count)
{
    double reach = 0.0;
    for (size_t i = 0; i < count; i++)
        reach = fmax(reach, dr_vec3_length(list[i].edge) + DR_STRAND_ON_EDGE * list[i].radius);
    return reach;
}

// The strand of which two vertices and edges lie on those of another; -1: none does. hits: [strand], all 0.
static int find_overlap(const placed *list, size_t count, int *hits)
{
    double reach = reach_of(list, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count && list[k].x[0] - list[i].x[0] < reach; k++) {
            int later = list[i].strand > list[k].strand ? list[i].strand : list[k].strand;
            if ((lies_on(&list[i], &list[k]) || lies_on(&list[k], &list[i])) && ++hits[later] == 2) return later;
        }
    }
    return -1;
}

static dr_status refuse(const dr_world *world, const dr_scene *scene, int s, dr_error *error)
{
    int32_t body = world->state.strands.body[s];
    const dr_strands_spec *spec = &dr_scene_view(scene)->strands.items[body];
    dr_status status =
        dr_scene_error(scene, &spec->kind, spec, error,
                       "strands \"%s\": strand %d was brought out of a collider onto the line of another", spec->name,
                       s - world->constants.strand_kinds[body].first);
    dr_error_hint(error, "begin them side by side, or outside of the collider");
    return status;
}

dr_status dr_strand_overlap_check(const dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands *strands = &world->state.strands;
    bool any = false;
    for (int k = 0; k < world->constants.strand_kind_count; k++) any |= world->constants.strand_kinds[k].pushed > 0;
    if (!any) return DR_STATUS_OK;
    size_t room = strands->vertices * sizeof(placed), marks = (size_t)strands->count * sizeof(int);
    placed *list = dr_memory_alloc(world->allocator, room);
    int *hits = dr_memory_alloc(world->allocator, marks);
    int found = -1;
    if (list && hits) {
        size_t count = gather(world, list);
        qsort(list, count, sizeof *list, by_place);
        found = find_overlap(list, count, hits);
    }
    bool out_of_memory = !list || !hits;
    dr_memory_free(world->allocator, list, list ? room : 0);
    dr_memory_free(world->allocator, hits, hits ? marks : 0);
    if (out_of_memory) return dr_error_memory(error, "looking for strands on each other");
    return found < 0 ? DR_STATUS_OK : refuse(world, scene, found, error);
}
