// Strands in liquid, as ordinary scenes: a column that stays at rest, buoyancy of many strands in a closed column, a
// strand that settles, a stream through strands that are held. docs/theory/strands_in_liquid.md.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "math/kernel.h"
#include "mixture/drag.h"

#include <math.h>

#define GRAVITY 981.0

// Periodic directions are whole numbers of eight cells; two rows of strands to a cell.
enum { ACROSS = 8, ROWS = 2 * ACROSS };

typedef struct record {
    double skip;       // before this time nothing counts
    double low, high;  // heights between which strands count
    double fastest;    // of liquid and strands, cm/s
    double rise, flow; // mean velocity of strands along y, of liquid along x, by volume
    double slip;       // mean speed relative to the liquid around, of the middle half of a strand
    double taken;      // volume of liquid
} record;

static double fastest_of(const dr_frame_part *part)
{
    const dr_frame_array *velocity = dr_frame_find(part, "velocity");
    double most = 0.0;
    for (size_t i = 0; velocity && i < part->point_count; i++) {
        double v[3] = {dr_lab_item(velocity, i, 0), dr_lab_item(velocity, i, 1), dr_lab_item(velocity, i, 2)};
        most = fmax(most, dr_lab_norm(v));
    }
    return most;
}

static void watch_strands(record *r, const dr_frame_part *strands)
{
    const dr_frame_array *x = dr_frame_find(strands, "position"), *v = dr_frame_find(strands, "velocity");
    double sum = 0.0;
    int count = 0;
    for (size_t i = 0; i < strands->point_count; i++) {
        double height = dr_lab_item(x, i, 1);
        if (height < r->low || height > r->high) continue;
        sum += dr_lab_item(v, i, 1);
        count++;
    }
    r->rise = count > 0 ? sum / count : 0.0;
    const dr_frame_array *slip = dr_frame_find(strands, "slip");
    size_t from = strands->point_count / 4, to = strands->point_count - from;
    r->slip = 0.0;
    for (size_t i = from; slip && i < to; i++) r->slip += dr_lab_item(slip, i, 0) / (double)(to - from);
}

static void watch_liquid(record *r, const dr_frame_part *liquid)
{
    const dr_frame_array *volume = dr_frame_find(liquid, "volume"), *v = dr_frame_find(liquid, "velocity");
    r->flow = r->taken = 0.0;
    for (size_t i = 0; i < liquid->point_count; i++) {
        r->flow += dr_lab_item(volume, i, 0) * dr_lab_item(v, i, 0);
        r->taken += dr_lab_item(volume, i, 0);
    }
}

static void watch(void *user, const dr_frame *frame)
{
    record *r = user;
    if (frame->time <= r->skip) return;
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (part->kind == DR_FRAME_CURVES) watch_strands(r, part);
        if (part == dr_lab_liquid_part(frame)) watch_liquid(r, part);
        if (part->kind == DR_FRAME_CURVES || part == dr_lab_liquid_part(frame))
            r->fastest = fmax(r->fastest, fastest_of(part));
    }
}

static dr_status simulate(dr_lab *lab, dr_scene *scene, double duration, int64_t steps, int64_t frames, record *r,
                          dr_error *error)
{
    dr_lab_watch watcher = {.frame = watch, .user = r};
    dr_lab_scene_time(scene, duration, (int)frames, duration / (double)steps);
    dr_status status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    return status;
}

// The radius of strands that stand ROWS by ROWS across a square and take that share of it.
static double radius_for(double fraction, double width)
{
    return width / (double)ROWS * sqrt(fraction / DR_PI);
}

// ---- a column at rest

typedef struct column {
    double density, fraction, cell;
    bool closed;
    int64_t cells, steps;
} column;

