// How the threads of a run wait for each other.
#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <stdlib.h>
#include <unistd.h>

void threads_wait_asleep(char **words)
{
    char program[4096];
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || (size_t)length >= sizeof program - 1) return;
    program[length] = 0;
    execv(program, words);
}
