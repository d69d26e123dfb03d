// Drops that leave films: planned while the step is tried, done when it is committed. docs/theory/film.md, eq.
// (17)-(19).
#include "world/film_parts.h"

#include "base/number.h"
#include "film/constants.h"
#include "film/drip.h"
#include "math/random.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- drops

static bool push_loss(dr_world *world, int strand, size_t vertex, int liquid, double volume)
{
    dr_film_stage *stage = &world->film;
    if (!(volume > 0.0)) return true;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->losses, &stage->loss_capacity, stage->loss_count + 1,
                           sizeof *stage->losses))
        return false;
    stage->losses[stage->loss_count++] = (dr_film_loss){strand, (int32_t)vertex, liquid, volume};
    return true;
}

static double particle_volume(const dr_world *world)
{
    double cell = world->constants.domain.cell;
    return cell * cell * cell / (double)(world->constants.liquid.per_cell > 1 ? world->constants.liquid.per_cell : 8);
}

// Of a ball, evenly: three numbers between 0 and 1.
static void place_in_ball(double radius, const double random[3], double out[3])
{
    double r = radius * cbrt(random[0]), z = 2.0 * random[1] - 1.0, around = 2.0 * DR_PI * random[2];
    double level = r * sqrt(fmax(0.0, 1.0 - z * z));
    dr_vec3_set(out, level * cos(around), level * sin(around), r * z);
}

// What a vertex keeps of its film when a drop leaves.
static double kept_volume(const dr_world *world, const dr_film_drop *drop, size_t v)
{
    const dr_film_stage *stage = &world->film;
    double volume = stage->after.volume[v];
    for (size_t k = drop->loss; k < drop->loss + drop->losses; k++)
        volume -= (size_t)stage->losses[k].vertex == v ? stage->losses[k].volume : 0.0;
    return fmax(0.0, volume);
}

// How far below the strand the film that stays reaches, over the width of a drop.
static double reach_of_film(const dr_world *world, const dr_film_drop *drop, double radius)
{
    double down[3];
    dr_vec3_normalize(down, world->film.apparent + 3 * (size_t)drop->vertex, (double[3]){0.0, 0.0, 0.0});
    dr_film_host host = dr_film_stage_host(world, drop->strand);
    size_t first = (size_t)world->state.strands.first[drop->strand];
    const double *at = host.position + 3 * ((size_t)drop->vertex - first);
    double most = 0.0;
    for (int v = 0; v < host.count; v++) {
        double away[3], side[3];
        dr_vec3_sub(away, host.position + 3 * (size_t)v, at);
        double deeper = dr_vec3_dot(away, down);
        dr_vec3_add_scaled(side, away, -deeper, down);
        if (dr_vec3_length(side) > radius || fabs(deeper) > radius) continue;
        double volume = kept_volume(world, drop, first + (size_t)v);
        double height = host.radius[v] + dr_film_height(volume, dr_film_cell(&host, v), host.radius[v]);
        most = fmax(most, deeper + height);
    }
    return most;
}

// Where a particle of a drop appears: within the drop's own ball, which hangs below the film.
static void place_particle(const dr_world *world, const dr_film_drop *drop, double volume, double reach, size_t index,
                           double x[3])
{
    size_t v = (size_t)drop->vertex;
    const double *at = dr_strand_solver_position(world->strands.solver) + 3 * v;
    double radius = cbrt(0.75 * volume / DR_PI), down[3], away[3] = {0}, random[3];
    uint64_t key = dr_world_random_key(world, DR_KEY_DROPS, drop->vertex);
    dr_vec3_normalize(down, world->film.apparent + 3 * v, (double[3]){0.0, 0.0, 0.0});
    for (int a = 0; a < 3; a++)
        random[a] = dr_random_unit(key, 3 * ((uint64_t)world->state.step * 64 + index) + (uint64_t)a);
    if (drop->particles > 1) place_in_ball(radius, random, away);
    for (int a = 0; a < 3; a++) x[a] = at[a] + (radius + reach) * down[a] + away[a];
    if (dr_collider_set_distance(world->constants.colliders, x, NULL, NULL) < 0.0) dr_vec3_copy(x, at);
}

