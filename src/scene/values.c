// Checks of everything that can be seen without geometry: ranges of all fields by their tables, names that must be
// unique or must exist, and what one value asks of another.
#include "scene/scene.h"

#include "base/hash.h"
#include "base/range.h"
#include "scene/weave.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST     48
#define MOST_SHAPES 100000
#define MOST_ITEMS  100000
#define MOST_TOLD   100 // problems

typedef struct checker {
    const dr_scene *scene;
    dr_error *error;
    int depth, problems; // problems there were before
    bool out_of_memory;
} checker;

// "place: object: field<what>", at the field.
static void complain(checker *c, const dr_place *place, const char *name, const char *format, ...) DR_PRINTF(4, 5);
static void complain(checker *c, const dr_place *place, const char *name, const char *format, ...)
{
    char where[300], what[600];
    const dr_field *field = name ? dr_table_find(place->table, name, strlen(name)) : NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    dr_place_print(place, field, where, sizeof where);
    const void *owner = place->object;
    for (const dr_place *at = place; at && !dr_scene_origin(c->scene, owner, true); at = at->above) owner = at->object;
    dr_scene_error(c->scene, field ? dr_field_at(field, place->object) : NULL, owner, c->error, "%s%s", where, what);
}

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

// ---- shapes

static void check_children(checker *c, const dr_place *place, const dr_shape_spec *shape)
{
    switch (shape->kind) {
    case DR_SHAPE_INSIDE_OUT:
        if (shape->of.count != 1)
            complain(c, place, "of", " holds %d shapes; inside_out takes exactly one", shape->of.count);
        break;
    case DR_SHAPE_UNION:
    case DR_SHAPE_INTERSECTION:
    case DR_SHAPE_DIFFERENCE:
        if (shape->of.count < 1) complain(c, place, "of", " is empty; list at least one shape");
        break;
    default:
        break;
    }
}

static void check_region(checker *c, const dr_place *place, const char *name)
{
    if (!name || !*name || dr_scene_region(c->scene, name)) return;
    const dr_region_list *regions = &c->scene->spec.regions;
    const char *best = NULL;
    int nearest = (int)(strlen(name) / 3) + 2;
    for (int i = 0; i < regions->count; i++) {
        const char *known = regions->items[i].name;
        int distance = known ? dr_field_distance(name, strlen(name), known, strlen(known)) : nearest;
        if (distance >= nearest) continue;
        nearest = distance;
        best = known;
    }
    complain(c, place, "region", ": there is no region \"%.60s\"", name);
    if (best) dr_error_hint(c->error, "did you mean \"%.60s\"?", best);
}

static void check_shape(checker *c, const dr_place *place)
{
    const dr_shape_spec *shape = place->object;
    bool optional = place->field && place->field->fallback && place->field->type == DR_FIELD_OBJECT;
    if (shape->kind == DR_SHAPE_NONE && !optional) {
        complain(c, place, "type", " is none; choose a sphere, a box, a mesh, ...");
    }
    check_children(c, place, shape);
    if (shape->kind == DR_SHAPE_REGION) check_region(c, place, shape->region);
    if (shape->kind == DR_SHAPE_TORUS && shape->tube >= shape->radius) {
        complain(c, place, "tube", " is %g cm, it must be smaller than the radius, %g cm", shape->tube, shape->radius);
    }
    if (shape->kind == DR_SHAPE_BOX) {
        double shortest = fmin(fmin(shape->size[0], shape->size[1]), shape->size[2]);
        if (shape->rounding > 0.5 * shortest) {
            complain(c, place, "rounding", " is %g cm, more than half of the shortest edge, %g cm", shape->rounding,
                     shortest);
        }
    }
    if (shape->kind == DR_SHAPE_HALF_SPACE && is_zero(shape->normal)) {
        complain(c, place, "normal", " is zero; it needs a direction, such as [0, 1, 0]");
    }
}

// ---- motion, schedules, forces

static void check_times(checker *c, const dr_place *place, double start, double stop)
{
    if (start <= stop) return;
    complain(c, place, "stop", " is %g s, before its start at %g s", stop, start);
}

