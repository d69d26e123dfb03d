// The law of thick liquids at the lattice points of the grid: a cell's lower x, y, z edges and its middle. There the
// velocity gradient is what the viscous operator makes of it, and strain the mean of the particles around.
// docs/theory/rheology.md, eq. (19)-(20).
#include "liquid/rheology_solve.h"

#include "grid/halo.h"
#include "liquid/rheology_lanes.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_BLOCK_NODES, MIDDLE = 3, POINTS = 4 };

typedef struct lattice_job {
    dr_thick *thick;
    const dr_thick_matter *matter;
    double dt;
    const float *level, *solid;
    bool stored;
} lattice_job;

enum { ITEMS = DR_HALO_ITEMS, ROWS = 16, FIRST = DR_HALO_ITEM(0, 0, 0), LAST = DR_HALO_ITEM(3, 3, 3) };

// ---- means over the lattice points of one kind around those of another

// Steps to the four points of kind t around one of kind s: 0, one, two, one + two.
static void find_steps(int s, int t, int *one, int *two)
{
    if (s == MIDDLE) { // edges of a cell
        *one = dr_halo_step[(t + 1) % 3];
        *two = dr_halo_step[(t + 2) % 3];
    } else if (t == MIDDLE) { // cells around an edge
        *one = -dr_halo_step[(s + 1) % 3];
        *two = -dr_halo_step[(s + 2) % 3];
    } else { // edges of another axis
        *one = dr_halo_step[s];
        *two = -dr_halo_step[t];
    }
}

// Sums over four points, of all places of a block.
static void sum_four(const float *restrict field, int one, int two, float *restrict to)
{
    float pair[ITEMS];
    int low = FIRST + (two < 0 ? two : 0), high = LAST + (two > 0 ? two : 0);
    for (int i = low; i <= high; i++) pair[i] = field[i] + field[i + one];
    for (int i = FIRST; i <= LAST; i++) to[i] = pair[i] + pair[i + two];
}

// The means of fields of kind t around points of kind s, over those that count: where they do not, fields are 0.
static void mean_of(int s, int t, const float *const field[], int fields, const float *counts, float (*out)[CELLS])
{
    float sum[ITEMS], per[CELLS];
    int one = 0, two = 0;
    if (s == t) {
        for (int i = 0; i < fields * ROWS; i++)
            memcpy(out[i / ROWS] + 4 * (i % ROWS), field[i / ROWS] + dr_halo_place(4 * (i % ROWS)), 4 * sizeof(float));
        return;
    }
    find_steps(s, t, &one, &two);
    sum_four(counts, one, two, sum);
    for (int row = 0; row < ROWS; row++) memcpy(per + 4 * row, sum + dr_halo_place(4 * row), 4 * sizeof(float));
    for (int c = 0; c < CELLS; c++) per[c] = 1.0F / (per[c] > 0.0F ? per[c] : 1.0F);
    for (int f = 0; f < fields; f++) {
        sum_four(field[f], one, two, sum);
        for (int row = 0; row < ROWS; row++)
            dr_float4_store(out[f] + 4 * row,
                            dr_float4_load(sum + dr_halo_place(4 * row)) * dr_float4_load(per + 4 * row));
    }
}

static void load_kinds(const dr_grid *grid, size_t block, const float *field, int kinds, float (*to)[ITEMS])
{
    float halo[4 * ITEMS];
    dr_halo_load_fours(grid, block, field, 0.0F, halo);
    for (int k = 0; k < kinds; k++) {
        for (int i = 0; i < ITEMS; i++) to[k][i] = halo[4 * i + k];
    }
}

// ---- elastic strain, once in a step

static const int shear_of[3] = {4, 2, 1}, normal_of[3] = {0, 3, 5}; // components of a symmetric matrix

// What a block sees of strain, by kind of lattice point.
typedef struct strained {
    float edge[POINTS][ITEMS], middle[2][ITEMS], counts[POINTS][ITEMS];
    float level[ITEMS], solid[ITEMS]; // of middles; of corners
    float cell;
} strained;

// No stress is borne at the surface, and what particles tell of it there is that of the liquid below: from half a cell
// on it is all there. At a wall, where the stress is largest, it is there however thin the liquid is. eq. (19)
static void submerge_kind(const strained *near, int s, float depth[CELLS])
{
    float sum[ITEMS];
    int one = 0, two = 0;
    if (s == MIDDLE) {
        memcpy(sum, near->level, sizeof sum);
    } else {
        find_steps(s, MIDDLE, &one, &two);
        sum_four(near->level, one, two, sum);
    }
    float per = -2.0F / ((s == MIDDLE ? 1.0F : 4.0F) * near->cell);
    for (int c = 0; c < CELLS; c++) {
        int here = dr_halo_place(c);
        float deep = dr_min_float(dr_max_float(per * sum[here], 0.0F), 1.0F);
        if (s != MIDDLE && deep > 0.0F && near->solid[here] + near->solid[here + dr_halo_step[s]] < near->cell)
            deep = 1.0F;
        depth[c] = deep;
    }
}

