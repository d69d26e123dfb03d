// The film's state: memory, exchange of volume and momentum, sums. docs/theory/film.md, eq. (1)-(4).
#include "film/film.h"

#include "base/memory.h"
#include "film/constants.h"
#include "film/parts.h"
#include "film/turn.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define COLUMN(member, components, unit, doc)                                                                          \
    {                                                                                                                  \
#member, offsetof(dr_film, member), DR_TYPE_FLOAT64, components, unit, doc                                     \
    }

#define PLAIN                                                                                                          \
    COLUMN(volume, 1, "cm3", "of liquid on it"),                                                                       \
        COLUMN(velocity, 1, "cm/s", "of the liquid along the edge, relative to it"),                                   \
        COLUMN(impulse, 3, "dyn s", "that the strand is still to be given"),                                           \
        COLUMN(force, 3, "dyn", "on the strand, but for gravity and the film's"),                                      \
        COLUMN(felt, 3, "cm/s2", "acceleration of the strand as drops feel it")
#define STRAIN COLUMN(strain, 1, "1", "elastic strain of thick liquid along it")
#define MIX(n) COLUMN(mix, n, "cm3", "of each liquid on it")
#define MIXED(n)                                                                                                       \
    {                                                                                                                  \
        PLAIN, MIX(n)                                                                                                  \
    }
#define BOTH(n)                                                                                                        \
    {                                                                                                                  \
        PLAIN, STRAIN, MIX(n)                                                                                          \
    }

enum { PLAIN_COLUMNS = 5 };
// [liquids]; what is not wanted stands at the end
static const dr_column plain[DR_FILM_LIQUIDS + 1][PLAIN_COLUMNS + 1] = {
    MIXED(1), MIXED(1), MIXED(2), MIXED(3), MIXED(4), MIXED(5), MIXED(6), MIXED(7), MIXED(8)};
static const dr_column thick[DR_FILM_LIQUIDS + 1][PLAIN_COLUMNS + 2] = {BOTH(1), BOTH(1), BOTH(2), BOTH(3), BOTH(4),
                                                                        BOTH(5), BOTH(6), BOTH(7), BOTH(8)};
#define TABLES(of, columns)                                                                                            \
    {                                                                                                                  \
        {of[0], columns}, {of[1], columns}, {of[2], columns + 1}, {of[3], columns + 1}, {of[4], columns + 1},          \
            {of[5], columns + 1}, {of[6], columns + 1}, {of[7], columns + 1},                                          \
        {                                                                                                              \
            of[8], columns + 1                                                                                         \
        }                                                                                                              \
    }
static const dr_column_table tables[2][DR_FILM_LIQUIDS + 1] = {TABLES(plain, PLAIN_COLUMNS),
                                                               TABLES(thick, PLAIN_COLUMNS + 1)};
const dr_column_table dr_film_columns = {plain[0], PLAIN_COLUMNS};

const dr_column_table *dr_film_table(bool is_thick, int liquids)
{
    return &tables[is_thick][liquids];
}

bool dr_film_reserve(dr_film *film, const dr_allocator *allocator, size_t vertices, bool is_thick, int liquids)
{
    film->liquids = liquids > 1 ? liquids : 0;
    if (!dr_columns_reserve(dr_film_table(is_thick, film->liquids), film, allocator, &film->capacity, vertices))
        return false;
    film->vertices = vertices;
    memset(film->volume, 0, vertices * sizeof *film->volume);
    memset(film->velocity, 0, vertices * sizeof *film->velocity);
    memset(film->impulse, 0, 3 * vertices * sizeof *film->impulse);
    memset(film->force, 0, 3 * vertices * sizeof *film->force);
    memset(film->felt, 0, 3 * vertices * sizeof *film->felt);
    if (is_thick) memset(film->strain, 0, vertices * sizeof *film->strain);
    if (film->mix) memset(film->mix, 0, (size_t)film->liquids * vertices * sizeof *film->mix);
    return true;
}

void dr_film_free(dr_film *film, const dr_allocator *allocator)
{
    dr_columns_free(dr_film_table(film->strain != NULL, film->liquids), film, allocator, &film->capacity);
    film->vertices = 0;
}