static void check_keys(checker *c, const dr_place *place, const dr_motion_spec *motion)
{
    if (motion->keys.count < 1) complain(c, place, "keys", " is empty; list at least one pose");
    for (int i = 1; i < motion->keys.count; i++) {
        double before = motion->keys.items[i - 1].time, now = motion->keys.items[i].time;
        if (now > before) continue;
        const dr_field *keys = dr_table_find(place->table, "keys", 4);
        dr_place key = {place, keys, i, keys->table, &motion->keys.items[i]};
        complain(c, &key, "time", " is %g s, not after the key before it at %g s", now, before);
    }
}

static void check_motion(checker *c, const dr_place *place)
{
    const dr_motion_spec *motion = place->object;
    bool turns = motion->kind == DR_MOTION_SPIN || (motion->kind == DR_MOTION_SINE && motion->swing != 0);
    if (motion->kind == DR_MOTION_KEYFRAMES) check_keys(c, place, motion);
    if (turns && is_zero(motion->axis)) complain(c, place, "axis", " is zero; it needs a direction, such as [0, 1, 0]");
    if (motion->kind == DR_MOTION_SPIN || motion->kind == DR_MOTION_SINE) {
        check_times(c, place, motion->start, motion->stop);
    }
}

static void check_collider(checker *c, const dr_place *place)
{
    const dr_collider_spec *collider = place->object;
    for (int i = 0; i < collider->motion.count; i++) {
        bool deforms = collider->motion.items[i].kind == DR_MOTION_SEQUENCE;
        if (deforms && collider->shape.kind != DR_SHAPE_MESH) {
            complain(c, place, "motion", "[%d] is a sequence, which only a shape of type mesh can follow", i);
        }
    }
}

static void check_schedule(checker *c, const dr_place *place)
{
    const dr_schedule_spec *schedule = place->object;
    check_times(c, place, schedule->start, schedule->stop);
}

static void check_force(checker *c, const dr_place *place)
{
    const dr_force_spec *force = place->object;
    if (force->kind == DR_FORCE_VORTEX && is_zero(force->axis)) {
        complain(c, place, "axis", " is zero; it needs a direction, such as [0, 1, 0]");
    }
}

// ---- materials

static void check_material_name(checker *c, const dr_place *place, const char *name)
{
    if (!name || !*name || dr_scene_material(c->scene, name)) return;
    complain(c, place, "material", ": there is no material \"%.60s\"", name);
    const char *near = dr_scene_nearest_material(c->scene, name);
    if (near) {
        dr_error_hint(c->error, "did you mean \"%.60s\"?", near);
    } else {
        dr_error_hint(c->error, "`drench materials` lists the built-in ones; `materials:` adds the scene's own");
    }
}

static void check_body(checker *c, const dr_place *place)
{
    check_material_name(c, place, ((const dr_body_spec *)place->object)->material);
}

static void check_emitter(checker *c, const dr_place *place)
{
    check_material_name(c, place, ((const dr_emitter_spec *)place->object)->material);
}

// Ends are let go that were held.
static void check_letting_go(checker *c, const dr_place *place, const char *key, double until, int hold)
{
    if (until == DR_UNBOUNDED) return;
    if (hold == DR_HOLD_FREE) complain(c, place, key, ": that end is free from the beginning");
}

static void check_film_profile(checker *c, const dr_place *place, const dr_strands_spec *strands)
{
    const dr_film_profile *profile = &strands->film_profile;
    if (profile->count > 0 && strands->film_height > 0.0)
        complain(c, place, "film_profile", " stands in place of film_height; give one of them");
    for (int i = 1; i < profile->count; i++) {
        double before = profile->items[i - 1].at, now = profile->items[i].at;
        if (now > before) continue;
        const dr_field *points = dr_table_find(place->table, "film_profile", strlen("film_profile"));
        dr_place point = {place, points, i, points->table, &profile->items[i]};
        complain(c, &point, "at", " is %g, not beyond the point before it at %g", now, before);
    }
}

