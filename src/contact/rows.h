// What the solver of contacts works on: strands that are touched, and a row for every contact. docs/theory/contact.md
// eq. (5)-(7), (13)-(15). Shared by rows.c, solver.c and springs.c alone.
#ifndef DR_CONTACT_ROWS_H
#define DR_CONTACT_ROWS_H

#include "contact/contact.h"
#include "math/simd.h"
#include "math/vec.h"
#include "par/sort.h"

#define DR_ROWS_MOST_GROUPS  64
#define DR_ROWS_MOST_PATCHES (DR_ROWS_MOST_GROUPS * DR_ROWS_MOST_GROUPS)
#define DR_ROWS_GRAIN        64
#define DR_ROWS_LANES        DR_COMPLIANCE_LANES
// Of the limit, and of the nearest that a contact may come: smaller changes are not made. Half of it: a tenth more
// time; 1: more sweeps.
#define DR_ROWS_SETTLED 0.3

// A strand that is touched, and which parts of contacts touch it.
typedef struct dr_contact_host {
    int32_t strand;
    int32_t touched; // vertices, of those of separators only in `slot`
    int windows;     // that separators part it into (52)
    size_t first_window;
    size_t shared; // doubles of what separators do
    size_t stride; // doubles of its velocity changes
    size_t change; // where these begin
    int group;     // (54)
    size_t uses;   // where its list of uses begins
    size_t use_count;
} dr_contact_host;

// The touched vertices of a host between two separators. (52)
typedef struct dr_contact_window {
    int32_t first, count; // slots
    size_t change;        // where its velocity changes begin among those of the host
} dr_contact_window;

// What a contact moves of a strand that it touches: all touched vertices, or where there are windows those of its own
// and the separators.
typedef struct dr_row_part {
    double *change;      // velocity changes of these vertices, NULL: there is no such part
    double *shared;      // of separators
    const double *about; // of the separators about the place
    float *follow;       // [about_count][4]: how the place moves with these, in the contact's frame; the last is 0
    float *answer;       // of separators, then of the others: to an impulse along each axis of the frame
    size_t size, shared_size, about_count;
} dr_row_part;

// Answers lie in the order of a push: those of eight numbers to each axis after each other. (53)
#define DR_ROWS_PAD   8
#define DR_ROWS_ABOUT 14 // numbers of the separators about a place, at most

static inline size_t dr_rows_padded(size_t size)
{
    return (size + DR_ROWS_PAD - 1) / DR_ROWS_PAD * DR_ROWS_PAD;
}

static inline size_t dr_rows_answer_at(size_t number, size_t axis)
{
    return (3 * (number / DR_ROWS_PAD) + axis) * DR_ROWS_PAD + number % DR_ROWS_PAD;
}

// What a sweep needs of a contact, in the order of sweeping. Its parts are the one or two strands it touches; a strand
// that touches itself is one part.
typedef struct dr_contact_row {
    double frame[9];
    double weight[4];        // of the vertices of both edges, signed
    const double *change[4]; // velocity changes of these, NULL where they have no share or are separators
    dr_row_part part[2];
    double w[6];    // the diagonal block in the contact's frame
    dr_cone cone;   // made of it
    double give[2]; // of springs: what each part gives of w[0]
    double free[3];
    double impulse[3];
    double friction, compliance, scale, room;
    double slip; // of the last sweep
    bool spring;
} dr_contact_row;

// One part of a contact as its strand sees it, in the order of the strand's uses.
typedef struct dr_contact_pull {
    double normal[3], share[4]; // signed; 0 where the corner is not of this strand
    int32_t vertex[2];          // of the strand, where the edge of each side begins
    bool ends[2];               // which sides are of this strand
    bool spring;
    uint32_t place; // of a spring, in vectors
} dr_contact_pull;

// What conjugate gradients read of a spring.
typedef struct dr_spring_place {
    double normal[3], weight[4];
    double free, compliance;
    uint32_t at[4]; // where the velocity changes of the corners are
} dr_spring_place;

