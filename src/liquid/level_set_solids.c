// Planes in cut kernels. docs/theory/surface.md, eq. (5)-(7).
//   f   volume fraction       n   the plane's normal, towards air        d   its distance, cells
//   w   normal of the solid   s   distance from the centre along w
#include "liquid/level_set_solids.h"

#include "grid/halo.h"
#include "liquid/plic.h"

enum {
    TURNS = DR_LEVEL_SET_TURNS,
    POINTS = DR_LEVEL_SET_POINTS,
    NEWTON = DR_LEVEL_SET_NEWTON,
    PASSES = DR_LEVEL_SET_PASSES
};

// Open share of the kernel of a cell that a plane wall just covers: beyond its face there is a sixth of it.
#define COVERED (1.01F / 6.0F)

#define UNKNOWN DR_LEVEL_SET_UNKNOWN

// ---- planes of least squares, of eight cells at a time

enum { LANES = 8 };

// Solves the 3 x 3 system of a symmetric positive matrix (xx yy zz yz zx xy).
DR_INLINE void solve_slope(const dr_float8 a[6], const dr_float8 right[3], dr_float8 slope[3])
{
    dr_float8 yz = a[1] * a[2] - a[3] * a[3], zx = a[3] * a[4] - a[5] * a[2], xy = a[5] * a[3] - a[1] * a[4];
    dr_float8 scale = 1.0F / (a[0] * yz + a[5] * zx + a[4] * xy);
    dr_float8 zz = a[0] * a[2] - a[4] * a[4], zy = a[5] * a[4] - a[0] * a[3], yy = a[0] * a[1] - a[5] * a[5];
    slope[0] = scale * (yz * right[0] + zx * right[1] + xy * right[2]);
    slope[1] = scale * (zx * right[0] + zz * right[1] + zy * right[2]);
    slope[2] = scale * (xy * right[0] + zy * right[1] + yy * right[2]);
}

// Distance and slope at a cell.
typedef struct plane {
    dr_float8 distance, slope[3];
} plane;

DR_INLINE dr_float8 distance_at(const plane *p, const dr_float8 x[3])
{
    return p->distance + p->slope[0] * x[0] + p->slope[1] * x[1] + p->slope[2] * x[2];
}

DR_INLINE dr_float8 steepness(const plane *p)
{
    return p->slope[0] * p->slope[0] + p->slope[1] * p->slope[1] + p->slope[2] * p->slope[2];
}

// The slope to length one; shorter where there is hardly one.
DR_INLINE void normalise(plane *p)
{
    dr_float8 length = dr_float8_sqrt(steepness(p));
    dr_float8 scale = 1.0F / dr_float8_larger(dr_float8_all(DR_LIQUID_LEAST_SLOPE), length);
    for (int k = 0; k < 3; k++) p->slope[k] *= scale;
}

DR_INLINE dr_float8 clamp(dr_float8 x, float low, float high)
{
    return dr_float8_smaller(dr_float8_larger(x, dr_float8_all(low)), dr_float8_all(high));
}

typedef struct fit {
    dr_float8 total, mean, middle[3], mixed[3], second[6];
} fit;

// Those that do not count add nothing.
DR_INLINE void add_point(fit *sum, dr_int8 counts, dr_float8 weight, dr_float8 distance, const dr_float8 x[3])
{
    dr_float8 zero = dr_float8_all(0.0F), w = dr_float8_select(counts, weight, zero),
              d = dr_float8_select(counts, distance, zero);
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
DR_INLINE plane solve_fit(const fit *sum)
{
    plane p;
    dr_float8 mean = sum->mean / sum->total, a[6], right[3], one = dr_float8_all(1.0F);
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        a[k] = sum->second[k] - sum->middle[k] * sum->middle[k] / sum->total + DR_LIQUID_FLAT * sum->total;
        a[3 + k] = sum->second[3 + k] - sum->middle[u] * sum->middle[v] / sum->total;
        right[k] = sum->mixed[k] - sum->middle[k] * mean;
    }
    solve_slope(a, right, p.slope);
    dr_float8 steep = steepness(&p), bound = dr_float8_select(steep > 1.0F, 1.0F / dr_float8_sqrt(steep), one);
    for (int k = 0; k < 3; k++) {
        p.slope[k] *= bound;
        mean -= p.slope[k] * sum->middle[k] / sum->total;
    }
    p.distance = clamp(mean, -DR_LIQUID_BAND, DR_LIQUID_BAND);
    return p;
}

