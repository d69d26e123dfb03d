// The C library rounds correctly but obeys the locale: its decimal point is put in before reading and taken out after
// printing.
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1000

static size_t digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

static size_t sign(const char *text, size_t length)
{
    return length > 0 && (*text == '-' || *text == '+');
}

// Where the digits end and, if there is one, the exponent begins.
static size_t mantissa_length(const char *text, size_t length)
{
    size_t at = sign(text, length);
    size_t whole = digits(text + at, length - at), part = 0;
    at += whole;
    if (at < length && text[at] == '.') {
        part = digits(text + at + 1, length - at - 1);
        if (whole + part > 0) at += 1 + part;
    }
    return whole + part > 0 ? at : 0;
}

size_t dr_number_length(const char *text, size_t length)
{
    size_t at = mantissa_length(text, length);
    if (at == 0 || at >= length || (text[at] != 'e' && text[at] != 'E')) return at;
    size_t exponent = at + 1 + sign(text + at + 1, length - at - 1);
    size_t count = digits(text + exponent, length - exponent);
    return count ? exponent + count : at;
}

static int exponent_value(const char *text, size_t length)
{
    int value = 0;
    bool minus = length > 0 && *text == '-';
    for (size_t i = sign(text, length); i < length; i++) {
        if (value < 100000) value = 10 * value + (text[i] - '0');
    }
    return minus ? -value : value;
}

// The locale's decimal point, as printf writes it between 0 and 5.
static size_t decimal_point(char point[16])
{
    char sample[32];
    int length = snprintf(sample, sizeof sample, "%.1f", 0.5);
    size_t bytes = length > 2 ? (size_t)length - 2 : 0;
    if (bytes == 0 || bytes > 15) return 0;
    memcpy(point, sample + 1, bytes);
    point[bytes] = 0;
    return bytes;
}

bool dr_number_value(const char *text, size_t length, int shift, double *value)
{
    char copy[LONGEST + 64], point[16];
    size_t mantissa = mantissa_length(text, length), used = 0, point_bytes = decimal_point(point);
    if (mantissa == 0 || mantissa > LONGEST) return false;
    for (size_t i = 0; i < mantissa; i++) {
        size_t bytes = text[i] == '.' ? point_bytes : 1;
        memcpy(copy + used, text[i] == '.' ? point : text + i, bytes);
        used += bytes;
    }
    int exponent = mantissa < length ? exponent_value(text + mantissa + 1, length - mantissa - 1) : 0;
    snprintf(copy + used, sizeof copy - used, "e%d", exponent + shift);
    *value = strtod(copy, NULL);
    return isfinite(*value);
}

static void unlocalize(char *text)
{
    char point[16];
    size_t bytes = decimal_point(point);
    if (bytes == 0 || (bytes == 1 && point[0] == '.')) return;
    char *found = strstr(text, point);
    if (!found) return;
    *found = '.';
    memmove(found + 1, found + bytes, strlen(found + bytes) + 1);
}

int dr_number_print(char text[DR_NUMBER_ROOM], double value)
{
    for (int precision = 15; precision <= 17; precision++) {
        double back;
        snprintf(text, DR_NUMBER_ROOM, "%.*g", precision, value);
        unlocalize(text);
        if (!isfinite(value)) break;
        if (dr_number_value(text, strlen(text), 0, &back) && back == value) break;
    }
    return (int)strlen(text);
}

int dr_number_print_short(char text[DR_NUMBER_ROOM], double value)
{
    snprintf(text, DR_NUMBER_ROOM, "%.9g", value);
    unlocalize(text);
    return (int)strlen(text);
}
