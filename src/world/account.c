// Budgets of mass, momentum, volume and energy, and the largest values that limit the next step. docs/theory/step.md.
// Sums go per chunk of particles and then over chunks in a fixed tree, so they have the same bits for any number of
// threads.
#include "world/world.h"

#include "base/clock.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

static size_t chunk_count(size_t particles)
{
    return (particles + DR_PARTICLE_CHUNK - 1) / DR_PARTICLE_CHUNK;
}

bool dr_account_reserve(dr_world *world, size_t more)
{
    size_t chunks = 0;
    for (int i = 0; i < DR_SET_COUNT; i++) {
        size_t count = chunk_count(dr_state_set(world, i)->count + more);
        if (count > chunks) chunks = count;
    }
    return dr_memory_reserve(world->allocator, (void **)&world->sums, &world->sum_capacity, chunks,
                             sizeof *world->sums) &&
           dr_memory_reserve(world->allocator, (void **)&world->partial, &world->partial_capacity,
                             world->grid.block_count, sizeof *world->partial);
}

void dr_budget_add(dr_budget *sum, const dr_budget *more)
{
    sum->mass += more->mass;
    for (int a = 0; a < 3; a++) {
        sum->linear[a] += more->linear[a];
        sum->angular[a] += more->angular[a];
    }
    sum->kinetic += more->kinetic;
    sum->elastic += more->elastic;
    sum->potential += more->potential;
    sum->surface += more->surface;
    sum->liquid += more->liquid;
    sum->film += more->film;
    sum->speed = fmax(sum->speed, more->speed);
    sum->stiffness_over_density = fmax(sum->stiffness_over_density, more->stiffness_over_density);
}

// Momentum and kinetic energy of a particle with an affine velocity: the affine part has the inertia m h^2/(6-b) of the
// kernel (docs/theory/transfer.md, eq. (10)); a linear kernel has none that is constant.
static double affine_inertia(const dr_grid *grid, dr_kernel kernel)
{
    double h = grid->cell;
    switch (kernel) {
    case DR_KERNEL_QUADRATIC:
        return h * h / 4.0;
    case DR_KERNEL_CUBIC:
        return h * h / 3.0;
    case DR_KERNEL_LINEAR:
        break;
    }
    return 0.0;
}

// The speed is squared until all are added.
static void add_motion(const dr_particles *particles, size_t p, const double x[3], double inertia, dr_budget *sum)
{
    const float *v = particles->velocity + 3 * p, *c = particles->affine + 9 * p;
    double m = (double)particles->mass[p], squared = 0.0, affine = 0.0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double twist = (double)c[3 * d + b] - (double)c[3 * b + d];
        sum->linear[a] += m * (double)v[a];
        sum->angular[a] += m * (x[b] * (double)v[d] - x[d] * (double)v[b] + inertia * twist);
        squared += (double)v[a] * (double)v[a];
    }
    for (int i = 0; i < 9; i++) affine += (double)c[i] * (double)c[i];
    sum->mass += m;
    sum->kinetic += 0.5 * m * (squared + inertia * affine);
    sum->speed = dr_max_double(squared, sum->speed);
}

// The elastic energy of a batch of particles, and the stiffest of them.
static void add_elastic(const dr_world *world, size_t first, size_t count, dr_budget *sum)
{
    const dr_particles *particles = &world->state.particles;
    float energy[DR_MATTER_BATCH], stiffness[DR_MATTER_BATCH];
    dr_matter_energy(world, first, count, energy, stiffness);
    for (size_t i = 0; i < count; i++) {
        double density = world->constants.matter[particles->body[first + i]].density;
        sum->elastic += (double)particles->volume[first + i] * (double)energy[i];
        sum->stiffness_over_density = fmax(sum->stiffness_over_density, (double)stiffness[i] / density);
    }
}

static void add_place(const dr_world *world, const dr_particles *particles, size_t p, const double x[3], double inertia,
                      dr_budget *sum)
{
    const double *gravity = world->constants.gravity;
    add_motion(particles, p, x, inertia, sum);
    sum->potential -= (double)particles->mass[p] * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
    if (world->constants.matter[particles->body[p]].kind == DR_MATERIAL_LIQUID)
        sum->liquid += (double)particles->volume[p];
}

enum { BATCH = 64 };

static void add_batch(const dr_world *world, const dr_particles *particles, size_t first, size_t count, double inertia,
                      dr_budget *sum)
{
    double x[BATCH][3];
    dr_budget own = *sum;
    dr_grid_position_many(&world->grid, particles->key + first, particles->offset + 3 * first, count, x);
    for (size_t i = 0; i < count; i++) add_place(world, particles, first + i, x[i], inertia, &own);
    *sum = own;
}

typedef struct summing {
    dr_world *world;
    int set;
} summing;