// What drops of a liquid on a strand become; -1: they are drained.
static int matter_of_drop(const dr_world *world, int s, int liquid)
{
    const dr_strand_kind *kind = dr_film_kind(world, s);
    if (kind->drops < 0 || !kind->law.liquids || liquid == kind->law.liquid) return kind->drops;
    return world->constants.film_matter[liquid];
}

// A drop's particles have whole volumes in single precision; the first vertex gives the rounding. Nothing becomes of a
// drop whose vertex has no more.
static bool push_particles(dr_world *world, dr_film_drop *drop, double volume)
{
    dr_film_stage *stage = &world->film;
    int matter = matter_of_drop(world, drop->strand, stage->losses[drop->loss].liquid);
    double whole = 0.0, quantum = dr_state_quantum(world);
    drop->particle = world->planned_count;
    drop->particles = 0;
    if (matter < 0) return true;
    drop->particles = (size_t)fmax(1.0, ceil(volume / particle_volume(world)));
    double reach = reach_of_film(world, drop, cbrt(0.75 * volume / DR_PI));
    for (size_t i = 0; i < drop->particles; i++) {
        dr_planned *fresh = dr_exchange_push(world);
        if (!fresh) return false;
        *fresh = (dr_planned){.volume = (float)(quantum * floor(volume / (double)drop->particles / quantum)),
                              .matter = (uint32_t)matter};
        place_particle(world, drop, volume, reach, i, fresh->position);
        whole += (double)fresh->volume;
    }
    world->planned_volume += whole;
    stage->particles += drop->particles;
    size_t most = drop->loss; // the loss that can best bear the rounding
    for (size_t k = drop->loss; k < drop->loss + drop->losses; k++) {
        if (stage->losses[k].volume > stage->losses[most].volume) most = k;
    }
    stage->losses[most].volume += whole - volume;
    return true;
}

static bool push_drop(dr_world *world, int s, int32_t vertex, size_t first_loss, double volume)
{
    dr_film_stage *stage = &world->film;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->drops, &stage->drop_capacity, stage->drop_count + 1,
                           sizeof *stage->drops))
        return false;
    dr_film_drop *drop = &stage->drops[stage->drop_count++];
    *drop = (dr_film_drop){.strand = s, .vertex = vertex, .loss = first_loss, .losses = stage->loss_count - first_loss};
    return push_particles(world, drop, volume);
}

// What vertices [from, from + count) of a strand let go becomes a drop: of every liquid its own, as there is of it; of
// which there is less than the least drop stays. (32)
static bool let_drop(dr_world *world, int s, int32_t vertex, int from, int count, const double *gives, double least)
{
    dr_film_stage *stage = &world->film;
    dr_film film = dr_film_stage_film(world, &stage->after, s);
    size_t first = (size_t)world->state.strands.first[s];
    for (int k = 0; k < dr_film_liquid_count(&film); k++) {
        size_t loss = stage->loss_count;
        double sum = 0.0;
        for (int i = 0; i < count; i++) {
            double all = film.volume[from + i];
            double part =
                film.mix && all > 0.0 ? gives[i] * fmin(1.0, dr_film_of_liquid(&film, from + i, k) / all) : gives[i];
            if (!push_loss(world, s, first + (size_t)(from + i), k, part)) return false;
            if (part > 0.0) sum += part;
        }
        if (stage->loss_count == loss) continue;
        if (film.mix && sum < least)
            stage->loss_count = loss;
        else if (!push_drop(world, s, vertex, loss, sum))
            return false;
    }
    return true;
}

