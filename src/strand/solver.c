// The implicit step of all strands: batches of eight of about the same length, each gathered into rows of lanes, solved
// and scattered back. docs/theory/rods.md, eq. (21)-(32). Batches do not know of each other, so threads cannot change a
// bit.
#include "strand/solver.h"

#include "base/memory.h"
#include "math/scalar.h"
#include "strand/pack.h"
#include "strand/scalar.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ITERATIONS 200
#define CORRECTED  0

typedef struct batch {
    int strand[DR_ROD_WIDTH]; // -1: an empty lane
    int rows;
    size_t factor;                                                          // first row in what is kept
    double tolerance[DR_ROD_WIDTH], small[DR_ROD_WIDTH], arc[DR_ROD_WIDTH]; // of its lanes, where rows are kept
} batch;

struct dr_strand_solver {
    const dr_allocator *allocator;
    dr_par par;
    int strands;
    size_t vertices;
    int batch_count, longest;
    size_t rows; // of all batches
    batch *batches;
    int32_t *home;         // [strand] batch * width + lane
    dr_pack *packs;        // one for each thread
    dr_ldlt_row *factors;  // kept; NULL until asked for
    dr_rod_row *kept_rows; // likewise
    dr_rod_place *places;
    double (*drags)[6][DR_ROD_WIDTH];
    double *answers; // [thread][row][4][8]; NULL until asked for
    bool kept;
    double dt;
    const int32_t *first;        // of the strands that were predicted
    dr_pack_outcome after;       // what commit will make the state
    unsigned char *order;        // [strand] dr_strand_order of the step, CORRECTED where contact changed it
    dr_strand_verdict *verdicts; // [batch]
};

// ---- memory

static bool make_outcome(dr_strand_solver *solver)
{
    size_t n = solver->vertices;
    dr_pack_outcome *after = &solver->after;
    double **const three[] = {&after->position, &after->velocity, &after->director, &after->end_velocity,
                              &after->acceleration};
    double **const one[] = {&after->spin, &after->twist, &after->end_spin, &after->spin_rate};
    bool ok = true;
    for (size_t k = 0; k < sizeof three / sizeof *three; k++)
        ok = (*three[k] = dr_memory_alloc(solver->allocator, 3 * n * sizeof(double))) && ok;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        ok = (*one[k] = dr_memory_alloc(solver->allocator, n * sizeof(double))) && ok;
    solver->order = dr_memory_alloc(solver->allocator, (size_t)solver->strands * sizeof *solver->order);
    return ok && solver->order;
}

// Of a thread: room for three blocks of the longest strands.
static size_t answer_room(const dr_strand_solver *solver)
{
    return (size_t)solver->longest * 12 * DR_COMPLIANCE_LANES;
}

// Room for right-hand sides, per thread a strand.
static size_t answer_size(const dr_strand_solver *solver)
{
    return solver->answers ? (size_t)solver->par.threads * answer_room(solver) : 0;
}

void dr_strand_solver_close(dr_strand_solver *solver)
{
    if (!solver) return;
    const dr_allocator *allocator = solver->allocator;
    size_t n = solver->vertices, count = (size_t)solver->batch_count;
    for (int i = 0; solver->packs && i < solver->par.threads; i++) dr_pack_close(&solver->packs[i], allocator);
    dr_memory_free(allocator, solver->packs, (size_t)solver->par.threads * sizeof *solver->packs);
    double *const three[] = {solver->after.position, solver->after.velocity, solver->after.director,
                             solver->after.end_velocity, solver->after.acceleration};
    double *const one[] = {solver->after.spin, solver->after.twist, solver->after.end_spin, solver->after.spin_rate};
    for (size_t k = 0; k < sizeof three / sizeof *three; k++)
        dr_memory_free(allocator, three[k], 3 * n * sizeof(double));
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) dr_memory_free(allocator, one[k], n * sizeof(double));
    dr_memory_free(allocator, solver->order, (size_t)solver->strands * sizeof *solver->order);
    dr_memory_free(allocator, solver->batches, count * sizeof *solver->batches);
    dr_memory_free(allocator, solver->verdicts, count * sizeof *solver->verdicts);
    dr_memory_free(allocator, solver->home, (size_t)solver->strands * sizeof *solver->home);
    dr_memory_free(allocator, solver->factors, solver->rows * sizeof *solver->factors);
    dr_memory_free(allocator, solver->kept_rows, solver->rows * sizeof *solver->kept_rows);
    dr_memory_free(allocator, solver->places, solver->rows * sizeof *solver->places);
    dr_memory_free(allocator, solver->drags, solver->rows * sizeof *solver->drags);
    dr_memory_free(allocator, solver->answers, answer_size(solver) * sizeof *solver->answers);
    dr_memory_free(allocator, solver, sizeof *solver);
}

