// The law of thick liquids at the lattice points of the grid: a cell's lower x, y, z edges and its middle. There the
// velocity gradient is what the viscous operator makes of it, and strain the mean of the particles around.
// docs/theory/rheology.md, eq. (19)-(20).
#include "liquid/rheology_solve.h"

#include "grid/halo.h"
#include "liquid/rheology_lanes.h"

#include <math.h>

enum { CELLS = DR_BLOCK_NODES, MIDDLE = 3, POINTS = 4 };

typedef struct lattice_job {
    dr_thick *thick;
    const dr_thick_matter *matter;
    double dt;
    const float *level, *solid;
    bool stored;
} lattice_job;

enum { ITEMS = DR_HALO_ITEMS, ROWS = 16 };

// What a block sees, by kind of lattice point.
typedef struct around {
    float edge[POINTS][ITEMS], middle[2][ITEMS]; // elastic strain
    float weight[POINTS][ITEMS], open[POINTS][ITEMS], slope[2][POINTS][ITEMS];
    float level[ITEMS], solid[ITEMS]; // of middles; of corners
    float cell;
} around;

// Strain and gradient of the points of one kind, whole; depth: how much of the strain counts.
typedef struct kind_state {
    float b[DR_SYMMETRIC][CELLS], g[9][CELLS], depth[CELLS];
} kind_state;

// The lattice points of kind t around one of kind s: four, or itself.
static int list_points(int here, int s, int t, int list[4])
{
    if (s == t) {
        list[0] = here;
        return 1;
    }
    int one, two;
    if (s == MIDDLE) { // edges of a cell
        one = dr_halo_step[(t + 1) % 3];
        two = dr_halo_step[(t + 2) % 3];
    } else if (t == MIDDLE) { // cells around an edge
        one = -dr_halo_step[(s + 1) % 3];
        two = -dr_halo_step[(s + 2) % 3];
    } else { // edges of another axis
        one = dr_halo_step[s];
        two = -dr_halo_step[t];
    }
    list[0] = here;
    list[1] = here + one;
    list[2] = here + two;
    list[3] = here + one + two;
    return 4;
}

// Means of fields over a list of points, as far as they count, of the four cells from `here` on.
static void mean_of(const int *list, int count, const float *const field[], int fields, const float *counts,
                    dr_float4 *out)
{
    dr_float4 zero = dr_float4_all(0.0F), one = dr_float4_all(1.0F), total = zero;
    for (int f = 0; f < fields; f++) out[f] = zero;
    for (int k = 0; k < count; k++) {
        dr_int4 counted = dr_float4_load(counts + list[k]) > zero;
        total += dr_float4_select(counted, one, zero);
        for (int f = 0; f < fields; f++) out[f] += dr_float4_select(counted, dr_float4_load(field[f] + list[k]), zero);
    }
    dr_float4 per = one / dr_float4_select(total > zero, total, one);
    for (int f = 0; f < fields; f++) out[f] *= per;
}

// No stress is borne at the surface, and what particles tell of it there is that of the liquid below: from half a cell
// on it is all there. At a wall, where the stress is largest, it is there however thin the liquid is. eq. (19)
static void submerge_row(const around *near, int here, int s, float *depth)
{
    int list[4], count = list_points(here, s, MIDDLE, list);
    dr_float4 sum = dr_float4_all(0.0F), zero = sum, one = dr_float4_all(1.0F);
    for (int k = 0; k < count; k++) sum += dr_float4_load(near->level + list[k]);
    sum *= dr_float4_all(-2.0F / ((float)count * near->cell));
    sum = dr_float4_select(sum > zero, sum, zero);
    sum = dr_float4_select(sum < one, sum, one);
    if (s != MIDDLE) {
        dr_float4 wall = dr_float4_load(near->solid + here) + dr_float4_load(near->solid + here + dr_halo_step[s]);
        sum = dr_float4_select((wall < dr_float4_all(near->cell)) & (sum > zero), one, sum);
    }
    dr_float4_store(depth, sum);
}

