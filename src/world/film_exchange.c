// Liquid between strands' films and the bulk: where a strand passes the surface it takes liquid along up to a height,
// where it is submerged its film goes back. docs/theory/film.md, "Bulk liquid". Planned while the step is tried, done
// when it is committed. A particle's volume is a float: what it hands over is the exact difference of its volumes.
#include "world/film_parts.h"

#include "film/constants.h"

#include <math.h>
#include <string.h>

#define HANDOVERS 32 // of a piece of work

// The distance of the liquid's surface in a cell, cm. False where the grid has none.
static bool cell_distance(const dr_world *world, const int64_t cell[3], double *distance)
{
    int32_t at[3];
    int item = 0;
    for (int a = 0; a < 3; a++) {
        at[a] = (int32_t)(cell[a] >> 2);
        item = item * DR_BLOCK_SIDE + (int)(cell[a] & 3);
    }
    int32_t block = dr_grid_find(&world->grid, at);
    if (block >= 0) *distance = (double)world->liquid.surface.distance[(size_t)block * DR_BLOCK_NODES + (size_t)item];
    return block >= 0;
}

// The distance of the liquid's surface at a place, cm, linear between the middles of cells that there are; large where
// there is none.
static double distance_at(const dr_world *world, const double x[3])
{
    const dr_grid *grid = &world->grid;
    int64_t low[3];
    double part[3], sum = 0.0, all = 0.0;
    for (int a = 0; a < 3; a++) {
        double middle = (x[a] - grid->origin[a]) / grid->cell - 0.5;
        low[a] = (int64_t)floor(middle);
        part[a] = middle - floor(middle);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1.0, distance;
        int64_t cell[3];
        for (int a = 0; a < 3; a++) {
            int up = corner >> a & 1;
            cell[a] = low[a] + up;
            weight *= up ? part[a] : 1.0 - part[a];
        }
        if (weight == 0.0 || !cell_distance(world, cell, &distance)) continue;
        sum += weight * distance;
        all += weight;
    }
    return all > 0.0 ? sum / all : INFINITY;
}

// Whether a strand can take and give liquid of a particle: that of its film, or one that mixes with it; liquid: that
// one alone, -1: any.
static bool fits(const dr_world *world, const dr_strand_kind *kind, size_t p, int liquid)
{
    const dr_matter *matter = &world->constants.matter[world->state.liquid.body[p]];
    if (!world->state.film.mix || !kind->law.liquids) return matter->density == kind->law.density;
    return liquid < 0 ? matter->liquid >= 0 : matter->liquid == liquid;
}

// The nearest particle that fits in the block of a place, -1: none is near.
static int64_t find_particle(const dr_world *world, const double x[3], const dr_strand_kind *kind, int wanted)
{
    const dr_particles *liquid = &world->state.liquid;
    uint64_t key;
    float offset[3];
    int32_t at[3];
    int64_t best = -1;
    float nearest = (float)(DR_FILM_REACH * DR_FILM_REACH);
    dr_grid_place(&world->grid, x, &key, offset);
    dr_grid_coordinate(key, at);
    int32_t block = dr_grid_find(&world->grid, at);
    if (block < 0) return -1;
    for (uint32_t p = liquid->residents.first[block]; p < liquid->residents.first[block + 1]; p++) {
        float squared = 0.0F;
        for (size_t a = 0; a < 3; a++) {
            float way = liquid->offset[3 * (size_t)p + a] - offset[a];
            squared += way * way;
        }
        if (!(squared < nearest) || !fits(world, kind, p, wanted)) continue;
        nearest = squared;
        best = (int64_t)p;
    }
    return best;
}

// The height up to which a strand takes liquid along at vertex v.
static double capture_height(const dr_strand_kind *kind, const dr_film_host *host, int v)
{
    double height = kind->spec.film_capture;
    return height == DR_FILM_CAPTURE_MATERIAL ? (kind->capture_ratio - 1.0) * host->radius[v] : height;
}

