// docs/theory/contact.md, "The stage".
#include "contact/stage.h"

#include "base/number.h"
#include "contact/narrow_phase.h"
#include "math/vec.h"

#include <string.h>

#define SMALL_TURN   0.05 // radians: what an edge may turn by in the linear answer to contact. Half of it bends once more
#define TRUSTED      0.25 // radians: half of it takes more looks at strands that bend far, twice of it more that go astray
#define NEAR_TURN    0.1 // radians: from there on contact is solved to the end, so that what is left is not its own error
#define SMALL_STRAIN 1e-3 // and be stretched by
#define ROUGH_STRAIN 0.01 // a step that leaves more is too long
#define TORN         0.2  // strain at which a linear answer says nothing
#define LOOSE        10.0 // tolerances: how far contact is solved before the strands have found their shape
#define LOOSEST      0.02 // and at most that
// Of a linear answer: a strand that is to go no more of it goes astray. Half of it: of 150 throws over posts 66 go
// astray all the same, for 3 % more bends; twice of it: for 6 % fewer.
#define LEAST_SHARE 0.2
// Of what its sides have to lose: how much too near any contact may be in the end, and before the strands have found
// their shape. (44) Beyond 0.9 the last check holds strands; half of it takes half as many sweeps again.
#define MISS       0.5
#define LOOSE_MISS 2.0

#define STRANDS      8  // that are worth a thread
#define MANY_STRANDS 64 // where they are only passed over

// How far contact moves edges away from where the strands' answer was made linear.
typedef struct departure {
    double turn;   // largest, of an edge's length: about radians
    double strain; // largest
    double error;  // largest strain that the linear answer does not know of: turning an edge along a straight line
} departure;

// Newton's method as contact solves it, of a strand: how far the last answer was from where it was made linear, and the
// share of it that the strand goes.
typedef struct newton {
    double turn, share;
} newton;

struct dr_contact_stage {
    const dr_allocator *allocator;
    dr_contact_set set;
    dr_contact_solver *solver;
    double dt;
    double scale; // of velocities that contact has to stop, cm/s
    bool ready;   // the solver has been set up with the contacts there are
    dr_contact_model model;
    double *base;     // [vertex][3] velocities that contact starts from
    double *velocity; // [vertex][3] velocities with contact
    double *change;   // [vertex][4]
    double *impulse;  // [vertex][3]
    double *spin;     // [vertex] rad/s
    double *length;   // [vertex] of edges in the linear answer, cm
    double *own;      // [vertex][3] velocities that the strands were predicted
    double *own_spin; // [vertex] rad/s
    double *block;    // per thread: right-hand sides of the longest strand
    size_t block_size;
    departure *departures; // [strand]
    newton *newtons;       // [strand]
    double *about;         // [vertex][3] velocities about which the strands' answer is linear
    double *radius, *film;
    double *friction, *share; // [strand]
    double *drift;            // [strand][3]
    bool *driven;             // [strand]
    bool *wet;                // [strand]
    bool *held;               // [vertex]
    bool *touched;            // [strand] contact acts on it
    bool *bent;               // [strand] and did so in this step, be it in a solve before
    dr_contact_record *records;
    size_t record_count;    // to be remembered
    unsigned char *changed; // [strand]
    size_t base_capacity, velocity_capacity, change_capacity, impulse_capacity, spin_capacity, about_capacity,
        length_capacity, radius_capacity, film_capacity;
    size_t friction_capacity, share_capacity, driven_capacity, changed_capacity, held_capacity, record_capacity,
        drift_capacity, touched_capacity, bent_capacity, own_capacity, own_spin_capacity, block_capacity,
        departure_capacity, newton_capacity, wet_capacity;
};

dr_contact_stage *dr_contact_stage_create(const dr_allocator *allocator)
{
    dr_contact_stage *stage = dr_memory_alloc(allocator, sizeof *stage);
    if (!stage) return NULL;
    stage->allocator = allocator;
    dr_contact_set_open(&stage->set, allocator);
    stage->solver = dr_contact_solver_create(allocator);
    if (stage->solver) return stage;
    dr_contact_stage_destroy(stage);
    return NULL;
}

