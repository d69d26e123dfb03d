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
    const char *place; // "time.frames=3" where it was not the file, else NULL
    int line, column;
    bool whole; // a struct rather than the field that begins it
} dr_origin;

// Files the scene names, as read. Coordinates are the file's own: unit, up axis and transform are applied by who uses
// them.
typedef struct dr_mesh_asset {
    const char *file; // as the scene writes it
    size_t vertex_count, triangle_count;
    const double *vertices;    // [vertex][3]
    const uint32_t *triangles; // [triangle][3]
    size_t flat_count;         // triangles without area that were left out
    const double *texture;     // [triangle][3][2] u and v of its corners, NAN: none; NULL: none at all
    const char *const *groups; // what the file calls its triangles, names with blanks between them
    size_t group_count;
    const uint32_t *group; // [triangle] index of groups, DR_NO_GROUP: none; NULL where there are no groups
} dr_mesh_asset;

#define DR_NO_GROUP UINT32_MAX

typedef struct dr_path_asset {
    const char *file;
    size_t count;
    const double *rows; // [count][8]: time, x, y, z, quaternion w, x, y, z; times rise strictly
} dr_path_asset;

typedef struct dr_sequence_asset {
    const char *file;
    size_t frame_count, vertex_count;
    double start_frame, frame_step; // PC2's own, 0 and 1 for OBJ
    double first_number;            // of the files of an OBJ sequence
    const float *positions;         // [frame][vertex][3]
} dr_sequence_asset;

// Curves: hair, yarn, any polylines. Points of one curve lie one after the other.
typedef struct dr_curve_asset {
    const char *file;
    size_t curve_count, point_count;
    const double *points;  // [point][3]
    const uint32_t *first; // [curve + 1]: curve s has the points first[s] .. first[s + 1] - 1, two at least
    const double *radius;  // [point], in the file's unit of length; NULL: the file tells none
    const float *color;    // [point][3], red, green, blue from 0 to 1; NULL: the file tells none
    const uint8_t *closed; // [curve]: 1 where the last point is joined to the first; NULL: no curve is closed
    double usual_radius;   // where the file tells one for all points; 0: it does not
    int up;                // the axis the file calls up, 0 .. 2; -1: it does not say
} dr_curve_asset;

typedef struct dr_scene_assets {
    dr_mesh_asset *meshes;
    size_t mesh_count, mesh_capacity;
    dr_path_asset *paths;
    size_t path_count, path_capacity;
    dr_sequence_asset *sequences;
    size_t sequence_count, sequence_capacity;
    dr_curve_asset *curves;
    size_t curves_count, curves_capacity;
} dr_scene_assets;

// An array of a list that dr_scene_append made, and how many items fit.
typedef struct dr_growth {
    void *items;
    int capacity;
} dr_growth;

struct dr_scene {
    const dr_allocator *allocator;
    dr_arena arena;
    const char *name; // of the file, in messages
    dr_scene_spec spec;
    dr_origin *origins; // in the order of writing: the last one counts
    size_t origin_count, origin_capacity;
    dr_growth *growths;
    size_t growth_count, growth_capacity;
    dr_scene_assets assets;
};

// One step on the way from the scene to a value, for messages: the struct reached through a row of the one above.
typedef struct dr_place {
    const struct dr_place *above; // NULL for the scene itself
    const dr_field *field;        // the row of the struct above that leads here
    int index;                    // in a list, -1 where it is none
    const dr_table *table;
    const void *object;
} dr_place;

// The object and the way to a field in words: 'collider "ball": shape.of[1].radius'; field NULL: the object alone.
void dr_place_print(const dr_place *place, const dr_field *field, char *text, size_t room);

// The way as dr_scene_set takes it: "colliders.ball.shape.of.1.radius".
void dr_place_path(const dr_place *place, const dr_field *field, char *text, size_t room);

// The name an object carries, "" where it has none.
const char *dr_place_name(const dr_table *table, const void *object);

// The table of dr_scene_spec; every other table hangs below it.
const dr_table *dr_scene_table(void);
const dr_table *dr_material_table(void);

// Fills a scene that has only defaults from a document. All problems are gathered.
struct dr_node;
dr_status dr_scene_read_node(dr_scene *scene, const struct dr_node *root, dr_error *error);

// Remembers where a value was written, and finds it again: NULL where it was not. A struct and the field that begins it
// have one address: `whole` says which is meant, the other one counts where it alone was written.
bool dr_scene_note(dr_scene *scene, dr_origin origin);
const dr_origin *dr_scene_origin(const dr_scene *scene, const void *address, bool whole);

// Gives an object everything a preset holds but its own name and preset.
void dr_material_inherit(dr_material_spec *material, const dr_material_spec *preset);

// Gives a material that has a weave what follows from it; false where it has none. docs/theory/weave.md.
bool dr_weave_apply(dr_material_spec *material);

// The built-in or earlier material (of the first `count` of the scene's) that a preset means; NULL where there is none.
const dr_material_spec *dr_scene_preset(const dr_scene *scene, const char *name, int count);

// A near name of a material that there is, NULL where none is near.
const char *dr_scene_nearest_material(const dr_scene *scene, const char *name);

// Adds a problem at the place where `address` was written (or, where it was not, where `owner` was): "file:line:column:
// ".
dr_status dr_scene_error(const dr_scene *scene, const void *address, const void *owner, dr_error *error,
                         const char *format, ...) DR_PRINTF(5, 6);

// The same with the object and field in words before the message, which goes on from there: 'collider "ball":
// shape.scale' 'is 0, it must be above zero'.
dr_status dr_scene_complain(const dr_scene *scene, const void *address, const void *owner, dr_error *error,
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
const dr_curve_asset *dr_scene_curves(const dr_scene *scene, const char *file);

// As dr_scene_write_text, for a file that will lie elsewhere: `folder` (ending with a slash) is put before the names of
// files that are not absolute.
dr_status dr_scene_write_text_from(const dr_scene *scene, const char *folder, char **text, size_t *length,
                                   dr_error *error);

#endif
