#include "support/check.h"
#include "support/scarce.h"

#include "chain.h"
#include "contact/contact.h"
#include "contact/rows.h"
#include "math/random.h"
#include "math/vec.h"
#include "strand/solver.h"

static const dr_contact_settings exact = {4000, 1e-10, 0.0, 0.0};

static dr_contact between(const chains *c, int s1, int v1, double p1, int s2, int v2, double p2, const double n[3])
{
    dr_contact contact = {.strand = {s1, s2},
                          .vertex = {c->first[s1] + v1, s2 < 0 ? -1 : c->first[s2] + v2},
                          .place = {p1, p2},
                          .solid = s2 < 0 ? 0 : -1,
                          .friction = 0.4};
    dr_vec3_normalize(contact.frame, n, (double[3]){0, 1, 0});
    dr_contact_frame(&contact);
    return contact;
}

static void local_velocity(const chains *c, const dr_contact *contact, const double *change, double out[3])
{
    double v[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        int side = corner / 2;
        if (contact->vertex[side] < 0) continue;
        double weight = corner % 2 ? contact->place[side] : 1.0 - contact->place[side];
        int vertex = contact->vertex[side] + corner % 2;
        if (weight == 0.0) continue;
        for (int a = 0; a < 3; a++) v[a] += (side ? -weight : weight) * (c->v[3 * vertex + a] + change[4 * vertex + a]);
    }
    for (int a = 0; a < 3; a++) v[a] -= contact->solid_velocity[a];
    for (int a = 0; a < 3; a++) out[a] = dr_vec3_dot(contact->frame + 3 * a, v);
    out[0] -= contact->least;
}

static dr_solve_report run(const chains *c, dr_contact *contacts, size_t count, const dr_contact_settings *settings,
                           int threads, double *change)
{
    dr_par par = dr_par_open(threads);
    dr_contact_solver *solver = dr_contact_solver_create(NULL);
    assert_non_null(solver);
    assert_true(dr_contact_solver_setup(solver, &par, &c->compliance, contacts, count));
    dr_solve_report report;
    assert_true(dr_contact_solver_run(solver, &par, settings, &report));
    dr_contact_solver_respond(solver, &par, change);
    dr_contact_solver_destroy(solver);
    return report;
}

// A heap of contacts between random places of random strands, some of a strand with itself, some with a solid.
static size_t random_contacts(chains *c, dr_contact *contacts, size_t count)
{
    uint64_t key = 11, at = 0;
    for (size_t i = 0; i < (size_t)(3 * c->first[c->compliance.strands]); i++)
        c->v[i] = 2.0 * dr_random_unit(5, i) - 1.0;
    for (size_t k = 0; k < count; k++) {
        double n[3], u[6];
        for (int i = 0; i < 6; i++) u[i] = dr_random_unit(key, at++);
        for (int a = 0; a < 3; a++) n[a] = dr_random_unit(key, at++) - 0.5;
        int s1 = (int)(u[0] * c->compliance.strands), s2 = (int)(u[1] * c->compliance.strands), edges = c->length - 1;
        int v1 = (int)(u[2] * edges), v2 = (int)(u[3] * edges);
        if (k % 7 == 0) s2 = -1;
        if (s1 == s2 && abs(v1 - v2) < 2) v2 = (v1 + edges / 2) % edges;
        double p1 = k % 5 == 0 ? 0.0 : u[4], p2 = k % 3 == 0 ? 1.0 : u[5];
        contacts[k] = between(c, s1, v1, p1, s2, v2, s2 < 0 ? 0.0 : p2, n);
        contacts[k].friction = k % 11 == 0 ? 0.0 : 0.1 + 0.8 * u[0];
        contacts[k].least = k % 4 == 0 ? -0.1 : 0.0;
        contacts[k].pull = k % 6 == 0 ? 0.05 : 0.0;
    }
    return count;
}

static void test_all_contacts_obey_coulombs_law_with_the_strands_own_compliance(void **unused)
{
    (void)unused;
    enum { COUNT = 40 };
    chains *c = chains_create(12, 10, 3.0, true, 1e-3);
    dr_contact contacts[COUNT];
    double change[12 * 10 * 4];
    random_contacts(c, contacts, COUNT);
    dr_solve_report report = run(c, contacts, COUNT, &exact, 1, change);
    assert_true(report.reason == DR_REASON_CONVERGED);
    check_at_most(report.residual, 1e-10);
    for (int k = 0; k < COUNT; k++) {
        double v[3];
        local_velocity(c, &contacts[k], change, v);
        check_at_most(dr_cone_residual(contacts[k].impulse, v, contacts[k].friction, 1.0), 1e-8);
    }
    free(c);
}

