// Constants of the liquid that are chosen, not derived. Behind each: what half and twice of it do.
#ifndef DR_LIQUID_CONSTANTS_H
#define DR_LIQUID_CONSTANTS_H

// Cells: the signed distance ends here on either side. Half: curvature and velocity beyond the surface lose their
// support; twice: two more sweeps over the band.
#define DR_LIQUID_BAND 3.0F

// Smallest cut of a face by the surface, a share of the distance between centres. Half: a stiffer pressure matrix,
// twice: the surface is displaced by up to 0.02 cells.
#define DR_LIQUID_LEAST_CUT 0.01F

// Open part of a kernel below which its volume fraction is not measured: centres some 0.3 cells deep in a wall. Half: a
// few particles at the kernel's end decide; twice: centres on a wall lose their own fraction.
#define DR_LIQUID_LEAST_ROOM 0.5F

// Weight of a flat surface against the distances around it where the surface is continued into solids. Half and twice:
// no difference; it only picks the slope zero where nothing else tells.
#define DR_LIQUID_FLAT 0.01F

// Largest excess of a cell that one density projection takes back. Half: crowds take twice as many steps to dissolve;
// twice: particles of freshly poured, overlapping bodies cross more than half a cell at once.
#define DR_LIQUID_MOST_EXCESS 0.25F

// Relative residual of the density projection. Half: one iteration more; twice: one fewer, and evenness takes a step
// more to come.
#define DR_LIQUID_DENSITY_TOLERANCE 1e-2

// Largest change of a cell's volume by straight paths in a step that the projection makes up for. Half: fast eddies
// shed liquid outwards at Courant numbers above 0.3; twice: creases of colliding sheets are taken for eddies.
#define DR_LIQUID_MOST_STRIDE 0.02F

#endif
