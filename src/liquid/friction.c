// Coulomb friction of liquid on solids. docs/theory/viscosity.md, eq. (16)-(17).
//   r      velocity of the liquid relative to the wall, along it     theta  distance of the wall from a face, in cells
//   n      the wall's normal, out of it                              p      pressure on it
#include "liquid/friction.h"

#include "grid/halo.h"
#include "liquid/tuning.h"

#include <math.h>
#include <string.h>

typedef struct job {
    const dr_friction *friction;
    const dr_grid *grid;
    float *no_slip, *push;
    uint8_t *slips; // [cell] bits of its faces
    double *partial;
} job;

typedef struct around {
    float velocity[4 * DR_HALO_ITEMS], solid_velocity[4 * DR_HALO_ITEMS], coefficient[4 * DR_HALO_ITEMS];
    float pressure[DR_HALO_ITEMS];
} around;

// Distance of solids from the face across axis a of a cell (of the block or beside it), cm: the mean of its corners.
static double wall_of(const job *job, size_t block, const int cell[3], int a)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        int x[3] = {cell[0], cell[1], cell[2]};
        x[(a + 1) % 3] += i & 1;
        x[(a + 2) % 3] += i >> 1;
        int64_t from = dr_halo_find(job->grid, block, x[0], x[1], x[2]);
        sum += from < 0 ? job->grid->cell : (double)job->friction->solid[from];
    }
    return 0.25 * sum;
}

// The liquid's whole velocity at a face relative to the solid's.
static void relative_velocity(const around *near, int at, int a, double r[3])
{
    int back = dr_halo_step[a];
    for (int l = 0; l < 3; l++) {
        const int up = dr_halo_step[l], places[4] = {at, at + up, at - back, at - back + up};
        r[l] = 0.0;
        for (int i = 0; i < (l == a ? 1 : 4); i++) {
            double difference =
                (double)near->velocity[4 * places[i] + l] - (double)near->solid_velocity[4 * places[i] + l];
            r[l] += l == a ? difference : 0.25 * difference;
        }
    }
}

// The pressure at a face: the mean of the cells beside it that have any.
static double pressure_at(const around *near, int at, int a)
{
    double above = fmax(0.0, (double)near->pressure[at]),
           below = fmax(0.0, (double)near->pressure[at - dr_halo_step[a]]);
    return above > 0.0 && below > 0.0 ? 0.5 * (above + below) : above + below;
}

// What a face sees of walls along the six ways of the grid.
typedef struct contact {
    double theta[6]; // cells; 0: no wall with friction that way
    double normal[3], mu;
} contact;

static bool find_contact(const job *job, const around *near, size_t block, int c, int a, contact *found)
{
    const int cell[3] = {c >> 4, c >> 2 & 3, c & 3};
    double here = wall_of(job, block, cell, a), length = 0.0;
    bool any = false;
    *found = (contact){.mu = 0.0};
    if (!(here > 0.0) || here > 1.5 * job->grid->cell) return false;
    for (int way = 0; way < 6; way++) {
        int beside[3] = {cell[0], cell[1], cell[2]}, b = way / 2, side = way & 1 ? 1 : -1;
        beside[b] += side;
        double there = wall_of(job, block, beside, a);
        double mu = (double)near->coefficient[4 * (dr_halo_place(c) + side * dr_halo_step[b]) + a];
        found->normal[b] += side * (there - here);
        if (there > 0.0 || !(mu > 0.0) || isinf(mu)) continue;
        found->theta[way] = fmax(here / (here - there), DR_LIQUID_LEAST_CUT);
        found->mu = fmax(found->mu, mu);
        any = true;
    }
    for (int b = 0; b < 3; b++) length += found->normal[b] * found->normal[b];
    for (int b = 0; b < 3 && length > 0.0; b++) found->normal[b] /= sqrt(length);
    return any && length > 0.0;
}

// That on the wall: it goes on as it does on the way from the next face behind, as far as there is liquid.
static double pressure_on(const around *near, int at, int a, const contact *wall)
{
    double here = pressure_at(near, at, a), there = here;
    for (int way = 0; way < 6; way++) {
        int b = way / 2, side = way & 1 ? 1 : -1;
        double behind = wall->theta[way] > 0.0 ? pressure_at(near, at - side * dr_halo_step[b], a) : 0.0;
        if (behind > 0.0) there += wall->normal[b] * wall->normal[b] * wall->theta[way] * (here - behind);
    }
    return fmax(0.0, there);
}

