// A jelly on a plate that the program lifts: move a collider between steps, read the force on it.
//
//     cc 02_steer.c $(pkg-config --cflags --libs drench) -o steer && ./steer
#include <drench/drench.h>

#include <stdio.h>
#include <string.h>

static const char text[] = "{domain: {cell: 0.5},"
                           " bodies: [{material: jelly, shape: {type: box, center: [0, 1, 0], size: [3, 2, 3]}}],"
                           " colliders: [{name: plate, shape: {type: box, center: [0, -1, 0], size: [6, 2, 6]}}]}";

// Rests for 0.2 s, is lifted by 2 cm in 0.2 s, rests again.
static double height(double time)
{
    double share = (time - 0.2) / 0.2;
    return share < 0.0 ? 0.0 : share > 1.0 ? 2.0 : 2.0 * share * share * (3.0 - 2.0 * share);
}

static bool lift(dr_world *world, dr_error *error)
{
    int plate = dr_world_find_collider(world, "plate");
    for (int i = 1; i <= 30; i++) {
        double until = 0.02 * i;
        dr_placement to = {.translate = {0.0, height(until), 0.0}};
        dr_load load;
        if (dr_world_move_collider(world, plate, &to, until, error) || dr_world_advance(world, until, error) ||
            dr_world_load(world, plate, NULL, &load, error))
            return false;
        printf("%.2f s  plate at %.3f cm bears %8.0f dyn\n", until, to.translate[1], -load.force[1]);
    }
    return true;
}

int main(void)
{
    static dr_error error;
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_world_options options = {.loads = true};
    bool good = dr_scene_parse(text, strlen(text), "lift", NULL, &scene, &error) == DR_STATUS_OK &&
                dr_world_create(scene, &options, &world, &error) == DR_STATUS_OK && lift(world, &error);
    if (!good) fprintf(stderr, "%s\n", error.text);
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    return good ? 0 : 1;
}
