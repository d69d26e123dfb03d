// Open shares of faces and cells, and slip at walls. docs/theory/solids.md, eq. (1)-(7) and (9).
#include "liquid/solid.h"

#include "liquid/cut.h"
#include "liquid/halo.h"

typedef struct measure_job {
    const dr_grid *grid;
    const float *corner;
    float *open_area, *open_volume;
} measure_job;

static int nearest(int x)
{
    return x < 0 ? 0 : x < DR_BLOCK_SIDE ? x : DR_BLOCK_SIDE - 1;
}

// Corners of a block and around it; where there is no block the nearest corner of this one is repeated.
static void load_corners(const dr_grid *grid, size_t block, const float *corner, float halo[DR_HALO_ITEMS])
{
    for (int x = -1; x <= DR_BLOCK_SIDE; x++) {
        for (int y = -1; y <= DR_BLOCK_SIDE; y++) {
            for (int z = -1; z <= DR_BLOCK_SIDE; z++) {
                int64_t from = dr_halo_find(grid, block, x, y, z);
                if (from < 0) from = dr_halo_find(grid, block, nearest(x), nearest(y), nearest(z));
                halo[DR_HALO_ITEM(x, y, z)] = corner[from];
            }
        }
    }
}

static float snap(double open)
{
    return open < (double)DR_SOLID_LEAST ? 0.0F : (float)open;
}

// The lower face across axis a of the cell whose lower corner is at.
static float open_face(const float *halo, int at, int a)
{
    int u = dr_halo_step[(a + 1) % 3], v = dr_halo_step[(a + 2) % 3];
    double p = (double)halo[at], q = (double)halo[at + u], r = (double)halo[at + u + v], s = (double)halo[at + v];
    if (p >= 0.0 && q >= 0.0 && r >= 0.0 && s >= 0.0) return 1.0F;
    return snap(1.0 - dr_cut_square(p, q, r, s));
}

// The mean of the eight corners of a cell, and its slope per cell.
static double corner_plane(const float *halo, int at, double slope[3])
{
    double mean = 0.0;
    slope[0] = slope[1] = slope[2] = 0.0;
    for (int i = 0; i < 8; i++) {
        double d = (double)halo[at + (i >> 2) * DR_HALO_X + (i >> 1 & 1) * DR_HALO_Y + (i & 1)];
        mean += 0.125 * d;
        for (int a = 0; a < 3; a++) slope[a] += 0.25 * (i >> (2 - a) & 1 ? d : -d);
    }
    return mean;
}

static float open_cell(const float *halo, int at)
{
    double slope[3], mean = corner_plane(halo, at, slope);
    return snap(1.0 - dr_cut_cube(mean, slope));
}

static void measure_block(const measure_job *job, size_t block)
{
    float halo[DR_HALO_ITEMS], least = 1.0F;
    load_corners(job->grid, block, job->corner, halo);
    for (int i = 0; i < DR_HALO_ITEMS; i++) least = fminf(least, halo[i]);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++)
            job->open_area[4 * item + (size_t)a] = least >= 0.0F ? 1.0F : open_face(halo, at, a);
        job->open_area[4 * item + 3] = 1.0F;
        job->open_volume[item] = least >= 0.0F ? 1.0F : open_cell(halo, at);
    }
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) measure_block(user, b);
}

typedef struct shut_job {
    const dr_grid *grid;
    float *open_area;
    const float *open_volume;
} shut_job;

// A cell without room has no open faces, however its neighbours see them.
static void shut_block(const shut_job *job, size_t block)
{
    float room[DR_HALO_ITEMS];
    bool cut = false;
    for (size_t i = block * DR_BLOCK_NODES; i < (block + 1) * DR_BLOCK_NODES; i++)
        cut = cut || job->open_volume[i] < 1.0F;
    if (!cut) return;
    dr_halo_load(job->grid, block, job->open_volume, 1.0F, room);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        float *open = job->open_area + 4 * (block * DR_BLOCK_NODES + (size_t)c);
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) {
            if (room[at] == 0.0F || room[at - dr_halo_step[a]] == 0.0F) open[a] = 0.0F;
        }
    }
}

