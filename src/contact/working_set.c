// Most contacts are such as strands come near but do not press on: the solver works on those that act or are violated,
// and looks at the others when it is done. docs/theory/contact.md eq. (50).
#include "contact/working_set.h"

#include <string.h>

enum { REST, LISTED, LATE };

static bool reserve(dr_contact_solver *s, const dr_par *par)
{
    const dr_allocator *a = s->allocator;
    const dr_compliance *c = s->compliance;
    size_t strands = (size_t)c->strands, vertices = (size_t)c->first[c->strands], longest = 0;
    size_t lanes = DR_ROWS_LANES * (size_t)c->batches, chunks = (s->all + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN;
    for (size_t i = 0; i < strands; i++) {
        size_t length = (size_t)(c->first[i + 1] - c->first[i]);
        longest = length > longest ? length : longest;
    }
    s->block_size = longest * 4 * DR_ROWS_LANES;
    return dr_memory_reserve(a, (void **)&s->list, &s->list_capacity, s->all, sizeof *s->list) &&
           dr_memory_reserve(a, (void **)&s->state, &s->state_capacity, s->all, sizeof *s->state) &&
           dr_memory_reserve(a, (void **)&s->response, &s->response_capacity, 4 * vertices, sizeof *s->response) &&
           dr_memory_reserve(a, (void **)&s->pushed, &s->pushed_capacity, strands, sizeof *s->pushed) &&
           dr_memory_reserve(a, (void **)&s->lane_strand, &s->lane_capacity, lanes, sizeof *s->lane_strand) &&
           dr_memory_reserve(a, (void **)&s->kept, &s->kept_capacity, 3 * s->all, sizeof *s->kept) &&
           dr_memory_reserve(a, (void **)&s->rest, &s->rest_capacity, 3 * chunks, sizeof *s->rest) &&
           dr_memory_reserve(a, (void **)&s->block, &s->block_capacity, s->block_size * (size_t)par->threads,
                             sizeof *s->block);
}

// ---- the answer of whole strands

static void to_world(const double frame[9], const double x[3], double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = frame[a] * x[0] + frame[3 + a] * x[1] + frame[6 + a] * x[2];
}

static void add_to_vertices(const dr_contact *contact, const double local[3], size_t stride, double *out)
{
    double world[3];
    to_world(contact->frame, local, world);
    for (int corner = 0; corner < 4; corner++) {
        double weight = dr_rows_share(contact, corner);
        if (weight <= 0.0) continue;
        double *at = out + stride * (size_t)(contact->vertex[corner / 2] + corner % 2);
        dr_vec3_add_scaled(at, at, corner < 2 ? weight : -weight, world);
    }
}

void dr_contact_impulses(const dr_contact *contacts, size_t count, size_t vertices, double *impulse)
{
    memset(impulse, 0, 3 * vertices * sizeof *impulse);
    for (size_t k = 0; k < count; k++) {
        double local[3] = {contacts[k].impulse[0] - contacts[k].pull, contacts[k].impulse[1], contacts[k].impulse[2]};
        add_to_vertices(&contacts[k], local, 3, impulse);
    }
}

static void push_strands(dr_contact_solver *s)
{
    const dr_compliance *c = s->compliance;
    memset(s->response, 0, 4 * (size_t)c->first[c->strands] * sizeof *s->response);
    memset(s->pushed, 0, (size_t)c->strands * sizeof *s->pushed);
    for (size_t k = 0; k < s->all; k++) {
        const dr_contact *contact = &s->contacts[k];
        double local[3];
        dr_rows_beyond_applied(contact, local);
        if (local[0] == 0.0 && local[1] == 0.0 && local[2] == 0.0) continue;
        add_to_vertices(contact, local, 4, s->response);
        for (int side = 0; side < 2 && contact->strand[side] >= 0; side++) s->pushed[contact->strand[side]] = true;
    }
}

// One strand in a lane of a block.
static void put_lane(const double *from, size_t length, int lane, double *block)
{
    for (size_t q = 0; q < 4 * length; q++) block[q * DR_ROWS_LANES + (size_t)lane] = from[q];
}

static void take_lane(const double *block, size_t length, int lane, double *to)
{
    for (size_t q = 0; q < 4 * length; q++) to[q] = block[q * DR_ROWS_LANES + (size_t)lane];
}

static void respond_batches(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    const dr_compliance *c = s->compliance;
    double *block = s->block + s->block_size * (size_t)thread;
    for (size_t b = begin; b < end; b++) {
        const int32_t *strands = s->lane_strand + DR_ROWS_LANES * b;
        int rows = 0;
        for (int lane = 0; lane < DR_ROWS_LANES; lane++) {
            int32_t i = strands[lane];
            int length = i >= 0 && s->pushed[i] ? c->first[i + 1] - c->first[i] : 0;
            rows = length > rows ? length : rows;
        }
        if (rows == 0) continue;
        memset(block, 0, (size_t)rows * 4 * DR_ROWS_LANES * sizeof *block);
        for (int pass = 0; pass < 2; pass++) {
            for (int lane = 0; lane < DR_ROWS_LANES; lane++) {
                int32_t i = strands[lane];
                if (i < 0 || !s->pushed[i]) continue;
                double *at = s->response + 4 * (size_t)c->first[i];
                size_t length = (size_t)(c->first[i + 1] - c->first[i]);
                if (pass == 0)
                    put_lane(at, length, lane, block);
                else
                    take_lane(block, length, lane, at);
            }
            if (pass == 0) c->solve_each(c->self, (int)b, rows, block);
        }
    }
}

static void respond_strands(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    const dr_compliance *c = s->compliance;
    double *block = s->block + s->block_size * (size_t)thread;
    for (size_t i = begin; i < end; i++) {
        size_t length = (size_t)(c->first[i + 1] - c->first[i]);
        double *at = s->response + 4 * (size_t)c->first[i];
        if (!s->pushed[i]) continue;
        memset(block, 0, length * 4 * DR_ROWS_LANES * sizeof *block);
        put_lane(at, length, 0, block);
        c->solve(c->self, (int)i, 0, block);
        take_lane(block, length, 0, at);
    }
}

// What the impulses in the contacts beyond those applied change velocities and turns of all strands by.
static void respond(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    const dr_compliance *c = s->compliance;
    push_strands(s);
    if (c->solve_each)
        dr_par_for(par, (size_t)c->batches, 1, respond_batches, &job);
    else
        dr_par_for(par, (size_t)c->strands, 4, respond_strands, &job);
    s->responded = true;
}

void dr_contact_solver_respond(dr_contact_solver *solver, const dr_par *par, double *change)
{
    const dr_compliance *c = solver->compliance;
    if (!solver->responded) respond(solver, par);
    memcpy(change, solver->response, 4 * (size_t)c->first[c->strands] * sizeof *change);
}

// ---- which

static bool acts(const dr_contact *contact)
{
    bool none = contact->pull == 0.0;
    for (int a = 0; a < 3; a++) none = none && contact->impulse[a] == 0.0 && contact->applied[a] == 0.0;
    return !none;
}

// Relative velocity in the motion of the response, less the one that is allowed.
static void read_velocity(const dr_contact_solver *s, const dr_contact *contact, double v[3])
{
    double sum[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        double weight = dr_rows_share(contact, corner);
        if (weight == 0.0) continue;
        size_t vertex = (size_t)(contact->vertex[corner / 2] + corner % 2);
        dr_vec3_add_scaled(sum, sum, corner < 2 ? weight : -weight, s->response + 4 * vertex);
    }
    dr_rows_to_frame(contact->frame, sum, v);
    double free[3];
    dr_rows_find_free(contact, s->compliance->v, free);
    dr_vec3_add(v, v, free);
}

static void choose(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t k = begin; k < end; k++) {
        double v[3] = {0};
        bool listed = acts(&s->contacts[k]);
        if (!listed) read_velocity(s, &s->contacts[k], v);
        s->state[k] = listed || v[0] < 0.0 ? LISTED : REST;
    }
}

