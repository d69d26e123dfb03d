#define _DEFAULT_SOURCE
#include "tell.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void tell_problem(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("drench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void tell_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("    ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

exit_status status_of(dr_status status)
{
    switch (status) {
    case DR_STATUS_OK:
        return EXIT_DONE;
    case DR_STATUS_BAD_ARGUMENT:
    case DR_STATUS_BAD_SCENE:
    case DR_STATUS_NO_FILE:
        return EXIT_USAGE;
    case DR_STATUS_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case DR_STATUS_NO_MEMORY:
    case DR_STATUS_IO:
    case DR_STATUS_BUSY:
    case DR_STATUS_NUMERICS:
    case DR_STATUS_UNSUPPORTED:
        return EXIT_FAILED;
    }
    return EXIT_FAILED;
}

exit_status tell_error(dr_status status, const dr_error *error)
{
    fprintf(stderr, "%s\n", error->count ? error->text : dr_status_name(status));
    return status_of(status);
}

void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

void print_wrapped(FILE *out, const char *text, int column, int indent, int width)
{
    bool first = true;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        first = false;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

int terminal_width(FILE *out)
{
    struct winsize size;
    int file = fileno(out);
    if (!isatty(file)) return 0;
    return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static volatile int stop;

static void ask_to_stop(int signal)
{
    (void)signal;
    if (stop) _exit(EXIT_INTERRUPTED);
    stop = 1;
}

static void watch(int number)
{
    struct sigaction old, action = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
        return; // started in the background, or by nohup
    sigaction(number, &action, NULL);
}

void signals_prepare(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_watch(void)
{
    watch(SIGINT);
    watch(SIGTERM);
    watch(SIGHUP);
}

const volatile int *signals_stop(void)
{
    return &stop;
}
