// The parts of an export: formats, the job, what frames add to files that several of them share.
#ifndef DR_LOOK_EXPORT_H
#define DR_LOOK_EXPORT_H

#include "drench/export.h"
#include "io/folder.h"
#include "io/spool.h"
#include "look/export_frame.h"

#define DR_EXPORT_NAME  256
#define DR_EXPORT_EMPTY "empty.vtu" // stands for every part without points

typedef enum dr_export_family {
    DR_EXPORT_FILES_OF_PARTS,
    DR_EXPORT_FILES_OF_FRAMES,
    DR_EXPORT_POINT_CACHES,
    DR_EXPORT_LAYER
} dr_export_family;

typedef enum dr_export_kind {
    DR_EXPORT_PLY,
    DR_EXPORT_OBJ,
    DR_EXPORT_VTK,
    DR_EXPORT_PC2,
    DR_EXPORT_MDD,
    DR_EXPORT_VDB,
    DR_EXPORT_USDA,
    DR_EXPORT_GLTF,
    DR_EXPORT_FORMATS
} dr_export_kind;

typedef struct dr_export_format {
    const char *name, *ending, *text;
    dr_export_family family;
    const char *unit; // it likes best
    bool fixed;       // it knows no other unit and has y up
} dr_export_format;

// What a program that files are meant for expects.
typedef struct dr_export_program {
    const char *name, *text;
    const char *format; // where none is asked for
    const char *unit;
    unsigned z_up; // bits of the formats that it takes as they are, with its own axis up
} dr_export_program;

// What one frame adds to a stream.
typedef struct dr_export_chunk {
    char part[DR_EXPORT_NAME], declaration[DR_EXPORT_NAME], metadata[64];
    dr_frame_kind kind;
    bool held;
    size_t points;
    uint64_t identity; // of the points, where they have ids
    size_t mesh_bytes; // of the OBJ that goes with a point cache, where this frame wrote it
    dr_text text;
} dr_export_chunk;

typedef struct dr_export_slot {
    size_t index;           // of the frame in the result
    int64_t number, sample; // of the frame, by the name of its file
    double time, code;      // seconds, and frames as the artist counts
    dr_status status;
    dr_error error;
    dr_export_chunk *chunks;
    size_t count, capacity;
    int64_t files;
    uint64_t bytes;
} dr_export_slot;

typedef struct dr_export_stream {
    char part[DR_EXPORT_NAME], declaration[DR_EXPORT_NAME], metadata[64];
    dr_frame_kind kind;
    size_t points; // of the first frame of a point cache, the most there were elsewhere
    uint64_t identity, last_hash;
    size_t samples;                // in it
    size_t mesh_bytes;             // of the OBJ that goes with a point cache
    size_t first_at, first_length; // of the first value, in the spool
    dr_spool spool;
    bool dropped;
} dr_export_stream;

typedef struct dr_export_job {
    const dr_export_options *options;
    const dr_export_program *program; // NULL: none in particular
    const dr_export_format *format;
    dr_export_kind kind;
    dr_export_wish wish;
    dr_result *result;
    const dr_allocator *outer, *allocator; // the caller's, and the same for several threads at once
    dr_allocator shared;
    dr_par_lock lock;  // held by who reads, tells progress or uses the caller's allocator
    dr_par par, inner; // over frames, and within one
    double rate;       // frames per second
    int64_t samples;   // per frame
    size_t *frames;    // indices of the result
    size_t frame_count;
    dr_export_slot *slots;
    size_t slot_count;
    double *times;
    dr_export_stream *streams;
    size_t stream_count, stream_capacity;
    bool wrote_empty; // the file that stands for parts without points
    double start, first_code, last_code;
    dr_export_progress progress;
    dr_export_summary summary;
    dr_error *error;
} dr_export_job;

// Makes the frame's files and what it adds to streams, in any thread.
dr_status dr_export_encode(const dr_export_job *job, dr_export_slot *slot, const dr_frame *source);

// Takes a frame's chunks into the streams, in the order of the frames.
dr_status dr_export_append(dr_export_job *job, const dr_export_slot *slot, size_t frame);

// Writes the files that several frames share.
dr_status dr_export_finish(dr_export_job *job);

#endif
