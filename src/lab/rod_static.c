// Rods at rest under loads: cantilever under its own weight, with a load at its tip, with a moment at its end.
// The rod starts straight along x, its clamp in the middle of the first edge, and is stepped until it rests.
#include "lab/cases.h"
#include "lab/rod_rows.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double gamma, alpha, moment; // of one case each
    ROD_PARAMETERS;
} parameters;

static const dr_field cantilever_rows[] = {
    ROW_REAL(parameters, gamma, DR_UNIT_NONE, "10", 0.0, 1e5, "Weight per length L^3 / B."),
    ROD_ROWS(parameters, "40", "0.003 cm", "1", "150"),
};
static const dr_table cantilever_table = ROW_TABLE("rod-cantilever", parameters, cantilever_rows);

static const dr_field tip_rows[] = {
    ROW_REAL(parameters, alpha, DR_UNIT_NONE, "5", 0.0, 1e4, "Load at the tip L^2 / B."),
    ROD_ROWS(parameters, "40", "0.003 cm", "1", "150"),
};
static const dr_table tip_table = ROW_TABLE("rod-tip-load", parameters, tip_rows);

static const dr_field moment_rows[] = {
    ROW_REAL(parameters, moment, DR_UNIT_NONE, "3", -50.0, 50.0, "Moment L / B."),
    ROD_ROWS(parameters, "40", "0.003 cm", "0.02", "1500"),
};
static const dr_table moment_table = ROW_TABLE("rod-end-moment", parameters, moment_rows);

typedef struct tip {
    double x, y, speed; // over length; of the last output, in length over T
} tip;

// `ends`: half edges that lie beyond the ends of the rod, 1 or 2. The tip is where the rod ends.
static dr_status hang(dr_lab *lab, const dr_lab_rod *rod, const dr_lab_rod_run *run, int64_t segments, int ends,
                      const char *load, tip *out, dr_error *error)
{
    char strand[500];
    double edge = rod->length / ((double)segments - 0.5 * ends);
    dr_lab_rod_run here = *run;
    dr_lab_rod_record record = {0};
    snprintf(strand, sizeof strand, "type: line, start: [%.17g, 0, 0], end: [%.17g, 0, 0], vertices: %d, %s",
             -0.5 * edge, rod->length + (ends == 2 ? 0.5 * edge : 0.0), (int)segments + 1, load);
    here.strand = strand;
    dr_status status = dr_lab_rod_watch(lab, rod, &here, &record, error);
    if (status) return status;
    const double *last = dr_lab_rod_vertex(&record, -1, -1), *before = dr_lab_rod_vertex(&record, -1, -2);
    const double *earlier = dr_lab_rod_vertex(&record, -2, -1);
    double share = ends == 2 ? 0.5 : 1.0;
    out->x = (share * last[0] + (1.0 - share) * before[0]) / rod->length;
    out->y = (share * last[1] + (1.0 - share) * before[1]) / rod->length;
    out->speed = hypot(last[0] - earlier[0], last[1] - earlier[1]) / (rod->length * record.step) * dr_lab_rod_time(rod);
    dr_lab_rod_forget(&record);
    return DR_STATUS_OK;
}

// The same with half as many edges tells the order of the error.
static dr_status hang_twice(dr_lab *lab, const parameters *p, dr_lab_rod_run *run, int ends, const char *load,
                            tip out[2], dr_error *error)
{
    const dr_lab_rod rod = ROD_OF(p, 2.0 / 3.0);
    run->part = "fine";
    dr_status status = hang(lab, &rod, run, p->segments, ends, load, &out[0], error);
    run->part = "coarse";
    return status ? status : hang(lab, &rod, run, p->segments / 2, ends, load, &out[1], error);
}

