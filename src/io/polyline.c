#include "io/polyline.h"

#include <math.h>

bool dr_polyline_open(dr_polylines *lines, size_t line_count, size_t corner_count, dr_arena *arena)
{
    *lines = (dr_polylines){.corners = dr_arena_alloc(arena, corner_count * sizeof *lines->corners),
                            .first = dr_arena_alloc(arena, (line_count + 1) * sizeof *lines->first)};
    return lines->corners && lines->first;
}

void dr_polyline_begin(dr_polylines *lines)
{
    size_t start = lines->count ? lines->first[lines->count - 1] : 0;
    bool empty = lines->count && lines->corner_count - start < 2; // a single corner is no line
    if (empty)
        lines->corner_count = start;
    else
        lines->count++;
    lines->first[lines->count - 1] = (uint32_t)lines->corner_count;
}

void dr_polyline_add(dr_polylines *lines, uint32_t corner)
{
    lines->corners[lines->corner_count++] = corner;
}

void dr_polyline_join(dr_polylines *lines, uint32_t from, uint32_t to)
{
    if (!lines->count || !lines->corner_count || lines->corners[lines->corner_count - 1] != from) {
        dr_polyline_begin(lines);
        dr_polyline_add(lines, from);
    }
    dr_polyline_add(lines, to);
}

static bool gather(const dr_polylines *lines, const dr_vertex_rows *vertices, dr_arena *arena, dr_curve_asset *curves)
{
    size_t count = lines->corner_count;
    double *points = dr_arena_alloc(arena, 3 * count * sizeof *points), *radius = NULL;
    float *color = NULL;
    if (vertices->radius >= 0) radius = dr_arena_alloc(arena, count * sizeof *radius);
    if (vertices->color >= 0) color = dr_arena_alloc(arena, 3 * count * sizeof *color);
    if (!points || (!radius && vertices->radius >= 0) || (!color && vertices->color >= 0)) return false;
    for (size_t i = 0; i < count; i++) {
        const double *row = vertices->rows + vertices->width * lines->corners[i];
        for (int k = 0; k < 3; k++) points[3 * i + (size_t)k] = row[k];
        if (radius) radius[i] = fmax(row[vertices->radius], 0.0);
        for (int k = 0; k < 3 && color; k++)
            color[3 * i + (size_t)k] = (float)fmin(fmax(row[vertices->color + k] * vertices->color_scale, 0.0), 1.0);
    }
    curves->points = points;
    curves->radius = radius;
    curves->color = color;
    return true;
}

dr_status dr_polyline_finish(dr_polylines *lines, const dr_vertex_rows *vertices, const char *name, dr_arena *arena,
                             dr_curve_asset *curves, dr_error *error)
{
    if (lines->corner_count > UINT32_MAX)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: more points than 32 bits can number", name);
    dr_polyline_begin(lines);
    size_t count = lines->count - 1;
    if (count == 0) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: holds no lines of two points or more", name);
    *curves = (dr_curve_asset){.file = curves->file,
                               .curve_count = count,
                               .point_count = lines->corner_count,
                               .first = lines->first,
                               .up = -1};
    if (!gather(lines, vertices, arena, curves)) return dr_error_memory(error, "reading curves");
    return DR_STATUS_OK;
}
