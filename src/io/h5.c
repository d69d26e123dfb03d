#include "io/h5.h"

dr_status dr_h5_unsupported(dr_error *error)
{
    dr_status status =
        dr_error_add(error, DR_STATUS_UNSUPPORTED, "this build of drench cannot write results: it lacks HDF5");
    dr_error_hint(error, "install libhdf5-dev and build again, or run with --no-output");
    return status;
}

#ifdef DR_HAVE_HDF5

#include "base/memory.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

typedef struct block {
    struct block *next;
    size_t bytes;
} block; // followed by the data, BLOCK_HEADER after its start

#define BLOCK_HEADER DR_ALIGNMENT
#define GROWTH       ((size_t)1 << 20) // of a file in memory
#define CHUNK_BYTES  ((size_t)1 << 18)

struct dr_h5 {
    const dr_allocator *allocator;
    hid_t file;
    char name[256];
    block *blocks;
    H5E_auto2_t print; // how HDF5 told of errors before we came
    void *print_data;
    bool detached;
};

bool dr_h5_available(void)
{
    return true;
}

// ---- messages

static herr_t keep_innermost(unsigned number, const H5E_error2_t *entry, void *user)
{
    if (number == 0 && entry->desc) snprintf(user, 160, "%s", entry->desc);
    return 0;
}

static dr_status fail(dr_h5 *file, dr_error *error, const char *doing, const char *path)
{
    char why[160] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, why);
    H5Eclear2(H5E_DEFAULT);
    return dr_error_add(error, DR_STATUS_IO, "%s: cannot %s %s%s%s", file->name, doing, path, why[0] ? ": " : "", why);
}

static dr_status done(dr_h5 *file, bool good, dr_error *error, const char *doing, const char *path)
{
    return good ? DR_STATUS_OK : fail(file, error, doing, path);
}

// ---- opening and closing

static dr_h5 *begin(const dr_allocator *allocator, const char *name)
{
    dr_h5 *file = dr_memory_alloc(allocator, sizeof *file);
    if (!file) return NULL;
    file->allocator = allocator;
    file->file = H5I_INVALID_HID;
    snprintf(file->name, sizeof file->name, "%s", name);
    H5Eget_auto2(H5E_DEFAULT, &file->print, &file->print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return file;
}

static dr_status finish(dr_h5 *opened, dr_h5 **file, dr_error *error, const char *doing)
{
    if (opened->file >= 0) {
        *file = opened;
        return DR_STATUS_OK;
    }
    dr_status status = fail(opened, error, doing, "the file");
    dr_h5_close(opened);
    return status;
}

dr_status dr_h5_create(const dr_allocator *allocator, dr_h5 **file, dr_error *error)
{
    *file = NULL;
    dr_h5 *fresh = begin(allocator, "HDF5");
    if (!fresh) return dr_error_memory(error, "building an HDF5 file");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, GROWTH, false) >= 0) {
        fresh->file = H5Fcreate("drench", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    H5Pclose(access);
    return finish(fresh, file, error, "build");
}

dr_status dr_h5_open(const char *path, const dr_allocator *allocator, dr_h5 **file, dr_error *error)
{
    *file = NULL;
    dr_h5 *opened = begin(allocator, path);
    if (!opened) return dr_error_memory(error, "opening an HDF5 file");
    opened->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return finish(opened, file, error, "read");
}

void dr_h5_detach(dr_h5 *file)
{
    if (file->detached) return;
    if (file->file >= 0) H5Fclose(file->file);
    H5Eset_auto2(H5E_DEFAULT, file->print, file->print_data);
    file->detached = true;
}

void dr_h5_close(dr_h5 *file)
{
    if (!file) return;
    dr_h5_detach(file);
    for (block *at = file->blocks, *next; at; at = next) {
        next = at->next;
        dr_memory_free(file->allocator, at, at->bytes);
    }
    dr_memory_free(file->allocator, file, sizeof *file);
}

// ---- types: in memory, and on disk whatever the machine

static hid_t native_type(dr_type type)
{
    switch (type) {
    case DR_TYPE_UINT8:
        return H5T_NATIVE_UINT8;
    case DR_TYPE_INT32:
        return H5T_NATIVE_INT32;
    case DR_TYPE_UINT32:
        return H5T_NATIVE_UINT32;
    case DR_TYPE_INT64:
        return H5T_NATIVE_INT64;
    case DR_TYPE_UINT64:
        return H5T_NATIVE_UINT64;
    case DR_TYPE_FLOAT32:
        return H5T_NATIVE_FLOAT;
    case DR_TYPE_FLOAT64:
        return H5T_NATIVE_DOUBLE;
    }
    return H5I_INVALID_HID;
}

static hid_t disk_type(dr_type type)
{
    switch (type) {
    case DR_TYPE_UINT8:
        return H5T_STD_U8LE;
    case DR_TYPE_INT32:
        return H5T_STD_I32LE;
    case DR_TYPE_UINT32:
        return H5T_STD_U32LE;
    case DR_TYPE_INT64:
        return H5T_STD_I64LE;
    case DR_TYPE_UINT64:
        return H5T_STD_U64LE;
    case DR_TYPE_FLOAT32:
        return H5T_IEEE_F32LE;
    case DR_TYPE_FLOAT64:
        return H5T_IEEE_F64LE;
    }
    return H5I_INVALID_HID;
}

static bool find_type(hid_t stored, dr_type *type)
{
    for (int i = DR_TYPE_UINT8; i <= DR_TYPE_FLOAT64; i++) {
        if (H5Tequal(stored, disk_type((dr_type)i)) > 0) {
            *type = (dr_type)i;
            return true;
        }
    }
    return false;
}

// ---- writing

static hid_t make_groups(void)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    return links;
}

