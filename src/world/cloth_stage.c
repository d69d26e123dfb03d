// Thin matter within the step: forces of its mesh, its way to the grid's nodes (or, with liquid, to its faces) and
// back. docs/theory/codim.md, sections 5 and 6.
#include "world/world.h"
#include "world/tuning.h"

#include "base/error.h"
#include "math/simd.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 1024 // elements or vertices of a sum: fixed, so that sums do not depend on the number of threads

bool dr_cloth_stage_any(const dr_world *world)
{
    return world->state.cloth.elements + world->state.yarn.elements > 0;
}

// Cloth lives on the nodes, or where there is liquid on its faces as a part of the bodies' phase.
static bool on_faces(const dr_world *world)
{
    return world->constants.bodies_meet_liquid;
}

dr_transfer dr_cloth_stage_transfer(const dr_world *world)
{
    dr_transfer transfer = world->constants.transfer;
    transfer.scheme = DR_SCHEME_APIC;
    return transfer;
}

// ---- memory

static size_t chunk_count(size_t items)
{
    return (items + CHUNK - 1) / CHUNK;
}

// By chunk of vertices, then of elements.
static size_t sum_count(const dr_thin *thin)
{
    return chunk_count(thin->mesh->vertices) + chunk_count(thin->mesh->elements);
}

typedef struct room {
    void **data;
    size_t bytes;
} room;

enum { THIN_ROOMS = 12, HELD_ROOMS = 15, BEND_ROOMS = 2 };

static void list_thin(const dr_world *world, dr_thin *thin, room rooms[THIN_ROOMS])
{
    size_t vertices = thin->mesh->vertices, elements = thin->mesh->elements;
    size_t n = on_faces(world) ? vertices * sizeof(float) : 0, e = on_faces(world) ? elements * sizeof(float) : 0;
    bool collides = dr_collider_set_count(world->constants.colliders) > 0;
    size_t points = collides ? vertices + elements : 0;
    const room all[THIN_ROOMS] = {{(void **)&thin->volume, n},
                                  {(void **)&thin->element_volume, e},
                                  {(void **)&thin->cover, n},
                                  {(void **)&thin->element_cover, e},
                                  {(void **)&thin->damping, thin->mesh->law_count * sizeof *thin->damping},
                                  {(void **)&thin->lift, collides ? elements * sizeof(float) : 0},
                                  {(void **)&thin->gap, collides ? vertices * sizeof(float) : 0},
                                  {(void **)&thin->element_gap, collides ? elements * sizeof(float) : 0},
                                  {(void **)&thin->friction, collides ? elements * sizeof(float) : 0},
                                  {(void **)&thin->stopped, world->load.wanted ? 3 * points * sizeof(float) : 0},
                                  {(void **)&thin->strains, chunk_count(elements) * sizeof *thin->strains},
                                  {(void **)&thin->sums, sum_count(thin) * sizeof *thin->sums}};
    memcpy(rooms, all, sizeof all);
}

static void list_held(dr_cloth_stage *stage, room rooms[HELD_ROOMS])
{
    dr_held_lattice *lattice = &stage->lattice;
    size_t n = stage->held_capacity, taps = (size_t)lattice->sets * lattice->room;
    const room all[HELD_ROOMS] = {
        {(void **)&stage->held_place, 3 * n * sizeof(double)},
        {(void **)&stage->held_goal, 3 * n * sizeof(double)},
        {(void **)&stage->residual, 3 * n * sizeof(double)},
        {(void **)&stage->search, 3 * n * sizeof(double)},
        {(void **)&stage->image, 3 * n * sizeof(double)},
        {(void **)&stage->solution, 3 * n * sizeof(double)},
        {(void **)&stage->held_diagonal, 3 * n * sizeof(double)},
        {(void **)&lattice->tap, taps * sizeof *lattice->tap},
        {(void **)&lattice->weight, taps * sizeof *lattice->weight},
        {(void **)&lattice->item, taps * sizeof *lattice->item},
        {(void **)&lattice->inverse, taps * sizeof *lattice->inverse},
        {(void **)&lattice->change, 3 * taps * sizeof *lattice->change},
        {(void **)&lattice->first, (taps + (size_t)lattice->sets) * sizeof *lattice->first},
        {(void **)&lattice->holder, taps * sizeof *lattice->holder},
        {(void **)&lattice->share, taps * sizeof *lattice->share},
    };
    memcpy(rooms, all, sizeof all);
}

static void size_lattice(dr_world *world)
{
    dr_held_lattice *lattice = &world->cloth.lattice;
    int side = dr_transfer_degree(world->constants.transfer.kernel) + 1;
    lattice->sets = on_faces(world) ? 3 : 1;
    lattice->taps = side * side * side;
    lattice->room = world->cloth.held_capacity * (size_t)lattice->taps;
}

