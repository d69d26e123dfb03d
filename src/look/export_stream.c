// What several frames share in one file: a point cache, a USD layer, a list of times. Each part, or each attribute of a
// part, is a stream that frames are added to in their order; at the end the streams become files.
#include "look/export_job.h"

#include "base/hash.h"

#include <stdio.h>

static dr_export_stream *find_stream(dr_export_job *job, const dr_export_chunk *chunk)
{
    for (size_t i = 0; i < job->stream_count; i++) {
        dr_export_stream *stream = &job->streams[i];
        if (strcmp(stream->part, chunk->part) == 0 && strcmp(stream->declaration, chunk->declaration) == 0)
            return stream;
    }
    return NULL;
}

static dr_status open_stream(dr_export_job *job, const dr_export_chunk *chunk, dr_export_stream **stream)
{
    void *streams = job->streams;
    bool good =
        dr_memory_reserve(job->allocator, &streams, &job->stream_capacity, job->stream_count + 1, sizeof *job->streams);
    job->streams = streams;
    if (!good) return dr_error_memory(job->error, "exporting frames");
    *stream = &job->streams[job->stream_count];
    memset(*stream, 0, sizeof **stream);
    memcpy((*stream)->part, chunk->part, DR_EXPORT_NAME);
    memcpy((*stream)->declaration, chunk->declaration, DR_EXPORT_NAME);
    memcpy((*stream)->metadata, chunk->metadata, sizeof chunk->metadata);
    (*stream)->kind = chunk->kind;
    (*stream)->points = chunk->points;
    (*stream)->identity = chunk->identity;
    (*stream)->mesh_bytes = chunk->mesh_bytes;
    dr_status status = dr_spool_open(&(*stream)->spool, job->options->output, job->error);
    if (!status) job->stream_count++;
    return status;
}

// A point cache wants the same points in every frame. Parts that were not named are left out where they have not.
static dr_status drop_stream(dr_export_job *job, dr_export_stream *stream, const char *why)
{
    stream->dropped = true;
    if (job->options->parts) {
        dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "part \"%s\" %s: it does not fit into a point cache",
                     stream->part, why);
        dr_error_hint(job->error, "formats without this limit are ply, vtk and usda");
        return DR_STATUS_BAD_ARGUMENT;
    }
    char text[DR_EXPORT_NAME + 200];
    snprintf(text, sizeof text, "part \"%s\" is left out: it %s", stream->part, why);
    if (job->options->notice) job->options->notice(job->options->user, text);
    return DR_STATUS_OK;
}

static dr_status check_sample(dr_export_job *job, dr_export_stream *stream, const dr_export_chunk *chunk, size_t frame)
{
    char why[160];
    if (stream->samples == frame && stream->points == chunk->points && stream->identity == chunk->identity)
        return DR_STATUS_OK;
    int64_t number, sample;
    dr_result_frame_label(job->result, job->frames[frame], &number, &sample);
    if (stream->samples != frame)
        snprintf(why, sizeof why, "is not in every frame before %lld", (long long)number);
    else if (stream->points != chunk->points)
        snprintf(why, sizeof why, "has %zu points in the first frame and %zu in frame %lld", stream->points,
                 chunk->points, (long long)number);
    else
        snprintf(why, sizeof why, "has other points in frame %lld than in the first", (long long)number);
    return drop_stream(job, stream, why);
}

static dr_status add_sample(dr_export_job *job, dr_export_stream *stream, const dr_export_chunk *chunk,
                            const dr_export_slot *slot)
{
    char code[DR_NUMBER_ROOM], before[DR_NUMBER_ROOM + 20];
    uint64_t hash = dr_hash_bytes(dr_text_show(&chunk->text), chunk->text.length, 7);
    if (chunk->held && stream->samples && hash == stream->last_hash) return DR_STATUS_OK;
    stream->last_hash = hash;
    dr_number_print(code, slot->code);
    int length = snprintf(before, sizeof before, "            %s: ", code);
    dr_status status = dr_spool_add(&stream->spool, before, (size_t)length, job->error);
    if (stream->samples == 0) {
        stream->first_at = stream->spool.bytes;
        stream->first_length = chunk->text.length;
    }
    if (!status) status = dr_spool_add(&stream->spool, chunk->text.data, chunk->text.length, job->error);
    return status ? status : dr_spool_add(&stream->spool, ",\n", 2, job->error);
}

