// docs/theory/contact.md eq. (52). Between two separators a strand moves by what pushes in there do while these are
// held, and by what these do. A separator is a vertex with the turn of its edge, and the next vertex: of elastic rods
// nothing reaches across it but through these seven numbers.
#include "contact/windows.h"

#include <string.h>

#define SEPARATOR 7
#define ABOUT     DR_ROWS_ABOUT // numbers that a window moves by: of two separators
// Of the cost of a sweep: windows take half as long again to set up. 1: from 22 touched vertices on, not 64.
#define WORTH 0.5
#define HELD  1e-13 // of a diagonal: what is left of it is rounding

// Numbers that a push changes three at a time, and those that either look reads.
static double cost(double touched, double windows)
{
    double reads = windows > 1.0 ? 2.0 * 3.0 * ABOUT : 0.0;
    return 3.0 * (3.0 * touched / windows + SEPARATOR * (windows - 1.0)) + reads;
}

int dr_windows_count(int32_t touched, bool itself)
{
    int best = 1;
    for (int k = 2; k <= touched / 4 && !itself; k++) {
        if (cost(touched, k) < cost(touched, best)) best = k;
    }
    return cost(touched, best) <= WORTH * cost(touched, 1) ? best : 1;
}

// ---- layout

// slot[vertex]: of touched ones within a window their number; of separators -2 less twice the separator's number, and
// one less of its second vertex.
static int32_t code_of(int separator, int second)
{
    return -2 - 2 * separator - second;
}

static size_t separators(const dr_contact_host *h)
{
    return SEPARATOR * (size_t)(h->windows - 1);
}

// Where the numbers of a separator's vertex begin.
static size_t place_of(int32_t code)
{
    int32_t which = -2 - code;
    return SEPARATOR * (size_t)(which / 2) + 4 * (size_t)(which % 2);
}

void dr_windows_make(dr_contact_solver *s, dr_contact_host *h)
{
    const dr_compliance *c = s->compliance;
    const int first = c->first[h->strand], end = c->first[h->strand + 1];
    dr_contact_window *window = s->windows + h->first_window;
    int32_t seen = 0, inside = 0, most = h->windows;
    h->windows = 1;
    *window = (dr_contact_window){0};
    for (int v = first; v < end; v++) {
        if (s->slot[v] < 0) continue;
        bool due = seen * most >= h->touched * h->windows && h->windows < most && window->count > 0 && v + 2 < end;
        seen++;
        if (!due) {
            s->slot[v] = inside++;
            window->count++;
            continue;
        }
        seen += s->slot[v + 1] >= 0;
        s->slot[v] = code_of(h->windows - 1, 0);
        s->slot[v + 1] = code_of(h->windows - 1, 1);
        s->windows[h->first_window + (size_t)h->windows++] = (dr_contact_window){.first = inside};
        window = s->windows + h->first_window + h->windows - 1;
        v++;
    }
    h->touched = inside;
    h->shared = dr_rows_padded(separators(h));
    h->stride = h->shared;
    for (int w = 0; w < h->windows; w++) {
        window = s->windows + h->first_window + w;
        window->change = h->stride;
        h->stride += dr_rows_padded(3 * (size_t)window->count);
    }
}

static int window_of(const dr_contact_solver *s, const dr_contact_host *h, int32_t slot)
{
    const dr_contact_window *window = s->windows + h->first_window;
    if (slot < -1) return (-2 - slot) / 2 + 1;
    int w = 0;
    while (slot >= window[w].first + window[w].count) w++;
    return w;
}

// The window about a place: that of the first of its vertices that is inside one.
static int window_at(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact, int side)
{
    int32_t slot[2] = {-1, -1};
    for (int end = 0; end < 2; end++) {
        if (dr_rows_share(contact, 2 * side + end) > 0.0) slot[end] = s->slot[contact->vertex[side] + end];
    }
    for (int end = 0; end < 2; end++) {
        if (slot[end] >= 0) return window_of(s, h, slot[end]);
    }
    return window_of(s, h, slot[0] != -1 ? slot[0] : slot[1]);
}

// The first of the numbers that a window moves by, and how many there are.
static size_t first_about(int window)
{
    return SEPARATOR * (size_t)(window > 0 ? window - 1 : 0);
}

static size_t count_about(const dr_contact_host *h, int window)
{
    return SEPARATOR * (size_t)((window > 0) + (window + 1 < h->windows));
}

