// The system of the implicit step of cloth: energy at a velocity of the nodes or faces, its slope, products with its
// second derivative, and conjugate residuals with those. docs/theory/codim.md, section 9.
#include "world/cloth_newton.h"
#include "world/tuning.h"

#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHUNK 1024 // elements, vertices
#define GRAIN 64   // blocks of a sum: fixed, so that sums do not depend on the number of threads

typedef dr_cloth_newton solving;

static void take_mesh(solving *job, int i)
{
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    job->tangent = &solve->tangent[i];
    job->force = solve->force[i];
    job->value = solve->value[i];
    job->gradient = solve->gradient[i];
}

static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

// ---- between the grid and meshes

void dr_cloth_system_read(const solving *job, const dr_transfer_places *places, const float *field, float *value,
                          float *gradient)
{
    const dr_world *world = job->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    if (on_faces(world))
        dr_transfer_read_faces(&transfer, &world->grid, &world->par, places, field, value, gradient);
    else
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, places, field, value, gradient);
}

static dr_transfer_places engaged_places(const solving *job, int i)
{
    dr_transfer_places places = dr_transfer_point_places(&job->thin->elements);
    places.residents = &dr_cloth_newton_solve(job)->engaged[i];
    return places;
}

// Lists the elements whose directions across take part, in the order of blocks.
static void list_engaged(const solving *job, int i)
{
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    const dr_residents *all = &job->thin->elements.residents;
    uint32_t *first = solve->engaged_first[i], *index = solve->engaged_index[i], count = 0;
    for (size_t b = 0; b < job->world->grid.block_count; b++) {
        first[b] = count;
        for (size_t k = all->first[b]; k < all->first[b + 1]; k++) {
            size_t e = dr_residents_point(all, k);
            if (job->tangent->engaged[e]) index[count++] = (uint32_t)e;
        }
    }
    first[job->world->grid.block_count] = count;
    solve->engaged[i] = *all;
    solve->engaged[i].first = first;
    solve->engaged[i].index = index;
}

static void place_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_manifold *m = job->thin->mesh;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 3; a++)
            job->tangent->place[3 * v + a] = m->position[3 * v + a] + job->dt * (double)job->value[4 * v + a];
    }
}

static void place_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_manifold *m = job->thin->mesh;
    for (size_t e = begin; e < end; e++) {
        dr_manifold_carry(job->gradient + 9 * e, job->dt, m->direction + 6 * e, job->tangent->across + 6 * e);
        dr_manifold_carry(job->gradient + 9 * e, job->dt, m->direction + 6 * e + 3, job->tangent->across + 6 * e + 3);
    }
    dr_tangent_evaluate(job->tangent, begin, end);
}

// Sums the pulls at vertices; bending is there already.
static void gather_pulls(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_manifold *m = job->thin->mesh;
    const double *slope = dr_cloth_stage_slope(job->world, job->thin);
    for (size_t v = begin; v < end; v++) {
        double sum[3] = {0};
        for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
            const float *pull = job->tangent->pull + 3 * (size_t)m->slot[i];
            for (int a = 0; a < 3; a++) sum[a] += (double)pull[a];
        }
        float *force = job->force + 4 * v, *at = on_faces(job->world) ? force : force + 1;
        force[0] = force[3] = 0.0F;
        for (size_t a = 0; a < 3; a++) at[a] = (float)(job->factor * (sum[a] - (slope ? slope[3 * v + a] : 0.0)));
    }
}

static void give_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    const solving *job = user;
    const dr_residents *engaged = &dr_cloth_newton_solve(job)->engaged[job->thin - job->world->cloth.thin];
    for (size_t i = 0; i < count; i++)
        memcpy(stress[i], job->tangent->stress[dr_residents_point(engaged, first + i)], sizeof *stress);
}

// out = mass times spare
static void weigh_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++) job->out[i] = job->mass[i] * job->a[i];
}

static void weigh(const solving *job, const float *a, float *out)
{
    solving copy = *job;
    copy.a = a;
    copy.out = out;
    dr_cloth_vector_run(&copy, weigh_blocks);
}

