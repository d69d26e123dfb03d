// From the scene's strands to the state's: curves from files or rules, looked over and mended, made rods, held, bent to
// their rest shapes. docs/theory/rods.md, groom.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "geom/groom.h"
#include "geom/upright.h"
#include "math/random.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 5e8 // of all strands: they are counted in 31 bits, three numbers each

// Curves on their way: points of all, and where each begins.
typedef struct curves {
    size_t count;
    uint32_t *first; // [count + 1]
    double *points;
    double *radius; // of each point, NULL: the scene's
    bool from_file;
    const uint8_t *closed; // of each curve, NULL: none is said to be
} curves;

typedef struct making {
    dr_world *world;
    const dr_scene *scene;
    const dr_strands_spec *spec;
    const dr_material_spec *material;
    int kind; // index of the spec
    dr_arena *arena;
    dr_error *error;
    size_t joined, pushed; // points that were mended
    size_t cut;            // closed curves
    double *rest;          // points of a rest shape
    dr_strand_carriers carriers;
    dr_strands draft; // a curve for the grid
} making;

static dr_status no_memory(const making *job)
{
    return dr_error_memory(job->error, "making strands");
}

// ---- where they lie

static dr_status take_file(making *job, curves *out)
{
    const dr_strands_spec *spec = job->spec;
    const dr_curve_asset *asset = spec->file ? dr_scene_curves(job->scene, spec->file) : NULL;
    if (!asset)
        return dr_scene_error(job->scene, &spec->file, spec, job->error, "strands \"%s\": \"%s\" was not read",
                              spec->name, spec->file ? spec->file : "");
    out->count = asset->curve_count;
    out->first = dr_arena_alloc(job->arena, (asset->curve_count + 1) * sizeof *out->first);
    out->points = dr_arena_alloc(job->arena, 3 * asset->point_count * sizeof *out->points);
    if (!out->first || !out->points) return no_memory(job);
    memcpy(out->first, asset->first, (asset->curve_count + 1) * sizeof *out->first);
    for (size_t i = 0; i < asset->point_count; i++)
        dr_upright_point(out->points + 3 * i, spec->up, spec->unit_length, asset->points + 3 * i);
    out->from_file = true;
    out->closed = asset->closed;
    if (!spec->file_radius || !asset->radius) return DR_STATUS_OK;
    out->radius = dr_arena_alloc(job->arena, asset->point_count * sizeof *out->radius);
    if (!out->radius) return no_memory(job);
    memcpy(out->radius, asset->radius, asset->point_count * sizeof *out->radius);
    return DR_STATUS_OK;
}

static dr_groom describe(const making *job)
{
    const dr_strands_spec *spec = job->spec;
    dr_groom groom = {.kind = (dr_groom_kind)(spec->kind - DR_STRANDS_TUFT),
                      .radius = spec->root_radius,
                      .size = {spec->width, spec->depth},
                      .spread = spec->spread,
                      .strands = (size_t)spec->count,
                      .vertices = (size_t)spec->vertices,
                      .length = spec->length,
                      .curl_radius = spec->curl_radius,
                      .curl_length = spec->curl_length,
                      .variation = spec->variation,
                      .spacing = spec->spacing,
                      .amplitude = spec->amplitude,
                      .layered = !spec->woven,
                      .yarn_vertices = (size_t)spec->yarn_vertices,
                      .rib = (size_t)spec->rib,
                      .round = spec->round,
                      .seed = dr_world_random_key(job->world, DR_KEY_STRANDS, job->kind)};
    dr_vec3_copy(groom.center, spec->center);
    dr_vec3_copy(groom.axis, spec->axis);
    return groom;
}

static dr_status check_size(const making *job, double points)
{
    if (points < MOST_VERTICES) return DR_STATUS_OK;
    dr_scene_error(job->scene, &job->spec->kind, job->spec, job->error, "strands \"%s\": %.3g vertices are too many",
                   job->spec->name, points);
    dr_error_hint(job->error, "there may be %.3g in a scene", MOST_VERTICES);
    return DR_STATUS_BAD_SCENE;
}

static dr_status make_room(making *job, curves *out, size_t count, size_t points)
{
    out->count = count;
    out->first = dr_arena_alloc(job->arena, (count + 1) * sizeof *out->first);
    out->points = dr_arena_alloc(job->arena, 3 * points * sizeof *out->points);
    return out->first && out->points ? DR_STATUS_OK : no_memory(job);
}

