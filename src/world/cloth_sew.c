// Seams: threads from the vertices of one entry of strands on the grid to the nearest ones of another. They are
// segments like those of yarn, at rest as they lie, and bend freely. Yarn and cloth are joined vertex by vertex: what
// lies at one place has one velocity on the grid, and two vertices that are put there go on as one.
// docs/theory/codim.md, section 1.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "base/number.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A vertex in a cell as wide as the reach.
typedef struct spot {
    int64_t cell[3];
    uint32_t vertex;
} spot;

static int compare_cells(const int64_t a[3], const int64_t b[3])
{
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static int compare_spots(const void *a, const void *b)
{
    const spot *one = a, *other = b;
    int order = compare_cells(one->cell, other->cell);
    return order ? order : (one->vertex > other->vertex) - (one->vertex < other->vertex);
}

static void find_cell(const double x[3], double reach, int64_t cell[3])
{
    for (int a = 0; a < 3; a++) cell[a] = (int64_t)floor(x[a] / reach);
}

typedef struct sewing {
    dr_world *world;
    const dr_strands_spec *spec;
    uint32_t body, other;
    const double *position; // of the other entry's vertices
    spot *spots;            // of them, by cell
    size_t count;
} sewing;

static bool belongs(const dr_world *world, size_t curve, uint32_t body)
{
    return world->cloth.curve_body[curve] == body;
}

static void add_spot(sewing *job, uint32_t vertex)
{
    spot *at = &job->spots[job->count++];
    at->vertex = vertex;
    find_cell(job->position + 3 * (size_t)vertex, job->spec->sewn_within, at->cell);
}

static size_t list_spots(sewing *job, const dr_allocator *allocator)
{
    const dr_cloth_stage *stage = &job->world->cloth;
    size_t total = 0;
    for (size_t c = 0; c < stage->curve_count; c++)
        total += belongs(job->world, c, job->other) ? stage->curves[c + 1] - stage->curves[c] : 0;
    job->spots = total > 0 ? dr_memory_alloc(allocator, total * sizeof *job->spots) : NULL;
    for (size_t c = 0; c < stage->curve_count && job->spots; c++) {
        for (uint32_t v = stage->curves[c]; belongs(job->world, c, job->other) && v < stage->curves[c + 1]; v++)
            add_spot(job, v);
    }
    if (job->spots) qsort(job->spots, job->count, sizeof *job->spots, compare_spots);
    return total;
}

static size_t first_in(const sewing *job, const int64_t cell[3])
{
    size_t low = 0, high = job->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_cells(job->spots[middle].cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The nearest vertex of the other entry, neither too near nor too far; false: there is none.
static bool find_partner(const sewing *job, const double x[3], double least, uint32_t *partner)
{
    double best = job->spec->sewn_within;
    int64_t home[3];
    bool found = false;
    find_cell(x, job->spec->sewn_within, home);
    for (int n = 0; n < 27; n++) {
        const int64_t cell[3] = {home[0] + n / 9 - 1, home[1] + n / 3 % 3 - 1, home[2] + n % 3 - 1};
        for (size_t i = first_in(job, cell); i < job->count && compare_cells(job->spots[i].cell, cell) == 0; i++) {
            double way[3], distance;
            dr_vec3_sub(way, job->position + 3 * (size_t)job->spots[i].vertex, x);
            distance = dr_vec3_length(way);
            if (distance >= best || distance < least) continue;
            best = distance;
            *partner = job->spots[i].vertex;
            found = true;
        }
    }
    return found;
}

static bool sew(sewing *job, size_t *threads)
{
    dr_world *world = job->world;
    dr_manifold *m = &world->state.yarn;
    const dr_cloth_stage *stage = &world->cloth;
    for (size_t c = 0; c < stage->curve_count; c++) {
        for (uint32_t v = stage->curves[c]; belongs(world, c, job->body) && v < stage->curves[c + 1]; v++) {
            uint32_t ends[2] = {v, 0};
            double radius = (double)stage->radius[v];
            if (!find_partner(job, m->position + 3 * (size_t)v, DR_SEAM_NEAREST * job->spec->sewn_within, &ends[1]))
                continue;
            if (!dr_manifold_reserve(m, world->allocator, m->vertices, m->elements + 1)) return false;
            dr_manifold_add(m, ends, NULL, DR_PI * radius * radius, job->body);
            ++*threads;
        }
    }
    return true;
}

static dr_status refuse(const dr_scene *scene, const dr_strands_spec *spec, dr_error *error, const char *why)
{
    dr_scene_error(scene, &spec->sewn_to, spec, error, "strands \"%s\": they cannot be sewn to \"%s\": %s", spec->name,
                   spec->sewn_to, why);
    dr_error_hint(
        error, "sewn_to names a cloth or other strands of contact: grid; sewn_within says how far apart they may be");
    return DR_STATUS_BAD_SCENE;
}

static int find_cloth(const dr_scene *scene, const char *name)
{
    const dr_cloth_list *list = &dr_scene_view(scene)->cloths;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].name && strcmp(list->items[i].name, name) == 0) return i;
    }
    return -1;
}

