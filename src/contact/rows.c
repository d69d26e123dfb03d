// Who is touched, and a row for every contact. docs/theory/contact.md eq. (5), (6), (13).
// A strand's compliance C^-1 is needed between the vertices that contacts touch: a small dense matrix, found once per
// step, from which each contact keeps the answer of all touched vertices to a unit impulse along each axis of its own
// frame.
#include "contact/rows.h"
#include "contact/springs.h"
#include "contact/subdomain.h"
#include "contact/windows.h"

#include <string.h>

// Contacts of a patch in the mean, some microseconds: so many groups there are. Half of it: more groups, which wait for
// each other more often; twice of it: fewer threads can work.
#define PATCH  16
#define ITSELF 1 // of a strand that touches itself

// ---- who is touched

static bool reserve_all(dr_contact_solver *s, size_t strands, size_t vertices)
{
    const dr_allocator *a = s->allocator;
    size_t chunks = (s->count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN;
    return dr_memory_reserve(a, (void **)&s->host_of, &s->host_of_capacity, strands, sizeof *s->host_of) &&
           dr_memory_reserve(a, (void **)&s->slot, &s->slot_capacity, vertices, sizeof *s->slot) &&
           dr_memory_reserve(a, (void **)&s->hosts, &s->host_capacity, strands, sizeof *s->hosts) &&
           dr_memory_reserve(a, (void **)&s->windows, &s->window_capacity, strands + vertices, sizeof *s->windows) &&
           dr_memory_reserve(a, (void **)&s->uses, &s->use_capacity, 2 * s->count, sizeof *s->uses) &&
           dr_memory_reserve(a, (void **)&s->rows, &s->row_capacity, s->count, sizeof *s->rows) &&
           dr_memory_reserve(a, (void **)&s->order, &s->order_capacity, s->count, sizeof *s->order) &&
           dr_memory_reserve(a, (void **)&s->best, &s->best_capacity, 3 * s->count, sizeof *s->best) &&
           dr_memory_reserve(a, (void **)&s->open, &s->open_capacity, s->count, sizeof *s->open) &&
           dr_memory_reserve(a, (void **)&s->patch, &s->patch_capacity, s->count, sizeof *s->patch) &&
           dr_memory_reserve(a, (void **)&s->worst, &s->worst_capacity, chunks, sizeof *s->worst) &&
           dr_memory_reserve(a, (void **)&s->partial, &s->partial_capacity, 5 * chunks, sizeof *s->partial);
}

static void mark_touched(dr_contact_solver *s)
{
    const dr_compliance *c = s->compliance;
    for (int i = 0; i < c->strands; i++) s->host_of[i] = -1;
    for (int i = 0; i < c->first[c->strands]; i++) s->slot[i] = -1;
    for (size_t k = 0; k < s->count; k++) {
        const dr_contact *contact = &s->contacts[s->list[k]];
        for (int corner = 0; corner < 4; corner++) {
            if (dr_rows_share(contact, corner) > 0.0) s->slot[contact->vertex[corner / 2] + corner % 2] = 0;
        }
        for (int side = 0; side < 2; side++) {
            if (contact->strand[side] >= 0 && s->host_of[contact->strand[side]] < 0)
                s->host_of[contact->strand[side]] = 0;
        }
        if (contact->strand[0] == contact->strand[1]) s->host_of[contact->strand[0]] = ITSELF;
    }
}

static void lay_out_plain(dr_contact_solver *s, dr_contact_host *h, size_t *scratch)
{
    const dr_compliance *c = s->compliance;
    int32_t number = 0;
    for (int v = c->first[h->strand]; v < c->first[h->strand + 1]; v++) {
        if (s->slot[v] >= 0) s->slot[v] = number++;
    }
    h->stride = dr_rows_padded(3 * (size_t)h->touched);
    *scratch = ((size_t)h->touched + 1) * 3 * h->stride;
}

// Numbers the touched vertices of every touched strand.
static void number_touched(dr_contact_solver *s)
{
    const dr_compliance *c = s->compliance;
    size_t windows = 0;
    s->host_count = s->change_count = s->matrix_size = 0;
    for (int i = 0; i < c->strands; i++) {
        if (s->host_of[i] < 0) continue;
        dr_contact_host *h = &s->hosts[s->host_count];
        *h = (dr_contact_host){.strand = i, .change = s->change_count, .first_window = windows};
        for (int v = c->first[i]; v < c->first[i + 1]; v++) h->touched += s->slot[v] >= 0;
        h->windows = dr_windows_count(h->touched, s->springs || s->host_of[i] == ITSELF);
        size_t scratch;
        if (h->windows > 1) dr_windows_make(s, h);
        if (h->windows > 1)
            scratch = dr_windows_scratch(h);
        else
            lay_out_plain(s, h, &scratch);
        windows += (size_t)h->windows;
        s->host_of[i] = (int32_t)s->host_count++;
        s->change_count += h->stride;
        if (scratch > s->matrix_size) s->matrix_size = scratch;
    }
}

static dr_contact_host *part_host(const dr_contact_solver *s, const dr_contact *contact, int part)
{
    int32_t strand = contact->strand[part];
    bool there = strand >= 0 && (part == 0 || strand != contact->strand[0]);
    return there ? &s->hosts[s->host_of[strand]] : NULL;
}

static void count_uses(dr_contact_solver *s)
{
    size_t total = 0;
    for (size_t i = 0; i < 2 * s->count; i++) {
        dr_contact_host *h = part_host(s, &s->contacts[s->list[i / 2]], (int)(i % 2));
        if (h) h->use_count++;
    }
    for (size_t k = 0; k < s->host_count; k++) {
        s->hosts[k].uses = total;
        total += s->hosts[k].use_count;
    }
}

// Lists for every host the parts of rows that touch it.
static void list_uses(dr_contact_solver *s)
{
    for (size_t k = 0; k < s->host_count; k++) s->hosts[k].use_count = 0;
    for (size_t i = 0; i < 2 * s->count; i++) {
        dr_contact_host *h = part_host(s, &s->contacts[s->order[i / 2]], (int)(i % 2));
        if (h) s->uses[h->uses + h->use_count++] = i;
    }
}

static bool reserve_hosts(dr_contact_solver *s, const dr_par *par)
{
    const dr_allocator *a = s->allocator;
    size_t threads = (size_t)par->threads;
    return dr_memory_reserve(a, (void **)&s->changes, &s->change_capacity, s->change_count, sizeof *s->changes) &&
           dr_memory_reserve(a, (void **)&s->before, &s->before_capacity, 3 * s->count + s->change_count,
                             sizeof *s->before) &&
           dr_memory_reserve(a, (void **)&s->way, &s->way_capacity, 3 * s->count + s->change_count, sizeof *s->way) &&
           dr_memory_reserve(a, (void **)&s->waiting, &s->waiting_capacity, 3 * s->count + s->change_count,
                             sizeof *s->waiting) &&
           dr_memory_reserve(a, (void **)&s->matrix, &s->matrix_capacity, s->matrix_size * threads, sizeof *s->matrix);
}

// ---- compliance between touched vertices

// Columns of the strand's compliance between touched vertices, eight at once.
static void fill_matrix(const dr_contact_solver *s, const dr_contact_host *h, double *block, double *matrix)
{
    const dr_compliance *c = s->compliance;
    const int first = c->first[h->strand], length = c->first[h->strand + 1] - first;
    const int32_t *slot = s->slot + first;
    int vertex = 0, q = 0, total = 3 * h->touched;
    while (q < total) {
        int lanes = 0, from = -1;
        memset(block, 0, (size_t)length * 4 * DR_ROWS_LANES * sizeof *block);
        for (; lanes < DR_ROWS_LANES && q + lanes < total; lanes++) {
            while (slot[vertex] != (q + lanes) / 3) vertex++;
            if (from < 0) from = vertex;
            block[(4 * vertex + (q + lanes) % 3) * DR_ROWS_LANES + lanes] = 1.0;
        }
        c->solve(c->self, h->strand, from, block);
        for (int v = 0; v < length; v++) {
            if (slot[v] < 0) continue;
            for (int a = 0; a < 3; a++) {
                const double *from_lanes = block + (4 * v + a) * DR_ROWS_LANES;
                double *to = matrix + 3 * (size_t)slot[v] + (size_t)a;
                for (int l = 0; l < lanes; l++) to[(size_t)(q + l) * h->stride] = from_lanes[l];
            }
        }
        q += lanes;
    }
    for (int p = 0; p < total; p++) {
        for (size_t i = (size_t)total; i < h->stride; i++) matrix[(size_t)p * h->stride + i] = 0.0;
    }
}

void dr_rows_pack(const double *answer, const dr_row_part *part)
{
    const size_t length = part->shared_size + part->size;
    float *restrict out = part->answer;
    for (size_t i = 0; i < length; i += DR_ROWS_PAD) {
        for (size_t axis = 0; axis < 3; axis++, out += DR_ROWS_PAD) {
            for (size_t l = 0; l < DR_ROWS_PAD; l++) out[l] = (float)answer[axis * length + i + l];
        }
    }
}

// The answers of a host's touched vertices to impulses of one contact, along each axis of its frame. (13)
static void fill_answer(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact, double *matrix,
                        const dr_row_part *part)
{
    double *restrict answer = matrix + 3 * (size_t)h->touched * h->stride;
    memset(answer, 0, 3 * h->stride * sizeof *answer);
    for (int corner = 0; corner < 4; corner++) {
        double weight = dr_rows_share(contact, corner);
        if (weight <= 0.0 || contact->strand[corner / 2] != h->strand) continue;
        size_t column = 3 * (size_t)s->slot[contact->vertex[corner / 2] + corner % 2];
        const double *restrict m = matrix + column * h->stride;
        for (size_t axis = 0; axis < 3; axis++) {
            const double *n = contact->frame + 3 * axis;
            double x = n[0], y = n[1], z = n[2], sign = corner < 2 ? weight : -weight;
            double *restrict out = answer + axis * h->stride;
            for (size_t i = 0; i < h->stride; i++)
                out[i] += sign * (x * m[i] + y * m[h->stride + i] + z * m[2 * h->stride + i]);
        }
    }
    dr_rows_pack(answer, part);
}

static void fill_answers(dr_contact_solver *s, const dr_contact_host *h, double *block, double *matrix)
{
    if (h->windows > 1) {
        dr_windows_fill(s, h, block, matrix);
        return;
    }
    fill_matrix(s, h, block, matrix);
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        size_t row = s->uses[k] / 2;
        if (s->rows[row].spring) continue;
        fill_answer(s, h, &s->contacts[s->order[row]], matrix, &s->rows[row].part[s->uses[k] % 2]);
    }
    if (s->springs) dr_springs_fill(s, h, matrix);
}

