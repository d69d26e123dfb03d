// Strands in liquid: a phase of the mixture whose members are vertices. docs/theory/strands_in_liquid.md.
//   w    kernel of a vertex at a face              m_f   liquid's mass on a face       mu = sum w m_f
//   c    drag, impulse per velocity in a step      e     the same against liquid that yields
//   a    freedom of the vertex                     M     its inertia in its strand, (m + e (1 - a)) / a
#include "world/strand_pass.h"

#include "base/clock.h"
#include "base/columns.h"
#include "base/error.h"
#include "math/scalar.h"
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
    {"sums", offsetof(dr_strand_liquid, sums), DR_TYPE_FLOAT64, 2, "", ""},
    {"arid", offsetof(dr_strand_liquid, arid), DR_TYPE_UINT8, 1, "", ""}};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

static const dr_column vertex_columns[] = {
    VERTEX(mass, 3),
    VERTEX(lighter, 3),
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
    VERTEX(freedom, 3),
    VERTEX(slope, 3),
    VERTEX(volume, 1),
    VERTEX(length, 1),
    VERTEX(impulse, 3),
    VERTEX(residual, 3),
    VERTEX(direction, 3),
    VERTEX(image, 3),
    VERTEX(guess, 3),
    VERTEX(before, 12),
    VERTEX(given, 3),
    VERTEX(product, 1),
    VERTEX(own, 1),
    VERTEX(slip, 1),
    VERTEX(form_drag, 1),
    {"bring", offsetof(dr_strand_liquid, bring), DR_TYPE_FLOAT32, 4 * DR_TRANSFER_FIELDS, "", ""},
    {"near", offsetof(dr_strand_liquid, near), DR_TYPE_UINT8, 1, "", ""},
    {"run", offsetof(dr_strand_liquid, run), DR_TYPE_UINT32, 2, "", ""}};
static const dr_column_table vertex_table = {vertex_columns, (int)(sizeof vertex_columns / sizeof *vertex_columns)};

static const dr_column strand_columns[] = {
    {"strand", offsetof(dr_strand_liquid, strand), DR_TYPE_UINT8, 1, "", ""},
};
static const dr_column_table strand_table = {strand_columns, 1};

// ---- life

typedef struct measuring {
    dr_world *world;
    const double *film; // [vertex] volume; NULL: none
} measuring;

// Film belongs to the strand that carries it.
static void measure_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const measuring *job = user;
    const dr_strands *strands = &job->world->state.strands;
    dr_strand_liquid *wet = &job->world->strand_liquid;
    for (int s = (int)begin; s < (int)end; s++) {
        double per_density = 1.0 / dr_strands_material(strands, s)->density;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            wet->volume[v] = strands->mass[v] * per_density + (job->film ? job->film[v] : 0.0);
            wet->length[v] = dr_strand_half_before(strands, s, v) + dr_strand_half_after(strands, s, v);
        }
    }
}

// Liquid that was poured where strands are leaves them their volume.
static void displace_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_particles *liquid = &world->state.liquid;
    const float *value = world->strand_liquid.hold; // [particle][4], for once
    double cell = world->grid.cell;
    for (size_t p = begin; p < end; p++) {
        double open = 1.0 - dr_min_double((double)value[4 * p + 3] / (cell * cell * cell), DR_STRAND_DENSEST);
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
    memset(wet->near, 1, strands->vertices);
    measuring job = {world, NULL};
    dr_par_for(&world->par, (size_t)strands->count, 64, measure_strands, &job);
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
    if (!wet->active) return true;
    if (!dr_columns_reserve(&block_table, wet, world->allocator, &wet->capacity, world->grid.block_count)) return false;
    double begin = dr_clock_cpu();
    dr_strand_samples_sort(world);
    wet->sorting = dr_clock_cpu() - begin;
    return true;
}

// ---- volumes

