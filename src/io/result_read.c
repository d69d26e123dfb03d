// Reading a result folder back: its scene, the list of its frames, frames. What comes out can be trusted: the file is
// as it was written, at its place among the frames of its scene; every part has a place for each point, no index points
// outside, every array belongs to points or to elements.
#include "base/json.h"
#include "base/memory.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct label {
    int64_t number, sample;
} label;

struct dr_result {
    const dr_allocator *allocator;
    char folder[DR_FOLDER_PATH];
    dr_scene *scene;     // NULL: none is there
    uint64_t scene_hash; // of the run; 0: unknown
    label *labels;
    size_t count, capacity;
};

// ---- the folder

static int compare_labels(const void *a, const void *b)
{
    const label *left = a, *right = b;
    if (left->number != right->number) return left->number < right->number ? -1 : 1;
    return (left->sample > right->sample) - (left->sample < right->sample);
}

static dr_status add_label(void *user, const char *folder, const char *name, dr_error *error)
{
    (void)folder;
    dr_result *result = user;
    label found;
    if (!dr_result_frame_parse(name, &found.number, &found.sample)) return DR_STATUS_OK;
    void *labels = result->labels;
    if (!dr_memory_reserve(result->allocator, &labels, &result->capacity, result->count + 1, sizeof found))
        return dr_error_memory(error, "listing frames");
    result->labels = labels;
    result->labels[result->count++] = found;
    return DR_STATUS_OK;
}

// A run.json that is missing or damaged tells nothing, which is no reason to refuse frames.
static void read_hash(dr_result *result)
{
    char path[DR_FOLDER_PATH], *text = NULL;
    size_t length = 0;
    dr_folder_join(path, result->folder, DR_RESULT_RUN);
    result->scene_hash = 0;
    if (dr_folder_read(path, result->allocator, &text, &length, NULL) != DR_STATUS_OK) return;
    dr_json_value hash = dr_json_member(dr_json_parse(text, length), "scene_hash");
    if (!dr_json_as_hash(hash, &result->scene_hash)) result->scene_hash = 0;
    dr_memory_free(result->allocator, text, length + 1);
}

dr_status dr_result_refresh(dr_result *result, dr_error *error)
{
    char frames[DR_FOLDER_PATH];
    dr_folder_join(frames, result->folder, DR_RESULT_FRAMES);
    result->count = 0;
    read_hash(result);
    if (!dr_folder_exists(frames)) return DR_STATUS_OK;
    dr_status status = dr_folder_each(frames, add_label, result, error);
    if (result->count) qsort(result->labels, result->count, sizeof *result->labels, compare_labels);
    return status;
}

// The scene's own files may be gone by now, so only its text is read.
static dr_status read_scene(dr_result *result, dr_error *error)
{
    char path[DR_FOLDER_PATH], *text = NULL;
    size_t length = 0;
    dr_folder_join(path, result->folder, DR_RESULT_SCENE);
    if (access(path, F_OK) != 0) return DR_STATUS_OK;
    dr_status status = dr_folder_read(path, result->allocator, &text, &length, error);
    if (status) return status;
    status = dr_scene_parse(text, length, path, result->allocator, &result->scene, error);
    dr_memory_free(result->allocator, text, length + 1);
    return status;
}

static bool holds_results(const char *folder)
{
    char frames[DR_FOLDER_PATH];
    dr_folder_join(frames, folder, DR_RESULT_FRAMES);
    return dr_folder_exists(folder) && (dr_result_present(folder) || dr_folder_exists(frames));
}

dr_status dr_result_open(const char *folder, const dr_allocator *allocator, dr_result **result, dr_error *error)
{
    *result = NULL;
    if (strlen(folder) > DR_FOLDER_PREFIX)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "the folder's name is too long: %zu bytes", strlen(folder));
    if (!holds_results(folder)) return dr_result_refuse(folder, error);
    dr_result *opened = dr_memory_alloc(allocator, sizeof *opened);
    if (!opened) return dr_error_memory(error, "opening results");
    opened->allocator = allocator;
    snprintf(opened->folder, sizeof opened->folder, "%s", folder);
    dr_status status = read_scene(opened, error);
    if (!status) status = dr_result_refresh(opened, error);
    if (status) {
        dr_result_close(opened);
        return status;
    }
    *result = opened;
    return DR_STATUS_OK;
}

