// Backward Euler of thin matter on the grid's nodes, or with liquid on its faces: the velocity v that makes
//   sum m/2 |v - v*|^2 + Phi(x + dt v)
// least, with plasticity lagged, held vertices and walls as constraints. Newton's method; each of its systems
// (M + dt^2 K) dv = -g by conjugate residuals with the masses as preconditioner, in the space that walls leave; a line
// search on the energy. Held vertices are where they will be, whatever the grid does, and pull on nothing.
// docs/theory/codim.md, section 9.
#include "world/cloth_newton.h"

#include "math/simd.h"
#include "math/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHUNK 1024 // elements, vertices
#define GRAIN 64   // blocks of a sum: fixed, so that sums do not depend on the number of threads

// Newton ends where the residual is this share of that of the free motion. Half: one iteration more now and then;
// twice: drapes creep by a thousandth.
#define TOLERANCE 1e-3
// Under the pressure of liquid: the same. Half: a few products more; ten times: heavy liquid stretches stiff cloth.
#define PRESSED 1e-4
// What float leaves of a velocity, in cells per step.
#define NOISE 1e-6
// Newton's systems are solved to this share of their right side; it falls with the residual. Half: more inner, fewer
// outer iterations.
#define FORCING 0.1
#define NEWTONS 20
#define INNER   300
#define HALVES  8

typedef dr_cloth_newton solving;

static dr_cloth_solve *solve_of(const solving *job)
{
    return &job->world->cloth.solve;
}

static float *vector_of(const solving *job, int which)
{
    return dr_cloth_newton_vector(job, which);
}

static bool is_present(const dr_thin *thin)
{
    return thin->mesh && thin->mesh->elements > 0;
}

static void take_mesh(solving *job, int i)
{
    dr_cloth_solve *solve = solve_of(job);
    job->tangent = &solve->tangent[i];
    job->force = solve->force[i];
    job->value = solve->value[i];
    job->gradient = solve->gradient[i];
}

// ---- memory

static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

bool dr_cloth_implicit_able(const dr_world *world)
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int a = 0; a < 3; a++) {
        if (domain->side_min[a] == DR_SIDE_SYMMETRY || domain->side_max[a] == DR_SIDE_SYMMETRY) return false;
    }
    return world->constants.transfer.kernel != DR_KERNEL_LINEAR;
}

static bool is_wanted(const dr_world *world)
{
    return world->constants.time.integrator != DR_STEPPING_EXPLICIT && dr_cloth_implicit_able(world);
}

// What an implicit step costs, in explicit ones, counted on hanging cotton and on cotton on a ball at 20, 100 and 480
// times the limit: Newton iterations, each with its evaluations and matrices, and products with those. Walls and
// friction take twice the iterations. Half of a cost: implicit from half the ratio on.
#define COST_NEWTON  3.0
#define COST_PRODUCT 0.4
#define WALLS_NEWTON 2.0

// Among liquid cloth is solved before and after the pressure, and answers it.
#define COST_WET 2.5
// A particle of liquid costs as many vertices or elements in every step. Half: explicit up to some steps more.
#define COST_LIQUID 4.0

// Steps end at this share of the time in which a thing falls by a cell, or backward Euler would take
// the swing out of cloth: one that swings freely by g h loses a third of its energy in ten radians. Half: half of that.
#define CALM 0.1

static bool any_walls(const dr_world *world)
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int a = 0; a < 3; a++) {
        if (domain->min[a] > -DR_UNBOUNDED && domain->side_min[a] != DR_SIDE_PERIODIC) return true;
        if (domain->max[a] < DR_UNBOUNDED && domain->side_max[a] != DR_SIDE_PERIODIC) return true;
    }
    return dr_collider_set_count(world->constants.colliders) > 0;
}

// Newton iterations and products of a step that replaces so many explicit ones.
static double cost_of(const dr_world *world, double steps)
{
    double newtons = (1.5 + 0.33 * log(steps)) * (any_walls(world) ? WALLS_NEWTON : 1.0);
    double products = fmin(0.7 * steps, 7.0 * sqrt(steps)), once = COST_NEWTON * newtons + COST_PRODUCT * products;
    return on_faces(world) ? COST_WET * once : once;
}

