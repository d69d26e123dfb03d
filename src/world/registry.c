// The records of a world's state, and what of a checkpoint is believed. A damaged file may say anything: what the step
// relies on is looked at before it becomes state.
#include "world/world.h"

#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

// ---- the ledger: values of the state itself

#define VALUE(name, type)                                                                                              \
    {                                                                                                                  \
#name, offsetof(dr_state, name), type, 1, "", ""                                                               \
    }

static const dr_column ledger_columns[] = {
    VALUE(time, DR_TYPE_FLOAT64),           VALUE(step, DR_TYPE_INT64),
    VALUE(next_id, DR_TYPE_UINT64),         VALUE(emitted, DR_TYPE_INT64),
    VALUE(drained, DR_TYPE_INT64),          VALUE(culled, DR_TYPE_INT64),
    VALUE(drained_volume, DR_TYPE_FLOAT64), VALUE(bubble_volume, DR_TYPE_FLOAT64),
    VALUE(bubble_lost, DR_TYPE_FLOAT64),    VALUE(step_limit, DR_TYPE_FLOAT64),
    VALUE(step_failed, DR_TYPE_FLOAT64),
};
static const dr_column_table ledger_table = {ledger_columns, (int)(sizeof ledger_columns / sizeof *ledger_columns)};

static dr_status inspect_ledger(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_state *state = owner;
    return state->step >= 0 && isfinite(state->time) ? DR_STATUS_OK
                                                     : dr_error_add(error, DR_STATUS_IO, "checkpoint: it has no time");
}

// ---- colliders

static bool has_colliders(const dr_world *world)
{
    return world->state.steers.count > 0;
}

// ---- particles

static dr_status inspect_particles(const dr_world *world, const dr_particles *particles, int set, dr_error *error)
{
    for (size_t p = 0; p < particles->count; p++) {
        if (particles->body[p] >= (uint32_t)world->constants.matter_count ||
            dr_matter_set(&world->constants.matter[particles->body[p]]) != set)
            return dr_error_add(error, DR_STATUS_IO, "checkpoint: particle %zu belongs to no body of this scene", p);
        for (size_t i = 3 * p; i < 3 * p + 3; i++) {
            if (!(particles->offset[i] >= 0.0f && particles->offset[i] < 4.0f))
                return dr_error_add(error, DR_STATUS_IO, "checkpoint: particle %zu lies outside its block", p);
        }
    }
    return DR_STATUS_OK;
}

static const dr_column_table *choose_particle_columns(const dr_world *world)
{
    return dr_particles_columns(&world->state.particles);
}

static dr_status inspect_solids(const dr_world *world, const void *owner, dr_error *error)
{
    return inspect_particles(world, owner, DR_SET_NODES, error);
}

static dr_status inspect_liquid(const dr_world *world, const void *owner, dr_error *error)
{
    return inspect_particles(world, owner, DR_SET_LIQUID, error);
}

static bool has_liquid(const dr_world *world)
{
    return world->constants.has_liquid;
}

// Thick liquids carry their strain.
static const dr_column_table *liquid_columns(const dr_world *world)
{
    return world->constants.liquid.thick ? &dr_thick_particle_columns : &dr_plain_particle_columns;
}

static dr_status inspect_pressure(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    return dr_warm_start_is_sound(owner) ? DR_STATUS_OK
                                         : dr_error_add(error, DR_STATUS_IO, "checkpoint: its pressure is none");
}

// ---- strands

static bool has_strands(const dr_world *world)
{
    return world->state.strands.count > 0;
}

static dr_status inspect_strands(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_strands *strands = owner;
    for (int i = 0; i < dr_strand_state.count; i++) {
        const dr_column *column = &dr_strand_state.columns[i];
        const double *data = *(double *const *)((const char *)owner + column->slot);
        for (size_t k = 0; k < strands->vertices * (size_t)column->components; k++) {
            if (!isfinite(data[k]))
                return dr_error_add(error, DR_STATUS_IO, "checkpoint: \"strands/%s\" holds what is no number",
                                    column->name);
        }
    }
    return DR_STATUS_OK;
}

static bool has_film(const dr_world *world)
{
    return world->state.film.vertices > 0;
}

