// A scene as the command line asks for it.
#ifndef DRENCH_APP_SCENE_H
#define DRENCH_APP_SCENE_H

#include "command.h"

// Reads a scene, applies --set, checks. NULL after telling what is wrong. forecast may be NULL.
dr_scene *scene_open(const char *path, const settings *settings, dr_forecast *forecast, exit_status *status);

// "PATH=VALUE".
dr_status scene_set(dr_scene *scene, const char *text, dr_error *error);

#endif
