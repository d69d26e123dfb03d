#include "lab/meeting.h"

#include "base/error.h"
#include "base/memory.h"
#include "lab/parts.h"

#include <math.h>
#include <string.h>

static size_t room_bytes(const dr_lab_meeting *m)
{
    return 3 * (size_t)m->room * m->vertices * sizeof *m->x;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    dr_lab_meeting *m = user;
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, "strands") != 0 || m->frames >= m->room) continue;
        const dr_frame_array *position = dr_frame_find(part, "position");
        m->vertices = part->point_count;
        if (!m->x) m->x = dr_memory_alloc(NULL, room_bytes(m));
        if (!m->x) return;
        double *to = m->x + 3 * (size_t)m->frames++ * m->vertices;
        for (size_t v = 0; v < m->vertices; v++) {
            for (size_t a = 0; a < 3; a++) to[3 * v + a] = dr_lab_item(position, v, (int)a);
        }
    }
}

static void watch_report(void *user, const dr_report *report)
{
    dr_lab_meeting *m = user;
    m->steps = report->step;
    m->held += report->held;
    if (report->contacts > m->contacts) m->contacts = report->contacts;
    for (int i = 0; i < report->solve_count; i++) {
        const dr_solve_report *solve = &report->solves[i];
        if (strcmp(solve->name, "contact") != 0) continue;
        m->residual = fmax(m->residual, solve->residual);
        m->unconverged += solve->reason != DR_REASON_CONVERGED;
    }
}

dr_status dr_lab_meeting_run(dr_lab *lab, const char *part, dr_scene *scene, double duration, int frames, double step,
                             dr_lab_meeting *meeting, dr_error *error)
{
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = meeting};
    *meeting = (dr_lab_meeting){.room = frames + 1};
    dr_lab_scene_time(scene, duration, frames, step);
    dr_status status = dr_lab_simulate(lab, part, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status == DR_STATUS_OK && meeting->frames < 2) status = dr_error_memory(error, "watching strands");
    if (status) dr_lab_meeting_forget(meeting);
    return status;
}

void dr_lab_meeting_forget(dr_lab_meeting *meeting)
{
    if (meeting->x) dr_memory_free(NULL, meeting->x, room_bytes(meeting));
    meeting->x = NULL;
}

const double *dr_lab_meeting_vertex(const dr_lab_meeting *meeting, int frame, size_t vertex)
{
    int f = frame < 0 ? meeting->frames + frame : frame;
    return meeting->x + 3 * ((size_t)f * meeting->vertices + vertex);
}

void dr_lab_meeting_show(dr_lab *lab, const dr_lab_meeting *meeting)
{
    dr_lab_measure(lab, "contacts", NULL, (double)meeting->contacts);
    dr_lab_measure(lab, "contact_residual", NULL, meeting->residual);
    dr_lab_measure(lab, "steps", NULL, (double)meeting->steps);
    dr_lab_measure(lab, "unconverged_steps", NULL, (double)meeting->unconverged);
}
