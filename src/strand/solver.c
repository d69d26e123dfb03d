// The implicit step of all strands: batches of eight of about the same length, each gathered into rows of lanes, solved
// and scattered back. docs/theory/rods.md, eq. (21)-(32). Batches do not know of each other, so threads cannot change a
// bit.
#include "strand/solver.h"

#include "base/memory.h"
#include "strand/newton.h"
#include "strand/scalar.h"

#include <float.h>
#include <string.h>

#define ITERATIONS 200

typedef struct batch {
    int strand[DR_ROD_WIDTH]; // -1: an empty lane
    int rows;
    size_t factor; // first row in the kept factors
} batch;

// What one thread works in.
typedef struct bench {
    dr_newton newton;
    double (*drag)[6][DR_ROD_WIDTH];
    double *length, *curvature; // [lane][row] strains as the step began, of strands whose material is viscous
} bench;

// What commit will make the state.
typedef struct outcome {
    double *position, *velocity, *director, *spin, *twist;
} outcome;

struct dr_strand_solver {
    const dr_allocator *allocator;
    dr_par par;
    int strands;
    size_t vertices;
    int batch_count, longest;
    size_t rows; // of all batches
    batch *batches;
    int32_t *home; // [strand] batch * width + lane
    bench *benches;
    dr_envelope_row *factors; // kept; NULL until asked for
    bool kept;
    double dt;
    const int32_t *first; // of the strands that were predicted
    outcome after;
    dr_strand_verdict *verdicts; // [batch]
};

// ---- memory

static void free_bench(dr_strand_solver *solver, bench *at)
{
    size_t n = (size_t)solver->longest;
    const dr_allocator *allocator = solver->allocator;
    dr_memory_free(allocator, at->newton.row, n * sizeof *at->newton.row);
    dr_memory_free(allocator, at->newton.base, n * sizeof *at->newton.base);
    dr_memory_free(allocator, at->newton.trial, n * sizeof *at->newton.trial);
    dr_memory_free(allocator, at->newton.guess, n * sizeof *at->newton.guess);
    dr_memory_free(allocator, at->newton.step, n * sizeof *at->newton.step);
    dr_memory_free(allocator, at->newton.factor, n * sizeof *at->newton.factor);
    dr_memory_free(allocator, at->drag, n * sizeof *at->drag);
    dr_memory_free(allocator, at->length, DR_ROD_WIDTH * n * sizeof *at->length);
    dr_memory_free(allocator, at->curvature, 4 * DR_ROD_WIDTH * n * sizeof *at->curvature);
}

static bool make_bench(dr_strand_solver *solver, bench *at)
{
    size_t n = (size_t)solver->longest;
    const dr_allocator *allocator = solver->allocator;
    at->newton.row = dr_memory_alloc(allocator, n * sizeof *at->newton.row);
    at->newton.base = dr_memory_alloc(allocator, n * sizeof *at->newton.base);
    at->newton.trial = dr_memory_alloc(allocator, n * sizeof *at->newton.trial);
    at->newton.guess = dr_memory_alloc(allocator, n * sizeof *at->newton.guess);
    at->newton.step = dr_memory_alloc(allocator, n * sizeof *at->newton.step);
    at->newton.factor = dr_memory_alloc(allocator, n * sizeof *at->newton.factor);
    at->drag = dr_memory_alloc(allocator, n * sizeof *at->drag);
    at->length = dr_memory_alloc(allocator, DR_ROD_WIDTH * n * sizeof *at->length);
    at->curvature = dr_memory_alloc(allocator, 4 * DR_ROD_WIDTH * n * sizeof *at->curvature);
    return at->newton.row && at->newton.base && at->newton.trial && at->newton.guess && at->newton.step &&
           at->newton.factor && at->drag && at->length && at->curvature;
}

static bool make_outcome(dr_strand_solver *solver)
{
    size_t n = solver->vertices;
    outcome *after = &solver->after;
    after->position = dr_memory_alloc(solver->allocator, 3 * n * sizeof(double));
    after->velocity = dr_memory_alloc(solver->allocator, 3 * n * sizeof(double));
    after->director = dr_memory_alloc(solver->allocator, 3 * n * sizeof(double));
    after->spin = dr_memory_alloc(solver->allocator, n * sizeof(double));
    after->twist = dr_memory_alloc(solver->allocator, n * sizeof(double));
    return after->position && after->velocity && after->director && after->spin && after->twist;
}

