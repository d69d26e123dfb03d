// Small versions of the scenes of strands in thick liquids: no liquid is lost, and of what nothing holds no momentum.
#include "world_test.h"

static const char *const names[] = {"bundle-friction", "buoyancy",       "chocolate-dog", "chocolate-pour", "cohesion",
                                    "cream-block",     "drag-cream",     "drag-mud",      "drag-paint",     "droplet",
                                    "hairball",        "heavy-droplet",  "paint-brush",   "rotation",       "soba",
                                    "soft-cream",      "volume-fraction"};

static dr_scene *read_scene(const char *name)
{
    char path[128];
    dr_scene *scene;
    dr_error error = {0};
    snprintf(path, sizeof path, "scenes/papers/fei2019-%s.yaml", name);
    if (dr_scene_read(path, NULL, &scene, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    dr_scene_refine(scene, 0.5);
    dr_strands_list *strands = &dr_scene_edit(scene)->strands;
    for (int i = 0; i < strands->count; i++) {
        if (strands->items[i].count > 24) strands->items[i].count = 24;
    }
    return scene;
}

static dr_world *make_world(dr_scene *scene)
{
    dr_world *world;
    dr_error error = {0};
    dr_world_options options = {.threads = 1};
    if (dr_world_create(scene, &options, &world, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return world;
}

static void step(dr_world *world)
{
    dr_error error = {0};
    if (dr_world_step(world, 1e3, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
}

// Emitters pour from the start.
static void test_no_scene_loses_liquid(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        dr_scene *scene = read_scene(names[k]);
        dr_emitter_list *emitters = &dr_scene_edit(scene)->emitters;
        for (int i = 0; i < emitters->count; i++) emitters->items[i].schedule.start = 0.0;
        dr_world *world = make_world(scene);
        const dr_report *report = dr_world_report(world);
        double start = report->volume_total, most = start;
        for (int i = 0; i < 12; i++) {
            step(world);
            most = fmax(most, report->volume_total);
            double off = report->volume_total - start - report->volume_emitted;
            if (!(fabs(off) <= 1e-12 * most))
                fail_msg("%s, step %d: %.17g cm3 of %.17g and %.17g emitted", names[k], i + 1, report->volume_total,
                         start, report->volume_emitted);
        }
        assert_true(most > 0.0);
        dr_world_destroy(world);
        dr_scene_destroy(scene);
    }
}

// Without walls, colliders, emitters and whatever holds strands.
static void set_free(dr_scene_spec *values)
{
    values->colliders.count = values->emitters.count = values->drains.count = values->look.paints.count = 0;
    for (int a = 0; a < 3; a++) {
        values->domain.min[a] = -DR_UNBOUNDED;
        values->domain.max[a] = DR_UNBOUNDED;
        values->domain.side_min[a] = values->domain.side_max[a] = 0;
    }
    for (int i = 0; i < values->strands.count; i++) {
        dr_strands_spec *strands = &values->strands.items[i];
        strands->root = strands->tip = DR_HOLD_FREE;
        strands->bound_to = "";
        strands->root_motion.count = strands->tip_motion.count = 0;
    }
}

// All there is falls as one: its momentum grows by its weight alone.
static void test_what_is_free_keeps_its_momentum(void **unused)
{
    (void)unused;
    int looked_at = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        dr_scene *scene = read_scene(names[k]);
        set_free(dr_scene_edit(scene));
        const double *gravity = dr_scene_view(scene)->gravity;
        dr_world *world = make_world(scene);
        const dr_report *report = dr_world_report(world);
        if (!(report->volume_total > 0.0)) { // it came from emitters
            dr_world_destroy(world);
            dr_scene_destroy(scene);
            continue;
        }
        looked_at++;
        for (int i = 0; i < 6; i++) {
            double before[3], mass = report->mass;
            memcpy(before, report->linear_momentum, sizeof before);
            step(world);
            double scale = report->mass * (report->largest_speed + fabs(gravity[1]) * report->dt);
            for (int a = 0; a < 3; a++) {
                double off = report->linear_momentum[a] - before[a] - mass * gravity[a] * report->dt;
                if (!(fabs(off) < 3e-6 * scale))
                    fail_msg("%s, step %d: momentum %d is off by %.3g of %.3g", names[k], i + 1, a, off, scale);
            }
        }
        dr_world_destroy(world);
        dr_scene_destroy(scene);
    }
    assert_true(looked_at >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_scene_loses_liquid),
        cmocka_unit_test(test_what_is_free_keeps_its_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
