#include "base/field.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- memory: lists and text are read and written as bytes, since their declared pointer types differ

dr_list dr_field_list(const dr_field *field, const void *object)
{
    dr_list list = {NULL, 0};
    const char *at = dr_field_at(field, object);
    memcpy(&list.items, at + offsetof(dr_list, items), sizeof list.items);
    memcpy(&list.count, at + offsetof(dr_list, count), sizeof list.count);
    return list;
}

void dr_field_set_list(const dr_field *field, void *object, dr_list list)
{
    char *at = dr_field_at(field, object);
    memcpy(at + offsetof(dr_list, items), &list.items, sizeof list.items);
    memcpy(at + offsetof(dr_list, count), &list.count, sizeof list.count);
}

const char *dr_field_text(const dr_field *field, const void *object)
{
    return *(const char *const *)dr_field_at(field, object);
}

int dr_field_choice(const dr_field *field, const void *object)
{
    return *(const int *)dr_field_at(field, object);
}

static bool limited(const dr_field *field)
{
    return field->min <= field->max;
}

static bool is_word(const dr_field *field, const char *text, size_t length)
{
    return field->word && strlen(field->word) == length && memcmp(field->word, text, length) == 0;
}

const char *dr_field_type_name(dr_field_type type)
{
    static const char *const names[] = {"yes or no", "integer", "number", "vector", "text",
                                        "file",      "choice",  "object", "list"};
    return names[type];
}

// ---- tables

static void set_default(const dr_field *field, void *object)
{
    char why[200];
    if (field->type == DR_FIELD_OBJECT) {
        dr_table_defaults(field->table, dr_field_at(field, object));
    } else if (field->type == DR_FIELD_TEXT || field->type == DR_FIELD_FILE) {
        *(const char **)dr_field_at(field, object) = field->fallback;
    } else if (field->type != DR_FIELD_LIST && field->fallback) {
        dr_field_read(field, field->fallback, strlen(field->fallback), object, NULL, why, sizeof why);
    }
}

void dr_table_defaults(const dr_table *table, void *object)
{
    memset(object, 0, table->size);
    for (int i = 0; i < table->count; i++) set_default(&table->fields[i], object);
}

const dr_field *dr_table_find(const dr_table *table, const char *name, size_t length)
{
    for (int i = 0; i < table->count; i++) {
        const char *known = table->fields[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return &table->fields[i];
    }
    return NULL;
}

bool dr_table_has(const dr_table *table, const dr_field *field, const void *object)
{
    if (field->kinds == 0 || table->kind < 0) return true;
    int kind = dr_field_choice(&table->fields[table->kind], object);
    return kind >= 0 && kind < 32 && (field->kinds >> kind & 1) != 0;
}

// ---- near misses

#define LONGEST_NAME 40

static int smallest(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

// Insertions, deletions, replacements and swaps of neighbours.
int dr_field_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][LONGEST_NAME + 1];
    if (a_length > LONGEST_NAME || b_length > LONGEST_NAME) return LONGEST_NAME;
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = smallest(now[j - 1] + 1, before[j] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && earlier[j - 2] + 1 < now[j]) now[j] = earlier[j - 2] + 1;
        }
    }
    return rows[a_length % 3][b_length];
}

typedef struct search {
    const char *name, *best;
    size_t length;
    int distance;
} search;

static search begin_search(const char *name, size_t length)
{
    int near_enough = (int)(length / 3) + 1;
    return (search){name, NULL, length, near_enough > 4 ? 5 : near_enough + 1};
}

// A name that is the beginning of a known one, or the other way round, is near as well.
static void consider(search *s, const char *known)
{
    size_t known_length = strlen(known);
    int distance = dr_field_distance(s->name, s->length, known, known_length);
    size_t common = known_length < s->length ? known_length : s->length;
    if (common >= 3 && memcmp(known, s->name, common) == 0 && distance > 1) distance = 1;
    if (distance >= s->distance) return;
    s->distance = distance;
    s->best = known;
}

const char *dr_field_nearest(const char *const *names, const char *name, size_t length)
{
    search s = begin_search(name, length);
    for (; *names; names++) consider(&s, *names);
    return s.best;
}

