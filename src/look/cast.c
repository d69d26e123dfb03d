// Paints by name: those of the scene's look first, then a word for a colour in a name, then a palette.
#include "look/cast.h"

#include "look/preset.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define DEEP         0.8 // of the size of what happens: how deep liquids are in colour that have no depth of their own
#define GLASS_DEPTH  0.1 // of the size of what happens: where a body of glass has the colour of its paint

#define THREAD  0.05f // cm from thread to thread of cloth that no paint names
#define THROUGH 0.2f  // of the light on cloth: half of it is felt, twice of it gauze

typedef struct word {
    const char *name;
    double colour[3];
} word;

static const word words[] = {
    {"red", {0.80, 0.16, 0.14}},   {"green", {0.25, 0.62, 0.28}},  {"blue", {0.18, 0.42, 0.80}},
    {"amber", {0.94, 0.62, 0.14}}, {"yellow", {0.95, 0.78, 0.20}}, {"orange", {0.92, 0.47, 0.13}},
    {"white", {0.92, 0.91, 0.89}}, {"black", {0.08, 0.08, 0.09}},  {"purple", {0.52, 0.28, 0.66}},
    {"pink", {0.92, 0.52, 0.62}},  {"brown", {0.42, 0.27, 0.17}},  {"grey", {0.55, 0.55, 0.56}},
    {"teal", {0.14, 0.56, 0.58}},  {"gold", {0.93, 0.72, 0.32}},   {"copper", {0.88, 0.54, 0.38}},
};

static const double body_palette[][3] = {
    {0.83, 0.28, 0.20}, {0.24, 0.55, 0.62}, {0.93, 0.66, 0.22}, {0.42, 0.36, 0.66}, {0.40, 0.62, 0.32},
};

static const double sand_colour[3] = {0.82, 0.69, 0.47};

static const double collider_palette[][3] = {
    {0.74, 0.72, 0.69},
    {0.56, 0.62, 0.68},
    {0.72, 0.60, 0.48},
    {0.50, 0.53, 0.50},
};

// ---- looking things up

static const dr_paint_spec *find_paint(const dr_scene_spec *spec, const char *name)
{
    for (int i = 0; name && *name && i < spec->look.paints.count; i++) {
        if (strcmp(spec->look.paints.items[i].name, name) == 0) return &spec->look.paints.items[i];
    }
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether a word stands alone in a text.
static bool holds_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text ? strstr(text, word) : NULL; at; at = strstr(at + 1, word)) {
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length])) return true;
    }
    return false;
}

static const double *find_word(const char *text)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (holds_word(text, words[i].name)) return words[i].colour;
    }
    return NULL;
}

static const double clear_glass[3] = {0.97, 0.985, 0.98};

static bool is_chosen(const double colour[3])
{
    return colour[0] != DR_AUTO && colour[1] != DR_AUTO && colour[2] != DR_AUTO;
}

static const double *choose_colour(const dr_paint_spec *paint, const char *name, const char *material,
                                   const double *chosen)
{
    const double *found;
    if (paint && is_chosen(paint->colour)) return paint->colour;
    if ((found = find_word(name)) || (found = find_word(material))) return found;
    return chosen;
}

static dr_paint paint_of(const dr_scene_spec *spec, const char *name, const char *material, dr_finish finish,
                         const double *chosen)
{
    const dr_paint_spec *paint = find_paint(spec, name);
    if (!paint) paint = find_paint(spec, material);
    if (paint && paint->finish != DR_FINISH_AUTO) finish = (dr_finish)paint->finish;
    dr_paint made =
        dr_paint_make(finish, choose_colour(paint, name, material, finish == DR_FINISH_GLASS ? clear_glass : chosen));
    made.thread = paint ? (float)paint->thread : THREAD;
    made.copies = paint ? (uint32_t)paint->copies : 1;
    made.spread = paint ? (float)paint->spread : 0.0f;
    return made;
}

// ---- liquid

typedef struct source {
    const char *name, *material;
} source;

static bool is_liquid(const dr_scene *scene, const char *name)
{
    const dr_material_spec *material = name && *name ? dr_scene_material(scene, name) : NULL;
    return material && material->kind == DR_MATERIAL_LIQUID;
}