// ---- the 27 cells around a cell

// What is known around a block: distances, kernel moments of the open space, volume fractions; of the moments and
// fractions: the open share that weighs, the middle of the open kernel as seen from the centre, the distance that a
// fraction stands for.
typedef struct around {
    float distance[DR_HALO_ITEMS], moments[4 * DR_HALO_ITEMS], fraction[DR_HALO_ITEMS], grain;
    float weight[DR_HALO_ITEMS], middle[3][DR_HALO_ITEMS], stands[DR_HALO_ITEMS];
    bool stood; // the last is known
} around;

static void weigh_kernels(around *of)
{
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        const float *open = of->moments + 4 * i;
        bool known = open[0] >= DR_LIQUID_LEAST_OPEN;
        float part = known ? 1.0F / open[0] : 0.0F;
        of->weight[i] = known ? open[0] : DR_LIQUID_LEAST_OPEN;
        for (int k = 0; k < 3; k++) of->middle[k][i] = part * open[1 + k];
    }
}

// In the first pass that is what distances are.
static void find_stands(around *of, bool first)
{
    if (first) {
        memcpy(of->stands, of->distance, sizeof of->stands);
    } else {
        for (int i = 0; i < DR_HALO_ITEMS; i++)
            of->stands[i] = of->fraction[i] >= 0.0F ? dr_plic_distance(of->fraction[i], of->grain) : UNKNOWN;
    }
    of->stood = true;
}

DR_INLINE dr_float8 pick(const float *field, const int item[LANES])
{
    dr_float8 v;
    for (int l = 0; l < LANES; l++) v[l] = field[item[l]];
    return v;
}

// Where a cell is, and the middle of its open kernel; what its liquid counts: by the square of the open kernel, and
// more where it is near. What a fraction stands for and the middle are found for a fit alone.
typedef struct neighbour {
    dr_float8 weight, distance, fraction, stands, place[3], middle[3];
} neighbour;

DR_INLINE void find_items(const int at[LANES], int i, int x[3], int item[LANES])
{
    x[0] = i / 9 - 1, x[1] = i / 3 % 3 - 1, x[2] = i % 3 - 1;
    for (int l = 0; l < LANES; l++) item[l] = at[l] + x[0] * DR_HALO_X + x[1] * DR_HALO_Y + x[2];
}

DR_INLINE neighbour neighbour_of(const around *of, const int at[LANES], int i)
{
    int x[3], item[LANES];
    find_items(at, i, x, item);
    float near = i == 13 ? DR_LIQUID_OWN : (float)((2 - x[0] * x[0]) * (2 - x[1] * x[1]) * (2 - x[2] * x[2])) / 8.0F;
    dr_float8 share = pick(of->weight, item);
    neighbour n = {
        .weight = near * share * share, .distance = pick(of->distance, item), .fraction = pick(of->fraction, item)};
    for (int k = 0; k < 3; k++) n.place[k] = dr_float8_all((float)x[k]);
    return n;
}

// What their fractions stand for, and where. False where none is known.
DR_INLINE bool find_fractions(around *of, const int at[LANES], bool first, neighbour all[27])
{
    dr_int8 known = {0};
    for (int i = 0; i < 27; i++) known |= all[i].fraction >= 0.0F;
    if (!dr_int8_bits(known)) return false;
    if (!of->stood) find_stands(of, first);
    for (int i = 0; i < 27; i++) {
        int x[3], item[LANES];
        find_items(at, i, x, item);
        all[i].stands = pick(of->stands, item);
        for (int k = 0; k < 3; k++) all[i].middle[k] = all[i].place[k] + pick(of->middle[k], item);
    }
    return true;
}

