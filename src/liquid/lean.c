// How the liquid's surface leans on walls. docs/theory/surface.md, eq. (8), (14).
//   psi  distance from the wall in cells, positive outside     n   unit vector away from it
//   nu   unit normal of the liquid's surface, known away from walls and carried towards them
#include "liquid/lean.h"

#include "grid/halo.h"
#include "liquid/room.h"
#include "liquid/wall.h"

#include <math.h>

enum { LAYERS = 3 };

#define BESIDE   0.02F // what a normal beside a wall weighs against one away from walls
#define CARRIED  0.02F // and one of a cell beside against a cell's own
#define GUESSED  1e-6F // weight at which a normal counts half
#define FREE     1.0F  // cells from a wall: its influence ends
#define NEAR     0.75F // cells from the surface: its normal can be seen,
#define CLEAR    0.5F  // where the distance has at least this slope; towards these limits it fades
#define REACH    1.1F  // cells from a wall: what fills the wedge begins to count,
#define CLOSE    0.5F  // and from here on counts in full
#define UPRIGHT  0.2F  // cosine up to which a surface stands on a wall at a right angle
#define STEEP    0.93F // cosine up to which the wedge counts in full,
#define FLATTEST 0.98F // and where a film on the wall is left alone
#define GRIP     0.05F // how far an edge that stands upright on a wall is held, against one that leans,
#define ASKEW    0.3F  // and that on a wall askew to the grid
#define DEEPEST  1.4F  // cells from the surface: the wedge is not asked
#define FARTHEST 0.6F  // cells: the most that a distance is changed by
#define ROOM     0.1F  // open share of the kernel below which nothing is known
#define SUNK     0.6F  // cells inside a wall: what is measured there begins to count less,
#define BURIED   0.8F  // and from here on does not

typedef struct lean_job {
    const dr_lean *lean;
    const dr_grid *grid;
    const float *from;
    float *to; // normals times how well they are known, and that
} lean_job;

static float far_away(const lean_job *job)
{
    return 8.0F * (float)job->grid->cell;
}

static bool load_near(const lean_job *job, size_t block, float corner[DR_HALO_ITEMS])
{
    float least = far_away(job);
    dr_halo_load(job->grid, block, job->lean->solid, far_away(job), corner);
    for (int i = 0; i < DR_HALO_ITEMS; i++) least = fminf(least, corner[i]);
    return least < 4.0F * (float)job->grid->cell;
}

static float cosine(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float ramp(float x, float low, float high)
{
    return fminf(1.0F, fmaxf(0.0F, (x - low) / (high - low)));
}

// ---- inside the wall

// The distance at every cell, and how far it is seen by particles.
static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    float scale = 1.0F / (float)job->grid->cell, n[3];
    for (size_t b = begin; b < end; b++) {
        float corner[DR_HALO_ITEMS];
        bool near = load_near(job, b, corner);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float *seen = job->to + 4 * (b * DR_BLOCK_NODES + (size_t)c);
            float psi = near ? scale * dr_wall_at(corner, dr_halo_place(c), n) : FREE;
            seen[0] = job->lean->distance[b * DR_BLOCK_NODES + (size_t)c];
            seen[1] = ramp(psi, -BURIED, -SUNK);
        }
    }
}

// eq. (14)
static float distance_above(const float *halo, int at, const float n[3], float own)
{
    float sum = 0.0F, weights = 0.0F;
    for (int a = 0; a < 3; a++) {
        const float *seen = halo + 4 * (n[a] > 0.0F ? at + dr_halo_step[a] : at - dr_halo_step[a]);
        float weight = n[a] * n[a] * seen[1];
        sum += weight * fminf(seen[0], DR_OFFSET_REACH);
        weights += weight;
    }
    return weights > 0.0F ? sum / weights : own;
}

static void bury_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    float scale = 1.0F / (float)job->grid->cell, n[3];
    for (size_t b = begin; b < end; b++) {
        float corner[DR_HALO_ITEMS], halo[4 * DR_HALO_ITEMS];
        if (!load_near(job, b, corner)) continue;
        dr_halo_load_fours(job->grid, b, job->to, 0.0F, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            int at = dr_halo_place(c);
            float *distance = job->lean->distance + b * DR_BLOCK_NODES + (size_t)c, seen = halo[4 * at + 1];
            if (seen == 1.0F || scale * dr_wall_at(corner, at, n) < -DR_OFFSET_REACH) continue;
            *distance += (1.0F - seen) * (distance_above(halo, at, n, *distance) - *distance);
        }
    }
}

static void continue_inside(lean_job *job, const dr_par *par)
{
    job->to = job->lean->spare;
    dr_par_for(par, job->grid->block_count, 16, look_blocks, job);
    dr_par_for(par, job->grid->block_count, 16, bury_blocks, job);
}

