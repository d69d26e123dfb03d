// The faces of one block as the pressure's rows need them. docs/theory/pressure.md, section 2.
#ifndef DR_LINEAR_PRESSURE_FACES_H
#define DR_LINEAR_PRESSURE_FACES_H

#include "linear/pressure.h"

// The block's own faces and those of its upper neighbours: x [5][4][4], y [4][5][4], z [4][4][5], by the cell above the
// face.
enum { DR_PRESSURE_FACES = 80 };
typedef struct dr_pressure_faces {
    float weight[3][DR_PRESSURE_FACES]; // open * mobility
    float flow[3][DR_PRESSURE_FACES];
} dr_pressure_faces;

static const int dr_pressure_step_up[3] = {16, 4, 1}; // from a cell's lower face to its upper one, in those arrays

static inline int dr_pressure_face_item(int axis, int i, int j, int k)
{
    static const int pitch_i[3] = {16, 20, 20}, pitch_j[3] = {4, 4, 5};
    return pitch_i[axis] * i + pitch_j[axis] * j + k;
}

// The grid's block beside block g: n = x low, x high, y low ...
static inline int32_t dr_pressure_block_beside(const dr_grid *grid, size_t g, int n)
{
    static const int table[6] = {4, 22, 10, 16, 12, 14};
    return grid->neighbour[27 * g + (size_t)table[n]];
}

void dr_pressure_load_weights(const dr_pressure_problem *problem, size_t g, float to[3][DR_PRESSURE_FACES]);
void dr_pressure_load_flows(const dr_pressure_problem *problem, size_t g, float to[3][DR_PRESSURE_FACES]);

// Faces of solid cells carry the solid's velocity alone.
void dr_pressure_shut_faces(const dr_pressure_problem *problem, size_t g, const dr_pressure_around *around,
                            dr_pressure_faces *to);

#endif
