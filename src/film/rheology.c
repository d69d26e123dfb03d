// docs/theory/film.md, eq. (20)-(24).
#include "film/rheology.h"

#include "film/constants.h"
#include "film/flow.h"
#include "film/parts.h"
#include "math/viscoplastic_lanes.h"

#include <math.h>

// (20): R of a Newtonian film by the mobilities, R_w by the slope of the stress at the wall.
dr_film_section dr_film_section_of(const dr_film_law *law, double radius, double height)
{
    double twice = height * (height + 2.0 * radius), area = DR_PI * twice; // H^2 - r^2
    double near = radius * twice / (twice + 2.0 * radius * radius), whole = near;
    if (area > 0.0) whole = 6.0 * DR_PI * radius * dr_film_mobility(radius, height, 0.0) / (area * area);
    return (dr_film_section){near, near > 0.0 ? log(whole / near) : 0.0, 1.0 / law->index};
}

double dr_film_speed(const dr_film_law *law, const dr_film_section *section, double over, double *slope)
{
    double n = law->index, one = n / (n + 1.0), two = n / (2.0 * n + 1.0);
    if (!(over > 0.0)) {
        *slope = 0.0;
        return 0.0;
    }
    double rate = pow(over / law->consistency, section->exponent), stress = over + law->yield, share = over / stress;
    double height = section->near * exp(3.0 * two * share * section->more);
    double inside = one * share * (1.0 - two * share) * height + law->slip;
    double by_share =
        one * height * (1.0 - 2.0 * two * share + (1.0 - two * share) * share * 3.0 * two * section->more);
    *slope = rate / over * (section->exponent * inside + share * (law->yield / stress) * by_share);
    return rate * inside;
}

double dr_film_slide(const dr_film_law *law, const dr_film_section *section, double mass, double impulse, double wall,
                     double *over)
{
    double size = fabs(impulse), most = wall > 0.0 ? size / wall - law->yield : INFINITY, least = 0.0;
    if (!(most > 0.0)) {
        *over = 0.0;
        return 0.0;
    }
    if (!(most < INFINITY)) return impulse / mass;
    double x = *over > 0.0 && *over < most ? *over : most, speed = 0.0, high = most;
    for (int i = 0; i < DR_FILM_SLIDES; i++) {
        double slope;
        speed = dr_film_speed(law, section, x, &slope);
        double residual = mass * speed + wall * (law->yield + x) - size;
        if (residual > 0.0) high = x;
        if (residual < 0.0) least = x;
        double next = x - residual / (mass * slope + wall);
        bool inside = next > least && next < high;
        if (!inside) next = least > 0.0 ? sqrt(least * high) : 0.5 * high;
        bool done = fabs(next - x) <= (inside ? 1e-7 : 1e-12) * x; // what is left is the square of it
        x = next;
        if (done || residual == 0.0) break;
    }
    *over = x;
    speed = fmax(0.0, (size - wall * (law->yield + x)) / mass);
    return impulse > 0.0 ? speed : -speed;
}

// Speed and its slope, as dr_film_speed has them, of what is beyond yield.
DR_INLINE dr_lanes speed_lanes(const dr_film_slides *s, dr_lanes slip, dr_lanes over, dr_lanes *slope)
{
    dr_lanes unit = dr_lanes_all(1.0), three = dr_lanes_all(3.0), n = dr_lanes_load(s->index);
    dr_lanes one = n / (n + unit), two = n / (n + n + unit), exponent = unit / n, more = dr_lanes_load(s->more);
    dr_lanes rate = dr_lanes_exp(exponent * dr_lanes_log(over / dr_lanes_load(s->consistency)));
    dr_lanes yield = dr_lanes_load(s->yield), stress = over + yield, share = over / stress, less = unit - two * share;
    dr_lanes height = dr_lanes_load(s->near) * dr_lanes_exp(three * two * share * more);
    dr_lanes inside = one * share * less * height + slip;
    dr_lanes by_share = one * height * (less - two * share + less * share * three * two * more);
    *slope = rate / over * (exponent * inside + share * (yield / stress) * by_share);
    return rate * inside;
}

// Newton's method between bounds, as in dr_film_slide; lanes that are done stay.
void dr_film_slide_lanes(dr_film_slides *s, double slip)
{
    dr_lanes zero = dr_lanes_all(0.0), unit = dr_lanes_all(1.0), small = dr_lanes_all(DR_VISCOPLASTIC_SMALLEST);
    dr_lanes mass = dr_lanes_load(s->mass), impulse = dr_lanes_load(s->impulse), wall = dr_lanes_load(s->wall);
    dr_lanes size = dr_lanes_larger(impulse, -impulse), yield = dr_lanes_load(s->yield);
    dr_lanes_mask touches = (dr_lanes_mask)(wall > zero);
    dr_lanes most = size / dr_lanes_select(touches, wall, unit) - yield;
    dr_lanes_mask moves = touches & (dr_lanes_mask)(most > zero);
    most = dr_lanes_select(moves, dr_lanes_larger(most, small), unit);
    dr_lanes guess = dr_lanes_load(s->over), least = zero, high = most;
    dr_lanes x = dr_lanes_select((dr_lanes_mask)(guess > zero) & (dr_lanes_mask)(guess < most), guess, most);
    dr_lanes busy = dr_lanes_select(moves, unit, zero);
    for (int i = 0; i < DR_FILM_SLIDES && dr_lanes_any_less(zero, busy); i++) {
        dr_lanes slope, speed = speed_lanes(s, dr_lanes_all(slip), x, &slope);
        dr_lanes residual = mass * speed + wall * (yield + x) - size, next = x - residual / (mass * slope + wall);
        high = dr_lanes_select((dr_lanes_mask)(residual > zero), x, high);
        least = dr_lanes_select((dr_lanes_mask)(residual < zero), x, least);
        dr_lanes_mask inside = (dr_lanes_mask)(next > least) & (dr_lanes_mask)(next < high);
        dr_lanes middle =
            dr_lanes_select((dr_lanes_mask)(least > zero), dr_lanes_sqrt(least * high), dr_lanes_all(0.5) * high);
        next = dr_lanes_select(inside, next, middle);
        dr_lanes step = dr_lanes_larger(next - x, x - next),
                 least_step = x * dr_lanes_select(inside, dr_lanes_all(1e-7), dr_lanes_all(1e-12));
        x = dr_lanes_select((dr_lanes_mask)(busy > zero), next, x);
        dr_lanes_mask done = (dr_lanes_mask)(step <= least_step) | (dr_lanes_mask)(residual == zero);
        busy = dr_lanes_select(done, zero, busy);
    }
    dr_lanes speed = dr_lanes_larger(zero, (size - wall * (yield + x)) / mass);
    speed = dr_lanes_select(moves, dr_lanes_select((dr_lanes_mask)(impulse > zero), speed, -speed), zero);
    dr_lanes_store(s->speed, dr_lanes_select(touches, speed, impulse / mass));
    dr_lanes_store(s->over, dr_lanes_select(moves, x, zero));
}

