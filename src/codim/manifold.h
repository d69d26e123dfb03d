// Thin matter as a mesh on the grid: vertices, and one particle in the middle of every triangle or segment that carries
// the directions across the mesh. docs/theory/codim.md, sections 1 and 5. After Jiang, Gast and Teran 2017.
//   the strain along the mesh comes from its vertices, that across it from the grid's velocity gradient
//   corners  3: triangles, 2: segments; directions that the grid carries: 4 - corners
#ifndef DR_CODIM_MANIFOLD_H
#define DR_CODIM_MANIFOLD_H

#include "base/columns.h"
#include "base/memory.h"
#include "codim/curve.h"
#include "codim/surface.h"

// What elements are made of.
typedef struct dr_manifold_law {
    dr_surface_law sheet; // triangles
    dr_curve_law thread;  // segments
    double density;       // of the sheet or thread, g/cm3
    double fibres;        // of what it is made of, g/cm3
    double damping;       // RPIC
    double thickness;     // cm; of threads pi/4 times their diameter: volume over what they cover
} dr_manifold_law;

typedef struct dr_manifold {
    int corners;
    size_t vertices, elements;
    size_t vertex_capacity, element_capacity; // of the state's columns
    // state
    double *position;                         // [vertex][3] cm
    float *velocity, *affine;                 // [vertex][3], [vertex][9]
    float *element_velocity, *element_affine; // [element][3], [element][9]
    double *direction;                        // [element][3] of triangles, [6] of segments: the directions across
    // constants
    size_t room_vertices, room_elements; // what there is room for
    uint32_t *index;                     // [element][corners]
    float *rest;                // [element][4]: inverse of the rest edges, row by row; segments the first alone
    float *mass, *element_mass; // [vertex], [element] g
    uint32_t *body;             // [element] law
    uint32_t *first, *slot;     // [vertex + 1], [element * corners]: the corners that are at a vertex
    const dr_manifold_law *laws;
    size_t law_count;
    // working
    float *pull;  // [element][6] of triangles: the forces on corners 1 and 2, dyn; [3] of segments: that on corner 1
    float *press; // [element][3] of triangles: V P of the direction across, dyn cm; [6] of segments: of both directions
    float *force; // [vertex][3] of elements, dyn
} dr_manifold;

extern const dr_column_table dr_manifold_vertex_columns;
extern const dr_column_table dr_manifold_triangle_columns, dr_manifold_segment_columns;

// The directions across an element.
static inline double *dr_manifold_across(const dr_manifold *m, size_t e)
{
    return m->direction + (m->corners == 3 ? 3 : 6) * e;
}

// Rest volume of an element, cm3: its own share of the mass is one of those that it and its corners have.
static inline double dr_manifold_volume(const dr_manifold *m, size_t e)
{
    return (m->corners + 1) / m->laws[m->body[e]].density * (double)m->element_mass[e];
}

static inline void dr_manifold_rest(const dr_manifold *m, size_t e, double rest[4])
{
    for (size_t i = 0; i < 4; i++) rest[i] = (double)m->rest[4 * e + i];
}

// Room for more of both; false when memory is out.
bool dr_manifold_reserve(dr_manifold *m, const dr_allocator *allocator, size_t vertices, size_t elements);
void dr_manifold_free(dr_manifold *m, const dr_allocator *allocator);

// Appends a vertex; gives its number.
uint32_t dr_manifold_place(dr_manifold *m, const double position[3], const double velocity[3]);

// Appends an element between vertices that are there, at rest as they lie, with the first column of G along `warp` as
// nearly as the element lies (NULL: along its first edge); section is thickness or area. Masses are handed to its
// vertices.
void dr_manifold_add(dr_manifold *m, const uint32_t *corners, const double *warp, double section, uint32_t body);

// Appends a triangle that rests as `flat` has its corners, [3][2] along warp and weft, turning as they do.
void dr_manifold_add_flat(dr_manifold *m, const uint32_t *corners, const double *flat, double section, uint32_t body);