// What neighbouring vertices give is one drop, as long as the reach of what one place holds.
static bool gather_drop(dr_world *world, int s, const dr_film_host *host, double least, int *from, double *gives)
{
    dr_film_stage *stage = &world->film;
    size_t first = (size_t)world->state.strands.first[s];
    const double *apparent = stage->apparent + 3 * (first + (size_t)*from);
    double reach, length = 0.0, sum = 0.0;
    dr_film film = dr_film_stage_film(world, &stage->after, s);
    dr_film_law law = dr_film_law_at(&film, &dr_film_kind(world, s)->law, *from);
    double held = dr_film_hold(&law, host->radius[*from], host->company[*from], dr_vec3_length(apparent), &reach);
    least = dr_film_least_excess(held, least);
    int end = *from, begin = *from;
    for (; end < host->count && gives[end] > 0.0 && length <= 2.0 * reach; end++) {
        gives[end] *= 1.0 - DR_FILM_SLACK;
        sum += gives[end];
        length += dr_film_cell(host, end);
    }
    *from = end;
    if (!(sum >= least)) return true;
    int32_t middle = (int32_t)(first + (size_t)((begin + end) / 2));
    return let_drop(world, s, middle, begin, end - begin, gives + begin, least);
}

// Where there is more than is held by the least drop, all that is more leaves. room: of the strand.
static bool drip_along(dr_world *world, int s, const dr_film_host *host, double least, double *room)
{
    size_t first = (size_t)world->state.strands.first[s], count = (size_t)host->count;
    const double *apparent = world->film.apparent + 3 * first;
    double *volume = room, *excess = room + count, *gives = room + 2 * count;
    dr_film film = dr_film_stage_film(world, &world->film.after, s);
    memcpy(volume, world->film.after.volume + first, count * sizeof *volume);
    memset(gives, 0, count * sizeof *gives);
    for (int pass = 0; pass < DR_FILM_PASSES; pass++) {
        double beyond = pass == 0 ? least : DR_FILM_NEAR * least;
        if (!dr_film_overflow(&film, &dr_film_kind(world, s)->law, host, volume, apparent, beyond, excess)) break;
        for (size_t v = 0; v < count; v++) {
            volume[v] -= excess[v];
            gives[v] += excess[v];
        }
    }
    for (int v = 0; v < host->count;) {
        if (!(gives[v] > 0.0))
            v++;
        else if (!gather_drop(world, s, host, least, &v, gives))
            return false;
    }
    return true;
}

static double total_of(const dr_world *world, int s)
{
    const dr_strands *strands = &world->state.strands;
    double total = 0.0;
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++)
        total += world->film.after.volume[v];
    return total;
}

static double least_drop(const dr_world *world, int s, double total)
{
    double least = dr_film_kind(world, s)->drops >= 0 ? DR_FILM_QUARTER * particle_volume(world) : 0.0;
    return fmax(least, DR_FILM_LEAST * total);
}

// What drops feel, and which strands have more along them than they hold.
static void survey_strands(void *user, size_t begin, size_t end, int thread)
{
    dr_world *world = user;
    dr_film_stage *stage = &world->film;
    for (size_t s = begin; s < end; s++) {
        const dr_strand_kind *kind = dr_film_kind(world, (int)s);
        size_t first = (size_t)world->state.strands.first[s];
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, &stage->after, (int)s);
        double total = total_of(world, (int)s), *apparent = stage->apparent + 3 * first;
        stage->total[s] = total;
        stage->drips[s] = false;
        if (kind->spec.film_drips == DR_FILM_DRIPS_NONE) continue;
        for (size_t k = 0; k < 3 * (size_t)host.count; k++)
            apparent[k] = stage->pull[3 * first + k] - world->state.film.felt[3 * first + k];
        if (!(total > 0.0) || kind->spec.film_drips != DR_FILM_DRIPS_ALL || kind->law.still) continue;
        stage->drips[s] =
            dr_film_overflow(&film, &kind->law, &host, stage->after.volume + first, apparent,
                             least_drop(world, (int)s, total), stage->room + stage->room_size * (size_t)thread);
    }
}

static bool drip(dr_world *world, int s)
{
    dr_film_stage *stage = &world->film;
    if (!stage->drips[s]) return true;
    dr_film_host host = dr_film_stage_host(world, s);
    return drip_along(world, s, &host, least_drop(world, s, stage->total[s]), stage->room);
}

// ---- at tips

