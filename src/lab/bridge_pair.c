// A liquid column between two parallel fibres, in equilibrium with its ends (Princen): its area and its force per
// length, from the table that strands use. What is expected comes from the picture alone: arcs that meet the fibres at
// the contact angle, area by quadrature, pressure and force as differences of energy. docs/theory/bridges.md.
#include "bridge/table.h"
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/error.h"

#include <math.h>

typedef struct parameters {
    double gap_over_radius, contact_angle, radius;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, gap_over_radius, DR_UNIT_NONE, "0.8", 1e-3, 10.0,
             "Gap between the fibres' surfaces over their radius: 2 d/a where the gap is 2 d."),
    ROW_REAL(parameters, contact_angle, DR_UNIT_ANGLE, "0 rad", 0.0, 1.5, "Of the liquid on both fibres."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "37 um", 1e-7, 10.0, "Of both fibres."),
};
static const dr_table table = ROW_TABLE("bridge-pair", parameters, rows);

#define PI     3.14159265358979323846
#define POINTS 400

// A quarter of the picture: fibre of radius 1 with its axis at x = half, wetted up to the angle alpha.
typedef struct picture {
    double area, energy; // of the whole
} picture;

static picture draw(double half, double theta, double alpha)
{
    double edge = half - cos(alpha), turn = 0.5 * PI - alpha - theta;
    double k = sin(turn) / edge, area = 0.0; // curvature of the meniscus
    for (int i = 0; i < POINTS; i++) {       // x = edge sin u, where the arc may end upright
        double u = 0.5 * PI * (i + 0.5) / POINTS, x = edge * sin(u);
        double inner = sqrt(fmax(0.0, 1.0 - k * k * x * x)), outer = cos(turn);
        double y = sin(alpha) - k * (edge * edge - x * x) / (inner + outer);
        area += y * edge * cos(u) * 0.5 * PI / POINTS;
    }
    double arc = fabs(turn) < 1e-9 ? edge : turn / k;
    picture whole = {4.0 * area - 2.0 * (alpha - sin(alpha) * cos(alpha)), 4.0 * arc + 4.0 * cos(theta) * (PI - alpha)};
    return whole;
}

// E_dry - E + A dE/dA.
static double surplus(double half, double theta, double alpha)
{
    double h = 1e-5;
    picture at = draw(half, theta, alpha), more = draw(half, theta, alpha + h), less = draw(half, theta, alpha - h);
    double pressure = (more.energy - less.energy) / (more.area - less.area);
    return 4.0 * PI * cos(theta) - at.energy + at.area * pressure;
}

static double alpha_of_area(double half, double theta, double area, double low, double high)
{
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (draw(half, theta, middle).area > area)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

static double expected_force(double half, double theta, double alpha, double area)
{
    double h = 1e-4, energy[2];
    for (int i = 0; i < 2; i++) {
        double moved = half + (i ? 0.5 : -0.5) * h;
        double wetted = alpha_of_area(moved, theta, area, 0.5 * alpha, fmin(PI - theta, 1.5 * alpha));
        energy[i] = draw(moved, theta, wetted).energy;
    }
    return (energy[1] - energy[0]) / (2.0 * h);
}

// The wetted angle of the equilibrium, 0 where there is none: the first sign change from above.
static double expected_alpha(double half, double theta)
{
    double top = PI - theta - 1e-4, high = 0.0, low = 0.0;
    for (int i = 300; i > 1 && low == 0.0; i--) {
        double x = top * i / 300.0;
        double value = draw(half, theta, x).area > 0.0 ? surplus(half, theta, x) : 0.0;
        if (value > 0.0) high = x;
        if (value < 0.0 && high > 0.0) low = x;
    }
    if (low == 0.0) return 0.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (surplus(half, theta, middle) > 0.0)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double r = p->radius, distance = r * (2.0 + p->gap_over_radius), half = 1.0 + 0.5 * p->gap_over_radius;
    dr_bridge_sides sides = {{r, r}, {p->contact_angle, p->contact_angle}};
    dr_bridge bridge;
    bool column = dr_bridge_column(&sides, distance, &bridge);
    double alpha = expected_alpha(half, p->contact_angle);
    dr_lab_expect(lab, "column", NULL, column, alpha > 0.0, 0.0);
    if (!column || alpha == 0.0) return DR_STATUS_OK;
    dr_bridge_table *forces = dr_bridge_table_create(&sides, NULL);
    if (!forces) return dr_error_memory(error, "making the table of bridges");
    double area = draw(half, p->contact_angle, alpha).area;
    double force = dr_bridge_table_force(forces, r, distance, bridge.area, NULL);
    // Beyond the rupture law of short bridges the table ends; a column in equilibrium is held to the exact shape.
    if (distance > dr_bridge_table_rupture(forces, r, bridge.area)) force = bridge.force;
    dr_lab_expect_share(lab, "area_over_r2", NULL, bridge.area / (r * r), area, 0.005);
    dr_lab_expect_share(lab, "force_over_sigma", NULL, force, expected_force(half, p->contact_angle, alpha, area),
                        0.005);
    dr_bridge_table_destroy(forces, NULL);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_bridge_pair = {"bridge-pair", "a liquid column between two fibres: its area and its pull",
                                        &table, run};