// ---- the surface's normal, carried to the wall

// Beside a wall a normal is seen where it is at right angles to the wall's: there the liquid goes on into the wall as
// it should.
static float weigh_normal(const float normal[3], float slope, float depth, float psi, const float wall[3])
{
    float away = ramp(psi, FREE, FREE + 0.25F), upright = ramp(-fabsf(cosine(normal, wall)), -UPRIGHT, -0.5F * UPRIGHT);
    float seen = ramp(-fabsf(depth), -NEAR, 0.25F - NEAR) * ramp(slope, CLEAR, 1.5F * CLEAR);
    return seen * (away + (1.0F - away) * BESIDE * upright);
}

static void see_normal(const lean_job *job, size_t block, const float *corner)
{
    float halo[DR_HALO_ITEMS], n[3], scale = 1.0F / (float)job->grid->cell;
    dr_halo_load(job->grid, block, job->lean->distance, DR_OFFSET_REACH, halo);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        float *normal = job->to + 4 * (block * DR_BLOCK_NODES + (size_t)c), slope = 0.0F;
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) {
            float low = fminf(halo[at - dr_halo_step[a]], DR_OFFSET_REACH);
            float high = fminf(halo[at + dr_halo_step[a]], DR_OFFSET_REACH);
            normal[a] = 0.5F * (high - low);
            slope += normal[a] * normal[a];
        }
        slope = sqrtf(slope);
        for (int a = 0; a < 3; a++) normal[a] = slope > 0.0F ? normal[a] / slope : 0.0F;
        float psi = scale * dr_wall_at(corner, at, n);
        normal[3] = weigh_normal(normal, slope, halo[at], psi, n);
        for (int a = 0; a < 3; a++) normal[a] *= normal[3];
    }
}

static void see_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float corner[DR_HALO_ITEMS];
        if (load_near(job, b, corner)) {
            see_normal(job, b, corner);
        } else {
            memset(job->to + 4 * DR_BLOCK_NODES * b, 0, 4 * DR_BLOCK_NODES * sizeof(float));
        }
    }
}

// Normals around a cell count a little beside its own, and alone where it has none.
static void carry_cell(const float *halo, int at, float normal[4])
{
    float sum[4] = {0.0F};
    for (int i = 0; i < 27; i++) {
        const float *other = halo + 4 * (at + (i / 9 - 1) * DR_HALO_X + (i / 3 % 3 - 1) * DR_HALO_Y + i % 3 - 1);
        for (int a = 0; a < 4; a++) sum[a] += (i == 13 ? 1.0F : CARRIED) * other[a];
    }
    memcpy(normal, sum, sizeof sum);
}

static void carry_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float halo[4 * DR_HALO_ITEMS], any = 0.0F;
        dr_halo_load_fours(job->grid, b, job->from, 0.0F, halo);
        for (int i = 0; i < DR_HALO_ITEMS; i++) any += halo[4 * i + 3];
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float *normal = job->to + 4 * (b * DR_BLOCK_NODES + (size_t)c);
            if (any > 0.0F) {
                carry_cell(halo, dr_halo_place(c), normal);
            } else {
                memset(normal, 0, 4 * sizeof(float));
            }
        }
    }
}

// ---- how much of a wedge is filled

// The share of the open kernel, a wall psi below its centre, that liquid fills up to a plane at distance d whose normal
// has that cosine with the wall's: eq. (8).
static float wedge_share(float psi, float cosine, float d)
{
    enum { POINTS = 16 };
    float sine = sqrtf(1.0F - cosine * cosine), low = fmaxf(-psi, -DR_OFFSET_REACH), sum = 0.0F, room = 0.0F;
    float step = (DR_OFFSET_REACH - low) / (float)POINTS;
    for (int i = 0; i < POINTS; i++) {
        float s = low + ((float)i + 0.5F) * step, t = fabsf(s);
        float weight = t < 0.5F ? 0.75F - t * t : 0.5F * (1.5F - t) * (1.5F - t);
        room += weight;
        sum += weight * dr_room_below((-d - cosine * s) / sine);
    }
    return sum / room;
}

// The distance at which the wedge is filled to that share. Halves of halves and then a straight line: it does not jump.
static float wedge_distance(float psi, float cosine, float share)
{
    float low = -DR_OFFSET_REACH, high = DR_OFFSET_REACH;
    float at_low = wedge_share(psi, cosine, low), at_high = wedge_share(psi, cosine, high);
    for (int i = 0; i < 7; i++) {
        float middle = 0.5F * (low + high), at_middle = wedge_share(psi, cosine, middle);
        if (at_middle > share) {
            low = middle;
            at_low = at_middle;
        } else {
            high = middle;
            at_high = at_middle;
        }
    }
    return high + (low - high) * (at_low > at_high ? ramp(share, at_high, at_low) : 0.5F);
}

