// Strands in liquid: a phase of the mixture whose members are vertices. docs/theory/strands_in_liquid.md.
//   w    kernel of a vertex at a face              m_f   liquid's mass on a face       mu = sum w m_f
//   c    drag, impulse per velocity in a step      e     the same against liquid that yields
//   a    freedom of the vertex                     M     its inertia in its strand, (m + e (1 - a)) / a
#include "world/strand_pass.h"

#include "base/clock.h"
#include "base/columns.h"
#include "base/error.h"
#include "strand/scalar.h"

#include <math.h>
#include <string.h>

#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_strand_liquid, name), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""                               \
    }
#define VERTEX(name, items)                                                                                            \
    {                                                                                                                  \
#name, offsetof(dr_strand_liquid, name), DR_TYPE_FLOAT64, items, "", ""                                        \
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
    FACES(mending),
    {"rise", offsetof(dr_strand_liquid, rise), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"risen", offsetof(dr_strand_liquid, risen), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"mender", offsetof(dr_strand_liquid, mender), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"sums", offsetof(dr_strand_liquid, sums), DR_TYPE_FLOAT64, 2, "", ""}};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

static const dr_column vertex_columns[] = {VERTEX(mass, 3),
                                           VERTEX(share, 1),
                                           VERTEX(open, 1),
                                           VERTEX(exposed, 1),
                                           VERTEX(filled, 1),
                                           VERTEX(drag, 2),
                                           VERTEX(yield, 1),
                                           VERTEX(answer, 2),
                                           VERTEX(tangent, 3),
                                           VERTEX(target, 3),
                                           VERTEX(stream, 3),
                                           VERTEX(first, 3),
                                           VERTEX(base, 3),
                                           VERTEX(freedom, 3),
                                           VERTEX(slope, 3),
                                           VERTEX(volume, 1),
                                           VERTEX(length, 1),
                                           VERTEX(value, 4),
                                           VERTEX(other, 3),
                                           VERTEX(impulse, 3),
                                           VERTEX(residual, 3),
                                           VERTEX(direction, 3),
                                           VERTEX(image, 3),
                                           VERTEX(guess, 3),
                                           VERTEX(before, 12),
                                           VERTEX(given, 3),
                                           VERTEX(parts, 1),
                                           VERTEX(own, 1),
                                           VERTEX(slip, 1),
                                           VERTEX(lean, 1),
                                           VERTEX(flow, sizeof(dr_drag_flow) / sizeof(double))};
static const dr_column_table vertex_table = {vertex_columns, (int)(sizeof vertex_columns / sizeof *vertex_columns)};

static const dr_column strand_columns[] = {
    {"strand", offsetof(dr_strand_liquid, strand), DR_TYPE_UINT8, 1, "", ""},
};
static const dr_column_table strand_table = {strand_columns, 1};

// ---- life

static void measure_vertices(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_liquid *wet = &world->strand_liquid;
    for (int s = 0; s < strands->count; s++) {
        double density = dr_strands_material(strands, s)->density;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            wet->volume[v] = strands->mass[v] / density;
            wet->length[v] = dr_strand_half_before(strands, s, v) + dr_strand_half_after(strands, s, v);
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
        double open = 1.0 - fmin((double)value[4 * p + 3] / (cell * cell * cell), DR_STRAND_DENSEST);
        float whole = liquid->volume[p];
        liquid->volume[p] = dr_state_round(world, open * (double)whole);
        liquid->mass[p] = (float)((double)liquid->mass[p] * (double)liquid->volume[p] / (double)whole);
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
    dr_strand_samples_spread_one(world, wet->volume, wet->fibres);
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
        !dr_strand_samples_make(world))
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
    dr_strand_samples_free(world);
    *wet = (dr_strand_liquid){0};
}

bool dr_strand_liquid_reserve(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    return !wet->active ||
           dr_columns_reserve(&block_table, wet, world->allocator, &wet->capacity, world->grid.block_count);
}

// ---- volumes

// Film belongs to the strand that carries it.
static void add_films(dr_world *world)
{
    const dr_film *film = &world->state.film;
    if (film->vertices == 0) return;
    measure_vertices(world);
    for (size_t v = 0; v < film->vertices; v++) world->strand_liquid.volume[v] += film->volume[v];
}

static void gather_strands(dr_world *world)
{
    if (!world->strand_liquid.active) return;
    add_films(world);
    dr_strand_samples_spread_one(world, world->strand_liquid.volume, world->strand_liquid.fibres);
}

static void fill_cells(dr_world *world)
{
    if (!world->strand_liquid.active) return;
    world->liquid.mixture.fibres = world->strand_liquid.fibres;
    world->liquid.mixture.most = DR_STRAND_DENSEST;
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
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    memcpy(wet->spare + begin * DR_BLOCK_FACES, world->liquid.mass + begin * DR_BLOCK_FACES,
           (end - begin) * DR_BLOCK_FACES * sizeof(float));
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++)
        wet->spare[4 * c + 3] = world->liquid.share[c];
}

