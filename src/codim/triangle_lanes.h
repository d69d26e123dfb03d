// Triangles side by side, as many as a register holds doubles: the formulas of triangular.c and surface.c, lane by
// lane. docs/theory/codim.md, sections 2 and 3.
#ifndef DR_CODIM_TRIANGLE_LANES_H
#define DR_CODIM_TRIANGLE_LANES_H

#include "codim/manifold.h"

#include "math/transpose.h"

typedef struct batch {
    uint32_t element[DR_LANES]; // the last one again where there are fewer
    size_t count;
} batch;

DR_INLINE batch take_batch(size_t first, size_t count)
{
    batch b = {.count = count < DR_LANES ? count : DR_LANES};
    for (size_t l = 0; l < DR_LANES; l++) b.element[l] = (uint32_t)(first + (l < b.count ? l : b.count - 1));
    return b;
}

typedef struct split {
    dr_lanes q[3][3]; // columns
    dr_lanes r11, r12, r22, r13, r23, r33;
    dr_lanes over11, over22; // 1/r11, 1/r22
} split;

typedef struct laws {
    dr_lanes mu, lambda, warp, weft, normal, shear, friction, density;
} laws;

typedef struct geometry {
    dr_lanes g[3][3], rest[4], middle[3];
} geometry;

// Products are fused where this says so and nowhere else: as a step begins strains have the bits that they had as the
// one before ended, wherever the compiler put this.
DR_INLINE dr_lanes sum_of(dr_lanes a, dr_lanes b, dr_lanes c, dr_lanes d)
{
    return dr_lanes_add_product(c * d, a, b);
}

DR_INLINE dr_lanes root(dr_lanes a, dr_lanes b)
{
    return dr_lanes_sqrt(sum_of(a, a, b, b));
}

DR_INLINE dr_lanes dot(const dr_lanes a[3], const dr_lanes b[3])
{
    return dr_lanes_add_product(sum_of(a[1], b[1], a[0], b[0]), a[2], b[2]);
}

// ---- what lanes are made of

DR_INLINE laws same_law(const dr_manifold_law *law)
{
    const dr_surface_law *s = &law->sheet;
    return (laws){dr_lanes_all(s->mu),       dr_lanes_all(s->lambda),   dr_lanes_all(s->warp),
                  dr_lanes_all(s->weft),     dr_lanes_all(s->normal),   dr_lanes_all(s->shear),
                  dr_lanes_all(s->friction), dr_lanes_all(law->density)};
}

DR_INLINE laws find_laws(const dr_manifold *m, const batch *b)
{
    laws all = same_law(&m->laws[m->body[b->element[0]]]);
    for (int l = 1; l < DR_LANES && m->law_count > 1; l++) {
        if (m->body[b->element[l]] == m->body[b->element[0]]) continue;
        const dr_manifold_law *law = &m->laws[m->body[b->element[l]]];
        all.mu[l] = law->sheet.mu;
        all.lambda[l] = law->sheet.lambda;
        all.warp[l] = law->sheet.warp;
        all.weft[l] = law->sheet.weft;
        all.normal[l] = law->sheet.normal;
        all.shear[l] = law->sheet.shear;
        all.friction[l] = law->sheet.friction;
        all.density[l] = law->density;
    }
    return all;
}

// Edges and inverse rest edges become the first two directions; the third is not looked at.
DR_INLINE void find_geometry(const dr_manifold *m, const double *position, const batch *b, geometry *out)
{
    dr_double4 place[3][DR_LANES];
    dr_float4 rest[DR_LANES];
    dr_lanes corner[3][4];
    for (int l = 0; l < DR_LANES; l++) {
        const uint32_t *of = m->index + 3 * (size_t)b->element[l];
        for (int k = 0; k < 3; k++) place[k][l] = dr_double4_load3(position + 3 * (size_t)of[k]);
        rest[l] = dr_float4_load(m->rest + 4 * (size_t)b->element[l]);
    }
    for (int k = 0; k < 3; k++) dr_lanes_from_doubles(place[k], corner[k]);
    dr_lanes_from_floats(rest, out->rest);
    for (int a = 0; a < 3; a++) {
        dr_lanes first = corner[1][a] - corner[0][a], second = corner[2][a] - corner[0][a];
        out->g[0][a] = sum_of(first, out->rest[0], second, out->rest[2]);
        out->g[1][a] = sum_of(first, out->rest[1], second, out->rest[3]);
        out->middle[a] = (corner[0][a] + corner[1][a] + corner[2][a]) * (1.0 / 3.0);
    }
}

