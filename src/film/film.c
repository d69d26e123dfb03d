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

static const dr_column columns[] = {
    COLUMN(volume, 1, "cm3", "of liquid on it"),
    COLUMN(velocity, 1, "cm/s", "of the liquid along the edge, relative to it"),
    COLUMN(impulse, 3, "dyn s", "that the strand is still to be given"),
    COLUMN(force, 3, "dyn", "on the strand, but for gravity and the film's"),
    COLUMN(felt, 3, "cm/s2", "acceleration of the strand as drops feel it"),
    COLUMN(strain, 1, "1", "elastic strain of thick liquid along it"),
};
enum { COLUMNS = sizeof columns / sizeof *columns };
const dr_column_table dr_film_columns = {columns, COLUMNS - 1};
const dr_column_table dr_film_thick_columns = {columns, COLUMNS};

const dr_column_table *dr_film_table(bool thick)
{
    return thick ? &dr_film_thick_columns : &dr_film_columns;
}

bool dr_film_reserve(dr_film *film, const dr_allocator *allocator, size_t vertices, bool thick)
{
    if (!dr_columns_reserve(dr_film_table(thick), film, allocator, &film->capacity, vertices)) return false;
    film->vertices = vertices;
    memset(film->volume, 0, vertices * sizeof *film->volume);
    memset(film->velocity, 0, vertices * sizeof *film->velocity);
    memset(film->impulse, 0, 3 * vertices * sizeof *film->impulse);
    memset(film->force, 0, 3 * vertices * sizeof *film->force);
    memset(film->felt, 0, 3 * vertices * sizeof *film->felt);
    if (thick) memset(film->strain, 0, vertices * sizeof *film->strain);
    return true;
}

void dr_film_free(dr_film *film, const dr_allocator *allocator)
{
    dr_columns_free(dr_film_table(film->strain != NULL), film, allocator, &film->capacity);
    film->vertices = 0;
}

dr_film dr_film_of(const dr_film *all, size_t first)
{
    return (dr_film){.volume = all->volume + first,
                     .velocity = all->velocity + first,
                     .impulse = all->impulse + 3 * first,
                     .strain = all->strain ? all->strain + first : NULL};
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
void dr_film_add(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, double volume,
                 const double velocity[3])
{
    double mass = law->density * volume, extra[3], rest[3], moved[2] = {0.0, 0.0};
    dr_vec3_sub(extra, velocity, host->velocity + 3 * (size_t)v);
    dr_vec3_scale(rest, mass, extra);
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        int e = v - 1 + side;
        double t[3];
        dr_film_edge(host, e, t);
        moved[side] = 0.5 * mass * dr_vec3_dot(extra, t);
        dr_vec3_add_scaled(rest, rest, -moved[side], t);
        moved[side] += law->density * dr_film_share(film->volume, host->count, e) * film->velocity[e];
    }
    if (film->strain && volume > 0.0)
        film->strain[v] *= film->volume[v] / (film->volume[v] + volume); // it comes relaxed
    film->volume[v] += volume;
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        int e = v - 1 + side;
        double share = law->density * dr_film_share(film->volume, host->count, e);
        film->velocity[e] = share > 0.0 ? moved[side] / share : 0.0;
    }
    dr_vec3_add(film->impulse + 3 * (size_t)v, film->impulse + 3 * (size_t)v, rest);
}

double dr_film_take(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, double volume,
                    double momentum[3])
{
    double taken = fmin(fmax(volume, 0.0), film->volume[v]), mass = law->density * taken;
    dr_vec3_scale(momentum, mass, host->velocity + 3 * (size_t)v);
    for (int side = 0; side < 2 && !is_end(host, v); side++) {
        double t[3];
        dr_film_edge(host, v - 1 + side, t);
        dr_vec3_add_scaled(momentum, momentum, 0.5 * mass * film->velocity[v - 1 + side], t);
    }
    film->volume[v] -= taken;
    return taken;
}

// ---- sums

