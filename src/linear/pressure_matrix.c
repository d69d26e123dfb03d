// Rows and right-hand side of the pressure equation. docs/theory/pressure.md, section 2. Equation (1) times h^2:
//   link   = open * mobility                           between liquid cells
//   ground = open * mobility / theta                   towards air
//   right  = -h sum s_f flow_f + h^2 (source + inverse_stiffness old_pressure) + ground ghost_pressure
//   flow   = open * flux + (1 - open) * solid_velocity
#include "linear/pressure.h"
#include "linear/pressure_faces.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_LEVEL_CELLS, GRAIN = DR_LEVEL_GRAIN, FACES = DR_PRESSURE_FACES };

// ---- memory

enum { GRID_ARRAYS = 3, BLOCK_ARRAYS = 2 };

static void list_grid_arrays(dr_pressure *pressure, dr_work_array list[GRID_ARRAYS])
{
    list[0] = (dr_work_array){(void **)&pressure->block_of, sizeof *pressure->block_of};
    list[1] = (dr_work_array){(void **)&pressure->liquid, sizeof *pressure->liquid};
    list[2] = (dr_work_array){(void **)&pressure->solid, sizeof *pressure->solid};
}

static void list_block_arrays(dr_pressure *pressure, dr_work_array list[BLOCK_ARRAYS])
{
    list[0] = (dr_work_array){(void **)&pressure->grid_block, sizeof *pressure->grid_block};
    list[1] = (dr_work_array){(void **)&pressure->masks, sizeof *pressure->masks};
}

static bool reserve_grid(dr_pressure *pressure, size_t count)
{
    dr_work_array list[GRID_ARRAYS];
    list_grid_arrays(pressure, list);
    return dr_work_reserve(pressure->allocator, list, GRID_ARRAYS, &pressure->grid_capacity, count);
}

static bool reserve_blocks(dr_pressure *pressure, size_t count)
{
    dr_work_array list[BLOCK_ARRAYS];
    list_block_arrays(pressure, list);
    return dr_work_reserve(pressure->allocator, list, BLOCK_ARRAYS, &pressure->block_capacity, count);
}

bool dr_pressure_open(dr_pressure *pressure, const dr_allocator *allocator)
{
    *pressure = (dr_pressure){.allocator = allocator};
    pressure->components.allocator = pressure->conjugate.allocator = allocator;
    return dr_multigrid_open(&pressure->multigrid, allocator);
}

void dr_pressure_close(dr_pressure *pressure)
{
    dr_work_array grid[GRID_ARRAYS], blocks[BLOCK_ARRAYS];
    list_grid_arrays(pressure, grid);
    list_block_arrays(pressure, blocks);
    dr_work_free(pressure->allocator, grid, GRID_ARRAYS, &pressure->grid_capacity);
    dr_work_free(pressure->allocator, blocks, BLOCK_ARRAYS, &pressure->block_capacity);
    dr_conjugate_free(&pressure->conjugate);
    dr_components_free(&pressure->components);
    dr_multigrid_close(&pressure->multigrid);
    *pressure = (dr_pressure){0};
}

// ---- which cells are liquid

typedef struct assembly {
    dr_pressure *pressure;
    const dr_pressure_problem *problem;
    dr_level *level;
} assembly;

static uint64_t find_kind(const uint8_t *kind, dr_cell_kind wanted)
{
    uint64_t mask = 0;
    for (int c = 0; c < CELLS; c++) mask |= (uint64_t)(kind[c] == (uint8_t)wanted) << c;
    return mask;
}

static void sort_cells(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const assembly *what = user;
    for (size_t g = begin; g < end; g++) {
        what->pressure->liquid[g] = find_kind(what->problem->kind + CELLS * g, DR_CELL_LIQUID);
        what->pressure->solid[g] = find_kind(what->problem->kind + CELLS * g, DR_CELL_SOLID);
    }
}

static size_t number_blocks(dr_pressure *pressure, size_t grid_blocks)
{
    int32_t count = 0;
    for (size_t g = 0; g < grid_blocks; g++) pressure->block_of[g] = pressure->liquid[g] ? count++ : -1;
    return (size_t)count;
}

// ---- uniform blocks

