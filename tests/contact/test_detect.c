#include "support/check.h"
#include "support/scarce.h"

#include "chain.h"
#include "contact/detect.h"
#include "geom/segment.h"
#include "lab/crossings.h"
#include "math/random.h"
#include "math/vec.h"

#define STRANDS  30
#define LENGTH   8
#define VERTICES (STRANDS * LENGTH)

// Strands of random shape in a box, moving in all directions.
typedef struct heap {
    chains *chains;
    double radius[VERTICES], film[VERTICES], friction[STRANDS], velocity[3 * VERTICES];
    dr_contact_law law;
    dr_contact_bodies bodies;
    dr_contact_set set;
    dr_par par;
} heap;

static heap *heap_create(uint64_t key, double speed, double radius)
{
    heap *h = calloc(1, sizeof *h);
    h->chains = chains_create(STRANDS, LENGTH, 1.0, false, 1e-3);
    uint64_t at = 0;
    for (int s = 0; s < STRANDS; s++) {
        double x[3], way[3];
        for (int a = 0; a < 3; a++) x[a] = 2.0 * dr_random_unit(key, at++);
        for (int a = 0; a < 3; a++) way[a] = dr_random_unit(key, at++) - 0.5;
        h->friction[s] = 0.3;
        for (int i = 0; i < LENGTH; i++) {
            int v = s * LENGTH + i;
            h->radius[v] = radius;
            for (int a = 0; a < 3; a++) {
                x[a] += 0.3 * way[a] + 0.2 * (dr_random_unit(key, at++) - 0.5);
                h->chains->x[3 * v + a] = x[a];
                h->velocity[3 * v + a] = speed * (dr_random_unit(key, at++) - 0.5) / 1e-3;
            }
        }
    }
    // Some strands stand still, some lie exactly side by side, one has an edge of no length.
    for (int i = 0; i < 3 * LENGTH; i++) h->velocity[i] = 0.0;
    for (int i = 0; i < LENGTH; i++) {
        for (int a = 0; a < 3; a++) {
            h->chains->x[3 * (4 * LENGTH + i) + a] =
                h->chains->x[3 * (5 * LENGTH + i) + a] + (a == 0 ? 4.0 * radius : 0);
        }
    }
    for (int a = 0; a < 3; a++) h->chains->x[3 * (6 * LENGTH + 3) + a] = h->chains->x[3 * (6 * LENGTH + 2) + a];
    h->bodies = (dr_contact_bodies){.compliance = &h->chains->compliance,
                                    .velocity = h->velocity,
                                    .start_velocity = h->velocity,
                                    .radius = h->radius,
                                    .friction = h->friction,
                                    .law = &h->law};
    h->par = dr_par_open(2);
    dr_contact_set_open(&h->set, NULL);
    return h;
}

static void heap_free(heap *h)
{
    dr_contact_set_close(&h->set);
    free(h->chains);
    free(h);
}

static void edge_pair(const heap *h, int e, int f, double x[12], double motion[12])
{
    for (int i = 0; i < 6; i++) {
        x[i] = h->chains->x[3 * e + i];
        x[6 + i] = h->chains->x[3 * f + i];
        motion[i] = 1e-3 * h->velocity[3 * e + i];
        motion[6 + i] = 1e-3 * h->velocity[3 * f + i];
    }
}

static double least_distance(const heap *h, int e, int f)
{
    double x[12], motion[12], at[12], least = INFINITY;
    edge_pair(h, e, f, x, motion);
    for (int n = 0; n <= 200; n++) {
        for (int i = 0; i < 12; i++) at[i] = x[i] + motion[i] * n / 200.0;
        least = fmin(least, dr_segment_closest(at).distance);
    }
    return least;
}

static bool known(const heap *h, int e, int f, int near)
{
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *c = &h->set.contacts[k];
        if (c->strand[0] == e / LENGTH && c->strand[1] == f / LENGTH && abs(c->vertex[0] - e) <= near &&
            abs(c->vertex[1] - f) <= near)
            return true;
    }
    return false;
}

// Every two edges that touch at any time of the motion, from all pairs of edges.
static void test_no_contact_is_lost(void **unused)
{
    (void)unused;
    int touching = 0;
    for (uint64_t key = 0; key < 6; key++) {
        double radius = key % 2 ? 0.005 : 0.04;
        heap *h = heap_create(key, key < 3 ? 0.2 : 2.0, radius);
        assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
        for (int e = 0; e < VERTICES; e++) {
            for (int f = e + 1; f < VERTICES; f++) {
                if (e % LENGTH == LENGTH - 1 || f % LENGTH == LENGTH - 1) continue;
                if (e / LENGTH == f / LENGTH && f - e < 4) continue;
                if (least_distance(h, e, f) > 2.0 * radius) continue;
                touching++;
                assert_true(known(h, e, f, 2));
            }
        }
        heap_free(h);
    }
    assert_true(touching > 500);
}

// docs/theory/contact.md: friction of two materials is the square root of the product of both coefficients.
static void test_friction_between_strands_takes_both_coefficients(void **unused)
{
    (void)unused;
    heap *h = heap_create(3, 1.0, 0.04);
    for (int s = 0; s < STRANDS; s++) h->friction[s] = 0.01 * (s + 1) * (s + 1);
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    assert_true(h->set.count > 50);
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *c = &h->set.contacts[k];
        assert_true(fabs(c->friction - 0.01 * (c->strand[0] + 1) * (c->strand[1] + 1)) < 1e-14);
    }
    heap_free(h);
}

