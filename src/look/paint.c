// Opaque surfaces. A share F of the light, Fresnel's at the angle of the eye, is mirrored by the coat; the rest goes
// through it and is spread evenly by what lies below. docs/render.md, eqs. (7)-(8), (23)-(24).
#include "look/paint.h"

#define SMOOTHEST   0.02f
#define HAIR_ALONG  0.25f // roughness of dry hair along it: twice of it is dull, half of it is silk
#define HAIR_AROUND 0.3f
#define WET_ALONG   0.12f
#define HIDDEN      0.2f // wetness from which a thick film is all that is seen: a tenth of a strand's radius

static float linear(double value)
{
    double v = value < 0.0 ? 0.0 : value;
    return (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
}

dr_float4 dr_paint_linear(const double colour[3])
{
    return (dr_float4){linear(colour[0]), linear(colour[1]), linear(colour[2]), 0.0f};
}

dr_paint dr_paint_make(dr_finish finish, const double colour[3])
{
    static const float roughness[] = {1.0f, 0.35f, 0.08f, 0.2f, 0.0f, HAIR_ALONG, 1.0f, 1.0f};
    static const float coat[] = {1.0f, 1.45f, 1.5f, 1.0f, 1.5f, 1.55f, 1.0f, 1.0f};
    dr_paint paint = {
        .colour = dr_paint_linear(colour), .roughness = roughness[finish], .coat = coat[finish], .finish = finish};
    if (finish == DR_FINISH_HAIR) paint.absorption = dr_hair_absorption(paint.colour, HAIR_AROUND);
    return paint;
}

dr_paint dr_paint_wet(dr_paint dry, float wetness)
{
    float wet = fminf(fmaxf(wetness, 0.0f), 1.0f);
    dr_paint look = dry;
    if (dry.film) return wet > HIDDEN ? *dry.film : dry;
    if (dry.finish == DR_FINISH_HAIR) { // light is caught under the film, which fills up the scales
        look.absorption = (1.0f + wet) * dry.absorption;
        look.roughness = dry.roughness + wet * (fminf(dry.roughness, WET_ALONG) - dry.roughness);
        return look;
    }
    if (wet == 0.0f || dry.finish == DR_FINISH_METAL || dry.finish == DR_FINISH_GLASS) return dry;
    for (int c = 0; c < 3; c++) look.colour[c] = powf(dry.colour[c], 1.0f + 0.9f * wet) * (1.0f - 0.1f * wet);
    look.roughness = dry.roughness + wet * (fminf(dry.roughness, 0.12f) - dry.roughness);
    look.coat = fmaxf(dry.coat, 1.0f + 0.38f * wet);
    return look;
}

dr_paint dr_paint_coated(dr_paint dry, float wetness, const dr_paint *films, const float *wet, int count)
{
    float thick = 0.0f;
    int most = 0;
    for (int k = 0; k < count; k++) {
        thick += wet[k];
        if (wet[k] > wet[most]) most = k;
    }
    dry.film = NULL;
    if (!(thick > HIDDEN)) return dr_paint_wet(dry, wetness - thick);
    dr_paint look = films[most];
    look.colour = (dr_float4){0};
    look.roughness = look.coat = look.wander = 0.0f;
    for (int k = 0; k < count; k++) {
        float share = wet[k] / thick;
        look.colour += share * films[k].colour;
        look.roughness += share * films[k].roughness;
        look.coat += share * films[k].coat;
        look.wander += share * films[k].wander;
    }
    return look;
}

void dr_paint_scatter(dr_paint *paint, float refraction, float roughness, float length)
{
    float mean = (paint->colour[0] + paint->colour[1] + paint->colour[2]) / 3.0f, off = fabsf(mean - 0.8f);
    paint->coat = refraction;
    paint->roughness = roughness;
    paint->wander = length / (1.85f - mean + 7.0f * off * off * off);
}

float dr_paint_wander(const dr_paint *paint, const float random[2])
{
    float scale = random[0] < 0.25f ? paint->wander : 3.0f * paint->wander;
    return -scale * logf(fmaxf(1.0f - random[1], 1e-6f));
}

dr_hair dr_paint_hair(const dr_paint *paint)
{
    return (dr_hair){.absorption = paint->absorption, .along = paint->roughness, .around = HAIR_AROUND};
}

static float alpha_of(const dr_paint *paint)
{
    return fmaxf(SMOOTHEST, paint->roughness * paint->roughness);
}

float dr_paint_coat(const dr_paint *paint, float cosine)
{
    return paint->coat > 1.0f ? dr_optics_fresnel(cosine, 1.0f / paint->coat) : 0.0f;
}

// Schlick's, for metals.
static dr_float4 metal_share(const dr_paint *paint, float cosine)
{
    float rest = 1.0f - fminf(fmaxf(cosine, 0.0f), 1.0f), power = rest * rest * rest * rest * rest;
    return paint->colour + power * ((dr_float4){1.0f, 1.0f, 1.0f, 0.0f} - paint->colour);
}

dr_float4 dr_paint_send(const dr_paint *paint, dr_float4 normal, dr_float4 out, dr_float4 in)
{
    float cosine_out = dr_space_dot(normal, out), cosine_in = dr_space_dot(normal, in), alpha = alpha_of(paint);
    if (cosine_out <= 0.0f || cosine_in <= 0.0f) return (dr_float4){0};
    if (paint->finish == DR_FINISH_METAL)
        return dr_optics_glint(normal, out, in, alpha) * metal_share(paint, dr_space_dot(dr_space_unit(in + out), out));
    float share = dr_paint_coat(paint, cosine_out), glint = 0.0f;
    if (share > 0.0f) glint = share * dr_optics_glint(normal, out, in, alpha);
    dr_float4 mirrored = {glint, glint, glint, 0.0f};
    float spread = (1.0f - share) * (1.0f - paint->through);
    return mirrored + spread * cosine_in * (1.0f / DR_PI_FLOAT) * paint->colour;
}

dr_float4 dr_paint_send_through(const dr_paint *paint, dr_float4 normal, dr_float4 in)
{
    float cosine = -dr_space_dot(normal, in);
    if (cosine <= 0.0f) return (dr_float4){0};
    return paint->through * cosine * (1.0f / DR_PI_FLOAT) * paint->colour;
}

static dr_float4 draw_mirror(const dr_paint *paint, dr_float4 normal, dr_float4 out, dr_dice *dice, dr_float4 *in)
{
    float random[2], alpha = alpha_of(paint);
    dr_dice_roll(dice, random);
    dr_float4 facet = dr_optics_facet(normal, out, alpha, random);
    *in = dr_optics_reflect(-out, facet);
    float cosine = dr_space_dot(*in, normal);
    if (cosine <= 0.0f) return (dr_float4){0};
    float kept = dr_optics_shadow(cosine, dr_space_dot(out, normal), alpha);
    if (paint->finish == DR_FINISH_METAL) return kept * metal_share(paint, dr_space_dot(facet, out));
    return (dr_float4){kept, kept, kept, 0.0f};
}

dr_float4 dr_paint_draw(const dr_paint *paint, dr_float4 normal, dr_float4 out, dr_dice *dice, dr_float4 *in)
{
    float random[2], cosine = dr_space_dot(normal, out);
    if (cosine <= 0.0f) return (dr_float4){0};
    dr_dice_roll(dice, random);
    if (paint->finish == DR_FINISH_METAL || random[0] < dr_paint_coat(paint, cosine))
        return draw_mirror(paint, normal, out, dice, in);
    bool behind = paint->through > 0.0f && random[1] < paint->through;
    dr_dice_roll(dice, random);
    *in = dr_optics_cosine(behind ? -normal : normal, random);
    return paint->colour;
}
