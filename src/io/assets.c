// Loads the files a scene names into its assets. What belongs to a file lives in the scene's arena; a file that is only
// passed through (bytes, one frame of an OBJ sequence) is held no longer than it is read.
#define _POSIX_C_SOURCE 200809L

#include "io/assets.h"

#include "io/curves.h"
#include "io/obj.h"
#include "io/path.h"
#include "io/pc2.h"
#include "io/ply.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST_PATH 4096
#define DEEPEST      64 // deeper shapes are refused when they are compiled

typedef struct loading {
    dr_scene *scene;
    dr_error *error;
    dr_status status; // of the first problem
} loading;

typedef struct bytes {
    const dr_allocator *allocator;
    char *data;
    size_t count;
} bytes;

bool dr_assets_locate(const dr_scene *scene, const char *file, char *path, size_t room)
{
    const char *slash = scene->name ? strrchr(scene->name, '/') : NULL;
    size_t folder = file[0] == '/' || !slash ? 0 : (size_t)(slash - scene->name) + 1;
    int length = snprintf(path, room, "%.*s%s", (int)folder, folder ? scene->name : "", file);
    return length >= 0 && (size_t)length < room;
}

static void note_status(loading *loading, dr_status status)
{
    if (status && !loading->status) loading->status = status;
}

// ---- one file

static void close_bytes(bytes *bytes)
{
    dr_memory_free(bytes->allocator, bytes->data, bytes->count);
}

static dr_status fill_bytes(bytes *bytes, FILE *file, const char *path, dr_error *error)
{
    size_t got = bytes->count ? fread(bytes->data, 1, bytes->count, file) : 0;
    if (ferror(file)) return dr_error_system(error, path, "cannot be read");
    if (got < bytes->count) return dr_error_add(error, DR_STATUS_IO, "%s: became shorter while it was read", path);
    return DR_STATUS_OK;
}

static dr_status read_bytes(bytes *bytes, const char *path, dr_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0) return dr_error_system(error, path, "cannot be opened");
    if (!S_ISREG(info.st_mode)) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: is not a file", path);
    bytes->count = (size_t)info.st_size;
    bytes->data = dr_memory_alloc(bytes->allocator, bytes->count);
    if (!bytes->data) return dr_error_memory(error, "reading a file");
    FILE *file = fopen(path, "rb");
    dr_status status = file ? fill_bytes(bytes, file, path, error) : dr_error_system(error, path, "cannot be opened");
    if (file) fclose(file);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    if (length < tail) return false;
    for (size_t i = 0; i < tail; i++)
        if ((text[length - tail + i] | 32) != end[i]) return false;
    return true;
}

static dr_status read_mesh(dr_scene *scene, const char *path, dr_mesh_asset *mesh, dr_error *error)
{
    bytes bytes = {.allocator = scene->allocator};
    dr_status status = read_bytes(&bytes, path, error);
    if (!status) {
        bool ply = ends_with(path, ".ply") || (bytes.count >= 4 && memcmp(bytes.data, "ply\n", 4) == 0);
        status = (ply ? dr_ply_parse : dr_obj_parse)(bytes.data, bytes.count, path, &scene->arena, mesh, error);
    }
    close_bytes(&bytes);
    return status;
}

static dr_status read_path(dr_scene *scene, const char *path, dr_path_asset *way, dr_error *error)
{
    bytes bytes = {.allocator = scene->allocator};
    dr_status status = read_bytes(&bytes, path, error);
    if (!status) status = dr_path_parse(bytes.data, bytes.count, path, &scene->arena, way, error);
    close_bytes(&bytes);
    return status;
}

static dr_status read_cache(dr_scene *scene, const char *path, dr_sequence_asset *sequence, dr_error *error)
{
    bytes bytes = {.allocator = scene->allocator};
    dr_status status = read_bytes(&bytes, path, error);
    if (!status) status = dr_pc2_parse(bytes.data, bytes.count, path, &scene->arena, sequence, error);
    close_bytes(&bytes);
    return status;
}

