// Springs between the same two strands lie side by side along them, and bending ties their answers together: blocks of
// the Delassus operator over runs of such springs, factorised, are the preconditioner of conjugate gradients.
// docs/theory/contact.md eq. (40).
#include "contact/springs.h"

#include <string.h>

#define MOST     48    // springs of a block. Half of it takes more iterations, twice of it twice the time for blocks
#define SINGULAR 1e-12 // of the mean diagonal, added to it

// ---- who is together

static void sort_springs(dr_contact_solver *s, size_t *count)
{
    *count = 0;
    for (size_t row = 0; row < s->count; row++)
        s->group_of[s->order[row]] = (uint32_t)row; // until there are groups: the row of a contact
    for (size_t k = 0; k < s->count; k++) {
        const dr_contact *contact = &s->contacts[k];
        if (!contact->spring) continue;
        uint64_t a = (uint32_t)contact->strand[0], b = (uint32_t)contact->strand[1];
        s->items[(*count)++] = (dr_sort_item){a < b ? a << 32 | b : b << 32 | a, s->group_of[k]};
    }
    dr_sort_items(s->items, s->spare_items, *count);
}

bool dr_spring_groups_make(dr_contact_solver *s)
{
    const dr_allocator *a = s->allocator;
    size_t count, total = 0;
    if (!dr_memory_reserve(a, (void **)&s->items, &s->item_capacity, s->count, sizeof *s->items) ||
        !dr_memory_reserve(a, (void **)&s->spare_items, &s->spare_item_capacity, s->count, sizeof *s->spare_items) ||
        !dr_memory_reserve(a, (void **)&s->groups, &s->group_capacity, s->count, sizeof *s->groups) ||
        !dr_memory_reserve(a, (void **)&s->group_rows, &s->group_row_capacity, s->count, sizeof *s->group_rows) ||
        !dr_memory_reserve(a, (void **)&s->group_uses, &s->group_use_capacity, 2 * s->count, sizeof *s->group_uses) ||
        !dr_memory_reserve(a, (void **)&s->group_of, &s->group_of_capacity, s->count, sizeof *s->group_of) ||
        !dr_memory_reserve(a, (void **)&s->place_in, &s->place_in_capacity, s->count, sizeof *s->place_in))
        return false;
    sort_springs(s, &count);
    s->group_count = 0;
    for (size_t i = 0; i < count; i++) {
        dr_spring_group *last = s->group_count ? &s->groups[s->group_count - 1] : NULL;
        if (!last || s->items[i].key != s->items[i - 1].key || last->count == MOST) {
            last = &s->groups[s->group_count++];
            *last = (dr_spring_group){.first = i, .strand = (int32_t)(s->items[i].key >> 32)};
        }
        size_t row = s->items[i].value;
        s->group_rows[i] = (uint32_t)row;
        s->group_of[row] = (uint32_t)(s->group_count - 1);
        s->place_in[row] = (uint32_t)last->count++;
    }
    for (size_t g = 0; g < s->group_count; g++) {
        size_t size = (size_t)s->groups[g].count * (size_t)s->groups[g].count;
        s->groups[g].block[0] = total;
        s->groups[g].block[1] = total + size;
        total += 2 * size;
    }
    if (!dr_memory_reserve(a, (void **)&s->blocks, &s->block_total_capacity, total, sizeof *s->blocks)) return false;
    if (total) memset(s->blocks, 0, total * sizeof *s->blocks);
    return true;
}

// ---- blocks

static size_t row_of(const dr_contact_solver *s, const dr_contact_pull *p)
{
    return p->place - 2 * s->cones;
}

// What a unit impulse of one spring gives the place of another one, along their normals, on one strand.
static double answer_between(const dr_contact_solver *s, const dr_contact_host *h, const double *matrix,
                             const dr_contact_pull *p, const dr_contact_pull *q)
{
    const int32_t *slot = s->slot + s->compliance->first[h->strand];
    double sum = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        if (q->share[corner] == 0.0) continue;
        size_t column = 3 * (size_t)slot[q->vertex[corner / 2] + corner % 2];
        for (int other = 0; other < 4; other++) {
            if (p->share[other] == 0.0) continue;
            size_t row = 3 * (size_t)slot[p->vertex[other / 2] + other % 2];
            double both = 0.0;
            for (size_t a = 0; a < 3; a++)
                both += q->normal[a] * dr_vec3_dot(p->normal, matrix + (column + a) * h->stride + row);
            sum += p->share[other] * q->share[corner] * both;
        }
    }
    return sum;
}

