// Boxes are sorted along a Morton curve and joined, four to a leaf node, then two by two: level k of the nodes is half
// as long as level k - 1. A leaf node looks only for partners that come after it in this order.
#include "geom/tree.h"

#include "math/simd.h"
#include "math/vec.h"

#define LEAF  4
#define GRAIN 16
#define BITS  21 // of the Morton code per axis
#define DEEP  64
#define MANY  256 // pairs that are handed over at once

void dr_tree_open(dr_tree *tree, const dr_allocator *allocator)
{
    *tree = (dr_tree){.allocator = allocator};
}

void dr_tree_close(dr_tree *tree)
{
    const dr_allocator *a = tree->allocator;
    dr_memory_free(a, tree->items, tree->item_capacity * sizeof *tree->items);
    dr_memory_free(a, tree->spare, tree->spare_capacity * sizeof *tree->spare);
    dr_memory_free(a, tree->leaves, tree->leaf_capacity * sizeof *tree->leaves);
    dr_memory_free(a, tree->nodes, tree->node_capacity * sizeof *tree->nodes);
    dr_memory_free(a, tree->numbers, tree->number_capacity * sizeof *tree->numbers);
    dr_memory_free(a, tree->places, tree->place_capacity * sizeof *tree->places);
    dr_memory_free(a, tree->pairs, tree->pair_capacity * sizeof *tree->pairs);
    *tree = (dr_tree){.allocator = a};
}

static bool reserve(dr_tree *tree, size_t count)
{
    const dr_allocator *a = tree->allocator;
    size_t nodes = 2 * (count / LEAF + 1) + DEEP;
    return dr_memory_reserve(a, (void **)&tree->items, &tree->item_capacity, count, sizeof *tree->items) &&
           dr_memory_reserve(a, (void **)&tree->spare, &tree->spare_capacity, count, sizeof *tree->spare) &&
           dr_memory_reserve(a, (void **)&tree->leaves, &tree->leaf_capacity, count, sizeof *tree->leaves) &&
           dr_memory_reserve(a, (void **)&tree->nodes, &tree->node_capacity, nodes, sizeof *tree->nodes) &&
           dr_memory_reserve(a, (void **)&tree->numbers, &tree->number_capacity, count, sizeof *tree->numbers) &&
           dr_memory_reserve(a, (void **)&tree->places, &tree->place_capacity, count, sizeof *tree->places);
}

static float round_down(double x)
{
    float near = (float)x;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static void round_box(const dr_box *box, float min[4], float max[4])
{
    for (int a = 0; a < 3; a++) {
        min[a] = round_down(box->min[a]);
        max[a] = -round_down(-box->max[a]);
    }
    min[3] = max[3] = 0.0F;
}

static dr_tree_node round_outwards(const dr_tree_box *box)
{
    dr_tree_node node;
    round_box(&box->begin, node.begin_min, node.begin_max);
    round_box(&box->end, node.end_min, node.end_max);
    return node;
}

static void join(dr_tree_node *box, const dr_tree_node *other)
{
    for (int a = 0; a < 3; a++) {
        box->begin_min[a] = box->begin_min[a] < other->begin_min[a] ? box->begin_min[a] : other->begin_min[a];
        box->begin_max[a] = box->begin_max[a] > other->begin_max[a] ? box->begin_max[a] : other->begin_max[a];
        box->end_min[a] = box->end_min[a] < other->end_min[a] ? box->end_min[a] : other->end_min[a];
        box->end_max[a] = box->end_max[a] > other->end_max[a] ? box->end_max[a] : other->end_max[a];
    }
}

// Sides of boxes go along straight lines: two that are in one order as the motion begins and as it ends are so all the
// way.
static bool overlap(const dr_tree_node *p, const dr_tree_node *q)
{
    dr_int4 below = (dr_float4_load(p->begin_min) <= dr_float4_load(q->begin_max)) |
                    (dr_float4_load(p->end_min) <= dr_float4_load(q->end_max));
    dr_int4 above = (dr_float4_load(q->begin_min) <= dr_float4_load(p->begin_max)) |
                    (dr_float4_load(q->end_min) <= dr_float4_load(p->end_max));
    return dr_int4_every3(below & above);
}

// Every third bit, from a number of BITS bits.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
    return x;
}

