#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/number.h"
#include "base/unit.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double read_value(const char *text, dr_unit unit)
{
    double value = NAN;
    char why[300] = "";
    if (!dr_unit_read(text, strlen(text), unit, &value, why, sizeof why)) print_error("%s: %s\n", text, why);
    return value;
}

static void assert_reads(const char *text, dr_unit unit, double expected)
{
    double value = read_value(text, unit);
    if (value != expected) print_error("%s: %.17g instead of %.17g\n", text, value, expected);
    assert_true(value == expected);
}

static void test_units_as_people_write_them(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        dr_unit unit;
        double value;
    } cases[] = {
        {"3 mm", DR_UNIT_LENGTH, 0.3},
        {"3mm", DR_UNIT_LENGTH, 0.3},
        {"35 um", DR_UNIT_LENGTH, 35e-4},
        {"35 \xc2\xb5m", DR_UNIT_LENGTH, 35e-4},
        {"35 \xce\xbcm", DR_UNIT_LENGTH, 35e-4},
        {"1 in", DR_UNIT_LENGTH, 2.54},
        {"-1.5e2 cm", DR_UNIT_LENGTH, -150},
        {"2.5", DR_UNIT_LENGTH, 2.5},
        {"17 tex", DR_UNIT_LINEAR_DENSITY, 17e-5},
        {"170 dtex", DR_UNIT_LINEAR_DENSITY, 17e-5},
        {"9 den", DR_UNIT_LINEAR_DENSITY, 1e-5},
        {"9 denier", DR_UNIT_LINEAR_DENSITY, 1e-5},
        {"34 /cm", DR_UNIT_PER_LENGTH, 34},
        {"34 1/cm", DR_UNIT_PER_LENGTH, 34},
        {"72 mN/m", DR_UNIT_SURFACE_TENSION, 72},
        {"72 dyn/cm", DR_UNIT_SURFACE_TENSION, 72},
        {"0.072 J/m2", DR_UNIT_SURFACE_TENSION, 72},
        {"0.9 g/cm3", DR_UNIT_DENSITY, 0.9},
        {"0.9 g/cm^3", DR_UNIT_DENSITY, 0.9},
        {"0.9 g/cm\xc2\xb3", DR_UNIT_DENSITY, 0.9},
        {"0.9 g cm\xe2\x81\xbb\xc2\xb3", DR_UNIT_DENSITY, 0.9},
        {"2200 kg/m3", DR_UNIT_DENSITY, 2.2},
        {"3.9 GPa", DR_UNIT_PRESSURE, 3.9e10},
        {"353.7 kPa", DR_UNIT_PRESSURE, 3.537e6},
        {"1 bar", DR_UNIT_PRESSURE, 1e6},
        {"1 N/mm2", DR_UNIT_PRESSURE, 1e7},
        {"2 rev/s", DR_UNIT_ANGULAR_SPEED, 4 * PI},
        {"90 deg/s", DR_UNIT_ANGULAR_SPEED, 90 * (PI / 180)},
        {"1 m/s2", DR_UNIT_ACCELERATION, 100},
        {"1 m/s^2", DR_UNIT_ACCELERATION, 100},
        {"1 m/s/s", DR_UNIT_ACCELERATION, 100},
        {"1 m s-2", DR_UNIT_ACCELERATION, 100},
        {"8.9 mPa.s", DR_UNIT_VISCOSITY, 8.9e-2},
        {"8.9 mPa s", DR_UNIT_VISCOSITY, 8.9e-2},
        {"8.9 mPa*s", DR_UNIT_VISCOSITY, 8.9e-2},
        {"8.9 mPa\xc2\xb7s", DR_UNIT_VISCOSITY, 8.9e-2},
        {"0.01 P", DR_UNIT_VISCOSITY, 0.01},
        {"0.89 cP", DR_UNIT_VISCOSITY, 8.9e-3},
        {"1 g/(cm s)", DR_UNIT_VISCOSITY, 1},
        {"24 fps", DR_UNIT_FREQUENCY, 24},
        {"2 kHz", DR_UNIT_FREQUENCY, 2000},
        {"5 1/s", DR_UNIT_FREQUENCY, 5},
        {"5/s", DR_UNIT_FREQUENCY, 5},
        {"2 ml", DR_UNIT_VOLUME, 2},
        {"1.5 l", DR_UNIT_VOLUME, 1500},
        {"1.5 L", DR_UNIT_VOLUME, 1500},
        {"6 l/min", DR_UNIT_FLOW, 100},
        {"3 cm2", DR_UNIT_AREA, 3},
        {"2 ms", DR_UNIT_TIME, 0.002},
        {"2 min", DR_UNIT_TIME, 120},
        {"2 GiB", DR_UNIT_MEMORY, 2147483648.0},
        {"2 GB", DR_UNIT_MEMORY, 2e9},
        {"50 %", DR_UNIT_NONE, 0.5},
        {"50%", DR_UNIT_NONE, 0.5},
        {"45 deg", DR_UNIT_ANGLE, 45 * (PI / 180)},
        {"45\xc2\xb0", DR_UNIT_ANGLE, 45 * (PI / 180)},
        {"6.2", DR_UNIT_ANGLE, 6.2},
        {"100 rad", DR_UNIT_ANGLE, 100},
        {"1 N", DR_UNIT_FORCE, 1e5},
        {"3 kg", DR_UNIT_MASS, 3000},
        {"2 Pa s^0.5", DR_UNIT_CONSISTENCY, 20},
        {"2 Pa.s^0.3162", DR_UNIT_CONSISTENCY, 20},
        {"2 Pa s^n", DR_UNIT_CONSISTENCY, 20},
        {"2 dyn s^0.5/cm2", DR_UNIT_CONSISTENCY, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_reads(cases[i].text, cases[i].unit, cases[i].value);
    assert_true(fabs(read_value("120 rpm", DR_UNIT_ANGULAR_SPEED) - 4 * PI) < 1e-14);
}

static void test_wrong_units_are_told_apart(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        dr_unit unit;
        const char *why;
    } cases[] = {
        {"3 kg", DR_UNIT_LENGTH, "a length was expected, 3 kg is a mass"},
        {"3 %", DR_UNIT_LENGTH, "a length was expected, 3 % is a pure number"},
        {"3 cm", DR_UNIT_NONE, "a pure number was expected, 3 cm is a length"},
        {"3 Hz", DR_UNIT_ANGULAR_SPEED, "an angular speed was expected, 3 Hz is a frequency"},
        {"3 cm4", DR_UNIT_LENGTH, "a length was expected, 3 cm4 is in cm^4"},
        {"2 cSt", DR_UNIT_VISCOSITY, "a viscosity was expected, 2 cSt is in cm^2 s^-1"},
        {"2 s^0.5", DR_UNIT_CONSISTENCY, "a consistency was expected, 2 s^0.5 is in s^0.5"},
        {"90", DR_UNIT_ANGLE, "90 has no unit: write 90 deg, or 90 rad if that is meant"},
        {"3 furlong", DR_UNIT_LENGTH, "3 furlong: there is no unit \"furlong\"; a length is written as in \"1 cm\""},
        {"3 kmin", DR_UNIT_TIME, "3 kmin: there is no unit \"kmin\"; a time is written as in \"1 s\""},
        {"3 cm^", DR_UNIT_LENGTH, "3 cm^: a power is missing"},
        {"3 (cm", DR_UNIT_LENGTH, "3 (cm: a bracket is not closed"},
        {"3 cm)", DR_UNIT_LENGTH, "3 cm): a bracket too many"},
        {"3 /", DR_UNIT_LENGTH, "3 /: a unit was expected"},
        {"5 10", DR_UNIT_LENGTH, "5 10: a unit was expected"},
        {"1,5 cm", DR_UNIT_LENGTH, "\"1,5 cm\" is not a number: the decimal point is a dot"},
        {"nan", DR_UNIT_LENGTH, "\"nan\" is not a number"},
        {"-inf", DR_UNIT_LENGTH, "\"-inf\" is not a number"},
        {"", DR_UNIT_LENGTH, "a number was expected, nothing is written"},
        {"0x10", DR_UNIT_LENGTH, "0x10: there is no unit \"x\"; a length is written as in \"1 cm\""},
        {"1e999", DR_UNIT_LENGTH, "1e999 is too large a number"},
        {"1e308 Tm", DR_UNIT_LENGTH, "1e308 Tm is too large a number"},
        {"3 cm^99", DR_UNIT_LENGTH, "3 cm^99: there is no sense in the power"},
        {"3 ((((((((((cm))))))))))", DR_UNIT_LENGTH, "3 ((((((((((cm)))))))))): too many brackets"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 42;
        char why[300] = "";
        assert_false(dr_unit_read(cases[i].text, strlen(cases[i].text), cases[i].unit, &value, why, sizeof why));
        if (strncmp(why, cases[i].why, strlen(cases[i].why)) != 0) print_error("%s: %s\n", cases[i].text, why);
        assert_memory_equal(why, cases[i].why, strlen(cases[i].why));
    }
}

static void test_numbers_read_back_to_the_same_bits(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value, back;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value)) continue;
        char text[80], why[100];
        dr_unit_print(text, sizeof text, value, (dr_unit)(i % DR_UNIT_CONSISTENCY));
        assert_true(dr_unit_read(text, strlen(text), (dr_unit)(i % DR_UNIT_CONSISTENCY), &back, why, sizeof why));
        assert_memory_equal(&value, &back, sizeof value);
    }
}

static void test_every_unit_is_written_as_it_is_read(void **unused)
{
    (void)unused;
    for (int unit = 0; unit < DR_UNIT_COUNT_; unit++) {
        char text[80];
        dr_unit_print(text, sizeof text, 0.1, (dr_unit)unit);
        assert_reads(text, (dr_unit)unit, 0.1);
    }
}

static void test_the_locale_does_not_matter(void **unused)
{
    (void)unused;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found) skip();
    char text[DR_NUMBER_ROOM];
    dr_number_print(text, 0.5);
    assert_string_equal(text, "0.5");
    assert_reads("1.5 cm", DR_UNIT_LENGTH, 1.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_as_people_write_them),
        cmocka_unit_test(test_wrong_units_are_told_apart),
        cmocka_unit_test(test_numbers_read_back_to_the_same_bits),
        cmocka_unit_test(test_every_unit_is_written_as_it_is_read),
        cmocka_unit_test(test_the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
