// Colliders as a frame shows them.
#ifndef DR_WORLD_COLLIDER_VIEW_H
#define DR_WORLD_COLLIDER_VIEW_H

#include "drench/world.h"
#include "geom/outline.h"

// Colliders as a frame shows them: triangles made at the first view, placed at every one.
typedef struct dr_collider_view {
    dr_box bodies; // around the scene's bodies as they begin
    int body_count;
    dr_outline *outlines; // one per collider, NULL before the first view
    size_t vertex_count, triangle_count;
    float (*position)[3];
    uint32_t (*triangle)[3];
    uint32_t *body; // of each triangle
    dr_frame_array arrays[2];
} dr_collider_view;

dr_status dr_collider_view_part(dr_world *world, dr_frame_part *part, dr_error *error);
void dr_collider_view_include(dr_world *world, const dr_box *box); // of a body
void dr_collider_view_free(dr_world *world);

#endif
