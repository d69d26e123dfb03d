// Heaps of fibres that fall in a plane onto a floor that holds them: how they begin, and what a scene makes of them.
// Jiang, Gast, Teran 2017, figures 10 and 12.
#ifndef DR_LAB_HEAP_H
#define DR_LAB_HEAP_H

#include "lab/lab.h"

#define DR_LAB_HEAP_CELL    0.02
#define DR_LAB_HEAP_GRAVITY 9.8
#define DR_LAB_HEAP_DENSITY 2.0
enum { DR_LAB_HEAP_FIBRES = 14, DR_LAB_HEAP_SEGMENTS = 15 };

// Energy is weighted with the share of an element's volume that is its middle's, a third, where a scene weights it with
// all: a third of these stiffnesses counts.
typedef struct dr_lab_heap_rule {
    double stretch, stiffness; // of fibres along them, and where they touch; against shear a quarter of that
    double angle;              // of friction, in degrees
    double duration, step;
} dr_lab_heap_rule;

typedef struct dr_lab_heap_fibre {
    double middle[2], along[2], length; // along: of length one
} dr_lab_heap_fibre;

dr_lab_heap_fibre dr_lab_heap_draw(int64_t seed, int number);

typedef struct dr_lab_heap {
    double width, height; // root mean square of the places of mass along x; their mean above the floor
} dr_lab_heap;

dr_status dr_lab_heap_fall(dr_lab *lab, const dr_lab_heap_rule *rule, int64_t seed, dr_lab_heap *heap, dr_error *error);

#endif
