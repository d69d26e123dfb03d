// Ranges of counting numbers as people write them: "1-20, 35".
#ifndef DR_BASE_RANGE_H
#define DR_BASE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dr_range {
    int64_t first, last;
} dr_range;

// The next range, and *text moves on. False at the end, and where no range stands: then *text is not at its end.
bool dr_range_next(const char **text, dr_range *range);

#endif