dr_status dr_h5_put_group(dr_h5 *file, const char *path, dr_error *error)
{
    hid_t links = make_groups();
    hid_t group = H5Gcreate2(file->file, path, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(links);
    dr_status status = done(file, group >= 0, error, "write", path);
    if (group >= 0) H5Gclose(group);
    return status;
}

// Chunks of about 256 KiB, shuffled and deflated; contiguous without compression. No times of day in the file.
static hid_t describe_storage(const dr_frame_array *array, const hsize_t *size, int rank, int compression)
{
    hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(storage, false);
    if (compression <= 0 || array->count == 0 || H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) return storage;
    hsize_t chunk[2] = {size[0], size[1]};
    hsize_t rows = CHUNK_BYTES / (dr_type_bytes(array->type) * (size_t)array->components) + 1;
    if (rows < chunk[0]) chunk[0] = rows;
    H5Pset_chunk(storage, rank, chunk);
    H5Pset_shuffle(storage);
    H5Pset_deflate(storage, (unsigned)compression);
    return storage;
}

dr_status dr_h5_put_array(dr_h5 *file, const char *path, const dr_frame_array *array, int compression, dr_error *error)
{
    hsize_t size[2] = {array->count, (hsize_t)array->components};
    int rank = array->components > 1 ? 2 : 1;
    hid_t links = make_groups();
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t storage = describe_storage(array, size, rank, compression);
    hid_t set = H5Dcreate2(file->file, path, disk_type(array->type), space, links, storage, H5P_DEFAULT);
    bool good = set >= 0;
    if (good && array->count > 0) {
        good = H5Dwrite(set, native_type(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0;
    }
    dr_status status = done(file, good, error, "write", path);
    if (set >= 0) H5Dclose(set);
    H5Pclose(storage);
    H5Sclose(space);
    H5Pclose(links);
    if (status == DR_STATUS_OK && array->unit) status = dr_h5_put_text(file, path, "unit", array->unit, error);
    return status;
}

static dr_status put_attribute(dr_h5 *file, const char *path, const char *name, hid_t disk, hid_t memory,
                               const void *value, dr_error *error)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate_by_name(file->file, path, name, disk, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory, value) >= 0;
    dr_status status = done(file, good, error, "write", name);
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return status;
}

dr_status dr_h5_put_number(dr_h5 *file, const char *path, const char *name, double value, dr_error *error)
{
    return put_attribute(file, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, error);
}

dr_status dr_h5_put_integer(dr_h5 *file, const char *path, const char *name, int64_t value, dr_error *error)
{
    return put_attribute(file, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value, error);
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

dr_status dr_h5_put_text(dr_h5 *file, const char *path, const char *name, const char *value, dr_error *error)
{
    hid_t type = text_type();
    dr_status status = put_attribute(file, path, name, type, type, &value, error);
    H5Tclose(type);
    return status;
}

dr_status dr_h5_image(dr_h5 *file, const void **data, size_t *bytes, dr_error *error)
{
    void **memory = NULL;
    ssize_t length = -1;
    if (H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0 &&
        H5Fget_vfd_handle(file->file, H5P_DEFAULT, (void **)&memory) >= 0) {
        length = H5Fget_file_image(file->file, NULL, 0);
    }
    if (length <= 0 || !memory || !*memory) return fail(file, error, "build", "the file");
    *data = *memory;
    *bytes = (size_t)length;
    return DR_STATUS_OK;
}

// ---- reading

static void *add_block(dr_h5 *file, size_t bytes)
{
    if (bytes > SIZE_MAX - BLOCK_HEADER) return NULL;
    block *fresh = dr_memory_resize(file->allocator, NULL, 0, BLOCK_HEADER + bytes);
    if (!fresh) return NULL;
    *fresh = (block){file->blocks, BLOCK_HEADER + bytes};
    file->blocks = fresh;
    return (char *)fresh + BLOCK_HEADER;
}

// Deflate packs at most about 1030 to 1: a set that claims more than its bytes on disk can hold is damaged.
static bool fits_storage(hid_t set, const dr_frame_array *array)
{
    hsize_t stored = H5Dget_storage_size(set);
    hsize_t claimed = (hsize_t)array->count * (hsize_t)array->components * dr_type_bytes(array->type);
    return claimed / 1100 <= stored;
}

// The numbers lie in this file; a set may also point to bytes of any other.
static bool is_inside(hid_t set)
{
    hid_t made = H5Dget_create_plist(set);
    bool good = made >= 0 && H5Pget_layout(made) != H5D_VIRTUAL && H5Pget_external_count(made) == 0;
    if (made >= 0) H5Pclose(made);
    return good;
}

static bool read_shape(hid_t set, dr_frame_array *array)
{
    hsize_t size[2] = {0, 1};
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int rank = H5Sget_simple_extent_ndims(space);
    bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) == rank &&
                find_type(type, &array->type) && size[1] >= 1 && size[1] < 1024 && size[0] < SIZE_MAX / 8192;
    array->count = (size_t)size[0];
    array->components = (int)size[1];
    H5Tclose(type);
    H5Sclose(space);
    return good && is_inside(set) && fits_storage(set, array);
}

dr_status dr_h5_get_array(dr_h5 *file, const char *path, dr_frame_array *array, dr_error *error)
{
    *array = (dr_frame_array){.unit = ""};
    hid_t set = H5Dopen2(file->file, path, H5P_DEFAULT);
    if (set < 0) return fail(file, error, "read", path);
    bool good = read_shape(set, array);
    void *data = NULL;
    if (good) {
        data = add_block(file, array->count * (size_t)array->components * dr_type_bytes(array->type));
        if (!data) {
            H5Dclose(set);
            return dr_error_memory(error, "reading an HDF5 file");
        }
        good = array->count == 0 || H5Dread(set, native_type(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    }
    array->data = data;
    dr_status status = done(file, good, error, "read", path);
    H5Dclose(set);
    return status;
}

static dr_status get_attribute(dr_h5 *file, const char *path, const char *name, hid_t memory, void *value,
                               dr_error *error)
{
    hid_t attribute = H5Aopen_by_name(file->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Aread(attribute, memory, value) >= 0;
    dr_status status = done(file, good, error, "read", name);
    if (attribute >= 0) H5Aclose(attribute);
    return status;
}

dr_status dr_h5_get_number(dr_h5 *file, const char *path, const char *name, double *value, dr_error *error)
{
    return get_attribute(file, path, name, H5T_NATIVE_DOUBLE, value, error);
}

dr_status dr_h5_get_integer(dr_h5 *file, const char *path, const char *name, int64_t *value, dr_error *error)
{
    return get_attribute(file, path, name, H5T_NATIVE_INT64, value, error);
}

dr_status dr_h5_get_text(dr_h5 *file, const char *path, const char *name, char *value, size_t room, dr_error *error)
{
    hid_t type = text_type();
    char *text = NULL;
    dr_status status = get_attribute(file, path, name, type, &text, error);
    snprintf(value, room, "%s", text ? text : "");
    if (text) H5free_memory(text);
    H5Tclose(type);
    return status;
}

typedef struct visiting {
    dr_h5_visit visit;
    void *user;
    dr_status status;
    dr_error *error;
} visiting;

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    visiting *job = user;
    if (info->type != H5L_TYPE_HARD) return -1; // it leads elsewhere, perhaps to another file
    job->status = job->visit(job->user, name, job->error);
    return job->status != DR_STATUS_OK;
}

dr_status dr_h5_each(dr_h5 *file, const char *path, dr_h5_visit visit, void *user, dr_error *error)
{
    visiting job = {visit, user, DR_STATUS_OK, error};
    herr_t end = H5Literate_by_name(file->file, path, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &job, H5P_DEFAULT);
    if (job.status) return job.status;
    return done(file, end >= 0, error, "list", path);
}

#else

bool dr_h5_available(void)
{
    return false;
}

dr_status dr_h5_create(const dr_allocator *allocator, dr_h5 **file, dr_error *error)
{
    (void)allocator;
    *file = NULL;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_open(const char *path, const dr_allocator *allocator, dr_h5 **file, dr_error *error)
{
    (void)path;
    return dr_h5_create(allocator, file, error);
}

void dr_h5_close(dr_h5 *file)
{
    (void)file;
}

dr_status dr_h5_put_group(dr_h5 *file, const char *path, dr_error *error)
{
    (void)file, (void)path;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_put_array(dr_h5 *file, const char *path, const dr_frame_array *array, int compression, dr_error *error)
{
    (void)file, (void)path, (void)array, (void)compression;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_put_number(dr_h5 *file, const char *path, const char *name, double value, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_put_integer(dr_h5 *file, const char *path, const char *name, int64_t value, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_put_text(dr_h5 *file, const char *path, const char *name, const char *value, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_image(dr_h5 *file, const void **data, size_t *bytes, dr_error *error)
{
    (void)file, (void)data, (void)bytes;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_get_array(dr_h5 *file, const char *path, dr_frame_array *array, dr_error *error)
{
    (void)file, (void)path, (void)array;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_get_number(dr_h5 *file, const char *path, const char *name, double *value, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_get_integer(dr_h5 *file, const char *path, const char *name, int64_t *value, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_get_text(dr_h5 *file, const char *path, const char *name, char *value, size_t room, dr_error *error)
{
    (void)file, (void)path, (void)name, (void)value, (void)room;
    return dr_h5_unsupported(error);
}

dr_status dr_h5_each(dr_h5 *file, const char *path, dr_h5_visit visit, void *user, dr_error *error)
{
    (void)file, (void)path, (void)visit, (void)user;
    return dr_h5_unsupported(error);
}

void dr_h5_detach(dr_h5 *file)
{
    (void)file;
}

#endif
