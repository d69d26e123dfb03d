// Gauss-Seidel on the Delassus operator S = H C^-1 H^T, docs/theory/contact.md eq. (5)-(7), (13)-(15).
// A contact reads the velocities of its two edges and, when its impulse changes, adds the answers of both strands,
// which rows.c has made. Patches of one colour have no strand in common.
#include "contact/rows.h"
#include "contact/springs.h"
#include "contact/subdomain.h"
#include "contact/working_set.h"

#include <string.h>

#define MANY        16 // contacts of a colour that are worth a thread: some microseconds
#define CHECK_EVERY 4
#define FLOOR       1e-12 // cm/s
#define LOST        1e3 // times the best violation: such sweeps lead away. Half or twice of it: a look sooner or later
#define FARTHEST    1 // hops: how far about single contacts parts reach. 7, hop by hop: more sweeps of a thousand hairs
#define LEAST       0.25 // of the square of the limit, that rows get beside the rest at least: this is less

dr_contact_solver *dr_contact_solver_create(const dr_allocator *allocator)
{
    dr_contact_solver *solver = dr_memory_alloc(allocator, sizeof *solver);
    if (solver) solver->allocator = allocator;
    return solver;
}

static void free_springs(dr_contact_solver *s, const dr_allocator *a)
{
    dr_memory_free(a, s->batch_hosts, s->batch_host_capacity * sizeof *s->batch_hosts);
    dr_memory_free(a, s->vectors, s->vector_capacity * sizeof *s->vectors);
    dr_memory_free(a, s->groups, s->group_capacity * sizeof *s->groups);
    dr_memory_free(a, s->items, s->item_capacity * sizeof *s->items);
    dr_memory_free(a, s->spare_items, s->spare_item_capacity * sizeof *s->spare_items);
    dr_memory_free(a, s->group_rows, s->group_row_capacity * sizeof *s->group_rows);
    dr_memory_free(a, s->group_uses, s->group_use_capacity * sizeof *s->group_uses);
    dr_memory_free(a, s->group_of, s->group_of_capacity * sizeof *s->group_of);
    dr_memory_free(a, s->place_in, s->place_in_capacity * sizeof *s->place_in);
    dr_memory_free(a, s->blocks, s->block_total_capacity * sizeof *s->blocks);
    dr_memory_free(a, s->spring_places, s->spring_place_capacity * sizeof *s->spring_places);
    dr_memory_free(a, s->pulls, s->pull_capacity * sizeof *s->pulls);
}

