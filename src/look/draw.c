// Drawing. Parts of the frame become meshes, balls and curves; liquid and elastic bodies get a smooth surface where the
// look wants it. Pixels are drawn in square tiles, each pixel from its own random numbers. docs/render.md.
#include "look/draw.h"

#include "base/memory.h"
#include "look/action.h"
#include "look/camera.h"
#include "look/cast.h"
#include "look/copies.h"
#include "look/denoise.h"
#include "look/grains.h"
#include "look/picture.h"
#include "look/sheet.h"
#include "look/surface_parts.h"
#include "look/trace.h"

#include <stdatomic.h>
#include <string.h>

#define TILE            16
#define TRACED          0.97 // of the time, the rest is for noise
#define SOLID_SWELLING  2.0f // see draw_back
#define LIQUID_SWELLING 2.5f // times the smoothing
#define MOST_WET        4    // parts of a frame that liquid meets: strands, yarn, cloth, colliders
#define MOST_PIECES     2000000
#define OVERLAP                                                                                                        \
    0.1 // spacings that liquid is drawn into what it lies on: half of it lets slits of air be seen
        // where meshes are coarse, twice of it comes out of thin walls behind

// ---- putting a frame into the studio

// Films that are mixed of several liquids.
typedef struct mixture {
    int count;                            // 0: they are not
    int liquid[DR_STUDIO_FILMS];          // what each looks like
    const float *volume[DR_STUDIO_FILMS]; // [point]
    dr_paint *paints;                     // [count]
} mixture;

typedef struct setting {
    const dr_draw *draw;
    const dr_look_spec *look;
    dr_cast cast;
    dr_studio *studio;
    dr_arena arena;
    float spacing; // of the particles of the liquid
    double ground; // its height, where there is one
    dr_box action; // that can be seen
    mixture films; // of strands
    dr_error *error;
} setting;

static const dr_frame_part *find_part(const dr_frame *frame, const char *name, dr_frame_kind kind)
{
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, name) == 0 && part->kind == kind && part->point_count > 0) return part;
    }
    return NULL;
}

static const void *find_array(const dr_frame_part *part, const char *name, dr_type type, int components, size_t count)
{
    const dr_frame_array *array = dr_frame_find(part, name);
    if (!array || array->type != type || array->components != components || array->count != count) return NULL;
    return array->data;
}

static const float *find_floats(const dr_frame_part *part, const char *name, int components)
{
    return find_array(part, name, DR_TYPE_FLOAT32, components, part->point_count);
}

// Numbers of bodies, none beyond the last paint, which is for all that are not known.
static uint32_t *take_bodies(setting *set, const uint32_t *body, size_t count, int known)
{
    uint32_t *made = dr_arena_alloc(&set->arena, count * sizeof *made);
    for (size_t i = 0; made && i < count; i++) made[i] = body && body[i] < (uint32_t)known ? body[i] : (uint32_t)known;
    return made;
}

static dr_status refuse_part(setting *set, const dr_frame_part *part, const char *what)
{
    return dr_error_add(set->error, DR_STATUS_BAD_ARGUMENT, "frame %d: part \"%s\" has no %s to be drawn with",
                        set->draw->frame->number, part->name, what);
}

static dr_status out_of_memory(setting *set)
{
    return dr_error_memory(set->error, "putting the frame into the studio");
}

// Balls of the particles' own volume. paint NULL: that of their bodies.
static dr_status add_balls(setting *set, const dr_frame_part *part, const dr_paint *paint, bool elastic_too)
{
    const float *position = find_floats(part, "position", 3), *volume = find_floats(part, "volume", 1);
    if (!position || !volume) return refuse_part(set, part, "position and volume");
    const uint32_t *body = find_array(part, "body", DR_TYPE_UINT32, 1, part->point_count);
    dr_studio_balls balls = {.paints = paint ? paint : set->cast.bodies};
    uint32_t *bodies = take_bodies(set, body, part->point_count, set->cast.body_count);
    const uint64_t *id = find_array(part, "id", DR_TYPE_UINT64, 1, part->point_count);
    uint64_t *ids = dr_arena_alloc(&set->arena, part->point_count * sizeof *ids);
    float(*kept)[3] = dr_arena_alloc(&set->arena, part->point_count * sizeof *kept);
    float *radius = dr_arena_alloc(&set->arena, part->point_count * sizeof *radius);
    if (!bodies || !kept || !radius || !ids) return out_of_memory(set);
    for (size_t p = 0; p < part->point_count; p++) {
        if (!elastic_too && set->cast.elastic[bodies[p]]) continue;
        float size = cbrtf(fmaxf(volume[p], 0.0f) * 0.75f / DR_PI_FLOAT);
        memcpy(kept[balls.count], position + 3 * p, sizeof *kept);
        radius[balls.count] = (float)set->look->particle_scale * size;
        ids[balls.count] = id ? id[p] : p;
        bodies[balls.count++] = paint ? 0 : bodies[p];
    }
    balls.position = (const float(*)[3])kept;
    balls.radius = radius;
    balls.body = bodies;
    size_t paints = (size_t)set->cast.body_count + 1;
    if (!paint && !dr_grains_scatter(&balls, ids, set->cast.sand, paints, &set->arena)) return out_of_memory(set);
    if (set->draw->summary) set->draw->summary->balls += balls.count;
    return dr_studio_add_balls(set->studio, &balls, set->error);
}