static size_t count_groom(const dr_groom *groom, size_t *longest)
{
    size_t strands = dr_groom_strands(groom), points = 0;
    for (size_t s = 0; s < strands; s++) {
        size_t count = dr_groom_vertices(groom, s);
        points += count;
        if (count > *longest) *longest = count;
    }
    return points;
}

static dr_status take_groom(making *job, curves *out)
{
    dr_groom groom = describe(job);
    size_t longest = 0, strands = dr_groom_strands(&groom), points = count_groom(&groom, &longest);
    dr_status status = check_size(job, (double)points);
    if (status == DR_STATUS_OK) status = make_room(job, out, strands, points);
    if (status == DR_STATUS_OK) dr_groom_fill(&groom, out->first, out->points);
    return status;
}

static void fill_line(const dr_strands_spec *spec, double *points)
{
    for (int64_t i = 0; i < spec->vertices; i++) {
        double share = (double)i / (double)(spec->vertices - 1);
        for (int a = 0; a < 3; a++) points[3 * i + a] = (1.0 - share) * spec->start[a] + share * spec->end[a];
    }
}

// Starts across the axis, as near to x as it can.
static void fill_arc(const dr_strands_spec *spec, double *points)
{
    static const double up[3] = {0, 1, 0}, ahead[3] = {1, 0, 0}, aside[3] = {0, 0, 1};
    double axis[3], p[3], q[3];
    dr_vec3_normalize(axis, spec->axis, up);
    const double *near = fabs(axis[0]) < 0.9 ? ahead : aside;
    dr_vec3_add_scaled(p, near, -dr_vec3_dot(near, axis), axis);
    dr_vec3_normalize(p, p, near);
    dr_vec3_cross(q, axis, p);
    for (int64_t i = 0; i < spec->vertices; i++) {
        double angle = spec->sweep * (double)i / (double)(spec->vertices - 1);
        double up_to = spec->rise * angle / 6.283185307179586;
        for (int a = 0; a < 3; a++)
            points[3 * i + a] =
                spec->center[a] + spec->root_radius * (cos(angle) * p[a] + sin(angle) * q[a]) + up_to * axis[a];
    }
}

static dr_status take_single(making *job, curves *out)
{
    dr_status status = make_room(job, out, 1, (size_t)job->spec->vertices);
    if (status != DR_STATUS_OK) return status;
    out->first[0] = 0;
    out->first[1] = (uint32_t)job->spec->vertices;
    if (job->spec->kind == DR_STRANDS_LINE)
        fill_line(job->spec, out->points);
    else
        fill_arc(job->spec, out->points);
    return DR_STATUS_OK;
}

static dr_status take_curves(making *job, curves *out)
{
    dr_status status;
    if (job->spec->kind == DR_STRANDS_FILE)
        status = take_file(job, out);
    else if (job->spec->kind == DR_STRANDS_LINE || job->spec->kind == DR_STRANDS_ARC)
        status = take_single(job, out);
    else
        status = take_groom(job, out);
    if (status != DR_STATUS_OK) return status;
    double rotation[9];
    dr_rotation_euler(rotation, job->spec->rotate);
    for (size_t i = 0; i < out->first[out->count]; i++) {
        dr_rotation_apply(out->points + 3 * i, rotation, out->points + 3 * i);
        dr_vec3_add(out->points + 3 * i, out->points + 3 * i, job->spec->translate);
    }
    return DR_STATUS_OK;
}

// ---- looking them over

static double distance(const double a[3], const double b[3])
{
    double way[3];
    dr_vec3_sub(way, a, b);
    return dr_vec3_length(way);
}

// Joins points that lie on or next to each other; the end of the strand stays. Each keeps its radius, where there is
// one. Returns how many are left.
static size_t join_points(making *job, double *points, double *radius, size_t count)
{
    double length = 0.0;
    for (size_t i = 1; i < count; i++) length += distance(points + 3 * i, points + 3 * i - 3);
    double shortest = fmax(DR_STRAND_SHORT_EDGE * length / (double)(count - 1), DR_STRAND_NO_EDGE);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (distance(points + 3 * i, points + 3 * kept - 3) < shortest) {
            job->joined++;
            if (i + 1 == count && kept > 1) dr_vec3_copy(points + 3 * kept - 3, points + 3 * i);
            continue;
        }
        if (radius) radius[kept] = radius[i];
        dr_vec3_copy(points + 3 * kept++, points + 3 * i);
    }
    return kept;
}

