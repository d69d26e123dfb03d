// The whole scene as YAML, every value written with its unit, so that it reads back to the same bits.
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

typedef struct sheet {
    const dr_allocator *allocator;
    char *text;
    size_t length, capacity;
    bool failed;
    const char *folder; // put before the names of files that are not absolute; NULL: they stay as written
} sheet;

static void put(sheet *s, const char *text, size_t length)
{
    if (s->failed) return;
    size_t wanted = s->length + length + 1;
    if (wanted > s->capacity && wanted < 4096) wanted = 4096;
    if (!dr_memory_reserve(s->allocator, (void **)&s->text, &s->capacity, wanted, 1)) {
        s->failed = true;
        return;
    }
    memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = 0;
}

static void put_text(sheet *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_indent(sheet *s, int indent)
{
    for (int i = 0; i < indent; i++) put(s, " ", 1);
}

// Letters outside plain ASCII stay as they are.
static void put_quoted(sheet *s, const char *text)
{
    put(s, "\"", 1);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        char code[8];
        if (letter == '"' || letter == '\\') {
            put(s, "\\", 1);
            put(s, text, 1);
        } else if (letter < 0x20 || letter == 0x7f) {
            snprintf(code, sizeof code, "\\x%02x", letter);
            put_text(s, code);
        } else {
            put(s, text, 1);
        }
    }
    put(s, "\"", 1);
}

static void put_file(sheet *s, const char *file)
{
    char path[4096];
    bool relative = file[0] && file[0] != '/' && s->folder;
    int length = relative ? snprintf(path, sizeof path, "%s%s", s->folder, file) : 0;
    put_quoted(s, relative && length > 0 && (size_t)length < sizeof path ? path : file);
}

static void write_object(sheet *s, const dr_table *table, const void *object, int indent, bool item);

static void write_list(sheet *s, const dr_field *field, const void *object, int indent)
{
    dr_list list = dr_field_list(field, object);
    if (list.count <= 0) {
        put_text(s, " []\n");
        return;
    }
    put(s, "\n", 1);
    for (int i = 0; i < list.count; i++) {
        put_indent(s, indent);
        put_text(s, "- ");
        write_object(s, field->table, (const char *)list.items + (size_t)i * field->table->size, indent + 2, true);
    }
}

static void write_scalar(sheet *s, const dr_field *field, const void *object)
{
    char text[256];
    put(s, " ", 1);
    if (field->type == DR_FIELD_TEXT || field->type == DR_FIELD_FILE) {
        const char *value = dr_field_text(field, object);
        (field->type == DR_FIELD_FILE ? put_file : put_quoted)(s, value ? value : "");
    } else {
        dr_field_print(field, object, text, sizeof text);
        put_text(s, text);
    }
    put(s, "\n", 1);
}

static void write_field(sheet *s, const dr_field *field, const void *object, int indent)
{
    put_text(s, field->name);
    put(s, ":", 1);
    if (field->type == DR_FIELD_LIST) {
        write_list(s, field, object, indent + 2);
    } else if (field->type == DR_FIELD_OBJECT) {
        put(s, "\n", 1);
        write_object(s, field->table, dr_field_at(field, object), indent + 2, false);
    } else {
        write_scalar(s, field, object);
    }
}

// An item's first line stands behind its dash.
static void write_object(sheet *s, const dr_table *table, const void *object, int indent, bool item)
{
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if (!dr_table_has(table, field, object)) continue;
        if (!item) put_indent(s, indent);
        item = false;
        write_field(s, field, object, indent);
    }
}

static void write_scene(sheet *s, const dr_scene_spec *spec)
{
    const dr_table *table = dr_scene_table();
    put_text(s,
             "# A drench scene with every value written out. Bare numbers are in centimetre, gram, second, radian.\n");
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if (field->type == DR_FIELD_OBJECT || field->type == DR_FIELD_LIST) {
            put_text(s, "\n# ");
            put_text(s, field->doc);
            put(s, "\n", 1);
        }
        write_field(s, field, spec, 0);
    }
}

dr_status dr_scene_write_text(const dr_scene *scene, char **text, size_t *length, dr_error *error)
{
    return dr_scene_write_text_from(scene, NULL, text, length, error);
}

dr_status dr_scene_write_text_from(const dr_scene *scene, const char *folder, char **text, size_t *length,
                                   dr_error *error)
{
    sheet s = {.allocator = scene->allocator, .folder = folder};
    *text = NULL;
    *length = 0;
    write_scene(&s, &scene->spec);
    char *exact = s.failed ? NULL : dr_memory_resize(s.allocator, s.text, s.capacity, s.length + 1);
    if (!exact) {
        dr_memory_free(s.allocator, s.text, s.capacity);
        return dr_error_memory(error, "writing the scene");
    }
    *text = exact;
    *length = s.length;
    return DR_STATUS_OK;
}

void dr_scene_release_text(const dr_scene *scene, char *text, size_t length)
{
    dr_memory_free(scene->allocator, text, length + 1);
}
