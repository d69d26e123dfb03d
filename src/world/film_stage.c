// docs/theory/film.md, "In the step".
#include "world/world.h"

#include "base/error.h"
#include "base/number.h"
#include "film/drip.h"
#include "film/turn.h"
#include "math/random.h"
#include "math/vec.h"
#include "strand/scalar.h"

#include <math.h>
#include <string.h>

#define GRAIN 16 // strands of a piece of work
#define CHUNK 64 // strands of a sum: fixed, so that sums do not depend on the number of threads
// Edges that liquid passes in a step, weighed by its share of what moves. Half: twice the steps; twice: heavy films on
// light strands shake them.
#define EDGES        0.25
#define FAR          2.0  // times that, and the step is tried again, shorter
#define PASSES       32   // of what is more than a strand holds; what is left goes in the next step
#define SMALL        0.1  // of the least drop: so near to what is held it comes
#define SLACK        1e-6 // of a drop, that stays for the rounding of particles
#define LEAST_EXCESS 1e-9 // of a strand's film: less is no drop, where particles do not say what is
#define QUARTER      0.25 // of a particle: the least drop

// ---- which liquid, and how much of it

bool dr_film_is_liquid(const dr_scene *scene, const char *name)
{
    const dr_material_spec *material = dr_scene_material(scene, name);
    return material && material->kind == DR_MATERIAL_LIQUID;
}

// The first liquid that a body or emitter is made of; name: the first of that name. NULL: there is none.
static const char *find_liquid(const dr_scene *scene, const char *name)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    for (int i = 0; i < spec->bodies.count + spec->emitters.count; i++) {
        const char *found = i < spec->bodies.count ? spec->bodies.items[i].material
                                                   : spec->emitters.items[i - spec->bodies.count].material;
        if (found && dr_film_is_liquid(scene, found) && (!name || strcmp(found, name) == 0)) return found;
    }
    return NULL;
}

const char *dr_film_liquid(const dr_scene *scene, const dr_strands_spec *spec)
{
    if (strcmp(spec->film_material, "auto") != 0) return spec->film_material;
    const char *found = find_liquid(scene, NULL);
    return found ? found : "water";
}

double dr_film_capture(const dr_scene *scene, const dr_strands_spec *spec)
{
    if (spec->film_capture != DR_FILM_CAPTURE_MATERIAL) return spec->film_capture;
    const dr_material_spec *own = dr_scene_material(scene, spec->material);
    bool takes = own && own->kind == DR_MATERIAL_HAIR && own->capture_ratio > 1.0 && spec->contact != DR_MEET_GRID;
    return takes && find_liquid(scene, dr_film_liquid(scene, spec)) ? DR_FILM_CAPTURE_MATERIAL : 0.0;
}

dr_film_law dr_film_stage_law(const dr_strands_spec *spec, const dr_material_spec *film)
{
    dr_rheology liquid;
    dr_rheology_compile(film, &liquid);
    dr_film_law law = {.density = film->density,
                       .viscosity = liquid.viscosity,
                       .surface_tension = film->surface_tension,
                       .slip = spec->film_slip,
                       .hoop = spec->film_beads,
                       .transport = spec->film_transport,
                       .still = !spec->film_flow};
    if (!(liquid.shear_modulus > 0.0)) return law;
    law.thick = true;
    law.viscosity = 0.0;
    law.yield = dr_rheology_shear_of_yield(liquid.yield);
    law.consistency = dr_rheology_shear_of_consistency(liquid.consistency, liquid.index);
    law.index = liquid.index;
    law.shear_modulus = spec->film_elastic ? liquid.shear_modulus : 0.0;
    law.plastic = (dr_viscoplastic){liquid.yield, liquid.consistency, liquid.index};
    return law;
}

