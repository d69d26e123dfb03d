// One smooth surface around the liquid of a frame: particles of any size, films on curves, wet fabric.
// docs/theory/reconstruction.md.
#ifndef DR_LOOK_SURFACE_H
#define DR_LOOK_SURFACE_H

#include "base/error.h"
#include "drench/frame.h"
#include "drench/scene.h"
#include "par/par.h"

typedef struct dr_surface_options {
    float cell;            // cm; 0: half the particles' spacing; never finer than a fifth of it
    float smoothing;       // 0 as the particles lie .. 1 very smooth
    bool films;            // films on curves and water in fabric too, not particles alone
    const dr_scene *scene; // whose walls the surface stays out of; NULL: of the frame's colliders alone
    float overlap;         // cm that it may reach into walls and colliders all the same
} dr_surface_options;

// A closed triangle mesh, outward normals, velocity of the liquid at each vertex. Freed by dr_surface_mesh_free.
typedef struct dr_surface_mesh {
    size_t vertex_count, triangle_count;
    float (*position)[3];
    float (*normal)[3];
    float (*velocity)[3];
    uint32_t (*triangle)[3];
    size_t peak_bytes; // most memory held at once while it was made
    size_t cells;      // that the surface crosses
    const dr_allocator *allocator;
} dr_surface_mesh;

void dr_surface_options_default(dr_surface_options *options);

// A frame without liquid gives an empty mesh. On failure *mesh is empty.
dr_status dr_surface_mesh_build(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                                const dr_allocator *allocator, dr_surface_mesh *mesh, dr_error *error);
void dr_surface_mesh_free(dr_surface_mesh *mesh);

#endif
