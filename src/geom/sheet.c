#include "geom/sheet.h"

#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static size_t at_least(double count, size_t least)
{
    double whole = nearbyint(count);
    return whole > (double)least ? (size_t)whole : least;
}

// ---- how many

typedef struct lattice {
    size_t across, along; // edges
    bool round;           // closed the first way
    bool staggered;
    bool crossed; // every other row has the middles of squares
} lattice;

// Staggered rows of equilateral triangles are sqrt(3)/2 edges apart. Crossed squares have sides of sqrt(2) edges;
// squares on a corner are sqrt(2) edges wide, and half as much from row to row.
static lattice count_lattice(const dr_sheet_rule *rule)
{
    bool round = rule->kind == DR_SHEET_TUBE, diamonds = rule->pattern == DR_SHEET_DIAMONDS;
    bool staggered = diamonds || rule->pattern == DR_SHEET_EQUILATERAL, crossed = rule->pattern == DR_SHEET_CROSSED;
    double width = round ? 2.0 * PI * rule->radius : rule->width;
    double side = crossed || diamonds ? 1.41421356237309505 * rule->edge : rule->edge;
    double row = diamonds ? 0.5 * side : staggered ? 0.86602540378443865 * rule->edge : side;
    size_t across = at_least(width / side, round ? 4 : 1), along = at_least(rule->depth / row, 1);
    return (lattice){across, crossed ? 2 * along : along, round, staggered, crossed};
}

static size_t count_rings(const dr_sheet_rule *rule)
{
    return at_least(rule->radius / rule->edge, 1);
}

double dr_sheet_size(const dr_sheet_rule *rule)
{
    double area = rule->kind == DR_SHEET_RECTANGLE ? rule->width * rule->depth
                  : rule->kind == DR_SHEET_DISC    ? PI * rule->radius * rule->radius
                                                   : 2.0 * PI * rule->radius * rule->depth;
    double one = rule->pattern == DR_SHEET_EQUILATERAL || rule->kind == DR_SHEET_DISC ? 0.433 : 0.5;
    return area / (one * rule->edge * rule->edge);
}

static bool take(dr_arena *arena, size_t vertices, size_t triangles, dr_sheet *sheet)
{
    *sheet = (dr_sheet){0};
    sheet->position = dr_arena_alloc(arena, 3 * vertices * sizeof *sheet->position);
    sheet->surface = dr_arena_alloc(arena, 2 * vertices * sizeof *sheet->surface);
    sheet->warp = dr_arena_alloc(arena, 3 * triangles * sizeof *sheet->warp);
    sheet->triangles = dr_arena_alloc(arena, 3 * triangles * sizeof *sheet->triangles);
    return sheet->position && sheet->surface && sheet->warp && sheet->triangles;
}

static void add_triangle(dr_sheet *sheet, size_t a, size_t b, size_t c)
{
    uint32_t *to = sheet->triangles + 3 * sheet->triangle_count++;
    to[0] = (uint32_t)a;
    to[1] = (uint32_t)b;
    to[2] = (uint32_t)c;
}

// ---- rectangle and tube: rows

// Rows that are staggered and not closed have one vertex more every other time: half an edge at either end. Middles of
// squares are one less.
static size_t row_size(const lattice *l, size_t row)
{
    if (l->round || (l->crossed && row % 2 == 1)) return l->across;
    return l->across + 1 + (l->staggered && row % 2 == 1 ? 1 : 0);
}

static size_t row_start(const lattice *l, size_t row)
{
    if (l->crossed) return (row + 1) / 2 * row_size(l, 0) + row / 2 * row_size(l, 1);
    return row * row_size(l, 0) + (l->staggered && !l->round ? row / 2 : 0);
}

// The place of vertex i of a row across the cloth, in edges.
static double row_place(const lattice *l, size_t row, size_t i)
{
    double shift = (l->staggered || l->crossed) && row % 2 == 1 ? 0.5 : 0.0;
    if (l->round || l->crossed) return (double)i + shift;
    return shift > 0.0 ? fmin(fmax((double)i - 0.5, 0.0), (double)l->across) : (double)i;
}

