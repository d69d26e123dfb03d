// Newton's method for as many strands as a register has lanes. docs/theory/rods.md, eq. (27)-(29). Included by newton.c
// and, for wider registers, by newton_wide.c.
#ifndef DR_STRAND_NEWTON_LANES_H
#define DR_STRAND_NEWTON_LANES_H

#include "strand/assemble.h"

#include <string.h>

#define ARMIJO     0.1 // share of the promised decrease that a step has to bring
#define CUTS       24  // of a step before the search along it is given up
#define LOOSENINGS 14  // of the matrix: Gauss-Newton, then growing shifts

typedef enum lane_state { ACTIVE, FINISHING, DONE } lane_state;

typedef struct search {
    dr_newton *job;
    int lane;
    dr_rod_pass pass;
    double energy[DR_LANES], slope[DR_LANES], size[DR_LANES], alpha[DR_LANES]; // at base, of the step
    lane_state state[DR_LANES];
} search;

static void load_alpha(search *at)
{
    for (int i = 0; i < DR_LANES; i++) {
        int k = at->lane + i;
        bool far = at->size[i] > 1e3 * at->job->small[k] && isfinite(at->size[i]) && at->state[i] == ACTIVE;
        at->pass.alpha[i] = at->alpha[i];
        at->pass.arc[i] = far ? at->job->arc[k] : 0.0;
    }
}

static __attribute__((noinline)) void evaluate(search *at)
{
    load_alpha(at);
    dr_rod_assemble(&at->pass, false, NULL);
}

static __attribute__((noinline)) void linearise(search *at)
{
    load_alpha(at);
    dr_rod_assemble(&at->pass, true, at->job->guess);
}

// A matrix that is not positive definite is loosened lane by lane: without the sideways push of pressed edges, then
// with a half, a quarter and none of its geometric part, then with more and more on the diagonal. (28)
static void loosen(dr_rod_pass *pass, int i)
{
    if (pass->pressed[i] > 0.0)
        pass->pressed[i] = 0.0;
    else if (pass->geometric[i] > 0.0)
        pass->geometric[i] = pass->geometric[i] > 0.2 ? 0.5 * pass->geometric[i] : 0.0;
    else
        pass->shift[i] = pass->shift[i] > 0.0 ? 10.0 * pass->shift[i] : 1e-12;
}

static void linearise_safely(search *at)
{
    at->pass.geometric = dr_lanes_all(1.0);
    at->pass.pressed = dr_lanes_all(at->job->once ? 0.0 : 1.0);
    at->pass.shift = dr_lanes_all(0.0);
    for (int k = 0; k < LOOSENINGS; k++) {
        bool definite = true;
        linearise(at);
        for (int i = 0; i < DR_LANES; i++) {
            if (at->pass.weakest[i] > 0.0 || at->state[i] == DONE) continue;
            definite = false;
            loosen(&at->pass, i);
        }
        if (definite) return;
    }
}

// Whether the try is good in this lane. Where steps are too small for energies to tell, it is.
static bool good(const search *at, int i)
{
    double trial = at->pass.energy[i];
    if (at->state[i] == DONE || at->alpha[i] == 0.0) return true;
    if (!isfinite(trial)) return false;
    if (at->size[i] <= at->job->small[at->lane + i]) return true;
    return trial <= at->energy[i] + ARMIJO * at->alpha[i] * at->slope[i] + 1e-13 * at->energy[i];
}

// Shorter by the minimum of the parabola through what is known, within reason.
static double shorten(const search *at, int i)
{
    double alpha = at->alpha[i], rise = at->pass.energy[i] - at->energy[i] - alpha * at->slope[i];
    double best = rise > 0.0 && isfinite(rise) ? -0.5 * at->slope[i] * alpha * alpha / rise : 0.0;
    return best < 0.1 * alpha ? 0.1 * alpha : best > 0.5 * alpha ? 0.5 * alpha : best;
}

static bool shorten_bad(search *at, bool give_up)
{
    bool any = false;
    for (int i = 0; i < DR_LANES; i++) {
        if (good(at, i)) continue;
        any = true;
        at->alpha[i] = give_up ? 0.0 : shorten(at, i);
    }
    return any;
}

// Finds a share of the step that lowers the energy, and the matrix there. Lanes that find none stay where they are.
static void descend(search *at)
{
    linearise_safely(at);
    if (!shorten_bad(at, false)) return;
    for (int cut = 1;; cut++) {
        evaluate(at);
        if (!shorten_bad(at, cut >= CUTS)) break;
    }
    linearise_safely(at);
}

static void adopt(dr_newton *job, int lane)
{
    for (int i = 0; i < job->rows; i++) {
        const double *from = (const double *)&job->trial[i];
        double *to = (double *)&job->base[i];
        for (size_t k = 0; k < sizeof *job->base / sizeof(double); k += DR_ROD_WIDTH)
            dr_lanes_store(to + k + lane, dr_lanes_load(from + k + lane));
    }
}

