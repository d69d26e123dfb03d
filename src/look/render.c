// `drench render`: which frames, what the camera should see over all of them, one picture after the other, and where
// the pictures go: files or a movie.
#include "drench/render.h"

#include "base/clock.h"
#include "base/memory.h"
#include "io/folder.h"
#include "look/action.h"
#include "look/draw.h"
#include "look/movie.h"
#include "look/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS     9    // frames that the box of the action is taken from
#define NAME_ROOM 4096 // of a file

typedef enum target { TO_FILE, TO_PATTERN, TO_FOLDER, TO_MOVIE } target;

typedef struct job {
    const dr_render_options *options;
    dr_result *result;
    const dr_scene *scene;
    dr_scene *plain; // where there is none, to destroy
    target target;
    size_t *frames; // indices
    size_t frame_count, frame_room;
    dr_box action;
    dr_par par;
    uint8_t *pixels;
    size_t pixel_bytes;
    dr_movie movie;
    size_t at; // the frame at work
    double start, cpu_start;
    dr_render_summary summary;
    dr_error *error;
} job;

void dr_render_options_default(dr_render_options *options)
{
    *options = (dr_render_options){.first = 1, .last = 0, .step = 1};
}

// ---- where pictures go

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

// One "%d", "%4d" or "%06d" and no other percent sign; NULL where the name is no such pattern.
static const char *find_number(const char *name, int *width)
{
    const char *found = strchr(name, '%');
    if (!found) return NULL;
    const char *at = found + 1;
    *width = 0;
    while (*at >= '0' && *at <= '9' && *width < 100) *width = 10 * *width + (*at++ - '0');
    return *at == 'd' && *width <= 20 && !strchr(at, '%') ? found : NULL;
}

static dr_status choose_target(job *job)
{
    const char *output = job->options->output;
    int width;
    if (!output || !*output)
        return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "where the picture goes is not said");
    if (strlen(output) > DR_FOLDER_PREFIX)
        return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "the name of the output is too long: %zu bytes",
                            strlen(output));
    if (dr_movie_named(output)) {
        job->target = TO_MOVIE;
    } else if (find_number(output, &width) && ends_with(output, ".png")) {
        job->target = TO_PATTERN;
    } else if (ends_with(output, ".png") && !dr_folder_exists(output)) {
        job->target = TO_FILE;
    } else if (dr_folder_exists(output) || output[strlen(output) - 1] == '/' || !strrchr(output, '.') ||
               strrchr(output, '.') < strrchr(output, '/')) {
        job->target = TO_FOLDER;
    } else {
        dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "%s: no such kind of picture or movie is known", output);
        dr_error_hint(job->error, "known are picture.png, picture_%%04d.png, a folder, and movies that end with .mp4, "
                                  ".mkv, .mov, .webm or .gif");
        return DR_STATUS_BAD_ARGUMENT;
    }
    return DR_STATUS_OK;
}

// The folder and the name of a frame's picture.
static void name_picture(const job *job, int64_t number, char folder[NAME_ROOM], char name[NAME_ROOM])
{
    char path[NAME_ROOM];
    const char *output = job->options->output;
    int width = 0;
    const char *at = job->target == TO_PATTERN ? find_number(output, &width) : NULL;
    if (job->target == TO_FOLDER) {
        snprintf(path, sizeof path, "%s/frame_%06lld.png", output, (long long)number);
    } else if (at) {
        snprintf(path, sizeof path, at[1] == '0' ? "%.*s%0*lld%s" : "%.*s%*lld%s", (int)(at - output), output, width,
                 (long long)number, strchr(at, 'd') + 1);
    } else {
        snprintf(path, sizeof path, "%s", output);
    }
    const char *slash = strrchr(path, '/');
    snprintf(folder, NAME_ROOM, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
    snprintf(name, NAME_ROOM, "%s", slash ? slash + 1 : path);
}

static dr_status write_picture(job *job, int64_t number)
{
    const dr_look_spec *look = &dr_scene_view(job->scene)->look;
    char folder[NAME_ROOM], name[NAME_ROOM];
    uint8_t *data;
    size_t bytes, room;
    if (job->target == TO_MOVIE) return dr_movie_add(&job->movie, job->pixels, job->pixel_bytes, job->error);
    dr_status status = dr_picture_encode((int)look->width, (int)look->height, job->pixels, job->options->allocator,
                                         &data, &bytes, &room, job->error);
    if (status) return status;
    name_picture(job, number, folder, name);
    status = dr_folder_make(folder, job->error);
    dr_piece piece = {data, bytes};
    if (!status) status = dr_folder_write(folder, name, NULL, &piece, 1, job->error);
    dr_memory_free(job->options->allocator, data, room);
    return status;
}

// ---- which frames

static bool is_asked_for(const job *job, int64_t number, int64_t sample, int64_t first)
{
    const dr_render_options *options = job->options;
    if (sample) return false;
    if (options->first > options->last) return (number - first) % options->step == 0;
    return number >= options->first && number <= options->last && (number - options->first) % options->step == 0;
}

static dr_status refuse_frames(const job *job, size_t count)
{
    const dr_render_options *options = job->options;
    int64_t first, last, sample;
    dr_result_frame_label(job->result, 0, &first, &sample);
    dr_result_frame_label(job->result, count - 1, &last, &sample);
    return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "%s: has the frames %lld to %lld, none of %lld to %lld",
                        options->folder, (long long)first, (long long)last, (long long)options->first,
                        (long long)options->last);
}

