// Plain weave: threads that cross each other, each bent by the other. docs/theory/weave.md, eq. (1)-(8).
#include "scene/weave.h"

#include "base/number.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

// A clamped beam that goes up by h along p is longer by 3/5 (h/p)^2 of p.
#define BEAM_LENGTH 0.6

static double or_else(double value, double other)
{
    return value > 0.0 ? value : other;
}

// One of mass and diameter says the other.                                                                        (1)
static bool find_threads(const dr_material_spec *material, dr_weave *weave)
{
    const dr_weave_spec *spec = &material->weave;
    double radius[2] = {spec->warp_radius, spec->weft_radius}, given[2] = {spec->warp_yarn, spec->weft_yarn};
    if (!(given[1] > 0.0) && !(radius[1] > 0.0)) {
        given[1] = given[0];
        radius[1] = radius[0];
    }
    weave->pitch[0] = 1.0 / spec->ends;
    weave->pitch[1] = 1.0 / or_else(spec->picks, spec->ends);
    for (int i = 0; i < 2; i++) {
        double solid = material->density * spec->packing;
        weave->mass[i] = or_else(given[i], solid * DR_PI * radius[i] * radius[i]);
        weave->section[i] = weave->mass[i] / material->density;
        weave->diameter[i] = or_else(2.0 * radius[i], sqrt(4.0 * weave->mass[i] / (DR_PI * solid)));
        double fibre = material->fibre_diameter;
        weave->bending[i] = spec->cohesion * spec->fibre_modulus * weave->section[i] * fibre * fibre / 16.0; // (2)
        if (!(weave->bending[i] > 0.0) || !(weave->diameter[i] > 0.0)) return false;
    }
    return true;
}

// Threads of both directions press each other equally where they cross.                                      (3), (4)
static void find_crimp(dr_weave *weave)
{
    double both = weave->diameter[0] + weave->diameter[1], hardness[2];
    for (int i = 0; i < 2; i++) hardness[i] = weave->bending[i] / pow(weave->pitch[1 - i], 3.0);
    for (int i = 0; i < 2; i++) {
        weave->height[i] = both * hardness[1 - i] / (hardness[0] + hardness[1]);
        weave->crimp[i] = BEAM_LENGTH * pow(weave->height[i] / weave->pitch[1 - i], 2.0);
    }
}

bool dr_weave_find(const dr_material_spec *material, dr_weave *weave)
{
    const dr_weave_spec *spec = &material->weave;
    *weave = (dr_weave){.weight = 0.0};
    if (material->kind != DR_MATERIAL_CLOTH || !(spec->ends > 0.0) || !find_threads(material, weave)) return false;
    find_crimp(weave);
    for (int i = 0; i < 2; i++) {
        double own = weave->pitch[i], other = weave->pitch[1 - i], h = weave->height[i];
        double bent = weave->bending[i] + weave->bending[1 - i] * pow(other / own, 3.0);
        double unbend = 3.0 / (BEAM_LENGTH * BEAM_LENGTH) * bent / (h * h * own); // (5)
        double stretch = spec->fibre_modulus * weave->section[i] / own;
        weave->stiffness[i] = unbend * stretch / (unbend + stretch);            // (6)
        weave->rigidity[i] = weave->bending[i] / own / (1.0 + weave->crimp[i]); // (7)
        weave->weight += weave->mass[i] * (1.0 + weave->crimp[i]) / own;        // (8)
        weave->thickness = fmax(weave->thickness, h + weave->diameter[i]);
    }
    weave->share = weave->weight / (material->density * weave->thickness);
    return true;
}

bool dr_weave_apply(dr_material_spec *material)
{
    dr_weave weave;
    if (!dr_weave_find(material, &weave)) return false;
    double soft = weave.thickness * pow(weave.share, material->stress_power);
    material->thickness = weave.thickness;
    material->volume_fraction = weave.share;
    material->youngs_modulus = weave.stiffness[0] / soft;
    material->weft_modulus = weave.stiffness[1] / soft;
    material->bending_rigidity = weave.rigidity[0];
    material->weft_rigidity = weave.rigidity[1];
    return true;
}

bool dr_weave_supplies(const dr_field *field)
{
    static const char *const names[] = {"thickness",    "volume_fraction",  "youngs_modulus",
                                        "weft_modulus", "bending_rigidity", "weft_rigidity"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(field->name, names[i]) == 0) return true;
    }
    return false;
}
