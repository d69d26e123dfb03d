// glTF 2.0 in one binary file (.glb): a chunk of JSON that describes, a chunk of bytes. Each part is a node with a mesh
// of one primitive: points, lines or triangles. Arrays of up to four floats that glTF does not know follow as
// attributes with an underscore before their name.
#include "base/json.h"
#include "drench/version.h"
#include "io/write.h"

#include <ctype.h>
#include <stdio.h>

enum { FLOATS = 5126, INTEGERS = 5125, POINTS = 0, LINES = 1, TRIANGLES = 4 };

typedef struct writing {
    dr_json json; // of the document
    dr_text views, accessors, bytes;
    dr_json view_list, accessor_list;
    int count; // accessors, and views
} writing;

static int add_accessor(writing *writing, const char *type, int number_type, size_t count, size_t bytes)
{
    dr_json *view = &writing->view_list, *accessor = &writing->accessor_list;
    dr_json_object(view, NULL);
    dr_json_integer(view, "buffer", 0);
    dr_json_integer(view, "byteOffset", (int64_t)writing->bytes.length);
    dr_json_integer(view, "byteLength", (int64_t)bytes);
    dr_json_integer(view, "target", number_type == INTEGERS ? 34963 : 34962);
    dr_json_end_object(view);
    dr_json_object(accessor, NULL);
    dr_json_integer(accessor, "bufferView", writing->count);
    dr_json_integer(accessor, "componentType", number_type);
    dr_json_integer(accessor, "count", (int64_t)count);
    dr_json_text(accessor, "type", type);
    return writing->count++;
}

static void put_range(dr_json *json, const char *key, const float range[3])
{
    double numbers[3] = {(double)range[0], (double)range[1], (double)range[2]};
    dr_json_numbers(json, key, numbers, 3);
}

static int add_position(writing *writing, const dr_frame_part *part)
{
    const dr_frame_array *position = dr_frame_find(part, "position");
    int accessor = add_accessor(writing, "VEC3", FLOATS, part->point_count, 12 * part->point_count);
    float low[3] = {0}, high[3] = {0}, x[3];
    for (size_t v = 0; v < part->point_count; v++) {
        dr_write_position(position, v, x);
        for (int i = 0; i < 3; i++) {
            if (v == 0 || x[i] < low[i]) low[i] = x[i];
            if (v == 0 || x[i] > high[i]) high[i] = x[i];
        }
        dr_put_bytes(&writing->bytes, x, sizeof x);
    }
    put_range(&writing->accessor_list, "min", low);
    put_range(&writing->accessor_list, "max", high);
    dr_json_end_object(&writing->accessor_list);
    return accessor;
}

static int add_floats(writing *writing, const dr_frame_array *array)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    size_t numbers = array->count * (size_t)array->components;
    int accessor = add_accessor(writing, types[array->components - 1], FLOATS, array->count, 4 * numbers);
    dr_json_end_object(&writing->accessor_list);
    for (size_t i = 0; i < array->count; i++)
        for (int c = 0; c < array->components; c++) dr_put_float(&writing->bytes, (float)dr_write_number(array, i, c));
    return accessor;
}

static int add_triangles(writing *writing, const dr_frame_part *part)
{
    size_t count = 3 * part->element_count;
    int accessor = add_accessor(writing, "SCALAR", INTEGERS, count, 4 * count);
    dr_json_end_object(&writing->accessor_list);
    dr_put_bytes(&writing->bytes, part->index, 4 * count);
    return accessor;
}

static size_t count_segments(const dr_frame_part *part)
{
    size_t count = 0;
    for (size_t s = 0; s < part->element_count; s++)
        if (part->index[s + 1] > part->index[s]) count += part->index[s + 1] - part->index[s] - 1;
    return count;
}

static int add_segments(writing *writing, const dr_frame_part *part)
{
    size_t count = 2 * count_segments(part);
    int accessor = add_accessor(writing, "SCALAR", INTEGERS, count, 4 * count);
    dr_json_end_object(&writing->accessor_list);
    for (size_t s = 0; s < part->element_count; s++)
        for (uint32_t v = part->index[s]; v + 1 < part->index[s + 1]; v++) {
            dr_put_u32(&writing->bytes, v);
            dr_put_u32(&writing->bytes, v + 1);
        }
    return accessor;
}

