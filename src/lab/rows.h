// Rows of a case's table of parameters.
#ifndef DR_LAB_ROWS_H
#define DR_LAB_ROWS_H

#include "base/field.h"

#define ROW_REAL(owner, member, its_unit, standard, low, high, text)                                                   \
    {                                                                                                                  \
        .name = #member, .type = DR_FIELD_REAL, .unit = its_unit, .offset = offsetof(owner, member),                   \
        .fallback = standard, .min = (low), .max = (high), .doc = text                                                 \
    }
#define ROW_COUNT(owner, member, standard, low, high, text)                                                            \
    {                                                                                                                  \
        .name = #member, .type = DR_FIELD_INT, .offset = offsetof(owner, member), .fallback = standard, .min = (low),  \
        .max = (high), .doc = text                                                                                     \
    }
#define ROW_CHOICE(owner, member, names, standard, text)                                                               \
    {                                                                                                                  \
        .name = #member, .type = DR_FIELD_CHOICE, .offset = offsetof(owner, member), .fallback = standard, .min = 1,   \
        .max = 0, .choices = (names), .doc = text                                                                      \
    }
#define ROW_SWITCH(owner, member, standard, text)                                                                      \
    {                                                                                                                  \
        .name = #member, .type = DR_FIELD_BOOL, .offset = offsetof(owner, member), .fallback = standard, .min = 1,     \
        .max = 0, .doc = text                                                                                          \
    }
#define ROW_TABLE(noun, owner, rows)                                                                                   \
    {                                                                                                                  \
        .name = noun, .doc = "", .size = sizeof(owner), .fields = rows, .count = (int)(sizeof(rows) / sizeof *(rows)), \
        .kind = -1                                                                                                     \
    }

#endif
