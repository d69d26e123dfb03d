// Up to eight strands side by side, one to a lane: gathered into the rows that Newton's method works on, and scattered
// back. docs/theory/rods.md, eq. (21)-(23).
#ifndef DR_STRAND_PACK_H
#define DR_STRAND_PACK_H

#include "strand/newton.h"
#include "strand/solver.h"

// How the root moves: carries the strand along rigidly, for the second guess.
typedef struct dr_pack_root {
    double from[3], to[3], before[3], after[3];
    bool moves, turns;
} dr_pack_root;

typedef struct dr_pack dr_pack;

typedef struct dr_pack_lane {
    const dr_strands *strands;
    const dr_strand_step *step;
    const dr_strand_material *material;
    dr_pack *at;
    int lane;
    size_t first;
    int count;                  // vertices, 0: an empty lane
    double *length, *curvature; // where its strains are kept
    dr_pack_root root;
} dr_pack_lane;

struct dr_pack {
    dr_newton newton;
    double (*drag)[6][DR_ROD_WIDTH];
    double *length, *curvature; // [lane][row] strains as the step began, of strands whose material is viscous
    int longest;                // rows there is room for
    dr_pack_lane lane[DR_ROD_WIDTH];
};

// Where strands end up: [vertex][3], and [vertex] for spin and twist.
typedef struct dr_pack_outcome {
    double *position, *velocity, *director, *spin, *twist;
} dr_pack_outcome;

// False when memory is out; to be closed all the same.
bool dr_pack_open(dr_pack *pack, const dr_allocator *allocator, int longest);
void dr_pack_close(dr_pack *pack, const dr_allocator *allocator);

// strand: which, -1 for an empty lane; rows: vertices of the longest.
void dr_pack_gather(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step,
                    const int strand[DR_ROD_WIDTH], int rows);
void dr_pack_scatter(const dr_pack *pack, const dr_pack_outcome *after);

#endif
