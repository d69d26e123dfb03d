#include "support/check.h"

#include "codim/bending.h"
#include "math/random.h"
#include "math/vec.h"
#include "support/scarce.h"

#include <stdlib.h>

enum { SIDE = 12, MOST_VERTICES = 400, MOST_TRIANGLES = 800 };

typedef enum layout { EQUILATERAL, ONE_DIAGONAL, UNION_JACK, IRREGULAR, LAYOUTS } layout;

typedef struct patch {
    size_t vertices, triangles;
    uint32_t triangle[3 * MOST_TRIANGLES];
    double rest[3 * MOST_VERTICES], x[3 * MOST_VERTICES];
    double stiffness[6 * MOST_TRIANGLES];
    float scale[MOST_TRIANGLES];
    uint8_t clamped[MOST_TRIANGLES];
    dr_bending bending;
} patch;

static const dr_par alone = {.threads = 1};
static const double rigidity = 2.0, poisson = 0.3;

static double draw(uint64_t *state)
{
    return 2.0 * dr_random_unit(77, (*state)++) - 1.0;
}

static void lay_point(layout how, size_t columns, size_t rows, size_t i, size_t j, uint64_t *state, double out[3])
{
    double x = (double)i, y = (double)j;
    bool inside = i > 0 && j > 0 && i < columns && j < rows;
    if (how == EQUILATERAL) {
        x += 0.5 * (double)j;
        y *= 0.5 * sqrt(3.0);
    }
    if (how == IRREGULAR && inside) {
        x += 0.22 * draw(state);
        y += 0.22 * draw(state);
    }
    dr_vec3_set(out, 0.1 * x, 0.1 * y, 0.0);
}

static void lay(patch *sheet, layout how, size_t columns, size_t rows)
{
    uint64_t state = 1;
    *sheet = (patch){.vertices = (columns + 1) * (rows + 1)};
    for (size_t j = 0; j <= rows; j++) {
        for (size_t i = 0; i <= columns; i++)
            lay_point(how, columns, rows, i, j, &state, sheet->rest + 3 * (j * (columns + 1) + i));
    }
    for (size_t q = 0; q < columns * rows; q++) {
        size_t i = q % columns, j = q / columns;
        uint32_t a = (uint32_t)(j * (columns + 1) + i), b = a + 1, c = a + (uint32_t)columns + 1, d = c + 1;
        bool other = (how == UNION_JACK || how == IRREGULAR) && (i + j) % 2;
        const uint32_t one[6] = {a, b, c, b, d, c}, two[6] = {a, b, d, a, d, c};
        memcpy(sheet->triangle + 6 * q, other ? two : one, sizeof one);
    }
    sheet->triangles = 2 * columns * rows;
    for (size_t t = 0; t < sheet->triangles; t++) dr_bending_plate(rigidity, poisson, sheet->stiffness + 6 * t);
}

static void turn_mesh(patch *sheet, double angle)
{
    for (size_t v = 0; v < sheet->vertices; v++) {
        double *r = sheet->rest + 3 * v, x = r[0], y = r[1];
        r[0] = cos(angle) * x - sin(angle) * y;
        r[1] = sin(angle) * x + cos(angle) * y;
    }
}

static void open_as(patch *sheet, bool hinges, bool flat)
{
    dr_bending_sheet given = {.vertex_count = sheet->vertices,
                              .triangle_count = sheet->triangles,
                              .triangle = sheet->triangle,
                              .rest = sheet->rest,
                              .stiffness = sheet->stiffness,
                              .clamped = sheet->clamped,
                              .flat = flat,
                              .hinges = hinges,
                              .products = true};
    assert_true(dr_bending_open(&sheet->bending, &given, NULL));
    memcpy(sheet->x, sheet->rest, sizeof sheet->x);
}

// Height of a small quadratic with these curvatures.
static void bend(patch *sheet, const double k[3], double size)
{
    for (size_t v = 0; v < sheet->vertices; v++) {
        double *x = sheet->x + 3 * v;
        x[2] = size * (0.5 * k[0] * x[0] * x[0] + 0.5 * k[1] * x[1] * x[1] + k[2] * x[0] * x[1]);
    }
}

