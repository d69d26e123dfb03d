// `drench export`: frames are read one after the other, since HDF5 serves one thread at a time, and made ready and
// written in parallel. What several frames share is added up in the order of the frames, so that bytes do not depend on
// the number of threads.
#include "look/export_job.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static const dr_export_format formats[DR_EXPORT_FORMATS] = {
    [DR_EXPORT_PLY] = {"ply", "ply", "binary PLY with every array, a file per part and frame", DR_EXPORT_FILES_OF_PARTS,
                       "cm", false},
    [DR_EXPORT_OBJ] = {"obj", "obj", "Wavefront OBJ with points, polylines and triangles, a file per part and frame",
                       DR_EXPORT_FILES_OF_PARTS, "cm", false},
    [DR_EXPORT_VTK] = {"vtk", "vtu", "VTK with every array, a .vtu per part and frame and a .pvd with their times",
                       DR_EXPORT_FILES_OF_PARTS, "cm", false},
    [DR_EXPORT_PC2] = {"pc2", "pc2",
                       "PC2 point caches, one per part whose points stay the same, with an OBJ of the first frame",
                       DR_EXPORT_POINT_CACHES, "cm", false},
    [DR_EXPORT_MDD] = {"mdd", "mdd",
                       "MDD point caches, one per part whose points stay the same, with an OBJ of the first frame",
                       DR_EXPORT_POINT_CACHES, "cm", false},
    [DR_EXPORT_VDB] = {"vdb", "vdb", "OpenVDB level set and velocity of the liquid's surface, a file per frame",
                       DR_EXPORT_FILES_OF_FRAMES, "cm", false},
    [DR_EXPORT_USDA] = {"usda", "usda", "USD text, one layer with all frames as time samples", DR_EXPORT_LAYER, "cm",
                        false},
    [DR_EXPORT_GLTF] = {"gltf", "glb", "binary glTF for sharing, a file per frame, always in metres with y up",
                        DR_EXPORT_FILES_OF_FRAMES, "m", true},
};

// Blender's importer of OBJ turns y up to z up itself, and a point cache moves the points of such a mesh.
static const dr_export_program programs[] = {
    {"blender", "metres, z up; File > Import > Stanford PLY, Add > Volume for vdb", "ply", "m",
     1U << DR_EXPORT_PLY | 1U << DR_EXPORT_VTK | 1U << DR_EXPORT_VDB | 1U << DR_EXPORT_USDA},
    {"houdini", "metres, y up; File SOP for ply, obj and vdb, USD Import or LOPs for usda", "usda", "m", 0},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

const char *dr_export_program_name(int index)
{
    return index >= 0 && index < PROGRAMS ? programs[index].name : NULL;
}

const char *dr_export_program_text(int index)
{
    return index >= 0 && index < PROGRAMS ? programs[index].text : NULL;
}

const char *dr_export_format_name(int index)
{
    return index >= 0 && index < DR_EXPORT_FORMATS ? formats[index].name : NULL;
}

const char *dr_export_format_text(int index)
{
    return index >= 0 && index < DR_EXPORT_FORMATS ? formats[index].text : NULL;
}

void dr_export_options_default(dr_export_options *options)
{
    *options = (dr_export_options){.first = 1, .last = 0, .step = 1};
}

// ---- one allocator for several threads

static void *resize_shared(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    dr_export_job *job = user;
    dr_par_lock_take(&job->lock);
    void *fresh = dr_memory_resize(job->outer, block, old_bytes, new_bytes);
    dr_par_lock_give(&job->lock);
    return fresh;
}

// ---- what is asked for

static dr_status refuse_format(const char *name, dr_error *error)
{
    char known[100] = "";
    for (int i = 0; i < DR_EXPORT_FORMATS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", formats[i].name);
    }
    dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "there is no format \"%s\"", name ? name : "");
    dr_error_hint(error, "formats are %s", known);
    return DR_STATUS_BAD_ARGUMENT;
}

static dr_status choose_program(dr_export_job *job)
{
    char known[100] = "";
    if (!job->options->program) return DR_STATUS_OK;
    for (int i = 0; i < PROGRAMS && !job->program; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", programs[i].name);
        if (strcmp(job->options->program, programs[i].name) == 0) job->program = &programs[i];
    }
    if (job->program) return DR_STATUS_OK;
    dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "there is no program \"%s\"", job->options->program);
    dr_error_hint(job->error, "programs are %s", known);
    return DR_STATUS_BAD_ARGUMENT;
}

static dr_status choose_format(dr_export_job *job)
{
    const char *name = job->options->format;
    if (!name && job->program) name = job->program->format;
    for (int i = 0; i < DR_EXPORT_FORMATS && name; i++) {
        if (strcmp(name, formats[i].name) != 0) continue;
        job->kind = (dr_export_kind)i;
        job->format = &formats[i];
        return DR_STATUS_OK;
    }
    return refuse_format(name, job->error);
}

