// Drag of all strands on the liquid between them, and of the liquid on them, at once: conjugate gradients on the
// impulses J that strands receive, docs/theory/strands_in_liquid.md, eq. (12)-(14).
//   A = 1/c + R R* + S    R: the liquid's velocity around vertices; S: how strands answer without drag
//   P = 1/c + L + S       L: R R* with its rows summed up on the diagonal; not smaller than A
// P z = r is solved strand by strand by the factors of their first pass, in which e = 1 / (1/c + L) is the drag:
// v = (C + e)^-1 e r, z = e (r - v). Then A z = r - (L - R R*) z.
#include "world/world.h"

#include <math.h>
#include <string.h>

#define CHUNK 1024

// What may be left of the equations, squared, of the energy of drag, at which the impulses are good to about a
// hundredth. A tenth: two iterations more where drag is strong; ten times: an error of three hundredths there.
#define LEFT 1e-5

// At most; what is left is drag that comes a step later.
#define ITERATIONS 40

typedef struct pass {
    dr_world *world;
    double dt;
    double factor;
    const double *from;
    double *to;
} pass;

static void visit(pass *job, dr_par_body body)
{
    dr_par_for(&job->world->par, job->world->state.strands.vertices, CHUNK, body, job);
}

// to = e from
static void drag_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, job->from + 3 * v, job->to + 3 * v);
        for (size_t k = 3 * v; k < 3 * v + 3; k++) job->to[k] *= job->dt;
    }
}

// to = from over the liquid's mass around.
static void weigh_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const double *mass = job->world->strand_liquid.mass;
    for (size_t k = 3 * begin; k < 3 * end; k++) job->to[k] = mass[k] > 0.0 ? job->from[k] / mass[k] : 0.0;
}

static void weigh_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    float *face = world->strand_liquid.pull;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        face[f] = f % 4 == 3 ? 0.0F : face[f] * world->liquid.mass[f];
}

// to = (L - R R*) from, with R R* from in `value`.
static void differ_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        double around = wet->mass[k] > 0.0 ? wet->value[k / 3 * 4 + k % 3] / wet->mass[k] : 0.0;
        job->to[k] = wet->drag[k / 3 * 2 + 1] > 0.0 ? wet->yield[k / 3] * job->from[k] - around : 0.0;
    }
}

static void differ(pass *job, const double *from, double *to)
{
    dr_strand_liquid *wet = &job->world->strand_liquid;
    job->from = from;
    job->to = to;
    visit(job, weigh_vertices);
    dr_strand_samples_spread(job->world, to, wet->pull);
    dr_par_for(&job->world->par, job->world->grid.block_count, 32, weigh_faces, job);
    dr_strand_samples_read(job->world, wet->pull);
    visit(job, differ_vertices);
}

static void subtract_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    for (size_t k = 3 * begin; k < 3 * end; k++) job->to[k] -= job->from[k];
}

// to += factor from
static void add_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    for (size_t k = 3 * begin; k < 3 * end; k++) job->to[k] += job->factor * job->from[k];
}

static void add(pass *job, double *to, double factor, const double *from)
{
    job->to = to;
    job->factor = factor;
    job->from = from;
    visit(job, add_vertices);
}

typedef struct product {
    const double *a, *b;
    double *part; // [piece]
} product;

static void multiply_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const product *job = user;
    double sum = 0.0;
    for (size_t k = 3 * begin; k < 3 * end; k++) sum += job->a[k] * job->b[k];
    job->part[begin / CHUNK] = sum;
}

// Sums over pieces of fixed size, then in order.
static double dot(const pass *job, const double *a, const double *b)
{
    size_t count = job->world->state.strands.vertices;
    product sum = {a, b, job->world->strand_liquid.parts};
    dr_par_for(&job->world->par, count, CHUNK, multiply_pieces, &sum);
    return dr_par_sum(sum.part, (count + CHUNK - 1) / CHUNK);
}

// to = P^-1 from; scratch: anything afterwards. False when memory is out.
static bool precondition(pass *job, const double *from, double *scratch, double *to)
{
    const dr_world *world = job->world;
    job->from = from;
    job->to = scratch;
    visit(job, drag_vertices); // e r
    if (!dr_strand_solver_respond(world->strands.solver, &world->state.strands, world->strand_liquid.strand, scratch,
                                  to))
        return false;
    size_t bytes = 3 * world->state.strands.vertices * sizeof *to;
    memcpy(scratch, from, bytes);
    job->from = to;
    job->to = scratch;
    visit(job, subtract_vertices); // r - v
    job->from = scratch;
    job->to = to;
    visit(job, drag_vertices);
    return true;
}

// Into residual: how far strands lag behind what drag pulls towards.
static void lag_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) wet->residual[k] = wet->target[k] - wet->guess[k];
}

