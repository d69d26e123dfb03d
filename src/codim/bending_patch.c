// Which angles make up the curvature of a triangle, and how. docs/theory/bending.md, eq. (1)-(7).
//   A quadratic height over the patch of a triangle and its three neighbours has three curvatures and makes three
//   angles at the triangle's edges: this is turned around.                                                    (2), (3)
//   From that, the normal at the middle of every edge, one for both its triangles, and from three such normals the
//   curvature that counts.                                                                                    (4), (5)
#include "codim/bending.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// A patch whose six vertices lie nearly on a conic tells nothing of one curvature. Below this determinant (of rows
// scaled to unit length) its neighbours' tell alone. Twice: more patches of slivers are left to neighbours. Half: their
// stiffness grows.
#define LEAST_DETERMINANT 0.02

#define ROOT_TWO 1.4142135623730951

enum { SIDES = 3 };

// An edge of a triangle as seen from it: corner i to corner i + 1.
typedef struct side {
    double length, height, offset; // of the edge; of the opposite corner above it, and along it from its middle
    double along[2], inward[2];
    double sign;     // of the angle: 1 where the hinge has this triangle's orientation
    int32_t hinge;   // -1: none
    uint32_t beyond; // the side 3 t + i across
} side;

typedef enum rank { RANK_NONE, RANK_EDGE, RANK_WHOLE } rank; // a patch with nothing, with free edges, with six vertices

typedef struct patch {
    double inverse[3][SIDES]; // curvatures k11, k22, k12 from angles, in this triangle's orientation
    double quality;
    rank rank;
} patch;

typedef struct build {
    const dr_bending_sheet *sheet;
    dr_bending *bending;
    side *sides;     // [3 t + i]
    patch *patches;  // [t]
    uint32_t *first; // buckets of sides by their smaller vertex
    uint32_t *sorted;
} build;

// ---- stiffness

void dr_bending_plate(double rigidity, double poisson_ratio, double stiffness[6])
{
    const double plate[6] = {
        rigidity, poisson_ratio * rigidity, 0.0, rigidity, 0.0, 0.5 * (1.0 - poisson_ratio) * rigidity};
    memcpy(stiffness, plate, sizeof plate);
}

// c = T^T d T, where T takes curvatures (k11, k22, 2 k12) to the threads' own axes.
void dr_bending_threads(double d1, double d2, double d12, double twist, double angle, double stiffness[6])
{
    double c = cos(angle), s = sin(angle);
    const double d[3][3] = {{d1, d12, 0.0}, {d12, d2, 0.0}, {0.0, 0.0, twist}};
    const double turn[3][3] = {
        {c * c, s * s, c * s}, {s * s, c * c, -c * s}, {-2.0 * c * s, 2.0 * c * s, c * c - s * s}};
    int at = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            stiffness[at] = 0.0;
            for (int k = 0; k < 9; k++) stiffness[at] += turn[k / 3][i] * d[k / 3][k % 3] * turn[k % 3][j];
            at++;
        }
    }
}

static void unpack(const double packed[6], double c[3][3])
{
    int at = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) c[i][j] = c[j][i] = packed[at++];
    }
}

// ---- triangles as they rest

static double measure_area(const build *make, size_t t)
{
    const side *s = make->sides + 3 * t;
    return 0.5 * s->length * s->height;
}