static double plate_energy(const double k[3])
{
    return 0.5 * rigidity *
           (k[0] * k[0] + k[1] * k[1] + 2.0 * poisson * k[0] * k[1] + 2.0 * (1.0 - poisson) * k[2] * k[2]);
}

static double area_of(const patch *sheet, size_t t)
{
    double a[3], b[3], n[3];
    const uint32_t *corner = sheet->triangle + 3 * t;
    dr_vec3_sub(a, sheet->rest + 3 * (size_t)corner[1], sheet->rest + 3 * (size_t)corner[0]);
    dr_vec3_sub(b, sheet->rest + 3 * (size_t)corner[2], sheet->rest + 3 * (size_t)corner[0]);
    dr_vec3_cross(n, a, b);
    return 0.5 * dr_vec3_length(n);
}

// Only triangles of quads at least `rim` away from the sides count; their area is returned.
static double count_inside(patch *sheet, size_t columns, size_t rows, size_t rim_x, size_t rim_y)
{
    double area = 0.0;
    for (size_t t = 0; t < sheet->triangles; t++) {
        size_t i = t / 2 % columns, j = t / 2 / columns;
        bool inside = i >= rim_x && i + rim_x < columns && j >= rim_y && j + rim_y < rows;
        sheet->scale[t] = inside ? 1.0F : 0.0F;
        if (inside) area += area_of(sheet, t);
    }
    sheet->bending.scale = sheet->scale;
    return area;
}

static const double curvatures[][3] = {{1, 0, 0},        {0, 1, 0},        {0, 0, 1},     {0.5, 0.5, 0.5},
                                       {0.5, 0.5, -0.5}, {0.7, -0.2, 0.4}, {1, -0.3, 0.0}};

static void test_energy_is_the_plates_in_every_direction_on_every_mesh(void **state)
{
    (void)state;
    static patch sheet;
    for (int how = 0; how < LAYOUTS; how++) {
        for (size_t k = 0; k < sizeof curvatures / sizeof *curvatures; k++) {
            const double *bent = curvatures[k], size = 1e-4;
            lay(&sheet, (layout)how, SIDE, SIDE);
            turn_mesh(&sheet, how == IRREGULAR ? 0.4 : 0.0);
            open_as(&sheet, false, true);
            double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
            bend(&sheet, bent, size);
            double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area);
            check_near(energy, plate_energy(bent), 1e-5 * plate_energy(bent));
            dr_bending_close(&sheet.bending);
        }
    }
}

// A constant moment leaves free vertices at rest: no wrinkle of the mesh's own makes it softer.
static void test_constant_curvature_is_in_equilibrium(void **state)
{
    (void)state;
    static patch sheet;
    static double g[3 * MOST_VERTICES];
    for (int how = 0; how < LAYOUTS; how++) {
        for (size_t k = 0; k < sizeof curvatures / sizeof *curvatures; k++) {
            double size = 1e-4;
            lay(&sheet, (layout)how, SIDE, SIDE);
            open_as(&sheet, false, true);
            bend(&sheet, curvatures[k], size);
            memset(g, 0, sizeof g);
            dr_bending_gradient(&sheet.bending, &alone, sheet.x, g);
            for (size_t v = 0; v < sheet.vertices; v++) {
                size_t i = v % (SIDE + 1), j = v / (SIDE + 1);
                if (i < 4 || j < 4 || i + 4 > SIDE || j + 4 > SIDE) continue;
                check_near(g[3 * v + 2] / (rigidity * size), 0.0, 2e-5);
            }
            dr_bending_close(&sheet.bending);
        }
    }
}

static void shake(patch *sheet, double size, uint64_t seed)
{
    for (size_t i = 0; i < 3 * sheet->vertices; i++) sheet->x[i] += size * draw(&seed);
}

