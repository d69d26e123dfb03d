// USD text: an Xform with one Mesh, Points or BasisCurves prim per part. Every attribute has the first value as its
// default, for readers that know no time, and time samples.
#include "io/write.h"

#include "drench/version.h"

#include <stdio.h>

typedef struct writing {
    const dr_frame_part *part;
    const dr_allocator *allocator;
    dr_usda_put put;
    void *user;
} writing;

static dr_usda_value begin_value(const writing *writing, const char *declaration, const char *metadata, bool held)
{
    dr_usda_value value = {.held = held};
    snprintf(value.declaration, sizeof value.declaration, "%s", declaration);
    snprintf(value.metadata, sizeof value.metadata, "%s", metadata);
    dr_text_open(&value.text, writing->allocator);
    dr_text_put(&value.text, "[");
    return value;
}

static void end_value(const writing *writing, dr_usda_value *value)
{
    dr_text_put(&value->text, "]");
    writing->put(writing->user, value);
}

static void put_vector(dr_text *out, const dr_frame_array *array, size_t item)
{
    dr_text_put(out, item ? ", (" : "(");
    for (int c = 0; c < 3; c++) {
        if (c) dr_text_put(out, ", ");
        dr_put_decimal(out, dr_write_number(array, item, c));
    }
    dr_text_put(out, ")");
}

static void put_vectors(const writing *writing, const dr_frame_array *array, const char *declaration,
                        const char *metadata)
{
    dr_usda_value value = begin_value(writing, declaration, metadata, false);
    for (size_t i = 0; i < array->count; i++) put_vector(&value.text, array, i);
    end_value(writing, &value);
}

static void put_comma(dr_text *out, size_t item)
{
    if (item) dr_text_put(out, ", ");
}

static void put_extent(const writing *writing, const dr_frame_array *position)
{
    double low[3] = {0}, high[3] = {0};
    for (size_t i = 0; i < position->count; i++)
        for (int c = 0; c < 3; c++) {
            double x = dr_write_number(position, i, c);
            if (i == 0 || x < low[c]) low[c] = x;
            if (i == 0 || x > high[c]) high[c] = x;
        }
    dr_usda_value value = begin_value(writing, "float3[] extent", "", false);
    dr_frame_array ends = {"extent", "", DR_TYPE_FLOAT64, 3, 1, low};
    put_vector(&value.text, &ends, 0);
    dr_text_put(&value.text, ", ");
    ends.data = high;
    put_vector(&value.text, &ends, 0);
    end_value(writing, &value);
}

static void put_widths(const writing *writing)
{
    const dr_frame_part *part = writing->part;
    if (!dr_write_has_radius(part)) return;
    dr_usda_value value = begin_value(writing, "float[] widths", "interpolation = \"vertex\"", false);
    for (size_t i = 0; i < part->point_count; i++) {
        put_comma(&value.text, i);
        dr_put_decimal(&value.text, 2.0 * dr_write_radius(part, i));
    }
    end_value(writing, &value);
}

static void put_curve_counts(const writing *writing)
{
    const dr_frame_part *part = writing->part;
    dr_usda_value value = begin_value(writing, "int[] curveVertexCounts", "", true);
    for (size_t s = 0; s < part->element_count; s++) {
        put_comma(&value.text, s);
        dr_put_integer(&value.text, (int64_t)part->index[s + 1] - (int64_t)part->index[s]);
    }
    end_value(writing, &value);
}

static void put_faces(const writing *writing)
{
    const dr_frame_part *part = writing->part;
    dr_usda_value counts = begin_value(writing, "int[] faceVertexCounts", "", true);
    for (size_t t = 0; t < part->element_count; t++) dr_text_put(&counts.text, t ? ", 3" : "3");
    end_value(writing, &counts);
    dr_usda_value indices = begin_value(writing, "int[] faceVertexIndices", "", true);
    for (size_t i = 0; i < 3 * part->element_count; i++) {
        put_comma(&indices.text, i);
        dr_put_integer(&indices.text, part->index[i]);
    }
    end_value(writing, &indices);
}

static bool is_real(const dr_frame_array *array)
{
    return array->type == DR_TYPE_FLOAT32 || array->type == DR_TYPE_FLOAT64;
}

static bool is_vectors(const dr_frame_part *part, const dr_frame_array *array)
{
    return array->components == 3 && is_real(array) && dr_write_is_per_point(part, array);
}

static bool is_texture(const dr_frame_part *part, const dr_frame_array *array)
{
    return array->components == 2 && is_real(array) && dr_write_is_per_point(part, array);
}

static void put_texture(const writing *writing, const dr_frame_array *array)
{
    dr_usda_value value = begin_value(writing, "texCoord2f[] primvars:st", "interpolation = \"vertex\"", true);
    for (size_t i = 0; i < array->count; i++) {
        put_comma(&value.text, i);
        dr_text_put(&value.text, "(");
        dr_put_decimal(&value.text, dr_write_number(array, i, 0));
        dr_text_put(&value.text, ", ");
        dr_put_decimal(&value.text, dr_write_number(array, i, 1));
        dr_text_put(&value.text, ")");
    }
    end_value(writing, &value);
}

