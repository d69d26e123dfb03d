// Nodes in walls and colliders within the implicit step of cloth: each is free, or kept along the normal by what the
// wall has to give; Coulomb's friction of that impulse, elastic forces included, is a smooth potential of the slip
// whose size is lagged by one iteration (Li et al. 2020, incremental potential contact). docs/theory/codim.md,
// section 9.
#include "world/world.h"
#include "world/tuning.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

static void find_place(const dr_grid *grid, size_t item, double x[3])
{
    static const double none[3] = {0};
    dr_grid_point(grid, item / DR_BLOCK_NODES, (int)(item % DR_BLOCK_NODES), none, x);
}

// ---- who they are

// Where two walls meet nothing can move but with both: it sticks to the first.
static bool add_wall(dr_world *world, const dr_wall_node *wall)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    uint32_t known = solve->wall_of[wall->item];
    if (known > 0) {
        dr_wall_node *other = &solve->walls[known - 1];
        if (dr_vec3_dot(other->normal, wall->normal) < DR_CLOTH_SAME_WALL) other->boundary = DR_BOUNDARY_STICKY;
        return true;
    }
    if (!dr_memory_reserve(world->allocator, (void **)&solve->walls, &solve->wall_capacity, solve->wall_count + 1,
                           sizeof *solve->walls))
        return false;
    solve->walls[solve->wall_count++] = *wall;
    solve->wall_of[wall->item] = (uint32_t)solve->wall_count;
    return true;
}

static bool add_sides(dr_world *world, size_t item, const double x[3])
{
    const dr_domain_spec *domain = &world->constants.domain;
    double slack = DR_WORLD_ROUNDING * world->grid.cell;
    for (int axis = 0; axis < 3; axis++) {
        for (int upper = 0; upper < 2; upper++) {
            int kind = upper ? domain->side_max[axis] : domain->side_min[axis], inward = upper ? -1 : 1;
            double place = upper ? domain->max[axis] : domain->min[axis];
            if (kind != DR_SIDE_STICKY && kind != DR_SIDE_SLIP && kind != DR_SIDE_SEPARATE) continue;
            if (inward * (x[axis] - place) > slack) continue;
            dr_wall_node wall = {.item = item, .friction = domain->friction};
            wall.normal[axis] = inward;
            wall.boundary = kind == DR_SIDE_STICKY ? DR_BOUNDARY_STICKY
                            : kind == DR_SIDE_SLIP ? DR_BOUNDARY_SLIP
                                                   : DR_BOUNDARY_SEPARATE;
            if (!add_wall(world, &wall)) return false;
        }
    }
    return true;
}

static bool add_collider(dr_world *world, size_t item, const double x[3])
{
    dr_collider_point point = dr_collider_set_nearest(world->constants.colliders, x);
    if (point.index < 0 || point.distance > 0.0) return true;
    dr_wall_node wall = {.item = item, .boundary = point.boundary};
    wall.friction = isfinite(point.friction) ? point.friction : 0.0;
    dr_vec3_copy(wall.normal, point.normal);
    dr_vec3_copy(wall.velocity, point.velocity);
    if (point.boundary == DR_BOUNDARY_SEPARATE)
        dr_vec3_add_scaled(wall.velocity, wall.velocity, -dr_cloth_gap_closing(world, item), point.normal);
    return add_wall(world, &wall);
}

// Whether any node of a block may lie in a wall.
static bool is_near_side(const dr_world *world, const double center[3])
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int a = 0; a < 3; a++) {
        double reach = 2.0 * world->grid.cell;
        if (center[a] < domain->min[a] + reach || center[a] > domain->max[a] - reach) return true;
    }
    return false;
}

static bool has_sides(const dr_domain_spec *domain)
{
    bool any = false;
    for (int a = 0; a < 3; a++) any = any || domain->min[a] > -DR_UNBOUNDED || domain->max[a] < DR_UNBOUNDED;
    return any;
}