void dr_strand_solver_close(dr_strand_solver *solver)
{
    if (!solver) return;
    const dr_allocator *allocator = solver->allocator;
    size_t n = solver->vertices, count = (size_t)solver->batch_count;
    for (int i = 0; solver->benches && i < solver->par.threads; i++) free_bench(solver, &solver->benches[i]);
    dr_memory_free(allocator, solver->benches, (size_t)solver->par.threads * sizeof *solver->benches);
    dr_memory_free(allocator, solver->after.position, 3 * n * sizeof(double));
    dr_memory_free(allocator, solver->after.velocity, 3 * n * sizeof(double));
    dr_memory_free(allocator, solver->after.director, 3 * n * sizeof(double));
    dr_memory_free(allocator, solver->after.spin, n * sizeof(double));
    dr_memory_free(allocator, solver->after.twist, n * sizeof(double));
    dr_memory_free(allocator, solver->batches, count * sizeof *solver->batches);
    dr_memory_free(allocator, solver->verdicts, count * sizeof *solver->verdicts);
    dr_memory_free(allocator, solver->home, (size_t)solver->strands * sizeof *solver->home);
    dr_memory_free(allocator, solver->factors, solver->rows * sizeof *solver->factors);
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
    solver->benches = dr_memory_alloc(allocator, (size_t)solver->par.threads * sizeof *solver->benches);
    if (!solver->batches || !solver->verdicts || !solver->home || !solver->benches) return false;
    for (int i = 0; i < solver->par.threads; i++) {
        if (!make_bench(solver, &solver->benches[i])) return false;
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

// ---- gathering a strand into a lane

// How the root moves: carries the strand along rigidly, for the second guess.
typedef struct carriage {
    double from[3], to[3], before[3], after[3];
    bool moves, turns;
} carriage;

typedef struct gathering {
    const dr_strands *strands;
    const dr_strand_step *step;
    const dr_strand_material *material;
    bench *at;
    int lane;
    size_t first;
    int count;
    double *length, *curvature; // where its strains are kept
    carriage root;
} gathering;

// Rest strains and stiffness with the viscous pull towards the strains at the start of the step: two springs in
// parallel are one. ratio: stiffness of the viscous one against the elastic one. (22)-(23)
static double balance(double rest, double now, double ratio)
{
    return (rest + ratio * now) / (1.0 + ratio);
}

static void gather_springs(const gathering *job, int i)
{
    const dr_strands *strands = job->strands;
    dr_rod_row *row = &job->at->newton.row[i];
    size_t v = job->first + (size_t)i;
    bool viscous = job->material->viscosity > 0.0;
    double rate = job->material->viscosity / job->step->dt;
    double bending = 3.0 * rate / job->material->young, torsion = rate / job->material->shear;
    const double *length = viscous ? &job->length[i] : &strands->rest_length[v];
    const double *curvature = viscous ? &job->curvature[4 * (size_t)i] : &strands->rest_curvature[4 * v];
    int lane = job->lane;
    row->length[lane] = balance(strands->rest_length[v], *length, bending);
    row->stretch[lane] = strands->stretch[v] * (1.0 + bending);
    for (size_t k = 0; k < 4; k++)
        row->curvature[k][lane] = balance(strands->rest_curvature[4 * v + k], curvature[k], bending);
    for (size_t k = 0; k < 2; k++) row->bend[k][lane] = strands->bend[2 * v + k] * (1.0 + bending);
    row->twist[lane] = balance(strands->rest_twist[v], strands->twist[v], torsion);
    row->torsion[lane] = strands->torsion[v] * (1.0 + torsion);
}

// A far way in one step: then it is worth while to compare both guesses.
static bool goes_far(const gathering *job)
{
    const dr_newton *newton = &job->at->newton;
    for (int i = 0; i < job->count; i++) {
        double limit = 0.05 * job->strands->rest_length[job->first + (size_t)(i + 1 < job->count ? i : i - 1)];
        for (int a = 0; a < 3; a++) {
            if (fabs(newton->step[i][a][job->lane]) > limit || fabs(newton->guess[i][a][job->lane]) > limit)
                return true;
        }
    }
    return false;
}

// Drag along and across the strand joins inertia: weight + D/dt, and an anchor between the free place and the liquid's.
static void gather_drag(const gathering *job, int i, double weight)
{
    const dr_strand_load *load = job->step->load;
    size_t v = job->first + (size_t)i, last = job->first + (size_t)job->count - 1;
    int lane = job->lane;
    double dt = job->step->dt, t[3], toward[3], (*drag)[DR_ROD_WIDTH] = job->at->drag[i];
    double along = load->drag[2 * v] / dt, across = load->drag[2 * v + 1] / dt, extra = along - across;
    dr_rod_row *row = &job->at->newton.row[i];
    dr_scalar_tangent(job->strands->position + 3 * (v < last ? v : v - 1), t);
    for (int a = 0, k = 0; a < 3; a++) {
        for (int b = a; b < 3; b++) drag[k++][lane] = extra * t[a] * t[b];
    }
    for (int a = 0; a < 3; a++)
        toward[a] = job->strands->position[3 * v + (size_t)a] + dt * load->liquid_velocity[3 * v + (size_t)a] -
                    row->anchor[a][lane];
    double total = weight + across, dot = dr_vec3_dot(t, toward);
    for (int a = 0; a < 3; a++) toward[a] = across * toward[a] + extra * dot * t[a];
    dot = dr_vec3_dot(t, toward);
    if (total + extra > 0.0) dr_vec3_add_scaled(toward, toward, -extra * dot / (total + extra), t);
    for (int a = 0; a < 3; a++) row->anchor[a][lane] += total > 0.0 ? toward[a] / total : 0.0;
    row->weight[lane] = total;
}

// The place a vertex would go to without elastic forces, and its inertia there. (21)
static void gather_inertia(const gathering *job, int i)
{
    const dr_strands *strands = job->strands;
    const dr_strand_load *load = job->step->load;
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double dt = job->step->dt, mass = strands->mass[v], impulse[3] = {0, 0, 0};
    dr_rod_row *row = &job->at->newton.row[i];
    const double *u = strands->velocity + 3 * v, *x = strands->position + 3 * v;
    if (load) {
        if (load->film_mass) mass += load->film_mass[v];
        if (load->film_impulse) dr_vec3_add(impulse, impulse, load->film_impulse + 3 * v);
        if (load->impulse) dr_vec3_add(impulse, impulse, load->impulse + 3 * v);
        if (load->acceleration) dr_vec3_add_scaled(impulse, impulse, dt * mass, load->acceleration + 3 * v);
        if (load->pressure_gradient)
            dr_vec3_add_scaled(impulse, impulse, -dt * strands->mass[v] / job->material->density,
                               load->pressure_gradient + 3 * v);
    }
    for (int a = 0; a < 3; a++)
        row->anchor[a][lane] = x[a] + dt * (u[a] + dt * job->step->gravity[a] + (load ? impulse[a] / mass : 0.0));
    row->weight[lane] = mass / (dt * dt);
    row->held[lane] = strands->held[v] & DR_STRAND_HELD ? 1.0 : 0.0;
    row->turn_anchor[lane] = dt * strands->spin[v];
    if (load && load->turn_impulse && strands->inertia[v] > 0.0)
        row->turn_anchor[lane] += dt * load->turn_impulse[v] / strands->inertia[v];
    row->turn_weight[lane] = strands->inertia[v] / (dt * dt);
    row->turn_held[lane] = strands->held[v] & DR_STRAND_TURN_HELD ? 1.0 : 0.0;
    if (load && load->drag) gather_drag(job, i, row->weight[lane]);
}

static void gather_place(const gathering *job, int i)
{
    const dr_strands *strands = job->strands;
    dr_rod_place *place = &job->at->newton.base[i];
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double t[3] = {0, 0, 0};
    if (i + 1 < job->count) dr_scalar_tangent(strands->position + 3 * v, t);
    for (int a = 0; a < 3; a++) {
        place->x[a][lane] = strands->position[3 * v + (size_t)a];
        place->tangent[a][lane] = t[a];
        place->director[a][lane] = strands->director[3 * v + (size_t)a];
    }
    place->turn[lane] = 0.0;
    place->twist[lane] = strands->twist[v];
}

// How far an edge that is held turns about itself: from its director carried along to the one it is to have.
static double held_turn(const gathering *job, int i)
{
    const dr_strand_goal *goal = job->step->goal;
    size_t v = job->first + (size_t)i;
    double before[3], after[3], director[3];
    dr_scalar_tangent(job->strands->position + 3 * v, before);
    dr_scalar_tangent(goal->position + 3 * v, after);
    dr_vec3_copy(director, job->strands->director + 3 * v);
    dr_scalar_transport(before, after, director);
    const double whole = 6.283185307179586;
    double angle = dr_scalar_angle(after, director, goal->director + 3 * v);
    return goal->turn ? angle + whole * nearbyint((goal->turn[v] - angle) / whole) : angle;
}

static carriage find_carriage(const gathering *job)
{
    carriage root = {.moves = job->strands->held[job->first] & DR_STRAND_HELD};
    if (!root.moves) return root;
    const double *x = job->strands->position + 3 * job->first, *to = job->step->goal->position + 3 * job->first;
    dr_vec3_copy(root.from, x);
    dr_vec3_copy(root.to, to);
    root.turns = job->strands->held[job->first + 1] & DR_STRAND_HELD;
    if (!root.turns) return root;
    dr_scalar_tangent(x, root.before);
    dr_scalar_tangent(to, root.after);
    root.turns = dr_vec3_dot(root.before, root.after) > -0.999;
    return root;
}

static void carry_along(const carriage *root, const double x[3], double displacement[3])
{
    double arm[3], b[3], turned[3];
    dr_vec3_set(displacement, 0.0, 0.0, 0.0);
    if (!root->moves) return;
    dr_vec3_sub(arm, x, root->from);
    if (root->turns) {
        double c = dr_vec3_dot(root->before, root->after);
        dr_vec3_cross(b, root->before, root->after);
        dr_vec3_cross(turned, b, arm);
        dr_vec3_add_scaled(turned, turned, dr_vec3_dot(b, arm) / (1.0 + c), b);
        dr_vec3_add_scaled(arm, turned, c, arm);
    }
    for (int a = 0; a < 3; a++) displacement[a] = root->to[a] + arm[a] - x[a];
}

// Two guesses of the step: on as before, and rigidly along with the root. What is held goes to its goal in both.
static void gather_guesses(const gathering *job, const carriage *root, int i)
{
    const dr_strands *strands = job->strands;
    dr_newton *newton = &job->at->newton;
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double dt = job->step->dt, carried[3], on[3];
    const double *x = strands->position + 3 * v;
    carry_along(root, x, carried);
    dr_vec3_scale(on, dt, strands->velocity + 3 * v);
    if (strands->held[v] & DR_STRAND_HELD) {
        dr_vec3_sub(carried, job->step->goal->position + 3 * v, x);
        dr_vec3_copy(on, carried);
    }
    for (int a = 0; a < 3; a++) {
        newton->step[i][a][lane] = on[a];
        newton->guess[i][a][lane] = carried[a];
    }
    bool turn_held = strands->held[v] & DR_STRAND_TURN_HELD;
    double turn = turn_held ? held_turn(job, i) : 0.0;
    newton->step[i][3][lane] = turn_held ? turn : dt * strands->spin[v];
    newton->guess[i][3][lane] = turn;
}

// Rows past the end of a strand shorter than the longest of its batch: held, without stiffness, in line with its end.
static void gather_nothing(const gathering *job, int i, const double from[3], const double t[3],
                           const double director[3])
{
    dr_newton *newton = &job->at->newton;
    dr_rod_row *row = &newton->row[i];
    dr_rod_place *place = &newton->base[i];
    int lane = job->lane;
    double *all = (double *)row;
    for (size_t k = 0; k < sizeof *row / sizeof(double); k += DR_ROD_WIDTH) all[k + (size_t)lane] = 0.0;
    for (int a = 0; a < 3; a++) {
        place->x[a][lane] = row->anchor[a][lane] = from[a] + (i - job->count + 1) * t[a];
        place->tangent[a][lane] = t[a];
        place->director[a][lane] = director[a];
    }
    place->turn[lane] = place->twist[lane] = 0.0;
    row->length[lane] = row->weight[lane] = row->held[lane] = row->turn_held[lane] = row->turn_weight[lane] = 1.0;
    for (int a = 0; a < 4; a++) newton->step[i][a][lane] = newton->guess[i][a][lane] = 0.0;
    for (int k = 0; k < 6; k++) job->at->drag[i][k][lane] = 0.0;
}

static void fill_up(const gathering *job, int rows)
{
    static const double t[3] = {1, 0, 0}, director[3] = {0, 1, 0}, origin[3] = {0, 0, 0};
    dr_newton *newton = &job->at->newton;
    int last = job->count - 1, lane = job->lane;
    if (last < 0) {
        for (int i = 0; i < rows; i++) gather_nothing(job, i, origin, t, director);
        return;
    }
    if (job->count == rows) return;
    const double *end = job->strands->position + 3 * (job->first + (size_t)last);
    for (int i = job->count; i < rows; i++) gather_nothing(job, i, end, t, director);
    for (int a = 0; a < 3; a++) {
        newton->base[last].tangent[a][lane] = t[a];
        newton->base[last].director[a][lane] = director[a];
    }
    newton->row[last].length[lane] = newton->row[last].turn_weight[lane] = newton->row[last].turn_held[lane] = 1.0;
}

static bool held_beyond_root(const gathering *job)
{
    for (int i = 2; i < job->count; i++) {
        if (job->strands->held[job->first + (size_t)i] & DR_STRAND_HELD) return true;
    }
    return job->count == 0;
}

// Converged to what can matter: a micrometre per second, a hundred-millionth of an edge, but no finer than rounding.
static void set_tolerance(const gathering *job)
{
    dr_newton *newton = &job->at->newton;
    double edge = INFINITY, reach = 0.0;
    for (int i = 0; i < job->count; i++) {
        size_t v = job->first + (size_t)i;
        if (i + 1 < job->count && job->strands->rest_length[v] < edge) edge = job->strands->rest_length[v];
        for (size_t k = 3 * v; k < 3 * v + 3; k++) {
            if (fabs(job->strands->position[k]) > reach) reach = fabs(job->strands->position[k]);
        }
    }
    double wanted = fmin(1e-6 * job->step->dt, 1e-8 * edge);
    newton->tolerance[job->lane] = fmax(wanted, 256.0 * DBL_EPSILON * reach);
    newton->small[job->lane] = 1e-6 * edge;
    newton->arc[job->lane] = held_beyond_root(job) ? 0.0 : 1.0;
}

static void gather_row(const gathering *job, int i)
{
    gather_place(job, i);
    gather_springs(job, i);
    gather_inertia(job, i);
    gather_guesses(job, &job->root, i);
}

// ---- scattering

static void scatter_row(const gathering *job, int i, const outcome *after)
{
    const dr_rod_place *place = &job->at->newton.base[i];
    double per_dt = 1.0 / job->step->dt;
    size_t v = job->first + (size_t)i;
    bool edge = i + 1 < job->count, inner = edge && i > 0;
    for (size_t a = 0; a < 3; a++) {
        double x = place->x[a][job->lane];
        after->velocity[3 * v + a] = per_dt * (x - job->strands->position[3 * v + a]);
        after->position[3 * v + a] = x;
        after->director[3 * v + a] = edge ? place->director[a][job->lane] : 0.0;
    }
    after->spin[v] = edge ? per_dt * place->turn[job->lane] : 0.0;
    after->twist[v] = inner ? place->twist[job->lane] : 0.0;
}

static void add_verdict(dr_strand_verdict *sum, const dr_newton *newton, int lane, int vertices)
{
    sum->iterations += newton->iterations[lane];
    sum->vertex_iterations += (int64_t)newton->iterations[lane] * vertices;
    if (newton->iterations[lane] > sum->most) sum->most = newton->iterations[lane];
    if (newton->reason[lane] == DR_REASON_CONVERGED) return;
    sum->failed++;
    if (newton->reason[lane] > sum->reason || newton->size[lane] > sum->size) sum->size = newton->size[lane];
    if (newton->reason[lane] > sum->reason) sum->reason = newton->reason[lane];
}

typedef struct solving {
    dr_strand_solver *solver;
    const dr_strands *strands;
    const dr_strand_step *step;
} solving;

static gathering take(const solving *job, bench *at, const batch *work, int lane)
{
    static const dr_strand_material nothing = {.young = 1.0, .shear = 1.0, .density = 1.0};
    int s = work->strand[lane];
    size_t room = (size_t)(lane * job->solver->longest);
    gathering one = {.strands = job->strands, .step = job->step, .at = at, .lane = lane, .material = &nothing};
    if (s < 0) return one;
    one.material = dr_strands_material(job->strands, s);
    one.first = (size_t)job->strands->first[s];
    one.count = dr_strands_size(job->strands, s);
    one.length = at->length + room;
    one.curvature = at->curvature + 4 * room;
    one.root = find_carriage(&one);
    if (one.material->viscosity > 0.0) dr_strands_measure(job->strands, s, one.length, one.curvature);
    return one;
}

// Row by row over all lanes: a row of lanes is in the cache while all strands write to it.
static void gather_batch(const solving *job, bench *at, const batch *work, gathering one[DR_ROD_WIDTH])
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) one[lane] = take(job, at, work, lane);
    for (int i = 0; i < work->rows; i++) {
        for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
            if (i < one[lane].count) gather_row(&one[lane], i);
        }
    }
    at->newton.two = false;
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        set_tolerance(&one[lane]);
        fill_up(&one[lane], work->rows);
        at->newton.two = at->newton.two || goes_far(&one[lane]);
    }
}

