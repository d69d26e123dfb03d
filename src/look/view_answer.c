#include "look/view_answer.h"

#include "base/json.h"
#include "look/view_page.h"
#include "look/view_surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST (INT64_C(1) << 53) // numbers that a page can count to

// ---- who may ask

static bool is_ours(const char *text, int port)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char whole[32];
        snprintf(whole, sizeof whole, "%s:%d", names[i], port);
        if (strcasecmp(text, whole) == 0 || (port == 80 && strcasecmp(text, names[i]) == 0)) return true;
    }
    return false;
}

bool dr_view_answer_may(const char *host, const char *origin, const char *site, const char *path, int port)
{
    if (!host || !is_ours(host, port)) return false;
    bool same = !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
    if (!same && strcmp(path, "/") != 0) return false;
    return !origin || (strncasecmp(origin, "http://", 7) == 0 && is_ours(origin + 7, port));
}

// ---- the query

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Where a value of "a=1&b=2" begins, NULL where it is not there.
static const char *find_value(const char *query, const char *name)
{
    size_t length = strlen(name);
    const char *at = query ? query : "";
    while (*at && !(strncmp(at, name, length) == 0 && at[length] == '=')) {
        at += strcspn(at, "&");
        at += *at == '&';
    }
    return *at ? at + length + 1 : NULL;
}

// Undoes the escapes of a value; false where it is badly written or too long.
static bool read_value(const char *at, char *value, size_t room)
{
    size_t used = 0;
    for (; *at && *at != '&'; at++) {
        char c = *at;
        if (c == '%') {
            int high = digit_of(at[1]), low = high < 0 ? -1 : digit_of(at[2]);
            if (low < 0 || (high == 0 && low == 0)) return false;
            c = (char)(high * 16 + low);
            at += 2;
        }
        if (used + 1 >= room) return false;
        value[used++] = c;
    }
    value[used] = 0;
    return true;
}

// fallback < 0: there must be one.
static bool find_number(const char *query, const char *name, int64_t fallback, int64_t *number)
{
    char text[24], *end;
    const char *at = find_value(query, name);
    *number = fallback;
    if (!at) return fallback >= 0;
    if (!read_value(at, text, sizeof text)) return false;
    *number = strtoll(text, &end, 10);
    return end != text && !*end && *number >= 0 && *number <= MOST;
}

// ---- answers

static void show_text(dr_view_answer *answer, const char *type)
{
    answer->code = 200;
    answer->type = type;
    answer->data[0] = dr_text_show(&answer->text);
    answer->bytes[0] = answer->text.length;
}

void dr_view_answer_refuse(dr_view_folder *folder, int code, const char *why, dr_view_answer *answer)
{
    dr_json json;
    *answer = (dr_view_answer){0};
    dr_text_open(&answer->text, folder->allocator);
    dr_json_open(&json, &answer->text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "error", why);
    dr_json_end_object(&json);
    show_text(answer, "application/json");
    answer->code = code;
}

// That a frame is not there or cannot be read is an ordinary answer: runs are killed and disks fill up.
static int code_of(dr_status status)
{
    switch (status) {
    case DR_STATUS_NO_FILE:
    case DR_STATUS_IO:
        return 200;
    case DR_STATUS_BAD_ARGUMENT:
        return 403;
    default:
        return 500;
    }
}

// Problems name files by their whole path; the page has no need to know it.
static void refuse_error(dr_view_folder *folder, dr_status status, const dr_error *error, dr_view_answer *answer)
{
    char why[DR_ERROR_TEXT];
    size_t root = strlen(folder->root), used = 0;
    for (const char *at = error->text; *at && used + 1 < sizeof why;) {
        if (strncmp(at, folder->root, root) == 0 && at[root] == '/') {
            at += root + 1;
        } else {
            why[used++] = *at++;
        }
    }
    while (used && why[used - 1] == '\n') used--;
    why[used] = 0;
    dr_view_answer_free(answer);
    dr_view_answer_refuse(folder, code_of(status), why, answer);
}