int dr_film_stage_liquid(dr_world *world, const dr_material_spec *material)
{
    dr_constants *constants = &world->constants;
    dr_film_liquids *liquids = &constants->film_liquids;
    dr_rheology law;
    if (material->kind != DR_MATERIAL_LIQUID || !dr_rheology_compile(material, &law) || law.shear_modulus > 0.0)
        return -1;
    for (int k = 0; k < liquids->count; k++) {
        if (strcmp(constants->film_names[k], material->name) == 0) return k;
    }
    const char *name = dr_arena_copy(&constants->arena, material->name, strlen(material->name));
    if (liquids->count == DR_FILM_LIQUIDS || !name) return -1;
    constants->film_names[liquids->count] = name;
    constants->film_matter[liquids->count] = -1;
    liquids->density[liquids->count] = material->density;
    liquids->viscosity[liquids->count] = law.viscosity;
    liquids->surface_tension[liquids->count] = material->surface_tension;
    return liquids->count++;
}

dr_film dr_film_stage_film(const dr_world *world, const dr_film *all, int s)
{
    dr_film film = dr_film_of(all, (size_t)world->state.strands.first[s]);
    if (!world->constants.strand_kinds[world->state.strands.body[s]].law.liquids) film.mix = NULL;
    return film;
}

bool dr_film_stage_thick(const dr_world *world)
{
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        if (world->constants.strand_kinds[k].law.thick) return true;
    }
    return false;
}

static const dr_strand_kind *kind_of(const dr_world *world, int s)
{
    return &world->constants.strand_kinds[world->state.strands.body[s]];
}

static bool has_film(const dr_world *world)
{
    return world->state.film.vertices > 0;
}

dr_film_host dr_film_stage_host(const dr_world *world, int s)
{
    const dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    const unsigned char *held = strands->held + first;
    int count = dr_strands_size(strands, s);
    return (dr_film_host){.count = count,
                          .position = strands->position + 3 * first,
                          .velocity = strands->velocity + 3 * first,
                          .mass = strands->mass + first,
                          .spin = strands->spin + first,
                          .radius = world->film.radius + first,
                          .pull = world->film.pull + 3 * first,
                          .acceleration = strands->acceleration + 3 * first,
                          .gravity = world->constants.gravity,
                          .held = held,
                          .bridged = world->film.bridged + first,
                          .borne = world->strand_liquid.wet ? world->film.borne + first : NULL,
                          .free_end = {!(held[0] & DR_STRAND_HELD), !(held[count - 1] & DR_STRAND_HELD)}};
}

// ---- at the start

static double *take(const dr_world *world, size_t components)
{
    return dr_memory_alloc(world->allocator, components * world->film.vertices * sizeof(double));
}

static void give_back(const dr_world *world, double *array, size_t components)
{
    if (array) dr_memory_free(world->allocator, array, components * world->film.vertices * sizeof(double));
}

static size_t chunk_count(const dr_world *world)
{
    return ((size_t)world->state.strands.count + CHUNK - 1) / CHUNK;
}

static bool make_room(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    const dr_strands *strands = &world->state.strands;
    int longest = 0;
    for (int s = 0; s < strands->count; s++) {
        if (dr_strands_size(strands, s) > longest) longest = dr_strands_size(strands, s);
    }
    stage->vertices = strands->vertices;
    stage->threads = (size_t)world->par.threads;
    stage->room_size = dr_film_flow_room(longest);
    stage->radius = take(world, 1);
    stage->pull = take(world, 3);
    stage->borne = take(world, 1);
    stage->turn = take(world, 1);
    stage->spin = take(world, 1);
    stage->position = take(world, 3);
    stage->velocity = take(world, 3);
    stage->apparent = take(world, 3);
    stage->answer = (dr_film_answer){take(world, 1), take(world, 6), take(world, 3), take(world, 1)};
    stage->room = dr_memory_alloc(world->allocator, stage->threads * stage->room_size * sizeof *stage->room);
    stage->bridged = dr_memory_alloc(world->allocator, stage->vertices);
    stage->substeps = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->substeps);
    stage->rate = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->rate);
    stage->sums = dr_memory_alloc(world->allocator, chunk_count(world) * sizeof *stage->sums);
    const dr_film_answer *answer = &stage->answer;
    bool thick = dr_film_stage_thick(world);
    int liquids = world->constants.film_liquids.count;
    return dr_film_reserve(&world->state.film, world->allocator, stage->vertices, thick, liquids) &&
           dr_film_reserve(&stage->after, world->allocator, stage->vertices, thick, liquids) && stage->radius &&
           stage->pull && stage->borne && stage->turn && stage->spin && answer->matrix && answer->impulse &&
           answer->tension && stage->room && stage->bridged && stage->substeps && stage->rate && stage->sums;
}

