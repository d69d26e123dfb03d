// Films on a straight strand that is held still: how fast they fall, how they gather into beads, how waves run on them,
// a step of depth that breaks. docs/theory/film.md.
#include "lab/cases.h"
#include "lab/film.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"
#include "base/memory.h"
#include "film/flow.h"

#include <math.h>
#include <string.h>

// A strand along y from 0, whose ends are held, so stiff that nothing moves it.
#define SCENE                                                                                                          \
    "title: %s\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n"                                                       \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e13, radius: %.17g}\n"                               \
    "  - {name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: %.17g}\n"                     \
    "strands:\n"                                                                                                       \
    "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [0, -%.17g, 0], vertices: %d, root: "       \
    "clamped, tip: clamped, contact: none, film_material: liquid, film_height: %.17g, film_beads: %s, film_ripple: "   \
    "%.17g, film_ripple_length: %.17g, film_drips: none}\n"

typedef struct fibre {
    const char *title;
    double gravity, radius, height, density, viscosity, surface_tension, length;
    int vertices;
    bool beads;
    double ripple, wave_length;
} fibre;

static dr_status make_scene(const fibre *f, dr_scene **scene, dr_error *error)
{
    return dr_lab_scene_text(scene, error, SCENE, f->title, -f->gravity, 0.1 * f->length, f->radius, f->density,
                             f->viscosity, f->surface_tension, f->length, f->vertices, f->height,
                             f->beads ? "yes" : "no", f->ripple, f->wave_length);
}

// ---- film-fibre

typedef struct falling {
    double fibre_radius, film_radius, density, viscosity, gravity;
    int64_t edges;
} falling;

