// The rubber ball of docs/start.md falls on the floor and jumps: describe the scene, make a world of it, step, look at
// the height of the ball's middle.
//
//     cc 01_hello.c $(pkg-config --cflags --libs drench) -o hello && ./hello
#include <drench/drench.h>

#include <stdio.h>

// Appends an item with its defaults to a list of the scene. The literals given to it below outlive the scene.
static void *append(dr_scene *scene, const char *list, dr_error *error)
{
    void *item = NULL;
    dr_scene_append(scene, list, &item, error);
    return item;
}

static bool describe(dr_scene *scene, dr_error *error)
{
    dr_material_spec *rubber = append(scene, "materials", error);
    dr_body_spec *ball = append(scene, "bodies", error);
    dr_collider_spec *floor = append(scene, "colliders", error);
    if (!rubber || !ball || !floor) return false;

    dr_scene_edit(scene)->domain.cell = 0.25; // cm
    rubber->name = "rubber";
    rubber->kind = DR_MATERIAL_ELASTIC;
    rubber->density = 1.0;        // g/cm3
    rubber->youngs_modulus = 1e6; // dyn/cm2: 100 kPa
    rubber->poisson_ratio = 0.3;
    ball->name = "ball";
    ball->material = "rubber";
    ball->shape.kind = DR_SHAPE_SPHERE;
    ball->shape.center[1] = 5.0;
    ball->shape.radius = 1.0;
    floor->name = "floor";
    floor->shape.kind = DR_SHAPE_HALF_SPACE;
    floor->shape.normal[1] = 1.0;
    floor->boundary = DR_BOUNDARY_SEPARATE;
    floor->friction = 0.5;
    return dr_scene_check(scene, error) == DR_STATUS_OK;
}

// Mean height of all points of the frame, cm.
static double height(const dr_frame *frame)
{
    const dr_frame_array *position = dr_frame_find(&frame->parts[0], "position");
    double sum = 0.0;
    for (size_t p = 0; p < position->count; p++)
        sum += position->type == DR_TYPE_FLOAT32 ? (double)((const float *)position->data)[3 * p + 1]
                                                 : ((const double *)position->data)[3 * p + 1];
    return sum / (double)position->count;
}

static bool simulate(const dr_scene *scene, dr_error *error)
{
    dr_world *world = NULL;
    if (dr_world_create(scene, NULL, &world, error) != DR_STATUS_OK) return false;
    bool good = true;
    for (int i = 0; good && i <= 20; i++) {
        dr_frame frame = {.number = i};
        good = dr_world_advance(world, 0.01 * i, error) == DR_STATUS_OK &&
               dr_world_view(world, &frame, error) == DR_STATUS_OK;
        if (good) printf("%.2f s  %.3f cm\n", frame.time, height(&frame));
    }
    dr_world_destroy(world);
    return good;
}

int main(void)
{
    static dr_error error;
    dr_scene *scene = NULL;
    bool good =
        dr_scene_create(NULL, &scene, &error) == DR_STATUS_OK && describe(scene, &error) && simulate(scene, &error);
    if (!good) fprintf(stderr, "%s\n", error.text);
    dr_scene_destroy(scene);
    return good ? 0 : 1;
}
