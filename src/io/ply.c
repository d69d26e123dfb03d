// PLY: a header of text that names elements and their properties, then the elements one after the other, as text or as
// bytes of either order. Faces are gone through twice: to count triangles, then to read them.
#include "io/ply.h"

#include "io/polygon.h"
#include "io/polyline.h"
#include "io/scan.h"

#include <string.h>

#define ELEMENTS   16
#define PROPERTIES 128
#define COLUMNS    8 // numbers of an item that may be asked for

typedef enum encoding { TEXT, LITTLE, BIG } encoding;
typedef enum number { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, NUMBERS } number;

static const size_t number_bytes[NUMBERS] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct property {
    dr_word name;
    bool list;
    number count_type, type;
} property;

typedef struct element {
    dr_word name;
    size_t count;
    size_t first, property_count;
} element;

typedef struct reading {
    dr_scan scan;
    const char *data;
    dr_error *error;
    encoding encoding;
    size_t element_count, property_count;
    element elements[ELEMENTS];
    property properties[PROPERTIES];
    size_t vertex_count;
    double *vertices; // [vertex][width]
    size_t width;
    int radius, color, group, texture; // columns of the vertices, -1: none
    bool curves;                       // wanted instead of a mesh
    double *coordinates;               // [vertex][2] of the texture; NULL: none
    dr_polygons polygons;
    dr_polylines lines;
} reading;

static int shown(dr_word word)
{
    return (int)(word.length < 40 ? word.length : 40);
}

// ---- header

static bool find_number(dr_word word, number *type)
{
    static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < NUMBERS; i++)
        if (dr_word_is(word, names[i][0]) || dr_word_is(word, names[i][1])) {
            *type = (number)i;
            return true;
        }
    return false;
}

static dr_word next_word(reading *reading)
{
    return dr_scan_blanks(&reading->scan) ? dr_scan_word(&reading->scan) : (dr_word){reading->scan.at, 0};
}

static dr_status read_format(reading *reading)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    dr_word word = next_word(reading), version = next_word(reading);
    for (int i = 0; i < 3; i++)
        if (dr_word_is(word, names[i]) && dr_word_is(version, "1.0")) {
            reading->encoding = (encoding)i;
            return DR_STATUS_OK;
        }
    return dr_scan_error(&reading->scan, word.text, reading->error,
                         "format is \"%.*s %.*s\", not ascii, binary_little_endian or binary_big_endian 1.0",
                         shown(word), word.text, shown(version), version.text);
}

static dr_status read_element(reading *reading)
{
    dr_word name = next_word(reading), word = next_word(reading);
    int64_t count;
    if (!dr_word_integer(word, &count) || count < 0)
        return dr_scan_error(&reading->scan, word.text, reading->error, "\"%.*s\" is not a count", shown(word),
                             word.text);
    if (reading->element_count == ELEMENTS)
        return dr_scan_error(&reading->scan, name.text, reading->error, "more than %d elements", ELEMENTS);
    reading->elements[reading->element_count++] =
        (element){.name = name, .count = (size_t)count, .first = reading->property_count};
    return DR_STATUS_OK;
}

static dr_status read_property(reading *reading)
{
    dr_scan *scan = &reading->scan;
    dr_word word = next_word(reading);
    if (reading->element_count == 0)
        return dr_scan_error(scan, word.text, reading->error, "a property comes before the first element");
    if (reading->property_count == PROPERTIES)
        return dr_scan_error(scan, word.text, reading->error, "more than %d properties", PROPERTIES);
    property property = {.list = dr_word_is(word, "list")};
    if (property.list) {
        dr_word count_type = next_word(reading);
        if (!find_number(count_type, &property.count_type) || property.count_type >= FLOAT32)
            return dr_scan_error(scan, count_type.text, reading->error, "\"%.*s\" is not a type of integers",
                                 shown(count_type), count_type.text);
        word = next_word(reading);
    }
    if (!find_number(word, &property.type))
        return dr_scan_error(scan, word.text, reading->error, "\"%.*s\" is not a type of numbers", shown(word),
                             word.text);
    property.name = next_word(reading);
    if (property.name.length == 0)
        return dr_scan_error(scan, property.name.text, reading->error, "a property has no name");
    reading->properties[reading->property_count++] = property;
    reading->elements[reading->element_count - 1].property_count++;
    return DR_STATUS_OK;
}

