// Contacts that are springs, and cones among them: conjugate gradients over springs and what cones hold, docs/theory/
// contact.md eq. (15), (39). The answer of strands to springs is solved for, eight strands side by side, so that no
// column of their compliance is kept but those of cones.
#include "contact/springs.h"

#include <string.h>

// A vector has three numbers for every cone, then one for every spring. The gradient is what the energy changes by with
// an impulse: of a spring what is against (15), of a cone its velocity; where the iteration begins, and ahead of it.
enum { IMPULSE, BEFORE, WAY, HERE, AHEAD, IMAGE, CHANGE, VECTORS };

static size_t length_of(const dr_contact_solver *s)
{
    return 3 * s->cones + s->count - s->cones;
}

static double *vector(const dr_contact_solver *s, int which)
{
    return s->vectors + (size_t)which * length_of(s);
}

// Where the spring of a row is in a vector.
static size_t place_of(const dr_contact_solver *s, size_t row)
{
    return 2 * s->cones + row;
}

// ---- what strands answer is solved for

static void fill_pull(const dr_contact_solver *s, const dr_contact_host *h, size_t use)
{
    size_t row = s->uses[use] / 2;
    const dr_contact *contact = &s->contacts[s->order[row]];
    dr_contact_pull *out = &s->pulls[use];
    *out = (dr_contact_pull){.place = (uint32_t)place_of(s, row), .spring = contact->spring};
    for (int corner = 0; corner < 4; corner++) {
        if (contact->strand[corner / 2] != h->strand) continue;
        int side = corner / 2;
        double share = corner < 2 ? dr_rows_share(contact, corner) : -dr_rows_share(contact, corner);
        out->vertex[side] = contact->vertex[side] - s->compliance->first[h->strand];
        out->share[corner] = share; // an edge always has an end after its beginning
        out->ends[side] = true;
    }
    dr_vec3_copy(out->normal, contact->frame);
}

void dr_springs_fill(dr_contact_solver *s, const dr_contact_host *h, const double *matrix)
{
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) fill_pull(s, h, k);
    dr_spring_groups_fill(s, h, matrix);
}

// The impulses of all springs of a strand into a lane of right-hand sides.
static void push_host(const dr_contact_solver *s, const dr_contact_host *h, const double *impulses, int lane,
                      double *block)
{
    for (const dr_contact_pull *p = s->pulls + h->uses; p < s->pulls + h->uses + h->use_count; p++) {
        if (!p->spring) continue;
        double impulse = impulses[p->place];
        for (int side = 0; side < 2; side++) {
            if (!p->ends[side]) continue;
            double *at = block + 4 * p->vertex[side] * DR_ROWS_LANES + lane;
            double first = impulse * p->share[2 * side], second = impulse * p->share[2 * side + 1];
            for (int a = 0; a < 3; a++) {
                at[a * DR_ROWS_LANES] += first * p->normal[a];
                at[(4 + a) * DR_ROWS_LANES] += second * p->normal[a];
            }
        }
    }
}

static void add_lane(const dr_contact_solver *s, const dr_contact_host *h, const double *block, int lane)
{
    const int first = s->compliance->first[h->strand], length = s->compliance->first[h->strand + 1] - first;
    double *to = s->changes + h->change;
    for (int v = 0; v < length; v++) {
        int32_t slot = s->slot[first + v];
        for (int a = 0; a < 3 && slot >= 0; a++) to[3 * slot + a] += block[(4 * v + a) * DR_ROWS_LANES + lane];
    }
}

static int host_length(const dr_contact_solver *s, const dr_contact_host *h)
{
    return s->compliance->first[h->strand + 1] - s->compliance->first[h->strand];
}

static void answer_batches(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    const dr_compliance *c = s->compliance;
    double *block = s->block + s->block_size * (size_t)thread;
    for (size_t b = begin; b < end; b++) {
        const int32_t *hosts = s->batch_hosts + DR_ROWS_LANES * b;
        int rows = 0;
        for (int lane = 0; lane < DR_ROWS_LANES; lane++) {
            int length = hosts[lane] >= 0 ? host_length(s, &s->hosts[hosts[lane]]) : 0;
            rows = length > rows ? length : rows;
        }
        if (rows == 0) continue;
        memset(block, 0, (size_t)rows * 4 * DR_ROWS_LANES * sizeof *block);
        for (int lane = 0; lane < DR_ROWS_LANES; lane++) {
            if (hosts[lane] >= 0) push_host(s, &s->hosts[hosts[lane]], job->from, lane, block);
        }
        c->solve_each(c->self, (int)b, rows, block);
        for (int lane = 0; lane < DR_ROWS_LANES; lane++) {
            if (hosts[lane] >= 0) add_lane(s, &s->hosts[hosts[lane]], block, lane);
        }
    }
}

