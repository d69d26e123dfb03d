// Contacts that are springs, all of them: conjugate gradients on (S + C) r = -v, docs/theory/contact.md eq. (15). The
// answer of a strand to its springs is solved for, so that no column of its compliance is kept.
#include "contact/springs.h"

#include <string.h>

// Of one number per row, for springs: what is left, the same preconditioned, direction, its image, compliance,
// diagonal.
enum { REST, SCALED, WAY, IMAGE, SOFT, DIAGONAL, VECTORS };

// The answer of a touched vertex to itself, and of the next one to it, three columns each.
static void fill_near(const dr_contact_solver *s, const dr_contact_host *h, double *block, double *near)
{
    const dr_compliance *c = s->compliance;
    const int first = c->first[h->strand], length = c->first[h->strand + 1] - first;
    int vertex[DR_ROWS_LANES], at = 0;
    for (int q = 0; q < 3 * h->touched;) {
        int lanes = 0;
        memset(block, 0, (size_t)length * 4 * DR_ROWS_LANES * sizeof *block);
        for (; lanes < DR_ROWS_LANES && q + lanes < 3 * h->touched; lanes++) {
            while (s->slot[first + at] != (q + lanes) / 3) at++;
            vertex[lanes] = at;
            block[(4 * at + (q + lanes) % 3) * DR_ROWS_LANES + lanes] = 1.0;
        }
        c->solve(c->self, h->strand, vertex[0], block);
        for (int l = 0; l < lanes; l++, q++) {
            for (int i = 0; i < 6; i++) {
                int v = vertex[l] + i / 3;
                near[6 * q + i] = v < length ? block[(4 * v + i % 3) * DR_ROWS_LANES + l] : 0.0;
            }
        }
    }
}

// The velocity along the normal that a unit impulse gives its own place on one side, with what fill_near found.
static double own_answer(const dr_contact_solver *s, const dr_contact *contact, int side, const double *near)
{
    double weight[2] = {dr_rows_share(contact, 2 * side), dr_rows_share(contact, 2 * side + 1)}, sum = 0.0;
    for (int i = 0; i < 3; i++) { // first, second, both
        int corner = i == 1, to = i > 0;
        double both = weight[corner] * weight[to] * (i == 2 ? 2.0 : 1.0);
        if (both == 0.0) continue;
        const double *m = near + 18 * (size_t)s->slot[contact->vertex[side] + corner] + (i == 2 ? 3 : 0);
        for (size_t a = 0; a < 3; a++) sum += both * contact->frame[a] * dr_vec3_dot(contact->frame, m + 6 * a);
    }
    return sum;
}

static double part_answer(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact,
                          const double *near)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (contact->strand[side] == h->strand) sum += own_answer(s, contact, side, near);
    }
    return sum;
}

static void fill_pull(const dr_contact_host *h, const dr_contact *contact, size_t row, dr_contact_pull *out)
{
    *out = (dr_contact_pull){.row = row};
    dr_vec3_copy(out->normal, contact->frame);
    for (int corner = 0; corner < 4; corner++) {
        if (contact->strand[corner / 2] != h->strand) continue;
        out->vertex[corner / 2] = contact->vertex[corner / 2];
        out->weight[corner] = corner < 2 ? dr_rows_share(contact, corner) : -dr_rows_share(contact, corner);
    }
}

void dr_springs_fill(dr_contact_solver *s, const dr_contact_host *h, double *block, double *near)
{
    fill_near(s, h, block, near);
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        size_t row = s->uses[k] / 2;
        const dr_contact *contact = &s->contacts[s->order[row]];
        s->rows[row].part[s->uses[k] % 2] = part_answer(s, h, contact, near);
        fill_pull(h, contact, row, &s->pulls[k]);
    }
}

// ---- what a strand answers is solved for

static double *vector(const dr_contact_solver *s, int which)
{
    return s->vectors + (size_t)which * s->count;
}