// Strain and gradient of four lattice points: their own numbers, and means of those of other kinds around them.
static void gather_row(const around *near, int here, int s, int c, kind_state *to)
{
    static const int shear[3] = {4, 2, 1}, high[3] = {5, 6, 1}, low[3] = {7, 2, 3}; // of b; of the two slopes in g
    int list[4];
    dr_float4 strain[3], slope[2];
    for (int t = 0; t < 3; t++) {
        int count = list_points(here, s, t, list);
        mean_of(list, count, (const float *[]){near->edge[t]}, 1, near->weight[t], strain);
        mean_of(list, count, (const float *[]){near->slope[0][t], near->slope[1][t]}, 2, near->open[t], slope);
        dr_float4_store(to->b[shear[t]] + c, strain[0]);
        dr_float4_store(to->g[high[t]] + c, slope[0]);
        dr_float4_store(to->g[low[t]] + c, slope[1]);
    }
    int count = list_points(here, s, MIDDLE, list);
    mean_of(list, count, (const float *[]){near->edge[MIDDLE], near->middle[0], near->middle[1]}, 3,
            near->weight[MIDDLE], strain);
    mean_of(list, count, (const float *[]){near->slope[0][MIDDLE], near->slope[1][MIDDLE]}, 2, near->open[MIDDLE],
            slope);
    dr_float4 third = (slope[0] + slope[1]) * dr_float4_all(1.0F / 3.0F);
    dr_float4_store(to->b[0] + c, strain[0]);
    dr_float4_store(to->b[3] + c, strain[1]);
    dr_float4_store(to->b[5] + c, strain[2]);
    dr_float4_store(to->g[0] + c, slope[0] - third);
    dr_float4_store(to->g[4] + c, slope[1] - third);
    dr_float4_store(to->g[8] + c, -third);
    submerge_row(near, here, s, to->depth + c);
}

static void gather_kind(const around *near, int s, kind_state *to)
{
    for (int row = 0; row < ROWS; row++) gather_row(near, dr_halo_place(4 * row), s, 4 * row, to);
}

// The law of a lattice point where liquids differ: of those that are thick, by volume, and what share they have of it.
typedef struct local_law {
    dr_rheology law;
    double share;
} local_law;

static void add_law(local_law *sum, const dr_rheology *law, double share)
{
    sum->law.viscosity += law->viscosity;
    sum->law.shear_modulus += share * law->shear_modulus;
    sum->law.yield += share * law->yield;
    sum->law.consistency += share * law->consistency;
    sum->law.index += share * law->index;
    sum->share += share;
}

static local_law law_at(const lattice_job *job, size_t block, int c, int s)
{
    const dr_thick_matter *matter = job->matter;
    if (!matter->several) return (local_law){*matter->law, 1.0};
    local_law sum = {.law = {0}};
    double all = 0.0;
    for (int k = 0; k < (s == MIDDLE ? 1 : 4); k++) {
        int x[3] = {c >> 4, c >> 2 & 3, c & 3};
        x[(s + 1) % 3] -= s == MIDDLE ? 0 : k & 1;
        x[(s + 2) % 3] -= s == MIDDLE ? 0 : k >> 1;
        int64_t at = dr_halo_find(matter->grid, block, x[0], x[1], x[2]);
        if (at < 0 || !(job->thick->weight[4 * at + MIDDLE] > 0.0F)) continue;
        const dr_rheology *law = &job->thick->law[at];
        add_law(&sum, law, law->shear_modulus > 0.0 ? (double)job->thick->share[at] : 0.0);
        all += 1.0;
    }
    if (all > 0.0) sum.law.viscosity /= all;
    if (!(sum.share > 0.0)) return (local_law){.law = {.viscosity = sum.law.viscosity}};
    sum.law.shear_modulus /= sum.share;
    sum.law.yield /= sum.share;
    sum.law.consistency /= sum.share;
    sum.law.index /= sum.share;
    sum.share /= all;
    return sum;
}

