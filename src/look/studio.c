// The studio: two of Embree's scenes, one of what stops light and one of what is clear, so that shadows ask the first
// alone. Embree builds its trees in one thread: the same tree, and so the same picture, for any number of threads.
#include "look/studio.h"

#include "base/memory.h"

#ifdef DR_HAVE_EMBREE

#include "look/crease.h"

#include <embree3/rtcore.h>

#include <stdio.h>
#include <string.h>

typedef enum form { MESH, BALLS, CURVES } form;

// One geometry of Embree and what is known of it beyond its shape.
typedef struct piece {
    form form;
    dr_studio_kind kind;
    const dr_paint *paints;
    uint32_t (*triangle)[3];
    float (*normal)[3]; // per vertex of a liquid or per corner
    bool by_corner;
    uint32_t *body;     // per primitive
    float *wetness;     // per vertex, NULL: dry
    float (*colour)[3]; // per vertex, NULL: of the paint
    const dr_paint *films;
    int film_count;
    float *thick;      // [control point][film_count]
    uint32_t *segment; // curves: first control point of each
    const float (*control)[4];
    const float (*vertex)[3]; // of threads, as long as the geometry lives
    float (*coordinates)[2];  // per vertex; of curves per control point, the first
    float (*across)[3];       // curves with threads: per control point, carried along
} piece;

struct dr_studio {
    const dr_allocator *allocator;
    dr_arena arena;
    RTCDevice device;
    RTCScene solid, clear;
    piece *pieces;
    size_t piece_count, piece_capacity;
    bool has_ground, has_clear;
    float ground_height;
    dr_paint ground_paint;
};

// ---- opening and closing

static dr_status embree_error(dr_studio *studio, dr_error *error)
{
    enum RTCError code = rtcGetDeviceError(studio->device);
    if (code == RTC_ERROR_NONE) return DR_STATUS_OK;
    if (code == RTC_ERROR_OUT_OF_MEMORY) return dr_error_memory(error, "building the picture's tree");
    return dr_error_add(error, DR_STATUS_UNSUPPORTED, "Embree failed with its error %d", (int)code);
}

dr_status dr_studio_create(const dr_allocator *allocator, dr_studio **studio, dr_error *error)
{
    *studio = NULL;
    dr_studio *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "opening the studio");
    made->allocator = allocator;
    dr_arena_open(&made->arena, allocator);
    made->device = rtcNewDevice("threads=1,set_affinity=0");
    if (made->device) {
        made->solid = rtcNewScene(made->device);
        made->clear = rtcNewScene(made->device);
    }
    if (!made->device || !made->solid || !made->clear) {
        dr_studio_destroy(made);
        return dr_error_add(error, DR_STATUS_UNSUPPORTED, "Embree cannot start on this machine");
    }
    rtcSetSceneFlags(made->solid, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneFlags(made->clear, RTC_SCENE_FLAG_ROBUST);
    *studio = made;
    return DR_STATUS_OK;
}

void dr_studio_destroy(dr_studio *studio)
{
    if (!studio) return;
    if (studio->solid) rtcReleaseScene(studio->solid);
    if (studio->clear) rtcReleaseScene(studio->clear);
    if (studio->device) rtcReleaseDevice(studio->device);
    dr_memory_free(studio->allocator, studio->pieces, studio->piece_capacity * sizeof *studio->pieces);
    dr_arena_close(&studio->arena);
    dr_memory_free(studio->allocator, studio, sizeof *studio);
}

static void *copy(dr_studio *studio, const void *data, size_t bytes)
{
    void *made = data ? dr_arena_alloc(&studio->arena, bytes) : NULL;
    if (made) memcpy(made, data, bytes);
    return made;
}

