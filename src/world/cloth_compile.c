// From the scene's cloths, and its strands of contact `grid`, to meshes on the grid. docs/theory/codim.md, section 1.
#include "world/world.h"
#include "world/tuning.h"

#include "base/number.h"
#include "geom/sheet.h"
#include "geom/upright.h"
#include "math/random.h"
#include "math/rotation.h"
#include "par/sort.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 5e8 // they are counted in 31 bits

typedef struct making {
    dr_world *world;
    const dr_scene *scene;
    const dr_cloth_spec *spec;
    const dr_material_spec *material;
    dr_material_spec woven; // the same, with what follows from its weave
    int body;               // index of the spec
    dr_arena *arena;
    dr_error *error;
    double thickness;
    uint8_t *held;          // [vertex of all layers]
    uint8_t *boundary;      // [vertex of one layer]
    const uint32_t *number; // [vertex of one layer] which it is to the user
    dr_sheet_rest left_out; // of the file
} making;

static dr_status no_memory(const making *job)
{
    return dr_error_memory(job->error, "making cloth");
}

static double edge_of(const making *job)
{
    return job->spec->edge > 0.0 ? job->spec->edge : dr_scene_view(job->scene)->domain.cell;
}

static dr_sheet_rule rule_of(const dr_cloth_spec *spec, double edge)
{
    return (dr_sheet_rule){.kind = (dr_sheet_kind)(spec->kind - DR_CLOTH_RECTANGLE),
                           .pattern = (dr_sheet_pattern)spec->pattern,
                           .width = spec->width,
                           .depth = spec->depth,
                           .radius = spec->radius,
                           .edge = edge};
}

// ---- the material

static double bulk_of(double young, double poisson) // lambda + 2 mu
{
    return young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}

// A sheet is lighter and softer than its fibres by their share of it. (1.3)
static dr_manifold_law sheet_law(const dr_material_spec *material, double thickness)
{
    double share = material->volume_fraction, soft = pow(share, material->stress_power), nu = material->poisson_ratio;
    double warp = soft * material->youngs_modulus;
    double weft = material->weft_modulus > 0.0 ? soft * material->weft_modulus : warp;
    dr_surface_law sheet = dr_surface_make(warp, weft, nu);
    sheet.normal = material->stretch_stiffness > 0.0 ? material->stretch_stiffness : bulk_of(warp, nu);
    sheet.shear = material->shear_stiffness > 0.0 ? material->shear_stiffness : 0.5 * warp / (1.0 + nu);
    sheet.friction = tan(material->friction_angle);
    return (dr_manifold_law){.sheet = sheet,
                             .density = share * material->density,
                             .fibres = material->density,
                             .damping = material->transfer_damping,
                             .thickness = thickness};
}

static dr_manifold_law thread_law(const dr_material_spec *material)
{
    double young = material->youngs_modulus, nu = material->poisson_ratio;
    dr_curve_law thread = dr_curve_make(young, nu, material->friction_angle);
    thread.stretch = material->stretch_stiffness > 0.0 ? material->stretch_stiffness : young;
    thread.shear = material->shear_stiffness > 0.0 ? material->shear_stiffness : 0.5 * young / (1.0 + nu);
    return (dr_manifold_law){.thread = thread,
                             .density = material->density,
                             .fibres = material->density,
                             .damping = material->transfer_damping,
                             .thickness = 1.5707963267948966 * material->radius};
}

// Contact that costs nothing where nothing is sheared, and no step where there is no friction.
static void forget_shear(dr_manifold_law *law, bool colliders_rub)
{
    if (law->sheet.friction == 0.0 && !colliders_rub) law->sheet.shear = 0.0;
}

static bool any_rubs(const dr_scene_spec *spec)
{
    for (int i = 0; i < spec->colliders.count; i++) {
        const dr_collider_spec *collider = &spec->colliders.items[i];
        if (collider->friction > 0.0 || collider->boundary == DR_BOUNDARY_STICKY) return true;
    }
    return false;
}

static dr_status find_material(making *job)
{
    const dr_cloth_spec *spec = job->spec;
    job->material = dr_scene_material(job->scene, spec->material);
    if (job->material) {
        job->woven = *job->material;
        if (dr_weave_apply(&job->woven)) job->material = &job->woven;
    }
    job->thickness = spec->thickness > 0.0 ? spec->thickness : job->material ? job->material->thickness : 0.0;
    if (job->material && job->material->kind == DR_MATERIAL_CLOTH) return DR_STATUS_OK;
    dr_scene_error(job->scene, &spec->material, spec, job->error, "cloth \"%s\": material \"%s\" is no cloth",
                   spec->name, spec->material ? spec->material : "");
    dr_error_hint(job->error, "`drench materials` lists the built-in ones");
    return DR_STATUS_BAD_SCENE;
}

// ---- its shape

// Which triangle of the file it is, counted from 1.
static size_t number_of(const dr_sheet *sheet, size_t triangle)
{
    return 1 + (sheet->source ? sheet->source[triangle] : triangle);
}