static double thin_points(const dr_world *world)
{
    const dr_manifold *cloth = &world->state.cloth, *yarn = &world->state.yarn;
    return (double)(cloth->vertices + cloth->elements + yarn->vertices + yarn->elements);
}

double dr_cloth_implicit_longest(const dr_world *world)
{
    double g = dr_vec3_length(world->constants.gravity);
    return g > 0.0 ? CALM * sqrt(world->grid.cell / g) : INFINITY;
}

bool dr_cloth_implicit_choose(const dr_world *world, double longest, double stable)
{
    const dr_time_spec *time = &world->constants.time;
    if (!is_wanted(world) || time->integrator == DR_STEPPING_IMPLICIT) return is_wanted(world);
    double steps = fmin(fmin(longest, dr_cloth_implicit_longest(world)) / stable, time->implicit_reach);
    double rest = COST_LIQUID * (double)world->state.liquid.count / thin_points(world);
    return steps > 1.0 && (steps - 1.0) * (1.0 + rest) > cost_of(world, steps);
}

bool dr_cloth_implicit_open(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    for (int i = 0; i < DR_THIN_COUNT && is_wanted(world); i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!is_present(thin)) continue;
        solve->force[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->value[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->share[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->gradient[i] = dr_memory_alloc(world->allocator, 9 * thin->mesh->elements * sizeof(float));
        solve->engaged_index[i] = dr_memory_alloc(world->allocator, thin->mesh->elements * sizeof(uint32_t));
        if (!solve->force[i] || !solve->value[i] || !solve->share[i] || !solve->gradient[i] ||
            !solve->engaged_index[i] || !dr_tangent_open(&solve->tangent[i], thin->mesh, world->allocator))
            return false;
    }
    return true;
}

void dr_cloth_implicit_close(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    const dr_allocator *allocator = world->allocator;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        size_t vertices = thin->mesh ? thin->mesh->vertices : 0, elements = thin->mesh ? thin->mesh->elements : 0;
        if (solve->force[i]) dr_memory_free(allocator, solve->force[i], 4 * vertices * sizeof(float));
        if (solve->value[i]) dr_memory_free(allocator, solve->value[i], 4 * vertices * sizeof(float));
        if (solve->share[i]) dr_memory_free(allocator, solve->share[i], 4 * vertices * sizeof(float));
        if (solve->gradient[i]) dr_memory_free(allocator, solve->gradient[i], 9 * elements * sizeof(float));
        if (solve->engaged_index[i]) dr_memory_free(allocator, solve->engaged_index[i], elements * sizeof(uint32_t));
        dr_memory_free(allocator, solve->engaged_first[i], solve->engaged_capacity[i] * sizeof(uint32_t));
        dr_tangent_close(&solve->tangent[i], allocator);
    }
    dr_memory_free(allocator, solve->node, solve->node_capacity * sizeof *solve->node);
    dr_memory_free(allocator, solve->partial, solve->partial_capacity * sizeof *solve->partial);
    dr_memory_free(allocator, solve->walls, solve->wall_capacity * sizeof *solve->walls);
    dr_memory_free(allocator, solve->wall_of, solve->wall_of_capacity * sizeof *solve->wall_of);
    *solve = (dr_cloth_solve){0};
}

bool dr_cloth_implicit_reserve(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    size_t blocks = world->grid.block_count, most = blocks;
    if (!is_wanted(world)) return true;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!is_present(thin)) continue;
        if (thin->mesh->elements > most) most = thin->mesh->elements;
        if (!dr_memory_reserve(world->allocator, (void **)&solve->engaged_first[i], &solve->engaged_capacity[i],
                               blocks + 1, sizeof(uint32_t)))
            return false;
    }
    return dr_memory_reserve(world->allocator, (void **)&solve->node, &solve->node_capacity,
                             (on_faces(world) ? DR_NEWTON_VECTORS : DR_NEWTON_NODE_VECTORS) * blocks * DR_NEWTON_FLOATS,
                             sizeof *solve->node) &&
           dr_memory_reserve(world->allocator, (void **)&solve->partial, &solve->partial_capacity, most,
                             sizeof *solve->partial);
}

