// Result folders as files that other programs open.
#ifndef DRENCH_EXPORT_H
#define DRENCH_EXPORT_H

#include "drench/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dr_export_progress {
    int64_t frames_done, frames_total;
    int64_t frame; // done last
    double seconds, seconds_left;
} dr_export_progress;

typedef struct dr_export_options {
    const char *folder;  // of the results
    const char *output;  // folder for the files, made where it is missing
    const char *program; // one of dr_export_program_name, whose units and axes are taken; NULL: none in particular
    const char *format;  // one of dr_export_format_name; NULL: what the program takes best
    int64_t first, last; // frames as the artist counts; first > last: all there are
    int64_t step;        // every step-th of them, 1 or more
    bool samples;        // samples between frames too
    const char *parts;   // "liquid,strands,surface"; NULL: every part of the frames that is not empty
    const char *unit;    // of length in the files: "m", "cm", "mm"; NULL: as the program or the format likes it
    char up;             // 'y' or 'z'; 0: as the program or the format likes it
    double cell; // cm, of the reconstructed surface; 0: as the scene's look says, else from the particles' sizes
    int threads; // 0: as many as the machine has or OMP_NUM_THREADS says; the bytes do not depend on it
    const volatile int *stop; // becomes non-zero: end with the files that are whole
    void (*progress)(void *user, const dr_export_progress *progress); // one thread at a time; may be NULL
    void (*notice)(void *user, const char *text);                     // a line worth telling, may be NULL
    void *user;
    const dr_allocator *allocator;
} dr_export_options;

typedef struct dr_export_summary {
    int64_t frames, samples; // samples: those between frames
    int64_t files;           // that are there now
    uint64_t bytes;          // of these
    double seconds;
    const char *format, *unit;
    char up;
} dr_export_summary;

// Formats by number: name and one line of what it is; NULL after the last.
DR_API const char *dr_export_format_name(int index);
DR_API const char *dr_export_format_text(int index);

// Programs that files can be meant for, by number: name, and how it opens them; NULL after the last.
DR_API const char *dr_export_program_name(int index);
DR_API const char *dr_export_program_text(int index);

DR_API void dr_export_options_default(dr_export_options *options);

// Every file appears whole or not at all. A folder that holds no results, a damaged frame, a part that is not there or
// a surface where there is no liquid is an error; files written before it stay. summary may be NULL.
DR_API dr_status dr_export(const dr_export_options *options, dr_export_summary *summary, dr_error *error);

#ifdef __cplusplus
}
#endif
#endif
