// Strands in liquid: a phase of the mixture whose members are vertices. docs/theory/strands_in_liquid.md.
//   w    kernel of a vertex at a face              m_f   liquid's mass on a face       mu = sum w m_f
//   c    drag, impulse per velocity in a step      e     the same against liquid that yields
//   a    freedom of the vertex                     M     its inertia in its strand, (m + e (1 - a)) / a
#include "world/world.h"

#include "base/columns.h"
#include "base/error.h"
#include "mixture/drag.h"
#include "strand/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FACE_FLOATS (DR_BLOCK_NODES * 4)
#define CHUNK       1024 // vertices, samples

// Strands take no more of a cell than circles in the closest packing.
#define DENSEST 0.9069

#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_strand_liquid, name), DR_TYPE_FLOAT32, FACE_FLOATS, "", ""                                  \
    }
#define VERTEX(name, items)                                                                                            \
    {                                                                                                                  \
#name, offsetof(dr_strand_liquid, name), DR_TYPE_FLOAT64, items, "", ""                                        \
    }
#define SAMPLE(name, type, items)                                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_strand_samples, name), type, items, "", ""                                                  \
    }

static const dr_column block_columns[] = {
    FACES(fibres),
    FACES(spare),
    FACES(hold),
    FACES(pull),
    FACES(lift),
    FACES(current),
    FACES(follow),
    FACES(slide),
    FACES(flux),
    FACES(mobility),
    FACES(way),
    FACES(missed),
    {"rise", offsetof(dr_strand_liquid, rise), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"sums", offsetof(dr_strand_liquid, sums), DR_TYPE_FLOAT64, 2, "", ""}};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

static const dr_column vertex_columns[] = {
    VERTEX(mass, 3),   VERTEX(share, 1),   VERTEX(open, 1),     VERTEX(drag, 2),      VERTEX(yield, 1),
    VERTEX(answer, 2), VERTEX(tangent, 3), VERTEX(target, 3),   VERTEX(stream, 3),    VERTEX(first, 3),
    VERTEX(base, 3),   VERTEX(freedom, 3), VERTEX(slope, 3),    VERTEX(volume, 1),    VERTEX(length, 1),
    VERTEX(value, 4),  VERTEX(impulse, 3), VERTEX(residual, 3), VERTEX(direction, 3), VERTEX(image, 3),
    VERTEX(guess, 3),  VERTEX(before, 9)};
static const dr_column_table vertex_table = {vertex_columns, (int)(sizeof vertex_columns / sizeof *vertex_columns)};

static const dr_column strand_columns[] = {
    {"strand", offsetof(dr_strand_liquid, strand), DR_TYPE_UINT8, 1, "", ""},
};
static const dr_column_table strand_table = {strand_columns, 1};

static const dr_column sample_columns[] = {SAMPLE(position, DR_TYPE_FLOAT64, 3), SAMPLE(ahead, DR_TYPE_FLOAT64, 1),
                                           SAMPLE(vertex, DR_TYPE_INT32, 1), SAMPLE(weight, DR_TYPE_FLOAT32, 1),
                                           SAMPLE(value, DR_TYPE_FLOAT32, 4)};
static const dr_column_table sample_table = {sample_columns, (int)(sizeof sample_columns / sizeof *sample_columns)};

// ---- samples

// Half an edge that is longer than this share of a cell has samples so far apart. Half: twice as many; twice: liquid
// finds gaps between them.
#define SPACING 0.5

static double half_before(const dr_strands *strands, int s, size_t v)
{
    return v > (size_t)strands->first[s] ? 0.5 * strands->rest_length[v - 1] : 0.0;
}

static double half_after(const dr_strands *strands, int s, size_t v)
{
    return v + 1 < (size_t)strands->first[s + 1] ? 0.5 * strands->rest_length[v] : 0.0;
}

static size_t count_along(double half, double spacing)
{
    return half > 0.0 ? (size_t)ceil(half / spacing) : 0;
}

// Appends the samples of a vertex, or only counts them.
static size_t sample_vertex(const dr_world *world, int s, size_t v, dr_strand_samples *samples)
{
    const dr_strands *strands = &world->state.strands;
    const double half[2] = {half_before(strands, s, v), half_after(strands, s, v)};
    double spacing = SPACING * world->grid.cell, length = half[0] + half[1];
    bool whole = fmax(half[0], half[1]) <= spacing;
    size_t count = whole ? 1 : count_along(half[0], spacing) + count_along(half[1], spacing);
    if (!samples) return count;
    size_t k = samples->count;
    for (int side = 0; side < 2 && !whole; side++) {
        size_t along = count_along(half[side], spacing);
        for (size_t i = 0; i < along; i++, k++) {
            samples->ahead[k] = (side ? 0.5 : -0.5) * ((double)i + 0.5) / (double)along;
            samples->weight[k] = (float)(half[side] / ((double)along * length));
        }
    }
    if (whole) {
        samples->ahead[k] = 0.0;
        samples->weight[k++] = 1.0F;
    }
    for (size_t i = samples->count; i < k; i++) samples->vertex[i] = (int32_t)v;
    samples->count = k;
    return count;
}

