// stats.jsonl: one line per step with everything in its report.
#ifndef DR_IO_STATS_H
#define DR_IO_STATS_H

#include "base/json.h"
#include "drench/report.h"

// A report as one JSON object, with or without the line's end: stats.jsonl, report.json and --json all use it.
void dr_stats_report(dr_json *json, const char *key, const dr_report *report);

typedef struct dr_stats {
    int file; // -1: closed
    char path[4096];
    dr_text pending;
    double flushed; // when, by dr_clock_now
    int64_t bytes;  // in the file and pending
    bool failed;    // a write has failed: the file's end is not to be trusted
} dr_stats;

// Opens the folder's stats.jsonl and cuts it to `keep` bytes. A file that is shorter than that is an error.
dr_status dr_stats_open(dr_stats *stats, const char *folder, int64_t keep, const dr_allocator *allocator,
                        dr_error *error);
dr_status dr_stats_add(dr_stats *stats, const dr_report *report, dr_error *error);

// Everything added is in the file; with `sync` it is on the disk.
dr_status dr_stats_flush(dr_stats *stats, bool sync, dr_error *error);
void dr_stats_close(dr_stats *stats); // what is pending is lost

#endif
