// dr_scene_refine: the same scene, described more finely or more coarsely.
#include "scene/scene.h"

#include <math.h>

static bool is_patch(const dr_strands_spec *spec)
{
    return spec->kind == DR_STRANDS_WEAVE || spec->kind == DR_STRANDS_KNIT;
}

static bool has_count(const dr_strands_spec *spec)
{
    return spec->kind == DR_STRANDS_TUFT || spec->kind == DR_STRANDS_MAT || spec->kind == DR_STRANDS_BALL ||
           spec->kind == DR_STRANDS_CYLINDER;
}

static int64_t times(int64_t count, double factor, int64_t least)
{
    double scaled = nearbyint((double)count * factor);
    return scaled < (double)least ? least : scaled > 1e15 ? (int64_t)1e15 : (int64_t)scaled;
}

// Yarn of a patch becomes thinner with its loops; segments of what meets on the grid follow the cell, since longer
// ones pass through each other; hair becomes more.
static void refine_strands(dr_strands_spec *spec, double factor)
{
    if (is_patch(spec)) {
        spec->spacing /= factor;
        spec->amplitude /= factor;
        spec->radius /= factor;
        spec->radius_across /= factor;
        spec->yarn_vertices = times(spec->yarn_vertices, factor, 0);
        return;
    }
    if (has_count(spec)) spec->count = times(spec->count, factor * factor, 1);
    if (spec->contact == DR_MEET_GRID && spec->kind != DR_STRANDS_FILE)
        spec->vertices = times(spec->vertices, factor, 3);
}

void dr_scene_refine(dr_scene *scene, double factor)
{
    dr_scene_spec *spec = dr_scene_edit(scene);
    spec->domain.cell /= factor;
    if (spec->look.liquid.cell > 0.0) spec->look.liquid.cell /= factor;
    for (int i = 0; i < spec->cloths.count; i++) spec->cloths.items[i].edge /= factor;
    for (int i = 0; i < spec->strands.count; i++) refine_strands(&spec->strands.items[i], factor);
}
