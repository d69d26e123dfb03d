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
    bool add;       // what points bring is added to what the grid has
} dr_transfer;

static inline int dr_transfer_degree(dr_kernel kernel)
{
    return (int)kernel + 1;
}

// Where the points of a set are: particles, or points that keep their order.
typedef struct dr_transfer_places {
    const dr_residents *residents;
    const float *offset; // [point][3] in cells
} dr_transfer_places;

// Columns that functions of the user read or write besides: they are fetched, with those of the transfer itself, while
// the block before is at work, as points that keep their order lie scattered.
enum { DR_TRANSFER_COLUMNS = 7 };
typedef struct dr_transfer_column {
    const void *data; // NULL: none
    size_t bytes;     // of a point
} dr_transfer_column;

static inline dr_transfer_places dr_transfer_particle_places(const dr_particles *particles)
{
    return (dr_transfer_places){&particles->residents, particles->offset};
}

static inline dr_transfer_places dr_transfer_point_places(const dr_points *points)
{
    return (dr_transfer_places){&points->residents, points->offset};
}

// Supplies, for points first .. first+count-1 in the order of blocks, the matrices T (energy gradient times F^T times
// rest volume, row-major): the grid receives the momentum -dt (6-b)/h^2 T (x_i - x_p) w (for linear kernels
// -dt T grad w).
typedef void (*dr_transfer_stress)(const void *user, size_t first, size_t count, float (*stress)[9]);

// Called with the undamped velocity gradients after particles first .. first+count-1 received their new velocity.
typedef void (*dr_transfer_update)(void *user, size_t first, size_t count, const float (*gradient)[9]);

// What goes back to particles: they receive velocity and affine matrix and move by dt (offset and key), in place.
typedef struct dr_transfer_back {
    const float *field; // velocities
    const float *old;   // those before forces, for FLIP alone
    const float
        *shift; // velocity by which places move besides, on faces its potential over h^2 in the spare lane; or NULL
    double dt;
    dr_particles *particles;
    dr_transfer_update update; // may be NULL
    void *user;
    float *gained; // [particle][3] angular momentum over mass that the shift brings, cm2/s, eq. (20); NULL: nobody asks
} dr_transfer_back;

// What points bring to the grid.
typedef struct dr_transfer_load {
    dr_transfer_places places;
    const float *mass;     // [point]; NULL: stress is all they bring
    const float *velocity; // [point][3]
    const float *affine;   // [point][9]; NULL: none
    double dt;
    dr_transfer_stress stress; // NULL: none
    const void *user;
    const float *force; // [point][3], which acts for dt; NULL: none
    dr_transfer_column column[DR_TRANSFER_COLUMNS];
    const struct dr_transfer_load *with; // on nodes: what another set brings, together with this; NULL: none
} dr_transfer_load;

// node: [block][64][4] = mass, momentum; written, or added where the transfer says so. face [block][64][4] = mass of
// the lower x, y, z face and a spare; momentum likewise. On faces the kernel is linear or quadratic, and a linear one
// has no stress there.
void dr_transfer_load_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_load *load, float *node);
void dr_transfer_load_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_load *load, float *mass, float *momentum);

// The same of particles. stress may be NULL.
void dr_transfer_to_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                          float *node);
void dr_transfer_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, float *mass, float *momentum);
void dr_transfer_stress_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                                 float *mass, float *momentum);

// Back to particles. The field of nodes is mass, velocity.
void dr_transfer_from_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back);
void dr_transfer_from_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back);

// Values of points, summed up: on nodes four of each [point][4]; on faces one, whose sums stand on the lower x, y, z
// face of a cell and, in place of the spare, in the cell's middle. Written, or added where the transfer says so; each
// of the four adds up to the points' total.
void dr_transfer_spread_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *value, float *node);
void dr_transfer_spread_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *value, float *face);
// Four values of points [point][4], of one field or of two (value[1] and face[1] NULL: of one): the first three on x, y
// and z faces, the last in the cell's middle.
void dr_transfer_spread_quads(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *const value[2], float *const face[2]);
void dr_transfer_values_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, const float *value, float *face);

// Supplies eight values of each of the points first .. first+count-1 in the order of blocks.
typedef void (*dr_transfer_values)(const void *user, size_t first, size_t count, float (*value)[8]);

// Eight values of points, summed up by the quadratic kernel: three on the lower x, y, z edge of a cell, the others in
// its middle. edge: [block][64][4], the three and the first of the middle; middle: [block][64][4]. Written, not added.
void dr_transfer_spread_edges(const dr_grid *grid, const dr_par *par, const dr_transfer_places *places,
                              dr_transfer_values values, const void *user, float *edge, float *middle);

// Means of two such fields around points, by the kernel and by a weight on the same edges and middles: value
// [point][8]. The fields are already multiplied by the weight. 0 where all weights are.
void dr_transfer_read_edges(const dr_grid *grid, const dr_par *par, const dr_transfer_places *places,
                            const float *const field[2], const float *weight, float *value);

// A field at points that stay where they are: value [point][4], and the gradient [point][9] (row r: of value r) of the
// first three; either may be NULL. Of nodes, value is their numbers 1, 2, 3, 0 (a velocity, then the mass); of faces,
// the components of the lower x, y, z face, then the spare as a value in the cell's middle.
void dr_transfer_read_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_places *places, const float *node, float *value, float *gradient);
void dr_transfer_read_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_places *places, const float *face, float *value, float *gradient);

// Several fields at once, up to DR_TRANSFER_FIELDS: four values of points for each, the first three on x, y and z
// faces, the last in the cell's middle or, where that is not asked for, nowhere. Written, not added. What points bring
// is asked for a few at a time.
enum { DR_TRANSFER_FIELDS = 6 };
typedef struct dr_transfer_fields {
    int count;
    bool middle;
} dr_transfer_fields;
typedef void (*dr_transfer_supply)(const void *user, const size_t *point, size_t count,
                                   float (*value)[4 * DR_TRANSFER_FIELDS]);
void dr_transfer_spread_many(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_places *places, dr_transfer_fields what, dr_transfer_supply supply,
                             const void *user, float *const *face);
// And back: value [point][fields][4]. skip: [block] points there get 0; may be NULL.
void dr_transfer_read_many(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                           const dr_transfer_places *places, dr_transfer_fields what, const float *const *face,
                           const unsigned char *skip, float *value);

// The same, handed over a few at a time instead of being written: points first .. first+count-1 in the order of blocks,
// at most DR_TRANSFER_BATCH of them.
enum { DR_TRANSFER_BATCH = 16 };
typedef void (*dr_transfer_visitor)(void *user, size_t first, size_t count, const float (*value)[4],
                                    const float (*gradient)[9]);
typedef struct dr_transfer_visit {
    dr_transfer_places places;
    dr_transfer_visitor call;
    void *user;
    dr_transfer_column column[DR_TRANSFER_COLUMNS];
    const struct dr_transfer_visit *with; // another set that is visited together with this; NULL: none
} dr_transfer_visit;

void dr_transfer_visit_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_visit *visit, const float *node);
void dr_transfer_visit_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_visit *visit, const float *face);

#endif