// The backward half of the solve: from job->guess into job->step, 0 in lanes that are done. Returns the largest
// displacement per lane.
static __attribute__((noinline)) dr_lanes substitute(const search *at)
{
    const dr_newton *job = at->job;
    int lane = at->lane;
    dr_lanes known[2][4] = {0}, value[4], largest = dr_lanes_all(0.0), done;
    for (int i = 0; i < DR_LANES; i++) done[i] = at->state[i] == ACTIVE ? 0.0 : 1.0;
    dr_lanes_mask idle = (dr_lanes_mask)(done > dr_lanes_all(0.5));
    for (int i = job->rows - 1; i >= 0; i--) {
        const dr_ldlt_row *next = i + 1 < job->rows ? &job->factor[i + 1] : NULL;
        const dr_ldlt_row *after = i + 2 < job->rows ? &job->factor[i + 2] : NULL;
        for (int a = 0; a < 4; a++) value[a] = dr_lanes_load(job->guess[i][a] + lane);
        dr_ldlt_back(&job->factor[i], next, after, lane, (const dr_lanes(*)[4])known, value);
        for (int a = 0; a < 4; a++) {
            known[1][a] = known[0][a];
            known[0][a] = value[a];
            dr_lanes_store(job->step[i][a] + lane, dr_lanes_select(idle, dr_lanes_all(0.0), value[a]));
            if (a < 3) largest = dr_lanes_larger(largest, dr_lanes_absolute(value[a]));
        }
    }
    return largest;
}

// Of the two guesses the one of lower energy, lane by lane, becomes the first step.
static void choose_guess(search *at)
{
    dr_newton *job = at->job;
    double second[DR_LANES];
    evaluate(at);
    for (int i = 0; i < DR_LANES; i++) second[i] = at->pass.energy[i];
    double(*step)[4][DR_ROD_WIDTH] = job->step;
    job->step = job->guess;
    evaluate(at);
    job->step = step;
    for (int i = 0; i < DR_LANES; i++) {
        if (!(at->pass.energy[i] < second[i])) continue;
        for (int row = 0; row < job->rows; row++) {
            for (int a = 0; a < 4; a++) step[row][a][at->lane + i] = job->guess[row][a][at->lane + i];
        }
    }
}

// What is to be said of a lane whose next step is that large; ITERATIONS: nothing yet.
static dr_reason judge(const search *at, int i, double size, int iteration)
{
    bool cut_short = iteration == 1 && at->alpha[i] < 1.0; // what is held is not where it belongs
    if (cut_short || !isfinite(at->pass.energy[i]) || !isfinite(size)) return DR_REASON_NOT_FINITE;
    if (size <= at->job->tolerance[at->lane + i]) return DR_REASON_CONVERGED;
    return at->alpha[i] == 0.0 ? DR_REASON_STALLED : DR_REASON_ITERATIONS;
}

// Takes the try as the new base and judges each lane by the size of its next step. Returns how many still want one.
static int accept(search *at, int iteration)
{
    dr_newton *job = at->job;
    adopt(job, at->lane);
    dr_lanes size = substitute(at);
    int wanting = 0;
    for (int i = 0; i < DR_LANES; i++) {
        int k = at->lane + i;
        if (at->state[i] == ACTIVE) {
            job->reason[k] = judge(at, i, size[i], iteration);
            job->iterations[k] = iteration;
            job->energy[k] = at->energy[i] = at->pass.energy[i];
            job->size[k] = at->size[i] = size[i];
            at->slope[i] = -at->pass.descent[i];
            if (job->reason[k] == DR_REASON_CONVERGED)
                at->state[i] = FINISHING;
            else if (job->reason[k] != DR_REASON_ITERATIONS)
                at->state[i] = DONE;
        } else {
            at->state[i] = DONE;
        }
        at->alpha[i] = at->state[i] == DONE ? 0.0 : 1.0;
        if (at->state[i] == ACTIVE) wanting++;
    }
    return wanting;
}

// A converged lane still takes its last step, a whole one: it brings momentum to rounding. The others stay, unless one
// step is all that is wanted.
static void finish(search *at)
{
    for (int i = 0; i < DR_LANES; i++) {
        bool once = at->job->once && at->state[i] == ACTIVE;
        if (at->state[i] != FINISHING && !once) at->alpha[i] = 0.0;
        if (once) at->job->reason[at->lane + i] = DR_REASON_CONVERGED;
    }
    evaluate(at);
    adopt(at->job, at->lane);
}

static void solve_lanes(dr_newton *job, int lane)
{
    search at = {.job = job, .lane = lane, .pass = {.job = job, .lane = lane}};
    for (int i = 0; i < DR_LANES; i++) {
        at.alpha[i] = 1.0;
        at.energy[i] = INFINITY;
        at.size[i] = INFINITY;
        if (job->skip[lane + i]) {
            at.alpha[i] = 0.0;
            at.state[i] = DONE;
            continue;
        }
        job->reason[lane + i] = DR_REASON_ITERATIONS;
    }
    if (job->two && !job->once) choose_guess(&at);
    for (int iteration = 1; iteration <= (job->once ? 1 : job->limit); iteration++) {
        descend(&at);
        if (accept(&at, iteration) == 0) break;
    }
    finish(&at);
}

#endif