static void measure_radius(dr_world *world, int s)
{
    const dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    for (size_t v = first; v <= last; v++) {
        const double *back = strands->radius + 2 * (v > first ? v - 1 : v),
                     *on = strands->radius + 2 * (v < last ? v : v - 1);
        world->film.radius[v] = 0.5 * (sqrt(back[0] * back[1]) + sqrt(on[0] * on[1]));
    }
}

// Heights that frames, contact and bridges read.
static void show_heights(dr_world *world, int s)
{
    dr_strands *strands = &world->state.strands;
    dr_film_host host = dr_film_stage_host(world, s);
    size_t first = (size_t)strands->first[s];
    for (int v = 0; v < host.count; v++) {
        double volume = world->state.film.volume[first + (size_t)v];
        strands->film_height[first + (size_t)v] =
            volume > 0.0 ? dr_film_height(volume, dr_film_cell(&host, v), host.radius[v]) : 0.0;
    }
}

// What of a cell lies between two places along the strand; cells lie from the middles of edges to the next.
static double cell_share(double from, double to, double low, double high)
{
    return to > from ? fmax(0.0, fmin(to, high) - fmax(from, low)) / (to - from) : 0.0;
}

static void wet_strand(dr_world *world, int s)
{
    const dr_strands_spec *spec = &kind_of(world, s)->spec;
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->state.film, s);
    double length = 0.0, along = 0.0;
    for (int v = 0; v < host.count; v++) length += dr_film_cell(&host, v);
    for (int v = 0; v < host.count; v++) {
        double cell = dr_film_cell(&host, v);
        double share = cell_share(along, along + cell, spec->film_from * length, spec->film_to * length);
        double wave = 2.0 * DR_PI * (along + 0.5 * cell) / spec->film_ripple_length;
        double height = spec->film_height * (1.0 + spec->film_ripple * cos(wave));
        film.volume[v] = share * dr_film_volume(height, cell, host.radius[v]);
        if (film.mix) film.mix[film.liquids * v + kind_of(world, s)->law.liquid] = film.volume[v];
        along += cell;
    }
}

dr_status dr_film_stage_open(dr_world *world, dr_error *error)
{
    bool wet = false;
    for (int k = 0; k < world->constants.strand_kind_count; k++)
        wet = wet || world->constants.strand_kinds[k].spec.film_height > 0.0 ||
              world->constants.strand_kinds[k].spec.film_capture != 0.0;
    if (!wet) return DR_STATUS_OK;
    if (!make_room(world)) return dr_error_memory(error, "making films");
    for (int s = 0; s < world->state.strands.count; s++) {
        measure_radius(world, s);
        wet_strand(world, s);
        show_heights(world, s);
    }
    const dr_film_answer *answer = &world->film.answer;
    world->strands.load.film_matrix = answer->matrix;
    world->strands.load.film_impulse = answer->impulse;
    world->strands.load.film_tension = answer->tension;
    world->strands.load.film_turn = world->film.turn;
    world->strands.load.film_spin = world->film.spin;
    return DR_STATUS_OK;
}