static void test_wrinkles_inside_never_lower_the_energy(void **state)
{
    (void)state;
    static patch sheet;
    for (int how = 0; how < LAYOUTS; how++) {
        double size = 1e-4;
        lay(&sheet, (layout)how, SIDE, SIDE);
        open_as(&sheet, false, true);
        bend(&sheet, curvatures[5], size);
        double least = dr_bending_energy(&sheet.bending, &alone, sheet.x);
        for (uint64_t seed = 0; seed < 20; seed++) {
            for (size_t v = 0; v < sheet.vertices; v++) {
                size_t i = v % (SIDE + 1), j = v / (SIDE + 1);
                uint64_t key = 1000 * seed + v;
                double amount = seed % 2 ? draw(&key) : (i + j) % 2 ? 1.0 : -1.0;
                if (i < 4 || j < 4 || i + 4 > SIDE || j + 4 > SIDE) amount = 0.0;
                sheet.x[3 * v + 2] += 1e-3 * size * amount;
            }
            assert_true(dr_bending_energy(&sheet.bending, &alone, sheet.x) > least * (1.0 - 1e-9));
            memcpy(sheet.x, sheet.rest, sizeof sheet.x);
            bend(&sheet, curvatures[5], size);
        }
        dr_bending_close(&sheet.bending);
    }
}

// A strip with free sides, bent along itself, bows across: its energy is that of a beam, however narrow it is.
static void test_free_edges_bend_as_beams(void **state)
{
    (void)state;
    static patch sheet;
    for (int how = ONE_DIAGONAL; how <= UNION_JACK; how++) {
        for (size_t rows = 1; rows < 5; rows++) {
            const double bent[3] = {1.0, -poisson, 0.0}, size = 1e-4;
            lay(&sheet, (layout)how, SIDE, rows);
            open_as(&sheet, false, true);
            double area = count_inside(&sheet, SIDE, rows, 3, 0);
            bend(&sheet, bent, size);
            double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area);
            check_near(energy, 0.5 * rigidity * (1.0 - poisson * poisson), 1e-4);
            dr_bending_close(&sheet.bending);
        }
    }
}

// Two rows of squares are held, and from there on it is a cylinder: all of it bends, and nothing else does.
static void test_clamps_end_where_held_triangles_do(void **state)
{
    (void)state;
    static patch sheet;
    enum { HELD = 2 };
    const double bent[3] = {0.0, 1.0, 0.0}, size = 1e-4;
    for (int how = EQUILATERAL; how <= UNION_JACK; how++) {
        lay(&sheet, (layout)how, SIDE, SIDE);
        for (size_t t = 0; t < 2 * SIDE * HELD; t++) sheet.clamped[t] = 1;
        open_as(&sheet, false, true);
        count_inside(&sheet, SIDE, SIDE, 3, 0);
        double place = sheet.rest[3 * HELD * (SIDE + 1) + 1], area = 0.0;
        for (size_t t = 0; t < sheet.triangles; t++) {
            if (t / 2 / SIDE + 3 >= SIDE) sheet.scale[t] = 0.0F;
            if (!sheet.clamped[t]) area += (double)sheet.scale[t] * area_of(&sheet, t);
        }
        for (size_t v = 0; v < sheet.vertices; v++) {
            double along = fmax(sheet.rest[3 * v + 1] - place, 0.0);
            sheet.x[3 * v + 2] = 0.5 * size * along * along;
        }
        double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area);
        check_near(energy, plate_energy(bent), 1e-5 * plate_energy(bent));
        dr_bending_close(&sheet.bending);
    }
}

static void test_hinges_are_plates_for_cylinders_on_equilateral_meshes(void **state)
{
    (void)state;
    static patch sheet;
    const double bent[][3] = {{1, 0, 0}, {0, 1, 0}, {0.5, 0.5, 0.5}}, size = 1e-4;
    lay(&sheet, EQUILATERAL, SIDE, SIDE);
    open_as(&sheet, true, true);
    double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
    for (size_t k = 0; k < 3; k++) {
        memcpy(sheet.x, sheet.rest, sizeof sheet.x);
        bend(&sheet, bent[k], size);
        double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area);
        check_near(energy, 0.5 * rigidity, 0.02 * rigidity);
    }
    dr_bending_close(&sheet.bending);
}

