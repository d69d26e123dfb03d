// The system of the implicit step of cloth: energy at a velocity of the nodes or faces, its slope, products with its
// second derivative, and conjugate residuals with those. docs/theory/codim.md, section 9.
#include "world/cloth_newton.h"
#include "world/tuning.h"

#include "base/clock.h"
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

typedef struct listing {
    const dr_tangent *tangent;
    const dr_residents *all;
    uint32_t *first, *index;
} listing;

static void count_engaged(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    for (size_t b = begin; b < end; b++) {
        uint32_t count = 0;
        for (size_t k = job->all->first[b]; k < job->all->first[b + 1]; k++)
            count += job->tangent->engaged[dr_residents_point(job->all, k)] != 0;
        job->first[b] = count;
    }
}

static void write_engaged(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    for (size_t b = begin; b < end; b++) {
        uint32_t count = job->first[b];
        for (size_t k = job->all->first[b]; k < job->all->first[b + 1]; k++) {
            size_t e = dr_residents_point(job->all, k);
            job->tangent->rank[e] = job->tangent->engaged[e] ? count : DR_TANGENT_NONE;
            if (job->tangent->engaged[e]) job->index[count++] = (uint32_t)e;
        }
    }
}

// Lists the elements whose directions across take part, in the order of blocks.
static void list_engaged(const solving *job, int i)
{
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    const dr_world *world = job->world;
    listing list = {job->tangent, &job->thin->elements.residents, solve->engaged_first[i], solve->engaged_index[i]};
    uint32_t count = 0;
    dr_par_for(&world->par, world->grid.block_count, GRAIN, count_engaged, &list);
    for (size_t b = 0; b < world->grid.block_count; b++) {
        uint32_t here = list.first[b];
        list.first[b] = count;
        count += here;
    }
    list.first[world->grid.block_count] = count;
    dr_par_for(&world->par, world->grid.block_count, GRAIN, write_engaged, &list);
    solve->engaged[i] = *list.all;
    solve->engaged[i].first = list.first;
    solve->engaged[i].index = list.index;
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
        const double *d = dr_manifold_across(m, e);
        double *across = job->tangent->across + 6 * e;
        for (size_t k = 0; k < 3 * dr_tangent_turns(m); k += 3)
            dr_manifold_carry(job->gradient + 9 * e, job->dt, d + k, across + k);
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
        float *force = job->force + 4 * v;
        force[3] = 0.0F;
        for (size_t a = 0; a < 3; a++) force[a] = (float)(job->factor * (sum[a] - (slope ? slope[3 * v + a] : 0.0)));
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
        dr_cloth_point_look(job, field);
        dr_cloth_point_read_vertices(job, i, value);
        return;
    }
    float *spare = dr_cloth_newton_vector(job, DR_NEWTON_SPARE);
    weigh(job, field, spare);
    dr_cloth_system_read(job, &places, spare, value, NULL);
    divide_by_share(job, i, value);
}

// Its transpose on faces: forces of vertices, added to those of other meshes.
static void spread_to_faces(const solving *job, int i, bool add, float *out)
{
    const dr_world *world = job->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_places places = dr_transfer_point_places(&job->thin->vertices);
    const float *const value[2] = {job->force, NULL};
    float *const face[2] = {out, NULL};
    transfer.add = add;
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

// What the forces of vertices that are in the solve's arrays do to faces.
static void spread_all_to_faces(const solving *shared, float *out)
{
    solving job = *shared;
    float *spare = dr_cloth_newton_vector(&job, DR_NEWTON_SPARE);
    bool add = false;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_cloth_hold_set(job.world, i, job.force, 0.0);
        spread_to_faces(&job, i, add, spare);
        add = true;
    }
    weigh(&job, spare, out);
}

// The same with stresses, times a factor, on nodes or faces; on nodes with the inertia.
static void spread_all(const solving *shared, double factor, float *out)
{
    solving job = *shared;
    if (on_faces(job.world))
        spread_all_to_faces(shared, out);
    else
        dr_cloth_point_write_slope(shared, out);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (dr_cloth_system_take(&job, i)) spread_stress(&job, i, factor, out);
    }
}

// out = factor times the forces of the meshes.
static void spread_forces(const solving *shared, double factor, float *out)
{
    solving job = *shared;
    job.factor = factor;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (dr_cloth_system_take(&job, i))
            dr_par_for(&job.world->par, job.thin->mesh->vertices, CHUNK, gather_pulls, &job);
    }
    spread_all(shared, factor, out);
}

// ---- between the grid and points

static void take_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    memcpy(job->force + 4 * begin, job->a + 4 * begin, 4 * (end - begin) * sizeof(float));
}