// ---- vectors on nodes

static void run_blocks(const solving *job, dr_par_body body)
{
    solving copy = *job;
    dr_par_for(&job->world->par, job->world->grid.block_count, GRAIN, body, &copy);
}

static double sum_partials(const solving *job)
{
    return dr_par_sum(solve_of(job)->partial, (job->world->grid.block_count + GRAIN - 1) / GRAIN);
}

// The sum over items of m^power a.b.
static double add_items(const float *mass, const float *a, const float *b, size_t begin, size_t end)
{
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t n = begin; n < end; n += 4) {
        dr_double4 one = dr_double4_from(dr_float4_load(a + n)) * dr_double4_from(dr_float4_load(b + n));
        sum += mass ? dr_double4_from(dr_float4_load(mass + n)) * one : one;
    }
    return dr_double4_total(sum);
}

static void dot_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    solve_of(job)->partial[begin / GRAIN] = add_items(job->factor != 0.0 ? job->mass : NULL, job->a, job->b,
                                                      begin * DR_NEWTON_FLOATS, end * DR_NEWTON_FLOATS);
}

static double dot(const solving *job, const float *a, const float *b, bool weighted)
{
    solving copy = *job;
    copy.a = a;
    copy.b = b;
    copy.factor = weighted ? 1.0 : 0.0;
    run_blocks(&copy, dot_blocks);
    return sum_partials(&copy);
}

// out += factor a
static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    float factor = (float)job->factor;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++) job->out[i] += factor * job->a[i];
}

static void add(const solving *job, float *out, double factor, const float *a)
{
    solving copy = *job;
    copy.out = out;
    copy.a = a;
    copy.factor = factor;
    run_blocks(&copy, add_blocks);
}

// out = factor M^-1 a
static void divide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    float factor = (float)job->factor;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++)
        job->out[i] = job->mass[i] < FLT_MIN ? 0.0F : factor / job->mass[i] * job->a[i];
}

// out = P M^-1 a, with what constraints leave of it
static void precondition(const solving *job, const float *a, double factor, float *out)
{
    solving copy = *job;
    copy.a = a;
    copy.out = out;
    copy.factor = factor;
    run_blocks(&copy, divide_blocks);
    dr_cloth_wall_project_all(job->world, out);
}

// out += m (a - b); where b is NULL, m a
static void add_inertia_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++)
        job->out[i] += job->mass[i] * (job->b ? job->a[i] - job->b[i] : job->a[i]);
}

static void add_inertia(const solving *job, float *out, const float *a, const float *b)
{
    solving copy = *job;
    copy.out = out;
    copy.a = a;
    copy.b = b;
    run_blocks(&copy, add_inertia_blocks);
}

// ---- between the grid and meshes

static void read_field(const solving *job, const dr_transfer_places *places, const float *field, float *value,
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
    places.residents = &solve_of(job)->engaged[i];
    return places;
}

// Lists the elements whose directions across take part, in the order of blocks.
static void list_engaged(const solving *job, int i)
{
    dr_cloth_solve *solve = solve_of(job);
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
    const dr_residents *engaged = &solve_of(job)->engaged[job->thin - job->world->cloth.thin];
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
    run_blocks(&copy, weigh_blocks);
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
    copy.a = solve_of(job)->share[i];
    dr_par_for(&job->world->par, job->thin->mesh->vertices, CHUNK, divide_vertices, &copy);
}

// The velocity at vertices. Among liquid light faces beside the cloth must not take its impulses from the heavy ones:
// there faces count by their mass too. (9.7)
static void read_vertices(const solving *job, int i, const float *field, float *value)
{
    dr_transfer_places places = dr_transfer_point_places(&job->thin->vertices);
    if (!on_faces(job->world)) {
        read_field(job, &places, field, value, NULL);
        return;
    }
    float *spare = vector_of(job, DR_NEWTON_SPARE);
    weigh(job, field, spare);
    read_field(job, &places, spare, value, NULL);
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
        dr_transfer_load_faces(&transfer, &world->grid, &world->par, &load, vector_of(job, DR_NEWTON_SPARE), out);
    else
        dr_transfer_load_nodes(&transfer, &world->grid, &world->par, &load, out);
}