// The changes of a strand by the normal impulses job->out of all rows.
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
        for (const dr_contact_pull *p = s->pulls + h->uses; p < s->pulls + h->uses + h->use_count; p++) {
            for (int corner = 0; corner < 4; corner++) {
                double impulse = p->weight[corner] * job->out[p->row];
                if (impulse == 0.0) continue;
                double *at = block + 4 * (p->vertex[corner / 2] + corner % 2 - first) * DR_ROWS_LANES;
                for (int a = 0; a < 3; a++) at[a * DR_ROWS_LANES] += impulse * p->normal[a];
            }
        }
        while (s->slot[first + from] < 0) from++;
        c->solve(c->self, h->strand, from, block);
        for (int v = from; v < length; v++) {
            if (s->slot[first + v] < 0) continue;
            double *to = s->changes + h->change + 3 * (size_t)s->slot[first + v];
            for (int a = 0; a < 3; a++) to[a] = block[(4 * v + a) * DR_ROWS_LANES];
        }
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
        double impulse[3];
        dr_rows_beyond_applied(&s->contacts[s->order[i]], impulse);
        vector(s, WAY)[i] = impulse[0];
    }
    answer_all(s, par, vector(s, WAY));
}

bool dr_springs_reserve(dr_contact_solver *s)
{
    return dr_memory_reserve(s->allocator, (void **)&s->vectors, &s->vector_capacity, VECTORS * s->count,
                             sizeof *s->vectors) &&
           dr_memory_reserve(s->allocator, (void **)&s->pulls, &s->pull_capacity, 2 * s->count, sizeof *s->pulls);
}

// ---- conjugate gradients on (S + C) r = -v, the diagonal as preconditioner

static void begin_springs(void *user, size_t begin, size_t end, int thread)
{
    const dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        const dr_contact_row *row = &s->rows[i];
        double v[3];
        dr_rows_read_velocity(row, v);
        vector(s, REST)[i] = -(v[0] + row->compliance * row->impulse[0]);
        vector(s, WAY)[i] = 0.0;
        vector(s, SOFT)[i] = row->compliance;
        vector(s, DIAGONAL)[i] = row->w[0] + row->compliance;
    }
}

// Preconditions, and sums rest times preconditioned rest.
static void precondition(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        double rest = vector(s, REST)[i];
        vector(s, SCALED)[i] = rest / vector(s, DIAGONAL)[i];
        sum += rest * vector(s, SCALED)[i];
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
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
        dr_rows_read_change(&s->rows[i], change);
        vector(s, IMAGE)[i] = change[0] + vector(s, SOFT)[i] * vector(s, WAY)[i];
        sum += vector(s, WAY)[i] * vector(s, IMAGE)[i];
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

// Goes along the direction, and sums the squares of what is left.
static double advance_springs(dr_contact_solver *s, double far)
{
    for (size_t i = 0; i < s->count; i++) {
        s->rows[i].impulse[0] += far * vector(s, WAY)[i];
        vector(s, REST)[i] -= far * vector(s, IMAGE)[i];
    }
    for (size_t begin = 0; begin < s->count; begin += DR_ROWS_GRAIN) {
        double sum = 0.0;
        for (size_t i = begin; i < begin + DR_ROWS_GRAIN && i < s->count; i++)
            sum += vector(s, REST)[i] * vector(s, REST)[i];
        s->partial[begin / DR_ROWS_GRAIN] = sum;
    }
    return sqrt(dr_par_sum(s->partial, (s->count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN) / (double)s->count);
}

static double sum_over(dr_contact_solver *s, const dr_par *par, dr_par_body body)
{
    dr_rows_job job = {.solver = s, .out = s->partial};
    dr_par_for(par, s->count, DR_ROWS_GRAIN, body, &job);
    return dr_par_sum(s->partial, (s->count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN);
}

double dr_springs_relax(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations)
{
    dr_rows_job job = {.solver = s};
    double before = 1.0;
    if (!(violation > limit)) return violation;
    dr_par_for(par, s->count, DR_ROWS_GRAIN, begin_springs, &job);
    while (violation > limit && *iterations < settings->most_sweeps) {
        double product = sum_over(s, par, precondition);
        for (size_t i = 0; i < s->count; i++)
            vector(s, WAY)[i] = vector(s, SCALED)[i] + (*iterations ? product / before : 0.0) * vector(s, WAY)[i];
        answer_all(s, par, vector(s, WAY));
        double curvature = sum_over(s, par, find_image);
        if (!(curvature > 0.0)) break;
        violation = advance_springs(s, product / curvature);
        before = product;
        (*iterations)++;
    }
    for (size_t i = 0; i < s->count; i++) s->contacts[s->order[i]].impulse[0] = s->rows[i].impulse[0];
    dr_springs_start(s, par);
    return dr_contact_solver_violation(s, par);
}
