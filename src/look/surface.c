// From a frame to a mesh: the field is evaluated block by block, a few blocks at a time, so that memory follows the
// surface; vertices on edges between blocks are found by the number of their edge. docs/theory/reconstruction.md.
#include "look/surface_parts.h"

#include <string.h>

void dr_surface_options_default(dr_surface_options *options)
{
    *options = (dr_surface_options){.cell = 0.0F, .smoothing = 0.5F, .films = true};
}

void dr_surface_mesh_free(dr_surface_mesh *mesh)
{
    const dr_allocator *allocator = mesh->allocator;
    size_t bytes = mesh->vertex_count * sizeof(float[3]);
    dr_memory_free(allocator, mesh->position, bytes);
    dr_memory_free(allocator, mesh->normal, bytes);
    dr_memory_free(allocator, mesh->velocity, bytes);
    dr_memory_free(allocator, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
    *mesh = (dr_surface_mesh){0};
}

// ---- an allocator that counts what the one behind it holds

typedef struct meter {
    dr_allocator allocator;
    const dr_allocator *behind;
    size_t now, peak;
} meter;

static void *metered_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    meter *meter = user;
    size_t both = meter->now + (new_bytes > old_bytes ? new_bytes : 0); // while the one is copied to the other
    void *fresh = dr_memory_resize(meter->behind, block, old_bytes, new_bytes);
    if (!fresh && new_bytes) return NULL;
    meter->now += new_bytes - old_bytes;
    if (both > meter->peak) meter->peak = both;
    return fresh;
}

// ---- growing arrays

enum { SLOTS_PER_THREAD = 4, MOST_SLOTS = 64 };

typedef struct making {
    const dr_surface_world *world;
    const dr_par *par;
    const dr_allocator *allocator;
    dr_surface_loops *loops; // [256]
    dr_surface_nodes *slots;
    size_t slot_count, slot_first;
    bool deep[MOST_SLOTS];                 // [slot]
    dr_surface_count *counts;              // [slot]
    size_t *first_vertex, *first_triangle; // [block], and one more
    size_t vertex_count, triangle_count, cells;
    float (*position)[3], (*velocity)[3];
    uint16_t *edge;
    uint32_t (*triangle)[3];
    dr_surface_sides *sides; // NULL: nobody asks
    size_t position_capacity, velocity_capacity, edge_capacity, triangle_capacity;
} making;

static bool reserve_mesh(making *m)
{
    const dr_allocator *allocator = m->allocator;
    size_t vertices = m->vertex_count, triangles = m->triangle_count;
    return vertices < DR_SURFACE_FOREIGN &&
           dr_memory_reserve(allocator, (void **)&m->position, &m->position_capacity, vertices, sizeof *m->position) &&
           dr_memory_reserve(allocator, (void **)&m->velocity, &m->velocity_capacity, vertices, sizeof *m->velocity) &&
           dr_memory_reserve(allocator, (void **)&m->edge, &m->edge_capacity, vertices, sizeof *m->edge) &&
           dr_memory_reserve(allocator, (void **)&m->triangle, &m->triangle_capacity, triangles, sizeof *m->triangle);
}

static void free_mesh(making *m)
{
    dr_memory_free(m->allocator, m->position, m->position_capacity * sizeof *m->position);
    dr_memory_free(m->allocator, m->velocity, m->velocity_capacity * sizeof *m->velocity);
    dr_memory_free(m->allocator, m->edge, m->edge_capacity * sizeof *m->edge);
    dr_memory_free(m->allocator, m->triangle, m->triangle_capacity * sizeof *m->triangle);
    m->position = m->velocity = NULL;
    m->edge = NULL;
    m->triangle = NULL;
}

// ---- sides

void dr_surface_sides_close(dr_surface_sides *sides, const dr_allocator *allocator)
{
    dr_memory_free(allocator, sides->key, sides->block_count * sizeof *sides->key);
    dr_memory_free(allocator, sides->place, sides->block_count * sizeof *sides->place);
    dr_memory_free(allocator, sides->bits, sides->bits_capacity * sizeof *sides->bits);
    *sides = (dr_surface_sides){0};
}

bool dr_surface_sides_inside(const dr_surface_sides *sides, const int32_t node[3])
{
    int32_t block[3];
    int local = 0;
    for (int a = 2; a >= 0; a--) {
        block[a] = (node[a] >= 0 ? node[a] : node[a] - (DR_SURFACE_SIDE - 1)) / DR_SURFACE_SIDE;
        local = local * DR_SURFACE_NODES + node[a] - block[a] * DR_SURFACE_SIDE;
    }
    size_t b = dr_surface_find(sides->key, sides->block_count, dr_surface_key(block));
    if (b == sides->block_count || sides->place[b] == DR_SURFACE_ALL_OUT) return false;
    return sides->place[b] == DR_SURFACE_ALL_IN || sides->bits[sides->place[b]][local / 64] >> (local % 64) & 1;
}