static void put_rows(const dr_sheet_rule *rule, const lattice *l, dr_sheet *sheet)
{
    for (size_t row = 0; row <= l->along; row++) {
        for (size_t i = 0; i < row_size(l, row); i++) {
            double share = row_place(l, row, i) / (double)l->across;
            double up = rule->depth * ((double)row / (double)l->along - 0.5),
                   *x = sheet->position + 3 * sheet->vertex_count;
            double *uv = sheet->surface + 2 * sheet->vertex_count++;
            uv[1] = up + 0.5 * rule->depth;
            if (l->round) {
                double angle = 2.0 * PI * share;
                uv[0] = rule->radius * angle;
                dr_vec3_set(x, rule->radius * cos(angle), up, -rule->radius * sin(angle));
            } else {
                uv[0] = rule->width * share;
                dr_vec3_set(x, rule->width * (share - 0.5), up, 0.0);
            }
        }
    }
}

static void join_squares(const dr_sheet_rule *rule, const lattice *l, dr_sheet *sheet, size_t row)
{
    size_t low = row_start(l, row), high = row_start(l, row + 1), size = row_size(l, row);
    for (size_t i = 0; i < l->across; i++) {
        size_t next = (i + 1) % size, a = low + i, b = low + next, c = high + next, d = high + i;
        bool other = rule->pattern == DR_SHEET_UNION_JACK && (row + i) % 2 == 1;
        if (other) {
            add_triangle(sheet, a, b, d);
            add_triangle(sheet, b, c, d);
        } else {
            add_triangle(sheet, a, b, c);
            add_triangle(sheet, a, c, d);
        }
    }
}

// Four triangles about every middle of a square.
static void join_crossed(const lattice *l, dr_sheet *sheet, size_t row)
{
    size_t low = row_start(l, row), middle = row_start(l, row + 1), high = row_start(l, row + 2),
           size = row_size(l, row);
    for (size_t i = 0; i < l->across; i++) {
        size_t next = (i + 1) % size, m = middle + i;
        add_triangle(sheet, low + i, low + next, m);
        add_triangle(sheet, low + next, high + next, m);
        add_triangle(sheet, high + next, high + i, m);
        add_triangle(sheet, high + i, low + i, m);
    }
}

// Two rows are zipped up: the shorter of two possible steps is taken.
static void join_staggered(const lattice *l, dr_sheet *sheet, size_t row)
{
    size_t low = row_start(l, row), high = row_start(l, row + 1), below = row_size(l, row),
           above = row_size(l, row + 1);
    size_t i = 0, j = 0, last = l->round ? below : below - 1, end = l->round ? above : above - 1;
    while (i < last || j < end) {
        double next_low = i < last ? row_place(l, row, i + 1) : INFINITY;
        double next_high = j < end ? row_place(l, row + 1, j + 1) : INFINITY;
        size_t a = low + i % below, d = high + j % above;
        if (next_low < next_high || (next_low == next_high && row % 2 == 0)) {
            add_triangle(sheet, a, low + (i + 1) % below, d);
            i++;
        } else {
            add_triangle(sheet, a, high + (j + 1) % above, d);
            j++;
        }
    }
}

static bool make_rows(const dr_sheet_rule *rule, dr_arena *arena, dr_sheet *sheet)
{
    lattice l = count_lattice(rule);
    size_t vertices = row_start(&l, l.along) + row_size(&l, l.along);
    if (!take(arena, vertices, (2 * l.across + 1) * l.along, sheet)) return false;
    put_rows(rule, &l, sheet);
    for (size_t row = 0; row < l.along; row += l.crossed ? 2 : 1) {
        if (l.crossed)
            join_crossed(&l, sheet, row);
        else if (l.staggered)
            join_staggered(&l, sheet, row);
        else
            join_squares(rule, &l, sheet, row);
    }
    return true;
}

// ---- disc: rings of 6, 12, 18, ... vertices

static size_t ring_start(size_t ring)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1);
}

static void join_rings(dr_sheet *sheet, size_t ring)
{
    size_t inner = ring_start(ring - 1), outer = ring_start(ring), few = ring > 1 ? 6 * (ring - 1) : 1, many = 6 * ring;
    for (size_t side = 0; side < 6; side++) {
        for (size_t k = 0; k < ring; k++) {
            size_t o = side * ring + k, i = ring > 1 ? side * (ring - 1) + k : 0;
            add_triangle(sheet, inner + i % few, outer + o, outer + (o + 1) % many);
            if (k + 1 < ring) add_triangle(sheet, inner + i % few, outer + (o + 1) % many, inner + (i + 1) % few);
        }
    }
}

