// The registry of state: all that a world keeps from step to step, one record each. Saving, restoring, hashing, frames,
// budgets and the report walk these records, so that a new kind of matter is one more of them.
#ifndef DR_WORLD_REGISTRY_H
#define DR_WORLD_REGISTRY_H

#include "base/columns.h"
#include "drench/world.h"

// Sums and largest values over some matter.
typedef struct dr_budget {
    double mass, linear[3], angular[3];
    double kinetic, elastic, potential, surface; // erg
    double liquid, film;                         // cm3
    double speed;                                // the largest
    double stiffness_over_density;               // the largest, cm2/s2
} dr_budget;

void dr_budget_add(dr_budget *sum, const dr_budget *more);

// How many rows a record has: one, with the values themselves in the owner; as many as the scene says; any number.
typedef enum dr_rows { DR_ROWS_ONE, DR_ROWS_SCENE, DR_ROWS_ANY } dr_rows;

typedef struct dr_record {
    const char *name; // its arrays are "name/column"
    const dr_column_table *columns;
    const dr_column_table *(*choose)(const dr_world *world); // where the columns depend on the scene, instead; NULL
    dr_rows rows;
    size_t owner, bytes;                      // offsetof the owner of the columns in a world, and its size
    size_t count, capacity;                   // offsetof the numbers of rows in the owner; not of one row
    bool (*present)(const dr_world *world);   // NULL: always
    uint64_t (*order)(const dr_world *world); // a hash of what its rows stand for, where the world chose that; NULL
    // Whether values that were read can be believed; the owner has these columns and count, and nothing else.
    dr_status (*inspect)(const dr_world *world, const void *owner, dr_error *error);
    dr_status (*view)(dr_world *world, dr_frame_part *part, dr_error *error); // its part of a frame; NULL: none
    void (*budget)(dr_world *world, dr_budget *sum);                          // adds to sum; NULL: has none
    void (*report)(dr_world *world); // what a step did with it; NULL: nothing to say
} dr_record;

enum {
    DR_RECORD_LEDGER,
    DR_RECORD_EMITTERS,
    DR_RECORD_STEERS,
    DR_RECORD_PARTICLES,
    DR_RECORD_LIQUID,
    DR_RECORD_PRESSURE,
    DR_RECORD_STRANDS,
    DR_RECORD_STRAND_STEPS,
    DR_RECORD_FILM,
    DR_RECORD_CONTACTS,
    DR_RECORD_CLOTH,
    DR_RECORD_CLOTH_ELEMENTS,
    DR_RECORD_YARN,
    DR_RECORD_YARN_ELEMENTS,
    DR_RECORD_YARN_FRAMES,
    DR_RECORD_COUNT
};

extern const dr_record dr_registry[DR_RECORD_COUNT];

bool dr_record_is_present(const dr_record *record, const dr_world *world);
const dr_column_table *dr_record_columns(const dr_record *record, const dr_world *world);

// A hash of how the record is kept: its columns, and what its rows stand for. A state fits where these are the same.
uint64_t dr_record_layout(const dr_record *record, const dr_world *world);

void *dr_record_owner(const dr_record *record, dr_world *world);
size_t dr_record_count(const dr_record *record, const void *owner);
const void *dr_record_data(const dr_record *record, const dr_column *column, const void *owner);

#endif
