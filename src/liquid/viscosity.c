// Implicit variational viscosity: the solve. docs/theory/viscosity.md.
#include "liquid/viscosity.h"

#include "liquid/viscosity_surface.h"

#include <string.h>

enum { CELLS = DR_STRAIN_CELLS, FACES = DR_STRAIN_FACES, UNKNOWNS = DR_STRAIN_UNKNOWNS };

void dr_viscosity_open(dr_viscosity *viscosity, const dr_allocator *allocator)
{
    *viscosity = (dr_viscosity){.allocator = allocator};
    dr_krylov_open(&viscosity->krylov, allocator);
    dr_viscosity_multigrid_open(&viscosity->multigrid, allocator);
}

// ---- memory

enum { ARRAYS = 17, STRESSES = 6 };

static void list_arrays(dr_viscosity *v, dr_work_array list[ARRAYS])
{
    const size_t cells = CELLS * sizeof(float), faces = 4 * cells, vector = UNKNOWNS * sizeof(double);
    const dr_work_array arrays[ARRAYS] = {
        {(void **)&v->rhs, vector},
        {(void **)&v->unknown, vector},
        {(void **)&v->block, sizeof *v->block},
        {(void **)&v->grid.coordinate, 3 * sizeof(int32_t)},
        {(void **)&v->grid.neighbour, 27 * sizeof(int32_t)},
        {(void **)&v->level, cells},
        {(void **)&v->viscosity, cells},
        {(void **)&v->density, cells},
        {(void **)&v->solid, cells},
        {(void **)&v->mass, faces},
        {(void **)&v->solid_velocity, faces},
        {(void **)&v->no_slip, faces},
        {(void **)&v->push, faces},
        {(void **)&v->start, faces},
        {(void **)&v->stress, STRESSES * cells},
        {(void **)&v->edge_viscosity, 4 * cells},
        {(void **)&v->mask, DR_VISCOSITY_MASKS * sizeof *v->mask},
    };
    memcpy(list, arrays, sizeof arrays);
}

void dr_viscosity_close(dr_viscosity *viscosity)
{
    dr_work_array list[ARRAYS];
    list_arrays(viscosity, list);
    dr_work_free(viscosity->allocator, list, ARRAYS, &viscosity->capacity);
    dr_memory_free(viscosity->allocator, viscosity->number, viscosity->number_capacity * sizeof *viscosity->number);
    dr_krylov_close(&viscosity->krylov);
    dr_viscosity_multigrid_close(&viscosity->multigrid);
    *viscosity = (dr_viscosity){0};
}

static bool reserve(dr_viscosity *viscosity, size_t blocks)
{
    dr_work_array list[ARRAYS];
    list_arrays(viscosity, list);
    return dr_krylov_reserve(&viscosity->krylov, blocks * UNKNOWNS) &&
           dr_work_reserve(viscosity->allocator, list, ARRAYS, &viscosity->capacity, blocks);
}

size_t dr_viscosity_bytes(const dr_viscosity *viscosity)
{
    dr_viscosity copy = *viscosity;
    dr_work_array list[ARRAYS];
    size_t sum = dr_krylov_bytes(&viscosity->krylov) + dr_viscosity_multigrid_bytes(&viscosity->multigrid) +
                 viscosity->number_capacity * sizeof *viscosity->number;
    list_arrays(&copy, list);
    for (int i = 0; i < ARRAYS; i++) sum += viscosity->capacity * list[i].row_bytes;
    return sum;
}

// ---- the blocks that liquid is in or beside

enum { AWAY = -1, BESIDE = -2 }; // numbers before blocks are counted

typedef struct selection {
    dr_viscosity *viscosity;
    const dr_grid *grid;
    const dr_strain_problem *problem;
} selection;

// Liquid, or what is within a cell of it.
static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const selection *job = user;
    for (size_t b = begin; b < end; b++) {
        const float *level = job->problem->level + b * CELLS;
        float low = level[0];
        for (int c = 1; c < CELLS; c++) low = level[c] < low ? level[c] : low;
        job->viscosity->number[b] = low <= (float)job->grid->cell ? BESIDE : AWAY;
    }
}

