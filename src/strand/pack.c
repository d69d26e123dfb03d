// A pack of strands, gathered and scattered. docs/theory/rods.md, eq. (21)-(23), (37)-(41).
#include "strand/pack.h"

#include "base/memory.h"
#include "strand/scalar.h"

#include <float.h>
#include <string.h>

#define STRAINS 12 // doubles of a row: length, four curvatures and twist, of two dr_strain
#define PLACES  6  // doubles of a row: a point and a director

bool dr_pack_open(dr_pack *pack, const dr_allocator *allocator, int longest)
{
    size_t n = (size_t)longest;
    *pack = (dr_pack){.longest = longest};
    pack->newton.row = dr_memory_alloc(allocator, n * sizeof *pack->newton.row);
    pack->newton.base = dr_memory_alloc(allocator, n * sizeof *pack->newton.base);
    pack->newton.trial = dr_memory_alloc(allocator, n * sizeof *pack->newton.trial);
    pack->newton.guess = dr_memory_alloc(allocator, n * sizeof *pack->newton.guess);
    pack->newton.step = dr_memory_alloc(allocator, n * sizeof *pack->newton.step);
    pack->newton.factor = dr_memory_alloc(allocator, n * sizeof *pack->newton.factor);
    pack->drag = dr_memory_alloc(allocator, n * sizeof *pack->drag);
    pack->strains = dr_memory_alloc(allocator, STRAINS * DR_ROD_WIDTH * n * sizeof *pack->strains);
    pack->places = dr_memory_alloc(allocator, PLACES * DR_ROD_WIDTH * n * sizeof *pack->places);
    pack->starts = dr_memory_alloc(allocator, DR_ROD_WIDTH * n * sizeof *pack->starts);
    return pack->newton.row && pack->newton.base && pack->newton.trial && pack->newton.guess && pack->newton.step &&
           pack->newton.factor && pack->drag && pack->strains && pack->places && pack->starts;
}

void dr_pack_close(dr_pack *pack, const dr_allocator *allocator)
{
    size_t n = (size_t)pack->longest;
    dr_memory_free(allocator, pack->newton.row, n * sizeof *pack->newton.row);
    dr_memory_free(allocator, pack->newton.base, n * sizeof *pack->newton.base);
    dr_memory_free(allocator, pack->newton.trial, n * sizeof *pack->newton.trial);
    dr_memory_free(allocator, pack->newton.guess, n * sizeof *pack->newton.guess);
    dr_memory_free(allocator, pack->newton.step, n * sizeof *pack->newton.step);
    dr_memory_free(allocator, pack->newton.factor, n * sizeof *pack->newton.factor);
    dr_memory_free(allocator, pack->drag, n * sizeof *pack->drag);
    dr_memory_free(allocator, pack->strains, STRAINS * DR_ROD_WIDTH * n * sizeof *pack->strains);
    dr_memory_free(allocator, pack->places, PLACES * DR_ROD_WIDTH * n * sizeof *pack->places);
    dr_memory_free(allocator, pack->starts, DR_ROD_WIDTH * n * sizeof *pack->starts);
}

// ---- gathering a strand into a lane

// The second stage takes y = A y_middle - B y_before as its start. (38)
#define MIDDLE  DR_STRAND_MIDDLE
#define BDF_A   (1.0 / (MIDDLE * (2.0 - MIDDLE)))
#define BDF_B   (BDF_A * (1.0 - MIDDLE) * (1.0 - MIDDLE))
#define BDF_DT  ((1.0 - MIDDLE) / (2.0 - MIDDLE))
#define HALF_DT (0.5 * MIDDLE)

static double blend(double middle, double before)
{
    return BDF_A * middle - BDF_B * before;
}

// Rest strains and stiffness with the viscous pull towards the strains that the stage starts from: two springs in
// parallel are one. ratio: stiffness of the viscous one against the elastic one. (22)-(23)
static double balance(double rest, double now, double ratio)
{
    return (rest + ratio * now) / (1.0 + ratio);
}

