// The coefficients of the viscous operator: what is liquid, what is solid, and what solids force.
// docs/theory/viscosity.md, eq. (4)-(9) and (14).
#include "geom/cut.h"
#include "grid/halo.h"
#include "liquid/tuning.h"
#include "liquid/strain_parts.h"
#include "liquid/viscosity_mass.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

enum { CELL_PART = 0, EDGE_PART = 1, PARTS = 4 }; // liquid parts, kept where stresses will be
enum { ITEMS = DR_HALO_ITEMS };                   // one layer around cells and faces;
enum { CORNER_SIDE = 7 };                         // corners have one more above

#define FAR        2.0F // cells: level where there is no block
#define CERTAIN    2.5F // cells: level from which on cubes around are all liquid, or none
#define SOLID_MASS -1.0F

// ---- fractions

// Value and gradient of a field half a step below `item` along the axes of `halves` (bits), from the points around.
DR_INLINE void sample(const float *field, const int step[3], int item, int halves, double *value, double gradient[3])
{
    double low[3] = {0}, high[3] = {0}, sum = 0.0;
    int count = 0;
    for (int corner = 0; corner < 8; corner++) {
        if (corner & ~halves) continue;
        int at = item;
        for (int a = 0; a < 3; a++) at -= corner >> a & 1 ? step[a] : 0;
        sum += (double)field[at];
        count++;
        for (int a = 0; a < 3; a++) {
            if (halves >> a & 1) {
                *(corner >> a & 1 ? &low[a] : &high[a]) += 2.0 * (double)field[at];
            } else {
                low[a] += 0.5 * (double)field[at - step[a]];
                high[a] += 0.5 * (double)field[at + step[a]];
            }
        }
    }
    *value = sum / count;
    for (int a = 0; a < 3; a++) gradient[a] = (high[a] - low[a]) / count;
}

// ---- assembly of one block

typedef struct assembly {
    dr_strain *strain;
    const dr_strain_problem *problem;
    const dr_grid *grid;
    bool unit; // of a viscosity of 1, without what solids and stress add
} assembly;

// What a block sees of itself and its neighbours; lengths in cells.
typedef struct surroundings {
    const dr_strain_problem *problem;
    double cell;
    bool full, walled, unit;
    double eta[5];       // of one liquid: means over so many cells, 0 over none that are liquid,
    double root[5];      // and the roots of their weights,
    double normal;       // and that of a cell
    const float *stress; // of the block; NULL: none
    const float *edge;   // viscosity of its edges; NULL: means of cells
    float level[ITEMS], viscosity[ITEMS], density[ITEMS];
    float corner[CORNER_SIDE * CORNER_SIDE * CORNER_SIDE];
    float wall[FACES][ITEMS];  // distance of solids from the faces' centres
    float speed[FACES][ITEMS]; // of solids
    float no_slip[FACES][ITEMS];
} surroundings;

static const int corner_step[3] = {CORNER_SIDE * CORNER_SIDE, CORNER_SIDE, 1};

static int corner_place(int c)
{
    return ((c >> 4) + 1) * corner_step[0] + ((c >> 2 & 3) + 1) * corner_step[1] + (c & 3) + 1;
}

static void load_cells(const dr_grid *grid, size_t block, const float *field, double uniform, float *window)
{
    if (field) {
        dr_halo_load(grid, block, field, 0.0F, window);
    } else {
        for (int i = 0; i < ITEMS; i++) window[i] = (float)uniform;
    }
}

// Distance of solids from a face: the mean of its four corners.
static void find_walls(surroundings *s)
{
    for (int a = 0; a < FACES; a++) {
        int u = corner_step[(a + 1) % 3], v = corner_step[(a + 2) % 3];
        for (int row = 0; row < DR_HALO_SIDE * DR_HALO_SIDE; row++) {
            const float *at = s->corner + row / DR_HALO_SIDE * corner_step[0] + row % DR_HALO_SIDE * corner_step[1];
            float *wall = &s->wall[a][row * DR_HALO_SIDE];
            for (int z = 0; z < DR_HALO_SIDE; z++) wall[z] = 0.25F * (at[z] + at[u + z] + at[v + z] + at[u + v + z]);
        }
    }
}

