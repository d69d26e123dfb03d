// Particles come and go: emitters, drains, sides that let matter out. docs/theory/exchange.md.
// An emitter owns a lattice of points that moves with its velocity; a point becomes a particle when it enters the
// shape. So what flows in is the lattice's density times velocity times area, whatever the step, and every volume is
// counted.
#include "world/world.h"
#include "world/tuning.h"

#include "geom/seed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the plan

typedef struct planning {
    dr_world *world;
    const dr_emitter *emitter;
    dr_emitter_state *after;
    double advance; // seconds of lattice motion in this step
    bool filling;   // the beginning: the points are where they were before it moved, and all are taken
    float velocity[3];
    double volume; // of a whole particle
    bool failed, blocked;
} planning;

// Whether all cells that the liquid can see are taken, a full box, or a place has no room for what an emitter brings.
static bool is_full(const planning *plan, const double x[3])
{
    const dr_world *world = plan->world;
    const dr_emitter *emitter = plan->emitter;
    if (dr_matter_set(&world->constants.matter[emitter->matter]) != DR_SET_LIQUID) return false;
    return world->report.volume_bulk + world->planned_volume >= world->cut.open_space ||
           dr_liquid_is_full(&world->liquid, x, emitter->spec.waits || plan->filling);
}

dr_planned *dr_exchange_push(dr_world *world)
{
    if (!dr_memory_reserve(world->allocator, (void **)&world->planned, &world->planned_capacity,
                           world->planned_count + 1, sizeof *world->planned))
        return NULL;
    return &world->planned[world->planned_count++];
}

static float volume_of(const planning *plan, double volume)
{
    bool liquid = plan->world->constants.matter[plan->emitter->matter].kind == DR_MATERIAL_LIQUID;
    return liquid ? dr_state_round(plan->world, volume) : (float)volume;
}

static bool push_planned(planning *plan, const double x[3], double volume)
{
    dr_world *world = plan->world;
    dr_planned *fresh = dr_exchange_push(world);
    if (!fresh) {
        plan->failed = true;
        return false;
    }
    *fresh = (dr_planned){.volume = volume_of(plan, volume), .matter = plan->emitter->matter};
    memcpy(fresh->position, x, sizeof fresh->position);
    memcpy(fresh->velocity, plan->velocity, sizeof fresh->velocity);
    plan->after->emitted_volume += (double)fresh->volume;
    world->planned_volume += (double)fresh->volume;
    return true;
}

// True while more is wanted. The last particle takes what the volume limit leaves.
static bool consider(void *user, const double x[3])
{
    planning *plan = user;
    const dr_emitter_spec *spec = &plan->emitter->spec;
    double before[3], after[3];
    for (int a = 0; a < 3; a++) {
        double way = plan->advance * spec->velocity[a];
        before[a] = plan->filling ? x[a] : x[a] - way;
        after[a] = plan->filling ? x[a] + way : x[a];
    }
    if (!plan->filling && dr_shape_distance(plan->emitter->shape, before, NULL) < 0.0) return true;
    if (dr_collider_set_distance(plan->world->constants.colliders, after, NULL, NULL) < 0.0) return true;
    if (is_full(plan, after)) {
        plan->blocked = plan->blocked || !plan->filling || plan->emitter->spec.waits;
        return true;
    }
    double volume = plan->volume;
    if (spec->volume_limit > 0.0) {
        double left = spec->volume_limit - plan->after->emitted_volume;
        if (left <= DR_WORLD_ROUNDING * plan->volume) return false;
        volume = fmin(volume, left);
    }
    return push_planned(plan, after, volume);
}

static void visit_lattice(planning *plan)
{
    const dr_world *world = plan->world;
    const dr_emitter_spec *spec = &plan->emitter->spec;
    double origin[3];
    for (int a = 0; a < 3; a++) origin[a] = world->grid.origin[a] + spec->velocity[a] * plan->after->travel;
    dr_seed_visit(plan->emitter->shape, world->grid.cell, origin, (int)spec->particles_per_cell, plan->emitter->key,
                  dr_shape_bounds(plan->emitter->shape), consider, plan);
}

// `seconds` of full action are planned, at that share of the full velocity.
static void plan_emitter(planning *plan, double seconds, double share)
{
    const dr_emitter_spec *spec = &plan->emitter->spec;
    double cell = plan->world->grid.cell;
    plan->advance = seconds;
    plan->volume = cell * cell * cell / (double)spec->particles_per_cell;
    for (int a = 0; a < 3; a++) plan->velocity[a] = (float)(share * spec->velocity[a]);
    if (plan->after->travel < 0.0) {
        plan->after->travel = 0.0;
        plan->filling = true;
        visit_lattice(plan);
        plan->filling = false;
    }
    plan->after->travel += seconds;
    if (!plan->failed) visit_lattice(plan);
}