// spare: the liquid's momentum on faces, what solids leave open of the kernel in cells.
static void note_momentum(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_liquid *liquid = &world->liquid;
    float *spare = world->strand_liquid.spare;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
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
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    float *spare = world->strand_liquid.spare;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        spare[4 * c] = world->liquid.density[c];
        spare[4 * c + 1] = world->liquid.thickness[c];
        spare[4 * c + 2] = spare[4 * c + 3] = 0.0F;
    }
}

static void take_mass(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, volume = cell * cell * cell,
           least = DR_STRAND_DRY * world->liquid.constants.density * volume;
    for (size_t v = begin; v < end; v++) {
        const double *value = wet->value + 4 * v;
        bool dry = fmin(fmin(value[0], value[1]), value[2]) < least;
        for (size_t a = 0; a < 3; a++) wet->mass[3 * v + a] = dry ? 0.0 : value[a];
        wet->share[v] = fmin(fmax(1.0 - value[3], 0.0), DR_STRAND_DENSEST);
    }
}

static bool is_wet(const dr_strand_liquid *wet, size_t v)
{
    return wet->mass[3 * v] > 0.0;
}

// target: the liquid's velocity around a vertex, weighed by mass.
static void take_velocity(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->target[k] = wet->mass[k] > 0.0 ? wet->value[k / 3 * 4 + k % 3] / wet->mass[k] : 0.0;
    for (size_t v = begin; v < end; v++) wet->open[v] = fmax(wet->value[4 * v + 3], DR_STRAND_LEAST_OPEN);
}

void dr_strand_liquid_look(dr_world *world, double dt)
{
    dr_strand_visit_blocks(world, dt, note_momentum);
    dr_strand_samples_read(world, world->strand_liquid.spare);
    dr_strand_visit_vertices(world, dt, take_velocity);
}

// ---- drag

static void tangent_at(const dr_strands *strands, size_t s, size_t v, double t[3])
{
    dr_scalar_tangent(strands->position + 3 * (v + 1 < (size_t)strands->first[s + 1] ? v : v - 1), t);
}

static void find_drags(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strands *strands = &job->world->state.strands;
    dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t s = begin; s < end; s++) {
        wet->strand[s] = false;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            bool here = is_wet(wet, v);
            wet->drag[2 * v] = wet->drag[2 * v + 1] = 0.0;
            wet->exposed[v] = 1.0;
            wet->filled[v] = wet->slip[v] = wet->lean[v] = 0.0;
            tangent_at(strands, s, v, wet->tangent + 3 * v);
            if (here) dr_strand_law_find(job->world, job->dt, (int)s, v);
            wet->strand[s] = wet->strand[s] || here;
        }
    }
}

// Into first [vertex][3]: c / mu.
static void weigh_drags(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->first[k] = wet->mass[k] > 0.0 ? wet->drag[k / 3 * 2 + 1] / wet->mass[k] : 0.0;
}

// spare: what a vertex reads of hold, weighed with the liquid's mass.
static void note_hold(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        wet->spare[f] = f % 4 == 3 ? 0.0F : world->liquid.mass[f] * wet->hold[f];
}

// The liquid yields to all strands around: 1 / e = 1 / c + alpha / c. eq. (8)
static void yield_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
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

void dr_strand_liquid_load(dr_world *world, bool pressed)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_strand_load *to = &world->strands.load;
    to->drag = wet->wet ? wet->answer : NULL;
    to->liquid_velocity = wet->wet ? wet->target : NULL;
    to->pressure_gradient = wet->wet && pressed ? wet->slope : NULL;
    to->volume = wet->wet && pressed ? wet->volume : NULL;
}

static bool drag_strands(dr_world *world, const dr_try *attempt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active) return true;
    double dt = attempt->dt;
    dr_strand_visit_blocks(world, dt, note_mass);
    dr_strand_samples_read(world, wet->spare);
    if (!dr_strand_samples_sort_out(world)) return false;
    dr_strand_visit_vertices(world, dt, take_mass);
    dr_strand_liquid_look(world, dt);
    if (world->liquid.constants.differ) {
        dr_strand_visit_blocks(world, dt, note_kinds);
        dr_strand_samples_read(world, wet->spare);
    }
    dr_strand_visit_strands(world, dt, find_drags);
    wet->wet = any_wet(world);
    if (wet->wet) {
        dr_strand_visit_vertices(world, dt, weigh_drags);
        dr_strand_samples_spread(world, wet->first, wet->hold);
        dr_strand_visit_blocks(world, dt, note_hold);
        dr_strand_samples_read(world, wet->spare);
        dr_strand_visit_vertices(world, dt, yield_vertices);
        memcpy(wet->first, wet->target, 3 * world->state.strands.vertices * sizeof *wet->first);
    }
    dr_strand_liquid_load(world, false);
    return true;
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
    const dr_strand_liquid *wet;
    quantity what[2];
    double *value[2]; // [vertex][3], the second may be NULL
} answering;

