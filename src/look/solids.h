// What liquid cannot enter: the walls of the domain and the colliders of a frame, as one signed distance.
// docs/theory/reconstruction.md, "Walls".
#ifndef DR_LOOK_SOLIDS_H
#define DR_LOOK_SOLIDS_H

#include "base/error.h"
#include "drench/frame.h"
#include "drench/scene.h"

typedef struct dr_solids dr_solids;

// Colliders are taken as the frame shows them, wherever they have been moved to; the scene tells the walls and which
// colliders are endless, inside out or shells, and what it does not know of is not solid. Without a scene (NULL) there
// are no walls and all colliders are closed bodies. *solids stays NULL where there is nothing solid.
dr_status dr_solids_open(const dr_scene *scene, const dr_frame *frame, const dr_allocator *allocator,
                         dr_solids **solids, dr_error *error);
void dr_solids_close(dr_solids *solids); // NULL is fine

// Distance to the nearest solid, negative inside one; normal (unit, may be NULL) points out of it. Safe from many
// threads.
double dr_solids_distance(const dr_solids *solids, const double x[3], double normal[3]);

#endif