void dr_contact_stage_destroy(dr_contact_stage *stage)
{
    if (!stage) return;
    const dr_allocator *a = stage->allocator;
    dr_contact_set_close(&stage->set);
    dr_contact_solver_destroy(stage->solver);
    dr_memory_free(a, stage->base, stage->base_capacity * sizeof *stage->base);
    dr_memory_free(a, stage->velocity, stage->velocity_capacity * sizeof *stage->velocity);
    dr_memory_free(a, stage->change, stage->change_capacity * sizeof *stage->change);
    dr_memory_free(a, stage->impulse, stage->impulse_capacity * sizeof *stage->impulse);
    dr_memory_free(a, stage->spin, stage->spin_capacity * sizeof *stage->spin);
    dr_memory_free(a, stage->about, stage->about_capacity * sizeof *stage->about);
    dr_memory_free(a, stage->length, stage->length_capacity * sizeof *stage->length);
    dr_memory_free(a, stage->radius, stage->radius_capacity * sizeof *stage->radius);
    dr_memory_free(a, stage->film, stage->film_capacity * sizeof *stage->film);
    dr_memory_free(a, stage->friction, stage->friction_capacity * sizeof *stage->friction);
    dr_memory_free(a, stage->share, stage->share_capacity * sizeof *stage->share);
    dr_memory_free(a, stage->drift, stage->drift_capacity * sizeof *stage->drift);
    dr_memory_free(a, stage->driven, stage->driven_capacity * sizeof *stage->driven);
    dr_memory_free(a, stage->wet, stage->wet_capacity * sizeof *stage->wet);
    dr_memory_free(a, stage->held, stage->held_capacity * sizeof *stage->held);
    dr_memory_free(a, stage->bent, stage->bent_capacity * sizeof *stage->bent);
    dr_memory_free(a, stage->own, stage->own_capacity * sizeof *stage->own);
    dr_memory_free(a, stage->own_spin, stage->own_spin_capacity * sizeof *stage->own_spin);
    dr_memory_free(a, stage->block, stage->block_capacity * sizeof *stage->block);
    dr_memory_free(a, stage->newtons, stage->newton_capacity * sizeof *stage->newtons);
    dr_memory_free(a, stage->departures, stage->departure_capacity * sizeof *stage->departures);
    dr_memory_free(a, stage->touched, stage->touched_capacity * sizeof *stage->touched);
    dr_memory_free(a, stage->records, stage->record_capacity * sizeof *stage->records);
    dr_memory_free(a, stage->changed, stage->changed_capacity * sizeof *stage->changed);
    dr_memory_free(a, stage, sizeof *stage);
}

#define RESERVE(member, capacity, count)                                                                               \
    dr_memory_reserve(s->allocator, (void **)&s->member, &s->capacity, count, sizeof *s->member)

static bool reserve(dr_contact_stage *s, const dr_par *par, const dr_strands *all)
{
    size_t strands = (size_t)all->count, vertices = all->vertices, longest = 0;
    for (int i = 0; i < all->count; i++) {
        size_t length = (size_t)(all->first[i + 1] - all->first[i]);
        if (length > longest) longest = length;
    }
    s->block_size = 4 * DR_COMPLIANCE_LANES * longest;
    return RESERVE(base, base_capacity, 3 * vertices) && RESERVE(velocity, velocity_capacity, 3 * vertices) &&
           RESERVE(change, change_capacity, 4 * vertices) && RESERVE(radius, radius_capacity, vertices) &&
           RESERVE(impulse, impulse_capacity, 3 * vertices) && RESERVE(spin, spin_capacity, vertices) &&
           RESERVE(about, about_capacity, 3 * vertices) && RESERVE(length, length_capacity, vertices) &&
           RESERVE(film, film_capacity, vertices) && RESERVE(friction, friction_capacity, strands) &&
           RESERVE(share, share_capacity, strands) && RESERVE(drift, drift_capacity, 3 * strands) &&
           RESERVE(driven, driven_capacity, strands) && RESERVE(wet, wet_capacity, strands) &&
           RESERVE(changed, changed_capacity, strands) && RESERVE(held, held_capacity, vertices) &&
           RESERVE(touched, touched_capacity, strands) && RESERVE(bent, bent_capacity, strands) &&
           RESERVE(own, own_capacity, 3 * vertices) && RESERVE(own_spin, own_spin_capacity, vertices) &&
           RESERVE(departures, departure_capacity, strands) && RESERVE(newtons, newton_capacity, strands) &&
           RESERVE(block, block_capacity, s->block_size * (size_t)par->threads);
}

// ---- what strands are like

// Radius of the round rod of the same cross-section; of a vertex the wider of its edges.
static void measure_strand(dr_contact_stage *s, const dr_strands *strands, const dr_contact_choice *choice, int strand)
{
    int32_t begin = strands->first[strand], end = strands->first[strand + 1];
    const dr_contact_law *law = choice->laws ? &choice->laws[strands->body[strand]] : &choice->law;
    s->driven[strand] = s->wet[strand] = false;
    s->friction[strand] = dr_strands_material(strands, strand)->friction;
    for (int32_t v = begin; v < end; v++) {
        const double *on = strands->radius + 2 * (size_t)(v + 1 < end ? v : v - 1);
        const double *back = strands->radius + 2 * (size_t)(v > begin ? v - 1 : v);
        double r = sqrt(fmax(on[0] * on[1], back[0] * back[1])), h = strands->film_height[v];
        s->radius[v] = r;
        s->film[v] = law->pair ? DR_PI * h * (h + 2.0 * r) : 0.0;
        s->wet[strand] = s->wet[strand] || s->film[v] > 0.0;
        const double *u = s->base + 3 * (size_t)v;
        s->held[v] = (strands->held[v] & DR_STRAND_HELD) != 0;
        if (s->held[v] && dr_vec3_dot(u, u) > 0.0) s->driven[strand] = true;
    }
}