bool dr_cloth_wall_fade(dr_world *world, double dt, int iteration)
{
    double share = fmax(DR_CLOTH_FADE_LAST, DR_CLOTH_FADE_FIRST * pow(DR_CLOTH_FADE_EACH, iteration));
    double gravity = dt * dr_vec3_length(world->constants.gravity);
    world->cloth.solve.least_slip = fmax(share * gravity, DR_CLOTH_NOISE * world->grid.cell / dt);
    return share > DR_CLOTH_FADE_LAST;
}

bool dr_cloth_wall_find(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    const dr_collider_set *colliders = world->constants.colliders;
    bool any = dr_collider_set_count(colliders) > 0;
    size_t nodes = world->grid.block_count * DR_BLOCK_NODES, before = solve->wall_of_capacity;
    for (size_t i = 0; i < solve->wall_count; i++) solve->wall_of[solve->walls[i].item] = 0;
    solve->wall_count = 0;
    if (!dr_memory_reserve(world->allocator, (void **)&solve->wall_of, &solve->wall_of_capacity, nodes,
                           sizeof *solve->wall_of))
        return false;
    memset(solve->wall_of + before, 0, (solve->wall_of_capacity - before) * sizeof *solve->wall_of);
    if (world->constants.bodies_meet_liquid) return true; // there they come after the pressure
    if (!any && !has_sides(&world->constants.domain)) return true;
    for (size_t b = 0; b < world->grid.block_count; b++) {
        double center[3], x[3];
        find_place(&world->grid, b * DR_BLOCK_NODES, center);
        for (int a = 0; a < 3; a++) center[a] += 1.5 * world->grid.cell;
        bool side = is_near_side(world, center);
        bool near = any && !dr_collider_set_misses(colliders, center, 1.5 * sqrt(3.0) * world->grid.cell);
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES && (side || near); i++) {
            if (!(world->node[4 * i] > 0.0F)) continue;
            find_place(&world->grid, i, x);
            if ((side && !add_sides(world, i, x)) || (near && !add_collider(world, i, x))) return false;
        }
    }
    return true;
}

// ---- what they do

static void find_slip(const dr_wall_node *wall, const float *velocity, double slip[3], double *away)
{
    for (size_t a = 0; a < 3; a++) slip[a] = (double)velocity[4 * wall->item + 1 + a] - wall->velocity[a];
    *away = dr_vec3_dot(slip, wall->normal);
    dr_vec3_add_scaled(slip, slip, -*away, wall->normal);
}

void dr_cloth_wall_begin(dr_world *world, const float *velocity)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    for (size_t i = 0; i < solve->wall_count; i++) {
        dr_wall_node *wall = &solve->walls[i];
        double slip[3], away;
        find_slip(wall, velocity, slip, &away);
        wall->press = 0.0;
        if (wall->boundary == DR_BOUNDARY_STICKY)
            wall->state = DR_WALL_STICKS;
        else
            wall->state = wall->boundary == DR_BOUNDARY_SLIP || away < 0.0 ? DR_WALL_SLIDES : DR_WALL_FREE;
    }
}

void dr_cloth_wall_aim(const dr_world *world, float *velocity)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    for (size_t i = 0; i < solve->wall_count; i++) {
        const dr_wall_node *wall = &solve->walls[i];
        float *v = velocity + 4 * wall->item + 1;
        double slip[3], away;
        if (wall->state == DR_WALL_FREE) continue;
        find_slip(wall, velocity, slip, &away);
        for (int a = 0; a < 3; a++) v[a] = (float)(wall->velocity[a] + (wall->state == DR_WALL_SLIDES ? slip[a] : 0.0));
    }
}