static void warn_full(dr_world *world, int emitter)
{
    dr_report *report = &world->report;
    if (report->warning_count >= DR_REPORT_WARNINGS) return;
    const char *name = world->constants.matter[world->constants.emitters[emitter].matter].name;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0],
             "emitter \"%s\": the space around it is full; it waits", name);
}

// Whether liquid lies within a cell of a side.
static bool lies_at_side(const dr_world *world, int axis, bool low)
{
    const dr_particles *liquid = &world->state.liquid;
    const dr_domain_spec *domain = &world->constants.domain;
    double end = low ? domain->min[axis] : domain->max[axis], x[3];
    for (size_t p = 0; p < liquid->count; p++) {
        dr_grid_position(&world->grid, liquid->key[p], liquid->offset + 3 * p, x);
        if (fabs(x[axis] - end) < domain->cell) return true;
    }
    return false;
}

// Liquid that lies on an open side falls out at once: hardly what was meant.
static void warn_open(dr_world *world)
{
    const dr_domain_spec *domain = &world->constants.domain;
    dr_report *report = &world->report;
    for (int a = 0; a < 3 && report->warning_count < DR_REPORT_WARNINGS; a++) {
        double pull = world->constants.gravity[a];
        bool low = pull < 0.0;
        if (pull == 0.0 || (low ? domain->side_min : domain->side_max)[a] != DR_SIDE_OPEN) continue;
        if (!isfinite(low ? domain->min[a] : domain->max[a]) || !lies_at_side(world, a, low)) continue;
        const char *side = low ? "min" : "max";
        snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0],
                 "liquid lies on the domain's side %c_%s, which is open: it falls out; domain.%c_%s: slip makes a wall",
                 "xyz"[a], side, "xyz"[a], side);
    }
}

static bool make_room(dr_world *world)
{
    size_t most = 0;
    for (int i = 0; i < DR_SET_COUNT; i++) {
        dr_particles *particles = dr_state_set(world, i);
        size_t count = particles->count + world->planned_count;
        if (!dr_particles_reserve(particles, world->allocator, count)) return false;
        if (count > most) most = count;
    }
    return dr_memory_reserve(world->allocator, (void **)&world->leaving, &world->leaving_capacity, most, 1);
}

dr_status dr_exchange_plan(dr_world *world, double end, dr_error *error)
{
    const dr_constants *constants = &world->constants;
    world->planned_count = 0;
    world->planned_volume = 0.0;
    world->report.warning_count = 0;
    if (world->state.step == 0) warn_open(world);
    for (int i = 0; i < constants->emitter_count; i++) {
        world->emitters_after[i] = world->state.emitters.item[i];
        if (world->state.emitters.item[i].off != 0.0) continue;
        const dr_schedule_spec *schedule = &constants->emitters[i].spec.schedule;
        double seconds = dr_schedule_seconds(schedule, world->state.time, end);
        if (seconds <= 0.0) continue;
        planning plan = {.world = world, .emitter = &constants->emitters[i], .after = &world->emitters_after[i]};
        plan_emitter(&plan, seconds, seconds / dr_schedule_active(schedule, world->state.time, end));
        if (plan.failed) return dr_error_memory(error, "planning emission");
        if (plan.blocked) warn_full(world, i);
    }
    dr_film_stage_settle(world, end - world->state.time);
    if (!dr_film_stage_plan(world) || !dr_film_exchange_plan(world) ||
        !dr_film_across_plan(world, end - world->state.time))
        return dr_error_memory(error, "planning drops");
    return make_room(world) ? DR_STATUS_OK : dr_error_memory(error, "making room for emitted particles");
}

// ---- coming

static void append(dr_world *world, const dr_planned *planned)
{
    static const double still[3] = {0};
    const double velocity[3] = {(double)planned->velocity[0], (double)planned->velocity[1],
                                (double)planned->velocity[2]};
    dr_state_add(world, planned->matter, planned->position, velocity, still, (double)planned->volume);
}

void dr_exchange_emit(dr_world *world)
{
    for (size_t i = 0; i < world->planned_count; i++) append(world, &world->planned[i]);
    world->state.emitted += (int64_t)(world->planned_count - world->film.particles);
    for (int i = 0; i < world->constants.emitter_count; i++) world->state.emitters.item[i] = world->emitters_after[i];
}

// ---- going

enum { STAYS, DRAINED, CULLED };

static bool beyond(const dr_domain_spec *domain, const double x[3])
{
    for (int a = 0; a < 3; a++) {
        if (domain->side_min[a] == DR_SIDE_OPEN && x[a] < domain->min[a]) return true;
        if (domain->side_max[a] == DR_SIDE_OPEN && x[a] > domain->max[a]) return true;
    }
    return false;
}