static bool make_samples(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_samples *samples = &world->strand_liquid.samples;
    size_t count = 0;
    for (int s = 0; s < strands->count; s++) {
        for (int v = strands->first[s]; v < strands->first[s + 1]; v++)
            count += sample_vertex(world, s, (size_t)v, NULL);
    }
    if (!dr_columns_reserve(&sample_table, samples, world->allocator, &samples->capacity, count) ||
        !dr_memory_reserve(world->allocator, (void **)&samples->first, &samples->first_capacity, strands->vertices + 1,
                           sizeof *samples->first))
        return false;
    for (int s = 0; s < strands->count; s++) {
        for (int v = strands->first[s]; v < strands->first[s + 1]; v++) {
            samples->first[v] = samples->count;
            sample_vertex(world, s, (size_t)v, samples);
        }
    }
    samples->first[strands->vertices] = samples->count;
    return true;
}

static void place_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    const double *x = world->state.strands.position;
    for (size_t k = begin; k < end; k++) {
        size_t v = (size_t)samples->vertex[k];
        double ahead = samples->ahead[k];
        const double *here = x + 3 * v, *to = ahead > 0.0 ? here + 3 : ahead < 0.0 ? here - 3 : here;
        for (size_t a = 0; a < 3; a++) samples->position[3 * k + a] = here[a] + fabs(ahead) * (to[a] - here[a]);
    }
}

bool dr_strand_liquid_place(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    if (!world->strand_liquid.active) return true;
    dr_par_for(&world->par, samples->count, CHUNK, place_samples, world);
    return dr_grid_place_points(&world->grid, &world->par, samples->position, samples->count, &samples->points);
}

// ---- between vertices and faces

typedef struct moving {
    const dr_world *world;
    const double *value; // [vertex][3] or, of one number, [vertex]
    bool single;
} moving;

static void charge_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const moving *job = user;
    const dr_strand_samples *samples = &job->world->strand_liquid.samples;
    for (size_t k = begin; k < end; k++) {
        size_t v = (size_t)samples->vertex[k];
        if (job->single) samples->value[k] = samples->weight[k] * (float)job->value[v];
        for (size_t a = 0; a < 3 && !job->single; a++) samples->value[3 * k + a] = (float)job->value[3 * v + a];
    }
}

// spare: anything afterwards.
static void spread(const dr_world *world, const double *value, float *spare, float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    moving job = {world, value, false};
    dr_par_for(&world->par, samples->count, CHUNK, charge_samples, &job);
    dr_transfer_load load = {
        .places = dr_transfer_point_places(&samples->points), .mass = samples->weight, .velocity = samples->value};
    dr_transfer_load_faces(&world->liquid.transfer, &world->grid, &world->par, &load, spare, face);
}

// The same of one number per vertex for all faces and, in place of the spare, cells.
static void spread_one(const dr_world *world, const double *value, float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    moving job = {world, value, true};
    dr_transfer_places places = dr_transfer_point_places(&samples->points);
    dr_par_for(&world->par, samples->count, CHUNK, charge_samples, &job);
    dr_transfer_spread_faces(&world->liquid.transfer, &world->grid, &world->par, &places, samples->value, face);
}

static void join_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    double *value = world->strand_liquid.value;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 4; a++) value[4 * v + a] = 0.0;
        for (size_t k = samples->first[v]; k < samples->first[v + 1]; k++) {
            for (size_t a = 0; a < 4; a++)
                value[4 * v + a] += (double)samples->weight[k] * (double)samples->value[4 * k + a];
        }
    }
}

// Sums of w times a field at vertices, into value [vertex][4].
static void read(const dr_world *world, const float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_transfer_places places = dr_transfer_point_places(&samples->points);
    dr_transfer_read_faces(&world->liquid.transfer, &world->grid, &world->par, &places, face, samples->value, NULL);
    dr_par_for(&world->par, world->state.strands.vertices, CHUNK, join_samples, (void *)world);
}

void dr_strand_liquid_spread(dr_world *world, const double *value, float *face)
{
    spread(world, value, world->strand_liquid.spare, face);
}

void dr_strand_liquid_read(dr_world *world, const float *face)
{
    read(world, face);
}

// ---- life

static void measure_vertices(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_liquid *wet = &world->strand_liquid;
    for (int s = 0; s < strands->count; s++) {
        double density = dr_strands_material(strands, s)->density;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            wet->volume[v] = strands->mass[v] / density;
            wet->length[v] = half_before(strands, s, v) + half_after(strands, s, v);
        }
    }
}