static dr_status read_header(reading *reading)
{
    dr_scan *scan = &reading->scan;
    if (!dr_word_is(next_word(reading), "ply"))
        return dr_scan_error(scan, scan->line_start, reading->error, "does not begin with \"ply\"");
    bool format = false;
    for (dr_scan_next_line(scan); dr_scan_space(scan); dr_scan_next_line(scan)) {
        dr_word keyword = dr_scan_word(scan);
        dr_status status = DR_STATUS_OK;
        if (dr_word_is(keyword, "end_header")) {
            if (!format) return dr_scan_error(scan, keyword.text, reading->error, "the header names no format");
            dr_scan_next_line(scan);
            return DR_STATUS_OK;
        }
        if (dr_word_is(keyword, "format")) {
            status = read_format(reading);
            format = true;
        } else if (dr_word_is(keyword, "element")) {
            status = read_element(reading);
        } else if (dr_word_is(keyword, "property")) {
            status = read_property(reading);
        } else if (!dr_word_is(keyword, "comment") && !dr_word_is(keyword, "obj_info")) {
            return dr_scan_error(scan, keyword.text, reading->error, "\"%.*s\" does not belong into a header",
                                 shown(keyword), keyword.text);
        }
        if (status) return status;
    }
    return dr_scan_error(scan, scan->at, reading->error, "the header does not end");
}

// ---- values

static dr_status complain(reading *reading, const char *place, const char *what)
{
    if (reading->encoding == TEXT) return dr_scan_error(&reading->scan, place, reading->error, "%s", what);
    return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte %zu: %s", reading->scan.name,
                        (size_t)(place - reading->data), what);
}

static uint64_t gather_bytes(const char *at, size_t bytes, encoding encoding)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++) {
        size_t k = encoding == LITTLE ? bytes - 1 - i : i;
        bits = bits << 8 | (unsigned char)at[k];
    }
    return bits;
}

static double decode(uint64_t bits, number type)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case INT8:
        return (int8_t)bits;
    case INT16:
        return (int16_t)bits;
    case INT32:
        return (int32_t)low;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case FLOAT64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return (double)bits;
    }
}

// Where the next number begins.
static const char *next_place(reading *reading)
{
    if (reading->encoding == TEXT) dr_scan_space(&reading->scan);
    return reading->scan.at;
}

static dr_status read_number(reading *reading, number type, double *value)
{
    dr_scan *scan = &reading->scan;
    if (reading->encoding != TEXT) {
        size_t bytes = number_bytes[type];
        if ((size_t)(scan->end - scan->at) < bytes) return complain(reading, scan->at, "the file ends too early");
        *value = decode(gather_bytes(scan->at, bytes, reading->encoding), type);
        scan->at += bytes;
        return DR_STATUS_OK;
    }
    if (!dr_scan_space(scan)) return complain(reading, scan->at, "the file ends too early");
    dr_word word = dr_scan_word(scan);
    if (dr_word_real(word, value)) return DR_STATUS_OK;
    return dr_scan_error(scan, word.text, reading->error, "\"%.*s\" is not a number", shown(word), word.text);
}

// ---- elements

typedef struct wanted {
    const property *columns[COLUMNS]; // of a vertex or an edge, in the order of its row
    size_t count;
    const property *corners; // of a face
} wanted;

static const property *find_property(const reading *reading, const element *element, const char *name, bool list)
{
    for (size_t i = 0; i < element->property_count; i++) {
        const property *property = &reading->properties[element->first + i];
        if (property->list == list && dr_word_is(property->name, name)) return property;
    }
    return NULL;
}

