// The contact stage of a step: between the strands' predictor and its commit. docs/theory/contact.md, "The stage".
#ifndef DR_CONTACT_STAGE_H
#define DR_CONTACT_STAGE_H

#include "base/columns.h"
#include "contact/penalty.h"
#include "strand/solver.h"

typedef enum dr_contact_model { DR_CONTACT_CONE, DR_CONTACT_PENALTY } dr_contact_model;

// Constants of the stage.
typedef struct dr_contact_choice {
    dr_contact_model model;
    dr_contact_settings settings;
    dr_penalty penalty;
    dr_contact_law law;         // of all strands
    const dr_contact_law *laws; // of each kind of strand (dr_strands.body); NULL: law is that of all
    int law_count;
    int rounds; // of solving again where new contacts appear, at most
    int bends;  // of finding the strands' shape anew under the impulses of contact, at most
} dr_contact_choice;

// What persists from step to step, sorted by vertex.
#define DR_CONTACT_WHO   5 // strands, vertices of both sides, collider; -1: none
#define DR_CONTACT_WHERE 5 // places of both sides, force
typedef struct dr_contact_memory {
    int32_t *who;  // [count][DR_CONTACT_WHO]
    double *where; // [count][DR_CONTACT_WHERE]
    size_t count, capacity;
} dr_contact_memory;

extern const dr_column_table dr_contact_columns; // of the memory

typedef struct dr_contact_outcome {
    dr_solve_report solve;
    size_t contacts;
    int rounds, bends;
    long held;     // strands that did not make all of their motion
    long strained; // of these, such as a script moves
    long blocked;  // pairs of edges that a script drives through each other
    bool rough;    // the answer of a strand to contact is not yet that of its own law
    bool crowded;  // strands move so far that nearly all might meet: nothing was done
    bool staged;   // contact acts on strands that were predicted by two stages: nothing was done
} dr_contact_outcome;

typedef struct dr_contact_stage dr_contact_stage;

dr_contact_stage *dr_contact_stage_create(const dr_allocator *allocator); // NULL when memory is out
void dr_contact_stage_destroy(dr_contact_stage *stage);

// What meets in a step.
typedef struct dr_contact_meeting {
    dr_strand_solver *solver; // has predicted `step`, with keep
    const dr_strands *strands;
    const bool *idle;      // [strand] takes no part; NULL: none
    const double *exposed; // [vertex] how much of bridges there is: 0 under liquid, 1 in air; NULL: all
    const dr_strand_step *step;
    const dr_collider_set *colliders; // where they are at its end
    double collider_speed;
    const dr_contact_memory *memory; // read; what it will be is kept in the stage
    bool last;                       // the step is taken even where it is rough; else a rough one is left unfinished,
                                     // and not fit to be committed
    const unsigned char *order;      // [strand] dr_strand_order of the prediction; NULL: by one stage
} dr_contact_meeting;

// Changes the velocities that the solver predicted so that strands do not pass through each other or the colliders.
// False when memory is out.
bool dr_contact_stage_run(dr_contact_stage *stage, const dr_contact_choice *choice, const dr_par *par,
                          const dr_contact_meeting *meeting, dr_contact_outcome *outcome);

// Makes what the last run remembers the memory; room for it was made. Cannot fail.
bool dr_contact_stage_reserve(const dr_contact_stage *stage, const dr_allocator *allocator, dr_contact_memory *memory);
void dr_contact_stage_commit(dr_contact_stage *stage, dr_contact_memory *memory);

bool dr_contact_memory_reserve(dr_contact_memory *memory, const dr_allocator *allocator, size_t count);
void dr_contact_memory_free(dr_contact_memory *memory, const dr_allocator *allocator);

// [strand] Whether contact acts on it in the last run.
const bool *dr_contact_stage_touched(const dr_contact_stage *stage);

// The contacts of the last run.
const dr_contact *dr_contact_stage_contacts(const dr_contact_stage *stage, size_t *count);

#endif