static dr_status read_curves(dr_scene *scene, const char *path, dr_curve_asset *curves, dr_error *error)
{
    bytes bytes = {.allocator = scene->allocator};
    dr_status status = read_bytes(&bytes, path, error);
    if (!status) status = dr_curves_parse(bytes.data, bytes.count, path, &scene->arena, curves, error);
    close_bytes(&bytes);
    return status;
}

// ---- OBJ sequences

// The place of the number in the name of a sequence's files (not of its folder), NULL where there is none.
static const char *find_hashes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strchr(slash ? slash : path, '#');
}

// "wave_####.obj" and 7 give "wave_0007.obj". False where it does not fit.
static bool number_path(const char *pattern, int64_t number, char *path, size_t room)
{
    const char *first = find_hashes(pattern);
    int digits = 0;
    while (first[digits] == '#') digits++;
    int length =
        snprintf(path, room, "%.*s%0*" PRId64 "%s", (int)(first - pattern), pattern, digits, number, first + digits);
    return length >= 0 && (size_t)length < room;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static size_t count_files(const char *pattern, int64_t first)
{
    char path[LONGEST_PATH];
    size_t count = 0;
    while (number_path(pattern, first + (int64_t)count, path, sizeof path) && exists(path)) count++;
    return count;
}

static dr_status check_files(const char *pattern, int64_t first, size_t count, dr_error *error)
{
    char missing[LONGEST_PATH], next[LONGEST_PATH];
    if (!number_path(pattern, first + (int64_t)count, missing, sizeof missing) ||
        !number_path(pattern, first + (int64_t)count + 1, next, sizeof next))
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%.200s...: the path is too long", pattern);
    if (count == 0) return dr_error_add(error, DR_STATUS_NO_FILE, "%s: there is no such file", missing);
    if (!exists(next)) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: is missing, but the file after it is there", missing);
}

// Reads one file of a sequence into its row; the first one decides how many vertices there are.
static dr_status read_frame(dr_scene *scene, const char *path, size_t frame, dr_sequence_asset *sequence,
                            float **positions, dr_error *error)
{
    bytes bytes = {.allocator = scene->allocator};
    dr_arena arena;
    double *vertices = NULL;
    size_t count = 0;
    dr_arena_open(&arena, scene->allocator);
    dr_status status = read_bytes(&bytes, path, error);
    if (!status) status = dr_obj_parse_vertices(bytes.data, bytes.count, path, &arena, &vertices, &count, error);
    if (!status && frame == 0) {
        sequence->vertex_count = count;
        bool fits = count == 0 || sequence->frame_count <= SIZE_MAX / 16 / count;
        *positions =
            fits ? dr_arena_alloc(&scene->arena, 3 * sequence->frame_count * count * sizeof **positions) : NULL;
        if (!*positions) status = dr_error_memory(error, "reading a sequence");
    }
    if (!status && (count == 0 || count != sequence->vertex_count))
        status =
            dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: has %zu vertices, the first file of the sequence has %zu",
                         path, count, sequence->vertex_count);
    for (size_t i = 0; i < 3 * count && !status; i++) (*positions)[3 * count * frame + i] = (float)vertices[i];
    dr_arena_close(&arena);
    close_bytes(&bytes);
    return status;
}

static dr_status read_frames(dr_scene *scene, const char *pattern, double first_number, dr_sequence_asset *sequence,
                             dr_error *error)
{
    int64_t first = (int64_t)first_number;
    float *positions = NULL;
    sequence->frame_count = count_files(pattern, first);
    sequence->frame_step = 1.0;
    sequence->first_number = first_number;
    dr_status status = check_files(pattern, first, sequence->frame_count, error);
    for (size_t frame = 0; frame < sequence->frame_count && !status; frame++) {
        char path[LONGEST_PATH];
        number_path(pattern, first + (int64_t)frame, path, sizeof path);
        status = read_frame(scene, path, frame, sequence, &positions, error);
    }
    sequence->positions = positions;
    return status;
}

// ---- what the scene names

