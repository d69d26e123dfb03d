// A collider that the caller moves: evenly from where it is to a place, and it stands there. docs/theory/collide.md.
#ifndef DR_COLLIDE_STEER_H
#define DR_COLLIDE_STEER_H

#include "base/columns.h"
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

// A row for each collider.
typedef struct dr_steers {
    size_t count, capacity;
    dr_steer *item;
} dr_steers;

extern const dr_column_table dr_steer_columns;

// The row of a collider that is steered, NULL: it is not. steers may be NULL.
const dr_steer *dr_steers_of(const dr_steers *steers, int index);

// From a pose at `begin` to where the shape is turned by `rotate` (x, then y, then z) about `center` and moved by
// `translate`, at `end`.
void dr_steer_towards(dr_steer *steer, const dr_pose *now, double begin, double end, const double center[3],
                      const double rotate[3], const double translate[3]);

void dr_steer_at(const dr_steer *steer, double time, dr_pose *pose);

#endif