static void list_bends(dr_world *world, room rooms[BEND_ROOMS])
{
    size_t n = world->cloth.bend_count > 0 ? world->state.cloth.vertices : 0;
    rooms[0] = (room){(void **)&world->cloth.bend_slope, 3 * n * sizeof(double)};
    rooms[1] = (room){(void **)&world->cloth.bend_mass, n * sizeof(double)};
}

static bool take_rooms(const dr_world *world, const room *rooms, int count)
{
    for (int i = 0; i < count; i++) {
        *rooms[i].data = dr_memory_alloc(world->allocator, rooms[i].bytes + 1);
        if (!*rooms[i].data) return false;
    }
    return true;
}

static void free_rooms(const dr_world *world, const room *rooms, int count)
{
    for (int i = 0; i < count; i++) {
        if (*rooms[i].data) dr_memory_free(world->allocator, *rooms[i].data, rooms[i].bytes + 1);
        *rooms[i].data = NULL;
    }
}

// Solid volumes go with the masses, or what is as heavy as liquid would drift in it.
static void share_volume(dr_thin *thin, double cell)
{
    const dr_manifold *m = thin->mesh;
    size_t corners = (size_t)m->corners;
    for (size_t e = 0; e < m->elements; e++) {
        float share = (float)((double)m->element_mass[e] / m->laws[m->body[e]].fibres);
        float cover = (float)(dr_manifold_volume(m, e) / m->laws[m->body[e]].thickness * cell / (double)(corners + 1));
        thin->element_volume[e] = share;
        thin->element_cover[e] = cover;
        for (size_t k = 0; k < corners; k++) {
            thin->volume[m->index[corners * e + k]] += share;
            thin->cover[m->index[corners * e + k]] += cover;
        }
    }
}

static dr_status open_thin(dr_world *world, dr_thin *thin, dr_error *error)
{
    room rooms[THIN_ROOMS];
    list_thin(world, thin, rooms);
    if (!take_rooms(world, rooms, THIN_ROOMS) || !dr_manifold_join(thin->mesh, world->allocator) ||
        !dr_points_reserve(&thin->elements, world->allocator, thin->mesh->elements))
        return dr_error_memory(error, "making cloth");
    thin->elements.count = thin->mesh->elements;
    if (on_faces(world)) share_volume(thin, world->grid.cell);
    dr_cloth_hold_bind(world, thin);
    world->cloth.held_capacity += thin->hold_count;
    return DR_STATUS_OK;
}

// Limits as they rest: cloth lies as it was made, but for a small disturbance.
static bool open_bends(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    const dr_manifold *m = &world->state.cloth;
    room rooms[BEND_ROOMS];
    list_bends(world, rooms);
    if (!take_rooms(world, rooms, BEND_ROOMS)) return false;
    for (size_t v = 0; v < m->vertices && stage->bend_count > 0; v++) stage->bend_mass[v] = (double)m->mass[v];
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *bend = &stage->bends[i];
        bend->rest_limit = dr_bending_limit(&bend->bending, &world->par, m->position + 3 * bend->first,
                                            stage->bend_mass + bend->first);
    }
    return true;
}

static void close_bends(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    room rooms[BEND_ROOMS];
    list_bends(world, rooms);
    free_rooms(world, rooms, BEND_ROOMS);
    for (int i = 0; i < stage->bend_count; i++) dr_cloth_clamp_close(world, &stage->bends[i]);
    dr_memory_free(world->allocator, stage->bends, stage->bend_capacity * sizeof *stage->bends);
}

dr_status dr_cloth_stage_open(dr_world *world, dr_error *error)
{
    dr_cloth_stage *stage = &world->cloth;
    room rooms[HELD_ROOMS];
    if (!open_bends(world)) return dr_error_memory(error, "making cloth");
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!dr_thin_is_present(&stage->thin[i])) continue;
        dr_status status = open_thin(world, &stage->thin[i], error);
        if (status != DR_STATUS_OK) return status;
    }
    size_lattice(world);
    list_held(stage, rooms);
    return take_rooms(world, rooms, HELD_ROOMS) && dr_cloth_implicit_open(world) && dr_cloth_rods_open(world)
               ? dr_cloth_view_open(world, error)
               : dr_error_memory(error, "making cloth");
}

static void close_holds(dr_thin *thin, const dr_allocator *allocator)
{
    for (int g = 0; g < thin->group_count; g++) dr_motion_destroy(thin->groups[g].motion);
    dr_memory_free(allocator, thin->groups, thin->group_capacity * sizeof *thin->groups);
    dr_memory_free(allocator, thin->holds, thin->hold_capacity * sizeof *thin->holds);
}

