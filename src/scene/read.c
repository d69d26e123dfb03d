// From a document to a scene: one walk over the tables. Every problem names its place, the object, the field, what is
// wrong and what would be right; all of them are gathered.
#include "scene/scene.h"

#include "base/node.h"
#include "drench/version.h"
#include "scene/weave.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    dr_scene *scene;
    dr_error *error;
    bool out_of_memory;
} reader;

static void read_object(reader *r, const dr_place *place, void *object, const dr_node *node);

// ---- problems

static void complain(reader *r, int line, int column, const dr_place *place, const dr_field *field, const char *what)
{
    char where[300];
    if (r->out_of_memory) return;
    dr_place_print(place, field, where, sizeof where);
    dr_error_add(r->error, DR_STATUS_BAD_SCENE, "%s:%d:%d: %s%s", r->scene->name, line, column, where, what);
}

static void complain_field(reader *r, const dr_node *node, const dr_place *place, const dr_field *field,
                           const char *why)
{
    complain(r, node->line, node->column, place, field, why);
    if (field->hint) dr_error_hint(r->error, "%s", field->hint);
}

static void list_names(const dr_place *place, char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < place->table->count && used < room; i++) {
        const dr_field *field = &place->table->fields[i];
        if (!dr_table_has(place->table, field, place->object)) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", field->name);
    }
}

static void complain_unknown(reader *r, const dr_place *place, const dr_node *node)
{
    char what[120], names[1200];
    const char *near = dr_table_nearest(place->table, place->object, node->key, node->key_length);
    snprintf(what, sizeof what, ": there is no \"%.*s\" here", (int)(node->key_length < 60 ? node->key_length : 60),
             node->key);
    complain(r, node->key_line, node->key_column, place, NULL, what);
    list_names(place, names, sizeof names);
    if (near) {
        dr_error_hint(r->error, "did you mean \"%s\"?", near);
    } else {
        dr_error_hint(r->error, "known: %s", names);
    }
}

// A field that only other kinds have.
static void complain_kind(reader *r, const dr_place *place, const dr_field *field, const dr_node *node)
{
    char what[120], names[1200];
    const dr_field *kind = &place->table->fields[place->table->kind];
    const char *chosen = kind->choices[dr_field_choice(kind, place->object)];
    snprintf(what, sizeof what, ": a %s of %s %s has no %s", place->table->name, kind->name, chosen, field->name);
    complain(r, node->key_line, node->key_column, place, NULL, what);
    list_names(place, names, sizeof names);
    dr_error_hint(r->error, "it has %s", names);
}

static const char *node_noun(const dr_node *node)
{
    static const char *const nouns[] = {"a single value", "a list", "a group of keys"};
    return nouns[node->kind];
}

static void complain_type(reader *r, const dr_place *place, const dr_field *field, const dr_node *node,
                          const char *wanted)
{
    char what[160];
    snprintf(what, sizeof what, ": %s was expected, this is %s", wanted, node_noun(node));
    complain_field(r, node, place, field, what);
}

static void note(reader *r, const void *address, const dr_node *node, bool whole)
{
    dr_origin origin = {address, NULL, node->line, node->column, whole};
    if (!dr_scene_note(r->scene, origin)) r->out_of_memory = true;
}

// ---- values

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_nothing(const dr_node *node)
{
    if (node->kind != DR_NODE_SCALAR || node->quoted) return false;
    return node->length == 0 || (node->length == 1 && *node->text == '~') ||
           (node->length == 4 && memcmp(node->text, "null", 4) == 0);
}

static void settle(reader *r, const dr_place *place, const dr_field *field, void *object, const dr_node *node,
                   dr_status status, const char *why)
{
    if (status == DR_STATUS_OK) {
        note(r, dr_field_at(field, object), node, false);
    } else if (status == DR_STATUS_NO_MEMORY) {
        r->out_of_memory = true;
    } else {
        complain_field(r, node, place, field, why);
    }
}