// What was foretold and did not come, squared, of one component.
static double miss(double before, double eta, double old_rate, double rate, double stress)
{
    double off = before + 2.0 * eta * (rate - old_rate) - stress;
    return off * off;
}

// Some points of one kind that go through the law together.
typedef struct group {
    dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR];
    local_law law[DR_RHEOLOGY_POINTS];
    int cell[DR_RHEOLOGY_POINTS], count;
} group;

static double size_of(const double stress[DR_SYMMETRIC])
{
    double size = 0.0;
    for (int i = 0; i < DR_SYMMETRIC; i++) size += (i == 0 || i == 3 || i == 5 ? 1.0 : 2.0) * stress[i] * stress[i];
    return size;
}

static const int component[6] = {0, 3, 5, 4, 2, 1}; // of planes

// Writes a point's stress, and how far it is from what was foretold.
static void put_point(const lattice_job *job, size_t block, int s, int c, double yield,
                      const double stress[DR_SYMMETRIC], const double rate[DR_SYMMETRIC], double viscosity)
{
    dr_thick *thick = job->thick;
    float *planes = thick->stress + block * DR_SYMMETRIC * CELLS + c;
    float *rates = thick->rate + block * DR_SYMMETRIC * CELLS + c;
    float *eta = thick->eta + (block * POINTS + (size_t)s) * CELLS + c;
    int first = s == MIDDLE ? 0 : 3 + s, count = s == MIDDLE ? 3 : 1;
    thick->all[block] += size_of(stress) + yield * yield;
    for (int k = first; k < first + count; k++) {
        double now = stress[component[k]], slope = rate[component[k]];
        thick->off[block] += (s == MIDDLE ? 1.0 : 2.0) *
                             miss((double)planes[k * CELLS], (double)*eta, (double)rates[k * CELLS], slope, now);
        planes[k * CELLS] = (float)now;
        rates[k * CELLS] = (float)slope;
    }
    *eta = (float)viscosity;
    if (s == MIDDLE) thick->thickness[block * CELLS + (size_t)c] = (float)viscosity;
}

static void clear_point(const lattice_job *job, size_t block, int s, int c)
{
    dr_thick *thick = job->thick;
    int first = s == MIDDLE ? 0 : 3 + s, count = s == MIDDLE ? 3 : 1;
    for (int k = first; k < first + count; k++) {
        thick->stress[(block * DR_SYMMETRIC + (size_t)k) * CELLS + (size_t)c] = 0.0F;
        thick->rate[(block * DR_SYMMETRIC + (size_t)k) * CELLS + (size_t)c] = 0.0F;
    }
    thick->eta[(block * POINTS + (size_t)s) * CELLS + (size_t)c] = 0.0F;
    if (s == MIDDLE) thick->thickness[block * CELLS + (size_t)c] = 0.0F;
}

static void put_group(const lattice_job *job, size_t block, int s, group *of)
{
    dr_rheology_lanes_step(of->lanes, job->dt);
    for (int i = 0; i < of->count; i++) {
        const dr_rheology_lanes *lanes = &of->lanes[i / DR_LANES];
        int lane = i % DR_LANES;
        double stress[DR_SYMMETRIC], g[9], viscous = of->law[i].law.viscosity, share = of->law[i].share;
        for (int k = 0; k < 9; k++) g[k] = lanes->gradient[k][lane];
        const double rate[DR_SYMMETRIC] = {g[0], 0.5 * (g[1] + g[3]), 0.5 * (g[2] + g[6]),
                                           g[4], 0.5 * (g[5] + g[7]), g[8]};
        for (int k = 0; k < DR_SYMMETRIC; k++) stress[k] = share * lanes->stress[k][lane] + 2.0 * viscous * rate[k];
        put_point(job, block, s, of->cell[i], share * of->law[i].law.yield, stress, rate,
                  share * lanes->viscosity[lane] + viscous);
    }
    of->count = 0;
}

