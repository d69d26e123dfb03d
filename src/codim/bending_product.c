// Products with the part of the Hessian of bending that is never negative, in float, eight triangles side by side.
// W_t and the slopes of angles are taken apart into what belongs to one triangle each, so that a triangle reads nothing
// but its own factors and three numbers of its neighbours. docs/theory/bending.md, eq. (12)-(15). Each pass writes what
// it owns, so that no result depends on the number of threads.
#include "codim/bending.h"

#include "math/simd.h"
#include "math/transpose.h"
#include "math/vec.h"

#include <string.h>

#define GRAIN 64 // groups, and as many vertices for each of their triangles

enum { SIDES = 3, GROUP = DR_BENDING_GROUP, ROWS = SIDES * GROUP };

typedef struct pass {
    dr_bending *bending;
    const double *x;
    const float *velocity;
    float *pushed, factor;
} pass;

// ---- factors

bool dr_bending_open_products(dr_bending *bending)
{
    dr_bending_products *p = &bending->products;
    dr_arena *arena = &bending->arena;
    size_t groups = (bending->triangle_count + GROUP - 1) / GROUP, numbers = ROWS * (groups + 1);
    p->groups = groups;
    p->corner = dr_arena_alloc(arena, numbers * sizeof *p->corner);
    p->beyond = dr_arena_alloc(arena, numbers * sizeof *p->beyond);
    p->vertex_first = dr_arena_alloc(arena, (bending->vertex_count + 1) * sizeof *p->vertex_first);
    p->vertex_entry = dr_arena_alloc(arena, (SIDES * bending->triangle_count + 1) * sizeof *p->vertex_entry);
    p->hinge = dr_arena_alloc(arena, numbers * sizeof *p->hinge);
    p->guess = dr_arena_alloc(arena, SIDES * numbers * sizeof *p->guess);
    p->middle = dr_arena_alloc(arena, SIDES * numbers * sizeof *p->middle);
    p->stiffness = dr_arena_alloc(arena, 2 * numbers * sizeof *p->stiffness);
    p->normal = dr_arena_alloc(arena, 4 * GROUP * (groups + 1) * sizeof *p->normal);
    p->lever = dr_arena_alloc(arena, 2 * numbers * sizeof *p->lever);
    for (int i = 0; i < DR_BENDING_PASSES; i++) p->work[i] = dr_arena_alloc(arena, numbers * sizeof *p->work[i]);
    for (int i = 0; i < DR_BENDING_PASSES; i++) {
        if (!p->work[i]) return false;
    }
    return p->corner && p->beyond && p->vertex_first && p->vertex_entry && p->hinge && p->guess && p->middle &&
           p->stiffness && p->normal && p->lever;
}

static size_t place_of(size_t t, size_t i)
{
    return ROWS * (t / GROUP) + GROUP * i + t % GROUP;
}

void dr_bending_keep_product(dr_bending *bending, size_t t, const dr_bending_part *part)
{
    dr_bending_products *p = &bending->products;
    size_t group = t / GROUP, lane = t % GROUP;
    for (size_t i = 0; i < SIDES; i++) {
        size_t at = place_of(t, i), beyond = part->beyond[i];
        p->corner[at] = part->corner[i];
        p->hinge[at] = part->hinge[i];
        p->beyond[at] = (uint32_t)(part->hinge[i] != 0 ? place_of(beyond / SIDES, beyond % SIDES) : ROWS * p->groups);
    }
    for (size_t k = 0; k < 9; k++) {
        p->guess[9 * GROUP * group + GROUP * k + lane] = part->guess[k / 3][k % 3];
        p->middle[9 * GROUP * group + GROUP * k + lane] = part->middle[k / 3][k % 3];
        if (part->guess[k / 3][k % 3] != 0.0F) p->patches = true;
    }
    for (size_t k = 0; k < 6; k++) p->stiffness[6 * GROUP * group + GROUP * k + lane] = part->stiffness[k];
}

// Where each vertex is a corner.
void dr_bending_list_corners(dr_bending *bending)
{
    dr_bending_products *p = &bending->products;
    uint32_t *first = p->vertex_first;
    size_t triangles = bending->triangle_count, padded = GROUP * p->groups;
    for (size_t t = triangles; t < padded; t++) {
        for (size_t i = 0; i < SIDES; i++) p->beyond[place_of(t, i)] = (uint32_t)(ROWS * p->groups);
    }
    for (size_t n = 0; n < SIDES * triangles; n++) first[p->corner[place_of(n / SIDES, n % SIDES)] + 1]++;
    for (size_t v = 0; v < bending->vertex_count; v++) first[v + 1] += first[v];
    for (size_t n = SIDES * triangles; n-- > 0;) {
        size_t at = place_of(n / SIDES, n % SIDES);
        p->vertex_entry[--first[p->corner[at] + 1]] = (uint32_t)at;
    }
    for (size_t v = 0; v < bending->vertex_count; v++) first[v] = first[v + 1];
    first[bending->vertex_count] = (uint32_t)(SIDES * triangles);
}