static const dr_field column_rows[] = {
    ROW_REAL(column, density, DR_UNIT_NONE, "2", 0.01, 100.0, "Of strands, over the liquid's."),
    ROW_REAL(column, fraction, DR_UNIT_NONE, "0.4", 0.001, 0.75, "Of the volume that strands take."),
    ROW_SWITCH(column, closed, "yes", "With a lid; else with a free surface."),
    ROW_COUNT(column, cells, "16", 4, 256, "Cells across the height of the column."),
    ROW_REAL(column, cell, DR_UNIT_LENGTH, "0.25 cm", 1e-3, 10.0, "Grid spacing."),
    ROW_COUNT(column, steps, "20", 1, 100000, "Steps of equal size."),
};
static const dr_table column_table = ROW_TABLE("strand-column", column, column_rows);

#define COLUMN_STEP 1e-3

static dr_status run_column(dr_lab *lab, const void *values, dr_error *error)
{
    const column *p = values;
    double width = ACROSS * p->cell, height = p->cell * (double)p->cells;
    double level = p->closed ? height : 0.75 * height;
    record r = {.skip = 0.0};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: liquid at rest among strands that are held\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %s, %.17g], x_min: periodic, x_max: periodic, y_min: slip, "
        "y_max: %s, z_min: periodic, z_max: periodic}\n"
        "materials: [{name: liquid, kind: liquid, density: 1, viscosity: 0.01, surface_tension: 0}, {name: strand, "
        "preset: hair, density: %.17g, radius: %.17g}]\n"
        "bodies: [{name: pool, material: liquid, jitter: 0, shape: {type: box, center: [%.17g, %.17g, %.17g], size: "
        "[%.17g, "
        "%.17g, %.17g]}}]\n"
        "strands: [{name: mat, material: strand, film_capture: 0, type: mat, center: [%.17g, 0, %.17g], axis: [0, 1, "
        "0], width: %.17g, "
        "depth: %.17g, length: %.17g, count: %d, vertices: 3, root: clamped, tip: pinned, contact: none}]\n",
        p->cell, width, p->closed ? "1" : "unbounded", width, p->closed ? "slip" : "open", p->density,
        radius_for(p->fraction, width), 0.5 * width, 0.5 * level, 0.5 * width, width, level, width, 0.5 * width,
        0.5 * width, width, width, height, ROWS * ROWS);
    if (!status && p->closed) dr_scene_edit(scene)->domain.max[1] = height;
    if (!status) status = simulate(lab, scene, COLUMN_STEP * (double)p->steps, p->steps, p->steps, &r, error);
    if (!status) dr_lab_expect(lab, "largest_speed", "g dt", r.fastest / (GRAVITY * COLUMN_STEP), 0.0, 1e-5);
    return status;
}

const dr_lab_case dr_lab_strand_column = {
    "strand-column", "liquid among strands that are held, in a closed or an open column: it stays at rest",
    &column_table, run_column};

// ---- buoyancy

typedef struct buoyancy {
    double density, fraction, cell;
    int64_t cells;
} buoyancy;

static const dr_field buoyancy_rows[] = {
    ROW_REAL(buoyancy, density, DR_UNIT_NONE, "2", 0.01, 100.0, "Of strands, over the liquid's."),
    ROW_REAL(buoyancy, fraction, DR_UNIT_NONE, "0.3", 0.001, 0.6, "Of the volume that strands take."),
    ROW_COUNT(buoyancy, cells, "16", 12, 256, "Cells across the height of the column, a multiple of 4."),
    ROW_REAL(buoyancy, cell, DR_UNIT_LENGTH, "0.25 cm", 1e-3, 10.0, "Grid spacing."),
};
static const dr_table buoyancy_table = ROW_TABLE("strand-buoyancy", buoyancy, buoyancy_rows);

#define BUOYANCY_STEP 1e-4

