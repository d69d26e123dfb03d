// JSON: a writer that keeps count of commas, and a reader that finds one value in a text.
#ifndef DR_BASE_JSON_H
#define DR_BASE_JSON_H

#include "base/text.h"

// Writes into a dr_text on one line. Keys are NULL inside lists. Numbers come back with the same bits; those that are
// not finite are written as null.
typedef struct dr_json {
    dr_text *text;
    bool comma; // the next value needs one before it
} dr_json;

void dr_json_open(dr_json *json, dr_text *text);
void dr_json_object(dr_json *json, const char *key);
void dr_json_list(dr_json *json, const char *key);
void dr_json_end_object(dr_json *json);
void dr_json_end_list(dr_json *json);
void dr_json_number(dr_json *json, const char *key, double value);
void dr_json_integer(dr_json *json, const char *key, int64_t value);
void dr_json_bool(dr_json *json, const char *key, bool value);
void dr_json_text(dr_json *json, const char *key, const char *value); // NULL: null
void dr_json_hash(dr_json *json, const char *key, uint64_t value);    // as text of 16 hexadecimal digits
void dr_json_numbers(dr_json *json, const char *key, const double *values, size_t count);
void dr_json_raw(dr_json *json, const char *key, const char *value, size_t length); // JSON as it is

// A piece of a JSON text.
typedef struct dr_json_value {
    const char *data; // NULL: there is none
    size_t length;
} dr_json_value;

// The whole text as a value; none where it is not well-formed JSON.
dr_json_value dr_json_parse(const char *text, size_t length);

// The member of an object; none where there is none.
dr_json_value dr_json_member(dr_json_value object, const char *key);

// The next item of a list: start with an empty *cursor. None at the end.
dr_json_value dr_json_next(dr_json_value list, dr_json_value *cursor);

double dr_json_as_number(dr_json_value value, double fallback);
bool dr_json_as_bool(dr_json_value value, bool fallback);
bool dr_json_as_hash(dr_json_value value, uint64_t *hash);

// Text without quotes and escapes into a buffer, cut to fit. False where it is not text.
bool dr_json_as_text(dr_json_value value, char *text, size_t room);

#endif