static void close_thin(dr_world *world, dr_thin *thin)
{
    const dr_allocator *allocator = world->allocator;
    room rooms[THIN_ROOMS];
    if (!thin->mesh) return;
    list_thin(world, thin, rooms);
    free_rooms(world, rooms, THIN_ROOMS);
    dr_points_free(&thin->vertices, allocator);
    dr_points_free(&thin->elements, allocator);
    close_holds(thin, allocator);
    dr_manifold_free(thin->mesh, allocator);
}

void dr_cloth_stage_close(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    room held[HELD_ROOMS];
    dr_cloth_view_close(world);
    dr_cloth_rods_close(world);
    close_bends(world);
    for (int i = 0; i < DR_THIN_COUNT; i++) close_thin(world, &stage->thin[i]);
    close_holds(&stage->hair, world->allocator);
    list_held(stage, held);
    free_rooms(world, held, HELD_ROOMS);
    dr_held_lattice *lattice = &stage->lattice;
    dr_memory_free(world->allocator, lattice->table_of, lattice->table_of_capacity * sizeof *lattice->table_of);
    dr_memory_free(world->allocator, lattice->table, lattice->table_capacity * sizeof *lattice->table);
    dr_memory_free(world->allocator, stage->gap, stage->gap_capacity * sizeof *stage->gap);
    dr_memory_free(world->allocator, stage->joins, stage->join_capacity * sizeof *stage->joins);
    dr_cloth_implicit_close(world);
    *stage = (dr_cloth_stage){0};
}

// Blocks have no tables between steps. A held vertex touches eight of them at most.
static bool reserve_lattice(dr_world *world)
{
    dr_held_lattice *lattice = &world->cloth.lattice;
    size_t blocks = world->grid.block_count, most = 8 * world->cloth.held, before = lattice->table_of_capacity;
    if (world->cloth.held == 0) return true;
    if (!dr_memory_reserve(world->allocator, (void **)&lattice->table_of, &lattice->table_of_capacity, blocks,
                           sizeof *lattice->table_of) ||
        !dr_memory_reserve(world->allocator, (void **)&lattice->table, &lattice->table_capacity,
                           (most < blocks ? most : blocks) * DR_BLOCK_NODES, sizeof *lattice->table))
        return false;
    memset(lattice->table_of + before, 0, (lattice->table_of_capacity - before) * sizeof *lattice->table_of);
    return true;
}

bool dr_cloth_stage_reserve(dr_world *world)
{
    return !world->constants.has_thin || (reserve_lattice(world) && dr_cloth_implicit_reserve(world));
}

// ---- forces

typedef struct pass {
    dr_world *world;
    dr_thin *thin;
    double dt;
    const float *solved; // [vertex][4] velocities by which the implicit step moves vertices; NULL: the grid's
} pass;

// What a kernel makes of stiffness across the mesh: kappa / h^2.
static double grid_stiffness(const dr_world *world)
{
    double kappa = world->constants.transfer.kernel == DR_KERNEL_CUBIC ? 3.0 : 4.0;
    return kappa / (world->grid.cell * world->grid.cell);
}

static void place_elements(const pass *job, size_t begin, size_t end, const double *middle)
{
    const dr_points *points = &job->thin->elements;
    dr_grid_place_many(&job->world->grid, middle, end - begin, points->key + begin, points->offset + 3 * begin);
}

static void strain_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    double middle[3 * CHUNK];
    for (size_t e = begin; e < end; e++) dr_manifold_middle(job->thin->mesh, e, middle + 3 * (e - begin));
    job->thin->strains[begin / CHUNK] = dr_manifold_strain(job->thin->mesh, begin, end, grid_stiffness(job->world));
    place_elements(job, begin, end, middle);
}

// Strains and places of elements, once per state: of the first; of others as directions flow.
static void strain(dr_world *world, dr_thin *thin)
{
    pass job = {.world = world, .thin = thin};
    dr_par_for(&world->par, thin->mesh->elements, CHUNK, strain_elements, &job);
    thin->strained = true;
}

static void survey(dr_cloth_stage *stage, const dr_thin *thin)
{
    for (size_t i = 0; i < chunk_count(thin->mesh->elements); i++) {
        stage->eigenvalue = fmax(stage->eigenvalue, fmax(thin->strains[i].along, thin->strains[i].across));
        stage->degenerate += thin->strains[i].degenerate;
    }
}

static void gather_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_manifold_gather(job->thin->mesh, begin, end, dr_cloth_stage_slope(job->world, job->thin));
}

