// What a run writes about itself: the scene as run, run.json with its sessions, report.json with its outcome.
#define _DEFAULT_SOURCE
#include "io/run_parts.h"

#include "drench/version.h"
#include "par/par.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static dr_status write_text(const dr_run_job *r, const char *name, const char *text, size_t length, dr_error *error)
{
    dr_piece piece = {text, length};
    return dr_folder_write(r->options->folder, name, NULL, &piece, 1, error);
}

static dr_status write_json(const dr_run_job *r, const char *name, dr_text *text, dr_error *error)
{
    dr_text_put(text, "\n");
    dr_status status = text->failed ? dr_error_memory(error, "writing JSON")
                                    : write_text(r, name, dr_text_show(text), text->length, error);
    dr_text_close(text);
    return status;
}

// Where the scene's files are looked for, as a whole path with a slash behind it; empty where that cannot be told.
static void find_files(const dr_run_job *r, char folder[DR_FOLDER_PATH])
{
    char name[DR_FOLDER_PATH], whole[PATH_MAX];
    snprintf(name, sizeof name, "%s", dr_scene_name(r->scene));
    char *slash = strrchr(name, '/');
    if (slash) slash[1] = 0;
    folder[0] = 0;
    if (realpath(slash ? name : ".", whole)) snprintf(folder, DR_FOLDER_PATH, "%.4000s/", whole);
}

dr_status dr_run_show_scene(const dr_run_job *r, char **text, size_t *length, dr_error *error)
{
    char folder[DR_FOLDER_PATH];
    find_files(r, folder);
    return dr_scene_write_text_from(r->scene, folder, text, length, error);
}

dr_status dr_run_write_scene(const dr_run_job *r, dr_error *error)
{
    char *text = NULL;
    size_t length = 0;
    dr_status status = dr_run_show_scene(r, &text, &length, error);
    if (status) return status;
    status = write_text(r, DR_RESULT_SCENE, text, length, error);
    dr_scene_release_text(r->scene, text, length);
    return status;
}

static void put_session(const dr_run_job *r, dr_json *json)
{
    char date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    dr_json_object(json, NULL);
    dr_json_text(json, "date", date);
    dr_json_text(json, "command", r->options->command);
    dr_json_integer(json, "threads", dr_par_open(r->options->threads).threads);
    dr_json_integer(json, "from_step", dr_world_step_count(r->world));
    dr_json_end_object(json);
}

// {"yaml": true, ...} from lines of "name yes|no".
static void put_features(dr_json *json)
{
    dr_json_object(json, "features");
    for (const char *line = dr_version_features(); *line;) {
        char name[40] = "", value[8] = "";
        if (sscanf(line, "%39s %7s", name, value) == 2) dr_json_bool(json, name, strcmp(value, "yes") == 0);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    dr_json_end_object(json);
}

dr_status dr_run_write_run(const dr_run_job *r, dr_json_value earlier, dr_error *error)
{
    dr_text text;
    dr_json json;
    dr_text_open(&text, r->options->allocator);
    dr_json_open(&json, &text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "program", "drench");
    dr_json_text(&json, "version", dr_version());
    put_features(&json);
    dr_json_text(&json, "title", r->spec->title);
    dr_json_text(&json, "scene", dr_scene_name(r->scene));
    dr_json_hash(&json, "scene_hash", r->stamp.scene_hash);
    dr_json_integer(&json, "seed", r->spec->seed);
    dr_json_number(&json, "frame_rate", r->spec->time.frame_rate);
    dr_json_integer(&json, "start_frame", r->spec->time.start_frame);
    dr_json_integer(&json, "samples", dr_run_samples(r));
    dr_json_integer(&json, "last_frame", dr_run_frame_number(r, r->last_output));
    dr_json_integer(&json, "outputs", r->last_output + 1);
    dr_json_list(&json, "sessions");
    dr_json_value cursor = {NULL, 0};
    for (dr_json_value item; (item = dr_json_next(earlier, &cursor)).data;) {
        dr_json_raw(&json, NULL, item.data, item.length);
    }
    put_session(r, &json);
    dr_json_end_list(&json);
    dr_json_end_object(&json);
    return write_json(r, DR_RESULT_RUN, &text, error);
}

static void put_totals(const dr_run_job *r, dr_json *json)
{
    const dr_run_state *state = &r->state;
    dr_json_integer(json, "steps", dr_world_step_count(r->world));
    dr_json_integer(json, "frames", state->next_output);
    dr_json_integer(json, "last_frame", dr_run_frame_number(r, r->last_output));
    dr_json_integer(json, "rejected", state->rejected);
    dr_json_integer(json, "warnings", state->warnings);
    dr_json_number(json, "time", dr_world_time(r->world));
    dr_json_number(json, "seconds", state->seconds);
    dr_json_number(json, "cpu_seconds", state->cpu_seconds);
    dr_json_hash(json, "state_hash", dr_world_hash(r->world));
    dr_json_integer(json, "peak_particles", state->peak_particles);
    dr_json_integer(json, "peak_resident_bytes", state->peak_resident_bytes);
    dr_json_object(json, "stage_seconds");
    for (int i = 0; i < DR_STAGE_COUNT; i++) {
        dr_json_number(json, dr_stage_name((dr_stage)i), state->stage_seconds[i]);
    }
    dr_json_end_object(json);
}

dr_status dr_run_write_report(const dr_run_job *r, dr_status outcome, const dr_error *problem, dr_error *error)
{
    dr_text text;
    dr_json json;
    dr_text_open(&text, r->options->allocator);
    dr_json_open(&json, &text);
    dr_json_object(&json, NULL);
    dr_json_text(&json, "version", dr_version());
    dr_json_text(&json, "title", r->spec->title);
    dr_json_hash(&json, "scene_hash", r->stamp.scene_hash);
    dr_json_integer(&json, "seed", r->spec->seed);
    dr_json_bool(&json, "complete", outcome == DR_STATUS_OK);
    dr_json_text(&json, "status", outcome ? dr_status_name(outcome) : "complete");
    dr_json_text(&json, "problem", outcome && problem && problem->count ? problem->text : NULL);
    put_totals(r, &json);
    dr_stats_report(&json, "last", dr_world_report(r->world));
    dr_json_end_object(&json);
    return write_json(r, DR_RESULT_REPORT, &text, error);
}
