// Vectors of 16 floats: what math/simd.h is to 4 and 8, for code that is compiled once more for registers that hold
// them. Where they do not, lanes go by eights.
#ifndef DR_MATH_SIMD16_H
#define DR_MATH_SIMD16_H

#include "math/simd.h"

typedef float dr_float16 __attribute__((vector_size(64)));

DR_INLINE dr_float16 dr_float16_load(const float *from)
{
    dr_float16 v;
    memcpy(&v, from, sizeof v);
    return v;
}

DR_INLINE void dr_float16_store(float *to, dr_float16 v)
{
    memcpy(to, &v, sizeof v);
}

DR_INLINE dr_float16 dr_float16_all(float x)
{
    return (dr_float16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

DR_INLINE dr_float16 dr_float16_join(dr_float8 low, dr_float8 high)
{
#if defined(__AVX512DQ__)
    return (dr_float16)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)low), (__m256)high, 1);
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

// Four times the same.
DR_INLINE dr_float16 dr_float16_repeat(dr_float4 v)
{
#if defined(__AVX512F__)
    return (dr_float16)_mm512_broadcast_f32x4((__m128)v);
#else
    return dr_float16_join(dr_float8_join(v, v), dr_float8_join(v, v));
#endif
}

DR_INLINE dr_float8 dr_float16_low(dr_float16 v)
{
#if defined(__AVX512F__)
    return (dr_float8)_mm512_castps512_ps256((__m512)v);
#else
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

DR_INLINE dr_float8 dr_float16_high(dr_float16 v)
{
#if defined(__AVX512DQ__)
    return (dr_float8)_mm512_extractf32x8_ps((__m512)v, 1);
#else
    return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

// Lane n is lane index[n] of v.
DR_INLINE dr_float16 dr_float16_pick(dr_float16 v, const int index[16])
{
#if defined(__AVX512F__)
    return (dr_float16)_mm512_permutexvar_ps(_mm512_loadu_si512(index), (__m512)v);
#else
    dr_float16 picked;
    for (int n = 0; n < 16; n++) picked[n] = v[index[n]];
    return picked;
#endif
}

// sum + a * b, rounded once where the machine can.
DR_INLINE dr_float16 dr_float16_add_product(dr_float16 sum, dr_float16 a, dr_float16 b)
{
#if defined(__AVX512F__)
    return (dr_float16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
#else
    return dr_float16_join(dr_float8_add_product(dr_float16_low(sum), dr_float16_low(a), dr_float16_low(b)),
                           dr_float8_add_product(dr_float16_high(sum), dr_float16_high(a), dr_float16_high(b)));
#endif
}

#endif