static void answer_hosts(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    const dr_compliance *c = s->compliance;
    double *block = s->block + s->block_size * (size_t)thread;
    for (size_t i = begin; i < end; i++) {
        const dr_contact_host *h = &s->hosts[i];
        memset(block, 0, (size_t)host_length(s, h) * 4 * DR_ROWS_LANES * sizeof *block);
        push_host(s, h, job->from, 0, block);
        c->solve(c->self, h->strand, 0, block);
        add_lane(s, h, block, 0);
    }
}

// Adds what strands answer to the impulses of springs, a vector.
static void add_answers(dr_contact_solver *s, const dr_par *par, const double *impulses)
{
    dr_rows_job job = {.solver = s, .from = impulses};
    if (s->compliance->solve_each)
        dr_par_for(par, (size_t)s->compliance->batches, 1, answer_batches, &job);
    else
        dr_par_for(par, s->host_count, 4, answer_hosts, &job);
}

void dr_springs_start(dr_contact_solver *s, const dr_par *par)
{
    double *impulse = vector(s, IMPULSE);
    for (size_t i = s->cones; i < s->count; i++) {
        double beyond[3];
        dr_rows_beyond_applied(&s->contacts[s->order[i]], beyond);
        impulse[place_of(s, i)] = beyond[0];
    }
    add_answers(s, par, impulse);
}

// ---- memory

// Which touched strands lie side by side in the compliance.
static bool find_batches(dr_contact_solver *s)
{
    const dr_compliance *c = s->compliance;
    size_t lanes = DR_ROWS_LANES * (size_t)c->batches;
    if (!c->solve_each) return true;
    if (!dr_memory_reserve(s->allocator, (void **)&s->batch_hosts, &s->batch_host_capacity, lanes,
                           sizeof *s->batch_hosts))
        return false;
    for (size_t i = 0; i < lanes; i++) s->batch_hosts[i] = -1;
    for (size_t i = 0; i < s->host_count; i++) s->batch_hosts[c->home[s->hosts[i].strand]] = (int32_t)i;
    return true;
}

bool dr_springs_reserve(dr_contact_solver *s)
{
    const dr_allocator *a = s->allocator;
    return dr_memory_reserve(a, (void **)&s->vectors, &s->vector_capacity, VECTORS * length_of(s),
                             sizeof *s->vectors) &&
           dr_memory_reserve(a, (void **)&s->spring_places, &s->spring_place_capacity, s->count - s->cones,
                             sizeof *s->spring_places) &&
           dr_memory_reserve(a, (void **)&s->pulls, &s->pull_capacity, 2 * s->count, sizeof *s->pulls) &&
           find_batches(s);
}

void dr_springs_place(dr_contact_solver *s)
{
    for (size_t i = s->cones; i < s->count; i++) {
        const dr_contact_row *row = &s->rows[i];
        dr_spring_place *place = &s->spring_places[i - s->cones];
        *place = (dr_spring_place){.free = row->free[0], .compliance = row->compliance};
        dr_vec3_copy(place->normal, row->frame);
        for (int corner = 0; corner < 4; corner++) {
            if (!row->change[corner]) continue;
            place->weight[corner] = row->weight[corner];
            place->at[corner] = (uint32_t)(row->change[corner] - s->changes);
        }
    }
}

// ---- gradient

static double read_spring(const dr_contact_solver *s, size_t i)
{
    const dr_spring_place *place = &s->spring_places[i];
    double change[3] = {0};
    for (int corner = 0; corner < 4; corner++)
        dr_vec3_add_scaled(change, change, place->weight[corner], s->changes + place->at[corner]);
    return place->free + dr_vec3_dot(place->normal, change) + place->compliance * vector(s, IMPULSE)[3 * s->cones + i];
}

// Products of the new direction z, the way before p, their images Az and Ap, and the gradient g.
enum { Z_G, P_G, Z_AZ, Z_AP, P_AP, PRODUCTS };