void dr_contact_solver_destroy(dr_contact_solver *s)
{
    if (!s) return;
    const dr_allocator *a = s->allocator;
    dr_memory_free(a, s->list, s->list_capacity * sizeof *s->list);
    dr_memory_free(a, s->kept, s->kept_capacity * sizeof *s->kept);
    dr_memory_free(a, s->state, s->state_capacity * sizeof *s->state);
    dr_memory_free(a, s->response, s->response_capacity * sizeof *s->response);
    dr_memory_free(a, s->pushed, s->pushed_capacity * sizeof *s->pushed);
    dr_memory_free(a, s->lane_strand, s->lane_capacity * sizeof *s->lane_strand);
    dr_memory_free(a, s->rest, s->rest_capacity * sizeof *s->rest);
    dr_memory_free(a, s->hosts, s->host_capacity * sizeof *s->hosts);
    dr_memory_free(a, s->host_of, s->host_of_capacity * sizeof *s->host_of);
    dr_memory_free(a, s->slot, s->slot_capacity * sizeof *s->slot);
    dr_memory_free(a, s->uses, s->use_capacity * sizeof *s->uses);
    dr_memory_free(a, s->windows, s->window_capacity * sizeof *s->windows);
    dr_memory_free(a, s->answers, s->answer_capacity * sizeof *s->answers);
    dr_memory_free(a, s->follows, s->follow_capacity * sizeof *s->follows);
    dr_memory_free(a, s->matrix, s->matrix_capacity * sizeof *s->matrix);
    dr_memory_free(a, s->changes, s->change_capacity * sizeof *s->changes);
    dr_memory_free(a, s->rows, s->row_capacity * sizeof *s->rows);
    dr_memory_free(a, s->order, s->order_capacity * sizeof *s->order);
    dr_memory_free(a, s->swept, s->swept_capacity * sizeof *s->swept);
    dr_memory_free(a, s->moving, s->moving_capacity * sizeof *s->moving);
    dr_memory_free(a, s->missing, s->missing_capacity * sizeof *s->missing);
    dr_memory_free(a, s->chosen, s->chosen_capacity * sizeof *s->chosen);
    dr_memory_free(a, s->reached, s->reached_capacity * sizeof *s->reached);
    dr_memory_free(a, s->open, s->open_capacity * sizeof *s->open);
    dr_memory_free(a, s->patch, s->patch_capacity * sizeof *s->patch);
    dr_memory_free(a, s->block, s->block_capacity * sizeof *s->block);
    free_springs(s, a);
    dr_memory_free(a, s->before, s->before_capacity * sizeof *s->before);
    dr_memory_free(a, s->best, s->best_capacity * sizeof *s->best);
    dr_memory_free(a, s->way, s->way_capacity * sizeof *s->way);
    dr_memory_free(a, s->waiting, s->waiting_capacity * sizeof *s->waiting);
    dr_memory_free(a, s->worst, s->worst_capacity * sizeof *s->worst);
    dr_memory_free(a, s->partial, s->partial_capacity * sizeof *s->partial);
    dr_memory_free(a, s, sizeof *s);
}

double dr_contact_solver_bytes(const dr_contact_solver *solver, double *columns)
{
    double bytes = (double)(solver->count * sizeof *solver->rows);
    *columns = 0.0;
    for (size_t i = 0; i < solver->count; i++) {
        const dr_row_part *part = solver->rows[i].part;
        size_t numbers = part[0].shared_size + part[0].size + part[1].shared_size + part[1].size;
        bytes += (double)(numbers * (3 * sizeof(float) + sizeof(double))); // three answers and the changes
    }
    for (size_t k = 0; k < solver->host_count; k++) {
        const dr_contact_host *h = &solver->hosts[k];
        *columns += 3.0 * h->touched + (h->windows > 1 ? (double)h->shared : 0.0);
    }
    return bytes;
}

size_t dr_contact_solver_rows(const dr_contact_solver *solver)
{
    return solver->count;
}

int dr_contact_solver_colours(const dr_contact_solver *solver)
{
    return solver->colours;
}

// Any unit tangent, then the third axis.
void dr_contact_frame(dr_contact *contact)
{
    double *n = contact->frame, *t = n + 3, *b = n + 6;
    double axis[3] = {0.0, 0.0, 0.0};
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    axis[least] = 1.0;
    dr_vec3_add_scaled(t, axis, -dr_vec3_dot(axis, n), n);
    dr_vec3_normalize(t, t, axis);
    dr_vec3_cross(b, n, t);
}

// ---- sweeping

static void add_answer(const double impulse[3], const float *restrict answer, size_t size, double *restrict change)
{
    const dr_float8 x = dr_float8_all((float)impulse[0]), y = dr_float8_all((float)impulse[1]);
    const dr_float8 z = dr_float8_all((float)impulse[2]);
    for (size_t i = 0; i < size; i += DR_ROWS_PAD, answer += 3 * DR_ROWS_PAD) {
        dr_float8 sum = z * dr_float8_load(answer + 2 * DR_ROWS_PAD);
        sum = dr_float8_add_product(sum, y, dr_float8_load(answer + DR_ROWS_PAD));
        sum = dr_float8_add_product(sum, x, dr_float8_load(answer));
        dr_double4 low = dr_double4_from(dr_float8_low(sum)), high = dr_double4_from(dr_float8_high(sum));
        dr_double4_store(change + i, dr_double4_load(change + i) + low);
        dr_double4_store(change + i + 4, dr_double4_load(change + i + 4) + high);
    }
}