static void load_solids(surroundings *s, const dr_grid *grid, size_t block)
{
    const dr_strain_problem *problem = s->problem;
    dr_halo_load_wide(grid, block, problem->solid, 1, 2, (float)(FAR * s->cell), s->corner);
    int close = 0;
    float cell = (float)s->cell;
    for (int i = 0; i < CORNER_SIDE * CORNER_SIDE * CORNER_SIDE; i++) {
        s->corner[i] /= cell;
        close |= s->corner[i] < 1.0F;
    }
    s->walled = close != 0;
    if (!s->walled) return;
    find_walls(s);
    for (int a = 0; a < FACES; a++) {
        for (int i = 0; i < ITEMS; i++) s->speed[a][i] = 0.0F, s->no_slip[a][i] = 1.0F;
        if (problem->solid_velocity) dr_halo_load_lane(grid, block, problem->solid_velocity + a, 0.0F, s->speed[a]);
        for (int i = 0; i < ITEMS && problem->slips; i++) s->no_slip[a][i] = 0.0F;
        if (problem->no_slip) dr_halo_load_lane(grid, block, problem->no_slip + a, 1.0F, s->no_slip[a]);
    }
}

static double root_weight(const surroundings *s, double eta, double part)
{
    return sqrt(s->problem->dt * eta * part) / s->cell;
}

// Harmonic means, summed up as those of cells that differ.
static void find_means(surroundings *s, double eta)
{
    double sum = 0.0;
    for (int found = 1; found <= 4; found++) {
        sum += 1.0 / eta;
        s->eta[found] = eta > 0.0 ? found / sum : 0.0;
    }
    s->eta[0] = s->eta[4];
    for (int found = 0; found <= 4; found++) s->root[found] = root_weight(s, s->eta[found], 1.0);
    s->normal = root_weight(s, eta, 1.0);
}

// False where no liquid is near.
static bool look_around(surroundings *s, const dr_strain_problem *problem, const dr_grid *grid, size_t block)
{
    s->problem = problem;
    s->cell = grid->cell;
    s->stress = problem->stress ? problem->stress + block * STRAINS * CELLS : NULL;
    s->edge = problem->edge_viscosity ? problem->edge_viscosity + block * 4 * CELLS : NULL;
    dr_halo_load(grid, block, problem->level, (float)(FAR * s->cell), s->level);
    int wet = 0, deep = 1;
    float cell = (float)s->cell;
    for (int i = 0; i < ITEMS; i++) {
        s->level[i] /= cell;
        wet |= s->level[i] <= 1.0F;
        deep &= s->level[i] < -1.0F;
    }
    if (!wet) return false;
    s->full = deep != 0;
    load_cells(grid, block, problem->viscosity, problem->uniform_viscosity, s->viscosity);
    find_means(s, (double)(float)problem->uniform_viscosity);
    load_cells(grid, block, problem->density, problem->uniform_density, s->density);
    s->walled = false;
    if (problem->solid) load_solids(s, grid, block);
    return true;
}

// Part of the cube half a step below cell c along the axes of `halves` that the level says is liquid,
DR_INLINE double liquid_part(const surroundings *s, int c, int halves)
{
    float level = s->level[dr_halo_place(c)];
    if (s->full || level < -CERTAIN) return 1.0;
    if (level > CERTAIN) return 0.0;
    double value, gradient[3];
    sample(s->level, dr_halo_step, dr_halo_place(c), halves, &value, gradient);
    return dr_cut_cube(value, gradient);
}

// and that is not solid.
DR_INLINE double open_part(const surroundings *s, int c, int halves)
{
    if (!s->walled) return 1.0;
    double value, gradient[3];
    int at = corner_place(c), other = 7 & ~halves;
    for (int a = 0; a < 3; a++) at += other >> a & 1 ? corner_step[a] : 0;
    sample(s->corner, corner_step, at, other, &value, gradient);
    return 1.0 - dr_cut_cube(value, gradient);
}

