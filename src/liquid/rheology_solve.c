// Thick liquids on the grid. docs/theory/rheology.md, eq. (17)-(22).
#include "liquid/rheology_solve.h"

#include "liquid/tuning.h"
#include "liquid/rheology_gradient.h"
#include "liquid/rheology_lanes.h"

#include <math.h>
#include <string.h>

#define CHUNK 1024 // particles of one piece of a parallel loop

enum { LANES = 8, LANE_XX = 3 }; // of what a particle spreads: three on edges, the others in the middle

// ---- memory

#define CELLS(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_thick, name), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""                                       \
    }
#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_thick, name), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""                                       \
    }

static const dr_column block_columns[] = {
    FACES(edge),
    FACES(middle),
    FACES(weight),
    FACES(open),
    FACES(slope[0]),
    FACES(slope[1]),
    FACES(thrust),
    FACES(base),
    CELLS(thickness),
    CELLS(share),
    {"law", offsetof(dr_thick, law), DR_TYPE_FLOAT64, DR_BLOCK_NODES *(int)(sizeof(dr_rheology) / sizeof(double)), "",
     ""},
    {"rate", offsetof(dr_thick, rate), DR_TYPE_FLOAT32, DR_SYMMETRIC *DR_BLOCK_NODES, "", ""},
    {"eta", offsetof(dr_thick, eta), DR_TYPE_FLOAT32, 4 * DR_BLOCK_NODES, "", ""},
    {"elastic", offsetof(dr_thick, elastic), DR_TYPE_FLOAT32, 4 * DR_SYMMETRIC *DR_BLOCK_NODES, "", ""},
    {"off", offsetof(dr_thick, off), DR_TYPE_FLOAT64, 1, "", ""},
    {"all", offsetof(dr_thick, all), DR_TYPE_FLOAT64, 1, "", ""},
    CELLS(compliance),
    CELLS(old_pressure),
    CELLS(soft),
    {"stress", offsetof(dr_thick, stress), DR_TYPE_FLOAT32, DR_SYMMETRIC *DR_BLOCK_NODES, "", ""},
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

static const dr_column particle_columns[] = {
    {"volume", offsetof(dr_thick, volume), DR_TYPE_FLOAT32, 1, "", ""},
    {"gradient", offsetof(dr_thick, gradient), DR_TYPE_FLOAT32, 9, "", ""},
    {"value", offsetof(dr_thick, value), DR_TYPE_FLOAT32, LANES, "", ""},
    {"read", offsetof(dr_thick, read), DR_TYPE_FLOAT32, LANES, "", ""},
};
static const dr_column_table particle_table = {particle_columns, 4};

void dr_thick_open(dr_thick *thick, const dr_allocator *allocator)
{
    *thick = (dr_thick){.allocator = allocator};
}

void dr_thick_close(dr_thick *thick)
{
    dr_columns_free(&block_table, thick, thick->allocator, &thick->capacity);
    dr_columns_free(&particle_table, thick, thick->allocator, &thick->particle_capacity);
}

double dr_thick_particle_bytes(void)
{
    size_t columns =
        dr_columns_row_bytes(&dr_thick_particle_columns) - dr_columns_row_bytes(&dr_plain_particle_columns);
    return (double)(columns + DR_SYMMETRIC * sizeof(float) + dr_columns_row_bytes(&particle_table));
}

bool dr_thick_reserve(dr_thick *thick, const dr_grid *grid, size_t particles)
{
    const dr_allocator *allocator = thick->allocator;
    return dr_columns_reserve(&block_table, thick, allocator, &thick->capacity, grid->block_count) &&
           dr_columns_reserve(&particle_table, thick, allocator, &thick->particle_capacity, particles);
}

// ---- passes

typedef struct pass {
    dr_thick *thick;
    const dr_thick_matter *matter;
    double dt;
} pass;

static void visit_particles(const pass *job, dr_par_body body)
{
    pass copy = *job;
    dr_par_for(job->matter->par, job->matter->particles->count, CHUNK, body, &copy);
}

static void visit_blocks(const pass *job, dr_par_body body)
{
    pass copy = *job;
    dr_par_for(job->matter->par, job->matter->grid->block_count, 32, body, &copy);
}

static void read_values(const void *user, size_t first, size_t count, float (*value)[LANES])
{
    const pass *job = user;
    const dr_residents *residents = &job->matter->particles->residents;
    for (size_t i = 0; i < count; i++)
        memcpy(value[i], job->thick->value + LANES * dr_residents_point(residents, first + i), sizeof *value);
}

// What particles have in value onto edges and middles.
static void spread(const pass *job, float *edge, float *middle)
{
    const dr_thick_matter *matter = job->matter;
    dr_transfer_places places = dr_transfer_particle_places(matter->particles);
    dr_transfer_spread_edges(matter->grid, matter->par, &places, read_values, job, edge, middle);
}

// ---- volumes

enum { LANE_SOFT = 4, LANE_COMPLIANCE = 5, LANE_PRESSURE = 6, LANE_THICK = 7 };

static void weigh_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_particles *particles = job->matter->particles;
    for (size_t p = begin; p < end; p++) {
        const dr_rheology *law = &job->matter->laws[particles->body[p]];
        double dilation = (double)particles->dilation[p], volume = (double)particles->volume[p] * (1.0 + dilation);
        float *value = job->thick->value + LANES * p;
        for (int i = 0; i <= LANE_XX; i++) value[i] = (float)volume;
        for (int i = LANE_XX + 1; i < LANES; i++) value[i] = 0.0F;
        job->thick->volume[p] = (float)volume;
        if (law->shear_modulus > 0.0) value[LANE_THICK] = (float)volume;
        if (!(law->bulk_modulus > 0.0)) continue;
        double compliance = volume / dr_rheology_stiffness(law->bulk_modulus, dilation);
        value[LANE_SOFT] = (float)volume;
        value[LANE_COMPLIANCE] = (float)compliance;
        value[LANE_PRESSURE] = (float)(compliance * dr_rheology_pressure(law->bulk_modulus, dilation));
    }
}

