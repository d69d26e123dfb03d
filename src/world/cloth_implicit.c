// Backward Euler of thin matter on the grid's nodes: the velocity v that makes
//   sum m/2 |v - v*|^2 + Phi(x + dt v)
// least, with plasticity lagged, held vertices and walls as constraints. Newton's method; each of its systems
// (M + dt^2 K) dv = -g by conjugate residuals with the masses as preconditioner, in the space that the constraints
// leave; a line search on the energy. docs/theory/codim.md, section 9.
#include "world/world.h"

#include "math/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHUNK       1024 // elements, vertices
#define GRAIN       64   // blocks of a sum: fixed, so that sums do not depend on the number of threads
#define NODE_FLOATS (DR_BLOCK_NODES * 4)

// Newton ends where the residual is this share of that of the free motion. Half: one iteration more now and then;
// twice: drapes creep by a thousandth.
#define TOLERANCE 1e-3
// What float leaves of a velocity, in cells per step.
#define NOISE 1e-6
// Newton's systems are solved to this share of their right side; it falls with the residual. Half: more inner, fewer
// outer iterations.
#define FORCING 0.1
#define NEWTONS 20
#define INNER   300
#define HALVES  8
#define HELD    1e-6 // to which constraints of held vertices hold in search directions, share

// Vectors on nodes besides the velocity itself.
enum { START, SLOPE, STEP, REST, SEARCH, IMAGE, TURNED, SCALED, VECTORS };

typedef struct solving {
    dr_world *world;
    double dt;
    dr_thin *thin;
    dr_tangent *tangent;
    float *force, *value, *gradient; // [vertex][4], [vertex][4], [element][9]
    const float *a, *b, *c;
    float *out, *other;
    double factor;
} solving;

static dr_cloth_solve *solve_of(const solving *job)
{
    return &job->world->cloth.solve;
}

static float *vector_of(const solving *job, int which)
{
    return solve_of(job)->node + (size_t)which * job->world->grid.block_count * NODE_FLOATS;
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

bool dr_cloth_implicit_able(const dr_world *world)
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int a = 0; a < 3; a++) {
        if (domain->side_min[a] == DR_SIDE_SYMMETRY || domain->side_max[a] == DR_SIDE_SYMMETRY) return false;
    }
    return !world->constants.bodies_meet_liquid && world->constants.transfer.kernel != DR_KERNEL_LINEAR;
}

static bool is_wanted(const dr_world *world)
{
    return world->constants.time.integrator != DR_STEPPING_EXPLICIT && dr_cloth_implicit_able(world);
}

// What an implicit step costs, in explicit ones, measured on hanging and on lying cloth: evaluations and systems of
// Newton's method, then per square root of the condition of its systems. With friction at walls it takes more of them.
// A step that costs half: implicit from half the ratio on; twice: never within the usual implicit_reach.
#define COST_NEWTON      6.5
#define COST_ROOT        0.28
#define COST_NEWTON_RUBS 14.0
#define COST_ROOT_RUBS   0.9

// Every product with the matrix has to hold what is held: beyond this share of the vertices explicit steps are cheaper.
#define MOST_HELD 0.2

static double all_vertices(const dr_world *world)
{
    return (double)(world->state.cloth.vertices + world->state.yarn.vertices);
}

static bool any_walls(const dr_world *world)
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int a = 0; a < 3; a++) {
        if (domain->min[a] > -DR_UNBOUNDED && domain->side_min[a] != DR_SIDE_PERIODIC) return true;
        if (domain->max[a] < DR_UNBOUNDED && domain->side_max[a] != DR_SIDE_PERIODIC) return true;
    }
    return dr_collider_set_count(world->constants.colliders) > 0;
}

