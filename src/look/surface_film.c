// Films on curves as tubes of varying radius, water in fabric as slabs on its triangles, and the blocks they lie in.
// docs/theory/reconstruction.md, eq. (9)-(10).
#include "look/surface_parts.h"

#include <math.h>
#include <string.h>

#define FABRIC    0.03 // cm, where a frame does not say how thick its fabric is
#define SKIN      0.1  // cells: a film thinner than this does not yet carry the curve it lies on
#define MOST_LONG 15.0 // cells: longer ones are cut

typedef struct corner {
    double position[3]; // cells
    double radius;
    bool open;          // the end of a curve
    double velocity[3]; // cm/s
} corner;

typedef struct source {
    const dr_frame_part *part;
    const dr_frame_array *position, *velocity, *radius, *height, *wetness, *thickness;
    double cell;
} source;

typedef struct filming {
    dr_surface_films *films;
    size_t item_capacity;
    const dr_allocator *allocator;
} filming;

static const dr_frame_array *find(const dr_frame_part *part, const char *name, int components)
{
    const dr_frame_array *array = dr_frame_find(part, name);
    return array && array->components == components && array->count == part->point_count ? array : NULL;
}

// Whether a part can be wet at all.
static bool open_source(source *source, const dr_frame_part *part, double cell)
{
    *source = (struct source){.part = part,
                              .position = find(part, "position", 3),
                              .velocity = find(part, "velocity", 3),
                              .radius = find(part, "radius", 1),
                              .height = find(part, "film_height", 1),
                              .wetness = find(part, "wetness", 1),
                              .thickness = find(part, "thickness", 1),
                              .cell = cell};
    if (part->element_count == 0 || !part->index || !source->position) return false;
    return part->kind == DR_FRAME_CURVES ? source->height != NULL
                                         : part->kind == DR_FRAME_TRIANGLES && (source->wetness || source->height);
}

// Radius of the liquid around a point of a curve, or half the thickness of that in fabric, cm.                 eq. (9)
static double radius_of(const source *source, size_t i)
{
    double height = fmax(0.0, dr_surface_number(source->height, i, 0));
    if (source->part->kind == DR_FRAME_CURVES) {
        double radius = fmax(0.0, dr_surface_number(source->radius, i, 0));
        double skin = fmin(SKIN * source->cell, radius), share = skin > 0.0 ? fmin(1.0, height / skin) : 1.0;
        return height + radius * share * share * (3.0 - 2.0 * share);
    }
    double thickness = source->thickness ? dr_surface_number(source->thickness, i, 0) : FABRIC;
    return height + 0.5 * thickness * fmin(1.0, fmax(0.0, dr_surface_number(source->wetness, i, 0)));
}

static corner corner_of(const source *source, size_t i)
{
    corner c = {.radius = radius_of(source, i) / source->cell};
    for (int a = 0; a < 3; a++) {
        c.position[a] = dr_surface_number(source->position, i, a) / source->cell;
        c.velocity[a] = dr_surface_number(source->velocity, i, a);
    }
    return c;
}

static bool is_sound(const corner *c)
{
    double range = (DR_SURFACE_RANGE - 4.0) * DR_SURFACE_SIDE;
    bool sound = isfinite(c->radius) && c->radius < DR_SURFACE_SIDE * 16.0;
    for (int a = 0; a < 3; a++) sound = sound && fabs(c->position[a]) < range && isfinite(c->velocity[a]);
    return sound;
}

// ---- pieces

// Beyond an end where its curve goes on a tube gets thinner by half of the way along its axis: it ends after twice its
// radius, and nowhere stands further out sideways than at the end itself.
float dr_surface_film_reach(const dr_surface_film *film, int corner, int axis)
{
    float radius = film->radius[corner], wide = (float)DR_SURFACE_BLEND, edge[3], plain = radius + wide;
    if (film->corners != 2 || film->open[corner]) return plain;
    for (int a = 0; a < 3; a++) edge[a] = film->corner[1][a] - film->corner[0][a];
    float length2 = edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2];
    float along2 = length2 > 0.0F ? fminf(1.0F, edge[axis] * edge[axis] / length2) : 0.0F;
    return fmaxf(plain, 2.0F * radius * sqrtf(along2) + wide * sqrtf(1.0F - along2));
}

static bool add_items(filming *job, uint32_t number)
{
    const dr_surface_film *film = job->films->film + number;
    int32_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        double least = 1e30, most = -1e30;
        for (int i = 0; i < film->corners; i++) {
            double place = (double)film->node[a] + (double)film->corner[i][a];
            double reach = (double)dr_surface_film_reach(film, i, a);
            least = fmin(least, place - reach);
            most = fmax(most, place + reach);
        }
        low[a] = (int32_t)floor(least / DR_SURFACE_SIDE - 1e-6);
        high[a] = (int32_t)floor(most / DR_SURFACE_SIDE + 1e-6);
    }
    int32_t block[3];
    dr_surface_films *films = job->films;
    for (block[2] = low[2]; block[2] <= high[2]; block[2]++) {
        for (block[1] = low[1]; block[1] <= high[1]; block[1]++) {
            for (block[0] = low[0]; block[0] <= high[0]; block[0]++) {
                if (!dr_memory_reserve(job->allocator, (void **)&films->item, &job->item_capacity,
                                       films->item_count + 1, sizeof *films->item))
                    return false;
                films->item[films->item_count++] = (dr_sort_item){dr_surface_key(block), number};
            }
        }
    }
    return true;
}

