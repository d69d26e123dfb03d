// OpenVDB's file, version 224, written without its library. Values that are not active are told by a mask alone. A grid
// is a tree: the root knows nodes of 32^3 children, these know nodes of 16^3 children, these know leaves of 8^3 values.
// All masks and tile values come first, from the root down, then the values of the leaves in the same order. With zlib,
// the values of every node are packed: their number of bytes, and these; where packing gains nothing, the number is
// negative and the bytes are as they are.
#include "io/vdb_write.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/put.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef DR_HAVE_ZLIB
#include <zlib.h>
#endif

enum {
    UPPER_BITS = 5,
    LOWER_BITS = 4,
    UPPER_CHILDREN = 1 << 3 * UPPER_BITS,
    LOWER_CHILDREN = 1 << 3 * LOWER_BITS,
    UPPER_SIDE = 4096, // in nodes of the grid
    PACKED = 1,        // of the ways to press: values go through zlib
    ACTIVE_VALUES = 2, // values that are not active are left out
    LEAF_BYTES = 3 * DR_VDB_NODES * (int)sizeof(float),
    PACKED_BYTES = LEAF_BYTES + LEAF_BYTES / 1000 + 64 // zlib never needs more
};

// Where a leaf hangs in the tree.
typedef struct place {
    int32_t root[3];  // origin of its upper node
    int upper, lower; // its lower node in the upper one, and itself in that
    size_t leaf;
} place;

typedef struct tree {
    const dr_vdb_level_set *set;
    place *places;  // in the order of the tree
    int components; // 1 the level set, 3 the velocity
} tree;

// ---- places

static int child_number(const int32_t offset[3], int shift, int bits)
{
    int number = 0;
    for (int i = 0; i < 3; i++) number = number << bits | (offset[i] >> shift & ((1 << bits) - 1));
    return number;
}

static place find_place(const int32_t origin[3], size_t leaf)
{
    place place = {.leaf = leaf};
    int32_t offset[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = (int32_t)((uint32_t)origin[i] & (UPPER_SIDE - 1));
        place.root[i] = origin[i] - offset[i];
    }
    place.upper = child_number(offset, 7, UPPER_BITS);
    place.lower = child_number(offset, 3, LOWER_BITS);
    return place;
}

static int compare_places(const void *a, const void *b)
{
    const place *left = a, *right = b;
    for (int i = 0; i < 3; i++)
        if (left->root[i] != right->root[i]) return left->root[i] < right->root[i] ? -1 : 1;
    if (left->upper != right->upper) return left->upper - right->upper;
    return left->lower - right->lower;
}

static bool same_root(const place *a, const place *b)
{
    return memcmp(a->root, b->root, sizeof a->root) == 0;
}

// One past the places that share the upper node of `begin`, or its lower node.
static size_t end_of(const tree *tree, size_t begin, bool lower)
{
    size_t end = begin;
    const place *first = &tree->places[begin];
    while (end < tree->set->leaf_count && same_root(first, &tree->places[end]) &&
           (!lower || first->upper == tree->places[end].upper))
        end++;
    return end;
}

// ---- values

static void put_value(dr_text *out, const tree *tree, float value)
{
    for (int i = 0; i < tree->components; i++) dr_put_float(out, value);
}

static float background(const tree *tree)
{
    return tree->components == 1 ? (float)(tree->set->band * tree->set->scale) : 0.0f;
}

static bool is_active(const dr_vdb_level_set *set, float distance)
{
    return fabsf(distance) < (float)set->band;
}

static bool is_inside(const tree *tree, const place *place, int node)
{
    return tree->set->leaves[place->leaf].distance[node] < 0.0f;
}

// What values that are left out stand for: the background alone, or one of its signs as the mask that follows tells.
static void put_left_out(dr_text *out, const tree *tree)
{
    static const char background_alone = 0, either_sign = 3;
    dr_text_add(out, tree->components == 1 ? &either_sign : &background_alone, 1);
}

