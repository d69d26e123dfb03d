#define _POSIX_C_SOURCE 200809L
#include "io/result.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const file_names[] = {DR_RESULT_SCENE,  DR_RESULT_RUN,        DR_RESULT_STATS,
                                         DR_RESULT_REPORT, DR_RESULT_CHECKPOINT, DR_RESULT_EARLIER};
#define FILE_COUNT (sizeof file_names / sizeof *file_names)

void dr_result_frame_name(char name[DR_RESULT_NAME], int64_t number, int64_t sample)
{
    int length = snprintf(name, DR_RESULT_NAME, "frame_%06" PRId64, number);
    if (sample > 0) length += snprintf(name + length, DR_RESULT_NAME - (size_t)length, "_s%" PRId64, sample);
    snprintf(name + length, DR_RESULT_NAME - (size_t)length, ".h5");
}

bool dr_result_frame_parse(const char *name, int64_t *number, int64_t *sample)
{
    char again[DR_RESULT_NAME];
    *sample = 0;
    if (sscanf(name, "frame_%" SCNd64 "_s%" SCNd64, number, sample) < 1) return false;
    dr_result_frame_name(again, *number, *sample);
    return strcmp(name, again) == 0;
}

bool dr_result_present(const char *folder)
{
    for (size_t i = 0; i < FILE_COUNT; i++) {
        char path[DR_FOLDER_PATH];
        dr_folder_join(path, folder, file_names[i]);
        if (access(path, F_OK) == 0) return true;
    }
    return false;
}

static bool is_half_written(const char *name)
{
    size_t length = strlen(name);
    return name[0] == '.' && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

static dr_status drop_half_written(void *user, const char *folder, const char *name, dr_error *error)
{
    (void)user;
    return is_half_written(name) ? dr_folder_remove(folder, name, error) : DR_STATUS_OK;
}

static dr_status drop_from(void *user, const char *folder, const char *name, dr_error *error)
{
    const int64_t *first = user;
    int64_t number, sample;
    if (!dr_result_frame_parse(name, &number, &sample)) return drop_half_written(NULL, folder, name, error);
    bool newer = number > first[0] || (number == first[0] && sample >= first[1]);
    return newer ? dr_folder_remove(folder, name, error) : DR_STATUS_OK;
}

dr_status dr_result_trim(const char *folder, int64_t number, int64_t sample, dr_error *error)
{
    char frames[DR_FOLDER_PATH];
    int64_t first[2] = {number, sample};
    dr_folder_join(frames, folder, DR_RESULT_FRAMES);
    dr_status status = dr_folder_each(folder, drop_half_written, NULL, error);
    return status ? status : dr_folder_each(frames, drop_from, first, error);
}

dr_status dr_result_remove(const char *folder, dr_error *error)
{
    char frames[DR_FOLDER_PATH];
    dr_folder_join(frames, folder, DR_RESULT_FRAMES);
    dr_status status = dr_folder_exists(frames) ? dr_result_trim(folder, INT64_MIN, 0, error) : DR_STATUS_OK;
    for (size_t i = 0; !status && i < FILE_COUNT; i++) status = dr_folder_remove(folder, file_names[i], error);
    return status;
}

dr_status dr_result_refuse(const char *path, dr_error *error)
{
    if (!dr_folder_exists(path)) return dr_error_add(error, DR_STATUS_NO_FILE, "%s: no such folder", path);
    if (access(path, R_OK | X_OK) != 0) return dr_error_system(error, path, "cannot be looked into");
    dr_status status = dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: holds no results of drench", path);
    dr_error_hint(error, "`drench run SCENE -o %s` would make some", path);
    return status;
}
