// Strains and their rates. docs/theory/rods.md, eq. (5), (6), (40). Rates of curvatures and twist are differences over
// a motion so small that their error is rounding's.
#include "strand/strain.h"

#include "strand/scalar.h"

#include <math.h>
#include <string.h>

#define NUDGE 1e-4 // of an edge, of a radian: half or twice of it changes rates by 1e-8 of themselves

void dr_strain_measure(const double *x, const double *director, int count, dr_strain *out)
{
    for (int i = 0; i < count; i++) {
        if (out->length) out->length[i] = i + 1 < count ? dr_scalar_length(x + 3 * i) : 0.0;
        if (!out->curvature) continue;
        if (i > 0 && i + 1 < count)
            dr_scalar_curvature(x + 3 * (i - 1), director + 3 * (i - 1), out->curvature + 4 * i);
        else
            memset(out->curvature + 4 * i, 0, 4 * sizeof *out->curvature);
    }
}

// The time in which no edge turns or stretches by more than NUDGE.
static double find_nudge(const dr_strands *strands, size_t first, int count)
{
    double fastest = 0.0;
    for (size_t v = first; v + 1 < first + (size_t)count; v++) {
        double apart[3];
        dr_vec3_sub(apart, strands->velocity + 3 * v + 3, strands->velocity + 3 * v);
        fastest = fmax(fastest, dr_vec3_length(apart) / dr_scalar_length(strands->position + 3 * v));
        fastest = fmax(fastest, fabs(strands->spin[v]));
    }
    return fastest > 0.0 ? NUDGE / fastest : 0.0;
}

// Points and directors after `time` at the present velocities.
static void move(const dr_strands *strands, size_t first, int count, double time, double *x, double *director)
{
    for (int i = 0; i < 3 * count; i++)
        x[i] = strands->position[3 * first + (size_t)i] + time * strands->velocity[3 * first + (size_t)i];
    for (int i = 0; i + 1 < count; i++) {
        size_t v = first + (size_t)i;
        double before[3], after[3];
        dr_scalar_tangent(strands->position + 3 * v, before);
        dr_scalar_tangent(x + 3 * i, after);
        dr_vec3_copy(director + 3 * i, strands->director + 3 * v);
        dr_scalar_transport(before, after, director + 3 * i);
        dr_scalar_turn(after, time * strands->spin[v], director + 3 * i);
    }
}

// Adds share times the strains of those points to `out`.
static void add_share(const double *x, const double *director, int count, const double *near, double share,
                      dr_strain *out)
{
    for (int i = 1; i + 1 < count; i++) {
        double curvature[4], t[2][3];
        dr_scalar_curvature(x + 3 * (i - 1), director + 3 * (i - 1), curvature);
        for (int k = 0; k < 4; k++) out->curvature[4 * i + k] += share * curvature[k];
        for (int k = 0; k < 2; k++) dr_scalar_tangent(x + 3 * (i - 1 + k), t[k]);
        out->twist[i] += share * dr_scalar_twist(t[0], director + 3 * (i - 1), t[1], director + 3 * i, near[i]);
    }
}

void dr_strain_continue(const dr_strands *strands, int s, double time, const dr_strain *now, double *x,
                        double *director, dr_strain *out)
{
    size_t first = (size_t)strands->first[s];
    int count = dr_strands_size(strands, s);
    double nudge = find_nudge(strands, first, count), share = nudge > 0.0 ? 0.5 * time / nudge : 0.0;
    memcpy(out->length, now->length, (size_t)count * sizeof *out->length);
    memcpy(out->curvature, now->curvature, 4 * (size_t)count * sizeof *out->curvature);
    memcpy(out->twist, now->twist, (size_t)count * sizeof *out->twist);
    if (share == 0.0) return;
    for (int i = 0; i + 1 < count; i++) {
        size_t v = first + (size_t)i;
        double t[3], apart[3];
        dr_scalar_tangent(strands->position + 3 * v, t);
        dr_vec3_sub(apart, strands->velocity + 3 * v + 3, strands->velocity + 3 * v);
        out->length[i] += time * dr_vec3_dot(t, apart);
    }
    for (int side = -1; side <= 1; side += 2) {
        move(strands, first, count, side * nudge, x, director);
        add_share(x, director, count, strands->twist + first, side * share, out);
    }
}