static double quantity_of(const dr_strand_liquid *wet, quantity what, size_t v, size_t a, const answer *own)
{
    double volume = wet->volume[v], mass = wet->mass[3 * v + a], per_mass = mass > 0.0 ? 1.0 / mass : 0.0;
    switch (what) {
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

// Into before: what vertices would do, component by component.
static void answer_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strands *strands = &job->world->state.strands;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const double *velocity = dr_strand_solver_velocity(job->world->strands.solver);
    for (size_t s = begin; s < end; s++) {
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            for (size_t a = 0; a < 3; a++) {
                answer own = {.start = velocity[3 * v + a]};
                if (wet->strand[s]) own = answer_of(job->world, v, a, wet->tangent + 3 * v, job->dt);
                memcpy(wet->before + 12 * v + 4 * a, &own, sizeof own);
            }
        }
    }
}

static void quantify_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const answering *job = user;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 3; a++) {
            answer own;
            memcpy(&own, job->wet->before + 12 * v + 4 * a, sizeof own);
            for (int i = 0; i < 2 && job->value[i]; i++)
                job->value[i][3 * v + a] = quantity_of(job->wet, job->what[i], v, a, &own);
        }
    }
}

// direction: what vertices see of what liquid loses.
static void take_bound(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++)
        wet->direction[k] = wet->mass[k] > 0.0 ? fmin(1.0, wet->value[k / 3 * 4 + k % 3] / wet->mass[k]) : 0.0;
}

// flux: sums of what vertices lose times what they see lost around.
static void bound_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
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
    dr_strand_visit_blocks(world, dt, note_hold);
    dr_strand_samples_read(world, wet->spare);
    dr_strand_visit_vertices(world, dt, take_bound);
    answering job = {wet, {HOLD, HOLD}, {wet->value, NULL}};
    dr_par_for(&world->par, world->state.strands.vertices, DR_VERTEX_CHUNK, quantify_vertices, &job);
    for (size_t k = 0; k < 3 * world->state.strands.vertices; k++) wet->value[k] *= wet->direction[k];
    dr_strand_samples_spread(world, wet->value, wet->flux);
    dr_strand_visit_blocks(world, dt, bound_blocks);
}

static bool find_answer(dr_world *world, const dr_try *attempt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active || !wet->wet) return true;
    if (!dr_strand_solver_freedom(world->strands.solver, &world->state.strands, wet->strand, wet->freedom))
        return false;
    memcpy(wet->base, dr_strand_solver_velocity(world->strands.solver),
           3 * world->state.strands.vertices * sizeof *wet->base);
    dr_strand_visit_strands(world, attempt->dt, answer_strands);
    float *const field[] = {wet->hold, wet->pull, wet->lift, wet->current, wet->follow, wet->slide};
    for (int what = HOLD; what <= YIELD; what += 2) {
        answering job = {wet, {(quantity)what, (quantity)(what + 1)}, {wet->value, wet->other}};
        dr_par_for(&world->par, world->state.strands.vertices, DR_VERTEX_CHUNK, quantify_vertices, &job);
        dr_strand_samples_spread_two(world, wet->value, wet->other, field[what], field[what + 1]);
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
                        .most = DR_STRAND_DENSEST};
}

static void mix_phases(dr_world *world, double dt)
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
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        wet->flux[f] -= wet->mobility[f] * world->liquid.gradient[f];
}

static void free_liquid(dr_world *world, double dt)
{
    if (!world->strand_liquid.wet) return;
    if (!world->constants.bodies_meet_liquid) {
        dr_mixture mixture = make_mixture(world, dt);
        dr_mixture_correct(&mixture, &world->par, world->liquid.gradient, world->liquid.velocity, NULL);
        dr_strand_visit_blocks(world, dt, promise_blocks);
    }
    dr_liquid_carry(&world->liquid, &(dr_liquid_step){.dt = dt});
}

// ---- what it costs

void dr_strand_liquid_gather(dr_world *world) // the first of them
{
    double begin = dr_clock_cpu();
    world->strands.pace = (dr_strand_pace){0};
    gather_strands(world);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
}

void dr_strand_liquid_fill(dr_world *world)
{
    double begin = dr_clock_cpu();
    fill_cells(world);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
}

bool dr_strand_liquid_drag(dr_world *world, const dr_try *attempt)
{
    double begin = dr_clock_cpu();
    bool ok = drag_strands(world, attempt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
    return ok;
}

bool dr_strand_liquid_answer(dr_world *world, const dr_try *attempt)
{
    double begin = dr_clock_cpu();
    bool ok = find_answer(world, attempt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
    return ok;
}

void dr_strand_liquid_mix(dr_world *world, double dt)
{
    double begin = dr_clock_cpu();
    mix_phases(world, dt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
}

void dr_strand_liquid_free(dr_world *world, double dt)
{
    double begin = dr_clock_cpu();
    free_liquid(world, dt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
}
