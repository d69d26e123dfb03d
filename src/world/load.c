// What matter does to colliders and to the sides of the domain: impulses of the step that was made.
// docs/theory/collide.md, "Loads". Everything is read between the verdict on a try and its commit, but for strands that
// hang on a collider, whose momentum is looked at before and after.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "grid/halo.h"
#include "liquid/traction.h"

#include <math.h>
#include <string.h>

#define CHUNK       64 // blocks of a sum: fixed, so that sums do not depend on the number of threads
#define NODE_FLOATS (DR_BLOCK_NODES * 4)

enum { LINEAR, ANGULAR = 3, NUMBERS = 6 };

// ---- memory

static int collider_count(const dr_world *world)
{
    return dr_collider_set_count(world->constants.colliders);
}

static int row_count(const dr_world *world) // colliders, the sides, what no solid took
{
    return collider_count(world) + 2;
}

static size_t chunk_count(size_t blocks)
{
    return (blocks + CHUNK - 1) / CHUNK;
}

dr_status dr_load_open(dr_world *world, dr_error *error)
{
    dr_load_stage *load = &world->load;
    if (!load->wanted) return DR_STATUS_OK;
    load->sum = dr_memory_alloc(world->allocator, (size_t)row_count(world) * sizeof *load->sum);
    load->contact = dr_memory_alloc(world->allocator, 3 * world->state.strands.vertices * sizeof *load->contact);
    return load->sum && load->contact ? DR_STATUS_OK : dr_error_memory(error, "opening the world");
}

// While colliders and strands are still there.
void dr_load_close(dr_world *world)
{
    dr_load_stage *load = &world->load;
    if (load->sum) dr_memory_free(world->allocator, load->sum, (size_t)row_count(world) * sizeof *load->sum);
    if (load->contact)
        dr_memory_free(world->allocator, load->contact, 3 * world->state.strands.vertices * sizeof *load->contact);
    dr_memory_free(world->allocator, load->partial, load->partial_capacity * sizeof *load->partial);
    dr_memory_free(world->allocator, load->body, load->body_capacity * sizeof *load->body);
    *load = (dr_load_stage){0};
}

static size_t body_floats(const dr_world *world) // none where there is no matter on nodes, or on faces beside liquid
{
    bool any = world->state.particles.count > 0 || dr_cloth_stage_any(world);
    return any ? world->grid.block_count * NODE_FLOATS : 0;
}

bool dr_load_reserve(dr_world *world)
{
    dr_load_stage *load = &world->load;
    size_t rows = chunk_count(world->grid.block_count) * (size_t)row_count(world);
    if (!load->wanted) return true;
    return dr_memory_reserve(world->allocator, (void **)&load->partial, &load->partial_capacity, rows,
                             sizeof *load->partial) &&
           dr_memory_reserve(world->allocator, (void **)&load->body, &load->body_capacity, body_floats(world),
                             sizeof(float));
}

void dr_load_keep(dr_world *world)
{
    size_t floats = body_floats(world);
    if (!world->load.wanted || !floats) return;
    if (world->constants.bodies_meet_liquid)
        memset(world->load.body, 0, floats * sizeof(float));
    else
        memcpy(world->load.body, world->node, floats * sizeof(float));
}

void dr_load_keep_faces(dr_world *world, const float *before, const float *after)
{
    size_t floats = body_floats(world);
    for (size_t f = 0; world->load.wanted && f < floats; f++)
        world->load.body[f] = world->bodies.mass[f] * (before[f] - after[f]);
}

// ---- sums

typedef struct measuring {
    dr_world *world;
    double dt;
    double (*row)[NUMBERS]; // of the chunk at hand
    size_t block;
} measuring;

static void add(double row[NUMBERS], const double x[3], const double impulse[3])
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        row[LINEAR + a] += impulse[a];
        row[ANGULAR + a] += x[b] * impulse[c] - x[c] * impulse[b];
    }
}

