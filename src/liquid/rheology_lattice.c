// The law of thick liquids at the lattice points of the grid: a cell's lower x, y, z edges and its middle. There the
// velocity gradient is what the viscous operator makes of it, and strain the mean of the particles around.
// docs/theory/rheology.md, eq. (19)-(20).
#include "liquid/rheology_solve.h"

#include "grid/halo.h"

#include <math.h>

enum { CELLS = DR_BLOCK_NODES, MIDDLE = 3, POINTS = 4 };

typedef struct lattice_job {
    dr_thick *thick;
    const dr_thick_matter *matter;
    double dt;
    const float *level;
    bool stored;
} lattice_job;

// What a block sees; [item][4].
typedef struct around {
    float edge[4 * DR_HALO_ITEMS], middle[4 * DR_HALO_ITEMS], weight[4 * DR_HALO_ITEMS], open[4 * DR_HALO_ITEMS];
    float slope[2][4 * DR_HALO_ITEMS];
    float level[DR_HALO_ITEMS];
    float cell;
} around;

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

// Means of two fields over the points of kind t around, as far as they count; lane: of what is read.
static void mean_of(const around *near, const int *list, int count, int t, const float *field[], const int lane[],
                    const float *counts, int fields, double *out)
{
    double sum = 0.0;
    for (int f = 0; f < fields; f++) out[f] = 0.0;
    (void)near;
    for (int k = 0; k < count; k++) {
        if (!(counts[4 * list[k] + t] > 0.0F)) continue;
        sum += 1.0;
        for (int f = 0; f < fields; f++) out[f] += (double)field[f][4 * list[k] + lane[f]];
    }
    for (int f = 0; f < fields && sum > 0.0; f++) out[f] /= sum;
}

// Strain and gradient of a lattice point, whole: its own numbers, and means of those of other kinds around it.
static void gather_point(const around *near, int here, int s, double b[DR_SYMMETRIC], double g[9])
{
    static const int shear[3] = {4, 2, 1}, high[3] = {5, 6, 1}, low[3] = {7, 2, 3}; // of b; of the two slopes in g
    int list[4];
    for (int t = 0; t < 3; t++) {
        int count = list_points(here, s, t, list);
        double strain, slope[2];
        mean_of(near, list, count, t, (const float *[]){near->edge}, (const int[]){t}, near->weight, 1, &strain);
        mean_of(near, list, count, t, (const float *[]){near->slope[0], near->slope[1]}, (const int[]){t, t},
                near->open, 2, slope);
        b[shear[t]] = strain;
        g[high[t]] = slope[0];
        g[low[t]] = slope[1];
    }
    double normal[3], diagonal[2];
    int count = list_points(here, s, MIDDLE, list);
    mean_of(near, list, count, MIDDLE, (const float *[]){near->edge, near->middle, near->middle},
            (const int[]){MIDDLE, 0, 1}, near->weight, 3, normal);
    mean_of(near, list, count, MIDDLE, (const float *[]){near->slope[0], near->slope[1]}, (const int[]){MIDDLE, MIDDLE},
            near->open, 2, diagonal);
    double third = (diagonal[0] + diagonal[1]) / 3.0;
    b[0] = normal[0];
    b[3] = normal[1];
    b[5] = normal[2];
    g[0] = diagonal[0] - third;
    g[4] = diagonal[1] - third;
    g[8] = -third;
}

// No stress is borne at the surface, and what particles tell of it there is that of the liquid below: from half a cell
// on it is all there, eq. (19).
static double submerged(const around *near, int here, int s)
{
    int list[4], count = list_points(here, s, MIDDLE, list);
    float sum = 0.0F;
    for (int k = 0; k < count; k++) sum += near->level[list[k]];
    float depth = -2.0F * sum / ((float)count * near->cell);
    return (double)fminf(fmaxf(depth, 0.0F), 1.0F);
}

// The law of a lattice point: that of its cell where it has one, else of one around.
static dr_rheology law_at(const lattice_job *job, size_t block, int c, int s)
{
    const dr_thick_matter *matter = job->matter;
    if (!matter->several) return *matter->law;
    const dr_rheology *own = &job->thick->law[block * CELLS + (size_t)c];
    if (s == MIDDLE) return *own;
    dr_rheology sum = {0};
    double count = 0.0, all = 0.0;
    for (int k = 0; k < 4; k++) {
        int x[3] = {c >> 4, c >> 2 & 3, c & 3};
        x[(s + 1) % 3] -= k & 1;
        x[(s + 2) % 3] -= k >> 1;
        int64_t at = dr_halo_find(matter->grid, block, x[0], x[1], x[2]);
        if (at < 0 || !(job->thick->weight[4 * at + MIDDLE] > 0.0F)) continue;
        const dr_rheology *law = &job->thick->law[at];
        double share = law->shear_modulus > 0.0 ? (double)job->thick->share[at] : 0.0;
        sum.viscosity += law->viscosity;
        sum.shear_modulus += share * law->shear_modulus;
        sum.yield += share * law->yield;
        sum.consistency += share * law->consistency;
        sum.index += share * law->index;
        count += share;
        all += 1.0;
    }
    if (all > 0.0) sum.viscosity /= all;
    if (!(count > 0.0)) return (dr_rheology){.viscosity = sum.viscosity};
    sum.shear_modulus /= count;
    sum.yield /= count;
    sum.consistency /= count;
    sum.index /= count;
    return sum;
}

