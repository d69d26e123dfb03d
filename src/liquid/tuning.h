// Numbers of the liquid that are not given by the scene. Derived ones, with where they come from; tuned ones, with what
// half and twice of them do to results; how fine cuts, steps and solves are, where finer is more exact and dearer; what
// changes the cost alone; guards against rounding and what is not a number, whose half and twice change nothing.
// Figures were measured, what is said without a figure follows from the code.
#ifndef DR_LIQUID_TUNING_H
#define DR_LIQUID_TUNING_H

// ==== derived

// Cells: the signed distance ends here on either side, as velocities beyond the surface do: a particle may cross two
// cells in a step, and its kernel reaches one further.
#define DR_LIQUID_BAND 3.0F

// Open share of a face from which on its centre is in the liquid: of a plane wall exactly this.
#define DR_LIQUID_CENTRE_OPEN 0.5F

// Cells: beyond this the fraction of a kernel tells nothing of the distance, its slope is below 1/8.
#define DR_PLIC_REACH 1.0F

// Of the implicit term of surface tension, beta / c^(4/3): from 0.4725 on it is stable, docs/theory/tension.md (7); a
// quarter more, as coefficients are frozen over a step. Half: unstable; twice: damped more in steps near the capillary
// limit.
#define DR_TENSION_SAFETY 0.6

// Of the volume that a particle should have: what is two is split, and what merging would make of two may come half-way
// to that, or it would be split again. Half: particles are split that are one, or none are merged; twice: heavy ones
// stay, whose kernel is one for twice the liquid.
#define DR_RESAMPLE_SPLIT  2.0
#define DR_RESAMPLE_ACCEPT 1.5

// ==== tuned: the surface

// Open part of a kernel below which its volume fraction is not measured: centres some 0.6 cells deep in a wall. The
// density projection judges a cut cell by its own density from this open share on, and fully from three times it. Half:
// a few particles at the kernel's end decide in corners, and slivers push; twice: slivers of cells do not see their own
// liquid, which stays thinner beside slanted walls.
#define DR_LIQUID_LEAST_OPEN 0.1F

// Weight of a cut cell's own distance beside that of a neighbour across a face. Half: liquid can climb half a cell
// along a wall unseen; twice: the surface beside walls is as uneven as the particles there.
#define DR_LIQUID_OWN 4.0F

// Slope of the distances around a cell below which their plane is no surface's: in sheets and drops of a cell or less.
// Half: single particles beside walls turn the plane about; twice: the plane leans where two surfaces are near.
#define DR_LIQUID_LEAST_SLOPE 0.5F

// Width of a cut kernel across the solid's normal, as a share of the whole kernel's, that is still told apart where the
// surface is parallel to the solid. Half: a dozen points along the normal do not resolve it; twice: liquid half a cell
// deep on a floor is seen 0.02 cells off.
#define DR_LIQUID_LEAST_ACROSS 0.25F

// ==== tuned: volume and motion

// Largest excess of a cell that one density projection takes back. Half: crowds take twice as many steps to dissolve;
// twice: particles of freshly poured, overlapping bodies cross more than half a cell at once.
#define DR_LIQUID_MOST_EXCESS 0.25F

// Largest potential of the density projection's displacement, over the square of a cell, that angular momentum is given
// back of: a particle's spin changes by four times of it. A box shaken by 0.08 of its side is off by 2.0 % of its
// volume; half: 2.6 %, twice: 2.1 %, and without a bound liquid bursts from between plates that clap.
#define DR_LIQUID_MOST_POTENTIAL 0.0625F

// Largest change of a cell's volume by straight paths in a step that the projection makes up for. Half: fast eddies
// shed liquid outwards at Courant numbers above 0.3; twice: creases of colliding sheets are taken for eddies.
#define DR_LIQUID_MOST_STRIDE 0.02F

// Largest change of velocity by which the rim is closed, in cells per step. Half: a slosh of two periods keeps 0.97197
// of its energy; twice: 0.97181 (0.97173).
#define DR_LIQUID_RIM 0.1

// Share of a cell's open volume that emission with `waits` does not fill beyond. Half: nothing comes out beside other
// liquid; twice: an emitter under a lid presses twice as much into it before it waits.
#define DR_LIQUID_FULL 1.05F

// Of the volume that a particle should have: smaller ones are merged. Half: twice as many small ones are carried along;
// twice: what the surface of a poured shape cuts is merged at once, which blurs it.
#define DR_RESAMPLE_MERGE 0.25

// Pieces of a split particle lie apart by this share of how much smaller they are, or of their radius. Half: they stay
// together for longer; twice: they begin among others, a crowd for some steps.
#define DR_RESAMPLE_SPREAD 0.75

// Cells: how far pieces of a split particle lie from the whole at most. Half: they stay together for longer; twice:
// they may leave the liquid they were split in.
#define DR_LIQUID_SPLIT_REACH 0.3

// Share of a cell from which on its liquid is more than spray, and bounds the step. Half: thin sheets and single drops
// do too, and splashes take several times as many steps; twice: the crest of a breaking wave outruns what Courant
// allows.
#define DR_LIQUID_SPRAY 0.5F

