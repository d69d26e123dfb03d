// Principal stretches of eight deformation gradients side by side. docs/theory/sand.md, eq. (1).
//   b = F F^T = U (1 + e) U^T,   eps = ln sigma = 1/2 ln(1 + e)
// b - I is diagonalised, not b: small strains keep their digits.
#ifndef DR_CODIM_PRINCIPAL_H
#define DR_CODIM_PRINCIPAL_H

#include "math/simd.h"

#include <math.h>

enum { DR_PRINCIPAL_LANES = 8 };

typedef struct dr_principal {
    dr_float8 vector[9];                 // U, one direction per column
    float strain[3][DR_PRINCIPAL_LANES]; // eps
    dr_float8 deformation[9];            // F
} dr_principal;

// A rotation in the plane of axes p and q takes the entry between them away.
DR_INLINE void dr_principal_rotate(dr_float8 a[9], dr_float8 u[9], int p, int q)
{
    const dr_float8 zero = dr_float8_all(0.0F), tiny = dr_float8_all(1e-30F);
    int r = 3 - p - q;
    dr_float8 off = a[3 * p + q], d = a[4 * q] - a[4 * p];
    dr_float8 size = dr_float8_absolute(d) + dr_float8_sqrt(d * d + 4.0F * off * off) + tiny;
    dr_float8 t = 2.0F * off / size;
    t = dr_float8_select(d < zero, -t, t);
    dr_float8 c = 1.0F / dr_float8_sqrt(1.0F + t * t), s = t * c;
    a[4 * p] -= t * off;
    a[4 * q] += t * off;
    a[3 * p + q] = a[3 * q + p] = zero;
    dr_float8 rp = a[3 * r + p], rq = a[3 * r + q];
    a[3 * r + p] = a[3 * p + r] = c * rp - s * rq;
    a[3 * r + q] = a[3 * q + r] = s * rp + c * rq;
    for (int i = 0; i < 9; i += 3) {
        dr_float8 up = u[i + p], uq = u[i + q];
        u[i + p] = c * up - s * uq;
        u[i + q] = s * up + c * uq;
    }
}

// strain + 9 i is the deformation gradient of lane i, count of them; the others are at rest. Stretches below `least`
// count as that.
static inline dr_principal dr_principal_find(const float *deformation, size_t count, float least)
{
    dr_principal out;
    dr_float8 a[9];
    for (int i = 0; i < 9; i++) {
        float value[DR_PRINCIPAL_LANES];
        for (size_t k = 0; k < DR_PRINCIPAL_LANES; k++)
            value[k] = k < count ? deformation[9 * k + (size_t)i] : i % 4 == 0 ? 1.0F : 0.0F;
        out.deformation[i] = dr_float8_load(value);
        out.vector[i] = dr_float8_all(i % 4 == 0 ? 1.0F : 0.0F);
    }
    const dr_float8 *f = out.deformation;
    for (int i = 0; i < 9; i++) {
        int r = 3 * (i / 3), c = 3 * (i % 3);
        a[i] = f[r] * f[c] + f[r + 1] * f[c + 1] + f[r + 2] * f[c + 2] - (i % 4 == 0 ? 1.0F : 0.0F);
    }
    for (int sweep = 0; sweep < 4; sweep++) {
        dr_principal_rotate(a, out.vector, 0, 1);
        dr_principal_rotate(a, out.vector, 0, 2);
        dr_principal_rotate(a, out.vector, 1, 2);
    }
    float lowest = least * least - 1.0F;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < DR_PRINCIPAL_LANES; k++)
            out.strain[i][k] = 0.5F * log1pf(a[4 * i][k] > lowest ? a[4 * i][k] : lowest);
    }
    return out;
}

// U diag(value) U^T
DR_INLINE void dr_principal_compose(const dr_principal *of, const float value[3][DR_PRINCIPAL_LANES], dr_float8 out[9])
{
    dr_float8 d[3];
    for (int i = 0; i < 3; i++) d[i] = dr_float8_load(value[i]);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const dr_float8 *u = of->vector + 3 * i, *v = of->vector + 3 * j;
            out[3 * i + j] = out[3 * j + i] = d[0] * u[0] * v[0] + d[1] * u[1] * v[1] + d[2] * u[2] * v[2];
        }
    }
}

#endif
