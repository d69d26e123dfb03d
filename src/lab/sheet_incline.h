// A sheet on a slope, for the case `incline`.
#ifndef DR_LAB_SHEET_INCLINE_H
#define DR_LAB_SHEET_INCLINE_H

#include "lab/lab.h"

// The angle in degrees at which a sheet begins to slide on a plane with friction mu.
dr_status dr_lab_sheet_incline(dr_lab *lab, double mu, double *critical, dr_error *error);

// A pull along an axis that grows from nothing after `settle` to `most` times the weight at the end of the ramp.
typedef struct dr_lab_pull {
    double height; // what began above it is looked at
    int axis;
    double settle, ramp, most, cell;
    double jump; // cells; what gives way at once slides when it has moved so far; 0: what begins slowly
    const char *part;
} dr_lab_pull;

// Runs a scene so pulled, which is destroyed: the angle in degrees whose tangent is the pull over the weight at which
// cloth or yarn began to slide.
dr_status dr_lab_sheet_onset(dr_lab *lab, dr_scene *scene, const dr_lab_pull *pull, double *critical, dr_error *error);

// The same of a sheet on another one that is held.
dr_status dr_lab_sheet_on_sheet(dr_lab *lab, double mu, double *critical, dr_error *error);

#endif
