// The liquid's surface where it meets a wall. docs/theory/surface.md, eq. (7).
//   psi  distance from the wall in cells, positive outside     n   unit vector away from it
#include "liquid/wall.h"

#include "grid/halo.h"

#include <math.h>

#define FEW 1e-6F // cells of volume: nothing there

bool dr_wall_load(const dr_grid *grid, size_t block, const float *solid, float least, float corner[DR_WALL_CORNERS])
{
    float scale = 1.0F / (float)grid->cell, lowest = least;
    for (int i = 0; i < DR_WALL_CORNERS; i++) {
        int x = i / (DR_WALL_SIDE * DR_WALL_SIDE), y = i / DR_WALL_SIDE % DR_WALL_SIDE, z = i % DR_WALL_SIDE;
        corner[i] = scale * solid[dr_halo_find(grid, block, x, y, z)];
        lowest = fminf(lowest, corner[i]);
    }
    return lowest < least;
}

// A particle lies in the cell one above floor(offset).
float dr_wall_distance(const float corner[DR_WALL_CORNERS], const float offset[3])
{
    int base[3];
    float t[3], row[4];
    for (int a = 0; a < 3; a++) {
        base[a] = (int)offset[a];
        t[a] = offset[a] - (float)base[a];
    }
    const float *low = corner + ((base[0] + 1) * DR_WALL_SIDE + base[1] + 1) * DR_WALL_SIDE + base[2] + 1;
    for (int r = 0; r < 4; r++) {
        const float *at = low + (r >> 1) * DR_WALL_SIDE * DR_WALL_SIDE + (r & 1) * DR_WALL_SIDE;
        row[r] = at[0] + t[2] * (at[1] - at[0]);
    }
    float front = row[0] + t[1] * (row[1] - row[0]), back = row[2] + t[1] * (row[3] - row[2]);
    return front + t[0] * (back - front);
}

float dr_wall_slope(const float *corner, int at, float slope[3])
{
    float mean = 0.0F;
    slope[0] = slope[1] = slope[2] = 0.0F;
    for (int i = 0; i < 8; i++) {
        float psi = 0.125F * corner[at + (i >> 2) * DR_HALO_X + (i >> 1 & 1) * DR_HALO_Y + (i & 1)];
        mean += psi;
        for (int a = 0; a < 3; a++) slope[a] += 2.0F * (i >> (2 - a) & 1 ? psi : -psi);
    }
    return mean;
}

float dr_wall_at(const float *corner, int at, float normal[3])
{
    float mean = dr_wall_slope(corner, at, normal), length = 0.0F;
    for (int a = 0; a < 3; a++) length += normal[a] * normal[a];
    length = sqrtf(length);
    for (int a = 0; a < 3; a++) normal[a] = length > 0.0F ? normal[a] / length : 0.0F;
    return mean;
}

void dr_wall_fill(const dr_offset_table *table, float psi, const float normal[3], const float skin[4], float m[4])
{
    float room = dr_offset_wall(table->skin, psi);
    if (room < FEW || skin[0] < FEW) return;
    float solid = dr_offset_wall(table->solid, psi), lever = dr_offset_wall(table->solid_lever, psi);
    float wet = fminf(skin[0] / room, 1.0F), stretch = wet * solid / skin[0], along = 0.0F;
    for (int a = 0; a < 3; a++) along += skin[1 + a] * normal[a];
    m[0] += wet * solid;
    for (int a = 0; a < 3; a++) m[1 + a] += stretch * (skin[1 + a] - along * normal[a]) - wet * lever * normal[a];
}
