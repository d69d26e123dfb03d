// Built-in materials, in cgs. docs/theory/materials.md says where each number comes from.
#include "scene/scene.h"

#include <string.h>

#define DEGREE 0.017453292519943295

// Herschel-Bulkley columns: density, bulk modulus, shear modulus, yield stress, consistency, flow index.
#define LIQUID(its_name, rho, kappa, mu, tau, eta, n, newtonian, sigma, text)                                          \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = text, .kind = DR_MATERIAL_LIQUID, .density = rho,                    \
        .bulk_modulus = kappa, .shear_modulus = mu, .yield_stress = tau, .consistency = eta, .flow_index = n,          \
        .viscosity = newtonian, .surface_tension = sigma, .contact_angle = 60 * DEGREE, .tear_strain = 217.5,          \
        .recovery_time = 0.35, .rheometer = {                                                                          \
            .index = 1                                                                                                 \
        }                                                                                                              \
    }

#define ELASTIC(its_name, rho, young, poisson, text)                                                                   \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = text, .kind = DR_MATERIAL_ELASTIC, .density = rho,                   \
        .youngs_modulus = young, .poisson_ratio = poisson                                                              \
    }

#define GOO(its_name, rho, young, poisson, yield, viscous, text)                                                       \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = text, .kind = DR_MATERIAL_GOO, .density = rho,                       \
        .youngs_modulus = young, .poisson_ratio = poisson, .yield_stress = yield, .viscosity = viscous                 \
    }

#define NO_WEAVE .weave = {.packing = 0.6, .cohesion = 1}

// A wet fabric: volume fraction, fibre diameter, pore radius (cm), half thickness (cm).
#define CLOTH(its_name, phi, fibre, pore, half, rho, young, poisson, viscous, angle, text)                             \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = text, .kind = DR_MATERIAL_CLOTH, .density = rho,                     \
        .youngs_modulus = young, .poisson_ratio = poisson, .thickness = 2 * (half), .volume_fraction = phi,            \
        .fibre_diameter = fibre, .pore_radius = pore, .stress_power = 2, .drag_power = 1.6, .damping = viscous,        \
        .friction_angle = (angle)*DEGREE, .friction = 0.3, NO_WEAVE                                                    \
    }

// A real fabric, from what a draper measures: weight (g/cm2), thickness (cm), bending length (cm, Peirce 1930: rigidity
// is weight times its cube), force per width and strain along warp and weft (dyn/cm), density and diameter of its
// fibres.
#define FABRIC(its_name, weight, thick, length, warp, weft, rho, fibre, angle, text)                                   \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = "typical: " text "; rigidity by Peirce 1930",                        \
        .kind = DR_MATERIAL_CLOTH, .density = rho,                                                                     \
        .youngs_modulus = (warp) / (thick) / (SHARE(weight, thick, rho) * SHARE(weight, thick, rho)),                  \
        .weft_modulus = (weft) / (thick) / (SHARE(weight, thick, rho) * SHARE(weight, thick, rho)),                    \
        .poisson_ratio = 0.2, .thickness = thick, .volume_fraction = SHARE(weight, thick, rho),                        \
        .bending_rigidity = (weight)*981.0 * (length) * (length) * (length), .fibre_diameter = fibre,                  \
        .stress_power = 2, .drag_power = 1.6, .friction_angle = (angle)*DEGREE, .friction = 0.3, NO_WEAVE              \
    }
#define SHARE(weight, thick, rho) ((weight) / ((rho) * (thick)))

#define STUDY(its_name, phi, fibre, pore, text)                                                                        \
    CLOTH(its_name, phi, fibre, pore, 0.018, 1.32, 1.83e7, 0.202, 2.78e4, 10,                                          \
          "Fei et al. 2018, parameter study of figure 5.2, " text)

