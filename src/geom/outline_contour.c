// The outline of what is cut out of or common to shapes, by dual contouring: one vertex in every cell of a lattice that
// the surface crosses, where the tangent planes at the crossings of its edges meet best, and a quad around every edge
// that is crossed. docs/theory/shapes.md, "Outlines", eq. (16).
#include "geom/outline.h"

#include "base/memory.h"
#include "geom/shape_node.h"
#include "math/vec.h"

#define CELLS    96                  // along the longest side
#define BLOCK    8                   // of nodes that one look may spare
#define STIFFEN  0.01                // how strongly a vertex is drawn to the mean of its crossings
#define ROOM     (3 * CELLS * CELLS) // vertices that most outlines stay below
#define NO_POINT UINT32_MAX

typedef struct lattice {
    const dr_shape_node *node;
    double origin[3], cell;
    int nodes[3];
    float *distance;  // [node]
    uint32_t *vertex; // [cell], the cell of a node is the one that it is the lower corner of
} lattice;

static size_t index_of(const lattice *lattice, int x, int y, int z)
{
    return ((size_t)x * (size_t)lattice->nodes[1] + (size_t)y) * (size_t)lattice->nodes[2] + (size_t)z;
}

static void place_of(const lattice *lattice, const int at[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = lattice->origin[a] + lattice->cell * at[a];
}

// One node more than the box on either side. False where nothing of the box is left.
static bool lay_lattice(lattice *lattice, const dr_box *reach)
{
    dr_box box = dr_shape_node_bounds(lattice->node);
    double longest = 0.0;
    for (int a = 0; a < 3; a++) {
        box.min[a] = fmax(box.min[a], reach->min[a]);
        box.max[a] = fmin(box.max[a], reach->max[a]);
        if (!(box.max[a] > box.min[a])) return false;
        longest = fmax(longest, box.max[a] - box.min[a]);
    }
    lattice->cell = longest / CELLS;
    for (int a = 0; a < 3; a++) {
        double size = box.max[a] - box.min[a], cells = ceil(size / lattice->cell) + 2.0;
        lattice->nodes[a] = (int)cells + 1;
        lattice->origin[a] = box.min[a] - 0.5 * (cells * lattice->cell - size);
    }
    return true;
}

// A block that the surface cannot reach takes the distance of its middle: its slope is at most one.
static void measure_block(lattice *lattice, const int begin[3])
{
    int end[3], at[3];
    double middle[3], reach = 0.0;
    for (int a = 0; a < 3; a++) {
        end[a] = begin[a] + BLOCK < lattice->nodes[a] ? begin[a] + BLOCK : lattice->nodes[a];
        middle[a] = lattice->origin[a] + 0.5 * lattice->cell * (begin[a] + end[a] - 1);
    }
    reach = 0.5 * sqrt(3.0) * BLOCK * lattice->cell;
    double far = dr_shape_node_distance(lattice->node, middle, NULL);
    for (at[0] = begin[0]; at[0] < end[0]; at[0]++) {
        for (at[1] = begin[1]; at[1] < end[1]; at[1]++) {
            for (at[2] = begin[2]; at[2] < end[2]; at[2]++) {
                double x[3];
                place_of(lattice, at, x);
                double distance = fabs(far) > reach ? far : dr_shape_node_distance(lattice->node, x, NULL);
                lattice->distance[index_of(lattice, at[0], at[1], at[2])] = (float)distance;
            }
        }
    }
}

static void measure(lattice *lattice)
{
    int begin[3];
    for (begin[0] = 0; begin[0] < lattice->nodes[0]; begin[0] += BLOCK) {
        for (begin[1] = 0; begin[1] < lattice->nodes[1]; begin[1] += BLOCK) {
            for (begin[2] = 0; begin[2] < lattice->nodes[2]; begin[2] += BLOCK) measure_block(lattice, begin);
        }
    }
}

// Symmetric 3 x 3: xx, xy, xz, yy, yz, zz.
static void solve_symmetric(const double m[6], const double b[3], double x[3])
{
    double c0 = m[3] * m[5] - m[4] * m[4], c1 = m[2] * m[4] - m[1] * m[5], c2 = m[1] * m[4] - m[2] * m[3];
    double c3 = m[0] * m[5] - m[2] * m[2], c4 = m[1] * m[2] - m[0] * m[4], c5 = m[0] * m[3] - m[1] * m[1];
    double over = 1.0 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    dr_vec3_set(x, over * (c0 * b[0] + c1 * b[1] + c2 * b[2]), over * (c1 * b[0] + c3 * b[1] + c4 * b[2]),
                over * (c2 * b[0] + c4 * b[1] + c5 * b[2]));
}

typedef struct crossings {
    int count;
    double point[12][3], normal[12][3], mean[3];
} crossings;

// Where the surface crosses the edge between two corners of a cell (bits x, y, z).
static void cross_edge(const lattice *lattice, const int cell[3], int from, int to, crossings *found)
{
    int a[3], b[3];
    double start[3], end[3];
    for (int k = 0; k < 3; k++) {
        a[k] = cell[k] + (from >> k & 1);
        b[k] = cell[k] + (to >> k & 1);
    }
    double before = (double)lattice->distance[index_of(lattice, a[0], a[1], a[2])];
    double after = (double)lattice->distance[index_of(lattice, b[0], b[1], b[2])];
    if ((before < 0.0) == (after < 0.0)) return;
    place_of(lattice, a, start);
    place_of(lattice, b, end);
    double *point = found->point[found->count], share = before / (before - after);
    for (int k = 0; k < 3; k++) point[k] = start[k] + share * (end[k] - start[k]);
    dr_shape_node_distance(lattice->node, point, found->normal[found->count++]);
    dr_vec3_add(found->mean, found->mean, point);
}

static void find_crossings(const lattice *lattice, const int cell[3], crossings *found)
{
    found->count = 0;
    dr_vec3_set(found->mean, 0, 0, 0);
    for (int corner = 0; corner < 8; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            if (!(corner >> axis & 1)) cross_edge(lattice, cell, corner, corner | 1 << axis, found);
        }
    }
    if (found->count) dr_vec3_scale(found->mean, 1.0 / found->count, found->mean);
}

