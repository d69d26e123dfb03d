#include "command.h"

#include "lab/lab.h"
#include "tell.h"

#include <string.h>

static bool print_value(void *user, const char *name, const char *value, const char *doc)
{
    (void)user;
    printf("  %-20s %-24s %s\n", name, value, doc);
    return true;
}

static void print_material(const dr_material_spec *material)
{
    printf("%s\n", material->name);
    dr_material_visit(material, print_value, NULL);
    if (material->source && material->source[0]) {
        printf("  source: ");
        print_wrapped(stdout, material->source, 10, 10, 100);
    }
}

static exit_status refuse_material(const char *name)
{
    const char *names[256];
    int count = 0;
    for (const dr_material_spec *at; count < 255 && (at = dr_material_at(count));) names[count++] = at->name;
    names[count] = NULL;
    const char *nearest = dr_lab_nearest(names, name);
    tell_problem("materials: there is no material \"%s\"", name);
    if (nearest) tell_hint("did you mean \"%s\"?", nearest);
    tell_hint("`drench materials` lists them all");
    return EXIT_USAGE;
}

exit_status materials_command(const settings *settings)
{
    if (settings->operand_count) {
        const dr_material_spec *material = dr_material_find(settings->operands[0]);
        if (!material) return refuse_material(settings->operands[0]);
        print_material(material);
        return EXIT_DONE;
    }
    for (int i = 0; i < dr_material_count(); i++) {
        const dr_material_spec *material = dr_material_at(i);
        printf("%-24s %-8s %s\n", material->name, dr_material_kind_name(material->kind),
               material->source ? material->source : "");
    }
    return EXIT_DONE;
}
