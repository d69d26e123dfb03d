// Planes in cut kernels. docs/theory/surface.md, eq. (5)-(7).
//   f   volume fraction       n   the plane's normal, towards air        d   its distance, cells
//   w   normal of the solid   s   distance from the centre along w
#include "liquid/level_set_solids.h"

#include "grid/halo.h"
#include "liquid/plic.h"

enum { TURNS = 3, POINTS = 12, NEWTON = 5, PASSES = 4 }; // PASSES: even

// Open share of the kernel of a cell that a plane wall just covers: beyond its face there is a sixth of it.
#define COVERED (1.01F / 6.0F)

#define UNKNOWN DR_LEVEL_SET_UNKNOWN

// ---- planes of least squares

// Solves the 3 x 3 system of a symmetric positive matrix (xx yy zz yz zx xy).
static void solve_slope(const float a[6], const float right[3], float slope[3])
{
    float yz = a[1] * a[2] - a[3] * a[3], zx = a[3] * a[4] - a[5] * a[2], xy = a[5] * a[3] - a[1] * a[4];
    float scale = 1.0F / (a[0] * yz + a[5] * zx + a[4] * xy);
    float zz = a[0] * a[2] - a[4] * a[4], zy = a[5] * a[4] - a[0] * a[3], yy = a[0] * a[1] - a[5] * a[5];
    slope[0] = scale * (yz * right[0] + zx * right[1] + xy * right[2]);
    slope[1] = scale * (zx * right[0] + zz * right[1] + zy * right[2]);
    slope[2] = scale * (xy * right[0] + zy * right[1] + yy * right[2]);
}

// Distance and slope at a cell.
typedef struct plane {
    float distance, slope[3];
} plane;

static float distance_at(const plane *p, const float x[3])
{
    return p->distance + p->slope[0] * x[0] + p->slope[1] * x[1] + p->slope[2] * x[2];
}

// The slope to length one; shorter where there is hardly one.
static void normalise(plane *p)
{
    float steep = 0.0F;
    for (int k = 0; k < 3; k++) steep += p->slope[k] * p->slope[k];
    float scale = 1.0F / dr_max_float(DR_LIQUID_LEAST_SLOPE, sqrtf(steep));
    for (int k = 0; k < 3; k++) p->slope[k] *= scale;
}

typedef struct fit {
    float total, mean, middle[3], mixed[3], second[6];
} fit;

static void add_point(fit *sum, float w, float d, const float x[3])
{
    sum->total += w;
    sum->mean += w * d;
    for (int k = 0; k < 3; k++) {
        sum->middle[k] += w * x[k];
        sum->mixed[k] += w * d * x[k];
        sum->second[k] += w * x[k] * x[k];
        sum->second[3 + k] += w * x[(k + 1) % 3] * x[(k + 2) % 3];
    }
}

// Along directions of which the points tell nothing it is level, and nowhere steeper than a distance.
static plane solve_fit(const fit *sum)
{
    plane p;
    float mean = sum->mean / sum->total, a[6], right[3], steep = 0.0F;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        a[k] = sum->second[k] - sum->middle[k] * sum->middle[k] / sum->total + DR_LIQUID_FLAT * sum->total;
        a[3 + k] = sum->second[3 + k] - sum->middle[u] * sum->middle[v] / sum->total;
        right[k] = sum->mixed[k] - sum->middle[k] * mean;
    }
    solve_slope(a, right, p.slope);
    for (int k = 0; k < 3; k++) steep += p.slope[k] * p.slope[k];
    float bound = steep > 1.0F ? 1.0F / sqrtf(steep) : 1.0F;
    for (int k = 0; k < 3; k++) {
        p.slope[k] *= bound;
        mean -= p.slope[k] * sum->middle[k] / sum->total;
    }
    p.distance = dr_clamp_float(mean, -DR_LIQUID_BAND, DR_LIQUID_BAND);
    return p;
}

// ---- the 27 cells around a cell

// What is known around a block: distances, kernel moments of the open space, volume fractions.
typedef struct around {
    float distance[DR_HALO_ITEMS], room[4 * DR_HALO_ITEMS], fraction[DR_HALO_ITEMS], grain;
} around;

// Where a cell is, and the middle of its open kernel; what its liquid counts: by the square of the open kernel, and
// more where it is near.
typedef struct neighbour {
    int item;
    float weight, place[3], middle[3];
} neighbour;

static neighbour neighbour_of(const around *of, int at, int i)
{
    int x = i / 9 - 1, y = i / 3 % 3 - 1, z = i % 3 - 1, item = at + x * DR_HALO_X + y * DR_HALO_Y + z;
    const float *open = of->room + 4 * item;
    float near = i == 13 ? DR_LIQUID_OWN : (float)((2 - x * x) * (2 - y * y) * (2 - z * z)) / 8.0F;
    bool known = open[0] >= DR_LIQUID_LEAST_ROOM;
    float room = known ? open[0] : DR_LIQUID_LEAST_ROOM, part = known ? 1.0F / open[0] : 0.0F;
    neighbour n = {item, near * room * room, {(float)x, (float)y, (float)z}, {0}};
    for (int k = 0; k < 3; k++) n.middle[k] = n.place[k] + part * open[1 + k];
    return n;
}

