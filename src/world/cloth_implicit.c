// Backward Euler of thin matter on the grid's nodes, or with liquid on its faces: the velocity v that makes
//   sum m/2 |v - v*|^2 + Phi(x + dt v)
// least, with plasticity lagged, held vertices and walls as constraints. Newton's method; each of its systems
// (M + dt^2 K) dv = -g by conjugate residuals with the masses as preconditioner, in the space that walls leave; a line
// search on the energy. Held vertices are where they will be, whatever the grid does, and pull on nothing.
// docs/theory/codim.md, section 9.
#include "world/cloth_newton.h"
#include "world/tuning.h"

#include "math/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHUNK 1024 // elements, vertices

typedef dr_cloth_newton solving;

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

bool dr_cloth_implicit_wanted(const dr_world *world)
{
    return world->constants.time.integrator != DR_STEPPING_EXPLICIT && dr_cloth_implicit_able(world);
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

// Newton iterations and products of a step that replaces so many explicit ones.
static double cost_of(const dr_world *world, double steps)
{
    double newtons = (DR_CLOTH_NEWTONS_FIRST + DR_CLOTH_NEWTONS_EACH * log(steps)) *
                     (any_walls(world) ? DR_CLOTH_WALLS_NEWTON : 1.0);
    double products = fmin(DR_CLOTH_PRODUCTS_EACH * steps, DR_CLOTH_PRODUCTS_OF_ROOT * sqrt(steps)),
           once = DR_CLOTH_COST_NEWTON * newtons + DR_CLOTH_COST_PRODUCT * products;
    return on_faces(world) ? DR_CLOTH_COST_WET * once : once;
}

static double thin_points(const dr_world *world)
{
    const dr_manifold *cloth = &world->state.cloth, *yarn = &world->state.yarn;
    return (double)(cloth->vertices + cloth->elements + yarn->vertices + yarn->elements);
}

double dr_cloth_implicit_longest(const dr_world *world)
{
    double g = dr_vec3_length(world->constants.gravity);
    return g > 0.0 ? DR_CLOTH_CALM * sqrt(world->grid.cell / g) : INFINITY;
}

bool dr_cloth_implicit_choose(const dr_world *world, double longest, double stable)
{
    const dr_time_spec *time = &world->constants.time;
    if (!dr_cloth_implicit_wanted(world) || time->integrator == DR_STEPPING_IMPLICIT)
        return dr_cloth_implicit_wanted(world);
    double steps = fmin(fmin(longest, dr_cloth_implicit_longest(world)) / stable, time->implicit_reach);
    double rest = DR_CLOTH_COST_LIQUID * (double)world->state.liquid.count / thin_points(world);
    return steps > 1.0 && (steps - 1.0) * (1.0 + rest) > cost_of(world, steps);
}

bool dr_cloth_implicit_open(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    for (int i = 0; i < DR_THIN_COUNT && dr_cloth_implicit_wanted(world); i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        solve->force[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->value[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->share[i] = dr_memory_alloc(world->allocator, 4 * thin->mesh->vertices * sizeof(float));
        solve->gradient[i] = dr_memory_alloc(world->allocator, 9 * thin->mesh->elements * sizeof(float));
        solve->engaged_index[i] = dr_memory_alloc(world->allocator, thin->mesh->elements * sizeof(uint32_t));
        solve->fixed[i] = dr_memory_alloc(world->allocator, thin->mesh->vertices);
        if (!solve->force[i] || !solve->value[i] || !solve->share[i] || !solve->gradient[i] ||
            !solve->engaged_index[i] || !solve->fixed[i] ||
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
        if (solve->share[i]) dr_memory_free(allocator, solve->share[i], 4 * vertices * sizeof(float));
        if (solve->gradient[i]) dr_memory_free(allocator, solve->gradient[i], 9 * elements * sizeof(float));
        if (solve->engaged_index[i]) dr_memory_free(allocator, solve->engaged_index[i], elements * sizeof(uint32_t));
        if (solve->fixed[i]) dr_memory_free(allocator, solve->fixed[i], vertices);
        dr_weights_free(&solve->weights[i], allocator);
        dr_weights_free(&solve->turn_weights[i], allocator);
        dr_memory_free(allocator, solve->engaged_first[i], solve->engaged_capacity[i] * sizeof(uint32_t));
        dr_tangent_close(&solve->tangent[i], allocator);
    }
    dr_memory_free(allocator, solve->node, solve->node_capacity * sizeof *solve->node);
    dr_memory_free(allocator, solve->point, solve->point_capacity * sizeof *solve->point);
    dr_memory_free(allocator, solve->number, solve->number_capacity * sizeof *solve->number);
    dr_memory_free(allocator, solve->inverse, solve->inverse_capacity * sizeof *solve->inverse);
    dr_memory_free(allocator, solve->around, solve->around_capacity * sizeof *solve->around);
    dr_memory_free(allocator, solve->partial, solve->partial_capacity * sizeof *solve->partial);
    dr_memory_free(allocator, solve->walls, solve->wall_capacity * sizeof *solve->walls);
    dr_memory_free(allocator, solve->wall_of, solve->wall_of_capacity * sizeof *solve->wall_of);
    *solve = (dr_cloth_solve){0};
}

bool dr_cloth_implicit_reserve(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    size_t blocks = world->grid.block_count, most = blocks;
    if (!dr_cloth_implicit_wanted(world)) return true;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
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

// ---- Newton

// Velocity along the step where the energy is lower; gives its share, 0: nowhere.
static double search_line(const solving *job, double slope, double *energy)
{
    double share = 1.0, before = *energy, slack = DR_CLOTH_ENERGY_NOISE * fabs(before);
    float *v = job->v;
    const float *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP);
    dr_cloth_vector_add(job, v, share, step);
    for (int i = 0; i < DR_CLOTH_HALVES; i++) {
        *energy = dr_cloth_system_evaluate(job);
        if (*energy <= before + DR_CLOTH_ARMIJO * share * slope + slack) return share;
        dr_cloth_vector_add(job, v, -0.5 * share, step);
        share *= 0.5;
    }
    dr_cloth_vector_add(job, v, -share, step);
    *energy = dr_cloth_system_evaluate(job);
    return 0.0;
}

static void aim(const solving *job)
{
    dr_cloth_wall_aim(job->world, job->v);
}

// The size of what is left, as a velocity times the root of the mass.
static double size_of_slope(const solving *job)
{
    return sqrt(fmax(0.0, dr_cloth_vector_size(job, dr_cloth_newton_vector(job, DR_NEWTON_SLOPE))));
}

typedef struct looking {
    const float *mass, *value; // [vertex], [vertex][4]
    double *partial;           // [chunk]
} looking;

static void weigh_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const looking *job = user;
    double sum = 0.0;
    for (size_t v = begin; v < end; v++) sum += (double)job->mass[v];
    job->partial[begin / CHUNK] = sum;
}

static double total_mass(dr_world *world)
{
    double sum = 0.0;
    looking job = {.partial = world->cloth.solve.partial};
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_manifold *m = world->cloth.thin[i].mesh;
        if (!m) continue;
        job.mass = m->mass;
        dr_par_for(&world->par, m->vertices, CHUNK, weigh_vertices, &job);
        sum += dr_par_sum(job.partial, (m->vertices + CHUNK - 1) / CHUNK);
    }
    return sum;
}

// Newton ends at this share of the residual of the free motion.
static double find_goal(dr_world *world, double dt, double share)
{
    double least = DR_CLOTH_NOISE * sqrt(total_mass(world)) * world->grid.cell / dt;
    return fmax(share * world->cloth.solve.reference, least);
}

static void lift_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    bool faces = on_faces(job->world);
    const double *gravity = job->world->constants.gravity;
    for (size_t n = begin * DR_NEWTON_FLOATS; n < end * DR_NEWTON_FLOATS; n++) {
        size_t lane = faces ? n % 4 : (n + 3) % 4;
        job->out[n] = job->v[n];
        if (job->mass[n] >= FLT_MIN && lane < 3) job->v[n] -= (float)(job->dt * gravity[lane]);
    }
}

// Takes from the velocity what gravity gave it in this step, and keeps in `kept` what it was.
static void lift(const solving *job, float *kept)
{
    solving copy = *job;
    copy.out = kept;
    dr_cloth_vector_run(&copy, lift_blocks);
}

// Motion that goes on as it was, where that has the lower energy than free fall. Where nothing holds it, free fall: all
// later changes keep the momentum.
static double choose_start(const solving *job, double *reference)
{
    dr_world *world = job->world;
    float *v = job->v, *kept = dr_cloth_newton_vector(job, DR_NEWTON_KEPT);
    aim(job);
    double free = dr_cloth_system_evaluate(job);
    dr_cloth_system_slope(job);
    *reference = size_of_slope(job);
    if (world->cloth.held == 0 && world->cloth.solve.wall_count == 0) return free;
    lift(job, kept);
    aim(job);
    double as_before = dr_cloth_system_evaluate(job);
    if (as_before < free) return as_before;
    dr_par_copy(&world->par, v, kept, world->grid.block_count * DR_NEWTON_FLOATS * sizeof *v);
    return dr_cloth_system_evaluate(job);
}

static void begin_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_tangent_begin(((const solving *)user)->tangent, begin, end);
}

