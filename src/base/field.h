// One table per parameter struct. A row says everything there is to know about one parameter; defaults, reading,
// writing, range checks, messages, `drench params` and the scene reference are walks over the rows.
#ifndef DR_BASE_FIELD_H
#define DR_BASE_FIELD_H

#include "base/memory.h"
#include "base/unit.h"
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

typedef struct dr_table dr_table;

// Every list of a scene has this layout, with a typed pointer.
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
    double min, max;            // inclusive, in cgs, of every component; min > max: no limit
    uint32_t kinds;             // 0: always; else the bits (1 << kind) of the struct's kinds that have this field
    const char *const *choices; // NULL-terminated names, for DR_FIELD_CHOICE
    const dr_table *table;      // for OBJECT and LIST
    const char *word;           // a word that may stand for word_value ("never"), NULL: none
    double word_value;
    bool neutral;     // cannot change what is simulated: left out of the scene's hash
    const char *doc;  // one sentence
    const char *hint; // what a sensible value looks like; may be NULL
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

// Sets every field to its default, those without one to zero. Text points to the table's own.
void dr_table_defaults(const dr_table *table, void *object);

// The row of that name, NULL where there is none.
const dr_field *dr_table_find(const dr_table *table, const char *name, size_t length);

// Whether the object, being of the kind it is, has this field.
bool dr_table_has(const dr_table *table, const dr_field *field, const void *object);

// The known name nearest to a misspelt one, NULL where none is near: among the rows of a table, or a list of names.
const char *dr_table_nearest(const dr_table *table, const void *object, const char *name, size_t length);
const char *dr_field_nearest(const char *const *names, const char *name, size_t length);
int dr_field_distance(const char *a, size_t a_length, const char *b, size_t b_length); // letters apart

// Reads a value as a scene writes it (no list or object; a vector as "[1 cm, 2 cm, 0]") and checks its range. Text is
// copied into the arena. DR_STATUS_BAD_SCENE: `why` says what is wrong and follows the field's name: " is 3 cm, outside
// ..." or ": a length was expected, ...".
dr_status dr_field_read(const dr_field *field, const char *text, size_t length, void *object, dr_arena *arena,
                        char *why, size_t room);

// The same for one component of a vector.
dr_status dr_field_read_component(const dr_field *field, int index, const char *text, size_t length, void *object,
                                  char *why, size_t room);

// Whether the value lies in its range, is finite, is one of the choices, is text that can be written. Else `why`.
bool dr_field_check(const dr_field *field, const void *object, char *why, size_t room);

// The value as a scene writes it; text without quotes, cut where it does not fit. Not for lists and objects.
void dr_field_print(const dr_field *field, const void *object, char *text, size_t room);

// Whether two objects hold the same value. Not for lists and objects.
bool dr_field_equal(const dr_field *field, const void *a, const void *b);

// "number", "vector", ...
const char *dr_field_type_name(dr_field_type type);

// The fields' memory.
static inline void *dr_field_at(const dr_field *field, const void *object)
{
    return (char *)(uintptr_t)object + field->offset;
}
dr_list dr_field_list(const dr_field *field, const void *object);
void dr_field_set_list(const dr_field *field, void *object, dr_list list);
const char *dr_field_text(const dr_field *field, const void *object);
int dr_field_choice(const dr_field *field, const void *object);

#endif