// Bodies, then emitters.
static source source_of(const dr_scene_spec *spec, int i)
{
    if (i < spec->bodies.count) return (source){spec->bodies.items[i].name, spec->bodies.items[i].material};
    const dr_emitter_spec *emitter = &spec->emitters.items[i - spec->bodies.count];
    return (source){emitter->name, emitter->material};
}

// The first body or emitter of liquid, else the first film that strands have or catch.
static source find_source(const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    for (int i = 0; i < spec->bodies.count + spec->emitters.count; i++) {
        source source = source_of(spec, i);
        if (is_liquid(scene, source.material)) return source;
    }
    for (int i = 0; i < spec->strands.count; i++) {
        const char *film = spec->strands.items[i].film_material;
        if (is_liquid(scene, film)) return (source){"", film};
    }
    return (source){"", ""};
}

static dr_float4 absorb(dr_float4 seen, double depth)
{
    for (int c = 0; c < 3; c++) seen[c] = -logf(fmaxf(seen[c], 1e-4f)) / (float)depth;
    return seen;
}

static double choose(double wish, double otherwise)
{
    return wish != DR_AUTO ? wish : otherwise;
}

// A look that the scene names, else that of its liquid's material, with what the scene says of it.
static dr_preset mix_preset(const dr_scene *scene, source source)
{
    const dr_liquid_look_spec *look = &dr_scene_view(scene)->look.liquid;
    dr_preset preset = look->like == DR_LIKE_AUTO ? *dr_preset_of_material(scene, source.material)
                                                  : *dr_preset_like((dr_like)look->like);
    bool deep = look->depth != DR_AUTO && look->scattering == DR_AUTO;
    preset.scattering = choose(look->scattering, deep ? 0.0 : preset.scattering);
    preset.clear = preset.scattering == 0.0;
    const double *word = find_word(source.name) ? find_word(source.name) : find_word(source.material);
    if (is_chosen(look->colour))
        memcpy(preset.colour, look->colour, sizeof preset.colour);
    else if (!preset.clear && word)
        memcpy(preset.colour, word, sizeof preset.colour);
    preset.depth = choose(look->depth, preset.depth);
    preset.refraction = choose(look->refraction, preset.refraction);
    preset.roughness = choose(look->roughness, preset.roughness);
    return preset;
}

bool dr_cast_thick_colour(const dr_scene *scene, double colour[3])
{
    dr_preset preset = mix_preset(scene, find_source(scene));
    memcpy(colour, preset.colour, sizeof preset.colour);
    return !preset.clear;
}

static dr_cast_liquid make_liquid(const dr_scene *scene, source source, double size)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    dr_preset preset = mix_preset(scene, source);
    const dr_paint_spec *painted = find_paint(spec, source.name);
    if (!painted) painted = find_paint(spec, source.material);
    if (painted && is_chosen(painted->colour)) memcpy(preset.colour, painted->colour, sizeof preset.colour);
    dr_cast_liquid liquid = {.clear = preset.clear, .refraction = (float)preset.refraction};
    liquid.absorption = absorb(dr_paint_linear(preset.colour), preset.depth > 0.0 ? preset.depth : DEEP * size);
    liquid.paint = dr_paint_make(DR_FINISH_GLOSS, preset.colour);
    if (!preset.clear)
        dr_paint_scatter(&liquid.paint, (float)preset.refraction, (float)preset.roughness, (float)preset.scattering);
    if (painted && painted->finish != DR_FINISH_GLASS && (preset.clear || painted->finish != DR_FINISH_AUTO)) {
        dr_finish finish = painted->finish == DR_FINISH_AUTO ? DR_FINISH_SATIN : (dr_finish)painted->finish;
        liquid.clear = false;
        liquid.paint = dr_paint_make(finish, preset.colour);
    }
    return liquid;
}

static bool look_alike(const dr_cast_liquid *a, const dr_cast_liquid *b)
{
    bool same = a->clear == b->clear && a->refraction == b->refraction && a->paint.finish == b->paint.finish &&
                a->paint.coat == b->paint.coat && a->paint.roughness == b->paint.roughness &&
                a->paint.wander == b->paint.wander;
    for (int c = 0; c < 3; c++)
        same = same && a->paint.colour[c] == b->paint.colour[c] && a->absorption[c] == b->absorption[c];
    return same;
}

