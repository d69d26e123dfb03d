#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "par/sort.h"

#define COUNT 5000

static void check_sorted(uint64_t mask)
{
    static dr_sort_item items[COUNT], spare[COUNT];
    uint64_t state = 3;
    for (uint32_t i = 0; i < COUNT; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        items[i] = (dr_sort_item){(state ^ state >> 29) & mask, i};
    }
    dr_sort_items(items, spare, COUNT);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        seen += items[i].value;
        if (i == 0) continue;
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key) assert_true(items[i - 1].value < items[i].value);
    }
    assert_int_equal(seen, (uint64_t)COUNT * (COUNT - 1) / 2);
}

static void test_keys_are_sorted_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    const uint64_t masks[] = {UINT64_MAX, 0, 0xff, 0x3ff, UINT64_C(0xff00ff00), UINT64_C(0xf000000000000001)};
    for (int m = 0; m < 6; m++) check_sorted(masks[m]);
}

static void test_nothing_and_one_are_sorted_already(void **state)
{
    (void)state;
    dr_sort_item one = {7, 1}, spare;
    dr_sort_items(&one, &spare, 0);
    dr_sort_items(&one, &spare, 1);
    assert_int_equal(one.key, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_are_sorted_and_equal_ones_keep_their_order),
        cmocka_unit_test(test_nothing_and_one_are_sorted_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