const double *dr_cloth_stage_slope(const dr_world *world, const dr_thin *thin)
{
    const dr_cloth_stage *stage = &world->cloth;
    if (thin == &stage->thin[DR_THIN_YARN]) return dr_cloth_rods_any(world) ? stage->rod_slope : NULL;
    return stage->bend_count > 0 ? stage->bend_slope : NULL;
}

static void bend(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    dr_manifold *m = &world->state.cloth;
    double largest = 0.0;
    if (stage->bend_count == 0) return;
    dr_cloth_clamp_choose(world);
    memset(stage->bend_slope, 0, 3 * m->vertices * sizeof *stage->bend_slope);
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *one = &stage->bends[i];
        const double *x = m->position + 3 * one->first;
        double limit = DR_CLOTH_SQUEEZED * one->rest_limit;
        if (!one->known) dr_bending_linearise(&one->bending, &world->par, x);
        one->known = false;
        dr_bending_gradient_again(&one->bending, &world->par, stage->bend_slope + 3 * one->first);
        if (DR_CLOTH_SQUEEZED * limit > stage->eigenvalue)
            limit = dr_bending_limit(&one->bending, &world->par, x, stage->bend_mass + one->first);
        largest = fmax(largest, limit);
    }
    stage->eigenvalue += largest;
}

void dr_cloth_stage_pull(dr_world *world)
{
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        pass job = {.world = world, .thin = &world->cloth.thin[i]};
        if (dr_thin_is_present(job.thin))
            dr_par_for(&world->par, job.thin->mesh->vertices, CHUNK, gather_vertices, &job);
    }
}

bool dr_cloth_stage_place(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    stage->eigenvalue = 0.0;
    stage->degenerate = 0;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        dr_thin *thin = &stage->thin[i];
        if (!dr_thin_is_present(thin)) continue;
        if (!thin->strained) strain(world, thin);
        survey(stage, thin);
        if (!dr_grid_place_points(&world->grid, &world->par, thin->mesh->position, thin->mesh->vertices,
                                  &thin->vertices))
            return false;
    }
    bend(world);
    dr_cloth_rods_bend(world);
    dr_cloth_stage_pull(world);
    dr_cloth_hold_place(world);
    return true;
}

// ---- to the grid

static void give_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    const dr_thin *thin = user;
    for (size_t i = 0; i < count; i++) {
        size_t e = dr_residents_point(&thin->elements.residents, first + i);
        dr_manifold_stress(thin->mesh, e, stress[i]);
    }
}

static void gather_load(dr_world *world, const dr_transfer_load *load)
{
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    transfer.add = true;
    if (!on_faces(world)) {
        dr_transfer_load_nodes(&transfer, &world->grid, &world->par, load, world->node);
        return;
    }
    for (; load; load = load->with)
        dr_transfer_load_faces(&transfer, &world->grid, &world->par, load, world->bodies.mass, world->bodies.momentum);
}

void dr_cloth_stage_gather(dr_world *world, double dt)
{
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        const dr_manifold *m = thin->mesh;
        const dr_transfer_load vertices = {.places = dr_transfer_point_places(&thin->vertices),
                                           .mass = m->mass,
                                           .velocity = m->velocity,
                                           .affine = m->affine,
                                           .force = world->cloth.solve.on ? NULL : m->force,
                                           .dt = dt};
        gather_load(world, &(dr_transfer_load){.places = dr_transfer_point_places(&thin->elements),
                                               .mass = m->element_mass,
                                               .velocity = m->element_velocity,
                                               .affine = m->element_affine,
                                               .dt = dt,
                                               .stress = world->cloth.solve.on ? NULL : give_stress,
                                               .user = thin,
                                               .column = {{m->press, (m->corners == 3 ? 3 : 6) * sizeof *m->press}},
                                               .with = &vertices});
    }
}

static void spread(dr_world *world, const dr_points *points, const float *value, bool add, float *face)
{
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    dr_transfer_places places = dr_transfer_point_places(points);
    transfer.add = add;
    dr_transfer_spread_faces(&transfer, &world->grid, &world->par, &places, value, face);
}

void dr_cloth_stage_gather_volume(dr_world *world, float *cover)
{
    bool add = false;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        spread(world, &thin->vertices, thin->volume, true, world->bodies.volume);
        spread(world, &thin->elements, thin->element_volume, true, world->bodies.volume);
        spread(world, &thin->vertices, thin->cover, add, cover);
        spread(world, &thin->elements, thin->element_cover, true, cover);
        add = true;
    }
}

bool dr_cloth_stage_press(dr_world *world, dr_try *attempt)
{
    return !dr_cloth_stage_any(world) || !on_faces(world) || !world->cloth.solve.on ||
           dr_cloth_implicit_run(world, attempt);
}

