// Strands within the step: where scripts hold them, what loads them, the implicit solve, budgets and the view.
// docs/theory/rods.md, "The step".
#include "base/number.h"
#include "world/world.h"
#include "world/tuning.h"

#include "base/clock.h"
#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 64 // strands of a sum: fixed, so that sums do not depend on the number of threads

// ---- what is held

static const dr_strand_kind *kind_of(const dr_world *world, int s)
{
    return &world->constants.strand_kinds[world->state.strands.body[s]];
}

static void hold_vertex(dr_world *world, int s, size_t v)
{
    const dr_strands *strands = &world->state.strands;
    const dr_strand_kind *kind = kind_of(world, s);
    bool tip = v > (size_t)strands->first[s] + 1 || kind->spec.root == DR_HOLD_FREE;
    dr_strand_hold *hold = &world->strands.holds[world->strands.hold_count++];
    *hold = (dr_strand_hold){.vertex = (int32_t)v,
                             .strand = s,
                             .kind = strands->body[s],
                             .end = tip ? 1 : 0,
                             .group = -1,
                             .held = strands->held[v]};
    dr_vec3_copy(hold->position, strands->position + 3 * v);
    dr_vec3_copy(hold->director, strands->director + 3 * v);
}

static void list_holds(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    for (int s = 0; s < strands->count; s++) {
        for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
            if (strands->held[v]) hold_vertex(world, s, v);
        }
    }
}

static int by_vertex(const void *vertex, const void *hold)
{
    int32_t v = *(const int32_t *)vertex, other = ((const dr_strand_hold *)hold)->vertex;
    return (v > other) - (v < other);
}

// Which of them a hold of the scene names, no root or tip.
static void name_holds(dr_world *world)
{
    const dr_thin *hair = &world->cloth.hair;
    const dr_strand_stage *stage = &world->strands;
    for (size_t i = 0; i < hair->hold_count; i++) {
        int32_t v = (int32_t)hair->holds[i].vertex;
        dr_strand_hold *hold = bsearch(&v, stage->holds, stage->hold_count, sizeof *hold, by_vertex);
        if (hold) hold->group = hair->holds[i].group;
    }
}

// What carries it: a collider, or where there is none a motion.
static int collider_of(const dr_world *world, const dr_strand_hold *hold)
{
    if (hold->group >= 0) return world->cloth.hair.groups[hold->group].collider;
    return hold->end == 0 ? world->constants.strand_kinds[hold->kind].collider : -1;
}

static const dr_motion *motion_of(const dr_world *world, const dr_strand_hold *hold)
{
    if (hold->group >= 0) return world->cloth.hair.groups[hold->group].motion;
    return world->constants.strand_kinds[hold->kind].motion[hold->end];
}

// The frame that carries a hold: rows of a rotation, and its origin.
typedef struct carrier {
    double rotation[9], origin[3];
} carrier;

static bool on_skin(const dr_world *world, const dr_strand_hold *hold)
{
    int collider = collider_of(world, hold);
    return collider >= 0 && dr_collider_set_deforms(world->constants.colliders, collider);
}

static void pose_carrier(const dr_pose *pose, carrier *out)
{
    dr_rotation_copy(out->rotation, pose->rotation);
    dr_vec3_copy(out->origin, pose->translation);
}

// Where the carrier is: colliders have been driven to `time`.
static void find_carrier(const dr_world *world, const dr_strand_hold *hold, double time, carrier *out)
{
    const dr_collider_set *colliders = world->constants.colliders;
    int collider = collider_of(world, hold);
    if (on_skin(world, hold)) {
        const dr_pose *pose = dr_collider_set_pose(colliders, collider);
        double rows[9], turned[9];
        dr_skin_frame(dr_collider_set_shape(colliders, collider), &hold->place, out->origin, rows);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) turned[3 * a + b] = rows[3 * b + a]; // columns are the frame's axes
        }
        dr_rotation_compose(out->rotation, pose->rotation, turned);
        dr_rotation_apply(out->origin, pose->rotation, out->origin);
        dr_vec3_add(out->origin, out->origin, pose->translation);
    } else if (collider >= 0) {
        pose_carrier(dr_collider_set_pose(colliders, collider), out);
    } else {
        dr_pose pose;
        dr_motion_at(motion_of(world, hold), time, &pose);
        pose_carrier(&pose, out);
    }
}

