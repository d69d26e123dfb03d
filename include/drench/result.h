// A result folder: the scene as run, statistics, frames, a checkpoint; and the loop that fills it.
//
//     scene.yaml      the resolved scene, every value written out
//     run.json        version, scene hash, seed, command, when
//     stats.jsonl     one line per step, or per so many as output.stats_every says
//     frames/         frame_000001.h5 ..., samples between frames as frame_000001_s1.h5
//     checkpoint.h5   the last state from which the run can go on with the same bits
//     report.json     at the end
//
// Files appear whole or not at all. One run at a time may write a folder.
#ifndef DRENCH_RESULT_H
#define DRENCH_RESULT_H

#include "drench/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a run tells while it goes.
typedef struct dr_progress {
    int64_t frame, first_frame, last_frame; // numbers as the artist counts
    int64_t frames_done, frames_total;      // in this scene, pre-roll not counted
    bool frame_written;                     // this call follows a frame, not only a step
    double time, until;                     // simulated seconds
    double seconds, seconds_left;           // wall clock, seconds_left < 0 while unknown
    int64_t rejected;                       // tries thrown away since the frame before
    const char *rejected_because;           // what was wrong with the last of them, NULL: none was
    const dr_report *report;
} dr_progress;

typedef struct dr_run_options {
    const char *folder;       // NULL: nothing is written
    int threads;              // 0: as many as the machine has or OMP_NUM_THREADS says
    int64_t frames;           // < 0: as the scene says
    double until;             // < 0: as the scene says; else the first output time not before it
    bool resume;              // go on from the folder's checkpoint
    bool overwrite;           // throw away the results that the folder holds
    const char *command;      // for run.json, may be NULL
    const volatile int *stop; // becomes non-zero: end after the step, with a checkpoint
    void (*progress)(void *user, const dr_progress *progress); // after every step, may be NULL
    void (*observe)(void *user, const dr_frame *frame);        // at every output time, may be NULL
    void (*notice)(void *user, const char *text);              // a line worth telling, may be NULL
    void *user;
    const dr_allocator *allocator;
} dr_run_options;

// What a run came to.
typedef struct dr_run_summary {
    int64_t steps, frames;
    int64_t rejected;
    double time;
    double seconds, cpu_seconds;
    uint64_t state_hash;
    uint64_t peak_particles, peak_resident_bytes;
    bool resumed, complete;
} dr_run_summary;

DR_API void dr_run_options_default(dr_run_options *options);

// Runs a scene. DR_STATUS_INTERRUPTED after a stop (checkpoint written); summary may be NULL. To resume what is already
// complete is no failure: the summary says complete and nothing is changed. HDF5 serves one thread at a time: of the
// runs that go on in one process at once only one may have a folder.
DR_API dr_status dr_run(const dr_scene *scene, const dr_run_options *options, dr_run_summary *summary, dr_error *error);

// ---- looking into a result folder

typedef struct dr_result dr_result;

// Opens a folder of results to read, also while a run is still writing it. On failure *result is NULL.
DR_API dr_status dr_result_open(const char *folder, const dr_allocator *allocator, dr_result **result, dr_error *error);
DR_API void dr_result_close(dr_result *result); // NULL is fine

// Looks again for frames; those that were there keep their order, new ones follow.
DR_API dr_status dr_result_refresh(dr_result *result, dr_error *error);

// The scene as run, in scene.yaml. It lives as long as the result.
DR_API const dr_scene *dr_result_scene(const dr_result *result);

// Frames on disk in order of time, samples between frames among them.
DR_API size_t dr_result_frame_count(const dr_result *result);
DR_API void dr_result_frame_label(const dr_result *result, size_t index, int64_t *number, int64_t *sample);

// Where a frame's file is. False where it does not fit into the room.
DR_API bool dr_result_frame_path(const dr_result *result, size_t index, char *path, size_t room);

// Reads a frame with all its parts and arrays; freed by dr_result_release, before or after the result is closed. HDF5
// serves one thread at a time, so one call at a time. A damaged or half-written file is an ordinary error.
DR_API dr_status dr_result_read(const dr_result *result, size_t index, const dr_frame **frame, dr_error *error);
DR_API void dr_result_release(const dr_frame *frame); // NULL is fine

// Reads every frame in turn: *whole is how many are as they were written, and each other one is an error of its own.
DR_API dr_status dr_result_verify(const dr_result *result, size_t *whole, dr_error *error);

// What a folder holds, for people: text of *length bytes, freed by free-like call below.
DR_API dr_status dr_result_describe(const char *folder, bool json, char **text, dr_error *error);
DR_API void dr_result_release_text(char *text);

#ifdef __cplusplus
}
#endif
#endif
