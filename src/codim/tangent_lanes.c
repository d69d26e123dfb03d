// Energy, forces and second derivatives of triangles where a step may end, as many side by side as a register holds
// doubles: the formulas of tangent.c, lane by lane. docs/theory/codim.md, sections 2, 3 and 9.
#include "codim/tangent.h"

#include "codim/triangle_lanes.h"

typedef struct trial {
    geometry of;
    split t;
    laws law;
    outcome out;
    dr_lanes volume;
    bool engaged[DR_LANES];
} trial;

// What of the law acts in this step at this strain. (9.3)
DR_INLINE void find_law(const dr_tangent *tangent, const batch *b, trial *at)
{
    const dr_manifold *m = tangent->mesh;
    double shear[DR_LANES], volume[DR_LANES];
    at->law = find_laws(m, b);
    dr_lanes_store(shear, at->law.shear);
    for (int l = 0; l < DR_LANES; l++) {
        size_t e = b->element[l];
        if (tangent->apart[e]) shear[l] = 0.0;
        at->engaged[l] = shear[l] > 0.0 || (at->law.normal[l] > 0.0 && at->t.r33[l] < 1.0 - DR_TANGENT_PRESSED);
        volume[l] = dr_manifold_volume(m, e);
    }
    at->law.shear = dr_lanes_load(shear);
    at->volume = dr_lanes_load(volume);
}

DR_INLINE bool look(const dr_tangent *tangent, const batch *b, trial *at)
{
    find_geometry(tangent->mesh, tangent->place, b, &at->of);
    load_directions(tangent->across, 6, b, at->of.g[2]);
    if (find_split(&at->of, &at->t)) return false;
    find_law(tangent, b, at);
    find_stress(&at->law, &at->t, &at->out);
    return true;
}

bool dr_tangent_evaluate_lanes(dr_tangent *tangent, size_t first, size_t count)
{
    const dr_manifold *m = tangent->mesh;
    batch b = take_batch(first, count);
    double lanes[10][DR_LANES];
    trial at;
    if (!look(tangent, &b, &at)) return false;
    dr_lanes(*p)[3] = at.out.p, *rest = at.of.rest;
    for (int a = 0; a < 3; a++) {
        dr_lanes_store(lanes[a], -(at.volume * (p[0][a] * rest[0] + p[1][a] * rest[1])));
        dr_lanes_store(lanes[3 + a], -(at.volume * (p[0][a] * rest[2] + p[1][a] * rest[3])));
        dr_lanes_store(lanes[6 + a], at.volume * p[2][a]);
    }
    dr_lanes_store(lanes[9], at.volume * at.out.energy);
    for (size_t l = 0; l < b.count; l++) {
        size_t e = first + l;
        const double *d = dr_manifold_across(m, e);
        float *pull = tangent->pull + 9 * e;
        for (int a = 0; a < 3; a++) {
            pull[3 + a] = (float)lanes[a][l];
            pull[6 + a] = (float)lanes[3 + a][l];
            pull[a] = -(pull[3 + a] + pull[6 + a]);
        }
        for (int i = 0; i < 9 && at.engaged[l]; i++)
            tangent->stress[e][i] = dr_manifold_flush(lanes[6 + i / 3][l] * d[i % 3]);
        tangent->energy[e] = lanes[9][l];
        tangent->engaged[e] = at.engaged[l];
    }
    return true;
}

// ---- second derivatives

// Of the energy by r11, r12, r22. (3.2)
typedef struct curvature {
    dr_lanes h1111, h1112, h1122, h1212, h1222, h2222, normal;
} curvature;

DR_INLINE curvature find_curvature(const laws *law, const split *t)
{
    dr_lanes one = dr_lanes_all(1.0), r11 = t->r11, r12 = t->r12, r22 = t->r22, sum = r11 + r22;
    dr_lanes n = root(sum, r12), over = 2.0 * law->mu / (n * n * n), s = root(r12, r22), weft = law->weft / (s * s * s);
    dr_lanes turn = over * r12 * r12, mixed = over * sum * r12, flat = 2.0 * law->mu - turn;
    return (curvature){.h1111 = flat + law->lambda * r22 * r22 + law->warp,
                       .h1112 = mixed,
                       .h1122 = law->lambda * (2.0 * r11 * r22 - one) - turn,
                       .h1212 = 2.0 * law->mu - over * sum * sum + law->weft - weft * r22 * r22,
                       .h1222 = mixed + weft * r12 * r22,
                       .h2222 = flat + law->lambda * r11 * r11 + law->weft - weft * r12 * r12,
                       .normal = 2.0 * law->normal * dr_lanes_larger(dr_lanes_all(0.0), one - t->r33)};
}

