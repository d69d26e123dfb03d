// Takes the noise out of a picture: every pixel becomes a mean of pixels around it that differ from it by no more than
// their noise explains. docs/render.md, "Noise".
#ifndef DR_LOOK_DENOISE_H
#define DR_LOOK_DENOISE_H

#include "base/error.h"
#include "look/space.h"
#include "par/par.h"

// What is known of a pixel.
typedef struct dr_denoise_pixel {
    dr_float4 light;  // mean of its samples; the fourth lane: the variance of that mean
    dr_float4 colour; // of the first solid that its paths met
    dr_float4 normal; // of the first surface
} dr_denoise_pixel;

// Light as the filter sees it, and back: bright spots count less.
dr_float4 dr_denoise_press(dr_float4 light);
dr_float4 dr_denoise_release(dr_float4 pressed);

// Filters light that was pressed; `out` gets one colour per pixel, still pressed.
void dr_denoise_filter(const dr_denoise_pixel *pixels, int width, int height, const dr_par *par, dr_float4 *out);

#endif
