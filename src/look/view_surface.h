// A frame as the viewer offers it: with a part "surface" beside its liquid, made only where it is wanted.
#ifndef DR_LOOK_VIEW_SURFACE_H
#define DR_LOOK_VIEW_SURFACE_H

#include "look/surface.h"

#define DR_VIEW_SURFACE "surface"

typedef struct dr_view_surface {
    dr_frame frame; // the parts of the source and the surface
    dr_frame_part *parts;
    size_t part_count;
    dr_frame_array arrays[3];
    dr_surface_mesh mesh;
    const dr_allocator *allocator;
} dr_view_surface;

// As the scene's look (may be NULL) has the surface. Where it is not wanted the part is there and empty; where there is
// no liquid, or the source has such a part, none is added. The source must live as long; freed by
// dr_view_surface_close, also after a failure.
dr_status dr_view_surface_open(dr_view_surface *surface, const dr_frame *source, const dr_scene *scene, bool wanted,
                               const dr_allocator *allocator, dr_error *error);
void dr_view_surface_close(dr_view_surface *surface);

#endif
