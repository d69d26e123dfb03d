// What transfers smooth away of a liquid's velocity is put back, of viscous liquid that walls hold or whose waves show
// its viscosity, or where it is asked for: Van Cittert's deconvolution, one step of it, which is XPIC's of order two.
// docs/theory/transfer.md, "What is lost", eq. (21) to (25).
#include "liquid/liquid_pass.h"

#include "base/number.h"
#include "liquid/tuning.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { SMOOTH = 12 }; // numbers of a particle: velocity, affine matrix

// The share of its height that viscosity takes from a wave in a period, eq. (25); none where nothing drives waves.
static double take_of_viscosity(const dr_liquid *liquid)
{
    const dr_liquid_constants *constants = &liquid->constants;
    double k = 2.0 * DR_PI / (DR_LIQUID_WAVE * liquid->grid->cell), density = constants->density;
    double omega_squared = k * dr_vec3_length(constants->gravity) + k * k * k * constants->surface_tension / density;
    return omega_squared > 0.0 ? 4.0 * DR_PI * k * k * constants->viscosity / density / sqrt(omega_squared) : 0.0;
}

// Of viscous liquid: all where walls hold it, else what its waves ask for.
static double viscous_share(const dr_liquid *liquid)
{
    if (!(liquid->constants.viscosity > 0.0)) return 0.0;
    if (liquid->constants.solids_hold) return 1.0;
    return fmin(fmax(take_of_viscosity(liquid) / DR_LIQUID_WAVE_SEEN - 1.0, 0.0), 1.0);
}

static double asked_share(const dr_liquid *liquid)
{
    const dr_liquid_constants *constants = &liquid->constants;
    if (constants->thick || liquid->transfer.scheme != DR_SCHEME_APIC) return 0.0;
    if (constants->deconvolve == DR_DECONVOLVE_ALWAYS) return 1.0;
    return constants->deconvolve == DR_DECONVOLVE_VISCOUS ? viscous_share(liquid) : 0.0;
}

bool dr_liquid_deconvolves(const dr_liquid *liquid)
{
    return asked_share(liquid) > 0.0;
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

// How much of that: all, but where viscosity takes more of every wave than transfers do, eq. (24).
static double share(const dr_liquid *liquid, double dt)
{
    const dr_liquid_constants *constants = &liquid->constants;
    double cell = liquid->grid->cell, diffusion = constants->viscosity * dt / (constants->density * cell * cell);
    bool even = diffusion > 0.0 && !constants->differ;
    return asked_share(liquid) * (even ? fmin(1.0, DR_PI * DR_PI / 40.0 / diffusion) : 1.0);
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
    sharpening job = {liquid, (float)share(liquid, dt)};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, sharpen_blocks, &job);
}