static void read_vector(reader *r, const dr_place *place, const dr_field *field, void *object, const dr_node *node)
{
    char why[500];
    const char *shape = ": three numbers were expected, such as [0, 1, 0]";
    if (node->kind != DR_NODE_LIST || node->count != 3) {
        snprintf(why, sizeof why, "%s; these are %d: the decimal point is a dot", shape, node->count);
        complain_field(r, node, place, field, node->kind == DR_NODE_LIST && node->count > 3 ? why : shape);
        return;
    }
    int index = 0;
    for (const dr_node *part = node->first; part; part = part->next, index++) {
        dr_status status = DR_STATUS_BAD_SCENE;
        if (part->kind != DR_NODE_SCALAR) {
            snprintf(why, sizeof why, "%s", shape);
        } else {
            status = dr_field_read_component(field, index, part->text, part->length, object, why, sizeof why);
        }
        settle(r, place, field, object, part, status, why);
    }
    note(r, dr_field_at(field, object), node, false);
}

static void read_scalar(reader *r, const dr_place *place, const dr_field *field, void *object, const dr_node *node)
{
    char why[1000];
    if (node->kind != DR_NODE_SCALAR) {
        complain_type(r, place, field, node, "a single value");
        return;
    }
    dr_status status = dr_field_read(field, node->text, node->length, object, &r->scene->arena, why, sizeof why);
    settle(r, place, field, object, node, status, why);
}

static void read_list(reader *r, const dr_place *place, const dr_field *field, void *object, const dr_node *node)
{
    if (node->kind != DR_NODE_LIST) {
        complain_type(r, place, field, node, "a list (each item after a dash)");
        return;
    }
    size_t size = field->table->size;
    dr_list list = {NULL, 0};
    if (node->count > 0) {
        list.items =
            (size_t)node->count > SIZE_MAX / size ? NULL : dr_arena_alloc(&r->scene->arena, (size_t)node->count * size);
        if (!list.items) {
            r->out_of_memory = true;
            return;
        }
    }
    note(r, dr_field_at(field, object), node, false);
    for (const dr_node *item = node->first; item && !r->out_of_memory; item = item->next) {
        void *at = (char *)list.items + (size_t)list.count * size;
        dr_table_defaults(field->table, at);
        dr_place below = {place, field, list.count, field->table, at};
        list.count++;
        dr_field_set_list(field, object, list);
        read_object(r, &below, at, item);
    }
}

static void read_field(reader *r, const dr_place *place, const dr_field *field, void *object, const dr_node *node)
{
    if (is_nothing(node)) {
        complain_field(r, node, place, field, " has no value");
    } else if (field->type == DR_FIELD_LIST) {
        read_list(r, place, field, object, node);
    } else if (field->type == DR_FIELD_VECTOR) {
        read_vector(r, place, field, object, node);
    } else if (field->type == DR_FIELD_OBJECT) {
        void *inner = dr_field_at(field, object);
        dr_place below = {place, field, -1, field->table, inner};
        read_object(r, &below, inner, node);
    } else {
        read_scalar(r, place, field, object, node);
    }
}

// ---- objects

static void complain_missing(reader *r, const dr_place *place, const dr_field *field, const dr_node *node)
{
    complain_field(r, node, place, field, " is missing");
}

static bool is_kind_row(const dr_table *table, const dr_field *field)
{
    return table->kind >= 0 && field == &table->fields[table->kind];
}

#define MOST_ROWS 128 // of a table

// Fields without a default that nobody wrote, also those of plain groups that were left out altogether. seen: of each
// row, whether it was read; NULL: none was.
static void check_missing(reader *r, const dr_place *place, const dr_node *node, const bool *seen)
{
    const dr_table *table = place->table;
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if ((seen && seen[i]) || !dr_table_has(table, field, place->object)) continue;
        if (!field->fallback) {
            complain_missing(r, place, field, node);
        } else if (field->type == DR_FIELD_OBJECT && field->table->kind < 0) {
            dr_place below = {place, field, -1, field->table, dr_field_at(field, place->object)};
            check_missing(r, &below, node, NULL);
        }
    }
}