typedef struct beginning {
    dr_contact_stage *stage;
    const dr_strands *strands;
    const dr_contact_choice *choice;
    const double *velocity; // that strands were predicted
} beginning;

static void take_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const beginning *job = user;
    dr_contact_stage *s = job->stage;
    for (size_t strand = begin; strand < end; strand++) {
        size_t from = 3 * (size_t)job->strands->first[strand], to = 3 * (size_t)job->strands->first[strand + 1];
        size_t bytes = (to - from) * sizeof *job->velocity;
        memcpy(s->base + from, job->velocity + from, bytes);
        memcpy(s->velocity + from, job->velocity + from, bytes);
        memcpy(s->about + from, job->velocity + from, bytes);
        s->bent[strand] = false;
        s->newtons[strand] = (newton){0.0, 1.0};
        measure_strand(s, job->strands, job->choice, (int)strand);
    }
}

static dr_contact_bodies describe(dr_contact_stage *s, const dr_strands *strands, const dr_contact_choice *choice,
                                  const dr_compliance *compliance)
{
    bool wet = false;
    for (int strand = 0; strand < strands->count; strand++) wet = wet || s->wet[strand];
    dr_contact_bodies bodies = {.law = &choice->law, .laws = choice->laws, .law_count = choice->law_count};
    return (dr_contact_bodies){.compliance = compliance,
                               .velocity = s->base,
                               .start_velocity = strands->velocity,
                               .radius = s->radius,
                               .mass = strands->mass,
                               .film = wet ? s->film : NULL,
                               .friction = s->friction,
                               .held = s->held,
                               .law = &choice->law,
                               .laws = choice->laws,
                               .law_count = choice->law_count,
                               .kind = strands->body,
                               .angle_known = true,
                               .widest_angle = dr_contact_widest_angle(&bodies)};
}

// ---- solving

static void add_change(dr_contact_stage *s, size_t vertices)
{
    for (size_t v = 0; v < vertices; v++) {
        for (size_t a = 0; a < 3; a++) s->velocity[3 * v + a] = s->base[3 * v + a] + s->change[4 * v + a];
    }
}

// What a step of the stage works on.
typedef struct work {
    const dr_contact_choice *choice;
    const dr_par *par;
    dr_strand_solver *solver;
    const dr_strands *strands;
    const dr_strand_step *step;
    dr_contact_bodies *bodies;
    bool last;                  // the step is taken as it comes
    const unsigned char *order; // [strand] of the prediction, NULL: by one stage
} work;

// ---- who is touched

static bool acts(const dr_contact *contact)
{
    double sum = fabs(contact->pull);
    for (int a = 0; a < 3; a++) sum += fabs(contact->impulse[a]) + fabs(contact->applied[a]);
    return sum > 0.0;
}

// Before anything is solved: a contact that acted in the last step or that the prediction violates.
static bool will_act(const dr_contact *contact, const dr_contact_bodies *bodies)
{
    double v[3];
    if (contact->spring || acts(contact)) return true;
    dr_narrow_phase_relative(contact, bodies->velocity, v);
    return dr_vec3_dot(contact->frame, v) < contact->least;
}

// Gives whether any of them was predicted by two stages.
static bool find_touched(dr_contact_stage *s, const work *w, bool solved)
{
    bool staged = false;
    memset(s->touched, 0, (size_t)w->strands->count * sizeof *s->touched);
    for (size_t k = 0; k < s->set.count; k++) {
        const dr_contact *contact = &s->set.contacts[k];
        if (solved ? !acts(contact) : !will_act(contact, w->bodies)) continue;
        for (int side = 0; side < 2 && contact->strand[side] >= 0; side++) {
            s->touched[contact->strand[side]] = true;
            staged = staged || (w->order && w->order[contact->strand[side]] == DR_STRAND_TR_BDF2);
        }
    }
    return staged;
}

// Contacts that have not changed may lie elsewhere: whether there is anything to do must not depend on where.
static bool set_up(dr_contact_stage *s, const work *w)
{
    if (s->ready) {
        dr_contact_solver_move(s->solver, s->set.contacts);
        return true;
    }
    s->ready = dr_contact_solver_setup(s->solver, w->par, w->bodies->compliance, s->set.contacts, s->set.count);
    return s->ready;
}

static dr_contact_settings settings_of(const dr_contact_stage *s, const work *w, double tolerance, double miss)
{
    return (dr_contact_settings){w->choice->settings.most_sweeps, tolerance, s->scale, miss};
}

static bool solve(dr_contact_stage *s, const work *w, double tolerance, double miss, dr_contact_outcome *outcome)
{
    int before = outcome->solve.iterations;
    dr_contact_settings settings = settings_of(s, w, tolerance, miss);
    if (!set_up(s, w) || !dr_contact_solver_run(s->solver, w->par, &settings, &outcome->solve)) return false;
    outcome->solve.iterations += before;
    dr_contact_solver_respond(s->solver, w->par, s->change);
    add_change(s, w->strands->vertices);
    return true;
}