// Puts a geometry that has its buffers, and what is known of it, into the scene it belongs to.
static dr_status attach(dr_studio *studio, RTCGeometry geometry, const piece *piece, dr_error *error)
{
    void *pieces = studio->pieces;
    if (!dr_memory_reserve(studio->allocator, &pieces, &studio->piece_capacity, studio->piece_count + 1,
                           sizeof *piece)) {
        rtcReleaseGeometry(geometry);
        return dr_error_memory(error, "opening the studio");
    }
    studio->pieces = pieces;
    studio->pieces[studio->piece_count] = *piece;
    rtcCommitGeometry(geometry);
    bool clear = piece->kind >= DR_STUDIO_PANE;
    rtcAttachGeometryByID(clear ? studio->clear : studio->solid, geometry, (unsigned)studio->piece_count++);
    rtcReleaseGeometry(geometry);
    studio->has_clear = studio->has_clear || clear;
    return embree_error(studio, error);
}

// ---- meshes

static dr_studio_kind kind_of(const dr_paint *paints, uint32_t body)
{
    switch (paints[body].finish) {
    case DR_FINISH_HIDDEN:
        return DR_STUDIO_NOTHING;
    case DR_FINISH_GLASS:
        return paints[body].thin ? DR_STUDIO_PANE : DR_STUDIO_GLASS;
    default:
        return DR_STUDIO_SOLID;
    }
}

static dr_studio_kind kind_of_triangle(const dr_studio_mesh *mesh, size_t t)
{
    if (mesh->liquid) return DR_STUDIO_LIQUID;
    return kind_of(mesh->paints, mesh->body ? mesh->body[t] : 0);
}

static bool keep_triangles(dr_studio *studio, const dr_studio_mesh *mesh, dr_studio_kind kind, size_t count,
                           piece *piece, uint32_t (*into)[3])
{
    piece->triangle = dr_arena_alloc(&studio->arena, count * sizeof *piece->triangle);
    piece->body = dr_arena_alloc(&studio->arena, count * sizeof *piece->body);
    if (!piece->triangle || !piece->body) return false;
    size_t kept = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        if (kind_of_triangle(mesh, t) != kind) continue;
        memcpy(piece->triangle[kept], mesh->triangle[t], sizeof *into);
        memcpy(into[kept], mesh->triangle[t], sizeof *into);
        piece->body[kept++] = mesh->body ? mesh->body[t] : 0;
    }
    return true;
}

static bool keep_normals(dr_studio *studio, const dr_studio_mesh *mesh, size_t count, piece *piece)
{
    piece->by_corner = mesh->normal == NULL;
    if (mesh->wetness) {
        piece->wetness = copy(studio, mesh->wetness, mesh->vertex_count * sizeof *mesh->wetness);
        if (!piece->wetness) return false;
    }
    if (mesh->colour) {
        piece->colour = copy(studio, mesh->colour, mesh->vertex_count * sizeof *mesh->colour);
        if (!piece->colour) return false;
    }
    if (mesh->coordinates) {
        piece->coordinates = copy(studio, mesh->coordinates, mesh->vertex_count * sizeof *mesh->coordinates);
        if (!piece->coordinates) return false;
    }
    if (mesh->normal) {
        piece->normal = copy(studio, mesh->normal, mesh->vertex_count * sizeof *mesh->normal);
        return piece->normal != NULL;
    }
    piece->normal = dr_arena_alloc(&studio->arena, 3 * count * sizeof *piece->normal);
    return piece->normal && dr_crease_normals(mesh->vertex_count, mesh->position, count,
                                              (const uint32_t(*)[3])piece->triangle, studio->allocator, piece->normal);
}

static dr_status add_triangles(dr_studio *studio, const dr_studio_mesh *mesh, dr_studio_kind kind, dr_error *error)
{
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) count += kind_of_triangle(mesh, t) == kind;
    if (count == 0) return DR_STATUS_OK;
    RTCGeometry geometry = rtcNewGeometry(studio->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    piece piece = {.form = MESH, .kind = kind, .paints = mesh->paints};
    float(*vertices)[3] = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                  sizeof *vertices, mesh->vertex_count);
    uint32_t(*triangles)[3] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof *triangles, count);
    if (!vertices || !triangles || !keep_triangles(studio, mesh, kind, count, &piece, triangles) ||
        !keep_normals(studio, mesh, count, &piece)) {
        rtcReleaseGeometry(geometry);
        return dr_error_memory(error, "putting triangles into the studio");
    }
    memcpy(vertices, mesh->position, mesh->vertex_count * sizeof *vertices);
    piece.vertex = (const float(*)[3])vertices;
    return attach(studio, geometry, &piece, error);
}

