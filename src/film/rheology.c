// docs/theory/film.md, eq. (20)-(24).
#include "film/rheology.h"

#include "film/constants.h"
#include "film/flow.h"
#include "film/parts.h"

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

double dr_film_stretch(const dr_film_law *law, double strain, double rate, double dt)
{
    double trial = 2.0 * sinh(asinh(0.5 * strain) + 2.0 * dt * rate), size = fabs(trial), mu = law->shear_modulus;
    if (!(size > 0.0)) return 0.0;
    dr_return_map map =
        dr_viscoplastic_return(&law->plastic, mu * size * sqrt(0.5), 0.5 * mu * sqrt(trial * trial + 4.0), dt);
    return (trial > 0.0 ? sqrt(2.0) : -sqrt(2.0)) / mu * map.stress;
}
