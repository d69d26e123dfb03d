#define _POSIX_C_SOURCE 200809L
#include "io/seal.h"

#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT 1
#define STRIDE ((size_t)1 << 20) // hashed at a time, so that a file need not be in memory whole

typedef struct claim {
    uint64_t bytes, hash; // of what follows the seal
} claim;

static uint64_t hash_content(const char *data, size_t bytes)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < bytes; at += STRIDE) {
        hash = dr_hash_bytes(data + at, bytes - at < STRIDE ? bytes - at : STRIDE, hash);
    }
    return hash;
}

// The text, then newlines to the end: any other byte is damage.
static void write_seal(char seal[DR_SEAL_BYTES], const char *kind, const claim *claim)
{
    memset(seal, '\n', DR_SEAL_BYTES);
    int length = snprintf(seal, DR_SEAL_BYTES, "drench %s %d\nbytes %" PRIu64 "\nhash %016" PRIx64 "\n", kind, FORMAT,
                          claim->bytes, claim->hash);
    seal[length] = '\n';
}

void dr_seal_make(char seal[DR_SEAL_BYTES], const char *kind, const dr_piece *content)
{
    claim made = {content->bytes, hash_content(content->data, content->bytes)};
    write_seal(seal, kind, &made);
}

// ---- checking

static void hint(dr_error *error)
{
    dr_error_hint(error, "if it was copied here, copy it again; what drench wrote was whole");
}

static dr_status damaged(const char *path, const char *what, dr_error *error)
{
    dr_status status = dr_error_add(error, DR_STATUS_IO, "%s: is damaged: %s", path, what);
    hint(error);
    return status;
}

static dr_status refuse_kind(const char *path, const char *kind, const char *found, int format, dr_error *error)
{
    if (strcmp(found, kind) != 0)
        return dr_error_add(error, DR_STATUS_IO, "%s: is a %s under the name of a %s", path, found, kind);
    return dr_error_add(error, DR_STATUS_IO, "%s: is in format %d; this drench knows %d", path, format, FORMAT);
}

static dr_status parse_seal(const char *text, const char *path, const char *kind, claim *claim, dr_error *error)
{
    char found[16] = "", again[DR_SEAL_BYTES];
    int format = 0;
    int got = sscanf(text, "drench %15[a-z] %d\nbytes %" SCNu64 "\nhash %" SCNx64, found, &format, &claim->bytes,
                     &claim->hash);
    if (got >= 2 && (strcmp(found, kind) != 0 || format != FORMAT))
        return refuse_kind(path, kind, found, format, error);
    if (got == 4) write_seal(again, kind, claim);
    if (got == 4 && memcmp(text, again, DR_SEAL_BYTES) == 0) return DR_STATUS_OK;
    return damaged(path, "it does not begin as drench's files do", error);
}

static bool is_plain(const char *text)
{
    return memcmp(text, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static dr_status read_seal(FILE *file, const char *path, const char *kind, claim *claim, bool *sealed, dr_error *error)
{
    char text[DR_SEAL_BYTES + 1] = {0};
    size_t got = fread(text, 1, DR_SEAL_BYTES, file);
    if (ferror(file)) return dr_error_system(error, path, "cannot be read");
    *sealed = !is_plain(text);
    if (!*sealed) return DR_STATUS_OK;
    if (got < DR_SEAL_BYTES) return damaged(path, "it ends within its first lines", error);
    return parse_seal(text, path, kind, claim, error);
}

static dr_status compare_length(FILE *file, const char *path, const claim *claim, dr_error *error)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0) return dr_error_system(error, path, "cannot be read");
    uint64_t bytes = info.st_size > DR_SEAL_BYTES ? (uint64_t)info.st_size - DR_SEAL_BYTES : 0;
    if (bytes == claim->bytes) return DR_STATUS_OK;
    dr_error_add(error, DR_STATUS_IO, "%s: is damaged: it has %" PRIu64 " bytes of %" PRIu64, path, bytes,
                 claim->bytes);
    hint(error);
    return DR_STATUS_IO;
}

static dr_status compare_hash(FILE *file, const char *path, const claim *claim, char *buffer, dr_error *error)
{
    uint64_t hash = 0;
    for (size_t got; (got = fread(buffer, 1, STRIDE, file)) > 0;) hash = dr_hash_bytes(buffer, got, hash);
    if (ferror(file)) return dr_error_system(error, path, "cannot be read");
    return hash == claim->hash ? DR_STATUS_OK : damaged(path, "its checksum does not fit", error);
}

static dr_status check_content(FILE *file, const char *path, const claim *claim, const dr_allocator *allocator,
                               dr_error *error)
{
    char *buffer = dr_memory_resize(allocator, NULL, 0, STRIDE);
    if (!buffer) return dr_error_memory(error, "checking a file");
    dr_status status = compare_hash(file, path, claim, buffer, error);
    dr_memory_free(allocator, buffer, STRIDE);
    return status;
}

static dr_status glance(FILE *file, const char *path, const char *kind, claim *claim, bool *sealed, dr_error *error)
{
    dr_status status = read_seal(file, path, kind, claim, sealed, error);
    if (!status && *sealed) status = compare_length(file, path, claim, error);
    return status;
}

dr_status dr_seal_check(const char *path, const char *kind, const dr_allocator *allocator, bool *sealed,
                        dr_error *error)
{
    claim claim = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return dr_error_system(error, path, "cannot be read");
    dr_status status = glance(file, path, kind, &claim, sealed, error);
    if (!status && *sealed) status = check_content(file, path, &claim, allocator, error);
    fclose(file);
    return status;
}

dr_status dr_seal_glance(const char *path, const char *kind, bool *sealed, dr_error *error)
{
    claim claim = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return dr_error_system(error, path, "cannot be read");
    dr_status status = glance(file, path, kind, &claim, sealed, error);
    fclose(file);
    return status;
}