static void check_strands(checker *c, const dr_place *place)
{
    const dr_strands_spec *strands = place->object;
    check_material_name(c, place, strands->material);
    if (strands->kind != DR_STRANDS_FILE && strands->kind != DR_STRANDS_LINE && is_zero(strands->axis)) {
        complain(c, place, "axis", " is zero; it needs a direction, such as [0, 1, 0]");
    }
    if (strands->film_from > strands->film_to)
        complain(c, place, "film_from", " is %g and film_to is %g: nothing would be wet", strands->film_from,
                 strands->film_to);
    check_film_profile(c, place, strands);
    check_letting_go(c, place, "root_until", strands->root_until, strands->root);
    check_letting_go(c, place, "tip_until", strands->tip_until, strands->tip);
}

static void check_cloth(checker *c, const dr_place *place)
{
    const dr_cloth_spec *cloth = place->object;
    check_material_name(c, place, cloth->material);
    if (cloth->kind != DR_CLOTH_FILE && is_zero(cloth->axis))
        complain(c, place, "axis", " is zero; it needs a direction, such as [0, 1, 0]");
    if (cloth->kind == DR_CLOTH_FILE && is_zero(cloth->warp))
        complain(c, place, "warp", " is zero; it needs a direction, such as [1, 0, 0]");
}

static const dr_cloth_spec *cloth_above(const dr_place *place)
{
    return place->above && strcmp(place->above->table->name, "cloth") == 0 ? place->above->object : NULL;
}

static void check_edge(checker *c, const dr_place *place, int edge)
{
    const dr_cloth_spec *cloth = cloth_above(place);
    bool made = cloth && (cloth->kind == DR_CLOTH_RECTANGLE || cloth->kind == DR_CLOTH_TUBE);
    if (edge == DR_EDGE_NONE) return;
    if (!cloth)
        complain(c, place, "edge", ": strands have none; `root` and `tip` hold their ends");
    else if (edge != DR_EDGE_BOUNDARY && !made)
        complain(c, place, "edge",
                 ": only a rectangle has left and right, only it and a tube bottom and top; boundary "
                 "is every edge");
}

static void check_ranges(checker *c, const dr_place *place, const char *text)
{
    dr_range range;
    while (dr_range_next(&text, &range)) {
    }
    if (!*text) return;
    complain(c, place, "vertices", ": \"%.40s\" does not begin with a number or a range", text);
    dr_error_hint(c->error, "such as \"1-20, 35\", counted from 1");
}

static void check_group(checker *c, const dr_place *place)
{
    const dr_group_spec *group = place->object;
    const dr_cloth_spec *cloth = cloth_above(place);
    bool listed = group->vertices && *group->vertices, named = group->file_group && *group->file_group;
    if (group->within.kind == DR_SHAPE_NONE && group->edge == DR_EDGE_NONE && !listed && !named)
        complain(c, place, "vertices", ", file_group, within and edge name no vertex");
    check_edge(c, place, group->edge);
    if (listed) check_ranges(c, place, group->vertices);
    if (named && !(cloth && cloth->kind == DR_CLOTH_FILE))
        complain(c, place, "file_group", " is for cloth that comes from a file");
}

static void check_hold(checker *c, const dr_place *place)
{
    const dr_hold_spec *hold = place->object;
    if (hold->within.kind == DR_SHAPE_NONE && hold->edge == DR_EDGE_NONE && !(hold->group && *hold->group))
        complain(c, place, "edge", " is none, there is no `group` and no shape `within`: nothing would be held");
    check_edge(c, place, hold->edge);
    if (hold->bound_to && *hold->bound_to && hold->motion.count > 0)
        complain(c, place, "bound_to", ": what is bound to a collider cannot have a motion of its own");
}

