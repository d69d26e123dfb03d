// Polygons to triangles, for the mesh readers.
#ifndef DR_IO_POLYGON_H
#define DR_IO_POLYGON_H

#include "scene/scene.h"

#define DR_NO_TEXTURE UINT32_MAX

// triangles has room for every polygon's corners less two; NULL only counts. So have texture and group, or are NULL.
typedef struct dr_polygons {
    uint32_t *triangles;
    uint32_t *texture; // [triangle][3] index of texture coordinates, DR_NO_TEXTURE: none
    uint32_t *group;   // [triangle]
    uint32_t in_group; // the next polygon's
    size_t count;      // triangles so far
    size_t corners;    // of the polygon begun last
    uint32_t first, previous;
    uint32_t first_texture, previous_texture;
} dr_polygons;

void dr_polygon_begin(dr_polygons *polygons);
void dr_polygon_add(dr_polygons *polygons, uint32_t corner, uint32_t texture); // a fan around the first corner

// Leaves out triangles without area and fills *mesh; none left is an error. coordinates are what texture means, [][2].
dr_status dr_polygon_finish(const dr_polygons *polygons, const double *vertices, size_t vertex_count,
                            const double *coordinates, dr_arena *arena, const char *name, dr_mesh_asset *mesh,
                            dr_error *error);

#endif