static void gather_springs(const dr_pack_lane *job, int i)
{
    const dr_strands *strands = job->strands;
    dr_rod_row *row = &job->at->newton.row[i];
    size_t v = job->first + (size_t)i;
    bool viscous = job->material->viscosity > 0.0;
    double rate = job->material->viscosity / job->reach;
    double bending = 3.0 * rate / job->material->young, torsion = rate / job->material->shear;
    const double *length = viscous ? &job->toward.length[i] : &strands->rest_length[v];
    const double *curvature = viscous ? &job->toward.curvature[4 * (size_t)i] : &strands->rest_curvature[4 * v];
    double twist = viscous ? job->toward.twist[i] : strands->rest_twist[v];
    int lane = job->lane;
    row->length[lane] = balance(strands->rest_length[v], *length, bending);
    row->stretch[lane] = strands->stretch[v] * (1.0 + bending);
    if (job->step->load && job->step->load->film_tension && row->stretch[lane] > 0.0)
        row->length[lane] -= job->step->load->film_tension[v] / row->stretch[lane];
    row->drawn[lane] = job->step->length ? job->step->length[v] : 0.0;
    for (size_t k = 0; k < 4; k++)
        row->curvature[k][lane] = balance(strands->rest_curvature[4 * v + k], curvature[k], bending);
    for (size_t k = 0; k < 2; k++) row->bend[k][lane] = strands->bend[2 * v + k] * (1.0 + bending);
    row->twist[lane] = balance(strands->rest_twist[v], twist, torsion);
    row->torsion[lane] = strands->torsion[v] * (1.0 + torsion);
}

// A far way in one step: then it is worth while to compare both guesses.
static bool goes_far(const dr_pack_lane *job)
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
static void gather_drag(const dr_pack_lane *job, int i, double weight)
{
    const dr_strand_load *load = job->step->load;
    size_t v = job->first + (size_t)i, last = job->first + (size_t)job->count - 1;
    int lane = job->lane;
    double reach = job->reach, t[3], toward[3], pull[3], all[6], (*drag)[DR_ROD_WIDTH] = job->at->drag[i];
    double along = load->drag[2 * v] / reach, across = load->drag[2 * v + 1] / reach, extra = along - across;
    dr_rod_row *row = &job->at->newton.row[i];
    dr_scalar_tangent(job->strands->position + 3 * (v < last ? v : v - 1), t);
    double total = weight + across;
    for (int a = 0, k = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, k++) {
            drag[k][lane] = (load->film_matrix ? drag[k][lane] : 0.0) + extra * t[a] * t[b];
            all[k] = drag[k][lane] + (a == b ? total : 0.0);
        }
    }
    for (int a = 0; a < 3; a++)
        toward[a] = job->start[i].x[a] + reach * load->liquid_velocity[3 * v + (size_t)a] - row->anchor[a][lane];
    double dot = dr_vec3_dot(t, toward);
    for (int a = 0; a < 3; a++) toward[a] = across * toward[a] + extra * dot * t[a];
    if (total > 0.0 && total + extra > 0.0) {
        dr_scalar_solve(all, toward, pull);
        for (int a = 0; a < 3; a++) row->anchor[a][lane] += pull[a];
    }
    row->weight[lane] = total;
}

// Where the stage starts. (37), (38)
static dr_pack_start find_start(const dr_pack_lane *job, int i)
{
    const dr_strands *strands = job->strands;
    const dr_rod_place *middle = &job->at->newton.base[i];
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double half = HALF_DT * job->step->dt;
    dr_pack_start at = {.spin = strands->spin[v]};
    dr_vec3_copy(at.x, strands->position + 3 * v);
    dr_vec3_copy(at.velocity, strands->velocity + 3 * v);
    if (job->stage == DR_PACK_WHOLE) return at;
    const double *acceleration = job->step->acceleration ? job->step->acceleration : strands->acceleration;
    const double *spin_rate = job->step->spin_rate ? job->step->spin_rate : strands->spin_rate;
    dr_pack_start ahead = {.turn = half * at.spin, .spin = at.spin + half * spin_rate[v]};
    dr_vec3_add_scaled(ahead.x, at.x, half, at.velocity);
    dr_vec3_add_scaled(ahead.velocity, at.velocity, half, acceleration + 3 * v);
    if (job->stage == DR_PACK_TRAPEZOID) return ahead;
    for (int a = 0; a < 3; a++) {
        double x = middle->x[a][lane];
        at.velocity[a] = blend((x - ahead.x[a]) / half, at.velocity[a]);
        at.x[a] = blend(x, at.x[a]);
    }
    at.spin = blend((middle->turn[lane] - ahead.turn) / half, at.spin);
    at.turn = blend(middle->turn[lane], 0.0);
    return at;
}

