// Scenes and meshes by hand, for the tests of shapes and colliders.
#ifndef TESTS_GEOM_SOLIDS_H
#define TESTS_GEOM_SOLIDS_H

#include "geom/shape.h"
#include "math/random.h"
#include "math/vec.h"
#include "support/check.h"

#include <stdlib.h>

static inline dr_shape_spec solid(dr_shape_kind kind)
{
    return (dr_shape_spec){.kind = (int)kind,
                           .radius = 1.0,
                           .tube = 0.3,
                           .size = {2.0, 1.0, 3.0},
                           .height = 2.0,
                           .axis = DR_AXIS_Y,
                           .normal = {0, 1, 0},
                           .up = DR_AXIS_Y,
                           .unit_length = 1.0,
                           .scale = 1.0};
}

static inline void random_point(double x[3], uint64_t key, uint64_t counter, double reach)
{
    for (uint64_t i = 0; i < 3; i++) x[i] = reach * (2.0 * dr_random_unit(key, 3 * counter + i) - 1.0);
}

typedef struct test_mesh {
    size_t vertex_count, triangle_count;
    double *vertices;
    uint32_t *triangles;
} test_mesh;

static inline void release_mesh(test_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
}

// A sphere of radius 1 in 2 x rings x rings triangles along latitude and longitude, outward; poles are single vertices.
static inline test_mesh ball_mesh(size_t rings)
{
    size_t around = 2 * rings;
    test_mesh mesh = {.vertex_count = (rings - 1) * around + 2, .triangle_count = 2 * around * (rings - 1)};
    mesh.vertices = calloc(3 * mesh.vertex_count, sizeof *mesh.vertices);
    mesh.triangles = calloc(3 * mesh.triangle_count, sizeof *mesh.triangles);
    double *vertex = mesh.vertices;
    for (size_t i = 1; i < rings; i++)
        for (size_t j = 0; j < around; j++, vertex += 3) {
            double theta = PI * (double)i / (double)rings, phi = 2 * PI * (double)j / (double)around;
            dr_vec3_set(vertex, sin(theta) * sin(phi), cos(theta), sin(theta) * cos(phi));
        }
    uint32_t north = (uint32_t)mesh.vertex_count - 2, south = north + 1;
    dr_vec3_set(vertex, 0, 1, 0);
    dr_vec3_set(vertex + 3, 0, -1, 0);
    uint32_t *corner = mesh.triangles;
    for (size_t j = 0; j < around; j++) {
        size_t next = (j + 1) % around;
        for (size_t i = 0; i + 2 < rings; i++) {
            uint32_t a = (uint32_t)(i * around + j), b = (uint32_t)(i * around + next);
            uint32_t c = (uint32_t)((i + 1) * around + j), d = (uint32_t)((i + 1) * around + next);
            uint32_t quad[6] = {a, c, d, a, d, b};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
        uint32_t last = (uint32_t)((rings - 2) * around);
        uint32_t caps[6] = {north, (uint32_t)j, (uint32_t)next, south, last + (uint32_t)next, last + (uint32_t)j};
        memcpy(corner, caps, sizeof caps);
        corner += 6;
    }
    return mesh;
}

static inline void turn_inward(test_mesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t swap = mesh->triangles[3 * t];
        mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = swap;
    }
}

static inline void scene_with_mesh(dr_scene *scene, dr_mesh_asset *asset, const test_mesh *mesh)
{
    *asset = (dr_mesh_asset){.file = "mesh.obj",
                             .vertex_count = mesh->vertex_count,
                             .triangle_count = mesh->triangle_count,
                             .vertices = mesh->vertices,
                             .triangles = mesh->triangles};
    memset(scene, 0, sizeof *scene);
    scene->name = "test";
    scene->spec.time.frame_rate = 24.0;
    scene->assets.meshes = asset;
    scene->assets.mesh_count = 1;
}

#endif