// The roots of one strand hang on one place of the skin: that nearest to its first vertex.
static void find_skin(dr_world *world, dr_strand_hold *hold)
{
    int collider = collider_of(world, hold);
    const dr_pose *pose = dr_collider_set_pose(world->constants.colliders, collider);
    const dr_strands *strands = &world->state.strands;
    bool second = hold > world->strands.holds && hold[-1].vertex + 1 == hold->vertex && hold->group < 0 &&
                  (strands->held[hold->vertex] & DR_STRAND_TURN_HELD) == 0 && hold[-1].end == 0;
    double local[3];
    if (second) {
        hold->place = hold[-1].place;
        return;
    }
    dr_vec3_sub(local, hold->position, pose->translation);
    dr_rotation_unapply(local, pose->rotation, local);
    dr_skin_find(dr_collider_set_shape(world->constants.colliders, collider), local, &hold->place);
}

// Turns what is held into the frames of its carriers, as they stand at the start. Colliders have been driven there.
static void bind_holds(dr_world *world)
{
    double start = 0.0 - world->constants.time.pre_roll;
    for (size_t i = 0; i < world->strands.hold_count; i++) {
        dr_strand_hold *hold = &world->strands.holds[i];
        carrier at;
        if (on_skin(world, hold)) find_skin(world, hold);
        find_carrier(world, hold, start, &at);
        dr_vec3_sub(hold->position, hold->position, at.origin);
        dr_rotation_unapply(hold->position, at.rotation, hold->position);
        dr_rotation_unapply(hold->director, at.rotation, hold->director);
    }
}

// Whether it is, in steps that begin at that time.
static bool is_held(const dr_world *world, const dr_strand_hold *hold, double time)
{
    const dr_strands_spec *spec = &world->constants.strand_kinds[hold->kind].spec;
    if (hold->group >= 0) return time < world->cloth.hair.groups[hold->group].until;
    return time < (hold->end == 0 ? spec->root_until : spec->tip_until);
}

// Ends and others whose time has come are free from now on. Accelerations of what was held tell nothing: such strands
// go by one stage for a while.
static void let_go(dr_world *world, double time)
{
    dr_strands *strands = &world->state.strands;
    for (size_t i = 0; i < world->strands.hold_count; i++) {
        const dr_strand_hold *hold = &world->strands.holds[i];
        if (!strands->held[hold->vertex] || is_held(world, hold, time)) continue;
        strands->held[hold->vertex] = 0;
        dr_strands_count(strands, hold->strand, true);
    }
}

void dr_strand_stage_arrive(dr_world *world)
{
    for (size_t i = 0; i < world->strands.hold_count; i++) {
        const dr_strand_hold *hold = &world->strands.holds[i];
        world->state.strands.held[hold->vertex] = is_held(world, hold, world->state.time) ? hold->held : 0;
    }
}

static double turn_about_edge(const dr_world *world, const dr_strand_hold *hold, double time, double dt)
{
    const dr_strands *strands = &world->state.strands;
    double t[3];
    dr_pose pose;
    int collider = collider_of(world, hold);
    if (!(strands->held[hold->vertex] & DR_STRAND_TURN_HELD)) return 0.0;
    const double *x = strands->position + 3 * (size_t)hold->vertex;
    dr_vec3_sub(t, x + 3, x);
    dr_vec3_normalize(t, t, t);
    if (collider >= 0)
        pose = *dr_collider_set_pose(world->constants.colliders, collider);
    else
        dr_motion_at(motion_of(world, hold), time - 0.5 * dt, &pose);
    return dt * dr_vec3_dot(pose.spin, t);
}

// Fast spins make more than half a turn in a step: the spin of the carrier about the edge tells how many.
static void aim(dr_world *world, int which, double time, double dt)
{
    dr_strand_stage *stage = &world->strands;
    for (size_t i = 0; i < stage->hold_count; i++) {
        const dr_strand_hold *hold = &stage->holds[i];
        double *position = stage->goal_position[which] + 3 * (size_t)hold->vertex;
        carrier at;
        find_carrier(world, hold, time, &at);
        dr_rotation_apply(position, at.rotation, hold->position);
        dr_vec3_add(position, position, at.origin);
        dr_rotation_apply(stage->goal_director[which] + 3 * (size_t)hold->vertex, at.rotation, hold->director);
        stage->goal_turn[which][hold->vertex] = turn_about_edge(world, hold, time, dt);
    }
}

