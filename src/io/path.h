// Paths of motion from text: lines "time x y z [qw qx qy qz]", parted by blanks or commas; # begins a comment.
#ifndef DR_IO_PATH_H
#define DR_IO_PATH_H

#include "scene/scene.h"

// Fills *path (all but its file) with memory from the arena. Times must rise; quaternions are made unit.
dr_status dr_path_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_path_asset *path,
                        dr_error *error);

#endif
