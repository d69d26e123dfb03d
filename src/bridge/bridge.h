// A liquid bridge between two parallel fibres, or a fibre and a plane, per unit length: the shape of its menisci, its
// energy, its force. docs/theory/bridges.md. Pure functions of geometry: energies and forces are over surface tension.
#ifndef DR_BRIDGE_BRIDGE_H
#define DR_BRIDGE_BRIDGE_H

#include <stdbool.h>

// Radius and contact angle (rad, 0 to below pi/2 wets) of both sides; the second radius is infinite for a plane.
typedef struct dr_bridge_sides {
    double radius[2];
    double angle[2];
} dr_bridge_sides;

typedef struct dr_bridge {
    double wetted[2]; // half angle of the arc that is under the liquid; of a plane: half the width
    double curvature; // 1/R of a meniscus, positive where it is hollow; the liquid's pressure is -curvature
    double neck;      // half the height of the bridge at its narrowest; below 0 there is none
    double area;      // of liquid
    double energy;    // of both menisci and of the dry parts of the fibres, over surface tension
    double force;     // attraction, the slope of energy over distance at constant area
} dr_bridge;

// The bridge that wets the first fibre up to the half angle `wetted`, with the axes (or axis and plane) `distance`
// apart. False where the menisci do not meet the second side.
bool dr_bridge_shape(const dr_bridge_sides *sides, double distance, double wetted, dr_bridge *bridge);

// The bridge of that area. False where there is none: the liquid is so much that it swallows the fibres.
bool dr_bridge_solve(const dr_bridge_sides *sides, double distance, double area, dr_bridge *bridge);

// The bridge in equilibrium with its own ends, A dE/dA = E - E_dry. False where none is found (beyond the distance
// at which the column ends).
bool dr_bridge_column(const dr_bridge_sides *sides, double distance, dr_bridge *bridge);

// The distance at which a bridge of that area ruptures.
double dr_bridge_rupture(const dr_bridge_sides *sides, double area);

// The distance of touching: of the axes, or of axis and plane.
double dr_bridge_touching(const dr_bridge_sides *sides);

// What a thick liquid adds: yield stress (von Mises, sqrt(2/3) of it in shear) and rate of shear over three quarters of
// half the fibre's girth. dyn/cm.
typedef struct dr_bridge_goo {
    double yield_stress, consistency, index;
} dr_bridge_goo;
double dr_bridge_thick(const dr_bridge_goo *goo, double radius, double distance, double normal_speed);

#endif
