// Vectors of 4 and 8 floats. The only file that knows instruction sets: written with the compilers' vector extension,
// which both turn into whatever the machine has, and with fused multiply-add where there is one.
#ifndef DR_MATH_SIMD_H
#define DR_MATH_SIMD_H

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Everything here is inlined: how vectors wider than the machine's are passed to functions does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float dr_float4 __attribute__((vector_size(16)));
typedef float dr_float8 __attribute__((vector_size(32)));
typedef int dr_int4 __attribute__((vector_size(16)));
typedef int dr_int8 __attribute__((vector_size(32)));
typedef double dr_double4 __attribute__((vector_size(32)));

#define DR_INLINE static inline __attribute__((always_inline))

#define DR_CACHE_LINE 64 // bytes

// Whether the machine has registers of 16 floats: code for them (*_wide.c) is called nowhere else.
DR_INLINE bool dr_simd_is_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

// Asks for a line of memory that will be wanted soon; any address may be given.
DR_INLINE void dr_prefetch(const void *from)
{
    __builtin_prefetch(from);
}

DR_INLINE dr_float4 dr_float4_load(const float *from)
{
    dr_float4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

DR_INLINE void dr_float4_store(float *to, dr_float4 v)
{
    memcpy(to, &v, sizeof v);
}

DR_INLINE dr_float4 dr_float4_load3(const float *from)
{
    return (dr_float4){from[0], from[1], from[2], 0.0F};
}

DR_INLINE void dr_float4_store3(float *to, dr_float4 v)
{
    memcpy(to, &v, 2 * sizeof *to);
    to[2] = v[2];
}

DR_INLINE dr_float4 dr_float4_all(float x)
{
    return (dr_float4){x, x, x, x};
}

// Lanes of `yes` where the mask is set (all bits), of `no` elsewhere.
DR_INLINE dr_float4 dr_float4_select(dr_int4 mask, dr_float4 yes, dr_float4 no)
{
    return (dr_float4)(((dr_int4)yes & mask) | ((dr_int4)no & ~mask));
}

// Whether the first three lanes of a mask are all set.
DR_INLINE int dr_int4_every3(dr_int4 mask)
{
#if defined(__SSE2__)
    return (_mm_movemask_ps((__m128)mask) & 7) == 7;
#else
    return (mask[0] & mask[1] & mask[2]) != 0;
#endif
}

DR_INLINE dr_float4 dr_float4_add_product(dr_float4 sum, dr_float4 a, dr_float4 b)
{
#if defined(__FMA__)
    return (dr_float4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)sum);
#else
    return sum + a * b;
#endif
}

