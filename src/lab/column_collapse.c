// A round column of sand is let go on a rough floor. Lube, Huppert, Sparks and Hallworth (2004) measured how high the
// heap is in the end, in radii of the column: the aspect a up to 0.74, 0.74 up to 1.7, 0.88 a^(1/6) beyond, for all
// grains. Their fronts run on as layers of a few grains, which cells do not resolve: the run-out is shown, not judged.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double aspect, friction_angle, radius, density, gravity, stiffness, time;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, aspect, DR_UNIT_NONE, "2", 0.3, 10.0, "Height of the column over its radius."),
    ROW_REAL(parameters, friction_angle, DR_UNIT_NONE, "30", 5.0, 50.0, "Of the grains, in degrees."),
    ROW_COUNT(parameters, cells, "5", 3, 64, "Cells to the radius."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "5 cm", 1e-3, 1e4, "Of the column."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "2.2 g/cm3", 1e-4, 1e2, "Of the sand."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-2, 1e6, "Down."),
    ROW_REAL(parameters, stiffness, DR_UNIT_NONE, "100", 10.0, 1e6,
             "Young's modulus over the pressure at the bottom of the column."),
    ROW_REAL(parameters, time, DR_UNIT_NONE, "5", 1.0, 100.0, "Simulated, in sqrt(height / gravity)."),
};
static const dr_table table = ROW_TABLE("column-collapse", parameters, rows);

typedef struct heap {
    double height, reach; // of the last frame
    double speed;         // largest, of the last step
} heap;

static void watch_frame(void *user, const dr_frame *frame)
{
    heap *found = user;
    const dr_frame_array *position = frame->part_count > 0 ? dr_frame_find(&frame->parts[0], "position") : NULL;
    found->height = found->reach = 0.0;
    for (size_t i = 0; position && i < position->count; i++) {
        double x = dr_lab_item(position, i, 0), z = dr_lab_item(position, i, 2);
        found->height = fmax(found->height, dr_lab_item(position, i, 1));
        found->reach = fmax(found->reach, hypot(x, z));
    }
}

static void watch_report(void *user, const dr_report *report)
{
    ((heap *)user)->speed = report->largest_speed;
}

static double known_height(double aspect)
{
    return aspect < 0.74 ? aspect : aspect < 1.7 ? 0.74 : 0.88 * pow(aspect, 1.0 / 6.0);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double height = p->aspect * p->radius, duration = p->time * sqrt(height / p->gravity);
    double cell = p->radius / (double)p->cells, side = 8.0 * p->radius + 2.0 * height;
    heap found = {0};
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = &found};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a column of sand collapses\ngravity: [0, %.17g, 0]\n"
        "domain: {cell: %.17g, min: [%.17g, 0, %.17g], max: [%.17g, %.17g, %.17g], y_min: sticky}\n"
        "materials: [{name: grains, kind: sand, density: %.17g, youngs_modulus: %.17g, friction_angle: %.17g deg}]\n"
        "bodies: [{name: column, material: grains, shape: {type: cylinder, center: [0, %.17g, 0], radius: %.17g, "
        "height: %.17g}}]\n",
        -p->gravity, cell, -side, -side, side, 2.0 * height, side, p->density,
        p->stiffness * p->density * p->gravity * height, p->friction_angle, 0.5 * height, p->radius, height);
    if (!status) dr_lab_scene_time(scene, duration, 10, 0.0);
    if (!status) status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) return status;
    double half = 0.25 * cell; // from a particle to the surface that it lies at, two of them to a cell
    dr_lab_expect_share(lab, "height_over_radius", NULL, (found.height + half) / p->radius, known_height(p->aspect),
                        0.15);
    dr_lab_measure(lab, "run_out", NULL, (found.reach + half) / p->radius - 1.0);
    dr_lab_expect(lab, "last_speed", NULL, found.speed / sqrt(p->gravity * height), 0.0, 0.05);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_column_collapse = {"column-collapse", "a column of sand becomes a heap", &table, run};