static dr_status take_file(making *job, dr_sheet *sheet)
{
    const dr_cloth_spec *spec = job->spec;
    const dr_mesh_asset *asset = spec->file ? dr_scene_mesh(job->scene, spec->file) : NULL;
    if (!asset)
        return dr_scene_error(job->scene, &spec->file, spec, job->error, "cloth \"%s\": \"%s\" was not read",
                              spec->name, spec->file ? spec->file : "");
    *sheet = (dr_sheet){.vertex_count = asset->vertex_count, .triangle_count = asset->triangle_count};
    sheet->position = dr_arena_alloc(job->arena, 3 * asset->vertex_count * sizeof *sheet->position + 1);
    sheet->surface = dr_arena_alloc(job->arena, 2 * asset->vertex_count * sizeof *sheet->surface + 1);
    sheet->warp = dr_arena_alloc(job->arena, 3 * asset->triangle_count * sizeof *sheet->warp + 1);
    sheet->triangles = dr_arena_alloc(job->arena, 3 * asset->triangle_count * sizeof *sheet->triangles + 1);
    if (!sheet->position || !sheet->surface || !sheet->warp || !sheet->triangles) return no_memory(job);
    for (size_t v = 0; v < asset->vertex_count; v++) {
        double *x = sheet->position + 3 * v;
        dr_upright_point(x, spec->up, spec->unit_length, asset->vertices + 3 * v);
        sheet->surface[2 * v] = x[0];
        sheet->surface[2 * v + 1] = x[1];
    }
    memcpy(sheet->triangles, asset->triangles, 3 * asset->triangle_count * sizeof *sheet->triangles);
    for (size_t t = 0; t < asset->triangle_count; t++) dr_vec3_copy(sheet->warp + 3 * t, spec->warp);
    return dr_sheet_leave_out(sheet, &job->left_out, job->arena) ? DR_STATUS_OK : no_memory(job);
}

// Width along x as nearly as the axis lets it, the normal (or a tube's length) along the axis. Columns of `frame` are
// where x, y and z of the rule go.
static void lay(const dr_cloth_spec *spec, double frame[9])
{
    static const double up[3] = {0, 1, 0}, ahead[3] = {1, 0, 0}, aside[3] = {0, 0, 1};
    double n[3], u[3], v[3];
    dr_vec3_normalize(n, spec->axis, up);
    const double *hint = fabs(n[0]) < 0.9 ? ahead : aside;
    dr_vec3_add_scaled(u, hint, -dr_vec3_dot(hint, n), n);
    dr_vec3_normalize(u, u, hint);
    dr_vec3_cross(v, n, u);
    bool tube = spec->kind == DR_CLOTH_TUBE;
    for (int a = 0; a < 3; a++) {
        frame[3 * a] = u[a];
        frame[3 * a + 1] = tube ? n[a] : v[a];
        frame[3 * a + 2] = tube ? -v[a] : n[a];
    }
}

static dr_status take_rule(making *job, dr_sheet *sheet)
{
    const dr_cloth_spec *spec = job->spec;
    dr_sheet_rule rule = rule_of(spec, edge_of(job));
    double frame[9];
    if (dr_sheet_size(&rule) * (double)spec->layers > MOST_VERTICES) {
        dr_scene_error(job->scene, &spec->edge, spec, job->error, "cloth \"%s\": %.3g triangles are too many",
                       spec->name, dr_sheet_size(&rule) * (double)spec->layers);
        dr_error_hint(job->error, "longer edges make fewer");
        return DR_STATUS_BAD_SCENE;
    }
    if (!dr_sheet_make(&rule, job->arena, sheet)) return no_memory(job);
    lay(spec, frame);
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        dr_rotation_apply(sheet->position + 3 * v, frame, sheet->position + 3 * v);
        dr_vec3_add(sheet->position + 3 * v, sheet->position + 3 * v, spec->center);
    }
    for (size_t t = 0; t < sheet->triangle_count; t++)
        dr_rotation_apply(sheet->warp + 3 * t, frame, sheet->warp + 3 * t);
    return DR_STATUS_OK;
}

// Corners of triangles that were turned round are the other way round in the file.
static dr_status take_texture(making *job, dr_sheet *sheet)
{
    const dr_cloth_spec *spec = job->spec;
    const dr_mesh_asset *asset = dr_scene_mesh(job->scene, spec->file);
    if (!asset->texture) {
        dr_scene_error(job->scene, &spec->rest, spec, job->error,
                       "cloth \"%s\": rest is texture, but \"%s\" has no texture coordinates", spec->name, spec->file);
        dr_error_hint(job->error, "an OBJ has them in lines `vt u v`, a PLY in properties s and t of its vertices");
        return DR_STATUS_BAD_SCENE;
    }
    double *texture = dr_arena_alloc(job->arena, 6 * sheet->triangle_count * sizeof *texture);
    if (!texture) return no_memory(job);
    for (size_t i = 0; i < 3 * sheet->triangle_count; i++) {
        size_t t = i / 3, k = i % 3;
        size_t source = number_of(sheet, t) - 1;
        bool turned = sheet->triangles[3 * t + 1] != asset->triangles[3 * source + 1];
        size_t from = 3 * source + (turned && k > 0 ? 3 - k : k);
        for (size_t a = 0; a < 2; a++) texture[2 * i + a] = asset->texture[2 * from + a];
    }
    dr_sheet_verdict verdict = dr_sheet_lay_flat(sheet, texture, spec->texture_length, job->arena);
    if (verdict.fault == DR_SHEET_SOUND) return DR_STATUS_OK;
    if (verdict.fault == DR_SHEET_NO_MEMORY) return no_memory(job);
    const uint32_t *corner = sheet->triangles + 3 * verdict.triangle;
    dr_scene_error(job->scene, &spec->rest, spec, job->error,
                   "cloth \"%s\": triangle %zu of \"%s\" (vertices %u, %u, %u) has no area by its texture coordinates",
                   spec->name, number_of(sheet, verdict.triangle), spec->file, corner[0] + 1, corner[1] + 1,
                   corner[2] + 1);
    dr_error_hint(job->error,
                  "every corner needs texture coordinates, unfolded without overlap; counting begins with 1");
    return DR_STATUS_BAD_SCENE;
}

