// Which vertices of cloth and yarn are held: by edges, shapes, and groups that have a name. docs/theory/codim.md,
// section 8.
#include "world/world.h"
#include "world/tuning.h"

#include "base/range.h"

#include <string.h>

typedef struct choosing {
    const dr_cloth_holding *holding;
    dr_world *world;
    const dr_hold_spec *hold;
    const dr_group_spec *group; // NULL: none
    dr_shape *within[2];        // of the hold and of the group
    uint8_t *named;             // [vertex of a layer, as the user has them] the group names it
} choosing;

static dr_status no_memory(const dr_cloth_holding *holding)
{
    return dr_error_memory(holding->error, "holding cloth and yarn");
}

// ---- holds

dr_status dr_cloth_group_open(dr_world *world, dr_thin *thin, const dr_scene *scene, const dr_motion_list *motion,
                              int collider, double until, dr_error *error)
{
    if (!dr_memory_reserve(world->allocator, (void **)&thin->groups, &thin->group_capacity,
                           (size_t)thin->group_count + 1, sizeof *thin->groups))
        return dr_error_memory(error, "holding cloth and yarn");
    dr_hold_group *group = &thin->groups[thin->group_count];
    *group = (dr_hold_group){.collider = collider, .until = until};
    dr_status status = dr_motion_create(scene, motion, world->allocator, &group->motion, error);
    if (status == DR_STATUS_OK) thin->group_count++;
    return status;
}

bool dr_cloth_group_hold(dr_world *world, dr_thin *thin, uint32_t vertex, int group)
{
    if (!dr_memory_reserve(world->allocator, (void **)&thin->holds, &thin->hold_capacity, thin->hold_count + 1,
                           sizeof *thin->holds))
        return false;
    thin->holds[thin->hold_count++] = (dr_cloth_hold){.vertex = vertex, .group = group};
    return true;
}

static dr_status find_collider(const choosing *job, int *collider)
{
    const dr_cloth_holding *holding = job->holding;
    const dr_hold_spec *hold = job->hold;
    const dr_collider_list *list = &dr_scene_view(holding->scene)->colliders;
    *collider = -1;
    if (!hold->bound_to || !*hold->bound_to) return DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].name && strcmp(list->items[i].name, hold->bound_to) == 0) *collider = i;
    }
    if (*collider >= 0) return DR_STATUS_OK;
    return dr_scene_error(holding->scene, &hold->bound_to, hold, holding->error,
                          "%s \"%s\": hold \"%s\": there is no collider \"%s\"", holding->noun, holding->name,
                          hold->name, hold->bound_to);
}

// ---- groups

static dr_status find_group(choosing *job)
{
    const dr_cloth_holding *holding = job->holding;
    const dr_hold_spec *hold = job->hold;
    const dr_group_spec *nearest = NULL;
    int best = 4;
    if (!hold->group || !*hold->group) return DR_STATUS_OK;
    for (int i = 0; i < holding->groups->count; i++) {
        const dr_group_spec *group = &holding->groups->items[i];
        int distance = dr_field_distance(group->name, strlen(group->name), hold->group, strlen(hold->group));
        if (distance == 0) job->group = group;
        if (distance >= best) continue;
        nearest = group;
        best = distance;
    }
    if (job->group) return DR_STATUS_OK;
    dr_scene_error(holding->scene, &hold->group, hold, holding->error,
                   "%s \"%s\": hold \"%s\": there is no group \"%s\"", holding->noun, holding->name, hold->name,
                   hold->group);
    if (nearest)
        dr_error_hint(holding->error, "did you mean \"%s\"?", nearest->name);
    else
        dr_error_hint(holding->error, "`groups` of the same %s give vertices a name", holding->noun);
    return DR_STATUS_BAD_SCENE;
}

static dr_status name_by_number(const choosing *job)
{
    const dr_cloth_holding *holding = job->holding;
    const dr_group_spec *group = job->group;
    const char *text = group->vertices ? group->vertices : "";
    for (dr_range range; dr_range_next(&text, &range);) {
        if ((uint64_t)range.last > holding->count) {
            dr_scene_error(holding->scene, &group->vertices, group, holding->error,
                           "%s \"%s\": group \"%s\": there is no vertex %lld", holding->noun, holding->name,
                           group->name, (long long)range.last);
            dr_error_hint(holding->error, "there are %zu, counted from 1", holding->count);
            return DR_STATUS_BAD_SCENE;
        }
        memset(job->named + range.first - 1, 1, (size_t)(range.last - range.first + 1));
    }
    if (!*text) return DR_STATUS_OK;
    return dr_scene_error(holding->scene, &group->vertices, group, holding->error,
                          "%s \"%s\": group \"%s\": \"%.40s\" does not begin with a number or a range", holding->noun,
                          holding->name, group->name, text);
}

// Whether a word of that name stands in the names, which have single blanks between them.
static bool has_name(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ' ')) {
        if (*at == ' ') at++;
        if (strncmp(at, name, length) == 0 && (at[length] == ' ' || at[length] == 0)) return true;
    }
    return false;
}

