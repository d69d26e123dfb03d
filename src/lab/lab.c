#include "lab/lab.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES  64
#define MOST_NUMBERS 64 // in one list
#define FOLDER_ROOM  4096

typedef struct value {
    const char *name, *unit;
    double numbers[MOST_NUMBERS];
    int count; // 1 for a plain number
    bool list, expects, share, compares;
    double expected, tolerance, error, floor;
} value;

struct dr_lab {
    const dr_lab_case *which;
    const dr_lab_request *request; // while the case runs
    dr_arena arena;
    void *parameters;
    value values[MOST_VALUES];
    int count;
};

// ---- finding

const dr_lab_case *dr_lab_find(const dr_lab_case *const *cases, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(cases[i]->name, name) == 0) return cases[i];
    }
    return NULL;
}

const char *dr_lab_nearest(const char *const *names, const char *name)
{
    return dr_field_nearest(names, name, strlen(name));
}

// ---- parameters

static dr_status refuse_key(const dr_lab *lab, const char *setting, size_t length, dr_error *error)
{
    const dr_table *table = lab->which->table;
    dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: there is no parameter \"%.*s\"", lab->which->name, (int)length,
                 setting);
    const char *nearest = dr_table_nearest(table, lab->parameters, setting, length);
    if (nearest) {
        dr_error_hint(error, "did you mean \"%s\"?", nearest);
        return DR_STATUS_BAD_ARGUMENT;
    }
    char names[600] = "none";
    for (int i = 0, used = 0; i < table->count && used < (int)sizeof names; i++) {
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", i ? ", " : "", table->fields[i].name);
    }
    dr_error_hint(error, "its parameters: %s", names);
    return DR_STATUS_BAD_ARGUMENT;
}

static dr_status set_one(dr_lab *lab, const char *setting, dr_error *error)
{
    const char *equals = strchr(setting, '=');
    char why[300];
    if (!equals) {
        dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: \"%s\" is not KEY=VALUE", lab->which->name, setting);
        return DR_STATUS_BAD_ARGUMENT;
    }
    size_t length = (size_t)(equals - setting);
    const dr_field *field = dr_table_find(lab->which->table, setting, length);
    if (!field) return refuse_key(lab, setting, length, error);
    dr_status status =
        dr_field_read(field, equals + 1, strlen(equals + 1), lab->parameters, &lab->arena, why, sizeof why);
    if (status == DR_STATUS_NO_MEMORY) return dr_error_memory(error, "reading parameters");
    if (status) return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: %s%s", lab->which->name, field->name, why);
    return DR_STATUS_OK;
}

static dr_status set_parameters(dr_lab *lab, dr_error *error)
{
    lab->parameters = dr_arena_alloc(&lab->arena, lab->which->table->size);
    if (!lab->parameters) return dr_error_memory(error, "reading parameters");
    dr_table_defaults(lab->which->table, lab->parameters);
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < lab->request->setting_count; i++) {
        dr_status one = set_one(lab, lab->request->settings[i], error);
        if (one && !status) status = one;
    }
    return status;
}

// ---- running

dr_status dr_lab_perform(const dr_lab_case *which, const dr_lab_request *request, dr_lab **lab, dr_error *error)
{
    *lab = NULL;
    dr_error_clear(error);
    dr_lab *fresh = dr_memory_alloc(NULL, sizeof *fresh);
    if (!fresh) return dr_error_memory(error, "starting a case");
    fresh->which = which;
    fresh->request = request;
    dr_arena_open(&fresh->arena, NULL);
    dr_status status = set_parameters(fresh, error);
    if (!status) status = which->run(fresh, fresh->parameters, error);
    if (!status && dr_lab_stopped(fresh)) status = DR_STATUS_INTERRUPTED;
    fresh->request = NULL;
    if (status) {
        dr_lab_destroy(fresh);
        return status;
    }
    *lab = fresh;
    return DR_STATUS_OK;
}

void dr_lab_destroy(dr_lab *lab)
{
    if (!lab) return;
    dr_arena_close(&lab->arena);
    dr_memory_free(NULL, lab, sizeof *lab);
}

int dr_lab_threads(const dr_lab *lab)
{
    return lab->request->threads;
}

bool dr_lab_stopped(const dr_lab *lab)
{
    return lab->request->stop && *lab->request->stop;
}

// ---- values

static value *add_value(dr_lab *lab, const char *name, const char *unit)
{
    assert(lab->count < MOST_VALUES);
    value *fresh = &lab->values[lab->count++];
    *fresh = (value){.name = name, .unit = unit, .count = 1};
    return fresh;
}

