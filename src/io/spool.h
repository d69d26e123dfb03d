// A file without a name on the disk of a folder, for what is too long to hold in memory until the file that it belongs
// to can be written. It is gone when the program ends, however it ends.
#ifndef DR_IO_SPOOL_H
#define DR_IO_SPOOL_H

#include "io/folder.h"

typedef struct dr_spool {
    int file; // -1: closed
    size_t bytes;
    void *map; // of all bytes, NULL: not mapped
} dr_spool;

#define DR_SPOOL_CLOSED ((dr_spool){.file = -1})

dr_status dr_spool_open(dr_spool *spool, const char *folder, dr_error *error);
dr_status dr_spool_add(dr_spool *spool, const void *data, size_t bytes, dr_error *error);

// Everything added so far; it lives until the next addition or the end.
dr_status dr_spool_piece(dr_spool *spool, dr_piece *piece, dr_error *error);
void dr_spool_close(dr_spool *spool);

#endif
