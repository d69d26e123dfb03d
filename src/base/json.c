#include "base/json.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing

void dr_json_open(dr_json *json, dr_text *text)
{
    *json = (dr_json){text, false};
}

static void quote(dr_text *text, const char *value)
{
    dr_text_put(text, "\"");
    for (const char *at = value; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            dr_text_print(text, "\\%c", c);
        } else if (c == '\n') {
            dr_text_put(text, "\\n");
        } else if (c < 0x20 || c == 0x7f) {
            dr_text_print(text, "\\u%04x", c);
        } else {
            dr_text_add(text, at, 1);
        }
    }
    dr_text_put(text, "\"");
}

static void start(dr_json *json, const char *key)
{
    if (json->comma) dr_text_put(json->text, ", ");
    json->comma = true;
    if (!key) return;
    quote(json->text, key);
    dr_text_put(json->text, ": ");
}

void dr_json_object(dr_json *json, const char *key)
{
    start(json, key);
    dr_text_put(json->text, "{");
    json->comma = false;
}

void dr_json_list(dr_json *json, const char *key)
{
    start(json, key);
    dr_text_put(json->text, "[");
    json->comma = false;
}

void dr_json_end_object(dr_json *json)
{
    dr_text_put(json->text, "}");
    json->comma = true;
}

void dr_json_end_list(dr_json *json)
{
    dr_text_put(json->text, "]");
    json->comma = true;
}

static void print_number(dr_text *text, double value)
{
    char digits[DR_NUMBER_ROOM];
    if (isfinite(value)) dr_number_print(digits, value);
    dr_text_put(text, isfinite(value) ? digits : "null");
}

void dr_json_number(dr_json *json, const char *key, double value)
{
    start(json, key);
    print_number(json->text, value);
}

void dr_json_integer(dr_json *json, const char *key, int64_t value)
{
    start(json, key);
    dr_text_print(json->text, "%" PRId64, value);
}

void dr_json_bool(dr_json *json, const char *key, bool value)
{
    start(json, key);
    dr_text_put(json->text, value ? "true" : "false");
}

void dr_json_text(dr_json *json, const char *key, const char *value)
{
    start(json, key);
    if (value) {
        quote(json->text, value);
    } else {
        dr_text_put(json->text, "null");
    }
}

void dr_json_hash(dr_json *json, const char *key, uint64_t value)
{
    start(json, key);
    dr_text_print(json->text, "\"%016" PRIx64 "\"", value);
}

void dr_json_numbers(dr_json *json, const char *key, const double *values, size_t count)
{
    dr_json_list(json, key);
    for (size_t i = 0; i < count; i++) dr_json_number(json, NULL, values[i]);
    dr_json_end_list(json);
}

void dr_json_raw(dr_json *json, const char *key, const char *value, size_t length)
{
    start(json, key);
    dr_text_add(json->text, value, length);
}

// ---- reading

#define DEEPEST 64

typedef struct reader {
    const char *at, *end;
    int depth;
} reader;

static bool read_value(reader *in);

static void skip_space(reader *in)
{
    while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at) in->at++;
}

static bool take(reader *in, char wanted)
{
    skip_space(in);
    if (in->at >= in->end || *in->at != wanted) return false;
    in->at++;
    return true;
}

static bool read_word(reader *in, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) return false;
    in->at += length;
    return true;
}

static bool read_quoted(reader *in)
{
    if (!take(in, '"')) return false;
    for (; in->at < in->end; in->at++) {
        if (*in->at == '"') {
            in->at++;
            return true;
        }
        if ((unsigned char)*in->at < 0x20) return false;
        if (*in->at == '\\' && ++in->at >= in->end) return false;
    }
    return false;
}

static bool read_number(reader *in)
{
    size_t length = dr_number_length(in->at, (size_t)(in->end - in->at));
    in->at += length;
    return length > 0;
}

static bool read_members(reader *in, char close, bool keyed)
{
    if (take(in, close)) return true;
    do {
        if (keyed && !(read_quoted(in) && take(in, ':'))) return false;
        if (!read_value(in)) return false;
    } while (take(in, ','));
    return take(in, close);
}