// Wavy hairs side by side, clamped at their roots.
static void draw_hairs(dr_strands *strands, int count, int vertices)
{
    static const double radius[2] = {0.0037, 0.0037};
    double points[3 * 100];
    assert_true(dr_strands_reserve(strands, NULL, count, (size_t)(count * vertices)));
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < vertices; i++) {
            double along = 10.0 * i / (vertices - 1);
            dr_vec3_set(points + 3 * i, 0.05 * k, -along, 0.3 * sin(along + k));
        }
        size_t first = (size_t)strands->first[dr_strands_add(strands, points, vertices, radius, 0)];
        strands->held[first] = DR_STRAND_HELD | DR_STRAND_TURN_HELD;
        strands->held[first + 1] = DR_STRAND_HELD;
    }
}

// Contacts with impulses anywhere on hairs, of the first one with itself too where that is asked for.
static void push_hairs(dr_contact *contacts, int count, int hairs, int vertices, bool itself)
{
    for (int k = 0; k < count; k++) {
        uint64_t at = 16 * (uint64_t)k;
        int low = k % (hairs - 1), high = itself && k == 0 ? 0 : low + 1;
        int edges[2] = {(int)((vertices - 1) * dr_random_unit(3, at)),
                        (int)((vertices - 1) * dr_random_unit(3, at + 1))};
        dr_contact *c = &contacts[k];
        *c = (dr_contact){.strand = {low, high}, .solid = -1, .friction = 0.3, .touching = 0.01};
        for (uint64_t side = 0; side < 2; side++) {
            c->vertex[side] = c->strand[side] * vertices + edges[side];
            c->place[side] = k % 5 == 0 ? 0.0 : dr_random_unit(3, at + 2 + side);
        }
        if (k % 7 == 0 && high != low) c->strand[1] = c->vertex[1] = -1;
        double normal[3] = {dr_random_unit(3, at + 4) - 0.5, dr_random_unit(3, at + 5) - 0.5, 0.3};
        for (uint64_t a = 0; a < 3; a++) c->impulse[a] = dr_random_unit(3, at + 6 + a) - (a > 0 ? 0.5 : 0.0);
        dr_vec3_normalize(c->frame, normal, (double[3]){0, 1, 0});
        dr_contact_frame(c);
    }
}

// How a contact moves where vertices change their velocities, in its frame.
static void exact_velocity(const dr_contact *c, const double *velocity, const double *change, double out[3])
{
    double v[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        double weight = dr_rows_share(c, corner);
        if (!(weight > 0.0)) continue;
        size_t vertex = (size_t)(c->vertex[corner / 2] + corner % 2);
        for (size_t a = 0; a < 3; a++)
            v[a] += (corner < 2 ? weight : -weight) * (velocity[3 * vertex + a] + change[4 * vertex + a]);
    }
    dr_rows_to_frame(c->frame, v, out);
}

// Each contact sees of the impulses of all others, window by window, what the strands as a whole answer.
static void check_windows(int vertices, int count, bool itself, bool parted)
{
    enum { HAIRS = 4, MOST = 100 };
    static double change[4 * HAIRS * MOST];
    static dr_contact contacts[400];
    dr_par par = dr_par_open(1);
    dr_strand_material material = {.density = 1.32, .young = 3.9e10, .shear = 1.4e10, .friction = 0.3};
    dr_strands strands = {.materials = &material};
    draw_hairs(&strands, HAIRS, vertices);
    dr_strand_solver *rods = dr_strand_solver_open(&strands, NULL, &par);
    dr_strand_goal goal = {.position = strands.position, .director = strands.director};
    dr_strand_step step = {.dt = 1e-3, .gravity = {0.0, -981.0, 0.0}, .goal = &goal, .keep = true};
    dr_strand_verdict verdict;
    assert_true(rods && dr_strand_solver_predict(rods, &strands, &step, &verdict));
    dr_compliance compliance = dr_strand_solver_compliance(rods, &strands);
    push_hairs(contacts, count, HAIRS, vertices, itself);
    dr_contact_solver *solver = dr_contact_solver_create(NULL);
    assert_true(dr_contact_solver_setup(solver, &par, &compliance, contacts, (size_t)count));
    dr_contact_solver_respond(solver, &par, change);
    double most = 0.0, worst = 0.0;
    for (size_t i = 0; i < solver->count; i++) {
        double seen[3], exact[3];
        dr_rows_read_velocity(&solver->rows[i], seen);
        exact_velocity(&contacts[solver->order[i]], compliance.v, change, exact);
        most = fmax(most, dr_vec3_length(exact));
        dr_vec3_sub(seen, seen, exact);
        worst = fmax(worst, dr_vec3_length(seen));
    }
    check_at_most(worst, 1e-6 * most);
    for (size_t h = 0; h < solver->host_count; h++)
        assert_int_equal(solver->hosts[h].windows > 1, parted && (h > 0 || !itself));
    dr_contact_solver_destroy(solver);
    dr_strand_solver_close(rods);
    dr_strands_free(&strands, NULL);
}

