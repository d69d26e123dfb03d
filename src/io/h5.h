// HDF5 files, behind a door: the only place that knows the library. A new file is built in memory and handed out as
// bytes, so that only io/folder.c ever writes to the disk and a full one is an ordinary error.
// In a build without HDF5 every way in answers DR_STATUS_UNSUPPORTED.
#ifndef DR_IO_H5_H
#define DR_IO_H5_H

#include "base/error.h"
#include "drench/frame.h"

typedef struct dr_h5 dr_h5;

bool dr_h5_available(void);
dr_status dr_h5_unsupported(dr_error *error);

// A new file in memory. On failure *file is NULL.
dr_status dr_h5_create(const dr_allocator *allocator, dr_h5 **file, dr_error *error);

// An existing file, to read. `path` also stands for it in messages.
dr_status dr_h5_open(const char *path, const dr_allocator *allocator, dr_h5 **file, dr_error *error);

// Frees everything, also the arrays handed out by dr_h5_get_array. NULL is fine.
void dr_h5_close(dr_h5 *file);

// Leaves the library alone from here on; arrays handed out stay until dr_h5_close, which then any thread may call.
void dr_h5_detach(dr_h5 *file);

// Groups of a path are made as needed. compression 0..9.
dr_status dr_h5_put_group(dr_h5 *file, const char *path, dr_error *error);
dr_status dr_h5_put_array(dr_h5 *file, const char *path, const dr_frame_array *array, int compression, dr_error *error);

// Attributes of the group or array at `path` ("/" for the file).
dr_status dr_h5_put_number(dr_h5 *file, const char *path, const char *name, double value, dr_error *error);
dr_status dr_h5_put_integer(dr_h5 *file, const char *path, const char *name, int64_t value, dr_error *error);
dr_status dr_h5_put_text(dr_h5 *file, const char *path, const char *name, const char *value, dr_error *error);

// The bytes of a new file, as they should be on disk; they live until the file is closed or added to.
dr_status dr_h5_image(dr_h5 *file, const void **data, size_t *bytes, dr_error *error);

// The array at `path`; its data lives until dr_h5_close. name and unit are not filled in.
dr_status dr_h5_get_array(dr_h5 *file, const char *path, dr_frame_array *array, dr_error *error);
dr_status dr_h5_get_number(dr_h5 *file, const char *path, const char *name, double *value, dr_error *error);
dr_status dr_h5_get_integer(dr_h5 *file, const char *path, const char *name, int64_t *value, dr_error *error);
dr_status dr_h5_get_text(dr_h5 *file, const char *path, const char *name, char *value, size_t room, dr_error *error);

// Calls visit with the name of everything in the group at `path`, in order; stops when it answers anything but OK.
typedef dr_status (*dr_h5_visit)(void *user, const char *name, dr_error *error);
dr_status dr_h5_each(dr_h5 *file, const char *path, dr_h5_visit visit, void *user, dr_error *error);

#endif