// The surface is made around particles that are taken for larger than they are, which closes the dents between them,
// and drawn back by as much as it came to lie too far out.
static void draw_back(dr_surface_mesh *mesh, float way)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        for (int a = 0; a < 3; a++) mesh->position[v][a] -= way * mesh->normal[v][a];
    }
}

// liquid NULL: of an elastic body of that paint.
static dr_status add_surface(setting *set, const dr_frame *frame, const dr_cast_liquid *liquid, const dr_paint *paint,
                             float way)
{
    bool tinted = liquid && !liquid->clear && set->films.count > 0;
    const dr_liquid_look_spec *look = &set->look->liquid;
    dr_surface_options options;
    dr_surface_mesh mesh;
    dr_surface_options_default(&options);
    options.smoothing = liquid ? (float)look->smoothing : 1.0f;
    options.films = look->films;
    if (liquid) {
        options.scene = set->draw->scene;
        options.overlap = way + (float)OVERLAP * set->spacing;
        if (look->cell != DR_AUTO) options.cell = (float)look->cell;
    }
    dr_status status = dr_surface_mesh_build(frame, &options, &set->draw->par, set->draw->allocator, &mesh, set->error);
    if (status) return status;
    draw_back(&mesh, way);
    dr_studio_mesh drawn = {.vertex_count = mesh.vertex_count,
                            .triangle_count = mesh.triangle_count,
                            .position = (const float(*)[3])mesh.position,
                            .normal = (const float(*)[3])mesh.normal,
                            .triangle = (const uint32_t(*)[3])mesh.triangle,
                            .colour = tinted ? (const float(*)[3])mesh.velocity : NULL,
                            .paints = paint,
                            .liquid = liquid && liquid->clear};
    if (set->draw->summary) set->draw->summary->triangles += mesh.triangle_count;
    status = dr_studio_add_mesh(set->studio, &drawn, set->error);
    dr_surface_mesh_free(&mesh);
    return status;
}

// ---- particles

// Whose particles a surface is made around.
typedef struct chosen {
    int number;         // of a body, or of a liquid
    const int *of_body; // which liquid bodies are of; NULL: the number is that of a body
} chosen;

static bool is_chosen(const setting *set, const uint32_t *body, size_t p, chosen chosen)
{
    uint32_t known = body && body[p] < (uint32_t)set->cast.body_count ? body[p] : (uint32_t)set->cast.body_count;
    return (chosen.of_body ? chosen.of_body[known] : (int)known) == chosen.number;
}

typedef struct crowd {
    size_t count;
    float (*position)[3], *volume, (*colour)[3];
    double spacing; // mean
} crowd;

// Some of the particles, each `factor` times as large in volume.
static dr_status take_particles(setting *set, const dr_frame_part *part, chosen chosen, float factor, crowd *taken)
{
    const float *position = find_floats(part, "position", 3), *volume = find_floats(part, "volume", 1);
    const uint32_t *body = find_array(part, "body", DR_TYPE_UINT32, 1, part->point_count);
    if (!position || !volume) return refuse_part(set, part, "position and volume");
    taken->position = dr_arena_alloc(&set->arena, part->point_count * sizeof *taken->position);
    taken->volume = dr_arena_alloc(&set->arena, part->point_count * sizeof *taken->volume);
    if (!taken->position || !taken->volume) return out_of_memory(set);
    for (size_t p = 0; p < part->point_count; p++) {
        if (!is_chosen(set, body, p, chosen)) continue;
        memcpy(taken->position[taken->count], position + 3 * p, sizeof *taken->position);
        taken->volume[taken->count++] = factor * volume[p];
        taken->spacing += cbrt((double)volume[p]);
    }
    taken->spacing /= taken->count > 0 ? (double)taken->count : 1.0;
    return DR_STATUS_OK;
}

