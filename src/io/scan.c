#include "io/scan.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dr_scan_open(dr_scan *scan, const char *data, size_t bytes, const char *name)
{
    *scan = (dr_scan){.at = data, .end = data + bytes, .line_start = data, .line = 1, .name = name};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Where a backslash ends the line, the line goes on.
static const char *skip_continuation(const char *at, const char *end)
{
    if (*at != '\\') return at;
    const char *next = at + 1;
    if (next < end && *next == '\r') next++;
    return next < end && *next == '\n' ? next + 1 : at;
}

bool dr_scan_blanks(dr_scan *scan)
{
    while (scan->at < scan->end) {
        const char *next = skip_continuation(scan->at, scan->end);
        if (next != scan->at) {
            scan->at = scan->line_start = next;
            scan->line++;
        } else if (is_blank(*scan->at)) {
            scan->at++;
        } else {
            return *scan->at != '\n';
        }
    }
    return false;
}

void dr_scan_next_line(dr_scan *scan)
{
    const char *found = scan->at < scan->end ? memchr(scan->at, '\n', (size_t)(scan->end - scan->at)) : NULL;
    scan->at = found ? found + 1 : scan->end;
    scan->line_start = scan->at;
    if (found) scan->line++;
}

bool dr_scan_space(dr_scan *scan)
{
    while (!dr_scan_blanks(scan)) {
        if (scan->at >= scan->end) return false;
        dr_scan_next_line(scan);
    }
    return true;
}

dr_word dr_scan_word(dr_scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n') scan->at++;
    return (dr_word){start, (size_t)(scan->at - start)};
}

bool dr_word_is(dr_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

// Up to 15 digits and a power of ten that a double holds exactly: one multiplication or division rounds correctly.
static bool short_real(dr_word word, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t i = word.length && (word.text[0] == '-' || word.text[0] == '+'), digits = 0, behind = 0;
    int64_t mantissa = 0;
    bool point = false;
    for (; i < word.length; i++) {
        char c = word.text[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9' || ++digits > 15) return false;
        mantissa = 10 * mantissa + (c - '0');
        behind += point;
    }
    if (digits == 0) return false;
    double size = (double)mantissa / powers[behind];
    *value = word.text[0] == '-' ? -size : size;
    return true;
}

bool dr_word_real(dr_word word, double *value)
{
    if (short_real(word, value)) return true;
    return word.length > 0 && dr_number_length(word.text, word.length) == word.length &&
           dr_number_value(word.text, word.length, 0, value);
}

bool dr_word_integer(dr_word word, int64_t *value)
{
    size_t i = word.length && (word.text[0] == '-' || word.text[0] == '+');
    if (i >= word.length || word.length - i > 18) return false;
    int64_t sum = 0;
    for (size_t k = i; k < word.length; k++) {
        if (word.text[k] < '0' || word.text[k] > '9') return false;
        sum = 10 * sum + (word.text[k] - '0');
    }
    *value = word.text[0] == '-' ? -sum : sum;
    return true;
}

dr_status dr_scan_error(const dr_scan *scan, const char *place, dr_error *error, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t column = place >= scan->line_start ? (size_t)(place - scan->line_start) + 1 : 1;
    return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s:%zu:%zu: %s", scan->name, scan->line, column, message);
}
