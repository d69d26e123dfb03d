// From a scene to a world's constants. Everything that can be wrong with a scene's geometry shows here, with its place
// in the file; dr_scene_check runs this too.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "base/hash.h"
#include "drench/version.h"
#include "geom/area.h"

#include <math.h>
#include <string.h>

static const char *keep_name(dr_world *world, const char *name)
{
    return dr_arena_copy(&world->constants.arena, name ? name : "", name ? strlen(name) : 0);
}

// ---- the domain

static bool on_layer(double length, double cell)
{
    return fabs(length / cell - nearbyint(length / cell)) < DR_WORLD_ROUNDING;
}

static dr_status check_periodic(const dr_scene *scene, const dr_domain_spec *domain, int axis, dr_error *error)
{
    static const char names[] = "xyz";
    if (domain->side_min[axis] != domain->side_max[axis])
        return dr_scene_error(scene, &domain->side_min[axis], domain, error,
                              "domain: %c_min and %c_max must both be periodic, or neither", names[axis], names[axis]);
    double length = domain->max[axis] - domain->min[axis], unit = 2 * DR_BLOCK_SIDE * domain->cell;
    if (length / unit > DR_GRID_REACH / 4) {
        dr_scene_error(
            scene, &domain->max[axis], domain, error,
            "domain: a periodic direction of %g cm with cells of %g cm has more blocks than the grid can count", length,
            domain->cell);
        dr_error_hint(error, "a cell of %.2g cm would do", length / (2.0 * DR_GRID_REACH));
        return DR_STATUS_BAD_SCENE;
    }
    if (on_layer(length, unit)) return DR_STATUS_OK;
    dr_scene_error(scene, &domain->max[axis], domain, error,
                   "domain: a periodic direction is a whole number of %d cells long; %.9g cm in %c is %.9g cells",
                   2 * DR_BLOCK_SIDE, length, names[axis], length / domain->cell);
    dr_error_hint(error, "%.9g cm would do", fmax(1.0, nearbyint(length / unit)) * unit);
    return DR_STATUS_BAD_SCENE;
}

static dr_status check_symmetry(const dr_scene *scene, const dr_domain_spec *domain, int axis, dr_error *error)
{
    double length = domain->max[axis] - domain->min[axis];
    if (domain->side_min[axis] == DR_SIDE_OPEN || on_layer(length, domain->cell)) return DR_STATUS_OK;
    dr_scene_error(scene, &domain->max[axis], domain, error,
                   "domain: a symmetry plane lies on a layer of cells; %.9g cm is %.9g cells from the other side",
                   length, length / domain->cell);
    dr_error_hint(error, "%.9g cm would do", nearbyint(length / domain->cell) * domain->cell);
    return DR_STATUS_BAD_SCENE;
}

// Sides that are closed, or that let particles out, cut it.
dr_box dr_domain_clip(const dr_domain_spec *domain, dr_box box)
{
    for (int a = 0; a < 3; a++) {
        if (domain->side_min[a] != DR_SIDE_OPEN || domain->cull) box.min[a] = fmax(box.min[a], domain->min[a]);
        if (domain->side_max[a] != DR_SIDE_OPEN || domain->cull) box.max[a] = fmin(box.max[a], domain->max[a]);
    }
    return box;
}

// Whether any particle could leave through an open side at all.
static bool can_cull(const dr_domain_spec *domain)
{
    for (int a = 0; a < 3 && domain->cull; a++) {
        if (domain->side_min[a] == DR_SIDE_OPEN && domain->min[a] > -DR_UNBOUNDED) return true;
        if (domain->side_max[a] == DR_SIDE_OPEN && domain->max[a] < DR_UNBOUNDED) return true;
    }
    return false;
}