bool dr_cloth_stage_solve(dr_world *world, dr_try *attempt)
{
    world->cloth.gap_step = 0.0;
    if (!dr_cloth_stage_any(world) || on_faces(world)) return true; // there body_stage.c holds it
    if (!dr_cloth_gap_find(world, attempt->dt)) return false;
    if (world->cloth.solve.on) return dr_cloth_implicit_run(world, attempt);
    dr_cloth_hold_solve(world, attempt);
    return true;
}

// ---- motion

// Momentum and kinetic energy of masses with affine velocities, whose part has the inertia m h^2/(6-b). Lanes are axes,
// but those of kinetic.
typedef struct motion {
    dr_double4 linear, angular, place, kinetic;
    double mass, squared, inertia;
} motion;

static double affine_inertia(const dr_world *world)
{
    double h = world->grid.cell;
    return h * h / (world->constants.transfer.kernel == DR_KERNEL_CUBIC ? 3.0 : 4.0);
}

static motion begin_motion(const dr_world *world)
{
    dr_double4 none = dr_double4_all(0.0);
    return (motion){none, none, none, none, 0.0, 0.0, affine_inertia(world)};
}

DR_INLINE void add_motion(double mass, const double x[3], const float v[3], const float c[9], motion *sum)
{
    dr_double4 m = dr_double4_all(mass), inertia = dr_double4_all(sum->inertia), at = {x[0], x[1], x[2], 0.0};
    dr_double4 u = dr_double4_from(dr_float4_load3(v)), own = u * u;
    dr_double4 a = dr_double4_from(dr_float4_load(c)), b = dr_double4_from(dr_float4_load(c + 4));
    dr_double4 last = {(double)c[8], 0.0, 0.0, 0.0}, affine = a * a + b * b + last * last;
    dr_double4 twist = (dr_double4){b[3], a[2], a[3], 0.0} - (dr_double4){b[1], b[2], a[1], 0.0};
    dr_double4 turn = __builtin_shufflevector(at, at, 1, 2, 0, 3) * __builtin_shufflevector(u, u, 2, 0, 1, 3) -
                      __builtin_shufflevector(at, at, 2, 0, 1, 3) * __builtin_shufflevector(u, u, 1, 2, 0, 3);
    double squared = own[0] + own[1] + own[2];
    sum->linear += m * u;
    sum->angular += m * (turn + inertia * twist);
    sum->place += m * at;
    sum->kinetic += m * (own + inertia * affine);
    sum->mass += mass;
    if (!(squared <= sum->squared)) sum->squared = squared;
}

static dr_budget budget_of(const dr_world *world, const dr_manifold_motion *sum)
{
    dr_budget out = {.mass = sum->mass, .speed = sqrt(sum->squared), .kinetic = sum->kinetic};
    for (int a = 0; a < 3; a++) {
        out.linear[a] = sum->linear[a];
        out.angular[a] = sum->angular[a];
        out.potential -= world->constants.gravity[a] * sum->place[a];
    }
    return out;
}

static dr_budget end_motion(const dr_world *world, const motion *sum)
{
    dr_manifold_motion out = {
        .mass = sum->mass, .squared = sum->squared, .kinetic = 0.5 * dr_double4_total(sum->kinetic)};
    for (int a = 0; a < 3; a++) {
        out.linear[a] = sum->linear[a];
        out.angular[a] = sum->angular[a];
        out.place[a] = sum->place[a];
    }
    return budget_of(world, &out);
}

// ---- and back

void dr_cloth_stage_visit(dr_world *world, const dr_transfer_visit *visit)
{
    dr_transfer transfer = dr_cloth_stage_transfer(world);
    if (on_faces(world))
        dr_transfer_visit_faces(&transfer, &world->grid, &world->par, visit, world->bodies.velocity);
    else
        dr_transfer_visit_nodes(&transfer, &world->grid, &world->par, visit, world->node);
}

// RPIC: the symmetric part of what is carried along is damped, (7.1); the strain sees the whole.
static void damp(const float gradient[9], float damping, float affine[9])
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            affine[3 * r + c] = (1.0F - 0.5F * damping) * gradient[3 * r + c] - 0.5F * damping * gradient[3 * c + r];
    }
}

static void find_damping(const dr_world *world, dr_thin *thin, double dt)
{
    const dr_constants *constants = &world->constants;
    for (size_t i = 0; i < thin->mesh->law_count; i++) {
        double nu = fmax(thin->mesh->laws[i].damping, constants->damping);
        if (constants->damping_step > 0.0) nu = 1.0 - pow(1.0 - nu, dt / constants->damping_step);
        thin->damping[i] = (float)nu;
    }
}

