#include "io/curves.h"

#include "io/obj.h"
#include "io/ply.h"

#include <string.h>

typedef dr_status (*parser)(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                            dr_error *error);

static bool begins_with(const char *data, size_t bytes, const char *start)
{
    size_t length = strlen(start);
    return bytes >= length && memcmp(data, start, length) == 0;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static parser choose(const char *data, size_t bytes, const char *name)
{
    if (begins_with(data, bytes, "HAIR") || ends_with(name, ".hair")) return dr_hair_parse;
    if (begins_with(data, bytes, "BCC") || ends_with(name, ".bcc")) return dr_bcc_parse;
    if (begins_with(data, bytes, "ply\n") || begins_with(data, bytes, "ply\r") || ends_with(name, ".ply"))
        return dr_ply_parse_curves;
    return dr_obj_parse_curves;
}

dr_status dr_curves_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                          dr_error *error)
{
    return choose(data, bytes, name)(data, bytes, name, arena, curves, error);
}
