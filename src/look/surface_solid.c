// The field beside walls and colliders. A kernel that reaches into a solid finds no liquid there; what it finds is
// divided by the share of it that is open, so that liquid lies against a wall as if it went on beyond, and is then cut
// at the wall. docs/theory/reconstruction.md, "Walls", eq. (13)-(15).
//   d   distance to the solid, cells     w   half width of a node's kernel along the solid's normal     t = d / w
#include "look/surface_parts.h"

#include <math.h>

enum { N = DR_SURFACE_NODES, STEP = 3, POINTS = DR_SURFACE_SIDE / STEP + 1, PARTS = 4 };

#define DIAGONAL   1.7320508F
#define ACROSS     (0.5F * DIAGONAL * DR_SURFACE_SIDE) // from the middle of a block to its corners
#define UNSURE     (0.5F * DIAGONAL * STEP)            // most that a blended distance can be wrong by
#define EVEN       0.97F // squared length of blended normals above which the solid is smooth there
#define SLOPE      0.5F  // of the cut field per cell
#define LEAST_OPEN 0.25F // half of it lets liquid hang in narrow corners, twice of it leaves gaps along walls
#define SNAP       0.2F  // cells that a gap to a solid has at least

static double measure(const dr_surface_world *world, const double place[3], double normal[3])
{
    double x[3], cell = world->scale.cell;
    for (int a = 0; a < 3; a++) x[a] = cell * place[a];
    return dr_solids_distance(world->solids, x, normal) / cell + (double)world->overlap;
}

bool dr_surface_solids_reach(const dr_surface_world *world, const int32_t block[3])
{
    double middle[3];
    if (!world->solids) return false;
    for (int a = 0; a < 3; a++) middle[a] = DR_SURFACE_SIDE * (block[a] + 0.5);
    return measure(world, middle, NULL) < (double)(ACROSS + fmaxf(world->scale.reach, 1.0F / SLOPE));
}

// ---- distances and normals on every third node, blended between

typedef struct lattice {
    float at[POINTS][POINTS][POINTS][PARTS]; // z, y, x; distance, normal
} lattice;

static void measure_lattice(lattice *lattice, const dr_surface_world *world, const int32_t block[3])
{
    for (int z = 0; z < POINTS; z++) {
        for (int y = 0; y < POINTS; y++) {
            for (int x = 0; x < POINTS; x++) {
                int at[3] = {x, y, z};
                double place[3], normal[3];
                float *out = lattice->at[z][y][x];
                for (int a = 0; a < 3; a++) place[a] = (double)DR_SURFACE_SIDE * block[a] + STEP * at[a];
                out[0] = (float)measure(world, place, normal);
                for (int a = 0; a < 3; a++) out[1 + a] = (float)normal[a];
            }
        }
    }
}

static float between(int i, int *point)
{
    *point = i / STEP < POINTS - 2 ? i / STEP : POINTS - 2;
    return (float)(i - *point * STEP) / (float)STEP;
}

static void blend_line(const lattice *lattice, int y, int z, float line[POINTS][PARTS])
{
    int py, pz;
    float ty = between(y, &py), tz = between(z, &pz);
    for (int x = 0; x < POINTS; x++) {
        for (int i = 0; i < PARTS; i++) {
            float low = (1.0F - ty) * lattice->at[pz][py][x][i] + ty * lattice->at[pz][py + 1][x][i];
            float high = (1.0F - ty) * lattice->at[pz + 1][py][x][i] + ty * lattice->at[pz + 1][py + 1][x][i];
            line[x][i] = (1.0F - tz) * low + tz * high;
        }
    }
}

// ---- the open share

// Share of a kernel on the open side of a plane at t half widths: the integral of its section.                eq. (13)
static float open_share(float t)
{
    if (t >= 1.0F) return 1.0F;
    if (t <= -1.0F) return 0.0F;
    float s = t * t;
    float four = t * (1.0F + s * (-4.0F / 3.0F + s * (6.0F / 5.0F + s * (-4.0F / 7.0F + s / 9.0F))));
    float five = t * (1.0F + s * (-5.0F / 3.0F + s * (2.0F + s * (-10.0F / 7.0F + s * (5.0F / 9.0F - s / 11.0F)))));
    return 0.5F + 315.0F / 64.0F * (3.3F * five - 2.75F * four);
}