// The kind says which fields there are, so it is read before them.
static bool read_kind(reader *r, const dr_place *place, void *object, const dr_node *node, bool inherited)
{
    if (place->table->kind < 0) return true;
    const dr_field *field = &place->table->fields[place->table->kind];
    const dr_node *written = dr_node_find(node, field->name);
    int before = dr_field_choice(field, object);
    if (!written) {
        if (!inherited) complain_missing(r, place, field, node);
        return inherited;
    }
    int problems = r->error->count;
    read_field(r, place, field, object, written);
    if (r->error->count > problems) return false;
    if (inherited && dr_field_choice(field, object) != before) {
        char what[120];
        snprintf(what, sizeof what, " cannot be %s, since the preset is %s",
                 field->choices[dr_field_choice(field, object)], field->choices[before]);
        complain_field(r, written, place, field, what);
        return false;
    }
    return true;
}

static const dr_field *find_row(const dr_table *table, const char *name)
{
    return dr_table_find(table, name, strlen(name));
}

// A material's preset fills it before anything else is read. Returns whether there was one.
static bool read_preset(reader *r, const dr_place *place, void *object, const dr_node *node)
{
    if (place->table != dr_material_table()) return false;
    const dr_field *field = find_row(place->table, "preset");
    const dr_node *written = dr_node_find(node, field->name);
    dr_material_spec *material = object;
    if (!written || written->kind != DR_NODE_SCALAR || written->length == 0) return false;
    int problems = r->error->count;
    read_field(r, place, field, object, written);
    if (r->error->count > problems || r->out_of_memory) return false;
    const dr_material_spec *preset = dr_scene_preset(r->scene, material->preset, place->index);
    if (preset) {
        dr_material_inherit(material, preset);
        return true;
    }
    char what[160];
    snprintf(what, sizeof what, ": there is no material \"%.60s\" yet", material->preset);
    complain_field(r, written, place, field, what);
    const char *near = dr_scene_nearest_material(r->scene, material->preset);
    if (near && strcmp(near, material->preset) == 0)
        dr_error_hint(r->error, "a preset is built in or comes before the material that names it");
    else if (near)
        dr_error_hint(r->error, "did you mean \"%s\"?", near);
    return false;
}

static void read_name(reader *r, const dr_place *place, void *object, const dr_node *node)
{
    const dr_field *row = &place->table->fields[0];
    if (strcmp(row->name, "name") != 0) return;
    const dr_node *written = dr_node_find(node, "name");
    if (written) read_field(r, place, row, object, written);
}

static bool is_early(const dr_table *table, const dr_field *field)
{
    return is_kind_row(table, field) || strcmp(field->name, "name") == 0 ||
           (table == dr_material_table() && strcmp(field->name, "preset") == 0);
}

// In {length: 1,5 cm} the comma ends the length, and "5 cm" is a key without a value.
static bool is_split_number(const dr_node *before, const dr_node *node)
{
    return before && before->kind == DR_NODE_SCALAR && !before->quoted && before->length > 0 &&
           is_digit(before->text[before->length - 1]) && node->key_length > 0 && is_digit(*node->key) &&
           is_nothing(node);
}

static void complain_split(reader *r, const dr_place *place, const dr_node *before, const dr_node *node)
{
    char what[200];
    const dr_field *field = dr_table_find(place->table, before->key, before->key_length);
    snprintf(what, sizeof what, ": \"%.*s,%.*s\" is not a number: the decimal point is a dot",
             (int)(before->length < 40 ? before->length : 40), before->text,
             (int)(node->key_length < 40 ? node->key_length : 40), node->key);
    complain(r, before->line, before->column, place, field, what);
}

