// A collider that the caller moves: evenly from where it is to a place, and it stands there. docs/theory/collide.md.
#ifndef DR_COLLIDE_STEER_H
#define DR_COLLIDE_STEER_H

#include "collide/motion.h"

// Doubles alone, so that a row of an array can keep it.
typedef struct dr_steer {
    double on; // 0: its script moves it
    double begin, end;
    double center[3];        // a point of the shape, in its own frame, that moves along a straight line
    double from[3], step[3]; // where that point is at the beginning, and its way
    double rotation[9];      // at the beginning
    double axis[3], angle;   // of the turn
} dr_steer;

enum { DR_STEER_NUMBERS = sizeof(dr_steer) / sizeof(double) };

// From a pose at `begin` to where the shape is turned by `rotate` (x, then y, then z) about `center` and moved by
// `translate`, at `end`.
void dr_steer_towards(dr_steer *steer, const dr_pose *now, double begin, double end, const double center[3],
                      const double rotate[3], const double translate[3]);

void dr_steer_at(const dr_steer *steer, double time, dr_pose *pose);

#endif