// Into image: what pressure, and drag towards these velocities, give beyond what the first pass had.
static void push_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double change[3];
        for (size_t a = 0; a < 3; a++) change[a] = job->from[3 * v + a] - wet->first[3 * v + a];
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, change, wet->image + 3 * v);
        for (size_t k = 3 * v; k < 3 * v + 3; k++)
            wet->image[k] = job->dt * (wet->image[k] - wet->volume[v] * wet->slope[k]);
    }
}

void dr_strand_drag_push(dr_world *world, double dt)
{
    pass job = {.world = world, .dt = dt, .from = world->strand_liquid.target};
    visit(&job, push_vertices);
}

// guess: what strands do by their first pass, made linear, under pressure and where drag pulls towards these
// velocities.
static bool move(pass *job, const double *toward)
{
    dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    memset(wet->guess, 0, 3 * world->state.strands.vertices * sizeof *wet->guess);
    job->from = toward;
    visit(job, push_vertices);
    if (!dr_strand_solver_respond(world->strands.solver, &world->state.strands, wet->strand, wet->image, wet->guess))
        return false;
    add(job, wet->guess, 1.0, wet->base);
    return true;
}

// The velocity that drag pulls towards: the stream, less what others take of it.
static void aim(pass *job, const double *impulse)
{
    dr_strand_liquid *wet = &job->world->strand_liquid;
    differ(job, impulse, wet->target);
    add(job, wet->target, 1.0, wet->stream);
}

// One iteration with P alone from the impulses that are given, or from none: J' = J + P^-1 (b - A J). After it b - A J'
// is (L - R R*)(J' - J). Returns the energy of drag.
static bool begin(pass *job, bool anew, double *whole)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    size_t bytes = 3 * job->world->state.strands.vertices * sizeof(double);
    if (anew)
        memcpy(wet->target, wet->stream, bytes);
    else
        aim(job, wet->given);
    if (!move(job, wet->target)) return false;
    visit(job, lag_vertices);
    job->from = wet->residual;
    job->to = wet->impulse;
    visit(job, drag_vertices);
    *whole = dot(job, wet->impulse, wet->residual);
    memcpy(wet->direction, wet->impulse, bytes);
    add(job, wet->direction, -1.0, wet->given);
    differ(job, wet->direction, wet->residual);
    return true;
}

// p = z + turn p, A p = r - (L - R R*) z + turn A p
static void turn_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    double turn = job->factor;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        wet->direction[k] = wet->guess[k] + (turn > 0.0 ? turn * wet->direction[k] : 0.0);
        wet->image[k] = wet->residual[k] - wet->target[k] + (turn > 0.0 ? turn * wet->image[k] : 0.0);
    }
}

// given += factor (J - given)
static void smooth_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) wet->given[k] += job->factor * (wet->impulse[k] - wet->given[k]);
}

// P is no less than 1/e: with e in place of P^-1 what is left of the equations is overestimated. Where even that is
// little, the impulses are good as they are.
static bool is_good(pass *job, double whole)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    job->from = wet->residual;
    job->to = wet->image;
    visit(job, drag_vertices);
    return dot(job, wet->residual, wet->image) <= LEFT * whole;
}

// Given are the means of the impulses so far, weighed with 1 / (r P^-1 r): what is left of the equations is then the
// least that these iterations could leave, 1 / sum of the weights.
static bool iterate(pass *job, double whole)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    double *scratch = wet->target, before = 0.0, weights = 0.0;
    for (int i = 0; i < ITERATIONS; i++) {
        if (!precondition(job, wet->residual, scratch, wet->guess)) return false;
        double now = dot(job, wet->residual, wet->guess);
        weights += 1.0 / now;
        job->factor = now > 0.0 ? 1.0 / now / weights : 1.0;
        visit(job, smooth_vertices);
        if (!(now > 0.0 && 1.0 > LEFT * whole * weights)) break;
        differ(job, wet->guess, scratch);
        job->factor = i == 0 ? 0.0 : now / before;
        visit(job, turn_vertices);
        double steep = dot(job, wet->direction, wet->image);
        if (!(steep > 0.0)) break;
        add(job, wet->impulse, now / steep, wet->direction);
        add(job, wet->residual, -now / steep, wet->image);
        before = now;
    }
    return true;
}

bool dr_strand_drag_solve(dr_world *world, double dt, bool anew)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    pass job = {.world = world, .dt = dt};
    double whole;
    if (anew) memset(wet->given, 0, 3 * world->state.strands.vertices * sizeof *wet->given);
    if (!begin(&job, anew, &whole)) return false;
    if (anew) wet->energy = whole;
    if (anew && is_good(&job, wet->energy)) {
        size_t bytes = 3 * world->state.strands.vertices * sizeof(double);
        memcpy(wet->given, wet->impulse, bytes);
        memcpy(wet->target, wet->residual, bytes); // (L - R R*) J
        add(&job, wet->target, 1.0, wet->stream);
        return move(&job, wet->target);
    }
    if (!iterate(&job, wet->energy)) return false;
    aim(&job, wet->given);
    return move(&job, wet->target);
}
