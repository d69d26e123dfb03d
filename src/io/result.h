// The names of a result folder's files, and what is known of its frames from their names alone.
#ifndef DR_IO_RESULT_H
#define DR_IO_RESULT_H

#include "drench/result.h"
#include "io/folder.h"

#define DR_RESULT_SCENE      "scene.yaml"
#define DR_RESULT_RUN        "run.json"
#define DR_RESULT_STATS      "stats.jsonl"
#define DR_RESULT_REPORT     "report.json"
#define DR_RESULT_CHECKPOINT "checkpoint.h5"
#define DR_RESULT_EARLIER    "checkpoint.old.h5"
#define DR_RESULT_FRAMES     "frames"

#define DR_RESULT_NAME 64

// "frame_000012.h5", or "frame_000012_s1.h5" for a sample after the frame.
void dr_result_frame_name(char name[DR_RESULT_NAME], int64_t number, int64_t sample);

// The way back; false where the name is not that of a frame.
bool dr_result_frame_parse(const char *name, int64_t *number, int64_t *sample);

// Whether the folder holds anything that a run wrote.
bool dr_result_present(const char *folder);

// Says why a folder without results is not one to look into.
dr_status dr_result_refuse(const char *folder, dr_error *error);

// Removes what a run wrote and nothing else.
dr_status dr_result_remove(const char *folder, dr_error *error);

// Removes frames at and after (number, sample), and what a killed run left half written.
dr_status dr_result_trim(const char *folder, int64_t number, int64_t sample, dr_error *error);

#endif