// Springs and the cones among them are solved together, all of them. (39)
static bool any_spring(const dr_contact_solver *s)
{
    for (size_t k = 0; k < s->all; k++) {
        if (s->contacts[k].spring) return true;
    }
    return false;
}

static void list(dr_contact_solver *s)
{
    s->count = 0;
    for (size_t k = 0; k < s->all; k++) {
        if (s->state[k] == LISTED) s->list[s->count++] = (uint32_t)k;
    }
}

static void find_lanes(dr_contact_solver *s)
{
    const dr_compliance *c = s->compliance;
    if (!c->solve_each) return;
    for (size_t i = 0; i < DR_ROWS_LANES * (size_t)c->batches; i++) s->lane_strand[i] = -1;
    for (int32_t i = 0; i < c->strands; i++) s->lane_strand[c->home[i]] = i;
}

bool dr_working_set_start(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    if (!reserve(s, par)) return false;
    find_lanes(s);
    s->springs = any_spring(s);
    s->responded = false;
    if (s->springs) {
        memset(s->state, LISTED, s->all * sizeof *s->state);
    } else {
        respond(s, par);
        dr_par_for(par, s->all, DR_ROWS_GRAIN, choose, &job);
    }
    list(s);
    return true;
}

static void look(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    const double nothing[3] = {0};
    double *out = s->rest + 3 * (begin / DR_ROWS_GRAIN);
    out[0] = out[1] = out[2] = 0.0;
    (void)thread;
    for (size_t k = begin; k < end; k++) {
        const dr_contact *contact = &s->contacts[k];
        double v[3];
        if (s->state[k] == LISTED) continue;
        read_velocity(s, contact, v);
        s->state[k] = v[0] < -dr_rows_settled(s, dr_contact_room(contact, s->compliance->dt)) ? LATE : REST;
        if (!(v[0] < 0.0)) continue;
        double violation = dr_cone_residual(nothing, v, contact->friction, 1.0);
        out[0] += violation * violation;
        out[1] = fmax(out[1], -v[0] / dr_contact_room(contact, s->compliance->dt));
        out[2] += s->state[k] == LATE;
    }
}

