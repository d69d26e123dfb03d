// Which element of cloth or yarn a rejected try would break, and how. docs/theory/codim.md, section 6.
#include "world/tuning.h"
#include "world/world.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>

// The larger is the worse.
typedef enum fault { SOUND, FAST, TORN, INVERTED, NOT_FINITE } fault;

typedef struct suspect {
    fault fault;
    double size; // cm/s; of what is torn its length over that before the step
    const dr_thin *thin;
    size_t element;
} suspect;

typedef struct looking {
    const dr_thin *thin;
    const float *solved; // [vertex][4] velocities that an implicit step found; NULL: the step is explicit
    double dt, slow;     // what is not faster is no fault, cm/s
} looking;

static bool are_finite(const float *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(value[i])) return false;
    }
    return true;
}

static bool is_finite(const dr_manifold *m, size_t e)
{
    size_t corners = (size_t)m->corners, across = 3 * (4 - corners);
    for (size_t k = 0; k < corners; k++) {
        size_t v = 3 * (size_t)m->index[corners * e + k];
        for (size_t a = v; a < v + 3; a++) {
            if (!isfinite(m->position[a])) return false;
        }
        if (!are_finite(m->velocity + v, 3) || !are_finite(m->force + v, 3)) return false;
    }
    for (size_t a = across * e; a < across * (e + 1); a++) {
        if (!isfinite(m->direction[a])) return false;
    }
    return true;
}

// As the step would end: what an implicit step found, or with the vertex's own force. (5.1)
static void find_velocity(const looking *job, size_t v, double out[3])
{
    const dr_manifold *m = job->thin->mesh;
    const float *solved = job->solved ? job->solved + 4 * v : NULL;
    bool known = solved && are_finite(solved, 3);
    double push = solved ? 0.0 : job->dt / (double)m->mass[v];
    for (size_t a = 0; a < 3; a++)
        out[a] = known ? (double)solved[a] : (double)m->velocity[3 * v + a] + push * (double)m->force[3 * v + a];
}

// The columns of G along an element with its corners there; a segment has one.
static void find_columns(const dr_manifold *m, size_t e, double x[3][3], double out[2][3])
{
    double rest[4];
    dr_manifold_rest(m, e, rest);
    for (int a = 0; a < 3; a++) {
        double e1 = x[1][a] - x[0][a], e2 = x[2][a] - x[0][a];
        out[0][a] = m->corners == 2 ? rest[0] * e1 : e1 * rest[0] + e2 * rest[2];
        out[1][a] = m->corners == 2 ? 0.0 : e1 * rest[1] + e2 * rest[3];
    }
}

// Of the element where it is and where the try would take it; the largest speed of its corners.
static double compare(const looking *job, size_t e, double now[2][3], double then[2][3])
{
    const dr_manifold *m = job->thin->mesh;
    double x[3][3] = {{0.0}}, y[3][3] = {{0.0}}, v[3], most = 0.0;
    for (int k = 0; k < m->corners; k++) {
        size_t corner = m->index[(size_t)m->corners * e + (size_t)k];
        find_velocity(job, corner, v);
        most = fmax(most, dr_vec3_length(v));
        dr_vec3_copy(x[k], m->position + 3 * corner);
        dr_vec3_add_scaled(y[k], x[k], job->dt, v);
    }
    find_columns(m, e, x, now);
    find_columns(m, e, y, then);
    return most;
}

// r11 r22, or r11 of a segment, would change its sign, as seen along the element where it is.
static bool inverts(const dr_manifold *m, double now[2][3], double then[2][3])
{
    double before[3], after[3];
    if (m->corners == 2) return dr_vec3_dot(now[0], then[0]) < 0.0;
    dr_vec3_cross(before, now[0], now[1]);
    dr_vec3_cross(after, then[0], then[1]);
    return dr_vec3_dot(before, after) < 0.0;
}

