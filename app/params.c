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

typedef struct params {
    dr_param *items;
    int count, room;
} params;

static bool keep_param(void *user, const dr_param *param)
{
    params *list = user;
    if (list->count < list->room) list->items[list->count++] = *param;
    return true;
}

// Every parameter there is; freed by the caller. Empty where memory is out.
static params list_params(void)
{
    params list = {.room = dr_param_visit(NULL, keep_param, &(params){0})};
    list.items = calloc((size_t)list.room + 1, sizeof *list.items);
    if (!list.items) list.room = 0;
    dr_param_visit(NULL, keep_param, &list);
    return list;
}

static const char *leaf_of(const dr_param *param)
{
    const char *dot = strrchr(param->path, '.');
    return dot ? dot + 1 : param->path;
}

static bool is_same_row(const dr_param *a, const dr_param *b)
{
    return strcmp(a->owner, b->owner) == 0 && strcmp(leaf_of(a), leaf_of(b)) == 0 && a->doc == b->doc;
}

static bool was_told(const params *list, int index)
{
    for (int i = 0; i < index; i++) {
        if (is_same_row(&list->items[i], &list->items[index])) return true;
    }
    return false;
}

// The other places of the same row: every collider, body and emitter has a shape.
static void print_other_places(const params *list, int index)
{
    int more = 0;
    for (int i = index + 1; i < list->count; i++) {
        if (is_same_row(&list->items[i], &list->items[index]))
            printf("%s%s", more++ ? ", " : "    also ", list->items[i].path);
    }
    if (more) printf("\n");
}

// Parameters whose own name holds the word. Returns how many rows of the tables there were.
static int search_leaves(const params *list, const char *word)
{
    int found = 0;
    for (int i = 0; *word && i < list->count; i++) {
        if (!strstr(leaf_of(&list->items[i]), word) || was_told(list, i)) continue;
        print_param(NULL, &list->items[i]);
        print_other_places(list, i);
        found++;
    }
    return found;
}

static void refuse_path(const params *list, const char *path)
{
    const char **known = calloc(2 * (size_t)list->count + 1, sizeof *known);
    tell_problem("params: there is no parameter \"%s\"", path);
    for (int i = 0; known && i < list->count; i++) {
        known[i] = list->items[i].path;
        known[list->count + i] = leaf_of(&list->items[i]);
    }
    const char *nearest = known ? dr_lab_nearest(known, path) : NULL;
    if (nearest) tell_hint("did you mean \"%s\"?", nearest);
    tell_hint("`drench params` lists them all");
    free(known);
}

static exit_status print_schema(void)
{
    dr_error error = {0};
    char *text;
    size_t length;
    dr_status status = dr_scene_schema(NULL, &text, &length, &error);
    if (status) return tell_error(status, &error);
    printf("%s\n", text);
    dr_scene_schema_release(NULL, text, length);
    return EXIT_DONE;
}

exit_status params_command(const settings *settings)
{
    const char *path = settings->operand_count ? settings->operands[0] : NULL;
    if (settings->schema && path) {
        tell_problem("params: --schema is of the whole language; \"%s\" is too much", path);
        return EXIT_USAGE;
    }
    if (settings->schema) return print_schema();
    if (dr_param_visit(path, print_param, NULL) > 0) return EXIT_DONE;
    params list = list_params();
    exit_status status = search_leaves(&list, path ? path : "") > 0 ? EXIT_DONE : EXIT_USAGE;
    if (status) refuse_path(&list, path ? path : "");
    free(list.items);
    return status;
}
