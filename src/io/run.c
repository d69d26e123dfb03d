// The loop that fills a result folder. Output k is at k / (frame_rate * samples) seconds, each from its own number, so
// that the steps, and with them every bit, are the same wherever a run stopped and went on.
#define _DEFAULT_SOURCE
#include "drench/result.h"

#include "base/clock.h"
#include "io/run_parts.h"

#include <math.h>
#include <unistd.h>

#define PACE_SECONDS   20.0 // over which the speed is averaged for the time left
#define PACE_LEAST     0.5  // before which it is not told
#define LARGEST_OUTPUT 1e12

void dr_run_options_default(dr_run_options *options)
{
    *options = (dr_run_options){.frames = -1, .until = -1.0};
}

// ---- output times

static int64_t first_output_from(const dr_run_job *r, double until)
{
    int64_t output = (int64_t)(until * r->spec->time.frame_rate * (double)dr_run_samples(r));
    while (output > 0 && dr_run_output_time(r, output - 1) >= until) output--;
    while (dr_run_output_time(r, output) < until) output++;
    return output;
}

static dr_status choose_end(dr_run_job *r, dr_error *error)
{
    const dr_run_options *options = r->options;
    double frames = (double)(options->frames >= 0 ? options->frames : r->spec->time.frames);
    double wanted = frames * (double)dr_run_samples(r);
    double reach = options->until >= 0.0 ? options->until * r->spec->time.frame_rate * (double)dr_run_samples(r) : 0.0;
    if (!(wanted < LARGEST_OUTPUT) || !(reach < LARGEST_OUTPUT) || isnan(options->until)) {
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "the run would have more than %g outputs", LARGEST_OUTPUT);
    }
    r->last_output = (int64_t)wanted;
    if (options->until < 0.0) return DR_STATUS_OK;
    int64_t output = first_output_from(r, options->until);
    if (options->frames < 0 || output < r->last_output) r->last_output = output;
    return DR_STATUS_OK;
}

// ---- telling

static double seconds_left(dr_run_job *r, double simulated)
{
    double now = dr_clock_now(), wall = now - r->pace_clock;
    double decay = exp(-wall / PACE_SECONDS);
    r->pace_clock = now;
    r->pace_simulated = r->pace_simulated * decay + simulated;
    r->pace_wall = r->pace_wall * decay + wall;
    double left = dr_run_output_time(r, r->last_output) - dr_world_time(r->world);
    if (left <= 0.0) return 0.0;
    return r->pace_wall < PACE_LEAST || r->pace_simulated <= 0.0 ? -1.0 : left * r->pace_wall / r->pace_simulated;
}

static void tell(dr_run_job *r, bool frame_written, double simulated)
{
    if (!r->options->progress) return;
    int64_t done = r->state.next_output > 0 ? r->state.next_output - 1 : 0;
    dr_progress progress = {
        .frame = dr_run_frame_number(r, done),
        .first_frame = r->spec->time.start_frame,
        .last_frame = dr_run_frame_number(r, r->last_output),
        .frames_done = done / dr_run_samples(r),
        .frames_total = r->last_output / dr_run_samples(r),
        .frame_written = frame_written,
        .time = dr_world_time(r->world),
        .until = dr_run_output_time(r, r->last_output),
        .seconds = dr_clock_now() - r->start,
        .seconds_left = seconds_left(r, simulated),
        .rejected = r->rejected,
        .rejected_because = r->rejected_because,
        .report = dr_world_report(r->world),
    };
    r->options->progress(r->options->user, &progress);
    if (!frame_written) return;
    r->rejected = 0;
    r->rejected_because = NULL;
}

// ---- the loop

static void update_clocks(dr_run_job *r)
{
    r->state.seconds = r->before_seconds + dr_clock_now() - r->start;
    r->state.cpu_seconds = r->before_cpu + dr_clock_cpu() - r->start_cpu;
}

static dr_status save(dr_run_job *r, dr_error *error)
{
    if (!r->options->folder) return DR_STATUS_OK;
    dr_status status = dr_stats_flush(&r->stats, true, error);
    if (status) return status;
    update_clocks(r);
    r->state.stats_bytes = r->stats.bytes;
    return dr_checkpoint_write(r->options->folder, r->world, &r->state, r->options->allocator, error);
}

static void add_up(dr_run_job *r, const dr_report *report)
{
    dr_run_state *state = &r->state;
    state->rejected += report->rejected;
    r->rejected += report->rejected;
    if (report->rejected) r->rejected_because = report->rejected_because;
    state->warnings += report->warning_count;
    if (report->particles > state->peak_particles) state->peak_particles = report->particles;
    int64_t resident = (int64_t)report->resident_bytes;
    if (resident > state->peak_resident_bytes) state->peak_resident_bytes = resident;
    for (int i = 0; i < DR_STAGE_COUNT; i++) state->stage_seconds[i] += report->stage_seconds[i];
}

// Those of the first step tell of the scene.
static void tell_warnings(const dr_run_job *r, const dr_report *report)
{
    for (int i = 0; i < report->warning_count; i++) dr_run_notice(r, report->warnings[i]);
}

static bool must_stop(const dr_run_job *r)
{
    return r->options->stop && *r->options->stop;
}