// The grid starts on the lower side of the domain where there is one, on the upper where only that is, else at zero.
static dr_status compile_domain(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_domain_spec *domain = &dr_scene_view(scene)->domain;
    world->constants.domain = *domain;
    world->constants.domain.cull = can_cull(domain);
    double origin[3];
    int32_t period[3] = {0};
    dr_status status = DR_STATUS_OK;
    for (int a = 0; a < 3; a++) {
        bool lower = domain->side_min[a] != DR_SIDE_OPEN, upper = domain->side_max[a] != DR_SIDE_OPEN;
        origin[a] = lower ? domain->min[a] : upper ? domain->max[a] : 0.0;
        dr_status found = DR_STATUS_OK;
        if (domain->side_min[a] == DR_SIDE_PERIODIC || domain->side_max[a] == DR_SIDE_PERIODIC) {
            found = check_periodic(scene, domain, a, error);
            if (found == DR_STATUS_OK)
                period[a] = (int32_t)nearbyint((domain->max[a] - domain->min[a]) / (DR_BLOCK_SIDE * domain->cell));
        } else if (domain->side_max[a] == DR_SIDE_SYMMETRY) {
            found = check_symmetry(scene, domain, a, error);
        }
        if (found != DR_STATUS_OK) status = found;
    }
    if (status != DR_STATUS_OK) return status;
    if (!dr_grid_open(&world->grid, world->allocator, domain->cell, origin, period))
        return dr_error_memory(error, "opening the grid");
    return DR_STATUS_OK;
}

// ---- matter

static const char *kind_words(int kind)
{
    static const char *const words[] = {"dust",   "an elastic solid", "a liquid", "a cloth",
                                        "a yarn", "a hair",           "a sand",   "a goo"};
    return words[kind];
}

static dr_status add_liquid(dr_constants *constants, const dr_scene *scene, const char *role, const char *name,
                            const dr_material_spec *material, const void *address, const void *owner, dr_error *error)
{
    bool first = !constants->has_liquid;
    dr_rheology *law = &constants->liquid_laws[constants->matter_count - 1];
    if (!dr_rheology_compile(material, law)) {
        dr_scene_error(scene, address, owner, error,
                       "%s \"%s\": \"%s\" has a yield stress or a flow index but no shear "
                       "modulus",
                       role, name, material->name);
        dr_error_hint(error,
                      "shear_modulus: below yield it is elastic; 20 to 100 times the yield stress is usual, with no "
                      "yield stress that of its fastest flow");
        return DR_STATUS_BAD_SCENE;
    }
    double viscosity = law->viscosity;
    double tension = dr_scene_view(scene)->liquid.surface_tension ? material->surface_tension : 0.0;
    dr_liquid_constants *liquid = &constants->liquid;
    dr_liquid_kind *own = &constants->liquid_kinds[constants->matter_count - 1];
    *own = (dr_liquid_kind){.viscosity = viscosity, .surface_tension = tension};
    dr_rheology_drag(material, law, own);
    liquid->differ |= !first && (liquid->density != material->density || liquid->viscosity != viscosity ||
                                 liquid->surface_tension != tension);
    liquid->differ |= law->bulk_modulus > 0.0;
    liquid->compressible |= law->bulk_modulus > 0.0;
    liquid->thick |= law->shear_modulus > 0.0 || law->bulk_modulus > 0.0;
    liquid->several |= !first && memcmp(liquid->law, law, sizeof *law) != 0;
    liquid->law = law;
    liquid->stiffness = fmax(liquid->stiffness, law->shear_modulus);
    liquid->density = first ? material->density : fmin(liquid->density, material->density);
    liquid->viscosity = first ? viscosity : fmax(liquid->viscosity, viscosity);
    liquid->surface_tension = fmax(liquid->surface_tension, tension);
    constants->has_liquid = true;
    return DR_STATUS_OK;
}

static bool has_stress(int kind)
{
    return kind == DR_MATERIAL_ELASTIC || kind == DR_MATERIAL_SAND || kind == DR_MATERIAL_GOO;
}

