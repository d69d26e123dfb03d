// The files of the page, built from viewer/ and carried inside the library (cmake/embed.cmake writes them).
#ifndef DR_LOOK_VIEW_PAGE_H
#define DR_LOOK_VIEW_PAGE_H

#include <stddef.h>

typedef struct dr_view_file {
    const char *path; // "/viewer.js"
    const unsigned char *data;
    size_t bytes;
} dr_view_file;

extern const dr_view_file dr_view_page[]; // ends with a row without a path

#endif
