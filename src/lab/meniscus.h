// Liquid between two parallel fibres, from the picture alone: arcs that meet the fibres at the contact angle, area by
// quadrature, forces as differences of energy. Shares nothing with src/bridge, so that each can judge the other.
// docs/theory/bridges.md. Lengths are in radii of the fibres, energies and forces per length in surface tensions.
#ifndef DR_LAB_MENISCUS_H
#define DR_LAB_MENISCUS_H

typedef struct dr_lab_meniscus {
    double area, energy;
} dr_lab_meniscus;

// half: of the distance between the axes; alpha: angle up to which the fibres are wetted.
dr_lab_meniscus dr_lab_meniscus_draw(double half, double contact_angle, double alpha);

// E_dry - E + A dE/dA: zero for a column that is in equilibrium with its ends.
double dr_lab_meniscus_surplus(double half, double contact_angle, double alpha);

// The wetted angle between low and high at which the area is that.
double dr_lab_meniscus_angle(double half, double contact_angle, double area, double low, double high);

// Attraction at that area; alpha: about the wetted angle, within a half of it either way.
double dr_lab_meniscus_force(double half, double contact_angle, double alpha, double area);

#endif