static dr_status compile_matter(dr_world *world, const dr_scene *scene, const char *role, const char *name,
                                const char *const *material_name, const void *owner, dr_error *error)
{
    const dr_material_spec *material = dr_scene_material(scene, *material_name);
    if (!material)
        return dr_scene_error(scene, material_name, owner, error, "%s \"%s\": there is no material \"%s\"", role, name,
                              *material_name ? *material_name : "");
    bool stressed = has_stress(material->kind);
    if (material->kind != DR_MATERIAL_DUST && material->kind != DR_MATERIAL_LIQUID && !stressed) {
        dr_scene_error(scene, material_name, owner, error, "%s \"%s\": material \"%s\" is %s", role, name,
                       *material_name, kind_words(material->kind));
        dr_error_hint(error, "drench " DR_VERSION " moves dust, elastic solids, sand, goo and liquids");
        return DR_STATUS_BAD_SCENE;
    }
    if (stressed && world->constants.transfer.kernel == DR_KERNEL_LINEAR) {
        const dr_transfer_spec *transfer = &dr_scene_view(scene)->transfer;
        dr_scene_error(
            scene, &transfer->kernel, transfer, error,
            "transfer: a linear kernel cannot carry the stress of %s \"%s\": its gradient jumps between cells", role,
            name);
        dr_error_hint(error, "kernel: quadratic (the default) or cubic");
        return DR_STATUS_BAD_SCENE;
    }
    dr_matter *matter = &world->constants.matter[world->constants.matter_count++];
    *matter = (dr_matter){
        .name = keep_name(world, name), .kind = (dr_material_kind)material->kind, .density = material->density};
    matter->liquid = dr_film_stage_liquid(world, material);
    if (matter->liquid >= 0 && world->constants.film_matter[matter->liquid] < 0)
        world->constants.film_matter[matter->liquid] = world->constants.matter_count - 1;
    if (!matter->name) return dr_error_memory(error, "reading materials");
    if (matter->kind == DR_MATERIAL_LIQUID)
        return add_liquid(&world->constants, scene, role, name, material, material_name, owner, error);
    if (matter->kind == DR_MATERIAL_ELASTIC)
        matter->solid = dr_corotated_make(material->youngs_modulus, material->poisson_ratio);
    if (matter->kind == DR_MATERIAL_SAND)
        matter->plastic = dr_plastic_sand(material->youngs_modulus, material->poisson_ratio, material->friction_angle);
    if (matter->kind == DR_MATERIAL_GOO)
        matter->plastic = dr_plastic_goo(material->youngs_modulus, material->poisson_ratio, material->yield_stress,
                                         material->viscosity);
    world->constants.has_elastic |= stressed;
    world->constants.has_sand |= matter->kind == DR_MATERIAL_SAND;
    return DR_STATUS_OK;
}

static dr_status compile_bodies(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_constants *constants = &world->constants;
    size_t most = (size_t)(spec->bodies.count + spec->emitters.count + spec->strands.count);
    constants->matter = dr_arena_alloc(&constants->arena, most * sizeof(dr_matter));
    constants->liquid_kinds = dr_arena_alloc(&constants->arena, most * sizeof(dr_liquid_kind));
    constants->liquid_laws = dr_arena_alloc(&constants->arena, most * sizeof(dr_rheology));
    if (!constants->matter || !constants->liquid_kinds || !constants->liquid_laws)
        return dr_error_memory(error, "reading bodies");
    constants->liquid.kinds = constants->liquid_kinds;
    constants->liquid.laws = constants->liquid_laws;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < spec->bodies.count; i++) {
        const dr_body_spec *body = &spec->bodies.items[i];
        dr_status found = compile_matter(world, scene, "body", body->name, &body->material, body, error);
        if (found != DR_STATUS_OK) status = found;
    }
    return status;
}

// ---- emitters, drains, forces: a copy of the description and its compiled shape

