// A pool of threads that join a loop when they come. Pieces are claimed from counters, every thread's share of them
// from its own and then those of the others, so that who runs takes what a thread that the system does not let run
// leaves, and loops over the same range find in each core's cache what the loop before left there; and the caller waits
// only for threads that are at a piece, never for one that has not come yet.
#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "par/par.h"

#include "math/flush.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 256,       // threads
    CLOSED = 1 << 30, // of the gate: nobody joins any more
    TURNS = 1000      // of waiting, a quarter of a millisecond, each of which lets others run, before a thread sleeps.
                      // A tenth: steps of ten thousand particles gain 1.39 by a second thread, not 1.49; five times:
                      // twice the processor time on sixteen cores, and no gain
};

typedef struct loop {
    size_t count, grain, pieces;
    int threads;
    dr_par_body body;
    void *user;
} loop;

// Pieces that lie together, and are one thread's first.
typedef struct share {
    _Alignas(64) atomic_size_t next; // piece; none from the next share's first on
} share;

static struct pool {
    pthread_mutex_t door; // one caller at a time
    int workers;          // threads besides the caller's that were started
    loop job;             // read by who has joined
    share shares[MOST];   // [thread]
    atomic_int tickets;   // given out in this loop: the numbers of those who joined
    atomic_int gate;      // threads that are inside, or CLOSED
    atomic_uint turn;     // counts loops
    pthread_mutex_t bed;  // of those who sleep
    pthread_cond_t work, done;
    atomic_int asleep;  // workers
    atomic_bool waited; // the caller sleeps until all have left
} pool = {.door = PTHREAD_MUTEX_INITIALIZER,
          .gate = CLOSED,
          .bed = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static _Thread_local bool is_in_loop;

// ---- how many

static int count_cores(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores < MOST ? (int)cores : 1;
}

static int default_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    long wanted = text ? strtol(text, NULL, 10) : 0;
    return wanted > 0 && wanted < MOST ? (int)wanted : count_cores();
}

dr_par dr_par_open(int threads)
{
    if (threads <= 0) threads = default_threads();
    return (dr_par){threads < 1 ? 1 : threads > MOST ? MOST : threads};
}

// ---- pieces

static void run_piece(const loop *job, size_t piece, int thread)
{
    size_t begin = piece * job->grain, end = begin + job->grain < job->count ? begin + job->grain : job->count;
    job->body(job->user, begin, end, thread);
}

static void run_alone(const loop *job)
{
    unsigned before = dr_flush_begin();
    for (size_t i = 0; i < job->pieces; i++) run_piece(job, i, 0);
    dr_flush_end(before);
}

static size_t first_piece(const loop *job, int share)
{
    return job->pieces / (size_t)job->threads * (size_t)share +
           job->pieces % (size_t)job->threads * (size_t)share / (size_t)job->threads;
}

static void run_share(const loop *job, int share, int thread)
{
    atomic_size_t *next = &pool.shares[share].next;
    size_t end = first_piece(job, share + 1);
    while (atomic_load(next) < end) {
        size_t piece = atomic_fetch_add(next, 1);
        if (piece < end) run_piece(job, piece, thread);
    }
}

// Its own share, and then the next threads'.
static void run_pieces(const loop *job, int thread)
{
    unsigned before = dr_flush_begin();
    is_in_loop = true;
    for (int i = 0; i < job->threads; i++) run_share(job, (thread + i) % job->threads, thread);
    is_in_loop = false;
    dr_flush_end(before);
}

// ---- workers

// False where there is no loop to join any more.
static bool join_loop(void)
{
    int inside = atomic_load(&pool.gate);
    while (!(inside & CLOSED)) {
        if (atomic_compare_exchange_weak(&pool.gate, &inside, inside + 1)) return true;
    }
    return false;
}

static void leave_loop(void)
{
    if (atomic_fetch_sub(&pool.gate, 1) - 1 != CLOSED || !atomic_load(&pool.waited)) return;
    pthread_mutex_lock(&pool.bed);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.bed);
}

// The caller counts the loop before it asks who sleeps, and who lies down says so before looking at the count again.
static void await_loop(unsigned seen, int turns)
{
    for (int i = 0; i < turns; i++) {
        if (atomic_load(&pool.turn) != seen) return;
        sched_yield();
    }
    pthread_mutex_lock(&pool.bed);
    atomic_fetch_add(&pool.asleep, 1);
    while (atomic_load(&pool.turn) == seen) pthread_cond_wait(&pool.work, &pool.bed);
    atomic_fetch_sub(&pool.asleep, 1);
    pthread_mutex_unlock(&pool.bed);
}