void dr_windows_place(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact, int side,
                      dr_contact_row *row)
{
    dr_row_part *part = &row->part[side];
    int w = window_at(s, h, contact, side);
    const dr_contact_window *window = s->windows + h->first_window + w;
    double *changes = s->changes + h->change;
    part->shared = changes;
    part->shared_size = h->shared;
    part->change = changes + window->change;
    part->size = dr_rows_padded(3 * (size_t)window->count);
    part->about = changes + first_about(w);
    part->about_count = count_about(h, w);
    for (int corner = 2 * side; corner < 2 * side + 2; corner++) {
        double weight = dr_rows_share(contact, corner);
        int32_t slot = weight > 0.0 ? s->slot[contact->vertex[side] + corner % 2] : -1;
        if (slot < 0) continue;
        row->weight[corner] = side ? -weight : weight;
        row->change[corner] = part->change + 3 * (size_t)(slot - window->first);
    }
}

// ---- compliance

// The compliance between separators and touched vertices, these within their windows alone, while separators are held;
// and how each of these vertices moves with the separators about it.
typedef struct fabric {
    size_t order, stride; // separators' numbers come first
    double *matrix;       // [order][stride]
    double *follow;       // [3 touched][ABOUT]
    double *answer;       // of one contact
} fabric;

static fabric lay_out(const dr_contact_host *h, double *scratch)
{
    fabric f = {.order = separators(h) + 3 * (size_t)h->touched};
    f.stride = dr_rows_padded(f.order);
    f.matrix = scratch;
    f.follow = f.matrix + f.order * f.stride;
    f.answer = f.follow + 3 * (size_t)h->touched * ABOUT;
    return f;
}

size_t dr_windows_scratch(const dr_contact_host *h)
{
    fabric f = lay_out(h, NULL);
    return f.order * f.stride + 3 * (size_t)h->touched * ABOUT + 3 * (h->shared + f.stride);
}

static size_t numbers_of(int32_t slot)
{
    return slot == -1 ? 0 : slot < -1 && (-2 - slot) % 2 == 0 ? 4 : 3;
}

static size_t row_of(const dr_contact_host *h, int32_t slot)
{
    return slot < -1 ? place_of(slot) : separators(h) + 3 * (size_t)slot;
}

// The end of the window about a vertex, of the next one where it is a separator's.
static int far_end(const int32_t *slot, int vertex, int last, int step)
{
    while (vertex != last && slot[vertex] < -1) vertex += step;
    while (vertex != last && slot[vertex] >= -1) vertex += step;
    return vertex;
}

// Columns of unit impulses, eight at once.
static void fill_matrix(const dr_contact_solver *s, const dr_contact_host *h, double *block, fabric *f)
{
    const dr_compliance *c = s->compliance;
    const int first = c->first[h->strand], length = c->first[h->strand + 1] - first;
    const int32_t *slot = s->slot + first;
    size_t number = 0;
    for (int vertex = 0; vertex < length;) {
        size_t column[DR_ROWS_LANES];
        int lanes = 0, from = -1;
        memset(block, 0, (size_t)length * 4 * DR_ROWS_LANES * sizeof *block);
        while (lanes < DR_ROWS_LANES && vertex < length) {
            if (number == numbers_of(slot[vertex])) {
                vertex++;
                number = 0;
                continue;
            }
            if (from < 0) from = vertex;
            block[(4 * (size_t)vertex + number) * DR_ROWS_LANES + (size_t)lanes] = 1.0;
            column[lanes++] = row_of(h, slot[vertex]) + number++;
        }
        if (lanes == 0) break;
        c->solve(c->self, h->strand, from, block);
        const int low = far_end(slot, from, 0, -1),
                  high = far_end(slot, vertex < length ? vertex : length - 1, length - 1, 1);
        for (int v = 0; v < length; v++) {
            if (slot[v] == -1 || (slot[v] >= 0 && (v < low || v > high))) continue;
            for (size_t a = 0; a < numbers_of(slot[v]); a++) {
                const double *lane = block + (4 * (size_t)v + a) * DR_ROWS_LANES;
                size_t at = row_of(h, slot[v]) + a;
                for (int l = 0; l < lanes; l++) f->matrix[column[l] * f->stride + at] = lane[l];
            }
        }
    }
}

// Cholesky of the compliance of the separators about a window, with inverses on the diagonal; what scripts hold has
// none.
static void factorise(size_t n, double m[ABOUT][ABOUT])
{
    for (size_t i = 0; i < n; i++) {
        double own = m[i][i];
        for (size_t j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (size_t k = 0; k < j; k++) sum -= m[i][k] * m[j][k];
            if (j < i)
                m[i][j] = sum * m[j][j];
            else
                m[i][i] = sum > HELD * own ? 1.0 / sqrt(sum) : 0.0;
        }
    }
}