static void gather_strands(dr_world *world)
{
    if (!world->strand_liquid.active) return;
    measuring job = {world, world->state.film.volume};
    if (world->state.film.vertices > 0)
        dr_par_for(&world->par, (size_t)world->state.strands.count, 64, measure_strands, &job);
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

// spare: the liquid's mass on faces, what strands leave to it in cells. arid: whether there is none.
static void note_mass(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t b = begin; b < end; b++) {
        bool any = false;
        for (size_t c = b * DR_BLOCK_NODES; c < (b + 1) * DR_BLOCK_NODES; c++) {
            const float *mass = world->liquid.mass + 4 * c;
            any = any || mass[0] > 0.0F || mass[1] > 0.0F || mass[2] > 0.0F;
            for (size_t a = 0; a < 3; a++) wet->spare[4 * c + a] = mass[a];
            wet->spare[4 * c + 3] = world->liquid.share[c];
        }
        wet->arid[b] = !any;
    }
}

// Into sums: whether kernels of points in a block reach no liquid.
static void note_arid(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t b = begin; b < end; b++) {
        bool arid = true;
        for (size_t upper = 0; upper < 8; upper++) {
            int32_t next = world->grid.neighbour[27 * b + 13 + 9 * (upper >> 2) + 3 * (upper >> 1 & 1) + (upper & 1)];
            arid = arid && (next < 0 || wet->arid[next]);
        }
        wet->sums[2 * b] = arid ? 1.0 : 0.0;
    }
}

static void take_arid(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t b = begin; b < end; b++) wet->arid[b] = wet->sums[2 * b] > 0.0;
}

// spare: the liquid's momentum on faces, what solids leave open of the kernel in cells.
static void note_momentum(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_liquid *liquid = &job->world->liquid;
    float *to = job->part > 0.0 ? job->world->strand_liquid.hold : job->world->strand_liquid.spare;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        if (f % 4 == 3)
            to[f] = liquid->constants.has_solids ? liquid->moments[f - 3] : 1.0F;
        else
            to[f] = liquid->mass[f] * liquid->velocity[f];
    }
}

void dr_strand_liquid_note(dr_world *world, double dt)
{
    dr_strand_visit_blocks(world, dt, note_momentum);
}

// pull: of several liquids the density and the viscosity of cells, on x and y faces: they are read as if they were
// there, half a cell off.
static void note_kinds(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    float *to = world->strand_liquid.pull;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        to[4 * c] = world->liquid.density[c];
        to[4 * c + 1] = world->liquid.thickness[c];
        to[4 * c + 2] = to[4 * c + 3] = 0.0F;
    }
}

// Mass, momentum and, of several liquids, kinds.
static bool look(dr_world *world, double dt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_strand_pass momentum = {world, dt, 1.0};
    const float *const face[] = {wet->spare, wet->hold, wet->pull};
    size_t blocks = world->grid.block_count;
    dr_strand_visit_blocks(world, dt, note_mass);
    dr_strand_visit_blocks(world, dt, note_arid);
    dr_strand_visit_blocks(world, dt, take_arid);
    dr_par_for(&world->par, blocks, 32, note_momentum, &momentum);
    if (world->liquid.constants.differ) dr_strand_visit_blocks(world, dt, note_kinds);
    dr_strand_samples_read(world, (dr_transfer_fields){world->liquid.constants.differ ? 3 : 2, true}, face, wet->arid);
    return dr_strand_samples_sort_out(world);
}

// ---- drag

static void tangent_at(const dr_strands *strands, size_t s, size_t v, double t[3])
{
    dr_scalar_tangent(strands->position + 3 * (v + 1 < (size_t)strands->first[s + 1] ? v : v - 1), t);
}

// mass, share and open of a vertex; target: the liquid's velocity around it, weighed by mass. Returns whether there is
// liquid.
static bool take_liquid(const dr_world *world, size_t v, const double (*found)[4])
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, least = DR_STRAND_DRY * world->liquid.constants.density * cell * cell * cell;
    bool dry = dr_min_double(dr_min_double(found[0][0], found[0][1]), found[0][2]) < least;
    for (size_t a = 0; a < 3; a++) {
        wet->mass[3 * v + a] = dry ? 0.0 : found[0][a];
        wet->lighter[3 * v + a] = dry ? 0.0 : 1.0 / found[0][a];
        wet->target[3 * v + a] = wet->lighter[3 * v + a] * found[1][a];
    }
    wet->share[v] = dr_min_double(dr_max_double(1.0 - found[0][3], 0.0), DR_STRAND_DENSEST);
    wet->open[v] = dr_max_double(found[1][3], DR_STRAND_LEAST_OPEN);
    return !dry;
}