DR_INLINE dr_float8 dr_float8_load(const float *from)
{
    dr_float8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

DR_INLINE void dr_float8_store(float *to, dr_float8 v)
{
    memcpy(to, &v, sizeof v);
}

DR_INLINE dr_float8 dr_float8_all(float x)
{
    return (dr_float8){x, x, x, x, x, x, x, x};
}

DR_INLINE dr_float8 dr_float8_join(dr_float4 low, dr_float4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

DR_INLINE dr_float4 dr_float8_low(dr_float8 v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
DR_INLINE dr_float4 dr_float8_high(dr_float8 v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

// Whether a < b in every lane.
DR_INLINE int dr_float8_every_less(dr_float8 a, dr_float8 b)
{
#if defined(__AVX__)
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ)) == 0xff;
#else
    int every = 1;
    for (int i = 0; i < 8; i++) every &= a[i] < b[i];
    return every;
#endif
}

DR_INLINE dr_float8 dr_float8_larger(dr_float8 a, dr_float8 b)
{
#if defined(__AVX__)
    return (dr_float8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    dr_float8 larger;
    for (int i = 0; i < 8; i++) larger[i] = a[i] > b[i] ? a[i] : b[i];
    return larger;
#endif
}

DR_INLINE dr_float8 dr_float8_smaller(dr_float8 a, dr_float8 b)
{
#if defined(__AVX__)
    return (dr_float8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    dr_float8 smaller;
    for (int i = 0; i < 8; i++) smaller[i] = a[i] < b[i] ? a[i] : b[i];
    return smaller;
#endif
}

// Whether a mask is set in every lane.
DR_INLINE int dr_int8_every(dr_int8 mask)
{
#if defined(__AVX__)
    return _mm256_movemask_ps((__m256)mask) == 0xff;
#else
    int every = -1;
    for (int i = 0; i < 8; i++) every &= mask[i];
    return every != 0;
#endif
}

// A bit for every lane of a mask that is set.
DR_INLINE unsigned dr_int8_bits(dr_int8 mask)
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < 8; i++) bits |= (unsigned)(mask[i] != 0) << i;
    return bits;
#endif
}

DR_INLINE dr_float8 dr_float8_sqrt(dr_float8 a)
{
#if defined(__AVX__)
    return (dr_float8)_mm256_sqrt_ps((__m256)a);
#else
    dr_float8 root;
    for (int i = 0; i < 8; i++) root[i] = __builtin_sqrtf(a[i]);
    return root;
#endif
}

// Lanes of `yes` where the mask is set (all bits), of `no` elsewhere.
DR_INLINE dr_float8 dr_float8_select(dr_int8 mask, dr_float8 yes, dr_float8 no)
{
    return (dr_float8)(((dr_int8)yes & mask) | ((dr_int8)no & ~mask));
}

DR_INLINE dr_float8 dr_float8_absolute(dr_float8 a)
{
    return dr_float8_larger(a, -a);
}

// Lane n is lane index[n] of v.
DR_INLINE dr_float8 dr_float8_pick(dr_float8 v, const int index[8])
{
#if defined(__AVX2__)
    dr_int8 lanes;
    memcpy(&lanes, index, sizeof lanes);
    return (dr_float8)_mm256_permutevar8x32_ps((__m256)v, (__m256i)lanes);
#else
    dr_float8 picked;
    for (int n = 0; n < 8; n++) picked[n] = v[index[n]];
    return picked;
#endif
}

DR_INLINE dr_double4 dr_double4_load(const double *from)
{
    dr_double4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

DR_INLINE void dr_double4_store(double *to, dr_double4 v)
{
    memcpy(to, &v, sizeof v);
}

DR_INLINE dr_double4 dr_double4_all(double x)
{
    return (dr_double4){x, x, x, x};
}

DR_INLINE dr_double4 dr_double4_from(dr_float4 v)
{
#if defined(__AVX__)
    return (dr_double4)_mm256_cvtps_pd((__m128)v); // compilers make four conversions of it
#else
    return __builtin_convertvector(v, dr_double4);
#endif
}

DR_INLINE dr_float4 dr_double4_narrow(dr_double4 v)
{
    return __builtin_convertvector(v, dr_float4);
}

DR_INLINE double dr_double4_total(dr_double4 v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

// sum + a * b, rounded once where the machine can.
DR_INLINE dr_float8 dr_float8_add_product(dr_float8 sum, dr_float8 a, dr_float8 b)
{
#if defined(__FMA__)
    return (dr_float8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
#else
    return sum + a * b;
#endif
}

// ---- lanes: as many doubles as one register of the machine holds, for code that runs several strands side by side

#if defined(__AVX512F__)
#define DR_LANES 8
typedef double dr_lanes __attribute__((vector_size(64)));
typedef long long dr_lanes_mask __attribute__((vector_size(64)));
#else
#define DR_LANES 4
typedef double dr_lanes __attribute__((vector_size(32)));
typedef long long dr_lanes_mask __attribute__((vector_size(32)));
#endif

DR_INLINE dr_lanes dr_lanes_load(const double *from)
{
    dr_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

DR_INLINE void dr_lanes_store(double *to, dr_lanes v)
{
    memcpy(to, &v, sizeof v);
}

DR_INLINE dr_lanes dr_lanes_all(double x)
{
    return x - (dr_lanes){0.0};
}

typedef float dr_lanes_float __attribute__((vector_size(DR_LANES * sizeof(float))));

DR_INLINE dr_lanes dr_lanes_widen(const float *from)
{
    dr_lanes_float v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, dr_lanes);
}

DR_INLINE void dr_lanes_narrow(float *to, dr_lanes v)
{
    dr_lanes_float low = __builtin_convertvector(v, dr_lanes_float);
    memcpy(to, &low, sizeof low);
}

DR_INLINE double dr_lanes_total(dr_lanes v)
{
    double sum = 0.0;
    for (int i = 0; i < DR_LANES; i++) sum += v[i];
    return sum;
}

// sum + a * b, rounded once where the machine can.
DR_INLINE dr_lanes dr_lanes_add_product(dr_lanes sum, dr_lanes a, dr_lanes b)
{
#if defined(__AVX512F__)
    return (dr_lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)sum);
#elif defined(__FMA__)
    return (dr_lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)sum);
#else
    return sum + a * b;
#endif
}

DR_INLINE dr_lanes dr_lanes_select(dr_lanes_mask mask, dr_lanes yes, dr_lanes no)
{
    return (dr_lanes)(((dr_lanes_mask)yes & mask) | ((dr_lanes_mask)no & ~mask));
}

DR_INLINE dr_lanes dr_lanes_sqrt(dr_lanes v)
{
#if defined(__AVX512F__)
    return (dr_lanes)_mm512_sqrt_pd((__m512d)v);
#elif defined(__AVX__)
    return (dr_lanes)_mm256_sqrt_pd((__m256d)v);
#else
    dr_lanes root;
    for (int i = 0; i < DR_LANES; i++) root[i] = __builtin_sqrt(v[i]);
    return root;
#endif
}

// Whether a < b in any lane; false for what is not a number.
DR_INLINE int dr_lanes_any_less(dr_lanes a, dr_lanes b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ) != 0;
#elif defined(__AVX__)
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ)) != 0;
#else
    int any = 0;
    for (int i = 0; i < DR_LANES; i++) any |= a[i] < b[i];
    return any;
#endif
}

// A bit for every lane of a mask that is set.
DR_INLINE unsigned dr_lanes_set(dr_lanes_mask mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined(__AVX__) && !defined(__AVX512F__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < DR_LANES; i++) bits |= (unsigned)(mask[i] != 0) << i;
    return bits;
#endif
}

DR_INLINE dr_lanes dr_lanes_smaller(dr_lanes a, dr_lanes b)
{
    return dr_lanes_select((dr_lanes_mask)(a < b), a, b);
}

DR_INLINE dr_lanes dr_lanes_larger(dr_lanes a, dr_lanes b)
{
    return dr_lanes_select((dr_lanes_mask)(a > b), a, b);
}

DR_INLINE dr_lanes dr_lanes_absolute(dr_lanes a)
{
    return dr_lanes_larger(a, -a);
}

#endif