static bool take_thin(solving *job, int i)
{
    job->thin = &job->world->cloth.thin[i];
    if (!is_present(job->thin)) return false;
    take_mesh(job, i);
    return true;
}

// out = factor times the forces of the meshes, or what became of them.
static void spread_forces(const solving *shared, double factor, float *out)
{
    dr_world *world = shared->world;
    solving job = *shared;
    float *to = on_faces(world) ? vector_of(&job, DR_NEWTON_SPARE) : out;
    bool add = false;
    job.factor = factor;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!take_thin(&job, i)) continue;
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, gather_pulls, &job);
        dr_cloth_hold_set(world, i, job.force, 0.0);
        spread_vertices(&job, i, add, to);
        add = true;
    }
    if (on_faces(world)) weigh(&job, to, out);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (take_thin(&job, i)) spread_stress(&job, i, factor, out);
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
    solve_of(job)->partial[begin / GRAIN] = dr_double4_total(sum);
}

static double inertial_energy(const solving *job)
{
    solving copy = *job;
    copy.a = job->v;
    copy.b = vector_of(job, DR_NEWTON_START);
    run_blocks(&copy, difference_blocks);
    return 0.5 * sum_partials(&copy) + dr_cloth_wall_energy(job->world, copy.a);
}

// Trial places, energy and forces at the velocity of the nodes.
static double evaluate(const solving *shared)
{
    dr_world *world = shared->world;
    double sum = 0.0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places elements = dr_transfer_point_places(&job.thin->elements);
        read_vertices(&job, i, job.v, job.value);
        dr_cloth_hold_set(world, i, job.value, job.dt);
        read_field(&job, &elements, job.v, NULL, job.gradient);
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, place_vertices, &job);
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, place_elements, &job);
        list_engaged(&job, i);
        memcpy(solve_of(&job)->partial, job.tangent->energy, job.thin->mesh->elements * sizeof(double));
        sum += dr_par_sum(solve_of(&job)->partial, job.thin->mesh->elements);
        sum +=
            i == DR_THIN_CLOTH ? bend_energy(world, job.tangent->place) : dr_cloth_rods_look(world, job.tangent->place);
    }
    solve_of(shared)->energy = sum;
    return sum + inertial_energy(shared);
}

// The derivative of the energy by v, with what walls give in it.
static void find_slope(const solving *job)
{
    float *slope = vector_of(job, DR_NEWTON_SLOPE);
    spread_forces(job, -job->dt, slope);
    add_inertia(job, slope, job->v, vector_of(job, DR_NEWTON_START));
}

static void begin_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_begin(((const solving *)user)->tangent, begin, end);
}

static void build_batches(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_build(((const solving *)user)->tangent, begin, end);
}

