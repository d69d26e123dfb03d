// The phases of a face are a star: each solid is tied to the liquid alone. docs/theory/mixture.md, sect. 2 and 3.
//   m, b, V   mass, momentum with forces, volume of a phase       c  drag, impulse per relative velocity
//   s         c / (m + c), what of a phase the liquid carries     G  pressure gradient
// Every velocity is start - slope G.
#include "mixture/mixture.h"

#include <float.h>
#include <math.h>

typedef struct response {
    double start, slope;
} response;

typedef struct pass {
    const dr_mixture *mixture;
    double cell_volume;
    float *flux, *mobility;
    const float *gradient;
    float *liquid, *const *phases;
} pass;

static bool is_present(const dr_phase_faces *phase, size_t f)
{
    return phase->prescribed ? phase->volume[f] > 0.0F : phase->mass[f] >= FLT_MIN;
}

static bool has_phase(const dr_mixture *mixture, size_t f)
{
    for (int i = 0; i < mixture->phase_count; i++) {
        if (is_present(&mixture->phases[i], f)) return true;
    }
    return mixture->members && mixture->members->volume[f] > 0.0F;
}

static double drag_of(const dr_phase_faces *phase, size_t f)
{
    return (double)(phase->drag ? phase->drag[f] : phase->uniform_drag);
}

static double momentum_of(const dr_phase_faces *phase, size_t f, double dt)
{
    return (double)phase->momentum[f] + (phase->force ? dt * (double)phase->force[f] : 0.0);
}

static double liquid_volume(const dr_mixture *mixture, size_t f)
{
    return mixture->liquid_volume ? (double)mixture->liquid_volume[f]
                                  : (double)mixture->liquid_mass[f] / mixture->liquid_density;
}

// The liquid together with what drag of phases makes it carry, eq. (6).
static response respond_liquid(const dr_mixture *mixture, size_t f)
{
    double mass = (double)mixture->liquid_mass[f], own = (double)mixture->liquid_velocity[f];
    double volume = liquid_volume(mixture, f);
    double momentum = mass * own, held = 0.0;
    int holders = 0;
    for (int i = 0; i < mixture->phase_count; i++) {
        const dr_phase_faces *phase = &mixture->phases[i];
        if (!is_present(phase, f)) continue;
        double c = drag_of(phase, f), m = (double)phase->mass[f];
        if (phase->prescribed && isinf(c)) {
            held += (double)phase->prescribed[f];
            holders++;
        } else if (phase->prescribed) {
            mass += c;
            momentum += c * (double)phase->prescribed[f];
        } else {
            double s = isinf(c) ? 1.0 : c / (m + c);
            mass += s * m;
            momentum += s * momentum_of(phase, f, mixture->dt);
            volume += s * (double)phase->volume[f];
        }
    }
    if (holders > 0) return (response){held / holders, 0.0};
    if (mass > 0.0) return (response){momentum / mass, mixture->dt * volume / mass};
    return (response){own, mixture->dt / mixture->liquid_density};
}

// The same with what members do to it.
static response respond_held(const dr_mixture *mixture, size_t f, response free)
{
    const dr_phase_members *all = mixture->members;
    if (!all) return free;
    double left = 1.0 - (double)all->hold[f];
    return (response){left * free.start + (double)all->pull[f], left * free.slope + mixture->dt * (double)all->lift[f]};
}

// A solid phase, given the liquid's answer, eq. (5).
static response respond_phase(const dr_mixture *mixture, const dr_phase_faces *phase, size_t f, response liquid)
{
    double c = drag_of(phase, f), m = (double)phase->mass[f];
    if (phase->prescribed) return (response){(double)phase->prescribed[f], 0.0};
    if (isinf(c)) return liquid;
    return (response){(momentum_of(phase, f, mixture->dt) + c * liquid.start) / (m + c),
                      (mixture->dt * (double)phase->volume[f] + c * liquid.slope) / (m + c)};
}