static void test_windows_of_a_strand_move_as_the_whole_does(void **unused)
{
    (void)unused;
    check_windows(100, 400, false, true);
    check_windows(100, 400, true, true);
    check_windows(100, 60, false, false);
    check_windows(24, 100, false, false);
}

// They are swept side by side.
static void test_patches_of_a_colour_share_no_strand(void **unused)
{
    (void)unused;
    enum { COUNT = 2000, STRANDS = 64 };
    static dr_contact contacts[COUNT];
    chains *c = chains_create(STRANDS, 10, 3.0, true, 1e-3);
    dr_par par = dr_par_open(1);
    dr_contact_solver *s = dr_contact_solver_create(NULL);
    random_contacts(c, contacts, COUNT);
    for (int k = 0; k < COUNT; k++) contacts[k].impulse[0] = 1.0;
    assert_true(dr_contact_solver_setup(s, &par, &c->compliance, contacts, COUNT));
    assert_in_range(s->colours, 8, 32);
    for (int colour = 0; colour < s->colours; colour++) {
        int owner[STRANDS];
        memset(owner, -1, sizeof owner);
        for (int patch = colour * s->colours; patch < (colour + 1) * s->colours; patch++) {
            for (size_t i = s->begin[patch]; i < s->begin[patch + 1]; i++) {
                for (int side = 0; side < 2; side++) {
                    int32_t strand = contacts[s->order[i]].strand[side];
                    if (strand < 0) continue;
                    assert_true(owner[strand] < 0 || owner[strand] == patch);
                    owner[strand] = patch;
                }
            }
        }
    }
    assert_int_equal(s->begin[s->colours * s->colours], COUNT);
    dr_contact_solver_destroy(s);
    free(c);
}

static void test_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    enum { COUNT = 900 };
    static dr_contact one[COUNT], many[COUNT];
    static double change_one[60 * 10 * 4], change_many[60 * 10 * 4];
    chains *c = chains_create(60, 10, 3.0, false, 1e-3);
    dr_contact_settings few = {12, 0.0, 0.0, 0.0};
    random_contacts(c, one, COUNT);
    run(c, one, COUNT, &few, 1, change_one);
    for (int threads = 2; threads <= 4; threads++) {
        random_contacts(c, many, COUNT);
        run(c, many, COUNT, &few, threads, change_many);
        assert_memory_equal(change_one, change_many, sizeof change_one);
        for (int k = 0; k < COUNT; k++) assert_memory_equal(one[k].impulse, many[k].impulse, sizeof one[k].impulse);
    }
    free(c);
}

static void test_contacts_between_free_strands_keep_momentum(void **unused)
{
    (void)unused;
    enum { COUNT = 6 };
    chains *c = chains_create(3, 8, 5.0, false, 1e-3);
    dr_contact contacts[COUNT];
    double change[3 * 8 * 4], sum[3] = {0}, size = 0.0;
    random_contacts(c, contacts, COUNT);
    for (int k = 0; k < COUNT; k++) {
        if (contacts[k].strand[1] >= 0) continue;
        contacts[k] = between(c, 0, 1, 0.5, 1, 2, 0.5, (double[3]){0, 1, 0});
    }
    run(c, contacts, COUNT, &exact, 1, change);
    for (int i = 0; i < 3 * 8; i++) {
        for (int a = 0; a < 3; a++) sum[a] += change[4 * i + a];
        size += dr_vec3_length(change + 4 * i);
    }
    assert_true(size > 0.1);
    check_vector_near(sum, ((double[3]){0, 0, 0}), 1e-12);
    free(c);
}

