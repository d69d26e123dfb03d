// Results as files: what was exported comes back, the bytes do not depend on threads, what cannot be is told.
#define _XOPEN_SOURCE 700
#include "drench/export.h"
#include "io/curves.h"
#include "io/h5.h"
#include "io/obj.h"
#include "io/pc2.h"
#include "io/ply.h"
#include "look/made_frames.h"
#include "support/scarce.h"

#include <ftw.h>
#include <unistd.h>

static char folder[DR_FOLDER_PATH], output[DR_FOLDER_PATH];

static int open_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/drench-export-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    dr_folder_join(output, folder, "out");
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

static int close_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static dr_export_options defaults(const char *format)
{
    dr_export_options options;
    dr_export_options_default(&options);
    options.folder = folder;
    options.output = output;
    options.format = format;
    options.threads = 2;
    return options;
}

static dr_export_summary export_as(const dr_export_options *options)
{
    dr_error error = {0};
    dr_export_summary summary;
    if (dr_export(options, &summary, &error)) fail_msg("%s", error.text);
    return summary;
}

static void refuse(const dr_export_options *options, dr_status expected, const char *word)
{
    dr_error error = {0};
    assert_int_equal(dr_export(options, NULL, &error), expected);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}

static char *read_output(const char *name, size_t *bytes)
{
    char path[DR_FOLDER_PATH], *data;
    dr_error error = {0};
    dr_folder_join(path, output, name);
    if (dr_folder_read(path, NULL, &data, bytes, &error)) fail_msg("%s", error.text);
    return data;
}

static bool is_written(const char *name)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, output, name);
    return access(path, F_OK) == 0;
}

// ---- there and back

static void check_strands(const char *name, bool radius)
{
    made_frame made;
    dr_arena arena;
    dr_error error = {0};
    dr_curve_asset curves = {0};
    size_t bytes;
    char *data = read_output(name, &bytes);
    made_fill(&made, 2);
    dr_arena_open(&arena, NULL);
    if (dr_curves_parse(data, bytes, name, &arena, &curves, &error)) fail_msg("%s", error.text);
    assert_int_equal(curves.curve_count, MADE_STRANDS);
    assert_memory_equal(curves.first, made_first, sizeof made_first);
    for (int i = 0; i < 3 * MADE_POINTS; i++)
        check_near((double)(float)curves.points[i], (double)made.strand[i / 3][i % 3], 0.0);
    for (int i = 0; i < MADE_POINTS && radius; i++) check_near(curves.radius[i], (double)made.radius[i], 0.0);
    dr_arena_close(&arena);
    dr_memory_free(NULL, data, bytes + 1);
}

static void check_cloth(const char *name)
{
    made_frame made;
    dr_arena arena;
    dr_error error = {0};
    dr_mesh_asset mesh = {0};
    size_t bytes;
    char *data = read_output(name, &bytes);
    bool ply = strstr(name, ".ply") != NULL;
    made_fill(&made, 2);
    dr_arena_open(&arena, NULL);
    if ((ply ? dr_ply_parse : dr_obj_parse)(data, bytes, name, &arena, &mesh, &error)) fail_msg("%s", error.text);
    assert_int_equal(mesh.vertex_count, MADE_CLOTH);
    assert_int_equal(mesh.triangle_count, 2);
    assert_memory_equal(mesh.triangles, made_triangles, sizeof made_triangles);
    for (int i = 0; i < 3 * MADE_CLOTH; i++)
        check_near((double)(float)mesh.vertices[i], (double)made.cloth[i / 3][i % 3], 0.0);
    dr_arena_close(&arena);
    dr_memory_free(NULL, data, bytes + 1);
}

static void test_meshes_and_curves_come_back_with_the_same_bits(void **state)
{
    (void)state;
    made_write(folder, 3, false);
    dr_export_options options = defaults("ply");
    dr_export_summary summary = export_as(&options);
    assert_int_equal(summary.frames, 3);
    assert_int_equal(summary.files, 12);
    check_strands("strands_000002.ply", true);
    check_cloth("cloth_000002.ply");
    options.format = "obj";
    export_as(&options);
    check_strands("strands_000002.obj", false);
    check_cloth("cloth_000002.obj");
    assert_true(is_written("dust_000003.obj") && is_written("liquid_000001.ply"));
}

