// The loop that fills a result folder. Output k is at k / (frame_rate * samples) seconds, each from its own number, so
// that the steps, and with them every bit, are the same wherever a run stopped and went on. What a checkpoint says is
// the truth: statistics and frames beyond it are cut off before anything new is written.
#define _DEFAULT_SOURCE
#include "drench/result.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "drench/version.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/stats.h"
#include "par/par.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PACE_SECONDS   20.0 // over which the speed is averaged for the time left
#define PACE_LEAST     0.5  // before which it is not told
#define LARGEST_OUTPUT 1e12

typedef struct run {
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
} run;

void dr_run_options_default(dr_run_options *options)
{
    *options = (dr_run_options){.frames = -1, .until = -1.0};
}

// ---- output times

static int64_t samples_of(const run *r)
{
    return r->spec->time.samples > 0 ? r->spec->time.samples : 1;
}

static double output_time(const run *r, int64_t output)
{
    return (double)output / (r->spec->time.frame_rate * (double)samples_of(r));
}

static int64_t number_of(const run *r, int64_t output)
{
    return r->spec->time.start_frame + output / samples_of(r);
}

static int64_t first_output_from(const run *r, double until)
{
    int64_t output = (int64_t)(until * r->spec->time.frame_rate * (double)samples_of(r));
    while (output > 0 && output_time(r, output - 1) >= until) output--;
    while (output_time(r, output) < until) output++;
    return output;
}