static departure depart(const dr_contact_stage *s, const dr_strands *strands, double dt, int strand)
{
    departure most = {0};
    for (size_t v = (size_t)strands->first[strand]; v + 1 < (size_t)strands->first[strand + 1]; v++) {
        double before[3], after[3], moved[3], rest = strands->rest_length[v];
        for (size_t a = 0; a < 3; a++) {
            size_t i = 3 * v + a;
            double edge = strands->position[i + 3] - strands->position[i];
            before[a] = edge + dt * (s->about[i + 3] - s->about[i]);
            after[a] = edge + dt * (s->velocity[i + 3] - s->velocity[i]);
            moved[a] = after[a] - before[a];
        }
        double length = dr_vec3_length(before), along = length > 0.0 ? dr_vec3_dot(before, moved) / length : 0.0;
        double longer = dr_vec3_length(after) - length;
        most.turn = fmax(most.turn, dr_vec3_length(moved) / rest);
        most.strain = fmax(most.strain, fabs(longer) / rest);
        most.error = fmax(most.error, fabs(longer - along) / rest);
    }
    return most;
}

// What a loop over strands works on.
typedef struct loop {
    dr_contact_stage *stage;
    const work *work;
} loop;

static void depart_all(void *user, size_t begin, size_t end, int thread)
{
    const loop *l = user;
    (void)thread;
    for (size_t i = begin; i < end; i++)
        l->stage->departures[i] = depart(l->stage, l->work->strands, l->work->step->dt, (int)i);
}

static departure find_departure(dr_contact_stage *s, const work *w)
{
    departure most = {0};
    loop loop = {s, w};
    dr_par_for(w->par, (size_t)w->strands->count, STRANDS, depart_all, &loop);
    for (int strand = 0; strand < w->strands->count; strand++) {
        const departure *one = &s->departures[strand];
        most.turn = fmax(most.turn, one->turn);
        most.strain = fmax(most.strain, one->strain);
        most.error = fmax(most.error, one->error);
    }
    return most;
}

static bool is_small(departure most)
{
    return most.turn < SMALL_TURN && most.strain < SMALL_STRAIN;
}

static bool is_torn(dr_contact_stage *s, const work *w)
{
    return !w->last && find_departure(s, w).strain > TORN;
}

// Looks where the motion meets what was not a contact yet.
static bool look_again(dr_contact_stage *s, const work *w)
{
    w->bodies->velocity = s->velocity;
    if (!dr_contact_set_extend(&s->set, w->par, w->bodies)) return false;
    if (s->set.added > 0) s->ready = false;
    return true;
}

// Whether what the last look has added is within the tolerance of the solve before it, so that another would leave all
// as it is.
static bool is_within(const dr_contact_stage *s, const work *w, double tolerance, const dr_solve_report *last)
{
    dr_contact_settings settings = settings_of(s, w, tolerance, MISS);
    dr_contact_latecomers late = {0};
    for (size_t k = 0; k < s->set.count; k++) {
        const dr_contact *contact = &s->set.contacts[k];
        double v[3], local[3];
        if (!s->set.found[k]) continue;
        if (contact->impulse[0] != 0.0) return false;
        dr_narrow_phase_relative(contact, s->velocity, v);
        for (int a = 0; a < 3; a++) local[a] = dr_vec3_dot(contact->frame + 3 * a, v);
        dr_contact_latecomers_add(&late, contact, local, w->step->dt);
    }
    return dr_contact_solver_leaves(s->solver, &settings, last, &late);
}

// Solves, looks where the new motion meets what was not a contact yet, and solves again where there are such.
static bool solve_cones(dr_contact_stage *s, const work *w, double tolerance, dr_contact_outcome *outcome)
{
    for (int round = 0; round < w->choice->rounds; round++, outcome->rounds++) {
        if (!solve(s, w, tolerance, MISS, outcome)) return false;
        if (is_torn(s, w)) break;
        if (!look_again(s, w)) return false;
        if (s->set.added == 0 || s->set.crowded || is_within(s, w, tolerance, &outcome->solve)) return true;
    }
    return is_torn(s, w) || solve(s, w, tolerance, MISS, outcome);
}

// A linear answer is to be trusted as far as it turns edges by little: a strand that it turns farther goes a part of
// the way before its equations are made linear anew, and so does one whose answers lead away. (29)
static void go_part(dr_contact_stage *s, const dr_strands *strands, double dt)
{
    for (int strand = 0; strand < strands->count; strand++) {
        double turn = depart(s, strands, dt, strand).turn, part = s->newtons[strand].share;
        if (turn > TRUSTED) part *= TRUSTED / turn;
        if (part == 1.0) continue;
        for (size_t v = (size_t)strands->first[strand]; v < (size_t)strands->first[strand + 1]; v++) {
            for (size_t i = 3 * v; i < 3 * v + 3; i++)
                s->velocity[i] = s->about[i] + part * (s->velocity[i] - s->about[i]);
            s->change[4 * v + 3] *= part;
        }
    }
}