// The mobility over r^4 pi/8, of films that are thin and others. (11)
DR_INLINE dr_lanes mobility_lanes(dr_lanes x)
{
    static const double series[] = {-1.0 / 315.0, 2.0 / 315.0, -1.0 / 70.0, 4.0 / 105.0,
                                    -2.0 / 15.0,  0.8,         16.0 / 3.0,  16.0 / 3.0};
    dr_lanes H = dr_lanes_all(1.0) + x, H2 = H * H, thin = dr_lanes_all(series[0]), unit = dr_lanes_all(1.0);
    for (size_t k = 1; k < sizeof series / sizeof *series; k++) thin = thin * x + dr_lanes_all(series[k]);
    dr_lanes four = dr_lanes_all(4.0);
    dr_lanes wide = H2 * H2 * (four * dr_lanes_log(H) - dr_lanes_all(3.0)) + four * H2 - unit;
    return dr_lanes_select((dr_lanes_mask)(x < dr_lanes_all(DR_FILM_THIN)), x * x * x * thin, wide);
}

void dr_film_section_lanes(const double radius[DR_LANES], const double height[DR_LANES], double near[DR_LANES],
                           double more[DR_LANES])
{
    dr_lanes r = dr_lanes_load(radius), h = dr_lanes_load(height), two = dr_lanes_all(2.0), unit = dr_lanes_all(1.0);
    dr_lanes_mask wet = (dr_lanes_mask)(h > dr_lanes_all(0.0));
    dr_lanes x = dr_lanes_select(wet, h / r, unit), twice = x * (x + two); // H^2 - r^2 over r^2
    dr_lanes close = twice / (twice + two), whole = dr_lanes_all(0.75) * mobility_lanes(x) / (twice * twice);
    dr_lanes_store(near, dr_lanes_select(wet, r * close, dr_lanes_all(0.0)));
    dr_lanes_store(more, dr_lanes_select(wet, dr_lanes_log(whole / close), dr_lanes_all(0.0)));
}

// 2 sinh(asinh(c/2) + s), s not large.
DR_INLINE dr_lanes stretched(dr_lanes c, dr_lanes s)
{
    dr_lanes one = dr_lanes_all(1.0), grown = dr_lanes_exp(s), half = dr_lanes_all(0.5), s2 = s * s;
    dr_lanes series = s * (one + s2 * dr_lanes_all(1.0 / 6.0) *
                                     (one + s2 * dr_lanes_all(0.05) * (one + s2 * dr_lanes_all(1.0 / 42.0))));
    dr_lanes sine = dr_lanes_select((dr_lanes_mask)(s2 < dr_lanes_all(0.01)), series, half * (grown - one / grown));
    return c * dr_lanes_sqrt(one + sine * sine) + dr_lanes_sqrt(c * c + dr_lanes_all(4.0)) * sine;
}

void dr_film_stretch_lanes(dr_film_stretches *of, double dt)
{
    dr_lanes zero = dr_lanes_all(0.0), one = dr_lanes_all(1.0), half = dr_lanes_all(0.5);
    dr_lanes mu = dr_lanes_load(of->modulus), yield = dr_lanes_load(of->yield);
    dr_lanes trial = stretched(dr_lanes_load(of->strain), dr_lanes_all(2.0 * dt) * dr_lanes_load(of->rate));
    dr_lanes size = dr_lanes_larger(trial, -trial), stress = mu * size * dr_lanes_all(sqrt(0.5));
    dr_lanes_mask yields = (dr_lanes_mask)(stress > yield);
    dr_lanes kept = one;
    if (dr_lanes_any_less(yield, stress)) {
        dr_lanes phi = dr_lanes_select(yields, stress - yield, one);
        dr_lanes drag = dr_lanes_all(2.0 * dt) * half * mu * dr_lanes_sqrt(trial * trial + dr_lanes_all(4.0));
        dr_lanes stays = dr_viscoplastic_stays(dr_lanes_load(of->consistency), dr_lanes_load(of->index), phi, drag);
        kept = dr_lanes_select(yields, (yield + stays) / dr_lanes_select(yields, stress, one), one);
    }
    dr_lanes_store(of->strain, dr_lanes_select((dr_lanes_mask)(mu > zero), trial * kept, zero));
}