static void linearise(const solving *shared)
{
    dr_world *world = shared->world;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_par_for(&world->par, dr_tangent_batches(job.thin->mesh), CHUNK / DR_TANGENT_LANES, build_batches, &job);
    }
    for (int i = 0; i < world->cloth.bend_count; i++) {
        dr_cloth_bend *bend = &world->cloth.bends[i];
        dr_bending_linearise(&bend->bending, &world->par,
                             solve_of(shared)->tangent[DR_THIN_CLOTH].place + 3 * bend->first);
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
static void multiply(const solving *shared, const float *a, float *out)
{
    dr_world *world = shared->world;
    dr_cloth_stage *stage = &world->cloth;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &stage->thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places few = engaged_places(&job, i);
        read_vertices(&job, i, a, job.value);
        dr_cloth_hold_set(world, i, job.value, 0.0);
        read_field(&job, &few, a, NULL, job.gradient);
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
    add_inertia(shared, out, a, NULL);
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

// STEP becomes dv with |slope + A dv| <= share |slope|; less where the curvature is not positive. Returns how often A
// was applied.
static int find_step(const solving *job, double share)
{
    size_t floats = job->world->grid.block_count * DR_NEWTON_FLOATS;
    float *step = vector_of(job, DR_NEWTON_STEP), *rest = vector_of(job, DR_NEWTON_REST),
          *search = vector_of(job, DR_NEWTON_SEARCH);
    float *image = vector_of(job, DR_NEWTON_IMAGE), *turned = vector_of(job, DR_NEWTON_TURNED),
          *scaled = vector_of(job, DR_NEWTON_SCALED);
    memset(step, 0, floats * sizeof *step);
    precondition(job, vector_of(job, DR_NEWTON_SLOPE), -1.0, rest);
    memcpy(search, rest, floats * sizeof *rest);
    multiply(job, rest, image);
    memcpy(turned, image, floats * sizeof *image);
    double first = dot(job, rest, rest, true), rho = dot(job, rest, image, false);
    int count = 1;
    for (;; count++) {
        precondition(job, turned, 1.0, scaled);
        double size = dot(job, turned, scaled, false), curve = dot(job, search, turned, false);
        if (!(rho > 0.0) || !(size > 0.0) || !(curve > 0.0)) break;
        double alpha = rho / size;
        add(job, step, alpha, search);
        add(job, rest, -alpha, scaled);
        double left = dot(job, rest, rest, true);
        if (!(left > share * share * first) || count >= INNER) return count;
        multiply(job, rest, image);
        double next = dot(job, rest, image, false);
        solving turn = *job;
        turn.a = rest;
        turn.b = image;
        turn.out = search;
        turn.other = turned;
        turn.factor = next / rho;
        run_blocks(&turn, turn_blocks);
        rho = next;
    }
    if (count == 1) memcpy(step, rest, floats * sizeof *rest); // downhill is all that is known
    return count;
}

// ---- Newton

// Velocity along the step where the energy is lower; gives its share, 0: nowhere.
static double search_line(const solving *job, double slope, double *energy)
{
    double share = 1.0, before = *energy, slack = 1e-8 * fabs(before);
    float *v = job->v;
    const float *step = vector_of(job, DR_NEWTON_STEP);
    add(job, v, share, step);
    for (int i = 0; i < HALVES; i++) {
        *energy = evaluate(job);
        if (*energy <= before + 1e-4 * share * slope + slack) return share;
        add(job, v, -0.5 * share, step);
        share *= 0.5;
    }
    add(job, v, -share, step);
    *energy = evaluate(job);
    return 0.0;
}

static void aim(const solving *job)
{
    dr_cloth_wall_aim(job->world, job->v);
}

// The size of what is left, as a velocity times the root of the mass.
static double size_of_slope(const solving *job)
{
    float *slope = vector_of(job, DR_NEWTON_SLOPE), *scaled = vector_of(job, DR_NEWTON_SCALED);
    precondition(job, slope, 1.0, scaled);
    return sqrt(fmax(0.0, dot(job, scaled, scaled, true)));
}

static double total_mass(const dr_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_manifold *m = world->cloth.thin[i].mesh;
        for (size_t v = 0; m && v < m->vertices; v++) sum += (double)m->mass[v];
    }
    return sum;
}

// Newton ends at this share of the residual of the free motion.
static double find_goal(const dr_world *world, double dt, double share)
{
    double least = NOISE * sqrt(total_mass(world)) * world->grid.cell / dt;
    return fmax(share * world->cloth.solve.reference, least);
}

// Motion that goes on as it was, where that has the lower energy than free fall. Where nothing holds it, free fall: all
// later changes keep the momentum.
static double choose_start(const solving *job, double *reference)
{
    dr_world *world = job->world;
    float *v = job->v, *kept = vector_of(job, DR_NEWTON_REST);
    size_t floats = world->grid.block_count * DR_NEWTON_FLOATS;
    const double *gravity = world->constants.gravity;
    aim(job);
    double free = evaluate(job);
    find_slope(job);
    *reference = size_of_slope(job);
    if (world->cloth.held == 0 && world->cloth.solve.wall_count == 0) return free;
    memcpy(kept, v, floats * sizeof *v);
    for (size_t n = 0; n < floats; n++) {
        size_t lane = on_faces(world) ? n % 4 : (n + 3) % 4;
        if (job->mass[n] >= FLT_MIN && lane < 3) v[n] -= (float)(job->dt * gravity[lane]);
    }
    aim(job);
    double as_before = evaluate(job);
    if (as_before < free) return as_before;
    memcpy(v, kept, floats * sizeof *v);
    return evaluate(job);
}

static void begin(const solving *shared)
{
    dr_world *world = shared->world;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, begin_elements, &job);
    }
    memcpy(vector_of(shared, DR_NEWTON_START), shared->v, world->grid.block_count * DR_NEWTON_FLOATS * sizeof(float));
}