// How much that counts: nothing away from the wall, on surfaces almost at right angles to it, and on films.
static float trust(float psi, float lean)
{
    return ramp(REACH - psi, 0.0F, REACH - CLOSE) * ramp(lean, UPRIGHT, 2.0F * UPRIGHT) *
           ramp(FLATTEST - lean, 0.0F, FLATTEST - STEEP);
}

// Whether a cell's wall is askew to the grid. Where two walls along it meet, the slope is less than one.
static float askew(const float *corner, int at, float scale)
{
    float slope[3], squares = 0.0F, along = 0.0F;
    dr_wall_slope(corner, at, slope);
    for (int a = 0; a < 3; a++) {
        float square = scale * scale * slope[a] * slope[a];
        squares += square;
        along = fmaxf(along, square);
    }
    return ramp(squares, 0.92F, 0.98F) * ramp(squares - along, 0.0F, 0.02F);
}

// An edge at any wall resists a little.
static float grip(float psi, float lean, float askew)
{
    float most = GRIP + (ASKEW - GRIP) * askew;
    return most * ramp(REACH - psi, 0.0F, REACH - CLOSE) * ramp(FLATTEST - lean, 0.0F, FLATTEST - STEEP);
}

static float lean_cell(const lean_job *job, float psi, float angle, float known, float share, float *distance)
{
    float counts = known * trust(psi, fabsf(angle)), bent = angle * ramp(-fabsf(angle), -2.0F * UPRIGHT, -UPRIGHT);
    *distance -= known * bent * dr_offset_wall(job->lean->table->lean, psi);
    counts *= ramp(-fabsf(*distance), -DEEPEST, 0.2F - DEEPEST);
    if (counts == 0.0F) return 0.0F;
    float change = counts * (wedge_distance(psi, angle, share) - *distance);
    *distance += fminf(fmaxf(change, -FARTHEST), FARTHEST);
    return counts;
}

static void lean_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    float scale = 1.0F / (float)job->grid->cell;
    for (size_t b = begin; b < end; b++) {
        float corner[DR_HALO_ITEMS], room[DR_BLOCK_NODES], n[3];
        memset(job->lean->held + b * DR_BLOCK_NODES, 0, DR_BLOCK_NODES * sizeof(float));
        if (!load_near(job, b, corner)) continue;
        dr_room_find(job->grid, b, job->lean->solid, room);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t item = b * DR_BLOCK_NODES + (size_t)c;
            const float *nu = job->from + 4 * item;
            float psi = scale * dr_wall_at(corner, dr_halo_place(c), n), size = sqrtf(cosine(nu, nu));
            if (size == 0.0F || psi > REACH || room[c] < ROOM || job->lean->distance[item] > DR_OFFSET_REACH) continue;
            float angle = cosine(nu, n) / size, known = size / (size + GUESSED);
            float leans =
                lean_cell(job, psi, angle, known, job->lean->fill[item] / room[c], &job->lean->distance[item]);
            job->lean->held[item] =
                fmaxf(leans, known * grip(psi, fabsf(angle), askew(corner, dr_halo_place(c), scale)));
        }
    }
}

// ---- beside the edge

// In the corner with another wall the nearer one may be upright: a cell leans as far as the best around it.
static void widen_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const lean_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->lean->held, 0.0F, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float most = 0.0F;
            for (int i = 0; i < 27; i++)
                most = fmaxf(
                    most, halo[dr_halo_place(c) + (i / 9 - 1) * DR_HALO_X + (i / 3 % 3 - 1) * DR_HALO_Y + i % 3 - 1]);
            job->to[b * DR_BLOCK_NODES + (size_t)c] = most;
        }
    }
}

void dr_lean_find(const dr_lean *lean, const dr_grid *grid, const dr_par *par)
{
    lean_job job = {.lean = lean, .grid = grid};
    continue_inside(&job, par);
    job.to = lean->normal;
    dr_par_for(par, grid->block_count, 16, see_blocks, &job);
    for (int i = 0; i < LAYERS; i++) {
        job.from = i % 2 ? lean->spare : lean->normal;
        job.to = i % 2 ? lean->normal : lean->spare;
        dr_par_for(par, grid->block_count, 16, carry_blocks, &job);
    }
    job.from = job.to;
    dr_par_for(par, grid->block_count, 16, lean_blocks, &job);
    job.to = lean->normal;
    dr_par_for(par, grid->block_count, 32, widen_blocks, &job);
    if (grid->block_count > 0) memcpy(lean->held, lean->normal, grid->block_count * DR_BLOCK_NODES * sizeof(float));
    continue_inside(&job, par);
}