// And they are not for twist: 4/3, 2, 3 times the plate's of no Poisson's ratio.
static void test_hinges_twist_as_the_mesh_lets_them(void **state)
{
    (void)state;
    static patch sheet;
    const double expected[] = {4.0 / 3.0, 3.0, 2.0}, twist[3] = {0, 0, 1}, size = 1e-4;
    for (int how = EQUILATERAL; how <= UNION_JACK; how++) {
        lay(&sheet, (layout)how, SIDE, SIDE);
        open_as(&sheet, true, true);
        double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
        bend(&sheet, twist, size);
        double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area);
        check_near(energy / rigidity, expected[how], 1e-4);
        dr_bending_close(&sheet.bending);
    }
}

static void roll(patch *sheet, double radius)
{
    for (size_t v = 0; v < sheet->vertices; v++) {
        double *x = sheet->x + 3 * v, along = sheet->rest[3 * v];
        x[0] = radius * sin(along / radius);
        x[2] = radius * (1.0 - cos(along / radius));
    }
}

static void test_rolled_up_it_has_the_energy_of_the_cylinder(void **state)
{
    (void)state;
    static patch sheet;
    for (int how = 0; how < LAYOUTS; how++) {
        double radius = 1.0;
        lay(&sheet, (layout)how, SIDE, SIDE);
        open_as(&sheet, false, true);
        double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
        roll(&sheet, radius);
        double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x) / area;
        check_near(energy, 0.5 * rigidity / (radius * radius), 0.01 * rigidity);
        dr_bending_close(&sheet.bending);
    }
}

static void test_a_curved_rest_shape_is_at_rest(void **state)
{
    (void)state;
    static patch sheet;
    lay(&sheet, UNION_JACK, SIDE, SIDE);
    memcpy(sheet.x, sheet.rest, sizeof sheet.x);
    roll(&sheet, 1.0);
    memcpy(sheet.rest, sheet.x, sizeof sheet.rest);
    open_as(&sheet, false, false);
    check_near(dr_bending_energy(&sheet.bending, &alone, sheet.x), 0.0, 1e-20);
    double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
    static patch flat;
    lay(&flat, UNION_JACK, SIDE, SIDE);
    double energy = dr_bending_energy(&sheet.bending, &alone, flat.rest) / area;
    check_near(energy, 0.5 * rigidity, 0.01 * rigidity);
    dr_bending_close(&sheet.bending);
}

static void random_rotation(uint64_t *state, double r[3][3])
{
    double axis[3], v[3];
    for (int a = 0; a < 3; a++) axis[a] = draw(state);
    dr_vec3_scale(axis, 1.0 / dr_vec3_length(axis), axis);
    double angle = 3.0 * draw(state), c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        double unit[3] = {i == 0, i == 1, i == 2};
        dr_vec3_cross(v, axis, unit);
        for (int k = 0; k < 3; k++) r[k][i] = c * unit[k] + s * v[k] + (1.0 - c) * axis[i] * axis[k];
    }
}

static void test_rigid_motion_costs_nothing(void **state)
{
    (void)state;
    static patch sheet;
    static double g[3 * MOST_VERTICES];
    for (int hinges = 0; hinges < 2; hinges++) {
        uint64_t seed = 5;
        double r[3][3], moved[3 * MOST_VERTICES];
        lay(&sheet, IRREGULAR, 6, 6);
        for (size_t t = 0; t < 5; t++) sheet.clamped[t] = 1;
        open_as(&sheet, hinges, true);
        bend(&sheet, curvatures[5], 0.5);
        shake(&sheet, 0.02, 9);
        random_rotation(&seed, r);
        for (size_t v = 0; v < sheet.vertices; v++) {
            for (int a = 0; a < 3; a++) moved[3 * v + (size_t)a] = 3.0 + dr_vec3_dot(r[a], sheet.x + 3 * v);
        }
        double energy = dr_bending_energy(&sheet.bending, &alone, sheet.x);
        assert_true(energy > 0.1);
        check_near(dr_bending_energy(&sheet.bending, &alone, moved), energy, 1e-10 * energy);
        memset(g, 0, sizeof g);
        dr_bending_gradient(&sheet.bending, &alone, sheet.x, g);
        double force[3] = {0}, torque[3] = {0}, size = 0.0, arm[3];
        for (size_t v = 0; v < sheet.vertices; v++) {
            dr_vec3_add(force, force, g + 3 * v);
            dr_vec3_cross(arm, sheet.x + 3 * v, g + 3 * v);
            dr_vec3_add(torque, torque, arm);
            size += dr_vec3_length(g + 3 * v);
        }
        check_at_most(dr_vec3_length(force), 1e-12 * size);
        check_at_most(dr_vec3_length(torque), 1e-12 * size);
        dr_bending_close(&sheet.bending);
    }
}

