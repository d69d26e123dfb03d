#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/ledger.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_TABLES 32
#define MOST_ROWS   128

typedef struct atlas {
    const dr_table *tables[MOST_TABLES];
    bool seen[MOST_TABLES][MOST_ROWS]; // rows that a scene wrote
    int count;
} atlas;

static int find_table(const atlas *a, const dr_table *table)
{
    for (int i = 0; i < a->count; i++) {
        if (a->tables[i] == table) return i;
    }
    return -1;
}

static void collect(atlas *a, const dr_table *table)
{
    if (find_table(a, table) >= 0) return;
    assert_true(a->count < MOST_TABLES);
    a->tables[a->count++] = table;
    for (int i = 0; i < table->count; i++) {
        if (table->fields[i].table) collect(a, table->fields[i].table);
    }
}

static void check_row(const dr_table *table, const dr_field *field)
{
    char where[100];
    snprintf(where, sizeof where, "%s.%s", table->name, field->name);
    if (!field->doc || !*field->doc) fail_msg("%s has no doc", where);
    if (field->offset >= table->size) fail_msg("%s lies outside its struct", where);
    if (field->kinds && table->kind < 0) fail_msg("%s has kinds in a table without", where);
    if ((field->type == DR_FIELD_CHOICE) != (field->choices != NULL)) fail_msg("%s: choices", where);
    bool nested = field->type == DR_FIELD_OBJECT || field->type == DR_FIELD_LIST;
    if (nested != (field->table != NULL)) fail_msg("%s: table", where);
    if (dr_table_find(table, field->name, strlen(field->name)) != field) fail_msg("%s is there twice", where);
}

static void check_default(const dr_table *table, const dr_field *field)
{
    char why[1000];
    bool nested = field->type == DR_FIELD_OBJECT || field->type == DR_FIELD_LIST;
    if (nested || !field->fallback) return;
    void *object = calloc(1, table->size);
    dr_table_defaults(table, object);
    dr_status status = dr_field_read(field, field->fallback, strlen(field->fallback), object, NULL, why, sizeof why);
    if (status != DR_STATUS_OK) fail_msg("%s.%s%s", table->name, field->name, why);
    if (!dr_field_check(field, object, why, sizeof why)) fail_msg("%s.%s%s", table->name, field->name, why);
    free(object);
}

static void test_every_row_is_complete_and_its_default_lies_in_its_range(void **unused)
{
    (void)unused;
    atlas a = {.count = 0};
    collect(&a, dr_scene_table());
    for (int i = 0; i < a.count; i++) {
        assert_true(a.tables[i]->count <= MOST_ROWS);
        for (int j = 0; j < a.tables[i]->count; j++) {
            check_row(a.tables[i], &a.tables[i]->fields[j]);
            check_default(a.tables[i], &a.tables[i]->fields[j]);
        }
    }
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    *length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

static dr_scene *read_everything(void)
{
    size_t length;
    char *text = read_file("tests/scene/everything.yaml", &length);
    dr_error error = {0};
    dr_scene *scene;
    dr_yaml_scene_parse(text, length, "everything.yaml", NULL, &scene, &error);
    free(text);
    assert_string_equal(error.text, "");
    assert_non_null(scene);
    return scene;
}

static void mark(atlas *a, const dr_scene *scene, const dr_table *table, const void *object)
{
    bool *seen = a->seen[find_table(a, table)];
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        if (!dr_table_has(table, field, object)) continue;
        if (dr_scene_origin(scene, dr_field_at(field, object), false)) seen[i] = true;
        if (field->type == DR_FIELD_OBJECT) mark(a, scene, field->table, dr_field_at(field, object));
        if (field->type != DR_FIELD_LIST) continue;
        dr_list list = dr_field_list(field, object);
        for (int j = 0; j < list.count; j++) {
            mark(a, scene, field->table, (const char *)list.items + (size_t)j * field->table->size);
        }
    }
}

static void test_the_scene_of_everything_writes_every_field(void **unused)
{
    (void)unused;
    atlas a = {.count = 0};
    collect(&a, dr_scene_table());
    dr_scene *scene = read_everything();
    mark(&a, scene, dr_scene_table(), dr_scene_view(scene));
    for (int i = 0; i < a.count; i++) {
        for (int j = 0; j < a.tables[i]->count; j++) {
            if (!a.seen[i][j]) fail_msg("%s.%s is not written", a.tables[i]->name, a.tables[i]->fields[j].name);
        }
    }
    dr_error error = {0};
    dr_scene_check_values(scene, &error);
    assert_string_equal(error.text, "");
    dr_scene_destroy(scene);
}

