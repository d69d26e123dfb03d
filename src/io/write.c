// What the writers of all formats ask of a part.
#include "io/write.h"

#include <math.h>

bool dr_write_is_per_point(const dr_frame_part *part, const dr_frame_array *array)
{
    return array->count == part->point_count;
}

double dr_write_value(const dr_frame_array *array, size_t i)
{
    switch (array->type) {
    case DR_TYPE_UINT8:
        return ((const uint8_t *)array->data)[i];
    case DR_TYPE_INT32:
        return ((const int32_t *)array->data)[i];
    case DR_TYPE_UINT32:
        return ((const uint32_t *)array->data)[i];
    case DR_TYPE_INT64:
        return (double)((const int64_t *)array->data)[i];
    case DR_TYPE_UINT64:
        return (double)((const uint64_t *)array->data)[i];
    case DR_TYPE_FLOAT32:
        return (double)((const float *)array->data)[i];
    case DR_TYPE_FLOAT64:
        return ((const double *)array->data)[i];
    }
    return 0.0;
}

int64_t dr_write_integer(const dr_frame_array *array, size_t i)
{
    switch (array->type) {
    case DR_TYPE_INT64:
        return ((const int64_t *)array->data)[i];
    case DR_TYPE_UINT64:
        return (int64_t)((const uint64_t *)array->data)[i];
    default:
        return (int64_t)dr_write_value(array, i);
    }
}

double dr_write_number(const dr_frame_array *array, size_t item, int component)
{
    return dr_write_value(array, item * (size_t)array->components + (size_t)component);
}

void dr_write_position(const dr_frame_array *position, size_t point, float out[3])
{
    for (int i = 0; i < 3; i++) out[i] = (float)dr_write_number(position, point, i);
}

static const dr_frame_array *find_numbers(const dr_frame_part *part, const char *name)
{
    const dr_frame_array *array = dr_frame_find(part, name);
    return array && array->components == 1 && dr_write_is_per_point(part, array) ? array : NULL;
}

bool dr_write_has_radius(const dr_frame_part *part)
{
    return find_numbers(part, "radius") || (part->kind == DR_FRAME_POINTS && find_numbers(part, "volume"));
}

double dr_write_radius(const dr_frame_part *part, size_t point)
{
    const dr_frame_array *radius = find_numbers(part, "radius");
    if (radius) return dr_write_number(radius, point, 0);
    return cbrt(dr_write_number(find_numbers(part, "volume"), point, 0) * 0.238732414637843); // 3 / (4 pi)
}
