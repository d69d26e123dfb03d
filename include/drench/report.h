// A report: what the last step did.
#ifndef DRENCH_REPORT_H
#define DRENCH_REPORT_H

#include "drench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The step's table of contents.
typedef enum dr_stage {
    DR_STAGE_DRIVE,
    DR_STAGE_ACTIVATE,
    DR_STAGE_GATHER,
    DR_STAGE_STRANDS,
    DR_STAGE_PREDICT,
    DR_STAGE_SURFACE,
    DR_STAGE_VISCOSITY,
    DR_STAGE_PRESSURE,
    DR_STAGE_CONTACT,
    DR_STAGE_COLLIDE,
    DR_STAGE_MOVE,
    DR_STAGE_EXCHANGE,
    DR_STAGE_ACCOUNT,
    DR_STAGE_COUNT
} dr_stage;

DR_API const char *dr_stage_name(dr_stage stage);

typedef enum dr_reason { DR_REASON_CONVERGED, DR_REASON_ITERATIONS, DR_REASON_STALLED, DR_REASON_NOT_FINITE } dr_reason;

DR_API const char *dr_reason_name(dr_reason reason);

typedef struct dr_solve_report {
    const char *name;
    dr_reason reason;
    int iterations;
    double residual; // relative
} dr_solve_report;

#define DR_REPORT_SOLVES   8
#define DR_REPORT_WARNINGS 8

typedef struct dr_report {
    int64_t step;
    double time; // at the end of the step, s
    double dt;
    int rejected;                 // tries thrown away before this step was made
    const char *rejected_because; // what was wrong with the last of them, until the next step; NULL: none was
    const char
        *limited_by; // what chose the step size: "courant", "elastic", "frame", "max_step", "fixed_step", "retry", ...
    int64_t particles, blocks;
    int64_t strands, vertices;        // vertices of strands
    int64_t emitted, drained, culled; // particles, since the start
    int64_t ids; // handed out to particles since the start: those below were there at this step's end
    double volume_bulk, volume_film, volume_fabric, volume_drained, volume_total; // liquid, cm3
    double volume_emitted;                                                        // liquid, since the start, cm3
    int64_t bubbles;                                // regions of air that liquid and solids enclose, as the step began
    double volume_bubbles;                          // their volume, cm3
    double volume_bubbles_lost;                     // by which that shrank from step to step, since the start, cm3
    double volume_occupied;                         // inside the liquid's surface as the step began, and spray, cm3
    double mass;                                    // of all matter present, g
    double linear_momentum[3], angular_momentum[3]; // about the origin
    double energy_kinetic, energy_elastic, energy_potential; // erg
    double energy_surface;                                   // of films on strands, beyond that of dry ones, erg
    double largest_speed;                                    // cm/s
    int solve_count;
    dr_solve_report solves[DR_REPORT_SOLVES];
    int64_t contacts, held; // of strands; strands that contact let make only a part of their motion
    double stage_seconds[DR_STAGE_COUNT];
    double step_seconds;
    uint64_t resident_bytes;
    int warning_count;
    char warnings[DR_REPORT_WARNINGS][200];
} dr_report;

#ifdef __cplusplus
}
#endif
#endif