static const dr_column_table *film_columns(const dr_world *world)
{
    return dr_film_table(dr_film_stage_thick(world), world->state.film.liquids);
}

static dr_status inspect_film(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_film *film = owner;
    bool sound = true;
    for (size_t v = 0; v < film->vertices; v++) {
        const double *owed = film->impulse + 3 * v;
        sound = sound && film->volume[v] >= 0.0 && isfinite(film->volume[v] + film->velocity[v]) &&
                isfinite(owed[0] + owed[1] + owed[2]) && (!film->strain || isfinite(film->strain[v]));
        for (int k = 0; k < film->liquids; k++)
            sound = sound && film->mix[(size_t)film->liquids * v + (size_t)k] >= 0.0;
    }
    return sound ? DR_STATUS_OK : dr_error_add(error, DR_STATUS_IO, "checkpoint: the film on its strands is none");
}

static bool strands_meet(const dr_world *world)
{
    return world->constants.strands_meet;
}

static bool on_strand(const dr_strands *strands, int32_t strand, int32_t vertex)
{
    return strand >= 0 && strand < strands->count && vertex >= strands->first[strand] &&
           vertex + 1 < strands->first[strand + 1];
}

// Whether a contact is between places of this scene's strands and colliders.
static bool is_contact(const dr_world *world, const int32_t *who, const double *where)
{
    const dr_strands *strands = &world->state.strands;
    bool second = who[1] == -1
                      ? who[3] == -1 && who[4] >= 0 && who[4] < dr_collider_set_count(world->constants.colliders)
                      : who[4] == -1 && on_strand(strands, who[1], who[3]);
    bool numbers = true;
    for (int i = 0; i < DR_CONTACT_WHERE; i++) numbers = numbers && isfinite(where[i]);
    // A link of the penalty model may begin at the tip.
    bool first = on_strand(strands, who[0], who[2]) || on_strand(strands, who[0], who[2] - 1);
    return first && second && numbers;
}

static dr_status inspect_contacts(const dr_world *world, const void *owner, dr_error *error)
{
    const dr_contact_memory *contacts = owner;
    for (size_t k = 0; k < contacts->count; k++) {
        const int32_t *row = contacts->who + DR_CONTACT_WHO * k;
        bool solids = k > 0 && row[4] >= 0 && row[4 - DR_CONTACT_WHO] < 0; // of the penalty model: after its links
        bool springs = world->constants.contact.model == DR_CONTACT_PENALTY;
        bool sorted = k == 0 || row[2] >= row[2 - DR_CONTACT_WHO] || (springs && solids);
        if (!sorted || !is_contact(world, row, contacts->where + DR_CONTACT_WHERE * k))
            return dr_error_add(error, DR_STATUS_IO, "checkpoint: contact %zu is none of this scene's strands", k);
    }
    return DR_STATUS_OK;
}

// ---- cloth and yarn on the grid

static bool has_cloth(const dr_world *world)
{
    return world->state.cloth.elements > 0;
}

static bool has_yarn(const dr_world *world)
{
    return world->state.yarn.elements > 0;
}

static dr_status inspect_numbers(const double *numbers, size_t count, const char *name, dr_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(numbers[i]))
            return dr_error_add(error, DR_STATUS_IO, "checkpoint: \"%s\" holds what is no number", name);
    }
    return DR_STATUS_OK;
}

static dr_status inspect_mesh(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_manifold *mesh = owner;
    return inspect_numbers(mesh->position, 3 * mesh->vertices, "position", error);
}

static dr_status inspect_triangles(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_manifold *mesh = owner;
    return inspect_numbers(mesh->direction, 3 * mesh->elements, "direction", error);
}

static dr_status inspect_segments(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_manifold *mesh = owner;
    return inspect_numbers(mesh->direction, 6 * mesh->elements, "direction", error);
}

static dr_status inspect_frames(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_rods *rods = owner;
    dr_status status = inspect_numbers(rods->director, 3 * rods->vertices, "director", error);
    return status == DR_STATUS_OK ? inspect_numbers(rods->twist, rods->vertices, "twist", error) : status;
}

// ---- what rows stand for

