// A scene: a plain description of what is to be simulated. What a file says, nothing more.
//
// All numbers are in centimetre, gram, second, radian. Text and lists belong to the scene.
// src/scene/tables.c holds the one table per struct below; `drench params` prints it.
#ifndef DRENCH_SCENE_H
#define DRENCH_SCENE_H

#include "drench/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- shapes ---------------------------------------------------------------------------------------------------------

typedef enum dr_shape_kind {
    DR_SHAPE_NONE,
    DR_SHAPE_SPHERE,
    DR_SHAPE_BOX,
    DR_SHAPE_CAPSULE,
    DR_SHAPE_CYLINDER,
    DR_SHAPE_TORUS,
    DR_SHAPE_HALF_SPACE,
    DR_SHAPE_MESH,
    DR_SHAPE_UNION,
    DR_SHAPE_INTERSECTION,
    DR_SHAPE_DIFFERENCE, // the first of `of` less all the others
    DR_SHAPE_INSIDE_OUT, // everything outside the one of `of`
    DR_SHAPE_REGION      // the scene's region of that name
} dr_shape_kind;

typedef enum dr_axis { DR_AXIS_X, DR_AXIS_Y, DR_AXIS_Z } dr_axis;

typedef struct dr_shape_spec dr_shape_spec;
typedef struct dr_shape_list {
    dr_shape_spec *items;
    int count;
} dr_shape_list;

// Points are first taken through the shape's own geometry, then scaled, rotated (x, then y, then z) and translated.
struct dr_shape_spec {
    int kind;           // dr_shape_kind
    double center[3];   // sphere, box, cylinder, torus, capsule
    double radius;      // sphere, capsule, cylinder, torus (of the ring)
    double tube;        // torus: radius of the tube
    double size[3];     // box: full edge lengths
    double rounding;    // box: radius of edges and corners
    double height;      // cylinder, capsule (between the centres of the caps)
    int axis;           // cylinder, capsule, torus: dr_axis
    double point[3];    // half-space: a point of its surface
    double normal[3];   // half-space: pointing out of the solid
    const char *file;   // mesh: OBJ or PLY
    int up;             // mesh: which axis of the file is up (dr_axis); drench's own is y
    double unit_length; // mesh: cm per unit of the file
    double shell;       // mesh: > 0 makes a shell of that thickness around the surface instead of a solid
    const char *region; // region: its name
    dr_shape_list of;   // union, intersection, difference, inside_out
    double scale;
    double rotate[3];
    double translate[3];
};

// ---- motion ---------------------------------------------------------------------------------------------------------

typedef enum dr_ease {
    DR_EASE_LINEAR,
    DR_EASE_SMOOTH, // starts and ends at rest, cubic
    DR_EASE_IN,     // starts at rest
    DR_EASE_OUT,    // ends at rest
    DR_EASE_HOLD    // keeps the value until the next key
} dr_ease;

typedef struct dr_key_spec {
    double time;
    double translate[3];
    double rotate[3]; // x, then y, then z
    int ease;         // dr_ease, from this key to the next
} dr_key_spec;

typedef struct dr_key_list {
    dr_key_spec *items;
    int count;
} dr_key_list;

typedef enum dr_motion_kind {
    DR_MOTION_KEYFRAMES,
    DR_MOTION_SPIN,
    DR_MOTION_SINE,
    DR_MOTION_PATH,    // a text file: lines "time x y z [qw qx qy qz]"
    DR_MOTION_SEQUENCE // a deforming mesh: an OBJ sequence ("wave_####.obj") or a PC2 point cache
} dr_motion_kind;

typedef struct dr_motion_spec {
    int kind; // dr_motion_kind
    dr_key_list keys;
    double center[3];    // spin, sine: a point of the axis; keyframes: what rotations turn about
    double axis[3];      // spin, sine
    double rate;         // spin: angular speed
    double amplitude[3]; // sine: translation
    double swing;        // sine: rotation about axis
    double frequency;    // sine
    double phase;        // sine
    double start, stop;  // spin, sine: outside them the motion stands still
    const char *file;    // path, sequence
    double unit_length;  // path, sequence: cm per unit of the file
    int up;              // path, sequence: dr_axis
    double frame_rate;   // sequence: its frames per second; 0: the scene's
    double first_frame;  // sequence: the number of the first file
    bool loop;           // path, sequence
} dr_motion_spec;

