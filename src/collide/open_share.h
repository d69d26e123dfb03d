// Solids as cut cells: what of faces and cells is open. docs/theory/solids.md.
//   corner  [block][64] distance of the solids at a cell's lower corner, cm, negative inside
//   face arrays [block][64][4]: lower x, y, z face of the cell and a spare
#ifndef DR_COLLIDE_OPEN_SHARE_H
#define DR_COLLIDE_OPEN_SHARE_H

#include "grid/grid.h"

#define DR_OPEN_SHARE_LEAST 0.01F // open shares below this are closed

// The open share of every face, by marching squares, and of every cell; both exact for planes.
void dr_open_share_measure(const dr_grid *grid, const dr_par *par, const float *corner, float *open_area,
                           float *open_volume);

// The same of one block, [64][4] and [64], without closing faces of closed cells. corner: distances at its
// corners 0 .. 4, where dr_halo_place puts them.
void dr_open_share_block(const float *corner, float *area, float *volume);

// Adds what one solid covers of a block's faces [64][4] and cells [64]. corner: its distances around the block, where
// dr_halo_place puts them; those below the block are not read.
void dr_open_share_cover(const float *corner, float *area, float *volume);

// Closes faces between cells of which one is closed. Of one block: whether a face on its lower sides was open.
bool dr_open_share_shut_block(const dr_grid *grid, size_t block, float *open_area, const float *open_volume);
void dr_open_share_shut(const dr_grid *grid, const dr_par *par, float *open_area, const float *open_volume);

#endif