static void take_turns(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const uint32_t *list = dr_cloth_newton_solve(job)->engaged_index[job->thin - job->world->cloth.thin];
    size_t turns = dr_tangent_turns(job->thin->mesh);
    for (size_t n = begin; n < end; n++) {
        const double *d = dr_manifold_across(job->thin->mesh, list[n]);
        const float *turn = job->b + 4 * turns * n;
        for (size_t i = 0; i < 9; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < turns; k++) sum += (double)turn[4 * k + i / 3] * d[3 * k + i % 3];
            job->tangent->stress[list[n]][i] = (float)sum;
        }
    }
}

static size_t engaged_count(const solving *job, int i)
{
    return dr_cloth_newton_solve(job)->engaged_first[i][job->world->grid.block_count];
}

void dr_cloth_system_spread_points(const solving *shared, const float *point, float *out)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    solving job = *shared;
    if (!on_faces(job.world)) {
        dr_cloth_point_spread(shared, point, out);
        return;
    }
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        job.a = point + 4 * solve->vertex_at[i];
        job.b = point + 4 * solve->turn_at[i];
        dr_par_for(&job.world->par, job.thin->mesh->vertices, CHUNK, take_points, &job);
        dr_par_for(&job.world->par, engaged_count(&job, i), CHUNK, take_turns, &job);
    }
    spread_all(shared, -1.0, out);
}

static void give_turns(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const uint32_t *list = dr_cloth_newton_solve(job)->engaged_index[job->thin - job->world->cloth.thin];
    size_t turns = dr_tangent_turns(job->thin->mesh);
    for (size_t n = turns * begin; n < turns * end; n++) {
        size_t e = list[n / turns];
        const double *d = dr_manifold_across(job->thin->mesh, e) + 3 * (n % turns);
        for (size_t a = 0; a < 3; a++) {
            const float *row = job->gradient + 9 * e + 3 * a;
            job->out[4 * n + a] = (float)((double)row[0] * d[0] + (double)row[1] * d[1] + (double)row[2] * d[2]);
        }
        job->out[4 * n + 3] = 0.0F;
    }
}

static void read_points_on_faces(const solving *shared, const float *field, float *point)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    solving job = *shared;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_transfer_places few = engaged_places(&job, i);
        float *value = point + 4 * solve->vertex_at[i];
        dr_cloth_system_read_vertices(&job, i, field, value);
        dr_cloth_hold_set(job.world, i, value, 0.0);
        dr_cloth_system_read(&job, &few, field, NULL, job.gradient);
        job.out = point + 4 * solve->turn_at[i];
        dr_par_for(&job.world->par, engaged_count(&job, i), CHUNK, give_turns, &job);
    }
}

void dr_cloth_system_read_points(const solving *shared, const float *field, float *point)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    if (on_faces(shared->world)) {
        read_points_on_faces(shared, field, point);
        return;
    }
    dr_cloth_point_look(shared, field);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_thin_is_present(&shared->world->cloth.thin[i])) continue;
        dr_cloth_point_read_vertices(shared, i, point + 4 * solve->vertex_at[i]);
        dr_cloth_point_read_turns(shared, i, point + 4 * solve->turn_at[i]);
    }
}

// ---- energy and its derivatives

static double bend_energy(dr_world *world, const double *place)
{
    dr_cloth_stage *stage = &world->cloth;
    double sum = 0.0;
    if (stage->bend_count > 0)
        dr_par_clear(&world->par, stage->bend_slope, 3 * world->state.cloth.vertices * sizeof *stage->bend_slope);
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
        sum += dr_par_total(&world->par, job.tangent->energy, job.thin->mesh->elements);
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
    if (on_faces(job->world))
        dr_cloth_vector_add_inertia(job, slope, job->v, dr_cloth_newton_vector(job, DR_NEWTON_START));
}

static void build_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_build(((const solving *)user)->tangent, begin, end);
}

static void assemble_rows(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_assemble(((const solving *)user)->tangent, begin, end);
}

bool dr_cloth_system_linearise(const solving *shared)
{
    dr_world *world = shared->world;
    solving job = *shared;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, build_elements, &job);
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, assemble_rows, &job);
    }
    for (int i = 0; i < world->cloth.bend_count; i++) {
        dr_cloth_bend *bend = &world->cloth.bends[i];
        const double *place = dr_cloth_newton_solve(&job)->tangent[DR_THIN_CLOTH].place;
        dr_bending_narrow(&bend->bending, &world->par, place + 3 * bend->first); // which were last looked at
    }
    dr_cloth_rods_linearise(world);
    return dr_cloth_point_reserve(shared);
}

// ---- conjugate residuals
//
// A vector r of the grid is k b + W^T x, b the right side: k is a number, x a vector of points. With y = W M^-1 r,
//   r.M^-1 r = k (k b.M^-1 b + y_b.x) + x.y and A M^-1 r = k b + W^T (x + dt^2 K y).
// So all of it happens at points, and the grid is between W and W^T alone.