// Nodes at the rim of the kernels weigh next to nothing and may be as fast as they like: what counts is the mesh.
static double fastest_vertex(const dr_world *world)
{
    double most = 0.0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        for (size_t v = 0; is_present(thin) && v < thin->mesh->vertices; v++) {
            const float *value = world->cloth.solve.value[i] + 4 * v;
            double x = (double)value[0], y = (double)value[1], z = (double)value[2], squared = x * x + y * y + z * z;
            if (!(squared <= most)) most = squared;
            if (isnan(most)) return most;
        }
    }
    return sqrt(most);
}

double dr_cloth_implicit_fastest(dr_world *world, const float *velocity)
{
    solving job = {.world = world};
    job.mass = vector_of(&job, DR_NEWTON_MASS);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (take_thin(&job, i)) read_vertices(&job, i, velocity, job.value);
    }
    return fastest_vertex(world);
}

// On faces the liquid that moves with the cloth is a part of its inertia: an elastic impulse moves both. (9.6)
static void join_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_body_stage *bodies = &job->world->bodies;
    const dr_liquid *liquid = &job->world->liquid;
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        bool bound = isinf(bodies->drag[f]), spare = f % 4 == 3 || !(bodies->mass[f] >= FLT_MIN);
        float wet = bound && !spare ? liquid->mass[f] : 0.0F, mass = spare ? 0.0F : bodies->mass[f] + wet;
        job->out[f] = mass;
        job->v[f] = spare ? 0.0F : (bodies->momentum[f] + wet * (wet > 0.0F ? liquid->velocity[f] : 0.0F)) / mass;
    }
}

static void spread_mass(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    for (size_t n = begin * DR_NEWTON_FLOATS; n < end * DR_NEWTON_FLOATS; n += 4) {
        job->out[n] = 0.0F;
        for (size_t a = n + 1; a < n + 4; a++) job->out[a] = job->v[n];
    }
}

// What the solve found, as an impulse on the bodies' phase: the mixture shares it with the liquid.
static void push_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_body_stage *bodies = &job->world->bodies;
    const float *start = vector_of(job, DR_NEWTON_START);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        if (!(job->mass[f] >= FLT_MIN)) continue;
        bodies->momentum[f] += job->mass[f] * (job->v[f] - start[f]);
        bodies->predicted[f] = bodies->momentum[f] / bodies->mass[f];
    }
}

static solving prepare(dr_world *world, double dt)
{
    solving job = {.world = world, .dt = dt};
    job.out = vector_of(&job, DR_NEWTON_MASS);
    job.mass = job.out;
    job.v = on_faces(world) ? vector_of(&job, DR_NEWTON_VELOCITY) : world->node;
    run_blocks(&job, on_faces(world) ? join_faces : spread_mass);
    for (int i = 0; i < DR_THIN_COUNT && on_faces(world); i++) {
        if (!take_thin(&job, i)) continue;
        dr_transfer_places places = dr_transfer_point_places(&job.thin->vertices);
        read_field(&job, &places, job.mass, world->cloth.solve.share[i], NULL);
    }
    return job;
}

