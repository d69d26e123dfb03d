// The files a scene names: meshes, paths and sequences, each read once. dr_scene_load (drench/scene.h) is the way in.
#ifndef DR_IO_ASSETS_H
#define DR_IO_ASSETS_H

#include "scene/scene.h"

// The path at which a file named in the scene is looked for: as written where absolute, else in the scene file's
// folder. False where it does not fit into `room`.
bool dr_assets_locate(const dr_scene *scene, const char *file, char *path, size_t room);

#endif
