// Vertices of thin matter that are held. The grid's velocity at them becomes that of what carries them: the impulses
// that do so with the least change of kinetic energy, W M^-1 W^T q = u - W v, by conjugate gradients; then the vertices
// are put where they belong. docs/theory/codim.md, section 8.
#include "world/world.h"

#include "math/rotation.h"
#include "math/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NODE_FLOATS (DR_BLOCK_NODES * 4)

// The frame that carries a hold. Colliders have been driven to `time`.
static void find_carrier(const dr_world *world, const dr_hold_group *group, const dr_cloth_hold *hold, double time,
                         dr_pose *pose)
{
    const dr_collider_set *colliders = world->constants.colliders;
    if (group->collider < 0) {
        dr_motion_at(group->motion, time, pose);
        return;
    }
    *pose = *dr_collider_set_pose(colliders, group->collider);
    if (!dr_collider_set_deforms(colliders, group->collider)) return;
    double rows[9], turned[9], origin[3];
    dr_skin_frame(dr_collider_set_shape(colliders, group->collider), &hold->skin, origin, rows);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) turned[3 * a + b] = rows[3 * b + a]; // columns are the frame's axes
    }
    dr_pose whole = *pose;
    dr_rotation_compose(pose->rotation, whole.rotation, turned);
    dr_rotation_apply(origin, whole.rotation, origin);
    dr_vec3_add(pose->translation, origin, whole.translation);
}

void dr_cloth_hold_bind(dr_world *world, dr_thin *thin)
{
    double start = 0.0 - world->constants.time.pre_roll;
    const dr_collider_set *colliders = world->constants.colliders;
    for (size_t i = 0; i < thin->hold_count; i++) {
        dr_cloth_hold *hold = &thin->holds[i];
        const dr_hold_group *group = &thin->groups[hold->group];
        const double *x = thin->mesh->position + 3 * (size_t)hold->vertex;
        dr_pose pose;
        if (group->collider >= 0 && dr_collider_set_deforms(colliders, group->collider)) {
            const dr_pose *at = dr_collider_set_pose(colliders, group->collider);
            double local[3];
            dr_vec3_sub(local, x, at->translation);
            dr_rotation_unapply(local, at->rotation, local);
            dr_skin_find(dr_collider_set_shape(colliders, group->collider), local, &hold->skin);
        }
        find_carrier(world, group, hold, start, &pose);
        dr_vec3_sub(hold->place, x, pose.translation);
        dr_rotation_unapply(hold->place, pose.rotation, hold->place);
    }
}

// Calls for every vertex that is held in the step that begins now, in order.
typedef void (*hold_visit)(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number);

static size_t visit_held(dr_world *world, hold_visit visit, void *user)
{
    size_t count = 0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        dr_thin *thin = &world->cloth.thin[i];
        for (size_t k = 0; k < thin->hold_count; k++) {
            const dr_cloth_hold *hold = &thin->holds[k];
            if (world->state.time < thin->groups[hold->group].until) visit(user, thin, hold, count++);
        }
    }
    return count;
}

static void list_place(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    dr_vec3_copy(((dr_cloth_stage *)user)->held_place + 3 * number, thin->mesh->position + 3 * (size_t)hold->vertex);
}

bool dr_cloth_hold_place(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    stage->held = visit_held(world, list_place, stage);
    return dr_grid_place_points(&world->grid, &world->par, stage->held_place, stage->held, &stage->held_points);
}

typedef struct aiming {
    dr_world *world;
    double end;
} aiming;

static void aim(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    const aiming *job = user;
    double *goal = job->world->cloth.held_goal + 3 * number;
    dr_pose pose;
    find_carrier(job->world, &thin->groups[hold->group], hold, job->end, &pose);
    dr_rotation_apply(goal, pose.rotation, hold->place);
    dr_vec3_add(goal, goal, pose.translation);
}

// ---- the solve

static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

typedef struct pass {
    dr_world *world;
    int axis; // of faces
} pass;

// Impulses on nodes become changes of velocity.
static void divide_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    for (size_t n = begin * DR_BLOCK_NODES; n < end * DR_BLOCK_NODES; n++) {
        float mass = world->node[4 * n], *change = world->cloth.node + 4 * n;
        for (int a = 1; a < 4; a++) change[a] = mass < FLT_MIN ? 0.0F : change[a] / mass;
    }
}

// The same of one component on faces, from the second half of the room to the first.
static void divide_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_world *world = job->world;
    const float *from = world->cloth.node + world->grid.block_count * NODE_FLOATS;
    for (size_t n = begin * DR_BLOCK_NODES; n < end * DR_BLOCK_NODES; n++) {
        size_t f = 4 * n + (size_t)job->axis;
        float mass = world->bodies.mass[f];
        world->cloth.node[f] = mass < FLT_MIN ? 0.0F : from[f] / mass;
    }
}

