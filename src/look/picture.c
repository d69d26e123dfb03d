#include "look/picture.h"

#include "base/memory.h"

#ifdef DR_HAVE_PNG
#include <png.h>
#endif

#include <string.h>

#define SHOULDER 0.6f // light up to it is shown as it is

float dr_picture_tone(float light)
{
    if (!(light > 0.0f)) return 0.0f;
    if (light <= SHOULDER) return light;
    return SHOULDER + (1.0f - SHOULDER) * (1.0f - expf(-(light - SHOULDER) / (1.0f - SHOULDER)));
}

uint8_t dr_picture_byte(float light)
{
    float v = dr_picture_tone(light);
    float shown = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)lrintf(255.0f * fminf(shown, 1.0f));
}

#ifdef DR_HAVE_PNG

typedef struct sink {
    const dr_allocator *allocator;
    void *data;
    size_t bytes, room;
} sink;

static void take(png_structp png, png_bytep data, png_size_t bytes)
{
    sink *sink = png_get_io_ptr(png);
    if (!dr_memory_reserve(sink->allocator, &sink->data, &sink->room, sink->bytes + bytes, 1))
        png_error(png, "out of memory");
    memcpy((char *)sink->data + sink->bytes, data, bytes);
    sink->bytes += bytes;
}

static void flush(png_structp png)
{
    (void)png;
}

// libpng leaves by a jump when something fails.
static bool write_rows(png_structp png, png_infop info, int width, int height, const uint8_t *pixels)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * 3 * (size_t)width);
    png_write_end(png, NULL);
    return true;
}

dr_status dr_picture_encode(int width, int height, const uint8_t *pixels, const dr_allocator *allocator, uint8_t **data,
                            size_t *bytes, size_t *room, dr_error *error)
{
    sink sink = {.allocator = allocator};
    *data = NULL;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info != NULL;
    if (good) {
        png_set_write_fn(png, &sink, take, flush);
        good = write_rows(png, info, width, height, pixels);
    }
    png_destroy_write_struct(&png, &info);
    if (!good) {
        dr_memory_free(allocator, sink.data, sink.room);
        return dr_error_memory(error, "writing a picture");
    }
    *data = sink.data;
    *bytes = sink.bytes;
    *room = sink.room;
    return DR_STATUS_OK;
}

#else

dr_status dr_picture_encode(int width, int height, const uint8_t *pixels, const dr_allocator *allocator, uint8_t **data,
                            size_t *bytes, size_t *room, dr_error *error)
{
    (void)width, (void)height, (void)pixels, (void)allocator, (void)bytes, (void)room;
    *data = NULL;
    dr_status status =
        dr_error_add(error, DR_STATUS_UNSUPPORTED, "this drench cannot write PNG: it was built without libpng");
    dr_error_hint(error, "install the Debian package libpng-dev and build again");
    return status;
}

#endif
