// What the cases of contact share: scenes with strands, and where all their vertices are at every output.
#ifndef DR_LAB_MEETING_H
#define DR_LAB_MEETING_H

#include "lab/lab.h"

typedef struct dr_lab_meeting {
    int frames, room;
    size_t vertices;
    double *x;                            // [frame][vertex][3]
    int64_t steps, contacts, unconverged; // steps; most contacts of one; steps whose contacts did not converge
    int64_t held;
    double residual; // largest of a step
} dr_lab_meeting;

// Runs a scene in steps of `step` to `duration` with so many outputs; part: of a case with several runs, or NULL. The
// scene is destroyed.
dr_status dr_lab_meeting_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames, double step,
                             dr_lab_meeting *meeting, dr_error *error);
void dr_lab_meeting_forget(dr_lab_meeting *meeting);
const double *dr_lab_meeting_vertex(const dr_lab_meeting *meeting, int frame, size_t vertex); // frame < 0: from the end

// Says how contact was solved: contacts, residual, steps that did not converge.
void dr_lab_meeting_show(dr_lab *lab, const dr_lab_meeting *meeting);

#endif
