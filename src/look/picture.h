// A picture: light per pixel on the way in, bytes as screens want them on the way out, PNG files.
#ifndef DR_LOOK_PICTURE_H
#define DR_LOOK_PICTURE_H

#include "base/error.h"
#include "look/space.h"

// One channel of light as a byte: straight up to middle grey and beyond, then ever flatter towards white; the screen's
// own curve. docs/render.md, eqs. (11)-(12).
float dr_picture_tone(float light);
uint8_t dr_picture_byte(float light);

// A PNG image of 8-bit RGB in memory, rows from the top. *data from the allocator, *bytes long, *room to free.
dr_status dr_picture_encode(int width, int height, const uint8_t *pixels, const dr_allocator *allocator, uint8_t **data,
                            size_t *bytes, size_t *room, dr_error *error);

#endif
