// How light meets a smooth border and a rough one. docs/render.md, "Optics", eqs. (1)-(6).
#ifndef DR_LOOK_OPTICS_H
#define DR_LOOK_OPTICS_H

#include "look/space.h"

#include <stdbool.h>

DR_INLINE dr_float4 dr_optics_reflect(dr_float4 direction, dr_float4 normal)
{
    return direction - 2.0f * dr_space_dot(direction, normal) * normal;
}

// Snell: `ratio` is the index where the light comes from over the one where it goes; the normal is on the side it comes
// from. False where all of it is reflected. eq. (1)
bool dr_optics_refract(dr_float4 direction, dr_float4 normal, float ratio, dr_float4 *out);

// Reflected share of unpolarised light that comes at an angle of that cosine. eq. (2)
float dr_optics_fresnel(float cosine, float ratio);

// What is left of light after a way through something that absorbs. eq. (3)
dr_float4 dr_optics_absorb(dr_float4 absorption, float way);

// A direction about the normal with probability cosine / pi.
dr_float4 dr_optics_cosine(dr_float4 normal, const float random[2]);

// A direction within a cone of the given cosine about an axis, evenly.
dr_float4 dr_optics_cone(dr_float4 axis, float cosine, const float random[2]);

// Rough mirrors (GGX, isotropic): a normal of the facets that `out` sees, the share of `in` that no facet hides, and
// the light reflected from `in` to `out` over that which arrives, cosine included. eqs. (4)-(6)
dr_float4 dr_optics_facet(dr_float4 normal, dr_float4 out, float alpha, const float random[2]);
float dr_optics_shadow(float cosine_in, float cosine_out, float alpha);
float dr_optics_glint(dr_float4 normal, dr_float4 out, dr_float4 in, float alpha);

#endif
