#include "look/action.h"

#include "base/memory.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

#define STRAYS 0.003 // of all points, beyond either end: they do not belong to the bulk
#define SPRAY                                                                                                          \
    0.5 // sizes of the bulk that they are followed for: half of it loses the crown of a splash, twice of it
        // makes all else small for a few drops
#define MOST    20000 // points that the bulk is found from
#define LARGEST 3.0   // of a collider that belongs to the action

dr_box dr_action_nothing(void)
{
    return (dr_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

dr_box dr_action_join(dr_box a, dr_box b)
{
    for (int i = 0; i < 3; i++) {
        a.min[i] = fmin(a.min[i], b.min[i]);
        a.max[i] = fmax(a.max[i], b.max[i]);
    }
    return a;
}

double dr_action_size(const dr_box *box)
{
    double size[3];
    if (!(box->max[0] >= box->min[0])) return 1.0;
    dr_vec3_sub(size, box->max, box->min);
    double length = dr_vec3_length(size);
    return length > 0.0 ? length : 1.0;
}

static int compare(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

static const float *positions_of(const dr_frame_part *part)
{
    const dr_frame_array *array = dr_frame_find(part, "position");
    bool good = array && array->type == DR_TYPE_FLOAT32 && array->components == 3 && array->count == part->point_count;
    return good ? array->data : NULL;
}

// One axis of every n-th point, sorted; the ends without the strays.
static void find_bulk(const dr_frame_part *part, const float *position, size_t axis, float *values, double *low,
                      double *high)
{
    size_t count = 0, stride = part->point_count / MOST + 1;
    for (size_t p = 0; p < part->point_count; p += stride) {
        if (isfinite(position[3 * p + axis])) values[count++] = position[3 * p + axis];
    }
    if (count == 0) return;
    qsort(values, count, sizeof *values, compare);
    size_t left_out = (size_t)(STRAYS * (double)count);
    *low = (double)values[left_out];
    *high = (double)values[count - 1 - left_out];
}

static dr_box find_all(const dr_frame_part *part, const float *position)
{
    dr_box box = dr_action_nothing();
    for (size_t p = 0; p < part->point_count; p++) {
        for (size_t a = 0; a < 3; a++) {
            double x = (double)position[3 * p + a];
            if (!isfinite(x)) continue;
            box.min[a] = fmin(box.min[a], x);
            box.max[a] = fmax(box.max[a], x);
        }
    }
    return box;
}

// All of hair and cloth; of particles those that are not too far from the bulk of them.
static dr_box find_part(const dr_frame_part *part, float *values)
{
    const float *position = positions_of(part);
    if (!position || part->point_count == 0) return dr_action_nothing();
    dr_box all = find_all(part, position), bulk = dr_action_nothing();
    if (part->kind != DR_FRAME_POINTS) return all;
    for (size_t a = 0; a < 3; a++) find_bulk(part, position, a, values, &bulk.min[a], &bulk.max[a]);
    double reach = SPRAY * dr_action_size(&bulk);
    for (int a = 0; a < 3; a++) {
        all.min[a] = fmax(all.min[a], bulk.min[a] - reach);
        all.max[a] = fmin(all.max[a], bulk.max[a] + reach);
    }
    return all;
}

static bool has_end(const dr_scene *scene, uint32_t collider)
{
    const dr_collider_list *list = scene ? &dr_scene_view(scene)->colliders : NULL;
    return !list || collider >= (uint32_t)list->count || list->items[collider].shape.kind != DR_SHAPE_HALF_SPACE;
}

// Colliders one by one, in the order of their triangles.
static dr_box join_colliders(dr_box box, const dr_frame_part *part, const dr_scene *scene)
{
    const dr_frame_array *bodies = dr_frame_find(part, "body");
    const float *position = positions_of(part);
    double size = dr_action_size(&box);
    dr_box one = dr_action_nothing(), all = box;
    if (!bodies || bodies->type != DR_TYPE_UINT32 || !position) return box;
    const uint32_t *body = bodies->data;
    for (size_t t = 0; t < part->element_count; t++) {
        for (size_t c = 0; c < 3; c++) {
            const float *x = position + 3 * (size_t)part->index[3 * t + c];
            for (size_t a = 0; a < 3; a++) {
                one.min[a] = fmin(one.min[a], (double)x[a]);
                one.max[a] = fmax(one.max[a], (double)x[a]);
            }
        }
        if (t + 1 < part->element_count && body[t + 1] == body[t]) continue;
        bool anything = box.max[0] >= box.min[0];
        bool belongs = has_end(scene, body[t]) && (!anything || dr_action_size(&one) < LARGEST * size);
        if (belongs) all = dr_action_join(all, one);
        one = dr_action_nothing();
    }
    return all;
}

dr_status dr_action_find(const dr_frame *frame, const dr_scene *scene, const dr_allocator *allocator, dr_box *box,
                         dr_error *error)
{
    *box = dr_action_nothing();
    float *values = dr_memory_alloc(allocator, (MOST + 1) * sizeof *values);
    if (!values) return dr_error_memory(error, "framing the picture");
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, "colliders") != 0)
            *box = dr_action_join(*box, find_part(&frame->parts[i], values));
    }
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, "colliders") == 0) *box = join_colliders(*box, &frame->parts[i], scene);
    }
    dr_memory_free(allocator, values, (MOST + 1) * sizeof *values);
    return DR_STATUS_OK;
}