static dr_status read_coordinate(reading *reading, const property *property, double *value)
{
    const char *place = next_place(reading);
    dr_status status = read_number(reading, property->type, value);
    if (status) return status;
    if (*value >= -DR_SCAN_LARGEST && *value <= DR_SCAN_LARGEST) return DR_STATUS_OK;
    return complain(reading, place, "a coordinate is not finite or too large");
}

static dr_status read_corner(reading *reading, number type)
{
    const char *place = next_place(reading);
    double value;
    dr_status status = read_number(reading, type, &value);
    if (status) return status;
    if (!(value >= 0.0 && value < (double)reading->vertex_count) || value != (double)(uint32_t)value)
        return complain(reading, place, "a face names a vertex that does not exist");
    dr_polygon_add(&reading->polygons, (uint32_t)value, (uint32_t)value);
    return DR_STATUS_OK;
}

static dr_status read_list(reading *reading, const property *property, bool corners)
{
    const char *place = next_place(reading);
    double count, ignored;
    dr_status status = read_number(reading, property->count_type, &count);
    if (status) return status;
    if (!(count >= 0.0 && count <= (double)(reading->scan.end - reading->scan.at)) || count != (double)(size_t)count)
        return complain(reading, place, "the length of a list is wrong");
    if (corners) dr_polygon_begin(&reading->polygons);
    for (size_t i = 0; i < (size_t)count && !status; i++)
        status = corners ? read_corner(reading, property->type) : read_number(reading, property->type, &ignored);
    return status;
}

static dr_status read_item(reading *reading, const element *element, const wanted *wanted, double *row)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; i < element->property_count && !status; i++) {
        const property *property = &reading->properties[element->first + i];
        double ignored;
        if (property->list) {
            status = read_list(reading, property, property == wanted->corners);
            continue;
        }
        size_t column = 0;
        while (column < wanted->count && wanted->columns[column] != property) column++;
        status = column < wanted->count ? read_coordinate(reading, property, &row[column])
                                        : read_number(reading, property->type, &ignored);
    }
    return status;
}

// Every number takes a byte at least; text takes a blank as well, except at the very end.
static dr_status check_count(reading *reading, const element *element)
{
    size_t least = 0, left = (size_t)(reading->scan.end - reading->scan.at);
    for (size_t i = 0; i < element->property_count; i++) {
        const property *property = &reading->properties[element->first + i];
        least += reading->encoding == TEXT ? 2 : number_bytes[property->list ? property->count_type : property->type];
    }
    if (least == 0 || element->count <= (left + 1) / least) return DR_STATUS_OK;
    return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                        "%s: the header announces %zu of element \"%.*s\", more than the file has room for",
                        reading->scan.name, element->count, shown(element->name), element->name.text);
}

static int add_column(wanted *wanted, const property *property)
{
    if (!property) return -1;
    wanted->columns[wanted->count] = property;
    return (int)wanted->count++;
}

static int add_first(const reading *reading, const element *element, wanted *wanted, const char *const *names)
{
    int column = -1;
    for (; *names && column < 0; names++) column = add_column(wanted, find_property(reading, element, *names, false));
    return column;
}

// What curves need to know of their vertices besides the position.
static void add_curve_columns(reading *reading, const element *element, wanted *wanted)
{
    static const char *const radii[] = {"radius", "ra", NULL}, *const groups[] = {"curve", "strand", "segment", NULL};
    reading->radius = add_first(reading, element, wanted, radii);
    reading->group = add_first(reading, element, wanted, groups);
    const property *red = find_property(reading, element, "red", false);
    const property *green = find_property(reading, element, "green", false);
    const property *blue = find_property(reading, element, "blue", false);
    reading->color = -1;
    if (!red || !green || !blue) return;
    reading->color = add_column(wanted, red);
    add_column(wanted, green);
    add_column(wanted, blue);
}

