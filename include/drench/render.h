// Pictures and movies of results, ray-traced as the scene's `look` says. docs/render.md.
#ifndef DRENCH_RENDER_H
#define DRENCH_RENDER_H

#include "drench/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dr_render_progress {
    int64_t frame; // at work
    int64_t frames_done, frames_total;
    double share;                 // of this frame that is done, 0..1
    double seconds, seconds_left; // wall clock, seconds_left < 0 while unknown
} dr_render_progress;

typedef struct dr_render_options {
    const char *folder; // of the results
    const char *output; // "a.png", "a.mp4" (.mkv, .mov, .webm, .gif), "a_%04d.png", or a folder: frame_000001.png ...
    const dr_scene *scene; // whose look counts; NULL: the one of the results
    int64_t first, last;   // frames as the artist counts; first > last: the last one for a picture, else all there are
    int64_t step;          // every step-th of them, 1 or more
    double frame_rate;     // of a movie; 0: as the scene says
    int threads;           // 0: as many as the machine has or OMP_NUM_THREADS says; the picture does not depend on it
    const volatile int *stop; // becomes non-zero: end with the pictures that are whole
    void (*progress)(void *user, const dr_render_progress *progress); // one thread at a time; may be NULL
    void *user;
    const dr_allocator *allocator;
} dr_render_options;

typedef struct dr_render_summary {
    int64_t frames;
    double seconds, cpu_seconds;
    uint64_t triangles, balls, segments; // of the last picture
} dr_render_summary;

DR_API void dr_render_options_default(dr_render_options *options);

// Draws frames of a result folder into files. Every picture appears whole or not at all; a movie that was stopped holds
// the frames drawn so far. DR_STATUS_INTERRUPTED after a stop, DR_STATUS_UNSUPPORTED where this build or this machine
// lacks what is needed (Embree, libpng, ffmpeg). summary may be NULL.
DR_API dr_status dr_render(const dr_render_options *options, dr_render_summary *summary, dr_error *error);

// Draws one frame from memory: look.height rows of look.width pixels from the top, three bytes each (red, green, blue).
// Of the options only threads, stop, progress, user and allocator count; they may be NULL.
DR_API dr_status dr_render_frame(const dr_scene *scene, const dr_frame *frame, const dr_render_options *options,
                                 uint8_t *pixels, dr_error *error);

#ifdef __cplusplus
}
#endif
#endif
