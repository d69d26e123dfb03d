// What a scene means as one number, and what two scenes have not in common. Rows that cannot change what is simulated
// (titles, sources, limits of memory) are left out of both.
#include "scene/scene.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

// ---- hash

typedef struct digest {
    const dr_scene *scene;
    uint64_t value;
} digest;

static void stir(digest *d, const void *data, size_t bytes)
{
    d->value = dr_hash_bytes(data, bytes, d->value);
}

static void stir_text(digest *d, const char *text)
{
    stir(d, text ? text : "", text ? strlen(text) : 0);
}

static void stir_number(digest *d, double value)
{
    value += 0.0; // both zeros mean the same
    stir(d, &value, sizeof value);
}

static void stir_object(digest *d, const dr_table *table, const void *object);

static void stir_list(digest *d, const dr_field *field, const void *object)
{
    dr_list list = dr_field_list(field, object);
    int64_t count = list.count;
    stir(d, &count, sizeof count);
    for (int i = 0; i < list.count; i++) {
        stir_object(d, field->table, (const char *)list.items + (size_t)i * field->table->size);
    }
}

// A built-in material counts with its numbers; one of the scene's own is in its list.
static void stir_material(digest *d, const char *name)
{
    const dr_material_spec *material = name ? dr_scene_material(d->scene, name) : NULL;
    if (material && material == dr_material_find(name)) stir_object(d, dr_material_table(), material);
}

static void stir_field(digest *d, const dr_field *field, const void *object)
{
    const void *at = dr_field_at(field, object);
    int64_t whole;
    switch (field->type) {
    case DR_FIELD_BOOL:
        whole = *(const bool *)at;
        break;
    case DR_FIELD_INT:
        whole = *(const int64_t *)at;
        break;
    case DR_FIELD_CHOICE:
        whole = *(const int *)at;
        break;
    case DR_FIELD_REAL:
        stir_number(d, *(const double *)at);
        return;
    case DR_FIELD_VECTOR:
        for (int i = 0; i < 3; i++) stir_number(d, ((const double *)at)[i]);
        return;
    case DR_FIELD_OBJECT:
        stir_object(d, field->table, at);
        return;
    case DR_FIELD_LIST:
        stir_list(d, field, object);
        return;
    default:
        stir_text(d, dr_field_text(field, object));
        if (strcmp(field->name, "material") == 0) stir_material(d, dr_field_text(field, object));
        return;
    }
    stir(d, &whole, sizeof whole);
}

static void stir_object(digest *d, const dr_table *table, const void *object)
{
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if (field->neutral || !dr_table_has(table, field, object)) continue;
        stir_text(d, field->name);
        stir_field(d, field, object);
    }
}

static uint64_t mesh_hash(const dr_mesh_asset *mesh)
{
    uint64_t part = dr_hash_bytes(mesh->vertices, mesh->vertex_count * 3 * sizeof *mesh->vertices, 1);
    part = dr_hash_bytes(mesh->triangles, mesh->triangle_count * 3 * sizeof *mesh->triangles, part);
    if (mesh->texture) part = dr_hash_bytes(mesh->texture, mesh->triangle_count * 6 * sizeof *mesh->texture, part);
    for (size_t i = 0; i < mesh->group_count; i++) part = dr_hash_bytes(mesh->groups[i], strlen(mesh->groups[i]), part);
    return mesh->group ? dr_hash_bytes(mesh->group, mesh->triangle_count * sizeof *mesh->group, part) : part;
}

static uint64_t path_hash(const dr_path_asset *path)
{
    return dr_hash_bytes(path->rows, path->count * 8 * sizeof *path->rows, 2);
}

static uint64_t sequence_hash(const dr_sequence_asset *sequence)
{
    double header[3] = {sequence->start_frame, sequence->frame_step, (double)sequence->frame_count};
    uint64_t part = dr_hash_bytes(header, sizeof header, 3);
    size_t numbers = sequence->frame_count * sequence->vertex_count * 3;
    return dr_hash_bytes(sequence->positions, numbers * sizeof *sequence->positions, part);
}

static uint64_t curves_hash(const dr_curve_asset *curves)
{
    double header[2] = {curves->usual_radius, (double)curves->up};
    uint64_t part = dr_hash_bytes(header, sizeof header, 4);
    part = dr_hash_bytes(curves->points, curves->point_count * 3 * sizeof *curves->points, part);
    part = dr_hash_bytes(curves->first, (curves->curve_count + 1) * sizeof *curves->first, part);
    if (curves->radius) part = dr_hash_bytes(curves->radius, curves->point_count * sizeof *curves->radius, part);
    if (curves->closed) part = dr_hash_bytes(curves->closed, curves->curve_count, part);
    return part;
}