// Pictures and exports have one place on the cloth for each vertex: that of the first triangle.
static void note_surface(dr_sheet *sheet)
{
    for (size_t i = 3 * sheet->triangle_count; i-- > 0;) {
        double *surface = sheet->surface + 2 * (size_t)sheet->triangles[i];
        for (size_t a = 0; a < 2; a++) surface[a] = sheet->flat[2 * i + a];
    }
}

static dr_status complain_of_mesh(const making *job, const dr_sheet *sheet, const dr_sheet_verdict *verdict)
{
    const dr_cloth_spec *spec = job->spec;
    const uint32_t *corner = sheet->triangles + 3 * verdict->triangle;
    if (verdict->fault == DR_SHEET_NO_MEMORY) return no_memory(job);
    if (verdict->fault == DR_SHEET_CROWDED) {
        dr_scene_error(job->scene, &spec->file, spec, job->error,
                       "cloth \"%s\": the edge between vertices %u and %u has more than two triangles, triangle %zu "
                       "among them",
                       spec->name, verdict->edge[0] + 1, verdict->edge[1] + 1, number_of(sheet, verdict->triangle));
        dr_error_hint(job->error, "a sheet has one or two triangles at an edge; counting begins with 1");
    } else if (verdict->fault == DR_SHEET_FLAT) {
        dr_scene_error(job->scene, &spec->file, spec, job->error,
                       "cloth \"%s\": triangle %zu (vertices %u, %u, %u) has no area", spec->name,
                       number_of(sheet, verdict->triangle), corner[0] + 1, corner[1] + 1, corner[2] + 1);
        dr_error_hint(job->error, "mend the mesh; counting begins with 1");
    } else {
        dr_scene_error(job->scene, &spec->file, spec, job->error,
                       "cloth \"%s\": triangle %zu names a vertex that is not there", spec->name,
                       number_of(sheet, verdict->triangle));
    }
    return DR_STATUS_BAD_SCENE;
}

static void note_mending(making *job, const dr_sheet_verdict *verdict)
{
    const dr_mesh_asset *asset = dr_scene_mesh(job->scene, job->spec->file);
    job->world->cloth.mends[job->body] = (dr_cloth_mend){.flat = asset ? asset->flat_count : 0,
                                                         .left_out = job->left_out.count,
                                                         .first = job->left_out.first + 1,
                                                         .turned = verdict->turned,
                                                         .idle = verdict->idle,
                                                         .one_sided = verdict->one_sided};
}

static dr_status take_sheet(making *job, dr_sheet *sheet)
{
    const dr_cloth_spec *spec = job->spec;
    double rotation[9];
    dr_status status = spec->kind == DR_CLOTH_FILE ? take_file(job, sheet) : take_rule(job, sheet);
    if (status != DR_STATUS_OK) return status;
    if (sheet->triangle_count == 0)
        return dr_scene_error(job->scene, &spec->kind, spec, job->error, "cloth \"%s\": it has no triangle",
                              spec->name);
    dr_rotation_euler(rotation, spec->rotate);
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        double *x = sheet->position + 3 * v;
        dr_rotation_apply(x, rotation, x);
        dr_vec3_add(x, x, spec->translate);
        if (isfinite(x[0] + x[1] + x[2])) continue;
        return dr_scene_error(job->scene, &spec->file, spec, job->error,
                              "cloth \"%s\": vertex %zu is not where a number could tell", spec->name, v + 1);
    }
    for (size_t t = 0; t < sheet->triangle_count; t++)
        dr_rotation_apply(sheet->warp + 3 * t, rotation, sheet->warp + 3 * t);
    dr_sheet_verdict verdict =
        dr_sheet_inspect(sheet->position, sheet->vertex_count, sheet->triangles, sheet->triangle_count, job->arena);
    job->boundary = verdict.boundary;
    if (verdict.fault != DR_SHEET_SOUND) return complain_of_mesh(job, sheet, &verdict);
    if (spec->kind == DR_CLOTH_FILE) note_mending(job, &verdict);
    if (spec->kind != DR_CLOTH_FILE || spec->rest != DR_CLOTH_REST_TEXTURE) return DR_STATUS_OK;
    status = take_texture(job, sheet);
    if (status == DR_STATUS_OK) note_surface(sheet);
    return status;
}

// ---- bending

