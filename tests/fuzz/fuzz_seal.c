// Any bytes as a sealed file: no crash, and what passes has just the seal that its content would be given.
#define _GNU_SOURCE
#include "io/seal.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sealed(const uint8_t *data, size_t size)
{
    char seal[DR_SEAL_BYTES];
    assert(size >= DR_SEAL_BYTES);
    dr_piece content = {data + DR_SEAL_BYTES, size - DR_SEAL_BYTES};
    dr_seal_make(seal, "frame", &content);
    assert(memcmp(seal, data, DR_SEAL_BYTES) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    bool sealed = false, glanced = false;
    dr_error error = {0};
    int file = memfd_create("fuzz", 0);
    if (file < 0) return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, data, size) == (ssize_t)size) {
        dr_status status = dr_seal_check(path, "frame", NULL, &sealed, &error);
        dr_status glance = dr_seal_glance(path, "frame", &glanced, &error);
        if (status == DR_STATUS_OK && sealed) check_sealed(data, size);
        assert(glance == DR_STATUS_OK || status == glance);
        assert(status == DR_STATUS_OK || error.text[0]);
    }
    close(file);
    return 0;
}