static void measure_sides(build *make, size_t t)
{
    const dr_bending_sheet *sheet = make->sheet;
    double point[3][3] = {{0.0}}, flat[3][2] = {{0.0}}, edge[3], to[3], normal[3];
    for (size_t i = 0; i < 3; i++) {
        if (sheet->corner)
            memcpy(point[i], sheet->corner + 6 * t + 2 * i, 2 * sizeof *point[i]);
        else
            dr_vec3_copy(point[i], sheet->rest + 3 * (size_t)sheet->triangle[3 * t + i]);
    }
    dr_vec3_sub(edge, point[1], point[0]);
    dr_vec3_sub(to, point[2], point[0]);
    dr_vec3_cross(normal, edge, to);
    double length = dr_vec3_length(edge), area = dr_vec3_length(normal);
    if (!(length > 0.0) || !(area > 0.0)) return;
    flat[1][0] = length;
    flat[2][0] = dr_vec3_dot(edge, to) / length;
    flat[2][1] = area / length;
    for (int i = 0; i < SIDES; i++) {
        side *s = &make->sides[3 * t + (size_t)i];
        const double *a = flat[i], *b = flat[(i + 1) % 3], *c = flat[(i + 2) % 3];
        s->length = hypot(b[0] - a[0], b[1] - a[1]);
        for (int k = 0; k < 2; k++) s->along[k] = (b[k] - a[k]) / s->length;
        s->inward[0] = -s->along[1];
        s->inward[1] = s->along[0];
        s->height = area / s->length;
        s->offset = (c[0] - 0.5 * (a[0] + b[0])) * s->along[0] + (c[1] - 0.5 * (a[1] + b[1])) * s->along[1];
    }
}

// ---- hinges

static void ends_of(const build *make, size_t at, uint32_t *from, uint32_t *to)
{
    *from = make->sheet->triangle[at];
    *to = make->sheet->triangle[at % 3 == 2 ? at - 2 : at + 1];
}

static void sort_sides(build *make)
{
    const dr_bending_sheet *sheet = make->sheet;
    size_t sides = SIDES * sheet->triangle_count;
    uint32_t from, to;
    for (size_t i = 0; i < sides; i++) {
        ends_of(make, i, &from, &to);
        make->first[(from < to ? from : to) + 1]++;
    }
    for (size_t v = 0; v < sheet->vertex_count; v++) make->first[v + 1] += make->first[v];
    for (size_t i = sides; i-- > 0;) {
        ends_of(make, i, &from, &to);
        make->sorted[--make->first[(from < to ? from : to) + 1]] = (uint32_t)i;
    }
    for (size_t v = 0; v < sheet->vertex_count; v++) make->first[v] = make->first[v + 1];
    make->first[sheet->vertex_count] = (uint32_t)sides;
}

// How many other sides have this one's ends; *other becomes the last of them.
static size_t find_partner(const build *make, size_t at, size_t *other)
{
    uint32_t from, to, a, b;
    size_t partners = 0;
    ends_of(make, at, &from, &to);
    uint32_t bucket = from < to ? from : to;
    for (uint32_t k = make->first[bucket]; k < make->first[bucket + 1]; k++) {
        ends_of(make, make->sorted[k], &a, &b);
        bool same = (a == from && b == to) || (a == to && b == from);
        if (make->sorted[k] == at || !same) continue;
        partners++;
        *other = make->sorted[k];
    }
    return partners;
}

static uint32_t opposite_of(const build *make, size_t at)
{
    return make->sheet->triangle[3 * (at / 3) + (at % 3 + 2) % 3];
}

static void add_hinge(build *make, size_t at, size_t other)
{
    dr_bending *bending = make->bending;
    side *first = &make->sides[at], *second = &make->sides[other];
    uint32_t from, to, a, b, *corner = bending->corner + 4 * bending->hinge_count;
    ends_of(make, at, &from, &to);
    ends_of(make, other, &a, &b);
    corner[0] = from;
    corner[1] = to;
    corner[2] = opposite_of(make, at);
    corner[3] = opposite_of(make, other);
    first->hinge = second->hinge = (int32_t)bending->hinge_count++;
    first->beyond = (uint32_t)other;
    second->beyond = (uint32_t)at;
    first->sign = 1.0;
    second->sign = a == to ? 1.0 : -1.0;
}