// Through the distances that are known. Gives where some are.
DR_INLINE dr_int8 fit_distances(const neighbour all[27], plane *p)
{
    fit sum = {.total = dr_float8_all(0.0F)};
    for (int i = 0; i < 27; i++)
        add_point(&sum, all[i].distance != UNKNOWN, all[i].weight, all[i].distance, all[i].place);
    *p = solve_fit(&sum);
    return sum.total > 0.0F;
}

// One step of Gauss and Newton towards the plane whose fractions are nearest to those that are known.
DR_INLINE void refine(dr_float8 grain, const neighbour all[27], plane *p)
{
    fit sum = {.total = dr_float8_all(1e-6F)};
    for (int i = 0; i < 27; i++) {
        const neighbour *n = &all[i];
        dr_float8 d = distance_at(p, n->middle), slope = dr_plic_slope8(d, grain);
        dr_float8 miss = dr_plic_fraction8(d, grain) - clamp(n->fraction, 0.0F, 1.0F);
        add_point(&sum, (slope > 0.0F) & (n->fraction >= 0.0F), n->weight * slope * slope, miss / slope, n->middle);
    }
    plane more = solve_fit(&sum);
    p->distance += more.distance;
    for (int k = 0; k < 3; k++) p->slope[k] += more.slope[k];
    normalise(p);
}

// The plane whose fractions are in least squares those around, eq. (6), from the one through the distances that they
// stand for. Gives where some fractions are known.
DR_INLINE dr_int8 fit_fractions(dr_float8 grain, const neighbour all[27], plane *p)
{
    fit sum = {.total = dr_float8_all(0.0F)};
    for (int i = 0; i < 27; i++) add_point(&sum, all[i].fraction >= 0.0F, all[i].weight, all[i].stands, all[i].middle);
    *p = solve_fit(&sum);
    normalise(p);
    for (int turn = 0; turn < TURNS; turn++) refine(grain, all, p);
    return sum.total > 0.0F;
}

// ---- inversion in a cut kernel

// The open kernel as points along the solid's normal: where they are along the plane's normal, in widths of the kernel
// across, and what they weigh.
typedef struct profile {
    dr_float8 at[POINTS], weight[POINTS], across;
} profile;

DR_INLINE profile profile_of(const dr_float8 open[4], const dr_float8 normal[3])
{
    profile p;
    dr_float8 zero = dr_float8_all(0.0F), share = dr_float8_smaller(open[0], dr_float8_all(1.0F)), wall;
    dr_float8 length = dr_float8_sqrt(open[1] * open[1] + open[2] * open[2] + open[3] * open[3]);
    for (int l = 0; l < LANES; l++) wall[l] = dr_plic_distance(share[l], 0.0F);
    dr_float8 along = zero, step = (1.5F - wall) / (float)POINTS, total = zero, mean = zero;
    for (int k = 0; k < 3; k++) along += normal[k] * open[1 + k] / dr_float8_larger(length, dr_float8_all(1e-6F));
    for (int i = 0; i < POINTS; i++) {
        p.at[i] = wall + ((float)i + 0.5F) * step;
        p.weight[i] = dr_plic_slope8(p.at[i], zero);
        total += p.weight[i];
        mean += p.weight[i] * p.at[i];
    }
    dr_float8 least = dr_float8_all(DR_LIQUID_LEAST_ACROSS * DR_LIQUID_LEAST_ACROSS);
    p.across = dr_float8_sqrt(dr_float8_larger(least, 1.0F - along * along));
    for (int i = 0; i < POINTS; i++) {
        p.at[i] = along * (p.at[i] + length / share - mean / total) / p.across;
        p.weight[i] /= total;
    }
    return p;
}

