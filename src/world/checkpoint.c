// The state as named arrays, out and in again. The arrays are all that persists: from them alone a run goes on with the
// same bits.
#include "world/world.h"

#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Everything but the particles, flat.
typedef struct ledger {
    double real[7];   // time, drained volume, enclosed air, what was lost of it, how fast liquid moved lately, steps
    int64_t whole[4]; // step, emitted, drained, culled
    uint64_t next_id[1];
} ledger;

static ledger make_ledger(const dr_state *state)
{
    return (ledger){{state->time, state->drained_volume, state->pocket_volume, state->pocket_lost, state->stir,
                     state->step_limit, state->step_failed},
                    {state->step, state->emitted, state->drained, state->culled},
                    {state->next_id}};
}

#define COLUMN_NAME 64

static const char *const set_names[DR_SET_COUNT] = {"particles", "liquid"};

static void column_name(int set, const char *column, char name[COLUMN_NAME])
{
    snprintf(name, COLUMN_NAME, "%s/%s", set_names[set], column);
}

static dr_status save_particles(const dr_particles *particles, int set, dr_state_visit visit, void *user,
                                dr_error *error)
{
    for (int i = 0; i < dr_particle_columns.count; i++) {
        const dr_column *column = &dr_particle_columns.columns[i];
        char name[COLUMN_NAME];
        column_name(set, column->name, name);
        const void *data = *(void *const *)((const char *)particles + column->slot);
        dr_frame_array array = {name, column->unit, column->type, column->components, particles->count, data};
        dr_status status = visit(user, &array, error);
        if (status != DR_STATUS_OK) return status;
    }
    return DR_STATUS_OK;
}

static void strand_name(const dr_column *column, char name[COLUMN_NAME])
{
    snprintf(name, COLUMN_NAME, "strands/%s", column->name);
}

static dr_status save_strands(const dr_strands *strands, dr_state_visit visit, void *user, dr_error *error)
{
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < dr_strand_state.count && status == DR_STATUS_OK && strands->count > 0; i++) {
        const dr_column *column = &dr_strand_state.columns[i];
        char name[COLUMN_NAME];
        strand_name(column, name);
        const void *data = *(void *const *)((const char *)strands + column->slot);
        dr_frame_array array = {name, column->unit, column->type, column->components, strands->vertices, data};
        status = visit(user, &array, error);
    }
    return status;
}

static dr_status save_contacts(const dr_contact_memory *contacts, dr_state_visit visit, void *user, dr_error *error)
{
    const dr_frame_array who = {"contacts/who", "", DR_TYPE_INT32, DR_CONTACT_WHO, contacts->count, contacts->who};
    const dr_frame_array where = {"contacts/where", "", DR_TYPE_FLOAT64, DR_CONTACT_WHERE, contacts->count,
                                  contacts->where};
    dr_status status = visit(user, &who, error);
    return status == DR_STATUS_OK ? visit(user, &where, error) : status;
}

static dr_status save_guess(const dr_guess *guess, dr_state_visit visit, void *user, dr_error *error)
{
    const dr_frame_array key = {"pressure/key", "", DR_TYPE_UINT64, 1, guess->count, guess->key};
    const dr_frame_array value = {"pressure/value", "", DR_TYPE_FLOAT32, DR_BLOCK_NODES, guess->count, guess->pressure};
    dr_status status = visit(user, &key, error);
    return status == DR_STATUS_OK ? visit(user, &value, error) : status;
}

dr_status dr_world_save(const dr_world *world, dr_state_visit visit, void *user, dr_error *error)
{
    const dr_state *state = &world->state;
    ledger book = make_ledger(state);
    const dr_frame_array arrays[] = {
        {"ledger/real", "", DR_TYPE_FLOAT64, 1, 7, book.real},
        {"ledger/whole", "", DR_TYPE_INT64, 1, 4, book.whole},
        {"ledger/next_id", "", DR_TYPE_UINT64, 1, 1, book.next_id},
        {"emitters", "", DR_TYPE_FLOAT64, 2, (size_t)world->constants.emitter_count, state->emitters},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        dr_status status = visit(user, &arrays[i], error);
        if (status != DR_STATUS_OK) return status;
    }
    dr_status status = save_particles(&state->particles, DR_SET_NODES, visit, user, error);
    if (status == DR_STATUS_OK) status = save_particles(&state->liquid, DR_SET_LIQUID, visit, user, error);
    if (status == DR_STATUS_OK && world->constants.has_liquid) status = save_guess(&state->guess, visit, user, error);
    if (status == DR_STATUS_OK) status = save_strands(&state->strands, visit, user, error);
    if (status == DR_STATUS_OK && world->constants.strands_meet)
        status = save_contacts(&state->contacts, visit, user, error);
    return status;
}

static dr_status hash_array(void *user, const dr_frame_array *array, dr_error *error)
{
    (void)error;
    uint64_t *hash = user;
    *hash = dr_hash_bytes(array->data, array->count * (size_t)array->components * dr_type_bytes(array->type), *hash);
    return DR_STATUS_OK;
}

