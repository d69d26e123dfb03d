// The table of benchmarks.
#include "lab/cases.h"

static const dr_lab_case *const cases[] = {&dr_lab_dam,     &dr_lab_pressure, &dr_lab_surface, &dr_lab_transfer,
                                           &dr_lab_strands, &dr_lab_contact,  &dr_lab_scenes,  &dr_lab_film_bench,
                                           &dr_lab_codim,   &dr_lab_thick,    &dr_lab_bath};

const dr_lab_case *const *dr_lab_benches(int *count)
{
    *count = (int)(sizeof cases / sizeof *cases);
    return cases;
}