// The first three of every `stride` numbers.
DR_INLINE void load_directions(const double *direction, size_t stride, const batch *b, dr_lanes d[3])
{
    dr_double4 item[DR_LANES];
    dr_lanes out[4];
    for (int l = 0; l < DR_LANES; l++) item[l] = dr_double4_load3(direction + stride * b->element[l]);
    dr_lanes_from_doubles(item, out);
    for (int a = 0; a < 3; a++) d[a] = out[a];
}

// Gives a bit for every triangle that has collapsed; its lane means nothing.
DR_INLINE unsigned find_split(const geometry *of, split *t)
{
    dr_lanes least = dr_lanes_all(DR_TRIANGULAR_LEAST), one = dr_lanes_all(1.0), *u = t->q[0], *v = t->q[1],
             *n = t->q[2];
    dr_lanes size = dr_lanes_sqrt(dot(of->g[0], of->g[0])), over = one / size;
    for (int k = 0; k < 3; k++) u[k] = over * of->g[0][k];
    dr_lanes along = dot(u, of->g[1]);
    for (int k = 0; k < 3; k++) v[k] = dr_lanes_add_product(of->g[1][k], -along, u[k]);
    dr_lanes rest = dr_lanes_sqrt(dot(v, v));
    dr_lanes_mask sound = (dr_lanes_mask)(size >= least) & (dr_lanes_mask)(rest >= least) &
                          (dr_lanes_mask)(rest > 1e-3 * dr_lanes_absolute(along));
    t->r11 = size;
    t->r12 = along;
    t->r22 = rest;
    t->over11 = over;
    t->over22 = one / rest;
    for (int k = 0; k < 3; k++) v[k] *= t->over22;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        n[k] = sum_of(u[next], v[last], -u[last], v[next]);
    }
    t->r13 = dot(u, of->g[2]);
    t->r23 = dot(v, of->g[2]);
    t->r33 = dot(n, of->g[2]);
    return dr_lanes_set(~sound);
}

// ---- strain

typedef struct outcome {
    dr_lanes a[3][3]; // derivatives of the energy by R, completed to A with P = Q A
    dr_lanes p[3][3]; // columns of the stress
    dr_lanes along, across, energy;
} outcome;

// (2.3), (3.1); bounds of the second derivatives, (6.2).
DR_INLINE void find_stress(const laws *law, const split *t, outcome *out)
{
    dr_lanes one = dr_lanes_all(1.0), none = dr_lanes_all(0.0), (*a)[3] = out->a;
    dr_lanes r11 = t->r11, r12 = t->r12, r22 = t->r22, r13 = t->r13, r23 = t->r23, r33 = t->r33;
    dr_lanes j = r11 * r22 - one, sum = r11 + r22, n = root(sum, r12), s = root(r12, r22);
    dr_lanes c = dr_lanes_larger(none, one - r33), over = one / n, bent = sum * over;
    dr_lanes weft = law->weft * (one - one / s);
    a[0][0] = 2.0 * law->mu * (r11 - bent) + law->lambda * j * r22 + law->warp * (r11 - one);
    a[0][1] = 2.0 * law->mu * r12 * (one - over) + weft * r12;
    a[1][1] = 2.0 * law->mu * (r22 - bent) + law->lambda * j * r11 + weft * r22;
    a[0][2] = law->shear * r13;
    a[1][2] = law->shear * r23;
    a[2][2] = -law->normal * c * c;
    a[2][1] = sum_of(a[1][2], r33, -a[2][2], r23) * t->over22;
    a[2][0] = dr_lanes_add_product(sum_of(a[0][2], r33, -a[2][1], r12), -a[2][2], r13) * t->over11;
    a[1][0] = (sum_of(a[0][1], r22, a[0][2], r23) - sum_of(a[1][1], r12, a[1][2], r13)) * t->over11;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out->p[i][k] = dr_lanes_add_product(sum_of(t->q[0][k], a[0][i], t->q[1][k], a[1][i]), t->q[2][k], a[2][i]);
    }
    dr_lanes slid = sum_of(r13, r13, r23, r23), stretch = s - one;
    dr_lanes size = dr_lanes_add_product(sum_of(r11, r11, r12, r12), r22, r22);
    dr_lanes touch = dr_lanes_larger(DR_SURFACE_MARGIN * c, dr_lanes_all(DR_SURFACE_FIRST_TOUCH));
    out->along = 2.0 * law->mu + law->lambda * (size + dr_lanes_absolute(j)) + dr_lanes_larger(law->warp, law->weft);
    out->across = (slid + r33 * r33) * dr_lanes_larger(law->shear, 2.0 * law->normal * touch);
    out->energy = law->mu * (size - 2.0 * n + 2.0) + 0.5 * law->lambda * j * j;
    out->energy += 0.5 * law->warp * (r11 - one) * (r11 - one) + 0.5 * law->weft * stretch * stretch;
    out->energy += 0.5 * law->shear * slid + law->normal * (1.0 / 3.0) * c * c * c;
}

#endif