// Whether the angle of a hinge has a slope: both its triangles have an area.
static bool has_slope(const dr_bending *bending, int32_t hinge)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    size_t at = (size_t)(hinge < 0 ? -hinge : hinge);
    return hinge != 0 && memcmp(bending->slope + 12 * (at - 1) + 6, none, sizeof none) != 0;
}

// The normal over twice the area, and the lengths by which its corners turn each side.                          (12)
static void find_levers(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_bending *bending = job->bending;
    const dr_bending_products *p = &bending->products;
    for (size_t t = begin; t < end; t++) {
        const double *x[SIDES];
        double edge[SIDES][3], normal[3];
        for (size_t i = 0; i < SIDES; i++) x[i] = job->x + 3 * (size_t)p->corner[place_of(t, i)];
        for (size_t i = 0; i < SIDES; i++) dr_vec3_sub(edge[i], x[(i + 1) % 3], x[i]);
        dr_vec3_cross(normal, edge[0], edge[1]);
        double area = dr_vec3_dot(normal, normal);
        for (size_t a = 0; a < 3; a++) p->normal[4 * t + a] = area > 0.0 ? (float)(normal[a] / area) : 0.0F;
        for (size_t i = 0; i < SIDES; i++) {
            float *lever = p->lever + 2 * ROWS * (t / GROUP) + 2 * GROUP * i + t % GROUP;
            int32_t hinge = p->hinge[place_of(t, i)];
            bool turns = area > 0.0 && has_slope(bending, hinge);
            double sign = turns ? (hinge > 0 ? 1.0 : -1.0) : 0.0, length = dr_vec3_length(edge[i]);
            double share = turns ? -dr_vec3_dot(edge[(i + 2) % 3], edge[i]) / length : 0.0;
            lever[0] = (float)(sign * length);
            lever[GROUP] = (float)(sign * share);
        }
    }
}

void dr_bending_narrow(dr_bending *bending, const dr_par *par, const double *x)
{
    pass job = {.bending = bending, .x = x};
    dr_par_for(par, bending->triangle_count, GROUP * GRAIN, find_levers, &job);
}

// ---- products

typedef struct sides {
    dr_float8 of[SIDES];
} sides;

DR_INLINE dr_float8 row(const float *rows, size_t n)
{
    return dr_float8_load(rows + GROUP * n);
}

DR_INLINE sides take(const float *work, size_t group)
{
    const float *own = work + ROWS * group;
    return (sides){{row(own, 0), row(own, 1), row(own, 2)}};
}

DR_INLINE void put(float *work, size_t group, sides s)
{
    for (size_t i = 0; i < SIDES; i++) dr_float8_store(work + ROWS * group + GROUP * i, s.of[i]);
}

// What neighbours have on the other sides of edges.
DR_INLINE sides look_across(const dr_bending_products *p, const float *work, size_t group)
{
    sides s;
    for (size_t i = 0; i < SIDES; i++) {
        const uint32_t *at = p->beyond + ROWS * group + GROUP * i;
        s.of[i] = (dr_float8){work[at[0]], work[at[1]], work[at[2]], work[at[3]],
                              work[at[4]], work[at[5]], work[at[6]], work[at[7]]};
    }
    return s;
}

DR_INLINE sides add_across(const dr_bending_products *p, const float *work, size_t group)
{
    sides s = take(work, group), across = look_across(p, work, group);
    for (int i = 0; i < SIDES; i++) s.of[i] += across.of[i];
    return s;
}

// Three by three rows times sides, or their transpose.
DR_INLINE sides multiply(const float *rows, sides s, bool transposed)
{
    sides out;
    for (size_t i = 0; i < SIDES; i++) {
        size_t step = transposed ? 3 : 1, at = transposed ? i : 3 * i;
        dr_float8 sum = row(rows, at) * s.of[0];
        sum = dr_float8_add_product(sum, row(rows, at + step), s.of[1]);
        out.of[i] = dr_float8_add_product(sum, row(rows, at + 2 * step), s.of[2]);
    }
    return out;
}