// ---- batches

// Strands in the order of their sizes, longest first, those of one size in the order of the scene: a counting sort into
// home[].
static bool sort_by_size(dr_strand_solver *solver, const dr_strands *strands, int32_t *order)
{
    size_t room = (size_t)solver->longest + 2;
    int *start = dr_memory_alloc(solver->allocator, room * sizeof *start);
    if (!start) return false;
    for (int s = 0; s < strands->count; s++) start[solver->longest - dr_strands_size(strands, s) + 1]++;
    for (size_t k = 1; k < room; k++) start[k] += start[k - 1];
    for (int s = 0; s < strands->count; s++) order[start[solver->longest - dr_strands_size(strands, s)]++] = s;
    dr_memory_free(solver->allocator, start, room * sizeof *start);
    return true;
}

static bool make_batches(dr_strand_solver *solver, const dr_strands *strands)
{
    int32_t *order = dr_memory_alloc(solver->allocator, (size_t)strands->count * sizeof *order);
    bool ok = order && sort_by_size(solver, strands, order);
    for (int k = 0; ok && k < solver->batch_count * DR_ROD_WIDTH; k++) {
        batch *into = &solver->batches[k / DR_ROD_WIDTH];
        int lane = k % DR_ROD_WIDTH;
        into->strand[lane] = k < strands->count ? order[k] : -1;
        if (lane == 0) {
            into->rows = dr_strands_size(strands, order[k]);
            into->factor = solver->rows;
            solver->rows += (size_t)into->rows;
        }
        if (k < strands->count) solver->home[order[k]] = k;
    }
    dr_memory_free(solver->allocator, order, (size_t)strands->count * sizeof *order);
    return ok;
}

static bool make_room(dr_strand_solver *solver, const dr_strands *strands)
{
    const dr_allocator *allocator = solver->allocator;
    size_t count = (size_t)solver->batch_count;
    solver->batches = dr_memory_alloc(allocator, count * sizeof *solver->batches);
    solver->verdicts = dr_memory_alloc(allocator, count * sizeof *solver->verdicts);
    solver->home = dr_memory_alloc(allocator, (size_t)solver->strands * sizeof *solver->home);
    solver->packs = dr_memory_alloc(allocator, (size_t)solver->par.threads * sizeof *solver->packs);
    if (!solver->batches || !solver->verdicts || !solver->home || !solver->packs) return false;
    for (int i = 0; i < solver->par.threads; i++) {
        if (!dr_pack_open(&solver->packs[i], allocator, solver->longest)) return false;
    }
    return make_outcome(solver) && make_batches(solver, strands);
}

dr_strand_solver *dr_strand_solver_open(const dr_strands *strands, const dr_allocator *allocator, const dr_par *par)
{
    dr_strand_solver *solver = dr_memory_alloc(allocator, sizeof *solver);
    if (!solver) return NULL;
    solver->allocator = allocator;
    solver->par = *par;
    solver->strands = strands->count;
    solver->vertices = strands->vertices;
    solver->batch_count = (strands->count + DR_ROD_WIDTH - 1) / DR_ROD_WIDTH;
    for (int s = 0; s < strands->count; s++) {
        if (dr_strands_size(strands, s) > solver->longest) solver->longest = dr_strands_size(strands, s);
    }
    if (make_room(solver, strands)) return solver;
    dr_strand_solver_close(solver);
    return NULL;
}