// The angle from the first edge of a triangle to its warp.
static double warp_angle(const dr_sheet *sheet, size_t t)
{
    const uint32_t *corner = sheet->triangles + 3 * t;
    const double *x = sheet->position + 3 * (size_t)corner[0], *warp = sheet->warp + 3 * t;
    double e1[3], e2[3], n[3], side[3];
    if (sheet->flat)
        return -atan2(sheet->flat[6 * t + 3] - sheet->flat[6 * t + 1], sheet->flat[6 * t + 2] - sheet->flat[6 * t]);
    dr_vec3_sub(e1, sheet->position + 3 * (size_t)corner[1], x);
    dr_vec3_sub(e2, sheet->position + 3 * (size_t)corner[2], x);
    dr_vec3_cross(n, e1, e2);
    dr_vec3_normalize(n, n, n);
    dr_vec3_cross(side, n, e1);
    return atan2(dr_vec3_dot(warp, side), dr_vec3_dot(warp, e1));
}

static void set_rigidity(const making *job, const dr_sheet *sheet, double *stiffness)
{
    const dr_material_spec *material = job->material;
    double nu = material->poisson_ratio, t = job->thickness,
           soft = pow(material->volume_fraction, material->stress_power);
    double ratio = material->weft_modulus > 0.0 ? material->weft_modulus / material->youngs_modulus : 1.0;
    double plate = soft * material->youngs_modulus * t * t * t / (12.0 * (1.0 - nu * nu));
    double warp = material->bending_rigidity > 0.0 ? material->bending_rigidity : plate;
    double weft = material->weft_rigidity > 0.0 ? material->weft_rigidity : ratio * warp, mean = sqrt(warp * weft);
    for (size_t i = 0; i < sheet->triangle_count; i++)
        dr_bending_threads(warp, weft, nu * mean, 0.5 * (1.0 - nu) * mean, warp_angle(sheet, i), stiffness + 6 * i);
}

// Which hold every vertex of this cloth belongs to.
static int32_t *list_groups(const making *job, const dr_sheet *sheet, size_t first)
{
    const dr_thin *thin = &job->world->cloth.thin[DR_THIN_CLOTH];
    size_t count = (size_t)job->spec->layers * sheet->vertex_count;
    int32_t *group_of = dr_arena_alloc(job->arena, count * sizeof *group_of);
    for (size_t i = 0; i < count && group_of; i++) group_of[i] = -1;
    for (size_t i = 0; i < thin->hold_count && group_of; i++) {
        const dr_cloth_hold *hold = &thin->holds[i];
        if (hold->vertex >= first) group_of[hold->vertex - first] = hold->group;
    }
    return group_of;
}

// Layers bend each by itself.
static dr_status add_bending(making *job, const dr_sheet *sheet, size_t first)
{
    dr_world *world = job->world;
    dr_cloth_stage *stage = &world->cloth;
    if (job->spec->bending == DR_BENDING_NONE) return DR_STATUS_OK;
    double *stiffness = dr_arena_alloc(job->arena, 6 * sheet->triangle_count * sizeof *stiffness);
    const int32_t *group_of = list_groups(job, sheet, first);
    if (!stiffness || !group_of ||
        !dr_memory_reserve(world->allocator, (void **)&stage->bends, &stage->bend_capacity,
                           (size_t)(stage->bend_count + job->spec->layers), sizeof *stage->bends))
        return no_memory(job);
    set_rigidity(job, sheet, stiffness);
    dr_bending_sheet rest = {.vertex_count = sheet->vertex_count,
                             .triangle_count = sheet->triangle_count,
                             .triangle = sheet->triangles,
                             .rest = sheet->position,
                             .corner = sheet->flat,
                             .flat = sheet->flat != NULL,
                             .stiffness = stiffness,
                             .hinges = job->spec->bending == DR_BENDING_HINGES,
                             .products = dr_cloth_implicit_wanted(world)};
    for (int64_t layer = 0; layer < job->spec->layers; layer++) {
        dr_cloth_bend *bend = &stage->bends[stage->bend_count];
        *bend = (dr_cloth_bend){.first = first + (size_t)layer * sheet->vertex_count};
        stage->bend_count++;
        if (!dr_cloth_clamp_open(world, bend, &rest, group_of + (size_t)layer * sheet->vertex_count, job->arena))
            return no_memory(job);
    }
    return DR_STATUS_OK;
}

// ---- into the mesh

static void set_off(const making *job, const dr_sheet *sheet, size_t first)
{
    dr_manifold *m = &job->world->state.cloth;
    uint64_t key = dr_world_random_key(job->world, DR_KEY_CLOTH, job->body);
    for (size_t i = 0; i < (size_t)job->spec->layers * sheet->vertex_count; i++) {
        size_t v = first + i;
        if (job->held[i]) {
            for (size_t a = 0; a < 3; a++) m->velocity[3 * v + a] = 0.0F;
            continue;
        }
        uint64_t name = job->world->cloth.number[v];
        for (size_t a = 0; a < 3 && job->spec->disturb > 0.0; a++)
            m->position[3 * v + a] += job->spec->disturb * (2.0 * dr_random_unit(key, 3 * name + a) - 1.0);
    }
}

static void stack_direction(const dr_cloth_spec *spec, double out[3])
{
    static const double up[3] = {0, 1, 0};
    double rotation[9];
    dr_vec3_normalize(out, spec->kind == DR_CLOTH_FILE ? up : spec->axis, up);
    dr_rotation_euler(rotation, spec->rotate);
    dr_rotation_apply(out, rotation, out);
}

