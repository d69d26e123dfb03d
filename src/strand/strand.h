// Strands as discrete elastic rods: their state, what they are made of, their rest shapes. docs/theory/rods.md.
// Vertices lie strand after strand. A value of an edge is kept at the vertex where the edge starts; the last vertex of
// a strand has none. A value of two edges (curvatures, twist) is kept at the vertex where they meet.
#ifndef DR_STRAND_STRAND_H
#define DR_STRAND_STRAND_H

#include "base/columns.h"
#include "math/rigid.h"

typedef struct dr_strand_material {
    double density;   // g/cm3
    double young;     // dyn/cm2
    double shear;     // dyn/cm2
    double viscosity; // of the material itself, g/(cm s); 0: none
    double friction;
    double yield;      // strain of the outermost fibre beyond which the rest curvature creeps; 0: never
    double yield_rate; // of that creep, 1/s
    double slack;      // share of a solid rod's stiffness against bending and twist that it lacks
} dr_strand_material;

enum { DR_STRAND_HELD = 1, DR_STRAND_TURN_HELD = 2 }; // bits of dr_strands.held

typedef struct dr_strands {
    int count;
    int32_t *first;                      // [count + 1] first vertex
    int32_t *body;                       // [count] which kind of strand it is
    int32_t *calm;                       // [count] state: steps it went by itself, see dr_strands_order
    const dr_strand_material *materials; // of each body, the owner's
    size_t vertices;
    size_t strand_capacity, state_capacity, made_capacity;
    size_t calm_count, calm_capacity; // of calm
    // state
    double *position, *velocity; // [3] cm, cm/s
    double *director;            // [3] first material director of the edge
    double *spin;                // of the edge about itself, rad/s
    double *twist;               // rad, whole turns counted
    double *acceleration;        // [3] cm/s2, as the last step left it
    double *spin_rate;           // of the edge about itself, rad/s2, likewise
    double *rest_length;         // cm
    double *rest_curvature;      // [4]: seen from the edge before (1, 2) and the edge after (1, 2)
    double *rest_twist;          // rad
    double *film_height;         // cm
    double *slip;                // relative to liquid around it as the last step ended, cm/s; 0 in air
    double *form_drag;           // share of the thrust of its drag on the liquid around that is pressure; 0: not known
    // made of
    double *radius;         // [2] semi-axes of the edge along its first and second director, cm
    double *mass, *inertia; // g, g cm2 (of the edge about itself)
    double *stretch;        // k_s / rest length, dyn/cm
    double *bend;           // [2] B / (2 length), dyn cm
    double *torsion;        // k_t / length, dyn cm
    unsigned char *held;
} dr_strands;

extern const dr_column_table dr_strand_state; // what a checkpoint keeps, by vertex
extern const dr_column_table dr_strand_steps; // and by strand

// Room for more; false when memory is out.
bool dr_strands_reserve(dr_strands *strands, const dr_allocator *allocator, int count, size_t vertices);
void dr_strands_free(dr_strands *strands, const dr_allocator *allocator);

// Appends a strand through these points, radius[2] everywhere, at rest as it is; room has been made. Returns its index.
int dr_strands_add(dr_strands *strands, const double *points, int count, const double radius[2], int body);

static inline const dr_strand_material *dr_strands_material(const dr_strands *strands, int s)
{
    return &strands->materials[strands->body[s]];
}

static inline int dr_strands_size(const dr_strands *strands, int s)
{
    return strands->first[s + 1] - strands->first[s];
}

// Frames that follow the strand without twist, from a first director that lies across the first edge as near to `hint`
// as can be. NULL: any.
void dr_strands_frame(dr_strands *strands, int s, const double hint[3]);

// How its next step goes: by one stage for some steps after contact acted on it, else by two. docs/theory/rods.md, "Two
// stages".
typedef enum dr_strand_order { DR_STRAND_EULER = 1, DR_STRAND_TR_BDF2 = 2 } dr_strand_order;

static inline dr_strand_order dr_strands_order(const dr_strands *strands, int s)
{
    return strands->calm[s] > 0 ? DR_STRAND_TR_BDF2 : DR_STRAND_EULER;
}

// Counts a step that was made; touched: contact acted on the strand.
void dr_strands_count(dr_strands *strands, int s, bool touched);

// After vertices were moved a little: directors across the edges again, twist measured anew.
void dr_strands_follow(dr_strands *strands, int s);

// The shape it has now becomes its rest shape.
void dr_strands_rest_here(dr_strands *strands, int s);

// The rest shape of points that need not be where the strand is; as many as it has. Frames follow without twist.
void dr_strands_rest_at(dr_strands *strands, int s, const double *points);

// Masses and stiffnesses from radius, material and rest lengths.
void dr_strands_stiffen(dr_strands *strands, int s);

// A rest shape for which the strand as drawn hangs in equilibrium under `gravity`: one sweep from the free tip to the
// clamped root. docs/theory/rods.md, eq. (33)-(35). False where the root is not clamped or the tip not free.
bool dr_strands_rest_hanging(dr_strands *strands, int s, const double gravity[3]);

// Moves the rest curvature of a plastic material towards the curvature it has. docs/theory/rods.md, eq. (36).
void dr_strands_creep(dr_strands *strands, int s, double dt);

typedef struct dr_strand_budget {
    double mass, linear[3], angular[3], kinetic, elastic, potential, speed;
} dr_strand_budget;

double dr_strands_elastic_energy(const dr_strands *strands, int s);
void dr_strands_add_motion(const dr_strands *strands, int s, dr_rigid_sum *sum); // vertices, and edges about themselves
void dr_strands_budget(const dr_strands *strands, int s, const double gravity[3], dr_strand_budget *sum);

#endif
