#include "command.h"

#include "lab/lab.h"
#include "tell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_range(const dr_param *param)
{
    if (!param->limited) return;
    if (isfinite(param->min) && isfinite(param->max)) {
        printf(", %g .. %g", param->min, param->max);
    } else if (isfinite(param->min)) {
        printf(", at least %g", param->min);
    } else if (isfinite(param->max)) {
        printf(", at most %g", param->max);
    }
}

static bool print_param(void *user, const dr_param *param)
{
    (void)user;
    printf("%s\n    %s", param->path, param->type);
    if (param->unit && param->unit[0]) printf(" in %s", param->unit);
    if (param->choices[0]) printf(": %s", param->choices);
    print_range(param);
    if (param->word) printf(", or \"%s\"", param->word);
    if (param->required) {
        printf("; must be given");
    } else if (param->fallback && param->fallback[0]) {
        printf("; default %s", param->fallback);
    }
    if (param->kinds[0]) printf("; for %s", param->kinds);
    printf("\n    ");
    print_wrapped(stdout, param->doc, 4, 4, 100);
    if (param->hint && param->hint[0]) {
        printf("    ");
        print_wrapped(stdout, param->hint, 4, 4, 100);
    }
    return true;
}

typedef struct names {
    char (*paths)[sizeof((dr_param *)0)->path];
    int count, room;
} names;

static bool keep_name(void *user, const dr_param *param)
{
    names *list = user;
    if (list->count < list->room) memcpy(list->paths[list->count++], param->path, sizeof param->path);
    return true;
}

static void refuse_path(const char *path)
{
    int room = dr_param_visit(NULL, keep_name, &(names){0});
    names list = {calloc((size_t)room + 1, sizeof *list.paths), 0, room};
    const char **known = calloc((size_t)room + 1, sizeof *known);
    tell_problem("params: there is no parameter \"%s\"", path);
    if (list.paths && known) {
        dr_param_visit(NULL, keep_name, &list);
        for (int i = 0; i < list.count; i++) known[i] = list.paths[i];
        const char *nearest = dr_lab_nearest(known, path);
        if (nearest) tell_hint("did you mean \"%s\"?", nearest);
    }
    tell_hint("`drench params` lists them all");
    free(known);
    free(list.paths);
}

exit_status params_command(const settings *settings)
{
    const char *path = settings->operand_count ? settings->operands[0] : NULL;
    if (dr_param_visit(path, print_param, NULL) > 0) return EXIT_DONE;
    refuse_path(path ? path : "");
    return EXIT_USAGE;
}