static dr_status choose_space(dr_export_job *job)
{
    static const dr_write_space spaces[] = {{"m", 1.0, false}, {"cm", 0.01, false}, {"mm", 0.001, false}};
    const dr_export_options *options = job->options;
    const dr_export_program *program = job->format->fixed ? NULL : job->program;
    const char *unit = options->unit ? options->unit : program ? program->unit : job->format->unit;
    char up = options->up ? options->up : program && program->z_up >> job->kind & 1 ? 'z' : 'y';
    if (up != 'y' && up != 'z') return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "up is \"%c\", not y or z", up);
    if (job->format->fixed && (up != 'y' || strcmp(unit, job->format->unit) != 0))
        return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "%s is always in %s with y up", job->format->name,
                            job->format->unit);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (strcmp(unit, spaces[i].unit) != 0) continue;
        job->wish.space = spaces[i];
        job->wish.space.z_up = up == 'z';
        job->summary.format = job->format->name;
        job->summary.unit = spaces[i].unit;
        job->summary.up = up;
        return DR_STATUS_OK;
    }
    return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "the unit is \"%s\", not m, cm or mm", unit);
}

static bool is_asked_for(const dr_export_job *job, int64_t number, int64_t sample)
{
    const dr_export_options *options = job->options;
    bool all = options->first > options->last;
    int64_t first = options->first, step = options->step;
    if (sample && !options->samples) return false;
    if (all) dr_result_frame_label(job->result, 0, &first, &(int64_t){0});
    if (!all && (number < options->first || number > options->last)) return false;
    return (number - first) % step == 0;
}

static dr_status choose_frames(dr_export_job *job)
{
    size_t count = dr_result_frame_count(job->result);
    const dr_export_options *options = job->options;
    int64_t number, sample;
    if (options->step < 1) return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "the step of frames is below 1");
    if (count == 0) return dr_error_add(job->error, DR_STATUS_NO_FILE, "%s: holds no frames", options->folder);
    job->frames = dr_memory_alloc(job->allocator, count * sizeof *job->frames);
    job->times = dr_memory_alloc(job->allocator, count * sizeof *job->times);
    if (!job->frames || !job->times) return dr_error_memory(job->error, "exporting frames");
    for (size_t i = 0; i < count; i++) {
        dr_result_frame_label(job->result, i, &number, &sample);
        if (is_asked_for(job, number, sample)) job->frames[job->frame_count++] = i;
    }
    if (job->frame_count) return DR_STATUS_OK;
    int64_t first, last;
    dr_result_frame_label(job->result, 0, &first, &sample);
    dr_result_frame_label(job->result, count - 1, &last, &sample);
    return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "%s: has the frames %lld to %lld, none of %lld to %lld",
                        options->folder, (long long)first, (long long)last, (long long)options->first,
                        (long long)options->last);
}

static void read_clock(dr_export_job *job)
{
    const dr_scene *scene = dr_result_scene(job->result);
    job->rate = scene ? dr_scene_view(scene)->time.frame_rate : 24.0;
    job->samples = scene ? dr_scene_view(scene)->time.samples : 1;
}

// As the scene's look has it in pictures, where the caller does not want another cell.
static void choose_surface(dr_export_job *job)
{
    dr_surface_options *surface = &job->wish.surface;
    const dr_scene *scene = dr_result_scene(job->result);
    dr_surface_options_default(surface);
    surface->scene = scene;
    if (scene) {
        const dr_liquid_look_spec *look = &dr_scene_view(scene)->look.liquid;
        surface->smoothing = (float)look->smoothing;
        surface->films = look->films;
        if (look->cell != DR_AUTO) surface->cell = (float)look->cell;
    }
    if (job->options->cell > 0.0) surface->cell = (float)job->options->cell;
}

static dr_status prepare(dr_export_job *job)
{
    const dr_export_options *options = job->options;
    dr_status status = choose_program(job);
    if (!status) status = choose_format(job);
    if (!status) status = choose_space(job);
    if (!status && job->kind == DR_EXPORT_VDB && options->parts && strcmp(options->parts, "surface") != 0)
        status = dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "vdb holds the part \"surface\" and no other");
    if (!status && strlen(options->output) > DR_FOLDER_PREFIX)
        status = dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "the folder's name is too long");
    if (!status) status = dr_result_open(options->folder, job->outer, &job->result, job->error);
    if (!status) status = choose_frames(job);
    if (!status) status = dr_folder_make(options->output, job->error);
    if (status) return status;
    job->wish.parts = options->parts;
    choose_surface(job);
    job->wish.empty = job->kind == DR_EXPORT_VTK || job->kind == DR_EXPORT_USDA; // else what was there would stay
    job->wish.sorted = job->format->family == DR_EXPORT_POINT_CACHES;
    job->par = dr_par_open(options->threads);
    job->inner = dr_par_open(job->frame_count == 1 ? job->par.threads : 1);
    job->slot_count = 4 * (size_t)job->par.threads;
    job->slots = dr_memory_alloc(job->allocator, job->slot_count * sizeof *job->slots);
    if (!job->slots) return dr_error_memory(job->error, "exporting frames");
    read_clock(job);
    return DR_STATUS_OK;
}

