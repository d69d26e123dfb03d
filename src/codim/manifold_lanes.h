// Strain and flow of triangles, as many side by side as a register holds doubles: the formulas of triangular.c,
// surface.c and manifold.c, lane by lane. Those that have collapsed go the way of single ones, so that no triangle sees
// which others are beside it. docs/theory/codim.md, sections 2, 3 and 5.
#ifndef DR_CODIM_MANIFOLD_LANES_H
#define DR_CODIM_MANIFOLD_LANES_H

#include "codim/triangle_lanes.h"

#include <string.h>

// Lanes of triangles that have collapsed are left out.
DR_INLINE bool counts(const batch *b, unsigned collapsed, size_t l)
{
    return l < b->count && !(collapsed >> l & 1);
}

// Stresses as the grid takes them, dr_manifold_flush.
DR_INLINE dr_lanes flush(dr_lanes stress)
{
    dr_lanes none = dr_lanes_all(0.0);
    return dr_lanes_select((dr_lanes_mask)(dr_lanes_absolute(stress) < dr_lanes_all(1e-20)), none, stress);
}

DR_INLINE void store_loads(dr_manifold *m, const batch *b, unsigned collapsed, const geometry *of, dr_lanes volume,
                           const outcome *out)
{
    dr_lanes force[3][4] = {{dr_lanes_all(0.0)}};
    dr_float4 item[3][DR_LANES];
    for (int a = 0; a < 3; a++) {
        force[0][a] = -volume * sum_of(out->p[0][a], of->rest[0], out->p[1][a], of->rest[1]);
        force[1][a] = -volume * sum_of(out->p[0][a], of->rest[2], out->p[1][a], of->rest[3]);
        force[2][a] = flush(volume * out->p[2][a]);
    }
    for (int i = 0; i < 3; i++) dr_lanes_to_floats(force[i], item[i]);
    for (size_t l = 0; l < DR_LANES; l++) {
        size_t e = b->element[l];
        if (!counts(b, collapsed, l)) continue;
        dr_float4_store3(m->pull + 6 * e, item[0][l]);
        dr_float4_store3(m->pull + 6 * e + 3, item[1][l]);
        dr_float4_store3(m->press + 3 * e, item[2][l]);
    }
}

DR_INLINE dr_lanes load_masses(const dr_manifold *m, const batch *b)
{
    float mass[DR_LANES];
    for (int l = 0; l < DR_LANES; l++) mass[l] = m->element_mass[b->element[l]];
    return dr_lanes_widen(mass);
}

DR_INLINE double largest_of(dr_lanes v)
{
    double most = v[0];
    for (int l = 1; l < DR_LANES; l++) most = v[l] > most ? v[l] : most;
    return most;
}

// Lanes that count, and nought.
DR_INLINE dr_lanes mask_lanes(const batch *b, unsigned collapsed, dr_lanes v)
{
    if (b->count == DR_LANES && collapsed == 0) return v;
    for (size_t l = 0; l < DR_LANES; l++) v[l] = counts(b, collapsed, l) ? v[l] : 0.0;
    return v;
}

// Loads and sums of triangles whose split is known.
DR_INLINE void strain_split(dr_manifold *m, const batch *b, unsigned collapsed, const geometry *of, const laws *law,
                            const split *t, double grid_stiffness, dr_manifold_strains *sum)
{
    outcome out;
    find_stress(law, t, &out);
    dr_lanes over = 4.0 / law->density, volume = over * load_masses(m, b), x = of->rest[0] + of->rest[2];
    dr_lanes y = of->rest[1] + of->rest[3], steep = x * x + y * y;
    for (int i = 0; i < 4; i++) steep += of->rest[i] * of->rest[i];
    store_loads(m, b, collapsed, of, volume, &out);
    double along = largest_of(mask_lanes(b, collapsed, over * out.along * steep));
    double across = largest_of(mask_lanes(b, collapsed, over * out.across * grid_stiffness));
    sum->energy += dr_lanes_total(mask_lanes(b, collapsed, volume * out.energy));
    sum->along = along > sum->along ? along : sum->along;
    sum->across = across > sum->across ? across : sum->across;
}

static void strain_batch(dr_manifold *m, const batch *b, double grid_stiffness, dr_manifold_strains *sum)
{
    geometry of;
    split t;
    find_geometry(m, m->position, b, &of);
    load_directions(m->direction, 3, b, of.g[2]);
    unsigned collapsed = find_split(&of, &t);
    laws law = find_laws(m, b);
    strain_split(m, b, collapsed, &of, &law, &t, grid_stiffness, sum);
    for (size_t l = 0; l < b->count && collapsed; l++) {
        if (!counts(b, collapsed, l)) dr_manifold_strain_one(m, b->element[l], grid_stiffness, sum);
    }
}