// The number of a liquid among those that look different.
static int add_liquid(dr_cast *cast, const dr_scene *scene, source source, double size)
{
    dr_cast_liquid liquid = make_liquid(scene, source, size);
    for (int i = 0; i < cast->liquid_count; i++) {
        if (look_alike(&cast->liquids[i], &liquid)) return i;
    }
    cast->liquids[cast->liquid_count] = liquid;
    return cast->liquid_count++;
}

// What films of that liquid look like: as those of strands whose own it is.
static void add_film(dr_cast *cast, const dr_scene *scene, const char *material, double size)
{
    for (int i = 0; i < cast->film_count; i++) {
        if (strcmp(cast->film_names[i], material) == 0) return;
    }
    cast->liquid_of_film[cast->film_count] = add_liquid(cast, scene, (source){"", material}, size);
    cast->film_names[cast->film_count++] = material;
}

// The scene's liquid comes first: all looks like it that says nothing else.
static dr_status cast_liquids(const dr_scene *scene, double size, dr_arena *arena, dr_cast *cast, dr_error *error)
{
    const dr_scene_spec *spec = cast->spec;
    size_t bodies = (size_t)cast->body_count + 1, strands = (size_t)cast->strand_count + 1;
    cast->liquids = dr_arena_alloc(arena, 2 * (bodies + strands) * sizeof *cast->liquids);
    cast->film_names = dr_arena_alloc(arena, (bodies + strands) * sizeof *cast->film_names);
    cast->liquid_of_film = dr_arena_alloc(arena, (bodies + strands) * sizeof *cast->liquid_of_film);
    cast->liquid_of_body = dr_arena_alloc(arena, bodies * sizeof *cast->liquid_of_body);
    cast->liquid_of_strands = dr_arena_alloc(arena, strands * sizeof *cast->liquid_of_strands);
    if (!cast->liquids || !cast->liquid_of_body || !cast->liquid_of_strands || !cast->film_names ||
        !cast->liquid_of_film)
        return dr_error_memory(error, "choosing colours");
    add_liquid(cast, scene, find_source(scene), size);
    for (int i = 0; i <= cast->body_count; i++) {
        source source = i < cast->body_count ? source_of(spec, i) : (struct source){"", ""};
        cast->liquid_of_body[i] = is_liquid(scene, source.material) ? add_liquid(cast, scene, source, size) : 0;
    }
    for (int i = 0; i <= cast->strand_count; i++) {
        source film = {"", i < cast->strand_count ? spec->strands.items[i].film_material : ""};
        int liquid = is_liquid(scene, film.material) ? add_liquid(cast, scene, film, size) : 0;
        cast->liquid_of_strands[i] = liquid;
        if (!cast->liquids[liquid].clear) cast->strands[i].film = &cast->liquids[liquid].paint;
    }
    for (int i = 0; i < cast->body_count; i++) {
        source source = source_of(spec, i);
        if (is_liquid(scene, source.material)) add_film(cast, scene, source.material, size);
    }
    for (int i = 0; i < cast->strand_count; i++) {
        const char *material = spec->strands.items[i].film_material;
        if (is_liquid(scene, material)) add_film(cast, scene, material, size);
    }
    return DR_STATUS_OK;
}

// ---- bodies, colliders, ground

static dr_status cast_bodies(const dr_scene *scene, dr_arena *arena, dr_cast *cast, dr_error *error)
{
    const dr_scene_spec *spec = cast->spec;
    cast->body_count = spec->bodies.count + spec->emitters.count;
    size_t count = (size_t)cast->body_count + 1;
    cast->bodies = dr_arena_alloc(arena, count * sizeof *cast->bodies);
    cast->elastic = dr_arena_alloc(arena, count * sizeof *cast->elastic);
    cast->sand = dr_arena_alloc(arena, count * sizeof *cast->sand);
    if (!cast->bodies || !cast->elastic || !cast->sand) return dr_error_memory(error, "choosing colours");
    for (int i = 0; i <= cast->body_count; i++) {
        const double *chosen = body_palette[(size_t)i % COUNT(body_palette)];
        const char *name = NULL, *material = NULL;
        if (i < spec->bodies.count) {
            name = spec->bodies.items[i].name;
            material = spec->bodies.items[i].material;
        } else if (i < cast->body_count) {
            name = spec->emitters.items[i - spec->bodies.count].name;
            material = spec->emitters.items[i - spec->bodies.count].material;
        }
        const dr_material_spec *found = material ? dr_scene_material(scene, material) : NULL;
        cast->elastic[i] = found && (found->kind == DR_MATERIAL_ELASTIC || found->kind == DR_MATERIAL_GOO);
        cast->sand[i] = found && found->kind == DR_MATERIAL_SAND;
        if (cast->sand[i]) chosen = sand_colour;
        cast->bodies[i] = paint_of(spec, name, material,
                                   cast->elastic[i] ? DR_FINISH_GLOSS
                                   : cast->sand[i]  ? DR_FINISH_MATTE
                                                    : DR_FINISH_SATIN,
                                   chosen);
    }
    return DR_STATUS_OK;
}

