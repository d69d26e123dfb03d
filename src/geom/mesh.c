// Triangle meshes as they are made and moved: corners, clusters and normals follow the vertices. docs/theory/shapes.md,
// eqs. (8)-(13).
#include "geom/mesh_parts.h"

#include "geom/adjacency.h"

#include <string.h>

#define PROBES 1024 // triangles looked at to tell whether a mesh is simple

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
        ok = dr_mesh_build_tree(made) &&
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
    dr_mesh_area_normal(corners, normal);
    dr_vec3_scale(normal, 0.5, normal);
    *area = dr_vec3_length(normal);
    for (int i = 0; i < 3; i++) middle[i] = (corners[i] + corners[3 + i] + corners[6 + i]) / 3.0;
}

static void refit_leaf(const dr_mesh *mesh, dr_mesh_node *node, dr_mesh_cluster *cluster)
{
    double middle[3], normal[3], area, weighted[3] = {0}, plain[3] = {0};
    for (uint32_t t = node->first; t < node->first + node->count; t++) {
        const double *corners = mesh->corners + 9 * (size_t)t;
        for (int i = 0; i < 3; i++) dr_mesh_grow_box(node->min, node->max, corners + 3 * i, corners + 3 * i);
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

static void refit_inner(const dr_mesh *mesh, dr_mesh_node *node, dr_mesh_cluster *joined)
{
    double weighted[3] = {0}, plain[3] = {0};
    for (uint32_t side = 0; side < 2; side++) {
        const dr_mesh_node *child = &mesh->nodes[node->first + side];
        const dr_mesh_cluster *part = &mesh->clusters[node->first + side];
        dr_mesh_grow_box(node->min, node->max, child->min, child->max);
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
        const dr_mesh_cluster *part = &mesh->clusters[node->first + side];
        double offset[3];
        for (int i = 0; i < 6; i++) joined->moment[i] += part->moment[i];
        dr_vec3_sub(offset, part->center, joined->center);
        add_moment(joined->moment, offset, part->normal);
    }
}

// Squared distance from x to the farthest corner of the box.
static double reach2(const dr_mesh_node *node, const double x[3])
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
        dr_mesh_unit_normal(mesh, t, normal);
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
        dr_mesh_node *node = &mesh->nodes[i];
        dr_mesh_cluster *cluster = &mesh->clusters[i];
        memset(cluster, 0, sizeof *cluster);
        dr_mesh_empty_box(node->min, node->max);
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
