// Thin matter within the step: cloth (triangles) and yarn (segments) that meet all other matter on the grid.
// docs/theory/codim.md.
#ifndef DR_WORLD_CLOTH_STAGE_H
#define DR_WORLD_CLOTH_STAGE_H

#include "codim/bending.h"
#include "codim/tangent.h"
#include "collide/motion.h"
#include "geom/skin.h"
#include "grid/transfer.h"
#include "grid/weights.h"
#include "world/registry.h"
#include "world/try.h"

// What carries vertices that are held.
typedef struct dr_hold_group {
    dr_motion *motion;
    int collider; // -1: the motion
    double until;
} dr_hold_group;

// A vertex that is held: where it is in the frame of what carries it.
typedef struct dr_cloth_hold {
    uint32_t vertex;
    int group;
    double place[3];
    dr_skin_place skin; // on a collider that deforms
    uint32_t curve;     // of yarn
    bool turns;         // the frame of the edge that starts there is held too
    double director[3]; // of it, in the frame of what carries it
} dr_cloth_hold;

// An entry of the scene in its mesh, for messages.
typedef struct dr_thin_entry {
    const char *name;
    size_t vertex, element; // of cloth: its first
} dr_thin_entry;

// What a mesh needs besides its state.
typedef struct dr_thin {
    dr_manifold *mesh;
    dr_thin_entry *entries; // [body]
    dr_points vertices, elements;
    float *volume, *element_volume; // [vertex], [element] solid, cm3; with liquid alone
    float *cover, *element_cover;   // [vertex], [element] what it covers, times a cell, cm3; with liquid alone
    float *damping;                 // [law] RPIC, of this step
    float *lift;                    // [element] how far its middle is in colliders, cm; with colliders alone
    float *gap, *element_gap;       // [vertex], [element] how far it is from them as the step begins, infinite: far
    float *friction;                // [element] of colliders nearby; with colliders alone
    float *stopped;                 // [vertices, elements][3] velocity that colliders took there; with loads alone
    bool strained;                  // they, loads and places of elements are those of the state
    bool flowed;                    // by the step that is to be accounted for
    dr_cloth_hold *holds;
    size_t hold_count, hold_capacity;
    dr_hold_group *groups;
    int group_count;
    size_t group_capacity;
    dr_manifold_strains *strains; // per chunk of elements
    dr_budget *sums;              // per chunk of vertices, then as above
} dr_thin;

static inline bool dr_thin_is_present(const dr_thin *thin)
{
    return thin->mesh && thin->mesh->elements > 0;
}

enum { DR_THIN_CLOTH, DR_THIN_YARN, DR_THIN_COUNT };

// How a sheet bends until a clamp lets go.
typedef struct dr_cloth_phase {
    dr_bending bending;
    double until; // s
} dr_cloth_phase;

// One of the scene's cloths that resists bending.
typedef struct dr_cloth_bend {
    dr_bending bending; // of the phase that it is in
    dr_cloth_phase *phases;
    int phase_count, phase;
    size_t phase_capacity;
    size_t first;      // vertex
    double rest_limit; // eigenvalue as it rests, 1/s2
    bool known;        // its angles are those of the vertices where they are
} dr_cloth_bend;

// A vertex of yarn that is one of cloth.
typedef struct dr_cloth_join {
    uint32_t yarn, cloth;
} dr_cloth_join;

// What was mended in the mesh of a file.
typedef struct dr_cloth_mend {
    size_t flat;            // triangles without area that were not read
    size_t left_out, first; // triangles that repeat others; the first, counted from 1
    size_t turned;          // triangles, so that neighbours agree on a side
    size_t idle;            // vertices of no triangle
    bool one_sided;
} dr_cloth_mend;

