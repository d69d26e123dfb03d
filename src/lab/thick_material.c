#include "lab/thick_material.h"

#include <math.h>
#include <stdio.h>

static const char *const names[] = {DR_LAB_THICK_NAMES};

// Stiff liquids for which the small-strain formulas hold: Bingham, thinning, thickening.
static const dr_material_spec stiff[3] = {
    {.density = 1, .shear_modulus = 1e5, .yield_stress = 300, .consistency = 50, .flow_index = 1, .bulk_modulus = 2e10},
    {.density = 1,
     .shear_modulus = 1e5,
     .yield_stress = 300,
     .consistency = 200,
     .flow_index = 0.5,
     .bulk_modulus = 2e10},
    {.density = 1,
     .shear_modulus = 1e5,
     .yield_stress = 300,
     .consistency = 20,
     .flow_index = 1.5,
     .bulk_modulus = 2e10},
};

dr_material_spec dr_lab_thick_material(int choice)
{
    return choice < 3 ? stiff[choice] : *dr_material_find(names[choice]);
}

dr_lab_shear dr_lab_thick_shear(const dr_material_spec *material)
{
    double n = material->flow_index;
    return (dr_lab_shear){material->yield_stress / sqrt(3.0), material->consistency * exp2(-0.5 * (n + 1.0)), n};
}

void dr_lab_thick_layer(const dr_lab_shear *shear, double force, double height, double *plug, double *mean)
{
    double n = shear->index, sheared = height - shear->yield / force;
    *plug = *mean = 0.0;
    if (!(sheared > 0.0)) return;
    *plug = n / (n + 1.0) * pow(force / shear->consistency, 1.0 / n) * pow(sheared, (n + 1.0) / n);
    *mean = *plug * (1.0 - n / (2.0 * n + 1.0) * sheared / height);
}

int dr_lab_thick_text(const dr_material_spec *material, const char *name, char *text, size_t room)
{
    return snprintf(text, room,
                    "{name: %s, kind: liquid, density: %.17g, surface_tension: 0, bulk_modulus: %.17g, "
                    "shear_modulus: %.17g, yield_stress: %.17g, consistency: %.17g, flow_index: %.17g, "
                    "tear_strain: never}",
                    name, material->density, material->bulk_modulus, material->shear_modulus, material->yield_stress,
                    material->consistency, material->flow_index);
}
