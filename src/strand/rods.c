// Curves as rods of somebody else's vertices. docs/theory/rods.md, "Rods of others", eq. (42)-(46).
// Rows lie curve after curve with lanes to spare around each, so that several vertices of a curve go side by side:
// row `which` of vertex i of a curve is row[which][slot + i]; that of an edge lies where the edge starts, that of a
// joint at its vertex. Spare places hold an edge along x that nothing bends.
#include "strand/rods.h"

#include "base/memory.h"
#include "strand/bend.h"
#include "strand/scalar.h"
#include "strand/twist.h"

#include <string.h>

enum {
    BASE_T,              // [3] tangent and first director as the step began, twist
    BASE_M = BASE_T + 3, // [3]
    BASE_TWIST = BASE_M + 3,
    GOAL, // [3] first director that held edges will have
    HELD = GOAL + 3,
    REST, // [4] curvature
    BEND = REST + 4,
    REST_TWIST = BEND + 2,
    TORSION,
    T,               // [3] tangent, inverse length, first director carried there, and turned
    INVERSE = T + 3, //
    CARRIED,         // [3]
    M = CARRIED + 3, // [3]
    TWIST_0 = M + 3, // between carried frames
    TWIST,           //
    TURN,            // since the step began
    TRIED,           // turns before a step of Newton's method
    ENERGY,          // of a joint; its derivatives by the turns of both edges
    BY_E,
    BY_F,
    EE,
    FF,
    EF,
    EE_PART, // without the part that may be negative
    FF_PART,
    SLOPE, // of an edge: by its turn
    OWN,   // and the matrix of turns, factorised
    NEXT,
    STEP,
    E_FORCE,               // [3] of a joint: by both edges
    F_FORCE = E_FORCE + 3, // [3]
    ROWS = F_FORCE + 3
};

enum { ENTRIES = 33, EE_AT = 0, FF_AT = 6, EF_AT = 12, TURNS_AT = 21 }; // of a joint's matrix: ee, ff, ef; turns

#define GRAIN 16 // curves

// Turns are found to this many radians: half or twice of it is far below what can be seen.
#define TURN_TOLERANCE 1e-9
#define TURN_NEWTONS   30
#define TURN_HALVES    12
// A curve that is straight may turn as a whole for nothing: this share of the diagonal holds it. Half or twice: the
// same turns to rounding.
#define TURN_SHIFT 1e-11

static double *row_of(const dr_rods *rods, int which)
{
    return rods->row + (size_t)which * rods->slots;
}

static size_t edges_of(const dr_rods *rods, size_t c)
{
    return rods->first[c + 1] - rods->first[c] - 1;
}

static dr_lanes3 load3(const dr_rods *rods, int which, size_t at)
{
    return (dr_lanes3){dr_lanes_load(row_of(rods, which) + at), dr_lanes_load(row_of(rods, which + 1) + at),
                       dr_lanes_load(row_of(rods, which + 2) + at)};
}

static void store3(const dr_rods *rods, int which, size_t at, dr_lanes3 value)
{
    dr_lanes_store(row_of(rods, which) + at, value.x);
    dr_lanes_store(row_of(rods, which + 1) + at, value.y);
    dr_lanes_store(row_of(rods, which + 2) + at, value.z);
}

// ---- memory

#define COLUMN(member, components, unit, doc)                                                                          \
    {                                                                                                                  \
#member, offsetof(dr_rods, member), DR_TYPE_FLOAT64, components, unit, doc                                     \
    }

static const dr_column state_columns[] = {
    COLUMN(director, 3, "", "first director of the edge"),
    COLUMN(twist, 1, "", "between the frames of two edges"),
};
static const dr_column made_columns[] = {
    COLUMN(curvature, 4, "", "at rest"),
    COLUMN(rest_twist, 1, "", "at rest"),
    COLUMN(bend, 2, "dyn cm", "stiffness"),
    COLUMN(torsion, 1, "dyn cm", "stiffness"),
    COLUMN(turn_held, 1, "", "the turn of the edge is given"),
};
static const dr_column curve_columns[] = {
    {"first", offsetof(dr_rods, first), DR_TYPE_UINT32, 1, "", "first vertex"},
    {"slot", offsetof(dr_rods, slot), DR_TYPE_UINT32, 1, "", "first row"},
};
const dr_column_table dr_rods_columns = {state_columns, 2};
static const dr_column_table made = {made_columns, 5}, each = {curve_columns, 2};

