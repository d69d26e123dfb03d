// Where things happen: the box that a camera should see.
#ifndef DR_LOOK_ACTION_H
#define DR_LOOK_ACTION_H

#include "base/error.h"
#include "drench/frame.h"
#include "geom/shape.h"
#include "scene/scene.h"

dr_box dr_action_nothing(void); // min > max
dr_box dr_action_join(dr_box a, dr_box b);

// The box of a frame's particles, strands and cloth, but for a few strays in a thousand along each axis, and of
// colliders that are no larger than three times that. Half-spaces of the scene have no end and do not count; scene
// NULL: none is known.
dr_status dr_action_find(const dr_frame *frame, const dr_scene *scene, const dr_allocator *allocator, dr_box *box,
                         dr_error *error);

double dr_action_size(const dr_box *box); // its diagonal, 1 where there is nothing

#endif
