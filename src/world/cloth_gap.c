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

static void find_edge_middle(const dr_manifold *m, size_t e, size_t edge, double x[3])
{
    const double *a = m->position + 3 * (size_t)m->index[3 * e + edge];
    const double *b = m->position + 3 * (size_t)m->index[3 * e + (edge + 1) % 3];
    for (int i = 0; i < 3; i++) x[i] = 0.5 * (a[i] + b[i]);
}

// From where colliders were as the step began.
static double find_distance(const gap_job *job, const double x[3])
{
    dr_collider_point point = dr_collider_set_nearest(job->world->constants.colliders, x);
    return point.distance + job->dt * dr_vec3_dot(point.velocity, point.normal);
}

// Of triangles the middles of edges count too.
static double find_gap(const gap_job *job, size_t p, const double x[3])
{
    const dr_manifold *m = job->thin->mesh;
    double nearest = find_distance(job, x);
    bool triangle = m->corners == 3 && job->points == &job->thin->elements;
    for (size_t edge = 0; triangle && edge < 3; edge++) {
        double middle[3];
        find_edge_middle(m, p, edge, middle);
        nearest = fmin(nearest, find_distance(job, middle));
    }
    return fmax(0.0, nearest - stand_of(job, p));
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

static double depth_at(const gap_job *job, double stand, const double x[3], double normal[3])
{
    return stand - dr_collider_set_distance(job->world->constants.colliders, x, normal, NULL);
}

// How deep the middle of an element is, or of one of its edges, and the normal there.
static double find_depth(const gap_job *job, size_t e, double stand, double normal[3])
{
    const dr_manifold *m = job->thin->mesh;
    double x[3], across[3];
    dr_manifold_middle(m, e, x);
    if (dr_collider_set_misses(job->world->constants.colliders, x, stand + job->world->grid.cell)) return 0.0;
    double deepest = depth_at(job, stand, x, normal);
    for (size_t edge = 0; m->corners == 3 && edge < 3; edge++) {
        find_edge_middle(m, e, edge, x);
        double depth = depth_at(job, stand, x, across);
        if (depth > deepest) dr_vec3_copy(normal, across);
        deepest = fmax(deepest, depth);
    }
    return deepest;
}

// Normals that differ by more than this cosine are those of two sides of a collider, not of its bulge or edge. Nearer
// to 0: elements over edges sharper than a right angle stay in; nearer to -1: more of what is speared is stretched.
#define SAME_SIDE (-0.5)

// A collider bulges into an element whose corners it has left, all on the side that the middle is to be brought to. An
// element with a corner that is deeper, because it is held there, or with corners on two sides is speared: lifting
// corners would stretch it, step by step, and bring it out never.
static bool is_bulge(const gap_job *job, size_t e, double stand, double depth, const double normal[3])
{
    const dr_manifold *m = job->thin->mesh;
    for (size_t k = 0; k < (size_t)m->corners; k++) {
        double there[3],
            corner = depth_at(job, stand, m->position + 3 * (size_t)m->index[(size_t)m->corners * e + k], there);
        if (corner > depth || dr_vec3_dot(there, normal) < SAME_SIDE) return false;
    }
    return true;
}

// No farther than a cell.
static void find_lifts(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const gap_job *job = user;
    for (size_t e = begin; e < end; e++) {
        double normal[3], stand = stand_of(job, e), depth = find_depth(job, e, stand, normal);
        bool lifts = depth > 0.0 && depth < job->world->grid.cell && is_bulge(job, e, stand, depth, normal);
        job->thin->lift[e] = lifts ? (float)depth : 0.0F;
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