static void test_friction_takes_energy_and_never_gives(void **unused)
{
    (void)unused;
    enum { COUNT = 30 };
    chains *c = chains_create(8, 10, 0.0, false, 1e-3); // bare masses: kinetic energy is v^2/2
    dr_contact contacts[COUNT];
    double change[8 * 10 * 4], before = 0.0, after = 0.0;
    random_contacts(c, contacts, COUNT);
    for (int k = 0; k < COUNT; k++) contacts[k].pull = contacts[k].least = 0.0;
    run(c, contacts, COUNT, &exact, 1, change);
    for (int i = 0; i < 8 * 10; i++) {
        for (int a = 0; a < 3; a++) {
            double v = c->v[3 * i + a], u = v + change[4 * i + a];
            before += v * v;
            after += u * u;
        }
    }
    assert_true(after < before);
    free(c);
}

// One mass of 1 g on a slope, gravity's impulse of one step in its velocity; docs/theory/contact.md (4): with a pull
// f_N it sticks up to atan(mu) + asin(mu f_N / (m g sqrt(1 + mu^2))).
static bool slides(double friction, double angle, double pull, double *along)
{
    double h = 1e-3, g = 981.0, change[2 * 4];
    chains *c = chains_create(1, 2, 0.0, false, h);
    c->v[0] = g * h * sin(angle);
    c->v[1] = -g * h * cos(angle);
    dr_contact contact = between(c, 0, 0, 0.0, -1, 0, 0.0, (double[3]){0, 1, 0});
    contact.friction = friction;
    contact.pull = pull * g * h;
    run(c, &contact, 1, &exact, 1, change);
    *along = (c->v[0] + change[0]) / h;
    free(c);
    return fabs(*along) > 1e-9;
}

static void test_the_slope_at_which_a_sticky_mass_slides(void **unused)
{
    (void)unused;
    static const double rows[][3] = {{0.3, 0.0, 16.69924},  {0.3, 200.0 / 981.0, 20.05771}, {0.3, 1.0, 33.39849},
                                     {0.16, 0.0, 9.09028},  {0.16, 0.5, 13.62109},          {0.16, 1.0, 18.18055},
                                     {0.16, 2.0, 27.51032}, {0.16, 5.0, 61.27135}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double mu = rows[i][0], pull = rows[i][1], along;
        double critical = atan(mu) + asin(mu * pull / sqrt(1.0 + mu * mu));
        check_near(critical * 180.0 / PI, rows[i][2], 1e-5);
        assert_false(slides(mu, critical - 1e-6, pull, &along));
        assert_true(slides(mu, critical + 1e-6, pull, &along));
        double steep = critical + 0.1;
        assert_true(slides(mu, steep, pull, &along));
        check_near(along, 981.0 * (sin(steep) - mu * (cos(steep) + pull)), 1e-6);
    }
}

static void test_two_strands_part_when_pulled_harder_than_their_bridge(void **unused)
{
    (void)unused;
    double h = 1e-3, hold = 50.0, change[2 * 2 * 4];
    for (int more = -1; more <= 1; more += 2) {
        chains *c = chains_create(2, 2, 0.0, false, h);
        double force = hold + more, up[3] = {0, 1, 0};
        for (int i = 0; i < 2; i++) {
            c->v[3 * i + 1] = 0.5 * force * h; // two masses of 1 g each on either side
            c->v[6 + 3 * i + 1] = -0.5 * force * h;
        }
        dr_contact contact = between(c, 0, 0, 0.5, 1, 0, 0.5, up);
        contact.pull = hold * h;
        run(c, &contact, 1, &exact, 1, change);
        double apart = c->v[1] + change[1] - c->v[7] - change[9];
        check_near(apart, more > 0 ? (force - hold) * h : 0.0, 1e-12); // reduced mass 1
        free(c);
    }
}

static void test_a_spring_pulls_and_pushes_by_its_law(void **unused)
{
    (void)unused;
    double h = 1e-3, stiffness = 2e4, stretch = 0.01, change[2 * 4];
    for (int sign = -1; sign <= 1; sign += 2) {
        chains *c = chains_create(1, 2, 0.0, false, h);
        dr_contact contact = between(c, 0, 0, 0.0, -1, 0, 0.0, (double[3]){0, 1, 0});
        contact.spring = true;
        contact.compliance = 1.0 / (h * h * stiffness);
        contact.least = -sign * stretch / h;
        run(c, &contact, 1, &exact, 1, change);
        check_near(change[1], -h * stiffness * (sign * stretch + h * change[1]), 1e-12); // m = 1
        free(c);
    }
}