// The velocities of both strands after an impulse.
static void push(dr_contact_row *row, const double impulse[3])
{
    for (int k = 0; k < 2; k++) {
        const dr_row_part *part = &row->part[k];
        if (!part->change) continue;
        add_answer(impulse, part->answer, part->shared_size, part->shared);
        add_answer(impulse, part->answer + 3 * part->shared_size, part->size, part->change);
    }
}

static void times(const double w[6], const double r[3], double out[3])
{
    out[0] = w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
    out[1] = w[1] * r[0] + w[3] * r[1] + w[4] * r[2];
    out[2] = w[2] * r[0] + w[4] * r[1] + w[5] * r[2];
}

// Gives whether the contact is open and was so before. (46)
static bool relax(dr_contact_row *row, double settled, double relaxation)
{
    double v[3], own[3], b[3], fresh[3] = {0}, change[3];
    if (!(row->scale > 0.0)) return true; // nothing here can move
    dr_rows_read_velocity(row, v);
    times(row->w, row->impulse, own);
    dr_vec3_sub(b, v, own);
    dr_cone_solve_from(&row->cone, b, row->friction, &row->slip, fresh);
    if (relaxation < 1.0) {
        dr_vec3_sub(change, fresh, row->impulse);
        dr_vec3_add_scaled(fresh, row->impulse, relaxation, change);
    }
    dr_vec3_sub(change, fresh, row->impulse);
    double size2 = dr_vec3_dot(change, change);
    if (size2 == 0.0) return fresh[0] == 0.0;
    if (fresh[0] > 0.0 && row->scale * row->scale * size2 <= settled * settled) return false;
    dr_vec3_copy(row->impulse, fresh);
    push(row, change);
    return false;
}

#define ROWS_AHEAD  6 // that memory is asked for: some hundred nanoseconds
#define READS_AHEAD 2

static void fetch_row(const dr_contact_solver *s, size_t at)
{
    const char *from = (const char *)&s->rows[s->swept[at]];
    if (s->open[s->swept[at]]) return;
    for (size_t line = 0; line < sizeof *s->rows; line += DR_CACHE_LINE) dr_prefetch(from + line);
}

// What it reads and pushes.
static void fetch_answers(const dr_contact_solver *s, size_t at)
{
    if (s->open[s->swept[at]]) return;
    for (int k = 0; k < 2; k++) {
        const dr_row_part *part = &s->rows[s->swept[at]].part[k];
        const size_t line = DR_CACHE_LINE / sizeof(float), answers = 3 * (part->size + part->shared_size);
        for (size_t i = 0; i < 4 * part->about_count; i += line) dr_prefetch(part->follow + i);
        for (size_t i = 0; part->change && i < answers; i += line) dr_prefetch(part->answer + i);
    }
}

static void relax_row(dr_contact_solver *s, size_t i)
{
    dr_contact_row *row = &s->rows[i];
    if (!s->open[i]) s->open[i] = relax(row, dr_rows_settled(s, row->room), s->relaxation);
}

static void relax_patches(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    (void)thread;
    const size_t first = s->swept_begin[job->offset + begin], last = s->swept_begin[job->offset + end];
    for (size_t i = first; i < last; i++) {
        if (i + ROWS_AHEAD < last) fetch_row(s, i + ROWS_AHEAD);
        if (i + READS_AHEAD < last) fetch_answers(s, i + READS_AHEAD);
        relax_row(s, s->swept[i]);
    }
}

static void relax_patches_back(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    (void)thread;
    const size_t first = s->swept_begin[job->offset + begin], last = s->swept_begin[job->offset + end];
    for (size_t i = last; i-- > first;) {
        if (i >= first + ROWS_AHEAD) fetch_row(s, i - ROWS_AHEAD);
        if (i >= first + READS_AHEAD) fetch_answers(s, i - READS_AHEAD);
        relax_row(s, s->swept[i]);
    }
}

