// Vertices of thin matter that are held. The grid's velocity at them becomes that of what carries them: the impulses
// that do so with the least change of kinetic energy, W M^-1 W^T q = u - W v, by conjugate gradients; then the vertices
// are put where they belong. docs/theory/codim.md, section 8.
#include "world/world.h"
#include "world/tuning.h"

#include "math/kernel.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
        if (!hold->turns) continue;
        dr_rotation_unapply(hold->director, pose.rotation, world->state.rods.director + 3 * (size_t)hold->vertex);
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

// Clamped ends of yarn turn freely once they are let go.
static void hold_turns(dr_world *world)
{
    const dr_thin *thin = &world->cloth.thin[DR_THIN_YARN];
    dr_rods *rods = &world->state.rods;
    for (size_t i = 0; i < thin->hold_count && dr_cloth_rods_any(world); i++) {
        const dr_cloth_hold *hold = &thin->holds[i];
        bool held = world->state.time < thin->groups[hold->group].until;
        if (hold->turns) dr_rods_hold_turn(rods, hold->curve, hold->vertex - rods->first[hold->curve], held);
    }
}

void dr_cloth_hold_place(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    hold_turns(world);
    stage->held = visit_held(world, list_place, stage);
}

typedef struct aiming {
    dr_world *world;
    double end;
} aiming;

// The frame of an edge of yarn that is held turns with what carries it.
static void lead(dr_world *world, const dr_cloth_hold *hold, const dr_pose *pose)
{
    dr_rods *rods = &world->state.rods;
    double director[3];
    if (!dr_cloth_rods_any(world)) return;
    dr_rotation_apply(director, pose->rotation, hold->director);
    dr_rods_lead(rods, hold->curve, hold->vertex - rods->first[hold->curve], director);
}

static void aim(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    const aiming *job = user;
    double *goal = job->world->cloth.held_goal + 3 * number;
    dr_pose pose;
    find_carrier(job->world, &thin->groups[hold->group], hold, job->end, &pose);
    dr_rotation_apply(goal, pose.rotation, hold->place);
    dr_vec3_add(goal, goal, pose.translation);
    if (hold->turns) lead(job->world, hold, &pose);
}

// ---- where they touch the grid

static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

// Components that a set of nodes carries: nodes have all three, the faces of an axis its own.
static int first_axis(const dr_held_lattice *lattice, int set)
{
    return lattice->sets == 1 ? 0 : set;
}

static int last_axis(const dr_held_lattice *lattice, int set)
{
    return lattice->sets == 1 ? 2 : set;
}

// The number, among those that held vertices touch, of a node of the grid.
static uint32_t number_of(dr_held_lattice *lattice, int set, size_t item)
{
    size_t first = (size_t)set * lattice->room, block = item / DR_BLOCK_NODES;
    if (lattice->table_of[block] == 0) {
        memset(lattice->table + lattice->tables * DR_BLOCK_NODES, 0, DR_BLOCK_NODES * sizeof *lattice->table);
        lattice->table_of[block] = (uint32_t)++lattice->tables;
    }
    uint32_t *number = &lattice->table[(lattice->table_of[block] - 1) * DR_BLOCK_NODES + item % DR_BLOCK_NODES];
    if (*number == 0) {
        lattice->item[first + lattice->count[set]] = item;
        *number = (uint32_t)++lattice->count[set];
    }
    return *number - 1;
}

