// PLY, little-endian: element vertex with every array of the points, then face or edge. Integers of 64 bits, which PLY
// lacks, become doubles.
#include "io/write.h"

static const char *type_name(dr_type type)
{
    static const char *const names[] = {"uchar", "int", "uint", "double", "double", "float", "double"};
    return names[type];
}

static void put_property_name(dr_text *out, const dr_frame_array *array, int component)
{
    static const struct {
        const char *array, *names[3];
    } known[] = {{"position", {"x", "y", "z"}},
                 {"velocity", {"vx", "vy", "vz"}},
                 {"normal", {"nx", "ny", "nz"}},
                 {"color", {"red", "green", "blue"}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (array->components == 3 && strcmp(array->name, known[i].array) == 0) {
            dr_text_put(out, known[i].names[component]);
            return;
        }
    if (array->components == 2 && strcmp(array->name, "coordinates") == 0) {
        dr_text_put(out, component ? "t" : "s");
        return;
    }
    for (const char *at = array->name; *at; at++) dr_text_add(out, *at > ' ' ? at : "_", 1);
    if (array->components > 1) dr_text_print(out, "_%d", component);
}

static void put_properties(dr_text *out, const dr_frame_part *part, bool per_point)
{
    for (int n = 0; n < part->array_count; n++) {
        const dr_frame_array *array = &part->arrays[n];
        if (dr_write_is_per_point(part, array) != per_point) continue;
        for (int c = 0; c < array->components; c++) {
            dr_text_print(out, "property %s ", type_name(array->type));
            put_property_name(out, array, c);
            dr_text_put(out, "\n");
        }
    }
}

static void put_item(dr_text *out, const dr_frame_part *part, bool per_point, size_t item)
{
    for (int n = 0; n < part->array_count; n++) {
        const dr_frame_array *array = &part->arrays[n];
        if (dr_write_is_per_point(part, array) != per_point) continue;
        if (array->type == DR_TYPE_INT64 || array->type == DR_TYPE_UINT64) {
            for (int c = 0; c < array->components; c++) {
                double wide = dr_write_number(array, item, c);
                dr_put_bytes(out, &wide, sizeof wide);
            }
        } else {
            size_t bytes = dr_type_bytes(array->type) * (size_t)array->components;
            dr_put_bytes(out, (const char *)array->data + item * bytes, bytes);
        }
    }
}

static void put_faces(dr_text *out, const dr_frame_part *part)
{
    static const char corners = 3;
    for (size_t t = 0; t < part->element_count; t++) {
        dr_text_add(out, &corners, 1);
        dr_put_bytes(out, part->index + 3 * t, 3 * sizeof *part->index);
        put_item(out, part, false, t);
    }
}

static size_t count_edges(const dr_frame_part *part)
{
    size_t count = 0;
    for (size_t s = 0; s < part->element_count; s++) {
        size_t points = part->index[s + 1] - part->index[s];
        count += points > 1 ? points - 1 : 0;
    }
    return count;
}

static void put_edges(dr_text *out, const dr_frame_part *part)
{
    for (size_t s = 0; s < part->element_count; s++)
        for (uint32_t v = part->index[s]; v + 1 < part->index[s + 1]; v++) {
            dr_put_u32(out, v);
            dr_put_u32(out, v + 1);
            put_item(out, part, false, s);
        }
}

void dr_write_ply(dr_text *out, const dr_frame_part *part, const dr_write_space *space)
{
    dr_text_print(out, "ply\nformat binary_little_endian 1.0\ncomment drench: %s in %s, %c up\nelement vertex %zu\n",
                  part->name, space->unit, space->z_up ? 'z' : 'y', part->point_count);
    put_properties(out, part, true);
    if (part->kind == DR_FRAME_TRIANGLES) {
        dr_text_print(out, "element face %zu\nproperty list uchar uint vertex_indices\n", part->element_count);
        put_properties(out, part, false);
    } else if (part->kind == DR_FRAME_CURVES) {
        dr_text_print(out, "element edge %zu\nproperty uint vertex1\nproperty uint vertex2\n", count_edges(part));
        put_properties(out, part, false);
    }
    dr_text_put(out, "end_header\n");
    for (size_t v = 0; v < part->point_count; v++) put_item(out, part, true, v);
    if (part->kind == DR_FRAME_TRIANGLES) put_faces(out, part);
    if (part->kind == DR_FRAME_CURVES) put_edges(out, part);
}