static float (*colour_crowd(setting *set, size_t count, dr_float4 colour))[3]
{
    float(*made)[3] = dr_arena_alloc(&set->arena, count * sizeof *made + 1);
    for (size_t p = 0; made && p < count; p++) {
        for (int c = 0; c < 3; c++) made[p][c] = colour[c];
    }
    return made;
}

// A surface around some of the particles, with `others`, parts of the frame beside them. A surface knows the velocity
// of what it is made around; in pictures of mixed films their colour goes in its place.
static dr_status add_around(setting *set, const crowd *crowd, const dr_frame_part *others, int other_count,
                            const dr_cast_liquid *liquid, const dr_paint *paint, float way)
{
    const dr_frame_array arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, crowd->count, crowd->position},
                                     {"volume", "cm3", DR_TYPE_FLOAT32, 1, crowd->count, crowd->volume},
                                     {"velocity", "", DR_TYPE_FLOAT32, 3, crowd->count, crowd->colour}};
    dr_frame_part parts[1 + MOST_WET] = {
        {.name = "liquid", .point_count = crowd->count, .array_count = crowd->colour ? 3 : 2, .arrays = arrays}};
    for (int i = 0; i < other_count; i++) parts[1 + i] = others[i];
    const dr_frame frame = {.number = set->draw->frame->number, .part_count = 1 + other_count, .parts = parts};
    return add_surface(set, &frame, liquid, paint, way);
}

static float way_back(const crowd *crowd, float factor)
{
    return (float)(0.5 * (cbrt((double)factor) - 1.0) * crowd->spacing);
}

static dr_status add_elastic(setting *set, const dr_frame_part *part, int body)
{
    crowd crowd = {0};
    dr_status status = take_particles(set, part, (chosen){body, NULL}, SOLID_SWELLING, &crowd);
    if (status || crowd.count == 0) return status;
    return add_around(set, &crowd, NULL, 0, NULL, &set->cast.bodies[body], way_back(&crowd, SOLID_SWELLING));
}

static dr_status add_particles(setting *set)
{
    const dr_frame_part *part = find_part(set->draw->frame, "particles", DR_FRAME_POINTS);
    bool smooth = set->look->solids == DR_DRAWN_SURFACE;
    if (!part) return DR_STATUS_OK;
    dr_status status = add_balls(set, part, NULL, set->look->solids == DR_DRAWN_PARTICLES);
    for (int i = 0; smooth && !status && i < set->cast.body_count; i++) {
        if (set->cast.elastic[i]) status = add_elastic(set, part, i);
    }
    return status;
}

static void measure_spacing(setting *set, const dr_frame_part *part)
{
    const float *volume = find_floats(part, "volume", 1);
    double sum = 0.0;
    for (size_t p = 0; volume && p < part->point_count; p++) sum += cbrt(fmax((double)volume[p], 0.0));
    set->spacing = (float)(sum / (double)part->point_count);
}

// ---- films

// What a film is of, if it is mixed: arrays of the frame by the names of materials.
static dr_status find_mixture(setting *set)
{
    static const char prefix[] = "film_volume_";
    const dr_frame_part *part = find_part(set->draw->frame, "strands", DR_FRAME_CURVES);
    mixture *films = &set->films;
    for (int i = 0; part && i < part->array_count && films->count < DR_STUDIO_FILMS; i++) {
        const char *name = part->arrays[i].name;
        if (strncmp(name, prefix, strlen(prefix)) != 0 || !find_floats(part, name, 1)) continue;
        for (int k = 0; k < set->cast.film_count; k++) {
            if (strcmp(set->cast.film_names[k], name + strlen(prefix)) != 0) continue;
            films->liquid[films->count] = set->cast.liquid_of_film[k];
            films->volume[films->count++] = part->arrays[i].data;
        }
    }
    films->paints = dr_arena_alloc(&set->arena, (size_t)films->count * sizeof *films->paints + 1);
    if (!films->paints) return out_of_memory(set);
    for (int k = 0; k < films->count; k++) films->paints[k] = set->cast.liquids[films->liquid[k]].paint;
    return DR_STATUS_OK;
}

// The liquid that most of a film is of; otherwise: that of the strand's group.
static int look_of_film(const setting *set, size_t p, int otherwise)
{
    float most = 0.0f;
    for (int k = 0; k < set->films.count; k++) {
        if (!(set->films.volume[k][p] > most)) continue;
        most = set->films.volume[k][p];
        otherwise = set->films.liquid[k];
    }
    return otherwise;
}