static void soften_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_thick *thick = job->thick;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        double volume = (double)thick->weight[4 * i + LANE_XX];
        const float *sum = thick->middle + 4 * i - 4; // lanes of the middle begin with the fourth
        double soft = (double)sum[LANE_SOFT], compliance = (double)sum[LANE_COMPLIANCE];
        thick->share[i] = volume > 0.0 ? (float)((double)sum[LANE_THICK] / volume) : 0.0F;
        thick->soft[i] = volume > 0.0 ? (float)(soft / volume) : 0.0F;
        thick->compliance[i] = volume > 0.0 ? (float)(compliance / (volume * job->dt)) : 0.0F;
        thick->old_pressure[i] = compliance > 0.0 ? (float)((double)sum[LANE_PRESSURE] / compliance) : 0.0F;
    }
}

void dr_thick_measure(dr_thick *thick, const dr_thick_matter *matter, double dt)
{
    pass job = {.thick = thick, .matter = matter, .dt = dt};
    visit_particles(&job, weigh_particles);
    spread(&job, thick->weight, thick->middle);
    visit_blocks(&job, soften_blocks);
}

// ---- gradients

static void gradient_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_thick *thick = job->thick;
    for (size_t p = begin; p < end; p++) dr_rheology_gradient_at(thick->read + LANES * p, thick->gradient + 9 * p);
}