// Liquid that was poured where strands are leaves them their room.
static void displace_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_particles *liquid = &world->state.liquid;
    const float *value = world->strand_liquid.hold; // [particle][4], for once
    double cell = world->grid.cell;
    for (size_t p = begin; p < end; p++) {
        double open = 1.0 - fmin((double)value[4 * p + 3] / (cell * cell * cell), DENSEST);
        liquid->volume[p] = (float)(open * (double)liquid->volume[p]);
        liquid->mass[p] = (float)(open * (double)liquid->mass[p]);
    }
}

static bool displace(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_particles *liquid = &world->state.liquid;
    if (liquid->count == 0) return true;
    if (!dr_world_activate(world)) return false;
    float *kept = wet->hold, *value = dr_memory_alloc(world->allocator, 4 * liquid->count * sizeof *value);
    if (!value) return false;
    spread_one(world, wet->volume, wet->fibres);
    dr_transfer_places places = dr_transfer_particle_places(liquid);
    dr_transfer_read_faces(&world->liquid.transfer, &world->grid, &world->par, &places, wet->fibres, value, NULL);
    wet->hold = value;
    dr_par_for(&world->par, liquid->count, DR_PARTICLE_CHUNK, displace_particles, world);
    wet->hold = kept;
    dr_memory_free(world->allocator, value, 4 * liquid->count * sizeof *value);
    return true;
}

dr_status dr_strand_liquid_open(dr_world *world, dr_error *error)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_liquid *wet = &world->strand_liquid;
    if (strands->count == 0 || !world->constants.has_liquid) return DR_STATUS_OK;
    if (!dr_columns_reserve(&vertex_table, wet, world->allocator, &wet->vertex_capacity, strands->vertices) ||
        !dr_columns_reserve(&strand_table, wet, world->allocator, &wet->strand_capacity, (size_t)strands->count) ||
        !make_samples(world))
        return dr_error_memory(error, "making strands in liquid");
    wet->active = true;
    measure_vertices(world);
    return displace(world) ? DR_STATUS_OK : dr_error_memory(error, "making strands in liquid");
}

void dr_strand_liquid_close(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_columns_free(&block_table, wet, world->allocator, &wet->capacity);
    dr_columns_free(&vertex_table, wet, world->allocator, &wet->vertex_capacity);
    dr_columns_free(&strand_table, wet, world->allocator, &wet->strand_capacity);
    dr_columns_free(&sample_table, &wet->samples, world->allocator, &wet->samples.capacity);
    dr_memory_free(world->allocator, wet->samples.first, wet->samples.first_capacity * sizeof *wet->samples.first);
    dr_points_free(&wet->samples.points, world->allocator);
    *wet = (dr_strand_liquid){0};
}

bool dr_strand_liquid_reserve(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    return !wet->active ||
           dr_columns_reserve(&block_table, wet, world->allocator, &wet->capacity, world->grid.block_count);
}

// ---- passes

typedef struct pass {
    dr_world *world;
    double dt;
    double part;
} pass;

static void visit_blocks(dr_world *world, double dt, dr_par_body body)
{
    pass job = {world, dt, 0.0};
    dr_par_for(&world->par, world->grid.block_count, 32, body, &job);
}

static void visit_vertices(dr_world *world, double dt, dr_par_body body)
{
    pass job = {world, dt, 0.0};
    dr_par_for(&world->par, world->state.strands.vertices, CHUNK, body, &job);
}

static void visit_strands(dr_world *world, double dt, dr_par_body body)
{
    pass job = {world, dt, 0.0};
    dr_par_for(&world->par, (size_t)world->state.strands.count, 16, body, &job);
}

void dr_strand_liquid_gather(dr_world *world)
{
    if (world->strand_liquid.active) spread_one(world, world->strand_liquid.volume, world->strand_liquid.fibres);
}

void dr_strand_liquid_fill(dr_world *world)
{
    if (!world->strand_liquid.active) return;
    world->liquid.mixture.fibres = world->strand_liquid.fibres;
    world->liquid.mixture.most = DENSEST;
}

void dr_strand_liquid_meet(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active || world->constants.bodies_meet_liquid) return;
    world->liquid.mixture.flux = wet->wet ? wet->flux : NULL;
    world->liquid.mixture.mobility = wet->wet ? wet->mobility : NULL;
}

// ---- what liquid is around a vertex

// spare: the liquid's mass on faces, what strands leave to it in cells.
static void note_mass(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    memcpy(wet->spare + begin * FACE_FLOATS, world->liquid.mass + begin * FACE_FLOATS,
           (end - begin) * FACE_FLOATS * sizeof(float));
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++)
        wet->spare[4 * c + 3] = world->liquid.share[c];
}

// spare: the liquid's momentum on faces, what solids leave open of the kernel in cells.
static void note_momentum(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_liquid *liquid = &world->liquid;
    float *spare = world->strand_liquid.spare;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++) {
        if (f % 4 == 3)
            spare[f] = liquid->constants.has_solids ? liquid->room[f - 3] : 1.0F;
        else
            spare[f] = liquid->mass[f] * liquid->velocity[f];
    }
}

