// Drag laws of fibres. docs/theory/strands_in_liquid.md, eq. (2)-(6).
//   q   superficial velocity, share of the pores times that of the liquid in them
//   d   drag per length over viscosity and q
#include "mixture/drag.h"

#include "math/scalar.h"

#include <math.h>

#define PI 3.141592653589793

// ---- alone

// The law at a capsule of this length over its radius, whatever the length of the element. Half: 9 % more drag across
// at small Reynolds numbers; twice: 27 % less.
#define SLENDERNESS 12.0

#define INERTIAL 0.44                // drag coefficient of a body at large Reynolds numbers
#define B        0.09298859686660957 // e^3 / 216, of a Newtonian liquid
#define BETA     (11.0 / 48.0)

// The drag coefficient over that of creeping flow, which is 24 / Re; surface: over the area that is projected; power:
// of the middle term. eq. (3)
static double beyond_creeping(double creeping, double surface, double power)
{
    double middle = surface * INERTIAL * power;
    return 1.0 + (middle + INERTIAL * 6.0 * B / (6.0 * B + 128.0 * creeping)) / creeping;
}

// Per length, of a capsule with this area across the flow, over the radius squared; `least` where that is more. eq. (2)
static double capsule_drag(const dr_drag_flow *flow, double area, double least)
{
    double diameter = 2.0 * sqrt(area / PI), surface = PI * (2.0 * SLENDERNESS + 4.0) / area;
    double reynolds =
        flow->viscosity > 0.0 ? flow->density * diameter * flow->radius * flow->speed / flow->viscosity : 0.0;
    double plain = 12.0 * flow->viscosity * area / (diameter * SLENDERNESS);
    if (!(reynolds > 0.0)) return dr_max_double(plain, least);
    double creeping = 24.0 / reynolds, x = creeping * creeping * 6.0 * B / (6.0 * B + creeping);
    double rough = x > 1.0 ? sqrt(sqrt(x)) : 1.0; // no less than x^BETA
    if (plain * beyond_creeping(creeping, surface, rough) <= least) return least;
    return dr_max_double(plain * beyond_creeping(creeping, surface, pow(x, BETA)), least);
}

static dr_drag drag_alone(const dr_drag_flow *flow, dr_drag least)
{
    return (dr_drag){capsule_drag(flow, PI, least.along), capsule_drag(flow, 2.0 * SLENDERNESS + PI, least.across)};
}

dr_drag dr_drag_alone(const dr_drag_flow *flow)
{
    return drag_alone(flow, (dr_drag){0.0, 0.0});
}

// ---- among others

// The fit for drag across has a maximum at a share of 0.397 that the flow has not; it is used up to below that.
#define DENSEST  0.35
#define THINNEST 1e-6

#define QUADRATIC 0.14288690166235205 // 1.75 / sqrt(150), of Ergun's law

dr_drag dr_drag_array(const dr_drag_flow *flow)
{
    double s = dr_clamp_double(flow->share, THINNEST, DENSEST), mu = flow->viscosity;
    double thin = -log(s) - 1.476 + 2.0 * s;
    double along = 4.0 * PI / (thin - 0.5 * s * s), across = 8.0 * PI / (thin - 1.774 * s * s + 4.078 * s * s * s);
    double fast = flow->radius * QUADRATIC * flow->density * flow->speed;
    return (dr_drag){mu * along + fast * sqrt(along), mu * across + fast * sqrt(across)};
}

// ---- in thick liquid

// Below this speed the hold of a yield stress is that of this speed, cm/s. Half: what is held sinks half as fast;
// twice: twice as fast.
#define SLOWEST 1e-4

typedef struct renaud {
    double x, b, k, beta;
} renaud;

static renaud renaud_of(double n)
{
    double alpha = 3.0 / (n * n + n + 1.0), half = (3.0 - alpha) / (2.0 * alpha), six = sqrt(6.0);
    return (renaud){.x = pow(6.0, 0.5 * (n - 1.0)) * pow(alpha, n + 1.0),
                    .b = exp(3.0 * (alpha - log(6.0))),
                    .k = half / 3.0 * pow(3.0, half),
                    .beta = 11.0 * six / 48.0 * (1.0 - pow((six - 1.0) / six, half * half))};
}

double dr_drag_coefficient(double reynolds, double index, double surface)
{
    renaud c = renaud_of(index);
    double creeping = 24.0 * c.x / reynolds, six = 6.0 * c.x * c.b;
    return creeping + surface * INERTIAL * pow(creeping, 2.0 * c.beta) * c.k * pow(six / (six + creeping), c.beta) +
           INERTIAL * six / (six + 128.0 * creeping);
}

// Per length and relative velocity, of a capsule with this area across the flow, over the radius squared.
static double thick_drag(const dr_drag_flow *flow, double area, double pores)
{
    double u = fmax(flow->speed, SLOWEST), n = flow->index;
    double diameter = 2.0 * sqrt(area / PI) * flow->radius, wetted = PI * (2.0 * SLENDERNESS + 4.0);
    double far = pow(diameter, n), resisted = flow->consistency * pow(u, n) + flow->yield * far;
    double reynolds = pores * flow->density * far * u * u / resisted, off = 1.5 - log10(reynolds);
    double power = 3.7 - 0.65 * exp(-0.5 * off * off);
    return 0.5 * flow->density * dr_drag_coefficient(reynolds, n, wetted / area) * area * flow->radius / SLENDERNESS *
           u * pow(pores, 2.0 - power);
}

dr_drag dr_drag_thick(const dr_drag_flow *flow)
{
    double pores = 1.0 - fmin(fmax(flow->share, 0.0), 1.0);
    return (dr_drag){thick_drag(flow, PI, pores), thick_drag(flow, 2.0 * SLENDERNESS + PI, pores)};
}

// ---- in the mixture

dr_drag dr_drag_fibre(const dr_drag_flow *flow)
{
    if (flow->index > 0.0) return dr_drag_thick(flow);
    double pores = 1.0 - dr_clamp_double(flow->share, 0.0, 1.0);
    dr_drag_flow superficial = *flow;
    superficial.speed = pores * flow->speed;
    dr_drag larger = drag_alone(&superficial, dr_drag_array(&superficial));
    double scale = pores * pores;
    return (dr_drag){scale * larger.along, scale * larger.across};
}
