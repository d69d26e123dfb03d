// Problems told with the object and field they belong to, found by the value's address.
#include "scene/scene.h"

#include <stdarg.h>
#include <stdio.h>

static bool find(const dr_place *place, const void *address, char *text, size_t room);

static bool find_in_list(const dr_place *place, const dr_field *row, const dr_list *list, const void *address,
                         char *text, size_t room)
{
    for (int i = 0; i < list->count; i++) {
        const char *item = (const char *)list->items + (size_t)i * row->table->size;
        dr_place child = {place, row, i, row->table, item};
        if (item == address) {
            dr_place_print(&child, NULL, text, room);
            return true;
        }
        if (find(&child, address, text, room)) return true;
    }
    return false;
}

// Goes through everything below a struct until a value lies at the address.
static bool find(const dr_place *place, const void *address, char *text, size_t room)
{
    for (int i = 0; i < place->table->count; i++) {
        const dr_field *row = &place->table->fields[i];
        const char *value = (const char *)place->object + row->offset;
        if (value == address) {
            dr_place_print(place, row, text, room);
            return true;
        }
        dr_place child = {place, row, -1, row->table, value};
        if (row->type == DR_FIELD_OBJECT && find(&child, address, text, room)) return true;
        if (row->type != DR_FIELD_LIST) continue;
        dr_list list = dr_field_list(row, place->object);
        if (find_in_list(place, row, &list, address, text, room)) return true;
    }
    return false;
}

dr_status dr_scene_complain(const dr_scene *scene, const void *address, const void *owner, dr_error *error,
                            const char *format, ...)
{
    char where[200] = "", message[600];
    dr_place root = {NULL, NULL, -1, dr_scene_table(), &scene->spec};
    if (!find(&root, address, where, sizeof where)) find(&root, owner, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return dr_scene_error(scene, address, owner, error, "%s%s%s", where, where[0] ? " " : "", message);
}