void dr_film_stage_close(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    const dr_allocator *allocator = world->allocator;
    dr_film_free(&world->state.film, allocator);
    dr_film_free(&stage->after, allocator);
    dr_memory_free(allocator, stage->handovers, stage->handover_capacity * sizeof *stage->handovers);
    dr_memory_free(allocator, stage->links, stage->link_capacity * sizeof *stage->links);
    dr_memory_free(allocator, stage->across, stage->across_capacity * sizeof *stage->across);
    give_back(world, stage->radius, 1);
    give_back(world, stage->pull, 3);
    give_back(world, stage->borne, 1);
    give_back(world, stage->turn, 1);
    give_back(world, stage->spin, 1);
    give_back(world, stage->position, 3);
    give_back(world, stage->velocity, 3);
    give_back(world, stage->apparent, 3);
    give_back(world, stage->answer.response, 1);
    give_back(world, stage->answer.matrix, 6);
    give_back(world, stage->answer.impulse, 3);
    give_back(world, stage->answer.tension, 1);
    if (stage->room) dr_memory_free(allocator, stage->room, stage->threads * stage->room_size * sizeof *stage->room);
    if (stage->bridged) dr_memory_free(allocator, stage->bridged, stage->vertices);
    if (stage->substeps)
        dr_memory_free(allocator, stage->substeps, (size_t)world->state.strands.count * sizeof *stage->substeps);
    if (stage->rate) dr_memory_free(allocator, stage->rate, (size_t)world->state.strands.count * sizeof *stage->rate);
    if (stage->sums) dr_memory_free(allocator, stage->sums, chunk_count(world) * sizeof *stage->sums);
    dr_memory_free(allocator, stage->losses, stage->loss_capacity * sizeof *stage->losses);
    dr_memory_free(allocator, stage->drops, stage->drop_capacity * sizeof *stage->drops);
    *stage = (dr_film_stage){0};
}

// ---- flow

static void mark(dr_world *world, int32_t strand, int32_t vertex)
{
    if (strand < 0 || vertex < 0) return;
    world->film.bridged[vertex] = 1;
    if (vertex + 1 < world->state.strands.first[strand + 1]) world->film.bridged[vertex + 1] = 1;
}

// Where liquid joins strands the film's surface does not close around one of them.
static void find_bridges(dr_world *world)
{
    const dr_contact_memory *memory = &world->state.contacts;
    bool springs = world->constants.contact.model == DR_CONTACT_PENALTY;
    memset(world->film.bridged, 0, world->film.vertices);
    if (!world->constants.strands_meet) return;
    for (size_t k = 0; k < memory->count; k++) {
        const int32_t *who = memory->who + DR_CONTACT_WHO * k;
        if (springs && (who[4] >= 0 || !(memory->where[DR_CONTACT_WHERE * k + 3] > 0.0))) continue;
        mark(world, who[0], who[2]);
        mark(world, who[1], who[3]);
    }
}

// The weight of film under liquid is borne by the pressure around it. (36)
static void find_submerged(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    for (size_t v = 0; v < stage->vertices && world->strand_liquid.wet; v++) {
        double filled = world->strand_liquid.filled[v];
        stage->borne[v] = fmax(0.0, 2.0 * filled - 1.0);
    }
}

// Gravity and force fields.
static void find_pull(dr_world *world)
{
    const double *fields = world->strands.acceleration;
    for (size_t i = 0; i < 3 * world->film.vertices; i++)
        world->film.pull[i] = world->constants.gravity[i % 3] + (fields ? fields[i] : 0.0);
}

typedef struct rating {
    const dr_world *world;
    const dr_film *film;
    double *rate;
} rating;

typedef struct flowing {
    dr_world *world;
    double dt;
} flowing;

static void flow_strands(void *user, size_t begin, size_t end, int thread)
{
    const flowing *job = user;
    dr_film_stage *stage = &job->world->film;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)job->world->state.strands.first[s];
        dr_film_host host = dr_film_stage_host(job->world, (int)s);
        dr_film film = dr_film_stage_film(job->world, &stage->after, (int)s);
        dr_film was = dr_film_stage_film(job->world, &job->world->state.film, (int)s);
        dr_film_answer answer = {stage->answer.response + first, stage->answer.matrix + 6 * first,
                                 stage->answer.impulse + 3 * first, stage->answer.tension + first};
        stage->substeps[s] = dr_film_flow(&kind_of(job->world, (int)s)->law, &host, job->dt, &film, &answer,
                                          stage->room + stage->room_size * (size_t)thread);
        dr_film_turn_flow(&kind_of(job->world, (int)s)->law, &host, &was, &film, job->world->state.strands.spin + first,
                          stage->turn + first, stage->spin + first);
    }
}

