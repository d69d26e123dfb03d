// Strands in thick liquid: one that settles or is held by the yield stress, and a duct in which held strands leave less
// room. docs/theory/strands_in_liquid.md, section 8.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include "mixture/drag.h"

#include <math.h>

#define GRAVITY 981.0

// ---- settling-thick

typedef struct settling {
    double density, radius, length, cell;
    int64_t vertices, steps;
    int material;
} settling;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field settling_rows[] = {
    ROW_CHOICE(settling, material, materials, "drilling mud", "Which liquid."),
    ROW_COUNT(settling, vertices, "11", 3, 1000, "Of the strand."),
    ROW_REAL(settling, density, DR_UNIT_DENSITY, "8 g/cm3", 0.01, 100.0, "Of the strand."),
    ROW_REAL(settling, radius, DR_UNIT_LENGTH, "0.05 cm", 1e-5, 1.0, "Of the strand."),
    ROW_REAL(settling, length, DR_UNIT_LENGTH, "4 cm", 0.01, 100.0, "Of the strand, at least: it spans the box."),
    ROW_REAL(settling, cell, DR_UNIT_LENGTH, "0.25 cm", 1e-3, 10.0, "Grid spacing."),
    ROW_COUNT(settling, steps, "600", 20, 1000000, "Steps of equal size."),
};
static const dr_table settling_table = ROW_TABLE("settling-thick", settling, settling_rows);

// Force per length at a speed, of a strand alone.
static double force_at(const settling *p, const dr_material_spec *material, double speed)
{
    dr_drag_flow flow = {.density = material->density,
                         .yield = sqrt(2.0 / 3.0) * material->yield_stress,
                         .consistency = material->consistency,
                         .index = material->flow_index,
                         .radius = p->radius,
                         .speed = speed};
    return speed * dr_drag_fibre(&flow).across;
}

#define SLOWEST 1e-4  // cm/s: what a yield stress holds is slower
#define SPEED   0.05  // what a speed may be wrong by,
#define FORCE   0.008 // and what it may by an error of the force

#define LAGS       25.0 // how long to run, in times in which what is not yet steady falls to 1/e,
#define LEAST_TIME 0.1  // and in s, in which elastic liquid comes to rest
#define FRAMES     20   // of them the last two tell how fast liquid and strand speed up together
#define FALL       2.0  // how far the strand comes, liquid around it coming with it

static double terminal_speed(const settling *p, const dr_material_spec *material, double gravity)
{
    double weight = DR_PI * p->radius * p->radius * (p->density - material->density) * gravity, low = SLOWEST,
           high = 1.0;
    if (force_at(p, material, low) >= weight) return 0.0;
    while (force_at(p, material, high) < weight) high *= 2.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(force_at(p, material, middle) < weight ? &low : &high) = middle;
    }
    return low;
}

// What an error of the force makes of the speed, as a share of it over a share of the force: much where the yield
// stress nearly holds the strand.
static double sensitivity(const settling *p, const dr_material_spec *material, double speed)
{
    double force = force_at(p, material, speed);
    return 0.01 * force / (force_at(p, material, 1.01 * speed) - force);
}

typedef struct record {
    double cell;
    double among;    // mean velocity of strands along y, relative to particles of liquid within a cell
    double slip;     // mean speed relative to the liquid, of the middle half of the strand
    double speed[2]; // mean velocity of the strand along y, in the frame before and in this
} record;

static double weight_of(double x)
{
    x = fabs(x);
    return x < 0.5 ? 0.75 - x * x : x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0.0;
}

// The liquid's velocity along y around a place, by the kernel of the grid.
static double stream_at(const dr_frame_part *liquid, const double place[3], double cell)
{
    const dr_frame_array *x = dr_frame_find(liquid, "position"), *v = dr_frame_find(liquid, "velocity");
    double sum = 0.0, all = 0.0;
    for (size_t i = 0; i < liquid->point_count; i++) {
        double w = 1.0;
        for (int a = 0; a < 3; a++) w *= weight_of((dr_lab_item(x, i, a) - place[a]) / cell);
        sum += w * dr_lab_item(v, i, 1);
        all += w;
    }
    return all > 0.0 ? sum / all : 0.0;
}

static void watch_strand(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        const dr_frame_array *x = dr_frame_find(part, "position"), *v = dr_frame_find(part, "velocity");
        if (part->kind != DR_FRAME_CURVES) continue;
        size_t from = part->point_count / 4, to = part->point_count - from;
        r->slip = r->among = 0.0;
        r->speed[0] = r->speed[1];
        r->speed[1] = 0.0;
        for (size_t k = from; k < to; k++)
            r->slip += dr_lab_item(dr_frame_find(part, "slip"), k, 0) / (double)(to - from);
        for (size_t k = 0; k < part->point_count; k++) {
            double place[3] = {dr_lab_item(x, k, 0), dr_lab_item(x, k, 1), dr_lab_item(x, k, 2)};
            r->speed[1] += dr_lab_item(v, k, 1) / (double)part->point_count;
            r->among += (dr_lab_item(v, k, 1) - stream_at(liquid, place, r->cell)) / (double)part->point_count;
        }
    }
}