static dr_status compile_emitters(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_emitter_list *list = &dr_scene_view(scene)->emitters;
    dr_constants *constants = &world->constants;
    constants->emitters = dr_arena_alloc(&constants->arena, (size_t)list->count * sizeof(dr_emitter));
    if (!constants->emitters) return dr_error_memory(error, "reading emitters");
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        const dr_emitter_spec *spec = &list->items[i];
        dr_emitter *emitter = &constants->emitters[constants->emitter_count++];
        *emitter = (dr_emitter){.spec = *spec, .matter = (uint32_t)constants->matter_count};
        emitter->key = dr_world_random_key(world, DR_KEY_EMITTER, i);
        dr_status found = compile_matter(world, scene, "emitter", spec->name, &spec->material, spec, error);
        if (found == DR_STATUS_OK)
            found = dr_shape_create(scene, &spec->shape, world->allocator, &emitter->shape, error);
        if (found == DR_STATUS_OK) emitter->area = dr_shape_area_across(emitter->shape, spec->velocity);
        if (found != DR_STATUS_OK) status = found;
    }
    return status;
}

// Whether drops of a film on strands become liquid.
static bool drips_liquid(const dr_constants *constants, const dr_scene *scene, const dr_strands_spec *spec)
{
    const dr_material_spec *film = dr_scene_material(scene, dr_film_liquid(scene, spec));
    bool wet = dr_film_is_given(spec) || dr_film_capture(scene, spec) != 0.0;
    if (!film || film->kind != DR_MATERIAL_LIQUID || !wet) return false;
    if (spec->film_drops == DR_FILM_DROPS_LIQUID) return true;
    bool plain = !(film->yield_stress > 0.0 || film->flow_index != 1.0 || film->shear_modulus > 0.0);
    return spec->film_drops == DR_FILM_DROPS_AUTO && constants->has_liquid && plain;
}

static dr_status compile_drops(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_constants *constants = &world->constants;
    constants->drop_matter = dr_arena_alloc(&constants->arena, (size_t)list->count * sizeof *constants->drop_matter);
    if (list->count > 0 && !constants->drop_matter) return dr_error_memory(error, "reading strands");
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        const dr_strands_spec *spec = &list->items[i];
        constants->drop_matter[i] = -1;
        if (!drips_liquid(constants, scene, spec)) continue;
        constants->drop_matter[i] = constants->matter_count;
        if (constants->liquid.per_cell < DR_DROPS_PER_CELL) constants->liquid.per_cell = DR_DROPS_PER_CELL;
        const char *const liquid = dr_film_liquid(scene, spec);
        dr_status found = compile_matter(world, scene, "strands", spec->name, &liquid, spec, error);
        if (found != DR_STATUS_OK) status = found;
    }
    return status;
}

static dr_status compile_drains(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_drain_list *list = &dr_scene_view(scene)->drains;
    dr_constants *constants = &world->constants;
    constants->drains = dr_arena_alloc(&constants->arena, (size_t)list->count * sizeof(dr_drain));
    if (!constants->drains) return dr_error_memory(error, "reading drains");
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        dr_drain *drain = &constants->drains[constants->drain_count++];
        *drain = (dr_drain){.spec = list->items[i]};
        dr_status found = dr_shape_create(scene, &list->items[i].shape, world->allocator, &drain->shape, error);
        if (found != DR_STATUS_OK) status = found;
    }
    return status;
}

static dr_status compile_forces(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_force_list *list = &dr_scene_view(scene)->forces;
    dr_constants *constants = &world->constants;
    constants->forces = dr_arena_alloc(&constants->arena, (size_t)list->count * sizeof(dr_force_field));
    if (!constants->forces) return dr_error_memory(error, "reading forces");
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        dr_force_field *field = &constants->forces[constants->force_count++];
        *field = (dr_force_field){.spec = list->items[i]};
        if (list->items[i].within.kind == DR_SHAPE_NONE) continue;
        dr_status found = dr_shape_create(scene, &list->items[i].within, world->allocator, &field->within, error);
        if (found != DR_STATUS_OK) status = found;
    }
    return status;
}