// ---- solving

// Of a lane that was solved, once for each of its stages; a strand that failed in both counts once.
static void add_verdict(dr_strand_verdict *sum, const dr_newton *newton, int lane, int vertices, bool *failed)
{
    if (newton->skip[lane]) return;
    sum->iterations += newton->iterations[lane];
    sum->vertex_iterations += (int64_t)newton->iterations[lane] * vertices;
    if (newton->iterations[lane] > sum->most) sum->most = newton->iterations[lane];
    if (newton->reason[lane] == DR_REASON_CONVERGED) return;
    sum->failed += !*failed;
    *failed = true;
    if (newton->reason[lane] > sum->reason || newton->size[lane] > sum->size) sum->size = newton->size[lane];
    if (newton->reason[lane] > sum->reason) sum->reason = newton->reason[lane];
}

typedef struct solving {
    dr_strand_solver *solver;
    const dr_strands *strands;
    const dr_strand_step *step;
    const bool *wanted;    // [strand] of a step that is made once more
    const double *impulse; // [vertex][3] further ones in it
} solving;

// All stages of a batch. Returns how many strands did not converge.
static int solve_stages(const solving *job, size_t index, dr_pack *pack, bool failed[DR_ROD_WIDTH])
{
    dr_strand_solver *solver = job->solver;
    const batch *work = &solver->batches[index];
    dr_strand_verdict *verdict = &solver->verdicts[index];
    dr_newton *newton = &pack->newton;
    memset(verdict, 0, sizeof *verdict);
    bool more = dr_pack_gather(pack, job->strands, job->step, solver->order, work->strand, work->rows);
    for (int stage = 0; stage < (more ? 2 : 1); stage++) {
        if (stage == 1) dr_pack_gather_second(pack);
        dr_newton_solve(newton);
        for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++)
            add_verdict(verdict, newton, lane, pack->lane[lane].count, &failed[lane]);
    }
    return verdict->failed;
}

// Strands that do not converge by two stages go by one. Returns whether there are any.
static bool simplify(dr_strand_solver *solver, const batch *work, const bool failed[DR_ROD_WIDTH])
{
    bool any = false;
    for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++) {
        unsigned char *order = &solver->order[work->strand[lane]];
        if (!failed[lane] || *order != DR_STRAND_TR_BDF2) continue;
        *order = DR_STRAND_EULER;
        any = true;
    }
    return any;
}

// Lets a pack work on what is kept of a batch in place of its own rows.
static void lend(dr_strand_solver *solver, const batch *work, const dr_strand_step *step, dr_pack *pack)
{
    if (step->keep) pack->newton.factor = solver->factors + work->factor;
    if (!step->twice) return;
    pack->newton.row = solver->kept_rows + work->factor;
    pack->newton.base = solver->places + work->factor;
    pack->drag = solver->drags + work->factor;
}

static void set_drag(const solving *job, dr_pack *pack)
{
    const dr_strand_load *load = job->step->load;
    pack->newton.drag = load && (load->drag || load->film_matrix) ? pack->drag : NULL;
}

static void keep_lanes(const dr_newton *newton, batch *work)
{
    memcpy(work->tolerance, newton->tolerance, sizeof work->tolerance);
    memcpy(work->small, newton->small, sizeof work->small);
    memcpy(work->arc, newton->arc, sizeof work->arc);
}

// Rows of the factors that belong to lanes of strands that are not wanted, back from where they were put aside.
static void restore_lanes(const dr_newton *newton, const dr_ldlt_row *aside)
{
    for (int i = 0; i < newton->rows; i++) {
        const double *from = (const double *)&aside[i];
        double *to = (double *)&newton->factor[i];
        for (size_t k = 0; k < sizeof *aside / sizeof(double); k++) {
            if (newton->skip[k % DR_ROD_WIDTH]) to[k] = from[k];
        }
    }
}

static bool is_wanted(const bool *wanted, const batch *work)
{
    for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++) {
        if (wanted[work->strand[lane]]) return true;
    }
    return false;
}