// Springs between the same two strands, a run of them: a block of the preconditioner. (40)
typedef struct dr_spring_group {
    size_t first; // in group_rows and group_uses
    int count;
    int32_t strand;  // the one of less number: its part of the block comes first
    size_t block[2]; // where both parts lie, count^2 doubles each; the first becomes the Cholesky factor of their sum
} dr_spring_group;

struct dr_contact_solver {
    const dr_allocator *allocator;
    const dr_compliance *compliance;
    dr_contact *contacts;
    size_t all;     // contacts
    size_t count;   // those that are worked on (50): rows
    uint32_t *list; // [count] which, one after another
    uint8_t *state; // [contact] whether it is listed
    double *kept;   // [contact][3] impulses of the least violation of all so far (47)
    size_t list_capacity, state_capacity, kept_capacity;
    double *response;     // [vertex][4] what all impulses change velocities and turns by
    bool *pushed;         // [strand] and whether any acts on it
    bool responded;       // it is that of the impulses in the contacts
    int32_t *lane_strand; // [batch][lane] of the compliance: the strand there, -1: none
    double *rest;         // [chunk of contacts][3] what is not listed
    size_t response_capacity, pushed_capacity, lane_capacity, rest_capacity;
    dr_contact_host *hosts;
    size_t host_count, host_capacity;
    int32_t *host_of; // per strand, -1: not touched
    int32_t *slot;    // per vertex: its number among the touched ones of its strand, -1: not touched
    size_t host_of_capacity, slot_capacity;
    uint64_t *uses; // of hosts: twice the row, plus the part
    size_t use_capacity;
    dr_contact_window *windows;
    size_t window_capacity;
    float *answers, *follows;
    double *changes;
    size_t answer_capacity, follow_capacity, change_capacity, change_count;
    bool springs;   // there are such: their answers are not kept but solved for
    double *matrix; // per thread: the compliance of the strand with the most touched vertices
    size_t matrix_capacity, matrix_size;
    dr_contact_row *rows; // cones by their patches, then springs
    size_t cones;
    uint32_t *order; // contact of a row
    size_t row_capacity, order_capacity;
    uint16_t *patch; // [k] of the contact list[k]
    size_t patch_capacity;
    size_t begin[DR_ROWS_MOST_PATCHES + 1]; // of the rows of a patch
    int colours;   // of patches, and groups of hosts: those of a colour, as many again, lie side by side (54)
    double *block; // per thread: eight right-hand sides of the longest strand
    size_t block_capacity, block_size;
    double *partial, *worst; // [chunk of rows] sums; the largest miss
    size_t partial_capacity, worst_capacity;
    dr_spring_group *groups;
    size_t group_count, group_capacity;
    dr_sort_item *items, *spare_items; // springs by pairs of strands
    size_t item_capacity, spare_item_capacity;
    uint32_t *group_rows, *group_uses, *group_of,
        *place_in; // [spring]; of both parts; [row] its group, its place there
    size_t group_row_capacity, group_use_capacity, group_of_capacity, place_in_capacity;
    double *blocks;
    size_t block_total_capacity;
    int32_t *batch_hosts; // [batch][lane] of the compliance: the touched strand there, -1: none
    size_t batch_host_capacity;
    double *vectors; // of springs
    dr_contact_pull *pulls;
    dr_spring_place *spring_places;
    size_t spring_place_capacity;
    size_t vector_capacity, pull_capacity;
    double *before, *way; // impulses before a sweep and the direction of search; the velocity changes behind them
    double *waiting;      // the way of all rows, while a part of them is swept (51)
    size_t before_capacity, way_capacity, waiting_capacity;
    double settled;    // cm/s: smaller changes are not made
    double relaxation; // share of a change that is made
    double *best;      // [row][3] impulses of the least violation so far (47)
    size_t best_capacity;
    bool *open; // [row] without impulse for a whole sweep: not looked at until its sides come too near (46)
    size_t open_capacity;
    uint32_t *swept;        // rows that are swept, by their patches (51)
    uint32_t *moving;       // hosts that these touch
    bool *missing, *chosen; // [row] too near in the last look; is swept
    bool *reached;          // [host] and so is a contact of it
    size_t swept_count, moving_count, swept_begin[DR_ROWS_MOST_PATCHES + 1];
    size_t swept_capacity, moving_capacity, missing_capacity, chosen_capacity, reached_capacity;
    double most_miss; // of its room per second that a row may be too near by; 0: any
    int momentum;     // pairs of sweeps that the momentum of (30) goes back
    double rest_miss; // the largest of what is not worked on, of its room per second
    double scale;     // root mean square of the velocities that contact has to answer
};