// dP for a change of G, both in the frame of Q. (2.4), (2.5)
DR_INLINE void change_stress(const trial *at, const curvature *c, const dr_lanes b[3][3], dr_lanes dp[3][3])
{
    const split *t = &at->t;
    const dr_lanes(*a)[3] = at->out.a, one = dr_lanes_all(1.0), over = one / t->r11, cross = one / t->r22;
    dr_lanes w21 = b[1][0] * over, w31 = b[2][0] * over, w32 = (b[2][1] - w31 * t->r12) * cross;
    dr_lanes e00 = b[0][0], e01 = b[0][1] + w21 * t->r22, e11 = b[1][1] - w21 * t->r12;
    dr_lanes e02 = b[0][2] + w21 * t->r23 + w31 * t->r33, e12 = b[1][2] - w21 * t->r13 + w32 * t->r33;
    dr_lanes e22 = b[2][2] - w31 * t->r13 - w32 * t->r23;
    dr_lanes d00 = c->h1111 * e00 + c->h1112 * e01 + c->h1122 * e11;
    dr_lanes d01 = c->h1112 * e00 + c->h1212 * e01 + c->h1222 * e11;
    dr_lanes d11 = c->h1122 * e00 + c->h1222 * e01 + c->h2222 * e11;
    dr_lanes d02 = at->law.shear * e02, d12 = at->law.shear * e12, d22 = c->normal * e22;
    dr_lanes d21 = (d12 * t->r33 + a[1][2] * e22 - d22 * t->r23 - a[2][2] * e12 - a[2][1] * e11) * cross;
    dr_lanes d20 = d02 * t->r33 + a[0][2] * e22 - d21 * t->r12 - a[2][1] * e01 - d22 * t->r13 - a[2][2] * e02;
    dr_lanes d10 = d01 * t->r22 + a[0][1] * e11 + d02 * t->r23 + a[0][2] * e12 - d11 * t->r12 - a[1][1] * e01;
    d20 = (d20 - a[2][0] * e00) * over;
    d10 = (d10 - d12 * t->r13 - a[1][2] * e02 - a[1][0] * e00) * over;
    const dr_lanes da[3][3] = {{d00, d01, d02}, {d10, d11, d12}, {d20, d21, d22}};
    for (int j = 0; j < 3; j++) {
        dp[0][j] = da[0][j] - w21 * a[1][j] - w31 * a[2][j];
        dp[1][j] = da[1][j] + w21 * a[0][j] - w32 * a[2][j];
        dp[2][j] = da[2][j] + w31 * a[0][j] + w32 * a[1][j];
    }
}

// Columns of G from the units of K: the places of corners 1 and 2, then the direction.
DR_INLINE dr_lanes share_of(const trial *at, int column, int unit)
{
    if (unit == 2) return dr_lanes_all(column == 2 ? 1.0 : 0.0);
    return at->of.rest[2 * unit + column];
}

// What a unit vector of the frame as a change of unit l does to all units, in the frame.
DR_INLINE void find_column(const trial *at, const curvature *c, int l, int axis, dr_lanes (*out)[3])
{
    dr_lanes b[3][3], dp[3][3];
    for (int i = 0; i < 9; i++) b[i / 3][i % 3] = dr_lanes_all(0.0);
    for (int j = l == 2 ? 2 : 0; j < (l == 2 ? 3 : 2); j++) b[axis][j] = share_of(at, j, l);
    change_stress(at, c, (const dr_lanes(*)[3])b, dp);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) out[k][i] = share_of(at, 0, k) * dp[i][0] + share_of(at, 1, k) * dp[i][1];
        out[2][i] = dp[i][2];
    }
}

static void store_block(const dr_tangent *tangent, const batch *b, const dr_lanes full[3][3], int k, int l)
{
    for (int i = 0; i < 3; i++) {
        for (int j = k == l ? i : 0; j < 3; j++) {
            double lanes[DR_LANES];
            dr_lanes_store(lanes, full[i][j]);
            int entry = dr_tangent_entry(3 * k + i, 3 * l + j);
            for (size_t n = 0; n < b->count; n++)
                tangent->stiff[DR_TANGENT_ENTRIES * (size_t)b->element[n] + (size_t)entry] = (float)lanes[n];
        }
    }
}

// From the frame of Q to that of the world.
DR_INLINE void turn_block(const trial *at, const dr_lanes in[3][3], dr_lanes out[3][3])
{
    const dr_lanes(*q)[3] = at->t.q;
    dr_lanes half[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            half[i][j] = at->volume * (in[i][0] * q[0][j] + in[i][1] * q[1][j] + in[i][2] * q[2][j]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[i][j] = q[0][i] * half[0][j] + q[1][i] * half[1][j] + q[2][i] * half[2][j];
    }
}

bool dr_tangent_build_lanes(dr_tangent *tangent, size_t first, size_t count)
{
    batch b = take_batch(first, count);
    trial at;
    bool any = false;
    if (!look(tangent, &b, &at)) return false;
    curvature c = find_curvature(&at.law, &at.t);
    for (int l = 0; l < DR_LANES; l++) any |= at.engaged[l];
    int units = any ? 3 : 2;
    for (int l = 0; l < units; l++) {
        dr_lanes column[3][3][3]; // axis of l; unit, axis
        for (int axis = 0; axis < 3; axis++) find_column(&at, &c, l, axis, column[axis]);
        for (int k = 0; k <= l; k++) {
            dr_lanes frame[3][3], full[3][3];
            for (int i = 0; i < 9; i++) frame[i / 3][i % 3] = column[i % 3][k][i / 3];
            turn_block(&at, (const dr_lanes(*)[3])frame, full);
            store_block(tangent, &b, (const dr_lanes(*)[3])full, k, l);
        }
    }
    return true;
}
