// validate and bench: both run cases of the lab.
#include "lab/lab.h"

#include "command.h"
#include "tell.h"

#include <string.h>

typedef const dr_lab_case *const *(*case_list)(int *count);

static void print_list(case_list list)
{
    int count;
    const dr_lab_case *const *cases = list(&count);
    for (int i = 0; i < count; i++) {
        char *text = dr_lab_describe(cases[i]);
        if (text) fputs(text, stdout);
        dr_lab_release_text(text);
    }
}

// judged: a case in which nothing is expected does not pass.
static exit_status run_case(const dr_lab_case *which, const settings *settings, const char *folder, bool judged)
{
    dr_error error = {0};
    dr_lab *lab = NULL;
    dr_lab_request request = {.settings = settings->operands + !settings->all,
                              .setting_count = settings->operand_count - !settings->all,
                              .folder = folder,
                              .overwrite = settings->overwrite,
                              .threads = (int)settings->threads,
                              .stop = signals_stop()};
    signals_watch();
    dr_status status = dr_lab_perform(which, &request, &lab, &error);
    if (status == DR_STATUS_INTERRUPTED) return EXIT_INTERRUPTED;
    if (status) return tell_error(status, &error);
    bool passed = dr_lab_judge(lab) == DR_LAB_PASSED || (!judged && dr_lab_judge(lab) == DR_LAB_NOT_JUDGED);
    char *text = dr_lab_show(lab, settings->json);
    if (text && (!settings->quiet || !passed)) fputs(text, stdout);
    fflush(stdout);
    dr_lab_release_text(text);
    dr_lab_destroy(lab);
    return passed ? EXIT_DONE : EXIT_FAILED;
}

static exit_status run_all(case_list list, const settings *settings, bool judged)
{
    int count;
    const dr_lab_case *const *cases = list(&count);
    exit_status worst = EXIT_DONE;
    for (int i = 0; i < count && worst != EXIT_INTERRUPTED; i++) {
        char folder[4096];
        if (settings->output) snprintf(folder, sizeof folder, "%s/%s", settings->output, cases[i]->name);
        exit_status status = run_case(cases[i], settings, settings->output ? folder : NULL, judged);
        if (status > worst) worst = status;
    }
    return worst;
}

static exit_status refuse_case(case_list list, const char *command, const char *name)
{
    const char *names[128];
    int count;
    const dr_lab_case *const *cases = list(&count);
    if (count > 127) count = 127;
    for (int i = 0; i < count; i++) names[i] = cases[i]->name;
    names[count] = NULL;
    const char *nearest = dr_lab_nearest(names, name);
    tell_problem("%s: there is no case \"%s\"", command, name);
    if (nearest) tell_hint("did you mean \"%s\"?", nearest);
    tell_hint("`drench %s --list` lists them", command);
    return EXIT_USAGE;
}

static exit_status perform(case_list list, const char *command, const settings *settings, bool judged)
{
    if (settings->list) {
        print_list(list);
        return EXIT_DONE;
    }
    if (settings->all && settings->operand_count == 0) return run_all(list, settings, judged);
    if (settings->all || settings->operand_count == 0) {
        tell_problem(settings->all ? "%s: --all takes no name and no parameters" : "%s: the NAME of a case is missing",
                     command);
        tell_hint("`drench %s --list` lists the cases, --all runs them", command);
        return EXIT_USAGE;
    }
    int count;
    const dr_lab_case *const *cases = list(&count);
    const dr_lab_case *which = dr_lab_find(cases, count, settings->operands[0]);
    return which ? run_case(which, settings, settings->output, judged)
                 : refuse_case(list, command, settings->operands[0]);
}

exit_status validate_command(const settings *settings)
{
    return perform(dr_lab_validations, "validate", settings, true);
}

exit_status bench_command(const settings *settings)
{
    return perform(dr_lab_benches, "bench", settings, false);
}
