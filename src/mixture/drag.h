// Drag of liquid on fibres, as a force per length. docs/theory/strands_in_liquid.md, section 2.
#ifndef DR_MIXTURE_DRAG_H
#define DR_MIXTURE_DRAG_H

// Per length of fibre and relative velocity, g/(cm s).
typedef struct dr_drag {
    double along, across;
} dr_drag;

typedef struct dr_drag_flow {
    double density, viscosity; // of the liquid
    double radius;             // of the fibre
    double share;              // of the volume around it that fibres take, its own among them
    double speed;              // of the liquid relative to the fibre, in the pores
} dr_drag_flow;

// Of one fibre alone: a capsule of fixed slenderness, Renaud's law, eq. (2)-(4). speed: superficial.
dr_drag dr_drag_alone(const dr_drag_flow *flow);

// Of one fibre among aligned ones: Drummond and Tahir's viscous drag and a quadratic part, eq. (5). speed: superficial.
dr_drag dr_drag_array(const dr_drag_flow *flow);

// What a phase of the mixture feels besides the pressure gradient, per relative velocity in the pores, eq. (6).
dr_drag dr_drag_fibre(const dr_drag_flow *flow);

#endif