const char *dr_table_nearest(const dr_table *table, const void *object, const char *name, size_t length)
{
    search s = begin_search(name, length);
    for (int i = 0; i < table->count; i++) {
        if (dr_table_has(table, &table->fields[i], object)) consider(&s, table->fields[i].name);
    }
    return s.best;
}

// ---- ranges

static bool outside(const dr_field *field, double value)
{
    if (field->word && value == field->word_value) return false;
    return !isfinite(value) || (limited(field) && !(value >= field->min && value <= field->max));
}

static void print_number(const dr_field *field, double value, char *text, size_t room)
{
    if (field->word && value == field->word_value) {
        snprintf(text, room, "%s", field->word);
    } else {
        dr_unit_print(text, room, value, field->unit);
    }
}

static void explain_range(const dr_field *field, const char *value, char *why, size_t room)
{
    char low[60], high[60];
    dr_unit_print(low, sizeof low, field->min, field->unit);
    dr_unit_print(high, sizeof high, field->max, field->unit);
    if (!limited(field)) {
        snprintf(why, room, " is %s, not a finite number", value);
    } else if (isinf(field->max)) {
        snprintf(why, room, " is %s, it must be at least %s", value, low);
    } else if (isinf(field->min)) {
        snprintf(why, room, " is %s, it must be at most %s", value, high);
    } else {
        snprintf(why, room, " is %s, outside %s .. %s", value, low, high);
    }
}

static bool check_number(const dr_field *field, double value, char *why, size_t room)
{
    if (!outside(field, value)) return true;
    char text[60];
    print_number(field, value, text, sizeof text);
    explain_range(field, text, why, room);
    return false;
}

#define LONGEST_TEXT 4000

static bool check_text(const dr_field *field, const char *text, char *why, size_t room)
{
    if (!text) {
        if (field->fallback) return true;
        snprintf(why, room, " is missing");
        return false;
    }
    size_t length = strlen(text);
    if (length > LONGEST_TEXT) {
        snprintf(why, room, " is %zu letters long, more than %d", length, LONGEST_TEXT);
        return false;
    }
    if (length == 0 && (!field->fallback || *field->fallback)) {
        snprintf(why, room, " is empty");
        return false;
    }
    for (size_t i = 0, step; i < length; i += step) {
        step = dr_utf8_length(text + i, length - i);
        if (step > 0) continue;
        snprintf(why, room, " holds a character that cannot be written, byte %zu of it", i + 1);
        return false;
    }
    return true;
}

static int choice_count(const dr_field *field)
{
    int count = 0;
    while (field->choices[count]) count++;
    return count;
}

static bool check_choice(const dr_field *field, int choice, char *why, size_t room)
{
    int count = choice_count(field);
    if (choice >= 0 && choice < count) return true;
    snprintf(why, room, " is number %d of %d choices", choice, count);
    return false;
}

bool dr_field_check(const dr_field *field, const void *object, char *why, size_t room)
{
    const void *at = dr_field_at(field, object);
    switch (field->type) {
    case DR_FIELD_INT:
        return check_number(field, (double)*(const int64_t *)at, why, room);
    case DR_FIELD_REAL:
        return check_number(field, *(const double *)at, why, room);
    case DR_FIELD_VECTOR:
        for (int i = 0; i < 3; i++) {
            if (!check_number(field, ((const double *)at)[i], why, room)) return false;
        }
        return true;
    case DR_FIELD_TEXT:
    case DR_FIELD_FILE:
        return check_text(field, dr_field_text(field, object), why, room);
    case DR_FIELD_CHOICE:
        return check_choice(field, *(const int *)at, why, room);
    default:
        return true;
    }
}

// ---- reading

static dr_status wrong(char *why, size_t room, const char *sentence, const char *text, size_t length)
{
    snprintf(why, room, ": \"%.*s\" %s", (int)(length < 60 ? length : 60), text, sentence);
    return DR_STATUS_BAD_SCENE;
}