// Cells, over time.courant, by which neighbouring cells may close in a step, and the square root of the share of their
// volume that straight paths may win or lose, where a step is longer than Courant allows. Of a drop of six cells that
// hits a floor at Courant 1, 0.995 of the impulse that short steps give (0.989 without longer steps). Half: fewer steps
// are longer; twice: 0.955.
#define DR_LIQUID_DEFORMATION 0.25F

// ==== tuned: surface tension

// Cells: within the first a distance tells the curvature of the surface, beyond the second it does not. Of a swinging
// drop of six cells, whose frequency is 0.974 of the theory's and which keeps 0.80 of its swing in two periods. First:
// half 1.02 and 0.76, twice 0.91 and 0.98. Second: half 0.92 and 1.00, twice 1.06 and 0.29.
#define DR_LIQUID_NEARBY 0.75F
#define DR_LIQUID_CURVED 1.0F

// Sum of both curvatures, per cell, up to which the distance is corrected for them: more is noise, drops of less than
// three cells across. Of that drop, 0.965 and 0.802 as measured here: half 0.962 and 0.826, twice 0.966 and 0.803.
#define DR_LIQUID_MOST_CURVATURE 0.75F

// Cells: distances are taken for good up to so far below the end of the band where curvature is found. Up to half of
// the band instead: the drop has 1.04 and 0.47; up to twice of it, where nothing is known: 1.04 and 0.38.
#define DR_LIQUID_BAND_END 0.1F

// Cells: half width of the hat that spreads tension over faces, and of the band that has a curvature. Of the swinging
// drop above: half 1.005 and 0.25, twice 0.89 and 0.83.
#define DR_TENSION_BAND 2.0F

// Least of the implicit term, beta / cell^4, against the noise of the level set: of the drop, half 1.005 and 0.61,
// twice 0.968 and 0.69.
#define DR_TENSION_LEAST 1.0

// ==== how fine

// Smallest cut that is told apart, a share of the distance between centres: of a face by the surface, of a wall from a
// face, of a viscous face's mass from a full one's. Half: a stiffer pressure matrix; twice: the surface is displaced by
// up to 0.02 cells. In spin-up of a round cup and in a slosh no difference.
#define DR_LIQUID_LEAST_CUT 0.01

// Distances of cells around one between which the surface may pass it, cells. One that passes is within half a cell of
// some of these middles. Half: surfaces that pass are missed; twice: planes are fitted in every cell along walls, which
// costs a fifth of a step.
#define DR_LIQUID_FAR 0.75F

// Share of a lattice cube inside the shape from which on it gets a particle. Half: a bowl of eight cells begins with
// twice the error of pressure; twice: walls that cut cubes have gaps of a twenty-fifth of them.
#define DR_LIQUID_LEAST_CUBE 0.02

// Thick liquids: strain of one part of a step. Half: twice the parts where shear is fastest; twice: the stress of fast
// shear is off by up to 1.5 % (of 0.7).
#define DR_RHEOLOGY_PART 0.15

// Points along a solid's normal by which a cut kernel is told, steps of Newton's method in it, steps of Gauss and
// Newton to a plane, and passes over cells beside solids (even). In a bowl of eight cells the speed of rest is 6.9e-4
// sqrt(g h); half of all: 7.1e-4, twice: 6.6e-4.
#define DR_LEVEL_SET_POINTS 12
#define DR_LEVEL_SET_NEWTON 5
#define DR_LEVEL_SET_TURNS  3
#define DR_LEVEL_SET_PASSES 4

// Cells of a wave's length, and the share of its height that viscosity takes in a period, from which on what transfers
// take of a liquid that nothing holds is put back, and all of it from twice of that on. A wave of 3 P, 32 cells long,
// decays 29 % too fast. Half: 8 %, and water in cells of 1.2 mm takes a fifth more time (0.8 mm); twice: 40 %.
#define DR_LIQUID_WAVE      64.0
#define DR_LIQUID_WAVE_SEEN 5e-3

// Relative residual of viscosity. Half or twice: an iteration more or less, and velocities that differ by as much.
#define DR_VISCOSITY_TOLERANCE 1e-6

// Relative residual of the density projection. Half: one iteration more; twice: one fewer, and evenness takes a step
// more to come.
#define DR_LIQUID_DENSITY_TOLERANCE 1e-2

// Relative residual of a solve that is a part of an outer one, which makes up for what it lacks: implicit surface
// tension, Newton's steps of thick liquids. Half or twice: an iteration more or less, a Newton step now and then.
#define DR_SOLVE_INNER 1e-4

// Residual of a pressure that answers strands or cloth, what is left of it being left of a part of the whole; and of
// viscosity, where iterations run out, with which an answer is used still: conjugate gradients come closer to the least
// of the energy in every one, and shorter steps would take hardly fewer. Half or twice: an iteration more or less,
// steps are cut a little more or less often.
#define DR_SOLVE_ROUGH 1e-3

// Residual of a thick liquid's outer iteration and of a solve in it with which a step is taken still. Half or twice:
// steps are cut a little more or less often where flow starts.
#define DR_SOLVE_WORST 0.1

