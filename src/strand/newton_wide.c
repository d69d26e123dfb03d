// The strand solve once more, compiled for registers of eight doubles: called only where the machine has them.
#include "strand/newton_lanes.h"

void dr_newton_solve_wide(dr_newton *job)
{
    for (int lane = 0; lane < DR_ROD_WIDTH; lane += DR_LANES) solve_lanes(job, lane);
}
