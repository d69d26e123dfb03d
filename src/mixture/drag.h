// Drag of liquid on fibres, as a force per length. docs/theory/strands_in_liquid.md, section 2.
#ifndef DR_MIXTURE_DRAG_H
#define DR_MIXTURE_DRAG_H

// Per length of fibre and relative velocity, g/(cm s).
typedef struct dr_drag {
    double along, across;
} dr_drag;

typedef struct dr_drag_flow {
    double density, viscosity; // of the liquid
    // Of a thick liquid, which has no viscosity: stress is yield + consistency rate^index; index 0: Newtonian.
    double yield, consistency, index;
    double radius; // of the fibre
    double share;  // of the volume around it that fibres take, its own among them
    double speed;  // of the liquid relative to the fibre, in the pores
} dr_drag_flow;

// Of one fibre alone: a capsule of fixed slenderness, Renaud's law, eq. (2)-(4). speed: superficial.
dr_drag dr_drag_alone(const dr_drag_flow *flow);

// Of one fibre among aligned ones: Drummond and Tahir's viscous drag and a quadratic part, eq. (5). speed: superficial.
dr_drag dr_drag_array(const dr_drag_flow *flow);

// Of one fibre in thick liquid, among others by the share of pores, per relative velocity in them: Renaud, Mauret and
// Chhabra's drag coefficient at the capsule of fixed slenderness, Di Felice's power. eq. (17)-(20).
dr_drag dr_drag_thick(const dr_drag_flow *flow);

// The drag coefficient of a body in thick liquid; surface: over the area that is projected. eq. (18)
double dr_drag_coefficient(double reynolds, double index, double surface);

// What a phase of the mixture feels besides the pressure gradient, per relative velocity in the pores, eq. (6).
dr_drag dr_drag_fibre(const dr_drag_flow *flow);

#endif
