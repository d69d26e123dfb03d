// Any bytes as a file for the reader of .hair files: no crash, no leak, and what it accepts is sound.
#include "fuzz/curves.h"
#include "io/curves.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_curves(dr_hair_parse, data, size);
    return 0;
}