// Any array as a primvar: numbers one after the other, `components` of them for each item.
static void put_primvar(const writing *writing, const dr_frame_array *array)
{
    char declaration[96], metadata[64];
    bool real = is_real(array), ids = strcmp(array->name, "id") == 0 && writing->part->kind == DR_FRAME_POINTS;
    bool wide = array->type == DR_TYPE_INT64 || array->type == DR_TYPE_UINT64;
    const char *type = real ? "float" : wide ? "int64" : "int";
    const char *span = dr_write_is_per_point(writing->part, array) ? "vertex" : "uniform";
    int length = snprintf(declaration, sizeof declaration, "%s[] %s", type, ids ? "ids" : "primvars:");
    for (const char *at = array->name; !ids && *at && length + 1 < (int)sizeof declaration; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        declaration[length++] = plain ? *at : '_';
        declaration[length] = 0;
    }
    if (ids)
        metadata[0] = 0;
    else if (array->components == 1)
        snprintf(metadata, sizeof metadata, "interpolation = \"%s\"", span);
    else
        snprintf(metadata, sizeof metadata, "elementSize = %d\n            interpolation = \"%s\"", array->components,
                 span);
    dr_usda_value value = begin_value(writing, declaration, metadata, !real);
    size_t numbers = array->count * (size_t)array->components;
    for (size_t i = 0; i < numbers; i++) {
        put_comma(&value.text, i);
        if (real)
            dr_put_decimal(&value.text, dr_write_value(array, i));
        else if (wide)
            dr_put_integer(&value.text, dr_write_integer(array, i));
        else
            dr_put_integer(&value.text, (int32_t)dr_write_integer(array, i));
    }
    end_value(writing, &value);
}

static void put_array(const writing *writing, const dr_frame_array *array)
{
    const dr_frame_part *part = writing->part;
    if (strcmp(array->name, "position") == 0)
        put_vectors(writing, array, "point3f[] points", "");
    else if (strcmp(array->name, "velocity") == 0 && is_vectors(part, array))
        put_vectors(writing, array, "vector3f[] velocities", "");
    else if (strcmp(array->name, "normal") == 0 && is_vectors(part, array))
        put_vectors(writing, array, "normal3f[] normals", "interpolation = \"vertex\"");
    else if (strcmp(array->name, "coordinates") == 0 && is_texture(part, array))
        put_texture(writing, array);
    else if (strcmp(array->name, "color") == 0 && is_vectors(part, array))
        put_vectors(writing, array, "color3f[] primvars:displayColor", "interpolation = \"vertex\"");
    else
        put_primvar(writing, array);
}

void dr_write_usda_part(const dr_frame_part *part, const dr_allocator *allocator, dr_usda_put put, void *user)
{
    writing writing = {part, allocator, put, user};
    put_extent(&writing, dr_frame_find(part, "position"));
    for (int i = 0; i < part->array_count; i++) put_array(&writing, &part->arrays[i]);
    if (part->kind != DR_FRAME_TRIANGLES) put_widths(&writing);
    if (part->kind == DR_FRAME_CURVES) put_curve_counts(&writing);
    if (part->kind == DR_FRAME_TRIANGLES) put_faces(&writing);
}

static void put_setting(dr_text *out, const char *name, double value)
{
    char number[DR_NUMBER_ROOM];
    dr_number_print(number, value);
    dr_text_print(out, "    %s = %s\n", name, number);
}

void dr_write_usda_begin(dr_text *out, const dr_write_space *space, const dr_usda_times *times)
{
    dr_text_print(out, "#usda 1.0\n(\n    defaultPrim = \"drench\"\n    doc = \"drench %s\"\n", dr_version());
    put_setting(out, "endTimeCode", times->last);
    put_setting(out, "framesPerSecond", times->rate);
    put_setting(out, "metersPerUnit", space->meters);
    put_setting(out, "startTimeCode", times->first);
    put_setting(out, "timeCodesPerSecond", times->rate);
    dr_text_print(out, "    upAxis = \"%c\"\n)\n\ndef Xform \"drench\"\n{\n", space->z_up ? 'Z' : 'Y');
}

void dr_write_usda_begin_part(dr_text *out, const char *name, dr_frame_kind kind)
{
    static const char *const types[] = {"Points", "BasisCurves", "Mesh"};
    dr_text_print(out, "    def %s \"", types[kind]);
    for (const char *at = name; *at; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        bool digit = *at >= '0' && *at <= '9' && at > name;
        dr_text_add(out, letter || digit ? at : "_", 1);
    }
    dr_text_put(out, "\"\n    {\n");
    if (kind == DR_FRAME_CURVES) dr_text_put(out, "        uniform token type = \"linear\"\n");
    if (kind == DR_FRAME_TRIANGLES) dr_text_put(out, "        uniform token subdivisionScheme = \"none\"\n");
}

void dr_write_usda_end_part(dr_text *out)
{
    dr_text_put(out, "    }\n");
}

void dr_write_usda_end(dr_text *out)
{
    dr_text_put(out, "}\n");
}