dr_status dr_export_append(dr_export_job *job, const dr_export_slot *slot, size_t frame)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; i < slot->count && !status; i++) {
        const dr_export_chunk *chunk = &slot->chunks[i];
        dr_export_stream *stream = find_stream(job, chunk);
        if (chunk->text.failed) return dr_error_memory(job->error, "exporting a frame");
        if (!stream) status = open_stream(job, chunk, &stream);
        if (status || stream->dropped) continue;
        if (job->format->family == DR_EXPORT_POINT_CACHES) status = check_sample(job, stream, chunk, frame);
        if (status || stream->dropped) continue;
        if (job->format->family != DR_EXPORT_POINT_CACHES && stream->points < chunk->points)
            stream->points = chunk->points;
        if (job->format->family == DR_EXPORT_LAYER)
            status = add_sample(job, stream, chunk, slot);
        else
            status = dr_spool_add(&stream->spool, dr_text_show(&chunk->text), chunk->text.length, job->error);
        stream->samples++;
    }
    job->times[frame] = slot->time;
    if (frame == 0) job->first_code = slot->code;
    job->last_code = slot->code;
    return status;
}

// ---- files of several frames

static dr_status write_pieces(dr_export_job *job, const char *name, const dr_piece *pieces, int count)
{
    dr_status status = dr_folder_write(job->options->output, name, NULL, pieces, count, job->error);
    if (status) return status;
    for (int i = 0; i < count; i++) job->summary.bytes += pieces[i].bytes;
    job->summary.files++;
    return status;
}

// The mesh of a point cache that came to nothing goes with it.
static dr_status remove_mesh(dr_export_job *job, const dr_export_stream *stream)
{
    char name[DR_EXPORT_NAME];
    if (stream->mesh_bytes == 0) return DR_STATUS_OK; // it was not in the first frame
    snprintf(name, DR_EXPORT_NAME, "%.200s.obj", stream->part);
    job->summary.files--;
    job->summary.bytes -= stream->mesh_bytes;
    return dr_folder_remove(job->options->output, name, job->error);
}

static dr_status write_empty(dr_export_job *job)
{
    static const dr_frame_array position = {"position", "cm", DR_TYPE_FLOAT32, 3, 0, NULL};
    static const dr_frame_part part = {.name = "empty", .array_count = 1, .arrays = &position};
    dr_text text;
    dr_text_open(&text, job->allocator);
    dr_write_vtu(&text, &part, 0.0);
    dr_piece piece = {dr_text_show(&text), text.length};
    dr_status status =
        text.failed ? dr_error_memory(job->error, "exporting frames") : write_pieces(job, DR_EXPORT_EMPTY, &piece, 1);
    dr_text_close(&text);
    return status;
}

static bool names_empty(const dr_piece *rows)
{
    static const char name[] = "\"" DR_EXPORT_EMPTY "\"";
    const char *at = rows->data, *end = at + rows->bytes;
    for (size_t length = sizeof name - 1; at + length <= end; at++)
        if (memcmp(at, name, length) == 0) return true;
    return false;
}

static dr_status write_collection(dr_export_job *job, dr_export_stream *stream)
{
    char name[DR_EXPORT_NAME];
    dr_piece pieces[3] = {{DR_WRITE_PVD_BEGIN, sizeof DR_WRITE_PVD_BEGIN - 1},
                          {NULL, 0},
                          {DR_WRITE_PVD_END, sizeof DR_WRITE_PVD_END - 1}};
    if (stream->points == 0) return DR_STATUS_OK;
    snprintf(name, DR_EXPORT_NAME, "%.200s.pvd", stream->part);
    dr_status status = dr_spool_piece(&stream->spool, &pieces[1], job->error);
    if (!status && !job->wrote_empty && names_empty(&pieces[1])) {
        status = write_empty(job);
        job->wrote_empty = true;
    }
    return status ? status : write_pieces(job, name, pieces, 3);
}

static double frame_step(const dr_export_job *job)
{
    if (job->options->samples && job->samples > 1) return 1.0 / (double)job->samples;
    return (double)job->options->step;
}

static dr_status write_cache(dr_export_job *job, dr_export_stream *stream)
{
    char name[DR_EXPORT_NAME];
    dr_text header;
    dr_piece pieces[2];
    if (!stream->dropped && stream->samples != job->frame_count) {
        dr_status status = drop_stream(job, stream, "is not in every frame");
        if (status) return status;
    }
    if (stream->dropped) return remove_mesh(job, stream);
    dr_text_open(&header, job->allocator);
    if (job->kind == DR_EXPORT_PC2)
        dr_write_pc2_header(&header, stream->points, job->first_code, frame_step(job), stream->samples);
    else
        dr_write_mdd_header(&header, stream->points, job->times, stream->samples);
    snprintf(name, DR_EXPORT_NAME, "%.200s.%s", stream->part, job->format->ending);
    dr_status status = header.failed ? dr_error_memory(job->error, "exporting frames")
                                     : dr_spool_piece(&stream->spool, &pieces[1], job->error);
    pieces[0] = (dr_piece){dr_text_show(&header), header.length};
    if (!status) status = write_pieces(job, name, pieces, 2);
    dr_text_close(&header);
    return status;
}

// ---- a USD layer

