#include "look/export_frame.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SURFACE "surface"

typedef struct making {
    dr_export_frame *ready;
    const dr_frame *source;
    const dr_export_wish *wish;
    dr_frame_part *parts;
    dr_error *error;
} making;

// ---- names

// The next name of a list, blanks around it left out; false at the end.
static bool next_name(const char **at, const char **name, size_t *length)
{
    while (**at == ',' || isspace((unsigned char)**at)) ++*at;
    *name = *at;
    while (**at && **at != ',') ++*at;
    *length = (size_t)(*at - *name);
    while (*length && isspace((unsigned char)(*name)[*length - 1])) --*length;
    return *length > 0;
}

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

// Whether a part is named in a list such as "liquid, strands".
static bool names(const char *parts, const char *wanted)
{
    const char *name;
    size_t length;
    while (parts && next_name(&parts, &name, &length))
        if (is_name(name, length, wanted)) return true;
    return false;
}

static const dr_frame_part *find_part(const dr_frame *frame, const char *name, size_t length)
{
    for (int i = 0; i < frame->part_count; i++)
        if (is_name(name, length, frame->parts[i].name)) return &frame->parts[i];
    return NULL;
}

static dr_status check_names(const making *making)
{
    const char *at = making->wish->parts, *name;
    size_t length;
    while (at && next_name(&at, &name, &length)) {
        if (find_part(making->source, name, length) || is_name(name, length, SURFACE)) continue;
        char known[300] = "";
        for (int i = 0; i < making->source->part_count; i++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", making->source->parts[i].name);
        }
        dr_error_add(making->error, DR_STATUS_BAD_ARGUMENT, "frame %d has no part \"%.*s\"", making->source->number,
                     (int)length, name);
        dr_error_hint(making->error, "it has %s; surface is made from the liquid", known);
        return DR_STATUS_BAD_ARGUMENT;
    }
    return DR_STATUS_OK;
}

// ---- the surface

static bool holds_film(const dr_frame_part *part)
{
    static const char *const names[] = {"film_height", "wetness"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const dr_frame_array *array = dr_frame_find(part, names[k]);
        for (size_t i = 0; array && i < array->count * (size_t)array->components; i++)
            if (dr_write_value(array, i) > 0.0) return true;
    }
    return false;
}

bool dr_export_has_liquid(const dr_frame *frame, bool films)
{
    if (find_part(frame, "liquid", 6) || find_part(frame, SURFACE, strlen(SURFACE))) return true;
    for (int i = 0; films && i < frame->part_count; i++)
        if (holds_film(&frame->parts[i])) return true;
    return false;
}

dr_status dr_export_refuse_surface(const dr_frame *frame, dr_error *error)
{
    dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "frame %d has no liquid: there is no surface to make", frame->number);
    dr_error_hint(error, "a surface is made from liquid, from films on strands and from water in fabric");
    return DR_STATUS_BAD_ARGUMENT;
}

static void describe_surface(making *making, dr_frame_part *part)
{
    const dr_surface_mesh *mesh = &making->ready->surface;
    dr_frame_array *arrays = dr_arena_alloc(&making->ready->arena, 3 * sizeof *arrays);
    *part = (dr_frame_part){.name = SURFACE,
                            .kind = DR_FRAME_TRIANGLES,
                            .point_count = mesh->vertex_count,
                            .element_count = mesh->triangle_count,
                            .index = (const uint32_t *)mesh->triangle,
                            .array_count = arrays ? 3 : 0,
                            .arrays = arrays};
    if (!arrays) return;
    arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->position};
    arrays[1] = (dr_frame_array){"normal", "", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->normal};
    arrays[2] = (dr_frame_array){"velocity", "cm/s", DR_TYPE_FLOAT32, 3, mesh->vertex_count, mesh->velocity};
}

