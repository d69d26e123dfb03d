// Contact of strands within the step: what the scene says of it, the stage, its verdict and its report.
// docs/theory/contact.md, "The stage".
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what the scene says

// All strands that meet at all meet by one model.
static dr_status find_model(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    const dr_strands_spec *first = NULL;
    for (int i = 0; i < list->count; i++) {
        const dr_strands_spec *spec = &list->items[i];
        if (spec->contact == DR_MEET_NONE || spec->contact == DR_MEET_GRID) continue;
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
    return (dr_film_is_given(&kind->spec) || kind->spec.film_capture != 0.0) && kind->spec.contact != DR_MEET_NONE;
}

static dr_contact_law law_of(const dr_material_spec *film)
{
    dr_contact_law law = {.surface_tension = film->surface_tension, .contact_angle = film->contact_angle};
    dr_rheology liquid;
    dr_rheology_compile(film, &liquid);
    law.goo = (dr_bridge_goo){sqrt(1.5) * liquid.yield, liquid.consistency, liquid.index}; // von Mises' yield stress
    if (!(liquid.yield > 0.0)) law.goo = (dr_bridge_goo){.index = 1.0};
    return law;
}

// The liquid of every kind of strands; one without surface tension or yield stress is dry.
static dr_status find_liquids(dr_world *world, const dr_scene *scene, dr_error *error)
{
    dr_constants *constants = &world->constants;
    dr_contact_law *laws =
        dr_arena_alloc(&constants->arena, (size_t)constants->strand_kind_count * sizeof(dr_contact_law));
    if (!laws) return dr_error_memory(error, "reading strands");
    for (int i = 0; i < constants->strand_kind_count; i++) {
        const dr_strand_kind *kind = &constants->strand_kinds[i];
        bool holds =
            is_wet(kind) && dr_scene_view(scene)->contact.bridges && kind->film.contact_angle <= DR_STRAND_WIDEST;
        laws[i] = holds ? law_of(&kind->film) : (dr_contact_law){0};
    }
    constants->strand_laws = laws;
    constants->contact.laws = laws;
    constants->contact.law_count = constants->strand_kind_count;
    return DR_STATUS_OK;
}

dr_status dr_strand_contact_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_contact_spec *spec = &dr_scene_view(scene)->contact;
    dr_contact_choice *choice = &world->constants.contact;
    world->constants.bridge_flow = spec->bridges && spec->bridge_flow;
    choice->settings = (dr_contact_settings){(int)spec->sweeps, spec->tolerance, 0.0, 0.0};
    choice->rounds = (int)spec->rounds;
    choice->bends = (int)spec->bends;
    choice->penalty = (dr_penalty){spec->stiffness, spec->rest_distance};
    dr_status status = find_model(world, scene, error);
    return status == DR_STATUS_OK ? find_liquids(world, scene, error) : status;
}

// ---- memory

// Kinds of one contact angle share their tables.
static bool make_tables(dr_world *world, int index)
{
    dr_contact_law *laws = world->constants.strand_laws, *law = &laws[index];
    dr_bridge_sides pair = {{1.0, 1.0}, {law->contact_angle, law->contact_angle}}, plane = pair;
    if (!(law->surface_tension > 0.0) && !(law->goo.yield_stress > 0.0)) return true;
    for (int i = 0; i < index; i++) {
        if (!laws[i].pair || laws[i].contact_angle != law->contact_angle) continue;
        law->pair = laws[i].pair;
        law->plane = laws[i].plane;
        return true;
    }
    plane.radius[1] = INFINITY;
    law->pair = world->contact.tables[2 * index] = dr_bridge_table_create(&pair, world->allocator);
    law->plane = world->contact.tables[2 * index + 1] = dr_bridge_table_create(&plane, world->allocator);
    return law->pair && law->plane;
}

static bool make_all_tables(dr_world *world)
{
    int kinds = world->constants.strand_kind_count;
    world->contact.tables = dr_memory_alloc(world->allocator, 2 * (size_t)kinds * sizeof *world->contact.tables);
    bool ok = world->contact.tables != NULL;
    for (int i = 0; i < kinds && ok; i++) ok = make_tables(world, i);
    return ok;
}

dr_status dr_strand_contact_open(dr_world *world, dr_error *error)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_contact *contact = &world->contact;
    if (!world->constants.strands_meet) return DR_STATUS_OK;
    contact->stage = dr_contact_stage_create(world->allocator);
    contact->idle = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *contact->idle);
    contact->touched = dr_memory_alloc(world->allocator, (size_t)strands->count * sizeof *contact->touched);
    if (!contact->stage || !contact->idle || !contact->touched || !make_all_tables(world))
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
    dr_memory_free(world->allocator, contact->touched, (size_t)world->state.strands.count * sizeof *contact->touched);
    size_t tables = 2 * (size_t)world->constants.strand_kind_count;
    for (size_t i = 0; contact->tables && i < tables; i++)
        dr_bridge_table_destroy(contact->tables[i], world->allocator);
    dr_memory_free(world->allocator, contact->tables, tables * sizeof *contact->tables);
    dr_contact_memory_free(&world->state.contacts, world->allocator);
    *contact = (dr_strand_contact){0};
}

