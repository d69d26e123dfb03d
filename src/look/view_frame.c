#include "look/view_frame.h"

#include "base/number.h"
#include "base/json.h"
#include "base/memory.h"
#include "io/write.h"
#include "look/view_surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD_NAME 128

// What a part's points may be coloured by: one of its arrays, or something made of one.
typedef enum source { SOURCE_ARRAY, SOURCE_LENGTH, SOURCE_BIRTH, SOURCE_ID } source;
typedef struct field {
    const char *name, *unit;
    source source;
    const dr_frame_array *array;
} field;

typedef struct writer {
    const dr_frame *frame;
    const char *want;
    const dr_view_ages *ages;
    dr_view_frame *made;
    dr_json json;
    bool failed;
} writer;

// ---- numbers

static float *add_numbers(writer *out, size_t count)
{
    dr_view_frame *made = out->made;
    void *data = made->data;
    bool good = count < SIZE_MAX / 8 - made->count &&
                dr_memory_reserve(made->allocator, &data, &made->capacity, made->count + count, sizeof *made->data);
    made->data = data;
    out->failed = out->failed || !good;
    if (!good) return NULL;
    made->count += count;
    return made->data + made->count - count;
}

static double value_at(const writer *out, const field *field, size_t i)
{
    const dr_frame_array *array = field->array;
    if (field->source == SOURCE_LENGTH) {
        double x = dr_write_value(array, 3 * i), y = dr_write_value(array, 3 * i + 1),
               z = dr_write_value(array, 3 * i + 2);
        return sqrt(x * x + y * y + z * z);
    }
    if (field->source == SOURCE_BIRTH) return out->frame->time - dr_write_value(array, i);
    if (field->source == SOURCE_ID) {
        uint64_t id = ((const uint64_t *)array->data)[i];
        return fmax(0.0, out->frame->time - dr_view_ages_birth(out->ages, id));
    }
    return dr_write_value(array, i);
}

// ---- fields

// The field that an array gives; its name is NULL where it gives none. Ages from ids give way to a time of birth.
static field field_of(const writer *out, const dr_frame_part *part, const dr_frame_array *array)
{
    bool per_point = array->count == part->point_count;
    if (!per_point) return (field){0};
    if (strcmp(array->name, "velocity") == 0 && array->components == 3)
        return (field){"speed", array->unit, SOURCE_LENGTH, array};
    if (array->components != 1) return (field){0};
    if (strcmp(array->name, "birth") == 0) return (field){"age", "s", SOURCE_BIRTH, array};
    if (strcmp(array->name, "id") != 0) return (field){array->name, array->unit, SOURCE_ARRAY, array};
    bool aged = out->ages && out->ages->count && array->type == DR_TYPE_UINT64;
    aged = aged && !dr_frame_find(part, "birth") && !dr_frame_find(part, "age");
    return aged ? (field){"age", "s", SOURCE_ID, array} : (field){0};
}

static field find_field(const writer *out, const dr_frame_part *part, const char *name)
{
    for (int a = 0; a < part->array_count; a++) {
        field found = field_of(out, part, &part->arrays[a]);
        if (found.name && strcmp(found.name, name) == 0) return found;
    }
    return (field){0};
}

static field first_choice(const writer *out, const dr_frame_part *part)
{
    static const char *const names[] = {"film_height", "wetness", "speed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        field found = find_field(out, part, names[i]);
        if (found.name) return found;
    }
    return (field){0};
}

// Whether the part is wanted, and the name of its field (may be empty).
static bool is_wanted(const char *want, const char *part, char name[FIELD_NAME])
{
    size_t length = strlen(part);
    for (const char *at = want; *at; at += *at == ',') {
        size_t item = strcspn(at, ","), head = strcspn(at, ":,");
        if (head == length && memcmp(at, part, length) == 0) {
            int rest = (int)(item > head ? item - head - 1 : 0);
            snprintf(name, FIELD_NAME, "%.*s", rest, at + item - rest);
            return true;
        }
        at += item;
    }
    return false;
}

bool dr_view_frame_wants(const char *want, const char *part)
{
    char name[FIELD_NAME];
    return is_wanted(want, part, name);
}

// ---- arrays

static void put_array(writer *out, const char *name, const char *unit, const char *type, int components, size_t count)
{
    dr_json_object(&out->json, name);
    dr_json_text(&out->json, "unit", unit);
    dr_json_text(&out->json, "type", type);
    dr_json_integer(&out->json, "components", components);
    dr_json_integer(&out->json, "count", (int64_t)count);
    dr_json_integer(&out->json, "offset", (int64_t)(out->made->count * sizeof(float)));
}

// Numbers per point: "position", or where the part has them "normal" and "coordinates".
static void put_vectors(writer *out, const dr_frame_part *part, const char *name, int components)
{
    const dr_frame_array *place = dr_frame_find(part, name);
    if (!place || place->components != components || place->count != part->point_count) return;
    size_t count = (size_t)components * part->point_count;
    put_array(out, name, place->unit, "float32", components, part->point_count);
    dr_json_end_object(&out->json);
    float *to = add_numbers(out, count);
    for (size_t i = 0; to && i < count; i++) to[i] = (float)dr_write_value(place, i);
}

