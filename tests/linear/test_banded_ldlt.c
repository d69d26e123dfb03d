// Factors of strands side by side: one right-hand side of each against eight of one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "linear/banded_ldlt.h"
#include "math/random.h"

#include <string.h>

enum { ROWS = 13, NUMBERS = 4 * DR_LDLT_WIDTH };

static void fill(double *number, size_t count, uint64_t key, double scale)
{
    for (size_t i = 0; i < count; i++) number[i] = scale * (dr_random_unit(key, i) - 0.5);
}

static void test_each_system_is_solved_as_by_itself(void **state)
{
    (void)state;
    static dr_ldlt_row rows[ROWS];
    static _Alignas(64) double each[ROWS * NUMBERS], one[ROWS * NUMBERS], right[ROWS * NUMBERS];
    fill((double *)rows, ROWS * (sizeof rows[0] / sizeof(double)), 1, 0.6);
    fill(right, ROWS * NUMBERS, 2, 2.0);
    memcpy(each, right, sizeof each);
    dr_ldlt_solve_each(rows, ROWS, each);
    for (int lane = 0; lane < DR_LDLT_WIDTH; lane++) {
        memset(one, 0, sizeof one);
        for (int k = 0; k < 4 * ROWS; k++) one[8 * k + 3] = right[8 * k + lane];
        dr_ldlt_solve(rows, ROWS, lane, 0, one);
        for (int k = 0; k < 4 * ROWS; k++) assert_memory_equal(&one[8 * k + 3], &each[8 * k + lane], sizeof(double));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_system_is_solved_as_by_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
