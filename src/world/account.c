// Budgets of mass, momentum, volume and energy, and the largest values that limit the next step. docs/theory/step.md.
// Sums go per chunk of particles and then over chunks in a fixed tree, so they have the same bits for any number of
// threads.
#include "world/world.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

// What a chunk adds up, and after SUMS what it takes the maximum of.
enum {
    MASS,
    LINEAR,
    ANGULAR = LINEAR + 3,
    KINETIC = ANGULAR + 3,
    ELASTIC,
    POTENTIAL,
    LIQUID,
    SUMS,
    SPEED = SUMS, // squared
    STIFFNESS,
    VALUES
};

static size_t chunk_count(size_t particles)
{
    return (particles + DR_PARTICLE_CHUNK - 1) / DR_PARTICLE_CHUNK;
}

bool dr_account_reserve(dr_world *world, size_t particles, size_t liquid)
{
    size_t values = (chunk_count(particles) + chunk_count(liquid)) * VALUES;
    if (values < world->grid.block_count) values = world->grid.block_count;
    if (values < world->liquid.grid.block_count) values = world->liquid.grid.block_count;
    return dr_memory_reserve(world->allocator, (void **)&world->partial, &world->partial_capacity, values,
                             sizeof(double));
}

void dr_matter_solids(const dr_world *world, size_t first, size_t count, const dr_corotated **solid)
{
    const uint32_t *body = world->state.particles.body + first;
    for (size_t i = 0; i < count; i++) solid[i] = &world->constants.matter[body[i]].solid;
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

static void add_motion(const dr_particles *particles, size_t p, const double x[3], double inertia, double *value)
{
    const float *v = particles->velocity + 3 * p, *c = particles->affine + 9 * p;
    double m = (double)particles->mass[p], squared = 0.0, affine = 0.0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double twist = (double)c[3 * d + b] - (double)c[3 * b + d];
        value[LINEAR + a] += m * (double)v[a];
        value[ANGULAR + a] += m * (x[b] * (double)v[d] - x[d] * (double)v[b] + inertia * twist);
        squared += (double)v[a] * (double)v[a];
    }
    for (int i = 0; i < 9; i++) affine += (double)c[i] * (double)c[i];
    value[MASS] += m;
    value[KINETIC] += 0.5 * m * (squared + inertia * affine);
    value[SPEED] = fmax(value[SPEED], squared);
}

// The elastic energy of a batch of particles, and the stiffest of them.
static void add_elastic(const dr_world *world, size_t first, size_t count, double *value)
{
    const dr_particles *particles = &world->state.particles;
    const dr_corotated *solid[DR_COROTATED_BATCH];
    float energy[DR_COROTATED_BATCH], stiffness[DR_COROTATED_BATCH];
    dr_matter_solids(world, first, count, solid);
    dr_corotated_batch(solid, particles->strain + 9 * first, count,
                       &(dr_corotated_wanted){.energy = energy, .stiffness = stiffness});
    for (size_t i = 0; i < count; i++) {
        double density = world->constants.matter[particles->body[first + i]].density;
        value[ELASTIC] += (double)particles->volume[first + i] * (double)energy[i];
        value[STIFFNESS] = fmax(value[STIFFNESS], (double)stiffness[i] / density);
    }
}

static void add_place(const dr_world *world, dr_particle_set set, size_t p, double inertia, double *value)
{
    const dr_particles *particles = set.particles;
    const double *gravity = world->constants.gravity;
    double x[3];
    dr_grid_position(set.grid, particles->key[p], particles->offset + 3 * p, x);
    add_motion(particles, p, x, inertia, value);
    value[POTENTIAL] -= (double)particles->mass[p] * (gravity[0] * x[0] + gravity[1] * x[1] + gravity[2] * x[2]);
    if (world->constants.matter[particles->body[p]].kind == DR_MATERIAL_LIQUID)
        value[LIQUID] += (double)particles->volume[p];
}

typedef struct summing {
    dr_world *world;
    int set;
    double *value; // of its first chunk
} summing;

static void sum_chunk(const summing *job, size_t begin, size_t end, double *value)
{
    dr_world *world = job->world;
    dr_particle_set set = dr_state_set(world, job->set);
    dr_kernel kernel = job->set == DR_SET_LIQUID ? world->liquid.transfer.kernel : world->constants.transfer.kernel;
    double inertia = affine_inertia(set.grid, kernel);
    memset(value, 0, VALUES * sizeof *value);
    for (size_t p = begin; p < end; p++) add_place(world, set, p, inertia, value);
    if (job->set != DR_SET_NODES || !world->constants.has_elastic) return;
    for (size_t p = begin; p < end; p += DR_COROTATED_BATCH) {
        add_elastic(world, p, end - p < DR_COROTATED_BATCH ? end - p : DR_COROTATED_BATCH, value);
    }
}