static dr_status refuse(const making *job, size_t s, const char *what, const char *hint)
{
    dr_status status = dr_scene_error(job->scene, &job->spec->kind, job->spec, job->error,
                                      "strands \"%s\": strand %zu %s", job->spec->name, s, what);
    dr_error_hint(job->error, "%s", hint);
    return status;
}

static int held_at(int hold)
{
    return hold == DR_HOLD_CLAMPED ? 2 : hold == DR_HOLD_PINNED ? 1 : 0;
}

// Brings a point out of colliders, along the surface's normal. False: it finds no way.
static bool bring_out(const dr_collider_set *colliders, double radius, double x[3])
{
    double normal[3], gap = dr_collider_set_distance(colliders, x, normal, NULL);
    for (int push = 0; push < DR_STRAND_PUSHES && gap < (1.0 - DR_STRAND_LAID) * radius; push++) {
        dr_vec3_add_scaled(x, x, radius - gap, normal);
        gap = dr_collider_set_distance(colliders, x, normal, NULL);
    }
    return gap >= 0.0;
}

// An edge that would lead into a collider lies along its surface instead, as long as it is.
static bool lay_edge(const dr_collider_set *colliders, double radius, const double from[3], const double edge[3],
                     double x[3])
{
    double normal[3], along[3], length = dr_vec3_length(edge);
    dr_vec3_add(x, from, edge);
    if (dr_collider_set_distance(colliders, x, normal, NULL) >= (1.0 - DR_STRAND_LAID) * radius) return true;
    dr_vec3_add_scaled(along, edge, -fmin(dr_vec3_dot(edge, normal), 0.0), normal);
    if (dr_vec3_length(along) <
        DR_STRAND_STEEP * length) { // straight into it: to a side that depends on the place alone
        const double aside[3] = {sin(1e3 * from[0] + 2e3 * from[2]), 0.5, cos(1e3 * from[0] + 2e3 * from[2])};
        dr_vec3_cross(along, normal, aside);
    }
    for (int push = 0; push < DR_STRAND_PUSHES; push++) { // around what is curved
        dr_vec3_normalize(along, along, edge);
        dr_vec3_add_scaled(x, from, length, along);
        if (!bring_out(colliders, radius, x)) return false;
        dr_vec3_sub(along, x, from);
        if (fabs(dr_vec3_length(along) - length) < DR_STRAND_LAID * length) break;
    }
    return true;
}

// The vertices that are free, one after another from a held end: each edge goes on as it is drawn, or lies along a
// collider. Where both ends are held, and in yarn of a fabric, which lies where its neighbours hold it, each goes out
// on its own.
static bool lay_strand(const making *job, double *points, size_t count, size_t from, size_t till, double radius)
{
    const dr_collider_set *colliders = job->world->constants.colliders;
    bool both = from > 0 && till < count, back = from == 0 && till < count, ok = true;
    bool fabric = from == 0 && till == count && job->spec->contact == DR_MEET_GRID;
    double drawn[3], edge[3];
    if (both || fabric) {
        for (size_t i = from; i < till && ok; i++) ok = bring_out(colliders, radius, points + 3 * i);
        return ok;
    }
    size_t start = back ? till : from > 0 ? from - 1 : 0, steps = back ? till : till - 1 - start;
    if (from == 0 && !back) {
        dr_vec3_copy(drawn, points);
        ok = bring_out(colliders, radius, points);
    } else {
        dr_vec3_copy(drawn, points + 3 * start);
    }
    for (size_t k = 1; k <= steps && ok; k++) {
        double *x = points + 3 * (back ? start - k : start + k);
        const double *last = back ? x + 3 : x - 3;
        dr_vec3_sub(edge, x, drawn);
        dr_vec3_copy(drawn, x);
        ok = lay_edge(colliders, radius, last, edge, x);
    }
    return ok;
}

