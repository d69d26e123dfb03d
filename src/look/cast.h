// Who plays what: the paints of a scene's bodies and colliders, how its liquid looks, where its ground is.
#ifndef DR_LOOK_CAST_H
#define DR_LOOK_CAST_H

#include "geom/shape.h"
#include "look/paint.h"
#include "scene/scene.h"

typedef struct dr_cast_liquid {
    bool clear; // else it is painted
    dr_paint paint;
    float refraction;
    dr_float4 absorption; // per cm
} dr_cast_liquid;

typedef struct dr_cast {
    const dr_scene_spec *spec;
    int body_count, collider_count;
    dr_paint *bodies;    // bodies, then emitters, then one for all others
    bool *elastic;       // of each of the above: has a smooth surface
    bool *sand;          // and whether it is drawn as grains
    dr_paint *colliders; // and one for all others
    int strand_count;
    dr_paint *strands; // groups, then one for all others
    int cloth_count;
    dr_paint *cloths; // the scene's, then one for all others
    dr_paint ground;
    bool has_ground;
    double ground_height;
    int liquid_count; // one at least
    dr_cast_liquid *liquids;
    int *liquid_of_body;     // of bodies, emitters and all others
    int *liquid_of_strands;  // of the films of groups, and of all others
    int film_count;          // liquids that films may be of
    const char **film_names; // their materials
    int *liquid_of_film;
} dr_cast;

// `size` is how large what happens is, for liquids whose depth is chosen. Memory is the arena's.
dr_status dr_cast_make(const dr_scene *scene, double size, dr_arena *arena, dr_cast *cast, dr_error *error);

// The colour, as on a screen, of the scene's liquid where that is thick; false where it is clear.
bool dr_cast_thick_colour(const dr_scene *scene, double colour[3]);

#endif