// Relative residual of the stress with which the shear solve is done. Half: one iteration more where flow changes fast;
// twice: the stress of one step may be off by 1 %.
#define DR_RHEOLOGY_TOLERANCE 5e-3

// Iterations of the shear solve at most. Half: steps are cut where flow starts; twice: hardly ever used.
#define DR_RHEOLOGY_ITERATIONS 12

// Iterations of viscosity and surface tension at most, some tens being made where nothing helps, and cycles of a second
// pressure, of which two or three are made. Half or twice: hardly ever reached.
#define DR_SOLVE_ITERATIONS 500
#define DR_SOLVE_CYCLES     30

// Parts of a step at most. Half: strains beyond 2.4 in a step are taken in longer parts; twice: they take longer.
#define DR_RHEOLOGY_PARTS 32.0

// ==== cost alone

// The viscosity's multigrid: least eigenvalue that smoothing is for, of diagonal^-1 operator; what diffuses so far, dt
// viscosity / (density cell^2), from which on cycles are worth their cost (46 iterations without them cost less than 6
// with them at 3.7), where coarser grids are no more, and how much smaller eigenvalues the last of them smoothes. Half
// or twice: the same answer, some iterations more.
#define DR_MULTIGRID_SMOOTHED 0.3
#define DR_MULTIGRID_WORTH    6.0
#define DR_MULTIGRID_COARSEST 0.5
#define DR_MULTIGRID_LAST     0.1

// Pieces of one particle in one step at most, as many as a table has. Half or twice: boulders take a step more or less.
#define DR_RESAMPLE_PIECES 32

// ==== guards

// Size of the gradient of a distance below which it is a crease or a speck and has no curvature, and least of 1 - d k
// by which a curvature k is carried over a distance d to the surface. Half or twice: the same bits of a drop of six
// cells; of one of three its frequency is 0.956 of the theory with twice the latter (0.946).
#define DR_CURVATURE_LEAST_SLOPE   0.1
#define DR_CURVATURE_LEAST_STRETCH 0.3

// Open share of a kernel from which on no solid is near. Half of what is missing of one: no difference;
// twice: the speed of rest in a bowl of eight cells is 0.7 % less.
#define DR_LEVEL_SET_OPEN 0.999F

// Least slope of a fraction that Newton's method divides by; it goes half a cell at most. Half or twice: no difference,
// fractions that are told apart have 1/8.
#define DR_LEVEL_SET_LEAST_FALL 0.05F

// Of share and rest of a cut half of a cell: less is rounding, of walls that lie on faces, and a shift of 1e-3 cells at
// most. Half or twice: the speed of rest in a bowl of eight cells changes by 1 %.
#define DR_LIQUID_LEAST_HALF 4e-3F

// Weight of a flat surface against the distances around it where the surface is continued into solids. Half and twice:
// no difference; it only picks the slope zero where nothing else tells.
#define DR_LIQUID_FLAT 0.01F

// Lengths, in cells and squared, and shares that are divided by: less is nothing. Half and twice: no difference.
#define DR_LIQUID_NO_LENGTH 1e-12
#define DR_LIQUID_NO_SHARE  1e-9

// Strides of a particle of spray through one step at most, each half a cell. Half and twice: no difference, it flies
// farther than any scene.
#define DR_SPRAY_STRIDES 1e6

// Share of a full face's mass from which on a face has a velocity of its own. Half or twice: no difference, less is
// rounding.
#define DR_LIQUID_LEAST_MASS 1e-12

// Cells: middles this close to an inlet belong to it, so that a shape that ends at middles has them; walls whose
// distances differ by less over a cell are parallel to it. Half or twice: no difference, it is far below what a scene
// can mean.
#define DR_LIQUID_SNAP 1e-3

// Least part of a strain that viscosity counts. Half or twice: no difference, it bounds the condition of the matrix.
#define DR_VISCOSITY_LEAST_PART 1e-6

// A compressible particle's volume may come to so many times its rest volume, or to that part of it. Half and twice: no
// difference, it only keeps what flew apart from becoming nothing.
#define DR_RHEOLOGY_MOST_VOLUME 10.0

// Plastic strain that is not worth forgetting. Half and twice: no difference, it lies far below what tears.
#define DR_RHEOLOGY_FORGOTTEN 1e-3

// Squares of elastic stretches, and products of them, that are told from nothing and from what has flown apart. Half
// and twice: no difference, steps are rejected long before.
#define DR_RHEOLOGY_LEAST_SQUARE 1e-12
#define DR_RHEOLOGY_MOST_SQUARE  1e12

// Jacobi's rotations of a symmetric matrix: squares off its diagonal that are rounding, of those on it, and sweeps at
// most, of which four are made. Half and twice: no difference.
#define DR_RHEOLOGY_OFF_DIAGONAL 1e-24
#define DR_RHEOLOGY_SWEEPS       12

// Squares of plastic stretches that are kept apart: up to this, and from one over it on. Half and twice: no difference,
// what is beyond is torn.
#define DR_RHEOLOGY_MOST_STRETCH 1e6

#endif