static dr_status sew_entry(dr_world *world, const dr_scene *scene, int index, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    sewing job = {
        .world = world, .spec = &list->items[index], .body = (uint32_t)index, .position = world->state.yarn.position};
    int other = -1;
    size_t threads = 0;
    if (find_cloth(scene, job.spec->sewn_to) >= 0) return DR_STATUS_OK; // that is joined once it is there
    for (int i = 0; i < list->count; i++) {
        if (i != index && list->items[i].name && strcmp(list->items[i].name, job.spec->sewn_to) == 0) other = i;
    }
    if (other < 0)
        return refuse(scene, job.spec, error, "there is no cloth and there are no other strands of that name");
    if (job.spec->contact != DR_MEET_GRID || list->items[other].contact != DR_MEET_GRID)
        return refuse(scene, job.spec, error, "both must have contact: grid");
    job.other = (uint32_t)other;
    size_t total = list_spots(&job, world->allocator);
    bool ok = job.spots && sew(&job, &threads);
    if (job.spots) dr_memory_free(world->allocator, job.spots, total * sizeof *job.spots);
    if (!ok) return dr_error_memory(error, "sewing yarn");
    return threads > 0 ? DR_STATUS_OK : refuse(scene, job.spec, error, "no vertices are that near to each other");
}

dr_status dr_cloth_sew(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count && status == DR_STATUS_OK; i++) {
        if (list->items[i].sewn_to && *list->items[i].sewn_to) status = sew_entry(world, scene, i, error);
    }
    return status;
}

// ---- yarn and cloth

static size_t list_corners(sewing *job, const dr_allocator *allocator)
{
    const dr_manifold *m = &job->world->state.cloth;
    size_t total = 3 * m->elements;
    job->spots = dr_memory_alloc(allocator, total * sizeof *job->spots);
    for (size_t e = 0; e < m->elements && job->spots; e++) {
        for (size_t k = 0; k < 3 && m->body[e] == job->other; k++) add_spot(job, m->index[3 * e + k]);
    }
    if (job->spots) qsort(job->spots, job->count, sizeof *job->spots, compare_spots);
    return total;
}

static bool is_held(const dr_thin *thin, uint32_t vertex)
{
    for (size_t i = 0; i < thin->hold_count; i++) {
        if (thin->holds[i].vertex == vertex) return true;
    }
    return false;
}

static bool add_join(dr_world *world, uint32_t yarn, uint32_t cloth)
{
    dr_cloth_stage *stage = &world->cloth;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->joins, &stage->join_capacity, stage->join_count + 1,
                           sizeof *stage->joins))
        return false;
    stage->joins[stage->join_count++] = (dr_cloth_join){yarn, cloth};
    return true;
}