dr_status dr_studio_add_mesh(dr_studio *studio, const dr_studio_mesh *mesh, dr_error *error)
{
    dr_status status = add_triangles(studio, mesh, DR_STUDIO_SOLID, error);
    if (!status) status = add_triangles(studio, mesh, DR_STUDIO_PANE, error);
    if (!status) status = add_triangles(studio, mesh, DR_STUDIO_GLASS, error);
    if (!status) status = add_triangles(studio, mesh, DR_STUDIO_LIQUID, error);
    return status;
}

// ---- balls

static bool ball_is_drawn(const dr_studio_balls *balls, size_t i)
{
    return kind_of(balls->paints, balls->body ? balls->body[i] : 0) != DR_STUDIO_NOTHING;
}

dr_status dr_studio_add_balls(dr_studio *studio, const dr_studio_balls *balls, dr_error *error)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < balls->count; i++) count += ball_is_drawn(balls, i);
    if (count == 0) return DR_STATUS_OK;
    RTCGeometry geometry = rtcNewGeometry(studio->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    piece piece = {.form = BALLS, .kind = DR_STUDIO_SOLID, .paints = balls->paints};
    float(*points)[4] =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, sizeof *points, count);
    piece.body = dr_arena_alloc(&studio->arena, count * sizeof *piece.body);
    if (!points || !piece.body) {
        rtcReleaseGeometry(geometry);
        return dr_error_memory(error, "putting balls into the studio");
    }
    for (size_t i = 0; i < balls->count; i++) {
        if (!ball_is_drawn(balls, i)) continue;
        memcpy(points[kept], balls->position[i], sizeof *balls->position);
        points[kept][3] = balls->radius[i];
        piece.body[kept++] = balls->body ? balls->body[i] : 0;
    }
    return attach(studio, geometry, &piece, error);
}

// ---- curves: Catmull-Rom through the points, with one more beyond either end

typedef struct strip {
    float (*points)[4];
    uint32_t *index;
    size_t point_count, segment_count;
} strip;

static void add_control(strip *strip, const piece *piece, const dr_studio_curves *curves, size_t at, size_t other,
                        float beyond)
{
    float *point = strip->points[strip->point_count];
    for (int a = 0; a < 3; a++)
        point[a] = curves->position[at][a] + beyond * (curves->position[at][a] - curves->position[other][a]);
    point[3] = curves->radius[at];
    if (piece->wetness) piece->wetness[strip->point_count] = curves->wetness[at];
    size_t films = (size_t)piece->film_count;
    for (size_t k = 0; k < films; k++) piece->thick[films * strip->point_count + k] = curves->thick[films * at + k];
    strip->point_count++;
}

// The way along each curve, and a direction across it that turns no more than it must.
static void follow_curve(const piece *piece, const strip *strip, size_t from, size_t to)
{
    dr_float4 across = {0}, side, before = {0};
    float way = 0.0f;
    for (size_t i = from; i < to; i++) {
        dr_float4 here = dr_float4_load3(strip->points[i]);
        dr_float4 next = dr_float4_load3(strip->points[i + 1 < to ? i + 1 : i]);
        dr_float4 last = dr_float4_load3(strip->points[i > from ? i - 1 : i]);
        dr_float4 tangent = dr_space_unit(next - last);
        if (i == from) dr_space_frame(tangent, &across, &side);
        if (i > from) way += dr_space_length(here - before);
        across = dr_space_unit(across - dr_space_dot(across, tangent) * tangent);
        for (int a = 0; a < 3; a++) piece->across[i][a] = across[a];
        piece->coordinates[i][0] = way;
        before = here;
    }
}