// spare: of several liquids the density and the viscosity of cells, on x and y faces: they are read as if they were
// there, half a cell off.
static void note_kinds(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    float *spare = world->strand_liquid.spare;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        spare[4 * c] = world->liquid.density[c];
        spare[4 * c + 1] = world->liquid.thickness[c];
        spare[4 * c + 2] = spare[4 * c + 3] = 0.0F;
    }
}

// A vertex whose kernel holds less than this share of a cell of liquid is dry. Half or twice: no difference that could
// be seen.
#define DRY 1e-6

static void take_mass(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, volume = cell * cell * cell, least = DRY * world->liquid.constants.density * volume;
    for (size_t v = begin; v < end; v++) {
        const double *value = wet->value + 4 * v;
        bool dry = fmin(fmin(value[0], value[1]), value[2]) < least;
        for (size_t a = 0; a < 3; a++) wet->mass[3 * v + a] = dry ? 0.0 : value[a];
        wet->share[v] = fmin(fmax(1.0 - value[3], 0.0), DENSEST);
    }
}

static bool is_wet(const dr_strand_liquid *wet, size_t v)
{
    return wet->mass[3 * v] > 0.0;
}

// Of the kernel around a vertex so much counts as open at least: a vertex at a wall has a half. Half or twice: no
// difference but for vertices deep in solids.
#define LEAST_OPEN 0.1

// target: the liquid's velocity around a vertex, weighed by mass.
static void take_velocity(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->target[k] = wet->mass[k] > 0.0 ? wet->value[k / 3 * 4 + k % 3] / wet->mass[k] : 0.0;
    for (size_t v = begin; v < end; v++) wet->open[v] = fmax(wet->value[4 * v + 3], LEAST_OPEN);
}

// ---- drag

static double radius_of(const dr_strands *strands, size_t edge)
{
    return sqrt(strands->radius[2 * edge] * strands->radius[2 * edge + 1]);
}

// How much of what the pores could hold there is of liquid: drag acts on what there is. open: of the kernel.
static double fill_of(const dr_strand_liquid *wet, size_t v, double full, double open)
{
    const double *mass = wet->mass + 3 * v;
    return fmin(1.0, (mass[0] + mass[1] + mass[2]) / (3.0 * full * open * (1.0 - wet->share[v])));
}

// value: viscosity and density of several liquids around the vertex.
static void find_drag(const pass *job, int s, size_t v)
{
    const dr_world *world = job->world;
    const dr_strands *strands = &world->state.strands;
    const dr_liquid_constants *liquid = &world->liquid.constants;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, relative[3];
    double density = liquid->differ ? wet->value[4 * v] : liquid->density;
    double viscosity = liquid->differ ? wet->value[4 * v + 1] : liquid->viscosity;
    size_t edge = v + 1 < (size_t)strands->first[s + 1] ? v : v - 1;
    for (size_t a = 0; a < 3; a++)
        relative[a] = wet->target[3 * v + a] - job->dt * liquid->gravity[a] - strands->velocity[3 * v + a];
    dr_drag drag = dr_drag_fibre(&(dr_drag_flow){.density = density,
                                                 .viscosity = viscosity,
                                                 .radius = radius_of(strands, edge),
                                                 .share = wet->share[v],
                                                 .speed = dr_vec3_length(relative)});
    double scale = job->dt * wet->length[v] * fill_of(wet, v, density * cell * cell * cell, wet->open[v]);
    wet->drag[2 * v] = scale * drag.along;
    wet->drag[2 * v + 1] = scale * drag.across;
}

static void tangent_at(const dr_strands *strands, size_t s, size_t v, double t[3])
{
    dr_scalar_tangent(strands->position + 3 * (v + 1 < (size_t)strands->first[s + 1] ? v : v - 1), t);
}

static void find_drags(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strands *strands = &job->world->state.strands;
    dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t s = begin; s < end; s++) {
        wet->strand[s] = false;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            bool here = is_wet(wet, v);
            wet->drag[2 * v] = wet->drag[2 * v + 1] = 0.0;
            tangent_at(strands, s, v, wet->tangent + 3 * v);
            if (here) find_drag(job, (int)s, v);
            wet->strand[s] = wet->strand[s] || here;
        }
    }
}

// Into first [vertex][3]: c / mu.
static void weigh_drags(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->first[k] = wet->mass[k] > 0.0 ? wet->drag[k / 3 * 2 + 1] / wet->mass[k] : 0.0;
}

// spare: what a vertex reads of hold, weighed with the liquid's mass.
static void note_hold(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++)
        wet->spare[f] = f % 4 == 3 ? 0.0F : world->liquid.mass[f] * wet->hold[f];
}