typedef struct dr_motion_list {
    dr_motion_spec *items; // applied in order: the first acts on the shape, the second on the result
    int count;
} dr_motion_list;

// ---- what is in the scene -------------------------------------------------------------------------------------------

// What stands for "without end" in times and places: start "always", stop "never", domain "unbounded".
#define DR_UNBOUNDED 1e30

// From `start` to `stop`, blended in and out over `ramp`.
typedef struct dr_schedule_spec {
    double start, stop, ramp;
} dr_schedule_spec;

typedef enum dr_material_kind {
    DR_MATERIAL_DUST,    // free particles: mass and nothing else
    DR_MATERIAL_ELASTIC, // fixed corotated
    DR_MATERIAL_LIQUID,
    DR_MATERIAL_CLOTH,
    DR_MATERIAL_YARN,
    DR_MATERIAL_HAIR,
    DR_MATERIAL_SAND, // Drucker-Prager
    DR_MATERIAL_GOO   // von Mises, with or without a viscosity
} dr_material_kind;

// Herschel-Bulkley data of a rheometer, in simple shear.
typedef struct dr_rheometer_spec {
    double yield_stress, consistency, index; // consistency 0: not given
} dr_rheometer_spec;

// A fabric by its threads, in place of what follows from them.
typedef struct dr_weave_spec {
    double ends, picks;              // threads of warp, of weft, per cm; 0: no weave; as many as ends
    double warp_yarn, weft_yarn;     // g/cm; 0: from the radius; as the warp
    double warp_radius, weft_radius; // cm; 0: from the mass, density and packing; as the warp where its mass is
    double packing;                  // share of fibres in a thread
    double fibre_modulus;            // dyn/cm2
    double cohesion;                 // stiffness of a thread against bending over that of fibres that slide freely
} dr_weave_spec;

typedef struct dr_material_spec {
    const char *name;
    const char *preset; // the built-in or earlier material that supplies what is not written
    const char *source; // where the numbers come from
    int kind;           // dr_material_kind
    double density;
    double youngs_modulus, poisson_ratio; // elastic, cloth, yarn, hair, sand
    // liquid
    double viscosity; // Newtonian shear viscosity
    double surface_tension;
    double contact_angle;
    double bulk_modulus, shear_modulus;
    double yield_stress, consistency, flow_index; // Herschel-Bulkley, the model's own (von Mises) parameters
    dr_rheometer_spec rheometer;                  // instead of these three
    double tear_strain;                           // plastic strain beyond which it tears; 0: never
    double recovery_time;                         // in which plastic strain falls to 1/e
    // cloth, yarn, hair
    double radius;            // of the fibre, strand or yarn
    double thickness;         // cloth
    double volume_fraction;   // cloth, yarn: solid share of the dry fabric
    double pore_radius;       // cloth, yarn; 0: from the fibre's diameter and the volume fraction
    double shear_modulus_rod; // yarn, hair; 0: from Young's modulus and Poisson's ratio
    double bending_share;     // yarn, hair: stiffness against bending and twist over that of a solid rod
    double damping;           // cloth, yarn, hair: viscosity of the material
    double fibre_diameter;    // cloth, yarn
    double stress_power;      // cloth, yarn: exponent of the effective stress
    double drag_power;        // cloth, yarn: exponent of the inertial drag
    double stretch_stiffness; // codimensional contact: k
    double shear_stiffness;   // codimensional contact: gamma
    double transfer_damping;  // codimensional contact: RPIC damping
    double capture_ratio;     // hair: largest wet over dry radius
    double friction_angle;    // codimensional contact, sand
    double friction;          // coefficient
    double weft_modulus;      // cloth: Young's modulus along the weft; 0: as along the warp
    double bending_rigidity;  // cloth: per width, dyn cm; 0: of a plate of its modulus and thickness
    double weft_rigidity;     // cloth: bending along the weft; 0: as the moduli
    dr_weave_spec weave;      // cloth: instead of thickness, volume_fraction, moduli and rigidities
} dr_material_spec;