// Rows know of answers in single precision: what the strands themselves answer differs by rounding, which goes into
// the velocities that rows begin from (iterative refinement). (53)
static void refine(void *user, size_t begin, size_t end, int thread)
{
    dr_contact_solver *s = ((dr_rows_job *)user)->solver;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        dr_contact_row *row = &s->rows[i];
        double exact[3], rounded[3];
        read_velocity(s, &s->contacts[s->order[i]], exact);
        dr_rows_read_velocity(row, rounded);
        for (int a = 0; a < 3; a++) row->free[a] += exact[a] - rounded[a];
    }
}

void dr_working_set_refine(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    if (s->responded) dr_par_for(par, s->count, DR_ROWS_GRAIN, refine, &job);
}

dr_working_rest dr_working_set_look(dr_contact_solver *s, const dr_par *par)
{
    dr_rows_job job = {.solver = s};
    dr_working_rest rest = {0};
    respond(s, par);
    dr_working_set_refine(s, par);
    dr_par_for(par, s->all, DR_ROWS_GRAIN, look, &job);
    for (size_t i = 0; i * DR_ROWS_GRAIN < s->all; i++) {
        rest.violation2 += s->rest[3 * i];
        rest.miss = fmax(rest.miss, s->rest[3 * i + 1]);
        rest.count += (size_t)s->rest[3 * i + 2];
    }
    return rest;
}

static void sum_free(void *user, size_t begin, size_t end, int thread)
{
    const dr_rows_job *job = user;
    const dr_contact_solver *s = job->solver;
    double sum = 0.0;
    (void)thread;
    for (size_t k = begin; k < end; k++) {
        double v[3];
        if (s->state[k] == LISTED) continue;
        dr_rows_find_free(&s->contacts[k], job->from, v);
        if (v[0] < 0.0) sum += dr_vec3_dot(v, v);
    }
    s->rest[begin / DR_ROWS_GRAIN] = sum;
}

double dr_working_set_free(dr_contact_solver *s, const dr_par *par, const double *velocity)
{
    dr_rows_job job = {.solver = s, .from = velocity};
    dr_par_for(par, s->all, DR_ROWS_GRAIN, sum_free, &job);
    return dr_par_sum(s->rest, (s->all + DR_ROWS_GRAIN - 1) / DR_ROWS_GRAIN);
}

void dr_working_set_extend(dr_contact_solver *s)
{
    for (size_t k = 0; k < s->all; k++) {
        if (s->state[k] == LATE) s->state[k] = LISTED;
    }
    list(s);
}
