// Two edges that meet at a vertex, and what bending and twist add up there. docs/theory/rods.md, eq. (5)-(7), (18).
//   e, f     the edge before and the edge after the vertex      te, tf  their tangents
//   me, mf   first directors                                    chi     1 + te . tf
//   kb       curvature binormal: kb = H te x tf, H = 2/chi, bounded where the edges fold back on each other
// Derivatives by edges are kept per unit of tangent: dr_joint_finish divides by the edges' lengths.
#ifndef DR_STRAND_JOINT_H
#define DR_STRAND_JOINT_H

#include "strand/parallel_transport.h"

typedef struct dr_edge {
    dr_lanes3 t, m1, m2;
    dr_lanes inverse; // of its length
} dr_edge;

typedef struct dr_joint {
    dr_edge e, f;
    dr_lanes3 across;                   // te x tf
    dr_lanes3 kb, mean;                 // (te + tf)/chi
    dr_lanes h, h_inverse, chi_inverse; // H, 1/H, 1/chi
    dr_lanes3 qe, qf;   // d kappa/de = H tf x w + (w . across) qe, d kappa/df = H w x te + (w . across) qf
    dr_lanes geometric; // share of the second derivatives that the matrix takes: 1, or 0 for Gauss-Newton
} dr_joint;

typedef struct dr_joint_sum {
    dr_lanes energy;
    dr_lanes3 e, f; // gradient
    dr_lanes turn_e, turn_f;
    dr_lanes_symmetric ee, ff; // matrix
    dr_lanes ef[3][3];
    dr_lanes3 e_turn_e, e_turn_f, f_turn_e, f_turn_f;
    dr_lanes turn_ee, turn_ef, turn_ff;
} dr_joint_sum;

#define DR_JOINT_FOLD 0.02 // chi below which the curvature is continued boundedly: edges within 11.5 degrees of a fold

// The bounded continuation: kappa grows linearly in the sine of half the angle from chi = DR_JOINT_FOLD on, with the
// slope it has there. (7)
DR_INLINE void dr_joint_fold(dr_lanes chi, dr_lanes *h, dr_lanes *slope)
{
    const double fold = DR_JOINT_FOLD, sine_there = sqrt(1.0 - 0.5 * fold);
    const double value = 2.0 * sine_there / sqrt(0.5 * fold), growth = 2.0 * pow(2.0 / fold, 1.5);
    dr_lanes_mask folded = (dr_lanes_mask)(chi < dr_lanes_all(fold));
    dr_lanes safe = dr_lanes_select((dr_lanes_mask)(chi > dr_lanes_all(1e-12)), chi, dr_lanes_all(1e-12));
    dr_lanes sine = dr_lanes_sqrt(1.0 - 0.5 * safe), cosine = dr_lanes_sqrt(0.5 * safe);
    dr_lanes size = value + growth * (sine - sine_there), bounded = size / (2.0 * sine * cosine);
    // d/dchi: sine' = -1/(4 sine), cosine' = 1/(4 cosine)
    dr_lanes change =
        -growth / (8.0 * sine * sine * cosine) + bounded * (0.25 / (sine * sine) - 0.25 / (cosine * cosine));
    *h = dr_lanes_select(folded, bounded, *h);
    *slope = dr_lanes_select(folded, change, *slope);
}