static void fill_hosts(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    double *matrix = s->matrix + s->matrix_size * (size_t)thread, *block = s->block + s->block_size * (size_t)thread;
    for (size_t i = begin; i < end; i++) fill_answers(s, &s->hosts[i], block, matrix);
}

// ---- patches

// Hosts that follow each other, about as many uses in each group.
static void give_groups(dr_contact_solver *s)
{
    size_t before = 0, all = 0;
    for (size_t i = 0; i < s->host_count; i++) all += s->hosts[i].use_count;
    s->colours = 1;
    while (s->colours < DR_ROWS_MOST_GROUPS && (size_t)(s->colours * s->colours) * PATCH < 2 * s->count) s->colours++;
    for (size_t i = 0; i < s->host_count; i++) {
        s->hosts[i].group = (int)(before * (size_t)s->colours / all);
        before += s->hosts[i].use_count;
    }
}

// The contacts between two groups, or within one. Two groups make one patch of the colour that is their sum.
static int patch_of(const dr_contact_solver *s, const dr_contact *contact)
{
    int first = s->hosts[s->host_of[contact->strand[0]]].group, second = first;
    if (!dr_contact_is_external(contact)) second = s->hosts[s->host_of[contact->strand[1]]].group;
    return (first + second) % s->colours * s->colours + (first < second ? first : second);
}