// What pushes a vertex during the step, dyn s.
static void gather_impulse(const dr_pack_lane *job, size_t v, double impulse[3])
{
    const dr_strand_load *load = job->step->load;
    double dt = job->step->dt, mass = job->strands->mass[v];
    dr_vec3_set(impulse, 0.0, 0.0, 0.0);
    if (!load) return;
    if (load->film_impulse) dr_vec3_add(impulse, impulse, load->film_impulse + 3 * v);
    if (load->impulse) dr_vec3_add(impulse, impulse, load->impulse + 3 * v);
    if (load->acceleration) dr_vec3_add_scaled(impulse, impulse, dt * mass, load->acceleration + 3 * v);
    if (load->pressure_gradient) {
        double volume = load->volume ? load->volume[v] : mass / job->material->density;
        dr_vec3_add_scaled(impulse, impulse, -dt * volume, load->pressure_gradient + 3 * v);
    }
}

// Film adds to inertia, across the strand more than along it: the anchor of the free vertex becomes that of both. (21)
static void gather_film(const dr_pack_lane *job, int i, double change[3], const double impulse[3])
{
    const double *film = job->step->load->film_matrix + 6 * (job->first + (size_t)i);
    double mass = job->strands->mass[job->first + (size_t)i], both[6];
    for (int k = 0; k < 6; k++) {
        both[k] = film[k] + (k == 0 || k == 3 || k == 5 ? mass : 0.0);
        job->at->drag[i][k][job->lane] = film[k] / (job->reach * job->reach);
    }
    dr_scalar_solve(both, impulse, change);
}

// The place a vertex would go to without elastic forces, and its inertia there. (21)
static void gather_inertia(const dr_pack_lane *job, int i)
{
    const dr_strands *strands = job->strands;
    const dr_strand_load *load = job->step->load;
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double reach = job->reach, share = reach / job->step->dt, mass = strands->mass[v], impulse[3], change[3];
    dr_rod_row *row = &job->at->newton.row[i];
    dr_pack_start *at = &job->start[i];
    *at = find_start(job, i);
    gather_impulse(job, v, impulse);
    for (int a = 0; a < 3; a++) change[a] = impulse[a] / mass;
    if (load && load->film_matrix) gather_film(job, i, change, impulse);
    for (int a = 0; a < 3; a++)
        row->anchor[a][lane] =
            at->x[a] + reach * (at->velocity[a] + reach * job->step->gravity[a] + (load ? share * change[a] : 0.0));
    row->weight[lane] = mass / (reach * reach);
    row->held[lane] = strands->held[v] & DR_STRAND_HELD ? 1.0 : 0.0;
    row->turn_anchor[lane] = at->turn + reach * at->spin;
    double inertia = strands->inertia[v] + (load && load->film_turn ? load->film_turn[v] : 0.0), spin = 0.0;
    if (load && load->turn_impulse) spin += load->turn_impulse[v];
    if (load && load->film_spin) spin += load->film_spin[v];
    if (spin != 0.0 && inertia > 0.0) row->turn_anchor[lane] += reach * share * spin / inertia;
    row->turn_weight[lane] = inertia / (reach * reach);
    row->turn_held[lane] = strands->held[v] & DR_STRAND_TURN_HELD ? 1.0 : 0.0;
    if (load && load->drag) gather_drag(job, i, row->weight[lane]);
}

static void gather_place(const dr_pack_lane *job, int i)
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
static double held_turn(const dr_pack_lane *job, int i)
{
    const dr_strand_goal *goal = job->goal;
    size_t v = job->first + (size_t)i;
    double before[3], after[3], director[3];
    dr_scalar_tangent(job->x + 3 * i, before);
    dr_scalar_tangent(goal->position + 3 * v, after);
    dr_vec3_copy(director, job->director + 3 * i);
    dr_scalar_transport(before, after, director);
    const double whole = 6.283185307179586;
    double angle = dr_scalar_angle(after, director, goal->director + 3 * v);
    double done = job->stage == DR_PACK_BDF ? job->at->newton.base[i].turn[job->lane] : 0.0;
    return goal->turn ? angle + whole * nearbyint((goal->turn[v] - done - angle) / whole) : angle;
}

