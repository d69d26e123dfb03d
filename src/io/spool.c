#define _DEFAULT_SOURCE
#include "io/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

dr_status dr_spool_open(dr_spool *spool, const char *folder, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, folder, ".spool-XXXXXX");
    *spool = DR_SPOOL_CLOSED;
    spool->file = mkstemp(path);
    if (spool->file < 0) return dr_folder_error(error, folder, "no file can be made here");
    unlink(path);
    return DR_STATUS_OK;
}

static void unmap(dr_spool *spool)
{
    if (spool->map) munmap(spool->map, spool->bytes);
    spool->map = NULL;
}

dr_status dr_spool_add(dr_spool *spool, const void *data, size_t bytes, dr_error *error)
{
    const char *at = data;
    unmap(spool);
    while (bytes > 0) {
        ssize_t written = write(spool->file, at, bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return dr_folder_error(error, "a temporary file", "cannot be written");
        at += written;
        bytes -= (size_t)written;
        spool->bytes += (size_t)written;
    }
    return DR_STATUS_OK;
}

dr_status dr_spool_piece(dr_spool *spool, dr_piece *piece, dr_error *error)
{
    *piece = (dr_piece){"", 0};
    if (spool->bytes == 0) return DR_STATUS_OK;
    if (!spool->map) {
        void *map = mmap(NULL, spool->bytes, PROT_READ, MAP_SHARED, spool->file, 0);
        if (map == MAP_FAILED) return dr_error_system(error, "a temporary file", "cannot be read");
        spool->map = map;
    }
    *piece = (dr_piece){spool->map, spool->bytes};
    return DR_STATUS_OK;
}

void dr_spool_close(dr_spool *spool)
{
    unmap(spool);
    if (spool->file >= 0) close(spool->file);
    *spool = DR_SPOOL_CLOSED;
}
