// Up to eight strands side by side, one to a lane: gathered into the rows that Newton's method works on, and scattered
// back. docs/theory/rods.md, eq. (21)-(23), (37)-(41).
#ifndef DR_STRAND_PACK_H
#define DR_STRAND_PACK_H

#include "strand/newton.h"
#include "strand/solver.h"
#include "strand/strain.h"

// How the root moves: carries the strand along rigidly, for the second guess.
typedef struct dr_pack_root {
    double from[3], to[3], before[3], after[3];
    bool moves, turns;
} dr_pack_root;

typedef struct dr_pack dr_pack;

// What of a step a solve makes: all of it by backward Euler, or the first or second stage of TR-BDF2. Each is a step of
// backward Euler of the length `reach` from a start of its own. (37)
typedef enum dr_pack_stage { DR_PACK_WHOLE, DR_PACK_TRAPEZOID, DR_PACK_BDF } dr_pack_stage;

// Where such a step starts.
typedef struct dr_pack_start {
    double x[3], velocity[3], turn, spin;
} dr_pack_start;

typedef struct dr_pack_lane {
    const dr_strands *strands;
    const dr_strand_step *step;
    const dr_strand_material *material;
    dr_pack *at;
    int lane, strand;
    size_t first;
    int count; // vertices, 0: an empty lane
    dr_pack_stage stage;
    double reach; // s
    const dr_strand_goal *goal;
    const double *x, *director; // [row][3] as the stage begins
    double *moved, *turned;     // [row][3] room for those after the first stage
    dr_pack_start *start;       // [row]
    dr_strain before, toward;   // as the step began; what viscosity pulls towards
    dr_pack_root root;
} dr_pack_lane;

struct dr_pack {
    dr_newton newton;
    double (*drag)[6][DR_ROD_WIDTH];
    double *strains, *places; // [lane][row] of what lanes keep
    dr_pack_start *starts;
    int longest; // rows there is room for
    dr_pack_lane lane[DR_ROD_WIDTH];
};

// Where strands end up: [vertex][3], and [vertex] for spin and twist. velocity and spin are means over the step; those
// at its end and their rates are given for strands of two stages.
typedef struct dr_pack_outcome {
    double *position, *velocity, *director, *spin, *twist;
    double *end_velocity, *end_spin, *acceleration, *spin_rate;
} dr_pack_outcome;

// False when memory is out; to be closed all the same.
bool dr_pack_open(dr_pack *pack, const dr_allocator *allocator, int longest);
void dr_pack_close(dr_pack *pack, const dr_allocator *allocator);

// strand: which, -1 for an empty lane; rows: vertices of the longest; order[strand]: dr_strand_order. Returns whether
// any lane needs a second stage.
bool dr_pack_gather(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step, const unsigned char *order,
                    const int strand[DR_ROD_WIDTH], int rows);

// After the first solve: the second stage of the lanes that have one; the others are left as they are.
void dr_pack_gather_second(dr_pack *pack);

// Goes on from the rows and places that a solve by one stage left: further impulses on vertices, [vertex][3] dyn s,
// shift their anchors, and the systems' linear answer to them is the step to begin with. Lanes of strands that are not
// wanted are left as they are.
void dr_pack_continue(dr_pack *pack, const dr_strands *strands, const dr_strand_step *step,
                      const int strand[DR_ROD_WIDTH], int rows, const bool *wanted, const double *impulse);

void dr_pack_scatter(const dr_pack *pack, const dr_pack_outcome *after);

#endif