// The liquid yields to all strands around: 1 / e = 1 / c + alpha / c. eq. (8)
static void yield_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double yield = 0.0, across = wet->drag[2 * v + 1];
        for (size_t a = 0; a < 3 && across > 0.0; a++)
            yield = fmax(yield, wet->value[4 * v + a] / wet->mass[3 * v + a] / across);
        wet->yield[v] = yield;
        for (size_t k = 2 * v; k < 2 * v + 2; k++)
            wet->answer[k] = wet->drag[k] / (1.0 + yield * wet->drag[k]) / job->dt;
    }
}

static bool any_wet(const dr_world *world)
{
    for (int s = 0; s < world->state.strands.count; s++) {
        if (world->strand_liquid.strand[s]) return true;
    }
    return false;
}

// What the strands' solver is told of liquid.
static void load(dr_world *world, bool pressed)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_strand_load *to = &world->strands.load;
    to->drag = wet->wet ? wet->answer : NULL;
    to->liquid_velocity = wet->wet ? wet->target : NULL;
    to->pressure_gradient = wet->wet && pressed ? wet->slope : NULL;
    to->volume = wet->wet && pressed ? wet->volume : NULL;
}

void dr_strand_liquid_drag(dr_world *world, const dr_try *attempt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active) return;
    double dt = attempt->dt;
    visit_blocks(world, dt, note_mass);
    read(world, wet->spare);
    visit_vertices(world, dt, take_mass);
    visit_blocks(world, dt, note_momentum);
    read(world, wet->spare);
    visit_vertices(world, dt, take_velocity);
    if (world->liquid.constants.differ) {
        visit_blocks(world, dt, note_kinds);
        read(world, wet->spare);
    }
    visit_strands(world, dt, find_drags);
    wet->wet = any_wet(world);
    if (wet->wet) {
        visit_vertices(world, dt, weigh_drags);
        spread(world, wet->first, wet->spare, wet->hold);
        visit_blocks(world, dt, note_hold);
        read(world, wet->spare);
        visit_vertices(world, dt, yield_vertices);
        memcpy(wet->first, wet->target, 3 * world->state.strands.vertices * sizeof *wet->first);
    }
    load(world, false);
}

// ---- what vertices answer

// One component of what a vertex would do, given the liquid's velocity u and pressure gradient G at the end of the
// step: start + follow u - dt yield G. eq. (9)
typedef struct answer {
    double drag, start, follow, yield;
} answer;

static const size_t diagonal[3] = {0, 3, 5}; // of xx xy xz yy yz zz

static answer answer_of(const dr_world *world, size_t v, size_t a, const double t[3], double dt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    double m = world->state.strands.mass[v], free = wet->freedom[3 * v + a];
    if (world->strands.load.film_matrix) m += world->strands.load.film_matrix[6 * v + diagonal[a]];
    double along = t[a] * t[a], across = 1.0 - along;
    double e = dt * (along * wet->answer[2 * v] + across * wet->answer[2 * v + 1]);
    double velocity = dr_strand_solver_velocity(world->strands.solver)[3 * v + a];
    double whole = m + e; // (M + e) times freedom
    return (answer){.drag = e,
                    .start = velocity - free * e / whole * wet->first[3 * v + a],
                    .follow = free * e / whole,
                    .yield = free * wet->volume[v] / whole};
}

typedef enum quantity { HOLD, PULL, LIFT, STREAM, FOLLOW, YIELD } quantity;

typedef struct answering {
    const dr_world *world;
    double dt;
    quantity what;
    double *value; // [vertex][3]
} answering;

static double quantity_of(const answering *job, size_t v, size_t a, const answer *own)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    double volume = wet->volume[v], mass = wet->mass[3 * v + a], per_mass = mass > 0.0 ? 1.0 / mass : 0.0;
    switch (job->what) {
    case HOLD:
        return per_mass * own->drag * (1.0 - own->follow);
    case PULL:
        return per_mass * own->drag * own->start;
    case LIFT:
        return per_mass * own->drag * own->yield;
    case STREAM:
        return volume * own->start;
    case FOLLOW:
        return volume * own->follow;
    default:
        return volume * own->yield;
    }
}

static void answer_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const answering *job = user;
    const dr_strands *strands = &job->world->state.strands;
    for (size_t s = begin; s < end; s++) {
        bool wet = job->world->strand_liquid.strand[s];
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            const double *t = job->world->strand_liquid.tangent + 3 * v;
            for (size_t a = 0; a < 3; a++) {
                double velocity = dr_strand_solver_velocity(job->world->strands.solver)[3 * v + a];
                answer own = {.start = velocity};
                if (wet) own = answer_of(job->world, v, a, t, job->dt);
                job->value[3 * v + a] = quantity_of(job, v, a, &own);
            }
        }
    }
}

// direction: what vertices see of what liquid loses.
static void take_bound(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->direction[k] = wet->mass[k] > 0.0 ? fmin(1.0, wet->value[k / 3 * 4 + k % 3] / wet->mass[k]) : 0.0;
}

