// One frame as files, and as what it adds to files of several frames.
#include "look/export_job.h"

#include "base/hash.h"
#include "io/vdb_write.h"
#include "look/surface_field.h"

#include <inttypes.h>
#include <stdio.h>

static void print_name(char name[DR_EXPORT_NAME], const char *part, const dr_export_slot *slot, const char *ending)
{
    if (slot->sample)
        snprintf(name, DR_EXPORT_NAME, "%.200s_%06" PRId64 "_s%" PRId64 ".%s", part, slot->number, slot->sample,
                 ending);
    else
        snprintf(name, DR_EXPORT_NAME, "%.200s_%06" PRId64 ".%s", part, slot->number, ending);
}

static dr_status write_text(const dr_export_job *job, dr_export_slot *slot, const char *name, const dr_text *text)
{
    dr_piece piece = {dr_text_show(text), text->length};
    if (text->failed) return dr_error_memory(&slot->error, "exporting a frame");
    dr_status status = dr_folder_write(job->options->output, name, NULL, &piece, 1, &slot->error);
    if (status) return status;
    slot->files++;
    slot->bytes += piece.bytes;
    return status;
}

// A place for what the frame adds to a stream; NULL where memory is out.
static dr_export_chunk *add_chunk(const dr_export_job *job, dr_export_slot *slot, const dr_frame_part *part)
{
    void *chunks = slot->chunks;
    bool good = dr_memory_reserve(job->allocator, &chunks, &slot->capacity, slot->count + 1, sizeof *slot->chunks);
    slot->chunks = chunks;
    if (!good) {
        if (!slot->status) slot->status = dr_error_memory(&slot->error, "exporting a frame");
        return NULL;
    }
    dr_export_chunk *chunk = &slot->chunks[slot->count++];
    memset(chunk, 0, sizeof *chunk);
    snprintf(chunk->part, DR_EXPORT_NAME, "%.200s", part->name);
    chunk->kind = part->kind;
    chunk->points = part->point_count;
    dr_text_open(&chunk->text, job->allocator);
    return chunk;
}

static dr_status write_part_file(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame,
                                 const dr_frame_part *part)
{
    char name[DR_EXPORT_NAME];
    dr_text text;
    dr_text_open(&text, job->allocator);
    print_name(name, part->name, slot, job->format->ending);
    if (job->kind == DR_EXPORT_PLY) dr_write_ply(&text, part, &job->wish.space);
    if (job->kind == DR_EXPORT_OBJ) dr_write_obj(&text, part, &job->wish.space);
    if (job->kind == DR_EXPORT_VTK) dr_write_vtu(&text, part, frame->time);
    dr_status status = write_text(job, slot, name, &text);
    dr_text_close(&text);
    return status;
}

// A file of the part, and a row of its list of times. Parts without points share one empty file.
static dr_status write_vtk(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame,
                           const dr_frame_part *part)
{
    char name[DR_EXPORT_NAME];
    dr_status status = part->point_count ? write_part_file(job, slot, frame, part) : DR_STATUS_OK;
    dr_export_chunk *row = status ? NULL : add_chunk(job, slot, part);
    if (!row) return status ? status : slot->status;
    print_name(name, part->name, slot, job->format->ending);
    dr_write_pvd_row(&row->text, frame->time, part->point_count ? name : DR_EXPORT_EMPTY);
    return DR_STATUS_OK;
}

static dr_status write_gltf(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame)
{
    char name[DR_EXPORT_NAME];
    dr_text text;
    dr_text_open(&text, job->allocator);
    print_name(name, "frame", slot, job->format->ending);
    dr_write_glb(&text, frame);
    dr_status status = text.length > UINT32_MAX
                           ? dr_error_add(&slot->error, DR_STATUS_BAD_ARGUMENT, "%s: glTF holds 4 GiB at most", name)
                           : write_text(job, slot, name, &text);
    dr_text_close(&text);
    return status;
}

static dr_status write_field(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame,
                             const dr_surface_field *field, dr_vdb_leaf *leaves)
{
    char name[DR_EXPORT_NAME];
    dr_text text;
    dr_text_open(&text, job->allocator);
    for (size_t i = 0; i < field->leaf_count; i++)
        leaves[i] =
            (dr_vdb_leaf){field->leaf[i].origin, field->leaf[i].distance, (const float(*)[3])field->leaf[i].velocity};
    dr_vdb_level_set set = {.cell = (double)field->cell,
                            .band = (double)field->band,
                            .scale = 0.01 / job->wish.space.meters,
                            .z_up = job->wish.space.z_up,
                            .time = frame->time,
                            .leaf_count = field->leaf_count,
                            .leaves = leaves};
    print_name(name, "surface", slot, job->format->ending);
    dr_write_vdb(&text, &set);
    dr_status status = write_text(job, slot, name, &text);
    dr_text_close(&text);
    return status;
}

