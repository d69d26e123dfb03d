// Particles to the grid and back: what bench_transfer.c measures, as a case.
#include "lab/bench_transfer.h"
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/error.h"

typedef struct parameters {
    int64_t particles, repeats;
    double per_cell;
    int kernel;
    bool sweep;
} parameters;

static const char *const kernels[] = {"linear", "quadratic", "cubic", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, particles, "1000000", 1000, 100000000, "How many."),
    ROW_REAL(parameters, per_cell, DR_UNIT_NONE, "8", 0.125, 1000, "Particles per cell."),
    ROW_CHOICE(parameters, kernel, kernels, "quadratic", "B-spline; on faces linear or quadratic."),
    ROW_COUNT(parameters, repeats, "9", 1, 1000, "Steps of which the median is taken."),
    ROW_SWITCH(parameters, sweep, "false", "Also 2, 8 and 27 per cell, and 100 thousand to 10 million particles."),
};
static const dr_table table = ROW_TABLE("transfer", parameters, rows);

static dr_status measure(const dr_lab *lab, const parameters *p, int64_t particles, double per_cell, bool faces,
                         dr_bench_transfer_result *result, dr_error *error)
{
    int threads = dr_lab_threads(lab);
    bool cubic_faces = faces && p->kernel == DR_KERNEL_CUBIC; // which there are not
    dr_bench_transfer_case what = {.particles = (size_t)particles,
                                   .per_cell = per_cell,
                                   .threads = threads > 0 ? threads : 1,
                                   .kernel = cubic_faces ? DR_KERNEL_QUADRATIC : (dr_kernel)p->kernel,
                                   .faces = faces,
                                   .repeats = (int)p->repeats,
                                   .courant = 0.5};
    if (dr_lab_stopped(lab)) return DR_STATUS_INTERRUPTED;
    return dr_bench_transfer(&what, NULL, result) ? DR_STATUS_OK : dr_error_memory(error, "measuring transfers");
}

static dr_status show_main(dr_lab *lab, const parameters *p, dr_error *error)
{
    dr_bench_transfer_result nodes, faces;
    dr_status status = measure(lab, p, p->particles, p->per_cell, false, &nodes, error);
    if (!status) status = measure(lab, p, p->particles, p->per_cell, true, &faces, error);
    if (status) return status;
    dr_lab_compare(lab, "nodes", "ns/particle", 1e9 / nodes.rate, 1e9 / nodes.floor_rate);
    dr_lab_compare(lab, "faces", "ns/particle", 1e9 / faces.rate, 1e9 / faces.floor_rate);
    dr_lab_measure(lab, "nodes_per_second", "1/s", nodes.rate);
    dr_lab_measure(lab, "nodes_per_second_with_sorting", "1/s", nodes.sorted_rate);
    dr_lab_measure(lab, "faces_per_second", "1/s", faces.rate);
    dr_lab_measure(lab, "faces_per_second_with_sorting", "1/s", faces.sorted_rate);
    dr_lab_measure(lab, "copy_bandwidth", "B/s", nodes.copy_bandwidth);
    dr_lab_measure(lab, "particle_bytes", "B", nodes.particle_bytes);
    dr_lab_measure(lab, "grid_bytes_per_particle", "B", nodes.grid_bytes);
    return DR_STATUS_OK;
}

static dr_status show_density(dr_lab *lab, const parameters *p, dr_error *error)
{
    static const double densities[] = {2, 8, 27};
    double nodes[3], faces[3];
    for (int i = 0; i < 3; i++) {
        dr_bench_transfer_result result;
        dr_status status = measure(lab, p, p->particles, densities[i], false, &result, error);
        nodes[i] = status ? 0.0 : result.rate;
        if (!status) status = measure(lab, p, p->particles, densities[i], true, &result, error);
        if (status) return status;
        faces[i] = result.rate;
    }
    dr_lab_measure_list(lab, "per_cell", "", densities, 3);
    dr_lab_measure_list(lab, "nodes_per_second_by_density", "1/s", nodes, 3);
    dr_lab_measure_list(lab, "faces_per_second_by_density", "1/s", faces, 3);
    return DR_STATUS_OK;
}

static dr_status show_size(dr_lab *lab, const parameters *p, dr_error *error)
{
    static const double sizes[] = {1e5, 1e6, 1e7};
    double times[3];
    for (int i = 0; i < 3; i++) {
        dr_bench_transfer_result result;
        dr_status status = measure(lab, p, (int64_t)sizes[i], p->per_cell, false, &result, error);
        if (status) return status;
        times[i] = 1e9 / result.rate;
    }
    dr_lab_measure_list(lab, "sizes", "", sizes, 3);
    dr_lab_measure_list(lab, "nodes_by_size", "ns/particle", times, 3);
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_status status = show_main(lab, p, error);
    if (!status && p->sweep) status = show_density(lab, p, error);
    if (!status && p->sweep) status = show_size(lab, p, error);
    return status;
}

const dr_lab_case dr_lab_transfer = {"transfer", "particles to the grid and back, beside the memory's bandwidth",
                                     &table, run};