static dr_status reach(dr_run_job *r, double target, dr_error *error)
{
    while (dr_world_time(r->world) < target) {
        if (must_stop(r)) return DR_STATUS_INTERRUPTED;
        double before = dr_world_time(r->world);
        dr_status status = dr_world_step(r->world, target, error);
        if (status) return status;
        const dr_report *report = dr_world_report(r->world);
        add_up(r, report);
        if (report->step == 1) tell_warnings(r, report);
        if (report->step % r->spec->output.stats_every == 0) status = dr_stats_add(&r->stats, report, error);
        if (status) return status;
        tell(r, false, dr_world_time(r->world) - before);
    }
    return DR_STATUS_OK;
}

static dr_status put_out(dr_run_job *r, dr_error *error)
{
    int64_t output = r->state.next_output;
    dr_frame frame = {.number = (int)dr_run_frame_number(r, output), .sample = (int)(output % dr_run_samples(r))};
    dr_status status = DR_STATUS_OK;
    if (r->options->folder || r->options->observe) status = dr_world_view(r->world, &frame, error);
    if (!status && r->options->folder) {
        status = dr_cache_write(r->options->folder, &frame, &r->stamp, r->options->allocator, error);
        if (!status) status = dr_stats_flush(&r->stats, false, error);
    }
    if (status) return status;
    if (r->options->observe) r->options->observe(r->options->user, &frame);
    r->state.next_output++;
    if (output % dr_run_samples(r) == 0) tell(r, true, 0.0);
    return DR_STATUS_OK;
}

static bool checkpoint_is_due(const dr_run_job *r)
{
    int64_t every = r->spec->output.checkpoint_every, output = r->state.next_output - 1;
    if (every <= 0 || output == 0 || output >= r->last_output) return false;
    return output % dr_run_samples(r) == 0 && output / dr_run_samples(r) % every == 0;
}

static dr_status simulate(dr_run_job *r, dr_error *error)
{
    while (r->state.next_output <= r->last_output) {
        dr_status status = reach(r, dr_run_output_time(r, r->state.next_output), error);
        if (!status) status = put_out(r, error);
        if (!status && checkpoint_is_due(r)) status = save(r, error);
        if (status) return status;
    }
    return DR_STATUS_OK;
}

// ---- the end

// Keeps what can be kept. After a failure the first problem is the one to tell, so that others are passed over.
static dr_status conclude(dr_run_job *r, dr_status outcome, dr_error *error)
{
    dr_error quiet;
    dr_error_clear(&quiet);
    bool failed = outcome && outcome != DR_STATUS_INTERRUPTED;
    dr_error *later = failed ? &quiet : error;
    dr_status status = save(r, later);
    update_clocks(r);
    if (!status && r->options->folder) status = dr_run_write_report(r, outcome, error, later);
    return outcome && (failed || !status) ? outcome : status;
}

static void summarise(const dr_run_job *r, dr_status outcome, dr_run_summary *summary)
{
    *summary = (dr_run_summary){
        .steps = dr_world_step_count(r->world),
        .frames = r->state.next_output,
        .rejected = r->state.rejected,
        .time = dr_world_time(r->world),
        .seconds = r->state.seconds,
        .cpu_seconds = r->state.cpu_seconds,
        .state_hash = dr_world_hash(r->world),
        .peak_particles = (uint64_t)r->state.peak_particles,
        .peak_resident_bytes = (uint64_t)r->state.peak_resident_bytes,
        .resumed = r->resumed,
        .complete = outcome == DR_STATUS_OK,
    };
}

static void start_clocks(dr_run_job *r)
{
    r->before_seconds = r->state.seconds;
    r->before_cpu = r->state.cpu_seconds;
    r->start = r->pace_clock = dr_clock_now();
    r->start_cpu = dr_clock_cpu();
}

// A run that was complete before: nothing is changed, but a report that was lost to a kill is made up for.
static dr_status confirm(dr_run_job *r, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, r->options->folder, DR_RESULT_REPORT);
    return access(path, F_OK) == 0 ? DR_STATUS_OK : dr_run_write_report(r, DR_STATUS_OK, NULL, error);
}

static dr_status perform(dr_run_job *r, dr_error *error)
{
    dr_world_options options = {.threads = r->options->threads, .allocator = r->options->allocator};
    dr_status status = choose_end(r, error);
    if (!status) status = dr_scene_hash(r->scene, &r->stamp.scene_hash, error);
    if (!status) status = dr_world_create(r->scene, &options, &r->world, error);
    if (status) return status;
    r->state.scene_hash = r->stamp.scene_hash;
    if (r->options->folder) status = dr_run_open_folder(r, error);
    if (status) return status;
    start_clocks(r);
    if (dr_run_is_complete(r)) return confirm(r, error);
    return conclude(r, simulate(r, error), error);
}

dr_status dr_run(const dr_scene *scene, const dr_run_options *options, dr_run_summary *summary, dr_error *error)
{
    dr_run_options standard;
    dr_run_options_default(&standard);
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_run_job r = {
        .scene = scene, .spec = spec, .options = options ? options : &standard, .lock = -1, .stats.file = -1};
    r.stamp = (dr_cache_stamp){
        .seed = spec->seed, .compression = (int)spec->output.compression, .particles = spec->output.particles};
    dr_error_clear(error);
    if (summary) *summary = (dr_run_summary){0};
    dr_status status = perform(&r, error);
    if (summary && r.world) summarise(&r, status, summary);
    dr_stats_close(&r.stats);
    dr_world_destroy(r.world);
    dr_folder_unlock(r.lock);
    return status;
}
