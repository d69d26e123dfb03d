// Where the strands of a groom lie. Hair starts with one straight edge along its own axis, so that a clamp holds a
// direction, and goes on straight or as a helix whose vertices are one segment apart along the arc.
// docs/theory/groom.md.
#include "geom/groom.h"

#include "base/number.h"
#include "math/random.h"
#include "math/vec.h"

#include <math.h>

#define GOLDEN_TURN (DR_PI * 2.2360679774997896964 - DR_PI) // of the sunflower's spiral, pi (sqrt 5 - 1)
#define MOST_LEAN   0.35                                    // rad at variation 1
#define LOOP_SWING                                                                                                     \
    0.24 // of a knit: how far loops bulge sideways, how high they are, how deep; rows apart. In spacings.
#define LOOP_HEIGHT 0.7
#define LOOP_DEPTH  0.2
#define ROW_SPACING 0.9

enum draw { DRAW_LENGTH, DRAW_LEAN, DRAW_TURN, DRAW_PHASE, DRAW_FIRST, DRAW_SECOND };

typedef struct basis {
    double along[3], first[3], second[3]; // right-handed
} basis;

static basis basis_about(const double axis[3])
{
    basis b;
    double length = sqrt(dr_vec3_dot(axis, axis)), helper[3] = {0.0, 0.0, 0.0};
    dr_vec3_scale(b.along, 1.0 / length, axis);
    helper[fabs(b.along[0]) < 0.6 ? 0 : 1] = 1.0;
    dr_vec3_cross(b.second, b.along, helper);
    dr_vec3_scale(b.second, 1.0 / sqrt(dr_vec3_dot(b.second, b.second)), b.second);
    dr_vec3_cross(b.first, b.second, b.along);
    return b;
}

// Even in [-1, 1), the same for a strand however many there are.
static double draw(const dr_groom *groom, size_t strand, enum draw what)
{
    return 2.0 * dr_random_unit(dr_random_key(groom->seed, strand), (uint64_t)what) - 1.0;
}

static size_t count_yarns(double size, double spacing)
{
    double count = floor(size / spacing + 1e-9) + 1.0;
    return count < 1.0 ? 1 : (size_t)count;
}

static size_t rows_of(const dr_groom *groom)
{
    return count_yarns(groom->size[1], ROW_SPACING * groom->spacing);
}

size_t dr_groom_strands(const dr_groom *groom)
{
    if (groom->kind == DR_GROOM_KNIT) return groom->round ? 1 : rows_of(groom);
    if (groom->kind != DR_GROOM_WEAVE) return groom->strands;
    return count_yarns(groom->size[0], groom->spacing) + count_yarns(groom->size[1], groom->spacing);
}

// Yarns along the first side come first, one for each crossing of the second.
static int side_of(const dr_groom *groom, size_t strand)
{
    return strand < count_yarns(groom->size[1], groom->spacing) ? 0 : 1;
}

static size_t loops_of(const dr_groom *groom)
{
    return count_yarns(groom->size[0], groom->spacing) - (groom->size[0] >= groom->spacing);
}

size_t dr_groom_vertices(const dr_groom *groom, size_t strand)
{
    if (groom->kind == DR_GROOM_KNIT)
        return loops_of(groom) * (groom->round ? rows_of(groom) : 1) * groom->vertices + 1;
    if (groom->kind != DR_GROOM_WEAVE) return groom->vertices;
    if (groom->yarn_vertices > 0) return groom->yarn_vertices;
    return count_yarns(groom->size[side_of(groom, strand)], groom->spacing) * groom->vertices + 1;
}

// ---- hair

typedef struct hair {
    double root[3], along[3];
} hair;

static void place(double out[3], const double origin[3], const basis *b, double along, double first, double second)
{
    dr_vec3_add_scaled(out, origin, along, b->along);
    dr_vec3_add_scaled(out, out, first, b->first);
    dr_vec3_add_scaled(out, out, second, b->second);
}

// The sunflower: even in a disc without rows.
static hair root_tuft(const dr_groom *groom, const basis *b, size_t strand)
{
    hair h;
    double share = sqrt(((double)strand + 0.5) / (double)groom->strands), turn = GOLDEN_TURN * (double)strand;
    double lean = groom->spread * share, origin[3] = {0.0, 0.0, 0.0};
    place(h.root, groom->center, b, 0.0, groom->radius * share * cos(turn), groom->radius * share * sin(turn));
    place(h.along, origin, b, cos(lean), sin(lean) * cos(turn), sin(lean) * sin(turn));
    return h;
}

