// Thin matter at a place where a step may end: energy, forces and their exact differentials, for steps that are
// implicit. docs/theory/codim.md, section 9.
//   the strain along the mesh comes from trial places of vertices, that across it from trial directions
//   plasticity is lagged: an element that is apart as the step begins resists being pressed and nothing else, and no
//   section resists being opened
//   K = V d2psi/du2 of an element is 9 x 9 and symmetric, u the places of corners 1 (and 2) and the directions across;
//   corner 0 moves against them. What corners do to corners lies in the block rows of vertices, what directions do in
//   the elements
#ifndef DR_CODIM_TANGENT_H
#define DR_CODIM_TANGENT_H

#include "codim/manifold.h"
#include "linear/block_rows.h"

enum { DR_TANGENT_ENTRIES = 45 }; // of K, row by row from the diagonal

#define DR_TANGENT_NONE UINT32_MAX

// Less than this is what rounding presses: its stress is a million-millionth of the contact stiffness.
#define DR_TANGENT_PRESSED 1e-6

typedef struct dr_tangent {
    const dr_manifold *mesh;
    double *place;      // [vertex][3] where vertices may end, cm
    double *across;     // [element][6] directions across there
    uint8_t *apart;     // [element] as the step begins
    uint8_t *engaged;   // [element] the directions across have a part in forces or K
    uint32_t *rank;     // [element] its number among those that are engaged, or DR_TANGENT_NONE; the caller's
    float *pull;        // [element][corners][3] forces on corners, dyn
    float (*stress)[9]; // [element] V sum of P d^T over the directions across, d as the step begins, dyn cm
    double *energy;     // [element] erg
    float *stiff;       // [element][45] K
    dr_block_rows rows; // of vertices
} dr_tangent;

// Directions across that an element carries.
static inline size_t dr_tangent_turns(const dr_manifold *mesh)
{
    return mesh->corners == 3 ? 1 : 2;
}

bool dr_tangent_open(dr_tangent *tangent, const dr_manifold *mesh, const dr_allocator *allocator);
void dr_tangent_close(dr_tangent *tangent, const dr_allocator *allocator);

// As the step begins: which of elements begin .. end-1 are apart.
void dr_tangent_begin(dr_tangent *tangent, size_t begin, size_t end);

// Energy and forces of elements begin .. end-1 at the trial places.
void dr_tangent_evaluate(dr_tangent *tangent, size_t begin, size_t end);
void dr_tangent_evaluate_one(dr_tangent *tangent, size_t e);

// K of elements begin .. end-1 at the trial places; then the block rows of vertices begin .. end-1.
void dr_tangent_build(dr_tangent *tangent, size_t begin, size_t end);
void dr_tangent_build_one(dr_tangent *tangent, size_t e);
void dr_tangent_assemble(dr_tangent *tangent, size_t begin, size_t end);

// Several triangles side by side; false: one has collapsed, and nothing was done. tangent_lanes.c
bool dr_tangent_evaluate_lanes(dr_tangent *tangent, size_t first, size_t count);
bool dr_tangent_build_lanes(dr_tangent *tangent, size_t first, size_t count);

// K times velocities of vertices [vertex][4] and of directions [rank][turns][4]: on vertices begin .. end-1, then on
// the directions of elements list[begin] .. list[end-1], which are listed by rank. `turn` is NULL where none is
// engaged.
void dr_tangent_multiply(const dr_tangent *tangent, size_t begin, size_t end, const float *velocity, const float *turn,
                         float *out);
void dr_tangent_multiply_turns(const dr_tangent *tangent, size_t begin, size_t end, const uint32_t *list,
                               const float *velocity, const float *turn, float *out);

static inline int dr_tangent_entry(int i, int j) // i <= j
{
    return 9 * i - i * (i - 1) / 2 + j - i;
}

#endif