// Within a patch contacts keep their order. Springs have none and come last.
static void give_patches(dr_contact_solver *s)
{
    memset(s->begin, 0, sizeof s->begin);
    s->cones = 0;
    for (size_t k = 0; k < s->count; k++) {
        const dr_contact *contact = &s->contacts[s->list[k]];
        if (contact->spring) continue;
        s->patch[k] = (uint16_t)patch_of(s, contact);
        s->begin[s->patch[k] + 1]++;
        s->cones++;
    }
    for (int i = 0; i < DR_ROWS_MOST_PATCHES; i++) s->begin[i + 1] += s->begin[i];
    size_t last = s->cones;
    for (size_t k = 0; k < s->count; k++)
        s->order[s->contacts[s->list[k]].spring ? last++ : s->begin[s->patch[k]]++] = s->list[k];
    memmove(s->begin + 1, s->begin, DR_ROWS_MOST_PATCHES * sizeof *s->begin);
    s->begin[0] = 0;
}

// ---- rows

// How a contact moves, in its own frame, by what its impulse along an axis does to one part of it.
static void read_answer(const dr_contact_row *row, int which, size_t axis, double out[3])
{
    const dr_row_part *part = &row->part[which];
    double velocity[3] = {0}, about[DR_ROWS_ABOUT];
    for (int corner = 0; corner < 4; corner++) {
        if (!row->change[corner] || which != (row->part[1].change && corner >= 2)) continue;
        size_t at = part->shared_size + (size_t)(row->change[corner] - part->change);
        for (size_t a = 0; a < 3; a++)
            velocity[a] += row->weight[corner] * (double)part->answer[dr_rows_answer_at(at + a, axis)];
    }
    dr_rows_to_frame(row->frame, velocity, out);
    for (size_t i = 0; i < part->about_count; i++)
        about[i] = (double)part->answer[dr_rows_answer_at((size_t)(part->about - part->shared) + i, axis)];
    if (part->about_count > 0) dr_rows_follow(part, about, out);
}

