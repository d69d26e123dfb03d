// A unit is parsed as a product of named units with prefixes and powers. It is kept as factor * 10^exponent and powers
// of the base dimensions, so that decimal units only shift the written number's exponent and nothing is rounded twice.
// docs/theory/units.md.
#include "base/unit.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CM, GRAM, SECOND, RADIAN, BYTE, DIMENSIONS };

typedef struct quantity {
    double factor;
    double exponent; // of ten
    double power[DIMENSIONS];
} quantity;

typedef struct named_unit {
    const char *name;
    bool prefixed; // takes SI prefixes
    double factor;
    int exponent;
    signed char power[DIMENSIONS];
} named_unit;

static const named_unit units[] = {
    {"m", true, 1, 2, {1}},
    {"in", false, 2.54, 0, {1}},
    {"inch", false, 2.54, 0, {1}},
    {"ft", false, 30.48, 0, {1}},
    {"micron", false, 1, -4, {1}},
    {"microns", false, 1, -4, {1}},
    {"g", true, 1, 0, {0, 1}},
    {"s", true, 1, 0, {0, 0, 1}},
    {"sec", false, 1, 0, {0, 0, 1}},
    {"second", false, 1, 0, {0, 0, 1}},
    {"seconds", false, 1, 0, {0, 0, 1}},
    {"min", false, 60, 0, {0, 0, 1}},
    {"h", false, 3600, 0, {0, 0, 1}},
    {"hour", false, 3600, 0, {0, 0, 1}},
    {"hours", false, 3600, 0, {0, 0, 1}},
    {"rad", true, 1, 0, {0, 0, 0, 1}},
    {"deg", false, DR_PI / 180, 0, {0, 0, 0, 1}},
    {"degree", false, DR_PI / 180, 0, {0, 0, 0, 1}},
    {"degrees", false, DR_PI / 180, 0, {0, 0, 0, 1}},
    {"\xc2\xb0", false, DR_PI / 180, 0, {0, 0, 0, 1}},
    {"rev", false, 2 * DR_PI, 0, {0, 0, 0, 1}},
    {"turn", false, 2 * DR_PI, 0, {0, 0, 0, 1}},
    {"turns", false, 2 * DR_PI, 0, {0, 0, 0, 1}},
    {"rpm", false, 2 * DR_PI / 60, 0, {0, 0, -1, 1}},
    {"Hz", true, 1, 0, {0, 0, -1}},
    {"fps", false, 1, 0, {0, 0, -1}},
    {"N", true, 1, 5, {1, 1, -2}},
    {"dyn", true, 1, 0, {1, 1, -2}},
    {"Pa", true, 1, 1, {-1, 1, -2}},
    {"Ba", false, 1, 0, {-1, 1, -2}},
    {"bar", true, 1, 6, {-1, 1, -2}},
    {"atm", false, 1.01325, 6, {-1, 1, -2}},
    {"psi", false, 6.894757293168361, 4, {-1, 1, -2}},
    {"J", true, 1, 7, {2, 1, -2}},
    {"erg", true, 1, 0, {2, 1, -2}},
    {"W", true, 1, 7, {2, 1, -3}},
    {"P", true, 1, 0, {-1, 1, -1}},
    {"poise", false, 1, 0, {-1, 1, -1}},
    {"St", true, 1, 0, {2, 0, -1}},
    {"l", true, 1, 3, {3}},
    {"L", true, 1, 3, {3}},
    {"litre", false, 1, 3, {3}},
    {"liter", false, 1, 3, {3}},
    {"cc", false, 1, 0, {3}},
    {"B", true, 1, 0, {0, 0, 0, 0, 1}},
    {"byte", false, 1, 0, {0, 0, 0, 0, 1}},
    {"bytes", false, 1, 0, {0, 0, 0, 0, 1}},
    {"KiB", false, 1024.0, 0, {0, 0, 0, 0, 1}},
    {"MiB", false, 1048576.0, 0, {0, 0, 0, 0, 1}},
    {"GiB", false, 1073741824.0, 0, {0, 0, 0, 0, 1}},
    {"TiB", false, 1099511627776.0, 0, {0, 0, 0, 0, 1}},
    {"tex", true, 1, -5, {-1, 1}}, // a gram per kilometre
    {"den", false, 1.0 / 9.0, -5, {-1, 1}},
    {"denier", false, 1.0 / 9.0, -5, {-1, 1}},
    {"%", false, 1, -2, {0}},
};