static bool all_liquid(const dr_pressure_around *around)
{
    uint64_t liquid = around->liquid;
    for (int a = 0; a < 3; a++) liquid &= around->below[a] & around->above[a];
    return liquid == UINT64_MAX;
}

static bool all_equal(const float *values, int count)
{
    float same = values[0];
    int differs = 0;
    for (int n = 1; n < count; n++) differs |= values[n] != same;
    return !differs;
}

static bool find_uniform(const dr_pressure_problem *problem, size_t g, dr_level_uniform *row)
{
    const float *stiffness = problem->inverse_stiffness ? problem->inverse_stiffness + CELLS * g : NULL;
    if (stiffness && !all_equal(stiffness, CELLS)) return false;
    float weight[3][FACES];
    dr_pressure_load_weights(problem, g, weight);
    if (!all_equal(&weight[0][0], 3 * FACES)) return false;
    float h = (float)problem->grid->cell, link = weight[0][0], ground = stiffness ? h * h * stiffness[0] : 0.0F;
    if (!(link > 0.0F) || !isfinite(link) || !(ground >= 0.0F) || !isfinite(ground)) return false;
    *row = (dr_level_uniform){link, 1.0F / (6.0F * link + ground), ground};
    return true;
}

static void classify(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const assembly *what = user;
    dr_level *level = what->level;
    for (size_t b = begin; b < end; b++) {
        size_t g = what->pressure->grid_block[b];
        dr_pressure_around around = dr_pressure_survey(what->pressure, what->problem->grid, g);
        bool uniform = all_liquid(&around) && find_uniform(what->problem, g, &level->uniform[b]);
        level->stencil_of[b] = uniform ? -1 : 0;
        for (int n = 0; n < 6; n++) {
            int32_t other = dr_pressure_block_beside(what->problem->grid, g, n);
            level->neighbour[6 * b + (size_t)n] = other < 0 ? -1 : what->pressure->block_of[other];
        }
    }
}

// ---- rows

// The free surface beyond a face: what it adds to the row and to the right-hand side.
static void add_surface(const dr_pressure_problem *problem, size_t face, float weight, float *ground, double *right)
{
    float theta = problem->theta ? problem->theta[face] : 1.0F;
    if (theta < DR_PRESSURE_LEAST_THETA) theta = DR_PRESSURE_LEAST_THETA;
    *ground += weight / theta;
    if (problem->ghost_pressure) *right += (double)(weight / theta) * (double)problem->ghost_pressure[face];
}

// The grid's number of the face above cell c of block g.
static size_t face_above(const dr_grid *grid, size_t g, int c, int axis)
{
    bool inside = (c / dr_block_stride[axis] & 3) < 3;
    size_t block = inside ? g : (size_t)dr_pressure_block_beside(grid, g, 2 * axis + 1);
    int cell = inside ? c + dr_block_stride[axis] : c - 3 * dr_block_stride[axis];
    return 4 * (CELLS * block + (size_t)cell) + (size_t)axis;
}

typedef struct row_place {
    size_t grid_block;
    int cell, item;
} row_place;

// One row: its links, ground and what the surface adds on the right.
static void fill_row(const dr_pressure_problem *problem, const dr_pressure_around *around, const dr_pressure_faces *own,
                     row_place at, float *rows, dr_component_block *masks, double *right)
{
    int c = at.cell, i = c >> 4, j = c >> 2 & 3, k = c & 3;
    float ground = 0.0F;
    for (int n = 0; n < 6; n++) {
        int a = n / 2, up = n & 1;
        float weight = own->weight[a][dr_pressure_face_item(a, i, j, k) + (up ? dr_pressure_step_up[a] : 0)];
        bool liquid = (up ? around->above[a] : around->below[a]) >> c & 1;
        if (!liquid && weight != 0.0F) {
            size_t face = up ? face_above(problem->grid, at.grid_block, c, a)
                             : 4 * (CELLS * at.grid_block + (size_t)c) + (size_t)a;
            add_surface(problem, face, weight, &ground, right);
        }
        rows[dr_level_term_item(at.item, dr_level_side_term(n, k))] = liquid ? weight : 0.0F;
        if (liquid && !up && weight > 0.0F) masks->link[a] |= UINT64_C(1) << c;
    }
    rows[dr_level_term_item(at.item, DR_TERM_GROUND)] = ground;
}

