#include "lab/plane_fibres.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// Nodes: the middle is at x = 0, and some lie below the floor.
enum { ACROSS = 1200, UP = 120, BELOW = 4 };

typedef struct kernel {
    int first[2];
    double weight[2][3];
} kernel;

static size_t point_count(const dr_lab_plane *plane)
{
    return (size_t)plane->fibres * (size_t)plane->points;
}

dr_status dr_lab_plane_open(dr_lab_plane *plane, const dr_lab_plane_law *law, int fibres, int segments, dr_error *error)
{
    *plane = (dr_lab_plane){.law = *law, .fibres = fibres, .points = 2 * segments + 1};
    plane->point = dr_memory_alloc(NULL, point_count(plane) * sizeof *plane->point);
    plane->node = dr_memory_alloc(NULL, 3 * sizeof(double) * ACROSS * UP);
    if (plane->point && plane->node) return DR_STATUS_OK;
    dr_lab_plane_close(plane);
    return dr_error_memory(error, "making fibres in a plane");
}

void dr_lab_plane_close(dr_lab_plane *plane)
{
    dr_memory_free(NULL, plane->point, point_count(plane) * sizeof *plane->point);
    dr_memory_free(NULL, plane->node, 3 * sizeof(double) * ACROSS * UP);
}

// A third of a segment's mass goes to each vertex and to its middle. On a mesh its middle carries its energy; without
// one all points do.
void dr_lab_plane_put(dr_lab_plane *plane, int fibre, const double middle[2], const double along[2], double length)
{
    int last = plane->points - 1;
    bool meshless = plane->law.model == DR_LAB_PLANE_MESHLESS;
    plane->edge = 2.0 * length / last;
    double third = plane->edge * plane->law.cell / 3.0;
    for (int i = 0; i <= last; i++) {
        dr_lab_plane_point *p = &plane->point[fibre * plane->points + i];
        double from = length * ((double)i / last - 0.5);
        *p = (dr_lab_plane_point){.d = {{along[0], along[1]}, {-along[1], along[0]}}};
        for (int a = 0; a < 2; a++) p->x[a] = middle[a] + from * along[a];
        p->mass = i % 2 == 1 || i == 0 || i == last ? third : 2.0 * third;
        if (meshless) p->volume = p->mass / 3.0;
        if (!meshless && i % 2 == 1) p->volume = third;
    }
}

// ---- energy

typedef struct split {
    double q[2][2], r11, r12, r22;
} split;

static split split_of(double d[2][2])
{
    split s;
    s.r11 = sqrt(d[0][0] * d[0][0] + d[0][1] * d[0][1]);
    s.q[0][0] = d[0][0] / s.r11;
    s.q[0][1] = d[0][1] / s.r11;
    s.q[1][0] = -s.q[0][1];
    s.q[1][1] = s.q[0][0];
    s.r12 = s.q[0][0] * d[1][0] + s.q[0][1] * d[1][1];
    s.r22 = s.q[1][0] * d[1][0] + s.q[1][1] * d[1][1];
    return s;
}

static void load(const dr_lab_plane_law *law, dr_lab_plane_point *p)
{
    split s = split_of(p->d);
    bool across = law->model != DR_LAB_PLANE_ALONG;
    double pressed = fmax(0.0, 1.0 - s.r22), a11 = law->stretch * (s.r11 - 1.0);
    double a12 = across ? law->shear * s.r12 : 0.0, a22 = across ? -law->across * pressed * pressed : 0.0;
    double a21 = (a12 * s.r22 - a22 * s.r12) / s.r11;
    for (int a = 0; a < 2; a++) {
        p->load[0][a] = p->volume * (s.q[0][a] * a11 + s.q[1][a] * a21);
        p->load[1][a] = p->volume * (s.q[0][a] * a12 + s.q[1][a] * a22);
    }
}