bool dr_rods_add(dr_rods *rods, const dr_allocator *allocator, const dr_strands *strands, int s)
{
    size_t from = (size_t)strands->first[s], count = (size_t)dr_strands_size(strands, s), first = rods->vertices;
    if (!dr_columns_reserve(&dr_rods_columns, rods, allocator, &rods->state_capacity, first + count) ||
        !dr_columns_reserve(&made, rods, allocator, &rods->vertex_capacity, first + count) ||
        !dr_columns_reserve(&each, rods, allocator, &rods->curve_capacity, rods->curves + 2))
        return false;
    memcpy(rods->director + 3 * first, strands->director + 3 * from, 3 * count * sizeof(double));
    memcpy(rods->twist + first, strands->twist + from, count * sizeof(double));
    memcpy(rods->curvature + 4 * first, strands->rest_curvature + 4 * from, 4 * count * sizeof(double));
    memcpy(rods->rest_twist + first, strands->rest_twist + from, count * sizeof(double));
    memcpy(rods->bend + 2 * first, strands->bend + 2 * from, 2 * count * sizeof(double));
    memcpy(rods->torsion + first, strands->torsion + from, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        rods->turn_held[first + i] = strands->held[from + i] & DR_STRAND_TURN_HELD ? 1.0 : 0.0;
        rods->stiff = rods->stiff || strands->bend[2 * (from + i)] > 0.0 || strands->torsion[from + i] > 0.0;
    }
    if (rods->curves == 0) rods->first[0] = rods->slot[0] = 0;
    rods->first[++rods->curves] = (uint32_t)(first + count);
    rods->vertices += count;
    return true;
}

static size_t place_rows(dr_rods *rods)
{
    size_t at = DR_LANES;
    for (size_t c = 0; c < rods->curves; c++) {
        rods->slot[c] = (uint32_t)at;
        at += (edges_of(rods, c) / DR_LANES + 2) * DR_LANES;
    }
    rods->slot[rods->curves] = (uint32_t)at;
    return at + DR_LANES;
}

static void fill_rows(dr_rods *rods)
{
    for (size_t i = 0; i < rods->slots; i++) {
        row_of(rods, BASE_T)[i] = row_of(rods, T)[i] = row_of(rods, INVERSE)[i] = 1.0;
        row_of(rods, BASE_M + 1)[i] = row_of(rods, GOAL + 1)[i] = 1.0;
        row_of(rods, CARRIED + 1)[i] = row_of(rods, M + 1)[i] = 1.0;
    }
    for (size_t c = 0; c < rods->curves; c++) {
        for (size_t i = 0; i <= edges_of(rods, c); i++) {
            size_t at = rods->slot[c] + i, v = rods->first[c] + i;
            for (size_t k = 0; k < 4; k++) row_of(rods, REST + (int)k)[at] = rods->curvature[4 * v + k];
            for (size_t k = 0; k < 2; k++) row_of(rods, BEND + (int)k)[at] = rods->bend[2 * v + k];
            row_of(rods, REST_TWIST)[at] = rods->rest_twist[v];
            row_of(rods, TORSION)[at] = rods->torsion[v];
            row_of(rods, HELD)[at] = rods->turn_held[v];
        }
    }
}

bool dr_rods_open(dr_rods *rods, const dr_allocator *allocator, bool implicit)
{
    if (!rods->stiff) return true;
    rods->slots = place_rows(rods);
    rods->opened = ROWS * rods->slots * sizeof(double);
    rods->curves_opened = rods->curves * sizeof(double);
    rods->row = dr_memory_alloc(allocator, rods->opened);
    rods->energy = dr_memory_alloc(allocator, rods->curves_opened);
    if (implicit) rods->matrix = dr_memory_alloc(allocator, ENTRIES * rods->slots * sizeof(float));
    if (!rods->row || !rods->energy || (implicit && !rods->matrix)) return false;
    fill_rows(rods);
    return true;
}