static void test_contacts_are_sorted_and_none_is_there_twice(void **unused)
{
    (void)unused;
    heap *h = heap_create(3, 1.0, 0.04);
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    assert_true(h->set.count > 50);
    for (size_t k = 1; k < h->set.count; k++) {
        const dr_contact *p = &h->set.contacts[k - 1], *q = &h->set.contacts[k];
        assert_true(p->vertex[0] < q->vertex[0] || (p->vertex[0] == q->vertex[0] && p->vertex[1] <= q->vertex[1]));
        bool same = p->vertex[0] == q->vertex[0] && p->vertex[1] == q->vertex[1] && p->place[0] == q->place[0] &&
                    p->place[1] == q->place[1];
        assert_false(same);
    }
    heap_free(h);
}

// The least normal velocity of a contact keeps its places apart at the end of the step.
static void test_the_least_velocity_closes_the_gap_and_no_more(void **unused)
{
    (void)unused;
    heap *h = heap_create(8, 0.0, 0.01);
    double high = 0.5;
    for (int i = 0; i < LENGTH; i++) {
        dr_vec3_set(h->chains->x + 3 * i, 0.1 * i + 10.0, high, 0.35);
        dr_vec3_set(h->chains->x + 3 * (LENGTH + i), 10.35, 0.0, 0.1 * i);
        dr_vec3_set(h->velocity + 3 * i, 0.0, -2.0 * high / 1e-3, 0.0);
        dr_vec3_set(h->velocity + 3 * (LENGTH + i), 0.0, 0.0, 0.0);
    }
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    const dr_contact *found = NULL;
    for (size_t k = 0; k < h->set.count; k++) {
        if (h->set.contacts[k].strand[0] == 0 && h->set.contacts[k].strand[1] == 1) found = &h->set.contacts[k];
    }
    assert_non_null(found);
    check_near(found->frame[1], 1.0, 1e-9);
    check_near(found->gap, high - 0.02, 1e-9);
    check_near(found->least, -(high - 0.02) / 1e-3, 1e-6);
    heap_free(h);
}

static void test_a_strand_touches_itself_but_not_its_neighbours(void **unused)
{
    (void)unused;
    heap *h = heap_create(9, 0.0, 0.01);
    for (int s = 1; s < STRANDS; s++) {
        for (int i = 0; i < LENGTH; i++) h->chains->x[3 * (s * LENGTH + i)] += 100.0 * s;
    }
    static const double hairpin[LENGTH][3] = {{0, 0, 0},   {1, 0, 0},       {2, 0, 0},       {3, 0, 0},
                                              {3, 0.3, 0}, {2, 0.022, 0.1}, {1, 0.022, 0.1}, {0, 0.5, 0.1}};
    memcpy(h->chains->x, hairpin, sizeof hairpin);
    for (int i = 0; i < LENGTH; i++) h->chains->x[3 * i + 2] = i > 4 ? 0.005 : 0.0;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    bool touches = false;
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *c = &h->set.contacts[k];
        if (c->strand[0] != 0) continue;
        touches = true;
        assert_true(c->strand[1] == 0 && c->vertex[1] - c->vertex[0] >= 2);
    }
    assert_true(touches);
    heap_free(h);
}

static void test_nearly_parallel_edges_touch_at_both_ends_of_their_overlap(void **unused)
{
    (void)unused;
    heap *h = heap_create(10, 0.0, 0.01);
    for (int v = 0; v < VERTICES; v++) h->chains->x[3 * v + 1] += 50.0 * (v / LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        dr_vec3_set(h->chains->x + 3 * i, i, 0.0, 0.0);
        dr_vec3_set(h->chains->x + 3 * (LENGTH + i), i + 0.4, 0.02, 1e-4 * i);
    }
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    int count = 0;
    for (size_t k = 0; k < h->set.count; k++) count += h->set.contacts[k].strand[0] == 0;
    assert_int_equal(count, LENGTH); // every vertex of the first that faces the other, and a tip of that
    heap_free(h);
}

static void test_the_last_step_warms_the_next(void **unused)
{
    (void)unused;
    heap *h = heap_create(3, 0.5, 0.04);
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    size_t count = h->set.count;
    for (size_t k = 0; k < count; k++) {
        h->set.contacts[k].impulse[0] = 1.0 + (double)k;
        h->set.contacts[k].impulse[1] = 0.1;
    }
    dr_contact_record *records = calloc(count, sizeof *records);
    dr_contact_set_record(&h->set, 1e-3, records);
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, records, count));
    assert_int_equal(h->set.count, count);
    for (size_t k = 0; k < count; k++) {
        check_near(h->set.contacts[k].impulse[0], 1.0 + (double)k, 1e-9);
        check_near(h->set.contacts[k].impulse[1], 0.1, 1e-9);
    }
    free(records);
    heap_free(h);
}