// What is apart is forgotten, and what slides keeps the shear that friction bears.
static void flow(const dr_lab_plane_law *law, dr_lab_plane_point *p)
{
    split s = split_of(p->d);
    double pressed = 1.0 - s.r22, pull = law->shear * fabs(s.r12),
           most = law->friction * law->across * pressed * pressed;
    if (s.r22 >= 1.0 || s.r22 < 0.0) s.r12 = 0.0;
    if (s.r22 >= 0.0 && s.r22 < 1.0 && pull > most) s.r12 *= most / pull;
    s.r22 = fmin(1.0, fmax(-1.0, s.r22));
    for (int a = 0; a < 2; a++) p->d[1][a] = s.r12 * s.q[0][a] + s.r22 * s.q[1][a];
}

// On a mesh the vertices of a segment take what it bears along it; without one the grid does.
static void load_points(dr_lab_plane *plane)
{
    size_t count = point_count(plane);
    for (size_t i = 0; i < count; i++) plane->point[i].force[0] = plane->point[i].force[1] = 0.0;
    for (size_t i = 0; i < count; i++) {
        dr_lab_plane_point *p = &plane->point[i];
        if (p->volume == 0.0) continue;
        load(&plane->law, p);
        if (plane->law.model == DR_LAB_PLANE_MESHLESS) continue;
        for (int a = 0; a < 2; a++) {
            p[-1].force[a] += p->load[0][a] / plane->edge;
            p[1].force[a] -= p->load[0][a] / plane->edge;
            p->load[0][a] = 0.0;
        }
    }
}

// ---- the grid

static kernel kernel_at(const dr_lab_plane *plane, const double x[2])
{
    kernel k;
    const double origin[2] = {0.5 * ACROSS, BELOW};
    for (int a = 0; a < 2; a++) {
        double at = x[a] / plane->law.cell + origin[a], base = floor(at - 0.5), f = at - base;
        k.first[a] = (int)base;
        k.weight[a][0] = 0.5 * (1.5 - f) * (1.5 - f);
        k.weight[a][1] = 0.75 - (f - 1.0) * (f - 1.0);
        k.weight[a][2] = 0.5 * (f - 0.5) * (f - 0.5);
    }
    return k;
}

// False where the kernel reaches beyond the grid, or is nowhere.
static bool is_inside(const dr_lab_plane *plane, const double x[2])
{
    double cell = plane->law.cell;
    return fabs(x[0]) < cell * (0.5 * ACROSS - 2.0) && x[1] > cell * (2.0 - BELOW) && x[1] < cell * (UP - BELOW - 2.0);
}

static double *node_of(const dr_lab_plane *plane, const kernel *k, const double x[2], int i, int j, double away[2])
{
    int at[2] = {k->first[0] + i, k->first[1] + j};
    away[0] = (at[0] - 0.5 * ACROSS) * plane->law.cell - x[0];
    away[1] = (at[1] - BELOW) * plane->law.cell - x[1];
    return &plane->node[3 * (size_t)(at[0] * UP + at[1])];
}

static void give(const dr_lab_plane *plane, const dr_lab_plane_point *p)
{
    kernel k = kernel_at(plane, p->x);
    double dt = plane->law.step, slope = 4.0 * dt / (plane->law.cell * plane->law.cell), away[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double weight = k.weight[0][i] * k.weight[1][j], *node = node_of(plane, &k, p->x, i, j, away);
            double first = p->d[0][0] * away[0] + p->d[0][1] * away[1];
            double second = p->d[1][0] * away[0] + p->d[1][1] * away[1];
            node[0] += weight * p->mass;
            for (int a = 0; a < 2; a++) {
                double v = p->v[a] + p->c[a][0] * away[0] + p->c[a][1] * away[1];
                double push = slope * (p->load[0][a] * first + p->load[1][a] * second);
                node[1 + a] += weight * (p->mass * v + dt * p->force[a] - push);
            }
        }
    }
}

