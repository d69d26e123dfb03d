// The viscous operator on the staggered grid: mass of faces plus dissipation of strains, M + G^T G.
// docs/theory/viscosity.md.
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare), corner arrays [block][64] at
//   the cell's lower corner; where there is no block there is air; vectors [block][3][64]
#ifndef DR_LIQUID_STRAIN_H
#define DR_LIQUID_STRAIN_H

#include "base/memory.h"
#include "grid/grid.h"

typedef struct dr_strain_problem {
    double dt;
    const float *level;                        // [cell] signed distance, negative in the liquid, into solids too, cm
    const float *viscosity;                    // [cell] g/(cm s), read in liquid cells; NULL: uniform_viscosity
    const float *edge_viscosity;               // [block][4][64] of the lower x, y, z edges; NULL: means of cells
    const float *density;                      // [cell] g/cm3, read in liquid cells; NULL: uniform_density
    double uniform_viscosity, uniform_density; // the density also where the array has 0
    const float *mass;                         // [face] g, NULL: density times the liquid volume around the face
    const float *solid;                        // [corner] signed distance, negative inside, cm; NULL: no solids
    const float *solid_velocity;               // [face] cm/s, inside solids and one face beyond; NULL: at rest
    const float *no_slip;                      // [face] in solids: 1 no slip .. 0 free slip; NULL: no slip,
    bool slips;                                // or free slip
    const float *stress;                       // [block][6][64] given stress: xx, yy, zz of cells, then of the lower
                                               // x, y, z edges, dyn/cm2; borne where there is viscosity; NULL: none
    const float *start;                        // [face] where iterations begin, cm/s; NULL: the velocity
    bool hands_over;                           // faces beyond the surface hand what they get to those inside
    const float *push;                         // [face] added to density times velocity, g/(cm2 s); NULL: nothing
} dr_strain_problem;

enum {
    DR_STRAIN_CELLS = DR_BLOCK_NODES,
    DR_STRAIN_FACES = 3,
    DR_STRAIN_UNKNOWNS = DR_STRAIN_FACES * DR_STRAIN_CELLS, // of a block
    DR_STRAIN_COEFFICIENTS = 12
};
enum { DR_STRAIN_BEARS = 1, DR_STRAIN_SOLVES = 2 }; // a busy block: bears strains; has unknowns

typedef struct dr_strain {
    const dr_allocator *allocator;
    size_t capacity;     // blocks
    float *coefficient;  // [block][12][64]: mass of 3 faces, 3 normal strains, 6 parts of shear strains
    float *known;        // [block][6][64]: what solids add to the strains
    double *stress;      // [block][9][64]
    double *inverse;     // [block][3][64]: of the diagonal, 0 where a face is not solved for
    uint8_t *busy;       // [block]: DR_STRAIN_BEARS, DR_STRAIN_SOLVES
    uint64_t *plain;     // [block] cells deep in one liquid and away from walls, as bits
    float *unit, *share; // of a viscosity of 1: coefficient, and what a given strain is multiplied by, [block][6][64]
    size_t unit_capacity;
    bool pushed;         // solids or given stress add to the strains
    const dr_grid *grid; // assembled for
    const dr_par *par;
} dr_strain;

void dr_strain_open(dr_strain *strain, const dr_allocator *allocator);
void dr_strain_close(dr_strain *strain);
size_t dr_strain_bytes(const dr_strain *strain);

// False when memory is out. dr_strain_assemble reserves what it needs.
bool dr_strain_reserve(dr_strain *strain, size_t blocks);
bool dr_strain_assemble(dr_strain *strain, const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem);

// The same in two parts, where one liquid is solved for with several viscosities: what they do not change, and they.
// Solids are at rest. from: [block] where viscosities of edges and stress are found, NULL: in the block's own place.
bool dr_strain_outline(dr_strain *strain, const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem);
void dr_strain_thicken(dr_strain *strain, const dr_strain_problem *problem, const uint32_t *from);

// y = (M + G^T G) x on the faces that are solved for, 0 elsewhere.
void dr_strain_apply(const dr_strain *strain, const double *x, double *y);

// The stress of velocities x, with what solids add to it: [block][9][64] of the strain.
void dr_strain_stress(const dr_strain *strain, const double *x);

// y = G^T q0: the stress that solids put on the faces where nothing else moves.
void dr_strain_push(const dr_strain *strain, double *y);

#endif