// What vertex v would like to take (positive) or give, cm3. Between the surface, s = 0, and the depth of the layer in
// which it passes, s = 1, it has at least 4 s (1 - s) of what it takes along, and at most (1 - s)/s of what that layer
// would hold around it. Both change with the depth as slowly as that does: a surface that ripples moves little. (35)
static double wish_of(const dr_world *world, const dr_strand_kind *kind, const dr_film_host *host, int v, double volume)
{
    double depth = -distance_at(world, host->position + 3 * (size_t)v), cell = dr_film_cell(host, v);
    if (!(depth > 0.0)) return 0.0;
    double height = capture_height(kind, host, v), r = host->radius[v];
    double layer = fmax(DR_FILM_PASS * world->grid.cell, r + height), under = fmin(1.0, depth / layer);
    double least = 4.0 * under * (1.0 - under) * dr_film_volume(height, cell, r);
    double most = (1.0 - under) / under * dr_film_volume(layer, cell, r);
    return volume < least ? least - volume : volume > most ? most - volume : 0.0;
}

// What vertex v takes comes from the nearest particle, whatever liquid that is; what it gives goes to its own. Writes
// as many handovers as most_of says.
static void plan_vertex(const dr_world *world, int s, const dr_film_host *host, int v, dr_film_handover *out)
{
    const dr_strand_kind *kind = dr_film_kind(world, s);
    int32_t at = world->state.strands.first[s] + v;
    const dr_film_wish *wish = &world->film.wishes[at];
    dr_film film = dr_film_stage_film(world, &world->film.after, s);
    if (wish->volume > 0.0 || !film.mix) {
        int liquid = film.mix ? world->constants.matter[world->state.liquid.body[wish->particle]].liquid : 0;
        *out = (dr_film_handover){s, at, liquid, (uint32_t)wish->particle, wish->volume};
        return;
    }
    double share = fmin(1.0, -wish->volume / film.volume[v]);
    for (int k = 0; k < dr_film_liquid_count(&film); k++) {
        double volume = share * dr_film_of_liquid(&film, v, k);
        int64_t particle = volume > 0.0 ? find_particle(world, host->position + 3 * (size_t)v, kind, k) : -1;
        out[k] = (dr_film_handover){s, at, k, (uint32_t)particle, particle >= 0 ? -volume : 0.0};
    }
}

// Handovers that come of the wish of a vertex, at most.
static size_t most_of(const dr_film_wish *wish, const dr_film *film)
{
    if (wish->volume == 0.0) return 0;
    if (wish->volume > 0.0 || !film->mix) return wish->particle >= 0;
    return (size_t)dr_film_liquid_count(film);
}

// What vertices wish, the particle that is nearest to those that wish anything, and how many handovers come of it.
static void wish_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    double quantum = dr_state_quantum(world); // particles neither give nor take less
    for (size_t s = begin; s < end; s++) {
        const dr_strand_kind *kind = dr_film_kind(world, (int)s);
        size_t first = (size_t)world->state.strands.first[s];
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, &world->film.after, (int)s);
        world->film.handed[s] = 0;
        for (int v = 0; v < host.count; v++) {
            dr_film_wish *wish = &world->film.wishes[first + (size_t)v];
            wish->volume = wish_of(world, kind, &host, v, world->film.after.volume[first + (size_t)v]);
            if (fabs(wish->volume) < quantum) wish->volume = 0.0;
            wish->particle =
                wish->volume != 0.0 ? find_particle(world, host.position + 3 * (size_t)v, kind, -1) : INT64_C(-1);
            world->film.handed[s] += most_of(wish, &film);
        }
    }
}

static void plan_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    for (size_t s = begin; s < end; s++) {
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, &world->film.after, (int)s);
        const dr_film_wish *wishes = world->film.wishes + world->state.strands.first[s];
        dr_film_handover *to = world->film.handovers + world->film.handed[s];
        for (int v = 0; v < host.count; v++) {
            size_t most = most_of(&wishes[v], &film);
            if (most > 0) plan_vertex(world, (int)s, &host, v, to);
            to += most;
        }
    }
}