// Density half a cell below along an axis: the mean of what is liquid.
static double face_density(const surroundings *s, int at, int axis)
{
    int below = at - dr_halo_step[axis];
    bool here = s->level[at] < 0.0F, there = s->level[below] < 0.0F;
    double density = (double)s->density[here ? at : below];
    if (here == there) density = 0.5 * ((double)s->density[at] + (double)s->density[below]);
    return density > 0.0 ? density : s->problem->uniform_density;
}

// Harmonic mean over the liquid cells of a list; where none is liquid, over those that have a viscosity.
static double mean_viscosity(const float *level, const float *viscosity, const int *list, int count)
{
    for (int round = 0; round < 2; round++) {
        double sum = 0.0;
        int found = 0;
        for (int i = 0; i < count; i++) {
            double eta = (double)viscosity[list[i]];
            if (round == 0 ? level[list[i]] >= 0.0F : !(eta > 0.0)) continue;
            if (!(eta > 0.0)) return 0.0;
            sum += 1.0 / eta;
            found++;
        }
        if (found > 0) return found / sum;
    }
    return 0.0;
}

double dr_strain_cell_viscosity(const float *level, const float *viscosity, int at)
{
    if (level[at] < 0.0F || viscosity[at] > 0.0F) return (double)viscosity[at];
    const int list[6] = {
        at - dr_halo_step[0], at + dr_halo_step[0], at - dr_halo_step[1], at + dr_halo_step[1], at - 1, at + 1};
    return mean_viscosity(level, viscosity, list, 6);
}

double dr_strain_edge_viscosity(const float *level, const float *viscosity, int at, int axis)
{
    int b = dr_halo_step[(axis + 1) % 3], e = dr_halo_step[(axis + 2) % 3];
    const int list[4] = {at, at - b, at - e, at - b - e};
    return mean_viscosity(level, viscosity, list, 4);
}

// And the root of its weight.
static double edge_viscosity(const surroundings *s, int c, int axis, double *root)
{
    int at = dr_halo_place(c), b = dr_halo_step[(axis + 1) % 3], e = dr_halo_step[(axis + 2) % 3];
    if (s->unit || s->edge || s->problem->viscosity) {
        double eta = s->unit   ? 1.0
                     : s->edge ? (double)s->edge[axis * CELLS + c]
                               : dr_strain_edge_viscosity(s->level, s->viscosity, at, axis);
        *root = root_weight(s, eta, 1.0);
        return eta;
    }
    const float *level = s->level + at;
    int found = (level[0] < 0.0F) + (level[-b] < 0.0F) + (level[-e] < 0.0F) + (level[-b - e] < 0.0F);
    *root = s->root[found];
    return s->eta[found];
}

// The difference of two faces' velocities, as the unknowns and the solids share it, eq. (8)-(9).
typedef struct difference {
    double scale, known, weight;
} difference;

static difference cut(const surroundings *s, int axis, int high, int low)
{
    difference d = {1.0, 0.0, 1.0};
    if (!s->walled) return d;
    double wall_high = (double)s->wall[axis][high], wall_low = (double)s->wall[axis][low];
    double speed_high = (double)s->speed[axis][high], speed_low = (double)s->speed[axis][low];
    if (wall_high > 0.0 && wall_low > 0.0) return d;
    if (wall_high <= 0.0 && wall_low <= 0.0) {
        d.known = speed_high - speed_low;
        return d;
    }
    bool above = wall_high <= 0.0; // the solid is
    double theta = above ? wall_low / (wall_low - wall_high) : wall_high / (wall_high - wall_low);
    theta = fmax(theta, DR_LIQUID_LEAST_CUT);
    d.scale = 1.0 / theta;
    d.known = above ? d.scale * (speed_low + theta * (speed_high - speed_low))
                    : -d.scale * (speed_high + theta * (speed_low - speed_high));
    d.weight = (double)s->no_slip[axis][above ? high : low] / d.scale;
    return d;
}

// Of a part that is all or nothing no root is taken.
static double weigh(const surroundings *s, double eta, double part, double root)
{
    return part == 1.0 ? root : part == 0.0 ? 0.0 : root_weight(s, eta, part);
}

