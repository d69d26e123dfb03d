#include "progress.h"

#include "tell.h"

#include <math.h>
#include <string.h>

#define RENEWAL 0.1 // seconds

void progress_open(progress *progress, bool quiet, bool json)
{
    progress_style style = terminal_width(stdout) > 0 ? PROGRESS_LINE : PROGRESS_FRAMES;
    if (json) style = PROGRESS_JSON;
    if (quiet) style = PROGRESS_NONE;
    progress->style = style;
    progress->shown = -1.0;
    progress->open = false;
}

void progress_print_time(char *text, size_t room, double seconds)
{
    long whole = lround(seconds);
    if (whole >= 3600) {
        snprintf(text, room, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        snprintf(text, room, "%ld:%02ld", whole / 60, whole % 60);
    }
}

// Cut to the width of the terminal, so that it stays one line.
static void show_line(progress *progress, const dr_progress *now)
{
    char line[300], left[40] = "?";
    bool last = now->frames_done == now->frames_total && now->frame_written;
    if (!last && progress->shown >= 0.0 && now->seconds - progress->shown < RENEWAL) return;
    progress->shown = now->seconds;
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    snprintf(line, sizeof line, "frame %lld/%lld  %s left  t %.4f s  dt %.2e s  %lld particles  step %lld",
             (long long)now->frame, (long long)now->last_frame, left, now->time, now->report->dt,
             (long long)now->report->particles, (long long)now->report->step);
    int width = terminal_width(stdout);
    printf("\r%.*s\033[K", width > 1 ? width - 1 : 79, line);
    fflush(stdout);
    progress->open = true;
}

static void show_frame(const dr_progress *now)
{
    char left[40] = "?";
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    printf("frame %lld/%lld  time %.6g s  step %lld  dt %.3g s  %lld particles  %s left\n", (long long)now->frame,
           (long long)now->last_frame, now->time, (long long)now->report->step, now->report->dt,
           (long long)now->report->particles, left);
    fflush(stdout);
}

static void show_json(const dr_progress *now)
{
    printf(
        "{\"event\": \"frame\", \"frame\": %lld, \"last_frame\": %lld, \"frames_done\": %lld, \"frames_total\": %lld, "
        "\"time\": %.17g, \"until\": %.17g, \"step\": %lld, \"dt\": %.17g, \"particles\": %lld, \"seconds\": %.3f, "
        "\"seconds_left\": ",
        (long long)now->frame, (long long)now->last_frame, (long long)now->frames_done, (long long)now->frames_total,
        now->time, now->until, (long long)now->report->step, now->report->dt, (long long)now->report->particles,
        now->seconds);
    if (now->seconds_left >= 0.0) {
        printf("%.3f}\n", now->seconds_left);
    } else {
        printf("null}\n");
    }
    fflush(stdout);
}

void progress_show(void *user, const dr_progress *now)
{
    progress *progress = user;
    if (progress->style == PROGRESS_LINE) show_line(progress, now);
    if (progress->style == PROGRESS_FRAMES && now->frame_written) show_frame(now);
    if (progress->style == PROGRESS_JSON && now->frame_written) show_json(now);
}

void progress_notice(void *user, const char *text)
{
    progress_close(user);
    fprintf(stderr, "%s\n", text);
}

void progress_close(progress *progress)
{
    if (progress->open) printf("\n");
    fflush(stdout);
    progress->open = false;
}
