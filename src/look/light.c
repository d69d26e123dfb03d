#include "look/light.h"

#include "base/number.h"
#include "look/paint.h"

dr_light dr_light_make(const dr_look_spec *look)
{
    dr_light light = {0};
    light.zenith = (float)look->sky.strength * dr_paint_linear(look->sky.zenith);
    light.horizon = (float)look->sky.strength * dr_paint_linear(look->sky.horizon);
    light.sun_direction = dr_space_unit(dr_space_from(look->sun.direction));
    light.sun_cosine = (float)cos(0.5 * look->sun.size);
    light.sun_arrival = (float)look->sun.strength * dr_paint_linear(look->sun.colour);
    double sine = sin(0.5 * look->sun.size);
    light.sun_disc = light.sun_arrival * (float)(1.0 / (DR_PI * sine * sine));
    return light;
}

dr_float4 dr_light_sky(const dr_light *light, dr_float4 direction)
{
    float height = fmaxf(direction[1], 0.0f);
    return dr_space_mix(light->horizon, light->zenith, sqrtf(height) * (1.5f - 0.5f * height));
}

bool dr_light_is_sun(const dr_light *light, dr_float4 direction)
{
    return dr_space_dot(light->sun_direction, direction) >= light->sun_cosine;
}