static void test_gradient_and_hessian_are_those_of_the_energy(void **state)
{
    (void)state;
    static patch sheet;
    static double g[3 * MOST_VERTICES], more[3 * MOST_VERTICES], less[3 * MOST_VERTICES], d[3 * MOST_VERTICES];
    static double other[3 * MOST_VERTICES], out[3 * MOST_VERTICES], twice[3 * MOST_VERTICES];
    for (int kind = 0; kind < 4; kind++) {
        lay(&sheet, IRREGULAR, 5, 5);
        for (size_t t = 0; t < 13 && kind >= 2; t++) sheet.clamped[t] = 1;
        open_as(&sheet, kind % 2, true);
        bend(&sheet, curvatures[5], 2.0);
        shake(&sheet, 0.02, 9);
        uint64_t seed = 3;
        size_t count = 3 * sheet.vertices;
        for (size_t i = 0; i < count; i++) d[i] = draw(&seed), other[i] = draw(&seed);
        memset(g, 0, sizeof g), memset(more, 0, sizeof more), memset(less, 0, sizeof less);
        memset(out, 0, sizeof out), memset(twice, 0, sizeof twice);
        double step = 1e-6, slope = 0.0, size = 0.0, forth = 0.0, back = 0.0;
        dr_bending_gradient(&sheet.bending, &alone, sheet.x, g);
        dr_bending_hessian_apply(&sheet.bending, &alone, sheet.x, d, true, out);
        dr_bending_hessian_apply(&sheet.bending, &alone, sheet.x, other, true, twice);
        for (size_t i = 0; i < count; i++) slope += g[i] * d[i], forth += out[i] * other[i], back += twice[i] * d[i];
        check_near(forth, back, 1e-10 * fabs(forth));
        for (size_t i = 0; i < count; i++) sheet.x[i] += step * d[i];
        double above = dr_bending_energy(&sheet.bending, &alone, sheet.x);
        dr_bending_gradient(&sheet.bending, &alone, sheet.x, more);
        for (size_t i = 0; i < count; i++) sheet.x[i] -= 2.0 * step * d[i];
        double below = dr_bending_energy(&sheet.bending, &alone, sheet.x);
        dr_bending_gradient(&sheet.bending, &alone, sheet.x, less);
        check_near((above - below) / (2.0 * step), slope, 1e-6 * fabs(slope));
        for (size_t i = 0; i < count; i++) size = fmax(size, fabs(out[i]));
        for (size_t i = 0; i < count; i++) check_near((more[i] - less[i]) / (2.0 * step), out[i], 1e-6 * size);
        dr_bending_close(&sheet.bending);
    }
}