static void pair_sides(build *make)
{
    size_t sides = SIDES * make->sheet->triangle_count, other = 0;
    for (size_t i = 0; i < sides; i++) {
        side *s = &make->sides[i];
        size_t partners = find_partner(make, i, &other);
        if (partners > 1) make->bending->branched++;
        if (partners != 1 || other < i || opposite_of(make, i) == opposite_of(make, other)) continue;
        if (s->height > 0.0 && make->sides[other].height > 0.0) add_hinge(make, i, other);
    }
}

// ---- patches

// Curvatures k11, k22, k12 as they act in a direction, or between two.
static void curvature_row(const double a[2], const double b[2], double factor, double row[3])
{
    row[0] += factor * a[0] * b[0];
    row[1] += factor * a[1] * b[1];
    row[2] += factor * (a[0] * b[1] + a[1] * b[0]);
}

// The angle at the middle of a side between a triangle with that height and offset, and the quadratic.             (1)
static void slope_row(const side *s, double height, double offset, double row[3])
{
    curvature_row(s->inward, s->inward, 0.5 * height, row);
    curvature_row(s->along, s->inward, offset, row);
    curvature_row(s->along, s->along, 0.5 * (offset * offset - 0.25 * s->length * s->length) / height, row);
}

static bool is_clamped(const build *make, size_t t)
{
    return make->sheet->clamped && make->sheet->clamped[t];
}

// The neighbour seen from here, unfolded: its offset along this side, its height on the other side of it.
static void beyond_row(const build *make, const side *s, double row[3])
{
    const side *other = &make->sides[s->beyond];
    double same_way = -s->sign * other->sign; // consistent triangles run along their edge in opposite ways
    slope_row(s, other->height, -same_way * other->offset, row);
}

// Bending moment across a free edge, which is none.
static void moment_row(const double c[3][3], const side *s, double row[3])
{
    const double *m = s->inward, weight[3] = {m[0] * m[0], m[1] * m[1], 2.0 * m[0] * m[1]};
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) row[j] += weight[i] * c[i][j] * (j == 2 ? 2.0 : 1.0);
    }
}

static void fit_patch(build *make, size_t t)
{
    patch *fit = &make->patches[t];
    double rows[3][3] = {{0.0}}, size[3], c[3][3], cofactor[3][3];
    const side *s = make->sides + 3 * t;
    unpack(make->sheet->stiffness + 6 * t, c);
    *fit = (patch){.rank = RANK_NONE};
    if (!(s->height > 0.0) || is_clamped(make, t)) return;
    bool whole = true;
    for (int i = 0; i < SIDES; i++) {
        if (s[i].hinge >= 0) {
            slope_row(&s[i], s[i].height, s[i].offset, rows[i]);
            if (!is_clamped(make, s[i].beyond / 3)) beyond_row(make, &s[i], rows[i]);
        } else {
            moment_row((const double(*)[3])c, &s[i], rows[i]);
            whole = false;
        }
        rows[i][2] /= ROOT_TWO; // so that a turn of the triangle's axes turns rows and stretches none
        size[i] = dr_vec3_length(rows[i]);
        if (!(size[i] > 0.0)) return;
        dr_vec3_scale(rows[i], 1.0 / size[i], rows[i]);
    }
    for (int i = 0; i < 3; i++) dr_vec3_cross(cofactor[i], rows[(i + 1) % 3], rows[(i + 2) % 3]);
    double determinant = dr_vec3_dot(rows[0], cofactor[0]);
    if (!(fabs(determinant) > LEAST_DETERMINANT)) return;
    for (int i = 0; i < SIDES; i++) {
        double factor = s[i].hinge >= 0 ? 1.0 / (determinant * size[i]) : 0.0;
        for (int k = 0; k < 3; k++) fit->inverse[k][i] = factor * cofactor[i][k] / (k == 2 ? ROOT_TWO : 1.0);
    }
    fit->rank = whole ? RANK_WHOLE : RANK_EDGE;
    fit->quality = fabs(determinant);
}

// ---- curvature that counts