// From the velocity there is.
static void descend(solving *shared, double energy)
{
    solving job = *shared;
    dr_world *world = job.world;
    dr_cloth_solve *solve = &world->cloth.solve;
    double size = 0.0, goal = job.goal;
    solve->report.reason = DR_REASON_ITERATIONS;
    for (int i = 0; i < NEWTONS; i++) {
        bool blunt = dr_cloth_wall_fade(world, job.dt, i) && solve->wall_count > 0;
        find_slope(&job);
        if (dr_cloth_wall_update(world, job.v, vector_of(&job, DR_NEWTON_SLOPE))) {
            aim(&job);
            energy = evaluate(&job);
            find_slope(&job);
        } else {
            energy = solve->energy + inertial_energy(&job);
        }
        dr_cloth_wall_slope(world, job.v, vector_of(&job, DR_NEWTON_SLOPE));
        double before = size;
        size = size_of_slope(&job);
        if (!isfinite(size) || !isfinite(energy)) {
            solve->report.reason = DR_REASON_NOT_FINITE;
            break;
        }
        if (size <= goal && !blunt) {
            solve->report.reason = DR_REASON_CONVERGED;
            break;
        }
        double share = before > 0.0 ? fmin(FORCING, size / before) : FORCING;
        linearise(&job);
        solve->inner.iterations += find_step(&job, fmax(share, 0.5 * goal / size));
        solve->report.iterations++;
        double slope = dot(&job, vector_of(&job, DR_NEWTON_SLOPE), vector_of(&job, DR_NEWTON_STEP), false);
        if (search_line(&job, slope, &energy) == 0.0) {
            solve->report.reason = DR_REASON_STALLED;
            break;
        }
    }
    solve->report.residual = solve->reference > 0.0 ? size / solve->reference : 0.0;
    solve->inner.residual = solve->report.residual;
}

static bool is_lost(const dr_cloth_solve *solve, dr_try *attempt)
{
    if (solve->report.reason != DR_REASON_NOT_FINITE) return false;
    attempt->rejected = true;
    attempt->reason = "the implicit step of cloth has no finite solution";
    return true;
}

bool dr_cloth_implicit_run(dr_world *world, dr_try *attempt)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    if (!dr_cloth_wall_find(world)) return false;
    solving job = prepare(world, attempt->dt);
    dr_cloth_hold_lead(world, attempt, job.mass, job.v);
    dr_cloth_wall_begin(world, job.v);
    begin(&job);
    double reference, energy = choose_start(&job, &reference);
    solve->reference = reference;
    job.goal = find_goal(world, attempt->dt, TOLERANCE);
    solve->report = (dr_solve_report){"cloth", DR_REASON_ITERATIONS, 0, 0.0};
    solve->inner = (dr_solve_report){"cloth inner", DR_REASON_CONVERGED, 0, 0.0};
    descend(&job, energy);
    solve->fastest = fastest_vertex(world);
    if (on_faces(world)) run_blocks(&job, push_faces);
    is_lost(solve, attempt);
    return true;
}

dr_cloth_newton dr_cloth_newton_again(dr_world *world, dr_try *attempt)
{
    solving job = {.world = world, .dt = attempt->dt, .goal = find_goal(world, attempt->dt, PRESSED)};
    job.mass = vector_of(&job, DR_NEWTON_MASS);
    job.v = vector_of(&job, DR_NEWTON_VELOCITY);
    descend(&job, evaluate(&job));
    linearise(&job);
    is_lost(&world->cloth.solve, attempt);
    return job;
}

// From what the impulse does to the masses alone: what is left is elastic, so that no tolerance touches the momentum.
void dr_cloth_newton_answer(dr_cloth_newton *job, double share)
{
    float *slope = vector_of(job, DR_NEWTON_SLOPE), *free = vector_of(job, DR_NEWTON_ALONE);
    float *image = vector_of(job, DR_NEWTON_IMAGE);
    precondition(job, slope, -1.0, free);
    multiply(job, free, image);
    add(job, slope, 1.0, image);
    solve_of(job)->inner.iterations += 1 + find_step(job, share);
    add(job, vector_of(job, DR_NEWTON_STEP), 1.0, free);
}

float *dr_cloth_newton_vector(const dr_cloth_newton *job, int which)
{
    return solve_of(job)->node + (size_t)which * job->world->grid.block_count * DR_NEWTON_FLOATS;
}