void dr_rods_free(dr_rods *rods, const dr_allocator *allocator)
{
    if (rods->row) dr_memory_free(allocator, rods->row, rods->opened);
    if (rods->energy) dr_memory_free(allocator, rods->energy, rods->curves_opened);
    if (rods->matrix) dr_memory_free(allocator, rods->matrix, ENTRIES * rods->slots * sizeof(float));
    dr_columns_free(&dr_rods_columns, rods, allocator, &rods->state_capacity);
    dr_columns_free(&made, rods, allocator, &rods->vertex_capacity);
    dr_columns_free(&each, rods, allocator, &rods->curve_capacity);
    memset(rods, 0, sizeof *rods);
}

typedef struct pass {
    dr_rods *rods;
    const double *x, *mass;
    const float *velocity;
    double *out;
    bool whole;
} pass;

static void run(const dr_par *par, pass job, dr_par_body body)
{
    if (job.rods->stiff) dr_par_for(par, job.rods->curves, GRAIN, body, &job);
}

static double total(dr_rods *rods)
{
    return rods->stiff ? dr_par_sum(rods->energy, rods->curves) : 0.0;
}

// ---- frames

// Edges i .. i + lanes - 1 of curve c; beyond its end an edge along x.
static dr_lanes3 load_edges(const dr_rods *rods, size_t c, size_t i, const double *x)
{
    dr_lanes3 e = {dr_lanes_all(1.0), dr_lanes_all(0.0), dr_lanes_all(0.0)};
    for (size_t k = 0; k < DR_LANES && i + k < edges_of(rods, c); k++) {
        const double *from = x + 3 * (rods->first[c] + i + k);
        e.x[k] = from[3] - from[0];
        e.y[k] = from[4] - from[1];
        e.z[k] = from[5] - from[2];
    }
    return e;
}

// Tangents, and directors carried there from the beginning of the step. (1)
static void carry(dr_rods *rods, size_t c, const double *x)
{
    for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) {
        size_t at = rods->slot[c] + i;
        dr_lanes3 e = load_edges(rods, c, i, x);
        dr_lanes inverse = 1.0 / dr_lanes_sqrt(dr_lanes_larger(dr_lanes3_dot(e, e), dr_lanes_all(1e-200)));
        dr_lanes3 t = dr_lanes3_scale(inverse, e);
        dr_lanes3 m = dr_transport_vector(load3(rods, BASE_T, at), t, load3(rods, BASE_M, at));
        dr_lanes_mask held = (dr_lanes_mask)(dr_lanes_load(row_of(rods, HELD) + at) > dr_lanes_all(0.5));
        dr_lanes3 goal = load3(rods, GOAL, at);
        goal = dr_lanes3_add_scaled(goal, -dr_lanes3_dot(goal, t), t);
        goal = dr_lanes3_scale(1.0 / dr_lanes_sqrt(dr_lanes_larger(dr_lanes3_dot(goal, goal), dr_lanes_all(1e-200))),
                               goal);
        store3(rods, T, at, t);
        dr_lanes_store(row_of(rods, INVERSE) + at, inverse);
        store3(rods, CARRIED, at, dr_lanes3_select(held, goal, dr_transport_clean(t, m)));
        dr_lanes_store(row_of(rods, TURN) + at, dr_lanes_all(0.0));
    }
    for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) {
        size_t at = rods->slot[c] + i;
        dr_lanes angle = dr_transport_twist(load3(rods, T, at - 1), load3(rods, CARRIED, at - 1), load3(rods, T, at),
                                            load3(rods, CARRIED, at));
        dr_lanes_store(row_of(rods, TWIST_0) + at,
                       dr_transport_unwrap(angle, dr_lanes_load(row_of(rods, BASE_TWIST) + at)));
    }
}

// Directors and twist with the turns there are. (2)
static void turn(dr_rods *rods, size_t c)
{
    for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) {
        size_t at = rods->slot[c] + i;
        dr_lanes sine, cosine, turned = dr_lanes_load(row_of(rods, TURN) + at);
        dr_lanes3 t = load3(rods, T, at), m = load3(rods, CARRIED, at);
        dr_transport_sine_cosine(turned, &sine, &cosine);
        store3(rods, M, at, dr_lanes3_add_scaled(dr_lanes3_scale(cosine, m), sine, dr_lanes3_cross(t, m)));
        dr_lanes before = dr_lanes_load(row_of(rods, TURN) + at - 1);
        dr_lanes_store(row_of(rods, TWIST) + at, dr_lanes_load(row_of(rods, TWIST_0) + at) + turned - before);
    }
}

