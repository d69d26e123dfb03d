// .hair, Cem Yuksel's format of hair models, little-endian: a header of 128 bytes ("HAIR", strands, points, which
// arrays follow, what stands for an array that does not, a text), then the arrays: segments of each strand (16 bits;
// points less one), points, thickness (the diameter), transparency, colours.
#include "io/bytes.h"
#include "io/curves.h"
#include "io/scan.h"

#include <math.h>

#define HEADER 128

enum { SEGMENTS = 1, POINTS = 2, THICKNESS = 4, TRANSPARENCY = 8, COLORS = 16 };

typedef struct reading {
    const char *data, *name;
    size_t bytes;
    dr_arena *arena;
    dr_error *error;
    size_t strands, points;
    uint32_t arrays, usual_segments;
    size_t segments_at, points_at, thickness_at, colors_at; // bytes
} reading;

// Where each array begins; false where the file is too short for them.
static bool lay_out(reading *reading)
{
    size_t at = HEADER, left = reading->bytes - HEADER;
    const struct {
        uint32_t bit;
        size_t count, bytes;
        size_t *place;
    } arrays[] = {{SEGMENTS, reading->strands, 2, &reading->segments_at},
                  {POINTS, reading->points, 12, &reading->points_at},
                  {THICKNESS, reading->points, 4, &reading->thickness_at},
                  {TRANSPARENCY, reading->points, 4, NULL},
                  {COLORS, reading->points, 12, &reading->colors_at}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!(reading->arrays & arrays[i].bit)) continue;
        if (arrays[i].count > left / arrays[i].bytes) return false;
        if (arrays[i].place) *arrays[i].place = at;
        at += arrays[i].count * arrays[i].bytes;
        left -= arrays[i].count * arrays[i].bytes;
    }
    return true;
}

static dr_status read_header(reading *reading)
{
    const char *data = reading->data, *name = reading->name;
    if (reading->bytes < HEADER || memcmp(data, "HAIR", 4) != 0)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte 0: does not begin as a .hair file", name);
    reading->strands = dr_bytes_word(data, 4);
    reading->points = dr_bytes_word(data, 8);
    reading->arrays = dr_bytes_word(data, 12);
    reading->usual_segments = dr_bytes_word(data, 16);
    if (reading->strands == 0 || reading->points == 0 || !(reading->arrays & POINTS))
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte 4: holds no points", name);
    if (lay_out(reading)) return DR_STATUS_OK;
    return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                        "%s: byte %zu: the file ends too early: %zu strands of %zu points take more than its bytes",
                        name, reading->bytes, reading->strands, reading->points);
}

static size_t segments_of(const reading *reading, size_t strand)
{
    if (!(reading->arrays & SEGMENTS)) return reading->usual_segments;
    return (size_t)dr_bytes_get(reading->data, reading->segments_at + 2 * strand, 2);
}

static dr_status read_strands(reading *reading, dr_curve_asset *curves)
{
    if (reading->strands > reading->points)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte 4: %zu strands share %zu points",
                            reading->name, reading->strands, reading->points);
    uint32_t *first = dr_arena_alloc(reading->arena, (reading->strands + 1) * sizeof *first);
    if (!first) return dr_error_memory(reading->error, "reading a .hair file");
    size_t sum = 0;
    for (size_t s = 0; s < reading->strands; s++) {
        size_t segments = segments_of(reading, s);
        if (segments == 0)
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: strand %zu has a single point", reading->name,
                                s);
        sum += segments + 1;
        if (sum > reading->points)
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: strand %zu goes beyond the %zu points",
                                reading->name, s, reading->points);
        first[s + 1] = (uint32_t)sum;
    }
    if (sum != reading->points)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: the strands have %zu points, the header says %zu",
                            reading->name, sum, reading->points);
    curves->curve_count = reading->strands;
    curves->point_count = reading->points;
    curves->first = first;
    return DR_STATUS_OK;
}

static dr_status read_floats(reading *reading, size_t at, size_t count, double scale, double least, double **values)
{
    *values = dr_arena_alloc(reading->arena, count * sizeof **values);
    if (!*values) return dr_error_memory(reading->error, "reading a .hair file");
    for (size_t i = 0; i < count; i++) {
        double value = (double)dr_bytes_float(reading->data, at + 4 * i);
        if (!(value >= least && value <= DR_SCAN_LARGEST))
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                                "%s: byte %zu: a number is not finite, too large or below zero where it may not be",
                                reading->name, at + 4 * i);
        (*values)[i] = scale * value;
    }
    return DR_STATUS_OK;
}

static dr_status read_colors(reading *reading, dr_curve_asset *curves)
{
    float *color = dr_arena_alloc(reading->arena, 3 * reading->points * sizeof *color);
    if (!color) return dr_error_memory(reading->error, "reading a .hair file");
    for (size_t i = 0; i < 3 * reading->points; i++) {
        float value = dr_bytes_float(reading->data, reading->colors_at + 4 * i);
        color[i] = value > 0.0f ? fminf(value, 1.0f) : 0.0f;
    }
    curves->color = color;
    return DR_STATUS_OK;
}

dr_status dr_hair_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                        dr_error *error)
{
    reading reading = {.data = data, .name = name, .bytes = bytes, .arena = arena, .error = error};
    double *points = NULL, *radius = NULL;
    dr_status status = read_header(&reading);
    if (!status) status = read_strands(&reading, curves);
    if (!status) status = read_floats(&reading, reading.points_at, 3 * reading.points, 1.0, -DR_SCAN_LARGEST, &points);
    if (!status && (reading.arrays & THICKNESS))
        status = read_floats(&reading, reading.thickness_at, reading.points, 0.5, 0.0, &radius);
    if (!status && (reading.arrays & COLORS)) status = read_colors(&reading, curves);
    if (status) return status;
    double thickness = (double)dr_bytes_float(data, 20);
    curves->points = points;
    curves->radius = radius;
    curves->usual_radius = thickness > 0.0 && thickness <= DR_SCAN_LARGEST ? 0.5 * thickness : 0.0;
    curves->up = -1;
    return DR_STATUS_OK;
}