// The diagonal block E S E^T of a contact. (6)
static void find_diagonal(dr_contact_row *row)
{
    double w[9] = {0};
    for (size_t axis = 0; axis < 3; axis++) {
        for (int which = 0; which < 2; which++) {
            double velocity[3];
            if (!row->part[which].change) continue;
            read_answer(row, which, axis, velocity);
            for (size_t a = 0; a < 3; a++) w[3 * a + axis] += velocity[a];
        }
    }
    double trace = w[0] + w[4] + w[8], least = 1e-12 * trace; // an inextensible strand gives nothing along itself
    row->w[0] = w[0] + least;
    row->w[1] = 0.5 * (w[1] + w[3]);
    row->w[2] = 0.5 * (w[2] + w[6]);
    row->w[3] = w[4] + least;
    row->w[4] = 0.5 * (w[5] + w[7]);
    row->w[5] = w[8] + least;
    row->scale = trace / 3.0;
    if (trace > 0.0) row->cone = dr_cone_prepare(row->w);
}

void dr_rows_find_free(const dr_contact *contact, const double *velocity, double free[3])
{
    double sum[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        double weight = dr_rows_share(contact, corner);
        if (!(weight > 0.0)) continue;
        int vertex = contact->vertex[corner / 2] + corner % 2;
        dr_vec3_add_scaled(sum, sum, corner < 2 ? weight : -weight, velocity + 3 * (size_t)vertex);
    }
    if (dr_contact_is_external(contact)) dr_vec3_sub(sum, sum, contact->solid_velocity);
    dr_rows_to_frame(contact->frame, sum, free);
    free[0] -= contact->least;
}