// The part of a film's volume that each thick liquid has; gives the colour of these together, by volume.
static dr_float4 share_film(const setting *set, size_t p, float share[DR_STUDIO_FILMS])
{
    const mixture *films = &set->films;
    float all = 0.0f, thick = 0.0f;
    dr_float4 colour = {0};
    for (int k = 0; k < films->count; k++) all += films->volume[k][p];
    for (int k = 0; k < films->count; k++) {
        bool hides = all > 0.0f && !set->cast.liquids[films->liquid[k]].clear;
        share[k] = hides ? films->volume[k][p] / all : 0.0f;
        thick += share[k];
        colour += share[k] * films->paints[k].colour;
    }
    return thick > 0.0f ? (1.0f / thick) * colour : colour;
}

// The heights of those films of strands that are of one liquid, and whether there is any.
static const float *take_films(setting *set, const dr_frame_part *part, int number, bool *any)
{
    const float *height = find_floats(part, "film_height", 1);
    const uint32_t *group = find_array(part, "group", DR_TYPE_UINT32, 1, part->element_count);
    float *kept = dr_arena_alloc(&set->arena, part->point_count * sizeof *kept);
    if (!kept) return NULL;
    for (size_t s = 0; s < part->element_count; s++) {
        uint32_t known =
            group && group[s] < (uint32_t)set->cast.strand_count ? group[s] : (uint32_t)set->cast.strand_count;
        for (uint32_t p = part->index[s]; p < part->index[s + 1]; p++) {
            kept[p] = look_of_film(set, p, set->cast.liquid_of_strands[known]) == number ? height[p] : 0.0f;
            *any = *any || kept[p] > 0.0f;
        }
    }
    return kept;
}

static bool is_wet(const dr_frame_part *part)
{
    const float *wetness = find_floats(part, "wetness", 1), *height = find_floats(part, "film_height", 1);
    for (size_t p = 0; p < part->point_count; p++) {
        if ((wetness && wetness[p] > 0.0f) || (height && height[p] > 0.0f)) return true;
    }
    return false;
}

typedef struct wet_parts {
    dr_frame_part part[MOST_WET];
    int count;
    bool films; // there are some
} wet_parts;

static const float (*colour_films(setting *set, size_t count))[3]
{
    float(*made)[3] = dr_arena_alloc(&set->arena, count * sizeof *made + 1), share[DR_STUDIO_FILMS];
    for (size_t p = 0; made && p < count; p++) {
        dr_float4 colour = share_film(set, p, share);
        for (int c = 0; c < 3; c++) made[p][c] = colour[c];
    }
    return (const float(*)[3])made;
}

// Strands with the films of one liquid. Water in cloth and yarn is of the scene's liquid.
static dr_status take_wet(setting *set, const dr_frame_part *part, int number, wet_parts *wet)
{
    bool any = false, strands = part->kind == DR_FRAME_CURVES && find_floats(part, "film_height", 1);
    dr_frame_part *taken = &wet->part[wet->count];
    *taken = *part;
    if (strands) {
        bool mixed = set->films.count > 0 && strcmp(part->name, "strands") == 0;
        dr_frame_array *arrays = dr_arena_alloc(&set->arena, ((size_t)part->array_count + 1) * sizeof *arrays);
        const float *films = take_films(set, part, number, &any);
        const float(*colour)[3] = mixed ? colour_films(set, part->point_count) : NULL;
        if (!arrays || !films || (mixed && !colour)) return out_of_memory(set);
        taken->array_count = 0;
        for (int i = 0; i < part->array_count; i++) {
            if (mixed && strcmp(part->arrays[i].name, "velocity") == 0) continue;
            arrays[taken->array_count] = part->arrays[i];
            if (strcmp(part->arrays[i].name, "film_height") == 0) arrays[taken->array_count].data = films;
            taken->array_count++;
        }
        if (mixed)
            arrays[taken->array_count++] =
                (dr_frame_array){"velocity", "", DR_TYPE_FLOAT32, 3, part->point_count, colour};
        taken->arrays = arrays;
    } else {
        any = number == 0 && is_wet(part);
    }
    if (any) wet->count++;
    wet->films = wet->films || any;
    return DR_STATUS_OK;
}

static dr_status find_wet(setting *set, int number, wet_parts *wet)
{
    static const char *const names[] = {"strands", "yarn", "cloth"};
    const dr_frame_part *solids = find_part(set->draw->frame, "colliders", DR_FRAME_TRIANGLES);
    dr_status status = DR_STATUS_OK;
    if (solids) wet->part[wet->count++] = *solids;
    for (int i = 0; !status && set->look->liquid.films && i < 3; i++) {
        const dr_frame_part *part = find_part(set->draw->frame, names[i], i < 2 ? DR_FRAME_CURVES : DR_FRAME_TRIANGLES);
        if (part) status = take_wet(set, part, number, wet);
    }
    return status;
}