// The lengths of edges as the linear answer has them, without what turning them along straight lines adds.
static void find_lengths(dr_contact_stage *s, const dr_strands *strands, double dt)
{
    for (size_t v = 0; v + 1 < strands->vertices; v++) {
        double edge[3], moved[3];
        for (size_t a = 0; a < 3; a++) {
            size_t i = 3 * v + a;
            edge[a] = strands->position[i + 3] - strands->position[i] + dt * (s->about[i + 3] - s->about[i]);
            moved[a] = dt * (s->velocity[i + 3] - s->about[i + 3] - s->velocity[i] + s->about[i]);
        }
        double length = dr_vec3_length(edge);
        s->length[v] = length > 0.0 ? length + dr_vec3_dot(edge, moved) / length : 0.0;
    }
    if (strands->vertices > 0) s->length[strands->vertices - 1] = 0.0;
}

// One linear step of the strands that contact acts on, about the motion `about`, with its impulses as a load: as dead
// loads of the whole step they might buckle strands that contact holds. (29)
static bool make_linear(dr_contact_stage *s, const work *w)
{
    dr_strand_verdict verdict;
    const dr_strands *strands = w->strands;
    dr_strand_load load = w->step->load ? *w->step->load : (dr_strand_load){0};
    dr_strand_step again = *w->step;
    dr_contact_impulses(s->set.contacts, s->set.count, strands->vertices, s->impulse);
    for (size_t i = 0; load.impulse && i < 3 * strands->vertices; i++) s->impulse[i] += load.impulse[i];
    load.impulse = s->impulse;
    again.load = &load;
    again.velocity = s->about;
    again.spin = s->spin;
    again.length = s->length;
    for (int strand = 0; strand < strands->count; strand++) s->bent[strand] = s->bent[strand] || s->touched[strand];
    again.wanted = s->bent;
    s->ready = false;
    if (!dr_strand_solver_predict(w->solver, strands, &again, &verdict)) return false;
    memcpy(s->base, dr_strand_solver_velocity(w->solver), 3 * strands->vertices * sizeof *s->base);
    for (size_t k = 0; k < s->set.count; k++) {
        dr_contact *contact = &s->set.contacts[k];
        dr_vec3_copy(contact->applied, contact->impulse);
        contact->applied[0] -= contact->pull;
    }
    return true;
}

// About the motion that contact has come to.
static bool bend_strands(dr_contact_stage *s, const work *w)
{
    const dr_strands *strands = w->strands;
    go_part(s, strands, w->step->dt);
    for (size_t v = 0; v < strands->vertices; v++)
        s->spin[v] = dr_strand_solver_spin(w->solver)[v] + s->change[4 * v + 3];
    find_lengths(s, strands, w->step->dt);
    memcpy(s->about, s->velocity, 3 * strands->vertices * sizeof *s->about);
    return make_linear(s, w);
}

// ---- where to begin

// Velocities after the forces of the last step, in the linear answer of a strand about its own motion.
static void answer_start(dr_contact_stage *s, const work *w, int strand, double *block)
{
    const dr_compliance *c = w->bodies->compliance;
    size_t first = (size_t)c->first[strand], length = (size_t)c->first[strand + 1] - first;
    memset(block, 0, 4 * DR_COMPLIANCE_LANES * length * sizeof *block);
    for (size_t i = 0; i < length; i++) {
        for (size_t a = 0; a < 3; a++) block[(4 * i + a) * DR_COMPLIANCE_LANES] = s->impulse[3 * (first + i) + a];
    }
    c->solve(c->self, strand, 0, block);
    for (size_t i = 0; i < length; i++) {
        for (size_t a = 0; a < 3; a++) {
            size_t at = 3 * (first + i) + a;
            s->velocity[at] = s->base[at] + block[(4 * i + a) * DR_COMPLIANCE_LANES];
        }
    }
}

// About which motion a strand is made linear: that as the step begins, or its own, which is that of a strand let go of.
// What scripts hold goes where they want it.
static void start_from(dr_contact_stage *s, const work *w, int strand, bool before)
{
    const dr_strands *strands = w->strands;
    for (size_t v = (size_t)strands->first[strand]; v < (size_t)strands->first[strand + 1]; v++) {
        bool free = before && !s->held[v], turns = before && !(strands->held[v] & DR_STRAND_TURN_HELD);
        dr_vec3_copy(s->about + 3 * v, (free ? strands->velocity : s->own) + 3 * v);
        s->spin[v] = turns ? strands->spin[v] : s->own_spin[v];
    }
}

static double how_far(departure most)
{
    return fmax(most.turn / SMALL_TURN, most.strain / SMALL_STRAIN);
}

static void bend_all(void *user, size_t begin, size_t end, int thread)
{
    const loop *l = user;
    dr_contact_stage *s = l->stage;
    for (size_t i = begin; i < end; i++) {
        s->share[i] = 0.0;
        if (!s->touched[i]) continue;
        answer_start(s, l->work, (int)i, s->block + s->block_size * (size_t)thread);
        double far = how_far(depart(s, l->work->strands, l->work->step->dt, (int)i));
        if (far >= 1.0) s->share[i] = far;
    }
}

