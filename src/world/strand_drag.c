// Drag of all strands on the liquid between them, and of the liquid on them, at once: conjugate gradients on the
// impulses J that strands receive, docs/theory/strands_in_liquid.md, eq. (12)-(14).
//   A = 1/c + R R* + S    R: the liquid's velocity around vertices; S: how strands answer without drag
//   P = 1/c + L + S       L: R R* with its rows summed up on the diagonal; not smaller than A
// P z = r is solved strand by strand by the factors of their first pass, in which e = 1 / (1/c + L) is the drag:
// v = (C + e)^-1 e r, z = e (r - v). Then A z = r - (L - R R*) z.
#include "world/strand_pass.h"

#include <math.h>
#include <string.h>

typedef struct pass {
    dr_world *world;
    double dt;
    double factor;
    const double *from;
    double *to;
    bool anew;
} pass;

static void visit(pass *job, dr_par_body body)
{
    dr_strand_visit_near(job->world, body, job);
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

// Into bring: an impulse over the liquid's mass around; with the flow: its volume times the velocity that strands, made
// linear, have.
static inline void bring_impulse(const dr_strand_liquid *wet, size_t v, const double *impulse, bool with_flow)
{
    float *to = wet->bring + (with_flow ? 8 : 4) * v;
    for (size_t a = 0; a < 3; a++) to[a] = (float)(impulse[3 * v + a] * wet->lighter[3 * v + a]);
    to[3] = 0.0F;
    if (!with_flow) return;
    for (size_t a = 0; a < 3; a++) to[4 + a] = (float)(wet->volume[v] * wet->guess[3 * v + a]);
    to[7] = 0.0F;
}

static void bring_impulses(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    for (size_t v = begin; v < end; v++) bring_impulse(&job->world->strand_liquid, v, job->from, false);
}

// spare: what a vertex reads of pull, weighed with the liquid's mass.
static void weigh_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        wet->spare[f] = f % 4 == 3 ? 0.0F : wet->pull[f] * world->liquid.mass[f];
}

// to = (L - R R*) from, with R R* from at samples. product of a run: of that with itself, with drag between.
static void differ_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    double square = 0.0;
    for (size_t v = begin; v < end; v++) {
        double found[DR_STRAND_FIELDS][4], drag[3], *to = job->to + 3 * v;
        dr_strand_samples_join(&wet->samples, v, found);
        for (size_t a = 0; a < 3; a++) {
            double around = found[0][a] * wet->lighter[3 * v + a];
            to[a] = wet->drag[2 * v + 1] > 0.0 ? wet->yield[v] * job->from[3 * v + a] - around : 0.0;
        }
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, to, drag);
        for (size_t a = 0; a < 3; a++) square += to[a] * drag[a];
    }
    wet->product[begin] = square;
}

// pull: R* from, which is what vertices bring; with_flow: also lift, the flux of strands.
static void differ_brought(pass *job, const double *from, double *to, bool with_flow)
{
    dr_strand_liquid *wet = &job->world->strand_liquid;
    float *const sums[] = {wet->pull, wet->lift};
    const float *face = wet->spare;
    dr_strand_samples_spread(job->world, with_flow ? 2 : 1, sums);
    dr_par_for(&job->world->par, job->world->grid.block_count, 32, weigh_faces, job);
    dr_strand_samples_read(job->world, (dr_transfer_fields){1, false}, &face, NULL);
    job->from = from;
    job->to = to;
    visit(job, differ_vertices);
}

static void differ(pass *job, const double *from, double *to)
{
    job->from = from;
    visit(job, bring_impulses);
    differ_brought(job, from, to, false);
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
    const dr_strand_liquid *wet;
    const double *a, *b;
} product;

static void multiply_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const product *job = user;
    double sum = 0.0;
    for (size_t k = 3 * begin; k < 3 * end; k++) sum += job->a[k] * job->b[k];
    job->wet->product[begin] = sum;
}

// Of the products of runs, which stand at their first vertices, in their order.
static double sum_runs(const pass *job)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t i = 0; i < wet->runs; i++) wet->product[i] = wet->product[wet->run[2 * i]];
    return dr_par_sum(wet->product, wet->runs);
}

static double dot(const pass *job, const double *a, const double *b)
{
    product both = {&job->world->strand_liquid, a, b};
    dr_strand_visit_near(job->world, multiply_vertices, &both);
    return sum_runs(job);
}

// to = e (from - to)
static void answer_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        double away[3];
        for (size_t a = 0; a < 3; a++) away[a] = job->from[3 * v + a] - job->to[3 * v + a];
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, away, job->to + 3 * v);
        for (size_t k = 3 * v; k < 3 * v + 3; k++) job->to[k] *= job->dt;
    }
}