static bool any_bound(const dr_world *world)
{
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        if (world->constants.strand_kinds[k].collider >= 0) return true;
    }
    for (int g = 0; g < world->cloth.hair.group_count; g++) {
        if (world->cloth.hair.groups[g].collider >= 0) return true;
    }
    return false;
}

// Where what is held is at the end of the first of two stages. Colliders stand at the end of the step before and after.
static bool aim_between(dr_world *world, double end, double dt)
{
    dr_collider_set *colliders = world->constants.colliders;
    double first = DR_STRAND_MIDDLE * dt, time = end - dt + first;
    bool bound = any_bound(world);
    if (bound && dr_collider_set_drive(colliders, time, NULL) != DR_STATUS_OK) return false;
    aim(world, 1, time, first);
    return !bound || dr_collider_set_drive(colliders, end, NULL) == DR_STATUS_OK;
}

// ---- what loads them

static bool is_loaded(const dr_strands_spec *spec)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) sum += fabs(spec->tip_force[a]) + fabs(spec->tip_moment[a]);
    return sum > 0.0;
}

// A force at the tip, and a moment on the last edge: about the edge on its turn, across it as a pair of forces.
static void load_tip(dr_world *world, int s, double dt)
{
    const dr_strands_spec *spec = &kind_of(world, s)->spec;
    const dr_strands *strands = &world->state.strands;
    dr_strand_stage *stage = &world->strands;
    size_t last = (size_t)strands->first[s + 1] - 1;
    double edge[3], t[3], pair[3], *at = stage->impulse + 3 * last;
    dr_vec3_sub(edge, strands->position + 3 * last, strands->position + 3 * last - 3);
    double length = dr_vec3_normalize(t, edge, edge);
    dr_vec3_cross(pair, spec->tip_moment, t);
    for (int a = 0; a < 3; a++) {
        at[a] = dt * (spec->tip_force[a] + pair[a] / length);
        at[a - 3] = -dt * pair[a] / length;
    }
    stage->turn_impulse[last - 1] = dt * dr_vec3_dot(spec->tip_moment, t);
}

static void load_tips(dr_world *world, double dt)
{
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[k];
        for (int s = kind->first; is_loaded(&kind->spec) && s < kind->first + kind->count; s++) load_tip(world, s, dt);
    }
}

typedef struct pulling {
    dr_world *world;
    double time, dt;
} pulling;

static void pull_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pulling *job = user;
    const dr_strands *strands = &job->world->state.strands;
    for (size_t v = begin; v < end; v++) {
        const double *u = strands->velocity + 3 * v;
        double after[3] = {u[0], u[1], u[2]};
        dr_forces_add(&job->world->constants, strands->position + 3 * v, job->time, job->dt, after);
        for (size_t a = 0; a < 3; a++) job->world->strands.acceleration[3 * v + a] = (after[a] - u[a]) / job->dt;
    }
}

// ---- memory

static double *take(const dr_world *world, size_t components, bool wanted)
{
    return wanted ? dr_memory_alloc(world->allocator, components * world->state.strands.vertices * sizeof(double))
                  : NULL;
}

static void give_back(const dr_world *world, double *array, size_t components)
{
    if (array) dr_memory_free(world->allocator, array, components * world->state.strands.vertices * sizeof(double));
}

static size_t chunk_count(const dr_world *world)
{
    return ((size_t)world->state.strands.count + CHUNK - 1) / CHUNK;
}

static size_t count_holds(const dr_strands *strands)
{
    size_t count = 0;
    for (size_t v = 0; v < strands->vertices; v++) count += strands->held[v] != 0;
    return count;
}

