// Files that appear whole or not at all, and folders that one run at a time may write.
#ifndef DR_IO_FOLDER_H
#define DR_IO_FOLDER_H

#include "base/error.h"

#define DR_FOLDER_PATH   4096
#define DR_FOLDER_PREFIX 3800 // the longest folder name taken

// "<folder>/<name>". The folder must be no longer than DR_FOLDER_PREFIX.
void dr_folder_join(char path[DR_FOLDER_PATH], const char *folder, const char *name);

// Makes a folder and those above it.
dr_status dr_folder_make(const char *folder, dr_error *error);

bool dr_folder_exists(const char *path); // a folder, not a file

// Whether anything but the lock is in it.
bool dr_folder_is_empty(const char *folder);

// Takes the folder's lock for as long as *lock (>= 0) is open; DR_STATUS_BUSY names the process that has it.
dr_status dr_folder_lock(const char *folder, int *lock, dr_error *error);
void dr_folder_unlock(int lock);

// The process that holds the lock, 0 where there is none, -1 where somebody unknown does.
long dr_folder_holder(const char *folder);

typedef struct dr_piece {
    const void *data;
    size_t bytes;
} dr_piece;

// Writes pieces one after the other into a new file of that name, which replaces an older one only when all of it is on
// disk. keep (may be NULL): the name under which the older one stays.
dr_status dr_folder_write(const char *folder, const char *name, const char *keep, const dr_piece *pieces, int count,
                          dr_error *error);

// Reads a whole file into a block of *bytes + 1 (closed by a zero), freed with dr_memory_free.
dr_status dr_folder_read(const char *path, const dr_allocator *allocator, char **data, size_t *bytes, dr_error *error);

// Removes a file; one that is not there is no problem.
dr_status dr_folder_remove(const char *folder, const char *name, dr_error *error);

// Calls visit with every name in the folder, in no order; stops when it returns anything but DR_STATUS_OK.
typedef dr_status (*dr_folder_visit)(void *user, const char *folder, const char *name, dr_error *error);
dr_status dr_folder_each(const char *folder, dr_folder_visit visit, void *user, dr_error *error);

// As dr_error_system, with a hint where the disk is full.
dr_status dr_folder_error(dr_error *error, const char *path, const char *doing);

#endif
