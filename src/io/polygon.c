#include "io/polygon.h"

#include "math/vec.h"

#include <string.h>

void dr_polygon_begin(dr_polygons *polygons)
{
    polygons->corners = 0;
}

void dr_polygon_add(dr_polygons *polygons, uint32_t corner)
{
    if (polygons->corners == 0) polygons->first = corner;
    if (polygons->corners >= 2) {
        if (polygons->triangles) {
            uint32_t *triangle = polygons->triangles + 3 * polygons->count;
            triangle[0] = polygons->first;
            triangle[1] = polygons->previous;
            triangle[2] = corner;
        }
        polygons->count++;
    }
    polygons->previous = corner;
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

dr_status dr_polygon_finish(const dr_polygons *polygons, const double *vertices, size_t vertex_count, const char *name,
                            dr_mesh_asset *mesh, dr_error *error)
{
    uint32_t *triangles = polygons->triangles;
    size_t kept = 0;
    for (size_t t = 0; t < polygons->count; t++)
        if (has_area(triangles + 3 * t, vertices))
            memmove(triangles + 3 * kept++, triangles + 3 * t, 3 * sizeof *triangles);
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
    return DR_STATUS_OK;
}
