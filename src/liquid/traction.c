// A strain pulls its faces together: what it gives to one it takes from the other, and a solid's faces get their part
// as the liquid's do. docs/theory/viscosity.md, (5): M (u - u*) = -G^T q, and -G^T q of a face in a solid is its
// impulse.
#include "liquid/traction.h"

#include "grid/halo.h"
#include "liquid/strain_parts.h"

typedef struct spot {
    const dr_strain *strain;
    size_t block;
    int at[3]; // cell
    double impulse[3];
    bool found;
} spot;

// Whether the lower face across `axis` of a cell, `below` one of the block's own along an axis, is solved for.
static bool is_free(const spot *spot, int axis, int along, int step)
{
    int at[3] = {spot->at[0], spot->at[1], spot->at[2]};
    at[along] += step;
    int64_t item = dr_halo_find(spot->strain->grid, spot->block, at[0], at[1], at[2]);
    if (item < 0) return true; // nothing is there
    size_t block = (size_t)item / CELLS, cell = (size_t)item % CELLS;
    return spot->strain->inverse[(block * FACES + (size_t)axis) * CELLS + cell] > 0.0;
}

// Gives an impulse along `axis` to the face at a step `along` an axis, where that is a solid's.
static void give(spot *spot, int axis, int along, int step, double impulse)
{
    if (impulse == 0.0 || is_free(spot, axis, along, step)) return;
    spot->impulse[axis] += impulse;
    spot->found = true;
}

static void tell(spot *spot, const double shift[3], double volume, dr_traction_visit visit, void *user)
{
    double place[3];
    if (!spot->found) return;
    for (int a = 0; a < 3; a++) {
        place[a] = spot->at[a] + shift[a];
        spot->impulse[a] *= volume;
    }
    visit(user, place, spot->impulse);
    *spot = (struct spot){spot->strain, spot->block, {spot->at[0], spot->at[1], spot->at[2]}, {0}, false};
}

static void visit_cell(spot *spot, int cell, double volume, dr_traction_visit visit, void *user)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    const double *stress = spot->strain->stress + spot->block * STRESSES * CELLS + cell;
    for (int a = 0; a < 3; a++) {
        give(spot, a, a, 0, stress[a * CELLS]);
        give(spot, a, a, 1, -stress[a * CELLS]);
    }
    tell(spot, middle, volume, visit, user);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, e = (a + 2) % 3;
        double shift[3] = {0, 0, 0}, p = stress[(3 + 2 * a) * CELLS], q = stress[(4 + 2 * a) * CELLS];
        shift[a] = 0.5;
        give(spot, b, e, 0, -p);
        give(spot, b, e, -1, p);
        give(spot, e, b, 0, -q);
        give(spot, e, b, -1, q);
        tell(spot, shift, volume, visit, user);
    }
}

void dr_traction_block(const dr_strain *strain, size_t block, dr_traction_visit visit, void *user)
{
    double h = strain->grid->cell;
    if (!(strain->busy[block] & DR_STRAIN_BEARS)) return;
    for (int c = 0; c < CELLS; c++) {
        spot spot = {strain, block, {c >> 4, c >> 2 & 3, c & 3}, {0}, false};
        visit_cell(&spot, c, h * h * h, visit, user);
    }
}