static void strain_kind(const strained *near, int s, float (*b)[CELLS])
{
    float depth[CELLS], normal[3][CELLS];
    for (int t = 0; t < 3; t++) mean_of(s, t, (const float *[]){near->edge[t]}, 1, near->counts[t], b + shear_of[t]);
    mean_of(s, MIDDLE, (const float *[]){near->edge[MIDDLE], near->middle[0], near->middle[1]}, 3, near->counts[MIDDLE],
            normal);
    submerge_kind(near, s, depth);
    for (int t = 0; t < 3; t++) {
        for (int c = 0; c < CELLS; c++) {
            b[normal_of[t]][c] = depth[c] * normal[t][c];
            b[shear_of[t]][c] *= depth[c];
        }
    }
}

static void strain_block(const lattice_job *job, size_t block)
{
    const dr_grid *grid = job->matter->grid;
    const dr_thick *thick = job->thick;
    strained near = {.cell = (float)grid->cell};
    load_kinds(grid, block, thick->edge, POINTS, near.edge);
    load_kinds(grid, block, thick->middle, 2, near.middle);
    load_kinds(grid, block, thick->weight, POINTS, near.counts);
    for (int t = 0; t < POINTS; t++) {
        for (int i = 0; i < ITEMS; i++) near.counts[t][i] = near.counts[t][i] > 0.0F ? 1.0F : 0.0F;
    }
    dr_halo_load(grid, block, job->level, near.cell, near.level);
    for (int i = 0; i < ITEMS; i++) near.solid[i] = near.cell;
    if (job->solid) dr_halo_load(grid, block, job->solid, near.cell, near.solid);
    for (size_t s = 0; s < POINTS; s++)
        strain_kind(&near, (int)s, (float(*)[CELLS])(thick->elastic + (block * POINTS + s) * DR_SYMMETRIC * CELLS));
}

// ---- gradients

// What a block sees of the velocity's slopes.
typedef struct sloping {
    float open[POINTS][ITEMS], slope[2][POINTS][ITEMS];
} sloping;

static void load_slopes(const lattice_job *job, size_t block, sloping *near)
{
    const dr_grid *grid = job->matter->grid;
    load_kinds(grid, block, job->thick->open, POINTS, near->open);
    for (int f = 0; f < 2; f++) load_kinds(grid, block, job->thick->slope[f], POINTS, near->slope[f]);
}

static void slope_kind(const sloping *near, int s, float (*g)[CELLS])
{
    static const int high[3] = {5, 6, 1}, low[3] = {7, 2, 3}; // of the two slopes in g
    float slope[2][CELLS];
    for (int t = 0; t < 3; t++) {
        mean_of(s, t, (const float *[]){near->slope[0][t], near->slope[1][t]}, 2, near->open[t], slope);
        memcpy(g[high[t]], slope[0], sizeof slope[0]);
        memcpy(g[low[t]], slope[1], sizeof slope[1]);
    }
    mean_of(s, MIDDLE, (const float *[]){near->slope[0][MIDDLE], near->slope[1][MIDDLE]}, 2, near->open[MIDDLE], slope);
    for (int c = 0; c < CELLS; c++) {
        float third = (slope[0][c] + slope[1][c]) * (1.0F / 3.0F);
        g[0][c] = slope[0][c] - third;
        g[4][c] = slope[1][c] - third;
        g[8][c] = -third;
    }
}

// ---- laws

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

// Laws of the points that go together.
typedef struct group_law {
    dr_lanes share, per_share, yield, viscosity;
} group_law;

static void set_law(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR], group_law of[DR_RHEOLOGY_PAIR], int point,
                    const local_law *law)
{
    int h = point / DR_LANES, lane = point % DR_LANES;
    dr_rheology_lanes_law(lanes, point, &law->law);
    of[h].share[lane] = law->share;
    of[h].per_share[lane] = law->share > 0.0 ? 1.0 / law->share : 0.0;
    of[h].yield[lane] = law->share * law->law.yield;
    of[h].viscosity[lane] = law->law.viscosity;
}

// ---- stress

static const int component[6] = {0, 3, 5, 4, 2, 1}; // of planes

// The planes of the points of one kind in a block.
typedef struct kind_planes {
    float *stress[3], *rate[3], *eta; // three of middles, one of edges
    int first, count;
} kind_planes;

