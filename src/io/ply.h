// Triangle meshes from PLY, text or binary, any property types and order; elements other than vertex and face are
// skipped.
#ifndef DR_IO_PLY_H
#define DR_IO_PLY_H

#include "scene/scene.h"

// As dr_obj_parse. In binary files messages name the byte offset.
dr_status dr_ply_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                       dr_error *error);

#endif
