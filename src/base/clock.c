#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t which)
{
    struct timespec now;
    if (clock_gettime(which, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double dr_clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double dr_clock_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

size_t dr_clock_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    unsigned long total = 0, resident = 0;
    int read = fscanf(file, "%lu %lu", &total, &resident);
    fclose(file);
    return read == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

size_t dr_clock_available_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return 0;
    char line[256];
    unsigned long long kilobytes = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "MemAvailable:", 13) == 0 && sscanf(line + 13, "%llu", &kilobytes) == 1) break;
    }
    fclose(file);
    return (size_t)(kilobytes * 1024);
}
