// Reading numbers and words out of text that need not end in a zero, with the line and column for messages.
#ifndef DR_IO_SCAN_H
#define DR_IO_SCAN_H

#include "base/error.h"

typedef struct dr_scan {
    const char *at, *end;
    const char *line_start;
    size_t line;
    const char *name; // of the file, in messages
} dr_scan;

void dr_scan_open(dr_scan *scan, const char *data, size_t bytes, const char *name);

// Skips blanks, tabs, carriage returns and lines continued by a backslash. True where something is left on the line.
bool dr_scan_blanks(dr_scan *scan);

// The same, line ends included. True where something is left at all.
bool dr_scan_space(dr_scan *scan);

// Goes to the beginning of the next line.
void dr_scan_next_line(dr_scan *scan);

// The word here, up to a blank or the end of the line; at least one character where dr_scan_blanks was true.
typedef struct dr_word {
    const char *text;
    size_t length;
} dr_word;

dr_word dr_scan_word(dr_scan *scan);
bool dr_word_is(dr_word word, const char *text);

// A whole word as a finite number or an integer.
bool dr_word_real(dr_word word, double *value);
bool dr_word_integer(dr_word word, int64_t *value);

// Adds "name:line:column: ..." for a place in the text on the current line and returns DR_STATUS_BAD_SCENE.
dr_status dr_scan_error(const dr_scan *scan, const char *place, dr_error *error, const char *format, ...)
    DR_PRINTF(4, 5);

// A number read as a coordinate must be finite and leave room for squares: at most 1e30.
#define DR_SCAN_LARGEST 1e30

#endif
