// Nodes in walls and colliders within the implicit step of cloth: each is free, slides or sticks, by what the wall had
// to give to keep it so far; Coulomb's law holds for the whole impulse, elastic forces included.
// docs/theory/codim.md, section 9.
#include "world/world.h"

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
        if (dr_vec3_dot(other->normal, wall->normal) < 0.99) other->boundary = DR_BOUNDARY_STICKY;
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
    double slack = 1e-6 * world->grid.cell;
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

bool dr_cloth_wall_find(dr_world *world)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    const dr_collider_set *colliders = world->constants.colliders;
    bool any = dr_collider_set_count(colliders) > 0;
    size_t nodes = world->grid.block_count * DR_BLOCK_NODES;
    if (!dr_memory_reserve(world->allocator, (void **)&solve->wall_of, &solve->wall_of_capacity, nodes,
                           sizeof *solve->wall_of))
        return false;
    memset(solve->wall_of, 0, nodes * sizeof *solve->wall_of);
    solve->wall_count = 0;
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
        dr_vec3_set(wall->push, 0, 0, 0);
        if (wall->boundary == DR_BOUNDARY_STICKY)
            wall->state = DR_WALL_STICKS;
        else if (wall->boundary == DR_BOUNDARY_SLIP)
            wall->state = DR_WALL_SLIDES;
        else
            wall->state = away >= 0.0 ? DR_WALL_FREE : wall->friction > 0.0 ? DR_WALL_STICKS : DR_WALL_SLIDES;
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

// A node that slides is rubbed against its slip by the friction of what presses it; where it does not slip, it sticks.
static bool update_pressed(dr_wall_node *wall, const float *velocity, const float *residual)
{
    double give[3], rub[3], slip[3], away;
    for (size_t a = 0; a < 3; a++) give[a] = (double)residual[4 * wall->item + 1 + a];
    double press = dr_vec3_dot(give, wall->normal), most = wall->friction * press;
    find_slip(wall, velocity, slip, &away);
    dr_vec3_add_scaled(rub, give, -press, wall->normal);
    if (press < 0.0) { // it would have to be pulled
        wall->state = DR_WALL_FREE;
        dr_vec3_set(wall->push, 0, 0, 0);
        return false;
    }
    if (wall->friction == 0.0) return false;
    if (wall->state == DR_WALL_STICKS) {
        double size = dr_vec3_length(rub);
        if (size <= most) return false;
        wall->state = DR_WALL_SLIDES;
        dr_vec3_scale(wall->push, most / size, rub);
        return false;
    }
    double size = dr_vec3_length(slip), before = dr_vec3_length(wall->push);
    if (size > 0.0 && dr_vec3_dot(slip, wall->push) <= 0.0) {
        dr_vec3_scale(wall->push, -most / size, slip);
    } else if (before > 0.0) { // friction has turned it round
        wall->state = DR_WALL_STICKS;
        dr_vec3_set(wall->push, 0, 0, 0);
        return true;
    }
    return false;
}

bool dr_cloth_wall_update(dr_world *world, const float *velocity, const float *residual)
{
    dr_cloth_solve *solve = &world->cloth.solve;
    bool aim = false;
    for (size_t i = 0; i < solve->wall_count; i++) {
        dr_wall_node *wall = &solve->walls[i];
        double slip[3], away;
        if (wall->boundary != DR_BOUNDARY_SEPARATE) continue;
        if (wall->state != DR_WALL_FREE) {
            aim |= update_pressed(wall, velocity, residual);
            continue;
        }
        find_slip(wall, velocity, slip, &away);
        if (away >= 0.0) continue;
        wall->state = wall->friction > 0.0 ? DR_WALL_STICKS : DR_WALL_SLIDES;
        aim = true;
    }
    return aim;
}

void dr_cloth_wall_project(const dr_world *world, size_t item, double change[3])
{
    const dr_cloth_solve *solve = &world->cloth.solve;
    if (!solve->on || solve->wall_count == 0 || solve->wall_of[item] == 0) return;
    const dr_wall_node *wall = &solve->walls[solve->wall_of[item] - 1];
    if (wall->state == DR_WALL_STICKS) dr_vec3_set(change, 0, 0, 0);
    if (wall->state == DR_WALL_SLIDES)
        dr_vec3_add_scaled(change, change, -dr_vec3_dot(change, wall->normal), wall->normal);
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
