// A frame made ready for the writers: the parts that were asked for, the surface among them, in the units and axes of
// the files.
#ifndef DR_LOOK_EXPORT_FRAME_H
#define DR_LOOK_EXPORT_FRAME_H

#include "base/memory.h"
#include "io/write.h"
#include "look/surface.h"

typedef struct dr_export_wish {
    const char *parts;    // comma-separated; NULL: all there are
    bool empty;           // where all are taken, those without points too
    dr_write_space space; // of the files
    dr_surface_options surface;
    bool sorted; // points by their id, so that a point keeps its place from frame to frame
} dr_export_wish;

typedef struct dr_export_frame {
    dr_frame frame;
    dr_arena arena; // owns all that was made anew
    dr_surface_mesh surface;
} dr_export_frame;

// Whether a surface can be made: there may be liquid, or there is a film on strands or in fabric and films count. What
// to say where there is not.
bool dr_export_has_liquid(const dr_frame *frame, bool films);
dr_status dr_export_refuse_surface(const dr_frame *frame, dr_error *error);

// The source must outlive what comes out; freed by dr_export_frame_close, also after a failure.
dr_status dr_export_frame_open(dr_export_frame *ready, const dr_frame *source, const dr_export_wish *wish,
                               const dr_par *par, const dr_allocator *allocator, dr_error *error);
void dr_export_frame_close(dr_export_frame *ready);

#endif