// Rows as square as they can be, each root moved within its own cell.
static hair root_mat(const dr_groom *groom, const basis *b, size_t strand)
{
    hair h;
    double ratio = groom->size[0] / groom->size[1], count = (double)groom->strands;
    size_t columns = (size_t)fmax(1.0, round(sqrt(count * ratio)));
    size_t rows = (groom->strands + columns - 1) / columns;
    double shift = 0.5 * groom->variation;
    double u = ((double)(strand % columns) + 0.5 + shift * draw(groom, strand, DRAW_FIRST)) / (double)columns;
    double v = ((double)(strand / columns) + 0.5 + shift * draw(groom, strand, DRAW_SECOND)) / (double)rows;
    place(h.root, groom->center, b, 0.0, (u - 0.5) * groom->size[0], (v - 0.5) * groom->size[1]);
    dr_vec3_copy(h.along, b->along);
    return h;
}

static hair root_ball(const dr_groom *groom, const basis *b, size_t strand)
{
    hair h;
    double turn = GOLDEN_TURN * (double)strand, origin[3] = {0.0, 0.0, 0.0};
    double height = 1.0 - (2.0 * (double)strand + 1.0) / (double)groom->strands, wide = sqrt(1.0 - height * height);
    place(h.along, origin, b, height, wide * cos(turn), wide * sin(turn));
    dr_vec3_add_scaled(h.root, groom->center, groom->radius, h.along);
    return h;
}

static hair root_cylinder(const dr_groom *groom, const basis *b, size_t strand)
{
    hair h;
    double turn = GOLDEN_TURN * (double)strand, origin[3] = {0.0, 0.0, 0.0}, foot[3];
    double height = ((double)strand + 0.5) / (double)groom->strands - 0.5;
    place(h.along, origin, b, 0.0, cos(turn), sin(turn));
    dr_vec3_add_scaled(foot, groom->center, height * groom->size[1], b->along);
    dr_vec3_add_scaled(h.root, foot, groom->radius, h.along);
    return h;
}

static hair root_hair(const dr_groom *groom, const basis *b, size_t strand)
{
    switch (groom->kind) {
    case DR_GROOM_MAT:
        return root_mat(groom, b, strand);
    case DR_GROOM_BALL:
        return root_ball(groom, b, strand);
    case DR_GROOM_CYLINDER:
        return root_cylinder(groom, b, strand);
    default:
        return root_tuft(groom, b, strand);
    }
}

static void lean_hair(const dr_groom *groom, size_t strand, hair *h)
{
    basis b = basis_about(h->along);
    double lean = MOST_LEAN * groom->variation * draw(groom, strand, DRAW_LEAN);
    double turn = DR_PI * draw(groom, strand, DRAW_TURN), origin[3] = {0.0, 0.0, 0.0};
    place(h->along, origin, &b, cos(lean), sin(lean) * cos(turn), sin(lean) * sin(turn));
}

// The helix passes through its first point: its own axis runs beside that of the straight edge.
static void grow_hair(const dr_groom *groom, size_t strand, double *points)
{
    basis whole = basis_about(groom->axis);
    hair h = root_hair(groom, &whole, strand);
    lean_hair(groom, strand, &h);
    basis b = basis_about(h.along);
    double length = groom->length * (1.0 + 0.5 * groom->variation * draw(groom, strand, DRAW_LENGTH));
    double segment = length / (double)(groom->vertices - 1), radius = groom->curl_radius;
    double rate = radius > 0.0 ? 2.0 * DR_PI / groom->curl_length : 0.0;
    double rise = segment / sqrt(1.0 + radius * radius * rate * rate);
    double phase = DR_PI * groom->variation * draw(groom, strand, DRAW_PHASE);
    dr_vec3_copy(points, h.root);
    for (size_t v = 1; v < groom->vertices; v++) {
        double z = rise * (double)(v - 1), turn = phase + rate * z;
        place(points + 3 * v, h.root, &b, segment + z, radius * (cos(turn) - cos(phase)),
              radius * (sin(turn) - sin(phase)));
    }
}

// ---- yarn

