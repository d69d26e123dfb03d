// Triangle meshes: a tree of boxes over the triangles (binned surface-area split), the closest point by descent into
// the nearer box first, and the generalised winding number with far clusters replaced by their moments.
// docs/theory/shapes.md, eqs. (8)-(13).
//   c    area-weighted centre of a cluster       N   sum of area normals
//   M    first moment: sum of area (c_t - c) n^T, its symmetric part
// Invariants: nodes[0] is the root, children lie behind their parent and side by side, so that a walk from the last
// node to the first meets children before parents; corners are copied in the order of the leaves.
#include "geom/mesh.h"

#include "geom/adjacency.h"
#include "math/vec.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#define LEAF        4
#define BINS        16
#define STACK       128
#define FAR_FACTOR2 2.25 // a cluster is far beyond 1.5 times its radius
#define PROBES      1024 // triangles looked at to tell whether a mesh is simple

typedef struct box_node {
    double min[3], max[3];
    uint32_t first; // leaf: first triangle; else: first child, the second follows it
    uint32_t count; // triangles of a leaf, 0 for an inner node
} box_node;

typedef struct cluster {
    double center[3];
    double radius2;
    double normal[3];
    double moment[6]; // xx, yy, zz, xy + yx, yz + zy, zx + xz
    double area;
} cluster;

struct dr_mesh {
    const dr_allocator *allocator;
    size_t vertex_count, triangle_count, node_count;
    double *vertices;    // [vertex][3]
    uint32_t *triangles; // [triangle][3], in the order of the leaves
    double *corners;     // [triangle][9]
    box_node *nodes;
    cluster *clusters; // one per node
    double sign;       // -1 where the triangles turn inwards
    bool closed;
    uint32_t *opposite; // [triangle][3], the neighbour's edge, of a closed mesh
    double *normals;    // [vertex][3], weighted by angles, of a closed mesh
    bool simple;        // closed, and no part of it inside another: the nearest normal tells the side
};

// ---- building

typedef struct builder {
    dr_mesh *mesh;
    const double *middles; // [triangle][3]
    uint32_t *order;
} builder;

static void empty_box(double min[3], double max[3])
{
    dr_vec3_set(min, INFINITY, INFINITY, INFINITY);
    dr_vec3_set(max, -INFINITY, -INFINITY, -INFINITY);
}

static void grow_box(double min[3], double max[3], const double low[3], const double high[3])
{
    for (int i = 0; i < 3; i++) {
        if (low[i] < min[i]) min[i] = low[i];
        if (high[i] > max[i]) max[i] = high[i];
    }
}

static double half_area(const double min[3], const double max[3])
{
    double x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];
    return x < 0 ? 0.0 : x * y + y * z + z * x;
}

static void triangle_box(const dr_mesh *mesh, uint32_t t, double min[3], double max[3])
{
    empty_box(min, max);
    for (int i = 0; i < 3; i++) {
        const double *corner = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)i];
        grow_box(min, max, corner, corner);
    }
}

typedef struct bin {
    double min[3], max[3];
    size_t count;
} bin;

static int bin_of(double middle, double low, double factor)
{
    int index = (int)((middle - low) * factor);
    return index < 0 ? 0 : index >= BINS ? BINS - 1 : index;
}

// The bin after which to cut so that the expected cost is least.
static int choose_cut(const bin bins[BINS])
{
    double behind[BINS], min[3], max[3], best = INFINITY;
    size_t count = 0;
    empty_box(min, max);
    for (int b = BINS - 1; b > 0; b--) {
        grow_box(min, max, bins[b].min, bins[b].max);
        count += bins[b].count;
        behind[b] = count ? half_area(min, max) * (double)count : INFINITY;
    }
    empty_box(min, max);
    count = 0;
    int cut = BINS / 2 - 1;
    for (int b = 0; b + 1 < BINS; b++) {
        grow_box(min, max, bins[b].min, bins[b].max);
        count += bins[b].count;
        double cost = count ? half_area(min, max) * (double)count + behind[b + 1] : INFINITY;
        if (cost < best) {
            best = cost;
            cut = b;
        }
    }
    return cut;
}