// How far a node's kernel reaches along a direction; 0 where it has none.
static float half_width(const dr_surface_shapes *shapes, int node, const float n[3])
{
    float m[6], sum = 0.0F;
    if (!(shapes->scale[node] > 0.0F)) return 0.0F;
    for (int i = 0; i < 6; i++) m[i] = shapes->form[i][node]; // xx, yy, zz, yz, zx, xy
    float inverse[6] = {m[1] * m[2] - m[3] * m[3], m[0] * m[2] - m[4] * m[4], m[0] * m[1] - m[5] * m[5],
                        m[4] * m[5] - m[0] * m[3], m[5] * m[3] - m[1] * m[4], m[3] * m[4] - m[5] * m[2]};
    float determinant = m[0] * inverse[0] + m[5] * inverse[5] + m[4] * inverse[4];
    for (int a = 0; a < 3; a++) sum += inverse[a] * n[a] * n[a];
    for (int a = 0; a < 3; a++) sum += 2.0F * inverse[3 + a] * n[(a + 1) % 3] * n[(a + 2) % 3];
    return determinant > 0.0F && sum > 0.0F ? sqrtf(sum / determinant) : 0.0F;
}

static float cut_value(const dr_surface_nodes *nodes, int node, const float part[PARTS], float value)
{
    float d = part[0], cut = DR_SURFACE_LEVEL + SLOPE * fmaxf(d, -1.0F);
    if (d <= 0.0F) return cut; // eq. (15)
    float width = nodes->deep[node] < 1.0F ? half_width(&nodes->shapes, node, part + 1) : 0.0F;
    if (width > d && value > 0.0F) value /= fmaxf(LEAST_OPEN, fminf(1.0F, open_share(d / width))); // eq. (14)
    return fminf(value, cut);
}

static void cut_row(dr_surface_nodes *nodes, const dr_surface_world *world, const int32_t block[3], int row,
                    float line[POINTS][PARTS])
{
    for (int x = 0; x < N; x++) {
        int point, node = row * N + x;
        float t = between(x, &point), part[PARTS], even = 0.0F;
        for (int i = 0; i < PARTS; i++) part[i] = (1.0F - t) * line[point][i] + t * line[point + 1][i];
        for (int a = 0; a < 3; a++) even += part[1 + a] * part[1 + a];
        if (fabsf(part[0]) < UNSURE && even < EVEN) {
            int at[3] = {x, row % N, row / N};
            double place[3], normal[3];
            for (int a = 0; a < 3; a++) place[a] = (double)DR_SURFACE_SIDE * block[a] + at[a];
            part[0] = (float)measure(world, place, normal);
            for (int a = 0; a < 3; a++) part[1 + a] = (float)normal[a];
        }
        nodes->value[node] = cut_value(nodes, node, part, nodes->value[node]);
    }
}

void dr_surface_solids_cut(dr_surface_nodes *nodes, const dr_surface_world *world, const int32_t block[3])
{
    lattice lattice;
    measure_lattice(&lattice, world, block);
    for (int row = 0; row < N * N; row++) {
        float line[POINTS][PARTS];
        blend_line(&lattice, row % N, row / N, line);
        cut_row(nodes, world, block, row, line);
    }
}

// ---- vertices

typedef struct fitting {
    dr_surface_mesh *mesh;
    const dr_surface_world *world;
} fitting;

static void fit_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const fitting *f = user;
    double cell = f->world->scale.cell;
    for (size_t v = begin; v < end; v++) {
        float *position = f->mesh->position[v];
        double place[3], normal[3];
        for (int a = 0; a < 3; a++) place[a] = (double)position[a] / cell;
        double away = measure(f->world, place, normal);
        if (away >= (double)SNAP) continue;
        for (int a = 0; a < 3; a++) position[a] = (float)(cell * (place[a] - away * normal[a]));
    }
}

void dr_surface_mesh_fit(dr_surface_mesh *mesh, const dr_surface_world *world, const dr_par *par)
{
    fitting f = {mesh, world};
    if (world->solids) dr_par_for(par, mesh->vertex_count, 256, fit_vertices, &f);
}
