// Polylines over numbered vertices to curves, for the readers of OBJ and PLY.
#ifndef DR_IO_POLYLINE_H
#define DR_IO_POLYLINE_H

#include "scene/scene.h"

// first has room for one more than the lines, corners for all corners.
typedef struct dr_polylines {
    uint32_t *corners, *first;
    size_t count, corner_count; // so far
} dr_polylines;

// Room for lines and their corners. False where memory is out.
bool dr_polyline_open(dr_polylines *lines, size_t line_count, size_t corner_count, dr_arena *arena);

void dr_polyline_begin(dr_polylines *lines);
void dr_polyline_add(dr_polylines *lines, uint32_t corner);

// A segment: goes on with the line begun last where that ended at `from`, else begins another.
void dr_polyline_join(dr_polylines *lines, uint32_t from, uint32_t to);

// What is known of the vertices: rows of numbers, and which of them means what.
typedef struct dr_vertex_rows {
    const double *rows;
    size_t width;      // numbers in a row; position comes first
    int radius, color; // columns, -1: none; three for the color
    double color_scale;
} dr_vertex_rows;

// Ends the last line, drops those of a single corner, and gathers each line's vertices. No line left is an error.
dr_status dr_polyline_finish(dr_polylines *lines, const dr_vertex_rows *vertices, const char *name, dr_arena *arena,
                             dr_curve_asset *curves, dr_error *error);

#endif
