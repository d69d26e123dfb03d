// A liquid column between two parallel fibres, in equilibrium with its ends (Princen): its area and its force per
// length, from the table that strands use. What is expected comes from the picture alone: arcs that meet the fibres at
// the contact angle, area by quadrature, pressure and force as differences of energy. docs/theory/bridges.md.
#include "base/number.h"
#include "bridge/table.h"
#include "lab/cases.h"
#include "lab/meniscus.h"
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

// The wetted angle of the equilibrium, 0 where there is none: the first sign change from above.
static double expected_alpha(double half, double theta)
{
    double top = DR_PI - theta - 1e-4, high = 0.0, low = 0.0;
    for (int i = 300; i > 1 && low == 0.0; i--) {
        double x = top * i / 300.0;
        double value = dr_lab_meniscus_draw(half, theta, x).area > 0.0 ? dr_lab_meniscus_surplus(half, theta, x) : 0.0;
        if (value > 0.0) high = x;
        if (value < 0.0 && high > 0.0) low = x;
    }
    if (low == 0.0) return 0.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (dr_lab_meniscus_surplus(half, theta, middle) > 0.0)
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
    double area = dr_lab_meniscus_draw(half, p->contact_angle, alpha).area;
    double force = dr_bridge_table_force(forces, r, distance, bridge.area, NULL);
    // Beyond the rupture law of short bridges the table ends; a column in equilibrium is held to the exact shape.
    if (distance > dr_bridge_table_rupture(forces, r, bridge.area)) force = bridge.force;
    dr_lab_expect_share(lab, "area_over_r2", NULL, bridge.area / (r * r), area, 0.005);
    dr_lab_expect_share(lab, "force_over_sigma", NULL, force,
                        dr_lab_meniscus_force(half, p->contact_angle, alpha, area), 0.005);
    dr_bridge_table_destroy(forces, NULL);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_bridge_pair = {"bridge-pair", "a liquid column between two fibres: its area and its pull",
                                        &table, run};