typedef struct dr_material_list {
    dr_material_spec *items;
    int count;
} dr_material_list;

typedef struct dr_region_spec {
    const char *name;
    dr_shape_spec shape;
} dr_region_spec;

typedef struct dr_region_list {
    dr_region_spec *items;
    int count;
} dr_region_list;

typedef struct dr_body_spec {
    const char *name;
    const char *material;
    dr_shape_spec shape;
    double velocity[3];
    double spin[3]; // angular velocity about the middle of the shape's box
    int64_t particles_per_cell;
    double jitter; // of liquid, in spacings of its particles
} dr_body_spec;

typedef struct dr_body_list {
    dr_body_spec *items;
    int count;
} dr_body_list;

typedef struct dr_emitter_spec {
    const char *name;
    const char *material;
    dr_shape_spec shape;
    double velocity[3];
    dr_schedule_spec schedule;
    double volume_limit; // 0: none
    int64_t particles_per_cell;
    bool waits; // for open volume
} dr_emitter_spec;

typedef struct dr_emitter_list {
    dr_emitter_spec *items;
    int count;
} dr_emitter_list;

typedef struct dr_drain_spec {
    const char *name;
    dr_shape_spec shape;
    dr_schedule_spec schedule;
} dr_drain_spec;

typedef struct dr_drain_list {
    dr_drain_spec *items;
    int count;
} dr_drain_list;

typedef enum dr_boundary { DR_BOUNDARY_STICKY, DR_BOUNDARY_SLIP, DR_BOUNDARY_SEPARATE } dr_boundary;

typedef struct dr_collider_spec {
    const char *name;
    dr_shape_spec shape;
    dr_motion_list motion;
    int boundary; // dr_boundary
    double friction;
} dr_collider_spec;

typedef struct dr_collider_list {
    dr_collider_spec *items;
    int count;
} dr_collider_list;

typedef enum dr_strands_kind {
    DR_STRANDS_FILE, // curves of a file
    DR_STRANDS_LINE, // one straight strand
    DR_STRANDS_ARC,  // one strand along a circle
    DR_STRANDS_TUFT,
    DR_STRANDS_MAT,
    DR_STRANDS_BALL,
    DR_STRANDS_CYLINDER,
    DR_STRANDS_WEAVE,
    DR_STRANDS_KNIT
} dr_strands_kind;

typedef enum dr_hold { DR_HOLD_FREE, DR_HOLD_PINNED, DR_HOLD_CLAMPED } dr_hold; // pinned: place; clamped: frame too
typedef enum dr_rest { DR_REST_DRAWN, DR_REST_STRAIGHT, DR_REST_CURLY } dr_rest;
typedef enum dr_integrator { DR_INTEGRATOR_TR_BDF2, DR_INTEGRATOR_EULER } dr_integrator;
typedef enum dr_film_drips { DR_FILM_DRIPS_ALL, DR_FILM_DRIPS_TIPS, DR_FILM_DRIPS_NONE } dr_film_drips;
typedef enum dr_film_drops { DR_FILM_DROPS_AUTO, DR_FILM_DROPS_LIQUID, DR_FILM_DROPS_DRAINED } dr_film_drops;
typedef enum dr_meet { DR_MEET_CONE, DR_MEET_PENALTY, DR_MEET_NONE, DR_MEET_GRID } dr_meet;

#define DR_FILM_CAPTURE_MATERIAL (-1.0) // as their material says

// Height of the film at a share of the strand's length from the root; linear between.
typedef struct dr_film_point_spec {
    double at, height;
} dr_film_point_spec;

typedef struct dr_film_profile {
    dr_film_point_spec *items;
    int count;
} dr_film_profile;

typedef enum dr_cloth_edge {
    DR_EDGE_NONE,
    DR_EDGE_LEFT, // of a generated cloth: along its width
    DR_EDGE_RIGHT,
    DR_EDGE_BOTTOM, // along its depth
    DR_EDGE_TOP,
    DR_EDGE_BOUNDARY // every vertex of an edge that belongs to one triangle
} dr_cloth_edge;