static bool is_floor(const dr_shape_spec *shape)
{
    const double *n = shape->normal, *turned = shape->rotate;
    return shape->kind == DR_SHAPE_HALF_SPACE && n[1] > 0.0 && n[0] == 0.0 && n[2] == 0.0 && turned[0] == 0.0 &&
           turned[1] == 0.0 && turned[2] == 0.0;
}

// Whether its outline is closed around the solid: light is bent on its way through.
static bool is_body(const dr_shape_spec *shape)
{
    return shape->kind != DR_SHAPE_INSIDE_OUT && shape->kind != DR_SHAPE_HALF_SPACE &&
           !(shape->kind == DR_SHAPE_MESH && shape->shell > 0.0);
}

static dr_status cast_colliders(dr_arena *arena, dr_cast *cast, dr_error *error)
{
    const dr_collider_list *list = &cast->spec->colliders;
    cast->collider_count = list->count;
    cast->colliders = dr_arena_alloc(arena, ((size_t)list->count + 1) * sizeof *cast->colliders);
    if (!cast->colliders) return dr_error_memory(error, "choosing colours");
    for (int i = 0; i <= list->count; i++) {
        const dr_collider_spec *collider = i < list->count ? &list->items[i] : NULL;
        const double *chosen = collider_palette[(size_t)i % COUNT(collider_palette)];
        bool vessel = collider && collider->shape.kind == DR_SHAPE_INSIDE_OUT;
        bool floor = collider && is_floor(&collider->shape) && collider->motion.count == 0;
        dr_finish finish = vessel ? DR_FINISH_GLASS : floor ? DR_FINISH_HIDDEN : DR_FINISH_SATIN;
        cast->colliders[i] = paint_of(cast->spec, collider ? collider->name : NULL, NULL, finish, chosen);
        cast->colliders[i].thin = !collider || !is_body(&collider->shape);
        if (!floor || cast->colliders[i].finish != DR_FINISH_HIDDEN) continue;
        double height = collider->shape.scale * collider->shape.point[1] + collider->shape.translate[1];
        cast->ground_height = cast->has_ground ? fmax(cast->ground_height, height) : height;
        cast->has_ground = true;
    }
    return DR_STATUS_OK;
}

static dr_finish finish_of_strands(const dr_scene *scene, const dr_strands_spec *group)
{
    const dr_material_spec *material = group ? dr_scene_material(scene, group->material) : NULL;
    return !material || material->kind == DR_MATERIAL_HAIR ? DR_FINISH_HAIR : DR_FINISH_CLOTH;
}

// A group's own paint first, then that of its material, then that of all strands, then a colour in its name.
static dr_status cast_strands(const dr_scene *scene, dr_arena *arena, dr_cast *cast, dr_error *error)
{
    static const double hair[3] = {0.36, 0.24, 0.15};
    const dr_strands_list *list = &cast->spec->strands;
    cast->strand_count = list->count;
    cast->strands = dr_arena_alloc(arena, ((size_t)list->count + 1) * sizeof *cast->strands);
    if (!cast->strands) return dr_error_memory(error, "choosing colours");
    for (int i = 0; i < list->count; i++) {
        const dr_strands_spec *group = &list->items[i];
        bool own = find_paint(cast->spec, group->name) || find_paint(cast->spec, group->material) ||
                   (!find_paint(cast->spec, "strands") && find_word(group->name));
        dr_finish finish = finish_of_strands(scene, group);
        cast->strands[i] = own ? paint_of(cast->spec, group->name, group->material, finish, hair)
                               : paint_of(cast->spec, "strands", NULL, finish, hair);
    }
    cast->strands[list->count] =
        paint_of(cast->spec, "strands", NULL, finish_of_strands(scene, list->count ? list->items : NULL), hair);
    return DR_STATUS_OK;
}