static void put_attribute(writing *writing, const dr_frame_part *part, const dr_frame_array *array)
{
    char name[64] = "_";
    bool real = array->type == DR_TYPE_FLOAT32 || array->type == DR_TYPE_FLOAT64;
    if (!real || array->components > 4 || !dr_write_is_per_point(part, array)) return;
    if (strcmp(array->name, "position") == 0) return;
    for (size_t i = 0; array->name[i] && i + 2 < sizeof name; i++) {
        unsigned char c = (unsigned char)array->name[i];
        name[i + 1] = isalnum(c) ? (char)toupper(c) : '_';
    }
    if (strcmp(array->name, "normal") == 0 && array->components == 3 && part->kind == DR_FRAME_TRIANGLES)
        strcpy(name, "NORMAL");
    if (strcmp(array->name, "coordinates") == 0 && array->components == 2) strcpy(name, "TEXCOORD_0");
    if (strcmp(array->name, "color") == 0 && array->components >= 3) strcpy(name, "COLOR_0");
    dr_json_integer(&writing->json, name, add_floats(writing, array));
}

static bool is_shown(const dr_frame_part *part)
{
    if (part->kind == DR_FRAME_CURVES) return count_segments(part) > 0;
    return part->point_count > 0 && (part->kind == DR_FRAME_POINTS || part->element_count > 0);
}

static void put_mesh(writing *writing, const dr_frame_part *part, int material)
{
    static const int modes[] = {POINTS, LINES, TRIANGLES};
    dr_json *json = &writing->json;
    dr_json_object(json, NULL);
    dr_json_text(json, "name", part->name);
    dr_json_list(json, "primitives");
    dr_json_object(json, NULL);
    dr_json_integer(json, "mode", modes[part->kind]);
    dr_json_integer(json, "material", material);
    if (part->kind == DR_FRAME_TRIANGLES) dr_json_integer(json, "indices", add_triangles(writing, part));
    if (part->kind == DR_FRAME_CURVES) dr_json_integer(json, "indices", add_segments(writing, part));
    dr_json_object(json, "attributes");
    dr_json_integer(json, "POSITION", add_position(writing, part));
    for (int i = 0; i < part->array_count; i++) put_attribute(writing, part, &part->arrays[i]);
    dr_json_end_object(json);
    dr_json_end_object(json);
    dr_json_end_list(json);
    dr_json_end_object(json);
}

static void put_material(dr_json *json, const dr_frame_part *part)
{
    static const struct {
        const char *part;
        double color[4], roughness;
    } looks[] = {{"liquid", {0.16, 0.42, 0.72, 1}, 0.2},  {"surface", {0.16, 0.42, 0.72, 1}, 0.05},
                 {"strands", {0.35, 0.22, 0.12, 1}, 0.5}, {"yarn", {0.55, 0.48, 0.40, 1}, 0.9},
                 {"cloth", {0.75, 0.68, 0.58, 1}, 0.9},   {"colliders", {0.55, 0.55, 0.55, 1}, 0.8},
                 {NULL, {0.8, 0.5, 0.3, 1}, 0.6}};
    size_t i = 0;
    while (looks[i].part && strcmp(looks[i].part, part->name) != 0) i++;
    dr_json_object(json, NULL);
    dr_json_text(json, "name", part->name);
    dr_json_bool(json, "doubleSided", true);
    dr_json_object(json, "pbrMetallicRoughness");
    dr_json_numbers(json, "baseColorFactor", looks[i].color, 4);
    dr_json_number(json, "metallicFactor", 0.0);
    dr_json_number(json, "roughnessFactor", looks[i].roughness);
    dr_json_end_object(json);
    dr_json_end_object(json);
}