static dr_collider_point nearest_solid(const dr_world *world, const double x[3])
{
    return dr_cut_solids_nearest(&world->cut.solids, x, INFINITY);
}

// An impulse on a solid, at the point of its surface that is nearest to x.
static void add_to(const measuring *job, const dr_collider_point *solid, const double x[3], const double impulse[3])
{
    double at[3];
    if (!isfinite(solid->distance)) return;
    for (int a = 0; a < 3; a++) at[a] = x[a] - solid->distance * solid->normal[a];
    add(job->row[solid->index >= 0 ? solid->index : collider_count(job->world)], at, impulse);
}

static void add_to_nearest(const measuring *job, const double x[3], const double impulse[3])
{
    dr_collider_point solid = nearest_solid(job->world, x);
    add_to(job, &solid, x, impulse);
}

static void sum_chunks(dr_world *world, double dt, dr_par_body body)
{
    size_t rows = (size_t)row_count(world), blocks = world->grid.block_count, chunks = chunk_count(blocks);
    measuring job = {.world = world, .dt = dt};
    if (chunks == 0) return;
    memset(world->load.partial, 0, chunks * rows * sizeof *world->load.partial);
    dr_par_for(&world->par, blocks, CHUNK, body, &job);
    for (size_t i = 0; i < chunks * rows; i++) {
        for (int k = 0; k < NUMBERS; k++) world->load.sum[i % rows][k] += world->load.partial[i][k];
    }
}

static measuring begin_chunk(const measuring *job, size_t begin)
{
    measuring own = *job;
    own.row = job->world->load.partial + begin / CHUNK * (size_t)row_count(job->world);
    return own;
}

// ---- liquid

static const double center_shift[3] = {0.5, 0.5, 0.5};
static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

// The open share of a cell's face; one to a solid cell is closed, as in the pressure solve.
static double open_share(const dr_liquid *liquid, int64_t face, int64_t beyond, int axis)
{
    if (face < 0 || beyond < 0) return 1.0;
    return liquid->kind[beyond] == DR_CELL_SOLID ? 0.0 : (double)liquid->solids.open_area[4 * face + axis];
}

// The slope of the pressure in a cell along an axis: the mean of its two faces; a closed one has none to give.
static double slope_of(const dr_liquid *liquid, int64_t item, int64_t above, int axis)
{
    double low = (double)liquid->gradient[4 * item + axis];
    double high = above < 0 ? 0.0 : (double)liquid->gradient[4 * above + axis];
    return low == 0.0 ? high : high == 0.0 ? low : 0.5 * (low + high);
}

// The pressure at the solid's surface times the area of solids in the cell, which is what its open faces leave
// unbalanced. (8), (9)
static void press(const measuring *job, int cell)
{
    const dr_liquid *liquid = &job->world->liquid;
    const int at[3] = {cell >> 4, cell >> 2 & 3, cell & 3};
    int64_t item = (int64_t)(job->block * DR_BLOCK_NODES) + cell;
    double x[3], impulse[3], slope[3], h = job->world->grid.cell, size = 0.0;
    if (liquid->kind[item] != DR_CELL_LIQUID) return;
    for (int a = 0; a < 3; a++) {
        int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
        low[a]--;
        high[a]++;
        int64_t below = dr_halo_find(&job->world->grid, job->block, low[0], low[1], low[2]);
        int64_t above = dr_halo_find(&job->world->grid, job->block, high[0], high[1], high[2]);
        impulse[a] = h * h * (open_share(liquid, item, below, a) - open_share(liquid, above, above, a)); // area
        slope[a] = slope_of(liquid, item, above, a);
        size += fabs(impulse[a]);
    }
    if (size < DR_WORLD_ROUNDING * h * h) return;
    dr_grid_point(&job->world->grid, job->block, cell, center_shift, x);
    dr_collider_point solid = nearest_solid(job->world, x);
    double pressure = (double)liquid->pressure[item];
    for (int a = 0; a < 3; a++) pressure -= slope[a] * solid.distance * solid.normal[a];
    for (int a = 0; a < 3; a++) impulse[a] *= job->dt * pressure;
    add_to(job, &solid, x, impulse);
}

