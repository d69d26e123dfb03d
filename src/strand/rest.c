// Rest shapes: as drawn, of other points, in equilibrium under gravity, and the creep of plastic ones.
// docs/theory/rods.md, eq. (33)-(36).
#include "strand/strand.h"

#include "strand/scalar.h"
#include "strand/strain.h"

#include <string.h>

void dr_strands_rest_here(dr_strands *strands, int s)
{
    size_t first = (size_t)strands->first[s], count = (size_t)dr_strands_size(strands, s);
    dr_strain out = {strands->rest_length + first, strands->rest_curvature + 4 * first, NULL};
    dr_strain_measure(strands->position + 3 * first, strands->director + 3 * first, (int)count, &out);
    memcpy(strands->rest_twist + first, strands->twist + first, count * sizeof *strands->twist);
}

void dr_strands_rest_at(dr_strands *strands, int s, const double *points)
{
    size_t first = (size_t)strands->first[s];
    int edges = dr_strands_size(strands, s) - 1;
    double t[2][3], director[6]; // of the edge before, of this one
    for (int i = 0; i <= edges; i++) {
        size_t v = first + (size_t)i;
        strands->rest_twist[v] = strands->rest_length[v] = 0.0;
        memset(strands->rest_curvature + 4 * v, 0, 4 * sizeof(double));
        if (i == edges) break;
        strands->rest_length[v] = dr_scalar_tangent(points + 3 * i, t[1]);
        if (i == 0) {
            dr_scalar_across(t[1], NULL, director + 3);
        } else {
            dr_vec3_copy(director + 3, director);
            dr_scalar_transport(t[0], t[1], director + 3);
            dr_scalar_curvature(points + 3 * (i - 1), director, strands->rest_curvature + 4 * v);
        }
        dr_vec3_copy(t[0], t[1]);
        dr_vec3_copy(director, director + 3);
    }
}

// ---- hanging in equilibrium. (33)-(35)

// What the moments (a, b) about the second and minus first directors and the torque c of a vertex do to its edges:
// columns of dE/d(tangent) of e and f and of the turns of e and f.
typedef struct answer {
    double by_e[3][3], by_f[3][3], turn_e[3], turn_f[3];
} answer;

static void answer_to_direction(const double te[3], const double tf[3], const double we[3], const double wf[3],
                                double h, double by_e[3], double by_f[3])
{
    double w[3], across[3], sum[3], cross[3];
    for (int a = 0; a < 3; a++) w[a] = 0.5 * (we[a] + wf[a]);
    dr_vec3_cross(across, te, tf);
    dr_vec3_add(sum, te, tf);
    double back = -0.5 * h * h * dr_vec3_dot(w, across); // mean tangent = H/2 (te + tf)
    dr_vec3_cross(cross, tf, w);
    for (int a = 0; a < 3; a++) by_e[a] = h * cross[a] + back * sum[a];
    dr_vec3_cross(cross, w, te);
    for (int a = 0; a < 3; a++) by_f[a] = h * cross[a] + back * sum[a];
}

static bool answer_of_vertex(const dr_strands *strands, size_t v, answer *out)
{
    double t[2][3], first[2][3], second[2][3], kb[3], kappa[4], minus[2][3];
    for (size_t j = 0; j < 2; j++) {
        dr_scalar_tangent(strands->position + 3 * (v - 1 + j), t[j]);
        dr_vec3_copy(first[j], strands->director + 3 * (v - 1 + j));
        dr_vec3_cross(second[j], t[j], first[j]);
        dr_vec3_scale(minus[j], -1.0, first[j]);
    }
    double h = dr_scalar_binormal(t[0], t[1], kb);
    dr_scalar_curvature(strands->position + 3 * (v - 1), strands->director + 3 * (v - 1), kappa);
    answer_to_direction(t[0], t[1], second[0], second[1], h, out->by_e[0], out->by_f[0]);
    answer_to_direction(t[0], t[1], minus[0], minus[1], h, out->by_e[1], out->by_f[1]);
    for (int a = 0; a < 3; a++) out->by_e[2][a] = out->by_f[2][a] = 0.5 * kb[a];
    const double turn_e[3] = {0.5 * kappa[1], -0.5 * kappa[0], -1.0},
                 turn_f[3] = {0.5 * kappa[3], -0.5 * kappa[2], 1.0};
    dr_vec3_copy(out->turn_e, turn_e);
    dr_vec3_copy(out->turn_f, turn_f);
    return h < 50.0;
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    double cross[3];
    dr_vec3_cross(cross, b, c);
    return dr_vec3_dot(a, cross);
}