static dr_pack_root find_root(const dr_pack_lane *job)
{
    dr_pack_root root = {.moves = job->strands->held[job->first] & DR_STRAND_HELD};
    if (!root.moves) return root;
    const double *x = job->x, *to = job->goal->position + 3 * job->first;
    dr_vec3_copy(root.from, x);
    dr_vec3_copy(root.to, to);
    root.turns = job->strands->held[job->first + 1] & DR_STRAND_HELD;
    if (!root.turns) return root;
    dr_scalar_tangent(x, root.before);
    dr_scalar_tangent(to, root.after);
    root.turns = dr_vec3_dot(root.before, root.after) > -0.999;
    return root;
}

static void carry_along(const dr_pack_root *root, const double x[3], double displacement[3])
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

static double stage_span(const dr_pack_lane *job)
{
    static const double share[] = {[DR_PACK_WHOLE] = 1.0, [DR_PACK_TRAPEZOID] = MIDDLE, [DR_PACK_BDF] = 1.0 - MIDDLE};
    return share[job->stage] * job->step->dt;
}

// Two guesses of the step: on as before, and rigidly along with the root. What is held goes to its goal in both.
static void gather_guesses(const dr_pack_lane *job, const dr_pack_root *root, int i)
{
    const dr_strands *strands = job->strands;
    dr_newton *newton = &job->at->newton;
    size_t v = job->first + (size_t)i;
    int lane = job->lane;
    double span = stage_span(job), carried[3], on[3];
    const double *x = job->x + 3 * i;
    const double *velocity = job->step->velocity, *spin = velocity ? job->step->spin : strands->spin;
    carry_along(root, x, carried);
    dr_vec3_scale(on, span, (velocity ? velocity : strands->velocity) + 3 * v);
    if (strands->held[v] & DR_STRAND_HELD) {
        dr_vec3_sub(carried, job->goal->position + 3 * v, x);
        dr_vec3_copy(on, carried);
    }
    for (int a = 0; a < 3; a++) {
        newton->step[i][a][lane] = on[a];
        newton->guess[i][a][lane] = carried[a];
    }
    bool turn_held = strands->held[v] & DR_STRAND_TURN_HELD;
    double turn = turn_held ? held_turn(job, i) : 0.0;
    newton->step[i][3][lane] = turn_held ? turn : span * spin[v];
    newton->guess[i][3][lane] = turn;
}

