// Triangle meshes and curves from OBJ text: v, vt, f, g and l; polygons become fans; everything else is passed over.
#ifndef DR_IO_OBJ_H
#define DR_IO_OBJ_H

#include "scene/scene.h"

// Fills *mesh (all but its file) with memory from the arena. Triangles without area are left out and counted. name
// stands for the file in messages. A mesh without triangles is an error.
dr_status dr_obj_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                       dr_error *error);

// Only the vertices, [count][3]; there may be no face.
dr_status dr_obj_parse_vertices(const char *data, size_t bytes, const char *name, dr_arena *arena, double **vertices,
                                size_t *count, dr_error *error);

// Curves from v and l. A line of two points that begins where the line before ended goes on with it, as programs write
// polylines edge by edge.
dr_status dr_obj_parse_curves(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                              dr_error *error);

#endif