// ---- the step

// Whether a solve without end has left more than contact had to stop.
static bool leads_away(const dr_solve_report *solve)
{
    return solve->reason == DR_REASON_ITERATIONS && solve->residual > 1.0;
}

// A shorter step first, where contact makes things worse or scripts pull strands into what they cannot pass. What is
// driven through each other in the end is the script's wish, and the report says so.
static void judge(dr_world *world, dr_try *attempt)
{
    dr_strand_contact *contact = &world->contact;
    const dr_contact_outcome *outcome = &contact->outcome;
    bool worse = leads_away(&outcome->solve);
    bool strained = worse || outcome->rough || outcome->strained + outcome->blocked > 0;
    if (outcome->solve.reason == DR_REASON_NOT_FINITE) {
        attempt->rejected = true;
        attempt->reason = "contact came to what is not a finite number";
    } else if (outcome->crowded) {
        attempt->rejected = true;
        attempt->reason = "strands move so far in a step that nearly all of them might meet";
    } else if (contact->rejections < DR_STRAND_PATIENCE && strained &&
               attempt->dt * world->constants.time.frame_rate > DR_STRAND_SHORTEST) {
        contact->rejections++;
        attempt->rejected = true;
        attempt->reason = worse            ? "contact of strands did not converge"
                          : outcome->rough ? "contact bends strands too far in a step"
                                           : "scripts pull strands through others";
    } else {
        attempt->forced = attempt->forced || strained;
    }
    attempt->strands = attempt->rejected;
}

// Which strands contact acts on. Returns whether any of them was predicted by two stages.
static bool find_touched(dr_world *world)
{
    dr_strand_contact *contact = &world->contact;
    const bool *touched = dr_contact_stage_touched(contact->stage);
    bool any = false;
    for (int s = 0; s < world->state.strands.count; s++) {
        contact->touched[s] = touched[s] || dr_strand_solver_corrected(world->strands.solver, s);
        any = any || (contact->touched[s] && world->strands.order[s] == DR_STRAND_TR_BDF2);
    }
    return any;
}

// A velocity that jumps has no second order: groups that contact acts on go by one stage, in the end all.
// docs/theory/rods.md, "Two stages".
static void simplify(dr_world *world, bool all)
{
    for (int k = 0; k < world->constants.strand_kind_count; k++) {
        const dr_strand_kind *kind = &world->constants.strand_kinds[k];
        bool touched = all;
        for (int s = kind->first; s < kind->first + kind->count; s++) touched = touched || world->contact.touched[s];
        if (touched) memset(world->strands.order + kind->first, DR_STRAND_EULER, (size_t)kind->count);
    }
}

static bool meet(dr_world *world, dr_try *attempt)
{
    dr_strand_contact *contact = &world->contact;
    const dr_constants *constants = &world->constants;
    if (!constants->strands_meet || attempt->rejected) return true;
    dr_contact_meeting meeting = {
        .solver = world->strands.solver,
        .strands = &world->state.strands,
        .idle = contact->idle,
        .exposed = dr_film_stage_exposed(world),
        .step = &world->strands.step,
        .colliders = constants->colliders,
        .collider_speed = dr_collider_set_speed(constants->colliders, attempt->end - attempt->dt, attempt->end,
                                                (const double[3]){0.0, 0.0, 0.0}),
        .memory = &world->state.contacts,
        .last =
            contact->rejections >= DR_STRAND_PATIENCE || attempt->dt * constants->time.frame_rate <= DR_STRAND_SHORTEST,
        .order = world->strands.order,
    };
    if (!dr_contact_stage_run(contact->stage, &constants->contact, &world->par, &meeting, &contact->outcome))
        return false;
    if (contact->outcome.staged) return true;
    judge(world, attempt);
    return dr_contact_stage_reserve(contact->stage, world->allocator, &world->state.contacts);
}

bool dr_strand_contact_run(dr_world *world, dr_try *attempt)
{
    if (!world->constants.strands_meet || attempt->rejected) return true;
    for (int round = 0;; round++) {
        if (!meet(world, attempt)) return false;
        if (attempt->rejected || !find_touched(world)) return true;
        simplify(world, round >= DR_STRAND_REPEATS);
        if (!dr_strand_stage_repeat(world, attempt)) return false;
        if (attempt->rejected) return true;
    }
}

void dr_strand_contact_commit(dr_world *world)
{
    if (!world->constants.strands_meet) return;
    dr_contact_stage_commit(world->contact.stage, &world->state.contacts);
    world->contact.rejections = 0;
}

void dr_strand_contact_report(dr_world *world)
{
    dr_report *report = &world->report;
    const dr_contact_outcome *outcome = &world->contact.outcome;
    report->contacts = (int64_t)outcome->contacts;
    report->held = outcome->held;
    dr_account_solve(world, &outcome->solve);
    if (outcome->blocked == 0 || report->warning_count >= DR_REPORT_WARNINGS) return;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0],
             "scripts drove %ld pairs of edges of strands through each other", outcome->blocked);
}
