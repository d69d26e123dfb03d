// The files a scene names: meshes, paths and sequences, each read once. dr_scene_load (drench/scene.h) is the way in.
#ifndef DR_IO_ASSETS_H
#define DR_IO_ASSETS_H

#include "scene/scene.h"

// The path at which a file named in the scene is looked for: as written where absolute, else in the scene file's
// folder. False where it does not fit into `room`.
bool dr_assets_locate(const dr_scene *scene, const char *file, char *path, size_t room);

// Reads the curves that *file (a field of the scene, part of the struct `owner`) names, once, into the scene's assets;
// dr_scene_curves finds them there. Problems are told at the line where the scene names the file.
dr_status dr_assets_load_curves(dr_scene *scene, const char *const *file, const void *owner, dr_error *error);

#endif