static dr_manifold_strains strain_lanes(dr_manifold *m, size_t begin, size_t end, double grid_stiffness)
{
    dr_manifold_strains sum = {0};
    for (size_t e = begin; e < end && m->corners == 3; e += DR_LANES) {
        batch b = take_batch(e, end - e);
        strain_batch(m, &b, grid_stiffness, &sum);
    }
    for (size_t e = begin; e < end && m->corners == 2; e++) dr_manifold_strain_one(m, e, grid_stiffness, &sum);
    return sum;
}

// ---- flow

// (1 + dt L) d, lane by lane.
DR_INLINE void carry_once(dr_lanes gradient[9], dr_lanes dt, const dr_lanes d[3], dr_lanes out[3])
{
    for (int a = 0; a < 3; a++) out[a] = dr_lanes_add_product(d[a], dt, dot(gradient + 3 * a, d));
}

// d after the step with the gradient `of`, row by row.
DR_INLINE void carry(const dr_manifold_step *step, dr_lanes of[9], dr_lanes d[3])
{
    dr_lanes once[3], twice[3], dt = dr_lanes_all(step->dt);
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
    for (int k = 0; k < 3; k++) d[k] = dr_lanes_add_product(sum_of(r13, t->q[0][k], r23, t->q[1][k]), r33, t->q[2][k]);
}

// ---- motion

DR_INLINE void load_gradients(const dr_manifold *m, const batch *b, dr_lanes of[9])
{
    dr_float4 item[2][DR_LANES];
    float last[DR_LANES];
    for (size_t l = 0; l < DR_LANES; l++) {
        const float *from = m->element_affine + 9 * (size_t)b->element[l];
        item[0][l] = dr_float4_load(from);
        item[1][l] = dr_float4_load(from + 4);
        last[l] = from[8];
    }
    dr_lanes_from_floats(item[0], of);
    dr_lanes_from_floats(item[1], of + 4);
    of[8] = dr_lanes_widen(last);
}

// RPIC: the symmetric part of what is carried along is damped, (7.1).
DR_INLINE void damp(const dr_manifold *m, const float *damping, const batch *b, dr_lanes of[9])
{
    dr_lanes half = dr_lanes_all(0.5 * (double)damping[m->body[b->element[0]]]), full = dr_lanes_all(1.0), mean[9];
    for (int l = 1; l < DR_LANES && m->law_count > 1; l++) half[l] = 0.5 * (double)damping[m->body[b->element[l]]];
    for (int i = 0; i < 9; i++) mean[i] = (full - half) * of[i] - half * of[3 * (i % 3) + i / 3];
    for (int i = 0; i < 9; i++) of[i] = mean[i];
}

DR_INLINE void store_affine(dr_manifold *m, const batch *b, const dr_lanes of[9])
{
    dr_float4 item[2][DR_LANES];
    float last[DR_LANES];
    dr_lanes_to_floats(of, item[0]);
    dr_lanes_to_floats(of + 4, item[1]);
    dr_lanes_narrow(last, of[8]);
    for (size_t l = 0; l < b->count; l++) {
        float *to = m->element_affine + 9 * (size_t)b->element[l];
        dr_float4_store(to, item[0][l]);
        dr_float4_store(to + 4, item[1][l]);
        to[8] = last[l];
    }
}

typedef struct sums {
    dr_lanes mass, linear[3], angular[3], place[3], kinetic, squared;
} sums;

// Of masses with affine velocities, whose part has the inertia of the kernel.
DR_INLINE void add_motion(dr_lanes mass, double inertia, const dr_lanes x[3], const dr_lanes v[3], const dr_lanes c[9],
                          sums *sum)
{
    dr_lanes squared = dot(v, v), affine = dr_lanes_all(0.0);
    const dr_lanes twist[3] = {c[7] - c[5], c[2] - c[6], c[3] - c[1]};
    for (int i = 0; i < 9; i++) affine = dr_lanes_add_product(affine, c[i], c[i]);
    for (int a = 0; a < 3; a++) {
        int next = (a + 1) % 3, last = (a + 2) % 3;
        dr_lanes turn = dr_lanes_add_product(inertia * twist[a], x[next], v[last]);
        sum->linear[a] = dr_lanes_add_product(sum->linear[a], mass, v[a]);
        sum->angular[a] = dr_lanes_add_product(sum->angular[a], mass, dr_lanes_add_product(turn, -x[last], v[next]));
        sum->place[a] = dr_lanes_add_product(sum->place[a], mass, x[a]);
    }
    sum->mass += mass;
    sum->kinetic = dr_lanes_add_product(sum->kinetic, mass, squared + inertia * affine);
    sum->squared = dr_lanes_larger(squared, sum->squared);
}

DR_INLINE bool is_damped(const dr_manifold *m, const dr_manifold_step *step)
{
    for (size_t i = 0; i < m->law_count; i++) {
        if (step->damping[i] != 0.0F) return true;
    }
    return false;
}