static void start_patches(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    (void)thread;
    for (size_t i = s->swept_begin[job->offset + begin]; i < s->swept_begin[job->offset + end]; i++) {
        size_t at = s->swept[i];
        double impulse[3];
        dr_rows_beyond_applied(&s->contacts[s->order[at]], impulse);
        if (impulse[0] != 0.0 || impulse[1] != 0.0 || impulse[2] != 0.0) push(&s->rows[at], impulse);
    }
}

// The patches of a colour have no strand in common. (54)
static void over_colour(dr_contact_solver *s, const dr_par *par, int colour, dr_par_body body)
{
    size_t groups = (size_t)s->colours, first = groups * (size_t)colour;
    size_t count = s->swept_begin[first + groups] - s->swept_begin[first];
    dr_rows_job job = {.solver = s, .offset = first};
    if (count > 0) dr_par_for(par, groups, 1 + groups * MANY / count, body, &job);
}

void dr_contact_solver_sweep(dr_contact_solver *s, const dr_par *par)
{
    for (int colour = 0; colour < s->colours; colour++) over_colour(s, par, colour, relax_patches);
}

void dr_contact_solver_sweep_back(dr_contact_solver *s, const dr_par *par)
{
    for (int colour = s->colours; colour-- > 0;) over_colour(s, par, colour, relax_patches_back);
}

// ---- how well

static double row_violation(const dr_contact_row *row, const double v[3])
{
    if (!(row->scale > 0.0)) return 0.0;
    if (row->spring) return fabs(v[0] + row->compliance * row->impulse[0]);
    return dr_cone_residual(row->impulse, v, row->friction, row->scale);
}

static void sum_violation(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    double sum = 0.0, most = 0.0;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        size_t i = job->list ? job->list[at] : at;
        const dr_contact_row *row = &s->rows[i];
        double v[3], miss = 0.0;
        dr_rows_read_velocity(row, v);
        double e = row_violation(row, v);
        sum += e * e;
        if (v[0] < 0.0) s->open[i] = false;
        if (!row->spring && row->scale > 0.0) miss = -v[0] / row->room;
        s->missing[i] = s->most_miss > 0.0 && miss > s->most_miss;
        most = fmax(most, miss);
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
    s->worst[begin / DR_ROWS_GRAIN] = most;
}

// What a contact has to stop: the strands' own motion and that of its pull; motion along the surface counts where it
// may be held.
static void sum_free(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    double sum = 0.0;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        const dr_contact_row *row = &job->solver->rows[i];
        const dr_contact *contact = &job->solver->contacts[job->solver->order[i]];
        double v[3];
        dr_rows_find_free(contact, job->from, v);
        v[0] -= row->w[0] * contact->pull;
        if (v[0] < 0.0 || row->spring || row->impulse[0] > 0.0) sum += dr_vec3_dot(v, v);
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

static double sum_rows(dr_contact_solver *s, const dr_par *par, dr_par_body body, const double *from)
{
    dr_rows_job job = {.solver = s, .out = s->partial, .from = from};
    dr_par_for(par, s->count, DR_ROWS_GRAIN, body, &job);
    return dr_par_sum(s->partial, (s->count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN);
}

double dr_contact_solver_violation(dr_contact_solver *s, const dr_par *par)
{
    return s->all > 0 ? sqrt(sum_rows(s, par, sum_violation, NULL) / (double)s->all) : 0.0;
}

double dr_contact_solver_scale(dr_contact_solver *s, const dr_par *par, const double *velocity)
{
    double sum = sum_rows(s, par, sum_free, velocity) + dr_working_set_free(s, par, velocity);
    return s->all > 0 ? sqrt(sum / (double)s->all) : 0.0;
}

static double largest(const dr_contact_solver *s, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i * DR_ROWS_GRAIN < count; i++) most = fmax(most, s->worst[i]);
    return most;
}

// How much farther than allowed the sides of any contact come to each other, of its room per second. (44)
static double largest_miss(const dr_contact_solver *s)
{
    return fmax(largest(s, s->count), s->rest_miss);
}

// Whether sweeps over a part of the contacts have brought none of these too near.
static bool is_part_solved(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s, .out = s->partial, .list = s->swept};
    dr_par_for(par, s->swept_count, DR_ROWS_GRAIN, sum_violation, &job);
    return !(largest(s, s->swept_count) > s->most_miss);
}