static suspect examine(const looking *job, size_t e)
{
    const dr_manifold *m = job->thin->mesh;
    suspect found = {.thin = job->thin, .element = e};
    double now[2][3], then[2][3], stretch = 0.0;
    if (!is_finite(m, e)) {
        found.fault = NOT_FINITE;
        return found;
    }
    double speed = compare(job, e, now, then);
    for (int j = 0; j < m->corners - 1; j++)
        stretch = fmax(stretch, dr_vec3_length(then[j]) / fmax(dr_vec3_length(now[j]), 1.0));
    if (inverts(m, now, then))
        found.fault = INVERTED;
    else if (stretch > DR_CLOTH_TORN)
        found.fault = TORN;
    else if (speed > job->slow)
        found.fault = FAST;
    found.size = found.fault == TORN ? stretch : speed;
    return found;
}

static suspect find_worst(const dr_world *world, double dt, double slow)
{
    suspect worst = {.fault = SOUND};
    const dr_cloth_stage *stage = &world->cloth;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const looking job = {&stage->thin[i], stage->solve.on ? stage->solve.value[i] : NULL, dt, slow};
        for (size_t e = 0; dr_thin_is_present(job.thin) && e < job.thin->mesh->elements; e++) {
            suspect one = examine(&job, e);
            if (one.fault > worst.fault || (one.fault == worst.fault && one.size > worst.size)) worst = one;
        }
    }
    return worst;
}

// ---- words

static int write_triangle(const dr_world *world, const suspect *of, char *text, size_t room)
{
    const dr_manifold *m = of->thin->mesh;
    const uint32_t *corner = m->index + 3 * of->element, *number = world->cloth.number;
    const dr_thin_entry *entry = &of->thin->entries[m->body[of->element]];
    size_t first = entry->vertex;
    return snprintf(text, room, "triangle %zu of cloth \"%.60s\" (vertices %zu, %zu, %zu)",
                    of->element - entry->element + 1, entry->name, number[corner[0]] - first + 1,
                    number[corner[1]] - first + 1, number[corner[2]] - first + 1);
}

static int write_segment(const dr_world *world, const suspect *of, char *text, size_t room)
{
    const dr_manifold *m = of->thin->mesh;
    const dr_cloth_stage *stage = &world->cloth;
    const uint32_t *ends = m->index + 2 * of->element;
    const char *name = of->thin->entries[m->body[of->element]].name;
    size_t strand = 0, curve = 0;
    while (curve + 1 < stage->curve_count && stage->curves[curve + 1] <= ends[0]) curve++;
    if (ends[1] >= stage->curves[curve + 1] || ends[1] < stage->curves[curve])
        return snprintf(text, room, "a thread of the seam of strands \"%.60s\"", name);
    for (size_t c = 0; c <= curve; c++) strand += stage->curve_body[c] == stage->curve_body[curve];
    return snprintf(text, room, "segment %zu of strand %zu of \"%.60s\"", (size_t)(ends[0] - stage->curves[curve]) + 1,
                    strand, name);
}

static void write_fault(const suspect *of, char *text, size_t room)
{
    if (of->fault == NOT_FINITE)
        snprintf(text, room, " is not finite");
    else if (of->fault == INVERTED)
        snprintf(text, room, " would invert");
    else if (of->fault == TORN)
        snprintf(text, room, " would be torn to %.3g times its length", of->size);
    else
        snprintf(text, room, " has %.3g cm/s", of->size);
}

void dr_cloth_fault_tell(dr_world *world, dr_try *attempt, double slow)
{
    char *text = world->cloth.fault;
    const size_t room = sizeof world->cloth.fault;
    const suspect worst = find_worst(world, attempt->dt, slow);
    if (worst.fault == SOUND) return;
    int used = snprintf(text, room, "%s: ", attempt->reason);
    used += worst.thin->mesh->corners == 3 ? write_triangle(world, &worst, text + used, room - (size_t)used)
                                           : write_segment(world, &worst, text + used, room - (size_t)used);
    write_fault(&worst, text + used, room - (size_t)used);
    attempt->reason = text;
}