static void divide_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    for (size_t k = 4 * begin; k < 4 * end; k++) job->out[k] = job->a[k] >= FLT_MIN ? job->out[k] / job->a[k] : 0.0F;
}

// Values of vertices over the mass around them.
static void divide_by_share(const solving *job, int i, float *value)
{
    solving copy = *job;
    copy.out = value;
    copy.a = dr_cloth_newton_solve(job)->share[i];
    dr_par_for(&job->world->par, job->thin->mesh->vertices, CHUNK, divide_vertices, &copy);
}

// The velocity at vertices. Among liquid light faces beside the cloth must not take its impulses from the heavy ones:
// there faces count by their mass too. (9.7)
void dr_cloth_system_read_vertices(const solving *job, int i, const float *field, float *value)
{
    dr_transfer_places places = dr_transfer_point_places(&job->thin->vertices);
    if (!on_faces(job->world)) {
        dr_cloth_system_read(job, &places, field, value, NULL);
        return;
    }
    float *spare = dr_cloth_newton_vector(job, DR_NEWTON_SPARE);
    weigh(job, field, spare);
    dr_cloth_system_read(job, &places, spare, value, NULL);
    divide_by_share(job, i, value);
}

// Its transpose: forces of vertices, added to those of other meshes.
static void spread_vertices(const solving *job, int i, bool add, float *out)
{
    const dr_world *world = job->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_places places = dr_transfer_point_places(&job->thin->vertices);
    const float *const value[2] = {job->force, NULL};
    float *const face[2] = {out, NULL};
    transfer.add = add;
    if (!on_faces(world)) {
        dr_transfer_spread_nodes(&transfer, &world->grid, &world->par, &places, job->force, out);
        return;
    }
    divide_by_share(job, i, job->force);
    dr_transfer_spread_quads(&transfer, &world->grid, &world->par, &places, value, face);
}

static void spread_stress(const solving *job, int i, double factor, float *out)
{
    const dr_world *world = job->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_load load = {.places = engaged_places(job, i), .dt = factor, .stress = give_stress, .user = job};
    transfer.add = true;
    if (on_faces(world))
        dr_transfer_load_faces(&transfer, &world->grid, &world->par, &load,
                               dr_cloth_newton_vector(job, DR_NEWTON_SPARE), out);
    else
        dr_transfer_load_nodes(&transfer, &world->grid, &world->par, &load, out);
}

bool dr_cloth_system_take(solving *job, int i)
{
    job->thin = &job->world->cloth.thin[i];
    if (!dr_thin_is_present(job->thin)) return false;
    take_mesh(job, i);
    return true;
}

// out = factor times the forces of the meshes, or what became of them.
static void spread_forces(const solving *shared, double factor, float *out)
{
    dr_world *world = shared->world;
    solving job = *shared;
    float *to = on_faces(world) ? dr_cloth_newton_vector(&job, DR_NEWTON_SPARE) : out;
    bool add = false;
    job.factor = factor;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, gather_pulls, &job);
        dr_cloth_hold_set(world, i, job.force, 0.0);
        spread_vertices(&job, i, add, to);
        add = true;
    }
    if (on_faces(world)) weigh(&job, to, out);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (dr_cloth_system_take(&job, i)) spread_stress(&job, i, factor, out);
    }
}

// ---- energy and its derivatives

static double bend_energy(dr_world *world, const double *place)
{
    dr_cloth_stage *stage = &world->cloth;
    double sum = 0.0;
    if (stage->bend_count > 0)
        memset(stage->bend_slope, 0, 3 * world->state.cloth.vertices * sizeof *stage->bend_slope);
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *bend = &stage->bends[i];
        const double *x = place + 3 * bend->first;
        sum += dr_bending_energy(&bend->bending, &world->par, x);
        dr_bending_gradient_again(&bend->bending, &world->par, stage->bend_slope + 3 * bend->first);
    }
    return sum;
}

