// The version of the library.
#ifndef DRENCH_VERSION_H
#define DRENCH_VERSION_H

#include "drench/status.h"

#define DR_VERSION_MAJOR 0
#define DR_VERSION_MINOR 1
#define DR_VERSION_PATCH 0
#define DR_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

// The version the library was built as, "0.1.0".
DR_API const char *dr_version(void);

// What this build can do, one "name yes|no" per line: yaml, hdf5, view, embree, png, zlib, avx2.
DR_API const char *dr_version_features(void);

#ifdef __cplusplus
}
#endif
#endif
