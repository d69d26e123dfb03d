// Any bytes as a file for the OBJ reader: no crash, no leak, and what it accepts is sound.
#include "fuzz/curves.h"
#include "fuzz/mesh.h"
#include "io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_mesh(dr_obj_parse, data, size);
    try_curves(dr_obj_parse_curves, data, size);
    return 0;
}