// The difference of velocities over a cell that would have the given stress.
static double given_strain(const surroundings *s, int strain, int c, double eta)
{
    return s->stress && eta > 0.0 ? s->cell * (double)s->stress[strain * CELLS + c] / eta : 0.0;
}

// Whether one of the two faces of a cell along an axis is in a solid that stands, with its surface parallel to it.
static bool is_wall_across(const surroundings *s, int c, int axis)
{
    int at = dr_halo_place(c), up = at + dr_halo_step[axis];
    float low = s->wall[axis][at], high = s->wall[axis][up], depth = dr_min_float(low, high);
    if ((low > 0.0F) == (high > 0.0F) || s->speed[axis][at] != 0.0F || s->speed[axis][up] != 0.0F) return false;
    const float *corner = s->corner + corner_place(c) + (high < low ? corner_step[axis] : 0);
    float apart = fabsf(corner[0] - depth) + fabsf(corner[corner_step[(axis + 1) % 3]] - depth) +
                  fabsf(corner[corner_step[(axis + 2) % 3]] - depth);
    return apart < (float)DR_LIQUID_SNAP;
}

static void assemble_normal(const surroundings *s, int c, int axis, float *coefficient, float *known)
{
    int at = dr_halo_place(c);
    difference d = cut(s, axis, at + dr_halo_step[axis], at);
    if (d.weight != 1.0 && is_wall_across(s, c, axis)) d.weight = 1.0 / d.scale;
    double eta = s->unit ? 1.0 : dr_strain_cell_viscosity(s->level, s->viscosity, at);
    double root = s->unit || s->problem->viscosity ? root_weight(s, eta, 1.0) : s->normal;
    double w = sqrt(2.0) * weigh(s, eta, d.weight, root);
    coefficient[(NORMAL + axis) * CELLS + c] = (float)(w * d.scale);
    known[axis * CELLS + c] = (float)(s->unit ? w : w * (d.known + 0.5 * given_strain(s, axis, c, eta)));
}

static void assemble_shear(const surroundings *s, int c, int axis, float *coefficient, float *known)
{
    int b = (axis + 1) % 3, e = (axis + 2) % 3, at = dr_halo_place(c);
    difference p = cut(s, b, at, at - dr_halo_step[e]), q = cut(s, e, at, at - dr_halo_step[b]);
    double root, eta = edge_viscosity(s, c, axis, &root), w = weigh(s, eta, p.weight * q.weight, root);
    coefficient[(SHEAR + 2 * axis) * CELLS + c] = (float)(w * p.scale);
    coefficient[(SHEAR + 2 * axis + 1) * CELLS + c] = (float)(w * q.scale);
    known[(3 + axis) * CELLS + c] = (float)(s->unit ? w : w * (p.known + q.known + given_strain(s, 3 + axis, c, eta)));
}

// What a wall that holds the liquid, theta away from a face on one side of it, adds to the open part there: eq. (14).
static double held_part(const surroundings *s, int axis, int at, int other)
{
    double here = (double)s->wall[axis][at], there = (double)s->wall[axis][other];
    if (there > 0.0) return 0.0;
    double theta = fmax(here / (here - there), DR_LIQUID_LEAST_CUT);
    return (double)s->no_slip[axis][other] * (0.5 * theta + 0.125 / theta - fmin(theta, 0.5));
}

// The mass of a face if all around it were liquid.
DR_INLINE float full_mass(const surroundings *s, int c, int axis)
{
    int at = dr_halo_place(c);
    if (s->walled && s->wall[axis][at] <= 0.0F) return SOLID_MASS;
    double part = open_part(s, c, 1 << axis);
    for (int b = 0; b < 3 && s->walled && !s->problem->slips; b++) {
        if (b != axis)
            part += held_part(s, axis, at, at - dr_halo_step[b]) + held_part(s, axis, at, at + dr_halo_step[b]);
    }
    return (float)(face_density(s, at, axis) * part);
}

// ---- cells that need no look around

