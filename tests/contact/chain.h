// Strands for tests of contact: masses in a row joined by springs in every direction, with the exact inverse of their
// system. Stands in for elastic rods.
#ifndef TESTS_CONTACT_CHAIN_H
#define TESTS_CONTACT_CHAIN_H

#include "linear/compliance.h"

#include <stdlib.h>
#include <string.h>

#define CHAIN_MOST 24 // vertices of a strand

typedef struct chains {
    dr_compliance compliance;
    int first[65];
    double x[64 * CHAIN_MOST * 3], v[64 * CHAIN_MOST * 3];
    double inverse[CHAIN_MOST * CHAIN_MOST]; // per axis, the same for all strands and axes
    int length;
    bool held; // the first vertex of every strand
} chains;

static inline void chain_solve(const void *self, int s, int from, double *block)
{
    const chains *c = self;
    int n = c->length;
    double *out = calloc((size_t)n * 32, sizeof *out);
    (void)s;
    for (int i = 0; i < n; i++) {
        for (int j = from; j < n; j++) {
            double g = c->inverse[i * n + j];
            for (int q = 0; q < 24; q++) out[32 * i + q] += g * block[32 * j + q];
        }
    }
    memcpy(block, out, (size_t)n * 32 * sizeof *out);
    free(out);
}

// Inverse of mass 1 each plus springs of that stiffness (times dt^2) between neighbours.
static inline void chain_invert(chains *c, double stiffness)
{
    int n = c->length;
    double a[CHAIN_MOST][2 * CHAIN_MOST] = {{0}};
    for (int i = 0; i < n; i++) {
        a[i][i] += 1.0;
        a[i][n + i] = 1.0;
        if (i + 1 < n) {
            a[i][i] += stiffness;
            a[i + 1][i + 1] += stiffness;
            a[i][i + 1] -= stiffness;
            a[i + 1][i] -= stiffness;
        }
    }
    if (c->held) {
        for (int j = 0; j < n; j++) a[0][j] = a[j][0] = 0.0;
        a[0][0] = 1.0;
        a[0][n] = 0.0;
    }
    for (int p = 0; p < n; p++) {
        double pivot = 1.0 / a[p][p];
        for (int j = 0; j < 2 * n; j++) a[p][j] *= pivot;
        for (int i = 0; i < n; i++) {
            double factor = a[i][p];
            if (i == p || factor == 0.0) continue;
            for (int j = 0; j < 2 * n; j++) a[i][j] -= factor * a[p][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c->inverse[i * n + j] = a[i][n + j];
    }
}

static inline chains *chains_create(int strands, int length, double stiffness, bool held, double dt)
{
    chains *c = calloc(1, sizeof *c);
    c->length = length;
    c->held = held;
    chain_invert(c, stiffness);
    for (int s = 0; s <= strands; s++) c->first[s] = s * length;
    c->compliance = (dr_compliance){
        .strands = strands, .first = c->first, .x = c->x, .v = c->v, .dt = dt, .solve = chain_solve, .self = c};
    return c;
}

#endif
