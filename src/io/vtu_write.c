// VTK's XML files of unstructured grids (.vtu), the data raw at the end: each block is its length in 64 bits and its
// bytes. Points are cells of one vertex, curves are polylines. A collection (.pvd) lists files with their times.
#include "io/write.h"

enum { VERTEX = 1, POLY_LINE = 4, TRIANGLE = 5 };

typedef struct writing {
    dr_text *out;
    const dr_frame_part *part;
    uint64_t offset; // of the next block in the data
} writing;

static size_t cell_count(const dr_frame_part *part)
{
    return part->kind == DR_FRAME_POINTS ? part->point_count : part->element_count;
}

static size_t corner_count(const dr_frame_part *part)
{
    return part->kind == DR_FRAME_TRIANGLES ? 3 * part->element_count : part->point_count;
}

static size_t array_bytes(const dr_frame_array *array)
{
    return array->count * (size_t)array->components * dr_type_bytes(array->type);
}

// ---- the description

static void put_escaped(dr_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            dr_text_put(out, "&amp;");
        else if (*text == '<')
            dr_text_put(out, "&lt;");
        else if (*text == '"')
            dr_text_put(out, "&quot;");
        else
            dr_text_add(out, text, 1);
    }
}

static void describe(writing *writing, const char *type, const char *name, int components, size_t bytes)
{
    dr_text_print(writing->out, "<DataArray type=\"%s\" Name=\"", type);
    put_escaped(writing->out, name);
    dr_text_print(writing->out, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n", components,
                  (unsigned long long)writing->offset);
    writing->offset += 8 + bytes;
}

static void describe_array(writing *writing, const dr_frame_array *array)
{
    static const char *const types[] = {"UInt8", "Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    describe(writing, types[array->type], array->name, array->components, array_bytes(array));
}

static bool is_position(const dr_frame_array *array)
{
    return strcmp(array->name, "position") == 0;
}

static void describe_arrays(writing *writing, bool per_point)
{
    const dr_frame_part *part = writing->part;
    for (int i = 0; i < part->array_count; i++)
        if (dr_write_is_per_point(part, &part->arrays[i]) == per_point && !is_position(&part->arrays[i]))
            describe_array(writing, &part->arrays[i]);
}

static void put_description(writing *writing, double time)
{
    dr_text *out = writing->out;
    const dr_frame_part *part = writing->part;
    dr_text_put(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n"
                     "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
    char number[DR_NUMBER_ROOM];
    dr_text_add(out, number, (size_t)dr_number_print(number, time));
    dr_text_print(out, "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n",
                  part->point_count, cell_count(part));
    describe_array(writing, dr_frame_find(part, "position"));
    dr_text_put(out, "</Points>\n<Cells>\n");
    describe(writing, "UInt32", "connectivity", 1, 4 * corner_count(part));
    describe(writing, "UInt32", "offsets", 1, 4 * cell_count(part));
    describe(writing, "UInt8", "types", 1, cell_count(part));
    dr_text_put(out, "</Cells>\n<PointData>\n");
    describe_arrays(writing, true);
    dr_text_put(out, "</PointData>\n<CellData>\n");
    describe_arrays(writing, false);
    dr_text_put(out, "</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

// ---- the data

static void put_block(dr_text *out, const void *data, size_t bytes)
{
    dr_put_u64(out, bytes);
    dr_put_bytes(out, data, bytes);
}

static void put_cells(dr_text *out, const dr_frame_part *part)
{
    static const char types[] = {VERTEX, POLY_LINE, TRIANGLE};
    size_t cells = cell_count(part), corners = corner_count(part);
    dr_put_u64(out, 4 * corners);
    for (size_t i = 0; i < corners; i++)
        dr_put_u32(out, part->kind == DR_FRAME_TRIANGLES ? part->index[i] : (uint32_t)i);
    dr_put_u64(out, 4 * cells);
    for (size_t i = 0; i < cells; i++) {
        uint32_t end = (uint32_t)(part->kind == DR_FRAME_TRIANGLES ? 3 * i + 3 : i + 1);
        dr_put_u32(out, part->kind == DR_FRAME_CURVES ? part->index[i + 1] : end);
    }
    dr_put_u64(out, cells);
    for (size_t i = 0; i < cells; i++) dr_text_add(out, &types[part->kind], 1);
}

static void put_arrays(dr_text *out, const dr_frame_part *part, bool per_point)
{
    for (int i = 0; i < part->array_count; i++) {
        const dr_frame_array *array = &part->arrays[i];
        if (dr_write_is_per_point(part, array) == per_point && !is_position(array))
            put_block(out, array->data, array_bytes(array));
    }
}

void dr_write_vtu(dr_text *out, const dr_frame_part *part, double time)
{
    writing writing = {.out = out, .part = part};
    const dr_frame_array *position = dr_frame_find(part, "position");
    put_description(&writing, time);
    put_block(out, position->data, array_bytes(position));
    put_cells(out, part);
    put_arrays(out, part, true);
    put_arrays(out, part, false);
    dr_text_put(out, "\n</AppendedData>\n</VTKFile>\n");
}

void dr_write_pvd_row(dr_text *out, double time, const char *file)
{
    char number[DR_NUMBER_ROOM];
    dr_number_print(number, time);
    dr_text_print(out, "<DataSet timestep=\"%s\" part=\"0\" file=\"", number);
    put_escaped(out, file);
    dr_text_put(out, "\"/>\n");
}