// The share that the patch of this side's triangle has in the normal at the middle of the edge.
static double own_share(const build *make, size_t t, const side *s)
{
    const patch *own = &make->patches[t], *other = &make->patches[s->beyond / 3];
    if (own->rank != other->rank) return own->rank > other->rank ? 1.0 : 0.0;
    double a = own->quality * own->quality, b = other->quality * other->quality;
    return a + b > 0.0 ? a / (a + b) : 0.5;
}

// What a patch says of the angle at its side, from its triangle to the quadratic, by the angles of its hinges.  (3),
// (4)
static void guess_row(const build *make, uint32_t at, double row[SIDES])
{
    const patch *fit = &make->patches[at / 3];
    const side *s = make->sides + 3 * (at / 3), *here = &make->sides[at];
    double slope[3] = {0.0};
    slope_row(here, here->height, here->offset, slope);
    for (int i = 0; i < SIDES; i++) {
        row[i] = 0.0;
        for (int k = 0; k < 3 && s[i].hinge >= 0; k++) row[i] += slope[k] * fit->inverse[k][i] * s[i].sign;
    }
}

// The angle from a triangle to the normal at the middle of its side: shares of the angle of its hinge, of what its own
// patch says of it, and of what the patch across says of the other side.
typedef struct middle {
    double hinge, own, across;
} middle;

// All of it where the triangle across holds the normal.                                                     (4), (11)
static middle find_middle(const build *make, size_t t, size_t i)
{
    const side *s = &make->sides[3 * t + i], *other = &make->sides[s->beyond];
    if (is_clamped(make, t)) return (middle){.hinge = 0.0};
    if (is_clamped(make, s->beyond / 3)) return (middle){.hinge = s->sign};
    if (make->patches[t].rank == RANK_NONE && make->patches[s->beyond / 3].rank == RANK_NONE)
        return (middle){.hinge = s->sign * s->height / (s->height + other->height)};
    double share = own_share(make, t, s);
    return (middle){(1.0 - share) * s->sign, share, -(1.0 - share) * s->sign * other->sign};
}

static void add_guess(const build *make, uint32_t at, double factor, const int32_t *reach, double row[DR_BENDING_REACH])
{
    const side *s = make->sides + 3 * (at / 3);
    double guess[SIDES];
    if (factor == 0.0) return;
    guess_row(make, at, guess);
    for (int i = 0; i < SIDES; i++) {
        if (s[i].hinge < 0) continue;
        int slot = 0;
        while (reach[slot] != s[i].hinge) slot++;
        row[slot] += factor * guess[i];
    }
}

static void middle_row(const build *make, size_t t, size_t i, const int32_t *reach, double row[DR_BENDING_REACH])
{
    size_t at = 3 * t + i;
    middle part = find_middle(make, t, i);
    row[i] += part.hinge;
    add_guess(make, (uint32_t)at, part.own, reach, row);
    add_guess(make, make->sides[at].beyond, part.across, reach, row);
}

// A free edge has the normal that makes the energy least: c loses what acts across it.                             (6)
static void free_edge(const side *s, double c[3][3])
{
    const double *m = s->inward, b[3] = {m[0] * m[0], m[1] * m[1], 2.0 * m[0] * m[1]};
    double across[3], stiff = 0.0;
    for (int i = 0; i < 3; i++) {
        across[i] = c[i][0] * b[0] + c[i][1] * b[1] + c[i][2] * b[2];
        stiff += b[i] * across[i];
    }
    if (!(stiff > 1e-9 * (c[0][0] + c[1][1] + c[2][2]))) return;
    for (int i = 0; i < 9; i++) c[i / 3][i % 3] -= across[i / 3] * across[i % 3] / stiff;
}