// Vertices of a cloth or of strands under a name: all that any of these says.
typedef struct dr_group_spec {
    const char *name;
    const char *vertices;   // "1-20, 35"; "": none
    const char *file_group; // what the cloth's OBJ file calls some of its faces; "": none
    dr_shape_spec within;   // those inside it, as drawn; kind NONE: none
    int edge;               // dr_cloth_edge
    double depth;           // and so far from the edge
} dr_group_spec;

typedef struct dr_group_list {
    dr_group_spec *items;
    int count;
} dr_group_list;

// Vertices that are held, where they are drawn or where a motion or a collider carries them.
typedef struct dr_hold_spec {
    const char *name;
    const char *group;    // of the same cloth or strands, besides; "": none
    dr_shape_spec within; // those inside it, as drawn; kind NONE: the edge alone says which
    int edge;             // dr_cloth_edge
    double depth;         // and so far from the edge
    const char *bound_to; // a collider that they follow, "": none
    dr_motion_list motion;
    double until; // when they are let go
} dr_hold_spec;

typedef struct dr_hold_list {
    dr_hold_spec *items;
    int count;
} dr_hold_list;

typedef struct dr_strands_spec {
    const char *name;
    const char *material;
    int kind; // dr_strands_kind
    const char *file;
    double unit_length;                                 // file: cm per unit
    int up;                                             // file: dr_axis
    bool file_radius;                                   // file: its radii count
    double start[3], end[3];                            // line
    double center[3], axis[3];                          // arc, generators
    double root_radius, width, depth, spread;           // where roots are
    double sweep, rise;                                 // arc: angle; climb per turn
    int64_t count, vertices;                            // strands; of each
    double length, curl_radius, curl_length, variation; // hair
    double spacing, amplitude;                          // weave, knit
    bool woven;                                         // weave: yarns interlace, else one side lies on the other
    int64_t yarn_vertices;                              // weave: of each yarn as a whole; 0: by crossings
    int64_t rib;                                        // knit: wales of knit, then of purl; 0: stockinette
    bool round;                                         // knit: a tube of one yarn, with the width as its girth
    double rotate[3], translate[3];
    double radius, radius_across; // 0: the material's; the same
    double taper;                 // radius at the tip over radius at the root
    double flat[3];               // where the first semi-axis points, as nearly as the first edge allows
    int rest;                     // dr_rest
    double rest_curl_radius, rest_curl_length;
    bool sag_free;
    int root, tip;        // dr_hold
    const char *bound_to; // a collider that roots follow, "": none
    const char *sewn_to;  // strands on the grid that they are sewn to, "": none
    double sewn_within;
    dr_motion_list root_motion, tip_motion;
    double root_until, tip_until; // when held ends are let go
    dr_group_list groups;
    dr_hold_list holds; // contact grid
    double velocity[3];
    double twist;   // total, at the beginning, evenly distributed
    double disturb; // largest random displacement at the beginning
    double tip_force[3], tip_moment[3];
    double yield_strain, yield_rate;        // 0: elastic
    double film_height, film_from, film_to; // between these shares of their length
    double film_ripple, film_ripple_length;
    dr_film_profile film_profile; // in place of the film_height
    const char *film_material;
    double film_slip;
    double film_capture; // 0: none; DR_FILM_CAPTURE_MATERIAL
    bool film_flow, film_elastic, film_beads, film_transport;
    int film_drips; // dr_film_drips
    int film_drops; // dr_film_drops
    int contact;    // dr_meet
    int integrator; // dr_integrator
} dr_strands_spec;

typedef struct dr_strands_list {
    dr_strands_spec *items;
    int count;
} dr_strands_list;