// Strands lie across a closed column, evenly over all of its height, and are let go.
static dr_status run_buoyancy(dr_lab *lab, const void *values, dr_error *error)
{
    const buoyancy *p = values;
    double width = ACROSS * p->cell, height = p->cell * (double)p->cells, s = p->density, f = p->fraction;
    record r = {.low = 4.0 * p->cell, .high = height - 4.0 * p->cell};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: strands let go in a closed column of liquid\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, y_min: "
        "slip, y_max: slip, z_min: periodic, z_max: periodic}\n"
        "materials: [{name: liquid, kind: liquid, density: 1, viscosity: 0, surface_tension: 0}, {name: strand, "
        "preset: hair, density: %.17g, radius: %.17g}]\n"
        "bodies: [{name: pool, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], size: [%.17g, "
        "%.17g, %.17g]}}]\n"
        "strands: [{name: mat, material: strand, film_capture: 0, type: mat, center: [0, %.17g, %.17g], axis: [1, 0, "
        "0], width: %.17g, "
        "depth: %.17g, length: %.17g, count: %d, vertices: %d, root: free, contact: none}]\n",
        p->cell, width, height, width, s, radius_for(f, width), 0.5 * width, 0.5 * height, 0.5 * width, width, height,
        width, 0.5 * height, 0.5 * width, height, width, width, 2 * (int)p->cells * ROWS, 2 * ACROSS + 1);
    if (!status) status = simulate(lab, scene, BUOYANCY_STEP, 1, 1, &r, error);
    if (status) return status;
    double expected = 1.0 - 1.0 / (s * (f / s + 1.0 - f));
    dr_lab_expect(lab, "acceleration_over_g", "", -r.rise / (GRAVITY * BUOYANCY_STEP), expected,
                  fmax(0.01 * fabs(expected), 1e-4));
    return status;
}

const dr_lab_case dr_lab_strand_buoyancy = {
    "strand-buoyancy", "strands let go in a closed column of liquid: they fall with their weight less buoyancy",
    &buoyancy_table, run_buoyancy};

// ---- settling

typedef struct settling {
    double viscosity, density, radius, length, cell;
    int64_t vertices;
} settling;