// ---- joints

typedef struct place {
    dr_joint joint;
    dr_bend bend;
    dr_twist torsion;
    dr_lanes twist;
} place;

static dr_edge load_edge(const dr_rods *rods, size_t at)
{
    dr_edge edge = {
        .t = load3(rods, T, at), .m1 = load3(rods, M, at), .inverse = dr_lanes_load(row_of(rods, INVERSE) + at)};
    edge.m2 = dr_lanes3_cross(edge.t, edge.m1);
    return edge;
}

static place load_place(const dr_rods *rods, size_t at, double geometric)
{
    place p = {.joint = dr_joint_open(load_edge(rods, at - 1), load_edge(rods, at), dr_lanes_all(geometric)),
               .torsion = {dr_lanes_load(row_of(rods, REST_TWIST) + at), dr_lanes_load(row_of(rods, TORSION) + at)},
               .twist = dr_lanes_load(row_of(rods, TWIST) + at)};
    for (int k = 0; k < 4; k++) p.bend.rest[k] = dr_lanes_load(row_of(rods, REST + k) + at);
    for (int k = 0; k < 2; k++) p.bend.stiffness[k] = dr_lanes_load(row_of(rods, BEND + k) + at);
    return p;
}

// Derivatives by the turns of the two edges of joints. (13), (15)
static void find_turn_terms(dr_rods *rods, size_t at)
{
    place p = load_place(rods, at, 1.0);
    dr_lanes energy = dr_lanes_all(0.0), k = p.torsion.stiffness;
    dr_bend_moments here = dr_bend_energy(&p.joint, &p.bend, &energy);
    const dr_lanes *kappa = here.kappa, *rho = here.rho, *b = p.bend.stiffness;
    dr_lanes torque = dr_twist_energy(p.twist, &p.torsion, &energy);
    dr_lanes share = p.joint.geometric;
    dr_lanes part[2] = {b[0] * kappa[1] * kappa[1] + b[1] * kappa[0] * kappa[0],
                        b[0] * kappa[3] * kappa[3] + b[1] * kappa[2] * kappa[2]};
    dr_lanes rest[2] = {rho[0] * kappa[0] + rho[1] * kappa[1], rho[2] * kappa[2] + rho[3] * kappa[3]};
    dr_lanes_store(row_of(rods, ENERGY) + at, energy);
    dr_lanes_store(row_of(rods, BY_E) + at, rho[0] * kappa[1] - rho[1] * kappa[0] - torque);
    dr_lanes_store(row_of(rods, BY_F) + at, rho[2] * kappa[3] - rho[3] * kappa[2] + torque);
    dr_lanes_store(row_of(rods, EE_PART) + at, part[0] + k);
    dr_lanes_store(row_of(rods, FF_PART) + at, part[1] + k);
    dr_lanes_store(row_of(rods, EE) + at, part[0] + k - share * rest[0]);
    dr_lanes_store(row_of(rods, FF) + at, part[1] + k - share * rest[1]);
    dr_lanes_store(row_of(rods, EF) + at, -k);
}

static double measure(dr_rods *rods, size_t c)
{
    double sum = 0.0;
    turn(rods, c);
    for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) find_turn_terms(rods, rods->slot[c] + i);
    const double *energy = row_of(rods, ENERGY) + rods->slot[c];
    for (size_t i = 1; i < edges_of(rods, c); i++) sum += energy[i];
    return sum;
}

// ---- the turns of a curve

