// What a result folder holds, as far as it can be read: a damaged file is told of and the rest described all the same.
#define _POSIX_C_SOURCE 200809L
#include "drench/result.h"

#include "base/json.h"
#include "base/memory.h"
#include "io/checkpoint.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_BYTES 65536

typedef struct file {
    char *data; // NULL: not there or not readable
    size_t bytes;
    dr_json_value value;
} file;

typedef struct folder {
    const char *path;
    const dr_allocator *allocator;
    file run, report, stats; // stats: the last whole line
    int64_t *outputs;        // present, sorted
    size_t output_count, output_capacity;
    uint64_t frame_bytes, total_bytes;
    int64_t start_frame, samples, wanted; // wanted: outputs of the whole run, -1 where unknown
    dr_checkpoint_note checkpoint;
    bool has_checkpoint;
    long holder;
    dr_error *problems;
} folder;

// ---- reading

static uint64_t bytes_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

static void read_json(folder *f, const char *name, file *into, bool must)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, f->path, name);
    if (!must && access(path, F_OK) != 0) return;
    if (dr_folder_read(path, f->allocator, &into->data, &into->bytes, f->problems) != DR_STATUS_OK) return;
    into->value = dr_json_parse(into->data, into->bytes);
    if (!into->value.data) dr_error_add(f->problems, DR_STATUS_IO, "%s: is damaged: not JSON", path);
}

static void free_file(folder *f, file *one)
{
    dr_memory_free(f->allocator, one->data, one->bytes + 1);
}

static bool read_tail(FILE *in, char *tail, size_t *bytes)
{
    if (fseek(in, 0, SEEK_END) != 0) return false;
    long end = ftell(in), from = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
    if (end < 0 || fseek(in, from, SEEK_SET) != 0) return false;
    *bytes = fread(tail, 1, TAIL_BYTES, in);
    return true;
}

// The last line that ends and parses; a run that is writing, or was killed, may leave half a line after it.
static dr_json_value last_line(const char *tail, size_t bytes)
{
    dr_json_value value = {NULL, 0};
    size_t end = bytes;
    while (end > 0 && !value.data) {
        while (end > 0 && tail[end - 1] != '\n') end--;
        size_t begin = end > 0 ? end - 1 : 0;
        while (begin > 0 && tail[begin - 1] != '\n') begin--;
        if (end > begin) value = dr_json_parse(tail + begin, end - begin);
        end = begin;
    }
    return value;
}

static void read_stats(folder *f)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, f->path, DR_RESULT_STATS);
    FILE *in = fopen(path, "rb");
    if (!in) return;
    size_t bytes = 0;
    f->stats.data = dr_memory_alloc(f->allocator, TAIL_BYTES + 1);
    f->stats.bytes = TAIL_BYTES;
    if (f->stats.data && read_tail(in, f->stats.data, &bytes)) f->stats.value = last_line(f->stats.data, bytes);
    fclose(in);
}

// A frame that was cut short is shorter than its seal says; one of old, without a seal, cannot be opened.
static void check_frame(folder *f, const char *path)
{
    dr_h5 *file = NULL;
    bool sealed = true;
    if (dr_seal_glance(path, "frame", &sealed, f->problems) || sealed || !dr_h5_available()) return;
    dr_h5_open(path, f->allocator, &file, f->problems);
    dr_h5_close(file);
}

static dr_status see_frame(void *user, const char *frames, const char *name, dr_error *error)
{
    folder *f = user;
    char path[DR_FOLDER_PATH];
    int64_t number, sample;
    if (!dr_result_frame_parse(name, &number, &sample)) return DR_STATUS_OK;
    void *outputs = f->outputs;
    if (!dr_memory_reserve(f->allocator, &outputs, &f->output_capacity, f->output_count + 1, sizeof *f->outputs)) {
        return dr_error_memory(error, "listing frames");
    }
    f->outputs = outputs;
    f->outputs[f->output_count++] = (number - f->start_frame) * f->samples + sample;
    dr_folder_join(path, frames, name);
    f->frame_bytes += bytes_of(path);
    check_frame(f, path);
    return DR_STATUS_OK;
}

static dr_status see_file(void *user, const char *path, const char *name, dr_error *error)
{
    (void)error;
    folder *f = user;
    char whole[DR_FOLDER_PATH];
    dr_folder_join(whole, path, name);
    f->total_bytes += bytes_of(whole);
    return DR_STATUS_OK;
}