static dr_status write_vdb(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame)
{
    dr_surface_field field;
    if (!dr_export_has_liquid(frame, job->wish.surface.films)) return dr_export_refuse_surface(frame, &slot->error);
    dr_status status =
        dr_surface_field_build(frame, &job->wish.surface, &job->inner, job->allocator, &field, &slot->error);
    if (status) return status;
    size_t bytes = (field.leaf_count + 1) * sizeof(dr_vdb_leaf);
    dr_vdb_leaf *leaves = dr_memory_alloc(job->allocator, bytes);
    status =
        leaves ? write_field(job, slot, frame, &field, leaves) : dr_error_memory(&slot->error, "exporting a frame");
    dr_memory_free(job->allocator, leaves, bytes);
    dr_surface_field_free(&field);
    return status;
}

static uint64_t identify_points(const dr_frame_part *part)
{
    const dr_frame_array *ids = dr_frame_find(part, "id");
    if (!ids || part->kind != DR_FRAME_POINTS) return 0;
    return dr_hash_bytes(ids->data, ids->count * (size_t)ids->components * dr_type_bytes(ids->type), 1);
}

static dr_status add_cache_sample(const dr_export_job *job, dr_export_slot *slot, const dr_frame_part *part, bool first)
{
    dr_export_chunk *sample = add_chunk(job, slot, part);
    if (!sample) return slot->status;
    sample->identity = identify_points(part);
    if (job->kind == DR_EXPORT_PC2)
        dr_write_pc2_sample(&sample->text, part);
    else
        dr_write_mdd_sample(&sample->text, part);
    if (!first) return DR_STATUS_OK;
    char name[DR_EXPORT_NAME];
    dr_text text;
    dr_text_open(&text, job->allocator);
    dr_write_obj(&text, part, &job->wish.space);
    snprintf(name, DR_EXPORT_NAME, "%.200s.obj", part->name);
    sample->mesh_bytes = text.length;
    dr_status status = write_text(job, slot, name, &text);
    dr_text_close(&text);
    return status;
}

typedef struct layering {
    const dr_export_job *job;
    dr_export_slot *slot;
    const dr_frame_part *part;
} layering;

static void add_value(void *user, dr_usda_value *value)
{
    layering *layering = user;
    dr_export_chunk *chunk = add_chunk(layering->job, layering->slot, layering->part);
    if (!chunk) {
        dr_text_close(&value->text);
        return;
    }
    snprintf(chunk->declaration, DR_EXPORT_NAME, "%s", value->declaration);
    snprintf(chunk->metadata, sizeof chunk->metadata, "%s", value->metadata);
    chunk->held = value->held;
    chunk->text = value->text;
}

static dr_status encode_part(const dr_export_job *job, dr_export_slot *slot, const dr_frame *frame,
                             const dr_frame_part *part)
{
    layering layering = {job, slot, part};
    switch (job->format->family) {
    case DR_EXPORT_FILES_OF_PARTS:
        return (job->kind == DR_EXPORT_VTK ? write_vtk : write_part_file)(job, slot, frame, part);
    case DR_EXPORT_POINT_CACHES:
        return add_cache_sample(job, slot, part, slot->index == job->frames[0]);
    case DR_EXPORT_LAYER:
        dr_write_usda_part(part, job->allocator, add_value, &layering);
        return slot->status;
    case DR_EXPORT_FILES_OF_FRAMES:
        break;
    }
    return DR_STATUS_OK;
}

static dr_status encode_parts(const dr_export_job *job, dr_export_slot *slot, const dr_frame *source)
{
    dr_export_frame ready;
    dr_status status = dr_export_frame_open(&ready, source, &job->wish, &job->inner, job->allocator, &slot->error);
    ready.frame.number = (int)slot->number;
    if (!status && job->kind == DR_EXPORT_GLTF) status = write_gltf(job, slot, &ready.frame);
    for (int i = 0; i < ready.frame.part_count && !status; i++)
        status = encode_part(job, slot, &ready.frame, &ready.frame.parts[i]);
    dr_export_frame_close(&ready);
    return status;
}

dr_status dr_export_encode(const dr_export_job *job, dr_export_slot *slot, const dr_frame *source)
{
    slot->time = source->time;
    slot->code = (double)slot->number + (double)slot->sample / (double)(job->samples > 0 ? job->samples : 1);
    return job->kind == DR_EXPORT_VDB ? write_vdb(job, slot, source) : encode_parts(job, slot, source);
}
