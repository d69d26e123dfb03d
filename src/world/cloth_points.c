// The points of the implicit step of cloth: its systems are solved on vertices and on the directions of engaged
// elements, of which there are fewer than nodes, and the grid is gone through between them. docs/theory/codim.md,
// section 9. Sums are double, per piece of fixed length and then in a fixed tree.
#include "world/cloth_newton.h"

#include "math/simd.h"

#include <float.h>
#include <string.h>

#define CHUNK 1024 // points: fixed, so that sums do not depend on the number of threads

typedef dr_cloth_newton solving;

typedef struct points_job {
    const dr_tangent *tangent;
    const dr_weights *weights;
    const uint32_t *list; // engaged elements
    const double *slope;
    const float *in, *turn;
    float *out, *turned;
    float factor;
} points_job;

float *dr_cloth_point_vector(const solving *job, int which)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    return solve->point + (size_t)which * 4 * solve->points;
}

static size_t engaged_count(const dr_cloth_solve *solve, const dr_world *world, int i)
{
    return solve->engaged_first[i][world->grid.block_count];
}

// ---- nodes and weights

static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

#define GRAIN 64 // blocks

typedef struct numbering {
    const float *mass;
    uint32_t *number;
    double *before; // [piece of blocks] nodes with mass: of it, then of those before it
    float *inverse; // NULL while they are counted
} numbering;

static void number_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const numbering *job = user;
    uint32_t count = job->inverse ? (uint32_t)job->before[begin / GRAIN] : 0;
    for (size_t n = begin * DR_BLOCK_NODES; n < end * DR_BLOCK_NODES; n++) {
        bool heavy = job->mass[4 * n + 1] >= FLT_MIN;
        if (job->inverse) {
            job->number[n] = heavy ? count : DR_WEIGHTS_NONE;
            if (heavy) job->inverse[count] = 1.0F / job->mass[4 * n + 1];
        }
        count += heavy;
    }
    if (!job->inverse) job->before[begin / GRAIN] = (double)count;
}

static size_t sum_before(double *before, size_t pieces)
{
    double sum = 0.0;
    for (size_t i = 0; i < pieces; i++) {
        double here = before[i];
        before[i] = sum;
        sum += here;
    }
    return (size_t)sum;
}

static bool number_nodes(const solving *job)
{
    dr_world *world = job->world;
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    size_t blocks = world->grid.block_count;
    if (!dr_memory_reserve(world->allocator, (void **)&solve->number, &solve->number_capacity, blocks * DR_BLOCK_NODES,
                           sizeof *solve->number))
        return false;
    numbering list = {.mass = job->mass, .number = solve->number, .before = solve->partial};
    dr_par_for(&world->par, blocks, GRAIN, number_blocks, &list);
    size_t count = sum_before(solve->partial, (blocks + GRAIN - 1) / GRAIN);
    if (!dr_memory_reserve(world->allocator, (void **)&solve->inverse, &solve->inverse_capacity, count + 1,
                           sizeof *solve->inverse) ||
        !dr_memory_reserve(world->allocator, (void **)&solve->around, &solve->around_capacity, 4 * count + 4,
                           sizeof *solve->around))
        return false;
    list.inverse = solve->inverse;
    dr_par_for(&world->par, blocks, GRAIN, number_blocks, &list);
    solve->numbers = count;
    return true;
}

static bool weigh_points(const solving *job, const dr_transfer_places *places, dr_weights_source source,
                         dr_weights *out)
{
    const dr_world *world = job->world;
    const dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    source.places = places;
    source.kernel = world->constants.transfer.kernel;
    source.number = solve->number;
    source.nodes = solve->numbers;
    return dr_weights_build(out, world->allocator, &world->grid, &world->par, &source);
}

bool dr_cloth_point_number(const solving *job)
{
    dr_world *world = job->world;
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    if (on_faces(world)) return true;
    if (!number_nodes(job)) return false;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        dr_transfer_places places = dr_transfer_point_places(&thin->vertices);
        dr_cloth_hold_mark(world, i, solve->fixed[i]);
        dr_weights_source source = {.points = thin->mesh->vertices, .rows = 1, .without = solve->fixed[i]};
        if (!weigh_points(job, &places, source, &solve->weights[i])) return false;
    }
    return true;
}