// The range is told with the value as it was written.
static dr_status read_number(const dr_field *field, const char *text, size_t length, double *value, char *why,
                             size_t room)
{
    if (is_word(field, text, length)) {
        *value = field->word_value;
        return DR_STATUS_OK;
    }
    double read;
    char sentence[300], written[64];
    if (!dr_unit_read(text, length, field->unit, &read, sentence, sizeof sentence)) {
        snprintf(why, room, ": %s", sentence);
        return DR_STATUS_BAD_SCENE;
    }
    if (outside(field, read)) {
        snprintf(written, sizeof written, "%.*s", (int)(length < 60 ? length : 60), text);
        explain_range(field, written, why, room);
        return DR_STATUS_BAD_SCENE;
    }
    *value = read;
    return DR_STATUS_OK;
}

static dr_status read_bool(const char *text, size_t length, bool *value, char *why, size_t room)
{
    static const char *const words[] = {"true", "yes", "on", "1", "false", "no", "off", "0"};
    for (int i = 0; i < 8; i++) {
        if (strlen(words[i]) != length || memcmp(words[i], text, length) != 0) continue;
        *value = i < 4;
        return DR_STATUS_OK;
    }
    return wrong(why, room, "is neither yes nor no", text, length);
}

// Whole numbers are read digit by digit, so that all 64 bits count.
static dr_status read_int(const dr_field *field, const char *text, size_t length, int64_t *value, char *why,
                          size_t room)
{
    size_t at = length > 0 && (*text == '-' || *text == '+');
    bool minus = at == 1 && *text == '-';
    int64_t sum = 0;
    if (is_word(field, text, length)) {
        *value = (int64_t)field->word_value;
        return DR_STATUS_OK;
    }
    if (at == length) return wrong(why, room, "is not a whole number", text, length);
    for (; at < length; at++) {
        int digit = text[at] - '0';
        if (digit < 0 || digit > 9) return wrong(why, room, "is not a whole number", text, length);
        if (sum > (INT64_MAX - digit) / 10) return wrong(why, room, "is too large a number", text, length);
        sum = 10 * sum + digit;
    }
    if (minus) sum = -sum;
    if (!check_number(field, (double)sum, why, room)) return DR_STATUS_BAD_SCENE;
    *value = sum;
    return DR_STATUS_OK;
}

static dr_status read_choice(const dr_field *field, const char *text, size_t length, int *value, char *why, size_t room)
{
    for (int i = 0; field->choices[i]; i++) {
        if (strlen(field->choices[i]) != length || memcmp(field->choices[i], text, length) != 0) continue;
        *value = i;
        return DR_STATUS_OK;
    }
    const char *near = dr_field_nearest(field->choices, text, length);
    size_t used = (size_t)snprintf(why, room, " cannot be \"%.*s\"", (int)(length < 60 ? length : 60), text);
    if (near && used < room) used += (size_t)snprintf(why + used, room - used, "; did you mean \"%s\"?", near);
    if (used < room) used += (size_t)snprintf(why + used, room - used, "%s choose from ", near ? "" : ";");
    for (int i = 0; field->choices[i] && used < room; i++) {
        used += (size_t)snprintf(why + used, room - used, "%s%s", i ? ", " : "", field->choices[i]);
    }
    return DR_STATUS_BAD_SCENE;
}

// Without an arena the text is the table's own and is kept as it is.
static dr_status read_text(const dr_field *field, const char *text, size_t length, const char **value, dr_arena *arena,
                           char *why, size_t room)
{
    const char *zero = memchr(text, 0, length);
    if (zero) {
        snprintf(why, room, " holds a character that cannot be written, byte %d of it", (int)(zero - text) + 1);
        return DR_STATUS_BAD_SCENE;
    }
    const char *copy = arena ? dr_arena_copy(arena, text, length) : text;
    if (!copy) return DR_STATUS_NO_MEMORY;
    if (!check_text(field, copy, why, room)) return DR_STATUS_BAD_SCENE;
    *value = copy;
    return DR_STATUS_OK;
}

static void trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) (*text)++, (*length)--;
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) (*length)--;
}

static dr_status not_a_vector(char *why, size_t room)
{
    snprintf(why, room, " takes three numbers, such as [0, 1, 0]");
    return DR_STATUS_BAD_SCENE;
}

