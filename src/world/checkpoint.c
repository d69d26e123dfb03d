// The state as named arrays, out and in again. The arrays are all that persists: from them alone a run goes on with the
// same bits. Which there are, the registry says; beside them stands, per record, how they are kept.
#include "world/world.h"

#include "base/error.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#define NAME 64

static void array_name(const dr_record *record, const dr_column *column, char name[NAME])
{
    snprintf(name, NAME, "%s/%s", record->name, column->name);
}

static dr_status save_record(const dr_world *world, const dr_record *record, dr_state_visit visit, void *user,
                             dr_error *error)
{
    const dr_column_table *table = dr_record_columns(record, world);
    const void *owner = (const char *)world + record->owner;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < table->count && status == DR_STATUS_OK; i++) {
        const dr_column *column = &table->columns[i];
        char name[NAME];
        array_name(record, column, name);
        const dr_frame_array array = {name,
                                      column->unit,
                                      column->type,
                                      column->components,
                                      dr_record_count(record, owner),
                                      dr_record_data(record, column, owner)};
        status = visit(user, &array, error);
    }
    return status;
}

static void layout_name(const dr_record *record, char name[NAME])
{
    snprintf(name, NAME, "%s/layout", record->name);
}

static dr_status save_layout(const dr_world *world, const dr_record *record, dr_state_visit visit, void *user,
                             dr_error *error)
{
    char name[NAME];
    layout_name(record, name);
    uint64_t layout = dr_record_layout(record, world);
    const dr_frame_array array = {name, "", DR_TYPE_UINT64, 1, 1, &layout};
    return visit(user, &array, error);
}

dr_status dr_world_save(const dr_world *world, dr_state_visit visit, void *user, dr_error *error)
{
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < DR_RECORD_COUNT && status == DR_STATUS_OK; i++) {
        const dr_record *record = &dr_registry[i];
        if (!dr_record_is_present(record, world)) continue;
        status = save_layout(world, record, visit, user, error);
        if (status == DR_STATUS_OK) status = save_record(world, record, visit, user, error);
    }
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
    for (int i = 0; i < DR_RECORD_COUNT; i++) {
        const dr_record *record = &dr_registry[i];
        if (dr_record_is_present(record, world)) save_record(world, record, hash_array, &hash, NULL);
    }
    return hash;
}

// ---- the way back

typedef struct reading {
    dr_world *world;
    dr_state_fetch fetch;
    void *user;
    dr_error *error;
    void *owner[DR_RECORD_COUNT]; // what was read, each with its columns and count alone; NULL: nothing yet
} reading;

static size_t *count_of(const dr_record *record, void *owner)
{
    return (size_t *)((char *)owner + record->count);
}

static size_t *capacity_of(const dr_record *record, void *owner)
{
    return (size_t *)((char *)owner + record->capacity);
}

// Makes room for what the first column brings; the scene's own number of rows is known before.
static dr_status make_room(const reading *from, const dr_record *record, void *owner, size_t rows)
{
    if (record->rows == DR_ROWS_ONE) return DR_STATUS_OK;
    if (!dr_columns_reserve(dr_record_columns(record, from->world), owner, from->world->allocator,
                            capacity_of(record, owner), rows))
        return dr_error_memory(from->error, "reading a checkpoint");
    *count_of(record, owner) = rows;
    return DR_STATUS_OK;
}

// A state that another build wrote may have the same arrays in another order: nothing in them would tell.
static dr_status check_layout(const reading *from, const dr_record *record)
{
    char name[NAME];
    dr_frame_array array;
    dr_error missing = {0};
    layout_name(record, name);
    dr_status status = from->fetch(from->user, name, &array, &missing);
    if (status == DR_STATUS_NO_MEMORY) return dr_error_memory(from->error, "reading a checkpoint");
    bool known = status == DR_STATUS_OK && array.type == DR_TYPE_UINT64 && array.components == 1 && array.count == 1;
    uint64_t layout = dr_record_layout(record, from->world);
    if (known && memcmp(array.data, &layout, sizeof layout) == 0) return DR_STATUS_OK;
    if (known)
        dr_error_add(from->error, DR_STATUS_UNSUPPORTED,
                     "checkpoint: another build of drench wrote it, which keeps \"%s\" otherwise or in another order",
                     record->name);
    else
        dr_error_add(from->error, DR_STATUS_UNSUPPORTED,
                     "checkpoint: an earlier build of drench wrote it, which does not say how it keeps \"%s\"",
                     record->name);
    dr_error_hint(from->error, "the build that wrote it goes on; or start again with --overwrite or another -o");
    return DR_STATUS_UNSUPPORTED;
}

