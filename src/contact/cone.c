// docs/theory/contact.md eq. (8)-(12), (45).
#include "contact/cone.h"

#include <math.h>
#include <stdbool.h>

#define MOST_STEPS 80
#define EXACT      1e-14
#define STEEP      10.0  // friction
#define SURFACE    1e-12 // of the radius of the cone: so near is on it
#define CLOSE      1e-7  // of the slip: a step of Newton's method after which what is left is rounding
#define KNOWN      0.02  // of a slip that was known: what is left is its square, and the next sweep takes it up

static double norm(double x, double y)
{
    return sqrt(x * x + y * y);
}

// ---- the matrix

// The tangential part that is left when the normal impulse is eliminated, by one rotation of Jacobi's method: sliding
// then takes two quotients for every slip that is tried. (45)
dr_cone dr_cone_prepare(const double w[6])
{
    dr_cone c = {.inverse = 1.0 / w[0], .axis = {1.0, 0.0}};
    double first = w[3] - w[1] * w[1] * c.inverse, both = w[4] - w[1] * w[2] * c.inverse;
    double second = w[5] - w[2] * w[2] * c.inverse, tangent = 0.0;
    if (both != 0.0) {
        double ratio = 0.5 * (second - first) / both;
        tangent = copysign(1.0, ratio) / (fabs(ratio) + norm(1.0, ratio));
        c.axis[0] = 1.0 / norm(1.0, tangent);
        c.axis[1] = -tangent * c.axis[0];
    }
    c.give[0] = first - tangent * both;
    c.give[1] = second + tangent * both;
    c.normal[0] = c.axis[0] * w[1] + c.axis[1] * w[2];
    c.normal[1] = c.axis[0] * w[2] - c.axis[1] * w[1];
    return c;
}

// What is left of b along the two axes.
static void eliminate(const dr_cone *c, const double b[3], double rest[2])
{
    double push = b[0] * c->inverse;
    rest[0] = c->axis[0] * b[1] + c->axis[1] * b[2] - c->normal[0] * push;
    rest[1] = c->axis[0] * b[2] - c->axis[1] * b[1] - c->normal[1] * push;
}

static void to_frame(const dr_cone *c, double shrink, double r[3])
{
    double x = shrink * r[1], y = shrink * r[2];
    r[1] = c->axis[0] * x - c->axis[1] * y;
    r[2] = c->axis[1] * x + c->axis[0] * y;
}

// ---- sliding

// One value of the sliding problem, along the two axes: the impulse for a slip, how it changes with it, and whether it
// is still outside the cone.
typedef struct trial {
    double r[3], change[3], tangential;
    double step; // of Newton's method for the slip
    bool outside;
} trial;

// Newton on 1/|r_T| - 1/(mu r_N), which is almost straight in the slip. (10)
static trial attempt(const dr_cone *c, double b, const double rest[2], double friction, double slip)
{
    trial t;
    double first = 1.0 / (c->give[0] + slip), second = 1.0 / (c->give[1] + slip);
    t.r[1] = -rest[0] * first;
    t.r[2] = -rest[1] * second;
    t.r[0] = -c->inverse * (b + c->normal[0] * t.r[1] + c->normal[1] * t.r[2]);
    t.change[1] = -t.r[1] * first;
    t.change[2] = -t.r[2] * second;
    t.change[0] = -c->inverse * (c->normal[0] * t.change[1] + c->normal[1] * t.change[2]);
    t.tangential = norm(t.r[1], t.r[2]);
    double limit = friction * t.r[0];
    t.outside = t.tangential > limit;
    if (limit > 0.0 && t.tangential > 0.0) {
        double along = t.tangential / limit; // all over the limit: the step has no unit of impulse
        double slope =
            friction * t.change[0] * along * along * along - (t.r[1] * t.change[1] + t.r[2] * t.change[2]) / limit;
        t.step = t.tangential * along * (along - 1.0) / slope;
    } else {
        t.step = NAN;
    }
    return t;
}

static double first_slip(const dr_cone *c, double b, const double rest[2], double friction)
{
    double limit = friction * -b * c->inverse, mean = 0.5 * (c->give[0] + c->give[1]);
    double slip = norm(rest[0], rest[1]) / limit - mean;
    return slip > 1e-3 * mean ? slip : 1e-3 * mean;
}

// The last rounding: exactly on the cone.
static void onto_surface(const dr_cone *c, const trial *t, double step, double friction, double r[3])
{
    for (int a = 0; a < 3; a++) r[a] = t->r[a] + step * t->change[a];
    double tangential = norm(r[1], r[2]);
    to_frame(c, tangential > 0.0 ? friction * r[0] / tangential : 0.0, r);
}

