// What the cases of sheets share: one strip of cloth in an ordinary scene, and where its vertices are at every output.
// Rows of vertices go along the strip. A clamp holds a row of squares or triangles, and the strip begins where it ends.
#ifndef DR_LAB_SHEET_H
#define DR_LAB_SHEET_H

#include "lab/lab.h"

enum { DR_LAB_EQUILATERAL, DR_LAB_UNION_JACK, DR_LAB_ONE_DIAGONAL, DR_LAB_CROSSED, DR_LAB_DIAMONDS };
extern const char *const dr_lab_patterns[];

typedef struct dr_lab_sheet {
    double length, thickness, density, youngs_modulus, poisson;
    int64_t cells;  // rows along the length; as many edges where squares stand on a corner
    int64_t across; // edges
    int pattern;
    bool hinges;
} dr_lab_sheet;

// The cloth that a strip with that many clamped ends is cut from, cm.
typedef struct dr_lab_cut {
    double row, edge;    // distance of rows of vertices; edges of triangles
    double depth, width; // along, with what is in clamps, and across
    double clamp;        // how far clamps reach in
} dr_lab_cut;

dr_lab_cut dr_lab_sheet_cut(const dr_lab_sheet *sheet, int clamps);
double dr_lab_sheet_speed(const dr_lab_sheet *sheet); // of waves along it, cm/s

// The text of a material named "sheet", of a domain whose cells are as large as the edges, and of steps that damp
// nothing.
void dr_lab_sheet_head(const dr_lab_sheet *sheet, double edge, char *text, size_t room);

// Vertices of the cloth at every output.
typedef struct dr_lab_sheet_record {
    int frames, room;
    size_t vertices;
    double step; // between outputs, s
    double *x;   // [frame][vertex][3]
    int64_t steps;
    double energy, rise;                // at the end of the last step, and its largest rise in a step, erg
    double residual, newtons, products; // of implicit steps: the largest, and sums
} dr_lab_sheet_record;

// Runs a scene to `duration` with so many outputs. The scene is destroyed.
dr_status dr_lab_sheet_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames,
                           dr_lab_sheet_record *record, dr_error *error);
void dr_lab_sheet_forget(dr_lab_sheet_record *record);

// The mean place of the vertices whose component `axis` was within `slack` of its largest (sign +1) or smallest (-1) at
// the start: the row at that end. frame < 0: from the end.
void dr_lab_sheet_end(const dr_lab_sheet_record *record, int frame, int axis, int sign, double slack, double out[3]);

// The square of the growth rate of a number that starts from rest under a small constant push: least squares of its
// second difference over itself, its first and one, from output `from` on. Negative where it swings. 1/s2.
double dr_lab_sheet_growth(const double *value, int count, int from, double step);

#endif