static void check_weave(checker *c, const dr_place *place, const dr_material_spec *material)
{
    static const char *const nouns[] = {"warp", "weft"};
    dr_weave weave;
    if (material->kind != DR_MATERIAL_CLOTH || !(material->weave.ends > 0.0)) return;
    if (!dr_weave_find(material, &weave)) {
        complain(c, place, "weave", " needs fibre_modulus, and warp_yarn or warp_radius");
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (weave.diameter[i] <= weave.pitch[i]) continue;
        complain(c, place, "weave", ": threads of %s are %.3g cm thick: %.3g of them do not fit into a cm", nouns[i],
                 weave.diameter[i], 1.0 / weave.pitch[i]);
    }
}

static void check_material(checker *c, const dr_place *place)
{
    const dr_material_spec *material = place->object;
    check_weave(c, place, material);
    if (!material->preset || !*material->preset) return;
    const dr_material_spec *preset = dr_scene_preset(c->scene, material->preset, place->index);
    const dr_field *kind = &place->table->fields[place->table->kind];
    if (!preset) {
        complain(c, place, "preset", ": there is no material \"%.60s\" before this", material->preset);
    } else if (preset->kind != material->kind && material->kind >= 0 && material->kind <= DR_MATERIAL_GOO) {
        complain(c, place, "kind", " cannot be %s, since the preset is %s", kind->choices[material->kind],
                 kind->choices[preset->kind]);
    }
}

// ---- paints

// What may be painted: all strands or all cloth, one of the scene's objects by its name, or what is made of a material.
typedef struct painted {
    const char *name, *nearest;
    int distance; // of the nearest
    bool found;
} painted;

static void offer_name(painted *search, const char *name)
{
    if (!name || !*name || search->found) return;
    int distance = dr_field_distance(search->name, strlen(search->name), name, strlen(name));
    if (strcmp(search->name, name) == 0) search->found = true;
    if (distance >= search->distance) return;
    search->distance = distance;
    search->nearest = name;
}

static void offer_names(painted *search, const dr_scene_spec *spec)
{
    offer_name(search, "strands");
    offer_name(search, "cloth");
    for (int i = 0; i < spec->bodies.count; i++) {
        offer_name(search, spec->bodies.items[i].name);
        offer_name(search, spec->bodies.items[i].material);
    }
    for (int i = 0; i < spec->emitters.count; i++) {
        offer_name(search, spec->emitters.items[i].name);
        offer_name(search, spec->emitters.items[i].material);
    }
    for (int i = 0; i < spec->strands.count; i++) {
        offer_name(search, spec->strands.items[i].name);
        offer_name(search, spec->strands.items[i].material);
        offer_name(search, spec->strands.items[i].film_material);
    }
    for (int i = 0; i < spec->cloths.count; i++) {
        offer_name(search, spec->cloths.items[i].name);
        offer_name(search, spec->cloths.items[i].material);
    }
    for (int i = 0; i < spec->colliders.count; i++) offer_name(search, spec->colliders.items[i].name);
}

static void check_paint(checker *c, const dr_place *place)
{
    const char *name = ((const dr_paint_spec *)place->object)->name;
    if (!name || !*name) return;
    painted search = {.name = name, .distance = (int)(strlen(name) / 3) + 2};
    offer_names(&search, &c->scene->spec);
    if (search.found) return;
    complain(c, place, "name", ": nothing in the scene is called \"%.60s\" or made of it", name);
    if (search.nearest) {
        dr_error_hint(c->error, "did you mean \"%.60s\"?", search.nearest);
    } else {
        dr_error_hint(c->error, "bodies, emitters, strands, colliders and their materials can be painted; all strands "
                                "together are \"strands\"");
    }
}

// ---- settings

static void check_axis(checker *c, const dr_place *place, const dr_domain_spec *domain, int axis)
{
    static const char *const low[] = {"x_min", "y_min", "z_min"}, *const high[] = {"x_max", "y_max", "z_max"};
    int side_min = domain->side_min[axis], side_max = domain->side_max[axis];
    bool bounded_below = domain->min[axis] > -DR_UNBOUNDED, bounded_above = domain->max[axis] < DR_UNBOUNDED;
    if (side_min != DR_SIDE_OPEN && !bounded_below) {
        complain(c, place, low[axis], " is a wall without a place; give domain.min");
    }
    if (side_max != DR_SIDE_OPEN && !bounded_above) {
        complain(c, place, high[axis], " is a wall without a place; give domain.max");
    }
    if ((side_min == DR_SIDE_PERIODIC) != (side_max == DR_SIDE_PERIODIC)) {
        complain(c, place, side_min == DR_SIDE_PERIODIC ? high[axis] : low[axis],
                 ": both sides of a direction must be periodic, or none");
    }
    if (bounded_below && bounded_above && !(domain->min[axis] < domain->max[axis])) {
        complain(c, place, "max", " is %g cm in %c, not above its min, %g cm", domain->max[axis], "xyz"[axis],
                 domain -> min[axis]);
    }
}

