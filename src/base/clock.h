// Time of day, time used, memory used.
#ifndef DR_BASE_CLOCK_H
#define DR_BASE_CLOCK_H

#include <stddef.h>

double dr_clock_now(void); // seconds, monotonic
double dr_clock_cpu(void); // seconds of processor time of this process, all threads
size_t dr_clock_resident_bytes(void);
size_t dr_clock_machine_bytes(void); // memory this machine has; 0: not known

#endif
