// The mesh turned into a level set: exact distances to the nearest triangle in a band of three cells, the sign from the
// field that the mesh was cut from. docs/theory/reconstruction.md, "The level set".
#include "look/surface_field.h"
#include "look/surface_near.h"
#include "look/surface_parts.h"

enum { SIDE = DR_SURFACE_LEAF_SIDE };

typedef struct fielding {
    const dr_surface_mesh *mesh;
    const dr_surface_sides *sides;
    double cell;
    float band;
    dr_sort_item *item; // [triangle] sorted by the leaf that holds its first corner
    size_t home_count;
    uint64_t *home;  // [home] keys of those leaves
    uint32_t *first; // [home], and one more: first item
    size_t leaf_count;
    uint64_t *leaf; // [leaf] keys of all leaves
    dr_surface_leaf *out;
    const dr_allocator *allocator;
} fielding;

void dr_surface_field_free(dr_surface_field *field)
{
    dr_memory_free(field->allocator, field->leaf, field->leaf_count * sizeof *field->leaf);
    *field = (dr_surface_field){0};
}

// ---- triangles by leaf; keys are those of blocks, with leaves instead

static int32_t leaf_along(const fielding *f, float place)
{
    return (int32_t)floor((double)place / (f->cell * SIDE));
}

static uint64_t home_of(const fielding *f, size_t t)
{
    const float *corner = f->mesh->position[f->mesh->triangle[t][0]];
    int32_t leaf[3];
    for (int a = 0; a < 3; a++) {
        int32_t along = leaf_along(f, corner[a]), most = DR_SURFACE_RANGE - 2;
        leaf[a] = along < -most ? -most : along > most ? most : along;
    }
    return dr_surface_key(leaf);
}

static bool sort_triangles(fielding *f)
{
    size_t count = f->mesh->triangle_count, bytes = count * sizeof *f->item;
    f->item = dr_memory_resize(f->allocator, NULL, 0, bytes);
    dr_sort_item *spare = dr_memory_resize(f->allocator, NULL, 0, bytes);
    bool done = f->item && spare;
    if (done) {
        for (size_t t = 0; t < count; t++) f->item[t] = (dr_sort_item){home_of(f, t), (uint32_t)t};
        dr_sort_items(f->item, spare, count);
    }
    dr_memory_free(f->allocator, spare, bytes);
    return done;
}

static bool list_homes(fielding *f)
{
    size_t count = f->mesh->triangle_count;
    for (size_t i = 0; i < count; i++) f->home_count += i == 0 || f->item[i].key != f->item[i - 1].key;
    f->home = dr_memory_alloc(f->allocator, f->home_count * sizeof *f->home);
    f->first = dr_memory_alloc(f->allocator, (f->home_count + 1) * sizeof *f->first);
    if (!f->home || !f->first) return false;
    size_t home = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && f->item[i].key == f->item[i - 1].key) continue;
        f->home[home] = f->item[i].key;
        f->first[home++] = (uint32_t)i;
    }
    f->first[home] = (uint32_t)count;
    return true;
}

// ---- leaves

// Bits of the leaves around a home whose nodes its triangles come near to.
static uint32_t find_reached(const fielding *f, size_t home)
{
    int32_t leaf[3];
    uint32_t reached = 0;
    dr_surface_block_of(f->home[home], leaf);
    for (uint32_t i = f->first[home]; i < f->first[home + 1]; i++) {
        int low[3], high[3];
        for (int a = 0; a < 3; a++) {
            float least = INFINITY, most = -INFINITY;
            for (int c = 0; c < 3; c++) {
                float place = f->mesh->position[f->mesh->triangle[f->item[i].value][c]][a];
                least = fminf(least, place);
                most = fmaxf(most, place);
            }
            low[a] = leaf_along(f, least - f->band) < leaf[a] ? 0 : 1;
            high[a] = leaf_along(f, most + f->band) > leaf[a] ? 2 : 1;
        }
        for (int n = 0; n < DR_SURFACE_AROUND; n++) {
            int at[3] = {n % 3, n / 3 % 3, n / 9};
            bool in = true;
            for (int a = 0; a < 3; a++) in = in && at[a] >= low[a] && at[a] <= high[a];
            reached |= (uint32_t)in << n;
        }
    }
    return reached;
}

