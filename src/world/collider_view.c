// Colliders in a frame: their outlines, made once, at the place and in the shape they have at the state's time.
#include "world/world.h"

#include "base/error.h"
#include "math/rotation.h"

#define NOWHERE 50.0 // cm: how far an endless collider is drawn in a world that has no size

// ---- how large the endless is drawn

static void grow(dr_box *box, const dr_box *other)
{
    for (int a = 0; a < 3; a++) {
        if (isfinite(other->min[a])) box->min[a] = fmin(box->min[a], other->min[a]);
        if (isfinite(other->max[a])) box->max[a] = fmax(box->max[a], other->max[a]);
    }
}

void dr_collider_view_include(dr_world *world, const dr_box *box)
{
    dr_collider_view *view = &world->view_colliders;
    if (view->body_count++ == 0)
        view->bodies = (dr_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    grow(&view->bodies, box);
}

// A box around bodies, emitters and bounded colliders, and twice as large; within the domain where that ends. A
// function of the scene alone, so that a run that was resumed draws the same.
static dr_box find_reach(const dr_world *world)
{
    const dr_constants *constants = &world->constants;
    dr_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (world->view_colliders.body_count) grow(&box, &world->view_colliders.bodies);
    for (int i = 0; i < constants->emitter_count; i++) {
        dr_box other = dr_shape_bounds(constants->emitters[i].shape);
        grow(&box, &other);
    }
    for (int i = 0; i < dr_collider_set_count(constants->colliders); i++) {
        dr_box other = dr_shape_bounds(dr_collider_set_shape(constants->colliders, i));
        grow(&box, &other);
    }
    for (int a = 0; a < 3; a++) {
        double half = box.max[a] > box.min[a] ? 0.5 * (box.max[a] - box.min[a]) : NOWHERE;
        double middle = box.max[a] >= box.min[a] ? 0.5 * (box.min[a] + box.max[a]) : 0.0;
        double low = constants->domain.min[a], high = constants->domain.max[a];
        box.min[a] = low > -DR_UNBOUNDED ? low : middle - 2.0 * half;
        box.max[a] = high < DR_UNBOUNDED ? high : middle + 2.0 * half;
    }
    return box;
}

// ---- making

static dr_status draw_outlines(dr_world *world, dr_error *error)
{
    dr_collider_view *view = &world->view_colliders;
    int count = dr_collider_set_count(world->constants.colliders);
    dr_box reach = find_reach(world);
    view->outlines = dr_memory_alloc(world->allocator, (size_t)count * sizeof *view->outlines);
    if (!view->outlines) return dr_error_memory(error, "viewing colliders");
    for (int i = 0; i < count; i++) {
        dr_status status = dr_outline_build(dr_collider_set_shape(world->constants.colliders, i), &reach,
                                            world->allocator, &view->outlines[i], error);
        if (status) return status;
        view->vertex_count += view->outlines[i].vertex_count;
        view->triangle_count += view->outlines[i].triangle_count;
    }
    return DR_STATUS_OK;
}

static void number_triangles(dr_collider_view *view, int count)
{
    size_t first = 0, t = 0;
    for (int i = 0; i < count; i++) {
        const dr_outline *outline = &view->outlines[i];
        for (size_t k = 0; k < outline->triangle_count; k++, t++) {
            for (size_t c = 0; c < 3; c++) view->triangle[t][c] = (uint32_t)first + outline->triangles[3 * k + c];
            view->body[t] = (uint32_t)i;
        }
        first += outline->vertex_count;
    }
}

static dr_status open_view(dr_world *world, dr_error *error)
{
    dr_collider_view *view = &world->view_colliders;
    dr_status status = draw_outlines(world, error);
    if (!status) {
        view->position = dr_memory_alloc(world->allocator, view->vertex_count * sizeof *view->position);
        view->triangle = dr_memory_alloc(world->allocator, view->triangle_count * sizeof *view->triangle);
        view->body = dr_memory_alloc(world->allocator, view->triangle_count * sizeof *view->body);
        bool empty = view->triangle_count == 0;
        if (!empty && (!view->position || !view->triangle || !view->body))
            status = dr_error_memory(error, "viewing colliders");
    }
    if (status) {
        dr_collider_view_free(world);
        return status;
    }
    number_triangles(view, dr_collider_set_count(world->constants.colliders));
    return DR_STATUS_OK;
}

void dr_collider_view_free(dr_world *world)
{
    dr_collider_view *view = &world->view_colliders;
    if (!view->outlines) return;
    size_t count = (size_t)dr_collider_set_count(world->constants.colliders);
    for (size_t i = 0; i < count; i++) dr_outline_free(&view->outlines[i]);
    dr_memory_free(world->allocator, view->outlines, count * sizeof *view->outlines);
    dr_memory_free(world->allocator, view->position, view->vertex_count * sizeof *view->position);
    dr_memory_free(world->allocator, view->triangle, view->triangle_count * sizeof *view->triangle);
    dr_memory_free(world->allocator, view->body, view->triangle_count * sizeof *view->body);
    *view = (dr_collider_view){.bodies = view->bodies, .body_count = view->body_count};
}

// ---- placing

static void place_outline(const dr_outline *outline, const dr_pose *pose, float (*position)[3])
{
    for (size_t v = 0; v < outline->vertex_count; v++) {
        double x[3];
        dr_rotation_apply(x, pose->rotation, outline->vertices + 3 * v);
        dr_vec3_add(x, x, pose->translation);
        for (int a = 0; a < 3; a++) position[v][a] = (float)x[a];
    }
}

static void place_colliders(dr_world *world)
{
    dr_collider_view *view = &world->view_colliders;
    const dr_collider_set *colliders = world->constants.colliders;
    size_t first = 0;
    for (int i = 0; i < dr_collider_set_count(colliders); i++) {
        dr_outline *outline = &view->outlines[i];
        if (dr_collider_set_deforms(colliders, i)) dr_outline_follow(outline, dr_collider_set_shape(colliders, i));
        place_outline(outline, dr_collider_set_pose(colliders, i), view->position + first);
        first += outline->vertex_count;
    }
}

dr_status dr_collider_view_part(dr_world *world, dr_frame_part *part, dr_error *error)
{
    dr_collider_view *view = &world->view_colliders;
    dr_status status = dr_collider_set_drive(world->constants.colliders, world->state.time, error);
    if (!status && !view->outlines) status = open_view(world, error);
    if (status) return status;
    place_colliders(world);
    view->arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, view->vertex_count, view->position};
    view->arrays[1] = (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, view->triangle_count, view->body};
    *part = (dr_frame_part){.name = "colliders",
                            .kind = DR_FRAME_TRIANGLES,
                            .point_count = view->vertex_count,
                            .element_count = view->triangle_count,
                            .index = view->triangle ? view->triangle[0] : NULL,
                            .array_count = 2,
                            .arrays = view->arrays};
    return DR_STATUS_OK;
}
