// A rod with natural curvature hangs from a clamp: weight straightens it, and in between, where neither wins, it leaves
// its plane. Known for C/B = 2/3: of curvature 10 / L planar at Gamma 20, in space at 100, planar at 300; of curvature
// 5 / L planar at every Gamma.
#include "lab/cases.h"
#include "lab/rod_rows.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double curvature, gamma, c_over_b, disturb;
    ROD_PARAMETERS;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, curvature, DR_UNIT_NONE, "10", 0.0, 200.0, "Natural curvature times length."),
    ROW_REAL(parameters, gamma, DR_UNIT_NONE, "100", 0.0, 1e5, "Weight per length L^3 / B."),
    ROW_REAL(parameters, c_over_b, DR_UNIT_NONE, "0.66666666666666667", 0.01, 10.0, "Twisting over bending stiffness."),
    ROW_REAL(parameters, disturb, DR_UNIT_NONE, "1e-3", 1e-9, 0.1, "Random displacement at the start over the length."),
    ROD_ROWS(parameters, "80", "0.003 cm", "0.02", "3000"),
};
static const dr_table table = ROW_TABLE("rod-bend-twist", parameters, rows);

// The farthest any vertex lies from the vertical plane through the clamp that fits best, over the length.
static double leave_plane(const dr_lab_rod_record *record, int frame, double length)
{
    double xx = 0.0, xz = 0.0, zz = 0.0, farthest = 0.0;
    for (int v = 0; v < record->vertices; v++) {
        const double *x = dr_lab_rod_vertex(record, frame, v);
        xx += x[0] * x[0];
        xz += x[0] * x[2];
        zz += x[2] * x[2];
    }
    double angle = 0.5 * atan2(2.0 * xz, xx - zz); // of the direction in which it spreads most
    for (int v = 0; v < record->vertices; v++) {
        const double *x = dr_lab_rod_vertex(record, frame, v);
        farthest = fmax(farthest, fabs(cos(angle) * x[2] - sin(angle) * x[0]));
    }
    return farthest / length;
}

static bool is_known(const parameters *p, bool *planar)
{
    if (fabs(p->c_over_b - 2.0 / 3.0) > 1e-9) return false;
    *planar = p->curvature <= 5.0 || p->gamma == 20.0 || p->gamma == 300.0;
    return p->curvature <= 5.0 || (p->curvature == 10.0 && (*planar || p->gamma == 100.0));
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_lab_rod rod = ROD_OF(p, p->c_over_b);
    char strand[600];
    dr_lab_rod_record record = {0};
    double edge = p->length / ((double)p->segments - 0.5);
    int used = snprintf(strand, sizeof strand,
                        "type: line, start: [0, %.17g, 0], end: [0, %.17g, 0], vertices: %d, disturb: %.17g",
                        0.5 * edge, -p->length, (int)p->segments + 1, p->disturb * p->length);
    if (p->curvature > 0.0)
        snprintf(strand + used, sizeof strand - (size_t)used, ", rest: curly, rest_curl_radius: %.17g",
                 p->length / p->curvature);
    dr_lab_rod_run run = {.title = "a curved rod hangs",
                          .strand = strand,
                          .gravity = dr_lab_rod_gravity(&rod, p->gamma),
                          .damping = 3.0,
                          .step = p->step,
                          .steps = p->steps,
                          .frames = 50};
    dr_status status = dr_lab_rod_watch(lab, &rod, &run, &record, error);
    if (status) return status;
    double away = leave_plane(&record, -1, p->length), before = leave_plane(&record, record.frames / 2, p->length);
    bool planar;
    dr_lab_measure(lab, "out_of_plane", "", away);
    dr_lab_measure(lab, "out_of_plane_halfway", "", before);
    if (is_known(p, &planar))
        dr_lab_expect(lab, "planar", "", away < 0.01, planar, 0.0);
    else
        dr_lab_measure(lab, "planar", "", away < 0.01);
    dr_lab_rod_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_bend_twist = {"rod-bend-twist",
                                           "a rod of natural curvature hangs in a plane, or leaves it", &table, run};
