// Strain and flow of triangles, as many side by side as a register holds doubles: the formulas of triangular.c,
// surface.c and manifold.c, lane by lane. A batch with a triangle that has collapsed goes the way of single ones.
// docs/theory/codim.md, sections 2, 3 and 5.
#include "codim/triangle_lanes.h"

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

// Loads and sums of triangles whose split is known.
DR_INLINE void strain_split(dr_manifold *m, const batch *b, const geometry *of, const laws *law, const split *t,
                            double grid_stiffness, dr_manifold_strains *sum)
{
    outcome out;
    double lanes[DR_LANES], along[DR_LANES], across[DR_LANES];
    find_stress(law, t, &out);
    for (int l = 0; l < DR_LANES; l++) lanes[l] = m->volume[b->element[l]];
    dr_lanes volume = dr_lanes_load(lanes), over = 4.0 / law->density, x = of->rest[0] + of->rest[2];
    dr_lanes y = of->rest[1] + of->rest[3], steep = x * x + y * y;
    for (int i = 0; i < 4; i++) steep += of->rest[i] * of->rest[i];
    store_loads(m, b, of, volume, &out);
    dr_lanes_store(lanes, volume * out.energy);
    dr_lanes_store(along, over * out.along * steep);
    dr_lanes_store(across, over * out.across * grid_stiffness);
    for (size_t l = 0; l < b->count; l++) {
        sum->energy += lanes[l];
        sum->along = along[l] > sum->along ? along[l] : sum->along;
        sum->across = across[l] > sum->across ? across[l] : sum->across;
    }
}

static bool strain_batch(dr_manifold *m, const batch *b, double grid_stiffness, dr_manifold_strains *sum)
{
    geometry of;
    split t;
    find_geometry(m, m->position, b, &of);
    load_directions(m->direction, b, of.g[2]);
    if (!find_split(&of, &t)) return false;
    laws law = find_laws(m, b);
    strain_split(m, b, &of, &law, &t, grid_stiffness, sum);
    return true;
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

DR_INLINE void carry(const dr_manifold_step *step, const float *gradient, const batch *b, dr_lanes d[3])
{
    double lanes[9][DR_LANES];
    dr_lanes of[9], once[3], twice[3], dt = dr_lanes_all(step->dt);
    for (size_t l = 0; l < DR_LANES; l++) {
        const float *from = gradient + 9 * (size_t)b->element[l];
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

// The law after the flow sees the friction of the step.
static bool flow_batch(dr_manifold *m, const dr_manifold_step *step, const batch *b, const double *friction,
                       double grid_stiffness, dr_manifold_strains *sum)
{
    geometry of;
    split t;
    double lanes[3][DR_LANES];
    find_geometry(m, m->position, b, &of);
    load_directions(m->direction, b, of.g[2]);
    carry(step, m->element_affine, b, of.g[2]);
    if (!find_split(&of, &t)) return false;
    laws law = find_laws(m, b), slide = law;
    for (size_t l = 0; l < b->count && friction; l++)
        slide.friction[l] = friction[l] > law.friction[l] ? friction[l] : law.friction[l];
    return_lanes(&slide, &t, of.g[2]);
    for (int a = 0; a < 3; a++) dr_lanes_store(lanes[a], of.g[2][a]);
    for (size_t l = 0; l < b->count; l++) {
        double *d = m->direction + 6 * (size_t)b->element[l];
        for (int a = 0; a < 3; a++) d[a] = lanes[a][l];
    }
    t.r13 = dot(t.q[0], of.g[2]);
    t.r23 = dot(t.q[1], of.g[2]);
    t.r33 = dot(t.q[2], of.g[2]);
    strain_split(m, b, &of, &law, &t, grid_stiffness, sum);
    return true;
}

dr_manifold_strains dr_manifold_flow(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end,
                                     double grid_stiffness)
{
    dr_manifold_strains sum = {0};
    for (size_t e = begin; e < end; e += DR_LANES) {
        batch b = take_batch(NULL, e, end - e);
        const double *friction = step->friction ? step->friction + (e - begin) : NULL;
        if (m->corners == 3 && flow_batch(m, step, &b, friction, grid_stiffness, &sum)) continue;
        for (size_t l = 0; l < b.count; l++) {
            dr_manifold_flow_one(m, step, e + l, m->element_affine + 9 * (e + l), friction ? friction[l] : 0.0);
            dr_manifold_strain_one(m, e + l, grid_stiffness, &sum);
        }
    }
    return sum;
}