static const dr_field falling_rows[] = {
    ROW_REAL(falling, fibre_radius, DR_UNIT_LENGTH, "35 um", 1e-6, 1.0, "Of the fibre."),
    ROW_REAL(falling, film_radius, DR_UNIT_LENGTH, "70 um", 1e-6, 10.0, "Of the film's surface."),
    ROW_REAL(falling, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-6, 1e3, "Of the liquid."),
    ROW_REAL(falling, viscosity, DR_UNIT_VISCOSITY, "0.01 P", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(falling, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Along the fibre."),
    ROW_COUNT(falling, edges, "60", 20, 2000, "Of the fibre."),
};
static const dr_table falling_table = ROW_TABLE("film-fibre", falling, falling_rows);

// Q = 2 pi int u s ds with u = rho g / (4 mu) (a^2 - s^2 + 2 H^2 ln(s / a)), by Simpson's rule.
static double annular_flow(const falling *p)
{
    enum { PARTS = 2000 };
    double a = p->fibre_radius, H = p->film_radius, step = (H - a) / PARTS, sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        double s = a + step * i, u = a * a - s * s + 2.0 * H * H * log(s / a);
        sum += (i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0) * s * u;
    }
    return 2.0 * DR_PI * p->density * p->gravity / (4.0 * p->viscosity) * sum * step / 3.0;
}

// The volume beyond the middle grows by what flows through there.
static dr_status run_falling(dr_lab *lab, const void *values, dr_error *error)
{
    const falling *p = values;
    double h = p->film_radius - p->fibre_radius, expected = annular_flow(p);
    if (!(h > 0.0))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                            "film-fibre: film_radius is that of the surface, larger than fibre_radius");
    double area = DR_PI * (p->film_radius * p->film_radius - p->fibre_radius * p->fibre_radius);
    double settling = expected / (area * p->gravity), speed = expected / area;
    double length = fmax(200.0 * settling * speed, 40.0 * p->film_radius),
           duration = fmin(20.0 * settling, 0.2 * length / speed);
    fibre f = {"a film falls down a fibre",
               p->gravity,
               p->fibre_radius,
               h,
               p->density,
               p->viscosity,
               0.0,
               length,
               (int)p->edges + 1,
               false,
               0.0,
               1.0};
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_scene(&f, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, duration, 4, duration / 400.0, &film, error);
    if (status) return status;
    size_t middle = film.vertices / 2;
    double before = dr_lab_film_volume(&film, 3, middle, film.vertices, p->fibre_radius);
    double after = dr_lab_film_volume(&film, 4, middle, film.vertices, p->fibre_radius);
    dr_lab_expect_share(lab, "flow_rate", "cm3/s", (after - before) / (film.time[4] - film.time[3]), expected, 0.01);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_fibre = {"film-fibre", "a film falls down a vertical fibre at its exact rate",
                                       &falling_table, run_falling};

// ---- film-beading

typedef struct beading {
    double fibre_radius, film_height, surface_tension, viscosity, density;
    int64_t edges_per_wave;
} beading;

static const dr_field beading_rows[] = {
    ROW_REAL(beading, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-6, 1.0, "Of the fibre."),
    ROW_REAL(beading, film_height, DR_UNIT_LENGTH, "0.005 cm", 1e-7, 1.0, "Of the flat film."),
    ROW_REAL(beading, surface_tension, DR_UNIT_SURFACE_TENSION, "20.6 dyn/cm", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(beading, viscosity, DR_UNIT_VISCOSITY, "1 P", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(beading, density, DR_UNIT_DENSITY, "0.95 g/cm3", 1e-6, 1e3, "Of the liquid."),
    ROW_COUNT(beading, edges_per_wave, "32", 16, 256, "How finely it is cut."),
};
static const dr_table beading_table = ROW_TABLE("film-beading", beading, beading_rows);

static double mobility(double r, double H)
{
    return DR_PI / 8.0 * (4.0 * pow(H, 4) * log(H / r) - 3.0 * pow(H, 4) + 4.0 * H * H * r * r - pow(r, 4));
}

// s^2 + c s = sigma A k^2 (1/H^2 - k^2) / (2 pi rho H), c = mu A / (rho q): momentum and friction of the
// one-dimensional film.
static double expected_growth(const beading *p, double wave_length)
{
    double r = p->fibre_radius, H = r + p->film_height, A = DR_PI * (H * H - r * r), k = 2.0 * DR_PI / wave_length;
    double c = p->viscosity * A / (p->density * mobility(r, H));
    double drive = p->surface_tension * A * k * k * (1.0 / (H * H) - k * k) / (2.0 * DR_PI * p->density * H);
    double half = 0.5 * c;
    return drive / (half + sqrt(half * half + drive)) * (drive > -half * half ? 1.0 : NAN);
}

static dr_status measure_growth(dr_lab *lab, const beading *p, double wave_length, const char *part, double *rate,
                                dr_error *error)
{
    double expected = expected_growth(p, wave_length);
    enum { WAVES = 8, FRAMES = 40 };
    int edges = WAVES * (int)p->edges_per_wave;
    fibre f = {"a film gathers into beads",
               0.0,
               p->fibre_radius,
               p->film_height,
               p->density,
               p->viscosity,
               p->surface_tension,
               WAVES * wave_length,
               edges + 1,
               true,
               1e-3,
               wave_length};
    dr_scene *scene = NULL;
    dr_lab_film film;
    double duration = 3.0 / expected;
    dr_status status = make_scene(&f, &scene, error);
    if (!status) status = dr_lab_film_run(lab, part, scene, duration, FRAMES, duration / FRAMES, &film, error);
    if (status) return status;
    size_t from = 2 * (size_t)p->edges_per_wave, to = 6 * (size_t)p->edges_per_wave;
    double early = fabs(dr_lab_film_mode(&film, FRAMES * 2 / 3, from, to, wave_length, 0.0));
    double late = fabs(dr_lab_film_mode(&film, FRAMES, from, to, wave_length, 0.0));
    *rate = log(late / early) / (film.time[FRAMES] - film.time[FRAMES * 2 / 3]);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

// The wave length that grows fastest: the top of the parabola through three rates.
static dr_status run_beading(dr_lab *lab, const void *values, dr_error *error)
{
    const beading *p = values;
    double H = p->fibre_radius + p->film_height, best = 2.0 * DR_PI * sqrt(2.0) * H, rate[3], x[3];
    static const char *const parts[] = {"shorter", "fastest", "longer"};
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < 3 && !status; i++) {
        x[i] = 1.0 + 0.2 * (i - 1); // of the wave number
        status = measure_growth(lab, p, best / x[i], parts[2 - i], &rate[i], error);
    }
    if (status) return status;
    double top = 0.2 * 0.5 * (rate[0] - rate[2]) / (rate[0] - 2.0 * rate[1] + rate[2]);
    dr_lab_expect_share(lab, "growth_rate", "1/s", rate[1], expected_growth(p, best), 0.05);
    dr_lab_expect_share(lab, "wave_length", "cm", best / (1.0 + top), best, 0.1);
    dr_lab_measure(lab, "growth_rate_without_inertia", "1/s",
                   mobility(p->fibre_radius, H) * p->surface_tension / (8.0 * DR_PI * p->viscosity * pow(H, 5)));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_beading = {"film-beading", "a flat film gathers into beads: wave length and growth",
                                         &beading_table, run_beading};

// ---- film-wave

typedef struct waving {
    double fibre_radius, surface_radius, wave_number, surface_tension, density;
    int64_t edges_per_wave;
} waving;

static const dr_field waving_rows[] = {
    ROW_REAL(waving, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-6, 1.0, "Of the fibre."),
    ROW_REAL(waving, surface_radius, DR_UNIT_LENGTH, "0.05 cm", 1e-6, 10.0, "Of the film's surface."),
    ROW_REAL(waving, wave_number, DR_UNIT_NONE, "6.283185307179586", 1e-3, 1e5, "Of the wave, 1/cm."),
    ROW_REAL(waving, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(waving, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-6, 1e3, "Of the liquid."),
    ROW_COUNT(waving, edges_per_wave, "64", 8, 1000, "How finely it is cut."),
};
static const dr_table waving_table = ROW_TABLE("film-wave", waving, waving_rows);

// A standing wave between walls: the time between two zeros of its mode is half a period.
static dr_status run_waving(dr_lab *lab, const void *values, dr_error *error)
{
    const waving *p = values;
    enum { FRAMES = 300 };
    double r = p->fibre_radius, H = p->surface_radius, k = p->wave_number;
    double expected = p->surface_tension * (H * H - r * r) * pow(k, 4) / (2.0 * p->density * H);
    if (!(H > r))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                            "film-wave: surface_radius must be larger than fibre_radius");
    double length = 2.0 * DR_PI / k, duration = 1.25 * 2.0 * DR_PI / sqrt(expected);
    fibre f = {"a wave on a film",         0.0,   r,    H - r, p->density, 0.0, p->surface_tension, length,
               (int)p->edges_per_wave + 1, false, 1e-3, length};
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_scene(&f, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, duration, FRAMES, duration / FRAMES, &film, error);
    if (status) return status;
    double zero[2] = {0.0, 0.0}, before = 0.0;
    int found = 0;
    for (int i = 0; i <= FRAMES && found < 2; i++) {
        double now = dr_lab_film_mode(&film, i, 1, film.vertices - 1, length, 0.0);
        if (i > 0 && now * before < 0.0)
            zero[found++] = film.time[i] - (film.time[i] - film.time[i - 1]) * now / (now - before);
        before = now;
    }
    double half = found == 2 ? zero[1] - zero[0] : NAN;
    dr_lab_expect_share(lab, "omega_squared", "1/s2", DR_PI * DR_PI / (half * half), expected, 0.01);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_wave = {"film-wave", "a standing capillary wave on a film, without beading",
                                      &waving_table, run_waving};

// ---- film-stoker: the flow itself, with a pressure that grows with its depth

typedef struct stoker {
    double left_height, right_height, gravity, time;
    int64_t cells;
} stoker;

static const dr_field stoker_rows[] = {
    ROW_REAL(stoker, left_height, DR_UNIT_NONE, "1", 1e-3, 1e3, "Depth before the dam."),
    ROW_REAL(stoker, right_height, DR_UNIT_NONE, "0.1", 0.0, 1e3, "Depth behind it; 0: a dry bed."),
    ROW_REAL(stoker, gravity, DR_UNIT_NONE, "9.81", 1e-6, 1e6, "Acceleration."),
    ROW_REAL(stoker, time, DR_UNIT_NONE, "1", 1e-3, 1e3, "After the dam broke, over sqrt(depth / gravity) / 0.3193."),
    ROW_COUNT(stoker, cells, "1000", 100, 100000, "Of the channel."),
};
static const dr_table stoker_table = ROW_TABLE("film-stoker", stoker, stoker_rows);

// Depth between shock and rarefaction: 2 (sqrt(g h_l) - sqrt(g h)) = (h - h_r) sqrt(g (h + h_r) / (2 h h_r)). None on a
// dry bed.
static double middle_depth(const stoker *p, double *speed, double *shock)
{
    double low = fmin(p->left_height, p->right_height), high = fmax(p->left_height, p->right_height);
    double l = p->left_height, r = p->right_height, g = p->gravity;
    if (!(r > 0.0)) *shock = *speed = 2.0 * sqrt(g * l);
    for (int i = 0; i < 200 && r > 0.0; i++) {
        double h = 0.5 * (low + high), behind = 2.0 * (sqrt(g * l) - sqrt(g * h));
        *speed = behind;
        if (behind > (h - r) * sqrt(g * (h + r) / (2.0 * h * r)))
            low = h;
        else
            high = h;
    }
    double h = 0.5 * (low + high);
    if (r > 0.0) *shock = h * *speed / (h - r);
    return h;
}

typedef struct channel {
    int n;
    double *x, *zero, *mass, *radius, *volume, *velocity, *impulse, *room, *answer;
    unsigned char *held;
} channel;

static bool open_channel(channel *c, int n)
{
    size_t m = (size_t)n;
    *c = (channel){.n = n};
    c->x = dr_memory_alloc(NULL, (3 + 3 + 1 + 1 + 1 + 1 + 3 + 15) * m * sizeof(double));
    c->room = dr_memory_alloc(NULL, dr_film_flow_room(n) * sizeof(double));
    c->held = dr_memory_alloc(NULL, m);
    if (!c->x || !c->room || !c->held) return false;
    c->zero = c->x + 3 * m;
    c->mass = c->zero + 3 * m;
    c->radius = c->mass + m;
    c->volume = c->radius + m;
    c->velocity = c->volume + m;
    c->impulse = c->velocity + m;
    c->answer = c->impulse + 3 * m;
    memset(c->held, 1, m);
    return true;
}

static void close_channel(channel *c)
{
    dr_memory_free(NULL, c->x, c->x ? 27 * (size_t)c->n * sizeof(double) : 0);
    dr_memory_free(NULL, c->room, c->room ? dr_film_flow_room(c->n) * sizeof(double) : 0);
    dr_memory_free(NULL, c->held, c->held ? (size_t)c->n : 0);
}

static double first_volume(const channel *c, const stoker *p, double edge, int i)
{
    double cell = i == 0 || i + 1 == c->n ? 0.5 * edge : edge;
    return cell * (2 * i < c->n ? p->left_height : p->right_height);
}

// A channel of width 1: sections are depths. How much its volume changes, summed cell by cell as differences, over it.
static double run_channel(channel *c, const stoker *p, double length, double time)
{
    double edge = length / (c->n - 1), before = 0.0, change = 0.0;
    dr_film_law law = {.density = 1.0, .depth = p->gravity};
    dr_film_host host = {.count = c->n,
                         .position = c->x,
                         .velocity = c->zero,
                         .mass = c->mass,
                         .radius = c->radius,
                         .pull = c->zero,
                         .gravity = c->zero,
                         .held = c->held};
    dr_film film = {.volume = c->volume, .velocity = c->velocity, .impulse = c->impulse};
    double *a = c->answer;
    dr_film_answer answer = {a, a + c->n, a + 7 * c->n, a + 10 * c->n, a + 11 * c->n, a + 14 * c->n};
    for (int i = 0; i < c->n; i++) {
        c->x[3 * i] = edge * i;
        c->radius[i] = c->mass[i] = 1.0;
        c->volume[i] = first_volume(c, p, edge, i);
        before += c->volume[i];
    }
    for (int k = 0; k < 50; k++) dr_film_flow(&law, &host, time / 50.0, &film, &answer, c->room);
    for (int i = 0; i < c->n; i++) change += c->volume[i] - first_volume(c, p, edge, i);
    return fabs(change) / before;
}

// Between the rarefaction's foot and the shock; and that.
static void judge_shock(dr_lab *lab, const channel *c, const stoker *p, double length, double time)
{
    double speed, shock, depth = middle_depth(p, &speed, &shock), edge = length / (c->n - 1), front = NAN;
    double at = 0.5 * length + 0.5 * time * (speed - sqrt(p->gravity * depth) + shock);
    int i = (int)(at / edge);
    for (int k = i; k + 1 < c->n; k++) {
        double half = 0.5 * (depth + p->right_height), a = c->volume[k] / edge, b = c->volume[k + 1] / edge;
        if (a >= half && b < half) {
            front = edge * (k + (a - half) / (a - b));
            break;
        }
    }
    dr_lab_expect_share(lab, "middle_height", NULL, c->volume[i] / edge, depth, 0.01);
    dr_lab_expect_share(lab, "middle_speed", NULL, c->velocity[i], speed, 0.01);
    dr_lab_expect_share(lab, "shock_speed", NULL, (front - 0.5 * (length - edge)) / time, shock, 0.01);
}

// A dry bed has no shock: 3 sqrt(g h) = 2 sqrt(g h_l) - x/t up to the front (Ritter 1892), which is as far as a
// hundredth of the depth says.
static void judge_front(dr_lab *lab, const channel *c, const stoker *p, double length, double time)
{
    double edge = length / (c->n - 1), dam = 0.5 * (length - edge);
    int i = (int)(dam / edge), last = i;
    while (last + 1 < c->n && c->volume[last + 1] > 0.01 * p->left_height * edge) last++;
    double share = dam / edge - i, h = c->volume[last] / edge;
    dr_lab_expect_share(lab, "dam_height", NULL, (c->volume[i] * (1.0 - share) + c->volume[i + 1] * share) / edge,
                        4.0 / 9.0 * p->left_height, 0.01);
    dr_lab_expect_share(lab, "front_speed", NULL, (edge * last - dam) / time + 3.0 * sqrt(p->gravity * h),
                        2.0 * sqrt(p->gravity * p->left_height), 0.01);
}

static dr_status run_stoker(dr_lab *lab, const void *values, dr_error *error)
{
    const stoker *p = values;
    double speed, shock, wave = sqrt(p->gravity * p->left_height);
    double time = p->time * 0.3193 * sqrt(p->left_height / p->gravity) * 10.0;
    if (!(p->left_height > p->right_height))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "film-stoker: the deeper side is the left one");
    middle_depth(p, &speed, &shock);
    double length = 2.2 * fmax(shock, wave) * time;
    channel c;
    bool ok = open_channel(&c, (int)p->cells + 1);
    if (!ok) {
        close_channel(&c);
        return dr_error_memory(error, "running film-stoker");
    }
    double drift = run_channel(&c, p, length, time);
    if (p->right_height > 0.0)
        judge_shock(lab, &c, p, length, time);
    else
        judge_front(lab, &c, p, length, time);
    dr_lab_expect(lab, "volume_drift", NULL, drift, 0.0, 1e-13);
    close_channel(&c);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_stoker = {"film-stoker", "a step of depth that breaks, in the flow that films go by",
                                        &stoker_table, run_stoker};
