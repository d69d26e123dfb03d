// Paths of light. At a solid the sun is asked for through liquid and glass along a straight line, and the path goes on
// as the paint draws it; at a liquid it is mirrored or refracted by chance, with Fresnel's share. The mirror image of
// the sun in liquid is not left to chance. docs/render.md, "Paths".
#include "look/trace.h"

#include "look/thread.h"

#define DEEPEST      32
#define SCATTERED    4     // times that a path is scattered by solids at most,
#define IN_HAIR      6     // and where the last of them is a hair
#define LAYERS       24    // of liquid and glass before the sun
#define BRIGHTEST    12.0f // light that a path may find after it was bent,
#define BRIGHT       2.5f  // and after it was scattered, or bent
#define OFTEN        2     // times and more: such spots are noise
#define FAINT        0.2f // sunlight from a hair below which shadows are left to chance: half of it costs, twice is noise
#define SURE_DEPTH   4    // before it no path is given up by chance,
#define SURE_IN_HAIR 1    // nor before it in hair, where the next path finds much the same
#define MIRROR_CHANCE                                                                                                  \
    0.25f // of asking for what the coat of a liquid mirrors, at least: half of it is noise in glints, twice in the rest
#define ROUGHENED 0.5f // the least roughness of what is seen by way of a solid: no spots of gathered light

// Where a ray is: in liquid and in glass, how often in each, for surfaces may overlap and thin ones be inside out.
// Glass comes first where both are: liquid is drawn a little into what holds it (Schmidt and Budge 2002).
typedef struct matter {
    int liquid, glass;
    float index;          // of the glass
    dr_float4 absorption; // per cm, of the glass
} matter;

typedef struct path {
    dr_float4 origin, direction;
    dr_float4 share; // of the light found here that reaches the eye
    dr_float4 light;
    dr_float4 colour, normal; // see dr_trace_sight
    matter within;
    bool sees_sun; // as a disc
    bool in_hair;  // scattered by one at last
    int depth, scattered;
    float way; // from the eye
} path;

static dr_float4 limit(const path *path, dr_float4 light)
{
    float most = dr_space_largest(light), limit = path->scattered > 0 || path->depth > OFTEN ? BRIGHT : BRIGHTEST;
    return path->depth > 0 && most > limit ? light * (limit / most) : light;
}

static void find_light(path *path, dr_float4 light)
{
    path->light += limit(path, path->share * light);
}

// A plate: what both of its faces mirror, back and forth.
static float plate_share(float cosine, float coat)
{
    float share = dr_optics_fresnel(cosine, 1.0f / coat);
    return 2.0f * share / (1.0f + share);
}

static float index_of(const dr_trace *trace, const matter *within)
{
    return within->glass > 0 ? within->index : within->liquid > 0 ? trace->refraction : 1.0f;
}

static dr_float4 absorb_on_way(const dr_trace *trace, const matter *within, float way)
{
    if (within->glass > 0) return dr_optics_absorb(within->absorption, way);
    if (within->liquid > 0) return dr_optics_absorb(trace->absorption, way);
    return (dr_float4){1.0f, 1.0f, 1.0f, 0.0f};
}

// Where a ray is once it has crossed a surface of liquid or glass.
static matter cross(matter at, const dr_studio_hit *hit)
{
    int step = hit->from_behind ? -1 : 1;
    if (hit->kind == DR_STUDIO_LIQUID) {
        at.liquid += step;
        return at;
    }
    at.glass = at.glass + step < 0 ? 0 : at.glass + step;
    if (at.glass == 1 && step > 0) {
        at.index = hit->paint.coat;
        at.absorption = hit->paint.absorption;
    }
    return at;
}

// A surface is a border only where it is the outermost of its kind, and of liquid only outside of glass.
static bool is_border(const matter *within, const dr_studio_hit *hit)
{
    int side = hit->from_behind ? 1 : 0;
    if (hit->kind == DR_STUDIO_LIQUID) return within->glass == 0 && within->liquid == side;
    return within->glass <= side;
}

// The index before a border over the one beyond.
static float ratio_at(const dr_trace *trace, const matter *within, const dr_studio_hit *hit)
{
    matter before = *within, beyond = cross(*within, hit);
    if (hit->kind == DR_STUDIO_GLASS && hit->from_behind && before.glass == 0) return hit->paint.coat;
    return index_of(trace, &before) / index_of(trace, &beyond);
}

// ---- the sun

