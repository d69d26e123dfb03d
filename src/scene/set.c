// Values by path: "colliders.ball.friction", list items by name or number (from 0), "motion.0" and "motion[0]" alike.
#include "scene/scene.h"

#include "scene/weave.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 64

typedef struct finder {
    const char *what; // begins every message: "path=value"
    dr_error *error;
    const char *at;
    dr_place places[DEEPEST];
    int depth;
    const dr_field *field; // found in the last place
} finder;

typedef struct word {
    const char *text;
    size_t length;
} word;

static int shown(word w)
{
    return (int)(w.length < 60 ? w.length : 60);
}

// The next word of the path; empty at its end.
static word next_word(finder *f)
{
    while (*f->at == '.' || *f->at == '[' || *f->at == ']') f->at++;
    size_t length = strcspn(f->at, ".[]");
    word w = {f->at, length};
    f->at += length;
    return w;
}

static bool at_end(const finder *f)
{
    return f->at[strspn(f->at, ".[]")] == 0;
}

static dr_status fail(finder *f, const char *format, ...) DR_PRINTF(2, 3);
static dr_status fail(finder *f, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return dr_error_add(f->error, DR_STATUS_BAD_SCENE, "%s: %s", f->what, message);
}

static dr_status fail_unknown(finder *f, const dr_place *place, word name)
{
    char where[200];
    dr_place_print(place, NULL, where, sizeof where);
    const char *near = dr_table_nearest(place->table, place->object, name.text, name.length);
    fail(f, "%s has no \"%.*s\"", where, shown(name), name.text);
    if (near) {
        dr_error_hint(f->error, "did you mean \"%s\"?", near);
    } else {
        dr_error_hint(f->error, "`drench params` lists what there is");
    }
    return DR_STATUS_BAD_SCENE;
}

static int item_number(word w, int count)
{
    int number = 0;
    for (size_t i = 0; i < w.length; i++) {
        if (w.text[i] < '0' || w.text[i] > '9' || number > count) return -1;
        number = 10 * number + (w.text[i] - '0');
    }
    return w.length > 0 && number < count ? number : -1;
}

static void *item_at(dr_list list, const dr_table *table, int index)
{
    return (char *)list.items + (size_t)index * table->size;
}

static int find_item(dr_list list, const dr_table *table, word w)
{
    for (int i = 0; i < list.count; i++) {
        const char *name = dr_place_name(table, item_at(list, table, i));
        if (strlen(name) == w.length && w.length > 0 && memcmp(name, w.text, w.length) == 0) return i;
    }
    return item_number(w, list.count);
}

static dr_status fail_item(finder *f, dr_list list, const dr_table *table, word w)
{
    fail(f, "there is no %s \"%.*s\"", table->name, shown(w), w.text);
    char names[300];
    size_t used = 0;
    for (int i = 0; i < list.count && used < sizeof names; i++) {
        const char *name = dr_place_name(table, item_at(list, table, i));
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%d \"%.40s\"", i ? ", " : "", i, name);
    }
    if (list.count > 0) {
        dr_error_hint(f->error, "there are %s", names);
    } else {
        dr_error_hint(f->error, "the list is empty");
    }
    return DR_STATUS_BAD_SCENE;
}

static dr_status step_down(finder *f, const dr_field *field, void *object, int index)
{
    if (f->depth == DEEPEST) return fail(f, "the path is too long");
    f->places[f->depth] = (dr_place){&f->places[f->depth - 1], field, index, field->table, object};
    f->depth++;
    return DR_STATUS_OK;
}

// Follows one word of the path, and the item after the name of a list. Stops at the field the path ends with.
static dr_status follow(finder *f)
{
    const dr_place *place = &f->places[f->depth - 1];
    word name = next_word(f);
    const dr_field *field = dr_table_find(place->table, name.text, name.length);
    if (!field || !dr_table_has(place->table, field, place->object)) return fail_unknown(f, place, name);
    if (at_end(f)) {
        f->field = field;
        return DR_STATUS_OK;
    }
    if (field->type == DR_FIELD_OBJECT) return step_down(f, field, dr_field_at(field, place->object), -1);
    if (field->type != DR_FIELD_LIST) return fail(f, "%s is a single value, nothing is below it", field->name);
    dr_list list = dr_field_list(field, place->object);
    word item = next_word(f);
    int index = find_item(list, field->table, item);
    if (index < 0) return fail_item(f, list, field->table, item);
    if (at_end(f)) return fail(f, "this is a whole %s; name one of its values", field->table->name);
    return step_down(f, field, item_at(list, field->table, index), index);
}

static dr_status find(finder *f, dr_scene *scene, const char *path, const char *what, dr_error *error)
{
    *f = (finder){.what = what, .error = error, .at = path};
    f->places[f->depth++] = (dr_place){NULL, NULL, -1, dr_scene_table(), &scene->spec};
    if (at_end(f)) return fail(f, "the path is empty");
    dr_status status = DR_STATUS_OK;
    while (status == DR_STATUS_OK && !f->field) status = follow(f);
    return status;
}

// ---- setting

static size_t value_bytes(const dr_field *field)
{
    return field->type == DR_FIELD_REAL     ? sizeof(double)
           : field->type == DR_FIELD_CHOICE ? sizeof(int)
                                            : sizeof(char *);
}

