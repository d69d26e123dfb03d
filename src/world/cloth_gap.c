// How far thin matter is from the colliders that it may leave. A node in a collider stops what it carries when that is
// there, and not cells above: the constraint of a step is on places, g + dt v.n >= 0 (Stewart and Trinkle 1996), g the
// least distance of the vertices and elements that touch the node. What these read from nodes beside the collider is
// stopped at themselves (Stomakhin et al. 2013). docs/theory/codim.md, section 7.
#include "world/world.h"

#include "grid/stencil.h"
#include "math/vec.h"

#include <math.h>

typedef struct gap_job {
    dr_world *world;
    const dr_thin *thin;
    const dr_points *points; // its vertices or its elements
    const uint32_t *blocks;  // of one colour
    double dt;
} gap_job;

static double reach_of(const dr_world *world)
{
    return 0.5 * sqrt(3.0) * (dr_transfer_degree(world->constants.transfer.kernel) + 1) * world->grid.cell;
}

static bool is_near(const dr_world *world, size_t block, double reach)
{
    static const double none[3] = {0};
    double center[3];
    dr_grid_point(&world->grid, block, 0, none, center);
    for (int a = 0; a < 3; a++) center[a] += (DR_GRID_SHIFT + 0.5 * DR_BLOCK_SIDE) * world->grid.cell;
    reach += 0.5 * sqrt(3.0) * DR_BLOCK_SIDE * world->grid.cell;
    return !dr_collider_set_misses(world->constants.colliders, center, reach);
}

double dr_cloth_gap_stand(const dr_world *world, const dr_thin *thin, uint32_t law, size_t vertex)
{
    bool yarn = thin == &world->cloth.thin[DR_THIN_YARN];
    return yarn ? (double)world->cloth.radius[vertex] : 0.5 * thin->mesh->laws[law].thickness;
}

static double stand_of(const gap_job *job, size_t p)
{
    const dr_manifold *m = job->thin->mesh;
    bool vertex = job->points == &job->thin->vertices;
    if (vertex && m->first[p] == m->first[p + 1]) return 0.0;
    size_t e = vertex ? m->slot[m->first[p]] / (uint32_t)m->corners : p;
    return dr_cloth_gap_stand(job->world, job->thin, m->body[e], vertex ? p : m->index[(size_t)m->corners * e]);
}

// From where colliders were as the step began.
static double find_gap(const gap_job *job, size_t p, const double x[3])
{
    dr_collider_point point = dr_collider_set_nearest(job->world->constants.colliders, x);
    double before = point.distance + job->dt * dr_vec3_dot(point.velocity, point.normal);
    return fmax(0.0, before - stand_of(job, p));
}

// What is told to points themselves. Where colliders bulge a vertex is there when the middle of one of its elements is;
// gaps of elements come first.
static void keep_gap(const gap_job *job, size_t p, float gap)
{
    const dr_manifold *m = job->thin->mesh;
    if (job->points == &job->thin->elements) {
        job->thin->element_gap[p] = gap;
        return;
    }
    for (uint32_t i = m->first[p]; i < m->first[p + 1]; i++)
        gap = fminf(gap, job->thin->element_gap[m->slot[i] / (uint32_t)m->corners]);
    job->thin->gap[p] = gap;
}

static void visit_block(const gap_job *job, size_t block)
{
    const dr_world *world = job->world;
    const dr_residents *residents = &job->points->residents;
    float *gap = world->cloth.gap;
    double reach = reach_of(world);
    if (!is_near(world, block, reach)) return;
    for (size_t n = residents->first[block]; n < residents->first[block + 1]; n++) {
        size_t p = dr_residents_point(residents, n), item[64];
        double x[3];
        dr_grid_position(&world->grid, job->points->key[p], job->points->offset + 3 * p, x);
        if (dr_collider_set_misses(world->constants.colliders, x, reach)) continue;
        float found = (float)find_gap(job, p, x);
        keep_gap(job, p, found);
        size_t count =
            dr_weights_items(&world->grid, world->constants.transfer.kernel, block, job->points->offset + 3 * p, item);
        for (size_t i = 0; i < count; i++) gap[item[i]] = fminf(gap[item[i]], found);
    }
}

static void visit_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const gap_job *job = user;
    for (size_t n = begin; n < end; n++) visit_block(job, job->blocks[n]);
}

static void visit(dr_world *world, const dr_thin *thin, const dr_points *points, double dt)
{
    const dr_residents *residents = &points->residents;
    gap_job job = {.world = world, .thin = thin, .points = points, .dt = dt};
    for (int c = 0; c < 8; c++) {
        job.blocks = residents->colour_block + residents->colour_first[c];
        dr_par_for(&world->par, residents->colour_first[c + 1] - residents->colour_first[c], 4, visit_blocks, &job);
    }
}