static int compare_outputs(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void read_frames(folder *f)
{
    char frames[DR_FOLDER_PATH];
    dr_folder_join(frames, f->path, DR_RESULT_FRAMES);
    f->start_frame = (int64_t)dr_json_as_number(dr_json_member(f->run.value, "start_frame"), 0.0);
    f->samples = (int64_t)dr_json_as_number(dr_json_member(f->run.value, "samples"), 1.0);
    f->wanted = (int64_t)dr_json_as_number(dr_json_member(f->run.value, "outputs"), -1.0);
    if (f->samples < 1) f->samples = 1;
    if (dr_folder_exists(frames)) dr_folder_each(frames, see_frame, f, f->problems);
    if (f->output_count) qsort(f->outputs, f->output_count, sizeof *f->outputs, compare_outputs);
    dr_folder_each(f->path, see_file, f, f->problems);
    f->total_bytes += f->frame_bytes;
}

static void read_checkpoint(folder *f)
{
    static const char *const names[] = {DR_RESULT_CHECKPOINT, DR_RESULT_EARLIER};
    for (int i = 0; i < 2 && !f->has_checkpoint; i++) {
        char path[DR_FOLDER_PATH];
        dr_folder_join(path, f->path, names[i]);
        if (access(path, F_OK) != 0) continue;
        f->has_checkpoint = dr_checkpoint_inspect(path, f->allocator, &f->checkpoint, f->problems) == DR_STATUS_OK;
    }
}

// ---- saying

// Calls say(user, first, last) for each run of outputs that should be there and are not.
static void each_gap(const folder *f, void (*say)(void *user, const folder *f, int64_t first, int64_t last), void *user)
{
    int64_t expected = 0;
    for (size_t i = 0; i < f->output_count; i++) {
        if (f->outputs[i] > expected) say(user, f, expected, f->outputs[i] - 1);
        expected = f->outputs[i] + 1;
    }
}

static void name_output(const folder *f, int64_t output, char name[DR_RESULT_NAME])
{
    dr_result_frame_name(name, f->start_frame + output / f->samples, output % f->samples);
}

static void say_gap(void *user, const folder *f, int64_t first, int64_t last)
{
    char from[DR_RESULT_NAME], to[DR_RESULT_NAME];
    name_output(f, first, from);
    name_output(f, last, to);
    dr_text_print(user, first == last ? "\n              missing: %s" : "\n              missing: %s .. %s", from, to);
}

static void list_gap(void *user, const folder *f, int64_t first, int64_t last)
{
    char from[DR_RESULT_NAME], to[DR_RESULT_NAME];
    name_output(f, first, from);
    name_output(f, last, to);
    dr_json_list(user, NULL);
    dr_json_text(user, NULL, from);
    dr_json_text(user, NULL, to);
    dr_json_end_list(user);
}

static const char *state_of(const folder *f)
{
    if (f->holder) return "running";
    if (!f->report.value.data) return "unfinished";
    if (dr_json_as_bool(dr_json_member(f->report.value, "complete"), false)) return "complete";
    char status[40] = "";
    dr_json_as_text(dr_json_member(f->report.value, "status"), status, sizeof status);
    return strcmp(status, "interrupted") == 0 ? "interrupted" : "failed";
}

static void say_size(dr_text *out, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1000.0 && unit < 4) {
        size /= 1000.0;
        unit++;
    }
    dr_text_print(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static double number_in(dr_json_value object, const char *key)
{
    return dr_json_as_number(dr_json_member(object, key), NAN);
}

static void say_text(dr_text *out, const char *label, dr_json_value value)
{
    char text[1000];
    if (dr_json_as_text(value, text, sizeof text)) dr_text_print(out, "  %-12s%s\n", label, text);
}

static void say_state(dr_text *out, const folder *f)
{
    const char *state = state_of(f);
    dr_text_print(out, "  %-12s%s", "state", state);
    if (f->holder > 0) dr_text_print(out, ": process %ld is writing here", f->holder);
    if (strcmp(state, "interrupted") == 0 || strcmp(state, "unfinished") == 0) {
        char scene[1000] = "SCENE";
        dr_json_as_text(dr_json_member(f->run.value, "scene"), scene, sizeof scene);
        dr_text_print(out, "; go on with: drench run %s -o %s --resume", scene, f->path);
    }
    dr_text_put(out, "\n");
    say_text(out, "problem", dr_json_member(f->report.value, "problem"));
}

static void say_frames(dr_text *out, const folder *f)
{
    dr_text_print(out, "  %-12s%zu", "frames", f->output_count);
    if (f->wanted >= 0) dr_text_print(out, " of %" PRId64, f->wanted);
    if (f->output_count) {
        char from[DR_RESULT_NAME], to[DR_RESULT_NAME];
        name_output(f, f->outputs[0], from);
        name_output(f, f->outputs[f->output_count - 1], to);
        dr_text_print(out, ", %s .. %s, ", from, to);
        say_size(out, f->frame_bytes);
    }
    each_gap(f, say_gap, out);
    dr_text_put(out, "\n");
}

static void say_last(dr_text *out, const folder *f)
{
    dr_json_value last = f->stats.value;
    if (!last.data) return;
    dr_text_print(out, "  %-12s%.0f, to time %.9g s\n", "steps", number_in(last, "step"), number_in(last, "time"));
    dr_text_print(out, "  %-12sdt %.3g s, %.0f particles in %.0f blocks, fastest %.4g cm/s\n", "last step",
                  number_in(last, "dt"), number_in(last, "particles"), number_in(last, "blocks"),
                  number_in(last, "largest_speed"));
    dr_text_print(out, "  %-12s%.6g g; liquid %.6g cm3\n", "mass", number_in(last, "mass"),
                  number_in(dr_json_member(last, "volume"), "total"));
}

static void say_run(dr_text *out, const folder *f)
{
    dr_json_value cursor = {NULL, 0}, last = {NULL, 0}, sessions = dr_json_member(f->run.value, "sessions");
    int count = 0;
    for (dr_json_value item; (item = dr_json_next(sessions, &cursor)).data; count++) last = item;
    say_text(out, "scene", dr_json_member(f->run.value, "scene"));
    say_text(out, "scene hash", dr_json_member(f->run.value, "scene_hash"));
    if (f->run.value.data) dr_text_print(out, "  %-12s%.0f\n", "seed", number_in(f->run.value, "seed"));
    say_text(out, "version", dr_json_member(f->run.value, "version"));
    say_text(out, count > 1 ? "last run" : "run", dr_json_member(last, "date"));
    say_text(out, "command", dr_json_member(last, "command"));
}

static void say_all(dr_text *out, const folder *f)
{
    char title[300] = "";
    dr_json_as_text(dr_json_member(f->run.value, "title"), title, sizeof title);
    dr_text_print(out, "%s%s%s\n", f->path, title[0] ? ": " : "", title);
    say_run(out, f);
    say_state(out, f);
    say_frames(out, f);
    say_last(out, f);
    if (f->has_checkpoint) {
        dr_text_print(out, "  %-12sstep %" PRId64 ", time %.9g s\n", "checkpoint", f->checkpoint.step,
                      f->checkpoint.time);
    }
    say_text(out, "state hash", dr_json_member(f->report.value, "state_hash"));
    dr_text_print(out, "  %-12s", "on disk");
    say_size(out, f->total_bytes);
    dr_text_put(out, "\n");
}

static void list_all(dr_text *out, const folder *f)
{
    dr_json json;
    dr_json_open(&json, out);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "folder", f->path);
    dr_json_text(&json, "state", state_of(f));
    dr_json_integer(&json, "process", f->holder);
    dr_json_integer(&json, "frames", (int64_t)f->output_count);
    if (f->wanted >= 0) dr_json_integer(&json, "frames_wanted", f->wanted);
    dr_json_list(&json, "missing");
    each_gap(f, list_gap, &json);
    dr_json_end_list(&json);
    dr_json_integer(&json, "bytes", (int64_t)f->total_bytes);
    dr_json_integer(&json, "frame_bytes", (int64_t)f->frame_bytes);
    if (f->has_checkpoint) {
        dr_json_object(&json, "checkpoint");
        dr_json_integer(&json, "step", f->checkpoint.step);
        dr_json_number(&json, "time", f->checkpoint.time);
        dr_json_integer(&json, "next_output", f->checkpoint.next_output);
        dr_json_end_object(&json);
    }
    if (f->run.value.data) dr_json_raw(&json, "run", f->run.value.data, f->run.value.length);
    if (f->report.value.data) dr_json_raw(&json, "report", f->report.value.data, f->report.value.length);
    if (f->stats.value.data) dr_json_raw(&json, "last", f->stats.value.data, f->stats.value.length);
    dr_json_end_object(&json);
    dr_text_put(out, "\n");
}

dr_status dr_result_describe(const char *path, bool json, char **text, dr_error *error)
{
    *text = NULL;
    dr_error problems;
    dr_error_clear(&problems);
    dr_error_clear(error);
    if (strlen(path) > DR_FOLDER_PREFIX || !dr_folder_exists(path) || !dr_result_present(path))
        return dr_result_refuse(path, error);
    folder f = {.path = path, .problems = &problems, .holder = dr_folder_holder(path)};
    read_json(&f, DR_RESULT_RUN, &f.run, true);
    read_json(&f, DR_RESULT_REPORT, &f.report, false);
    read_stats(&f);
    read_frames(&f);
    read_checkpoint(&f);
    dr_text out;
    dr_text_open(&out, NULL);
    (json ? list_all : say_all)(&out, &f);
    free_file(&f, &f.run);
    free_file(&f, &f.report);
    free_file(&f, &f.stats);
    dr_memory_free(NULL, f.outputs, f.output_capacity * sizeof *f.outputs);
    if (error && problems.count) *error = problems;
    if (out.failed) {
        dr_text_close(&out);
        return dr_error_memory(error, "describing a folder");
    }
    *text = out.data;
    return problems.count ? problems.status : DR_STATUS_OK;
}

void dr_result_release_text(char *text)
{
    dr_memory_free(NULL, text, 1);
}