static void add_curve(strip *strip, const piece *piece, const dr_studio_curves *curves, size_t c)
{
    size_t begin = curves->first[c], end = curves->first[c + 1];
    if (end - begin < 2) return;
    for (size_t i = begin; i + 1 < end; i++) {
        piece->body[strip->segment_count] = curves->body ? curves->body[c] : 0;
        strip->index[strip->segment_count++] = (uint32_t)(strip->point_count + i - begin);
    }
    size_t from = strip->point_count;
    add_control(strip, piece, curves, begin, begin + 1, 1.0f);
    for (size_t i = begin; i < end; i++) add_control(strip, piece, curves, i, i, 0.0f);
    add_control(strip, piece, curves, end - 1, end - 2, 1.0f);
    if (piece->across) follow_curve(piece, strip, from, strip->point_count);
}

static void measure_curves(const dr_studio_curves *curves, size_t *controls, size_t *segments)
{
    *controls = *segments = 0;
    for (size_t c = 0; c < curves->curve_count; c++) {
        size_t points = curves->first[c + 1] - curves->first[c];
        if (points < 2) continue;
        *controls += points + 2;
        *segments += points - 1;
    }
}

static bool shows_threads(const dr_studio_curves *curves)
{
    for (size_t c = 0; c < curves->curve_count; c++) {
        if (curves->paints[curves->body ? curves->body[c] : 0].finish == DR_FINISH_CLOTH) return true;
    }
    return false;
}

// Balls close the ends of what is thicker than hair.
static dr_status add_ends(dr_studio *studio, const dr_studio_curves *curves, dr_error *error)
{
    size_t most = 2 * curves->curve_count;
    float(*position)[3] = dr_arena_alloc(&studio->arena, most * sizeof *position + 1);
    float *radius = dr_arena_alloc(&studio->arena, most * sizeof *radius + 1);
    uint32_t *body = dr_arena_alloc(&studio->arena, most * sizeof *body + 1);
    if (!position || !radius || !body) return dr_error_memory(error, "putting curves into the studio");
    dr_studio_balls balls = {.position = (const float(*)[3])position, .radius = radius, .body = body};
    balls.paints = curves->paints;
    for (size_t c = 0; c < curves->curve_count; c++) {
        uint32_t own = curves->body ? curves->body[c] : 0;
        if (curves->first[c + 1] - curves->first[c] < 2 || curves->paints[own].finish == DR_FINISH_HAIR) continue;
        for (int end = 0; end < 2; end++) {
            size_t at = end ? curves->first[c + 1] - 1 : curves->first[c];
            memcpy(position[balls.count], curves->position[at], sizeof *position);
            radius[balls.count] = curves->radius[at];
            body[balls.count++] = own;
        }
    }
    return dr_studio_add_balls(studio, &balls, error);
}

dr_status dr_studio_add_curves(dr_studio *studio, const dr_studio_curves *curves, dr_error *error)
{
    size_t controls, segments;
    measure_curves(curves, &controls, &segments);
    if (segments == 0) return DR_STATUS_OK;
    RTCGeometry geometry = rtcNewGeometry(studio->device, RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE);
    piece piece = {.form = CURVES,
                   .kind = DR_STUDIO_SOLID,
                   .paints = curves->paints,
                   .films = curves->films,
                   .film_count = curves->wetness ? curves->film_count : 0};
    strip strip = {0};
    strip.points =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, sizeof *strip.points, controls);
    strip.index =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof *strip.index, segments);
    piece.body = dr_arena_alloc(&studio->arena, segments * sizeof *piece.body);
    piece.segment = dr_arena_alloc(&studio->arena, segments * sizeof *piece.segment);
    if (curves->wetness) piece.wetness = dr_arena_alloc(&studio->arena, controls * sizeof *piece.wetness);
    size_t films = (size_t)piece.film_count;
    if (films) piece.thick = dr_arena_alloc(&studio->arena, films * controls * sizeof *piece.thick);
    bool threads = shows_threads(curves);
    if (threads) piece.across = dr_arena_alloc(&studio->arena, controls * sizeof *piece.across);
    if (threads) piece.coordinates = dr_arena_alloc(&studio->arena, controls * sizeof *piece.coordinates);
    if (!strip.points || !strip.index || !piece.body || !piece.segment || (curves->wetness && !piece.wetness) ||
        (films && !piece.thick) || (threads && (!piece.across || !piece.coordinates))) {
        rtcReleaseGeometry(geometry);
        return dr_error_memory(error, "putting curves into the studio");
    }
    for (size_t c = 0; c < curves->curve_count; c++) add_curve(&strip, &piece, curves, c);
    memcpy(piece.segment, strip.index, segments * sizeof *piece.segment);
    piece.control = (const float(*)[4])strip.points; // lives as long as the geometry
    dr_status status = attach(studio, geometry, &piece, error);
    return status ? status : add_ends(studio, curves, error);
}