// Frames have the vertices in the order of the user.
static bool note_view(making *job, const dr_sheet *sheet, size_t first)
{
    dr_cloth_stage *stage = &job->world->cloth;
    size_t count = sheet->vertex_count, n = (size_t)job->spec->layers * count;
    if (!dr_memory_reserve(job->world->allocator, (void **)&stage->coordinates, &stage->coordinate_capacity,
                           2 * (first + n), sizeof *stage->coordinates) ||
        !dr_memory_reserve(job->world->allocator, (void **)&stage->number, &stage->number_capacity, first + n,
                           sizeof *stage->number))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t user = first + i / count * count + job->number[i % count];
        stage->number[first + i] = (uint32_t)user;
        for (size_t a = 0; a < 2; a++) stage->coordinates[2 * user + a] = (float)sheet->surface[2 * (i % count) + a];
    }
    return true;
}

// Vertices up to a cell inside a collider are put on its surface as they move. What is deeper inside, and not held,
// would tear the sheet apart.
static dr_status check_colliders(making *job, const dr_sheet *sheet, size_t first)
{
    const dr_collider_set *colliders = job->world->constants.colliders;
    const double *x = job->world->state.cloth.position + 3 * first;
    size_t count = (size_t)job->spec->layers * sheet->vertex_count, inside = 0;
    double cell = dr_scene_view(job->scene)->domain.cell, deepest = 0.0;
    for (size_t i = 0; i < count && dr_collider_set_count(colliders) > 0; i++) {
        double normal[3], depth = job->held[i] ? 0.0 : -dr_collider_set_distance(colliders, x + 3 * i, normal, NULL);
        if (!(depth > cell)) continue;
        inside++;
        deepest = fmax(deepest, depth);
    }
    if (inside == 0) return DR_STATUS_OK;
    dr_scene_error(job->scene, &job->spec->kind, job->spec, job->error,
                   "cloth \"%s\": %zu of %zu vertices are more than a cell inside a collider, up to %.3g cm",
                   job->spec->name, inside, count, deepest);
    dr_error_hint(job->error, "move the cloth or the collider; only vertices that are held may be so deep inside");
    return DR_STATUS_BAD_SCENE;
}

// Which of a sheet's vertices, or of its triangles by their middles, come one after the other by the blocks of the grid
// that they are in. NULL when memory is out.
static const dr_sort_item *order_by_block(const making *job, const dr_sheet *sheet, bool triangles)
{
    size_t count = triangles ? sheet->triangle_count : sheet->vertex_count, corners = triangles ? 3 : 1;
    dr_sort_item *item = dr_arena_alloc(job->arena, count * sizeof *item);
    dr_sort_item *spare = dr_arena_alloc(job->arena, count * sizeof *spare);
    for (size_t i = 0; i < count && item && spare; i++) {
        double middle[3] = {0};
        float offset[3];
        for (size_t k = 0; k < corners; k++) {
            size_t v = triangles ? sheet->triangles[3 * i + k] : i;
            dr_vec3_add_scaled(middle, middle, 1.0 / (double)corners, sheet->position + 3 * v);
        }
        item[i].value = (uint32_t)i;
        dr_grid_place(&job->world->grid, middle, &item[i].key, offset);
    }
    if (!item || !spare) return NULL;
    dr_sort_items(item, spare, count);
    return item;
}

static bool take_order(making *job, void **data, size_t bytes, const dr_sort_item *order, size_t count)
{
    char *fresh = dr_arena_alloc(job->arena, count * bytes + 1);
    for (size_t i = 0; i < count && fresh; i++)
        memcpy(fresh + bytes * i, (char *)*data + bytes * order[i].value, bytes);
    *data = fresh;
    return fresh != NULL;
}

// Vertices and triangles of a block lie together in memory, and what is near in the sheet stays near however it moves.
static bool order_sheet(making *job, dr_sheet *sheet)
{
    size_t vertices = sheet->vertex_count, triangles = sheet->triangle_count;
    const dr_sort_item *of = order_by_block(job, sheet, true), *from = order_by_block(job, sheet, false);
    uint32_t *number = dr_arena_alloc(job->arena, vertices * sizeof *number);
    uint32_t *rank = dr_arena_alloc(job->arena, vertices * sizeof *rank);
    if (!of || !from || !number || !rank ||
        !take_order(job, (void **)&sheet->position, 3 * sizeof *sheet->position, from, vertices) ||
        !take_order(job, (void **)&sheet->surface, 2 * sizeof *sheet->surface, from, vertices) ||
        !take_order(job, (void **)&job->boundary, sizeof *job->boundary, from, vertices) ||
        !take_order(job, (void **)&sheet->warp, 3 * sizeof *sheet->warp, of, triangles) ||
        (sheet->flat && !take_order(job, (void **)&sheet->flat, 6 * sizeof *sheet->flat, of, triangles)) ||
        !take_order(job, (void **)&sheet->triangles, 3 * sizeof *sheet->triangles, of, triangles))
        return false;
    for (size_t v = 0; v < vertices; v++) {
        number[v] = from[v].value;
        rank[from[v].value] = (uint32_t)v;
    }
    for (size_t i = 0; i < 3 * triangles; i++) sheet->triangles[i] = rank[sheet->triangles[i]];
    job->number = number;
    return true;
}

