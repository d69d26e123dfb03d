// Strands: memory, frames, masses and stiffnesses, budgets. docs/theory/rods.md, eq. (1)-(4), (8)-(11).
#include "strand/strand.h"

#include "base/number.h"
#include "base/memory.h"
#include "math/vec.h"
#include "strand/scalar.h"

#include <string.h>

#define COLUMN(member, components, unit, doc)                                                                          \
    {                                                                                                                  \
#member, offsetof(dr_strands, member), DR_TYPE_FLOAT64, components, unit, doc                                  \
    }

static const dr_column state_columns[] = {
    COLUMN(position, 3, "cm", "place"),
    COLUMN(velocity, 3, "cm/s", "velocity"),
    COLUMN(director, 3, "", "first director of the edge"),
    COLUMN(spin, 1, "1/s", "of the edge about itself"),
    COLUMN(twist, 1, "", "between the frames of two edges"),
    COLUMN(acceleration, 3, "cm/s2", "as the last step left it"),
    COLUMN(spin_rate, 1, "1/s2", "of the edge about itself"),
    COLUMN(rest_length, 1, "cm", "of the edge"),
    COLUMN(rest_curvature, 4, "", "seen from both edges"),
    COLUMN(rest_twist, 1, "", "between the frames of two edges"),
    COLUMN(film_height, 1, "cm", "of the liquid on it"),
    COLUMN(slip, 1, "cm/s", "relative to liquid around it, 0 in air"),
    COLUMN(form_drag, 1, "", "what of its own drag's thrust on the liquid around is pressure, 0 where nobody knows"),
};

