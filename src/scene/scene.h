// The scene's own struct: the description, where each value was written, and the files it names, loaded.
#ifndef DR_SCENE_SCENE_H
#define DR_SCENE_SCENE_H

#include "base/error.h"
#include "base/field.h"
#include "base/memory.h"
#include "drench/scene.h"

// Where a value was written. `address` is the value's own address in the spec (or that of a whole struct).
typedef struct dr_origin {
    const void *address;
    int line, column;
} dr_origin;

// Files the scene names, as read. Coordinates are the file's own: unit, up axis and transform are applied by who uses
// them.
typedef struct dr_mesh_asset {
    const char *file; // as the scene writes it
    size_t vertex_count, triangle_count;
    const double *vertices;    // [vertex][3]
    const uint32_t *triangles; // [triangle][3]
} dr_mesh_asset;

typedef struct dr_path_asset {
    const char *file;
    size_t count;
    const double *rows; // [count][8]: time, x, y, z, quaternion w, x, y, z; times rise strictly
} dr_path_asset;

typedef struct dr_sequence_asset {
    const char *file;
    size_t frame_count, vertex_count;
    double start_frame, frame_step; // PC2's own, 0 and 1 for OBJ
    const float *positions;         // [frame][vertex][3]
} dr_sequence_asset;

typedef struct dr_scene_assets {
    dr_mesh_asset *meshes;
    size_t mesh_count, mesh_capacity;
    dr_path_asset *paths;
    size_t path_count, path_capacity;
    dr_sequence_asset *sequences;
    size_t sequence_count, sequence_capacity;
} dr_scene_assets;

struct dr_scene {
    const dr_allocator *allocator;
    dr_arena arena;
    const char *name; // of the file, in messages
    dr_scene_spec spec;
    dr_origin *origins; // sorted by address once reading is done
    size_t origin_count, origin_capacity;
    dr_scene_assets assets;
};

// The table of dr_scene_spec; every other table hangs below it.
const dr_table *dr_scene_table(void);
const dr_table *dr_material_table(void);

// Adds a problem at the place where `address` was written (or, where it was not, where `owner` was): "file:line:column:
// ".
dr_status dr_scene_error(const dr_scene *scene, const void *address, const void *owner, dr_error *error,
                         const char *format, ...) DR_PRINTF(5, 6);

// Ranges of every field, names that must be unique or must exist, materials resolved. The part of dr_scene_check that
// needs no geometry.
dr_status dr_scene_check_values(const dr_scene *scene, dr_error *error);

// The material a body or emitter names, with everything its presets supply. NULL where there is none.
const dr_material_spec *dr_scene_material(const dr_scene *scene, const char *name);

// The region of that name. NULL where there is none.
const dr_shape_spec *dr_scene_region(const dr_scene *scene, const char *name);

// Loaded files by the name the scene writes. NULL where not loaded.
const dr_mesh_asset *dr_scene_mesh(const dr_scene *scene, const char *file);
const dr_path_asset *dr_scene_path(const dr_scene *scene, const char *file);
const dr_sequence_asset *dr_scene_sequence(const dr_scene *scene, const char *file);

#endif
