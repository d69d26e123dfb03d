#include "range.h"

#include "tell.h"

#include <stdlib.h>
#include <string.h>

static bool read_range(const char *text, int64_t *first, int64_t *last, int64_t *step)
{
    char *end;
    *first = *last = strtoll(text, &end, 10);
    if (end == text) return false;
    if (strncmp(end, "..", 2) == 0) {
        const char *second = end + 2;
        *last = strtoll(second, &end, 10);
        if (end == second) return false;
    }
    if (*end == ':') {
        const char *every = end + 1;
        *step = strtoll(every, &end, 10);
        if (end == every) return false;
    }
    return *end == 0 && *first <= *last && *step >= 1;
}

bool range_read(const char *command, const char *text, int64_t *first, int64_t *last, int64_t *step)
{
    if (!text || read_range(text, first, last, step)) return true;
    tell_problem("%s: --frames is \"%s\"", command, text);
    tell_hint("frames are written as 12, 10..50 or 10..50:5");
    return false;
}
