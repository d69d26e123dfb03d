// Block rows: who meets in an element has a block, and products are those of the whole matrix.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "linear/block_rows.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 6, TRIANGLES = 4 };

static const uint32_t index_of[3 * TRIANGLES] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 2, 4, 0}; // 5 is of none
static const uint32_t first[VERTICES + 1] = {0, 2, 4, 8, 10, 12, 12};
static const uint32_t slot[12] = {0, 11, 1, 3, 2, 5, 6, 9, 4, 7, 8, 10};
static const dr_block_mesh mesh = {VERTICES, 3, index_of, first, slot};

static void test_who_meets_has_a_block(void **unused)
{
    (void)unused;
    dr_block_rows rows;
    assert_true(dr_block_rows_open(&rows, &mesh, NULL));
    static const uint32_t expected[] = {0, 1, 2, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 2, 3, 4, 5};
    assert_int_equal(rows.entries, sizeof expected / sizeof *expected);
    assert_memory_equal(rows.column, expected, sizeof expected);
    assert_ptr_equal(dr_block_rows_at(&rows, 2, 3), rows.block + 9 * 11);
    dr_block_rows_close(&rows, NULL);
}

static void test_products_are_those_of_the_matrix(void **unused)
{
    (void)unused;
    dr_block_rows rows;
    float in[4 * VERTICES], out[4 * VERTICES];
    double dense[3 * VERTICES][3 * VERTICES] = {{0}};
    assert_true(dr_block_rows_open(&rows, &mesh, NULL));
    for (size_t v = 0; v < VERTICES; v++) {
        for (uint32_t e = rows.first[v]; e < rows.first[v + 1]; e++) {
            for (size_t i = 0; i < 9; i++) {
                float value = (float)sin(0.7 * (double)(9 * e + i));
                dr_block_rows_at(&rows, v, rows.column[e])[i] = value;
                dense[3 * v + i % 3][3 * rows.column[e] + i / 3] = (double)value;
            }
        }
    }
    for (size_t i = 0; i < 4 * VERTICES; i++) in[i] = i % 4 == 3 ? 0.0F : (float)cos((double)i);
    dr_block_rows_multiply(&rows, 0, 2, in, out);
    dr_block_rows_multiply(&rows, 2, VERTICES, in, out);
    for (size_t i = 0; i < 3 * VERTICES; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < 3 * VERTICES; j++) sum += dense[i][j] * (double)in[4 * (j / 3) + j % 3];
        assert_true(fabs(sum - (double)out[4 * (i / 3) + i % 3]) < 1e-5);
    }
    for (size_t v = 0; v < VERTICES; v++) assert_true(out[4 * v + 3] == 0.0F);
    dr_block_rows_close(&rows, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_meets_has_a_block),
        cmocka_unit_test(test_products_are_those_of_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