static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) shut_block(user, b);
}

void dr_solid_shut(const dr_grid *grid, const dr_par *par, float *open_area, const float *open_volume)
{
    shut_job job = {grid, open_area, open_volume};
    dr_par_for(par, grid->block_count, 16, shut_blocks, &job);
}

void dr_solid_measure(const dr_grid *grid, const dr_par *par, const float *corner, float *open_area, float *open_volume)
{
    measure_job job = {grid, corner, open_area, open_volume};
    dr_par_for(par, grid->block_count, 16, measure_blocks, &job);
    dr_solid_shut(grid, par, open_area, open_volume);
}

void dr_solid_cover(const float *corner, float *area, float *volume)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) area[4 * c + a] += 1.0F - open_face(corner, at, a);
        volume[c] += 1.0F - open_cell(corner, at);
    }
}

// ---- slip

typedef struct slip_job {
    const dr_solid_slip *slip;
    const dr_grid *grid;
    const float *velocity;
    float *result;
} slip_job;

// The whole velocity at the lower face across axis a: its own lane, and the mean of the four nearest of each other.
static void whole_velocity(const float *halo, int at, int a, double u[3])
{
    for (int l = 0; l < 3; l++) {
        int back = dr_halo_step[a], up = dr_halo_step[l];
        if (l == a) {
            u[l] = (double)halo[4 * at + l];
        } else {
            u[l] = 0.25 * ((double)halo[4 * at + l] + (double)halo[4 * (at + up) + l] +
                           (double)halo[4 * (at - back) + l] + (double)halo[4 * (at - back + up) + l]);
        }
    }
}

// The wall's normal at a face: the mean slope of the cells either side.
static bool wall_normal(const float *corner, int at, int a, double n[3])
{
    double below[3], length = 0.0;
    corner_plane(corner, at, n);
    corner_plane(corner, at - dr_halo_step[a], below);
    for (int l = 0; l < 3; l++) {
        n[l] += below[l];
        length += n[l] * n[l];
    }
    length = sqrt(length);
    for (int l = 0; l < 3 && length > 0.0; l++) n[l] /= length;
    return length > 0.0;
}

// Halos around a block, and what holds for one of its faces.
typedef struct slip_face_input {
    const slip_job *job;
    size_t block;
    const float *velocity, *solid, *corner;
    double friction;
    int item;    // cell of the block
    double open; // share
} slip_face_input;

// How far a face's centre lies in the solid, in cells.
static double depth_of(const float *corner, int at, int a, double cell)
{
    int u = dr_halo_step[(a + 1) % 3], v = dr_halo_step[(a + 2) % 3];
    double sum = (double)corner[at] + (double)corner[at + u] + (double)corner[at + v] + (double)corner[at + u + v];
    return -0.25 * sum / cell;
}

// The axis across the face's own along which the wall is left the soonest.
static int way_out(const double n[3], int a)
{
    int b = (a + 1) % 3, c = (a + 2) % 3;
    return fabs(n[b]) >= fabs(n[c]) ? b : c;
}

// The velocity relative to the solid and to `normal` so many faces away along an axis; that of the face before it where
// this one is closed.
static double beside_face(const slip_face_input *in, int a, int axis, int steps, double normal, double before)
{
    int x[3] = {in->item >> 4, in->item >> 2 & 3, in->item & 3};
    x[axis] += steps;
    int64_t from = dr_halo_find(in->job->grid, in->block, x[0], x[1], x[2]);
    const float *solid = in->job->slip->solid_velocity;
    if (from < 0 || !(in->job->slip->open_area[4 * from + a] > 0.0F)) return before;
    return (double)in->job->velocity[4 * from + a] - (solid ? (double)solid[4 * from + a] : 0.0) - normal;
}

static double clamp_between(double x, double one, double other)
{
    return fmin(fmax(x, fmin(one, other)), fmax(one, other));
}