// x with x0 a + x1 b + x2 c = r.
static bool solve3(const double a[3], const double b[3], const double c[3], const double r[3], double x[3])
{
    double whole = determinant(a, b, c);
    if (!(fabs(whole) > 1e-12)) return false;
    x[0] = determinant(r, b, c) / whole;
    x[1] = determinant(a, r, c) / whole;
    x[2] = determinant(a, b, r) / whole;
    return true;
}

// The moments of vertex v that hold the edge after it: pull is what that edge has to bear, `next` what the vertex after
// it already gives (per tangent, and its turn).
static bool hold_edge(const dr_strands *strands, size_t v, const double pull[3], const double next[3], double next_turn,
                      const answer *here, double moments[3])
{
    double t[3], columns[3][3], right[3], second[3];
    const double *first = strands->director + 3 * v;
    double length = dr_scalar_tangent(strands->position + 3 * v, t);
    dr_vec3_cross(second, t, first);
    for (int k = 0; k < 3; k++) {
        columns[k][0] = dr_vec3_dot(here->by_f[k], first);
        columns[k][1] = dr_vec3_dot(here->by_f[k], second);
        columns[k][2] = here->turn_f[k];
    }
    right[0] = length * dr_vec3_dot(pull, first) - dr_vec3_dot(next, first);
    right[1] = length * dr_vec3_dot(pull, second) - dr_vec3_dot(next, second);
    right[2] = -next_turn;
    return solve3(columns[0], columns[1], columns[2], right, moments);
}

static void set_rest(dr_strands *strands, size_t v, const double moments[3])
{
    double kappa[4];
    dr_scalar_curvature(strands->position + 3 * (v - 1), strands->director + 3 * (v - 1), kappa);
    for (size_t k = 0; k < 4; k++)
        strands->rest_curvature[4 * v + k] = kappa[k] - 0.5 * moments[k & 1] / strands->bend[2 * v + (k & 1)];
    strands->rest_twist[v] = strands->twist[v] - moments[2] / strands->torsion[v];
}

bool dr_strands_rest_hanging(dr_strands *strands, int s, const double gravity[3])
{
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    double pull[3] = {0, 0, 0}, next[3] = {0, 0, 0}, next_turn = 0.0;
    if (last < first + 2 || !(strands->held[first] & DR_STRAND_TURN_HELD) || !strands->held[first + 1]) return false;
    for (size_t v = first + 2; v <= last; v++) {
        if (strands->held[v]) return false;
    }
    for (size_t v = last - 1; v > first; v--) {
        answer here;
        double moments[3], t[3];
        dr_vec3_add_scaled(pull, pull, strands->mass[v + 1], gravity);
        double length = dr_scalar_tangent(strands->position + 3 * v, t);
        strands->rest_length[v] = length - dr_vec3_dot(pull, t) / strands->stretch[v];
        if (!answer_of_vertex(strands, v, &here) || !hold_edge(strands, v, pull, next, next_turn, &here, moments))
            return false;
        set_rest(strands, v, moments);
        next_turn = dr_vec3_dot(here.turn_e, moments);
        for (int a = 0; a < 3; a++)
            next[a] = moments[0] * here.by_e[0][a] + moments[1] * here.by_e[1][a] + moments[2] * here.by_e[2][a];
    }
    return true;
}

// ---- creep. (36)

static void creep_pair(const double *bent, double *rest, double limit, double share)
{
    double away[2] = {bent[0] - rest[0], bent[1] - rest[1]}, size = hypot(away[0], away[1]);
    if (!(size > limit)) return;
    for (int k = 0; k < 2; k++) rest[k] += share * (1.0 - limit / size) * away[k];
}

void dr_strands_creep(dr_strands *strands, int s, double dt)
{
    const dr_strand_material *material = dr_strands_material(strands, s);
    if (!(material->yield > 0.0)) return;
    double share = -expm1(-material->yield_rate * dt);
    for (size_t v = (size_t)strands->first[s] + 1; v + 1 < (size_t)strands->first[s + 1]; v++) {
        double bent[4], length = 0.5 * (strands->rest_length[v - 1] + strands->rest_length[v]);
        double radius = fmax(strands->radius[2 * v], strands->radius[2 * v + 1]);
        dr_scalar_curvature(strands->position + 3 * (v - 1), strands->director + 3 * (v - 1), bent);
        for (size_t k = 0; k < 4; k += 2)
            creep_pair(bent + k, strands->rest_curvature + 4 * v + k, material->yield * length / radius, share);
    }
}