static kind_planes find_planes(const lattice_job *job, size_t block, int s)
{
    const dr_thick *thick = job->thick;
    kind_planes of = {.eta = thick->eta + (block * POINTS + (size_t)s) * CELLS,
                      .first = s == MIDDLE ? 0 : 3 + s,
                      .count = s == MIDDLE ? 3 : 1};
    for (int k = 0; k < of.count; k++) {
        of.stress[k] = thick->stress + (block * DR_SYMMETRIC + (size_t)(of.first + k)) * CELLS;
        of.rate[k] = thick->rate + (block * DR_SYMMETRIC + (size_t)(of.first + k)) * CELLS;
    }
    return of;
}

// What was not foretold, and the stress, squared.
typedef struct sums {
    dr_lanes off, all;
} sums;

static dr_lanes size_of(const dr_lanes stress[DR_SYMMETRIC])
{
    return stress[0] * stress[0] + stress[3] * stress[3] + stress[5] * stress[5] +
           dr_lanes_all(2.0) * (stress[1] * stress[1] + stress[2] * stress[2] + stress[4] * stress[4]);
}

// Writes the stress of some points, and adds how far it is from what was foretold.
static void put_lanes(const kind_planes *to, int c, const dr_rheology_lanes *lanes, const group_law *law,
                      dr_lanes_mask bears, sums *sum)
{
    const dr_lanes *g = lanes->gradient;
    dr_lanes half = dr_lanes_all(0.5), two = dr_lanes_all(2.0), zero = dr_lanes_all(0.0), stress[DR_SYMMETRIC];
    const dr_lanes rate[DR_SYMMETRIC] = {g[0], half * (g[1] + g[3]), half * (g[2] + g[6]),
                                         g[4], half * (g[5] + g[7]), g[8]};
    for (int k = 0; k < DR_SYMMETRIC; k++) stress[k] = law->share * lanes->stress[k] + two * law->viscosity * rate[k];
    sum->all += dr_lanes_select(bears, size_of(stress) + law->yield * law->yield, zero);
    dr_lanes eta = dr_lanes_widen(to->eta + c), weight = dr_lanes_all(to->count == 1 ? 2.0 : 1.0);
    for (int k = 0; k < to->count; k++) {
        int i = component[to->first + k];
        dr_lanes foretold = dr_lanes_widen(to->stress[k] + c) + two * eta * (rate[i] - dr_lanes_widen(to->rate[k] + c));
        dr_lanes off = foretold - stress[i];
        sum->off += dr_lanes_select(bears, weight * off * off, zero);
        dr_lanes_narrow(to->stress[k] + c, dr_lanes_select(bears, stress[i], zero));
        dr_lanes_narrow(to->rate[k] + c, dr_lanes_select(bears, rate[i], zero));
    }
    dr_lanes_narrow(to->eta + c, dr_lanes_select(bears, law->share * lanes->viscosity + law->viscosity, zero));
}

// Points of one kind with their laws.
typedef struct kind_job {
    const lattice_job *job;
    size_t block;
    int kind;
    const float *weight;                       // [cell] of the kind
    const float (*b)[CELLS], (*g)[CELLS];      // strain and gradient
    dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR]; // with the one law, where there is one
    group_law law[DR_RHEOLOGY_PAIR];
} kind_job;

// Strain is a mean over all liquids, and thin ones have none: that of the thick ones is larger by their share, and they
// bear their share of the stress.
static void step_group(kind_job *of, int c, const kind_planes *to, sums *sum)
{
    dr_lanes zero = dr_lanes_all(0.0);
    for (int i = 0; i < DR_RHEOLOGY_POINTS && of->job->matter->several; i++) {
        local_law law = {.law = {0}};
        if (of->weight[c + i] > 0.0F) law = law_at(of->job, of->block, c + i, of->kind);
        set_law(of->lanes, of->law, i, &law);
    }
    for (int h = 0; h < DR_RHEOLOGY_PAIR; h++) {
        for (int k = 0; k < DR_SYMMETRIC; k++)
            of->lanes[h].b[k] = of->law[h].per_share * dr_lanes_widen(of->b[k] + c + h * DR_LANES);
        for (int k = 0; k < 9; k++) of->lanes[h].gradient[k] = dr_lanes_widen(of->g[k] + c + h * DR_LANES);
    }
    dr_rheology_lanes_step(of->lanes, of->job->dt);
    for (int h = 0; h < DR_RHEOLOGY_PAIR; h++) {
        int first = c + h * DR_LANES;
        dr_lanes_mask bears = (dr_lanes_mask)(dr_lanes_widen(of->weight + first) > zero);
        put_lanes(to, first, &of->lanes[h], &of->law[h], bears, sum);
    }
}