// Lanes of strands that are not wanted keep their factors and what was found of them.
static void leave_lanes(const batch *work, const bool *wanted, const dr_ldlt_row *aside, dr_pack *pack)
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        pack->newton.skip[lane] = work->strand[lane] >= 0 && !wanted[work->strand[lane]];
        if (pack->newton.skip[lane]) pack->lane[lane].count = 0;
    }
    restore_lanes(&pack->newton, aside);
}

static void solve_batch(const solving *job, size_t index, dr_pack *own)
{
    dr_strand_solver *solver = job->solver;
    batch *work = &solver->batches[index];
    dr_pack lent = *own, *pack = &lent;
    dr_newton *newton = &pack->newton;
    newton->limit = ITERATIONS;
    newton->once = job->step->velocity != NULL;
    lend(solver, work, job->step, pack);
    set_drag(job, pack);
    bool failed[DR_ROD_WIDTH] = {0}, again[DR_ROD_WIDTH] = {0};
    const bool *wanted = newton->once ? job->step->wanted : NULL;
    if (wanted && !is_wanted(wanted, work)) return;
    if (wanted) memcpy(own->newton.factor, newton->factor, (size_t)work->rows * sizeof *newton->factor);
    if (solve_stages(job, index, pack, failed) > 0 && simplify(solver, work, failed))
        solve_stages(job, index, pack, again);
    if (job->step->twice) keep_lanes(newton, work);
    if (wanted) leave_lanes(work, wanted, own->newton.factor, pack);
    dr_pack_scatter(pack, &solver->after);
}

static void solve_batches(void *user, size_t begin, size_t end, int thread)
{
    const solving *job = user;
    for (size_t i = begin; i < end; i++) solve_batch(job, i, &job->solver->packs[thread]);
}

static void join_verdicts(const dr_strand_solver *solver, dr_strand_verdict *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < solver->batch_count; i++) {
        const dr_strand_verdict *one = &solver->verdicts[i];
        sum->iterations += one->iterations;
        sum->vertex_iterations += one->vertex_iterations;
        sum->failed += one->failed;
        if (one->most > sum->most) sum->most = one->most;
        if (one->reason > sum->reason) sum->reason = one->reason;
        if (one->size > sum->size) sum->size = one->size;
    }
}

static bool make_factors(dr_strand_solver *solver, bool twice)
{
    const dr_allocator *allocator = solver->allocator;
    size_t n = solver->rows;
    if (!solver->factors) solver->factors = dr_memory_alloc(allocator, n * sizeof *solver->factors);
    if (!twice) return solver->factors != NULL;
    if (!solver->kept_rows) solver->kept_rows = dr_memory_alloc(allocator, n * sizeof *solver->kept_rows);
    if (!solver->places) solver->places = dr_memory_alloc(allocator, n * sizeof *solver->places);
    if (!solver->drags) solver->drags = dr_memory_alloc(allocator, n * sizeof *solver->drags);
    return solver->factors && solver->kept_rows && solver->places && solver->drags;
}

bool dr_strand_solver_predict(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                              dr_strand_verdict *verdict)
{
    assert(step->keep || !step->twice);
    if (step->keep && !make_factors(solver, step->twice)) return false;
    solving job = {solver, strands, step, NULL, NULL};
    solver->kept = step->keep;
    solver->first = strands->first;
    solver->dt = step->dt;
    for (int s = 0; s < solver->strands; s++) solver->order[s] = step->order ? step->order[s] : DR_STRAND_EULER;
    dr_par_for(&solver->par, (size_t)solver->batch_count, 1, solve_batches, &job);
    join_verdicts(solver, verdict);
    return true;
}

// ---- once more

static bool any_skipped(const dr_newton *newton, const batch *work)
{
    for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++) {
        if (newton->skip[lane]) return true;
    }
    return false;
}

