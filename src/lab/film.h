// What the cases of films share: a scene with strands, its film at every output and its budgets after every step.
#ifndef DR_LAB_FILM_H
#define DR_LAB_FILM_H

#include "lab/lab.h"

// Of a step, as its report has it.
typedef struct dr_lab_film_step {
    double time, film, bulk, drained; // s, cm3
    double mass, linear[3], angular[3], kinetic, energy;
    double magnitude; // of the energies that were added
} dr_lab_film_step;

typedef struct dr_lab_film {
    int frames, room;
    size_t vertices;
    double *height; // [frame][vertex] cm
    double *x;      // [frame][vertex][3] cm
    double *time;   // [frame]
    size_t steps, step_room;
    dr_lab_film_step *step;
} dr_lab_film;

// Runs a scene in steps of `step` to `duration` with so many outputs. The scene is destroyed.
dr_status dr_lab_film_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames, double step,
                          dr_lab_film *film, dr_error *error);
void dr_lab_film_forget(dr_lab_film *film);

double dr_lab_film_height(const dr_lab_film *film, int frame, size_t vertex);

// Volume on vertices [from, to) of a straight strand of that radius, cm3.
double dr_lab_film_volume(const dr_lab_film *film, int frame, size_t from, size_t to, double radius);

// The share of a cosine of that wave length in the heights of vertices [from, to).
double dr_lab_film_mode(const dr_lab_film *film, int frame, size_t from, size_t to, double wave_length, double offset);

#endif
