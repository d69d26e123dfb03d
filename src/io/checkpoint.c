#define _POSIX_C_SOURCE 200809L
#include "io/checkpoint.h"

#include "drench/version.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static dr_status check_seal(const char *path, const dr_allocator *allocator, dr_error *error)
{
    bool sealed = false;
    dr_status status = dr_seal_check(path, "checkpoint", allocator, &sealed, error);
    if (status || sealed) return status;
    return dr_error_add(error, DR_STATUS_IO, "%s: is damaged: it does not begin as a checkpoint does", path);
}

// ---- the run's own numbers: one table for writing and reading

typedef struct entry {
    const char *name;
    size_t offset;
    bool real;
} entry;

static const entry entries[] = {
    {"next_output", offsetof(dr_run_state, next_output), false},
    {"stats_bytes", offsetof(dr_run_state, stats_bytes), false},
    {"rejected", offsetof(dr_run_state, rejected), false},
    {"warnings", offsetof(dr_run_state, warnings), false},
    {"peak_particles", offsetof(dr_run_state, peak_particles), false},
    {"peak_resident_bytes", offsetof(dr_run_state, peak_resident_bytes), false},
    {"seconds", offsetof(dr_run_state, seconds), true},
    {"cpu_seconds", offsetof(dr_run_state, cpu_seconds), true},
};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)

static dr_status put_entries(dr_h5 *file, const dr_run_state *state, dr_error *error)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; !status && i < ENTRY_COUNT; i++) {
        const char *at = (const char *)state + entries[i].offset;
        if (entries[i].real) {
            status = dr_h5_put_number(file, "/", entries[i].name, *(const double *)at, error);
        } else {
            status = dr_h5_put_integer(file, "/", entries[i].name, *(const int64_t *)at, error);
        }
    }
    dr_frame_array stages = {"stage_seconds", "s", DR_TYPE_FLOAT64, 1, DR_STAGE_COUNT, state->stage_seconds};
    if (!status) status = dr_h5_put_array(file, "stage_seconds", &stages, 0, error);
    return status;
}

static dr_status get_entries(dr_h5 *file, dr_run_state *state, dr_error *error)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; !status && i < ENTRY_COUNT; i++) {
        char *at = (char *)state + entries[i].offset;
        if (entries[i].real) {
            status = dr_h5_get_number(file, "/", entries[i].name, (double *)at, error);
        } else {
            status = dr_h5_get_integer(file, "/", entries[i].name, (int64_t *)at, error);
        }
    }
    dr_frame_array stages;
    if (!status) status = dr_h5_get_array(file, "stage_seconds", &stages, error);
    if (!status && stages.type == DR_TYPE_FLOAT64 && stages.count == DR_STAGE_COUNT) {
        memcpy(state->stage_seconds, stages.data, sizeof state->stage_seconds);
    }
    return status;
}

// ---- writing

static dr_status put_state(void *user, const dr_frame_array *array, dr_error *error)
{
    char path[256];
    snprintf(path, sizeof path, "state/%s", array->name);
    return dr_h5_put_array(user, path, array, 0, error);
}

static dr_status put_file(dr_h5 *file, const char *folder, const dr_world *world, const dr_run_state *state,
                          dr_error *error)
{
    char hash[20], seal[DR_SEAL_BYTES];
    snprintf(hash, sizeof hash, "%016" PRIx64, state->scene_hash);
    dr_status status = dr_h5_put_text(file, "/", "version", dr_version(), error);
    if (!status) status = dr_h5_put_text(file, "/", "scene_hash", hash, error);
    if (!status) status = dr_h5_put_integer(file, "/", "step", dr_world_step_count(world), error);
    if (!status) status = dr_h5_put_number(file, "/", "time", dr_world_time(world), error);
    if (!status) status = put_entries(file, state, error);
    if (!status) status = dr_world_save(world, put_state, file, error);
    dr_piece pieces[2] = {{seal, DR_SEAL_BYTES}, {NULL, 0}};
    if (!status) status = dr_h5_image(file, &pieces[1].data, &pieces[1].bytes, error);
    if (status) return status;
    dr_seal_make(seal, "checkpoint", &pieces[1]);
    return dr_folder_write(folder, DR_RESULT_CHECKPOINT, DR_RESULT_EARLIER, pieces, 2, error);
}

