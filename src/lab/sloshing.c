#include "lab/sloshing.h"

#include "base/number.h"
#include "lab/parts.h"

#include <math.h>
#include <stdio.h>

// The box stands on the floor y = 0 between x = 0 and the side; it is a quarter as deep.
static const char format[] =
    "title: liquid sloshes in a box\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g%s}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: 0, surface_tension: 0}]\n"
    "bodies: [{name: filling, material: liquid, velocity: [%.17g, 0, 0], shape: {type: intersection, of: [\n"
    "  {type: box, center: [0.5, 0.5, 0.125], size: [1, 1, 0.25]},\n"
    "  {type: half_space, point: [0.5, %.17g, 0], normal: [%.17g, 1, 0]}], scale: %.17g, translate: [%.17g, 0, 0]}}]\n"
    "colliders: [{name: box, boundary: slip, shape: {type: inside_out, of: [\n"
    "  {type: box, center: [0.5, 0.5, 0.125], size: [1, 1, 0.25]}], scale: %.17g, translate: [%.17g, 0, 0]}%s}]\n";

double dr_lab_sloshing_period(const dr_lab_sloshing *box)
{
    double k = DR_PI / box->side;
    return 2.0 * DR_PI / sqrt(box->gravity * k * tanh(k * box->fill * box->side));
}

dr_status dr_lab_sloshing_scene(const dr_lab_sloshing *box, dr_scene **scene, dr_error *error)
{
    char motion[300] = "";
    if (box->speed != 0.0) {
        (void)snprintf(motion, sizeof motion,
                       ", motion: [{type: keyframes, keys: [{time: 0, ease: linear}, "
                       "{time: %.17g, translate: [%.17g, 0, 0]}]}]",
                       2.0 * box->duration, 2.0 * box->duration * box->speed);
    }
    double cell = box->side / box->cells, shift = box->offset * cell;
    return dr_lab_scene_text(scene, error, format, -box->gravity, cell, box->follows ? ", follows: box" : "",
                             box->density, box->speed, box->fill, -box->slope, box->side, shift, box->side, shift,
                             motion);
}
