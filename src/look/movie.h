// A movie through a pipe into ffmpeg.
#ifndef DR_LOOK_MOVIE_H
#define DR_LOOK_MOVIE_H

#include "base/error.h"

typedef struct dr_movie {
    long process; // 0: none
    int pipe;
    const char *output;
} dr_movie;

// Whether the name ends like a movie's: .mp4, .mkv, .mov, .webm, .gif.
bool dr_movie_named(const char *output);

// Starts ffmpeg. `output` must outlive the movie.
dr_status dr_movie_open(dr_movie *movie, const char *output, int width, int height, double frame_rate, dr_error *error);

// One picture of 8-bit RGB, rows from the top.
dr_status dr_movie_add(dr_movie *movie, const uint8_t *pixels, size_t bytes, dr_error *error);

// Lets ffmpeg finish. Does nothing where none was opened.
dr_status dr_movie_close(dr_movie *movie, dr_error *error);

#endif
