// The scene object: its memory, where its values were written, and what its names stand for.
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dr_status dr_scene_create(const dr_allocator *allocator, dr_scene **scene, dr_error *error)
{
    if (!allocator) allocator = dr_allocator_default();
    *scene = NULL;
    dr_scene *fresh = dr_memory_alloc(allocator, sizeof *fresh);
    if (!fresh) return dr_error_memory(error, "making a scene");
    fresh->allocator = allocator;
    fresh->name = "scene";
    dr_arena_open(&fresh->arena, allocator);
    dr_table_defaults(dr_scene_table(), &fresh->spec);
    *scene = fresh;
    return DR_STATUS_OK;
}

void dr_scene_destroy(dr_scene *scene)
{
    if (!scene) return;
    const dr_scene_assets *assets = &scene->assets;
    dr_memory_free(scene->allocator, assets->meshes, assets->mesh_capacity * sizeof *assets->meshes);
    dr_memory_free(scene->allocator, assets->paths, assets->path_capacity * sizeof *assets->paths);
    dr_memory_free(scene->allocator, assets->sequences, assets->sequence_capacity * sizeof *assets->sequences);
    dr_memory_free(scene->allocator, assets->curves, assets->curves_capacity * sizeof *assets->curves);
    dr_memory_free(scene->allocator, scene->origins, scene->origin_capacity * sizeof *scene->origins);
    dr_memory_free(scene->allocator, scene->growths, scene->growth_capacity * sizeof *scene->growths);
    dr_arena_close(&scene->arena);
    dr_memory_free(scene->allocator, scene, sizeof *scene);
}

dr_scene_spec *dr_scene_edit(dr_scene *scene)
{
    return &scene->spec;
}
const dr_scene_spec *dr_scene_view(const dr_scene *scene)
{
    return &scene->spec;
}
const char *dr_scene_name(const dr_scene *scene)
{
    return scene->name;
}
void *dr_scene_take(dr_scene *scene, size_t bytes)
{
    return dr_arena_alloc(&scene->arena, bytes);
}

// ---- where values were written

bool dr_scene_note(dr_scene *scene, dr_origin origin)
{
    size_t count = scene->origin_count + 1;
    if (count > scene->origin_capacity && count < 64) count = 64;
    if (!dr_memory_reserve(scene->allocator, (void **)&scene->origins, &scene->origin_capacity, count,
                           sizeof *scene->origins)) {
        return false;
    }
    scene->origins[scene->origin_count++] = origin;
    return true;
}

const dr_origin *dr_scene_origin(const dr_scene *scene, const void *address, bool whole)
{
    const dr_origin *other = NULL;
    for (size_t i = scene->origin_count; address && i-- > 0;) {
        const dr_origin *origin = &scene->origins[i];
        if (origin->address != address) continue;
        if (origin->whole == whole) return origin;
        if (!other) other = origin;
    }
    return other;
}

dr_status dr_scene_error(const dr_scene *scene, const void *address, const void *owner, dr_error *error,
                         const char *format, ...)
{
    const dr_origin *origin = dr_scene_origin(scene, address, false);
    if (!origin) origin = dr_scene_origin(scene, owner, true);
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!origin) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: %s", scene->name, message);
    if (origin->place) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: %s", origin->place, message);
    return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s:%d:%d: %s", scene->name, origin->line, origin->column, message);
}

// ---- what names stand for

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

const dr_material_spec *dr_scene_preset(const dr_scene *scene, const char *name, int count)
{
    for (int i = count; i-- > 0;) {
        if (same(scene->spec.materials.items[i].name, name)) return &scene->spec.materials.items[i];
    }
    return name ? dr_material_find(name) : NULL;
}

const dr_material_spec *dr_scene_material(const dr_scene *scene, const char *name)
{
    return dr_scene_preset(scene, name, scene->spec.materials.count);
}

const dr_shape_spec *dr_scene_region(const dr_scene *scene, const char *name)
{
    const dr_region_list *regions = &scene->spec.regions;
    for (int i = 0; i < regions->count; i++) {
        if (same(regions->items[i].name, name)) return &regions->items[i].shape;
    }
    return NULL;
}

const dr_mesh_asset *dr_scene_mesh(const dr_scene *scene, const char *file)
{
    for (size_t i = 0; i < scene->assets.mesh_count; i++) {
        if (same(scene->assets.meshes[i].file, file)) return &scene->assets.meshes[i];
    }
    return NULL;
}

const dr_path_asset *dr_scene_path(const dr_scene *scene, const char *file)
{
    for (size_t i = 0; i < scene->assets.path_count; i++) {
        if (same(scene->assets.paths[i].file, file)) return &scene->assets.paths[i];
    }
    return NULL;
}

const dr_sequence_asset *dr_scene_sequence(const dr_scene *scene, const char *file)
{
    for (size_t i = 0; i < scene->assets.sequence_count; i++) {
        if (same(scene->assets.sequences[i].file, file)) return &scene->assets.sequences[i];
    }
    return NULL;
}

const dr_curve_asset *dr_scene_curves(const dr_scene *scene, const char *file)
{
    for (size_t i = 0; i < scene->assets.curves_count; i++) {
        if (same(scene->assets.curves[i].file, file)) return &scene->assets.curves[i];
    }
    return NULL;
}