static void add_stiffness(const dr_pressure_problem *problem, row_place at, float *rows, float *mass)
{
    float h = (float)problem->grid->cell;
    mass[at.item] = h * h * problem->inverse_stiffness[CELLS * at.grid_block + (size_t)at.cell];
    rows[dr_level_term_item(at.item, DR_TERM_GROUND)] += mass[at.item];
}

// ---- rows of a block whose every face is open between liquid cells

static bool all_positive(const float *values, int count)
{
    int bad = 0;
    for (int n = 0; n < count; n++) bad |= !(values[n] > 0.0F);
    return !bad;
}

// From four rows of four (k) the cells of one colour: those with even k of row j where j + first is even, else odd k.
DR_INLINE dr_float8 pack(const float *const row[4], int first)
{
    dr_float4 r[4];
    for (int j = 0; j < 4; j++) r[j] = dr_float4_load(row[j]);
    if (first) {
        return dr_float8_join(__builtin_shufflevector(r[0], r[1], 1, 3, 4, 6),
                              __builtin_shufflevector(r[2], r[3], 1, 3, 4, 6));
    }
    return dr_float8_join(__builtin_shufflevector(r[0], r[1], 0, 2, 5, 7),
                          __builtin_shufflevector(r[2], r[3], 0, 2, 5, 7));
}

DR_INLINE void fill_slab(const dr_pressure_faces *own, const float *mass, int i, int colour, float *slab)
{
    int first = (i + colour) & 1;
    const float *row[8][4];
    for (int j = 0; j < 4; j++) {
        const float *low = own->weight[2] + dr_pressure_face_item(2, i, j, 0);
        bool odd = (j + first) & 1;
        row[DR_TERM_X_LOW][j] = own->weight[0] + dr_pressure_face_item(0, i, j, 0);
        row[DR_TERM_X_HIGH][j] = own->weight[0] + dr_pressure_face_item(0, i + 1, j, 0);
        row[DR_TERM_Y_LOW][j] = own->weight[1] + dr_pressure_face_item(1, i, j, 0);
        row[DR_TERM_Y_HIGH][j] = own->weight[1] + dr_pressure_face_item(1, i, j + 1, 0);
        row[DR_TERM_NEAR][j] = odd ? low : low + 1;
        row[DR_TERM_FAR][j] = odd ? low + 1 : low;
        row[DR_TERM_GROUND][j] = mass + 16 * i + 4 * j;
    }
    dr_float8 ground = pack(row[DR_TERM_GROUND], first), sum = ground;
    for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) {
        dr_float8 link = pack(row[term], first);
        sum += link;
        dr_float8_store(slab + 8 * term, link);
    }
    dr_float8_store(slab + 8 * DR_TERM_INVERSE, dr_float8_all(1.0F) / sum);
    dr_float8_store(slab + 8 * DR_TERM_GROUND, ground);
}

static void fill_open_rows(const assembly *what, size_t block, const dr_pressure_faces *own)
{
    size_t stencil = (size_t)what->level->stencil_of[block];
    float *rows = what->level->stencil + stencil * DR_LEVEL_STENCIL, mass[CELLS] = {0.0F};
    const float *stiffness = what->problem->inverse_stiffness;
    float h = (float)what->problem->grid->cell;
    uint64_t ground = 0;
    for (int c = 0; stiffness && c < CELLS; c++) {
        mass[c] = h * h * stiffness[CELLS * (size_t)what->pressure->grid_block[block] + (size_t)c];
        what->level->mass[stencil * CELLS + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3)] = mass[c];
        ground |= (uint64_t)(mass[c] > 0.0F) << c;
    }
    for (int slab = 0; slab < 8; slab++) fill_slab(own, mass, slab & 3, slab >> 2, rows + slab * 8 * DR_TERM_COUNT);
    what->pressure->masks[block] = (dr_component_block){UINT64_MAX, {UINT64_MAX, UINT64_MAX, UINT64_MAX}, ground};
}

