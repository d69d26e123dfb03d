// The surface of a frame's liquid as a level set: sparse blocks of signed distance and velocity, laid out as OpenVDB
// keeps its leaves. docs/theory/reconstruction.md.
#ifndef DR_LOOK_SURFACE_FIELD_H
#define DR_LOOK_SURFACE_FIELD_H

#include "look/surface.h"

enum { DR_SURFACE_LEAF_SIDE = 8, DR_SURFACE_LEAF_NODES = 512, DR_SURFACE_BAND = 3 };

// Node (x, y, z) of a leaf is item (x * 8 + y) * 8 + z; it lies at (origin + (x, y, z)) * cell.
typedef struct dr_surface_leaf {
    int32_t origin[3];                        // in nodes, multiples of 8
    float distance[DR_SURFACE_LEAF_NODES];    // cm, negative in the liquid, cut to -band .. band
    float velocity[DR_SURFACE_LEAF_NODES][3]; // cm/s, of the nearest point of the surface
} dr_surface_leaf;

// Leaves in ascending order of z, y, x; every node nearer than band to the surface is in one. What is in no leaf is
// further away: inside or outside as the leaves around it say (OpenVDB's signedFloodFill).
typedef struct dr_surface_field {
    float cell; // cm
    float band; // cm, DR_SURFACE_BAND cells
    size_t leaf_count;
    dr_surface_leaf *leaf;
    const dr_allocator *allocator;
} dr_surface_field;

// The level set of the mesh that dr_surface_mesh_build makes of the same frame and options. A frame without liquid
// gives no leaves. On failure *field is empty.
dr_status dr_surface_field_build(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                                 const dr_allocator *allocator, dr_surface_field *field, dr_error *error);
void dr_surface_field_free(dr_surface_field *field);

#endif