// Through the distances that are known. False: none is.
static bool fit_distances(const around *of, const neighbour all[27], plane *p)
{
    fit sum = {0};
    for (int i = 0; i < 27; i++) {
        const neighbour *n = &all[i];
        if (of->distance[n->item] != UNKNOWN) add_point(&sum, n->weight, of->distance[n->item], n->place);
    }
    if (sum.total > 0.0F) *p = solve_fit(&sum);
    return sum.total > 0.0F;
}

// One step of Gauss and Newton towards the plane whose fractions are nearest to those that are known.
static void refine(const around *of, const neighbour all[27], plane *p)
{
    fit sum = {.total = 1e-6F};
    for (int i = 0; i < 27; i++) {
        float d = distance_at(p, all[i].middle), slope = dr_plic_slope(d, of->grain), f = of->fraction[all[i].item];
        float miss = dr_plic_fraction(d, of->grain) - dr_clamp_float(f, 0.0F, 1.0F);
        if (slope > 0.0F && f >= 0.0F) add_point(&sum, all[i].weight * slope * slope, miss / slope, all[i].middle);
    }
    plane more = solve_fit(&sum);
    p->distance += more.distance;
    for (int k = 0; k < 3; k++) p->slope[k] += more.slope[k];
    normalise(p);
}

// The plane whose fractions are in least squares those around, eq. (6), from the one through the distances that they
// stand for. False: no fraction is known.
static bool fit_fractions(const around *of, const neighbour all[27], plane *p)
{
    fit sum = {0};
    for (int i = 0; i < 27; i++) {
        float f = of->fraction[all[i].item];
        if (f >= 0.0F) add_point(&sum, all[i].weight, dr_plic_distance(f, of->grain), all[i].middle);
    }
    if (!(sum.total > 0.0F)) return false;
    *p = solve_fit(&sum);
    normalise(p);
    for (int turn = 0; turn < TURNS; turn++) refine(of, all, p);
    return true;
}

// ---- inversion in a cut kernel

// The open kernel as points along the solid's normal: where they are along the plane's normal, in widths of the kernel
// across, and what they weigh.
typedef struct profile {
    float at[POINTS], weight[POINTS], across;
} profile;

static profile profile_of(const float open[4], const float normal[3])
{
    profile p;
    float length = sqrtf(open[1] * open[1] + open[2] * open[2] + open[3] * open[3]), room = dr_min_float(open[0], 1.0F);
    float along = 0.0F, wall = dr_plic_distance(room, 0.0F), step = (1.5F - wall) / (float)POINTS;
    float total = 0.0F, mean = 0.0F;
    for (int k = 0; k < 3; k++) along += normal[k] * open[1 + k] / dr_max_float(length, 1e-6F);
    for (int i = 0; i < POINTS; i++) {
        p.at[i] = wall + ((float)i + 0.5F) * step;
        p.weight[i] = dr_plic_slope(p.at[i], 0.0F);
        total += p.weight[i];
        mean += p.weight[i] * p.at[i];
    }
    p.across = sqrtf(dr_max_float(DR_LIQUID_LEAST_ACROSS * DR_LIQUID_LEAST_ACROSS, 1.0F - along * along));
    for (int i = 0; i < POINTS; i++) {
        p.at[i] = along * (p.at[i] + length / room - mean / total) / p.across;
        p.weight[i] /= total;
    }
    return p;
}

// The distance of a cell's centre from the plane behind which its open kernel holds its fraction: eq. (5).
static float invert(const around *of, int at, const float normal[3])
{
    const float *open = of->room + 4 * at;
    profile p = profile_of(open, normal);
    float least = dr_plic_least(of->grain), grain = of->grain / (p.across * p.across);
    float fraction = dr_clamp_float(of->fraction[at], least, 1.0F - least), d = dr_plic_distance(fraction, of->grain);
    for (int k = 0; k < 3; k++) d -= normal[k] * open[1 + k] / open[0];
    for (int n = 0; n < NEWTON; n++) {
        float sum = 0.0F, slope = 0.0F;
        for (int i = 0; i < POINTS; i++) {
            float x = d / p.across + p.at[i];
            sum += p.weight[i] * dr_plic_fraction(x, grain);
            slope += p.weight[i] * dr_plic_slope(x, grain) / p.across;
        }
        d += dr_clamp_float((sum - fraction) / dr_max_float(slope, 0.05F), -0.5F, 0.5F);
    }
    return d;
}

// ---- cell by cell