// One of the liquids that look different. Films are as thick as they are: nothing is swollen beside them.
static dr_status add_one_liquid(setting *set, const dr_frame_part *part, int number)
{
    const dr_cast_liquid *liquid = &set->cast.liquids[number];
    const chosen whose = {number, set->cast.liquid_of_body};
    wet_parts wet = {0};
    crowd crowd = {0};
    dr_status status = find_wet(set, number, &wet);
    float factor = wet.films ? 1.0f : 1.0f + LIQUID_SWELLING * (float)set->look->liquid.smoothing;
    if (!status && part) status = take_particles(set, part, whose, factor, &crowd);
    if (status || (crowd.count == 0 && !wet.films)) return status;
    if (set->films.count > 0 && !(crowd.colour = colour_crowd(set, crowd.count, liquid->paint.colour)))
        return out_of_memory(set);
    return add_around(set, &crowd, wet.part, wet.count, liquid, &liquid->paint, way_back(&crowd, factor));
}

static dr_status add_liquid(setting *set)
{
    const dr_frame_part *part = find_part(set->draw->frame, "liquid", DR_FRAME_POINTS);
    dr_status status = DR_STATUS_OK;
    if (part) measure_spacing(set, part);
    if (set->look->liquid.drawn == DR_DRAWN_PARTICLES)
        return part ? add_balls(set, part, &set->cast.liquids[0].paint, true) : DR_STATUS_OK;
    if (set->look->liquid.drawn == DR_DRAWN_HIDDEN) return DR_STATUS_OK;
    for (int i = 0; !status && i < set->cast.liquid_count; i++) status = add_one_liquid(set, part, i);
    return status;
}

// ---- strands, cloth, colliders

static bool add_copies(setting *set, dr_studio_curves *curves)
{
    size_t paints = (size_t)set->cast.strand_count + 1;
    uint32_t *copies = dr_arena_alloc(&set->arena, paints * sizeof *copies), most = 1;
    float *spread = dr_arena_alloc(&set->arena, paints * sizeof *spread);
    if (!copies || !spread) return false;
    for (size_t i = 0; i < paints; i++) {
        copies[i] = set->cast.strands[i].copies > 1 ? set->cast.strands[i].copies : 1;
        spread[i] = set->cast.strands[i].spread;
        if (copies[i] > most) most = copies[i];
    }
    return most == 1 || dr_copies_make(curves, copies, spread, &set->arena);
}

// How wet each thick liquid makes the points of curves.
static float *find_thick(setting *set, const float *wetness, size_t count)
{
    size_t films = (size_t)set->films.count;
    float *made = dr_arena_alloc(&set->arena, films * count * sizeof *made + 1), share[DR_STUDIO_FILMS];
    for (size_t p = 0; made && p < count; p++) {
        share_film(set, p, share);
        for (size_t k = 0; k < films; k++) made[films * p + k] = wetness[p] * share[k];
    }
    return made;
}

// Wet once the film is half as thick as the strand.
static dr_status add_curves(setting *set, const char *name)
{
    const dr_frame_part *part = find_part(set->draw->frame, name, DR_FRAME_CURVES);
    if (!part) return DR_STATUS_OK;
    const float *position = find_floats(part, "position", 3), *radius = find_floats(part, "radius", 1);
    const float *film = find_floats(part, "film_height", 1);
    if (!position || !radius) return refuse_part(set, part, "position and radius");
    float *outer = dr_arena_alloc(&set->arena, part->point_count * sizeof *outer);
    float *wetness = dr_arena_alloc(&set->arena, part->point_count * sizeof *wetness);
    const uint32_t *group = find_array(part, "group", DR_TYPE_UINT32, 1, part->element_count);
    uint32_t *groups = take_bodies(set, group, part->element_count, set->cast.strand_count);
    if (!outer || !wetness || !groups) return out_of_memory(set);
    bool mixed = film && set->films.count > 0 && strcmp(name, "strands") == 0;
    for (size_t s = 0; s < part->element_count; s++) {
        int own = set->cast.liquid_of_strands[groups[s]];
        for (uint32_t p = part->index[s]; p < part->index[s + 1]; p++) {
            bool covered = !set->look->liquid.films || // else liquid is around it
                           !set->cast.liquids[mixed ? look_of_film(set, p, own) : own].clear;
            float height = film ? fmaxf(film[p], 0.0f) : 0.0f;
            outer[p] = (float)set->look->strand_scale * radius[p] + (covered ? height : 0.0f);
            wetness[p] = fminf(2.0f * height / fmaxf(radius[p], 1e-12f), 1.0f);
        }
    }
    dr_studio_curves curves = {.point_count = part->point_count,
                               .curve_count = part->element_count,
                               .position = (const float(*)[3])(const void *)position,
                               .radius = outer,
                               .wetness = film ? wetness : NULL,
                               .first = part->index,
                               .body = groups,
                               .paints = set->cast.strands};
    if (mixed) {
        curves.films = set->films.paints;
        curves.film_count = set->films.count;
        curves.thick = find_thick(set, wetness, part->point_count);
        if (!curves.thick) return out_of_memory(set);
    }
    if (!add_copies(set, &curves)) return out_of_memory(set);
    if (set->draw->summary) set->draw->summary->segments += curves.point_count - curves.curve_count;
    return dr_studio_add_curves(set->studio, &curves, set->error);
}

