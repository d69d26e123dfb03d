// Thick liquids: processor time per particle of the law (trial, return map, stress) and of a whole step of a pool that
// slumps, by stage; per cell and sub-step of a thick film.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include "base/clock.h"
#include "film/flow.h"
#include "liquid/rheology_lanes.h"
#include "world/world.h"

#include <math.h>

typedef struct parameters {
    int64_t cells, steps, laws;
    int material;
    bool tears;
} parameters;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field rows[] = {
    ROW_CHOICE(parameters, material, materials, "shaving cream", "Which liquid."),
    ROW_COUNT(parameters, cells, "16", 4, 256, "Along a side of the block; eight particles in each."),
    ROW_COUNT(parameters, steps, "8", 1, 1000, "Steps that are timed, after two others."),
    ROW_SWITCH(parameters, tears, "true", "Particles remember how far they flowed, and may tear."),
    ROW_COUNT(parameters, laws, "200000", 100, 100000000, "How often the law is asked."),
};
static const dr_table table = ROW_TABLE("thick", parameters, rows);

// Strain that comes and goes, beyond yield and below, of particles side by side as a step has them.
static double time_law(const dr_material_spec *material, int64_t count)
{
    dr_rheology law;
    dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR];
    dr_rheology_compile(material, &law);
    dr_rheology_lanes_clear(lanes);
    for (int i = 0; i < DR_RHEOLOGY_POINTS; i++) dr_rheology_lanes_law(lanes, i, &law);
    double begin = dr_clock_cpu();
    for (int64_t i = 0; i < count; i += DR_RHEOLOGY_POINTS) {
        for (int k = 0; k < DR_RHEOLOGY_POINTS; k++) {
            dr_rheology_lanes *of = &lanes[k / DR_LANES];
            int lane = k % DR_LANES;
            double rate = 40.0 * (double)((i + 7 * k) % 63 - 31) / 31.0;
            of->gradient[0][lane] = 0.1 * rate;
            of->gradient[1][lane] = rate;
            of->gradient[4][lane] = -0.1 * rate;
            of->gradient[6][lane] = 0.3 * rate;
        }
        dr_rheology_lanes_step(lanes, 1e-3);
    }
    return 1e6 * (dr_clock_cpu() - begin) / (double)count;
}

enum { FILM_CELLS = 50 };

// room: of dr_film_flow.
static double flow_film(const dr_material_spec *material, double *room)
{
    enum { COUNT = FILM_CELLS, STEPS = 2000 };
    double x[3 * COUNT] = {0}, v[3 * COUNT] = {0}, mass[COUNT], radius[COUNT], pull[3 * COUNT] = {0}, volume[COUNT];
    double u[COUNT] = {0}, owed[3 * COUNT] = {0}, strain[COUNT] = {0}, response[COUNT] = {0}, matrix[6 * COUNT] = {0};
    double impulse[3 * COUNT] = {0}, tension[COUNT] = {0}, turn[3 * COUNT] = {0}, way[COUNT] = {0};
    static const unsigned char held[COUNT];
    const dr_strands_spec spec = {.film_flow = true, .film_elastic = true, .film_beads = true, .film_transport = true};
    dr_film_law law = dr_film_stage_law(&spec, material);
    dr_film_host host = {.count = COUNT,
                         .position = x,
                         .velocity = v,
                         .mass = mass,
                         .radius = radius,
                         .pull = pull,
                         .gravity = pull,
                         .held = held,
                         .free_end = {false, true}};
    dr_film film = {.volume = volume, .velocity = u, .impulse = owed, .strain = strain};
    dr_film_answer answer = {response, matrix, impulse, tension, turn, way};
    for (int i = 0; i < COUNT; i++) {
        x[3 * i + 1] = -0.2 * i;
        pull[3 * i + 1] = -981.0;
        mass[i] = 1.3 * 4.3e-5 * 0.2;
        radius[i] = 0.0037;
        volume[i] = dr_film_volume(0.01 + 0.008 * sin(0.4 * i), 0.2, 0.0037);
    }
    int64_t substeps = 0;
    double begin = dr_clock_cpu();
    for (int i = 0; i < STEPS; i++) substeps += dr_film_flow(&law, &host, 4e-3, &film, &answer, room);
    return 1e6 * (dr_clock_cpu() - begin) / (double)(substeps * COUNT);
}

static dr_status time_film(dr_lab *lab, const dr_material_spec *material, dr_error *error)
{
    size_t bytes = dr_film_flow_room(FILM_CELLS) * sizeof(double);
    double *room = dr_memory_alloc(NULL, bytes);
    if (!room) return dr_error_memory(error, "a film");
    dr_lab_measure(lab, "film", "us per cell and sub-step", flow_film(material, room));
    dr_memory_free(NULL, room, bytes);
    return DR_STATUS_OK;
}

static dr_status time_steps(dr_lab *lab, const parameters *p, const dr_material_spec *material, dr_error *error)
{
    char text[512];
    dr_lab_thick_text(material, "liquid", text, sizeof text);
    double side = 0.25 * (double)p->cells, begin = 0.0, viscosity = 0.0, particles = 1.0;
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_world_options options = {.threads = dr_lab_threads(lab)};
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a block of thick liquid\ndomain: {cell: 0.25, min: [0, 0, 0], max: [%.17g, unbounded, %.17g], x_min: "
        "slip, y_min: sticky, z_min: slip}\nmaterials: [%s]\nbodies: [{name: block, material: liquid, shape: {type: "
        "box, center: [%.17g, %.17g, %.17g], size: [%.17g, %.17g, %.17g]}}]\n",
        2.0 * side, 2.0 * side, text, 0.5 * side, 0.5 * side, 0.5 * side, side, side, side);
    if (!status) {
        dr_scene_edit(scene)->time.fixed_step = 2e-3;
        if (p->tears) dr_scene_edit(scene)->materials.items[0].tear_strain = material->tear_strain;
        status = dr_world_create(scene, &options, &world, error);
    }
    for (int64_t i = 0; i < p->steps + 2 && !status && !dr_lab_stopped(lab); i++) {
        if (i == 2) begin = dr_clock_cpu();
        status = dr_world_step(world, 1e9, error);
        if (i >= 2 && !status) viscosity += dr_world_report(world)->stage_seconds[DR_STAGE_VISCOSITY];
    }
    if (!status) {
        particles = (double)world->state.liquid.count * (double)p->steps;
        dr_lab_measure(lab, "step", "us per particle", 1e6 * (dr_clock_cpu() - begin) / particles);
        dr_lab_measure(lab, "shear", "us per particle, by the clock", 1e6 * viscosity / particles);
        dr_lab_measure(lab, "particles", NULL, (double)world->state.liquid.count);
    }
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    return status;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    dr_lab_measure(lab, "law", "us per particle", time_law(&material, p->laws));
    dr_status status = time_film(lab, &material, error);
    return status ? status : time_steps(lab, p, &material, error);
}

const dr_lab_case dr_lab_thick = {"thick", "the law of thick liquids, a step of a block, their films", &table, run};