static void sum_chunk(const summing *job, size_t begin, size_t end, dr_budget *sum)
{
    dr_world *world = job->world;
    const dr_particles *particles = dr_state_set(world, job->set);
    dr_kernel kernel = job->set == DR_SET_LIQUID ? world->liquid.transfer.kernel : world->constants.transfer.kernel;
    double inertia = affine_inertia(&world->grid, kernel);
    *sum = (dr_budget){0};
    for (size_t p = begin; p < end; p += BATCH)
        add_batch(world, particles, p, end - p < BATCH ? end - p : BATCH, inertia, sum);
    sum->speed = sqrt(sum->speed);
    if (job->set != DR_SET_NODES || !world->constants.has_elastic) return;
    for (size_t p = begin; p < end; p += DR_MATTER_BATCH) {
        add_elastic(world, p, end - p < DR_MATTER_BATCH ? end - p : DR_MATTER_BATCH, sum);
    }
}

static void sum_chunks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const summing *job = user;
    sum_chunk(job, begin, end, &job->world->sums[begin / DR_PARTICLE_CHUNK]);
}

static void sum_set(dr_world *world, int set, dr_budget *sum)
{
    summing job = {world, set};
    size_t count = dr_state_set(world, set)->count, chunks = chunk_count(count);
    if (count == 0) return;
    dr_par_for(&world->par, count, DR_PARTICLE_CHUNK, sum_chunks, &job);
    for (size_t stride = 1; stride < chunks; stride *= 2) {
        for (size_t i = 0; i + stride < chunks; i += 2 * stride)
            dr_budget_add(&world->sums[i], &world->sums[i + stride]);
    }
    dr_budget_add(sum, &world->sums[0]);
}

void dr_account_particles(dr_world *world, dr_budget *sum)
{
    sum_set(world, DR_SET_NODES, sum);
}

void dr_account_liquid(dr_world *world, dr_budget *sum)
{
    sum_set(world, DR_SET_LIQUID, sum);
}

void dr_account_extremes(dr_world *world)
{
    dr_budget all = {0};
    for (int i = 0; i < DR_RECORD_COUNT; i++) {
        world->budgets[i] = (dr_budget){0};
        if (dr_registry[i].budget) dr_registry[i].budget(world, &world->budgets[i]);
        dr_budget_add(&all, &world->budgets[i]);
    }
    const dr_budget *nodes = &world->budgets[DR_RECORD_PARTICLES];
    double thin = fmax(world->budgets[DR_RECORD_CLOTH].speed, world->budgets[DR_RECORD_YARN].speed);
    world->extremes = (dr_extremes){
        .speed = fmax(nodes->speed, thin),
        .stiffness_over_density = nodes->stiffness_over_density,
        .thin_speed = thin,
    };

    dr_report *report = &world->report;
    report->mass = all.mass;
    memcpy(report->linear_momentum, all.linear, sizeof all.linear);
    memcpy(report->angular_momentum, all.angular, sizeof all.angular);
    report->energy_kinetic = all.kinetic;
    report->energy_elastic = all.elastic;
    report->energy_potential = all.potential;
    report->energy_surface = all.surface;
    report->largest_speed = all.speed;
    report->volume_bulk = all.liquid;
    report->volume_film = all.film;
}

static double emitted_volume(const dr_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < world->constants.emitter_count; i++) {
        const dr_matter *matter = &world->constants.matter[world->constants.emitters[i].matter];
        if (matter->kind == DR_MATERIAL_LIQUID) sum += world->state.emitters.item[i].emitted_volume;
    }
    return sum;
}

void dr_account_solve(dr_world *world, const dr_solve_report *solve)
{
    dr_report *report = &world->report;
    if (report->solve_count < DR_REPORT_SOLVES) report->solves[report->solve_count++] = *solve;
}

void dr_account_report(dr_world *world, const dr_try *attempt, int rejected)
{
    const dr_state *state = &world->state;
    dr_report *report = &world->report;
    report->step = state->step;
    report->time = state->time;
    report->dt = attempt->dt;
    report->rejected = rejected;
    report->rejected_because = rejected ? attempt->reason : NULL;
    report->limited_by = attempt->limited_by;
    report->particles = (int64_t)(state->particles.count + state->liquid.count);
    report->strands = state->strands.count;
    report->vertices = (int64_t)state->strands.vertices;
    report->blocks = (int64_t)world->grid.block_count;
    report->solve_count = 0;
    for (int i = 0; i < DR_RECORD_COUNT; i++) {
        if (dr_registry[i].report && dr_record_is_present(&dr_registry[i], world)) dr_registry[i].report(world);
    }
    report->emitted = state->emitted;
    report->drained = state->drained;
    report->culled = state->culled;
    report->ids = (int64_t)state->next_id;
    report->volume_drained = state->drained_volume;
    report->volume_emitted = emitted_volume(world);
    report->volume_total = report->volume_bulk + report->volume_film + report->volume_fabric + report->volume_drained;
    report->resident_bytes = dr_clock_resident_bytes();
}