static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    float *field = on_faces(world) ? world->bodies.velocity : world->node;
    for (size_t i = begin * NODE_FLOATS; i < end * NODE_FLOATS; i++) {
        bool velocity = on_faces(world) ? i % 4 < 3 : i % 4 > 0;
        if (velocity) field[i] += world->cloth.node[i];
    }
}

// M^-1 W^T q on the grid.
static void spread(dr_world *world, const double *q)
{
    dr_cloth_stage *stage = &world->cloth;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_places places = dr_transfer_point_places(&stage->held_points);
    size_t blocks = world->grid.block_count;
    if (!on_faces(world)) {
        pass job = {world, 0};
        for (size_t p = 0; p < stage->held; p++) {
            stage->impulse[4 * p] = 0.0F;
            for (size_t a = 0; a < 3; a++) stage->impulse[4 * p + 1 + a] = (float)q[3 * p + a];
        }
        dr_transfer_spread_nodes(&transfer, &world->grid, &world->par, &places, stage->impulse, stage->node);
        dr_par_for(&world->par, blocks, 64, divide_nodes, &job);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        pass job = {world, axis};
        for (size_t p = 0; p < stage->held; p++) stage->impulse[p] = (float)q[3 * p + (size_t)axis];
        dr_transfer_spread_faces(&transfer, &world->grid, &world->par, &places, stage->impulse,
                                 stage->node + blocks * NODE_FLOATS);
        dr_par_for(&world->par, blocks, 64, divide_faces, &job);
    }
}

static void read(dr_world *world, const float *field, double *out)
{
    dr_cloth_stage *stage = &world->cloth;
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_places places = dr_transfer_point_places(&stage->held_points);
    if (on_faces(world))
        dr_transfer_read_faces(&transfer, &world->grid, &world->par, &places, field, stage->answer, NULL);
    else
        dr_transfer_read_nodes(&transfer, &world->grid, &world->par, &places, field, stage->answer, NULL);
    for (size_t p = 0; p < stage->held; p++) {
        for (size_t a = 0; a < 3; a++) out[3 * p + a] = (double)stage->answer[4 * p + a];
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// Vertices are put in place whatever is left: a tenth of it would be seen in nothing but the number of iterations.
#define TOLERANCE  1e-4
#define ITERATIONS 50

static void solve(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    size_t n = 3 * stage->held;
    double *r = stage->residual, *p = stage->search, *image = stage->image, *x = stage->solution;
    double squared = dot(r, r, n), goal = TOLERANCE * TOLERANCE * squared, first = squared;
    memset(x, 0, n * sizeof *x);
    memcpy(p, r, n * sizeof *p);
    stage->hold_iterations = 0;
    while (squared > goal && squared > 0.0 && stage->hold_iterations < ITERATIONS) {
        spread(world, p);
        read(world, stage->node, image);
        double curvature = dot(p, image, n);
        if (!(curvature > 0.0)) break;
        double step = squared / curvature;
        for (size_t i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * image[i];
        }
        double next = dot(r, r, n);
        for (size_t i = 0; i < n; i++) p[i] = r[i] + next / squared * p[i];
        squared = next;
        stage->hold_iterations++;
    }
    stage->hold_error = first > 0.0 ? sqrt(squared / first) : 0.0;
}

void dr_cloth_hold_solve(dr_world *world, const dr_try *attempt, bool faces)
{
    dr_cloth_stage *stage = &world->cloth;
    if (stage->held == 0 || faces != on_faces(world)) return;
    pass job = {world, 0};
    visit_held(world, aim, &(aiming){world, attempt->end});
    read(world, on_faces(world) ? world->bodies.velocity : world->node, stage->image);
    for (size_t i = 0; i < 3 * stage->held; i++)
        stage->residual[i] = (stage->held_goal[i] - stage->held_place[i]) / attempt->dt - stage->image[i];
    solve(world);
    spread(world, stage->solution);
    dr_par_for(&world->par, world->grid.block_count, 64, add_blocks, &job);
}

typedef struct putting {
    const dr_cloth_stage *stage;
    double dt;
} putting;

static void put(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    const putting *job = user;
    const double *goal = job->stage->held_goal + 3 * number, *place = job->stage->held_place + 3 * number;
    size_t v = hold->vertex;
    for (size_t a = 0; a < 3; a++) {
        thin->mesh->position[3 * v + a] = goal[a];
        thin->mesh->velocity[3 * v + a] = (float)((goal[a] - place[a]) / job->dt);
    }
}

void dr_cloth_hold_commit(dr_world *world, double dt)
{
    if (world->cloth.held > 0) visit_held(world, put, &(putting){&world->cloth, dt});
}
