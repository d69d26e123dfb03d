// Where rods give way: a column under its own weight, a twisted ring (Michell), a twisted straight rod between two
// clamps. Each starts with a tiny random disturbance; the square of the rate at which it grows passes through zero at
// the critical load. Asked without a load, the case searches for it.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/rod_rows.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double gamma, twist, moment, c_over_b, disturb; // loads of one case each
    ROD_PARAMETERS;
} parameters;

#define SEARCHED                                                                                                       \
    ROW_REAL(parameters, disturb, DR_UNIT_NONE, "1e-8", 1e-14, 1e-3,                                                   \
             "Random displacement at the start over the length.")

static const dr_field column_rows[] = {
    ROW_REAL(parameters, gamma, DR_UNIT_NONE, "0", 0.0, 1e3, "Weight per length L^3 / B; 0: searched for."),
    SEARCHED,
    ROD_ROWS(parameters, "40", "0.003 cm", "0.1", "60"),
};
static const dr_table column_table = ROW_TABLE("rod-self-buckling", parameters, column_rows);

static const dr_field ring_rows[] = {
    ROW_REAL(parameters, twist, DR_UNIT_NONE, "0", 0.0, 1e4, "Total twist, rad; 0: searched for."),
    ROW_REAL(parameters, c_over_b, DR_UNIT_NONE, "0.66666666666666667", 0.01, 10.0, "Twisting over bending stiffness."),
    SEARCHED,
    ROD_ROWS(parameters, "60", "0.003 cm", "0.01", "60"),
};
static const dr_table ring_table = ROW_TABLE("rod-ring-twist", parameters, ring_rows);

static const dr_field clamped_rows[] = {
    ROW_REAL(parameters, moment, DR_UNIT_NONE, "0", 0.0, 1e3, "Moment L / B; 0: searched for."),
    ROW_REAL(parameters, c_over_b, DR_UNIT_NONE, "0.66666666666666667", 0.01, 10.0, "Twisting over bending stiffness."),
    SEARCHED,
    ROD_ROWS(parameters, "41", "0.003 cm", "0.03", "60"),
};
static const dr_table clamped_table = ROW_TABLE("rod-twist-clamped", parameters, clamped_rows);

// One of the cases while it looks for its threshold.
typedef struct buckling {
    dr_lab *lab;
    const parameters *p;
    dr_lab_rod rod;
    int axes;
    double gravity;
    double step; // short enough for the fastest growth: implicit Euler wants rate^2 dt^2 well below 1
    int tries;
    dr_status (*draw)(struct buckling *job, double load, char *strand, size_t room);
} buckling;

// A rod between fixed ends has to stretch to leave its line: what it does is linear only far below its own radius.
#define SMALL 0.03

static dr_status grow(void *user, double load, double *rate, dr_error *error)
{
    buckling *job = user;
    char strand[600], part[40];
    dr_lab_rod_record record = {0};
    job->draw(job, load, strand, sizeof strand);
    snprintf(part, sizeof part, "load_%d", job->tries++);
    dr_lab_rod_run run = {.title = "does a rod give way?",
                          .part = part,
                          .strand = strand,
                          .integrator = "euler", // for which dr_lab_rod_growth is exact
                          .gravity = job->gravity,
                          .step = fmin(job->p->step, job->step),
                          .steps = job->p->steps};
    dr_status status = dr_lab_rod_watch(job->lab, &job->rod, &run, &record, error);
    if (status) return status;
    double time = dr_lab_rod_time(&job->rod);
    *rate = dr_lab_rod_growth(&record, job->axes, SMALL * job->rod.radius) * time * time;
    dr_lab_rod_forget(&record);
    return DR_STATUS_OK;
}

typedef struct names {
    const char *critical, *happened;
    bool stands; // `happened` is 1 where it does not give way
} names;