static void begin(const solving *shared)
{
    dr_world *world = shared->world;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        solving job = *shared;
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, begin_elements, &job);
    }
    dr_par_copy(&world->par, dr_cloth_newton_vector(shared, DR_NEWTON_START), shared->v,
                world->grid.block_count * DR_NEWTON_FLOATS * sizeof(float));
}

// Nodes at the rim of the kernels weigh next to nothing and may be as fast as they like: what counts is the mesh.
static void judge_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const looking *job = user;
    double most = 0.0;
    for (size_t v = begin; v < end && !isnan(most); v++) {
        const float *value = job->value + 4 * v;
        double x = (double)value[0], y = (double)value[1], z = (double)value[2], squared = x * x + y * y + z * z;
        if (!(squared <= most)) most = squared;
    }
    job->partial[begin / CHUNK] = most;
}

static double fastest_vertex(dr_world *world)
{
    double most = 0.0;
    looking job = {.partial = world->cloth.solve.partial};
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        job.value = world->cloth.solve.value[i];
        dr_par_for(&world->par, thin->mesh->vertices, CHUNK, judge_vertices, &job);
        for (size_t k = 0; k < (thin->mesh->vertices + CHUNK - 1) / CHUNK && !isnan(most); k++) {
            if (!(job.partial[k] <= most)) most = job.partial[k];
        }
    }
    return sqrt(most);
}

