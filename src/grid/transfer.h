// Between particles and grid: PIC, FLIP, APIC with RPIC damping, MLS-MPM force scatter; linear, quadratic and cubic
// B-splines; on nodes and on faces. docs/theory/transfer.md.
#ifndef DR_GRID_TRANSFER_H
#define DR_GRID_TRANSFER_H

#include "drench/scene.h"
#include "grid/grid.h"

typedef struct dr_transfer {
    dr_kernel kernel;
    dr_scheme scheme;
    double flip_blend;
    double damping; // RPIC, of this step
} dr_transfer;

static inline int dr_transfer_degree(dr_kernel kernel)
{
    return (int)kernel + 1;
}

// The shift that dr_grid_open wants for a kernel on nodes, and on faces.
double dr_transfer_node_shift(dr_kernel kernel);
double dr_transfer_face_shift(dr_kernel kernel);

// Supplies, for particles first .. first+count-1, the matrices T (energy gradient times F^T times rest volume,
// row-major): the grid receives the momentum -dt (6-b)/h^2 T (x_i - x_p) w (for linear kernels -dt T grad w).
typedef void (*dr_transfer_stress)(const void *user, size_t first, size_t count, float (*stress)[9]);

// Called with the undamped velocity gradients after particles first .. first+count-1 received their new velocity.
typedef void (*dr_transfer_update)(void *user, size_t first, size_t count, const float (*gradient)[9]);

// What goes back to particles: they receive velocity and affine matrix and move by dt (offset and key), in place.
typedef struct dr_transfer_back {
    const float *field; // velocities
    const float *old;   // those before forces, for FLIP alone
    const float *shift; // velocity by which places move besides; NULL: none
    double dt;
    dr_particles *particles;
    dr_transfer_update update; // may be NULL
    void *user;
} dr_transfer_back;

// node: [block][64][4] = mass, momentum; written, not added. stress may be NULL.
void dr_transfer_to_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                          float *node);

// The field is mass, velocity.
void dr_transfer_from_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back);

// The same on staggered faces: face [block][64][4] = mass of the lower x, y, z face and a spare; momentum likewise.
void dr_transfer_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, float *mass, float *momentum);

// With stress, which quadratic and cubic kernels alone can scatter to faces; NULL: none.
void dr_transfer_stress_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                                 float *mass, float *momentum);

// A value per particle: face [block][64][4] = its sums on the lower x, y, z face of a cell and, in place of the spare,
// in the cell's middle; written, not added. Each of the four adds up to the particles' total.
void dr_transfer_values_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, const float *value, float *face);
void dr_transfer_from_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back);

#endif