static dr_status hold_vertices(making *job, const dr_sheet *sheet, size_t first)
{
    const dr_cloth_spec *spec = job->spec;
    return dr_cloth_group_find(job->world, &(dr_cloth_holding){.scene = job->scene,
                                                               .arena = job->arena,
                                                               .error = job->error,
                                                               .noun = "cloth",
                                                               .name = spec->name,
                                                               .groups = &spec->groups,
                                                               .holds = &spec->holds,
                                                               .thin = &job->world->cloth.thin[DR_THIN_CLOTH],
                                                               .position = job->world->state.cloth.position,
                                                               .first = first,
                                                               .count = sheet->vertex_count,
                                                               .layers = (size_t)spec->layers,
                                                               .spacing = edge_of(job),
                                                               .held = job->held,
                                                               .cloth = spec,
                                                               .surface = sheet->surface,
                                                               .boundary = job->boundary,
                                                               .number = job->number});
}

static dr_status add_sheet(making *job, dr_sheet *sheet)
{
    dr_manifold *m = &job->world->state.cloth;
    const dr_cloth_spec *spec = job->spec;
    size_t layers = (size_t)spec->layers, first = m->vertices;
    double spacing = spec->spacing > 0.0 ? spec->spacing : dr_scene_view(job->scene)->domain.cell, up[3];
    job->held = dr_arena_alloc(job->arena, layers * sheet->vertex_count + 1);
    if (!job->held || !order_sheet(job, sheet) ||
        !dr_manifold_reserve(m, job->world->allocator, first + layers * sheet->vertex_count,
                             m->elements + layers * sheet->triangle_count) ||
        !note_view(job, sheet, first))
        return no_memory(job);
    stack_direction(spec, up);
    dr_thin_entry *entry = &job->world->cloth.thin[DR_THIN_CLOTH].entries[job->body];
    entry->vertex = first;
    entry->element = m->elements;
    for (size_t layer = 0; layer < layers; layer++) {
        uint32_t base = (uint32_t)m->vertices;
        for (size_t v = 0; v < sheet->vertex_count; v++) {
            double x[3];
            dr_vec3_add_scaled(x, sheet->position + 3 * v, spacing * (double)layer, up);
            dr_manifold_place(m, x, spec->velocity);
        }
        for (size_t t = 0; t < sheet->triangle_count; t++) {
            const uint32_t *from = sheet->triangles + 3 * t;
            const uint32_t corners[3] = {base + from[0], base + from[1], base + from[2]};
            if (sheet->flat)
                dr_manifold_add_flat(m, corners, sheet->flat + 6 * t, job->thickness, (uint32_t)job->body);
            else
                dr_manifold_add(m, corners, sheet->warp + 3 * t, job->thickness, (uint32_t)job->body);
        }
    }
    dr_status status = hold_vertices(job, sheet, first);
    if (status == DR_STATUS_OK) status = add_bending(job, sheet, first);
    if (status == DR_STATUS_OK) status = check_colliders(job, sheet, first);
    set_off(job, sheet, first);
    return status;
}

static dr_status make_cloth(making *job, dr_manifold_law *law)
{
    dr_sheet sheet;
    dr_status status = find_material(job);
    if (status != DR_STATUS_OK) return status;
    *law = sheet_law(job->material, job->thickness);
    forget_shear(law, any_rubs(dr_scene_view(job->scene)));
    status = take_sheet(job, &sheet);
    return status == DR_STATUS_OK ? add_sheet(job, &sheet) : status;
}

static dr_status check_kernel(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_transfer_spec *transfer = &dr_scene_view(scene)->transfer;
    if (world->constants.transfer.kernel != DR_KERNEL_LINEAR) return DR_STATUS_OK;
    dr_scene_error(scene, &transfer->kernel, transfer, error,
                   "transfer: a linear kernel cannot carry the contact of cloth: its gradient jumps between cells");
    dr_error_hint(error, "kernel: quadratic (the default) or cubic");
    return DR_STATUS_BAD_SCENE;
}

static bool open_entries(dr_world *world, int which, int count)
{
    dr_thin_entry *entries = dr_arena_alloc(&world->constants.arena, (size_t)count * sizeof *entries);
    world->cloth.thin[which].entries = entries;
    for (int i = 0; i < count && entries; i++) entries[i] = (dr_thin_entry){.name = ""};
    return entries != NULL;
}

static bool name_entry(dr_world *world, int which, int i, const char *name)
{
    if (!name) return true;
    name = dr_arena_copy(&world->constants.arena, name, strlen(name));
    world->cloth.thin[which].entries[i].name = name;
    return name != NULL;
}

static bool open_mends(dr_world *world, const dr_cloth_list *list)
{
    dr_cloth_stage *stage = &world->cloth;
    stage->mends = dr_arena_alloc(&world->constants.arena, (size_t)list->count * sizeof *stage->mends);
    for (int i = 0; i < list->count && stage->mends; i++) stage->mends[i] = (dr_cloth_mend){0};
    return stage->mends != NULL;
}

