// Parameters that every case of a rod has. None of them changes its dimensionless answer.
#ifndef DR_LAB_ROD_ROWS_H
#define DR_LAB_ROD_ROWS_H

#include "lab/rod.h"
#include "lab/rows.h"

#define ROD_PARAMETERS                                                                                                 \
    double length, radius, density, youngs_modulus, step;                                                              \
    int64_t segments, steps

#define ROD_ROWS(owner, its_segments, its_radius, its_step, its_steps)                                                 \
    ROW_COUNT(owner, segments, its_segments, 5, 2000, "Edges of the rod."),                                            \
        ROW_REAL(owner, length, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Of the rod."),                                    \
        ROW_REAL(owner, radius, DR_UNIT_LENGTH, its_radius, 1e-6, 1e3, "Of the rod; thin against its length."),        \
        ROW_REAL(owner, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the rod."),                              \
        ROW_REAL(owner, youngs_modulus, DR_UNIT_PRESSURE, "1e10 dyn/cm2", 1.0, 1e15, "Of the rod."),                   \
        ROW_REAL(owner, step, DR_UNIT_NONE, its_step, 1e-8, 1e4, "Step over L^2 sqrt(mass per length / B)."),          \
        ROW_COUNT(owner, steps, its_steps, 4, 10000000, "How many.")

#define ROD_OF(p, twisting)                                                                                            \
    {                                                                                                                  \
        (p)->length, (p)->radius, (p)->density, (p)->youngs_modulus, twisting                                          \
    }

#endif