typedef struct dr_rows_job {
    dr_contact_solver *solver;
    size_t offset; // of the patches of a colour
    double *out;
    const uint32_t *list; // of rows; NULL: all
    double share;         // of the way before that goes on; of the way that is gone (39)
    double turn;          // of the way before that goes on (39)
    const double *from;
} dr_rows_job;

// Relative velocity where vertices move by velocity[vertex][3], less the one that is allowed. (5)
void dr_rows_find_free(const dr_contact *contact, const double *velocity, double free[3]);

// Answers [3][size of a part] as they are kept.
void dr_rows_pack(const double *answer, const dr_row_part *part);

// From the solver's contacts and compliance; velocity changes are 0. False when memory is out.
bool dr_rows_build(dr_contact_solver *solver, const dr_par *par);

static inline double dr_rows_share(const dr_contact *contact, int corner)
{
    int side = corner / 2;
    if (contact->vertex[side] < 0) return 0.0;
    return corner % 2 ? contact->place[side] : 1.0 - contact->place[side];
}

static inline void dr_rows_to_frame(const double frame[9], const double x[3], double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = dr_vec3_dot(frame + 3 * a, x);
}

// Adds how a place moves where the separators about it do so.
static inline void dr_rows_follow(const dr_row_part *part, const double *restrict about, double out[3])
{
    dr_double4 even = {0}, odd = {0};
    const float *follow = part->follow;
    size_t i = 0;
    for (; i + 1 < part->about_count; i += 2) {
        even += about[i] * dr_double4_from(dr_float4_load(follow + 4 * i));
        odd += about[i + 1] * dr_double4_from(dr_float4_load(follow + 4 * i + 4));
    }
    if (i < part->about_count) even += about[i] * dr_double4_from(dr_float4_load(follow + 4 * i));
    for (int a = 0; a < 3; a++) out[a] += even[a] + odd[a];
}

static inline void dr_rows_read_change(const dr_contact_row *row, double out[3])
{
    double change[3] = {0};
    for (int corner = 0; corner < 4; corner++) {
        if (row->change[corner]) dr_vec3_add_scaled(change, change, row->weight[corner], row->change[corner]);
    }
    dr_rows_to_frame(row->frame, change, out);
    for (int k = 0; k < 2; k++) {
        const dr_row_part *part = &row->part[k];
        if (part->about_count > 0) dr_rows_follow(part, part->about, out);
    }
}

static inline void dr_rows_read_velocity(const dr_contact_row *row, double v[3])
{
    double change[3];
    dr_rows_read_change(row, change);
    dr_vec3_add(v, row->free, change);
}

// cm/s: a contact with so much room moves by more, or it stays as it is. (46)
static inline double dr_rows_settled(const dr_contact_solver *s, double room)
{
    return s->most_miss > 0.0 ? fmin(s->settled, DR_ROWS_SETTLED * s->most_miss * room) : s->settled;
}

static inline void dr_rows_beyond_applied(const dr_contact *contact, double out[3])
{
    dr_vec3_sub(out, contact->impulse, contact->applied);
    out[0] -= contact->pull;
}

#endif