// As the liquid alone has it.
static float plain_mobility(const dr_mixture *mixture, size_t f)
{
    bool own = mixture->liquid_volume && f % 4 != 3 && mixture->liquid_mass[f] > 0.0F;
    return own ? (float)mixture->dt * mixture->liquid_volume[f] / mixture->liquid_mass[f]
               : (float)(mixture->dt / mixture->liquid_density);
}

// Flux and mobility of the mixture, eq. (8)-(9).
static response respond_mixture(const pass *job, size_t f)
{
    const dr_mixture *mixture = job->mixture;
    response free = respond_liquid(mixture, f), liquid = respond_held(mixture, f, free);
    double volumes = 0.0, flux = 0.0, slope = 0.0;
    bool bodies = false;
    for (int i = 0; i < mixture->phase_count; i++) {
        const dr_phase_faces *phase = &mixture->phases[i];
        if (!is_present(phase, f)) continue;
        bodies = true;
        response own = respond_phase(mixture, phase, f, liquid);
        double volume = (double)phase->volume[f];
        volumes += volume;
        flux += volume * (own.start - liquid.start);
        slope += volume * (own.slope - liquid.slope);
    }
    if (mixture->members) {
        const dr_phase_members *all = mixture->members;
        double volume = (double)all->volume[f], follow = (double)all->follow[f];
        volumes += volume;
        flux += (double)all->flux[f] + follow * free.start - volume * liquid.start;
        slope += mixture->dt * (double)all->mobility[f] + follow * free.slope - volume * liquid.slope;
    }
    bool by_volume = mixture->by_volume && (bodies || !mixture->members);
    double scale = by_volume ? 1.0 / (liquid_volume(mixture, f) + volumes)
                             : dr_fraction_scale(volumes, job->cell_volume, mixture->most);
    return (response){liquid.start + scale * flux, liquid.slope + scale * slope};
}

static void eliminate_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_mixture *mixture = job->mixture;
    for (size_t f = begin * 4 * DR_BLOCK_NODES; f < end * 4 * DR_BLOCK_NODES; f++) {
        if (f % 4 != 3 && has_phase(mixture, f)) {
            response mixed = respond_mixture(job, f);
            job->flux[f] = (float)mixed.start;
            job->mobility[f] = (float)mixed.slope;
        } else {
            job->flux[f] = mixture->liquid_velocity[f];
            job->mobility[f] = plain_mobility(mixture, f);
        }
    }
}

void dr_mixture_eliminate(const dr_mixture *mixture, const dr_par *par, float *flux, float *mobility)
{
    double cell = mixture->grid->cell;
    pass job = {.mixture = mixture, .cell_volume = cell * cell * cell, .flux = flux, .mobility = mobility};
    dr_par_for(par, mixture->grid->block_count, 32, eliminate_blocks, &job);
}

static float move(response phase, float gradient)
{
    return (float)(phase.start - phase.slope * (double)gradient);
}

static void correct_face(const pass *job, size_t f)
{
    const dr_mixture *mixture = job->mixture;
    float gradient = job->gradient[f];
    bool mixed = f % 4 != 3 && has_phase(mixture, f);
    response liquid = mixed ? respond_liquid(mixture, f) : (response){0.0, 0.0};
    for (int i = 0; i < mixture->phase_count; i++) {
        const dr_phase_faces *phase = &mixture->phases[i];
        bool present = mixed && is_present(phase, f);
        if (!job->phases[i]) continue;
        response held = respond_held(mixture, f, liquid);
        job->phases[i][f] = present ? move(respond_phase(mixture, phase, f, held), gradient) : 0.0F;
    }
    job->liquid[f] =
        mixed ? move(liquid, gradient) : mixture->liquid_velocity[f] - plain_mobility(mixture, f) * gradient;
}

static void correct_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t f = begin * 4 * DR_BLOCK_NODES; f < end * 4 * DR_BLOCK_NODES; f++) correct_face(user, f);
}

void dr_mixture_correct(const dr_mixture *mixture, const dr_par *par, const float *gradient, float *liquid,
                        float *const *phases)
{
    pass job = {.mixture = mixture, .gradient = gradient, .liquid = liquid, .phases = phases};
    dr_par_for(par, mixture->grid->block_count, 32, correct_blocks, &job);
}
