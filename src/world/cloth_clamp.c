// Sheets some of whose triangles are held by all three corners: clamps. Such triangles do not bend and give their
// normal to their edges; once the hold lets go they bend as all others. docs/theory/bending.md, eq. (11).
#include "world/world.h"

#include <math.h>

enum { NOT_HELD = -1 };

// The hold that carries the whole triangle as a rigid body; NOT_HELD: none does.
static int carrier_of(const dr_world *world, const uint32_t *corner, const int32_t *group_of)
{
    int32_t group = group_of[corner[0]];
    if (group == NOT_HELD || group_of[corner[1]] != group || group_of[corner[2]] != group) return NOT_HELD;
    int collider = world->cloth.thin[DR_THIN_CLOTH].groups[group].collider;
    return collider >= 0 && dr_collider_set_deforms(world->constants.colliders, collider) ? NOT_HELD : group;
}

static double end_of(const dr_world *world, const uint32_t *corner, const int32_t *group_of)
{
    int group = carrier_of(world, corner, group_of);
    return group == NOT_HELD ? -INFINITY : world->cloth.thin[DR_THIN_CLOTH].groups[group].until;
}

// The next time after `time` at which a clamp lets go.
static double next_end(const dr_world *world, const dr_bending_sheet *rest, const int32_t *group_of, double time)
{
    double next = INFINITY;
    for (size_t t = 0; t < rest->triangle_count; t++) {
        double end = end_of(world, rest->triangle + 3 * t, group_of);
        if (end > time && end < next) next = end;
    }
    return next;
}

static bool add_phase(dr_world *world, dr_cloth_bend *bend, dr_bending_sheet *rest, double until)
{
    if (!dr_memory_reserve(world->allocator, (void **)&bend->phases, &bend->phase_capacity,
                           (size_t)bend->phase_count + 1, sizeof *bend->phases))
        return false;
    dr_cloth_phase *phase = &bend->phases[bend->phase_count];
    *phase = (dr_cloth_phase){.until = until};
    if (!dr_bending_open(&phase->bending, rest, world->allocator)) return false;
    bend->phase_count++;
    return true;
}

bool dr_cloth_clamp_open(dr_world *world, dr_cloth_bend *bend, dr_bending_sheet *rest, const int32_t *group_of,
                         dr_arena *scratch)
{
    uint8_t *clamped = dr_arena_alloc(scratch, rest->triangle_count + 1);
    if (!clamped) return false;
    double until = -INFINITY;
    rest->clamped = clamped;
    do {
        until = next_end(world, rest, group_of, until);
        for (size_t t = 0; t < rest->triangle_count; t++)
            clamped[t] = end_of(world, rest->triangle + 3 * t, group_of) >= until;
        if (!add_phase(world, bend, rest, until)) return false;
    } while (until < DR_UNBOUNDED);
    rest->clamped = NULL;
    bend->bending = bend->phases[0].bending;
    return true;
}

// Which phase it is depends on the time alone, so that a state that is restored bends as it did.
void dr_cloth_clamp_choose(dr_world *world)
{
    for (int i = 0; i < world->cloth.bend_count; i++) {
        dr_cloth_bend *bend = &world->cloth.bends[i];
        int phase = 0;
        while (!(world->state.time < bend->phases[phase].until) && phase + 1 < bend->phase_count) phase++;
        if (phase == bend->phase) continue;
        bend->phases[bend->phase].bending = bend->bending;
        bend->bending = bend->phases[phase].bending;
        bend->phase = phase;
        bend->known = false;
    }
}

void dr_cloth_clamp_close(dr_world *world, dr_cloth_bend *bend)
{
    for (int i = 0; i < bend->phase_count; i++) dr_bending_close(&bend->phases[i].bending);
    dr_memory_free(world->allocator, bend->phases, bend->phase_capacity * sizeof *bend->phases);
}
