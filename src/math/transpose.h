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

// Lanes of fours, and fours of lanes.
#if DR_LANES == 8
DR_INLINE dr_lanes dr_lanes_join(const dr_double4 *four)
{
    return __builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 4, 5, 6, 7);
}

DR_INLINE dr_lanes_float dr_lanes_join_floats(const dr_float4 *four)
{
    return dr_float8_join(four[0], four[1]);
}

DR_INLINE dr_double4 dr_lanes_four(dr_lanes v, int n)
{
    return n ? __builtin_shufflevector(v, v, 4, 5, 6, 7) : __builtin_shufflevector(v, v, 0, 1, 2, 3);
}

DR_INLINE dr_float4 dr_lanes_four_floats(dr_lanes_float v, int n)
{
    return n ? dr_float8_high(v) : dr_float8_low(v);
}
#else
DR_INLINE dr_lanes dr_lanes_join(const dr_double4 *four)
{
    return four[0];
}

DR_INLINE dr_lanes_float dr_lanes_join_floats(const dr_float4 *four)
{
    return four[0];
}

DR_INLINE dr_double4 dr_lanes_four(dr_lanes v, int n)
{
    (void)n;
    return v;
}

DR_INLINE dr_float4 dr_lanes_four_floats(dr_lanes_float v, int n)
{
    (void)n;
    return v;
}
#endif

// Lanes: the first, second, third and fourth number of as many items as there are lanes.
DR_INLINE void dr_lanes_from_doubles(const dr_double4 item[DR_LANES], dr_lanes out[4])
{
    dr_double4 all[4][DR_LANES / 4];
    for (int n = 0; n < DR_LANES / 4; n++) {
        dr_double4 v[4] = {item[4 * n], item[4 * n + 1], item[4 * n + 2], item[4 * n + 3]};
        dr_transpose_double4(v);
        for (int i = 0; i < 4; i++) all[i][n] = v[i];
    }
    for (int i = 0; i < 4; i++) out[i] = dr_lanes_join(all[i]);
}

DR_INLINE void dr_lanes_from_floats(const dr_float4 item[DR_LANES], dr_lanes out[4])
{
    dr_float4 all[4][DR_LANES / 4];
    for (int n = 0; n < DR_LANES / 4; n++) {
        dr_float4 v[4] = {item[4 * n], item[4 * n + 1], item[4 * n + 2], item[4 * n + 3]};
        dr_transpose_float4(v);
        for (int i = 0; i < 4; i++) all[i][n] = v[i];
    }
    for (int i = 0; i < 4; i++) out[i] = __builtin_convertvector(dr_lanes_join_floats(all[i]), dr_lanes);
}

// And back.
DR_INLINE void dr_lanes_to_doubles(const dr_lanes in[4], dr_double4 item[DR_LANES])
{
    for (int n = 0; n < DR_LANES / 4; n++) {
        for (int i = 0; i < 4; i++) item[4 * n + i] = dr_lanes_four(in[i], n);
        dr_transpose_double4(item + 4 * n);
    }
}

DR_INLINE void dr_lanes_to_floats(const dr_lanes in[4], dr_float4 item[DR_LANES])
{
    dr_lanes_float low[4];
    for (int i = 0; i < 4; i++) low[i] = __builtin_convertvector(in[i], dr_lanes_float);
    for (int n = 0; n < DR_LANES / 4; n++) {
        for (int i = 0; i < 4; i++) item[4 * n + i] = dr_lanes_four_floats(low[i], n);
        dr_transpose_float4(item + 4 * n);
    }
}

#endif
