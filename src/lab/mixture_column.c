// A column of liquid with a solid phase in it, fibres or grains, made up as arrays on faces: no matter moves here. Both
// phases are eliminated face by face and the mixture's pressure is solved for, docs/theory/pressure.md, section 8.
// What buoyancy leaves of the solid's weight is borne by its own contacts; then nothing may move.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "linear/pressure.h"

#include <math.h>

enum { CLOSED, OPEN, CELLS = DR_BLOCK_NODES };

#define GRAVITY 981.0
#define CELL    0.25
#define STEP    1e-3

// Single precision keeps gravity times the step to 6e-8, in a handful of numbers.
#define ROUNDING 1e-6

typedef struct parameters {
    double fraction, density, drag, height;
    int64_t cells, steps;
    int container;
} parameters;

static const char *const containers[] = {"closed", "open", NULL};

static const dr_field rows[] = {
    ROW_REAL(parameters, fraction, DR_UNIT_NONE, "0.4", 0.0, 0.99, "Of the volume that is solid."),
    ROW_CHOICE(parameters, container, containers, "closed", "With a lid, or with a free surface."),
    ROW_COUNT(parameters, cells, "16", 1, 4096, "Cells across the height of the column."),
    ROW_REAL(parameters, density, DR_UNIT_NONE, "2", 0.01, 100.0, "Of the solid, over the liquid's."),
    ROW_REAL(parameters, drag, DR_UNIT_NONE, "10", 0.0, 1e6,
             "Impulse between the phases in a step, over their relative momentum."),
    ROW_REAL(parameters, height, DR_UNIT_NONE, "1", 0.0, 1.0, "Share of the column, from below, that holds solids."),
    ROW_COUNT(parameters, steps, "20", 1, 100000, "Steps of equal size."),
};
static const dr_table table = ROW_TABLE("mixture-column", parameters, rows);

typedef struct phase {
    float *mass, *volume, *velocity; // [face] per volume of a face's cube
} phase;

typedef struct column {
    const parameters *p;
    dr_arena arena;
    dr_par par;
    dr_grid grid;
    dr_pressure solver;
    size_t cells;
    phase liquid, solid;
    uint8_t *kind;
    float *flux, *mobility, *open, *theta, *pressure, *gradient;
} column;

// ---- the column

static int height_of(const column *c, size_t n)
{
    return 4 * c->grid.coordinate[3 * (n / CELLS) + 1] + ((int)n >> 2 & 3);
}

static bool take(column *c, float **array, size_t count)
{
    *array = dr_arena_alloc(&c->arena, count * sizeof **array);
    for (size_t i = 0; *array && i < count; i++) (*array)[i] = 0.0F;
    return *array != NULL;
}

static bool make_blocks(column *c)
{
    size_t count = (size_t)c->p->cells / 4 + 1;
    int32_t(*list)[3] = dr_arena_alloc(&c->arena, count * sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        list[i][0] = list[i][2] = 0;
        list[i][1] = (int32_t)i;
    }
    return list && dr_grid_from_blocks(&c->grid, &c->par, (const int32_t(*)[3])list, count);
}

static bool make_arrays(column *c)
{
    size_t cells = c->cells = CELLS * c->grid.block_count, faces = 4 * cells;
    float **on_faces[] = {&c->flux,         &c->mobility,        &c->open,          &c->theta,
                          &c->gradient,     &c->liquid.mass,     &c->solid.mass,    &c->liquid.volume,
                          &c->solid.volume, &c->liquid.velocity, &c->solid.velocity};
    for (size_t i = 0; i < sizeof on_faces / sizeof *on_faces; i++) {
        if (!take(c, on_faces[i], faces)) return false;
    }
    c->kind = dr_arena_alloc(&c->arena, cells);
    return c->kind && take(c, &c->pressure, cells);
}

static void fill_cell(column *c, size_t n)
{
    int y = height_of(c, n), local[3] = {(int)n >> 4 & 3, (int)n >> 2 & 3, (int)n & 3};
    uint8_t above = c->p->container == OPEN ? DR_CELL_AIR : DR_CELL_SOLID;
    c->kind[n] = y < c->p->cells ? DR_CELL_LIQUID : above;
    for (int a = 0; a < 3; a++) {
        size_t f = 4 * n + (size_t)a;
        bool wall = a == 1 ? y == 0 : local[a] == 0;
        double middle = a == 1 ? y : y + 0.5,
               share = middle <= c->p->height * (double)c->p->cells ? c->p->fraction : 0.0;
        c->open[f] = wall ? 0.0F : 1.0F;
        c->theta[f] = 0.5F;
        c->solid.volume[f] = (float)share;
        c->solid.mass[f] = (float)(share * c->p->density);
        c->liquid.volume[f] = c->liquid.mass[f] = (float)(1.0 - share);
    }
}

static bool open_column(column *c)
{
    static const double origin[3] = {0};
    static const int32_t period[3] = {0};
    c->par = dr_par_open(1);
    dr_arena_open(&c->arena, NULL);
    bool ok = dr_pressure_open(&c->solver, NULL) && dr_grid_open(&c->grid, NULL, CELL, origin, period) &&
              make_blocks(c) && make_arrays(c);
    for (size_t n = 0; ok && n < c->cells; n++) fill_cell(c, n);
    return ok;
}

