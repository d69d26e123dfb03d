// How the threads of a run wait for each other.
#ifndef DRENCH_APP_THREADS_H
#define DRENCH_APP_THREADS_H

// A thread that spins while it waits takes the core from the one it waits for when other programs run too. OpenMP reads
// OMP_WAIT_POLICY once, before main: where it is not set, the program starts itself again with threads that spin for a
// moment and then sleep.
void threads_wait_asleep(char **words);

#endif