// Nodes that carry particles too stop at once: those do not know their gaps.
static void leave_to_particles(dr_world *world)
{
    const dr_residents *residents = &world->state.particles.residents;
    for (size_t b = 0; b < world->grid.block_count && world->state.particles.count > 0; b++) {
        if (residents->first[b] == residents->first[b + 1]) continue;
        for (int upper = 0; upper < 8; upper++) {
            int32_t owner = dr_stencil_upper(&world->grid, b, upper);
            for (size_t n = 0; n < DR_BLOCK_NODES && owner >= 0; n++)
                world->cloth.gap[(size_t)owner * DR_BLOCK_NODES + n] = 0.0F;
        }
    }
}

bool dr_cloth_gap_find(dr_world *world, double dt)
{
    dr_cloth_stage *stage = &world->cloth;
    size_t nodes = world->grid.block_count * DR_BLOCK_NODES;
    if (dr_collider_set_count(world->constants.colliders) == 0) return true;
    if (!dr_memory_reserve(world->allocator, (void **)&stage->gap, &stage->gap_capacity, nodes, sizeof *stage->gap))
        return false;
    for (size_t n = 0; n < nodes; n++) stage->gap[n] = INFINITY;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &stage->thin[i];
        if (!dr_thin_is_present(thin)) continue;
        for (size_t e = 0; e < thin->mesh->elements; e++) thin->element_gap[e] = INFINITY;
        for (size_t v = 0; v < thin->mesh->vertices; v++) thin->gap[v] = INFINITY;
        visit(world, thin, &thin->elements, dt);
        visit(world, thin, &thin->vertices, dt);
    }
    leave_to_particles(world);
    stage->gap_step = dt;
    return true;
}

// ---- vertices and elements themselves

void dr_cloth_gap_stop(const dr_world *world, float gap, const double x[3], float velocity[3])
{
    if (!(world->cloth.gap_step > 0.0) || !isfinite(gap)) return;
    dr_collider_point wall = dr_collider_set_nearest(world->constants.colliders, x);
    if (wall.index < 0 || wall.boundary != DR_BOUNDARY_SEPARATE) return;
    double v[3] = {(double)velocity[0], (double)velocity[1], (double)velocity[2]};
    dr_vec3_add_scaled(wall.velocity, wall.velocity, -(double)gap / world->cloth.gap_step, wall.normal);
    dr_collider_project(wall.boundary, wall.friction, wall.normal, wall.velocity, v);
    for (int a = 0; a < 3; a++) velocity[a] = (float)v[a];
}

// ---- middles of elements

#define CHUNK 1024 // elements, vertices

static void find_lifts(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const gap_job *job = user;
    const dr_collider_set *colliders = job->world->constants.colliders;
    for (size_t e = begin; e < end; e++) {
        double middle[3], stand = stand_of(job, e), depth = 0.0;
        dr_manifold_middle(job->thin->mesh, e, middle);
        if (!dr_collider_set_misses(colliders, middle, stand))
            depth = stand - dr_collider_set_distance(colliders, middle, NULL, NULL);
        job->thin->lift[e] = depth > 0.0 && depth < job->world->grid.cell ? (float)depth : 0.0F;
    }
}

static void lift_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const gap_job *job = user;
    const dr_manifold *m = job->thin->mesh;
    for (size_t v = begin; v < end; v++) {
        float most = 0.0F;
        double normal[3];
        for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++)
            most = fmaxf(most, job->thin->lift[m->slot[i] / (uint32_t)m->corners]);
        if (!(most > 0.0F)) continue;
        dr_collider_set_distance(job->world->constants.colliders, m->position + 3 * v, normal, NULL);
        dr_vec3_add_scaled(m->position + 3 * v, m->position + 3 * v, (double)most, normal);
    }
}

// Where colliders bulge, vertices on their surface are not enough.
void dr_cloth_gap_lift(dr_world *world)
{
    if (dr_collider_set_count(world->constants.colliders) == 0) return;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        const dr_thin *thin = &world->cloth.thin[i];
        if (!dr_thin_is_present(thin)) continue;
        gap_job job = {.world = world, .thin = thin, .points = &thin->elements};
        dr_par_for(&world->par, thin->mesh->elements, CHUNK, find_lifts, &job);
        dr_par_for(&world->par, thin->mesh->vertices, CHUNK, lift_vertices, &job);
    }
}

double dr_cloth_gap_closing(const dr_world *world, size_t node)
{
    const dr_cloth_stage *stage = &world->cloth;
    if (!(stage->gap_step > 0.0) || !isfinite(stage->gap[node])) return 0.0;
    return (double)stage->gap[node] / stage->gap_step;
}
