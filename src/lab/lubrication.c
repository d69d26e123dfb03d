#include "lab/lubrication.h"

#include <math.h>

enum { CELLS = 150 };

#define THIN 0.02 // of the block's side: what is thinner is not the front

// The flux between two cells, and how stiff it is: flux over the difference of heights.
static double flux(const dr_lab_spreading *block, double left, double right, double dx, double *stiff)
{
    double n = block->shear.index, step = left - right, slope = block->weight * fabs(step) / dx;
    double h = fmax(left, right), sheared = slope > 0.0 ? h - block->shear.yield / slope : 0.0;
    *stiff = 0.0;
    if (!(sheared > 0.0)) return 0.0;
    double q = n / ((n + 1.0) * (2.0 * n + 1.0)) * pow(slope * sheared / block->shear.consistency, 1.0 / n) * sheared *
               ((n + 1.0) * h + n * (h - sheared));
    *stiff = q / fabs(step) * fmax(1.0, 1.0 / n);
    return step > 0.0 ? q : -q;
}

double dr_lab_spreading_front(const dr_lab_spreading *block, double time)
{
    double h[CELLS], q[CELLS + 1] = {0.0}, dx = 1.2 * block->reach / CELLS, passed = 0.0;
    for (int i = 0; i < CELLS; i++) h[i] = block->side * fmin(fmax(block->side / dx - i, 0.0), 1.0);
    while (passed < time) {
        double most = 1e-12;
        for (int i = 1; i < CELLS; i++) {
            double stiff;
            q[i] = flux(block, h[i - 1], h[i], dx, &stiff);
            most = fmax(most, stiff);
        }
        double dt = fmin(0.4 * dx / most, time - passed);
        for (int i = 0; i < CELLS; i++) h[i] += dt / dx * (q[i] - q[i + 1]);
        passed += dt;
    }
    int last = 0;
    for (int i = 0; i < CELLS; i++) last = h[i] > THIN * block->side ? i : last;
    return dx * (last + 1);
}
