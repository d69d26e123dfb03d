// Any bytes as a file for the OBJ reader: no crash, no leak, and what it accepts is sound.
#include "fuzz/curves.h"
#include "io/obj.h"

static void check_mesh(const dr_mesh_asset *mesh)
{
    assert(mesh->triangle_count > 0);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) assert(isfinite(mesh->vertices[i]));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) assert(mesh->triangles[i] < mesh->vertex_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dr_arena arena;
    dr_error error = {0};
    dr_mesh_asset mesh = {0};
    dr_arena_open(&arena, NULL);
    dr_status status = dr_obj_parse((const char *)data, size, "fuzz", &arena, &mesh, &error);
    if (status == DR_STATUS_OK)
        check_mesh(&mesh);
    else
        assert(error.count > 0 && error.text[0]);
    dr_arena_close(&arena);
    try_curves(dr_obj_parse_curves, data, size);
    return 0;
}