// False when some strand did not converge on that way.
static bool continue_batch(const solving *job, size_t index, dr_pack *own)
{
    dr_strand_solver *solver = job->solver;
    const batch *work = &solver->batches[index];
    dr_strand_verdict *verdict = &solver->verdicts[index];
    dr_pack lent = *own, *pack = &lent;
    dr_newton *newton = &pack->newton;
    bool failed[DR_ROD_WIDTH] = {0};
    lend(solver, work, job->step, pack);
    set_drag(job, pack);
    newton->limit = ITERATIONS;
    newton->once = false;
    memcpy(newton->tolerance, work->tolerance, sizeof work->tolerance);
    memcpy(newton->small, work->small, sizeof work->small);
    memcpy(newton->arc, work->arc, sizeof work->arc);
    dr_pack_continue(pack, job->strands, job->step, work->strand, work->rows, job->wanted, job->impulse);
    bool mixed = any_skipped(newton, work);
    if (mixed) memcpy(own->newton.factor, newton->factor, (size_t)work->rows * sizeof *newton->factor);
    dr_newton_solve(newton);
    if (mixed) restore_lanes(newton, own->newton.factor);
    memset(verdict, 0, sizeof *verdict);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++)
        add_verdict(verdict, newton, lane, pack->lane[lane].count, &failed[lane]);
    if (verdict->failed > 0) return false;
    dr_pack_scatter(pack, &solver->after);
    return true;
}

// Strands that are led astray begin anew as the first time.
static void continue_batches(void *user, size_t begin, size_t end, int thread)
{
    const solving *job = user;
    for (size_t i = begin; i < end; i++) {
        dr_pack *pack = &job->solver->packs[thread];
        if (is_wanted(job->wanted, &job->solver->batches[i]) && !continue_batch(job, i, pack))
            solve_batch(job, i, pack);
    }
}

void dr_strand_solver_continue(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                               const bool *wanted, const double *impulse, dr_strand_verdict *verdict)
{
    assert(solver->kept && step->twice && solver->kept_rows && step->dt == solver->dt);
    solving job = {solver, strands, step, wanted, impulse};
    dr_par_for(&solver->par, (size_t)solver->batch_count, 1, continue_batches, &job);
    join_verdicts(solver, verdict);
}

// Released from rest a strand has the velocity dt a after a step. (41)
bool dr_strand_solver_release(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                              double *acceleration, double *spin_rate, dr_strand_verdict *verdict)
{
    dr_strands still = *strands;
    dr_strand_goal here = {strands->position, strands->director, NULL};
    dr_strand_step release = {.dt = step->dt, .goal = &here, .load = step->load};
    size_t n = strands->vertices;
    memcpy(release.gravity, step->gravity, sizeof release.gravity);
    memset(acceleration, 0, 3 * n * sizeof *acceleration);
    memset(spin_rate, 0, n * sizeof *spin_rate);
    still.velocity = acceleration;
    still.spin = spin_rate;
    if (!dr_strand_solver_predict(solver, &still, &release, verdict)) return false;
    for (size_t i = 0; i < 3 * n; i++) acceleration[i] = solver->after.velocity[i] / step->dt;
    for (size_t v = 0; v < n; v++) spin_rate[v] = solver->after.spin[v] / step->dt;
    return true;
}

double *dr_strand_solver_velocity(dr_strand_solver *solver)
{
    return solver->after.velocity;
}

double *dr_strand_solver_spin(dr_strand_solver *solver)
{
    return solver->after.spin;
}

const double *dr_strand_solver_position(const dr_strand_solver *solver)
{
    return solver->after.position;
}

// ---- impulses

// What is held answers nothing at all: to rounding of DR_ROD_HELD is not enough where nothing else could give way.
static void clear_held(const dr_ldlt_row *factor, int count, int lane, double *block)
{
    for (int i = 0; i < count; i++) {
        for (int a = 0; a < 4; a++) {
            if (factor[i].inverse[a][lane] * DR_ROD_HELD > 2.0) continue;
            memset(block + (4 * i + a) * DR_COMPLIANCE_LANES, 0, DR_COMPLIANCE_LANES * sizeof *block);
        }
    }
}

