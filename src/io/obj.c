// OBJ text. A first pass counts vertices and corners, so that memory is taken once; the second reads.
#include "io/obj.h"

#include "io/polygon.h"
#include "io/polyline.h"
#include "io/scan.h"

#include <string.h>

typedef struct counts {
    size_t vertices, coordinates, groups, triangles, lines, line_corners;
} counts;

typedef struct reading {
    dr_scan scan;
    dr_error *error;
    counts total;
    double *vertices;
    double *coordinates;                                // [][2] of the texture; NULL: not wanted
    const char **groups;                                // NULL: not wanted
    size_t vertex_count, coordinate_count, group_count; // read so far
    dr_arena *arena;
    dr_polygons polygons;
    dr_polylines lines;
} reading;

static size_t count_words(dr_scan *scan)
{
    size_t count = 0;
    while (dr_scan_blanks(scan)) {
        dr_scan_word(scan);
        count++;
    }
    return count;
}

static counts count_all(dr_scan scan)
{
    counts total = {0};
    while (dr_scan_space(&scan)) {
        dr_word keyword = dr_scan_word(&scan);
        if (dr_word_is(keyword, "v")) total.vertices++;
        if (dr_word_is(keyword, "vt")) total.coordinates++;
        if (dr_word_is(keyword, "g")) total.groups++;
        if (dr_word_is(keyword, "l")) {
            total.lines++;
            total.line_corners += count_words(&scan);
        }
        if (dr_word_is(keyword, "f")) {
            size_t corners = count_words(&scan);
            total.triangles += corners > 2 ? corners - 2 : 0;
        }
        while (dr_scan_blanks(&scan)) dr_scan_word(&scan);
    }
    return total;
}

static dr_status read_coordinate(reading *reading, double *value)
{
    dr_word word = dr_scan_word(&reading->scan);
    if (dr_word_real(word, value) && *value >= -DR_SCAN_LARGEST && *value <= DR_SCAN_LARGEST) return DR_STATUS_OK;
    return dr_scan_error(&reading->scan, word.text, reading->error, "\"%.*s\" is not a coordinate",
                         (int)(word.length < 40 ? word.length : 40), word.text);
}

static dr_status read_vertex(reading *reading)
{
    dr_scan *scan = &reading->scan;
    double *vertex = reading->vertices + 3 * reading->vertex_count;
    for (int i = 0; i < 3; i++) {
        const char *place = scan->at;
        if (!dr_scan_blanks(scan))
            return dr_scan_error(scan, place, reading->error, "a vertex needs three coordinates, this has %d", i);
        dr_status status = read_coordinate(reading, &vertex[i]);
        if (status) return status;
    }
    reading->vertex_count++;
    return DR_STATUS_OK;
}

// v is 0 where it is left out.
static dr_status read_texture(reading *reading)
{
    double *coordinates = reading->coordinates + 2 * reading->coordinate_count++;
    coordinates[0] = coordinates[1] = 0.0;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < 2 && !status && dr_scan_blanks(&reading->scan); i++)
        status = read_coordinate(reading, &coordinates[i]);
    return status;
}

// The names of a line, with single blanks between them.
static dr_status read_group(reading *reading)
{
    dr_scan ahead = reading->scan;
    size_t length = 1, end = 0;
    while (dr_scan_blanks(&ahead)) length += dr_scan_word(&ahead).length + 1;
    char *names = dr_arena_alloc(reading->arena, length);
    if (!names) return dr_error_memory(reading->error, "reading an OBJ file");
    while (dr_scan_blanks(&reading->scan)) {
        dr_word word = dr_scan_word(&reading->scan);
        if (end) names[end++] = ' ';
        memcpy(names + end, word.text, word.length);
        end += word.length;
    }
    reading->polygons.in_group = (uint32_t)reading->group_count;
    reading->groups[reading->group_count++] = names;
    return DR_STATUS_OK;
}