void dr_thick_gradient(dr_thick *thick, const dr_thick_matter *matter, const dr_strain_problem *problem,
                       const float *velocity)
{
    pass job = {.thick = thick, .matter = matter};
    const float *const field[2] = {thick->slope[0], thick->slope[1]};
    dr_transfer_places places = dr_transfer_particle_places(matter->particles);
    dr_rheology_gradient(matter->grid, matter->par, problem, velocity, thick->slope, thick->open);
    dr_transfer_read_edges(matter->grid, matter->par, &places, field, thick->open, thick->read);
    visit_particles(&job, gradient_particles);
}

// ---- strain and laws on the grid

// Lanes of a symmetric matrix: yz, zx, xy on edges, then xx, yy, zz in the middle.
static const int lane_of[DR_SYMMETRIC] = {4, 2, 1, 0, 3, 5};

static void strain_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_particles *particles = job->matter->particles;
    for (size_t p = begin; p < end; p++) {
        float *value = job->thick->value + LANES * p, volume = job->thick->volume[p];
        for (int i = 0; i < DR_SYMMETRIC; i++)
            value[i] = volume * particles->elastic[DR_SYMMETRIC * p + (size_t)lane_of[i]];
        value[6] = value[7] = 0.0F;
    }
}

enum { LANE_MODULUS = 3, LANE_YIELD, LANE_CONSISTENCY, LANE_INDEX, LANE_VISCOSITY };

// Where liquids differ a cell has the means of their numbers, by volume.
static void law_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_particles *particles = job->matter->particles;
    for (size_t p = begin; p < end; p++) {
        const dr_rheology *law = &job->matter->laws[particles->body[p]];
        float *value = job->thick->value + LANES * p, volume = particles->volume[p];
        float thick = law->shear_modulus > 0.0 ? volume : 0.0F;
        value[0] = value[1] = value[2] = 0.0F;
        value[LANE_MODULUS] = thick * (float)law->shear_modulus;
        value[LANE_YIELD] = thick * (float)law->yield;
        value[LANE_CONSISTENCY] = thick * (float)law->consistency;
        value[LANE_INDEX] = thick * (float)law->index;
        value[LANE_VISCOSITY] = volume * (float)law->viscosity;
    }
}

static void law_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_thick *thick = job->thick;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        double volume = (double)thick->weight[4 * i + 3], share = (double)thick->share[i] * volume;
        const float *middle = thick->middle + 4 * i;
        thick->law[i] = (dr_rheology){.viscosity = volume > 0.0 ? (double)middle[LANE_VISCOSITY - 4] / volume : 0.0};
        if (!(share > 0.0)) continue;
        thick->law[i].shear_modulus = (double)thick->edge[4 * i + LANE_MODULUS] / share;
        thick->law[i].yield = (double)middle[LANE_YIELD - 4] / share;
        thick->law[i].consistency = (double)middle[LANE_CONSISTENCY - 4] / share;
        thick->law[i].index = (double)middle[LANE_INDEX - 4] / share;
    }
}

static void mean_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_thick *thick = job->thick;
    for (size_t i = 4 * begin * DR_BLOCK_NODES; i < 4 * end * DR_BLOCK_NODES; i++) {
        float weight = thick->weight[i], middle = thick->weight[i / 4 * 4 + 3];
        thick->edge[i] = weight > 0.0F ? thick->edge[i] / weight : 0.0F;
        thick->middle[i] = middle > 0.0F ? thick->middle[i] / middle : 0.0F;
    }
}

void dr_thick_strain(dr_thick *thick, const dr_thick_matter *matter)
{
    pass job = {.thick = thick, .matter = matter};
    if (matter->several) {
        visit_particles(&job, law_particles);
        spread(&job, thick->edge, thick->middle);
        visit_blocks(&job, law_blocks);
    }
    visit_particles(&job, strain_particles);
    spread(&job, thick->edge, thick->middle);
    visit_blocks(&job, mean_blocks);
}

// ---- what the stress of the last step does

