// Thick liquids of the lab's cases: the built-in ones and the stiff test liquids A, B, C.
#ifndef DR_LAB_THICK_MATERIAL_H
#define DR_LAB_THICK_MATERIAL_H

#include "drench/scene.h"
#include "liquid/rheology.h"

#define DR_LAB_THICK_NAMES                                                                                             \
    "A", "B", "C", "drilling mud", "acrylic paint", "milk cream", "shaving cream", "oyster sauce", "milk chocolate",   \
        "mud", NULL

// One of the names, by its place in the list.
dr_material_spec dr_lab_thick_material(int choice);

// Its stress in simple shear, yield + consistency rate^index, for small elastic strain.
typedef struct dr_lab_shear {
    double yield, consistency, index;
} dr_lab_shear;
dr_lab_shear dr_lab_thick_shear(const dr_material_spec *material);

// Speed of the plug and mean speed of a layer of height h that is driven by a force per volume, held on one side.
void dr_lab_thick_layer(const dr_lab_shear *shear, double force, double height, double *plug, double *mean);

// The text of a scene's material of that name, with or without its compressibility; tears never.
int dr_lab_thick_text(const dr_material_spec *material, const char *name, char *text, size_t room);

#endif