static const dr_field settling_rows[] = {
    ROW_COUNT(settling, vertices, "21", 3, 1000, "Of the strand."),
    ROW_REAL(settling, viscosity, DR_UNIT_VISCOSITY, "0.1 P", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(settling, density, DR_UNIT_NONE, "1.32", 1.001, 100.0, "Of the strand, over the liquid's."),
    ROW_REAL(settling, radius, DR_UNIT_LENGTH, "0.01 cm", 1e-5, 1.0, "Of the strand."),
    ROW_REAL(settling, length, DR_UNIT_LENGTH, "1 cm", 0.01, 100.0, "Of the strand."),
    ROW_REAL(settling, cell, DR_UNIT_LENGTH, "0.125 cm", 1e-3, 10.0, "Grid spacing."),
};
static const dr_table settling_table = ROW_TABLE("settling", settling, settling_rows);

// What a strand finds of itself by its kernel across a coordinate at that place, in cells: the sum of its squared
// weights, 0.55 in the mean.
static double own_share(double place)
{
    double w[4], sum = 0.0;
    dr_kernel_weights(2, place - floor(place), w);
    for (int i = 0; i < 3; i++) sum += w[i] * w[i];
    return sum;
}

typedef struct tank {
    double fall, width, height, top, beside; // cm; where the strand begins
    double time;
} tank;

// Of what it finds along itself, `from` an end: half of it there, all of it three cells on. The kernel of both, in
// cells, is a spline of degree 5; its integral between 0 and 3.
static double own_along(double from)
{
    enum { PIECES = 64 };
    double sum = 0.0, x = fmin(from, 3.0);
    for (int i = 0; i < PIECES; i++) {
        double y = x * (i + 0.5) / PIECES, value = 0.0;
        static const double binomial[4] = {1.0, -6.0, 15.0, -20.0};
        for (int k = 0; k < 4; k++) value += y < 3.0 - k ? binomial[k] * pow(3.0 - k - y, 5.0) / 120.0 : 0.0;
        sum += value * x / PIECES;
    }
    return 0.5 + sum;
}

// Drag per length at a speed, of a stiff strand whose own volume is all that is around it.
static double drag_at(const settling *p, const tank *in, double speed)
{
    enum { PLACES = 64 };
    double share = in ? own_share(in->beside / p->cell) * own_share((in->top - 0.5 * in->fall) / p->cell) : 0.55 * 0.55;
    dr_drag_flow flow = {.density = 1.0, .viscosity = p->viscosity, .radius = p->radius, .speed = speed};
    double all = share * DR_PI * p->radius * p->radius / (p->cell * p->cell), sum = 0.0;
    for (int i = 0; i < PLACES; i++) {
        flow.share = all * own_along(0.5 * (i + 0.5) / PLACES * p->length / p->cell);
        sum += dr_drag_fibre(&flow).across / PLACES;
    }
    return speed * sum;
}

static double terminal_speed(const settling *p, const tank *in)
{
    double weight = DR_PI * p->radius * p->radius * (p->density - 1.0) * GRAVITY, low = 0.0, high = 1.0;
    while (drag_at(p, in, high) < weight) high *= 2.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (drag_at(p, in, middle) < weight)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define SETTLING_TIMES 30.0 // watched, in those in which it would reach its speed without drag

// Straight across a box that is wide and deep against the kernels, periodic so that no wall is near; what flows back
// past the strand is little.
static tank fill_tank(const settling *p)
{
    double speed = terminal_speed(p, NULL);
    tank in = {.time = SETTLING_TIMES * speed / ((p->density - 1.0) / p->density * GRAVITY),
               .width = 8.0 * p->cell * ceil(1.5 * p->length / (8.0 * p->cell))};
    in.fall = speed * in.time;
    in.height = p->cell * ceil((in.fall + 2.0 * p->length) / p->cell);
    in.top = in.height - 0.5 * p->length;
    in.beside = 0.47 * in.width;
    return in;
}

static dr_status settle(dr_lab *lab, const settling *p, int64_t vertices, record *r, dr_error *error)
{
    tank in = fill_tank(p);
    double fall = in.fall, width = in.width, height = in.height, top = in.top, time = in.time;
    int64_t steps = (int64_t)fmax(200.0, ceil(fall / (0.1 * p->cell)));
    dr_scene *scene = NULL;
    *r = (record){.high = INFINITY};
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strand that settles\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, y_min: "
        "slip, y_max: slip, z_min: periodic, z_max: periodic}\n"
        "materials: [{name: liquid, kind: liquid, density: 1, viscosity: %.17g, surface_tension: 0}, {name: strand, "
        "preset: hair, density: %.17g, radius: %.17g}]\n"
        "bodies: [{name: pool, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], size: [%.17g, "
        "%.17g, %.17g]}}]\n"
        "strands: [{name: strand, material: strand, film_capture: 0, type: line, start: [%.17g, %.17g, %.17g], end: "
        "[%.17g, %.17g, "
        "%.17g], vertices: %d, root: free, contact: none}]\n",
        p->cell, width, height, width, p->viscosity, p->density, p->radius, 0.5 * width, 0.5 * height, 0.5 * width,
        width, height, width, 0.5 * (width - p->length), top, in.beside, 0.5 * (width + p->length), top, in.beside,
        (int)vertices);
    return status ? status : simulate(lab, scene, time, steps, 10, r, error);
}

// How it is cut into edges is to change nothing; relative to the liquid around it, which it takes along, its drag bears
// its weight, but for the push of the pressure that this drag makes, about its own share of the volume around it.
static dr_status run_settling(dr_lab *lab, const void *values, dr_error *error)
{
    const settling *p = values;
    tank in = fill_tank(p);
    record r, fine;
    dr_status status = settle(lab, p, 4 * (p->vertices - 1) + 1, &fine, error);
    if (!status) status = settle(lab, p, p->vertices, &r, error);
    if (status) return status;
    dr_lab_expect_share(lab, "speed", "cm/s", -r.rise, -fine.rise, 0.01);
    double own = 0.55 * 0.55 * DR_PI * p->radius * p->radius / (p->cell * p->cell);
    dr_lab_expect_share(lab, "slip_speed", "cm/s", r.slip, terminal_speed(p, &in), 0.01 + 2.0 * own);
    return status;
}

const dr_lab_case dr_lab_settling = {"settling", "a strand that settles: its speed does not depend on its vertices",
                                     &settling_table, run_settling};

// ---- a stream through strands

typedef struct darcy {
    double fraction, fibre_radius, speed, viscosity;
} darcy;

static const dr_field darcy_rows[] = {
    ROW_REAL(darcy, fraction, DR_UNIT_NONE, "0.1", 0.001, 0.35, "Of the volume that strands take."),
    ROW_REAL(darcy, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-5, 1.0, "Of the strands."),
    ROW_REAL(darcy, speed, DR_UNIT_SPEED, "1 cm/s", 1e-6, 1e3, "Superficial, across the strands."),
    ROW_REAL(darcy, viscosity, DR_UNIT_VISCOSITY, "0.0089 P", 1e-6, 1e4, "Of the liquid."),
};
static const dr_table darcy_table = ROW_TABLE("darcy-strands", darcy, darcy_rows);

// Per volume and per length of fibre, at superficial speeds: all of it, and its viscous part.
static double resistance(const darcy *p, double viscosity, double speed)
{
    dr_drag_flow flow = {
        .density = 1.0, .viscosity = viscosity, .radius = p->fibre_radius, .share = p->fraction, .speed = speed};
    return p->fraction / (DR_PI * p->fibre_radius * p->fibre_radius) * dr_drag_array(&flow).across * speed;
}

// A force along x takes the place of the pressure's drop around a periodic box; what remains when the stream is steady
// is how fast it is.
static dr_status run_darcy(dr_lab *lab, const void *values, dr_error *error)
{
    const darcy *p = values;
    double width = ROWS * sqrt(DR_PI / p->fraction) * p->fibre_radius, cell = width / ACROSS;
    double drop = resistance(p, p->viscosity, p->speed), time = 8.0 * p->speed / ((1.0 - p->fraction) * drop);
    record r = {.high = INFINITY};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a stream across strands that are held\n"
        "gravity: [%.17g, 0, 0]\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, y_min: "
        "periodic, y_max: periodic, z_min: periodic, z_max: periodic}\n"
        "materials: [{name: liquid, kind: liquid, density: 1, viscosity: %.17g, surface_tension: 0}, {name: strand, "
        "preset: hair, density: 1, radius: %.17g}]\n"
        "bodies: [{name: stream, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], size: [%.17g, "
        "%.17g, %.17g]}}]\n"
        "strands: [{name: mat, material: strand, film_capture: 0, type: mat, center: [%.17g, 0, %.17g], axis: [0, 1, "
        "0], width: %.17g, "
        "depth: %.17g, length: %.17g, count: %d, vertices: 3, root: clamped, tip: pinned, contact: none}]\n",
        drop, cell, width, width, width, p->viscosity, p->fibre_radius, 0.5 * width, 0.5 * width, 0.5 * width, width,
        width, width, 0.5 * width, 0.5 * width, width, width, width, ROWS * ROWS);
    int64_t steps = (int64_t)fmax(100.0, ceil(time * p->speed / (0.25 * cell)));
    if (!status) status = simulate(lab, scene, time, steps, 4, &r, error);
    if (status) return status;
    double flow = r.flow / (width * width * width);
    double quadratic = resistance(p, 1e-30, flow), linear = (drop - quadratic) * p->speed / flow;
    dr_lab_measure(lab, "superficial_speed", "cm/s", flow);
    dr_lab_expect_share(lab, "drop_per_length", "dyn/cm3", linear,
                        resistance(p, p->viscosity, p->speed) - resistance(p, 1e-30, p->speed), 0.03);
    return status;
}

const dr_lab_case dr_lab_darcy_strands = {
    "darcy-strands", "a stream across strands that are held: drop of pressure per length", &darcy_table, run_darcy};