bool dr_thick_push(dr_thick *thick, const dr_thick_matter *matter, const dr_strain_problem *problem,
                   dr_viscosity *viscosity)
{
    dr_thick_strain(thick, matter);
    dr_thick_stress(thick, matter, problem->level, problem->solid, 0.0, true);
    if (!dr_viscosity_measure(viscosity, matter->grid, matter->par, problem)) return false;
    dr_viscosity_thrust(viscosity, matter->grid, matter->par, thick->stress, thick->thrust);
    return true;
}

// ---- commit

static void get_symmetric(const float *from, double to[DR_SYMMETRIC])
{
    for (int i = 0; i < DR_SYMMETRIC; i++) to[i] = (double)from[i];
}

static void put_symmetric(const double from[DR_SYMMETRIC], float *to)
{
    for (int i = 0; i < DR_SYMMETRIC; i++) to[i] = (float)from[i];
}

// The volume by the trace of a particle's own gradient: eq. (15).
static void dilate(dr_particles *particles, size_t p, double dt, const float gradient[9])
{
    double g[9];
    for (int k = 0; k < 9; k++) g[k] = dt * (double)gradient[k];
    double ratio = (1.0 + g[0]) * ((1.0 + g[4]) * (1.0 + g[8]) - g[5] * g[7]) -
                   g[1] * (g[3] * (1.0 + g[8]) - g[5] * g[6]) + g[2] * (g[3] * g[7] - (1.0 + g[4]) * g[6]);
    double dilation = (1.0 + (double)particles->dilation[p]) * ratio - 1.0;
    particles->dilation[p] =
        (float)fmin(fmax(dilation, 1.0 / DR_RHEOLOGY_MOST_VOLUME - 1.0), DR_RHEOLOGY_MOST_VOLUME - 1.0);
}

// One that is torn.
static void strain_one(const dr_thick *thick, dr_particles *particles, const dr_rheology *law, double dt, size_t p)
{
    dr_rheology_state state;
    dr_rheology_answer answer;
    double g[9];
    for (size_t k = 0; k < 9; k++) g[k] = (double)thick->gradient[9 * p + k];
    get_symmetric(particles->elastic + DR_SYMMETRIC * p, state.b);
    get_symmetric(particles->total + DR_SYMMETRIC * p, state.total);
    dr_rheology_step(law, g, dt, &state, &answer);
    dr_rheology_recover(law, dt, &state);
    put_symmetric(state.b, particles->elastic + DR_SYMMETRIC * p);
    put_symmetric(state.total, particles->total + DR_SYMMETRIC * p);
}

// All others, side by side.
typedef struct several {
    dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR];
    dr_rheology_history history[DR_RHEOLOGY_PAIR];
    size_t particle[DR_RHEOLOGY_POINTS];
    int count;
    bool tear; // any of them can
    double recovery, keep;
} several;

static void put_lanes(const dr_lanes from[DR_SYMMETRIC], int lane, float *to)
{
    for (int k = 0; k < DR_SYMMETRIC; k++) to[k] = (float)from[k][lane];
}

static void strain_several(several *of, const dr_thick *thick, const dr_thick_matter *matter, double dt)
{
    dr_particles *particles = matter->particles;
    bool torn[DR_RHEOLOGY_POINTS] = {false};
    for (int h = 0; h < DR_RHEOLOGY_PAIR && of->tear; h++) {
        dr_rheology_lanes_torn(&of->lanes[h], &of->history[h], torn + h * DR_LANES);
        dr_rheology_lanes_carry(&of->lanes[h], dt, &of->history[h]);
    }
    dr_rheology_lanes_step(of->lanes, dt);
    for (int h = 0; h < DR_RHEOLOGY_PAIR && of->tear; h++) dr_rheology_lanes_recover(&of->lanes[h], &of->history[h]);
    for (int i = 0; i < of->count; i++) {
        size_t p = of->particle[i];
        const dr_rheology *law = &matter->laws[particles->body[p]];
        if (torn[i]) {
            strain_one(thick, particles, law, dt, p);
            continue;
        }
        put_lanes(of->lanes[i / DR_LANES].b, i % DR_LANES, particles->elastic + DR_SYMMETRIC * p);
        if (law->tear > 0.0)
            put_lanes(of->history[i / DR_LANES].total, i % DR_LANES, particles->total + DR_SYMMETRIC * p);
    }
    of->count = 0;
    of->tear = false;
}

