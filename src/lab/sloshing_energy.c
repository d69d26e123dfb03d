// Inviscid liquid sloshes in a box at rest: kinetic and potential energy together may be lost to the grid, but no step
// makes any. Velocities change by the forces at the places before the step, places by the velocities after them: that
// is leapfrog with velocities half a step behind (Hairer, Lubich and Wanner 2003), so the energy of a step is its
// kinetic energy and the mean of the potential before and after it. With the potential after it alone energy swings by
// omega dt / 2 although nothing is gained.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sloshing.h"

#include <math.h>

typedef struct parameters {
    double side, fill, slope, gravity, density, periods, step;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "24", 4, 512, "Cells along the box."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "4", 0.01, 1000.0, "How long it is watched."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.005", 0.0, 0.1,
             "Equal steps, over the period; 0: as the program chooses."),
    ROW_REAL(parameters, side, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e5, "Length and height of the box."),
    ROW_REAL(parameters, fill, DR_UNIT_NONE, "0.4", 0.05, 0.9, "Height of the liquid over the side."),
    ROW_REAL(parameters, slope, DR_UNIT_NONE, "0.3", -1.0, 1.0, "Of the surface at the start."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("sloshing-energy", parameters, rows);

enum { SAMPLES = 20 }; // frames of a period

// One way to add up energy over the steps.
typedef struct budget {
    int64_t count;
    double start, last, most; // above rest, erg
    double rise, when;        // the largest of one step, over the energy before it; its time, s
} budget;

typedef struct record {
    const parameters *p;
    int64_t steps;
    double potential; // above rest after the last step, erg
    budget middle, end;
} record;

// Above that of the liquid at rest: its mass at half the height that its volume fills.
static double find_potential(const parameters *p, const dr_report *report)
{
    double level = report->volume_total / (0.25 * p->side * p->side);
    return report->energy_potential - 0.5 * report->mass * p->gravity * level;
}

static void add_step(budget *sum, double energy, double time)
{
    if (sum->count++ == 0) sum->start = sum->last = sum->most = energy;
    if (energy / sum->last - 1.0 > sum->rise) {
        sum->rise = energy / sum->last - 1.0;
        sum->when = time;
    }
    sum->most = fmax(sum->most, energy);
    sum->last = energy;
}

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    double potential = find_potential(r->p, report), kinetic = report->energy_kinetic;
    if (r->steps++ > 0) add_step(&r->middle, kinetic + 0.5 * (r->potential + potential), report->time);
    add_step(&r->end, kinetic + potential, report->time);
    r->potential = potential;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_sloshing box = {.side = p->side,
                           .fill = p->fill,
                           .slope = p->slope,
                           .gravity = p->gravity,
                           .density = p->density,
                           .cells = (double)p->cells};
    double period = dr_lab_sloshing_period(&box);
    record r = {.p = p};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_sloshing_scene(&box, &scene, error);
    if (!status) {
        double frame = period / SAMPLES, frames = ceil(SAMPLES * p->periods);
        double step = p->step > 0.0 ? frame / ceil(frame / (p->step * period)) : 0.0;
        dr_lab_scene_time(scene, frames * frame, (int)frames, step);
        status = dr_lab_simulate(lab, NULL, scene, frames * frame, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    dr_lab_expect(lab, "largest_rise", "", r.middle.rise, 0.0, 1e-3);
    dr_lab_measure(lab, "time_of_rise", "periods", r.middle.when / period);
    dr_lab_measure(lab, "largest_rise_at_end", "", r.end.rise);
    dr_lab_measure(lab, "gain", "", r.middle.most / r.middle.start - 1.0);
    dr_lab_measure(lab, "left", "", r.middle.last / r.middle.start);
    dr_lab_measure(lab, "steps", "", (double)r.steps);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_sloshing_energy = {"sloshing-energy", "no step of an inviscid slosh makes energy", &table,
                                            run};
