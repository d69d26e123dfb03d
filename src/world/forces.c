// Force fields: what they do to a velocity at a place in a step. docs/theory/step.md, "Force fields".
#include "world/world.h"

#include <math.h>

// Strength of a point or vortex field: one at the centre, one over e at `reach`.
static double falloff(double distance, double reach)
{
    return exp(-distance * distance / (reach * reach));
}

static void add_point(const dr_force_spec *force, const double x[3], double share, double dt, float v[3])
{
    double to[3], squared = 0.0;
    for (int a = 0; a < 3; a++) {
        to[a] = force->center[a] - x[a];
        squared += to[a] * to[a];
    }
    double distance = sqrt(squared);
    if (distance == 0.0) return;
    double size = share * dt * force->strength * falloff(distance, force->reach) / distance;
    for (int a = 0; a < 3; a++) v[a] += (float)(size * to[a]);
}

static void add_vortex(const dr_force_spec *force, const double x[3], double share, double dt, float v[3])
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
    v[0] += (float)(size * (axis[1] * from[2] - axis[2] * from[1]));
    v[1] += (float)(size * (axis[2] * from[0] - axis[0] * from[2]));
    v[2] += (float)(size * (axis[0] * from[1] - axis[1] * from[0]));
}

// Drawn towards the wind at `rate`, implicitly, so that any step is stable.
static void add_wind(const dr_force_spec *force, double share, double dt, float v[3])
{
    double pull = share * dt * force->rate;
    for (int a = 0; a < 3; a++) v[a] = (float)(((double)v[a] + pull * force->velocity[a]) / (1.0 + pull));
}

static void add_field(const dr_force_field *field, const double x[3], double time, double dt, float v[3])
{
    const dr_force_spec *force = &field->spec;
    double share = dr_schedule_seconds(&force->schedule, time - dt, time) / dt;
    if (share == 0.0 || (field->within && dr_shape_distance(field->within, x, NULL) > 0.0)) return;
    switch ((dr_force_kind)force->kind) {
    case DR_FORCE_UNIFORM:
        for (int a = 0; a < 3; a++) v[a] += (float)(share * dt * force->acceleration[a]);
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

void dr_forces_add(const dr_constants *constants, const double x[3], double time, double dt, float v[3])
{
    for (int f = 0; f < constants->force_count; f++) add_field(&constants->forces[f], x, time, dt, v);
}