// ---- the rest

void dr_studio_add_ground(dr_studio *studio, float height, const dr_paint *paint)
{
    studio->has_ground = true;
    studio->ground_height = height;
    studio->ground_paint = *paint;
}

dr_status dr_studio_close(dr_studio *studio, dr_error *error)
{
    rtcCommitScene(studio->solid);
    rtcCommitScene(studio->clear);
    return embree_error(studio, error);
}

// ---- rays

static struct RTCRay embree_ray(const dr_studio_ray *ray)
{
    return (struct RTCRay){.org_x = ray->origin[0],
                           .org_y = ray->origin[1],
                           .org_z = ray->origin[2],
                           .tnear = ray->from,
                           .dir_x = ray->direction[0],
                           .dir_y = ray->direction[1],
                           .dir_z = ray->direction[2],
                           .tfar = ray->to,
                           .mask = UINT32_MAX};
}

static void meet_scene(RTCScene scene, struct RTCRayHit *query)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, query);
}

static float ground_distance(const dr_studio *studio, const dr_studio_ray *ray)
{
    float above = ray->origin[1] - studio->ground_height;
    if (!studio->has_ground || above <= 0.0f || ray->direction[1] >= 0.0f) return INFINITY;
    float distance = -above / ray->direction[1];
    return distance > ray->from ? distance : INFINITY;
}

static dr_float4 blend3(const float a[3], const float b[3], const float c[3], float u, float v)
{
    return (1.0f - u - v) * dr_float4_load3(a) + u * dr_float4_load3(b) + v * dr_float4_load3(c);
}

static dr_float4 mesh_normal(const piece *piece, const struct RTCHit *hit)
{
    const uint32_t *c = piece->triangle[hit->primID];
    size_t corner = 3 * (size_t)hit->primID;
    if (piece->by_corner)
        return blend3(piece->normal[corner], piece->normal[corner + 1], piece->normal[corner + 2], hit->u, hit->v);
    return blend3(piece->normal[c[0]], piece->normal[c[1]], piece->normal[c[2]], hit->u, hit->v);
}

static float wetness_at(const piece *piece, const struct RTCHit *hit)
{
    if (!piece->wetness) return 0.0f;
    if (piece->form == CURVES) {
        const float *at = piece->wetness + piece->segment[hit->primID];
        return (1.0f - hit->u) * at[1] + hit->u * at[2];
    }
    const uint32_t *c = piece->triangle[hit->primID];
    return (1.0f - hit->u - hit->v) * piece->wetness[c[0]] + hit->u * piece->wetness[c[1]] +
           hit->v * piece->wetness[c[2]];
}

static dr_paint paint_at(const piece *piece, const struct RTCHit *hit)
{
    dr_paint paint = piece->paints[piece->body[hit->primID]];
    if (piece->colour) {
        const uint32_t *c = piece->triangle[hit->primID];
        paint.colour = blend3(piece->colour[c[0]], piece->colour[c[1]], piece->colour[c[2]], hit->u, hit->v);
    }
    if (!piece->wetness) return paint;
    if (piece->film_count == 0) return dr_paint_wet(paint, wetness_at(piece, hit));
    const float *first = piece->thick + (size_t)piece->film_count * (piece->segment[hit->primID] + 1);
    float wet[DR_STUDIO_FILMS];
    for (int k = 0; k < piece->film_count; k++)
        wet[k] = (1.0f - hit->u) * first[k] + hit->u * first[piece->film_count + k];
    return dr_paint_coated(paint, wetness_at(piece, hit), piece->films, wet, piece->film_count);
}