// Springs, some side by side between the same strands, and cones among them.
static void test_springs_and_cones_hold_their_laws_together(void **unused)
{
    (void)unused;
    enum { COUNT = 120, MOST = 60 * 10 * 4 };
    static dr_contact contacts[COUNT], many[COUNT];
    static double change[MOST], change_many[MOST];
    chains *c = chains_create(20, 10, 3.0, true, 1e-3);
    for (int threads = 1; threads <= 3; threads++) {
        dr_contact *at = threads == 1 ? contacts : many;
        random_contacts(c, at, COUNT);
        for (int k = 0; k < COUNT; k++) {
            if (k % 4 == 0) continue;
            at[k].spring = true;
            at[k].compliance = k % 4 == 1 ? 1e-4 : 0.3;
            at[k].pull = 0.0;
            if (k % 4 == 2 && at[k].strand[1] >= 0) { // beside the one before
                for (int side = 0; side < 2; side++) {
                    at[k].strand[side] = at[k - 1].strand[side];
                    at[k].vertex[side] = at[k - 1].vertex[side];
                }
            }
        }
        dr_solve_report report = run(c, at, COUNT, &exact, threads, threads == 1 ? change : change_many);
        assert_true(report.reason == DR_REASON_CONVERGED);
        if (threads > 1) assert_memory_equal(change, change_many, sizeof(double) * 20 * 10 * 4);
    }
    for (int k = 0; k < COUNT; k++) {
        double v[3], *r = contacts[k].impulse;
        local_velocity(c, &contacts[k], change, v);
        if (!contacts[k].spring) check_at_most(dr_cone_residual(r, v, contacts[k].friction, 1.0), 1e-8);
        if (contacts[k].spring) check_near(v[0] + contacts[k].compliance * r[0], 0.0, 1e-8);
        if (contacts[k].spring) assert_true(r[1] == 0.0 && r[2] == 0.0);
    }
    free(c);
}

static void test_what_is_held_does_not_move(void **unused)
{
    (void)unused;
    chains *c = chains_create(1, 5, 2.0, true, 1e-3);
    dr_contact contacts[2] = {between(c, 0, 0, 0.0, -1, 0, 0.0, (double[3]){0, 1, 0}),
                              between(c, 0, 0, 0.5, -1, 0, 0.0, (double[3]){0, 1, 0})};
    double change[5 * 4];
    for (int i = 1; i < 5; i++) c->v[3 * i + 1] = -1.0;
    dr_solve_report report = run(c, contacts, 2, &exact, 1, change);
    assert_true(report.reason == DR_REASON_CONVERGED);
    check_near(change[1], 0.0, 0.0);
    check_near(0.5 * (c->v[4] + change[5]), 0.0, 1e-12);
    free(c);
}

static void test_not_converging_is_a_reason(void **unused)
{
    (void)unused;
    enum { COUNT = 60 };
    chains *c = chains_create(6, 10, 30.0, true, 1e-3);
    dr_contact contacts[COUNT];
    double change[6 * 10 * 4];
    dr_contact_settings hasty = {1, 1e-12, 0.0, 0.0};
    random_contacts(c, contacts, COUNT);
    dr_solve_report report = run(c, contacts, COUNT, &hasty, 1, change);
    assert_true(report.reason == DR_REASON_ITERATIONS && report.iterations == 1);
    assert_true(report.residual > 1e-6);
    free(c);
}

// The most that any of some contacts misses by of the distance it has to lose, where sides overlap by so much.
static double worst_miss(double overlap, double miss)
{
    enum { COUNT = 40 };
    const double touching = 0.01, dt = 1e-3;
    chains *c = chains_create(12, 10, 3.0, true, dt);
    dr_contact contacts[COUNT];
    double change[12 * 10 * 4], worst = 0.0;
    random_contacts(c, contacts, COUNT);
    for (int k = 0; k < COUNT; k++) {
        contacts[k].touching = touching;
        contacts[k].gap = -overlap * touching;
    }
    const dr_contact_settings settings = {4000, 1.0, 0.0, miss};
    assert_true(run(c, contacts, COUNT, &settings, 1, change).reason == DR_REASON_CONVERGED);
    for (int k = 0; k < COUNT; k++) {
        double v[3];
        local_velocity(c, &contacts[k], change, v);
        worst = fmax(worst, -v[0] * dt / fmax((1.0 - overlap) * touching, contacts[k].least * dt));
    }
    free(c);
    return worst;
}