// Strands that the forces of the last step bend too far for a linear answer about their own motion: share[strand] says
// how far, 0 of others.
static bool find_bent(dr_contact_stage *s, const work *w)
{
    loop loop = {s, w};
    bool any = false;
    dr_contact_impulses(s->set.contacts, s->set.count, w->strands->vertices, s->impulse);
    dr_par_for(w->par, (size_t)w->strands->count, STRANDS, bend_all, &loop);
    for (int strand = 0; strand < w->strands->count; strand++) any = any || s->share[strand] > 0.0;
    return any;
}

static bool start_linear(dr_contact_stage *s, const work *w)
{
    memcpy(s->velocity, s->about, 3 * w->strands->vertices * sizeof *s->about);
    find_lengths(s, w->strands, w->step->dt);
    if (!make_linear(s, w)) return false;
    memcpy(s->velocity, s->base, 3 * w->strands->vertices * sizeof *s->base);
    return true;
}

// As the strands were predicted, without any impulse.
static bool start_over(dr_contact_stage *s, const work *w)
{
    dr_strand_verdict verdict;
    const dr_strands *strands = w->strands;
    if (!dr_strand_solver_predict(w->solver, strands, w->step, &verdict)) return false;
    memcpy(s->base, s->own, 3 * strands->vertices * sizeof *s->base);
    memcpy(s->about, s->own, 3 * strands->vertices * sizeof *s->about);
    memset(s->bent, 0, (size_t)strands->count * sizeof *s->bent);
    for (size_t k = 0; k < s->set.count; k++) dr_vec3_set(s->set.contacts[k].applied, 0.0, 0.0, 0.0);
    return true;
}

// The first answer of such strands is one about the motion as the step begins, where that is right for most of them,
// as it is at rest. (31)
static bool begin(dr_contact_stage *s, const work *w)
{
    const dr_strands *strands = w->strands;
    int bent = 0, astray = 0;
    memcpy(s->own, s->base, 3 * strands->vertices * sizeof *s->own);
    memcpy(s->own_spin, dr_strand_solver_spin(w->solver), strands->vertices * sizeof *s->own_spin);
    if (w->step->twice || !find_bent(s, w)) return true; // liquid has changed what was predicted
    for (int strand = 0; strand < strands->count; strand++) start_from(s, w, strand, s->share[strand] > 0.0);
    if (!start_linear(s, w)) return false;
    for (int strand = 0; strand < strands->count; strand++) {
        if (!(s->share[strand] > 0.0)) continue;
        bent++;
        if (is_small(depart(s, strands, w->step->dt, strand))) continue;
        start_from(s, w, strand, false);
        astray++;
    }
    if (2 * astray > bent) return start_over(s, w);
    return astray == 0 || start_linear(s, w);
}

// A strand that turns farther from one answer to the next goes half as much of the way (damped Newton); one that is
// damped over and over goes astray: more of it would not help, a shorter step will. From loose to exact solutions of
// contact the comparison begins anew.
static bool damp(dr_contact_stage *s, const work *w, bool anew)
{
    bool astray = false;
    for (int strand = 0; strand < w->strands->count; strand++) {
        newton *n = &s->newtons[strand];
        double turn = s->departures[strand].turn;
        bool far = turn >= SMALL_TURN || s->departures[strand].error >= SMALL_STRAIN;
        if (far && n->turn > 0.0 && turn > n->turn) n->share *= 0.5;
        if (!far || turn < 0.5 * n->turn) n->share = fmin(1.0, 2.0 * n->share);
        astray = astray || n->share < LEAST_SHARE;
        n->turn = anew ? 0.0 : turn;
    }
    return astray;
}

// Solves loosely and bends strands until the linear answer to contact is good enough, then solves to the end, with the
// contacts that the motion brings from there on. A step that bends them too far is left as it is, if it can be made
// shorter.
static bool bend(dr_contact_stage *s, const work *w, dr_contact_outcome *outcome)
{
    double tolerance = w->choice->settings.tolerance;
    double loose = fmax(tolerance, fmin(LOOSE * tolerance, LOOSEST));
    if (!begin(s, w) || !set_up(s, w)) return false;
    s->scale = dr_contact_solver_scale(s->solver, w->par, s->own);
    bool near = false;
    for (;; outcome->bends++) {
        if (!solve(s, w, near ? tolerance : loose, near ? MISS : LOOSE_MISS, outcome)) return false;
        outcome->staged = find_touched(s, w, true);
        if (outcome->staged) return true;
        departure most = find_departure(s, w);
        bool nearer = !near && most.turn < NEAR_TURN && most.error < ROUGH_STRAIN;
        bool astray = damp(s, w, nearer) && !w->last;
        outcome->rough = most.error > ROUGH_STRAIN || astray;
        near = near || nearer;
        bool ended = (most.turn < SMALL_TURN && most.error < SMALL_STRAIN) || outcome->bends >= w->choice->bends;
        if (outcome->rough && (ended || astray) && !w->last) return true;
        if (ended || s->set.crowded) break;
        if (near && !is_torn(s, w) && !look_again(s, w)) return false;
        if (!bend_strands(s, w)) return false;
    }
    return solve_cones(s, w, tolerance, outcome);
}