// The stress as it is: that of the mean strain.
static void put_stored(const kind_job *of, int c, const kind_planes *to)
{
    for (int i = c; i < c + DR_RHEOLOGY_POINTS; i++) {
        double b[DR_SYMMETRIC], stress[DR_SYMMETRIC] = {0.0};
        for (int k = 0; k < DR_SYMMETRIC; k++) b[k] = (double)of->b[k][i];
        if (of->weight[i] > 0.0F) {
            local_law law = law_at(of->job, of->block, i, of->kind);
            dr_rheology_stress(&law.law, b, stress);
        }
        for (int k = 0; k < to->count; k++) {
            to->stress[k][i] = (float)stress[component[to->first + k]];
            to->rate[k][i] = 0.0F;
        }
        to->eta[i] = 0.0F;
    }
}

static void clear_group(int c, const kind_planes *to)
{
    for (int k = 0; k < to->count; k++) {
        memset(to->stress[k] + c, 0, DR_RHEOLOGY_POINTS * sizeof(float));
        memset(to->rate[k] + c, 0, DR_RHEOLOGY_POINTS * sizeof(float));
    }
    memset(to->eta + c, 0, DR_RHEOLOGY_POINTS * sizeof(float));
}

static bool any_bears(const float *weight)
{
    float most = 0.0F;
    for (int i = 0; i < DR_RHEOLOGY_POINTS; i++) most = weight[i] > most ? weight[i] : most;
    return most > 0.0F;
}

static void stress_kind(kind_job *of, sums *sum)
{
    kind_planes to = find_planes(of->job, of->block, of->kind);
    for (int c = 0; c < CELLS; c += DR_RHEOLOGY_POINTS) {
        if (!any_bears(of->weight + c)) {
            clear_group(c, &to);
        } else if (of->job->stored) {
            put_stored(of, c, &to);
        } else {
            step_group(of, c, &to, sum);
        }
    }
}

static void clear_block(dr_thick *thick, size_t block)
{
    memset(thick->stress + block * DR_SYMMETRIC * CELLS, 0, DR_SYMMETRIC * CELLS * sizeof(float));
    memset(thick->rate + block * DR_SYMMETRIC * CELLS, 0, DR_SYMMETRIC * CELLS * sizeof(float));
    memset(thick->eta + block * POINTS * CELLS, 0, POINTS * CELLS * sizeof(float));
    memset(thick->thickness + block * CELLS, 0, CELLS * sizeof(float));
    thick->off[block] = thick->all[block] = 0.0;
}

// Volumes of a block's own lattice points, by kind; whether there are any.
static bool load_weights(const dr_thick *thick, size_t block, float weight[POINTS][CELLS])
{
    const float *from = thick->weight + 4 * block * CELLS;
    float most = 0.0F;
    for (int i = 0; i < POINTS * CELLS; i++) most = from[i] > most ? from[i] : most;
    for (int s = 0; s < POINTS; s++) {
        for (int c = 0; c < CELLS; c++) weight[s][c] = from[4 * c + s];
    }
    return most > 0.0F;
}

static void stress_block(const lattice_job *job, size_t block, kind_job *of)
{
    dr_thick *thick = job->thick;
    float weight[POINTS][CELLS], g[9][CELLS];
    sloping near;
    sums sum = {dr_lanes_all(0.0), dr_lanes_all(0.0)};
    if (!load_weights(thick, block, weight)) {
        clear_block(thick, block);
        return;
    }
    if (job->stored) {
        strain_block(job, block);
    } else {
        load_slopes(job, block, &near);
    }
    of->block = block;
    of->g = (const float(*)[CELLS])g;
    for (int s = 0; s < POINTS; s++) {
        of->kind = s;
        of->weight = weight[s];
        of->b = (const float(*)[CELLS])(thick->elastic + (block * POINTS + (size_t)s) * DR_SYMMETRIC * CELLS);
        if (!job->stored) slope_kind(&near, s, g);
        stress_kind(of, &sum);
    }
    memcpy(thick->thickness + block * CELLS, thick->eta + (block * POINTS + MIDDLE) * CELLS, CELLS * sizeof(float));
    thick->off[block] = dr_lanes_total(sum.off);
    thick->all[block] = dr_lanes_total(sum.all);
}

static void stress_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lattice_job *job = user;
    kind_job of = {.job = job};
    dr_rheology_lanes_clear(of.lanes);
    for (int i = 0; i < DR_RHEOLOGY_POINTS && !job->matter->several; i++)
        set_law(of.lanes, of.law, i, &(local_law){*job->matter->law, 1.0});
    for (size_t b = begin; b < end; b++) stress_block(job, b, &of);
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
