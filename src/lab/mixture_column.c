// A column of liquid with a solid phase in it, fibres or grains: particles of both go to faces, drag is eliminated
// there, the mixture's pressure is solved for and particles receive their new velocities; docs/theory/mixture.md,
// section 5. What buoyancy leaves of the solid's weight is borne by its own contacts; then nothing may move.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "grid/transfer.h"
#include "linear/pressure.h"
#include "mixture/mixture.h"

#include <math.h>
#include <string.h>

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

// Particles of both phases stand at the same places, so that one grid serves both.
typedef struct column {
    const parameters *p;
    dr_arena arena;
    dr_par par;
    dr_grid grid;
    dr_pressure solver;
    dr_transfer transfer;
    dr_particles liquid, solid; // the solid has its own mass, volume, velocity and affine part
    size_t cells;
    float *liquid_mass, *liquid_velocity;                       // [face]
    float *solid_mass, *solid_volume, *momentum, *force, *drag; // [face]
    float *solid_velocity, *flux, *mobility, *open, *theta, *gradient;
    float *pressure, *share; // [cell]; share: what the solid leaves open
    uint8_t *kind;
} column;

// ---- the column

static int height_of(const column *c, size_t n)
{
    return 4 * c->grid.coordinate[3 * (n / CELLS) + 1] + ((int)n >> 2 & 3);
}

static float *take(column *c, size_t count)
{
    return dr_arena_alloc(&c->arena, count * sizeof(float)); // zeroed
}

// Eight points to a cell, then the blocks around them.
static bool make_points(column *c)
{
    size_t count = 128 * (size_t)c->p->cells;
    dr_particles *liquid = &c->liquid;
    if (!dr_particles_reserve(liquid, NULL, count) || !dr_particles_reserve(&c->solid, NULL, count)) return false;
    for (liquid->count = 0; liquid->count < count; liquid->count++) {
        size_t n = liquid->count;
        const double x[3] = {(0.5 * (double)(n % 8) + 0.25) * CELL, (0.5 * (double)(n / 64) + 0.25) * CELL,
                             (0.5 * (double)(n / 8 % 8) + 0.25) * CELL};
        dr_grid_place(&c->grid, x, &liquid->key[n], liquid->offset + 3 * n);
    }
    c->solid.count = count;
    memcpy(c->solid.key, liquid->key, count * sizeof *liquid->key);
    memcpy(c->solid.offset, liquid->offset, 3 * count * sizeof *liquid->offset);
    const dr_point_set sets[] = {{.particles = liquid}, {.particles = &c->solid}};
    return dr_grid_build(&c->grid, &c->par, sets, 2);
}

// Each point holds its share of both phases.
static void fill_points(column *c)
{
    double volume = CELL * CELL * CELL / 8.0;
    for (size_t p = 0; p < c->liquid.count; p++) {
        double x[3];
        dr_grid_position(&c->grid, c->liquid.key[p], c->liquid.offset + 3 * p, x);
        double share = x[1] <= c->p->height * CELL * (double)c->p->cells ? c->p->fraction : 0.0;
        c->liquid.volume[p] = c->liquid.mass[p] = (float)((1.0 - share) * volume);
        c->solid.volume[p] = (float)(share * volume);
        c->solid.mass[p] = (float)(share * volume * c->p->density);
        for (size_t a = 3 * p; a < 3 * p + 3; a++) c->liquid.velocity[a] = c->solid.velocity[a] = 0.0F;
        for (size_t a = 9 * p; a < 9 * p + 9; a++) {
            c->liquid.affine[a] = c->solid.affine[a] = 0.0F;
            c->solid.strain[a] = (a - 9 * p) % 4 == 0 ? 1.0F : 0.0F;
        }
    }
}

static bool make_arrays(column *c)
{
    size_t cells = c->cells = CELLS * c->grid.block_count;
    float **on_faces[] = {
        &c->liquid_mass, &c->liquid_velocity, &c->solid_mass, &c->solid_volume, &c->momentum, &c->force,   &c->drag,
        &c->flux,        &c->solid_velocity,  &c->mobility,   &c->open,         &c->theta,    &c->gradient};
    for (size_t i = 0; i < sizeof on_faces / sizeof *on_faces; i++) {
        *on_faces[i] = take(c, 4 * cells);
        if (!*on_faces[i]) return false;
    }
    c->kind = dr_arena_alloc(&c->arena, cells);
    c->pressure = take(c, cells);
    c->share = take(c, cells);
    return c->kind && c->pressure && c->share;
}

static void fill_cell(column *c, size_t n)
{
    int y = height_of(c, n);
    uint8_t above = c->p->container == OPEN ? DR_CELL_AIR : DR_CELL_SOLID;
    c->kind[n] = y < 0 ? DR_CELL_SOLID : y < c->p->cells ? DR_CELL_LIQUID : above;
    for (size_t f = 4 * n; f < 4 * n + 3; f++) {
        c->open[f] = 1.0F;
        c->theta[f] = 0.5F;
    }
}

static bool open_column(column *c)
{
    static const double origin[3] = {0};
    static const int32_t period[3] = {1, 0, 1};
    c->par = dr_par_open(1);
    c->transfer = (dr_transfer){.kernel = DR_KERNEL_QUADRATIC, .scheme = DR_SCHEME_APIC};
    dr_arena_open(&c->arena, NULL);
    bool ok = dr_pressure_open(&c->solver, NULL) && dr_grid_open(&c->grid, NULL, CELL, origin, period);
    c->grid.padded = true;
    ok = ok && make_points(c) && make_arrays(c);
    if (ok) fill_points(c);
    for (size_t n = 0; ok && n < c->cells; n++) fill_cell(c, n);
    return ok;
}

