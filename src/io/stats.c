#define _POSIX_C_SOURCE 200809L
#include "io/stats.h"

#include "base/clock.h"
#include "io/result.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING_BYTES   65536
#define PENDING_SECONDS 1.0

static void put_volumes(dr_json *json, const dr_report *report)
{
    dr_json_object(json, "volume");
    dr_json_number(json, "bulk", report->volume_bulk);
    dr_json_number(json, "film", report->volume_film);
    dr_json_number(json, "fabric", report->volume_fabric);
    dr_json_number(json, "drained", report->volume_drained);
    dr_json_number(json, "total", report->volume_total);
    dr_json_number(json, "emitted", report->volume_emitted);
    dr_json_number(json, "occupied", report->volume_occupied);
    dr_json_number(json, "bubbles", report->volume_bubbles);
    dr_json_number(json, "bubbles_lost", report->volume_bubbles_lost);
    dr_json_end_object(json);
}

static void put_energies(dr_json *json, const dr_report *report)
{
    dr_json_object(json, "energy");
    dr_json_number(json, "kinetic", report->energy_kinetic);
    dr_json_number(json, "elastic", report->energy_elastic);
    dr_json_number(json, "potential", report->energy_potential);
    dr_json_number(json, "surface", report->energy_surface);
    dr_json_end_object(json);
}

static void put_solves(dr_json *json, const dr_report *report)
{
    dr_json_list(json, "solves");
    for (int i = 0; i < report->solve_count; i++) {
        const dr_solve_report *solve = &report->solves[i];
        dr_json_object(json, NULL);
        dr_json_text(json, "name", solve->name);
        dr_json_text(json, "reason", dr_reason_name(solve->reason));
        dr_json_integer(json, "iterations", solve->iterations);
        dr_json_number(json, "residual", solve->residual);
        dr_json_end_object(json);
    }
    dr_json_end_list(json);
}

static void put_stages(dr_json *json, const dr_report *report)
{
    dr_json_object(json, "stage_seconds");
    for (int i = 0; i < DR_STAGE_COUNT; i++) {
        dr_json_number(json, dr_stage_name((dr_stage)i), report->stage_seconds[i]);
    }
    dr_json_end_object(json);
}

static void put_warnings(dr_json *json, const dr_report *report)
{
    dr_json_list(json, "warnings");
    for (int i = 0; i < report->warning_count && i < DR_REPORT_WARNINGS; i++) {
        dr_json_text(json, NULL, report->warnings[i]);
    }
    dr_json_end_list(json);
}

void dr_stats_report(dr_json *json, const char *key, const dr_report *report)
{
    dr_json_object(json, key);
    dr_json_integer(json, "step", report->step);
    dr_json_number(json, "time", report->time);
    dr_json_number(json, "dt", report->dt);
    dr_json_integer(json, "rejected", report->rejected);
    dr_json_text(json, "rejected_because", report->rejected_because);
    dr_json_text(json, "limited_by", report->limited_by);
    dr_json_integer(json, "particles", report->particles);
    dr_json_integer(json, "strands", report->strands);
    dr_json_integer(json, "vertices", report->vertices);
    dr_json_integer(json, "blocks", report->blocks);
    dr_json_integer(json, "emitted", report->emitted);
    dr_json_integer(json, "drained", report->drained);
    dr_json_integer(json, "culled", report->culled);
    dr_json_integer(json, "ids", report->ids);
    dr_json_integer(json, "bubbles", report->bubbles);
    put_volumes(json, report);
    dr_json_number(json, "mass", report->mass);
    dr_json_numbers(json, "linear_momentum", report->linear_momentum, 3);
    dr_json_numbers(json, "angular_momentum", report->angular_momentum, 3);
    put_energies(json, report);
    dr_json_number(json, "largest_speed", report->largest_speed);
    put_solves(json, report);
    dr_json_integer(json, "contacts", report->contacts);
    dr_json_integer(json, "held", report->held);
    put_stages(json, report);
    dr_json_number(json, "step_seconds", report->step_seconds);
    dr_json_integer(json, "resident_bytes", (int64_t)report->resident_bytes);
    put_warnings(json, report);
    dr_json_end_object(json);
}

static dr_status cut(dr_stats *stats, int64_t keep, dr_error *error)
{
    struct stat info;
    if (fstat(stats->file, &info) != 0) return dr_folder_error(error, stats->path, "cannot be read");
    if ((int64_t)info.st_size < keep) {
        dr_status status =
            dr_error_add(error, DR_STATUS_IO, "%s: is damaged: it is shorter than the checkpoint says", stats->path);
        dr_error_hint(error, "start again with --overwrite or another -o");
        return status;
    }
    if (ftruncate(stats->file, (off_t)keep) != 0 || lseek(stats->file, (off_t)keep, SEEK_SET) < 0) {
        return dr_folder_error(error, stats->path, "cannot be cut");
    }
    return DR_STATUS_OK;
}

dr_status dr_stats_open(dr_stats *stats, const char *folder, int64_t keep, const dr_allocator *allocator,
                        dr_error *error)
{
    *stats = (dr_stats){.file = -1, .bytes = keep, .flushed = dr_clock_now()};
    dr_text_open(&stats->pending, allocator);
    dr_folder_join(stats->path, folder, DR_RESULT_STATS);
    stats->file = open(stats->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (stats->file < 0) return dr_folder_error(error, stats->path, "cannot be opened");
    dr_status status = cut(stats, keep, error);
    if (status) dr_stats_close(stats);
    return status;
}

dr_status dr_stats_flush(dr_stats *stats, bool sync, dr_error *error)
{
    if (stats->file < 0) return DR_STATUS_OK;
    const char *at = dr_text_show(&stats->pending);
    size_t left = stats->pending.length;
    while (!stats->failed && left > 0) {
        ssize_t written = write(stats->file, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) stats->failed = true;
        at += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    if (!stats->failed && sync && fsync(stats->file) != 0) stats->failed = true;
    if (stats->failed) return dr_folder_error(error, stats->path, "cannot be written");
    dr_text_clear(&stats->pending);
    stats->flushed = dr_clock_now();
    return DR_STATUS_OK;
}

dr_status dr_stats_add(dr_stats *stats, const dr_report *report, dr_error *error)
{
    if (stats->file < 0) return DR_STATUS_OK;
    size_t before = stats->pending.length;
    dr_json json;
    dr_json_open(&json, &stats->pending);
    dr_stats_report(&json, NULL, report);
    dr_text_put(&stats->pending, "\n");
    if (stats->pending.failed) return dr_error_memory(error, "writing statistics");
    stats->bytes += (int64_t)(stats->pending.length - before);
    bool due = stats->pending.length >= PENDING_BYTES || dr_clock_now() - stats->flushed >= PENDING_SECONDS;
    return due ? dr_stats_flush(stats, false, error) : DR_STATUS_OK;
}

void dr_stats_close(dr_stats *stats)
{
    if (stats->file >= 0) close(stats->file);
    stats->file = -1;
    dr_text_close(&stats->pending);
}