typedef enum dr_cloth_kind { DR_CLOTH_FILE, DR_CLOTH_RECTANGLE, DR_CLOTH_DISC, DR_CLOTH_TUBE } dr_cloth_kind;
typedef enum dr_cloth_bending { DR_BENDING_PLATE, DR_BENDING_HINGES, DR_BENDING_NONE } dr_cloth_bending;
typedef enum dr_cloth_rest {
    DR_CLOTH_REST_DRAWN,
    DR_CLOTH_REST_TEXTURE // flat, each triangle as the texture coordinates of its corners have it
} dr_cloth_rest;
typedef enum dr_mesh_pattern {
    DR_PATTERN_EQUILATERAL,
    DR_PATTERN_UNION_JACK,
    DR_PATTERN_ONE_DIAGONAL,
    DR_PATTERN_CROSSED,
    DR_PATTERN_DIAMONDS
} dr_mesh_pattern;
typedef struct dr_cloth_spec {
    const char *name;
    const char *material;
    int kind; // dr_cloth_kind
    const char *file;
    double unit_length;        // file: cm per unit
    int up;                    // file: dr_axis
    double center[3], axis[3]; // middle; what a rectangle or disc lies across and a tube goes along
    double width, depth;       // rectangle; depth: length of a tube too
    double radius;             // disc, tube
    int pattern;               // dr_mesh_pattern
    double edge;               // of triangles; 0: a cell
    int64_t layers;
    double spacing;        // between layers
    double thickness;      // 0: the material's
    int bending;           // dr_cloth_bending
    double warp[3];        // file: direction of the warp; generated cloth has it along its width
    int rest;              // dr_cloth_rest
    double texture_length; // texture: of one unit of u and v, cm; 0: such that the area is that of the cloth as drawn
    double rotate[3], translate[3];
    double velocity[3];
    double disturb; // largest random displacement across the cloth at the beginning
    dr_group_list groups;
    dr_hold_list holds;
} dr_cloth_spec;

typedef struct dr_cloth_list {
    dr_cloth_spec *items;
    int count;
} dr_cloth_list;

// How strands meet each other and colliders.
typedef struct dr_contact_spec {
    int64_t sweeps, rounds, bends;
    double tolerance;
    bool bridges, bridge_flow;
    double stiffness, rest_distance; // penalty
} dr_contact_spec;

typedef enum dr_force_kind {
    DR_FORCE_UNIFORM, // an acceleration
    DR_FORCE_WIND,    // draws velocities towards its own at `rate`
    DR_FORCE_POINT,   // towards `center` (or away, strength negative), falling off over `reach`
    DR_FORCE_VORTEX   // around the axis through `center`, falling off over `reach`
} dr_force_kind;

typedef struct dr_force_spec {
    const char *name;
    int kind; // dr_force_kind
    double acceleration[3];
    double velocity[3];
    double rate;
    double center[3], axis[3];
    double strength; // point, vortex: acceleration at the centre
    double reach;
    dr_shape_spec within; // kind NONE: everywhere
    dr_schedule_spec schedule;
} dr_force_spec;

typedef struct dr_force_list {
    dr_force_spec *items;
    int count;
} dr_force_list;

// ---- settings -------------------------------------------------------------------------------------------------------

// How cloth and yarn on the grid step in time.
typedef enum dr_stepping { DR_STEPPING_AUTO, DR_STEPPING_EXPLICIT, DR_STEPPING_IMPLICIT } dr_stepping;

typedef struct dr_time_spec {
    double frame_rate;
    int64_t start_frame;   // number of the frame at time 0
    int64_t frames;        // frames after the first
    double pre_roll;       // simulated before time 0
    int64_t samples;       // outputs per frame interval; 1: frames only
    double courant;        // cells per step at most
    double elastic_safety; // share of the stability limit
    int integrator;        // dr_stepping, of cloth and yarn on the grid
    double implicit_reach; // times the elastic limit, at most
    double max_step, min_step;
    double fixed_step; // 0: chosen
    int64_t retries;   // halvings before the run gives up
} dr_time_spec;

typedef enum dr_side {
    DR_SIDE_OPEN,
    DR_SIDE_STICKY,
    DR_SIDE_SLIP,
    DR_SIDE_SEPARATE,
    DR_SIDE_PERIODIC,
    DR_SIDE_SYMMETRY
} dr_side;

