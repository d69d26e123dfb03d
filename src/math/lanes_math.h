// Exponential and logarithm of several doubles at once, to 1e-14: arithmetic alone, so the bits
// do not depend on the machine's library.
#ifndef DR_MATH_LANES_MATH_H
#define DR_MATH_LANES_MATH_H

#include "math/simd.h"

#if DR_LANES == 8
typedef unsigned long long dr_lanes_bits __attribute__((vector_size(64)));
#else
typedef unsigned long long dr_lanes_bits __attribute__((vector_size(32)));
#endif

#define DR_LANES_ROUND    6755399441055744.0 // 3 * 2^51: added and taken away it rounds to a whole number
#define DR_LANES_LN2_HIGH 6.93147180369123816490e-01
#define DR_LANES_LN2_LOW  1.90821492927058770002e-10

// e^x, 0 below and 2^1022 or so above what a double holds. x = k ln 2 + r, |r| <= ln 2/2.
DR_INLINE dr_lanes dr_lanes_exp(dr_lanes x)
{
    dr_lanes low = dr_lanes_all(-708.0), high = dr_lanes_all(708.0);
    dr_lanes t = dr_lanes_smaller(dr_lanes_larger(x, low), high);
    dr_lanes round = dr_lanes_all(DR_LANES_ROUND);
    dr_lanes shifted = dr_lanes_add_product(round, t, dr_lanes_all(1.44269504088896340736)), k = shifted - round;
    dr_lanes r = dr_lanes_add_product(t, k, dr_lanes_all(-DR_LANES_LN2_HIGH));
    r = dr_lanes_add_product(r, k, dr_lanes_all(-DR_LANES_LN2_LOW));
    dr_lanes r2 = r * r, r4 = r2 * r2, one = dr_lanes_all(1.0);
    // Twelve terms of the series, by pairs (Estrin): their chains are short.
    dr_lanes a = dr_lanes_add_product(one, r, one);
    dr_lanes b = dr_lanes_add_product(dr_lanes_all(0.5), r, dr_lanes_all(1.0 / 6.0));
    dr_lanes c = dr_lanes_add_product(dr_lanes_all(1.0 / 24.0), r, dr_lanes_all(1.0 / 120.0));
    dr_lanes d = dr_lanes_add_product(dr_lanes_all(1.0 / 720.0), r, dr_lanes_all(1.0 / 5040.0));
    dr_lanes e = dr_lanes_add_product(dr_lanes_all(1.0 / 40320.0), r, dr_lanes_all(1.0 / 362880.0));
    dr_lanes f = dr_lanes_add_product(dr_lanes_all(1.0 / 3628800.0), r, dr_lanes_all(1.0 / 39916800.0));
    dr_lanes sum = dr_lanes_add_product(dr_lanes_add_product(c, r2, d), r4, dr_lanes_add_product(e, r2, f));
    sum = dr_lanes_add_product(dr_lanes_add_product(a, r2, b), r4, sum);
    dr_lanes_bits power = ((dr_lanes_bits)shifted + 1023) << 52; // of the low bits of shifted: k
    return dr_lanes_select((dr_lanes_mask)(x < low), dr_lanes_all(0.0), sum * (dr_lanes)power);
}

// ln x of normal x > 0. x = 2^k m, sqrt(1/2) <= m < sqrt(2), ln m = 2 atanh((m - 1)/(m + 1)).
DR_INLINE dr_lanes dr_lanes_log(dr_lanes x)
{
    const unsigned long long half = 0x3fe6a09e667f3bcdULL; // sqrt(1/2)
    dr_lanes_bits bits = (dr_lanes_bits)x - half + (1ULL << 62);
    dr_lanes_bits whole = bits >> 52; // k + 1024
    dr_lanes k = (dr_lanes)(whole | 0x4330000000000000ULL) - dr_lanes_all(4503599627370496.0 + 1024.0);
    dr_lanes m = (dr_lanes)((dr_lanes_bits)x - ((whole - 1024) << 52));
    dr_lanes one = dr_lanes_all(1.0), two = dr_lanes_all(2.0), s = (m - one) / (m + one), s2 = s * s, s4 = s2 * s2;
    dr_lanes a = dr_lanes_add_product(dr_lanes_all(1.0 / 3.0), s2, dr_lanes_all(1.0 / 5.0));
    dr_lanes b = dr_lanes_add_product(dr_lanes_all(1.0 / 7.0), s2, dr_lanes_all(1.0 / 9.0));
    dr_lanes c = dr_lanes_add_product(dr_lanes_all(1.0 / 11.0), s2, dr_lanes_all(1.0 / 13.0));
    dr_lanes d = dr_lanes_add_product(dr_lanes_all(1.0 / 15.0), s2, dr_lanes_all(1.0 / 17.0));
    dr_lanes sum = dr_lanes_add_product(c, s4, d);
    sum = dr_lanes_add_product(dr_lanes_add_product(a, s4, b), s4 * s4, sum);
    dr_lanes mantissa = two * dr_lanes_add_product(s, s * s2, sum);
    mantissa = dr_lanes_add_product(mantissa, k, dr_lanes_all(DR_LANES_LN2_LOW));
    return dr_lanes_add_product(mantissa, k, dr_lanes_all(DR_LANES_LN2_HIGH));
}

// e^x of |x| < 0.01, to 1e-12.
DR_INLINE dr_lanes dr_lanes_exp_small(dr_lanes x)
{
    dr_lanes one = dr_lanes_all(1.0), sum = dr_lanes_add_product(one, x, dr_lanes_all(0.25));
    sum = dr_lanes_add_product(one, dr_lanes_all(1.0 / 3.0) * x, sum);
    sum = dr_lanes_add_product(one, dr_lanes_all(0.5) * x, sum);
    return dr_lanes_add_product(one, x, sum);
}

// x^(-1/3) of normal x > 0: a straight line through the logarithms of powers of 2, its upper half a whole number, is
// within 4 %; two rounds of Householder's method of the fifth order do the rest.
DR_INLINE dr_lanes dr_lanes_inverse_cube_root(dr_lanes x)
{
    const unsigned long long whole = 0x4330000000000000ULL; // 2^52
    dr_lanes one = dr_lanes_all(1.0), shift = dr_lanes_all(4503599627370496.0);
    dr_lanes upper = (dr_lanes)((dr_lanes_bits)x >> 32 | whole) - shift;
    dr_lanes guess = dr_lanes_add_product(dr_lanes_all(1430194684.0), upper, dr_lanes_all(-1.0 / 3.0)) + shift;
    dr_lanes y = (dr_lanes)((dr_lanes_bits)guess << 32);
    for (int i = 0; i < 2; i++) {
        dr_lanes h = dr_lanes_add_product(one, -x * y, y * y);
        dr_lanes sum = dr_lanes_add_product(dr_lanes_all(14.0 / 81.0), h, dr_lanes_all(35.0 / 243.0));
        sum = dr_lanes_add_product(dr_lanes_all(2.0 / 9.0), h, sum);
        sum = dr_lanes_add_product(dr_lanes_all(1.0 / 3.0), h, sum);
        y = dr_lanes_add_product(y, y * h, sum);
    }
    return y;
}

#endif
