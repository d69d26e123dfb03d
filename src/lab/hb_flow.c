// Thick liquids that flow steadily along walls that hold them: a channel, driven by a pressure gradient, and a film on
// an incline. A plug where the stress is below yield, n/(n+1) (G/K)^(1/n) (H - y_p)^((n+1)/n) fast.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include <math.h>

// ---- what both share

typedef struct record {
    double height; // of the layer, from one wall
    bool both;     // walls
    double plug, mean, count, across;
} record;

// The plug: the middle of a channel, the top of a film.
static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *velocity = dr_frame_find(liquid, "velocity");
    double plug = 0.0, count = 0.0;
    r->mean = r->across = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        double y = dr_lab_item(position, i, 1) / r->height, u = dr_lab_item(velocity, i, 0);
        bool inside = r->both ? fabs(y - 1.0) < 0.1 : y > 0.9;
        r->mean += u / (double)position->count;
        r->across = fmax(r->across, fabs(dr_lab_item(velocity, i, 1)));
        plug += inside ? u : 0.0;
        count += inside ? 1.0 : 0.0;
    }
    r->plug = count > 0.0 ? plug / count : 0.0;
}

static const char format[] =
    "title: a thick liquid flows along a wall\n"
    "gravity: [0, 0, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, "
    "y_min: sticky, y_max: %s, z_min: periodic, z_max: periodic}\n"
    "materials: [%s]\n"
    "forces: [{name: push, type: uniform, acceleration: [%.17g, %.17g, 0]}]\n"
    "bodies: [{name: filling, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
    "size: [%.17g, %.17g, %.17g]}}]\n";

typedef struct layer {
    dr_material_spec material;
    double height, along, down; // cm, cm/s2
    bool both;
    int64_t cells;        // across the height
    double time, courant; // how long to run; cells per step
    double step;          // at most
} layer;