static void add_products(const dr_contact_solver *s, size_t k, double sum[PRODUCTS])
{
    double z = vector(s, IMPULSE)[k] - vector(s, BEFORE)[k], here = vector(s, HERE)[k], way = vector(s, WAY)[k];
    sum[Z_G] += z * here;
    sum[P_G] += way * here;
    sum[Z_AZ] += z * (vector(s, AHEAD)[k] - here);
    sum[Z_AP] += z * vector(s, IMAGE)[k];
    sum[P_AP] += way * vector(s, IMAGE)[k];
}

static void sum_springs(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum[PRODUCTS] = {0};
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        size_t k = 3 * s->cones + i;
        vector(s, AHEAD)[k] = read_spring(s, i);
        add_products(s, k, sum);
    }
    for (size_t k = 0; k < PRODUCTS; k++) job->out[k * job->offset + begin / DR_ROWS_GRAIN] = sum[k];
}

// How many numbers of a cone change as what is linear does: where it sticks all, where it slides the normal, where it
// is open none.
static size_t free_parts(const dr_contact_row *row)
{
    const double *r = row->impulse;
    if (!(row->scale > 0.0) || !(r[0] > 0.0)) return 0;
    return r[1] * r[1] + r[2] * r[2] < (1.0 - 1e-9) * row->friction * row->friction * r[0] * r[0] ? 3 : 1;
}

static void sum_all(dr_contact_solver *s, const dr_par *par, double of[PRODUCTS])
{
    size_t springs = s->count - s->cones, chunks = (springs + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN;
    dr_rows_job job = {.solver = s, .out = s->partial, .offset = chunks};
    dr_par_for(par, springs, DR_ROWS_GRAIN, sum_springs, &job);
    for (size_t k = 0; k < PRODUCTS; k++) of[k] = dr_par_sum(s->partial + k * chunks, chunks);
    for (size_t i = 0; i < s->cones; i++) {
        dr_rows_read_velocity(&s->rows[i], vector(s, AHEAD) + 3 * i);
        for (size_t a = 0; a < free_parts(&s->rows[i]); a++) add_products(s, 3 * i + a, of);
    }
}

// ---- one iteration

// The next way is z + turn p, conjugate to the one before where it leads down, else z; as far as is lowest.
static void choose(const double of[PRODUCTS], double *turn, double *along)
{
    *turn = of[P_AP] > 0.0 && of[Z_AP] < 0.0 ? -of[Z_AP] / of[P_AP] : 0.0;
    *along = 1.0;
    double slope = of[Z_G] + *turn * of[P_G];
    double curvature = of[Z_AZ] + 2.0 * *turn * of[Z_AP] + *turn * *turn * of[P_AP];
    if (!(curvature > 0.0) || !(slope < 0.0)) {
        *turn = 0.0;
        slope = of[Z_G];
        curvature = of[Z_AZ];
    }
    if (curvature > 0.0 && slope < 0.0) *along = -slope / curvature;
}

static void move_impulses(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double *restrict impulse = vector(s, IMPULSE), *restrict way = vector(s, WAY), *restrict here = vector(s, HERE);
    double *restrict image = vector(s, IMAGE);
    const double *restrict before = vector(s, BEFORE), *restrict ahead = vector(s, AHEAD);
    (void)thread;
    for (size_t k = begin; k < end; k++) {
        way[k] = impulse[k] - before[k] + job->turn * way[k];
        image[k] = ahead[k] - here[k] + job->turn * image[k];
        impulse[k] = before[k] + job->share * way[k];
        here[k] += job->share * image[k];
    }
}

static void move_changes(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double *restrict way = s->way, *restrict change = s->changes;
    const double *restrict before = s->before;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        way[i] = change[i] - before[i] + job->turn * way[i];
        change[i] = before[i] + job->share * way[i];
    }
}

#define LONG 4096 // numbers that are worth a thread

static void go_on(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    double of[PRODUCTS];
    sum_all(s, par, of);
    choose(of, &job.turn, &job.share);
    dr_par_for(par, length_of(s), LONG, move_impulses, &job);
    dr_par_for(par, s->change_count, LONG, move_changes, &job);
    for (size_t i = 0; i < s->cones; i++) dr_vec3_copy(s->rows[i].impulse, vector(s, IMPULSE) + 3 * i);
}

