// Level sets as OpenVDB files. docs/export.md.
#ifndef DR_IO_VDB_WRITE_H
#define DR_IO_VDB_WRITE_H

#include "base/text.h"

enum { DR_VDB_SIDE = 8, DR_VDB_NODES = 512 };

// Node (x, y, z) is item (x * 8 + y) * 8 + z.
typedef struct dr_vdb_leaf {
    const int32_t *origin;      // [3], in nodes, multiples of 8
    const float *distance;      // [512], negative inside
    const float (*velocity)[3]; // [512]
} dr_vdb_leaf;

typedef struct dr_vdb_level_set {
    double cell, band; // as the leaves have them: from the band on a distance is no longer true
    double scale;      // of lengths, from the leaves' unit to the file's
    bool z_up;         // turn y up to z up
    double time;       // seconds
    size_t leaf_count;
    const dr_vdb_leaf *leaves; // in any order, none twice
} dr_vdb_level_set;

// A file with the grids "surface" (a level set) and "velocity" (near the surface). Memory that runs out shows in the
// text's `failed`.
void dr_write_vdb(dr_text *out, const dr_vdb_level_set *set);

#endif