// What programs call texture coordinates.
static void add_texture_columns(reading *reading, const element *element, wanted *wanted)
{
    static const char *const names[][2] = {
        {"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}, {"texture_s", "texture_t"}};
    reading->texture = -1;
    for (int i = 0; i < 4 && reading->texture < 0; i++) {
        const property *u = find_property(reading, element, names[i][0], false);
        const property *v = find_property(reading, element, names[i][1], false);
        if (!u || !v) continue;
        reading->texture = add_column(wanted, u);
        add_column(wanted, v);
    }
}

// Vertices of a mesh are [vertex][3], with texture coordinates apart.
static dr_status take_texture_apart(reading *reading, size_t count, dr_arena *arena)
{
    reading->coordinates = dr_arena_alloc(arena, 2 * count * sizeof *reading->coordinates + 1);
    if (!reading->coordinates) return dr_error_memory(reading->error, "reading a PLY file");
    for (size_t v = 0; v < count; v++) {
        const double *row = reading->vertices + reading->width * v;
        for (size_t a = 0; a < 2; a++) reading->coordinates[2 * v + a] = row[(size_t)reading->texture + a];
        memmove(reading->vertices + 3 * v, row, 3 * sizeof *row);
    }
    reading->width = 3;
    return DR_STATUS_OK;
}

static dr_status read_vertices(reading *reading, const element *element, dr_arena *arena)
{
    static const char *const names[] = {"x", "y", "z"};
    wanted wanted = {0};
    for (int i = 0; i < 3; i++) {
        if (add_column(&wanted, find_property(reading, element, names[i], false)) < 0)
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: its vertices have no property \"%s\"",
                                reading->scan.name, names[i]);
    }
    if (reading->curves)
        add_curve_columns(reading, element, &wanted);
    else
        add_texture_columns(reading, element, &wanted);
    reading->width = wanted.count;
    reading->vertices = dr_arena_alloc(arena, wanted.count * element->count * sizeof *reading->vertices);
    if (!reading->vertices) return dr_error_memory(reading->error, "reading a PLY file");
    dr_status status = DR_STATUS_OK;
    for (size_t v = 0; v < element->count && !status; v++)
        status = read_item(reading, element, &wanted, reading->vertices + wanted.count * v);
    return status || reading->texture < 0 ? status : take_texture_apart(reading, element->count, arena);
}

static dr_status read_edges(reading *reading, const element *element, dr_arena *arena)
{
    static const char *const names[] = {"vertex1", "vertex2"};
    wanted wanted = {0};
    for (int i = 0; i < 2; i++) {
        if (add_column(&wanted, find_property(reading, element, names[i], false)) < 0)
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: its edges have no property \"%s\"",
                                reading->scan.name, names[i]);
    }
    if (!dr_polyline_open(&reading->lines, element->count, 2 * element->count, arena))
        return dr_error_memory(reading->error, "reading a PLY file");
    for (size_t e = 0; e < element->count; e++) {
        const char *place = next_place(reading);
        double ends[2];
        dr_status status = read_item(reading, element, &wanted, ends);
        if (status) return status;
        for (int i = 0; i < 2; i++)
            if (!(ends[i] >= 0.0 && ends[i] < (double)reading->vertex_count) || ends[i] != (double)(uint32_t)ends[i])
                return complain(reading, place, "an edge names a vertex that does not exist");
        dr_polyline_join(&reading->lines, (uint32_t)ends[0], (uint32_t)ends[1]);
    }
    return DR_STATUS_OK;
}

// Vertices that follow each other with the same number are one curve.
static dr_status group_vertices(reading *reading, dr_arena *arena)
{
    if (reading->group < 0)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                            "%s: holds no edges, and its vertices have no property \"curve\"", reading->scan.name);
    if (!dr_polyline_open(&reading->lines, reading->vertex_count, reading->vertex_count, arena))
        return dr_error_memory(reading->error, "reading a PLY file");
    double last = 0.0;
    for (size_t v = 0; v < reading->vertex_count; v++) {
        double number = reading->vertices[reading->width * v + (size_t)reading->group];
        if (v == 0 || number != last) dr_polyline_begin(&reading->lines);
        dr_polyline_add(&reading->lines, (uint32_t)v);
        last = number;
    }
    return DR_STATUS_OK;
}