static bool make_disc(const dr_sheet_rule *rule, dr_arena *arena, dr_sheet *sheet)
{
    size_t rings = count_rings(rule);
    if (!take(arena, ring_start(rings + 1), 6 * rings * rings, sheet)) return false;
    for (size_t ring = 0; ring <= rings; ring++) {
        size_t count = ring == 0 ? 1 : 6 * ring;
        for (size_t i = 0; i < count; i++) {
            double angle = 2.0 * PI * (double)i / (double)count, r = rule->radius * (double)ring / (double)rings;
            double *uv = sheet->surface + 2 * sheet->vertex_count;
            uv[0] = rule->radius + r * cos(angle);
            uv[1] = rule->radius + r * sin(angle);
            dr_vec3_set(sheet->position + 3 * sheet->vertex_count++, r * cos(angle), r * sin(angle), 0.0);
        }
        if (ring > 0) join_rings(sheet, ring);
    }
    return true;
}

// The warp is x in the plane, and goes round a tube.
static void lay_warp(const dr_sheet_rule *rule, dr_sheet *sheet)
{
    static const double ahead[3] = {1, 0, 0};
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        double *warp = sheet->warp + 3 * t, middle[3] = {0};
        dr_vec3_copy(warp, ahead);
        if (rule->kind != DR_SHEET_TUBE) continue;
        for (int k = 0; k < 3; k++)
            dr_vec3_add(middle, middle, sheet->position + 3 * (size_t)sheet->triangles[3 * t + (size_t)k]);
        dr_vec3_set(warp, middle[2], 0.0, -middle[0]);
        dr_vec3_normalize(warp, warp, ahead);
    }
}

bool dr_sheet_make(const dr_sheet_rule *rule, dr_arena *arena, dr_sheet *sheet)
{
    bool ok = rule->kind == DR_SHEET_DISC ? make_disc(rule, arena, sheet) : make_rows(rule, arena, sheet);
    if (ok) lay_warp(rule, sheet);
    return ok;
}

// ---- rest shapes from texture coordinates

static double flat_area(const double *corner)
{
    double a = corner[2] - corner[0], b = corner[4] - corner[0], c = corner[3] - corner[1], d = corner[5] - corner[1];
    return 0.5 * (a * d - b * c);
}

static double drawn_area(const dr_sheet *sheet, size_t t)
{
    const uint32_t *corner = sheet->triangles + 3 * t;
    double e1[3], e2[3], n[3];
    dr_vec3_sub(e1, sheet->position + 3 * (size_t)corner[1], sheet->position + 3 * (size_t)corner[0]);
    dr_vec3_sub(e2, sheet->position + 3 * (size_t)corner[2], sheet->position + 3 * (size_t)corner[0]);
    dr_vec3_cross(n, e1, e2);
    return 0.5 * dr_vec3_length(n);
}

dr_sheet_verdict dr_sheet_lay_flat(dr_sheet *sheet, const double *texture, double length, dr_arena *arena)
{
    dr_sheet_verdict verdict = {.fault = DR_SHEET_NO_MEMORY};
    size_t count = sheet->triangle_count;
    double whole = 0.0, drawn = 0.0, unit = length;
    sheet->flat = dr_arena_alloc(arena, 6 * count * sizeof *sheet->flat + 1);
    if (!sheet->flat) return verdict;
    for (size_t t = 0; t < count; t++) {
        double area = fabs(flat_area(texture + 6 * t));
        if (isfinite(area)) whole += area;
        drawn += drawn_area(sheet, t);
    }
    if (!(unit > 0.0)) unit = sqrt(drawn / whole);
    for (size_t t = 0; t < count; t++) {
        const double *from = texture + 6 * t;
        double side = flat_area(from) < 0.0 ? -unit : unit, least = 1e-12 * unit * unit, longest = 0.0;
        for (size_t i = 0; i < 6; i++) sheet->flat[6 * t + i] = (i % 2 ? side : unit) * from[i];
        for (size_t i = 0; i < 6; i++) longest = fmax(longest, fabs(from[i] - from[i % 2]));
        double area = flat_area(sheet->flat + 6 * t);
        if (area > least * longest * longest && isfinite(area)) continue;
        verdict.fault = DR_SHEET_FLAT;
        verdict.triangle = t;
        return verdict;
    }
    verdict.fault = DR_SHEET_SOUND;
    return verdict;
}

