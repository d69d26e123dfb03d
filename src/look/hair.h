// Light on a hair: a rough dielectric cylinder whose inside absorbs. Chiang, Bitterli, Tappan and Burley 2016, with the
// longitudinal part of d'Eon, Francois, Hill, Letteri and Aubry 2011. docs/render.md, "Hair", eqs. (13)-(19).
#ifndef DR_LOOK_HAIR_H
#define DR_LOOK_HAIR_H

#include "look/dice.h"
#include "look/optics.h"

enum { DR_HAIR_LOBES = 4 }; // mirrored, through, once mirrored inside, all that is left

// What a hair is made of.
typedef struct dr_hair {
    dr_float4 absorption; // per radius
    float along, around;  // roughness along the hair and around it, 0..1
} dr_hair;

// The absorption of hair on which light that was scattered many times has that colour (linear).
dr_float4 dr_hair_absorption(dr_float4 colour, float around);

// A place on it, seen from a direction.
typedef struct dr_hair_place {
    dr_float4 tangent, aside, ahead; // unit: along the hair, across it towards the eye, and beside both
    float sine, cosine;              // of the angle between the eye's direction and the hair's cross section
    float offset;                    // of the line of sight from the hair's axis, -1..1
    float turn, turn_inside;         // angles of it outside and within
    dr_float4 share[DR_HAIR_LOBES];  // of the light that each lobe sends on
    float chance[DR_HAIR_LOBES];     // of drawing it
    float width[DR_HAIR_LOBES];      // variance of the lobe along the hair
    float lean_sine[DR_HAIR_LOBES];  // the eye's angle, moved by the scales
    float lean_cosine[DR_HAIR_LOBES];
    float norm[DR_HAIR_LOBES]; // of the lobe along the hair, as a logarithm where it is narrow
    float spread, around;      // of the lobes around the hair, and their norm
} dr_hair_place;

// tangent: unit; normal: of the surface, unit; out: towards the eye.
dr_hair_place dr_hair_place_make(const dr_hair *hair, dr_float4 tangent, dr_float4 normal, dr_float4 out);

// Light from `in` sent to the eye over what falls on a surface that faces it. Over all directions the shares of a clear
// hair add up to one.
dr_float4 dr_hair_send(const dr_hair_place *place, dr_float4 in);

// Draws where light that reaches the eye may come from; gives the factor of the light from there.
dr_float4 dr_hair_draw(const dr_hair_place *place, dr_dice *dice, dr_float4 *in);

#endif
