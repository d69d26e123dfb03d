// Contacts that are springs, and cones among them: conjugate gradients on (S + C) r = -v over springs and what cones
// hold, docs/theory/contact.md eq. (15), (39). The answer of a strand to its springs is solved for, so that no column
// of its compliance is kept but those of cones.
#include "contact/springs.h"

#include <string.h>

// Of three numbers per row, of springs the first alone: impulse, what is left, the same preconditioned, direction, its
// image, compliance, diagonal. A diagonal of 0: not free.
enum { IMPULSE, REST, SCALED, WAY, IMAGE, SOFT, DIAGONAL, VECTORS };

// How many numbers of a row change.
static size_t parts_of(const dr_contact_solver *s, size_t i)
{
    return s->spring_places[i].spring ? 1 : 3;
}

static void fill_pull(const dr_contact_host *h, const dr_contact *contact, size_t row, dr_contact_pull *out)
{
    *out = (dr_contact_pull){.row = row, .spring = contact->spring};
    memcpy(out->frame, contact->frame, sizeof out->frame);
    for (int corner = 0; corner < 4; corner++) {
        if (contact->strand[corner / 2] != h->strand) continue;
        out->vertex[corner / 2] = contact->vertex[corner / 2];
        out->weight[corner] = corner < 2 ? dr_rows_share(contact, corner) : -dr_rows_share(contact, corner);
    }
}

// Adds the impulse of one part to a lane of right-hand sides.
static void push_part(const dr_contact_pull *p, const double impulse[3], int first, int lane, double *block)
{
    for (int corner = 0; corner < 4; corner++) {
        if (p->weight[corner] == 0.0) continue;
        double *at = block + 4 * (p->vertex[corner / 2] + corner % 2 - first) * DR_ROWS_LANES + lane;
        for (int a = 0; a < 3; a++) {
            double sum = p->frame[a] * impulse[0];
            if (!p->spring) sum += p->frame[3 + a] * impulse[1] + p->frame[6 + a] * impulse[2];
            at[a * DR_ROWS_LANES] += p->weight[corner] * sum;
        }
    }
}

// Solves, and hands a lane's answer of touched vertices on.
static void read_lane(const dr_contact_solver *s, const dr_contact_host *h, const double *block, int lane, double *to)
{
    const int first = s->compliance->first[h->strand], length = s->compliance->first[h->strand + 1] - first;
    for (int v = 0; v < length; v++) {
        int32_t slot = s->slot[first + v];
        for (int a = 0; a < 3 && slot >= 0; a++) to[3 * slot + a] = block[(4 * v + a) * DR_ROWS_LANES + lane];
    }
}

// The answers to a cone along each axis of its frame, as relaxation needs them. (13)
static void fill_cone(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact_pull *p, double *block,
                      double *answer)
{
    const dr_compliance *c = s->compliance;
    const int first = c->first[h->strand], length = c->first[h->strand + 1] - first;
    memset(block, 0, (size_t)length * 4 * DR_ROWS_LANES * sizeof *block);
    memset(answer, 0, 3 * h->stride * sizeof *answer);
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {axis == 0, axis == 1, axis == 2};
        push_part(p, unit, first, axis, block);
    }
    c->solve(c->self, h->strand, 0, block);
    for (int axis = 0; axis < 3; axis++) read_lane(s, h, block, axis, answer + (size_t)axis * h->stride);
}

void dr_springs_fill(dr_contact_solver *s, const dr_contact_host *h, double *block, double *matrix)
{
    dr_rows_fill_matrix(s, h, block, matrix);
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        size_t row = s->uses[k] / 2, part = s->uses[k] % 2;
        const dr_contact *contact = &s->contacts[s->order[row]];
        fill_pull(h, contact, row, &s->pulls[k]);
        if (!contact->spring) fill_cone(s, h, &s->pulls[k], block, s->rows[row].answer[part]);
    }
    dr_spring_groups_fill(s, h, matrix);
}

// ---- what a strand answers is solved for

static double *vector(const dr_contact_solver *s, int which)
{
    return s->vectors + 3 * (size_t)which * s->count;
}

// The changes of a strand by the impulses job->out of all rows.
static void answer_springs(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    const dr_compliance *c = s->compliance;
    double *block = s->block + s->block_size * (size_t)thread;
    for (size_t i = begin; i < end; i++) {
        const dr_contact_host *h = &s->hosts[i];
        int first = c->first[h->strand], length = c->first[h->strand + 1] - first, from = 0;
        memset(block, 0, (size_t)length * 4 * DR_ROWS_LANES * sizeof *block);
        for (const dr_contact_pull *p = s->pulls + h->uses; p < s->pulls + h->uses + h->use_count; p++)
            push_part(p, job->out + 3 * p->row, first, 0, block);
        while (s->slot[first + from] < 0) from++;
        c->solve(c->self, h->strand, from, block);
        read_lane(s, h, block, 0, s->changes + h->change);
    }
}

