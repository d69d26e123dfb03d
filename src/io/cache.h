// Frames on disk: one HDF5 file each, a group per part, a dataset per array with its unit.
#ifndef DR_IO_CACHE_H
#define DR_IO_CACHE_H

#include "drench/frame.h"

// What every frame of a run has in common.
typedef struct dr_cache_stamp {
    uint64_t scene_hash;
    int64_t seed;
    int compression; // 0..9
    bool particles;  // parts of points are written
} dr_cache_stamp;

// Writes frames/<name of the frame> in a result folder, whole or not at all, under a seal (io/seal.h).
dr_status dr_cache_write(const char *folder, const dr_frame *frame, const dr_cache_stamp *stamp,
                         const dr_allocator *allocator, dr_error *error);

#endif