// Handovers of one strand, and those of one particle, are done in their order: one waits for the last of either. All of
// one rank may be done at once.
static void rank_handovers(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    size_t particles = world->state.liquid.count;
    if (particles > 0) memset(stage->particle_rank, 0, particles * sizeof *stage->particle_rank);
    stage->ranks = 0;
    for (size_t s = 0; s < (size_t)world->state.strands.count; s++) {
        uint32_t own = 0;
        for (size_t k = stage->handed[s]; k < stage->handed[s + 1]; k++) {
            const dr_film_handover *one = &stage->handovers[k];
            if (one->volume == 0.0) continue;
            uint32_t *other = &stage->particle_rank[one->particle];
            stage->rank[k] = *other > own ? *other : own;
            own = *other = stage->rank[k] + 1;
            if (own > stage->ranks) stage->ranks = own;
        }
    }
}

static void sort_handovers(dr_film_stage *stage)
{
    size_t *first = stage->rank_first;
    memset(first, 0, (stage->ranks + 2) * sizeof *first);
    for (size_t k = 0; k < stage->handover_count; k++) {
        if (stage->handovers[k].volume != 0.0) first[stage->rank[k] + 2]++;
    }
    for (size_t r = 2; r < stage->ranks + 2; r++) first[r] += first[r - 1];
    for (size_t k = 0; k < stage->handover_count; k++) {
        if (stage->handovers[k].volume != 0.0) stage->by_rank[first[stage->rank[k] + 1]++] = (uint32_t)k;
    }
}

static bool reserve(dr_world *world, size_t handovers)
{
    dr_film_stage *stage = &world->film;
    const dr_allocator *a = world->allocator;
    return dr_memory_reserve(a, (void **)&stage->handovers, &stage->handover_capacity, handovers,
                             sizeof *stage->handovers) &&
           dr_memory_reserve(a, (void **)&stage->rank, &stage->rank_capacity, handovers, sizeof *stage->rank) &&
           dr_memory_reserve(a, (void **)&stage->by_rank, &stage->by_rank_capacity, handovers,
                             sizeof *stage->by_rank) &&
           dr_memory_reserve(a, (void **)&stage->rank_first, &stage->rank_first_capacity, handovers + 2,
                             sizeof *stage->rank_first) &&
           dr_memory_reserve(a, (void **)&stage->particle_rank, &stage->particle_rank_capacity,
                             world->state.liquid.count, sizeof *stage->particle_rank);
}

bool dr_film_exchange_plan(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    size_t strands = (size_t)world->state.strands.count;
    stage->handover_count = stage->ranks = 0;
    if (world->state.film.vertices == 0 || !world->constants.has_liquid) return true;
    dr_par_for(&world->par, strands, DR_FILM_GRAIN, wish_strands, world);
    for (size_t s = 0; s < strands; s++) {
        size_t own = stage->handed[s];
        stage->handed[s] = stage->handover_count;
        stage->handover_count += own;
    }
    stage->handed[strands] = stage->handover_count;
    if (stage->handover_count == 0) return true;
    if (!reserve(world, stage->handover_count)) return false;
    dr_par_for(&world->par, strands, DR_FILM_GRAIN, plan_strands, world);
    rank_handovers(world);
    sort_handovers(stage);
    return true;
}

// ---- at the commit

// A particle with another volume; what of its momentum it had to give or take is told.
static void resize(dr_particles *liquid, size_t p, float volume, const double change[3], double momentum[3])
{
    double before = (double)liquid->mass[p];
    float mass = (float)(before * ((double)volume / (double)liquid->volume[p]));
    for (size_t a = 0; a < 3; a++) {
        float *u = &liquid->velocity[3 * p + a];
        double own = before * (double)*u;
        if (change) *u = (float)((own + change[a]) / (double)mass);
        momentum[a] = own - (double)mass * (double)*u;
    }
    liquid->volume[p] = volume;
    liquid->mass[p] = mass;
}

