// The sides of the domain on the grid's nodes: walls, and symmetry planes. docs/theory/domain.md.
// A symmetry plane lies on a layer of nodes. Matter exists on its inner side only; its mirror image is supplied by
// folding what particles scattered beyond the plane onto the image nodes, and by reading velocities beyond it from the
// image.
#include "world/world.h"
#include "world/tuning.h"

#include <math.h>

#define NODE_FLOATS (DR_BLOCK_NODES * 4)
#define REACH       2 // layers beyond a plane that a kernel can touch

typedef struct side {
    dr_world *world;
    int axis;
    int inward;      // +1 for a lower side, -1 for an upper one
    int64_t layer;   // of nodes on the plane
    double position; // of the plane, cm
    float *node;
} side;

static side make_side(dr_world *world, int axis, bool upper)
{
    const dr_domain_spec *domain = &world->constants.domain;
    double position = upper ? domain->max[axis] : domain->min[axis];
    double layer = nearbyint((position - world->grid.origin[axis]) / world->grid.cell);
    return (side){world, axis, upper ? -1 : 1, (int64_t)layer, position, world->node};
}

static int kind_of(const dr_world *world, int axis, bool upper)
{
    const dr_domain_spec *domain = &world->constants.domain;
    return upper ? domain->side_max[axis] : domain->side_min[axis];
}

// Calls body for the blocks of every side of that kind.
static void visit_sides(dr_world *world, bool (*wanted)(int kind), dr_par_body body, float *node)
{
    if (!dr_nodes_used(world)) return;
    for (int axis = 0; axis < 3; axis++) {
        for (int upper = 0; upper < 2; upper++) {
            if (!wanted(kind_of(world, axis, upper))) continue;
            side job = make_side(world, axis, upper);
            job.node = node;
            dr_par_for(&world->par, world->grid.block_count, 64, body, &job);
        }
    }
}

static bool is_symmetry(int kind)
{
    return kind == DR_SIDE_SYMMETRY;
}

static bool is_wall(int kind)
{
    return kind == DR_SIDE_STICKY || kind == DR_SIDE_SLIP || kind == DR_SIDE_SEPARATE;
}

// Node `i` (0..15) of the slab `local` of a block across `axis`.
static int slab_node(int axis, int local, int i)
{
    int u = i >> 2, v = i & 3;
    int index[3];
    index[axis] = local;
    index[(axis + 1) % 3] = u;
    index[(axis + 2) % 3] = v;
    return (index[0] * 4 + index[1]) * 4 + index[2];
}

// The slab of node values that is the mirror image of layer `distance` inside (negative: outside), NULL where no block
// is.
static float *mirror_slab(const side *job, size_t block, int64_t distance, int *local)
{
    const dr_grid *grid = &job->world->grid;
    int64_t layer = job->layer - job->inward * distance;
    int32_t at[3] = {grid->coordinate[3 * block], grid->coordinate[3 * block + 1], grid->coordinate[3 * block + 2]};
    at[job->axis] = (int32_t)(layer >> 2);
    *local = (int)(layer & 3);
    int32_t found = dr_grid_find(grid, at);
    return found < 0 ? NULL : job->node + (size_t)found * NODE_FLOATS;
}

static int64_t inner_distance(const side *job, size_t block, int local)
{
    int64_t layer = 4 * (int64_t)job->world->grid.coordinate[3 * block + (size_t)job->axis] + local;
    return job->inward * (layer - job->layer);
}

// On the plane: the image adds the same mass and tangential momentum and the opposite normal momentum.
static void fold_plane(const side *job, float *node, int local)
{
    for (int i = 0; i < 16; i++) {
        float *value = node + 4 * slab_node(job->axis, local, i);
        for (int a = 0; a < 4; a++) value[a] *= a == 1 + job->axis ? 0.0f : 2.0f;
    }
}

// The mirror image of a slab, added to what is there or in its place.
static void mirror_nodes(const side *job, size_t block, float *node, int local, int64_t distance, bool add)
{
    int mirror_local;
    const float *mirror = mirror_slab(job, block, distance, &mirror_local);
    if (!mirror) return;
    for (int i = 0; i < 16; i++) {
        float *value = node + 4 * slab_node(job->axis, local, i);
        const float *image = mirror + 4 * slab_node(job->axis, mirror_local, i);
        for (int a = 0; a < 4; a++) {
            float other = a == 1 + job->axis ? -image[a] : image[a];
            value[a] = add ? value[a] + other : other;
        }
    }
}

