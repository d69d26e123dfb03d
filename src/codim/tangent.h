// Thin matter at a place where a step may end: energy, forces and their exact differentials, for steps that are
// implicit. docs/theory/codim.md, section 9.
//   the strain along the mesh comes from trial places of vertices, that across it from trial directions
//   plasticity is lagged: an element that is apart as the step begins resists being pressed and nothing else, and no
//   section resists being opened
//   H = V d2psi/dG2 of an element is 9 x 9 and symmetric; eight elements lie side by side, in float
#ifndef DR_CODIM_TANGENT_H
#define DR_CODIM_TANGENT_H

#include "codim/manifold.h"

enum {
    DR_TANGENT_LANES = 8,
    DR_TANGENT_ENTRIES = 45, // of H, row by row from the diagonal
    DR_TANGENT_ITEMS = DR_TANGENT_ENTRIES + 4 + 6
};

typedef struct dr_tangent {
    const dr_manifold *mesh;
    double *place;      // [vertex][3] where vertices may end, cm
    double *across;     // [element][6] directions across there
    uint8_t *apart;     // [element] as the step begins
    uint8_t *engaged;   // [element] the directions across have a part in forces or H
    float *pull;        // [element][corners][3] forces on corners, dyn, or their differentials
    float (*stress)[9]; // [element] V sum of P d^T over the directions across, d as the step begins, dyn cm
    double *energy;     // [element] erg
    float *packed;      // [element / 8][items][8]: H, rest edges, directions as the step begins
} dr_tangent;

size_t dr_tangent_batches(const dr_manifold *mesh);
bool dr_tangent_open(dr_tangent *tangent, const dr_manifold *mesh, const dr_allocator *allocator);
void dr_tangent_close(dr_tangent *tangent, const dr_allocator *allocator);

// As the step begins: which of elements begin .. end-1 are apart.
void dr_tangent_begin(dr_tangent *tangent, size_t begin, size_t end);

// Energy and forces of elements begin .. end-1 at the trial places.
void dr_tangent_evaluate(dr_tangent *tangent, size_t begin, size_t end);

// H of batches begin .. end-1 at the trial places.
void dr_tangent_build(dr_tangent *tangent, size_t begin, size_t end);

// Differentials of the forces of batches begin .. end-1 into pull and stress, for velocities of vertices ([vertex][4])
// and velocity gradients at elements ([element][9], looked at where they are engaged).
void dr_tangent_apply(dr_tangent *tangent, size_t begin, size_t end, const float *velocity, const float *gradient);

#endif
