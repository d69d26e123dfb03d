// What the pressure solve is asked to swell and to shrink: cells that hold too much or too little, the whole that the
// surface encloses, and what straight paths change. docs/theory/liquid.md, "Volume"; docs/theory/resample.md, eq.
// (11)-(15).
#include "liquid/liquid.h"

#include "liquid/stride.h"

#include <math.h>

#define FACE_FLOATS (DR_BLOCK_NODES * 4)

// Slower than this share of sqrt(g h) liquid is at rest but for its settling; from twice that on it is stirred.
#define STIR_SLOW 0.05

static double stirred(const dr_liquid *liquid, const dr_liquid_step *step)
{
    double slow = STIR_SLOW * sqrt(step->acceleration * liquid->grid->cell), speed = step->stir;
    if (!(slow > 0.0)) return speed > 0.0 ? 1.0 : 0.0;
    return fmin(1.0, fmax(0.0, speed / slow - 1.0));
}

static double between(double rest, double moving, double share)
{
    return rest + (moving - rest) * share;
}

// Cells that hold too much or too little are brought back to full over some steps, but not faster than liquid of the
// scene's own speeds crosses part of a cell, and hardly at rest: a rate that rose as the step shrinks would never let a
// step through.
#define DENSITY_STEPS         10.0
#define DENSITY_STEPS_STIRRED 6.0
#define DENSITY_CELLS         1.0
#define DENSITY_CELLS_STIRRED 0.46
#define DENSITY_LIMIT         0.2 // largest excess that is believed

static double scene_speed(const dr_liquid *liquid, const dr_liquid_step *step, double speed)
{
    return speed + STIR_SLOW * sqrt(step->acceleration * liquid->grid->cell);
}

static double density_time(const dr_liquid *liquid, const dr_liquid_step *step)
{
    double cell = liquid->grid->cell, share = stirred(liquid, step), speed = scene_speed(liquid, step, step->stir);
    double steps = between(DENSITY_STEPS, DENSITY_STEPS_STIRRED, share);
    double cells = between(DENSITY_CELLS, DENSITY_CELLS_STIRRED, share);
    return fmax(steps * step->dt, speed > 0.0 ? cells * cell / speed : 0.0);
}

// What the surface encloses too much or too little is taken back all over the liquid, but not faster than liquid moves:
// what is at rest does not drift.
#define EVEN_STEPS 1.2
#define EVEN_CELLS 0.12

static double even_time(const dr_liquid *liquid, const dr_liquid_step *step)
{
    double speed = step->stir - STIR_SLOW * sqrt(step->acceleration * liquid->grid->cell);
    return speed > 0.0 ? fmax(EVEN_STEPS * step->dt, EVEN_CELLS * liquid->grid->cell / speed) : INFINITY;
}

// Of stirred liquid, excesses a twentieth as large as those of liquid at rest mean something.
#define TOLERANCE_STIRRED 0.05

// Faces of a block that the surface cuts, as far as they are open.
static void count_surface(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid *liquid = user;
    for (size_t b = begin; b < end; b++) {
        const float *theta = liquid->theta + b * FACE_FLOATS;
        const float *open = liquid->constants.has_solids ? liquid->solids.open_area + b * FACE_FLOATS : NULL;
        double count = 0.0;
        for (int i = 0; i < FACE_FLOATS; i++) {
            if (i % 4 < 3 && theta[i] < 1.0F) count += open ? (double)open[i] : 1.0;
        }
        liquid->partial[b] = count;
    }
}

typedef struct scaling {
    dr_liquid *liquid;
    float factor;
} scaling;

static void scale_source(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scaling *job = user;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) job->liquid->source[i] *= job->factor;
}

// What swells must come out at the surface: the source is held to what raises that by a tenth of a cell in a step. A
// box that is all but full has hardly any surface. And it must come out slower than the liquid moves, or crowded liquid
// would take its own speed for the scene's and swell ever faster; but for the little that sloshing takes.
#define LARGEST_RISE 0.1
#define RISE_SPEED   0.1   // of the scene's own
#define RISE_LITTLE  0.015 // of all the liquid: so much may be taken back at once, and nothing of twice that

static double largest_rise(const dr_liquid *liquid, const dr_liquid_step *step, double surface)
{
    double area = liquid->grid->cell * liquid->grid->cell * surface, missing = fabs(liquid->swollen);
    double share = fmin(1.0, fmax(0.0, 2.0 - missing / RISE_LITTLE));
    double most = fmax(RISE_SPEED * scene_speed(liquid, step, step->mean_speed) * step->dt * area,
                       share * missing * liquid->occupied);
    return most > 0.0 ? fmin(most, LARGEST_RISE * liquid->grid->cell * area) : LARGEST_RISE * liquid->grid->cell * area;
}

static void temper_source(dr_liquid *liquid, const dr_liquid_step *step)
{
    double surface = 0.0, rise = fabs(liquid->volume_report.source) * step->dt;
    if (rise == 0.0) return;
    dr_par_for(liquid->par, liquid->grid->block_count, 32, count_surface, liquid);
    for (size_t b = 0; b < liquid->grid->block_count; b++) surface += liquid->partial[b];
    double most = largest_rise(liquid, step, surface);
    if (rise <= most) return;
    scaling job = {liquid, (float)(most / rise)};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, scale_source, &job);
}

// Largest change of a volume in a step that straight paths may be made up for.
#define STRIDE_LIMIT 0.02

bool dr_liquid_find_source(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_relax_source in = {.fill = liquid->surface.fill,
                          .distance = liquid->surface.distance,
                          .solid = liquid->constants.has_solids ? liquid->solids.corner : NULL,
                          .inside = &liquid->inside,
                          .swollen = liquid->swollen,
                          .tolerance = between(1.0, TOLERANCE_STIRRED, stirred(liquid, step)),
                          .time = density_time(liquid, step),
                          .even_time = even_time(liquid, step),
                          .dt = step->dt};
    in.limit = DENSITY_LIMIT * step->dt / in.time;
    if (!dr_relax_density(&liquid->relax, &in, liquid->grid, liquid->par, liquid->room, liquid->source,
                          &liquid->volume_report))
        return false;
    temper_source(liquid, step);
    const float *flux = liquid->mixture.solid ? liquid->mixture.flux : liquid->velocity;
    dr_stride_source(liquid->grid, liquid->par, flux, liquid->kind, step->dt, STRIDE_LIMIT, liquid->source);
    return true;
}
