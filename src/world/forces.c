// Force fields: what they do to a velocity at a place in a step. docs/theory/step.md, "Force fields".
#include "world/world.h"
#include "world/tuning.h"

#include "math/vec.h"

#include <math.h>

// Strength of a point or vortex field: one at the centre, one over e at `reach`.
static double falloff(double distance, double reach)
{
    return exp(-distance * distance / (reach * reach));
}

static void add_point(const dr_force_spec *force, const double x[3], double share, double dt, double v[3])
{
    double to[3], squared = 0.0;
    for (int a = 0; a < 3; a++) {
        to[a] = force->center[a] - x[a];
        squared += to[a] * to[a];
    }
    double distance = sqrt(squared);
    if (distance == 0.0) return;
    double size = share * dt * force->strength * falloff(distance, force->reach) / distance;
    for (int a = 0; a < 3; a++) v[a] += size * to[a];
}

static void add_vortex(const dr_force_spec *force, const double x[3], double share, double dt, double v[3])
{
    double length =
        sqrt(force->axis[0] * force->axis[0] + force->axis[1] * force->axis[1] + force->axis[2] * force->axis[2]);
    double axis[3], from[3], along = 0.0, squared = 0.0;
    for (int a = 0; a < 3; a++) {
        axis[a] = force->axis[a] / length;
        from[a] = x[a] - force->center[a];
        along += axis[a] * from[a];
    }
    for (int a = 0; a < 3; a++) {
        from[a] -= along * axis[a];
        squared += from[a] * from[a];
    }
    double distance = sqrt(squared);
    if (distance == 0.0) return;
    double size = share * dt * force->strength * falloff(distance, force->reach) / distance;
    v[0] += size * (axis[1] * from[2] - axis[2] * from[1]);
    v[1] += size * (axis[2] * from[0] - axis[0] * from[2]);
    v[2] += size * (axis[0] * from[1] - axis[1] * from[0]);
}

// Drawn towards the wind at `rate`, implicitly, so that any step is stable.
static void add_wind(const dr_force_spec *force, double share, double dt, double v[3])
{
    double pull = share * dt * force->rate;
    for (int a = 0; a < 3; a++) v[a] = (v[a] + pull * force->velocity[a]) / (1.0 + pull);
}

static void add_field(const dr_force_field *field, const double x[3], double time, double dt, double v[3])
{
    const dr_force_spec *force = &field->spec;
    double share = dr_schedule_seconds(&force->schedule, time - dt, time) / dt;
    if (share == 0.0 || (field->within && dr_shape_distance(field->within, x, NULL) > 0.0)) return;
    switch ((dr_force_kind)force->kind) {
    case DR_FORCE_UNIFORM:
        for (int a = 0; a < 3; a++) v[a] += share * dt * force->acceleration[a];
        break;
    case DR_FORCE_WIND:
        add_wind(force, share, dt, v);
        break;
    case DR_FORCE_POINT:
        add_point(force, x, share, dt, v);
        break;
    case DR_FORCE_VORTEX:
        add_vortex(force, x, share, dt, v);
        break;
    }
}

void dr_forces_add(const dr_constants *constants, const double x[3], double time, double dt, double v[3])
{
    for (int f = 0; f < constants->force_count; f++) add_field(&constants->forces[f], x, time, dt, v);
}

double dr_forces_inertia(const dr_constants *constants, const double x[3], double time, double dt)
{
    double factor = 1.0;
    for (int f = 0; f < constants->force_count; f++) {
        const dr_force_field *field = &constants->forces[f];
        if (field->spec.kind != DR_FORCE_WIND) continue;
        if (field->within && dr_shape_distance(field->within, x, NULL) > 0.0) continue;
        factor *= 1.0 + field->spec.rate * dr_schedule_seconds(&field->spec.schedule, time - dt, time);
    }
    return factor;
}

// ---- a bound of the acceleration

// A ball around some matter.
typedef struct ball {
    double middle[3], radius;
} ball;