static const struct {
    const char *name;
    int exponent;
} prefixes[] = {{"T", 12}, {"G", 9},  {"M", 6},  {"k", 3},  {"h", 2},   {"da", 1},        {"d", -1},
                {"c", -2}, {"m", -3}, {"u", -6}, {"n", -9}, {"p", -12}, {"\xc2\xb5", -6}, {"\xce\xbc", -6}};

typedef struct unit_kind {
    const char *noun, *symbol;
    signed char power[DIMENSIONS];
} unit_kind;

static const unit_kind unit_kinds[DR_UNIT_COUNT_] = {
    [DR_UNIT_NONE] = {"a pure number", "", {0}},
    [DR_UNIT_LENGTH] = {"a length", "cm", {1}},
    [DR_UNIT_TIME] = {"a time", "s", {0, 0, 1}},
    [DR_UNIT_MASS] = {"a mass", "g", {0, 1}},
    [DR_UNIT_SPEED] = {"a speed", "cm/s", {1, 0, -1}},
    [DR_UNIT_ACCELERATION] = {"an acceleration", "cm/s2", {1, 0, -2}},
    [DR_UNIT_ANGLE] = {"an angle", "rad", {0, 0, 0, 1}},
    [DR_UNIT_ANGULAR_SPEED] = {"an angular speed", "rad/s", {0, 0, -1, 1}},
    [DR_UNIT_FREQUENCY] = {"a frequency", "Hz", {0, 0, -1}},
    [DR_UNIT_DENSITY] = {"a density", "g/cm3", {-3, 1}},
    [DR_UNIT_PRESSURE] = {"a pressure", "dyn/cm2", {-1, 1, -2}},
    [DR_UNIT_VOLUME] = {"a volume", "cm3", {3}},
    [DR_UNIT_FLOW] = {"a flow", "cm3/s", {3, 0, -1}},
    [DR_UNIT_AREA] = {"an area", "cm2", {2}},
    [DR_UNIT_SURFACE_TENSION] = {"a surface tension", "dyn/cm", {0, 1, -2}},
    [DR_UNIT_VISCOSITY] = {"a viscosity", "P", {-1, 1, -1}},
    [DR_UNIT_CONSISTENCY] = {"a consistency", "dyn s^n/cm2", {-1, 1, -1}},
    [DR_UNIT_FORCE] = {"a force", "dyn", {1, 1, -2}},
    [DR_UNIT_MEMORY] = {"an amount of memory", "B", {0, 0, 0, 0, 1}},
    [DR_UNIT_PER_LENGTH] = {"a number per length", "1/cm", {-1}},
    [DR_UNIT_LINEAR_DENSITY] = {"a mass per length", "g/cm", {-1, 1}},
};

const char *dr_unit_symbol(dr_unit unit)
{
    return unit_kinds[unit].symbol;
}

int dr_unit_print(char *text, size_t room, double value, dr_unit unit)
{
    char number[DR_NUMBER_ROOM];
    const char *symbol = unit_kinds[unit].symbol;
    dr_number_print(number, value);
    return snprintf(text, room, "%s%s%s", number, *symbol ? " " : "", symbol);
}

// ---- the expression

typedef struct cursor {
    const char *at, *end;
    int depth;
    char *why;
    size_t room;
} cursor;

static bool starts(const cursor *c, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(c->end - c->at) >= length && memcmp(c->at, text, length) == 0;
}

static bool accept(cursor *c, const char *text)
{
    if (!starts(c, text)) return false;
    c->at += strlen(text);
    return true;
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) c->at++;
}

static bool refuse(cursor *c, const char *what, const char *text, size_t length)
{
    snprintf(c->why, c->room, "%s \"%.*s\"", what, (int)(length < 40 ? length : 40), text);
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Letters, the percent and degree signs and the two micro signs make up a unit's name.
static size_t name_length(const cursor *c)
{
    cursor ahead = *c;
    while (ahead.at < ahead.end) {
        if (is_letter(*ahead.at) || *ahead.at == '%') {
            ahead.at++;
        } else if (!accept(&ahead, "\xc2\xb0") && !accept(&ahead, "\xc2\xb5") && !accept(&ahead, "\xce\xbc")) {
            break;
        }
    }
    return (size_t)(ahead.at - c->at);
}

static const named_unit *find_unit(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) return &units[i];
    }
    return NULL;
}