static void test_other_motions_add_what_is_new(void **unused)
{
    (void)unused;
    heap *h = heap_create(4, 0.3, 0.01);
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    size_t before = h->set.count;
    for (size_t k = 0; k < before; k++) h->set.contacts[k].impulse[2] = 7.0;
    for (int i = 0; i < 3 * VERTICES; i++) h->velocity[i] *= -1.5;
    assert_true(dr_contact_set_extend(&h->set, &h->par, &h->bodies));
    assert_true(h->set.added > 10 && h->set.count == before + h->set.added);
    size_t kept = 0;
    for (size_t k = 0; k < h->set.count; k++) kept += h->set.contacts[k].impulse[2] == 7.0;
    assert_int_equal(kept, before);
    heap_free(h);
}

// Pairs that are known to stay apart are not looked at: nothing may be lost by that, whatever motions come.
static void test_pairs_that_are_passed_over_would_not_have_met(void **unused)
{
    (void)unused;
    heap *some = heap_create(4, 0.3, 0.01), *all = heap_create(4, 0.3, 0.01);
    assert_true(dr_contact_set_find(&some->set, &some->par, &some->bodies, NULL, 0));
    assert_true(dr_contact_set_find(&all->set, &all->par, &all->bodies, NULL, 0));
    size_t added = 0;
    for (uint64_t round = 0; round < 6; round++) {
        for (int i = 0; i < 3 * VERTICES; i++) {
            double change = 0.4 * (dr_random_unit(11, 4096 * round + (uint64_t)i) - 0.5);
            some->velocity[i] = all->velocity[i] += change * all->velocity[i];
        }
        for (size_t k = 0; k < all->set.tree.pair_count; k++) all->set.tree.pairs[k].until = 0.0;
        assert_true(dr_contact_set_extend(&some->set, &some->par, &some->bodies));
        assert_true(dr_contact_set_extend(&all->set, &all->par, &all->bodies));
        added += some->set.added;
        assert_int_equal(some->set.count, all->set.count);
        assert_memory_equal(some->set.contacts, all->set.contacts, all->set.count * sizeof *all->set.contacts);
    }
    assert_true(added > 10);
    heap_free(some);
    heap_free(all);
}

// Pairs live on over steps while edges stay within their corridors: the contacts are those of a set that is new.
static void test_pairs_that_live_on_lose_nothing(void **unused)
{
    (void)unused;
    size_t contacts = 0, kept_steps = 0;
    for (uint64_t key = 0; key < 4; key++) {
        heap *h = heap_create(40 + key, key < 3 ? 0.002 : 0.1, 0.01);
        for (uint64_t step = 0; step < 60; step++) {
            dr_contact_set fresh;
            uint64_t edition = h->set.edition;
            dr_contact_set_open(&fresh, NULL);
            assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
            assert_true(dr_contact_set_find(&fresh, &h->par, &h->bodies, NULL, 0));
            assert_int_equal(h->set.count, fresh.count);
            if (fresh.count) assert_memory_equal(h->set.contacts, fresh.contacts, fresh.count * sizeof *fresh.contacts);
            contacts += fresh.count;
            kept_steps += h->set.edition == edition + 1 && h->set.strayed_count < h->set.edge_count / 4;
            dr_contact_set_close(&fresh);
            for (int i = 0; i < 3 * VERTICES; i++) {
                h->chains->x[i] += 1e-3 * h->velocity[i];
                h->velocity[i] += 0.3 * (dr_random_unit(key, 4096 * step + (uint64_t)i) - 0.5) * h->velocity[i];
            }
        }
        heap_free(h);
    }
    assert_true(contacts > 200 && kept_steps > 5);
}

// Contact brings strands back from where they would go alone to about the motion that the step begins with.
static void test_corridors_hold_the_motion_of_the_beginning(void **unused)
{
    (void)unused;
    heap *h = heap_create(50, 0.002, 0.01);
    double before[3 * VERTICES];
    for (int i = 0; i < 3 * VERTICES; i++)
        before[i] = h->velocity[i] + 0.03 * (dr_random_unit(51, (uint64_t)i) - 0.5) / 1e-3;
    h->bodies.start_velocity = before;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    h->bodies.velocity = before;
    uint64_t edition = h->set.edition;
    assert_true(dr_contact_set_extend(&h->set, &h->par, &h->bodies));
    assert_int_equal(h->set.strayed_count, 0);
    assert_true(h->set.edition == edition);
    heap_free(h);
}

// Strands side by side, farther apart than anything reaches, that go a long way together are no pairs.
static void test_edges_that_go_along_with_each_other_are_no_pairs(void **unused)
{
    (void)unused;
    heap *h = heap_create(50, 0.0, 0.01);
    for (int v = 0; v < VERTICES; v++) {
        double along = 0.3 * (v % LENGTH);
        dr_vec3_set(h->chains->x + 3 * v, along, along, along + 0.2 * (v / LENGTH)); // askew: their boxes overlap
        dr_vec3_set(h->velocity + 3 * v, 0.0, 0.0, 0.05 * (v % LENGTH) / 1e-3);
    }
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    assert_int_equal(h->set.tree.pair_count, 0);
    heap_free(h);
}