static bool open_cloths(dr_world *world, const dr_cloth_list *list)
{
    bool ok = open_mends(world, list) && open_entries(world, DR_THIN_CLOTH, list->count);
    for (int i = 0; i < list->count && ok; i++) ok = name_entry(world, DR_THIN_CLOTH, i, list->items[i].name);
    return ok;
}

dr_status dr_cloth_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_cloth_list *list = &dr_scene_view(scene)->cloths;
    dr_manifold *m = &world->state.cloth;
    if (list->count == 0) return DR_STATUS_OK;
    dr_manifold_law *laws = dr_arena_alloc(&world->constants.arena, (size_t)list->count * sizeof *laws);
    if (!laws || !open_cloths(world, list)) return dr_error_memory(error, "making cloth");
    m->laws = laws;
    m->law_count = (size_t)list->count;
    m->corners = 3;
    world->cloth.thin[DR_THIN_CLOTH].mesh = m;
    dr_status status = check_kernel(world, scene, error);
    if (status == DR_STATUS_OK)
        status = dr_collider_set_drive(world->constants.colliders, 0.0 - world->constants.time.pre_roll, error);
    for (int i = 0; i < list->count && status == DR_STATUS_OK; i++) {
        dr_arena arena;
        dr_arena_open(&arena, world->allocator);
        making job = {
            .world = world, .scene = scene, .spec = &list->items[i], .body = i, .arena = &arena, .error = error};
        status = make_cloth(&job, &laws[i]);
        dr_arena_close(&arena);
    }
    return status == DR_STATUS_OK ? dr_cloth_join_yarn(world, scene, error) : status;
}

// ---- yarn

dr_status dr_cloth_open_yarn(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_manifold *m = &world->state.yarn;
    dr_manifold_law *laws = dr_arena_alloc(&world->constants.arena, (size_t)list->count * sizeof *laws);
    if (!laws || !open_entries(world, DR_THIN_YARN, list->count)) return dr_error_memory(error, "making yarn");
    for (int i = 0; i < list->count; i++) {
        if (!name_entry(world, DR_THIN_YARN, i, list->items[i].name)) return dr_error_memory(error, "making yarn");
        const dr_material_spec *material = dr_scene_material(scene, list->items[i].material);
        if (list->items[i].contact == DR_MEET_GRID && material) laws[i] = thread_law(material);
    }
    m->laws = laws;
    m->law_count = (size_t)list->count;
    m->corners = 2;
    world->cloth.thin[DR_THIN_YARN].mesh = m;
    return check_kernel(world, scene, error);
}

// Groups of the root and of the tip of every entry, two each, are made when its first curve comes.
static dr_status open_groups(dr_world *world, const dr_scene *scene, const dr_strands_spec *spec, int collider,
                             int *first, dr_error *error)
{
    dr_thin *thin = &world->cloth.thin[DR_THIN_YARN];
    *first = thin->group_count;
    dr_status status = dr_cloth_group_open(world, thin, scene, &spec->root_motion, collider, spec->root_until, error);
    if (status == DR_STATUS_OK)
        status = dr_cloth_group_open(world, thin, scene, &spec->tip_motion, -1, spec->tip_until, error);
    return status;
}

static int held_at(int hold)
{
    return hold == DR_HOLD_CLAMPED ? 2 : hold == DR_HOLD_PINNED ? 1 : 0;
}

static bool note_curve(dr_world *world, uint32_t body, size_t vertices)
{
    dr_cloth_stage *stage = &world->cloth;
    const dr_allocator *allocator = world->allocator;
    if (!dr_memory_reserve(allocator, (void **)&stage->curves, &stage->curve_capacity, stage->curve_count + 2,
                           sizeof *stage->curves) ||
        !dr_memory_reserve(allocator, (void **)&stage->curve_body, &stage->curve_body_capacity, stage->curve_count + 1,
                           sizeof *stage->curve_body) ||
        !dr_memory_reserve(allocator, (void **)&stage->radius, &stage->radius_capacity, vertices,
                           sizeof *stage->radius))
        return false;
    if (stage->curve_count == 0) stage->curves[0] = 0;
    stage->curve_body[stage->curve_count++] = body;
    stage->curves[stage->curve_count] = (uint32_t)vertices;
    return true;
}

// Sag-free yarn bears what hangs on it as it is drawn: its last segment, edge v of the rod, is shorter at rest, so that
// k A s (s - 1) is the tension that the rod found, s its length over that at rest.
static void bear_weight(dr_manifold *m, const struct dr_strands *rod, size_t v, double section)
{
    size_t e = m->elements - 1;
    double length = 1.0 / (double)m->rest[4 * e], tension = rod->stretch[v] * (length - rod->rest_length[v]);
    double share = tension / (m->laws[m->body[e]].thread.stretch * section);
    if (share > -0.25) m->rest[4 * e] = (float)(0.5 * (1.0 + sqrt(1.0 + 4.0 * share)) / length);
}