// Dry contact on the grid. The source's table names no units: metres and seconds fit its steps, its densities are read
// as g/cm3 and its stresses therefore as kPa (1e4 dyn/cm2), which keeps every wave speed. The table's numbers are those
// of the sheet; a material's density and modulus are its fibres', so that a sheet of 0.4 solid has the table's.
#define SHEET_SHARE 0.4
#define CODIM_CLOTH(its_name, rho, young, poisson, gamma, k, angle, nu, text)                                          \
    CODIM(its_name, DR_MATERIAL_CLOTH, (rho) / SHEET_SHARE, (young) / (SHEET_SHARE * SHEET_SHARE), poisson, gamma, k,  \
          angle, nu, text)
#define CODIM(its_name, its_kind, rho, young, poisson, gamma, k, angle, nu, text)                                      \
    {                                                                                                                  \
        .name = its_name, .preset = "",                                                                                \
        .source = "Jiang, Gast, Teran 2017, table 1, " text                                                            \
                  "; densities as g/cm3, stresses as kPa, radius and thickness not given there",                       \
        .kind = its_kind, .density = rho, .youngs_modulus = (young)*1e4, .poisson_ratio = poisson,                     \
        .shear_stiffness = (gamma)*1e4, .stretch_stiffness = (k)*1e4, .friction_angle = (angle)*DEGREE,                \
        .transfer_damping = nu, .friction = 0.3, .radius = 0.05, .thickness = 0.036, .volume_fraction = SHEET_SHARE,   \
        .fibre_diameter = 0.01, .stress_power = 2, .drag_power = 1.6, .capture_ratio = 6, NO_WEAVE                     \
    }

#define HAIR(its_name, rho, r, young, poisson, shear, viscous, mu, ratio, text)                                        \
    {                                                                                                                  \
        .name = its_name, .preset = "", .source = text, .kind = DR_MATERIAL_HAIR, .density = rho, .radius = r,         \
        .youngs_modulus = young, .poisson_ratio = poisson, .shear_modulus_rod = shear, .bending_share = 1,             \
        .damping = viscous, .friction = mu, .capture_ratio = ratio                                                     \
    }

#define TABLE_15_2 "Fei 2019, dissertation table 15.2"

