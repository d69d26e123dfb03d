// Distances from a mesh: the closest point by descent into the nearer box first, and the side by the nearest normal or
// the generalised winding number with far clusters replaced by their moments. docs/theory/shapes.md, eqs. (8)-(13).
#include "geom/mesh_parts.h"
#include "math/scalar.h"

#include <float.h>
#include <string.h>

#define FAR_FACTOR2 2.25 // a cluster is far beyond 1.5 times its radius

// ---- closest point

// Squared distance from x to the box.
static double gap2(const dr_mesh_node *node, const double x[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double out = dr_max_double(dr_max_double(node->min[i] - x[i], x[i] - node->max[i]), 0.0);
        sum += out * out;
    }
    return sum;
}

// Share of the way from a towards b of the point of the segment nearest to p; the vectors are b - a and p - a.
static double along_segment(const double edge[3], const double to_p[3])
{
    double square = dr_vec3_dot(edge, edge);
    if (!(square > 0.0)) return 0.0;
    return dr_clamp_double(dr_vec3_dot(edge, to_p) / square, 0.0, 1.0);
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

static void search_leaf(const dr_mesh *mesh, const dr_mesh_node *node, search *search)
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
    } stack[DR_MESH_STACK];
    int top = 0;
    stack[top].node = 0;
    stack[top++].gap2 = 0.0;
    while (top > 0) {
        top--;
        if (stack[top].gap2 >= search->best2) continue;
        const dr_mesh_node *node = &mesh->nodes[stack[top].node];
        if (node->count) {
            search_leaf(mesh, node, search);
            continue;
        }
        double left = gap2(&mesh->nodes[node->first], search->x);
        double right = gap2(&mesh->nodes[node->first + 1], search->x);
        uint32_t nearer = left <= right ? 0 : 1;
        stack[top].node = node->first + 1 - nearer;
        stack[top++].gap2 = dr_max_double(left, right);
        stack[top].node = node->first + nearer;
        stack[top++].gap2 = dr_min_double(left, right);
    }
}

static void tell_hit(const dr_mesh *mesh, const search *found, dr_mesh_hit *hit)
{
    static const double up[3] = {0, 1, 0};
    hit->distance = sqrt(found->best2);
    dr_vec3_copy(hit->point, found->point);
    dr_vec3_copy(hit->weights, found->weights);
    hit->triangle = found->triangle;
    memcpy(hit->corners, mesh->triangles + 3 * found->triangle, sizeof hit->corners);
    double normal[3];
    dr_mesh_area_normal(mesh->corners + 9 * found->triangle, normal);
    dr_vec3_normalize(hit->normal, normal, up);
}

// False where the surface is not nearer than the square root of `enough2`.
static bool closest_within(const dr_mesh *mesh, const double x[3], double enough2, dr_mesh_hit *hit)
{
    search search = {.x = x, .best2 = enough2, .triangle = SIZE_MAX};
    search_tree(mesh, &search);
    if (search.triangle == SIZE_MAX) return false;
    tell_hit(mesh, &search, hit);
    return true;
}

void dr_mesh_closest(const dr_mesh *mesh, const double x[3], dr_mesh_hit *hit)
{
    search search = {.x = x, .best2 = DBL_MAX};
    dr_vec3_copy(search.point, mesh->corners);
    search_tree(mesh, &search);
    tell_hit(mesh, &search, hit);
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
static double cluster_winding(const dr_mesh_cluster *cluster, const double r[3], double r2)
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
    uint32_t stack[DR_MESH_STACK];
    int top = 0;
    double sum = 0.0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t index = stack[--top];
        const dr_mesh_cluster *cluster = &mesh->clusters[index];
        double r[3];
        dr_vec3_sub(r, cluster->center, x);
        double r2 = dr_vec3_dot(r, r);
        if (r2 > FAR_FACTOR2 * cluster->radius2) {
            sum += cluster_winding(cluster, r, r2);
            continue;
        }
        const dr_mesh_node *node = &mesh->nodes[index];
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
    dr_mesh_unit_normal(mesh, mesh->opposite[edge] / 3, other);
    dr_vec3_add(out, out, other);
}

static bool in_box(const dr_mesh *mesh, const double x[3])
{
    const dr_mesh_node *root = &mesh->nodes[0];
    for (int i = 0; i < 3; i++)
        if (x[i] < root->min[i] || x[i] > root->max[i]) return false;
    return true;
}

// Beyond the box of the mesh nothing is inside, holes or not. In a simple mesh the nearest normal tells the side,
// unless x is too nearly at a right angle to it; else the winding number does.
static bool encloses(const dr_mesh *mesh, const double x[3], const dr_mesh_hit *hit)
{
    if (!in_box(mesh, x)) return false;
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

double dr_mesh_distance_within(const dr_mesh *mesh, const double x[3], double enough)
{
    dr_mesh_hit hit;
    if (closest_within(mesh, x, enough * enough, &hit)) return encloses(mesh, x, &hit) ? -hit.distance : hit.distance;
    return in_box(mesh, x) && dr_mesh_winding(mesh, x) > 0.5 ? -enough : enough;
}

double dr_mesh_shell_distance_within(const dr_mesh *mesh, const double x[3], double thickness, double enough)
{
    dr_mesh_hit hit;
    double reach = enough + 0.5 * thickness;
    return closest_within(mesh, x, reach * reach, &hit) ? hit.distance - 0.5 * thickness : enough;
}