double dr_cloth_implicit_fastest(dr_world *world, const float *velocity)
{
    solving job = {.world = world};
    job.mass = dr_cloth_newton_vector(&job, DR_NEWTON_MASS);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (dr_cloth_system_take(&job, i)) dr_cloth_system_read_vertices(&job, i, velocity, job.value);
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

// Wind draws nodes towards itself with what they have at the end of the step: v* is (v + r dt u)/(1 + r dt), and the
// elastic impulse moves a mass that is 1 + r dt times as large. (9.8)
static void resist_wind(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    const dr_world *world = job->world;
    const dr_grid *grid = &world->grid;
    for (size_t n = begin * DR_BLOCK_NODES; n < end * DR_BLOCK_NODES; n++) {
        const int32_t *block = grid->coordinate + 3 * (n / DR_BLOCK_NODES);
        int local[3] = {(int)(n % DR_BLOCK_NODES) >> 4, (int)(n % DR_BLOCK_NODES) >> 2 & 3, (int)(n % 4)};
        double x[3];
        if (!(job->mass[4 * n + 1] > 0.0F)) continue;
        for (int a = 0; a < 3; a++)
            x[a] = grid->origin[a] + grid->cell * (double)(DR_BLOCK_SIDE * (int64_t)block[a] + local[a]);
        float factor = (float)dr_forces_inertia(&world->constants, x, world->state.time + job->dt, job->dt);
        for (size_t a = 1; a < 4; a++) job->out[4 * n + a] *= factor;
    }
}

// What the solve found, as an impulse on the bodies' phase: the mixture shares it with the liquid.
static void push_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_body_stage *bodies = &job->world->bodies;
    const float *start = dr_cloth_newton_vector(job, DR_NEWTON_START);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        if (!(job->mass[f] >= FLT_MIN)) continue;
        bodies->momentum[f] += job->mass[f] * (job->v[f] - start[f]);
        bodies->predicted[f] = bodies->momentum[f] / bodies->mass[f];
    }
}

