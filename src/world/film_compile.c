// Films of a scene: which liquid they are of, what it is, and how strands are covered with it at the start.
// docs/theory/film.md, "In the step".
#include "world/film_parts.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static dr_film_flow_curve flow_curve_of(const dr_rheology *liquid)
{
    if (!(liquid->shear_modulus > 0.0)) return dr_film_flow_curve_thin(liquid->viscosity);
    return (dr_film_flow_curve){.yield = dr_rheology_shear_of_yield(liquid->yield),
                                .consistency = dr_rheology_shear_of_consistency(liquid->consistency, liquid->index),
                                .index = liquid->index,
                                .shear_modulus = liquid->shear_modulus,
                                .norm_yield = liquid->yield,
                                .norm_consistency = liquid->consistency};
}

static void be_thick(dr_film_law *law, const dr_film_flow_curve *curve)
{
    law->thick = true;
    law->viscosity = 0.0;
    law->yield = curve->yield;
    law->consistency = curve->consistency;
    law->index = curve->index;
    law->shear_modulus = curve->shear_modulus;
    law->plastic = (dr_viscoplastic){curve->norm_yield, curve->norm_consistency, curve->index};
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
    dr_film_flow_curve curve = flow_curve_of(&liquid);
    be_thick(&law, &curve);
    law.elastic = spec->film_elastic;
    return law;
}

int dr_film_stage_liquid(dr_world *world, const dr_material_spec *material)
{
    dr_constants *constants = &world->constants;
    dr_film_liquids *liquids = &constants->film_liquids;
    dr_rheology law;
    if (material->kind != DR_MATERIAL_LIQUID || !dr_rheology_compile(material, &law)) return -1;
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
    liquids->curve[liquids->count] = flow_curve_of(&law);
    liquids->thick |= law.shear_modulus > 0.0;
    return liquids->count++;
}

void dr_film_stage_blend(dr_world *world)
{
    const dr_film_liquids *liquids = &world->constants.film_liquids;
    for (int k = 0; k < world->constants.strand_kind_count && liquids->thick; k++) {
        dr_film_law *law = &world->constants.strand_kinds[k].law;
        if (!law->liquids || law->thick) continue;
        be_thick(law, &liquids->curve[law->liquid]);
        law->elastic = world->constants.strand_kinds[k].spec.film_elastic;
    }
}

bool dr_film_stage_thick(const dr_world *world)
{
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        if (world->constants.strand_kinds[k].law.thick) return true;
    }
    return false;
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
    stage->velocity = take(world, 3);
    stage->apparent = take(world, 3);
    stage->answer = (dr_film_answer){take(world, 1), take(world, 6), take(world, 3),
                                     take(world, 1), take(world, 3), take(world, 1)};
    stage->room = dr_memory_alloc(world->allocator, stage->threads * stage->room_size * sizeof *stage->room);
    stage->bridged = dr_memory_alloc(world->allocator, stage->vertices);
    stage->company = take(world, 1);
    stage->parent = dr_memory_alloc(world->allocator, stage->vertices * sizeof *stage->parent);
    stage->seen = dr_memory_alloc(world->allocator, stage->vertices * sizeof *stage->seen);
    stage->wishes = dr_memory_alloc(world->allocator, stage->vertices * sizeof *stage->wishes);
    stage->substeps = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->substeps);
    stage->rate = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->rate);
    stage->drips = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->drips);
    stage->total = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *stage->total);
    stage->handed = dr_memory_alloc(world->allocator, ((size_t)strands->count + 1) * sizeof *stage->handed);
    stage->sums = dr_memory_alloc(world->allocator, dr_film_chunks(world) * sizeof *stage->sums);
    const dr_film_answer *answer = &stage->answer;
    bool thick = dr_film_stage_thick(world);
    int liquids = world->constants.film_liquids.count;
    return dr_film_reserve(&world->state.film, world->allocator, stage->vertices, thick, liquids) &&
           dr_film_reserve(&stage->after, world->allocator, stage->vertices, thick, liquids) &&
           dr_film_reserve(&stage->settled, world->allocator, stage->vertices, thick, liquids) && stage->radius &&
           stage->pull && stage->borne && stage->turn && stage->spin && answer->matrix && answer->impulse &&
           answer->tension && answer->turn && answer->way && stage->room && stage->bridged && stage->company &&
           stage->parent && stage->seen && stage->wishes && stage->drips && stage->total && stage->handed &&
           stage->substeps && stage->rate && stage->sums;
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
void dr_film_stage_show(dr_world *world, int s)
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

// Of the profile at that share of the length, the height of its first or last point before and after them.
static double profile_height(const dr_film_profile *profile, double at)
{
    const dr_film_point_spec *point = profile->items;
    int k = 0;
    while (k < profile->count && point[k].at <= at) k++;
    if (k == 0) return point[0].height;
    if (k == profile->count) return point[k - 1].height;
    double part = (at - point[k - 1].at) / (point[k].at - point[k - 1].at);
    return (1.0 - part) * point[k - 1].height + part * point[k].height;
}