// Factorises the matrix of turns; false where it is not positive. (43)
static bool factor_turns(dr_rods *rods, size_t c, bool whole)
{
    const double *ee = row_of(rods, whole ? EE : EE_PART) + rods->slot[c], *held = row_of(rods, HELD) + rods->slot[c];
    const double *ff = row_of(rods, whole ? FF : FF_PART) + rods->slot[c], *ef = row_of(rods, EF) + rods->slot[c];
    double *own = row_of(rods, OWN) + rods->slot[c], *next = row_of(rods, NEXT) + rods->slot[c], taken = 0.0;
    for (size_t e = 0; e < edges_of(rods, c); e++) {
        double diagonal = (ff[e] + ee[e + 1]) * (1.0 + TURN_SHIFT), pivot = diagonal - taken;
        bool fixed = held[e] > 0.5 || diagonal == 0.0, coupled = !fixed && !(held[e + 1] > 0.5);
        own[e] = fixed ? 1.0 : pivot;
        if (!(own[e] > 0.0)) return false;
        next[e] = coupled ? ef[e + 1] / own[e] : 0.0;
        taken = next[e] * ef[e + 1];
    }
    return true;
}

// y <- matrix^-1 y, for the edges of a curve; nought where turns are held.
static void solve_turns(const dr_rods *rods, size_t c, double *y)
{
    const double *own = row_of(rods, OWN) + rods->slot[c], *next = row_of(rods, NEXT) + rods->slot[c];
    const double *held = row_of(rods, HELD) + rods->slot[c];
    size_t edges = edges_of(rods, c);
    for (size_t e = 0; e < edges; e++) {
        if (e > 0) y[e] -= next[e - 1] * y[e - 1];
        if (held[e] > 0.5) y[e] = 0.0;
    }
    for (size_t e = edges; e-- > 0;) {
        y[e] /= own[e];
        if (e + 1 < edges) y[e] -= next[e] * y[e + 1];
    }
}

// STEP becomes Newton's step; gives the largest turn in it and the slope of the energy along it.
static double find_turn_step(dr_rods *rods, size_t c, double *slope)
{
    const double *by_e = row_of(rods, BY_E) + rods->slot[c], *by_f = row_of(rods, BY_F) + rods->slot[c];
    double *step = row_of(rods, STEP) + rods->slot[c], *gradient = row_of(rods, SLOPE) + rods->slot[c], most = 0.0;
    if (!factor_turns(rods, c, true)) factor_turns(rods, c, false);
    for (size_t e = 0; e < edges_of(rods, c); e++) {
        gradient[e] = by_f[e] + by_e[e + 1];
        step[e] = -gradient[e];
    }
    solve_turns(rods, c, step);
    *slope = 0.0;
    for (size_t e = 0; e < edges_of(rods, c); e++) {
        *slope += gradient[e] * step[e];
        most = fmax(most, fabs(step[e]));
    }
    return most;
}

static void take_turns(dr_rods *rods, size_t c, double share)
{
    const double *tried = row_of(rods, TRIED) + rods->slot[c], *step = row_of(rods, STEP) + rods->slot[c];
    double *turns = row_of(rods, TURN) + rods->slot[c];
    for (size_t e = 0; e < edges_of(rods, c); e++) turns[e] = tried[e] + share * step[e];
}

// (42): least energy over the turns, by Newton's method with a line search.
static double settle(dr_rods *rods, size_t c)
{
    double energy = measure(rods, c);
    for (int i = 0; i < TURN_NEWTONS; i++) {
        double slope, most = find_turn_step(rods, c, &slope), share = most > 1.0 ? 1.0 / most : 1.0;
        if (!(most > TURN_TOLERANCE)) break;
        double before = energy;
        memcpy(row_of(rods, TRIED) + rods->slot[c], row_of(rods, TURN) + rods->slot[c],
               edges_of(rods, c) * sizeof(double));
        for (int half = 0; half < TURN_HALVES; half++, share *= 0.5) {
            take_turns(rods, c, share);
            energy = measure(rods, c);
            if (energy <= before + 1e-4 * share * slope + 1e-14 * fabs(before)) break;
        }
    }
    return energy;
}

static void look_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    for (size_t c = begin; c < end; c++) {
        carry(job->rods, c, job->x);
        job->rods->energy[c] = settle(job->rods, c);
    }
}

double dr_rods_look(dr_rods *rods, const dr_par *par, const double *x)
{
    run(par, (pass){.rods = rods, .x = x}, look_curves);
    return total(rods);
}

// ---- beginning and end of a step

static void copy_row(const dr_rods *rods, size_t c, int from, int to, int count)
{
    for (int k = 0; k < count; k++)
        memcpy(row_of(rods, to + k) + rods->slot[c], row_of(rods, from + k) + rods->slot[c],
               edges_of(rods, c) * sizeof(double));
}