static void give_rest(dr_film_stage *stage, size_t v, const double rest[3])
{
    for (size_t a = 0; a < 3; a++) stage->after.impulse[3 * v + a] += rest[a];
}

// From a particle to the film.
static void capture(dr_world *world, const dr_film_handover *one, const dr_film_law *law, dr_film *film,
                    const dr_film_host *host, int v)
{
    dr_particles *liquid = &world->state.liquid;
    size_t p = one->particle;
    double had = (double)liquid->volume[p], momentum[3], velocity[3], rest[3];
    double quantum = dr_state_quantum(world);
    float left = (float)(quantum * ceil((had - fmin(one->volume, DR_FILM_SIP * had)) / quantum));
    double volume = had - (double)left;
    if (!(volume > 0.0)) return;
    for (size_t a = 0; a < 3; a++) velocity[a] = (double)liquid->velocity[3 * p + a];
    resize(liquid, p, left, NULL, momentum);
    dr_film_add(film, law, host, v, one->liquid, volume, velocity);
    double mass = dr_film_liquid_density(film, law, one->liquid) * volume;
    for (int a = 0; a < 3; a++) rest[a] = momentum[a] - mass * velocity[a];
    give_rest(&world->film, (size_t)one->vertex, rest);
}

// From the film to a particle; what single precision cannot say stays with the strand.
static void give_back(dr_world *world, const dr_film_handover *one, const dr_film_law *law, dr_film *film,
                      const dr_film_host *host, int v)
{
    dr_particles *liquid = &world->state.liquid;
    size_t p = one->particle;
    double had = (double)liquid->volume[p], given[3], got[3], rest[3];
    double quantum = dr_state_quantum(world);
    float whole = (float)(had + quantum * floor(fmin(-one->volume, dr_film_of_liquid(film, v, one->liquid)) / quantum));
    double volume = dr_film_take(film, law, host, v, one->liquid, (double)whole - had, given);
    if (volume != (double)whole - had) { // no such particle: the film has it back
        double velocity[3] = {0}, density = dr_film_liquid_density(film, law, one->liquid);
        for (int a = 0; a < 3 && volume > 0.0; a++) velocity[a] = given[a] / (density * volume);
        if (volume > 0.0) dr_film_add(film, law, host, v, one->liquid, volume, velocity);
        return;
    }
    resize(liquid, p, whole, given, got); // got: less what it received
    for (int a = 0; a < 3; a++) rest[a] = given[a] + got[a];
    give_rest(&world->film, (size_t)one->vertex, rest);
}

typedef struct handing {
    dr_world *world;
    const uint32_t *which; // handovers of one rank
} handing;

static void hand_over(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const handing *job = user;
    dr_world *world = job->world;
    dr_film_stage *stage = &world->film;
    for (size_t i = begin; i < end; i++) {
        const dr_film_handover *one = &stage->handovers[job->which[i]];
        size_t first = (size_t)world->state.strands.first[one->strand];
        dr_film_host host = dr_film_stage_host(world, one->strand);
        dr_film film = dr_film_stage_film(world, &stage->after, one->strand);
        const dr_film_law *law = &dr_film_kind(world, one->strand)->law;
        if (one->volume > 0.0)
            capture(world, one, law, &film, &host, one->vertex - (int32_t)first);
        else
            give_back(world, one, law, &film, &host, one->vertex - (int32_t)first);
    }
}

void dr_film_exchange_commit(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    for (size_t r = 0; r < stage->ranks; r++) {
        handing job = {world, stage->by_rank + stage->rank_first[r]};
        dr_par_for(&world->par, stage->rank_first[r + 1] - stage->rank_first[r], HANDOVERS, hand_over, &job);
    }
    stage->handover_count = stage->ranks = 0;
}