static void close_column(column *c)
{
    dr_pressure_close(&c->solver);
    dr_particles_free(&c->liquid, NULL);
    dr_particles_free(&c->solid, NULL);
    dr_grid_close(&c->grid);
    dr_arena_close(&c->arena);
}

// ---- a step

// Gravity on both phases; what the solid's contacts bear; drag.
static void load_faces(column *c)
{
    for (size_t f = 0; f < 4 * c->cells; f++) {
        double ms = (double)c->solid_mass[f], mf = (double)c->liquid_mass[f];
        double g = f % 4 == 1 ? -GRAVITY : 0.0, borne = -(ms - (double)c->solid_volume[f]) * g;
        c->force[f] = (float)(ms * g + borne);
        c->drag[f] = (float)(ms > 0.0 && mf > 0.0 ? c->p->drag * ms * mf / (ms + mf) : 0.0);
        if (mf > 0.0) c->liquid_velocity[f] /= c->liquid_mass[f];
        c->liquid_velocity[f] += (float)(STEP * g);
    }
}

static void gather(column *c)
{
    dr_transfer_to_faces(&c->transfer, &c->grid, &c->par, &c->liquid, c->liquid_mass, c->liquid_velocity);
    dr_transfer_to_faces(&c->transfer, &c->grid, &c->par, &c->solid, c->solid_mass, c->momentum);
    dr_transfer_values_to_faces(&c->transfer, &c->grid, &c->par, &c->solid, c->solid.volume, c->solid_volume);
    load_faces(c);
}

// Walls hold both phases, and so does, above the surface, that nothing was solved for there.
static void hold_faces(column *c)
{
    for (size_t f = 0; f < 4 * c->cells; f++) {
        int y = height_of(c, f / 4), top = (int)c->p->cells;
        bool inside = f % 4 == 1 ? y > 0 && (y < top || (y == top && c->p->container == OPEN)) : y >= 0 && y < top;
        if (!inside) c->liquid_velocity[f] = c->solid_velocity[f] = 0.0F;
    }
}

static void scatter(column *c)
{
    dr_transfer_back back = {.field = c->liquid_velocity, .particles = &c->liquid};
    dr_transfer_from_faces(&c->transfer, &c->grid, &c->par, &back);
    back = (dr_transfer_back){.field = c->solid_velocity, .particles = &c->solid};
    dr_transfer_from_faces(&c->transfer, &c->grid, &c->par, &back);
}

static bool step(column *c, dr_solve_report *report)
{
    dr_phase_faces solid = {
        .mass = c->solid_mass, .volume = c->solid_volume, .momentum = c->momentum, .force = c->force, .drag = c->drag};
    dr_mixture mixture = {.grid = &c->grid,
                          .dt = STEP,
                          .liquid_mass = c->liquid_mass,
                          .liquid_velocity = c->liquid_velocity,
                          .liquid_density = 1.0,
                          .phases = &solid,
                          .phase_count = 1,
                          .most = 1.0};
    dr_pressure_problem problem = {.grid = &c->grid,
                                   .kind = c->kind,
                                   .flux = c->flux,
                                   .mobility = c->mobility,
                                   .open = c->open,
                                   .theta = c->theta};
    dr_pressure_options options = {.tolerance = 1e-10, .iterations = 200, .safe_iterations = 2000};
    float *velocities[1] = {c->solid_velocity};
    gather(c);
    dr_fraction_open(&c->grid, &c->par, &solid, 1, mixture.most, c->share);
    dr_mixture_eliminate(&mixture, &c->par, c->flux, c->mobility);
    if (!dr_pressure_solve(&c->solver, &c->par, &problem, &options, c->pressure, c->gradient, report)) return false;
    dr_mixture_correct(&mixture, &c->par, c->gradient, c->liquid_velocity, velocities);
    hold_faces(c);
    scatter(c);
    return true;
}

// ---- what is measured

static double fastest(const dr_particles *particles)
{
    double most = 0.0;
    for (size_t i = 0; i < 3 * particles->count; i++) most = fmax(most, fabs((double)particles->velocity[i]));
    return most;
}

// Largest difference between the cells' solid share and the given one, where a kernel does not reach beyond the solid.
static double share_error(const column *c)
{
    double most = 0.0;
    int top = (int)(c->p->height * (double)c->p->cells) - 2;
    for (size_t n = 0; n < c->cells; n++) {
        int y = height_of(c, n);
        if (y >= 1 && y <= top) most = fmax(most, fabs(1.0 - (double)c->share[n] - c->p->fraction));
    }
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
        solid = fmax(solid, fastest(&c.solid) / unit);
        liquid = fmax(liquid, fastest(&c.liquid) / unit);
    }
    if (ok) {
        dr_lab_expect(lab, "solid_speed", "g dt", solid, 0.0, ROUNDING);
        dr_lab_expect(lab, "liquid_speed", "g dt", liquid, 0.0, ROUNDING);
        dr_lab_expect(lab, "share_error", "", share_error(&c), 0.0, ROUNDING);
        dr_lab_expect(lab, "pressure_error", "", pressure_error(&c), 0.0, 1e-5);
        dr_lab_expect(lab, "converged", "", converged ? 1.0 : 0.0, 1.0, 0.0);
    }
    close_column(&c);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "a column of two phases");
}

const dr_lab_case dr_lab_mixture_column = {
    "mixture-column", "liquid and a solid phase in a closed or an open column: both stay at rest", &table, run};
