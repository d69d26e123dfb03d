// What a batch of particles has to do with the faces around it, once its weights are known: the part of the transfers
// that registers of 16 floats halve. Quadratic kernels. docs/theory/transfer.md, eq. (13)-(18).
#ifndef DR_GRID_TRANSFER_FACES_WIDE_H
#define DR_GRID_TRANSFER_FACES_WIDE_H

#include "grid/stencil.h"

enum { DR_FACE_SIDE = DR_BLOCK_SIDE + 3 };

// The three stencils of a particle as one that is a sample wider, transfer_faces.c.
typedef struct dr_face_stencil {
    size_t item; // the lowest in the buffer
    dr_float4 w[4][3], m[4][3];
} dr_face_stencil;

// Taps along an axis are half a cell off or, of the component's own, on the lattice.
enum { DR_FACE_HALF, DR_FACE_OWN };
typedef struct dr_face_taps {
    int first[2][4];             // the lowest sample along each axis
    dr_float4 w[2][3], dw[2][3]; // a lane for every axis
} dr_face_taps;

// q: mass and momentum; a: columns of the affine momentum per cell.
typedef struct dr_face_charge {
    dr_float8 q, a[3];
} dr_face_charge;

// Wide ones must not be called where dr_simd_is_wide() is false; where it is true, both give the same bits.
void dr_transfer_faces_add_wide(const dr_face_taps *taps, const dr_face_charge *charge, size_t count, float *buffer);
void dr_transfer_faces_add_narrow(const dr_face_taps *taps, const dr_face_charge *charge, size_t count, float *buffer);
void dr_transfer_faces_find_wide(const dr_face_stencil *stencil, size_t count, const float *const buffer[3],
                                 dr_stencil_sample (*found)[DR_STENCIL_BATCH]);
void dr_transfer_faces_find_narrow(const dr_face_stencil *stencil, size_t count, const float *const buffer[3],
                                   dr_stencil_sample (*found)[DR_STENCIL_BATCH]);

#endif