static void fill_block(dr_contact_solver *s, const dr_contact_host *h, const dr_spring_group *group,
                       const double *matrix)
{
    int side = h->strand != group->strand, n = group->count;
    double *block = s->blocks + group->block[side];
    const uint32_t *uses = s->group_uses + 2 * group->first;
    for (int i = 0; i < n; i++) {
        const dr_contact_pull *p = &s->pulls[uses[2 * i + side]];
        for (int j = 0; j <= i; j++) block[i * n + j] = answer_between(s, h, matrix, p, &s->pulls[uses[2 * j + side]]);
        s->rows[row_of(s, p)].give[side] = block[i * n + i];
    }
}

void dr_spring_groups_fill(dr_contact_solver *s, const dr_contact_host *h, const double *matrix)
{
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        const dr_contact_pull *p = &s->pulls[k];
        if (!p->spring) continue;
        const dr_spring_group *group = &s->groups[s->group_of[row_of(s, p)]];
        int side = h->strand != group->strand;
        s->group_uses[2 * (group->first + s->place_in[row_of(s, p)]) + (size_t)side] = (uint32_t)k;
    }
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        const dr_contact_pull *p = &s->pulls[k];
        if (p->spring && s->place_in[row_of(s, p)] == 0)
            fill_block(s, h, &s->groups[s->group_of[row_of(s, p)]], matrix);
    }
}

// Cholesky's factor of a block, below its diagonal, rows one after another.
static void factorise(const dr_contact_solver *s, const dr_spring_group *group)
{
    int n = group->count;
    double *l = s->blocks + group->block[0], mean = 0.0;
    const double *other = s->blocks + group->block[1];
    for (int i = 0; i < n * n; i++) l[i] += other[i];
    for (int i = 0; i < n; i++) {
        l[i * n + i] += s->rows[s->group_rows[group->first + (size_t)i]].compliance;
        mean += l[i * n + i] / n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = l[i * n + j] + (i == j ? SINGULAR * mean : 0.0);
            for (int k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            if (i == j)
                l[i * n + i] = sqrt(sum > SINGULAR * mean ? sum : mean);
            else
                l[i * n + j] = sum / l[j * n + j];
        }
    }
}

static void substitute(const double *l, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++) sum -= l[i * n + k] * x[k];
        x[i] = sum / l[i * n + i];
    }
    for (int i = n; i-- > 0;) {
        x[i] /= l[i * n + i];
        for (int k = 0; k < i; k++) x[k] -= l[i * n + k] * x[i];
    }
}

// A product with the inverse has no quotients, nor has it to wait for numbers before: it takes the place of the factor.
static void invert(const dr_contact_solver *s, const dr_spring_group *group)
{
    int n = group->count;
    const double *l = s->blocks + group->block[0];
    double *inverse = s->blocks + group->block[1];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) inverse[j * n + i] = i == j;
        substitute(l, n, inverse + j * n);
    }
}

static void factorise_groups(void *user, size_t begin, size_t end, int thread)
{
    const dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t g = begin; g < end; g++) {
        factorise(s, &s->groups[g]);
        invert(s, &s->groups[g]);
    }
}

void dr_spring_groups_factorise(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    dr_par_for(par, s->group_count, 16, factorise_groups, &job);
}

static void solve_groups(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    (void)thread;
    for (size_t g = begin; g < end; g++) {
        const dr_spring_group *group = &s->groups[g];
        const uint32_t *rows = s->group_rows + group->first;
        const double *restrict inverse = s->blocks + group->block[1];
        double sum[MOST] = {0};
        int n = group->count;
        for (int j = 0; j < n; j++, inverse += n) {
            double x = job->from[2 * s->cones + rows[j]];
            for (int i = 0; i < n; i++) sum[i] += inverse[i] * x;
        }
        for (int i = 0; i < n; i++) job->out[2 * s->cones + rows[i]] = sum[i];
    }
}

void dr_spring_groups_solve(dr_contact_solver *s, const dr_par *par, const double *from, double *to)
{
    dr_rows_job job = {.solver = s, .from = from, .out = to};
    dr_par_for(par, s->group_count, 32, solve_groups, &job);
}