static bool open_sides(making *m)
{
    if (!m->sides) return true;
    dr_surface_sides *sides = m->sides;
    sides->block_count = m->world->block_count;
    sides->key = dr_memory_alloc(m->allocator, sides->block_count * sizeof *sides->key);
    sides->place = dr_memory_alloc(m->allocator, sides->block_count * sizeof *sides->place);
    if (!sides->key || !sides->place) return false;
    if (sides->block_count) memcpy(sides->key, m->world->block, sides->block_count * sizeof *sides->key);
    return true;
}

// What a slot's nodes say of its block; a block without cut cells lies on one side.
static bool keep_sides(making *m, size_t s)
{
    dr_surface_sides *sides = m->sides;
    const float *value = m->slots[s].value;
    uint32_t *place = sides->place + m->slot_first + s;
    *place = m->deep[s] || value[0] > DR_SURFACE_LEVEL ? DR_SURFACE_ALL_IN : DR_SURFACE_ALL_OUT;
    if (m->counts[s].cells == 0) return true;
    if (!dr_memory_reserve(m->allocator, (void **)&sides->bits, &sides->bits_capacity, sides->bits_count + 1,
                           sizeof *sides->bits))
        return false;
    *place = (uint32_t)sides->bits_count++;
    uint64_t *bits = sides->bits[*place];
    memset(bits, 0, sizeof *sides->bits);
    for (int n = 0; n < DR_SURFACE_BLOCK_NODES; n++) {
        bits[n / 64] |= (uint64_t)(value[n] > DR_SURFACE_LEVEL) << (n % 64);
    }
    return true;
}

// ---- blocks, as many at a time as there are slots

static void count_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    making *m = user;
    for (size_t s = begin; s < end; s++) {
        m->deep[s] = !dr_surface_nodes_evaluate(m->slots + s, m->world, m->world->block[m->slot_first + s]);
        m->counts[s] = m->deep[s] ? (dr_surface_count){0} : dr_surface_cells_count(m->slots + s, m->loops);
    }
}

static void write_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    making *m = user;
    for (size_t s = begin; s < end; s++) {
        if (m->counts[s].cells == 0 && m->counts[s].vertices == 0) continue;
        size_t b = m->slot_first + s, v = m->first_vertex[b];
        dr_surface_target target = {m->position + v, m->velocity + v, m->edge + v, m->triangle + m->first_triangle[b],
                                    (uint32_t)v};
        dr_surface_cells_write(m->slots + s, m->loops, &m->world->scale, m->world->block[b], &target);
    }
}

static bool make_blocks(making *m)
{
    size_t blocks = m->world->block_count;
    for (m->slot_first = 0; m->slot_first < blocks; m->slot_first += m->slot_count) {
        size_t left = blocks - m->slot_first, count = left < m->slot_count ? left : m->slot_count;
        dr_par_for(m->par, count, 1, count_slots, m);
        for (size_t s = 0; s < count; s++) {
            m->first_vertex[m->slot_first + s] = m->vertex_count;
            m->first_triangle[m->slot_first + s] = m->triangle_count;
            m->vertex_count += m->counts[s].vertices;
            m->triangle_count += m->counts[s].triangles;
            m->cells += m->counts[s].cells;
            if (m->sides && !keep_sides(m, s)) return false;
        }
        if (!reserve_mesh(m)) return false;
        dr_par_for(m->par, count, 1, write_slots, m);
    }
    m->first_vertex[blocks] = m->vertex_count;
    m->first_triangle[blocks] = m->triangle_count;
    return true;
}

// ---- joining

