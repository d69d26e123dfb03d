#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <fcntl.h>
#include <stdbool.h>
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

// A small file of /proc into a buffer, without allocating.
static bool read_file(const char *path, char *text, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, room - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

size_t dr_clock_resident_bytes(void)
{
    char text[128];
    unsigned long total = 0, resident = 0;
    if (!read_file("/proc/self/statm", text, sizeof text) || sscanf(text, "%lu %lu", &total, &resident) != 2) return 0;
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

size_t dr_clock_machine_bytes(void)
{
    char text[2048];
    unsigned long long kilobytes = 0;
    if (!read_file("/proc/meminfo", text, sizeof text)) return 0;
    const char *line = strstr(text, "MemTotal:");
    return line && sscanf(line + 9, "%llu", &kilobytes) == 1 ? (size_t)(kilobytes * 1024) : 0;
}