bool dr_cloth_wall_update(dr_world *world, const float *velocity, const float *residual)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    bool aim = false;
    for (size_t i = 0; i < solve->wall_count; i++) {
        dr_wall_node *wall = &solve->walls[i];
        double slip[3], away;
        for (size_t a = 0; a < 3; a++)
            wall->give[a] = wall->state == DR_WALL_FREE ? 0.0 : (double)residual[4 * wall->item + 1 + a];
        if (wall->state == DR_WALL_STICKS) continue;
        if (wall->state == DR_WALL_SLIDES) {
            double give = dr_vec3_dot(wall->give, wall->normal);
            wall->press = wall->boundary == DR_BOUNDARY_SLIP ? fabs(give) : fmax(give, 0.0);
            if (give < 0.0 && wall->boundary == DR_BOUNDARY_SEPARATE) wall->state = DR_WALL_FREE; // else it would pull
            continue;
        }
        find_slip(wall, velocity, slip, &away);
        if (away >= 0.0) continue;
        wall->state = DR_WALL_SLIDES;
        aim = true;
    }
    return aim;
}

// Loads are told from the change of velocity at solids: nodes as they were without what these gave.
void dr_cloth_wall_load(dr_world *world)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    if (!solve->on || !world->load.wanted) return;
    for (size_t i = 0; i < solve->wall_count; i++) {
        const dr_wall_node *wall = &solve->walls[i];
        for (size_t a = 0; a < 3; a++)
            world->load.body[4 * wall->item + 1 + a] -= (float)(wall->give[a] / (double)world->node[4 * wall->item]);
    }
}

// ---- friction (9.5)

static bool rubs(const dr_wall_node *wall)
{
    return wall->state == DR_WALL_SLIDES && wall->friction * wall->press > 0.0;
}

double dr_cloth_wall_energy(const dr_world *world, const float *velocity)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    double sum = 0.0, least = solve->least_slip;
    for (size_t i = 0; i < solve->wall_count; i++) {
        const dr_wall_node *wall = &solve->walls[i];
        double slip[3], away;
        if (!rubs(wall)) continue;
        find_slip(wall, velocity, slip, &away);
        double y = dr_vec3_length(slip), s = y / least;
        sum += wall->friction * wall->press * (y >= least ? y : least * (s * s * (1.0 - s / 3.0) + 1.0 / 3.0));
    }
    return sum;
}

// The force of friction over its limit and over the slip, 1/(cm/s).
static double secant_of(double slip, double least)
{
    return slip >= least ? 1.0 / slip : (2.0 - slip / least) / least;
}

void dr_cloth_wall_slope(dr_world *world, const float *velocity, float *slope)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    for (size_t i = 0; i < solve->wall_count; i++) {
        dr_wall_node *wall = &solve->walls[i];
        double away;
        if (!rubs(wall)) continue;
        find_slip(wall, velocity, wall->slip, &away);
        double force = wall->friction * wall->press * secant_of(dr_vec3_length(wall->slip), solve->least_slip);
        for (size_t a = 0; a < 3; a++) slope[4 * wall->item + 1 + a] += (float)(force * wall->slip[a]);
    }
}

// By the secant, which lies above the potential everywhere: a step never jumps over where it sticks. Where friction
// acts, a change along the wall has to move more than the node's mass.
void dr_cloth_wall_project(const dr_world *world, size_t item, double change[3])
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    if (!solve->on || solve->wall_count == 0 || solve->wall_of[item] == 0) return;
    const dr_wall_node *wall = &solve->walls[solve->wall_of[item] - 1];
    if (wall->state == DR_WALL_STICKS) dr_vec3_set(change, 0, 0, 0);
    if (wall->state != DR_WALL_SLIDES) return;
    dr_vec3_add_scaled(change, change, -dr_vec3_dot(change, wall->normal), wall->normal);
    if (!rubs(wall)) return;
    double mass = (double)world->node[4 * item];
    double more = wall->friction * wall->press * secant_of(dr_vec3_length(wall->slip), solve->least_slip);
    dr_vec3_scale(change, mass / (mass + more), change);
}

void dr_cloth_wall_project_all(const dr_world *world, float *field)
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    for (size_t i = 0; i < solve->wall_count; i++) {
        size_t item = solve->walls[i].item;
        double change[3];
        for (size_t a = 0; a < 3; a++) change[a] = (double)field[4 * item + 1 + a];
        dr_cloth_wall_project(world, item, change);
        for (size_t a = 0; a < 3; a++) field[4 * item + 1 + a] = (float)change[a];
    }
}