static void fold_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const side *job = user;
    for (size_t b = begin; b < end; b++) {
        float *node = job->node + b * NODE_FLOATS;
        for (int local = 0; local < 4; local++) {
            int64_t distance = inner_distance(job, b, local);
            if (distance == 0) fold_plane(job, node, local);
            if (distance > 0 && distance <= REACH) mirror_nodes(job, b, node, local, distance, true);
        }
    }
}

static void unfold_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const side *job = user;
    for (size_t b = begin; b < end; b++) {
        float *node = job->node + b * NODE_FLOATS;
        for (int local = 0; local < 4; local++) {
            int64_t distance = inner_distance(job, b, local);
            if (distance == 0) {
                for (int i = 0; i < 16; i++) node[4 * slab_node(job->axis, local, i) + 1 + job->axis] = 0.0f;
            }
            if (distance < 0 && distance >= -REACH) mirror_nodes(job, b, node, local, distance, false);
        }
    }
}

static dr_boundary wall_boundary(int kind)
{
    return kind == DR_SIDE_STICKY ? DR_BOUNDARY_STICKY : kind == DR_SIDE_SLIP ? DR_BOUNDARY_SLIP : DR_BOUNDARY_SEPARATE;
}

static void project_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const side *job = user;
    const dr_world *world = job->world;
    int boundary = (int)wall_boundary(kind_of(world, job->axis, job->inward < 0));
    double normal[3] = {0}, still[3] = {0}, slack = DR_WORLD_ROUNDING * world->grid.cell;
    normal[job->axis] = job->inward;
    for (size_t b = begin; b < end; b++) {
        float *node = job->node + b * NODE_FLOATS;
        for (int local = 0; local < 4; local++) {
            int64_t layer = 4 * (int64_t)world->grid.coordinate[3 * b + (size_t)job->axis] + local;
            double x = world->grid.origin[job->axis] + world->grid.cell * (double)layer;
            if (job->inward * (x - job->position) > slack) continue;
            for (int i = 0; i < 16; i++) {
                float *value = node + 4 * slab_node(job->axis, local, i);
                double v[3] = {(double)value[1], (double)value[2], (double)value[3]};
                dr_collider_project(boundary, world->constants.domain.friction, normal, still, v);
                for (int a = 0; a < 3; a++) value[1 + a] = (float)v[a];
            }
        }
    }
}

void dr_domain_fold(dr_world *world)
{
    visit_sides(world, is_symmetry, fold_blocks, world->node);
}

void dr_domain_project(dr_world *world)
{
    visit_sides(world, is_wall, project_blocks, world->node);
}

void dr_domain_unfold(dr_world *world)
{
    visit_sides(world, is_symmetry, unfold_blocks, world->node);
    if (world->constants.transfer.scheme == DR_SCHEME_FLIP)
        visit_sides(world, is_symmetry, unfold_blocks, world->node_old);
}

// ---- particles beyond a symmetry plane

static void mirror_matrix(float m[9], int axis)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if ((i == axis) != (j == axis)) m[3 * i + j] = -m[3 * i + j];
        }
    }
}

static void reflect_particle(const side *job, size_t p)
{
    dr_particles *particles = &job->world->state.particles;
    double x[3];
    dr_grid_position(&job->world->grid, particles->key[p], particles->offset + 3 * p, x);
    if (job->inward * (x[job->axis] - job->position) >= 0.0) return;
    x[job->axis] = 2.0 * job->position - x[job->axis];
    dr_grid_place(&job->world->grid, x, &particles->key[p], particles->offset + 3 * p);
    particles->velocity[3 * p + (size_t)job->axis] *= -1.0f;
    mirror_matrix(particles->affine + 9 * p, job->axis);
    mirror_matrix(particles->strain + 9 * p, job->axis);
}

static void reflect_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t p = begin; p < end; p++) reflect_particle(user, p);
}

void dr_domain_reflect(dr_world *world)
{
    if (world->constants.bodies_meet_liquid) return;
    for (int axis = 0; axis < 3; axis++) {
        for (int upper = 0; upper < 2; upper++) {
            if (!is_symmetry(kind_of(world, axis, upper))) continue;
            side job = make_side(world, axis, upper);
            dr_par_for(&world->par, world->state.particles.count, DR_PARTICLE_CHUNK, reflect_particles, &job);
        }
    }
}