// How much an edge of a strand is longer or shorter at the end of the step than in the motion before, at most.
static double find_strain(const dr_contact_stage *s, const dr_compliance *c, int strand, double *before)
{
    double most = 0.0;
    for (size_t v = (size_t)c->first[strand]; v + 1 < (size_t)c->first[strand + 1]; v++) {
        double edge[3];
        for (size_t i = 3 * v; i < 3 * v + 3; i++)
            edge[i - 3 * v] = c->x[i + 3] - c->x[i] + c->dt * (s->velocity[i + 3] - s->velocity[i]);
        double length = dr_vec3_length(edge);
        if (before[v] > 0.0) most = fmax(most, fabs(length / before[v] - 1.0));
        before[v] = length;
    }
    return most;
}

// Strands that are held make a part of their motion.
static bool hold(dr_contact_stage *s, const dr_par *par, dr_contact_bodies *bodies, dr_contact_outcome *outcome)
{
    bodies->velocity = s->velocity;
    outcome->held = dr_contact_set_hold(&s->set, par, bodies, s->share, s->drift, &outcome->blocked);
    if (outcome->held <= 0) return outcome->held == 0;
    const dr_compliance *c = bodies->compliance;
    for (int strand = 0; strand < c->strands; strand++) {
        if (s->share[strand] >= 1.0) continue;
        memset(s->change + c->first[strand], 0, (size_t)(c->first[strand + 1] - c->first[strand]) * sizeof *s->change);
        find_strain(s, c, strand, s->change);
        for (int v = c->first[strand]; v < c->first[strand + 1]; v++) {
            double *u = s->velocity + 3 * (size_t)v;
            if (s->held[v]) continue;
            dr_vec3_scale(u, s->share[strand], u);
            dr_vec3_add_scaled(u, u, 1.0 - s->share[strand], s->drift + 3 * (size_t)strand);
        }
        bool strained = find_strain(s, c, strand, s->change) > ROUGH_STRAIN;
        outcome->strained += s->driven[strand] && (strained || dr_contact_set_anchored(&s->set, strand));
    }
    return true;
}

static void hand_strands_back(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const loop *l = user;
    dr_contact_stage *s = l->stage;
    double *velocity = dr_strand_solver_velocity(l->work->solver);
    for (size_t strand = begin; strand < end; strand++) {
        size_t from = 3 * (size_t)l->work->strands->first[strand], to = 3 * (size_t)l->work->strands->first[strand + 1];
        size_t bytes = (to - from) * sizeof *velocity;
        s->changed[strand] = memcmp(velocity + from, s->velocity + from, bytes) != 0;
        if (s->changed[strand]) memcpy(velocity + from, s->velocity + from, bytes);
    }
}

static void hand_back(dr_contact_stage *s, const work *w)
{
    loop loop = {s, w};
    dr_par_for(w->par, (size_t)w->strands->count, MANY_STRANDS, hand_strands_back, &loop);
    dr_strand_solver_correct(w->solver, w->strands, s->dt, s->changed);
}

static bool recall(dr_contact_stage *s, const dr_contact_memory *memory)
{
    if (!RESERVE(records, record_capacity, memory->count)) return false;
    for (size_t k = 0; k < memory->count; k++) {
        const int32_t *who = memory->who + DR_CONTACT_WHO * k;
        const double *where = memory->where + DR_CONTACT_WHERE * k;
        s->records[k] = (dr_contact_record){.strand = {who[0], who[1]},
                                            .vertex = {who[2], who[3]},
                                            .solid = who[4],
                                            .place = {where[0], where[1]},
                                            .force = {where[2], where[3], where[4]}};
    }
    return true;
}

// Springs, and cones where colliders are touched, both from the forces of the last step.
static bool run_penalty(dr_contact_stage *s, const work *w, size_t record_count, dr_contact_outcome *outcome)
{
    size_t links = 0;
    while (links < record_count && s->records[links].solid < 0) links++;
    if (!dr_penalty_find(&s->set, w->par, w->bodies, &w->choice->penalty, s->records, links) ||
        !dr_contact_set_add_solids(&s->set, w->par, w->bodies))
        return false;
    dr_contact_set_warm_solids(&s->set, s->dt, s->records + links, record_count - links);
    outcome->staged = find_touched(s, w, false);
    return outcome->staged || s->set.count == 0 || solve(s, w, w->choice->settings.tolerance, 0.0, outcome);
}

