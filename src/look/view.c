// The viewer's server: civetweb on the loopback address. It starts its threads here and nowhere else; they answer one
// at a time, since HDF5 serves one thread at a time, and send each on its own.
#define _POSIX_C_SOURCE 200809L
#include "drench/view.h"

#include "base/memory.h"
#include "look/view_answer.h"
#include "par/lock.h"

#include <stdio.h>
#include <string.h>

#ifdef DR_HAVE_CIVETWEB
#include <civetweb.h>

struct dr_view {
    const dr_allocator *allocator;
    dr_view_folder folder;
    dr_lock *lock;
    struct mg_context *server;
    char address[64];
};

// ---- one request

static const char *word_of(int code)
{
    switch (code) {
    case 200:
        return "OK";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    default:
        return "Internal Server Error";
    }
}

// The page may use what it brought along and what this server answers, nothing else; no other page may use it.
static const char guards[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n"
    "Connection: close\r\n";

static void send_answer(struct mg_connection *connection, const dr_view_answer *answer, bool body)
{
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s\r\n", answer->code,
              word_of(answer->code), answer->type, answer->bytes[0] + answer->bytes[1], guards);
    for (int i = 0; body && i < 2; i++) {
        if (answer->bytes[i]) mg_write(connection, answer->data[i], answer->bytes[i]);
    }
}

static void make_answer(dr_view *view, const struct mg_connection *connection, dr_view_answer *answer)
{
    const struct mg_request_info *request = mg_get_request_info(connection);
    const char *host = mg_get_header(connection, "Host"), *origin = mg_get_header(connection, "Origin");
    const char *site = mg_get_header(connection, "Sec-Fetch-Site");
    const char *path = request->local_uri ? request->local_uri : "";
    bool reads = strcmp(request->request_method, "GET") == 0 || strcmp(request->request_method, "HEAD") == 0;
    if (!dr_view_answer_may(host, origin, site, path, request->server_port)) {
        dr_view_answer_refuse(&view->folder, 403, "only pages of this machine may ask", answer);
    } else if (!reads) {
        dr_view_answer_refuse(&view->folder, 405, "this server only shows", answer);
    } else {
        dr_view_answer_make(&view->folder, path, request->query_string, answer);
    }
}

static int take_request(struct mg_connection *connection)
{
    const struct mg_request_info *request = mg_get_request_info(connection);
    dr_view *view = request->user_data;
    dr_view_answer answer;
    dr_lock_take(view->lock);
    make_answer(view, connection, &answer);
    dr_lock_give(view->lock);
    send_answer(connection, &answer, strcmp(request->request_method, "HEAD") != 0);
    dr_lock_take(view->lock);
    dr_view_answer_free(&answer);
    dr_lock_give(view->lock);
    return answer.code;
}

static int keep_quiet(const struct mg_connection *connection, const char *message)
{
    (void)connection, (void)message;
    return 1;
}

// ---- the server

static dr_status start(dr_view *view, int port, dr_error *error)
{
    char place[32], why[256] = "";
    snprintf(place, sizeof place, "127.0.0.1:%d", port);
    const char *options[] = {
        "listening_ports", place, "num_threads", "16", "request_timeout_ms", "10000", "enable_keep_alive", "no",
        "decode_url",      "no",  NULL};
    struct mg_callbacks callbacks = {
        .begin_request = take_request, .log_message = keep_quiet, .log_access = keep_quiet};
    struct mg_init_data init = {.callbacks = &callbacks, .user_data = view, .configuration_options = options};
    struct mg_error_data problem = {.text = why, .text_buffer_size = sizeof why};
    struct mg_server_port bound;
    mg_init_library(0);
    view->server = mg_start2(&init, &problem);
    if (!view->server) {
        mg_exit_library();
        dr_error_add(error, DR_STATUS_IO, "the page cannot be served on %s: %s", place, why);
        dr_error_hint(error, "another program may have the port; --port 0 takes any that is free");
        return DR_STATUS_IO;
    }
    if (mg_get_server_ports(view->server, 1, &bound) == 1) port = bound.port;
    snprintf(view->address, sizeof view->address, "http://127.0.0.1:%d/", port);
    return DR_STATUS_OK;
}

dr_status dr_view_open(const char *folder, int port, const dr_allocator *allocator, dr_view **view, dr_error *error)
{
    *view = NULL;
    if (port < 0 || port > 65535)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "port %d: a port is 0 to 65535", port);
    dr_view *opened = dr_memory_alloc(allocator, sizeof *opened);
    if (!opened) return dr_error_memory(error, "opening the viewer");
    opened->allocator = allocator;
    dr_status status = dr_view_folder_open(&opened->folder, folder, allocator, error);
    if (!status && !(opened->lock = dr_lock_open(allocator))) status = dr_error_memory(error, "opening the viewer");
    if (!status) status = start(opened, port, error);
    if (status) {
        dr_view_close(opened);
    } else {
        *view = opened;
    }
    return status;
}

const char *dr_view_address(const dr_view *view)
{
    return view->address;
}

void dr_view_close(dr_view *view)
{
    if (!view) return;
    if (view->server) {
        mg_stop(view->server);
        mg_exit_library();
    }
    dr_lock_close(view->lock);
    dr_view_folder_close(&view->folder);
    dr_memory_free(view->allocator, view, sizeof *view);
}

#else

dr_status dr_view_open(const char *folder, int port, const dr_allocator *allocator, dr_view **view, dr_error *error)
{
    (void)folder, (void)port, (void)allocator;
    *view = NULL;
    dr_status status = dr_error_add(error, DR_STATUS_UNSUPPORTED, "this build has no viewer: civetweb was missing");
    dr_error_hint(error, "Debian package libcivetweb-dev, then build again");
    return status;
}

const char *dr_view_address(const dr_view *view)
{
    (void)view;
    return "";
}

void dr_view_close(dr_view *view)
{
    (void)view;
}

#endif
