#include "command.h"

#include "progress.h"
#include "scene.h"
#include "tell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// "results/" and the scene's file name without its ending.
static void default_folder(char *folder, size_t room, const char *scene)
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, room, "results/%.*s", length, name);
}

// The command line in one piece, for run.json; words with spaces stand in quotes.
static char *join_words(const settings *settings)
{
    size_t bytes = 1;
    for (int i = 0; i < settings->word_count; i++) bytes += strlen(settings->words[i]) + 3;
    char *joined = calloc(bytes, 1);
    for (int i = 0; joined && i < settings->word_count; i++) {
        bool quotes = strpbrk(settings->words[i], " \t'\"$") != NULL;
        if (i) strcat(joined, " ");
        if (quotes) strcat(joined, "'");
        strcat(joined, settings->words[i]);
        if (quotes) strcat(joined, "'");
    }
    return joined;
}

typedef struct outcome {
    const char *scene, *folder; // folder NULL: nothing was written
    dr_status status;
    const dr_error *error;
    dr_run_summary summary;
    int64_t first_frame;
    bool was_complete; // before this run
} outcome;

static void print_json(const outcome *end)
{
    const dr_run_summary *sum = &end->summary;
    printf("{\"event\": \"end\", \"status\": ");
    print_quoted(stdout, end->status ? dr_status_name(end->status) : "complete");
    printf(", \"exit\": %d, \"complete\": %s, \"resumed\": %s, \"steps\": %lld, \"frames\": %lld, \"rejected\": %lld, "
           "\"time\": %.17g, \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"state_hash\": \"%016" PRIx64 "\", "
           "\"peak_particles\": %llu, \"peak_resident_bytes\": %llu, \"folder\": ",
           (int)status_of(end->status), sum->complete ? "true" : "false", sum->resumed ? "true" : "false",
           (long long)sum->steps, (long long)sum->frames, (long long)sum->rejected, sum->time, sum->seconds,
           sum->cpu_seconds, sum->state_hash, (unsigned long long)sum->peak_particles,
           (unsigned long long)sum->peak_resident_bytes);
    if (end->folder) {
        print_quoted(stdout, end->folder);
    } else {
        printf("null");
    }
    printf(", \"problem\": ");
    if (end->status && end->error->count) {
        print_quoted(stdout, end->error->text);
    } else {
        printf("null");
    }
    printf("}\n");
}

static void print_whereabouts(const outcome *end)
{
    if (!end->folder) return;
    printf("results are in %s; look at them with\n", end->folder);
    printf("    drench info %s\n", end->folder);
    printf("    drench view %s --open\n", end->folder);
    printf("    drench render %s -o picture.png\n", end->folder);
    printf("    h5dump -H %s/frames/frame_%06lld.h5\n", end->folder, (long long)end->first_frame);
}

static void print_end(const outcome *end)
{
    char clock[40];
    const dr_run_summary *sum = &end->summary;
    progress_print_time(clock, sizeof clock, sum->seconds);
    if (end->was_complete) {
        printf("already complete: nothing to do\n");
    } else {
        printf("%s: %lld frames in %lld steps, %.6g s simulated in %s, state %016" PRIx64 "\n",
               end->status ? "stopped" : "done", (long long)sum->frames, (long long)sum->steps, sum->time, clock,
               sum->state_hash);
    }
    if (end->status == DR_STATUS_INTERRUPTED && end->folder) {
        printf("go on with\n    drench run %s -o %s --resume\n", end->scene, end->folder);
    } else {
        print_whereabouts(end);
    }
}

typedef struct listener {
    progress progress;
    outcome *end;
} listener;

static void listen(void *user, const dr_progress *now)
{
    listener *to = user;
    to->end->was_complete = false;
    progress_show(&to->progress, now);
}

static void listen_notice(void *user, const char *text)
{
    progress_notice(&((listener *)user)->progress, text);
}

static exit_status simulate(const dr_scene *scene, const settings *settings, const char *folder, const char *command)
{
    dr_error error = {0};
    outcome end = {.scene = settings->operands[0],
                   .folder = folder,
                   .error = &error,
                   .first_frame = dr_scene_view(scene)->time.start_frame,
                   .was_complete = true};
    listener to = {.end = &end};
    dr_run_options options;
    dr_run_options_default(&options);
    options.folder = folder;
    options.threads = (int)settings->threads;
    options.frames = settings->frames;
    options.until = settings->until;
    options.resume = settings->resume;
    options.overwrite = settings->overwrite;
    options.command = command;
    options.stop = signals_stop();
    options.progress = listen;
    options.notice = listen_notice;
    options.user = &to;
    progress_open(&to.progress, settings->quiet, settings->json);
    signals_watch();
    end.status = dr_run(scene, &options, &end.summary, &error);
    progress_close(&to.progress);
    end.was_complete = end.was_complete && !end.status;
    if (settings->json && !settings->quiet) print_json(&end);
    if (end.status && end.status != DR_STATUS_INTERRUPTED) return tell_error(end.status, &error);
    if (!settings->json && !settings->quiet) print_end(&end);
    return status_of(end.status);
}

static bool check_options(const settings *settings)
{
    if (settings->resume && settings->overwrite) {
        tell_problem("run: --resume and --overwrite exclude each other");
    } else if (settings->no_output && (settings->output || settings->resume)) {
        tell_problem("run: --no-output excludes -o and --resume");
    } else {
        return true;
    }
    return false;
}

exit_status run_command(const settings *settings)
{
    char folder[4096];
    exit_status status;
    if (!check_options(settings)) return EXIT_USAGE;
    dr_scene *scene = scene_open(settings->operands[0], settings, NULL, &status);
    if (!scene) return status;
    default_folder(folder, sizeof folder, settings->operands[0]);
    if (settings->output) snprintf(folder, sizeof folder, "%s", settings->output);
    char *command = join_words(settings);
    status = simulate(scene, settings, settings->no_output ? NULL : folder, command);
    free(command);
    dr_scene_destroy(scene);
    return status;
}
