// What the cases of rods share: one strand in an ordinary scene, its vertices at every output, how fast a shape grows.
// Times are in units of T = L^2 sqrt(mass per length / B), the rod's own.
#ifndef DR_LAB_ROD_H
#define DR_LAB_ROD_H

#include "lab/lab.h"

typedef struct dr_lab_rod {
    double length, radius, density, youngs_modulus;
    double c_over_b; // twisting over bending stiffness
} dr_lab_rod;

double dr_lab_rod_bending(const dr_lab_rod *rod);               // B, dyn cm2
double dr_lab_rod_time(const dr_lab_rod *rod);                  // T, s
double dr_lab_rod_gravity(const dr_lab_rod *rod, double gamma); // the acceleration at which w L^3 / B is gamma

typedef struct dr_lab_rod_run {
    const char *title, *part;
    const char *strand;     // keys of the scene's strand
    const char *integrator; // of the scene; NULL: the usual one
    double gravity;         // along -y, cm/s2
    double damping;         // share of the critical one of a wave of wave length L, about
    double step;            // in T
    int64_t steps;
    int64_t frames; // outputs; 0: every step
} dr_lab_rod_run;

// Vertices at every output.
typedef struct dr_lab_rod_record {
    int frames, vertices, room;
    double step; // between outputs, s
    double *x;   // [frame][vertex][3]
} dr_lab_rod_record;

dr_status dr_lab_rod_watch(dr_lab *lab, const dr_lab_rod *rod, const dr_lab_rod_run *run, dr_lab_rod_record *record,
                           dr_error *error);
void dr_lab_rod_forget(dr_lab_rod_record *record);
const double *dr_lab_rod_vertex(const dr_lab_rod_record *record, int frame, int vertex); // negative: from the end

// The square of the rate at which displacements along the axes (bits: x 1, y 2, z 4) grow, negative where they swing:
// exact for one mode under implicit Euler, x_(n+1) - 2 x_n + x_(n-1) = rate dt^2 x_(n+1). Outputs must be all steps;
// those where the displacement of the start exceeds `largest` are left out. In 1/s2.
double dr_lab_rod_growth(const dr_lab_rod_record *record, int axes, double largest);

// The parameter at which `rate` passes through zero: upwards from `start` in steps of a third until it is positive,
// then by regula falsi to a thousandth.
typedef dr_status (*dr_lab_rod_rate)(void *user, double parameter, double *rate, dr_error *error);
dr_status dr_lab_rod_search(dr_lab_rod_rate rate, void *user, double start, double *critical, dr_error *error);

// Shapes of Euler's elastica, clamped horizontally: theta'' = -(weight (1 - s) + load) cos theta, theta(0) = 0,
// theta'(1) = 0. Reach and drop of the tip over the length.
void dr_lab_rod_elastica(double weight, double load, double *reach, double *drop);

#endif