// The speed at which two strands that cross at a distance are pushed apart, touching distances per step.
static double pushed(double distance, double dt)
{
    const double radius = 0.005, touching = 2.0 * radius;
    heap *h = heap_create(30, 0.0, radius);
    h->chains->compliance.dt = dt;
    for (int v = 0; v < VERTICES; v++) {
        double along = 0.5 * (v % LENGTH);
        dr_vec3_set(h->chains->x + 3 * v, along, 10.0 * (v / LENGTH), 0.0);
        if (v / LENGTH == 1) dr_vec3_set(h->chains->x + 3 * v, 0.75, distance * touching, along - 0.75);
        dr_vec3_set(h->velocity + 3 * v, 0.0, 0.0, 0.0);
    }
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    assert_int_equal(h->set.count, 1);
    double least = h->set.contacts[0].least * dt / touching;
    heap_free(h);
    return least;
}

static void test_overlaps_are_taken_back_by_a_fifth_and_a_tenth_of_touching_at_most(void **unused)
{
    (void)unused;
    check_near(pushed(1.05, 1e-3), -0.05, 1e-9); // what is left may be closed
    check_near(pushed(0.8, 1e-3), 0.04, 1e-9);
    check_near(pushed(0.3, 1e-3), 0.1, 1e-9);
    check_near(pushed(0.3, 0.01), 0.1, 1e-9);
    check_near(pushed(0.3, 1e-5), 0.001, 1e-9); // or steps that are made shorter would throw strands the faster
}

// Where edges have passed through each other a contact with the normal of there would hold them to the wrong side.
static void test_no_contact_holds_edges_to_the_other_side(void **unused)
{
    (void)unused;
    size_t added = 0;
    for (uint64_t key = 50; key < 54; key++) {
        heap *h = heap_create(key, 0.1, 0.01);
        assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
        for (size_t k = 0; k < h->set.count; k++) h->set.contacts[k].impulse[2] = 7.0;
        for (int i = 0; i < 3 * VERTICES; i++) h->velocity[i] *= -5.0;
        assert_true(dr_contact_set_extend(&h->set, &h->par, &h->bodies));
        for (size_t k = 0; k < h->set.count; k++) {
            const dr_contact *c = &h->set.contacts[k];
            double apart[3];
            if (c->impulse[2] == 7.0) continue;
            for (int a = 0; a < 3; a++) {
                const double *x = h->chains->x + 3 * c->vertex[0] + a, *y = h->chains->x + 3 * c->vertex[1] + a;
                apart[a] = x[0] + c->place[0] * (x[3] - x[0]) - y[0] - c->place[1] * (y[3] - y[0]);
            }
            assert_true(dr_vec3_dot(c->frame, apart) > -0.6 * dr_vec3_length(apart));
            added++;
        }
        heap_free(h);
    }
    assert_true(added > 40);
}

// Sides that do not overlap may stay as they are, whatever motion was looked at: else contacts of one crossing under
// several normals ask for what no motion does.
static void test_no_contact_asks_for_motion_of_sides_that_are_apart(void **unused)
{
    (void)unused;
    size_t far = 0;
    for (uint64_t key = 60; key < 64; key++) {
        heap *h = heap_create(key, 0.1, 0.01);
        assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
        for (int i = 0; i < 3 * VERTICES; i++) h->velocity[i] *= -5.0;
        assert_true(dr_contact_set_extend(&h->set, &h->par, &h->bodies));
        for (size_t k = 0; k < h->set.count; k++) {
            const dr_contact *c = &h->set.contacts[k];
            bool apart = c->distance > c->touching;
            check_at_most(1e-3 * c->least, (apart ? 1e-9 : 0.1 + 1e-9) * c->touching);
            far += apart;
        }
        heap_free(h);
    }
    assert_true(far > 40);
}

// ---- liquid

#define FINE  0.005 // radius of two parallel strands, film as high
#define ANGLE 0.2

// The pull between the first two strands, side by side at a distance, over its time; negative: they are no contact.
static double pull_under(double distance, double speed, double exposed, const dr_contact_record *records,
                         size_t record_count, double *least)
{
    double under[VERTICES];
    heap *h = heap_create(30, 0.0, FINE);
    dr_bridge_sides sides = {{1, 1}, {ANGLE, ANGLE}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    h->law = (dr_contact_law){.surface_tension = 72.0, .contact_angle = ANGLE, .pair = table, .plane = table};
    for (int v = 0; v < VERTICES; v++) {
        dr_vec3_set(h->chains->x + 3 * v, 0.5 * (v % LENGTH), v / LENGTH == 1 ? distance : 10.0 * (v / LENGTH), 0.0);
        dr_vec3_set(h->velocity + 3 * v, 0.0, v / LENGTH == 1 ? speed : 0.0, 0.0);
        h->film[v] = PI * FINE * (FINE + 2.0 * FINE);
        under[v] = exposed;
    }
    h->bodies.film = h->film;
    h->bodies.exposed = under;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, records, record_count));
    double pull = h->set.count ? 0.0 : -1.0;
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *contact = &h->set.contacts[k];
        double force = record_count ? -records[k].force[1] : 0.0; // the normal goes from the second strand to the first
        pull += contact->pull / 1e-3;
        if (contact->pull > 0.0) check_near(contact->impulse[0], contact->pull + 1e-3 * force, 1e-12);
    }
    if (h->set.count) *least = h->set.contacts[0].least;
    dr_bridge_table_destroy(table, NULL);
    heap_free(h);
    return pull;
}

static double pull_at(double distance, double speed, const dr_contact_record *records, size_t record_count,
                      double *least)
{
    return pull_under(distance, speed, 1.0, records, record_count, least);
}

