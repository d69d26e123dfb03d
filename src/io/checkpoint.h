// Checkpoints: the state of a world and where the run stood, from which it goes on with the same bits.
//
// A checkpoint is an HDF5 file behind a header of 512 bytes of text (h5dump and h5py step over it) that holds the
// length and a hash of all that follows: damage anywhere is noticed before a byte is believed. The one before stays
// beside it.
#ifndef DR_IO_CHECKPOINT_H
#define DR_IO_CHECKPOINT_H

#include "base/error.h"
#include "drench/world.h"

// Where a run stood, and what it came to so far.
typedef struct dr_run_state {
    uint64_t scene_hash;
    int64_t next_output; // the first output not written yet, and so the number of those that are
    int64_t stats_bytes; // of stats.jsonl that belong to the steps made
    int64_t rejected;
    int64_t warnings;
    int64_t peak_particles, peak_resident_bytes;
    double seconds, cpu_seconds;
    double stage_seconds[DR_STAGE_COUNT];
} dr_run_state;

// Writes checkpoint.h5; the one before becomes checkpoint.old.h5.
dr_status dr_checkpoint_write(const char *folder, const dr_world *world, const dr_run_state *state,
                              const dr_allocator *allocator, dr_error *error);

// Restores the newest checkpoint that is whole. *found is false, and nothing is touched, where there is none at all. A
// damaged one that was passed over is told in `passed` (empty where there was none).
dr_status dr_checkpoint_read(const char *folder, dr_world *world, dr_run_state *state, const dr_allocator *allocator,
                             bool *found, dr_error *passed, dr_error *error);

// What a checkpoint says of itself, once it was found whole.
typedef struct dr_checkpoint_note {
    int64_t step, next_output;
    double time;
    char version[32];
} dr_checkpoint_note;

dr_status dr_checkpoint_inspect(const char *path, const dr_allocator *allocator, dr_checkpoint_note *note,
                                dr_error *error);

#endif