dr_film dr_film_of(const dr_film *all, size_t first)
{
    return (dr_film){.volume = all->volume + first,
                     .velocity = all->velocity + first,
                     .impulse = all->impulse + 3 * first,
                     .strain = all->strain ? all->strain + first : NULL,
                     .mix = all->mix ? all->mix + (size_t)all->liquids * first : NULL,
                     .liquids = all->liquids};
}

// ---- mixtures, (32)

int dr_film_liquid_count(const dr_film *film)
{
    return film->mix ? film->liquids : 1;
}

double dr_film_of_liquid(const dr_film *film, int v, int liquid)
{
    return film->mix ? film->mix[film->liquids * v + liquid] : film->volume[v];
}

double dr_film_liquid_density(const dr_film *film, const dr_film_law *law, int liquid)
{
    return film->mix ? law->liquids->density[liquid] : law->density;
}

// The mean of numbers of liquids, by volume; of none its own.
static double mean(const dr_film *film, int v, const double *numbers, double own)
{
    double sum = 0.0, all = 0.0;
    for (int k = 0; k < film->liquids; k++) {
        double part = film->mix[film->liquids * v + k];
        sum += part * numbers[k];
        all += part;
    }
    return all > 0.0 ? sum / all : own;
}

double dr_film_density(const dr_film *film, const dr_film_law *law, int v)
{
    return film->mix ? mean(film, v, law->liquids->density, law->density) : law->density;
}

double dr_film_viscosity(const dr_film *film, const dr_film_law *law, int v)
{
    return film->mix && !law->thick ? mean(film, v, law->liquids->viscosity, law->viscosity) : law->viscosity;
}

double dr_film_tension(const dr_film *film, const dr_film_law *law, int v)
{
    return film->mix ? mean(film, v, law->liquids->surface_tension, law->surface_tension) : law->surface_tension;
}

dr_film_flow_curve dr_film_flow_curve_thin(double viscosity)
{
    double least = fmax(viscosity, DR_FILM_INVISCID);
    return (dr_film_flow_curve){.consistency = least, .index = 1.0, .norm_consistency = 2.0 * least};
}

void dr_film_flow_curve_add(dr_film_flow_curve *sum, double part, const dr_film_flow_curve *of)
{
    sum->yield += part * of->yield;
    sum->consistency += part * of->consistency;
    sum->index += part * of->index;
    sum->shear_modulus += part * of->shear_modulus;
    sum->norm_yield += part * of->norm_yield;
    sum->norm_consistency += part * of->norm_consistency;
}

dr_film_flow_curve dr_film_flow_curve_at(const dr_film *film, const dr_film_law *law, int v)
{
    double all = 0.0;
    for (int k = 0; film->mix && k < film->liquids; k++) all += film->mix[film->liquids * v + k];
    if (!(all > 0.0))
        return (dr_film_flow_curve){law->yield,         law->consistency,   law->index,
                                    law->shear_modulus, law->plastic.yield, law->plastic.consistency};
    dr_film_flow_curve sum = {0};
    for (int k = 0; k < film->liquids; k++)
        dr_film_flow_curve_add(&sum, film->mix[film->liquids * v + k] / all, &law->liquids->curve[k]);
    return sum;
}

double dr_film_mass(const dr_film *film, const dr_film_law *law, int v)
{
    return dr_film_density(film, law, v) * film->volume[v];
}

double dr_film_height(double volume, double cell, double radius)
{
    double area = volume / (DR_PI * cell);
    return area > 0.0 ? area / (radius + sqrt(radius * radius + area)) : 0.0;
}

double dr_film_volume(double height, double cell, double radius)
{
    return DR_PI * height * (height + 2.0 * radius) * cell;
}

double dr_film_edge(const dr_film_host *host, int e, double t[3])
{
    const double *x = host->position + 3 * (size_t)e;
    dr_vec3_sub(t, x + 3, x);
    return dr_vec3_normalize(t, t, (double[3]){1.0, 0.0, 0.0});
}