// The vertex on an edge of a block; the vertices of a block are in the order of their edges.
static uint32_t find_vertex(const making *m, size_t b, uint16_t edge)
{
    size_t low = m->first_vertex[b], high = m->first_vertex[b + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->edge[middle] < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static void join_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const making *m = user;
    for (size_t b = begin; b < end; b++) {
        if (m->first_triangle[b] == m->first_triangle[b + 1]) continue;
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(m->world->block[b], block);
        dr_surface_around(m->world->block, m->world->block_count, block, around);
        for (size_t i = 3 * m->first_triangle[b]; i < 3 * m->first_triangle[b + 1]; i++) {
            uint32_t *corner = m->triangle[i / 3] + i % 3;
            if (!(*corner & DR_SURFACE_FOREIGN)) continue;
            uint32_t beyond = *corner >> 14 & 7;
            size_t other = around[13 + (beyond & 1) + 3 * (beyond >> 1 & 1) + 9 * (beyond >> 2)];
            *corner = find_vertex(m, other, (uint16_t)(*corner & 0x3fff));
        }
    }
}

// ---- all of it

static bool make_mesh(making *m)
{
    size_t blocks = m->world->block_count, wanted = (size_t)m->par->threads * SLOTS_PER_THREAD;
    m->slot_count = wanted < blocks ? wanted : blocks;
    if (m->slot_count > MOST_SLOTS) m->slot_count = MOST_SLOTS;
    size_t first_bytes = (blocks + 1) * sizeof(size_t), slot_bytes = m->slot_count * sizeof *m->slots,
           count_bytes = m->slot_count * sizeof *m->counts, loop_bytes = 256 * sizeof *m->loops;
    m->loops = dr_memory_alloc(m->allocator, loop_bytes);
    m->slots = dr_memory_alloc(m->allocator, slot_bytes);
    m->counts = dr_memory_alloc(m->allocator, count_bytes);
    m->first_vertex = dr_memory_alloc(m->allocator, first_bytes);
    m->first_triangle = dr_memory_alloc(m->allocator, first_bytes);
    bool done = m->loops && m->slots && m->counts && m->first_vertex && m->first_triangle && open_sides(m);
    if (done) {
        dr_surface_loops_make(m->loops);
        done = make_blocks(m);
    }
    dr_memory_free(m->allocator, m->slots, slot_bytes);
    if (done) dr_par_for(m->par, blocks, 64, join_blocks, m);
    dr_memory_free(m->allocator, m->loops, loop_bytes);
    dr_memory_free(m->allocator, m->counts, count_bytes);
    dr_memory_free(m->allocator, m->first_vertex, first_bytes);
    dr_memory_free(m->allocator, m->first_triangle, first_bytes);
    return done;
}

// Makes an array exactly as long as it is; NULL, and the array freed, where even that cannot be had.
static void *fit(const dr_allocator *allocator, void *data, size_t capacity, size_t count, size_t item_bytes)
{
    if (capacity == count) return data;
    void *fitted = dr_memory_resize(allocator, data, capacity * item_bytes, count * item_bytes);
    if (!fitted && count > 0) dr_memory_free(allocator, data, capacity * item_bytes);
    return fitted;
}

static bool hand_over(making *m, dr_surface_mesh *mesh, int rounds)
{
    dr_memory_free(m->allocator, m->edge, m->edge_capacity * sizeof *m->edge);
    m->edge = NULL;
    size_t vertices = m->vertex_count, triangles = m->triangle_count;
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->cells = m->cells;
    mesh->position = fit(m->allocator, m->position, m->position_capacity, vertices, sizeof *m->position);
    mesh->velocity = fit(m->allocator, m->velocity, m->velocity_capacity, vertices, sizeof *m->velocity);
    mesh->triangle = fit(m->allocator, m->triangle, m->triangle_capacity, triangles, sizeof *m->triangle);
    m->position = m->velocity = NULL;
    m->triangle = NULL;
    if (vertices == 0) return true;
    mesh->normal = dr_memory_resize(m->allocator, NULL, 0, vertices * sizeof *mesh->normal);
    if (!mesh->position || !mesh->velocity || (!mesh->triangle && triangles > 0)) return false;
    if (!mesh->normal || !dr_surface_mesh_smooth(mesh, rounds, m->allocator)) return false;
    dr_surface_mesh_fit(mesh, m->world, m->par);
    dr_surface_mesh_normals(mesh);
    return true;
}

dr_status dr_surface_mesh_make(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                               const dr_allocator *allocator, dr_surface_mesh *mesh, double *cell,
                               dr_surface_sides *sides, dr_error *error)
{
    dr_surface_world world;
    meter meter = {.behind = allocator};
    meter.allocator = (dr_allocator){&meter, metered_resize};
    *mesh = (dr_surface_mesh){.allocator = allocator};
    dr_status status = dr_surface_world_open(&world, frame, options, par, &meter.allocator, error);
    if (status != DR_STATUS_OK) return status;
    *cell = world.scale.cell;
    making m = {.world = &world, .par = par, .allocator = &meter.allocator, .sides = sides};
    bool done = make_mesh(&m) && hand_over(&m, mesh, (int)(3.0F * options->smoothing));
    dr_surface_world_close(&world, &meter.allocator);
    free_mesh(&m);
    mesh->peak_bytes = meter.peak;
    if (done) return DR_STATUS_OK;
    if (sides) dr_surface_sides_close(sides, allocator);
    dr_surface_mesh_free(mesh);
    return dr_error_memory(error, "reconstructing the liquid's surface");
}

dr_status dr_surface_mesh_build(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                                const dr_allocator *allocator, dr_surface_mesh *mesh, dr_error *error)
{
    double cell;
    return dr_surface_mesh_make(frame, options, par, allocator, mesh, &cell, NULL, error);
}