typedef struct job {
    dr_tree *tree;
    const dr_tree_box *boxes;
    dr_box all; // their middles
    dr_tree_filter filter;
    const void *user;
    const uint32_t *changed;
    dr_par_lock lock; // of what follows
    size_t found;     // pairs, in tree->items
    size_t looked;    // at so many pairs of boxes
    bool failed;      // memory is out
} job;

// Four times the middle of a box.
static void find_middle(const dr_tree_box *box, double middle[3])
{
    for (int a = 0; a < 3; a++) middle[a] = box->begin.min[a] + box->begin.max[a] + box->end.min[a] + box->end.max[a];
}

static void find_middles(job *job, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double middle[3];
        find_middle(&job->boxes[i], middle);
        for (int a = 0; a < 3; a++) {
            job->all.min[a] = i == 0 || middle[a] < job->all.min[a] ? middle[a] : job->all.min[a];
            job->all.max[a] = i == 0 || middle[a] > job->all.max[a] ? middle[a] : job->all.max[a];
        }
    }
}

static void give_keys(void *user, size_t begin, size_t end, int thread)
{
    job *job = user;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        double middle[3];
        uint64_t key = 0;
        find_middle(&job->boxes[i], middle);
        for (int a = 0; a < 3; a++) {
            double size = job->all.max[a] - job->all.min[a];
            double share = size > 0.0 ? (middle[a] - job->all.min[a]) / size : 0.0;
            key |= spread((uint64_t)(share * (double)((1 << BITS) - 1))) << a;
        }
        job->tree->items[i] = (dr_sort_item){key, (uint32_t)i};
    }
}

static void copy_leaves(void *user, size_t begin, size_t end, int thread)
{
    job *job = user;
    dr_tree *tree = job->tree;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        tree->numbers[i] = tree->items[i].value;
        tree->places[tree->items[i].value] = (uint32_t)i;
        tree->leaves[i] = round_outwards(&job->boxes[tree->items[i].value]);
    }
}

// Where level k of the nodes begins and how long it is; the last level has one node.
typedef struct levels {
    size_t begin[DEEP], count[DEEP];
    int top;
} levels;

static levels lay_out(size_t count)
{
    levels all = {.count = {(count + LEAF - 1) / LEAF}};
    while (all.count[all.top] > 1) {
        all.begin[all.top + 1] = all.begin[all.top] + all.count[all.top];
        all.count[all.top + 1] = (all.count[all.top] + 1) / 2;
        all.top++;
    }
    return all;
}

static void build_nodes(dr_tree *tree, const levels *all)
{
    for (size_t n = 0; n < all->count[0]; n++) {
        dr_tree_node *node = &tree->nodes[n];
        *node = tree->leaves[LEAF * n];
        for (size_t i = LEAF * n + 1; i < LEAF * (n + 1) && i < tree->count; i++) join(node, &tree->leaves[i]);
    }
    for (int k = 1; k <= all->top; k++) {
        const dr_tree_node *below = tree->nodes + all->begin[k - 1];
        for (size_t n = 0; n < all->count[k]; n++) {
            dr_tree_node *node = &tree->nodes[all->begin[k] + n];
            *node = below[2 * n];
            if (2 * n + 1 < all->count[k - 1]) join(node, &below[2 * n + 1]);
        }
    }
}

// ---- pairs that were found, a few at a time

typedef struct catch
{
    job *job;
    uint64_t keys[MANY];
    size_t count, looked;
}
catch;

