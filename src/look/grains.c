#include "look/grains.h"

#include "math/random.h"

#include <math.h>
#include <string.h>

#define MOST_GRAINS 8
#define MOST_BALLS  3000000 // of all grains together: more are too small to be told apart, and take memory
#define FULL        0.74F // of the volume, as balls can be packed: what is scattered lies in each other here and there
static const float tones[] = {1.0F, 0.86F, 1.12F, 0.72F};
enum { TONES = sizeof tones / sizeof *tones };

static size_t count_sand(const dr_studio_balls *balls, const bool *sand)
{
    size_t count = 0;
    for (size_t i = 0; i < balls->count; i++) count += sand[balls->body[i]];
    return count;
}

static dr_paint *mix_tones(const dr_paint *paints, size_t count, dr_arena *arena)
{
    dr_paint *mixed = dr_arena_alloc(arena, TONES * count * sizeof *mixed);
    for (size_t i = 0; mixed && i < TONES * count; i++) {
        mixed[i] = paints[i / TONES];
        mixed[i].colour *= tones[i % TONES];
    }
    return mixed;
}

typedef struct grains {
    float (*position)[3];
    float *radius;
    uint32_t *body;
    size_t count;
} grains;

// Evenly in the cube that is the particle's own.
static void add_grain(grains *all, const dr_studio_balls *balls, size_t i, int each, uint64_t key, int number)
{
    float side = balls->radius[i] * cbrtf(4.0F * 3.14159265F / 3.0F);
    size_t at = all->count++;
    for (int a = 0; a < 3; a++) {
        double away = dr_random_unit(key, (uint64_t)(4 * number + a)) - 0.5;
        all->position[at][a] = balls->position[i][a] + (each > 1 ? side * (float)away : 0.0F);
    }
    double size = 0.75 + 0.5 * dr_random_unit(key, (uint64_t)(4 * number + 3));
    all->radius[at] = each > 1 ? balls->radius[i] * cbrtf(FULL / (float)each) * (float)size : balls->radius[i];
    all->body[at] = TONES * balls->body[i] + (uint32_t)(dr_random_bits(key, (uint64_t)(100 + number)) % TONES);
}

bool dr_grains_scatter(dr_studio_balls *balls, const uint64_t *id, const bool *sand, size_t paint_count,
                       dr_arena *arena)
{
    size_t grainy = count_sand(balls, sand);
    if (grainy == 0) return true;
    size_t room = MOST_BALLS / grainy, each = room < 1 ? 1 : room > MOST_GRAINS ? MOST_GRAINS : room;
    size_t count = balls->count + grainy * (each - 1);
    grains all = {.position = dr_arena_alloc(arena, count * sizeof *all.position),
                  .radius = dr_arena_alloc(arena, count * sizeof *all.radius),
                  .body = dr_arena_alloc(arena, count * sizeof *all.body)};
    dr_paint *mixed = mix_tones(balls->paints, paint_count, arena);
    if (!all.position || !all.radius || !all.body || !mixed) return false;
    for (size_t i = 0; i < balls->count; i++) {
        uint64_t key = dr_random_key(17, id ? id[i] : i);
        if (sand[balls->body[i]]) {
            for (int k = 0; k < (int)each; k++) add_grain(&all, balls, i, (int)each, key, k);
            continue;
        }
        memcpy(all.position[all.count], balls->position[i], sizeof *all.position);
        all.radius[all.count] = balls->radius[i];
        all.body[all.count++] = TONES * balls->body[i];
    }
    *balls = (dr_studio_balls){.count = all.count,
                               .position = (const float(*)[3])all.position,
                               .radius = all.radius,
                               .body = all.body,
                               .paints = mixed};
    return true;
}
