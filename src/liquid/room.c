// The open part of the kernel around every cell centre of a block, docs/theory/resample.md, eq. (11): half-cells,
// whole, part or not open by the distance at their middle, weighted along one axis after the other.
#include "liquid/room.h"

#include "grid/halo.h"

enum { CORNERS = DR_BLOCK_SIDE + 3, HALVES = DR_ROOM_HALVES };

typedef struct room {
    float corner[CORNERS][CORNERS][CORNERS]; // from -1, in cells
    dr_room_halves half;
} room;

static bool load_room(const dr_grid *grid, size_t block, const float *solid, room *r)
{
    float scale = 1.0F / (float)grid->cell, least = 1.0F;
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        int x = i / (CORNERS * CORNERS), y = i / CORNERS % CORNERS, z = i % CORNERS;
        int64_t from = dr_halo_find(grid, block, x - 1, y - 1, z - 1);
        r->corner[x][y][z] = from < 0 ? 1.0F : scale * solid[from];
        least = fminf(least, r->corner[x][y][z]);
    }
    return least < 0.5F;
}

static float half_distance(const room *r, int i, int j, int k)
{
    float low[2] = {0.75F, 0.25F}, sum = 0.0F;
    for (int c = 0; c < 8; c++) {
        int x = c >> 2, y = c >> 1 & 1, z = c & 1;
        float w = low[(i & 1) ^ x] * low[(j & 1) ^ y] * low[(k & 1) ^ z];
        sum += w * r->corner[(i >> 1) + x][(j >> 1) + y][(k >> 1) + z];
    }
    return sum;
}

static void open_halves(room *r)
{
    for (int i = 0; i < HALVES * HALVES * HALVES; i++) {
        int x = i / (HALVES * HALVES), y = i / HALVES % HALVES, z = i % HALVES;
        r->half[x][y][z] = fminf(1.0F, fmaxf(0.0F, 2.0F * half_distance(r, x, y, z) + 0.5F));
    }
}

// What halves miss of a wall across an axis at distance psi: they join the true share at every half cell by lines.
static float missed(const room *r, int c)
{
    int x = (c >> 4) + 1, y = (c >> 2 & 3) + 1, z = (c & 3) + 1;
    float psi = 0.0F, slope[3] = {0.0F, 0.0F, 0.0F}, length = 0.0F, most = 0.0F;
    for (int i = 0; i < 8; i++) {
        float at = 0.125F * r->corner[x + (i >> 2)][y + (i >> 1 & 1)][z + (i & 1)];
        psi += at;
        for (int a = 0; a < 3; a++) slope[a] += i >> (2 - a) & 1 ? at : -at;
    }
    for (int a = 0; a < 3; a++) {
        length += slope[a] * slope[a];
        most = fmaxf(most, slope[a] * slope[a]);
    }
    if (fabsf(psi) >= 1.5F || length == 0.0F) return 0.0F;
    float low = 0.5F * floorf(2.0F * psi), share = 2.0F * (psi - low);
    float joined = (1.0F - share) * dr_room_below(low) + share * dr_room_below(low + 0.5F);
    return (dr_room_below(psi) - joined) * most / length;
}

// Six halves around the centre of every second pair.
static float weigh(const float *first, int step)
{
    static const float weight[6] = {1.0F / 48, 7.0F / 48, 1.0F / 3, 1.0F / 3, 7.0F / 48, 1.0F / 48};
    float sum = 0.0F;
    for (int i = 0; i < 6; i++) sum += weight[i] * first[i * step];
    return sum;
}

static void weigh_all(dr_room_halves half, float weighed[DR_BLOCK_NODES])
{
    float flat[HALVES][HALVES][DR_BLOCK_SIDE], line[HALVES][DR_BLOCK_SIDE][DR_BLOCK_SIDE];
    for (int i = 0; i < HALVES * HALVES; i++) {
        for (int z = 0; z < DR_BLOCK_SIDE; z++)
            flat[i / HALVES][i % HALVES][z] = weigh(&half[i / HALVES][i % HALVES][2 * z], 1);
    }
    for (int i = 0; i < HALVES * DR_BLOCK_SIDE; i++) {
        int x = i / DR_BLOCK_SIDE, y = i % DR_BLOCK_SIDE;
        for (int z = 0; z < DR_BLOCK_SIDE; z++) line[x][y][z] = weigh(&flat[x][2 * y][z], DR_BLOCK_SIDE);
    }
    for (int c = 0; c < DR_BLOCK_NODES; c++)
        weighed[c] = weigh(&line[2 * (c >> 4)][c >> 2 & 3][c & 3], DR_BLOCK_SIDE * DR_BLOCK_SIDE);
}

void dr_room_find(const dr_grid *grid, size_t block, const float *solid, float room_of[DR_BLOCK_NODES])
{
    room r;
    for (int c = 0; c < DR_BLOCK_NODES; c++) room_of[c] = 1.0F;
    if (!solid || !load_room(grid, block, solid, &r)) return;
    open_halves(&r);
    weigh_all(r.half, room_of);
    for (int c = 0; c < DR_BLOCK_NODES; c++) room_of[c] += missed(&r, c);
}

// ---- room that the liquid fills

// Where walls meet, the distance between corners tells too little: halves are raised or lowered to what is open of
// their cell, eq. (11).
static void match_cell(float *first, float open)
{
    float mean = 0.0F, within = fminf(1.0F, fmaxf(0.0F, open));
    for (int i = 0; i < 8; i++) mean += 0.125F * first[((i >> 2) * HALVES + (i >> 1 & 1)) * HALVES + (i & 1)];
    for (int i = 0; i < 8; i++) {
        float *half = first + ((i >> 2) * HALVES + (i >> 1 & 1)) * HALVES + (i & 1);
        if (within < mean)
            *half *= within / mean;
        else if (mean < 1.0F)
            *half += (1.0F - *half) * (within - mean) / (1.0F - mean);
        *half += open - within;
    }
}

static void match_cells(const dr_grid *grid, size_t block, const float *open, room *r)
{
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        int x = i / DR_HALO_X, y = i / DR_HALO_Y % DR_HALO_SIDE, z = i % DR_HALO_SIDE;
        int64_t from = dr_halo_find(grid, block, x - 1, y - 1, z - 1);
        if (from >= 0) match_cell(&r->half[2 * x][2 * y][2 * z], open[from]);
    }
}

static void take_out(room *r, dr_room_halves air)
{
    for (int i = 0; i < HALVES * HALVES * HALVES; i++) (&r->half[0][0][0])[i] *= 1.0F - (&air[0][0][0])[i];
}

void dr_room_split(const dr_grid *grid, size_t block, const float *solid, const float *open, dr_room_halves air,
                   float room_of[DR_BLOCK_NODES], float wanted[DR_BLOCK_NODES])
{
    room r;
    bool cut = solid && load_room(grid, block, solid, &r);
    for (int c = 0; c < DR_BLOCK_NODES; c++) room_of[c] = 1.0F;
    if (cut) {
        open_halves(&r);
        if (open) match_cells(grid, block, open, &r);
        weigh_all(r.half, room_of);
    } else {
        for (int i = 0; i < HALVES * HALVES * HALVES; i++) (&r.half[0][0][0])[i] = 1.0F;
    }
    take_out(&r, air);
    weigh_all(r.half, wanted);
    for (int c = 0; c < DR_BLOCK_NODES && cut; c++) {
        float more = missed(&r, c), share = room_of[c] > 0.0F ? wanted[c] / room_of[c] : 0.0F;
        room_of[c] += more;
        wanted[c] += more * share;
    }
}