static dr_status build_surface(making *making, const dr_par *par, const dr_allocator *allocator, dr_frame_part *part)
{
    dr_status status = dr_surface_mesh_build(making->source, &making->wish->surface, par, allocator,
                                             &making->ready->surface, making->error);
    if (status) return status;
    describe_surface(making, part);
    return part->arrays ? DR_STATUS_OK : dr_error_memory(making->error, "exporting a frame");
}

// ---- order of points

typedef struct place {
    uint64_t id;
    size_t at;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *left = a, *right = b;
    if (left->id != right->id) return left->id < right->id ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

static place *sort_places(const dr_frame_part *part, dr_arena *arena)
{
    const dr_frame_array *ids = dr_frame_find(part, "id");
    place *places = dr_arena_alloc(arena, (part->point_count + 1) * sizeof *places);
    for (size_t i = 0; i < part->point_count && places; i++) places[i] = (place){((const uint64_t *)ids->data)[i], i};
    if (places) qsort(places, part->point_count, sizeof *places, compare_places);
    return places;
}

static bool sort_array(dr_frame_array *array, const place *places, dr_arena *arena)
{
    size_t item = dr_type_bytes(array->type) * (size_t)array->components;
    char *sorted = dr_arena_alloc(arena, array->count * item);
    for (size_t i = 0; i < array->count && sorted; i++)
        memcpy(sorted + i * item, (const char *)array->data + places[i].at * item, item);
    array->data = sorted;
    return sorted != NULL;
}

static bool sort_points(dr_frame_part *part, dr_frame_array *arrays, dr_arena *arena)
{
    const dr_frame_array *ids = dr_frame_find(part, "id");
    if (part->kind != DR_FRAME_POINTS || !ids || ids->type != DR_TYPE_UINT64 || ids->components != 1) return true;
    place *places = sort_places(part, arena);
    bool good = places != NULL;
    for (int i = 0; i < part->array_count && good; i++) good = sort_array(&arrays[i], places, arena);
    return good;
}

// ---- units and axes

// The power of a length in a unit of centimetres, grams and seconds: 1 for "cm/s", 3 for "cm3". A unit that holds
// anything else ("dyn/cm2") stays as it is: 0.
static int length_power(const char *unit)
{
    int power = 0, side = 1;
    for (const char *at = unit; *at;) {
        if (*at == '/') side = -1;
        if (*at == '/' || *at == ' ' || *at == '*' || *at == '1') {
            at++;
            continue;
        }
        size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        const char *digits = at + letters;
        int exponent = isdigit((unsigned char)*digits) ? *digits - '0' : 1;
        if (is_name(at, letters, "cm"))
            power += side * exponent;
        else if (!is_name(at, letters, "s") && !is_name(at, letters, "g"))
            return 0;
        at = digits + (isdigit((unsigned char)*digits) != 0);
    }
    return power;
}

static const char *unit_text(const char *unit, const char *length, dr_arena *arena)
{
    const char *found = strstr(unit, "cm");
    char *text = dr_arena_alloc(arena, strlen(unit) + strlen(length) + 1);
    if (text)
        snprintf(text, strlen(unit) + strlen(length) + 1, "%.*s%s%s", (int)(found - unit), unit, length, found + 2);
    return text;
}

static void put_number(const dr_frame_array *array, size_t i, double value, void *out)
{
    if (array->type == DR_TYPE_FLOAT32)
        ((float *)out)[i] = (float)value;
    else
        ((double *)out)[i] = value;
}

// y up to z up is a turn about x: (x, y, z) -> (x, -z, y).
static void convert_numbers(const dr_frame_array *array, double scale, bool turn, void *out)
{
    size_t width = (size_t)array->components;
    for (size_t i = 0; i < array->count; i++)
        for (size_t c = 0; c < width; c++) {
            size_t from = turn && c ? 3 - c : c;
            double value = scale * dr_write_number(array, i, (int)from);
            put_number(array, i * width + c, turn && c == 1 ? -value : value, out);
        }
}

static bool convert_array(dr_frame_array *array, const dr_write_space *space, dr_arena *arena)
{
    bool real = array->type == DR_TYPE_FLOAT32 || array->type == DR_TYPE_FLOAT64;
    int power = real && array->unit ? length_power(array->unit) : 0;
    double scale = pow(0.01 / space->meters, power);
    bool turn = real && space->z_up && array->components == 3 && strcmp(array->name, "color") != 0;
    if (power == 0) scale = 1.0;
    if (scale == 1.0 && !turn) return true;
    void *numbers = dr_arena_alloc(arena, array->count * (size_t)array->components * dr_type_bytes(array->type));
    if (!numbers) return false;
    convert_numbers(array, scale, turn, numbers);
    array->data = numbers;
    if (power) array->unit = unit_text(array->unit, space->unit, arena);
    return !power || array->unit;
}

// ---- parts

// Arrays in an order of their own, the position first.
static dr_frame_array *copy_arrays(const dr_frame_part *part, dr_arena *arena)
{
    dr_frame_array *arrays = dr_arena_alloc(arena, (size_t)part->array_count * sizeof *arrays);
    const dr_frame_array *position = dr_frame_find(part, "position");
    if (!arrays) return NULL;
    arrays[0] = *position;
    for (int i = 0, k = 1; i < part->array_count; i++)
        if (&part->arrays[i] != position) arrays[k++] = part->arrays[i];
    return arrays;
}

static dr_status add_part(making *making, const dr_frame_part *source)
{
    dr_arena *arena = &making->ready->arena;
    dr_frame_part *part = &making->parts[making->ready->frame.part_count++];
    dr_frame_array *arrays = copy_arrays(source, arena);
    if (!arrays) return dr_error_memory(making->error, "exporting a frame");
    *part = *source;
    part->arrays = arrays;
    bool good = !making->wish->sorted || sort_points(part, arrays, arena);
    for (int i = 0; i < part->array_count && good; i++) good = convert_array(&arrays[i], &making->wish->space, arena);
    return good ? DR_STATUS_OK : dr_error_memory(making->error, "exporting a frame");
}

static bool is_wanted(const making *making, const dr_frame_part *part)
{
    if (making->wish->parts) return names(making->wish->parts, part->name);
    return making->wish->empty || part->point_count > 0;
}

static dr_status add_parts(making *making, const dr_par *par, const dr_allocator *allocator)
{
    dr_frame_part surface;
    dr_status status = check_names(making);
    for (int i = 0; i < making->source->part_count && !status; i++)
        if (is_wanted(making, &making->source->parts[i])) status = add_part(making, &making->source->parts[i]);
    if (status || !names(making->wish->parts, SURFACE)) return status;
    if (find_part(making->source, SURFACE, strlen(SURFACE))) return DR_STATUS_OK;
    if (!dr_export_has_liquid(making->source, making->wish->surface.films))
        return dr_export_refuse_surface(making->source, making->error);
    status = build_surface(making, par, allocator, &surface);
    return status ? status : add_part(making, &surface);
}

dr_status dr_export_frame_open(dr_export_frame *ready, const dr_frame *source, const dr_export_wish *wish,
                               const dr_par *par, const dr_allocator *allocator, dr_error *error)
{
    *ready = (dr_export_frame){.frame = *source};
    dr_arena_open(&ready->arena, allocator);
    making making = {.ready = ready, .source = source, .wish = wish, .error = error};
    making.parts = dr_arena_alloc(&ready->arena, ((size_t)source->part_count + 1) * sizeof *making.parts);
    ready->frame.parts = making.parts;
    ready->frame.part_count = 0;
    if (!making.parts) return dr_error_memory(error, "exporting a frame");
    return add_parts(&making, par, allocator);
}

void dr_export_frame_close(dr_export_frame *ready)
{
    dr_surface_mesh_free(&ready->surface);
    dr_arena_close(&ready->arena);
}
