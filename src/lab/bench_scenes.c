// Whole scenes with the steps that the program chooses: processor time of a simulated second, each beside a limit. On
// one thread unless more are asked for, as threads that wait for one another count as processor time.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/clock.h"

typedef struct parameters {
    double time;
    int scene;
} parameters;

static const char *const choices[] = {"all", "drops", "box", "dam", NULL};

static const dr_field rows[] = {
    ROW_REAL(parameters, time, DR_UNIT_TIME, "1 s", 1e-4, 1e3, "That is simulated of each; limits are for 1 s."),
    ROW_CHOICE(parameters, scene, choices, "all",
               "Two drops that fall into each other, a box half full that sloshes, a dam that breaks, or all three."),
};
static const dr_table table = ROW_TABLE("scenes", parameters, rows);

typedef struct scene {
    const char *text;
    double limit; // CPU s of a simulated second
    const char *cost, *measured, *steps, *particles, *cost_per_step;
} scene;

#define NAMES(word) word, word "_measured", word "_steps", word "_particles", word "_per_step"

// Drops of radius 2.88 cm, 6,800 particles each, that fall freely and meet with 80 cm/s after a tenth of a second; 40 x
// 40 x 40 cells, half full with a tilted surface; a column of 30 x 45 x 30 cells, 324,000 particles, in a tank four
// times as long.
static const scene scenes[] = {
    {"title: two drops fall into each other\n"
     "domain: {cell: 0.5}\n"
     "bodies:\n"
     "- {material: water, velocity: [0, 40, 0], shape: {type: sphere, center: [0, 0, 0], radius: 2.88}}\n"
     "- {material: water, velocity: [0, -40, 0], shape: {type: sphere, center: [0.7, 14, 0.3], radius: 2.88}}\n",
     5.0, NAMES("drops")},
    {"title: a box half full sloshes\n"
     "domain: {cell: 0.25}\n"
     "bodies: [{material: water, shape: {type: intersection, of: [{type: box, center: [5, 5, 5], size: [10, 10, 10]},\n"
     "  {type: half_space, point: [5, 5, 5], normal: [-0.3, 1, 0]}]}}]\n"
     "colliders: [{boundary: slip, shape: {type: inside_out, of: [{type: box, center: [5, 5, 5], "
     "size: [10, 10, 10]}]}}]\n",
     6.0, NAMES("box")},
    {"title: a dam breaks\n"
     "domain: {cell: 0.5, min: [0, 0, 0], max: [60, 30, 15],\n"
     "  x_min: slip, x_max: slip, y_min: slip, z_min: slip, z_max: slip}\n"
     "bodies: [{material: water, shape: {type: box, center: [7.5, 11.25, 7.5], size: [15, 22.5, 15]}}]\n",
     30.0, NAMES("dam")},
};

typedef struct record {
    double steps, particles;
} record;

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    r->steps = (double)report->step;
    if (report->step == 1) r->particles = (double)report->particles;
}

static dr_status time_scene(dr_lab *lab, const scene *which, double time, dr_error *error)
{
    record r = {0};
    dr_lab_watch watcher = {.report = watch, .user = &r, .threads = 1};
    dr_scene *made = NULL;
    double cpu = dr_clock_cpu();
    dr_status status = dr_lab_scene_text(&made, error, "%s", which->text);
    if (!status) {
        dr_lab_scene_time(made, time, 1, 0.0);
        status = dr_lab_simulate(lab, which->cost, made, time, &watcher, NULL, error);
    }
    dr_scene_destroy(made);
    if (status) return status;
    cpu = dr_clock_cpu() - cpu;
    dr_lab_expect(lab, which->cost, "CPU s/s", cpu / time, 0.0, which->limit);
    dr_lab_measure(lab, which->measured, "CPU s", cpu);
    dr_lab_measure(lab, which->steps, "", r.steps);
    dr_lab_measure(lab, which->particles, "", r.particles);
    dr_lab_measure(lab, which->cost_per_step, "CPU s", cpu / r.steps);
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < 3 && !status; i++) {
        if (p->scene == 0 || p->scene == i + 1) status = time_scene(lab, &scenes[i], p->time, error);
    }
    return status;
}

const dr_lab_case dr_lab_scenes = {"scenes", "processor time of a simulated second of whole scenes", &table, run};
