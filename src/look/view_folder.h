// The result folder as the viewer sees it: files that lie inside it and nowhere else, its frames, its statistics.
#ifndef DR_LOOK_VIEW_FOLDER_H
#define DR_LOOK_VIEW_FOLDER_H

#include "base/text.h"
#include "drench/result.h"
#include "look/view_ages.h"

#define DR_VIEW_PATH 4096

typedef struct dr_view_folder {
    const dr_allocator *allocator;
    char root[DR_VIEW_PATH]; // as the system writes it: no links, no dots
    dr_result *result;
    dr_view_ages ages;
    int64_t ages_from; // bytes of the statistics that ages have seen
} dr_view_folder;

dr_status dr_view_folder_open(dr_view_folder *folder, const char *path, const dr_allocator *allocator, dr_error *error);
void dr_view_folder_close(dr_view_folder *folder);

// What there is to show, as JSON: the scene's times, the frames with a stamp that changes when a file does.
dr_status dr_view_folder_list(dr_view_folder *folder, dr_text *text, dr_error *error);

// The rows of the statistics from that byte on, as JSON, as many as one answer takes; `again` where the file has become
// shorter than that.
dr_status dr_view_folder_stats(dr_view_folder *folder, int64_t from, dr_text *text, dr_error *error);

// Reads a frame; released by dr_result_release.
dr_status dr_view_folder_read(dr_view_folder *folder, int64_t number, int64_t sample, const dr_frame **frame,
                              dr_error *error);

// Brings the ages up to the end of the statistics.
dr_status dr_view_folder_learn_ages(dr_view_folder *folder, dr_error *error);

#endif