// Reads one entry of a map, which follows `before`; seen: of each row, whether it was read.
static void read_entry(reader *r, const dr_place *place, void *object, const dr_node *before, const dr_node *node,
                       bool *seen)
{
    const dr_table *table = place->table;
    const dr_field *field = dr_table_find(table, node->key, node->key_length);
    if (!field) {
        if (is_split_number(before, node))
            complain_split(r, place, before, node);
        else
            complain_unknown(r, place, node);
        return;
    }
    bool *own = &seen[field - table->fields];
    if (*own) {
        complain(r, node->key_line, node->key_column, place, field, " is written twice");
        return;
    }
    *own = true;
    if (!dr_table_has(table, field, object)) {
        complain_kind(r, place, field, node);
    } else if (!is_early(table, field)) {
        read_field(r, place, field, object, node);
    }
}

// What follows from a weave may be written only as it follows, as in the copy of a scene that a run keeps.
static void apply_weave(reader *r, const dr_place *place, dr_material_spec *material, const dr_node *node, bool *seen)
{
    const dr_material_spec before = *material;
    if (!dr_weave_apply(material)) return;
    for (int i = 0; i < place->table->count; i++) {
        const dr_field *field = &place->table->fields[i];
        if (!dr_weave_supplies(field)) continue;
        const dr_node *written = dr_node_find(node, field->name);
        double value = *(const double *)dr_field_at(field, &before), due = *(double *)dr_field_at(field, material);
        seen[i] = true;
        if (!written || fabs(value - due) <= 1e-9 * due) continue;
        char what[160];
        snprintf(what, sizeof what, " follows from `weave`, which gives %.6g %s", due, dr_unit_symbol(field->unit));
        complain_field(r, written, place, field, what);
    }
}

static void read_object(reader *r, const dr_place *place, void *object, const dr_node *node)
{
    if (node->kind != DR_NODE_MAP) {
        char what[160];
        snprintf(what, sizeof what, ": a group of keys was expected, this is %s", node_noun(node));
        complain(r, node->line, node->column, place, NULL, what);
        return;
    }
    note(r, object, node, true);
    read_name(r, place, object, node);
    bool inherited = read_preset(r, place, object, node);
    if (!read_kind(r, place, object, node, inherited)) return;
    bool seen[MOST_ROWS] = {false};
    assert(place->table->count <= MOST_ROWS);
    const dr_node *before = NULL;
    for (const dr_node *entry = node->first; entry && !r->out_of_memory; before = entry, entry = entry->next) {
        read_entry(r, place, object, before, entry, seen);
    }
    for (int i = 1; inherited && i < MOST_ROWS; i++) seen[i] = true; // all but the name
    if (place->table == dr_material_table()) apply_weave(r, place, object, node, seen);
    check_missing(r, place, node, seen);
}

// A scene of a later version of the language may hold anything; only that it is one is worth telling.
static bool is_newer(reader *r, const dr_place *place, const dr_node *root)
{
    const dr_node *written = dr_node_find(root, "format");
    const dr_field *field = find_row(place->table, "format");
    char what[200];
    if (!written || written->kind != DR_NODE_SCALAR || written->length == 0 || written->length > 9) return false;
    int64_t format = 0;
    for (size_t i = 0; i < written->length; i++) {
        if (!is_digit(written->text[i])) return false;
        format = 10 * format + (written->text[i] - '0');
    }
    if ((double)format <= field->max) return false;
    snprintf(what, sizeof what, " is %lld: this scene was made for a newer version of drench", (long long)format);
    complain(r, written->line, written->column, place, field, what);
    dr_error_hint(r->error, "drench " DR_VERSION " reads format %g", field->max);
    return true;
}

dr_status dr_scene_read_node(dr_scene *scene, const dr_node *root, dr_error *error)
{
    dr_error own = {0};
    if (!error) error = &own;
    int problems = error->count;
    reader r = {scene, error, false};
    dr_place place = {NULL, NULL, -1, dr_scene_table(), &scene->spec};
    if (is_newer(&r, &place, root)) return DR_STATUS_BAD_SCENE;
    read_object(&r, &place, &scene->spec, root);
    if (r.out_of_memory) return dr_error_memory(error, "reading the scene");
    return error->count > problems ? DR_STATUS_BAD_SCENE : DR_STATUS_OK;
}