// Kinetic energy of the difference to the free motion, and what friction loses.
static void difference_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t n = begin * DR_NEWTON_FLOATS; n < end * DR_NEWTON_FLOATS; n += 4) {
        dr_double4 one = dr_double4_from(dr_float4_load(job->a + n)) - dr_double4_from(dr_float4_load(job->b + n));
        sum += dr_double4_from(dr_float4_load(job->mass + n)) * one * one;
    }
    dr_cloth_newton_solve(job)->partial[begin / GRAIN] = dr_double4_total(sum);
}

double dr_cloth_system_inertia(const solving *job)
{
    solving copy = *job;
    copy.a = job->v;
    copy.b = dr_cloth_newton_vector(job, DR_NEWTON_START);
    dr_cloth_vector_run(&copy, difference_blocks);
    return 0.5 * dr_cloth_vector_sum(&copy) + dr_cloth_wall_energy(job->world, copy.a);
}

// Trial places, energy and forces at the velocity of the nodes.
double dr_cloth_system_evaluate(const solving *shared)
{
    dr_world *world = shared->world;
    double sum = 0.0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places elements = dr_transfer_point_places(&job.thin->elements);
        dr_cloth_system_read_vertices(&job, i, job.v, job.value);
        dr_cloth_hold_set(world, i, job.value, job.dt);
        dr_cloth_system_read(&job, &elements, job.v, NULL, job.gradient);
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, place_vertices, &job);
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, place_elements, &job);
        list_engaged(&job, i);
        memcpy(dr_cloth_newton_solve(&job)->partial, job.tangent->energy, job.thin->mesh->elements * sizeof(double));
        sum += dr_par_sum(dr_cloth_newton_solve(&job)->partial, job.thin->mesh->elements);
        sum +=
            i == DR_THIN_CLOTH ? bend_energy(world, job.tangent->place) : dr_cloth_rods_look(world, job.tangent->place);
    }
    dr_cloth_newton_solve(shared)->energy = sum;
    return sum + dr_cloth_system_inertia(shared);
}

// The derivative of the energy by v, with what walls give in it.
void dr_cloth_system_slope(const solving *job)
{
    float *slope = dr_cloth_newton_vector(job, DR_NEWTON_SLOPE);
    spread_forces(job, -job->dt, slope);
    dr_cloth_vector_add_inertia(job, slope, job->v, dr_cloth_newton_vector(job, DR_NEWTON_START));
}

static void build_batches(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_build(((const solving *)user)->tangent, begin, end);
}

void dr_cloth_system_linearise(const solving *shared)
{
    dr_world *world = shared->world;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_par_for(&world->par, dr_tangent_batches(job.thin->mesh), CHUNK / DR_TANGENT_LANES, build_batches, &job);
    }
    for (int i = 0; i < world->cloth.bend_count; i++) {
        dr_cloth_bend *bend = &world->cloth.bends[i];
        dr_bending_linearise(&bend->bending, &world->par,
                             dr_cloth_newton_solve(shared)->tangent[DR_THIN_CLOTH].place + 3 * bend->first);
    }
    dr_cloth_rods_linearise(world);
}

static void apply_batches(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_tangent_apply(job->tangent, begin, end, job->value, job->gradient);
}

// out = (M + dt^2 K) a
void dr_cloth_system_multiply(const solving *shared, const float *a, float *out)
{
    dr_world *world = shared->world;
    dr_cloth_stage *stage = &world->cloth;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &stage->thin[i];
        if (!dr_thin_is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places few = engaged_places(&job, i);
        dr_cloth_system_read_vertices(&job, i, a, job.value);
        dr_cloth_hold_set(world, i, job.value, 0.0);
        dr_cloth_system_read(&job, &few, a, NULL, job.gradient);
        dr_par_for(&world->par, dr_tangent_batches(job.thin->mesh), CHUNK / DR_TANGENT_LANES, apply_batches, &job);
    }
    if (stage->bend_count > 0) memset(stage->bend_slope, 0, 3 * world->state.cloth.vertices * sizeof(double));
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *bend = &stage->bends[i];
        dr_bending_apply(&bend->bending, &world->par, stage->solve.value[DR_THIN_CLOTH] + 4 * bend->first,
                         stage->bend_slope + 3 * bend->first);
    }
    dr_cloth_rods_apply(world, stage->solve.value[DR_THIN_YARN]);
    spread_forces(shared, -shared->dt * shared->dt, out);
    dr_cloth_vector_add_inertia(shared, out, a, NULL);
    dr_cloth_wall_multiply(world, a, out);
}

