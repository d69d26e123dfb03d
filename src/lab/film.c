#include "lab/film.h"

#include "base/error.h"
#include "base/number.h"
#include "base/memory.h"
#include "lab/parts.h"

#include <math.h>
#include <string.h>

static double *take(const dr_lab_film *film, size_t components)
{
    return dr_memory_alloc(NULL, components * (size_t)film->room * sizeof(double));
}

static bool open_frames(dr_lab_film *film, size_t vertices)
{
    film->vertices = vertices;
    film->height = take(film, vertices);
    film->x = take(film, 3 * vertices);
    film->time = take(film, 1);
    return film->height && film->x && film->time;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    dr_lab_film *film = user;
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, "strands") != 0 || film->frames >= film->room) continue;
        if (!film->height && !open_frames(film, part->point_count)) return;
        const dr_frame_array *position = dr_frame_find(part, "position"), *height = dr_frame_find(part, "film_height");
        size_t at = (size_t)film->frames * film->vertices;
        film->time[film->frames++] = frame->time;
        for (size_t v = 0; v < film->vertices; v++) {
            film->height[at + v] = dr_lab_item(height, v, 0);
            for (size_t a = 0; a < 3; a++) film->x[3 * (at + v) + a] = dr_lab_item(position, v, (int)a);
        }
    }
}

static void watch_report(void *user, const dr_report *report)
{
    dr_lab_film *film = user;
    if (!dr_memory_reserve(NULL, (void **)&film->step, &film->step_room, film->steps + 1, sizeof *film->step)) return;
    dr_lab_film_step *step = &film->step[film->steps++];
    *step = (dr_lab_film_step){.time = report->time,
                               .film = report->volume_film,
                               .bulk = report->volume_bulk,
                               .drained = report->volume_drained,
                               .mass = report->mass,
                               .kinetic = report->energy_kinetic};
    step->energy = report->energy_kinetic + report->energy_elastic + report->energy_potential + report->energy_surface;
    step->magnitude = fabs(report->energy_kinetic) + fabs(report->energy_elastic) + fabs(report->energy_potential) +
                      fabs(report->energy_surface);
    memcpy(step->linear, report->linear_momentum, sizeof step->linear);
    memcpy(step->angular, report->angular_momentum, sizeof step->angular);
}

dr_status dr_lab_film_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames, double step,
                          dr_lab_film *film, dr_error *error)
{
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = film};
    *film = (dr_lab_film){.room = frames + 1};
    dr_lab_scene_time(scene, duration, frames, step);
    dr_status status = dr_lab_simulate(lab, part, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status == DR_STATUS_OK && (film->frames < 2 || film->steps == 0))
        status = dr_error_memory(error, "watching a film");
    if (status) dr_lab_film_forget(film);
    return status;
}

void dr_lab_film_forget(dr_lab_film *film)
{
    size_t room = (size_t)film->room;
    dr_memory_free(NULL, film->height, film->height ? room * film->vertices * sizeof *film->height : 0);
    dr_memory_free(NULL, film->x, film->x ? 3 * room * film->vertices * sizeof *film->x : 0);
    dr_memory_free(NULL, film->time, film->time ? room * sizeof *film->time : 0);
    dr_memory_free(NULL, film->step, film->step_room * sizeof *film->step);
    *film = (dr_lab_film){0};
}

double dr_lab_film_height(const dr_lab_film *film, int frame, size_t vertex)
{
    return film->height[(size_t)frame * film->vertices + vertex];
}

static double edge(const dr_lab_film *film, int frame, size_t e)
{
    const double *x = film->x + 3 * ((size_t)frame * film->vertices + e);
    return hypot(hypot(x[3] - x[0], x[4] - x[1]), x[5] - x[2]);
}

static double cell(const dr_lab_film *film, int frame, size_t v)
{
    return 0.5 * ((v > 0 ? edge(film, frame, v - 1) : 0.0) + (v + 1 < film->vertices ? edge(film, frame, v) : 0.0));
}

double dr_lab_film_volume(const dr_lab_film *film, int frame, size_t from, size_t to, double radius)
{
    double sum = 0.0;
    for (size_t v = from; v < to; v++) {
        double h = dr_lab_film_height(film, frame, v);
        sum += DR_PI * h * (h + 2.0 * radius) * cell(film, frame, v);
    }
    return sum;
}

double dr_lab_film_mode(const dr_lab_film *film, int frame, size_t from, size_t to, double wave_length, double offset)
{
    double sum = 0.0, weight = 0.0, along = offset, mean = 0.0;
    for (size_t v = from; v < to; v++) mean += dr_lab_film_height(film, frame, v) / (double)(to - from);
    for (size_t e = 0; e < from; e++) along += edge(film, frame, e);
    for (size_t v = from; v < to; v++) {
        double c = cos(2.0 * DR_PI * along / wave_length);
        sum += c * (dr_lab_film_height(film, frame, v) - mean);
        weight += c * c;
        along += edge(film, frame, v);
    }
    return sum / weight;
}
