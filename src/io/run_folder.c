// How a run comes by its folder: a fresh one, or one to go on in. What a checkpoint says is the truth: statistics and
// frames beyond it are cut off before anything new is written.
#define _DEFAULT_SOURCE
#include "io/run_parts.h"

#include "base/memory.h"
#include "io/h5.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static dr_status refuse_content(const char *folder, dr_error *error)
{
    bool results = dr_result_present(folder);
    dr_status status = dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: the folder %s", folder,
                                    results ? "already holds results" : "is not empty, and holds no results");
    dr_error_hint(error, results ? "go on with --resume, start again with --overwrite, or choose another with -o"
                                 : "choose another with -o");
    return status;
}

static dr_status take_folder(dr_run_job *r, dr_error *error)
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

static dr_scene *read_again(const dr_run_job *r, const char *text, size_t length)
{
    dr_scene *scene = NULL;
    if (text) dr_scene_parse(text, length, dr_scene_name(r->scene), r->options->allocator, &scene, NULL);
    return scene;
}

// Both scenes are taken as the folder keeps them, so that names of files compare.
static dr_status explain_change(const dr_run_job *r, dr_error *error)
{
    char path[DR_FOLDER_PATH], *before = NULL, *after = NULL;
    size_t before_length = 0, after_length = 0;
    dr_folder_join(path, r->options->folder, DR_RESULT_SCENE);
    dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: the scene is not the one this run was begun with",
                 r->options->folder);
    dr_folder_read(path, r->options->allocator, &before, &before_length, NULL);
    dr_run_show_scene(r, &after, &after_length, NULL);
    dr_scene *earlier = read_again(r, before, before_length), *now = read_again(r, after, after_length);
    if (earlier && now) hint_difference(earlier, now, error);
    dr_scene_destroy(earlier);
    dr_scene_destroy(now);
    dr_memory_free(r->options->allocator, before, before_length + 1);
    if (after) dr_scene_release_text(r->scene, after, after_length);
    dr_error_hint(error, "run the scene as it was, start again with --overwrite, or choose another folder with -o");
    return DR_STATUS_BAD_SCENE;
}

static dr_status compare_scene(const dr_run_job *r, dr_json_value whole, dr_error *error)
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

static dr_status restore(dr_run_job *r, dr_error *error)
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
        dr_run_notice(r, passed.text);
    }
    if (!found) dr_run_notice(r, "no checkpoint was written yet: starting at the beginning");
    r->resumed = found;
    return DR_STATUS_OK;
}

static bool has_output(const dr_run_job *r, int64_t output)
{
    char frames[DR_FOLDER_PATH], path[DR_FOLDER_PATH], name[DR_RESULT_NAME];
    dr_folder_join(frames, r->options->folder, DR_RESULT_FRAMES);
    dr_result_frame_name(name, dr_run_frame_number(r, output), output % dr_run_samples(r));
    dr_folder_join(path, frames, name);
    return access(path, F_OK) == 0;
}

// Frames before the checkpoint that someone took away stay away: the state they show is gone.
static void tell_missing_frames(const dr_run_job *r)
{
    int64_t missing = 0, first = 0;
    for (int64_t output = r->state.next_output - 1; output >= 0; output--) {
        if (has_output(r, output)) continue;
        missing++;
        first = output;
    }
    if (!missing) return;
    char name[DR_RESULT_NAME], text[300];
    dr_result_frame_name(name, dr_run_frame_number(r, first), first % dr_run_samples(r));
    snprintf(text, sizeof text,
             "%" PRId64
             " of the frames before the checkpoint %s missing, the first is %s\n    --resume does not make them again, "
             "--overwrite does",
             missing, missing == 1 ? "is" : "are", name);
    dr_run_notice(r, text);
}

// Brings the folder back to what the checkpoint knows.
static dr_status trim(dr_run_job *r, dr_error *error)
{
    const char *folder = r->options->folder;
    int64_t next = r->state.next_output;
    dr_status status = dr_result_trim(folder, dr_run_frame_number(r, next), next % dr_run_samples(r), error);
    if (!status) status = dr_folder_remove(folder, DR_RESULT_REPORT, error);
    return status;
}

static dr_status go_on(dr_run_job *r, const char *text, size_t length, dr_error *error)
{
    dr_json_value whole = dr_json_parse(text, length);
    dr_status status = compare_scene(r, whole, error);
    if (!status) status = restore(r, error);
    if (status) return status;
    tell_missing_frames(r);
    if (dr_run_is_complete(r)) return status;
    status = trim(r, error);
    if (!status) status = dr_run_write_run(r, dr_json_member(whole, "sessions"), error);
    return status;
}

static dr_status begin_afresh(dr_run_job *r, dr_error *error)
{
    dr_status status = trim(r, error);
    if (!status) status = dr_run_write_scene(r, error);
    if (!status) status = dr_run_write_run(r, (dr_json_value){NULL, 0}, error);
    return status;
}

// run.json is written before anything that cost time: where such things are without it, it was taken away.
static dr_status refuse_without_run(const dr_run_job *r, dr_error *error)
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

dr_status dr_run_open_folder(dr_run_job *r, dr_error *error)
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
        if (!status && r->options->resume)
            dr_run_notice(r, "there is nothing to go on from: starting at the beginning");
        if (!status) status = begin_afresh(r, error);
    }
    if (status || dr_run_is_complete(r)) return status;
    return dr_stats_open(&r->stats, r->options->folder, r->state.stats_bytes, r->options->allocator, error);
}
