// Scenes of the lab's cases, put together from a few parts; and reading numbers out of frames.
#ifndef DR_LAB_PARTS_H
#define DR_LAB_PARTS_H

#include "base/error.h"
#include "drench/world.h"

#define DR_LAB_RUBBER "rubber"

typedef struct dr_lab_rubber {
    double density, youngs_modulus, poisson_ratio;
} dr_lab_rubber;

// A scene with one elastic material, an open domain and no gravity.
dr_status dr_lab_scene_create(const char *title, double cell, const dr_lab_rubber *rubber, dr_scene **scene,
                              dr_error *error);

// A scene from its text, a format of printf; %s of the format may stand for parts of it.
dr_status dr_lab_scene_text(dr_scene **scene, dr_error *error, const char *format, ...);

// A body of that material, NULL with the error filled when memory is out. Text must outlive the scene.
dr_body_spec *dr_lab_scene_body(dr_scene *scene, const char *name, dr_error *error);

// The speed of pressure waves in it, cm/s.
double dr_lab_rubber_speed(const dr_lab_rubber *rubber);

// Makes outputs `frames` equal parts of `duration`, from steps of `step` where that is not 0.
void dr_lab_scene_time(dr_scene *scene, double duration, int frames, double step);

// The liquid's part of a frame, NULL where there is none.
const dr_frame_part *dr_lab_liquid_part(const dr_frame *frame);

// Component c of item i of an array of numbers.
double dr_lab_item(const dr_frame_array *array, size_t i, int c);

double dr_lab_norm(const double v[3]);

// How far a sum that should be kept may drift, relative to its size: particles are kept in single precision, and
// `share` of its rounding (6e-8) may add up with every step.
double dr_lab_rounding(int64_t steps, double share);

#endif