// Nodes stop at a collider, and what lies between the last of them and its surface may end up to a cell inside: such
// vertices are put on the surface, half their thickness above it. Velocities stay the grid's.
static void bring_out(const dr_world *world, double stand, double x[3])
{
    const dr_collider_set *colliders = world->constants.colliders;
    double normal[3];
    if (dr_collider_set_count(colliders) == 0 || dr_collider_set_misses(colliders, x, world->grid.cell + stand)) return;
    double depth = stand - dr_collider_set_distance(colliders, x, normal, NULL);
    if (depth > 0.0 && depth < world->grid.cell + stand) dr_vec3_add_scaled(x, x, depth, normal);
}

// At colliders. point: its number among vertices and, after them, elements.
static void stop(const pass *job, size_t point, float gap, const double x[3], float velocity[3])
{
    float before[3];
    memcpy(before, velocity, sizeof before);
    dr_cloth_gap_stop(job->world, gap, x, velocity);
    for (size_t a = 0; a < 3 && job->world->load.wanted; a++)
        job->thin->stopped[3 * point + a] = before[a] - velocity[a];
}

static void move_vertices(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    const pass *job = user;
    dr_manifold *m = job->thin->mesh;
    bool meets = job->world->cloth.gap_step > 0.0;
    for (size_t i = 0; i < count; i++) {
        size_t v = dr_residents_point(&job->thin->vertices.residents, first + i);
        if (m->first[v] == m->first[v + 1]) continue; // a vertex of no element stays
        uint32_t body = m->law_count > 1 ? m->body[m->slot[m->first[v]] / (uint32_t)m->corners] : 0;
        float *velocity = m->velocity + 3 * v;
        memcpy(velocity, value[i], 3 * sizeof(float)); // which has the grid's momentum
        if (meets) stop(job, v, job->thin->gap[v], m->position + 3 * v, velocity);
        const float *going = job->solved ? job->solved + 4 * v : velocity;
        for (size_t a = 0; a < 3; a++) m->position[3 * v + a] += job->dt * (double)going[a];
        bring_out(job->world, dr_cloth_gap_stand(job->world, job->thin, body, v), m->position + 3 * v);
        damp(gradient[i], job->thin->damping[body], m->affine + 9 * v);
    }
}

// Layers that lie on a collider feel its friction too: between the collider's nodes and the mesh the contact of the
// sheet itself carries the load, and the weaker of two frictions in series would act. (7.2)
static double friction_at(const dr_world *world, const double x[3])
{
    const dr_collider_set *colliders = world->constants.colliders;
    double reach = DR_CLOTH_NEAR_COLLIDER * world->grid.cell;
    if (dr_collider_set_count(colliders) == 0 || dr_collider_set_misses(colliders, x, reach)) return 0.0;
    dr_collider_point point = dr_collider_set_nearest(colliders, x);
    return point.index >= 0 && point.distance < reach ? point.friction : 0.0;
}

// Elements receive velocities and gradients, which become affine velocities once directions have flowed with them.
static void take_motion(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    const pass *job = user;
    dr_manifold *m = job->thin->mesh;
    for (size_t i = 0; i < count; i++) {
        size_t e = dr_residents_point(&job->thin->elements.residents, first + i);
        memcpy(m->element_velocity + 3 * e, value[i], 3 * sizeof(float));
        memcpy(m->element_affine + 9 * e, gradient[i], sizeof *gradient);
    }
}

static void visit_points(pass *job)
{
    const dr_manifold *m = job->thin->mesh;
    const dr_transfer_visit elements = {.places = dr_transfer_point_places(&job->thin->elements),
                                        .call = take_motion,
                                        .user = job,
                                        .column = {{m->element_velocity, 3 * sizeof *m->element_velocity},
                                                   {m->element_affine, 9 * sizeof *m->element_affine}}};
    dr_cloth_stage_visit(job->world, &(dr_transfer_visit){.places = dr_transfer_point_places(&job->thin->vertices),
                                                          .call = move_vertices,
                                                          .user = job,
                                                          .column = {{m->position, 3 * sizeof *m->position},
                                                                     {m->velocity, 3 * sizeof *m->velocity},
                                                                     {m->affine, 9 * sizeof *m->affine},
                                                                     {m->first, 2 * sizeof *m->first}},
                                                          .with = &elements});
}

// Elements at colliders, where they were as the step began: which friction they feel, and what is left of their
// velocity.
static void meet_colliders(const pass *job, size_t begin, size_t end)
{
    const dr_points *points = &job->thin->elements;
    dr_manifold *m = job->thin->mesh;
    for (size_t e = begin; e < end; e++) {
        double middle[3];
        dr_grid_position(&job->world->grid, points->key[e], points->offset + 3 * e, middle);
        job->thin->friction[e] = (float)friction_at(job->world, middle);
        if (job->world->cloth.gap_step > 0.0)
            stop(job, m->vertices + e, job->thin->element_gap[e], middle, m->element_velocity + 3 * e);
    }
}