// For every part that shows, in order.
static int put_list(writing *writing, const dr_frame *frame, const char *key)
{
    dr_json *json = &writing->json;
    int count = 0;
    dr_json_list(json, key);
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (!is_shown(part)) continue;
        if (strcmp(key, "meshes") == 0) put_mesh(writing, part, count);
        if (strcmp(key, "materials") == 0) put_material(json, part);
        if (strcmp(key, "nodes") == 0) {
            dr_json_object(json, NULL);
            dr_json_text(json, "name", part->name);
            dr_json_integer(json, "mesh", count);
            dr_json_end_object(json);
        }
        count++;
    }
    dr_json_end_list(json);
    return count;
}

static void put_head(dr_json *json, const dr_frame *frame, int shown)
{
    char generator[60];
    snprintf(generator, sizeof generator, "drench %s", dr_version());
    dr_json_object(json, NULL);
    dr_json_object(json, "asset");
    dr_json_text(json, "version", "2.0");
    dr_json_text(json, "generator", generator);
    dr_json_end_object(json);
    dr_json_integer(json, "scene", 0);
    dr_json_list(json, "scenes");
    dr_json_object(json, NULL);
    if (shown) {
        dr_json_list(json, "nodes");
        for (int i = 0; i < shown; i++) dr_json_integer(json, NULL, i);
        dr_json_end_list(json);
    }
    dr_json_object(json, "extras");
    dr_json_number(json, "time", frame->time);
    dr_json_integer(json, "frame", frame->number);
    dr_json_end_object(json);
    dr_json_end_object(json);
    dr_json_end_list(json);
}

static void put_document(writing *writing, const dr_frame *frame)
{
    dr_json *json = &writing->json;
    int shown = 0;
    for (int i = 0; i < frame->part_count; i++) shown += is_shown(&frame->parts[i]);
    put_head(json, frame, shown);
    if (shown) {
        put_list(writing, frame, "nodes");
        put_list(writing, frame, "meshes");
        put_list(writing, frame, "materials");
        dr_json_end_list(&writing->accessor_list);
        dr_json_end_list(&writing->view_list);
        dr_json_raw(json, "accessors", dr_text_show(&writing->accessors), writing->accessors.length);
        dr_json_raw(json, "bufferViews", dr_text_show(&writing->views), writing->views.length);
        dr_json_list(json, "buffers");
        dr_json_object(json, NULL);
        dr_json_integer(json, "byteLength", (int64_t)writing->bytes.length);
        dr_json_end_object(json);
        dr_json_end_list(json);
    }
    dr_json_end_object(json);
}

static void put_chunks(dr_text *out, const dr_text *document, const dr_text *bytes)
{
    size_t blanks = (4 - document->length % 4) % 4, length = document->length + blanks;
    dr_put_u32(out, 0x46546c67); // "glTF"
    dr_put_u32(out, 2);
    dr_put_u32(out, (uint32_t)(12 + 8 + length + (bytes->length ? 8 + bytes->length : 0)));
    dr_put_u32(out, (uint32_t)length);
    dr_put_u32(out, 0x4e4f534a); // "JSON"
    dr_text_add(out, dr_text_show(document), document->length);
    dr_text_add(out, "   ", blanks);
    if (bytes->length == 0) return;
    dr_put_u32(out, (uint32_t)bytes->length);
    dr_put_u32(out, 0x004e4942); // "BIN"
    dr_text_add(out, bytes->data, bytes->length);
}

void dr_write_glb(dr_text *out, const dr_frame *frame)
{
    dr_text document;
    writing writing = {0};
    dr_text *texts[] = {&document, &writing.views, &writing.accessors, &writing.bytes};
    for (int i = 0; i < 4; i++) dr_text_open(texts[i], out->allocator);
    dr_json_open(&writing.json, &document);
    dr_json_open(&writing.view_list, &writing.views);
    dr_json_open(&writing.accessor_list, &writing.accessors);
    dr_json_list(&writing.view_list, NULL);
    dr_json_list(&writing.accessor_list, NULL);
    put_document(&writing, frame);
    for (int i = 0; i < 4; i++) out->failed |= texts[i]->failed;
    if (!out->failed) put_chunks(out, &document, &writing.bytes);
    for (int i = 0; i < 4; i++) dr_text_close(texts[i]);
}