typedef struct dr_domain_spec {
    double cell;                  // grid spacing
    double min[3], max[3];        // -DR_UNBOUNDED, DR_UNBOUNDED: no side there
    int side_min[3], side_max[3]; // dr_side; scene keys x_min .. z_max
    double friction;              // of walls
    bool cull;                    // particles beyond an open side of a bounded domain leave the simulation, counted
    const char *follows;          // a collider that the grid moves along with; empty: it stands
} dr_domain_spec;

typedef enum dr_kernel { DR_KERNEL_LINEAR, DR_KERNEL_QUADRATIC, DR_KERNEL_CUBIC } dr_kernel;
typedef enum dr_scheme { DR_SCHEME_PIC, DR_SCHEME_FLIP, DR_SCHEME_APIC } dr_scheme;

// Where what transfers smear of a liquid's velocity is put back.
typedef enum dr_deconvolve { DR_DECONVOLVE_NEVER, DR_DECONVOLVE_VISCOUS, DR_DECONVOLVE_ALWAYS } dr_deconvolve;

typedef struct dr_transfer_spec {
    int kernel;        // dr_kernel
    int scheme;        // dr_scheme
    double flip_blend; // FLIP: share of the increment; the rest is PIC
    double damping; // APIC: RPIC damping of the symmetric affine part, 0..1 per damping_step (per step where that is 0)
    double damping_step;
    int deconvolve; // dr_deconvolve
} dr_transfer_spec;

typedef struct dr_liquid_spec {
    bool surface_tension; // pulls on the free surface of liquids
} dr_liquid_spec;

typedef struct dr_output_spec {
    int64_t checkpoint_every; // frames
    int64_t stats_every;      // steps
    bool particles;           // write particles into frames
    int64_t compression;      // 0..9
} dr_output_spec;

// ---- how it looks: pictures alone, nothing of it changes what is simulated ------------------------------------------

// What is left to the renderer where a place, a size or a colour could stand: the word "auto".
#define DR_AUTO (-DR_UNBOUNDED)

typedef struct dr_camera_spec {
    double position[3], target[3]; // DR_AUTO: so that all that happens is in the picture
    double aperture;               // of the lens, its width; 0: all is sharp
    double focus;                  // how far away things are sharp; DR_AUTO: the target, or the middle of all
    double azimuth, elevation;     // of a position that is chosen: from +z towards +x, and up
    double zoom;                   // of a distance that is chosen
    double field_of_view;          // from the lower to the upper edge
} dr_camera_spec;

typedef struct dr_sun_spec {
    double direction[3]; // towards the sun, any length
    double size;         // how wide it is, an angle: soft shadows
    double strength;
    double colour[3];
} dr_sun_spec;

typedef struct dr_sky_spec {
    double strength;
    double zenith[3], horizon[3];
} dr_sky_spec;

typedef enum dr_show { DR_SHOW_AUTO, DR_SHOW_YES, DR_SHOW_NO } dr_show;

typedef struct dr_ground_spec {
    int show;      // dr_show; auto: where the domain has a floor
    double height; // DR_AUTO: that of the floor, else below everything
    double colour[3];
} dr_ground_spec;

typedef enum dr_drawn { DR_DRAWN_SURFACE, DR_DRAWN_PARTICLES, DR_DRAWN_HIDDEN } dr_drawn;

typedef enum dr_like { // a known look; auto: by the name of the material
    DR_LIKE_AUTO,
    DR_LIKE_CREAM,
    DR_LIKE_CHOCOLATE,
    DR_LIKE_PAINT,
    DR_LIKE_SAUCE,
    DR_LIKE_MUD,
    DR_LIKE_MILK,
    DR_LIKE_HONEY,
    DR_LIKE_OIL,
    DR_LIKE_WATER
} dr_like;

