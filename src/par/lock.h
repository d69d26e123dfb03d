// A lock for what one thread at a time may do, where threads are started by a library that needs its own.
#ifndef DR_PAR_LOCK_H
#define DR_PAR_LOCK_H

#include "drench/status.h"

typedef struct dr_lock dr_lock;

dr_lock *dr_lock_open(const dr_allocator *allocator); // NULL when memory is out
void dr_lock_close(dr_lock *lock);                    // free, held by nobody; NULL is fine
void dr_lock_take(dr_lock *lock);
void dr_lock_give(dr_lock *lock);

#endif