// Orders [begin, end) so that the first part goes left; gives its size.
static size_t partition(builder *builder, size_t begin, size_t end)
{
    double low[3], high[3];
    empty_box(low, high);
    for (size_t i = begin; i < end; i++) {
        const double *middle = builder->middles + 3 * (size_t)builder->order[i];
        grow_box(low, high, middle, middle);
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    double width = high[axis] - low[axis];
    if (!(width > 0.0)) return (end - begin) / 2;
    double factor = BINS / width;
    if (!isfinite(factor)) return (end - begin) / 2;
    bin bins[BINS];
    for (int b = 0; b < BINS; b++) {
        empty_box(bins[b].min, bins[b].max);
        bins[b].count = 0;
    }
    for (size_t i = begin; i < end; i++) {
        double min[3], max[3];
        uint32_t t = builder->order[i];
        bin *bin = &bins[bin_of(builder->middles[3 * (size_t)t + (size_t)axis], low[axis], factor)];
        triangle_box(builder->mesh, t, min, max);
        grow_box(bin->min, bin->max, min, max);
        bin->count++;
    }
    int cut = choose_cut(bins);
    size_t left = begin;
    for (size_t i = begin; i < end; i++) {
        uint32_t t = builder->order[i];
        if (bin_of(builder->middles[3 * (size_t)t + (size_t)axis], low[axis], factor) > cut) continue;
        builder->order[i] = builder->order[left];
        builder->order[left++] = t;
    }
    return left - begin;
}

// Splits ranges until they fit a leaf; a range too deep for the search stack is halved by count, which bounds the
// depth.
static void build_nodes(builder *builder)
{
    dr_mesh *mesh = builder->mesh;
    struct {
        size_t begin, end;
        uint32_t node;
        int depth;
    } stack[STACK];
    int top = 0;
    mesh->node_count = 1;
    stack[top].begin = 0;
    stack[top].end = mesh->triangle_count;
    stack[top].node = 0;
    stack[top++].depth = 0;
    while (top > 0) {
        top--;
        size_t begin = stack[top].begin, end = stack[top].end, count = end - begin;
        int depth = stack[top].depth;
        box_node *node = &mesh->nodes[stack[top].node];
        if (count <= LEAF) {
            node->first = (uint32_t)begin;
            node->count = (uint32_t)count;
            continue;
        }
        size_t left = depth < 40 ? partition(builder, begin, end) : count / 2;
        if (left == 0 || left == count) left = count / 2;
        node->first = (uint32_t)mesh->node_count;
        node->count = 0;
        mesh->node_count += 2;
        for (uint32_t side = 0; side < 2; side++) {
            assert(top < STACK);
            stack[top].begin = side ? begin + left : begin;
            stack[top].end = side ? end : begin + left;
            stack[top].node = node->first + side;
            stack[top++].depth = depth + 1;
        }
    }
}

static void find_middles(const dr_mesh *mesh, double *middles, uint32_t *order)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double min[3], max[3];
        triangle_box(mesh, (uint32_t)t, min, max);
        for (size_t i = 0; i < 3; i++) middles[3 * t + i] = 0.5 * (min[i] + max[i]);
        order[t] = (uint32_t)t;
    }
}

// Puts the triangles into the order of the leaves; `scratch` has room for as many.
static void reorder_triangles(dr_mesh *mesh, const uint32_t *order, uint32_t *scratch)
{
    memcpy(scratch, mesh->triangles, 3 * mesh->triangle_count * sizeof *scratch);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        memcpy(mesh->triangles + 3 * t, scratch + 3 * (size_t)order[t], 3 * sizeof *scratch);
}

static bool build_tree(dr_mesh *mesh)
{
    size_t count = mesh->triangle_count;
    size_t middle_bytes = 3 * count * sizeof(double), order_bytes = 4 * count * sizeof(uint32_t);
    double *middles = dr_memory_alloc(mesh->allocator, middle_bytes);
    uint32_t *order = dr_memory_alloc(mesh->allocator, order_bytes);
    bool ok = middles && order;
    if (ok) {
        find_middles(mesh, middles, order);
        build_nodes(&(builder){mesh, middles, order});
        reorder_triangles(mesh, order, order + count);
    }
    dr_memory_free(mesh->allocator, middles, middle_bytes);
    dr_memory_free(mesh->allocator, order, order_bytes);
    return ok;
}