typedef struct residuals {
    double size;                      // b.M^-1 b
    double rest, search, image, step; // k of them
} residuals;

static void begin_alone(const solving *job, residuals *k, double *left)
{
    const dr_par *par = &job->world->par;
    size_t bytes = 4 * dr_cloth_newton_solve(job)->points * sizeof(float);
    float *rest = dr_cloth_point_vector(job, DR_POINT_REST), *value = dr_cloth_point_vector(job, DR_POINT_VALUE);
    dr_par_clear(par, dr_cloth_point_vector(job, DR_POINT_STEP), bytes);
    dr_par_clear(par, dr_cloth_point_vector(job, DR_POINT_SEARCH), bytes);
    dr_par_clear(par, dr_cloth_point_vector(job, DR_POINT_IMAGE), bytes);
    dr_cloth_point_multiply(job, dr_cloth_point_vector(job, DR_POINT_FIRST), rest);
    dr_cloth_point_negate(job, rest);
    dr_cloth_point_inverse(job, rest, value);
    *left = dr_cloth_point_dot(job, rest, value);
    *k = (residuals){.size = k->size, .step = 1.0};
}

// REST, VALUE, SEARCH, IMAGE and STEP of the start; SCALED: dt^2 K of VALUE.
static void begin_residuals(const solving *job, bool alone, residuals *k, double *left)
{
    float *scaled = dr_cloth_point_vector(job, DR_POINT_SCALED);
    if (alone) {
        begin_alone(job, k, left);
        dr_cloth_point_multiply(job, dr_cloth_point_vector(job, DR_POINT_VALUE), scaled);
        dr_cloth_point_turn(job, 0.0);
    } else {
        dr_cloth_point_multiply(job, dr_cloth_point_vector(job, DR_POINT_FIRST), scaled);
        dr_cloth_point_begin(job);
        *k = (residuals){.size = k->size, .rest = 1.0, .search = 1.0, .image = 1.0};
        *left = k->size;
    }
}

// One iteration; gives what is left, or a negative number where the curvature is not positive. rho: r.M^-1 A M^-1 r.
static double iterate(const solving *job, residuals *k, double *rho)
{
    float *image = dr_cloth_point_vector(job, DR_POINT_IMAGE), *scaled = dr_cloth_point_vector(job, DR_POINT_SCALED);
    double sums[2];
    dr_cloth_point_inverse(job, image, scaled);
    dr_cloth_point_dot_image(job, sums);
    double size = k->image * (k->image * k->size + 2.0 * sums[1]) + sums[0];
    if (!(*rho > 0.0) || !(size > 0.0)) return -1.0;
    double alpha = *rho / size;
    dr_cloth_point_advance(job, alpha, k->image, sums);
    k->step += alpha * k->search;
    k->rest -= alpha * k->image;
    return k->rest * (k->rest * k->size + sums[1]) + sums[0];
}

static void turn(const solving *job, residuals *k, double left, double *rho)
{
    float *value = dr_cloth_point_vector(job, DR_POINT_VALUE), *scaled = dr_cloth_point_vector(job, DR_POINT_SCALED);
    dr_cloth_point_multiply(job, value, scaled);
    double next = left + dr_cloth_point_dot(job, value, scaled), beta = next / *rho;
    dr_cloth_point_turn(job, beta);
    k->search = k->rest + beta * k->search;
    k->image = k->rest + beta * k->image;
    *rho = next;
}

int dr_cloth_system_solve(const solving *job, double share, bool alone)
{
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    const float *slope = dr_cloth_newton_vector(job, DR_NEWTON_SLOPE);
    float *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP);
    double begin = dr_clock_cpu(), left;
    residuals k = {.size = -dr_cloth_vector_divide(job, slope, -1.0, step)};
    dr_cloth_system_read_points(job, step, dr_cloth_point_vector(job, DR_POINT_FIRST));
    begin_residuals(job, alone, &k, &left);
    double rho = left + dr_cloth_point_dot(job, dr_cloth_point_vector(job, DR_POINT_VALUE),
                                           dr_cloth_point_vector(job, DR_POINT_SCALED));
    double goal = share * share * left;
    int count = alone ? 2 : 1;
    for (;; count++) {
        left = iterate(job, &k, &rho);
        if (!(left > goal) || count >= DR_CLOTH_INNER) break;
        turn(job, &k, left, &rho);
    }
    bool any = k.step != 0.0 || alone; // otherwise downhill is all that is known
    if (any) dr_cloth_point_move(job, dr_cloth_point_vector(job, DR_POINT_STEP), k.step, step); // which was M^-1 slope
    solve->seconds += dr_clock_cpu() - begin;
    return count;
}