// How far a vertex of yarn is from the nearest one of the cloth; infinite: out of reach.
static double find_foot(const sewing *job, uint32_t v, uint32_t *on)
{
    const double *x = job->world->state.yarn.position + 3 * (size_t)v;
    double way[3];
    if (!find_partner(job, x, 0.0, on)) return INFINITY;
    dr_vec3_sub(way, job->position + 3 * (size_t)*on, x);
    return dr_vec3_length(way);
}

// Where yarn comes nearest to the cloth it is joined to it: no neighbour of the vertex is nearer, or as near to the
// same one.
static bool join_curve(sewing *job, uint32_t begin, uint32_t end)
{
    const dr_cloth_stage *stage = &job->world->cloth;
    double before = INFINITY;
    uint32_t last = UINT32_MAX;
    for (uint32_t v = begin; v < end; v++) {
        uint32_t on = UINT32_MAX, next_on = UINT32_MAX;
        double here = find_foot(job, v, &on), next = v + 1 < end ? find_foot(job, v + 1, &next_on) : INFINITY;
        bool nearest = here <= before && here <= next && !(here == before && on == last);
        if (isfinite(here) && nearest && !is_held(&stage->thin[DR_THIN_YARN], v) && !add_join(job->world, v, on))
            return false;
        before = here;
        last = on;
    }
    return true;
}

static bool join_vertices(sewing *job, size_t *count)
{
    dr_world *world = job->world;
    dr_manifold *m = &world->state.yarn;
    const dr_cloth_stage *stage = &world->cloth;
    size_t before = stage->join_count;
    for (size_t c = 0; c < stage->curve_count; c++) {
        if (belongs(world, c, job->body) && !join_curve(job, stage->curves[c], stage->curves[c + 1])) return false;
    }
    *count = stage->join_count - before;
    dr_cloth_join_keep(world);
    for (size_t e = 0; e < m->elements; e++) {
        if (m->body[e] == job->body) dr_manifold_rest_segment(m, e);
    }
    return true;
}

static dr_status join_entry(dr_world *world, const dr_scene *scene, int index, int cloth, dr_error *error)
{
    sewing job = {.world = world,
                  .spec = &dr_scene_view(scene)->strands.items[index],
                  .body = (uint32_t)index,
                  .other = (uint32_t)cloth,
                  .position = world->state.cloth.position};
    size_t joined = 0;
    if (job.spec->contact != DR_MEET_GRID) return refuse(scene, job.spec, error, "they must have contact: grid");
    size_t total = list_corners(&job, world->allocator);
    bool ok = job.spots && join_vertices(&job, &joined);
    if (job.spots) dr_memory_free(world->allocator, job.spots, total * sizeof *job.spots);
    if (!ok) return dr_error_memory(error, "sewing yarn");
    return joined > 0 ? DR_STATUS_OK : refuse(scene, job.spec, error, "no vertices are that near to each other");
}

dr_status dr_cloth_join_yarn(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count && status == DR_STATUS_OK; i++) {
        const char *name = list->items[i].sewn_to;
        int cloth = name && *name ? find_cloth(scene, name) : -1;
        if (cloth >= 0) status = join_entry(world, scene, i, cloth, error);
    }
    return status;
}

void dr_cloth_join_keep(dr_world *world)
{
    const dr_cloth_stage *stage = &world->cloth;
    dr_manifold *yarn = &world->state.yarn;
    const dr_manifold *cloth = &world->state.cloth;
    for (size_t i = 0; i < stage->join_count; i++) {
        size_t v = stage->joins[i].yarn, on = stage->joins[i].cloth;
        memcpy(yarn->position + 3 * v, cloth->position + 3 * on, 3 * sizeof *yarn->position);
        memcpy(yarn->velocity + 3 * v, cloth->velocity + 3 * on, 3 * sizeof *yarn->velocity);
    }
}
