// Every parameter there is, in the order of the tables.
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#define DEEPEST 16

typedef struct tour {
    const char *prefix;
    bool (*visit)(void *user, const dr_param *param);
    void *user;
    int count;
    bool stopped;
    const dr_table *tables[DEEPEST]; // on the way here, so that shapes made of shapes end
    int depth;
} tour;

// Prefixes may leave the brackets of lists out: "colliders.shape" means "colliders[].shape".
static bool begins(const char *path, const char *prefix)
{
    for (; *prefix; prefix++) {
        if (*prefix == '[' || *prefix == ']') continue;
        while (*path == '[' || *path == ']') path++;
        if (*path++ != *prefix) return false;
    }
    return *path == 0 || *path == '.' || *path == '[' || *path == ']';
}

static void join(const char *const *names, uint32_t mask, const char *between, char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; names && names[i] && used < room; i++) {
        if (!(mask >> i & 1)) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? between : "", names[i]);
    }
}

static void fill(dr_param *param, const dr_table *table, const dr_field *field)
{
    bool kind =
        table->kind >= 0 && field == &table->fields[table->kind]; // always written, for it says what the rest is
    param->owner = table->name;
    param->owner_doc = table->doc;
    param->type = dr_field_type_name(field->type);
    param->unit = dr_unit_symbol(field->unit);
    param->fallback = kind ? NULL : field->fallback;
    param->doc = field->doc;
    param->hint = field->hint;
    param->word = field->word;
    param->required = kind || !field->fallback;
    param->limited = field->min <= field->max;
    param->min = field->min;
    param->max = field->max;
    join(field->choices, ~0U, " | ", param->choices, sizeof param->choices);
    if (table->kind >= 0 && field->kinds) {
        join(table->fields[table->kind].choices, field->kinds, ", ", param->kinds, sizeof param->kinds);
    }
}

static bool is_on_the_way(const tour *t, const dr_table *table)
{
    for (int i = 0; i < t->depth; i++) {
        if (t->tables[i] == table) return true;
    }
    return t->depth == DEEPEST;
}

static void walk(tour *t, const dr_table *table, const char *path)
{
    t->tables[t->depth++] = table;
    for (int i = 0; i < table->count && !t->stopped; i++) {
        const dr_field *field = &table->fields[i];
        dr_param param = {0};
        int length = snprintf(param.path, sizeof param.path, "%s%s%s%s", path, *path ? "." : "", field->name,
                              field->type == DR_FIELD_LIST ? "[]" : "");
        if (length < 0 || (size_t)length >= sizeof param.path) continue;
        fill(&param, table, field);
        if (!t->prefix || begins(param.path, t->prefix)) {
            t->count++;
            if (!t->visit(t->user, &param)) t->stopped = true;
        }
        if (!t->stopped && field->table && !is_on_the_way(t, field->table)) walk(t, field->table, param.path);
    }
    t->depth--;
}

int dr_param_visit(const char *prefix, bool (*visit)(void *user, const dr_param *param), void *user)
{
    tour t = {.prefix = prefix && *prefix ? prefix : NULL, .visit = visit, .user = user};
    walk(&t, dr_scene_table(), "");
    return t.count;
}
