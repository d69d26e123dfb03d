#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dr_status_name(dr_status status)
{
    static const char *const names[] = {"ok",           "bad argument",     "bad scene", "out of memory",
                                        "no such file", "input or output",  "in use",    "numerics",
                                        "interrupted",  "not in this build"};
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

void dr_error_clear(dr_error *error)
{
    if (!error) return;
    error->status = DR_STATUS_OK;
    error->count = 0;
    error->text[0] = 0;
}

// Appends "<indent>text", on a line of its own; a line that does not fit is left out whole.
static void append(dr_error *error, const char *indent, const char *format, va_list arguments)
{
    size_t used = strlen(error->text);
    size_t room = sizeof error->text - used;
    int lead = snprintf(error->text + used, room, "%s%s", used ? "\n" : "", indent);
    if (lead >= 0 && (size_t)lead < room) {
        int length = vsnprintf(error->text + used + lead, room - (size_t)lead, format, arguments);
        if (length >= 0 && ((size_t)length < room - (size_t)lead || used == 0)) return;
    }
    error->text[used] = 0;
}

static dr_status add_list(dr_error *error, dr_status status, const char *format, va_list arguments)
{
    if (!error) return status;
    if (error->count == 0) {
        error->status = status;
        error->text[0] = 0;
    }
    error->count++;
    append(error, "", format, arguments);
    return status;
}

dr_status dr_error_add(dr_error *error, dr_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(error, status, format, arguments);
    va_end(arguments);
    return status;
}

void dr_error_hint(dr_error *error, const char *format, ...)
{
    if (!error) return;
    va_list arguments;
    va_start(arguments, format);
    append(error, "    ", format, arguments);
    va_end(arguments);
}

dr_status dr_error_memory(dr_error *error, const char *doing)
{
    return dr_error_add(error, DR_STATUS_NO_MEMORY, "out of memory while %s", doing);
}

dr_status dr_error_system(dr_error *error, const char *path, const char *doing)
{
    int code = errno;
    dr_status status = DR_STATUS_IO;
    if (code == ENOENT) status = DR_STATUS_NO_FILE;
    if (code == EISDIR) status = DR_STATUS_BAD_ARGUMENT;
    if (code == ENOMEM) status = DR_STATUS_NO_MEMORY;
    return dr_error_add(error, status, "%s: %s: %s", path, doing, strerror(code));
}