// eq. (17): every link to a solid face carries its share n_b of the wall's area.
static void push_face(const job *job, size_t item, int a, const contact *wall, double stress)
{
    double share = 0.0;
    for (int way = 0; way < 6; way++) share += wall->theta[way] > 0.0 ? fabs(wall->normal[way / 2]) : 0.0;
    job->push[4 * item + (size_t)a] = (float)(-job->friction->dt / job->grid->cell * stress * share);
    job->slips[item] |= (uint8_t)(1U << a);
}

// Whether the wall beside a face would have to bear more than mu p, eq. (16).
static bool slip_face(const job *job, const around *near, size_t block, int c, int a)
{
    contact wall;
    double r[3], along = 0.0, size = 0.0, theta = 1.0;
    int at = dr_halo_place(c);
    if (!find_contact(job, near, block, c, a, &wall)) return false;
    relative_velocity(near, at, a, r);
    for (int l = 0; l < 3; l++) along += r[l] * wall.normal[l];
    for (int l = 0; l < 3; l++) r[l] -= along * wall.normal[l], size += r[l] * r[l];
    for (int way = 0; way < 6; way++) theta = wall.theta[way] > 0.0 ? fmin(theta, wall.theta[way]) : theta;
    size = sqrt(size);
    double most = wall.mu * pressure_on(near, at, a, &wall);
    double trial = job->friction->viscosity * size / (theta * job->grid->cell);
    if (!(trial > most)) return false;
    push_face(job, block * DR_BLOCK_NODES + (size_t)c, a, &wall, most * r[a] / size);
    return true;
}

static bool has_friction(const around *near)
{
    for (int i = 0; i < 4 * DR_HALO_ITEMS; i++) {
        if (i % 4 < 3 && near->coefficient[i] > 0.0F && !isinf(near->coefficient[i])) return true;
    }
    return false;
}

static void find_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *job = user;
    const dr_friction *friction = job->friction;
    for (size_t b = begin; b < end; b++) {
        around near;
        double count = 0.0;
        memset(job->push + 4 * DR_BLOCK_NODES * b, 0, 4 * DR_BLOCK_NODES * sizeof(float));
        memset(job->slips + DR_BLOCK_NODES * b, 0, DR_BLOCK_NODES);
        job->partial[b] = 0.0;
        dr_halo_load_fours(job->grid, b, friction->coefficient, 0.0F, near.coefficient);
        if (!has_friction(&near)) continue;
        dr_halo_load_fours(job->grid, b, friction->velocity, 0.0F, near.velocity);
        dr_halo_load_fours(job->grid, b, friction->solid_velocity, 0.0F, near.solid_velocity);
        dr_halo_load(job->grid, b, friction->pressure, 0.0F, near.pressure);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) count += slip_face(job, &near, b, i / 3, i % 3) ? 1.0 : 0.0;
        job->partial[b] = count;
    }
}

// A solid face lets go where liquid beside it slips.
static void release_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t slips[DR_HALO_ITEMS];
        dr_halo_load_bytes(job->grid, b, job->slips, 0, slips);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            int at = dr_halo_place(c), beside = 0;
            for (int k = 0; k < 3; k++) beside |= slips[at - dr_halo_step[k]] | slips[at + dr_halo_step[k]];
            for (int a = 0; a < 3 && beside; a++) {
                size_t face = 4 * (b * DR_BLOCK_NODES + (size_t)c) + (size_t)a;
                if (beside >> a & 1 && !isinf(job->friction->coefficient[face])) job->no_slip[face] = 0.0F;
            }
        }
    }
}

double dr_friction_find(const dr_friction *friction, const dr_grid *grid, const dr_par *par, const dr_friction_slip *to,
                        double *partial)
{
    job job = {friction, grid, to->no_slip, to->push, to->slips, partial};
    dr_par_for(par, grid->block_count, 8, find_blocks, &job);
    double count = dr_par_sum(partial, grid->block_count);
    if (count > 0.0) dr_par_for(par, grid->block_count, 32, release_blocks, &job);
    return count;
}