static dr_status name_by_file(const choosing *job)
{
    const dr_cloth_holding *holding = job->holding;
    const dr_group_spec *group = job->group;
    const dr_cloth_spec *cloth = holding->cloth;
    if (!group->file_group || !*group->file_group) return DR_STATUS_OK;
    const dr_mesh_asset *asset =
        cloth && cloth->kind == DR_CLOTH_FILE && cloth->file ? dr_scene_mesh(holding->scene, cloth->file) : NULL;
    bool any = false;
    for (size_t i = 0; asset && asset->group && i < 3 * asset->triangle_count; i++) {
        uint32_t at = asset->group[i / 3];
        if (at == DR_NO_GROUP || !has_name(asset->groups[at], group->file_group)) continue;
        job->named[asset->triangles[i]] = 1;
        any = true;
    }
    if (any) return DR_STATUS_OK;
    dr_scene_error(holding->scene, &group->file_group, group, holding->error,
                   "%s \"%s\": group \"%s\": no face of \"%s\" is in a group \"%s\"", holding->noun, holding->name,
                   group->name, asset ? asset->file : "", group->file_group);
    for (size_t i = 0; asset && i < asset->group_count && i < 8; i++)
        dr_error_hint(holding->error, "it has \"%s\"", asset->groups[i]);
    if (!asset || asset->group_count == 0) dr_error_hint(holding->error, "an OBJ has them in lines `g name`");
    return DR_STATUS_BAD_SCENE;
}

// ---- vertices

static bool on_edge(const dr_cloth_holding *holding, int edge, double depth, size_t v)
{
    const dr_cloth_spec *cloth = holding->cloth;
    if (!cloth) return false;
    const double *uv = holding->surface + 2 * v;
    double reach = depth + DR_WORLD_ROUNDING * holding->spacing;
    bool flat = cloth->kind == DR_CLOTH_RECTANGLE;
    switch ((dr_cloth_edge)edge) {
    case DR_EDGE_LEFT:
        return flat && uv[0] <= reach;
    case DR_EDGE_RIGHT:
        return flat && uv[0] >= cloth->width - reach;
    case DR_EDGE_BOTTOM:
        return uv[1] <= reach;
    case DR_EDGE_TOP:
        return uv[1] >= cloth->depth - reach;
    case DR_EDGE_BOUNDARY:
        return holding->boundary[v];
    case DR_EDGE_NONE:
        break;
    }
    return false;
}

static bool is_chosen(const choosing *job, size_t i, const double x[3])
{
    const dr_cloth_holding *holding = job->holding;
    const dr_group_spec *group = job->group;
    size_t v = i % holding->count;
    for (int k = 0; k < 2; k++) {
        if (job->within[k] && dr_shape_distance(job->within[k], x, NULL) <= DR_WORLD_ROUNDING * holding->spacing)
            return true;
    }
    if (on_edge(holding, job->hold->edge, job->hold->depth, v)) return true;
    return group &&
           (on_edge(holding, group->edge, group->depth, v) || job->named[holding->number ? holding->number[v] : v]);
}

static dr_status hold_chosen(const choosing *job, dr_thin *thin)
{
    const dr_cloth_holding *holding = job->holding;
    const dr_hold_spec *hold = job->hold;
    size_t count = 0;
    for (size_t i = 0; i < holding->layers * holding->count; i++) {
        if (holding->held[i] || !is_chosen(job, i, holding->position + 3 * (holding->first + i))) continue;
        holding->held[i] = 1;
        count++;
        if (!dr_cloth_group_hold(job->world, thin, (uint32_t)(holding->first + i), thin->group_count - 1))
            return no_memory(holding);
    }
    if (count > 0) return DR_STATUS_OK;
    dr_scene_error(holding->scene, &hold->edge, hold, holding->error, "%s \"%s\": hold \"%s\" holds no vertex",
                   holding->noun, holding->name, hold->name);
    dr_error_hint(holding->error, "vertices are about %.3g cm apart; `within` takes those inside a shape as drawn",
                  holding->spacing);
    return DR_STATUS_BAD_SCENE;
}

static dr_status open_shape(const choosing *job, const dr_shape_spec *spec, dr_shape **shape)
{
    if (spec->kind == DR_SHAPE_NONE) return DR_STATUS_OK;
    return dr_shape_create(job->holding->scene, spec, job->world->allocator, shape, job->holding->error);
}

static dr_status take_hold(choosing *job, dr_thin *thin)
{
    const dr_cloth_holding *holding = job->holding;
    int collider;
    dr_status status = find_collider(job, &collider);
    if (status == DR_STATUS_OK) status = find_group(job);
    if (status == DR_STATUS_OK) status = open_shape(job, &job->hold->within, &job->within[0]);
    if (status == DR_STATUS_OK && job->group) status = open_shape(job, &job->group->within, &job->within[1]);
    if (status == DR_STATUS_OK && job->group) status = name_by_number(job);
    if (status == DR_STATUS_OK && job->group) status = name_by_file(job);
    if (status == DR_STATUS_OK)
        status = dr_cloth_group_open(job->world, thin, holding->scene, &job->hold->motion, collider, job->hold->until,
                                     holding->error);
    if (status == DR_STATUS_OK) status = hold_chosen(job, thin);
    for (int k = 0; k < 2; k++) dr_shape_destroy(job->within[k]);
    return status;
}

dr_status dr_cloth_group_find(dr_world *world, const dr_cloth_holding *holding)
{
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < holding->holds->count && status == DR_STATUS_OK; i++) {
        choosing job = {.holding = holding,
                        .world = world,
                        .hold = &holding->holds->items[i],
                        .named = dr_arena_alloc(holding->arena, holding->count + 1)};
        status = job.named ? take_hold(&job, holding->thin) : no_memory(holding);
    }
    return status;
}
