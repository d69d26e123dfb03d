// Implicit variational viscosity: the solve. docs/theory/viscosity.md.
#include "liquid/viscosity.h"

#include <string.h>

enum { CELLS = DR_STRAIN_CELLS, FACES = DR_STRAIN_FACES, UNKNOWNS = DR_STRAIN_UNKNOWNS };

void dr_viscosity_open(dr_viscosity *viscosity, const dr_allocator *allocator)
{
    *viscosity = (dr_viscosity){.allocator = allocator};
    dr_krylov_open(&viscosity->krylov, allocator);
    dr_viscosity_multigrid_open(&viscosity->multigrid, allocator);
}

static void free_vectors(dr_viscosity *viscosity)
{
    size_t bytes = viscosity->capacity * UNKNOWNS * sizeof(double);
    dr_memory_free(viscosity->allocator, viscosity->rhs, bytes);
    dr_memory_free(viscosity->allocator, viscosity->unknown, bytes);
    viscosity->rhs = viscosity->unknown = NULL;
    viscosity->capacity = 0;
}

void dr_viscosity_close(dr_viscosity *viscosity)
{
    free_vectors(viscosity);
    dr_krylov_close(&viscosity->krylov);
    dr_viscosity_multigrid_close(&viscosity->multigrid);
    *viscosity = (dr_viscosity){0};
}

static bool reserve(dr_viscosity *viscosity, size_t blocks)
{
    if (!dr_krylov_reserve(&viscosity->krylov, blocks * UNKNOWNS)) return false;
    if (blocks <= viscosity->capacity) return true;
    free_vectors(viscosity);
    viscosity->capacity = blocks + blocks / 4;
    viscosity->rhs = dr_memory_alloc(viscosity->allocator, viscosity->capacity * UNKNOWNS * sizeof(double));
    viscosity->unknown = dr_memory_alloc(viscosity->allocator, viscosity->capacity * UNKNOWNS * sizeof(double));
    if (viscosity->rhs && viscosity->unknown) return true;
    free_vectors(viscosity);
    return false;
}

size_t dr_viscosity_bytes(const dr_viscosity *viscosity)
{
    return 2 * viscosity->capacity * UNKNOWNS * sizeof(double) + dr_krylov_bytes(&viscosity->krylov) +
           dr_viscosity_multigrid_bytes(&viscosity->multigrid);
}

// ---- between faces [block][64][4] and vectors [block][3][64]

typedef struct faces {
    const dr_strain *strain;
    float *velocity;
    const float *push, *start;
    double *unknown, *rhs;
} faces;

static size_t face_of(size_t f)
{
    return (f / UNKNOWNS * CELLS + f % CELLS) * 4 + f / CELLS % FACES;
}

// unknown = u*, rhs = M u* + push - rhs, on the faces that are solved for.
static void take_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const faces *job = user;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) {
        bool solved = job->strain->inverse[f] > 0.0;
        float mass = job->strain->coefficient[f / UNKNOWNS * DR_STRAIN_COEFFICIENTS * CELLS + f % UNKNOWNS];
        double velocity = solved ? (double)job->velocity[face_of(f)] : 0.0;
        double push = job->push ? (double)job->push[face_of(f)] : 0.0;
        job->unknown[f] = solved && job->start ? (double)job->start[face_of(f)] : velocity;
        job->rhs[f] = solved ? (double)mass * velocity + push - job->rhs[f] : 0.0;
    }
}

static void give_faces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const faces *job = user;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) {
        if (job->strain->inverse[f] > 0.0) job->velocity[face_of(f)] = (float)job->unknown[f];
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

bool dr_viscosity_solve(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                        const dr_strain_problem *problem, const dr_krylov_goal *goal, float *velocity,
                        dr_solve_report *report)
{
    size_t blocks = grid->block_count;
    *report = (dr_solve_report){"viscosity", DR_REASON_CONVERGED, 0, 0.0};
    if (blocks == 0) return true;
    if (!reserve(viscosity, blocks) || !dr_viscosity_multigrid_assemble(&viscosity->multigrid, grid, par, problem))
        return false;
    const dr_strain *strain = &viscosity->multigrid.level[0].strain;
    faces job = {strain, velocity, problem->push, problem->start, viscosity->unknown, viscosity->rhs};
    dr_strain_push(strain, viscosity->rhs);
    dr_par_for(par, blocks, 64, take_faces, &job);
    dr_krylov_system system = {blocks * UNKNOWNS, viscosity, apply, precondition};
    *report = dr_krylov_solve(&viscosity->krylov, par, &system, goal, viscosity->rhs, viscosity->unknown);
    report->name = "viscosity";
    if (report->reason != DR_REASON_NOT_FINITE) dr_par_for(par, blocks, 64, give_faces, &job);
    return true;
}