// A cloth's own paint first, then that of its material, then that of all cloth, then a colour in its name.
static dr_status cast_cloths(const dr_scene *scene, dr_arena *arena, dr_cast *cast, dr_error *error)
{
    static const double dyes[][3] = {
        {0.78, 0.76, 0.72}, {0.72, 0.32, 0.27}, {0.28, 0.42, 0.62}, {0.80, 0.64, 0.32}, {0.36, 0.52, 0.38}};
    const dr_cloth_list *list = &cast->spec->cloths;
    cast->cloth_count = list->count;
    cast->cloths = dr_arena_alloc(arena, ((size_t)list->count + 1) * sizeof *cast->cloths);
    if (!cast->cloths) return dr_error_memory(error, "choosing colours");
    for (int i = 0; i <= list->count; i++) {
        const dr_cloth_spec *cloth = i < list->count ? &list->items[i] : NULL;
        const double *dye = dyes[cloth ? (size_t)i % COUNT(dyes) : 0];
        bool own = cloth && (find_paint(cast->spec, cloth->name) || find_paint(cast->spec, cloth->material) ||
                             !find_paint(cast->spec, "cloth"));
        cast->cloths[i] = own ? paint_of(cast->spec, cloth->name, cloth->material, DR_FINISH_CLOTH, dye)
                              : paint_of(cast->spec, "cloth", NULL, DR_FINISH_CLOTH, dye);
        cast->cloths[i].thin = true;
        const dr_material_spec *material = cloth ? dr_scene_material(scene, cloth->material) : NULL;
        double thickness = cloth && cloth->thickness > 0.0 ? cloth->thickness : material ? material->thickness : 0.0;
        cast->cloths[i].thickness = (float)thickness;
        if (cast->cloths[i].finish == DR_FINISH_CLOTH) cast->cloths[i].through = THROUGH;
    }
    return DR_STATUS_OK;
}

static bool is_wall(int side)
{
    return side == DR_SIDE_STICKY || side == DR_SIDE_SLIP || side == DR_SIDE_SEPARATE;
}

static void cast_ground(dr_cast *cast)
{
    const dr_ground_spec *ground = &cast->spec->look.ground;
    const dr_domain_spec *domain = &cast->spec->domain;
    bool found = cast->has_ground;
    if (domain->min[1] > -DR_UNBOUNDED && is_wall(domain->side_min[1])) {
        cast->ground_height = found ? fmax(cast->ground_height, domain->min[1]) : domain->min[1];
        found = true;
    }
    cast->has_ground = ground->show == DR_SHOW_YES || (ground->show == DR_SHOW_AUTO && found);
    if (!found) cast->ground_height = DR_AUTO;
    if (ground->height != DR_AUTO) cast->ground_height = ground->height;
    cast->ground = dr_paint_make(DR_FINISH_MATTE, ground->colour);
}

// The colour of a body of glass is what white light is after a way of `depth` through it.
static void fill_glass(dr_cast *cast, double depth)
{
    for (int i = 0; i <= cast->body_count; i++) cast->bodies[i].absorption = absorb(cast->bodies[i].colour, depth);
    for (int i = 0; i <= cast->collider_count; i++)
        cast->colliders[i].absorption = absorb(cast->colliders[i].colour, depth);
}

dr_status dr_cast_make(const dr_scene *scene, double size, dr_arena *arena, dr_cast *cast, dr_error *error)
{
    *cast = (dr_cast){.spec = dr_scene_view(scene)};
    dr_status status = cast_bodies(scene, arena, cast, error);
    if (!status) status = cast_colliders(arena, cast, error);
    if (!status) status = cast_strands(scene, arena, cast, error);
    if (!status) status = cast_cloths(scene, arena, cast, error);
    if (status) return status;
    cast_ground(cast);
    fill_glass(cast, GLASS_DEPTH * size);
    return cast_liquids(scene, size, arena, cast, error);
}