static void put_field(writer *out, const dr_frame_part *part, const field *field)
{
    put_array(out, field->name, field->unit, "float32", 1, part->point_count);
    float *to = add_numbers(out, part->point_count);
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; to && i < part->point_count; i++) {
        to[i] = (float)value_at(out, field, i);
        if (to[i] < low) low = to[i];
        if (to[i] > high) high = to[i];
    }
    dr_json_number(&out->json, "low", (double)low);
    dr_json_number(&out->json, "high", (double)high);
    dr_json_end_object(&out->json);
}

static void put_index(writer *out, const dr_frame_part *part)
{
    bool curves = part->kind == DR_FRAME_CURVES;
    size_t count = curves ? part->element_count + 1 : 3 * part->element_count;
    if (!part->index) return;
    put_array(out, "index", "", "uint32", 1, count);
    dr_json_end_object(&out->json);
    float *to = add_numbers(out, count);
    if (to) memcpy(to, part->index, count * sizeof *part->index);
}

static bool put_radius(writer *out, const dr_frame_part *part)
{
    field radius = find_field(out, part, "radius");
    if (radius.name) put_field(out, part, &radius);
    return radius.name != NULL;
}

// ---- parts

static void put_choices(writer *out, const dr_frame_part *part)
{
    dr_json_list(&out->json, "fields");
    for (int a = 0; a < part->array_count; a++) {
        field found = field_of(out, part, &part->arrays[a]);
        if (found.name) dr_json_text(&out->json, NULL, found.name);
    }
    dr_json_end_list(&out->json);
}

// The radius of a ball of the mean volume: how large points are drawn.
static double mean_radius(const dr_frame_part *part)
{
    const dr_frame_array *volume = dr_frame_find(part, "volume");
    double sum = 0.0;
    if (!volume || volume->count != part->point_count || volume->components != 1 || volume->count == 0) return 0.0;
    for (size_t i = 0; i < volume->count; i++) sum += dr_write_value(volume, i);
    return cbrt(0.75 / DR_PI * sum / (double)volume->count);
}

static void put_arrays(writer *out, const dr_frame_part *part, const field *colour)
{
    dr_json_text(&out->json, "field", colour->name);
    dr_json_object(&out->json, "arrays");
    put_vectors(out, part, "position", 3);
    if (part->kind == DR_FRAME_TRIANGLES) {
        put_vectors(out, part, "normal", 3);
        put_vectors(out, part, "coordinates", 2);
    }
    put_index(out, part);
    bool thick = part->kind == DR_FRAME_CURVES && put_radius(out, part);
    bool sent = thick && colour->name && strcmp(colour->name, "radius") == 0;
    if (colour->name && !sent) put_field(out, part, colour);
    dr_json_end_object(&out->json);
}

static void put_part(writer *out, const dr_frame_part *part)
{
    static const char *const kinds[] = {"points", "curves", "triangles"};
    char name[FIELD_NAME] = "";
    bool made = strcmp(part->name, DR_VIEW_SURFACE) == 0 && part->point_count == 0; // only once somebody asks for it
    bool wanted = out->want ? is_wanted(out->want, part->name, name) : !made;
    field colour = out->want ? find_field(out, part, name) : first_choice(out, part);
    dr_json_object(&out->json, NULL);
    dr_json_text(&out->json, "name", part->name);
    dr_json_text(&out->json, "kind", kinds[part->kind]);
    dr_json_integer(&out->json, "points", (int64_t)part->point_count);
    dr_json_integer(&out->json, "elements", (int64_t)part->element_count);
    if (part->kind == DR_FRAME_POINTS) dr_json_number(&out->json, "radius", mean_radius(part));
    put_choices(out, part);
    if (wanted) put_arrays(out, part, &colour);
    dr_json_end_object(&out->json);
}

static void put_header(writer *out)
{
    dr_json_object(&out->json, NULL);
    dr_json_integer(&out->json, "number", out->frame->number);
    dr_json_integer(&out->json, "sample", out->frame->sample);
    dr_json_integer(&out->json, "step", out->frame->step);
    dr_json_number(&out->json, "time", out->frame->time);
    dr_json_list(&out->json, "parts");
    for (int i = 0; i < out->frame->part_count; i++) put_part(out, &out->frame->parts[i]);
    dr_json_end_list(&out->json);
    dr_json_end_object(&out->json);
}

// ---- the whole

static void put_length(dr_text *text)
{
    while (text->length % 8 && !text->failed) dr_text_put(text, " ");
    uint32_t length = (uint32_t)(text->length - 8);
    if (!text->failed) memcpy(text->data + 4, &length, sizeof length);
}

dr_status dr_view_frame_make(const dr_frame *frame, const char *want, const dr_view_ages *ages,
                             const dr_allocator *allocator, dr_view_frame *made, dr_error *error)
{
    dr_text text;
    writer out = {.frame = frame, .want = want, .ages = ages, .made = made};
    *made = (dr_view_frame){.allocator = allocator};
    dr_text_open(&text, allocator);
    dr_text_put(&text, "DRF1....");
    dr_json_open(&out.json, &text);
    put_header(&out);
    put_length(&text);
    made->head = text.data;
    made->head_bytes = text.length;
    made->head_room = text.capacity;
    if (!text.failed && !out.failed) return DR_STATUS_OK;
    dr_view_frame_free(made);
    return dr_error_memory(error, "sending a frame");
}

void dr_view_frame_free(dr_view_frame *made)
{
    dr_memory_free(made->allocator, made->head, made->head_room);
    dr_memory_free(made->allocator, made->data, made->capacity * sizeof *made->data);
    *made = (dr_view_frame){.allocator = made->allocator};
}
