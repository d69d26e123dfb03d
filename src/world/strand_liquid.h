// Strands in liquid within the step: what their vertices bring to the liquid's grid and receive from it.
// docs/theory/strands_in_liquid.md.
//   [face]: [block][64][4], the lower x, y, z face of a cell and a spare
#ifndef DR_WORLD_STRAND_LIQUID_H
#define DR_WORLD_STRAND_LIQUID_H

#include "grid/particles.h"
#include "grid/transfer.h"
#include "mixture/drag.h"
#include "mixture/mixture.h"
#include "strand/strand.h"
#include "world/try.h"

#define DR_VERTEX_CHUNK 1024 // vertices, samples

enum { DR_STRAND_FIELDS = 3 }; // that samples read at once

// A sample of a vertex, or a vertex of a sample: what the kernel of the one counts in that of the other.
typedef struct dr_strand_tie {
    uint32_t at;
    float weight;
} dr_strand_tie;

typedef struct dr_strand_ties {
    uint32_t *first; // [vertex or sample, + 1]
    dr_strand_tie *tie;
    size_t first_capacity, capacity;
} dr_strand_ties;

// The kernels of vertices are sums of those of samples, about one in a cell along the strand: along edges that are long
// against cells a vertex has several, and vertices closer together share them.
typedef struct dr_strand_samples {
    size_t count, capacity;
    dr_points points;
    double *position; // [sample][3] cm
    double *ahead;    // [sample] where on the edge to the next (positive) or last vertex, of its length
    int32_t *vertex;  // [sample] at which, or on whose edge, it is
    float *brought;   // [sample][fields][4] what its vertices bring
    float *value;     // [sample][fields][4] of the last reading
    size_t fields;
    dr_strand_ties of_vertex, of_sample;
    uint32_t *sorted;   // [sample] in the order of blocks, and of cells in these
    dr_residents every; // all of them in that order; of `points` but for the index
    // Those whose kernels reach liquid, which all else is done with once they are known.
    bool sorted_out;
    unsigned char *wet;     // [sample]
    uint32_t *listed;       // [sample] in the same order
    dr_residents residents; // of these
} dr_strand_samples;

typedef struct dr_strand_liquid {
    bool active;     // there are strands and liquid
    bool wet;        // some strand is in liquid in this try
    bool *strand;    // [strand] is in liquid
    double *mass;    // [vertex][3] liquid around it, by component, g
    double *lighter; // [vertex][3] 1 over that; 0 where there is none
    double *share;   // [vertex] of the volume around it that strands take
    double *open;    // [vertex] what solids leave of the kernel around it
    double *exposed; // [vertex] how much of bridges there is: 0 where liquid is around it, 1 in air
    double *filled;  // [vertex] share of the pores around it that liquid fills
    double *drag;    // [vertex][2] along and across, impulse per velocity in a step, g
    double *yield;   // [vertex] how much the liquid around yields to impulses of all strands there, 1/g
    double *answer;  // [vertex][2] drag against liquid that yields, over the step, dyn s/cm
    double *tangent; // [vertex][3]
    double *own;     // [vertex] share of the volume around it that its own strand takes; 0 where that is not counted
    double
        *form_drag;  // [vertex] what of the thrust of its drag on the liquid around is pressure, at the end of the step
    double *slip;    // [vertex] speed relative to the liquid around it at the end of the step, cm/s
    double *target;  // [vertex][3] velocity that drag pulls towards, cm/s
    double *stream;  // [vertex][3] velocity of the liquid without the drag of strands, cm/s
    double *first;   // [vertex][3] target of the strands' first pass
    double *freedom; // [vertex][3]
    double *slope;   // [vertex][3] pressure gradient, dyn/cm3
    double *volume;  // [vertex] cm3
    double *length;  // [vertex] cm
    unsigned char *near; // [vertex] its kernel reaches liquid
    uint32_t *run;       // [run][2] such vertices in a row, from and to
    size_t runs;
    unsigned char *arid; // [block] no liquid there or in the blocks above
    double *given;       // [vertex][3] impulses of drag as far as they are known, dyn s
    double *product;     // [vertex] of sums
    double sorting;      // CPU s that putting samples in order took
    double energy;       // of drag, as P has it, erg: what is left of the equations is measured by it
    double *before;      // [vertex][12] target, guess, slope and given of before
    double *impulse, *residual, *direction, *image, *guess; // [vertex][3] of strand_drag.c
    float *bring; // [vertex][fields][4] what vertices near liquid bring to faces in the next spread
    size_t vertex_capacity, strand_capacity;
    dr_strand_samples samples;
    size_t capacity;                 // blocks
    float *fibres, *spare;           // [face] volume of strands; anything
    float *hold, *pull, *lift;       // [face] of dr_phase_members
    float *current, *follow, *slide; // [face] flux, follow, mobility of dr_phase_members
    float *flux, *mobility;          // [face] of the mixture
    float *way, *missed;             // [face] gradient of a further pressure; flux that the mixture misses
    float *rise, *risen;             // [cell] that pressure; all further pressures so far
    float *mending, *mender;         // [face], [cell] what would mend it: a pressure and its gradient
    double *sums;                    // [block][2]
    double missed_share;             // of the flux that the first pressure promised, over what it did
    dr_phase_members members;
} dr_strand_liquid;