// Rows past the end of a strand shorter than the longest of its batch: held, without stiffness, in line with its end.
static void gather_nothing(const dr_pack_lane *job, int i, const double from[3], const double t[3],
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

static void fill_up(const dr_pack_lane *job, int rows)
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

static bool held_beyond_root(const dr_pack_lane *job)
{
    for (int i = 2; i < job->count; i++) {
        if (job->strands->held[job->first + (size_t)i] & DR_STRAND_HELD) return true;
    }
    return job->count == 0;
}

// Converged to what can matter: a micrometre per second, a hundred-millionth of an edge, but no finer than rounding.
static void set_tolerance(const dr_pack_lane *job)
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

static void gather_row(const dr_pack_lane *job, int i)
{
    if (job->stage != DR_PACK_BDF) gather_place(job, i);
    gather_springs(job, i);
    gather_inertia(job, i);
    gather_guesses(job, &job->root, i);
}

static dr_strain find_strain(double *room, int longest)
{
    size_t n = (size_t)longest;
    return (dr_strain){room, room + n, room + 5 * n};
}

// Strains of the start of the stage, where the material is viscous. (40)
static void set_strains(dr_pack_lane *one)
{
    const dr_strands *strands = one->strands;
    dr_strain *before = &one->before, *toward = &one->toward;
    if (!(one->material->viscosity > 0.0)) return;
    dr_strain_measure(one->x, one->director, one->count, before);
    memcpy(before->twist, strands->twist + one->first, (size_t)one->count * sizeof *before->twist);
    if (one->stage == DR_PACK_WHOLE)
        *toward = *before;
    else
        dr_strain_continue(strands, one->strand, one->reach, before, one->moved, one->turned, toward);
}

static dr_pack_lane take(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step,
                         const unsigned char *order, int s, int lane)
{
    static const dr_strand_material nothing = {.young = 1.0, .shear = 1.0, .density = 1.0};
    size_t room = (size_t)(lane * pack->longest), n = (size_t)pack->longest;
    dr_pack_lane one = {.strands = strands,
                        .step = step,
                        .at = pack,
                        .lane = lane,
                        .strand = s,
                        .material = &nothing,
                        .reach = step->dt};
    if (s < 0) return one;
    one.material = dr_strands_material(strands, s);
    one.first = (size_t)strands->first[s];
    one.count = dr_strands_size(strands, s);
    one.x = strands->position + 3 * one.first;
    one.director = strands->director + 3 * one.first;
    one.moved = pack->places + PLACES * room;
    one.turned = one.moved + 3 * n;
    one.start = pack->starts + room;
    one.before = find_strain(pack->strains + STRAINS * room, pack->longest);
    one.toward = find_strain(pack->strains + STRAINS * room + 6 * n, pack->longest);
    one.goal = step->goal;
    if (order[s] == DR_STRAND_TR_BDF2) {
        one.stage = DR_PACK_TRAPEZOID;
        one.reach = HALF_DT * step->dt;
        one.goal = step->middle;
    }
    one.root = find_root(&one);
    set_strains(&one);
    return one;
}

// Row by row over all lanes: a row of lanes is in the cache while all strands write to it. Lanes that are skipped stay.
static void gather_rows(dr_pack *pack)
{
    dr_pack_lane *one = pack->lane;
    int rows = pack->newton.rows;
    for (int i = 0; i < rows; i++) {
        for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
            if (i < one[lane].count && !pack->newton.skip[lane]) gather_row(&one[lane], i);
        }
    }
    pack->newton.two = false;
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        if (pack->newton.skip[lane]) continue;
        set_tolerance(&one[lane]);
        fill_up(&one[lane], rows);
        pack->newton.two = pack->newton.two || goes_far(&one[lane]);
    }
}

bool dr_pack_gather(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step, const unsigned char *order,
                    const int strand[DR_ROD_WIDTH], int rows)
{
    bool more = false;
    pack->newton.rows = rows;
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        pack->newton.skip[lane] = false;
        pack->lane[lane] = take(pack, strands, step, order, strand[lane], lane);
        more = more || pack->lane[lane].stage == DR_PACK_TRAPEZOID;
    }
    gather_rows(pack);
    return more;
}

// ---- the second stage

static void rest_lane(dr_newton *newton, int lane)
{
    newton->skip[lane] = true;
    for (int i = 0; i < newton->rows; i++) {
        for (int a = 0; a < 4; a++) newton->step[i][a][lane] = newton->guess[i][a][lane] = 0.0;
    }
}

static void go_on(dr_pack_lane *one)
{
    const dr_rod_place *base = one->at->newton.base;
    dr_strain *toward = &one->toward;
    for (int i = 0; i < one->count; i++) {
        for (int a = 0; a < 3; a++) {
            one->moved[3 * i + a] = base[i].x[a][one->lane];
            one->turned[3 * i + a] = base[i].director[a][one->lane];
        }
    }
    one->stage = DR_PACK_BDF;
    one->reach = BDF_DT * one->step->dt;
    one->goal = one->step->goal;
    one->x = one->moved;
    one->director = one->turned;
    one->root = find_root(one);
    if (!(one->material->viscosity > 0.0)) return;
    dr_strain_measure(one->x, one->director, one->count, toward);
    for (int i = 0; i < one->count; i++) {
        toward->length[i] = blend(toward->length[i], one->before.length[i]);
        toward->twist[i] = blend(base[i].twist[one->lane], one->before.twist[i]);
        for (int k = 4 * i; k < 4 * i + 4; k++)
            toward->curvature[k] = blend(toward->curvature[k], one->before.curvature[k]);
    }
}

void dr_pack_gather_second(dr_pack *pack)
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        if (pack->lane[lane].stage == DR_PACK_TRAPEZOID)
            go_on(&pack->lane[lane]);
        else
            rest_lane(&pack->newton, lane);
    }
    gather_rows(pack);
}

