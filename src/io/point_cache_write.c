// Point caches, the positions of a fixed number of points sample after sample. PC2 is little-endian: "POINTCACHE2\0",
// version 1, points, first frame, frames per sample, samples. MDD is big-endian: samples, points, the time of each
// sample.
#include "io/write.h"

void dr_write_pc2_header(dr_text *out, size_t points, double first_frame, double frame_step, size_t samples)
{
    dr_text_add(out, "POINTCACHE2", 12);
    dr_put_u32(out, 1);
    dr_put_u32(out, (uint32_t)points);
    dr_put_float(out, (float)first_frame);
    dr_put_float(out, (float)frame_step);
    dr_put_u32(out, (uint32_t)samples);
}

void dr_write_pc2_sample(dr_text *out, const dr_frame_part *part)
{
    const dr_frame_array *position = dr_frame_find(part, "position");
    for (size_t v = 0; v < part->point_count; v++) {
        float x[3];
        dr_write_position(position, v, x);
        dr_put_bytes(out, x, sizeof x);
    }
}

static void put_big(dr_text *out, uint32_t value)
{
    const char bytes[4] = {(char)(value >> 24), (char)(value >> 16 & 255), (char)(value >> 8 & 255),
                           (char)(value & 255)};
    dr_text_add(out, bytes, 4);
}

static void put_big_float(dr_text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_big(out, bits);
}

void dr_write_mdd_header(dr_text *out, size_t points, const double *times, size_t samples)
{
    put_big(out, (uint32_t)samples);
    put_big(out, (uint32_t)points);
    for (size_t i = 0; i < samples; i++) put_big_float(out, (float)times[i]);
}

void dr_write_mdd_sample(dr_text *out, const dr_frame_part *part)
{
    const dr_frame_array *position = dr_frame_find(part, "position");
    for (size_t v = 0; v < part->point_count; v++) {
        float x[3];
        dr_write_position(position, v, x);
        for (int i = 0; i < 3; i++) put_big_float(out, x[i]);
    }
}