// Half under liquid a bridge pulls half as much, and not at all where liquid is all around it.
static void test_bridges_end_under_liquid(void **unused)
{
    (void)unused;
    double least, whole = pull_under(0.019, 1.0, 1.0, NULL, 0, &least);
    assert_true(whole > 0.0);
    check_near(pull_under(0.019, 1.0, 0.5, NULL, 0, &least), 0.5 * whole, 1e-12 * whole);
    check_near(pull_under(0.019, 1.0, 1e-9, NULL, 0, &least), 1e-9 * whole, 1e-18 * whole);
    assert_true(pull_under(0.019, 1.0, 0.0, NULL, 0, &least) == -1.0);
}

static void test_bridges_form_where_films_touch_and_hold_those_that_part(void **unused)
{
    (void)unused;
    double least = NAN;
    // Films touch at 0.02. Approaching strands feel nothing, others are held where they are.
    assert_true(pull_at(0.019, -1.0, NULL, 0, &least) == -1.0);
    assert_true(pull_at(0.019, 1.0, NULL, 0, &least) > 0.0 && least == 0.0);
    assert_true(pull_at(0.021, 1.0, NULL, 0, &least) == -1.0);
    // Approaching and touching: kept apart, and held.
    assert_true(pull_at(0.01, -1.0, NULL, 0, &least) >= 0.0);
}

static void test_a_bridge_that_exists_lasts_until_it_ruptures(void **unused)
{
    (void)unused;
    dr_contact_record records[LENGTH];
    double least;
    for (int i = 0; i < LENGTH; i++) {
        int end = i == LENGTH - 1; // the tip is the end of the last edge
        records[i] = (dr_contact_record){
            .strand = {0, 1}, .vertex = {i - end, LENGTH + i - end}, .solid = -1, .place = {end, end}};
        records[i].force[1] = -0.01 * (i + 1); // what acted, pull and answer together
    }
    // Rupture at 0.01 + (1 + theta/2) sqrt(A) = 0.0339.
    assert_true(pull_at(0.025, 1.0, NULL, 0, &least) == -1.0);
    assert_true(pull_at(0.025, 1.0, records, LENGTH, &least) > 0.0);
    assert_true(pull_at(0.035, 1.0, records, LENGTH, &least) == -1.0);
}

// Two strands side by side, the second set off along the first and askew: no place is found twice, and every piece of
// liquid pulls once.
static void test_liquid_beside_askew_strands_is_counted_once(void **unused)
{
    (void)unused;
    heap *h = heap_create(30, 0.0, FINE);
    double area = 2.0 * PI * FINE * 3.0 * FINE, tilt = 1e-3, off = 0.13, apart = 0.012, pull = 0.0;
    dr_bridge_sides sides = {{1, 1}, {ANGLE, ANGLE}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    h->law = (dr_contact_law){.surface_tension = 72.0, .contact_angle = ANGLE, .pair = table, .plane = table};
    for (int v = 0; v < VERTICES; v++) {
        double along = 0.5 * (v % LENGTH);
        dr_vec3_set(h->chains->x + 3 * v, along + (v / LENGTH == 1 ? off : 0.0),
                    v / LENGTH == 1 ? apart + tilt * along : 10.0 * (v / LENGTH),
                    v / LENGTH == 1 ? tilt * (v % 2 ? along : -along) : 0.0);
        dr_vec3_set(h->velocity + 3 * v, 0.0, v / LENGTH == 1 ? 1.0 : 0.0, 0.0);
        h->film[v] = PI * FINE * (FINE + 2.0 * FINE);
    }
    h->bodies.film = h->film;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    double mean = apart + 0.25 * tilt * (LENGTH - 1), length = 0.5 * (LENGTH - 1) - off;
    double force = 72.0 * dr_bridge_table_force(table, FINE, mean, area, NULL);
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *c = &h->set.contacts[k];
        pull += c->pull / 1e-3;
        for (size_t i = 0; i < k; i++) {
            const dr_contact *o = &h->set.contacts[i];
            double aside = fabs(c->vertex[0] + c->place[0] - o->vertex[0] - o->place[0]);
            assert_true(aside > 0.2);
        }
    }
    check_near(pull, force * length, 0.05 * force * length);
    dr_bridge_table_destroy(table, NULL);
    heap_free(h);
}