static bool make_room(dr_world *world, size_t holds)
{
    dr_strand_stage *stage = &world->strands;
    const dr_strands *strands = &world->state.strands;
    bool loaded = false, fields = world->constants.force_count > 0;
    for (int k = 0; k < world->constants.strand_kind_count; k++)
        loaded |= is_loaded(&world->constants.strand_kinds[k].spec);
    stage->solver = dr_strand_solver_open(strands, world->allocator, &world->par);
    stage->holds = dr_memory_alloc(world->allocator, holds * sizeof *stage->holds);
    stage->hold_room = holds;
    bool goals = true;
    for (int which = 0; which < 2; which++) {
        stage->goal_position[which] = take(world, 3, true);
        stage->goal_director[which] = take(world, 3, true);
        stage->goal_turn[which] = take(world, 1, true);
        goals = goals && stage->goal_position[which] && stage->goal_director[which] && stage->goal_turn[which];
    }
    stage->start_acceleration = take(world, 3, true);
    stage->start_spin_rate = take(world, 1, true);
    goals = goals && stage->start_acceleration && stage->start_spin_rate;
    stage->order = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->order);
    stage->impulse = take(world, 3, loaded);
    stage->turn_impulse = take(world, 1, loaded);
    stage->acceleration = take(world, 3, fields);
    stage->sums = dr_memory_alloc(world->allocator, chunk_count(world) * sizeof(dr_strand_budget));
    stage->view = dr_memory_alloc(world->allocator, 9 * strands->vertices * sizeof *stage->view);
    stage->closed = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->closed);
    stage->ids = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->ids);
    for (size_t s = 0; stage->ids && s < (size_t)strands->count; s++) stage->ids[s] = s;
    return stage->solver && (stage->holds || !holds) && goals && stage->order && (stage->impulse || !loaded) &&
           (stage->turn_impulse || !loaded) && (stage->acceleration || !fields) && stage->sums && stage->view &&
           stage->closed && stage->ids;
}

// Endless colliders are drawn about as large as what there is.
static void show_reach(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t v = 0; v < strands->vertices; v++) {
        for (size_t a = 0; a < 3; a++) {
            box.min[a] = fmin(box.min[a], strands->position[3 * v + a]);
            box.max[a] = fmax(box.max[a], strands->position[3 * v + a]);
        }
    }
    dr_collider_view_include(world, &box);
}

static void load(dr_world *world, double time, double dt)
{
    if (world->strands.impulse) load_tips(world, dt);
    if (!world->strands.acceleration) return;
    pulling job = {world, time, dt};
    dr_par_for(&world->par, world->state.strands.vertices, DR_PARTICLE_CHUNK, pull_vertices, &job);
}

dr_status dr_strand_stage_open(dr_world *world, dr_error *error)
{
    dr_strand_stage *stage = &world->strands;
    if (world->state.strands.count == 0) return DR_STATUS_OK;
    size_t holds = count_holds(&world->state.strands);
    if (!make_room(world, holds)) return dr_error_memory(error, "making strands");
    show_reach(world);
    list_holds(world);
    name_holds(world);
    bind_holds(world);
    let_go(world, 0.0 - world->constants.time.pre_roll);
    stage->load = (dr_strand_load){
        .impulse = stage->impulse, .turn_impulse = stage->turn_impulse, .acceleration = stage->acceleration};
    return dr_film_stage_open(world, error);
}

void dr_strand_stage_close(dr_world *world)
{
    dr_strand_stage *stage = &world->strands;
    dr_strand_solver_close(stage->solver);
    dr_memory_free(world->allocator, stage->holds, stage->holds ? stage->hold_room * sizeof *stage->holds : 0);
    for (int which = 0; which < 2; which++) {
        give_back(world, stage->goal_position[which], 3);
        give_back(world, stage->goal_director[which], 3);
        give_back(world, stage->goal_turn[which], 1);
    }
    give_back(world, stage->start_acceleration, 3);
    give_back(world, stage->start_spin_rate, 1);
    dr_memory_free(world->allocator, stage->order,
                   stage->order ? (size_t)world->state.strands.count * sizeof *stage->order : 0);
    give_back(world, stage->impulse, 3);
    give_back(world, stage->turn_impulse, 1);
    give_back(world, stage->acceleration, 3);
    dr_film_stage_close(world);
    dr_memory_free(world->allocator, stage->sums, stage->sums ? chunk_count(world) * sizeof(dr_strand_budget) : 0);
    dr_memory_free(world->allocator, stage->view,
                   stage->view ? 9 * world->state.strands.vertices * sizeof *stage->view : 0);
    dr_memory_free(world->allocator, stage->closed,
                   stage->closed ? (size_t)world->state.strands.count * sizeof *stage->closed : 0);
    dr_memory_free(world->allocator, stage->ids,
                   stage->ids ? (size_t)world->state.strands.count * sizeof *stage->ids : 0);
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        for (int end = 0; end < 2; end++) dr_motion_destroy(world->constants.strand_kinds[k].motion[end]);
    }
    dr_strands_free(&world->state.strands, world->allocator);
}