// flux: sums of what vertices lose times what they see lost around.
static void bound_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++) {
        float own = wet->hold[f] * wet->hold[f], around = wet->flux[f];
        if (f % 4 == 3 || !(own > around)) continue;
        float ratio = around / own;
        wet->hold[f] *= ratio;
        wet->pull[f] *= ratio;
        wet->lift[f] *= ratio;
    }
}

// A face in the middle of a kernel would lose more than all of its velocity where drag is strong, since drag acts on
// the mean over the kernel; there what it loses is bounded by what vertices around see lost, which is less than all.
// eq. (11)
static void bound(dr_world *world, double dt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    visit_blocks(world, dt, note_hold);
    read(world, wet->spare);
    visit_vertices(world, dt, take_bound);
    answering job = {world, dt, HOLD, wet->value};
    dr_par_for(&world->par, (size_t)world->state.strands.count, 16, answer_strands, &job);
    for (size_t k = 0; k < 3 * world->state.strands.vertices; k++) wet->value[k] *= wet->direction[k];
    spread(world, wet->value, wet->spare, wet->flux);
    visit_blocks(world, dt, bound_blocks);
}

bool dr_strand_liquid_answer(dr_world *world, const dr_try *attempt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active || !wet->wet) return true;
    if (!dr_strand_solver_freedom(world->strands.solver, &world->state.strands, wet->strand, wet->freedom))
        return false;
    memcpy(wet->base, dr_strand_solver_velocity(world->strands.solver),
           3 * world->state.strands.vertices * sizeof *wet->base);
    float *const field[] = {wet->hold, wet->pull, wet->lift, wet->current, wet->follow, wet->slide};
    for (int what = HOLD; what <= YIELD; what++) {
        answering job = {world, attempt->dt, (quantity)what, wet->value};
        dr_par_for(&world->par, (size_t)world->state.strands.count, 16, answer_strands, &job);
        spread(world, wet->value, wet->spare, field[what]);
    }
    bound(world, attempt->dt);
    wet->members = (dr_phase_members){.volume = wet->fibres,
                                      .hold = wet->hold,
                                      .pull = wet->pull,
                                      .lift = wet->lift,
                                      .flux = wet->current,
                                      .follow = wet->follow,
                                      .mobility = wet->slide};
    return true;
}

// ---- the mixture

static dr_mixture make_mixture(const dr_world *world, double dt)
{
    const dr_liquid *liquid = &world->liquid;
    return (dr_mixture){.grid = &world->grid,
                        .dt = dt,
                        .liquid_mass = liquid->mass,
                        .liquid_volume = liquid->constants.differ ? liquid->volume : NULL,
                        .liquid_velocity = liquid->velocity,
                        .liquid_density = liquid->constants.density,
                        .members = &world->strand_liquid.members,
                        .most = DENSEST};
}

void dr_strand_liquid_mix(dr_world *world, double dt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->wet || world->constants.bodies_meet_liquid) return;
    dr_mixture mixture = make_mixture(world, dt);
    dr_mixture_eliminate(&mixture, &world->par, wet->flux, wet->mobility);
}

// flux: what the pressure made of it.
static void promise_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++)
        wet->flux[f] -= wet->mobility[f] * world->liquid.gradient[f];
}

void dr_strand_liquid_free(dr_world *world, double dt)
{
    if (!world->strand_liquid.wet) return;
    if (!world->constants.bodies_meet_liquid) {
        dr_mixture mixture = make_mixture(world, dt);
        dr_mixture_correct(&mixture, &world->par, world->liquid.gradient, world->liquid.velocity, NULL);
        visit_blocks(world, dt, promise_blocks);
    }
    dr_liquid_carry(&world->liquid, &(dr_liquid_step){.dt = dt});
}

// ---- the second pass

static void take_slope(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->slope[k] = wet->mass[k] > 0.0 ? wet->value[k / 3 * 4 + k % 3] : 0.0;
}

// spare: 1 where liquid could pass.
static void note_open(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++)
        world->strand_liquid.spare[f] = world->liquid.solids.open_area[f] > 0.0F ? 1.0F : 0.0F;
}

// Beside a wall the gradient is that of the faces that have one.
static void open_slope(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) wet->slope[k] /= fmax(wet->value[k / 3 * 4 + k % 3], LEAST_OPEN);
}

// Pressure gradient and velocity of the liquid around vertices.
static void look_around(dr_world *world, double dt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    read(world, world->liquid.gradient);
    visit_vertices(world, dt, take_slope);
    if (world->liquid.constants.has_solids) {
        visit_blocks(world, dt, note_open);
        read(world, wet->spare);
        visit_vertices(world, dt, open_slope);
    }
    visit_blocks(world, dt, note_momentum);
    read(world, wet->spare);
    visit_vertices(world, dt, take_velocity);
    memcpy(wet->stream, wet->target, 3 * world->state.strands.vertices * sizeof *wet->stream);
}

// ---- the mixture's divergence

