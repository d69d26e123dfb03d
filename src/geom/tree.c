// Boxes are sorted along a Morton curve and joined, four to a leaf node, then two by two: level k of the nodes is half
// as long as level k - 1. A leaf node looks only for partners that come after it in this order.
#include "geom/tree.h"

#include "math/vec.h"

#define LEAF  4
#define GRAIN 16
#define BITS  21 // of the Morton code per axis
#define DEEP  64

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
    dr_memory_free(a, tree->starts, tree->start_capacity * sizeof *tree->starts);
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
           dr_memory_reserve(a, (void **)&tree->places, &tree->place_capacity, count, sizeof *tree->places) &&
           dr_memory_reserve(a, (void **)&tree->starts, &tree->start_capacity, count + 1, sizeof *tree->starts);
}

static void join(dr_box *box, const dr_box *other)
{
    for (int a = 0; a < 3; a++) {
        box->min[a] = box->min[a] < other->min[a] ? box->min[a] : other->min[a];
        box->max[a] = box->max[a] > other->max[a] ? box->max[a] : other->max[a];
    }
}

// All comparisons at once: which of them fails cannot be foretold.
static bool overlap(const dr_box *p, const dr_box *q)
{
    return (p->min[0] <= q->max[0]) & (q->min[0] <= p->max[0]) & (p->min[1] <= q->max[1]) & (q->min[1] <= p->max[1]) &
           (p->min[2] <= q->max[2]) & (q->min[2] <= p->max[2]);
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
    const dr_box *boxes;
    dr_box all;
    dr_tree_filter filter;
    const void *user;
    bool fill; // else only count
    const uint32_t *grown;
} job;

static void give_keys(void *user, size_t begin, size_t end, int thread)
{
    job *job = user;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        const dr_box *box = &job->boxes[i];
        uint64_t key = 0;
        for (int a = 0; a < 3; a++) {
            double size = job->all.max[a] - job->all.min[a];
            double share = size > 0.0 ? (0.5 * (box->min[a] + box->max[a]) - job->all.min[a]) / size : 0.0;
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
        tree->leaves[i] = job->boxes[tree->items[i].value];
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
        dr_box *node = &tree->nodes[n];
        *node = tree->leaves[LEAF * n];
        for (size_t i = LEAF * n + 1; i < LEAF * (n + 1) && i < tree->count; i++) join(node, &tree->leaves[i]);
    }
    for (int k = 1; k <= all->top; k++) {
        const dr_box *below = tree->nodes + all->begin[k - 1];
        for (size_t n = 0; n < all->count[k]; n++) {
            dr_box *node = &tree->nodes[all->begin[k] + n];
            *node = below[2 * n];
            if (2 * n + 1 < all->count[k - 1]) join(node, &below[2 * n + 1]);
        }
    }
}

// The pairs between two groups of leaves, or within one.
static size_t visit_pairs(const job *job, size_t group, size_t other, dr_tree_pair *out)
{
    const dr_tree *tree = job->tree;
    size_t found = 0, i_end = LEAF * (group + 1) < tree->count ? LEAF * (group + 1) : tree->count;
    size_t j_end = LEAF * (other + 1) < tree->count ? LEAF * (other + 1) : tree->count;
    for (size_t i = LEAF * group; i < i_end; i++) {
        if (other != group && !overlap(&tree->leaves[i], &tree->nodes[other])) continue;
        for (size_t j = other == group ? i + 1 : LEAF * other; j < j_end; j++) {
            if (!overlap(&tree->leaves[i], &tree->leaves[j])) continue;
            uint32_t a = tree->numbers[i], b = tree->numbers[j];
            dr_tree_pair pair = {a < b ? a : b, a < b ? b : a, 0.0};
            if (!job->filter(job->user, pair.first, pair.second)) continue;
            if (out) out[found] = pair;
            found++;
        }
    }
    return found;
}

// The pairs of a group of leaves with itself and with those that come after it; out NULL: only how many.
static size_t visit(const job *job, const levels *all, size_t group, dr_tree_pair *out)
{
    struct {
        int level;
        size_t node;
    } stack[DEEP];
    const dr_box *box = &job->tree->nodes[group];
    int depth = 0;
    size_t found = 0;
    stack[depth].level = all->top;
    stack[depth++].node = 0;
    while (depth > 0) {
        int level = stack[--depth].level;
        size_t node = stack[depth].node;
        if (((node + 1) << level) <= group) continue; // all of it comes before
        if (!overlap(box, &job->tree->nodes[all->begin[level] + node])) continue;
        if (level == 0) {
            found += visit_pairs(job, group, node, out ? out + found : NULL);
            continue;
        }
        for (size_t child = 2 * node + 2; child-- > 2 * node;) {
            if (child >= all->count[level - 1]) continue;
            stack[depth].level = level - 1;
            stack[depth++].node = child;
        }
    }
    return found;
}

static void visit_all(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    dr_tree *tree = job->tree;
    levels all = lay_out(tree->count);
    (void)thread;
    for (size_t group = begin; group < end; group++) {
        if (job->fill)
            visit(job, &all, group, tree->pairs + tree->starts[group]);
        else
            tree->starts[group] = visit(job, &all, group, NULL);
    }
}