static dr_status choose_frames(job *job)
{
    const dr_render_options *options = job->options;
    size_t count = dr_result_frame_count(job->result);
    int64_t number, sample, first;
    if (options->step < 1) return dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "the step of frames is below 1");
    if (count == 0) {
        dr_error_add(job->error, DR_STATUS_NO_FILE, "%s: holds no frames", options->folder);
        dr_error_hint(job->error, "`drench run SCENE -o %s` makes some", options->folder);
        return DR_STATUS_NO_FILE;
    }
    job->frame_room = count;
    job->frames = dr_memory_alloc(options->allocator, count * sizeof *job->frames);
    if (!job->frames) return dr_error_memory(job->error, "listing frames");
    dr_result_frame_label(job->result, 0, &first, &sample);
    for (size_t i = 0; i < count; i++) {
        dr_result_frame_label(job->result, i, &number, &sample);
        if (is_asked_for(job, number, sample, first)) job->frames[job->frame_count++] = i;
    }
    if (job->frame_count == 0) return refuse_frames(job, count);
    if (job->target != TO_FILE || job->frame_count == 1) return DR_STATUS_OK;
    if (options->first <= options->last) {
        dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "%s: %zu frames cannot go into one picture", options->output,
                     job->frame_count);
        dr_error_hint(job->error, "name one frame, or write picture_%%04d.png, a folder or a movie");
        return DR_STATUS_BAD_ARGUMENT;
    }
    job->frames[0] = job->frames[job->frame_count - 1];
    job->frame_count = 1;
    return DR_STATUS_OK;
}

// ---- what the camera should see

static bool is_stopped(const job *job)
{
    return job->options->stop && *job->options->stop;
}

static bool framing_is_needed(const dr_camera_spec *camera)
{
    for (int a = 0; a < 3; a++) {
        if (camera->position[a] == DR_AUTO || camera->target[a] == DR_AUTO) return true;
    }
    return false;
}

static dr_status look_at(job *job, size_t index)
{
    const dr_frame *frame;
    dr_box box;
    dr_status status = dr_result_read(job->result, index, &frame, job->error);
    if (status) return status;
    status = dr_action_find(frame, job->scene, job->options->allocator, &box, job->error);
    dr_result_release(frame);
    if (!status) job->action = dr_action_join(job->action, box);
    return status;
}

// A few frames of all there are, evenly, and every one that is drawn. A run that is still writing counts as far as it
// is.
static dr_status find_action(job *job)
{
    size_t count = dr_result_frame_count(job->result);
    size_t looks = framing_is_needed(&dr_scene_view(job->scene)->look.camera) ? LOOKS : 0;
    dr_status status = DR_STATUS_OK;
    job->action = dr_action_nothing();
    for (size_t i = 0; !status && i < looks && i < count && !is_stopped(job); i++)
        status = look_at(job, looks < count ? i * (count - 1) / (looks - 1) : i);
    size_t drawn = looks ? job->frame_count : 1; // a camera that stands needs the ground and the scale alone
    for (size_t i = 0; !status && i < drawn && !is_stopped(job); i++) status = look_at(job, job->frames[i]);
    return status;
}

// ---- drawing

static void tell(void *user, double share)
{
    const job *job = user;
    double done = ((double)job->at + share) / (double)job->frame_count, seconds = dr_clock_now() - job->start;
    int64_t number, sample;
    dr_result_frame_label(job->result, job->frames[job->at], &number, &sample);
    dr_render_progress progress = {.frame = number,
                                   .frames_done = (int64_t)job->at + (share >= 1.0),
                                   .frames_total = (int64_t)job->frame_count,
                                   .share = share,
                                   .seconds = seconds,
                                   .seconds_left = done > 0.01 ? seconds * (1.0 - done) / done : -1.0};
    if (job->options->progress) job->options->progress(job->options->user, &progress);
}