// What was foretold and did not come, squared, of one component.
static double miss(double before, double eta, double old_rate, double rate, double stress)
{
    double off = before + 2.0 * eta * (rate - old_rate) - stress;
    return off * off;
}

static void stress_point(const lattice_job *job, const around *near, size_t block, int c, int s)
{
    dr_thick *thick = job->thick;
    int here = dr_halo_place(c);
    float *stress = thick->stress + block * DR_SYMMETRIC * CELLS + c,
          *rates = thick->rate + block * DR_SYMMETRIC * CELLS + c;
    float *eta = thick->eta + (block * POINTS + (size_t)s) * CELLS + c;
    int first = s == MIDDLE ? 0 : 3 + s, count = s == MIDDLE ? 3 : 1;
    static const int component[6] = {0, 3, 5, 4, 2, 1}; // of planes
    dr_rheology_answer answer = {.viscosity = 0.0};
    double g[9], rate[DR_SYMMETRIC] = {0.0};
    if (near->weight[4 * here + s] > 0.0F) {
        dr_rheology law = law_at(job, block, c, s);
        dr_rheology_state state = {.b = {0.0}};
        gather_point(near, here, s, state.b, g);
        double depth = submerged(near, here, s);
        for (int i = 0; i < DR_SYMMETRIC; i++) state.b[i] *= depth;
        const double own[DR_SYMMETRIC] = {g[0], 0.5 * (g[1] + g[3]), 0.5 * (g[2] + g[6]),
                                          g[4], 0.5 * (g[5] + g[7]), g[8]};
        for (int i = 0; i < DR_SYMMETRIC; i++) rate[i] = own[i];
        if (law.shear_modulus > 0.0 && job->stored) {
            dr_rheology_stress(&law, state.b, answer.stress);
        } else if (law.shear_modulus > 0.0) {
            dr_rheology_step(&law, g, job->dt, &state, &answer);
        }
        double viscous = job->stored ? 0.0 : law.viscosity;
        answer.viscosity += viscous;
        for (int i = 0; i < DR_SYMMETRIC; i++) answer.stress[i] += 2.0 * viscous * rate[i];
        double size = 0.0;
        for (int i = 0; i < DR_SYMMETRIC; i++)
            size += (i == 0 || i == 3 || i == 5 ? 1.0 : 2.0) * answer.stress[i] * answer.stress[i];
        thick->all[block] += size + law.yield * law.yield;
        for (int k = first; k < first + count; k++)
            thick->off[block] +=
                (s == MIDDLE ? 1.0 : 2.0) * miss((double)stress[k * CELLS], (double)*eta, (double)rates[k * CELLS],
                                                 rate[component[k]], answer.stress[component[k]]);
    }
    for (int k = first; k < first + count; k++) {
        stress[k * CELLS] = (float)answer.stress[component[k]];
        rates[k * CELLS] = (float)rate[component[k]];
    }
    *eta = (float)answer.viscosity;
    if (s == MIDDLE) thick->thickness[block * CELLS + (size_t)c] = (float)answer.viscosity;
}

static void stress_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lattice_job *job = user;
    const dr_grid *grid = job->matter->grid;
    dr_thick *thick = job->thick;
    for (size_t b = begin; b < end; b++) {
        around near;
        dr_halo_load_fours(grid, b, thick->edge, 0.0F, near.edge);
        dr_halo_load_fours(grid, b, thick->middle, 0.0F, near.middle);
        dr_halo_load_fours(grid, b, thick->weight, 0.0F, near.weight);
        dr_halo_load_fours(grid, b, thick->open, 0.0F, near.open);
        dr_halo_load_fours(grid, b, thick->slope[0], 0.0F, near.slope[0]);
        dr_halo_load_fours(grid, b, thick->slope[1], 0.0F, near.slope[1]);
        near.cell = (float)grid->cell;
        dr_halo_load(grid, b, job->level, near.cell, near.level);
        thick->off[b] = thick->all[b] = 0.0;
        for (int i = 0; i < POINTS * CELLS; i++) stress_point(job, &near, b, i / POINTS, i % POINTS);
    }
}

double dr_thick_stress(dr_thick *thick, const dr_thick_matter *matter, const float *level, double dt, bool stored)
{
    lattice_job job = {thick, matter, dt, level, stored};
    size_t blocks = matter->grid->block_count;
    dr_par_for(matter->par, blocks, 4, stress_blocks, &job);
    double off = dr_par_sum(thick->off, blocks), all = dr_par_sum(thick->all, blocks);
    return all > 0.0 ? sqrt(off / all) : 0.0;
}