static bool is_beside(const selection *job, size_t block)
{
    const int32_t *neighbour = job->grid->neighbour + 27 * block, *number = job->viscosity->number;
    bool beside = false;
    for (int n = 0; n < 27 && !beside; n++) beside = neighbour[n] >= 0 && number[neighbour[n]] != AWAY;
    return beside;
}

// In their order, so that theirs are the keys of a Morton curve too.
static bool select_blocks(const selection *job, const dr_par *par, size_t *count)
{
    dr_viscosity *viscosity = job->viscosity;
    size_t blocks = job->grid->block_count, selected = 0;
    if (!dr_memory_reserve(viscosity->allocator, (void **)&viscosity->number, &viscosity->number_capacity, 2 * blocks,
                           sizeof *viscosity->number))
        return false;
    int32_t *order = viscosity->number + blocks;
    dr_par_for(par, blocks, 64, look_blocks, (void *)job);
    for (size_t b = 0; b < blocks; b++) {
        order[b] = is_beside(job, b) ? (int32_t)selected : AWAY;
        if (order[b] != AWAY) selected++;
    }
    memcpy(viscosity->number, order, blocks * sizeof *order);
    *count = selected;
    return reserve(viscosity, selected);
}

static void number_blocks(const selection *job)
{
    dr_viscosity *viscosity = job->viscosity;
    for (size_t b = 0; b < job->grid->block_count; b++) {
        if (viscosity->number[b] != AWAY) viscosity->block[viscosity->number[b]] = (uint32_t)b;
    }
}

static void copy(size_t to, size_t from, int floats, const float *field, float *own)
{
    size_t size = (size_t)floats * CELLS;
    if (field) memcpy(own + to * size, field + from * size, size * sizeof *own);
}

static void copy_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const selection *job = user;
    dr_viscosity *v = job->viscosity;
    const dr_strain_problem *problem = job->problem;
    for (size_t i = begin; i < end; i++) {
        size_t b = v->block[i];
        memcpy(v->grid.coordinate + 3 * i, job->grid->coordinate + 3 * b, 3 * sizeof(int32_t));
        for (size_t n = 0; n < 27; n++) {
            int32_t to = job->grid->neighbour[27 * b + n];
            v->grid.neighbour[27 * i + n] = to < 0 ? -1 : v->number[to];
        }
        copy(i, b, 1, problem->level, v->level);
        copy(i, b, 1, problem->viscosity, v->viscosity);
        copy(i, b, 1, problem->density, v->density);
        copy(i, b, 1, problem->solid, v->solid);
        copy(i, b, 4, problem->mass, v->mass);
        copy(i, b, 4, problem->solid_velocity, v->solid_velocity);
        copy(i, b, 4, problem->no_slip, v->no_slip);
        copy(i, b, 4, problem->push, v->push);
        copy(i, b, 4, problem->start, v->start);
        copy(i, b, STRESSES, problem->stress, v->stress);
        copy(i, b, 4, problem->edge_viscosity, v->edge_viscosity);
    }
}

// The problem on those blocks alone.
static dr_strain_problem pose(const selection *job, const dr_par *par, size_t count)
{
    dr_viscosity *v = job->viscosity;
    dr_strain_problem problem = *job->problem;
    v->grid.block_count = count;
    v->grid.cell = job->grid->cell;
    memcpy(v->grid.period, job->grid->period, sizeof v->grid.period);
    number_blocks(job);
    dr_par_for(par, count, 16, copy_blocks, (void *)job);
    problem.level = v->level;
    if (problem.viscosity) problem.viscosity = v->viscosity;
    if (problem.density) problem.density = v->density;
    if (problem.solid) problem.solid = v->solid;
    if (problem.mass) problem.mass = v->mass;
    if (problem.solid_velocity) problem.solid_velocity = v->solid_velocity;
    if (problem.no_slip) problem.no_slip = v->no_slip;
    if (problem.push) problem.push = v->push;
    if (problem.start) problem.start = v->start;
    if (problem.stress) problem.stress = v->stress;
    if (problem.edge_viscosity) problem.edge_viscosity = v->edge_viscosity;
    return problem;
}