static void rate_strands(void *user, size_t begin, size_t end, int thread)
{
    const rating *job = user;
    const dr_world *world = job->world;
    (void)thread;
    for (size_t s = begin; s < end; s++) {
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, job->film, (int)s);
        job->rate[s] =
            kind_of(world, (int)s)->law.still ? 0.0 : dr_film_rate(&kind_of(world, (int)s)->law, &host, &film);
    }
}

static double find_rate(const dr_world *world, const dr_film *film)
{
    rating job = {world, film, world->film.rate};
    double most = 0.0;
    dr_par_for(&world->par, (size_t)world->state.strands.count, GRAIN, rate_strands, &job);
    for (int s = 0; s < world->state.strands.count; s++) most = fmax(most, job.rate[s]);
    return most;
}

double dr_film_stage_step(const dr_world *world)
{
    double rate = has_film(world) ? find_rate(world, &world->state.film) : 0.0;
    return rate > 0.0 ? EDGES / rate : INFINITY;
}

bool dr_film_stage_flow(dr_world *world, dr_try *attempt)
{
    const dr_film *now = &world->state.film;
    dr_film *after = &world->film.after;
    flowing job = {world, attempt->dt};
    if (!has_film(world)) return true;
    memcpy(after->volume, now->volume, now->vertices * sizeof *now->volume);
    memcpy(after->velocity, now->velocity, now->vertices * sizeof *now->velocity);
    memcpy(after->impulse, now->impulse, 3 * now->vertices * sizeof *now->impulse);
    if (now->strain) memcpy(after->strain, now->strain, now->vertices * sizeof *now->strain);
    if (now->mix) memcpy(after->mix, now->mix, (size_t)now->liquids * now->vertices * sizeof *now->mix);
    find_bridges(world);
    find_submerged(world);
    find_pull(world);
    dr_par_for(&world->par, (size_t)world->state.strands.count, GRAIN, flow_strands, &job);
    for (int s = 0; s < world->state.strands.count && !attempt->rejected; s++) {
        if (world->film.substeps[s] >= 0) continue;
        attempt->rejected = true;
        attempt->strands = true;
        attempt->reason = "the film on a strand flows too fast for its sub-steps";
    }
    if (!attempt->rejected && find_rate(world, after) * attempt->dt > FAR * EDGES) {
        attempt->rejected = true;
        attempt->strands = true;
        attempt->reason = "liquid flows past too many edges of a strand in a step";
    }
    return !attempt->rejected;
}

// ---- drops