bool dr_cloth_implicit_choose(const dr_world *world, double longest, double stable)
{
    const dr_time_spec *time = &world->constants.time;
    if (!is_wanted(world) || time->integrator == DR_STEPPING_IMPLICIT) return is_wanted(world);
    if ((double)world->cloth.held > MOST_HELD * all_vertices(world)) return false;
    double steps = fmin(longest / stable, time->implicit_reach), root = hypot(1.0, 2.0 * time->elastic_safety * steps);
    return any_walls(world) ? steps > COST_NEWTON_RUBS + COST_ROOT_RUBS * root : steps > COST_NEWTON + COST_ROOT * root;
}

bool dr_cloth_implicit_open(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    for (int i = 0; i < DR_THIN_COUNT && is_wanted(world); i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!is_present(thin)) continue;
        solve->force[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->value[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->gradient[i] = dr_memory_alloc(world->allocator, 9 * thin->mesh->elements * sizeof(float));
        solve->engaged_index[i] = dr_memory_alloc(world->allocator, thin->mesh->elements * sizeof(uint32_t));
        if (!solve->force[i] || !solve->value[i] || !solve->gradient[i] || !solve->engaged_index[i] ||
            !dr_tangent_open(&solve->tangent[i], thin->mesh, world->allocator))
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
                             VECTORS * blocks * NODE_FLOATS, sizeof *solve->node) &&
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

// The sum over nodes of m^power a.b.
static double add_lanes(const float *mass, const float *a, const float *b, size_t begin, size_t end, bool weighted)
{
    double sum = 0.0;
    for (size_t n = 4 * begin; n < 4 * end; n += 4) {
        double one = (double)a[n + 1] * (double)b[n + 1] + (double)a[n + 2] * (double)b[n + 2] +
                     (double)a[n + 3] * (double)b[n + 3];
        sum += weighted ? (double)mass[n] * one : one;
    }
    return sum;
}

static void dot_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    solve_of(job)->partial[begin / GRAIN] =
        add_lanes(job->world->node, job->a, job->b, begin * DR_BLOCK_NODES, end * DR_BLOCK_NODES, job->factor != 0.0);
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
    for (size_t i = begin * NODE_FLOATS; i < end * NODE_FLOATS; i += 4) {
        for (size_t a = i + 1; a < i + 4; a++) job->out[a] += factor * job->a[a];
    }
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
    const float *mass = job->world->node;
    for (size_t i = begin * NODE_FLOATS; i < end * NODE_FLOATS; i += 4) {
        float over = mass[i] < FLT_MIN ? 0.0F : (float)job->factor / mass[i];
        job->out[i] = 0.0F;
        for (size_t a = i + 1; a < i + 4; a++) job->out[a] = over * job->a[a];
    }
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
    dr_cloth_hold_project(job->world, out, 0.0, HELD);
}

// out += m (a - b); where b is NULL, m a
static void add_inertia_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const float *mass = job->world->node;
    for (size_t i = begin * NODE_FLOATS; i < end * NODE_FLOATS; i += 4) {
        for (size_t a = i + 1; a < i + 4; a++) job->out[a] += mass[i] * (job->b ? job->a[a] - job->b[a] : job->a[a]);
    }
}

static void add_inertia(const solving *job, float *out, const float *a, const float *b)
{
    solving copy = *job;
    copy.out = out;
    copy.a = a;
    copy.b = b;
    run_blocks(&copy, add_inertia_blocks);
}

// ---- between nodes and meshes

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
    const double *slope = job->thin == &job->world->cloth.thin[DR_THIN_CLOTH] && job->world->cloth.bend_count > 0
                              ? job->world->cloth.bend_slope
                              : NULL;
    for (size_t v = begin; v < end; v++) {
        double sum[3] = {0};
        for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
            const float *pull = job->tangent->pull + 3 * (size_t)m->slot[i];
            for (int a = 0; a < 3; a++) sum[a] += (double)pull[a];
        }
        job->force[4 * v] = 0.0F;
        for (size_t a = 0; a < 3; a++)
            job->force[4 * v + 1 + a] = (float)(job->factor * (sum[a] - (slope ? slope[3 * v + a] : 0.0)));
    }
}

