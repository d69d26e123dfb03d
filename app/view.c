// view: serves a result folder to the browser until somebody says stop.
#define _POSIX_C_SOURCE 200809L
#include "command.h"

#include "tell.h"

#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <time.h>

extern char **environ;

static void open_browser(const char *address)
{
    pid_t child;
    char program[] = "xdg-open", text[128];
    snprintf(text, sizeof text, "%s", address);
    char *words[] = {program, text, NULL};
    int code = posix_spawnp(&child, program, NULL, NULL, words, environ);
    if (code != 0) tell_problem("view: the browser cannot be opened: %s", strerror(code));
}

static void wait_for_stop(void)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    while (!*signals_stop()) nanosleep(&moment, NULL);
}

exit_status view_command(const settings *settings)
{
    dr_error error = {0};
    dr_view *view = NULL;
    if (settings->port > 65535) {
        tell_problem("view: --port is %lld, outside 0 .. 65535", (long long)settings->port);
        return EXIT_USAGE;
    }
    signals_watch();
    dr_status status = dr_view_open(settings->operands[0], (int)settings->port, NULL, &view, &error);
    if (status) return tell_error(status, &error);
    printf("%s\n", dr_view_address(view));
    fflush(stdout);
    if (settings->open) open_browser(dr_view_address(view));
    wait_for_stop();
    dr_view_close(view);
    return EXIT_DONE;
}