static bool read_value(reader *in)
{
    skip_space(in);
    if (in->at >= in->end || in->depth >= DEEPEST) return false;
    bool good = false;
    in->depth++;
    switch (*in->at) {
    case '{':
        in->at++;
        good = read_members(in, '}', true);
        break;
    case '[':
        in->at++;
        good = read_members(in, ']', false);
        break;
    case '"':
        good = read_quoted(in);
        break;
    case 't':
        good = read_word(in, "true");
        break;
    case 'f':
        good = read_word(in, "false");
        break;
    case 'n':
        good = read_word(in, "null");
        break;
    default:
        good = read_number(in);
        break;
    }
    in->depth--;
    return good;
}

static dr_json_value take_value(reader *in)
{
    skip_space(in);
    const char *from = in->at;
    if (!read_value(in)) return (dr_json_value){NULL, 0};
    return (dr_json_value){from, (size_t)(in->at - from)};
}

dr_json_value dr_json_parse(const char *text, size_t length)
{
    reader in = {text, text + length, 0};
    dr_json_value whole = take_value(&in);
    skip_space(&in);
    return in.at == in.end ? whole : (dr_json_value){NULL, 0};
}

dr_json_value dr_json_member(dr_json_value object, const char *key)
{
    dr_json_value none = {NULL, 0};
    reader in = {object.data, object.data ? object.data + object.length : NULL, 0};
    if (!object.data || !take(&in, '{')) return none;
    size_t length = strlen(key);
    do {
        skip_space(&in);
        const char *name = in.at + 1;
        if (!read_quoted(&in)) return none;
        bool found = (size_t)(in.at - name) == length + 1 && memcmp(name, key, length) == 0;
        if (!take(&in, ':')) return none;
        dr_json_value value = take_value(&in);
        if (found || !value.data) return value;
    } while (take(&in, ','));
    return none;
}

dr_json_value dr_json_next(dr_json_value list, dr_json_value *cursor)
{
    dr_json_value none = {NULL, 0};
    reader in = {list.data, list.data ? list.data + list.length : NULL, 0};
    if (!list.data || !take(&in, '[')) return none;
    if (cursor->data) {
        in.at = cursor->data + cursor->length;
        if (!take(&in, ',')) return none;
    }
    *cursor = take_value(&in);
    return *cursor;
}

double dr_json_as_number(dr_json_value value, double fallback)
{
    double number;
    if (!value.data || dr_number_length(value.data, value.length) != value.length) return fallback;
    return dr_number_value(value.data, value.length, 0, &number) ? number : fallback;
}

bool dr_json_as_bool(dr_json_value value, bool fallback)
{
    if (value.length == 4 && memcmp(value.data, "true", 4) == 0) return true;
    if (value.length == 5 && memcmp(value.data, "false", 5) == 0) return false;
    return fallback;
}

bool dr_json_as_hash(dr_json_value value, uint64_t *hash)
{
    char digits[20], *stop;
    if (!dr_json_as_text(value, digits, sizeof digits) || strlen(digits) != 16) return false;
    *hash = strtoull(digits, &stop, 16);
    return *stop == 0;
}

// One character of a quoted text, escapes undone; characters beyond ASCII written as \u become '?'.
static char take_character(const char **at)
{
    char c = *(*at)++;
    if (c != '\\') return c;
    c = *(*at)++;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    if (c == 'b') return '\b';
    if (c == 'f') return '\f';
    if (c != 'u') return c;
    char digits[5] = {0};
    for (int i = 0; i < 4 && **at != '"'; i++) digits[i] = *(*at)++;
    long code = strtol(digits, NULL, 16);
    return code > 0 && code < 128 ? (char)code : '?';
}

bool dr_json_as_text(dr_json_value value, char *text, size_t room)
{
    if (!value.data || value.data[0] != '"') return false;
    const char *at = value.data + 1, *end = value.data + value.length - 1;
    size_t used = 0;
    while (at < end && used + 1 < room) text[used++] = take_character(&at);
    text[used] = 0;
    return true;
}