static dr_status draw_one(job *job)
{
    const dr_frame *frame;
    int64_t number, sample;
    size_t index = job->frames[job->at];
    dr_result_frame_label(job->result, index, &number, &sample);
    dr_status status = dr_result_read(job->result, index, &frame, job->error);
    if (status) return status;
    dr_draw draw = {.scene = job->scene,
                    .frame = frame,
                    .action = job->action,
                    .par = job->par,
                    .allocator = job->options->allocator,
                    .stop = job->options->stop,
                    .advance = tell,
                    .user = job,
                    .summary = &job->summary};
    status = dr_draw_frame(&draw, job->pixels, job->error);
    dr_result_release(frame);
    if (!status) status = write_picture(job, number);
    if (!status) job->summary.frames++;
    return status;
}

static dr_status open_movie(job *job)
{
    const dr_scene_spec *spec = dr_scene_view(job->scene);
    double rate =
        job->options->frame_rate > 0.0 ? job->options->frame_rate : spec->time.frame_rate / (double)job->options->step;
    if (job->target != TO_MOVIE) return DR_STATUS_OK;
    return dr_movie_open(&job->movie, job->options->output, (int)spec->look.width, (int)spec->look.height, rate,
                         job->error);
}

static dr_status choose_scene(job *job)
{
    job->scene = job->options->scene ? job->options->scene : dr_result_scene(job->result);
    if (job->scene) return DR_STATUS_OK;
    dr_status status = dr_scene_create(job->options->allocator, &job->plain, job->error);
    job->scene = job->plain;
    return status;
}

static dr_status prepare(job *job)
{
    dr_status status = choose_target(job);
    if (!status) status = dr_result_open(job->options->folder, job->options->allocator, &job->result, job->error);
    if (!status) status = choose_scene(job);
    if (!status) status = choose_frames(job);
    if (!status) status = find_action(job);
    if (status) return status;
    const dr_look_spec *look = &dr_scene_view(job->scene)->look;
    job->pixel_bytes = 3 * (size_t)look->width * (size_t)look->height;
    job->pixels = dr_memory_alloc(job->options->allocator, job->pixel_bytes);
    if (!job->pixels) return dr_error_memory(job->error, "drawing a picture");
    return open_movie(job);
}

static dr_status finish(job *job, dr_status status)
{
    dr_status closed = dr_movie_close(&job->movie, status && status != DR_STATUS_INTERRUPTED ? NULL : job->error);
    if (!status) status = closed;
    dr_memory_free(job->options->allocator, job->pixels, job->pixel_bytes);
    dr_memory_free(job->options->allocator, job->frames, job->frame_room * sizeof *job->frames);
    dr_scene_destroy(job->plain);
    dr_result_close(job->result);
    job->summary.seconds = dr_clock_now() - job->start;
    job->summary.cpu_seconds = dr_clock_cpu() - job->cpu_start;
    return status;
}

dr_status dr_render(const dr_render_options *options, dr_render_summary *summary, dr_error *error)
{
    job job = {.options = options,
               .par = dr_par_open(options->threads),
               .start = dr_clock_now(),
               .cpu_start = dr_clock_cpu(),
               .error = error};
    dr_status status = prepare(&job);
    for (; !status && job.at < job.frame_count; job.at++) status = draw_one(&job);
    status = finish(&job, status);
    if (summary) *summary = job.summary;
    return status;
}

// ---- one frame from memory

typedef struct single {
    const dr_render_options *options;
    int64_t number;
    double start;
} single;

static void tell_single(void *user, double share)
{
    const single *single = user;
    double seconds = dr_clock_now() - single->start;
    dr_render_progress progress = {.frame = single->number,
                                   .frames_done = share >= 1.0,
                                   .frames_total = 1,
                                   .share = share,
                                   .seconds = seconds,
                                   .seconds_left = share > 0.01 ? seconds * (1.0 - share) / share : -1.0};
    if (single->options->progress) single->options->progress(single->options->user, &progress);
}

dr_status dr_render_frame(const dr_scene *scene, const dr_frame *frame, const dr_render_options *options,
                          uint8_t *pixels, dr_error *error)
{
    dr_render_options plain;
    dr_render_options_default(&plain);
    if (!options) options = &plain;
    single single = {options, frame->number, dr_clock_now()};
    dr_draw draw = {.scene = scene,
                    .frame = frame,
                    .par = dr_par_open(options->threads),
                    .allocator = options->allocator,
                    .stop = options->stop,
                    .advance = tell_single,
                    .user = &single};
    dr_status status = dr_action_find(frame, scene, options->allocator, &draw.action, error);
    return status ? status : dr_draw_frame(&draw, pixels, error);
}
