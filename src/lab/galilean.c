// Liquid sloshes in a box that moves with constant velocity as in one that stands: the path of its centre of mass in
// the frame of the box, over some periods. The grid follows the box; in a third run it stands, and in a fourth the box
// stands half a cell aside: what that differs by is due to where walls lie on the grid, and not to motion.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sloshing.h"

#include "base/memory.h"

#include <math.h>

typedef struct parameters {
    double speed, side, fill, slope, gravity, density, periods, step, offset;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, speed, DR_UNIT_SPEED, "50 cm/s", -1e6, 1e6, "Of the box that moves, along its side."),
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells along the box."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "1", 0.1, 100.0, "How long it is watched."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.004", 1e-5, 0.1, "Equal steps of both, over the period."),
    ROW_REAL(parameters, side, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e5, "Length and height of the box."),
    ROW_REAL(parameters, fill, DR_UNIT_NONE, "0.4", 0.05, 0.9, "Height of the liquid over the side."),
    ROW_REAL(parameters, slope, DR_UNIT_NONE, "0.2", -1.0, 1.0, "Of the surface at the start."),
    ROW_REAL(parameters, offset, DR_UNIT_NONE, "0", -1e3, 1e3,
             "Of the boxes from where their walls lie on faces of the grid, in cells."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("galilean", parameters, rows);

enum { SAMPLES = 50, MOST = 5001 };

typedef struct path {
    double speed, shift; // of the frame it is told in, cm/s and cm
    int count;
    double place[MOST][2]; // centre of mass, x and y, cm
} path;

static void watch(void *user, const dr_frame *frame)
{
    path *to = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *mass = dr_frame_find(liquid, "mass");
    double sum[2] = {0.0, 0.0}, total = 0.0;
    if (to->count >= MOST) return;
    for (size_t i = 0; i < position->count; i++) {
        double own = dr_lab_item(mass, i, 0);
        total += own;
        for (int a = 0; a < 2; a++) sum[a] += own * dr_lab_item(position, i, a);
    }
    to->place[to->count][0] = sum[0] / total - to->shift - to->speed * frame->time;
    to->place[to->count++][1] = sum[1] / total;
}

typedef struct motion {
    const char *part;
    double speed, offset;
    bool follows; // the grid the box
} motion;

static dr_status slosh(dr_lab *lab, const parameters *p, motion how, path *to, dr_error *error)
{
    dr_lab_sloshing box = {.side = p->side,
                           .fill = p->fill,
                           .slope = p->slope,
                           .gravity = p->gravity,
                           .density = p->density,
                           .speed = how.speed,
                           .cells = (double)p->cells,
                           .offset = how.offset,
                           .follows = how.follows};
    double period = dr_lab_sloshing_period(&box), steps = ceil(1.0 / (p->step * SAMPLES));
    box.duration = period * p->periods;
    dr_lab_watch watcher = {.frame = watch, .user = to};
    dr_scene *scene = NULL;
    *to = (path){.speed = how.speed, .shift = how.offset * p->side / (double)p->cells};
    dr_status status = dr_lab_sloshing_scene(&box, &scene, error);
    if (!status) {
        int frames = (int)ceil(SAMPLES * p->periods);
        dr_lab_scene_time(scene, frames * period / SAMPLES, frames, period / (SAMPLES * steps));
        status = dr_lab_simulate(lab, how.part, scene, frames * period / SAMPLES, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

// The largest distance of two paths at equal times, cm.
static double find_distance(const path *a, const path *b)
{
    double apart = 0.0;
    if (a->count != b->count) return (double)NAN;
    for (int i = 0; i < a->count; i++) {
        apart = fmax(apart, hypot(b->place[i][0] - a->place[i][0], b->place[i][1] - a->place[i][1]));
    }
    return apart;
}

// How far the centre goes to either side, cm.
static double find_swing(const path *of)
{
    double low = of->place[0][0], high = low;
    for (int i = 0; i < of->count; i++) {
        low = fmin(low, of->place[i][0]);
        high = fmax(high, of->place[i][0]);
    }
    return 0.5 * (high - low);
}

enum { STILL, MOVING, OVER_GRID, ASIDE, PATHS };

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    path *paths = dr_memory_alloc(NULL, PATHS * sizeof *paths);
    const motion motions[PATHS] = {{"still", 0.0, p->offset, false},
                                   {"moving", p->speed, p->offset, true},
                                   {"over_grid", p->speed, p->offset, false},
                                   {"aside", 0.0, p->offset + 0.5, false}};
    dr_status status = DR_STATUS_OK;
    if (!paths) return dr_error_memory(error, "watching the liquid slosh");
    for (int i = 0; i < PATHS && !status; i++) status = slosh(lab, p, motions[i], &paths[i], error);
    if (!status) {
        double swing = find_swing(&paths[STILL]), apart = find_distance(&paths[STILL], &paths[MOVING]);
        dr_lab_expect(lab, "difference", "", apart / swing, 0.0, 1e-3);
        dr_lab_measure(lab, "difference_over_side", "", apart / p->side);
        dr_lab_measure(lab, "difference_over_grid", "", find_distance(&paths[STILL], &paths[OVER_GRID]) / swing);
        dr_lab_measure(lab, "difference_aside", "", find_distance(&paths[STILL], &paths[ASIDE]) / swing);
        dr_lab_measure(lab, "swing", "cm", swing);
    }
    dr_memory_free(NULL, paths, PATHS * sizeof *paths);
    return status;
}

const dr_lab_case dr_lab_galilean = {"galilean", "a sloshing box that moves steadily sloshes as one that stands",
                                     &table, run};