// The matrix is that of places, C / dt^2. (31)
static void comply(const void *self, int s, int from, double *block)
{
    const dr_strand_solver *solver = self;
    const batch *home = &solver->batches[solver->home[s] / DR_ROD_WIDTH];
    int lane = solver->home[s] % DR_ROD_WIDTH;
    int count = solver->first[s + 1] - solver->first[s];
    double scale = 1.0 / (solver->dt * solver->dt);
    const dr_ldlt_row *factor = solver->factors + home->factor;
    clear_held(factor, count, lane, block);
    dr_ldlt_solve(factor, count, lane, from, block);
    clear_held(factor, count, lane, block);
    for (int i = 0; i < count * 4 * DR_COMPLIANCE_LANES; i++) block[i] *= scale;
}

// The same of eight strands side by side, times a scale.
static void clear_held_each(const dr_ldlt_row *factor, int rows, double scale, double *block)
{
    for (int i = 0; i < rows; i++) {
        const double *inverse = &factor[i].inverse[0][0];
        double *restrict at = block + 4 * DR_ROD_WIDTH * (size_t)i;
        for (int k = 0; k < 4 * DR_ROD_WIDTH; k++) at[k] = inverse[k] * DR_ROD_HELD > 2.0 ? scale * at[k] : 0.0;
    }
}

static void comply_each(const void *self, int batch, int rows, double *block)
{
    const dr_strand_solver *solver = self;
    const dr_ldlt_row *factor = solver->factors + solver->batches[batch].factor;
    clear_held_each(factor, rows, 1.0, block);
    dr_ldlt_solve_each(factor, rows, block);
    clear_held_each(factor, rows, 1.0 / (solver->dt * solver->dt), block);
}

dr_compliance dr_strand_solver_compliance(const dr_strand_solver *solver, const dr_strands *strands)
{
    return (dr_compliance){.strands = strands->count,
                           .first = strands->first,
                           .x = strands->position,
                           .v = solver->after.velocity,
                           .dt = solver->dt,
                           .solve = solver->kept ? comply : NULL,
                           .solve_each = solver->kept ? comply_each : NULL,
                           .home = solver->home,
                           .batches = solver->batch_count,
                           .self = solver};
}

typedef struct freeing {
    const dr_strand_solver *solver;
    const dr_strands *strands;
    const bool *wanted;
    double *freedom;
} freeing;

static bool any_held(const dr_strands *strands, int s)
{
    for (int v = strands->first[s]; v < strands->first[s + 1]; v++) {
        if (strands->held[v] & DR_STRAND_HELD) return true;
    }
    return false;
}

// Strands side by side: which lanes of a batch are wanted, and where their vertices begin.
typedef struct side_by_side {
    int count[DR_ROD_WIDTH]; // vertices; 0: not wanted
    size_t first[DR_ROD_WIDTH];
    bool any;
} side_by_side;

static side_by_side look_at_batch(const batch *work, const dr_strands *strands, const bool *wanted)
{
    side_by_side out = {.any = false};
    for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++) {
        int s = work->strand[lane];
        if (!wanted[s]) continue;
        out.count[lane] = dr_strands_size(strands, s);
        out.first[lane] = (size_t)strands->first[s];
        out.any = true;
    }
    return out;
}