static void start_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        for (size_t e = 0; e < edges_of(rods, c); e++) {
            size_t at = rods->slot[c] + e, v = rods->first[c] + e;
            double t[3], director[3];
            dr_scalar_tangent(job->x + 3 * v, t);
            dr_scalar_across(t, rods->director + 3 * v, director);
            for (int a = 0; a < 3; a++) {
                row_of(rods, BASE_T + a)[at] = t[a];
                row_of(rods, BASE_M + a)[at] = row_of(rods, GOAL + a)[at] = director[a];
            }
            row_of(rods, BASE_TWIST)[at] = rods->twist[v];
        }
        carry(rods, c, job->x);
        rods->energy[c] = settle(rods, c);
        copy_row(rods, c, M, BASE_M, 3);
        copy_row(rods, c, M, GOAL, 3);
        copy_row(rods, c, TWIST, BASE_TWIST, 1);
    }
}

double dr_rods_start(dr_rods *rods, const dr_par *par, const double *x)
{
    run(par, (pass){.rods = rods, .x = x}, start_curves);
    return total(rods);
}

void dr_rods_lead(dr_rods *rods, size_t curve, size_t edge, const double director[3])
{
    for (int a = 0; a < 3; a++) row_of(rods, GOAL + a)[rods->slot[curve] + edge] = director[a];
}

void dr_rods_hold_turn(dr_rods *rods, size_t curve, size_t edge, bool held)
{
    row_of(rods, HELD)[rods->slot[curve] + edge] = held ? 1.0 : 0.0;
}

static void keep_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        carry(rods, c, job->x);
        for (size_t e = 0; e < edges_of(rods, c); e++) {
            size_t at = rods->slot[c] + e, v = rods->first[c] + e;
            for (int a = 0; a < 3; a++) rods->director[3 * v + (size_t)a] = row_of(rods, CARRIED + a)[at];
            rods->twist[v] = e > 0 ? row_of(rods, TWIST_0)[at] : 0.0;
        }
    }
}

void dr_rods_keep(dr_rods *rods, const dr_par *par, const double *x)
{
    run(par, (pass){.rods = rods, .x = x}, keep_curves);
}

// ---- slope. (44)

static dr_joint_sum differentiate(const place *p)
{
    dr_joint_sum sum = {0};
    dr_bend_add(&p->joint, &p->bend, &sum);
    dr_twist_add(&p->joint, p->twist, &p->torsion, &sum);
    return sum;
}

static void gradient_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) {
            size_t at = rods->slot[c] + i;
            place p = load_place(rods, at, 0.0);
            dr_joint_sum sum = differentiate(&p);
            store3(rods, E_FORCE, at, dr_lanes3_scale(p.joint.e.inverse, sum.e));
            store3(rods, F_FORCE, at, dr_lanes3_scale(p.joint.f.inverse, sum.f));
        }
        for (size_t i = 0; i <= edges_of(rods, c); i++) {
            for (int a = 0; a < 3; a++) {
                const double *e = row_of(rods, E_FORCE + a) + rods->slot[c] + i;
                const double *f = row_of(rods, F_FORCE + a) + rods->slot[c] + i;
                job->out[3 * (rods->first[c] + i) + (size_t)a] += e[0] - f[0] - e[1] + f[-1];
            }
        }
    }
}

void dr_rods_gradient(dr_rods *rods, const dr_par *par, double *gradient)
{
    run(par, (pass){.rods = rods, .out = gradient}, gradient_curves);
}

// ---- second derivative: edges less what the turns take over. (45)