static size_t list_reached(const fielding *f, dr_sort_item *items)
{
    size_t count = 0;
    for (size_t home = 0; home < f->home_count; home++) {
        int32_t leaf[3];
        uint32_t reached = find_reached(f, home);
        dr_surface_block_of(f->home[home], leaf);
        for (int n = 0; n < DR_SURFACE_AROUND; n++) {
            if (!(reached >> n & 1)) continue;
            int32_t other[3] = {leaf[0] + n % 3 - 1, leaf[1] + n / 3 % 3 - 1, leaf[2] + n / 9 - 1};
            if (items) items[count] = (dr_sort_item){dr_surface_key(other), 0};
            count++;
        }
    }
    return count;
}

static bool list_leaves(fielding *f)
{
    size_t count = list_reached(f, NULL), bytes = count * sizeof(dr_sort_item);
    dr_sort_item *items = dr_memory_resize(f->allocator, NULL, 0, bytes);
    dr_sort_item *spare = dr_memory_resize(f->allocator, NULL, 0, bytes);
    bool done = items && spare;
    if (done) {
        list_reached(f, items);
        dr_sort_items(items, spare, count);
        for (size_t i = 0; i < count; i++) f->leaf_count += i == 0 || items[i].key != items[i - 1].key;
        f->leaf = dr_memory_alloc(f->allocator, f->leaf_count * sizeof *f->leaf);
        f->out = dr_memory_alloc(f->allocator, f->leaf_count * sizeof *f->out);
        done = f->leaf && f->out;
    }
    for (size_t i = 0, leaf = 0; done && i < count; i++) {
        if (i == 0 || items[i].key != items[i - 1].key) f->leaf[leaf++] = items[i].key;
    }
    dr_memory_free(f->allocator, items, bytes);
    dr_memory_free(f->allocator, spare, bytes);
    return done;
}

// ---- distances

typedef struct facet {
    float corner[3][3]; // cells, from the leaf's first node
    float middle[3], radius;
    const uint32_t *vertex;
} facet;

static facet take_facet(const fielding *f, size_t t, const int32_t origin[3])
{
    facet face = {.vertex = f->mesh->triangle[t]};
    for (int c = 0; c < 3; c++) {
        for (int a = 0; a < 3; a++) {
            face.corner[c][a] = (float)((double)f->mesh->position[face.vertex[c]][a] / f->cell - origin[a]);
            face.middle[a] += face.corner[c][a] / 3.0F;
        }
    }
    for (int c = 0; c < 3; c++) {
        float d[3] = {face.corner[c][0] - face.middle[0], face.corner[c][1] - face.middle[1],
                      face.corner[c][2] - face.middle[2]};
        face.radius = fmaxf(face.radius, sqrtf(dr_surface_near_dot(d, d)));
    }
    return face;
}

static void improve_node(const fielding *f, dr_surface_leaf *leaf, int n, const float at[3], const facet *face)
{
    float d[3] = {at[0] - face->middle[0], at[1] - face->middle[1], at[2] - face->middle[2]};
    float most = leaf->distance[n] + face->radius, share[3];
    if (dr_surface_near_dot(d, d) >= most * most) return;
    dr_surface_near_triangle(face->corner, at, share);
    float distance = sqrtf(dr_surface_near_distance2(face->corner, at, share));
    if (distance >= leaf->distance[n]) return;
    leaf->distance[n] = distance;
    for (int a = 0; a < 3; a++) {
        leaf->velocity[n][a] = 0.0F;
        for (int c = 0; c < 3; c++) leaf->velocity[n][a] += share[c] * f->mesh->velocity[face->vertex[c]][a];
    }
}