static bool weigh_turns(const solving *job, int i)
{
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    const dr_thin *thin = &job->world->cloth.thin[i];
    dr_transfer_places places = dr_transfer_point_places(&thin->elements);
    size_t turns = dr_tangent_turns(thin->mesh);
    places.residents = &solve->engaged[i];
    dr_weights_source source = {.points = turns * engaged_count(solve, job->world, i),
                                .rows = turns,
                                .direction = thin->mesh->direction,
                                .stride = 3 * turns,
                                .listed = true};
    return weigh_points(job, &places, source, &solve->turn_weights[i]);
}

bool dr_cloth_point_reserve(const solving *job)
{
    dr_world *world = job->world;
    dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    size_t count = 0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        solve->vertex_at[i] = count;
        solve->turn_at[i] = count + thin->mesh->vertices;
        count = solve->turn_at[i] + dr_tangent_turns(thin->mesh) * engaged_count(solve, world, i);
        if (!on_faces(world) && !weigh_turns(job, i)) return false;
    }
    solve->points = count;
    return dr_memory_reserve(world->allocator, (void **)&solve->point, &solve->point_capacity,
                             (size_t)DR_POINT_VECTORS * 4 * count, sizeof *solve->point);
}

// ---- K

static void multiply_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const points_job *job = user;
    const dr_float4 factor = dr_float4_all(job->factor);
    dr_tangent_multiply(job->tangent, begin, end, job->in, job->turn, job->out);
    for (size_t i = 4 * begin; i < 4 * end; i += 4)
        dr_float4_store(job->out + i, factor * dr_float4_load(job->out + i));
}

static void multiply_turns(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const points_job *job = user;
    size_t turns = dr_tangent_turns(job->tangent->mesh);
    dr_tangent_multiply_turns(job->tangent, begin, end, job->list, job->in, job->turn, job->turned);
    for (size_t i = 4 * turns * begin; i < 4 * turns * end; i++) job->turned[i] *= job->factor;
}

// Adds the slope, times the factor.
static void add_slope(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const points_job *job = user;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 3; a++) job->out[4 * v + a] += job->factor * (float)job->slope[3 * v + a];
    }
}

// Adds what bending does, times the factor.
static void bend(dr_world *world, int i, points_job *job)
{
    dr_cloth_stage *stage = &world->cloth;
    if (i == DR_THIN_YARN) {
        if (!dr_cloth_rods_any(world)) return;
        dr_cloth_rods_apply(world, job->in);
        job->slope = stage->rod_slope;
        dr_par_for(&world->par, stage->thin[i].mesh->vertices, CHUNK, add_slope, job);
        return;
    }
    for (int k = 0; k < stage->bend_count; k++) {
        dr_cloth_bend *one = &stage->bends[k];
        size_t first = 4 * one->first;
        dr_bending_apply(&one->bending, &world->par, job->in + first, (double)job->factor, job->out + first);
    }
}

void dr_cloth_point_multiply(const solving *shared, const float *in, float *out)
{
    dr_world *world = shared->world;
    dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        size_t engaged = engaged_count(solve, world, i), vertex = 4 * solve->vertex_at[i], turn = 4 * solve->turn_at[i];
        points_job job = {.tangent = &solve->tangent[i],
                          .list = solve->engaged_index[i],
                          .in = in + vertex,
                          .turn = engaged > 0 ? in + turn : NULL,
                          .out = out + vertex,
                          .turned = out + turn,
                          .factor = (float)(shared->dt * shared->dt)};
        dr_par_for(&world->par, thin->mesh->vertices, CHUNK, multiply_vertices, &job);
        dr_par_for(&world->par, engaged, CHUNK, multiply_turns, &job);
        bend(world, i, &job);
    }
}

// ---- W, W^T and W M^-1 W^T on nodes

// What points bring to nodes: values of vertices and of directions, NULL where there are none.
typedef struct node_job {
    const dr_cloth_solve *solve;
    const float *vertex[DR_THIN_COUNT], *turn[DR_THIN_COUNT];
    const dr_weights *only; // where all points are vertices of one kind: theirs, and their values; NULL: they are not
    const float *values;
    const float *from;         // [node of the grid][4]: nought, then the vector
    const float *start, *mass; // alike
    float *to;
    float factor;
} node_job;