// The distance of a cell's centre from the plane behind which its open kernel holds its fraction: eq. (5).
DR_INLINE dr_float8 invert(const around *of, const int at[LANES], const dr_float8 normal[3])
{
    dr_float8 open[4], d;
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < LANES; l++) open[k][l] = of->moments[4 * at[l] + k];
    }
    profile p = profile_of(open, normal);
    float least = dr_plic_least(of->grain);
    dr_float8 grain = of->grain / (p.across * p.across), fraction = clamp(pick(of->fraction, at), least, 1.0F - least);
    for (int l = 0; l < LANES; l++) d[l] = dr_plic_distance(fraction[l], of->grain);
    for (int k = 0; k < 3; k++) d -= normal[k] * open[1 + k] / open[0];
    for (int n = 0; n < NEWTON; n++) {
        dr_float8 sum = dr_float8_all(0.0F), slope = sum;
        for (int i = 0; i < POINTS; i++) {
            dr_float8 x = d / p.across + p.at[i];
            sum += p.weight[i] * dr_plic_fraction8(x, grain);
            slope += p.weight[i] * dr_plic_slope8(x, grain) / p.across;
        }
        d += clamp((sum - fraction) / dr_float8_larger(slope, dr_float8_all(DR_LEVEL_SET_LEAST_FALL)), -0.5F, 0.5F);
    }
    return d;
}

// ---- cells that the surface may pass

// A plane of this slope through the distances around, at the cell: eq. (7). A kernel that hardly meets the surface
// tells little of it.
DR_INLINE dr_float8 average_distances(float grain, const neighbour all[27], const plane *p)
{
    dr_float8 zero = dr_float8_all(0.0F), total = dr_float8_all(DR_LIQUID_FLAT), sum = total * p->distance;
    float least = dr_plic_least(grain);
    for (int i = 0; i < 27; i++) {
        const neighbour *n = &all[i];
        dr_float8 d = n->distance, f = n->fraction;
        f = dr_float8_select(f < 0.0F, dr_plic_fraction8(d, dr_float8_all(grain)), f);
        dr_float8 tells = dr_float8_larger(zero, 4.0F * (f - least) * (1.0F - least - f));
        dr_float8 w = dr_float8_select(d != UNKNOWN, n->weight * tells * tells, zero);
        sum += w * (d - distance_at(p, n->place) + p->distance);
        total += w;
    }
    return clamp(sum / total, -DR_LIQUID_BAND, DR_LIQUID_BAND);
}

// Cells that wait for their distance. most: where it is negative no distance is larger.
typedef struct queue {
    int count, cell[LANES], at[LANES];
    float most[LANES];
    bool fitted; // their planes are known
} queue;

// Planes [64][4] of a block.
DR_INLINE plane read_planes(const queue *cells, const float *planes)
{
    plane p;
    for (int l = 0; l < LANES; l++) {
        const float *from = planes + 4 * cells->cell[l];
        p.distance[l] = from[0];
        for (int k = 0; k < 3; k++) p.slope[k][l] = from[1 + k];
    }
    return p;
}

DR_INLINE void write_planes(const queue *cells, const plane *p, dr_int8 found, float *planes)
{
    for (int l = 0; l < cells->count; l++) {
        float *to = planes + 4 * cells->cell[l];
        to[0] = found[l] ? p->distance[l] : NAN;
        for (int k = 0; k < 3; k++) to[1 + k] = p->slope[k][l];
    }
}

static void meet_cells(around *of, const queue *cells, bool first, float *planes, float to[LANES])
{
    neighbour beside[27];
    const int *at = cells->at;
    dr_float8 grain = dr_float8_all(of->grain), own = pick(of->distance, at), bound = dr_float8_load(cells->most);
    plane p;
    dr_int8 found = bound == bound;
    for (int i = 0; i < 27; i++) beside[i] = neighbour_of(of, at, i);
    if (cells->fitted) {
        p = read_planes(cells, planes);
    } else if (find_fractions(of, at, first, beside)) {
        found = fit_fractions(grain, beside, &p);
        write_planes(cells, &p, found, planes);
    } else {
        found = (dr_int8){0};
        p = (plane){.distance = own};
    }
    if (!dr_int8_every(found)) {
        plane other;
        dr_int8 fitted = fit_distances(beside, &other);
        p.distance = dr_float8_select(found, p.distance, other.distance);
        for (int k = 0; k < 3; k++) p.slope[k] = dr_float8_select(found, p.slope[k], other.slope[k]);
        found |= fitted;
    }
    dr_float8 distance = first ? invert(of, at, p.slope) : average_distances(of->grain, beside, &p);
    distance = dr_float8_select(bound < 0.0F, dr_float8_smaller(distance, bound), distance);
    dr_float8_store(to, dr_float8_select(found, distance, own));
}