// ---- the step

// Strands that do not converge ask for a shorter step; after some they are taken as they are, which is no worse than
// where they started, and the report says so.
static void judge(dr_world *world, dr_try *attempt)
{
    dr_strand_stage *stage = &world->strands;
    if (stage->verdict.failed == 0) return;
    attempt->strands = true;
    attempt->forced = stage->verdict.reason != DR_REASON_NOT_FINITE && stage->rejections >= DR_STRAND_PATIENCE;
    if (attempt->forced) return;
    stage->rejections++;
    attempt->rejected = true;
    attempt->reason = stage->verdict.reason == DR_REASON_NOT_FINITE ? "a strand is not where a number could tell"
                                                                    : "a strand's implicit step did not converge";
}

// Whether all strands of a group go by one stage.
static bool is_simple(const dr_world *world, const dr_strand_kind *kind)
{
    int shy = 0;
    for (int s = kind->first; s < kind->first + kind->count; s++)
        shy += dr_strands_order(&world->state.strands, s) == DR_STRAND_EULER;
    return kind->spec.integrator == DR_INTEGRATOR_EULER || DR_STRAND_CROWD * shy > kind->count;
}

// Whether any strand goes by two stages.
static bool choose_orders(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    bool any = false;
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[k];
        bool simple = is_simple(world, kind);
        for (int s = kind->first; s < kind->first + kind->count; s++) {
            bool wet = world->strand_liquid.wet && world->strand_liquid.strand[s];
            world->strands.order[s] = (unsigned char)(simple || wet ? DR_STRAND_EULER : dr_strands_order(strands, s));
            any = any || world->strands.order[s] == DR_STRAND_TR_BDF2;
        }
    }
    return any;
}

// No step has told of accelerations before the first. Where they are not found all strands begin with one stage.
static bool release(dr_world *world)
{
    dr_strand_stage *stage = &world->strands;
    dr_strand_verdict verdict;
    if (world->state.step > 0) {
        if (world->state.film.vertices == 0) return true;
        dr_film_stage_start(world, stage->step.dt, stage->start_acceleration, stage->start_spin_rate);
        stage->step.acceleration = stage->start_acceleration;
        stage->step.spin_rate = stage->start_spin_rate;
        return true;
    }
    if (!dr_strand_solver_release(stage->solver, &world->state.strands, &stage->step, stage->start_acceleration,
                                  stage->start_spin_rate, &verdict))
        return false;
    stage->step.acceleration = stage->start_acceleration;
    stage->step.spin_rate = stage->start_spin_rate;
    for (int s = 0; s < world->state.strands.count && verdict.failed > 0; s++) stage->order[s] = DR_STRAND_EULER;
    return true;
}

// The first stage throws vertices by H^2 a before it answers with forces as they are at its end. Where that alone would
// part the ends of an edge by more than its length, the edge has turned away from what pulled along it: such a strand
// goes by one stage. docs/theory/rods.md, "Two stages".
static bool is_thrown(const dr_strands *strands, int s, const double *acceleration, double squared)
{
    for (size_t v = (size_t)strands->first[s]; v + 1 < (size_t)strands->first[s + 1]; v++) {
        double apart[3], edge[3];
        dr_vec3_sub(apart, acceleration + 3 * v + 3, acceleration + 3 * v);
        dr_vec3_sub(edge, strands->position + 3 * v + 3, strands->position + 3 * v);
        if (squared * squared * dr_vec3_dot(apart, apart) > dr_vec3_dot(edge, edge)) return true;
    }
    return false;
}