static dr_status read_items(reading *reading, const element *element, const wanted *wanted)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; i < element->count && !status && element->property_count; i++)
        status = read_item(reading, element, wanted, NULL);
    return status;
}

static dr_status read_faces(reading *reading, const element *element, dr_arena *arena)
{
    wanted wanted = {.corners = find_property(reading, element, "vertex_indices", true)};
    if (!wanted.corners) wanted.corners = find_property(reading, element, "vertex_index", true);
    if (!wanted.corners)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: its faces have no list \"vertex_indices\"",
                            reading->scan.name);
    dr_scan start = reading->scan;
    dr_status status = read_items(reading, element, &wanted);
    if (status) return status;
    reading->polygons.triangles = dr_arena_alloc(arena, 3 * reading->polygons.count * sizeof(uint32_t));
    if (!reading->polygons.triangles) return dr_error_memory(reading->error, "reading a PLY file");
    reading->polygons.texture = dr_arena_alloc(arena, 3 * reading->polygons.count * sizeof(uint32_t) + 1);
    if (!reading->polygons.texture) return dr_error_memory(reading->error, "reading a PLY file");
    reading->polygons.count = 0;
    reading->scan = start;
    return read_items(reading, element, &wanted);
}

static dr_status read_elements(reading *reading, dr_arena *arena)
{
    for (size_t i = 0; i < reading->element_count; i++) {
        const element *element = &reading->elements[i];
        dr_status status = check_count(reading, element);
        if (status) return status;
        if (dr_word_is(element->name, "vertex") && !reading->vertices)
            status = read_vertices(reading, element, arena);
        else if (dr_word_is(element->name, "face") && !reading->polygons.triangles && !reading->curves)
            status = read_faces(reading, element, arena);
        else if (dr_word_is(element->name, "edge") && element->count && !reading->lines.first && reading->curves)
            status = read_edges(reading, element, arena);
        else
            status = read_items(reading, element, &(wanted){0});
        if (status) return status;
    }
    return DR_STATUS_OK;
}

static dr_status read_body(reading *reading, dr_arena *arena)
{
    for (size_t i = reading->element_count; i-- > 0;)
        if (dr_word_is(reading->elements[i].name, "vertex")) reading->vertex_count = reading->elements[i].count;
    if (reading->vertex_count > UINT32_MAX)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: more vertices than 32 bits can number",
                            reading->scan.name);
    return read_elements(reading, arena);
}

dr_status dr_ply_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                       dr_error *error)
{
    reading reading = {.data = data, .error = error, .texture = -1};
    dr_scan_open(&reading.scan, data, bytes, name);
    dr_status status = read_header(&reading);
    if (!status) status = read_body(&reading, arena);
    if (status) return status;
    return dr_polygon_finish(&reading.polygons, reading.vertices, reading.vertex_count, reading.coordinates, arena,
                             name, mesh, error);
}

// Colours of bytes go to 255, others to 1.
static double color_scale(const reading *reading)
{
    for (size_t i = 0; i < reading->property_count; i++)
        if (dr_word_is(reading->properties[i].name, "red")) return reading->properties[i].type == UINT8 ? 1 / 255.0 : 1;
    return 1.0;
}

dr_status dr_ply_parse_curves(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                              dr_error *error)
{
    reading reading = {
        .data = data, .error = error, .curves = true, .radius = -1, .color = -1, .group = -1, .texture = -1};
    dr_scan_open(&reading.scan, data, bytes, name);
    dr_status status = read_header(&reading);
    if (!status) status = read_body(&reading, arena);
    if (!status && !reading.lines.first) status = group_vertices(&reading, arena);
    if (status) return status;
    dr_vertex_rows rows = {.rows = reading.vertices,
                           .width = reading.width,
                           .radius = reading.radius,
                           .color = reading.color,
                           .color_scale = color_scale(&reading)};
    return dr_polyline_finish(&reading.lines, &rows, name, arena, curves, error);
}