// Direction and radius of a Catmull-Rom curve where it was hit.
static void describe_curve(const piece *piece, const struct RTCHit *at, dr_studio_hit *hit)
{
    const float(*c)[4] = piece->control + piece->segment[at->primID];
    float u = at->u, weight[4] = {-1.0f + u * (4.0f - 3.0f * u), u * (-10.0f + 9.0f * u), 1.0f + u * (8.0f - 9.0f * u),
                                  u * (-2.0f + 3.0f * u)};
    dr_float4 along = {0};
    for (int i = 0; i < 4; i++) along += weight[i] * dr_float4_load3(c[i]);
    hit->tangent = dr_space_unit(along);
    hit->radius = (1.0f - u) * c[1][3] + u * c[2][3];
}

// Where a mesh was hit on its warp and weft, and which way they run there: those of the triangle.
static void describe_weave(const piece *piece, const struct RTCHit *at, dr_studio_hit *hit)
{
    const uint32_t *c = piece->triangle[at->primID];
    const float *first = piece->coordinates[c[0]], *second = piece->coordinates[c[1]],
                *third = piece->coordinates[c[2]];
    float du1 = second[0] - first[0], dv1 = second[1] - first[1], du2 = third[0] - first[0], dv2 = third[1] - first[1];
    for (int a = 0; a < 2; a++)
        hit->coordinates[a] = (1.0f - at->u - at->v) * first[a] + at->u * second[a] + at->v * third[a];
    dr_float4 e1 = dr_float4_load3(piece->vertex[c[1]]) - dr_float4_load3(piece->vertex[c[0]]);
    dr_float4 e2 = dr_float4_load3(piece->vertex[c[2]]) - dr_float4_load3(piece->vertex[c[0]]);
    float area = du1 * dv2 - du2 * dv1, sign = area < 0.0f ? -1.0f : 1.0f;
    hit->warp = dr_space_unit(sign * (dv2 * e1 - dv1 * e2));
    hit->weft = dr_space_unit(sign * (du1 * e2 - du2 * e1));
}

static void describe_plies(const piece *piece, const struct RTCHit *at, dr_studio_hit *hit)
{
    size_t c = piece->segment[at->primID] + 1;
    dr_float4 across =
        (1.0f - at->u) * dr_float4_load3(piece->across[c]) + at->u * dr_float4_load3(piece->across[c + 1]);
    hit->coordinates[0] = (1.0f - at->u) * piece->coordinates[c][0] + at->u * piece->coordinates[c + 1][0];
    hit->warp = dr_space_unit(across - dr_space_dot(across, hit->tangent) * hit->tangent);
    hit->weft = dr_space_cross(hit->tangent, hit->warp);
}

static void describe(const piece *piece, const dr_studio_ray *ray, const struct RTCRayHit *found, dr_studio_hit *hit)
{
    const struct RTCHit *at = &found->hit;
    dr_float4 face = dr_space_unit((dr_float4){at->Ng_x, at->Ng_y, at->Ng_z, 0.0f});
    dr_float4 normal = piece->form == MESH ? dr_space_unit(mesh_normal(piece, at)) : face;
    hit->kind = piece->kind;
    hit->distance = found->ray.tfar;
    hit->point = ray->origin + found->ray.tfar * ray->direction;
    hit->from_behind = dr_space_dot(face, ray->direction) > 0.0f;
    hit->face = hit->from_behind ? -face : face;
    hit->normal = dr_space_dot(normal, hit->face) < 0.0f ? -normal : normal;
    hit->radius = 0.0f;
    if (piece->form == CURVES) describe_curve(piece, at, hit);
    if (piece->kind == DR_STUDIO_LIQUID) return;
    hit->paint = paint_at(piece, at);
    if (hit->paint.finish != DR_FINISH_CLOTH) return;
    if (!piece->coordinates)
        hit->paint.finish = DR_FINISH_MATTE;
    else if (piece->form == CURVES)
        describe_plies(piece, at, hit);
    else
        describe_weave(piece, at, hit);
}

