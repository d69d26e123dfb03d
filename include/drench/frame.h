// A frame: a read-only view of a world's state for whoever looks.
#ifndef DRENCH_FRAME_H
#define DRENCH_FRAME_H

#include "drench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dr_type {
    DR_TYPE_UINT8,
    DR_TYPE_INT32,
    DR_TYPE_UINT32,
    DR_TYPE_INT64,
    DR_TYPE_UINT64,
    DR_TYPE_FLOAT32,
    DR_TYPE_FLOAT64
} dr_type;

DR_API size_t dr_type_bytes(dr_type type);

// One named array: count items of `components` numbers each.
typedef struct dr_frame_array {
    const char *name; // "position", "velocity", "radius", "film_height", "wetness", ...
    const char *unit; // centimetre-gram-second, "" for pure numbers
    dr_type type;
    int components;
    size_t count;
    const void *data;
} dr_frame_array;

typedef enum dr_frame_kind { DR_FRAME_POINTS, DR_FRAME_CURVES, DR_FRAME_TRIANGLES } dr_frame_kind;

// One part of the picture: points, curves or a triangle mesh, with arrays per point and per element.
typedef struct dr_frame_part {
    const char *name;
    dr_frame_kind kind;
    size_t point_count;
    size_t element_count;  // curves or triangles; 0 for points
    const uint32_t *index; // curves: element_count + 1 first points; triangles: 3 points each; NULL for points
    int array_count;
    const dr_frame_array *arrays;
} dr_frame_part;

typedef struct dr_frame {
    double time; // seconds since the start frame
    int64_t step;
    int number; // as the artist counts frames
    int sample; // 0 on the frame itself, 1.. on samples between this frame and the next
    int part_count;
    const dr_frame_part *parts;
} dr_frame;

// The array of that name, NULL where the part has none.
DR_API const dr_frame_array *dr_frame_find(const dr_frame_part *part, const char *name);

#ifdef __cplusplus
}
#endif
#endif