static void solve(size_t n, double m[ABOUT][ABOUT], double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= m[i][k] * x[k];
        x[i] *= m[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= m[k][i] * x[k];
        x[i] *= m[i][i];
    }
}

// What moves within a window while the separators are held, and what with them.
static void part_window(const dr_contact_solver *s, const dr_contact_host *h, int w, fabric *f)
{
    const dr_contact_window *window = s->windows + h->first_window + w;
    const size_t from = first_about(w), n = count_about(h, w), begin = row_of(h, window->first);
    const size_t end = begin + 3 * (size_t)window->count;
    double held[ABOUT][ABOUT];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) held[i][j] = f->matrix[(from + i) * f->stride + from + j];
    }
    factorise(n, held);
    for (size_t p = begin; p < end; p++) {
        double *follow = f->follow + (p - separators(h)) * ABOUT;
        memset(follow, 0, ABOUT * sizeof *follow);
        for (size_t i = 0; i < n; i++) follow[i] = f->matrix[(from + i) * f->stride + p];
        solve(n, held, follow);
        double *restrict own = f->matrix + p * f->stride;
        for (size_t i = 0; i < n; i++) {
            const double *restrict with = f->matrix + (from + i) * f->stride;
            for (size_t q = begin; q < end; q++) own[q] -= follow[i] * with[q];
        }
    }
}

// ---- contacts

// The answer to an impulse of a unit along an axis, of the separators and then of the window.
static void fill_answer(const dr_contact_host *h, const fabric *f, const dr_row_part *part, size_t row,
                        const double impulse[3], const dr_contact_window *window, double *restrict answer)
{
    const size_t from = row_of(h, window->first), inside = row < separators(h) ? 0 : 3 * (size_t)window->count;
    for (size_t a = 0; a < 3; a++) {
        const double *restrict column = f->matrix + (row + a) * f->stride;
        for (size_t i = 0; i < separators(h); i++) answer[i] += impulse[a] * column[i];
        for (size_t i = 0; i < inside; i++) answer[part->shared_size + i] += impulse[a] * column[from + i];
    }
}

// How a corner of a contact moves with the separators about it.
static void fill_follow(const dr_contact_host *h, const fabric *f, size_t first, size_t row, size_t axis,
                        const double n[3], dr_row_part *part)
{
    for (size_t a = 0; a < 3; a++) {
        if (row < separators(h)) {
            part->follow[4 * (row + a - first) + axis] += (float)n[a];
            continue;
        }
        const double *follow = f->follow + (row + a - separators(h)) * ABOUT;
        for (size_t i = 0; i < part->about_count; i++) part->follow[4 * i + axis] += (float)(n[a] * follow[i]);
    }
}

static void fill_part(const dr_contact_solver *s, const dr_contact_host *h, const dr_contact *contact, int side,
                      const fabric *f, dr_contact_row *row)
{
    dr_row_part *part = &row->part[side];
    const int w = window_at(s, h, contact, side);
    const dr_contact_window *window = &s->windows[h->first_window + (size_t)w];
    const size_t length = part->shared_size + part->size;
    memset(f->answer, 0, 3 * length * sizeof *f->answer);
    memset(part->follow, 0, 4 * part->about_count * sizeof *part->follow);
    for (int corner = 2 * side; corner < 2 * side + 2; corner++) {
        double weight = dr_rows_share(contact, corner), sign = side ? -weight : weight;
        if (weight <= 0.0) continue;
        size_t at = row_of(h, s->slot[contact->vertex[side] + corner % 2]);
        for (size_t axis = 0; axis < 3; axis++) {
            double n[3];
            dr_vec3_scale(n, sign, contact->frame + 3 * axis);
            fill_answer(h, f, part, at, n, window, f->answer + axis * length);
            fill_follow(h, f, first_about(w), at, axis, n, part);
        }
    }
    dr_rows_pack(f->answer, part);
}

void dr_windows_fill(dr_contact_solver *s, const dr_contact_host *h, double *block, double *scratch)
{
    fabric f = lay_out(h, scratch);
    fill_matrix(s, h, block, &f);
    for (int w = 0; w < h->windows; w++) part_window(s, h, w, &f);
    for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
        size_t row = s->uses[k] / 2;
        fill_part(s, h, &s->contacts[s->order[row]], (int)(s->uses[k] % 2), &f, &s->rows[row]);
    }
}
