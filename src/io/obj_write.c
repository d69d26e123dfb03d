// OBJ text: v, vt and vn where there are texture coordinates and normals, then p for points, l for curves, f for
// triangles.
#include "io/write.h"

static void put_vectors(dr_text *out, const char *keyword, const dr_frame_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        dr_text_put(out, keyword);
        for (int c = 0; c < array->components; c++) {
            dr_text_put(out, " ");
            dr_put_decimal(out, dr_write_number(array, i, c));
        }
        dr_text_put(out, "\n");
    }
}

static void put_curves(dr_text *out, const dr_frame_part *part)
{
    for (size_t s = 0; s < part->element_count; s++) {
        if (part->index[s + 1] - part->index[s] < 2) continue;
        dr_text_put(out, "l");
        for (uint32_t v = part->index[s]; v < part->index[s + 1]; v++) {
            dr_text_put(out, " ");
            dr_put_integer(out, (int64_t)v + 1);
        }
        dr_text_put(out, "\n");
    }
}

static void put_corner(dr_text *out, int64_t vertex, bool textured, bool normals)
{
    dr_text_put(out, " ");
    dr_put_integer(out, vertex);
    if (textured || normals) dr_text_put(out, "/");
    if (textured) dr_put_integer(out, vertex);
    if (!normals) return;
    dr_text_put(out, "/");
    dr_put_integer(out, vertex);
}

static void put_triangles(dr_text *out, const dr_frame_part *part, bool textured, bool normals)
{
    for (size_t t = 0; t < part->element_count; t++) {
        dr_text_put(out, "f");
        for (size_t i = 3 * t; i < 3 * t + 3; i++) put_corner(out, (int64_t)part->index[i] + 1, textured, normals);
        dr_text_put(out, "\n");
    }
}

static void put_points(dr_text *out, size_t count)
{
    for (size_t v = 1; v <= count; v++) {
        dr_text_put(out, "p ");
        dr_put_integer(out, (int64_t)v);
        dr_text_put(out, "\n");
    }
}

static const dr_frame_array *find_of_corners(const dr_frame_part *part, const char *name, int components)
{
    const dr_frame_array *array = dr_frame_find(part, name);
    bool good = array && array->components == components && dr_write_is_per_point(part, array) &&
                part->kind == DR_FRAME_TRIANGLES;
    return good ? array : NULL;
}

void dr_write_obj(dr_text *out, const dr_frame_part *part, const dr_write_space *space)
{
    const dr_frame_array *normal = find_of_corners(part, "normal", 3);
    const dr_frame_array *texture = find_of_corners(part, "coordinates", 2);
    dr_text_print(out, "# drench: %s in %s, %c up\no %s\n", part->name, space->unit, space->z_up ? 'z' : 'y',
                  part->name);
    put_vectors(out, "v", dr_frame_find(part, "position"));
    if (texture) put_vectors(out, "vt", texture);
    if (normal) put_vectors(out, "vn", normal);
    if (part->kind == DR_FRAME_POINTS) put_points(out, part->point_count);
    if (part->kind == DR_FRAME_CURVES) put_curves(out, part);
    if (part->kind == DR_FRAME_TRIANGLES) put_triangles(out, part, texture != NULL, normal != NULL);
}
