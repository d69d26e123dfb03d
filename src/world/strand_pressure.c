// The pressure of liquid on strands, their answer to it, and their reaction on the liquid.
// docs/theory/strands_in_liquid.md.
#include "world/strand_pass.h"

#include "base/clock.h"
#include "math/scalar.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// ---- what liquid is around vertices

// hold: 1 where liquid could pass.
static void note_open(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        world->strand_liquid.hold[f] = world->liquid.solids.open_area[f] > 0.0F ? 1.0F : 0.0F;
}

// Beside a wall the gradient is that of the faces that have one.
static void take_flow(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    bool walls = wet->samples.fields == 3;
    for (size_t v = begin; v < end; v++) {
        double found[DR_STRAND_FIELDS][4];
        dr_strand_samples_join(&wet->samples, v, found);
        for (size_t a = 0; a < 3; a++) {
            double lighter = wet->lighter[3 * v + a],
                   open = walls ? dr_max_double(found[2][a], DR_STRAND_LEAST_OPEN) : 1.0;
            wet->slope[3 * v + a] = lighter > 0.0 ? found[0][a] / open : 0.0;
            wet->stream[3 * v + a] = lighter * found[1][a];
        }
    }
}

// Pressure gradient and velocity of the liquid around vertices.
static void look_around(dr_world *world, double dt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    const float *const face[] = {world->liquid.gradient, wet->spare, wet->hold};
    bool walls = world->liquid.constants.has_solids;
    if (walls) dr_strand_visit_blocks(world, dt, note_open);
    dr_strand_liquid_note(world, dt);
    dr_strand_samples_read(world, (dr_transfer_fields){walls ? 3 : 2, false}, face, NULL);
    dr_strand_visit_wet(world, dt, take_flow);
}

// ---- the mixture's divergence

// Into bring: what drag gives a vertex as its strand, made linear, has it, over the liquid's mass around; its volume
// times the velocity that it then has.
static void bring_flow(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t v = begin; v < end; v++) {
        float *to = wet->bring + 8 * v;
        double away[3], drag[3];
        dr_vec3_sub(away, wet->target + 3 * v, wet->guess + 3 * v);
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, away, drag);
        for (size_t a = 0; a < 3; a++) {
            to[a] = (float)(job->dt * drag[a] * wet->lighter[3 * v + a]);
            to[4 + a] = (float)(wet->volume[v] * wet->guess[3 * v + a]);
        }
        to[3] = to[7] = 0.0F;
    }
}

// What the mixture's flux as strands have it is more than that which the pressure promised, into `hold`; sums: squares
// of that and of what the pressure did.
static void compare_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_world *world = job->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, cell_volume = cell * cell * cell;
    for (size_t b = begin; b < end; b++) {
        double squares[2] = {0.0, 0.0};
        for (size_t f = b * DR_BLOCK_FACES; f < (b + 1) * DR_BLOCK_FACES; f++) {
            double volume = (double)wet->fibres[f], scale = dr_fraction_scale(volume, cell_volume, DR_STRAND_DENSEST);
            double gradient = (double)world->liquid.gradient[f];
            double liquid = (double)world->liquid.velocity[f] - (double)wet->pull[f];
            double flux = liquid + scale * ((double)wet->lift[f] - volume * liquid);
            double missed = f % 4 != 3 ? flux - (double)wet->flux[f] : 0.0,
                   done = fabs((double)wet->mobility[f] * gradient) + fabs((double)wet->pull[f]);
            wet->hold[f] = (float)missed;
            if (f % 4 == 3 || gradient == 0.0 || !(volume > 0.0)) continue;
            squares[0] += missed * missed;
            squares[1] += done * done;
        }
        wet->sums[2 * b] = squares[0];
        wet->sums[2 * b + 1] = squares[1];
    }
}

static void sum_up(const dr_world *world, double sum[2])
{
    sum[0] = sum[1] = 0.0;
    for (size_t i = 0; i < 2 * world->grid.block_count; i++) sum[i % 2] += world->strand_liquid.sums[i];
}

