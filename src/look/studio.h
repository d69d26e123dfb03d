// What the rays of a picture can meet: a frame's parts as Embree's geometry, with their paints. Only studio.c knows
// Embree. docs/render.md, "Studio".
#ifndef DR_LOOK_STUDIO_H
#define DR_LOOK_STUDIO_H

#include "base/error.h"
#include "drench/frame.h"
#include "look/paint.h"

typedef struct dr_studio dr_studio;

dr_status dr_studio_create(const dr_allocator *allocator, dr_studio **studio, dr_error *error);
void dr_studio_destroy(dr_studio *studio); // NULL is fine

enum { DR_STUDIO_FILMS = 8 }; // liquids that may mix

// Things to add. Arrays are copied, but paints must live as long as the studio. What is painted as hidden is left out,
// what is painted as glass is clear.

typedef struct dr_studio_mesh {
    size_t vertex_count, triangle_count;
    const float (*position)[3];
    const float (*normal)[3]; // per vertex; NULL: flat, but for edges that are nearly straight
    const uint32_t (*triangle)[3];
    const uint32_t *body;          // per triangle: which paint; NULL: the first
    const float *wetness;          // per vertex, 0..1; NULL: dry
    const float (*coordinates)[2]; // per vertex, cm along warp and weft; NULL: no threads are drawn
    const float (*colour)[3];      // per vertex, in place of that of its paint; NULL: none
    const dr_paint *paints;
    bool liquid; // a border that light passes
} dr_studio_mesh;
dr_status dr_studio_add_mesh(dr_studio *studio, const dr_studio_mesh *mesh, dr_error *error);

typedef struct dr_studio_balls {
    size_t count;
    const float (*position)[3];
    const float *radius;
    const uint32_t *body; // per ball: which paint; NULL: the first
    const dr_paint *paints;
} dr_studio_balls;
dr_status dr_studio_add_balls(dr_studio *studio, const dr_studio_balls *balls, dr_error *error);

typedef struct dr_studio_curves {
    size_t point_count, curve_count;
    const float (*position)[3];
    const float *radius;   // per point
    const float *wetness;  // per point; NULL: dry
    const dr_paint *films; // of thick liquids that films are mixed of,
    int film_count;        // as many; 0: films are as the paints say
    const float *thick;    // [point][film_count] part of the wetness that is by each of them
    const uint32_t *first; // curve_count + 1
    const uint32_t *body;  // per curve: which paint; NULL: the first
    const dr_paint *paints;
} dr_studio_curves;
dr_status dr_studio_add_curves(dr_studio *studio, const dr_studio_curves *curves, dr_error *error);

// A floor without end at that height, with its own paint.
void dr_studio_add_ground(dr_studio *studio, float height, const dr_paint *paint);

// After the last addition.
dr_status dr_studio_close(dr_studio *studio, dr_error *error);

typedef enum dr_studio_kind {
    DR_STUDIO_NOTHING,
    DR_STUDIO_SOLID,
    DR_STUDIO_GROUND,
    DR_STUDIO_PANE,  // of thin glass
    DR_STUDIO_GLASS, // the border of a body of it
    DR_STUDIO_LIQUID
} dr_studio_kind;

typedef struct dr_studio_hit {
    dr_studio_kind kind;
    float distance;
    dr_float4 point;
    dr_float4 face;       // unit normal of the geometry, towards the ray's origin
    dr_float4 normal;     // unit, smooth, on the same side
    bool from_behind;     // the ray came from the inside of a closed surface
    dr_paint paint;       // not for liquid
    dr_float4 tangent;    // of curves: unit, towards the tip
    float radius;         // of curves, 0 elsewhere
    float coordinates[2]; // of threads: cm along warp and weft; of curves the first, along them
    dr_float4 warp, weft; // unit: where those go; of curves, across them and turning with them
} dr_studio_hit;

typedef struct dr_studio_ray {
    dr_float4 origin, direction;
    float from, to;
} dr_studio_ray;

// The nearest surface: of solids (the ground is one), of what is clear (liquid and glass), or of both. Safe from many
// threads.
enum { DR_STUDIO_SOLIDS = 1, DR_STUDIO_CLEAR = 2 };
bool dr_studio_meet(const dr_studio *studio, const dr_studio_ray *ray, int sees, dr_studio_hit *hit);

// Whether a solid stands in the way. Quicker than the above.
bool dr_studio_blocked(const dr_studio *studio, const dr_studio_ray *ray);

#endif