// Says at the scene's own line which file cannot be used, and below it why.
static void report(loading *loading, const char *const *file, const void *owner, const char *path, const dr_error *why)
{
    if (why->status == DR_STATUS_NO_MEMORY) {
        note_status(loading, dr_error_memory(loading->error, "reading the files of a scene"));
        return;
    }
    if (why->status == DR_STATUS_NO_FILE) {
        note_status(loading,
                    dr_scene_complain(loading->scene, file, owner, loading->error, "\"%s\" does not exist", *file));
        dr_error_hint(loading->error, "tried %s; files are looked for beside the scene file", path);
        return;
    }
    note_status(loading,
                dr_scene_complain(loading->scene, file, owner, loading->error, "\"%s\" cannot be used", *file));
    dr_error_hint(loading->error, "%s", why->text);
}

static bool locate(loading *loading, const char *const *file, const void *owner, char path[LONGEST_PATH])
{
    if (dr_assets_locate(loading->scene, *file, path, LONGEST_PATH)) return true;
    note_status(loading, dr_scene_complain(loading->scene, file, owner, loading->error, "is too long for a path"));
    return false;
}

static bool make_room(loading *loading, void **items, size_t *capacity, size_t count, size_t item_bytes)
{
    if (dr_memory_reserve(loading->scene->allocator, items, capacity, count, item_bytes)) return true;
    note_status(loading, dr_error_memory(loading->error, "reading the files of a scene"));
    return false;
}

static const char *keep_name(loading *loading, const char *file)
{
    const char *kept = dr_arena_copy(&loading->scene->arena, file, strlen(file));
    if (!kept) note_status(loading, dr_error_memory(loading->error, "reading the files of a scene"));
    return kept;
}

static void load_mesh(loading *loading, const char *const *file, const void *owner)
{
    dr_scene_assets *assets = &loading->scene->assets;
    dr_error why = {0};
    char path[LONGEST_PATH];
    if (dr_scene_mesh(loading->scene, *file) || !locate(loading, file, owner, path)) return;
    dr_mesh_asset mesh = {.file = keep_name(loading, *file)};
    if (!mesh.file ||
        !make_room(loading, (void **)&assets->meshes, &assets->mesh_capacity, assets->mesh_count + 1, sizeof mesh))
        return;
    if (read_mesh(loading->scene, path, &mesh, &why))
        report(loading, file, owner, path, &why);
    else
        assets->meshes[assets->mesh_count++] = mesh;
}

static void load_path(loading *loading, const dr_motion_spec *spec)
{
    dr_scene_assets *assets = &loading->scene->assets;
    dr_error why = {0};
    char path[LONGEST_PATH];
    if (dr_scene_path(loading->scene, spec->file) || !locate(loading, &spec->file, spec, path)) return;
    dr_path_asset way = {.file = keep_name(loading, spec->file)};
    if (!way.file ||
        !make_room(loading, (void **)&assets->paths, &assets->path_capacity, assets->path_count + 1, sizeof way))
        return;
    if (read_path(loading->scene, path, &way, &why))
        report(loading, &spec->file, spec, path, &why);
    else
        assets->paths[assets->path_count++] = way;
}

static bool is_loaded(loading *loading, const dr_motion_spec *spec)
{
    const dr_sequence_asset *loaded = dr_scene_sequence(loading->scene, spec->file);
    if (!loaded) return false;
    if (find_hashes(spec->file) && loaded->first_number != spec->first_frame)
        note_status(loading, dr_scene_complain(loading->scene, &spec->first_frame, spec, loading->error,
                                               "is %g, but \"%s\" is also used with %g; a scene reads a sequence once",
                                               spec->first_frame, spec->file, loaded->first_number));
    return true;
}

static void load_sequence(loading *loading, const dr_motion_spec *spec)
{
    dr_scene_assets *assets = &loading->scene->assets;
    dr_error why = {0};
    char path[LONGEST_PATH];
    if (is_loaded(loading, spec) || !locate(loading, &spec->file, spec, path)) return;
    dr_sequence_asset sequence = {.file = keep_name(loading, spec->file)};
    if (!sequence.file || !make_room(loading, (void **)&assets->sequences, &assets->sequence_capacity,
                                     assets->sequence_count + 1, sizeof sequence))
        return;
    dr_status status = find_hashes(path) ? read_frames(loading->scene, path, spec->first_frame, &sequence, &why)
                                         : read_cache(loading->scene, path, &sequence, &why);
    if (status)
        report(loading, &spec->file, spec, path, &why);
    else
        assets->sequences[assets->sequence_count++] = sequence;
}