// The largest of every `width` values in a row along each axis of a cube, 4 places per axis.
static void spread_largest(const float *from, int side, int width, float to[CELLS])
{
    float z[CORNER_SIDE * CORNER_SIDE * 4], y[CORNER_SIDE * 16];
    for (int i = 0; i < side * side; i++) {
        for (int k = 0; k < 4; k++) {
            float most = from[i * side + k];
            for (int n = 1; n < width; n++) most = dr_max_float(most, from[i * side + k + n]);
            z[4 * i + k] = most;
        }
    }
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < 16; j++) {
            const float *row = z + (i * side + j / 4) * 4 + j % 4;
            float most = row[0];
            for (int n = 1; n < width; n++) most = dr_max_float(most, row[4 * n]);
            y[16 * i + j] = most;
        }
    }
    for (int c = 0; c < CELLS; c++) {
        float most = y[c];
        for (int n = 1; n < width; n++) most = dr_max_float(most, y[c + 16 * n]);
        to[c] = most;
    }
}

// Cells as bits: with liquid alone around them, without any, without walls.
typedef struct masks {
    uint64_t deep, dry, open;
} masks;

static uint64_t below(const float value[CELLS], float limit)
{
    uint64_t bits = 0;
    for (int c = 0; c < CELLS; c += 8)
        bits |= (uint64_t)dr_int8_bits(dr_float8_load(value + c) < dr_float8_all(limit)) << c;
    return bits;
}

static masks find_masks(const surroundings *s)
{
    float most[CELLS], turned[CORNER_SIDE * CORNER_SIDE * CORNER_SIDE];
    masks found = {.deep = ~0ULL, .dry = 0, .open = ~0ULL};
    if (!s->full) {
        spread_largest(s->level, DR_HALO_SIDE, 3, most);
        found.deep = below(most, -1.0F);
        for (int i = 0; i < ITEMS; i++) turned[i] = -s->level[i];
        spread_largest(turned, DR_HALO_SIDE, 3, most);
        found.dry = below(most, -1.0F);
    }
    if (!s->walled) return found;
    for (int i = 0; i < CORNER_SIDE * CORNER_SIDE * CORNER_SIDE; i++) turned[i] = -s->corner[i];
    spread_largest(turned, CORNER_SIDE, 4, most);
    found.open = below(most, -1.0F);
    return found;
}

// What one liquid has away from walls.
typedef struct constants {
    bool known; // there is one liquid
    bool unit;
    float mass, normal, shear;
} constants;

static constants find_constants(const surroundings *s)
{
    const dr_strain_problem *problem = s->problem;
    double root = root_weight(s, s->unit ? 1.0 : problem->uniform_viscosity, 1.0);
    return (constants){.known = (s->unit || !problem->viscosity) && !problem->density,
                       .unit = s->unit,
                       .mass = (float)problem->uniform_density,
                       .normal = (float)(sqrt(2.0) * root),
                       .shear = (float)root};
}

static void fill_cell(const constants *same, int c, float *coefficient, float *known)
{
    for (int i = 0; i < COEFFICIENTS; i++)
        coefficient[i * CELLS + c] = i < NORMAL ? same->mass : i < SHEAR ? same->normal : same->shear;
    for (int i = 0; i < STRAINS && same->unit; i++) known[i * CELLS + c] = i < 3 ? same->normal : same->shear;
}

// Cells where all is the same.
static void fill_block(const constants *same, float *coefficient, float *known)
{
    for (int i = 0; i < COEFFICIENTS * CELLS; i++)
        coefficient[i] = i < NORMAL * CELLS ? same->mass : i < SHEAR * CELLS ? same->normal : same->shear;
    for (int i = 0; i < STRAINS * CELLS; i++)
        known[i] = !same->unit ? 0.0F : i < 3 * CELLS ? same->normal : same->shear;
}

static void fill_parts(const surroundings *s, const masks *found, int c, double *parts)
{
    if (found->deep >> c & 1) {
        for (int i = 0; i < PARTS; i++) parts[i * CELLS + c] = 1.0;
        return;
    }
    parts[CELL_PART * CELLS + c] = liquid_part(s, c, 0);
    parts[EDGE_PART * CELLS + c] = liquid_part(s, c, 6);
    parts[(EDGE_PART + 1) * CELLS + c] = liquid_part(s, c, 5);
    parts[(EDGE_PART + 2) * CELLS + c] = liquid_part(s, c, 3);
}

