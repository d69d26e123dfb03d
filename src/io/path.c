#include "io/path.h"

#include "io/scan.h"

#include <math.h>

#define COLUMNS 8

// The next number's word on this line; commas are blanks, a comment ends the line.
static bool next_word(dr_scan *scan, dr_word *word)
{
    while (dr_scan_blanks(scan)) {
        if (*scan->at == '#') return false;
        if (*scan->at == ',') {
            scan->at++;
            continue;
        }
        *word = dr_scan_word(scan);
        for (size_t i = 0; i < word->length; i++)
            if (word->text[i] == ',' || word->text[i] == '#') {
                word->length = i;
                scan->at = word->text + i;
            }
        return true;
    }
    return false;
}

static size_t count_rows(dr_scan scan)
{
    size_t rows = 0;
    for (; scan.at < scan.end; dr_scan_next_line(&scan)) {
        dr_word word;
        rows += next_word(&scan, &word);
    }
    return rows;
}

static dr_status read_row(dr_scan *scan, double row[COLUMNS], int *count, dr_error *error)
{
    dr_word word;
    for (*count = 0; next_word(scan, &word); ++*count) {
        int shown = (int)(word.length < 40 ? word.length : 40);
        double value;
        if (!dr_word_real(word, &value) || !(fabs(value) <= DR_SCAN_LARGEST))
            return dr_scan_error(scan, word.text, error, "\"%.*s\" is not a number", shown, word.text);
        if (*count == COLUMNS)
            return dr_scan_error(scan, word.text, error, "a line has at most eight numbers: time x y z qw qx qy qz");
        row[*count] = value;
    }
    return DR_STATUS_OK;
}

static dr_status finish_row(dr_scan *scan, double row[COLUMNS], int count, const double *before, dr_error *error)
{
    if (count != 4 && count != COLUMNS)
        return dr_scan_error(scan, scan->line_start, error,
                             "a line needs four numbers (time x y z) or eight (and qw qx qy qz), this has %d", count);
    if (before && !(row[0] > before[0]))
        return dr_scan_error(scan, scan->line_start, error, "time %g does not come after %g", row[0], before[0]);
    if (count == 4) {
        row[4] = 1.0;
        row[5] = row[6] = row[7] = 0.0;
        return DR_STATUS_OK;
    }
    double length = sqrt(row[4] * row[4] + row[5] * row[5] + row[6] * row[6] + row[7] * row[7]);
    if (!(length > 1e-12)) return dr_scan_error(scan, scan->line_start, error, "the quaternion is zero");
    for (int i = 4; i < COLUMNS; i++) row[i] /= length;
    return DR_STATUS_OK;
}

dr_status dr_path_parse(const char *data, size_t bytes, const char *name, dr_arena *arena, dr_path_asset *path,
                        dr_error *error)
{
    dr_scan scan;
    dr_scan_open(&scan, data, bytes, name);
    size_t rows = count_rows(scan), done = 0;
    if (rows == 0) return dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: holds no line \"time x y z\"", name);
    if (rows > SIZE_MAX / sizeof(double[COLUMNS])) return dr_error_memory(error, "reading a path");
    double *table = dr_arena_alloc(arena, rows * sizeof(double[COLUMNS]));
    if (!table) return dr_error_memory(error, "reading a path");
    for (; scan.at < scan.end; dr_scan_next_line(&scan)) {
        double row[COLUMNS] = {0};
        int count;
        dr_status status = read_row(&scan, row, &count, error);
        if (status) return status;
        if (count == 0) continue;
        status = finish_row(&scan, row, count, done ? table + COLUMNS * (done - 1) : NULL, error);
        if (status) return status;
        for (int i = 0; i < COLUMNS; i++) table[COLUMNS * done + (size_t)i] = row[i];
        done++;
    }
    path->count = done;
    path->rows = table;
    return DR_STATUS_OK;
}
