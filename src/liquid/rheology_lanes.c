// The law of thick liquids, several points at once. docs/theory/rheology.md, eq. (4)-(8).
//   e  b - I     g  gradient times the step     z  what of the stress beyond yield flows away in the step
#include "liquid/rheology_lanes.h"

#include "liquid/tuning.h"
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

// e of (I + e)/det(I + e)^(1/3); 0 where that is none. Where there is one.
DR_INLINE dr_lanes_mask normalise(dr_lanes e[DR_SYMMETRIC])
{
    dr_lanes one = dr_lanes_all(1.0), three = dr_lanes_all(3.0), zero = dr_lanes_all(0.0);
    dr_lanes pairs = e[0] * e[3] + e[3] * e[5] + e[5] * e[0] - e[1] * e[1] - e[2] * e[2] - e[4] * e[4];
    dr_lanes cubes =
        e[0] * (e[3] * e[5] - e[4] * e[4]) + e[1] * (e[4] * e[2] - e[1] * e[5]) + e[2] * (e[1] * e[4] - e[3] * e[2]);
    dr_lanes more = e[0] + e[3] + e[5] + pairs + cubes; // det - 1
    dr_lanes_mask ok = (dr_lanes_mask)(more > dr_lanes_all(DR_RHEOLOGY_LEAST_SQUARE - 1.0)) &
                       (dr_lanes_mask)(more < dr_lanes_all(DR_RHEOLOGY_MOST_SQUARE));
    more = dr_lanes_select(ok, more, zero);
    dr_lanes s = dr_lanes_inverse_cube_root(one + more) - one;
    dr_lanes cube = s * (three + s * (three + s)); // (1 + s)^3 - 1; one round more of Newton's method: s may be tiny
    s -= dr_lanes_all(1.0 / 3.0) * (cube + more + cube * more) * (one + s);
    for (int i = 0; i < DR_SYMMETRIC; i++) e[i] += s * e[i];
    e[0] += s;
    e[3] += s;
    e[5] += s;
    for (int i = 0; i < DR_SYMMETRIC; i++) e[i] = dr_lanes_select(ok, e[i], zero);
    return ok;
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
    dr_lanes one = dr_lanes_all(1.0), small = dr_lanes_all(DR_VISCOPLASTIC_SMALLEST), zero = dr_lanes_all(0.0);
    pair a, y, power, flows, square, step; // a: its logarithm
    BOTH
    {
        dr_lanes n = lanes[h].index, eta = dr_lanes_log(dr_lanes_larger(lanes[h].consistency, small));
        a.of[h] = eta + (n - one) * dr_lanes_log(phi->of[h]) - n * dr_lanes_log(dr_lanes_larger(drag->of[h], small));
        y.of[h] = dr_lanes_smaller(zero, -a.of[h] / n);
        square.of[h] = (one - n) * (one - n);
    }
    for (int i = 0; i < DR_VISCOPLASTIC_ROUNDS; i++) {
        BOTH power.of[h] = dr_lanes_exp(dr_lanes_add_product(a.of[h], lanes[h].index, y.of[h]));
        BOTH flows.of[h] = dr_lanes_exp(y.of[h]);
        BOTH step.of[h] = dr_viscoplastic_change(lanes[h].index, square.of[h], power.of[h], flows.of[h]);
        BOTH y.of[h] += step.of[h];
    }
    BOTH power.of[h] *= dr_lanes_exp_small(lanes[h].index * step.of[h]);
    BOTH flows.of[h] *= dr_lanes_exp_small(step.of[h]);
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

// ---- what tears

// The lower factor of I + e: xx, yx, zx, yy, zy, zz.
DR_INLINE void factor(const dr_lanes e[DR_SYMMETRIC], dr_lanes l[DR_SYMMETRIC])
{
    dr_lanes one = dr_lanes_all(1.0), least = dr_lanes_all(DR_RHEOLOGY_LEAST_SQUARE);
    l[0] = dr_lanes_sqrt(dr_lanes_larger(one + e[0], least));
    l[1] = e[1] / l[0];
    l[2] = e[2] / l[0];
    l[3] = dr_lanes_sqrt(dr_lanes_larger(one + e[3] - l[1] * l[1], least));
    l[4] = (e[4] - l[2] * l[1]) / l[3];
    l[5] = dr_lanes_sqrt(dr_lanes_larger(one + e[5] - l[2] * l[2] - l[4] * l[4], least));
}

// m = l^-1 (I + total) l^-T, symmetric: the plastic part of the deformation, eq. (10).
DR_INLINE void plastic_part(const dr_lanes l[DR_SYMMETRIC], const dr_lanes total[DR_SYMMETRIC], dr_lanes m[9])
{
    dr_lanes one = dr_lanes_all(1.0);
    const dr_lanes full[9] = {one + total[0], total[1], total[2], total[1],      one + total[3],
                              total[4],       total[2], total[4], one + total[5]};
    dr_lanes half[9];
    for (int c = 0; c < 3; c++) { // l^-1 from the left
        half[c] = full[c] / l[0];
        half[3 + c] = (full[3 + c] - l[1] * half[c]) / l[3];
        half[6 + c] = (full[6 + c] - l[2] * half[c] - l[4] * half[3 + c]) / l[5];
    }
    for (int r = 0; r < 9; r += 3) { // and from the right
        m[r] = half[r] / l[0];
        m[r + 1] = (half[r + 1] - l[1] * m[r]) / l[3];
        m[r + 2] = (half[r + 2] - l[2] * m[r] - l[4] * m[r + 1]) / l[5];
    }
}

DR_INLINE dr_lanes deviation(const dr_lanes m[9])
{
    dr_lanes mean = dr_lanes_all(1.0 / 3.0) * (m[0] + m[4] + m[8]), sum = dr_lanes_all(0.0);
    for (int i = 0; i < 9; i++) {
        dr_lanes x = i % 4 == 0 ? m[i] - mean : m[i];
        sum += x * x;
    }
    return dr_lanes_sqrt(sum);
}

void dr_rheology_lanes_torn(const dr_rheology_lanes *lanes, const dr_rheology_history *history, bool torn[DR_LANES])
{
    dr_lanes l[DR_SYMMETRIC], m[9];
    factor(lanes->b, l);
    plastic_part(l, history->total, m);
    dr_lanes far = deviation(m);
    for (int i = 0; i < DR_LANES; i++) torn[i] = history->tear[i] > 0.0 && !(far[i] < history->tear[i]);
}

void dr_rheology_lanes_carry(const dr_rheology_lanes *lanes, double dt, dr_rheology_history *history)
{
    part of;
    divide(lanes, dt, &of);
    for (int k = 0; k < (int)DR_RHEOLOGY_PARTS; k++) {
        dr_lanes done = dr_lanes_all((double)k), total[DR_SYMMETRIC];
        if (!dr_lanes_any_less(done, of.parts)) break;
        carry(of.g, history->total, total);
        dr_lanes_mask good = normalise(total) & (dr_lanes_mask)(done < of.parts);
        for (int i = 0; i < DR_SYMMETRIC; i++) history->total[i] = dr_lanes_select(good, total[i], history->total[i]);
    }
}

// One of Jacobi's rotations, which takes away m[p][q]; u turns along.
DR_INLINE void rotate(dr_lanes m[9], dr_lanes u[9], int p, int q)
{
    dr_lanes one = dr_lanes_all(1.0), zero = dr_lanes_all(0.0), off = m[3 * p + q];
    dr_lanes_mask none = (dr_lanes_mask)(off == zero);
    dr_lanes half = dr_lanes_all(0.5) * (m[4 * q] - m[4 * p]) / dr_lanes_select(none, one, off);
    dr_lanes size = dr_lanes_larger(half, -half), t = one / (size + dr_lanes_sqrt(half * half + one));
    t = dr_lanes_select((dr_lanes_mask)(half < zero), -t, t);
    t = dr_lanes_select(none, zero, t);
    dr_lanes c = one / dr_lanes_sqrt(t * t + one), s = t * c;
    for (int i = 0; i < 3; i++) {
        dr_lanes a = m[3 * i + p], b = m[3 * i + q];
        m[3 * i + p] = c * a - s * b;
        m[3 * i + q] = s * a + c * b;
    }
    for (int i = 0; i < 3; i++) {
        dr_lanes a = m[3 * p + i], b = m[3 * q + i];
        m[3 * p + i] = c * a - s * b;
        m[3 * q + i] = s * a + c * b;
    }
    for (int i = 0; i < 3; i++) {
        dr_lanes a = u[3 * i + p], b = u[3 * i + q];
        u[3 * i + p] = c * a - s * b;
        u[3 * i + q] = s * a + c * b;
    }
}

DR_INLINE void diagonalise(dr_lanes m[9], dr_lanes u[9])
{
    for (int i = 0; i < 9; i++) u[i] = dr_lanes_all(i % 4 == 0 ? 1.0 : 0.0);
    for (int sweep = 0; sweep < DR_RHEOLOGY_SWEEPS; sweep++) {
        dr_lanes off = m[1] * m[1] + m[2] * m[2] + m[5] * m[5];
        dr_lanes least = dr_lanes_all(DR_RHEOLOGY_OFF_DIAGONAL) * (m[0] * m[0] + m[4] * m[4] + m[8] * m[8]);
        if (!dr_lanes_any_less(least, off)) break;
        rotate(m, u, 0, 1);
        rotate(m, u, 0, 2);
        rotate(m, u, 1, 2);
    }
}

void dr_rheology_lanes_recover(const dr_rheology_lanes *lanes, dr_rheology_history *history)
{
    static const int row[DR_SYMMETRIC] = {0, 0, 0, 1, 1, 2}, column[DR_SYMMETRIC] = {0, 1, 2, 1, 2, 2};
    dr_lanes l[DR_SYMMETRIC], m[9], u[9], lu[9], out[DR_SYMMETRIC];
    dr_lanes forgotten = dr_lanes_all(DR_RHEOLOGY_FORGOTTEN);
    factor(lanes->b, l);
    plastic_part(l, history->total, m);
    dr_lanes far = deviation(m);
    if (!dr_lanes_any_less(forgotten, far)) return;
    diagonalise(m, u);
    for (int k = 0; k < 3; k++) {
        dr_lanes value = dr_lanes_larger(m[4 * k], dr_lanes_all(1.0 / DR_RHEOLOGY_MOST_STRETCH));
        value = dr_lanes_smaller(value, dr_lanes_all(DR_RHEOLOGY_MOST_STRETCH));
        dr_lanes root = dr_lanes_exp(dr_lanes_all(0.5) * history->keep * dr_lanes_log(value));
        lu[k] = root * (l[0] * u[k]);
        lu[3 + k] = root * (l[1] * u[k] + l[3] * u[3 + k]);
        lu[6 + k] = root * (l[2] * u[k] + l[4] * u[3 + k] + l[5] * u[6 + k]);
    }
    for (int i = 0; i < DR_SYMMETRIC; i++) {
        const dr_lanes *a = lu + 3 * row[i], *b = lu + 3 * column[i];
        out[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (row[i] == column[i]) out[i] -= dr_lanes_all(1.0);
    }
    normalise(out);
    dr_lanes_mask changes = ~(dr_lanes_mask)(far < forgotten);
    for (int i = 0; i < DR_SYMMETRIC; i++) history->total[i] = dr_lanes_select(changes, out[i], history->total[i]);
}
