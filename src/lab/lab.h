// The lab: cases with a known answer (validate) and speeds beside their floor (bench). A case is a name, a table of
// parameters and a function that fills in named numbers; reading key=value, printing and judging are done once, here.
// A case that moves builds an ordinary scene and runs it through dr_lab_simulate, so that a folder can keep all of it.
#ifndef DR_LAB_LAB_H
#define DR_LAB_LAB_H

#include "base/field.h"
#include "drench/result.h"

typedef struct dr_lab dr_lab;

typedef struct dr_lab_case {
    const char *name, *summary;
    const dr_table *table; // of its parameters; only numbers, counts, switches, choices and text
    dr_status (*run)(dr_lab *lab, const void *parameters, dr_error *error);
} dr_lab_case;

// The cases, in the order of their tables (validate.c, bench.c); *count is how many.
const dr_lab_case *const *dr_lab_validations(int *count);
const dr_lab_case *const *dr_lab_benches(int *count);

// The case of that name among `count`, NULL where there is none; and the nearest name, NULL where none is near.
const dr_lab_case *dr_lab_find(const dr_lab_case *const *cases, int count, const char *name);
const char *dr_lab_nearest(const char *const *names, const char *name); // names end with NULL

// What a caller asks of a case.
typedef struct dr_lab_request {
    const char *const *settings; // "key=value"
    int setting_count;
    const char *folder; // keeps scenes, frames and statistics; NULL: nothing is kept
    bool overwrite;     // throws away what the folder held
    int threads;        // 0: as many as the machine has or OMP_NUM_THREADS says
    const volatile int *stop;
} dr_lab_request;

// Runs a case. On failure *lab is NULL; a case that does not pass has not failed.
dr_status dr_lab_perform(const dr_lab_case *which, const dr_lab_request *request, dr_lab **lab, dr_error *error);
void dr_lab_destroy(dr_lab *lab);

// A case passes when something was expected and all of it came. A case in which nothing was expected is not judged.
typedef enum dr_lab_verdict { DR_LAB_NOT_JUDGED, DR_LAB_PASSED, DR_LAB_FAILED } dr_lab_verdict;
dr_lab_verdict dr_lab_judge(const dr_lab *lab);

// One line of JSON, or a table for people. NULL when memory is out; freed by dr_lab_release_text.
char *dr_lab_show(const dr_lab *lab, bool json);

// The case's parameters with default, range and meaning, for people.
char *dr_lab_describe(const dr_lab_case *which);
void dr_lab_release_text(char *text);

// ---- for the cases themselves

int dr_lab_threads(const dr_lab *lab);
bool dr_lab_stopped(const dr_lab *lab);

// The middle one of the values, which are put in order.
double dr_lab_median(double *values, int64_t count);

// A number worth showing. Names are kept, not copied, here and below.
void dr_lab_measure(dr_lab *lab, const char *name, const char *unit, double value);
void dr_lab_measure_list(dr_lab *lab, const char *name, const char *unit, const double *values, int count);

// A number that should be `expected`: within `tolerance`, or within that share of what is expected.
void dr_lab_expect(dr_lab *lab, const char *name, const char *unit, double measured, double expected, double tolerance);
void dr_lab_expect_share(dr_lab *lab, const char *name, const char *unit, double measured, double expected,
                         double tolerance);

// A time or rate beside the least (or most) that the hardware would allow, measured in the same run; ratio is
// measured / floor.
void dr_lab_compare(dr_lab *lab, const char *name, const char *unit, double measured, double floor);

// Runs a scene to `until`; with a folder asked for, its results are kept there (in a folder `part` below it, where the
// case has several runs). watch is told of the state at every output time and report of every step; both may be NULL.
typedef struct dr_lab_watch {
    void (*frame)(void *user, const dr_frame *frame);
    void (*report)(void *user, const dr_report *report);
    void *user;
    int threads; // where the request names none; 0: as many as the machine has
} dr_lab_watch;
dr_status dr_lab_simulate(dr_lab *lab, const char *part, dr_scene *scene, double until, const dr_lab_watch *watch,
                          dr_run_summary *summary, dr_error *error);

#endif