static void keep_matrix(dr_rods *rods, size_t at, const dr_joint_sum *s)
{
    const dr_lanes_symmetric *ee = &s->ee, *ff = &s->ff;
    const dr_lanes entry[ENTRIES] = {
        ee->xx,        ee->xy,        ee->xz,        ee->yy,        ee->yz,        ee->zz,        ff->xx,
        ff->xy,        ff->xz,        ff->yy,        ff->yz,        ff->zz,        s->ef[0][0],   s->ef[0][1],
        s->ef[0][2],   s->ef[1][0],   s->ef[1][1],   s->ef[1][2],   s->ef[2][0],   s->ef[2][1],   s->ef[2][2],
        s->e_turn_e.x, s->e_turn_e.y, s->e_turn_e.z, s->e_turn_f.x, s->e_turn_f.y, s->e_turn_f.z, s->f_turn_e.x,
        s->f_turn_e.y, s->f_turn_e.z, s->f_turn_f.x, s->f_turn_f.y, s->f_turn_f.z};
    for (size_t k = 0; k < DR_LANES; k++) {
        for (size_t i = 0; i < ENTRIES; i++) rods->matrix[ENTRIES * (at + k) + i] = (float)entry[i][k];
    }
}

static void linearise_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        for (size_t i = 0; i <= edges_of(rods, c); i += DR_LANES) {
            size_t at = rods->slot[c] + i;
            place p = load_place(rods, at, job->whole ? 1.0 : 0.0);
            dr_joint_sum sum = differentiate(&p);
            dr_joint_finish(&p.joint, &sum);
            keep_matrix(rods, at, &sum);
        }
        if (!job->whole || !factor_turns(rods, c, true)) factor_turns(rods, c, false);
    }
}

void dr_rods_linearise(dr_rods *rods, const dr_par *par, bool whole)
{
    run(par, (pass){.rods = rods, .whole = whole}, linearise_curves);
}

static double dot3(const float a[3], const double b[3])
{
    return (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
}

static void add_symmetric(const float m[6], const double b[3], double out[3])
{
    out[0] += (double)m[0] * b[0] + (double)m[1] * b[1] + (double)m[2] * b[2];
    out[1] += (double)m[1] * b[0] + (double)m[3] * b[1] + (double)m[4] * b[2];
    out[2] += (double)m[2] * b[0] + (double)m[4] * b[1] + (double)m[5] * b[2];
}

// How the edge that starts at vertex v changes.
static void edge_rate(const float *velocity, size_t v, double out[3])
{
    for (size_t a = 0; a < 3; a++) out[a] = (double)velocity[4 * v + 4 + a] - (double)velocity[4 * v + a];
}

// What velocities do to the slopes by the turns, and the turns that answer it.
static void answer_turns(dr_rods *rods, size_t c, const float *velocity)
{
    double *y = row_of(rods, STEP) + rods->slot[c], d[2][3];
    size_t edges = edges_of(rods, c), v = rods->first[c];
    memset(y, 0, edges * sizeof *y);
    edge_rate(velocity, v, d[1]);
    for (size_t i = 1; i < edges; i++) {
        const float *turns = rods->matrix + ENTRIES * (rods->slot[c] + i) + TURNS_AT;
        dr_vec3_copy(d[0], d[1]);
        edge_rate(velocity, v + i, d[1]);
        y[i - 1] += dot3(turns, d[0]) + dot3(turns + 6, d[1]);
        y[i] += dot3(turns + 3, d[0]) + dot3(turns + 9, d[1]);
    }
    solve_turns(rods, c, y);
}

static void apply_joint(const float *m, const double de[3], const double df[3], const double y[2], double e[3],
                        double f[3])
{
    const float *turns = m + TURNS_AT, *ef = m + EF_AT;
    for (int a = 0; a < 3; a++) {
        e[a] = dot3(ef + 3 * a, df) - (double)turns[a] * y[0] - (double)turns[3 + a] * y[1];
        f[a] = (double)ef[a] * de[0] + (double)ef[3 + a] * de[1] + (double)ef[6 + a] * de[2] -
               (double)turns[6 + a] * y[0] - (double)turns[9 + a] * y[1];
    }
    add_symmetric(m + EE_AT, de, e);
    add_symmetric(m + FF_AT, df, f);
}

static void apply_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        const double *y = row_of(rods, STEP) + rods->slot[c];
        double d[2][3], e[3], f[3];
        size_t v = rods->first[c];
        answer_turns(rods, c, job->velocity);
        edge_rate(job->velocity, v, d[1]);
        for (size_t i = 1; i < edges_of(rods, c); i++) {
            double *out = job->out + 3 * (v + i);
            dr_vec3_copy(d[0], d[1]);
            edge_rate(job->velocity, v + i, d[1]);
            apply_joint(rods->matrix + ENTRIES * (rods->slot[c] + i), d[0], d[1], y + i - 1, e, f);
            for (int a = 0; a < 3; a++) {
                out[a - 3] -= e[a];
                out[a] += e[a] - f[a];
                out[a + 3] += f[a];
            }
        }
    }
}