static size_t node_room(const dr_mesh *mesh)
{
    return 2 * mesh->triangle_count;
}

dr_status dr_mesh_create(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                         const dr_allocator *allocator, dr_mesh **mesh, dr_error *error)
{
    *mesh = NULL;
    if (triangle_count == 0) return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "a mesh needs at least one triangle");
    if (triangle_count > UINT32_MAX / 4 || vertex_count > UINT32_MAX)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "a mesh has at most %u triangles", UINT32_MAX / 4);
    dr_mesh *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "building a mesh");
    *made = (dr_mesh){.allocator = allocator, .vertex_count = vertex_count, .triangle_count = triangle_count};
    made->vertices = dr_memory_alloc(allocator, 3 * vertex_count * sizeof *made->vertices);
    made->triangles = dr_memory_alloc(allocator, 3 * triangle_count * sizeof *made->triangles);
    made->corners = dr_memory_alloc(allocator, 9 * triangle_count * sizeof *made->corners);
    made->nodes = dr_memory_alloc(allocator, node_room(made) * sizeof *made->nodes);
    made->clusters = dr_memory_alloc(allocator, node_room(made) * sizeof *made->clusters);
    made->opposite = dr_memory_alloc(allocator, 3 * triangle_count * sizeof *made->opposite);
    made->normals = dr_memory_alloc(allocator, 3 * vertex_count * sizeof *made->normals);
    bool ok = made->vertices && made->triangles && made->corners && made->nodes && made->clusters && made->opposite &&
              made->normals;
    if (ok) {
        memcpy(made->vertices, vertices, 3 * vertex_count * sizeof *vertices);
        memcpy(made->triangles, triangles, 3 * triangle_count * sizeof *triangles);
        ok = build_tree(made) &&
             dr_adjacency_find(made->triangles, triangle_count, vertex_count, allocator, made->opposite, &made->closed);
    }
    if (!ok) {
        dr_mesh_destroy(made);
        return dr_error_memory(error, "building a mesh");
    }
    dr_mesh_refit(made);
    *mesh = made;
    return DR_STATUS_OK;
}

void dr_mesh_destroy(dr_mesh *mesh)
{
    if (!mesh) return;
    const dr_allocator *allocator = mesh->allocator;
    dr_memory_free(allocator, mesh->vertices, 3 * mesh->vertex_count * sizeof *mesh->vertices);
    dr_memory_free(allocator, mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles);
    dr_memory_free(allocator, mesh->corners, 9 * mesh->triangle_count * sizeof *mesh->corners);
    dr_memory_free(allocator, mesh->nodes, node_room(mesh) * sizeof *mesh->nodes);
    dr_memory_free(allocator, mesh->clusters, node_room(mesh) * sizeof *mesh->clusters);
    dr_memory_free(allocator, mesh->opposite, 3 * mesh->triangle_count * sizeof *mesh->opposite);
    dr_memory_free(allocator, mesh->normals, 3 * mesh->vertex_count * sizeof *mesh->normals);
    dr_memory_free(allocator, mesh, sizeof *mesh);
}

const uint32_t *dr_mesh_triangles(const dr_mesh *mesh, size_t *count)
{
    *count = mesh->triangle_count;
    return mesh->triangles;
}

double dr_mesh_turn(const dr_mesh *mesh)
{
    return mesh->sign;
}

size_t dr_mesh_vertex_count(const dr_mesh *mesh)
{
    return mesh->vertex_count;
}

void dr_mesh_bounds(const dr_mesh *mesh, double min[3], double max[3])
{
    dr_vec3_copy(min, mesh->nodes[0].min);
    dr_vec3_copy(max, mesh->nodes[0].max);
}

double *dr_mesh_vertices(dr_mesh *mesh)
{
    return mesh->vertices;
}

// ---- refitting

// Twice the area times the unit normal.
static void area_normal(const double corners[9], double out[3])
{
    double first[3], second[3];
    dr_vec3_sub(first, corners + 3, corners);
    dr_vec3_sub(second, corners + 6, corners);
    dr_vec3_cross(out, first, second);
}

static void copy_corners(dr_mesh *mesh)
{
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        dr_vec3_copy(mesh->corners + 3 * i, mesh->vertices + 3 * (size_t)mesh->triangles[i]);
}

