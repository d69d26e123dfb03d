#include "io/polygon.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

void dr_polygon_begin(dr_polygons *polygons)
{
    polygons->corners = 0;
}

static void put_triangle(uint32_t *triangles, size_t at, uint32_t a, uint32_t b, uint32_t c)
{
    if (!triangles) return;
    triangles[3 * at] = a;
    triangles[3 * at + 1] = b;
    triangles[3 * at + 2] = c;
}

void dr_polygon_add(dr_polygons *polygons, uint32_t corner, uint32_t texture)
{
    if (polygons->corners == 0) {
        polygons->first = corner;
        polygons->first_texture = texture;
    }
    if (polygons->corners >= 2) {
        put_triangle(polygons->triangles, polygons->count, polygons->first, polygons->previous, corner);
        put_triangle(polygons->texture, polygons->count, polygons->first_texture, polygons->previous_texture, texture);
        if (polygons->group) polygons->group[polygons->count] = polygons->in_group;
        polygons->count++;
    }
    polygons->previous = corner;
    polygons->previous_texture = texture;
    polygons->corners++;
}

static bool has_area(const uint32_t corners[3], const double *vertices)
{
    double first[3], second[3], normal[3];
    const double *origin = vertices + 3 * (size_t)corners[0];
    dr_vec3_sub(first, vertices + 3 * (size_t)corners[1], origin);
    dr_vec3_sub(second, vertices + 3 * (size_t)corners[2], origin);
    dr_vec3_cross(normal, first, second);
    return normal[0] != 0.0 || normal[1] != 0.0 || normal[2] != 0.0;
}

// What the corners' texture coordinates are; none at all where no corner has any.
static bool look_up(const dr_polygons *polygons, size_t triangles, const double *coordinates, dr_arena *arena,
                    dr_mesh_asset *mesh)
{
    bool any = false;
    for (size_t i = 0; i < 3 * triangles && coordinates && polygons->texture; i++)
        any = any || polygons->texture[i] != DR_NO_TEXTURE;
    if (!any) return true;
    double *texture = dr_arena_alloc(arena, 6 * triangles * sizeof *texture);
    for (size_t i = 0; i < 6 * triangles && texture; i++) {
        size_t at = polygons->texture[i / 2];
        texture[i] = at == DR_NO_TEXTURE ? (double)NAN : coordinates[2 * at + i % 2];
    }
    mesh->texture = texture;
    return texture != NULL;
}

dr_status dr_polygon_finish(const dr_polygons *polygons, const double *vertices, size_t vertex_count,
                            const double *coordinates, dr_arena *arena, const char *name, dr_mesh_asset *mesh,
                            dr_error *error)
{
    uint32_t *triangles = polygons->triangles;
    size_t kept = 0;
    for (size_t t = 0; t < polygons->count; t++) {
        if (!has_area(triangles + 3 * t, vertices)) continue;
        memmove(triangles + 3 * kept, triangles + 3 * t, 3 * sizeof *triangles);
        if (polygons->texture) memmove(polygons->texture + 3 * kept, polygons->texture + 3 * t, 3 * sizeof *triangles);
        if (polygons->group) polygons->group[kept] = polygons->group[t];
        kept++;
    }
    if (kept == 0) {
        if (polygons->count == 0) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: holds no faces", name);
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: none of its %zu triangles has any area", name,
                            polygons->count);
    }
    mesh->vertex_count = vertex_count;
    mesh->vertices = vertices;
    mesh->triangle_count = kept;
    mesh->triangles = triangles;
    mesh->flat_count = polygons->count - kept;
    mesh->group = polygons->group;
    return look_up(polygons, kept, coordinates, arena, mesh) ? DR_STATUS_OK : dr_error_memory(error, "reading a mesh");
}
