// What the readers of curves have in common under the fuzzer.
#ifndef TESTS_FUZZ_CURVES_H
#define TESTS_FUZZ_CURVES_H

#include "scene/scene.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef dr_status (*curves_parser)(const char *data, size_t bytes, const char *name, dr_arena *arena,
                                   dr_curve_asset *curves, dr_error *error);

static inline void check_curves(const dr_curve_asset *curves)
{
    assert(curves->curve_count > 0 && curves->first[0] == 0);
    assert(curves->first[curves->curve_count] == curves->point_count);
    for (size_t s = 0; s < curves->curve_count; s++) assert(curves->first[s + 1] >= curves->first[s] + 2);
    for (size_t i = 0; i < 3 * curves->point_count; i++) assert(isfinite(curves->points[i]));
    for (size_t i = 0; i < curves->point_count && curves->radius; i++)
        assert(isfinite(curves->radius[i]) && curves->radius[i] >= 0.0);
    for (size_t i = 0; i < 3 * curves->point_count && curves->color; i++)
        assert(curves->color[i] >= 0.0f && curves->color[i] <= 1.0f);
    assert(isfinite(curves->usual_radius) && curves->up >= -1 && curves->up < 3);
}

static inline void try_curves(curves_parser parse, const uint8_t *data, size_t size)
{
    dr_arena arena;
    dr_error error = {0};
    dr_curve_asset curves = {0};
    dr_arena_open(&arena, NULL);
    if (parse((const char *)data, size, "fuzz", &arena, &curves, &error) == DR_STATUS_OK)
        check_curves(&curves);
    else
        assert(error.count > 0 && error.text[0]);
    dr_arena_close(&arena);
}

#endif