static void test_a_point_cache_comes_back_with_the_points_in_one_order(void **state)
{
    (void)state;
    made_write(folder, 3, false);
    dr_export_options options = defaults("pc2");
    options.unit = "mm";
    assert_int_equal(export_as(&options).files, 8);
    made_frame made;
    dr_arena arena;
    dr_error error = {0};
    dr_sequence_asset sequence = {0};
    size_t bytes;
    char *data = read_output("liquid.pc2", &bytes);
    dr_arena_open(&arena, NULL);
    if (dr_pc2_parse(data, bytes, "liquid.pc2", &arena, &sequence, &error)) fail_msg("%s", error.text);
    assert_int_equal(sequence.frame_count, 3);
    assert_int_equal(sequence.vertex_count, MADE_LIQUID);
    check_near(sequence.start_frame, 1.0, 0.0);
    check_near(sequence.frame_step, 1.0, 0.0);
    for (int number = 1; number <= 3; number++) {
        made_fill(&made, number);
        for (int i = 0; i < MADE_LIQUID; i++) {
            size_t p = (size_t)(made.liquid_id[i] & 0xffff);
            const float *at = sequence.positions + 3 * ((size_t)(number - 1) * MADE_LIQUID + p);
            for (int a = 0; a < 3; a++)
                check_near((double)at[a], (double)(float)(10.0 * (double)made.liquid[i][a]), 0.0);
        }
    }
    dr_arena_close(&arena);
    dr_memory_free(NULL, data, bytes + 1);
    assert_true(is_written("liquid.obj") && is_written("strands.pc2") && is_written("dust.obj"));
}

static void test_units_and_axes_are_converted(void **state)
{
    (void)state;
    made_write(folder, 1, false);
    dr_export_options options = defaults("obj");
    options.unit = "m";
    options.up = 'z';
    options.parts = "strands";
    export_as(&options);
    made_frame made;
    dr_arena arena;
    dr_error error = {0};
    dr_curve_asset curves = {0};
    size_t bytes;
    char *data = read_output("strands_000001.obj", &bytes);
    made_fill(&made, 1);
    dr_arena_open(&arena, NULL);
    if (dr_curves_parse(data, bytes, "a.obj", &arena, &curves, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < MADE_POINTS; i++) {
        const double *at = curves.points + 3 * (size_t)i;
        check_near(at[0], (double)(float)(0.01 * (double)made.strand[i][0]), 1e-9);
        check_near(at[1], (double)(float)(-0.01 * (double)made.strand[i][2]), 1e-9);
        check_near(at[2], (double)(float)(0.01 * (double)made.strand[i][1]), 1e-9);
    }
    dr_arena_close(&arena);
    dr_memory_free(NULL, data, bytes + 1);
    assert_false(is_written("liquid_000001.obj"));
}

// The first vertex of a strand, in the file that an export for that program wrote.
static void first_point(const char *name, double at[3])
{
    dr_arena arena;
    dr_error error = {0};
    dr_curve_asset curves = {0};
    size_t bytes;
    char *data = read_output(name, &bytes);
    dr_arena_open(&arena, NULL);
    if (dr_curves_parse(data, bytes, name, &arena, &curves, &error)) fail_msg("%s", error.text);
    for (int a = 0; a < 3; a++) at[a] = curves.points[a];
    dr_arena_close(&arena);
    dr_memory_free(NULL, data, bytes + 1);
}

static void test_programs_get_their_units_and_axes(void **state)
{
    (void)state;
    made_frame made;
    double at[3];
    made_write(folder, 1, false);
    made_fill(&made, 1);
    dr_export_options options = defaults(NULL);
    options.program = "blender";
    options.parts = "strands";
    dr_export_summary summary = export_as(&options);
    assert_string_equal(summary.format, "ply");
    assert_string_equal(summary.unit, "m");
    assert_int_equal(summary.up, 'z');
    first_point("strands_000001.ply", at);
    check_near(at[1], -0.01 * (double)made.strand[0][2], 1e-9);
    check_near(at[2], 0.01 * (double)made.strand[0][1], 1e-9);
    options.format = "obj"; // Blender's own importer turns it
    assert_int_equal(export_as(&options).up, 'y');
    first_point("strands_000001.obj", at);
    check_near(at[1], 0.01 * (double)made.strand[0][1], 1e-9);
    options.program = "houdini";
    options.format = NULL;
    summary = export_as(&options);
    assert_string_equal(summary.format, "usda");
    assert_int_equal(summary.up, 'y');
    options.unit = "mm"; // what is asked for wins
    options.up = 'z';
    summary = export_as(&options);
    assert_true(strcmp(summary.unit, "mm") == 0 && summary.up == 'z');
    options = defaults("gltf");
    options.program = "blender";
    summary = export_as(&options);
    assert_true(strcmp(summary.unit, "m") == 0 && summary.up == 'y');
    options.program = "maya";
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "programs are blender, houdini");
}

