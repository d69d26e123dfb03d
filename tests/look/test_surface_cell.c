// Cells on their own: fields of pure noise, in which every way of cutting a cell occurs next to every other.
#include "made_up.h"

#include "look/surface_parts.h"

static void fill_with_noise(dr_surface_nodes *nodes, uint64_t seed, double share)
{
    for (int n = 0; n < DR_SURFACE_BLOCK_NODES; n++) {
        int at[3] = {n % 16, n / 16 % 16, n / 256};
        bool border = false;
        for (int a = 0; a < 3; a++) border = border || at[a] == 0 || at[a] == 15;
        bool inside = !border && dice(&seed) < share;
        nodes->value[n] = (float)(inside ? 0.5 + 0.5 * dice(&seed) + 1e-3 : 0.5 * dice(&seed));
        nodes->weight[n] = 1.0F;
    }
}

static dr_surface_mesh cut(dr_surface_nodes *nodes, const dr_surface_loops *loops)
{
    dr_surface_count count = dr_surface_cells_count(nodes, loops);
    dr_surface_mesh mesh = {.vertex_count = count.vertices, .triangle_count = count.triangles, .cells = count.cells};
    mesh.position = dr_memory_alloc(NULL, count.vertices * sizeof *mesh.position);
    mesh.velocity = dr_memory_alloc(NULL, count.vertices * sizeof *mesh.velocity);
    mesh.triangle = dr_memory_alloc(NULL, count.triangles * sizeof *mesh.triangle);
    uint16_t *edge = calloc(count.vertices, sizeof *edge);
    dr_surface_scale scale = {.cell = 1.0};
    dr_surface_target target = {mesh.position, mesh.velocity, edge, mesh.triangle, 0};
    dr_surface_cells_write(nodes, loops, &scale, dr_surface_key((int32_t[3]){0, 0, 0}), &target);
    free(edge);
    return mesh;
}

static void test_noise_has_a_closed_manifold_surface(void **state)
{
    (void)state;
    dr_surface_loops loops[256];
    dr_surface_nodes *nodes = calloc(1, sizeof *nodes);
    dr_surface_loops_make(loops);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        fill_with_noise(nodes, seed * 7919, 0.1 + 0.8 * (double)(seed % 9) / 8.0);
        dr_surface_mesh mesh = cut(nodes, loops);
        const char *fault = mesh_fault(&mesh);
        if (fault) fail_msg("%s", fault);
        assert_true(mesh.cells > 1000);
        dr_surface_mesh_free(&mesh);
    }
    free(nodes);
}

static void test_every_cut_edge_of_a_cell_lies_on_one_line(void **state)
{
    (void)state;
    dr_surface_loops loops[256];
    dr_surface_loops_make(loops);
    for (int inside = 0; inside < 256; inside++) {
        int met[12] = {0}, place = 0, cut_edges = 0;
        for (int i = 0; i < loops[inside].count; i++) {
            assert_true(loops[inside].length[i] >= 3);
            for (int k = 0; k < loops[inside].length[i]; k++) met[loops[inside].edge[place++]]++;
        }
        for (int from = 0; from < 8; from++) {
            for (int axis = 0; axis < 3; axis++) {
                int to = from ^ 1 << axis;
                cut_edges += from < to && (inside >> from & 1) != (inside >> to & 1);
            }
        }
        assert_int_equal(place, cut_edges);
        for (int e = 0; e < 12; e++) assert_in_range(met[e], 0, 1);
    }
}

static void test_the_surface_is_turned_outwards(void **state)
{
    (void)state;
    dr_surface_loops loops[256];
    dr_surface_nodes *nodes = calloc(1, sizeof *nodes);
    dr_surface_loops_make(loops);
    for (int n = 0; n < DR_SURFACE_BLOCK_NODES; n++) {
        double x[3] = {n % 16 - 7.4, n / 16 % 16 - 7.6, n / 256 - 7.5};
        nodes->value[n] = (float)(0.5 - 0.1 * (sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 5.0));
    }
    dr_surface_mesh mesh = cut(nodes, loops);
    check_near(mesh_volume(&mesh), 4.0 / 3.0 * PI * 125.0, 0.03 * 4.0 / 3.0 * PI * 125.0);
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2);
    dr_surface_mesh_free(&mesh);
    free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_has_a_closed_manifold_surface),
        cmocka_unit_test(test_every_cut_edge_of_a_cell_lies_on_one_line),
        cmocka_unit_test(test_the_surface_is_turned_outwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