// The share of the sun's light that comes through to a point, straight through liquid and glass.
static dr_float4 sun_through(const dr_trace *trace, dr_float4 point, dr_float4 direction, matter within)
{
    dr_float4 share = {1.0f, 1.0f, 1.0f, 0.0f};
    dr_studio_ray ray = {point, direction, trace->tiny, INFINITY};
    if (dr_studio_blocked(trace->studio, &ray)) return (dr_float4){0};
    for (int i = 0; i < LAYERS; i++) {
        dr_studio_hit hit;
        if (!dr_studio_meet(trace->studio, &ray, DR_STUDIO_CLEAR, &hit)) break;
        float cosine = fabsf(dr_space_dot(direction, hit.normal));
        if (hit.kind == DR_STUDIO_PANE) {
            share *= (1.0f - plate_share(cosine, hit.paint.coat)) * hit.paint.colour;
        } else {
            if (within.glass > 0 || within.liquid > 0) share *= absorb_on_way(trace, &within, hit.distance);
            if (is_border(&within, &hit)) {
                float ratio = ratio_at(trace, &within, &hit);
                share *= 1.0f - dr_optics_fresnel(cosine, fminf(ratio, 1.0f / ratio));
            }
            within = cross(within, &hit);
        }
        ray.origin = hit.point;
    }
    return share;
}

// Where light goes on that leaves a surface: on this side of it, or of a sheet on the other.
static dr_float4 leave_sheet(const dr_trace *trace, const dr_studio_hit *hit, bool behind)
{
    return hit->point + (behind ? -1.5f * hit->paint.thickness - 4.0f * trace->tiny : trace->tiny) * hit->face;
}

static void find_sun(const dr_trace *trace, path *path, const dr_studio_hit *hit, dr_float4 normal, dr_dice *dice)
{
    float random[2];
    dr_dice_roll(dice, random);
    dr_float4 towards = dr_optics_cone(trace->light.sun_direction, trace->light.sun_cosine, random);
    bool behind = dr_space_dot(hit->face, towards) <= 0.0f;
    if (behind && hit->paint.through == 0.0f) return;
    dr_float4 sent = behind ? dr_paint_send_through(&hit->paint, normal, towards)
                            : dr_paint_send(&hit->paint, normal, -path->direction, towards);
    sent *= trace->light.sun_arrival;
    if (dr_space_largest(sent) <= 0.0f) return;
    dr_float4 from = leave_sheet(trace, hit, behind);
    float index = index_of(trace, &path->within);
    sent *= 1.0f / (index * index); // on the way out rays spread
    find_light(path, sent * sun_through(trace, from, towards, path->within));
}

// The sun's image in a smooth border. Light that would be gathered in spots is left out.
static void find_glint(const dr_trace *trace, path *path, const dr_studio_hit *hit, dr_float4 mirrored, float share)
{
    if (path->scattered > 0 || !dr_light_is_sun(&trace->light, mirrored)) return;
    dr_float4 from = hit->point + trace->tiny * hit->face;
    find_light(path, share * trace->light.sun_disc * sun_through(trace, from, mirrored, path->within));
}

// ---- what a path meets

static void leave_world(const dr_trace *trace, path *path)
{
    dr_float4 sky = dr_light_sky(&trace->light, path->direction);
    find_light(path, sky);
    if (path->scattered == 0) path->colour = sky;
    if (path->sees_sun && path->depth > 0 && dr_light_is_sun(&trace->light, path->direction))
        find_light(path, trace->light.sun_disc);
}

static void fade_ground(const dr_trace *trace, path *path, const dr_studio_hit *hit)
{
    dr_float4 away = hit->point - trace->middle;
    float share = (hypotf(away[0], away[2]) - trace->fade_from) / (trace->fade_to - trace->fade_from);
    share = fminf(fmaxf(share, 0.0f), 1.0f);
    share = share * share * (3.0f - 2.0f * share);
    find_light(path, share * trace->light.horizon);
    path->share *= 1.0f - share;
}

// Where light goes on that leaves a hair: on this side of it, or on the other.
static dr_float4 leave_hair(const dr_trace *trace, const dr_studio_hit *hit, dr_float4 towards)
{
    float out = dr_space_dot(towards, hit->face), along = dr_space_dot(towards, hit->tangent);
    if (out >= 0.0f) return hit->point + trace->tiny * hit->face;
    float through = -2.0f * hit->radius * out / fmaxf(1.0f - along * along, 0.02f);
    return hit->point + 1.02f * through * towards + trace->tiny * dr_optics_reflect(hit->face, towards);
}