static void answer_all(dr_contact_solver *s, const dr_par *par, double *impulses)
{
    dr_rows_job job = {.solver = s, .out = impulses};
    dr_par_for(par, s->host_count, 4, answer_springs, &job);
}

void dr_springs_start(dr_contact_solver *s, const dr_par *par)
{
    for (size_t i = 0; i < s->count; i++) {
        dr_rows_beyond_applied(&s->contacts[s->order[i]], vector(s, WAY) + 3 * i);
    }
    answer_all(s, par, vector(s, WAY));
}

bool dr_springs_reserve(dr_contact_solver *s)
{
    return dr_memory_reserve(s->allocator, (void **)&s->vectors, &s->vector_capacity, 3 * VECTORS * s->count,
                             sizeof *s->vectors) &&
           dr_memory_reserve(s->allocator, (void **)&s->spring_places, &s->spring_place_capacity, s->count,
                             sizeof *s->spring_places) &&
           dr_memory_reserve(s->allocator, (void **)&s->pulls, &s->pull_capacity, 2 * s->count, sizeof *s->pulls);
}

// ---- conjugate gradients on (S + C) r = -v, the diagonal as preconditioner

// What of a row is free: a spring's normal; of a cone that sticks everything, of one that slides the normal, of an open
// one nothing. (39)
static void find_free_parts(const dr_contact_row *row, double diagonal[3])
{
    const double *r = row->impulse;
    dr_vec3_set(diagonal, 0.0, 0.0, 0.0);
    if (!(row->scale > 0.0)) return;
    if (row->spring || r[0] > 0.0) diagonal[0] = row->w[0] + row->compliance;
    bool sticks = !row->spring && r[0] > 0.0 && hypot(r[1], r[2]) < (1.0 - 1e-9) * row->friction * r[0];
    if (sticks) {
        diagonal[1] = row->w[3];
        diagonal[2] = row->w[5];
    }
}

static void begin_row(const dr_contact_solver *s, size_t i)
{
    const dr_contact_row *row = &s->rows[i];
    dr_spring_place *place = &s->spring_places[i];
    double v[3], *diagonal = vector(s, DIAGONAL) + 3 * i, *rest = vector(s, REST) + 3 * i;
    *place = (dr_spring_place){.spring = row->spring};
    dr_vec3_copy(place->normal, row->frame);
    memcpy(place->weight, row->weight, sizeof place->weight);
    memcpy(place->change, row->change, sizeof place->change);
    dr_rows_read_velocity(row, v);
    find_free_parts(row, diagonal);
    for (size_t a = 0; a < 3; a++) {
        double soft = a == 0 ? row->compliance : 0.0;
        rest[a] = diagonal[a] > 0.0 ? -(v[a] + soft * row->impulse[a]) : 0.0;
        vector(s, SOFT)[3 * i + a] = soft;
        vector(s, WAY)[3 * i + a] = vector(s, SCALED)[3 * i + a] = vector(s, IMAGE)[3 * i + a] = 0.0;
        vector(s, IMPULSE)[3 * i + a] = row->impulse[a];
    }
}

static void begin_springs(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t i = begin; i < end; i++) begin_row(((dr_rows_job *)user)->solver, i);
}

// Preconditions cones by their diagonal, and sums rest times preconditioned rest.
static void precondition(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        const double *rest = vector(s, REST) + 3 * i, *diagonal = vector(s, DIAGONAL) + 3 * i;
        double *scaled = vector(s, SCALED) + 3 * i;
        for (size_t a = 0; a < 3 && !s->spring_places[i].spring; a++)
            scaled[a] = diagonal[a] > 0.0 ? rest[a] / diagonal[a] : 0.0;
        for (size_t a = 0; a < parts_of(s, i); a++) sum += rest[a] * scaled[a];
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

static void turn_way(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 3 * i; k < 3 * i + parts_of(s, i); k++)
            vector(s, WAY)[k] = vector(s, SCALED)[k] + job->share * vector(s, WAY)[k];
    }
}

static double read_normal(const dr_spring_place *place)
{
    double change[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        if (place->change[corner]) dr_vec3_add_scaled(change, change, place->weight[corner], place->change[corner]);
    }
    return dr_vec3_dot(place->normal, change);
}

