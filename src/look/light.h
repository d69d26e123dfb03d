// Where light comes from: a sky that is brighter towards the horizon, and a sun with a disc. docs/render.md, "Light".
#ifndef DR_LOOK_LIGHT_H
#define DR_LOOK_LIGHT_H

#include "drench/scene.h"
#include "look/optics.h"

typedef struct dr_light {
    dr_float4 zenith, horizon; // radiance
    dr_float4 sun_direction;
    float sun_cosine;      // of half its width
    dr_float4 sun_arrival; // on a surface that faces it
    dr_float4 sun_disc;    // radiance of the disc
} dr_light;

dr_light dr_light_make(const dr_look_spec *look);

dr_float4 dr_light_sky(const dr_light *light, dr_float4 direction); // without the sun
bool dr_light_is_sun(const dr_light *light, dr_float4 direction);

#endif