static bool push_loss(dr_film_stage *stage, const dr_allocator *allocator, size_t vertex, int liquid, double volume)
{
    if (!(volume > 0.0)) return true;
    if (!dr_memory_reserve(allocator, (void **)&stage->losses, &stage->loss_capacity, stage->loss_count + 1,
                           sizeof *stage->losses))
        return false;
    stage->losses[stage->loss_count++] = (dr_film_loss){(int32_t)vertex, liquid, volume};
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
    const dr_strand_kind *kind = kind_of(world, s);
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
            if (!push_loss(stage, world->allocator, first + (size_t)(from + i), k, part)) return false;
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

// Drops as large as the surface holds, one after the other; where it holds none, all that there is. A little is left
// for the rounding of particles.
static bool drip_end(dr_world *world, int s, size_t v, double least)
{
    dr_film_stage *stage = &world->film;
    int own = (int)(v - (size_t)world->state.strands.first[s]);
    dr_film film = dr_film_stage_film(world, &stage->after, s);
    dr_film_law law = dr_film_law_at(&film, &kind_of(world, s)->law, own);
    double volume = stage->after.volume[v], usable = volume * (1.0 - SLACK), taken = 0.0;
    double drop = dr_film_tip_drop(&law, stage->radius[v], dr_vec3_length(stage->apparent + 3 * v), least);
    if (drop <= least && usable > least) drop = usable;
    while (drop > 0.0 && taken + drop <= usable) {
        taken += drop;
        if (!let_drop(world, s, (int32_t)v, own, 1, &drop, least)) return false;
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
    dr_film_law law = dr_film_law_at(&film, &kind_of(world, s)->law, *from);
    double held = dr_film_hold(&law, host->radius[*from], dr_vec3_length(apparent), &reach);
    least = dr_film_least_excess(held, least);
    int end = *from, begin = *from;
    for (; end < host->count && gives[end] > 0.0 && length <= 2.0 * reach; end++) {
        gives[end] *= 1.0 - SLACK;
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
    for (int pass = 0; pass < PASSES; pass++) {
        double beyond = pass == 0 ? least : SMALL * least;
        if (!dr_film_overflow(&film, &kind_of(world, s)->law, host, volume, apparent, beyond, excess)) break;
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

static bool drip(dr_world *world, int s)
{
    dr_film_stage *stage = &world->film;
    const dr_strands *strands = &world->state.strands;
    const dr_strand_kind *kind = kind_of(world, s);
    dr_film_host host = dr_film_stage_host(world, s);
    size_t first = (size_t)strands->first[s];
    double least = kind->drops >= 0 ? QUARTER * particle_volume(world) : 0.0, total = 0.0;
    if (kind->spec.film_drips == DR_FILM_DRIPS_NONE) return true;
    for (size_t v = first; v < first + (size_t)host.count; v++) {
        total += stage->after.volume[v];
        dr_vec3_sub(stage->apparent + 3 * v, stage->pull + 3 * v, world->state.film.felt + 3 * v);
    }
    if (!(total > 0.0)) return true;
    bool along = kind->spec.film_drips == DR_FILM_DRIPS_ALL && !kind->law.still;
    if (along && !drip_along(world, s, &host, fmax(least, LEAST_EXCESS * total), stage->room)) return false;
    least = fmax(least, LEAST_EXCESS * total);
    return (!host.free_end[0] || drip_end(world, s, first, least)) &&
           (!host.free_end[1] || drip_end(world, s, first + (size_t)host.count - 1, least));
}

bool dr_film_stage_plan(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    stage->loss_count = stage->drop_count = stage->particles = 0;
    for (int s = 0; has_film(world) && s < world->state.strands.count; s++) {
        if (!drip(world, s)) return false;
    }
    return true;
}

// ---- the end of the step

void dr_film_stage_keep(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    if (!has_film(world)) return;
    memcpy(world->film.position, strands->position, 3 * strands->vertices * sizeof *strands->position);
    memcpy(world->film.velocity, strands->velocity, 3 * strands->vertices * sizeof *strands->velocity);
}

static void settle_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flowing *job = user;
    dr_world *world = job->world;
    dr_film_stage *stage = &world->film;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)world->state.strands.first[s];
        dr_film_host after = dr_film_stage_host(world, (int)s), before = after;
        dr_film film = dr_film_stage_film(world, &stage->after, (int)s);
        before.position = stage->position + 3 * first;
        before.velocity = stage->velocity + 3 * first;
        dr_film_settle(&kind_of(world, (int)s)->law, &before, &after, job->dt, stage->answer.response + first, &film);
    }
}

// A drop takes its momentum along; what single precision cannot say of it stays with the strand.
static void let_go(dr_world *world, const dr_film_drop *drop)
{
    dr_film_stage *stage = &world->film;
    const dr_strand_kind *kind = kind_of(world, drop->strand);
    size_t first = (size_t)world->state.strands.first[drop->strand];
    dr_film_host host = dr_film_stage_host(world, drop->strand);
    dr_film film = dr_film_stage_film(world, &stage->after, drop->strand);
    int liquid = stage->losses[drop->loss].liquid; // one and the same of all losses of a drop
    double momentum[3] = {0.0, 0.0, 0.0}, volume = 0.0, density = dr_film_liquid_density(&film, &kind->law, liquid);
    for (size_t k = drop->loss; k < drop->loss + drop->losses; k++) {
        const dr_film_loss *loss = &stage->losses[k];
        double part[3];
        volume += dr_film_take(&film, &kind->law, &host, loss->vertex - (int)first, liquid, loss->volume, part);
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

static void multiply(const double m[6], const double x[3], double y[3])
{
    y[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    y[1] = m[1] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[2] = m[2] * x[0] + m[4] * x[1] + m[5] * x[2];
}

void dr_film_stage_add_push(const dr_world *world, size_t v, double dt, double impulse[3])
{
    const dr_film_stage *stage = &world->film;
    double c[3], moved[3];
    if (!has_film(world)) return;
    for (size_t a = 0; a < 3; a++)
        c[a] = dt * world->constants.gravity[a] - world->state.strands.velocity[3 * v + a] + stage->velocity[3 * v + a];
    multiply(stage->answer.matrix + 6 * v, c, moved);
    dr_vec3_add(impulse, impulse, moved);
    dr_vec3_add(impulse, impulse, stage->answer.impulse + 3 * v);
}

static bool is_wet(const dr_world *world, int s)
{
    const double *matrix = world->film.answer.matrix;
    for (size_t v = (size_t)world->state.strands.first[s]; v < (size_t)world->state.strands.first[s + 1]; v++) {
        if (matrix[6 * v] > 0.0) return true;
    }
    return false;
}

// What the strand itself does at the end of a step: (m + A) (a - g) less what the film pushes. (16)
static void keep_force(dr_world *world, size_t v, double dt)
{
    const dr_film_stage *stage = &world->film;
    const dr_strands *strands = &world->state.strands;
    double a[3], moved[3], *force = world->state.film.force + 3 * v, *felt = world->state.film.felt + 3 * v;
    dr_vec3_sub(a, strands->acceleration + 3 * v, world->constants.gravity);
    multiply(stage->answer.matrix + 6 * v, a, moved);
    for (size_t k = 0; k < 3; k++)
        force[k] = strands->mass[v] * a[k] + moved[k] - stage->answer.impulse[3 * v + k] / dt;
    double change[3], share = dr_film_feeling(stage->radius[v], dr_vec3_length(stage->apparent + 3 * v), dt);
    for (size_t k = 0; k < 3; k++)
        change[k] = (strands->velocity[3 * v + k] - stage->velocity[3 * v + k]) / dt - felt[k];
    dr_vec3_add_scaled(felt, felt, share, change);
}

// Torques as the last step left them, on edges with the film they have now. (31)
static void start_spin(const dr_world *world, int s, double dt, double *spin_rate)
{
    const dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->state.film, s);
    for (int e = 0; e + 1 < host.count; e++) {
        size_t v = first + (size_t)e;
        double had = dr_film_turn(&kind_of(world, s)->law, &host, &film, e, NULL);
        if (strands->held[v] & DR_STRAND_TURN_HELD) continue;
        spin_rate[e] = ((strands->inertia[v] + had) * spin_rate[e] + world->film.spin[v] / dt) /
                       (strands->inertia[v] + world->film.turn[v]);
    }
}

// What came in the exchange has no spin: edges share theirs with it; what left took its own along. before: film on
// edges, its inertia. (31)
static void share_spin(dr_world *world, int s, const double *before)
{
    dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->film.after, s);
    for (int e = 0; e + 1 < host.count; e++) {
        size_t v = first + (size_t)e;
        double own = strands->inertia[v], now = dr_film_turn(&kind_of(world, s)->law, &host, &film, e, NULL);
        if (now > before[e] && !(strands->held[v] & DR_STRAND_TURN_HELD))
            strands->spin[v] *= (own + before[e]) / (own + now);
    }
}

static void measure_turns(dr_world *world, double *turn)
{
    for (int s = 0; s < world->state.strands.count; s++) {
        size_t first = (size_t)world->state.strands.first[s];
        dr_film_host host = dr_film_stage_host(world, s);
        dr_film film = dr_film_stage_film(world, &world->film.after, s);
        for (int e = 0; e + 1 < host.count; e++)
            turn[first + (size_t)e] = dr_film_turn(&kind_of(world, s)->law, &host, &film, e, NULL);
    }
}

// The next step starts with the acceleration that belongs to the film as it is then. (16)
void dr_film_stage_start(dr_world *world, double dt, double *acceleration, double *spin_rate)
{
    const dr_strands *strands = &world->state.strands;
    const dr_film_stage *stage = &world->film;
    for (int s = 0; s < strands->count; s++) {
        size_t first = (size_t)strands->first[s], end = (size_t)strands->first[s + 1];
        memcpy(acceleration + 3 * first, strands->acceleration + 3 * first, 3 * (end - first) * sizeof *acceleration);
        memcpy(spin_rate + first, strands->spin_rate + first, (end - first) * sizeof *spin_rate);
        if (!is_wet(world, s)) continue;
        start_spin(world, s, dt, spin_rate + first);
        for (size_t v = first; v < end; v++) {
            double both[6], push[3], change[3];
            if (strands->held[v] & DR_STRAND_HELD) continue;
            for (int k = 0; k < 6; k++)
                both[k] =
                    stage->answer.matrix[6 * v + (size_t)k] + (k == 0 || k == 3 || k == 5 ? strands->mass[v] : 0.0);
            for (size_t k = 0; k < 3; k++)
                push[k] = world->state.film.force[3 * v + k] + stage->answer.impulse[3 * v + k] / dt;
            dr_scalar_solve(both, push, change);
            dr_vec3_add(acceleration + 3 * v, change, world->constants.gravity);
        }
    }
}

void dr_film_stage_commit(dr_world *world, double dt)
{
    dr_film_stage *stage = &world->film;
    dr_film *now = &world->state.film;
    if (!has_film(world)) return;
    flowing job = {world, dt};
    dr_par_for(&world->par, (size_t)world->state.strands.count, GRAIN, settle_strands, &job);
    measure_turns(world, stage->turn);
    for (size_t k = 0; k < stage->drop_count; k++) let_go(world, &stage->drops[k]);
    dr_film_exchange_commit(world);
    dr_film_across_commit(world);
    for (int s = 0; s < world->state.strands.count; s++)
        share_spin(world, s, stage->turn + world->state.strands.first[s]);
    memcpy(now->volume, stage->after.volume, now->vertices * sizeof *now->volume);
    memcpy(now->velocity, stage->after.velocity, now->vertices * sizeof *now->velocity);
    memcpy(now->impulse, stage->after.impulse, 3 * now->vertices * sizeof *now->impulse);
    if (now->strain) memcpy(now->strain, stage->after.strain, now->vertices * sizeof *now->strain);
    if (now->mix) memcpy(now->mix, stage->after.mix, (size_t)now->liquids * now->vertices * sizeof *now->mix);
    for (size_t v = 0; v < now->vertices; v++) keep_force(world, v, dt);
    for (int s = 0; s < world->state.strands.count; s++) show_heights(world, s);
}

// ---- budgets

static void sum_films(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_film_budget *sum = world->film.sums + begin / CHUNK;
    *sum = (dr_film_budget){0};
    for (size_t s = begin; s < end; s++) {
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, &world->state.film, (int)s);
        dr_film_sum(&film, &kind_of(world, (int)s)->law, &host, world->constants.gravity, sum);
    }
}

static void join(dr_film_budget *into, const dr_film_budget *from)
{
    into->volume += from->volume;
    into->mass += from->mass;
    dr_vec3_add(into->linear, into->linear, from->linear);
    dr_vec3_add(into->angular, into->angular, from->angular);
    into->kinetic += from->kinetic;
    into->potential += from->potential;
    into->surface += from->surface;
}

void dr_film_stage_account(dr_world *world, dr_budget *sum)
{
    dr_film_budget *sums = world->film.sums;
    size_t chunks = chunk_count(world);
    if (!has_film(world)) return;
    dr_par_for(&world->par, (size_t)world->state.strands.count, CHUNK, sum_films, world);
    for (size_t stride = 1; stride < chunks; stride *= 2) {
        for (size_t i = 0; i + stride < chunks; i += 2 * stride) join(&sums[i], &sums[i + stride]);
    }
    sum->film += sums->volume;
    sum->mass += sums->mass;
    dr_vec3_add(sum->linear, sum->linear, sums->linear);
    dr_vec3_add(sum->angular, sum->angular, sums->angular);
    sum->kinetic += sums->kinetic;
    sum->potential += sums->potential;
    sum->surface += sums->surface;
}