// From a slip that was right for a problem like this one, or 0; gives the one that is.
static double slide(const dr_cone *c, double b, const double rest[2], double friction, double known, double r[3])
{
    double low = 0.0, high = INFINITY, slip = known > 0.0 ? known : first_slip(c, b, rest, friction), next = slip;
    double close = known > 0.0 ? KNOWN : CLOSE;
    trial t = {{0}, {0}, 0.0, 0.0, false};
    for (int i = 0; i < MOST_STEPS; i++) {
        slip = next;
        t = attempt(c, b, rest, friction, slip);
        double miss = fabs(t.tangential - friction * t.r[0]);
        if (miss <= EXACT * t.tangential) break;
        if (t.outside)
            low = slip;
        else
            high = slip;
        next = slip + t.step;
        bool inside = isfinite(next) && next > low && next < high;
        if (!inside) next = isinf(high) ? 8.0 * slip : low > 0.0 ? sqrt(low * high) : 0.01 * high;
        if (fabs(next - slip) <= close * slip) break;
    }
    onto_surface(c, &t, next - slip, friction, r);
    return next;
}

// One step from a slip that is known. False where it is not near enough.
static bool slide_on(const dr_cone *c, double b, const double rest[2], double friction, double *slip, double r[3])
{
    trial t = attempt(c, b, rest, friction, *slip);
    if (!(fabs(t.step) <= KNOWN * *slip)) return false;
    *slip += t.step;
    onto_surface(c, &t, t.step, friction, r);
    return true;
}

// ---- the law

dr_cone_state dr_cone_solve(const double w[6], const double b[3], double friction, double r[3])
{
    const dr_cone cone = dr_cone_prepare(w);
    double slip = 0.0;
    return dr_cone_solve_from(&cone, b, friction, &slip, r);
}

dr_cone_state dr_cone_solve_from(const dr_cone *c, const double b[3], double friction, double *slip, double r[3])
{
    double rest[2];
    r[0] = r[1] = r[2] = 0.0;
    if (b[0] >= 0.0) return DR_CONE_OPEN;
    if (friction <= 0.0) {
        r[0] = -b[0] * c->inverse;
        return DR_CONE_SLIDE;
    }
    eliminate(c, b, rest);
    if (*slip > 0.0 && slide_on(c, b[0], rest, friction, slip, r)) return DR_CONE_SLIDE;
    r[1] = -rest[0] / c->give[0];
    r[2] = -rest[1] / c->give[1];
    r[0] = -c->inverse * (b[0] + c->normal[0] * r[1] + c->normal[1] * r[2]);
    bool sticks = norm(r[1], r[2]) <= friction * r[0];
    if (sticks)
        to_frame(c, 1.0, r);
    else
        *slip = slide(c, b[0], rest, friction, *slip, r);
    return sticks ? DR_CONE_STICK : DR_CONE_SLIDE;
}

// Of a steep cone (11) would count motion along the surface many times over: what is against (8) in either direction,
// directly. (36)
static double steep_residual(const double r[3], const double v[3], double friction, double scale)
{
    double push = scale * r[0], normal = push + v[0] - norm(push, v[0]);
    double tangential = norm(r[1], r[2]), along = norm(v[1], v[2]);
    if (r[0] <= 0.0) return fabs(normal);
    if (tangential >= (1.0 - SURFACE) * friction * r[0]) { // it may move against the impulse
        double with = (v[1] * r[1] + v[2] * r[2]) / tangential, aside = (v[1] * r[2] - v[2] * r[1]) / tangential;
        along = norm(with > 0.0 ? with : 0.0, aside);
    }
    return norm(normal, along);
}

double dr_cone_residual(const double r[3], const double v[3], double friction, double scale)
{
    if (friction > STEEP) return steep_residual(r, v, friction, scale);
    // Both in the cone of opening one; v with De Saxce's shift. (11)
    double speed = norm(v[1], v[2]);
    double x[3] = {scale * friction * r[0], scale * r[1], scale * r[2]};
    double y[3] = {v[0] + friction * speed, friction * v[1], friction * v[2]};
    if (friction <= 0.0) {
        double n = scale * r[0];
        return fabs(n + v[0] - norm(n, v[0]));
    }
    double along[2];
    for (int a = 0; a < 2; a++) along[a] = x[0] * x[1 + a] + y[0] * y[1 + a];
    double size = norm(along[0], along[1]);
    for (int a = 0; a < 2; a++) along[a] = size > 0.0 ? along[a] / size : 1.0 - a;
    double low2 = 0.0, high2 = 0.0; // the two eigenvalues of x o x + y o y, as sums of squares (12)
    const double *both[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        const double *p = both[i];
        double with = p[1] * along[0] + p[2] * along[1], aside = p[1] * along[1] - p[2] * along[0];
        low2 += (p[0] - with) * (p[0] - with) + aside * aside;
        high2 += (p[0] + with) * (p[0] + with) + aside * aside;
    }
    double low = sqrt(low2), high = sqrt(high2);
    double z[3] = {0.5 * (low + high), 0.5 * (high - low) * along[0], 0.5 * (high - low) * along[1]};
    double f2 = 0.0;
    for (int a = 0; a < 3; a++) f2 += (x[a] + y[a] - z[a]) * (x[a] + y[a] - z[a]);
    return sqrt(f2);
}