// to = P^-1 from; scratch: anything afterwards, 0 away from liquid. False when memory is out.
static bool precondition(pass *job, const double *from, double *scratch, double *to)
{
    const dr_world *world = job->world;
    job->from = from;
    job->to = scratch;
    visit(job, drag_vertices); // e r
    if (!dr_strand_solver_respond(world->strands.solver, &world->state.strands, world->strand_liquid.strand, scratch,
                                  to))
        return false;
    job->from = from;
    job->to = to;
    visit(job, answer_vertices);
    return true;
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

// Into guess: besides what it is, the velocities of the first pass.
static void add_base(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const double *base = dr_strand_solver_velocity(job->world->strands.solver);
    double *guess = job->world->strand_liquid.guess;
    for (size_t k = 3 * begin; k < 3 * end; k++) guess[k] += base[k];
}

// guess: what strands do beyond their first pass, made linear, under pressure and where drag pulls towards these
// velocities.
static bool answer(pass *job, const double *toward)
{
    dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    job->from = toward;
    visit(job, push_vertices);
    return dr_strand_solver_respond(world->strands.solver, &world->state.strands, wet->strand, wet->image, wet->guess);
}

// guess: the same with what they did in it.
static bool move(pass *job, const double *toward)
{
    if (!answer(job, toward)) return false;
    visit(job, add_base);
    return true;
}

bool dr_strand_drag_guess(dr_world *world, double dt)
{
    pass job = {.world = world, .dt = dt};
    return move(&job, world->strand_liquid.target);
}

// The velocity that drag pulls towards: the stream, less what others take of it.
static void aim(pass *job, const double *impulse)
{
    dr_strand_liquid *wet = &job->world->strand_liquid;
    differ(job, impulse, wet->target);
    add(job, wet->target, 1.0, wet->stream);
}

// Where strands are by what they answered, with the velocities of their first pass. Into residual: how far they lag
// behind what drag pulls towards, `from`. Into impulse: drag by that; into direction: what it is more than is given.
// Anew nothing is given, and into bring goes what the impulses and the flow of strands bring to faces. product of a
// run: the energy of drag.
static void lag_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const double *base = dr_strand_solver_velocity(job->world->strands.solver);
    double energy = 0.0;
    for (size_t v = begin; v < end; v++) {
        double residual[3], drag[3];
        for (size_t a = 0; a < 3; a++) {
            wet->guess[3 * v + a] += base[3 * v + a];
            residual[a] = job->from[3 * v + a] - wet->guess[3 * v + a];
        }
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, residual, drag);
        for (size_t a = 0; a < 3; a++) {
            size_t k = 3 * v + a;
            double impulse = job->dt * drag[a];
            wet->impulse[k] = impulse;
            energy += impulse * residual[a];
            if (!job->anew) wet->direction[k] = impulse - wet->given[k];
        }
        if (job->anew) bring_impulse(wet, v, wet->impulse, true);
    }
    wet->product[begin] = energy;
}

// One iteration with P alone from the impulses that are given, or from none: J' = J + P^-1 (b - A J). After it b - A J'
// is (L - R R*)(J' - J). Returns the energy of drag.
static bool begin(pass *job, bool anew, double *whole)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    if (!anew) aim(job, wet->given);
    const double *toward = anew ? wet->stream : wet->target;
    if (!answer(job, toward)) return false;
    job->anew = anew;
    job->from = toward;
    visit(job, lag_vertices);
    *whole = sum_runs(job);
    if (anew)
        differ_brought(job, wet->impulse, wet->residual, true);
    else
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
// little, the impulses are good as they are. Right after the residual was found.
static bool is_good(const pass *job, double whole)
{
    return job->dt * sum_runs(job) <= DR_STRAND_DRAG_LEFT * whole;
}

// given = J, target = stream + (L - R R*) J, with that in residual.
static void settle_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        wet->given[k] = wet->impulse[k];
        wet->target[k] = wet->stream[k] + wet->residual[k];
    }
}

static void forget_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) wet->given[k] = 0.0;
}

// whole: the energy of drag; where what is asked for is more, as along a way of which a small part will be taken, it is
// measured by that. Given are the means of the impulses so far, weighed with 1 / (r P^-1 r): what is left of the
// equations is then the least that these iterations could leave, 1 / sum of the weights.
static bool iterate(pass *job, double whole)
{
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    double *scratch = wet->target, before = 0.0, weights = 0.0;
    for (int i = 0; i < DR_STRAND_DRAG_ITERATIONS; i++) {
        if (!precondition(job, wet->residual, scratch, wet->guess)) return false;
        double now = dot(job, wet->residual, wet->guess);
        if (i == 0) whole = fmax(whole, now);
        weights += 1.0 / now;
        job->factor = now > 0.0 ? 1.0 / now / weights : 1.0;
        visit(job, smooth_vertices);
        if (!(now > 0.0 && 1.0 > DR_STRAND_DRAG_LEFT * whole * weights)) break;
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

bool dr_strand_drag_solve(dr_world *world, double dt, bool anew, bool *flown)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    pass job = {.world = world, .dt = dt};
    double whole;
    *flown = false;
    if (!begin(&job, anew, &whole)) return false;
    if (anew) wet->energy = whole;
    if (anew && is_good(&job, wet->energy)) {
        visit(&job, settle_vertices);
        *flown = true;
        return true;
    }
    if (anew) visit(&job, forget_vertices);
    if (!iterate(&job, wet->energy)) return false;
    aim(&job, wet->given);
    return move(&job, wet->target);
}