static void check_domain(checker *c, const dr_place *place)
{
    for (int axis = 0; axis < 3; axis++) check_axis(c, place, place->object, axis);
}

static void check_time(checker *c, const dr_place *place)
{
    const dr_time_spec *time = place->object;
    if (time->min_step > time->max_step) {
        complain(c, place, "min_step", " is %g s, more than max_step, %g s", time->min_step, time->max_step);
    }
}

// ---- the walk

static const struct {
    const char *table;
    void (*check)(checker *c, const dr_place *place);
} checks[] = {{"shape", check_shape},       {"motion", check_motion},     {"collider", check_collider},
              {"schedule", check_schedule}, {"force", check_force},       {"body", check_body},
              {"emitter", check_emitter},   {"material", check_material}, {"domain", check_domain},
              {"time", check_time},         {"strands", check_strands},   {"paint", check_paint},
              {"cloth", check_cloth},       {"hold", check_hold},         {"group", check_group}};

static void check_object(checker *c, const dr_place *place);

// Finds names that were used before, by a hash table with twice as many slots as names.
static void check_names(checker *c, const dr_place *place, const dr_field *field, dr_list list)
{
    const char *items = list.items;
    size_t size = field->table->size, slots = 4;
    while (slots < 2 * (size_t)list.count) slots *= 2;
    int *first = dr_memory_alloc(c->scene->allocator, slots * sizeof *first); // item + 1
    if (!first) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < list.count; i++) {
        const char *name = dr_place_name(field->table, items + (size_t)i * size);
        size_t slot = dr_hash_bytes(name, strlen(name), 0) & (slots - 1);
        while (*name && first[slot]) {
            const char *other = dr_place_name(field->table, items + (size_t)(first[slot] - 1) * size);
            if (strcmp(name, other) == 0) break;
            slot = (slot + 1) & (slots - 1);
        }
        if (*name && first[slot]) {
            dr_place second = {place, field, i, field->table, items + (size_t)i * size};
            complain(c, &second, "name", " is taken: another %s is called that", field->table->name);
        } else if (*name) {
            first[slot] = i + 1;
        }
    }
    dr_memory_free(c->scene->allocator, first, slots * sizeof *first);
}

static void check_list(checker *c, const dr_place *place, const dr_field *field)
{
    dr_list list = dr_field_list(field, place->object);
    if (list.count < 0 || (list.count > 0 && !list.items)) {
        complain(c, place, field->name, " is a list of %d items at no address", list.count);
        return;
    }
    if (list.count > MOST_ITEMS) {
        complain(c, place, field->name, " has %d items, more than %d", list.count, MOST_ITEMS);
        return;
    }
    if (list.count > 1 && strcmp(field->table->fields[0].name, "name") == 0) check_names(c, place, field, list);
    for (int i = 0; i < list.count; i++) {
        dr_place below = {place, field, i, field->table, (const char *)list.items + (size_t)i * field->table->size};
        check_object(c, &below);
    }
}

static void check_field(checker *c, const dr_place *place, const dr_field *field)
{
    char why[400];
    if (field->type == DR_FIELD_LIST) {
        check_list(c, place, field);
    } else if (field->type == DR_FIELD_OBJECT) {
        dr_place below = {place, field, -1, field->table, dr_field_at(field, place->object)};
        check_object(c, &below);
    } else if (!dr_field_check(field, place->object, why, sizeof why)) {
        complain(c, place, field->name, "%s", why);
        if (field->hint) dr_error_hint(c->error, "%s", field->hint);
    }
}

