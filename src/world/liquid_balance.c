// Which liquid touches nothing, so that its momentum is its own. docs/theory/liquid.md, "Free liquid".
#include "world/world.h"

#include <math.h>

// Cells within so many cells of a solid touch it.
#define TOUCHING 1.0

static const double corner_shift[3] = {0, 0, 0};

// The closed sides near a place, as bits of their axes; a side with grip is firm.
static unsigned touched_sides(const dr_domain_spec *domain, const double x[3], double reach)
{
    unsigned touch = 0;
    for (int side = 0; side < 6; side++) {
        int a = side / 2, kind = side & 1 ? domain->side_max[a] : domain->side_min[a];
        double distance = side & 1 ? domain->max[a] - x[a] : x[a] - domain->min[a];
        if (kind == DR_SIDE_OPEN || kind == DR_SIDE_PERIODIC || distance > reach) continue;
        bool smooth = kind == DR_SIDE_SYMMETRY || (kind != DR_SIDE_STICKY && domain->friction == 0.0);
        touch |= smooth ? 1U << a : (unsigned)DR_TOUCH_FIRM;
    }
    return touch;
}

static void touch_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_liquid *liquid = &world->liquid;
    double reach = TOUCHING * liquid->grid.cell;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            liquid->touch[i] = 0;
            if (!liquid->near_solid[b] || (double)liquid->corner[i] > reach) continue;
            double x[3];
            dr_liquid_place(&liquid->grid, b, n, corner_shift, x);
            liquid->touch[i] = liquid->near_solid[b] & DR_NEAR_COLLIDER
                                   ? DR_TOUCH_FIRM
                                   : (uint8_t)touched_sides(&world->constants.domain, x, 2.0 * reach);
        }
    }
}

bool dr_liquid_balance(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    dr_balance_problem problem = {
        .mass = liquid->mass, .before = liquid->predicted, .least = (float)dr_liquid_least_mass(world)};
    if (liquid->has_solids) {
        dr_par_for(&world->par, liquid->grid.block_count, 32, touch_blocks, world);
        problem.touch = liquid->touch;
    }
    return dr_balance_restore(&liquid->balance, &liquid->grid, &world->par, &problem, liquid->velocity);
}
