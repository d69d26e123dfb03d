// The sums of transfer_faces.c for registers of 16 floats: called only where the machine has them. Every lane is what a
// lane of narrower ones is, in the same order.
#include "grid/transfer_faces_wide.h"

#include "math/simd16.h"

enum { TAPS = 3, WIDTH = 4 };

// A row of a component's buffer is a register: mass and momentum of eight samples in turn. Taps that start at sample f
// stand 2 f lanes on, with zeros around them.
DR_INLINE dr_float16 along_z(const dr_float4 tap[TAPS], const int lane[16])
{
    float t[TAPS] = {tap[0][2], tap[1][2], tap[2][2]};
    return dr_float16_pick((dr_float16){t[0], t[0], t[1], t[1], t[2], t[2]}, lane);
}

DR_INLINE dr_float16 pick_pair(dr_float8 v, int r)
{
    const int pair[8] = {r, 4 + r, r, 4 + r, r, 4 + r, r, 4 + r};
    dr_float8 picked = dr_float8_pick(v, pair);
    return dr_float16_join(picked, picked);
}

static const int turned[DR_STENCIL_PITCH][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
    {12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5},
};

DR_INLINE void add_component(int r, const dr_face_taps *s, const dr_face_charge *c, float *buffer)
{
    const int x = r == 0 ? DR_FACE_OWN : DR_FACE_HALF, y = r == 1 ? DR_FACE_OWN : DR_FACE_HALF,
              z = r == 2 ? DR_FACE_OWN : DR_FACE_HALF;
    const int *lane = turned[s->first[z][2]];
    dr_float16 w = along_z(s->w[z], lane), dw = along_z(s->dw[z], lane);
    dr_float16 middle = dr_float16_add_product(pick_pair(c->a[2], r) * dw, pick_pair(c->q, r), w);
    dr_float16 sloped = pick_pair(c->a[0], r) * w, tilted = pick_pair(c->a[1], r) * w;
    dr_float16 wy[TAPS], dwy[TAPS];
    for (int j = 0; j < TAPS; j++) {
        wy[j] = dr_float16_all(s->w[y][j][1]);
        dwy[j] = dr_float16_all(s->dw[y][j][1]);
    }
    float *first = buffer + 2 * (s->first[x][0] * DR_FACE_SIDE + s->first[y][1]) * DR_STENCIL_PITCH;
    for (int i = 0; i < TAPS; i++) {
        dr_float16 wi = dr_float16_all(s->w[x][i][0]), dwi = dr_float16_all(s->dw[x][i][0]);
        dr_float16 along = dr_float16_add_product(wi * middle, dwi, sloped), cross = wi * tilted;
        for (int j = 0; j < TAPS; j++) {
            float *row = first + 2 * (i * DR_FACE_SIDE + j) * DR_STENCIL_PITCH;
            dr_float16 sum = dr_float16_add_product(dr_float16_load(row), along, wy[j]);
            dr_float16_store(row, dr_float16_add_product(sum, cross, dwy[j]));
        }
    }
}

void dr_transfer_faces_add_wide(const dr_face_taps *taps, const dr_face_charge *charge, size_t count, float *buffer)
{
    for (size_t p = 0; p < count; p++) {
        add_component(0, &taps[p], &charge[p], buffer);
        add_component(1, &taps[p], &charge[p], buffer + DR_STENCIL_APART);
        add_component(2, &taps[p], &charge[p], buffer + 2 * (size_t)DR_STENCIL_APART);
    }
}

// ---- four neighbours along z are a register

DR_INLINE dr_float16 four_weights(const dr_float4 w[WIDTH][3])
{
    return dr_float16_join(dr_float8_join(w[0][2], w[1][2]), dr_float8_join(w[2][2], w[3][2]));
}

// The sum of four neighbours times their weights.
DR_INLINE dr_float4 fold(dr_float16 plane, dr_float16 weight)
{
    dr_float8 sum = dr_float8_add_product(dr_float8_all(0.0F), dr_float16_low(plane), dr_float16_low(weight));
    sum = dr_float8_add_product(sum, dr_float16_high(plane), dr_float16_high(weight));
    return dr_float8_low(sum) + dr_float8_high(sum);
}

DR_INLINE const float *row_at(const dr_face_stencil *s, const float *buffer, int i, int j)
{
    return buffer + 4 * (s->item + (size_t)((i * DR_FACE_SIDE + j) * DR_STENCIL_PITCH));
}

// Sums along x, then y, then z.
DR_INLINE void find_one(const dr_face_stencil *s, const float *buffer, dr_stencil_sample *out)
{
    dr_float16 zero = dr_float16_all(0.0F), plane = zero, plane_x = zero, plane_y = zero, w[WIDTH], m[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        w[i] = dr_float16_repeat(s->w[i][0]);
        m[i] = dr_float16_repeat(s->m[i][0]);
    }
    for (int j = 0; j < WIDTH; j++) {
        dr_float16 row = zero, row_x = zero, wj = dr_float16_repeat(s->w[j][1]);
        for (int i = 0; i < WIDTH; i++) {
            dr_float16 face = dr_float16_load(row_at(s, buffer, i, j));
            row = dr_float16_add_product(row, face, w[i]);
            row_x = dr_float16_add_product(row_x, face, m[i]);
        }
        plane = dr_float16_add_product(plane, row, wj);
        plane_x = dr_float16_add_product(plane_x, row_x, wj);
        plane_y = dr_float16_add_product(plane_y, row, dr_float16_repeat(s->m[j][1]));
    }
    dr_float16 wz = four_weights(s->w), mz = four_weights(s->m);
    *out = (dr_stencil_sample){fold(plane, wz), {fold(plane_x, wz), fold(plane_y, wz), fold(plane, mz)}};
}

// The value alone.
DR_INLINE void sample_one(const dr_face_stencil *s, const float *buffer, dr_stencil_sample *out)
{
    dr_float16 zero = dr_float16_all(0.0F), plane = zero, w[WIDTH];
    for (int i = 0; i < WIDTH; i++) w[i] = dr_float16_repeat(s->w[i][0]);
    for (int j = 0; j < WIDTH; j++) {
        dr_float16 row = zero;
        for (int i = 0; i < WIDTH; i++)
            row = dr_float16_add_product(row, dr_float16_load(row_at(s, buffer, i, j)), w[i]);
        plane = dr_float16_add_product(plane, row, dr_float16_repeat(s->w[j][1]));
    }
    out->value = fold(plane, four_weights(s->w));
}

void dr_transfer_faces_find_wide(const dr_face_stencil *stencil, size_t count, const float *const buffer[3],
                                 dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    for (size_t p = 0; p < count && buffer[0]; p++) find_one(&stencil[p], buffer[0], &found[0][p]);
    for (size_t p = 0; p < count && buffer[1]; p++) find_one(&stencil[p], buffer[1], &found[1][p]);
    for (size_t p = 0; p < count && buffer[2]; p++) sample_one(&stencil[p], buffer[2], &found[2][p]);
}
