// Frames as the command line names them.
#ifndef DRENCH_APP_RANGE_H
#define DRENCH_APP_RANGE_H

#include "command.h"

// "12", "10..50" or "10..50:5"; NULL leaves everything as it is. False after telling what is wrong.
bool range_read(const char *command, const char *text, int64_t *first, int64_t *last, int64_t *step);

#endif
