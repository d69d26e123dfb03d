// A frame whose counts, kinds, indices and arrays are any: what the reader accepts is sound, and the writers of other
// formats and the viewer take it. The file itself is whole and under its seal; HDF5 is not what is tried here.
#define _GNU_SOURCE
#include "base/memory.h"
#include "base/text.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"
#include "io/write.h"
#include "look/view_frame.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct source {
    const uint8_t *data;
    size_t size, at;
} source;

static unsigned take(source *from)
{
    return from->at < from->size ? from->data[from->at++] : 0;
}

// ---- making one

static int64_t take_count(source *from)
{
    static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, UINT32_MAX, (int64_t)UINT32_MAX + 1, 1 << 30};
    unsigned byte = take(from);
    return byte < 250 ? byte % 10 : odd[byte - 250];
}

static void put_array(dr_h5 *file, const char *part, source *from)
{
    static const char *const names[] = {"position", "index", "velocity", "radius", "volume", "id", "body", "normal"};
    static double numbers[16 * 9]; // of which any type takes what it needs
    char path[64];
    dr_frame_array array = {.unit = take(from) % 2 ? "cm" : NULL, .data = numbers};
    snprintf(path, sizeof path, "%s/%s", part, names[take(from) % 8]);
    array.type = (dr_type)(take(from) % 7);
    array.components = (int)(take(from) % 9 + 1);
    array.count = take(from) % 16;
    unsigned char *bytes = (unsigned char *)numbers;
    size_t needed = array.count * (size_t)array.components * dr_type_bytes(array.type);
    for (size_t i = 0; i < needed; i++) bytes[i] = (unsigned char)take(from);
    dr_h5_put_array(file, path, &array, (int)(take(from) % 3), NULL);
}

static void put_part(dr_h5 *file, source *from)
{
    static const char *const names[] = {"liquid", "strands", "cloth", "colliders", "a b<\"&"};
    static const char *const kinds[] = {"points", "curves", "triangles", "knots"};
    const char *name = names[take(from) % 5];
    if (dr_h5_put_group(file, name, NULL)) return; // there is one already
    unsigned kind = take(from);
    if (kind != 255) dr_h5_put_text(file, name, "kind", kinds[kind % 4], NULL);
    dr_h5_put_integer(file, name, "point_count", take_count(from), NULL);
    dr_h5_put_integer(file, name, "element_count", take_count(from), NULL);
    for (unsigned arrays = take(from) % 6; arrays > 0; arrays--) put_array(file, name, from);
}

static dr_status put_frame(const char *frames, source *from)
{
    dr_h5 *file = NULL;
    char seal[DR_SEAL_BYTES];
    dr_piece pieces[2] = {{seal, DR_SEAL_BYTES}, {NULL, 0}};
    if (dr_h5_create(NULL, &file, NULL)) return DR_STATUS_UNSUPPORTED;
    dr_h5_put_number(file, "/", "time", take(from) == 255 ? NAN : 0.5, NULL);
    dr_h5_put_integer(file, "/", "step", take(from), NULL);
    dr_h5_put_integer(file, "/", "number", 1, NULL);
    dr_h5_put_integer(file, "/", "sample", 0, NULL);
    for (unsigned parts = take(from) % 4; parts > 0; parts--) put_part(file, from);
    dr_status status = dr_h5_image(file, &pieces[1].data, &pieces[1].bytes, NULL);
    if (!status) dr_seal_make(seal, "frame", &pieces[1]);
    if (!status) status = dr_folder_write(frames, "frame_000001.h5", NULL, pieces, 2, NULL);
    dr_h5_close(file);
    return status;
}

// ---- looking at what was read

static void check_index(const dr_frame_part *part)
{
    if (part->kind == DR_FRAME_POINTS || !part->index) return;
    bool curves = part->kind == DR_FRAME_CURVES;
    for (size_t i = 0; curves && i < part->element_count; i++) assert(part->index[i] <= part->index[i + 1]);
    if (curves) assert(part->index[part->element_count] == part->point_count);
    for (size_t i = 0; !curves && i < 3 * part->element_count; i++) assert(part->index[i] < part->point_count);
}

static void check_part(const dr_frame_part *part)
{
    const dr_frame_array *place = dr_frame_find(part, "position");
    assert(place && place->components == 3 && place->count == part->point_count);
    assert(part->index || part->kind == DR_FRAME_POINTS || part->element_count == 0);
    check_index(part);
    for (int i = 0; i < part->array_count; i++) {
        const dr_frame_array *array = &part->arrays[i];
        assert(array->count == part->point_count || array->count == part->element_count);
        for (size_t k = 0; k < array->count * (size_t)array->components; k++) (void)dr_write_value(array, k);
    }
}

static void drop_value(void *user, dr_usda_value *value)
{
    (void)user;
    dr_text_close(&value->text);
}

static void write_part(const dr_frame_part *part)
{
    static const dr_write_space space = {"cm", 0.01, false};
    dr_text text;
    dr_text_open(&text, NULL);
    dr_write_ply(&text, part, &space);
    dr_text_clear(&text);
    dr_write_obj(&text, part, &space);
    dr_text_clear(&text);
    dr_write_vtu(&text, part, 0.5);
    dr_text_clear(&text);
    dr_write_pc2_sample(&text, part);
    dr_write_mdd_sample(&text, part);
    dr_text_close(&text);
    dr_write_usda_part(part, NULL, drop_value, NULL);
}

static void use_frame(const dr_frame *frame)
{
    dr_text text;
    assert(isfinite(frame->time) && frame->number == 1 && frame->sample == 0);
    for (int i = 0; i < frame->part_count; i++) {
        check_part(&frame->parts[i]);
        write_part(&frame->parts[i]);
    }
    dr_text_open(&text, NULL);
    dr_write_glb(&text, frame);
    dr_text_close(&text);
    dr_view_frame seen = {0};
    dr_view_frame_make(frame, NULL, NULL, NULL, &seen, NULL);
    dr_view_frame_free(&seen);
}

static void read_frame(const char *root)
{
    dr_result *result = NULL;
    const dr_frame *frame = NULL;
    dr_error error = {0};
    if (dr_result_open(root, NULL, &result, &error)) abort();
    dr_status status = dr_result_read(result, 0, &frame, &error);
    if (status == DR_STATUS_OK)
        use_frame(frame);
    else
        assert(error.count > 0 && error.text[0]);
    dr_result_release(frame);
    dr_result_close(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char root[] = "/dev/shm/drench_fuzz_XXXXXX", frames[DR_FOLDER_PATH]; // in memory: no disk to wait for
    source from = {data, size, 0};
    if (!dr_h5_available() || !mkdtemp(root)) return 0;
    dr_folder_join(frames, root, DR_RESULT_FRAMES);
    if (dr_folder_make(frames, NULL) == DR_STATUS_OK && put_frame(frames, &from) == DR_STATUS_OK) read_frame(root);
    dr_result_remove(root, NULL);
    rmdir(frames);
    rmdir(root);
    return 0;
}
