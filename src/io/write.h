// Parts of a frame as the bytes of files that other programs open. Memory that runs out shows in the text's `failed`.
// docs/export.md.
#ifndef DR_IO_WRITE_H
#define DR_IO_WRITE_H

#include "io/put.h"

// What the numbers of a file mean. The parts handed to the writers are in these units and axes already.
typedef struct dr_write_space {
    const char *unit; // "m", "cm", "mm"
    double meters;    // of one unit
    bool z_up;
} dr_write_space;

// Whether an array has one item for each point; the others have one for each curve or triangle.
bool dr_write_is_per_point(const dr_frame_part *part, const dr_frame_array *array);

// One number of an array of any type: the i-th of all, or a component of an item.
double dr_write_value(const dr_frame_array *array, size_t i);
int64_t dr_write_integer(const dr_frame_array *array, size_t i); // of whole numbers, exact; the largest wrap around
double dr_write_number(const dr_frame_array *array, size_t item, int component);

// The three coordinates of a point.
void dr_write_position(const dr_frame_array *position, size_t point, float out[3]);

// Radius of a point: its own, or that of a ball of its volume. Whether either is known, and what it is.
bool dr_write_has_radius(const dr_frame_part *part);
double dr_write_radius(const dr_frame_part *part, size_t point);

// PLY, binary: every array; curves as edges.
void dr_write_ply(dr_text *out, const dr_frame_part *part, const dr_write_space *space);

// OBJ: vertices, normals, and p, l or f.
void dr_write_obj(dr_text *out, const dr_frame_part *part, const dr_write_space *space);

// VTK's XML (.vtu), binary: every array.
void dr_write_vtu(dr_text *out, const dr_frame_part *part, double time);

// A row of the .pvd that lists .vtu files with their times; the rows stand between the two ends.
#define DR_WRITE_PVD_BEGIN                                                                                             \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"             \
    "<Collection>\n"
#define DR_WRITE_PVD_END "</Collection>\n</VTKFile>\n"
void dr_write_pvd_row(dr_text *out, double time, const char *file);

// glTF, binary (.glb): all parts of a frame that is in metres with y up.
void dr_write_glb(dr_text *out, const dr_frame *frame);

// Point caches: what comes before the positions, and these.
void dr_write_pc2_header(dr_text *out, size_t points, double first_frame, double frame_step, size_t samples);
void dr_write_pc2_sample(dr_text *out, const dr_frame_part *part);
void dr_write_mdd_header(dr_text *out, size_t points, const double *times, size_t samples);
void dr_write_mdd_sample(dr_text *out, const dr_frame_part *part);

// USD text. Every attribute of a part is its own stream of values, since a layer wants the samples of one together.
typedef struct dr_usda_value {
    char declaration[96]; // "point3f[] points"
    char metadata[64];    // "interpolation = \"vertex\"", "" where there is none
    bool held;            // does not change between samples: a value as the one before may be left out
    dr_text text;
} dr_usda_value;

// Calls put with every attribute of the part. The value's text is the callee's from then on.
typedef void (*dr_usda_put)(void *user, dr_usda_value *value);
void dr_write_usda_part(const dr_frame_part *part, const dr_allocator *allocator, dr_usda_put put, void *user);

typedef struct dr_usda_times {
    double first, last, rate;
} dr_usda_times;

void dr_write_usda_begin(dr_text *out, const dr_write_space *space, const dr_usda_times *times);
void dr_write_usda_begin_part(dr_text *out, const char *name, dr_frame_kind kind);
void dr_write_usda_end_part(dr_text *out);
void dr_write_usda_end(dr_text *out);

#endif
