// Numbers too small for all their digits count as nought: where motion fades out into what is at rest they would slow
// arithmetic down a hundredfold. The one thing beside simd.h that knows an instruction set.
#ifndef DR_MATH_FLUSH_H
#define DR_MATH_FLUSH_H

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// From here on, in this thread, as operands and as results. Gives what to restore.
static inline unsigned dr_flush_begin(void)
{
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U);
    return before;
#else
    return 0;
#endif
}

static inline void dr_flush_end(unsigned before)
{
#if defined(__SSE2__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

#endif
