// Cloth under the pressure of liquid: its elastic answer to the pressure, and the pressure that the answer asks for, by
// conjugate gradients on the pressure of both. docs/theory/codim.md, section 10.
//   u      velocity that the pressure promised; v  the one that cloth has with it
//   A      M + dt^2 K of cloth and the liquid that moves with it
//   S      B A^-1 B^T, of which B M^-1 B^T, the liquid's own solve, is the preconditioner
#include "world/cloth_newton.h"
#include "world/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GRAIN 32 // blocks

static bool is_bound(const dr_cloth_newton *job, size_t f)
{
    return job->mass[f] >= FLT_MIN && isinf(job->world->bodies.drag[f]) && job->world->liquid.mass[f] > 0.0F;
}

static double weight_of(const dr_world *world, size_t f)
{
    double open = world->liquid.constants.has_solids ? (double)world->liquid.solids.open_area[f] : 1.0;
    return f % 4 == 3 ? 0.0 : open * (double)world->liquid.theta[f];
}

static void visit(const dr_cloth_newton *job, dr_par_body body)
{
    dr_cloth_newton copy = *job;
    dr_par_for(&job->world->par, job->world->grid.block_count, GRAIN, body, &copy);
}

static double sum_of(const dr_cloth_newton *job)
{
    return dr_par_sum(job->world->cloth.solve.partial, (job->world->grid.block_count + GRAIN - 1) / GRAIN);
}

static void count_bound(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    double sum = 0.0;
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) sum += is_bound(job, f);
    job->world->cloth.solve.partial[begin / GRAIN] = sum;
}

// Gives the elastic impulse of before back. START: with what the pressure did; VELOCITY: as it promised.
static void take_promise(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    dr_body_stage *bodies = &job->world->bodies;
    float *start = dr_cloth_newton_vector(job, DR_NEWTON_START);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        if (!(job->mass[f] >= FLT_MIN)) continue;
        bodies->momentum[f] -= job->mass[f] * (job->v[f] - start[f]);
        start[f] += bodies->velocity[f] - job->v[f];
        job->v[f] = bodies->velocity[f];
    }
}

// What of the promise cloth does not keep, beside what rounds before did elsewhere; the work of the pressure at cloth.
static void find_missed(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    const dr_world *world = job->world;
    float *missed = dr_cloth_newton_vector(job, DR_NEWTON_MISSED);
    double sum = 0.0;
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        bool bound = is_bound(job, f);
        double gradient = bound ? (double)world->liquid.gradient[f] : 0.0;
        if (bound) missed[f] = job->v[f] - world->bodies.velocity[f];
        sum += weight_of(world, f) * (double)world->bodies.mobility[f] * gradient * gradient;
    }
    world->cloth.solve.partial[begin / GRAIN] = sum;
}

// Compressible liquid in a cell gives way by so much per pressure, 1/s.
static double softness(const dr_world *world, size_t c)
{
    return world->liquid.constants.compressible ? (double)world->liquid.rheology.compliance[c] : 0.0;
}

// What a flux on faces, less what compressible liquid gave way to pressures that were added in cells, is against a
// pressure and its gradient.
typedef struct leaving {
    const dr_world *world;
    const float *flux, *risen, *gradient, *pressure;
} leaving;

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const leaving *job = user;
    double sum = 0.0;
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++)
        sum += weight_of(job->world, f) * (double)job->flux[f] * (double)job->gradient[f];
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES && job->world->liquid.constants.compressible; c++)
        sum -= softness(job->world, c) * (double)job->risen[c] * (double)job->pressure[c];
    job->world->cloth.solve.partial[begin / GRAIN] = sum;
}

static double measure(const dr_cloth_newton *job, const leaving *what)
{
    leaving copy = *what;
    dr_par_for(&job->world->par, job->world->grid.block_count, GRAIN, measure_blocks, &copy);
    return sum_of(job);
}

// The way: the pressure found anew and a part of the way before; its impulse on cloth, as the slope that it answers.
static void turn(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    const dr_world *world = job->world;
    float *way = dr_cloth_newton_vector(job, DR_NEWTON_WAY), *slope = dr_cloth_newton_vector(job, DR_NEWTON_SLOPE);
    float *rise = dr_cloth_newton_vector(job, DR_NEWTON_CELLS), part = (float)job->factor;
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        way[f] = world->liquid.result[f] + (part != 0.0F ? part * way[f] : 0.0F);
        slope[f] = is_bound(job, f) ? job->mass[f] * world->bodies.mobility[f] * way[f] : 0.0F;
    }
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++)
        rise[c] = world->liquid.guess[c] + (part != 0.0F ? part * rise[c] : 0.0F);
}

// STEP: the change of velocity along the way, of cloth as it answered and of the liquid elsewhere; nought beyond it.
static void join_step(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    const dr_world *world = job->world;
    const float *way = dr_cloth_newton_vector(job, DR_NEWTON_WAY);
    float *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP), *spare = dr_cloth_newton_vector(job, DR_NEWTON_SPARE);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        spare[f] = step[f]; // of all cloth
        if (!is_bound(job, f)) step[f] = way[f] != 0.0F ? -world->bodies.mobility[f] * way[f] : 0.0F;
    }
}