static void close_column(column *c)
{
    dr_pressure_close(&c->solver);
    dr_grid_close(&c->grid);
    dr_arena_close(&c->arena);
}

// ---- a step

// The velocities without pressure and what a pressure gradient changes of them: section 8, eq. (6)-(7).
typedef struct face {
    double solid, liquid, solid_mobility, liquid_mobility;
} face;

static face eliminate(const column *c, size_t f, int axis)
{
    double ms = (double)c->solid.mass[f], mf = (double)c->liquid.mass[f];
    double vs = (double)c->solid.volume[f], vf = (double)c->liquid.volume[f];
    double g = axis == 1 ? -GRAVITY : 0.0, borne = -(ms - vs) * g; // by the solid's own contacts
    double bs = ms * (double)c->solid.velocity[f] + STEP * (ms * g + borne);
    double bf = mf * (double)c->liquid.velocity[f] + STEP * mf * g;
    if (ms == 0.0) return (face){0.0, bf / mf, 0.0, STEP * vf / mf};
    double drag = c->p->drag * ms * mf / (ms + mf), d = ms * mf + drag * (ms + mf);
    return (face){((mf + drag) * bs + drag * bf) / d, ((ms + drag) * bf + drag * bs) / d,
                  STEP * ((mf + drag) * vs + drag * vf) / d, STEP * ((ms + drag) * vf + drag * vs) / d};
}

static void mix(column *c)
{
    for (size_t i = 0; i < 3 * c->cells; i++) {
        size_t f = 4 * (i / 3) + i % 3;
        double share = (double)c->solid.volume[f];
        face v = eliminate(c, f, (int)(i % 3));
        c->flux[f] = (float)(share * v.solid + (1.0 - share) * v.liquid);
        c->mobility[f] = (float)(share * v.solid_mobility + (1.0 - share) * v.liquid_mobility);
    }
}

static bool touches_liquid(const column *c, size_t n, int axis)
{
    int y = height_of(c, n);
    return y < c->p->cells || (axis == 1 && y == c->p->cells && c->p->container == OPEN);
}

static void correct(column *c)
{
    for (size_t i = 0; i < 3 * c->cells; i++) {
        size_t f = 4 * (i / 3) + i % 3;
        bool moves = c->open[f] > 0.0F && touches_liquid(c, i / 3, (int)(i % 3));
        face v = eliminate(c, f, (int)(i % 3));
        double gradient = (double)c->gradient[f];
        c->solid.velocity[f] = (float)(moves ? v.solid - v.solid_mobility * gradient : 0.0);
        c->liquid.velocity[f] = (float)(moves ? v.liquid - v.liquid_mobility * gradient : 0.0);
    }
}

static bool step(column *c, dr_solve_report *report)
{
    dr_pressure_problem problem = {.grid = &c->grid,
                                   .kind = c->kind,
                                   .flux = c->flux,
                                   .mobility = c->mobility,
                                   .open = c->open,
                                   .theta = c->theta};
    dr_pressure_options options = {.tolerance = 1e-10, .iterations = 200, .safe_iterations = 2000};
    mix(c);
    if (!dr_pressure_solve(&c->solver, &c->par, &problem, &options, c->pressure, c->gradient, report)) return false;
    correct(c);
    return true;
}

// ---- what is measured

static double fastest(const column *c, const float *velocity)
{
    double most = 0.0;
    for (size_t i = 0; i < 3 * c->cells; i++) most = fmax(most, fabs((double)velocity[4 * (i / 3) + i % 3]));
    return most;
}

// Largest difference between the pressure and that of the liquid's own weight, over that at the bottom. Under a lid the
// mean is 0.
static double pressure_error(const column *c)
{
    double bottom = GRAVITY * CELL * (double)c->p->cells, mean = c->p->container == OPEN ? 0.0 : 0.5, most = 0.0;
    for (size_t n = 0; n < c->cells; n++) {
        double depth = 1.0 - (height_of(c, n) + 0.5) / (double)c->p->cells;
        if (c->kind[n] == DR_CELL_LIQUID) most = fmax(most, fabs((double)c->pressure[n] / bottom - depth + mean));
    }
    return most;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    column c = {.p = values};
    dr_solve_report report = {.reason = DR_REASON_CONVERGED};
    double unit = GRAVITY * STEP, solid = 0.0, liquid = 0.0;
    bool ok = open_column(&c), converged = true;
    for (int64_t i = 0; ok && i < c.p->steps; i++) {
        ok = step(&c, &report);
        converged = converged && report.reason == DR_REASON_CONVERGED;
        solid = fmax(solid, fastest(&c, c.solid.velocity) / unit);
        liquid = fmax(liquid, fastest(&c, c.liquid.velocity) / unit);
    }
    if (ok) {
        dr_lab_expect(lab, "solid_speed", "g dt", solid, 0.0, ROUNDING);
        dr_lab_expect(lab, "liquid_speed", "g dt", liquid, 0.0, ROUNDING);
        dr_lab_expect(lab, "pressure_error", "", pressure_error(&c), 0.0, 1e-5);
        dr_lab_expect(lab, "converged", "", converged ? 1.0 : 0.0, 1.0, 0.0);
    }
    close_column(&c);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "a column of two phases");
}

const dr_lab_case dr_lab_mixture_column = {
    "mixture-column", "liquid and a solid phase in a closed or an open column: both stay at rest", &table, run};
