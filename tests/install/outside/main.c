// A program of someone else's that links libdrench.
#include <drench/drench.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char text[] = "domain: {cell: 1 mm}";
    static dr_error error;
    dr_scene *scene = NULL;
    dr_status status = dr_scene_parse(text, strlen(text), "outside", NULL, &scene, &error);
    printf("drench %s, a scene with a cell: %s\n", dr_version(), dr_status_name(status));
    dr_scene_destroy(scene);
    return status != DR_STATUS_OK || strcmp(dr_version(), DR_VERSION) != 0;
}