static void test_the_pull_is_the_bridges_force_over_the_length_side_by_side(void **unused)
{
    (void)unused;
    double least, area = 2.0 * PI * FINE * 3.0 * FINE, length = 0.5 * (LENGTH - 1);
    dr_bridge_sides sides = {{FINE, FINE}, {ANGLE, ANGLE}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    double force = 72.0 * dr_bridge_table_force(table, FINE, 0.019, area, NULL);
    assert_true(force > 1.0);
    check_near(pull_at(0.019, 1.0, NULL, 0, &least), force * length, 1e-9 * force);
    dr_bridge_table_destroy(table, NULL);
}

// Strands side by side in two groups of liquids: the pull between two of the first liquid, two of the second, and one
// of each.
static double pull_between(const dr_contact_law laws[2], int first, int second)
{
    heap *h = heap_create(30, 0.0, FINE);
    int32_t kind[STRANDS] = {first, second};
    for (int v = 0; v < VERTICES; v++) {
        dr_vec3_set(h->chains->x + 3 * v, 0.5 * (v % LENGTH), v / LENGTH == 1 ? 0.019 : 10.0 * (v / LENGTH), 0.0);
        dr_vec3_set(h->velocity + 3 * v, 0.0, v / LENGTH == 1 ? 1.0 : 0.0, 0.0);
        h->film[v] = PI * FINE * (FINE + 2.0 * FINE);
    }
    h->bodies.film = h->film;
    h->bodies.laws = laws;
    h->bodies.law_count = 2;
    h->bodies.kind = kind;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    double pull = 0.0;
    for (size_t k = 0; k < h->set.count; k++) pull += h->set.contacts[k].pull / 1e-3;
    heap_free(h);
    return pull;
}

// Liquid acts at the distance of the beginning: a second look at other places finds no bridge, nor one's hold.
static void test_later_looks_find_what_touches_alone(void **unused)
{
    (void)unused;
    heap *h = heap_create(30, 0.0, FINE);
    dr_bridge_sides sides = {{1, 1}, {ANGLE, ANGLE}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    h->law = (dr_contact_law){.surface_tension = 72.0, .contact_angle = ANGLE, .pair = table, .plane = table};
    for (int v = 0; v < VERTICES; v++) {
        double along = 0.5 * (v % LENGTH), far = 10.0 * (v / LENGTH);
        dr_vec3_set(h->chains->x + 3 * v, along, far, 0.0);
        if (v / LENGTH == 1) dr_vec3_set(h->chains->x + 3 * v, 0.75, 2.6 * FINE, along - 0.75);
        dr_vec3_set(h->velocity + 3 * v, 0.0, 0.0, 0.0);
        h->film[v] = PI * FINE * (FINE + 2.0 * FINE);
    }
    h->bodies.film = h->film;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0));
    assert_int_equal(h->set.count, 1);
    check_near(h->set.contacts[0].least, 0.0, 0.0);
    h->set.contacts[0].impulse[2] = 7.0;
    static const double at_rest[3 * VERTICES];
    h->bodies.start_velocity = at_rest;
    for (int v = LENGTH; v < 2 * LENGTH; v++) dr_vec3_set(h->velocity + 3 * v, 17.0, -20.0, 0.0);
    assert_true(dr_contact_set_extend(&h->set, &h->par, &h->bodies));
    assert_true(h->set.added > 0);
    for (size_t k = 0; k < h->set.count; k++) {
        const dr_contact *c = &h->set.contacts[k];
        if (c->impulse[2] == 7.0) continue;
        check_near(c->pull, 0.0, 0.0);
        check_near(c->least, -c->gap / 1e-3, 1e-9);
        assert_true(c->least < 0.0);
    }
    dr_bridge_table_destroy(table, NULL);
    heap_free(h);
}

static void test_strands_are_held_by_their_own_liquid_and_unlike_ones_by_the_weaker(void **unused)
{
    (void)unused;
    dr_bridge_sides sides = {{1, 1}, {ANGLE, ANGLE}};
    dr_bridge_table *table = dr_bridge_table_create(&sides, NULL);
    const dr_contact_law wet = {.surface_tension = 72.0, .contact_angle = ANGLE, .pair = table, .plane = table};
    dr_contact_law laws[2] = {wet, wet};
    laws[1].surface_tension = 18.0;
    double water = pull_between(laws, 0, 0), oil = pull_between(laws, 1, 1);
    assert_true(water > 0.0);
    check_near(oil / water, 0.25, 1e-12);
    check_near(pull_between(laws, 0, 1) / oil, 1.0, 1e-12);
    check_near(pull_between(laws, 1, 0) / oil, 1.0, 1e-12);
    laws[1] = (dr_contact_law){0}; // a dry one beside a wet one
    check_near(pull_between(laws, 1, 0) / water, 1.0, 1e-12);
    check_near(pull_between(laws, 1, 1), 0.0, 0.0);
    laws[1] = wet; // a thick one
    laws[1].goo = (dr_bridge_goo){1000.0, 0.0, 1.0};
    assert_true(pull_between(laws, 1, 1) > 1.01 * water);
    check_near(pull_between(laws, 0, 0) / water, 1.0, 1e-12);
    dr_bridge_table_destroy(table, NULL);
}

// ---- holding

static long crossings_after(const heap *h, const double *share, const double *drift)
{
    static double after[3 * VERTICES];
    for (int i = 0; i < 3 * VERTICES; i++) {
        int strand = i / 3 / LENGTH;
        double part = share ? share[strand] : 1.0, rest = drift ? drift[3 * strand + i % 3] : 0.0;
        after[i] = h->chains->x[i] + 1e-3 * (part * h->velocity[i] + (1.0 - part) * rest);
    }
    // The edges beside the one of no length are neighbours: they touch from the beginning and do not count.
    double x[12], y[12];
    for (int i = 0; i < 12; i++) {
        int from = 3 * (6 * LENGTH + (i < 6 ? 1 : 3)) + i % 6;
        x[i] = h->chains->x[from];
        y[i] = after[from];
    }
    return dr_crossings_count(h->chains->x, after, h->chains->first, STRANDS) - dr_crossings_of_pair(x, y);
}