// Items of four numbers to lanes of their first three.
DR_INLINE sides gather(const float *item, const uint32_t *at)
{
    dr_float4 low[4], high[4];
    sides s;
    for (int n = 0; n < 4; n++) {
        low[n] = dr_float4_load(item + 4 * (size_t)(at ? at[n] : (uint32_t)n));
        high[n] = dr_float4_load(item + 4 * (size_t)(at ? at[n + 4] : (uint32_t)n + 4));
    }
    dr_transpose_float4(low);
    dr_transpose_float4(high);
    for (int i = 0; i < 3; i++) s.of[i] = dr_float8_join(low[i], high[i]);
    return s;
}

// How each triangle turns its angles.                                                                           (12)
static void find_rates(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_bending_products *p = &job->bending->products;
    for (size_t g = begin; g < end; g++) {
        sides normal = gather(p->normal + 4 * GROUP * g, NULL), out;
        dr_float8 rise[SIDES];
        for (size_t i = 0; i < SIDES; i++) {
            sides v = gather(job->velocity, p->corner + ROWS * g + GROUP * i);
            dr_float8 sum = normal.of[0] * v.of[0];
            sum = dr_float8_add_product(sum, normal.of[1], v.of[1]);
            rise[i] = dr_float8_add_product(sum, normal.of[2], v.of[2]);
        }
        const float *lever = p->lever + 2 * ROWS * g;
        for (size_t i = 0; i < SIDES; i++) {
            dr_float8 from = rise[i], to = rise[(i + 1) % 3], top = rise[(i + 2) % 3];
            out.of[i] = dr_float8_add_product(row(lever, 2 * i + 1) * (to - from), row(lever, 2 * i), from - top);
        }
        put(p->work[DR_BENDING_TURN], g, out);
    }
}

// What its patch says of the angles at its sides.                                                               (13)
static void guess_middles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_bending_products *p = &((const pass *)user)->bending->products;
    for (size_t g = begin; g < end; g++) {
        sides angle = add_across(p, p->work[DR_BENDING_TURN], g);
        put(p->work[DR_BENDING_GUESS], g, multiply(p->guess + 9 * GROUP * g, angle, false));
    }
}

DR_INLINE dr_float8 scale_of(const dr_bending *bending, size_t group)
{
    size_t left = bending->triangle_count - GROUP * group;
    dr_float8 scale = dr_float8_all(1.0F);
    if (!bending->scale) return scale;
    memcpy(&scale, bending->scale + GROUP * group, (left < GROUP ? left : GROUP) * sizeof *bending->scale);
    return scale;
}

// Moments at the sides, of the angles from the triangle to the normals there.
DR_INLINE sides find_moments(const dr_bending *bending, size_t g, sides angle)
{
    const float *c = bending->products.stiffness + 6 * GROUP * g;
    dr_float8 scale = scale_of(bending, g);
    sides out;
    for (size_t i = 0; i < SIDES; i++) {
        static const size_t entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        dr_float8 sum = row(c, entry[i][0]) * angle.of[0];
        sum = dr_float8_add_product(sum, row(c, entry[i][1]), angle.of[1]);
        out.of[i] = scale * dr_float8_add_product(sum, row(c, entry[i][2]), angle.of[2]);
    }
    return out;
}

// From angles to moments, and these back to the triangle's own angles and to the patches beyond.                (14)
static void bend_triangles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_bending *bending = ((const pass *)user)->bending;
    const dr_bending_products *p = &bending->products;
    for (size_t g = begin; g < end; g++) {
        const float *middle = p->middle + 9 * GROUP * g;
        sides turn = add_across(p, p->work[DR_BENDING_TURN], g), own = take(p->work[DR_BENDING_GUESS], g);
        sides across = look_across(p, p->work[DR_BENDING_GUESS], g), angle, torque, share, other;
        for (size_t i = 0; i < SIDES; i++) {
            dr_float8 sum = row(middle, 3 * i) * turn.of[i];
            sum = dr_float8_add_product(sum, row(middle, 3 * i + 1), own.of[i]);
            angle.of[i] = dr_float8_add_product(sum, row(middle, 3 * i + 2), across.of[i]);
        }
        sides moment = find_moments(bending, g, angle);
        for (size_t i = 0; i < SIDES; i++) {
            torque.of[i] = row(middle, 3 * i) * moment.of[i];
            share.of[i] = row(middle, 3 * i + 1) * moment.of[i];
            other.of[i] = row(middle, 3 * i + 2) * moment.of[i];
        }
        sides back = multiply(p->guess + 9 * GROUP * g, share, true);
        for (int i = 0; i < SIDES; i++) torque.of[i] += back.of[i];
        put(p->work[DR_BENDING_TORQUE], g, torque);
        put(p->work[DR_BENDING_OTHER], g, other);
    }
}

