// From the field on a block's nodes to triangles, cell by cell. In a cell the surface is made of closed lines over its
// faces; on a face whose corners alternate the inner corners are joined, from whichever side one looks. Diagonals of a
// line that would lie in a face are never used, so an edge belongs to exactly two triangles.
// docs/theory/reconstruction.md, "The mesh".
#include "look/surface_parts.h"

#include <string.h>

enum { N = DR_SURFACE_NODES, SIDE = DR_SURFACE_SIDE };

// ---- the 256 cells; corner: bits of x, y, z

// The two ends of an edge: the axis runs along it, the other two axes give its place, the lower one first.
static void edge_ends(int edge, int ends[2])
{
    int axis = edge / 4, one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
    ends[0] = (edge & 1) << one | (edge >> 1 & 1) << two;
    ends[1] = ends[0] | 1 << axis;
}

static int edge_between(int corner, int other)
{
    int low = corner & other, difference = corner ^ other, axis = difference == 1 ? 0 : difference == 2 ? 1 : 2;
    int one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
    return axis * 4 + (low >> one & 1) + 2 * (low >> two & 1);
}

// Corners of a face in the order in which one sees them turn left from outside; side 0: low, 1: high.
static void face_corners(int axis, int side, int corners[4])
{
    int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    int around[4] = {base, base | u, base | u | v, base | v};
    for (int i = 0; i < 4; i++) corners[i] = around[side ? i : 3 - i];
}

// For every edge along which one enters the inside, the edge where one left it: a line leads there over the face.
static void join_face(int inside, const int corners[4], int next[12])
{
    for (int i = 0; i < 4; i++) {
        int from = corners[i], to = corners[(i + 1) % 4];
        if (!(inside >> from & 1) || inside >> to & 1) continue;
        int j = i + 1;
        while (!(inside >> corners[(j + 1) % 4] & 1)) j++;
        next[edge_between(corners[j % 4], corners[(j + 1) % 4])] = edge_between(from, to);
    }
}

static int edge_faces(int edge)
{
    int ends[2], faces = 0;
    edge_ends(edge, ends);
    for (int a = 0; a < 3; a++) {
        if (a != edge / 4) faces |= 1 << (2 * a + (ends[0] >> a & 1));
    }
    return faces;
}

// A corner of a loop from which a fan needs no diagonal within a face; length where there is none.
static int find_start(const uint8_t *edge, int length)
{
    for (int start = 0; start < length; start++) {
        bool good = true;
        for (int i = 2; i < length - 1; i++) {
            good = good && !(edge_faces(edge[start]) & edge_faces(edge[(start + i) % length]));
        }
        if (good) return start;
    }
    return length;
}

static dr_surface_loops make_loops(int inside)
{
    dr_surface_loops loops = {0};
    int next[12], placed = 0;
    for (int e = 0; e < 12; e++) next[e] = -1;
    for (int face = 0; face < 6; face++) {
        int corners[4];
        face_corners(face / 2, face % 2, corners);
        join_face(inside, corners, next);
    }
    for (int e = 0; e < 12; e++) {
        int first = placed, at = e;
        while (next[at] >= 0) {
            int to = next[at];
            next[at] = -1;
            loops.edge[placed++] = (uint8_t)at;
            at = to;
        }
        if (placed == first) continue;
        int length = placed - first;
        loops.length[loops.count] = (uint8_t)length;
        loops.start[loops.count++] = (uint8_t)find_start(loops.edge + first, length);
    }
    return loops;
}

void dr_surface_loops_make(dr_surface_loops loops[256])
{
    for (int inside = 0; inside < 256; inside++) loops[inside] = make_loops(inside);
}

// ---- a block

static int node_of(int x, int y, int z)
{
    return (z * N + y) * N + x;
}

static const int node_step[3] = {1, N, N *N};

static bool is_inside(float value)
{
    return value > DR_SURFACE_LEVEL;
}

static int cell_corners(const dr_surface_nodes *nodes, int node)
{
    int inside = 0;
    for (int c = 0; c < 8; c++) {
        int at = node + (c & 1) + (c >> 1 & 1) * N + (c >> 2) * N * N;
        inside |= is_inside(nodes->value[at]) << c;
    }
    return inside;
}

static bool is_cut(const dr_surface_nodes *nodes, int node, int axis)
{
    return is_inside(nodes->value[node]) != is_inside(nodes->value[node + node_step[axis]]);
}

static size_t number_edges(dr_surface_nodes *nodes)
{
    size_t count = 0, edge = 0;
    for (int z = 0; z < SIDE; z++) {
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                for (int axis = 0; axis < 3; axis++, edge++) {
                    if (is_cut(nodes, node_of(x, y, z), axis)) nodes->vertex[edge] = (uint16_t)count++;
                }
            }
        }
    }
    return count;
}

dr_surface_count dr_surface_cells_count(dr_surface_nodes *nodes, const dr_surface_loops loops[256])
{
    dr_surface_count count = {.vertices = number_edges(nodes)};
    for (int z = 0; z < SIDE; z++) {
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                const dr_surface_loops *cell = loops + cell_corners(nodes, node_of(x, y, z));
                count.cells += cell->count > 0;
                for (int i = 0; i < cell->count; i++) {
                    bool middle = cell->start[i] == cell->length[i];
                    count.vertices += middle;
                    count.triangles += (size_t)cell->length[i] - (middle ? 0 : 2);
                }
            }
        }
    }
    return count;
}

