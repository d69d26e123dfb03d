// Fibres in a plane by the material point method, small enough to read: what models of it make of the same heap. Of
// each segment the energy is stretch/2 (r11 - 1)^2 + shear/2 r12^2 + across/3 max(0, 1 - r22)^3, G = Q R, and the grid
// takes quadratic kernels, affine transfers and symplectic steps. docs/theory/codim.md, section 11.
#ifndef DR_LAB_PLANE_FIBRES_H
#define DR_LAB_PLANE_FIBRES_H

#include "drench/result.h"

#include <stdbool.h>

typedef enum dr_lab_plane_model {
    DR_LAB_PLANE_MESHLESS, // every particle strains as the grid around it
    DR_LAB_PLANE_ALONG,    // strain along fibres from their vertices, and none across
    DR_LAB_PLANE_ELASTIC,  // across as the grid; nothing slips and nothing is forgotten
    DR_LAB_PLANE_WHOLE     // and flows by Coulomb's law
} dr_lab_plane_model;

typedef struct dr_lab_plane_law {
    dr_lab_plane_model model;
    double stretch, across, shear; // over the density
    double friction;               // its coefficient
    double cell, gravity, step;
} dr_lab_plane_law;

typedef struct dr_lab_plane_point {
    double x[2], v[2], c[2][2]; // c[a][b]: slope of v_a along b
    double mass;                // over the density
    double volume;              // whose energy it carries
    double d[2][2];             // along the fibre, of length one at rest, and across
    double load[2][2];          // what d bears
    double force[2];
} dr_lab_plane_point;

// Points of a fibre follow each other: vertex, middle, vertex.
typedef struct dr_lab_plane {
    dr_lab_plane_law law;
    int fibres, points; // of each fibre
    dr_lab_plane_point *point;
    double *node; // mass and momentum
    int across;   // nodes
    double edge;  // a segment at rest
} dr_lab_plane;

dr_status dr_lab_plane_open(dr_lab_plane *plane, const dr_lab_plane_law *law, int fibres, int segments,
                            dr_error *error);
void dr_lab_plane_close(dr_lab_plane *plane);
void dr_lab_plane_put(dr_lab_plane *plane, int fibre, const double middle[2], const double along[2], double length);

// False where something has left the grid.
bool dr_lab_plane_step(dr_lab_plane *plane);

// The largest distance of neighbours along a fibre over that at rest.
double dr_lab_plane_stretch(const dr_lab_plane *plane);

#endif