// Adds area (place - center) n^T, symmetric part, to the moment.
static void add_moment(double moment[6], const double offset[3], const double normal[3])
{
    for (int i = 0; i < 3; i++) moment[i] += offset[i] * normal[i];
    moment[3] += offset[0] * normal[1] + offset[1] * normal[0];
    moment[4] += offset[1] * normal[2] + offset[2] * normal[1];
    moment[5] += offset[2] * normal[0] + offset[0] * normal[2];
}

static void measure_triangle(const double corners[9], double middle[3], double normal[3], double *area)
{
    area_normal(corners, normal);
    dr_vec3_scale(normal, 0.5, normal);
    *area = dr_vec3_length(normal);
    for (int i = 0; i < 3; i++) middle[i] = (corners[i] + corners[3 + i] + corners[6 + i]) / 3.0;
}

static void refit_leaf(const dr_mesh *mesh, box_node *node, cluster *cluster)
{
    double middle[3], normal[3], area, weighted[3] = {0}, plain[3] = {0};
    for (uint32_t t = node->first; t < node->first + node->count; t++) {
        const double *corners = mesh->corners + 9 * (size_t)t;
        for (int i = 0; i < 3; i++) grow_box(node->min, node->max, corners + 3 * i, corners + 3 * i);
        measure_triangle(corners, middle, normal, &area);
        cluster->area += area;
        dr_vec3_add(cluster->normal, cluster->normal, normal);
        dr_vec3_add_scaled(weighted, weighted, area, middle);
        dr_vec3_add_scaled(plain, plain, 1.0 / node->count, middle);
    }
    if (cluster->area > 0.0)
        dr_vec3_scale(cluster->center, 1.0 / cluster->area, weighted);
    else
        dr_vec3_copy(cluster->center, plain);
    for (uint32_t t = node->first; t < node->first + node->count; t++) {
        double offset[3];
        measure_triangle(mesh->corners + 9 * (size_t)t, middle, normal, &area);
        dr_vec3_sub(offset, middle, cluster->center);
        add_moment(cluster->moment, offset, normal);
    }
}

static void refit_inner(const dr_mesh *mesh, box_node *node, cluster *joined)
{
    double weighted[3] = {0}, plain[3] = {0};
    for (uint32_t side = 0; side < 2; side++) {
        const box_node *child = &mesh->nodes[node->first + side];
        const cluster *part = &mesh->clusters[node->first + side];
        grow_box(node->min, node->max, child->min, child->max);
        joined->area += part->area;
        dr_vec3_add(joined->normal, joined->normal, part->normal);
        dr_vec3_add_scaled(weighted, weighted, part->area, part->center);
        dr_vec3_add_scaled(plain, plain, 0.5, part->center);
    }
    if (joined->area > 0.0)
        dr_vec3_scale(joined->center, 1.0 / joined->area, weighted);
    else
        dr_vec3_copy(joined->center, plain);
    for (uint32_t side = 0; side < 2; side++) {
        const cluster *part = &mesh->clusters[node->first + side];
        double offset[3];
        for (int i = 0; i < 6; i++) joined->moment[i] += part->moment[i];
        dr_vec3_sub(offset, part->center, joined->center);
        add_moment(joined->moment, offset, part->normal);
    }
}

// Squared distance from x to the farthest corner of the box.
static double reach2(const box_node *node, const double x[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double far = fmax(x[i] - node->min[i], node->max[i] - x[i]);
        sum += far * far;
    }
    return sum;
}

// Twice the sign of the enclosed volume, seen from the middle of the surface.
static double find_sign(const dr_mesh *mesh)
{
    double volume = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double middle[3], normal[3], offset[3], area;
        measure_triangle(mesh->corners + 9 * t, middle, normal, &area);
        dr_vec3_sub(offset, middle, mesh->clusters[0].center);
        volume += dr_vec3_dot(offset, normal);
    }
    return volume < 0.0 ? -1.0 : 1.0;
}

static void unit_normal(const dr_mesh *mesh, size_t t, double out[3])
{
    static const double none[3] = {0};
    double normal[3];
    area_normal(mesh->corners + 9 * t, normal);
    dr_vec3_normalize(out, normal, none);
}

