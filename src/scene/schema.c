// The scene language as a JSON Schema (draft 2020-12), from the tables: what an editor needs to complete keys, to show
// their meaning and to mark mistakes. Every struct is a definition, so that shapes made of shapes end.
#include "scene/scene.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_TABLES 64

typedef struct schema {
    dr_json json;
    const dr_table *tables[MOST_TABLES]; // found so far, in order
    int count;
} schema;

static void find_tables(schema *out, const dr_table *table)
{
    for (int i = 0; i < out->count; i++) {
        if (out->tables[i] == table) return;
    }
    if (out->count == MOST_TABLES) return;
    out->tables[out->count++] = table;
    for (int i = 0; i < table->count; i++) {
        if (table->fields[i].table) find_tables(out, table->fields[i].table);
    }
}

static void put_reference(dr_json *json, const dr_table *table)
{
    char path[80];
    snprintf(path, sizeof path, "#/$defs/%s", table->name);
    dr_json_text(json, "$ref", path);
}

// ---- values

// A number, or text with a unit, or a word that stands for a number. Limits hold for numbers without a unit, in cgs.
static void put_number(dr_json *json, const dr_field *field)
{
    dr_json_list(json, "anyOf");
    dr_json_object(json, NULL);
    dr_json_text(json, "type", field->type == DR_FIELD_INT ? "integer" : "number");
    if (field->min <= field->max && isfinite(field->min)) dr_json_number(json, "minimum", field->min);
    if (field->min <= field->max && isfinite(field->max)) dr_json_number(json, "maximum", field->max);
    dr_json_end_object(json);
    if (field->type != DR_FIELD_INT) {
        dr_json_object(json, NULL);
        dr_json_text(json, "type", "string");
        dr_json_text(json, "pattern", "^\\s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?([^,.0-9].*)?$");
        dr_json_end_object(json);
    }
    if (field->word) {
        dr_json_object(json, NULL);
        dr_json_text(json, "const", field->word);
        dr_json_end_object(json);
    }
    dr_json_end_list(json);
}

static void put_vector(dr_json *json, const dr_field *field)
{
    dr_json_text(json, "type", "array");
    dr_json_integer(json, "minItems", 3);
    dr_json_integer(json, "maxItems", 3);
    dr_json_object(json, "items");
    put_number(json, field);
    dr_json_end_object(json);
}

static void put_switch(dr_json *json)
{
    static const char *const words[] = {"yes", "no", "on", "off", "true", "false"};
    dr_json_list(json, "enum");
    dr_json_bool(json, NULL, true);
    dr_json_bool(json, NULL, false);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) dr_json_text(json, NULL, words[i]);
    dr_json_end_list(json);
}

static void put_type(dr_json *json, const dr_field *field)
{
    switch (field->type) {
    case DR_FIELD_BOOL:
        put_switch(json);
        break;
    case DR_FIELD_INT:
    case DR_FIELD_REAL:
        put_number(json, field);
        break;
    case DR_FIELD_VECTOR:
        put_vector(json, field);
        break;
    case DR_FIELD_CHOICE:
        dr_json_list(json, "enum");
        for (int i = 0; field->choices[i]; i++) {
            dr_json_text(json, NULL, field->choices[i]);
            if (strcmp(field->choices[i], "yes") == 0) dr_json_bool(json, NULL, true);
            if (strcmp(field->choices[i], "no") == 0) dr_json_bool(json, NULL, false);
        }
        dr_json_end_list(json);
        break;
    case DR_FIELD_OBJECT:
        put_reference(json, field->table);
        break;
    case DR_FIELD_LIST:
        dr_json_text(json, "type", "array");
        dr_json_object(json, "items");
        put_reference(json, field->table);
        dr_json_end_object(json);
        break;
    case DR_FIELD_TEXT:
    case DR_FIELD_FILE:
        dr_json_list(json, "type"); // a name may look like a number
        dr_json_text(json, NULL, "string");
        dr_json_text(json, NULL, "number");
        dr_json_end_list(json);
        break;
    }
}

static void put_property(dr_json *json, const dr_field *field)
{
    char text[1200];
    const char *unit = dr_unit_symbol(field->unit);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", field->doc, unit && *unit ? " In " : "", unit && *unit ? unit : "",
             unit && *unit ? "." : "", field->fallback && *field->fallback ? " Default: " : "",
             field->fallback && *field->fallback ? field->fallback : "", field->hint ? "\n" : "",
             field->hint ? field->hint : "");
    dr_json_object(json, field->name);
    dr_json_text(json, "description", text);
    put_type(json, field);
    dr_json_end_object(json);
}