// The velocity at that depth in a wall that holds the liquid: on the line through 0 on the wall and the first face
// beyond it, as far as the liquid's own slope and bend bear that out, eq. (9). `normal` is the velocity into the wall
// along a, taken to be the same beside.
static double hold_face(const slip_face_input *in, const double n[3], int a, double depth, double normal)
{
    int axis = way_out(n, a), way = n[axis] > 0.0 ? 1 : -1, k = fabs(n[axis]) > depth ? 1 : 2;
    double step = fabs(n[axis]), beyond = k * step - depth;
    if (!(beyond > 0.0)) return 0.0;
    double first = beside_face(in, a, axis, k * way, normal, 0.0), line = first * step / beyond;
    double second = beside_face(in, a, axis, (k + 1) * way, normal, first), slope = second - first;
    double third = beside_face(in, a, axis, (k + 2) * way, normal, second), bend = third - second - slope;
    return first - k * clamp_between(clamp_between(line, slope, slope - bend), 0.0, line);
}

// What is left open of a face is a film on the wall: its slowest mode decays as exp(-(pi/2)^2 nu t / film^2),
// implicitly.
static double held_share(const slip_face_input *in)
{
    if (!(in->open > 0.0)) return in->friction;
    double rate = 2.4674011 * (double)in->job->slip->diffusion / (in->open * in->open);
    return in->friction * rate / (1.0 + rate);
}

// eq. (6)-(7); a face that is open in part keeps its normal velocity, and is held where its centre is in the solid
static float slip_face(const slip_face_input *in, int at, int a)
{
    double u[3], s[3] = {0.0, 0.0, 0.0}, n[3], along = 0.0, depth = depth_of(in->corner, at, a, in->job->grid->cell);
    float own = in->velocity[4 * at + a];
    if (in->open > 0.0 && (in->friction == 0.0 || depth <= 0.0)) return own;
    whole_velocity(in->velocity, at, a, u);
    if (in->solid) whole_velocity(in->solid, at, a, s);
    if (!wall_normal(in->corner, at, a, n)) return in->open > 0.0 ? own : (float)s[a];
    for (int l = 0; l < 3; l++) along += n[l] * (u[l] - s[l]);
    double slides = u[a] - s[a] - along * n[a];
    bool held = in->friction > 0.0 && depth > 0.0;
    double hold = held ? held_share(in) * (hold_face(in, n, a, depth, along * n[a]) - slides) : 0.0;
    double normal = in->open > 0.0 ? along * n[a] : 0.0;
    return (float)(s[a] + normal + slides + hold);
}

static void slip_block(const slip_job *job, size_t block)
{
    const dr_solid_slip *slip = job->slip;
    size_t first = block * DR_BLOCK_NODES, lanes = 4 * DR_BLOCK_NODES;
    float velocity[4 * DR_HALO_ITEMS], solid[4 * DR_HALO_ITEMS], corner[DR_HALO_ITEMS];
    memcpy(job->result + 4 * first, job->velocity + 4 * first, lanes * sizeof(float));
    bool closed = false;
    for (size_t i = 4 * first; i < 4 * first + lanes; i++) closed = closed || slip->open_area[i] < 1.0F;
    if (!closed) return;
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, velocity);
    if (slip->solid_velocity) dr_halo_load_fours(job->grid, block, slip->solid_velocity, 0.0F, solid);
    load_corners(job->grid, block, slip->corner, corner);
    slip_face_input in = {.job = job,
                          .block = block,
                          .velocity = velocity,
                          .solid = slip->solid_velocity ? solid : NULL,
                          .corner = corner};
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = first + (size_t)c;
        in.item = c;
        in.friction = (double)(slip->friction ? slip->friction[item] : slip->same_friction);
        for (int a = 0; a < 3; a++) {
            in.open = (double)slip->open_area[4 * item + (size_t)a];
            if (in.open < 1.0 && (in.open > 0.0) == slip->before_pressure)
                job->result[4 * item + (size_t)a] = slip_face(&in, dr_halo_place(c), a);
        }
    }
}

static void slip_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) slip_block(user, b);
}

void dr_solid_constrain(const dr_solid_slip *slip, const dr_grid *grid, const dr_par *par, const float *velocity,
                        float *result)
{
    slip_job job = {slip, grid, velocity, result};
    dr_par_for(par, grid->block_count, 16, slip_blocks, &job);
}
