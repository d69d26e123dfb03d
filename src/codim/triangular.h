// Directions of a thin element as a rotation times a triangular matrix, G = Q R, and what follows from an energy that
// is a function of R alone. docs/theory/codim.md, section 2.
//   column k of G, Q and P is g[k], q[k], p[k]; r[i][j] is zero below the diagonal
//   r11, r22 > 0 and det Q = +1, so that r33 has the sign of det G and tells a normal that went through its sheet
#ifndef DR_CODIM_TRIANGULAR_H
#define DR_CODIM_TRIANGULAR_H

#include <stdbool.h>

typedef struct dr_triangular {
    double q[3][3];
    double r[3][3];
    bool degenerate; // a direction of the manifold has collapsed and was kept at DR_TRIANGULAR_LEAST
} dr_triangular;

// Stretches below this are taken for it in denominators. Half: forces of an element that is about to vanish are twice
// as large; twice: elements squeezed to 2e-4 of their length count as collapsed.
#define DR_TRIANGULAR_LEAST 1e-4

dr_triangular dr_triangular_split(const double g[3][3]);

// From the derivatives by the entries of the upper triangle (a[i][j], i <= j) the whole of A with P = Q A, in place:
// the lower half follows from the symmetry of P G^T. (2.3)
void dr_triangular_complete(const dr_triangular *t, double a[3][3]);

// p = q a, column by column.
void dr_triangular_turn(const dr_triangular *t, const double a[3][3], double p[3][3]);

// The change of the split for a change of G: omega (the spin of Q, in its own frame) and the upper triangle of dR.
// (2.4)
void dr_triangular_change(const dr_triangular *t, const double dg[3][3], double omega[3][3], double dr[3][3]);

// dP from A, its completed change's upper triangle da, omega and dR. (2.5)
void dr_triangular_complete_change(const dr_triangular *t, const double a[3][3], const double dr[3][3],
                                   double da[3][3]);
void dr_triangular_turn_change(const dr_triangular *t, const double a[3][3], const double omega[3][3],
                               const double da[3][3], double dp[3][3]);

#endif
