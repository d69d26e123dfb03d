#include "command.h"

#include "progress.h"
#include "range.h"
#include "scene.h"
#include "tell.h"

#include <stdlib.h>
#include <string.h>

#define RENEWAL         0.1 // seconds
#define PREVIEW_SAMPLES 4

// ---- the look

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        text = malloc(*length + 1);
        if (text && fread(text, 1, *length, file) != *length) *length = 0;
    }
    fclose(file);
    return text;
}

// The scene that the results were made with (the files it names may be gone by now, so only its text is read), or the
// one whose look is asked for. NULL after telling what is wrong.
static dr_scene *open_scene(const settings *settings, exit_status *status)
{
    char path[4096];
    size_t length = 0;
    dr_error error = {0};
    dr_scene *scene = NULL;
    snprintf(path, sizeof path, "%s/scene.yaml", settings->operands[0]);
    char *text = settings->look ? NULL : read_text(path, &length);
    dr_status result = settings->look ? dr_scene_read(settings->look, NULL, &scene, &error)
                       : text         ? dr_scene_parse(text, length, path, NULL, &scene, &error)
                                      : dr_scene_create(NULL, &scene, &error);
    free(text);
    for (int i = 0; !result && i < settings->set_count; i++) result = scene_set(scene, settings->sets[i], &error);
    if (!result) return scene;
    *status = tell_error(result, &error);
    dr_scene_destroy(scene);
    return NULL;
}

static bool set_value(dr_scene *scene, const char *path, const char *value)
{
    dr_error error = {0};
    dr_status status = dr_scene_set(scene, path, value, &error);
    if (status) tell_error(status, &error);
    return status == DR_STATUS_OK;
}

static bool set_size(dr_scene *scene, const char *text)
{
    char width[32], height[32];
    const char *cross = strchr(text, 'x');
    if (!cross || cross == text || cross - text > 30) {
        tell_problem("render: --size is \"%s\"", text);
        tell_hint("WIDTHxHEIGHT was expected, as in 1280x720");
        return false;
    }
    snprintf(width, sizeof width, "%.*s", (int)(cross - text), text);
    snprintf(height, sizeof height, "%s", cross + 1);
    return set_value(scene, "look.width", width) && set_value(scene, "look.height", height);
}

static bool set_camera(dr_scene *scene, const char *text)
{
    char place[200];
    const char *colon = strchr(text, ':');
    snprintf(place, sizeof place, "[%.*s]", colon ? (int)(colon - text) : (int)strlen(text), text);
    if (!set_value(scene, "look.camera.position", place)) return false;
    if (!colon) return true;
    snprintf(place, sizeof place, "[%s]", colon + 1);
    return set_value(scene, "look.camera.target", place);
}

static bool set_look(const settings *settings, dr_scene *scene)
{
    char samples[32];
    snprintf(samples, sizeof samples, "%lld", settings->rays > 0 ? (long long)settings->rays : PREVIEW_SAMPLES);
    if (settings->size && !set_size(scene, settings->size)) return false;
    if (settings->camera && !set_camera(scene, settings->camera)) return false;
    return (settings->rays == 0 && !settings->preview) || set_value(scene, "look.samples", samples);
}

// ---- progress

#define BAR 24

static void show_line(progress *progress, const dr_render_progress *now)
{
    char left[40] = "?", bar[BAR + 1];
    double done = ((double)now->frames_done + (now->share < 1.0 ? now->share : 0.0)) / (double)now->frames_total;
    if (done < 1.0 && progress->shown >= 0.0 && now->seconds - progress->shown < RENEWAL) return;
    progress->shown = now->seconds;
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    for (int i = 0; i < BAR; i++) bar[i] = i < (int)(done * BAR) ? '=' : i == (int)(done * BAR) ? '>' : ' ';
    bar[BAR] = 0;
    printf("\r[%s] frame %lld  %3.0f %%  %s left\033[K", bar, (long long)now->frame, 100.0 * done, left);
    fflush(stdout);
    progress->open = true;
}

static void show_progress(void *user, const dr_render_progress *now)
{
    progress *progress = user;
    char left[40] = "?";
    if (progress->style == PROGRESS_LINE) show_line(progress, now);
    if (now->share < 1.0 || progress->style == PROGRESS_LINE || progress->style == PROGRESS_NONE) return;
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    if (progress->style == PROGRESS_JSON) {
        printf("{\"event\": \"frame\", \"frame\": %lld, \"frames_done\": %lld, \"frames_total\": %lld, "
               "\"seconds\": %.3f}\n",
               (long long)now->frame, (long long)now->frames_done, (long long)now->frames_total, now->seconds);
    } else {
        printf("frame %lld  %lld/%lld  %s left\n", (long long)now->frame, (long long)now->frames_done,
               (long long)now->frames_total, left);
    }
    fflush(stdout);
}

static void print_end(const settings *settings, const char *output, dr_status status, const dr_render_summary *sum)
{
    if (settings->json) {
        printf("{\"event\": \"end\", \"status\": ");
        print_quoted(stdout, status ? dr_status_name(status) : "complete");
        printf(", \"exit\": %d, \"frames\": %lld, \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"output\": ",
               (int)status_of(status), (long long)sum->frames, sum->seconds, sum->cpu_seconds);
        print_quoted(stdout, output);
        printf("}\n");
        return;
    }
    char clock[40];
    progress_print_time(clock, sizeof clock, sum->seconds);
    printf("%s: %lld %s in %s (%.0f s of processor time): %s\n", status ? "stopped" : "done", (long long)sum->frames,
           sum->frames == 1 ? "picture" : "pictures", clock, sum->cpu_seconds, output);
}

static exit_status render(const settings *settings, const dr_scene *scene, dr_render_options *options)
{
    dr_error error = {0};
    dr_render_summary summary = {0};
    progress progress;
    options->scene = scene;
    options->threads = (int)settings->threads;
    options->stop = signals_stop();
    options->progress = show_progress;
    options->user = &progress;
    progress_open(&progress, settings->quiet, settings->json);
    signals_watch();
    dr_status status = dr_render(options, &summary, &error);
    progress_close(&progress);
    if (status && status != DR_STATUS_INTERRUPTED) return tell_error(status, &error);
    if (!settings->quiet) print_end(settings, options->output, status, &summary);
    return status_of(status);
}

exit_status render_command(const settings *settings)
{
    char output[4096];
    dr_error error = {0};
    dr_render_options options;
    dr_result *result = NULL;
    exit_status status = EXIT_USAGE;
    dr_render_options_default(&options);
    if (!range_read("render", settings->range, &options.first, &options.last, &options.step)) return EXIT_USAGE;
    dr_status opened = dr_result_open(settings->operands[0], NULL, &result, &error);
    if (opened) return tell_error(opened, &error);
    dr_result_close(result);
    dr_scene *scene = open_scene(settings, &status);
    if (!scene) return status;
    snprintf(output, sizeof output, "%s/picture.png", settings->operands[0]);
    options.folder = settings->operands[0];
    options.output = settings->output ? settings->output : output;
    status = set_look(settings, scene) ? render(settings, scene, &options) : EXIT_USAGE;
    dr_scene_destroy(scene);
    return status;
}