// ---- looking a mesh over

// One side of a triangle: its vertices in order, and which way round it has them.
typedef struct side {
    uint32_t low, high, triangle;
    bool forward;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static bool is_flat(const double *position, const uint32_t *triangle)
{
    double e[3][3], longest = 0.0, area[3];
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[0] == triangle[2]) return true;
    for (int k = 0; k < 3; k++) {
        dr_vec3_sub(e[k], position + 3 * (size_t)triangle[(k + 1) % 3], position + 3 * (size_t)triangle[k]);
        longest = fmax(longest, dr_vec3_dot(e[k], e[k]));
    }
    dr_vec3_cross(area, e[0], e[1]);
    return !(0.5 * dr_vec3_length(area) > 1e-12 * longest);
}

static side *list_sides(const uint32_t *triangles, size_t count, dr_arena *arena)
{
    side *sides = dr_arena_alloc(arena, 3 * count * sizeof *sides + 1);
    for (size_t i = 0; sides && i < 3 * count; i++) {
        uint32_t a = triangles[i], b = triangles[i - i % 3 + (i + 1) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3), a < b};
    }
    if (sides) qsort(sides, 3 * count, sizeof *sides, compare_sides);
    return sides;
}

// The other triangles of the sides, and whether they have them the same way round: [triangle][3], count for none.
typedef struct neighbours {
    uint32_t (*other)[3];
    uint8_t (*same)[3];
    uint8_t *known;
} neighbours;

static bool find_neighbours(const side *sides, size_t count, dr_arena *arena, neighbours *n)
{
    n->other = dr_arena_alloc(arena, count * sizeof *n->other + 1);
    n->same = dr_arena_alloc(arena, count * sizeof *n->same + 1);
    n->known = dr_arena_alloc(arena, count + 1);
    if (!n->other || !n->same || !n->known) return false;
    for (size_t i = 0; i + 1 < 3 * count; i++) {
        const side *a = &sides[i], *b = a + 1;
        if (a->low != b->low || a->high != b->high) continue;
        uint8_t *i_a = &n->known[a->triangle], *i_b = &n->known[b->triangle];
        n->other[a->triangle][*i_a] = b->triangle;
        n->other[b->triangle][*i_b] = a->triangle;
        n->same[a->triangle][(*i_a)++] = n->same[b->triangle][(*i_b)++] = a->forward == b->forward;
    }
    return true;
}

// From the first triangle of every piece outwards.
static bool turn_round(uint32_t *triangles, size_t count, const neighbours *n, dr_arena *arena,
                       dr_sheet_verdict *verdict)
{
    uint8_t *state = dr_arena_alloc(arena, count + 1); // 0 not seen, 1 as it was, 2 turned
    uint32_t *queue = dr_arena_alloc(arena, count * sizeof *queue + 1);
    if (!state || !queue) return false;
    for (size_t from = 0; from < count; from++) {
        size_t head = 0, tail = 0;
        if (state[from]) continue;
        state[from] = 1;
        queue[tail++] = (uint32_t)from;
        while (head < tail) {
            uint32_t t = queue[head++];
            for (int k = 0; k < n->known[t]; k++) {
                uint32_t other = n->other[t][k];
                uint8_t wanted = (uint8_t)(n->same[t][k] ? 3 - state[t] : state[t]);
                if (state[other] && state[other] != wanted) verdict->one_sided = true;
                if (state[other]) continue;
                state[other] = wanted;
                queue[tail++] = other;
            }
        }
    }
    for (size_t t = 0; t < count; t++) {
        if (state[t] != 2) continue;
        uint32_t swap = triangles[3 * t + 1];
        triangles[3 * t + 1] = triangles[3 * t + 2];
        triangles[3 * t + 2] = swap;
        verdict->turned++;
    }
    return true;
}