// ---- the others

// The largest of the 27 around every cell of a block.
static void find_largest(const float halo[DR_HALO_ITEMS], float to[DR_BLOCK_NODES])
{
    enum { SIDE = DR_HALO_SIDE, ROWS = DR_BLOCK_SIDE };
    float z[SIDE * SIDE * ROWS], y[SIDE * ROWS * ROWS];
    for (int i = 0; i < SIDE * SIDE * ROWS; i++) {
        const float *row = halo + i / ROWS * SIDE + i % ROWS;
        z[i] = dr_max_float(dr_max_float(row[0], row[1]), row[2]);
    }
    for (int i = 0; i < SIDE * ROWS * ROWS; i++) {
        const float *row = z + i / (ROWS * ROWS) * SIDE * ROWS + i % (ROWS * ROWS);
        y[i] = dr_max_float(dr_max_float(row[0], row[ROWS]), row[2 * ROWS]);
    }
    for (int i = 0; i < DR_BLOCK_NODES; i++)
        to[i] = dr_max_float(dr_max_float(y[i], y[i + ROWS * ROWS]), y[i + 2 * ROWS * ROWS]);
}

// Of the known distances around each cell of a block: the least, the largest, the largest of cells that are not in a
// wall, and of those whose centre is not.
typedef struct ranges {
    float low[DR_BLOCK_NODES], high[DR_BLOCK_NODES], open_high[DR_BLOCK_NODES], centre_high[DR_BLOCK_NODES];
} ranges;

static void find_ranges(const around *of, ranges *all)
{
    float turned[DR_HALO_ITEMS], known[DR_HALO_ITEMS], open[DR_HALO_ITEMS], centre[DR_HALO_ITEMS];
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        float d = of->distance[i];
        turned[i] = -d;
        known[i] = d == UNKNOWN ? -UNKNOWN : d;
        open[i] = of->moments[4 * i] > COVERED ? known[i] : -UNKNOWN;
        centre[i] = of->moments[4 * i] >= DR_LIQUID_CENTRE_OPEN ? known[i] : -UNKNOWN;
    }
    find_largest(turned, all->low);
    find_largest(known, all->high);
    find_largest(open, all->open_high);
    find_largest(centre, all->centre_high);
    for (int c = 0; c < DR_BLOCK_NODES; c++) all->low[c] = -all->low[c];
}

// A wall beside liquid alone has no surface in it: there thin liquid is a lack of density, which is mended, and no gap.
// False where the surface may pass the cell, and a plane has to be found.
static bool is_settled(const around *of, const ranges *all, int c, bool first, float *distance)
{
    int at = dr_halo_place(c);
    float low = all->low[c], high = all->high[c];
    *distance = of->distance[at];
    if (low == UNKNOWN || (first && all->open_high[c] == -UNKNOWN)) {
        *distance = UNKNOWN;
        return true;
    }
    if (low >= DR_LIQUID_FAR || high <= -DR_LIQUID_FAR) {
        if (*distance == UNKNOWN) *distance = low > 0.0F ? DR_PLIC_REACH : -DR_PLIC_REACH;
        return true;
    }
    return first && of->fraction[at] < 0.0F;
}

static void serve(around *of, queue *waiting, bool first, float *planes, float *to)
{
    float distance[LANES];
    if (waiting->count == 0) return;
    for (int l = waiting->count; l < LANES; l++) {
        waiting->cell[l] = waiting->cell[0];
        waiting->at[l] = waiting->at[0];
        waiting->most[l] = waiting->most[0];
    }
    meet_cells(of, waiting, first, planes, distance);
    for (int l = 0; l < waiting->count; l++) to[waiting->cell[l]] = distance[l];
    waiting->count = 0;
}

