// Curves from .hair, .bcc, PLY and OBJ files, told apart by how they begin.
#ifndef DR_IO_CURVES_H
#define DR_IO_CURVES_H

#include "scene/scene.h"

// Fills *curves (all but its file) with memory from the arena. name stands for the file in messages. A file without
// curves is an error, and so is a curve of fewer than two points (three where it is closed).
dr_status dr_curves_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                          dr_error *error);

// One format each.
dr_status dr_hair_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                        dr_error *error);
dr_status dr_bcc_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                       dr_error *error);

#endif