static void give_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    const solving *job = user;
    const dr_residents *engaged = &solve_of(job)->engaged[job->thin - job->world->cloth.thin];
    for (size_t i = 0; i < count; i++)
        memcpy(stress[i], job->tangent->stress[dr_residents_point(engaged, first + i)], sizeof *stress);
}

// out = factor times the forces of the meshes, or what became of them.
static void spread_forces(const solving *shared, double factor, float *out)
{
    dr_world *world = shared->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        job.factor = factor;
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, gather_pulls, &job);
        dr_transfer_places places = dr_transfer_point_places(&job.thin->vertices);
        dr_transfer_spread_nodes(&transfer, &world->grid, &world->par, &places, job.force, out);
        transfer.add = true;
        dr_transfer_load_nodes(
            &transfer, &world->grid, &world->par,
            &(dr_transfer_load){.places = engaged_places(&job, i), .dt = factor, .stress = give_stress, .user = &job},
            out);
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
        dr_bending_gradient(&bend->bending, &world->par, x, stage->bend_slope + 3 * bend->first);
    }
    return sum;
}

// Kinetic energy of the difference to the free motion, and what friction loses.
static void difference_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    double sum = 0.0;
    for (size_t n = begin * NODE_FLOATS; n < end * NODE_FLOATS; n += 4) {
        double square = 0.0;
        for (size_t a = n + 1; a < n + 4; a++) {
            double one = (double)job->a[a] - (double)job->b[a];
            square += one * one;
        }
        sum += (double)job->a[n] * square;
    }
    solve_of(job)->partial[begin / GRAIN] = sum;
}

static double inertial_energy(const solving *job)
{
    solving copy = *job;
    copy.a = job->world->node;
    copy.b = vector_of(job, START);
    run_blocks(&copy, difference_blocks);
    return 0.5 * sum_partials(&copy) + dr_cloth_wall_energy(job->world, copy.a);
}

// Trial places, energy and forces at the velocity of the nodes.
static double evaluate(const solving *shared)
{
    dr_world *world = shared->world;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    double sum = 0.0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &world->cloth.thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places vertices = dr_transfer_point_places(&job.thin->vertices);
        dr_transfer_places elements = dr_transfer_point_places(&job.thin->elements);
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, &vertices, world->node, job.value, NULL);
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, &elements, world->node, NULL, job.gradient);
        dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, place_vertices, &job);
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, place_elements, &job);
        list_engaged(&job, i);
        memcpy(solve_of(&job)->partial, job.tangent->energy, job.thin->mesh->elements * sizeof(double));
        sum += dr_par_sum(solve_of(&job)->partial, job.thin->mesh->elements);
        if (i == DR_THIN_CLOTH) sum += bend_energy(world, job.tangent->place);
    }
    solve_of(shared)->energy = sum;
    return sum + inertial_energy(shared);
}

// The derivative of the energy by v, with what walls give in it.
static void find_slope(const solving *job)
{
    float *slope = vector_of(job, SLOPE);
    spread_forces(job, -job->dt, slope);
    add_inertia(job, slope, job->world->node, vector_of(job, START));
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
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        job.thin = &stage->thin[i];
        if (!is_present(job.thin)) continue;
        take_mesh(&job, i);
        dr_transfer_places vertices = dr_transfer_point_places(&job.thin->vertices), few = engaged_places(&job, i);
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, &vertices, a, job.value, NULL);
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, &few, a, NULL, job.gradient);
        dr_par_for(&world->par, dr_tangent_batches(job.thin->mesh), CHUNK / DR_TANGENT_LANES, apply_batches, &job);
    }
    if (stage->bend_count > 0) memset(stage->bend_slope, 0, 3 * world->state.cloth.vertices * sizeof(double));
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *bend = &stage->bends[i];
        dr_bending_apply(&bend->bending, &world->par, stage->solve.value[DR_THIN_CLOTH] + 4 * bend->first,
                         stage->bend_slope + 3 * bend->first);
    }
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
    for (size_t i = begin * NODE_FLOATS; i < end * NODE_FLOATS; i += 4) {
        for (size_t a = i + 1; a < i + 4; a++) {
            job->out[a] = job->a[a] + beta * job->out[a];
            job->other[a] = job->b[a] + beta * job->other[a];
        }
    }
}

