#include "lab/rod.h"

#include "base/number.h"
#include "base/memory.h"
#include "lab/parts.h"

#include <math.h>
#include <string.h>

double dr_lab_rod_bending(const dr_lab_rod *rod)
{
    return 0.25 * DR_PI * rod->youngs_modulus * pow(rod->radius, 4);
}

// Mass per length, g/cm.
static double weight(const dr_lab_rod *rod)
{
    return DR_PI * rod->density * rod->radius * rod->radius;
}

double dr_lab_rod_time(const dr_lab_rod *rod)
{
    return rod->length * rod->length * sqrt(weight(rod) / dr_lab_rod_bending(rod));
}

double dr_lab_rod_gravity(const dr_lab_rod *rod, double gamma)
{
    return gamma * dr_lab_rod_bending(rod) / (weight(rod) * pow(rod->length, 3));
}

// ---- running

static void watch_frame(void *user, const dr_frame *frame)
{
    dr_lab_rod_record *record = user;
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, "strands") != 0 || record->frames >= record->room) continue;
        const dr_frame_array *position = dr_frame_find(part, "position");
        double *to = record->x + (size_t)(3 * record->frames++ * record->vertices);
        for (int v = 0; v < record->vertices; v++) {
            for (int a = 0; a < 3; a++) to[3 * v + a] = dr_lab_item(position, (size_t)v, a);
        }
    }
}

// The material's viscosity that damps a wave of wave length L by that share of the critical damping: 3 eta I k^4 =
// 2 share omega per mass, k = 2 pi / L.
static double viscosity(const dr_lab_rod *rod, double share)
{
    double k = 2.0 * DR_PI / rod->length, omega = k * k * rod->length * rod->length / dr_lab_rod_time(rod);
    return 2.0 * share * rod->youngs_modulus / (3.0 * omega);
}

static dr_status make_scene(const dr_lab_rod *rod, const dr_lab_rod_run *run, dr_scene **scene, dr_error *error)
{
    return dr_lab_scene_text(
        scene, error,
        "title: %s\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\ntime: {retries: 20}\n"
        "materials: [{name: rod, kind: hair, density: %.17g, youngs_modulus: %.17g, shear_modulus_rod: %.17g, "
        "radius: %.17g, damping: %.17g}]\n"
        "strands: [{name: rod, material: rod, contact: none, integrator: %s, %s}]\n",
        run->title, -run->gravity, 0.1 * rod->length, rod->density, rod->youngs_modulus,
        0.5 * rod->c_over_b * rod->youngs_modulus, rod->radius, viscosity(rod, run->damping),
        run->integrator ? run->integrator : "tr_bdf2", run->strand);
}

dr_status dr_lab_rod_watch(dr_lab *lab, const dr_lab_rod *rod, const dr_lab_rod_run *run, dr_lab_rod_record *record,
                           dr_error *error)
{
    double step = run->step * dr_lab_rod_time(rod), duration = (double)run->steps * step;
    int frames = (int)(run->frames > 0 ? run->frames : run->steps);
    dr_scene *scene = NULL;
    dr_status status = make_scene(rod, run, &scene, error);
    if (status) return status;
    record->frames = 0;
    record->room = frames + 1;
    record->step = duration / frames;
    record->vertices = (int)dr_scene_view(scene)->strands.items[0].vertices;
    record->x = dr_memory_alloc(NULL, (size_t)(3 * record->room * record->vertices) * sizeof *record->x);
    if (!record->x) {
        dr_scene_destroy(scene);
        return dr_error_memory(error, "watching a rod");
    }
    dr_lab_watch watcher = {.frame = watch_frame, .user = record};
    dr_lab_scene_time(scene, duration, frames, step);
    status = dr_lab_simulate(lab, run->part, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) dr_lab_rod_forget(record);
    return status;
}

void dr_lab_rod_forget(dr_lab_rod_record *record)
{
    dr_memory_free(NULL, record->x, (size_t)(3 * record->room * record->vertices) * sizeof *record->x);
    record->x = NULL;
}

const double *dr_lab_rod_vertex(const dr_lab_rod_record *record, int frame, int vertex)
{
    int f = frame < 0 ? record->frames + frame : frame, v = vertex < 0 ? record->vertices + vertex : vertex;
    return record->x + (size_t)(3 * (f * record->vertices + v));
}

// ---- growth