// Where held vertices touch the grid: its nodes, or with liquid the faces of each axis.
typedef struct dr_held_lattice {
    int sets, taps;  // 1 or 3; nodes that a vertex touches
    size_t room;     // of nodes per set
    size_t count[3]; // nodes
    uint32_t *tap;   // [set][held][taps] which node
    double *weight;  // [set][held][taps]
    size_t *item;    // [set][node] in the grid's arrays
    double *inverse; // [set][node] of the mass
    double *change;  // [set][node][3] of velocity
    // taps by node, in the order of vertices
    uint32_t *first;  // [set][node + 1]
    uint32_t *holder; // [set][tap] which vertex
    double *share;    // [set][tap] its weight
    // which number a node has while they are found
    uint32_t *table_of; // [block of the grid] 1 + its table, 0: none
    uint32_t *table;    // [table][64] 1 + the number, 0: none
    size_t tables, table_of_capacity, table_capacity;
} dr_held_lattice;

// A node of the grid that a wall or a collider keeps from moving as it would.
enum { DR_WALL_FREE, DR_WALL_SLIDES, DR_WALL_STICKS };
typedef struct dr_wall_node {
    size_t item;
    double normal[3], velocity[3], friction;
    int boundary; // dr_boundary
    int state;
    double give[3]; // impulse of the wall so far, g cm/s
    double press;   // of that, along its normal
    double slip[3]; // along the wall, where friction was linearised, cm/s
} dr_wall_node;

// What the implicit step needs besides.
typedef struct dr_cloth_solve {
    bool on; // this step is implicit
    dr_tangent tangent[DR_THIN_COUNT];
    dr_residents engaged[DR_THIN_COUNT]; // elements whose directions across take part; arrays below are theirs
    uint32_t *engaged_first[DR_THIN_COUNT], *engaged_index[DR_THIN_COUNT];
    size_t engaged_capacity[DR_THIN_COUNT];
    float *force[DR_THIN_COUNT];    // [vertex][4]
    float *value[DR_THIN_COUNT];    // [vertex][4] velocities at vertices
    float *share[DR_THIN_COUNT];    // [vertex][4] mass around vertices, of the faces across each axis
    float *gradient[DR_THIN_COUNT]; // [element][9] of the velocity
    float *node;                    // [vector][block][64][4]
    size_t node_capacity;
    // where systems are solved: vertices, and the directions of engaged elements
    float *point; // [vector][point][4]
    size_t point_capacity, points;
    size_t vertex_at[DR_THIN_COUNT], turn_at[DR_THIN_COUNT];        // points: their first
    dr_weights weights[DR_THIN_COUNT], turn_weights[DR_THIN_COUNT]; // on nodes
    uint8_t *fixed[DR_THIN_COUNT];                                  // [vertex] 1: held
    uint32_t *number;                                               // [block][64] of nodes with mass
    float *inverse, *around;                                        // [number] of the mass; [number][4]
    size_t number_capacity, inverse_capacity, around_capacity, numbers;
    bool starved;   // memory is out
    double seconds; // CPU, of the systems of this step
    double *partial;
    size_t partial_capacity;
    dr_wall_node *walls;
    size_t wall_count, wall_capacity;
    uint32_t *wall_of; // [node] 1 + its number, 0: none
    size_t wall_of_capacity;
    double energy, reference; // reference: residual of the free motion
    double least_slip;        // speed along walls below which friction fades, cm/s
    double fastest;           // vertex or element, cm/s
    dr_solve_report report, inner;
} dr_cloth_solve;