static void touch(dr_world *world, int set, size_t held)
{
    dr_held_lattice *lattice = &world->cloth.lattice;
    const dr_grid *grid = &world->grid;
    int degree = dr_transfer_degree(world->constants.transfer.kernel);
    int64_t base[3];
    double w[3][4];
    for (int a = 0; a < 3; a++) {
        double off = lattice->sets == 3 && a != set ? 0.5 : 0.0;
        double place = (world->cloth.held_place[3 * held + (size_t)a] - grid->origin[a]) / grid->cell - off;
        double low = floor(place - dr_kernel_reach(degree));
        base[a] = (int64_t)low;
        dr_kernel_weights(degree, place - dr_kernel_reach(degree) - low, w[a]);
    }
    size_t tap = ((size_t)set * world->cloth.held_capacity + held) * (size_t)lattice->taps;
    int side = degree + 1;
    int32_t around[8];
    for (int n = 0; n < 8; n++)
        around[n] =
            dr_grid_find(grid, (int32_t[3]){(int32_t)(base[0] >> 2) + (n >> 2), (int32_t)(base[1] >> 2) + (n >> 1 & 1),
                                            (int32_t)(base[2] >> 2) + (n & 1)});
    for (int n = 0; n < lattice->taps; n++, tap++) {
        int step[3] = {n / (side * side), n / side % side, n % side}, which = 0;
        size_t item = 0;
        for (int a = 0; a < 3; a++) {
            int64_t at = base[a] + step[a];
            which = 2 * which + (int)((at >> 2) - (base[a] >> 2));
            item += (size_t)(at & 3) * (size_t)dr_block_stride[a];
        }
        int32_t found = around[which];
        lattice->weight[tap] = found < 0 ? 0.0 : w[0][step[0]] * w[1][step[1]] * w[2][step[2]];
        lattice->tap[tap] = found < 0 ? 0 : number_of(lattice, set, (size_t)found * DR_BLOCK_NODES + item);
    }
}

static double mass_at(const dr_world *world, const float *mass, int axis, size_t item)
{
    if (mass) return (double)mass[4 * item + (size_t)(on_faces(world) ? axis : axis + 1)];
    return (double)(on_faces(world) ? world->bodies.mass[4 * item + (size_t)axis] : world->node[4 * item]);
}

static float *velocity_at(const dr_world *world, float *field, int axis, size_t item)
{
    return field + 4 * item + (size_t)(on_faces(world) ? axis : axis + 1);
}

// Which vertices a node is touched by, in their order.
static void list_holders(const dr_world *world, int set)
{
    const dr_held_lattice *lattice = &world->cloth.lattice;
    size_t room = (size_t)set * lattice->room, taps = (size_t)lattice->taps, all = world->cloth.held * taps;
    uint32_t *first = lattice->first + room + (size_t)set;
    memset(first, 0, (lattice->count[set] + 1) * sizeof *first);
    for (size_t i = room; i < room + all; i++) first[lattice->tap[i] + 1]++;
    for (size_t n = 0; n < lattice->count[set]; n++) first[n + 1] += first[n];
    for (size_t i = 0; i < all; i++) {
        size_t at = room + first[lattice->tap[room + i]]++;
        lattice->holder[at] = (uint32_t)(i / taps);
        lattice->share[at] = lattice->weight[room + i];
    }
    memmove(first + 1, first, lattice->count[set] * sizeof *first);
    first[0] = 0;
}

static void find_lattice(dr_world *world, const float *inertia)
{
    dr_cloth_stage *stage = &world->cloth;
    dr_held_lattice *lattice = &stage->lattice;
    for (int set = 0; set < lattice->sets; set++) {
        size_t first = (size_t)set * lattice->room;
        lattice->count[set] = lattice->tables = 0;
        for (size_t p = 0; p < stage->held; p++) touch(world, set, p);
        list_holders(world, set);
        for (size_t n = first; n < first + lattice->count[set]; n++) {
            double mass = mass_at(world, inertia, first_axis(lattice, set), lattice->item[n]);
            lattice->table_of[lattice->item[n] / DR_BLOCK_NODES] = 0;
            lattice->inverse[n] = mass < (double)FLT_MIN ? 0.0 : 1.0 / mass;
        }
    }
}

// ---- the solve

typedef struct passing {
    const dr_world *world;
    int set;
    const double *from;
    float *field;
    double *out;
} passing;

enum { GRAIN = 256 }; // vertices, nodes