// STEP becomes dv with |slope + A dv| <= share |slope|; less where the curvature is not positive. Returns how often A
// was applied.
static int find_step(const solving *job, double share)
{
    size_t floats = job->world->grid.block_count * NODE_FLOATS;
    float *step = vector_of(job, STEP), *rest = vector_of(job, REST), *search = vector_of(job, SEARCH);
    float *image = vector_of(job, IMAGE), *turned = vector_of(job, TURNED), *scaled = vector_of(job, SCALED);
    memset(step, 0, floats * sizeof *step);
    precondition(job, vector_of(job, SLOPE), -1.0, rest);
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
    float *v = job->world->node;
    const float *step = vector_of(job, STEP);
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
    dr_cloth_wall_aim(job->world, job->world->node);
    dr_cloth_hold_project(job->world, job->world->node, job->dt, HELD);
}

// The size of what is left, as a velocity times the root of the mass.
static double size_of_slope(const solving *job)
{
    float *slope = vector_of(job, SLOPE), *scaled = vector_of(job, SCALED);
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

// Motion that goes on as it was, where that has the lower energy than free fall.
static double choose_start(const solving *job, double *reference)
{
    dr_world *world = job->world;
    float *v = world->node, *kept = vector_of(job, REST);
    size_t floats = world->grid.block_count * NODE_FLOATS;
    const double *gravity = world->constants.gravity;
    aim(job);
    double free = evaluate(job);
    find_slope(job);
    *reference = size_of_slope(job);
    memcpy(kept, v, floats * sizeof *v);
    for (size_t n = 0; n < floats; n += 4) {
        if (v[n] < FLT_MIN) continue;
        for (size_t a = 0; a < 3; a++) v[n + 1 + a] -= (float)(job->dt * gravity[a]);
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
    memcpy(vector_of(shared, START), world->node, world->grid.block_count * NODE_FLOATS * sizeof(float));
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

bool dr_cloth_implicit_run(dr_world *world, dr_try *attempt)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    solving job = {.world = world, .dt = attempt->dt};
    if (!dr_cloth_wall_find(world)) return false;
    dr_cloth_hold_begin(world, attempt);
    dr_cloth_wall_begin(world, world->node);
    begin(&job);
    double reference, energy = choose_start(&job, &reference), size = 0.0;
    double goal = fmax(TOLERANCE * reference, NOISE * sqrt(total_mass(world)) * world->grid.cell / attempt->dt);
    solve->report = (dr_solve_report){"cloth", DR_REASON_ITERATIONS, 0, 0.0};
    solve->inner = (dr_solve_report){"cloth inner", DR_REASON_CONVERGED, 0, 0.0};
    for (int i = 0; i < NEWTONS; i++) {
        bool blunt = dr_cloth_wall_fade(world, attempt->dt, i) && solve->wall_count > 0;
        find_slope(&job);
        if (dr_cloth_wall_update(world, world->node, vector_of(&job, SLOPE))) {
            aim(&job);
            energy = evaluate(&job);
            find_slope(&job);
        } else {
            energy = solve->energy + inertial_energy(&job);
        }
        dr_cloth_wall_slope(world, world->node, vector_of(&job, SLOPE));
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
        double slope = dot(&job, vector_of(&job, SLOPE), vector_of(&job, STEP), false);
        if (search_line(&job, slope, &energy) == 0.0) {
            solve->report.reason = DR_REASON_STALLED;
            break;
        }
    }
    solve->fastest = fastest_vertex(world);
    solve->report.residual = reference > 0.0 ? size / reference : 0.0;
    solve->inner.residual = solve->report.residual;
    if (solve->report.reason == DR_REASON_NOT_FINITE) {
        attempt->rejected = true;
        attempt->reason = "the implicit step of cloth has no finite solution";
    }
    return true;
}
