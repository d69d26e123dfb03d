// Material frames of edges and how they are carried along. docs/theory/rods.md, eq. (1)-(4).
// A frame is its first director m1 (unit, across the edge); the second is t cross m1. When an edge turns from tangent s
// to tangent t, the director follows by the smallest rotation that does it, then by the turn of the edge about itself.
#ifndef DR_STRAND_PARALLEL_TRANSPORT_H
#define DR_STRAND_PARALLEL_TRANSPORT_H

#include "strand/lanes.h"

#include <math.h>

// The smallest rotation from unit s to unit t, applied to u. (1) An edge that turns round completely leaves u, which is
// across both, where it is.
DR_INLINE dr_lanes3 dr_transport_vector(dr_lanes3 s, dr_lanes3 t, dr_lanes3 u)
{
    dr_lanes3 b = dr_lanes3_cross(s, t);
    dr_lanes c = dr_lanes3_dot(s, t), beyond = 1.0 + c;
    dr_lanes_mask reversed = (dr_lanes_mask)(beyond < dr_lanes_all(1e-12));
    beyond = dr_lanes_select(reversed, dr_lanes_all(1.0), beyond);
    dr_lanes3 carried = dr_lanes3_add_scaled(dr_lanes3_scale(c, u), dr_lanes3_dot(b, u) / beyond, b);
    carried = dr_lanes3_add(carried, dr_lanes3_cross(b, u));
    return dr_lanes3_select(reversed, u, carried);
}

// Unit, and across t: takes off what rounding has added. One Newton iteration for the length, which is nearly right.
DR_INLINE dr_lanes3 dr_transport_clean(dr_lanes3 t, dr_lanes3 u)
{
    u = dr_lanes3_add_scaled(u, -dr_lanes3_dot(u, t), t);
    return dr_lanes3_scale(1.5 - 0.5 * dr_lanes3_dot(u, u), u);
}

// Sine and cosine: series up to 45 degrees, which is where the turns of one iteration lie; the library's beyond.
DR_INLINE void dr_transport_sine_cosine(dr_lanes angle, dr_lanes *sine, dr_lanes *cosine)
{
    if (dr_lanes_any_less(dr_lanes_all(0.79), dr_lanes_absolute(angle))) {
        dr_lanes s = angle, c = angle;
        for (int i = 0; i < DR_LANES; i++) {
            s[i] = sin(angle[i]);
            c[i] = cos(angle[i]);
        }
        *sine = s;
        *cosine = c;
        return;
    }
    dr_lanes q = angle * angle, s = dr_lanes_all(1.0), c = dr_lanes_all(1.0);
    for (int k = 9; k >= 1; k--) {
        s = 1.0 - q * s * (1.0 / (2.0 * k * (2.0 * k + 1.0)));
        c = 1.0 - q * c * (1.0 / (2.0 * k * (2.0 * k - 1.0)));
    }
    *sine = angle * s;
    *cosine = c;
}

// The angle of the unit vector (cosine, sine): twice the angle of its half, by a polynomial fitted to atan up to
// tan(45 degrees / 2), to rounding; the library's beyond 45 degrees.
DR_INLINE dr_lanes dr_transport_angle(dr_lanes sine, dr_lanes cosine)
{
    static const double fit[11] = {-0.33333333333333331,  0.19999999999995499,   -0.14285714284662226,
                                   0.11111111014909221,   -0.090909045640223674, 0.076921828633096934,
                                   -0.066645068351332631, 0.05858108856106755,   -0.050852401741548779,
                                   0.039225605595861072,  -0.019169476385361265};
    if (dr_lanes_any_less(cosine, dr_lanes_all(0.7072))) {
        dr_lanes angle;
        for (int i = 0; i < DR_LANES; i++) angle[i] = atan2(sine[i], cosine[i]);
        return angle;
    }
    dr_lanes z = sine / (1.0 + cosine), q = z * z, p = dr_lanes_all(fit[10]);
    for (int k = 9; k >= 0; k--) p = fit[k] + q * p;
    return 2.0 * (z + z * q * p);
}

// How far the frame of edge f is turned against that of edge e carried over to it, within half a turn. (3)
DR_INLINE dr_lanes dr_transport_twist(dr_lanes3 te, dr_lanes3 me, dr_lanes3 tf, dr_lanes3 mf)
{
    dr_lanes3 carried = dr_transport_vector(te, tf, me);
    return dr_transport_angle(dr_lanes3_dot(tf, dr_lanes3_cross(carried, mf)), dr_lanes3_dot(carried, mf));
}

// The branch of `angle` nearest to `near`: counts whole turns. (4)
DR_INLINE dr_lanes dr_transport_unwrap(dr_lanes angle, dr_lanes near)
{
    const double turn = 6.283185307179586;
    dr_lanes difference = near - angle;
    if (!dr_lanes_any_less(dr_lanes_all(3.14), dr_lanes_absolute(difference))) return angle;
    for (int i = 0; i < DR_LANES; i++) angle[i] += turn * nearbyint(difference[i] / turn);
    return angle;
}

#endif