static uint64_t hash_mesh(const dr_manifold *mesh, uint64_t seed)
{
    size_t corners = (size_t)mesh->corners * mesh->elements;
    return dr_hash_bytes(mesh->index, corners * sizeof *mesh->index, seed + mesh->vertices);
}

static uint64_t order_cloth(const dr_world *world)
{
    const dr_manifold *mesh = &world->state.cloth;
    const uint32_t *number = world->cloth.number;
    return hash_mesh(mesh, dr_hash_bytes(number, mesh->vertices * sizeof *number, 0));
}

static uint64_t order_yarn(const dr_world *world)
{
    const uint32_t *curves = world->cloth.curves;
    return hash_mesh(&world->state.yarn, dr_hash_bytes(curves, (world->cloth.curve_count + 1) * sizeof *curves, 0));
}

static uint64_t order_strands(const dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    return dr_hash_bytes(strands->first, ((size_t)strands->count + 1) * sizeof *strands->first, 0);
}

// ---- the table

#define OWNER(type, place)             .owner = offsetof(struct dr_world, place), .bytes = sizeof(type)
#define ROWS(kind, type, number, room) .rows = (kind), .count = offsetof(type, number), .capacity = offsetof(type, room)

const dr_record dr_registry[DR_RECORD_COUNT] = {
    [DR_RECORD_LEDGER] = {.name = "ledger",
                          .columns = &ledger_table,
                          .rows = DR_ROWS_ONE,
                          OWNER(dr_state, state),
                          .inspect = inspect_ledger},
    [DR_RECORD_EMITTERS] = {.name = "emitters",
                            .columns = &dr_emitter_columns,
                            OWNER(dr_emitter_states, state.emitters),
                            ROWS(DR_ROWS_SCENE, dr_emitter_states, count, capacity)},
    [DR_RECORD_STEERS] = {.name = "steers",
                          .columns = &dr_steer_columns,
                          OWNER(dr_steers, state.steers),
                          ROWS(DR_ROWS_SCENE, dr_steers, count, capacity),
                          .present = has_colliders,
                          .inspect = dr_control_inspect},
    [DR_RECORD_PARTICLES] = {.name = "particles",
                             .choose = choose_particle_columns,
                             OWNER(dr_particles, state.particles),
                             ROWS(DR_ROWS_ANY, dr_particles, count, capacity),
                             .inspect = inspect_solids,
                             .view = dr_view_particles,
                             .budget = dr_account_particles},
    [DR_RECORD_LIQUID] = {.name = "liquid",
                          .columns = &dr_plain_particle_columns,
                          .choose = liquid_columns,
                          OWNER(dr_particles, state.liquid),
                          ROWS(DR_ROWS_ANY, dr_particles, count, capacity),
                          .present = has_liquid,
                          .inspect = inspect_liquid,
                          .view = dr_view_liquid,
                          .budget = dr_account_liquid,
                          .report = dr_liquid_stage_report},
    [DR_RECORD_PRESSURE] = {.name = "pressure",
                            .columns = &dr_warm_start_columns,
                            OWNER(dr_warm_start, state.guess),
                            ROWS(DR_ROWS_ANY, dr_warm_start, count, capacity),
                            .present = has_liquid,
                            .inspect = inspect_pressure},
    [DR_RECORD_STRANDS] = {.name = "strands",
                           .columns = &dr_strand_state,
                           OWNER(dr_strands, state.strands),
                           ROWS(DR_ROWS_SCENE, dr_strands, vertices, state_capacity),
                           .present = has_strands,
                           .order = order_strands,
                           .inspect = inspect_strands,
                           .view = dr_strand_stage_view,
                           .budget = dr_strand_stage_account,
                           .report = dr_strand_stage_report},
    [DR_RECORD_STRAND_STEPS] = {.name = "strand_steps",
                                .columns = &dr_strand_steps,
                                OWNER(dr_strands, state.strands),
                                ROWS(DR_ROWS_SCENE, dr_strands, calm_count, calm_capacity),
                                .present = has_strands,
                                .order = order_strands},
    [DR_RECORD_FILM] = {.name = "film",
                        .columns = &dr_film_columns,
                        .choose = film_columns,
                        OWNER(dr_film, state.film),
                        ROWS(DR_ROWS_SCENE, dr_film, vertices, capacity),
                        .present = has_film,
                        .order = order_strands,
                        .inspect = inspect_film,
                        .budget = dr_film_stage_account},
    [DR_RECORD_CONTACTS] = {.name = "contacts",
                            .columns = &dr_contact_columns,
                            OWNER(dr_contact_memory, state.contacts),
                            ROWS(DR_ROWS_ANY, dr_contact_memory, count, capacity),
                            .present = strands_meet,
                            .inspect = inspect_contacts,
                            .report = dr_strand_contact_report},
    [DR_RECORD_CLOTH] = {.name = "cloth",
                         .columns = &dr_manifold_vertex_columns,
                         OWNER(dr_manifold, state.cloth),
                         ROWS(DR_ROWS_SCENE, dr_manifold, vertices, vertex_capacity),
                         .present = has_cloth,
                         .order = order_cloth,
                         .inspect = inspect_mesh,
                         .view = dr_cloth_view,
                         .budget = dr_cloth_stage_account,
                         .report = dr_cloth_stage_report},
    [DR_RECORD_CLOTH_ELEMENTS] = {.name = "cloth_elements",
                                  .columns = &dr_manifold_triangle_columns,
                                  OWNER(dr_manifold, state.cloth),
                                  ROWS(DR_ROWS_SCENE, dr_manifold, elements, element_capacity),
                                  .present = has_cloth,
                                  .order = order_cloth,
                                  .inspect = inspect_triangles},
    [DR_RECORD_YARN] = {.name = "yarn",
                        .columns = &dr_manifold_vertex_columns,
                        OWNER(dr_manifold, state.yarn),
                        ROWS(DR_ROWS_SCENE, dr_manifold, vertices, vertex_capacity),
                        .present = has_yarn,
                        .order = order_yarn,
                        .inspect = inspect_mesh,
                        .view = dr_cloth_view_yarn,
                        .budget = dr_cloth_stage_account_yarn,
                        .report = dr_cloth_stage_report_yarn},
    [DR_RECORD_YARN_ELEMENTS] = {.name = "yarn_elements",
                                 .columns = &dr_manifold_segment_columns,
                                 OWNER(dr_manifold, state.yarn),
                                 ROWS(DR_ROWS_SCENE, dr_manifold, elements, element_capacity),
                                 .present = has_yarn,
                                 .order = order_yarn,
                                 .inspect = inspect_segments},
    [DR_RECORD_YARN_FRAMES] = {.name = "yarn_frames",
                               .columns = &dr_rods_columns,
                               OWNER(dr_rods, state.rods),
                               ROWS(DR_ROWS_SCENE, dr_rods, vertices, state_capacity),
                               .present = dr_cloth_rods_any,
                               .order = order_yarn,
                               .inspect = inspect_frames},
};

