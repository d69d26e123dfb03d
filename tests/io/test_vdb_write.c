// OpenVDB files: a small reader of our own goes down the tree and finds every value, near the surface and far from it.
#include "io/bytes.h"
#include "io/vdb_write.h"
#include "support/check.h"
#include "support/scarce.h"

#include <stdlib.h>
#ifdef DR_HAVE_ZLIB
#include <zlib.h>
#endif

#define CELL   0.05
#define BAND   (3 * CELL)
#define RADIUS 1.9

static const double centre[3] = {0.3, -0.2, 6.5}; // across the borders of nodes, and far along z

static double distance_at(const int32_t node[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += (node[i] * CELL - centre[i]) * (node[i] * CELL - centre[i]);
    return sqrt(sum) - RADIUS;
}

typedef struct made {
    int32_t origin[3];
    float distance[DR_VDB_NODES], velocity[DR_VDB_NODES][3];
} made;

static made *leaves_made;
static dr_vdb_leaf *leaves;
static size_t leaf_count;

static bool make_leaf(made *made, int x, int y, int z)
{
    bool near = false;
    const int32_t origin[3] = {8 * x, 8 * y, 8 * z};
    memcpy(made->origin, origin, sizeof origin);
    for (int n = 0; n < DR_VDB_NODES; n++) {
        int32_t node[3] = {origin[0] + n / 64, origin[1] + n / 8 % 8, origin[2] + n % 8};
        double d = distance_at(node);
        near = near || fabs(d) < BAND;
        made->distance[n] = (float)fmax(-BAND, fmin(BAND, d));
        for (int i = 0; i < 3; i++) made->velocity[n][i] = (float)node[i];
    }
    return near;
}

static int make_leaves(void **state)
{
    (void)state;
    leaves_made = calloc(4000, sizeof *leaves_made);
    leaves = calloc(4000, sizeof *leaves);
    for (int z = 8; z < 24; z++) // not in the order of the tree
        for (int y = -8; y < 8; y++)
            for (int x = -8; x < 8; x++) {
                made *made = &leaves_made[leaf_count];
                if (make_leaf(made, x, y, z))
                    leaves[leaf_count++] =
                        (dr_vdb_leaf){made->origin, made->distance, (const float(*)[3])made->velocity};
            }
    return 0;
}

static int free_leaves(void **state)
{
    (void)state;
    free(leaves_made);
    free(leaves);
    return 0;
}

static dr_vdb_level_set level_set(void)
{
    return (dr_vdb_level_set){
        .cell = CELL, .band = BAND, .scale = 10.0, .time = 0.25, .leaf_count = leaf_count, .leaves = leaves};
}

// ---- reading

typedef struct reader {
    const char *data;
    size_t at, bytes;
    int components;
    size_t leaf_at, leaves, tiles; // where the next leaf's values are; what was met
    size_t packed;                 // leaves whose values went through zlib
    float values[3 * DR_VDB_NODES];
    size_t value_at, value_count; // of the leaf at hand
} reader;

static uint64_t take(reader *reader, size_t bytes)
{
    assert_true(reader->at + bytes <= reader->bytes);
    uint64_t value = bytes <= 8 ? dr_bytes_get(reader->data, reader->at, bytes) : 0;
    reader->at += bytes;
    return value;
}

static void take_string(reader *reader, const char *text)
{
    size_t length = (size_t)take(reader, 4);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(reader->data + reader->at, text, length);
    take(reader, length);
}

static bool bit(const char *mask, int n)
{
    return mask[n / 8] >> n % 8 & 1;
}

static float next_value(reader *reader)
{
    assert_true(reader->value_at < reader->value_count);
    return reader->values[reader->value_at++];
}

// The values of a node with so many active ones, which begin there; gives where they end.
static size_t unpack(reader *reader, size_t at, size_t count)
{
    size_t bytes = count * sizeof(float);
    reader->value_at = 0;
    reader->value_count = count;
#ifdef DR_HAVE_ZLIB
    int64_t length = (int64_t)dr_bytes_get(reader->data, at, 8);
    at += 8;
    if (length > 0) {
        uLongf room = sizeof reader->values;
        assert_int_equal(uncompress((Bytef *)reader->values, &room, (const Bytef *)reader->data + at, (uLong)length),
                         Z_OK);
        assert_int_equal(room, bytes);
        reader->packed++;
        return at + (size_t)length;
    }
    assert_int_equal(-length, bytes);
#endif
    memcpy(reader->values, reader->data + at, bytes);
    return at + bytes;
}

// Everything of a leaf: its mask above, mask, way of leaving out, signs and active values below.
static void read_leaf(reader *reader, const int32_t origin[3])
{
    const char *mask = reader->data + reader->at, *again = reader->data + reader->leaf_at, *outside = again + 65;
    take(reader, 64);
    assert_memory_equal(mask, again, 64);
    assert_int_equal(again[64], reader->components == 1 ? 3 : 0);
    size_t active = 0;
    for (int n = 0; n < DR_VDB_NODES; n++) active += bit(mask, n);
    reader->leaf_at += reader->components == 1 ? 129 : 65;
    reader->leaf_at = unpack(reader, reader->leaf_at, active * (size_t)reader->components);
    for (int n = 0; n < DR_VDB_NODES; n++) {
        int32_t node[3] = {origin[0] + n / 64, origin[1] + n / 8 % 8, origin[2] + n % 8};
        double d = distance_at(node);
        if (!bit(mask, n)) {
            if (reader->components == 1) assert_true(bit(outside, n) == (d > 0.0));
            assert_true(fabs(d) > 0.999999 * BAND);
        } else if (reader->components == 1) {
            check_near((double)next_value(reader), 10.0 * d, 1e-5);
        } else {
            for (int i = 0; i < 3; i++) check_near((double)next_value(reader), 10.0 * node[i], 0.0);
        }
    }
    reader->leaves++;
}

static void check_tile(reader *reader, const int32_t origin[3], int side, bool outside)
{
    int32_t middle[3] = {origin[0] + side / 2, origin[1] + side / 2, origin[2] + side / 2};
    reader->tiles += !outside;
    assert_true(outside == (distance_at(middle) > 0.0));
}

// side: of a child, in nodes.
static void read_node(reader *reader, const int32_t origin[3], int bits, int side)
{
    int count = 1 << 3 * bits;
    size_t mask_bytes = (size_t)count / 8;
    const char *there = reader->data + reader->at;
    take(reader, mask_bytes);
    for (size_t i = 0; i < mask_bytes; i++) assert_int_equal(reader->data[reader->at + i], 0);
    take(reader, mask_bytes);
    assert_int_equal(take(reader, 1), reader->components == 1 ? 3 : 0);
    const char *outside = reader->data + reader->at;
    if (reader->components == 1) take(reader, mask_bytes);
    reader->at = unpack(reader, reader->at, 0);
    for (int n = 0; n < count; n++) {
        int32_t corner[3] = {origin[0] + (n >> 2 * bits) * side, origin[1] + (n >> bits & ((1 << bits) - 1)) * side,
                             origin[2] + (n & ((1 << bits) - 1)) * side};
        if (!bit(there, n)) {
            if (reader->components == 1) check_tile(reader, corner, side, bit(outside, n));
        } else if (side == 8) {
            read_leaf(reader, corner);
        } else {
            read_node(reader, corner, 4, 8);
        }
    }
}

static void read_grid(reader *reader, const char *name, const char *type, size_t transform)
{
    reader->components = strcmp(name, "surface") == 0 ? 1 : 3;
    reader->leaves = reader->tiles = 0;
    take_string(reader, name);
    take_string(reader, type);
    take_string(reader, "");
    size_t grid = (size_t)take(reader, 8), end;
    reader->leaf_at = (size_t)take(reader, 8);
    end = (size_t)take(reader, 8);
    size_t values = reader->leaf_at;
    assert_int_equal(grid, reader->at);
#ifdef DR_HAVE_ZLIB
    assert_int_equal(take(reader, 4), 3);
#else
    assert_int_equal(take(reader, 4), 2);
#endif
    for (size_t i = 3 * (size_t)take(reader, 4); i > 0; i--) take(reader, (size_t)take(reader, 4));
    take_string(reader, "UniformScaleMap");
    take(reader, transform);
    assert_int_equal(take(reader, 4), 1);
    take(reader, 4 * (size_t)reader->components);
    assert_int_equal(take(reader, 4), 0);
    for (uint64_t roots = take(reader, 4); roots > 0; roots--) {
        int32_t origin[3];
        for (int i = 0; i < 3; i++) origin[i] = (int32_t)take(reader, 4);
        read_node(reader, origin, 5, 128);
    }
    assert_int_equal(reader->at, values);
    assert_int_equal(reader->leaf_at, end);
    assert_int_equal(reader->leaves, leaf_count);
    reader->at = end;
}

static void test_every_value_is_found_again(void **state)
{
    (void)state;
    dr_text text;
    dr_vdb_level_set set = level_set();
    dr_text_open(&text, NULL);
    dr_write_vdb(&text, &set);
    assert_false(text.failed);
    reader reader = {.data = text.data, .bytes = text.length};
    assert_int_equal(take(&reader, 8), 0x56444220);
    assert_int_equal(take(&reader, 4), 224);
    take(&reader, 8);
    assert_int_equal(take(&reader, 1), 1);
    take(&reader, 36);
    for (size_t i = 3 * (size_t)take(&reader, 4); i > 0; i--) take(&reader, (size_t)take(&reader, 4));
    assert_int_equal(take(&reader, 4), 2);
    read_grid(&reader, "surface", "Tree_float_5_4_3", 120);
    assert_true(reader.tiles > 10); // inside the ball, where there is no leaf
    read_grid(&reader, "velocity", "Tree_vec3s_5_4_3", 120);
    assert_int_equal(reader.at, text.length);
#ifdef DR_HAVE_ZLIB
    assert_true(reader.packed > leaf_count); // those of both grids, but for the smallest
#endif
    dr_text_close(&text);
}

static void test_the_order_of_leaves_does_not_matter(void **state)
{
    (void)state;
    dr_text one, other;
    dr_vdb_level_set set = level_set();
    dr_text_open(&one, NULL);
    dr_text_open(&other, NULL);
    dr_write_vdb(&one, &set);
    for (size_t i = 0; i < leaf_count / 2; i++) {
        dr_vdb_leaf swap = leaves[i];
        leaves[i] = leaves[leaf_count - 1 - i];
        leaves[leaf_count - 1 - i] = swap;
    }
    dr_write_vdb(&other, &set);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.data, other.data, one.length);
    dr_text_close(&one);
    dr_text_close(&other);
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    dr_vdb_level_set set = level_set();
    bool failed = true;
    for (long tries = 1; failed; tries++) {
        scarce scarce;
        dr_text text;
        scarce_open(&scarce, tries);
        dr_text_open(&text, &scarce.allocator);
        dr_write_vdb(&text, &set);
        failed = text.failed;
        dr_text_close(&text);
        assert_int_equal(scarce.out, 0);
        assert_true(failed || tries > 2);
    }
}

static void test_no_liquid_gives_empty_grids(void **state)
{
    (void)state;
    dr_text text;
    dr_vdb_level_set set = {.cell = CELL, .band = BAND, .scale = 1.0};
    dr_text_open(&text, NULL);
    dr_write_vdb(&text, &set);
    assert_false(text.failed);
    assert_true(text.length < 1000);
    dr_text_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_value_is_found_again),
        cmocka_unit_test(test_the_order_of_leaves_does_not_matter),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_no_liquid_gives_empty_grids),
    };
    return cmocka_run_group_tests(tests, make_leaves, free_leaves);
}
