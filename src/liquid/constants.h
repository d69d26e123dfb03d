// Constants of the liquid that are chosen, not derived. Behind each: what half and twice of it do.
#ifndef DR_LIQUID_CONSTANTS_H
#define DR_LIQUID_CONSTANTS_H

// Cells: the signed distance ends here on either side. Half: curvature and velocity beyond the surface lose their
// support; twice: two more sweeps over the band.
#define DR_LIQUID_BAND 3.0F

// Smallest cut of a face by the surface, a share of the distance between centres. Half: a stiffer pressure matrix,
// twice: the surface is displaced by up to 0.02 cells.
#define DR_LIQUID_LEAST_CUT 0.01F

// Open part of a kernel below which its volume fraction is not measured: centres some 0.6 cells deep in a wall. Half: a
// few particles at the kernel's end decide in corners; twice: slivers of cells do not see their own liquid.
#define DR_LIQUID_LEAST_ROOM 0.1F

// Weight of a cut cell's own distance beside that of a neighbour across a face. Half: liquid can climb half a cell
// along a wall unseen; twice: the surface beside walls is as uneven as the particles there.
#define DR_LIQUID_OWN 4.0F

// Weight of a flat surface against the distances around it where the surface is continued into solids. Half and twice:
// no difference; it only picks the slope zero where nothing else tells.
#define DR_LIQUID_FLAT 0.01F

// Slope of the distances around a cell below which their plane is no surface's: in sheets and drops of a cell or less.
// Half: single particles beside walls turn the plane about; twice: the plane leans where two surfaces are near.
#define DR_LIQUID_LEAST_SLOPE 0.5F

// Width of a cut kernel across the solid's normal, as a share of the whole kernel's, that is still told apart where the
// surface is parallel to the solid. Half: a dozen points along the normal do not resolve it; twice: liquid half a cell
// deep on a floor is seen 0.02 cells off.
#define DR_LIQUID_LEAST_ACROSS 0.25F

// Cells: where all distances around a cell are beyond this, the surface does not pass it. Half: surfaces that pass it
// are missed; twice: planes are fitted in every cell along walls, which costs a fifth of a step.
#define DR_LIQUID_FAR 0.75F

// Open share from which on a cut cell is judged by its own density, and the range of shares over which it comes to be.
// Half: slivers are judged by particles that are not theirs, and push; twice: liquid beside slanted walls stays
// thinner. Of the range: half, walls that move switch cells on and off within a step; twice, as twice of the share.
#define DR_LIQUID_CUT_OPEN 0.2F
#define DR_LIQUID_CUT_RAMP 0.2F

// Open share of a face from which on its centre is in the liquid: of a plane wall exactly this. Half: beside slanted
// walls slivers of faces throw particles about; twice: all cut faces follow their neighbours, and liquid leaves walls
// late.
#define DR_LIQUID_CENTRE_OPEN 0.5F

// Largest excess of a cell that one density projection takes back. Half: crowds take twice as many steps to dissolve;
// twice: particles of freshly poured, overlapping bodies cross more than half a cell at once.
#define DR_LIQUID_MOST_EXCESS 0.25F

// Relative residual of the density projection. Half: one iteration more; twice: one fewer, and evenness takes a step
// more to come.
#define DR_LIQUID_DENSITY_TOLERANCE 1e-2

// Largest change of a cell's volume by straight paths in a step that the projection makes up for. Half: fast eddies
// shed liquid outwards at Courant numbers above 0.3; twice: creases of colliding sheets are taken for eddies.
#define DR_LIQUID_MOST_STRIDE 0.02F

// Thick liquids: strain of one part of a step. Half: twice the parts where shear is fastest; twice: the stress of fast
// shear is off by up to 1.5 % (of 0.7).
#define DR_RHEOLOGY_PART 0.15

// Parts of a step at most. Half: strains beyond 2.4 in a step are taken in longer parts; twice: they take longer.
#define DR_RHEOLOGY_PARTS 32.0

// Relative residual of the stress with which the shear solve is done, and with which a step is still taken. Half: one
// iteration more where flow changes fast; twice: the stress of one step may be off by 1 %.
#define DR_RHEOLOGY_TOLERANCE 5e-3
#define DR_RHEOLOGY_WORST     0.1

// Iterations of the shear solve at most. Half: steps are cut where flow starts; twice: hardly ever used.
#define DR_RHEOLOGY_ITERATIONS 12

// What a compressible particle's volume may come to, over its rest volume, less 1. Half and twice: no difference, it
// only keeps what flew apart from becoming nothing.
#define DR_RHEOLOGY_LEAST_DILATION (-0.9)
#define DR_RHEOLOGY_MOST_DILATION  9.0

// Plastic strain that is not worth forgetting. Half and twice: no difference, it lies far below what tears.
#define DR_RHEOLOGY_FORGOTTEN 1e-3

// Squares of plastic stretches that are kept apart. Half and twice: no difference, what is beyond them is torn.
#define DR_RHEOLOGY_LEAST_STRETCH 1e-6
#define DR_RHEOLOGY_MOST_STRETCH  1e6

// Share of a cell from which on its liquid is more than spray, and bounds the step. Half: thin sheets and single drops
// do too, and splashes take several times as many steps; twice: the crest of a breaking wave outruns what Courant
// allows.
#define DR_LIQUID_SPRAY 0.5

#endif
