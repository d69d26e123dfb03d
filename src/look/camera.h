// A camera with a thin lens or a pinhole, and where to put it so that all that happens is in the picture.
// docs/render.md, "Camera".
#ifndef DR_LOOK_CAMERA_H
#define DR_LOOK_CAMERA_H

#include "drench/scene.h"
#include "geom/shape.h"
#include "look/space.h"

typedef struct dr_camera {
    dr_float4 position;
    dr_float4 right, up, ahead; // right and up reach from the middle to the edges of the picture, one ahead
    float aperture, focus;      // width of the lens, and how far ahead things are sharp
} dr_camera;

// `action` is the box of all that happens, min > max where nothing does.
dr_camera dr_camera_make(const dr_camera_spec *spec, const dr_box *action, double aspect);

// The unit direction through a place of the picture: 0..1 from left to right and from top to bottom.
dr_float4 dr_camera_ray(const dr_camera *camera, float x, float y);

// Moves a ray to a place of the lens drawn by `random`, so that it meets the same point of the plane that is sharp.
void dr_camera_blur(const dr_camera *camera, const float random[2], dr_float4 *eye, dr_float4 *direction);

#endif
