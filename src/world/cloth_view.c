// Thin matter as a frame shows it: cloth as triangles whose vertices have the order of the user, yarn as curves.
#include "world/world.h"

#include "base/error.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static size_t view_bytes(const dr_world *world, int which)
{
    const dr_thin *thin = &world->cloth.thin[which];
    return thin->mesh ? 6 * thin->mesh->vertices * sizeof(float) + 1 : 0;
}

static size_t corner_bytes(const dr_world *world)
{
    return 3 * world->state.cloth.elements * sizeof *world->cloth.corners;
}

static bool name_corners(dr_world *world)
{
    const dr_manifold *m = &world->state.cloth;
    dr_cloth_stage *stage = &world->cloth;
    if (m->elements == 0) return true;
    stage->corners = dr_memory_alloc(world->allocator, corner_bytes(world));
    for (size_t i = 0; i < 3 * m->elements && stage->corners; i++) stage->corners[i] = stage->number[m->index[i]];
    return stage->corners != NULL;
}

dr_status dr_cloth_view_open(dr_world *world, dr_error *error)
{
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        size_t bytes = view_bytes(world, i);
        if (bytes == 0) continue;
        world->cloth.view[i] = dr_memory_alloc(world->allocator, bytes);
        if (!world->cloth.view[i]) return dr_error_memory(error, "making cloth");
    }
    return name_corners(world) ? DR_STATUS_OK : dr_error_memory(error, "making cloth");
}

void dr_cloth_view_close(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    const dr_allocator *allocator = world->allocator;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (stage->view[i]) dr_memory_free(allocator, stage->view[i], view_bytes(world, i));
    }
    dr_memory_free(allocator, stage->radius, stage->radius_capacity * sizeof *stage->radius);
    dr_memory_free(allocator, stage->curves, stage->curve_capacity * sizeof *stage->curves);
    dr_memory_free(allocator, stage->curve_body, stage->curve_body_capacity * sizeof *stage->curve_body);
    dr_memory_free(allocator, stage->coordinates, stage->coordinate_capacity * sizeof *stage->coordinates);
    dr_memory_free(allocator, stage->number, stage->number_capacity * sizeof *stage->number);
    if (stage->corners) dr_memory_free(allocator, stage->corners, corner_bytes(world));
}

// number: of vertices in the frame; NULL: as they come.
static void fill(const dr_manifold *m, const uint32_t *number, float *position, float *velocity)
{
    for (size_t v = 0; v < m->vertices; v++) {
        size_t to = number ? number[v] : v;
        for (size_t a = 0; a < 3; a++) {
            position[3 * to + a] = (float)m->position[3 * v + a];
            velocity[3 * to + a] = m->velocity[3 * v + a];
        }
    }
}

// The mean of the triangles around a vertex, each by its area. They stand where forces were, which the next step finds
// anew.
static void fill_normals(const dr_manifold *m, const uint32_t *number, float *normal)
{
    for (size_t v = 0; v < m->vertices; v++) {
        double sum[3] = {0}, one[3], e1[3], e2[3];
        static const double up[3] = {0, 1, 0};
        for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
            const uint32_t *corner = m->index + 3 * (m->slot[i] / 3);
            const double *x = m->position + 3 * (size_t)corner[0];
            dr_vec3_sub(e1, m->position + 3 * (size_t)corner[1], x);
            dr_vec3_sub(e2, m->position + 3 * (size_t)corner[2], x);
            dr_vec3_cross(one, e1, e2);
            dr_vec3_add(sum, sum, one);
        }
        dr_vec3_normalize(sum, sum, up);
        for (size_t a = 0; a < 3; a++) normal[3 * (size_t)number[v] + a] = (float)sum[a];
    }
}

dr_status dr_cloth_view(dr_world *world, dr_frame_part *part, dr_error *error)
{
    (void)error;
    dr_cloth_stage *stage = &world->cloth;
    const dr_manifold *m = &world->state.cloth;
    size_t n = m->vertices, count = m->elements;
    float *position = stage->view[DR_THIN_CLOTH], *velocity = position + 3 * n, *normal = m->force;
    fill(m, stage->number, position, velocity);
    fill_normals(m, stage->number, normal);
    const dr_frame_array arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, n, position},
                                     {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, n, velocity},
                                     {"normal", "", DR_TYPE_FLOAT32, 3, n, normal},
                                     {"coordinates", "cm", DR_TYPE_FLOAT32, 2, n, stage->coordinates},
                                     {"body", "", DR_TYPE_UINT32, 1, count, m->body}};
    memcpy(stage->arrays[DR_THIN_CLOTH], arrays, sizeof arrays);
    *part = (dr_frame_part){.name = "cloth",
                            .kind = DR_FRAME_TRIANGLES,
                            .point_count = n,
                            .element_count = count,
                            .index = stage->corners,
                            .array_count = (int)(sizeof arrays / sizeof *arrays),
                            .arrays = stage->arrays[DR_THIN_CLOTH]};
    return DR_STATUS_OK;
}

dr_status dr_cloth_view_yarn(dr_world *world, dr_frame_part *part, dr_error *error)
{
    (void)error;
    dr_cloth_stage *stage = &world->cloth;
    const dr_manifold *m = &world->state.yarn;
    size_t n = m->vertices, count = stage->curve_count;
    float *position = stage->view[DR_THIN_YARN], *velocity = position + 3 * n;
    fill(m, NULL, position, velocity);
    const dr_frame_array arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, n, position},
                                     {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, n, velocity},
                                     {"radius", "cm", DR_TYPE_FLOAT32, 1, n, stage->radius},
                                     {"group", "", DR_TYPE_UINT32, 1, count, stage->curve_body}};
    memcpy(stage->arrays[DR_THIN_YARN], arrays, sizeof arrays);
    *part = (dr_frame_part){.name = "yarn",
                            .kind = DR_FRAME_CURVES,
                            .point_count = n,
                            .element_count = count,
                            .index = stage->curves,
                            .array_count = (int)(sizeof arrays / sizeof *arrays),
                            .arrays = stage->arrays[DR_THIN_YARN]};
    return DR_STATUS_OK;
}
