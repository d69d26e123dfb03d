// The velocity that a solid lends to the faces inside it.
// docs/theory/solids.md.
//   corner  [block][64] distance of the solids at a cell's lower corner, cm, negative inside
//   face arrays [block][64][4]: lower x, y, z face of the cell and a spare
#ifndef DR_LIQUID_SOLID_H
#define DR_LIQUID_SOLID_H

#include "grid/grid.h"

// Velocity on faces that are closed: the solid's along the wall's normal; along the wall, friction 0 keeps the liquid's
// own, friction 1 continues it so that it is the solid's on the wall, in between a blend. Faces that are open in part
// take part in the pressure solve and are held before it, where their centre is in the solid; all others are copied.
// friction is one number per face array item [block][64], or NULL for the constant. result may not be velocity.
typedef struct dr_solid_slip {
    const float *corner, *open_area, *solid_velocity; // solid_velocity NULL: at rest
    const float *friction;                            // [block][64], NULL: everywhere the same
    float same_friction;
    const float *mass;    // [block][64][4] faces without any are copied; NULL: none is
    float diffusion;      // viscosity dt / (density h^2), by which faces are held
    bool before_pressure; // only faces that are open in part; else only those that are closed
    const uint8_t *wet;   // [block] 0: no liquid is there or beside, faces are copied; NULL: all are looked at
} dr_solid_slip;

void dr_solid_constrain(const dr_solid_slip *slip, const dr_grid *grid, const dr_par *par, const float *velocity,
                        float *result);

#endif