dr_status dr_cloth_add_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_error *error)
{
    dr_manifold *m = &world->state.yarn;
    dr_thin *thin = &world->cloth.thin[DR_THIN_YARN];
    const dr_strands_spec *spec = yarn->spec;
    size_t count = yarn->count, first = m->vertices, root = (size_t)held_at(spec->root),
           tip = (size_t)held_at(spec->tip);
    int group = thin->group_count - 2;
    dr_status status = DR_STATUS_OK;
    if (yarn->begins) status = open_groups(world, scene, spec, yarn->collider, &group, error);
    if (status != DR_STATUS_OK) return status;
    if (!dr_manifold_reserve(m, world->allocator, first + count, m->elements + count - 1) ||
        !note_curve(world, (uint32_t)yarn->body, first + count) ||
        !dr_rods_add(&world->state.rods, world->allocator, yarn->rod, 0))
        return dr_error_memory(error, "making yarn");
    for (size_t i = 0; i < count; i++) {
        static const double still[3] = {0};
        bool held = i < root || i + tip >= count;
        const double *radius = yarn->rod->radius + 2 * i; // of the edge that starts there
        world->cloth.radius[first + i] = (float)(radius[0] == radius[1] ? radius[0] : sqrt(radius[0] * radius[1]));
        dr_manifold_place(m, yarn->points + 3 * i, held ? still : spec->velocity);
        if (held && !dr_cloth_group_hold(world, thin, (uint32_t)(first + i), group + (i < root ? 0 : 1)))
            return dr_error_memory(error, "making yarn");
        if (held) {
            thin->holds[thin->hold_count - 1].curve = (uint32_t)(world->cloth.curve_count - 1);
            thin->holds[thin->hold_count - 1].turns = yarn->rod->held[i] & DR_STRAND_TURN_HELD;
        }
        if (i == 0) continue;
        const uint32_t ends[2] = {(uint32_t)(first + i - 1), (uint32_t)(first + i)};
        double section = DR_PI * radius[-2] * radius[-1];
        dr_manifold_add(m, ends, NULL, section, (uint32_t)yarn->body);
        if (spec->sag_free) bear_weight(m, yarn->rod, i - 1, section);
    }
    return DR_STATUS_OK;
}

static dr_status hold_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_arena *arena, uint8_t *held,
                           dr_error *error)
{
    const dr_manifold *m = &world->state.yarn;
    const dr_strands_spec *spec = yarn->spec;
    const dr_thin *thin = &world->cloth.thin[DR_THIN_YARN];
    for (size_t i = 0; i < thin->hold_count; i++) {
        if (thin->holds[i].vertex >= yarn->first) held[thin->holds[i].vertex - yarn->first] = 1;
    }
    return dr_cloth_group_find(world, &(dr_cloth_holding){.scene = scene,
                                                          .arena = arena,
                                                          .error = error,
                                                          .noun = "strands",
                                                          .name = spec->name,
                                                          .groups = &spec->groups,
                                                          .holds = &spec->holds,
                                                          .thin = &world->cloth.thin[DR_THIN_YARN],
                                                          .position = m->position,
                                                          .first = yarn->first,
                                                          .count = m->vertices - yarn->first,
                                                          .layers = 1,
                                                          .spacing = dr_scene_view(scene)->domain.cell,
                                                          .held = held});
}

dr_status dr_cloth_end_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_error *error)
{
    dr_manifold *m = &world->state.yarn;
    const dr_strands_spec *spec = yarn->spec;
    uint64_t key = dr_world_random_key(world, DR_KEY_DISTURBANCE, yarn->body);
    dr_arena arena;
    dr_arena_open(&arena, world->allocator);
    uint8_t *held = dr_arena_alloc(&arena, m->vertices - yarn->first + 1);
    dr_status status =
        held ? hold_yarn(world, scene, yarn, &arena, held, error) : dr_error_memory(error, "making yarn");
    for (size_t v = yarn->first; v < m->vertices && status == DR_STATUS_OK; v++) {
        for (size_t a = 0; a < 3 && held[v - yarn->first]; a++) m->velocity[3 * v + a] = 0.0F;
        for (size_t a = 0; a < 3 && !held[v - yarn->first] && spec->disturb > 0.0; a++)
            m->position[3 * v + a] += spec->disturb * (2.0 * dr_random_unit(key, 3 * v + a) - 1.0);
    }
    dr_arena_close(&arena);
    return status;
}

// ---- how much memory they will take

#define VERTEX_BYTES  420.0
#define ELEMENT_BYTES 520.0

dr_cloth_forecast dr_cloth_foresee(const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_cloth_forecast sum = {0};
    for (int i = 0; i < spec->cloths.count; i++) {
        const dr_cloth_spec *cloth = &spec->cloths.items[i];
        const dr_mesh_asset *asset =
            cloth->kind == DR_CLOTH_FILE && cloth->file ? dr_scene_mesh(scene, cloth->file) : NULL;
        double triangles = asset ? (double)asset->triangle_count : 0.0;
        if (cloth->kind != DR_CLOTH_FILE) {
            dr_sheet_rule rule = rule_of(cloth, cloth->edge > 0.0 ? cloth->edge : spec->domain.cell);
            triangles = dr_sheet_size(&rule);
        }
        sum.triangles += (double)cloth->layers * triangles;
        sum.vertices += (double)cloth->layers * (asset ? (double)asset->vertex_count : 0.5 * triangles);
    }
    sum.bytes = VERTEX_BYTES * sum.vertices + ELEMENT_BYTES * sum.triangles;
    return sum;
}
