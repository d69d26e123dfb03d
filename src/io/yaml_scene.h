// Scenes from text, without the files they name.
#ifndef DR_IO_YAML_SCENE_H
#define DR_IO_YAML_SCENE_H

#include "scene/scene.h"

// As dr_scene_parse, but reads no other file.
dr_status dr_yaml_scene_parse(const char *text, size_t length, const char *name, const dr_allocator *allocator,
                              dr_scene **scene, dr_error *error);

#endif
