// One frame drawn: what it holds is put into the studio, and every pixel follows its paths of light.
#ifndef DR_LOOK_DRAW_H
#define DR_LOOK_DRAW_H

#include "base/error.h"
#include "drench/render.h"
#include "geom/shape.h"
#include "par/par.h"

typedef struct dr_draw {
    const dr_scene *scene;
    const dr_frame *frame;
    dr_box action; // of the whole run: what a camera that is left to itself looks at
    dr_par par;
    const dr_allocator *allocator;
    const volatile int *stop;                  // may be NULL
    void (*advance)(void *user, double share); // one thread at a time, may be NULL
    void *user;
    dr_render_summary *summary; // counts of what was drawn, may be NULL
} dr_draw;

// look.height rows of look.width pixels of three bytes, from the top.
dr_status dr_draw_frame(const dr_draw *draw, uint8_t *pixels, dr_error *error);

#endif