static void assemble_cell(const surroundings *s, int c, float *coefficient, float *known)
{
    coefficient[MASS * CELLS + c] = full_mass(s, c, 0);
    coefficient[(MASS + 1) * CELLS + c] = full_mass(s, c, 1);
    coefficient[(MASS + 2) * CELLS + c] = full_mass(s, c, 2);
    for (int a = 0; a < 3; a++) {
        assemble_normal(s, c, a, coefficient, known);
        assemble_shear(s, c, a, coefficient, known);
    }
}

static void assemble_block(const assembly *job, size_t block)
{
    surroundings s;
    float *coefficient = job->strain->coefficient + block * COEFFICIENTS * CELLS;
    float *known = job->strain->known + block * STRAINS * CELLS;
    double *parts = job->strain->stress + block * STRESSES * CELLS;
    s.unit = job->unit;
    bool near = look_around(&s, job->problem, job->grid, block);
    job->strain->busy[block] = (uint8_t)(near ? DR_STRAIN_BEARS | (s.full ? FULL : 0) : 0);
    masks found = near ? find_masks(&s) : (masks){0};
    constants same = find_constants(&s);
    job->strain->plain[block] = same.known ? found.deep & found.open : 0;
    if (near && job->strain->plain[block] == ~0ULL) {
        fill_block(&same, coefficient, known);
        for (int i = 0; i < PARTS * CELLS; i++) parts[i] = 1.0;
        return;
    }
    memset(coefficient, 0, COEFFICIENTS * CELLS * sizeof(float));
    memset(known, 0, STRAINS * CELLS * sizeof(float));
    memset(parts, 0, PARTS * CELLS * sizeof(double));
    if (!near) return;
    for (int c = 0; c < CELLS; c++) {
        if (found.dry >> c & 1) continue;
        fill_parts(&s, &found, c, parts);
        if (same.known && found.open >> c & 1) {
            fill_cell(&same, c, coefficient, known);
        } else {
            assemble_cell(&s, c, coefficient, known);
        }
    }
}

static void assemble_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) assemble_block(user, b);
}

// ---- cells next door

typedef struct item {
    int64_t block; // -1: none
    int cell;
} item;

// The cell one step up (side 1) or down (-1) along an axis, or the cell itself (0).
static item find_item(const dr_grid *grid, item from, int axis, int side)
{
    int along = (from.cell / dr_block_stride[axis] & 3) + side;
    if (along >= 0 && along <= 3) return (item){from.block, from.cell + side * dr_block_stride[axis]};
    if (from.block < 0) return from;
    int32_t to = grid->neighbour[27 * from.block + 13 + side * dr_block_step[axis]];
    return (item){to, from.cell - 3 * side * dr_block_stride[axis]};
}

// ---- what is liquid

static double part_at(const dr_strain *v, item i, int part)
{
    return i.block < 0 ? 0.0 : v->stress[((size_t)i.block * STRESSES + (size_t)part) * CELLS + (size_t)i.cell];
}

// Liquid parts of the edges along an axis: of a block's cells, those one below along the axis and one above along the
// others. Places count in the order axis, axis + 1, axis + 2.
typedef struct window {
    double part[5][5][5];
} window;

static void load_window(const dr_strain *v, size_t block, int axis, window *to)
{
    const int one = (axis + 1) % 3, two = (axis + 2) % 3;
    for (int n = 0; n < 25; n++) {
        int i = n / 5, j = n % 5;
        item at = {(int64_t)block, 0};
        if (i == 0) at = find_item(v->grid, (item){at.block, 0}, axis, -1);
        if (j == 4) at = find_item(v->grid, (item){at.block, 3 * dr_block_stride[one]}, one, 1);
        int row = (i + 3) % 4 * dr_block_stride[axis] + j % 4 * dr_block_stride[one];
        for (int k = 0; k < 4; k++)
            to->part[i][j][k] = part_at(v, (item){at.block, row + k * dr_block_stride[two]}, EDGE_PART + axis);
        item above = find_item(v->grid, (item){at.block, 3 * dr_block_stride[two]}, two, 1);
        to->part[i][j][4] = part_at(v, (item){above.block, row}, EDGE_PART + axis);
    }
}

