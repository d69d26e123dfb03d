#include "scene.h"

#include "tell.h"

#include <stdio.h>
#include <string.h>

// The library tells of path=value; here that was an option.
static void name_option(dr_error *error)
{
    static const char option[] = "--set ";
    size_t length = sizeof option - 1, used = strlen(error->text);
    if (used + length >= sizeof error->text) return;
    memmove(error->text + length, error->text, used + 1);
    memcpy(error->text, option, length);
}

dr_status scene_set(dr_scene *scene, const char *text, dr_error *error)
{
    char path[400];
    const char *equals = strchr(text, '=');
    if (equals && equals > text && equals - text < (long)sizeof path) {
        snprintf(path, sizeof path, "%.*s", (int)(equals - text), text);
        dr_status status = dr_scene_set(scene, path, equals + 1, error);
        if (status) name_option(error);
        return status;
    }
    error->status = DR_STATUS_BAD_ARGUMENT;
    error->count = 1;
    snprintf(
        error->text, sizeof error->text,
        "--set \"%s\": PATH=VALUE was expected\n    as in --set domain.cell=\"2 mm\"; `drench params` lists the paths",
        text);
    return DR_STATUS_BAD_ARGUMENT;
}

dr_scene *scene_open(const char *path, const settings *settings, dr_forecast *forecast, exit_status *status)
{
    dr_error error = {0};
    dr_forecast own;
    dr_scene *scene = NULL;
    dr_status result = dr_scene_read(path, NULL, &scene, &error);
    for (int i = 0; !result && i < settings->set_count; i++) result = scene_set(scene, settings->sets[i], &error);
    if (!result && settings->resolution > 0.0) dr_scene_refine(scene, settings->resolution);
    if (!result && settings->set_count > 0) result = dr_scene_load(scene, &error);
    if (!result) result = dr_scene_forecast(scene, forecast ? forecast : &own, &error);
    *status = EXIT_DONE;
    if (!result) return scene;
    *status = tell_error(result, &error);
    dr_scene_destroy(scene);
    return NULL;
}