DR_INLINE dr_float4 sum_at_node(const node_job *job, size_t n)
{
    dr_float4 sum = dr_float4_all(0.0F);
    if (job->only) return dr_weights_to_node(job->only, n, job->values);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (job->vertex[i]) sum += dr_weights_to_node(&job->solve->weights[i], n, job->vertex[i]);
        if (job->turn[i]) sum += dr_weights_to_node(&job->solve->turn_weights[i], n, job->turn[i]);
    }
    return sum;
}

static void push_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const node_job *job = user;
    const dr_cloth_solve *solve = job->solve;
    for (size_t n = begin; n < end; n++)
        dr_float4_store(solve->around + 4 * n, sum_at_node(job, n) * dr_float4_all(solve->inverse[n]));
}

static void write_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const node_job *job = user;
    for (size_t n = begin; n < end; n++) {
        uint32_t number = job->solve->number[n];
        dr_float4 sum = number == DR_WEIGHTS_NONE ? dr_float4_all(0.0F) : sum_at_node(job, number);
        dr_float4_store(job->to + 4 * n, __builtin_shufflevector(sum, sum, 3, 0, 1, 2));
    }
}

static void write_slope(void *user, size_t begin, size_t end, int thread)
{
    const node_job *job = user;
    write_nodes(user, begin, end, thread);
    for (size_t n = begin; n < end; n++) {
        dr_float4 change = dr_float4_load(job->from + 4 * n) - dr_float4_load(job->start + 4 * n);
        dr_float4 inertia = dr_float4_load(job->mass + 4 * n) * change;
        dr_float4_store(job->to + 4 * n, dr_float4_load(job->to + 4 * n) + inertia);
    }
}

static void read_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const node_job *job = user;
    for (size_t n = begin; n < end; n++) {
        uint32_t number = job->solve->number[n];
        if (number == DR_WEIGHTS_NONE) continue;
        dr_float4 v = dr_float4_load(job->from + 4 * n);
        v[0] = 0.0F;
        dr_float4_store(job->solve->around + 4 * (size_t)number, __builtin_shufflevector(v, v, 1, 2, 3, 0));
    }
}

static void sum_at_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const points_job *job = user;
    for (size_t p = begin; p < end; p++)
        dr_float4_store(job->out + 4 * p, dr_weights_to_point(job->weights, p, job->in));
}

static void read_around(const solving *shared, const dr_weights *weights, float *out)
{
    points_job job = {.weights = weights, .in = dr_cloth_newton_solve(shared)->around, .out = out};
    dr_par_for(&shared->world->par, weights->points, CHUNK, sum_at_points, &job);
}

static size_t node_count(const dr_world *world)
{
    return world->grid.block_count * DR_BLOCK_NODES;
}

void dr_cloth_point_look(const solving *shared, const float *field)
{
    node_job job = {.solve = dr_cloth_newton_solve(shared), .from = field};
    dr_par_for(&shared->world->par, node_count(shared->world), CHUNK, read_nodes, &job);
}

void dr_cloth_point_read_vertices(const solving *job, int i, float *value)
{
    read_around(job, &dr_cloth_newton_solve(job)->weights[i], value);
}

void dr_cloth_point_read_turns(const solving *job, int i, float *value)
{
    read_around(job, &dr_cloth_newton_solve(job)->turn_weights[i], value);
}

static node_job take_vector(const solving *shared, const float *point)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    node_job job = {.solve = solve};
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_thin_is_present(&shared->world->cloth.thin[i])) continue;
        job.vertex[i] = point + 4 * solve->vertex_at[i];
        if (solve->turn_weights[i].points > 0) job.turn[i] = point + 4 * solve->turn_at[i];
    }
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!job.vertex[i] || job.turn[i] || job.vertex[DR_THIN_COUNT - 1 - i]) continue;
        job.only = &solve->weights[i];
        job.values = job.vertex[i];
    }
    return job;
}

void dr_cloth_point_spread(const solving *shared, const float *point, float *out)
{
    node_job job = take_vector(shared, point);
    job.to = out;
    dr_par_for(&shared->world->par, node_count(shared->world), CHUNK, write_nodes, &job);
}

void dr_cloth_point_write_slope(const solving *shared, float *out)
{
    node_job job = {.solve = dr_cloth_newton_solve(shared),
                    .from = shared->v,
                    .start = dr_cloth_newton_vector(shared, DR_NEWTON_START),
                    .mass = shared->mass,
                    .to = out};
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (dr_thin_is_present(&shared->world->cloth.thin[i])) job.vertex[i] = job.solve->force[i];
    }
    dr_par_for(&shared->world->par, node_count(shared->world), CHUNK, write_slope, &job);
}