typedef struct dr_liquid_look_spec {
    int drawn;         // dr_drawn
    int like;          // dr_like
    double colour[3];  // of what shines through `depth` of it; DR_AUTO: as the material is
    double depth;      // DR_AUTO: as the material is
    double refraction; // index; DR_AUTO: as the material is
    double scattering; // length between two scatterings, 0: none; DR_AUTO: as the material is
    double roughness;  // of a liquid that scatters; DR_AUTO: as the material is
    double cell;       // of the surface's own lattice; DR_AUTO: from the size of the particles
    double smoothing;  // 0 as the particles lie .. 1 very smooth
    bool films;        // films on strands and water in cloth belong to the surface
} dr_liquid_look_spec;

typedef enum dr_finish {
    DR_FINISH_MATTE,
    DR_FINISH_SATIN,
    DR_FINISH_GLOSS,
    DR_FINISH_METAL,
    DR_FINISH_GLASS, // clear; thin where the surface is open: then nothing is bent
    DR_FINISH_HAIR,  // light goes through each fibre; of strands alone, satin elsewhere
    DR_FINISH_HIDDEN,
    DR_FINISH_CLOTH, // threads: woven where it is a sheet, twisted where it is a yarn
    DR_FINISH_AUTO   // as without a paint
} dr_finish;

// How a body, an emitter, a group of strands, a collider or a material looks.
typedef struct dr_paint_spec {
    const char *name; // of the body, emitter, group of strands, collider or material; "strands": all of them
    int finish;       // dr_finish
    double colour[3]; // DR_AUTO: one of a palette
    double thread;    // of woven cloth: from thread to thread
    int64_t copies;   // of strands: how many are drawn for each
    double spread;    // of strands: how far from it
} dr_paint_spec;

typedef struct dr_paint_list {
    dr_paint_spec *items;
    int count;
} dr_paint_list;

typedef struct dr_look_spec {
    int64_t width, height, samples; // pixels, rays per pixel
    bool denoise;                   // takes the noise out of the picture
    double exposure;                // doublings of the light
    int solids;                     // dr_drawn: elastic bodies
    double particle_scale;          // of the radius of particles that are drawn as such
    double strand_scale;            // of the radius of strands and yarn as they are drawn
    dr_camera_spec camera;
    dr_sun_spec sun;
    dr_sky_spec sky;
    dr_ground_spec ground;
    dr_liquid_look_spec liquid;
    dr_paint_list paints;
} dr_look_spec;

typedef struct dr_scene dr_scene;

// What the file says. `dr_scene` owns one and all it points to.
typedef struct dr_scene_spec {
    int64_t format; // of the scene language: 1
    const char *title;
    int64_t seed;
    double memory_limit; // bytes; 0: what the machine has
    double gravity[3];
    dr_time_spec time;
    dr_domain_spec domain;
    dr_transfer_spec transfer;
    dr_liquid_spec liquid;
    dr_contact_spec contact;
    dr_output_spec output;
    dr_look_spec look;
    dr_material_list materials;
    dr_region_list regions;
    dr_body_list bodies;
    dr_strands_list strands;
    dr_cloth_list cloths;
    dr_emitter_list emitters;
    dr_drain_list drains;
    dr_collider_list colliders;
    dr_force_list forces;
} dr_scene_spec;

// A scene with every default and nothing in it. NULL allocator: the C library's.
DR_API dr_status dr_scene_create(const dr_allocator *allocator, dr_scene **scene, dr_error *error);

// Reads a scene (YAML or JSON) and the meshes, paths and sequences it names. All problems found are in error. On
// failure *scene is NULL.
DR_API dr_status dr_scene_read(const char *path, const dr_allocator *allocator, dr_scene **scene, dr_error *error);

// The same from memory; `name` stands for the file in messages and its folder is where files are looked for.
DR_API dr_status dr_scene_parse(const char *text, size_t length, const char *name, const dr_allocator *allocator,
                                dr_scene **scene, dr_error *error);

// The description, to read and to edit. Lists and text put into it must outlive the scene or come from dr_scene_take.
DR_API dr_scene_spec *dr_scene_edit(dr_scene *scene);
DR_API const dr_scene_spec *dr_scene_view(const dr_scene *scene);
DR_API const char *dr_scene_name(const dr_scene *scene); // the file it came from, "scene" where there was none

