// Enclosed air, by the flood that finds closed regions of liquid. docs/theory/surface.md, "Air pockets".
#include "liquid/pocket.h"

#include "liquid/halo.h"

enum { CELLS = DR_BLOCK_NODES };

static const int beside[6] = {4, 22, 10, 16, 12, 14}; // among the 27: x low, x high, y low, ...
static const int stride[3] = {16, 4, 1};

void dr_pockets_open(dr_pockets *pockets, const dr_allocator *allocator)
{
    *pockets = (dr_pockets){.allocator = allocator, .components = {.allocator = allocator}};
}

static void free_blocks(dr_pockets *pockets)
{
    dr_memory_free(pockets->allocator, pockets->blocks, pockets->capacity * sizeof *pockets->blocks);
    dr_memory_free(pockets->allocator, pockets->neighbour, 6 * pockets->capacity * sizeof *pockets->neighbour);
    dr_memory_free(pockets->allocator, pockets->partial, pockets->capacity * sizeof *pockets->partial);
    pockets->blocks = NULL;
    pockets->neighbour = NULL;
    pockets->partial = NULL;
    pockets->capacity = 0;
}

void dr_pockets_close(dr_pockets *pockets)
{
    free_blocks(pockets);
    dr_components_free(&pockets->components);
}

static bool reserve(dr_pockets *pockets, size_t count)
{
    if (count <= pockets->capacity) return true;
    const dr_allocator *allocator = pockets->allocator;
    free_blocks(pockets);
    pockets->capacity = count + count / 2;
    pockets->blocks = dr_memory_alloc(allocator, pockets->capacity * sizeof *pockets->blocks);
    pockets->neighbour = dr_memory_alloc(allocator, 6 * pockets->capacity * sizeof *pockets->neighbour);
    pockets->partial = dr_memory_alloc(allocator, pockets->capacity * sizeof *pockets->partial);
    if (pockets->blocks && pockets->neighbour && pockets->partial) return true;
    free_blocks(pockets);
    return false;
}

typedef struct look_job {
    dr_pockets *pockets;
    const dr_grid *grid;
    const uint8_t *kind;
    const float *open_area, *open_volume;
} look_job;

// The cells of a block that lie at one of its six sides.
static uint64_t at_side(int side)
{
    uint64_t mask = 0;
    for (int c = 0; c < CELLS; c++) {
        if ((c / stride[side / 2] & 3) == (side & 1 ? 3 : 0)) mask |= UINT64_C(1) << c;
    }
    return mask;
}

static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const look_job *job = user;
    for (size_t b = begin; b < end; b++) {
        dr_component_block *block = &job->pockets->blocks[b];
        *block = (dr_component_block){0};
        for (int c = 0; c < CELLS; c++) {
            if (job->kind[b * CELLS + (size_t)c] == DR_CELL_AIR) block->unknown |= UINT64_C(1) << c;
        }
        for (int side = 0; side < 6; side++) {
            int32_t next = job->grid->neighbour[27 * b + (size_t)beside[side]];
            job->pockets->neighbour[6 * b + (size_t)side] = next;
            if (next < 0) block->ground |= block->unknown & at_side(side);
        }
    }
}

static void link_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const look_job *job = user;
    for (size_t b = begin; b < end; b++) {
        dr_component_block *block = &job->pockets->blocks[b];
        if (!block->unknown) continue;
        uint8_t kind[DR_HALO_ITEMS];
        dr_halo_load_bytes(job->grid, b, job->kind, DR_CELL_AIR, kind);
        for (int i = 0; i < 3 * CELLS; i++) {
            int c = i / 3, a = i % 3, at = dr_halo_place(c);
            bool open = !job->open_area || job->open_area[4 * (b * CELLS + (size_t)c) + (size_t)a] > 0.0F;
            if (open && kind[at] == DR_CELL_AIR && kind[at - dr_halo_step[a]] == DR_CELL_AIR)
                block->link[a] |= UINT64_C(1) << c;
        }
    }
}

static void sum_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const look_job *job = user;
    const dr_components *parts = &job->pockets->components;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (uint32_t p = parts->first[b]; p < parts->first[b + 1]; p++) {
            for (int c = 0; c < CELLS && parts->floating[p] >= 0; c++) {
                if (parts->mask[p] >> c & 1)
                    sum += job->open_volume ? (double)job->open_volume[b * CELLS + (size_t)c] : 1.0;
            }
        }
        job->pockets->partial[b] = sum;
    }
}

bool dr_pockets_find(dr_pockets *pockets, const dr_grid *grid, const dr_par *par, const uint8_t *kind,
                     const float *open_area, const float *open_volume)
{
    size_t blocks = grid->block_count;
    look_job job = {pockets, grid, kind, open_area, open_volume};
    pockets->count = 0;
    pockets->volume = 0.0;
    if (blocks == 0) return true;
    if (!reserve(pockets, blocks)) return false;
    dr_par_for(par, blocks, 32, look_blocks, &job);
    dr_par_for(par, blocks, 32, link_blocks, &job);
    if (!dr_components_find(&pockets->components, par, pockets->blocks, pockets->neighbour, blocks)) return false;
    pockets->count = pockets->components.floating_count;
    if (pockets->count == 0) return true;
    dr_par_for(par, blocks, 32, sum_blocks, &job);
    pockets->volume = dr_par_sum(pockets->partial, blocks) * grid->cell * grid->cell * grid->cell;
    return true;
}