static void test_a_written_scene_reads_back_to_the_same_bits(void **unused)
{
    (void)unused;
    dr_scene *scene = read_everything(), *again;
    dr_error error = {0};
    char *text, *second, difference[1000];
    size_t length, second_length;
    uint64_t hash, second_hash;
    int count;
    assert_int_equal(dr_scene_write_text(scene, &text, &length, &error), DR_STATUS_OK);
    assert_int_equal(strlen(text), length);
    dr_yaml_scene_parse(text, length, "again", NULL, &again, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(dr_scene_write_text(again, &second, &second_length, &error), DR_STATUS_OK);
    assert_string_equal(text, second);
    dr_scene_hash(scene, &hash, &error);
    dr_scene_hash(again, &second_hash, &error);
    assert_true(hash == second_hash);
    dr_scene_difference(scene, again, difference, sizeof difference, &count);
    assert_int_equal(count, 0);
    assert_true(again->spec.time.fixed_step == scene->spec.time.fixed_step);
    assert_true(again->spec.seed == INT64_MIN + 1);
    assert_string_equal(again->spec.title, "Everything: \"quotes\", \\ and Gr\xc3\xbc\xc3\x9f"
                                           "e");
    dr_scene_release_text(scene, text, length);
    dr_scene_release_text(again, second, second_length);
    dr_scene_destroy(scene);
    dr_scene_destroy(again);
}

static void test_values_arrive_in_cgs(void **unused)
{
    (void)unused;
    dr_scene *scene = read_everything();
    const dr_scene_spec *spec = dr_scene_view(scene);
    assert_true(spec->gravity[1] == -981);
    assert_true(spec->domain.cell == 0.2);
    assert_true(spec->domain.max[2] == 10.16);
    assert_int_equal(spec->domain.side_max[2], DR_SIDE_SYMMETRY);
    assert_int_equal(spec->domain.side_min[1], DR_SIDE_STICKY);
    assert_true(spec->materials.items[5].radius == 35e-4);
    assert_true(spec->emitters.items[0].volume_limit == 200);
    assert_true(spec->drains.items[0].schedule.start == -DR_UNBOUNDED);
    assert_int_equal(spec->bodies.items[1].shape.of.items[1].of.items[0].kind, DR_SHAPE_CAPSULE);
    assert_int_equal(spec->colliders.items[1].motion.items[3].keys.items[1].ease, DR_EASE_IN);
    assert_false(spec->domain.cull);
    dr_scene_destroy(scene);
}

static void test_presets_supply_what_is_not_written(void **unused)
{
    (void)unused;
    dr_scene *scene = read_everything();
    const dr_material_spec *goo = dr_scene_material(scene, "goo"), *goo2 = dr_scene_material(scene, "goo2");
    assert_true(goo->density == 0.3 && goo2->density == 0.3);
    assert_true(goo->yield_stress == 300 && goo2->yield_stress == 400);
    assert_string_equal(goo2->source, dr_material_find("shaving cream")->source);
    assert_ptr_equal(dr_scene_material(scene, "water"), dr_material_find("water"));
    assert_null(dr_scene_material(scene, "watr"));
    dr_scene_destroy(scene);
}

static void test_every_built_in_material_is_in_range_and_survives_a_round_trip(void **unused)
{
    (void)unused;
    const dr_table *table = dr_material_table();
    dr_scene *scene, *again;
    dr_error error = {0};
    dr_scene_create(NULL, &scene, &error);
    dr_scene_edit(scene)->domain.cell = 1;
    for (int i = 0; i < dr_material_count(); i++) {
        void *item;
        assert_int_equal(dr_scene_append(scene, "materials", &item, &error), DR_STATUS_OK);
        *(dr_material_spec *)item = *dr_material_at(i);
        assert_true(*dr_material_at(i)->source != 0);
        assert_ptr_equal(dr_material_find(dr_material_at(i)->name), dr_material_at(i));
    }
    dr_scene_check_values(scene, &error);
    assert_string_equal(error.text, "");
    char *text;
    size_t length;
    dr_scene_write_text(scene, &text, &length, &error);
    dr_yaml_scene_parse(text, length, "again", NULL, &again, &error);
    assert_string_equal(error.text, "");
    for (int i = 0; i < dr_material_count(); i++) {
        for (int j = 0; j < table->count; j++) {
            const dr_field *field = &table->fields[j];
            if (!dr_table_has(table, field, dr_material_at(i))) continue;
            if (!dr_field_equal(field, dr_material_at(i), &again->spec.materials.items[i])) {
                fail_msg("%s: %s", dr_material_at(i)->name, field->name);
            }
        }
    }
    dr_scene_release_text(scene, text, length);
    dr_scene_destroy(scene);
    dr_scene_destroy(again);
    assert_null(dr_material_at(-1));
    assert_null(dr_material_at(dr_material_count()));
}

// The eight liquids as the dissertation prints them.
static void test_the_liquids_carry_the_numbers_of_their_table(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double numbers[6];
    } rows[] = {
        {"water", {1.0, 2.0e10, 0, 0, 8.9e-3, 1.0}},
        {"tetrachloroethylene", {1.622, 3.1e10, 0, 0, 8.9e-3, 1.0}},
        {"drilling mud", {1.22, 2.0e10, 1.0e3, 16.813, 6.496, 0.5173}},
        {"acrylic paint", {0.95, 1.35e9, 4.0e3, 9.6, 173.56, 0.3162}},
        {"milk cream", {0.275, 1.09e6, 1.6e4, 1.2e3, 50.0, 0.27}},
        {"shaving cream", {0.2, 1.09e6, 2.9e3, 3.19e2, 2.72e2, 0.22}},
        {"oyster sauce", {1.207, 2e10, 4.0e3, 26.5, 16.1, 0.62}},
        {"milk chocolate", {0.95, 4.28e6, 4.0e3, 3.0e2, 28.0, 0.98}},
        {"mud", {1.22, 2.0e10, 1.0e3, 30.6, 1.259, 0.8175}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dr_material_spec *m = dr_material_find(rows[i].name);
        assert_non_null(m);
        double numbers[6] = {m->density,      m->bulk_modulus, m->shear_modulus,
                             m->yield_stress, m->consistency,  m->flow_index};
        assert_memory_equal(numbers, rows[i].numbers, sizeof numbers);
        assert_int_equal(m->kind, DR_MATERIAL_LIQUID);
    }
}

typedef struct found {
    int count, radius;
} found;

static bool visit(void *user, const dr_param *param)
{
    found *f = user;
    f->count++;
    if (strcmp(param->path, "colliders[].shape.radius") == 0) {
        f->radius++;
        assert_string_equal(param->unit, "cm");
        assert_string_equal(param->owner, "shape");
        assert_string_equal(param->kinds, "sphere, capsule, cylinder, torus");
        assert_true(param->required && param->limited && param->min > 0);
    }
    if (strcmp(param->path, "colliders[].shape.type") == 0) assert_true(param->required && !param->fallback);
    if (strcmp(param->path, "transfer.kernel") == 0) assert_string_equal(param->choices, "linear | quadratic | cubic");
    return f->count < 10000;
}

static void test_parameters_are_listed_by_path(void **unused)
{
    (void)unused;
    found all = {0}, some = {0}, one = {0}, none = {0};
    int count = dr_param_visit(NULL, visit, &all);
    assert_int_equal(count, all.count);
    assert_true(all.count > 150);
    assert_int_equal(all.radius, 1);
    dr_param_visit("colliders.shape", visit, &some);
    assert_true(some.count > 10 && some.count < all.count);
    assert_int_equal(dr_param_visit("colliders[].shape.radius", visit, &one), 1);
    assert_int_equal(dr_param_visit("collid", visit, &none), 0);
}

int main(void)
{
#ifndef DR_HAVE_FYAML
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_complete_and_its_default_lies_in_its_range),
        cmocka_unit_test(test_the_scene_of_everything_writes_every_field),
        cmocka_unit_test(test_a_written_scene_reads_back_to_the_same_bits),
        cmocka_unit_test(test_values_arrive_in_cgs),
        cmocka_unit_test(test_presets_supply_what_is_not_written),
        cmocka_unit_test(test_every_built_in_material_is_in_range_and_survives_a_round_trip),
        cmocka_unit_test(test_the_liquids_carry_the_numbers_of_their_table),
        cmocka_unit_test(test_parameters_are_listed_by_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
