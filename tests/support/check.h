// What every test file includes: cmocka with what it needs, and comparisons of doubles that say both numbers.
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

#define check_near(value, expected, tolerance)                                                                         \
    do {                                                                                                               \
        double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);                                     \
        if (!(fabs(value_ - expected_) <= tolerance_))                                                                 \
            fail_msg("%s is %.17g, not %.17g within %g", #value, value_, expected_, tolerance_);                       \
    } while (0)

#define check_vector_near(value, expected, tolerance)                                                                  \
    do {                                                                                                               \
        for (int axis_ = 0; axis_ < 3; axis_++) check_near((value)[axis_], (expected)[axis_], tolerance);              \
    } while (0)

#define check_at_most(value, limit)                                                                                    \
    do {                                                                                                               \
        double value_ = (value), limit_ = (limit);                                                                     \
        if (!(value_ <= limit_)) fail_msg("%s is %.17g, above %.17g", #value, value_, limit_);                         \
    } while (0)

#endif