uint64_t dr_world_hash(const dr_world *world)
{
    uint64_t hash = 0;
    dr_world_save(world, hash_array, &hash, NULL);
    return hash;
}

// ---- the way back

typedef struct reading {
    dr_state_fetch fetch;
    void *user;
    dr_error *error;
} reading;

// Fetches an array of that shape; count SIZE_MAX takes any number.
static dr_status fetch_array(const reading *from, const char *name, dr_type type, int components, size_t count,
                             dr_frame_array *array)
{
    dr_status status = from->fetch(from->user, name, array, from->error);
    if (status != DR_STATUS_OK) return status;
    if (array->type == type && array->components == components && (count == SIZE_MAX || array->count == count))
        return DR_STATUS_OK;
    return dr_error_add(from->error, DR_STATUS_IO,
                        "checkpoint: \"%s\" has %zu items of %d numbers, not what this scene keeps", name, array->count,
                        array->components);
}

static dr_status fetch_into(const reading *from, const char *name, dr_type type, int components, size_t count,
                            void *into)
{
    dr_frame_array array;
    dr_status status = fetch_array(from, name, type, components, count, &array);
    if (status == DR_STATUS_OK && count) memcpy(into, array.data, count * (size_t)components * dr_type_bytes(type));
    return status;
}

static dr_status fetch_particles(const reading *from, const dr_allocator *allocator, int set, dr_particles *particles)
{
    dr_frame_array id;
    char id_name[COLUMN_NAME];
    column_name(set, "id", id_name);
    dr_status status = fetch_array(from, id_name, DR_TYPE_UINT64, 1, SIZE_MAX, &id);
    if (status != DR_STATUS_OK) return status;
    size_t count = id.count;
    if (!dr_particles_reserve(particles, allocator, count)) return dr_error_memory(from->error, "reading a checkpoint");
    particles->count = count;
    for (int i = 0; i < dr_particle_columns.count && status == DR_STATUS_OK; i++) {
        const dr_column *column = &dr_particle_columns.columns[i];
        char name[COLUMN_NAME];
        column_name(set, column->name, name);
        status = fetch_into(from, name, column->type, column->components, count, *dr_column_pointer(column, particles));
    }
    return status;
}

// A damaged file may say anything: what the step relies on is looked at before it is believed.
static dr_status inspect(const dr_world *world, const dr_particles *particles, int set, dr_error *error)
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