// ---- structs

static bool has_kind(const dr_field *field, int kind)
{
    return field->kinds == 0 || (field->kinds >> kind & 1) != 0;
}

// A material takes from its preset what it does not write itself, its kind too. A plain group that holds a value
// without a default cannot be left out.
static bool is_required(const dr_table *table, const dr_field *field)
{
    bool kind = table->kind >= 0 && field == &table->fields[table->kind], inner = false;
    if (table == dr_material_table()) return strcmp(field->name, "name") == 0 && !field->fallback;
    bool group = field->type == DR_FIELD_OBJECT && field->table->kind < 0;
    for (int i = 0; group && i < field->table->count; i++)
        inner = inner || is_required(field->table, &field->table->fields[i]);
    return kind || inner || !field->fallback;
}

static void put_required(dr_json *json, const dr_table *table, int kind)
{
    dr_json_list(json, "required");
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        bool here = kind < 0 ? field->kinds == 0 : field->kinds != 0 && has_kind(field, kind);
        if (here && is_required(table, field)) dr_json_text(json, NULL, field->name);
    }
    dr_json_end_list(json);
}

// What one of a kind must have and may have.
static void put_kind(dr_json *json, const dr_table *table, int kind)
{
    const dr_field *row = &table->fields[table->kind];
    dr_json_object(json, NULL);
    dr_json_object(json, "if");
    dr_json_object(json, "properties");
    dr_json_object(json, row->name);
    dr_json_text(json, "const", row->choices[kind]);
    dr_json_end_object(json);
    dr_json_end_object(json);
    dr_json_list(json, "required");
    dr_json_text(json, NULL, row->name);
    dr_json_end_list(json);
    dr_json_end_object(json);
    dr_json_object(json, "then");
    put_required(json, table, kind);
    dr_json_object(json, "propertyNames");
    dr_json_list(json, "enum");
    for (int i = 0; i < table->count; i++) {
        if (has_kind(&table->fields[i], kind)) dr_json_text(json, NULL, table->fields[i].name);
    }
    dr_json_end_list(json);
    dr_json_end_object(json);
    dr_json_end_object(json);
    dr_json_end_object(json);
}

static void put_table(dr_json *json, const dr_table *table)
{
    dr_json_text(json, "description", table->doc);
    dr_json_text(json, "type", "object");
    dr_json_bool(json, "additionalProperties", false);
    dr_json_object(json, "properties");
    for (int i = 0; i < table->count; i++) put_property(json, &table->fields[i]);
    dr_json_end_object(json);
    put_required(json, table, -1);
    if (table->kind < 0) return;
    dr_json_list(json, "allOf");
    for (int kind = 0; table->fields[table->kind].choices[kind]; kind++) put_kind(json, table, kind);
    dr_json_end_list(json);
}

dr_status dr_scene_schema(const dr_allocator *allocator, char **text, size_t *length, dr_error *error)
{
    dr_text out;
    schema schema = {0};
    *text = NULL;
    dr_text_open(&out, allocator);
    dr_json *json = &schema.json;
    dr_json_open(json, &out);
    find_tables(&schema, dr_scene_table());
    dr_json_object(json, NULL);
    dr_json_text(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    dr_json_text(json, "title", "drench scene");
    put_table(json, schema.tables[0]);
    dr_json_object(json, "$defs");
    for (int i = 1; i < schema.count; i++) {
        dr_json_object(json, schema.tables[i]->name);
        put_table(json, schema.tables[i]);
        dr_json_end_object(json);
    }
    dr_json_end_object(json);
    dr_json_end_object(json);
    *length = out.length;
    if (!out.failed) *text = dr_memory_alloc(allocator, out.length + 1);
    if (*text) memcpy(*text, dr_text_show(&out), out.length + 1);
    dr_text_close(&out);
    return *text ? DR_STATUS_OK : dr_error_memory(error, "describing the scene language");
}

void dr_scene_schema_release(const dr_allocator *allocator, char *text, size_t length)
{
    if (text) dr_memory_free(allocator, text, length + 1);
}