// Brings the vertices that are free out of colliders. docs/theory/groom.md, "Looking over".
static dr_status push_out(making *job, size_t s, double *points, size_t count, double radius)
{
    const dr_collider_set *colliders = job->world->constants.colliders;
    size_t from = (size_t)held_at(job->spec->root), till = count - (size_t)held_at(job->spec->tip), inside = 0;
    if (dr_collider_set_count(colliders) == 0 || job->spec->contact == DR_MEET_NONE) return DR_STATUS_OK;
    for (size_t i = from; i < till; i++)
        inside += dr_collider_set_distance(colliders, points + 3 * i, (double[3]){0}, NULL) < 0.0;
    if (inside == 0) return DR_STATUS_OK;
    if (inside == till - from && inside > 2)
        return refuse(job, s, "is wholly inside a collider",
                      "move the strands or the collider; only held ends may be inside");
    if (!lay_strand(job, points, count, from, till, radius))
        return refuse(job, s, "is inside a collider and finds no way out", "move the strands or the collider");
    job->pushed += inside;
    return DR_STATUS_OK;
}

static dr_status inspect(making *job, size_t s, double *points, double *radii, size_t *count, double radius)
{
    for (size_t i = 0; i < 3 * *count; i++) {
        if (!isfinite(points[i])) return refuse(job, s, "has a point that is not a number", "mend the file");
    }
    *count = join_points(job, points, radii, *count);
    size_t needed = (size_t)(held_at(job->spec->root) + held_at(job->spec->tip));
    if (*count < 3 || *count < needed)
        return refuse(job, s, "has fewer than three points that differ",
                      "edges shorter than a thousandth of the mean are joined; a strand has two edges at least");
    return push_out(job, s, points, *count, radius);
}

// ---- making them rods

static dr_status make_material(making *job, dr_strand_material *out)
{
    const dr_strands_spec *spec = job->spec;
    const dr_material_spec *material = job->material;
    *out = (dr_strand_material){.density = material->density,
                                .young = material->youngs_modulus,
                                .shear = material->shear_modulus_rod > 0.0
                                             ? material->shear_modulus_rod
                                             : 0.5 * material->youngs_modulus / (1.0 + material->poisson_ratio),
                                .viscosity = material->damping,
                                .slack = 1.0 - material->bending_share,
                                .friction = material->friction,
                                .yield = spec->yield_strain,
                                .yield_rate = spec->yield_rate};
    return DR_STATUS_OK;
}

static void set_radius(const making *job, dr_strands *strands, int s, const double *radius)
{
    const dr_strands_spec *spec = job->spec;
    double usual = spec->radius > 0.0 ? spec->radius : job->material->radius;
    double other = spec->radius_across > 0.0 ? spec->radius_across / usual : 1.0;
    size_t first = (size_t)strands->first[s], count = (size_t)dr_strands_size(strands, s);
    for (size_t i = 0; i < count; i++) {
        double share = count > 2 ? fmin(1.0, ((double)i + 0.5) / (double)(count - 1)) : 0.0;
        double here = radius ? spec->unit_length * radius[i] : usual * (1.0 + share * (spec->taper - 1.0));
        strands->radius[2 * (first + i)] = here;
        strands->radius[2 * (first + i) + 1] = here * other;
    }
}

static void hold_ends(const making *job, dr_strands *strands, int s)
{
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    for (int i = 0; i < held_at(job->spec->root); i++) strands->held[first + (size_t)i] |= DR_STRAND_HELD;
    for (int i = 0; i < held_at(job->spec->tip); i++) strands->held[last - (size_t)i] |= DR_STRAND_HELD;
    if (job->spec->root == DR_HOLD_CLAMPED) strands->held[first] |= DR_STRAND_TURN_HELD;
    if (job->spec->tip == DR_HOLD_CLAMPED) strands->held[last - 1] |= DR_STRAND_TURN_HELD;
}

// Points along a line or a helix whose edges are as long as those drawn.
static void draw_rest(const dr_strands_spec *spec, const double *length, size_t count, double *points)
{
    double radius = spec->rest == DR_REST_CURLY ? spec->rest_curl_radius : 0.0, angle = 0.0, along = 0.0;
    double rise = spec->rest_curl_length / 6.283185307179586; // of the axis per radian
    for (size_t i = 0; i < count; i++) {
        dr_vec3_set(points + 3 * i, radius * cos(angle), along, radius * sin(angle));
        if (i + 1 == count) break;
        if (radius == 0.0) {
            along += length[i];
            continue;
        }
        double step = length[i] / hypot(radius, rise);
        for (int k = 0; k < DR_STRAND_CHORD_TURNS; k++) { // the chord of that step is length[i]
            double chord = hypot(2.0 * radius * sin(0.5 * step), rise * step);
            step *= 1.0 + (length[i] / chord - 1.0);
            if (fabs(chord - length[i]) < DR_STRAND_CHORD * length[i]) break;
        }
        angle += step;
        along += rise * step;
    }
}

