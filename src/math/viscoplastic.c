// docs/theory/rheology.md, eq. (4)-(6).
#include "math/viscoplastic.h"

#include <math.h>
#include <stdbool.h>

// gamma of eta gamma^n + drag gamma = phi, n not 1. Newton: for n below 1 the residual is concave and iterates come
// from below, for n above 1 it is convex and they come from above.
static double flow_rate(const dr_viscoplastic *law, double phi, double drag)
{
    double eta = law->consistency, n = law->index;
    double gamma = fmin(phi / drag, pow(phi / eta, 1.0 / n));
    for (int i = 0; i < 40; i++) {
        double power = eta * pow(gamma, n), residual = power + drag * gamma - phi;
        double next = gamma - residual * gamma / (n * power + drag * gamma);
        if (!(next > 0.0)) next = 0.5 * gamma;
        bool done = fabs(next - gamma) <= 1e-8 * gamma; // what is left is the square of it
        gamma = next;
        if (done) break;
    }
    return gamma;
}

dr_return_map dr_viscoplastic_return(const dr_viscoplastic *law, double trial, double modulus, double dt)
{
    double phi = trial - law->yield, drag = 2.0 * modulus * dt;
    if (!(phi > 0.0)) return (dr_return_map){trial, 1.0, 0.0};
    if (!(law->consistency > 0.0)) return (dr_return_map){law->yield, 0.0, 0.0};
    if (!(drag > 0.0)) return (dr_return_map){trial, 1.0, 0.0};
    double gamma, over;
    if (law->index == 1.0) {
        gamma = phi / (law->consistency + drag);
        over = law->consistency * gamma;
    } else {
        gamma = flow_rate(law, phi, drag);
        over = phi - drag * gamma;
        if (over < 0.5 * phi) over = law->consistency * pow(gamma, law->index); // the sum without the cancellation
    }
    double slope = over > 0.0 ? gamma / (law->index * over) : 0.0; // of gamma by the stress
    double share = 1.0 / (1.0 + drag * slope);
    return (dr_return_map){law->yield + over, share, -2.0 * dt * gamma * share};
}