// Into bring: c / mu, impulses per mass around.
static bool drag_vertex(dr_world *world, double dt, size_t s, size_t v)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    double found[DR_STRAND_FIELDS][4];
    dr_strand_samples_join(&wet->samples, v, found);
    bool here = take_liquid(world, v, (const double(*)[4])found);
    wet->drag[2 * v] = wet->drag[2 * v + 1] = 0.0;
    wet->exposed[v] = 1.0;
    wet->filled[v] = wet->slip[v] = wet->form_drag[v] = 0.0;
    tangent_at(&world->state.strands, s, v, wet->tangent + 3 * v);
    if (here) dr_strand_law_find(world, dt, (int)s, v, found[2]);
    for (size_t a = 0; a < 3; a++) wet->bring[4 * v + a] = (float)(wet->drag[2 * v + 1] * wet->lighter[3 * v + a]);
    wet->bring[4 * v + 3] = 0.0F;
    return here;
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
            if (wet->near[v] && drag_vertex(job->world, job->dt, s, v)) wet->strand[s] = true;
        }
        for (size_t k = 3 * (size_t)strands->first[s]; !wet->strand[s] && k < 3 * (size_t)strands->first[s + 1]; k++)
            wet->freedom[k] = 0.0;
    }
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

static void read_hold(dr_world *world, double dt)
{
    const float *face = world->strand_liquid.spare;
    dr_strand_visit_blocks(world, dt, note_hold);
    dr_strand_samples_read(world, (dr_transfer_fields){1, false}, &face, NULL);
}

// The liquid yields to all strands around: 1 / e = 1 / c + alpha / c. eq. (8)
static void yield_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double yield = 0.0, across = wet->drag[2 * v + 1], found[DR_STRAND_FIELDS][4];
        dr_strand_samples_join(&wet->samples, v, found);
        for (size_t a = 0; a < 3 && across > 0.0; a++)
            yield = dr_max_double(yield, found[0][a] * wet->lighter[3 * v + a]);
        if (across > 0.0) yield /= across;
        wet->yield[v] = yield;
        for (size_t k = 2 * v; k < 2 * v + 2; k++)
            wet->answer[k] = wet->drag[k] / (1.0 + yield * wet->drag[k]) / job->dt;
        for (size_t k = 3 * v; k < 3 * v + 3; k++) wet->first[k] = wet->target[k];
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
    if (!look(world, dt)) return false;
    dr_strand_samples_list(world);
    dr_strand_visit_strands(world, dt, find_drags);
    wet->wet = any_wet(world);
    if (wet->wet) {
        dr_strand_samples_spread(world, 1, &wet->hold);
        read_hold(world, dt);
        dr_strand_visit_wet(world, dt, yield_vertices);
    }
    dr_strand_liquid_load(world, false);
    return true;
}

// ---- what vertices answer

static const size_t diagonal[3] = {0, 3, 5}; // of xx xy xz yy yz zz

typedef struct answering {
    const dr_world *world;
    const double *velocity; // [vertex][3] that the first pass came to
    double dt;
} answering;

// One component of what a vertex would do, given the liquid's velocity u and pressure gradient G at the end of the
// step: start + follow u - dt yield G. eq. (9)
typedef struct answer {
    double drag, start, follow, yield;
} answer;

static answer answer_of(const answering *job, size_t v, size_t a)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const double *film = job->world->strands.load.film_matrix;
    double m = job->world->state.strands.mass[v] + (film ? film[6 * v + diagonal[a]] : 0.0);
    double along = wet->tangent[3 * v + a] * wet->tangent[3 * v + a], across = 1.0 - along;
    double e = job->dt * (along * wet->answer[2 * v] + across * wet->answer[2 * v + 1]);
    double share = wet->freedom[3 * v + a] / (m + e); // (M + e) times freedom
    return (answer){.drag = e,
                    .start = job->velocity[3 * v + a] - share * e * wet->first[3 * v + a],
                    .follow = share * e,
                    .yield = share * wet->volume[v]};
}

// Into bring: hold, pull, lift; flux, follow, mobility.
static void bring_answers(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const answering *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        float *to = wet->bring + 24 * v;
        double volume = wet->volume[v];
        for (size_t a = 0; a < 3; a++) {
            answer own = answer_of(job, v, a);
            double per_mass = wet->lighter[3 * v + a] * own.drag;
            to[a] = (float)(per_mass * (1.0 - own.follow));
            to[4 + a] = (float)(per_mass * own.start);
            to[8 + a] = (float)(per_mass * own.yield);
            to[12 + a] = (float)(volume * own.start);
            to[16 + a] = (float)(volume * own.follow);
            to[20 + a] = (float)(volume * own.yield);
        }
        for (size_t f = 0; f < 6; f++) to[4 * f + 3] = 0.0F;
    }
}