static dr_status rest(making *job, dr_strands *strands, int s, size_t index)
{
    const dr_strands_spec *spec = job->spec;
    size_t count = (size_t)dr_strands_size(strands, s), first = (size_t)strands->first[s];
    if (spec->rest != DR_REST_DRAWN) {
        draw_rest(spec, strands->rest_length + first, count, job->rest);
        dr_strands_rest_at(strands, s, job->rest);
    }
    dr_strands_stiffen(strands, s);
    if (!spec->sag_free || dr_strands_rest_hanging(strands, s, job->world->constants.gravity)) return DR_STATUS_OK;
    return refuse(job, index, "cannot be made sag-free as it is drawn",
                  "sag_free wants root: clamped, tip: free and no edges that fold back on each other");
}

static void twist_evenly(const making *job, dr_strands *strands, int s)
{
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    double each = job->spec->twist / (double)(last - first - 1);
    for (size_t v = first + 1; v < last && each != 0.0; v++) {
        double t[3], second[3], turned[3], angle = each * (double)(v - first), *director = strands->director + 3 * v;
        dr_vec3_sub(t, strands->position + 3 * v + 3, strands->position + 3 * v);
        dr_vec3_normalize(t, t, t);
        dr_vec3_cross(second, t, director);
        for (int a = 0; a < 3; a++) turned[a] = cos(angle) * director[a] + sin(angle) * second[a];
        dr_vec3_copy(director, turned);
        strands->twist[v] += each;
    }
}

static void set_off(const making *job, dr_strands *strands, int s)
{
    const dr_strands_spec *spec = job->spec;
    uint64_t key = dr_world_random_key(job->world, DR_KEY_DISTURBANCE, job->kind);
    bool moved = spec->disturb > 0.0;
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
        strands->film_height[v] = spec->film_height;
        if (strands->held[v] & DR_STRAND_HELD) continue;
        dr_vec3_copy(strands->velocity + 3 * v, spec->velocity);
        for (size_t a = 0; a < 3 && moved; a++)
            strands->position[3 * v + a] += spec->disturb * (2.0 * dr_random_unit(key, 3 * v + a) - 1.0);
    }
    if (moved) dr_strands_follow(strands, s);
}

static bool is_zero(const double v[3])
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

// A strand through these points as the entry makes it: frames, rest shape, radii, what is held, twist.
static dr_status add_rod(making *job, dr_strands *strands, size_t index, const double *points, size_t count,
                         const double *flat, const double *file_radius)
{
    const dr_strands_spec *spec = job->spec;
    double usual = spec->radius > 0.0 ? spec->radius : job->material->radius;
    const double both[2] = {usual, usual};
    dr_status status;
    int s = dr_strands_add(strands, points, (int)count, both, job->kind);
    dr_strands_frame(strands, s, is_zero(flat) ? NULL : flat);
    dr_strands_rest_here(strands, s);
    set_radius(job, strands, s, file_radius);
    hold_ends(job, strands, s);
    status = rest(job, strands, s, index);
    twist_evenly(job, strands, s);
    return status;
}

// On the grid it is a chain of segments that bends and twists as the rod does.
static dr_status add_yarn(making *job, size_t index, const double *points, size_t count, const double *flat,
                          double *file_radius)
{
    dr_strands *draft = &job->draft;
    draft->materials = job->world->state.strands.materials;
    draft->count = 0;
    draft->vertices = 0;
    if (!dr_strands_reserve(draft, job->world->allocator, 1, count)) return no_memory(job);
    dr_status status = add_rod(job, draft, index, points, count, flat, file_radius);
    if (status != DR_STATUS_OK) return status;
    return dr_cloth_add_yarn(job->world, job->scene,
                             &(dr_yarn){.spec = job->spec,
                                        .body = job->kind,
                                        .collider = job->world->constants.strand_kinds[job->kind].collider,
                                        .points = points,
                                        .rod = draft,
                                        .count = count,
                                        .begins = index == 0},
                             job->error);
}