// Least squares of the distances to the tangent planes, eq. (16), kept within the cell.
static void meet_planes(const lattice *lattice, const int cell[3], const crossings *found, double x[3])
{
    double m[6] = {STIFFEN, 0, 0, STIFFEN, 0, STIFFEN}, b[3] = {0};
    for (int i = 0; i < found->count; i++) {
        const double *n = found->normal[i];
        double away[3];
        dr_vec3_sub(away, found->point[i], found->mean);
        double offset = dr_vec3_dot(n, away);
        for (int r = 0, k = 0; r < 3; r++) {
            for (int c = r; c < 3; c++) m[k++] += n[r] * n[c];
            b[r] += n[r] * offset;
        }
    }
    solve_symmetric(m, b, x);
    dr_vec3_add(x, x, found->mean);
    for (int a = 0; a < 3; a++) {
        double low = lattice->origin[a] + lattice->cell * cell[a];
        x[a] = fmax(low, fmin(low + lattice->cell, x[a]));
    }
}

static bool place_vertices(lattice *lattice, dr_outline *outline)
{
    int cell[3];
    crossings found;
    for (cell[0] = 0; cell[0] + 1 < lattice->nodes[0]; cell[0]++) {
        for (cell[1] = 0; cell[1] + 1 < lattice->nodes[1]; cell[1]++) {
            for (cell[2] = 0; cell[2] + 1 < lattice->nodes[2]; cell[2]++) {
                size_t index = index_of(lattice, cell[0], cell[1], cell[2]);
                double x[3];
                lattice->vertex[index] = NO_POINT;
                find_crossings(lattice, cell, &found);
                if (found.count == 0) continue;
                meet_planes(lattice, cell, &found, x);
                if (!dr_outline_reserve(outline, 1, 0)) return false;
                lattice->vertex[index] = dr_outline_add_vertex(outline, x);
            }
        }
    }
    return true;
}

// The quad of the four cells around the edge from a node along an axis.
static bool add_quad(const lattice *lattice, dr_outline *outline, const int at[3], int axis)
{
    int right = (axis + 1) % 3, up = (axis + 2) % 3, next[3] = {at[0], at[1], at[2]};
    next[axis]++;
    bool inside = lattice->distance[index_of(lattice, at[0], at[1], at[2])] < 0.0f;
    if (inside == (lattice->distance[index_of(lattice, next[0], next[1], next[2])] < 0.0f)) return true;
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[right] -= i == 0 || i == 3;
        cell[up] -= i < 2;
        corner[i] = lattice->vertex[index_of(lattice, cell[0], cell[1], cell[2])];
    }
    if (!dr_outline_reserve(outline, 0, 2)) return false;
    int second = inside ? 1 : 3, fourth = inside ? 3 : 1;
    dr_outline_add_triangle(outline, corner[0], corner[second], corner[2]);
    dr_outline_add_triangle(outline, corner[0], corner[2], corner[fourth]);
    return true;
}

static bool add_quads(const lattice *lattice, dr_outline *outline)
{
    int at[3];
    for (at[0] = 1; at[0] + 1 < lattice->nodes[0]; at[0]++) {
        for (at[1] = 1; at[1] + 1 < lattice->nodes[1]; at[1]++) {
            for (at[2] = 1; at[2] + 1 < lattice->nodes[2]; at[2]++) {
                for (int axis = 0; axis < 3; axis++) {
                    if (!add_quad(lattice, outline, at, axis)) return false;
                }
            }
        }
    }
    return true;
}

bool dr_outline_contour(dr_outline *outline, const dr_shape_node *node, const dr_box *reach)
{
    lattice lattice = {.node = node};
    if (!lay_lattice(&lattice, reach)) return true;
    size_t count = index_of(&lattice, lattice.nodes[0] - 1, lattice.nodes[1] - 1, lattice.nodes[2] - 1) + 1;
    lattice.distance = dr_memory_alloc(outline->allocator, count * sizeof *lattice.distance);
    lattice.vertex = dr_memory_alloc(outline->allocator, count * sizeof *lattice.vertex);
    bool good = lattice.distance && lattice.vertex && dr_outline_reserve(outline, ROOM, 2 * (size_t)ROOM);
    if (good) {
        measure(&lattice);
        good = place_vertices(&lattice, outline) && add_quads(&lattice, outline);
    }
    dr_memory_free(outline->allocator, lattice.distance, count * sizeof *lattice.distance);
    dr_memory_free(outline->allocator, lattice.vertex, count * sizeof *lattice.vertex);
    return good;
}
