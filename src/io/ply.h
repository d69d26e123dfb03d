// Triangle meshes and curves from PLY, text or binary, any property types and order; elements that are not asked for
// are skipped.
#ifndef DR_IO_PLY_H
#define DR_IO_PLY_H

#include "scene/scene.h"

// As dr_obj_parse. In binary files messages name the byte offset.
dr_status dr_ply_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                       dr_error *error);

// Curves: edges (vertex1, vertex2) in the order of the lines, or, where there are none, vertices that follow each other
// with the same number in a property "curve", "strand" or "segment". Vertices may have a radius ("radius", "ra") and
// colours (red, green, blue).
dr_status dr_ply_parse_curves(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                              dr_error *error);

#endif
