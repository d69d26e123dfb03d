#include "command.h"

#include "progress.h"
#include "range.h"
#include "tell.h"

#include <string.h>

#define RENEWAL 0.1 // seconds

static bool check_options(const settings *settings, dr_export_options *options)
{
    if (!range_read("export", settings->range, &options->first, &options->last, &options->step)) {
        return false;
    } else if (settings->up && strcmp(settings->up, "y") != 0 && strcmp(settings->up, "z") != 0) {
        tell_problem("export: --up is \"%s\"", settings->up);
        tell_hint("y or z was expected");
    } else {
        return true;
    }
    return false;
}

static void print_formats(void)
{
    for (int i = 0; dr_export_format_name(i); i++) {
        printf("%-6s %s\n", dr_export_format_name(i), dr_export_format_text(i));
    }
}

static void show_line(progress *progress, const dr_export_progress *now)
{
    char left[40];
    bool last = now->frames_done == now->frames_total;
    if (!last && progress->shown >= 0.0 && now->seconds - progress->shown < RENEWAL) return;
    progress->shown = now->seconds;
    progress_print_time(left, sizeof left, now->seconds_left);
    printf("\r%lld of %lld frames  %s left\033[K", (long long)now->frames_done, (long long)now->frames_total, left);
    fflush(stdout);
    progress->open = true;
}

static void show_progress(void *user, const dr_export_progress *now)
{
    progress *progress = user;
    char left[40];
    progress_print_time(left, sizeof left, now->seconds_left);
    if (progress->style == PROGRESS_LINE) show_line(progress, now);
    if (progress->style == PROGRESS_FRAMES)
        printf("frame %lld  %lld/%lld  %s left\n", (long long)now->frame, (long long)now->frames_done,
               (long long)now->frames_total, left);
    if (progress->style == PROGRESS_JSON)
        printf(
            "{\"event\": \"frame\", \"frame\": %lld, \"frames_done\": %lld, \"frames_total\": %lld, \"seconds\": %.3f, "
            "\"seconds_left\": %.3f}\n",
            (long long)now->frame, (long long)now->frames_done, (long long)now->frames_total, now->seconds,
            now->seconds_left);
    fflush(stdout);
}

static void print_size(uint64_t bytes)
{
    if (bytes < 1000) {
        printf("%d bytes", (int)bytes);
    } else if (bytes < 1000000) {
        printf("%.1f kB", 1e-3 * (double)bytes);
    } else if (bytes < 1000000000) {
        printf("%.1f MB", 1e-6 * (double)bytes);
    } else {
        printf("%.2f GB", 1e-9 * (double)bytes);
    }
}

static void print_program(const char *name)
{
    for (int i = 0; name && dr_export_program_name(i); i++) {
        if (strcmp(name, dr_export_program_name(i)) == 0) printf("%s: %s\n", name, dr_export_program_text(i));
    }
}

static void print_end(const settings *settings, const char *output, dr_status status, const dr_export_summary *sum)
{
    if (settings->json) {
        printf("{\"event\": \"end\", \"status\": ");
        print_quoted(stdout, status ? dr_status_name(status) : "complete");
        printf(
            ", \"exit\": %d, \"frames\": %lld, \"samples\": %lld, \"files\": %lld, \"bytes\": %llu, \"seconds\": %.3f, "
            "\"format\": \"%s\", \"unit\": \"%s\", \"up\": \"%c\", \"folder\": ",
            (int)status_of(status), (long long)sum->frames, (long long)sum->samples, (long long)sum->files,
            (unsigned long long)sum->bytes, sum->seconds, sum->format, sum->unit, sum->up);
        print_quoted(stdout, output);
        printf("}\n");
        return;
    }
    char clock[40];
    progress_print_time(clock, sizeof clock, sum->seconds);
    printf("%s: %lld frame%s", status ? "stopped" : "done", (long long)sum->frames, sum->frames == 1 ? "" : "s");
    if (sum->samples) printf(" and %lld samples between them", (long long)sum->samples);
    printf(" in %lld %s file%s, ", (long long)sum->files, sum->format, sum->files == 1 ? "" : "s");
    print_size(sum->bytes);
    printf(" in %s, in %s (in %s, %c up)\n", clock, output, sum->unit, sum->up);
    print_program(settings->program);
}

exit_status export_command(const settings *settings)
{
    char output[4096];
    dr_error error = {0};
    dr_export_options options;
    dr_export_summary summary = {0};
    progress progress;
    dr_export_options_default(&options);
    if (!settings->format && !settings->program) {
        tell_problem("export: --format is missing, or --for a program");
        print_formats();
        return EXIT_USAGE;
    }
    if (!check_options(settings, &options)) return EXIT_USAGE;
    snprintf(output, sizeof output, "%s/export", settings->operands[0]);
    if (settings->output) snprintf(output, sizeof output, "%s", settings->output);
    options.folder = settings->operands[0];
    options.output = output;
    options.program = settings->program;
    options.format = settings->format;
    options.samples = settings->samples;
    options.parts = settings->parts;
    options.unit = settings->unit;
    if (settings->up) options.up = settings->up[0];
    if (settings->cell > 0.0) options.cell = settings->cell;
    options.threads = (int)settings->threads;
    options.stop = signals_stop();
    options.progress = show_progress;
    options.notice = progress_notice;
    options.user = &progress;
    progress_open(&progress, settings->quiet, settings->json);
    signals_watch();
    dr_status status = dr_export(&options, &summary, &error);
    progress_close(&progress);
    if (status && status != DR_STATUS_INTERRUPTED) return tell_error(status, &error);
    if (!settings->quiet) print_end(settings, output, status, &summary);
    return status_of(status);
}