// ---- the step once more

// As the energy of inertia and drag has it: A (x - anchor) less a force is A (x - anchor - A^-1 force).
static void shift_anchor(dr_pack *pack, int i, int lane, const double force[3])
{
    dr_rod_row *row = &pack->newton.row[i];
    double all[6] = {0}, shift[3];
    for (int k = 0; k < 6; k++) {
        all[k] = pack->newton.drag ? pack->newton.drag[i][k][lane] : 0.0;
        if (k == 0 || k == 3 || k == 5) all[k] += row->weight[lane];
    }
    dr_scalar_solve(all, force, shift);
    for (int a = 0; a < 3; a++) row->anchor[a][lane] += shift[a];
}

static void push_lane(const dr_pack_lane *one, const double *impulse)
{
    dr_pack *pack = one->at;
    double per_dt = 1.0 / one->step->dt;
    for (int i = 0; i < one->count; i++) {
        double force[3];
        if (pack->newton.row[i].held[one->lane] > 0.0) continue;
        dr_vec3_scale(force, per_dt, impulse + 3 * (one->first + (size_t)i));
        for (int a = 0; a < 3; a++) pack->newton.step[i][a][one->lane] = force[a];
        shift_anchor(pack, i, one->lane, force);
    }
}

// What is held stays where it was brought, to the last digit.
static void hold_rows(dr_newton *newton)
{
    for (int i = 0; i < newton->rows; i++) {
        const dr_rod_row *row = &newton->row[i];
        for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
            for (int a = 0; a < 4; a++) {
                if ((a < 3 ? row->held : row->turn_held)[lane] > 0.0) newton->step[i][a][lane] = 0.0;
            }
        }
    }
}

void dr_pack_continue(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step,
                      const int strand[DR_ROD_WIDTH], int rows, const bool *wanted, const double *impulse)
{
    dr_newton *newton = &pack->newton;
    newton->rows = rows;
    memset(newton->step, 0, (size_t)rows * sizeof *newton->step);
    memset(newton->guess, 0, (size_t)rows * sizeof *newton->guess);
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        int s = strand[lane];
        dr_pack_lane *one = &pack->lane[lane];
        *one = (dr_pack_lane){.strands = strands, .step = step, .at = pack, .lane = lane, .strand = s};
        newton->skip[lane] = s < 0 || !wanted[s];
        if (newton->skip[lane]) continue;
        one->first = (size_t)strands->first[s];
        one->count = dr_strands_size(strands, s);
        one->reach = step->dt;
        push_lane(one, impulse);
    }
    dr_ldlt_solve_each(newton->factor, rows, &newton->step[0][0][0]);
    hold_rows(newton);
    newton->two = false;
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++)
        newton->two = newton->two || (!newton->skip[lane] && goes_far(&pack->lane[lane]));
}

// ---- scattering

// Velocities and their rates at the end of the second stage. (39)
static void scatter_end(const dr_pack_lane *job, int i, const dr_pack_outcome *after)
{
    size_t v = job->first + (size_t)i;
    const dr_pack_start *from = &job->start[i];
    double per_reach = 1.0 / job->reach;
    bool edge = i + 1 < job->count;
    for (size_t a = 0; a < 3; a++) {
        double end = per_reach * (after->position[3 * v + a] - from->x[a]);
        after->end_velocity[3 * v + a] = end;
        after->acceleration[3 * v + a] = per_reach * (end - from->velocity[a]);
    }
    double spin = per_reach * (job->at->newton.base[i].turn[job->lane] - from->turn);
    after->end_spin[v] = edge ? spin : 0.0;
    after->spin_rate[v] = edge ? per_reach * (spin - from->spin) : 0.0;
}

static void scatter_row(const dr_pack_lane *job, int i, const dr_pack_outcome *after)
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
    if (job->stage == DR_PACK_BDF) scatter_end(job, i, after);
}

void dr_pack_scatter(const dr_pack *pack, const dr_pack_outcome *after)
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane++) {
        for (int i = 0; i < pack->lane[lane].count; i++) scatter_row(&pack->lane[lane], i, after);
    }
}
