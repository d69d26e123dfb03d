#include "command.h"

#include "scene.h"
#include "tell.h"

static void print_summary(const char *path, const dr_scene *scene)
{
    const dr_scene_spec *spec = dr_scene_view(scene);
    printf("%s: good%s%s\n", path, spec->title && spec->title[0] ? ": " : "", spec->title ? spec->title : "");
    printf("    %lld frames at %g per second, cells of %g cm; bodies %d, strands %d, emitters %d, colliders %d, drains "
           "%d, forces "
           "%d\n",
           (long long)spec->time.frames, spec->time.frame_rate, spec->domain.cell, spec->bodies.count,
           spec->strands.count, spec->emitters.count, spec->colliders.count, spec->drains.count, spec->forces.count);
}

exit_status check_command(const settings *settings)
{
    exit_status worst = EXIT_DONE;
    for (int i = 0; i < settings->operand_count; i++) {
        exit_status status;
        dr_scene *scene = scene_open(settings->operands[i], settings, &status);
        if (scene && !settings->quiet) print_summary(settings->operands[i], scene);
        if (status > worst) worst = status;
        dr_scene_destroy(scene);
    }
    return worst;
}
