#define _XOPEN_SOURCE 700
#include "look/view_folder.h"

#include "base/json.h"
#include "base/memory.h"
#include "drench/version.h"
#include "look/cast.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (1 << 20) // bytes of statistics per answer

// ---- inside and outside

// The file's own place, links followed; an error where that is not in the folder.
static dr_status find_inside(const dr_view_folder *folder, const char *path, char real[PATH_MAX], dr_error *error)
{
    size_t length = strlen(folder->root);
    if (!realpath(path, real)) return dr_error_system(error, path, "cannot be found");
    if (strncmp(real, folder->root, length) == 0 && (real[length] == '/' || length == 1)) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: leads out of the folder", path);
}

static dr_status find_named(const dr_view_folder *folder, const char *name, char real[PATH_MAX], dr_error *error)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder->root, name) >= (int)sizeof path)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: the folder's name is too long", folder->root);
    return find_inside(folder, path, real, error);
}

// ---- the folder

dr_status dr_view_folder_open(dr_view_folder *folder, const char *path, const dr_allocator *allocator, dr_error *error)
{
    char real[PATH_MAX];
    *folder = (dr_view_folder){.allocator = allocator};
    dr_view_ages_open(&folder->ages, allocator);
    if (!realpath(path, real)) return dr_error_system(error, path, "cannot be found");
    if (strlen(real) >= sizeof folder->root)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: the folder's name is too long", path);
    memcpy(folder->root, real, strlen(real) + 1);
    return dr_result_open(folder->root, allocator, &folder->result, error);
}

void dr_view_folder_close(dr_view_folder *folder)
{
    dr_result_close(folder->result);
    dr_view_ages_close(&folder->ages);
    *folder = (dr_view_folder){0};
}

static dr_status refresh(dr_view_folder *folder, dr_error *error)
{
    char real[PATH_MAX];
    dr_error none = {0};
    dr_status status = find_named(folder, "frames", real, &none);
    if (status == DR_STATUS_BAD_ARGUMENT) return dr_error_add(error, status, "%s", none.text);
    return dr_result_refresh(folder->result, error);
}

// ---- the list

static void put_times(dr_json *json, const dr_scene *scene)
{
    const dr_scene_spec *spec = scene ? dr_scene_view(scene) : NULL;
    dr_json_text(json, "title", spec && spec->title ? spec->title : "");
    dr_json_number(json, "frame_rate", spec ? spec->time.frame_rate : 24.0);
    dr_json_integer(json, "start_frame", spec ? spec->time.start_frame : 0);
    dr_json_integer(json, "samples", spec ? spec->time.samples : 1);
    dr_json_integer(json, "frames_wanted", spec ? spec->time.frames + 1 : 0);
}

// Clear liquids have the page's own colour.
static void put_liquid(dr_json *json, const dr_scene *scene)
{
    double colour[3];
    if (!scene || !dr_cast_thick_colour(scene, colour)) return;
    dr_json_list(json, "liquid_colour");
    for (int c = 0; c < 3; c++) dr_json_number(json, NULL, colour[c]);
    dr_json_end_list(json);
}

