// What a scene was compiled to; never written after create.
#ifndef DR_WORLD_CONSTANTS_H
#define DR_WORLD_CONSTANTS_H

#include "base/memory.h"
#include "codim/corotated.h"
#include "codim/plastic.h"
#include "contact/stage.h"
#include "drench/world.h"
#include "film/film.h"
#include "liquid/liquid.h"

// What a particle is made of; particles.body is an index into these. One per body, then one per emitter.
typedef struct dr_matter {
    const char *name; // of the body or emitter
    dr_material_kind kind;
    double density;
    int liquid;         // among those that mix in films, -1: none
    dr_corotated solid; // zero for matter without stress, and for what flows
    dr_plastic plastic; // sand and goo
} dr_matter;

typedef struct dr_force_field {
    dr_force_spec spec;
    dr_shape *within; // NULL: everywhere
} dr_force_field;

typedef struct dr_emitter {
    dr_emitter_spec spec;
    dr_shape *shape;
    uint32_t matter;
    uint64_t key; // of its random numbers
    double area;  // across its velocity, cm2
} dr_emitter;

typedef struct dr_drain {
    dr_drain_spec spec;
    dr_shape *shape;
} dr_drain;

// One entry of the scene's strands; dr_strands.body is an index into these.
typedef struct dr_strand_kind {
    dr_strands_spec spec; // text and lists other than its name are the scene's: gone
    int first, count;     // strands
    dr_motion *motion[2]; // of roots and tips
    int collider;         // that roots are bound to, -1: none
    dr_material_spec film;
    dr_film_law law;
    double capture_ratio;  // of its material
    int drops;             // matter that drops of it become, -1: drained
    size_t joined, pushed; // points that were mended at the start
    size_t cut;            // closed curves that were cut open
} dr_strand_kind;

// The collider that the grid moves along with, -1: none; where the grid's origin is, seen from that of the collider.
typedef struct dr_follow {
    int collider;
    double from[3];
} dr_follow;

typedef struct dr_constants {
    dr_arena arena; // names
    uint64_t seed;
    double gravity[3];
    dr_time_spec time;
    dr_domain_spec domain;
    dr_follow follow;
    double damping, damping_step; // RPIC
    dr_transfer transfer;
    dr_matter *matter;
    int matter_count;
    bool has_elastic; // matter that has stress on the grid
    bool has_sand, has_liquid;
    bool has_thin;           // cloth, or yarn on the grid
    bool bodies_meet_liquid; // matter other than liquid is a phase on the liquid's faces, not on nodes
    dr_liquid_constants liquid;
    dr_liquid_kind *liquid_kinds; // [matter]
    dr_rheology *liquid_laws;     // [matter]
    dr_force_field *forces;
    int force_count;
    dr_emitter *emitters;
    int emitter_count;
    dr_drain *drains;
    int drain_count;
    int *drop_matter; // [entry of the scene's strands] that drops become, -1: they are drained
    dr_collider_set *colliders;
    const char **collider_names;
    dr_strand_kind *strand_kinds;
    dr_strand_material *strand_materials; // one each
    int strand_kind_count;
    bool strands_meet;           // there is contact
    dr_contact_law *strand_laws; // of the liquid of each kind
    dr_contact_choice contact;
    dr_film_liquids film_liquids;     // that mix in films, DR_FILM_LIQUIDS at most
    int film_matter[DR_FILM_LIQUIDS]; // that drops of these become, -1: that of the strands' own
    const char *film_names[DR_FILM_LIQUIDS];
    bool bridge_flow; // liquid goes from strand to strand through bridges
} dr_constants;

// compile.c
enum {
    DR_KEY_BODY = 1,
    DR_KEY_EMITTER = 2,
    DR_KEY_STRANDS = 3,
    DR_KEY_DISTURBANCE = 4,
    DR_KEY_DROPS = 5,
    DR_KEY_CLOTH = 6
}; // what random numbers are for
uint64_t dr_world_random_key(const dr_world *world, int purpose, int index);
dr_box dr_domain_clip(const dr_domain_spec *domain, dr_box box); // the part of a shape's box that particles can fill
dr_status dr_constants_compile(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_constants_free(dr_world *world);

// rheology_compile.c: the law of a liquid; false where the numbers make none
bool dr_rheology_compile(const dr_material_spec *material, dr_rheology *law);

// What drag on fibres takes of a thick liquid: data of a rheometer as they are, else the model's own numbers.
void dr_rheology_drag(const dr_material_spec *material, const dr_rheology *law, dr_liquid_kind *kind);

// forces.c: what force fields do to a velocity at a place in a step
void dr_forces_add(const dr_constants *constants, const double x[3], double time, double dt, double v[3]);
// By how much the inertia of what they move is larger there: wind resists later changes of the velocity too.
double dr_forces_inertia(const dr_constants *constants, const double x[3], double time, double dt);

#endif
