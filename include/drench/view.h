// A web page on this machine that shows a result folder, also while a run is still writing it.
#ifndef DRENCH_VIEW_H
#define DRENCH_VIEW_H

#include "drench/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dr_view dr_view;

// Serves the folder on the loopback address until dr_view_close, in threads of its own; port 0: any that is free. HDF5
// serves one thread at a time, so nothing else of this process may read or write frames meanwhile. On failure *view is
// NULL; DR_STATUS_UNSUPPORTED where the library was built without civetweb.
DR_API dr_status dr_view_open(const char *folder, int port, const dr_allocator *allocator, dr_view **view,
                              dr_error *error);

// "http://127.0.0.1:8080/". It lives as long as the view.
DR_API const char *dr_view_address(const dr_view *view);

DR_API void dr_view_close(dr_view *view); // NULL is fine

#ifdef __cplusplus
}
#endif
#endif
