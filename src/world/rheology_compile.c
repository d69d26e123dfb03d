// From a scene's material to the law of a liquid. docs/theory/rheology.md, "Parameters".
#include "world/constants.h"
#include "world/tuning.h"

#include <math.h>

bool dr_rheology_compile(const dr_material_spec *material, dr_rheology *law)
{
    const dr_rheometer_spec *data = &material->rheometer;
    bool given = data->consistency > 0.0;
    double yield = given ? dr_rheology_yield_of_shear(data->yield_stress) : material->yield_stress;
    double index = given ? data->index : material->flow_index;
    double consistency =
        given ? dr_rheology_consistency_of_shear(data->consistency, data->index) : material->consistency;
    *law = (dr_rheology){.shear_modulus = material->shear_modulus,
                         .yield = sqrt(2.0 / 3.0) * yield,
                         .consistency = consistency,
                         .index = index,
                         .bulk_modulus = material->bulk_modulus < DR_LIQUID_STIFF_BULK ? material->bulk_modulus : 0.0,
                         .tear = material->tear_strain,
                         .recovery = material->recovery_time};
    if (law->shear_modulus > 0.0) return true;
    law->viscosity = given ? data->consistency : material->viscosity;
    return yield == 0.0 && index == 1.0;
}

void dr_rheology_drag(const dr_material_spec *material, const dr_rheology *law, dr_liquid_kind *kind)
{
    const dr_rheometer_spec *data = &material->rheometer;
    bool given = data->consistency > 0.0;
    if (!(law->shear_modulus > 0.0)) return;
    kind->yield = given ? data->yield_stress : law->yield;
    kind->consistency = given ? data->consistency : law->consistency;
    kind->index = law->index;
}
