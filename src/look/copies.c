// A copy lies off its strand by a vector of a disc across it, drawn by strand and copy, in a frame that is carried
// along the strand without turning about it; at the tip it is half as far away as at the root.
#include "look/copies.h"

#include "math/random.h"

#include <string.h>

typedef struct making {
    const dr_studio_curves *from;
    float (*position)[3], *radius, *wetness, *thick;
    uint32_t *first, *body;
    size_t point, curve;
} making;

static uint32_t body_of(const dr_studio_curves *curves, size_t c)
{
    return curves->body ? curves->body[c] : 0;
}

static void add_copy(making *m, size_t c, float away, float turn)
{
    const dr_studio_curves *from = m->from;
    size_t begin = from->first[c], end = from->first[c + 1];
    dr_float4 across = {0}, beside = {0};
    m->first[m->curve] = (uint32_t)m->point;
    m->body[m->curve++] = body_of(from, c);
    for (size_t v = begin; v < end; v++) {
        dr_float4 here = dr_float4_load3(from->position[v]);
        dr_float4 before = dr_float4_load3(from->position[v > begin ? v - 1 : v]);
        dr_float4 tangent = dr_space_unit(dr_float4_load3(from->position[v + 1 < end ? v + 1 : v]) - before);
        if (v == begin) dr_space_frame(tangent, &across, &beside);
        across = dr_space_unit(across - dr_space_dot(across, tangent) * tangent);
        beside = dr_space_cross(tangent, across);
        float share = end - begin > 1 ? (float)(v - begin) / (float)(end - begin - 1) : 0.0f;
        float length = away * (1.0f - 0.5f * share);
        here += length * (cosf(turn) * across + sinf(turn) * beside);
        for (int a = 0; a < 3; a++) m->position[m->point][a] = here[a];
        m->radius[m->point] = from->radius[v];
        if (m->wetness) m->wetness[m->point] = from->wetness[v];
        size_t films = (size_t)from->film_count;
        if (films) memcpy(m->thick + films * m->point, from->thick + films * v, films * sizeof *m->thick);
        m->point++;
    }
}

static bool make_room(making *m, const uint32_t *copies, dr_arena *arena)
{
    size_t points = 0, curves = 0;
    for (size_t c = 0; c < m->from->curve_count; c++) {
        uint32_t count = copies[body_of(m->from, c)];
        points += count * (size_t)(m->from->first[c + 1] - m->from->first[c]);
        curves += count;
    }
    m->position = dr_arena_alloc(arena, points * sizeof *m->position + 1);
    m->radius = dr_arena_alloc(arena, points * sizeof *m->radius + 1);
    m->first = dr_arena_alloc(arena, (curves + 1) * sizeof *m->first);
    m->body = dr_arena_alloc(arena, curves * sizeof *m->body + 1);
    if (m->from->wetness) m->wetness = dr_arena_alloc(arena, points * sizeof *m->wetness + 1);
    size_t films = (size_t)m->from->film_count;
    if (films) m->thick = dr_arena_alloc(arena, films * points * sizeof *m->thick + 1);
    return m->position && m->radius && m->first && m->body && (m->wetness || !m->from->wetness) && (m->thick || !films);
}

bool dr_copies_make(dr_studio_curves *curves, const uint32_t *copies, const float *spread, dr_arena *arena)
{
    making m = {.from = curves};
    if (!make_room(&m, copies, arena)) return false;
    for (size_t c = 0; c < curves->curve_count; c++) {
        uint32_t body = body_of(curves, c);
        add_copy(&m, c, 0.0f, 0.0f);
        for (uint32_t k = 1; k < copies[body]; k++) {
            uint64_t key = dr_random_key(c, k);
            float away = spread[body] * sqrtf((float)dr_random_unit(key, 0));
            add_copy(&m, c, away, 2.0f * DR_PI_FLOAT * (float)dr_random_unit(key, 1));
        }
    }
    m.first[m.curve] = (uint32_t)m.point;
    curves->point_count = m.point;
    curves->curve_count = m.curve;
    curves->position = (const float(*)[3])m.position;
    curves->radius = m.radius;
    curves->wetness = m.wetness;
    curves->thick = m.thick;
    curves->first = m.first;
    curves->body = m.body;
    return true;
}
