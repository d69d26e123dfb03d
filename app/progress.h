// How a run shows where it is: a line that renews itself on a terminal, a line per frame elsewhere, or JSON.
#ifndef DRENCH_APP_PROGRESS_H
#define DRENCH_APP_PROGRESS_H

#include "command.h"

typedef enum progress_style { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_FRAMES, PROGRESS_JSON } progress_style;

typedef struct progress {
    progress_style style;
    double shown; // when the line was last renewed, by the run's own clock
    bool open;    // a line stands without its end
} progress;

void progress_open(progress *progress, bool quiet, bool json);
void progress_show(void *user, const dr_progress *now); // as dr_run_options.progress wants it, user is the progress
void progress_notice(void *user, const char *text);     // as dr_run_options.notice
void progress_close(progress *progress);                // ends an open line

void progress_print_time(char *text, size_t room, double seconds); // "1:02:03"

#endif