typedef struct dr_cloth_stage {
    dr_thin thin[DR_THIN_COUNT];
    dr_thin hair;         // of strands off the grid what holds name, nothing else
    dr_cloth_mend *mends; // [cloth of the scene]
    double eigenvalue;    // largest of motion along and across meshes, 1/s2
    size_t degenerate;    // elements
    dr_cloth_bend *bends;
    int bend_count;
    size_t bend_capacity;
    double *bend_slope, *bend_mass; // [vertex][3], [vertex] of cloth
    double *rod_slope, *rod_mass;   // the same of yarn, where it resists bending
    double rod_limit;               // eigenvalue as it rests, 1/s2
    double rod_energy;              // erg, of the state
    bool rods_known;                // frames and energy are those of the vertices where they are
    // held vertices of both
    size_t held, held_capacity;
    double *held_place, *held_goal;               // [held][3] now, at the end of the step
    double *residual, *search, *image, *solution; // [held][3]
    double *held_diagonal;                        // [held][3]
    dr_held_lattice lattice;
    float *gap; // [node] how far the nearest cloth that it carries is from colliders, cm; infinite: none
    size_t gap_capacity;
    double gap_step; // s; 0: gaps are not known
    int hold_iterations;
    double hold_error; // what is left of the velocities that are missing, share
    dr_cloth_solve solve;
    char fault[300]; // why a try was last rejected, where an element is to blame
    // the view
    float *view[DR_THIN_COUNT]; // [vertex]: position 3, velocity 3
    float *radius;              // [vertex] of yarn
    size_t radius_capacity;
    dr_cloth_join *joins;
    size_t join_count, join_capacity;
    uint32_t *curves, *curve_body; // [yarn + 1], [yarn]
    size_t curve_count, curve_capacity, curve_body_capacity;
    float *coordinates; // [vertex of the user][2] on the cloth, cm
    uint32_t *number;   // [vertex] of cloth: which it is to the user
    uint32_t *corners;  // [element][3] of cloth: vertices of the user
    size_t coordinate_capacity, number_capacity;
    dr_frame_array arrays[DR_THIN_COUNT][6];
} dr_cloth_stage;

// cloth_compile.c: the scene's cloths
dr_status dr_cloth_compile(dr_world *world, const dr_scene *scene, dr_error *error);

// What the scene's cloths will come to, before any is made.
typedef struct dr_cloth_forecast {
    double vertices, triangles, bytes;
} dr_cloth_forecast;
dr_cloth_forecast dr_cloth_foresee(const dr_scene *scene);

// A curve of one of the scene's strands of contact `grid`.
typedef struct dr_yarn {
    const dr_strands_spec *spec;
    int body, collider;           // entry of the scene; what roots follow, -1: their motion
    const double *points;         // [count][3]
    const struct dr_strands *rod; // the curve as a rod: its strand 0
    size_t count, first;          // vertices; the first of the entry's
    bool begins;                  // the first of its entry
} dr_yarn;

dr_status dr_cloth_open_yarn(dr_world *world, const dr_scene *scene, dr_error *error); // before the first
dr_status dr_cloth_add_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_error *error);
// After the last curve of an entry, of which spec, body and first count: what is held besides ends, and disturbances.
dr_status dr_cloth_end_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_error *error);

// cloth_group.c: which vertices are held

// A cloth, or one of the scene's strands, some of whose vertices are held.
typedef struct dr_cloth_holding {
    const dr_scene *scene;
    dr_arena *arena;
    dr_error *error;
    const char *noun, *name; // for messages
    const dr_group_list *groups;
    const dr_hold_list *holds;
    dr_thin *thin;               // that takes them down
    const double *position;      // [vertex][3]
    size_t first, count, layers; // vertices: the first; of a layer
    double spacing;              // of vertices, about, cm
    uint8_t *held;               // [layer][vertex] in and out
    // of a cloth alone
    const dr_cloth_spec *cloth;
    const double *surface;   // [vertex][2] coordinates on it
    const uint8_t *boundary; // [vertex]
    const uint32_t *number;  // [vertex] which it is to the user
} dr_cloth_holding;

// A vertex that two holds name belongs to the first. A hold without vertices is an error.
dr_status dr_cloth_group_find(dr_world *world, const dr_cloth_holding *holding);

// A new group that one motion or collider (-1: none) carries; a vertex for the group of that number.
dr_status dr_cloth_group_open(dr_world *world, dr_thin *thin, const dr_scene *scene, const dr_motion_list *motion,
                              int collider, double until, dr_error *error);