// Affine velocities of elements whose middles and gradients are known.
DR_INLINE void settle(dr_manifold *m, const dr_manifold_step *step, const batch *b, const dr_lanes middle[3],
                      dr_lanes of[9], sums *sum)
{
    dr_float4 item[DR_LANES];
    dr_lanes v[4];
    for (size_t l = 0; l < DR_LANES; l++) item[l] = dr_float4_load3(m->element_velocity + 3 * (size_t)b->element[l]);
    dr_lanes_from_floats(item, v);
    if (is_damped(m, step)) {
        damp(m, step->damping, b, of);
        store_affine(m, b, of);
    }
    add_motion(mask_lanes(b, 0, load_masses(m, b)), step->inertia, middle, v, of, sum);
}

DR_INLINE void store_middles(const batch *b, const dr_lanes middle[3], double *to)
{
    const dr_lanes of[4] = {middle[0], middle[1], middle[2], middle[2]};
    dr_double4 item[DR_LANES];
    dr_lanes_to_doubles(of, item);
    for (size_t l = 0; l < b->count; l++) dr_double4_store3(to + 3 * l, item[l]);
}

static void add_sums(const sums *of, dr_manifold_motion *motion)
{
    for (int a = 0; a < 3; a++) {
        motion->linear[a] += dr_lanes_total(of->linear[a]);
        motion->angular[a] += dr_lanes_total(of->angular[a]);
        motion->place[a] += dr_lanes_total(of->place[a]);
    }
    double squared = largest_of(of->squared);
    motion->mass += dr_lanes_total(of->mass);
    motion->kinetic += 0.5 * dr_lanes_total(of->kinetic);
    motion->squared = squared > motion->squared ? squared : motion->squared;
}

// ---- the end of a step

static void flow_one(dr_manifold *m, const dr_manifold_step *step, size_t e, double grid_stiffness,
                     dr_manifold_strains *sum)
{
    dr_manifold_flow_one(m, step, e);
    dr_manifold_strain_one(m, e, grid_stiffness, sum);
}

// The law after the flow sees the friction of the step.
static void flow_triangles(dr_manifold *m, const dr_manifold_step *step, const batch *b, double grid_stiffness,
                           dr_manifold_strains *sum, sums *motion, double *middle)
{
    geometry of;
    split t;
    dr_lanes gradient[9], d[4];
    dr_double4 item[DR_LANES];
    find_geometry(m, m->position, b, &of);
    load_directions(m->direction, 3, b, of.g[2]);
    load_gradients(m, b, gradient);
    carry(step, gradient, of.g[2]);
    unsigned collapsed = find_split(&of, &t);
    laws law = find_laws(m, b), slide = law;
    for (size_t l = 0; l < DR_LANES && step->friction; l++) {
        double friction = (double)step->friction[b->element[l]];
        slide.friction[l] = friction > law.friction[l] ? friction : law.friction[l];
    }
    return_lanes(&slide, &t, of.g[2]);
    for (int a = 0; a < 3; a++) d[a] = of.g[2][a];
    d[3] = d[2];
    dr_lanes_to_doubles(d, item);
    for (size_t l = 0; l < DR_LANES; l++) {
        if (counts(b, collapsed, l)) dr_double4_store3(m->direction + 3 * (size_t)b->element[l], item[l]);
    }
    t.r13 = dot(t.q[0], of.g[2]);
    t.r23 = dot(t.q[1], of.g[2]);
    t.r33 = dot(t.q[2], of.g[2]);
    strain_split(m, b, collapsed, &of, &law, &t, grid_stiffness, sum);
    for (size_t l = 0; l < b->count && collapsed; l++) {
        if (!counts(b, collapsed, l)) flow_one(m, step, b->element[l], grid_stiffness, sum);
    }
    settle(m, step, b, of.middle, gradient, motion);
    store_middles(b, of.middle, middle);
}

static void flow_segments(dr_manifold *m, const dr_manifold_step *step, const batch *b, double grid_stiffness,
                          dr_manifold_strains *sum, sums *motion, double *middle)
{
    double place[3][DR_LANES] = {{0.0}};
    dr_lanes gradient[9], x[3];
    for (size_t l = 0; l < b->count; l++) {
        flow_one(m, step, b->element[l], grid_stiffness, sum);
        dr_manifold_middle(m, b->element[l], middle + 3 * l);
        for (size_t a = 0; a < 3; a++) place[a][l] = middle[3 * l + a];
    }
    for (int a = 0; a < 3; a++) x[a] = dr_lanes_load(place[a]);
    load_gradients(m, b, gradient);
    settle(m, step, b, x, gradient, motion);
}

static void flow_lanes(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end, double grid_stiffness,
                       dr_manifold_strains *strains, dr_manifold_motion *motion, double *middle)
{
    sums sum;
    memset(&sum, 0, sizeof sum);
    for (size_t e = begin; e < end; e += DR_LANES) {
        batch b = take_batch(e, end - e);
        if (m->corners == 3)
            flow_triangles(m, step, &b, grid_stiffness, strains, &sum, middle + 3 * (e - begin));
        else
            flow_segments(m, step, &b, grid_stiffness, strains, &sum, middle + 3 * (e - begin));
    }
    add_sums(&sum, motion);
}

#endif