static void scatter_batch(const batch *work, const gathering one[DR_ROD_WIDTH], const outcome *after)
{
    for (int i = 0; i < work->rows; i++) {
        for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
            if (i < one[lane].count) scatter_row(&one[lane], i, after);
        }
    }
}

static void solve_batch(const solving *job, size_t index, bench *at)
{
    dr_strand_solver *solver = job->solver;
    const batch *work = &solver->batches[index];
    dr_strand_verdict *verdict = &solver->verdicts[index];
    dr_newton *newton = &at->newton;
    dr_envelope_row *own = newton->factor;
    gathering one[DR_ROD_WIDTH];
    newton->rows = work->rows;
    newton->limit = ITERATIONS;
    newton->drag = job->step->load && job->step->load->drag ? at->drag : NULL;
    if (job->step->keep) newton->factor = solver->factors + work->factor;
    gather_batch(job, at, work, one);
    dr_newton_solve(newton);
    scatter_batch(work, one, &solver->after);
    memset(verdict, 0, sizeof *verdict);
    for (int lane = 0; lane < DR_ROD_WIDTH && work->strand[lane] >= 0; lane++)
        add_verdict(verdict, newton, lane, one[lane].count);
    newton->factor = own;
}

static void solve_batches(void *user, size_t begin, size_t end, int thread)
{
    const solving *job = user;
    for (size_t i = begin; i < end; i++) solve_batch(job, i, &job->solver->benches[thread]);
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

bool dr_strand_solver_predict(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                              dr_strand_verdict *verdict)
{
    if (step->keep && !solver->factors) {
        solver->factors = dr_memory_alloc(solver->allocator, solver->rows * sizeof *solver->factors);
        if (!solver->factors) return false;
    }
    solving job = {solver, strands, step};
    solver->kept = step->keep;
    solver->first = strands->first;
    solver->dt = step->dt;
    dr_par_for(&solver->par, (size_t)solver->batch_count, 1, solve_batches, &job);
    join_verdicts(solver, verdict);
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

// The matrix is that of places, C / dt^2. (31)
static void comply(const void *self, int s, int from, double *block)
{
    const dr_strand_solver *solver = self;
    const batch *home = &solver->batches[solver->home[s] / DR_ROD_WIDTH];
    int lane = solver->home[s] % DR_ROD_WIDTH;
    int count = solver->first[s + 1] - solver->first[s];
    double scale = 1.0 / (solver->dt * solver->dt);
    dr_envelope_solve(solver->factors + home->factor, count, lane, from, block);
    for (int i = 0; i < count * 4 * DR_COMPLIANCE_LANES; i++) block[i] *= scale;
}

dr_compliance dr_strand_solver_compliance(const dr_strand_solver *solver, const dr_strands *strands)
{
    return (dr_compliance){.strands = strands->count,
                           .first = strands->first,
                           .x = strands->position,
                           .v = solver->after.velocity,
                           .dt = solver->dt,
                           .solve = solver->kept ? comply : NULL,
                           .self = solver};
}

static void correct_strand(dr_strand_solver *solver, const dr_strands *strands, double dt, int s)
{
    outcome *after = &solver->after;
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    double t[2][3], old[3];
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

void dr_strand_solver_commit(dr_strand_solver *solver, dr_strands *strands)
{
    size_t n = solver->vertices;
    memcpy(strands->position, solver->after.position, 3 * n * sizeof(double));
    memcpy(strands->velocity, solver->after.velocity, 3 * n * sizeof(double));
    memcpy(strands->director, solver->after.director, 3 * n * sizeof(double));
    memcpy(strands->spin, solver->after.spin, n * sizeof(double));
    memcpy(strands->twist, solver->after.twist, n * sizeof(double));
}
