// Strain and flow of triangles, as many side by side as a register holds doubles: the formulas of triangular.c,
// surface.c and manifold.c, lane by lane. A batch with a triangle that has collapsed goes the way of single ones.
// docs/theory/codim.md, sections 2, 3 and 5.
#include "codim/manifold.h"

#include "math/simd.h"
#include "math/vec.h"

typedef struct batch {
    uint32_t element[DR_LANES]; // the last one again where there are fewer
    size_t count;
} batch;

typedef struct split {
    dr_lanes q[3][3]; // columns
    dr_lanes r11, r12, r22, r13, r23, r33;
} split;

typedef struct laws {
    dr_lanes mu, lambda, warp, weft, normal, shear, friction, density;
} laws;

typedef struct geometry {
    dr_lanes g[3][3], rest[4];
} geometry;

DR_INLINE dr_lanes root(dr_lanes a, dr_lanes b)
{
    return dr_lanes_sqrt(a * a + b * b);
}

DR_INLINE dr_lanes dot(const dr_lanes a[3], const dr_lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- what lanes are made of

static laws same_law(const dr_manifold_law *law)
{
    const dr_surface_law *s = &law->sheet;
    return (laws){dr_lanes_all(s->mu),       dr_lanes_all(s->lambda),   dr_lanes_all(s->warp),
                  dr_lanes_all(s->weft),     dr_lanes_all(s->normal),   dr_lanes_all(s->shear),
                  dr_lanes_all(s->friction), dr_lanes_all(law->density)};
}

static laws find_laws(const dr_manifold *m, const batch *b)
{
    laws all = same_law(&m->laws[m->body[b->element[0]]]);
    for (int l = 1; l < DR_LANES; l++) {
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
DR_INLINE void find_geometry(const dr_manifold *m, const batch *b, geometry *out)
{
    double edge[6][DR_LANES], rest[4][DR_LANES];
    for (int l = 0; l < DR_LANES; l++) {
        size_t e = b->element[l];
        const uint32_t *corner = m->index + 3 * e;
        const double *x = m->position + 3 * (size_t)corner[0], *y = m->position + 3 * (size_t)corner[1];
        const double *z = m->position + 3 * (size_t)corner[2];
        for (int a = 0; a < 3; a++) {
            edge[a][l] = y[a] - x[a];
            edge[3 + a][l] = z[a] - x[a];
        }
        for (int i = 0; i < 4; i++) rest[i][l] = m->rest[4 * e + (size_t)i];
    }
    for (int i = 0; i < 4; i++) out->rest[i] = dr_lanes_load(rest[i]);
    for (int a = 0; a < 3; a++) {
        dr_lanes e1 = dr_lanes_load(edge[a]), e2 = dr_lanes_load(edge[3 + a]);
        out->g[0][a] = e1 * out->rest[0] + e2 * out->rest[2];
        out->g[1][a] = e1 * out->rest[1] + e2 * out->rest[3];
    }
}

DR_INLINE void load_directions(const dr_manifold *m, const batch *b, dr_lanes d[3])
{
    double lanes[3][DR_LANES];
    for (int l = 0; l < DR_LANES; l++) {
        const double *from = m->direction + 6 * (size_t)b->element[l];
        for (int a = 0; a < 3; a++) lanes[a][l] = from[a];
    }
    for (int a = 0; a < 3; a++) d[a] = dr_lanes_load(lanes[a]);
}

// False where a triangle has collapsed.
DR_INLINE bool find_split(const geometry *of, split *t)
{
    dr_lanes least = dr_lanes_all(DR_TRIANGULAR_LEAST), one = dr_lanes_all(1.0), *u = t->q[0], *v = t->q[1],
             *n = t->q[2];
    dr_lanes size = dr_lanes_sqrt(dot(of->g[0], of->g[0])), over = one / size;
    for (int k = 0; k < 3; k++) u[k] = over * of->g[0][k];
    dr_lanes along = dot(u, of->g[1]);
    for (int k = 0; k < 3; k++) v[k] = of->g[1][k] - along * u[k];
    dr_lanes rest = dr_lanes_sqrt(dot(v, v));
    dr_lanes_mask sound = (dr_lanes_mask)(size >= least) & (dr_lanes_mask)(rest >= least) &
                          (dr_lanes_mask)(rest > 1e-3 * dr_lanes_absolute(along));
    if (dr_lanes_any_less(dr_lanes_select(sound, one, -one), dr_lanes_all(0.0))) return false;
    t->r11 = size;
    t->r12 = along;
    t->r22 = rest;
    over = one / rest;
    for (int k = 0; k < 3; k++) v[k] *= over;
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    t->r13 = dot(u, of->g[2]);
    t->r23 = dot(v, of->g[2]);
    t->r33 = dot(n, of->g[2]);
    return true;
}

// ---- strain

typedef struct outcome {
    dr_lanes p[3][3]; // columns of the stress
    dr_lanes along, across, energy;
} outcome;

// Derivatives of the energy by R, completed to A with P = Q A, (2.3), (3.1); bounds of the second, (6.2).
DR_INLINE void find_stress(const laws *law, const split *t, outcome *out)
{
    dr_lanes one = dr_lanes_all(1.0), none = dr_lanes_all(0.0);
    dr_lanes r11 = t->r11, r12 = t->r12, r22 = t->r22, r13 = t->r13, r23 = t->r23, r33 = t->r33;
    dr_lanes j = r11 * r22 - one, sum = r11 + r22, n = root(sum, r12), s = root(r12, r22);
    dr_lanes c = dr_lanes_larger(none, one - r33), bent = sum / n, over = one / r11, weft = law->weft * (one - one / s);
    dr_lanes a00 = 2.0 * law->mu * (r11 - bent) + law->lambda * j * r22 + law->warp * (r11 - one);
    dr_lanes a01 = 2.0 * law->mu * r12 * (one - one / n) + weft * r12;
    dr_lanes a11 = 2.0 * law->mu * (r22 - bent) + law->lambda * j * r11 + weft * r22;
    dr_lanes a02 = law->shear * r13, a12 = law->shear * r23, a22 = -law->normal * c * c;
    dr_lanes a21 = (a12 * r33 - a22 * r23) / r22;
    dr_lanes a20 = (a02 * r33 - a21 * r12 - a22 * r13) * over;
    dr_lanes a10 = (a01 * r22 + a02 * r23 - a11 * r12 - a12 * r13) * over;
    const dr_lanes(*q)[3] = t->q;
    for (int k = 0; k < 3; k++) {
        out->p[0][k] = q[0][k] * a00 + q[1][k] * a10 + q[2][k] * a20;
        out->p[1][k] = q[0][k] * a01 + q[1][k] * a11 + q[2][k] * a21;
        out->p[2][k] = q[0][k] * a02 + q[1][k] * a12 + q[2][k] * a22;
    }
    dr_lanes size = r11 * r11 + r12 * r12 + r22 * r22, slid = r13 * r13 + r23 * r23, stretch = s - one;
    dr_lanes touch = dr_lanes_larger(DR_SURFACE_MARGIN * c, dr_lanes_all(DR_SURFACE_FIRST_TOUCH));
    out->along = 2.0 * law->mu + law->lambda * (size + dr_lanes_absolute(j)) + dr_lanes_larger(law->warp, law->weft);
    out->across = (slid + r33 * r33) * dr_lanes_larger(law->shear, 2.0 * law->normal * touch);
    out->energy = law->mu * (size - 2.0 * n + 2.0) + 0.5 * law->lambda * j * j;
    out->energy += 0.5 * law->warp * (r11 - one) * (r11 - one) + 0.5 * law->weft * stretch * stretch;
    out->energy += 0.5 * law->shear * slid + law->normal * (1.0 / 3.0) * c * c * c;
}

DR_INLINE void store_loads(dr_manifold *m, const batch *b, const geometry *of, dr_lanes volume, const outcome *out)
{
    double lanes[9][DR_LANES];
    for (int a = 0; a < 3; a++) {
        dr_lanes_store(lanes[a], -(volume * (out->p[0][a] * of->rest[0] + out->p[1][a] * of->rest[1])));
        dr_lanes_store(lanes[3 + a], -(volume * (out->p[0][a] * of->rest[2] + out->p[1][a] * of->rest[3])));
        dr_lanes_store(lanes[6 + a], volume * out->p[2][a]);
    }
    for (size_t l = 0; l < b->count; l++) {
        float *load = m->load + 9 * (size_t)b->element[l];
        for (int i = 0; i < 6; i++) load[i] = (float)lanes[i][l];
        for (int i = 6; i < 9; i++) load[i] = dr_manifold_flush(lanes[i][l]);
    }
}

static bool strain_batch(dr_manifold *m, const batch *b, double grid_stiffness, dr_manifold_strains *sum)
{
    geometry of;
    split t;
    outcome out;
    double lanes[DR_LANES], along[DR_LANES], across[DR_LANES];
    find_geometry(m, b, &of);
    load_directions(m, b, of.g[2]);
    if (!find_split(&of, &t)) return false;
    laws law = find_laws(m, b);
    find_stress(&law, &t, &out);
    for (int l = 0; l < DR_LANES; l++) lanes[l] = m->volume[b->element[l]];
    dr_lanes volume = dr_lanes_load(lanes), over = 4.0 / law.density, x = of.rest[0] + of.rest[2];
    dr_lanes y = of.rest[1] + of.rest[3], steep = x * x + y * y;
    for (int i = 0; i < 4; i++) steep += of.rest[i] * of.rest[i];
    store_loads(m, b, &of, volume, &out);
    dr_lanes_store(lanes, volume * out.energy);
    dr_lanes_store(along, over * out.along * steep);
    dr_lanes_store(across, over * out.across * grid_stiffness);
    for (size_t l = 0; l < b->count; l++) {
        sum->energy += lanes[l];
        sum->along = along[l] > sum->along ? along[l] : sum->along;
        sum->across = across[l] > sum->across ? across[l] : sum->across;
    }
    return true;
}

static batch take_batch(const uint32_t *element, size_t first, size_t count)
{
    batch b = {.count = count < DR_LANES ? count : DR_LANES};
    for (size_t l = 0; l < DR_LANES; l++) {
        size_t i = l < b.count ? l : b.count - 1;
        b.element[l] = element ? element[first + i] : (uint32_t)(first + i);
    }
    return b;
}

dr_manifold_strains dr_manifold_strain(dr_manifold *m, size_t begin, size_t end, double grid_stiffness)
{
    dr_manifold_strains sum = {0};
    for (size_t e = begin; e < end; e += DR_LANES) {
        batch b = take_batch(NULL, e, end - e);
        if (m->corners == 3 && strain_batch(m, &b, grid_stiffness, &sum)) continue;
        for (size_t l = 0; l < b.count; l++) dr_manifold_strain_one(m, e + l, grid_stiffness, &sum);
    }
    return sum;
}

// ---- flow

// (1 + dt L) d, lane by lane.
DR_INLINE void carry_once(dr_lanes gradient[9], dr_lanes dt, const dr_lanes d[3], dr_lanes out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = d[a] + dt * (gradient[3 * a] * d[0] + gradient[3 * a + 1] * d[1] + gradient[3 * a + 2] * d[2]);
}

DR_INLINE void carry(const dr_manifold_step *step, const float (*gradient)[9], size_t count, dr_lanes d[3])
{
    double lanes[9][DR_LANES];
    dr_lanes of[9], once[3], twice[3], dt = dr_lanes_all(step->dt);
    for (size_t l = 0; l < DR_LANES; l++) {
        const float *from = gradient[l < count ? l : count - 1];
        for (int i = 0; i < 9; i++) lanes[i][l] = (double)from[i];
    }
    for (int i = 0; i < 9; i++) of[i] = dr_lanes_load(lanes[i]);
    carry_once(of, dt, d, once);
    if (!step->linear) carry_once(of, dt, once, twice);
    for (int a = 0; a < 3; a++) d[a] = step->linear ? once[a] : 0.5 * (d[a] + twice[a]);
}

// The return mapping of surface.c, (3.4).
DR_INLINE void return_lanes(const laws *law, const split *t, dr_lanes d[3])
{
    dr_lanes one = dr_lanes_all(1.0), none = dr_lanes_all(0.0), r33 = t->r33, c = one - r33;
    dr_lanes pull = law->shear * root(t->r13, t->r23), most = law->friction * law->normal * c * c;
    dr_lanes_mask apart = (dr_lanes_mask)(r33 >= one), inverted = (dr_lanes_mask)(r33 < none);
    dr_lanes_mask slips = (dr_lanes_mask)(pull > most), smooth = (dr_lanes_mask)(law->friction == none);
    dr_lanes keep = dr_lanes_select(slips, most / dr_lanes_select(slips, pull, one), one);
    keep = dr_lanes_select(apart | inverted | smooth, none, keep);
    dr_lanes r13 = dr_lanes_select((dr_lanes_mask)(keep == none), none, keep * t->r13);
    dr_lanes r23 = dr_lanes_select((dr_lanes_mask)(keep == none), none, keep * t->r23);
    r33 = dr_lanes_select(apart, one, dr_lanes_select(inverted, dr_lanes_larger(r33, -one), r33));
    for (int k = 0; k < 3; k++) d[k] = r13 * t->q[0][k] + r23 * t->q[1][k] + r33 * t->q[2][k];
}

static bool flow_batch(dr_manifold *m, const dr_manifold_step *step, const batch *b, const double *friction,
                       const float (*gradient)[9])
{
    geometry of;
    split t;
    double lanes[3][DR_LANES];
    find_geometry(m, b, &of);
    load_directions(m, b, of.g[2]);
    carry(step, gradient, b->count, of.g[2]);
    if (!find_split(&of, &t)) return false;
    laws law = find_laws(m, b);
    for (size_t l = 0; l < b->count && friction; l++)
        law.friction[l] = friction[l] > law.friction[l] ? friction[l] : law.friction[l];
    return_lanes(&law, &t, of.g[2]);
    for (int a = 0; a < 3; a++) dr_lanes_store(lanes[a], of.g[2][a]);
    for (size_t l = 0; l < b->count; l++) {
        double *d = m->direction + 6 * (size_t)b->element[l];
        for (int a = 0; a < 3; a++) d[a] = lanes[a][l];
    }
    return true;
}

void dr_manifold_flow(dr_manifold *m, const dr_manifold_step *step, const uint32_t *element, size_t count,
                      const float (*gradient)[9])
{
    for (size_t i = 0; i < count; i += DR_LANES) {
        batch b = take_batch(element, i, count - i);
        const double *friction = step->friction ? step->friction + i : NULL;
        if (m->corners == 3 && flow_batch(m, step, &b, friction, gradient + i)) continue;
        for (size_t l = 0; l < b.count; l++)
            dr_manifold_flow_one(m, step, b.element[l], gradient[i + l], friction ? friction[l] : 0.0);
    }
}