// Liquid part of the cube of side 2 around a face: the cubes around the 8 edges that are its axis' way, eq. (7).
static double face_part(const window *all, int c, int axis)
{
    int i = c / dr_block_stride[axis] & 3, j = c / dr_block_stride[(axis + 1) % 3] & 3,
        k = c / dr_block_stride[(axis + 2) % 3] & 3;
    const double *high = &all->part[i + 1][j][k], *low = &all->part[i][j][k];
    if (i > 0 && j < 3 && k < 3)
        return 0.125 * (high[0] + high[1] + high[5] + high[6] + (low[0] + low[1] + low[5] + low[6]));
    return 0.125 * (high[0] + high[1] + high[5] + high[6] + low[0] + low[1] + low[5] + low[6]);
}

static void weigh_face(const assembly *job, const window *parts, size_t block, int c, int axis)
{
    const dr_strain *v = job->strain;
    float *mass = v->coefficient + (block * COEFFICIENTS + (size_t)(MASS + axis)) * CELLS + c;
    double cell = job->grid->cell, full = (double)*mass;
    if (full <= 0.0) return;
    double part = face_part(parts, c, axis), own = full * part;
    if (job->problem->mass && part < 1.0)
        own = dr_viscosity_mass(job->problem, job->grid, (int64_t)(block * CELLS) + c, axis) / (cell * cell * cell);
    *mass = (float)fmax(own, DR_LIQUID_LEAST_CUT * full);
}

static void weigh_strains(const dr_strain *v, size_t block, int c, int axis)
{
    item here = {(int64_t)block, c};
    double cell = part_at(v, here, CELL_PART), edge = part_at(v, here, EDGE_PART + axis);
    if (cell == 1.0 && edge == 1.0) return;
    float root = cell > DR_VISCOSITY_LEAST_PART ? (float)sqrt(cell) : 0.0F;
    float *coefficient = v->coefficient + block * COEFFICIENTS * CELLS + c,
          *known = v->known + block * STRAINS * CELLS + c;
    coefficient[(NORMAL + axis) * CELLS] *= root;
    known[axis * CELLS] *= root;
    root = edge > DR_VISCOSITY_LEAST_PART ? (float)sqrt(edge) : 0.0F;
    coefficient[(SHEAR + 2 * axis) * CELLS] *= root;
    coefficient[(SHEAR + 2 * axis + 1) * CELLS] *= root;
    known[(3 + axis) * CELLS] *= root;
}

static void weigh_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const assembly *job = user;
    for (size_t b = begin; b < end; b++) {
        uint64_t plain = job->strain->plain[b];
        if (!job->strain->busy[b] || job->strain->busy[b] & FULL) continue;
        for (int a = 0; a < 3; a++) {
            window parts;
            load_window(job->strain, b, a, &parts);
            for (int c = 0; c < CELLS; c++) {
                if (plain >> c & 1) continue;
                weigh_face(job, &parts, b, c, a);
                weigh_strains(job->strain, b, c, a);
            }
        }
    }
}

// ---- the diagonal

static const float no_plane[CELLS];

// The plane of coefficients of the block next door (side 1 or -1).
static const float *plane_beside(const dr_strain *v, size_t block, int axis, int side, int plane)
{
    int32_t to = v->grid->neighbour[27 * block + (size_t)(13 + side * dr_block_step[axis])];
    return to < 0 ? no_plane : v->coefficient + ((size_t)to * COEFFICIENTS + (size_t)plane) * CELLS;
}

