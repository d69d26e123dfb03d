// How the threads of a run wait for each other.
#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <stdlib.h>
#include <unistd.h>

// Turns of a thread that waits before it goes to sleep, some tens of microseconds. None: on two cores that nobody else
// wants a box of 258 thousand particles takes up to 1.7 times as long; four times as many: with another program on one
// of them, nearly twice as long as one thread alone.
#define SPIN "5000"

void threads_wait_asleep(char **words)
{
    char program[4096];
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
    if (setenv("GOMP_SPINCOUNT", SPIN, 0) != 0) return;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || (size_t)length >= sizeof program - 1) return;
    program[length] = 0;
    execv(program, words);
}