// Particles per cell of the densest liquid.
static int64_t densest(const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    int64_t most = 1;
    for (int i = 0; i < spec->bodies.count; i++) {
        const dr_body_spec *body = &spec->bodies.items[i];
        if (dr_film_is_liquid(scene, body->material) && body->particles_per_cell > most)
            most = body->particles_per_cell;
    }
    for (int i = 0; i < spec->emitters.count; i++) {
        const dr_emitter_spec *emitter = &spec->emitters.items[i];
        if (dr_film_is_liquid(scene, emitter->material) && emitter->particles_per_cell > most)
            most = emitter->particles_per_cell;
    }
    return most;
}

static void compile_settings(dr_world *world, const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_constants *constants = &world->constants;
    constants->seed = (uint64_t)spec->seed;
    memcpy(constants->gravity, spec->gravity, sizeof constants->gravity);
    memcpy(constants->liquid.gravity, spec->gravity, sizeof constants->gravity);
    constants->liquid.per_cell = densest(scene);
    constants->liquid.deconvolve = (dr_deconvolve)spec->transfer.deconvolve;
    constants->time = spec->time;
    constants->damping = spec->transfer.damping;
    constants->damping_step = spec->transfer.damping_step;
    constants->has_thin = spec->cloths.count > 0;
    for (int i = 0; i < spec->strands.count; i++)
        constants->has_thin = constants->has_thin || spec->strands.items[i].contact == DR_MEET_GRID;
    constants->transfer = (dr_transfer){.kernel = (dr_kernel)spec->transfer.kernel,
                                        .scheme = (dr_scheme)spec->transfer.scheme,
                                        .flip_blend = spec->transfer.flip_blend};
}

uint64_t dr_world_random_key(const dr_world *world, int purpose, int index)
{
    uint64_t words[3] = {world->constants.seed, (uint64_t)purpose, (uint64_t)index};
    return dr_hash_bytes(words, sizeof words, 0);
}

// Liquid has the one kernel that suits its faces: to ask for another is a mistake where there is nothing else.
static dr_status check_kernel(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_transfer_spec *transfer = &dr_scene_view(scene)->transfer;
    bool other = world->constants.has_thin;
    for (int i = 0; i < world->constants.matter_count; i++)
        other = other || world->constants.matter[i].kind != DR_MATERIAL_LIQUID;
    if (!world->constants.has_liquid || other || transfer->kernel == DR_KERNEL_QUADRATIC) return DR_STATUS_OK;
    dr_scene_error(scene, &transfer->kernel, transfer, error, "transfer: liquid goes by the quadratic kernel alone");
    dr_error_hint(error, "leave the kernel out; it is that of dust and elastic matter, and this scene has neither");
    return DR_STATUS_BAD_SCENE;
}

dr_status dr_constants_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    dr_arena_open(&world->constants.arena, world->allocator);
    compile_settings(world, scene);
    dr_status (*const parts[])(dr_world *, const dr_scene *, dr_error *) = {
        compile_domain, compile_bodies, compile_emitters, compile_drops, compile_drains, compile_forces, check_kernel};
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        dr_status found = parts[i](world, scene, error);
        if (found == DR_STATUS_NO_MEMORY) return found;
        if (found != DR_STATUS_OK) status = found;
    }
    dr_status found = dr_collider_set_create(scene, world->allocator, &world->constants.colliders, error);
    if (found != DR_STATUS_OK) return found;
    found = dr_follow_compile(world, scene, error);
    if (found != DR_STATUS_OK) return found;
    dr_follow_arrive(world, 0.0);
    found = dr_liquid_stage_open(world, error);
    return found == DR_STATUS_OK ? status : found;
}

void dr_constants_free(dr_world *world)
{
    dr_constants *constants = &world->constants;
    for (int i = 0; i < constants->emitter_count; i++) dr_shape_destroy(constants->emitters[i].shape);
    for (int i = 0; i < constants->drain_count; i++) dr_shape_destroy(constants->drains[i].shape);
    for (int i = 0; i < constants->force_count; i++) dr_shape_destroy(constants->forces[i].within);
    dr_collider_set_destroy(constants->colliders);
    dr_arena_close(&constants->arena);
}