// Zeroed memory that lives as long as the scene; NULL when memory is out.
DR_API void *dr_scene_take(dr_scene *scene, size_t bytes);

// Appends an item with its defaults to the list at `path` ("colliders", "colliders.ball.motion", ...) and gives its
// address, which holds until the list grows again.
DR_API dr_status dr_scene_append(dr_scene *scene, const char *path, void **item, dr_error *error);

// Sets one value as a scene file would write it: path "colliders.ball.friction" (items by name or number), text "0.3".
DR_API dr_status dr_scene_set(dr_scene *scene, const char *path, const char *text, dr_error *error);

// Describes the scene `factor` (above 0) times as finely: cells, edges of made cloth, loops and yarn of knits and
// weaves become smaller, hair of made grooms becomes more by the square, segments of strands on the grid follow the
// cell.
DR_API void dr_scene_refine(dr_scene *scene, double factor);

// Reads the files that the scene names and that were not read yet (after edits; dr_scene_read has done it).
DR_API dr_status dr_scene_load(dr_scene *scene, dr_error *error);

// Checks everything that can be known without simulating: ranges, names, meshes, memory, places. Files must be loaded.
DR_API dr_status dr_scene_check(const dr_scene *scene, dr_error *error);

// Writes every value, defaults included, as YAML that reads back to the same scene. Into a new block of *length bytes
// (and a closing zero) from the scene's allocator, freed by dr_scene_release_text.
DR_API dr_status dr_scene_write_text(const dr_scene *scene, char **text, size_t *length, dr_error *error);
DR_API void dr_scene_release_text(const dr_scene *scene, char *text, size_t length);

// Changes when anything that could change the result changes (not with titles, comments or order of keys).
DR_API dr_status dr_scene_hash(const dr_scene *scene, uint64_t *hash, dr_error *error);

// Lists the values that count for the hash and differ, one "time.frame_rate: 24 Hz -> 30 Hz" per line, as far as there
// is room; *count is how many there are.
DR_API dr_status dr_scene_difference(const dr_scene *before, const dr_scene *after, char *text, size_t room,
                                     int *count);

DR_API void dr_scene_destroy(dr_scene *scene);

// ---- built-in materials ---------------------------------------------------------------------------------------------

DR_API int dr_material_count(void);
DR_API const dr_material_spec *dr_material_at(int index);          // NULL past the end
DR_API const dr_material_spec *dr_material_find(const char *name); // NULL where there is none
DR_API const char *dr_material_kind_name(int kind);                // "liquid"; "" for what is no kind

// Calls visit with each value that a material of its kind has, as a scene would write it ("0.9 g/cm3"), and its
// meaning; stops when visit returns false. Returns how many were visited.
DR_API int dr_material_visit(const dr_material_spec *material,
                             bool (*visit)(void *user, const char *name, const char *value, const char *doc),
                             void *user);

// ---- what a scene may say -------------------------------------------------------------------------------------------

// One parameter as `drench params` shows it. Text lives as long as the program.
typedef struct dr_param {
    char path[160];                // "colliders[].shape.radius"
    const char *owner, *owner_doc; // the struct it belongs to: "shape"
    const char *type, *unit, *fallback, *doc, *hint;
    const char *word; // a word that may stand in place of a number ("never"), NULL where there is none
    bool required, limited;
    double min, max;   // in `unit`; infinite where only one side is limited
    char choices[240]; // "linear | quadratic | cubic"
    char kinds[200];   // the kinds of its owner that have it, "" for all
} dr_param;

// Calls visit for each parameter whose path begins with `prefix` (NULL: all), in the order of the tables; stops when
// visit returns false. Returns how many were visited.
DR_API int dr_param_visit(const char *prefix, bool (*visit)(void *user, const dr_param *param), void *user);

// The scene language as a JSON Schema (draft 2020-12) for editors, *length bytes and a closing zero, freed by
// dr_scene_schema_release. NULL allocator: the C library's.
DR_API dr_status dr_scene_schema(const dr_allocator *allocator, char **text, size_t *length, dr_error *error);
DR_API void dr_scene_schema_release(const dr_allocator *allocator, char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