static bool beyond_reach(uint64_t key)
{
    int32_t at[3];
    dr_grid_coordinate(key, at);
    for (int a = 0; a < 3; a++) {
        if (at[a] < -DR_GRID_REACH + DR_GRID_MARGIN || at[a] >= DR_GRID_REACH - DR_GRID_MARGIN) return true;
    }
    return false;
}

static bool drains_now(const dr_world *world, int drain)
{
    return dr_schedule_at(&world->constants.drains[drain].spec.schedule, world->state.time) > 0.0;
}

static int fate(const dr_world *world, const dr_particles *particles, size_t p)
{
    const dr_constants *constants = &world->constants;
    double x[3];
    if (beyond_reach(particles->key[p])) return CULLED;
    dr_grid_position(&world->grid, particles->key[p], particles->offset + 3 * p, x);
    if (constants->domain.cull && beyond(&constants->domain, x)) return CULLED;
    for (int d = 0; d < constants->drain_count; d++) {
        if (drains_now(world, d) && dr_shape_distance(constants->drains[d].shape, x, NULL) < 0.0) return DRAINED;
    }
    return STAYS;
}

// Whether a particle that was in this block before it moved could leave: a look at the block's box, widened by a cell
// more than a step can carry anything.
static bool may_leave(const dr_world *world, const dr_grid *grid, size_t block)
{
    const dr_constants *constants = &world->constants;
    double middle[3], low[3], high[3], half = (0.5 * DR_BLOCK_SIDE + 3.0) * grid->cell;
    for (int a = 0; a < 3; a++) {
        int32_t at = grid->coordinate[3 * block + (size_t)a];
        if (abs(at) > DR_GRID_REACH - 2 * DR_GRID_MARGIN) return true;
        middle[a] = grid->origin[a] + grid->cell * (DR_BLOCK_SIDE * ((double)at + 0.5) + DR_GRID_SHIFT);
        low[a] = middle[a] - half;
        high[a] = middle[a] + half;
    }
    if (constants->domain.cull && (beyond(&constants->domain, low) || beyond(&constants->domain, high))) return true;
    for (int d = 0; d < constants->drain_count; d++) {
        if (drains_now(world, d) && dr_shape_distance(constants->drains[d].shape, middle, NULL) < sqrt(3.0) * half)
            return true;
    }
    return false;
}

typedef struct leaving {
    dr_world *world;
    const dr_particles *particles;
} leaving;

static void mark_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const leaving *job = user;
    dr_world *world = job->world;
    const dr_grid *grid = &world->grid;
    const uint32_t *residents = job->particles->residents.first;
    for (size_t b = begin; b < end; b++) {
        size_t first = residents[b], last = residents[b + 1];
        world->partial[b] = 0.0;
        if (first == last) continue;
        memset(world->leaving + first, STAYS, last - first);
        if (!may_leave(world, grid, b)) continue;
        for (size_t p = first; p < last; p++) {
            world->leaving[p] = (unsigned char)fate(world, job->particles, p);
            if (world->leaving[p] != STAYS) world->partial[b] += 1.0;
        }
    }
}

static void count_out(dr_world *world, const dr_particles *particles)
{
    dr_state *state = &world->state;
    for (size_t p = 0; p < particles->count; p++) {
        if (world->leaving[p] == STAYS) continue;
        bool drained = world->leaving[p] == DRAINED;
        *(drained ? &state->drained : &state->culled) += 1;
        if (world->constants.matter[particles->body[p]].kind == DR_MATERIAL_LIQUID)
            state->drained_volume += (double)particles->volume[p];
    }
}

static void close_gaps(const dr_world *world, dr_particles *particles)
{
    size_t kept = 0;
    const dr_column_table *table = dr_particles_columns(particles);
    for (int i = 0; i < table->count; i++) {
        const dr_column *column = &table->columns[i];
        size_t bytes = dr_column_item_bytes(column);
        char *data = *dr_column_pointer(column, particles);
        kept = 0;
        for (size_t p = 0; p < particles->count; p++) {
            if (world->leaving[p] != STAYS) continue;
            if (kept != p) memcpy(data + kept * bytes, data + p * bytes, bytes);
            kept++;
        }
    }
    particles->count = kept;
}

static void remove_from(dr_world *world, dr_particles *particles)
{
    leaving job = {world, particles};
    double count = 0.0;
    if (particles->count == 0) return;
    dr_par_for(&world->par, world->grid.block_count, 16, mark_blocks, &job);
    for (size_t b = 0; b < world->grid.block_count; b++) count += world->partial[b];
    if (count == 0.0) return;
    count_out(world, particles);
    close_gaps(world, particles);
}

void dr_exchange_remove(dr_world *world)
{
    for (int i = 0; i < DR_SET_COUNT; i++) remove_from(world, dr_state_set(world, i));
}
