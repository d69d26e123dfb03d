// The shape of a liquid bridge, docs/theory/bridges.md eq. (1)-(9).
//   alpha  wetted half angle      theta  contact angle        gamma = alpha + theta
//   D      distance of the contact lines along the axis       y      half height of a contact line
//   delta  tilt of the chord      psi    turn of a meniscus   chord  its length
#include "bridge/bridge.h"

#include "base/number.h"

#include <math.h>

#define ITERATIONS 200
#define EXACT      1e-15 // of an angle

static bool is_plane(const dr_bridge_sides *sides)
{
    return isinf(sides->radius[1]);
}

// (psi - sin psi) / sin^2(psi/2), smooth through 0.
static double bulge(double psi)
{
    double half = sin(0.5 * psi);
    if (fabs(psi) < 1e-2) return psi * (2.0 / 3.0) * (1.0 + psi * psi / 30.0);
    return (psi - sin(psi)) / (half * half);
}

// psi / sin(psi/2), smooth through 0.
static double stretch(double psi)
{
    if (fabs(psi) < 1e-3) return 2.0 * (1.0 + psi * psi / 24.0);
    return psi / sin(0.5 * psi);
}

// How far the menisci miss the second fibre when it is wetted up to `alpha`: y2 - y1 - D tan delta.
static double miss(const dr_bridge_sides *sides, double distance, double wetted, double alpha)
{
    double depth = distance - sides->radius[0] * cos(wetted) - sides->radius[1] * cos(alpha);
    double delta = 0.5 * (wetted + sides->angle[0] - alpha - sides->angle[1]);
    return sides->radius[1] * sin(alpha) - sides->radius[0] * sin(wetted) - depth * tan(delta);
}

// A zero of a function that is below 0 at `low` and above at `high`: regula falsi with bisection.
typedef struct search {
    double low, high, low_value, high_value;
    int kept; // how often in a row the same end stayed
} search;

static double guess(const search *s)
{
    double x = s->low - s->low_value * (s->high - s->low) / (s->high_value - s->low_value);
    bool inside = x > s->low && x < s->high;
    return inside && s->kept < 3 && s->kept > -3 ? x : 0.5 * (s->low + s->high);
}

static void narrow(search *s, double x, double value)
{
    if (value > 0.0) {
        s->kept = s->kept > 0 ? s->kept + 1 : 1;
        if (s->kept > 3) s->kept = 0;
        s->high = x;
        s->high_value = value;
    } else {
        s->kept = s->kept < 0 ? s->kept - 1 : -1;
        if (s->kept < -3) s->kept = 0;
        s->low = x;
        s->low_value = value;
    }
}

static bool find_second(const dr_bridge_sides *sides, double distance, double wetted, double *alpha)
{
    search s = {.low = 0.0, .high = DR_PI - sides->angle[1]};
    if (sides->radius[0] == sides->radius[1] && sides->angle[0] == sides->angle[1]) {
        *alpha = wetted;
        return true;
    }
    *alpha = s.low;
    s.low_value = miss(sides, distance, wetted, s.low);
    s.high_value = miss(sides, distance, wetted, s.high);
    if (!(s.low_value <= 0.0 && s.high_value >= 0.0)) return false;
    for (int i = 0; i < ITERATIONS && s.high - s.low > EXACT * (1.0 + s.high); i++) {
        double x = guess(&s);
        double value = miss(sides, distance, wetted, x);
        narrow(&s, x, value);
        *alpha = x;
        if (value == 0.0) return true;
    }
    return true;
}

static double segment(double radius, double alpha)
{
    return radius * radius * (alpha - 0.5 * sin(2.0 * alpha));
}

bool dr_bridge_shape(const dr_bridge_sides *sides, double distance, double wetted, dr_bridge *bridge)
{
    double r1 = sides->radius[0], r2 = sides->radius[1], alpha2 = 0.0;
    bool plane = is_plane(sides);
    if (!plane && !find_second(sides, distance, wetted, &alpha2)) return false;
    double gamma1 = wetted + sides->angle[0], gamma2 = alpha2 + sides->angle[1];
    double delta = 0.5 * (gamma1 - gamma2), psi = DR_PI - gamma1 - gamma2;
    double depth = distance - r1 * cos(wetted) - (plane ? 0.0 : r2 * cos(alpha2)); // D
    double chord = depth / cos(delta);
    double y1 = r1 * sin(wetted), y2 = plane ? y1 + depth * tan(delta) : r2 * sin(alpha2);
    bridge->curvature = 2.0 * sin(0.5 * psi) / chord;
    bridge->area = depth * (y1 + y2) - 0.25 * chord * chord * bulge(psi) - segment(r1, wetted) -
                   (plane ? 0.0 : segment(r2, alpha2));
    bridge->energy = chord * stretch(psi) + cos(sides->angle[0]) * 2.0 * r1 * (DR_PI - wetted) +
                     cos(sides->angle[1]) * (plane ? -2.0 * y2 : 2.0 * r2 * (DR_PI - alpha2));
    bridge->force = 2.0 * (sin(gamma1) + bridge->curvature * y1);
    bridge->neck = y1 - 0.5 * chord * tan(0.25 * psi) * cos(delta);
    if (bridge->curvature != 0.0) bridge->neck = (0.5 * bridge->force - 1.0) / bridge->curvature;
    bridge->wetted[0] = wetted;
    bridge->wetted[1] = plane ? y2 : alpha2;
    return true;
}

