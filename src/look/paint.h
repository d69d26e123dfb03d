// What surfaces do with light: matte with a clear coat, metal, glass, liquid, hair. docs/render.md, "Surfaces".
#ifndef DR_LOOK_PAINT_H
#define DR_LOOK_PAINT_H

#include "drench/scene.h"
#include "look/hair.h"

// A surface at one place.
typedef struct dr_paint dr_paint;
struct dr_paint {
    dr_float4 colour; // reflected share of light; of metal, at right angles
    float roughness;  // of the coat or the metal, 0..1
    float coat;       // index of refraction of the coat; 1: none
    dr_finish finish;
    bool thin;            // glass: a pane that bends nothing, not a body of it
    dr_float4 absorption; // of a body of glass, per cm; of hair, per radius
    float thread;         // cloth: from thread to thread of its weave
    float thickness;      // of a sheet; 0 elsewhere
    uint32_t copies;      // of strands that are drawn for each, 0 and 1: itself
    float spread;         // and how far from it
    float through;        // share of what a sheet spreads that goes on behind it
    float wander;         // how far light comes out from where it went in: see dr_paint_wander; 0: not at all
    const dr_paint *film; // of a thick liquid that hides it where it is wet; NULL: of a clear one, or none
};

// How something of that colour (as on a screen) and finish looks when it is dry.
dr_paint dr_paint_make(dr_finish finish, const double colour[3]);

// Of a liquid that scatters: its index of refraction, how rough its surface is, how far light goes between two
// scatterings, cm.
void dr_paint_scatter(dr_paint *paint, float refraction, float roughness, float length);

// How far from where it went in light comes out of it, by chance. docs/render.md, eqs. (23)-(24)
float dr_paint_wander(const dr_paint *paint, const float random[2]);

// The coat's share of light that goes to the eye at an angle of that cosine.
float dr_paint_coat(const dr_paint *paint, float cosine);

// Wet, 0..1: darker, for light is caught under the film, and glossier; hidden by the film where that is thick.
dr_paint dr_paint_wet(dr_paint dry, float wetness);

// The same under a film that is mixed of several: wet[k] of the wetness is by the thick liquid films[k], the rest by
// what is clear. Thick ones that hide it look like their mean.
dr_paint dr_paint_coated(dr_paint dry, float wetness, const dr_paint *films, const float *wet, int count);

// Light from `in` sent towards `out` over what falls on a surface that faces it. Both point away from the surface.
dr_float4 dr_paint_send(const dr_paint *paint, dr_float4 normal, dr_float4 out, dr_float4 in);

// Draws where light that goes to `out` may come from, behind a sheet too; gives the factor of the light from there, 0
// where none is.
dr_float4 dr_paint_draw(const dr_paint *paint, dr_float4 normal, dr_float4 out, dr_dice *dice, dr_float4 *in);

// The same for light from behind a sheet.
dr_float4 dr_paint_send_through(const dr_paint *paint, dr_float4 normal, dr_float4 in);

// What a strand of that paint is made of, where its finish is hair.
dr_hair dr_paint_hair(const dr_paint *paint);

dr_float4 dr_paint_linear(const double colour[3]); // of a colour as on a screen

#endif