static void put_leaf_mask(dr_text *out, const tree *tree, const place *place)
{
    const float *distance = tree->set->leaves[place->leaf].distance;
    for (int word = 0; word < DR_VDB_NODES / 64; word++) {
        uint64_t mask = 0;
        for (int bit = 0; bit < 64; bit++) mask |= (uint64_t)is_active(tree->set, distance[64 * word + bit]) << bit;
        dr_put_u64(out, mask);
    }
}

static void put_leaf_outside(dr_text *out, const tree *tree, const place *place)
{
    for (int word = 0; word < DR_VDB_NODES / 64; word++) {
        uint64_t mask = 0;
        for (int bit = 0; bit < 64; bit++) mask |= (uint64_t)!is_inside(tree, place, 64 * word + bit) << bit;
        dr_put_u64(out, mask);
    }
}

#ifdef DR_HAVE_ZLIB
// The middle way between speed and size: level 9 gains a percent and takes several times as long.
#define PACKING_LEVEL 6

static void put_values(dr_text *out, const float *values, size_t count)
{
    Bytef packed[PACKED_BYTES];
    size_t bytes = count * sizeof *values;
    uLongf length = sizeof packed;
    bool good = bytes > 0 && compress2(packed, &length, (const Bytef *)values, bytes, PACKING_LEVEL) == Z_OK;
    if (good && length < bytes) {
        dr_put_u64(out, length);
        dr_put_bytes(out, packed, length);
    } else {
        dr_put_u64(out, 0 - (uint64_t)bytes);
        dr_put_bytes(out, values, bytes);
    }
}

static const uint32_t pressing = PACKED | ACTIVE_VALUES;
#else
static void put_values(dr_text *out, const float *values, size_t count)
{
    dr_put_bytes(out, values, count * sizeof *values);
}

static const uint32_t pressing = ACTIVE_VALUES;
#endif

static void put_leaf_values(dr_text *out, const tree *tree, const place *place)
{
    const dr_vdb_leaf *leaf = &tree->set->leaves[place->leaf];
    float scale = (float)tree->set->scale, values[3 * DR_VDB_NODES];
    bool turn = tree->set->z_up;
    size_t count = 0;
    put_leaf_mask(out, tree, place);
    put_left_out(out, tree);
    if (tree->components == 1) put_leaf_outside(out, tree, place);
    for (int n = 0; n < DR_VDB_NODES; n++) {
        if (!is_active(tree->set, leaf->distance[n])) continue;
        const float *v = tree->components == 1 ? &leaf->distance[n] : leaf->velocity[n];
        for (int i = 0; i < tree->components; i++) {
            bool other = turn && i; // y up to z up is a turn about x: (x, y, z) -> (x, -z, y)
            values[count++] = (other ? (i == 1 ? -v[2] : v[1]) : v[i]) * scale;
        }
    }
    put_values(out, values, count);
}

// ---- nodes above the leaves

// One child of a node: whether it is there, and on which side of the surface its first and last values lie.
typedef struct child {
    bool there, first_inside, last_inside;
} child;

static void put_there(dr_text *out, const child *children, int count)
{
    for (int word = 0; word < count / 64; word++) {
        uint64_t mask = 0;
        for (int bit = 0; bit < 64; bit++) mask |= (uint64_t)children[64 * word + bit].there << bit;
        dr_put_u64(out, mask);
    }
}

static void put_outside(dr_text *out, const child *children, int count)
{
    for (int word = 0; word < count / 64; word++) {
        uint64_t mask = 0;
        for (int bit = 0; bit < 64; bit++) mask |= (uint64_t)!children[64 * word + bit].last_inside << bit;
        dr_put_u64(out, mask);
    }
}