// Where a contact lies in the velocity changes of a host without windows.
static void place(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact, int part,
                  dr_contact_row *row)
{
    row->part[part].change = s->changes + h->change;
    row->part[part].size = h->stride;
    for (int corner = 0; corner < 4; corner++) {
        int side = corner / 2;
        double weight = dr_rows_share(contact, corner);
        if (weight <= 0.0 || contact->strand[side] != h->strand) continue;
        row->weight[corner] = side ? -weight : weight;
        row->change[corner] = s->changes + h->change + 3 * (size_t)s->slot[contact->vertex[side] + corner % 2];
    }
}

static void fill_row(dr_contact_solver *s, const dr_contact *contact, dr_contact_row *row)
{
    memset(row, 0, sizeof *row);
    memcpy(row->frame, contact->frame, sizeof row->frame);
    memcpy(row->impulse, contact->impulse, sizeof row->impulse);
    row->friction = contact->friction;
    row->room = dr_contact_room(contact, s->compliance->dt);
    row->slip = contact->slip;
    row->spring = contact->spring;
    row->compliance = contact->compliance;
    for (int part = 0; part < 2; part++) {
        const dr_contact_host *h = part_host(s, contact, part);
        if (h && h->windows > 1)
            dr_windows_place(s, h, contact, part, row);
        else if (h)
            place(s, h, contact, part, row);
    }
    dr_rows_find_free(contact, s->compliance->v, row->free);
}

static void fill_rows(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t i = begin; i < end; i++) fill_row(s, &s->contacts[s->order[i]], &s->rows[i]);
}

static size_t answer_size(const dr_row_part *part)
{
    return 3 * (part->shared_size + part->size);
}

// The answers of each row behind those of the one before: as a sweep goes through them.
static bool place_answers(dr_contact_solver *s)
{
    size_t answers = 0, follows = 0;
    for (size_t i = 0; i < 2 * s->count; i++) {
        dr_contact_row *row = &s->rows[i / 2];
        if (s->springs && row->spring) continue;
        answers += answer_size(&row->part[i % 2]);
        follows += 4 * row->part[i % 2].about_count;
    }
    if (!dr_memory_reserve(s->allocator, (void **)&s->answers, &s->answer_capacity, answers, sizeof *s->answers) ||
        !dr_memory_reserve(s->allocator, (void **)&s->follows, &s->follow_capacity, follows, sizeof *s->follows))
        return false;
    answers = follows = 0;
    for (size_t i = 0; i < 2 * s->count; i++) {
        dr_row_part *part = &s->rows[i / 2].part[i % 2];
        if (!part->change || (s->springs && s->rows[i / 2].spring)) continue;
        part->answer = s->answers + answers;
        part->follow = s->follows + follows;
        answers += answer_size(part);
        follows += 4 * part->about_count;
    }
    return true;
}

static void find_diagonals(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        dr_contact_row *row = &s->rows[i];
        if (!row->spring || !s->springs) find_diagonal(row);
        if (row->spring && s->springs) row->w[0] = row->scale = row->give[0] + row->give[1];
    }
}

// ---- the whole

bool dr_rows_build(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    const dr_compliance *compliance = s->compliance;
    if (!reserve_all(s, (size_t)compliance->strands, (size_t)compliance->first[compliance->strands])) return false;
    mark_touched(s);
    number_touched(s);
    count_uses(s);
    give_groups(s);
    give_patches(s);
    list_uses(s);
    if (!reserve_hosts(s, par) || !dr_subdomain_reserve(s)) return false;
    dr_subdomain_open(s);
    if (s->springs && (!dr_springs_reserve(s) || !dr_spring_groups_make(s))) return false;
    if (s->count) memset(s->changes, 0, s->change_count * sizeof *s->changes);
    dr_par_for(par, s->count, DR_ROWS_GRAIN, fill_rows, &job);
    if (!place_answers(s)) return false;
    if (s->springs) dr_springs_place(s);
    dr_par_for(par, s->host_count, 4, fill_hosts, &job);
    dr_par_for(par, s->count, DR_ROWS_GRAIN, find_diagonals, &job);
    if (s->springs) dr_spring_groups_factorise(s, par);
    return true;
}
