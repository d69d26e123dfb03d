// Contact of strands within the step: what the scene says of it, the stage, its verdict and its report.
// docs/theory/contact.md, "The stage".
#include "world/world.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define PATIENCE    4   // halvings of the step for strands that scripts pull through others; then they are stretched
#define WIDEST      1.5 // contact angle, rad, beyond which liquid does not hold strands together
#define NEWTONIAN_N 1.0

// ---- what the scene says

// All strands that meet at all meet by one model.
static dr_status find_model(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    const dr_strands_spec *first = NULL;
    for (int i = 0; i < list->count; i++) {
        const dr_strands_spec *spec = &list->items[i];
        if (spec->contact == DR_MEET_NONE) continue;
        if (!first) first = spec;
        if (spec->contact != first->contact)
            return dr_scene_error(
                scene, &spec->contact, spec, error,
                "strands \"%s\": contact differs from that of strands \"%s\"; all that meet must meet "
                "by one model",
                spec->name, first->name);
    }
    world->constants.strands_meet = first != NULL;
    world->constants.contact.model = first && first->contact == DR_MEET_PENALTY ? DR_CONTACT_PENALTY : DR_CONTACT_CONE;
    return DR_STATUS_OK;
}

static bool is_wet(const dr_strand_kind *kind)
{
    return kind->spec.film_height > 0.0 && kind->spec.contact != DR_MEET_NONE;
}

// The liquid between strands: one for all of them.
static dr_status find_liquid(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_material_spec *film = NULL;
    dr_contact_law *law = &world->constants.contact.law;
    for (int i = 0; i < world->constants.strand_kind_count; i++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[i];
        const dr_strands_spec *spec = &dr_scene_view(scene)->strands.items[i];
        if (!is_wet(kind)) continue;
        if (film && (film->surface_tension != kind->film.surface_tension ||
                     film->contact_angle != kind->film.contact_angle || film->yield_stress != kind->film.yield_stress))
            return dr_scene_error(scene, &spec->film_material, spec, error,
                                  "strands \"%s\": their liquid differs from that of other strands", spec->name);
        film = &kind->film;
    }
    if (!film || !dr_scene_view(scene)->contact.bridges || film->contact_angle > WIDEST) return DR_STATUS_OK;
    *law = (dr_contact_law){.surface_tension = film->surface_tension, .contact_angle = film->contact_angle};
    law->goo = (dr_bridge_goo){film->yield_stress, film->consistency, film->flow_index};
    if (!(film->yield_stress > 0.0)) law->goo = (dr_bridge_goo){0.0, 0.0, NEWTONIAN_N};
    return DR_STATUS_OK;
}

dr_status dr_strand_contact_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_contact_spec *spec = &dr_scene_view(scene)->contact;
    dr_contact_choice *choice = &world->constants.contact;
    choice->settings = (dr_contact_settings){(int)spec->sweeps, spec->tolerance, 0.0};
    choice->rounds = (int)spec->rounds;
    choice->bends = (int)spec->bends;
    choice->penalty = (dr_penalty){spec->stiffness, spec->rest_distance};
    dr_status status = find_model(world, scene, error);
    return status == DR_STATUS_OK ? find_liquid(world, scene, error) : status;
}

// ---- memory

static bool make_tables(dr_world *world)
{
    dr_contact_law *law = &world->constants.contact.law;
    dr_bridge_sides pair = {{1.0, 1.0}, {law->contact_angle, law->contact_angle}}, plane = pair;
    if (!(law->surface_tension > 0.0)) return true;
    plane.radius[1] = INFINITY;
    world->contact.pair = dr_bridge_table_create(&pair, world->allocator);
    world->contact.plane = dr_bridge_table_create(&plane, world->allocator);
    law->pair = world->contact.pair;
    law->plane = world->contact.plane;
    return law->pair && law->plane;
}

dr_status dr_strand_contact_open(dr_world *world, dr_error *error)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_contact *contact = &world->contact;
    if (!world->constants.strands_meet) return DR_STATUS_OK;
    contact->stage = dr_contact_stage_create(world->allocator);
    contact->idle = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *contact->idle);
    if (!contact->stage || !contact->idle || !make_tables(world))
        return dr_error_memory(error, "making room for contact");
    for (int s = 0; s < strands->count; s++)
        contact->idle[s] = world->constants.strand_kinds[strands->body[s]].spec.contact == DR_MEET_NONE;
    return DR_STATUS_OK;
}

void dr_strand_contact_close(dr_world *world)
{
    dr_strand_contact *contact = &world->contact;
    dr_contact_stage_destroy(contact->stage);
    dr_memory_free(world->allocator, contact->idle, (size_t)world->state.strands.count * sizeof *contact->idle);
    dr_bridge_table_destroy(contact->pair, world->allocator);
    dr_bridge_table_destroy(contact->plane, world->allocator);
    dr_contact_memory_free(&world->state.contacts, world->allocator);
    *contact = (dr_strand_contact){0};
}

// ---- the step

// A shorter step first, where scripts pull strands into what they cannot pass. What is driven through each other in the
// end is the script's wish, and the report says so.
static void judge(dr_world *world, dr_try *attempt)
{
    dr_strand_contact *contact = &world->contact;
    const dr_contact_outcome *outcome = &contact->outcome;
    bool strained = outcome->rough || outcome->strained + outcome->blocked > 0;
    if (outcome->solve.reason == DR_REASON_NOT_FINITE) {
        attempt->rejected = true;
        attempt->reason = "contact came to what is not a finite number";
    } else if (outcome->crowded) {
        attempt->rejected = true;
        attempt->reason = "strands move so far in a step that nearly all of them might meet";
    } else if (contact->rejections < PATIENCE && strained) {
        contact->rejections++;
        attempt->rejected = true;
        attempt->reason =
            outcome->rough ? "contact bends strands too far in a step" : "scripts pull strands through others";
    } else {
        attempt->forced = attempt->forced || strained;
    }
    attempt->strands = attempt->rejected;
}

bool dr_strand_contact_run(dr_world *world, dr_try *attempt)
{
    dr_strand_contact *contact = &world->contact;
    const dr_constants *constants = &world->constants;
    dr_contact_meeting meeting = {
        .solver = world->strands.solver,
        .strands = &world->state.strands,
        .idle = contact->idle,
        .step = &world->strands.step,
        .colliders = constants->colliders,
        .collider_speed = dr_collider_set_speed(constants->colliders, attempt->end - attempt->dt, attempt->end),
        .memory = &world->state.contacts,
        .last = contact->rejections >= PATIENCE,
    };
    bool ok = dr_contact_stage_run(contact->stage, &constants->contact, &world->par, &meeting, &contact->outcome) &&
              dr_contact_stage_reserve(contact->stage, world->allocator, &world->state.contacts);
    if (ok) judge(world, attempt);
    return ok;
}

void dr_strand_contact_commit(dr_world *world)
{
    dr_contact_stage_commit(world->contact.stage, &world->state.contacts);
    world->contact.rejections = 0;
}

void dr_strand_contact_report(dr_world *world)
{
    dr_report *report = &world->report;
    const dr_contact_outcome *outcome = &world->contact.outcome;
    report->contacts = (int64_t)outcome->contacts;
    report->held = outcome->held;
    report->solves[report->solve_count++] = outcome->solve;
    if (outcome->blocked == 0 || report->warning_count >= DR_REPORT_WARNINGS) return;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0],
             "scripts drove %ld pairs of edges of strands through each other", outcome->blocked);
}
