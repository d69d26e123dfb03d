// docs/theory/film.md, eq. (20)-(24).
#include "film/rheology.h"

#include "film/constants.h"
#include "film/flow.h"
#include "film/parts.h"

#include <math.h>

dr_film_section dr_film_section_of(const dr_film_law *law, double radius, double height)
{
    double area = DR_PI * height * (height + 2.0 * radius);
    double annulus = dr_film_mobility(radius, height, 0.0), scale = 0.0;
    if (area > 0.0) scale = 6.0 * DR_PI * radius * annulus / (area * area);
    return (dr_film_section){scale, law->slip, 1.0 / law->index};
}

double dr_film_speed(const dr_film_law *law, const dr_film_section *section, double over, double *slope)
{
    double n = law->index, one = n / (n + 1.0), two = n / (2.0 * n + 1.0);
    if (!(over > 0.0)) {
        *slope = 0.0;
        return 0.0;
    }
    double rate = pow(over / law->consistency, section->exponent), share = over / (over + law->yield);
    double inside = one * share * (1.0 - two * share) * section->scale + section->slip;
    double turn = one * (1.0 - 2.0 * two * share) * section->scale * law->yield / (over + law->yield);
    *slope = rate / over * (section->exponent * inside + share * turn);
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
        if (!(next > least && next < high)) next = least > 0.0 ? sqrt(least * high) : 0.5 * high;
        bool done = fabs(next - x) <= 1e-12 * x;
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