// Files count in any order: their hashes are added.
static void stir_assets(digest *d)
{
    const dr_scene_assets *assets = &d->scene->assets;
    uint64_t sum = 0;
    for (size_t i = 0; i < assets->mesh_count; i++) {
        sum += dr_hash_bytes(assets->meshes[i].file, strlen(assets->meshes[i].file), mesh_hash(&assets->meshes[i]));
    }
    for (size_t i = 0; i < assets->path_count; i++) {
        sum += dr_hash_bytes(assets->paths[i].file, strlen(assets->paths[i].file), path_hash(&assets->paths[i]));
    }
    for (size_t i = 0; i < assets->sequence_count; i++) {
        const dr_sequence_asset *sequence = &assets->sequences[i];
        sum += dr_hash_bytes(sequence->file, strlen(sequence->file), sequence_hash(sequence));
    }
    for (size_t i = 0; i < assets->curves_count; i++) {
        const dr_curve_asset *curves = &assets->curves[i];
        sum += dr_hash_bytes(curves->file, strlen(curves->file), curves_hash(curves));
    }
    stir(d, &sum, sizeof sum);
}

dr_status dr_scene_hash(const dr_scene *scene, uint64_t *hash, dr_error *error)
{
    (void)error;
    digest d = {scene, 0};
    stir_object(&d, dr_scene_table(), &scene->spec);
    stir_assets(&d);
    *hash = d.value;
    return DR_STATUS_OK;
}

// ---- difference

typedef struct listing {
    char *text;
    size_t room, used;
    int count;
} listing;

static void put_line(listing *l, const char *path, const char *before, const char *after)
{
    l->count++;
    size_t room = l->used < l->room ? l->room - l->used : 0;
    int length = snprintf(l->text ? l->text + l->used : NULL, l->text ? room : 0, "%s%s: %s -> %s", l->used ? "\n" : "",
                          path, before, after);
    if (length >= 0 && (size_t)length < room) {
        l->used += (size_t)length;
    } else if (room > 0) {
        l->text[l->used] = 0;
    }
}

static void compare_objects(listing *l, const dr_place *place, const void *other);

static void compare_lists(listing *l, const dr_place *place, const dr_field *field, const void *other)
{
    dr_list before = dr_field_list(field, place->object), after = dr_field_list(field, other);
    size_t size = field->table->size;
    if (before.count != after.count) {
        char path[300], counts[2][40];
        dr_place_path(place, field, path, sizeof path);
        snprintf(counts[0], sizeof counts[0], "%d items", before.count);
        snprintf(counts[1], sizeof counts[1], "%d items", after.count);
        put_line(l, path, counts[0], counts[1]);
    }
    for (int i = 0; i < before.count && i < after.count; i++) {
        dr_place below = {place, field, i, field->table, (const char *)before.items + (size_t)i * size};
        compare_objects(l, &below, (const char *)after.items + (size_t)i * size);
    }
}

static void compare_values(listing *l, const dr_place *place, const dr_field *field, const void *other)
{
    if (dr_field_equal(field, place->object, other)) return;
    char path[300], before[200], after[200];
    dr_place_path(place, field, path, sizeof path);
    dr_field_print(field, place->object, before, sizeof before);
    dr_field_print(field, other, after, sizeof after);
    put_line(l, path, *before ? before : "(nothing)", *after ? after : "(nothing)");
}

static void compare_objects(listing *l, const dr_place *place, const void *other)
{
    const dr_table *table = place->table;
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if (field->neutral) continue;
        if (!dr_table_has(table, field, place->object) || !dr_table_has(table, field, other)) continue;
        if (field->type == DR_FIELD_LIST) {
            compare_lists(l, place, field, other);
        } else if (field->type == DR_FIELD_OBJECT) {
            dr_place below = {place, field, -1, field->table, dr_field_at(field, place->object)};
            compare_objects(l, &below, dr_field_at(field, other));
        } else {
            compare_values(l, place, field, other);
        }
    }
}

// Files of the same name whose content is another.
static void compare_assets(listing *l, const dr_scene *before, const dr_scene *after)
{
    const dr_scene_assets *old = &before->assets;
    for (size_t i = 0; i < old->mesh_count; i++) {
        const dr_mesh_asset *mesh = dr_scene_mesh(after, old->meshes[i].file);
        if (mesh && mesh_hash(mesh) != mesh_hash(&old->meshes[i])) put_line(l, mesh->file, "file", "other content");
    }
    for (size_t i = 0; i < old->path_count; i++) {
        const dr_path_asset *path = dr_scene_path(after, old->paths[i].file);
        if (path && path_hash(path) != path_hash(&old->paths[i])) put_line(l, path->file, "file", "other content");
    }
    for (size_t i = 0; i < old->sequence_count; i++) {
        const dr_sequence_asset *sequence = dr_scene_sequence(after, old->sequences[i].file);
        if (!sequence || sequence_hash(sequence) == sequence_hash(&old->sequences[i])) continue;
        put_line(l, sequence->file, "file", "other content");
    }
    for (size_t i = 0; i < old->curves_count; i++) {
        const dr_curve_asset *curves = dr_scene_curves(after, old->curves[i].file);
        if (!curves || curves_hash(curves) == curves_hash(&old->curves[i])) continue;
        put_line(l, curves->file, "file", "other content");
    }
}

dr_status dr_scene_difference(const dr_scene *before, const dr_scene *after, char *text, size_t room, int *count)
{
    listing l = {text, text ? room : 0, 0, 0};
    if (l.room > 0) text[0] = 0;
    dr_place place = {NULL, NULL, -1, dr_scene_table(), &before->spec};
    compare_objects(&l, &place, &after->spec);
    compare_assets(&l, before, after);
    if (count) *count = l.count;
    return DR_STATUS_OK;
}