static bool push_tip(dr_world *world, int32_t s, int32_t v)
{
    dr_film_stage *stage = &world->film;
    if (!(stage->after.volume[v] > 0.0)) return true;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->tips, &stage->tip_capacity, stage->tip_count + 1,
                           sizeof *stage->tips))
        return false;
    stage->tips[stage->tip_count++] = (dr_film_tip){0, s, v};
    return true;
}

static int by_root(const void *a, const void *b)
{
    const dr_film_tip *p = a, *q = b;
    if (p->root != q->root) return p->root < q->root ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool are_in_order(const dr_film_tip *tips, size_t count)
{
    size_t i = 1;
    while (i < count && by_root(&tips[i - 1], &tips[i]) <= 0) i++;
    return i >= count;
}

static bool gather_tips(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_film_stage *stage = &world->film;
    stage->tip_count = 0;
    for (int32_t s = 0; s < strands->count; s++) {
        dr_film_host host = dr_film_stage_host(world, s);
        if (dr_film_kind(world, s)->spec.film_drips == DR_FILM_DRIPS_NONE) continue;
        if (host.free_end[0] && !push_tip(world, s, strands->first[s])) return false;
        if (host.free_end[1] && !push_tip(world, s, strands->first[s + 1] - 1)) return false;
    }
    for (size_t i = 0; i < stage->tip_count; i++) { // what the vertex beside it touches, the drop does
        int32_t v = stage->tips[i].vertex, first = strands->first[stage->tips[i].strand];
        dr_film_bundle_join(world, v, v == first ? v + 1 : v - 1);
    }
    for (size_t i = 0; i < stage->tip_count; i++)
        stage->tips[i].root = dr_film_bundle_root(world, stage->tips[i].vertex);
    if (!are_in_order(stage->tips, stage->tip_count))
        qsort(stage->tips, stage->tip_count, sizeof *stage->tips, by_root);
    return true;
}

// Whether a tip hangs on the same drop as another: in one cluster, of one liquid or mixture, which becomes the same.
static bool is_shared(const dr_world *world, const dr_film_tip *a, const dr_film_tip *b)
{
    const dr_strand_kind *p = dr_film_kind(world, a->strand), *q = dr_film_kind(world, b->strand);
    return a->root == b->root && p->drops == q->drops && p->law.liquid == q->law.liquid &&
           p->law.density == q->law.density && p->law.liquids == q->law.liquids;
}

// What tips that hang together have, and the drop that leaves: as large as their one surface holds, where it holds none
// all that there is. A little is left for the rounding of particles.
typedef struct hanging {
    const dr_film_tip *tips, *fullest;
    size_t count;
    double volume, usable, least, drop;
} hanging;

static hanging hang(const dr_world *world, const dr_film_tip *tips, size_t count)
{
    const dr_film_stage *stage = &world->film;
    hanging all = {.tips = tips, .fullest = tips, .count = count};
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        const dr_film_tip *tip = &tips[i];
        all.volume += stage->after.volume[tip->vertex];
        all.least = fmax(all.least, least_drop(world, tip->strand, stage->total[tip->strand]));
        squares += stage->radius[tip->vertex] * stage->radius[tip->vertex];
        if (stage->after.volume[tip->vertex] > stage->after.volume[all.fullest->vertex]) all.fullest = tip;
    }
    int32_t s = all.fullest->strand, v = all.fullest->vertex;
    dr_film film = dr_film_stage_film(world, &stage->after, s);
    dr_film_law law = dr_film_law_at(&film, &dr_film_kind(world, s)->law, v - world->state.strands.first[s]);
    double radius = count > 1 ? sqrt(squares) : stage->radius[v];
    all.usable = all.volume * (1.0 - DR_FILM_SLACK);
    all.drop = dr_film_tip_drop(&law, radius, dr_vec3_length(stage->apparent + 3 * (size_t)v), all.least);
    if (all.drop <= all.least && all.usable > all.least) all.drop = all.usable;
    return all;
}

