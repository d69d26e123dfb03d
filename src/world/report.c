#include "drench/report.h"

const char *dr_stage_name(dr_stage stage)
{
    static const char *const names[DR_STAGE_COUNT] = {"drive",   "activate",  "gather",   "strands", "predict",
                                                      "surface", "viscosity", "pressure", "contact", "collide",
                                                      "move",    "exchange",  "account"};
    return (unsigned)stage < DR_STAGE_COUNT ? names[stage] : "unknown";
}

const char *dr_reason_name(dr_reason reason)
{
    static const char *const names[] = {"converged", "iterations", "stalled", "not finite"};
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}
