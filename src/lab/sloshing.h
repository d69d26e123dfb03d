// Inviscid liquid in an upright box with slip walls, its surface tilted at the start: the scene of the cases that watch
// it slosh.
#ifndef DR_LAB_SLOSHING_H
#define DR_LAB_SLOSHING_H

#include "drench/world.h"

typedef struct dr_lab_sloshing {
    double side, fill, slope; // cm; height of the liquid over the side; of the surface along x
    double gravity, density;
    double speed;    // of box and liquid along x, cm/s
    double duration; // that the box keeps it, s
    double cells;    // along the side
    double offset;   // of the box along x from where its walls lie on faces of the grid, cells
    bool follows;    // the grid the box
} dr_lab_sloshing;

// Of the first wave between the walls, s.
double dr_lab_sloshing_period(const dr_lab_sloshing *box);

dr_status dr_lab_sloshing_scene(const dr_lab_sloshing *box, dr_scene **scene, dr_error *error);

#endif
