// PC2 point caches: what is read and what is refused.
#include "io/pc2.h"
#include "io/reading.h"

#define POINTS  2
#define SAMPLES 3
#define BYTES   (32 + 12 * POINTS * SAMPLES)

static void put(char *data, size_t offset, uint32_t bits)
{
    for (size_t i = 0; i < 4; i++) data[offset + i] = (char)(bits >> 8 * i & 255);
}

static void put_float(char *data, size_t offset, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(data, offset, bits);
}

static void write_sample(char data[BYTES])
{
    memcpy(data, "POINTCACHE2", 12);
    put(data, 12, 1);
    put(data, 16, POINTS);
    put_float(data, 20, 2.0f);
    put_float(data, 24, 0.5f);
    put(data, 28, SAMPLES);
    for (size_t i = 0; i < 3 * POINTS * SAMPLES; i++) put_float(data, 32 + 4 * i, (float)i - 4.25f);
}

static void test_samples_are_read(void **state)
{
    (void)state;
    char data[BYTES];
    write_sample(data);
    opened(data);
    dr_sequence_asset sequence = {0};
    expect_ok(dr_pc2_parse(data, BYTES, "a.pc2", &arena, &sequence, &error));
    assert_int_equal(sequence.vertex_count, POINTS);
    assert_int_equal(sequence.frame_count, SAMPLES);
    check_near(sequence.start_frame, 2.0, 0.0);
    check_near(sequence.frame_step, 0.5, 0.0);
    for (size_t i = 0; i < 3 * POINTS * SAMPLES; i++) check_near((double)sequence.positions[i], (double)i - 4.25, 0.0);
    dr_arena_close(&arena);
}

static void refuse(const char *data, size_t bytes, const char *place, const char *word)
{
    opened(data);
    dr_sequence_asset sequence = {0};
    expect_refused(dr_pc2_parse(data, bytes, "a.pc2", &arena, &sequence, &error), &error, place, word);
    dr_arena_close(&arena);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    char data[BYTES];
    for (size_t bytes = 0; bytes < BYTES; bytes++) {
        write_sample(data);
        refuse(data, bytes, "a.pc2: byte ", bytes < 32 ? "does not begin" : "ends too early");
    }
    data[3] = 'x';
    refuse(data, BYTES, "a.pc2: byte 0:", "does not begin");
    write_sample(data);
    put(data, 12, 2);
    refuse(data, BYTES, "a.pc2: byte 12:", "version");
    write_sample(data);
    put(data, 16, 0);
    refuse(data, BYTES, "a.pc2: byte 16:", "points");
    put(data, 16, 0x7fffffff);
    put(data, 28, 0x7fffffff);
    refuse(data, BYTES, "a.pc2: byte ", "ends too early");
    put(data, 28, 0xffffffff);
    refuse(data, BYTES, "a.pc2: byte 16:", "samples");
    write_sample(data);
    put_float(data, 24, 0.0f);
    refuse(data, BYTES, "a.pc2: byte 20:", "every 0 frames");
    write_sample(data);
    put_float(data, 40, NAN);
    refuse(data, BYTES, "a.pc2: byte 40:", "not finite");
}

static void test_a_failing_allocation_is_clean(void **state)
{
    (void)state;
    char data[BYTES];
    write_sample(data);
    scarce scarce;
    dr_arena arena;
    dr_error error = {0};
    dr_sequence_asset sequence = {0};
    scarce_open(&scarce, 1);
    dr_arena_open(&arena, &scarce.allocator);
    assert_int_equal(dr_pc2_parse(data, BYTES, "a.pc2", &arena, &sequence, &error), DR_STATUS_NO_MEMORY);
    dr_arena_close(&arena);
    assert_int_equal(scarce.out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_read),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_a_failing_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