static dr_status choose_end(run *r, dr_error *error)
{
    const dr_run_options *options = r->options;
    double frames = (double)(options->frames >= 0 ? options->frames : r->spec->time.frames);
    double wanted = frames * (double)samples_of(r);
    double reach = options->until >= 0.0 ? options->until * r->spec->time.frame_rate * (double)samples_of(r) : 0.0;
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

static void notice(const run *r, const char *text)
{
    if (r->options->notice) r->options->notice(r->options->user, text);
}

static double seconds_left(run *r, double simulated)
{
    double now = dr_clock_now(), wall = now - r->pace_clock;
    double decay = exp(-wall / PACE_SECONDS);
    r->pace_clock = now;
    r->pace_simulated = r->pace_simulated * decay + simulated;
    r->pace_wall = r->pace_wall * decay + wall;
    double left = output_time(r, r->last_output) - dr_world_time(r->world);
    if (left <= 0.0) return 0.0;
    return r->pace_wall < PACE_LEAST || r->pace_simulated <= 0.0 ? -1.0 : left * r->pace_wall / r->pace_simulated;
}

static void tell(run *r, bool frame_written, double simulated)
{
    if (!r->options->progress) return;
    int64_t done = r->state.next_output > 0 ? r->state.next_output - 1 : 0;
    dr_progress progress = {
        .frame = number_of(r, done),
        .first_frame = r->spec->time.start_frame,
        .last_frame = number_of(r, r->last_output),
        .frames_done = done / samples_of(r),
        .frames_total = r->last_output / samples_of(r),
        .frame_written = frame_written,
        .time = dr_world_time(r->world),
        .until = output_time(r, r->last_output),
        .seconds = dr_clock_now() - r->start,
        .seconds_left = seconds_left(r, simulated),
        .report = dr_world_report(r->world),
    };
    r->options->progress(r->options->user, &progress);
}

// ---- scene.yaml and run.json

static dr_status write_text(const run *r, const char *name, const char *text, size_t length, dr_error *error)
{
    dr_piece piece = {text, length};
    return dr_folder_write(r->options->folder, name, NULL, &piece, 1, error);
}

static dr_status write_json(const run *r, const char *name, dr_text *text, dr_error *error)
{
    dr_text_put(text, "\n");
    dr_status status = text->failed ? dr_error_memory(error, "writing JSON")
                                    : write_text(r, name, dr_text_show(text), text->length, error);
    dr_text_close(text);
    return status;
}

// Where the scene's files are looked for, as a whole path with a slash behind it; empty where that cannot be told.
static void find_files(const run *r, char folder[DR_FOLDER_PATH])
{
    char name[DR_FOLDER_PATH], whole[PATH_MAX];
    snprintf(name, sizeof name, "%s", dr_scene_name(r->scene));
    char *slash = strrchr(name, '/');
    if (slash) slash[1] = 0;
    folder[0] = 0;
    if (realpath(slash ? name : ".", whole)) snprintf(folder, DR_FOLDER_PATH, "%.4000s/", whole);
}

// The scene as the folder keeps it: the names of files hold wherever it lies.
static dr_status show_scene(const run *r, char **text, size_t *length, dr_error *error)
{
    char folder[DR_FOLDER_PATH];
    find_files(r, folder);
    return dr_scene_write_text_from(r->scene, folder, text, length, error);
}

static dr_status write_scene(const run *r, dr_error *error)
{
    char *text = NULL;
    size_t length = 0;
    dr_status status = show_scene(r, &text, &length, error);
    if (status) return status;
    status = write_text(r, DR_RESULT_SCENE, text, length, error);
    dr_scene_release_text(r->scene, text, length);
    return status;
}

static void put_session(const run *r, dr_json *json)
{
    char date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    dr_json_object(json, NULL);
    dr_json_text(json, "date", date);
    dr_json_text(json, "command", r->options->command);
    dr_json_integer(json, "threads", dr_par_open(r->options->threads).threads);
    dr_json_integer(json, "from_step", dr_world_step_count(r->world));
    dr_json_end_object(json);
}

// {"yaml": true, ...} from lines of "name yes|no".
static void put_features(dr_json *json)
{
    dr_json_object(json, "features");
    for (const char *line = dr_version_features(); *line;) {
        char name[40] = "", value[8] = "";
        if (sscanf(line, "%39s %7s", name, value) == 2) dr_json_bool(json, name, strcmp(value, "yes") == 0);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    dr_json_end_object(json);
}

// earlier: the sessions of the run.json that is replaced, none for a fresh run.
static dr_status write_run(const run *r, dr_json_value earlier, dr_error *error)
{
    dr_text text;
    dr_json json;
    dr_text_open(&text, r->options->allocator);
    dr_json_open(&json, &text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "program", "drench");
    dr_json_text(&json, "version", dr_version());
    put_features(&json);
    dr_json_text(&json, "title", r->spec->title);
    dr_json_text(&json, "scene", dr_scene_name(r->scene));
    dr_json_hash(&json, "scene_hash", r->stamp.scene_hash);
    dr_json_integer(&json, "seed", r->spec->seed);
    dr_json_number(&json, "frame_rate", r->spec->time.frame_rate);
    dr_json_integer(&json, "start_frame", r->spec->time.start_frame);
    dr_json_integer(&json, "samples", samples_of(r));
    dr_json_integer(&json, "last_frame", number_of(r, r->last_output));
    dr_json_integer(&json, "outputs", r->last_output + 1);
    dr_json_list(&json, "sessions");
    dr_json_value cursor = {NULL, 0};
    for (dr_json_value item; (item = dr_json_next(earlier, &cursor)).data;) {
        dr_json_raw(&json, NULL, item.data, item.length);
    }
    put_session(r, &json);
    dr_json_end_list(&json);
    dr_json_end_object(&json);
    return write_json(r, DR_RESULT_RUN, &text, error);
}

// ---- the folder

static dr_status refuse_content(const char *folder, dr_error *error)
{
    bool results = dr_result_present(folder);
    dr_status status = dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: the folder %s", folder,
                                    results ? "already holds results" : "is not empty, and holds no results");
    dr_error_hint(error, results ? "go on with --resume, start again with --overwrite, or choose another with -o"
                                 : "choose another with -o");
    return status;
}

static dr_status take_folder(run *r, dr_error *error)
{
    const char *folder = r->options->folder;
    if (!dr_h5_available()) return dr_h5_unsupported(error);
    dr_status status = dr_folder_make(folder, error);
    if (!status) status = dr_folder_lock(folder, &r->lock, error);
    if (status) return status;
    bool results = dr_result_present(folder);
    if (r->options->overwrite && results) {
        status = dr_result_remove(folder, error);
    } else if (!dr_folder_is_empty(folder) && !(r->options->resume && results)) {
        status = refuse_content(folder, error);
    }
    char frames[DR_FOLDER_PATH];
    dr_folder_join(frames, folder, DR_RESULT_FRAMES);
    return status ? status : dr_folder_make(frames, error);
}

// Hints, one for each line of the text.
static void hint_lines(dr_error *error, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        dr_error_hint(error, "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
}

static void hint_difference(const dr_scene *earlier, const dr_scene *now, dr_error *error)
{
    char changes[1500] = "";
    int count = 0;
    dr_scene_difference(earlier, now, changes, sizeof changes, &count);
    hint_lines(error, count ? changes : "a file that the scene names (a mesh, a path) has changed");
}

static dr_scene *read_again(const run *r, const char *text, size_t length)
{
    dr_scene *scene = NULL;
    if (text) dr_scene_parse(text, length, dr_scene_name(r->scene), r->options->allocator, &scene, NULL);
    return scene;
}

// Both scenes are taken as the folder keeps them, so that names of files compare.
static dr_status explain_change(const run *r, dr_error *error)
{
    char path[DR_FOLDER_PATH], *before = NULL, *after = NULL;
    size_t before_length = 0, after_length = 0;
    dr_folder_join(path, r->options->folder, DR_RESULT_SCENE);
    dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: the scene is not the one this run was begun with",
                 r->options->folder);
    dr_folder_read(path, r->options->allocator, &before, &before_length, NULL);
    show_scene(r, &after, &after_length, NULL);
    dr_scene *earlier = read_again(r, before, before_length), *now = read_again(r, after, after_length);
    if (earlier && now) hint_difference(earlier, now, error);
    dr_scene_destroy(earlier);
    dr_scene_destroy(now);
    dr_memory_free(r->options->allocator, before, before_length + 1);
    if (after) dr_scene_release_text(r->scene, after, after_length);
    dr_error_hint(error, "run the scene as it was, start again with --overwrite, or choose another folder with -o");
    return DR_STATUS_BAD_SCENE;
}

static dr_status compare_scene(const run *r, dr_json_value whole, dr_error *error)
{
    uint64_t hash = 0;
    if (!dr_json_as_hash(dr_json_member(whole, "scene_hash"), &hash)) {
        dr_error_add(error, DR_STATUS_IO, "%s/%s: is damaged: it names no scene hash", r->options->folder,
                     DR_RESULT_RUN);
        dr_error_hint(error, "start again with --overwrite or another -o");
        return DR_STATUS_IO;
    }
    return hash == r->stamp.scene_hash ? DR_STATUS_OK : explain_change(r, error);
}

static dr_status restore(run *r, dr_error *error)
{
    dr_error passed;
    bool found = false;
    dr_status status =
        dr_checkpoint_read(r->options->folder, r->world, &r->state, r->options->allocator, &found, &passed, error);
    if (status) return status;
    if (found && r->state.scene_hash != r->stamp.scene_hash) {
        return dr_error_add(error, DR_STATUS_IO, "%s: the checkpoint is of another scene", r->options->folder);
    }
    if (passed.count) {
        dr_error_hint(&passed, "going on from the checkpoint before");
        notice(r, passed.text);
    }
    if (!found) notice(r, "no checkpoint was written yet: starting at the beginning");
    r->resumed = found;
    return DR_STATUS_OK;
}

static bool is_complete(const run *r)
{
    return r->resumed && r->state.next_output > r->last_output;
}

static bool has_output(const run *r, int64_t output)
{
    char frames[DR_FOLDER_PATH], path[DR_FOLDER_PATH], name[DR_RESULT_NAME];
    dr_folder_join(frames, r->options->folder, DR_RESULT_FRAMES);
    dr_result_frame_name(name, number_of(r, output), output % samples_of(r));
    dr_folder_join(path, frames, name);
    return access(path, F_OK) == 0;
}

// Frames before the checkpoint that someone took away stay away: the state they show is gone.
static void tell_missing_frames(const run *r)
{
    int64_t missing = 0, first = 0;
    for (int64_t output = r->state.next_output - 1; output >= 0; output--) {
        if (has_output(r, output)) continue;
        missing++;
        first = output;
    }
    if (!missing) return;
    char name[DR_RESULT_NAME], text[300];
    dr_result_frame_name(name, number_of(r, first), first % samples_of(r));
    snprintf(text, sizeof text,
             "%" PRId64
             " of the frames before the checkpoint %s missing, the first is %s\n    --resume does not make them again, "
             "--overwrite does",
             missing, missing == 1 ? "is" : "are", name);
    notice(r, text);
}

// Brings the folder back to what the checkpoint knows.
static dr_status trim(run *r, dr_error *error)
{
    const char *folder = r->options->folder;
    int64_t next = r->state.next_output;
    dr_status status = dr_result_trim(folder, number_of(r, next), next % samples_of(r), error);
    if (!status) status = dr_folder_remove(folder, DR_RESULT_REPORT, error);
    return status;
}

static dr_status go_on(run *r, const char *text, size_t length, dr_error *error)
{
    dr_json_value whole = dr_json_parse(text, length);
    dr_status status = compare_scene(r, whole, error);
    if (!status) status = restore(r, error);
    if (status) return status;
    tell_missing_frames(r);
    if (is_complete(r)) return status;
    status = trim(r, error);
    if (!status) status = write_run(r, dr_json_member(whole, "sessions"), error);
    return status;
}

static dr_status begin_afresh(run *r, dr_error *error)
{
    dr_status status = trim(r, error);
    if (!status) status = write_scene(r, error);
    if (!status) status = write_run(r, (dr_json_value){NULL, 0}, error);
    return status;
}

// run.json is written before anything that cost time: where such things are without it, it was taken away.
static dr_status refuse_without_run(const run *r, dr_error *error)
{
    static const char *const costly[] = {DR_RESULT_CHECKPOINT, DR_RESULT_EARLIER, DR_RESULT_REPORT};
    for (size_t i = 0; i < sizeof costly / sizeof *costly; i++) {
        char path[DR_FOLDER_PATH];
        dr_folder_join(path, r->options->folder, costly[i]);
        if (access(path, F_OK) != 0) continue;
        dr_error_add(error, DR_STATUS_IO, "%s: there is a %s but no %s, which names the scene", r->options->folder,
                     costly[i], DR_RESULT_RUN);
        dr_error_hint(error, "start again with --overwrite or another -o");
        return DR_STATUS_IO;
    }
    return DR_STATUS_OK;
}

static dr_status open_folder(run *r, dr_error *error)
{
    char path[DR_FOLDER_PATH], *text = NULL;
    size_t length = 0;
    dr_status status = take_folder(r, error);
    if (status) return status;
    dr_folder_join(path, r->options->folder, DR_RESULT_RUN);
    if (r->options->resume && access(path, F_OK) == 0) {
        status = dr_folder_read(path, r->options->allocator, &text, &length, error);
        if (!status) status = go_on(r, text, length, error);
        dr_memory_free(r->options->allocator, text, length + 1);
    } else {
        status = refuse_without_run(r, error);
        if (!status && r->options->resume) notice(r, "there is nothing to go on from: starting at the beginning");
        if (!status) status = begin_afresh(r, error);
    }
    if (status || is_complete(r)) return status;
    return dr_stats_open(&r->stats, r->options->folder, r->state.stats_bytes, r->options->allocator, error);
}

// ---- the loop

static void update_clocks(run *r)
{
    r->state.seconds = r->before_seconds + dr_clock_now() - r->start;
    r->state.cpu_seconds = r->before_cpu + dr_clock_cpu() - r->start_cpu;
}

static dr_status save(run *r, dr_error *error)
{
    if (!r->options->folder) return DR_STATUS_OK;
    dr_status status = dr_stats_flush(&r->stats, true, error);
    if (status) return status;
    update_clocks(r);
    r->state.stats_bytes = r->stats.bytes;
    return dr_checkpoint_write(r->options->folder, r->world, &r->state, r->options->allocator, error);
}

static void add_up(run *r, const dr_report *report)
{
    dr_run_state *state = &r->state;
    state->rejected += report->rejected;
    state->warnings += report->warning_count;
    if (report->particles > state->peak_particles) state->peak_particles = report->particles;
    int64_t resident = (int64_t)report->resident_bytes;
    if (resident > state->peak_resident_bytes) state->peak_resident_bytes = resident;
    for (int i = 0; i < DR_STAGE_COUNT; i++) state->stage_seconds[i] += report->stage_seconds[i];
}

// Those of the first step tell of the scene.
static void tell_warnings(const run *r, const dr_report *report)
{
    for (int i = 0; i < report->warning_count; i++) notice(r, report->warnings[i]);
}

static bool must_stop(const run *r)
{
    return r->options->stop && *r->options->stop;
}

static dr_status reach(run *r, double target, dr_error *error)
{
    while (dr_world_time(r->world) < target) {
        if (must_stop(r)) return DR_STATUS_INTERRUPTED;
        double before = dr_world_time(r->world);
        dr_status status = dr_world_step(r->world, target, error);
        if (status) return status;
        const dr_report *report = dr_world_report(r->world);
        add_up(r, report);
        if (report->step == 1) tell_warnings(r, report);
        status = dr_stats_add(&r->stats, report, error);
        if (status) return status;
        tell(r, false, dr_world_time(r->world) - before);
    }
    return DR_STATUS_OK;
}

static dr_status put_out(run *r, dr_error *error)
{
    int64_t output = r->state.next_output;
    dr_frame frame = {.number = (int)number_of(r, output), .sample = (int)(output % samples_of(r))};
    dr_status status = DR_STATUS_OK;
    if (r->options->folder || r->options->observe) status = dr_world_view(r->world, &frame, error);
    if (!status && r->options->folder) {
        status = dr_cache_write(r->options->folder, &frame, &r->stamp, r->options->allocator, error);
        if (!status) status = dr_stats_flush(&r->stats, false, error);
    }
    if (status) return status;
    if (r->options->observe) r->options->observe(r->options->user, &frame);
    r->state.next_output++;
    if (output % samples_of(r) == 0) tell(r, true, 0.0);
    return DR_STATUS_OK;
}

static bool checkpoint_is_due(const run *r)
{
    int64_t every = r->spec->output.checkpoint_every, output = r->state.next_output - 1;
    if (every <= 0 || output == 0 || output >= r->last_output) return false;
    return output % samples_of(r) == 0 && output / samples_of(r) % every == 0;
}

static dr_status simulate(run *r, dr_error *error)
{
    while (r->state.next_output <= r->last_output) {
        dr_status status = reach(r, output_time(r, r->state.next_output), error);
        if (!status) status = put_out(r, error);
        if (!status && checkpoint_is_due(r)) status = save(r, error);
        if (status) return status;
    }
    return DR_STATUS_OK;
}

// ---- the end

static void put_totals(const run *r, dr_json *json)
{
    const dr_run_state *state = &r->state;
    dr_json_integer(json, "steps", dr_world_step_count(r->world));
    dr_json_integer(json, "frames", state->next_output);
    dr_json_integer(json, "last_frame", number_of(r, r->last_output));
    dr_json_integer(json, "rejected", state->rejected);
    dr_json_integer(json, "warnings", state->warnings);
    dr_json_number(json, "time", dr_world_time(r->world));
    dr_json_number(json, "seconds", state->seconds);
    dr_json_number(json, "cpu_seconds", state->cpu_seconds);
    dr_json_hash(json, "state_hash", dr_world_hash(r->world));
    dr_json_integer(json, "peak_particles", state->peak_particles);
    dr_json_integer(json, "peak_resident_bytes", state->peak_resident_bytes);
    dr_json_object(json, "stage_seconds");
    for (int i = 0; i < DR_STAGE_COUNT; i++) {
        dr_json_number(json, dr_stage_name((dr_stage)i), state->stage_seconds[i]);
    }
    dr_json_end_object(json);
}

static dr_status write_report(const run *r, dr_status outcome, const dr_error *problem, dr_error *error)
{
    dr_text text;
    dr_json json;
    dr_text_open(&text, r->options->allocator);
    dr_json_open(&json, &text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "version", dr_version());
    dr_json_text(&json, "title", r->spec->title);
    dr_json_hash(&json, "scene_hash", r->stamp.scene_hash);
    dr_json_integer(&json, "seed", r->spec->seed);
    dr_json_bool(&json, "complete", outcome == DR_STATUS_OK);
    dr_json_text(&json, "status", outcome ? dr_status_name(outcome) : "complete");
    dr_json_text(&json, "problem", outcome && problem && problem->count ? problem->text : NULL);
    put_totals(r, &json);
    dr_stats_report(&json, "last", dr_world_report(r->world));
    dr_json_end_object(&json);
    return write_json(r, DR_RESULT_REPORT, &text, error);
}

// Keeps what can be kept. After a failure the first problem is the one to tell, so that others are passed over.
static dr_status conclude(run *r, dr_status outcome, dr_error *error)
{
    dr_error quiet;
    dr_error_clear(&quiet);
    bool failed = outcome && outcome != DR_STATUS_INTERRUPTED;
    dr_error *later = failed ? &quiet : error;
    dr_status status = save(r, later);
    update_clocks(r);
    if (!status && r->options->folder) status = write_report(r, outcome, error, later);
    return outcome && (failed || !status) ? outcome : status;
}

static void summarise(const run *r, dr_status outcome, dr_run_summary *summary)
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

static void start_clocks(run *r)
{
    r->before_seconds = r->state.seconds;
    r->before_cpu = r->state.cpu_seconds;
    r->start = r->pace_clock = dr_clock_now();
    r->start_cpu = dr_clock_cpu();
}

// A run that was complete before: nothing is changed, but a report that was lost to a kill is made up for.
static dr_status confirm(run *r, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, r->options->folder, DR_RESULT_REPORT);
    return access(path, F_OK) == 0 ? DR_STATUS_OK : write_report(r, DR_STATUS_OK, NULL, error);
}

static dr_status perform(run *r, dr_error *error)
{
    dr_world_options options = {r->options->threads, r->options->allocator};
    dr_status status = choose_end(r, error);
    if (!status) status = dr_scene_hash(r->scene, &r->stamp.scene_hash, error);
    if (!status) status = dr_world_create(r->scene, &options, &r->world, error);
    if (status) return status;
    r->state.scene_hash = r->stamp.scene_hash;
    if (r->options->folder) status = open_folder(r, error);
    if (status) return status;
    start_clocks(r);
    if (is_complete(r)) return confirm(r, error);
    return conclude(r, simulate(r, error), error);
}

dr_status dr_run(const dr_scene *scene, const dr_run_options *options, dr_run_summary *summary, dr_error *error)
{
    dr_run_options standard;
    dr_run_options_default(&standard);
    const dr_scene_spec *spec = dr_scene_view(scene);
    run r = {.scene = scene, .spec = spec, .options = options ? options : &standard, .lock = -1, .stats.file = -1};
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
