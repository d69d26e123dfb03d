// Any bytes as a file for the PATH reader: no crash, no leak, and what it accepts is sound.
#include "io/path.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const dr_path_asset *path)
{
    assert(path->count > 0);
    for (size_t i = 0; i < 8 * path->count; i++) assert(isfinite(path->rows[i]));
    for (size_t i = 1; i < path->count; i++) assert(path->rows[8 * i] > path->rows[8 * (i - 1)]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dr_arena arena;
    dr_error error = {0};
    dr_path_asset path = {0};
    dr_arena_open(&arena, NULL);
    dr_status status = dr_path_parse((const char *)data, size, "fuzz", &arena, &path, &error);
    if (status == DR_STATUS_OK)
        check_path(&path);
    else
        assert(error.count > 0 && error.text[0]);
    dr_arena_close(&arena);
    return 0;
}