dr_status dr_assets_load_curves(dr_scene *scene, const char *const *file, const void *owner, dr_error *error)
{
    loading loading = {.scene = scene, .error = error};
    dr_scene_assets *assets = &scene->assets;
    dr_error why = {0};
    char path[LONGEST_PATH];
    if (dr_scene_curves(scene, *file) || !locate(&loading, file, owner, path)) return loading.status;
    dr_curve_asset curves = {.file = keep_name(&loading, *file)};
    if (!curves.file || !make_room(&loading, (void **)&assets->curves, &assets->curves_capacity,
                                   assets->curves_count + 1, sizeof curves))
        return loading.status;
    if (read_curves(scene, path, &curves, &why))
        report(&loading, file, owner, path, &why);
    else
        assets->curves[assets->curves_count++] = curves;
    return loading.status;
}

static void load_shape(loading *loading, const dr_shape_spec *spec, int depth)
{
    if (spec->kind == DR_SHAPE_MESH && spec->file) load_mesh(loading, &spec->file, spec);
    for (int i = 0; i < spec->of.count && depth < DEEPEST; i++) load_shape(loading, &spec->of.items[i], depth + 1);
}

static void load_motions(loading *loading, const dr_motion_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const dr_motion_spec *spec = &list->items[i];
        if (!spec->file) continue;
        if (spec->kind == DR_MOTION_PATH) load_path(loading, spec);
        if (spec->kind == DR_MOTION_SEQUENCE) load_sequence(loading, spec);
    }
}

static void load_holds(loading *loading, const dr_group_list *groups, const dr_hold_list *holds)
{
    for (int i = 0; i < groups->count; i++) load_shape(loading, &groups->items[i].within, 0);
    for (int i = 0; i < holds->count; i++) {
        load_shape(loading, &holds->items[i].within, 0);
        load_motions(loading, &holds->items[i].motion);
    }
}

dr_status dr_scene_load(dr_scene *scene, dr_error *error)
{
    loading loading = {.scene = scene, .error = error};
    const dr_scene_spec *spec = &scene->spec;
    for (int i = 0; i < spec->regions.count; i++) load_shape(&loading, &spec->regions.items[i].shape, 0);
    for (int i = 0; i < spec->bodies.count; i++) load_shape(&loading, &spec->bodies.items[i].shape, 0);
    for (int i = 0; i < spec->emitters.count; i++) load_shape(&loading, &spec->emitters.items[i].shape, 0);
    for (int i = 0; i < spec->drains.count; i++) load_shape(&loading, &spec->drains.items[i].shape, 0);
    for (int i = 0; i < spec->forces.count; i++) load_shape(&loading, &spec->forces.items[i].within, 0);
    for (int i = 0; i < spec->colliders.count; i++) {
        load_shape(&loading, &spec->colliders.items[i].shape, 0);
        load_motions(&loading, &spec->colliders.items[i].motion);
    }
    for (int i = 0; i < spec->strands.count; i++) {
        const dr_strands_spec *strands = &spec->strands.items[i];
        load_motions(&loading, &strands->root_motion);
        load_motions(&loading, &strands->tip_motion);
        load_holds(&loading, &strands->groups, &strands->holds);
        if (strands->kind == DR_STRANDS_FILE && strands->file)
            note_status(&loading, dr_assets_load_curves(scene, &strands->file, strands, error));
    }
    for (int i = 0; i < spec->cloths.count; i++) {
        const dr_cloth_spec *cloth = &spec->cloths.items[i];
        if (cloth->kind == DR_CLOTH_FILE && cloth->file) load_mesh(&loading, &cloth->file, cloth);
        load_holds(&loading, &cloth->groups, &cloth->holds);
    }
    return loading.status;
}