// What faces in solids lost towards these when they were given the solid's velocity, and all that the step changed,
// which someone must have got. (11), (13)
static void stop(const measuring *job, int cell)
{
    const dr_liquid *liquid = &job->world->liquid;
    size_t item = job->block * DR_BLOCK_NODES + (size_t)cell;
    for (int a = 0; a < 3; a++) {
        size_t f = 4 * item + (size_t)a;
        double mass = (double)liquid->mass[f], x[3], impulse[3] = {0};
        if (!(mass > 0.0)) continue;
        dr_grid_point(&job->world->grid, job->block, cell, face_shift[a], x);
        impulse[a] = mass * ((double)liquid->predicted[f] - (double)liquid->velocity[f]);
        add(job->row[collider_count(job->world) + 1], x, impulse);
        if (!liquid->constants.has_solids || !(liquid->solids.open_area[f] < 1.0F)) continue;
        double lost = mass * ((double)liquid->result[f] - (double)liquid->velocity[f]);
        if (lost == 0.0) continue;
        dr_collider_point solid = nearest_solid(job->world, x);
        for (int b = 0; b < 3; b++) impulse[b] = lost * solid.normal[a] * solid.normal[b];
        add_to(job, &solid, x, impulse);
    }
}

static void shear(void *user, const double place[3], const double impulse[3])
{
    const measuring *job = user;
    double x[3];
    dr_grid_point(&job->world->grid, job->block, 0, place, x);
    add_to_nearest(job, x, impulse);
}

static void measure_liquid_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    measuring job = begin_chunk(user, begin);
    const dr_liquid *liquid = &job.world->liquid;
    for (job.block = begin; job.block < end; job.block++) {
        bool near = liquid->constants.has_solids && liquid->solids.near[job.block];
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            if (near) press(&job, c);
            stop(&job, c);
        }
        if (!near || !liquid->viscous || liquid->viscosity.number[job.block] < 0) continue;
        size_t own = (size_t)liquid->viscosity.number[job.block];
        dr_traction_block(&liquid->viscosity.multigrid.level[0].strain, own, shear, &job);
    }
}

// Particles that are brought out of a solid lose what they had towards it. Threads visit blocks in pieces of a chunk.
static void knock(void *user, size_t block, int collider, const double x[3], const double impulse[3])
{
    const dr_world *world = user;
    double(*row)[NUMBERS] = world->load.partial + block / CHUNK * (size_t)row_count(world);
    add(row[collider >= 0 ? collider : collider_count(world)], x, impulse);
}

const dr_cut_knocks *dr_load_begin_knocks(dr_world *world)
{
    dr_load_stage *load = &world->load;
    size_t rows = chunk_count(world->grid.block_count) * (size_t)row_count(world);
    if (!load->wanted) return NULL;
    if (rows) memset(load->partial, 0, rows * sizeof *load->partial);
    load->knocks = (dr_cut_knocks){.add = knock, .user = world, .piece = CHUNK};
    return &load->knocks;
}

void dr_load_end_knocks(dr_world *world)
{
    size_t rows = (size_t)row_count(world), count = chunk_count(world->grid.block_count) * rows;
    for (size_t i = 0; world->load.wanted && i < count; i++) {
        for (int k = 0; k < NUMBERS; k++) world->load.sum[i % rows][k] += world->load.partial[i][k];
    }
}

void dr_load_stop(dr_world *world, const double x[3], const double impulse[3])
{
    measuring job = {.world = world, .row = world->load.sum};
    add_to_nearest(&job, x, impulse);
}

// ---- matter on nodes

