// Bending of sheets without rotations: an energy that is quadratic in the angles between neighbouring triangles.
// docs/theory/bending.md, eq. (1)-(9).
//   E(x) = 1/2 sum_t scale_t |W_t (theta(x) - theta_rest)|^2                                                       (7)
// W_t gives the curvature of triangle t from the angles of its own three edges and those of its neighbours', so that
// the energy is the plate's for any curvature in any direction on any mesh. With hinges, W is one number per edge.
#ifndef DR_CODIM_BENDING_H
#define DR_CODIM_BENDING_H

#include "base/memory.h"
#include "par/par.h"

// What a sheet is made of; the arrays stay the caller's and are not needed once it is open.
typedef struct dr_bending_sheet {
    size_t vertex_count, triangle_count;
    const uint32_t *triangle; // [t][3]
    const double *rest;       // [v][3], cm: its metric is that of the rest shape
    const double *corner;     // [t][3][2], cm: in place of its metric, where corners are at rest; NULL: none
    const double *stiffness;  // [t][6], dyn cm: C11 C12 C13 C22 C23 C33 over curvatures (k11, k22, 2 k12); axis 1 is
                              // the rest edge from corner 0 to corner 1
    bool flat;                // it rests flat; otherwise with the angles of its rest shape
    bool hinges;              // each angle on its own, instead of curvature
    const uint8_t *clamped;   // [t] it is held: it does not bend, and its edges have its normal; NULL: none
    bool products;            // there will be products in float
} dr_bending_sheet;

enum { DR_BENDING_REACH = 9 }; // angles that the curvature of a triangle is made of

// Products in float go over groups of triangles side by side, with three numbers a triangle between one pass and the
// next: [group][side][8], and one group of noughts behind them for sides without a hinge.
enum { DR_BENDING_GROUP = 8 };
enum { DR_BENDING_TURN, DR_BENDING_GUESS, DR_BENDING_TORQUE, DR_BENDING_OTHER, DR_BENDING_PASSES };

// What they need. Side i is that from corner i to corner i + 1.
typedef struct dr_bending_products {
    bool patches; // angles of neighbours count: there are guesses
    size_t groups;
    uint32_t *corner;                      // [group][side][8] vertices
    uint32_t *beyond;                      // [group][side][8] the place of the side across
    uint32_t *vertex_first, *vertex_entry; // places of the corners that are this vertex
    int32_t *hinge;                        // [group][side][8] 1 + its number, negative: turned over; 0: none
    float *guess;                          // [group][side][side][8] from angles to those at the middles of sides
    float *middle;                         // [group][side][3][8] shares: the angle, its own guess, that beyond
    float *stiffness;                      // [group][6][8] from angles at the middles to moments
    float *normal;                         // [t][4] over twice the area, of the place
    float *lever;                          // [group][side][2][8] length, and the foot of the corner above, of the place
    float *work[DR_BENDING_PASSES];
} dr_bending_products;

// Of one triangle; `beyond` are sides 3 t + i.
typedef struct dr_bending_part {
    uint32_t corner[3], beyond[3];
    int32_t hinge[3];
    float guess[3][3], middle[3][3], stiffness[6];
} dr_bending_part;

typedef struct dr_bending {
    size_t vertex_count, hinge_count, triangle_count;
    uint32_t *corner;   // [hinge][4] vertices: both ends, opposite in the first triangle, opposite in the second
    double *rest_angle; // [hinge] rad
    int32_t *reach;     // [t][9] hinges, -1: none
    float *root;        // [t][9][3] W, by column
    const float *scale; // [t] factor of the energy, the caller's; NULL: 1
    size_t branched;    // edges of more than two triangles: nothing bends there
    // working
    uint32_t *hinge_first, *hinge_entry;   // entries 9 t + i of reach that are this hinge
    uint32_t *vertex_first, *vertex_entry; // entries 4 hinge + i of corner that are this vertex
    double *angle;                         // [hinge]
    double *torque;                        // [hinge]; before moments are known, how fast the angle changes
    double *slope;                         // [hinge][4][3] of the angle
    double *moment;                        // [t][3]; or the energy, [t]
    double *share;                         // [v]
    dr_bending_products products;
    dr_arena arena;
} dr_bending;

// D (k11^2 + k22^2 + 2 nu k11 k22 + 2 (1 - nu) k12^2) / 2, D = E t^3 / (12 (1 - nu^2)), dyn cm.
void dr_bending_plate(double rigidity, double poisson_ratio, double stiffness[6]);

// Of threads: D1 and D2 along two directions, D12 between them, Dk of twist (energy D1 k11^2/2 + D12 k11 k22 + D2
// k22^2/2 + 2 Dk k12^2); `angle` leads from axis 1 of the triangle to the first direction.
void dr_bending_threads(double d1, double d2, double d12, double twist, double angle, double stiffness[6]);

// False when memory is out. A triangle without area bends nowhere.
bool dr_bending_open(dr_bending *bending, const dr_bending_sheet *sheet, const dr_allocator *allocator);
void dr_bending_close(dr_bending *bending);

// Places x[v][3] in cm.
double dr_bending_energy(dr_bending *bending, const dr_par *par, const double *x);                   // erg
void dr_bending_gradient(dr_bending *bending, const dr_par *par, const double *x, double *gradient); // is added to
void dr_bending_gradient_again(dr_bending *bending, const dr_par *par, double *gradient); // at the x last looked at

// Adds the second derivative at x applied to `direction`. `whole`: with the part that torques have in it, which makes
// it the true one; without, it is never negative.
void dr_bending_hessian_apply(dr_bending *bending, const dr_par *par, const double *x, const double *direction,
                              bool whole, double *out);

// Angles and their slopes at x.
void dr_bending_linearise(dr_bending *bending, const dr_par *par, const double *x);

// Products without the part of torques, in float: their factors at x, which is where angles and slopes were last looked
// at; then any number of products with velocities [v][4], times a factor, added to out [v][4].
void dr_bending_narrow(dr_bending *bending, const dr_par *par, const double *x);
void dr_bending_apply(dr_bending *bending, const dr_par *par, const float *velocity, double factor, float *out);

// Adds the diagonal, per component, of the part that is never negative.
void dr_bending_diagonal(dr_bending *bending, const dr_par *par, const double *x, double *diagonal);

// A bound of the largest eigenvalue of mass^-1 Hessian, without the part of the torques, 1/s^2: explicit steps are
// stable below 2 / sqrt of it.
double dr_bending_limit(dr_bending *bending, const dr_par *par, const double *x, const double *mass);

// bending_product.c: room for products, false when memory is out; a triangle's part; which corners are which vertex.
bool dr_bending_open_products(dr_bending *bending);
void dr_bending_keep_product(dr_bending *bending, size_t t, const dr_bending_part *part);
void dr_bending_list_corners(dr_bending *bending);

#endif