static void take_in(several *of, const dr_thick *thick, const dr_particles *particles, const dr_rheology *law,
                    double dt, size_t p)
{
    int i = of->count++, lane = i % DR_LANES;
    dr_rheology_lanes *lanes = &of->lanes[i / DR_LANES];
    dr_rheology_history *history = &of->history[i / DR_LANES];
    const float *b = particles->elastic + DR_SYMMETRIC * p, *g = thick->gradient + 9 * p;
    of->particle[i] = p;
    dr_rheology_lanes_law(of->lanes, i, law);
    for (int k = 0; k < DR_SYMMETRIC; k++) lanes->b[k][lane] = (double)b[k];
    for (int k = 0; k < 9; k++) lanes->gradient[k][lane] = (double)g[k];
    history->tear[lane] = law->tear;
    if (!(law->tear > 0.0)) return;
    if (law->recovery != of->recovery) of->keep = exp(-dt / law->recovery);
    of->recovery = law->recovery;
    of->tear = true;
    history->keep[lane] = of->keep;
    for (int k = 0; k < DR_SYMMETRIC; k++)
        history->total[k][lane] = (double)particles->total[DR_SYMMETRIC * p + (size_t)k];
}

void dr_thick_update(const dr_thick *thick, const dr_thick_matter *matter, double dt, size_t first, size_t count,
                     const float (*gradient)[9])
{
    dr_particles *particles = matter->particles;
    several side_by_side;
    memset(&side_by_side, 0, sizeof side_by_side);
    dr_rheology_lanes_clear(side_by_side.lanes);
    for (size_t i = 0; i < count; i++) {
        size_t p = first + i;
        const dr_rheology *law = &matter->laws[particles->body[p]];
        if (law->bulk_modulus > 0.0) dilate(particles, p, dt, gradient[i]);
        if (!(law->shear_modulus > 0.0)) continue;
        take_in(&side_by_side, thick, particles, law, dt, p);
        if (side_by_side.count == DR_RHEOLOGY_POINTS) strain_several(&side_by_side, thick, matter, dt);
    }
    if (side_by_side.count > 0) strain_several(&side_by_side, thick, matter, dt);
}

// ---- resampling

void dr_thick_copy(dr_particles *particles, size_t from, size_t to)
{
    if (!particles->elastic || from == to) return;
    memcpy(particles->elastic + DR_SYMMETRIC * to, particles->elastic + DR_SYMMETRIC * from,
           DR_SYMMETRIC * sizeof(float));
    memcpy(particles->total + DR_SYMMETRIC * to, particles->total + DR_SYMMETRIC * from, DR_SYMMETRIC * sizeof(float));
    particles->dilation[to] = particles->dilation[from];
}

static float mean(float a, float b, double share, double other)
{
    return (float)(share * (double)a + other * (double)b);
}

void dr_thick_mean(dr_particles *particles, size_t into, size_t other, double share, double other_share)
{
    if (!particles->elastic) return;
    for (size_t k = 0; k < DR_SYMMETRIC; k++) {
        float *elastic = particles->elastic + DR_SYMMETRIC * into + k,
              *total = particles->total + DR_SYMMETRIC * into + k;
        *elastic = mean(*elastic, particles->elastic[DR_SYMMETRIC * other + k], share, other_share);
        *total = mean(*total, particles->total[DR_SYMMETRIC * other + k], share, other_share);
    }
    particles->dilation[into] = mean(particles->dilation[into], particles->dilation[other], share, other_share);
}
