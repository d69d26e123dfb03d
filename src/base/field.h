// One table per parameter struct. A row says everything there is to know about one parameter; defaults, reading,
// writing, range checks, messages, `drench params` and the scene reference are walks over the rows.
#ifndef DR_BASE_FIELD_H
#define DR_BASE_FIELD_H

#include "drench/status.h"

typedef enum dr_field_type {
    DR_FIELD_BOOL,   // bool
    DR_FIELD_INT,    // int64_t
    DR_FIELD_REAL,   // double
    DR_FIELD_VECTOR, // double[3]
    DR_FIELD_TEXT,   // const char *
    DR_FIELD_FILE,   // const char *, relative to the scene file; kept as written, opened relative to the scene
    DR_FIELD_CHOICE, // int: index into `choices`
    DR_FIELD_OBJECT, // a struct described by `table`, held by value
    DR_FIELD_LIST    // dr_list of structs described by `table`
} dr_field_type;

typedef enum dr_unit {
    DR_UNIT_NONE,
    DR_UNIT_LENGTH,
    DR_UNIT_TIME,
    DR_UNIT_MASS,
    DR_UNIT_SPEED,
    DR_UNIT_ACCELERATION,
    DR_UNIT_ANGLE,
    DR_UNIT_ANGULAR_SPEED,
    DR_UNIT_FREQUENCY,
    DR_UNIT_DENSITY,
    DR_UNIT_PRESSURE,
    DR_UNIT_VOLUME,
    DR_UNIT_FLOW, // cm3/s
    DR_UNIT_AREA,
    DR_UNIT_SURFACE_TENSION, // dyn/cm
    DR_UNIT_VISCOSITY,       // poise
    DR_UNIT_CONSISTENCY,     // dyn s^n / cm2
    DR_UNIT_FORCE,
    DR_UNIT_MEMORY, // bytes
    DR_UNIT_COUNT_
} dr_unit;

typedef struct dr_table dr_table;

typedef struct dr_list {
    void *items; // count structs of table->size bytes
    int count;
} dr_list;

typedef struct dr_field {
    const char *name;
    dr_field_type type;
    dr_unit unit;
    size_t offset;
    const char *fallback;       // the default, as a scene would write it; NULL: must be given
    double min, max;            // inclusive, in cgs; min > max: no limit
    uint32_t kinds;             // 0: always; else the bits (1 << kind) of the struct's kinds that have this field
    const char *const *choices; // NULL-terminated names, for DR_FIELD_CHOICE
    const dr_table *table;      // for OBJECT and LIST
    const char *doc;            // one sentence
    const char *hint;           // what a sensible value looks like; may be NULL
} dr_field;

// A struct whose fields differ by kind (a shape, a motion, a material) has a DR_FIELD_CHOICE row that is its kind.
struct dr_table {
    const char *name; // what a message calls it: "collider"
    const char *doc;
    size_t size;
    const dr_field *fields;
    int count;
    int kind; // index of the row that holds the kind, -1 where there is none
};

#endif