static void wet_strand(dr_world *world, int s)
{
    const dr_strands_spec *spec = &dr_film_kind(world, s)->spec;
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->state.film, s);
    double length = 0.0, along = 0.0, vertex = 0.0; // where the cell begins, where its vertex is
    for (int v = 0; v < host.count; v++) length += dr_film_cell(&host, v);
    for (int v = 0; v < host.count; v++) {
        double cell = dr_film_cell(&host, v);
        double share = cell_share(along, along + cell, spec->film_from * length, spec->film_to * length);
        double wave = 2.0 * DR_PI * (along + 0.5 * cell) / spec->film_ripple_length;
        double flat =
            spec->film_profile.count > 0 ? profile_height(&spec->film_profile, vertex / length) : spec->film_height;
        double height = flat * (1.0 + spec->film_ripple * cos(wave));
        film.volume[v] = share * dr_film_volume(height, cell, host.radius[v]);
        if (film.mix) film.mix[film.liquids * v + dr_film_kind(world, s)->law.liquid] = film.volume[v];
        along += cell;
        vertex = 2.0 * along - vertex; // cells end in the middles of edges
    }
}

// What mixed films need besides.
static bool make_mix_room(dr_world *world)
{
    dr_film_stage *stage = &world->film;
    int liquids = world->state.film.liquids;
    if (!world->state.film.mix) return true;
    stage->exposed = take(world, 1);
    stage->view = dr_memory_alloc(world->allocator, (size_t)liquids * stage->vertices * sizeof *stage->view);
    for (int k = 0; k < liquids; k++) {
        char name[128];
        snprintf(name, sizeof name, "film_volume_%s", world->constants.film_names[k]);
        stage->names[k] = dr_arena_copy(&world->constants.arena, name, strlen(name));
        if (!stage->names[k]) return false;
    }
    return stage->exposed && stage->view;
}

dr_status dr_film_stage_open(dr_world *world, dr_error *error)
{
    bool wet = false;
    for (int k = 0; k < world->constants.strand_kind_count; k++)
        wet = wet || dr_film_is_given(&world->constants.strand_kinds[k].spec) ||
              world->constants.strand_kinds[k].spec.film_capture != 0.0;
    if (!wet) return DR_STATUS_OK;
    if (!make_room(world) || !make_mix_room(world)) return dr_error_memory(error, "making films");
    for (int s = 0; s < world->state.strands.count; s++) {
        measure_radius(world, s);
        wet_strand(world, s);
        dr_film_stage_show(world, s);
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
    if (stage->view)
        dr_memory_free(allocator, stage->view,
                       (size_t)world->state.film.liquids * stage->vertices * sizeof *stage->view);
    give_back(world, stage->exposed, 1);
    dr_film_free(&world->state.film, allocator);
    dr_film_free(&stage->after, allocator);
    dr_film_free(&stage->settled, allocator);
    dr_memory_free(allocator, stage->handovers, stage->handover_capacity * sizeof *stage->handovers);
    dr_memory_free(allocator, stage->rank, stage->rank_capacity * sizeof *stage->rank);
    dr_memory_free(allocator, stage->by_rank, stage->by_rank_capacity * sizeof *stage->by_rank);
    dr_memory_free(allocator, stage->rank_first, stage->rank_first_capacity * sizeof *stage->rank_first);
    dr_memory_free(allocator, stage->particle_rank, stage->particle_rank_capacity * sizeof *stage->particle_rank);
    dr_memory_free(allocator, stage->joined, stage->joined_capacity * sizeof *stage->joined);
    dr_memory_free(allocator, stage->links, stage->link_capacity * sizeof *stage->links);
    dr_memory_free(allocator, stage->across, stage->across_capacity * sizeof *stage->across);
    give_back(world, stage->radius, 1);
    give_back(world, stage->pull, 3);
    give_back(world, stage->borne, 1);
    give_back(world, stage->turn, 1);
    give_back(world, stage->spin, 1);
    give_back(world, stage->velocity, 3);
    give_back(world, stage->apparent, 3);
    give_back(world, stage->answer.response, 1);
    give_back(world, stage->answer.matrix, 6);
    give_back(world, stage->answer.impulse, 3);
    give_back(world, stage->answer.tension, 1);
    give_back(world, stage->answer.turn, 3);
    give_back(world, stage->answer.way, 1);
    give_back(world, stage->company, 1);
    if (stage->parent) dr_memory_free(allocator, stage->parent, stage->vertices * sizeof *stage->parent);
    if (stage->seen) dr_memory_free(allocator, stage->seen, stage->vertices * sizeof *stage->seen);
    if (stage->room) dr_memory_free(allocator, stage->room, stage->threads * stage->room_size * sizeof *stage->room);
    if (stage->bridged) dr_memory_free(allocator, stage->bridged, stage->vertices);
    if (stage->wishes) dr_memory_free(allocator, stage->wishes, stage->vertices * sizeof *stage->wishes);
    if (stage->substeps)
        dr_memory_free(allocator, stage->substeps, (size_t)world->state.strands.count * sizeof *stage->substeps);
    if (stage->drips)
        dr_memory_free(allocator, stage->drips, (size_t)world->state.strands.count * sizeof *stage->drips);
    if (stage->total)
        dr_memory_free(allocator, stage->total, (size_t)world->state.strands.count * sizeof *stage->total);
    if (stage->handed)
        dr_memory_free(allocator, stage->handed, ((size_t)world->state.strands.count + 1) * sizeof *stage->handed);
    if (stage->rate) dr_memory_free(allocator, stage->rate, (size_t)world->state.strands.count * sizeof *stage->rate);
    if (stage->sums) dr_memory_free(allocator, stage->sums, dr_film_chunks(world) * sizeof *stage->sums);
    dr_memory_free(allocator, stage->losses, stage->loss_capacity * sizeof *stage->losses);
    dr_memory_free(allocator, stage->tips, stage->tip_capacity * sizeof *stage->tips);
    dr_memory_free(allocator, stage->drops, stage->drop_capacity * sizeof *stage->drops);
    *stage = (dr_film_stage){0};
}
