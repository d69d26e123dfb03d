#include "base/range.h"

#define LARGEST 1000000000000000000 // one more digit fits

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static const char *read_number(const char *at, int64_t *number)
{
    const char *start = at;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number >= LARGEST / 10) return start;
        *number = 10 * *number + (*at - '0');
    }
    return at;
}

bool dr_range_next(const char **text, dr_range *range)
{
    const char *start = *text = skip_blanks(*text), *at = read_number(start, &range->first);
    if (at == start) return false;
    range->last = range->first;
    at = skip_blanks(at);
    if (*at == '-') {
        const char *second = skip_blanks(at + 1);
        at = read_number(second, &range->last);
        if (at == second) return false;
        at = skip_blanks(at);
    }
    if (*at && *at != ',') return false;
    if (range->first < 1 || range->last < range->first) return false;
    *text = *at ? at + 1 : at;
    return true;
}