// ---- conjugate residuals

// p = z + beta p, q = image + beta q
static void turn_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    float beta = (float)job->factor;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++) {
        job->out[i] = job->a[i] + beta * job->out[i];
        job->other[i] = job->b[i] + beta * job->other[i];
    }
}

// step += alpha search, rest -= alpha scaled, and the mass of what is left, in one walk through memory.
static void advance_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_float4 alpha = dr_float4_all((float)job->factor);
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i += 4) {
        dr_float4 step = dr_float4_load(job->out + i) + alpha * dr_float4_load(job->a + i);
        dr_float4 rest = dr_float4_load(job->other + i) - alpha * dr_float4_load(job->b + i);
        dr_double4 wide = dr_double4_from(rest);
        dr_float4_store(job->out + i, step);
        dr_float4_store(job->other + i, rest);
        sum += dr_double4_from(dr_float4_load(job->mass + i)) * (wide * wide);
    }
    dr_cloth_newton_solve(job)->partial[begin / GRAIN] = dr_double4_total(sum);
}

static double advance(const solving *job, double alpha)
{
    solving copy = *job;
    copy.factor = alpha;
    copy.a = dr_cloth_newton_vector(job, DR_NEWTON_SEARCH);
    copy.b = dr_cloth_newton_vector(job, DR_NEWTON_SCALED);
    copy.out = dr_cloth_newton_vector(job, DR_NEWTON_STEP);
    copy.other = dr_cloth_newton_vector(job, DR_NEWTON_REST);
    dr_cloth_vector_run(&copy, advance_blocks);
    return dr_cloth_vector_sum(&copy);
}

// STEP becomes dv with |slope + A dv| <= share |slope|; less where the curvature is not positive. Returns how often A
// was applied.
int dr_cloth_system_solve(const solving *job, double share)
{
    size_t floats = job->world->grid.block_count * DR_NEWTON_FLOATS;
    float *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP), *rest = dr_cloth_newton_vector(job, DR_NEWTON_REST),
          *search = dr_cloth_newton_vector(job, DR_NEWTON_SEARCH);
    float *image = dr_cloth_newton_vector(job, DR_NEWTON_IMAGE),
          *turned = dr_cloth_newton_vector(job, DR_NEWTON_TURNED),
          *scaled = dr_cloth_newton_vector(job, DR_NEWTON_SCALED);
    memset(step, 0, floats * sizeof *step);
    dr_cloth_vector_precondition(job, dr_cloth_newton_vector(job, DR_NEWTON_SLOPE), -1.0, rest);
    memcpy(search, rest, floats * sizeof *rest);
    dr_cloth_system_multiply(job, rest, image);
    memcpy(turned, image, floats * sizeof *image);
    double first = dr_cloth_vector_dot(job, rest, rest, true), rho = dr_cloth_vector_dot(job, rest, image, false);
    int count = 1;
    for (;; count++) {
        dr_cloth_vector_precondition(job, turned, 1.0, scaled);
        double size = dr_cloth_vector_dot(job, turned, scaled, false),
               curve = dr_cloth_vector_dot(job, search, turned, false);
        if (!(rho > 0.0) || !(size > 0.0) || !(curve > 0.0)) break;
        double left = advance(job, rho / size);
        if (!(left > share * share * first) || count >= DR_CLOTH_INNER) return count;
        dr_cloth_system_multiply(job, rest, image);
        double next = dr_cloth_vector_dot(job, rest, image, false);
        solving turn = *job;
        turn.a = rest;
        turn.b = image;
        turn.out = search;
        turn.other = turned;
        turn.factor = next / rho;
        dr_cloth_vector_run(&turn, turn_blocks);
        rho = next;
    }
    if (count == 1) memcpy(step, rest, floats * sizeof *rest); // downhill is all that is known
    return count;
}
