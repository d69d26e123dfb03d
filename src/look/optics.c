// Borders, rough mirrors and how directions are drawn. docs/render.md, "Optics".
#include "look/optics.h"

bool dr_optics_refract(dr_float4 direction, dr_float4 normal, float ratio, dr_float4 *out)
{
    float cosine = -dr_space_dot(direction, normal);
    float rest = 1.0f - ratio * ratio * (1.0f - cosine * cosine); // squared cosine on the other side
    if (rest <= 0.0f) return false;
    *out = dr_space_unit(ratio * direction + (ratio * cosine - sqrtf(rest)) * normal);
    return true;
}

float dr_optics_fresnel(float cosine, float ratio)
{
    float rest = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
    if (rest <= 0.0f) return 1.0f;
    float other = sqrtf(rest);
    float across = (ratio * cosine - other) / (ratio * cosine + other);
    float along = (cosine - ratio * other) / (cosine + ratio * other);
    return 0.5f * (across * across + along * along);
}

dr_float4 dr_optics_absorb(dr_float4 absorption, float way)
{
    return (dr_float4){expf(-absorption[0] * way), expf(-absorption[1] * way), expf(-absorption[2] * way), 0.0f};
}

static dr_float4 turn(dr_float4 axis, float sine, float cosine, float angle)
{
    dr_float4 right, ahead;
    dr_space_frame(axis, &right, &ahead);
    return sine * cosf(angle) * right + sine * sinf(angle) * ahead + cosine * axis;
}

dr_float4 dr_optics_cosine(dr_float4 normal, const float random[2])
{
    return turn(normal, sqrtf(random[0]), sqrtf(fmaxf(0.0f, 1.0f - random[0])), 2.0f * DR_PI_FLOAT * random[1]);
}

dr_float4 dr_optics_cone(dr_float4 axis, float cosine, const float random[2])
{
    float inner = 1.0f - random[0] * (1.0f - cosine);
    return turn(axis, sqrtf(fmaxf(0.0f, 1.0f - inner * inner)), inner, 2.0f * DR_PI_FLOAT * random[1]);
}

// Seen from `out`, stretched until the facets are a hemisphere, the visible part of it is a disc of which one half is
// foreshortened (Heitz 2018).
dr_float4 dr_optics_facet(dr_float4 normal, dr_float4 out, float alpha, const float random[2])
{
    dr_float4 right, ahead, side, up;
    dr_space_frame(normal, &right, &ahead);
    dr_float4 view = dr_space_unit(
        dr_space_make(alpha * dr_space_dot(out, right), alpha * dr_space_dot(out, ahead), dr_space_dot(out, normal)));
    float across = view[0] * view[0] + view[1] * view[1];
    side = across > 1e-12f ? dr_space_make(-view[1], view[0], 0.0) * (1.0f / sqrtf(across)) : dr_space_make(1, 0, 0);
    up = dr_space_cross(view, side);
    float radius = sqrtf(random[0]), angle = 2.0f * DR_PI_FLOAT * random[1], share = 0.5f * (1.0f + view[2]);
    float x = radius * cosf(angle), y = radius * sinf(angle);
    y = (1.0f - share) * sqrtf(fmaxf(0.0f, 1.0f - x * x)) + share * y;
    dr_float4 facet = x * side + y * up + sqrtf(fmaxf(0.0f, 1.0f - x * x - y * y)) * view;
    return dr_space_unit(alpha * facet[0] * right + alpha * facet[1] * ahead + fmaxf(1e-6f, facet[2]) * normal);
}

// Lambda of Smith's model.
static float hidden(float cosine, float alpha)
{
    float tangent2 = (1.0f - cosine * cosine) / (cosine * cosine);
    return 0.5f * (sqrtf(1.0f + alpha * alpha * tangent2) - 1.0f);
}

float dr_optics_shadow(float cosine_in, float cosine_out, float alpha)
{
    float out = hidden(cosine_out, alpha);
    return (1.0f + out) / (1.0f + out + hidden(cosine_in, alpha));
}

float dr_optics_glint(dr_float4 normal, dr_float4 out, dr_float4 in, float alpha)
{
    float cosine_out = dr_space_dot(normal, out), cosine_in = dr_space_dot(normal, in);
    if (cosine_out <= 0.0f || cosine_in <= 0.0f) return 0.0f;
    float cosine = dr_space_dot(normal, dr_space_unit(in + out));
    float spread = cosine * cosine * (alpha * alpha - 1.0f) + 1.0f;
    float density = alpha * alpha / (DR_PI_FLOAT * spread * spread);
    return density / (4.0f * cosine_out * (1.0f + hidden(cosine_in, alpha) + hidden(cosine_out, alpha)));
}