double dr_film_cell(const dr_film_host *host, int v)
{
    double t[3], sum = 0.0;
    if (v > 0) sum += dr_film_edge(host, v - 1, t);
    if (v + 1 < host->count) sum += dr_film_edge(host, v, t);
    return 0.5 * sum;
}

static bool is_end(const dr_film_host *host, int v)
{
    return v == 0 || v + 1 == host->count;
}

// What comes with another velocity than the strand's goes along the edges, the rest to the strand. (3)
void dr_film_add(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, int liquid, double volume,
                 const double velocity[3])
{
    double mass = dr_film_liquid_density(film, law, liquid) * volume, extra[3], rest[3], moved[2] = {0.0, 0.0};
    dr_vec3_sub(extra, velocity, host->velocity + 3 * (size_t)v);
    dr_vec3_scale(rest, mass, extra);
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        int e = v - 1 + side;
        double t[3];
        dr_film_edge(host, e, t);
        moved[side] = 0.5 * mass * dr_vec3_dot(extra, t);
        dr_vec3_add_scaled(rest, rest, -moved[side], t);
        moved[side] += dr_film_edge_mass(film, law, host->count, e) * film->velocity[e];
    }
    if (film->strain && volume > 0.0)
        film->strain[v] *= film->volume[v] / (film->volume[v] + volume); // it comes relaxed
    film->volume[v] += volume;
    if (film->mix) film->mix[film->liquids * v + liquid] += volume;
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        int e = v - 1 + side;
        double share = dr_film_edge_mass(film, law, host->count, e);
        film->velocity[e] = share > 0.0 ? moved[side] / share : 0.0;
    }
    dr_vec3_add(film->impulse + 3 * (size_t)v, film->impulse + 3 * (size_t)v, rest);
}

double dr_film_take(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, int liquid, double volume,
                    double momentum[3])
{
    double taken = fmin(fmin(fmax(volume, 0.0), film->volume[v]), dr_film_of_liquid(film, v, liquid));
    double mass = dr_film_liquid_density(film, law, liquid) * taken;
    dr_vec3_scale(momentum, mass, host->velocity + 3 * (size_t)v);
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        double t[3];
        dr_film_edge(host, v - 1 + side, t);
        dr_vec3_add_scaled(momentum, momentum, 0.5 * mass * film->velocity[v - 1 + side], t);
    }
    film->volume[v] -= taken;
    if (film->mix) film->mix[film->liquids * v + liquid] -= taken;
    return taken;
}

// ---- sums

static void add_vertex(const dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, dr_rigid_sum *sum)
{
    const double *owed = film->impulse + 3 * (size_t)v;
    double r[3], u[3];
    dr_rigid_sum_place(sum, host->position + 3 * (size_t)v, r);
    dr_rigid_sum_velocity(sum, host->velocity + 3 * (size_t)v, u);
    dr_rigid_sum_add_point(sum, dr_film_mass(film, law, v), r, u);
    dr_rigid_sum_add_momentum(sum, r, owed);
    sum->kinetic += dr_vec3_dot(owed, u);
}

static void add_edge(const dr_film *film, const dr_film_law *law, const dr_film_host *host, int e, dr_rigid_sum *sum)
{
    double mass = dr_film_edge_mass(film, law, host->count, e), u = film->velocity[e], t[3], r[3], momentum[3];
    if (!(mass > 0.0)) return;
    dr_film_edge(host, e, t);
    dr_rigid_sum_place(sum, host->position + 3 * (size_t)e, r);
    dr_vec3_scale(momentum, mass * u, t);
    dr_rigid_sum_add_momentum(sum, r, momentum);
    sum->kinetic += 0.5 * mass * u * u;
    if (host->spin) dr_rigid_sum_add_spin(sum, dr_film_turn(law, host, film, e, NULL), host->spin[e], t);
    for (int v = e; v < e + 2; v++) {
        double half = is_end(host, v) ? 0.0 : 0.5 * dr_film_mass(film, law, v), carried[3];
        dr_rigid_sum_velocity(sum, host->velocity + 3 * (size_t)v, carried);
        sum->kinetic += half * u * dr_vec3_dot(carried, t);
    }
}