// Where nothing is bent there are no torques: both Hessians are one, and its diagonal is the diagonal.
static void test_diagonal_and_limit_are_those_of_the_hessian(void **state)
{
    (void)state;
    static patch sheet;
    static double d[3 * MOST_VERTICES], out[3 * MOST_VERTICES], diagonal[3 * MOST_VERTICES], mass[MOST_VERTICES];
    lay(&sheet, IRREGULAR, 8, 8);
    for (size_t t = 0; t < 20; t++) sheet.clamped[t] = 1;
    open_as(&sheet, false, false);
    size_t count = 3 * sheet.vertices;
    memset(diagonal, 0, sizeof diagonal);
    dr_bending_diagonal(&sheet.bending, &alone, sheet.x, diagonal);
    for (size_t i = 2; i < count; i += 37) {
        memset(d, 0, sizeof d), memset(out, 0, sizeof out);
        d[i] = 1.0;
        dr_bending_hessian_apply(&sheet.bending, &alone, sheet.x, d, true, out);
        check_near(diagonal[i], out[i], 1e-9 * fabs(out[i]));
    }
    uint64_t seed = 1;
    for (size_t v = 0; v < sheet.vertices; v++) mass[v] = 0.01 * (1.5 + draw(&seed));
    for (size_t i = 0; i < count; i++) d[i] = draw(&seed);
    double eigenvalue = 0.0;
    for (int round = 0; round < 300; round++) {
        double norm = 0.0;
        memset(out, 0, sizeof out);
        dr_bending_hessian_apply(&sheet.bending, &alone, sheet.x, d, false, out);
        for (size_t i = 0; i < count; i++) norm += out[i] * out[i] / mass[i / 3] / mass[i / 3];
        eigenvalue = sqrt(norm);
        for (size_t i = 0; i < count; i++) d[i] = out[i] / mass[i / 3] / eigenvalue;
    }
    double limit = dr_bending_limit(&sheet.bending, &alone, sheet.x, mass);
    check_at_most(eigenvalue, limit);
    check_at_most(limit, 4.0 * eigenvalue);
    dr_bending_close(&sheet.bending);
}