// c = r^T r, r upper triangular; c may be singular.
static void take_root(const double c[3][3], double r[3][3])
{
    double least = 1e-9 * (c[0][0] + c[1][1] + c[2][2]);
    memset(r, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        double pivot = c[i][i];
        for (int k = 0; k < i; k++) pivot -= r[k][i] * r[k][i];
        if (!(pivot > least)) continue;
        r[i][i] = sqrt(pivot);
        for (int j = i + 1; j < 3; j++) {
            double sum = c[i][j];
            for (int k = 0; k < i; k++) sum -= r[k][i] * r[k][j];
            r[i][j] = sum / r[i][i];
        }
    }
}

// Slots 0 to 2 are the triangle's own hinges, then two more of each neighbour.
static void find_reach(const build *make, size_t t, int32_t reach[DR_BENDING_REACH])
{
    const side *s = make->sides + 3 * t;
    for (int i = 0; i < DR_BENDING_REACH; i++) reach[i] = -1;
    for (int i = 0; i < SIDES; i++) {
        reach[i] = s[i].hinge;
        if (s[i].hinge < 0) continue;
        size_t other = s[i].beyond / 3, from = s[i].beyond % 3;
        for (size_t k = 0; k < 2; k++) reach[3 + 2 * i + (int)k] = make->sides[3 * other + (from + 1 + k) % 3].hinge;
    }
}

// From the angles at the middles of sides to three numbers whose squares are the energy.                        (5),
// (7)
static void find_root(const build *make, size_t t, double root[3][SIDES])
{
    const side *s = make->sides + 3 * t;
    double c[3][3], r[3][3], area = measure_area(make, t);
    unpack(make->sheet->stiffness + 6 * t, c);
    for (int i = 0; i < SIDES; i++) {
        if (s[i].hinge < 0 && area > 0.0) free_edge(&s[i], c);
    }
    take_root((const double(*)[3])c, r);
    for (int i = 0; i < SIDES; i++) {
        const double *m = s[i].inward, bent[3] = {m[0] * m[0], m[1] * m[1], 2.0 * m[0] * m[1]};
        double weight = s[i].hinge >= 0 ? sqrt(area) * s[i].length / area : 0.0;
        for (int k = 0; k < 3; k++) root[k][i] = weight * (r[k][0] * bent[0] + r[k][1] * bent[1] + r[k][2] * bent[2]);
    }
}