void dr_manifold_rest_segment(dr_manifold *m, size_t e); // a segment is at rest as it lies now; its mass stays

// After the last element: who meets at which vertex; element velocities are the mean of their vertices'. False when
// memory is out.
bool dr_manifold_join(dr_manifold *m, const dr_allocator *allocator);

// The directions of an element, G, and their split.
void dr_manifold_directions(const dr_manifold *m, size_t e, double g[3][3]);

// Loads of elements begin .. end-1, their energy (erg), and the largest eigenvalues (1/s2) of motion along the mesh
// and, with the grid's kappa / h^2, across it. Triangles are looked at several side by side. (5.2), (6.1)
typedef struct dr_manifold_strains {
    double along, across, energy;
    size_t degenerate; // elements
} dr_manifold_strains;
dr_manifold_strains dr_manifold_strain(dr_manifold *m, size_t begin, size_t end, double grid_stiffness);

// The same of one element, added to what is there.
void dr_manifold_strain_one(dr_manifold *m, size_t e, double grid_stiffness, dr_manifold_strains *sum);

// V sum of P d^T over the directions across, row by row, dyn cm.
void dr_manifold_stress(const dr_manifold *m, size_t e, float stress[9]);

static inline void dr_manifold_middle(const dr_manifold *m, size_t e, double middle[3])
{
    const uint32_t *corner = m->index + (size_t)m->corners * e;
    const double *x = m->position + 3 * (size_t)corner[0], *y = m->position + 3 * (size_t)corner[1];
    const double *z = m->corners == 3 ? m->position + 3 * (size_t)corner[2] : NULL;
    for (int a = 0; a < 3; a++) middle[a] = z ? (x[a] + y[a] + z[a]) * (1.0 / 3.0) : 0.5 * (x[a] + y[a]);
}

// A stress as the grid takes it: what is pressed by rounding alone counts as nothing, or transfers would be slow.
float dr_manifold_flush(double stress);

// Sums the forces at vertices begin .. end-1, less the slope [vertex][3] of another energy, which may be NULL.
void dr_manifold_gather(dr_manifold *m, size_t begin, size_t end, const double *slope);

// Elastic energy of an element, erg.
double dr_manifold_energy(const dr_manifold *m, size_t e);

// How a direction goes with the grid's velocity gradient (row-major): out = (1 + dt L) d.
void dr_manifold_carry(const float gradient[9], double dt, const double d[3], double out[3]);

// Momentum and energy of masses with affine velocities.
typedef struct dr_manifold_motion {
    double mass, linear[3], angular[3]; // g, g cm/s, g cm2/s
    double place[3];                    // mass times place, g cm
    double kinetic, squared;            // erg; the largest squared velocity, cm2/s2
} dr_manifold_motion;

// Elements begin .. end-1 as a step ends, vertices being where they are then and velocities, affine ones too, the
// grid's: the directions across them flow and return, they are strained, and affine velocities are damped. Strains and
// motion are added to what is there; middle [element - begin][3] receives their middles. (5.3)
typedef struct dr_manifold_step {
    double dt;
    bool linear;           // directions flow as implicit steps see it, else to second order
    double inertia;        // of affine velocities, per mass, cm2
    const float *damping;  // [law] RPIC, of this step
    const float *friction; // [element] in place of the law's where it is larger; NULL: nowhere
} dr_manifold_step;
void dr_manifold_flow(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end, double grid_stiffness,
                      dr_manifold_strains *strains, dr_manifold_motion *motion, double *middle);

// Both for wider registers: manifold_wide.c.
dr_manifold_strains dr_manifold_strain_wide(dr_manifold *m, size_t begin, size_t end, double grid_stiffness);
void dr_manifold_flow_wide(dr_manifold *m, const dr_manifold_step *step, size_t begin, size_t end,
                           double grid_stiffness, dr_manifold_strains *strains, dr_manifold_motion *motion,
                           double *middle);

// The flow of the directions of one element.
void dr_manifold_flow_one(dr_manifold *m, const dr_manifold_step *step, size_t e);

#endif
