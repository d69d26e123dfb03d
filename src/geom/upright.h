// From a file's coordinates to drench's: its unit, and its up axis turned onto y (a proper rotation, so nothing is
// mirrored).
#ifndef DR_GEOM_UPRIGHT_H
#define DR_GEOM_UPRIGHT_H

#include "drench/scene.h"
#include "math/vec.h"

static inline void dr_upright_rotation(double out[9], int up)
{
    static const double rows[3][9] = {{0, -1, 0, 1, 0, 0, 0, 0, 1},  // x -> y
                                      {1, 0, 0, 0, 1, 0, 0, 0, 1},   // y is up already
                                      {1, 0, 0, 0, 0, 1, 0, -1, 0}}; // z -> y
    const double *chosen = rows[up == DR_AXIS_X ? 0 : up == DR_AXIS_Z ? 2 : 1];
    for (int i = 0; i < 9; i++) out[i] = chosen[i];
}

static inline void dr_upright_point(double out[3], int up, double unit, const double x[3])
{
    if (up == DR_AXIS_X)
        dr_vec3_set(out, -unit * x[1], unit * x[0], unit * x[2]);
    else if (up == DR_AXIS_Z)
        dr_vec3_set(out, unit * x[0], unit * x[2], -unit * x[1]);
    else
        dr_vec3_scale(out, unit, x);
}

#endif