static dr_status add_strand(making *job, dr_strands *strands, size_t index, double *points, size_t count,
                            double *file_radius)
{
    const dr_strands_spec *spec = job->spec;
    double usual = spec->radius > 0.0 ? spec->radius : job->material->radius;
    double flat[3];
    dr_vec3_copy(flat, spec->flat);
    dr_strand_carriers_place(&job->carriers, points, count, flat);
    dr_status status = inspect(job, index, points, file_radius, &count, usual);
    if (status != DR_STATUS_OK) return status;
    if (spec->contact == DR_MEET_GRID) return add_yarn(job, index, points, count, flat, file_radius);
    return add_rod(job, strands, index, points, count, flat, file_radius);
}

static size_t longest_of(const uint32_t *first, size_t curve_count)
{
    size_t longest = 0;
    for (size_t s = 0; s < curve_count; s++) {
        size_t count = first[s + 1] - first[s];
        if (count > longest) longest = count;
    }
    return longest;
}

// What is held besides roots and tips. from: the entry's first vertex.
static dr_status hold_others(making *job, dr_strands *strands, size_t from)
{
    size_t count = strands->vertices - from;
    uint8_t *held = dr_arena_alloc(job->arena, count + 1);
    if (!held) return no_memory(job);
    for (size_t i = 0; i < count; i++) held[i] = strands->held[from + i] != 0;
    dr_status status = dr_cloth_group_find(job->world, &(dr_cloth_holding){.scene = job->scene,
                                                                           .arena = job->arena,
                                                                           .error = job->error,
                                                                           .noun = "strands",
                                                                           .name = job->spec->name,
                                                                           .groups = &job->spec->groups,
                                                                           .holds = &job->spec->holds,
                                                                           .thin = &job->world->cloth.hair,
                                                                           .position = strands->position,
                                                                           .first = from,
                                                                           .count = count,
                                                                           .layers = 1,
                                                                           .spacing = strands->rest_length[from],
                                                                           .held = held});
    for (size_t i = 0; i < count; i++) strands->held[from + i] |= held[i] ? DR_STRAND_HELD : 0;
    return status;
}

// How many points of a curve make a strand. Strands have two ends: a closed curve is cut, the edge that leads back to
// its first point left out, also where the file says so by naming that point again.
static size_t count_points(making *job, const curves *all, size_t s)
{
    size_t count = all->first[s + 1] - all->first[s];
    const double *start = all->points + 3 * (size_t)all->first[s], *end = start + 3 * (count - 1);
    bool again = all->from_file && count > 3 && memcmp(start, end, 3 * sizeof *start) == 0;
    if (again || (all->closed && all->closed[s])) job->cut++;
    return again ? count - 1 : count;
}

static dr_status add_curves(making *job, const curves *all)
{
    dr_strands *strands = &job->world->state.strands;
    size_t count = (size_t)strands->count + all->count, vertices = strands->vertices + all->first[all->count];
    job->rest = dr_arena_alloc(job->arena, 3 * longest_of(all->first, all->count) * sizeof *job->rest);
    dr_status status = check_size(job, (double)vertices);
    if (status != DR_STATUS_OK) return status;
    if (!job->rest || !dr_strands_reserve(strands, job->world->allocator, (int)count, vertices)) return no_memory(job);
    size_t from = strands->vertices;
    int first = strands->count;
    for (size_t s = 0; s < all->count; s++) {
        size_t at = all->first[s];
        double *radius = all->radius ? all->radius + at : NULL;
        status = add_strand(job, strands, s, all->points + 3 * at, count_points(job, all, s), radius);
        if (status != DR_STATUS_OK) return status;
    }
    if (job->spec->holds.count > 0 && strands->vertices > from) status = hold_others(job, strands, from);
    for (int s = first; s < strands->count; s++) set_off(job, strands, s);
    return status;
}

// ---- one entry of the scene

static dr_status find_collider(const making *job, int *collider)
{
    const dr_strands_spec *spec = job->spec;
    const dr_collider_list *list = &dr_scene_view(job->scene)->colliders;
    *collider = -1;
    if (!spec->bound_to || !*spec->bound_to) return DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].name && strcmp(list->items[i].name, spec->bound_to) == 0) *collider = i;
    }
    if (*collider < 0)
        return dr_scene_error(job->scene, &spec->bound_to, spec, job->error,
                              "strands \"%s\": there is no collider \"%s\"", spec->name, spec->bound_to);
    if (spec->root_motion.count > 0)
        return dr_scene_error(job->scene, &spec->bound_to, spec, job->error,
                              "strands \"%s\": roots cannot be bound to \"%s\" and have a motion of their own",
                              spec->name, spec->bound_to);
    return DR_STATUS_OK;
}