// With vertices in place directions flow with the whole gradient, and are strained; where elements are now is where the
// next step begins.
static void flow_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_world *world = job->world;
    dr_thin *thin = job->thin;
    bool collides = dr_collider_set_count(world->constants.colliders) > 0;
    const dr_manifold_step step = {job->dt, world->cloth.solve.on, affine_inertia(world), thin->damping,
                                   collides ? thin->friction : NULL};
    dr_manifold_strains strains = {0};
    dr_manifold_motion motion = {0};
    double middle[3 * CHUNK];
    if (collides) meet_colliders(job, begin, end);
    dr_manifold_flow(thin->mesh, &step, begin, end, grid_stiffness(world), &strains, &motion, middle);
    place_elements(job, begin, end, middle);
    thin->strains[begin / CHUNK] = strains;
    thin->sums[chunk_count(thin->mesh->vertices) + begin / CHUNK] = budget_of(world, &motion);
}

// What colliders took from vertices and elements themselves.
static void load_stops(dr_world *world, const dr_thin *thin)
{
    const dr_manifold *m = thin->mesh;
    for (size_t i = 0; i < m->vertices + m->elements; i++) {
        bool vertex = i < m->vertices;
        size_t e = vertex ? 0 : i - m->vertices;
        const float *lost = thin->stopped + 3 * i;
        double mass = (double)(vertex ? m->mass[i] : m->element_mass[e]), middle[3];
        if ((vertex && m->first[i] == m->first[i + 1]) || (lost[0] == 0.0F && lost[1] == 0.0F && lost[2] == 0.0F))
            continue;
        if (!vertex) dr_manifold_middle(m, e, middle);
        dr_load_stop(world, vertex ? m->position + 3 * i : middle,
                     (double[3]){mass * (double)lost[0], mass * (double)lost[1], mass * (double)lost[2]});
    }
}

void dr_cloth_stage_move(dr_world *world, const dr_try *attempt)
{
    dr_cloth_stage *stage = &world->cloth;
    bool solved = stage->solve.on && on_faces(world);
    if (solved) dr_cloth_implicit_fastest(world, world->bodies.velocity);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        pass job = {world, &stage->thin[i], attempt->dt, solved ? stage->solve.value[i] : NULL};
        if (!dr_thin_is_present(job.thin)) continue;
        find_damping(world, job.thin, attempt->dt);
        visit_points(&job);
    }
    dr_cloth_hold_commit(world, attempt->dt); // so that lifts know them
    dr_cloth_gap_lift(world);
    dr_cloth_hold_commit(world, attempt->dt);
    dr_cloth_join_keep(world);
    dr_cloth_rods_keep(world);
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        pass job = {world, &stage->thin[i], attempt->dt, NULL};
        if (!dr_thin_is_present(job.thin)) continue;
        dr_par_for(&world->par, job.thin->mesh->elements, CHUNK, flow_elements, &job);
        job.thin->strained = job.thin->flowed = true;
        if (world->load.wanted && stage->gap_step > 0.0) load_stops(world, job.thin);
    }
}

// ---- budgets

static void sum_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_manifold *m = job->thin->mesh;
    motion sum = begin_motion(job->world);
    for (size_t v = begin; v < end; v++)
        add_motion((double)m->mass[v], m->position + 3 * v, m->velocity + 3 * v, m->affine + 9 * v, &sum);
    job->thin->sums[begin / CHUNK] = end_motion(job->world, &sum);
}

static void sum_elements(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_manifold *m = job->thin->mesh;
    motion sum = begin_motion(job->world);
    for (size_t e = begin; e < end; e++) {
        double x[3];
        dr_manifold_middle(m, e, x);
        add_motion((double)m->element_mass[e], x, m->element_velocity + 3 * e, m->element_affine + 9 * e, &sum);
    }
    job->thin->sums[chunk_count(m->vertices) + begin / CHUNK] = end_motion(job->world, &sum);
}

// Elements that have just flowed were summed up then.
static void account(dr_world *world, dr_thin *thin, dr_budget *sum)
{
    if (!dr_thin_is_present(thin)) return;
    pass job = {.world = world, .thin = thin};
    size_t first = chunk_count(thin->mesh->vertices);
    dr_par_for(&world->par, thin->mesh->vertices, CHUNK, sum_vertices, &job);
    if (!thin->flowed) {
        strain(world, thin);
        dr_par_for(&world->par, thin->mesh->elements, CHUNK, sum_elements, &job);
    }
    thin->flowed = false;
    size_t count = sum_count(thin);
    for (size_t i = first; i < count; i++) thin->sums[i].elastic = thin->strains[i - first].energy;
    for (size_t stride = 1; stride < count; stride *= 2) {
        for (size_t i = 0; i + stride < count; i += 2 * stride) dr_budget_add(&thin->sums[i], &thin->sums[i + stride]);
    }
    dr_budget_add(sum, &thin->sums[0]);
}