// The pairs of one leaf with all others.
static size_t visit_leaf(const job *job, const levels *all, size_t leaf, dr_tree_pair *out)
{
    struct {
        int level;
        size_t node;
    } stack[DEEP];
    const dr_tree *tree = job->tree;
    const dr_box *box = &tree->leaves[leaf];
    int depth = 0;
    size_t found = 0;
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
            uint32_t a = tree->numbers[leaf], b = tree->numbers[j];
            dr_tree_pair pair = {a < b ? a : b, a < b ? b : a, 0.0};
            if (j == leaf || !overlap(box, &tree->leaves[j]) || !job->filter(job->user, pair.first, pair.second))
                continue;
            if (out) out[found] = pair;
            found++;
        }
    }
    return found;
}

static void visit_grown(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    dr_tree *tree = job->tree;
    levels all = lay_out(tree->count);
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        size_t leaf = tree->places[job->grown[i]];
        if (job->fill)
            visit_leaf(job, &all, leaf, tree->pairs + tree->starts[i]);
        else
            tree->starts[i] = visit_leaf(job, &all, leaf, NULL);
    }
}

// Room for what was counted, after the pairs that are there.
static bool reserve_pairs(dr_tree *tree, size_t groups)
{
    size_t sum = tree->pair_count;
    for (size_t i = 0; i < groups; i++) {
        size_t found = tree->starts[i];
        tree->starts[i] = sum;
        sum += found;
    }
    tree->crowded = tree->most > 0 && sum > tree->most;
    if (tree->crowded) return true;
    tree->pair_count = sum;
    return dr_memory_reserve(tree->allocator, (void **)&tree->pairs, &tree->pair_capacity, sum, sizeof *tree->pairs) &&
           dr_memory_reserve(tree->allocator, (void **)&tree->items, &tree->item_capacity, sum, sizeof *tree->items) &&
           dr_memory_reserve(tree->allocator, (void **)&tree->spare, &tree->spare_capacity, sum, sizeof *tree->spare);
}

static uint64_t pair_key(const dr_tree_pair *pair)
{
    return (uint64_t)pair->first << 32 | pair->second;
}

// Sorts the pairs behind the first `known` into tree->items, each once. Gives how many.
static size_t sort_behind(dr_tree *tree, size_t known)
{
    size_t count = tree->pair_count - known, kept = 0;
    for (size_t i = 0; i < count; i++) tree->items[i] = (dr_sort_item){pair_key(&tree->pairs[known + i]), 0};
    dr_sort_items(tree->items, tree->spare, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || tree->items[i].key != tree->items[i - 1].key) tree->items[kept++] = tree->items[i];
    }
    return kept;
}

// Of the new pairs those that are not there yet.
static size_t drop_known(dr_tree *tree, size_t known, size_t count)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at < known && pair_key(&tree->pairs[at]) < tree->items[i].key) at++;
        if (at == known || pair_key(&tree->pairs[at]) != tree->items[i].key) tree->items[kept++] = tree->items[i];
    }
    return kept;
}

// The first `known` pairs are sorted; merges the others with them, from the end on.
static void sort_pairs(dr_tree *tree, size_t known)
{
    size_t count = drop_known(tree, known, sort_behind(tree, known)), left = known;
    tree->pair_count = known + count;
    for (size_t to = known + count; count > 0;) {
        uint64_t key = tree->items[count - 1].key;
        if (left > 0 && pair_key(&tree->pairs[left - 1]) > key) {
            tree->pairs[--to] = tree->pairs[--left];
        } else {
            tree->pairs[--to] = (dr_tree_pair){(uint32_t)(key >> 32), (uint32_t)key, 0.0};
            count--;
        }
    }
}

bool dr_tree_find_pairs(dr_tree *tree, const dr_par *par, const dr_box *boxes, size_t count, dr_tree_filter filter,
                        const void *user)
{
    job job = {.tree = tree, .boxes = boxes, .filter = filter, .user = user};
    tree->count = count;
    tree->pair_count = 0;
    tree->crowded = false;
    if (count < 2) return true;
    if (!reserve(tree, count)) return false;
    job.all = boxes[0];
    for (size_t i = 1; i < count; i++) join(&job.all, &boxes[i]);
    dr_par_for(par, count, 4096, give_keys, &job);
    dr_sort_items(tree->items, tree->spare, count);
    dr_par_for(par, count, 4096, copy_leaves, &job);
    levels all = lay_out(count);
    build_nodes(tree, &all);
    dr_par_for(par, all.count[0], GRAIN, visit_all, &job);
    if (!reserve_pairs(tree, all.count[0])) return false;
    if (tree->crowded || tree->pair_count == 0) return true;
    job.fill = true;
    dr_par_for(par, all.count[0], GRAIN, visit_all, &job);
    sort_pairs(tree, 0);
    return true;
}

bool dr_tree_add_pairs(dr_tree *tree, const dr_par *par, const dr_box *boxes, const uint32_t *grown, size_t grown_count,
                       dr_tree_filter filter, const void *user)
{
    job job = {.tree = tree, .boxes = boxes, .filter = filter, .user = user, .grown = grown};
    if (tree->count < 2 || grown_count == 0) return true;
    for (size_t i = 0; i < grown_count; i++) tree->leaves[tree->places[grown[i]]] = boxes[grown[i]];
    levels all = lay_out(tree->count);
    build_nodes(tree, &all);
    dr_par_for(par, grown_count, GRAIN, visit_grown, &job);
    size_t known = tree->pair_count;
    if (!reserve_pairs(tree, grown_count)) return false;
    if (tree->crowded) return true;
    job.fill = true;
    dr_par_for(par, grown_count, GRAIN, visit_grown, &job);
    sort_pairs(tree, known);
    return true;
}