static dr_status find_film(const making *job, dr_strand_kind *kind)
{
    const dr_strands_spec *spec = job->spec;
    const dr_material_spec *film = dr_scene_material(job->scene, dr_film_liquid(job->scene, spec));
    kind->spec.film_capture = dr_film_capture(job->scene, spec);
    kind->capture_ratio = job->material ? job->material->capture_ratio : 1.0;
    if (film && film->kind == DR_MATERIAL_LIQUID) {
        kind->film = *film;
        kind->law = dr_film_stage_law(spec, film);
        kind->law.liquid = dr_film_stage_liquid(job->world, film);
        if (kind->law.liquid >= 0) kind->law.liquids = &job->world->constants.film_liquids;
        kind->drops = job->world->constants.drop_matter[job->kind];
        return DR_STATUS_OK;
    }
    return dr_scene_error(job->scene, &spec->film_material, spec, job->error,
                          "strands \"%s\": \"%s\" is no liquid that could cover them", spec->name, spec->film_material);
}

static dr_status make_kind(making *job, dr_strand_kind *kind)
{
    const dr_strands_spec *spec = job->spec;
    const dr_allocator *allocator = job->world->allocator;
    kind->spec = *spec;
    kind->spec.name = dr_arena_copy(&job->world->constants.arena, spec->name, strlen(spec->name));
    if (!kind->spec.name) return no_memory(job);
    dr_status status = find_collider(job, &kind->collider);
    if (status == DR_STATUS_OK) status = find_film(job, kind);
    if (status == DR_STATUS_OK)
        status = dr_motion_create(job->scene, &spec->root_motion, allocator, &kind->motion[0], job->error);
    if (status == DR_STATUS_OK)
        status = dr_motion_create(job->scene, &spec->tip_motion, allocator, &kind->motion[1], job->error);
    return status;
}

static dr_status find_material(making *job)
{
    const dr_strands_spec *spec = job->spec;
    job->material = dr_scene_material(job->scene, spec->material);
    if (job->material && (job->material->kind == DR_MATERIAL_HAIR || job->material->kind == DR_MATERIAL_YARN))
        return DR_STATUS_OK;
    dr_scene_error(job->scene, &spec->material, spec, job->error, "strands \"%s\": material \"%s\" is no hair or yarn",
                   spec->name, spec->material ? spec->material : "");
    dr_error_hint(job->error, "`drench materials` lists the built-in ones");
    return DR_STATUS_BAD_SCENE;
}

static dr_status make_entry(making *job)
{
    dr_constants *constants = &job->world->constants;
    dr_strand_kind *kind = &constants->strand_kinds[job->kind];
    curves all = {0};
    size_t yarn = job->world->state.yarn.vertices;
    dr_status status = find_material(job);
    kind->first = job->world->state.strands.count;
    if (status == DR_STATUS_OK) status = make_material(job, &constants->strand_materials[job->kind]);
    constants->strand_kind_count = job->kind + 1;
    if (status == DR_STATUS_OK) status = make_kind(job, kind);
    if (status == DR_STATUS_OK) status = take_curves(job, &all);
    if (status == DR_STATUS_OK)
        status = dr_strand_carriers_open(job->world, job->scene, kind, &job->carriers, job->error);
    if (status == DR_STATUS_OK) status = add_curves(job, &all);
    if (status == DR_STATUS_OK && job->spec->contact == DR_MEET_GRID)
        status = dr_cloth_end_yarn(job->world, job->scene,
                                   &(dr_yarn){.spec = job->spec, .body = job->kind, .first = yarn}, job->error);
    dr_strand_carriers_close(&job->carriers);
    dr_strands_free(&job->draft, job->world->allocator);
    kind->count = job->world->state.strands.count - kind->first;
    kind->joined = job->joined;
    kind->pushed = job->pushed;
    kind->cut = job->cut;
    return status;
}