void dr_result_close(dr_result *result)
{
    if (!result) return;
    dr_scene_destroy(result->scene);
    dr_memory_free(result->allocator, result->labels, result->capacity * sizeof *result->labels);
    dr_memory_free(result->allocator, result, sizeof *result);
}

const dr_scene *dr_result_scene(const dr_result *result)
{
    return result->scene;
}

size_t dr_result_frame_count(const dr_result *result)
{
    return result->count;
}

void dr_result_frame_label(const dr_result *result, size_t index, int64_t *number, int64_t *sample)
{
    *number = result->labels[index].number;
    *sample = result->labels[index].sample;
}

bool dr_result_frame_path(const dr_result *result, size_t index, char *path, size_t room)
{
    char name[DR_RESULT_NAME];
    dr_result_frame_name(name, result->labels[index].number, result->labels[index].sample);
    int length = snprintf(path, room, "%s/" DR_RESULT_FRAMES "/%s", result->folder, name);
    return length > 0 && (size_t)length < room;
}

// ---- one frame

#define MOST_PARTS 4096

typedef struct stored {
    dr_frame frame; // first: what the caller holds
    const dr_allocator *allocator;
    dr_h5 *file; // keeps the arrays
    dr_arena names;
    dr_frame_part *parts;
    size_t part_capacity;
} stored;

typedef struct reading {
    stored *stored;
    const char *path; // of the file, for messages
    dr_frame_part *part;
    dr_frame_array *arrays;
    size_t count, capacity;
} reading;

static dr_status damaged(const reading *job, const char *what, dr_error *error)
{
    const char *part = job->part ? job->part->name : "", *gap = job->part ? ": " : "";
    return dr_error_add(error, DR_STATUS_IO, "%s: %s%sis damaged: %s", job->path, part, gap, what);
}

static const char *keep_text(stored *frame, const char *text)
{
    return dr_arena_copy(&frame->names, text, strlen(text));
}

static dr_status read_kind(reading *job, dr_error *error)
{
    static const char *const names[] = {"points", "curves", "triangles"};
    char kind[16];
    dr_status status = dr_h5_get_text(job->stored->file, job->part->name, "kind", kind, sizeof kind, error);
    if (status) return status;
    for (int i = 0; i < 3; i++) {
        if (strcmp(kind, names[i]) != 0) continue;
        job->part->kind = (dr_frame_kind)i;
        return DR_STATUS_OK;
    }
    return damaged(job, "neither points nor curves nor triangles", error);
}

static dr_status read_counts(reading *job, dr_error *error)
{
    int64_t points = 0, elements = 0;
    dr_h5 *file = job->stored->file;
    dr_status status = dr_h5_get_integer(file, job->part->name, "point_count", &points, error);
    if (!status) status = dr_h5_get_integer(file, job->part->name, "element_count", &elements, error);
    if (status) return status;
    if (points < 0 || elements < 0 || points > UINT32_MAX || elements > UINT32_MAX)
        return damaged(job, "counts out of range", error);
    job->part->point_count = (size_t)points;
    job->part->element_count = (size_t)elements;
    return DR_STATUS_OK;
}

static bool curves_hold(const dr_frame_part *part)
{
    const uint32_t *first = part->index;
    for (size_t i = 0; i < part->element_count; i++) {
        if (first[i] > first[i + 1]) return false;
    }
    return first[0] == 0 && first[part->element_count] == part->point_count;
}

static bool triangles_hold(const dr_frame_part *part)
{
    for (size_t i = 0; i < 3 * part->element_count; i++) {
        if (part->index[i] >= part->point_count) return false;
    }
    return true;
}

static dr_status take_index(reading *job, const dr_frame_array *array, dr_error *error)
{
    dr_frame_part *part = job->part;
    bool curves = part->kind == DR_FRAME_CURVES;
    bool good = part->kind != DR_FRAME_POINTS && array->type == DR_TYPE_UINT32 &&
                array->components == (curves ? 1 : 3) && array->count == part->element_count + curves;
    if (!good) return damaged(job, "an index of the wrong size", error);
    part->index = array->data;
    good = curves ? curves_hold(part) : triangles_hold(part);
    return good ? DR_STATUS_OK : damaged(job, "an index that points outside", error);
}