// Fills the sides of children that are not there from those before them, along z, then y, then x.
static void flood(child *children, int bits)
{
    int side = 1 << bits, count = side * side * side, first = 0;
    while (first < count && !children[first].there) first++;
    bool x_inside = first < count && children[first].first_inside;
    for (int x = 0; x < side; x++) {
        int row = x << 2 * bits;
        if (children[row].there) x_inside = children[row].last_inside;
        bool y_inside = x_inside;
        for (int y = 0; y < side; y++, row += side) {
            if (children[row].there) y_inside = children[row].last_inside;
            bool inside = y_inside;
            for (int z = row; z < row + side; z++) {
                if (children[z].there)
                    inside = children[z].last_inside;
                else
                    children[z].first_inside = children[z].last_inside = inside;
            }
        }
    }
}

static void put_node(dr_text *out, const tree *tree, const child *children, int count)
{
    put_there(out, children, count);
    for (int word = 0; word < count / 64; word++) dr_put_u64(out, 0); // no tile is active
    put_left_out(out, tree);
    if (tree->components == 1) put_outside(out, children, count);
    put_values(out, NULL, 0);
}

static child describe_lower(const tree *tree, size_t begin, size_t end, child children[LOWER_CHILDREN])
{
    memset(children, 0, LOWER_CHILDREN * sizeof *children);
    for (size_t i = begin; i < end; i++) {
        const place *place = &tree->places[i];
        children[place->lower] = (child){true, is_inside(tree, place, 0), is_inside(tree, place, DR_VDB_NODES - 1)};
    }
    flood(children, LOWER_BITS);
    return (child){true, children[0].first_inside, children[LOWER_CHILDREN - 1].last_inside};
}

// An upper node with everything below it but the leaves' values. children has room for an upper and a lower node.
static void put_upper(dr_text *out, const tree *tree, size_t begin, size_t end, child *children)
{
    child *lower = children + UPPER_CHILDREN;
    memset(children, 0, UPPER_CHILDREN * sizeof *children);
    for (size_t i = begin, next; i < end; i = next) {
        next = end_of(tree, i, true);
        children[tree->places[i].upper] = describe_lower(tree, i, next, lower);
    }
    flood(children, UPPER_BITS);
    put_node(out, tree, children, UPPER_CHILDREN);
    for (size_t i = begin, next; i < end; i = next) {
        next = end_of(tree, i, true);
        describe_lower(tree, i, next, lower);
        put_node(out, tree, lower, LOWER_CHILDREN);
        for (size_t k = i; k < next; k++) put_leaf_mask(out, tree, &tree->places[k]);
    }
}

static void put_topology(dr_text *out, const tree *tree, child *children)
{
    uint32_t roots = 0;
    size_t count = tree->set->leaf_count;
    for (size_t i = 0; i < count; i = end_of(tree, i, false)) roots++;
    dr_put_u32(out, 1); // buffers per leaf
    put_value(out, tree, background(tree));
    dr_put_u32(out, 0); // tiles of the root
    dr_put_u32(out, roots);
    for (size_t i = 0, next; i < count; i = next) {
        next = end_of(tree, i, false);
        dr_put_bytes(out, tree->places[i].root, sizeof tree->places[i].root);
        put_upper(out, tree, i, next, children);
    }
}

// ---- the file

static void put_string(dr_text *out, const char *text)
{
    dr_put_u32(out, (uint32_t)strlen(text));
    dr_text_put(out, text);
}

static void put_entry(dr_text *out, const char *name, const char *text)
{
    put_string(out, name);
    put_string(out, "string");
    put_string(out, text);
}

static void put_doubles(dr_text *out, const double *values, size_t count)
{
    dr_put_bytes(out, values, count * sizeof *values);
}

// From the numbers of nodes to places.
static void put_transform(dr_text *out, const dr_vdb_level_set *set)
{
    double h = set->cell * set->scale;
    if (set->z_up) {
        const double rows[16] = {h, 0, 0, 0, 0, 0, h, 0, 0, -h, 0, 0, 0, 0, 0, 1};
        put_string(out, "AffineMap");
        put_doubles(out, rows, 16);
        return;
    }
    const double numbers[] = {h, h, 1 / h, 1 / (h * h), 1 / (2 * h)}; // scale, cell, their inverses
    put_string(out, "UniformScaleMap");
    for (int i = 0; i < 5; i++) put_doubles(out, (double[3]){numbers[i], numbers[i], numbers[i]}, 3);
}