static void turn_over(patch *sheet)
{
    for (size_t t = 0; t < sheet->triangles; t += 3) {
        uint32_t *corner = sheet->triangle + 3 * t, swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
}

// Of velocities that are drawn: what products in float give beside the Hessian's, and how large these are.
static double compare_products(patch *sheet, const dr_par *par, double factor, float *found)
{
    static double d[3 * MOST_VERTICES], out[3 * MOST_VERTICES];
    static float velocity[4 * MOST_VERTICES];
    uint64_t seed = 4;
    double size = 0.0, worst = 0.0;
    memset(out, 0, sizeof out);
    for (size_t i = 0; i < 3 * sheet->vertices; i++) {
        velocity[4 * (i / 3) + i % 3] = (float)draw(&seed);
        d[i] = (double)velocity[4 * (i / 3) + i % 3];
        found[4 * (i / 3) + i % 3] = 0.0F;
    }
    for (size_t v = 0; v < sheet->vertices; v++) found[4 * v + 3] = 5.0F;
    dr_bending_hessian_apply(&sheet->bending, &alone, sheet->x, d, false, out);
    dr_bending_linearise(&sheet->bending, &alone, sheet->x);
    dr_bending_narrow(&sheet->bending, par, sheet->x);
    dr_bending_apply(&sheet->bending, par, velocity, factor, found);
    for (size_t i = 0; i < 3 * sheet->vertices; i++) size = fmax(size, fabs(out[i]));
    for (size_t i = 0; i < 3 * sheet->vertices; i++)
        worst = fmax(worst, fabs((double)found[4 * (i / 3) + i % 3] - factor * out[i]));
    for (size_t v = 0; v < sheet->vertices; v++) assert_true(found[4 * v + 3] == 5.0F);
    return worst / (factor * size);
}

// Flat and curved at rest, on odd numbers of triangles, some turned over, some clamped, some that do not count.
static void test_products_in_float_are_those_of_the_hessian(void **state)
{
    (void)state;
    static patch sheet;
    static float found[4 * MOST_VERTICES];
    for (int kind = 0; kind < 16; kind++) {
        lay(&sheet, kind & 8 ? UNION_JACK : IRREGULAR, 5, 5);
        if (kind & 2) turn_over(&sheet);
        for (size_t t = 0; t < sheet.triangles; t++) sheet.clamped[t] = kind & 4 && t % 7 == 3;
        open_as(&sheet, kind & 1, true);
        for (size_t t = 0; t < sheet.triangles; t++) sheet.scale[t] = (float)(t % 4);
        if (kind & 4) sheet.bending.scale = sheet.scale;
        bend(&sheet, curvatures[5], 2.0);
        check_at_most(compare_products(&sheet, &alone, 0.3, found), 1e-5);
        dr_bending_close(&sheet.bending);
    }
}

// A triangle that has collapsed turns no angle, and no product is anything but a number.
static void test_products_in_float_pass_by_collapsed_triangles(void **state)
{
    (void)state;
    static patch sheet;
    static float found[4 * MOST_VERTICES];
    lay(&sheet, IRREGULAR, 5, 5);
    open_as(&sheet, false, true);
    bend(&sheet, curvatures[5], 2.0);
    const uint32_t *corner = sheet.triangle + 3 * 17;
    dr_vec3_copy(sheet.x + 3 * (size_t)corner[1], sheet.x + 3 * (size_t)corner[0]);
    check_at_most(compare_products(&sheet, &alone, 1.0, found), 1e-5);
    dr_bending_close(&sheet.bending);
}

static void test_orientation_of_triangles_does_not_matter(void **state)
{
    (void)state;
    static patch sheet;
    double energy[2];
    for (int flipped = 0; flipped < 2; flipped++) {
        lay(&sheet, IRREGULAR, 6, 6);
        if (flipped) turn_over(&sheet);
        open_as(&sheet, false, true);
        bend(&sheet, curvatures[5], 0.5);
        energy[flipped] = dr_bending_energy(&sheet.bending, &alone, sheet.x);
        dr_bending_close(&sheet.bending);
    }
    check_near(energy[1], energy[0], 1e-6 * energy[0]);
}

static void test_threads_of_a_plate_are_a_plate(void **state)
{
    (void)state;
    double plate[6], threads[6];
    dr_bending_plate(rigidity, poisson, plate);
    dr_bending_threads(rigidity, rigidity, poisson * rigidity, 0.5 * (1.0 - poisson) * rigidity, 0.7, threads);
    for (int i = 0; i < 6; i++) check_near(threads[i], plate[i], 1e-12);
    dr_bending_threads(5.0, 1.0, 0.0, 0.3, 0.5 * PI, threads);
    check_near(threads[0], 1.0, 1e-12);
    check_near(threads[3], 5.0, 1e-12);
}

static void test_warp_and_weft_bend_each_as_they_are(void **state)
{
    (void)state;
    static patch sheet;
    const double along[3] = {1, 0, 0}, across[3] = {0, 1, 0}, size = 1e-4;
    lay(&sheet, UNION_JACK, SIDE, SIDE);
    for (size_t t = 0; t < sheet.triangles; t++) {
        const double *a = sheet.rest + 3 * (size_t)sheet.triangle[3 * t];
        const double *b = sheet.rest + 3 * (size_t)sheet.triangle[3 * t + 1];
        dr_bending_threads(5.0, 1.0, 0.1, 0.3, -atan2(b[1] - a[1], b[0] - a[0]), sheet.stiffness + 6 * t);
    }
    open_as(&sheet, false, true);
    double area = count_inside(&sheet, SIDE, SIDE, 3, 3);
    bend(&sheet, along, size);
    check_near(dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area), 2.5, 1e-4);
    bend(&sheet, across, size);
    check_near(dr_bending_energy(&sheet.bending, &alone, sheet.x) / (size * size * area), 0.5, 1e-4);
    dr_bending_close(&sheet.bending);
}

// A vertex of three triangles, edges of three triangles, a triangle without area: numbers all the same.
static void test_odd_meshes_give_numbers(void **state)
{
    (void)state;
    const double rest[] = {0, 0, 0, 1, 0, 0, 0.5, 0.9, 0, 0.5, 0.3, 0, 0.5, -0.8, 0, 0.5, 0.3, 1, 2, 0, 0};
    const uint32_t triangle[] = {0, 1, 3, 1, 2, 3, 2, 0, 3, 1, 0, 4, 0, 1, 5, 0, 1, 6, 2, 1, 6};
    double stiffness[6 * 7], x[21], g[21] = {0};
    for (int t = 0; t < 7; t++) dr_bending_plate(1.0, 0.3, stiffness + 6 * t);
    dr_bending_sheet given = {7, 7, triangle, rest, NULL, stiffness, true, false, NULL, true};
    dr_bending bending;
    assert_true(dr_bending_open(&bending, &given, NULL));
    assert_int_equal(bending.branched, 4);
    uint64_t seed = 8;
    for (int i = 0; i < 21; i++) x[i] = rest[i] + 0.1 * draw(&seed);
    double energy = dr_bending_energy(&bending, &alone, x);
    assert_true(isfinite(energy) && energy > 0.0);
    dr_bending_gradient(&bending, &alone, x, g);
    for (int i = 0; i < 21; i++) assert_true(isfinite(g[i]));
    dr_bending_close(&bending);
}

