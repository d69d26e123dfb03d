// What the files of a run share: its state, and when its outputs are.
#ifndef DR_IO_RUN_PARTS_H
#define DR_IO_RUN_PARTS_H

#include "base/json.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/result.h"
#include "io/stats.h"
#include "scene/scene.h"

typedef struct dr_run_job {
    const dr_scene *scene;
    const dr_scene_spec *spec;
    const dr_run_options *options;
    dr_world *world;
    dr_run_state state;
    dr_stats stats;
    dr_cache_stamp stamp;
    int lock;
    bool resumed;
    int64_t last_output;
    double before_seconds, before_cpu; // of earlier sessions
    double start, start_cpu;
    double pace_simulated, pace_wall, pace_clock; // decaying sums
    int64_t rejected;                             // since the frame before
    const char *rejected_because;
} dr_run_job;

static inline int64_t dr_run_samples(const dr_run_job *r)
{
    return r->spec->time.samples > 0 ? r->spec->time.samples : 1;
}

static inline double dr_run_output_time(const dr_run_job *r, int64_t output)
{
    return (double)output / (r->spec->time.frame_rate * (double)dr_run_samples(r));
}

static inline int64_t dr_run_frame_number(const dr_run_job *r, int64_t output)
{
    return r->spec->time.start_frame + output / dr_run_samples(r);
}

static inline void dr_run_notice(const dr_run_job *r, const char *text)
{
    if (r->options->notice) r->options->notice(r->options->user, text);
}

// ---- the folder

// Makes or takes over the folder, and goes on from its checkpoint where that is asked for.
dr_status dr_run_open_folder(dr_run_job *r, dr_error *error);

// Nothing is left to do.
static inline bool dr_run_is_complete(const dr_run_job *r)
{
    return r->resumed && r->state.next_output > r->last_output;
}

// ---- scene.yaml, run.json and report.json

// The scene as the folder keeps it, to be released with dr_scene_release_text: the names of files hold wherever it
// lies.
dr_status dr_run_show_scene(const dr_run_job *r, char **text, size_t *length, dr_error *error);
dr_status dr_run_write_scene(const dr_run_job *r, dr_error *error);

// earlier: the sessions of the run.json that is replaced, none for a fresh run.
dr_status dr_run_write_run(const dr_run_job *r, dr_json_value earlier, dr_error *error);
dr_status dr_run_write_report(const dr_run_job *r, dr_status outcome, const dr_error *problem, dr_error *error);

#endif