// Angle of a triangle at one of its corners.
static double corner_angle(const double corners[9], int i)
{
    double first[3], second[3], cross[3];
    dr_vec3_sub(first, corners + 3 * ((i + 1) % 3), corners + 3 * i);
    dr_vec3_sub(second, corners + 3 * ((i + 2) % 3), corners + 3 * i);
    dr_vec3_cross(cross, first, second);
    return atan2(dr_vec3_length(cross), dr_vec3_dot(first, second));
}

static void find_normals(dr_mesh *mesh)
{
    memset(mesh->normals, 0, 3 * mesh->vertex_count * sizeof *mesh->normals);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double normal[3];
        unit_normal(mesh, t, normal);
        for (int i = 0; i < 3; i++) {
            double *sum = mesh->normals + 3 * (size_t)mesh->triangles[3 * t + (size_t)i];
            dr_vec3_add_scaled(sum, sum, corner_angle(mesh->corners + 9 * t, i), normal);
        }
    }
}

// Just outside of every triangle looked at the winding number must be 0: a part inside another would have 1 there.
static bool is_simple(const dr_mesh *mesh)
{
    size_t stride = mesh->triangle_count / PROBES + 1;
    for (size_t t = 0; t < mesh->triangle_count; t += stride) {
        double middle[3], normal[3], x[3], area;
        measure_triangle(mesh->corners + 9 * t, middle, normal, &area);
        if (!(area > 0.0)) continue;
        dr_vec3_add_scaled(x, middle, 1e-3 * mesh->sign / sqrt(area), normal);
        if (fabs(dr_mesh_winding(mesh, x)) > 0.25) return false;
    }
    return true;
}

void dr_mesh_refit(dr_mesh *mesh)
{
    copy_corners(mesh);
    for (size_t i = mesh->node_count; i-- > 0;) {
        box_node *node = &mesh->nodes[i];
        cluster *cluster = &mesh->clusters[i];
        memset(cluster, 0, sizeof *cluster);
        empty_box(node->min, node->max);
        if (node->count)
            refit_leaf(mesh, node, cluster);
        else
            refit_inner(mesh, node, cluster);
        cluster->radius2 = reach2(node, cluster->center);
    }
    mesh->sign = find_sign(mesh);
    if (mesh->closed) find_normals(mesh);
    mesh->simple = mesh->closed && is_simple(mesh);
}

// ---- closest point

// Squared distance from x to the box.
static double gap2(const box_node *node, const double x[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double out = fmax(fmax(node->min[i] - x[i], x[i] - node->max[i]), 0.0);
        sum += out * out;
    }
    return sum;
}

// Share of the way from a towards b of the point of the segment nearest to p; the vectors are b - a and p - a.
static double along_segment(const double edge[3], const double to_p[3])
{
    double square = dr_vec3_dot(edge, edge);
    if (!(square > 0.0)) return 0.0;
    return fmax(0.0, fmin(1.0, dr_vec3_dot(edge, to_p) / square));
}

// Nearest of the three edges; weights of the corners.
static void nearest_edge(const double c[9], const double p[3], double weights[3])
{
    double best = INFINITY;
    dr_vec3_set(weights, 1, 0, 0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double edge[3], to_p[3], away[3];
        dr_vec3_sub(edge, c + 3 * j, c + 3 * i);
        dr_vec3_sub(to_p, p, c + 3 * i);
        double s = along_segment(edge, to_p);
        dr_vec3_add_scaled(away, to_p, -s, edge);
        double square = dr_vec3_dot(away, away);
        if (square >= best) continue;
        best = square;
        dr_vec3_set(weights, 0, 0, 0);
        weights[i] = 1.0 - s;
        weights[j] = s;
    }
}

// Weights of the corners at the point of a triangle nearest to p: inside where the foot of the perpendicular is, else
// on the nearest edge. Triangles without area end on an edge too.
static void nearest_on_triangle(const double c[9], const double p[3], double weights[3])
{
    double ab[3], ac[3], ap[3];
    dr_vec3_sub(ab, c + 3, c);
    dr_vec3_sub(ac, c + 6, c);
    dr_vec3_sub(ap, p, c);
    double bb = dr_vec3_dot(ab, ab), bc = dr_vec3_dot(ab, ac), cc = dr_vec3_dot(ac, ac);
    double pb = dr_vec3_dot(ap, ab), pc = dr_vec3_dot(ap, ac);
    double det = bb * cc - bc * bc;
    double second = cc * pb - bc * pc, third = bb * pc - bc * pb;
    if (det > 1e-14 * bb * cc && second >= 0.0 && third >= 0.0 && second + third <= det) {
        weights[1] = second / det;
        weights[2] = third / det;
        weights[0] = 1.0 - weights[1] - weights[2];
        return;
    }
    nearest_edge(c, p, weights);
}

