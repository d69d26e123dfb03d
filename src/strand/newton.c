// The strand solve for registers that every machine has, and the choice of wider ones. docs/theory/rods.md, eq.
// (27)-(29).
#include "strand/newton_lanes.h"

void dr_newton_solve_narrow(dr_newton *job)
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane += DR_LANES) solve_lanes(job, lane);
}

void dr_newton_solve(dr_newton *job)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        dr_newton_solve_wide(job);
        return;
    }
#endif
    dr_newton_solve_narrow(job);
}