typedef struct counted {
    int64_t files;
    uint64_t bytes;
} counted;

static counted found; // by count_one

static int count_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)path;
    (void)walk;
    if (kind != FTW_F) return 0;
    found.files++;
    found.bytes += (uint64_t)info->st_size;
    return 0;
}

// Liquid that comes and goes: no point cache of it is left, and the empty file of VTK is there once.
static void test_the_summary_counts_the_files_that_are_there(void **state)
{
    (void)state;
    made_write(folder, 5, true);
    for (int i = 0; dr_export_format_name(i); i++) {
        char path[DR_FOLDER_PATH];
        dr_folder_join(path, folder, dr_export_format_name(i));
        dr_export_options options = defaults(dr_export_format_name(i));
        options.output = path;
        dr_export_summary summary = export_as(&options);
        found = (counted){0};
        assert_int_equal(nftw(path, count_one, 8, FTW_PHYS), 0);
        if (summary.files != found.files || summary.bytes != found.bytes)
            fail_msg("%s: %lld files of %llu bytes were told, %lld of %llu are there", dr_export_format_name(i),
                     (long long)summary.files, (unsigned long long)summary.bytes, (long long)found.files,
                     (unsigned long long)found.bytes);
        assert_int_equal(summary.frames, 5);
        assert_int_equal(summary.samples, 0);
    }
}

static void test_a_range_of_frames_is_exported(void **state)
{
    (void)state;
    made_write(folder, 9, false);
    dr_export_options options = defaults("ply");
    options.parts = " cloth , dust";
    options.first = 3;
    options.last = 8;
    options.step = 2;
    assert_int_equal(export_as(&options).files, 6);
    assert_true(is_written("cloth_000003.ply") && is_written("dust_000005.ply") && is_written("cloth_000007.ply"));
    assert_false(is_written("cloth_000002.ply") || is_written("cloth_000004.ply") || is_written("cloth_000009.ply"));
}

// ---- any number of threads

static int compare_files(const char *one, const char *other)
{
    char command[3 * DR_FOLDER_PATH];
    snprintf(command, sizeof command, "diff -r '%s' '%s'", one, other);
    return system(command);
}

static void test_bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    char other[DR_FOLDER_PATH];
    made_write(folder, 9, true);
    dr_folder_join(other, folder, "other");
    for (int i = 0; dr_export_format_name(i); i++) {
        dr_export_options options = defaults(dr_export_format_name(i));
        bool caches = strcmp(options.format, "pc2") == 0 || strcmp(options.format, "mdd") == 0;
        if (!caches && strcmp(options.format, "vdb") != 0) options.parts = "liquid,strands,cloth,dust,surface";
        options.threads = 1;
        export_as(&options);
        options.output = other;
        options.threads = 3;
        export_as(&options);
        assert_int_equal(compare_files(output, other), 0);
    }
}

// ---- what goes wrong

static void test_what_cannot_be_is_told(void **state)
{
    (void)state;
    dr_export_options options = defaults("ply");
    refuse(&options, DR_STATUS_BAD_ARGUMENT, folder);
    made_write(folder, 3, true);
    options.format = "plx";
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "formats are ply");
    options.format = "ply";
    options.parts = "liquid,fur";
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "no part \"fur\"");
    options.parts = NULL;
    options.unit = "inch";
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "\"inch\"");
    options.unit = NULL;
    options.first = 30;
    options.last = 40;
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "frames 1 to 3");
    options = defaults("gltf");
    options.up = 'z';
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "y up");
    options = defaults("pc2");
    options.parts = "liquid";
    refuse(&options, DR_STATUS_BAD_ARGUMENT, "199 points in the first frame and 198 in frame 2");
    options.folder = "/tmp/drench-nowhere";
    refuse(&options, DR_STATUS_NO_FILE, "/tmp/drench-nowhere");
}

static void test_a_damaged_frame_is_named_and_the_others_stay(void **state)
{
    (void)state;
    char path[DR_FOLDER_PATH];
    made_write(folder, 3, false);
    dr_folder_join(path, folder, "frames/frame_000002.h5");
    for (int i = 0; i < 3; i++) {
        static const long lengths[] = {0, 100, 3000};
        assert_int_equal(truncate(path, lengths[2 - i]), 0);
        dr_export_options options = defaults("ply");
        options.threads = 1;
        refuse(&options, DR_STATUS_IO, "frame_000002.h5");
        assert_true(is_written("liquid_000001.ply"));
        assert_false(is_written("liquid_000002.ply"));
    }
}