static void simplify_thrown(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_strand_stage *stage = &world->strands;
    const dr_strands *strands = &world->state.strands;
    const double *acceleration = stage->step.acceleration ? stage->step.acceleration : strands->acceleration;
    double H = (1.0 - sqrt(0.5)) * stage->step.dt;
    for (size_t s = begin; s < end; s++) {
        if (stage->order[s] == DR_STRAND_TR_BDF2 && is_thrown(strands, (int)s, acceleration, H * H))
            stage->order[s] = DR_STRAND_EULER;
    }
}

bool dr_strand_stage_repeat(dr_world *world, dr_try *attempt)
{
    dr_strand_stage *stage = &world->strands;
    double begin = dr_clock_cpu();
    if (!dr_strand_solver_predict(stage->solver, &world->state.strands, &stage->step, &stage->verdict)) return false;
    *(stage->pace.first > 0.0 ? &stage->pace.second : &stage->pace.first) += dr_clock_cpu() - begin;
    judge(world, attempt);
    return true;
}

bool dr_strand_stage_predict(dr_world *world, dr_try *attempt)
{
    dr_strand_stage *stage = &world->strands;
    if (world->state.strands.count == 0) return true;
    if (!dr_strand_liquid_drag(world, attempt)) return false;
    stage->goal = (dr_strand_goal){stage->goal_position[0], stage->goal_director[0], stage->goal_turn[0]};
    stage->middle = (dr_strand_goal){stage->goal_position[1], stage->goal_director[1], stage->goal_turn[1]};
    stage->step = (dr_strand_step){.dt = attempt->dt,
                                   .goal = &stage->goal,
                                   .middle = &stage->middle,
                                   .order = stage->order,
                                   .load = &stage->load,
                                   .keep = world->constants.strands_meet || world->strand_liquid.wet,
                                   .twice = world->strand_liquid.wet};
    dr_vec3_copy(stage->step.gravity, world->constants.gravity);
    aim(world, 0, attempt->end, attempt->dt);
    load(world, attempt->end, attempt->dt);
    if (!dr_film_stage_flow(world, attempt)) return true;
    if (choose_orders(world)) {
        if (!aim_between(world, attempt->end, attempt->dt) || !release(world)) return false;
        dr_par_for(&world->par, (size_t)world->state.strands.count, CHUNK, simplify_thrown, world);
    }
    return dr_strand_stage_repeat(world, attempt) && (attempt->rejected || dr_strand_liquid_answer(world, attempt));
}

bool dr_strand_stage_press(dr_world *world, dr_try *attempt)
{
    dr_strand_stage *stage = &world->strands;
    if (!world->strand_liquid.wet || attempt->rejected) return true;
    if (!dr_strand_liquid_press(world, attempt)) return false;
    double begin = dr_clock_cpu();
    dr_strand_solver_continue(stage->solver, &world->state.strands, &stage->step, world->strand_liquid.strand,
                              world->strand_liquid.image, &stage->verdict);
    stage->pace.second += dr_clock_cpu() - begin;
    judge(world, attempt);
    return true;
}

void dr_strand_stage_commit(dr_world *world, const dr_try *attempt)
{
    double dt = attempt->dt;
    dr_strands *strands = &world->state.strands;
    if (strands->count == 0) return;
    dr_film_stage_keep(world);
    dr_strand_momentum_keep(world);
    dr_strand_solver_commit(world->strands.solver, strands);
    dr_strand_momentum_project(world);
    dr_film_stage_commit(world, dt);
    world->strands.rejections = 0;
    dr_strand_liquid_commit(world);
    for (int s = 0; s < strands->count; s++) {
        dr_strands_creep(strands, s, dt);
        bool wet = world->strand_liquid.wet && world->strand_liquid.strand[s];
        dr_strands_count(strands, s, wet || (world->constants.strands_meet && world->contact.touched[s]));
    }
    let_go(world, attempt->end);
}

// ---- budgets

static void sum_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_strand_budget *sum = world->strands.sums + begin / CHUNK;
    *sum = (dr_strand_budget){0};
    for (size_t s = begin; s < end; s++)
        dr_strands_budget(&world->state.strands, (int)s, world->constants.gravity, sum);
}

static void join(dr_strand_budget *into, const dr_strand_budget *from)
{
    into->mass += from->mass;
    dr_vec3_add(into->linear, into->linear, from->linear);
    dr_vec3_add(into->angular, into->angular, from->angular);
    into->kinetic += from->kinetic;
    into->elastic += from->elastic;
    into->potential += from->potential;
    into->speed = fmax(into->speed, from->speed);
}