// A mean says little of single contacts; and sides that overlap have less to lose.
static void test_no_contact_misses_by_more_than_it_may(void **unused)
{
    (void)unused;
    const double miss = 0.02;
    assert_true(worst_miss(0.0, 0.0) > miss);
    check_at_most(worst_miss(0.0, miss), 1.001 * miss);
    check_at_most(worst_miss(0.8, miss), 1.001 * miss);
}

// Two contacts so near to each other that sweeps hardly tell their impulses apart, which begin on the wrong one, among
// many that are soon solved: what it takes to part them is not a sweep of all each time.
static void test_a_few_contacts_do_not_keep_all_others_busy(void **unused)
{
    (void)unused;
    enum { STRANDS = 40, LENGTH = 10, COUNT = STRANDS / 2 + 1 };
    const double touching = 0.01, dt = 1e-3, normal[3] = {-1.0, 0.0, 0.0};
    chains *c = chains_create(STRANDS, LENGTH, 30.0, true, dt);
    dr_contact contacts[COUNT];
    double change[STRANDS * LENGTH * 4], v[3];
    for (int i = 0; i < STRANDS * LENGTH; i++) dr_vec3_set(c->v + 3 * i, i / LENGTH % 2 ? 0.0 : 100.0, 0.0, 0.0);
    for (int k = 0; k < COUNT; k++) {
        int s = k < COUNT - 1 ? 2 * k : 0;
        contacts[k] = between(c, s, LENGTH / 2, k < COUNT - 1 ? 0.5 : 0.52, s + 1, LENGTH / 2, 0.5, normal);
        contacts[k].touching = touching;
        contacts[k].friction = 0.0;
    }
    contacts[0].least = -2.0;
    contacts[0].impulse[0] = 500.0;
    const dr_contact_settings settings = {4000, 1.0, 2.0, 0.01};
    dr_solve_report report = run(c, contacts, COUNT, &settings, 1, change);
    assert_true(report.reason == DR_REASON_CONVERGED);
    for (int k = 0; k < COUNT; k++) {
        local_velocity(c, &contacts[k], change, v);
        assert_true(-v[0] * dt <= 1.001 * settings.most_miss * touching);
    }
    check_at_most(report.iterations, 24);
    free(c);
}

static void test_a_warm_start_needs_no_sweep(void **unused)
{
    (void)unused;
    enum { COUNT = 30 };
    chains *c = chains_create(12, 10, 3.0, true, 1e-3);
    dr_contact contacts[COUNT];
    double change[12 * 10 * 4];
    random_contacts(c, contacts, COUNT);
    run(c, contacts, COUNT, &exact, 1, change);
    dr_contact_settings loose = {100, 1e-8, 0.0, 0.0};
    assert_int_equal(run(c, contacts, COUNT, &loose, 1, change).iterations, 0);
    free(c);
}

// A contact that comes after a solve, violated by `speed`: whether it is foretold that all is left as it is, and so.
static bool comes_late(const dr_contact_settings *settings, double speed)
{
    enum { COUNT = 40 };
    chains *c = chains_create(12, 10, 3.0, true, 1e-3);
    dr_contact contacts[COUNT + 1];
    double change[12 * 10 * 4], v[3];
    dr_par par = dr_par_open(1);
    dr_contact_solver *solver = dr_contact_solver_create(NULL);
    dr_contact_latecomers late = {0};
    random_contacts(c, contacts, COUNT + 1);
    for (int k = 0; k <= COUNT; k++) contacts[k].touching = 0.01;
    assert_true(dr_contact_solver_setup(solver, &par, &c->compliance, contacts, COUNT));
    dr_solve_report report;
    assert_true(dr_contact_solver_run(solver, &par, settings, &report));
    dr_contact_solver_respond(solver, &par, change);
    contacts[COUNT].least = contacts[COUNT].pull = 0.0;
    local_velocity(c, &contacts[COUNT], change, v);
    contacts[COUNT].least = v[0] + speed;
    dr_contact_latecomers_add(&late, &contacts[COUNT], v, 1e-3);
    bool left = dr_contact_solver_leaves(solver, settings, &report, &late);
    dr_contact_solver_destroy(solver);
    assert_true(report.reason == DR_REASON_CONVERGED);
    assert_true(left == (run(c, contacts, COUNT + 1, settings, 1, change).iterations == 0));
    free(c);
    return left;
}

