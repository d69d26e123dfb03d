// Which element of cloth or yarn a try would break, and how: the try is rejected, or it was for another reason and the
// element is named. docs/theory/codim.md, section 6.
#include "world/tuning.h"
#include "world/world.h"

#include "math/vec.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 1024 // elements

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
    const float *solved; // [vertex][4] velocities that an implicit step ends with; NULL: it is explicit
    double dt, slow;     // what is not faster is no fault, cm/s
    bool strict;         // only what was sound can invert
    bool going;          // `force` has the velocities at the end of the step
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

// As the step would end; where that is not known with the vertex's own force. (5.1)
static void find_velocity(const looking *job, size_t v, double out[3])
{
    const dr_manifold *m = job->thin->mesh;
    const float *solved = job->solved ? job->solved + 4 * v : NULL;
    bool known = solved && are_finite(solved, 3);
    if (job->going) {
        for (size_t a = 0; a < 3; a++) out[a] = (double)m->force[3 * v + a];
        return;
    }
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

// Of no angle above 120 degrees: what has a larger one can turn over between any two steps. (6.5)
static bool is_sound(const dr_manifold *m, size_t e)
{
    for (size_t k = 0; k < (size_t)m->corners && m->corners == 3; k++) {
        const double *x = m->position + 3 * (size_t)m->index[3 * e + k];
        double a[3], b[3];
        dr_vec3_sub(a, m->position + 3 * (size_t)m->index[3 * e + (k + 1) % 3], x);
        dr_vec3_sub(b, m->position + 3 * (size_t)m->index[3 * e + (k + 2) % 3], x);
        if (dr_vec3_dot(a, b) < -0.5 * dr_vec3_length(a) * dr_vec3_length(b)) return false;
    }
    return true;
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
    if (inverts(m, now, then) && (!job->strict || is_sound(m, e)))
        found.fault = INVERTED;
    else if (stretch > DR_CLOTH_TORN)
        found.fault = TORN;
    else if (speed > job->slow)
        found.fault = FAST;
    found.size = found.fault == TORN ? stretch : speed;
    return found;
}

static void find_worst_of(const looking *job, suspect *worst)
{
    for (size_t e = 0; e < job->thin->mesh->elements; e++) {
        suspect one = examine(job, e);
        if (one.fault > worst->fault || (one.fault == worst->fault && one.size > worst->size)) *worst = one;
    }
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

static void name(dr_world *world, dr_try *attempt, const suspect *worst)
{
    char *text = world->cloth.fault;
    const size_t room = sizeof world->cloth.fault;
    int used = snprintf(text, room, "%s: ", attempt->reason);
    used += worst->thin->mesh->corners == 3 ? write_triangle(world, worst, text + used, room - (size_t)used)
                                            : write_segment(world, worst, text + used, room - (size_t)used);
    write_fault(worst, text + used, room - (size_t)used);
    attempt->reason = text;
}

void dr_cloth_fault_tell(dr_world *world, dr_try *attempt, double slow)
{
    suspect worst = {.fault = SOUND};
    const dr_cloth_stage *stage = &world->cloth;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const looking job = {
            &stage->thin[i], stage->solve.on ? stage->solve.value[i] : NULL, attempt->dt, slow, false, false};
        if (dr_thin_is_present(job.thin)) find_worst_of(&job, &worst);
    }
    if (worst.fault != SOUND) name(world, attempt, &worst);
}

// ---- what no step may do

typedef struct breaking {
    looking look;
    float *value; // [vertex][3]
    atomic_bool found;
} breaking;

static void take_velocity(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    (void)gradient;
    const breaking *job = user;
    for (size_t i = 0; i < count; i++) {
        size_t v = dr_residents_point(&job->look.thin->vertices.residents, first + i);
        for (size_t a = 0; a < 3; a++) job->value[3 * v + a] = value[i][a];
    }
}

static void look_for_broken(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    breaking *job = user;
    for (size_t e = begin; e < end; e++) {
        fault found = examine(&job->look, e).fault;
        if (found == TORN || found == INVERTED) atomic_store_explicit(&job->found, true, memory_order_relaxed);
    }
}

// In place of forces, which are on nodes by now.
static void find_going(dr_world *world, breaking *job)
{
    job->value = job->look.thin->mesh->force;
    job->look.going = true;
    dr_cloth_stage_visit(world, &(dr_transfer_visit){.places = dr_transfer_point_places(&job->look.thin->vertices),
                                                     .call = take_velocity,
                                                     .user = job});
}

typedef struct drift {
    dr_world *world;
    float velocity[3];
} drift;

static void judge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const drift *job = user;
    for (size_t b = begin; b < end; b++) {
        const float *node = job->world->node + 4 * DR_BLOCK_NODES * b;
        float most = 0.0F;
        for (size_t n = 0; n < 4 * DR_BLOCK_NODES; n += 4) {
            float x = node[n + 1] - job->velocity[0], y = node[n + 2] - job->velocity[1],
                  z = node[n + 3] - job->velocity[2];
            most = node[n] > 0.0F ? fmaxf(most, x * x + y * y + z * z) : most;
        }
        job->world->partial[b] = (double)most;
    }
}

// Beside what the mesh has somewhere: what all of it has does not strain it. (6.5)
static double fastest_beside(dr_world *world, const dr_manifold *m, double fastest)
{
    if (world->constants.bodies_meet_liquid) return fastest;
    drift job = {world, {m->velocity[0], m->velocity[1], m->velocity[2]}};
    double most = 0.0;
    dr_par_for(&world->par, world->grid.block_count, 64, judge_blocks, &job);
    for (size_t b = 0; b < world->grid.block_count; b++) most = fmax(most, world->partial[b]);
    return fmin(fastest, sqrt(most));
}

static bool may_break(dr_world *world, const dr_thin *thin, double dt, double fastest)
{
    double most = DR_CLOTH_SOUND * world->grid.cell / dt;
    return world->cloth.solve.on || (fastest > most && fastest_beside(world, thin->mesh, fastest) > most);
}

void dr_cloth_fault_judge(dr_world *world, dr_try *attempt, double fastest)
{
    const dr_cloth_stage *stage = &world->cloth;
    for (int i = 0; i < DR_THIN_COUNT && !attempt->rejected; i++) {
        breaking job = {.look = {&stage->thin[i], stage->solve.on ? stage->solve.value[i] : NULL, attempt->dt, INFINITY,
                                 true, false}};
        if (!dr_thin_is_present(job.look.thin) || !may_break(world, job.look.thin, attempt->dt, fastest)) continue;
        if (!stage->solve.on) find_going(world, &job);
        dr_par_for(&world->par, job.look.thin->mesh->elements, CHUNK, look_for_broken, &job);
        if (!atomic_load(&job.found)) continue;
        attempt->rejected = true;
        attempt->reason = "an element breaks";
        suspect worst = {.fault = SOUND};
        find_worst_of(&job.look, &worst);
        name(world, attempt, &worst);
    }
    if (attempt->rejected) dr_cloth_stage_pull(world); // for the next try
}