static void take(const dr_lab_plane *plane, dr_lab_plane_point *p)
{
    kernel k = kernel_at(plane, p->x);
    double slope = 4.0 / (plane->law.cell * plane->law.cell), away[2];
    memset(p->v, 0, sizeof p->v);
    memset(p->c, 0, sizeof p->c);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double weight = k.weight[0][i] * k.weight[1][j], *node = node_of(plane, &k, p->x, i, j, away);
            for (int a = 0; a < 2; a++) {
                p->v[a] += weight * node[1 + a];
                for (int b = 0; b < 2; b++) p->c[a][b] += slope * weight * node[1 + a] * away[b];
            }
        }
    }
}

// The columns of nodes that points reach.
static bool reach(const dr_lab_plane *plane, int range[2])
{
    range[0] = ACROSS;
    range[1] = 0;
    for (size_t i = 0; i < point_count(plane); i++) {
        if (!is_inside(plane, plane->point[i].x)) return false;
        kernel k = kernel_at(plane, plane->point[i].x);
        range[0] = k.first[0] < range[0] ? k.first[0] : range[0];
        range[1] = k.first[0] + 3 > range[1] ? k.first[0] + 3 : range[1];
    }
    return true;
}

// The floor holds what comes to its nodes.
static void move_nodes(dr_lab_plane *plane, const int range[2])
{
    for (int i = range[0]; i < range[1]; i++) {
        for (int j = 0; j < UP; j++) {
            double *node = &plane->node[3 * (size_t)(i * UP + j)];
            if (node[0] == 0.0) continue;
            node[1] = j <= BELOW ? 0.0 : node[1] / node[0];
            node[2] = j <= BELOW ? 0.0 : node[2] / node[0] - plane->law.gravity * plane->law.step;
        }
    }
}

// ---- a step

static void turn(double d[2], double c[2][2], double dt)
{
    double x = d[0], y = d[1];
    for (int a = 0; a < 2; a++) d[a] += dt * (c[a][0] * x + c[a][1] * y);
}

static void strain(dr_lab_plane *plane, dr_lab_plane_point *p)
{
    const dr_lab_plane_law *law = &plane->law;
    turn(p->d[1], p->c, law->step);
    if (law->model == DR_LAB_PLANE_MESHLESS) {
        turn(p->d[0], p->c, law->step);
    } else {
        for (int a = 0; a < 2; a++) {
            p->d[0][a] = (p[1].x[a] - p[-1].x[a]) / plane->edge;
            p->x[a] = 0.5 * (p[1].x[a] + p[-1].x[a]);
        }
    }
    if (law->model == DR_LAB_PLANE_MESHLESS || law->model == DR_LAB_PLANE_WHOLE) flow(law, p);
}

bool dr_lab_plane_step(dr_lab_plane *plane)
{
    size_t count = point_count(plane);
    int range[2];
    if (!reach(plane, range)) return false;
    for (int i = range[0]; i < range[1]; i++) memset(plane->node + 3 * (size_t)(i * UP), 0, 3 * sizeof(double) * UP);
    load_points(plane);
    for (size_t i = 0; i < count; i++) give(plane, &plane->point[i]);
    move_nodes(plane, range);
    for (size_t i = 0; i < count; i++) {
        dr_lab_plane_point *p = &plane->point[i];
        take(plane, p);
        for (int a = 0; a < 2; a++) p->x[a] += plane->law.step * p->v[a];
    }
    for (size_t i = 0; i < count; i++) {
        if (plane->point[i].volume > 0.0) strain(plane, &plane->point[i]);
    }
    return true;
}

double dr_lab_plane_stretch(const dr_lab_plane *plane)
{
    size_t count = point_count(plane);
    double most = 0.0;
    for (size_t i = 0; i + 1 < count; i++) {
        if ((i + 1) % (size_t)plane->points == 0) continue;
        const double *a = plane->point[i].x, *b = plane->point[i + 1].x;
        most = fmax(most, hypot(b[0] - a[0], b[1] - a[1]) / (0.5 * plane->edge));
    }
    return most;
}
