// The cases of thick liquids at other parameters than their defaults.
#include "perform.h"

// However the strands are cut into edges.
static void test_a_yield_stress_holds_strands_of_any_edges(void **state)
{
    (void)state;
    PASS("pull-off", "edges=3");
    PASS("pull-off", "edges=9");
    PASS("pull-off", "edges=36");
    PASS("pull-off", "edges=100", "material=shaving cream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_yield_stress_holds_strands_of_any_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