DR_INLINE dr_joint dr_joint_open(dr_edge e, dr_edge f, dr_lanes geometric)
{
    dr_joint at = {.e = e, .f = f, .geometric = geometric};
    dr_lanes3 sum = dr_lanes3_add(e.t, f.t);
    dr_lanes chi = 0.5 * dr_lanes3_dot(sum, sum);
    at.across = dr_lanes3_cross(e.t, f.t);
    dr_lanes limited = dr_lanes_larger(chi, dr_lanes_all(1e-12));
    at.chi_inverse = 1.0 / limited;
    at.mean = dr_lanes3_scale(at.chi_inverse, sum);
    at.h = 2.0 * at.chi_inverse;
    at.h_inverse = 0.5 * limited;
    at.qe = at.qf = dr_lanes3_scale(-at.h, at.mean);
    if (dr_lanes_any_less(chi, dr_lanes_all(DR_JOINT_FOLD))) {
        dr_lanes slope = -at.h * at.chi_inverse, cosine = chi - 1.0;
        dr_joint_fold(chi, &at.h, &slope);
        at.h_inverse = 1.0 / at.h;
        dr_lanes own = -(at.h + slope * cosine);
        at.qe = dr_lanes3_add_scaled(dr_lanes3_scale(slope, f.t), own, e.t);
        at.qf = dr_lanes3_add_scaled(dr_lanes3_scale(slope, e.t), own, f.t);
        dr_lanes_mask folded = (dr_lanes_mask)(chi < dr_lanes_all(DR_JOINT_FOLD));
        at.geometric = dr_lanes_select(folded, dr_lanes_all(0.0), geometric);
        at.chi_inverse = dr_lanes_select(folded, dr_lanes_all(0.0), at.chi_inverse);
        at.mean = dr_lanes3_select(folded, dr_lanes3_scale(dr_lanes_all(0.0), sum), at.mean);
    }
    at.kb = dr_lanes3_scale(at.h, at.across);
    return at;
}

// H tf x w + (w . across) qe, and the same for f: the derivative of w . kb by the tangents.
DR_INLINE dr_lanes3 dr_joint_by_e(const dr_joint *at, dr_lanes3 w, dr_lanes along)
{
    return dr_lanes3_add_scaled(dr_lanes3_scale(at->h, dr_lanes3_cross(at->f.t, w)), along, at->qe);
}

DR_INLINE dr_lanes3 dr_joint_by_f(const dr_joint *at, dr_lanes3 w, dr_lanes along)
{
    return dr_lanes3_add_scaled(dr_lanes3_scale(at->h, dr_lanes3_cross(w, at->e.t)), along, at->qf);
}

// ef + a b^T
DR_INLINE void dr_joint_add_product(dr_lanes ef[3][3], dr_lanes3 a, dr_lanes3 b)
{
    ef[0][0] += a.x * b.x;
    ef[0][1] += a.x * b.y;
    ef[0][2] += a.x * b.z;
    ef[1][0] += a.y * b.x;
    ef[1][1] += a.y * b.y;
    ef[1][2] += a.y * b.z;
    ef[2][0] += a.z * b.x;
    ef[2][1] += a.z * b.y;
    ef[2][2] += a.z * b.z;
}

// ef + [a]x
DR_INLINE void dr_joint_add_cross(dr_lanes ef[3][3], dr_lanes3 a)
{
    ef[0][1] -= a.z;
    ef[0][2] += a.y;
    ef[1][0] += a.z;
    ef[1][2] -= a.x;
    ef[2][0] -= a.y;
    ef[2][1] += a.x;
}

DR_INLINE void dr_joint_finish(const dr_joint *at, dr_joint_sum *sum)
{
    dr_lanes by_e = at->e.inverse, by_f = at->f.inverse, by_ef = by_e * by_f;
    sum->e = dr_lanes3_scale(by_e, sum->e);
    sum->f = dr_lanes3_scale(by_f, sum->f);
    sum->ee = dr_lanes_symmetric_scale(by_e * by_e, sum->ee);
    sum->ff = dr_lanes_symmetric_scale(by_f * by_f, sum->ff);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) sum->ef[a][b] *= by_ef;
    }
    sum->e_turn_e = dr_lanes3_scale(by_e, sum->e_turn_e);
    sum->e_turn_f = dr_lanes3_scale(by_e, sum->e_turn_f);
    sum->f_turn_e = dr_lanes3_scale(by_f, sum->f_turn_e);
    sum->f_turn_f = dr_lanes3_scale(by_f, sum->f_turn_f);
}

#endif
