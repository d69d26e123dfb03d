// A sheet on a slope, for the case `incline`.
#ifndef DR_LAB_SHEET_INCLINE_H
#define DR_LAB_SHEET_INCLINE_H

#include "lab/lab.h"

// The angle in degrees at which a sheet begins to slide on a plane with friction mu.
dr_status dr_lab_sheet_incline(dr_lab *lab, double mu, double *critical, dr_error *error);

// The same of a sheet on another one that is held.
dr_status dr_lab_sheet_on_sheet(dr_lab *lab, double mu, double *critical, dr_error *error);

#endif