static void fill_rows(const assembly *what, size_t block, const dr_pressure_around *around,
                      const dr_pressure_faces *own, double *right)
{
    size_t stencil = (size_t)what->level->stencil_of[block];
    float *rows = what->level->stencil + stencil * DR_LEVEL_STENCIL;
    float *mass = what->level->mass + stencil * DR_LEVEL_CELLS;
    dr_component_block *masks = &what->pressure->masks[block];
    memset(rows, 0, DR_LEVEL_STENCIL * sizeof *rows);
    memset(mass, 0, DR_LEVEL_CELLS * sizeof *mass);
    *masks = (dr_component_block){0};
    for (uint64_t left = around->liquid; left; left &= left - 1) {
        int c = __builtin_ctzll(left), item = dr_level_item(c >> 4, c >> 2 & 3, c & 3);
        row_place at = {what->pressure->grid_block[block], c, item};
        fill_row(what->problem, around, own, at, rows, masks, &right[item]);
        if (what->level->compressible) add_stiffness(what->problem, at, rows, mass);
    }
    dr_level_invert(rows);
    for (uint64_t left = around->liquid; left; left &= left - 1) {
        int c = __builtin_ctzll(left), item = dr_level_item(c >> 4, c >> 2 & 3, c & 3);
        bool unknown = rows[dr_level_term_item(item, DR_TERM_INVERSE)] != 0.0F;
        if (unknown) masks->unknown |= UINT64_C(1) << c;
        if (rows[dr_level_term_item(item, DR_TERM_GROUND)] > 0.0F) masks->ground |= UINT64_C(1) << c;
        if (!unknown) right[item] = 0.0;
    }
}

// ---- right-hand side

// Four numbers of a row to the two colours of a block.
DR_INLINE void put_row(double *to, int i, int j, dr_double4 row)
{
    double *even = to + dr_level_item(i, j, 0), *odd = to + dr_level_item(i, j, 1);
    even[0] = row[0];
    odd[0] = row[1];
    even[1] = row[2];
    odd[1] = row[3];
}

static void add_divergence(double h, const dr_pressure_faces *own, uint64_t liquid, double *right)
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            dr_double4 sum = {0.0};
            for (int a = 0; a < 3; a++) {
                const float *flow = own->flow[a] + dr_pressure_face_item(a, i, j, 0);
                sum += dr_double4_from(dr_float4_load(flow + dr_pressure_step_up[a])) -
                       dr_double4_from(dr_float4_load(flow));
            }
            sum *= dr_double4_all(-h);
            unsigned cells = liquid >> (16 * i + 4 * j) & 15U;
            for (int k = 0; k < 4 && cells != 15U; k++) sum[k] = cells >> k & 1U ? sum[k] : 0.0;
            put_row(right, i, j, sum);
        }
    }
}

static void add_sources(const dr_pressure_problem *problem, size_t g, uint64_t liquid, double *right)
{
    double h = problem->grid->cell;
    for (; liquid; liquid &= liquid - 1) {
        int c = __builtin_ctzll(liquid);
        size_t cell = CELLS * g + (size_t)c;
        double sum = problem->source ? (double)problem->source[cell] : 0.0;
        if (problem->inverse_stiffness && problem->old_pressure) {
            sum += (double)problem->inverse_stiffness[cell] * (double)problem->old_pressure[cell];
        }
        right[dr_level_item(c >> 4, c >> 2 & 3, c & 3)] += h * h * sum;
    }
}

static bool touches_solid(const dr_pressure_around *around)
{
    uint64_t shut = 0;
    for (int a = 0; a < 3; a++) shut |= around->shut_below[a] | around->shut_above[a];
    return shut != 0;
}

static void write_uniform_masks(const dr_level_uniform *row, dr_component_block *masks)
{
    *masks =
        (dr_component_block){UINT64_MAX, {UINT64_MAX, UINT64_MAX, UINT64_MAX}, row->ground > 0.0F ? UINT64_MAX : 0};
}

