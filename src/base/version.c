#include "drench/version.h"

const char *dr_version(void)
{
    return DR_VERSION;
}

#ifdef DR_HAVE_FYAML
#define YAML "yaml yes\n"
#else
#define YAML "yaml no\n"
#endif

#ifdef DR_HAVE_HDF5
#define HDF5 "hdf5 yes\n"
#else
#define HDF5 "hdf5 no\n"
#endif

#ifdef DR_HAVE_CIVETWEB
#define VIEW "view yes\n"
#else
#define VIEW "view no\n"
#endif

#ifdef DR_HAVE_EMBREE
#define EMBREE "embree yes\n"
#else
#define EMBREE "embree no\n"
#endif

#ifdef DR_HAVE_PNG
#define PNG "png yes\n"
#else
#define PNG "png no\n"
#endif

#ifdef DR_HAVE_ZLIB
#define ZLIB "zlib yes\n"
#else
#define ZLIB "zlib no\n"
#endif

#ifdef __AVX2__
#define VECTORS "avx2 yes"
#else
#define VECTORS "avx2 no"
#endif

const char *dr_version_features(void)
{
    return YAML HDF5 VIEW EMBREE PNG ZLIB VECTORS;
}