// How much of what the pressure did strands make void, squared. flown: what they give and how they flow is known.
static double compare(dr_world *world, double dt, bool flown)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    double sum[2];
    float *const face[] = {wet->pull, wet->lift};
    if (!flown) {
        dr_strand_visit_wet(world, dt, bring_flow);
        dr_strand_samples_spread(world, 2, face);
    }
    dr_strand_visit_blocks(world, dt, compare_blocks);
    sum_up(world, sum);
    return sum[1] > 0.0 ? sum[0] / sum[1] : 0.0;
}

// Of a face in sums of flux times gradient.
static double weight_of(const dr_world *world, size_t f)
{
    double open = world->liquid.constants.has_solids ? (double)world->liquid.solids.open_area[f] : 1.0;
    return open * (double)world->liquid.theta[f];
}

// Compressible liquid in a cell gives way by so much per pressure, 1/s.
static double softness(const dr_world *world, size_t c)
{
    const dr_liquid *liquid = &world->liquid;
    return liquid->constants.compressible ? (double)liquid->rheology.compliance[c] : 0.0;
}

// What a missed flux on faces and the pressures that were added in cells leave, against a pressure: flux times
// gradient, and what compressible liquid gave way.
typedef struct leaving {
    const dr_world *world;
    const float *missed, *risen;      // what is left
    const float *gradient, *pressure; // against what
} leaving;

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const leaving *job = user;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t f = b * DR_BLOCK_FACES; f < (b + 1) * DR_BLOCK_FACES; f++) {
            if (f % 4 != 3) sum += weight_of(job->world, f) * (double)job->missed[f] * (double)job->gradient[f];
        }
        for (size_t c = b * DR_BLOCK_NODES; c < (b + 1) * DR_BLOCK_NODES; c++)
            sum -= softness(job->world, c) * (double)job->risen[c] * (double)job->pressure[c];
        job->world->strand_liquid.sums[2 * b] = sum;
        job->world->strand_liquid.sums[2 * b + 1] = 0.0;
    }
}

static double measure(const dr_world *world, const float *missed, const float *risen, const float *gradient,
                      const float *pressure)
{
    leaving job = {world, missed, risen, gradient, pressure};
    double sum[2];
    dr_par_for(&world->par, world->grid.block_count, 32, measure_blocks, &job);
    sum_up(world, sum);
    return sum[0];
}

// The way of conjugate gradients: the pressure found anew, and a part of the way before. From here on `risen` is what
// it will be after a whole step along it.
static void turn_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    float part = (float)job->part;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++)
        wet->way[f] = wet->mending[f] + (part != 0.0F ? part * wet->way[f] : 0.0F);
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        wet->rise[c] = wet->mender[c] + (part != 0.0F ? part * wet->rise[c] : 0.0F);
        wet->risen[c] += wet->rise[c];
    }
}

static void visit_part(dr_world *world, double dt, double part, dr_par_body body, size_t count, size_t grain)
{
    dr_strand_pass job = {world, dt, part};
    dr_par_for(&world->par, count, grain, body, &job);
}

// Between the answers of before, kept in `before`, and after a whole step.
static void blend_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        const double *before = wet->before + 12 * (k / 3) + k % 3;
        wet->target[k] = before[0] + job->part * (wet->target[k] - before[0]);
        wet->guess[k] = before[3] + job->part * (wet->guess[k] - before[3]);
        wet->slope[k] = before[6] + job->part * (wet->slope[k] - before[6]);
        wet->given[k] = before[9] + job->part * (wet->given[k] - before[9]);
    }
}

static void keep_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    for (size_t k = 3 * begin; k < 3 * end; k++) {
        double *before = wet->before + 12 * (k / 3) + k % 3;
        before[0] = wet->target[k];
        before[3] = wet->guess[k];
        before[6] = wet->slope[k];
        before[9] = wet->given[k];
    }
}

// From the end of the whole step back to a part of it; what is missed, and the pressure that would mend it, likewise.
static void blend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const dr_liquid *liquid = &job->world->liquid;
    float part = (float)job->part;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        wet->missed[f] += part * (wet->hold[f] - wet->missed[f]);
        wet->mending[f] += part * (liquid->result[f] - wet->mending[f]);
    }
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        wet->risen[c] -= (1.0F - part) * wet->rise[c];
        wet->mender[c] += part * (liquid->guess[c] - wet->mender[c]);
    }
}