static void fill_block(const assembly *what, size_t block)
{
    const dr_pressure_problem *problem = what->problem;
    size_t g = what->pressure->grid_block[block];
    double *right = what->pressure->conjugate.r + CELLS * block;
    dr_pressure_around around = dr_pressure_survey(what->pressure, problem->grid, g);
    dr_pressure_faces own;
    bool uniform = what->level->stencil_of[block] < 0;
    dr_pressure_load_flows(problem, g, own.flow);
    if (!uniform) dr_pressure_load_weights(problem, g, own.weight);
    if (!uniform && touches_solid(&around)) dr_pressure_shut_faces(problem, g, &around, &own);
    add_divergence(problem->grid->cell, &own, around.liquid, right);
    if (problem->source || problem->inverse_stiffness) add_sources(problem, g, around.liquid, right);
    if (uniform) {
        write_uniform_masks(&what->level->uniform[block], &what->pressure->masks[block]);
    } else if (all_liquid(&around) && all_positive(&own.weight[0][0], 3 * FACES)) {
        fill_open_rows(what, block, &own);
    } else {
        fill_rows(what, block, &around, &own, right);
    }
}

// The sum of squares of the right-hand side, not finite where a row or its right-hand side is not.
static double check_block(const assembly *what, size_t block)
{
    const double *right = what->pressure->conjugate.r + CELLS * block;
    double sum = 0.0;
    for (int n = 0; n < CELLS; n++) sum += right[n] * right[n];
    int32_t stencil = what->level->stencil_of[block];
    if (stencil < 0) return sum;
    const float *rows = what->level->stencil + (size_t)stencil * DR_LEVEL_STENCIL;
    float all = 0.0F;
    for (int n = 0; n < DR_LEVEL_STENCIL; n++) all += rows[n];
    return isfinite(all) ? sum : (double)NAN;
}

static void fill_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const assembly *what = user;
    double sum = 0.0;
    for (size_t b = begin; b < end; b++) {
        fill_block(what, b);
        sum += check_block(what, b);
    }
    what->pressure->conjugate.partial[begin / GRAIN] = sum;
}

// ---- all blocks

static size_t number_stencils(dr_level *level)
{
    int32_t count = 0;
    for (size_t b = 0; b < level->block_count; b++) {
        if (level->stencil_of[b] >= 0) level->stencil_of[b] = count++;
    }
    return (size_t)count;
}

static void list_blocks(dr_pressure *pressure, const dr_grid *grid, dr_level *level)
{
    for (size_t g = 0; g < grid->block_count; g++) {
        int32_t b = pressure->block_of[g];
        if (b < 0) continue;
        pressure->grid_block[b] = (uint32_t)g;
        level->key[b] = grid->key[g];
    }
}

static size_t count_unknowns(const dr_pressure *pressure)
{
    size_t count = 0;
    for (size_t b = 0; b < pressure->multigrid.level[0].block_count; b++) {
        count += (size_t)__builtin_popcountll(pressure->masks[b].unknown);
    }
    return count;
}

bool dr_pressure_assemble(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem, bool *finite)
{
    const dr_grid *grid = problem->grid;
    dr_level *level = &pressure->multigrid.level[0];
    assembly what = {pressure, problem, level};
    level->block_count = level->stencil_count = 0;
    level->compressible = problem->inverse_stiffness != NULL;
    if (!reserve_grid(pressure, grid->block_count)) return false;
    dr_par_for(par, grid->block_count, GRAIN, sort_cells, &what);
    size_t blocks = number_blocks(pressure, grid->block_count);
    if (!reserve_blocks(pressure, blocks) || !dr_conjugate_reserve(&pressure->conjugate, blocks) ||
        !dr_level_reserve_blocks(level, pressure->allocator, blocks)) {
        return false;
    }
    level->block_count = blocks;
    list_blocks(pressure, grid, level);
    dr_par_for(par, blocks, GRAIN, classify, &what);
    size_t stencils = number_stencils(level);
    if (!dr_level_reserve_stencils(level, pressure->allocator, stencils)) return false;
    level->stencil_count = stencils;
    dr_par_for(par, blocks, GRAIN, fill_piece, &what);
    double sum = dr_par_sum(pressure->conjugate.partial, (blocks + GRAIN - 1) / GRAIN);
    *finite = isfinite(sum);
    pressure->facts.blocks = blocks;
    pressure->facts.uniform_blocks = blocks - stencils;
    pressure->facts.unknowns = count_unknowns(pressure);
    return true;
}