// ---- between faces [block][64][4] and vectors [block][3][64]

typedef struct faces {
    const dr_strain *strain;
    const uint32_t *block; // of the velocity
    float *velocity;
    const float *push, *start;
    double *unknown, *rhs;
    bool from_rest, hands_over;
} faces;

static size_t face_of(size_t f)
{
    return (f / UNKNOWNS * CELLS + f % CELLS) * 4 + f / CELLS % FACES;
}

static float *velocity_of(const faces *job, size_t f)
{
    return job->velocity + (job->block[f / UNKNOWNS] * (size_t)CELLS + f % CELLS) * 4 + f / CELLS % FACES;
}

// unknown = u*, rhs = M u* + push - rhs, on the faces that are solved for.
static void take_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const faces *job = user;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) {
        bool solved = job->strain->inverse[f] > 0.0;
        float mass = job->strain->coefficient[f / UNKNOWNS * DR_STRAIN_COEFFICIENTS * CELLS + f % UNKNOWNS];
        double velocity = solved ? (double)*velocity_of(job, f) : 0.0;
        double push = job->push ? (double)job->push[face_of(f)] : 0.0;
        job->unknown[f] = job->from_rest ? 0.0 : solved && job->start ? (double)job->start[face_of(f)] : velocity;
        job->rhs[f] = solved ? (double)mass * velocity + push - job->rhs[f] : 0.0;
    }
}

static void give_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const faces *job = user;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) {
        if (job->strain->inverse[f] > 0.0) *velocity_of(job, f) = (float)job->unknown[f];
    }
}

// ---- the solve

static void apply(void *user, const double *x, double *y)
{
    const dr_viscosity *viscosity = user;
    dr_strain_apply(&viscosity->multigrid.level[0].strain, x, y);
}

static void precondition(void *user, const double *r, double *z)
{
    dr_viscosity *viscosity = user;
    dr_viscosity_multigrid_precondition(&viscosity->multigrid, r, z);
}

// The blocks of a problem, and the problem on them; *blocks is 0 where there are none. False when memory is out.
static bool begin(const selection *job, const dr_par *par, dr_strain_problem *own, size_t *blocks)
{
    *blocks = 0;
    job->viscosity->grid.block_count = 0;
    if (job->grid->block_count == 0) return true;
    if (!select_blocks(job, par, blocks)) return false;
    if (*blocks > 0) *own = pose(job, par, *blocks);
    return true;
}

// In rhs, which nobody reads any more: what solids bear is the stress of the solve's own answer.
static void hand_over(const dr_viscosity *viscosity, faces *all)
{
    memcpy(viscosity->rhs, viscosity->unknown, viscosity->grid.block_count * UNKNOWNS * sizeof *viscosity->rhs);
    all->unknown = viscosity->rhs;
    const dr_viscosity_surface surface = {.strain = all->strain,
                                          .level = viscosity->level,
                                          .block = viscosity->block,
                                          .velocity = all->velocity,
                                          .unknown = all->unknown,
                                          .mask = viscosity->mask};
    dr_viscosity_surface_hand(&surface);
}

static dr_solve_report solve(dr_viscosity *viscosity, const dr_par *par, const dr_krylov_goal *goal, faces *all)
{
    size_t blocks = viscosity->grid.block_count;
    all->strain = &viscosity->multigrid.level[0].strain;
    all->block = viscosity->block;
    all->unknown = viscosity->unknown;
    all->rhs = viscosity->rhs;
    dr_strain_push(all->strain, viscosity->rhs);
    dr_par_for(par, blocks, 64, take_faces, all);
    dr_krylov_system system = {blocks * UNKNOWNS, viscosity, apply, precondition};
    dr_solve_report report =
        dr_krylov_solve(&viscosity->krylov, par, &system, goal, viscosity->rhs, viscosity->unknown);
    report.name = "viscosity";
    if (report.reason == DR_REASON_NOT_FINITE) return report;
    if (all->hands_over) hand_over(viscosity, all);
    dr_par_for(par, blocks, 64, give_faces, all);
    return report;
}