// A plane of this slope through the distances around, at the cell: eq. (7). A kernel that hardly meets the surface
// tells little of it.
static float average_distances(const around *of, const neighbour all[27], const plane *p)
{
    float total = DR_LIQUID_FLAT, sum = total * p->distance, least = dr_plic_least(of->grain);
    for (int i = 0; i < 27; i++) {
        const neighbour *n = &all[i];
        float d = of->distance[n->item], f = of->fraction[n->item];
        if (d == UNKNOWN) continue;
        if (f < 0.0F) f = dr_plic_fraction(d, of->grain);
        float tells = dr_max_float(0.0F, 4.0F * (f - least) * (1.0F - least - f)), w = n->weight * tells * tells;
        sum += w * (d - distance_at(p, n->place) + p->distance);
        total += w;
    }
    return dr_clamp_float(sum / total, -DR_LIQUID_BAND, DR_LIQUID_BAND);
}

typedef struct range {
    float low, high, open_high; // open_high: of cells that are not in a wall
} range;

static range range_around(const around *of, int at)
{
    range all = {UNKNOWN, -UNKNOWN, -UNKNOWN};
    for (int i = 0; i < 27; i++) {
        int from = at + (i / 9 - 1) * DR_HALO_X + (i / 3 % 3 - 1) * DR_HALO_Y + i % 3 - 1;
        float d = of->distance[from];
        if (d == UNKNOWN) continue;
        all.low = dr_min_float(all.low, d);
        all.high = dr_max_float(all.high, d);
        if (of->room[4 * from] > COVERED) all.open_high = dr_max_float(all.open_high, d);
    }
    return all;
}

// A wall beside liquid alone has no surface in it: there thin liquid is a lack of density, which is mended, and no gap.
static float meet_cell(const around *of, int at, bool first)
{
    range all = range_around(of, at);
    neighbour beside[27];
    plane p;
    if (all.low == UNKNOWN || (first && all.open_high == -UNKNOWN)) return UNKNOWN;
    if (all.low >= DR_LIQUID_FAR || all.high <= -DR_LIQUID_FAR) {
        bool known = of->distance[at] != UNKNOWN;
        return known ? of->distance[at] : all.low > 0.0F ? DR_PLIC_REACH : -DR_PLIC_REACH;
    }
    if (first && of->fraction[at] < 0.0F) return of->distance[at];
    for (int i = 0; i < 27; i++) beside[i] = neighbour_of(of, at, i);
    if (!fit_fractions(of, beside, &p) && !fit_distances(of, beside, &p)) return of->distance[at];
    float distance = first ? invert(of, at, p.slope) : average_distances(of, beside, &p);
    float most = all.open_high > -UNKNOWN ? all.open_high : all.high;
    return most < 0.0F ? dr_min_float(distance, most) : distance;
}

typedef struct job {
    const dr_level_set *surface;
    const dr_grid *grid;
    const float *room, *from;
    float *to;
    int pass; // 0: inversion, 1: average, and from there on one layer more into solids
} job;

// Where all that is known around a block lies well on one side of the surface, so does the rest.
static bool is_far(const float *halo, float *to)
{
    float low = UNKNOWN, high = -UNKNOWN;
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        low = dr_min_float(low, halo[i]);
        high = halo[i] == UNKNOWN ? high : dr_max_float(high, halo[i]);
    }
    if (low < DR_LIQUID_FAR && high > -DR_LIQUID_FAR) return false;
    for (int c = 0; c < DR_BLOCK_NODES && high > -UNKNOWN; c++) {
        if (to[c] == UNKNOWN) to[c] = low < 0.0F ? -DR_PLIC_REACH : DR_PLIC_REACH;
    }
    return true;
}

static void meet_block(const job *what, size_t block)
{
    const float *from = what->from + block * DR_BLOCK_NODES, *open = what->room + 4 * block * DR_BLOCK_NODES;
    float *to = what->to + block * DR_BLOCK_NODES;
    around all;
    bool any = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++)
        any |= (from[c] == UNKNOWN) | ((what->pass < 2) & (open[4 * c] < DR_LEVEL_SET_OPEN));
    memcpy(to, from, DR_BLOCK_NODES * sizeof *to);
    if (!any) return;
    dr_halo_load(what->grid, block, what->from, UNKNOWN, all.distance);
    if (is_far(all.distance, to)) return;
    dr_halo_load_fours(what->grid, block, what->room, 0.0F, all.room);
    dr_halo_load(what->grid, block, what->surface->fraction, DR_LEVEL_SET_NOTHING, all.fraction);
    all.grain = what->surface->grain;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (from[c] == UNKNOWN || (what->pass < 2 && open[4 * c] < DR_LEVEL_SET_OPEN))
            to[c] = meet_cell(&all, dr_halo_place(c), what->pass == 0);
    }
}

static void meet_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) meet_block(user, b);
}

void dr_level_set_meet_solids(dr_level_set *surface, const dr_grid *grid, const dr_par *par, const float *room)
{
    for (int i = 0; i < PASSES; i++) {
        job what = {
            surface, grid, room, i % 2 ? surface->spare : surface->distance, i % 2 ? surface->distance : surface->spare,
            i};
        dr_par_for(par, grid->block_count, 32, meet_blocks, &what);
    }
}
