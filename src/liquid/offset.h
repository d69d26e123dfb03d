// How far the middle of the liquid around a cell centre lies from it, for a plane of liquid and beside a plane wall:
// one-dimensional integrals of the quadratic B-spline, tabulated. docs/theory/surface.md, eq. (3)-(5) and (7)-(8).
#ifndef DR_LIQUID_OFFSET_H
#define DR_LIQUID_OFFSET_H

#define DR_OFFSET_STEPS 192
#define DR_OFFSET_REACH 1.5F // of the kernel, cells
#define DR_OFFSET_SKIN  1.0F // thickness of a wall's skin, cells

typedef struct dr_offset_table {
    float spacing;                          // of the particles, cells
    float depth[DR_OFFSET_STEPS + 1];       // distance from a plane, by the length 0 .. 1.5 of the offset
    float solid[DR_OFFSET_STEPS + 1];       // by the distance -1.5 .. 1.5 from a wall: kernel inside it,
    float solid_lever[DR_OFFSET_STEPS + 1]; // its first moment into the wall,
    float skin[DR_OFFSET_STEPS + 1];        // the kernel over the wall's skin,
    float lean[DR_OFFSET_STEPS + 1];        // what a surface seems displaced by, per cosine between it and the wall
} dr_offset_table;

// Does nothing where the table is there already.
void dr_offset_make(dr_offset_table *table, float spacing);

// A table over low .. low + span; its ends beyond.
static inline float dr_offset_look_up(const float *table, float x, float low, float span)
{
    float place = (x - low) * ((float)DR_OFFSET_STEPS / span);
    if (!(place > 0.0F)) return table[0];
    if (place >= (float)DR_OFFSET_STEPS) return table[DR_OFFSET_STEPS];
    int i = (int)place;
    return table[i] + (place - (float)i) * (table[i + 1] - table[i]);
}

// By the distance from a wall.
static inline float dr_offset_wall(const float *table, float psi)
{
    return dr_offset_look_up(table, psi, -DR_OFFSET_REACH, 2.0F * DR_OFFSET_REACH);
}

#endif