// Strain is a mean over all liquids, and thin ones have none: that of the thick ones is larger by their share, and they
// bear their share of the stress.
static void take_in(group *of, const kind_state *from, const local_law *law, int c)
{
    int i = of->count++, lane = i % DR_LANES;
    dr_rheology_lanes *lanes = &of->lanes[i / DR_LANES];
    of->law[i] = *law;
    of->cell[i] = c;
    dr_rheology_lanes_law(of->lanes, i, &law->law);
    double depth = law->share > 0.0 ? (double)from->depth[c] / law->share : 0.0;
    for (int k = 0; k < DR_SYMMETRIC; k++) lanes->b[k][lane] = depth * (double)from->b[k][c];
    for (int k = 0; k < 9; k++) lanes->gradient[k][lane] = (double)from->g[k][c];
}

// The stress as it is.
static void put_stored(const lattice_job *job, size_t block, int s, const kind_state *from, const local_law *law, int c)
{
    double b[DR_SYMMETRIC], stress[DR_SYMMETRIC];
    static const double still[DR_SYMMETRIC];
    for (int k = 0; k < DR_SYMMETRIC; k++) b[k] = (double)(from->depth[c] * from->b[k][c]);
    dr_rheology_stress(&law->law, b, stress);
    put_point(job, block, s, c, law->share * law->law.yield, stress, still, 0.0);
}

static void stress_kind(const lattice_job *job, const around *near, size_t block, int s)
{
    kind_state state;
    group of;
    of.count = 0;
    dr_rheology_lanes_clear(of.lanes);
    gather_kind(near, s, &state);
    for (int c = 0; c < CELLS; c++) {
        if (!(near->weight[s][dr_halo_place(c)] > 0.0F)) {
            clear_point(job, block, s, c);
            continue;
        }
        local_law law = law_at(job, block, c, s);
        if (job->stored) {
            put_stored(job, block, s, &state, &law, c);
        } else {
            take_in(&of, &state, &law, c);
        }
        if (of.count == DR_RHEOLOGY_POINTS) put_group(job, block, s, &of);
    }
    if (of.count > 0) put_group(job, block, s, &of);
}

static void load_kinds(const dr_grid *grid, size_t block, const float *field, int kinds, float (*to)[ITEMS])
{
    float halo[4 * ITEMS];
    dr_halo_load_fours(grid, block, field, 0.0F, halo);
    for (int k = 0; k < kinds; k++) {
        for (int i = 0; i < ITEMS; i++) to[k][i] = halo[4 * i + k];
    }
}

static void stress_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lattice_job *job = user;
    const dr_grid *grid = job->matter->grid;
    dr_thick *thick = job->thick;
    for (size_t b = begin; b < end; b++) {
        around near;
        load_kinds(grid, b, thick->edge, POINTS, near.edge);
        load_kinds(grid, b, thick->middle, 2, near.middle);
        load_kinds(grid, b, thick->weight, POINTS, near.weight);
        load_kinds(grid, b, thick->open, POINTS, near.open);
        for (int f = 0; f < 2; f++) load_kinds(grid, b, thick->slope[f], POINTS, near.slope[f]);
        near.cell = (float)grid->cell;
        dr_halo_load(grid, b, job->level, near.cell, near.level);
        for (int i = 0; i < ITEMS; i++) near.solid[i] = near.cell;
        if (job->solid) dr_halo_load(grid, b, job->solid, near.cell, near.solid);
        thick->off[b] = thick->all[b] = 0.0;
        for (int s = 0; s < POINTS; s++) stress_kind(job, &near, b, s);
    }
}

double dr_thick_stress(dr_thick *thick, const dr_thick_matter *matter, const float *level, const float *solid,
                       double dt, bool stored)
{
    lattice_job job = {thick, matter, dt, level, solid, stored};
    size_t blocks = matter->grid->block_count;
    dr_par_for(matter->par, blocks, 4, stress_blocks, &job);
    double off = dr_par_sum(thick->off, blocks), all = dr_par_sum(thick->all, blocks);
    return all > 0.0 ? sqrt(off / all) : 0.0;
}