static void test_parts_that_change_are_left_out_of_point_caches(void **state)
{
    (void)state;
    made_write(folder, 3, true);
    dr_export_options options = defaults("mdd");
    export_as(&options);
    assert_true(is_written("strands.mdd") && is_written("cloth.mdd") && is_written("cloth.obj"));
    assert_false(is_written("liquid.mdd") || is_written("liquid.obj"));
}

static void write_vanishing(void)
{
    static made_frame made;
    dr_error error = {0};
    made_write(folder, 3, false);
    made_fill(&made, 2);
    made_describe(&made, 2, 0);
    dr_cache_stamp stamp = {.particles = true};
    if (dr_cache_write(folder, &made.frame, &stamp, NULL, &error)) fail_msg("%s", error.text);
}

static void test_what_vanishes_does_not_stay_in_a_series(void **state)
{
    (void)state;
    size_t bytes;
    write_vanishing();
    dr_export_options options = defaults("vtk");
    export_as(&options);
    char *rows = read_output("liquid.pvd", &bytes);
    assert_non_null(strstr(rows, "timestep=\"0.04\" part=\"0\" file=\"empty.vtu\""));
    assert_non_null(strstr(rows, "liquid_000003.vtu"));
    assert_true(is_written("empty.vtu"));
    dr_memory_free(NULL, rows, bytes + 1);
    options.format = "usda";
    export_as(&options);
    char *layer = read_output("drench.usda", &bytes);
    const char *points = strstr(layer, "point3f[] points.timeSamples");
    assert_non_null(points);
    assert_non_null(strstr(points, " 2: [],"));
    assert_non_null(strstr(layer, "float[] widths.timeSamples"));
    dr_memory_free(NULL, layer, bytes + 1);
}

typedef struct stopping {
    volatile int stop;
    int64_t done;
} stopping;

static void stop_after_two(void *user, const dr_export_progress *progress)
{
    stopping *stopping = user;
    stopping->done = progress->frames_done;
    if (progress->frames_done == 2) stopping->stop = 1;
}

static int count_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    const char *name = path + walk->base;
    if (name[0] == '.') fail_msg("%s was left behind", path);
    return 0;
}

static void test_a_stop_leaves_whole_files_only(void **state)
{
    (void)state;
    made_write(folder, 9, false);
    for (int i = 0; dr_export_format_name(i); i++) {
        stopping stopping = {0};
        dr_error error = {0};
        dr_export_options options = defaults(dr_export_format_name(i));
        options.threads = 1;
        options.stop = &stopping.stop;
        options.progress = stop_after_two;
        options.user = &stopping;
        assert_int_equal(dr_export(&options, NULL, &error), DR_STATUS_INTERRUPTED);
        assert_int_equal(stopping.done, 2);
    }
    assert_true(is_written("cloth_000002.ply"));
    assert_false(is_written("cloth_000003.ply") || is_written("drench.usda") || is_written("cloth.pvd"));
    assert_int_equal(nftw(output, count_entry, 8, FTW_PHYS), 0);
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    made_write(folder, 2, false);
    for (int i = 0; dr_export_format_name(i); i++) {
        dr_status status = DR_STATUS_NO_MEMORY;
        for (long tries = 1; status; tries += 1 + tries / 5) {
            scarce scarce;
            dr_error error = {0};
            dr_export_options options = defaults(dr_export_format_name(i));
            scarce_open(&scarce, tries);
            options.threads = 1;
            options.allocator = &scarce.allocator;
            status = dr_export(&options, NULL, &error);
            if (status && status != DR_STATUS_NO_MEMORY) fail_msg("%s", error.text);
            assert_int_equal(scarce.out, 0);
        }
    }
}

int main(void)
{
    if (!dr_h5_available()) {
        printf("this build has no HDF5\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_meshes_and_curves_come_back_with_the_same_bits, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_a_point_cache_comes_back_with_the_points_in_one_order, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(test_units_and_axes_are_converted, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_programs_get_their_units_and_axes, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_the_summary_counts_the_files_that_are_there, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_a_range_of_frames_is_exported, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_bytes_do_not_depend_on_threads, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_is_told, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_a_damaged_frame_is_named_and_the_others_stay, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_parts_that_change_are_left_out_of_point_caches, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_what_vanishes_does_not_stay_in_a_series, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_a_stop_leaves_whole_files_only, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_every_failing_allocation_is_clean, open_folder, close_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