void dr_strand_stage_account(dr_world *world, dr_budget *sum)
{
    dr_strand_budget *sums = world->strands.sums;
    size_t chunks = chunk_count(world);
    if (chunks == 0) return;
    dr_par_for(&world->par, (size_t)world->state.strands.count, CHUNK, sum_strands, world);
    for (size_t stride = 1; stride < chunks; stride *= 2) {
        for (size_t i = 0; i + stride < chunks; i += 2 * stride) join(&sums[i], &sums[i + stride]);
    }
    sum->mass += sums->mass;
    dr_vec3_add(sum->linear, sum->linear, sums->linear);
    dr_vec3_add(sum->angular, sum->angular, sums->angular);
    sum->kinetic += sums->kinetic;
    sum->elastic += sums->elastic;
    sum->potential += sums->potential;
    sum->speed = fmax(sum->speed, sums->speed);
}

static void warn(dr_world *world, const char *format, const char *name, size_t first, size_t second)
{
    dr_report *report = &world->report;
    if (report->warning_count >= DR_REPORT_WARNINGS) return;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0], format, name, first, second);
}

// The outcome of the solve; says once what was mended before the first step.
void dr_strand_stage_report(dr_world *world)
{
    const dr_strand_verdict *verdict = &world->strands.verdict;
    for (int k = 0; k < world->constants.strand_kind_count && world->state.step == 1; k++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[k];
        if (kind->cut > 0)
            warn(world, "strands \"%.60s\": %zu of %zu curves are closed; strands have two ends, so each was cut open",
                 kind->spec.name, kind->cut, (size_t)kind->count);
        if (kind->joined + kind->pushed == 0) continue;
        warn(world, "strands \"%.60s\": %zu points were joined with their neighbours, %zu brought out of colliders",
             kind->spec.name, kind->joined, kind->pushed);
    }
    if (verdict->failed > 0)
        warn(world, "%s: %zu of %zu did not converge and were taken as they are", "strands", (size_t)verdict->failed,
             (size_t)world->state.strands.count);
    dr_account_solve(world, &(dr_solve_report){"strands", verdict->reason, verdict->most, verdict->size});
}

// ---- the view

dr_status dr_strand_stage_view(dr_world *world, dr_frame_part *part, dr_error *error)
{
    (void)error;
    const dr_strands *strands = &world->state.strands;
    dr_strand_stage *stage = &world->strands;
    size_t n = strands->vertices, count = (size_t)strands->count;
    float *position = stage->view, *velocity = position + 3 * n, *radius = velocity + 3 * n, *film = radius + n,
          *slip = film + n;
    for (size_t k = 0; k < 3 * n; k++) {
        position[k] = (float)strands->position[k];
        velocity[k] = (float)strands->velocity[k];
    }
    for (size_t v = 0; v < n; v++) {
        radius[v] = (float)sqrt(strands->radius[2 * v] * strands->radius[2 * v + 1]);
        film[v] = (float)strands->film_height[v];
        slip[v] = (float)strands->slip[v];
    }
    const dr_frame_array arrays[] = {
        {"position", "cm", DR_TYPE_FLOAT32, 3, n, position},    {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, n, velocity},
        {"radius", "cm", DR_TYPE_FLOAT32, 1, n, radius},        {"film_height", "cm", DR_TYPE_FLOAT32, 1, n, film},
        {"group", "", DR_TYPE_UINT32, 1, count, strands->body}, {"id", "", DR_TYPE_UINT64, 1, count, stage->ids}};
    memcpy(stage->arrays, arrays, sizeof arrays);
    int own = (int)(sizeof arrays / sizeof *arrays);
    if (world->strand_liquid.active)
        stage->arrays[own++] = (dr_frame_array){"slip", "cm/s", DR_TYPE_FLOAT32, 1, n, slip};
    int mixed = dr_film_stage_view(world, stage->arrays + own);
    *part = (dr_frame_part){.name = "strands",
                            .kind = DR_FRAME_CURVES,
                            .point_count = n,
                            .element_count = count,
                            .index = (const uint32_t *)strands->first,
                            .array_count = own + mixed,
                            .arrays = stage->arrays};
    return DR_STATUS_OK;
}