static void project_walls(const solving *job)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    for (size_t i = 0; i < solve->wall_count; i++) {
        size_t item = solve->walls[i].item;
        double change[3];
        if (solve->number[item] == DR_WEIGHTS_NONE) continue;
        float *at = solve->around + 4 * (size_t)solve->number[item];
        for (int a = 0; a < 3; a++) change[a] = (double)at[a];
        dr_cloth_wall_project(job->world, item, change);
        for (int a = 0; a < 3; a++) at[a] = (float)change[a];
    }
}

// By the grid's own transfers, where points read faces.
static void inverse_on_faces(const solving *job, const float *in, float *out)
{
    float *field = dr_cloth_newton_vector(job, DR_NEWTON_SCALED);
    dr_cloth_system_spread_points(job, in, field);
    dr_cloth_vector_precondition(job, field, 1.0, field);
    dr_cloth_system_read_points(job, field, out);
}

void dr_cloth_point_inverse(const solving *shared, const float *in, float *out)
{
    dr_world *world = shared->world;
    const dr_cloth_solve *solve = dr_cloth_newton_solve(shared);
    if (on_faces(world)) {
        inverse_on_faces(shared, in, out);
        return;
    }
    node_job job = take_vector(shared, in);
    dr_par_for(&world->par, solve->numbers, CHUNK, push_nodes, &job);
    project_walls(shared);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_thin_is_present(&world->cloth.thin[i])) continue;
        dr_cloth_point_read_vertices(shared, i, out + 4 * solve->vertex_at[i]);
        dr_cloth_point_read_turns(shared, i, out + 4 * solve->turn_at[i]);
    }
}

static void move_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const node_job *job = user;
    for (size_t n = begin; n < end; n++) {
        uint32_t number = job->solve->number[n];
        if (number == DR_WEIGHTS_NONE) continue; // where fields are nought
        dr_float4 v = dr_float4_load(job->solve->around + 4 * (size_t)number);
        v = __builtin_shufflevector(v, v, 3, 0, 1, 2);
        dr_float4_store(job->to + 4 * n, dr_float4_all(job->factor) * dr_float4_load(job->to + 4 * n) + v);
    }
}

void dr_cloth_point_move(const solving *shared, const float *in, double factor, float *field)
{
    node_job job = take_vector(shared, in);
    job.to = field;
    job.factor = (float)factor;
    if (on_faces(shared->world)) {
        float *more = dr_cloth_newton_vector(shared, DR_NEWTON_SCALED);
        dr_cloth_system_spread_points(shared, in, more);
        dr_cloth_vector_precondition(shared, more, 1.0, more);
        dr_cloth_vector_add(shared, field, factor - 1.0, field);
        dr_cloth_vector_add(shared, field, 1.0, more);
        return;
    }
    dr_par_for(&shared->world->par, job.solve->numbers, CHUNK, push_nodes, &job);
    project_walls(shared);
    dr_par_for(&shared->world->par, node_count(shared->world), CHUNK, move_nodes, &job);
}

// ---- vectors

typedef struct vector_job {
    double *partial;
    size_t pieces;
    const float *a, *b;
    float *rest, *value, *search, *image, *scaled, *step, *first;
    float factor, more;
} vector_job;

static vector_job open_vectors(const solving *job)
{
    const dr_cloth_solve *solve = dr_cloth_newton_solve(job);
    return (vector_job){.partial = solve->partial,
                        .pieces = (solve->points + CHUNK - 1) / CHUNK,
                        .rest = dr_cloth_point_vector(job, DR_POINT_REST),
                        .value = dr_cloth_point_vector(job, DR_POINT_VALUE),
                        .search = dr_cloth_point_vector(job, DR_POINT_SEARCH),
                        .image = dr_cloth_point_vector(job, DR_POINT_IMAGE),
                        .scaled = dr_cloth_point_vector(job, DR_POINT_SCALED),
                        .step = dr_cloth_point_vector(job, DR_POINT_STEP),
                        .first = dr_cloth_point_vector(job, DR_POINT_FIRST)};
}

static void run(const solving *job, dr_par_body body, vector_job *vectors)
{
    dr_par_for(&job->world->par, dr_cloth_newton_solve(job)->points, CHUNK, body, vectors);
}