static void test_it_is_foretold_whether_late_contacts_change_anything(void **unused)
{
    (void)unused;
    static const double speeds[] = {0.0, 0.003, 0.01, 0.03, 0.05, 0.07, 0.1, 1.0, 4.0, 4.9, 5.1, 10.0};
    const dr_contact_settings by_mean = {4000, 1e-2, 1.0, 0.5}, by_miss = {4000, 1e-2, 1000.0, 0.5};
    int left = 0, of = sizeof speeds / sizeof *speeds;
    for (int i = 0; i < of; i++) left += comes_late(&by_mean, speeds[i]);
    assert_true(left > 2 && left < of - 5);
    assert_true(comes_late(&by_miss, 4.9));
    assert_true(!comes_late(&by_miss, 5.1));
}

// Hairs side by side, the first thrown at the others: contacts that nothing closes as a solve begins are worked on when
// impulses close them, and those of strands that nothing reaches never.
static void check_thrown(const dr_contact_settings *settings, double touching, double closing)
{
    enum { STRANDS = 6, LENGTH = 6, COUNT = STRANDS - 1 };
    chains *c = chains_create(STRANDS, LENGTH, 3.0, false, 1e-3);
    dr_contact contacts[COUNT];
    double change[STRANDS * LENGTH * 4], v[3];
    const double normal[3] = {-1.0, 0.0, 0.0};
    dr_par par = dr_par_open(1);
    for (int i = 0; i < STRANDS * LENGTH; i++) dr_vec3_set(c->v + 3 * i, i < LENGTH ? 10.0 : 0.0, 0.0, 0.0);
    for (int k = 0; k < COUNT; k++) {
        contacts[k] = between(c, k, LENGTH / 2, 0.0, k + 1, LENGTH / 2, 0.0, normal);
        contacts[k].least = k == COUNT - 2 ? -1000.0 : 0.0; // the last but one is too far away to be closed
        contacts[k].touching = touching;
    }
    dr_contact_solver *solver = dr_contact_solver_create(NULL);
    assert_true(dr_contact_solver_setup(solver, &par, &c->compliance, contacts, COUNT));
    assert_int_equal(dr_contact_solver_rows(solver), 1);
    dr_solve_report report;
    assert_true(dr_contact_solver_run(solver, &par, settings, &report));
    assert_true(report.reason == DR_REASON_CONVERGED);
    assert_int_equal(dr_contact_solver_rows(solver), COUNT - 2);
    dr_contact_solver_respond(solver, &par, change);
    for (int k = 0; k < COUNT; k++) {
        local_velocity(c, &contacts[k], change, v);
        assert_true(v[0] > -closing);
        assert_true(k < COUNT - 2 ? contacts[k].impulse[0] > 0.0 : contacts[k].impulse[0] == 0.0);
    }
    dr_contact_solver_destroy(solver);
    free(c);
}

static void test_contacts_are_worked_on_when_others_close_them(void **unused)
{
    (void)unused;
    check_thrown(&exact, 0.0, 1e-6);
}

// Though the mean is within the tolerance whatever they do.
static void test_contacts_that_come_too_near_are_worked_on(void **unused)
{
    (void)unused;
    const dr_contact_settings by_miss = {4000, 1.0, 100.0, 0.5};
    check_thrown(&by_miss, 1e-3, 0.5);
}

static void test_lack_of_memory_is_reported_and_nothing_leaks(void **unused)
{
    (void)unused;
    enum { COUNT = 20 };
    chains *c = chains_create(6, 10, 3.0, true, 1e-3);
    dr_contact contacts[COUNT];
    dr_par par = dr_par_open(1);
    random_contacts(c, contacts, COUNT);
    for (long fails = 1;; fails++) {
        scarce scarce;
        scarce_open(&scarce, fails);
        dr_contact_solver *solver = dr_contact_solver_create(&scarce.allocator);
        for (int k = 0; k < COUNT; k++) dr_vec3_set(contacts[k].impulse, 0.0, 0.0, 0.0);
        dr_solve_report report;
        bool ok = solver && dr_contact_solver_setup(solver, &par, &c->compliance, contacts, COUNT) &&
                  dr_contact_solver_run(solver, &par, &exact, &report);
        dr_contact_solver_destroy(solver);
        assert_true(scarce.out == 0);
        if (ok) break;
        assert_true(fails < 60);
    }
    free(c);
}

// A strand whose vertices all answer each other in any direction, as a bent one does.
typedef struct tangle {
    dr_compliance compliance;
    int first[2];
    double x[24], v[24], inverse[24][24];
} tangle;

