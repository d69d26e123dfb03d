// .bcc, Cem Yuksel's binary curve collections of yarns, little-endian: a header of 64 bytes ("BCC", sizes of numbers,
// type of curve, dimensions, up axis, curves, control points of all, a text); then each curve: how many control
// points, negative where the curve is closed, and these. A Catmull-Rom curve goes through its control points, and so
// does the polyline that is read here.
#include "io/bytes.h"
#include "io/curves.h"
#include "io/scan.h"

#define HEADER       64
#define NUMBER_SIZES 0x44 // integers and floats of four bytes

typedef struct reading {
    const char *data, *name;
    size_t bytes, at;
    dr_error *error;
    size_t curves, points;
    double *position;
    uint32_t *first;
    uint8_t *closed;
    bool any_closed;
} reading;

static bool is_known_type(const char *type)
{
    return type[0] == 'C' || (type[0] == 'P' && type[1] == 'L');
}

static dr_status check_header(const reading *reading)
{
    const char *data = reading->data, *name = reading->name;
    dr_error *error = reading->error;
    if (reading->bytes < HEADER || memcmp(data, "BCC", 3) != 0)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 0: does not begin as a .bcc file", name);
    if (data[3] != NUMBER_SIZES)
        return dr_error_add(error, DR_STATUS_BAD_SCENE,
                            "%s: byte 3: number sizes are 0x%02x; only 0x44, four bytes each, is read", name,
                            (unsigned)(unsigned char)data[3]);
    if (!is_known_type(data + 4))
        return dr_error_add(error, DR_STATUS_BAD_SCENE,
                            "%s: byte 4: the curves are neither Catmull-Rom (C.) nor polylines (PL)", name);
    if (data[6] != 3)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 6: points have %d dimensions, not 3", name, data[6]);
    return DR_STATUS_OK;
}

static dr_status read_header(reading *reading)
{
    dr_status status = check_header(reading);
    if (status) return status;
    uint64_t curves = dr_bytes_get(reading->data, 8, 8), points = dr_bytes_get(reading->data, 16, 8);
    size_t room = reading->bytes - HEADER;
    if (curves == 0 || points == 0)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte 8: holds no curves", reading->name);
    if (curves > room / 4 || points > (room - 4 * curves) / 12)
        return dr_error_add(
            reading->error, DR_STATUS_BAD_SCENE,
            "%s: byte %zu: the file ends too early: %llu curves of %llu points take more than its bytes", reading->name,
            reading->bytes, (unsigned long long)curves, (unsigned long long)points);
    if (points > UINT32_MAX)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte 16: more points than 32 bits can number",
                            reading->name);
    reading->curves = (size_t)curves;
    reading->points = (size_t)points;
    reading->at = HEADER;
    return DR_STATUS_OK;
}

static dr_status read_point(reading *reading, double *point)
{
    for (int i = 0; i < 3; i++, reading->at += 4) {
        point[i] = (double)dr_bytes_float(reading->data, reading->at);
        if (!(point[i] >= -DR_SCAN_LARGEST && point[i] <= DR_SCAN_LARGEST))
            return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                                "%s: byte %zu: a coordinate is not finite or too large", reading->name, reading->at);
    }
    return DR_STATUS_OK;
}

// The header left room for all curves and points together, so that a curve which stays within them is in the file.
static dr_status read_curve(reading *reading, size_t s)
{
    int32_t number = (int32_t)dr_bytes_word(reading->data, reading->at);
    size_t count = number < 0 ? (size_t) - (int64_t)number : (size_t)number, begin = reading->first[s];
    if (count < (number < 0 ? 3 : 2))
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: byte %zu: curve %zu has too few points: %d",
                            reading->name, reading->at, s, number);
    if (count > reading->points - begin)
        return dr_error_add(reading->error, DR_STATUS_BAD_SCENE,
                            "%s: byte %zu: curve %zu goes beyond the %zu points that the header announces",
                            reading->name, reading->at, s, reading->points);
    reading->at += 4;
    reading->closed[s] = number < 0;
    reading->any_closed |= number < 0;
    reading->first[s + 1] = (uint32_t)(begin + count);
    dr_status status = DR_STATUS_OK;
    for (size_t i = begin; i < begin + count && !status; i++) status = read_point(reading, reading->position + 3 * i);
    return status;
}

static dr_status read_curves(reading *reading)
{
    dr_status status = DR_STATUS_OK;
    for (size_t s = 0; s < reading->curves && !status; s++) status = read_curve(reading, s);
    if (status || reading->first[reading->curves] == reading->points) return status;
    return dr_error_add(reading->error, DR_STATUS_BAD_SCENE, "%s: the curves have %u points, the header says %zu",
                        reading->name, reading->first[reading->curves], reading->points);
}

dr_status dr_bcc_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_curve_asset *curves,
                       dr_error *error)
{
    reading reading = {.data = data, .name = name, .bytes = bytes, .error = error};
    dr_status status = read_header(&reading);
    if (status) return status;
    reading.position = dr_arena_alloc(arena, 3 * reading.points * sizeof *reading.position);
    reading.first = dr_arena_alloc(arena, (reading.curves + 1) * sizeof *reading.first);
    reading.closed = dr_arena_alloc(arena, reading.curves);
    if (!reading.position || !reading.first || !reading.closed) return dr_error_memory(error, "reading a .bcc file");
    status = read_curves(&reading);
    if (status) return status;
    *curves = (dr_curve_asset){.file = curves->file,
                               .curve_count = reading.curves,
                               .point_count = reading.points,
                               .points = reading.position,
                               .first = reading.first,
                               .closed = reading.any_closed ? reading.closed : NULL,
                               .up = data[7] >= 0 && data[7] < 3 ? data[7] : -1};
    return DR_STATUS_OK;
}