// The same where every angle is on its own.
static void bend_hinges(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_bending *bending = ((const pass *)user)->bending;
    const dr_bending_products *p = &bending->products;
    for (size_t g = begin; g < end; g++) {
        const float *middle = p->middle + 9 * GROUP * g;
        sides angle = add_across(p, p->work[DR_BENDING_TURN], g);
        for (size_t i = 0; i < SIDES; i++) angle.of[i] *= row(middle, 3 * i);
        sides moment = find_moments(bending, g, angle);
        for (size_t i = 0; i < SIDES; i++) moment.of[i] *= row(middle, 3 * i);
        put(p->work[DR_BENDING_TORQUE], g, moment);
    }
}

// What neighbours make of its patch.
static void take_guesses_back(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_bending_products *p = &((const pass *)user)->bending->products;
    for (size_t g = begin; g < end; g++) {
        sides torque = take(p->work[DR_BENDING_TORQUE], g);
        sides back = multiply(p->guess + 9 * GROUP * g, look_across(p, p->work[DR_BENDING_OTHER], g), true);
        for (int i = 0; i < SIDES; i++) torque.of[i] += back.of[i];
        put(p->work[DR_BENDING_TORQUE], g, torque);
    }
}

// Torques become forces along the normal, of corners: the transpose of find_rates.                              (15)
static void press_corners(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_bending_products *p = &job->bending->products;
    const dr_float8 factor = dr_float8_all(job->factor);
    for (size_t g = begin; g < end; g++) {
        const float *lever = p->lever + 2 * ROWS * g;
        sides torque = add_across(p, p->work[DR_BENDING_TORQUE], g), length, share, out;
        for (size_t i = 0; i < SIDES; i++) {
            dr_float8 one = factor * torque.of[i];
            length.of[i] = row(lever, 2 * i) * one;
            share.of[i] = row(lever, 2 * i + 1) * one;
        }
        for (size_t i = 0; i < SIDES; i++) {
            size_t before = (i + 2) % 3, opposite = (i + 1) % 3;
            out.of[i] = (length.of[i] - length.of[opposite]) + (share.of[before] - share.of[i]);
        }
        put(p->work[DR_BENDING_TURN], g, out);
    }
}

static uint32_t triangle_of(uint32_t place)
{
    return place / ROWS * GROUP + place % GROUP;
}

// What lies by triangles is scattered to vertices: it is fetched so many corners ahead.
enum { AHEAD = 96 };

static void push_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_bending_products *p = &job->bending->products;
    const float *force = p->work[DR_BENDING_TURN];
    uint32_t last = p->vertex_first[end];
    for (size_t v = begin; v < end; v++) {
        dr_float4 sum = dr_float4_load(job->pushed + 4 * v);
        for (uint32_t k = p->vertex_first[v]; k < p->vertex_first[v + 1]; k++) {
            uint32_t at = p->vertex_entry[k], t = triangle_of(at);
            if (k + AHEAD < last) {
                uint32_t next = p->vertex_entry[k + AHEAD];
                dr_prefetch(p->normal + 4 * (size_t)triangle_of(next));
                dr_prefetch(force + next);
            }
            sum = dr_float4_add_product(sum, dr_float4_load(p->normal + 4 * (size_t)t), dr_float4_all(force[at]));
        }
        dr_float4_store(job->pushed + 4 * v, sum); // the fourth number of normals is nought
    }
}

void dr_bending_apply(dr_bending *bending, const dr_par *par, const float *velocity, double factor, float *out)
{
    pass job = {.bending = bending, .velocity = velocity, .pushed = out, .factor = (float)factor};
    size_t groups = bending->products.groups;
    dr_par_for(par, groups, GRAIN, find_rates, &job);
    if (bending->products.patches) {
        dr_par_for(par, groups, GRAIN, guess_middles, &job);
        dr_par_for(par, groups, GRAIN, bend_triangles, &job);
        dr_par_for(par, groups, GRAIN, take_guesses_back, &job);
    } else {
        dr_par_for(par, groups, GRAIN, bend_hinges, &job);
    }
    dr_par_for(par, groups, GRAIN, press_corners, &job);
    dr_par_for(par, bending->vertex_count, GROUP * GRAIN, push_vertices, &job);
}
