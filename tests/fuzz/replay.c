// Runs a fuzz target over every file of the folders given, without a fuzzer: each input kept from a finding stays
// fixed. Where a folder is missing, an empty input and a short one still go through.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    uint8_t *data = NULL;
    size_t size = 0, room = 0;
    for (size_t got = 1; got > 0; size += got) {
        if (room - size < 4096) data = realloc(data, room = 2 * room + 8192);
        if (!data) exit(1);
        got = fread(data + size, 1, room - size, file);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay_folder(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    if (!list) return 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path) count += replay_file(path);
    }
    closedir(list);
    return count;
}

int main(int argument_count, char **arguments)
{
    static const uint8_t few[] = "v 0 0 0\n";
    int count = 0;
    LLVMFuzzerTestOneInput(few, 0);
    LLVMFuzzerTestOneInput(few, sizeof few - 1);
    for (int i = 1; i < argument_count; i++) count += replay_folder(arguments[i]);
    printf("%d kept inputs\n", count);
    return 0;
}