static dr_status add_triangles(setting *set, const char *name, const dr_paint *paints, int known)
{
    const dr_frame_part *part = find_part(set->draw->frame, name, DR_FRAME_TRIANGLES);
    if (!part || part->element_count == 0) return DR_STATUS_OK;
    const float *position = find_floats(part, "position", 3);
    if (!position) return refuse_part(set, part, "position");
    const uint32_t *body = find_array(part, "body", DR_TYPE_UINT32, 1, part->element_count);
    uint32_t *bodies = take_bodies(set, body, part->element_count, known);
    if (!bodies) return out_of_memory(set);
    dr_studio_mesh mesh = {.vertex_count = part->point_count,
                           .triangle_count = part->element_count,
                           .position = (const float(*)[3])(const void *)position,
                           .triangle = (const uint32_t(*)[3])(const void *)part->index,
                           .body = bodies,
                           .wetness = find_floats(part, "wetness", 1),
                           .paints = paints};
    if (set->draw->summary) set->draw->summary->triangles += part->element_count;
    return dr_studio_add_mesh(set->studio, &mesh, set->error);
}

// Into as many pieces as leave the picture a tree of some hundred megabytes at most.
static int pieces_of(size_t triangles)
{
    int pieces = 4;
    while (pieces > 1 && 2 * (size_t)(pieces * pieces) * triangles > MOST_PIECES) pieces--;
    return pieces;
}

// Cloth that is opaque is a body with two sides; of what is painted as glass one pane does.
static dr_status add_cloth(setting *set)
{
    const dr_frame_part *part = find_part(set->draw->frame, "cloth", DR_FRAME_TRIANGLES);
    if (!part || part->element_count == 0) return DR_STATUS_OK;
    const float *normal = find_floats(part, "normal", 3), *coordinates = find_floats(part, "coordinates", 2);
    const float *position = find_floats(part, "position", 3);
    if (!normal || !coordinates || !position)
        return add_triangles(set, "cloth", set->cast.cloths, set->cast.cloth_count);
    const uint32_t *body = find_array(part, "body", DR_TYPE_UINT32, 1, part->element_count);
    float *thickness = dr_arena_alloc(&set->arena, ((size_t)set->cast.cloth_count + 1) * sizeof *thickness);
    dr_sheet made, sheet = {.vertex_count = part->point_count,
                            .triangle_count = part->element_count,
                            .position = (const float(*)[3])(const void *)position,
                            .normal = (const float(*)[3])(const void *)normal,
                            .coordinates = (const float(*)[2])(const void *)coordinates,
                            .wetness = find_floats(part, "wetness", 1),
                            .triangle = (const uint32_t(*)[3])(const void *)part->index,
                            .body = take_bodies(set, body, part->element_count, set->cast.cloth_count)};
    if (!thickness || !sheet.body) return out_of_memory(set);
    for (int i = 0; i <= set->cast.cloth_count; i++) thickness[i] = set->cast.cloths[i].thickness;
    if (!dr_sheet_thicken(&sheet, pieces_of(sheet.triangle_count), thickness, &set->arena, &made))
        return out_of_memory(set);
    dr_studio_mesh mesh = {.vertex_count = made.vertex_count,
                           .triangle_count = made.triangle_count,
                           .position = made.position,
                           .normal = made.normal,
                           .triangle = made.triangle,
                           .body = made.body,
                           .wetness = made.wetness,
                           .coordinates = made.coordinates,
                           .paints = set->cast.cloths};
    if (set->draw->summary) set->draw->summary->triangles += made.triangle_count;
    return dr_studio_add_mesh(set->studio, &mesh, set->error);
}

