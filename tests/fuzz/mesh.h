// What the readers of meshes have in common under the fuzzer.
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include "scene/scene.h"

#include <assert.h>
#include <math.h>

typedef dr_status (*mesh_parser)(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                                 dr_error *error);

static inline void check_mesh(const dr_mesh_asset *mesh)
{
    assert(mesh->triangle_count > 0);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) assert(isfinite(mesh->vertices[i]));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) assert(mesh->triangles[i] < mesh->vertex_count);
    for (size_t i = 0; mesh->texture && i < 6 * mesh->triangle_count; i++) assert(!isinf(mesh->texture[i]));
    for (size_t i = 0; mesh->group && i < mesh->triangle_count; i++)
        assert(mesh->group[i] == DR_NO_GROUP || mesh->group[i] < mesh->group_count);
}

static inline void try_mesh(mesh_parser parse, const uint8_t *data, size_t size)
{
    dr_arena arena;
    dr_error error = {0};
    dr_mesh_asset mesh = {0};
    dr_arena_open(&arena, NULL);
    if (parse((const char *)data, size, "fuzz", &arena, &mesh, &error) == DR_STATUS_OK)
        check_mesh(&mesh);
    else
        assert(error.count > 0 && error.text[0]);
    dr_arena_close(&arena);
}

#endif