static void blend(const double c[9], const double weights[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = weights[0] * c[i] + weights[1] * c[3 + i] + weights[2] * c[6 + i];
}

typedef struct search {
    const double *x;
    double best2;
    size_t triangle;
    double weights[3], point[3];
} search;

static void search_leaf(const dr_mesh *mesh, const box_node *node, search *search)
{
    for (size_t t = node->first; t < (size_t)node->first + node->count; t++) {
        const double *corners = mesh->corners + 9 * t;
        double weights[3], point[3], away[3];
        nearest_on_triangle(corners, search->x, weights);
        blend(corners, weights, point);
        dr_vec3_sub(away, search->x, point);
        double square = dr_vec3_dot(away, away);
        if (square >= search->best2) continue;
        search->best2 = square;
        search->triangle = t;
        dr_vec3_copy(search->weights, weights);
        dr_vec3_copy(search->point, point);
    }
}

static void search_tree(const dr_mesh *mesh, search *search)
{
    struct {
        uint32_t node;
        double gap2;
    } stack[STACK];
    int top = 0;
    stack[top].node = 0;
    stack[top++].gap2 = 0.0;
    while (top > 0) {
        top--;
        if (stack[top].gap2 >= search->best2) continue;
        const box_node *node = &mesh->nodes[stack[top].node];
        if (node->count) {
            search_leaf(mesh, node, search);
            continue;
        }
        double left = gap2(&mesh->nodes[node->first], search->x);
        double right = gap2(&mesh->nodes[node->first + 1], search->x);
        uint32_t nearer = left <= right ? 0 : 1;
        stack[top].node = node->first + 1 - nearer;
        stack[top++].gap2 = fmax(left, right);
        stack[top].node = node->first + nearer;
        stack[top++].gap2 = fmin(left, right);
    }
}

void dr_mesh_closest(const dr_mesh *mesh, const double x[3], dr_mesh_hit *hit)
{
    static const double up[3] = {0, 1, 0};
    search search = {.x = x, .best2 = DBL_MAX};
    dr_vec3_copy(search.point, mesh->corners);
    search_tree(mesh, &search);
    hit->distance = sqrt(search.best2);
    dr_vec3_copy(hit->point, search.point);
    dr_vec3_copy(hit->weights, search.weights);
    hit->triangle = search.triangle;
    memcpy(hit->corners, mesh->triangles + 3 * search.triangle, sizeof hit->corners);
    double normal[3];
    area_normal(mesh->corners + 9 * search.triangle, normal);
    dr_vec3_normalize(hit->normal, normal, up);
}

// ---- winding number

// Solid angle of a triangle seen from x over 4 pi, eq. (9).
static double triangle_winding(const double c[9], const double x[3])
{
    double a[3], b[3], d[3], cross[3];
    dr_vec3_sub(a, c, x);
    dr_vec3_sub(b, c + 3, x);
    dr_vec3_sub(d, c + 6, x);
    double la = dr_vec3_length(a), lb = dr_vec3_length(b), ld = dr_vec3_length(d);
    dr_vec3_cross(cross, b, d);
    double volume = dr_vec3_dot(a, cross);
    double rest = la * lb * ld + dr_vec3_dot(a, b) * ld + dr_vec3_dot(b, d) * la + dr_vec3_dot(d, a) * lb;
    return atan2(volume, rest) * 0.15915494309189535; // 2 / (4 pi)
}

// The cluster's moments seen from afar, eq. (11); r = center - x.
static double cluster_winding(const cluster *cluster, const double r[3], double r2)
{
    const double *m = cluster->moment;
    double inverse = 1.0 / r2, cube = inverse * sqrt(inverse);
    double dipole = dr_vec3_dot(cluster->normal, r);
    double trace = m[0] + m[1] + m[2];
    double bent = m[0] * r[0] * r[0] + m[1] * r[1] * r[1] + m[2] * r[2] * r[2] + m[3] * r[0] * r[1] +
                  m[4] * r[1] * r[2] + m[5] * r[2] * r[0];
    return (dipole + trace - 3.0 * bent * inverse) * cube * 0.07957747154594767; // 1 / (4 pi)
}

double dr_mesh_winding(const dr_mesh *mesh, const double x[3])
{
    uint32_t stack[STACK];
    int top = 0;
    double sum = 0.0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t index = stack[--top];
        const cluster *cluster = &mesh->clusters[index];
        double r[3];
        dr_vec3_sub(r, cluster->center, x);
        double r2 = dr_vec3_dot(r, r);
        if (r2 > FAR_FACTOR2 * cluster->radius2) {
            sum += cluster_winding(cluster, r, r2);
            continue;
        }
        const box_node *node = &mesh->nodes[index];
        for (size_t t = node->first; t < (size_t)node->first + node->count; t++)
            sum += triangle_winding(mesh->corners + 9 * t, x);
        if (node->count) continue;
        stack[top++] = node->first + 1;
        stack[top++] = node->first;
    }
    return mesh->sign * sum;
}

