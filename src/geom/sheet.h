// Triangle meshes of sheets by rule: rectangle, disc, tube; and whether a mesh can be a sheet at all.
// docs/theory/codim.md, section 1.
#ifndef DR_GEOM_SHEET_H
#define DR_GEOM_SHEET_H

#include "base/memory.h"

typedef enum dr_sheet_kind { DR_SHEET_RECTANGLE, DR_SHEET_DISC, DR_SHEET_TUBE } dr_sheet_kind;
typedef enum dr_sheet_pattern {
    DR_SHEET_EQUILATERAL,
    DR_SHEET_UNION_JACK,
    DR_SHEET_ONE_DIAGONAL,
    DR_SHEET_CROSSED, // both diagonals: a union jack turned by 45 degrees
    DR_SHEET_DIAMONDS // squares on a corner, cut across: one diagonal turned by 45 degrees
} dr_sheet_pattern;

typedef struct dr_sheet_rule {
    dr_sheet_kind kind;
    dr_sheet_pattern pattern;
    double width, depth, radius; // cm
    double edge;                 // about
} dr_sheet_rule;

// Which vertices of a sheet lie where; a mask.
enum { DR_SHEET_LEFT = 1, DR_SHEET_RIGHT = 2, DR_SHEET_BOTTOM = 4, DR_SHEET_TOP = 8 };

// A rectangle lies in the plane of x and y, a disc too, a tube goes along y; all about the origin.
typedef struct dr_sheet {
    size_t vertex_count, triangle_count;
    double *position;    // [vertex][3]
    double *surface;     // [vertex][2]: coordinates on the cloth, cm
    double *warp;        // [triangle][3]: a unit vector in its plane
    double *flat;        // [triangle][3][2]: where its corners are at rest, along warp and weft, cm; NULL: as drawn
    uint32_t *triangles; // [triangle][3]
    uint32_t *source;    // [triangle] which it was before some were left out; NULL: the same
} dr_sheet;

// How many triangles it will have, about.
double dr_sheet_size(const dr_sheet_rule *rule);

// From the arena; false when memory is out.
bool dr_sheet_make(const dr_sheet_rule *rule, dr_arena *arena, dr_sheet *sheet);

// What is wrong with a mesh.
typedef enum dr_sheet_fault {
    DR_SHEET_SOUND,
    DR_SHEET_NO_SUCH_VERTEX,
    DR_SHEET_FLAT,    // a triangle without area, or with the same vertex twice
    DR_SHEET_CROWDED, // an edge with more than two triangles
    DR_SHEET_NO_MEMORY
} dr_sheet_fault;

typedef struct dr_sheet_verdict {
    dr_sheet_fault fault;
    size_t triangle;   // the first one
    uint32_t edge[2];  // crowded: its vertices
    size_t turned;     // triangles that were turned round so that neighbours agree
    bool one_sided;    // some cannot be made to agree
    size_t idle;       // vertices of no triangle
    uint8_t *boundary; // [vertex] 1: on an edge with one triangle; the arena's
} dr_sheet_verdict;

// The rest shape [triangle][3][2] (`flat`, from the arena) that texture coordinates [triangle][3][2] of a sheet give, u
// along the warp. `length` of a unit, cm; 0: such that the area is that of the sheet. Triangles that are mirrored there
// are turned round. DR_SHEET_FLAT names the first without area or coordinates there.
dr_sheet_verdict dr_sheet_lay_flat(dr_sheet *sheet, const double *texture, double length, dr_arena *arena);

// Triangles with the corners of one before them: what is left out.
typedef struct dr_sheet_rest {
    size_t count;
    size_t first; // triangle
} dr_sheet_rest;

// Leaves them out; false when memory is out.
bool dr_sheet_leave_out(dr_sheet *sheet, dr_sheet_rest *rest, dr_arena *arena);

// Looks a mesh over and turns its triangles so that neighbours agree on a side.
dr_sheet_verdict dr_sheet_inspect(const double *position, size_t vertices, uint32_t *triangles, size_t count,
                                  dr_arena *arena);

#endif
