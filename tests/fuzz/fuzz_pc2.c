// Any bytes as a file for the PC2 reader: no crash, no leak, and what it accepts is sound.
#include "io/pc2.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sequence(const dr_sequence_asset *sequence)
{
    assert(sequence->frame_count > 0 && sequence->vertex_count > 0 && sequence->frame_step > 0.0);
    for (size_t i = 0; i < 3 * sequence->vertex_count * sequence->frame_count; i++)
        assert(isfinite(sequence->positions[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dr_arena arena;
    dr_error error = {0};
    dr_sequence_asset sequence = {0};
    dr_arena_open(&arena, NULL);
    dr_status status = dr_pc2_parse((const char *)data, size, "fuzz", &arena, &sequence, &error);
    if (status == DR_STATUS_OK)
        check_sequence(&sequence);
    else
        assert(error.count > 0 && error.text[0]);
    dr_arena_close(&arena);
    return 0;
}