static void put_frames(dr_json *json, const dr_view_folder *folder)
{
    dr_json_list(json, "frames");
    for (size_t i = 0; i < dr_result_frame_count(folder->result); i++) {
        char path[DR_VIEW_PATH], stamp[48] = "";
        struct stat info;
        int64_t number, sample;
        dr_result_frame_label(folder->result, i, &number, &sample);
        if (!dr_result_frame_path(folder->result, i, path, sizeof path) || stat(path, &info) != 0) continue;
        snprintf(stamp, sizeof stamp, "%llx.%lx.%llx", (unsigned long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                 (unsigned long long)info.st_size);
        dr_json_list(json, NULL);
        dr_json_integer(json, NULL, number);
        dr_json_integer(json, NULL, sample);
        dr_json_text(json, NULL, stamp);
        dr_json_end_list(json);
    }
    dr_json_end_list(json);
}

static int64_t size_of(const dr_view_folder *folder, const char *name)
{
    char real[PATH_MAX];
    struct stat info;
    if (find_named(folder, name, real, NULL) != DR_STATUS_OK || stat(real, &info) != 0) return -1;
    return (int64_t)info.st_size;
}

dr_status dr_view_folder_list(dr_view_folder *folder, dr_text *text, dr_error *error)
{
    dr_json json;
    dr_status status = refresh(folder, error);
    if (status) return status;
    const char *name = strrchr(folder->root, '/');
    dr_json_open(&json, text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "version", dr_version());
    dr_json_text(&json, "folder", name && name[1] ? name + 1 : folder->root);
    put_times(&json, dr_result_scene(folder->result));
    put_liquid(&json, dr_result_scene(folder->result));
    dr_json_bool(&json, "ended", size_of(folder, "report.json") >= 0);
    dr_json_integer(&json, "stats_bytes", size_of(folder, "stats.jsonl"));
    put_frames(&json, folder);
    dr_json_end_object(&json);
    return text->failed ? dr_error_memory(error, "listing frames") : DR_STATUS_OK;
}

// ---- statistics

typedef struct chunk {
    char *data;
    size_t bytes; // whole lines only
    size_t skip;  // from its beginning to that of the next one
    bool more;
    bool again; // the file has become shorter than where we were: another run
} chunk;

static dr_status read_at(int file, const char *path, int64_t from, chunk *chunk, dr_error *error)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return dr_error_system(error, path, "cannot be read");
    chunk->again = from > (int64_t)info.st_size;
    while (!chunk->again && chunk->bytes < CHUNK) {
        ssize_t more = pread(file, chunk->data + chunk->bytes, CHUNK - chunk->bytes, (off_t)from + (off_t)chunk->bytes);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return dr_error_system(error, path, "cannot be read");
        if (more == 0) break;
        chunk->bytes += (size_t)more;
    }
    return DR_STATUS_OK;
}

// Leaves out the last line where it has no end yet; a line longer than a chunk is none of ours.
static void keep_lines(chunk *chunk)
{
    bool full = chunk->bytes == CHUNK;
    while (chunk->bytes > 0 && chunk->data[chunk->bytes - 1] != '\n') chunk->bytes--;
    chunk->skip = chunk->bytes == 0 && full ? CHUNK : chunk->bytes;
    chunk->more = full;
}

static dr_status open_chunk(const dr_view_folder *folder, int64_t from, chunk *chunk, dr_error *error)
{
    char real[PATH_MAX];
    dr_error none = {0};
    dr_status status = find_named(folder, "stats.jsonl", real, &none);
    if (status == DR_STATUS_BAD_ARGUMENT) return dr_error_add(error, status, "%s", none.text);
    *chunk = (struct chunk){.data = dr_memory_alloc(folder->allocator, CHUNK)};
    if (!chunk->data) return dr_error_memory(error, "reading statistics");
    chunk->again = from > 0;
    if (status) return DR_STATUS_OK; // there are none yet
    int file = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return dr_error_system(error, real, "cannot be read");
    status = read_at(file, real, from, chunk, error);
    close(file);
    keep_lines(chunk);
    return status;
}

static void close_chunk(const dr_view_folder *folder, chunk *chunk)
{
    dr_memory_free(folder->allocator, chunk->data, CHUNK);
}

// Calls see with every line that is an object.
static void each_line(const chunk *chunk, void (*see)(void *user, dr_json_value line), void *user)
{
    for (size_t at = 0; at < chunk->bytes;) {
        const char *line = chunk->data + at;
        size_t length = (size_t)((const char *)memchr(line, '\n', chunk->bytes - at) - line);
        dr_json_value value = dr_json_parse(line, length);
        if (value.data && value.data[0] == '{') see(user, value);
        at += length + 1;
    }
}

static double member(dr_json_value object, const char *key)
{
    return dr_json_as_number(dr_json_member(object, key), 0.0);
}

static double sum_iterations(dr_json_value line)
{
    double sum = 0.0;
    dr_json_value solves = dr_json_member(line, "solves"), cursor = {0};
    if (!solves.data) return 0.0;
    for (dr_json_value solve; (solve = dr_json_next(solves, &cursor)).data;) sum += member(solve, "iterations");
    return sum;
}

