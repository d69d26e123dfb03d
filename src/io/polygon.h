// Polygons to triangles, for the mesh readers.
#ifndef DR_IO_POLYGON_H
#define DR_IO_POLYGON_H

#include "scene/scene.h"

// triangles has room for every polygon's corners less two; NULL only counts.
typedef struct dr_polygons {
    uint32_t *triangles;
    size_t count;   // triangles so far
    size_t corners; // of the polygon begun last
    uint32_t first, previous;
} dr_polygons;

void dr_polygon_begin(dr_polygons *polygons);
void dr_polygon_add(dr_polygons *polygons, uint32_t corner); // a fan around the first corner

// Leaves out triangles without area and fills *mesh; none left is an error.
dr_status dr_polygon_finish(const dr_polygons *polygons, const double *vertices, size_t vertex_count, const char *name,
                            dr_mesh_asset *mesh, dr_error *error);

#endif