// Sweeps over the cones forth and back, which decide what they hold.
static void relax_cones(dr_contact_solver *s, const dr_par *par)
{
    if (s->cones) memset(s->open, 0, s->cones * sizeof *s->open);
    dr_contact_solver_sweep(s, par);
    dr_contact_solver_sweep_back(s, par);
    for (size_t i = 0; i < s->cones; i++) dr_vec3_copy(vector(s, IMPULSE) + 3 * i, s->rows[i].impulse);
}

#define SHARE                                                                                                          \
    0.8 // of what pairs of strands would do alone. Half of it takes half as many iterations again, more diverge

static void relax_springs(dr_contact_solver *s, const dr_par *par)
{
    double *change = vector(s, CHANGE), *impulse = vector(s, IMPULSE);
    dr_spring_groups_solve(s, par, vector(s, HERE), change);
    for (size_t k = 3 * s->cones; k < length_of(s); k++) {
        change[k] *= -SHARE;
        impulse[k] += change[k];
    }
    add_answers(s, par, change);
}

// ---- the whole

static void read_gradient(dr_contact_solver *s)
{
    for (size_t i = 0; i < s->cones; i++) dr_rows_read_velocity(&s->rows[i], vector(s, HERE) + 3 * i);
    for (size_t i = s->cones; i < s->count; i++) vector(s, HERE)[place_of(s, i)] = read_spring(s, i - s->cones);
}

static void begin(dr_contact_solver *s)
{
    for (size_t i = 0; i < s->cones; i++) dr_vec3_copy(vector(s, IMPULSE) + 3 * i, s->rows[i].impulse);
    for (size_t i = s->cones; i < s->count; i++) vector(s, IMPULSE)[place_of(s, i)] = s->rows[i].impulse[0];
    read_gradient(s);
    memset(vector(s, WAY), 0, length_of(s) * sizeof *s->vectors);
    memset(vector(s, IMAGE), 0, length_of(s) * sizeof *s->vectors);
    memset(s->way, 0, s->change_count * sizeof *s->way);
}

// What is left by the gradient, which is known.
static double estimate(const dr_contact_solver *s)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->cones; i++) {
        const dr_contact_row *row = &s->rows[i];
        if (!(row->scale > 0.0)) continue;
        double e = dr_cone_residual(row->impulse, vector(s, HERE) + 3 * i, row->friction, row->scale);
        sum += e * e;
    }
    for (size_t k = 3 * s->cones; k < length_of(s); k++) sum += vector(s, HERE)[k] * vector(s, HERE)[k];
    return sqrt(sum / (double)s->count);
}

// The violation of the impulses as they are, which the rows get; cones hold no more than they can.
static double look(dr_contact_solver *s, const dr_par *par)
{
    if (s->cones) relax_cones(s, par);
    for (size_t i = s->cones; i < s->count; i++) s->rows[i].impulse[0] = vector(s, IMPULSE)[place_of(s, i)];
    return dr_contact_solver_violation(s, par);
}

// Where ways over springs and cones have led away, cones are swept first and the way is one of springs alone, along
// which the energy falls. (47)
static void iterate(dr_contact_solver *s, const dr_par *par, bool apart)
{
    if (apart && s->cones) {
        relax_cones(s, par);
        read_gradient(s);
    }
    memcpy(vector(s, BEFORE), vector(s, IMPULSE), length_of(s) * sizeof *s->vectors);
    memcpy(s->before, s->changes, s->change_count * sizeof *s->changes);
    if (!apart && s->cones) relax_cones(s, par);
    relax_springs(s, par);
    go_on(s, par);
}

double dr_springs_relax(dr_contact_solver *s, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations)
{
    double best = violation;
    bool apart = false;
    s->settled = 0.0;
    dr_contact_solver_keep_best(s);
    while (violation > limit && *iterations < settings->most_sweeps && s->relaxation > DR_CONTACT_SHORTEST) {
        double left = violation;
        begin(s);
        for (; left > limit && !dr_contact_solver_is_lost(left, best) && *iterations < settings->most_sweeps;
             left = estimate(s), ++*iterations)
            iterate(s, par, apart);
        bool lost = dr_contact_solver_is_lost(left, best);
        violation = lost ? dr_contact_solver_go_back(s, par) : look(s, par);
        apart = apart || lost;
        if (violation < best) dr_contact_solver_keep_best(s);
        best = fmin(best, violation);
    }
    return violation <= best ? violation : dr_contact_solver_go_back(s, par);
}
