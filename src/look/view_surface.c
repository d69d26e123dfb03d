#include "look/view_surface.h"

#include "base/memory.h"

#include <string.h>

static bool has_part(const dr_frame *frame, const char *name)
{
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, name) == 0 && frame->parts[i].point_count > 0) return true;
    }
    return false;
}

static dr_status build(dr_view_surface *surface, const dr_frame *source, const dr_scene *scene, dr_error *error)
{
    dr_surface_options options;
    dr_par par = dr_par_open(0);
    dr_surface_options_default(&options);
    options.scene = scene;
    if (scene) {
        const dr_liquid_look_spec *look = &dr_scene_view(scene)->look.liquid;
        options.smoothing = (float)look->smoothing;
        options.films = look->films;
        if (look->cell != DR_AUTO) options.cell = (float)look->cell;
    }
    return dr_surface_mesh_build(source, &options, &par, surface->allocator, &surface->mesh, error);
}

static void describe(dr_view_surface *surface)
{
    const dr_surface_mesh *mesh = &surface->mesh;
    dr_frame_array *arrays = surface->arrays;
    arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->position};
    arrays[1] = (dr_frame_array){"normal", "", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->normal};
    arrays[2] = (dr_frame_array){"velocity", "cm/s", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->velocity};
    static const uint32_t none[3] = {0};
    surface->parts[surface->part_count - 1] =
        (dr_frame_part){.name = DR_VIEW_SURFACE,
                        .kind = DR_FRAME_TRIANGLES,
                        .point_count = mesh->vertex_count,
                        .element_count = mesh->triangle_count,
                        .index = mesh->triangle_count ? (const uint32_t *)mesh->triangle : none,
                        .array_count = 3,
                        .arrays = arrays};
}

dr_status dr_view_surface_open(dr_view_surface *surface, const dr_frame *source, const dr_scene *scene, bool wanted,
                               const dr_allocator *allocator, dr_error *error)
{
    *surface = (dr_view_surface){.frame = *source, .allocator = allocator};
    if (!has_part(source, "liquid") || has_part(source, DR_VIEW_SURFACE)) return DR_STATUS_OK;
    surface->part_count = (size_t)source->part_count + 1;
    surface->parts = dr_memory_alloc(allocator, surface->part_count * sizeof *surface->parts);
    if (!surface->parts) return dr_error_memory(error, "sending a frame");
    memcpy(surface->parts, source->parts, (size_t)source->part_count * sizeof *surface->parts);
    dr_status status = wanted ? build(surface, source, scene, error) : DR_STATUS_OK;
    describe(surface);
    surface->frame.parts = surface->parts;
    surface->frame.part_count = (int)surface->part_count;
    return status;
}

void dr_view_surface_close(dr_view_surface *surface)
{
    dr_surface_mesh_free(&surface->mesh);
    dr_memory_free(surface->allocator, surface->parts, surface->part_count * sizeof *surface->parts);
    *surface = (dr_view_surface){0};
}
