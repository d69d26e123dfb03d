// The law of thick liquids, several points at once. docs/theory/rheology.md, eq. (4)-(8).
//   e  b - I     g  gradient times the step     z  what of the stress beyond yield flows away in the step
#include "liquid/rheology_lanes.h"

#include "liquid/constants.h"
#include "math/viscoplastic_lanes.h"

#include <string.h>

void dr_rheology_lanes_clear(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR])
{
    memset(lanes, 0, DR_RHEOLOGY_PAIR * sizeof *lanes);
    for (int h = 0; h < DR_RHEOLOGY_PAIR; h++) lanes[h].index = dr_lanes_all(1.0);
}

void dr_rheology_lanes_law(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR], int point, const dr_rheology *law)
{
    dr_rheology_lanes *of = &lanes[point / DR_LANES];
    int lane = point % DR_LANES;
    of->shear_modulus[lane] = law->shear_modulus;
    of->yield[lane] = law->yield;
    of->consistency[lane] = law->consistency;
    of->index[lane] = law->index > 0.0 ? law->index : 1.0;
}

// e' of I + e' = (I + g)(I + e)(I + g)^T.
DR_INLINE void carry(const dr_lanes g[9], const dr_lanes e[DR_SYMMETRIC], dr_lanes out[DR_SYMMETRIC])
{
    static const int row[DR_SYMMETRIC] = {0, 0, 0, 1, 1, 2}, column[DR_SYMMETRIC] = {0, 1, 2, 1, 2, 2};
    const dr_lanes m[9] = {e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]};
    dr_lanes half[9]; // g + g e
    for (int i = 0; i < 9; i++) {
        int r = i / 3 * 3, c = i % 3;
        half[i] = g[i] + (g[r] * m[c] + g[r + 1] * m[3 + c] + g[r + 2] * m[6 + c]);
    }
    for (int i = 0; i < DR_SYMMETRIC; i++) {
        int r = 3 * row[i], c = 3 * column[i];
        dr_lanes sum = half[r + column[i]] + g[c + row[i]];
        for (int k = 0; k < 3; k++) sum += (half[r + k] + m[r + k]) * g[c + k];
        out[i] = e[i] + sum;
    }
}

// e of (I + e)/det(I + e)^(1/3); 0 where that is none.
DR_INLINE void normalise(dr_lanes e[DR_SYMMETRIC])
{
    dr_lanes one = dr_lanes_all(1.0), three = dr_lanes_all(3.0), zero = dr_lanes_all(0.0);
    dr_lanes pairs = e[0] * e[3] + e[3] * e[5] + e[5] * e[0] - e[1] * e[1] - e[2] * e[2] - e[4] * e[4];
    dr_lanes cubes =
        e[0] * (e[3] * e[5] - e[4] * e[4]) + e[1] * (e[4] * e[2] - e[1] * e[5]) + e[2] * (e[1] * e[4] - e[3] * e[2]);
    dr_lanes more = e[0] + e[3] + e[5] + pairs + cubes; // det - 1
    dr_lanes_mask ok = (dr_lanes_mask)(more > dr_lanes_all(-0.999999)) & (dr_lanes_mask)(more < dr_lanes_all(1e12));
    more = dr_lanes_select(ok, more, zero);
    dr_lanes s = dr_lanes_exp(dr_lanes_log(one + more) * dr_lanes_all(-1.0 / 3.0)) - one;
    dr_lanes cube = s * (three + s * (three + s)); // (1 + s)^3 - 1; one round more of Newton's method: s may be tiny
    s -= (cube + more + cube * more) / (three * (one + s) * (one + s) * (one + more));
    for (int i = 0; i < DR_SYMMETRIC; i++) e[i] += s * e[i];
    e[0] += s;
    e[3] += s;
    e[5] += s;
    for (int i = 0; i < DR_SYMMETRIC; i++) e[i] = dr_lanes_select(ok, e[i], zero);
}

// Numbers of both.
typedef struct pair {
    dr_lanes of[DR_RHEOLOGY_PAIR];
} pair;

#define BOTH for (int h = 0; h < DR_RHEOLOGY_PAIR; h++)

// Of the stress phi beyond yield, what stays, as dr_viscoplastic_stays has it, and what that changes by with phi: eq.
// (4)-(6). Two at a time: each waits for itself.
DR_INLINE void relax(const dr_rheology_lanes *lanes, const pair *phi, const pair *drag, pair *stays, pair *change)
{
    dr_lanes one = dr_lanes_all(1.0), small = dr_lanes_all(DR_VISCOPLASTIC_SMALLEST), two = dr_lanes_all(2.0),
             zero = dr_lanes_all(0.0);
    pair a, y, power, flows, square; // a: its logarithm
    BOTH
    {
        dr_lanes n = lanes[h].index, eta = dr_lanes_log(dr_lanes_larger(lanes[h].consistency, small));
        a.of[h] = eta + (n - one) * dr_lanes_log(phi->of[h]) - n * dr_lanes_log(dr_lanes_larger(drag->of[h], small));
        y.of[h] = dr_lanes_smaller(zero, -a.of[h] / n);
        square.of[h] = (one - n) * (one - n);
    }
    for (int i = 0; i <= DR_VISCOPLASTIC_ROUNDS; i++) {
        BOTH power.of[h] = dr_lanes_exp(dr_lanes_add_product(a.of[h], lanes[h].index, y.of[h]));
        BOTH flows.of[h] = dr_lanes_exp(y.of[h]);
        if (i == DR_VISCOPLASTIC_ROUNDS) break;
        BOTH
        {
            dr_lanes sum = power.of[h] + flows.of[h], f = dr_viscoplastic_near_log(sum);
            dr_lanes slope = dr_lanes_add_product(flows.of[h], lanes[h].index, power.of[h]);
            dr_lanes bend = power.of[h] * flows.of[h] * square.of[h];
            y.of[h] -= two * f * slope * sum / (two * slope * slope - f * bend);
        }
    }
    BOTH
    {
        dr_lanes held = lanes[h].index * power.of[h];
        stays->of[h] = phi->of[h] * power.of[h] / (power.of[h] + flows.of[h]);
        change->of[h] = held / (held + flows.of[h]);
    }
}