// "7", "7/1", "7//3", "-1/2/3": the number before the first slash and, 0 where there is none, the one after it.
static bool corner_index(dr_word word, int64_t *index, int64_t *texture)
{
    size_t length = 0;
    while (length < word.length && word.text[length] != '/') length++;
    for (size_t i = length; i < word.length; i++) {
        char c = word.text[i];
        if (c != '/' && c != '-' && (c < '0' || c > '9')) return false;
    }
    size_t second = length + 1, end = second;
    while (end < word.length && word.text[end] != '/') end++;
    if (end <= second || !dr_word_integer((dr_word){word.text + second, end - second}, texture)) *texture = 0;
    return dr_word_integer((dr_word){word.text, length}, index);
}

// Coordinates that the file does not have are none.
static uint32_t texture_at(const reading *reading, int64_t index)
{
    int64_t at = index < 0 ? (int64_t)reading->coordinate_count + index : index - 1;
    return index != 0 && at >= 0 && at < (int64_t)reading->total.coordinates ? (uint32_t)at : DR_NO_TEXTURE;
}

static dr_status read_corner(reading *reading, uint32_t *corner, uint32_t *texture)
{
    dr_scan *scan = &reading->scan;
    dr_word word = dr_scan_word(scan);
    int64_t index, second, count = (int64_t)reading->total.vertices;
    int shown = (int)(word.length < 40 ? word.length : 40);
    if (!corner_index(word, &index, &second))
        return dr_scan_error(scan, word.text, reading->error, "\"%.*s\" is not a corner of a face or line", shown,
                             word.text);
    int64_t vertex = index < 0 ? (int64_t)reading->vertex_count + index : index - 1;
    if (index == 0 || vertex < 0 || vertex >= count)
        return dr_scan_error(scan, word.text, reading->error,
                             "corner \"%.*s\" names a vertex that does not exist (there are %lld, counted from 1)",
                             shown, word.text, (long long)count);
    *corner = (uint32_t)vertex;
    *texture = texture_at(reading, second);
    return DR_STATUS_OK;
}

static dr_status read_face(reading *reading)
{
    dr_scan *scan = &reading->scan;
    const char *place = scan->at;
    dr_polygon_begin(&reading->polygons);
    while (dr_scan_blanks(scan)) {
        uint32_t corner = 0, texture = 0;
        dr_status status = read_corner(reading, &corner, &texture);
        if (status) return status;
        dr_polygon_add(&reading->polygons, corner, texture);
    }
    if (reading->polygons.corners >= 3) return DR_STATUS_OK;
    return dr_scan_error(scan, place, reading->error, "a face needs at least three corners, this has %zu",
                         reading->polygons.corners);
}

static dr_status read_segment(reading *reading)
{
    uint32_t from = 0, to = 0, texture;
    dr_scan_blanks(&reading->scan);
    dr_status status = read_corner(reading, &from, &texture);
    dr_scan_blanks(&reading->scan);
    if (!status) status = read_corner(reading, &to, &texture);
    if (!status) dr_polyline_join(&reading->lines, from, to);
    return status;
}

static dr_status read_line(reading *reading)
{
    dr_scan ahead = reading->scan;
    size_t count = count_words(&ahead);
    if (count < 2)
        return dr_scan_error(&reading->scan, reading->scan.at, reading->error,
                             "a line needs at least two points, this has %zu", count);
    if (count == 2) return read_segment(reading);
    dr_polyline_begin(&reading->lines);
    dr_status status = DR_STATUS_OK;
    while (!status && dr_scan_blanks(&reading->scan)) {
        uint32_t corner = 0, texture;
        status = read_corner(reading, &corner, &texture);
        dr_polyline_add(&reading->lines, corner);
    }
    return status;
}

static dr_status read_all(reading *reading)
{
    dr_scan *scan = &reading->scan;
    while (dr_scan_space(scan)) {
        dr_word keyword = dr_scan_word(scan);
        dr_status status = DR_STATUS_OK;
        if (dr_word_is(keyword, "v"))
            status = read_vertex(reading);
        else if (reading->coordinates && dr_word_is(keyword, "vt"))
            status = read_texture(reading);
        else if (reading->groups && dr_word_is(keyword, "g"))
            status = read_group(reading);
        else if (reading->polygons.triangles && dr_word_is(keyword, "f"))
            status = read_face(reading);
        else if (reading->lines.first && dr_word_is(keyword, "l"))
            status = read_line(reading);
        if (status) return status;
        while (dr_scan_blanks(scan)) dr_scan_word(scan);
    }
    return DR_STATUS_OK;
}