static bool mark_boundary(const side *sides, size_t count, dr_sheet_verdict *verdict)
{
    for (size_t i = 0; i < 3 * count;) {
        size_t end = i + 1;
        while (end < 3 * count && sides[end].low == sides[i].low && sides[end].high == sides[i].high) end++;
        if (end - i == 1) verdict->boundary[sides[i].low] = verdict->boundary[sides[i].high] = 1;
        if (end - i > 2) {
            verdict->fault = DR_SHEET_CROWDED;
            verdict->triangle = sides[i + 2].triangle;
            verdict->edge[0] = sides[i].low;
            verdict->edge[1] = sides[i].high;
            return false;
        }
        i = end;
    }
    return true;
}

typedef struct corners {
    uint32_t sorted[3], triangle;
} corners;

static int compare_corners(const void *a, const void *b)
{
    const corners *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static corners sort_corners(const uint32_t *triangle, size_t number)
{
    uint32_t a = triangle[0], b = triangle[1], c = triangle[2];
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (c < low) return (corners){{c, low, high}, (uint32_t)number};
    return c < high ? (corners){{low, c, high}, (uint32_t)number} : (corners){{low, high, c}, (uint32_t)number};
}

static bool mark_repeated(const dr_sheet *sheet, uint8_t *again, dr_arena *arena)
{
    size_t count = sheet->triangle_count;
    corners *all = dr_arena_alloc(arena, count * sizeof *all + 1);
    for (size_t t = 0; t < count && all; t++) all[t] = sort_corners(sheet->triangles + 3 * t, t);
    if (!all) return false;
    qsort(all, count, sizeof *all, compare_corners);
    for (size_t i = 0; i < count; i++)
        again[all[i].triangle] = i > 0 && memcmp(all[i].sorted, all[i - 1].sorted, sizeof all->sorted) == 0;
    return true;
}

bool dr_sheet_leave_out(dr_sheet *sheet, dr_sheet_rest *rest, dr_arena *arena)
{
    size_t count = sheet->triangle_count, kept = 0;
    uint8_t *again = dr_arena_alloc(arena, count + 1);
    sheet->source = dr_arena_alloc(arena, count * sizeof *sheet->source + 1);
    *rest = (dr_sheet_rest){0};
    if (!again || !sheet->source || !mark_repeated(sheet, again, arena)) return false;
    for (size_t t = 0; t < count; t++) {
        if (again[t] && rest->count++ == 0) rest->first = t;
        if (again[t]) continue;
        sheet->source[kept] = (uint32_t)t;
        memmove(sheet->triangles + 3 * kept, sheet->triangles + 3 * t, 3 * sizeof *sheet->triangles);
        memmove(sheet->warp + 3 * kept, sheet->warp + 3 * t, 3 * sizeof *sheet->warp);
        kept++;
    }
    sheet->triangle_count = kept;
    return true;
}

dr_sheet_verdict dr_sheet_inspect(const double *position, size_t vertices, uint32_t *triangles, size_t count,
                                  dr_arena *arena)
{
    dr_sheet_verdict verdict = {.boundary = dr_arena_alloc(arena, vertices + 1)};
    uint8_t *used = dr_arena_alloc(arena, vertices + 1);
    verdict.fault = DR_SHEET_NO_MEMORY;
    if (!verdict.boundary || !used) return verdict;
    for (size_t i = 0; i < 3 * count; i++) {
        verdict.triangle = i / 3;
        verdict.fault = DR_SHEET_NO_SUCH_VERTEX;
        if (triangles[i] >= vertices) return verdict;
        used[triangles[i]] = 1;
    }
    for (size_t t = 0; t < count; t++) {
        verdict.triangle = t;
        verdict.fault = DR_SHEET_FLAT;
        if (is_flat(position, triangles + 3 * t)) return verdict;
    }
    for (size_t v = 0; v < vertices; v++) verdict.idle += !used[v];
    verdict.fault = DR_SHEET_NO_MEMORY;
    neighbours n;
    side *sides = list_sides(triangles, count, arena);
    if (!sides) return verdict;
    verdict.fault = DR_SHEET_SOUND;
    if (!mark_boundary(sides, count, &verdict)) return verdict;
    if (!find_neighbours(sides, count, arena, &n) || !turn_round(triangles, count, &n, arena, &verdict))
        verdict.fault = DR_SHEET_NO_MEMORY;
    return verdict;
}