// How far vertices go along with what is held when that moves by one, axis by axis; the rest is freedom.
static void free_batch(const freeing *job, const batch *work, double *block)
{
    const dr_strands *strands = job->strands;
    side_by_side lanes = look_at_batch(work, strands, job->wanted);
    bool held[DR_ROD_WIDTH] = {0}, any = false;
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        held[lane] = lanes.count[lane] > 0 && any_held(strands, work->strand[lane]);
        any = any || held[lane];
        for (size_t i = 0; !held[lane] && i < 3 * (size_t)lanes.count[lane]; i++)
            job->freedom[3 * lanes.first[lane] + i] = 1.0;
    }
    if (!any) return;
    size_t size = (size_t)work->rows * 4 * DR_ROD_WIDTH;
    memset(block, 0, 3 * size * sizeof *block);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        for (size_t i = 0; held[lane] && i < (size_t)lanes.count[lane]; i++) {
            if (!(strands->held[lanes.first[lane] + i] & DR_STRAND_HELD)) continue;
            for (size_t a = 0; a < 3; a++) block[a * size + (4 * i + a) * DR_ROD_WIDTH + (size_t)lane] = DR_ROD_HELD;
        }
    }
    dr_ldlt_solve_three(job->solver->factors + work->factor, work->rows, block);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        double *freedom = job->freedom + 3 * lanes.first[lane];
        for (size_t i = 0; held[lane] && i < (size_t)lanes.count[lane]; i++) {
            for (size_t a = 0; a < 3; a++) {
                double along = block[a * size + (4 * i + a) * DR_ROD_WIDTH + (size_t)lane];
                freedom[3 * i + a] = 1.0 - dr_clamp_double(along, 0.0, 1.0);
            }
        }
    }
}

static double *answers_of(const dr_strand_solver *solver, int thread)
{
    return solver->answers + (size_t)thread * answer_room(solver);
}

static void free_batches(void *user, size_t begin, size_t end, int thread)
{
    const freeing *job = user;
    for (size_t i = begin; i < end; i++) free_batch(job, &job->solver->batches[i], answers_of(job->solver, thread));
}

static bool make_answers(dr_strand_solver *solver)
{
    size_t size = (size_t)solver->par.threads * answer_room(solver);
    if (!solver->answers) solver->answers = dr_memory_alloc(solver->allocator, size * sizeof *solver->answers);
    return solver->answers != NULL;
}

bool dr_strand_solver_freedom(dr_strand_solver *solver, const dr_strands *strands, const bool *wanted, double *freedom)
{
    freeing job = {solver, strands, wanted, freedom};
    if (!make_answers(solver)) return false;
    dr_par_for(&solver->par, (size_t)solver->batch_count, 1, free_batches, &job);
    return true;
}

typedef struct responding {
    const dr_strand_solver *solver;
    const dr_strands *strands;
    const bool *wanted;
    const double *impulse;
    double *change;
} responding;

static void respond_batch(const responding *job, const batch *work, double *block)
{
    const dr_strand_solver *solver = job->solver;
    const dr_ldlt_row *factor = solver->factors + work->factor;
    side_by_side lanes = look_at_batch(work, job->strands, job->wanted);
    double scale = 1.0 / (solver->dt * solver->dt);
    if (!lanes.any) return;
    memset(block, 0, (size_t)work->rows * 4 * DR_ROD_WIDTH * sizeof *block);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        const double *impulse = job->impulse + 3 * lanes.first[lane];
        for (size_t i = 0; i < (size_t)lanes.count[lane]; i++) {
            for (size_t a = 0; a < 3; a++) block[(4 * i + a) * DR_ROD_WIDTH + (size_t)lane] = impulse[3 * i + a];
        }
    }
    clear_held_each(factor, work->rows, 1.0, block);
    dr_ldlt_solve_each(factor, work->rows, block);
    clear_held_each(factor, work->rows, 1.0, block);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        double *change = job->change + 3 * lanes.first[lane];
        for (size_t i = 0; i < (size_t)lanes.count[lane]; i++) {
            for (size_t a = 0; a < 3; a++) change[3 * i + a] = scale * block[(4 * i + a) * DR_ROD_WIDTH + (size_t)lane];
        }
    }
}

static void respond_batches(void *user, size_t begin, size_t end, int thread)
{
    const responding *job = user;
    for (size_t i = begin; i < end; i++) respond_batch(job, &job->solver->batches[i], answers_of(job->solver, thread));
}

bool dr_strand_solver_respond(dr_strand_solver *solver, const dr_strands *strands, const bool *wanted,
                              const double *impulse, double *change)
{
    responding job = {solver, strands, wanted, impulse, change};
    if (!make_answers(solver)) return false;
    dr_par_for(&solver->par, (size_t)solver->batch_count, 1, respond_batches, &job);
    return true;
}

