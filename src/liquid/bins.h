// Particles by cell within their blocks, to find those nearby. The cells are those of the particles' offsets: shifted
// against the grid's by its shift, which does not matter to a search.
#ifndef DR_LIQUID_BINS_H
#define DR_LIQUID_BINS_H

#include "grid/halo.h"

typedef struct dr_bins {
    const dr_allocator *allocator;
    uint32_t *first; // [block][64]: where a cell's particles start in order; they end where the next cell's start
    uint32_t *order; // [particle] indices, by block and cell
    uint32_t *block; // [particle] its block
    float *place;    // [particle][3] offsets, in that order
    size_t block_capacity, particle_capacity;
    size_t cells;
} dr_bins;

void dr_bins_open(dr_bins *bins, const dr_allocator *allocator);
void dr_bins_close(dr_bins *bins);

// The particles must be where the grid's last rebuild found them. False when memory is out.
bool dr_bins_build(dr_bins *bins, const dr_grid *grid, const dr_par *par, const dr_particles *particles);

// How far the block of a neighbouring cell lies from the own one, in cells.
static inline float dr_bins_shift(int x)
{
    return (float)(DR_BLOCK_SIDE * (dr_halo_side(x) - 1));
}

// Calls visit for every particle q within reach (at most 1 cell) of particle p, p itself left out; offset: from p to q
// in cells. Inlined, and the visitor with it.
typedef void (*dr_bins_visitor)(void *user, uint32_t q, const float offset[3]);
static inline void dr_bins_visit(const dr_bins *bins, const dr_grid *grid, const dr_particles *particles, size_t p,
                                 float reach, dr_bins_visitor visit, void *user)
{
    const float *from = particles->offset + 3 * p;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int)(from[a] + 1.0F - reach) - 1;
        high[a] = (int)(from[a] + reach);
    }
    for (int x = low[0]; x <= high[0]; x++) {
        for (int y = low[1]; y <= high[1]; y++) {
            for (int z = low[2]; z <= high[2]; z++) {
                int64_t cell = dr_halo_find(grid, bins->block[p], x, y, z);
                if (cell < 0) continue;
                const float shift[3] = {dr_bins_shift(x) - from[0], dr_bins_shift(y) - from[1],
                                        dr_bins_shift(z) - from[2]};
                for (uint32_t i = bins->first[cell]; i < bins->first[cell + 1]; i++) {
                    const float *to = bins->place + 3 * (size_t)i;
                    const float offset[3] = {to[0] + shift[0], to[1] + shift[1], to[2] + shift[2]};
                    float square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
                    if (square <= reach * reach && bins->order[i] != p) visit(user, bins->order[i], offset);
                }
            }
        }
    }
}

#endif
