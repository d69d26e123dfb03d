#define _GNU_SOURCE
#include "io/folder.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".lock"

void dr_folder_join(char path[DR_FOLDER_PATH], const char *folder, const char *name)
{
    snprintf(path, DR_FOLDER_PATH, "%.*s/%s", DR_FOLDER_PREFIX, folder, name);
}

dr_status dr_folder_error(dr_error *error, const char *path, const char *doing)
{
    int code = errno;
    dr_status status = dr_error_system(error, path, doing);
    if (code == ENOSPC || code == EFBIG || code == EDQUOT) {
        dr_error_hint(error, "make room and go on with --resume; what was written before is whole");
    }
    return status;
}

bool dr_folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

dr_status dr_folder_make(const char *folder, dr_error *error)
{
    size_t length = strlen(folder);
    if (length == 0 || length > DR_FOLDER_PREFIX) {
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "the name of the result folder is %s",
                            length ? "too long" : "empty");
    }
    char path[DR_FOLDER_PATH];
    for (size_t i = 1; i <= length; i++) {
        if (folder[i] != '/' && folder[i] != 0) continue;
        memcpy(path, folder, i);
        path[i] = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return dr_folder_error(error, path, "cannot make the folder");
    }
    if (dr_folder_exists(folder)) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "%s: is a file, not a folder", folder);
}

dr_status dr_folder_each(const char *folder, dr_folder_visit visit, void *user, dr_error *error)
{
    DIR *open = opendir(folder);
    if (!open) return dr_error_system(error, folder, "cannot be listed");
    dr_status status = DR_STATUS_OK;
    for (struct dirent *entry; status == DR_STATUS_OK && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        status = visit(user, folder, entry->d_name, error);
    }
    closedir(open);
    return status;
}

static dr_status notice_content(void *user, const char *folder, const char *name, dr_error *error)
{
    (void)folder;
    (void)error;
    if (strcmp(name, LOCK_NAME) != 0) *(bool *)user = false;
    return DR_STATUS_OK;
}

bool dr_folder_is_empty(const char *folder)
{
    bool empty = true;
    return dr_folder_each(folder, notice_content, &empty, NULL) == DR_STATUS_OK && empty;
}

// ---- the lock: released by the system when its holder ends, however it ends

static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

static long read_holder(int file)
{
    char digits[32] = {0};
    if (pread(file, digits, sizeof digits - 1, 0) <= 0) return -1;
    long holder = strtol(digits, NULL, 10);
    return holder > 0 ? holder : -1;
}

dr_status dr_folder_lock(const char *folder, int *lock, dr_error *error)
{
    char path[DR_FOLDER_PATH], digits[32];
    dr_folder_join(path, folder, LOCK_NAME);
    *lock = -1;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return dr_folder_error(error, path, "cannot be opened");
    struct flock range = whole_file();
    if (fcntl(file, F_OFD_SETLK, &range) != 0) {
        int code = errno;
        long holder = read_holder(file);
        close(file);
        errno = code;
        if (code != EAGAIN && code != EACCES) return dr_folder_error(error, path, "cannot be locked");
        dr_status status =
            dr_error_add(error, DR_STATUS_BUSY, "%s: another run (process %ld) is writing this folder", folder, holder);
        dr_error_hint(error, "wait for it, end it, or choose another folder with -o");
        return status;
    }
    int length = snprintf(digits, sizeof digits, "%ld\n", (long)getpid());
    if (ftruncate(file, 0) != 0 || pwrite(file, digits, (size_t)length, 0) != length) {
        dr_status status = dr_folder_error(error, path, "cannot be written");
        close(file);
        return status;
    }
    *lock = file;
    return DR_STATUS_OK;
}

void dr_folder_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

long dr_folder_holder(const char *folder)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, folder, LOCK_NAME);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    struct flock range = whole_file();
    range.l_type = F_RDLCK;
    long holder = 0;
    if (fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK) holder = read_holder(file);
    close(file);
    return holder;
}

// ---- whole files

static bool write_all(int file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(file, data, bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool write_pieces(const char *path, const dr_piece *pieces, int count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return false;
    bool good = true;
    for (int i = 0; good && i < count; i++) good = write_all(file, pieces[i].data, pieces[i].bytes);
    good = good && fsync(file) == 0;
    int code = errno;
    if (close(file) != 0 && good) return false;
    errno = code;
    return good;
}

static bool sync_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return false;
    bool good = fsync(file) == 0 || errno == EINVAL; // some file systems have nothing to sync here
    close(file);
    return good;
}

dr_status dr_folder_write(const char *folder, const char *name, const char *keep, const dr_piece *pieces, int count,
                          dr_error *error)
{
    char path[DR_FOLDER_PATH], fresh[DR_FOLDER_PATH], old[DR_FOLDER_PATH], hidden[256];
    snprintf(hidden, sizeof hidden, ".%.200s.tmp", name);
    dr_folder_join(path, folder, name);
    dr_folder_join(fresh, folder, hidden);
    bool good = write_pieces(fresh, pieces, count);
    if (good && keep) {
        dr_folder_join(old, folder, keep);
        good = rename(path, old) == 0 || errno == ENOENT;
    }
    good = good && rename(fresh, path) == 0 && sync_folder(folder);
    if (good) return DR_STATUS_OK;
    dr_status status = dr_folder_error(error, path, "cannot be written");
    unlink(fresh);
    return status;
}

static dr_status read_open(int file, const char *path, const dr_allocator *allocator, char **data, size_t *bytes,
                           dr_error *error)
{
    struct stat info;
    if (fstat(file, &info) != 0) return dr_error_system(error, path, "cannot be read");
    if (!S_ISREG(info.st_mode)) return dr_error_add(error, DR_STATUS_IO, "%s: is not a file", path);
    size_t size = (size_t)info.st_size, have = 0;
    char *block = dr_memory_alloc(allocator, size + 1);
    if (!block) return dr_error_memory(error, "reading a file");
    while (have < size) {
        ssize_t more = read(file, block + have, size - have);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        have += (size_t)more;
    }
    if (have < size) {
        dr_memory_free(allocator, block, size + 1);
        return dr_error_add(error, DR_STATUS_IO, "%s: cannot be read to its end", path);
    }
    *data = block;
    *bytes = size;
    return DR_STATUS_OK;
}

dr_status dr_folder_read(const char *path, const dr_allocator *allocator, char **data, size_t *bytes, dr_error *error)
{
    *data = NULL;
    *bytes = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return dr_error_system(error, path, "cannot be read");
    dr_status status = read_open(file, path, allocator, data, bytes, error);
    close(file);
    return status;
}

dr_status dr_folder_remove(const char *folder, const char *name, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, folder, name);
    if (unlink(path) == 0 || errno == ENOENT) return DR_STATUS_OK;
    return dr_folder_error(error, path, "cannot be removed");
}
