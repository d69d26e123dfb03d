// Bending at a vertex: four curvatures, two seen from the frame of either edge. docs/theory/rods.md, eq. (9),
// (12)-(13), (16)-(18).
//   E = 1/2 sum over edges j and directions k of b_k (kappa_jk - rest_jk)^2,  kappa_j1 = m2 . kb, kappa_j2 = -m1 . kb
// With W = sum of moments rho_jk w_jk all second derivatives together cost one evaluation: kappa is linear in w.
#ifndef DR_STRAND_BEND_H
#define DR_STRAND_BEND_H

#include "strand/joint.h"

typedef struct dr_bend {
    dr_lanes rest[4];      // of e: 1, 2; of f: 1, 2
    dr_lanes stiffness[2]; // b_1, b_2
} dr_bend;

typedef struct dr_bend_moments {
    dr_lanes kappa[4], rho[4];
} dr_bend_moments;

DR_INLINE dr_bend_moments dr_bend_energy(const dr_joint *at, const dr_bend *law, dr_lanes *energy)
{
    dr_bend_moments out;
    out.kappa[0] = dr_lanes3_dot(at->e.m2, at->kb);
    out.kappa[1] = -dr_lanes3_dot(at->e.m1, at->kb);
    out.kappa[2] = dr_lanes3_dot(at->f.m2, at->kb);
    out.kappa[3] = -dr_lanes3_dot(at->f.m1, at->kb);
    for (int i = 0; i < 4; i++) {
        dr_lanes strain = out.kappa[i] - law->rest[i];
        out.rho[i] = law->stiffness[i & 1] * strain;
        *energy += 0.5 * out.rho[i] * strain;
    }
    return out;
}

// sum of b g g^T for one curvature of direction w: the Gauss-Newton part. (16)
DR_INLINE void dr_bend_square(const dr_joint *at, dr_lanes3 w, dr_lanes kappa, dr_lanes stiffness, dr_joint_sum *sum)
{
    dr_lanes along = kappa * at->h_inverse;
    dr_lanes3 by_e = dr_joint_by_e(at, w, along), by_f = dr_joint_by_f(at, w, along);
    dr_lanes3 heavy_e = dr_lanes3_scale(stiffness, by_e), heavy_f = dr_lanes3_scale(stiffness, by_f);
    sum->ee = dr_lanes_add_square(sum->ee, heavy_e, by_e);
    sum->ff = dr_lanes_add_square(sum->ff, heavy_f, by_f);
    dr_joint_add_product(sum->ef, heavy_e, by_f);
}

// Second derivatives of the curvatures, times their moments. (17)
DR_INLINE void dr_bend_geometric(const dr_joint *at, dr_lanes3 we, dr_lanes3 wf, dr_lanes3 by_e, dr_lanes3 by_f,
                                 dr_joint_sum *sum)
{
    dr_lanes share = at->geometric;
    dr_lanes3 w = dr_lanes3_scale(share, dr_lanes3_add(we, wf));
    dr_lanes round = dr_lanes3_dot(w, at->kb) * at->chi_inverse;
    dr_lanes3 minus_mean = dr_lanes3_scale(-share, at->mean), half = dr_lanes3_scale(0.5 * share, at->kb);
    sum->ee = dr_lanes_add_pair(sum->ee, by_e, minus_mean);
    sum->ee = dr_lanes_add_pair(sum->ee, half, we);
    sum->ee = dr_lanes_add_square(sum->ee, dr_lanes3_scale(round, at->e.t), at->e.t);
    sum->ff = dr_lanes_add_pair(sum->ff, by_f, minus_mean);
    sum->ff = dr_lanes_add_pair(sum->ff, half, wf);
    sum->ff = dr_lanes_add_square(sum->ff, dr_lanes3_scale(round, at->f.t), at->f.t);
    sum->ee.xx -= round, sum->ee.yy -= round, sum->ee.zz -= round;
    sum->ff.xx -= round, sum->ff.yy -= round, sum->ff.zz -= round;
    dr_joint_add_product(sum->ef, by_e, minus_mean);
    dr_joint_add_product(sum->ef, minus_mean, by_f);
    dr_joint_add_product(sum->ef, dr_lanes3_scale(-round, at->e.t), at->f.t);
    dr_joint_add_cross(sum->ef, dr_lanes3_scale(-at->h, w));
    for (int a = 0; a < 3; a++) sum->ef[a][a] -= round;
}

// What one edge's turn adds: rows of the edges against it, and its own. kappa_1' = kappa_2, kappa_2' = -kappa_1. (13)
DR_INLINE void dr_bend_turn(const dr_joint *at, const dr_edge *edge, const dr_lanes kappa[2], const dr_lanes rho[2],
                            const dr_lanes stiffness[2], dr_lanes3 *by_e, dr_lanes3 *by_f, dr_lanes *own)
{
    dr_lanes first = stiffness[0] * kappa[1] - at->geometric * rho[1];
    dr_lanes second = stiffness[1] * kappa[0] - at->geometric * rho[0];
    dr_lanes3 w = dr_lanes3_add_scaled(dr_lanes3_scale(first, edge->m2), second, edge->m1);
    dr_lanes along = dr_lanes3_dot(w, at->across);
    *by_e = dr_lanes3_add(*by_e, dr_joint_by_e(at, w, along));
    *by_f = dr_lanes3_add(*by_f, dr_joint_by_f(at, w, along));
    *own += stiffness[0] * kappa[1] * kappa[1] + stiffness[1] * kappa[0] * kappa[0] -
            at->geometric * (rho[0] * kappa[0] + rho[1] * kappa[1]);
}

DR_INLINE void dr_bend_add(const dr_joint *at, const dr_bend *law, dr_joint_sum *sum)
{
    dr_bend_moments here = dr_bend_energy(at, law, &sum->energy);
    const dr_lanes *kappa = here.kappa, *rho = here.rho;
    dr_lanes3 we = dr_lanes3_add_scaled(dr_lanes3_scale(rho[0], at->e.m2), -rho[1], at->e.m1);
    dr_lanes3 wf = dr_lanes3_add_scaled(dr_lanes3_scale(rho[2], at->f.m2), -rho[3], at->f.m1);
    dr_lanes3 w = dr_lanes3_add(we, wf);
    dr_lanes along = dr_lanes3_dot(w, at->across);
    dr_lanes3 by_e = dr_joint_by_e(at, w, along), by_f = dr_joint_by_f(at, w, along);
    sum->e = dr_lanes3_add(sum->e, by_e);
    sum->f = dr_lanes3_add(sum->f, by_f);
    sum->turn_e += rho[0] * kappa[1] - rho[1] * kappa[0];
    sum->turn_f += rho[2] * kappa[3] - rho[3] * kappa[2];
    dr_bend_square(at, at->e.m2, kappa[0], law->stiffness[0], sum);
    dr_bend_square(at, at->e.m1, -kappa[1], law->stiffness[1], sum);
    dr_bend_square(at, at->f.m2, kappa[2], law->stiffness[0], sum);
    dr_bend_square(at, at->f.m1, -kappa[3], law->stiffness[1], sum);
    dr_bend_geometric(at, we, wf, by_e, by_f, sum);
    dr_bend_turn(at, &at->e, kappa, rho, law->stiffness, &sum->e_turn_e, &sum->f_turn_e, &sum->turn_ee);
    dr_bend_turn(at, &at->f, kappa + 2, rho + 2, law->stiffness, &sum->e_turn_f, &sum->f_turn_f, &sum->turn_ff);
}

#endif
