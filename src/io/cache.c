#include "io/cache.h"

#include "drench/version.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"

#include <inttypes.h>
#include <stdio.h>

static const char *kind_name(dr_frame_kind kind)
{
    static const char *const names[] = {"points", "curves", "triangles"};
    return names[kind];
}

static dr_status put_root(dr_h5 *file, const dr_frame *frame, const dr_cache_stamp *stamp, dr_error *error)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, stamp->scene_hash);
    dr_status status = dr_h5_put_number(file, "/", "time", frame->time, error);
    if (!status) status = dr_h5_put_integer(file, "/", "step", frame->step, error);
    if (!status) status = dr_h5_put_integer(file, "/", "number", frame->number, error);
    if (!status) status = dr_h5_put_integer(file, "/", "sample", frame->sample, error);
    if (!status) status = dr_h5_put_text(file, "/", "version", dr_version(), error);
    if (!status) status = dr_h5_put_text(file, "/", "scene_hash", hash, error);
    if (!status) status = dr_h5_put_integer(file, "/", "seed", stamp->seed, error);
    return status;
}

static dr_status put_index(dr_h5 *file, const dr_frame_part *part, int compression, dr_error *error)
{
    char path[512];
    bool curves = part->kind == DR_FRAME_CURVES;
    if (part->kind == DR_FRAME_POINTS || !part->index) return DR_STATUS_OK;
    snprintf(path, sizeof path, "%s/index", part->name);
    dr_frame_array index = {"index", NULL, DR_TYPE_UINT32, curves ? 1 : 3, part->element_count + curves, part->index};
    return dr_h5_put_array(file, path, &index, compression, error);
}

static dr_status put_part(dr_h5 *file, const dr_frame_part *part, int compression, dr_error *error)
{
    char path[512];
    dr_status status = dr_h5_put_group(file, part->name, error);
    if (!status) status = dr_h5_put_text(file, part->name, "kind", kind_name(part->kind), error);
    if (!status) status = dr_h5_put_integer(file, part->name, "point_count", (int64_t)part->point_count, error);
    if (!status) status = dr_h5_put_integer(file, part->name, "element_count", (int64_t)part->element_count, error);
    if (!status) status = put_index(file, part, compression, error);
    for (int i = 0; !status && i < part->array_count; i++) {
        snprintf(path, sizeof path, "%s/%s", part->name, part->arrays[i].name);
        status = dr_h5_put_array(file, path, &part->arrays[i], compression, error);
    }
    return status;
}

static dr_status put_file(dr_h5 *file, const char *folder, const dr_frame *frame, const dr_cache_stamp *stamp,
                          dr_error *error)
{
    char frames[DR_FOLDER_PATH], name[DR_RESULT_NAME], seal[DR_SEAL_BYTES];
    dr_status status = put_root(file, frame, stamp, error);
    for (int i = 0; !status && i < frame->part_count; i++) {
        if (frame->parts[i].kind == DR_FRAME_POINTS && !stamp->particles) continue;
        status = put_part(file, &frame->parts[i], stamp->compression, error);
    }
    dr_piece pieces[2] = {{seal, DR_SEAL_BYTES}, {NULL, 0}};
    if (!status) status = dr_h5_image(file, &pieces[1].data, &pieces[1].bytes, error);
    if (status) return status;
    dr_seal_make(seal, "frame", &pieces[1]);
    dr_folder_join(frames, folder, DR_RESULT_FRAMES);
    dr_result_frame_name(name, frame->number, frame->sample);
    return dr_folder_write(frames, name, NULL, pieces, 2, error);
}

dr_status dr_cache_write(const char *folder, const dr_frame *frame, const dr_cache_stamp *stamp,
                         const dr_allocator *allocator, dr_error *error)
{
    dr_h5 *file = NULL;
    dr_status status = dr_h5_create(allocator, &file, error);
    if (!status) status = put_file(file, folder, frame, stamp, error);
    dr_h5_close(file);
    return status;
}
