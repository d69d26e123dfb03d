// Slip at walls. docs/theory/solids.md, eq. (6), (7) and (9).
#include "liquid/solid.h"

#include "grid/corner.h"

#include <math.h>

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
    dr_corner_plane(corner, at, n);
    dr_corner_plane(corner, at - dr_halo_step[a], below);
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
static int steepest_beside(const double n[3], int a)
{
    int b = (a + 1) % 3, c = (a + 2) % 3;
    return fabs(n[b]) >= fabs(n[c]) ? b : c;
}

// Faces of axis a beside one of them, out of the wall along another axis.
typedef struct way_out {
    int a, axis, side;   // side: 1 or -1
    double solid, slope; // the solid's velocity, and by how much it differs a face on
    double normal;       // velocity into the wall, taken to be the same beside
} way_out;

static way_out find_way_out(const slip_face_input *in, const double n[3], int at, int a, double normal)
{
    int axis = steepest_beside(n, a), side = n[axis] > 0.0 ? 1 : -1, next = at + side * dr_halo_step[axis];
    way_out way = {.a = a, .axis = axis, .side = side, .normal = normal};
    if (!in->solid) return way;
    way.solid = (double)in->solid[4 * at + a];
    way.slope = (double)in->solid[4 * next + a] - way.solid;
    return way;
}

// The velocity relative to the solid, continued as a rigid motion, so many faces away; that of the face before it where
// this one is closed.
static double beside_face(const slip_face_input *in, const way_out *way, int steps, double before)
{
    int x[3] = {in->item >> 4, in->item >> 2 & 3, in->item & 3};
    x[way->axis] += way->side * steps;
    int64_t from = dr_halo_find(in->job->grid, in->block, x[0], x[1], x[2]);
    if (from < 0 || !(in->job->slip->open_area[4 * from + way->a] > 0.0F)) return before;
    return (double)in->job->velocity[4 * from + way->a] - (way->solid + steps * way->slope) - way->normal;
}

static double clamp_between(double x, double one, double other)
{
    return fmin(fmax(x, fmin(one, other)), fmax(one, other));
}

// The velocity at that depth in a wall that holds the liquid: on the line through 0 on the wall and the first face
// beyond it, as far as the liquid's own slope and bend bear that out, eq. (9).
static double hold_face(const slip_face_input *in, const way_out *way, const double n[3], double depth)
{
    int k = fabs(n[way->axis]) > depth ? 1 : 2;
    double step = fabs(n[way->axis]), beyond = k * step - depth;
    if (!(beyond > 0.0)) return 0.0;
    double first = beside_face(in, way, k, 0.0), line = first * step / beyond;
    double second = beside_face(in, way, k + 1, first), slope = second - first;
    double third = beside_face(in, way, k + 2, second), bend = third - second - slope;
    return first - k * clamp_between(clamp_between(line, slope, slope - bend), 0.0, line);
}

// What is left open of a face is a film on the wall, beside a closed one that of a cell: its slowest mode decays as
// exp(-(pi/2)^2 nu t / film^2), implicitly. eq. (10)
static double held_share(const slip_face_input *in)
{
    double film = in->open > 0.0 ? in->open : 1.0;
    double rate = 2.4674011 * (double)in->job->slip->diffusion / (film * film);
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
    way_out way = find_way_out(in, n, at, a, along * n[a]);
    double hold = held ? held_share(in) * (hold_face(in, &way, n, depth) - slides) : 0.0;
    double normal = in->open > 0.0 ? along * n[a] : 0.0;
    return (float)(s[a] + normal + slides + hold);
}

// Whether faces of this open share are served in this pass: those before the pressure are open in part.
static bool is_asked(const dr_solid_slip *slip, float open)
{
    return (open < 1.0F) & ((open > 0.0F) == slip->before_pressure);
}

static bool asks_any(const dr_solid_slip *slip, size_t block)
{
    const float *open = slip->open_area + block * DR_BLOCK_FACES;
    const float *mass = slip->mass ? slip->mass + block * DR_BLOCK_FACES : NULL;
    int any = 0;
    for (int i = 0; i < DR_BLOCK_FACES; i++)
        any |= is_asked(slip, open[i]) & (i % 4 != 3) & (mass ? mass[i] > 0.0F : true);
    return any != 0;
}

static void slip_block(const slip_job *job, size_t block)
{
    const dr_solid_slip *slip = job->slip;
    size_t first = block * DR_BLOCK_NODES, lanes = 4 * DR_BLOCK_NODES;
    float velocity[4 * DR_HALO_ITEMS], solid[4 * DR_HALO_ITEMS], corner[DR_HALO_ITEMS];
    memcpy(job->result + 4 * first, job->velocity + 4 * first, lanes * sizeof(float));
    if ((slip->wet && !slip->wet[block]) || !asks_any(slip, block)) return;
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, velocity);
    if (slip->solid_velocity) dr_halo_load_fours(job->grid, block, slip->solid_velocity, 0.0F, solid);
    dr_corner_load(job->grid, block, slip->corner, corner);
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
            size_t face = 4 * item + (size_t)a;
            in.open = (double)slip->open_area[face];
            if (is_asked(slip, slip->open_area[face]) && (!slip->mass || slip->mass[face] > 0.0F))
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