typedef struct part {
    dr_lanes g[9], dt;
    dr_lanes parts; // how many
} part;

typedef struct trial {
    dr_lanes b[DR_SYMMETRIC], mean, size, grown; // deviator of b, its mean; stress; dt times the modulus
    dr_lanes_mask yields;
} trial;

DR_INLINE void try_part(const dr_rheology_lanes *lanes, const part *of, trial *t)
{
    dr_lanes third = dr_lanes_all(1.0 / 3.0), zero = dr_lanes_all(0.0), one = dr_lanes_all(1.0);
    dr_lanes *b = t->b;
    carry(of->g, lanes->b, b);
    normalise(b);
    t->mean = third * (b[0] + b[3] + b[5]);
    b[0] -= t->mean;
    b[3] -= t->mean;
    b[5] -= t->mean;
    dr_lanes norm = dr_lanes_sqrt(b[0] * b[0] + b[3] * b[3] + b[5] * b[5] +
                                  dr_lanes_all(2.0) * (b[1] * b[1] + b[2] * b[2] + b[4] * b[4]));
    t->size = lanes->shear_modulus * norm;
    t->grown = of->dt * lanes->shear_modulus * (one + t->mean);
    t->yields = (dr_lanes_mask)(t->size > lanes->yield) & (dr_lanes_mask)(t->grown > zero);
}

// share: of the trial's stress that is left; change: eq. (6).
DR_INLINE void end_part(dr_rheology_lanes *lanes, const trial *t, dr_lanes share, dr_lanes change, dr_lanes_mask active)
{
    dr_lanes viscosity = dr_lanes_larger(share, change) * (lanes->viscosity + t->grown);
    lanes->viscosity = dr_lanes_select(active, viscosity, lanes->viscosity);
    for (int i = 0; i < DR_SYMMETRIC; i++) {
        dr_lanes dev = share * t->b[i], full = i == 0 || i == 3 || i == 5 ? dev + t->mean : dev;
        lanes->stress[i] = dr_lanes_select(active, lanes->shear_modulus * dev, lanes->stress[i]);
        lanes->b[i] = dr_lanes_select(active, full, lanes->b[i]);
    }
}

// A part of a step, of those that have one.
static void step_part(dr_rheology_lanes *lanes, const part *of, int k)
{
    dr_lanes zero = dr_lanes_all(0.0), one = dr_lanes_all(1.0), done = dr_lanes_all((double)k);
    trial t[DR_RHEOLOGY_PAIR];
    pair phi, drag, stays, share = {{one, one}}, change = {{one, one}};
    int any = 0;
    BOTH
    {
        try_part(&lanes[h], &of[h], &t[h]);
        phi.of[h] = dr_lanes_select(t[h].yields, t[h].size - lanes[h].yield, one);
        drag.of[h] = dr_lanes_select(t[h].yields, t[h].grown + t[h].grown, one);
        any |= dr_lanes_any_less(zero, dr_lanes_select(t[h].yields, one, zero));
    }
    if (any) {
        relax(lanes, &phi, &drag, &stays, &change);
        BOTH
        {
            dr_lanes size = dr_lanes_select(t[h].yields, t[h].size, one);
            share.of[h] = dr_lanes_select(t[h].yields, (lanes[h].yield + stays.of[h]) / size, one);
            change.of[h] = dr_lanes_select(t[h].yields, change.of[h], one);
        }
    }
    BOTH end_part(&lanes[h], &t[h], share.of[h], change.of[h], (dr_lanes_mask)(done < of[h].parts));
}

// Into how many parts a step goes.
DR_INLINE void divide(const dr_rheology_lanes *lanes, double dt, part *of)
{
    dr_lanes square = dr_lanes_all(0.0), one = dr_lanes_all(1.0), most = dr_lanes_all(DR_RHEOLOGY_PARTS);
    dr_lanes round = dr_lanes_all(DR_LANES_ROUND);
    for (int i = 0; i < 9; i++) square += lanes->gradient[i] * lanes->gradient[i];
    dr_lanes wanted = dr_lanes_smaller(dr_lanes_sqrt(square) * dr_lanes_all(dt / DR_RHEOLOGY_PART), most);
    dr_lanes parts = (wanted + round) - round; // to the nearest; then up
    parts = dr_lanes_select((dr_lanes_mask)(parts < wanted), parts + one, parts);
    of->parts = dr_lanes_select((dr_lanes_mask)(parts > one), parts, one);
    of->dt = dr_lanes_all(dt) / of->parts;
    for (int i = 0; i < 9; i++) of->g[i] = lanes->gradient[i] * of->dt;
}

void dr_rheology_lanes_step(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR], double dt)
{
    part of[DR_RHEOLOGY_PAIR];
    BOTH
    {
        divide(&lanes[h], dt, &of[h]);
        lanes[h].viscosity = dr_lanes_all(0.0);
    }
    for (int k = 0; k < (int)DR_RHEOLOGY_PARTS; k++) {
        dr_lanes done = dr_lanes_all((double)k);
        if (k > 0 && !dr_lanes_any_less(done, of[0].parts) && !dr_lanes_any_less(done, of[1].parts)) break;
        step_part(lanes, of, k);
    }
}
