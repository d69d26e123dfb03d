// Point caches (PC2): the positions of a fixed number of vertices, sample after sample.
#ifndef DR_IO_PC2_H
#define DR_IO_PC2_H

#include "scene/scene.h"

// Fills *sequence (all but its file) with memory from the arena.
dr_status dr_pc2_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_sequence_asset *sequence,
                       dr_error *error);

#endif