static bool add_film(filming *job, const corner *corners, int count, uint32_t owner)
{
    dr_surface_films *films = job->films;
    if (!dr_memory_reserve(job->allocator, (void **)&films->film, &films->capacity, films->count + 1,
                           sizeof *films->film))
        return false;
    dr_surface_film *film = films->film + films->count;
    *film = (dr_surface_film){.owner = owner, .corners = (uint8_t)count, .open = {corners[0].open, corners[1].open}};
    for (int a = 0; a < 3; a++) film->node[a] = (int32_t)floor(corners[0].position[a]);
    for (int i = 0; i < count; i++) {
        film->radius[i] = (float)corners[i].radius;
        for (int a = 0; a < 3; a++) {
            film->corner[i][a] = (float)(corners[i].position[a] - film->node[a]);
            film->velocity[i][a] = (float)corners[i].velocity[a];
        }
    }
    return add_items(job, (uint32_t)films->count++);
}

static corner halfway(const corner *a, const corner *b)
{
    corner c = {.radius = 0.5 * (a->radius + b->radius)};
    for (int i = 0; i < 3; i++) {
        c.position[i] = 0.5 * (a->position[i] + b->position[i]);
        c.velocity[i] = 0.5 * (a->velocity[i] + b->velocity[i]);
    }
    return c;
}

static double distance(const corner *a, const corner *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += (a->position[i] - b->position[i]) * (a->position[i] - b->position[i]);
    }
    return sqrt(sum);
}

// The two corners that lie furthest apart.
static int longest(const corner *corners, int count)
{
    int best = 0;
    for (int i = 1; count == 3 && i < 3; i++) {
        if (distance(corners + i, corners + (i + 1) % 3) > distance(corners + best, corners + (best + 1) % 3)) best = i;
    }
    return best;
}

// Adds a film in pieces no longer than a block, halving what is longer.
static bool add_pieces(filming *job, const corner *corners, int count, uint32_t owner)
{
    int edge = longest(corners, count), next = (edge + 1) % count;
    if (distance(corners + edge, corners + next) <= MOST_LONG) return add_film(job, corners, count, owner);
    corner one[3], other[3];
    memcpy(one, corners, (size_t)count * sizeof *one);
    memcpy(other, corners, (size_t)count * sizeof *other);
    one[next] = other[edge] = halfway(corners + edge, corners + next);
    return add_pieces(job, one, count, owner) && add_pieces(job, other, count, owner);
}

static bool add_element(filming *job, const source *source, const uint32_t *points, int count, const bool open[2],
                        uint32_t owner)
{
    corner corners[3];
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        if (points[i] >= source->part->point_count) return true;
        corners[i] = corner_of(source, points[i]);
        corners[i].open = i < 2 && open[i];
        if (!is_sound(corners + i)) return true;
        largest = fmax(largest, corners[i].radius);
    }
    return largest < DR_SURFACE_LEAST_FILM || add_pieces(job, corners, count, owner);
}

static bool add_part(filming *job, const source *source, uint32_t *owner)
{
    const dr_frame_part *part = source->part;
    bool curves = part->kind == DR_FRAME_CURVES;
    for (size_t e = 0; e < part->element_count; e++) {
        if (!curves) {
            if (!add_element(job, source, part->index + 3 * e, 3, (bool[2]){false, false}, *owner)) return false;
            continue;
        }
        for (uint32_t p = part->index[e]; p + 1 < part->index[e + 1]; p++) {
            bool open[2] = {p == part->index[e], p + 2 == part->index[e + 1]};
            if (!add_element(job, source, (uint32_t[2]){p, p + 1}, 2, open, *owner)) return false;
        }
        (*owner)++;
    }
    (*owner)++;
    return true;
}

static bool sort_items(filming *job)
{
    dr_surface_films *films = job->films;
    size_t bytes = films->item_count * sizeof *films->item;
    dr_sort_item *spare = dr_memory_resize(job->allocator, NULL, 0, bytes);
    if (!spare) return bytes == 0;
    dr_sort_items(films->item, spare, films->item_count);
    dr_memory_free(job->allocator, spare, bytes);
    return true;
}

bool dr_surface_films_open(dr_surface_films *films, const dr_surface_scale *scale, const dr_frame *frame,
                           const dr_allocator *allocator)
{
    *films = (dr_surface_films){0};
    filming job = {.films = films, .allocator = allocator};
    uint32_t owner = 0;
    bool done = true;
    for (int i = 0; i < frame->part_count && done; i++) {
        source source;
        if (open_source(&source, frame->parts + i, scale->cell)) done = add_part(&job, &source, &owner);
    }
    done = done && sort_items(&job);
    films->item_capacity = job.item_capacity;
    if (!done) dr_surface_films_close(films, allocator);
    return done;
}

void dr_surface_films_close(dr_surface_films *films, const dr_allocator *allocator)
{
    dr_memory_free(allocator, films->film, films->capacity * sizeof *films->film);
    dr_memory_free(allocator, films->item, films->item_capacity * sizeof *films->item);
    *films = (dr_surface_films){0};
}

double dr_surface_typical_radius(const dr_frame *frame)
{
    double total = 0.0, sum = 0.0;
    for (int i = 0; i < frame->part_count; i++) {
        source source;
        if (!open_source(&source, frame->parts + i, 0.0)) continue;
        for (size_t p = 0; p < source.part->point_count; p++) {
            double radius = radius_of(&source, p);
            if (!(radius > 0.0) || !isfinite(radius)) continue;
            total += radius;
            sum += radius * radius;
        }
    }
    return total > 0.0 ? sum / total : 0.0;
}