// `stretched`: about how far the tip is off because real rods stretch too, which no number of edges changes.
static void tell_order(dr_lab *lab, const parameters *p, const tip found[2], double x, double y, double stretched)
{
    double fine = hypot(found[0].x - x, found[0].y - y), coarse = hypot(found[1].x - x, found[1].y - y);
    double ratio = (double)p->segments / (double)(p->segments / 2);
    double order = log(coarse / fine) / log(ratio);
    dr_lab_measure(lab, "tip_error", "", fine);
    dr_lab_measure(lab, "last_speed", "", found[0].speed);
    if (fine > 30.0 * stretched && fine > 1e-6)
        dr_lab_expect(lab, "order", "", order, 2.0, 0.1);
    else
        dr_lab_measure(lab, "order", "", order);
}

// ---- own weight

static dr_status run_cantilever(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_lab_rod rod = ROD_OF(p, 2.0 / 3.0);
    dr_lab_rod_run run = {.title = "a rod hangs under its own weight",
                          .gravity = dr_lab_rod_gravity(&rod, p->gamma),
                          .step = p->step,
                          .steps = p->steps,
                          .frames = 10};
    tip found[2];
    double reach, drop;
    dr_status status = hang_twice(lab, p, &run, 1, "", found, error);
    if (status) return status;
    dr_lab_rod_elastica(p->gamma, 0.0, &reach, &drop);
    dr_lab_expect_share(lab, "h_over_w", "", -found[0].y / found[0].x, drop / reach, 0.01);
    tell_order(lab, p, found, reach, -drop, p->gamma * p->radius * p->radius / (8.0 * p->length * p->length));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_cantilever = {"rod-cantilever",
                                           "a rod clamped horizontally hangs under its own weight as the elastica does",
                                           &cantilever_table, run_cantilever};

// ---- a load at the tip

static dr_status run_tip_load(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_lab_rod rod = ROD_OF(p, 2.0 / 3.0);
    dr_lab_rod_run run = {
        .title = "a rod bends under a load at its tip", .step = p->step, .steps = p->steps, .frames = 10};
    char load[100];
    tip found[2];
    double reach, drop;
    snprintf(load, sizeof load, "tip_force: [0, %.17g, 0]",
             -p->alpha * dr_lab_rod_bending(&rod) / (p->length * p->length));
    dr_status status = hang_twice(lab, p, &run, 1, load, found, error);
    if (status) return status;
    dr_lab_rod_elastica(0.0, p->alpha, &reach, &drop);
    dr_lab_expect_share(lab, "x_over_l", "", found[0].x, reach, 0.01);
    dr_lab_expect_share(lab, "drop_over_l", "", -found[0].y, drop, 0.01);
    tell_order(lab, p, found, reach, -drop, p->alpha * p->radius * p->radius / (4.0 * p->length * p->length));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_tip_load = {"rod-tip-load", "a clamped rod bends under a load at its tip", &tip_table,
                                         run_tip_load};

// ---- a moment at the end: the rod ends in the middle of its last edge too, where the moment acts

static dr_status run_end_moment(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_lab_rod rod = ROD_OF(p, 2.0 / 3.0);
    dr_lab_rod_run run = {
        .title = "a moment rolls a rod up", .step = p->step, .steps = p->steps, .frames = 10, .damping = 4.0};
    char load[100];
    tip found[2];
    double t = p->moment;
    snprintf(load, sizeof load, "tip_moment: [0, 0, %.17g]", t * dr_lab_rod_bending(&rod) / p->length);
    dr_status status = hang_twice(lab, p, &run, 2, load, found, error);
    if (status) return status;
    double x = fabs(t) > 1e-9 ? sin(t) / t : 1.0, y = fabs(t) > 1e-9 ? (1.0 - cos(t)) / t : 0.0;
    dr_lab_expect(lab, "x_over_l", "", found[0].x, x, 0.01);
    dr_lab_expect(lab, "y_over_l", "", found[0].y, y, 0.01);
    tell_order(lab, p, found, x, y, 0.0);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_end_moment = {"rod-end-moment", "a moment at its end rolls a rod up to a circle",
                                           &moment_table, run_end_moment};
