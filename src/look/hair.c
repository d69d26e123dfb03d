// Lobes of a fibre: how they are spread along it (M), around it (N), and what each keeps of the light (A).
// docs/render.md, "Hair", eqs. (13)-(19).
#include "look/hair.h"

#define LAST        (DR_HAIR_LOBES - 1)
#define INDEX       1.55f // of refraction
#define ROOT_PI_8   0.626657069f
#define LOG_2PI     1.83787707f
#define WIDE_ENOUGH 0.1f // variance from which M is evaluated without logarithms

static float square(float x)
{
    return x * x;
}

static float root(float x)
{
    return sqrtf(fmaxf(x, 0.0f));
}

// x^20
static float twentieth(float x)
{
    float four = square(square(x)), sixteen = square(square(four));
    return sixteen * four;
}

dr_float4 dr_hair_absorption(dr_float4 colour, float around)
{
    float b = around;
    float spread = 5.969f + b * (-0.215f + b * (2.532f + b * (-10.73f + b * (5.574f + 0.245f * b)))); // eq. (19)
    for (int c = 0; c < 3; c++) colour[c] = square(logf(fminf(fmaxf(colour[c], 1e-4f), 0.999f)) / spread);
    return colour;
}

// ---- along the hair

static float bessel(float x)
{
    float sum = 1.0f, term = 1.0f, quarter = 0.25f * x * x;
    for (int i = 1; i < 10; i++) {
        term *= quarter / (float)(i * i);
        sum += term;
    }
    return sum;
}

static float log_bessel(float x)
{
    return x > 12.0f ? x + 0.5f * (-LOG_2PI - logf(x) + 0.125f / x) : logf(bessel(x));
}

// Density over the sine of the angle.                                                                         eq. (14)
static float along_density(const dr_hair_place *place, int p, float sine_in, float cosine_in)
{
    float v = place->width[p], a = cosine_in * place->lean_cosine[p] / v, b = sine_in * place->lean_sine[p] / v;
    if (v > WIDE_ENOUGH) return expf(-b) * bessel(a) * place->norm[p];
    return expf(log_bessel(a) - b + place->norm[p]);
}

static float along_norm(float v)
{
    return v > WIDE_ENOUGH ? 1.0f / (2.0f * v * sinhf(1.0f / v)) : -1.0f / v - logf(v); // 2 sinh(x) is e^x
}

// ---- around the hair

static float logistic(float x, float s)
{
    float e = expf(-fabsf(x) / s);
    return e / (s * square(1.0f + e));
}

static float logistic_below(float x, float s)
{
    return 1.0f / (1.0f + expf(-x / s));
}

// Where a lobe of light that was bent p times leaves, from where it came.                                     eq. (15)
static float leaves_at(int p, float turn, float turn_inside)
{
    return 2.0f * (float)p * turn_inside - 2.0f * turn + (float)p * DR_PI_FLOAT;
}

static float wrap(float angle)
{
    return angle - 2.0f * DR_PI_FLOAT * roundf(angle / (2.0f * DR_PI_FLOAT));
}

static float around_density(const dr_hair_place *place, int p, float angle)
{
    float away = wrap(angle - leaves_at(p, place->turn, place->turn_inside));
    return logistic(away, place->spread) * place->around; // eq. (16)
}

// ---- a place on a hair

static void share_light(dr_hair_place *place, dr_float4 through, float mirrored)
{
    dr_float4 rest = {1.0f, 1.0f, 1.0f, 0.0f};
    float sum = 0.0f;
    place->share[0] = (dr_float4){mirrored, mirrored, mirrored, 0.0f}; // eq. (17)
    place->share[1] = square(1.0f - mirrored) * through;
    place->share[2] = place->share[1] * through * mirrored;
    rest -= mirrored * through;
    for (int c = 0; c < 3; c++) place->share[LAST][c] = place->share[2][c] * mirrored * through[c] / rest[c];
    for (int p = 0; p <= LAST; p++) {
        place->chance[p] = 0.2126f * place->share[p][0] + 0.7152f * place->share[p][1] + 0.0722f * place->share[p][2];
        sum += place->chance[p];
    }
    for (int p = 0; p <= LAST; p++) place->chance[p] /= sum;
}

// Scales turn what is mirrored towards the root and what comes through towards the tip.
static void lean(dr_hair_place *place)
{
    // Of -4, 2, 8 and 0 degrees: scales stand out by two.
    static const float sines[DR_HAIR_LOBES] = {-0.069756474f, 0.034899497f, 0.139173101f, 0.0f};
    static const float cosines[DR_HAIR_LOBES] = {0.997564050f, 0.999390827f, 0.990268069f, 1.0f};
    for (int p = 0; p <= LAST; p++) {
        float s = sines[p], c = cosines[p];
        place->lean_sine[p] = place->sine * c + place->cosine * s;
        place->lean_cosine[p] = fabsf(place->cosine * c - place->sine * s);
    }
}

