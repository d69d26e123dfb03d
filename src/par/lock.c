#define _POSIX_C_SOURCE 200809L
#include "par/lock.h"

#include "base/memory.h"

#include <pthread.h>

struct dr_lock {
    const dr_allocator *allocator;
    pthread_mutex_t mutex;
};

dr_lock *dr_lock_open(const dr_allocator *allocator)
{
    dr_lock *lock = dr_memory_alloc(allocator, sizeof *lock);
    if (!lock) return NULL;
    lock->allocator = allocator;
    if (pthread_mutex_init(&lock->mutex, NULL) == 0) return lock;
    dr_memory_free(allocator, lock, sizeof *lock);
    return NULL;
}

void dr_lock_close(dr_lock *lock)
{
    if (!lock) return;
    pthread_mutex_destroy(&lock->mutex);
    dr_memory_free(lock->allocator, lock, sizeof *lock);
}

void dr_lock_take(dr_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void dr_lock_give(dr_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