static const dr_column made_columns[] = {
    COLUMN(radius, 2, "cm", "semi-axes"),
    COLUMN(mass, 1, "g", "of the vertex"),
    COLUMN(inertia, 1, "g cm2", "of the edge about itself"),
    COLUMN(stretch, 1, "dyn/cm", "stiffness"),
    COLUMN(bend, 2, "dyn cm", "stiffness"),
    COLUMN(torsion, 1, "dyn cm", "stiffness"),
    {"held", offsetof(dr_strands, held), DR_TYPE_UINT8, 1, "", "by a script"},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

const dr_column_table dr_strand_state = {state_columns, COUNT(state_columns)};
static const dr_column each_columns[] = {
    {"first", offsetof(dr_strands, first), DR_TYPE_INT32, 1, "", "first vertex"},
    {"body", offsetof(dr_strands, body), DR_TYPE_INT32, 1, "", "which kind of strand it is"},
};
static const dr_column step_columns[] = {
    {"calm", offsetof(dr_strands, calm), DR_TYPE_INT32, 1, "", "steps it went by itself"},
};
const dr_column_table dr_strand_steps = {step_columns, COUNT(step_columns)};
static const dr_column_table each = {each_columns, COUNT(each_columns)};
static const dr_column_table made = {made_columns, COUNT(made_columns)};

bool dr_strands_reserve(dr_strands *strands, const dr_allocator *allocator, int count, size_t vertices)
{
    bool fresh = !strands->first;
    if (!dr_columns_reserve(&each, strands, allocator, &strands->strand_capacity, (size_t)count + 1)) return false;
    if (fresh) strands->first[0] = 0;
    return dr_columns_reserve(&dr_strand_steps, strands, allocator, &strands->calm_capacity, (size_t)count) &&
           dr_columns_reserve(&dr_strand_state, strands, allocator, &strands->state_capacity, vertices) &&
           dr_columns_reserve(&made, strands, allocator, &strands->made_capacity, vertices);
}

void dr_strands_free(dr_strands *strands, const dr_allocator *allocator)
{
    dr_columns_free(&each, strands, allocator, &strands->strand_capacity);
    dr_columns_free(&dr_strand_steps, strands, allocator, &strands->calm_capacity);
    dr_columns_free(&dr_strand_state, strands, allocator, &strands->state_capacity);
    dr_columns_free(&made, strands, allocator, &strands->made_capacity);
    memset(strands, 0, sizeof *strands);
}

// ---- the order of its steps

// After contact a strand goes by one stage for so many steps: what touches once mostly touches again, and a strand that
// is found in contact costs its step anew. Half: more steps are made twice; twice: more damping after a touch.
#define SHY 32

void dr_strands_count(dr_strands *strands, int s, bool touched)
{
    if (touched)
        strands->calm[s] = 1 - SHY;
    else if (strands->calm[s] < 1)
        strands->calm[s]++;
}

// ---- frames

void dr_strands_frame(dr_strands *strands, int s, const double hint[3])
{
    size_t first = (size_t)strands->first[s];
    int edges = dr_strands_size(strands, s) - 1;
    double t[3], before[3], director[3] = {0, 0, 0};
    for (int i = 0; i < edges; i++) {
        size_t v = first + (size_t)i;
        dr_scalar_tangent(strands->position + 3 * v, t);
        if (i == 0)
            dr_scalar_across(t, hint, director);
        else
            dr_scalar_transport(before, t, director);
        dr_vec3_copy(strands->director + 3 * v, director);
        dr_vec3_copy(before, t);
        strands->twist[v] = 0.0;
    }
    dr_vec3_set(strands->director + 3 * (first + (size_t)edges), 0.0, 0.0, 0.0);
    strands->twist[first + (size_t)edges] = 0.0;
}

void dr_strands_follow(dr_strands *strands, int s)
{
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    double t[2][3];
    for (size_t v = first; v < last; v++) {
        double *director = strands->director + 3 * v;
        dr_scalar_tangent(strands->position + 3 * v, t[1]);
        dr_scalar_across(t[1], director, director);
        if (v > first) strands->twist[v] = dr_scalar_twist(t[0], director - 3, t[1], director, strands->twist[v]);
        dr_vec3_copy(t[0], t[1]);
    }
}

// ---- masses and stiffnesses. (8)-(11)

typedef struct section {
    double area, along[2], polar, torsion; // a b pi; second moments for kappa_1, kappa_2; of inertia; Saint-Venant's
} section;

static section cut(const double radius[2])
{
    double a = radius[0], b = radius[1], area = DR_PI * a * b;
    return (section){area,
                     {0.25 * area * a * a, 0.25 * area * b * b},
                     0.25 * area * (a * a + b * b),
                     area * a * a * b * b / (a * a + b * b)};
}

static void stiffen_vertex(dr_strands *strands, const dr_strand_material *material, size_t v, const section *before,
                           const section *after)
{
    double length = 0.5 * (strands->rest_length[v - 1] + strands->rest_length[v]), solid = 1.0 - material->slack;
    for (int k = 0; k < 2; k++)
        strands->bend[2 * v + (size_t)k] =
            solid * material->young * 0.5 * (before->along[k] + after->along[k]) / (2.0 * length);
    strands->torsion[v] = solid * material->shear * 0.5 * (before->torsion + after->torsion) / length;
}

void dr_strands_stiffen(dr_strands *strands, int s)
{
    const dr_strand_material *material = dr_strands_material(strands, s);
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    for (size_t v = first; v <= last; v++) {
        strands->mass[v] = strands->inertia[v] = strands->stretch[v] = strands->torsion[v] = 0.0;
        strands->bend[2 * v] = strands->bend[2 * v + 1] = 0.0;
    }
    section before = {0};
    for (size_t v = first; v < last; v++) {
        section here = cut(strands->radius + 2 * v);
        double length = strands->rest_length[v], mass = material->density * here.area * length;
        strands->mass[v] += 0.5 * mass;
        strands->mass[v + 1] += 0.5 * mass;
        strands->inertia[v] = material->density * here.polar * length;
        strands->stretch[v] = material->young * here.area / length;
        if (v > first) stiffen_vertex(strands, material, v, &before, &here);
        before = here;
    }
}

int dr_strands_add(dr_strands *strands, const double *points, int count, const double radius[2], int body)
{
    int s = strands->count++;
    size_t first = (size_t)strands->first[s];
    strands->first[s + 1] = strands->first[s] + count;
    strands->vertices += (size_t)count;
    strands->body[s] = body;
    strands->calm[s] = 1;
    strands->calm_count = (size_t)s + 1;
    memcpy(strands->position + 3 * first, points, 3 * (size_t)count * sizeof *points);
    for (size_t v = first; v < first + (size_t)count; v++) {
        dr_vec3_set(strands->velocity + 3 * v, 0.0, 0.0, 0.0);
        dr_vec3_set(strands->acceleration + 3 * v, 0.0, 0.0, 0.0);
        strands->spin[v] = strands->spin_rate[v] = strands->film_height[v] = strands->slip[v] = strands->form_drag[v] =
            0.0;
        strands->radius[2 * v] = radius[0];
        strands->radius[2 * v + 1] = radius[1];
        strands->held[v] = 0;
    }
    dr_strands_frame(strands, s, NULL);
    dr_strands_rest_here(strands, s);
    dr_strands_stiffen(strands, s);
    return s;
}

// ---- budgets

double dr_strands_elastic_energy(const dr_strands *strands, int s)
{
    size_t first = (size_t)strands->first[s];
    int count = dr_strands_size(strands, s);
    double sum = 0.0;
    for (int i = 0; i + 1 < count; i++) {
        size_t v = first + (size_t)i;
        double curvature[4], length = dr_scalar_length(strands->position + 3 * v),
                             strain = length - strands->rest_length[v];
        sum += 0.5 * strands->stretch[v] * strain * strain;
        if (i == 0) continue;
        dr_scalar_curvature(strands->position + 3 * (v - 1), strands->director + 3 * (v - 1), curvature);
        for (size_t k = 0; k < 4; k++) {
            double bent = curvature[k] - strands->rest_curvature[4 * v + k];
            sum += 0.5 * strands->bend[2 * v + (k & 1)] * bent * bent;
        }
        double twisted = strands->twist[v] - strands->rest_twist[v];
        sum += 0.5 * strands->torsion[v] * twisted * twisted;
    }
    return sum;
}

void dr_strands_add_motion(const dr_strands *strands, int s, dr_rigid_sum *sum)
{
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    for (size_t v = first; v <= last; v++) {
        double r[3], u[3], t[3];
        dr_rigid_sum_place(sum, strands->position + 3 * v, r);
        dr_rigid_sum_velocity(sum, strands->velocity + 3 * v, u);
        dr_rigid_sum_add_point(sum, strands->mass[v], r, u);
        if (v == last) break;
        dr_scalar_tangent(strands->position + 3 * v, t);
        dr_rigid_sum_add_spin(sum, strands->inertia[v], strands->spin[v], t);
    }
}

void dr_strands_budget(const dr_strands *strands, int s, const double gravity[3], dr_strand_budget *sum)
{
    dr_rigid_sum motion = {0};
    dr_strands_add_motion(strands, s, &motion);
    sum->mass += motion.mass;
    dr_vec3_add(sum->linear, sum->linear, motion.linear);
    dr_vec3_add(sum->angular, sum->angular, motion.angular);
    sum->kinetic += motion.kinetic;
    sum->potential -= dr_vec3_dot(gravity, motion.first);
    sum->elastic += dr_strands_elastic_energy(strands, s);
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++)
        sum->speed = fmax(sum->speed, dr_vec3_length(strands->velocity + 3 * v));
}