static bool answer_page(const char *path, dr_view_answer *answer)
{
    for (const dr_view_file *file = dr_view_page; file->path; file++) {
        bool index = strcmp(path, "/") == 0 && strcmp(file->path, "/index.html") == 0;
        if (strcmp(path, file->path) != 0 && !index) continue;
        const char *end = strrchr(file->path, '.');
        answer->code = 200;
        answer->type = strcmp(end, ".js") == 0    ? "text/javascript; charset=utf-8"
                       : strcmp(end, ".css") == 0 ? "text/css; charset=utf-8"
                                                  : "text/html; charset=utf-8";
        answer->data[0] = file->data;
        answer->bytes[0] = file->bytes;
        return true;
    }
    return false;
}

static dr_status answer_list(dr_view_folder *folder, const char *query, dr_view_answer *answer, dr_error *error)
{
    (void)query;
    dr_status status = dr_view_folder_list(folder, &answer->text, error);
    if (!status) show_text(answer, "application/json");
    return status;
}

static dr_status answer_stats(dr_view_folder *folder, const char *query, dr_view_answer *answer, dr_error *error)
{
    int64_t from;
    if (!find_number(query, "from", 0, &from)) return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "from: not a number");
    dr_status status = dr_view_folder_stats(folder, from, &answer->text, error);
    if (!status) show_text(answer, "application/json");
    return status;
}

static dr_status make_frame(dr_view_folder *folder, const dr_frame *frame, const char *want, dr_view_answer *answer,
                            dr_error *error)
{
    dr_view_surface surface;
    bool wanted = want && dr_view_frame_wants(want, DR_VIEW_SURFACE);
    dr_status status =
        dr_view_surface_open(&surface, frame, dr_result_scene(folder->result), wanted, folder->allocator, error);
    if (!status)
        status = dr_view_frame_make(&surface.frame, want, &folder->ages, folder->allocator, &answer->frame, error);
    dr_view_surface_close(&surface);
    return status;
}

static dr_status answer_frame(dr_view_folder *folder, const char *query, dr_view_answer *answer, dr_error *error)
{
    int64_t number, sample;
    char want[2048];
    const dr_frame *frame = NULL;
    const char *wish = find_value(query, "want");
    if (!find_number(query, "number", -1, &number) || !find_number(query, "sample", 0, &sample))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "number, sample: not numbers");
    if (wish && !read_value(wish, want, sizeof want))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "want: badly written");
    dr_status status = dr_view_folder_read(folder, number, sample, &frame, error);
    bool aged = wish && strstr(want, ":age");
    if (!status && (aged || folder->ages_from == 0)) status = dr_view_folder_learn_ages(folder, error);
    if (!status) status = make_frame(folder, frame, wish ? want : NULL, answer, error);
    dr_result_release(frame);
    if (status) return status;
    answer->code = 200;
    answer->type = "application/octet-stream";
    answer->data[0] = answer->frame.head;
    answer->bytes[0] = answer->frame.head_bytes;
    answer->data[1] = answer->frame.data;
    answer->bytes[1] = answer->frame.count * sizeof *answer->frame.data;
    return DR_STATUS_OK;
}

void dr_view_answer_make(dr_view_folder *folder, const char *path, const char *query, dr_view_answer *answer)
{
    static const struct {
        const char *path;
        dr_status (*make)(dr_view_folder *folder, const char *query, dr_view_answer *answer, dr_error *error);
    } makers[] = {{"/api/run", answer_list}, {"/api/stats", answer_stats}, {"/api/frame", answer_frame}};
    dr_error error = {0};
    *answer = (dr_view_answer){0};
    dr_text_open(&answer->text, folder->allocator);
    if (answer_page(path, answer)) return;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(path, makers[i].path) != 0) continue;
        dr_status status = makers[i].make(folder, query, answer, &error);
        if (status) refuse_error(folder, status, &error, answer);
        return;
    }
    dr_view_answer_free(answer);
    dr_view_answer_refuse(folder, 404, "there is nothing of that name", answer);
}

void dr_view_answer_free(dr_view_answer *answer)
{
    dr_text_close(&answer->text);
    dr_view_frame_free(&answer->frame);
}