static bool swallows(const dr_bridge_sides *sides, double distance, double area)
{
    double r1 = sides->radius[0], r2 = sides->radius[1];
    return !is_plane(sides) && distance + r1 + r2 <= 2.0 * sqrt(area / DR_PI + r1 * r1 + r2 * r2);
}

bool dr_bridge_solve(const dr_bridge_sides *sides, double distance, double area, dr_bridge *bridge)
{
    search s = {.low = 0.0, .low_value = -area, .high = DR_PI - sides->angle[0]};
    if (swallows(sides, distance, area)) return false;
    // Towards the top the menisci of unequal fibres may miss the other one.
    while (!dr_bridge_shape(sides, distance, s.high, bridge)) {
        s.high -= 0.01;
        if (s.high <= 0.0) return false;
    }
    s.high_value = bridge->area - area;
    if (s.high_value < 0.0) return false;
    for (int i = 0; i < ITERATIONS && s.high - s.low > EXACT * (1.0 + s.high); i++) {
        double x = guess(&s);
        if (!dr_bridge_shape(sides, distance, x, bridge)) {
            narrow(&s, x, -area); // nothing so thin reaches across
            continue;
        }
        narrow(&s, x, bridge->area - area);
        if (bridge->area == area) return true;
    }
    return dr_bridge_shape(sides, distance, s.high, bridge);
}

// E_dry - E + A dE/dA, over surface tension: above 0 a column grows at its ends.
static double surplus(const dr_bridge_sides *sides, const dr_bridge *bridge)
{
    double dry = 2.0 * DR_PI * sides->radius[0] * cos(sides->angle[0]);
    if (!is_plane(sides)) dry += 2.0 * DR_PI * sides->radius[1] * cos(sides->angle[1]);
    return dry - bridge->energy - bridge->area * bridge->curvature;
}

bool dr_bridge_column(const dr_bridge_sides *sides, double distance, dr_bridge *bridge)
{
    enum { STEPS = 720 };
    search s = {0};
    double top = DR_PI - sides->angle[0], before = 0.0, value = 0.0;
    bool found = false, known = false;
    // From much liquid to little: the first sign change belongs to the stable column.
    for (int i = STEPS - 1; i > 0 && !found; i--) {
        double x = top * i / STEPS;
        if (!dr_bridge_shape(sides, distance, x, bridge) || bridge->area <= 0.0) continue;
        value = surplus(sides, bridge);
        found = known && value < 0.0 && before >= 0.0;
        if (found) s = (search){.low = x, .low_value = value, .high = top * (i + 1) / STEPS, .high_value = before};
        before = value;
        known = true;
    }
    if (!found) return false;
    for (int i = 0; i < ITERATIONS && s.high - s.low > EXACT * (1.0 + s.high); i++) {
        double x = guess(&s);
        dr_bridge_shape(sides, distance, x, bridge);
        narrow(&s, x, surplus(sides, bridge));
    }
    return dr_bridge_shape(sides, distance, s.high, bridge);
}

double dr_bridge_touching(const dr_bridge_sides *sides)
{
    return sides->radius[0] + (is_plane(sides) ? 0.0 : sides->radius[1]);
}

double dr_bridge_rupture(const dr_bridge_sides *sides, double area)
{
    return dr_bridge_touching(sides) + (1.0 + 0.25 * (sides->angle[0] + sides->angle[1])) * sqrt(area);
}

double dr_bridge_thick(const dr_bridge_goo *goo, double radius, double distance, double normal_speed)
{
    double rate = fabs(normal_speed) / fmax(2.0 * radius, distance), shear = sqrt(2.0 / 3.0) * goo->yield_stress;
    return 0.75 * DR_PI * radius * (shear + goo->consistency * pow(rate, goo->index));
}
