#include "support/check.h"
#include "support/scarce.h"

#include "geom/tree.h"
#include "math/random.h"

#include <stdlib.h>

// In floats, as the tree keeps them, so that what touches does.
static dr_box random_box(uint64_t key, uint64_t at, double size)
{
    dr_box box;
    for (int a = 0; a < 3; a++) {
        double low = dr_random_unit(key, at + (uint64_t)a), wide = dr_random_unit(key, at + 3 + (uint64_t)a);
        box.min[a] = key % 3 == 1 && a == 2 ? 0.5 : (float)low;
        box.max[a] = (float)(box.min[a] + size * wide * wide * wide);
    }
    return box;
}

static void random_boxes(dr_tree_box *boxes, size_t count, uint64_t key, double size)
{
    for (size_t i = 0; i < count; i++) {
        boxes[i].begin = random_box(key, 16 * i, size);
        boxes[i].end = i % 3 ? random_box(key, 16 * i + 8, size) : boxes[i].begin; // some stay
        if (i % 17 == 0) boxes[i] = boxes[i / 2];                                  // the same twice
    }
}

// Apart along an axis as the motion begins, and on the same side as it ends.
static bool overlap(const dr_tree_box *p, const dr_tree_box *q)
{
    for (int a = 0; a < 3; a++) {
        if (p->begin.max[a] < q->begin.min[a] && p->end.max[a] < q->end.min[a]) return false;
        if (q->begin.max[a] < p->begin.min[a] && q->end.max[a] < p->end.min[a]) return false;
    }
    return true;
}

static bool any(const void *user, uint32_t first, uint32_t second)
{
    (void)user;
    return first != second;
}

static bool apart(const void *user, uint32_t first, uint32_t second)
{
    return second - first > *(const uint32_t *)user;
}

static void compare(size_t count, uint64_t key, double size, int threads)
{
    dr_tree_box *boxes = malloc((count + 1) * sizeof *boxes);
    dr_tree tree;
    dr_par par = dr_par_open(threads);
    random_boxes(boxes, count, key, size);
    dr_tree_open(&tree, NULL);
    assert_true(dr_tree_find_pairs(&tree, &par, boxes, count, any, NULL));
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if (!overlap(&boxes[i], &boxes[j])) continue;
            assert_true(at < tree.pair_count);
            assert_true(tree.pairs[at].first == i && tree.pairs[at].second == j);
            at++;
        }
    }
    assert_true(at == tree.pair_count);
    dr_tree_close(&tree);
    free(boxes);
}

static void test_all_overlapping_pairs_are_found_in_order(void **unused)
{
    (void)unused;
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 100, 513, 1500};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint64_t key = 0; key < 3; key++) compare(counts[i], key, 0.3, 1 + (int)key);
    }
    compare(700, 5, 3.0, 2); // nearly all of them
    compare(700, 6, 0.0, 2); // points
}

// A row of boxes that all go the same long way: neighbours alone are pairs, whatever their ways sweep.
static void test_boxes_that_go_along_with_each_other_stay_apart(void **unused)
{
    (void)unused;
    enum { COUNT = 100 };
    dr_tree_box boxes[COUNT];
    dr_tree tree;
    dr_par par = dr_par_open(1);
    for (int i = 0; i < COUNT; i++) {
        boxes[i].begin = (dr_box){{i, 0.0, 0.0}, {i + 1.0, 1.0, 1.0}};
        boxes[i].end = (dr_box){{i + 30.0, 0.0, 0.0}, {i + 31.0, 1.0, 1.0}};
    }
    dr_tree_open(&tree, NULL);
    assert_true(dr_tree_find_pairs(&tree, &par, boxes, COUNT, any, NULL));
    assert_int_equal(tree.pair_count, COUNT - 1);
    dr_tree_close(&tree);
}

// More pairs than are wanted: none is kept. Whether there are does not depend on threads.
static void test_crowds_are_told_and_not_kept(void **unused)
{
    (void)unused;
    dr_tree_box boxes[200];
    random_boxes(boxes, 200, 5, 3.0);
    for (int threads = 1; threads < 3; threads++) {
        dr_tree tree;
        dr_par par = dr_par_open(threads);
        dr_tree_open(&tree, NULL);
        tree.most = 1000;
        assert_true(dr_tree_find_pairs(&tree, &par, boxes, 200, any, NULL));
        assert_true(tree.crowded && tree.pair_count == 0);
        tree.most = 200 * 200;
        assert_true(dr_tree_find_pairs(&tree, &par, boxes, 200, any, NULL));
        assert_true(!tree.crowded && tree.pair_count > 1000);
        dr_tree_close(&tree);
    }
}

static void test_the_filter_decides(void **unused)
{
    (void)unused;
    dr_tree_box boxes[10] = {{{{0}, {0}}, {{0}, {0}}}};
    dr_tree tree;
    dr_par par = dr_par_open(1);
    uint32_t least = 8;
    dr_tree_open(&tree, NULL);
    assert_true(dr_tree_find_pairs(&tree, &par, boxes, 10, apart, &least));
    assert_true(tree.pair_count == 1 && tree.pairs[0].first == 0 && tree.pairs[0].second == 9);
    dr_tree_close(&tree);
}

static void test_lack_of_memory_is_reported_and_nothing_leaks(void **unused)
{
    (void)unused;
    dr_tree_box boxes[50];
    dr_par par = dr_par_open(1);
    random_boxes(boxes, 50, 2, 0.5);
    for (long fails = 1;; fails++) {
        scarce scarce;
        dr_tree tree;
        scarce_open(&scarce, fails);
        dr_tree_open(&tree, &scarce.allocator);
        bool ok = dr_tree_find_pairs(&tree, &par, boxes, 50, any, NULL);
        dr_tree_close(&tree);
        assert_true(scarce.out == 0);
        if (ok) break;
        assert_true(fails < 30);
    }
}

// Some boxes grow: the pairs are those of a tree made anew.
static void test_pairs_of_boxes_that_grow_are_added(void **unused)
{
    (void)unused;
    enum { COUNT = 300 };
    dr_tree_box boxes[COUNT];
    uint32_t grown[COUNT], count = 0;
    dr_tree tree, fresh;
    dr_par par = dr_par_open(1);
    random_boxes(boxes, COUNT, 5, 0.2);
    dr_tree_open(&tree, NULL);
    dr_tree_open(&fresh, NULL);
    assert_true(dr_tree_find_pairs(&tree, &par, boxes, COUNT, any, NULL));
    size_t before = tree.pair_count;
    for (uint32_t i = 3; i < COUNT; i += 7) {
        for (int a = 0; a < 3; a++) boxes[i].end.max[a] += 0.3;
        grown[count++] = i;
    }
    assert_true(dr_tree_add_pairs(&tree, &par, boxes, grown, count, any, NULL));
    assert_true(dr_tree_find_pairs(&fresh, &par, boxes, COUNT, any, NULL));
    assert_true(tree.pair_count > before);
    assert_int_equal(tree.pair_count, fresh.pair_count);
    assert_memory_equal(tree.pairs, fresh.pairs, fresh.pair_count * sizeof *fresh.pairs);
    dr_tree_close(&tree);
    dr_tree_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_boxes_that_grow_are_added),
        cmocka_unit_test(test_boxes_that_go_along_with_each_other_stay_apart),
        cmocka_unit_test(test_crowds_are_told_and_not_kept),
        cmocka_unit_test(test_all_overlapping_pairs_are_found_in_order),
        cmocka_unit_test(test_the_filter_decides),
        cmocka_unit_test(test_lack_of_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