static void check_object(checker *c, const dr_place *place)
{
    const dr_table *table = place->table;
    char why[400];
    if (c->error->count - c->problems > MOST_TOLD) return;
    if (c->depth == DEEPEST) {
        complain(c, place, NULL, " is nested too deeply");
        return;
    }
    if (table->kind >= 0 && !dr_field_check(&table->fields[table->kind], place->object, why, sizeof why)) {
        complain(c, place, table->fields[table->kind].name, "%s", why);
        return;
    }
    c->depth++;
    for (int i = 0; i < table->count; i++) {
        if (dr_table_has(table, &table->fields[i], place->object)) check_field(c, place, &table->fields[i]);
    }
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(checks[i].table, table->name) == 0) checks[i].check(c, place);
    }
    c->depth--;
}

// ---- regions that refer to each other

typedef struct region_walk {
    const dr_scene *scene;
    double *shapes; // [region] shapes it is made of, references written out; 0: not known yet, -1: on the way here
} region_walk;

static double count_shapes(region_walk *w, const dr_shape_spec *shape, int depth);

// Infinite where a region is part of itself or the way is too long.
static double count_region(region_walk *w, const char *name, int depth)
{
    const dr_shape_spec *shape = dr_scene_region(w->scene, name);
    if (!shape) return 1;
    const dr_region_spec *first = w->scene->spec.regions.items;
    ptrdiff_t index =
        (const dr_region_spec *)(const void *)((const char *)shape - offsetof(dr_region_spec, shape)) - first;
    if (w->shapes[index] < 0) return INFINITY;
    if (w->shapes[index] > 0) return w->shapes[index];
    w->shapes[index] = -1;
    w->shapes[index] = count_shapes(w, shape, depth);
    return w->shapes[index];
}

static double count_shapes(region_walk *w, const dr_shape_spec *shape, int depth)
{
    if (depth > DEEPEST) return INFINITY;
    if (shape->kind == DR_SHAPE_REGION) return count_region(w, shape->region, depth + 1);
    double sum = 1;
    bool parts = shape->kind >= DR_SHAPE_UNION && shape->kind <= DR_SHAPE_INSIDE_OUT;
    for (int i = 0; parts && i < shape->of.count; i++) sum += count_shapes(w, &shape->of.items[i], depth + 1);
    return sum;
}

static dr_status check_regions(checker *c)
{
    const dr_region_list *regions = &c->scene->spec.regions;
    if (regions->count < 1) return DR_STATUS_OK;
    size_t bytes = (size_t)regions->count * sizeof(double);
    region_walk w = {c->scene, dr_memory_alloc(c->scene->allocator, bytes)};
    if (!w.shapes) return dr_error_memory(c->error, "checking the scene");
    for (int i = 0; i < regions->count; i++) {
        const dr_region_spec *region = &regions->items[i];
        double count = region->name ? count_region(&w, region->name, 0) : 0;
        if (count <= MOST_SHAPES) continue;
        dr_scene_error(c->scene, NULL, &region->shape, c->error, "region \"%.60s\": shape %s", region->name,
                       isinf(count) ? "refers to itself, or through too many regions" : "is made of too many shapes");
    }
    dr_memory_free(c->scene->allocator, w.shapes, bytes);
    return DR_STATUS_OK;
}

dr_status dr_scene_check_values(const dr_scene *scene, dr_error *error)
{
    dr_error own = {0};
    if (!error) error = &own;
    int problems = error->count;
    checker c = {scene, error, 0, problems, false};
    dr_place place = {NULL, NULL, -1, dr_scene_table(), &scene->spec};
    check_object(&c, &place);
    if (c.out_of_memory) return dr_error_memory(error, "checking the scene");
    if (error->count > problems) return DR_STATUS_BAD_SCENE;
    dr_status status = check_regions(&c);
    if (status != DR_STATUS_OK) return status;
    return error->count > problems ? DR_STATUS_BAD_SCENE : DR_STATUS_OK;
}