static bool meet_hair(const dr_trace *trace, path *path, const dr_studio_hit *hit, dr_dice *dice)
{
    float random[2];
    dr_hair hair = dr_paint_hair(&hit->paint);
    dr_hair_place place = dr_hair_place_make(&hair, hit->tangent, hit->face, -path->direction);
    if (path->scattered == 0) path->colour = hit->paint.colour;
    dr_dice_roll(dice, random);
    dr_float4 towards = dr_optics_cone(trace->light.sun_direction, trace->light.sun_cosine, random), in;
    dr_float4 sent = dr_hair_send(&place, towards) * trace->light.sun_arrival;
    float asked = dr_space_largest(path->share * sent) / FAINT; // what is faint is asked for by chance
    dr_dice_roll(dice, random);
    if (asked > random[0]) {
        sent *= 1.0f / fminf(asked, 1.0f);
        find_light(path, sent * sun_through(trace, leave_hair(trace, hit, towards), towards, path->within));
    }
    path->in_hair = true;
    if (++path->scattered > IN_HAIR) return false;
    path->share *= dr_hair_draw(&place, dice, &in);
    if (dr_space_largest(path->share) <= 1e-4f) return false;
    path->origin = leave_hair(trace, hit, in);
    path->direction = in;
    path->sees_sun = false;
    return true;
}

static bool meet_solid(const dr_trace *trace, path *path, dr_studio_hit *hit, dr_dice *dice);

// Where light comes out again that went into something that scatters: on the same surface, found from above and within
// the slope of one; where there is none of it, where it went in.
static void wander(const dr_trace *trace, dr_studio_hit *hit, dr_dice *dice)
{
    float random[2];
    dr_float4 right, ahead;
    dr_studio_hit met;
    dr_dice_roll(dice, random);
    float way = dr_paint_wander(&hit->paint, random), height = way + 4.0f * trace->tiny;
    dr_dice_roll(dice, random);
    float angle = 2.0f * DR_PI_FLOAT * random[0];
    dr_space_frame(hit->normal, &right, &ahead);
    dr_float4 beside = hit->point + way * (cosf(angle) * right + sinf(angle) * ahead) + height * hit->normal;
    dr_studio_ray ray = {beside, -hit->normal, 0.0f, 2.0f * height};
    if (!dr_studio_meet(trace->studio, &ray, DR_STUDIO_SOLIDS, &met) || met.from_behind || met.paint.wander == 0.0f)
        return;
    hit->point = met.point;
    hit->face = met.face;
    hit->normal = met.normal;
}

// By chance the coat alone, or what comes out below it. The glint of the sun is seldom but bright: it is asked for more
// often than its share.
static bool meet_scattering(const dr_trace *trace, path *path, dr_studio_hit *hit, dr_dice *dice)
{
    float random[2], cosine = fmaxf(-dr_space_dot(path->direction, hit->normal), 0.01f);
    float share = dr_paint_coat(&hit->paint, cosine), chance = fmaxf(share, MIRROR_CHANCE);
    const double white[3] = {1.0, 1.0, 1.0};
    dr_float4 colour = hit->paint.colour;
    dr_dice_roll(dice, random);
    if (random[0] < chance) {
        float roughness = hit->paint.roughness;
        path->share *= share / chance;
        hit->paint = dr_paint_make(DR_FINISH_METAL, white);
        hit->paint.roughness = roughness;
    } else {
        path->share *= (1.0f - share) / (1.0f - chance);
        wander(trace, hit, dice);
        hit->paint = dr_paint_make(DR_FINISH_MATTE, white);
        hit->paint.colour = colour;
        path->direction = -hit->normal; // what comes out there has forgotten where it goes
    }
    bool on = meet_solid(trace, path, hit, dice);
    path->colour = colour;
    return on;
}

// False where the path ends.
static bool meet_solid(const dr_trace *trace, path *path, dr_studio_hit *hit, dr_dice *dice)
{
    if (hit->paint.finish == DR_FINISH_HAIR && hit->radius > 0.0f) return meet_hair(trace, path, hit, dice);
    if (hit->paint.wander > 0.0f && path->scattered == 0) return meet_scattering(trace, path, hit, dice);
    path->in_hair = false;
    if (hit->paint.finish == DR_FINISH_CLOTH && path->scattered == 0) dr_thread_shade(hit, trace->pixel * path->way);
    if (path->scattered > 0) hit->paint.roughness = fmaxf(hit->paint.roughness, ROUGHENED);
    dr_float4 out = -path->direction, in;
    dr_float4 normal = dr_space_dot(hit->normal, out) > 0.01f ? hit->normal : hit->face;
    if (path->scattered == 0) path->colour = hit->paint.colour;
    if (hit->kind == DR_STUDIO_GROUND) fade_ground(trace, path, hit);
    find_sun(trace, path, hit, normal, dice);
    if (++path->scattered > SCATTERED) return false;
    path->share *= dr_paint_draw(&hit->paint, normal, out, dice, &in);
    bool behind = dr_space_dot(in, hit->face) <= 0.0f;
    if (dr_space_largest(path->share) <= 1e-4f || (behind && hit->paint.through == 0.0f)) return false;
    path->origin = leave_sheet(trace, hit, behind);
    path->direction = in;
    path->sees_sun = false;
    return true;
}