// A plain name wins over a prefix and a name: "min" is a minute, not a milli-inch.
static const named_unit *find_prefixed(const char *name, size_t length, int *exponent)
{
    const named_unit *unit = find_unit(name, length);
    *exponent = 0;
    for (size_t i = 0; !unit && i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t lead = strlen(prefixes[i].name);
        if (length <= lead || memcmp(prefixes[i].name, name, lead) != 0) continue;
        unit = find_unit(name + lead, length - lead);
        if (unit && !unit->prefixed) unit = NULL;
        *exponent = prefixes[i].exponent;
    }
    return unit;
}

static int superscript_digit(cursor *c)
{
    static const char *const signs[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
                                        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    for (int digit = 0; digit < 10; digit++) {
        if (accept(c, signs[digit])) return digit;
    }
    return -1;
}

// "3", "-2", "^3", "^-0.5", "^n" and the raised digits; none is 1.
static bool read_power(cursor *c, double *power)
{
    *power = 1;
    bool minus = accept(c, "\xe2\x81\xbb");
    int digit = superscript_digit(c);
    if (minus || digit >= 0) {
        *power = minus ? -digit : digit;
        return digit >= 0 || refuse(c, "a power is missing in", c->at, (size_t)(c->end - c->at));
    }
    bool caret = accept(c, "^") || accept(c, "**");
    if (caret && accept(c, "n")) return true;
    size_t length = dr_number_length(c->at, (size_t)(c->end - c->at));
    if (!caret) { // without a caret whole numbers only: the dot is a product
        length = 0;
        if (c->at + 1 < c->end && *c->at == '-' && is_digit(c->at[1])) length = 1;
        while (c->at + length < c->end && is_digit(c->at[length])) length++;
    }
    if (length == 0) return !caret || refuse(c, "a power is missing in", c->at, (size_t)(c->end - c->at));
    if (!dr_number_value(c->at, length, 0, power) || fabs(*power) > 9) {
        return refuse(c, "there is no sense in the power", c->at, length);
    }
    c->at += length;
    return true;
}

static void multiply(quantity *product, const quantity *other, double power)
{
    product->factor *= power == 1 ? other->factor : pow(other->factor, power);
    product->exponent += power * other->exponent;
    for (int i = 0; i < DIMENSIONS; i++) product->power[i] += power * other->power[i];
}

static bool read_product(cursor *c, quantity *product);

static bool read_factor(cursor *c, quantity *factor)
{
    *factor = (quantity){.factor = 1};
    if (accept(c, "(")) {
        if (++c->depth > 8) return refuse(c, "too many brackets in", c->at, (size_t)(c->end - c->at));
        if (!read_product(c, factor)) return false;
        c->depth--;
        return accept(c, ")") || refuse(c, "a bracket is not closed in", c->at, (size_t)(c->end - c->at));
    }
    size_t length = name_length(c);
    if (length == 0) {
        if (starts(c, "1/") || starts(c, "1 /")) return accept(c, "1");
        return refuse(c, "a unit was expected at", c->at, (size_t)(c->end - c->at));
    }
    int exponent;
    const named_unit *unit = find_prefixed(c->at, length, &exponent);
    if (!unit) return refuse(c, "there is no unit", c->at, length);
    c->at += length;
    factor->factor = unit->factor;
    factor->exponent = unit->exponent + exponent;
    for (int i = 0; i < DIMENSIONS; i++) factor->power[i] = unit->power[i];
    return true;
}

// Factors joined by a blank, a dot or a star; a slash divides by the one factor after it.
static bool read_product(cursor *c, quantity *product)
{
    *product = (quantity){.factor = 1};
    for (bool first = true;; first = false) {
        skip_blanks(c);
        if (!first && (c->at == c->end || *c->at == ')')) return true;
        bool divide = accept(c, "/");
        if (!divide && !first) {
            (void)(accept(c, "\xc2\xb7") || accept(c, "\xe2\x8b\x85") || accept(c, "\xc3\x97") || accept(c, "*") ||
                   accept(c, "."));
        }
        skip_blanks(c);
        quantity factor;
        double power;
        if (!read_factor(c, &factor) || !read_power(c, &power)) return false;
        multiply(product, &factor, divide ? -power : power);
    }
}

// ---- what it is

static bool fits(const quantity *q, dr_unit unit)
{
    for (int i = 0; i < DIMENSIONS; i++) {
        if (unit == DR_UNIT_CONSISTENCY && i == SECOND) continue;
        if (q->power[i] != unit_kinds[unit].power[i]) return false;
    }
    return true;
}

static void describe(const quantity *q, char *text, size_t room)
{
    static const char *const names[DIMENSIONS] = {"cm", "g", "s", "rad", "B"};
    for (int unit = 0; unit < DR_UNIT_COUNT_; unit++) {
        if (unit == DR_UNIT_CONSISTENCY || !fits(q, (dr_unit)unit)) continue;
        snprintf(text, room, "%s", unit_kinds[unit].noun);
        return;
    }
    size_t used = (size_t)snprintf(text, room, "in");
    for (int i = 0; i < DIMENSIONS && used < room; i++) {
        if (q->power[i] == 0) continue;
        used += (size_t)snprintf(text + used, room - used, q->power[i] == 1 ? " %s" : " %s^%g", names[i], q->power[i]);
    }
}

static int shown(size_t length)
{
    return (int)(length < 60 ? length : 60);
}

static bool explain_number(const char *text, size_t length, char *why, size_t room)
{
    if (length == 0) {
        snprintf(why, room, "a number was expected, nothing is written");
    } else if (memchr(text, ',', length)) {
        snprintf(why, room, "\"%.*s\" is not a number: the decimal point is a dot", shown(length), text);
    } else {
        snprintf(why, room, "\"%.*s\" is not a number", shown(length), text);
    }
    return false;
}

static bool explain_unit(const char *text, size_t length, dr_unit unit, const char *problem, char *why, size_t room)
{
    const unit_kind *kind = &unit_kinds[unit];
    if (unit == DR_UNIT_NONE) {
        snprintf(why, room, "%.*s: %s", shown(length), text, problem);
    } else {
        snprintf(why, room, "%.*s: %s; %s is written as in \"1 %s\"", shown(length), text, problem, kind->noun,
                 kind->symbol);
    }
    return false;
}

static bool explain_size(const char *text, size_t length, char *why, size_t room)
{
    snprintf(why, room, "%.*s is too large a number", shown(length), text);
    return false;
}

static bool read_bare(const char *text, size_t length, dr_unit unit, double *value, char *why, size_t room)
{
    if (!dr_number_value(text, length, 0, value)) return explain_size(text, length, why, room);
    if (unit == DR_UNIT_ANGLE && fabs(*value) > 2 * DR_PI) {
        int width = shown(length);
        snprintf(why, room, "%.*s has no unit: write %.*s deg, or %.*s rad if that is meant", width, text, width, text,
                 width, text);
        return false;
    }
    return true;
}

static bool check_kind(const quantity *q, const char *text, size_t length, dr_unit unit, char *why, size_t room)
{
    if (fits(q, unit)) return true;
    char what[80];
    describe(q, what, sizeof what);
    snprintf(why, room, "%s was expected, %.*s is %s", unit_kinds[unit].noun, shown(length), text, what);
    return false;
}

// The number shifted by the unit's whole power of ten, then multiplied by what is left of the unit.
static bool apply(const quantity *q, const char *text, size_t length, double *value)
{
    double whole = floor(q->exponent), rest = q->factor * pow(10, q->exponent - whole);
    if (!dr_number_value(text, length, (int)whole, value)) return false;
    *value *= rest;
    return isfinite(*value);
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

bool dr_unit_read(const char *text, size_t length, dr_unit unit, double *value, char *why, size_t room)
{
    while (length > 0 && is_blank(*text)) text++, length--;
    while (length > 0 && is_blank(text[length - 1])) length--;
    size_t number = dr_number_length(text, length);
    if (number == 0 || (number < length && text[number] == ',')) return explain_number(text, length, why, room);
    if (number == length) return read_bare(text, length, unit, value, why, room);
    char problem[100];
    cursor c = {text + number, text + length, 0, problem, sizeof problem};
    quantity q;
    bool parsed = read_product(&c, &q);
    if (parsed && c.at < c.end) parsed = refuse(&c, "a bracket too many at", c.at, (size_t)(c.end - c.at));
    if (!parsed) return explain_unit(text, length, unit, problem, why, room);
    if (!check_kind(&q, text, length, unit, why, room)) return false;
    return apply(&q, text, number, value) || explain_size(text, length, why, room);
}