// Into first: a vertex's volume times the velocity that its strand, made linear, would have; into impulse: what drag
// then gives it, over the liquid's mass around.
static void flow_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double away[3], drag[3];
        for (size_t a = 0; a < 3; a++) away[a] = wet->target[3 * v + a] - wet->guess[3 * v + a];
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, away, drag);
        for (size_t a = 0; a < 3; a++) {
            size_t k = 3 * v + a;
            wet->direction[k] = wet->volume[v] * wet->guess[k];
            wet->impulse[k] = wet->mass[k] > 0.0 ? job->dt * drag[a] / wet->mass[k] : 0.0;
        }
    }
}

// What the mixture's flux as strands have it is more than that which the pressure promised, into `hold`; sums: squares
// of that and of what the pressure did.
static void compare_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, cell_volume = cell * cell * cell;
    for (size_t b = begin; b < end; b++) {
        double squares[2] = {0.0, 0.0};
        for (size_t f = b * FACE_FLOATS; f < (b + 1) * FACE_FLOATS; f++) {
            double volume = (double)wet->fibres[f], scale = dr_fraction_scale(volume, cell_volume, DENSEST);
            double gradient = (double)world->liquid.gradient[f];
            double liquid = (double)world->liquid.velocity[f] - (double)wet->pull[f];
            double flux = liquid + scale * ((double)wet->lift[f] - volume * liquid);
            double missed = f % 4 != 3 ? flux - (double)wet->flux[f] : 0.0,
                   done = fabs((double)wet->mobility[f] * gradient) + fabs((double)wet->pull[f]);
            wet->hold[f] = (float)missed;
            if (f % 4 == 3 || gradient == 0.0 || !(volume > 0.0)) continue;
            squares[0] += missed * missed;
            squares[1] += done * done;
        }
        wet->sums[2 * b] = squares[0];
        wet->sums[2 * b + 1] = squares[1];
    }
}

static void sum_up(const dr_world *world, double sum[2])
{
    sum[0] = sum[1] = 0.0;
    for (size_t i = 0; i < 2 * world->grid.block_count; i++) sum[i % 2] += world->strand_liquid.sums[i];
}

// How much of what the pressure did strands make void, squared.
static double compare(dr_world *world, double dt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    double sum[2];
    visit_vertices(world, dt, flow_vertices);
    spread(world, wet->impulse, wet->spare, wet->pull);
    spread(world, wet->direction, wet->spare, wet->lift);
    visit_blocks(world, dt, compare_blocks);
    sum_up(world, sum);
    return sum[1] > 0.0 ? sum[0] / sum[1] : 0.0;
}

// sums: of the flux that is missed and of how it changed, both against the gradient of the way.
static void project_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    const float *open = world->liquid.constants.has_solids ? world->liquid.solids.open_area : NULL;
    for (size_t b = begin; b < end; b++) {
        double sum[2] = {0.0, 0.0};
        for (size_t f = b * FACE_FLOATS; f < (b + 1) * FACE_FLOATS; f++) {
            double weight = f % 4 == 3 ? 0.0 : (double)world->liquid.theta[f] * (open ? (double)open[f] : 1.0);
            sum[0] += weight * (double)wet->missed[f] * (double)world->liquid.result[f];
            sum[1] += weight * ((double)wet->missed[f] - (double)wet->hold[f]) * (double)wet->way[f];
        }
        wet->sums[2 * b] = sum[0];
        wet->sums[2 * b + 1] = sum[1];
    }
}

// The way of conjugate gradients: the pressure found anew, and a part of the way before.
static void turn_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    float part = (float)job->part;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++)
        wet->way[f] = world->liquid.result[f] + (part != 0.0F ? part * wet->way[f] : 0.0F);
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++)
        wet->rise[c] = world->liquid.guess[c] + (part != 0.0F ? part * wet->rise[c] : 0.0F);
}

static void visit_part(dr_world *world, double dt, double part, dr_par_body body, size_t count, size_t grain)
{
    pass job = {world, dt, part};
    dr_par_for(&world->par, count, grain, body, &job);
}

// Between the answers of before, kept in `before`, and after a whole step.
static void blend_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        const double *before = wet->before + 9 * (k / 3) + k % 3;
        wet->target[k] = before[0] + job->part * (wet->target[k] - before[0]);
        wet->guess[k] = before[3] + job->part * (wet->guess[k] - before[3]);
        wet->slope[k] = before[6] + job->part * (wet->slope[k] - before[6]);
    }
}

static void keep_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        double *before = wet->before + 9 * (k / 3) + k % 3;
        before[0] = wet->target[k];
        before[3] = wet->guess[k];
        before[6] = wet->slope[k];
    }
}

static void blend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    float part = (float)job->part;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++)
        wet->missed[f] += part * (wet->hold[f] - wet->missed[f]);
}

