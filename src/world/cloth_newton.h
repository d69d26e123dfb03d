// Newton's method of the implicit step of cloth, as its files share it. docs/theory/codim.md, section 9.
#ifndef DR_WORLD_CLOTH_NEWTON_H
#define DR_WORLD_CLOTH_NEWTON_H

#include "world/world.h"

// Vectors on nodes or faces; the later ones with liquid alone, as nodes have their velocity themselves. Of the four
// numbers of an item three are components; the fourth of every vector is nought, and so is its mass.
enum {
    DR_NEWTON_START,
    DR_NEWTON_SLOPE,
    DR_NEWTON_STEP,
    DR_NEWTON_KEPT,
    DR_NEWTON_SCALED,
    DR_NEWTON_MASS,
    DR_NEWTON_NODE_VECTORS,
    DR_NEWTON_VELOCITY = DR_NEWTON_NODE_VECTORS,
    DR_NEWTON_SPARE,
    DR_NEWTON_MISSED,
    DR_NEWTON_WAY,
    DR_NEWTON_TOTAL,
    DR_NEWTON_CELLS,
    DR_NEWTON_VECTORS
};

// Vectors of the systems: four numbers, the last of them nought, for each vertex and each direction across an engaged
// element. A residual r of the grid is W^T of one of them, W what points read of it.
enum {
    DR_POINT_REST,   // W^T of it: what is left of the right side
    DR_POINT_VALUE,  // W of M^-1 of that
    DR_POINT_SEARCH, // M^-1 W^T of it: the direction of search
    DR_POINT_IMAGE,  // W^T of it: A times that direction
    DR_POINT_SCALED,
    DR_POINT_STEP,  // M^-1 W^T of it: the solution, but for what FIRST has in it
    DR_POINT_FIRST, // W of M^-1 of the right side
    DR_POINT_VECTORS
};

#define DR_NEWTON_FLOATS (DR_BLOCK_NODES * 4)

typedef struct dr_cloth_newton {
    dr_world *world;
    double dt;
    dr_thin *thin;
    dr_tangent *tangent;
    float *force, *value, *gradient; // [vertex][4], [vertex][4], [element][9]
    float *v;                        // the velocity
    const float *mass;
    double goal; // Newton ends there
    const float *a, *b, *c;
    float *out, *other;
    double factor;
} dr_cloth_newton;

static inline dr_cloth_solve *dr_cloth_newton_solve(const dr_cloth_newton *job)
{
    return &job->world->cloth.solve;
}

float *dr_cloth_newton_vector(const dr_cloth_newton *job, int which);

// cloth_vector.c
void dr_cloth_vector_run(const dr_cloth_newton *job, dr_par_body body); // over blocks, in pieces of fixed length
double dr_cloth_vector_sum(const dr_cloth_newton *job);                 // of what those left in partial
double dr_cloth_vector_dot(const dr_cloth_newton *job, const float *a, const float *b, bool weighted); // by mass
void dr_cloth_vector_add(const dr_cloth_newton *job, float *out, double factor, const float *a); // out += factor a
// out = factor M^-1 a, and what constraints leave of it
void dr_cloth_vector_precondition(const dr_cloth_newton *job, const float *a, double factor, float *out);
double dr_cloth_vector_divide(const dr_cloth_newton *job, const float *a, double factor, float *out); // gives a.out
double dr_cloth_vector_size(const dr_cloth_newton *job, const float *a); // by mass, of M^-1 a and what they leave of it
// out += m (a - b); where b is NULL, m a
void dr_cloth_vector_add_inertia(const dr_cloth_newton *job, float *out, const float *a, const float *b);

// cloth_system.c
bool dr_cloth_system_take(dr_cloth_newton *job, int which); // that mesh; false where there is none
void dr_cloth_system_read(const dr_cloth_newton *job, const dr_transfer_places *places, const float *field,
                          float *value, float *gradient);
void dr_cloth_system_read_vertices(const dr_cloth_newton *job, int which, const float *field, float *value);
double dr_cloth_system_inertia(const dr_cloth_newton *job);  // kinetic energy against the free motion, and friction
double dr_cloth_system_evaluate(const dr_cloth_newton *job); // energy, and forces, at the velocity
void dr_cloth_system_slope(const dr_cloth_newton *job);      // SLOPE, from those forces
bool dr_cloth_system_linearise(const dr_cloth_newton *job);  // false when memory is out
// STEP becomes dv with |slope + A dv| <= share |slope|, A = M + dt^2 K; less where the curvature is not positive.
// `alone`: beginning with what the slope does to the masses alone, and to a share of what is left then, so that no
// tolerance touches the momentum. Returns how often K was applied.
int dr_cloth_system_solve(const dr_cloth_newton *job, double share, bool alone);
// W^T of a vector of points, added up on nodes or faces; and W of such a field.
void dr_cloth_system_spread_points(const dr_cloth_newton *job, const float *point, float *out);
void dr_cloth_system_read_points(const dr_cloth_newton *job, const float *field, float *point);

// cloth_points.c
float *dr_cloth_point_vector(const dr_cloth_newton *job, int which);
bool dr_cloth_point_number(const dr_cloth_newton *job);  // nodes, and weights of vertices, as the step begins
bool dr_cloth_point_reserve(const dr_cloth_newton *job); // what engaged elements need; false when memory is out
// On nodes: what points see of a field once it was looked at; what vectors bring.
void dr_cloth_point_look(const dr_cloth_newton *job, const float *field);
void dr_cloth_point_read_vertices(const dr_cloth_newton *job, int which, float *value); // held ones nought
void dr_cloth_point_read_turns(const dr_cloth_newton *job, int which, float *value);
void dr_cloth_point_spread(const dr_cloth_newton *job, const float *point, float *out);
void dr_cloth_point_write_slope(const dr_cloth_newton *job, float *out); // what forces bring, and m (v - START)
void dr_cloth_point_multiply(const dr_cloth_newton *job, const float *in, float *out); // out = dt^2 K in
void dr_cloth_point_inverse(const dr_cloth_newton *job, const float *in, float *out);  // out = W M^-1 W^T in
// field = factor field + M^-1 W^T in, with what walls leave of that
void dr_cloth_point_move(const dr_cloth_newton *job, const float *in, double factor, float *field);
void dr_cloth_point_negate(const dr_cloth_newton *job, float *of);
double dr_cloth_point_dot(const dr_cloth_newton *job, const float *a, const float *b);
void dr_cloth_point_dot_image(const dr_cloth_newton *job, double sums[2]); // IMAGE.SCALED and FIRST.IMAGE
// STEP, REST and SEARCH nought, VALUE = FIRST, IMAGE = SCALED
void dr_cloth_point_begin(const dr_cloth_newton *job);
// SEARCH = REST + beta SEARCH, IMAGE = REST + SCALED + beta IMAGE
void dr_cloth_point_turn(const dr_cloth_newton *job, double beta);
// STEP += alpha SEARCH, REST -= alpha IMAGE, VALUE -= alpha (SCALED + more FIRST); gives REST.VALUE and FIRST.REST.
void dr_cloth_point_advance(const dr_cloth_newton *job, double alpha, double more, double sums[2]);

// Newton's method once more, from the velocity in VELOCITY and towards the free motion in START.
dr_cloth_newton dr_cloth_newton_again(dr_world *world, dr_try *attempt);

// STEP becomes what an impulse does, given as its negative in SLOPE, where the energy was last linearised.
void dr_cloth_newton_answer(dr_cloth_newton *job, double share);

#endif