DR_INLINE dr_double4 product(dr_float4 a, dr_float4 b)
{
    return dr_double4_from(a) * dr_double4_from(b);
}

static void dot_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t i = 4 * begin; i < 4 * end; i += 4)
        sum += product(dr_float4_load(job->a + i), dr_float4_load(job->b + i));
    job->partial[begin / CHUNK] = dr_double4_total(sum);
}

double dr_cloth_point_dot(const solving *job, const float *a, const float *b)
{
    vector_job vectors = open_vectors(job);
    vectors.a = a;
    vectors.b = b;
    run(job, dot_points, &vectors);
    return dr_par_sum(vectors.partial, vectors.pieces);
}

static void dot_images(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    dr_double4 scaled = dr_double4_all(0.0), first = scaled;
    for (size_t i = 4 * begin; i < 4 * end; i += 4) {
        dr_float4 image = dr_float4_load(job->image + i);
        scaled += product(image, dr_float4_load(job->scaled + i));
        first += product(dr_float4_load(job->first + i), image);
    }
    job->partial[begin / CHUNK] = dr_double4_total(scaled);
    job->partial[job->pieces + begin / CHUNK] = dr_double4_total(first);
}

static void add_up(const vector_job *job, double sums[2])
{
    for (size_t i = 0; i < 2; i++) sums[i] = dr_par_sum(job->partial + i * job->pieces, job->pieces);
}

void dr_cloth_point_dot_image(const solving *job, double sums[2])
{
    vector_job vectors = open_vectors(job);
    run(job, dot_images, &vectors);
    add_up(&vectors, sums);
}

static void begin_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    const dr_float4 none = dr_float4_all(0.0F);
    for (size_t i = 4 * begin; i < 4 * end; i += 4) {
        dr_float4_store(job->step + i, none);
        dr_float4_store(job->rest + i, none);
        dr_float4_store(job->search + i, none);
        dr_float4_store(job->value + i, dr_float4_load(job->first + i));
        dr_float4_store(job->image + i, none + dr_float4_load(job->scaled + i));
    }
}

void dr_cloth_point_begin(const solving *job)
{
    vector_job vectors = open_vectors(job);
    run(job, begin_points, &vectors);
}

static void negate_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    for (size_t i = 4 * begin; i < 4 * end; i++) job->step[i] = -job->step[i];
}

void dr_cloth_point_negate(const solving *job, float *of)
{
    vector_job vectors = {.step = of};
    run(job, negate_points, &vectors);
}

static void turn_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    for (size_t i = 4 * begin; i < 4 * end; i++) {
        job->search[i] = job->rest[i] + job->factor * job->search[i];
        job->image[i] = job->rest[i] + job->scaled[i] + job->factor * job->image[i];
    }
}

void dr_cloth_point_turn(const solving *job, double beta)
{
    vector_job vectors = open_vectors(job);
    vectors.factor = (float)beta;
    run(job, turn_points, &vectors);
}

static void advance_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vector_job *job = user;
    const dr_float4 alpha = dr_float4_all(job->factor), more = dr_float4_all(job->more);
    dr_double4 left = dr_double4_all(0.0), first = left;
    for (size_t i = 4 * begin; i < 4 * end; i += 4) {
        dr_float4 step = dr_float4_load(job->step + i) + alpha * dr_float4_load(job->search + i);
        dr_float4 rest = dr_float4_load(job->rest + i) - alpha * dr_float4_load(job->image + i);
        dr_float4 own = dr_float4_load(job->first + i), scaled = dr_float4_load(job->scaled + i) + more * own;
        dr_float4 value = dr_float4_load(job->value + i) - alpha * scaled;
        dr_float4_store(job->step + i, step);
        dr_float4_store(job->rest + i, rest);
        dr_float4_store(job->value + i, value);
        left += product(rest, value);
        first += product(rest, own);
    }
    job->partial[begin / CHUNK] = dr_double4_total(left);
    job->partial[job->pieces + begin / CHUNK] = dr_double4_total(first);
}

void dr_cloth_point_advance(const solving *job, double alpha, double more, double sums[2])
{
    vector_job vectors = open_vectors(job);
    vectors.factor = (float)alpha;
    vectors.more = (float)more;
    run(job, advance_points, &vectors);
    add_up(&vectors, sums);
}