static void correct_strand(dr_strand_solver *solver, const dr_strands *strands, double dt, int s)
{
    dr_pack_outcome *after = &solver->after;
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    double t[2][3], old[3];
    solver->order[s] = CORRECTED;
    for (size_t v = first; v <= last; v++) {
        for (size_t k = 3 * v; k < 3 * v + 3; k++) after->position[k] = strands->position[k] + dt * after->velocity[k];
    }
    for (size_t v = first; v < last; v++) {
        double *director = after->director + 3 * v;
        dr_scalar_tangent(strands->position + 3 * v, old);
        dr_scalar_tangent(after->position + 3 * v, t[1]);
        dr_vec3_copy(director, strands->director + 3 * v);
        dr_scalar_transport(old, t[1], director);
        dr_scalar_turn(t[1], dt * after->spin[v], director);
        if (v > first) {
            double near = strands->twist[v] + dt * (after->spin[v] - after->spin[v - 1]);
            after->twist[v] = dr_scalar_twist(t[0], director - 3, t[1], director, near);
        }
        dr_vec3_copy(t[0], t[1]);
    }
}

typedef struct correcting {
    dr_strand_solver *solver;
    const dr_strands *strands;
    double dt;
    const unsigned char *changed;
} correcting;

static void correct_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const correcting *job = user;
    for (size_t s = begin; s < end; s++) {
        if (!job->changed || job->changed[s]) correct_strand(job->solver, job->strands, job->dt, (int)s);
    }
}

void dr_strand_solver_correct(dr_strand_solver *solver, const dr_strands *strands, double dt,
                              const unsigned char *changed)
{
    correcting job = {solver, strands, dt, changed};
    dr_par_for(&solver->par, (size_t)strands->count, 64, correct_strands, &job);
}

bool dr_strand_solver_corrected(const dr_strand_solver *solver, int s)
{
    return solver->order[s] == CORRECTED;
}

const double *dr_strand_solver_end_velocity(const dr_strand_solver *solver, int s)
{
    return solver->order[s] == DR_STRAND_TR_BDF2 ? solver->after.end_velocity : solver->after.velocity;
}

// Of a strand that goes by the mean velocity of its step: that is the velocity at its end.
static void end_by_mean(dr_strand_solver *solver, const dr_strands *strands, int s)
{
    dr_pack_outcome *after = &solver->after;
    double per_dt = 1.0 / solver->dt;
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
        for (size_t k = 3 * v; k < 3 * v + 3; k++) {
            after->end_velocity[k] = after->velocity[k];
            after->acceleration[k] = per_dt * (after->velocity[k] - strands->velocity[k]);
        }
        after->end_spin[v] = after->spin[v];
        after->spin_rate[v] = per_dt * (after->spin[v] - strands->spin[v]);
    }
}

typedef struct committing {
    dr_strand_solver *solver;
    dr_strands *strands;
} committing;

static void commit_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const committing *job = user;
    const dr_pack_outcome *after = &job->solver->after;
    dr_strands *to = job->strands;
    size_t first = (size_t)to->first[begin], count = (size_t)to->first[end] - first;
    size_t one = count * sizeof(double), three = 3 * one;
    for (size_t s = begin; s < end; s++) {
        if (job->solver->order[s] != DR_STRAND_TR_BDF2) end_by_mean(job->solver, to, (int)s);
    }
    memcpy(to->position + 3 * first, after->position + 3 * first, three);
    memcpy(to->velocity + 3 * first, after->end_velocity + 3 * first, three);
    memcpy(to->director + 3 * first, after->director + 3 * first, three);
    memcpy(to->spin + first, after->end_spin + first, one);
    memcpy(to->twist + first, after->twist + first, one);
    memcpy(to->acceleration + 3 * first, after->acceleration + 3 * first, three);
    memcpy(to->spin_rate + first, after->spin_rate + first, one);
}

void dr_strand_solver_commit(dr_strand_solver *solver, dr_strands *strands)
{
    committing job = {solver, strands};
    dr_par_for(&solver->par, (size_t)strands->count, 64, commit_strands, &job);
}
