// Liquid at rest in a container of any shape: the pressure is density g depth, and nothing moves.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double depth, density, gravity, viscosity, step;
    int64_t cells, steps;
    int container, walls;
} parameters;

static const char *const containers[] = {"box", "cylinder", "bowl", "wedge", "tilted", "flask", "pillar", NULL};

static const char *const wall_kinds[] = {"slip", "sticky", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells across the depth."),
    ROW_CHOICE(parameters, container, containers, "box",
               "What holds the liquid: upright walls, a round tube, a half ball, a trough of two slanted walls, a box "
               "that stands askew, a ball filled beyond its middle, a box with a round pillar in it."),
    ROW_CHOICE(parameters, walls, wall_kinds, "slip", "Whether the liquid may slip along them."),
    ROW_COUNT(parameters, steps, "1000", 1, 10000000, "Steps of equal size."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.5", 1e-3, 1.0, "Their size, in units of sqrt(cell / gravity)."),
    ROW_REAL(parameters, depth, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Of the liquid."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0.0, 1e6, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("hydrostatic", parameters, rows);

// The hollow of the container in units of the depth; its lowest point is at height 0 and it reaches beyond 1.
static const char *const hollows[] = {
    "type: box, center: [0, 1, 0], size: [0.5, 2, 0.5]",
    "type: cylinder, center: [0, 1, 0], radius: 0.3, height: 2",
    "type: sphere, center: [0, 1.1, 0], radius: 1.1",
    ("type: intersection, of: [{type: box, center: [0, 1, 0], size: [4, 2, 0.25]}, "
     "{type: half_space, normal: [1, -1.5, 0]}, {type: half_space, normal: [-1, -2.5, 0]}]"),
    ("type: intersection, of: [{type: box, center: [0, 1.25, 0], size: [0.6, 2.5, 0.5], rotate: [0, 0, 20 deg], "
     "translate: [0, 0.1026, 0]}]"),
    "type: sphere, center: [0, 0.65, 0], radius: 0.65",
    ("type: difference, of: [{type: box, center: [0, 1, 0], size: [0.8, 2, 0.8]}, "
     "{type: cylinder, center: [0, 1, 0], radius: 0.15, height: 3}]"),
};

static const char format[] = "title: liquid at rest\n"
                             "gravity: [0, %.17g, 0]\n"
                             "domain: {cell: %.17g}\n"
                             "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, "
                             "surface_tension: 0}]\n"
                             "regions: [{name: hollow, shape: {%s, scale: %.17g}}]\n"
                             "bodies: [{name: pool, material: liquid, shape: {type: intersection, of: ["
                             "{type: region, region: hollow}, {type: half_space, point: [0, %.17g, 0]}]}}]\n"
                             "colliders: [{name: container, boundary: %s, shape: {type: inside_out, of: ["
                             "{type: region, region: hollow}]}}]\n";

typedef struct record {
    const parameters *p;
    double largest, squares, count; // difference of pressure, over that at the bottom
    double volume;
    double late; // largest speed in the last tenth of the steps
} record;

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position");
    const dr_frame_array *pressure = dr_frame_find(liquid, "pressure");
    double bottom = r->p->density * r->p->gravity * r->p->depth;
    r->largest = r->squares = r->count = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        double share = 1.0 - dr_lab_item(position, i, 1) / r->p->depth;
        double difference = dr_lab_item(pressure, i, 0) / bottom - fmax(0.0, share);
        r->largest = fmax(r->largest, fabs(difference));
        r->squares += difference * difference;
        r->count += 1.0;
    }
}

static void watch_report(void *user, const dr_report *report)
{
    record *r = user;
    if (10 * report->step > 9 * r->p->steps) r->late = fmax(r->late, report->largest_speed);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double cell = p->depth / (double)p->cells, step = p->step * sqrt(cell / p->gravity);
    double duration = step * (double)p->steps;
    record r = {.p = p};
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, -p->gravity, cell, p->density, p->viscosity,
                                         hollows[p->container], p->depth, p->depth, wall_kinds[p->walls]);
    if (!status) {
        dr_lab_scene_time(scene, duration, 10, step);
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    dr_lab_expect(lab, "pressure_error", "", sqrt(r.squares / fmax(1.0, r.count)), 0.0, 0.005);
    dr_lab_measure(lab, "largest_pressure_error", "", r.largest);
    dr_lab_expect(lab, "largest_speed", "sqrt(g h)", r.late / sqrt(p->gravity * p->depth), 0.0, 1e-3);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_hydrostatic = {
    "hydrostatic", "liquid at rest in a container: pressure is density g depth, nothing moves", &table, run};