static dr_status flow(dr_lab *lab, const layer *l, const char *part, double plug, record *r, dr_error *error)
{
    double cell = l->height / (double)l->cells, wide = 8.0 * cell, deep = l->both ? 2.0 * l->height : l->height;
    char material[512];
    dr_lab_thick_text(&l->material, "liquid", material, sizeof material);
    *r = (record){.height = l->height, .both = l->both};
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, cell, wide, l->both ? deep : 2.0 * deep, wide,
                                         l->both ? "sticky" : "open", material, l->along, -l->down, 0.5 * wide,
                                         0.5 * deep, 0.5 * wide, wide, deep, wide);
    if (!status) {
        double step = fmin(l->step, l->courant * cell / fmax(plug, 1e-12));
        dr_lab_scene_time(scene, l->time, 1, l->time / ceil(l->time / step));
        status = dr_lab_simulate(lab, part, scene, l->time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

// The time in which a layer comes to be steady: its slowest mode, by the slope of stress over rate at the wall and by
// that on average.
static double settling(const dr_lab_shear *shear, double density, double force, double height)
{
    double sheared = fmax(height - shear->yield / force, 0.1 * height), n = shear->index;
    double rate = pow(force * sheared / shear->consistency, 1.0 / n);
    return density * sheared * height * rate / (force * sheared) * fmax(1.0, 1.0 / n);
}

// ---- hb-channel

typedef struct channel_parameters {
    double n, yield, half_width, gradient, consistency, density, stiffness, times;
    int64_t cells;
} channel_parameters;

static const dr_field channel_rows[] = {
    ROW_COUNT(channel_parameters, cells, "12", 4, 512, "Cells from the middle to a wall."),
    ROW_REAL(channel_parameters, n, DR_UNIT_NONE, "1", 0.1, 3.0, "Flow index."),
    ROW_REAL(channel_parameters, yield, DR_UNIT_PRESSURE, "0.2 dyn/cm2", 0.0, 1e9, "Yield stress in simple shear."),
    ROW_REAL(channel_parameters, half_width, DR_UNIT_LENGTH, "1 cm", 1e-4, 1e4, "From the middle to a wall."),
    ROW_REAL(channel_parameters, gradient, DR_UNIT_NONE, "1", 1e-9, 1e9, "Of the pressure, dyn/cm3."),
    ROW_REAL(channel_parameters, consistency, DR_UNIT_CONSISTENCY, "1 P", 1e-9, 1e9, "In simple shear."),
    ROW_REAL(channel_parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(channel_parameters, stiffness, DR_UNIT_NONE, "300", 10.0, 1e6, "Shear modulus over the stress on a wall."),
    ROW_REAL(channel_parameters, times, DR_UNIT_NONE, "6", 0.1, 1000.0, "How long to run, in times of settling."),
};
static const dr_table channel_table = ROW_TABLE("hb-channel", channel_parameters, channel_rows);

static dr_status run_channel(dr_lab *lab, const void *values, dr_error *error)
{
    const channel_parameters *p = values;
    dr_lab_shear shear = {p->yield, p->consistency, p->n};
    double plug, mean;
    dr_lab_thick_layer(&shear, p->gradient, p->half_width, &plug, &mean);
    layer l = {.material = {.density = p->density,
                            .bulk_modulus = 2e10,
                            .shear_modulus = p->stiffness * p->gradient * p->half_width,
                            .yield_stress = dr_rheology_yield_of_shear(p->yield),
                            .consistency = dr_rheology_consistency_of_shear(p->consistency, p->n),
                            .flow_index = p->n},
               .height = p->half_width,
               .along = p->gradient / p->density,
               .both = true,
               .courant = 0.4,
               .cells = p->cells};
    l.time = p->times * settling(&shear, p->density, p->gradient, p->half_width);
    l.step = 0.01 * l.time;
    record fine = {0}, coarse = {0};
    dr_status status = flow(lab, &l, "fine", plug, &fine, error);
    l.cells = p->cells / 2;
    if (!status && p->cells >= 8) status = flow(lab, &l, "coarse", plug, &coarse, error);
    if (status) return status;
    dr_lab_expect_share(lab, "plug_speed", "cm/s", fine.plug, plug, 0.02);
    dr_lab_expect_share(lab, "mean_speed", "cm/s", fine.mean, mean, 0.02);
    dr_lab_measure(lab, "cross_speed", "cm/s", fine.across);
    if (p->cells < 8 || !(plug > 0.0)) return DR_STATUS_OK;
    double error_fine = fabs(fine.plug / plug - 1.0), error_coarse = fabs(coarse.plug / plug - 1.0);
    dr_lab_measure(lab, "coarse_plug_speed", "cm/s", coarse.plug);
    dr_lab_expect(lab, "growth_of_error", "", fmax(0.0, error_fine - fmax(error_coarse, 0.002)), 0.0, 1e-9);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_hb_channel = {
    "hb-channel", "a Herschel-Bulkley liquid driven along a channel: the speed of its plug, and its mean",
    &channel_table, run_channel};

// ---- hb-incline

typedef struct incline_parameters {
    double height, angle, gravity, times, step;
    int64_t cells;
    int material;
} incline_parameters;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field incline_rows[] = {
    ROW_CHOICE(incline_parameters, material, materials, "A",
               "Which liquid; A, B, C are stiff ones for which small elastic strain holds."),
    ROW_REAL(incline_parameters, height, DR_UNIT_LENGTH, "1 cm", 1e-4, 1e4, "Of the film."),
    ROW_REAL(incline_parameters, angle, DR_UNIT_NONE, "90", 0.1, 90.0, "Of the incline, in degrees."),
    ROW_REAL(incline_parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_COUNT(incline_parameters, cells, "16", 4, 512, "Cells across the film."),
    ROW_REAL(incline_parameters, step, DR_UNIT_TIME, "1 ms", 1e-6, 1.0, "Of time at most."),
    ROW_REAL(incline_parameters, times, DR_UNIT_NONE, "4", 0.1, 1000.0, "How long to run, in times of settling."),
};
static const dr_table incline_table = ROW_TABLE("hb-incline", incline_parameters, incline_rows);

#define WAVE   2.0  // cells that an elastic wave may go in a step of a film that is to rest
#define SWINGS 3.0  // how much longer it is watched: nothing but the step's own error damps it
#define REST   1e-3 // its speed in the end, of that with which it swings

static dr_status run_incline(dr_lab *lab, const void *values, dr_error *error)
{
    const incline_parameters *p = values;
    double plug, mean;
    layer l = {.material = dr_lab_thick_material(p->material),
               .height = p->height,
               .along = p->gravity * sin(p->angle * DR_DEGREE),
               .down = p->gravity * cos(p->angle * DR_DEGREE),
               .courant = 0.25,
               .cells = p->cells,
               .step = p->step};
    l.material.bulk_modulus = 2e10;
    dr_lab_shear shear = dr_lab_thick_shear(&l.material);
    double force = l.material.density * l.along;
    dr_lab_thick_layer(&shear, force, p->height, &plug, &mean);
    // It swings before it comes to rest or flows steadily.
    double swing = p->height * sqrt(l.material.density / l.material.shear_modulus);
    l.time = p->times * fmax(settling(&shear, l.material.density, force, p->height), 4.0 * swing);
    if (!(plug > 0.0)) {
        l.time *= SWINGS;
        l.step = fmin(l.step, WAVE * swing / (double)p->cells);
    }
    record r = {0};
    dr_status status = flow(lab, &l, "", plug, &r, error);
    if (status) return status;
    dr_lab_measure(lab, "yield_height", "cm", shear.yield / force);
    dr_lab_measure(lab, "cross_speed", "cm/s", r.across);
    if (plug > 0.0) {
        // What the elastic strain adds: of the order of the wall's stress over the modulus.
        double strain = force * p->height / l.material.shear_modulus;
        dr_lab_expect_share(lab, "surface_speed", "cm/s", r.plug, plug, 0.02 + 0.3 * strain);
        dr_lab_expect_share(lab, "mean_speed", "cm/s", r.mean, mean, 0.02 + 0.3 * strain);
    } else {
        dr_lab_expect(lab, "surface_speed", "cm/s", r.plug, 0.0, REST * l.along * swing);
    }
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_hb_incline = {
    "hb-incline", "a film of a thick liquid on an incline: it rests below its yield height, and above it has a plug",
    &incline_table, run_incline};