static void add_ground(setting *set)
{
    double height = set->cast.ground_height;
    const dr_box *action = &set->draw->action;
    if (!set->cast.has_ground) return;
    if (height == DR_AUTO) height = action->max[1] >= action->min[1] ? action->min[1] : 0.0;
    set->ground = height;
    dr_studio_add_ground(set->studio, (float)height, &set->cast.ground);
}

// What lies below the ground is not seen.
static dr_box see_above_ground(const setting *set)
{
    dr_box action = set->draw->action;
    if (set->cast.has_ground && action.max[1] > set->ground) action.min[1] = fmax(action.min[1], set->ground);
    return action;
}

static dr_status fill_studio(setting *set)
{
    const dr_draw *draw = set->draw;
    dr_status status = dr_cast_make(draw->scene, dr_action_size(&draw->action), &set->arena, &set->cast, set->error);
    if (!status) status = find_mixture(set);
    if (!status) status = dr_studio_create(draw->allocator, &set->studio, set->error);
    if (!status) status = add_particles(set);
    if (!status) status = add_liquid(set);
    if (!status) status = add_curves(set, "strands");
    if (!status) status = add_curves(set, "yarn");
    if (!status) status = add_cloth(set);
    if (!status) status = add_triangles(set, "colliders", set->cast.colliders, set->cast.collider_count);
    if (status) return status;
    add_ground(set);
    set->action = see_above_ground(set);
    return dr_studio_close(set->studio, set->error);
}

// ---- pixels

typedef struct canvas {
    const dr_draw *draw;
    dr_trace trace;
    dr_camera camera;
    int width, height, samples, tiles_across, tile_count;
    float exposure;
    dr_denoise_pixel *pixels;
    atomic_int done;
} canvas;

// Whether liquid may lie on what its surface is not cut at.
static bool touches_others(const dr_frame *frame)
{
    return find_part(frame, "particles", DR_FRAME_POINTS) || find_part(frame, "strands", DR_FRAME_CURVES) ||
           find_part(frame, "yarn", DR_FRAME_CURVES) || find_part(frame, "cloth", DR_FRAME_TRIANGLES);
}

// Light passes one kind of liquid: the first that is clear.
static const dr_cast_liquid *find_clear(const dr_cast *cast)
{
    for (int i = 0; i < cast->liquid_count; i++) {
        if (cast->liquids[i].clear) return &cast->liquids[i];
    }
    return &cast->liquids[0];
}

static dr_trace set_light(const setting *set)
{
    const dr_cast_liquid *clear = find_clear(&set->cast);
    const dr_box *action = &set->action;
    float size = (float)dr_action_size(action);
    dr_trace trace = {.studio = set->studio,
                      .light = dr_light_make(set->look),
                      .refraction = clear->refraction,
                      .absorption = clear->absorption,
                      .tiny = 2e-5f * size,
                      .pixel = 2.0f * tanf(0.5f * (float)set->look->camera.field_of_view) / (float)set->look->height,
                      .contact = touches_others(set->draw->frame) ? set->spacing : 0.0f,
                      .fade_from = 2.5f * size,
                      .fade_to = 12.0f * size};
    for (int a = 0; a < 3; a++) trace.middle[a] = (float)(0.5 * (action->min[a] + action->max[a]));
    if (!isfinite(trace.middle[0])) trace.middle = (dr_float4){0};
    return trace;
}

// A tent of a pixel and a half about the middle of the pixel.
static float spread(float random)
{
    float side = random < 0.5f ? sqrtf(2.0f * random) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * random);
    return 0.5f + 0.75f * side;
}

// The mean of the samples as the filter wants it; the variance of the mean is that of the pressed samples.
static void draw_pixel(const canvas *canvas, int x, int y)
{
    dr_denoise_pixel pixel = {0};
    dr_float4 squares = {0};
    uint64_t key = dr_random_key((uint64_t)x, (uint64_t)y);
    float count = (float)canvas->samples;
    for (int s = 0; s < canvas->samples; s++) {
        dr_dice dice = {.key = key, .sample = (uint32_t)s};
        float random[2];
        dr_dice_roll(&dice, random);
        dr_float4 direction = dr_camera_ray(&canvas->camera, ((float)x + spread(random[0])) / (float)canvas->width,
                                            ((float)y + spread(random[1])) / (float)canvas->height);
        dr_float4 eye = canvas->camera.position;
        if (canvas->camera.aperture > 0.0f) {
            dr_dice_roll(&dice, random);
            dr_camera_blur(&canvas->camera, random, &eye, &direction);
        }
        dr_trace_sight sight = dr_trace_path(&canvas->trace, eye, direction, &dice);
        dr_float4 pressed = dr_denoise_press(canvas->exposure * sight.light);
        pixel.light += canvas->exposure * sight.light;
        pixel.colour += sight.colour;
        pixel.normal += sight.normal;
        squares += pressed * pressed;
        squares[3] += pressed[0] + pressed[1] + pressed[2];
    }
    pixel.light = dr_denoise_press(pixel.light * (1.0f / count));
    pixel.colour *= 1.0f / count;
    pixel.normal *= 1.0f / count;
    float mean = squares[3] / (3.0f * count), square = (squares[0] + squares[1] + squares[2]) / (3.0f * count);
    pixel.light[3] = canvas->samples > 1 ? fmaxf(square - mean * mean, 0.0f) / (count - 1.0f) : 0.0f;
    canvas->pixels[(size_t)y * (size_t)canvas->width + (size_t)x] = pixel;
}

