// What is answered to a request, whatever carries it: the page's own files, the list of frames, statistics, a frame.
// Nothing else has an address: a path is compared with the few there are and never handed to the file system.
#ifndef DR_LOOK_VIEW_ANSWER_H
#define DR_LOOK_VIEW_ANSWER_H

#include "look/view_folder.h"
#include "look/view_frame.h"

typedef struct dr_view_answer {
    int code;         // of HTTP
    const char *type; // of the content
    const void *data[2];
    size_t bytes[2];
    dr_text text;
    dr_view_frame frame;
} dr_view_answer;

// Whether a request with these headers (NULL: not sent) comes from a page of ours: the host is the loopback address, by
// number or name, with our port; the origin is the same; the browser says that no other site asks (Sec-Fetch-Site),
// unless it is for a link to the page itself.
bool dr_view_answer_may(const char *host, const char *origin, const char *site, const char *path, int port);

// path and query as they were sent, without '?'; query may be NULL. One call at a time for a folder. Freed by
// dr_view_answer_free.
void dr_view_answer_make(dr_view_folder *folder, const char *path, const char *query, dr_view_answer *answer);
void dr_view_answer_refuse(dr_view_folder *folder, int code, const char *why, dr_view_answer *answer);
void dr_view_answer_free(dr_view_answer *answer);

#endif