static dr_status run_settling(dr_lab *lab, const void *values, dr_error *error)
{
    const settling *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    material.bulk_modulus = 2e10;
    double expected = terminal_speed(p, &material, GRAVITY),
           net = fabs(p->density - material.density) / p->density * GRAVITY;
    double lag = expected > 0.0 ? sensitivity(p, &material, expected) * expected / net : 0.0;
    double time = fmax(LAGS * lag, LEAST_TIME), fall = FALL * expected * time;
    double width = 8.0 * p->cell * ceil(p->length / (8.0 * p->cell));
    double height = p->cell * ceil((fall + 2.0 * p->length) / p->cell), top = height - 0.5 * p->length;
    char text[512];
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    record r = {.cell = p->cell};
    dr_lab_watch watcher = {.frame = watch_strand, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strand in thick liquid\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, y_min: "
        "slip, y_max: slip, z_min: periodic, z_max: periodic}\n"
        "materials: [%s, {name: strand, preset: hair, density: %.17g, radius: %.17g}]\n"
        "bodies: [{name: pool, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], size: [%.17g, "
        "%.17g, %.17g]}}]\n"
        "strands: [{name: strand, material: strand, type: line, start: [%.17g, %.17g, %.17g], end: [%.17g, %.17g, "
        "%.17g], vertices: %d, root: free, contact: none}]\n",
        p->cell, width, height, width, text, p->density, p->radius, 0.5 * width, 0.5 * height, 0.5 * width, width,
        height, width, 0.0, top, 0.47 * width, width, top, 0.47 * width, (int)p->vertices);
    if (!status) {
        dr_lab_scene_time(scene, time, FRAMES, time / (double)p->steps);
        status = dr_lab_simulate(lab, NULL, scene, time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    if (!(expected > 0.0)) {
        dr_lab_expect(lab, "slip_speed", "cm/s", r.slip, 0.0, SLOWEST);
        return DR_STATUS_OK;
    }
    expected = terminal_speed(p, &material, GRAVITY + (r.speed[1] - r.speed[0]) * FRAMES / time);
    double most = fmax(SPEED, FORCE * sensitivity(p, &material, expected));
    dr_lab_expect_share(lab, "slip_speed", "cm/s", r.slip, expected, most);
    dr_lab_measure(lab, "speed_among_particles", "cm/s", -r.among);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_settling_thick = {
    "settling-thick", "a strand in thick liquid: it settles, or its liquid's yield stress holds it", &settling_table,
    run_settling};

// ---- strand-duct

// Two rows of strands to a cell.
enum { CELLS = 8, ROWS = 2 * CELLS };

typedef struct duct {
    double fraction, cell, speed;
} duct;

static const dr_field duct_rows[] = {
    ROW_REAL(duct, fraction, DR_UNIT_NONE, "0.3", 0.001, 0.6, "Of the volume that strands take."),
    ROW_REAL(duct, cell, DR_UNIT_LENGTH, "0.125 cm", 1e-4, 10.0, "Grid spacing."),
    ROW_REAL(duct, speed, DR_UNIT_SPEED, "1 cm/s", 1e-6, 1e3, "Of the liquid as it begins."),
};
static const dr_table duct_table = ROW_TABLE("strand-duct", duct, duct_rows);

typedef struct stream {
    double width;
    double sum[2], volume[2]; // outside and inside: of velocity, by volume
} stream;

// The middle of the strands' part of the duct, and of the other one.
static void watch_stream(void *user, const dr_frame *frame)
{
    stream *s = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *x = dr_frame_find(liquid, "position"), *v = dr_frame_find(liquid, "velocity");
    const dr_frame_array *volume = dr_frame_find(liquid, "volume");
    *s = (stream){.width = s->width};
    for (size_t i = 0; i < liquid->point_count; i++) {
        double place = dr_lab_item(x, i, 0) / s->width, own = dr_lab_item(volume, i, 0);
        int inside = fabs(place - 1.0) < 0.25 ? 1 : fabs(place - 3.0) < 0.25 ? 0 : -1;
        if (inside < 0) continue;
        s->sum[inside] += own * dr_lab_item(v, i, 0);
        s->volume[inside] += own;
    }
}

// A ring of four squares, strands across the first two of them: as much flows through everywhere.
static dr_status run_duct(dr_lab *lab, const void *values, dr_error *error)
{
    const duct *p = values;
    double width = CELLS * p->cell, radius = width / (double)ROWS * sqrt(p->fraction / DR_PI);
    double step = 0.05 * p->cell / p->speed;
    stream s = {.width = width};
    dr_lab_watch watcher = {.frame = watch_stream, .user = &s};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a duct with strands that are held\n"
        "gravity: [0, 0, 0]\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, y_min: "
        "periodic, y_max: periodic, z_min: periodic, z_max: periodic}\n"
        "materials: [{name: liquid, kind: liquid, density: 1, viscosity: 0, surface_tension: 0}, {name: strand, "
        "preset: "
        "hair, density: 1, radius: %.17g}]\n"
        "bodies: [{name: stream, material: liquid, velocity: [%.17g, 0, 0], shape: {type: box, center: [%.17g, %.17g, "
        "%.17g], size: [%.17g, %.17g, %.17g]}}]\n"
        "strands: [{name: mat, material: strand, type: mat, center: [%.17g, 0, %.17g], axis: [0, 1, 0], width: %.17g, "
        "depth: %.17g, length: %.17g, count: %d, vertices: 3, root: clamped, tip: pinned, contact: none}]\n",
        p->cell, 4.0 * width, width, width, radius, p->speed, 2.0 * width, 0.5 * width, 0.5 * width, 4.0 * width, width,
        width, width, 0.5 * width, 2.0 * width, width, width, 2 * ROWS * ROWS);
    if (!status) {
        dr_lab_scene_time(scene, 2.0 * step, 1, step);
        status = dr_lab_simulate(lab, NULL, scene, 2.0 * step, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    double ratio = s.sum[1] / s.volume[1] / (s.sum[0] / s.volume[0]);
    dr_lab_expect_share(lab, "speed_ratio", "", ratio, 1.0 / (1.0 - p->fraction), 0.01);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_strand_duct = {
    "strand-duct", "liquid in a duct with strands that are held: it flows faster where they leave less room",
    &duct_table, run_duct};