static void improve_leaf(const fielding *f, dr_surface_leaf *leaf, const facet *face)
{
    int low[3], high[3], at[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int)ceilf(face->middle[a] - face->radius - DR_SURFACE_BAND);
        high[a] = (int)floorf(face->middle[a] + face->radius + DR_SURFACE_BAND);
        low[a] = low[a] < 0 ? 0 : low[a];
        high[a] = high[a] > SIDE - 1 ? SIDE - 1 : high[a];
    }
    for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
                float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
                improve_node(f, leaf, (at[0] * SIDE + at[1]) * SIDE + at[2], place, face);
            }
        }
    }
}

// From cells to centimetres, with the sign.
static void finish_leaf(const fielding *f, dr_surface_leaf *leaf)
{
    for (int n = 0; n < DR_SURFACE_LEAF_NODES; n++) {
        int32_t node[3] = {leaf->origin[0] + n / SIDE / SIDE, leaf->origin[1] + n / SIDE % SIDE,
                           leaf->origin[2] + n % SIDE};
        float sign = dr_surface_sides_inside(f->sides, node) ? -1.0F : 1.0F;
        leaf->distance[n] *= sign * (float)f->cell;
    }
}

static void measure_leaves(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const fielding *f = user;
    for (size_t i = begin; i < end; i++) {
        dr_surface_leaf *leaf = f->out + i;
        int32_t key[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(f->leaf[i], key);
        for (int a = 0; a < 3; a++) leaf->origin[a] = key[a] * SIDE;
        for (int n = 0; n < DR_SURFACE_LEAF_NODES; n++) leaf->distance[n] = DR_SURFACE_BAND;
        dr_surface_around(f->home, f->home_count, key, around);
        for (int n = 0; n < DR_SURFACE_AROUND; n++) {
            if (around[n] == f->home_count) continue;
            for (uint32_t k = f->first[around[n]]; k < f->first[around[n] + 1]; k++) {
                facet face = take_facet(f, f->item[k].value, leaf->origin);
                improve_leaf(f, leaf, &face);
            }
        }
        finish_leaf(f, leaf);
    }
}

static void close_fielding(fielding *f)
{
    dr_memory_free(f->allocator, f->item, f->mesh->triangle_count * sizeof *f->item);
    dr_memory_free(f->allocator, f->home, f->home_count * sizeof *f->home);
    dr_memory_free(f->allocator, f->first, (f->home_count + 1) * sizeof *f->first);
    dr_memory_free(f->allocator, f->leaf, f->leaf_count * sizeof *f->leaf);
}

static bool make_leaves(fielding *f, const dr_par *par, dr_surface_field *field)
{
    bool done = f->mesh->triangle_count == 0 || (sort_triangles(f) && list_homes(f) && list_leaves(f));
    if (done) {
        dr_par_for(par, f->leaf_count, 4, measure_leaves, f);
        field->leaf = f->out;
        field->leaf_count = f->leaf_count;
    } else {
        dr_memory_free(f->allocator, f->out, f->leaf_count * sizeof *f->out);
    }
    close_fielding(f);
    return done;
}

dr_status dr_surface_field_build(const dr_frame *frame, const dr_surface_options *options, const dr_par *par,
                                 const dr_allocator *allocator, dr_surface_field *field, dr_error *error)
{
    dr_surface_mesh mesh;
    dr_surface_sides sides = {0};
    double cell;
    *field = (dr_surface_field){.allocator = allocator};
    dr_status status = dr_surface_mesh_make(frame, options, par, allocator, &mesh, &cell, &sides, error);
    if (status != DR_STATUS_OK) return status;
    field->cell = (float)cell;
    field->band = (float)(DR_SURFACE_BAND * cell);
    fielding f = {.mesh = &mesh, .sides = &sides, .cell = cell, .band = field->band, .allocator = allocator};
    bool done = make_leaves(&f, par, field);
    dr_surface_sides_close(&sides, allocator);
    dr_surface_mesh_free(&mesh);
    return done ? DR_STATUS_OK : dr_error_memory(error, "measuring distances from the liquid's surface");
}
