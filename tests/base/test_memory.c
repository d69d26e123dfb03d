#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/columns.h"
#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

// Counts live bytes and fails from the n-th call on.
typedef struct ledger {
    long live, calls, fail_at;
} ledger;

static void *counted(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ledger *book = user;
    if (new_bytes > old_bytes && ++book->calls >= book->fail_at && book->fail_at) return NULL;
    const dr_allocator *standard = dr_allocator_default();
    void *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    if (new_bytes == 0 || fresh) book->live += (long)new_bytes - (block ? (long)old_bytes : 0);
    return fresh;
}

static void test_arena_blocks_are_zeroed_apart_and_freed_together(void **unused)
{
    (void)unused;
    ledger book = {0};
    dr_allocator allocator = {&book, counted};
    dr_arena arena;
    dr_arena_open(&arena, &allocator);
    unsigned char *previous = NULL;
    for (size_t size = 1; size < 40000; size = size * 3 / 2 + 1) {
        unsigned char *block = dr_arena_alloc(&arena, size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
        memset(block, 0xff, size);
        if (previous) assert_int_equal(previous[0], 0xff);
        previous = block;
    }
    char *copy = dr_arena_copy(&arena, "hello", 5);
    assert_string_equal(copy, "hello");
    assert_null(dr_arena_alloc(&arena, SIZE_MAX - 8));
    dr_arena_close(&arena);
    assert_int_equal(book.live, 0);
}

static void test_reserve_keeps_what_was_there_and_refuses_overflow(void **unused)
{
    (void)unused;
    ledger book = {0};
    dr_allocator allocator = {&book, counted};
    int *data = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(dr_memory_reserve(&allocator, (void **)&data, &capacity, (size_t)i + 1, sizeof *data));
        data[i] = i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(data[i], i);
    assert_true(book.calls < 30);
    assert_false(dr_memory_reserve(&allocator, (void **)&data, &capacity, SIZE_MAX / 2, sizeof *data));
    assert_int_equal(data[999], 999);
    dr_memory_free(&allocator, data, capacity * sizeof *data);
    assert_int_equal(book.live, 0);
}

typedef struct rows {
    size_t count, capacity;
    float *place;
    uint64_t *id;
} rows;

static const dr_column columns[] = {
    {"place", offsetof(rows, place), DR_TYPE_FLOAT32, 3, "cm", "where"},
    {"id", offsetof(rows, id), DR_TYPE_UINT64, 1, "", "who"},
};
static const dr_column_table table = {columns, 2};

static void test_columns_grow_together_and_survive_a_failed_growth(void **unused)
{
    (void)unused;
    assert_int_equal(dr_columns_row_bytes(&table), 20);
    for (long fail_at = 1; fail_at < 6; fail_at++) {
        ledger book = {0};
        dr_allocator allocator = {&book, counted};
        rows all = {0};
        assert_true(dr_columns_reserve(&table, &all, &allocator, &all.capacity, 10));
        for (size_t i = 0; i < 10; i++) {
            all.id[i] = i;
            for (size_t a = 0; a < 3; a++) all.place[3 * i + a] = (float)(i + a);
        }
        uint64_t before = dr_columns_hash(&table, &all, 10, 0);
        book.calls = 0;
        book.fail_at = fail_at;
        bool grown = dr_columns_reserve(&table, &all, &allocator, &all.capacity, 1000);
        assert_int_equal(grown, fail_at > 2);
        assert_true(all.capacity >= (grown ? 1000 : 10));
        assert_true(dr_columns_hash(&table, &all, 10, 0) == before);
        book.fail_at = 0;
        dr_columns_free(&table, &all, &allocator, &all.capacity);
        assert_int_equal(book.live, 0);
    }
}

static void test_hash_sees_every_byte_and_the_length(void **unused)
{
    (void)unused;
    unsigned char data[100] = {0};
    uint64_t reference = dr_hash_bytes(data, sizeof data, 1);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = 1;
        assert_true(dr_hash_bytes(data, sizeof data, 1) != reference);
        data[i] = 0;
        assert_true(dr_hash_bytes(data, i, 1) != reference);
    }
    assert_true(dr_hash_bytes(data, sizeof data, 2) != reference);
    assert_true(dr_hash_bytes(data, sizeof data, 1) == reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_blocks_are_zeroed_apart_and_freed_together),
        cmocka_unit_test(test_reserve_keeps_what_was_there_and_refuses_overflow),
        cmocka_unit_test(test_columns_grow_together_and_survive_a_failed_growth),
        cmocka_unit_test(test_hash_sees_every_byte_and_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
