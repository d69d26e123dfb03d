// A strand that is touched at many vertices, parted into windows by separators: a push is felt beyond the separators
// about its window through what these do alone. docs/theory/contact.md eq. (52).
#ifndef DR_CONTACT_WINDOWS_H
#define DR_CONTACT_WINDOWS_H

#include "contact/rows.h"

// How many windows make a push and the look at a place cheapest. Strands that meet themselves have one.
int dr_windows_count(int32_t touched, bool itself);

// Numbers the touched vertices of a host with several windows and lays out its velocity changes.
void dr_windows_make(dr_contact_solver *solver, dr_contact_host *host);

// Doubles of scratch that dr_windows_fill() needs.
size_t dr_windows_scratch(const dr_contact_host *host);

// Where one side of a contact lies in the velocity changes of its host: into the part, and those of corners.
void dr_windows_place(const dr_contact_solver *solver, const dr_contact_host *host, const dr_contact *contact, int side,
                      dr_contact_row *row);

// The answers to impulses of all contacts of the host, and how what separators do moves these.
void dr_windows_fill(dr_contact_solver *solver, const dr_contact_host *host, double *block, double *scratch);

#endif