static dr_status take_array(reading *job, const dr_frame_array *array, dr_error *error)
{
    if (array->count != job->part->point_count && array->count != job->part->element_count)
        return damaged(job, "an array that fits neither its points nor its elements", error);
    void *arrays = job->arrays;
    if (!dr_memory_reserve(job->stored->allocator, &arrays, &job->capacity, job->count + 1, sizeof *array))
        return dr_error_memory(error, "reading a frame");
    job->arrays = arrays;
    job->arrays[job->count++] = *array;
    return DR_STATUS_OK;
}

static dr_status read_array(void *user, const char *name, dr_error *error)
{
    reading *job = user;
    stored *frame = job->stored;
    char path[512], unit[64] = "";
    dr_frame_array array;
    if (snprintf(path, sizeof path, "%s/%s", job->part->name, name) >= (int)sizeof path)
        return damaged(job, "a name that is too long", error);
    dr_status status = dr_h5_get_array(frame->file, path, &array, error);
    if (status) return status;
    if (strcmp(name, "index") == 0) return take_index(job, &array, error);
    dr_h5_get_text(frame->file, path, "unit", unit, sizeof unit, NULL); // without one it is a pure number
    array.name = keep_text(frame, name);
    array.unit = keep_text(frame, unit);
    if (!array.name || !array.unit) return dr_error_memory(error, "reading a frame");
    return take_array(job, &array, error);
}

static dr_status keep_arrays(reading *job, dr_error *error)
{
    size_t bytes = job->count * sizeof *job->arrays;
    dr_frame_array *kept = dr_arena_alloc(&job->stored->names, bytes ? bytes : 1);
    if (!kept) return dr_error_memory(error, "reading a frame");
    if (bytes) memcpy(kept, job->arrays, bytes);
    job->part->arrays = kept;
    job->part->array_count = (int)job->count;
    return DR_STATUS_OK;
}

static dr_status check_part(const reading *job, dr_error *error)
{
    const dr_frame_part *part = job->part;
    const dr_frame_array *place = dr_frame_find(part, "position");
    if (!place || place->components != 3 || place->count != part->point_count ||
        (place->type != DR_TYPE_FLOAT32 && place->type != DR_TYPE_FLOAT64))
        return damaged(job, "no position for each point", error);
    if (part->kind != DR_FRAME_POINTS && !part->index && (part->element_count || part->point_count))
        return damaged(job, "no index", error);
    return DR_STATUS_OK;
}

static dr_status fill_part(reading *job, dr_error *error)
{
    dr_status status = read_kind(job, error);
    if (!status) status = read_counts(job, error);
    if (!status) status = dr_h5_each(job->stored->file, job->part->name, read_array, job, error);
    if (!status) status = keep_arrays(job, error);
    if (!status) status = check_part(job, error);
    return status;
}

static dr_status read_part(void *user, const char *name, dr_error *error)
{
    const reading *file = user;
    stored *frame = file->stored;
    void *parts = frame->parts;
    if (frame->frame.part_count >= MOST_PARTS || strlen(name) > 200) return damaged(file, "too many parts", error);
    if (!dr_memory_reserve(frame->allocator, &parts, &frame->part_capacity, (size_t)frame->frame.part_count + 1,
                           sizeof *frame->parts))
        return dr_error_memory(error, "reading a frame");
    frame->parts = parts;
    frame->frame.parts = parts;
    dr_frame_part *part = &frame->parts[frame->frame.part_count++];
    *part = (dr_frame_part){.name = keep_text(frame, name)};
    if (!part->name) return dr_error_memory(error, "reading a frame");
    reading job = {.stored = frame, .path = file->path, .part = part};
    dr_status status = fill_part(&job, error);
    dr_memory_free(frame->allocator, job.arrays, job.capacity * sizeof *job.arrays);
    return status;
}