static void put_row(void *user, dr_json_value line)
{
    dr_json *json = user;
    dr_json_value energy = dr_json_member(line, "energy");
    double row[] = {
        member(line, "step"),      member(line, "time"),        member(dr_json_member(line, "volume"), "total"),
        member(energy, "kinetic"), member(energy, "elastic"),   member(energy, "potential"),
        sum_iterations(line),      member(line, "step_seconds")};
    dr_json_numbers(json, NULL, row, sizeof row / sizeof *row);
}

static void put_columns(dr_json *json)
{
    static const char *const names[] = {"step",    "time",      "volume",     "kinetic",
                                        "elastic", "potential", "iterations", "step_seconds"};
    dr_json_list(json, "columns");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) dr_json_text(json, NULL, names[i]);
    dr_json_end_list(json);
}

dr_status dr_view_folder_stats(dr_view_folder *folder, int64_t from, dr_text *text, dr_error *error)
{
    chunk chunk = {0};
    dr_json json;
    dr_status status = open_chunk(folder, from, &chunk, error);
    if (!status) {
        dr_json_open(&json, text);
        dr_json_object(&json, NULL);
        dr_json_integer(&json, "next", chunk.again ? 0 : from + (int64_t)chunk.skip);
        dr_json_bool(&json, "again", chunk.again);
        dr_json_bool(&json, "more", chunk.more);
        put_columns(&json);
        dr_json_list(&json, "rows");
        each_line(&chunk, put_row, &json);
        dr_json_end_list(&json);
        dr_json_end_object(&json);
        if (text->failed) status = dr_error_memory(error, "reading statistics");
    }
    close_chunk(folder, &chunk);
    return status;
}

// ---- ages

typedef struct learner {
    dr_view_ages *ages;
    bool failed;
} learner;

static void learn_line(void *user, dr_json_value line)
{
    learner *learner = user;
    double ids = dr_json_as_number(dr_json_member(line, "ids"), -1.0);
    if (ids < 0.0 || ids > 9e15) return;
    if (!dr_view_ages_add(learner->ages, member(line, "time"), (uint64_t)ids)) learner->failed = true;
}

dr_status dr_view_folder_learn_ages(dr_view_folder *folder, dr_error *error)
{
    chunk chunk = {.more = true};
    learner learner = {&folder->ages, false};
    dr_status status = DR_STATUS_OK;
    if (folder->ages_from > size_of(folder, "stats.jsonl")) {
        folder->ages_from = 0;
        dr_view_ages_clear(&folder->ages);
    }
    while (chunk.more && !status && !learner.failed) {
        chunk.more = false;
        status = open_chunk(folder, folder->ages_from, &chunk, error);
        if (!status) each_line(&chunk, learn_line, &learner);
        folder->ages_from += (int64_t)chunk.skip;
        close_chunk(folder, &chunk);
    }
    return learner.failed ? dr_error_memory(error, "reading statistics") : status;
}

// ---- frames

static bool find_label(const dr_view_folder *folder, int64_t number, int64_t sample, size_t *index)
{
    for (*index = 0; *index < dr_result_frame_count(folder->result); ++*index) {
        int64_t its_number, its_sample;
        dr_result_frame_label(folder->result, *index, &its_number, &its_sample);
        if (its_number == number && its_sample == sample) return true;
    }
    return false;
}

dr_status dr_view_folder_read(dr_view_folder *folder, int64_t number, int64_t sample, const dr_frame **frame,
                              dr_error *error)
{
    size_t index;
    char path[DR_VIEW_PATH], real[PATH_MAX];
    *frame = NULL;
    dr_status status = refresh(folder, error);
    if (status) return status;
    if (!find_label(folder, number, sample, &index) || !dr_result_frame_path(folder->result, index, path, sizeof path))
        return dr_error_add(error, DR_STATUS_NO_FILE, "frame %lld is not there", (long long)number);
    status = find_inside(folder, path, real, error);
    return status ? status : dr_result_read(folder->result, index, frame, error);
}
