// One contact: the impulse that Coulomb's law asks for. docs/theory/contact.md, "One contact".
// Vectors of three are in the contact's frame: normal, then two tangents.
#ifndef DR_CONTACT_CONE_H
#define DR_CONTACT_CONE_H

typedef enum dr_cone_state { DR_CONE_OPEN, DR_CONE_STICK, DR_CONE_SLIDE } dr_cone_state;

// Finds r with v = W r + b such that: r = 0 and v_N >= 0; or r in the cone and v = 0; or r on its surface, v_N = 0 and
// v_T against r_T. W symmetric positive definite, six numbers NN, N1, N2, 11, 12, 22.
dr_cone_state dr_cone_solve(const double w[6], const double b[3], double friction, double r[3]);

// W made ready for many right-hand sides.
typedef struct dr_cone {
    double inverse;   // of W_NN
    double normal[2]; // W_NT along the axes
    double give[2];   // compliance along the axes that is left when the normal impulse is eliminated
    double axis[2];   // the first axis in the tangents of the frame; the second is a right angle on
} dr_cone;

dr_cone dr_cone_prepare(const double w[6]);

// The same from the slip of a problem like this one (alpha of eq. (9); 0: not known), which becomes that of this one
// where it slides. Where the known one is near, r is on the surface of the cone, and right to the square of how near.
dr_cone_state dr_cone_solve_from(const dr_cone *cone, const double b[3], double friction, double *slip, double r[3]);

// How far (r, v) is from Coulomb's law, in units of velocity: the Fischer-Burmeister function of second-order cones.
// `scale` is an impulse's worth of velocity (a third of the trace of W).
double dr_cone_residual(const double r[3], const double v[3], double friction, double scale);

#endif
