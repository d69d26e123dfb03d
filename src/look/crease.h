// Smooth normals for triangles that have none: across edges that are nearly straight, wherever vertices meet.
#ifndef DR_LOOK_CREASE_H
#define DR_LOOK_CREASE_H

#include "base/memory.h"

#include <stdint.h>

// Fills normal[3 * triangle_count], one for each corner of each triangle. False when memory is out.
bool dr_crease_normals(size_t vertex_count, const float (*position)[3], size_t triangle_count,
                       const uint32_t (*triangle)[3], const dr_allocator *allocator, float (*normal)[3]);

#endif