bool dr_record_is_present(const dr_record *record, const dr_world *world)
{
    return !record->present || record->present(world);
}

const dr_column_table *dr_record_columns(const dr_record *record, const dr_world *world)
{
    return record->choose ? record->choose(world) : record->columns;
}

uint64_t dr_record_layout(const dr_record *record, const dr_world *world)
{
    const dr_column_table *table = dr_record_columns(record, world);
    uint64_t hash = record->order ? record->order(world) : 0;
    for (int i = 0; i < table->count; i++) {
        const dr_column *column = &table->columns[i];
        const int32_t kind[2] = {(int32_t)column->type, column->components};
        hash = dr_hash_bytes(column->name, strlen(column->name), dr_hash_bytes(kind, sizeof kind, hash));
    }
    return hash;
}

void *dr_record_owner(const dr_record *record, dr_world *world)
{
    return (char *)world + record->owner;
}

size_t dr_record_count(const dr_record *record, const void *owner)
{
    return record->rows == DR_ROWS_ONE ? 1 : *(const size_t *)((const char *)owner + record->count);
}

const void *dr_record_data(const dr_record *record, const dr_column *column, const void *owner)
{
    const char *slot = (const char *)owner + column->slot;
    return record->rows == DR_ROWS_ONE ? slot : *(void *const *)slot;
}