static uint64_t pair_key(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

// Hands over what was found. Gives whether to go on.
static bool empty_catch(catch *catch)
{
    job *job = catch->job;
    dr_tree *tree = job->tree;
    dr_par_lock_take(&job->lock);
    job->looked += catch->looked;
    tree->crowded = tree->crowded || (tree->most > 0 && job->looked > tree->most);
    bool more = !tree->crowded && !job->failed;
    if (more && !dr_memory_reserve(tree->allocator, (void **)&tree->items, &tree->item_capacity,
                                   job->found + catch->count, sizeof *tree->items))
        job->failed = true;
    more = more && !job->failed;
    for (size_t i = 0; i < catch->count && more; i++) tree->items[job->found++] = (dr_sort_item){catch->keys[i], 0};
    dr_par_lock_give(&job->lock);
    catch->count = catch->looked = 0;
    return more;
}

static bool look_at(catch *catch, uint32_t a, uint32_t b)
{
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    catch->looked++;
    if (catch->job->filter(catch->job->user, first, second)) catch->keys[catch->count++] = pair_key(first, second);
    return catch->count < MANY || empty_catch(catch);
}

// The pairs between two groups of leaves, or within one.
static bool visit_pairs(catch *catch, size_t group, size_t other)
{
    const dr_tree *tree = catch->job->tree;
    size_t i_end = LEAF * (group + 1) < tree->count ? LEAF * (group + 1) : tree->count;
    size_t j_end = LEAF * (other + 1) < tree->count ? LEAF * (other + 1) : tree->count;
    for (size_t i = LEAF * group; i < i_end; i++) {
        if (other != group && !overlap(&tree->leaves[i], &tree->nodes[other])) continue;
        for (size_t j = other == group ? i + 1 : LEAF * other; j < j_end; j++) {
            if (!overlap(&tree->leaves[i], &tree->leaves[j])) continue;
            if (!look_at(catch, tree->numbers[i], tree->numbers[j])) return false;
        }
    }
    return true;
}

// The pairs of a group of leaves with itself and with those that come after it.
static bool visit(catch *catch, const levels *all, size_t group)
{
    struct {
        int level;
        size_t node;
    } stack[DEEP];
    const dr_tree_node *nodes = catch->job->tree->nodes;
    int depth = 0;
    stack[depth].level = all->top;
    stack[depth++].node = 0;
    while (depth > 0) {
        int level = stack[--depth].level;
        size_t node = stack[depth].node;
        if (((node + 1) << level) <= group) continue; // all of it comes before
        if (!overlap(&nodes[group], &nodes[all->begin[level] + node])) continue;
        if (level == 0 && !visit_pairs(catch, group, node)) return false;
        for (size_t child = 2 * node + 2; level > 0 && child-- > 2 * node;) {
            if (child >= all->count[level - 1]) continue;
            stack[depth].level = level - 1;
            stack[depth++].node = child;
        }
    }
    return true;
}

static void visit_all(void *user, size_t begin, size_t end, int thread)
{
    catch catch = {.job = user};
    levels all = lay_out(catch.job->tree->count);
    (void)thread;
    for (size_t group = begin; group < end; group++) {
        if (!visit(&catch, &all, group)) return;
    }
    empty_catch(&catch);
}

// The pairs of one leaf with all others.
static bool visit_leaf(catch *catch, const levels *all, size_t leaf)
{
    struct {
        int level;
        size_t node;
    } stack[DEEP];
    const dr_tree *tree = catch->job->tree;
    const dr_tree_node *box = &tree->leaves[leaf];
    int depth = 0;
    stack[depth].level = all->top;
    stack[depth++].node = 0;
    while (depth > 0) {
        int level = stack[--depth].level;
        size_t node = stack[depth].node;
        if (!overlap(box, &tree->nodes[all->begin[level] + node])) continue;
        for (size_t child = 2 * node + 2; level > 0 && child-- > 2 * node;) {
            if (child >= all->count[level - 1]) continue;
            stack[depth].level = level - 1;
            stack[depth++].node = child;
        }
        for (size_t j = LEAF * node; level == 0 && j < LEAF * (node + 1) && j < tree->count; j++) {
            if (j == leaf || !overlap(box, &tree->leaves[j])) continue;
            if (!look_at(catch, tree->numbers[leaf], tree->numbers[j])) return false;
        }
    }
    return true;
}

static void visit_changed(void *user, size_t begin, size_t end, int thread)
{
    catch catch = {.job = user};
    levels all = lay_out(catch.job->tree->count);
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        if (!visit_leaf(&catch, &all, catch.job->tree->places[catch.job->changed[i]])) return;
    }
    empty_catch(&catch);
}

