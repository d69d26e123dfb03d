// Threads. A sheet is a plain weave: in every second square of the lattice of warp and weft one lies above the other, a
// cylinder that bends down into the cloth at both ends. A yarn is some plies twisted about each other. Both turn the
// normal and darken the grooves; colours keep their mean, so that threads that are too fine to be seen can be left out.
// docs/render.md, eqs. (20)-(22).
#include "look/thread.h"

#define ROUND  0.9f  // tangent of the slope at the side of a thread: half of it is flat ribbon, twice is rope
#define BEND   0.55f // and where it goes down into the cloth
#define GROOVE 0.45f // light that is lost in the grooves between threads
#define PLIES  3.0f
#define TWIST  0.35f // turns of a ply about the yarn per radius of way, over pi: half of it is hardly twisted
#define PLY    0.55f // slope at the side of a ply

static float smooth(float low, float high, float x)
{
    float t = fminf(fmaxf((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// -1 .. 1 within the square, and whether its number is odd.
static float within(float x, bool *odd)
{
    float number = floorf(x);
    *odd = fmodf(number, 2.0f) != 0.0f;
    return 2.0f * (x - number) - 1.0f;
}

static void tilt(dr_studio_hit *hit, dr_float4 slope, float seen)
{
    dr_float4 normal = dr_space_unit(hit->normal + seen * (slope - dr_space_dot(slope, hit->normal) * hit->normal));
    hit->normal = normal;
}

static void weave(dr_studio_hit *hit, float seen)
{
    bool odd[2];
    float u = within(hit->coordinates[0] / hit->paint.thread, &odd[0]);
    float v = within(hit->coordinates[1] / hit->paint.thread, &odd[1]);
    bool warp = odd[0] == odd[1]; // the warp runs along the first coordinate
    float across = warp ? v : u, along = warp ? u : v;
    dr_float4 sideways = warp ? hit->weft : hit->warp, ahead = warp ? hit->warp : hit->weft;
    float groove = 1.0f - GROOVE * (across * across * across * across + along * along * along * along - 0.4f);
    tilt(hit, ROUND * across * sideways + BEND * along * ahead, seen);
    hit->paint.colour *= 1.0f + seen * (groove - 1.0f);
}

static void twist(dr_studio_hit *hit, float seen)
{
    float turn = PLIES * (atan2f(dr_space_dot(hit->face, hit->weft), dr_space_dot(hit->face, hit->warp)) -
                          TWIST * DR_PI_FLOAT * hit->coordinates[0] / hit->radius);
    dr_float4 around = dr_space_cross(hit->tangent, hit->face);
    float side = sinf(turn), crest = 0.5f + 0.5f * cosf(turn);
    tilt(hit, PLY * side * around, seen);
    hit->paint.colour *= 1.0f + seen * GROOVE * (crest - 0.5f);
}

void dr_thread_shade(dr_studio_hit *hit, float pixel)
{
    float size = hit->radius > 0.0f ? hit->radius : hit->paint.thread;
    float seen = size > 0.0f ? smooth(0.7f, 2.0f, size / fmaxf(pixel, 1e-20f)) : 0.0f;
    if (seen <= 0.0f) return;
    if (hit->radius > 0.0f) {
        twist(hit, seen);
    } else {
        weave(hit, seen);
    }
}
