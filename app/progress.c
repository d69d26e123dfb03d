#include "progress.h"

#include "tell.h"

#include <math.h>
#include <string.h>

#define RENEWAL   0.1 // seconds
#define BAR_MOST  20  // characters
#define BAR_LEAST 5
#define COUNTS    160 // letters

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

// "[=====>    ] " for what is simulated of what is wanted, as wide as there is room for; "" where that is too little.
static void draw_bar(char bar[BAR_MOST + 4], int room, const dr_progress *now)
{
    int width = room - 3 < BAR_MOST ? room - 3 : BAR_MOST;
    double share = now->until > 0.0 ? fmin(fmax(now->time / now->until, 0.0), 1.0) : 1.0;
    int filled = (int)(share * width);
    bar[0] = '\0';
    if (width < BAR_LEAST) return;
    bar[0] = '[';
    for (int i = 0; i < width; i++) bar[1 + i] = i < filled ? '=' : i == filled ? '>' : ' ';
    strcpy(bar + 1 + width, "] ");
}

// "1200 particles  50 strands  31 contacts": of what there is.
static void count_matter(char text[COUNTS], const dr_report *report)
{
    size_t used = 0;
    text[0] = '\0';
    if (report->particles > 0 || report->strands == 0)
        used += (size_t)snprintf(text, COUNTS, "%lld particles", (long long)report->particles);
    if (report->strands > 0)
        snprintf(text + used, COUNTS - used, "%s%lld strands  %lld contacts", used ? "  " : "",
                 (long long)report->strands, (long long)report->contacts);
}

// "  3 rejected: the pressure did not converge", since the frame before; "" where none was.
static void tell_rejections(char text[COUNTS], const dr_progress *now)
{
    text[0] = '\0';
    if (now->rejected > 0)
        snprintf(text, COUNTS, "  %lld rejected: %s", (long long)now->rejected,
                 now->rejected_because ? now->rejected_because : "?");
}

// Cut to the width of the terminal, so that it stays one line.
static void show_line(progress *progress, const dr_progress *now)
{
    char line[400], step[40], bar[BAR_MOST + 4], left[40] = "?", counts[COUNTS], rejections[COUNTS];
    bool last = now->frames_done == now->frames_total && now->frame_written;
    if (!last && progress->shown >= 0.0 && now->seconds - progress->shown < RENEWAL) return;
    progress->shown = now->seconds;
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    count_matter(counts, now->report);
    tell_rejections(rejections, now);
    snprintf(line, sizeof line, "frame %lld/%lld  %s left  t %.4f s  dt %.2e s  %s", (long long)now->frame,
             (long long)now->last_frame, left, now->time, now->report->dt, counts);
    snprintf(step, sizeof step, "  step %lld", (long long)now->report->step);
    int width = terminal_width(stdout), columns = width > 1 ? width - 1 : 79;
    draw_bar(bar, columns - (int)strlen(line), now);
    size_t used = strlen(bar) + strlen(line);
    bool fits = used + strlen(step) <= (size_t)columns;
    bool both = used + strlen(step) + strlen(rejections) <= (size_t)columns;
    printf("\r%s%.*s%s%s\033[K", bar, columns, line, fits ? step : "", both ? rejections : "");
    fflush(stdout);
    progress->open = true;
}

static void show_frame(const dr_progress *now)
{
    char left[40] = "?", counts[COUNTS], rejections[COUNTS];
    if (now->seconds_left >= 0.0) progress_print_time(left, sizeof left, now->seconds_left);
    count_matter(counts, now->report);
    tell_rejections(rejections, now);
    printf("frame %lld/%lld  time %.6g s  step %lld  dt %.3g s  %s  %s left%s\n", (long long)now->frame,
           (long long)now->last_frame, now->time, (long long)now->report->step, now->report->dt, counts, left,
           rejections);
    fflush(stdout);
}

static void show_json(const dr_progress *now)
{
    printf(
        "{\"event\": \"frame\", \"frame\": %lld, \"last_frame\": %lld, \"frames_done\": %lld, \"frames_total\": %lld, "
        "\"time\": %.17g, \"until\": %.17g, \"step\": %lld, \"dt\": %.17g, \"particles\": %lld, \"strands\": %lld, "
        "\"contacts\": %lld, \"seconds\": %.3f, \"rejected\": %lld, \"rejected_because\": ",
        (long long)now->frame, (long long)now->last_frame, (long long)now->frames_done, (long long)now->frames_total,
        now->time, now->until, (long long)now->report->step, now->report->dt, (long long)now->report->particles,
        (long long)now->report->strands, (long long)now->report->contacts, now->seconds, (long long)now->rejected);
    if (now->rejected_because) {
        print_quoted(stdout, now->rejected_because);
    } else {
        printf("null");
    }
    printf(", \"seconds_left\": ");
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
