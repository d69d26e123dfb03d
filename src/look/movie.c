#define _POSIX_C_SOURCE 200809L
#include "look/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool dr_movie_named(const char *output)
{
    static const char *const endings[] = {".mp4", ".mkv", ".mov", ".webm", ".gif"};
    size_t length = strlen(output);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(output + length - ending, endings[i]) == 0) return true;
    }
    return false;
}

// ffmpeg reads from the pipe, tells only of errors, and hears nothing of Ctrl-C: the pipe's end is what ends it.
static int start(dr_movie *movie, const int ends[2], char *const words[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t process = 0;
    if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawnp(&process, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    movie->process = (long)process;
    return failure;
}

dr_status dr_movie_open(dr_movie *movie, const char *output, int width, int height, double frame_rate, dr_error *error)
{
    char size[40], rate[40];
    int ends[2];
    *movie = (dr_movie){.output = output, .pipe = -1};
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6f", frame_rate);
    bool gif = strcmp(output + strlen(output) - 4, ".gif") == 0;
    const char *filter =
        gif ? "split[a][b];[a]palettegen[p];[b][p]paletteuse" : "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
    const char *words[] = {"ffmpeg",        "-hide_banner", "-loglevel",   "error", "-y",         "-f", "rawvideo",
                           "-pixel_format", "rgb24",        "-video_size", size,    "-framerate", rate, "-i",
                           "pipe:0",        "-vf",          filter,        output,  NULL};
    if (pipe(ends) != 0) return dr_error_system(error, output, "making a pipe to ffmpeg");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int failure = start(movie, ends, (char *const *)(uintptr_t)words);
    close(ends[0]);
    if (failure) {
        close(ends[1]);
        movie->process = 0;
        dr_error_add(error, DR_STATUS_UNSUPPORTED, "%s: a movie needs ffmpeg, which cannot be started: %s", output,
                     strerror(failure));
        dr_error_hint(error, "install the Debian package ffmpeg, or write pictures: -o frames/frame_%%06d.png");
        return DR_STATUS_UNSUPPORTED;
    }
    movie->pipe = ends[1];
    return DR_STATUS_OK;
}

dr_status dr_movie_add(dr_movie *movie, const uint8_t *pixels, size_t bytes, dr_error *error)
{
    while (bytes > 0) {
        ssize_t written = write(movie->pipe, pixels, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return dr_error_system(error, movie->output, "handing a picture to ffmpeg");
        pixels += written;
        bytes -= (size_t)written;
    }
    return DR_STATUS_OK;
}

dr_status dr_movie_close(dr_movie *movie, dr_error *error)
{
    int outcome = 0;
    if (movie->process == 0) return DR_STATUS_OK;
    close(movie->pipe);
    while (waitpid((pid_t)movie->process, &outcome, 0) < 0 && errno == EINTR) {
    }
    movie->process = 0;
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_IO, "%s: ffmpeg could not make the movie (exit status %d)", movie->output,
                        WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1);
}