static void go(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    const dr_world *world = job->world;
    const float *way = dr_cloth_newton_vector(job, DR_NEWTON_WAY), *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP);
    const float *answer = dr_cloth_newton_vector(job, DR_NEWTON_SPARE);
    float *missed = dr_cloth_newton_vector(job, DR_NEWTON_MISSED),
          *total = dr_cloth_newton_vector(job, DR_NEWTON_TOTAL);
    float *rise = dr_cloth_newton_vector(job, DR_NEWTON_CELLS), part = (float)job->factor;
    float *risen = rise + world->grid.block_count * DR_BLOCK_NODES;
    float *start = dr_cloth_newton_vector(job, DR_NEWTON_START);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        missed[f] += part * step[f];
        job->v[f] += part * answer[f];
        total[f] += part * way[f];
        if (is_bound(job, f)) start[f] -= part * world->bodies.mobility[f] * way[f];
    }
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) risen[c] += part * rise[c];
}

// Cloth and the liquid that moves with it have the velocity of the answer; before the pressure, its elastic impulse.
static void keep_answer(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_cloth_newton *job = user;
    dr_body_stage *bodies = &job->world->bodies;
    const float *start = dr_cloth_newton_vector(job, DR_NEWTON_START);
    for (size_t f = begin * DR_NEWTON_FLOATS; f < end * DR_NEWTON_FLOATS; f++) {
        if (!(job->mass[f] >= FLT_MIN)) continue;
        bodies->velocity[f] = job->v[f];
        if (is_bound(job, f)) job->world->liquid.velocity[f] = job->v[f];
        bodies->momentum[f] += job->mass[f] * (job->v[f] - start[f]);
        bodies->predicted[f] = bodies->momentum[f] / bodies->mass[f];
    }
}

static void clear(const dr_cloth_newton *job, int which)
{
    memset(dr_cloth_newton_vector(job, which), 0, job->world->grid.block_count * DR_NEWTON_FLOATS * sizeof(float));
}

// One iteration of conjugate gradients; gain: of the one before, and of this one; 0: less than `least`.
static void mend(dr_cloth_newton *job, double least, double *gain)
{
    dr_liquid *liquid = &job->world->liquid;
    const float *missed = dr_cloth_newton_vector(job, DR_NEWTON_MISSED);
    const float *step = dr_cloth_newton_vector(job, DR_NEWTON_STEP), *way = dr_cloth_newton_vector(job, DR_NEWTON_WAY);
    const float *rise = dr_cloth_newton_vector(job, DR_NEWTON_CELLS),
                *risen = rise + job->world->grid.block_count * DR_BLOCK_NODES;
    dr_liquid_press_again(liquid, missed, risen);
    double now = measure(job, &(leaving){job->world, missed, risen, liquid->result, liquid->guess}), before = *gain;
    *gain = 0.0;
    if (!(now > least)) return;
    job->factor = before > 0.0 ? now / before : 0.0;
    visit(job, turn);
    dr_cloth_newton_answer(job, DR_CLOTH_VOID);
    visit(job, join_step);
    double slope = -measure(job, &(leaving){job->world, step, rise, way, rise});
    if (!(slope > 0.0)) return;
    job->factor = now / slope;
    visit(job, go);
    *gain = now;
}

// Rounds where cloth was last linearised; false: nothing was missed.
static bool mend_all(dr_cloth_newton *job)
{
    visit(job, find_missed);
    double least = DR_CLOTH_VOID * DR_CLOTH_VOID * sum_of(job), gain = 0.0;
    int round = 0;
    for (; round < DR_CLOTH_ROUNDS; round++) {
        mend(job, least, &gain);
        if (!(gain > 0.0)) break;
    }
    return round > 0;
}

bool dr_cloth_press_answer(dr_world *world, dr_try *attempt)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    dr_cloth_newton job = {.world = world, .dt = attempt->dt};
    if (!dr_cloth_stage_any(world) || !world->constants.bodies_meet_liquid || !solve->on || attempt->rejected)
        return true;
    job.mass = dr_cloth_newton_vector(&job, DR_NEWTON_MASS);
    job.v = dr_cloth_newton_vector(&job, DR_NEWTON_VELOCITY);
    visit(&job, count_bound);
    if (sum_of(&job) == 0.0) return true;
    visit(&job, take_promise);
    clear(&job, DR_NEWTON_MISSED);
    clear(&job, DR_NEWTON_TOTAL);
    clear(&job, DR_NEWTON_CELLS);
    for (int turn = 0; turn <= DR_CLOTH_TURNS; turn++) {
        job = dr_cloth_newton_again(world, attempt);
        if (solve->starved) return false;
        if (attempt->rejected) return true;
        if (turn == DR_CLOTH_TURNS || !mend_all(&job)) break;
    }
    const float *risen = dr_cloth_newton_vector(&job, DR_NEWTON_CELLS) + world->grid.block_count * DR_BLOCK_NODES;
    dr_liquid_step step = {.dt = attempt->dt};
    dr_liquid_add_pressure(&world->liquid, &step, risen, dr_cloth_newton_vector(&job, DR_NEWTON_TOTAL), 1.0);
    visit(&job, keep_answer);
    return true;
}
