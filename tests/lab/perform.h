// Cases of the lab by name and settings.
#ifndef TESTS_LAB_PERFORM_H
#define TESTS_LAB_PERFORM_H

#include "support/check.h"

#include "lab/lab.h"

// words: the case's name, its settings, NULL.
static inline dr_lab *run_case(const char *const *words)
{
    int count = 0, given = 0;
    const dr_lab_case *const *cases = dr_lab_validations(&count);
    const dr_lab_case *which = dr_lab_find(cases, count, words[0]);
    assert_non_null(which);
    while (words[1 + given]) given++;
    dr_lab_request request = {.settings = words + 1, .setting_count = given, .threads = 1};
    dr_lab *lab = NULL;
    dr_error error = {0};
    if (dr_lab_perform(which, &request, &lab, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return lab;
}

static inline void pass(const char *const *words)
{
    dr_lab *lab = run_case(words);
    if (dr_lab_judge(lab) != DR_LAB_PASSED) fail_msg("%s", dr_lab_show(lab, false));
    dr_lab_destroy(lab);
}

// What it shows in JSON.
static inline char *perform(const char *const *words)
{
    dr_lab *lab = run_case(words);
    char *shown = dr_lab_show(lab, true);
    assert_non_null(shown);
    dr_lab_destroy(lab);
    return shown;
}

#define PASS(...)    pass((const char *const[]){__VA_ARGS__, NULL})
#define PERFORM(...) perform((const char *const[]){__VA_ARGS__, NULL})

#endif