// One drop of every liquid that there is, each tip giving as it has.
static bool let_go(dr_world *world, const hanging *all)
{
    dr_film_stage *stage = &world->film;
    int liquids = 1;
    for (int k = 0; k < liquids; k++) {
        size_t loss = stage->loss_count;
        double sum = 0.0;
        bool mixed = false;
        for (size_t i = 0; i < all->count; i++) {
            const dr_film_tip *tip = &all->tips[i];
            dr_film film = dr_film_stage_film(world, &stage->after, tip->strand);
            int own = tip->vertex - world->state.strands.first[tip->strand];
            double has = film.volume[own], part = all->count > 1 ? all->drop * has / all->volume : all->drop;
            if (film.mix && has > 0.0) part *= fmin(1.0, dr_film_of_liquid(&film, own, k) / has);
            liquids = dr_film_liquid_count(&film);
            mixed = film.mix != NULL;
            if (!push_loss(world, tip->strand, (size_t)tip->vertex, k, part)) return false;
            if (part > 0.0) sum += part;
        }
        if (stage->loss_count == loss) continue;
        if (mixed && sum < all->least)
            stage->loss_count = loss;
        else if (!push_drop(world, all->fullest->strand, all->fullest->vertex, loss, sum))
            return false;
    }
    return true;
}

// Drops from free ends, one after the other; ends that share one surface hang on the same drop, as one of all their
// sections: N of them hold sqrt N times what one does. (17)
static bool drip_tips(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    if (!gather_tips(world)) return false;
    for (size_t i = 0, end; i < stage->tip_count; i = end) {
        for (end = i + 1; end < stage->tip_count && is_shared(world, &stage->tips[i], &stage->tips[end]);) end++;
        hanging all = hang(world, stage->tips + i, end - i);
        for (double taken = all.drop; all.drop > 0.0 && taken <= all.usable; taken += all.drop) {
            if (!let_go(world, &all)) return false;
        }
    }
    return true;
}

bool dr_film_stage_plan(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    stage->loss_count = stage->drop_count = stage->particles = 0;
    if (!dr_film_is_there(world)) return true;
    if (!dr_film_bundle_find(world)) return false;
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, survey_strands, world);
    for (int s = 0; s < world->state.strands.count; s++) {
        if (!drip(world, s)) return false;
    }
    return drip_tips(world);
}

// A drop takes its momentum along; what single precision cannot say of it stays with the strand.
void dr_film_drip_release(dr_world *world, const dr_film_drop *drop)
{
    dr_film_stage *stage = &world->film;
    const dr_strand_kind *kind = dr_film_kind(world, drop->strand);
    dr_film film = dr_film_stage_film(world, &stage->after, drop->strand);
    int liquid = stage->losses[drop->loss].liquid; // one and the same of all losses of a drop
    double momentum[3] = {0.0, 0.0, 0.0}, volume = 0.0, density = dr_film_liquid_density(&film, &kind->law, liquid);
    for (size_t k = drop->loss; k < drop->loss + drop->losses; k++) {
        const dr_film_loss *loss = &stage->losses[k];
        int own = loss->vertex - world->state.strands.first[loss->strand];
        dr_film_host host = dr_film_stage_host(world, loss->strand);
        dr_film from = dr_film_stage_film(world, &stage->after, loss->strand);
        double part[3];
        volume += dr_film_take(&from, &dr_film_kind(world, loss->strand)->law, &host, own, liquid, loss->volume, part);
        dr_vec3_add(momentum, momentum, part);
    }
    if (drop->particles == 0) {
        world->state.drained_volume += volume;
        return;
    }
    for (size_t i = drop->particle; i < drop->particle + drop->particles; i++) {
        dr_planned *planned = &world->planned[i];
        double mass = (double)(float)((double)planned->volume * density);
        for (int a = 0; a < 3; a++) {
            planned->velocity[a] = (float)(momentum[a] / (density * volume));
            stage->after.impulse[3 * (size_t)drop->vertex + (size_t)a] -= mass * (double)planned->velocity[a];
        }
    }
    dr_vec3_add(stage->after.impulse + 3 * (size_t)drop->vertex, stage->after.impulse + 3 * (size_t)drop->vertex,
                momentum);
}
