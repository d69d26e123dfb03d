// The light that arrives along a ray: one path of it, followed backwards. docs/render.md, "Paths".
#ifndef DR_LOOK_TRACE_H
#define DR_LOOK_TRACE_H

#include "look/light.h"
#include "look/studio.h"

typedef struct dr_trace {
    const dr_studio *studio;
    dr_light light;
    float refraction;         // index of the liquid
    dr_float4 absorption;     // of the liquid, per cm
    float tiny;               // lengths below it are nothing
    float pixel;              // how wide a pixel is, at distance one
    float contact;            // liquid so near to a solid touches it
    dr_float4 middle;         // of what happens: about it the ground
    float fade_from, fade_to; // is blended into the horizon
} dr_trace;

// What a path has seen of the world beside its light.
typedef struct dr_trace_sight {
    dr_float4 light;
    dr_float4 colour; // of the first solid, else of the sky
    dr_float4 normal; // of the first surface, 0 where there is none
} dr_trace_sight;

dr_trace_sight dr_trace_path(const dr_trace *trace, dr_float4 origin, dr_float4 direction, dr_dice *dice);

#endif