static void keep_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    size_t bytes = (end - begin) * FACE_FLOATS * sizeof(float);
    memcpy(wet->missed + begin * FACE_FLOATS, wet->hold + begin * FACE_FLOATS, bytes);
}

// Strands as they answer the liquid's pressure and velocity, made linear. False when memory is out.
static bool answer_liquid(dr_world *world, double dt)
{
    look_around(world, dt);
    return dr_strand_drag_solve(world, dt);
}

// One iteration of conjugate gradients on the pressure of the whole mixture, of which that with (10) is the
// preconditioner: a whole step along the way tells how long it should be. gain: of the one before, and of this one.
static bool mend(dr_world *world, double dt, double *gain)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_liquid *liquid = &world->liquid;
    dr_liquid_step step = {.dt = dt};
    size_t blocks = world->grid.block_count, vertices = world->state.strands.vertices;
    double sum[2];
    dr_liquid_press_again(liquid, wet->missed);
    visit_blocks(world, dt, project_blocks);
    sum_up(world, sum);
    double now = sum[0];
    visit_part(world, dt, *gain > 0.0 ? now / *gain : 0.0, turn_blocks, blocks, 32);
    visit_vertices(world, dt, keep_vertices);
    dr_liquid_add_pressure(liquid, &step, wet->rise, wet->way, 1.0);
    if (!answer_liquid(world, dt)) return false;
    compare(world, dt);
    visit_blocks(world, dt, project_blocks);
    sum_up(world, sum);
    double part = now > 0.0 && sum[1] > 0.0 ? fmin(1.0, now / sum[1]) : 0.0;
    dr_liquid_add_pressure(liquid, &step, wet->rise, wet->way, part - 1.0);
    visit_part(world, dt, part, blend_vertices, vertices, CHUNK);
    visit_part(world, dt, part, blend_blocks, blocks, 32);
    *gain = part > 0.0 ? now : 0.0;
    return true;
}

// The pressure is found anew where strands make more of what it did void than this share. Half: hardly ever less wrong,
// as (10) is good where drag is not strong; twice: errors of some hundredths stay.
#define VOID 0.02

// At most so often.
#define ROUNDS 4

// missed: the flux that is missed, whose square is told against what the pressure did.
static double miss(const dr_world *world)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    double missed = 0.0, done = 0.0;
    for (size_t f = 0; f < world->grid.block_count * FACE_FLOATS; f++) {
        double gradient = (double)world->liquid.gradient[f],
               own = fabs((double)wet->mobility[f] * gradient) + fabs((double)wet->pull[f]);
        if (f % 4 == 3 || gradient == 0.0 || !(wet->fibres[f] > 0.0F)) continue;
        missed += (double)wet->missed[f] * (double)wet->missed[f];
        done += own * own;
    }
    return done > 0.0 ? missed / done : 0.0;
}

bool dr_strand_liquid_press(dr_world *world, const dr_try *attempt)
{
    double dt = attempt->dt, gain = 0.0;
    if (!world->strand_liquid.wet) return true;
    load(world, true);
    if (!answer_liquid(world, dt)) return false;
    if (world->constants.bodies_meet_liquid || compare(world, dt) < VOID * VOID) return true;
    visit_blocks(world, dt, keep_blocks);
    for (int round = 0; round < ROUNDS && miss(world) > VOID * VOID; round++) {
        if (!mend(world, dt, &gain)) return false;
        if (!(gain > 0.0)) break;
    }
    return true;
}

// ---- the reaction

// Into impulse: that of drag on a vertex over the liquid's mass around it; into slope: with that of pressure.
static void react_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const double *velocity = dr_strand_solver_velocity(job->world->strands.solver);
    for (size_t v = begin; v < end; v++) {
        double away[3], drag[3];
        dr_vec3_sub(away, wet->target + 3 * v, velocity + 3 * v);
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, away, drag);
        for (size_t a = 0; a < 3; a++) {
            size_t k = 3 * v + a;
            double per_mass = wet->mass[k] > 0.0 ? job->dt / wet->mass[k] : 0.0;
            wet->impulse[k] = per_mass * drag[a];
            wet->slope[k] = per_mass * (drag[a] - wet->volume[v] * wet->slope[k]);
        }
    }
}

// What the liquid gave is taken from it; its momentum is to be that before pressure less all that strands received.
static void react_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * FACE_FLOATS; f < end * FACE_FLOATS; f++) {
        if (f % 4 == 3 || !(world->liquid.mass[f] > 0.0F)) continue;
        world->liquid.velocity[f] -= wet->pull[f];
        world->liquid.predicted[f] -= wet->lift[f];
    }
}

void dr_strand_liquid_react(dr_world *world, const dr_try *attempt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->wet || attempt->rejected) return;
    visit_vertices(world, attempt->dt, react_vertices);
    spread(world, wet->impulse, wet->spare, wet->pull);
    spread(world, wet->slope, wet->spare, wet->lift);
    visit_blocks(world, attempt->dt, react_blocks);
}