void dr_rods_apply(dr_rods *rods, const dr_par *par, const float *velocity, double *out)
{
    run(par, (pass){.rods = rods, .velocity = velocity, .out = out}, apply_curves);
}

// ---- limit. (46)

static dr_lanes load_inverse_mass(const dr_rods *rods, const double *mass, size_t c, size_t i)
{
    dr_lanes out = dr_lanes_all(0.0);
    for (size_t k = 0; k < DR_LANES && i + k <= edges_of(rods, c); k++) out[k] = 1.0 / mass[rods->first[c] + i + k];
    return out;
}

static dr_lanes product(const dr_lanes3 a[2], const dr_lanes3 b[2], const dr_lanes inverse[3])
{
    dr_lanes3 between_a = dr_lanes3_sub(a[0], a[1]), between_b = dr_lanes3_sub(b[0], b[1]);
    return inverse[0] * dr_lanes3_dot(a[0], b[0]) + inverse[1] * dr_lanes3_dot(between_a, between_b) +
           inverse[2] * dr_lanes3_dot(a[1], b[1]);
}

// The largest sum of a row of the products of a joint's four slopes, each times the root of its stiffness, and the
// twist's.
static dr_lanes limit_joints(const dr_rods *rods, const double *mass, size_t c, size_t i)
{
    place p = load_place(rods, rods->slot[c] + i, 0.0);
    const dr_joint *at = &p.joint;
    dr_lanes inverse[3] = {load_inverse_mass(rods, mass, c, i - 1), load_inverse_mass(rods, mass, c, i),
                           load_inverse_mass(rods, mass, c, i + 1)};
    const dr_lanes3 w[4] = {at->e.m2, at->e.m1, at->f.m2, at->f.m1};
    dr_lanes3 slope[4][2], half[2];
    dr_lanes most = dr_lanes_all(0.0);
    for (int k = 0; k < 4; k++) {
        dr_lanes along = dr_lanes3_dot(w[k], at->across), root = dr_lanes_sqrt(p.bend.stiffness[k & 1]);
        slope[k][0] = dr_lanes3_scale(root * at->e.inverse, dr_joint_by_e(at, w[k], along));
        slope[k][1] = dr_lanes3_scale(root * at->f.inverse, dr_joint_by_f(at, w[k], along));
    }
    for (int k = 0; k < 4; k++) {
        dr_lanes sum = dr_lanes_all(0.0);
        for (int l = 0; l < 4; l++) sum += dr_lanes_absolute(product(slope[k], slope[l], inverse));
        most = dr_lanes_larger(most, sum);
    }
    half[0] = dr_lanes3_scale(0.5 * at->e.inverse, at->kb);
    half[1] = dr_lanes3_scale(0.5 * at->f.inverse, at->kb);
    return most + p.torsion.stiffness * product(half, half, inverse);
}

static void limit_curves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_rods *rods = job->rods;
    for (size_t c = begin; c < end; c++) {
        double *each_joint = row_of(rods, SLOPE) + rods->slot[c], most = 0.0;
        size_t edges = edges_of(rods, c);
        for (size_t i = 1; i < edges; i += DR_LANES)
            dr_lanes_store(each_joint + i, limit_joints(rods, job->mass, c, i));
        for (size_t i = 1; i < edges; i++)
            most = fmax(most,
                        (i > 1 ? each_joint[i - 1] : 0.0) + each_joint[i] + (i + 1 < edges ? each_joint[i + 1] : 0.0));
        job->out[c] = most;
    }
}

double dr_rods_limit(dr_rods *rods, const dr_par *par, const double *mass)
{
    double most = 0.0;
    if (!rods->stiff) return 0.0;
    run(par, (pass){.rods = rods, .mass = mass, .out = rods->energy}, limit_curves);
    for (size_t c = 0; c < rods->curves; c++) most = fmax(most, rods->energy[c]);
    return most;
}