// Squares of a plane and of the same one step up (side 1) or down (-1) along an axis.
DR_INLINE void square(const dr_strain *v, size_t block, int axis, int side, int plane, float to[CELLS])
{
    const float *own = v->coefficient + (block * COEFFICIENTS + (size_t)plane) * CELLS;
    const float *other = plane_beside(v, block, axis, side, plane);
    const int s = dr_block_stride[axis];
    float beside[CELLS];
    for (int outer = 0; outer < CELLS; outer += 4 * s) {
        for (int c = outer; c < outer + 3 * s; c++) beside[side > 0 ? c : c + s] = own[side > 0 ? c + s : c];
        for (int c = outer; c < outer + s; c++) beside[side > 0 ? c + 3 * s : c] = other[side > 0 ? c : c + 3 * s];
    }
    for (int c = 0; c < CELLS; c++) to[c] = own[c] * own[c] + beside[c] * beside[c];
}

// What strains add to the diagonal of the faces across an axis.
DR_INLINE void stiffen(const dr_strain *v, size_t block, int axis, float sum[CELLS])
{
    const int one = (axis + 1) % 3, two = (axis + 2) % 3;
    float along[CELLS], across[CELLS];
    square(v, block, axis, -1, NORMAL + axis, sum);
    square(v, block, one, 1, SHEAR + 2 * two, along);
    square(v, block, two, 1, SHEAR + 2 * one + 1, across);
    for (int c = 0; c < CELLS; c++) sum[c] = sum[c] + along[c] + across[c];
}

// Faces that bear no stress, and those in solids, are not solved for.
static void invert_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strain *v = user;
    for (size_t b = begin; b < end; b++) {
        v->busy[b] &= DR_STRAIN_BEARS;
        if (!v->busy[b]) memset(v->stress + b * STRESSES * CELLS, 0, STRESSES * CELLS * sizeof(double));
        float sum[FACES][CELLS];
        if (v->busy[b] && v->plain[b] == ~0ULL) {
            const float *own = v->coefficient + b * COEFFICIENTS * CELLS;
            stiffen(v, b, 0, sum[0]);
            double value = 1.0 / ((double)own[0] + (double)sum[0][0]);
            for (int f = 0; f < FACES * CELLS; f++) v->inverse[b * FACES * CELLS + (size_t)f] = value;
            v->busy[b] |= DR_STRAIN_SOLVES;
            continue;
        }
        stiffen(v, b, 0, sum[0]);
        stiffen(v, b, 1, sum[1]);
        stiffen(v, b, 2, sum[2]);
        for (int f = 0; f < FACES * CELLS; f++) {
            float mass = v->coefficient[b * COEFFICIENTS * CELLS + (size_t)f];
            double stiff = mass < 0.0F ? 0.0 : (double)(&sum[0][0])[f];
            v->inverse[b * FACES * CELLS + (size_t)f] = stiff > 0.0 ? 1.0 / ((double)mass + stiff) : 0.0;
            if (stiff > 0.0) v->busy[b] |= DR_STRAIN_SOLVES;
        }
    }
}

bool dr_strain_assemble(dr_strain *strain, const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem)
{
    if (!dr_strain_reserve(strain, grid->block_count)) return false;
    strain->grid = grid;
    strain->par = par;
    strain->pushed = problem->solid_velocity || problem->stress;
    assembly job = {strain, problem, grid, false};
    dr_par_for(par, grid->block_count, 8, assemble_blocks, &job);
    dr_par_for(par, grid->block_count, 16, weigh_blocks, &job);
    dr_par_for(par, grid->block_count, 16, invert_blocks, strain);
    return true;
}

static void exchange(float **a, float **b)
{
    float *swap = *a;
    *a = *b;
    *b = swap;
}

static void empty_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strain *v = user;
    memset(v->stress + begin * STRESSES * CELLS, 0, (end - begin) * STRESSES * CELLS * sizeof(double));
}

bool dr_strain_outline(dr_strain *strain, const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem)
{
    if (!dr_strain_reserve(strain, grid->block_count) || !dr_strain_reserve_unit(strain)) return false;
    strain->grid = grid;
    strain->par = par;
    assembly job = {strain, problem, grid, true};
    dr_par_for(par, grid->block_count, 8, assemble_blocks, &job);
    dr_par_for(par, grid->block_count, 16, weigh_blocks, &job);
    dr_par_for(par, grid->block_count, 16, empty_blocks, strain);
    exchange(&strain->coefficient, &strain->unit);
    exchange(&strain->known, &strain->share);
    return true;
}
