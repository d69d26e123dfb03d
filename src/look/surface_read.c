// What the reconstruction reads from a frame: the liquid's particles, and how large things are in it.
#include "look/surface_parts.h"

#include <math.h>
#include <string.h>

double dr_surface_number(const dr_frame_array *array, size_t i, int c)
{
    if (!array) return 0.0;
    size_t item = i * (size_t)array->components + (size_t)c;
    switch (array->type) {
    case DR_TYPE_FLOAT32:
        return (double)((const float *)array->data)[item];
    case DR_TYPE_FLOAT64:
        return ((const double *)array->data)[item];
    case DR_TYPE_UINT8:
        return (double)((const uint8_t *)array->data)[item];
    case DR_TYPE_INT32:
        return (double)((const int32_t *)array->data)[item];
    case DR_TYPE_UINT32:
        return (double)((const uint32_t *)array->data)[item];
    case DR_TYPE_INT64:
        return (double)((const int64_t *)array->data)[item];
    case DR_TYPE_UINT64:
        return (double)((const uint64_t *)array->data)[item];
    }
    return 0.0;
}

static bool fits(const dr_frame_array *array, int components, size_t count)
{
    return array && array->components == components && array->count == count;
}

dr_status dr_surface_find_points(const dr_frame *frame, dr_surface_points *points, dr_error *error)
{
    *points = (dr_surface_points){0};
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = frame->parts + i;
        if (part->kind != DR_FRAME_POINTS || strcmp(part->name, "liquid") != 0 || part->point_count == 0) continue;
        points->position = dr_frame_find(part, "position");
        points->volume = dr_frame_find(part, "volume");
        points->velocity = dr_frame_find(part, "velocity");
        if (!fits(points->position, 3, part->point_count) || !fits(points->volume, 1, part->point_count)) {
            return dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                                "frame %d: part \"liquid\": a surface needs position and volume of all %zu particles",
                                frame->number, part->point_count);
        }
        if (!fits(points->velocity, 3, part->point_count)) points->velocity = NULL;
        points->count = part->point_count;
    }
    return DR_STATUS_OK;
}

double dr_surface_typical_volume(const dr_surface_points *points)
{
    double total = 0.0, sum = 0.0;
    for (size_t p = 0; p < points->count; p++) {
        double volume = dr_surface_number(points->volume, p, 0);
        if (!(volume > 0.0) || !isfinite(volume)) continue;
        total += volume;
        sum += volume * log(volume);
    }
    return total > 0.0 ? exp(sum / total) : 0.0;
}