// What the next step starts from: contacts, or links of the penalty model and then its contacts with colliders.
static bool remember(dr_contact_stage *s)
{
    size_t springs = 0, links = s->model == DR_CONTACT_CONE ? 0 : s->set.near_count;
    while (s->model != DR_CONTACT_CONE && springs < s->set.count && s->set.contacts[springs].spring) springs++;
    s->record_count = links + s->set.count - springs;
    if (!RESERVE(records, record_capacity, s->record_count)) return false;
    if (s->model != DR_CONTACT_CONE) dr_penalty_keep(&s->set, s->dt);
    if (links > 0) memcpy(s->records, s->set.near_links, links * sizeof *s->records);
    const dr_contact_set cones = {.contacts = s->set.contacts + springs, .count = s->set.count - springs};
    dr_contact_set_record(&cones, s->dt, s->records + links);
    return true;
}

bool dr_contact_stage_run(dr_contact_stage *s, const dr_contact_choice *choice, const dr_par *par,
                          const dr_contact_meeting *meeting, dr_contact_outcome *outcome)
{
    dr_strand_solver *solver = meeting->solver;
    const dr_strands *strands = meeting->strands;
    const dr_contact_memory *memory = meeting->memory;
    *outcome = (dr_contact_outcome){.solve = {.name = "contact"}};
    s->dt = meeting->step->dt;
    s->scale = 0.0;
    s->ready = false;
    s->model = choice->model;
    if (!reserve(s, par, strands) || !recall(s, memory)) return false;
    beginning start = {s, strands, choice, dr_strand_solver_velocity(solver)};
    dr_par_for(par, (size_t)strands->count, MANY_STRANDS, take_strands, &start);
    dr_compliance compliance = dr_strand_solver_compliance(solver, strands);
    compliance.v = s->base;
    dr_contact_bodies bodies = describe(s, strands, choice, &compliance);
    bodies.idle = meeting->idle;
    bodies.exposed = meeting->exposed;
    bodies.colliders = meeting->colliders;
    bodies.collider_speed = meeting->collider_speed;
    const work work = {choice, par, solver, strands, meeting->step, &bodies, meeting->last, meeting->order};
    bool ok;
    if (choice->model == DR_CONTACT_CONE) {
        ok = dr_contact_set_find(&s->set, par, &bodies, s->records, memory->count);
        outcome->staged = ok && find_touched(s, &work, false);
        if (ok && !outcome->staged && s->set.count > 0) ok = bend(s, &work, outcome);
        ok = ok && (outcome->staged || (outcome->rough && !meeting->last) || hold(s, par, &bodies, outcome));
    } else {
        ok = run_penalty(s, &work, memory->count, outcome);
    }
    if (!ok) return false;
    if (outcome->staged) return true;
    find_touched(s, &work, true);
    outcome->crowded = s->set.crowded;
    if (outcome->crowded) s->set.count = s->set.near_count = 0;
    outcome->contacts = s->set.count;
    if (!remember(s)) return false;
    hand_back(s, &work);
    return true;
}

// ---- memory

bool dr_contact_stage_reserve(const dr_contact_stage *stage, const dr_allocator *allocator, dr_contact_memory *memory)
{
    return dr_contact_memory_reserve(memory, allocator, stage->record_count);
}

void dr_contact_stage_commit(dr_contact_stage *stage, dr_contact_memory *memory)
{
    memory->count = stage->record_count;
    for (size_t k = 0; k < memory->count; k++) {
        const dr_contact_record *r = &stage->records[k];
        const int32_t who[DR_CONTACT_WHO] = {r->strand[0], r->strand[1], r->vertex[0], r->vertex[1], r->solid};
        const double where[DR_CONTACT_WHERE] = {r->place[0], r->place[1], r->force[0], r->force[1], r->force[2]};
        memcpy(memory->who + DR_CONTACT_WHO * k, who, sizeof who);
        memcpy(memory->where + DR_CONTACT_WHERE * k, where, sizeof where);
    }
}

static const dr_column memory_columns[] = {
    {"who", offsetof(dr_contact_memory, who), DR_TYPE_INT32, DR_CONTACT_WHO, "", "strands, vertices, collider"},
    {"where", offsetof(dr_contact_memory, where), DR_TYPE_FLOAT64, DR_CONTACT_WHERE, "", "places, force"},
};
const dr_column_table dr_contact_columns = {memory_columns, (int)(sizeof memory_columns / sizeof *memory_columns)};

bool dr_contact_memory_reserve(dr_contact_memory *memory, const dr_allocator *allocator, size_t count)
{
    return dr_columns_reserve(&dr_contact_columns, memory, allocator, &memory->capacity, count);
}

void dr_contact_memory_free(dr_contact_memory *memory, const dr_allocator *allocator)
{
    dr_columns_free(&dr_contact_columns, memory, allocator, &memory->capacity);
    memory->count = 0;
}

const bool *dr_contact_stage_touched(const dr_contact_stage *stage)
{
    return stage->touched;
}

const dr_contact *dr_contact_stage_contacts(const dr_contact_stage *stage, size_t *count)
{
    *count = stage->set.count;
    return stage->set.contacts;
}