static void test_nothing_passes_through_what_is_held(void **unused)
{
    (void)unused;
    for (uint64_t key = 20; key < 26; key++) {
        heap *h = heap_create(key, key % 2 ? 0.5 : 3.0, 0.01);
        double share[STRANDS], drift[3 * STRANDS];
        long blocked;
        assert_true(crossings_after(h, NULL, NULL) > 5);
        long held = dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked);
        assert_true(held > 0 && blocked == 0);
        assert_int_equal(crossings_after(h, share, drift), 0);
        double moves = 0.0;
        for (int s = 0; s < STRANDS; s++) moves += share[s] + dr_vec3_length(drift + 3 * s);
        assert_true(moves > 0.5); // it does not simply stop everything
        heap_free(h);
    }
}

// A column falls, and one strand in it would pass through another: nothing but that is changed.
static void test_strands_that_are_held_go_along_with_their_neighbours(void **unused)
{
    (void)unused;
    heap *h = heap_create(40, 0.0, 0.01);
    double share[STRANDS], drift[3 * STRANDS];
    long blocked;
    for (int v = 0; v < VERTICES; v++) {
        int s = v / LENGTH, i = v % LENGTH;
        dr_vec3_set(h->chains->x + 3 * v, s % 2 ? 0.5 : 0.15 * i, 0.05 * s, s % 2 ? 0.15 * i - 0.5 : 0.0);
        dr_vec3_set(h->velocity + 3 * v, 0.0, s == 10 ? -1100.0 : -1000.0, 0.0); // a step is twenty times the spacing
    }
    assert_true(crossings_after(h, NULL, NULL) > 0);
    assert_int_equal(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked), 3);
    assert_int_equal(crossings_after(h, share, drift), 0);
    check_near(drift[3 * 10 + 1], -1000.0, 40.0);
    heap_free(h);
}

// Whatever the zones are: nothing that is free gains or loses linear momentum by being held.
static void test_strands_that_are_held_keep_their_momentum(void **unused)
{
    (void)unused;
    for (uint64_t key = 20; key < 24; key++) {
        heap *h = heap_create(key, 3.0, 0.01);
        double share[STRANDS], drift[3 * STRANDS], mass[VERTICES], before[3] = {0}, after[3] = {0}, size = 0.0;
        long blocked;
        for (int v = 0; v < VERTICES; v++) mass[v] = 0.5 + dr_random_unit(key + 100, (uint64_t)v);
        h->bodies.mass = mass;
        assert_true(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked) > 0);
        for (int i = 0; i < 3 * VERTICES; i++) {
            int s = i / 3 / LENGTH;
            double u = share[s] * h->velocity[i] + (1.0 - share[s]) * drift[3 * s + i % 3];
            before[i % 3] += mass[i / 3] * h->velocity[i];
            after[i % 3] += mass[i / 3] * u;
            size += mass[i / 3] * fabs(h->velocity[i]);
        }
        for (int a = 0; a < 3; a++) check_near(after[a], before[a], 1e-12 * size);
        heap_free(h);
    }
}

static void test_what_scripts_move_is_not_held_but_reported(void **unused)
{
    (void)unused;
    heap *h = heap_create(20, 3.0, 0.01);
    double share[STRANDS], drift[3 * STRANDS];
    bool held[VERTICES];
    long blocked;
    memset(held, true, sizeof held);
    h->bodies.held = held;
    assert_true(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked) > 0);
    assert_true(blocked > 0);
    heap_free(h);
}

// Beside clamps that are laid through each other there is no contact, and what passes there is not held.
static void test_what_overlaps_beside_clamps_is_not_held(void **unused)
{
    (void)unused;
    for (int clamped = 0; clamped < 2; clamped++) {
        heap *h = heap_create(40, 0.0, 0.01);
        double share[STRANDS], drift[3 * STRANDS];
        bool held[VERTICES] = {false}, idle[STRANDS];
        long blocked;
        memset(idle, true, sizeof idle);
        idle[0] = idle[1] = false;
        for (int i = 0; i < LENGTH; i++) {
            held[i] = held[LENGTH + i] = clamped && i < 2;
            dr_vec3_set(h->chains->x + 3 * i, 0.15 * i, 0.0, 0.0);
            dr_vec3_set(h->velocity + 3 * i, 0.0, 0.0, 0.0);
            dr_vec3_set(h->chains->x + 3 * (LENGTH + i), 0.075, 0.0015, 0.15 * (i - 1) - 0.003);
            dr_vec3_set(h->velocity + 3 * (LENGTH + i), 0.0, i < 2 ? 0.0 : -100.0, 0.0);
        }
        h->bodies.held = held;
        h->bodies.idle = idle;
        assert_int_equal(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked), clamped ? 0 : 2);
        assert_int_equal(blocked, 0);
        heap_free(h);
    }
}

// A twentieth of touching is left between two strands: what leaves half of that crosses no lines.
static void test_what_overlaps_and_keeps_apart_is_not_held(void **unused)
{
    (void)unused;
    for (int crosses = 0; crosses < 2; crosses++) {
        heap *h = heap_create(40, 0.0, 0.01);
        double share[STRANDS], drift[3 * STRANDS];
        bool idle[STRANDS];
        long blocked;
        memset(idle, true, sizeof idle);
        idle[0] = idle[1] = false;
        for (int i = 0; i < LENGTH; i++) {
            dr_vec3_set(h->chains->x + 3 * i, 0.15 * i, 0.0, 0.0);
            dr_vec3_set(h->velocity + 3 * i, 0.0, 0.0, 0.0);
            dr_vec3_set(h->chains->x + 3 * (LENGTH + i), 0.075, 0.001, 0.15 * (i - 1) - 0.003);
            dr_vec3_set(h->velocity + 3 * (LENGTH + i), 0.0, crosses ? -1.1 : -0.5, 0.0);
        }
        h->bodies.idle = idle;
        assert_int_equal(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked), crosses ? 2 : 0);
        heap_free(h);
    }
}

