// Any bytes as a file for the PLY reader: no crash, no leak, and what it accepts is sound.
#include "fuzz/curves.h"
#include "fuzz/mesh.h"
#include "io/ply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_mesh(dr_ply_parse, data, size);
    try_curves(dr_ply_parse_curves, data, size);
    return 0;
}