void dr_cloth_stage_account(dr_world *world, dr_budget *sum)
{
    dr_cloth_stage *stage = &world->cloth;
    account(world, &stage->thin[DR_THIN_CLOTH], sum);
    for (int i = 0; i < stage->bend_count; i++) {
        dr_cloth_bend *bend = &stage->bends[i];
        sum->elastic += dr_bending_energy(&bend->bending, &world->par, world->state.cloth.position + 3 * bend->first);
        bend->known = true;
    }
}

void dr_cloth_stage_account_yarn(dr_world *world, dr_budget *sum)
{
    account(world, &world->cloth.thin[DR_THIN_YARN], sum);
    sum->elastic += dr_cloth_rods_account(world);
}

// The next line of warnings, of 200 characters; NULL: there is none.
static char *next_warning(dr_world *world)
{
    dr_report *report = &world->report;
    return report->warning_count < DR_REPORT_WARNINGS ? report->warnings[report->warning_count++] : NULL;
}

enum { WARNING = sizeof((dr_report *)NULL)->warnings[0] };

static void tell_mending(dr_world *world, const char *name, const dr_cloth_mend *mend)
{
    char *line = mend->flat > 0 ? next_warning(world) : NULL;
    if (line) snprintf(line, WARNING, "cloth \"%.60s\": %zu triangles without area are left out", name, mend->flat);
    line = mend->left_out > 0 ? next_warning(world) : NULL;
    if (line)
        snprintf(line, WARNING, "cloth \"%.60s\": %zu triangles that repeat others are left out, triangle %zu first",
                 name, mend->left_out, mend->first);
    line = mend->turned > 0 ? next_warning(world) : NULL;
    if (line)
        snprintf(line, WARNING, "cloth \"%.60s\": %zu triangles were turned round, so that neighbours agree on a side",
                 name, mend->turned);
    line = mend->one_sided ? next_warning(world) : NULL;
    if (line) snprintf(line, WARNING, "cloth \"%.60s\": its triangles cannot agree on a side", name);
    line = mend->idle > 0 ? next_warning(world) : NULL;
    if (line)
        snprintf(line, WARNING, "cloth \"%.60s\": %zu vertices belong to no triangle, and stay where they are", name,
                 mend->idle);
}

// Strands of other contact know nothing of what is on the grid.
static void tell_strangers(dr_world *world)
{
    const dr_cloth_stage *stage = &world->cloth;
    const dr_constants *constants = &world->constants;
    for (int k = 0; k < constants->strand_kind_count; k++) {
        const dr_strand_kind *kind = &constants->strand_kinds[k];
        bool meets = kind->spec.contact == DR_MEET_CONE || kind->spec.contact == DR_MEET_PENALTY;
        char *line = meets && kind->count > 0 ? next_warning(world) : NULL;
        if (!line) continue;
        snprintf(line, WARNING,
                 "strands \"%.60s\" pass through %s: only those of contact: grid meet what is on the grid",
                 kind->spec.name ? kind->spec.name : "",
                 dr_thin_is_present(&stage->thin[DR_THIN_CLOTH]) ? "cloth" : "yarn of contact: grid");
        return;
    }
}

void dr_cloth_stage_report(dr_world *world)
{
    const dr_cloth_stage *stage = &world->cloth;
    dr_report *report = &world->report;
    if (world->state.step == 1) {
        const dr_manifold *m = &world->state.cloth;
        for (size_t i = 0; m->elements > 0 && i < m->law_count; i++)
            tell_mending(world, stage->thin[DR_THIN_CLOTH].entries[i].name, &stage->mends[i]);
        tell_strangers(world);
    }
    if (stage->solve.on) {
        dr_account_solve(world, &stage->solve.report);
        dr_account_solve(world, &stage->solve.inner);
    } else if (stage->held > 0)
        dr_account_solve(world,
                         &(dr_solve_report){"holds", DR_REASON_CONVERGED, stage->hold_iterations, stage->hold_error});
    if (stage->degenerate == 0 || report->warning_count >= DR_REPORT_WARNINGS) return;
    snprintf(report->warnings[report->warning_count++], sizeof report->warnings[0],
             "cloth: %zu elements have collapsed to a line", stage->degenerate);
}

void dr_cloth_stage_report_yarn(dr_world *world)
{
    if (world->state.cloth.elements == 0) dr_cloth_stage_report(world);
}
