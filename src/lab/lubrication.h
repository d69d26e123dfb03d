// A block of Herschel-Bulkley liquid that spreads along a floor, thin beside its length: the lubrication equation
// h_t + q_x = 0 by finite volumes. With the stress S y at depth y, S = rho g |h_x|, and Y the sheared part of h,
//   q = n/((n + 1)(2n + 1)) (S/K)^(1/n) Y^(1 + 1/n) ((n + 1) h + n (h - Y)),  Y = h - tau_y/S  (Liu and Mei 1989)
#ifndef DR_LAB_LUBRICATION_H
#define DR_LAB_LUBRICATION_H

#include "lab/thick_material.h"

typedef struct dr_lab_spreading {
    dr_lab_shear shear;
    double weight; // density times gravity, dyn/cm3
    double side;   // of the square block, from a wall on, cm
    double reach;  // how far it will come at most, cm
} dr_lab_spreading;

// How far it has come after a time, cm.
double dr_lab_spreading_front(const dr_lab_spreading *block, double time);

#endif