static void widen(const dr_hair *hair, dr_hair_place *place)
{
    float m = hair->along, n = hair->around;
    float v = square(0.726f * m + 0.812f * m * m + 3.7f * twentieth(m)); // eq. (18)
    place->width[0] = v;
    place->width[1] = 0.25f * v;
    place->width[2] = place->width[3] = 4.0f * v;
    place->spread = ROOT_PI_8 * (0.265f * n + 1.194f * n * n + 5.372f * square(n) * twentieth(n));
    for (int p = 0; p < LAST; p++) place->norm[p] = along_norm(place->width[p]);
    place->norm[LAST] = place->norm[LAST - 1];
    place->around = 1.0f / (2.0f * logistic_below(DR_PI_FLOAT, place->spread) - 1.0f);
}

dr_hair_place dr_hair_place_make(const dr_hair *hair, dr_float4 tangent, dr_float4 normal, dr_float4 out)
{
    dr_hair_place place = {.tangent = tangent};
    place.sine = fminf(fmaxf(dr_space_dot(out, tangent), -1.0f), 1.0f);
    place.cosine = fmaxf(root(1.0f - square(place.sine)), 1e-4f);
    place.aside = dr_space_unit(out - place.sine * tangent);
    place.ahead = dr_space_cross(tangent, place.aside);
    dr_float4 flat = dr_space_unit(normal - dr_space_dot(normal, tangent) * tangent);
    place.offset = fminf(fmaxf(-dr_space_dot(flat, place.ahead), -0.9999f), 0.9999f);
    float bent = root(square(INDEX) - square(place.sine)) / place.cosine; // index that the cross section sees
    float sine_inside = place.offset / bent, cosine_along = root(1.0f - square(place.sine / INDEX));
    place.turn = asinf(place.offset);
    place.turn_inside = asinf(fminf(fmaxf(sine_inside, -1.0f), 1.0f));
    float way = 2.0f * root(1.0f - square(sine_inside)) / cosine_along;
    float mirrored = dr_optics_fresnel(place.cosine * root(1.0f - square(place.offset)), 1.0f / INDEX);
    share_light(&place, dr_optics_absorb(hair->absorption, way), mirrored);
    lean(&place);
    widen(hair, &place);
    return place;
}

// ---- sending and drawing

// All lobes towards a direction, and the density of drawing it.                                               eq. (13)
static dr_float4 add_lobes(const dr_hair_place *place, float sine, float cosine, float angle, float *density)
{
    dr_float4 sum = {0};
    *density = 0.0f;
    for (int p = 0; p <= LAST; p++) {
        if (place->chance[p] < 1e-5f) continue;
        float m = along_density(place, p, sine, cosine);
        float n = p < LAST ? around_density(place, p, angle) : 0.5f / DR_PI_FLOAT;
        sum += m * n * place->share[p];
        *density += m * n * place->chance[p];
    }
    return sum;
}

dr_float4 dr_hair_send(const dr_hair_place *place, dr_float4 in)
{
    float sine = fminf(fmaxf(dr_space_dot(in, place->tangent), -1.0f), 1.0f), density;
    float angle = atan2f(dr_space_dot(in, place->ahead), dr_space_dot(in, place->aside));
    return add_lobes(place, sine, root(1.0f - square(sine)), angle, &density);
}

static int draw_lobe(const dr_hair_place *place, float random)
{
    int p = 0;
    while (p < LAST && random >= place->chance[p]) random -= place->chance[p++];
    return p;
}

static float draw_along(const dr_hair_place *place, int p, const float random[2])
{
    float v = place->width[p], u = fmaxf(random[0], 1e-5f);
    float cosine = 1.0f + v * logf(u + (1.0f - u) * expf(-2.0f / v));
    float sine = root(1.0f - square(cosine)) * cosf(2.0f * DR_PI_FLOAT * random[1]);
    return fminf(fmaxf(sine * place->lean_cosine[p] - cosine * place->lean_sine[p], -1.0f), 1.0f);
}

static float draw_around(const dr_hair_place *place, int p, float random)
{
    if (p == LAST) return 2.0f * DR_PI_FLOAT * random;
    float low = logistic_below(-DR_PI_FLOAT, place->spread), high = logistic_below(DR_PI_FLOAT, place->spread);
    float at = fmaxf(low + random * (high - low), 1e-9f);
    float away = -place->spread * logf(fmaxf(1.0f / at - 1.0f, 1e-9f));
    return leaves_at(p, place->turn, place->turn_inside) + fminf(fmaxf(away, -DR_PI_FLOAT), DR_PI_FLOAT);
}

dr_float4 dr_hair_draw(const dr_hair_place *place, dr_dice *dice, dr_float4 *in)
{
    float which[2], random[2], density;
    dr_dice_roll(dice, which);
    dr_dice_roll(dice, random);
    int p = draw_lobe(place, which[0]);
    float sine = draw_along(place, p, random), cosine = root(1.0f - square(sine));
    float angle = draw_around(place, p, which[1]);
    *in = sine * place->tangent + cosine * cosf(angle) * place->aside + cosine * sinf(angle) * place->ahead;
    dr_float4 sent = add_lobes(place, sine, cosine, angle, &density);
    return density > 0.0f ? sent * (1.0f / density) : (dr_float4){0};
}