static dr_status read_vector(const dr_field *field, const char *text, size_t length, void *object, char *why,
                             size_t room)
{
    trim(&text, &length);
    if (length < 2 || text[0] != '[' || text[length - 1] != ']') return not_a_vector(why, room);
    double before[3];
    memcpy(before, dr_field_at(field, object), sizeof before);
    const char *at = text + 1, *end = text + length - 1;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < 3 && status == DR_STATUS_OK; i++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if ((comma == NULL) != (i == 2)) {
            status = not_a_vector(why, room);
            break;
        }
        const char *part = at, *stop = comma ? comma : end;
        size_t part_length = (size_t)(stop - part);
        trim(&part, &part_length);
        status = dr_field_read_component(field, i, part, part_length, object, why, room);
        at = stop + 1;
    }
    if (status != DR_STATUS_OK) memcpy(dr_field_at(field, object), before, sizeof before);
    return status;
}

dr_status dr_field_read_component(const dr_field *field, int index, const char *text, size_t length, void *object,
                                  char *why, size_t room)
{
    return read_number(field, text, length, (double *)dr_field_at(field, object) + index, why, room);
}

dr_status dr_field_read(const dr_field *field, const char *text, size_t length, void *object, dr_arena *arena,
                        char *why, size_t room)
{
    void *at = dr_field_at(field, object);
    switch (field->type) {
    case DR_FIELD_BOOL:
        return read_bool(text, length, at, why, room);
    case DR_FIELD_INT:
        return read_int(field, text, length, at, why, room);
    case DR_FIELD_REAL:
        return read_number(field, text, length, at, why, room);
    case DR_FIELD_VECTOR:
        return read_vector(field, text, length, object, why, room);
    case DR_FIELD_TEXT:
    case DR_FIELD_FILE:
        return read_text(field, text, length, at, arena, why, room);
    case DR_FIELD_CHOICE:
        return read_choice(field, text, length, at, why, room);
    default:
        snprintf(why, room, " is a group of values");
        return DR_STATUS_BAD_SCENE;
    }
}

// ---- writing and comparing

void dr_field_print(const dr_field *field, const void *object, char *text, size_t room)
{
    const void *at = dr_field_at(field, object);
    char part[3][60];
    int choice;
    switch (field->type) {
    case DR_FIELD_BOOL:
        snprintf(text, room, "%s", *(const bool *)at ? "yes" : "no");
        break;
    case DR_FIELD_INT:
        snprintf(text, room, "%lld", (long long)*(const int64_t *)at);
        break;
    case DR_FIELD_REAL:
        print_number(field, *(const double *)at, text, room);
        break;
    case DR_FIELD_VECTOR:
        for (int i = 0; i < 3; i++) print_number(field, ((const double *)at)[i], part[i], sizeof part[i]);
        snprintf(text, room, "[%s, %s, %s]", part[0], part[1], part[2]);
        break;
    case DR_FIELD_CHOICE:
        choice = *(const int *)at;
        snprintf(text, room, "%s", choice >= 0 && choice < choice_count(field) ? field->choices[choice] : "?");
        break;
    case DR_FIELD_TEXT:
    case DR_FIELD_FILE:
        snprintf(text, room, "%s", dr_field_text(field, object) ? dr_field_text(field, object) : "");
        break;
    default:
        text[0] = 0;
    }
}

static bool equal_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool dr_field_equal(const dr_field *field, const void *a, const void *b)
{
    static const size_t bytes[] = {
        [DR_FIELD_BOOL] = sizeof(bool),         [DR_FIELD_INT] = sizeof(int64_t), [DR_FIELD_REAL] = sizeof(double),
        [DR_FIELD_VECTOR] = 3 * sizeof(double), [DR_FIELD_CHOICE] = sizeof(int),  [DR_FIELD_LIST] = 0};
    if (field->type == DR_FIELD_TEXT || field->type == DR_FIELD_FILE) {
        return equal_text(dr_field_text(field, a), dr_field_text(field, b));
    }
    return memcmp(dr_field_at(field, a), dr_field_at(field, b), bytes[field->type]) == 0;
}
