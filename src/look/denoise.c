// Non-local means with the variance of each pixel (after Rousselle et al. 2012) and two features. docs/render.md, eqs.
// (9)-(10).
#include "look/denoise.h"

#define REACH    4     // pixels to either side that may be taken in
#define SOFTNESS 0.5f  // k: differences of that many standard deviations count as one
#define LEAST    1e-5f // variance that even a quiet pixel is taken to have
#define COLOURS  0.02f // squared difference of colours that counts as one
#define NORMALS  0.15f // squared difference of normals that counts as one

dr_float4 dr_denoise_press(dr_float4 light)
{
    for (int c = 0; c < 3; c++) light[c] = light[c] / (1.0f + light[c]);
    return light;
}

dr_float4 dr_denoise_release(dr_float4 pressed)
{
    for (int c = 0; c < 3; c++) pressed[c] = pressed[c] / fmaxf(1.0f - pressed[c], 1e-6f);
    return pressed;
}

typedef struct filtering {
    const dr_denoise_pixel *pixels;
    int width, height;
    dr_float4 *out;
} filtering;

static const dr_denoise_pixel *pixel_at(const filtering *f, int x, int y)
{
    x = x < 0 ? 0 : x >= f->width ? f->width - 1 : x;
    y = y < 0 ? 0 : y >= f->height ? f->height - 1 : y;
    return &f->pixels[(size_t)y * (size_t)f->width + (size_t)x];
}

// Squared difference of two pixels beyond what noise explains, in units of the noise.
static float difference(const dr_denoise_pixel *a, const dr_denoise_pixel *b)
{
    dr_float4 d = a->light - b->light;
    float own = a->light[3], other = b->light[3];
    float squared = dr_space_dot(d, d) * (1.0f / 3.0f) - (own + fminf(own, other));
    return squared / (LEAST + SOFTNESS * SOFTNESS * (own + other));
}

// The mean over patches of three by three pixels.
static float patch_difference(const filtering *f, int x, int y, int dx, int dy)
{
    float sum = 0.0f;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) sum += difference(pixel_at(f, x + i, y + j), pixel_at(f, x + dx + i, y + dy + j));
    }
    return fmaxf(sum * (1.0f / 9.0f), 0.0f);
}

static float weight(const filtering *f, int x, int y, int dx, int dy)
{
    const dr_denoise_pixel *here = pixel_at(f, x, y), *there = pixel_at(f, x + dx, y + dy);
    dr_float4 colour = here->colour - there->colour, normal = here->normal - there->normal;
    float features = dr_space_dot(colour, colour) * (1.0f / COLOURS) + dr_space_dot(normal, normal) * (1.0f / NORMALS);
    if (features > 8.0f) return 0.0f;
    float most = fmaxf(features, patch_difference(f, x, y, dx, dy));
    return most > 8.0f ? 0.0f : expf(-most);
}

static dr_float4 filter_pixel(const filtering *f, int x, int y)
{
    dr_float4 sum = pixel_at(f, x, y)->light;
    float total = 1.0f;
    for (int dy = -REACH; dy <= REACH; dy++) {
        for (int dx = -REACH; dx <= REACH; dx++) {
            bool outside = x + dx < 0 || x + dx >= f->width || y + dy < 0 || y + dy >= f->height;
            if (outside || (dx == 0 && dy == 0)) continue;
            float share = weight(f, x, y, dx, dy);
            sum += share * pixel_at(f, x + dx, y + dy)->light;
            total += share;
        }
    }
    return sum * (1.0f / total);
}

static void filter_rows(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const filtering *f = user;
    for (size_t y = begin; y < end; y++) {
        for (int x = 0; x < f->width; x++) f->out[y * (size_t)f->width + (size_t)x] = filter_pixel(f, x, (int)y);
    }
}

void dr_denoise_filter(const dr_denoise_pixel *pixels, int width, int height, const dr_par *par, dr_float4 *out)
{
    filtering f = {pixels, width, height, out};
    dr_par_for(par, (size_t)height, 4, filter_rows, &f);
}