dr_status dr_checkpoint_write(const char *folder, const dr_world *world, const dr_run_state *state,
                              const dr_allocator *allocator, dr_error *error)
{
    dr_h5 *file = NULL;
    dr_status status = dr_h5_create(allocator, &file, error);
    if (!status) status = put_file(file, folder, world, state, error);
    dr_h5_close(file);
    return status;
}

// ---- reading

static dr_status get_state(void *user, const char *name, dr_frame_array *array, dr_error *error)
{
    char path[256];
    snprintf(path, sizeof path, "state/%s", name);
    dr_status status = dr_h5_get_array(user, path, array, error);
    array->name = name;
    return status;
}

static dr_status check_version(dr_h5 *file, const char *path, dr_error *error)
{
    char version[64];
    dr_status status = dr_h5_get_text(file, "/", "version", version, sizeof version, error);
    if (status || strcmp(version, dr_version()) == 0) return status;
    status = dr_error_add(error, DR_STATUS_UNSUPPORTED, "%s: was written by drench %s; this is %s", path, version,
                          dr_version());
    dr_error_hint(error,
                  "only the same version goes on with the same bits; start again with --overwrite or another -o");
    return status;
}

static dr_status get_file(const char *path, dr_h5 *file, dr_world *world, dr_run_state *state, dr_error *error)
{
    char hash[20] = "";
    dr_run_state fresh = {0};
    dr_status status = check_version(file, path, error);
    if (!status) status = dr_h5_get_text(file, "/", "scene_hash", hash, sizeof hash, error);
    if (!status) status = get_entries(file, &fresh, error);
    if (!status && sscanf(hash, "%" SCNx64, &fresh.scene_hash) != 1) fresh.scene_hash = 0;
    if (!status) status = dr_world_restore(world, get_state, file, error);
    if (!status) *state = fresh;
    return status;
}

static dr_status read_one(const char *path, dr_world *world, dr_run_state *state, const dr_allocator *allocator,
                          dr_error *error)
{
    dr_h5 *file = NULL;
    dr_status status = check_seal(path, allocator, error);
    if (!status) status = dr_h5_open(path, allocator, &file, error);
    if (!status) status = get_file(path, file, world, state, error);
    dr_h5_close(file);
    return status;
}

dr_status dr_checkpoint_read(const char *folder, dr_world *world, dr_run_state *state, const dr_allocator *allocator,
                             bool *found, dr_error *passed, dr_error *error)
{
    static const char *const names[] = {DR_RESULT_CHECKPOINT, DR_RESULT_EARLIER};
    dr_error_clear(passed);
    *found = false;
    for (int i = 0; i < 2; i++) {
        char path[DR_FOLDER_PATH];
        dr_folder_join(path, folder, names[i]);
        if (access(path, F_OK) != 0) continue;
        dr_error problem;
        dr_error_clear(&problem);
        dr_status status = read_one(path, world, state, allocator, &problem);
        *found = status == DR_STATUS_OK;
        if (*found) return DR_STATUS_OK;
        if (status != DR_STATUS_IO) return dr_error_add(error, status, "%s", problem.text);
        dr_error_add(passed, status, "%s", problem.text);
    }
    if (passed->count == 0) return DR_STATUS_OK;
    dr_error_add(error, DR_STATUS_IO, "%s", passed->text);
    dr_error_hint(error, "no checkpoint is whole: start again with --overwrite or another -o");
    return DR_STATUS_IO;
}

dr_status dr_checkpoint_inspect(const char *path, const dr_allocator *allocator, dr_checkpoint_note *note,
                                dr_error *error)
{
    dr_h5 *file = NULL;
    *note = (dr_checkpoint_note){0};
    dr_status status = check_seal(path, allocator, error);
    if (!status) status = dr_h5_open(path, allocator, &file, error);
    if (!status) status = dr_h5_get_integer(file, "/", "step", &note->step, error);
    if (!status) status = dr_h5_get_number(file, "/", "time", &note->time, error);
    if (!status) status = dr_h5_get_integer(file, "/", "next_output", &note->next_output, error);
    if (!status) status = dr_h5_get_text(file, "/", "version", note->version, sizeof note->version, error);
    dr_h5_close(file);
    return status;
}
