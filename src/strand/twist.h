// Twist at a vertex: E = k/2 (m - rest)^2, m the angle between the frames of its edges. docs/theory/rods.md, eq. (10),
// (15), (20).
#ifndef DR_STRAND_TWIST_H
#define DR_STRAND_TWIST_H

#include "strand/joint.h"

typedef struct dr_twist {
    dr_lanes rest, stiffness; // k_t / length of the vertex
} dr_twist;

DR_INLINE dr_lanes dr_twist_energy(dr_lanes twist, const dr_twist *law, dr_lanes *energy)
{
    dr_lanes strain = twist - law->rest, torque = law->stiffness * strain;
    *energy += 0.5 * torque * strain;
    return torque;
}

// Second derivatives of the twist, times the torque. (20)
DR_INLINE void dr_twist_geometric(const dr_joint *at, dr_lanes torque, dr_joint_sum *sum)
{
    dr_lanes weight = at->geometric * torque;
    dr_lanes3 quarter = dr_lanes3_scale(-0.25 * weight, at->kb);
    sum->ee = dr_lanes_add_pair(sum->ee, quarter, dr_lanes3_add(at->e.t, at->mean));
    sum->ff = dr_lanes_add_pair(sum->ff, quarter, dr_lanes3_add(at->f.t, at->mean));
    dr_joint_add_product(sum->ef, dr_lanes3_scale(-0.5 * weight, at->kb), at->mean);
    dr_joint_add_cross(sum->ef, dr_lanes3_scale(weight * at->chi_inverse, at->e.t));
}

DR_INLINE void dr_twist_add(const dr_joint *at, dr_lanes twist, const dr_twist *law, dr_joint_sum *sum)
{
    dr_lanes torque = dr_twist_energy(twist, law, &sum->energy), k = law->stiffness;
    dr_lanes3 half = dr_lanes3_scale(dr_lanes_all(0.5), at->kb), heavy = dr_lanes3_scale(k, half);
    sum->e = dr_lanes3_add_scaled(sum->e, torque, half);
    sum->f = dr_lanes3_add_scaled(sum->f, torque, half);
    sum->turn_e -= torque;
    sum->turn_f += torque;
    sum->ee = dr_lanes_add_square(sum->ee, heavy, half);
    sum->ff = dr_lanes_add_square(sum->ff, heavy, half);
    dr_joint_add_product(sum->ef, heavy, half);
    sum->e_turn_e = dr_lanes3_sub(sum->e_turn_e, heavy);
    sum->e_turn_f = dr_lanes3_add(sum->e_turn_f, heavy);
    sum->f_turn_e = dr_lanes3_sub(sum->f_turn_e, heavy);
    sum->f_turn_f = dr_lanes3_add(sum->f_turn_f, heavy);
    sum->turn_ee += k;
    sum->turn_ff += k;
    sum->turn_ef -= k;
    dr_twist_geometric(at, torque, sum);
}

#endif