static void add_vertex(const dr_film *film, const dr_film_law *law, const dr_film_host *host, int v,
                       const double gravity[3], dr_film_budget *sum)
{
    const double *x = host->position + 3 * (size_t)v, *u = host->velocity + 3 * (size_t)v;
    const double *owed = film->impulse + 3 * (size_t)v;
    double mass = law->density * film->volume[v], momentum[3], moment[3];
    for (int a = 0; a < 3; a++) momentum[a] = mass * u[a] + owed[a];
    dr_vec3_cross(moment, x, momentum);
    dr_vec3_add(sum->linear, sum->linear, momentum);
    dr_vec3_add(sum->angular, sum->angular, moment);
    sum->volume += film->volume[v];
    sum->mass += mass;
    sum->kinetic += 0.5 * mass * dr_vec3_dot(u, u) + dr_vec3_dot(owed, u);
    sum->potential -= mass * dr_vec3_dot(gravity, x);
}

static void add_edge(const dr_film *film, const dr_film_law *law, const dr_film_host *host, int e, dr_film_budget *sum)
{
    const double *x = host->position + 3 * (size_t)e;
    double mass = law->density * dr_film_share(film->volume, host->count, e), u = film->velocity[e], t[3], moment[3];
    if (!(mass > 0.0)) return;
    dr_film_edge(host, e, t);
    dr_vec3_cross(moment, x, t);
    dr_vec3_add_scaled(sum->linear, sum->linear, mass * u, t);
    dr_vec3_add_scaled(sum->angular, sum->angular, mass * u, moment);
    sum->kinetic += 0.5 * mass * u * u;
    if (host->spin)
        sum->kinetic += 0.5 * dr_film_turn(law, host, film->volume, e, NULL) * host->spin[e] * host->spin[e];
    for (int v = e; v < e + 2; v++) {
        double half = is_end(host, v) ? 0.0 : 0.5 * law->density * film->volume[v];
        sum->kinetic += half * u * dr_vec3_dot(host->velocity + 3 * (size_t)v, t);
    }
}

double dr_film_drop_radius(double volume, double radius)
{
    return cbrt(radius * radius * radius + 3.0 * volume / (4.0 * DR_PI));
}

static bool hangs(const dr_film_host *host, int v)
{
    return (v == 0 && host->free_end[0]) || (v + 1 == host->count && host->free_end[1]);
}

// The radius of the surface at a vertex; beside a drop at a free end the film goes on as it is.
static double surface_at(const dr_film *film, const dr_film_host *host, int v)
{
    if (hangs(host, v) && host->count > 2) v = v == 0 ? 1 : v - 1;
    return host->radius[v] + dr_film_height(film->volume[v], dr_film_cell(host, v), host->radius[v]);
}

// The area whose change with volume is the pressure over surface tension: what closes around the strand, what slopes, a
// drop at a free end. (8)-(10)
static double surface_area(const dr_film *film, const dr_film_law *law, const dr_film_host *host)
{
    double sum = 0.0, t[3];
    for (int v = 0; v < host->count; v++) {
        double r = host->radius[v], cell = dr_film_cell(host, v);
        double coarse = DR_FILM_BEAD * (v == 0 || v + 1 == host->count ? 2.0 : 1.0) * cell;
        double drop = dr_film_drop_radius(film->volume[v], r);
        bool closed = law->hoop && !(host->bridged && host->bridged[v]);
        if (hangs(host, v))
            sum += 4.0 * DR_PI * (drop * drop - r * r);
        else if (closed)
            sum += cell * dr_film_hoop_area(surface_at(film, host, v), r, coarse);
    }
    for (int e = 0; e + 1 < host->count; e++) {
        double length = dr_film_edge(host, e, t), a = surface_at(film, host, e), b = surface_at(film, host, e + 1);
        sum += DR_PI * (a + b) * (sqrt(length * length + (b - a) * (b - a)) - length);
    }
    return sum;
}

void dr_film_sum(const dr_film *film, const dr_film_law *law, const dr_film_host *host, const double gravity[3],
                 dr_film_budget *sum)
{
    double before = sum->volume;
    for (int v = 0; v < host->count; v++) add_vertex(film, law, host, v, gravity, sum);
    for (int e = 0; e + 1 < host->count; e++) add_edge(film, law, host, e, sum);
    if (sum->volume > before && law->surface_tension > 0.0)
        sum->surface += law->surface_tension * surface_area(film, law, host);
}
