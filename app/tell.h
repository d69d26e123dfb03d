// What every command needs to speak with people, shells and the system.
#ifndef DRENCH_APP_TELL_H
#define DRENCH_APP_TELL_H

#include "command.h"

#include <stdio.h>

#if defined(__GNUC__)
#define TELL_FORMAT(text, rest) __attribute__((format(printf, text, rest)))
#else
#define TELL_FORMAT(text, rest)
#endif

// "drench: ..." on the error stream.
void tell_problem(const char *format, ...) TELL_FORMAT(1, 2);
void tell_hint(const char *format, ...) TELL_FORMAT(1, 2);

// A library's error as it is, and the exit status it stands for.
exit_status tell_error(dr_status status, const dr_error *error);
exit_status status_of(dr_status status);

// A text as JSON, quotes included.
void print_quoted(FILE *out, const char *text);

// Prints text in lines of at most `width`, each after the first begun with `indent` spaces; `column` is where it
// starts.
void print_wrapped(FILE *out, const char *text, int column, int indent, int width);

int terminal_width(FILE *out); // 0: not a terminal

// A reader that goes away and a file that grows too large are ordinary errors, not the end.
void signals_prepare(void);

// From here on Ctrl-C and the like only ask to stop; the second ends the program.
void signals_watch(void);
const volatile int *signals_stop(void);

#endif