static void make_root(build *make, size_t t)
{
    int32_t *reach = make->bending->reach + DR_BENDING_REACH * t;
    float *out = make->bending->root + 3 * DR_BENDING_REACH * t;
    double root[3][SIDES], row[SIDES][DR_BENDING_REACH] = {{0.0}};
    find_reach(make, t, reach);
    find_root(make, t, root);
    for (size_t i = 0; i < SIDES; i++) {
        if (make->sides[3 * t + i].hinge >= 0) middle_row(make, t, i, reach, row[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < DR_BENDING_REACH; k++)
            out[3 * k + i] = (float)(root[i][0] * row[0][k] + root[i][1] * row[1][k] + root[i][2] * row[2][k]);
    }
}

// The angle of a hinge on its own, stiff as the plate is across it; each triangle has half of it, beside a clamped one
// all.
static void make_hinges(build *make, size_t t)
{
    int32_t *reach = make->bending->reach + DR_BENDING_REACH * t;
    for (int i = 0; i < DR_BENDING_REACH; i++) reach[i] = -1;
    for (int i = 0; i < SIDES; i++) {
        const side *s = &make->sides[3 * t + (size_t)i];
        if (s->hinge < 0 || is_clamped(make, t)) continue;
        bool all = is_clamped(make, s->beyond / 3);
        double c[3][3], row[3] = {0.0}, area = measure_area(make, t) + (all ? 0.0 : measure_area(make, s->beyond / 3));
        unpack(make->sheet->stiffness + 6 * t, c);
        moment_row((const double(*)[3])c, s, row);
        const double *m = s->inward;
        double across = row[0] * m[0] * m[0] + row[1] * m[1] * m[1] + row[2] * m[0] * m[1];
        reach[i] = s->hinge;
        make->bending->root[3 * DR_BENDING_REACH * t + (size_t)(4 * i)] =
            (float)sqrt((all ? 1.0 : 0.5) * across * s->length * s->length / area);
    }
}

// ---- factors of products

static dr_bending_part begin_part(const build *make, size_t t)
{
    dr_bending_part part = {.stiffness = {0.0F}};
    for (size_t i = 0; i < SIDES; i++) {
        const side *s = &make->sides[3 * t + i];
        part.corner[i] = make->sheet->triangle[3 * t + i];
        part.beyond[i] = s->beyond;
        part.hinge[i] = s->sign < 0.0 ? -(s->hinge + 1) : s->hinge + 1;
    }
    return part;
}

static void keep_hinges(build *make, size_t t)
{
    static const int diagonal[SIDES] = {0, 3, 5};
    dr_bending_part part = begin_part(make, t);
    for (size_t i = 0; i < SIDES; i++) {
        float root = make->bending->root[3 * DR_BENDING_REACH * t + 4 * i];
        part.middle[i][0] = 1.0F;
        part.stiffness[diagonal[i]] = root * root;
    }
    dr_bending_keep_product(make->bending, t, &part);
}

static void keep_patch(build *make, size_t t)
{
    dr_bending_part part = begin_part(make, t);
    double root[3][SIDES];
    int at = 0;
    find_root(make, t, root);
    for (int i = 0; i < SIDES; i++) {
        for (int j = i; j < SIDES; j++, at++)
            part.stiffness[at] = (float)(root[0][i] * root[0][j] + root[1][i] * root[1][j] + root[2][i] * root[2][j]);
    }
    for (size_t i = 0; i < SIDES; i++) {
        double guess[SIDES];
        if (make->sides[3 * t + i].hinge < 0) continue;
        middle of = find_middle(make, t, i);
        const double shares[3] = {of.hinge, of.own, of.across};
        guess_row(make, (uint32_t)(3 * t + i), guess);
        for (int k = 0; k < 3; k++) {
            part.middle[i][k] = (float)shares[k];
            part.guess[i][k] = (float)guess[k];
        }
    }
    dr_bending_keep_product(make->bending, t, &part);
}

static bool keep_products(build *make)
{
    if (!make->sheet->products) return true;
    if (!dr_bending_open_products(make->bending)) return false;
    for (size_t t = 0; t < make->sheet->triangle_count; t++) {
        if (make->sheet->hinges)
            keep_hinges(make, t);
        else
            keep_patch(make, t);
    }
    dr_bending_list_corners(make->bending);
    return true;
}

// ---- lists of who acts on whom

static void list_entries(const uint32_t *of, size_t entries, size_t count, uint32_t *first, uint32_t *entry)
{
    for (size_t i = 0; i < entries; i++) {
        if (of[i] != UINT32_MAX) first[of[i] + 1]++;
    }
    for (size_t i = 0; i < count; i++) first[i + 1] += first[i];
    for (size_t i = entries; i-- > 0;) {
        if (of[i] != UINT32_MAX) entry[--first[of[i] + 1]] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) first[i] = first[i + 1];
    first[count] = 0;
    for (size_t i = 0; i < entries; i++) first[count] += of[i] != UINT32_MAX;
}

static bool list_actions(dr_bending *bending)
{
    dr_arena *arena = &bending->arena;
    size_t hinges = bending->hinge_count, reaches = DR_BENDING_REACH * bending->triangle_count;
    bending->hinge_first = dr_arena_alloc(arena, (hinges + 1) * sizeof(uint32_t));
    bending->hinge_entry = dr_arena_alloc(arena, reaches * sizeof(uint32_t));
    bending->vertex_first = dr_arena_alloc(arena, (bending->vertex_count + 1) * sizeof(uint32_t));
    bending->vertex_entry = dr_arena_alloc(arena, 4 * hinges * sizeof(uint32_t));
    bending->angle = dr_arena_alloc(arena, hinges * sizeof(double));
    bending->torque = dr_arena_alloc(arena, hinges * sizeof(double));
    bending->slope = dr_arena_alloc(arena, 12 * hinges * sizeof(double));
    bending->moment = dr_arena_alloc(arena, 3 * bending->triangle_count * sizeof(double));
    bending->share = dr_arena_alloc(arena, bending->vertex_count * sizeof(double));
    if (!bending->share || !bending->hinge_first || !bending->hinge_entry || !bending->vertex_first ||
        !bending->vertex_entry || !bending->angle || !bending->torque || !bending->slope || !bending->moment)
        return false;
    list_entries((const uint32_t *)bending->reach, reaches, hinges, bending->hinge_first, bending->hinge_entry);
    list_entries(bending->corner, 4 * hinges, bending->vertex_count, bending->vertex_first, bending->vertex_entry);
    return true;
}

// ---- life

static bool make_room(build *make, dr_arena *scratch)
{
    const dr_bending_sheet *sheet = make->sheet;
    dr_bending *bending = make->bending;
    size_t triangles = sheet->triangle_count, sides = SIDES * triangles;
    make->sides = dr_arena_alloc(scratch, sides * sizeof *make->sides);
    make->patches = dr_arena_alloc(scratch, triangles * sizeof *make->patches);
    make->first = dr_arena_alloc(scratch, (sheet->vertex_count + 1) * sizeof *make->first);
    make->sorted = dr_arena_alloc(scratch, sides * sizeof *make->sorted);
    bending->corner = dr_arena_alloc(&bending->arena, (sides / 2 + 1) * 4 * sizeof *bending->corner);
    bending->rest_angle = dr_arena_alloc(&bending->arena, (sides / 2 + 1) * sizeof *bending->rest_angle);
    bending->reach = dr_arena_alloc(&bending->arena, DR_BENDING_REACH * triangles * sizeof *bending->reach);
    bending->root = dr_arena_alloc(&bending->arena, (3 * DR_BENDING_REACH * triangles + 1) * sizeof *bending->root);
    return make->sides && make->patches && make->first && make->sorted && bending->corner && bending->rest_angle &&
           bending->reach && bending->root;
}

static bool build_all(build *make)
{
    const dr_bending_sheet *sheet = make->sheet;
    dr_bending *bending = make->bending;
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        for (int i = 0; i < SIDES; i++) make->sides[3 * t + (size_t)i].hinge = -1;
        measure_sides(make, t);
    }
    sort_sides(make);
    pair_sides(make);
    for (size_t t = 0; t < sheet->triangle_count; t++) fit_patch(make, t);
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        if (sheet->hinges)
            make_hinges(make, t);
        else
            make_root(make, t);
    }
    if (!list_actions(bending) || !keep_products(make)) return false;
    if (sheet->flat) return true;
    dr_par alone = {.threads = 1};
    dr_bending_energy(bending, &alone, sheet->rest);
    for (size_t e = 0; e < bending->hinge_count; e++) bending->rest_angle[e] = bending->angle[e];
    return true;
}

bool dr_bending_open(dr_bending *bending, const dr_bending_sheet *sheet, const dr_allocator *allocator)
{
    dr_arena scratch;
    *bending = (dr_bending){.vertex_count = sheet->vertex_count, .triangle_count = sheet->triangle_count};
    dr_arena_open(&bending->arena, allocator);
    dr_arena_open(&scratch, allocator);
    build make = {.sheet = sheet, .bending = bending};
    bool ok = make_room(&make, &scratch) && build_all(&make);
    dr_arena_close(&scratch);
    if (!ok) dr_bending_close(bending);
    return ok;
}

void dr_bending_close(dr_bending *bending)
{
    dr_arena_close(&bending->arena);
    *bending = (dr_bending){0};
}
