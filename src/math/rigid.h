// Sums over points of a body that moves: mass, momentum, moments about a place near it. docs/theory/rods.md, eq. (48).
#ifndef DR_MATH_RIGID_H
#define DR_MATH_RIGID_H

#include "math/vec.h"

typedef struct dr_rigid_sum {
    double origin[3], drift[3]; // of the frame that places and velocities are taken in
    double mass, first[3];      // sum of m r
    double second[6];           // inertia about the origin: xx xy xz yy yz zz
    double linear[3], angular[3];
    double kinetic;
} dr_rigid_sum;

static inline void dr_rigid_sum_place(const dr_rigid_sum *sum, const double x[3], double r[3])
{
    dr_vec3_sub(r, x, sum->origin);
}

static inline void dr_rigid_sum_velocity(const dr_rigid_sum *sum, const double v[3], double u[3])
{
    dr_vec3_sub(u, v, sum->drift);
}

// Momentum p that passes through r.
static inline void dr_rigid_sum_add_momentum(dr_rigid_sum *sum, const double r[3], const double p[3])
{
    double moment[3];
    dr_vec3_cross(moment, r, p);
    dr_vec3_add(sum->linear, sum->linear, p);
    dr_vec3_add(sum->angular, sum->angular, moment);
}

static inline void dr_rigid_inertia_add(double tensor[6], double m, const double r[3])
{
    tensor[0] += m * (r[1] * r[1] + r[2] * r[2]);
    tensor[1] -= m * r[0] * r[1];
    tensor[2] -= m * r[0] * r[2];
    tensor[3] += m * (r[0] * r[0] + r[2] * r[2]);
    tensor[4] -= m * r[1] * r[2];
    tensor[5] += m * (r[0] * r[0] + r[1] * r[1]);
}

// A mass at r that moves with u.
static inline void dr_rigid_sum_add_point(dr_rigid_sum *sum, double m, const double r[3], const double u[3])
{
    double p[3];
    dr_vec3_scale(p, m, u);
    dr_rigid_sum_add_momentum(sum, r, p);
    sum->mass += m;
    dr_vec3_add_scaled(sum->first, sum->first, m, r);
    dr_rigid_inertia_add(sum->second, m, r);
    sum->kinetic += 0.5 * m * dr_vec3_dot(u, u);
}

// An inertia that turns about its own axis t.
static inline void dr_rigid_sum_add_spin(dr_rigid_sum *sum, double inertia, double spin, const double t[3])
{
    dr_vec3_add_scaled(sum->angular, sum->angular, inertia * spin, t);
    for (int a = 0, k = 0; a < 3; a++) {
        for (int b = a; b < 3; b++) sum->second[k++] += inertia * t[a] * t[b];
    }
    sum->kinetic += 0.5 * inertia * spin * spin;
}

// About the centre of mass, relative to its motion: angular momentum, inertia, kinetic energy; the centre itself.
typedef struct dr_rigid_body {
    double centre[3], angular[3], inertia[6], kinetic;
} dr_rigid_body;

static inline dr_rigid_body dr_rigid_body_of(const dr_rigid_sum *sum)
{
    dr_rigid_body body;
    double r[3], orbital[3];
    dr_vec3_scale(r, 1.0 / sum->mass, sum->first);
    dr_vec3_add(body.centre, sum->origin, r);
    dr_vec3_cross(orbital, r, sum->linear);
    dr_vec3_sub(body.angular, sum->angular, orbital);
    for (int k = 0; k < 6; k++) body.inertia[k] = sum->second[k];
    dr_rigid_inertia_add(body.inertia, -sum->mass, r);
    body.kinetic = sum->kinetic - 0.5 * dr_vec3_dot(sum->linear, sum->linear) / sum->mass;
    return body;
}

#endif
