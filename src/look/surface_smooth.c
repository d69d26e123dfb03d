// The last touch on a closed mesh: smoothing that does not shrink (lambda | mu), and normals.
// docs/theory/reconstruction.md, eq. (11)-(12).
#include "look/surface_parts.h"

#include <math.h>
#include <string.h>

// Adds to every vertex its neighbours; each edge of a closed mesh is met once in each direction.
static void sum_neighbours(const dr_surface_mesh *mesh, float (*sum)[3], uint32_t *count)
{
    memset(sum, 0, mesh->vertex_count * sizeof *sum);
    memset(count, 0, mesh->vertex_count * sizeof *count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            uint32_t from = mesh->triangle[t][i], to = mesh->triangle[t][(i + 1) % 3];
            for (int a = 0; a < 3; a++) sum[to][a] += mesh->position[from][a];
            count[to]++;
        }
    }
}

static void move_vertices(dr_surface_mesh *mesh, float (*sum)[3], const uint32_t *count, float factor)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        if (count[v] == 0) continue;
        float share = 1.0F / (float)count[v];
        for (int a = 0; a < 3; a++) mesh->position[v][a] += factor * (share * sum[v][a] - mesh->position[v][a]);
    }
}

bool dr_surface_mesh_smooth(dr_surface_mesh *mesh, int rounds, const dr_allocator *allocator)
{
    if (rounds == 0 || mesh->vertex_count == 0) return true;
    size_t sum_bytes = mesh->vertex_count * sizeof(float[3]), count_bytes = mesh->vertex_count * sizeof(uint32_t);
    float(*sum)[3] = dr_memory_resize(allocator, NULL, 0, sum_bytes);
    uint32_t *count = dr_memory_resize(allocator, NULL, 0, count_bytes);
    bool done = sum && count;
    for (int round = 0; done && round < 2 * rounds; round++) {
        sum_neighbours(mesh, sum, count);
        move_vertices(mesh, sum, count, round % 2 == 0 ? 0.5F : -0.53F);
    }
    dr_memory_free(allocator, sum, sum_bytes);
    dr_memory_free(allocator, count, count_bytes);
    return done;
}

static void edge_of(const dr_surface_mesh *mesh, const uint32_t *triangle, int from, int to, float out[3])
{
    for (int a = 0; a < 3; a++) out[a] = mesh->position[triangle[to]][a] - mesh->position[triangle[from]][a];
}

static float angle_between(const float a[3], const float b[3])
{
    float aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    float ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], length = sqrtf(aa * bb);
    if (!(length > 0.0F)) return 0.0F;
    return acosf(fmaxf(-1.0F, fminf(1.0F, ab / length)));
}

static void add_triangle(dr_surface_mesh *mesh, const uint32_t *triangle)
{
    float e[2][3], n[3];
    edge_of(mesh, triangle, 0, 1, e[0]);
    edge_of(mesh, triangle, 0, 2, e[1]);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        n[a] = e[0][b] * e[1][c] - e[0][c] * e[1][b];
    }
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0F)) return;
    for (int i = 0; i < 3; i++) {
        edge_of(mesh, triangle, i, (i + 1) % 3, e[0]);
        edge_of(mesh, triangle, i, (i + 2) % 3, e[1]);
        float weight = angle_between(e[0], e[1]) / length;
        for (int a = 0; a < 3; a++) mesh->normal[triangle[i]][a] += weight * n[a];
    }
}

void dr_surface_mesh_normals(dr_surface_mesh *mesh)
{
    memset(mesh->normal, 0, mesh->vertex_count * sizeof *mesh->normal);
    for (size_t t = 0; t < mesh->triangle_count; t++) add_triangle(mesh, mesh->triangle[t]);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float *n = mesh->normal[v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length > 0.0F)) n[2] = 1.0F;
        for (int a = 0; a < 3 && length > 0.0F; a++) n[a] /= length;
    }
}