// Of a node's matter, the share that is on this side of symmetry planes.
static double own_share(const dr_world *world, const double x[3])
{
    const dr_domain_spec *domain = &world->constants.domain;
    double share = 1.0, slack = DR_SCENE_ROUNDING * world->grid.cell;
    for (int side = 0; side < 6; side++) {
        int a = side / 2, kind = side & 1 ? domain->side_max[a] : domain->side_min[a];
        double inside = side & 1 ? domain->max[a] - x[a] : x[a] - domain->min[a];
        if (kind == DR_SIDE_SYMMETRY && inside < slack) share *= inside < -slack ? 0.0 : 0.5;
    }
    return share;
}

static void measure_node_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const double corner_shift[3] = {0, 0, 0};
    measuring job = begin_chunk(user, begin);
    for (job.block = begin; job.block < end; job.block++) {
        const float *after = job.world->node + job.block * NODE_FLOATS;
        const float *before = job.world->load.body + job.block * NODE_FLOATS;
        for (int n = 0; n < DR_BLOCK_NODES; n++, after += 4, before += 4) {
            double x[3], impulse[3];
            if (!(after[0] > 0.0F) || memcmp(after + 1, before + 1, 3 * sizeof *after) == 0) continue;
            dr_grid_point(&job.world->grid, job.block, n, corner_shift, x);
            double mass = own_share(job.world, x) * (double)after[0];
            for (int a = 0; a < 3; a++) impulse[a] = mass * ((double)before[1 + a] - (double)after[1 + a]);
            add_to_nearest(&job, x, impulse);
        }
    }
}

// ---- matter on faces, beside liquid

// What colliders and sides took from a body on a face, and what else it lost in the step. (7), (13)
static void stop_body(const measuring *job, int cell)
{
    const dr_body_stage *bodies = &job->world->bodies;
    size_t item = job->block * DR_BLOCK_NODES + (size_t)cell;
    for (int a = 0; a < 3; a++) {
        size_t f = 4 * item + (size_t)a;
        double mass = (double)bodies->mass[f], x[3], impulse[3] = {0};
        if (!(mass > 0.0)) continue;
        dr_grid_point(&job->world->grid, job->block, cell, face_shift[a], x);
        impulse[a] = (double)bodies->momentum[f] - mass * (double)bodies->velocity[f];
        add(job->row[collider_count(job->world) + 1], x, impulse);
        impulse[a] = (double)job->world->load.body[f];
        if (impulse[a] != 0.0) add_to_nearest(job, x, impulse);
    }
}

static void measure_body_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    measuring job = begin_chunk(user, begin);
    for (job.block = begin; job.block < end; job.block++) {
        for (int c = 0; c < DR_BLOCK_NODES; c++) stop_body(&job, c);
    }
}

static void measure_liquid(dr_world *world, double dt)
{
    const dr_liquid *liquid = &world->liquid;
    int rest = row_count(world) - 1;
    if (liquid->viscous && world->grid.block_count)
        dr_strain_stress(&liquid->viscosity.multigrid.level[0].strain, liquid->viscosity.unknown);
    sum_chunks(world, dt, measure_liquid_blocks);
    if (world->constants.bodies_meet_liquid && body_floats(world)) sum_chunks(world, dt, measure_body_blocks);
    for (int i = 0; i < rest; i++) {
        for (int k = 0; k < NUMBERS; k++) world->load.sum[rest][k] -= world->load.sum[i][k];
    }
}

// ---- strands