// Into bring: what vertices lose times what they see lost around.
static void bring_bounds(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const answering *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 3; a++) {
            answer own = answer_of(job, v, a);
            double lost = wet->lighter[3 * v + a] * own.drag * (1.0 - own.follow);
            wet->bring[4 * v + a] = (float)(lost * wet->direction[3 * v + a]);
        }
        wet->bring[4 * v + 3] = 0.0F;
    }
}

// direction: what vertices see of what liquid loses.
static void take_bound(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double found[DR_STRAND_FIELDS][4];
        dr_strand_samples_join(&wet->samples, v, found);
        for (size_t a = 0; a < 3; a++) {
            wet->direction[3 * v + a] = dr_min_double(1.0, found[0][a] * wet->lighter[3 * v + a]);
        }
    }
}

// flux: sums of what vertices lose times what they see lost around.
static void bound_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        float own = wet->hold[f], most = dr_max_float((float)DR_STRAND_LOSS, own > 0.0F ? wet->flux[f] / own : 0.0F);
        if (f % 4 == 3 || !(own > most)) continue;
        float ratio = most / own;
        wet->hold[f] *= ratio;
        wet->pull[f] *= ratio;
        wet->lift[f] *= ratio;
    }
}

// sums: whether any face would lose more than is sure to be right.
static void weigh_loss(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t b = begin; b < end; b++) {
        bool any = false;
        for (size_t f = b * DR_BLOCK_FACES; f < (b + 1) * DR_BLOCK_FACES; f++)
            any = any || (f % 4 != 3 && wet->hold[f] > (float)DR_STRAND_LOSS);
        wet->sums[2 * b] = any ? 1.0 : 0.0;
    }
}

static bool loses_much(dr_world *world, double dt)
{
    bool any = false;
    dr_strand_visit_blocks(world, dt, weigh_loss);
    for (size_t b = 0; b < world->grid.block_count; b++) any = any || world->strand_liquid.sums[2 * b] > 0.0;
    return any;
}

// A face in the middle of a kernel would lose more than all of its velocity where drag is strong, since drag acts on
// the mean over the kernel; there what it loses is bounded by what vertices around see lost, which is less than all.
// eq. (11)
static void bound(dr_world *world, answering *job)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    if (!loses_much(world, job->dt)) return;
    read_hold(world, job->dt);
    dr_strand_visit_wet(world, job->dt, take_bound);
    dr_strand_visit_near(world, bring_bounds, job);
    dr_strand_samples_spread(world, 1, &wet->flux);
    dr_strand_visit_blocks(world, job->dt, bound_blocks);
}

static bool find_answer(dr_world *world, const dr_try *attempt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->active || !wet->wet) return true;
    if (!dr_strand_solver_freedom(world->strands.solver, &world->state.strands, wet->strand, wet->freedom))
        return false;
    answering job = {world, dr_strand_solver_velocity(world->strands.solver), attempt->dt};
    float *const field[] = {wet->hold, wet->pull, wet->lift, wet->current, wet->follow, wet->slide};
    dr_strand_visit_near(world, bring_answers, &job);
    dr_strand_samples_spread(world, 6, field);
    bound(world, &job);
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
    if (!world->strand_liquid.wet || world->constants.bodies_meet_liquid) return;
    dr_mixture mixture = make_mixture(world, dt);
    dr_mixture_correct(&mixture, &world->par, world->liquid.gradient, world->liquid.velocity, NULL);
    dr_strand_visit_blocks(world, dt, promise_blocks);
}

// ---- what it costs

void dr_strand_liquid_gather(dr_world *world) // the first of them
{
    double begin = dr_clock_cpu();
    world->strands.pace = (dr_strand_pace){.coupling = world->strand_liquid.sorting};
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
    // the liquid's own, which it does later where there are no strands
    if (world->strand_liquid.wet) dr_liquid_carry(&world->liquid, &(dr_liquid_step){.dt = dt});
}