static void tangle_solve(const void *self, int s, int from, double *block)
{
    const tangle *t = self;
    double out[256] = {0};
    (void)s;
    (void)from;
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < 24; j++) {
            for (int lane = 0; lane < 8; lane++)
                out[8 * (i / 3 * 4 + i % 3) + lane] += t->inverse[i][j] * block[8 * (j / 3 * 4 + j % 3) + lane];
        }
    }
    memcpy(block, out, sizeof out);
}

static void make_tangle(tangle *t, uint64_t seed)
{
    double b[24][24];
    *t = (tangle){.first = {0, 8}};
    for (int i = 0; i < 24 * 24; i++) b[i / 24][i % 24] = dr_random_unit(seed, (uint64_t)i) - 0.5;
    for (int i = 0; i < 24; i++) {
        for (int j = 0; j < 24; j++) {
            for (int k = 0; k < 24; k++) t->inverse[i][j] += b[i][k] * b[j][k] * (k % 4 ? 0.01 : 1.0);
        }
        t->v[i] = dr_random_unit(seed, (uint64_t)(1000 + i)) - 0.5;
    }
    t->compliance = (dr_compliance){
        .strands = 1, .first = t->first, .x = t->x, .v = t->v, .dt = 1e-3, .solve = tangle_solve, .self = t};
}

static double try_sticky(tangle *t, uint64_t seed, int sweeps)
{
    const dr_par par = dr_par_open(1);
    const dr_contact_settings settings = {sweeps, 1e-9, 0.0, 0.0};
    dr_contact contacts[7];
    for (int k = 0; k < 7; k++) {
        double n[3] = {0.2 * dr_random_unit(seed, (uint64_t)(2000 + k)), 1.0, 0.1};
        contacts[k] = (dr_contact){.strand = {0, -1}, .vertex = {k, -1}, .solid = 0, .friction = 1e6, .touching = 0.01};
        dr_vec3_normalize(contacts[k].frame, n, n);
        dr_contact_frame(&contacts[k]);
    }
    dr_contact_solver *solver = dr_contact_solver_create(NULL);
    assert_true(dr_contact_solver_setup(solver, &par, &t->compliance, contacts, 7));
    dr_solve_report report;
    assert_true(dr_contact_solver_run(solver, &par, &settings, &report));
    double residual = report.residual;
    dr_contact_solver_destroy(solver);
    return residual;
}

// Of a collider to which all sticks a contact that opens lets go of much more than pressed it: one after another they
// throw each other about. What a solve comes to is no worse than where it began.
static void test_sticky_contacts_never_lead_away(void **unused)
{
    (void)unused;
    int solved = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        tangle t;
        make_tangle(&t, seed);
        double before = try_sticky(&t, seed, 0), after = try_sticky(&t, seed, 400);
        assert_true(after <= before * (1.0 + 1e-9));
        solved += after < 1e-8;
    }
    print_message("%d of 300 are solved\n", solved);
    assert_true(solved > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_contacts_obey_coulombs_law_with_the_strands_own_compliance),
        cmocka_unit_test(test_windows_of_a_strand_move_as_the_whole_does),
        cmocka_unit_test(test_patches_of_a_colour_share_no_strand),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_contacts_between_free_strands_keep_momentum),
        cmocka_unit_test(test_friction_takes_energy_and_never_gives),
        cmocka_unit_test(test_the_slope_at_which_a_sticky_mass_slides),
        cmocka_unit_test(test_two_strands_part_when_pulled_harder_than_their_bridge),
        cmocka_unit_test(test_a_spring_pulls_and_pushes_by_its_law),
        cmocka_unit_test(test_springs_and_cones_hold_their_laws_together),
        cmocka_unit_test(test_what_is_held_does_not_move),
        cmocka_unit_test(test_not_converging_is_a_reason),
        cmocka_unit_test(test_no_contact_misses_by_more_than_it_may),
        cmocka_unit_test(test_a_few_contacts_do_not_keep_all_others_busy),
        cmocka_unit_test(test_sticky_contacts_never_lead_away),
        cmocka_unit_test(test_it_is_foretold_whether_late_contacts_change_anything),
        cmocka_unit_test(test_a_warm_start_needs_no_sweep),
        cmocka_unit_test(test_contacts_are_worked_on_when_others_close_them),
        cmocka_unit_test(test_contacts_that_come_too_near_are_worked_on),
        cmocka_unit_test(test_lack_of_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