static void test_idle_strands_meet_nothing(void **unused)
{
    (void)unused;
    heap *h = heap_create(20, 3.0, 0.01);
    bool idle[STRANDS];
    double share[STRANDS], drift[3 * STRANDS];
    long blocked;
    memset(idle, true, sizeof idle);
    h->bodies.idle = idle;
    assert_true(dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0) && h->set.count == 0);
    assert_int_equal(dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked), 0);
    heap_free(h);
}

static void test_crossings_are_counted(void **unused)
{
    (void)unused;
    double x[12] = {-1, 1, 0, 1, 1, 0, 0, 0, -1, 0, 0, 1}, y[12], far[12];
    memcpy(y, x, sizeof y);
    memcpy(far, x, sizeof far);
    y[1] = y[4] = -1.0;
    far[0] = 5.0;
    far[3] = 7.0;
    far[1] = far[4] = -1.0;
    assert_int_equal(dr_crossings_of_pair(x, y), 1);
    assert_int_equal(dr_crossings_of_pair(x, x), 0);
    double aside[12];
    for (int i = 0; i < 12; i++) aside[i] = far[i];
    for (int a = 0; a < 2; a++) aside[3 * a + 1] = 1.0;
    assert_int_equal(dr_crossings_of_pair(aside, far), 0);
}

static void test_lack_of_memory_is_reported_and_nothing_leaks(void **unused)
{
    (void)unused;
    heap *h = heap_create(3, 0.5, 0.04);
    double share[STRANDS], drift[3 * STRANDS];
    long blocked;
    dr_contact_set_close(&h->set);
    for (long fails = 1;; fails++) {
        scarce scarce;
        scarce_open(&scarce, fails);
        dr_contact_set_open(&h->set, &scarce.allocator);
        bool ok = dr_contact_set_find(&h->set, &h->par, &h->bodies, NULL, 0) &&
                  dr_contact_set_extend(&h->set, &h->par, &h->bodies) &&
                  dr_contact_set_hold(&h->set, &h->par, &h->bodies, share, drift, &blocked) >= 0;
        dr_contact_set_close(&h->set);
        assert_true(scarce.out == 0);
        if (ok) break;
        assert_true(fails < 60);
    }
    heap_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_contact_is_lost),
        cmocka_unit_test(test_friction_between_strands_takes_both_coefficients),
        cmocka_unit_test(test_contacts_are_sorted_and_none_is_there_twice),
        cmocka_unit_test(test_the_least_velocity_closes_the_gap_and_no_more),
        cmocka_unit_test(test_a_strand_touches_itself_but_not_its_neighbours),
        cmocka_unit_test(test_nearly_parallel_edges_touch_at_both_ends_of_their_overlap),
        cmocka_unit_test(test_the_last_step_warms_the_next),
        cmocka_unit_test(test_other_motions_add_what_is_new),
        cmocka_unit_test(test_overlaps_are_taken_back_by_a_fifth_and_a_tenth_of_touching_at_most),
        cmocka_unit_test(test_no_contact_holds_edges_to_the_other_side),
        cmocka_unit_test(test_no_contact_asks_for_motion_of_sides_that_are_apart),
        cmocka_unit_test(test_later_looks_find_what_touches_alone),
        cmocka_unit_test(test_pairs_that_are_passed_over_would_not_have_met),
        cmocka_unit_test(test_pairs_that_live_on_lose_nothing),
        cmocka_unit_test(test_corridors_hold_the_motion_of_the_beginning),
        cmocka_unit_test(test_edges_that_go_along_with_each_other_are_no_pairs),
        cmocka_unit_test(test_bridges_form_where_films_touch_and_hold_those_that_part),
        cmocka_unit_test(test_a_bridge_that_exists_lasts_until_it_ruptures),
        cmocka_unit_test(test_bridges_end_under_liquid),
        cmocka_unit_test(test_the_pull_is_the_bridges_force_over_the_length_side_by_side),
        cmocka_unit_test(test_strands_are_held_by_their_own_liquid_and_unlike_ones_by_the_weaker),
        cmocka_unit_test(test_liquid_beside_askew_strands_is_counted_once),
        cmocka_unit_test(test_nothing_passes_through_what_is_held),
        cmocka_unit_test(test_strands_that_are_held_go_along_with_their_neighbours),
        cmocka_unit_test(test_strands_that_are_held_keep_their_momentum),
        cmocka_unit_test(test_what_scripts_move_is_not_held_but_reported),
        cmocka_unit_test(test_what_overlaps_beside_clamps_is_not_held),
        cmocka_unit_test(test_what_overlaps_and_keeps_apart_is_not_held),
        cmocka_unit_test(test_idle_strands_meet_nothing),
        cmocka_unit_test(test_crossings_are_counted),
        cmocka_unit_test(test_lack_of_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