static void sum_chunks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const summing *job = user;
    sum_chunk(job, begin, end, job->value + begin / DR_PARTICLE_CHUNK * VALUES);
}

// Joins the chunks' values into the first chunk's, pairwise.
static const double *join(double *values, size_t chunks)
{
    for (size_t stride = 1; stride < chunks; stride *= 2) {
        for (size_t i = 0; i + stride < chunks; i += 2 * stride) {
            double *into = values + i * VALUES;
            const double *from = values + (i + stride) * VALUES;
            for (int k = 0; k < SUMS; k++) into[k] += from[k];
            for (int k = SUMS; k < VALUES; k++) into[k] = fmax(into[k], from[k]);
        }
    }
    return values;
}

void dr_account_extremes(dr_world *world)
{
    static const double nothing[VALUES] = {0};
    size_t chunks = 0;
    for (int i = 0; i < DR_SET_COUNT; i++) {
        size_t count = dr_state_set(world, i).particles->count;
        if (count == 0) continue;
        summing job = {world, i, world->partial + chunks * VALUES};
        dr_par_for(&world->par, count, DR_PARTICLE_CHUNK, sum_chunks, &job);
        chunks += chunk_count(count);
    }
    const double *value = chunks ? join(world->partial, chunks) : nothing;
    world->extremes = (dr_extremes){
        .speed = sqrt(value[SPEED]),
        .stiffness_over_density = value[STIFFNESS],
        .mean_speed = value[MASS] > 0.0 ? sqrt(2.0 * value[KINETIC] / value[MASS]) : 0.0,
    };

    dr_report *report = &world->report;
    report->mass = value[MASS];
    memcpy(report->linear_momentum, value + LINEAR, 3 * sizeof(double));
    memcpy(report->angular_momentum, value + ANGULAR, 3 * sizeof(double));
    report->energy_kinetic = value[KINETIC];
    report->energy_elastic = value[ELASTIC];
    report->energy_potential = value[POTENTIAL];
    report->largest_speed = world->extremes.speed;
    report->volume_bulk = value[LIQUID];
    dr_strand_stage_account(world);
}

static double emitted_volume(const dr_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < world->constants.emitter_count; i++) {
        const dr_matter *matter = &world->constants.matter[world->constants.emitters[i].matter];
        if (matter->kind == DR_MATERIAL_LIQUID) sum += world->state.emitters[i].emitted_volume;
    }
    return sum;
}

// Enclosed air has no pressure of its own and may vanish; that is counted.
void dr_account_pockets(dr_world *world)
{
    dr_state *state = &world->state;
    double now = world->liquid.pockets.volume;
    if (now < state->pocket_volume) state->pocket_lost += state->pocket_volume - now;
    state->pocket_volume = now;
}

// Liquid that swings stands still for a moment at every turn and is stirred all the same: what it had of speed is
// forgotten within this many times the time in which it falls a cell.
#define MEMORY 10.0

void dr_account_stir(dr_world *world, double dt)
{
    double span = MEMORY * sqrt(world->liquid.grid.cell / world->acceleration);
    world->state.stir = fmax(world->extremes.mean_speed, isfinite(span) ? world->state.stir * exp(-dt / span) : 0.0);
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
    report->blocks = (int64_t)(world->grid.block_count + world->liquid.grid.block_count);
    report->volume_occupied = world->liquid.occupied;
    report->pockets = (int64_t)world->liquid.pockets.count;
    report->volume_pockets = state->pocket_volume;
    report->volume_pockets_lost = state->pocket_lost;
    report->solve_count = 0;
    if (world->constants.has_liquid) report->solves[report->solve_count++] = world->liquid.pressure_report;
    if (world->constants.surface_tension > 0.0) report->solves[report->solve_count++] = world->liquid.tension_report;
    if (world->liquid.viscous) report->solves[report->solve_count++] = world->liquid.viscosity_report;
    if (state->strands.count > 0) report->solves[report->solve_count++] = dr_strand_stage_report(world);
    if (world->constants.strands_meet) dr_strand_contact_report(world);
    report->emitted = state->emitted;
    report->drained = state->drained;
    report->culled = state->culled;
    report->ids = (int64_t)state->next_id;
    report->volume_drained = state->drained_volume;
    report->volume_emitted = emitted_volume(world);
    report->volume_total = report->volume_bulk + report->volume_film + report->volume_fabric + report->volume_drained;
    report->resident_bytes = dr_clock_resident_bytes();
}