// ---- the whole

// The response to the impulses that contacts start with.
static void start(dr_contact_solver *s, const dr_par *par)
{
    if (s->count) memset(s->changes, 0, s->change_count * sizeof *s->changes);
    if (s->count) memset(s->open, 0, s->count * sizeof *s->open);
    s->settled = 0.0;
    s->relaxation = 1.0;
    for (int colour = 0; colour < s->colours; colour++) over_colour(s, par, colour, start_patches);
    if (s->springs) dr_springs_start(s, par);
}

bool dr_contact_solver_setup(dr_contact_solver *s, const dr_par *par, const dr_compliance *compliance,
                             dr_contact *contacts, size_t count)
{
    s->compliance = compliance;
    s->contacts = contacts;
    s->all = count;
    if (!dr_working_set_start(s, par) || !dr_rows_build(s, par)) return false;
    start(s, par);
    dr_working_set_refine(s, par);
    s->scale = dr_contact_solver_scale(s, par, s->compliance->v);
    return true;
}

void dr_contact_solver_move(dr_contact_solver *solver, dr_contact *contacts)
{
    solver->contacts = contacts;
}

static void keep_impulses(dr_contact_solver *s)
{
    s->responded = false;
    for (size_t i = 0; i < s->count; i++) {
        memcpy(s->contacts[s->order[i]].impulse, s->rows[i].impulse, sizeof s->rows[i].impulse);
        s->contacts[s->order[i]].slip = s->rows[i].slip;
    }
}

// ---- cones: every sweep makes a direction; as in conjugate gradients it is joined with those before (30)

static void keep_before(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        size_t i = s->swept[at];
        memcpy(s->before + 3 * i, s->rows[i].impulse, sizeof s->rows[i].impulse);
    }
}

static void keep_changes(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        const dr_contact_host *h = &s->hosts[s->moving[at]];
        memcpy(s->before + 3 * s->count + h->change, s->changes + h->change, h->stride * sizeof *s->changes);
    }
}

// Adds what a sweep has changed to the way that goes on, and sums the product of both in the measure of the diagonal
// blocks.
static void sum_moved(void *user, size_t begin, size_t end, int thread)
{
    dr_rows_job *job = user;
    dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        size_t i = s->swept[at];
        double moved[3], *way = s->way + 3 * i;
        dr_vec3_sub(moved, s->rows[i].impulse, s->before + 3 * i);
        dr_vec3_add_scaled(way, moved, job->share, way);
        if (way[0] != 0.0 || way[1] != 0.0 || way[2] != 0.0) s->open[i] = false; // it goes on
        sum += (s->rows[i].scale + s->rows[i].compliance) * dr_vec3_dot(moved, way);
    }
    job->out[begin / DR_ROWS_GRAIN] = sum;
}

static void move_impulses(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        size_t i = s->swept[at];
        dr_vec3_add_scaled(s->rows[i].impulse, s->rows[i].impulse, job->turn, s->way + 3 * i);
    }
}

static void move_changes(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    (void)thread;
    for (size_t at = begin; at < end; at++) {
        const dr_contact_host *h = &s->hosts[s->moving[at]];
        double *restrict way = s->way + 3 * s->count + h->change, *restrict change = s->changes + h->change;
        const double *restrict before = s->before + 3 * s->count + h->change;
        for (size_t i = 0; i < h->stride; i++) {
            way[i] = job->share * way[i] + change[i] - before[i];
            change[i] += job->turn * way[i];
        }
    }
}

// `share` of the way before has gone into the way; `next` of it goes on.
static void go_on(dr_contact_solver *s, const dr_par *par, double share, double next)
{
    dr_rows_job job = {.solver = s, .share = share, .turn = next};
    dr_par_for(par, s->swept_count, DR_ROWS_GRAIN, move_impulses, &job);
    dr_par_for(par, s->moving_count, DR_ROWS_GRAIN, move_changes, &job);
}

