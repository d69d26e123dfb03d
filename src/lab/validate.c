// The table of validations.
#include "lab/cases.h"

static const dr_lab_case *const cases[] = {&dr_lab_free_fall, &dr_lab_momentum, &dr_lab_rotation, &dr_lab_slide,
                                           &dr_lab_hydrostatic};

const dr_lab_case *const *dr_lab_validations(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}