static const dr_material_spec materials[] = {
    {.name = "dust", .preset = "", .source = "a convenient number", .kind = DR_MATERIAL_DUST, .density = 1},

    ELASTIC("jelly", 1.0, 1e5, 0.3, "typical: 10 kPa, lively"),
    ELASTIC("gelatin", 1.02, 3e4, 0.45, "typical: 3 kPa, food gelatin"),
    ELASTIC("rubber", 1.1, 1e7, 0.45, "typical: 1 MPa, soft rubber"),

    LIQUID("water", 1.0, 2.0e10, 0, 0, 8.9e-3, 1.0, 8.9e-3, 72, TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("tetrachloroethylene", 1.622, 3.1e10, 0, 0, 8.9e-3, 1.0, 8.9e-3, 72.8,
           TABLE_15_2 "; surface tension the default of its program"),
    LIQUID("drilling mud", 1.22, 2.0e10, 1.0e3, 16.813, 6.496, 0.5173, 0, 20.6,
           TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("acrylic paint", 0.95, 1.35e9, 4.0e3, 9.6, 173.56, 0.3162, 0, 20.6,
           TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("milk cream", 0.275, 1.09e6, 1.6e4, 1.2e3, 50.0, 0.27, 0, 20.6,
           TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("shaving cream", 0.2, 1.09e6, 2.9e3, 3.19e2, 2.72e2, 0.22, 0, 20.6,
           TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("oyster sauce", 1.207, 2e10, 4.0e3, 26.5, 16.1, 0.62, 0, 72.8,
           TABLE_15_2 "; surface tension the default of its program"),
    LIQUID("milk chocolate", 0.95, 4.28e6, 4.0e3, 3.0e2, 28.0, 0.98, 0, 22.6,
           TABLE_15_2 "; surface tension of its scenes"),
    LIQUID("mud", 1.22, 2.0e10, 1.0e3, 30.6, 1.259, 0.8175, 0, 20.6,
           "Fei et al. 2019, the mud of the released scenes; density of drilling mud"),
    LIQUID("acetaldehyde", 0.7802, 2e10, 0, 0, 2.208e-3, 1, 2.208e-3, 20.594,
           "Fei et al. 2018, parameter study h; bulk modulus of water"),
    LIQUID("olive oil", 0.92, 2e10, 0, 0, 0.81, 1, 0.81, 32,
           "Fei et al. 2018, parameter study i; bulk modulus of water"),
    LIQUID("honey", 1.45, 2e10, 0, 0, 80, 1, 80, 50, "Fei et al. 2018, released scene; bulk modulus of water"),
    LIQUID("light oil", 0.95, 2e10, 0, 0, 8.9e-3, 1, 8.9e-3, 20.6,
           "Fei et al. 2017, the oil of the small hair scenes; bulk modulus of water"),

    STUDY("fabric", 0.4, 0.01, 61.24e-4, "a: the reference fabric"),
    STUDY("fabric thinner fibres", 0.4, 25e-4, 15.31e-4, "b: thinner and more fibres"),
    STUDY("fabric thicker fibres", 0.4, 200e-4, 122.5e-4, "c: thicker and fewer fibres"),
    STUDY("fabric open", 0.09817, 50e-4, 75.77e-4, "d: thinner fibres, larger pores"),
    STUDY("fabric dense", 0.88357, 150e-4, 27.22e-4, "e: thicker fibres, smaller pores"),
    STUDY("fabric fewer fibres", 0.17453, 100e-4, 108.7e-4, "f: fewer fibres, larger pores"),
    STUDY("fabric more fibres", 0.87266, 100e-4, 19.10e-4, "g: more fibres, smaller pores"),
    CLOTH("fabric impermeable", 0.99, 0.001, 0, 0.018, 1.32, 1.83e7, 0.202, 2.78e4, 10,
          "Fei et al. 2018, impermeable cloth; use it with a contact angle of 90 deg"),
    CLOTH("fabric strip", 0.4, 0.01, 61.24e-4, 0.018, 1.32, 1.83e7, 0.202, 2.78e4, 5,
          "Fei et al. 2018, strips of the drag scenes"),
    CLOTH("fabric light", 0.4, 0.01, 61.24e-4, 0.0165, 0.25, 1e5, 0.35, 1e3, 30,
          "Fei et al. 2018, buoyancy: the strip that rises (its others have 1 and 4 g/cm3)"),
    CLOTH("fabric splash", 0.4, 0.01, 61.24e-4, 0.0165, 1.32, 1.83e7, 0.202, 2.78e4, 10,
          "Fei et al. 2018, splash on cloth; friction of the parameter study"),

    FABRIC("cotton", 0.012, 0.03, 1.9, 1.0e7, 5.0e6, 1.54, 15e-4, 17,
           "plain shirting of 120 g/m2, bending length 1.9 cm"),
    FABRIC("silk", 0.006, 0.012, 1.6, 8.0e6, 5.0e6, 1.34, 12e-4, 14, "lining of 60 g/m2, bending length 1.6 cm"),
    FABRIC("wool", 0.025, 0.05, 1.8, 6.0e6, 4.0e6, 1.31, 20e-4, 20, "suiting of 250 g/m2, bending length 1.8 cm"),
    FABRIC("denim", 0.04, 0.08, 3.0, 2.0e7, 1.0e7, 1.54, 15e-4, 20, "jeans of 400 g/m2, bending length 3 cm"),
    FABRIC("terry", 0.04, 0.2, 2.0, 6.0e6, 4.0e6, 1.54, 15e-4, 25, "towel of 400 g/m2, bending length 2 cm"),
    FABRIC("nylon knit", 0.015, 0.05, 1.3, 5.0e5, 3.0e5, 1.14, 20e-4, 14, "jersey of 150 g/m2, bending length 1.3 cm"),

    {.name = "yarn",
     .preset = "",
     .source = "Fei et al. 2018, splash on yarns: radius 0.048 cm; fabric constants of the reference fabric",
     .kind = DR_MATERIAL_YARN,
     .density = 1.32,
     .youngs_modulus = 6.6e7,
     .poisson_ratio = 0.35,
     .radius = 0.048,
     .volume_fraction = 0.4,
     .fibre_diameter = 0.01,
     .pore_radius = 61.24e-4,
     .stress_power = 2,
     .drag_power = 1.6,
     .damping = 1e3,
     .bending_share = 1,
     .friction = 0.3},

    HAIR("hair", 1.32, 0.005, 3.7e10, 0.37, 0, 1e3, 0.16, 6,
         "Fei et al. 2019, hair of the released scenes; damping and capture the defaults of 2017"),
    HAIR("hair default", 1.3, 0.0037, 1e10, 0.3, 3.4e9, 1e3, 0.3, 6, "Fei et al. 2017, defaults of the program"),
    HAIR("hair inertia", 1.3, 0.005, 3.4e9, 0.3, 5.4e7, 1e3, 0.3, 6, "Fei et al. 2017, inertial force and moving drop"),
    HAIR("hair pendulum", 1.32, 0.0037, 1.047e10, 0.3, 5.4e9, 1e3, 0.3, 6, "Fei et al. 2017, slanted pendulum"),
    HAIR("hair coil", 1.32, 0.0037, 3.9e10, 0.3, 3.4e9, 1e8, 0.3, 5, "Fei et al. 2017, coil flow and dripping"),
    HAIR("hair capture", 1.32, 0.0037, 3.9e10, 0.3, 3.4e9, 1e8, 0.3, 7.07, "Fei et al. 2017, capture"),
    HAIR("hair cohesion", 1.3, 0.005, 3.4e9, 0.3, 1.04e9, 1e3, 0.3, 6, "Fei et al. 2017, cohesion of two hairs"),
    HAIR("hair tree", 1.3, 0.005, 1.6e10, 0.3, 5.4e9, 1e3, 0.3, 6, "Fei et al. 2017, coalescence tree after Bico"),
    HAIR("hair drag", 1.3, 0.005, 3.4e9, 0.3, 5.4e7, 1e8, 0.3, 6,
         "Fei et al. 2017, drag; shear modulus of the inertial scene"),
    HAIR("brush", 1.32, 0.0125, 2.98e10, 0.37, 0, 1e3, 0.13, 6, "Fei et al. 2019, splashing the paint"),
    HAIR("noodle", 1.0, 0.056, 1e6, 0.37, 0, 1e3, 0.1, 6, "Fei et al. 2019, soba with oyster sauce"),

    CODIM_CLOTH("cloth curtain", 2, 400, 0.3, 0, 800, 0, 0.8, "cloth curtain (also three curtains)"),
    CODIM_CLOTH("cloth ball", 2, 200, 0.3, 0, 100, 0, 0.7, "cloth and ball"),
    CODIM_CLOTH("cloth twister", 2, 200, 0.3, 0, 400, 0, 0.1, "cloth twister"),
    CODIM_CLOTH("cloth goo", 2, 400, 0.3, 0, 40000, 0, 1.0, "curtain and goo: the curtain"),
    CODIM_CLOTH("cloth slime", 2.5, 15000, 0.35, 0, 20000, 0, 0.85, "cloth and slime: the cloth"),
    CODIM_CLOTH("curtain sand", 2, 400, 0.3, 0, 200000, 0, 0.0, "curtain and sand: the curtain"),
    CODIM_CLOTH("cloth sand", 2, 200, 0.3, 0, 40000, 0, 0.0, "cloth and sand: the cloth"),
    CODIM("knit sweater", DR_MATERIAL_YARN, 4, 500, 0.3, 100, 500, 10, 1.0, "knit sweater"),
    CODIM("knit poncho", DR_MATERIAL_YARN, 4, 500, 0.3, 500, 2000, 40, 1.0, "knit poncho"),
    CODIM("knit twister", DR_MATERIAL_YARN, 4, 500, 0.3, 500, 2000, 40, 1.0, "knit twister"),
    CODIM("knit curtain", DR_MATERIAL_YARN, 4, 500, 0.3, 500, 500, 20, 1.0, "knit curtain"),
    CODIM("knit anisotropy", DR_MATERIAL_YARN, 4, 500, 0.3, 0, 10000, 0, 1.0, "knit anisotropy"),
    CODIM("shag carpet", DR_MATERIAL_YARN, 2, 400, 0.3, 0, 800, 0, 0.8, "shag carpet"),
    CODIM("tearing fiber", DR_MATERIAL_YARN, 4, 100, 0.3, 500, 8000, 40, 0.5, "tearing fiber"),
    CODIM("hair tubes", DR_MATERIAL_HAIR, 1, 60, 0.3, 10, 2000, 15, 0.07, "hair tubes"),

    {.name = "sand",
     .preset = "",
     .source = "Klar et al. 2016 as typical: 353.7 kPa, 2200 kg/m3, friction angle 35 deg",
     .kind = DR_MATERIAL_SAND,
     .density = 2.2,
     .youngs_modulus = 3.537e6,
     .poisson_ratio = 0.3,
     .friction_angle = 35 * DEGREE},
    GOO("goo", 1.0, 5e4, 0.4, 3e2, 0, "a convenient number: soft dough, 30 Pa to make it flow"),
    GOO("slime", 1.0, 5e4, 0.45, 5e1, 2e2, "a convenient number: toy slime, 5 Pa and 20 Pa.s"),
};

#define MATERIALS ((int)(sizeof materials / sizeof *materials))

int dr_material_count(void)
{
    return MATERIALS;
}

const dr_material_spec *dr_material_at(int index)
{
    return index >= 0 && index < MATERIALS ? &materials[index] : NULL;
}

const dr_material_spec *dr_material_find(const char *name)
{
    for (int i = 0; i < MATERIALS; i++) {
        if (strcmp(materials[i].name, name) == 0) return &materials[i];
    }
    return NULL;
}

const char *dr_material_kind_name(int kind)
{
    const dr_table *table = dr_material_table();
    const char *const *names = table->fields[table->kind].choices;
    for (int i = 0; names[i]; i++) {
        if (i == kind) return names[i];
    }
    return "";
}

int dr_material_visit(const dr_material_spec *material,
                      bool (*visit)(void *user, const char *name, const char *value, const char *doc), void *user)
{
    const dr_table *table = dr_material_table();
    int count = 0;
    for (int i = 0; i < table->count; i++) {
        const dr_field *field = &table->fields[i];
        char value[200];
        if (field->type == DR_FIELD_TEXT || field->type == DR_FIELD_OBJECT || !dr_table_has(table, field, material))
            continue;
        dr_field_print(field, material, value, sizeof value);
        count++;
        if (!visit(user, field->name, value, field->doc)) break;
    }
    return count;
}

void dr_material_inherit(dr_material_spec *material, const dr_material_spec *preset)
{
    const char *name = material->name, *own = material->preset;
    *material = *preset;
    material->name = name;
    material->preset = own;
}

const char *dr_scene_nearest_material(const dr_scene *scene, const char *name)
{
    const char *best = NULL;
    size_t length = strlen(name);
    int nearest = (int)(length / 3) + 2;
    for (int i = 0; i < MATERIALS + scene->spec.materials.count; i++) {
        const char *known = i < MATERIALS ? materials[i].name : scene->spec.materials.items[i - MATERIALS].name;
        if (!known) continue;
        int distance = dr_field_distance(name, length, known, strlen(known));
        if (distance >= nearest) continue;
        nearest = distance;
        best = known;
    }
    return best;
}