typedef struct layer {
    dr_text text;     // all that stands between the values
    dr_piece *pieces; // in the order of the file
    size_t *text_at;  // where a piece of the text begins, SIZE_MAX for one of a spool
    int count;
} layer;

static void add_piece(layer *layer, const void *data, size_t bytes)
{
    layer->text_at[layer->count] = SIZE_MAX;
    layer->pieces[layer->count++] = (dr_piece){data, bytes};
}

// The text since the last piece of it.
static void add_text(layer *layer, size_t *begin)
{
    layer->text_at[layer->count] = *begin;
    layer->pieces[layer->count++] = (dr_piece){NULL, layer->text.length - *begin};
    *begin = layer->text.length;
}

static dr_status lay_attribute(dr_export_job *job, layer *layer, dr_export_stream *stream, size_t *begin)
{
    dr_piece all;
    dr_status status = dr_spool_piece(&stream->spool, &all, job->error);
    if (status) return status;
    dr_text_print(&layer->text, "        %s = ", stream->declaration);
    add_text(layer, begin);
    add_piece(layer, (const char *)all.data + stream->first_at, stream->first_length);
    if (stream->metadata[0]) dr_text_print(&layer->text, " (\n            %s\n        )", stream->metadata);
    dr_text_put(&layer->text, "\n");
    if (job->frame_count == 1) return DR_STATUS_OK;
    dr_text_print(&layer->text, "        %s.timeSamples = {\n", stream->declaration);
    add_text(layer, begin);
    add_piece(layer, all.data, all.bytes);
    dr_text_put(&layer->text, "        }\n");
    return DR_STATUS_OK;
}

// Streams of a part lie together, wherever they began.
static dr_status lay_parts(dr_export_job *job, layer *layer, size_t *begin)
{
    dr_status status = DR_STATUS_OK;
    for (size_t i = 0; i < job->stream_count && !status; i++) {
        const char *part = job->streams[i].part;
        bool known = false;
        for (size_t k = 0; k < i; k++) known |= strcmp(job->streams[k].part, part) == 0;
        if (known || job->streams[i].points == 0) continue;
        dr_write_usda_begin_part(&layer->text, part, job->streams[i].kind);
        for (size_t k = i; k < job->stream_count && !status; k++)
            if (strcmp(job->streams[k].part, part) == 0) status = lay_attribute(job, layer, &job->streams[k], begin);
        dr_write_usda_end_part(&layer->text);
    }
    return status;
}

static dr_status compose_layer(dr_export_job *job, layer *layer)
{
    dr_usda_times times = {job->first_code, job->last_code, job->rate};
    size_t begin = 0;
    dr_write_usda_begin(&layer->text, &job->wish.space, &times);
    dr_status status = lay_parts(job, layer, &begin);
    dr_write_usda_end(&layer->text);
    add_text(layer, &begin);
    if (!status && layer->text.failed) status = dr_error_memory(job->error, "exporting frames");
    for (int i = 0; i < layer->count && !status; i++)
        if (layer->text_at[i] != SIZE_MAX) layer->pieces[i].data = layer->text.data + layer->text_at[i];
    return status ? status : write_pieces(job, "drench.usda", layer->pieces, layer->count);
}

static dr_status write_layer(dr_export_job *job)
{
    size_t room = 4 * job->stream_count + 1;
    layer layer = {.pieces = dr_memory_alloc(job->allocator, room * sizeof *layer.pieces),
                   .text_at = dr_memory_alloc(job->allocator, room * sizeof *layer.text_at)};
    dr_text_open(&layer.text, job->allocator);
    dr_status status =
        layer.pieces && layer.text_at ? compose_layer(job, &layer) : dr_error_memory(job->error, "exporting frames");
    dr_text_close(&layer.text);
    dr_memory_free(job->allocator, layer.pieces, room * sizeof *layer.pieces);
    dr_memory_free(job->allocator, layer.text_at, room * sizeof *layer.text_at);
    return status;
}

// Point caches that hold nothing are no result.
static dr_status check_caches(const dr_export_job *job)
{
    for (size_t i = 0; i < job->stream_count; i++)
        if (!job->streams[i].dropped) return DR_STATUS_OK;
    dr_error_add(job->error, DR_STATUS_BAD_ARGUMENT, "no part has the same points in every frame");
    dr_error_hint(job->error, "formats without this limit are ply, vtk and usda");
    return DR_STATUS_BAD_ARGUMENT;
}

dr_status dr_export_finish(dr_export_job *job)
{
    dr_status status = DR_STATUS_OK;
    if (job->format->family == DR_EXPORT_LAYER) return write_layer(job);
    for (size_t i = 0; i < job->stream_count && !status; i++)
        status =
            job->kind == DR_EXPORT_VTK ? write_collection(job, &job->streams[i]) : write_cache(job, &job->streams[i]);
    if (!status && job->format->family == DR_EXPORT_POINT_CACHES) status = check_caches(job);
    return status;
}