static solving prepare(dr_world *world, double dt)
{
    solving job = {.world = world, .dt = dt};
    job.out = dr_cloth_newton_vector(&job, DR_NEWTON_MASS);
    job.mass = job.out;
    job.v = on_faces(world) ? dr_cloth_newton_vector(&job, DR_NEWTON_VELOCITY) : world->node;
    dr_cloth_vector_run(&job, on_faces(world) ? join_faces : spread_mass);
    if (world->constants.force_count > 0 && !on_faces(world)) dr_cloth_vector_run(&job, resist_wind);
    for (int i = 0; i < DR_THIN_COUNT && on_faces(world); i++) {
        if (!dr_cloth_system_take(&job, i)) continue;
        dr_transfer_places places = dr_transfer_point_places(&job.thin->vertices);
        dr_cloth_system_read(&job, &places, job.mass, world->cloth.solve.share[i], NULL);
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
    for (int i = 0; i < DR_CLOTH_NEWTONS; i++) {
        bool blunt = dr_cloth_wall_fade(world, job.dt, i) && solve->wall_count > 0;
        dr_cloth_system_slope(&job);
        if (dr_cloth_wall_update(world, job.v, dr_cloth_newton_vector(&job, DR_NEWTON_SLOPE))) {
            aim(&job);
            energy = dr_cloth_system_evaluate(&job);
            dr_cloth_system_slope(&job);
        } else if (solve->wall_count > 0) { // whose friction fades
            energy = solve->energy + dr_cloth_system_inertia(&job);
        }
        dr_cloth_wall_slope(world, job.v, dr_cloth_newton_vector(&job, DR_NEWTON_SLOPE));
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
        double share = before > 0.0 ? fmin(DR_CLOTH_FORCING, size / before) : DR_CLOTH_FORCING;
        if (!dr_cloth_system_linearise(&job)) {
            solve->starved = true;
            break;
        }
        solve->inner.iterations += dr_cloth_system_solve(&job, fmax(share, 0.5 * goal / size), false);
        solve->report.iterations++;
        double slope = dr_cloth_vector_dot(&job, dr_cloth_newton_vector(&job, DR_NEWTON_SLOPE),
                                           dr_cloth_newton_vector(&job, DR_NEWTON_STEP), false);
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
    if (!dr_cloth_point_number(&job)) return false;
    solve->starved = false;
    solve->seconds = 0.0;
    dr_cloth_hold_lead(world, attempt, job.mass, job.v);
    dr_cloth_wall_begin(world, job.v);
    begin(&job);
    double reference, energy = choose_start(&job, &reference);
    solve->reference = reference;
    job.goal = find_goal(world, attempt->dt, DR_CLOTH_TOLERANCE);
    solve->report = (dr_solve_report){"cloth", DR_REASON_ITERATIONS, 0, 0.0};
    solve->inner = (dr_solve_report){"cloth inner", DR_REASON_CONVERGED, 0, 0.0};
    descend(&job, energy);
    solve->fastest = fastest_vertex(world);
    if (on_faces(world)) dr_cloth_vector_run(&job, push_faces);
    is_lost(solve, attempt);
    return !solve->starved;
}

dr_cloth_newton dr_cloth_newton_again(dr_world *world, dr_try *attempt)
{
    solving job = {.world = world, .dt = attempt->dt, .goal = find_goal(world, attempt->dt, DR_CLOTH_PRESSED)};
    job.mass = dr_cloth_newton_vector(&job, DR_NEWTON_MASS);
    job.v = dr_cloth_newton_vector(&job, DR_NEWTON_VELOCITY);
    descend(&job, dr_cloth_system_evaluate(&job));
    if (!dr_cloth_system_linearise(&job)) world->cloth.solve.starved = true;
    is_lost(&world->cloth.solve, attempt);
    return job;
}

void dr_cloth_newton_answer(dr_cloth_newton *job, double share)
{
    dr_cloth_newton_solve(job)->inner.iterations += dr_cloth_system_solve(job, share, true);
}

float *dr_cloth_newton_vector(const dr_cloth_newton *job, int which)
{
    return dr_cloth_newton_solve(job)->node + (size_t)which * job->world->grid.block_count * DR_NEWTON_FLOATS;
}
