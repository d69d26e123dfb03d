// How known liquids look, by the names of their materials. docs/render.md, "Liquids".
#ifndef DR_LOOK_PRESET_H
#define DR_LOOK_PRESET_H

#include "scene/scene.h"

typedef struct dr_preset {
    const char *name;
    bool clear;        // light passes and is absorbed on its way; else it is scattered back
    double colour[3];  // as on a screen: of white light after `depth`, or of what is scattered back
    double depth;      // cm; 0: as deep as what happens is wide
    double refraction; // index
    double scattering; // cm between two scatterings; 0 where the liquid is clear
    double roughness;  // of its surface, 0..1
} dr_preset;

const dr_preset *dr_preset_like(dr_like like); // auto: water

// Of a material of the scene, by its name, a word in it ("hot chocolate"), or the names of what it is made from; water
// where none is known.
const dr_preset *dr_preset_of_material(const dr_scene *scene, const char *material);

#endif
