#include "command.h"

#include "progress.h"
#include "scene.h"
#include "tell.h"

#include <math.h>
#include <time.h>

#define GIB (1024.0 * 1024.0 * 1024.0)

// The pace is measured for so long, in so many steps at most. Half of either makes the estimate rougher; twice, and
// looking at a scene takes longer than it is worth.
#define PACE_SECONDS 1.0
#define PACE_STEPS   40

static void print_summary(const char *path, const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    printf("%s: good%s%s\n", path, spec->title && spec->title[0] ? ": " : "", spec->title ? spec->title : "");
    printf("    %lld frames at %g per second, cells of %g cm; bodies %d, strands %d, emitters %d, colliders %d, drains "
           "%d, forces "
           "%d\n",
           (long long)spec->time.frames, spec->time.frame_rate, spec->domain.cell, spec->bodies.count,
           spec->strands.count, spec->emitters.count, spec->colliders.count, spec->drains.count, spec->forces.count);
}

static void print_bytes(double bytes)
{
    if (bytes >= 0.1 * GIB) {
        printf("%.3g GiB", bytes / GIB);
    } else {
        printf("%.3g MiB", 1024.0 * bytes / GIB);
    }
}

static void print_forecast(const dr_forecast *forecast, const dr_scene_spec *spec)
{
    printf("    %s%.0f particles", forecast->particles > 0.0 ? "about " : "", forecast->particles);
    if (forecast->emitted > 0.0) printf(", and emitters add about %.0f", forecast->emitted);
    printf("; %.0f vertices of strands", forecast->vertices);
    if (forecast->triangles > 0.0)
        printf("; %.0f vertices and %.0f triangles of cloth", forecast->cloth_vertices, forecast->triangles);
    printf("\n    memory: about ");
    print_bytes(forecast->bytes);
    if (spec->memory_limit > 0.0) {
        printf(" of the %.3g GiB that the scene allows\n", spec->memory_limit / GIB);
    } else if (forecast->machine_bytes > 0.0) {
        printf(" of this machine's %.3g GiB\n", forecast->machine_bytes / GIB);
    } else {
        printf("\n");
    }
}

static double wall_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What the first steps tell.
typedef struct pace {
    double first_step;
    const char *limited_by;
    int steps;                 // that were timed
    double simulated, seconds; // in them
    double particles, bytes;   // after them
    dr_status status;
} pace;

// The first step makes room for everything and is not timed.
static pace measure(dr_world *world, double end, dr_error *error)
{
    pace pace = {.steps = -1};
    double begin = wall_seconds(), start = begin, from = dr_world_time(world);
    while (pace.steps < PACE_STEPS && dr_world_time(world) < end && wall_seconds() - begin < PACE_SECONDS) {
        pace.status = dr_world_step(world, end, error);
        if (pace.status) return pace;
        if (pace.steps++ < 0) {
            pace.first_step = dr_world_report(world)->dt;
            pace.limited_by = dr_world_report(world)->limited_by;
            start = wall_seconds();
            from = dr_world_time(world);
        }
    }
    pace.seconds = wall_seconds() - start;
    pace.simulated = dr_world_time(world) - from;
    pace.particles = (double)dr_world_report(world)->particles;
    pace.bytes = (double)dr_world_report(world)->resident_bytes;
    return pace;
}

// Emitters fill the scene evenly: in the mean half of what they add is there.
static double whole_run(const pace *pace, const dr_scene_spec *spec, const dr_forecast *forecast)
{
    double length = spec->time.pre_roll + (double)spec->time.frames / spec->time.frame_rate;
    double mean = forecast->particles + 0.5 * forecast->emitted;
    double growth = forecast->emitted > 0.0 && pace->particles > 0.0 ? fmax(1.0, mean / pace->particles) : 1.0;
    return length * pace->seconds / pace->simulated * growth;
}

static void print_pace(const pace *pace, const dr_scene_spec *spec, const dr_forecast *forecast)
{
    char clock[40];
    if (pace->steps < 0) return;
    printf("    first step: %.3g s, by %s; memory after %d steps: ", pace->first_step, pace->limited_by,
           pace->steps + 1);
    print_bytes(pace->bytes);
    printf("\n");
    if (pace->steps < 1 || !(pace->simulated > 0.0)) {
        printf("    time: not known, one step takes longer than %g s\n", PACE_SECONDS);
        return;
    }
    progress_print_time(clock, sizeof clock, whole_run(pace, spec, forecast));
    printf("    time: about %s for the whole, at the pace of the first %d steps: %.3g s simulated in %.3g s\n", clock,
           pace->steps + 1, pace->simulated, pace->seconds);
}

static exit_status try_steps(const dr_scene *scene, const settings *settings, const dr_forecast *forecast)
{
    dr_error error = {0};
    dr_world *world = NULL;
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_world_options options = {.threads = (int)settings->threads};
    dr_status status = dr_world_create(scene, &options, &world, &error);
    if (!status) {
        pace pace = measure(world, (double)spec->time.frames / spec->time.frame_rate, &error);
        status = pace.status;
        if (!status) print_pace(&pace, spec, forecast);
    }
    dr_world_destroy(world);
    return status ? tell_error(status, &error) : EXIT_DONE;
}

exit_status check_command(const settings *settings)
{
    exit_status worst = EXIT_DONE;
    for (int i = 0; i < settings->operand_count; i++) {
        exit_status status;
        dr_forecast forecast;
        dr_scene *scene = scene_open(settings->operands[i], settings, &forecast, &status);
        if (scene && !settings->quiet) {
            print_summary(settings->operands[i], scene);
            print_forecast(&forecast, dr_scene_view(scene));
            if (!settings->no_steps) status = try_steps(scene, settings, &forecast);
        }
        if (status > worst) worst = status;
        dr_scene_destroy(scene);
    }
    return worst;
}
