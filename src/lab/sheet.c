#include "lab/sheet.h"

#include "base/error.h"
#include "base/memory.h"
#include "lab/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const dr_lab_patterns[] = {"equilateral", "union_jack", "one_diagonal", "crossed", "diamonds", NULL};

// Squares by both diagonals are those of the union jack turned by 45 degrees, diamonds those of one diagonal: with
// edges as long as those, a square is two rows deep and sqrt(2) edges wide, and a clamp holds whole squares.
dr_lab_cut dr_lab_sheet_cut(const dr_lab_sheet *sheet, int clamps)
{
    const double root = 1.4142135623730951;
    bool turned = sheet->pattern == DR_LAB_CROSSED || sheet->pattern == DR_LAB_DIAMONDS;
    double rows = turned ? 2.0 * ceil((double)sheet->cells / root) : (double)sheet->cells;
    double clamp_rows = turned ? 2.0 : 1.0, row = sheet->length / (rows - clamp_rows * clamps);
    double edge = turned ? root * row : sheet->pattern == DR_LAB_EQUILATERAL ? row / 0.86602540378443865 : row;
    double width = turned ? ceil((double)sheet->across / root) * root * edge : (double)sheet->across * edge;
    return (dr_lab_cut){row, edge, rows * row, width, clamp_rows * row};
}

double dr_lab_sheet_speed(const dr_lab_sheet *sheet)
{
    return sqrt(sheet->youngs_modulus / sheet->density);
}

// A sheet that is half solid and has half the modulus of its fibres.
void dr_lab_sheet_head(const dr_lab_sheet *sheet, double edge, char *text, size_t room)
{
    snprintf(text, room,
             "domain: {cell: %.17g}\ntime: {integrator: explicit}\n"
             "materials: [{name: sheet, kind: cloth, density: %.17g, youngs_modulus: %.17g, poisson_ratio: %.17g, "
             "thickness: %.17g, volume_fraction: 0.5, stress_power: 1}]\n",
             edge, 2.0 * sheet->density, 2.0 * sheet->youngs_modulus, sheet->poisson, sheet->thickness);
}

static size_t room_bytes(const dr_lab_sheet_record *r)
{
    return 3 * (size_t)r->room * r->vertices * sizeof *r->x;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    dr_lab_sheet_record *r = user;
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if ((strcmp(part->name, "cloth") != 0 && strcmp(part->name, "yarn") != 0) || r->frames >= r->room) continue;
        const dr_frame_array *position = dr_frame_find(part, "position");
        r->vertices = part->point_count;
        if (!r->x) r->x = dr_memory_alloc(NULL, room_bytes(r));
        if (!r->x) return;
        double *to = r->x + 3 * (size_t)r->frames++ * r->vertices;
        for (size_t v = 0; v < r->vertices; v++) {
            for (size_t a = 0; a < 3; a++) to[3 * v + a] = dr_lab_item(position, v, (int)a);
        }
    }
}

static void watch_report(void *user, const dr_report *report)
{
    dr_lab_sheet_record *r = user;
    double energy = report->energy_kinetic + report->energy_elastic + report->energy_potential;
    if (report->step > 1) r->rise = fmax(r->rise, energy - r->energy);
    r->energy = energy;
    r->steps = report->step;
    for (int i = 0; i < report->solve_count; i++) {
        const dr_solve_report *solve = &report->solves[i];
        if (strcmp(solve->name, "cloth inner") == 0) r->products += solve->iterations;
        if (strcmp(solve->name, "cloth") != 0) continue;
        r->newtons += solve->iterations;
        r->residual = fmax(r->residual, solve->residual);
    }
}

dr_status dr_lab_sheet_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames,
                           dr_lab_sheet_record *record, dr_error *error)
{
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = record};
    *record = (dr_lab_sheet_record){.room = frames + 1, .step = duration / frames};
    dr_lab_scene_time(scene, duration, frames, 0.0);
    dr_status status = dr_lab_simulate(lab, part, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status == DR_STATUS_OK && record->frames < 2) status = dr_error_memory(error, "watching cloth");
    if (status) dr_lab_sheet_forget(record);
    return status;
}

void dr_lab_sheet_forget(dr_lab_sheet_record *record)
{
    if (record->x) dr_memory_free(NULL, record->x, room_bytes(record));
    record->x = NULL;
}

// The mean place of the vertices that were within `slack` of a plane at the start.
static void mean_near(const dr_lab_sheet_record *record, int frame, int axis, double place, double slack, double out[3])
{
    const double *now = record->x + 3 * (size_t)(frame < 0 ? record->frames + frame : frame) * record->vertices;
    double count = 0.0;
    out[0] = out[1] = out[2] = 0.0;
    for (size_t v = 0; v < record->vertices; v++) {
        if (fabs(record->x[3 * v + (size_t)axis] - place) > slack) continue;
        for (size_t a = 0; a < 3; a++) out[a] += now[3 * v + a];
        count += 1.0;
    }
    for (int a = 0; a < 3; a++) out[a] /= count;
}

static double farthest(const dr_lab_sheet_record *record, int axis, int sign)
{
    double most = -INFINITY;
    for (size_t v = 0; v < record->vertices; v++) most = fmax(most, sign * record->x[3 * v + (size_t)axis]);
    return sign * most;
}

void dr_lab_sheet_end(const dr_lab_sheet_record *record, int frame, int axis, int sign, double slack, double out[3])
{
    mean_near(record, frame, axis, farthest(record, axis, sign), slack, out);
}

// Solves the three normal equations by Cramer's rule.
static double solve_first(double m[3][3], const double b[3])
{
    double det = 0.0, top = 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double minor = m[j][1] * m[k][2] - m[k][1] * m[j][2];
        det += m[i][0] * minor;
        top += b[i] * minor;
    }
    return top / det;
}

double dr_lab_sheet_growth(const double *value, int count, int from, double step)
{
    double m[3][3] = {{0}}, b[3] = {0}, size = 0.0;
    for (int i = from; i < count; i++) size = fmax(size, fabs(value[i]));
    for (int i = from < 1 ? 1 : from; i + 1 < count; i++) {
        double row[3] = {value[i] / size, 0.5 * (value[i + 1] - value[i - 1]) / (size * step), 1.0};
        double second = (value[i + 1] - 2.0 * value[i] + value[i - 1]) / (size * step * step);
        row[1] *= step;
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 3; l++) m[k][l] += row[k] * row[l];
            b[k] += row[k] * second;
        }
    }
    return solve_first(m, b);
}
