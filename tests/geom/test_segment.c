#include "support/check.h"

#include "geom/segment.h"
#include "math/random.h"
#include "math/vec.h"

static double draw(uint64_t *counter)
{
    return 2.0 * dr_random_unit(7, (*counter)++) - 1.0;
}

// Kinds of pairs: any, parallel, collinear, one or two points, sharing an end.
static void random_pair(uint64_t *counter, int kind, double x[12])
{
    for (int i = 0; i < 12; i++) x[i] = draw(counter);
    if (kind == 1 || kind == 2) {
        for (int a = 0; a < 3; a++) x[9 + a] = x[6 + a] + (x[3 + a] - x[a]) * 0.7;
    }
    if (kind == 2) {
        for (int a = 0; a < 3; a++) {
            double step = x[3 + a] - x[a];
            x[6 + a] = x[a] + 1.5 * step;
            x[9 + a] = x[a] + 2.5 * step;
        }
    }
    if (kind == 3 || kind == 4) memcpy(x + 3, x, 3 * sizeof *x);
    if (kind == 4) memcpy(x + 9, x + 6, 3 * sizeof *x);
    if (kind == 5) memcpy(x + 6, x + 3, 3 * sizeof *x);
}
#define KINDS 6

static double sampled_distance(const double x[12], int samples)
{
    double least = INFINITY;
    for (int i = 0; i <= samples; i++) {
        double p[3];
        for (int a = 0; a < 3; a++) p[a] = x[a] + (x[3 + a] - x[a]) * i / samples;
        double t = dr_segment_place(x + 6, x + 9, p), d2 = 0.0;
        for (int a = 0; a < 3; a++) {
            double d = p[a] - x[6 + a] - t * (x[9 + a] - x[6 + a]);
            d2 += d * d;
        }
        least = fmin(least, sqrt(d2));
    }
    return least;
}

static void test_closest_points_of_random_parallel_and_degenerate_segments(void **unused)
{
    (void)unused;
    uint64_t counter = 0;
    for (int n = 0; n < 6000; n++) {
        double x[12];
        random_pair(&counter, n % KINDS, x);
        dr_segment_pair pair = dr_segment_closest(x);
        double sampled = sampled_distance(x, 400);
        assert_true(pair.distance <= sampled + 1e-12);
        check_at_most(sampled - pair.distance, 1e-2);
        check_near(dr_vec3_length(pair.normal), 1.0, 1e-12);
        for (int side = 0; side < 2; side++) assert_true(pair.place[side] >= 0.0 && pair.place[side] <= 1.0);
    }
}

static double distance_at(const double x[12], const double motion[12], double time)
{
    double at[12];
    for (int i = 0; i < 12; i++) at[i] = x[i] + time * motion[i];
    return dr_segment_closest(at).distance;
}

static void test_no_meeting_of_moving_segments_is_missed(void **unused)
{
    (void)unused;
    enum { SAMPLES = 500 };
    uint64_t counter = 100000;
    int met = 0, missed = 0;
    for (int n = 0; n < 6000; n++) {
        double x[12], end[12], motion[12], reach = n % 3 == 0 ? 1e-6 : 0.02 * (n % 5), slack = 1e-2 * reach + 1e-7;
        random_pair(&counter, n % KINDS, x);
        random_pair(&counter, n / KINDS % KINDS, end);
        for (int i = 0; i < 12; i++) motion[i] = end[i] - x[i];
        dr_segment_hit hit;
        bool found = dr_segment_meet(x, motion, reach, slack, &hit);
        double least = INFINITY, first = INFINITY;
        for (int s = 0; s <= SAMPLES; s++) {
            double d = distance_at(x, motion, s / (double)SAMPLES);
            least = fmin(least, d);
            if (d <= reach) first = fmin(first, s / (double)SAMPLES);
        }
        if (found) {
            met++;
            assert_true(hit.time <= first);
            check_at_most(distance_at(x, motion, hit.time), reach + slack + 1e-5);
        } else {
            missed++;
            assert_true(least > reach);
        }
    }
    assert_true(met > 1000 && missed > 1000);
}

// Two segments that cross in mid-motion, however fast.
static void test_a_fast_crossing_is_found_on_time(void **unused)
{
    (void)unused;
    for (double speed = 1e-3; speed < 1e8; speed *= 10.0) {
        double height = 0.25 * speed;
        double x[12] = {-1, height, 0, 1, height, 0, 0, 0, -1, 0, 0, 1};
        double motion[12] = {0, -speed, 0, 0, -speed, 0};
        dr_segment_hit hit;
        assert_true(dr_segment_meet(x, motion, 1e-4 * height, 1e-7 * height, &hit));
        check_near(hit.time, 0.25, 1e-4);
        check_near(hit.pair.normal[1], 1.0, 1e-9);
    }
}

static void test_segments_that_only_pass_do_not_meet(void **unused)
{
    (void)unused;
    double x[12] = {0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, motion[12] = {5, 0, 3, 5, 0, 3};
    dr_segment_hit hit;
    assert_false(dr_segment_meet(x, motion, 0.9, 1e-3, &hit));
    assert_false(dr_segment_meet(x, (double[12]){0}, 0.9, 1e-3, &hit));
    assert_true(dr_segment_meet(x, (double[12]){0}, 1.0, 1e-3, &hit) && hit.time == 0.0);
}

// What is told apart never meets, and most of what is far apart is told.
static void test_segments_told_apart_do_not_meet(void **unused)
{
    (void)unused;
    int told = 0, far = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        double x[12], motion[12];
        dr_segment_hit hit;
        for (uint64_t i = 0; i < 12; i++) {
            x[i] = dr_random_unit(7, 64 * k + i) + (i < 6 ? 0.4 : 0.0);
            motion[i] = 0.3 * (dr_random_unit(7, 64 * k + 32 + i) - 0.5);
        }
        double spare = dr_segment_spare(x, motion, 0.1), other[12];
        bool apart = spare > 0.0, meets = dr_segment_meet(x, motion, 0.1, 1e-6, &hit);
        assert_false(apart && meets);
        for (uint64_t i = 0; i < 12; i++) // within half of the spare distance of every end
            other[i] = motion[i] + spare * (dr_random_unit(9, 64 * k + i) - 0.5) / sqrt(3.0);
        assert_false(apart && dr_segment_meet(x, other, 0.1, 1e-6, &hit));
        told += apart;
        far += !meets;
    }
    assert_true(told > far / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_told_apart_do_not_meet),
        cmocka_unit_test(test_closest_points_of_random_parallel_and_degenerate_segments),
        cmocka_unit_test(test_no_meeting_of_moving_segments_is_missed),
        cmocka_unit_test(test_a_fast_crossing_is_found_on_time),
        cmocka_unit_test(test_segments_that_only_pass_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
