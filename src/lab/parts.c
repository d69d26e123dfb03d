#include "lab/parts.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static dr_status fill(dr_scene *scene, const char *title, double cell, const dr_lab_rubber *rubber, dr_error *error)
{
    void *item = NULL;
    dr_status status = dr_scene_append(scene, "materials", &item, error);
    if (status) return status;
    dr_material_spec *material = item;
    material->name = DR_LAB_RUBBER;
    material->kind = DR_MATERIAL_ELASTIC;
    material->density = rubber->density;
    material->youngs_modulus = rubber->youngs_modulus;
    material->poisson_ratio = rubber->poisson_ratio;
    dr_scene_spec *spec = dr_scene_edit(scene);
    spec->title = title;
    spec->domain.cell = cell;
    for (int a = 0; a < 3; a++) spec->gravity[a] = 0.0;
    return DR_STATUS_OK;
}

dr_status dr_lab_scene_create(const char *title, double cell, const dr_lab_rubber *rubber, dr_scene **scene,
                              dr_error *error)
{
    dr_status status = dr_scene_create(NULL, scene, error);
    if (!status) status = fill(*scene, title, cell, rubber, error);
    if (status) {
        dr_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

#define TEXT_ROOM 65536

dr_status dr_lab_scene_text(dr_scene **scene, dr_error *error, const char *format, ...)
{
    char text[TEXT_ROOM];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert(length > 0 && length < TEXT_ROOM);
    return dr_scene_parse(text, (size_t)length, "case", NULL, scene, error);
}

const dr_frame_part *dr_lab_liquid_part(const dr_frame *frame)
{
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, "liquid") == 0) return &frame->parts[i];
    }
    return NULL;
}

dr_body_spec *dr_lab_scene_body(dr_scene *scene, const char *name, dr_error *error)
{
    void *item = NULL;
    if (dr_scene_append(scene, "bodies", &item, error) != DR_STATUS_OK) return NULL;
    dr_body_spec *body = item;
    body->name = name;
    body->material = DR_LAB_RUBBER;
    return body;
}

double dr_lab_rubber_speed(const dr_lab_rubber *rubber)
{
    double nu = rubber->poisson_ratio;
    double modulus = rubber->youngs_modulus * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    return sqrt(modulus / rubber->density);
}

void dr_lab_scene_time(dr_scene *scene, double duration, int frames, double step)
{
    dr_time_spec *time = &dr_scene_edit(scene)->time;
    time->frame_rate = frames / duration;
    time->frames = frames;
    time->start_frame = 0;
    time->fixed_step = step;
}

double dr_lab_item(const dr_frame_array *array, size_t i, int c)
{
    size_t at = i * (size_t)array->components + (size_t)c;
    return array->type == DR_TYPE_FLOAT64 ? ((const double *)array->data)[at]
                                          : (double)((const float *)array->data)[at];
}

double dr_lab_norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

double dr_lab_rounding(int64_t steps, double share)
{
    return 1e-6 + share * 0.5 * (double)FLT_EPSILON * (double)steps;
}