static void spread_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const passing *job = user;
    const dr_held_lattice *lattice = &job->world->cloth.lattice;
    size_t room = (size_t)job->set * lattice->room;
    const uint32_t *first = lattice->first + room + (size_t)job->set;
    for (size_t n = begin; n < end; n++) {
        double *to = lattice->change + 3 * (room + n), sum[3] = {0.0};
        for (size_t i = room + first[n]; i < room + first[n + 1]; i++) {
            const double *q = job->from + 3 * (size_t)lattice->holder[i];
            for (int a = first_axis(lattice, job->set); a <= last_axis(lattice, job->set); a++)
                sum[a] += lattice->share[i] * q[a];
        }
        dr_vec3_scale(to, lattice->inverse[room + n], sum);
        dr_cloth_wall_project(job->world, lattice->item[room + n], to);
    }
}

// M^-1 W^T q on what they touch.
static void spread(dr_world *world, const double *q)
{
    passing job = {.world = world, .from = q};
    for (; job.set < world->cloth.lattice.sets; job.set++)
        dr_par_for(&world->par, world->cloth.lattice.count[job.set], GRAIN, spread_nodes, &job);
}

static void read_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const passing *job = user;
    const dr_held_lattice *lattice = &job->world->cloth.lattice;
    size_t room = (size_t)job->set * lattice->room, taps = (size_t)lattice->taps;
    for (size_t p = begin; p < end; p++) {
        double *out = job->out + 3 * p;
        for (size_t tap = room + taps * p; tap < room + taps * (p + 1); tap++) {
            size_t at = room + lattice->tap[tap];
            for (int a = first_axis(lattice, job->set); a <= last_axis(lattice, job->set); a++) {
                double value = job->field ? (double)*velocity_at(job->world, job->field, a, lattice->item[at])
                                          : lattice->change[3 * at + (size_t)a];
                out[a] += lattice->weight[tap] * value;
            }
        }
    }
}

// W of the change, or of a field of the grid.
static void read(dr_world *world, float *field, double *out)
{
    passing job = {.world = world, .field = field, .out = out};
    memset(out, 0, 3 * world->cloth.held * sizeof *out);
    for (; job.set < world->cloth.lattice.sets; job.set++)
        dr_par_for(&world->par, world->cloth.held, GRAIN, read_vertices, &job);
}

