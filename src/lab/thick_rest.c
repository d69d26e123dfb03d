// Thick liquids that come to rest: a block that slumps until its yield stress holds it, and a column that is compressed
// by its own weight.
#include "lab/cases.h"
#include "lab/lubrication.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include <math.h>
#include <string.h>

// ---- hb-slump

typedef struct slump_parameters {
    double yield, consistency, index, density, area, gravity, time, step;
    int64_t cells;
} slump_parameters;

static const dr_field slump_rows[] = {
    ROW_COUNT(slump_parameters, cells, "8", 4, 256, "Cells along a side of the block."),
    ROW_REAL(slump_parameters, yield, DR_UNIT_PRESSURE, "50 dyn/cm2", 1e-3, 1e9, "Yield stress in simple shear."),
    ROW_REAL(slump_parameters, consistency, DR_UNIT_CONSISTENCY, "20 P", 1e-6, 1e9, "In simple shear."),
    ROW_REAL(slump_parameters, index, DR_UNIT_NONE, "1", 0.1, 3.0, "Flow index."),
    ROW_REAL(slump_parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(slump_parameters, area, DR_UNIT_NONE, "4", 1e-4, 1e6, "Of the square block, cm2."),
    ROW_REAL(slump_parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(slump_parameters, time, DR_UNIT_TIME, "16 s", 1e-3, 1e4, "How long to run."),
    ROW_REAL(slump_parameters, step, DR_UNIT_TIME, "6 ms", 1e-6, 10.0, "Of time at most."),
};
static const dr_table slump_table = ROW_TABLE("hb-slump", slump_parameters, slump_rows);

enum { COLUMNS = 8192 };

typedef struct outline {
    double cell, near, wide; // how far from the wall depth is measured
    double reach, farthest, volume, fastest;
    double depth[COLUMNS]; // of liquid in columns a cell long, cells
} outline;

// How far the liquid is half a cell deep: what is thinner is not resolved, and single particles on the floor are spray.
static double find_reach(const outline *o)
{
    int last = 0;
    while (last + 2 < COLUMNS && o->depth[last + 1] >= 0.5) last++;
    double fall = o->depth[last] - o->depth[last + 1], part = fall > 0.0 ? (o->depth[last] - 0.5) / fall : 0.0;
    return o->cell * (last + 0.5 + part);
}

static void watch_outline(void *user, const dr_frame *frame)
{
    outline *o = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *velocity = dr_frame_find(liquid, "velocity");
    const dr_frame_array *volume = dr_frame_find(liquid, "volume");
    o->farthest = o->volume = o->fastest = 0.0;
    memset(o->depth, 0, sizeof o->depth);
    for (size_t i = 0; i < position->count; i++) {
        double x = dr_lab_item(position, i, 0), own = dr_lab_item(volume, i, 0);
        o->farthest = fmax(o->farthest, x);
        if (x < o->near) o->volume += own;
        if (x < COLUMNS * o->cell) o->depth[(int)(x / o->cell)] += own / (o->cell * o->cell * o->wide);
        for (int a = 0; a < 2; a++) o->fastest = fmax(o->fastest, fabs(dr_lab_item(velocity, i, a)));
    }
    o->reach = find_reach(o);
}

#define AT_REST 0.95 // of the run-out: from here on it is judged by its final shape too

static const char slump_format[] =
    "title: a block slumps\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: symmetry, y_min: sticky, "
    "z_min: symmetry, z_max: symmetry}\n"
    "materials: [%s]\n"
    "bodies: [{name: block, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
    "size: [%.17g, %.17g, %.17g]}}]\n";

static dr_status run_slump(dr_lab *lab, const void *values, dr_error *error)
{
    const slump_parameters *p = values;
    double side = sqrt(p->area), cell = side / (double)p->cells, wide = 4.0 * cell;
    double a = sqrt(2.0 * p->yield / (p->density * p->gravity)), length = pow(1.5 * p->area / a, 2.0 / 3.0);
    dr_material_spec material = {.density = p->density,
                                 .bulk_modulus = 2e10,
                                 .shear_modulus = 100.0 * p->yield,
                                 .yield_stress = dr_rheology_yield_of_shear(p->yield),
                                 .consistency = dr_rheology_consistency_of_shear(p->consistency, p->index),
                                 .flow_index = p->index};
    char text[512];
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    outline o = {.cell = cell, .near = 0.5 * side, .wide = wide};
    dr_lab_watch watcher = {.frame = watch_outline, .user = &o};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, slump_format, -p->gravity, cell, 2.0 * length, 2.0 * side, wide,
                                         text, 0.5 * side, 0.5 * side, 0.5 * wide, side, side, wide);
    if (!status) {
        dr_lab_scene_time(scene, p->time, 4, 0.0);
        dr_scene_edit(scene)->time.max_step = p->step;
        status = dr_lab_simulate(lab, "", scene, p->time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    const dr_lab_spreading block = {{p->yield, p->consistency, p->index}, p->density * p->gravity, side, length};
    double front = dr_lab_spreading_front(&block, p->time);
    dr_lab_expect_share(lab, "run_out_by_now", "cm", o.reach, front, 0.08);
    // Depth at the wall, from the mean beside it and the shape a sqrt(L - x).
    double beside = (pow(length, 1.5) - pow(length - o.near, 1.5)) / (1.5 * o.near);
    double height = o.volume / (o.near * wide) * sqrt(length) / beside;
    if (front > AT_REST * length) {
        dr_lab_expect_share(lab, "run_out", "cm", o.reach, length, 0.08);
        dr_lab_expect_share(lab, "height", "cm", height, a * sqrt(length), 0.08);
    }
    dr_lab_measure(lab, "farthest_particle", "cm", o.farthest);
    dr_lab_measure(lab, "largest_speed", "cm/s", o.fastest);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_hb_slump = {"hb-slump", "a block slumps beside a wall until its yield stress holds it",
                                     &slump_table, run_slump};

// ---- compressible-column

typedef struct column_parameters {
    double bulk_modulus, density, height, gravity, time, step;
    int64_t cells;
} column_parameters;

static const dr_field column_rows[] = {
    ROW_COUNT(column_parameters, cells, "20", 4, 512, "Cells along the height."),
    ROW_REAL(column_parameters, bulk_modulus, DR_UNIT_PRESSURE, "2.5e4 dyn/cm2", 1.0, 9.9e7, "Of the liquid."),
    ROW_REAL(column_parameters, density, DR_UNIT_DENSITY, "0.2 g/cm3", 1e-3, 100.0, "At rest volume."),
    ROW_REAL(column_parameters, height, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Before it is compressed."),
    ROW_REAL(column_parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(column_parameters, time, DR_UNIT_TIME, "2 s", 1e-3, 1e4, "How long to run."),
    ROW_REAL(column_parameters, step, DR_UNIT_TIME, "4 ms", 1e-6, 1.0, "Of time."),
};
static const dr_table column_table = ROW_TABLE("compressible-column", column_parameters, column_rows);

typedef struct column {
    double cell, top, pressure, low, count;
} column;

// The pressure of the lowest layer, with its mean height.
static void watch_column(void *user, const dr_frame *frame)
{
    column *c = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *pressure = dr_frame_find(liquid, "pressure");
    c->top = c->pressure = c->low = c->count = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        double y = dr_lab_item(position, i, 1);
        c->top = fmax(c->top, y);
        if (y > 2.0 * c->cell) continue;
        c->pressure += dr_lab_item(pressure, i, 0);
        c->low += y;
        c->count += 1.0;
    }
    c->top += 0.25 * c->cell;
}

static const char column_format[] =
    "title: a column is compressed by its weight\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: symmetry, x_max: symmetry, "
    "y_min: slip, z_min: symmetry, z_max: symmetry}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, bulk_modulus: %.17g, viscosity: 0, surface_tension: 0}]\n"
    "bodies: [{name: column, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
    "size: [%.17g, %.17g, %.17g]}}]\n";

static dr_status run_column(dr_lab *lab, const void *values, dr_error *error)
{
    const column_parameters *p = values;
    double cell = p->height / (double)p->cells, wide = 4.0 * cell, weight = p->density * p->gravity;
    column c = {.cell = cell};
    dr_lab_watch watcher = {.frame = watch_column, .user = &c};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, column_format, -p->gravity, cell, wide, 1.5 * p->height, wide, p->density,
                          p->bulk_modulus, 0.5 * wide, 0.5 * p->height, 0.5 * wide, wide, p->height, wide);
    if (!status) {
        dr_lab_scene_time(scene, p->time, 2, p->step);
        status = dr_lab_simulate(lab, "", scene, p->time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    double q = weight * p->height / p->bulk_modulus;
    double height = p->bulk_modulus / weight * (0.5 * (q * sqrt(1.0 + q * q) + asinh(q)) - 0.5 * q * q);
    double bottom = c.pressure / c.count + weight * c.low / c.count;
    dr_lab_expect_share(lab, "bottom_pressure", "dyn/cm2", bottom, weight * p->height, 0.06);
    dr_lab_expect_share(lab, "height", "cm", c.top, height, 0.02);
    dr_lab_measure(lab, "bottom_ratio", "", 1.0 + dr_rheology_dilation(p->bulk_modulus, bottom));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_compressible_column = {
    "compressible-column", "a column of soft liquid under its own weight: its height and the pressure below",
    &column_table, run_column};
