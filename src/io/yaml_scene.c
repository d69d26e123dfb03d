// Scenes from files and from text.
#include "io/yaml_scene.h"

#include "io/yaml.h"

#include <stdio.h>
#include <string.h>

#define LARGEST ((size_t)64 << 20)

static dr_status fill(dr_scene *scene, const char *text, size_t length, const char *name, dr_error *error)
{
    scene->name = dr_arena_copy(&scene->arena, name, strlen(name));
    if (!scene->name) return dr_error_memory(error, "reading the scene");
    if (length > LARGEST) {
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: the file is larger than 64 MiB, too large for a scene",
                            name);
    }
    dr_arena arena;
    dr_arena_open(&arena, scene->allocator);
    const dr_node *root;
    dr_status status = dr_yaml_parse(text, length, scene->name, &arena, &root, error);
    if (status == DR_STATUS_OK) status = dr_scene_read_node(scene, root, error);
    dr_arena_close(&arena);
    return status;
}

dr_status dr_yaml_scene_parse(const char *text, size_t length, const char *name, const dr_allocator *allocator,
                              dr_scene **scene, dr_error *error)
{
    dr_status status = dr_scene_create(allocator, scene, error);
    if (status != DR_STATUS_OK) return status;
    status = fill(*scene, text, length, name ? name : "scene", error);
    if (status == DR_STATUS_OK) return status;
    dr_scene_destroy(*scene);
    *scene = NULL;
    return status;
}

dr_status dr_scene_parse(const char *text, size_t length, const char *name, const dr_allocator *allocator,
                         dr_scene **scene, dr_error *error)
{
    dr_status status = dr_yaml_scene_parse(text, length, name, allocator, scene, error);
    if (status != DR_STATUS_OK) return status;
    status = dr_scene_load(*scene, error);
    if (status == DR_STATUS_OK) return status;
    dr_scene_destroy(*scene);
    *scene = NULL;
    return status;
}

typedef struct block {
    char *text;
    size_t length, capacity;
} block;

// Reads one byte more than may be, so that a file that is too large shows.
static dr_status read_all(FILE *file, const char *path, const dr_allocator *allocator, block *b, dr_error *error)
{
    for (;;) {
        size_t wanted = b->length ? 2 * b->length : 65536;
        if (wanted > LARGEST + 1) wanted = LARGEST + 1;
        if (!dr_memory_reserve(allocator, (void **)&b->text, &b->capacity, wanted, 1)) {
            return dr_error_memory(error, "reading the scene");
        }
        size_t room = wanted - b->length, got = fread(b->text + b->length, 1, room, file);
        b->length += got;
        if (ferror(file)) return dr_error_system(error, path, "cannot read the scene");
        if (got < room || b->length > LARGEST) return DR_STATUS_OK;
    }
}

dr_status dr_scene_read(const char *path, const dr_allocator *allocator, dr_scene **scene, dr_error *error)
{
    block b = {NULL, 0, 0};
    *scene = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return dr_error_system(error, path, "cannot open the scene");
    dr_status status = read_all(file, path, allocator, &b, error);
    fclose(file);
    if (status == DR_STATUS_OK) status = dr_scene_parse(b.text, b.length, path, allocator, scene, error);
    dr_memory_free(allocator, b.text, b.capacity);
    return status;
}