static dr_status open_reading(reading *reading, const char *data, size_t bytes, const char *name, dr_arena *arena,
                              dr_error *error)
{
    *reading = (struct reading){.error = error, .arena = arena, .polygons = {.in_group = DR_NO_GROUP}};
    dr_scan_open(&reading->scan, data, bytes, name);
    reading->total = count_all(reading->scan);
    if (reading->total.vertices > UINT32_MAX)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: more vertices than 32 bits can number", name);
    reading->vertices = dr_arena_alloc(arena, 3 * reading->total.vertices * sizeof *reading->vertices);
    return reading->vertices ? DR_STATUS_OK : dr_error_memory(error, "reading an OBJ file");
}

static bool open_mesh(reading *reading)
{
    dr_polygons *polygons = &reading->polygons;
    size_t triangles = reading->total.triangles, coordinates = reading->total.coordinates,
           groups = reading->total.groups;
    polygons->triangles = dr_arena_alloc(reading->arena, 3 * triangles * sizeof(uint32_t));
    bool ok = polygons->triangles && coordinates < DR_NO_TEXTURE && groups < DR_NO_GROUP;
    if (ok && coordinates > 0) {
        polygons->texture = dr_arena_alloc(reading->arena, 3 * triangles * sizeof(uint32_t) + 1);
        reading->coordinates = dr_arena_alloc(reading->arena, 2 * coordinates * sizeof(double));
        ok = polygons->texture && reading->coordinates;
    }
    if (ok && groups > 0) {
        polygons->group = dr_arena_alloc(reading->arena, triangles * sizeof(uint32_t) + 1);
        reading->groups = dr_arena_alloc(reading->arena, groups * sizeof *reading->groups);
        ok = polygons->group && reading->groups;
    }
    return ok;
}

dr_status dr_obj_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_mesh_asset *mesh,
                       dr_error *error)
{
    reading reading;
    dr_status status = open_reading(&reading, data, bytes, name, arena, error);
    if (status) return status;
    if (reading.total.triangles == 0 && reading.total.lines > 0)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: holds %zu lines but no faces: curves, not a mesh", name,
                            reading.total.lines);
    if (!open_mesh(&reading)) return dr_error_memory(error, "reading an OBJ file");
    status = read_all(&reading);
    if (status) return status;
    mesh->groups = reading.groups;
    mesh->group_count = reading.group_count;
    return dr_polygon_finish(&reading.polygons, reading.vertices, reading.vertex_count, reading.coordinates, arena,
                             name, mesh, error);
}

dr_status dr_obj_parse_vertices(const char *data, size_t bytes, const char *name, dr_arena *arena, double **vertices,
                                size_t *count, dr_error *error)
{
    reading reading;
    dr_status status = open_reading(&reading, data, bytes, name, arena, error);
    if (!status) status = read_all(&reading);
    if (status) return status;
    *vertices = reading.vertices;
    *count = reading.vertex_count;
    return DR_STATUS_OK;
}

dr_status dr_obj_parse_curves(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                              dr_error *error)
{
    reading reading;
    dr_status status = open_reading(&reading, data, bytes, name, arena, error);
    if (status) return status;
    if (reading.total.lines == 0 && reading.total.triangles > 0)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: holds faces but no lines: a mesh, not curves", name);
    if (!dr_polyline_open(&reading.lines, reading.total.lines, reading.total.line_corners, arena))
        return dr_error_memory(error, "reading an OBJ file");
    status = read_all(&reading);
    dr_vertex_rows rows = {.rows = reading.vertices, .width = 3, .radius = -1, .color = -1};
    return status ? status : dr_polyline_finish(&reading.lines, &rows, name, arena, curves, error);
}