// Both the mean and every single contact must be good enough. (44)
static bool is_solved(const dr_contact_solver *s, double limit, double violation)
{
    return violation <= limit && !(s->most_miss > 0.0 && largest_miss(s) > s->most_miss);
}

void dr_contact_solver_keep_best(dr_contact_solver *s)
{
    for (size_t i = 0; i < s->count; i++) dr_vec3_copy(s->best + 3 * i, s->rows[i].impulse);
}

double dr_contact_solver_go_back(dr_contact_solver *s, const dr_par *par)
{
    double settled = s->settled, relaxation = 0.5 * s->relaxation;
    for (size_t i = 0; i < s->count; i++) {
        dr_vec3_copy(s->rows[i].impulse, s->best + 3 * i);
        dr_vec3_copy(s->contacts[s->order[i]].impulse, s->best + 3 * i);
        s->rows[i].slip = 0.0;
    }
    start(s, par);
    s->settled = settled;
    s->relaxation = relaxation;
    memset(s->way, 0, (3 * s->count + s->change_count) * sizeof *s->way);
    return dr_contact_solver_violation(s, par);
}

bool dr_contact_solver_is_lost(double violation, double best)
{
    return !isfinite(violation) || violation > LOST * best;
}

// Goes on from a pair of sweeps by the momentum of those before. Gives the share of it.
static double go_on_from(dr_contact_solver *s, const dr_par *par, double share)
{
    dr_rows_job job = {.solver = s, .out = s->partial, .share = share};
    dr_par_for(par, s->swept_count, DR_ROWS_GRAIN, sum_moved, &job);
    double moved = dr_par_sum(s->partial, (s->swept_count + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN);
    s->momentum = moved >= 0.0 ? s->momentum + 1 : 0;
    double next = s->momentum > 0 ? (double)s->momentum / (s->momentum + 3) : 0.0;
    go_on(s, par, share, next);
    return next;
}

// A solve under way.
typedef struct passage {
    double best;  // least violation
    double work;  // sweeps, of all contacts
    double spent; // of these in the subdomain at hand
    double share; // of the way that goes on
    double kept;  // and of that of all, which waits
    int momentum; // of all, likewise
    int hops;     // of the subdomain
    int pairs;    // of sweeps since the last look
} passage;

static size_t way_size(const dr_contact_solver *s)
{
    return (3 * s->count + s->change_count) * sizeof *s->way;
}

static void rest(dr_contact_solver *s, passage *p)
{
    p->share = p->spent = 0.0;
    s->momentum = 0;
    memset(s->way, 0, way_size(s));
}

// The way of all contacts waits while a part of them is swept.
static void set_aside(dr_contact_solver *s, passage *p)
{
    memcpy(s->waiting, s->way, way_size(s));
    p->kept = p->share;
    p->momentum = s->momentum;
}

static void take_up(dr_contact_solver *s, passage *p)
{
    memcpy(s->way, s->waiting, way_size(s));
    p->share = p->kept;
    s->momentum = p->momentum;
}

// A sweep forth and, where there may be another, one back.
static void sweep_both_ways(dr_contact_solver *s, const dr_par *par, passage *p, int most)
{
    dr_rows_job job = {.solver = s};
    const double part = (double)s->swept_count / (double)s->cones, begin = p->work;
    dr_par_for(par, s->swept_count, DR_ROWS_GRAIN, keep_before, &job);
    dr_par_for(par, s->moving_count, DR_ROWS_GRAIN, keep_changes, &job);
    dr_contact_solver_sweep(s, par);
    p->work += part;
    if (p->work < most) {
        dr_contact_solver_sweep_back(s, par);
        p->work += part;
    }
    p->spent += p->work - begin;
}

// Where it is a few contacts alone that are too near, these and those beside them are swept; then those about them too,
// where that took as much as one sweep of all; then all for a while. Gives whether it is another part. (51)
static bool choose_part(dr_contact_solver *s, passage *p, bool few)
{
    bool all = dr_subdomain_is_all(s), farther = !all && (!few || p->spent >= 1.0);
    if (farther) p->hops = (p->hops + 1) % (FARTHEST + 1);
    if (few && !(farther && p->hops == 0))
        dr_subdomain_close_in(s, p->hops);
    else
        dr_subdomain_open(s);
    bool part = !dr_subdomain_is_all(s);
    if (all && part) set_aside(s, p);
    if (!all && !part) take_up(s, p);
    if (part) rest(s, p);
    return part || !all;
}

// Whether it is time to look at all contacts.
static bool is_due(dr_contact_solver *s, const dr_par *par, passage *p)
{
    if (++p->pairs % (CHECK_EVERY / 2) != 0) return false;
    return dr_subdomain_is_all(s) || p->spent >= 1.0 || is_part_solved(s, par);
}

static double relax_cones(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                          double violation, int *iterations)
{
    passage p = {.best = violation, .work = *iterations};
    dr_subdomain_open(s);
    rest(s, &p);
    bool solved = is_solved(s, limit, violation);
    if (!solved) dr_contact_solver_keep_best(s);
    if (!solved) choose_part(s, &p, violation <= limit);
    while (!solved && p.work < settings->most_sweeps && s->relaxation > DR_CONTACT_SHORTEST) {
        sweep_both_ways(s, par, &p, settings->most_sweeps);
        if (is_due(s, par, &p) || p.work >= settings->most_sweeps) {
            violation = dr_contact_solver_violation(s, par);
            solved = is_solved(s, limit, violation);
            if (!solved && dr_contact_solver_is_lost(violation, fmax(p.best, limit))) {
                dr_subdomain_open(s);
                violation = dr_contact_solver_go_back(s, par);
                rest(s, &p);
                continue;
            }
            if (violation < p.best) dr_contact_solver_keep_best(s);
            p.best = fmin(p.best, violation);
            if (solved) break;
            if (choose_part(s, &p, violation <= limit)) continue;
        }
        p.share = go_on_from(s, par, p.share);
    }
    dr_subdomain_open(s);
    *iterations = (int)ceil(p.work);
    return solved || violation <= p.best ? violation : dr_contact_solver_go_back(s, par);
}

static double scale_of(const dr_contact_solver *s, const dr_contact_settings *settings)
{
    return settings->scale > 0.0 ? settings->scale : s->scale;
}

static double limit_of(const dr_contact_solver *s, const dr_contact_settings *settings)
{
    return settings->tolerance * scale_of(s, settings) + FLOOR;
}

// The violation of rows by what strands answer in double precision, which these take up, and that of all contacts;
// rest.miss counts from here on. (50), (53)
static double look_at_all(dr_contact_solver *s, const dr_par *par, dr_working_rest *rest, double *all)
{
    keep_impulses(s);
    *rest = dr_working_set_look(s, par);
    s->rest_miss = rest->miss;
    double violation = dr_contact_solver_violation(s, par);
    *all = s->all > 0 ? sqrt(violation * violation + rest->violation2 / (double)s->all) : 0.0;
    return violation;
}

// Works on those too that the last look has found.
static bool take_in(dr_contact_solver *s, const dr_par *par)
{
    double settled = s->settled, relaxation = s->relaxation;
    dr_working_set_extend(s);
    if (!dr_rows_build(s, par)) return false;
    start(s, par);
    dr_working_set_refine(s, par);
    s->settled = settled;
    s->relaxation = relaxation;
    s->rest_miss = 0.0;
    return true;
}

static void keep_all(dr_contact_solver *s)
{
    for (size_t k = 0; k < s->all; k++) dr_vec3_copy(s->kept + 3 * k, s->contacts[k].impulse);
}

// To the impulses that were kept of all. (47)
static void restore_all(dr_contact_solver *s, const dr_par *par)
{
    double settled = s->settled;
    for (size_t k = 0; k < s->all; k++) dr_vec3_copy(s->contacts[k].impulse, s->kept + 3 * k);
    for (size_t i = 0; i < s->count; i++) {
        dr_vec3_copy(s->rows[i].impulse, s->kept + 3 * s->order[i]);
        s->rows[i].slip = 0.0;
    }
    start(s, par);
    s->settled = settled;
    s->responded = false;
}

// What is not worked on may be violated in the end: it joins, until nothing is. (50)
static bool relax_all(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                      int *iterations, double *violation)
{
    double left = dr_contact_solver_violation(s, par), best = left, own = limit;
    keep_all(s);
    for (;;) {
        dr_working_rest rest;
        if (s->count > 0) left = relax_cones(s, par, settings, own, left, iterations);
        bool reached = is_solved(s, own, left);
        left = look_at_all(s, par, &rest, violation);
        if (is_solved(s, limit, *violation)) return true;
        if (*violation <= best) keep_all(s);
        best = fmin(best, *violation);
        own = limit; // less what those take of it that stay out
        if (rest.count == 0) own *= sqrt(fmax(1.0 - rest.violation2 / (limit * limit * (double)s->all), LEAST));
        bool ended = *iterations >= settings->most_sweeps || s->relaxation <= DR_CONTACT_SHORTEST;
        if (ended || (rest.count == 0 && (!reached || is_solved(s, own, left))) || !isfinite(*violation)) break;
        if (rest.count > 0 && !take_in(s, par)) return false;
        left = dr_contact_solver_violation(s, par);
    }
    if (*violation <= best) return true;
    restore_all(s, par);
    *violation = best;
    return true;
}

// Springs, and cones among them. (39), (53)
static double relax_springs(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                            int *iterations)
{
    for (;;) {
        dr_working_rest rest;
        double left = dr_contact_solver_violation(s, par);
        left = dr_springs_relax(s, par, settings, limit, left, iterations);
        if (!is_solved(s, limit, left)) return left;
        double violation;
        look_at_all(s, par, &rest, &violation);
        dr_springs_place(s);
        if (is_solved(s, limit, violation) || *iterations >= settings->most_sweeps) return violation;
    }
}

bool dr_contact_solver_run(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings,
                           dr_solve_report *report)
{
    *report = (dr_solve_report){.name = "contact", .reason = DR_REASON_ITERATIONS};
    double limit = limit_of(s, settings), violation = 0.0;
    s->settled = DR_ROWS_SETTLED * limit;
    s->relaxation = 1.0;
    s->rest_miss = 0.0;
    s->most_miss = settings->most_miss / s->compliance->dt;
    if (s->springs)
        violation = relax_springs(s, par, settings, limit, &report->iterations);
    else if (!relax_all(s, par, settings, limit, &report->iterations, &violation))
        return false;
    if (is_solved(s, limit, violation)) report->reason = DR_REASON_CONVERGED;
    if (!isfinite(violation)) report->reason = DR_REASON_NOT_FINITE;
    report->residual = violation / (scale_of(s, settings) + FLOOR);
    if (s->springs) keep_impulses(s);
    return true;
}

void dr_contact_latecomers_add(dr_contact_latecomers *all, const dr_contact *contact, const double v[3], double dt)
{
    const double nothing[3] = {0};
    double late[3] = {v[0] - contact->least, v[1], v[2]};
    double violation = dr_cone_residual(nothing, late, contact->friction, 1.0);
    all->count++;
    all->violation2 += violation * violation;
    all->miss = fmax(all->miss, -late[0] * dt / dr_contact_room(contact, dt));
}

bool dr_contact_solver_leaves(const dr_contact_solver *s, const dr_contact_settings *settings,
                              const dr_solve_report *last, const dr_contact_latecomers *all)
{
    double before = last->residual * (scale_of(s, settings) + FLOOR);
    double sum = before * before * (double)s->all + all->violation2;
    if (last->reason != DR_REASON_CONVERGED || (settings->most_miss > 0.0 && all->miss > settings->most_miss))
        return false;
    return sqrt(sum / (double)(s->all + all->count)) <= limit_of(s, settings);
}