static dr_status fetch_column(const reading *from, const dr_record *record, int index, void *owner)
{
    const dr_column *column = &dr_record_columns(record, from->world)->columns[index];
    bool free = index == 0 && record->rows == DR_ROWS_ANY;
    char name[NAME];
    dr_frame_array array;
    array_name(record, column, name);
    dr_status status = from->fetch(from->user, name, &array, from->error);
    if (status != DR_STATUS_OK) return status;
    if (array.type != column->type || array.components != column->components ||
        (!free && array.count != dr_record_count(record, owner)))
        return dr_error_add(from->error, DR_STATUS_IO,
                            "checkpoint: \"%s\" has %zu items of %d numbers, not what this scene keeps", name,
                            array.count, array.components);
    if (free) status = make_room(from, record, owner, array.count);
    if (status == DR_STATUS_OK && array.count > 0) {
        void *into = record->rows == DR_ROWS_ONE ? (char *)owner + column->slot : *dr_column_pointer(column, owner);
        memcpy(into, array.data, array.count * dr_column_item_bytes(column));
    }
    return status;
}

static dr_status fetch_record(reading *from, int index)
{
    const dr_record *record = &dr_registry[index];
    if (!dr_record_is_present(record, from->world)) return DR_STATUS_OK;
    dr_status status = check_layout(from, record);
    if (status != DR_STATUS_OK) return status;
    void *owner = from->owner[index] = dr_memory_alloc(from->world->allocator, record->bytes);
    if (!owner) return dr_error_memory(from->error, "reading a checkpoint");
    if (record->rows == DR_ROWS_SCENE)
        status = make_room(from, record, owner, dr_record_count(record, dr_record_owner(record, from->world)));
    for (int i = 0; i < dr_record_columns(record, from->world)->count && status == DR_STATUS_OK; i++)
        status = fetch_column(from, record, i, owner);
    if (status == DR_STATUS_OK && record->inspect) status = record->inspect(from->world, owner, from->error);
    return status;
}

static void swap_bytes(void *a, void *b, size_t bytes)
{
    char *x = a, *y = b;
    for (size_t i = 0; i < bytes; i++) {
        char old = x[i];
        x[i] = y[i];
        y[i] = old;
    }
}

// Makes what was read the state and leaves the old values to be freed.
static void adopt(reading *from, int index)
{
    const dr_record *record = &dr_registry[index];
    void *read = from->owner[index], *owner = dr_record_owner(record, from->world);
    if (!read) return;
    const dr_column_table *table = dr_record_columns(record, from->world);
    for (int i = 0; i < table->count; i++) {
        const dr_column *column = &table->columns[i];
        size_t bytes = record->rows == DR_ROWS_ONE ? dr_column_item_bytes(column) : sizeof(void *);
        swap_bytes((char *)read + column->slot, (char *)owner + column->slot, bytes);
    }
    if (record->rows == DR_ROWS_ONE) return;
    swap_bytes(count_of(record, read), count_of(record, owner), sizeof(size_t));
    swap_bytes(capacity_of(record, read), capacity_of(record, owner), sizeof(size_t));
}

static void drop(reading *from, int index)
{
    const dr_record *record = &dr_registry[index];
    void *owner = from->owner[index];
    if (!owner) return;
    if (record->rows != DR_ROWS_ONE)
        dr_columns_free(dr_record_columns(record, from->world), owner, from->world->allocator,
                        capacity_of(record, owner));
    dr_memory_free(from->world->allocator, owner, record->bytes);
}

static size_t most_rows(const reading *from)
{
    size_t most = 0;
    for (int i = 0; i < DR_RECORD_COUNT; i++) {
        size_t count = from->owner[i] ? dr_record_count(&dr_registry[i], from->owner[i]) : 0;
        if (count > most) most = count;
    }
    return most;
}

dr_status dr_world_restore(dr_world *world, dr_state_fetch fetch, void *user, dr_error *error)
{
    reading from = {.world = world, .fetch = fetch, .user = user, .error = error};
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < DR_RECORD_COUNT && status == DR_STATUS_OK; i++) status = fetch_record(&from, i);
    if (status == DR_STATUS_OK && !dr_account_reserve(world, most_rows(&from)))
        status = dr_error_memory(error, "reading a checkpoint");
    if (status == DR_STATUS_OK) {
        for (int i = 0; i < DR_RECORD_COUNT; i++) adopt(&from, i);
        dr_follow_arrive(world, world->state.time);
        dr_strand_stage_arrive(world);
        dr_account_extremes(world);
    }
    for (int i = 0; i < DR_RECORD_COUNT; i++) drop(&from, i);
    return status;
}