static const dr_solve_report no_solve = {"viscosity", DR_REASON_CONVERGED, 0, 0.0};

bool dr_viscosity_solve(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                        const dr_strain_problem *problem, const dr_krylov_goal *goal, float *velocity,
                        dr_solve_report *report)
{
    size_t blocks;
    selection job = {viscosity, grid, problem};
    dr_strain_problem own;
    *report = no_solve;
    if (!begin(&job, par, &own, &blocks)) return false;
    if (blocks == 0) return true;
    if (!dr_viscosity_multigrid_assemble(&viscosity->multigrid, &viscosity->grid, par, &own)) return false;
    faces all = {.velocity = velocity, .push = own.push, .start = own.start, .hands_over = own.hands_over};
    *report = solve(viscosity, par, goal, &all);
    return true;
}

// ---- several solves in one liquid

bool dr_viscosity_measure(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                          const dr_strain_problem *problem)
{
    size_t blocks;
    dr_strain_problem still = *problem;
    still.viscosity = still.edge_viscosity = still.stress = still.push = still.start = still.solid_velocity = NULL;
    selection job = {viscosity, grid, &still};
    return begin(&job, par, &viscosity->measured, &blocks) &&
           (blocks == 0 ||
            dr_viscosity_multigrid_measure(&viscosity->multigrid, &viscosity->grid, par, &viscosity->measured));
}

typedef struct thrust_job {
    const dr_viscosity *viscosity;
    float *thrust;
} thrust_job;

static void thrust_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const thrust_job *job = user;
    const dr_viscosity *v = job->viscosity;
    const dr_strain *strain = &v->multigrid.level[0].strain;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) {
        size_t face = (v->block[f / UNKNOWNS] * (size_t)CELLS + f % CELLS) * 4 + f / CELLS % FACES;
        float mass = strain->coefficient[f / UNKNOWNS * DR_STRAIN_COEFFICIENTS * CELLS + f % UNKNOWNS];
        bool moves = strain->inverse[f] > 0.0 && mass > 0.0F;
        job->thrust[face] = moves ? (float)(-v->rhs[f] / (double)mass) : 0.0F;
    }
}

void dr_viscosity_thrust(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par, const float *stress,
                         float *thrust)
{
    dr_strain_problem unit = viscosity->measured;
    size_t blocks = viscosity->grid.block_count;
    thrust_job job = {viscosity, thrust};
    memset(thrust, 0, grid->block_count * 4 * CELLS * sizeof *thrust);
    if (blocks == 0) return;
    unit.uniform_viscosity = 1.0;
    unit.stress = stress;
    dr_strain_thicken(&viscosity->multigrid.level[0].strain, &unit, viscosity->block);
    dr_strain_push(&viscosity->multigrid.level[0].strain, viscosity->rhs);
    dr_par_for(par, blocks, 64, thrust_blocks, &job);
}

typedef struct cell_copy {
    const dr_viscosity *viscosity;
    const float *from;
} cell_copy;

static void copy_cells(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const cell_copy *job = user;
    for (size_t i = begin; i < end; i++) copy(i, job->viscosity->block[i], 1, job->from, job->viscosity->viscosity);
}

bool dr_viscosity_solve_measured(dr_viscosity *viscosity, const dr_strain_problem *problem, const dr_krylov_goal *goal,
                                 float *velocity, dr_solve_report *report)
{
    const dr_par *par = viscosity->multigrid.par;
    size_t blocks = viscosity->grid.block_count;
    *report = no_solve;
    if (blocks == 0) return true;
    cell_copy job = {viscosity, problem->viscosity};
    dr_strain_problem own = viscosity->measured;
    dr_par_for(par, blocks, 64, copy_cells, &job);
    own.viscosity = viscosity->viscosity;
    own.edge_viscosity = problem->edge_viscosity;
    own.stress = problem->stress;
    if (!dr_viscosity_multigrid_thicken(&viscosity->multigrid, &own, viscosity->block)) return false;
    faces all = {.velocity = velocity, .from_rest = true};
    *report = solve(viscosity, par, goal, &all);
    return true;
}