// What is missed now, and the pressure that would mend it by the preconditioner.
static void keep_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_liquid *wet = &((const dr_strand_pass *)user)->world->strand_liquid;
    memcpy(wet->missed + begin * DR_BLOCK_FACES, wet->hold + begin * DR_BLOCK_FACES,
           (end - begin) * DR_BLOCK_FACES * sizeof(float));
    memset(wet->risen + begin * DR_BLOCK_NODES, 0, (end - begin) * DR_BLOCK_NODES * sizeof(float));
}

static void keep_mender(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    memcpy(wet->mending + begin * DR_BLOCK_FACES, world->liquid.result + begin * DR_BLOCK_FACES,
           (end - begin) * DR_BLOCK_FACES * sizeof(float));
    memcpy(wet->mender + begin * DR_BLOCK_NODES, world->liquid.guess + begin * DR_BLOCK_NODES,
           (end - begin) * DR_BLOCK_NODES * sizeof(float));
}

// Strands as they answer the liquid's pressure and velocity, made linear. False when memory is out.
static bool answer_liquid(dr_world *world, double dt, bool anew, bool *flown)
{
    look_around(world, dt);
    return dr_strand_drag_solve(world, dt, anew, flown);
}

// One iteration on the pressure of the whole mixture, of which that with (10) is the preconditioner, along the way of
// conjugate gradients. A whole step along it, and the pressure that would mend what is missed after it, tell which part
// of the step leaves least: beside walls and the surface the system is not symmetric. left: what is missed against the
// pressure that would mend it, before and after.
static bool mend(dr_world *world, double dt, double turn, double *left)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    dr_liquid *liquid = &world->liquid;
    dr_liquid_step step = {.dt = dt};
    size_t blocks = world->grid.block_count;
    visit_part(world, dt, turn, turn_blocks, blocks, 32);
    dr_strand_visit_wet(world, dt, keep_vertices);
    dr_liquid_add_pressure(liquid, &step, wet->rise, wet->way, 1.0);
    bool flown;
    if (!answer_liquid(world, dt, false, &flown)) return false;
    compare(world, dt, flown);
    dr_liquid_press_again(liquid, wet->hold, wet->risen);
    double now = *left, cross = measure(world, wet->hold, wet->risen, wet->mending, wet->mender),
           whole = measure(world, wet->hold, wet->risen, liquid->result, liquid->guess);
    double bend = now - 2.0 * cross + whole;
    double part = bend > 0.0 ? fmin(fmax((now - cross) / bend, 0.0), 1.0) : 0.0;
    dr_liquid_add_pressure(liquid, &step, wet->rise, wet->way, part - 1.0);
    dr_strand_pass blend = {world, dt, part};
    dr_strand_visit_near(world, blend_vertices, &blend);
    visit_part(world, dt, part, blend_blocks, blocks, 32);
    *left = now - 2.0 * part * (now - cross) + part * part * bend;
    return true;
}

// sums: of what the pressure did where strands are, flux times gradient; nothing.
static void effort_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t f = b * DR_BLOCK_FACES; f < (b + 1) * DR_BLOCK_FACES; f++) {
            double gradient = (double)world->liquid.gradient[f], mobility = (double)wet->mobility[f];
            if (f % 4 == 3 || gradient == 0.0 || !(wet->fibres[f] > 0.0F) || !(mobility > 0.0)) continue;
            double done = fabs(mobility * gradient) + fabs((double)wet->pull[f]);
            sum += weight_of(world, f) * done * done / mobility;
        }
        wet->sums[2 * b] = sum;
        wet->sums[2 * b + 1] = 0.0;
    }
}

static double effort(dr_world *world, double dt)
{
    double sum[2];
    dr_strand_visit_blocks(world, dt, effort_blocks);
    sum_up(world, sum);
    return sum[0];
}

// Of the flux that is missed a pressure mends the part that diverges.
static bool mend_all(dr_world *world, double dt)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    double least = DR_STRAND_VOID * DR_STRAND_VOID * effort(world, dt), turn = 0.0;
    dr_strand_visit_blocks(world, dt, keep_blocks);
    dr_liquid_press_again(&world->liquid, wet->missed, wet->risen);
    dr_strand_visit_blocks(world, dt, keep_mender);
    double left = measure(world, wet->missed, wet->risen, wet->mending, wet->mender);
    for (int round = 0; round < DR_STRAND_ROUNDS && left > least; round++) {
        double before = left;
        if (!mend(world, dt, turn, &left)) return false;
        turn = left / before;
        if (turn > DR_STRAND_WORTH) break;
    }
    return true;
}