static void add_change(dr_world *world, float *field)
{
    const dr_held_lattice *lattice = &world->cloth.lattice;
    for (int set = 0; set < lattice->sets; set++) {
        for (size_t n = 0; n < lattice->count[set]; n++) {
            size_t at = (size_t)set * lattice->room + n;
            for (int a = first_axis(lattice, set); a <= last_axis(lattice, set); a++)
                *velocity_at(world, field, a, lattice->item[at]) += (float)lattice->change[3 * at + (size_t)a];
        }
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// What the matrix has on its diagonal.
static void find_diagonal(const dr_world *world, double *diagonal)
{
    const dr_cloth_stage *stage = &world->cloth;
    const dr_held_lattice *lattice = &stage->lattice;
    memset(diagonal, 0, 3 * stage->held * sizeof *diagonal);
    for (int set = 0; set < lattice->sets; set++) {
        size_t first = (size_t)set * lattice->room, tap = (size_t)set * stage->held_capacity * (size_t)lattice->taps;
        for (size_t p = 0; p < stage->held; p++) {
            for (int n = 0; n < lattice->taps; n++, tap++) {
                double one = lattice->weight[tap] * lattice->weight[tap] * lattice->inverse[first + lattice->tap[tap]];
                for (int a = first_axis(lattice, set); a <= last_axis(lattice, set); a++)
                    diagonal[3 * p + (size_t)a] += one;
            }
        }
    }
    for (size_t i = 0; i < 3 * stage->held; i++) diagonal[i] = diagonal[i] > 0.0 ? diagonal[i] : 1.0;
}

static double weighted_dot(const double *a, const double *weight, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += a[i] * a[i] / weight[i];
    return sum;
}

static void solve(dr_world *world, double tolerance, double spring)
{
    dr_cloth_stage *stage = &world->cloth;
    size_t n = 3 * stage->held;
    double *r = stage->residual, *p = stage->search, *image = stage->image, *x = stage->solution;
    const double *d = stage->held_diagonal;
    double squared = weighted_dot(r, d, n), goal = tolerance * tolerance * squared, first = squared;
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < n; i++) p[i] = r[i] / d[i];
    stage->hold_iterations = 0;
    while (squared > goal && squared > 0.0 && stage->hold_iterations < DR_CLOTH_HOLD_ITERATIONS) {
        spread(world, p);
        read(world, NULL, image);
        for (size_t i = 0; i < n; i++) image[i] += spring * d[i] * p[i];
        double curvature = dot(p, image, n);
        if (!(curvature > 0.0)) break;
        double step = squared / curvature;
        for (size_t i = 0; i < n; i++) {
            x[i] += step * p[i];
            r[i] -= step * image[i];
        }
        double next = weighted_dot(r, d, n);
        for (size_t i = 0; i < n; i++) p[i] = r[i] / d[i] + next / squared * p[i];
        squared = next;
        stage->hold_iterations++;
    }
    stage->hold_error = first > 0.0 ? sqrt(squared / first) : 0.0;
}

static void begin_hold(dr_world *world, const dr_try *attempt, const float *mass)
{
    if (world->cloth.held == 0) return;
    visit_held(world, aim, &(aiming){world, attempt->end});
    find_lattice(world, mass);
    find_diagonal(world, world->cloth.held_diagonal);
}

static void project(dr_world *world, float *field, double dt, double tolerance, double spring)
{
    dr_cloth_stage *stage = &world->cloth;
    if (stage->held == 0) return;
    read(world, field, stage->image);
    for (size_t i = 0; i < 3 * stage->held; i++) {
        double aimed = dt > 0.0 ? (stage->held_goal[i] - stage->held_place[i]) / dt : 0.0;
        stage->residual[i] = aimed - stage->image[i];
    }
    solve(world, tolerance, spring);
    spread(world, stage->solution);
    add_change(world, field);
}

void dr_cloth_hold_lead(dr_world *world, const dr_try *attempt, const float *mass, float *field)
{
    if (world->cloth.held == 0) return;
    begin_hold(world, attempt, mass);
    project(world, field, attempt->dt, DR_CLOTH_HOLD_TOLERANCE, DR_CLOTH_HOLD_COMPLIANCE);
}

typedef struct setting {
    const dr_world *world;
    const dr_thin *thin;
    float *value;
    double dt;
} setting;

static void set_vertex(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    const setting *job = user;
    const dr_cloth_stage *stage = &job->world->cloth;
    if (thin != job->thin) return;
    float *value = job->value + 4 * (size_t)hold->vertex;
    for (size_t a = 0; a < 4; a++) value[a] = 0.0F;
    if (!(job->dt > 0.0)) return;
    for (size_t a = 0; a < 3; a++)
        value[a] = (float)((stage->held_goal[3 * number + a] - stage->held_place[3 * number + a]) / job->dt);
}

void dr_cloth_hold_set(dr_world *world, int which, float *value, double dt)
{
    setting job = {world, &world->cloth.thin[which], value, dt};
    if (world->cloth.held > 0) visit_held(world, set_vertex, &job);
}

typedef struct marking {
    const dr_thin *thin;
    uint8_t *mark;
} marking;

static void mark_vertex(void *user, dr_thin *thin, const dr_cloth_hold *hold, size_t number)
{
    (void)number;
    const marking *job = user;
    if (thin == job->thin) job->mark[hold->vertex] = 1;
}

void dr_cloth_hold_mark(dr_world *world, int which, uint8_t *mark)
{
    marking job = {&world->cloth.thin[which], mark};
    memset(mark, 0, job.thin->mesh->vertices);
    if (world->cloth.held > 0) visit_held(world, mark_vertex, &job);
}

void dr_cloth_hold_solve(dr_world *world, const dr_try *attempt)
{
    if (world->cloth.held == 0) return;
    begin_hold(world, attempt, NULL);
    project(world, on_faces(world) ? world->bodies.velocity : world->node, attempt->dt, DR_CLOTH_HOLD_TOLERANCE,
            DR_CLOTH_HOLD_COMPLIANCE);
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