// ---- writing

typedef struct writing {
    const dr_surface_nodes *nodes;
    const dr_surface_loops *loops;
    dr_surface_target target;
    double cell;
    int32_t origin[3];
    uint32_t vertex; // next one, from the block's first
    size_t triangle;
} writing;

typedef struct point {
    float place[3]; // in the block, cells
    float velocity[3];
} point;

#define LEAST_WEIGHT 0.25F // at the surface it is DR_SURFACE_LEVEL, less where bins say that a hole is none

static point point_on(const dr_surface_nodes *nodes, int node, int axis)
{
    int other = node + node_step[axis];
    float a = nodes->value[node], b = nodes->value[other], t = (DR_SURFACE_LEVEL - a) / (b - a);
    t = t < 0.02F ? 0.02F : t > 0.98F ? 0.98F : t;
    point p = {.place = {(float)(node % N), (float)(node / N % N), (float)(node / N / N)}};
    p.place[axis] += t;
    float weight = (1.0F - t) * nodes->weight[node] + t * nodes->weight[other];
    weight = weight < LEAST_WEIGHT ? LEAST_WEIGHT : weight;
    for (int i = 0; i < 3; i++) {
        p.velocity[i] = ((1.0F - t) * nodes->velocity[i][node] + t * nodes->velocity[i][other]) / weight;
    }
    return p;
}

static void write_vertex(writing *job, const point *p, uint16_t edge)
{
    for (int a = 0; a < 3; a++) {
        job->target.position[job->vertex][a] = (float)(((double)job->origin[a] + (double)p->place[a]) * job->cell);
        job->target.velocity[job->vertex][a] = p->velocity[a];
    }
    job->target.edge[job->vertex++] = edge;
}

static void write_edges(writing *job)
{
    uint16_t edge = 0;
    for (int z = 0; z < SIDE; z++) {
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                for (int axis = 0; axis < 3; axis++, edge++) {
                    int node = node_of(x, y, z);
                    if (!is_cut(job->nodes, node, axis)) continue;
                    point p = point_on(job->nodes, node, axis);
                    write_vertex(job, &p, edge);
                }
            }
        }
    }
}

// A corner of a triangle: the number of its vertex, or where another block keeps it.
static uint32_t corner_on(const writing *job, const int at[3], int cell_edge)
{
    int ends[2], place[3], beyond = 0;
    edge_ends(cell_edge, ends);
    for (int a = 0; a < 3; a++) {
        place[a] = at[a] + (ends[0] >> a & 1);
        if (place[a] < SIDE) continue;
        place[a] = 0;
        beyond |= 1 << a;
    }
    uint32_t edge = (uint32_t)(((place[2] * SIDE + place[1]) * SIDE + place[0]) * 3 + cell_edge / 4);
    if (beyond) return DR_SURFACE_FOREIGN | (uint32_t)beyond << 14 | edge;
    return job->target.first + job->nodes->vertex[edge];
}

static uint32_t write_middle(writing *job, const int at[3], const uint8_t *edges, int length)
{
    point middle = {0};
    float share = 1.0F / (float)length;
    for (int i = 0; i < length; i++) {
        int ends[2], node = node_of(at[0], at[1], at[2]);
        edge_ends(edges[i], ends);
        for (int a = 0; a < 3; a++) node += (ends[0] >> a & 1) * node_step[a];
        point p = point_on(job->nodes, node, edges[i] / 4);
        for (int a = 0; a < 3; a++) {
            middle.place[a] += share * p.place[a];
            middle.velocity[a] += share * p.velocity[a];
        }
    }
    uint32_t number = job->target.first + job->vertex;
    write_vertex(job, &middle, UINT16_MAX);
    return number;
}

static void write_triangle(writing *job, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = job->target.triangle[job->triangle++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static void write_loop(writing *job, const int at[3], const uint8_t *edges, int length, int start)
{
    uint32_t corners[12];
    for (int i = 0; i < length; i++) corners[i] = corner_on(job, at, edges[(start + i) % length]);
    if (start < length) {
        for (int i = 1; i + 1 < length; i++) write_triangle(job, corners[0], corners[i], corners[i + 1]);
        return;
    }
    uint32_t middle = write_middle(job, at, edges, length);
    for (int i = 0; i < length; i++) write_triangle(job, middle, corners[i], corners[(i + 1) % length]);
}

static void write_cell(writing *job, const int at[3])
{
    const dr_surface_loops *cell = job->loops + cell_corners(job->nodes, node_of(at[0], at[1], at[2]));
    const uint8_t *edges = cell->edge;
    for (int i = 0; i < cell->count; i++) {
        write_loop(job, at, edges, cell->length[i], cell->start[i]);
        edges += cell->length[i];
    }
}

void dr_surface_cells_write(const dr_surface_nodes *nodes, const dr_surface_loops loops[256],
                            const dr_surface_scale *scale, uint64_t key, const dr_surface_target *target)
{
    writing job = {.nodes = nodes, .loops = loops, .target = *target, .cell = scale->cell};
    dr_surface_block_of(key, job.origin);
    for (int a = 0; a < 3; a++) job.origin[a] *= SIDE;
    write_edges(&job);
    int at[3];
    for (at[2] = 0; at[2] < SIDE; at[2]++) {
        for (at[1] = 0; at[1] < SIDE; at[1]++) {
            for (at[0] = 0; at[0] < SIDE; at[0]++) write_cell(&job, at);
        }
    }
}
