// What particles on the grid are made of: stress, energy and strain of a few of them side by side, whatever their
// materials. docs/theory/elastic.md, docs/theory/sand.md.
#include "world/world.h"

#include <assert.h>

static_assert(DR_MATTER_BATCH == DR_COROTATED_BATCH && DR_MATTER_BATCH == DR_PLASTIC_BATCH, "one batch for all");

typedef struct batch {
    const dr_corotated *solid[DR_MATTER_BATCH];
    const dr_plastic *plastic[DR_MATTER_BATCH];
    bool elastic, flows; // any of them
} batch;

static batch look_at(const dr_world *world, size_t first, size_t count)
{
    const uint32_t *body = world->state.particles.body + first;
    batch of = {.elastic = false};
    for (size_t i = 0; i < count; i++) {
        const dr_matter *matter = &world->constants.matter[body[i]];
        of.solid[i] = &matter->solid;
        of.plastic[i] = &matter->plastic;
        of.elastic |= matter->kind == DR_MATERIAL_ELASTIC;
        of.flows |= matter->plastic.law != DR_PLASTIC_NONE;
    }
    return of;
}

void dr_matter_stress(const dr_world *world, size_t first, size_t count, float (*stress)[9])
{
    const dr_particles *particles = &world->state.particles;
    const float *strain = particles->strain + 9 * first;
    batch of = look_at(world, first, count);
    if (of.elastic)
        dr_corotated_batch(of.solid, strain, count, &(dr_corotated_wanted){.stress = stress});
    else
        for (size_t i = 0; i < 9 * count; i++) stress[i / 9][i % 9] = 0.0F;
    if (of.flows) dr_plastic_batch(of.plastic, strain, count, &(dr_plastic_wanted){.stress = stress});
    for (size_t k = 0; k < count; k++) {
        for (int a = 0; a < 9; a++) stress[k][a] *= particles->volume[first + k];
    }
}

void dr_matter_energy(const dr_world *world, size_t first, size_t count, float *energy, float *stiffness)
{
    const float *strain = world->state.particles.strain + 9 * first;
    batch of = look_at(world, first, count);
    for (size_t i = 0; i < count; i++) energy[i] = stiffness[i] = 0.0F;
    if (of.elastic)
        dr_corotated_batch(of.solid, strain, count, &(dr_corotated_wanted){.energy = energy, .stiffness = stiffness});
    if (of.flows)
        dr_plastic_batch(of.plastic, strain, count, &(dr_plastic_wanted){.energy = energy, .stiffness = stiffness});
}

// Dust keeps the strain of the start: it has no stress.
void dr_matter_strain(dr_world *world, size_t first, size_t count, const float (*gradient)[9], float dt)
{
    dr_particles *particles = &world->state.particles;
    float *strain = particles->strain + 9 * first, none[DR_MATTER_BATCH] = {0.0F};
    batch of = look_at(world, first, count);
    for (size_t i = 0; i < count; i++) {
        bool moves = of.solid[i]->mu > 0.0F || of.plastic[i]->law != DR_PLASTIC_NONE;
        if (moves) dr_corotated_move(gradient[i], dt, strain + 9 * i);
    }
    if (of.flows)
        dr_plastic_return(of.plastic, count, dt, strain, particles->dilation ? particles->dilation + first : none);
}