// Half a spacing longer than the outermost crossing at both ends.
static void lay_weave(const dr_groom *groom, const basis *b, size_t strand, double *points)
{
    int side = side_of(groom, strand);
    size_t across = count_yarns(groom->size[1], groom->spacing);
    size_t row = side ? strand - across : strand, count = dr_groom_vertices(groom, strand);
    size_t crossings = count_yarns(groom->size[side], groom->spacing);
    size_t yarns = count_yarns(groom->size[1 - side], groom->spacing);
    double beside = ((double)row - 0.5 * (double)(yarns - 1)) * groom->spacing;
    double whole = (double)crossings * groom->spacing, sign = ((row + (size_t)side) & 1) ? -1.0 : 1.0;
    for (size_t v = 0; v < count; v++) {
        double at = whole * (double)v / (double)(count - 1) - 0.5 * groom->spacing;
        if (count == crossings) at = groom->spacing * (double)v;
        double wave = groom->layered ? (side ? -1.0 : 1.0) : sign * cos(DR_PI * at / groom->spacing);
        double out = groom->amplitude * wave;
        double along = at - 0.5 * (double)(crossings - 1) * groom->spacing;
        place(points + 3 * v, groom->center, b, out, side ? beside : along, side ? along : beside);
    }
}

// Purl is knit seen from behind. Between the two the yarn goes through the fabric, in the foot of the loop, within a
// sixteenth of a turn to either side: centre lines stay 0.21 spacings apart.
static double face_of(const dr_groom *groom, double t)
{
    if (groom->rib == 0) return 1.0;
    double turns = t / (2.0 * DR_PI), nearest = nearbyint(turns), away = fabs(turns - nearest) * 16.0;
    double here = fmod(floor(turns / (double)groom->rib), 2.0) != 0.0 ? -1.0 : 1.0;
    bool seam = nearest > 0.0 && fmod(nearest, (double)groom->rib) == 0.0;
    return seam && away < 1.0 ? here * away : here;
}

static void lay_knit(const dr_groom *groom, const basis *b, size_t strand, double *points)
{
    size_t count = dr_groom_vertices(groom, strand), rows = rows_of(groom);
    double loops = (double)loops_of(groom), w = groom->spacing;
    double row = ((double)strand - 0.5 * (double)(rows - 1)) * ROW_SPACING * w;
    for (size_t v = 0; v < count; v++) {
        double t = 2.0 * DR_PI * loops * (double)v / (double)(count - 1);
        double along = w * (t / (2.0 * DR_PI) - 0.5 * loops + LOOP_SWING * sin(2.0 * t));
        double out = LOOP_DEPTH * w * face_of(groom, t) * cos(2.0 * t);
        place(points + 3 * v, groom->center, b, out, along, row - LOOP_HEIGHT * w * cos(t));
    }
}

// As a patch, whose rows climb by one row a turn, so that each goes on where the last one ended.
static void lay_tube(const dr_groom *groom, const basis *b, double *points)
{
    size_t count = dr_groom_vertices(groom, 0);
    double loops = (double)loops_of(groom), rows = (double)rows_of(groom), w = groom->spacing;
    double radius = loops * w / (2.0 * DR_PI), climb = ROW_SPACING * w / loops;
    for (size_t v = 0; v < count; v++) {
        double t = 2.0 * DR_PI * loops * rows * (double)v / (double)(count - 1);
        double turn = (w / radius) * (t / (2.0 * DR_PI) + LOOP_SWING * sin(2.0 * t));
        double out = radius + LOOP_DEPTH * w * face_of(groom, t) * cos(2.0 * t);
        double up = climb * (t / (2.0 * DR_PI) - 0.5 * loops * rows) - LOOP_HEIGHT * w * cos(t);
        place(points + 3 * v, groom->center, b, up, out * cos(turn), out * sin(turn));
    }
}

void dr_groom_fill(const dr_groom *groom, uint32_t *first, double *points)
{
    basis b = basis_about(groom->axis);
    size_t strands = dr_groom_strands(groom), vertex = 0;
    for (size_t s = 0; s < strands; s++) {
        first[s] = (uint32_t)vertex;
        double *here = points + 3 * vertex;
        if (groom->kind == DR_GROOM_WEAVE) {
            lay_weave(groom, &b, s, here);
        } else if (groom->kind == DR_GROOM_KNIT && groom->round) {
            lay_tube(groom, &b, here);
        } else if (groom->kind == DR_GROOM_KNIT) {
            lay_knit(groom, &b, s, here);
        } else {
            grow_hair(groom, s, here);
        }
        vertex += dr_groom_vertices(groom, s);
    }
    first[strands] = (uint32_t)vertex;
}