void dr_film_add_motion(const dr_film *film, const dr_film_law *law, const dr_film_host *host, dr_rigid_sum *sum)
{
    for (int v = 0; v < host->count; v++) add_vertex(film, law, host, v, sum);
    for (int e = 0; e + 1 < host->count; e++) add_edge(film, law, host, e, sum);
}

static double drop_radius(double volume, double radius)
{
    return cbrt(radius * radius * radius + 3.0 * volume / (4.0 * DR_PI));
}

double dr_film_drop_pressure(double volume, double radius, double coarse)
{
    double c = fmax(coarse, radius), R = fmax(drop_radius(volume, radius), c);
    return coarse > radius ? (2.0 - c / (3.0 * R)) / R : 2.0 / R;
}

double dr_film_drop_area(double volume, double radius, double coarse)
{
    double R = drop_radius(volume, radius), c = fmax(coarse, radius), low = fmin(R, c), high = fmax(R, c);
    if (!(coarse > radius)) return 4.0 * DR_PI * (R * R - radius * radius);
    return 20.0 / 9.0 * DR_PI / c * (low * low * low - radius * radius * radius) +
           4.0 * DR_PI * (high - c) * (high + 2.0 / 3.0 * c);
}

// The radius of the surface at a vertex; beside a drop at a free end the film goes on as it is.
static double surface_at(const dr_film *film, const dr_film_host *host, int v)
{
    if (dr_film_hangs(host, v) && host->count > 2) v = v == 0 ? 1 : v - 1;
    return host->radius[v] + dr_film_height(film->volume[v], dr_film_cell(host, v), host->radius[v]);
}

static bool is_dry(const dr_film *film, const dr_film_host *host)
{
    for (int v = 0; v < host->count; v++) {
        if (film->volume[v] > 0.0) return false;
    }
    return true;
}

// The energy whose change with volume is the pressure: surface tension times what closes around the strand, what
// slopes, a drop at a free end. (8)-(10)
double dr_film_surface_energy(const dr_film *film, const dr_film_law *law, const dr_film_host *host)
{
    double sum = 0.0, t[3];
    if (!(law->surface_tension > 0.0 || film->mix) || is_dry(film, host)) return 0.0;
    for (int v = 0; v < host->count; v++) {
        double r = host->radius[v], cell = dr_film_cell(host, v);
        double coarse = DR_FILM_BEAD * (v == 0 || v + 1 == host->count ? 2.0 : 1.0) * cell;
        bool closed = law->hoop && !(host->bridged && host->bridged[v]);
        double sigma = dr_film_tension(film, law, v);
        if (dr_film_hangs(host, v))
            sum += sigma * dr_film_drop_area(film->volume[v], r, coarse);
        else if (closed)
            sum += sigma * cell * dr_film_hoop_area(surface_at(film, host, v), r, coarse);
    }
    for (int e = 0; e + 1 < host->count; e++) {
        double length = dr_film_edge(host, e, t), a = surface_at(film, host, e), b = surface_at(film, host, e + 1);
        double sigma = 0.5 * (dr_film_tension(film, law, e) + dr_film_tension(film, law, e + 1));
        sum += sigma * DR_PI * (a + b) * (sqrt(length * length + (b - a) * (b - a)) - length);
    }
    return sum;
}

void dr_film_sum(const dr_film *film, const dr_film_law *law, const dr_film_host *host, const double gravity[3],
                 dr_film_budget *sum)
{
    dr_rigid_sum motion = {0};
    dr_film_add_motion(film, law, host, &motion);
    sum->mass += motion.mass;
    dr_vec3_add(sum->linear, sum->linear, motion.linear);
    dr_vec3_add(sum->angular, sum->angular, motion.angular);
    sum->kinetic += motion.kinetic;
    sum->potential -= dr_vec3_dot(gravity, motion.first);
    for (int v = 0; v < host->count; v++) sum->volume += film->volume[v];
    sum->surface += dr_film_surface_energy(film, law, host);
}
