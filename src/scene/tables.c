// The tables of everything a scene can say. A parameter exists once: here.
#include "scene/scene.h"

#include "base/number.h"

#include <math.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define BIT(kind)   (1U << (kind))

// One row each; the trailing arguments set what else there is to set.
#define ROW(owner, key, member, kind_of_value, ...)                                                                    \
    {                                                                                                                  \
        .name = key, .type = kind_of_value, .offset = offsetof(owner, member), __VA_ARGS__                             \
    }
#define LIMITS(low, high) .min = (low), .max = (high)
#define UNLIMITED         .min = 1, .max = 0
#define REAL(owner, member, its_unit, standard, low, high, ...)                                                        \
    ROW(owner, #member, member, DR_FIELD_REAL, .unit = its_unit, .fallback = standard, LIMITS(low, high), __VA_ARGS__)
#define VECTOR(owner, member, its_unit, standard, low, high, ...)                                                      \
    ROW(owner, #member, member, DR_FIELD_VECTOR, .unit = its_unit, .fallback = standard, LIMITS(low, high), __VA_ARGS__)
#define INTEGER(owner, member, standard, low, high, ...)                                                               \
    ROW(owner, #member, member, DR_FIELD_INT, .fallback = standard, LIMITS(low, high), __VA_ARGS__)
#define SWITCH(owner, member, standard, ...)                                                                           \
    ROW(owner, #member, member, DR_FIELD_BOOL, .fallback = standard, UNLIMITED, __VA_ARGS__)
#define TEXT(owner, member, standard, ...)                                                                             \
    ROW(owner, #member, member, DR_FIELD_TEXT, .fallback = standard, UNLIMITED, __VA_ARGS__)
#define FILENAME(owner, member, standard, ...)                                                                         \
    ROW(owner, #member, member, DR_FIELD_FILE, .fallback = standard, UNLIMITED, __VA_ARGS__)
#define CHOICE(owner, key, member, names, standard, ...)                                                               \
    ROW(owner, key, member, DR_FIELD_CHOICE, .choices = names, .fallback = standard, UNLIMITED, __VA_ARGS__)
#define OBJECT(owner, member, its_table, standard, ...)                                                                \
    ROW(owner, #member, member, DR_FIELD_OBJECT, .table = &its_table, .fallback = standard, UNLIMITED, __VA_ARGS__)
#define LIST(owner, member, its_table, ...)                                                                            \
    ROW(owner, #member, member, DR_FIELD_LIST, .table = &its_table, .fallback = "[]", UNLIMITED, __VA_ARGS__)

#define TABLE(noun, owner, rows, kind_row, text)                                                                       \
    {                                                                                                                  \
        .name = noun, .doc = text, .size = sizeof(owner), .fields = rows, .count = COUNT(rows), .kind = kind_row       \
    }

// Generous limits that catch slips of units and signs, in cgs.
#define FAR       1e7  // 100 km
#define TINY      1e-6 // 10 nm
#define LONG_TIME 1e7  // four months
#define FAST      1e7  // 100 km/s
#define STIFF     1e14
#define TURNS     1e6

static const char *const axes[] = {"x", "y", "z", NULL};

// ---- shapes

#define S(kind) BIT(DR_SHAPE_##kind)

static const char *const shape_kinds[] = {"none",       "sphere",     "box",    "capsule", "cylinder",
                                          "torus",      "half_space", "mesh",   "union",   "intersection",
                                          "difference", "inside_out", "region", NULL};

static const dr_table shape_table;

static const dr_field shape_rows[] = {
    CHOICE(dr_shape_spec, "type", kind, shape_kinds, "none", .doc = "What shape it is."),
    VECTOR(dr_shape_spec, center, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR,
           .kinds = S(SPHERE) | S(BOX) | S(CAPSULE) | S(CYLINDER) | S(TORUS), .doc = "Its middle."),
    REAL(dr_shape_spec, radius, DR_UNIT_LENGTH, NULL, TINY, FAR,
         .kinds = S(SPHERE) | S(CAPSULE) | S(CYLINDER) | S(TORUS),
         .doc = "Radius; of a torus that of the ring's centre line.",
         .hint = "at least two cells, to be seen by the grid"),
    REAL(dr_shape_spec, tube, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = S(TORUS), .doc = "Radius of the tube.",
         .hint = "smaller than the radius of the ring"),
    VECTOR(dr_shape_spec, size, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = S(BOX), .doc = "Full edge lengths.",
           .hint = "[2 cm, 1 cm, 2 cm] reaches 1 cm to either side of its centre in x and z"),
    REAL(dr_shape_spec, rounding, DR_UNIT_LENGTH, "0 cm", 0, FAR, .kinds = S(BOX),
         .doc = "Radius of edges and corners, within the size.", .hint = "at most half of the shortest edge"),
    REAL(dr_shape_spec, height, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = S(CYLINDER) | S(CAPSULE),
         .doc = "Height; of a capsule between the centres of its caps."),
    CHOICE(dr_shape_spec, "axis", axis, axes, "y", .kinds = S(CYLINDER) | S(CAPSULE) | S(TORUS),
           .doc = "The axis it is round about."),
    VECTOR(dr_shape_spec, point, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = S(HALF_SPACE),
           .doc = "A point of the surface."),
    VECTOR(dr_shape_spec, normal, DR_UNIT_NONE, "[0, 1, 0]", -1e6, 1e6, .kinds = S(HALF_SPACE),
           .doc = "Points out of the solid; any length.", .hint = "[0, 1, 0] makes a floor"),
    FILENAME(dr_shape_spec, file, NULL, .kinds = S(MESH),
             .doc = "Triangle mesh, OBJ or PLY, relative to the scene file."),
    CHOICE(dr_shape_spec, "up", up, axes, "y", .kinds = S(MESH), .doc = "The axis that is up in the file."),
    REAL(dr_shape_spec, unit_length, DR_UNIT_LENGTH, "1 cm", 1e-9, FAR, .kinds = S(MESH),
         .doc = "Length of one unit of the file.", .hint = "1 m for a file in metres, 1 in for one in inches"),
    REAL(dr_shape_spec, shell, DR_UNIT_LENGTH, "0 cm", 0, FAR, .kinds = S(MESH),
         .doc = "Above 0: a shell of that thickness around the surface instead of a solid.",
         .hint = "at least two cells, or the grid cannot see it"),
    TEXT(dr_shape_spec, region, NULL, .kinds = S(REGION), .doc = "Name of one of the scene's regions."),
    LIST(dr_shape_spec, of, shape_table, .kinds = S(UNION) | S(INTERSECTION) | S(DIFFERENCE) | S(INSIDE_OUT),
         .doc = "The shapes it is made of; a difference is the first less all others, inside_out takes one."),
    REAL(dr_shape_spec, scale, DR_UNIT_NONE, "1", 1e-9, 1e9, .doc = "Factor about the origin, before rotate."),
    VECTOR(dr_shape_spec, rotate, DR_UNIT_ANGLE, "[0 rad, 0 rad, 0 rad]", -TURNS, TURNS,
           .doc = "Turns about x, then y, then z, about the origin, before translate.", .hint = "[0, 90 deg, 0]"),
    VECTOR(dr_shape_spec, translate, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .doc = "Shift, last of all."),
};

static const dr_table shape_table = TABLE("shape", dr_shape_spec, shape_rows, 0, "A solid in space.");

// ---- motion

#define M(kind) BIT(DR_MOTION_##kind)

static const char *const eases[] = {"linear", "smooth", "in", "out", "hold", NULL};
static const char *const motion_kinds[] = {"keyframes", "spin", "sine", "path", "sequence", NULL};

static const dr_field key_rows[] = {
    REAL(dr_key_spec, time, DR_UNIT_TIME, NULL, -LONG_TIME, LONG_TIME, .doc = "When the pose is reached."),
    VECTOR(dr_key_spec, translate, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR,
           .doc = "Shift from where the shape stands."),
    VECTOR(dr_key_spec, rotate, DR_UNIT_ANGLE, "[0 rad, 0 rad, 0 rad]", -TURNS, TURNS,
           .doc = "Turns about x, then y, then z through the motion's center."),
    CHOICE(dr_key_spec, "ease", ease, eases, "smooth", .doc = "How the pose moves from this key to the next."),
};
static const dr_table key_table = TABLE("key", dr_key_spec, key_rows, -1, "A pose at a time.");

static const dr_field motion_rows[] = {
    CHOICE(dr_motion_spec, "type", kind, motion_kinds, "keyframes", .doc = "What sort of motion it is."),
    LIST(dr_motion_spec, keys, key_table, .kinds = M(KEYFRAMES), .doc = "Poses at rising times."),
    VECTOR(dr_motion_spec, center, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR,
           .kinds = M(KEYFRAMES) | M(SPIN) | M(SINE), .doc = "What rotations turn about: a point of the axis."),
    VECTOR(dr_motion_spec, axis, DR_UNIT_NONE, "[0, 1, 0]", -1e6, 1e6, .kinds = M(SPIN) | M(SINE),
           .doc = "Axis of rotation, right-handed; any length."),
    REAL(dr_motion_spec, rate, DR_UNIT_ANGULAR_SPEED, NULL, -1e6, 1e6, .kinds = M(SPIN), .doc = "Angular speed.",
         .hint = "120 rpm, 2 rev/s, 90 deg/s"),
    VECTOR(dr_motion_spec, amplitude, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = M(SINE),
           .doc = "Largest shift to either side."),
    REAL(dr_motion_spec, swing, DR_UNIT_ANGLE, "0 rad", -TURNS, TURNS, .kinds = M(SINE),
         .doc = "Largest turn about the axis to either side."),
    REAL(dr_motion_spec, frequency, DR_UNIT_FREQUENCY, NULL, 0, 1e6, .kinds = M(SINE), .doc = "Swings per second."),
    REAL(dr_motion_spec, phase, DR_UNIT_ANGLE, "0 rad", -TURNS, TURNS, .kinds = M(SINE),
         .doc = "Where in its swing the motion starts."),
    REAL(dr_motion_spec, start, DR_UNIT_TIME, "0 s", -LONG_TIME, LONG_TIME, .kinds = M(SPIN) | M(SINE),
         .doc = "Before it the motion stands still."),
    REAL(dr_motion_spec, stop, DR_UNIT_TIME, "never", -LONG_TIME, LONG_TIME, .kinds = M(SPIN) | M(SINE),
         .word = "never", .word_value = DR_UNBOUNDED, .doc = "After it the motion stands still."),
    FILENAME(
        dr_motion_spec, file, NULL, .kinds = M(PATH) | M(SEQUENCE),
        .doc =
            "Path: text lines \"time x y z [qw qx qy qz]\". Sequence: OBJ files (\"wave_####.obj\") or a PC2 cache."),
    REAL(dr_motion_spec, unit_length, DR_UNIT_LENGTH, "1 cm", 1e-9, FAR, .kinds = M(PATH) | M(SEQUENCE),
         .doc = "Length of one unit of the file.", .hint = "1 m for a file in metres"),
    CHOICE(dr_motion_spec, "up", up, axes, "y", .kinds = M(PATH) | M(SEQUENCE),
           .doc = "The axis that is up in the file."),
    REAL(dr_motion_spec, frame_rate, DR_UNIT_FREQUENCY, "scene", 1e-3, 1e6, .word = "scene", .word_value = 0,
         .kinds = M(SEQUENCE), .doc = "Frames per second of the sequence."),
    REAL(dr_motion_spec, first_frame, DR_UNIT_NONE, "1", -1e9, 1e9, .kinds = M(SEQUENCE),
         .doc = "Number of the file that is shown at time 0."),
    SWITCH(dr_motion_spec, loop, "no", .kinds = M(PATH) | M(SEQUENCE), .doc = "Starts again after its end."),
};
static const dr_table motion_table =
    TABLE("motion", dr_motion_spec, motion_rows, 0, "How something moves. Motions of a list act one after the other.");

// ---- schedules

static const dr_field schedule_rows[] = {
    REAL(dr_schedule_spec, start, DR_UNIT_TIME, "always", -LONG_TIME, LONG_TIME, .word = "always",
         .word_value = -DR_UNBOUNDED, .doc = "When it begins."),
    REAL(dr_schedule_spec, stop, DR_UNIT_TIME, "never", -LONG_TIME, LONG_TIME, .word = "never",
         .word_value = DR_UNBOUNDED, .doc = "When it ends."),
    REAL(dr_schedule_spec, ramp, DR_UNIT_TIME, "0 s", 0, LONG_TIME,
         .doc = "Time it takes to blend in and to blend out."),
};
static const dr_table schedule_table = TABLE("schedule", dr_schedule_spec, schedule_rows, -1, "When something acts.");

// ---- materials

static const dr_field rheometer_rows[] = {
    REAL(dr_rheometer_spec, yield_stress, DR_UNIT_PRESSURE, "0 dyn/cm2", 0, STIFF,
         .doc = "Shear stress below which it does not flow."),
    REAL(dr_rheometer_spec, consistency, DR_UNIT_CONSISTENCY, "none", 1e-9, 1e10, .word = "none", .word_value = 0,
         .doc = "Factor of the power law; none: there are no such data."),
    REAL(dr_rheometer_spec, index, DR_UNIT_NONE, "1", 0.01, 3, .doc = "Power of the shear rate."),
};
static const dr_table rheometer_table =
    TABLE("rheometer", dr_rheometer_spec, rheometer_rows, -1,
          "Shear stress over shear rate as a rheometer measures it: yield_stress + consistency rate^index.");

static const dr_field weave_rows[] = {
    REAL(dr_weave_spec, ends, DR_UNIT_PER_LENGTH, "none", 0.1, 1e4, .word = "none", .word_value = 0,
         .doc = "Threads of warp per length of weft; none: the fabric is not given by its threads.",
         .hint = "shirting 34 /cm, denim 27 /cm; 64 /in is an American count"),
    REAL(dr_weave_spec, picks, DR_UNIT_PER_LENGTH, "same", 0.1, 1e4, .word = "same", .word_value = 0,
         .doc = "Threads of weft per length of warp; same: as many as ends."),
    REAL(dr_weave_spec, warp_yarn, DR_UNIT_LINEAR_DENSITY, "none", 1e-9, 1, .word = "none", .word_value = 0,
         .doc = "Mass per length of a thread of warp; none: from warp_radius.",
         .hint = "17 tex, 50 denier; a cotton count of Ne is 590.5/Ne tex"),
    REAL(dr_weave_spec, weft_yarn, DR_UNIT_LINEAR_DENSITY, "same", 1e-9, 1, .word = "same", .word_value = 0,
         .doc = "The same of weft; same: as the warp, or from weft_radius."),
    REAL(dr_weave_spec, warp_radius, DR_UNIT_LENGTH, "derived", TINY, 1, .word = "derived", .word_value = 0,
         .doc = "Radius of a thread of warp; derived: from its mass, the density of the fibres and the packing."),
    REAL(dr_weave_spec, weft_radius, DR_UNIT_LENGTH, "derived", TINY, 1, .word = "derived", .word_value = 0,
         .doc = "The same of weft; derived: from its mass, or as the warp."),
    REAL(dr_weave_spec, packing, DR_UNIT_NONE, "0.6", 0.05, 0.95, .doc = "Share of fibres in a thread.",
         .hint = "spun yarn 0.5 to 0.65, filaments 0.7"),
    REAL(dr_weave_spec, fibre_modulus, DR_UNIT_PRESSURE, "none", 1e3, STIFF, .word = "none", .word_value = 0,
         .doc = "Young's modulus of the fibres.", .hint = "cotton 6 GPa, silk 9 GPa, wool 3 GPa, nylon 3 GPa"),
    REAL(dr_weave_spec, cohesion, DR_UNIT_NONE, "1", 1, 1e4,
         .doc = "Stiffness of a thread against bending over that of fibres that slide freely, of `fibre_diameter`.",
         .hint = "1 soft, 2 to 6 spun yarn in a finished cloth"),
};
static const dr_table weave_table =
    TABLE("weave", dr_weave_spec, weave_rows, -1,
          "A plain weave by its threads: weight, thickness, moduli and rigidities follow.");

#define K(kind) BIT(DR_MATERIAL_##kind)
#define THREAD  (K(YARN) | K(HAIR))
#define FABRIC  (K(CLOTH) | K(YARN))
#define THIN    (K(CLOTH) | K(YARN) | K(HAIR))
#define FLOWING (K(SAND) | K(GOO))

static const char *const material_kinds[] = {"dust", "elastic", "liquid", "cloth", "yarn", "hair", "sand", "goo", NULL};

enum { MATERIAL_KIND_ROW = 3 };

static const dr_field material_rows[] = {
    TEXT(dr_material_spec, name, NULL, .doc = "What bodies and emitters call it."),
    TEXT(dr_material_spec, preset, "", .neutral = true,
         .doc = "A built-in material, or an earlier one of the scene, that supplies what is not written."),
    TEXT(dr_material_spec, source, "", .neutral = true, .doc = "Where the numbers come from."),
    CHOICE(dr_material_spec, "kind", kind, material_kinds, "dust",
           .doc = "What sort of matter it is; a preset supplies it."),
    REAL(dr_material_spec, density, DR_UNIT_DENSITY, NULL, 1e-6, 100,
         .doc = "Mass per volume of the solid or liquid itself.",
         .hint = "water 1 g/cm3, hair and cotton about 1.3 g/cm3"),
    REAL(dr_material_spec, youngs_modulus, DR_UNIT_PRESSURE, NULL, 1e-3, STIFF, .kinds = K(ELASTIC) | THIN | FLOWING,
         .doc = "Young's modulus.", .hint = "jelly 10 kPa, rubber 1 MPa, hair 4 GPa"),
    REAL(dr_material_spec, poisson_ratio, DR_UNIT_NONE, "0.3", -0.99, 0.4999, .kinds = K(ELASTIC) | THIN | FLOWING,
         .doc = "Poisson's ratio.", .hint = "0.3 compressible, 0.45 nearly keeps its volume"),
    REAL(dr_material_spec, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0, 1e10, .kinds = K(LIQUID) | K(GOO),
         .doc = "Newtonian shear viscosity; of goo beyond its yield stress.", .hint = "water 0.89 mPa.s, honey 8 Pa.s"),
    REAL(dr_material_spec, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 0, 1e6, .kinds = K(LIQUID),
         .doc = "Surface tension against air.", .hint = "water 72 mN/m, oil about 20 mN/m"),
    REAL(dr_material_spec, contact_angle, DR_UNIT_ANGLE, "60 deg", 0, DR_PI, .kinds = K(LIQUID),
         .doc = "Contact angle at rest, on fibres.", .hint = "0 deg wets, 90 deg does not"),
    REAL(dr_material_spec, bulk_modulus, DR_UNIT_PRESSURE, "2e10 dyn/cm2", 1, STIFF, .kinds = K(LIQUID),
         .doc = "Resistance to compression.", .hint = "water 2 GPa, foams about 100 kPa"),
    REAL(dr_material_spec, shear_modulus, DR_UNIT_PRESSURE, "0 dyn/cm2", 0, STIFF, .kinds = K(LIQUID),
         .doc = "Elastic shear below the yield stress; 0 for a Newtonian liquid."),
    REAL(dr_material_spec, yield_stress, DR_UNIT_PRESSURE, "0 dyn/cm2", 0, STIFF, .kinds = K(LIQUID) | K(GOO),
         .doc = "Von Mises stress below which it does not flow; of a liquid that of Herschel-Bulkley.",
         .hint = "shaving cream 32 Pa"),
    REAL(dr_material_spec, consistency, DR_UNIT_CONSISTENCY, "8.9e-3 P", 0, 1e10, .kinds = K(LIQUID),
         .doc = "Herschel-Bulkley: factor of the power law, the model's own (von Mises) parameter."),
    REAL(dr_material_spec, flow_index, DR_UNIT_NONE, "1", 0.01, 3, .kinds = K(LIQUID),
         .doc = "Herschel-Bulkley: power of the shear rate; below 1 shear thins.", .hint = "paint 0.3, water 1"),
    OBJECT(dr_material_spec, rheometer, rheometer_table, "", .kinds = K(LIQUID),
           .doc = "Shear data in place of yield_stress, consistency and flow_index."),
    REAL(dr_material_spec, tear_strain, DR_UNIT_NONE, "217.5", 0.1, 1e9, .word = "never", .word_value = 0,
         .kinds = K(LIQUID),
         .doc = "Plastic strain from which on a thick liquid does not resist being pulled any more.",
         .hint = "10 for cream that breaks off"),
    REAL(dr_material_spec, recovery_time, DR_UNIT_TIME, "0.35 s", 1e-6, LONG_TIME, .kinds = K(LIQUID),
         .doc = "Time in which a thick liquid forgets plastic strain."),
    REAL(dr_material_spec, radius, DR_UNIT_LENGTH, NULL, TINY, 100, .kinds = THREAD,
         .doc = "Radius of the hair, strand or yarn.", .hint = "hair 35 um, yarn 0.5 mm"),
    REAL(dr_material_spec, thickness, DR_UNIT_LENGTH, NULL, TINY, 10, .kinds = K(CLOTH),
         .doc = "Thickness of the cloth.",
         .hint = "a terry towel is about 0.03 cm; lengths are in cm unless a unit is written (\"0.3 mm\")"),
    REAL(dr_material_spec, volume_fraction, DR_UNIT_NONE, "0.4", 0.02, 0.99, .kinds = FABRIC,
         .doc = "Solid share of the dry fabric.", .hint = "0.4 ordinary, 0.99 lets nothing through"),
    REAL(dr_material_spec, fibre_diameter, DR_UNIT_LENGTH, "100 um", TINY, 1, .kinds = FABRIC,
         .doc = "Diameter of the single fibre. Of a `weave`; of wet fabric: without effect so far.",
         .hint = "25 um to 200 um"),
    REAL(dr_material_spec, pore_radius, DR_UNIT_LENGTH, "derived", TINY, 10, .word = "derived", .word_value = 0,
         .kinds = FABRIC,
         .doc =
             "Radius of the capillary tubes between fibres; derived: from fibre diameter and volume fraction. Of wet "
             "fabric: without effect so far."),
    REAL(dr_material_spec, stress_power, DR_UNIT_NONE, "2", 1, 3, .kinds = FABRIC,
         .doc = "Power of the volume fraction in the effective stress."),
    REAL(dr_material_spec, drag_power, DR_UNIT_NONE, "1.6", 1, 2, .kinds = FABRIC,
         .doc = "Power of the speed in the inertial drag. Of wet fabric: without effect so far."),
    REAL(dr_material_spec, shear_modulus_rod, DR_UNIT_PRESSURE, "derived", 1e-3, STIFF, .word = "derived",
         .word_value = 0, .kinds = THREAD,
         .doc = "Shear modulus against twist; derived: from Young's modulus and Poisson's ratio."),
    REAL(dr_material_spec, bending_share, DR_UNIT_NONE, "1", 0, 1, .kinds = THREAD,
         .doc = "Stiffness against bending and twist over that of a solid rod of this radius: fibres of a yarn slide.",
         .hint = "1 hair; n fibres that slide freely and fill the share phi of a yarn: phi^2 / n; 0: none"),
    REAL(dr_material_spec, damping, DR_UNIT_VISCOSITY, "0 P", 0, STIFF, .kinds = THIN,
         .doc = "Viscosity of the material itself."),
    REAL(dr_material_spec, stretch_stiffness, DR_UNIT_PRESSURE, "0 dyn/cm2", 0, STIFF, .kinds = THIN,
         .doc = "Contact on the grid: along a fibre, across a cloth; 0: from Young's modulus."),
    REAL(dr_material_spec, shear_stiffness, DR_UNIT_PRESSURE, "0 dyn/cm2", 0, STIFF, .kinds = THIN,
         .doc = "Contact on the grid: shear between layers; 0: from Young's modulus, where there is friction."),
    REAL(dr_material_spec, transfer_damping, DR_UNIT_NONE, "0", 0, 1, .kinds = THIN,
         .doc = "Contact on the grid: damping of the affine velocity, 0 none to 1 rigid."),
    REAL(dr_material_spec, friction_angle, DR_UNIT_ANGLE, "0 deg", 0, 1.5, .kinds = THIN | K(SAND),
         .doc = "Friction angle of layers or grains against each other.", .hint = "sand 35 deg, knit 10 deg to 40 deg"),
    REAL(dr_material_spec, friction, DR_UNIT_NONE, "0.3", 0, 10, .kinds = THIN,
         .doc = "Coulomb coefficient; between strands, and with a collider, the root of the product of both acts.",
         .hint = "hair 0.16 to 0.3"),
    REAL(dr_material_spec, weft_modulus, DR_UNIT_PRESSURE, "same", 1e-3, STIFF, .word = "same", .word_value = 0,
         .kinds = K(CLOTH), .doc = "Young's modulus along the weft; same: as along the warp."),
    REAL(dr_material_spec, bending_rigidity, DR_UNIT_NONE, "plate", 1e-12, STIFF, .word = "plate", .word_value = 0,
         .kinds = K(CLOTH),
         .doc = "Moment per width and curvature, dyn cm; plate: as Young's modulus, Poisson's ratio and thickness say.",
         .hint = "threads slide: cotton 50, silk 20, denim 500, far less than a plate would have"),
    REAL(dr_material_spec, weft_rigidity, DR_UNIT_NONE, "same", 1e-12, STIFF, .word = "same", .word_value = 0,
         .kinds = K(CLOTH), .doc = "The same along the weft; same: in the ratio of the moduli."),
    OBJECT(dr_material_spec, weave, weave_table, "", .kinds = K(CLOTH),
           .doc = "Threads, in place of thickness, volume_fraction, youngs_modulus, weft_modulus, bending_rigidity and "
                  "weft_rigidity; density is that of the fibres."),
    REAL(dr_material_spec, capture_ratio, DR_UNIT_NONE, "6", 1, 1000, .kinds = K(HAIR),
         .doc = "Largest wet radius over dry radius a strand takes up by capture."),
};
static const dr_table material_table = TABLE("material", dr_material_spec, material_rows, MATERIAL_KIND_ROW,
                                             "What matter is made of; bodies and emitters name it.");

// ---- what is in the scene

static const dr_field region_rows[] = {
    TEXT(dr_region_spec, name, NULL, .doc = "What shapes of type region call it."),
    OBJECT(dr_region_spec, shape, shape_table, NULL, .doc = "Where it is."),
};
static const dr_table region_table =
    TABLE("region", dr_region_spec, region_rows, -1, "A named shape that other shapes can refer to.");

static const dr_field body_rows[] = {
    TEXT(dr_body_spec, name, "", .doc = "For messages, results and --set."),
    TEXT(dr_body_spec, material, NULL, .doc = "A built-in material or one of the scene's.",
         .hint = "`drench materials` lists the built-in ones"),
    OBJECT(dr_body_spec, shape, shape_table, NULL, .doc = "What is filled with particles at the beginning."),
    VECTOR(dr_body_spec, velocity, DR_UNIT_SPEED, "[0 cm/s, 0 cm/s, 0 cm/s]", -FAST, FAST,
           .doc = "Velocity at the beginning."),
    VECTOR(dr_body_spec, spin, DR_UNIT_ANGULAR_SPEED, "[0 rad/s, 0 rad/s, 0 rad/s]", -1e6, 1e6,
           .doc = "Angular velocity at the beginning, about the middle of the shape's box."),
    INTEGER(dr_body_spec, particles_per_cell, "8", 1, 64, .doc = "How densely it is filled.",
            .hint = "8 is two per direction"),
    REAL(dr_body_spec, jitter, DR_UNIT_NONE, "0.5", 0.0, 0.5,
         .doc = "How far particles of liquid begin from the places of a lattice at most, in its spacings."),
};
static const dr_table body_table =
    TABLE("body", dr_body_spec, body_rows, -1, "Matter that is there from the beginning.");

// ---- what is held

static const char *const cloth_edges[] = {"none", "left", "right", "bottom", "top", "boundary", NULL};

static const dr_field group_rows[] = {
    TEXT(dr_group_spec, name, NULL, .doc = "What holds call it."),
    TEXT(dr_group_spec, vertices, "",
         .doc = "Vertices by number, counted from 1 as in the file; of made cloth and of strands as frames have them, "
                "one layer, curve after curve.",
         .hint = "\"1-20, 35\""),
    TEXT(dr_group_spec, file_group, "",
         .doc = "Of a cloth from an OBJ file: the corners of the faces that the file has under this name, `g name`."),
    OBJECT(dr_group_spec, within, shape_table, "", .doc = "Vertices inside this shape, as they are drawn."),
    CHOICE(dr_group_spec, "edge", edge, cloth_edges, "none", .doc = "Of a cloth: vertices of this edge, as in holds."),
    REAL(dr_group_spec, depth, DR_UNIT_LENGTH, "0 cm", 0, FAR, .doc = "And those so far from the edge."),
};
static const dr_table group_table =
    TABLE("group", dr_group_spec, group_rows, -1, "Vertices under a name: all that any of its keys names.");

static const dr_field hold_rows[] = {
    TEXT(dr_hold_spec, name, "", .doc = "For messages and --set."),
    TEXT(dr_hold_spec, group, "", .doc = "Vertices of this one of the `groups`."),
    CHOICE(dr_hold_spec, "edge", edge, cloth_edges, "none",
           .doc = "Of a cloth: vertices of this edge; left and right are the ends of the width, bottom and top those "
                  "of the depth, "
                  "boundary is every edge."),
    REAL(dr_hold_spec, depth, DR_UNIT_LENGTH, "0 cm", 0, FAR,
         .doc = "And those so far from the edge: triangles that are held by all their corners are a clamp."),
    OBJECT(dr_hold_spec, within, shape_table, "", .doc = "Vertices inside this shape, as they are drawn."),
    TEXT(dr_hold_spec, bound_to, "",
         .doc = "A collider that they move along with; they are drawn on its shape as `shape` describes it."),
    LIST(dr_hold_spec, motion, motion_table, .doc = "How they move from where they are drawn."),
    REAL(dr_hold_spec, until, DR_UNIT_TIME, "never", -LONG_TIME, LONG_TIME, .word = "never", .word_value = DR_UNBOUNDED,
         .doc = "When they are let go."),
};
static const dr_table hold_table =
    TABLE("hold", dr_hold_spec, hold_rows, -1,
          "Vertices of a cloth or of strands that are held; those that two holds name belong to the first.");

// ---- strands

#define G(kind) BIT(DR_STRANDS_##kind)
#define HAIRY   (G(TUFT) | G(MAT) | G(BALL) | G(CYLINDER))
#define PATCH   (G(WEAVE) | G(KNIT))
#define RULED   (HAIRY | PATCH)
#define MOMENT  1e20

static const char *const strands_kinds[] = {"file", "line",     "arc",   "tuft", "mat",
                                            "ball", "cylinder", "weave", "knit", NULL};
static const char *const holds[] = {"free", "pinned", "clamped", NULL};
static const char *const rests[] = {"drawn", "straight", "curly", NULL};
static const char *const film_drips[] = {"all", "tips", "none", NULL};
static const char *const film_drops[] = {"auto", "liquid", "drained", NULL};
static const char *const contact_kinds[] = {"cone", "penalty", "none", "grid", NULL};
static const char *const integrators[] = {"tr_bdf2", "euler", NULL};

enum { STRANDS_KIND_ROW = 2 };

static const dr_field film_point_rows[] = {
    REAL(dr_film_point_spec, at, DR_UNIT_NONE, NULL, 0, 1, .doc = "Share of the length from the root."),
    REAL(dr_film_point_spec, height, DR_UNIT_LENGTH, NULL, 0, 100, .doc = "Of the film there."),
};
static const dr_table film_point_table =
    TABLE("film point", dr_film_point_spec, film_point_rows, -1, "Height of a film at a place along a strand.");

static const dr_field strands_rows[] = {
    TEXT(dr_strands_spec, name, "", .doc = "For messages, results and --set."),
    TEXT(dr_strands_spec, material, NULL, .doc = "A hair or yarn, built-in or one of the scene's.",
         .hint = "`drench materials` lists the built-in ones"),
    CHOICE(dr_strands_spec, "type", kind, strands_kinds, "file", .doc = "Where their shape comes from."),
    FILENAME(dr_strands_spec, file, NULL, .kinds = G(FILE),
             .doc = "Curves: lines of OBJ or PLY, .hair, .bcc; relative to the scene file."),
    REAL(dr_strands_spec, unit_length, DR_UNIT_LENGTH, "1 cm", 1e-9, FAR, .kinds = G(FILE),
         .doc = "Length of one unit of the file.", .hint = "1 m for a file in metres"),
    CHOICE(dr_strands_spec, "up", up, axes, "y", .kinds = G(FILE), .doc = "The axis that is up in the file."),
    SWITCH(dr_strands_spec, file_radius, "no", .kinds = G(FILE),
           .doc = "Radii are those of the file, where it has any."),
    VECTOR(dr_strands_spec, start, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = G(LINE),
           .doc = "The root."),
    VECTOR(dr_strands_spec, end, DR_UNIT_LENGTH, NULL, -FAR, FAR, .kinds = G(LINE), .doc = "The tip."),
    VECTOR(dr_strands_spec, center, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = RULED | G(ARC),
           .doc = "Middle of the roots, of the patch or of the arc's circle."),
    VECTOR(dr_strands_spec, axis, DR_UNIT_NONE, "[0, 1, 0]", -1e6, 1e6, .kinds = RULED | G(ARC),
           .doc = "Where hair grows to, or what patch, circle and cylinder lie around; any length."),
    REAL(dr_strands_spec, root_radius, DR_UNIT_LENGTH, NULL, TINY, FAR,
         .kinds = G(TUFT) | G(BALL) | G(CYLINDER) | G(ARC),
         .doc = "Radius of the disc, ball or cylinder that roots lie on, or of the arc."),
    REAL(dr_strands_spec, width, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = G(MAT) | PATCH,
         .doc = "Of the mat or patch."),
    REAL(dr_strands_spec, depth, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = G(MAT) | PATCH | G(CYLINDER),
         .doc = "Of the mat or patch the other way; of a cylinder its height."),
    REAL(dr_strands_spec, spread, DR_UNIT_ANGLE, "0 rad", 0, 1.5707963267948966, .kinds = G(TUFT),
         .doc = "How far the outermost hairs lean out."),
    REAL(dr_strands_spec, sweep, DR_UNIT_ANGLE, "360 deg", 1e-6, TURNS, .kinds = G(ARC),
         .doc = "How far the arc goes."),
    REAL(dr_strands_spec, rise, DR_UNIT_LENGTH, "0 cm", -FAR, FAR, .kinds = G(ARC),
         .doc = "How far it climbs along its axis in a turn: a helix."),
    INTEGER(dr_strands_spec, count, "100", 1, 1e7, .kinds = HAIRY, .doc = "How many strands."),
    INTEGER(dr_strands_spec, vertices, "20", 3, 100000, .kinds = RULED | G(LINE) | G(ARC),
            .doc = "Of each strand; of yarn between two crossings, or in one loop."),
    REAL(dr_strands_spec, length, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = HAIRY, .doc = "Of a hair, along it."),
    REAL(dr_strands_spec, curl_radius, DR_UNIT_LENGTH, "0 cm", 0, FAR, .kinds = HAIRY,
         .doc = "Hair is drawn as helices of this radius; 0: straight."),
    REAL(dr_strands_spec, curl_length, DR_UNIT_LENGTH, "1 cm", TINY, FAR, .kinds = HAIRY,
         .doc = "Length of the helix's axis per turn."),
    REAL(dr_strands_spec, variation, DR_UNIT_NONE, "0", 0, 1, .kinds = RULED,
         .doc = "Seeded variation of length, direction, phase and place: 0 all alike to 1."),
    REAL(dr_strands_spec, spacing, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = PATCH,
         .doc = "From yarn to yarn, or of a loop."),
    REAL(dr_strands_spec, amplitude, DR_UNIT_LENGTH, "0 cm", 0, FAR, .kinds = PATCH,
         .doc = "How far yarns go out of their plane.", .hint = "the radius of the yarn and a little more"),
    SWITCH(dr_strands_spec, woven, "yes", .kinds = G(WEAVE),
           .doc = "Yarns pass over and under each other; otherwise those of one side lie on those of the other."),
    INTEGER(dr_strands_spec, yarn_vertices, "0", 0, 100000, .kinds = G(WEAVE),
            .doc = "Of each yarn as a whole, in place of `vertices`; 0: as many as its crossings ask for."),
    INTEGER(dr_strands_spec, rib, "0", 0, 1000, .kinds = G(KNIT),
            .doc = "So many wales of knit and as many of purl in turn: 1 is the common rib; 0: stockinette."),
    SWITCH(dr_strands_spec, round, "no", .kinds = G(KNIT),
           .doc = "Knitted in the round: one yarn climbs about the axis as a tube, whose girth is the width."),
    VECTOR(dr_strands_spec, rotate, DR_UNIT_ANGLE, "[0 rad, 0 rad, 0 rad]", -TURNS, TURNS,
           .doc = "Turns about x, then y, then z, about the origin, before translate."),
    VECTOR(dr_strands_spec, translate, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .doc = "Shift, last of all."),
    REAL(dr_strands_spec, radius, DR_UNIT_LENGTH, "material", TINY, 100, .word = "material", .word_value = 0,
         .doc = "Radius; of an ellipse the semi-axis along `flat`."),
    REAL(dr_strands_spec, radius_across, DR_UNIT_LENGTH, "same", TINY, 100, .word = "same", .word_value = 0,
         .doc = "The other semi-axis of an elliptical section."),
    REAL(dr_strands_spec, taper, DR_UNIT_NONE, "1", 1e-3, 1, .doc = "Radius at the tip over radius at the root."),
    VECTOR(dr_strands_spec, flat, DR_UNIT_NONE, "[0, 0, 0]", -1e6, 1e6,
           .doc = "Where the first semi-axis points at the root, as nearly as it can; zero: anywhere."),
    CHOICE(dr_strands_spec, "rest", rest, rests, "drawn", .doc = "The shape they have without forces."),
    REAL(dr_strands_spec, rest_curl_radius, DR_UNIT_LENGTH, "1 cm", TINY, FAR,
         .doc = "Rest curly: radius of the helix."),
    REAL(dr_strands_spec, rest_curl_length, DR_UNIT_LENGTH, "0 cm", 0, FAR,
         .doc = "Rest curly: length of the helix's axis per turn; 0: a circle."),
    SWITCH(dr_strands_spec, sag_free, "no",
           .doc = "The shape as drawn is the equilibrium under gravity: the rest shape is found for it.",
           .hint = "wants clamped roots and free tips"),
    CHOICE(dr_strands_spec, "root", root, holds, "clamped",
           .doc = "Pinned holds the place of the end, clamped its direction and turn too."),
    CHOICE(dr_strands_spec, "tip", tip, holds, "free", .doc = "As root."),
    TEXT(dr_strands_spec, bound_to, "",
         .doc = "A collider that held roots move along with, deforming ones too; strands are drawn on its shape as "
                "`shape` describes it and begin where its motion has it."),
    TEXT(
        dr_strands_spec, sewn_to, "",
        .doc =
            "Contact grid: other strands of contact grid that they are sewn to, or a cloth. To strands a thread of "
            "their own radius and material leads from each of their vertices to the nearest of the others within "
            "`sewn_within`; where they come that near to a vertex of a cloth theirs is put onto it, and both are one."),
    REAL(dr_strands_spec, sewn_within, DR_UNIT_LENGTH, "1 cm", TINY, FAR,
         .doc = "How far apart vertices may be that are sewn together; those of strands nearer than a quarter of it "
                "are not."),
    LIST(dr_strands_spec, root_motion, motion_table,
         .doc = "How held roots move from where they are drawn, as `motion` moves a collider from where its shape is."),
    LIST(dr_strands_spec, tip_motion, motion_table, .doc = "How held tips move, likewise."),
    REAL(dr_strands_spec, root_until, DR_UNIT_TIME, "never", -LONG_TIME, LONG_TIME, .word = "never",
         .word_value = DR_UNBOUNDED,
         .doc = "When held roots are let go: they are free in steps that begin then or later."),
    REAL(dr_strands_spec, tip_until, DR_UNIT_TIME, "never", -LONG_TIME, LONG_TIME, .word = "never",
         .word_value = DR_UNBOUNDED, .doc = "When held tips are let go, likewise."),
    LIST(dr_strands_spec, groups, group_table, .doc = "Vertices under names, for holds."),
    LIST(dr_strands_spec, holds, hold_table,
         .doc = "Vertices that are held besides roots and tips: their places, not how edges turn."),
    VECTOR(dr_strands_spec, velocity, DR_UNIT_SPEED, "[0 cm/s, 0 cm/s, 0 cm/s]", -FAST, FAST,
           .doc = "Velocity at the beginning."),
    REAL(dr_strands_spec, twist, DR_UNIT_ANGLE, "0 rad", -TURNS, TURNS,
         .doc = "Twist from root to tip at the beginning, beyond that of the rest shape."),
    REAL(dr_strands_spec, disturb, DR_UNIT_LENGTH, "0 cm", 0, FAR,
         .doc = "Vertices that are not held begin displaced by up to so much, at random."),
    VECTOR(dr_strands_spec, tip_force, DR_UNIT_FORCE, "[0 dyn, 0 dyn, 0 dyn]", -MOMENT, MOMENT,
           .doc = "Pulls at every tip."),
    VECTOR(dr_strands_spec, tip_moment, DR_UNIT_NONE, "[0, 0, 0]", -MOMENT, MOMENT,
           .doc = "Moment on the last edge of every strand, dyn cm."),
    REAL(dr_strands_spec, yield_strain, DR_UNIT_NONE, "never", 1e-9, 10, .word = "never", .word_value = 0,
         .doc = "Strain of the outermost fibre beyond which the rest shape creeps after the shape."),
    REAL(dr_strands_spec, yield_rate, DR_UNIT_FREQUENCY, "10 Hz", 0, 1e9, .doc = "How fast it creeps."),
    REAL(dr_strands_spec, film_height, DR_UNIT_LENGTH, "0 cm", 0, 100,
         .doc = "Height of the liquid on them at the beginning."),
    REAL(dr_strands_spec, film_from, DR_UNIT_NONE, "0", 0, 1,
         .doc = "Where that liquid begins, as a share of their length from the root."),
    REAL(dr_strands_spec, film_to, DR_UNIT_NONE, "1", 0, 1, .doc = "Where it ends."),
    REAL(dr_strands_spec, film_ripple, DR_UNIT_NONE, "0", -1, 1,
         .doc = "Its height varies along them as a cosine, by this share of itself."),
    REAL(dr_strands_spec, film_ripple_length, DR_UNIT_LENGTH, "1 cm", TINY, FAR, .doc = "Wave length of that."),
    LIST(dr_strands_spec, film_profile, film_point_table,
         .doc = "In place of film_height: heights at rising shares of their length, linear between."),
    TEXT(dr_strands_spec, film_material, "auto",
         .doc = "The liquid on them; auto: that of the first body or emitter of liquid, or water where there is none."),
    REAL(dr_strands_spec, film_slip, DR_UNIT_LENGTH, "0 cm", 0, 1,
         .doc = "Slip length of that liquid on them: 0 sticks to the surface."),
    REAL(dr_strands_spec, film_capture, DR_UNIT_LENGTH, "material", 0, 1, .word = "material",
         .word_value = DR_FILM_CAPTURE_MATERIAL,
         .doc = "Height of the film that they take along where they pass the surface of a liquid; 0: none; material: "
                "until they are capture_ratio times as wide as dry hair. Film that is submerged goes back to the "
                "liquid."),
    SWITCH(dr_strands_spec, film_flow, "yes", .doc = "The liquid on them flows; otherwise it stays where it is."),
    SWITCH(dr_strands_spec, film_elastic, "yes",
           .doc = "Thick liquid on them is elastic along them up to its yield stress; no is for comparison."),
    SWITCH(dr_strands_spec, film_beads, "yes",
           .doc = "The surface of the liquid pulls together around them, so that films gather into beads."),
    SWITCH(dr_strands_spec, film_transport, "yes",
           .doc = "Liquid that flows along them carries their momentum with it; no is for comparison."),
    CHOICE(dr_strands_spec, "film_drips", film_drips, film_drips, "all",
           .doc = "Where drops leave: all along them and from free tips, from free tips alone, nowhere."),
    CHOICE(dr_strands_spec, "film_drops", film_drops, film_drops, "auto",
           .doc =
               "What drops become: liquid, or they are gone and counted as drained; auto: liquid where the scene has "
               "any."),
    CHOICE(dr_strands_spec, "contact", contact, contact_kinds, "cone",
           .doc = "How they meet each other and colliders: Coulomb's cone, springs, or on the grid, where they meet "
                  "cloth and bodies too; those of cone and penalty pass through cloth, of which a run tells."),
    CHOICE(dr_strands_spec, "integrator", integrator, integrators, "tr_bdf2",
           .doc = "How they step in time: tr_bdf2 is of second order and keeps swings and spins, euler damps them; "
                  "strands that contact acts on step by euler either way."),
};
static const dr_table strands_table =
    TABLE("strands", dr_strands_spec, strands_rows, STRANDS_KIND_ROW, "Hair, yarn, bristles: elastic rods.");

// ---- cloths

#define C(kind) BIT(DR_CLOTH_##kind)
#define MADE    (C(RECTANGLE) | C(DISC) | C(TUBE))

static const char *const cloth_kinds[] = {"file", "rectangle", "disc", "tube", NULL};
static const char *const cloth_rests[] = {"drawn", "texture", NULL};
static const char *const bendings[] = {"plate", "hinges", "none", NULL};
static const char *const patterns[] = {"equilateral", "union_jack", "one_diagonal", "crossed", "diamonds", NULL};

enum { CLOTH_KIND_ROW = 2 };

static const dr_field cloth_rows[] = {
    TEXT(dr_cloth_spec, name, "", .doc = "For messages, results and --set."),
    TEXT(dr_cloth_spec, material, NULL, .doc = "A cloth, built-in or one of the scene's.",
         .hint = "`drench materials` lists the built-in ones"),
    CHOICE(dr_cloth_spec, "type", kind, cloth_kinds, "file", .doc = "Where its shape comes from."),
    FILENAME(dr_cloth_spec, file, NULL, .kinds = C(FILE),
             .doc = "Triangle mesh, OBJ or PLY, relative to the scene file; its vertices keep their order."),
    REAL(dr_cloth_spec, unit_length, DR_UNIT_LENGTH, "1 cm", 1e-9, FAR, .kinds = C(FILE),
         .doc = "Length of one unit of the file.", .hint = "1 m for a file in metres"),
    CHOICE(dr_cloth_spec, "up", up, axes, "y", .kinds = C(FILE), .doc = "The axis that is up in the file."),
    VECTOR(dr_cloth_spec, warp, DR_UNIT_NONE, "[1, 0, 0]", -1e6, 1e6, .kinds = C(FILE),
           .doc = "Rest drawn: direction of the warp, as nearly as a triangle lies; that of made cloth is its width."),
    CHOICE(dr_cloth_spec, "rest", rest, cloth_rests, "drawn", .kinds = C(FILE),
           .doc =
               "Its shape without forces: as drawn, or that of the texture coordinates u and v of the file, as panels "
               "of a garment are cut: flat, the warp along u and the weft along v. A vertex of a seam may have "
               "several."),
    REAL(dr_cloth_spec, texture_length, DR_UNIT_LENGTH, "area", 1e-9, FAR, .word = "area", .word_value = 0,
         .kinds = C(FILE),
         .doc = "Rest texture: length of one unit of u and v; area: such that the cloth has the area that it is drawn "
                "with."),
    VECTOR(dr_cloth_spec, center, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = MADE, .doc = "Its middle."),
    VECTOR(dr_cloth_spec, axis, DR_UNIT_NONE, "[0, 1, 0]", -1e6, 1e6, .kinds = MADE,
           .doc = "What a rectangle or disc lies across and a tube goes along; any length.",
           .hint = "[0, 0, 1] makes a curtain, with its depth up"),
    REAL(dr_cloth_spec, width, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = C(RECTANGLE),
         .doc = "Along x, as nearly as the axis lets it."),
    REAL(dr_cloth_spec, depth, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = C(RECTANGLE) | C(TUBE),
         .doc = "The other way; of a tube along its axis."),
    REAL(dr_cloth_spec, radius, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = C(DISC) | C(TUBE), .doc = "Of disc or tube."),
    CHOICE(dr_cloth_spec, "pattern", pattern, patterns, "equilateral", .kinds = C(RECTANGLE) | C(TUBE),
           .doc = "How it is cut into triangles; crossed: squares by both diagonals, a union jack turned by 45 "
                  "degrees; diamonds: "
                  "squares on a corner, one diagonal turned by 45 degrees."),
    REAL(dr_cloth_spec, edge, DR_UNIT_LENGTH, "cell", TINY, FAR, .word = "cell", .word_value = 0, .kinds = MADE,
         .doc = "Length of the triangles' edges, about; cell: as long as a cell.",
         .hint = "at most a cell, or layers pass through each other"),
    INTEGER(dr_cloth_spec, layers, "1", 1, 100000, .doc = "A stack of so many, along its axis or, of a file, up."),
    REAL(dr_cloth_spec, spacing, DR_UNIT_LENGTH, "cell", TINY, FAR, .word = "cell", .word_value = 0,
         .doc = "From layer to layer; cell: as much as a cell."),
    REAL(dr_cloth_spec, thickness, DR_UNIT_LENGTH, "material", TINY, 10, .word = "material", .word_value = 0,
         .doc = "Thickness."),
    CHOICE(dr_cloth_spec, "bending", bending, bendings, "plate",
           .doc = "How it resists bending: as a plate on any mesh, at each edge by itself, or not at all."),
    VECTOR(dr_cloth_spec, rotate, DR_UNIT_ANGLE, "[0 rad, 0 rad, 0 rad]", -TURNS, TURNS,
           .doc = "Turns about x, then y, then z, about the origin, before translate."),
    VECTOR(dr_cloth_spec, translate, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .doc = "Shift, last of all."),
    VECTOR(dr_cloth_spec, velocity, DR_UNIT_SPEED, "[0 cm/s, 0 cm/s, 0 cm/s]", -FAST, FAST,
           .doc = "Velocity at the beginning."),
    REAL(dr_cloth_spec, disturb, DR_UNIT_LENGTH, "0 cm", 0, FAR,
         .doc = "Vertices that are not held begin displaced by up to so much, at random."),
    LIST(dr_cloth_spec, groups, group_table, .doc = "Vertices under names, for holds."),
    LIST(dr_cloth_spec, holds, hold_table, .doc = "Vertices that are held."),
};
static const dr_table cloth_table = TABLE("cloth", dr_cloth_spec, cloth_rows, CLOTH_KIND_ROW,
                                          "A sheet of fabric: a triangle mesh that meets all matter on the grid.");

static const dr_field emitter_rows[] = {
    TEXT(dr_emitter_spec, name, "", .doc = "For messages, results and --set."),
    TEXT(dr_emitter_spec, material, NULL, .doc = "A built-in material or one of the scene's.",
         .hint = "`drench materials` lists the built-in ones"),
    OBJECT(dr_emitter_spec, shape, shape_table, NULL, .doc = "Where matter appears."),
    VECTOR(dr_emitter_spec, velocity, DR_UNIT_SPEED, "[0 cm/s, 0 cm/s, 0 cm/s]", -FAST, FAST,
           .doc = "Velocity of what is emitted."),
    OBJECT(dr_emitter_spec, schedule, schedule_table, "", .doc = "When it emits."),
    REAL(dr_emitter_spec, volume_limit, DR_UNIT_VOLUME, "none", 1e-12, 1e15, .word = "none", .word_value = 0,
         .doc = "It stops after so much."),
    INTEGER(dr_emitter_spec, particles_per_cell, "8", 1, 64, .doc = "How densely it fills.",
            .hint = "8 is two per direction"),
    SWITCH(dr_emitter_spec, waits, "no",
           .doc = "Liquid: waits while the space around it is taken, instead of pushing what is there away."),
};
static const dr_table emitter_table = TABLE("emitter", dr_emitter_spec, emitter_rows, -1, "A source of matter.");

static const dr_field drain_rows[] = {
    TEXT(dr_drain_spec, name, "", .doc = "For messages, results and --set."),
    OBJECT(dr_drain_spec, shape, shape_table, NULL, .doc = "Particles inside leave the simulation."),
    OBJECT(dr_drain_spec, schedule, schedule_table, "", .doc = "When it drains."),
};
static const dr_table drain_table = TABLE("drain", dr_drain_spec, drain_rows, -1, "A sink of matter.");

static const char *const boundaries[] = {"sticky", "slip", "separate", NULL};

static const dr_field collider_rows[] = {
    TEXT(dr_collider_spec, name, "", .doc = "For messages, results and --set."),
    OBJECT(dr_collider_spec, shape, shape_table, NULL, .doc = "The solid."),
    LIST(dr_collider_spec, motion, motion_table, .doc = "How it moves; one after the other."),
    CHOICE(dr_collider_spec, "boundary", boundary, boundaries, "separate",
           .doc = "What matter does at the surface: sticks, slides along, or slides and may leave."),
    REAL(dr_collider_spec, friction, DR_UNIT_NONE, "0", 0, 100,
         .doc = "Coulomb coefficient, for slip and separate; with a strand the root of the product of both acts.",
         .hint = "0 is smooth, 0.3 wood, 1 rubber"),
};
static const dr_table collider_table =
    TABLE("collider", dr_collider_spec, collider_rows, -1, "A solid that nothing moves but its motion.");

#define F(kind) BIT(DR_FORCE_##kind)

static const char *const force_kinds[] = {"uniform", "wind", "point", "vortex", NULL};

static const dr_field force_rows[] = {
    TEXT(dr_force_spec, name, "", .doc = "For messages and --set."),
    CHOICE(dr_force_spec, "type", kind, force_kinds, "uniform", .doc = "What sort of force field it is."),
    VECTOR(dr_force_spec, acceleration, DR_UNIT_ACCELERATION, NULL, -1e9, 1e9, .kinds = F(UNIFORM),
           .doc = "Added to gravity."),
    VECTOR(dr_force_spec, velocity, DR_UNIT_SPEED, NULL, -FAST, FAST, .kinds = F(WIND), .doc = "Velocity of the wind."),
    REAL(dr_force_spec, rate, DR_UNIT_FREQUENCY, "1 Hz", 0, 1e6, .kinds = F(WIND),
         .doc = "How fast matter takes on the wind's velocity.", .hint = "1 Hz: within about a second"),
    VECTOR(dr_force_spec, center, DR_UNIT_LENGTH, "[0 cm, 0 cm, 0 cm]", -FAR, FAR, .kinds = F(POINT) | F(VORTEX),
           .doc = "What it draws to or turns about."),
    VECTOR(dr_force_spec, axis, DR_UNIT_NONE, "[0, 1, 0]", -1e6, 1e6, .kinds = F(VORTEX),
           .doc = "Axis, right-handed; any length."),
    REAL(dr_force_spec, strength, DR_UNIT_ACCELERATION, NULL, -1e9, 1e9, .kinds = F(POINT) | F(VORTEX),
         .doc = "Acceleration at the centre; a negative point force pushes away."),
    REAL(dr_force_spec, reach, DR_UNIT_LENGTH, NULL, TINY, FAR, .kinds = F(POINT) | F(VORTEX),
         .doc = "Distance over which it falls off."),
    OBJECT(dr_force_spec, within, shape_table, "", .doc = "Acts inside this shape only; type none: everywhere."),
    OBJECT(dr_force_spec, schedule, schedule_table, "", .doc = "When it acts."),
};
static const dr_table force_table = TABLE("force", dr_force_spec, force_rows, 1, "A force field.");

// ---- settings

static const char *const thin_integrators[] = {"auto", "explicit", "implicit", NULL};

static const dr_field time_rows[] = {
    REAL(dr_time_spec, frame_rate, DR_UNIT_FREQUENCY, "24 Hz", 1e-9, 1e9, .doc = "Frames per second.",
         .hint = "24, 25, 30 or 60 fps"),
    INTEGER(dr_time_spec, start_frame, "1", -1e9, 1e9, .doc = "Number of the frame at time 0."),
    INTEGER(dr_time_spec, frames, "100", 0, 1e9, .neutral = true, .doc = "Frames after the first."),
    REAL(dr_time_spec, pre_roll, DR_UNIT_TIME, "0 s", 0, LONG_TIME, .doc = "Simulated before time 0, without output."),
    INTEGER(dr_time_spec, samples, "1", 1, 1000, .doc = "Outputs per frame interval; 1: frames only."),
    REAL(dr_time_spec, courant, DR_UNIT_NONE, "1", 1e-3, 2,
         .doc = "Cells that matter may cross in one step, liquid against what is around it; spray may cross more.",
         .hint = "0.3 careful, 1 quick"),
    REAL(dr_time_spec, elastic_safety, DR_UNIT_NONE, "0.7", 1e-3, 1,
         .doc = "Share of the stability limit of elastic waves."),
    CHOICE(dr_time_spec, "integrator", integrator, thin_integrators, "auto",
           .doc =
               "How cloth and yarn on the grid step in time: explicit within the stability limit, implicit (backward "
               "Euler) beyond it, auto: as is cheaper."),
    REAL(dr_time_spec, implicit_reach, DR_UNIT_NONE, "500", 1, 1e4,
         .doc = "Implicit steps are at most so many times the stability limit of cloth; longer ones damp more."),
    REAL(dr_time_spec, max_step, DR_UNIT_TIME, "10 ms", 1e-9, 1e6, .doc = "Longest step."),
    REAL(dr_time_spec, min_step, DR_UNIT_TIME, "1 ns", 1e-15, 1e3, .doc = "Shortest step; below it the run gives up."),
    REAL(dr_time_spec, fixed_step, DR_UNIT_TIME, "chosen", 1e-12, 1e6, .word = "chosen", .word_value = 0,
         .doc = "Step size; chosen: from speed and stiffness, each step anew."),
    INTEGER(dr_time_spec, retries, "10", 0, 60, .doc = "Halvings of a rejected step before the run gives up."),
};
static const dr_table time_table = TABLE("time", dr_time_spec, time_rows, -1, "Frames and steps.");

static const char *const sides[] = {"open", "sticky", "slip", "separate", "periodic", "symmetry", NULL};
#define SIDE(key, member) CHOICE(dr_domain_spec, key, member, sides, "open", .doc = "What happens at this side.")

static const dr_field domain_rows[] = {
    REAL(dr_domain_spec, cell, DR_UNIT_LENGTH, NULL, TINY, 1e5, .doc = "Grid spacing.",
         .hint = "a quarter of the thinnest thing that should be seen; half the cell is about sixteen times the time: "
                 "eight times the cells, twice the steps"),
    VECTOR(dr_domain_spec, min, DR_UNIT_LENGTH, "[unbounded, unbounded, unbounded]", -FAR, FAR, .word = "unbounded",
           .word_value = -DR_UNBOUNDED, .doc = "Lower corner."),
    VECTOR(dr_domain_spec, max, DR_UNIT_LENGTH, "[unbounded, unbounded, unbounded]", -FAR, FAR, .word = "unbounded",
           .word_value = DR_UNBOUNDED, .doc = "Upper corner."),
    SIDE("x_min", side_min[0]),
    SIDE("x_max", side_max[0]),
    SIDE("y_min", side_min[1]),
    SIDE("y_max", side_max[1]),
    SIDE("z_min", side_min[2]),
    SIDE("z_max", side_max[2]),
    REAL(dr_domain_spec, friction, DR_UNIT_NONE, "0", 0, 100, .doc = "Coulomb coefficient of walls."),
    SWITCH(dr_domain_spec, cull, "yes", .doc = "Particles beyond an open side of a bounded domain leave, counted."),
    TEXT(dr_domain_spec, follows, "",
         .doc = "Name of a collider that the grid moves along with, without turning: what is in a vessel that is "
                "carried moves as in one that stands. All sides are open then."),
};
static const dr_table domain_table = TABLE("domain", dr_domain_spec, domain_rows, -1, "The space that is simulated.");

static const char *const kernels[] = {"linear", "quadratic", "cubic", NULL};
static const char *const schemes[] = {"pic", "flip", "apic", NULL};
static const char *const deconvolve_words[] = {"never", "viscous", "always", NULL};

static const dr_field transfer_rows[] = {
    CHOICE(dr_transfer_spec, "kernel", kernel, kernels, "quadratic",
           .doc =
               "B-spline between the grid and particles of dust and elastic matter; liquid goes by the quadratic one."),
    CHOICE(dr_transfer_spec, "scheme", scheme, schemes, "apic", .doc = "What particles carry."),
    REAL(dr_transfer_spec, flip_blend, DR_UNIT_NONE, "0.95", 0, 1,
         .doc = "Flip: share of the increment, the rest is pic."),
    REAL(dr_transfer_spec, damping, DR_UNIT_NONE, "0", 0, 1,
         .doc = "Apic: damping of the symmetric affine part, per damping_step."),
    REAL(dr_transfer_spec, damping_step, DR_UNIT_TIME, "step", 1e-12, 1e3, .word = "step", .word_value = 0,
         .doc = "The time in which damping acts once; step: every step, whatever its size."),
    CHOICE(dr_transfer_spec, "deconvolve", deconvolve, deconvolve_words, "viscous",
           .doc = "Apic: whether what transfers smear of a liquid's velocity is put back; viscous: where solids hold "
                  "viscous liquid, or its waves show viscosity. Not of liquids with a yield stress, a power law or "
                  "elasticity.",
           .hint = "always: waves lose less, viscous ones what their viscosity takes; a fifth more time"),
};
static const dr_table transfer_table =
    TABLE("transfer", dr_transfer_spec, transfer_rows, -1, "How particles and grid exchange momentum.");

static const dr_field liquid_rows[] = {
    SWITCH(dr_liquid_spec, surface_tension, "no",
           .doc = "Surface tension pulls on the free surface, with each liquid's own value; stable at any step.",
           .hint = "matters for drops and films of a few millimetres"),
};
static const dr_table liquid_table = TABLE("liquid", dr_liquid_spec, liquid_rows, -1, "How liquids are moved.");

static const dr_field contact_rows[] = {
    INTEGER(dr_contact_spec, sweeps, "1000", 0, 1e6, .doc = "Of Gauss-Seidel over all contacts, at most, per solve."),
    REAL(dr_contact_spec, tolerance, DR_UNIT_NONE, "1e-4", 0, 1,
         .doc = "Violation of Coulomb's law, over the velocities that contact has to stop, at which a solve ends."),
    INTEGER(dr_contact_spec, rounds, "6", 1, 100,
            .doc = "Solves of a step, at most, where each meets contacts that were not there before."),
    INTEGER(dr_contact_spec, bends, "8", 0, 100,
            .doc = "How often a step finds the shape of strands anew under the impulses of contact, at most."),
    SWITCH(dr_contact_spec, bridges, "yes",
           .doc = "Liquid on strands makes them stick to each other and to colliders."),
    SWITCH(dr_contact_spec, bridge_flow, "no",
           .doc = "Liquid flows from strand to strand through the bridges between them, from where there is more.",
           .hint = "its viscosity says how fast, and its yield stress what difference stays"),
    REAL(dr_contact_spec, stiffness, DR_UNIT_PRESSURE, "1e4 dyn/cm2", 1e-6, 1e15,
         .doc = "Penalty model: force per length of strand and per overlap."),
    REAL(dr_contact_spec, rest_distance, DR_UNIT_NONE, "1.5", 1.01, 10,
         .doc = "Penalty model: distance at which hairs neither push nor pull, over that at which they touch."),
};
static const dr_table contact_table =
    TABLE("contact", dr_contact_spec, contact_rows, -1, "How strands meet each other and colliders.");

static const dr_field output_rows[] = {
    INTEGER(dr_output_spec, checkpoint_every, "10", 0, 1e9, .neutral = true,
            .doc = "Frames between checkpoints; 0: only at the end."),
    INTEGER(dr_output_spec, stats_every, "1", 1, 1e9, .neutral = true,
            .doc = "Steps from one line of stats.jsonl to the next.",
            .hint =
                "long runs of short steps write as much about themselves as of themselves; 100 is enough for a plot"),
    SWITCH(dr_output_spec, particles, "yes", .doc = "Writes particles into frames."),
    INTEGER(dr_output_spec, compression, "1", 0, 9, .neutral = true, .doc = "0 none to 9 smallest and slowest."),
};
static const dr_table output_table = TABLE("output", dr_output_spec, output_rows, -1, "What is written.");

// ---- looks: pictures alone, left out of the scene's hash

#define AUTO .word = "auto", .word_value = DR_AUTO
#define COLOUR(owner, member, standard, ...)                                                                           \
    VECTOR(owner, member, DR_UNIT_NONE, standard, 0, 1, .hint = "red, green, blue as on a screen: [0.8, 0.3, 0.2]",    \
           __VA_ARGS__)

static const dr_field camera_rows[] = {
    VECTOR(dr_camera_spec, position, DR_UNIT_LENGTH, "[auto, auto, auto]", -FAR, FAR, AUTO,
           .doc = "Where the eye is; auto: so far away that all that happens is in the picture."),
    VECTOR(dr_camera_spec, target, DR_UNIT_LENGTH, "[auto, auto, auto]", -FAR, FAR, AUTO,
           .doc = "What is in the middle of the picture; auto: the middle of all that happens."),
    REAL(dr_camera_spec, aperture, DR_UNIT_LENGTH, "0 cm", 0, FAR,
         .doc = "How wide the lens is: the wider, the less deep is what is sharp; 0: all is sharp.",
         .hint = "a fiftieth of the distance is a portrait"),
    REAL(dr_camera_spec, focus, DR_UNIT_LENGTH, "auto", TINY, FAR, AUTO,
         .doc = "How far from the eye things are sharp; auto: the target, or the middle of all that happens."),
    REAL(dr_camera_spec, azimuth, DR_UNIT_ANGLE, "25 deg", -TURNS, TURNS,
         .doc = "Of a position that is chosen: 0 looks along -z, 90 deg along -x."),
    REAL(dr_camera_spec, elevation, DR_UNIT_ANGLE, "16 deg", -1.55, 1.55,
         .doc = "Of a position that is chosen: how steeply it looks down."),
    REAL(dr_camera_spec, zoom, DR_UNIT_NONE, "1", 0.01, 100,
         .doc = "Of a position that is chosen: 2 is twice as large in the picture."),
    REAL(dr_camera_spec, field_of_view, DR_UNIT_ANGLE, "28 deg", 0.001, 3,
         .doc = "From the lower to the upper edge of the picture.", .hint = "20 deg far away, 60 deg close by"),
};
static const dr_table camera_table = TABLE("camera", dr_camera_spec, camera_rows, -1, "Who looks at it.");

static const dr_field sun_rows[] = {
    VECTOR(dr_sun_spec, direction, DR_UNIT_NONE, "[-0.5, 0.9, 0.55]", -1e6, 1e6,
           .doc = "Points towards the sun; any length."),
    REAL(dr_sun_spec, size, DR_UNIT_ANGLE, "5 deg", 1e-3, 1.5, .doc = "How wide the sun is: soft shadows.",
         .hint = "the real one is 0.53 deg"),
    REAL(dr_sun_spec, strength, DR_UNIT_NONE, "3.6", 0, 1e4, .doc = "Light on a surface that faces it."),
    COLOUR(dr_sun_spec, colour, "[1, 0.96, 0.9]", .doc = "Its colour."),
};
static const dr_table sun_table = TABLE("sun", dr_sun_spec, sun_rows, -1, "A light that is far away.");

static const dr_field sky_rows[] = {
    REAL(dr_sky_spec, strength, DR_UNIT_NONE, "0.8", 0, 1e4, .doc = "Factor of its light."),
    COLOUR(dr_sky_spec, zenith, "[0.42, 0.60, 0.86]", .doc = "Its colour overhead."),
    COLOUR(dr_sky_spec, horizon, "[0.93, 0.945, 0.96]", .doc = "Its colour at the horizon and below."),
};
static const dr_table sky_table = TABLE("sky", dr_sky_spec, sky_rows, -1, "The light from all around.");

static const char *const shows[] = {"auto", "yes", "no", NULL};
static const char *const drawns[] = {"surface", "particles", "hidden", NULL};

static const char *const likes[] = {"auto", "cream", "chocolate", "paint", "sauce", "mud",
                                    "milk", "honey", "oil",       "water", NULL};

static const dr_field ground_rows[] = {
    CHOICE(dr_ground_spec, "show", show, shows, "auto",
           .doc = "Auto: where the lower side of the domain is a wall or a collider is a floor."),
    REAL(dr_ground_spec, height, DR_UNIT_LENGTH, "auto", -FAR, FAR, AUTO,
         .doc = "Its place along y; auto: that of the floor, else below everything."),
    COLOUR(dr_ground_spec, colour, "[0.77, 0.75, 0.71]", .doc = "Its colour."),
};
static const dr_table ground_table = TABLE("ground", dr_ground_spec, ground_rows, -1, "What everything stands on.");

static const dr_field liquid_look_rows[] = {
    CHOICE(dr_liquid_look_spec, "drawn", drawn, drawns, "surface", .doc = "As one smooth surface, or as it is stored."),
    CHOICE(dr_liquid_look_spec, "like", like, likes, "auto",
           .doc = "What it looks like; auto: by the name of its material, or of what that is made from."),
    COLOUR(dr_liquid_look_spec, colour, "[auto, auto, auto]", AUTO,
           .doc = "White light after `depth` of the liquid, of one that scatters what it sends back; auto: as the "
                  "material looks."),
    REAL(dr_liquid_look_spec, depth, DR_UNIT_LENGTH, "auto", 1e-6, FAR, AUTO,
         .doc = "How deep the liquid is where its colour is met; auto: as the material looks."),
    REAL(dr_liquid_look_spec, refraction, DR_UNIT_NONE, "auto", 1, 4, AUTO,
         .doc = "Index of refraction; auto: as the material looks.", .hint = "water 1.33, oil 1.47, honey 1.5"),
    REAL(dr_liquid_look_spec, scattering, DR_UNIT_LENGTH, "auto", 0, FAR, AUTO,
         .doc = "How far light goes between two scatterings; 0: a clear liquid; auto: as the material looks.",
         .hint = "milk 0.3 mm, paint 0.04 mm"),
    REAL(dr_liquid_look_spec, roughness, DR_UNIT_NONE, "auto", 0, 1, AUTO,
         .doc = "Of the surface of a liquid that scatters; auto: as the material looks.",
         .hint = "sauce 0.1, foam 0.5"),
    REAL(dr_liquid_look_spec, cell, DR_UNIT_LENGTH, "auto", TINY, 1e5, AUTO,
         .doc = "Of the lattice that the surface is made on; auto: from the size of the particles."),
    REAL(dr_liquid_look_spec, smoothing, DR_UNIT_NONE, "0.7", 0, 1,
         .doc = "0: the surface as the particles lie, to 1: very smooth."),
    SWITCH(dr_liquid_look_spec, films, "yes", .doc = "Films on strands and liquid in cloth become surface too."),
};
static const dr_table liquid_look_table =
    TABLE("liquid look", dr_liquid_look_spec, liquid_look_rows, -1, "How liquid is drawn.");

static const char *const finishes[] = {"matte", "satin",  "gloss", "metal", "glass",
                                       "hair",  "hidden", "cloth", "auto",  NULL};

static const dr_field paint_rows[] = {
    TEXT(dr_paint_spec, name, NULL,
         .doc = "The body, emitter, group of strands, collider or material that looks so; strands: all of them."),
    CHOICE(
        dr_paint_spec, "finish", finish, finishes, "auto",
        .doc =
            "How it shines; glass bends light where it is a body, hair is for strands, cloth shows threads on sheets "
            "and yarn, hidden is not drawn; auto: as it would without a paint."),
    COLOUR(dr_paint_spec, colour, "[auto, auto, auto]", AUTO, .doc = "Its colour; auto: one of a palette."),
    REAL(dr_paint_spec, thread, DR_UNIT_LENGTH, "0.5 mm", TINY, FAR,
         .doc = "Finish cloth, of a sheet: from thread to thread of its weave.", .hint = "shirt 0.3 mm, linen 0.8 mm"),
    INTEGER(dr_paint_spec, copies, "1", 1, 1000,
            .doc = "Of strands: so many are drawn for each that is simulated, beside it."),
    REAL(dr_paint_spec, spread, DR_UNIT_LENGTH, "1 mm", 0, FAR, .doc = "Of strands: how far from it copies are drawn."),
};
static const dr_table paint_table =
    TABLE("paint", dr_paint_spec, paint_rows, -1,
          "How a body, an emitter, a group of strands, a collider or a material looks.");

static const dr_field look_rows[] = {
    INTEGER(dr_look_spec, width, "1280", 1, 32768, .doc = "Pixels from left to right."),
    INTEGER(dr_look_spec, height, "720", 1, 32768, .doc = "Pixels from top to bottom."),
    INTEGER(dr_look_spec, samples, "32", 1, 65536, .doc = "Light paths per pixel.",
            .hint = "4 a quick look, 32 good, 256 without noise"),
    SWITCH(dr_look_spec, denoise, "yes", .doc = "Takes out noise, as far as samples differ by chance."),
    REAL(dr_look_spec, exposure, DR_UNIT_NONE, "0", -20, 20, .doc = "Doublings of the light before it is shown."),
    CHOICE(dr_look_spec, "solids", solids, drawns, "surface",
           .doc = "Elastic bodies as smooth surfaces, or as they are stored."),
    REAL(dr_look_spec, particle_scale, DR_UNIT_NONE, "1", 0.01, 100,
         .doc = "Radius of particles that are drawn as balls, over that of their volume."),
    REAL(dr_look_spec, strand_scale, DR_UNIT_NONE, "1", 0.01, 100,
         .doc = "Radius of strands and yarn as they are drawn, over their own.",
         .hint = "3 for a few hairs seen from afar"),
    OBJECT(dr_look_spec, camera, camera_table, "", .doc = "Who looks at it."),
    OBJECT(dr_look_spec, sun, sun_table, "", .doc = "A light that is far away."),
    OBJECT(dr_look_spec, sky, sky_table, "", .doc = "The light from all around."),
    OBJECT(dr_look_spec, ground, ground_table, "", .doc = "What everything stands on."),
    OBJECT(dr_look_spec, liquid, liquid_look_table, "", .doc = "How liquid is drawn."),
    LIST(dr_look_spec, paints, paint_table, .doc = "How bodies, emitters, strands, colliders and materials look."),
};
static const dr_table look_table =
    TABLE("look", dr_look_spec, look_rows, -1, "How `drench render` draws it; nothing here changes what is simulated.");

static const dr_field scene_rows[] = {
    INTEGER(dr_scene_spec, format, "1", 1, 1, .doc = "Version of the scene language."),
    TEXT(dr_scene_spec, title, "", .neutral = true, .doc = "One sentence of what one will see."),
    INTEGER(dr_scene_spec, seed, "0", -INFINITY, INFINITY, .doc = "Seed of all random numbers."),
    REAL(dr_scene_spec, memory_limit, DR_UNIT_MEMORY, "machine", 1e6, 1e18, .word = "machine", .word_value = 0,
         .neutral = true, .doc = "The run may not need more; machine: what the machine has."),
    VECTOR(dr_scene_spec, gravity, DR_UNIT_ACCELERATION, "[0 cm/s2, -981 cm/s2, 0 cm/s2]", -1e9, 1e9,
           .doc = "Acceleration of everything."),
    OBJECT(dr_scene_spec, time, time_table, "", .doc = "Frames and steps."),
    OBJECT(dr_scene_spec, domain, domain_table, "", .doc = "The space that is simulated."),
    OBJECT(dr_scene_spec, transfer, transfer_table, "", .doc = "How particles and grid exchange momentum."),
    OBJECT(dr_scene_spec, liquid, liquid_table, "", .doc = "How liquids are moved."),
    OBJECT(dr_scene_spec, contact, contact_table, "", .doc = "How strands meet each other and colliders."),
    OBJECT(dr_scene_spec, output, output_table, "", .doc = "What is written."),
    OBJECT(dr_scene_spec, look, look_table, "", .neutral = true, .doc = "How `drench render` draws it."),
    LIST(dr_scene_spec, materials, material_table, .doc = "Materials of the scene's own."),
    LIST(dr_scene_spec, regions, region_table, .doc = "Named shapes."),
    LIST(dr_scene_spec, bodies, body_table, .doc = "Matter that is there from the beginning."),
    LIST(dr_scene_spec, strands, strands_table, .doc = "Hair, yarn, bristles that are there from the beginning."),
    LIST(dr_scene_spec, cloths, cloth_table, .doc = "Sheets of fabric that are there from the beginning."),
    LIST(dr_scene_spec, emitters, emitter_table, .doc = "Sources."),
    LIST(dr_scene_spec, drains, drain_table, .doc = "Sinks."),
    LIST(dr_scene_spec, colliders, collider_table, .doc = "Solids that matter runs into."),
    LIST(dr_scene_spec, forces, force_table, .doc = "Force fields."),
};
static const dr_table scene_table =
    TABLE("scene", dr_scene_spec, scene_rows, -1, "What is simulated: settings, matter and what it meets.");

const dr_table *dr_scene_table(void)
{
    return &scene_table;
}
const dr_table *dr_material_table(void)
{
    return &material_table;
}