// The image of the direction, and its product with it.
static void find_image(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        double change[3];
        if (s->spring_places[i].spring)
            change[0] = read_normal(&s->spring_places[i]);
        else
            dr_rows_read_change(&s->rows[i], change);
        for (size_t k = 3 * i; k < 3 * i + parts_of(s, i); k++) {
            bool open = vector(s, DIAGONAL)[k] > 0.0;
            vector(s, IMAGE)[k] = open ? change[k - 3 * i] + vector(s, SOFT)[k] * vector(s, WAY)[k] : 0.0;
            sum += vector(s, WAY)[k] * vector(s, IMAGE)[k];
        }
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

// Goes along the direction by job->share, and sums the squares of what is left.
static void advance_springs(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 3 * i; k < 3 * i + parts_of(s, i); k++) {
            double *rest = &vector(s, REST)[k];
            vector(s, IMPULSE)[k] += job->share * vector(s, WAY)[k];
            *rest -= job->share * vector(s, IMAGE)[k];
            sum += *rest * *rest;
        }
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

static double sum_over(dr_contact_solver *s, const dr_par *par, dr_par_body body, double share)
{
    dr_rows_job job = {.solver = s, .out = s->partial, .share = share};
    dr_par_for(par, s->count, DR_ROWS_GRAIN, body, &job);
    return dr_par_sum(s->partial, (s->count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN);
}

// How far along its direction a cone that holds goes before it would hold no longer, at most `far`.
static double feasible(const double r[3], double mu, const double way[3], double far)
{
    if (way[0] < 0.0) far = fmin(far, -r[0] / way[0]);
    if (way[1] == 0.0 && way[2] == 0.0) return far;
    double a = way[1] * way[1] + way[2] * way[2] - mu * mu * way[0] * way[0];
    double b = r[1] * way[1] + r[2] * way[2] - mu * mu * r[0] * way[0];
    double c = r[1] * r[1] + r[2] * r[2] - mu * mu * r[0] * r[0], under = b * b - a * c;
    if (under < 0.0 || c >= 0.0) return far;
    double q = b + copysign(sqrt(under), b), first = -q / a, second = -c / q;
    if (first > 0.0) far = fmin(far, first);
    if (second > 0.0) far = fmin(far, second);
    return far;
}

static double find_feasible(const dr_contact_solver *s, double far)
{
    for (size_t i = 0; i < s->count; i++) {
        const double *r = vector(s, IMPULSE) + 3 * i;
        if (!s->spring_places[i].spring && r[0] > 0.0)
            far = feasible(r, s->rows[i].friction, vector(s, WAY) + 3 * i, far);
    }
    return far;
}

// Conjugate gradients over what is free, until less than `limit` is left of it; then the velocities of where that came
// to.
static void descend(dr_contact_solver *s, const dr_par *par, int most, double limit, int *iterations)
{
    dr_rows_job job = {.solver = s};
    double before = 1.0, left = INFINITY;
    bool all_the_way = true;
    dr_par_for(par, s->count, DR_ROWS_GRAIN, begin_springs, &job);
    for (int k = 0; left > limit && k < most && all_the_way; k++, (*iterations)++) {
        dr_spring_groups_solve(s, par, vector(s, REST), vector(s, SCALED));
        double product = sum_over(s, par, precondition, 0.0);
        job.share = k ? product / before : 0.0;
        dr_par_for(par, s->count, DR_ROWS_GRAIN, turn_way, &job);
        answer_all(s, par, vector(s, WAY));
        double curvature = sum_over(s, par, find_image, 0.0);
        if (!(curvature > 0.0)) break;
        double whole = product / curvature, far = find_feasible(s, whole);
        all_the_way = far == whole;
        left = sqrt(sum_over(s, par, advance_springs, far) / (double)s->count);
        before = product;
    }
    for (size_t i = 0; i < s->count; i++) {
        dr_vec3_copy(s->rows[i].impulse, vector(s, IMPULSE) + 3 * i);
        dr_vec3_copy(s->contacts[s->order[i]].impulse, s->rows[i].impulse);
    }
    dr_springs_start(s, par);
}

#define SWEEPS 4   // over cones between two descents
#define BATCH  200 // iterations of a descent among cones, at most: what they hold changes
#define NEARER 0.1 // of what was left: what a descent among cones is to leave

double dr_springs_relax(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations)
{
    bool cones = false;
    for (size_t i = 0; i < s->count && !cones; i++) cones = !s->rows[i].spring;
    while (violation > limit && *iterations < settings->most_sweeps) {
        int most = settings->most_sweeps - *iterations;
        for (int k = 0; cones && k < SWEEPS; k++) dr_contact_solver_sweep(s, par);
        double enough = cones ? fmax(0.5 * limit, NEARER * violation) : limit;
        descend(s, par, cones && most > BATCH ? BATCH : most, enough, iterations);
        violation = dr_contact_solver_violation(s, par);
        if (!cones || !isfinite(violation)) break;
    }
    return violation;
}