// Their number and sizes are the scene's. All values must be numbers.
static dr_status fetch_strands(const reading *from, const dr_world *world, dr_strands *strands)
{
    const dr_strands *own = &world->state.strands;
    dr_status status = DR_STATUS_OK;
    if (own->count == 0) return status;
    if (!dr_columns_reserve(&dr_strand_state, strands, world->allocator, &strands->state_capacity, own->vertices))
        return dr_error_memory(from->error, "reading a checkpoint");
    for (int i = 0; i < dr_strand_state.count && status == DR_STATUS_OK; i++) {
        const dr_column *column = &dr_strand_state.columns[i];
        double *data = *dr_column_pointer(column, strands);
        char name[COLUMN_NAME];
        strand_name(column, name);
        status = fetch_into(from, name, column->type, column->components, own->vertices, data);
        for (size_t k = 0; k < own->vertices * (size_t)column->components && status == DR_STATUS_OK; k++) {
            if (!isfinite(data[k]))
                status = dr_error_add(from->error, DR_STATUS_IO, "checkpoint: \"%s\" holds what is no number", name);
        }
    }
    return status;
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

static dr_status fetch_contacts(const reading *from, const dr_world *world, dr_contact_memory *contacts)
{
    dr_frame_array who, where;
    if (!world->constants.strands_meet) return DR_STATUS_OK;
    dr_status status = fetch_array(from, "contacts/who", DR_TYPE_INT32, DR_CONTACT_WHO, SIZE_MAX, &who);
    if (status != DR_STATUS_OK) return status;
    size_t count = who.count;
    if (!dr_contact_memory_reserve(contacts, world->allocator, count))
        return dr_error_memory(from->error, "reading a checkpoint");
    if (count) memcpy(contacts->who, who.data, count * DR_CONTACT_WHO * sizeof *contacts->who);
    status = fetch_array(from, "contacts/where", DR_TYPE_FLOAT64, DR_CONTACT_WHERE, count, &where);
    if (status != DR_STATUS_OK) return status;
    if (count) memcpy(contacts->where, where.data, count * DR_CONTACT_WHERE * sizeof *contacts->where);
    contacts->count = count;
    for (size_t k = 0; k < count; k++) {
        const int32_t *row = contacts->who + DR_CONTACT_WHO * k;
        bool sorted = k == 0 || row[2] >= row[2 - DR_CONTACT_WHO];
        if (!sorted || !is_contact(world, row, contacts->where + DR_CONTACT_WHERE * k))
            return dr_error_add(from->error, DR_STATUS_IO, "checkpoint: contact %zu is none of this scene's strands",
                                k);
    }
    return DR_STATUS_OK;
}

// Makes the fetched values the state and leaves the old ones to be freed.
static void adopt_strands(dr_strands *into, dr_strands *fetched)
{
    for (int i = 0; i < dr_strand_state.count && into->count > 0; i++) {
        void **a = dr_column_pointer(&dr_strand_state.columns[i], into);
        void **b = dr_column_pointer(&dr_strand_state.columns[i], fetched), *old = *a;
        *a = *b;
        *b = old;
    }
    size_t capacity = into->state_capacity;
    if (into->count == 0) return;
    into->state_capacity = fetched->state_capacity;
    fetched->state_capacity = capacity;
}

static dr_status fetch_guess(const reading *from, const dr_world *world, dr_guess *guess)
{
    dr_frame_array key;
    if (!world->constants.has_liquid) return DR_STATUS_OK;
    dr_status status = fetch_array(from, "pressure/key", DR_TYPE_UINT64, 1, SIZE_MAX, &key);
    if (status != DR_STATUS_OK) return status;
    size_t count = key.count;
    if (!dr_guess_reserve(guess, world->allocator, count)) return dr_error_memory(from->error, "reading a checkpoint");
    if (count) memcpy(guess->key, key.data, count * sizeof *guess->key);
    status = fetch_into(from, "pressure/value", DR_TYPE_FLOAT32, DR_BLOCK_NODES, count, guess->pressure);
    if (status != DR_STATUS_OK) return status;
    guess->count = count;
    return dr_guess_inspect(guess, from->error);
}

static dr_status fetch_state(const reading *from, dr_world *world, ledger *book, dr_particles *particles)
{
    dr_status status = fetch_into(from, "ledger/real", DR_TYPE_FLOAT64, 1, 7, book->real);
    if (status == DR_STATUS_OK) status = fetch_into(from, "ledger/whole", DR_TYPE_INT64, 1, 4, book->whole);
    if (status == DR_STATUS_OK) status = fetch_into(from, "ledger/next_id", DR_TYPE_UINT64, 1, 1, book->next_id);
    if (status == DR_STATUS_OK)
        status = fetch_into(from, "emitters", DR_TYPE_FLOAT64, 2, (size_t)world->constants.emitter_count,
                            world->emitters_after);
    if (status == DR_STATUS_OK && (book->whole[0] < 0 || !isfinite(book->real[0])))
        status = dr_error_add(from->error, DR_STATUS_IO, "checkpoint: it has no time");
    for (int set = 0; set < DR_SET_COUNT; set++) {
        if (status == DR_STATUS_OK) status = fetch_particles(from, world->allocator, set, &particles[set]);
        if (status == DR_STATUS_OK) status = inspect(world, &particles[set], set, from->error);
    }
    return status;
}

static void adopt(dr_world *world, const ledger *book, dr_particles *particles)
{
    dr_state *state = &world->state;
    state->time = book->real[0];
    state->drained_volume = book->real[1];
    state->pocket_volume = book->real[2];
    state->pocket_lost = book->real[3];
    state->stir = book->real[4];
    state->step_limit = book->real[5];
    state->step_failed = book->real[6];
    state->step = book->whole[0];
    state->emitted = book->whole[1];
    state->drained = book->whole[2];
    state->culled = book->whole[3];
    state->next_id = book->next_id[0];
    for (int i = 0; i < world->constants.emitter_count; i++) state->emitters[i] = world->emitters_after[i];
    for (int set = 0; set < DR_SET_COUNT; set++) {
        dr_particles *into = dr_state_set(world, set).particles, old = *into;
        *into = particles[set];
        particles[set] = old;
    }
}

dr_status dr_world_restore(dr_world *world, dr_state_fetch fetch, void *user, dr_error *error)
{
    reading from = {fetch, user, error};
    ledger book;
    dr_particles particles[DR_SET_COUNT] = {0};
    dr_strands strands = {0};
    dr_contact_memory contacts = {0};
    dr_guess guess = {0};
    dr_status status = fetch_state(&from, world, &book, particles);
    if (status == DR_STATUS_OK) status = fetch_guess(&from, world, &guess);
    if (status == DR_STATUS_OK) status = fetch_strands(&from, world, &strands);
    if (status == DR_STATUS_OK) status = fetch_contacts(&from, world, &contacts);
    if (status == DR_STATUS_OK && !dr_account_reserve(world, particles[0].count, particles[1].count))
        status = dr_error_memory(error, "reading a checkpoint");
    if (status == DR_STATUS_OK) {
        adopt(world, &book, particles);
        adopt_strands(&world->state.strands, &strands);
        dr_guess old_guess = world->state.guess;
        world->state.guess = guess;
        guess = old_guess;
        dr_contact_memory old = world->state.contacts;
        world->state.contacts = contacts;
        contacts = old;
        dr_account_extremes(world);
    }
    for (int set = 0; set < DR_SET_COUNT; set++) dr_particles_free(&particles[set], world->allocator);
    dr_guess_free(&guess, world->allocator);
    dr_contact_memory_free(&contacts, world->allocator);
    dr_columns_free(&dr_strand_state, &strands, world->allocator, &strands.state_capacity);
    return status;
}