dr_status dr_strand_liquid_open(dr_world *world, dr_error *error); // after strands and liquid were made
void dr_strand_liquid_close(dr_world *world);
bool dr_strand_samples_place(dr_world *world);  // before the grid is built
bool dr_strand_liquid_reserve(dr_world *world); // for the grid's blocks
void dr_strand_liquid_gather(dr_world *world);  // volume; after the liquid

// Before the strands' first pass: drag towards the liquid as predicted. After it: what they would answer.
bool dr_strand_liquid_drag(dr_world *world, const dr_try *attempt);   // false when memory is out
bool dr_strand_liquid_answer(dr_world *world, const dr_try *attempt); // false when memory is out

void dr_strand_liquid_fill(dr_world *world);            // tells the liquid what strands leave of its cells
void dr_strand_liquid_meet(dr_world *world);            // and whether they are a phase of its pressure
void dr_strand_liquid_mix(dr_world *world, double dt);  // before the pressure
void dr_strand_liquid_free(dr_world *world, double dt); // after it: the liquid's velocity without the drag of strands

// Before the strands' second pass: pressure and drag. After contact: what they received, back on the liquid.
bool dr_strand_liquid_press(dr_world *world, const dr_try *attempt); // false when memory is out
void dr_strand_liquid_react(dr_world *world, const dr_try *attempt);

void dr_strand_liquid_commit(dr_world *world); // writes how fast strands are relative to liquid

void dr_strand_liquid_note(dr_world *world, double dt);    // spare: the liquid's momentum, what solids leave open
void dr_strand_liquid_load(dr_world *world, bool pressed); // tells the strands' solver of drag and pressure

// strand_samples.c
bool dr_strand_samples_make(dr_world *world); // false when memory is out
void dr_strand_samples_free(dr_world *world);
void dr_strand_samples_sort(dr_world *world);                             // cell by cell; after the grid was built
double dr_strand_half_before(const dr_strands *strands, int s, size_t v); // half the edge on either side of a vertex
double dr_strand_half_after(const dr_strands *strands, int s, size_t v);
// Sums of w times what vertices bring on faces, of several fields at once; of samples near liquid alone.
void dr_strand_samples_spread(const dr_world *world, int fields, float *const *face);
// One number per vertex to all faces and, in place of the spare, cells; of all samples.
void dr_strand_samples_spread_one(const dr_world *world, const double *value, float *face);
// Once the liquid's mass on faces was read: samples that no liquid is near take no further part in this try. False when
// memory is out.
bool dr_strand_samples_sort_out(dr_world *world);
void dr_strand_samples_list(dr_world *world); // then: runs of vertices that are near liquid
// Sums of w times fields on faces at samples; skip: [block] where they are 0, may be NULL.
void dr_strand_samples_read(dr_world *world, dr_transfer_fields what, const float *const *face,
                            const unsigned char *skip);
// What a vertex has of them.
static inline void dr_strand_samples_join(const dr_strand_samples *samples, size_t v, double (*out)[4])
{
    size_t fields = samples->fields;
    for (size_t f = 0; f < fields; f++) out[f][0] = out[f][1] = out[f][2] = out[f][3] = 0.0;
    for (size_t i = samples->of_vertex.first[v]; i < samples->of_vertex.first[v + 1]; i++) {
        size_t k = samples->of_vertex.tie[i].at;
        double weight = (double)samples->of_vertex.tie[i].weight;
        if (!samples->wet[k]) continue;
        for (size_t f = 0; f < fields; f++) {
            for (size_t a = 0; a < 4; a++) out[f][a] += weight * (double)samples->value[4 * (fields * k + f) + a];
        }
    }
}
// What of the share of strands around a vertex is its own strand's.
double dr_strand_samples_own(const dr_world *world, int s, size_t v);

// strand_law.c: drag of a vertex that is in liquid by the law, filled and exposed. target, mass, share and open are
// known; kinds: density and viscosity of several liquids around.
void dr_strand_law_find(dr_world *world, double dt, int s, size_t v, const double kinds[2]);
// How fast a vertex is relative to the liquid around it at the end of a step in which drag gave it this impulse: the
// speed at which the law is taken in the next.
double dr_strand_law_slip(const dr_strand_liquid *wet, size_t v, const double impulse[3]);

// strand_form_drag.c: what of the thrust of a vertex' own drag on the liquid around it is pressure, from the gradient
// around it and farther away. slope is the gradient, force that of drag on it. 0 where that cannot be told.
double dr_strand_form_drag_find(const dr_world *world, size_t v, const double force[3]);

// strand_drag.c: drag of all strands and the liquid between them at once. stream, slope, base and first are known;
// finds target and, in guess, the velocities that strands, made linear, then have, or nearly so. Begins with the
// impulses that are given unless it is done anew. False when memory is out.
// flown: whether pull and lift are what drag gives the liquid on faces and the flux of strands, as in supply_flow.
bool dr_strand_drag_solve(dr_world *world, double dt, bool anew, bool *flown);
bool dr_strand_drag_guess(dr_world *world, double dt); // guess for the target that there is; false: out of memory
// Into image: impulses on vertices by pressure and drag beyond those of the strands' first pass.
void dr_strand_drag_push(dr_world *world, double dt);

// What a pair of coefficients along and across does to a vector.
static inline void dr_strand_drag_apply(const double drag[2], const double t[3], const double in[3], double out[3])
{
    double dot = in[0] * t[0] + in[1] * t[1] + in[2] * t[2];
    for (int a = 0; a < 3; a++) out[a] = drag[1] * in[a] + (drag[0] - drag[1]) * dot * t[a];
}

#endif