#define WINDOW 8

// Sums over vertices of products of the motion between outputs.
static double motion(const dr_lab_rod_record *record, int frame, int vertex, int axis)
{
    return dr_lab_rod_vertex(record, frame + 1, vertex)[axis] - dr_lab_rod_vertex(record, frame, vertex)[axis];
}

static double displacement(const dr_lab_rod_record *record, int frame, int axes)
{
    double largest = 0.0;
    for (int v = 0; v < record->vertices; v++) {
        for (int a = 0; a < 3; a++) {
            double away = dr_lab_rod_vertex(record, frame, v)[a] - dr_lab_rod_vertex(record, 0, v)[a];
            if (axes >> a & 1) largest = fmax(largest, fabs(away));
        }
    }
    return largest;
}

double dr_lab_rod_growth(const dr_lab_rod_record *record, int axes, double largest)
{
    double above = 0.0, below = 0.0;
    int last = record->frames - 2;
    while (last > WINDOW && !(displacement(record, last + 1, axes) < largest)) last--;
    for (int n = last; n > last - WINDOW && n > 1; n--) {
        for (int v = 0; v < record->vertices; v++) {
            for (int a = 0; a < 3; a++) {
                if (!(axes >> a & 1)) continue;
                double next = motion(record, n, v, a);
                above += (next - 2.0 * motion(record, n - 1, v, a) + motion(record, n - 2, v, a)) * next;
                below += next * next;
            }
        }
    }
    return above / (below * record->step * record->step);
}

dr_status dr_lab_rod_search(dr_lab_rod_rate rate, void *user, double start, double *critical, dr_error *error)
{
    double low = start, high = start, low_rate, high_rate;
    dr_status status = rate(user, low, &low_rate, error);
    high_rate = low_rate;
    for (int k = 0; k < 20 && !status && high_rate <= 0.0; k++) {
        low = high;
        low_rate = high_rate;
        high *= 4.0 / 3.0;
        status = rate(user, high, &high_rate, error);
    }
    *critical = NAN;
    for (int k = 0; k < 20 && !status && low_rate <= 0.0 && high_rate > 0.0; k++) {
        double middle = low + (high - low) * low_rate / (low_rate - high_rate), here;
        *critical = middle;
        if (high - low < 1e-3 * high || fmin(middle - low, high - middle) < 2e-4 * high) break;
        status = rate(user, middle, &here, error);
        if (here > 0.0) {
            high = middle;
            high_rate = here;
            low_rate *= 0.5;
        } else {
            low = middle;
            low_rate = here;
            high_rate *= 0.5;
        }
    }
    return status;
}

// ---- elastica

typedef struct pose {
    double angle, bend, x, y; // phi = pi/2 - theta
} pose;

static pose slope(pose at, double s, double weight, double load)
{
    return (pose){at.bend, (weight * (1.0 - s) + load) * sin(at.angle), sin(at.angle), cos(at.angle)};
}

static pose ahead(pose a, double h, pose b)
{
    return (pose){a.angle + h * b.angle, a.bend + h * b.bend, a.x + h * b.x, a.y + h * b.y};
}

// From the tip, whose angle to the vertical is given, back to the clamp, or to where the rod is level before that:
// fourth-order Runge-Kutta.
static pose shoot(double tip, double weight, double load)
{
    enum { STEPS = 4000 };
    pose at = {tip, 0.0, 0.0, 0.0};
    double h = -1.0 / STEPS;
    for (int i = 0; i < STEPS && at.angle < 0.51 * DR_PI; i++) {
        double s = 1.0 + i * h;
        pose a = slope(at, s, weight, load), b = slope(ahead(at, 0.5 * h, a), s + 0.5 * h, weight, load);
        pose c = slope(ahead(at, 0.5 * h, b), s + 0.5 * h, weight, load),
             d = slope(ahead(at, h, c), s + h, weight, load);
        at = ahead(ahead(ahead(ahead(at, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
    }
    return at;
}

void dr_lab_rod_elastica(double weight, double load, double *reach, double *drop)
{
    double low = log(1e-300), high = log(0.5 * DR_PI);
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (shoot(exp(middle), weight, load).angle < 0.5 * DR_PI)
            low = middle;
        else
            high = middle;
    }
    pose at = shoot(exp(0.5 * (low + high)), weight, load);
    *reach = -at.x;
    *drop = -at.y;
}
