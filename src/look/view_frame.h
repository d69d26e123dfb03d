// A frame as the viewer's page takes it: "DRF1", the header's length (32 bits), the header as JSON, then arrays of
// 32-bit floats and indices, little-endian, one after the other. docs/view.md describes the header.
#ifndef DR_LOOK_VIEW_FRAME_H
#define DR_LOOK_VIEW_FRAME_H

#include "base/error.h"
#include "drench/frame.h"

#include "look/view_ages.h"

typedef struct dr_view_frame {
    const dr_allocator *allocator;
    char *head; // with the four letters and the length
    size_t head_bytes, head_room;
    float *data;
    size_t count, capacity; // numbers
} dr_view_frame;

// want: "part:field" separated by commas, the parts to send, each with the field that colours it (none after the colon:
// only its places). NULL: every part with the field one would look at first. ages may be NULL.
dr_status dr_view_frame_make(const dr_frame *frame, const char *want, const dr_view_ages *ages,
                             const dr_allocator *allocator, dr_view_frame *made, dr_error *error);
// Whether such a list names a part.
bool dr_view_frame_wants(const char *want, const char *part);

void dr_view_frame_free(dr_view_frame *made);

#endif