// No distance around is larger: of cells that are open, or of those whose centre is where the surface passes none of
// them.
static float largest_around(const ranges *all, int c)
{
    float centre = all->centre_high[c], open = all->open_high[c];
    if (open >= 0.0F && centre > -UNKNOWN && centre <= -DR_LIQUID_FAR) return centre;
    return open > -UNKNOWN ? open : all->high[c];
}

static void enqueue(queue *waiting, const ranges *all, int c)
{
    waiting->cell[waiting->count] = c;
    waiting->at[waiting->count] = dr_halo_place(c);
    waiting->most[waiting->count++] = largest_around(all, c);
}

typedef struct job {
    const dr_level_set *surface;
    const dr_grid *grid;
    const float *moments, *from;
    float *to;
    int pass; // 0: inversion, 1: average, and from there on one layer more into solids
} job;

// Where all that is known around a block lies well on one side of the surface, so does the rest.
static bool is_far(const float *halo, float *to)
{
    int below = 0, above = 0, known = 0, inside = 0;
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        below |= halo[i] < DR_LIQUID_FAR;
        above |= (halo[i] > -DR_LIQUID_FAR) & (halo[i] != UNKNOWN);
        known |= halo[i] != UNKNOWN;
        inside |= halo[i] < 0.0F;
    }
    if (below && above) return false;
    for (int c = 0; c < DR_BLOCK_NODES && known; c++) {
        if (to[c] == UNKNOWN) to[c] = inside ? -DR_PLIC_REACH : DR_PLIC_REACH;
    }
    return true;
}

// Where the first pass finds nothing to do, no other does, and both arrays hold the same. Nobody reads sides yet.
static void meet_block(const job *what, size_t block)
{
    const float *from = what->from + block * DR_BLOCK_NODES, *open = what->moments + 4 * block * DR_BLOCK_NODES;
    float *to = what->to + block * DR_BLOCK_NODES, *planes = what->surface->plane + 4 * block * DR_BLOCK_NODES;
    around all;
    bool any = false;
    if (what->pass > 0 && !what->surface->sides[block]) return;
    for (int c = 0; c < DR_BLOCK_NODES; c++)
        any |= (from[c] == UNKNOWN) | ((what->pass < 2) & (open[4 * c] < DR_LEVEL_SET_OPEN));
    memcpy(to, from, DR_BLOCK_NODES * sizeof *to);
    if (what->pass == 0) what->surface->sides[block] = any;
    if (!any) return;
    for (int c = 0; c < DR_BLOCK_NODES && what->pass == 0; c++) planes[4 * c] = NAN;
    dr_halo_load(what->grid, block, what->from, UNKNOWN, all.distance);
    if (is_far(all.distance, to)) return;
    dr_halo_load_fours(what->grid, block, what->moments, 0.0F, all.moments);
    dr_halo_load(what->grid, block, what->surface->fraction, DR_LEVEL_SET_NOTHING, all.fraction);
    all.grain = what->surface->grain;
    all.stood = false;
    queue waiting[2] = {{.fitted = false}, {.fitted = true}};
    ranges range;
    bool first = what->pass == 0, weighed = false;
    find_ranges(&all, &range);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (from[c] != UNKNOWN && (what->pass > 1 || open[4 * c] >= DR_LEVEL_SET_OPEN)) continue;
        if (is_settled(&all, &range, c, first, &to[c])) continue;
        if (!weighed) weigh_kernels(&all);
        weighed = true;
        queue *line = &waiting[!isnan(planes[4 * c])];
        enqueue(line, &range, c);
        if (line->count == LANES) serve(&all, line, first, planes, to);
    }
    for (int i = 0; i < 2; i++) serve(&all, &waiting[i], first, planes, to);
}

static void meet_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) meet_block(user, b);
}

void dr_level_set_meet_solids(dr_level_set *surface, const dr_grid *grid, const dr_par *par, const float *moments)
{
    for (int i = 0; i < PASSES; i++) {
        job what = {surface,
                    grid,
                    moments,
                    i % 2 ? surface->spare : surface->distance,
                    i % 2 ? surface->distance : surface->spare,
                    i};
        dr_par_for(par, grid->block_count, 32, meet_blocks, &what);
    }
}