// ---- one frame, in any thread

static const dr_frame *read_frame(dr_export_job *job, dr_export_slot *slot)
{
    const dr_frame *frame = NULL;
    dr_par_lock_take(&job->lock);
    slot->status = dr_result_read(job->result, slot->index, &frame, &slot->error);
    dr_par_lock_give(&job->lock);
    return frame;
}

static void tell_progress(dr_export_job *job, const dr_export_slot *slot)
{
    dr_export_progress *progress = &job->progress;
    progress->frame = slot->number;
    progress->frames_done++;
    progress->seconds = dr_clock_now() - job->start;
    progress->seconds_left =
        progress->seconds / (double)progress->frames_done * (double)(progress->frames_total - progress->frames_done);
    if (job->options->progress) job->options->progress(job->options->user, progress);
}

static void release_frame(dr_export_job *job, const dr_export_slot *slot, const dr_frame *frame)
{
    dr_par_lock_take(&job->lock);
    dr_result_release(frame);
    if (!slot->status) tell_progress(job, slot);
    dr_par_lock_give(&job->lock);
}

static bool is_stopped(const dr_export_job *job)
{
    return job->options->stop && *job->options->stop;
}

static void export_frames(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_export_job *job = user;
    for (size_t i = begin; i < end; i++) {
        dr_export_slot *slot = &job->slots[i];
        if (is_stopped(job)) {
            slot->status = DR_STATUS_INTERRUPTED;
            continue;
        }
        const dr_frame *frame = read_frame(job, slot);
        if (!slot->status) slot->status = dr_export_encode(job, slot, frame);
        release_frame(job, slot, frame);
    }
}

static void clear_slot(dr_export_job *job, dr_export_slot *slot)
{
    for (size_t i = 0; i < slot->count; i++) dr_text_close(&slot->chunks[i].text);
    dr_memory_free(job->allocator, slot->chunks, slot->capacity * sizeof *slot->chunks);
    *slot = (dr_export_slot){0};
}

static dr_status take_slot(dr_export_job *job, const dr_export_slot *slot, size_t frame)
{
    job->summary.files += slot->files;
    job->summary.bytes += slot->bytes;
    if (!slot->status) {
        *(slot->sample ? &job->summary.samples : &job->summary.frames) += 1;
        return dr_export_append(job, slot, frame);
    }
    if (slot->error.count) dr_error_add(job->error, slot->status, "%s", slot->error.text);
    return slot->status;
}

static dr_status export_batch(dr_export_job *job, size_t begin, size_t end)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = begin; i < end; i++) {
        dr_export_slot *slot = &job->slots[i - begin];
        slot->index = job->frames[i];
        dr_result_frame_label(job->result, slot->index, &slot->number, &slot->sample);
    }
    dr_par_for(&job->par, end - begin, 1, export_frames, job);
    for (size_t i = begin; i < end; i++) {
        if (!status) status = take_slot(job, &job->slots[i - begin], i);
        clear_slot(job, &job->slots[i - begin]);
    }
    return status;
}

// ---- the whole

static dr_status export_all(dr_export_job *job)
{
    dr_status status = prepare(job);
    if (status) return status;
    job->progress.frames_total = (int64_t)job->frame_count;
    for (size_t i = 0; i < job->frame_count && !status; i += job->slot_count) {
        size_t end = i + job->slot_count < job->frame_count ? i + job->slot_count : job->frame_count;
        status = export_batch(job, i, end);
    }
    return status ? status : dr_export_finish(job);
}

static void close_job(dr_export_job *job)
{
    size_t count = job->result ? dr_result_frame_count(job->result) : 0;
    for (size_t i = 0; i < job->stream_count; i++) dr_spool_close(&job->streams[i].spool);
    dr_memory_free(job->allocator, job->streams, job->stream_capacity * sizeof *job->streams);
    dr_memory_free(job->allocator, job->slots, job->slot_count * sizeof *job->slots);
    dr_memory_free(job->allocator, job->frames, count * sizeof *job->frames);
    dr_memory_free(job->allocator, job->times, count * sizeof *job->times);
    dr_result_close(job->result);
}

dr_status dr_export(const dr_export_options *options, dr_export_summary *summary, dr_error *error)
{
    dr_export_job job = {.options = options, .error = error, .outer = options->allocator, .start = dr_clock_now()};
    job.shared = (dr_allocator){&job, resize_shared};
    job.allocator = options->allocator ? &job.shared : NULL;
    dr_par_lock_open(&job.lock);
    dr_status status = export_all(&job);
    job.summary.seconds = dr_clock_now() - job.start;
    if (summary) *summary = job.summary;
    close_job(&job);
    dr_par_lock_close(&job.lock);
    return status;
}
