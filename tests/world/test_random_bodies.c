// Small random scenes of sand, goo, elastic bodies, liquid and colliders, soft and stiff, slow and fast: each goes on
// or stops with a message, and its state stays one of numbers.
#include "world_test.h"

#include "math/random.h"

enum { SEEDS = 60, STEPS = 25, ROOM = 8000 };

typedef struct writer {
    char text[ROOM];
    size_t length;
    uint64_t key, drawn;
} writer;

static double draw(writer *w, double low, double high)
{
    return low + (high - low) * dr_random_unit(w->key, w->drawn++);
}

static double draw_decades(writer *w, double low, double high)
{
    return low * pow(high / low, draw(w, 0.0, 1.0));
}

static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->length, ROOM - w->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && w->length + (size_t)length < ROOM);
    w->length += (size_t)length;
}

static void put_shape(writer *w)
{
    double x = draw(w, -4, 4), y = draw(w, 1.5, 9), z = draw(w, -4, 4), size = draw(w, 1.2, 3.0);
    if (draw(w, 0, 1) < 0.5)
        put(w, "shape: {type: sphere, center: [%g, %g, %g], radius: %g}", x, y, z, size);
    else
        put(w, "shape: {type: box, size: [%g, %g, %g], rotate: [%g, %g, 0], translate: [%g, %g, %g]}", 1.5 * size, size,
            1.2 * size, draw(w, -3, 3), draw(w, -3, 3), x, y, z);
}

static void put_materials(writer *w)
{
    put(w, "materials:\n");
    put(w, "  - {name: m0, kind: sand, density: %g, youngs_modulus: %g, poisson_ratio: %g, friction_angle: %g deg}\n",
        draw_decades(w, 0.2, 10), draw_decades(w, 1e3, 1e8), draw(w, 0, 0.45), draw(w, 0, 60));
    put(w,
        "  - {name: m1, kind: goo, density: %g, youngs_modulus: %g, poisson_ratio: %g, yield_stress: %g, viscosity: "
        "%g}\n",
        draw_decades(w, 0.2, 10), draw_decades(w, 1e3, 1e8), draw(w, 0, 0.45), draw_decades(w, 1, 1e6),
        draw(w, 0, 1) < 0.5 ? 0.0 : draw_decades(w, 1e-2, 1e5));
    put(w, "  - {name: m2, kind: elastic, density: %g, youngs_modulus: %g, poisson_ratio: %g}\n",
        draw_decades(w, 0.2, 10), draw_decades(w, 1e3, 1e8), draw(w, 0, 0.45));
}

static void put_bodies(writer *w)
{
    int count = 1 + (int)draw(w, 0, 3.99);
    put(w, "bodies:\n");
    for (int i = 0; i < count; i++) {
        double speed = draw(w, 0, 1) < 0.2 ? 1500 : 100;
        const char *const names[] = {"m0", "m1", "m2", "dust"};
        put(w, "  - {name: b%d, material: %s, velocity: [%g, %g, %g], ", i, names[(int)draw(w, 0, 3.99)],
            draw(w, -speed, speed), draw(w, -speed, speed), draw(w, -speed, speed));
        put_shape(w);
        put(w, "}\n");
    }
    if (draw(w, 0, 1) < 0.15)
        put(w, "  - {name: pool, material: water, shape: {type: box, center: [0, 1, 0], size: [12, 2, 12]}}\n");
}

static void put_colliders(writer *w)
{
    const char *const boundaries[] = {"sticky", "slip", "separate"};
    put(w, "colliders:\n");
    for (int i = 0; i < 2; i++) {
        put(w, "  - {name: c%d, friction: %g, boundary: %s, motion: [{type: spin, axis: [%g, 1, 0], rate: %g}], ", i,
            draw(w, 0, 2), boundaries[(int)draw(w, 0, 2.99)], draw(w, -1, 1), draw(w, -60, 60));
        put_shape(w);
        put(w, "}\n");
    }
}

static void write_scene(writer *w, uint64_t seed)
{
    *w = (writer){.key = dr_random_key(91, seed)};
    put(w, "seed: %d\ntime: {retries: 6}\n", (int)seed);
    put(w,
        "domain: {cell: 0.75, min: [-6, 0, -6], max: [6, 24, 6], x_min: slip, x_max: slip, y_min: %s, z_min: slip, "
        "z_max: slip}\n",
        draw(w, 0, 1) < 0.5 ? "sticky" : "separate");
    put_materials(w);
    put_bodies(w);
    put_colliders(w);
}

static void check_numbers(dr_world *world, uint64_t seed)
{
    const dr_report *report = dr_world_report(world);
    double sum = report->mass + report->energy_kinetic + report->energy_elastic;
    for (int a = 0; a < 3; a++) sum += report->linear_momentum[a];
    if (!isfinite(sum) || !(report->mass > 0.0)) fail_msg("seed %d: the state is not one of numbers", (int)seed);
}

static void run_seed(uint64_t seed, int *ended, int *stopped)
{
    static writer w;
    dr_error error = {0};
    dr_world *world = NULL;
    write_scene(&w, seed);
    dr_scene *scene = parse_scene(w.text);
    dr_status status = dr_world_create(scene, &(dr_world_options){.threads = 1}, &world, &error);
    dr_scene_destroy(scene);
    if (status == DR_STATUS_BAD_SCENE) { // a shape that holds nothing
        assert_true(error.text[0] != 0);
        return;
    }
    assert_int_equal(status, DR_STATUS_OK);
    int step = 0;
    for (; step < STEPS && status == DR_STATUS_OK; step++) status = dr_world_step(world, 10.0, &error);
    if (status != DR_STATUS_OK && (status != DR_STATUS_NUMERICS || error.text[0] == 0))
        fail_msg("seed %d: status %d, \"%s\"", (int)seed, (int)status, error.text);
    if (step > 1) check_numbers(world, seed);
    *(status == DR_STATUS_OK ? ended : stopped) += 1;
    dr_world_destroy(world);
}

static void test_random_scenes_go_on_or_stop_with_a_message(void **unused)
{
    (void)unused;
    int ended = 0, stopped = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) run_seed(seed, &ended, &stopped);
    print_message("%d of %d scenes went on, %d stopped\n", ended, SEEDS, stopped);
    assert_true(ended > SEEDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_scenes_go_on_or_stop_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
