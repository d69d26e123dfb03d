// Decimal numbers to and from text, the same in every locale, correctly rounded.
#ifndef DR_BASE_NUMBER_H
#define DR_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#define DR_NUMBER_ROOM 40

#define DR_PI     3.14159265358979323846
#define DR_DEGREE (DR_PI / 180.0) // in radians

// How many characters at the start of the text are a decimal number ("-1.5e3"); 0 where there is none.
size_t dr_number_length(const char *text, size_t length);

// The number in exactly those characters times 10^shift, rounded once. False where it is too long or not finite.
bool dr_number_value(const char *text, size_t length, int shift, double *value);

// The shortest of 15 to 17 digits that reads back to the same bits. Returns its length.
int dr_number_print(char text[DR_NUMBER_ROOM], double value);

// Nine digits at most: enough for a float to come back with the same bits. Returns its length.
int dr_number_print_short(char text[DR_NUMBER_ROOM], double value);

#endif