static int by_size(const void *p, const void *q)
{
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

double dr_lab_median(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

void dr_lab_measure(dr_lab *lab, const char *name, const char *unit, double measured)
{
    add_value(lab, name, unit)->numbers[0] = measured;
}

void dr_lab_measure_list(dr_lab *lab, const char *name, const char *unit, const double *values, int count)
{
    assert(count <= MOST_NUMBERS);
    value *fresh = add_value(lab, name, unit);
    fresh->list = true;
    fresh->count = count;
    for (int i = 0; i < count; i++) fresh->numbers[i] = values[i];
}

static value *add_expected(dr_lab *lab, const char *name, const char *unit, double measured, double expected,
                           double tolerance)
{
    value *fresh = add_value(lab, name, unit);
    fresh->numbers[0] = measured;
    fresh->expects = true;
    fresh->expected = expected;
    fresh->tolerance = tolerance;
    fresh->error = fabs(measured - expected);
    return fresh;
}

void dr_lab_expect(dr_lab *lab, const char *name, const char *unit, double measured, double expected, double tolerance)
{
    add_expected(lab, name, unit, measured, expected, tolerance);
}

void dr_lab_expect_share(dr_lab *lab, const char *name, const char *unit, double measured, double expected,
                         double tolerance)
{
    value *fresh = add_expected(lab, name, unit, measured, expected, tolerance);
    fresh->share = true;
    fresh->error /= fabs(expected);
}

void dr_lab_compare(dr_lab *lab, const char *name, const char *unit, double measured, double floor)
{
    value *fresh = add_value(lab, name, unit);
    fresh->numbers[0] = measured;
    fresh->compares = true;
    fresh->floor = floor;
}

static bool value_passes(const value *one)
{
    return !one->expects || one->error <= one->tolerance;
}

dr_lab_verdict dr_lab_judge(const dr_lab *lab)
{
    dr_lab_verdict verdict = DR_LAB_NOT_JUDGED;
    for (int i = 0; i < lab->count; i++) {
        if (!value_passes(&lab->values[i])) return DR_LAB_FAILED;
        if (lab->values[i].expects) verdict = DR_LAB_PASSED;
    }
    return verdict;
}

// ---- scenes

typedef struct relay {
    dr_lab *lab;
    const dr_lab_watch *watch;
} relay;

static void pass_frame(void *user, const dr_frame *frame)
{
    const dr_lab_watch *watch = ((relay *)user)->watch;
    if (watch && watch->frame) watch->frame(watch->user, frame);
}

static void pass_report(void *user, const dr_progress *progress)
{
    const dr_lab_watch *watch = ((relay *)user)->watch;
    if (watch && watch->report && !progress->frame_written) watch->report(watch->user, progress->report);
}

dr_status dr_lab_simulate(dr_lab *lab, const char *part, dr_scene *scene, double until, const dr_lab_watch *watch,
                          dr_run_summary *summary, dr_error *error)
{
    char folder[FOLDER_ROOM];
    const dr_lab_request *request = lab->request;
    relay user = {lab, watch};
    dr_run_options options;
    dr_run_options_default(&options);
    if (request->folder) {
        int length = snprintf(folder, sizeof folder, "%s%s%s", request->folder, part ? "/" : "", part ? part : "");
        if (length < 0 || length >= FOLDER_ROOM) {
            return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "the name of the folder is too long");
        }
        options.folder = folder;
    }
    options.overwrite = request->overwrite;
    options.threads = request->threads ? request->threads : watch ? watch->threads : 0;
    options.until = until;
    options.stop = request->stop;
    options.observe = pass_frame;
    options.progress = pass_report;
    options.user = &user;
    dr_status status = dr_scene_load(scene, error);
    if (!status) status = dr_scene_check(scene, error);
    return status ? status : dr_run(scene, &options, summary, error);
}

// ---- showing

static void put_parameters(dr_json *json, const dr_lab *lab)
{
    const dr_table *table = lab->which->table;
    dr_json_object(json, "parameters");
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        const void *at = dr_field_at(field, lab->parameters);
        char text[300];
        switch (field->type) {
        case DR_FIELD_REAL:
            dr_json_number(json, field->name, *(const double *)at);
            break;
        case DR_FIELD_INT:
            dr_json_integer(json, field->name, *(const int64_t *)at);
            break;
        case DR_FIELD_BOOL:
            dr_json_bool(json, field->name, *(const bool *)at);
            break;
        default:
            dr_field_print(field, lab->parameters, text, sizeof text);
            dr_json_text(json, field->name, text);
            break;
        }
    }
    dr_json_end_object(json);
}

static bool is_shown(const value *one, bool expects, bool compares)
{
    return (!expects || one->expects) && (!compares || one->compares);
}