static dr_float4 mirror(const path *path, const dr_studio_hit *hit)
{
    dr_float4 mirrored = dr_optics_reflect(path->direction, hit->normal);
    if (dr_space_dot(mirrored, hit->face) > 0.0f) return mirrored;
    return dr_optics_reflect(path->direction, hit->face);
}

static bool meet_border(const dr_trace *trace, path *path, const dr_studio_hit *hit, dr_dice *dice)
{
    float random[2], ratio = ratio_at(trace, &path->within, hit);
    float cosine = fminf(fmaxf(-dr_space_dot(path->direction, hit->normal), 1e-3f), 1.0f);
    float share = dr_optics_fresnel(cosine, ratio);
    dr_float4 mirrored = mirror(path, hit), bent;
    find_glint(trace, path, hit, mirrored, share);
    dr_dice_roll(dice, random);
    bool through = random[0] >= share && dr_optics_refract(path->direction, hit->normal, ratio, &bent);
    path->origin = hit->point;
    path->direction = through ? bent : mirrored;
    if (through) path->within = cross(path->within, hit);
    path->sees_sun = through && path->scattered == 0;
    return true;
}

// Where liquid lies on a solid that its surface does not stop at (hair, cloth, elastic bodies) there is no air between,
// whatever the meshes say: the solid begins where the liquid ends.
static bool meet_clear(const dr_trace *trace, path *path, dr_studio_hit *hit, dr_dice *dice)
{
    if (!is_border(&path->within, hit)) {
        path->origin = hit->point;
        path->within = cross(path->within, hit);
        return true;
    }
    if (hit->kind == DR_STUDIO_LIQUID && hit->from_behind && trace->contact > 0.0f) {
        dr_studio_ray ray = {hit->point, path->direction, 0.0f, trace->contact};
        dr_studio_hit touched;
        if (dr_studio_meet(trace->studio, &ray, DR_STUDIO_SOLIDS, &touched)) {
            touched.point = hit->point;
            return meet_solid(trace, path, &touched, dice);
        }
    }
    return meet_border(trace, path, hit, dice);
}

static bool meet_pane(const dr_trace *trace, path *path, const dr_studio_hit *hit, dr_dice *dice)
{
    float random[2], cosine = fabsf(dr_space_dot(path->direction, hit->normal));
    float share = plate_share(cosine, hit->paint.coat);
    dr_float4 mirrored = mirror(path, hit);
    find_glint(trace, path, hit, mirrored, share);
    dr_dice_roll(dice, random);
    path->origin = hit->point;
    if (random[0] < share) {
        path->direction = mirrored;
        path->sees_sun = false;
    } else {
        path->share *= hit->paint.colour;
    }
    return true;
}

static bool give_up(path *path, dr_dice *dice)
{
    float random[2], keep = 2.0f * dr_space_largest(path->share);
    if (path->depth < (path->in_hair ? SURE_IN_HAIR : SURE_DEPTH) || keep >= 1.0f) return false;
    dr_dice_roll(dice, random);
    if (random[0] >= keep) return true;
    path->share *= 1.0f / keep;
    return false;
}

static bool advance(const dr_trace *trace, path *path, dr_dice *dice)
{
    dr_studio_ray ray = {path->origin, path->direction, path->depth ? trace->tiny : 0.0f, INFINITY};
    dr_studio_hit hit;
    if (!dr_studio_meet(trace->studio, &ray, DR_STUDIO_SOLIDS | DR_STUDIO_CLEAR, &hit)) {
        leave_world(trace, path);
        return false;
    }
    if (path->depth == 0) path->normal = hit.normal;
    if (path->within.glass > 0 || path->within.liquid > 0)
        path->share *= absorb_on_way(trace, &path->within, hit.distance);
    path->way += hit.distance;
    switch (hit.kind) {
    case DR_STUDIO_LIQUID:
    case DR_STUDIO_GLASS:
        return meet_clear(trace, path, &hit, dice);
    case DR_STUDIO_PANE:
        return meet_pane(trace, path, &hit, dice);
    default:
        return meet_solid(trace, path, &hit, dice);
    }
}

dr_trace_sight dr_trace_path(const dr_trace *trace, dr_float4 origin, dr_float4 direction, dr_dice *dice)
{
    path path = {.origin = origin, .direction = direction, .share = {1.0f, 1.0f, 1.0f, 0.0f}};
    while (path.depth < DEEPEST && advance(trace, &path, dice) && !give_up(&path, dice)) path.depth++;
    if (path.depth == DEEPEST)
        find_light(&path, 0.5f * (trace->light.horizon + trace->light.zenith)); // caught in liquid
    return (dr_trace_sight){path.light, path.colour, path.normal};
}