static void describe_ground(const dr_studio *studio, const dr_studio_ray *ray, float distance, dr_studio_hit *hit)
{
    hit->kind = DR_STUDIO_GROUND;
    hit->distance = distance;
    hit->point = ray->origin + distance * ray->direction;
    hit->face = hit->normal = (dr_float4){0.0f, 1.0f, 0.0f, 0.0f};
    hit->from_behind = false;
    hit->radius = 0.0f;
    hit->paint = studio->ground_paint;
}

bool dr_studio_meet(const dr_studio *studio, const dr_studio_ray *ray, int sees, dr_studio_hit *hit)
{
    struct RTCRayHit query = {.ray = embree_ray(ray), .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    hit->kind = DR_STUDIO_NOTHING;
    float ground = sees & DR_STUDIO_SOLIDS ? ground_distance(studio, ray) : INFINITY;
    bool on_ground = ground < query.ray.tfar;
    if (on_ground) query.ray.tfar = ground;
    if (sees & DR_STUDIO_SOLIDS) meet_scene(studio->solid, &query);
    if (sees & DR_STUDIO_CLEAR && studio->has_clear) meet_scene(studio->clear, &query);
    if (query.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
        describe(&studio->pieces[query.hit.geomID], ray, &query, hit);
    } else if (on_ground) {
        describe_ground(studio, ray, ground, hit);
    }
    return hit->kind != DR_STUDIO_NOTHING;
}

bool dr_studio_blocked(const dr_studio *studio, const dr_studio_ray *ray)
{
    struct RTCRay query = embree_ray(ray);
    struct RTCIntersectContext context;
    if (ground_distance(studio, ray) < ray->to) return true;
    rtcInitIntersectContext(&context);
    rtcOccluded1(studio->solid, &context, &query);
    return query.tfar < 0.0f;
}

#else

dr_status dr_studio_create(const dr_allocator *allocator, dr_studio **studio, dr_error *error)
{
    (void)allocator;
    *studio = NULL;
    dr_status status =
        dr_error_add(error, DR_STATUS_UNSUPPORTED, "this drench cannot draw pictures: it was built without Embree");
    dr_error_hint(error, "install the Debian package libembree-dev and build again");
    return status;
}

void dr_studio_destroy(dr_studio *studio)
{
    (void)studio;
}

static dr_status refuse(dr_error *error)
{
    return dr_error_add(error, DR_STATUS_UNSUPPORTED, "built without Embree");
}

dr_status dr_studio_add_mesh(dr_studio *studio, const dr_studio_mesh *mesh, dr_error *error)
{
    (void)studio, (void)mesh;
    return refuse(error);
}

dr_status dr_studio_add_balls(dr_studio *studio, const dr_studio_balls *balls, dr_error *error)
{
    (void)studio, (void)balls;
    return refuse(error);
}

dr_status dr_studio_add_curves(dr_studio *studio, const dr_studio_curves *curves, dr_error *error)
{
    (void)studio, (void)curves;
    return refuse(error);
}

void dr_studio_add_ground(dr_studio *studio, float height, const dr_paint *paint)
{
    (void)studio, (void)height, (void)paint;
}

dr_status dr_studio_close(dr_studio *studio, dr_error *error)
{
    (void)studio;
    return refuse(error);
}

bool dr_studio_meet(const dr_studio *studio, const dr_studio_ray *ray, int sees, dr_studio_hit *hit)
{
    (void)studio, (void)ray, (void)sees;
    hit->kind = DR_STUDIO_NOTHING;
    return false;
}

bool dr_studio_blocked(const dr_studio *studio, const dr_studio_ray *ray)
{
    (void)studio, (void)ray;
    return false;
}

#endif
