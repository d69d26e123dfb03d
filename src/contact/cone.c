// docs/theory/contact.md eq. (8)-(12).
#include "contact/cone.h"

#include <math.h>
#include <stdbool.h>

#define MOST_STEPS 80
#define EXACT      1e-14
#define STEEP      10.0  // friction
#define SURFACE    1e-12 // of the radius of the cone: so near is on it
#define CLOSE      1e-7  // of the slip: a step of Newton's method after which what is left is rounding
#define KNOWN      1e-3  // of a slip that was known: what is left is its square, and the next sweep takes it up

static double norm(double x, double y)
{
    return sqrt(x * x + y * y);
}

// L D L^T of a symmetric 3x3 matrix: L, and the inverse of D.
typedef struct factor {
    double l10, l20, l21, i0, i1, i2;
} factor;

// Of W with `slip` added to the tangential diagonal. (9)
static factor factorise(const double w[6], double slip)
{
    factor f;
    f.i0 = 1.0 / w[0];
    f.l10 = w[1] * f.i0;
    f.l20 = w[2] * f.i0;
    f.i1 = 1.0 / (w[3] + slip - f.l10 * w[1]);
    double m = w[4] - f.l10 * w[2];
    f.l21 = m * f.i1;
    f.i2 = 1.0 / (w[5] + slip - f.l20 * w[2] - f.l21 * m);
    return f;
}

static void backsolve(const factor *f, const double b[3], double x[3])
{
    double y1 = b[1] - f->l10 * b[0], y2 = b[2] - f->l20 * b[0] - f->l21 * y1;
    x[2] = y2 * f->i2;
    x[1] = y1 * f->i1 - f->l21 * x[2];
    x[0] = b[0] * f->i0 - f->l10 * x[1] - f->l20 * x[2];
}

// One value of the sliding problem: the impulse for a slip, and whether it is still outside the cone.
typedef struct trial {
    double r[3], tangential;
    double step; // of Newton's method for the slip
    bool outside;
} trial;

// Newton on 1/|r_T| - 1/(mu r_N), which is almost straight in the slip. (10)
static trial attempt(const double w[6], const double b[3], double friction, double slip)
{
    trial t;
    factor f = factorise(w, slip);
    double minus[3] = {-b[0], -b[1], -b[2]}, change[3];
    backsolve(&f, minus, t.r);
    double push[3] = {0.0, -t.r[1], -t.r[2]};
    backsolve(&f, push, change);
    t.tangential = norm(t.r[1], t.r[2]);
    double limit = friction * t.r[0];
    t.outside = t.tangential > limit;
    if (limit > 0.0 && t.tangential > 0.0) {
        double along = 1.0 / t.tangential, across = 1.0 / limit;
        double slope =
            -(t.r[1] * change[1] + t.r[2] * change[2]) * along * along * along + friction * change[0] * across * across;
        t.step = (across - along) / slope;
    } else {
        t.step = NAN;
    }
    return t;
}

static double first_slip(const double w[6], const double b[3], double friction)
{
    double limit = friction * -b[0] / w[0], mean = 0.5 * (w[3] + w[5]);
    double slip = norm(b[1] - w[1] * b[0] / w[0], b[2] - w[2] * b[0] / w[0]) / limit - mean;
    return slip > 1e-3 * mean ? slip : 1e-3 * mean;
}

// From a slip that was right for a problem like this one, or 0; gives the one that is.
static double slide(const double w[6], const double b[3], double friction, double known, double r[3])
{
    double low = 0.0, high = INFINITY, slip = known > 0.0 ? known : first_slip(w, b, friction);
    double close = known > 0.0 ? KNOWN : CLOSE;
    trial t = {{0}, 0.0, 0.0, false};
    for (int i = 0; i < MOST_STEPS; i++) {
        t = attempt(w, b, friction, slip);
        double miss = fabs(t.tangential - friction * t.r[0]);
        if (miss <= EXACT * t.tangential) break;
        if (t.outside)
            low = slip;
        else
            high = slip;
        double next = slip + t.step;
        bool inside = isfinite(next) && next > low && next < high;
        if (!inside) next = isinf(high) ? 8.0 * slip : low > 0.0 ? sqrt(low * high) : 0.01 * high;
        bool last = fabs(next - slip) <= close * slip;
        slip = next;
        if (!last) continue;
        t = attempt(w, b, friction, slip);
        break;
    }
    // The last rounding: exactly on the cone.
    double limit = friction * t.r[0], shrink = t.tangential > 0.0 ? limit / t.tangential : 0.0;
    r[0] = t.r[0];
    r[1] = t.r[1] * shrink;
    r[2] = t.r[2] * shrink;
    return slip;
}

dr_cone_state dr_cone_solve(const double w[6], const double b[3], double friction, double r[3])
{
    double slip = 0.0;
    return dr_cone_solve_from(w, b, friction, &slip, r);
}

dr_cone_state dr_cone_solve_from(const double w[6], const double b[3], double friction, double *slip, double r[3])
{
    r[0] = r[1] = r[2] = 0.0;
    if (b[0] >= 0.0) return DR_CONE_OPEN;
    if (friction <= 0.0) {
        r[0] = -b[0] / w[0];
        return DR_CONE_SLIDE;
    }
    factor f = factorise(w, 0.0);
    double minus[3] = {-b[0], -b[1], -b[2]};
    backsolve(&f, minus, r);
    if (norm(r[1], r[2]) <= friction * r[0]) return DR_CONE_STICK;
    *slip = slide(w, b, friction, *slip, r);
    return DR_CONE_SLIDE;
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