static void test_memory_may_run_out(void **state)
{
    (void)state;
    static patch sheet;
    lay(&sheet, UNION_JACK, 4, 4);
    dr_bending_sheet given = {.vertex_count = sheet.vertices,
                              .triangle_count = sheet.triangles,
                              .triangle = sheet.triangle,
                              .rest = sheet.rest,
                              .stiffness = sheet.stiffness,
                              .flat = true,
                              .clamped = sheet.clamped,
                              .products = true};
    bool opened = false;
    for (long fails_at = 1; !opened; fails_at++) {
        scarce scarce;
        scarce_open(&scarce, fails_at);
        opened = dr_bending_open(&sheet.bending, &given, &scarce.allocator);
        if (opened) dr_bending_close(&sheet.bending);
        assert_int_equal(scarce.out, 0);
    }
}

// Same bits for any number of threads.
static void test_threads_change_no_bit(void **state)
{
    (void)state;
    static patch sheet;
    static double one[3 * MOST_VERTICES], many[3 * MOST_VERTICES];
    dr_par three = dr_par_open(3);
    lay(&sheet, IRREGULAR, 18, 18);
    open_as(&sheet, false, true);
    bend(&sheet, curvatures[5], 2.0);
    shake(&sheet, 0.01, 4);
    memset(one, 0, sizeof one), memset(many, 0, sizeof many);
    dr_bending_gradient(&sheet.bending, &alone, sheet.x, one);
    dr_bending_gradient(&sheet.bending, &three, sheet.x, many);
    assert_memory_equal(one, many, sizeof one);
    assert_true(dr_bending_energy(&sheet.bending, &alone, sheet.x) ==
                dr_bending_energy(&sheet.bending, &three, sheet.x));
    static float narrow[4 * MOST_VERTICES], wide[4 * MOST_VERTICES];
    compare_products(&sheet, &alone, 1.0, narrow);
    compare_products(&sheet, &three, 1.0, wide);
    assert_memory_equal(narrow, wide, sizeof narrow);
    dr_bending_close(&sheet.bending);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_is_the_plates_in_every_direction_on_every_mesh),
        cmocka_unit_test(test_constant_curvature_is_in_equilibrium),
        cmocka_unit_test(test_wrinkles_inside_never_lower_the_energy),
        cmocka_unit_test(test_free_edges_bend_as_beams),
        cmocka_unit_test(test_clamps_end_where_held_triangles_do),
        cmocka_unit_test(test_hinges_are_plates_for_cylinders_on_equilateral_meshes),
        cmocka_unit_test(test_hinges_twist_as_the_mesh_lets_them),
        cmocka_unit_test(test_rolled_up_it_has_the_energy_of_the_cylinder),
        cmocka_unit_test(test_a_curved_rest_shape_is_at_rest),
        cmocka_unit_test(test_rigid_motion_costs_nothing),
        cmocka_unit_test(test_gradient_and_hessian_are_those_of_the_energy),
        cmocka_unit_test(test_diagonal_and_limit_are_those_of_the_hessian),
        cmocka_unit_test(test_products_in_float_are_those_of_the_hessian),
        cmocka_unit_test(test_products_in_float_pass_by_collapsed_triangles),
        cmocka_unit_test(test_orientation_of_triangles_does_not_matter),
        cmocka_unit_test(test_threads_of_a_plate_are_a_plate),
        cmocka_unit_test(test_warp_and_weft_bend_each_as_they_are),
        cmocka_unit_test(test_odd_meshes_give_numbers),
        cmocka_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