// A new preset replaces what nobody wrote.
static dr_status change_preset(finder *f, dr_scene *scene, dr_material_spec *material, const char *before)
{
    const dr_table *table = dr_material_table();
    const dr_material_spec *preset = dr_scene_preset(scene, material->preset, f->places[f->depth - 1].index);
    if (!preset) {
        fail(f, "there is no material \"%.60s\"", material->preset);
        const char *near = dr_scene_nearest_material(scene, material->preset);
        if (near) dr_error_hint(f->error, "did you mean \"%s\"?", near);
        material->preset = before;
        return DR_STATUS_BAD_SCENE;
    }
    dr_material_spec written = *material;
    dr_material_inherit(material, preset);
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        char *to = dr_field_at(field, material);
        const dr_origin *origin = dr_scene_origin(scene, to, false);
        if (origin && !origin->whole) memcpy(to, dr_field_at(field, &written), value_bytes(field));
    }
    return DR_STATUS_OK;
}

// The scene that was searched may be written to.
static void *found_object(const finder *f)
{
    return (void *)(uintptr_t)f->places[f->depth - 1].object;
}

static dr_status set_value(finder *f, dr_scene *scene, const char *text)
{
    const dr_place *place = &f->places[f->depth - 1];
    void *object = found_object(f);
    char why[1000], where[300];
    if (f->field->type == DR_FIELD_OBJECT || f->field->type == DR_FIELD_LIST) {
        return fail(f, "%s is a group of values; name one of them", f->field->name);
    }
    bool preset = place->table == dr_material_table() && strcmp(f->field->name, "preset") == 0;
    const char *before = preset ? dr_field_text(f->field, object) : NULL;
    dr_weave weave;
    if (place->table == dr_material_table() && dr_weave_supplies(f->field) && dr_weave_find(object, &weave))
        return fail(f, "%s follows from `weave`", f->field->name);
    dr_status status = dr_field_read(f->field, text, strlen(text), object, &scene->arena, why, sizeof why);
    if (status == DR_STATUS_NO_MEMORY) return dr_error_memory(f->error, "setting a value");
    if (status != DR_STATUS_OK) {
        dr_place_print(place, f->field, where, sizeof where);
        dr_error_add(f->error, DR_STATUS_BAD_SCENE, "%s: %s%s", f->what, where, why);
        if (f->field->hint) dr_error_hint(f->error, "%s", f->field->hint);
        return status;
    }
    dr_origin origin = {dr_field_at(f->field, object), f->what, 0, 0, false};
    if (!dr_scene_note(scene, origin)) {
        return dr_error_memory(f->error, "setting a value");
    }
    if (preset && *text) status = change_preset(f, scene, object, before);
    for (int i = 0; i < f->depth; i++) {
        if (f->places[i].table == dr_material_table()) dr_weave_apply((void *)(uintptr_t)f->places[i].object);
    }
    return status;
}

dr_status dr_scene_set(dr_scene *scene, const char *path, const char *text, dr_error *error)
{
    size_t room = strlen(path) + strlen(text) + 16;
    char *what = dr_arena_alloc(&scene->arena, room);
    if (!what) return dr_error_memory(error, "setting a value");
    snprintf(what, room, "%.300s=%.300s", path, text);
    finder f;
    dr_status status = find(&f, scene, path, what, error);
    return status == DR_STATUS_OK ? set_value(&f, scene, text) : status;
}

// ---- appending

static dr_growth *find_growth(dr_scene *scene, const void *items)
{
    for (size_t i = 0; items && i < scene->growth_count; i++) {
        if (scene->growths[i].items == items) return &scene->growths[i];
    }
    return NULL;
}

// Values keep their origins when their array moves.
static void move_origins(dr_scene *scene, const void *from, const void *to, size_t bytes)
{
    for (size_t i = 0; i < scene->origin_count; i++) {
        uintptr_t address = (uintptr_t)scene->origins[i].address, start = (uintptr_t)from;
        if (address < start || address - start >= bytes) continue;
        scene->origins[i].address = (const char *)to + (address - start);
    }
}

// Makes room for one more item, in twice the room where there was none.
static bool grow(dr_scene *scene, dr_list *list, size_t size)
{
    dr_growth *growth = find_growth(scene, list->items);
    if (growth && list->count < growth->capacity) return true;
    if (!growth && !dr_memory_reserve(scene->allocator, (void **)&scene->growths, &scene->growth_capacity,
                                      scene->growth_count + 8, sizeof *scene->growths)) {
        return false;
    }
    int capacity = list->count < 4 ? 4 : 2 * list->count;
    void *items = dr_arena_alloc(&scene->arena, (size_t)capacity * size);
    if (!items) return false;
    if (list->count > 0) {
        memcpy(items, list->items, (size_t)list->count * size);
        move_origins(scene, list->items, items, (size_t)list->count * size);
    }
    if (!growth) growth = &scene->growths[scene->growth_count++];
    *growth = (dr_growth){items, capacity};
    list->items = items;
    return true;
}

dr_status dr_scene_append(dr_scene *scene, const char *path, void **item, dr_error *error)
{
    char what[200];
    finder f;
    *item = NULL;
    snprintf(what, sizeof what, "append to %.150s", path);
    dr_status status = find(&f, scene, path, what, error);
    if (status != DR_STATUS_OK) return status;
    if (f.field->type != DR_FIELD_LIST) return fail(&f, "%s is not a list", f.field->name);
    void *object = found_object(&f);
    dr_list list = dr_field_list(f.field, object);
    if (!grow(scene, &list, f.field->table->size)) return dr_error_memory(error, "appending to a list");
    *item = item_at(list, f.field->table, list.count++);
    dr_table_defaults(f.field->table, *item);
    dr_field_set_list(f.field, object, list);
    return DR_STATUS_OK;
}