// With a load: whether it gives way and how fast; the critical load is then not known. Without: the critical load, and
// how fast it goes at twice that.
static dr_status judge(buckling *job, double load, double start, double theory, const names *words, dr_error *error)
{
    double rate = NAN, critical = NAN;
    dr_status status;
    if (load > 0.0) {
        status = grow(job, load, &rate, error);
    } else {
        status = dr_lab_rod_search(grow, job, start, &critical, error);
        if (!status) status = grow(job, 2.0 * critical, &rate, error);
    }
    if (status) return status;
    if (load > 0.0) {
        bool gave_way = rate > 0.0, should = load > theory;
        dr_lab_expect(job->lab, words->happened, "", gave_way != words->stands, should != words->stands, 0.0);
    } else {
        dr_lab_expect_share(job->lab, words->critical, "", critical, theory, 0.03);
    }
    dr_lab_measure(job->lab, "growth_rate", "1/T", rate > 0.0 ? sqrt(rate) : 0.0);
    dr_lab_measure(job->lab, "growth_rate_squared", "1/T2", rate);
    dr_lab_measure(job->lab, "growth_rate_per_second", "1/s",
                   rate > 0.0 ? sqrt(rate) / dr_lab_rod_time(&job->rod) : 0.0);
    return DR_STATUS_OK;
}

// ---- a column

static dr_status draw_column(buckling *job, double load, char *strand, size_t room)
{
    const parameters *p = job->p;
    double edge = p->length / ((double)p->segments - 0.5);
    job->gravity = dr_lab_rod_gravity(&job->rod, load);
    job->step = 0.4 / sqrt(load);
    snprintf(strand, room, "type: line, start: [0, %.17g, 0], end: [0, %.17g, 0], vertices: %d, disturb: %.17g",
             -0.5 * edge, p->length, (int)p->segments + 1, p->disturb * p->length);
    return DR_STATUS_OK;
}

static dr_status run_column(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    buckling job = {.lab = lab, .p = p, .rod = ROD_OF(p, 2.0 / 3.0), .axes = 1 | 4, .draw = draw_column};
    const names words = {"critical_gamma", "stands", true};
    return judge(&job, p->gamma, 2.0, 7.83734744, &words, error);
}

const dr_lab_case dr_lab_rod_self_buckling = {"rod-self-buckling", "a column falls over above a critical weight",
                                              &column_table, run_column};

// ---- a ring, cut at an edge whose two ends are held as one

static dr_status draw_ring(buckling *job, double load, char *strand, size_t room)
{
    const parameters *p = job->p;
    double moment = load * p->c_over_b;
    job->step = 1.6 / (moment * moment); // the fastest helix on a long rod grows with (27/256) moment^4
    double n = (double)p->segments, radius = 0.5 * p->length / n / sin(DR_PI / n);
    snprintf(
        strand, room,
        "type: arc, axis: [0, 1, 0], root_radius: %.17g, sweep: %.17g rad, vertices: %d, rest: straight, tip: clamped, "
        "twist: %.17g rad, disturb: %.17g",
        radius, 2.0 * DR_PI * (n + 1.0) / n, (int)p->segments + 2, load, p->disturb * p->length);
    return DR_STATUS_OK;
}

static dr_status run_ring(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    buckling job = {.lab = lab, .p = p, .rod = ROD_OF(p, p->c_over_b), .axes = 2, .draw = draw_ring};
    const names words = {"critical_twist", "buckled", false};
    return judge(&job, p->twist, DR_PI / p->c_over_b, 2.0 * DR_PI * sqrt(3.0) / p->c_over_b, &words, error);
}

const dr_lab_case dr_lab_rod_ring_twist = {"rod-ring-twist", "a twisted ring leaves its plane (Michell)", &ring_table,
                                           run_ring};

// ---- a straight rod between two clamps, each in the middle of an edge

static dr_status draw_clamped(buckling *job, double load, char *strand, size_t room)
{
    const parameters *p = job->p;
    double edge = p->length / ((double)p->segments - 1.0);
    job->step = 1.6 / (load * load);
    snprintf(strand, room,
             "type: line, start: [0, %.17g, 0], end: [0, %.17g, 0], vertices: %d, tip: clamped, twist: %.17g rad, "
             "disturb: %.17g",
             -0.5 * edge, p->length + 0.5 * edge, (int)p->segments + 1, load / p->c_over_b, p->disturb * p->length);
    return DR_STATUS_OK;
}

static dr_status run_clamped(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    buckling job = {.lab = lab, .p = p, .rod = ROD_OF(p, p->c_over_b), .axes = 1 | 4, .draw = draw_clamped};
    const names words = {"critical_moment", "buckled", false};
    return judge(&job, p->moment, 2.0, 8.98681892, &words, error);
}

const dr_lab_case dr_lab_rod_twist_clamped = {
    "rod-twist-clamped", "a straight rod between two clamps gives way to twist", &clamped_table, run_clamped};
