// Which triangles share an edge, and whether a mesh is closed: every edge used by exactly two triangles, once each way.
#ifndef DR_GEOM_ADJACENCY_H
#define DR_GEOM_ADJACENCY_H

#include "base/memory.h"

// Edge 3 t + i goes from corner i to corner i + 1 of triangle t; opposite[edge] becomes the same edge of its neighbour.
// *closed tells whether every edge has one; where it is false, opposite is of no use. False when memory is out.
bool dr_adjacency_find(const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                       const dr_allocator *allocator, uint32_t *opposite, bool *closed);

#endif
