// PC2, little-endian: "POINTCACHE2\0", version 1, points, first frame, frames per sample, samples; then
// float[sample][point][3].
#include "io/pc2.h"

#include "io/bytes.h"
#include "io/scan.h"

#include <math.h>
#include <string.h>

#define HEADER 32

typedef struct header {
    uint32_t version, points, samples;
    double start, step;
} header;

static dr_status check_header(const header *header, size_t bytes, const char *name, dr_error *error)
{
    if (header->version != 1)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 12: version is %u, not 1", name, header->version);
    if (header->points == 0 || header->samples == 0 || header->points > INT32_MAX || header->samples > INT32_MAX)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 16: holds %u points in %u samples", name,
                            header->points, header->samples);
    if (!isfinite(header->start) || !(fabs(header->start) < 1e9) || !(header->step > 0.0 && header->step < 1e9))
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 20: starts at frame %g, every %g frames", name,
                            header->start, header->step);
    uint64_t room = (bytes - HEADER) / 12;
    if (header->points <= room / header->samples) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_SCENE,
                        "%s: byte %zu: the file ends too early: %u samples of %u points take more than its %zu bytes",
                        name, bytes, header->samples, header->points, bytes);
}

dr_status dr_pc2_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_sequence_asset *sequence,
                       dr_error *error)
{
    if (bytes < HEADER || memcmp(data, "POINTCACHE2", 12) != 0)
        return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte 0: does not begin as a PC2 point cache", name);
    header header = {.version = dr_bytes_word(data, 12),
                     .points = dr_bytes_word(data, 16),
                     .start = (double)dr_bytes_float(data, 20),
                     .step = (double)dr_bytes_float(data, 24),
                     .samples = dr_bytes_word(data, 28)};
    dr_status status = check_header(&header, bytes, name, error);
    if (status) return status;
    size_t numbers = (size_t)3 * header.points * header.samples;
    float *positions = dr_arena_alloc(arena, numbers * sizeof *positions);
    if (!positions) return dr_error_memory(error, "reading a PC2 file");
    for (size_t i = 0; i < numbers; i++) {
        positions[i] = dr_bytes_float(data, HEADER + 4 * i);
        if (!(fabs((double)positions[i]) <= DR_SCAN_LARGEST))
            return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: byte %zu: a coordinate is not finite or too large",
                                name, HEADER + 4 * i);
    }
    sequence->frame_count = header.samples;
    sequence->vertex_count = header.points;
    sequence->start_frame = header.start;
    sequence->frame_step = header.step;
    sequence->positions = positions;
    return DR_STATUS_OK;
}
