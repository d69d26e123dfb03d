// Places in words and as paths.
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t room, used;
} writer;

static void put(writer *w, const char *format, ...) DR_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    if (w->used >= w->room) return;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, w->room - w->used, format, arguments);
    va_end(arguments);
    if (length > 0) w->used += (size_t)length;
}

const char *dr_place_name(const dr_table *table, const void *object)
{
    const dr_field *row = &table->fields[0];
    if (row->type != DR_FIELD_TEXT || strcmp(row->name, "name") != 0) return "";
    const char *name = dr_field_text(row, object);
    return name ? name : "";
}

// A named thing is called by its name, and everything below it by the way from there.
static bool is_anchor(const dr_place *place)
{
    return place->above && place->index >= 0 && *dr_place_name(place->table, place->object);
}

static void put_way(writer *w, const dr_place *place)
{
    if (!place || !place->above) return;
    if (is_anchor(place)) {
        put(w, "%s \"%.60s\"", place->table->name, dr_place_name(place->table, place->object));
        return;
    }
    put_way(w, place->above);
    if (place->above->above) put(w, "%s", is_anchor(place->above) ? ": " : ".");
    put(w, "%s", place->field->name);
    if (place->index >= 0) put(w, "[%d]", place->index);
}

void dr_place_print(const dr_place *place, const dr_field *field, char *text, size_t room)
{
    writer w = {text, room, 0};
    if (room > 0) text[0] = 0;
    put_way(&w, place);
    if (!field) {
        if (!place->above) put(&w, "the scene");
        return;
    }
    if (place->above) put(&w, "%s", is_anchor(place) ? ": " : ".");
    put(&w, "%s", field->name);
}

static void put_path(writer *w, const dr_place *place)
{
    if (!place || !place->above) return;
    put_path(w, place->above);
    put(w, "%s%s", w->used ? "." : "", place->field->name);
    if (place->index < 0) return;
    const char *name = dr_place_name(place->table, place->object);
    if (*name && !strchr(name, '.')) {
        put(w, ".%.100s", name);
    } else {
        put(w, ".%d", place->index);
    }
}

void dr_place_path(const dr_place *place, const dr_field *field, char *text, size_t room)
{
    writer w = {text, room, 0};
    if (room > 0) text[0] = 0;
    put_path(&w, place);
    if (field) put(&w, "%s%s", w.used ? "." : "", field->name);
}
