// A result folder made by hand: points, curves and triangles that move, with arrays of many types.
#ifndef TESTS_LOOK_MADE_FRAMES_H
#define TESTS_LOOK_MADE_FRAMES_H

#include "io/cache.h"
#include "io/folder.h"
#include "support/check.h"

#include <stdlib.h>

#define MADE_LIQUID  200
#define MADE_STRANDS 3
#define MADE_POINTS  12 // of the strands
#define MADE_CLOTH   4  // vertices of a square
#define MADE_DUST    5

typedef struct made_frame {
    float liquid[MADE_LIQUID][3], liquid_velocity[MADE_LIQUID][3], liquid_volume[MADE_LIQUID];
    uint64_t liquid_id[MADE_LIQUID];
    float strand[MADE_POINTS][3], radius[MADE_POINTS], film[MADE_POINTS];
    int32_t root[MADE_STRANDS];
    float cloth[MADE_CLOTH][3], wetness[MADE_CLOTH];
    uint32_t body[2];
    double dust[MADE_DUST][3];
    dr_frame_array arrays[16];
    dr_frame_part parts[4];
    dr_frame frame;
} made_frame;

static const uint32_t made_first[MADE_STRANDS + 1] = {0, 2, 7, 12};
static const uint32_t made_triangles[6] = {0, 1, 2, 0, 2, 3};

static inline void made_fill(made_frame *made, int number)
{
    double t = 0.1 * number;
    for (int i = 0; i < MADE_LIQUID; i++) {
        int p = (i * 7 + number * 13) % MADE_LIQUID; // order changes from frame to frame, ids stay
        double at[3] = {0.31 * (p % 5), 0.29 * (p / 5 % 5) + t, 0.3 * (p / 25)};
        for (int a = 0; a < 3; a++) {
            made->liquid[i][a] = (float)at[a];
            made->liquid_velocity[i][a] = (float)(at[a] * 3 - 1);
        }
        made->liquid_volume[i] = 0.027f;
        made->liquid_id[i] = (uint64_t)p + ((uint64_t)1 << 40);
    }
    for (int i = 0; i < MADE_POINTS; i++) {
        made->strand[i][0] = (float)(0.1 * i + t / 3);
        made->strand[i][1] = (float)sin(i + t);
        made->strand[i][2] = -1.0f / 3.0f;
        made->radius[i] = 0.01f + 0.001f * (float)i;
        made->film[i] = 0.002f * (float)i;
    }
    for (int i = 0; i < MADE_CLOTH; i++) {
        made->cloth[i][0] = i == 1 || i == 2;
        made->cloth[i][1] = (float)(2.0 + 0.01 * i * number);
        made->cloth[i][2] = i > 1;
        made->wetness[i] = 0.25f * (float)i;
    }
    for (int i = 0; i < 3 * MADE_DUST; i++) made->dust[i / 3][i % 3] = 0.1 * i + number;
    for (int i = 0; i < MADE_STRANDS; i++) made->root[i] = 10 * i - 3;
    made->body[0] = 7;
    made->body[1] = 9;
}

// liquid_count: fewer points than there are, so that the number changes from frame to frame.
static inline void made_describe(made_frame *made, int number, size_t liquid_count)
{
    const dr_frame_array arrays[] = {
        {"id", "", DR_TYPE_UINT64, 1, liquid_count, made->liquid_id},
        {"position", "cm", DR_TYPE_FLOAT32, 3, liquid_count, made->liquid},
        {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, liquid_count, made->liquid_velocity},
        {"volume", "cm3", DR_TYPE_FLOAT32, 1, liquid_count, made->liquid_volume},
        {"film_height", "cm", DR_TYPE_FLOAT32, 1, MADE_POINTS, made->film},
        {"position", "cm", DR_TYPE_FLOAT32, 3, MADE_POINTS, made->strand},
        {"radius", "cm", DR_TYPE_FLOAT32, 1, MADE_POINTS, made->radius},
        {"root", "", DR_TYPE_INT32, 1, MADE_STRANDS, made->root},
        {"body", "", DR_TYPE_UINT32, 1, 2, made->body},
        {"position", "cm", DR_TYPE_FLOAT32, 3, MADE_CLOTH, made->cloth},
        {"wetness", "", DR_TYPE_FLOAT32, 1, MADE_CLOTH, made->wetness},
        {"position", "cm", DR_TYPE_FLOAT64, 3, MADE_DUST, made->dust},
    };
    memcpy(made->arrays, arrays, sizeof arrays);
    made->parts[0] = (dr_frame_part){"liquid", DR_FRAME_POINTS, liquid_count, 0, NULL, 4, made->arrays};
    made->parts[1] =
        (dr_frame_part){"strands", DR_FRAME_CURVES, MADE_POINTS, MADE_STRANDS, made_first, 4, made->arrays + 4};
    made->parts[2] = (dr_frame_part){"cloth", DR_FRAME_TRIANGLES, MADE_CLOTH, 2, made_triangles, 3, made->arrays + 8};
    made->parts[3] = (dr_frame_part){"dust", DR_FRAME_POINTS, MADE_DUST, 0, NULL, 1, made->arrays + 11};
    made->frame = (dr_frame){.time = 0.04 * (number - 1), .number = number, .part_count = 4, .parts = made->parts};
}

// Frames 1 .. count into a new folder of results. melting: liquid that gets less.
static inline void made_write(const char *folder, int count, bool melting)
{
    static made_frame made;
    char frames[DR_FOLDER_PATH];
    dr_error error = {0};
    dr_folder_join(frames, folder, "frames");
    if (dr_folder_make(frames, &error)) fail_msg("%s", error.text);
    for (int number = 1; number <= count; number++) {
        made_fill(&made, number);
        made_describe(&made, number, MADE_LIQUID - (melting ? (size_t)number : 0));
        dr_cache_stamp stamp = {.particles = true, .compression = 1};
        if (dr_cache_write(folder, &made.frame, &stamp, NULL, &error)) fail_msg("%s", error.text);
    }
}

#endif
