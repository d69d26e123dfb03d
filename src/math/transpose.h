// From numbers side by side in every item to lanes of items, four by four, and back.
#ifndef DR_MATH_TRANSPOSE_H
#define DR_MATH_TRANSPOSE_H

#include "math/simd.h"

DR_INLINE void dr_transpose_float4(dr_float4 v[4])
{
    dr_float4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), b = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    dr_float4 c = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5), d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

DR_INLINE void dr_transpose_double4(dr_double4 v[4])
{
    dr_double4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6), b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    dr_double4 c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6), d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

DR_INLINE dr_double4 dr_double4_load3(const double *from)
{
    typedef double pair __attribute__((vector_size(16)));
    pair low, high = {from[2], 0.0};
    memcpy(&low, from, sizeof low);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

DR_INLINE void dr_double4_store3(double *to, dr_double4 v)
{
    memcpy(to, &v, 2 * sizeof *to);
    to[2] = v[2];
}

// Lanes: the first, second, third and fourth number of as many items as there are lanes.
DR_INLINE void dr_lanes_from_doubles(const dr_double4 item[DR_LANES], dr_lanes out[4])
{
    double all[4][DR_LANES];
    for (int l = 0; l < DR_LANES; l += 4) {
        dr_double4 v[4] = {item[l], item[l + 1], item[l + 2], item[l + 3]};
        dr_transpose_double4(v);
        for (int i = 0; i < 4; i++) memcpy(all[i] + l, &v[i], sizeof v[i]);
    }
    for (int i = 0; i < 4; i++) out[i] = dr_lanes_load(all[i]);
}

DR_INLINE void dr_lanes_from_floats(const dr_float4 item[DR_LANES], dr_lanes out[4])
{
    float all[4][DR_LANES];
    for (int l = 0; l < DR_LANES; l += 4) {
        dr_float4 v[4] = {item[l], item[l + 1], item[l + 2], item[l + 3]};
        dr_transpose_float4(v);
        for (int i = 0; i < 4; i++) memcpy(all[i] + l, &v[i], sizeof v[i]);
    }
    for (int i = 0; i < 4; i++) out[i] = dr_lanes_widen(all[i]);
}

// And back.
DR_INLINE void dr_lanes_to_doubles(const dr_lanes in[4], dr_double4 item[DR_LANES])
{
    double all[4][DR_LANES];
    for (int i = 0; i < 4; i++) dr_lanes_store(all[i], in[i]);
    for (int l = 0; l < DR_LANES; l += 4) {
        for (int i = 0; i < 4; i++) memcpy(&item[l + i], all[i] + l, sizeof *item);
        dr_transpose_double4(item + l);
    }
}

DR_INLINE void dr_lanes_to_floats(const dr_lanes in[4], dr_float4 item[DR_LANES])
{
    float all[4][DR_LANES];
    for (int i = 0; i < 4; i++) dr_lanes_narrow(all[i], in[i]);
    for (int l = 0; l < DR_LANES; l += 4) {
        for (int i = 0; i < 4; i++) memcpy(&item[l + i], all[i] + l, sizeof *item);
        dr_transpose_float4(item + l);
    }
}

#endif