// ---- distances

// The normal of what x is nearest to, eq. (13): of the triangle, the sum of the two at an edge, that of the vertex.
static void feature_normal(const dr_mesh *mesh, const dr_mesh_hit *hit, double out[3])
{
    int zeros = 0, missing = 0, present = 0;
    for (int i = 0; i < 3; i++) {
        if (hit->weights[i] == 0.0) {
            zeros++;
            missing = i;
        } else {
            present = i;
        }
    }
    if (zeros == 2) {
        dr_vec3_copy(out, mesh->normals + 3 * (size_t)hit->corners[present]);
        return;
    }
    dr_vec3_copy(out, hit->normal);
    if (zeros == 0) return;
    double other[3];
    size_t edge = 3 * hit->triangle + (size_t)((missing + 1) % 3);
    unit_normal(mesh, mesh->opposite[edge] / 3, other);
    dr_vec3_add(out, out, other);
}

// Beyond the box of the mesh nothing is inside, holes or not. In a simple mesh the nearest normal tells the side,
// unless x is too nearly at a right angle to it; else the winding number does.
static bool encloses(const dr_mesh *mesh, const double x[3], const dr_mesh_hit *hit)
{
    const box_node *root = &mesh->nodes[0];
    for (int i = 0; i < 3; i++)
        if (x[i] < root->min[i] || x[i] > root->max[i]) return false;
    if (mesh->simple) {
        double normal[3], away[3];
        feature_normal(mesh, hit, normal);
        dr_vec3_sub(away, x, hit->point);
        double height = mesh->sign * dr_vec3_dot(away, normal);
        if (fabs(height) > 1e-3 * hit->distance * dr_vec3_length(normal)) return height < 0.0;
    }
    return dr_mesh_winding(mesh, x) > 0.5;
}

static void away_from(const dr_mesh_hit *hit, const double x[3], const double fallback[3], double normal[3])
{
    double away[3];
    dr_vec3_sub(away, x, hit->point);
    double scale = fabs(hit->point[0]) + fabs(hit->point[1]) + fabs(hit->point[2]);
    if (hit->distance > 1e-13 * scale)
        dr_vec3_normalize(normal, away, fallback);
    else
        dr_vec3_copy(normal, fallback);
}

double dr_mesh_distance(const dr_mesh *mesh, const double x[3], double normal[3])
{
    dr_mesh_hit hit;
    dr_mesh_closest(mesh, x, &hit);
    double side = encloses(mesh, x, &hit) ? -1.0 : 1.0;
    if (normal) {
        double out[3];
        dr_vec3_scale(out, mesh->sign * side, hit.normal);
        away_from(&hit, x, out, normal);
        dr_vec3_scale(normal, side, normal);
    }
    return side * hit.distance;
}

double dr_mesh_shell_distance(const dr_mesh *mesh, const double x[3], double thickness, double normal[3])
{
    dr_mesh_hit hit;
    dr_mesh_closest(mesh, x, &hit);
    if (normal) away_from(&hit, x, hit.normal, normal);
    return hit.distance - 0.5 * thickness;
}
