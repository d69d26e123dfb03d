#include "lab/meniscus.h"

#include "base/number.h"

#include <math.h>

#define POINTS 400

// From a quarter of the picture: a fibre of radius 1 with its axis at x = half.
dr_lab_meniscus dr_lab_meniscus_draw(double half, double theta, double alpha)
{
    double edge = half - cos(alpha), turn = 0.5 * DR_PI - alpha - theta;
    double k = sin(turn) / edge, area = 0.0; // curvature of the meniscus
    for (int i = 0; i < POINTS; i++) {       // x = edge sin u, where the arc may end upright
        double u = 0.5 * DR_PI * (i + 0.5) / POINTS, x = edge * sin(u);
        double inner = sqrt(fmax(0.0, 1.0 - k * k * x * x)), outer = cos(turn);
        double y = sin(alpha) - k * (edge * edge - x * x) / (inner + outer);
        area += y * edge * cos(u) * 0.5 * DR_PI / POINTS;
    }
    double arc = fabs(turn) < 1e-9 ? edge : turn / k;
    dr_lab_meniscus whole = {4.0 * area - 2.0 * (alpha - sin(alpha) * cos(alpha)),
                             4.0 * arc + 4.0 * cos(theta) * (DR_PI - alpha)};
    return whole;
}

// E_dry - E + A dE/dA.
double dr_lab_meniscus_surplus(double half, double theta, double alpha)
{
    double h = 1e-5;
    dr_lab_meniscus at = dr_lab_meniscus_draw(half, theta, alpha), more = dr_lab_meniscus_draw(half, theta, alpha + h),
                    less = dr_lab_meniscus_draw(half, theta, alpha - h);
    double pressure = (more.energy - less.energy) / (more.area - less.area);
    return 4.0 * DR_PI * cos(theta) - at.energy + at.area * pressure;
}

double dr_lab_meniscus_angle(double half, double theta, double area, double low, double high)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (dr_lab_meniscus_draw(half, theta, middle).area > area)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

double dr_lab_meniscus_force(double half, double theta, double alpha, double area)
{
    double h = 1e-4, energy[2];
    for (int i = 0; i < 2; i++) {
        double moved = half + (i ? 0.5 : -0.5) * h;
        double wetted = dr_lab_meniscus_angle(moved, theta, area, 0.5 * alpha, fmin(DR_PI - theta, 1.5 * alpha));
        energy[i] = dr_lab_meniscus_draw(moved, theta, wetted).energy;
    }
    return (energy[1] - energy[0]) / (2.0 * h);
}