static bool stopped(const dr_draw *draw)
{
    return draw->stop && *draw->stop;
}

static void draw_tiles(void *user, size_t begin, size_t end, int thread)
{
    canvas *canvas = user;
    for (size_t t = begin; t < end && !stopped(canvas->draw); t++) {
        int left = TILE * ((int)t % canvas->tiles_across), top = TILE * ((int)t / canvas->tiles_across);
        for (int y = top; y < top + TILE && y < canvas->height; y++) {
            for (int x = left; x < left + TILE && x < canvas->width; x++) draw_pixel(canvas, x, y);
        }
        int done = atomic_fetch_add(&canvas->done, 1) + 1;
        if (thread == 0 && canvas->draw->advance)
            canvas->draw->advance(canvas->draw->user, TRACED * (double)done / canvas->tile_count);
    }
}

static void show(const canvas *canvas, const dr_float4 *light, uint8_t *bytes)
{
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    for (size_t i = 0; i < count; i++) {
        dr_float4 shown = dr_denoise_release(light ? light[i] : canvas->pixels[i].light);
        for (int c = 0; c < 3; c++) bytes[3 * i + (size_t)c] = dr_picture_byte(shown[c]);
    }
}

static canvas stretch_canvas(const setting *set)
{
    const dr_look_spec *look = set->look;
    canvas canvas = {.draw = set->draw,
                     .trace = set_light(set),
                     .width = (int)look->width,
                     .height = (int)look->height,
                     .samples = (int)look->samples,
                     .exposure = exp2f((float)look->exposure)};
    canvas.camera = dr_camera_make(&look->camera, &set->action, (double)look->width / (double)look->height);
    canvas.tiles_across = (canvas.width + TILE - 1) / TILE;
    canvas.tile_count = canvas.tiles_across * ((canvas.height + TILE - 1) / TILE);
    return canvas;
}

static dr_status draw_pixels(const setting *set, uint8_t *bytes)
{
    canvas canvas = stretch_canvas(set);
    const dr_allocator *allocator = set->draw->allocator;
    size_t count = (size_t)canvas.width * (size_t)canvas.height;
    canvas.pixels = dr_memory_alloc(allocator, count * sizeof *canvas.pixels);
    dr_float4 *calm = set->look->denoise ? dr_memory_alloc(allocator, count * sizeof *calm) : NULL;
    bool room = canvas.pixels && (calm || !set->look->denoise);
    if (room) {
        dr_par_for(&set->draw->par, (size_t)canvas.tile_count, 1, draw_tiles, &canvas);
        if (calm && !stopped(set->draw))
            dr_denoise_filter(canvas.pixels, canvas.width, canvas.height, &set->draw->par, calm);
        show(&canvas, calm, bytes);
        if (set->draw->advance && !stopped(set->draw)) set->draw->advance(set->draw->user, 1.0);
    }
    dr_memory_free(allocator, canvas.pixels, count * sizeof *canvas.pixels);
    dr_memory_free(allocator, calm, count * sizeof *calm);
    if (!room) return dr_error_memory(set->error, "drawing a picture");
    if (!stopped(set->draw)) return DR_STATUS_OK;
    return dr_error_add(set->error, DR_STATUS_INTERRUPTED, "stopped before the picture was done");
}

dr_status dr_draw_frame(const dr_draw *draw, uint8_t *pixels, dr_error *error)
{
    setting set = {.draw = draw, .look = &dr_scene_view(draw->scene)->look, .error = error};
    if (draw->summary) draw->summary->triangles = draw->summary->balls = draw->summary->segments = 0;
    dr_arena_open(&set.arena, draw->allocator);
    dr_status status = fill_studio(&set);
    if (!status) status = draw_pixels(&set, pixels);
    dr_studio_destroy(set.studio);
    dr_arena_close(&set.arena);
    return status;
}