static bool press_strands(dr_world *world, const dr_try *attempt)
{
    double dt = attempt->dt;
    if (!world->strand_liquid.wet) return true;
    dr_strand_liquid_load(world, true);
    bool flown;
    if (!answer_liquid(world, dt, true, &flown)) return false;
    double *share = &world->strand_liquid.missed_share;
    *share = world->constants.bodies_meet_liquid ? 0.0 : sqrt(compare(world, dt, flown));
    bool good = *share < DR_STRAND_VOID;
    if (!good && flown) { // nearly is not enough to go on from
        if (!dr_strand_drag_guess(world, dt)) return false;
        compare(world, dt, false);
    }
    if (!good && !mend_all(world, dt)) return false;
    dr_strand_drag_push(world, dt);
    return true;
}

// ---- the reaction

// Into slip: how fast it is relative to the liquid; into form_drag: how much of its drag it has by pressure. Into
// bring: the impulse of drag on a vertex over the liquid's mass around it; the same with that of pressure.
static void react_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_pass *job = user;
    const dr_strand_liquid *wet = &job->world->strand_liquid;
    const double *velocity = dr_strand_solver_velocity(job->world->strands.solver);
    for (size_t v = begin; v < end; v++) {
        double away[3], drag[3], impulse[3];
        dr_vec3_sub(away, wet->target + 3 * v, velocity + 3 * v);
        dr_strand_drag_apply(wet->answer + 2 * v, wet->tangent + 3 * v, away, drag);
        for (size_t a = 0; a < 3; a++) impulse[a] = job->dt * drag[a];
        wet->slip[v] = dr_strand_law_slip(wet, v, impulse);
        wet->form_drag[v] = dr_strand_form_drag_find(job->world, v, drag);
        float *to = wet->bring + 8 * v;
        for (size_t a = 0; a < 3; a++) {
            double per_mass = job->dt * wet->lighter[3 * v + a];
            to[a] = (float)(per_mass * drag[a]);
            to[4 + a] = (float)(per_mass * (drag[a] - wet->volume[v] * wet->slope[3 * v + a]));
        }
        to[3] = to[7] = 0.0F;
    }
}

// What the liquid gave is taken from it; its momentum is to be that before pressure less all that strands received.
static void react_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        if (f % 4 == 3 || !(world->liquid.mass[f] > 0.0F)) continue;
        world->liquid.velocity[f] -= wet->pull[f];
        world->liquid.predicted[f] -= wet->lift[f];
    }
}

static void push_back(dr_world *world, const dr_try *attempt)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    if (!wet->wet || attempt->rejected) return;
    dr_strand_visit_wet(world, attempt->dt, react_vertices);
    float *const face[] = {wet->pull, wet->lift};
    dr_strand_samples_spread(world, 2, face);
    dr_strand_visit_blocks(world, attempt->dt, react_blocks);
}

static void keep_slip(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const dr_strand_pass *)user)->world;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double *slip = world->state.strands.slip, *form_drag = world->state.strands.form_drag;
    for (size_t v = begin; v < end; v++) {
        slip[v] = wet->wet ? wet->slip[v] : 0.0;
        form_drag[v] = wet->wet ? wet->form_drag[v] : 0.0;
    }
}

void dr_strand_liquid_commit(dr_world *world)
{
    if (world->strand_liquid.active) dr_strand_visit_vertices(world, 0.0, keep_slip);
}

// ---- what it costs

bool dr_strand_liquid_press(dr_world *world, const dr_try *attempt)
{
    double begin = dr_clock_cpu();
    bool ok = press_strands(world, attempt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
    return ok;
}

void dr_strand_liquid_react(dr_world *world, const dr_try *attempt)
{
    double begin = dr_clock_cpu();
    push_back(world, attempt);
    world->strands.pace.coupling += dr_clock_cpu() - begin;
}