// How near a place, or a line through it along axis, comes to the ball.
static double least_distance(const ball *around, const double center[3], const double axis[3])
{
    double d[3], along = 0.0, length = axis ? dr_vec3_length(axis) : 0.0;
    dr_vec3_sub(d, around->middle, center);
    if (length > 0.0) along = dr_vec3_dot(d, axis) / length;
    double across = sqrt(fmax(0.0, dr_vec3_dot(d, d) - along * along));
    return fmax(0.0, across - around->radius);
}

// The largest acceleration of matter at rest in the ball.
static double strength_in(const dr_force_spec *force, const ball *around)
{
    switch ((dr_force_kind)force->kind) {
    case DR_FORCE_UNIFORM:
        return dr_vec3_length(force->acceleration);
    case DR_FORCE_WIND:
        return force->rate * dr_vec3_length(force->velocity);
    case DR_FORCE_POINT:
        return fabs(force->strength) * falloff(least_distance(around, force->center, NULL), force->reach);
    case DR_FORCE_VORTEX:
        return fabs(force->strength) * falloff(least_distance(around, force->center, force->axis), force->reach);
    }
    return 0.0;
}

// Fields that act evenly on everything all the time add up as vectors, gravity among them; of the others each may act
// alone.
static double bound_in(const dr_constants *constants, const ball *around, double from, double to, double *uneven)
{
    double even[3], others = 0.0;
    dr_vec3_copy(even, constants->gravity);
    for (int f = 0; f < constants->force_count; f++) {
        const dr_force_field *field = &constants->forces[f];
        const dr_schedule_spec *schedule = &field->spec.schedule;
        if (dr_schedule_active(schedule, from, to) <= 0.0) continue;
        if (field->within && dr_shape_distance(field->within, around->middle, NULL) > around->radius) continue;
        bool whole = dr_schedule_seconds(schedule, from, to) >= (1.0 - DR_TIME_ROUNDING) * (to - from);
        if (field->spec.kind == DR_FORCE_UNIFORM && whole && !field->within) {
            dr_vec3_add(even, even, field->spec.acceleration);
        } else {
            others += strength_in(&field->spec, around);
        }
    }
    *uneven = others;
    return dr_vec3_length(even) + others;
}

// The ball around the blocks where points of a set are.
static bool enclose(const dr_grid *grid, const dr_residents *residents, size_t count, ball *around)
{
    const uint32_t *first = residents->first;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, squared = 0.0;
    for (size_t b = 0; b < grid->block_count && count > 0; b++) {
        if (first[b] == first[b + 1]) continue;
        for (int a = 0; a < 3; a++) {
            double at = DR_BLOCK_SIDE * (double)grid->coordinate[3 * b + (size_t)a] + DR_GRID_SHIFT;
            low[a] = fmin(low[a], grid->origin[a] + grid->cell * at);
            high[a] = fmax(high[a], grid->origin[a] + grid->cell * (at + DR_BLOCK_SIDE));
        }
    }
    if (!(low[0] < high[0])) return false;
    for (int a = 0; a < 3; a++) {
        around->middle[a] = 0.5 * (low[a] + high[a]);
        squared += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    }
    around->radius = sqrt(squared);
    return true;
}

void dr_forces_survey(dr_world *world)
{
    const dr_constants *constants = &world->constants;
    double now = world->state.time, soon = now + fmax(constants->time.max_step, constants->time.fixed_step);
    for (int i = 0; i < DR_SET_COUNT; i++) {
        ball around;
        const dr_particles *set = dr_state_set(world, i);
        bool any = enclose(&world->grid, &set->residents, set->count, &around);
        world->acceleration[i] = world->uneven[i] = 0.0;
        if (any) world->acceleration[i] = bound_in(constants, &around, now, soon, &world->uneven[i]);
    }
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_points *points = &world->cloth.thin[i].vertices;
        double *most = &world->acceleration[DR_SET_NODES], uneven;
        ball around;
        if (!enclose(&world->grid, &points->residents, points->count, &around)) continue;
        *most = fmax(*most, bound_in(constants, &around, now, soon, &uneven));
    }
}
