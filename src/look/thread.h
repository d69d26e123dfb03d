// What threads do to the surface of cloth and yarn, where they are wide enough to be seen. docs/render.md, "Cloth".
#ifndef DR_LOOK_THREAD_H
#define DR_LOOK_THREAD_H

#include "look/studio.h"

// Changes normal and colour of a hit on something of finish cloth. `pixel` is how wide a pixel is there, cm: what is
// finer fades into its mean.
void dr_thread_shade(dr_studio_hit *hit, float pixel);

#endif