static void measure_contacts(dr_world *world)
{
    size_t count;
    const dr_strands *strands = &world->state.strands;
    const dr_contact *contacts = dr_contact_stage_contacts(world->contact.stage, &count);
    dr_contact_impulses(contacts, count, strands->vertices, world->load.contact);
    for (size_t k = 0; k < count; k++) {
        const dr_contact *contact = &contacts[k];
        const double local[3] = {contact->impulse[0] - contact->pull, contact->impulse[1], contact->impulse[2]};
        double impulse[3], x[3];
        if (!dr_contact_is_external(contact) || contact->solid < 0) continue;
        const double *from = strands->position + 3 * (size_t)contact->vertex[0];
        for (int a = 0; a < 3; a++) {
            impulse[a] = 0.0;
            for (int i = 0; i < 3; i++) impulse[a] -= local[i] * contact->frame[3 * i + a];
            x[a] = from[a] + (contact->place[0] > 0.0 ? contact->place[0] * (from[3 + a] - from[a]) : 0.0);
        }
        add(world->load.sum[contact->solid], x, impulse);
    }
}

// Momentum that a vertex has, and what was given to it in the step by others than its neighbours and those who hold it.
static void momentum_of(const dr_world *world, size_t v, double dt, double momentum[3], double given[3])
{
    const dr_strands *strands = &world->state.strands;
    const dr_strand_stage *stage = &world->strands;
    double mass = strands->mass[v];
    for (size_t a = 0; a < 3; a++) {
        momentum[a] = mass * strands->velocity[3 * v + a];
        given[a] = dt * mass * world->constants.gravity[a];
        if (stage->acceleration) given[a] += dt * mass * stage->acceleration[3 * v + a];
        if (stage->impulse) given[a] += stage->impulse[3 * v + a];
        if (world->constants.strands_meet) given[a] += world->load.contact[3 * v + a];
    }
}

// Strands that hang on a collider hand it what they were given and did not keep. before: their momentum is still that
// of the start of the step. (12)
static void measure_roots(dr_world *world, double dt, bool before)
{
    const dr_strands *strands = &world->state.strands;
    for (int s = 0; s < strands->count; s++) {
        int collider = world->constants.strand_kinds[strands->body[s]].collider;
        if (collider < 0) continue;
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            double momentum[3], given[3], impulse[3];
            momentum_of(world, v, dt, momentum, given);
            for (int a = 0; a < 3; a++) impulse[a] = before ? momentum[a] + given[a] : -momentum[a];
            if (!before) dr_film_stage_add_push(world, v, dt, impulse);
            add(world->load.sum[collider], strands->position + 3 * v, impulse);
        }
    }
}

// ---- the step

void dr_load_measure(dr_world *world, double dt)
{
    dr_load_stage *load = &world->load;
    if (!load->wanted) return;
    memset(load->sum, 0, (size_t)row_count(world) * sizeof *load->sum);
    load->dt = dt;
    if (world->constants.has_liquid) measure_liquid(world, dt);
    if (body_floats(world) && !world->constants.bodies_meet_liquid) sum_chunks(world, dt, measure_node_blocks);
    if (world->constants.strands_meet) measure_contacts(world);
    measure_roots(world, dt, true);
}

void dr_load_finish(dr_world *world)
{
    if (world->load.wanted) measure_roots(world, world->load.dt, false);
}

dr_status dr_world_load(const dr_world *world, int solid, const double about[3], dr_load *load, dr_error *error)
{
    static const double origin[3] = {0};
    const dr_load_stage *stage = &world->load;
    int row = solid >= 0 ? solid : collider_count(world) - 1 - solid;
    *load = (dr_load){{0}, {0}};
    if (solid >= collider_count(world) || solid < DR_LOAD_REST)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "there is no collider %d: the scene has %d", solid,
                            collider_count(world));
    if (!stage->wanted) {
        dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "loads were not measured");
        dr_error_hint(error, "create the world with options whose `loads` is true");
        return DR_STATUS_BAD_ARGUMENT;
    }
    if (!(stage->dt > 0.0)) return DR_STATUS_OK; // no step was made
    const double *sum = stage->sum[row], *from = about ? about : origin;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        load->force[a] = sum[LINEAR + a] / stage->dt;
        load->torque[a] = (sum[ANGULAR + a] - from[b] * sum[LINEAR + c] + from[c] * sum[LINEAR + b]) / stage->dt;
    }
    return DR_STATUS_OK;
}