bool dr_cloth_group_hold(dr_world *world, dr_thin *thin, uint32_t vertex, int group);

// cloth_sew.c: threads between entries of strands on the grid, after the last of them; yarn joined to cloth, after both
dr_status dr_cloth_sew(dr_world *world, const dr_scene *scene, dr_error *error);
dr_status dr_cloth_join_yarn(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_cloth_join_keep(dr_world *world); // what is joined goes where the cloth has gone

// cloth_stage.c
dr_status dr_cloth_stage_open(dr_world *world, dr_error *error);
void dr_cloth_stage_close(dr_world *world);
bool dr_cloth_stage_any(const dr_world *world);
bool dr_cloth_stage_place(dr_world *world);   // forces and what they allow of the step; points to make the grid of
bool dr_cloth_stage_reserve(dr_world *world); // room on its blocks
void dr_cloth_stage_gather(dr_world *world, double dt);
// Onto the liquid's faces: solid volume is added to the bodies'; cover: what it would be if it were a cell thick.
void dr_cloth_stage_gather_volume(dr_world *world, float *cover);
bool dr_cloth_stage_press(dr_world *world, dr_try *attempt); // with liquid: implicit forces, before its pressure
bool dr_cloth_stage_solve(dr_world *world, dr_try *attempt); // without: what is held; implicit forces
void dr_cloth_stage_move(dr_world *world, const dr_try *attempt);
void dr_cloth_stage_account(dr_world *world, dr_budget *sum);
void dr_cloth_stage_account_yarn(dr_world *world, dr_budget *sum);
void dr_cloth_stage_report(dr_world *world);
void dr_cloth_stage_report_yarn(dr_world *world); // the same where there is no cloth
dr_transfer dr_cloth_stage_transfer(const dr_world *world);
void dr_cloth_stage_pull(dr_world *world);                                  // the forces of elements on vertices
void dr_cloth_stage_visit(dr_world *world, const dr_transfer_visit *visit); // what the grid has at points

const double *dr_cloth_stage_slope(const dr_world *world, const dr_thin *thin); // of bending, NULL: none

// cloth_fault.c: names in the reason of a rejected try the element that it would break worst, if there is one; what is
// not faster than `slow` (cm/s) has done nothing.
void dr_cloth_fault_tell(dr_world *world, dr_try *attempt, double slow);
// Rejects a try that would invert or tear an element; fastest: what any node has, cm/s, in
// explicit steps.
void dr_cloth_fault_judge(dr_world *world, dr_try *attempt, double fastest);

// cloth_clamp.c: bending of sheets that are clamped here and there
// group_of: [vertex of the sheet] the hold that it belongs to, -1: none. False when memory is out.
bool dr_cloth_clamp_open(dr_world *world, dr_cloth_bend *bend, dr_bending_sheet *rest, const int32_t *group_of,
                         dr_arena *scratch);
void dr_cloth_clamp_choose(dr_world *world); // by the time
void dr_cloth_clamp_close(dr_world *world, dr_cloth_bend *bend);

// cloth_rods.c: bending and twist of yarn
bool dr_cloth_rods_any(const dr_world *world);
bool dr_cloth_rods_open(dr_world *world); // false when memory is out
void dr_cloth_rods_close(dr_world *world);
double dr_cloth_rods_account(dr_world *world);                    // energy of the state, erg
void dr_cloth_rods_bend(dr_world *world);                         // slope and limit of the state
double dr_cloth_rods_look(dr_world *world, const double *place);  // energy, and slope, where the step may end
void dr_cloth_rods_linearise(dr_world *world);                    // there
void dr_cloth_rods_apply(dr_world *world, const float *velocity); // the slope becomes the product
void dr_cloth_rods_keep(dr_world *world);                         // frames follow vertices that have moved

// cloth_hold.c
void dr_cloth_hold_bind(dr_world *world, dr_thin *thin); // colliders have been driven to the start
void dr_cloth_hold_place(dr_world *world);
void dr_cloth_hold_solve(dr_world *world, const dr_try *attempt);
// Gives a field the velocities that held vertices have, with the least change of kinetic energy; mass: of the
// components [4] of nodes or faces.
void dr_cloth_hold_lead(dr_world *world, const dr_try *attempt, const float *mass, float *field);
// Values [vertex][4] of held vertices become the velocities that they have, or nought (dt 0).
void dr_cloth_hold_set(dr_world *world, int which, float *value, double dt);
void dr_cloth_hold_mark(dr_world *world, int which, uint8_t *mark); // [vertex] 1: held
void dr_cloth_hold_commit(dr_world *world, double dt);              // puts held vertices where they belong

// cloth_wall.c: nodes in walls and colliders, for the implicit step
bool dr_cloth_wall_find(dr_world *world);                           // false when memory is out
bool dr_cloth_wall_fade(dr_world *world, double dt, int iteration); // how sharp friction is; true: it will be sharper
void dr_cloth_wall_begin(dr_world *world, const float *velocity);
void dr_cloth_wall_aim(const dr_world *world, float *velocity); // as walls want it
// From what walls had to give so far; true: the velocity must be aimed anew.
bool dr_cloth_wall_update(dr_world *world, const float *velocity, const float *residual);
void dr_cloth_wall_project(const dr_world *world, size_t item, double change[3]); // what is left of a change
void dr_cloth_wall_project_all(const dr_world *world, float *field);
void dr_cloth_wall_load(dr_world *world); // what solids gave, into the loads
// Friction as a potential of the slip: its energy and slope (added).
double dr_cloth_wall_energy(const dr_world *world, const float *velocity);
void dr_cloth_wall_slope(dr_world *world, const float *velocity, float *slope); // linearises there

// cloth_gap.c: how far thin matter is from colliders, and how fast nodes in them may take it there
bool dr_cloth_gap_find(dr_world *world, double dt); // false when memory is out
void dr_cloth_gap_lift(dr_world *world);            // vertices of elements whose middles are in colliders
// How high the middle of thin matter lies above what it lies on, cm: at a vertex, or in the middle of an element.
double dr_cloth_gap_stand(const dr_world *world, const dr_thin *thin, uint32_t law, size_t vertex);
double dr_cloth_gap_closing(const dr_world *world, size_t node); // cm/s
// The velocity of a vertex or element at x that is so far away: by the end of the step it is there, and rubs.
void dr_cloth_gap_stop(const dr_world *world, float gap, const double x[3], float velocity[3]);

// cloth_implicit.c
bool dr_cloth_implicit_open(dr_world *world);
void dr_cloth_implicit_close(dr_world *world);
bool dr_cloth_implicit_able(const dr_world *world);   // what else there is allows it
bool dr_cloth_implicit_wanted(const dr_world *world); // and the scene does
// Whether a step of at most `longest` is implicit, where explicit ones are at most `stable`.
bool dr_cloth_implicit_choose(const dr_world *world, double longest, double stable);
double dr_cloth_implicit_longest(const dr_world *world); // what the swing of cloth allows of an implicit step
bool dr_cloth_implicit_reserve(dr_world *world);
// Velocity of nodes, or momentum of bodies on faces; false when memory is out.
bool dr_cloth_implicit_run(dr_world *world, dr_try *attempt);
// The fastest vertex in that field of nodes or faces, whose velocities are left in the solve's values.
double dr_cloth_implicit_fastest(dr_world *world, const float *velocity);

// cloth_press.c: how cloth answers the pressure, and the pressure that this asks for
bool dr_cloth_press_answer(dr_world *world, dr_try *attempt);

// cloth_view.c
dr_status dr_cloth_view_open(dr_world *world, dr_error *error);
void dr_cloth_view_close(dr_world *world);
dr_status dr_cloth_view(dr_world *world, dr_frame_part *part, dr_error *error);
dr_status dr_cloth_view_yarn(dr_world *world, dr_frame_part *part, dr_error *error);

#endif