static dr_status read_root(stored *frame, dr_error *error)
{
    int64_t number = 0, sample = 0;
    dr_status status = dr_h5_get_number(frame->file, "/", "time", &frame->frame.time, error);
    if (!status) status = dr_h5_get_integer(frame->file, "/", "step", &frame->frame.step, error);
    if (!status) status = dr_h5_get_integer(frame->file, "/", "number", &number, error);
    if (!status) status = dr_h5_get_integer(frame->file, "/", "sample", &sample, error);
    frame->frame.number = (int)number;
    frame->frame.sample = (int)sample;
    return status;
}

static dr_status check_place(const stored *frame, const char *path, const label *label, dr_error *error)
{
    char name[DR_RESULT_NAME];
    if (frame->frame.number == label->number && frame->frame.sample == label->sample) return DR_STATUS_OK;
    dr_result_frame_name(name, frame->frame.number, frame->frame.sample);
    dr_status status = dr_error_add(error, DR_STATUS_IO, "%s: is %s under another name", path, name);
    dr_error_hint(error, "frames may have been mixed up while copying: give each its own name again");
    return status;
}

// Frames that other programs made name no scene, which is no reason to refuse them.
static dr_status check_scene(const stored *frame, const char *path, uint64_t expected, dr_error *error)
{
    char text[20] = "";
    uint64_t hash = 0;
    if (!expected || dr_h5_get_text(frame->file, "/", "scene_hash", text, sizeof text, NULL)) return DR_STATUS_OK;
    if (sscanf(text, "%" SCNx64, &hash) == 1 && hash == expected) return DR_STATUS_OK;
    dr_error_add(error, DR_STATUS_IO, "%s: is a frame of another scene than " DR_RESULT_RUN " names", path);
    dr_error_hint(error, "keep the frames of each run in a folder of their own");
    return DR_STATUS_IO;
}

static dr_status open_sealed(stored *frame, const char *path, dr_error *error)
{
    bool sealed = false;
    dr_status status = dr_seal_check(path, "frame", frame->allocator, &sealed, error);
    return status ? status : dr_h5_open(path, frame->allocator, &frame->file, error);
}

static dr_status fill_frame(stored *frame, const char *path, const label *label, uint64_t scene_hash, dr_error *error)
{
    reading job = {.stored = frame, .path = path};
    dr_status status = open_sealed(frame, path, error);
    if (!status) status = read_root(frame, error);
    if (!status) status = check_place(frame, path, label, error);
    if (!status) status = check_scene(frame, path, scene_hash, error);
    if (!status) status = dr_h5_each(frame->file, "/", read_part, &job, error);
    if (!status && !isfinite(frame->frame.time)) status = damaged(&job, "its time is not a number", error);
    if (frame->file) dr_h5_detach(frame->file);
    return status;
}

dr_status dr_result_read(const dr_result *result, size_t index, const dr_frame **frame, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    *frame = NULL;
    if (index >= result->count)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: has %zu frames, there is none of index %zu",
                            result->folder, result->count, index);
    stored *fresh = dr_memory_alloc(result->allocator, sizeof *fresh);
    if (!fresh) return dr_error_memory(error, "reading a frame");
    fresh->allocator = result->allocator;
    dr_arena_open(&fresh->names, result->allocator);
    dr_result_frame_path(result, index, path, sizeof path);
    dr_status status = fill_frame(fresh, path, &result->labels[index], result->scene_hash, error);
    if (status) {
        dr_result_release(&fresh->frame);
    } else {
        *frame = &fresh->frame;
    }
    return status;
}

dr_status dr_result_verify(const dr_result *result, size_t *whole, dr_error *error)
{
    dr_status worst = DR_STATUS_OK;
    *whole = 0;
    for (size_t i = 0; i < result->count; i++) {
        const dr_frame *frame = NULL;
        dr_status status = dr_result_read(result, i, &frame, error);
        dr_result_release(frame);
        if (status == DR_STATUS_NO_MEMORY) return status;
        if (status) worst = status;
        *whole += !status;
    }
    return worst;
}

void dr_result_release(const dr_frame *frame)
{
    if (!frame) return;
    stored *owner = (stored *)(uintptr_t)frame;
    dr_h5_close(owner->file);
    dr_arena_close(&owner->names);
    dr_memory_free(owner->allocator, owner->parts, owner->part_capacity * sizeof *owner->parts);
    dr_memory_free(owner->allocator, owner, sizeof *owner);
}