static void put_offset(dr_text *out, size_t at, size_t value)
{
    uint64_t offset = value;
    if (!out->failed) memcpy(out->data + at, &offset, sizeof offset);
}

static void put_grid(dr_text *out, const tree *tree, child *children)
{
    bool level_set = tree->components == 1;
    const char *name = level_set ? "surface" : "velocity";
    put_string(out, name);
    put_string(out, level_set ? "Tree_float_5_4_3" : "Tree_vec3s_5_4_3");
    put_string(out, ""); // an instance of no other
    size_t offsets = out->length;
    for (int i = 0; i < 3; i++) dr_put_u64(out, 0);
    put_offset(out, offsets, out->length);
    dr_put_u32(out, pressing);
    dr_put_u32(out, 2);
    put_entry(out, "name", name);
    if (level_set)
        put_entry(out, "class", "level set");
    else
        put_entry(out, "vector_type", "contravariant relative");
    put_transform(out, tree->set);
    put_topology(out, tree, children);
    put_offset(out, offsets + 8, out->length);
    for (size_t i = 0; i < tree->set->leaf_count; i++) put_leaf_values(out, tree, &tree->places[i]);
    put_offset(out, offsets + 16, out->length);
}

// The file's identity, 36 letters: the same for the same content.
static void settle_identity(dr_text *out, size_t at)
{
    char letters[40];
    if (out->failed) return;
    uint64_t one = dr_hash_bytes(out->data + at + 36, out->length - at - 36, 1), two = dr_hash_bytes(&one, 8, 2);
    snprintf(letters, sizeof letters, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(one >> 32),
             (unsigned)(one >> 16 & 65535), (unsigned)(one & 65535), (unsigned)(two >> 48),
             (unsigned long long)(two & 0xffffffffffff));
    memcpy(out->data + at, letters, 36);
}

static void put_file(dr_text *out, tree *tree, child *children)
{
    static const uint64_t magic = 0x56444220;
    dr_put_u64(out, magic);
    dr_put_u32(out, 224); // version of the file format; 10.0 of the library wrote such files
    dr_put_u32(out, 10);
    dr_put_u32(out, 0);
    dr_text_add(out, "\1", 1); // offsets of grids are told
    size_t identity = out->length;
    dr_text_put(out, "00000000-0000-0000-0000-000000000000");
    dr_put_u32(out, 2);
    put_entry(out, "creator", "drench");
    put_string(out, "time");
    put_string(out, "double");
    dr_put_u32(out, 8);
    put_doubles(out, &tree->set->time, 1);
    dr_put_u32(out, 2);
    for (tree->components = 1; tree->components <= 3; tree->components += 2) put_grid(out, tree, children);
    settle_identity(out, identity);
}

void dr_write_vdb(dr_text *out, const dr_vdb_level_set *set)
{
    size_t count = set->leaf_count, room = UPPER_CHILDREN + LOWER_CHILDREN;
    tree tree = {.set = set, .places = dr_memory_alloc(out->allocator, (count + 1) * sizeof *tree.places)};
    child *children = dr_memory_alloc(out->allocator, room * sizeof *children);
    if (!tree.places || !children) {
        out->failed = true;
    } else {
        for (size_t i = 0; i < count; i++) tree.places[i] = find_place(set->leaves[i].origin, i);
        qsort(tree.places, count, sizeof *tree.places, compare_places);
        put_file(out, &tree, children);
    }
    dr_memory_free(out->allocator, tree.places, (count + 1) * sizeof *tree.places);
    dr_memory_free(out->allocator, children, room * sizeof *children);
}
