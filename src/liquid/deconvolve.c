// What transfers smooth away of a liquid's velocity is put back, of viscous liquid that walls hold or where it is asked
// for: Van Cittert's deconvolution, one step of
// it, which is XPIC's of order two. docs/theory/transfer.md, "What is lost", eq. (21) to (24).
#include "liquid/liquid_pass.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { SMOOTH = 12 }; // numbers of a particle: velocity, affine matrix

bool dr_liquid_deconvolves(const dr_liquid *liquid)
{
    const dr_liquid_constants *constants = &liquid->constants;
    bool held = constants->solids_hold && constants->viscosity > 0.0;
    bool asked = constants->deconvolve == DR_DECONVOLVE_ALWAYS || (constants->deconvolve == DR_DECONVOLVE_HELD && held);
    return asked && !constants->thick && liquid->transfer.scheme == DR_SCHEME_APIC;
}

bool dr_liquid_deconvolve_reserve(dr_liquid *liquid)
{
    return !dr_liquid_deconvolves(liquid) ||
           dr_memory_reserve(liquid->allocator, (void **)&liquid->smooth, &liquid->smooth_capacity,
                             liquid->particles->count, SMOOTH * sizeof *liquid->smooth);
}

void dr_liquid_deconvolve_free(dr_liquid *liquid)
{
    dr_memory_free(liquid->allocator, liquid->smooth, liquid->smooth_capacity * SMOOTH * sizeof *liquid->smooth);
}

static float *smooth_affine(const dr_liquid *liquid)
{
    return liquid->smooth + 3 * liquid->particles->count;
}

// Particles lie in the order of blocks.
static void keep_samples(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    const dr_liquid *liquid = user;
    for (size_t i = 0; i < count; i++) memcpy(liquid->smooth + 3 * (first + i), value[i], 3 * sizeof(float));
    memcpy(smooth_affine(liquid) + 9 * first, gradient, 9 * count * sizeof(float));
}

// How much of it: all, but where viscosity takes more of every wave than transfers do, eq. (24).
static float share(const dr_liquid *liquid, double dt)
{
    const dr_liquid_constants *constants = &liquid->constants;
    double cell = liquid->grid->cell, diffusion = constants->viscosity * dt / (constants->density * cell * cell);
    bool even = diffusion > 0.0 && !constants->differ;
    return even ? (float)fmin(1.0, DR_PI * DR_PI / 40.0 / diffusion) : 1.0F;
}

typedef struct sharpening {
    dr_liquid *liquid;
    float share;
} sharpening;

static void sharpen_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sharpening *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        bool known = liquid->known[i / 4] >> (i % 4) & 1;
        if (known) liquid->velocity[i] += job->share * (liquid->velocity[i] - liquid->result[i] / liquid->mass[i]);
    }
}

void dr_liquid_deconvolve(dr_liquid *liquid, double dt)
{
    dr_particles smooth = *liquid->particles;
    const dr_transfer_visit visit = {
        .places = dr_transfer_particle_places(liquid->particles), .call = keep_samples, .user = liquid};
    dr_transfer_visit_faces(&liquid->transfer, liquid->grid, liquid->par, &visit, liquid->velocity);
    smooth.velocity = liquid->smooth;
    smooth.affine = smooth_affine(liquid);
    dr_transfer_to_faces(&liquid->transfer, liquid->grid, liquid->par, &smooth, liquid->mass, liquid->result);
    sharpening job = {liquid, share(liquid, dt)};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, sharpen_blocks, &job);
}