// Who comes is numbered in the order of coming, so that it does not matter who was woken. Who was one too many sleeps
// at once.
static void *work(void *unused)
{
    (void)unused;
    bool worked = true;
    for (unsigned seen = 0;;) {
        await_loop(seen, worked ? TURNS : 0);
        seen = atomic_load(&pool.turn);
        if (!join_loop()) continue;
        int thread = atomic_fetch_add(&pool.tickets, 1) + 1;
        worked = thread < pool.job.threads;
        if (worked) run_pieces(&pool.job, thread);
        leave_loop();
    }
    return NULL;
}

// As many as there can be of those wanted. Signals are for the program's own threads.
static void start_workers(int wanted)
{
    sigset_t all, before;
    if (pool.workers >= wanted) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; pool.workers < wanted; pool.workers++) {
        if (pthread_create(&thread, NULL, work, NULL) != 0) break;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// ---- the caller

static void open_loop(const loop *job)
{
    pool.job = *job;
    for (int i = 0; i < job->threads; i++) atomic_store(&pool.shares[i].next, first_piece(job, i));
    atomic_store(&pool.tickets, 0);
    atomic_store(&pool.gate, 0);
    atomic_fetch_add(&pool.turn, 1);
    int awake = pool.workers - atomic_load(&pool.asleep), missing = job->threads - 1 - awake;
    if (missing <= 0) return;
    pthread_mutex_lock(&pool.bed);
    for (int i = 0; i < missing; i++) pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.bed);
}

// Until those who have joined have left.
static void close_loop(void)
{
    atomic_fetch_or(&pool.gate, CLOSED);
    for (int i = 0; i < TURNS; i++) {
        if (atomic_load(&pool.gate) == CLOSED) return;
        sched_yield();
    }
    pthread_mutex_lock(&pool.bed);
    atomic_store(&pool.waited, true);
    while (atomic_load(&pool.gate) != CLOSED) pthread_cond_wait(&pool.done, &pool.bed);
    atomic_store(&pool.waited, false);
    pthread_mutex_unlock(&pool.bed);
}

// A loop within a loop, and one of a second caller while the pool is at work, is run by who calls.
void dr_par_for(const dr_par *par, size_t count, size_t grain, dr_par_body body, void *user)
{
    if (count == 0) return;
    if (grain < 1) grain = 1;
    loop job = {.count = count, .grain = grain, .pieces = (count + grain - 1) / grain, .body = body, .user = user};
    job.threads = job.pieces < (size_t)par->threads ? (int)job.pieces : par->threads;
    if (job.threads == 1 || is_in_loop || pthread_mutex_trylock(&pool.door) != 0) {
        run_alone(&job);
        return;
    }
    start_workers(job.threads - 1);
    open_loop(&job);
    run_pieces(&job, 0);
    close_loop();
    pthread_mutex_unlock(&pool.door);
}

// ---- locks

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(dr_par_lock), "a lock has room for the system's");

static pthread_mutex_t *mutex_of(dr_par_lock *lock)
{
    return (pthread_mutex_t *)(void *)lock->state;
}

void dr_par_lock_open(dr_par_lock *lock)
{
    pthread_mutex_init(mutex_of(lock), NULL);
}

void dr_par_lock_close(dr_par_lock *lock)
{
    pthread_mutex_destroy(mutex_of(lock));
}

void dr_par_lock_take(dr_par_lock *lock)
{
    pthread_mutex_lock(mutex_of(lock));
}

void dr_par_lock_give(dr_par_lock *lock)
{
    pthread_mutex_unlock(mutex_of(lock));
}

// ---- sums

double dr_par_sum(double *values, size_t count)
{
    if (count == 0) return 0.0;
    while (count > 1) {
        size_t half = count / 2;
        for (size_t i = 0; i < half; i++) values[i] = values[2 * i] + values[2 * i + 1];
        if (count & 1) values[half] = values[count - 1];
        count = half + (count & 1);
    }
    return values[0];
}

enum { BRANCH = 1024 }; // values, a power of two: what they come to is a value of the tree

static void sum_branches(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    double *values = user;
    values[begin] = dr_par_sum(values + begin, end - begin);
}

double dr_par_total(const dr_par *par, double *values, size_t count)
{
    size_t branches = (count + BRANCH - 1) / BRANCH;
    dr_par_for(par, count, BRANCH, sum_branches, values);
    for (size_t i = 1; i < branches; i++) values[i] = values[i * BRANCH];
    return dr_par_sum(values, branches);
}

// ---- memory

enum { PAGE = 1 << 16 }; // bytes

typedef struct transport {
    char *to;
    const char *from;
} transport;

static void clear_bytes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    memset((char *)user + begin, 0, end - begin);
}

static void copy_bytes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const transport *job = user;
    memcpy(job->to + begin, job->from + begin, end - begin);
}

void dr_par_clear(const dr_par *par, void *data, size_t bytes)
{
    dr_par_for(par, bytes, PAGE, clear_bytes, data);
}

void dr_par_copy(const dr_par *par, void *to, const void *from, size_t bytes)
{
    transport job = {to, from};
    dr_par_for(par, bytes, PAGE, copy_bytes, &job);
}