static uint64_t key_of(const dr_tree_pair *pair)
{
    return pair_key(pair->first, pair->second);
}

// Sorts what was found, each pair once. Gives how many.
static size_t sort_found(dr_tree *tree, size_t count)
{
    size_t kept = 0;
    dr_sort_items(tree->items, tree->spare, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || tree->items[i].key != tree->items[i - 1].key) tree->items[kept++] = tree->items[i];
    }
    return kept;
}

// Of the new pairs those that are not there yet.
static size_t drop_known(dr_tree *tree, size_t count)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < tree->pair_count && key_of(&tree->pairs[at]) < tree->items[i].key) at++;
        if (at == tree->pair_count || key_of(&tree->pairs[at]) != tree->items[i].key)
            tree->items[kept++] = tree->items[i];
    }
    return kept;
}

// Sorts what was found in among the pairs that are known, from the end on.
static bool merge_found(dr_tree *tree, size_t found)
{
    const dr_allocator *a = tree->allocator;
    if (!dr_memory_reserve(a, (void **)&tree->spare, &tree->spare_capacity, found, sizeof *tree->spare)) return false;
    size_t count = drop_known(tree, sort_found(tree, found)), left = tree->pair_count, to = left + count;
    if (!dr_memory_reserve(a, (void **)&tree->pairs, &tree->pair_capacity, to, sizeof *tree->pairs)) return false;
    tree->pair_count = to;
    while (count > 0) {
        uint64_t key = tree->items[count - 1].key;
        if (left > 0 && key_of(&tree->pairs[left - 1]) > key) {
            tree->pairs[--to] = tree->pairs[--left];
        } else {
            tree->pairs[--to] = (dr_tree_pair){(uint32_t)(key >> 32), (uint32_t)key, 0.0};
            count--;
        }
    }
    return true;
}

// Adds the pairs that `body` finds.
static bool search(job *job, const dr_par *par, size_t count, dr_par_body body)
{
    dr_par_lock_open(&job->lock);
    dr_par_for(par, count, GRAIN, body, job);
    dr_par_lock_close(&job->lock);
    if (job->failed) return false;
    return job->tree->crowded || merge_found(job->tree, job->found);
}

bool dr_tree_find_pairs(dr_tree *tree, const dr_par *par, const dr_tree_box *boxes, size_t count, dr_tree_filter filter,
                        const void *user)
{
    job job = {.tree = tree, .boxes = boxes, .filter = filter, .user = user};
    tree->count = count;
    tree->pair_count = 0;
    tree->crowded = false;
    if (count < 2) return true;
    if (!reserve(tree, count)) return false;
    find_middles(&job, count);
    dr_par_for(par, count, 4096, give_keys, &job);
    dr_sort_items(tree->items, tree->spare, count);
    dr_par_for(par, count, 4096, copy_leaves, &job);
    levels all = lay_out(count);
    build_nodes(tree, &all);
    return search(&job, par, all.count[0], visit_all);
}

bool dr_tree_add_pairs(dr_tree *tree, const dr_par *par, const dr_tree_box *boxes, const uint32_t *changed,
                       size_t changed_count, dr_tree_filter filter, const void *user)
{
    job job = {.tree = tree, .boxes = boxes, .filter = filter, .user = user, .changed = changed};
    if (tree->count < 2 || changed_count == 0) return true;
    for (size_t i = 0; i < changed_count; i++)
        tree->leaves[tree->places[changed[i]]] = round_outwards(&boxes[changed[i]]);
    levels all = lay_out(tree->count);
    build_nodes(tree, &all);
    return search(&job, par, changed_count, visit_changed);
}