dr_status dr_strand_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_constants *constants = &world->constants;
    if (list->count == 0) return DR_STATUS_OK;
    size_t count = (size_t)list->count;
    constants->strand_kinds = dr_arena_alloc(&constants->arena, count * sizeof *constants->strand_kinds);
    constants->strand_materials = dr_arena_alloc(&constants->arena, count * sizeof *constants->strand_materials);
    if (!constants->strand_kinds || !constants->strand_materials) return dr_error_memory(error, "making strands");
    world->state.strands.materials = constants->strand_materials;
    dr_status status = dr_collider_set_drive(constants->colliders, 0.0 - constants->time.pre_roll, error);
    for (int i = 0; i < list->count && status == DR_STATUS_OK; i++) {
        if (list->items[i].contact != DR_MEET_GRID) continue;
        status = dr_cloth_open_yarn(world, scene, error);
        break;
    }
    for (int i = 0; i < list->count && status == DR_STATUS_OK; i++) {
        dr_arena arena;
        dr_arena_open(&arena, world->allocator);
        making job = {
            .world = world, .scene = scene, .spec = &list->items[i], .kind = i, .arena = &arena, .error = error};
        status = make_entry(&job);
        dr_arena_close(&arena);
    }
    if (status == DR_STATUS_OK) status = dr_strand_overlap_check(world, scene, error);
    if (status == DR_STATUS_OK) status = dr_cloth_sew(world, scene, error);
    if (status == DR_STATUS_OK) status = dr_strand_contact_compile(world, scene, error);
    dr_film_stage_blend(world);
    return status;
}

// ---- how much memory they will take

#define VERTEX_BYTES  560.0  // of the state, the step's own copy of it and the frame
#define FILM_BYTES    400.0  // more where any is wet: the film, as it will be, and what the strand is told
#define MEETING_BYTES 750.0  // more where strands meet: edges and their tree, factors of the solve
#define BENCH_BYTES   9728.0 // for every vertex of the longest strand: several are solved side by side
#define CONTACT_BYTES 1000.0
#define ANSWER_BYTES  88.0 // of a contact, for every vertex that its two strands are touched at

static double count_vertices(const making *job, size_t *longest)
{
    const dr_strands_spec *spec = job->spec;
    if (spec->kind == DR_STRANDS_FILE) {
        const dr_curve_asset *asset = spec->file ? dr_scene_curves(job->scene, spec->file) : NULL;
        if (!asset) return 0.0;
        *longest = longest_of(asset->first, asset->curve_count);
        return (double)asset->point_count;
    }
    if (spec->kind == DR_STRANDS_LINE || spec->kind == DR_STRANDS_ARC) {
        *longest = (size_t)spec->vertices;
        return (double)spec->vertices;
    }
    dr_groom groom = describe(job);
    return (double)count_groom(&groom, longest);
}

// Yarn in a fabric touches others all along, hair here and there; of a strand by itself nothing is known. Rather too
// few than too many: a scene that fits must not be refused.
static double foresee_contacts(const making *job, double vertices, double longest)
{
    int kind = job->spec->kind;
    bool fabric = kind == DR_STRANDS_WEAVE || kind == DR_STRANDS_KNIT;
    if (kind == DR_STRANDS_LINE || kind == DR_STRANDS_ARC) return 0.0;
    bool springs = job->spec->contact == DR_MEET_PENALTY; // reach far, both ways, but keep no answers
    double contacts = fabric ? (springs ? 5.0 : 1.0) * vertices : vertices / 8.0;
    double windows = 2.0 * sqrt(7.0 / 3.0 * longest); // of a yarn with the separators between them
    double touched = springs ? 0.0 : fabric ? fmin(longest, windows) : fmin(longest / 4.0, 32.0);
    return contacts * (CONTACT_BYTES + ANSWER_BYTES * touched);
}

dr_strand_forecast dr_strand_foresee(dr_world *world, const dr_scene *scene)
{
    const dr_strands_list *list = &dr_scene_view(scene)->strands;
    dr_strand_forecast sum = {0};
    size_t most = 0;
    for (int i = 0; i < list->count; i++) {
        making job = {.world = world, .scene = scene, .spec = &list->items[i], .kind = i};
        size_t longest = 0;
        double vertices = count_vertices(&job, &longest);
        if (longest > most) most = longest;
        sum.vertices += vertices;
        sum.bytes += VERTEX_BYTES * vertices;
        if (job.spec->contact == DR_MEET_NONE || job.spec->contact == DR_MEET_GRID) continue;
        sum.bytes += MEETING_BYTES * vertices + foresee_contacts(&job, vertices, (double)longest);
    }
    for (int i = 0; i < list->count; i++) {
        if (!dr_film_is_given(&list->items[i]) && dr_film_capture(scene, &list->items[i]) == 0.0) continue;
        sum.bytes += FILM_BYTES * sum.vertices;
        break;
    }
    sum.bytes += BENCH_BYTES * (double)most;
    return sum;
}
