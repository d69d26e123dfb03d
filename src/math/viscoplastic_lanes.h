// What stays of a stress beyond yield in a step, several at once. docs/theory/rheology.md, eq. (4)-(5).
#ifndef DR_MATH_VISCOPLASTIC_LANES_H
#define DR_MATH_VISCOPLASTIC_LANES_H

#include "math/lanes_math.h"

#define DR_VISCOPLASTIC_SMALLEST 1e-200 // stands for nothing where logarithms are taken
#define DR_VISCOPLASTIC_ROUNDS   3 // of Halley's method: the error is below 1e-9 for indices 0.1 .. 4; the last is short

// ln x of 1 <= x <= 2, to 2e-6 there and the better the nearer to 1.
DR_INLINE dr_lanes dr_viscoplastic_near_log(dr_lanes x)
{
    dr_lanes one = dr_lanes_all(1.0), s = (x - one) / (x + one), s2 = s * s;
    dr_lanes sum = dr_lanes_add_product(dr_lanes_all(1.0 / 7.0), s2, dr_lanes_all(1.0 / 9.0));
    sum = dr_lanes_add_product(dr_lanes_all(1.0 / 5.0), s2, sum);
    sum = dr_lanes_add_product(dr_lanes_all(1.0 / 3.0), s2, sum);
    return dr_lanes_all(2.0) * dr_lanes_add_product(s, s * s2, sum);
}

// Halley's step of y for ln(power + flows) = 0, power = a e^(n y), flows = e^y; square: (1 - n)^2.
DR_INLINE dr_lanes dr_viscoplastic_change(dr_lanes n, dr_lanes square, dr_lanes power, dr_lanes flows)
{
    dr_lanes two = dr_lanes_all(2.0), sum = power + flows, f = dr_viscoplastic_near_log(sum);
    dr_lanes slope = dr_lanes_add_product(flows, n, power), bend = power * flows * square;
    return two * f * slope * sum / (f * bend - two * slope * slope);
}

// With z the part of phi > 0 that flows, phi (1 - z) = eta (phi z/drag)^n: ln(a z^n + z) = 0 is solved for ln z, a
// convex function with slopes between n and 1; both terms bound the root.
DR_INLINE dr_lanes dr_viscoplastic_stays(dr_lanes eta, dr_lanes n, dr_lanes phi, dr_lanes drag)
{
    dr_lanes one = dr_lanes_all(1.0), small = dr_lanes_all(DR_VISCOPLASTIC_SMALLEST);
    dr_lanes a = dr_lanes_log(dr_lanes_larger(eta, small)) + (n - one) * dr_lanes_log(phi) -
                 n * dr_lanes_log(dr_lanes_larger(drag, small));
    dr_lanes y = dr_lanes_smaller(dr_lanes_all(0.0), -a / n), square = (one - n) * (one - n), power, flows, change;
    for (int i = 0; i < DR_VISCOPLASTIC_ROUNDS; i++) {
        power = dr_lanes_exp(dr_lanes_add_product(a, n, y));
        flows = dr_lanes_exp(y);
        change = dr_viscoplastic_change(n, square, power, flows);
        y += change;
    }
    power *= dr_lanes_exp_small(n * change);
    flows *= dr_lanes_exp_small(change);
    return phi * power / (power + flows);
}

#endif