// One object of the numbers at `offset` of those values that have them.
static void put_numbers(dr_json *json, const dr_lab *lab, const char *key, size_t offset, bool expects, bool compares)
{
    dr_json_object(json, key);
    for (int i = 0; i < lab->count; i++) {
        const value *one = &lab->values[i];
        const double *at = (const double *)((const char *)one + offset);
        if (!is_shown(one, expects, compares)) continue;
        if (one->list) {
            dr_json_numbers(json, one->name, at, (size_t)one->count);
        } else {
            dr_json_number(json, one->name, *at);
        }
    }
    dr_json_end_object(json);
}

static void put_ratios(dr_json *json, const dr_lab *lab)
{
    dr_json_object(json, "ratio");
    for (int i = 0; i < lab->count; i++) {
        const value *one = &lab->values[i];
        if (one->compares) dr_json_number(json, one->name, one->numbers[0] / one->floor);
    }
    dr_json_end_object(json);
}

static bool has(const dr_lab *lab, bool expects)
{
    for (int i = 0; i < lab->count; i++) {
        if (expects ? lab->values[i].expects : lab->values[i].compares) return true;
    }
    return false;
}

static void show_json(dr_text *text, const dr_lab *lab)
{
    dr_json json;
    dr_json_open(&json, text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "name", lab->which->name);
    put_parameters(&json, lab);
    put_numbers(&json, lab, "measured", offsetof(value, numbers), false, false);
    if (has(lab, false)) {
        put_numbers(&json, lab, "floor", offsetof(value, floor), false, true);
        put_ratios(&json, lab);
    }
    if (has(lab, true)) {
        put_numbers(&json, lab, "expected", offsetof(value, expected), true, false);
        put_numbers(&json, lab, "error", offsetof(value, error), true, false);
        put_numbers(&json, lab, "tolerance", offsetof(value, tolerance), true, false);
        dr_json_bool(&json, "pass", dr_lab_judge(lab) == DR_LAB_PASSED);
    }
    dr_json_end_object(&json);
    dr_text_put(text, "\n");
}

static void show_value(dr_text *text, const value *one)
{
    dr_text_print(text, "  %-28s", one->name);
    for (int i = 0; i < one->count; i++) dr_text_print(text, i ? " %.6g" : " %14.9g", one->numbers[i]);
    dr_text_print(text, " %-8s", one->unit ? one->unit : "");
    if (one->expects) {
        dr_text_print(text, " expected %.9g, %s %.3g (at most %.3g)%s", one->expected,
                      one->share ? "relative error" : "error", one->error, one->tolerance,
                      value_passes(one) ? "" : "  <- does not pass");
    }
    if (one->compares) dr_text_print(text, " floor %.6g, ratio %.3g", one->floor, one->numbers[0] / one->floor);
    dr_text_put(text, "\n");
}

static void show_table(dr_text *text, const dr_lab *lab)
{
    const dr_table *table = lab->which->table;
    dr_text_print(text, "%s: %s\n ", lab->which->name, lab->which->summary);
    for (int i = 0; i < table->count; i++) {
        char shown[300];
        dr_field_print(&table->fields[i], lab->parameters, shown, sizeof shown);
        dr_text_print(text, " %s=\"%s\"", table->fields[i].name, shown);
    }
    dr_text_put(text, "\n");
    for (int i = 0; i < lab->count; i++) show_value(text, &lab->values[i]);
    static const char *const words[] = {
        [DR_LAB_NOT_JUDGED] = "not judged", [DR_LAB_PASSED] = "pass", [DR_LAB_FAILED] = "DOES NOT PASS"};
    if (!has(lab, false)) dr_text_print(text, "  %s\n", words[dr_lab_judge(lab)]);
}

static char *hand_over(dr_text *text)
{
    if (text->failed) dr_text_close(text);
    return text->data;
}

char *dr_lab_show(const dr_lab *lab, bool json)
{
    dr_text text;
    dr_text_open(&text, NULL);
    (json ? show_json : show_table)(&text, lab);
    return hand_over(&text);
}

char *dr_lab_describe(const dr_lab_case *which)
{
    dr_text text;
    dr_text_open(&text, NULL);
    dr_text_print(&text, "  %-20s %s\n", which->name, which->summary);
    for (int i = 0; i < which->table->count; i++) {
        const dr_field *field = &which->table->fields[i];
        dr_text_print(&text, "      %s=%s  %s\n", field->name, field->fallback ? field->fallback : "", field->doc);
    }
    return hand_over(&text);
}

void dr_lab_release_text(char *text)
{
    dr_memory_free(NULL, text, 1);
}
