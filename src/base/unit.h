// Units as people write them: "3 mm", "72 mN/m", "0.9 g/cm3", "45 deg", "8.9 mPa.s". docs/theory/units.md.
#ifndef DR_BASE_UNIT_H
#define DR_BASE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum dr_unit {
    DR_UNIT_NONE,
    DR_UNIT_LENGTH,
    DR_UNIT_TIME,
    DR_UNIT_MASS,
    DR_UNIT_SPEED,
    DR_UNIT_ACCELERATION,
    DR_UNIT_ANGLE,
    DR_UNIT_ANGULAR_SPEED,
    DR_UNIT_FREQUENCY,
    DR_UNIT_DENSITY,
    DR_UNIT_PRESSURE,
    DR_UNIT_VOLUME,
    DR_UNIT_FLOW, // cm3/s
    DR_UNIT_AREA,
    DR_UNIT_SURFACE_TENSION, // dyn/cm
    DR_UNIT_VISCOSITY,       // poise
    DR_UNIT_CONSISTENCY,     // dyn s^n / cm2: the power of the second is free
    DR_UNIT_FORCE,
    DR_UNIT_MEMORY,         // bytes
    DR_UNIT_PER_LENGTH,     // 1/cm
    DR_UNIT_LINEAR_DENSITY, // g/cm
    DR_UNIT_COUNT_
} dr_unit;

// Reads a number with or without a unit into centimetre, gram, second, radian, byte. Bare numbers are in those already,
// except that a bare angle beyond a full turn is refused. On failure `why` says what is wrong.
bool dr_unit_read(const char *text, size_t length, dr_unit unit, double *value, char *why, size_t room);

// The value with its unit ("0.3 cm"), such that it reads back to the same bits. Returns the length.
int dr_unit_print(char *text, size_t room, double value, dr_unit unit);

const char *dr_unit_symbol(dr_unit unit); // "cm"; "" for a pure number

#endif
