// Numbers of the world's stages that are not derived, each with what half and twice of it do.
#ifndef DR_WORLD_TUNING_H
#define DR_WORLD_TUNING_H

// ---- steps

// Times the Courant number that a step was chosen for, a node may move matter at most. Half: steps that were chosen
// well are rejected; twice: three cells at the default, beyond what kernels know.
#define DR_STEP_SLACK 1.5

// Times the Courant number, cells that liquid may cross where it moves along with all around it. Gaps are looked across
// up to three cells: two parts that come from farther apart overlap by a cell at most. Half: steps a quarter longer
// than Courant's at most; twice: liquid that meets from afar overlaps by six cells.
#define DR_STEP_ALONG 2.5

// Cells below the surface of a solid, beyond where it started, at which liquid has entered it: walls are a cell thick
// at least, and half as deep. Half: liquid along uneven walls is taken to enter them, and steps are shorter; twice:
// walls of a cell are not seen.
#define DR_STEP_ENTERED 0.25

// Cells that liquid may cross: its velocity is continued three layers beyond its surface. Half: a splash that doubles
// its speed in a step is taken back; twice: particles go where no velocity is known.
#define DR_STEP_LIQUID_CELLS 2.0

// Share of a cell that fabric crosses at most: what is pressed across it must not turn inside out in one step. Half:
// twice the steps; twice: layers that meet at speed invert.
#define DR_STEP_THIN 0.3

// Surface tension is stable at any step; beyond some capillary times it would no longer be seen to oscillate. Half:
// twice the steps of small drops; twice: drops of a few cells are damped within a swing.
#define DR_STEP_CAPILLARY 5.0

// Parts of a step over which the way of colliders is looked at. Half: a jerk within a step is met late; twice: no
// difference but for the looks.
#define DR_STEP_LOOKS 8

// Every so many steps particles of liquid are resampled. Half: twice its cost, 1 to 3 % of a step; twice: crowds and
// heavy particles last twice as long.
#define DR_STEP_RESAMPLE 8

// Of strands' steps after one that failed: growth up to nearly what failed, how near that is, growth from there on
// (22 steps between two tries of a size that fails; half of it 45, twice 11), and times what failed, where it is
// forgotten. Of the others, half and twice: a try more or fewer in some tens of steps.
#define DR_STEP_QUICK  1.25
#define DR_STEP_NEARLY 0.8
#define DR_STEP_SLOW   1.01
#define DR_STEP_FORGET 2.0

// ---- liquid and colliders at the start

// Cells: walls thinner than this may lie between two layers of the grid's corners, which then see none of them. Half:
// such walls leak; twice: walls that hold are refused.
#define DR_WALL_HOLDS 1.0

// Colliders are taken for thinner by this share of a cell, so that liquid poured up to one is poured as drawn. Half or
// twice: no difference, it is rounding.
#define DR_WALL_SKIN 1e-6

// ---- bodies in liquid

// Share of a face from which on it lies inside a body and liquid there moves with it; on the others its surface is
// smooth. Between 5/6 and 47/48, what faces half a cell and a cell below a plane surface have. Half: liquid all over
// the smeared surface is bound, and a cube of twice the liquid's density and six cells falls with 0.79 of its
// acceleration (0.98); never: liquid seeps into a body in the course of seconds.
#define DR_BODY_INSIDE 0.9

// The same of grains, which have no surface of their own: of a plane heap exactly that of its surface. Half: water a
// cell around a heap sinks with it; twice: grains fall through water as if it did not drag them.
#define DR_BODY_GRAINS 0.5

// Share of a face that a thin sheet's kernel takes where it lets no liquid through. Half: faces two cells away are held
// too; twice: liquid passes sheets that lie askew to the grid.
#define DR_BODY_SHEET 0.25

// A particle that is pressed to less than this share of its volume counts with it: its strain tells nothing any more.
// Half or twice: no difference but in what is crushed.
#define DR_BODY_PRESSED 0.1F

// ---- strands in liquid

// Half an edge that is longer than this share of a cell has samples so far apart, and vertices within twice of it share
// them. Half: twice as many; twice: liquid finds gaps between them.
#define DR_STRAND_SPACING 0.5

// A vertex whose kernel holds less than this share of a cell of liquid is dry. Half or twice: no difference that could
// be seen.
#define DR_STRAND_DRY 1e-6

// Of the kernel around a vertex so much counts as open at least: a vertex at a wall has a half. Half or twice: no
// difference but for vertices deep in solids.
#define DR_STRAND_LEAST_OPEN 0.1

// A strand whose cross-section is less than this share of a cell's does not look for itself in the share of strands
// around: its drag is then at most so much too strong. Half or twice: no difference that could be seen.
#define DR_STRAND_SLENDER 5e-3

// A vertex with so much of the pores around it full of liquid is under it: no bridges there, and less of them towards
// it. Half of it: bridges end farther above the surface; twice: where all around is liquid.
#define DR_STRAND_SUBMERGED 0.5

// Of its velocity that a face may lose to drag by the sums of the pressure alone; beyond that it is bounded by what
// vertices around see lost. Half: bounds are looked for at half the drag, which changes little; twice: a face may come
// to lose nearly all, and further pressures are found more often.
#define DR_STRAND_LOSS 0.5

// The pressure is found anew where strands make more of what it did void than this share. Half: hardly ever less wrong,
// as (10) is good where drag is not strong; twice: errors of some hundredths stay.
#define DR_STRAND_VOID 0.02

// At most so often. Half: twice the error where drag is strongest; twice: no difference.
#define DR_STRAND_ROUNDS 4

// And no more after a round that left more than this share of what was missed. Half: some hundredths of error more in
// compressible liquid; one: twice the rounds there, for little.
#define DR_STRAND_WORTH 0.7

// ---- implicit steps of cloth and yarn

// Newton ends where the residual is this share of that of the free motion. Half: one iteration more now and then;
// twice: drapes creep by a thousandth.
#define DR_CLOTH_TOLERANCE 1e-3

// Under the pressure of liquid: the same. Half: a few products more; ten times: heavy liquid stretches stiff cloth.
#define DR_CLOTH_PRESSED 1e-4

// What float leaves of a velocity, in cells per step: no residual is asked to be smaller. Half or twice: no difference
// but where nothing moves.
#define DR_CLOTH_NOISE 1e-6

// Newton's systems are solved to this share of their right side; it falls with the residual. Half: more inner, fewer
// outer iterations.
#define DR_CLOTH_FORCING 0.1

// Newton iterations of a solve at most. Half: an eighth of the iterations of a sheet that falls on a ball, where
// friction makes them many, and the same drape to 2e-5 cm; twice: no difference.
#define DR_CLOTH_NEWTONS 20

// Products of a system, halvings of a step at most. Half or twice: no difference on a ball or under a drop.
#define DR_CLOTH_INNER  300
#define DR_CLOTH_HALVES 8

// What an implicit step costs, in explicit ones, counted on hanging cotton and on cotton on a ball at 20, 100 and 480
// times the limit: Newton iterations, each with its evaluations and matrices, and products with those. Walls and
// friction take twice the iterations. Half of a cost: implicit from half the ratio on.
#define DR_CLOTH_COST_NEWTON  3.0
#define DR_CLOTH_COST_PRODUCT 0.25
#define DR_CLOTH_WALLS_NEWTON 2.0

// Among liquid cloth is solved before and after the pressure, and answers it. Half or twice: as above.
#define DR_CLOTH_COST_WET 2.5

// A particle of liquid costs as many vertices or elements in every step. Half: explicit up to some steps more.
#define DR_CLOTH_COST_LIQUID 4.0

// Steps end at this share of the time in which a thing falls by a cell, or backward Euler would take
// the swing out of cloth: one that swings freely by g h loses a third of its energy in ten radians. Half: half of that.
#define DR_CLOTH_CALM 0.1

// Rounds on the pressure of cloth and liquid end where what is missed is this share of what the pressure did, as work.
// Half: one round more in stiff cloth.
#define DR_CLOTH_VOID 0.03

// Rounds where cloth was linearised, at most. Half or twice: no difference under a drop, one to three are made.
#define DR_CLOTH_ROUNDS 6

// Rounds know cloth as it was linearised, and a flat sheet that is pushed across itself stretches in second order
// alone: it is solved anew with what they found, so often at most, and last of all. None: sheets are stretched by what
// their linear answer does not see, which is energy from nowhere. Half: a fifth fewer products, and a drop on cotton
// has 5 % less potential energy after 30 ms; twice: 7 % more products, and 1 % more of it.
#define DR_CLOTH_TURNS 4

// To which share answers of cloth are solved in a round. Half or twice: as many products, answers against rounds.
#define DR_CLOTH_ANSWER 0.03

// Of the thrust of a strand's drag on the liquid around, what is pressure: in creeping flow, half of it by the symmetry
// of a force across a line; it is no more than all of it. Not tuned.
#define DR_STRAND_LEAST_FORM_DRAG 0.5
#define DR_STRAND_MOST_FORM_DRAG  1.0

// How far from a strand the pressure's gradient is that without it, in cells: kernels of both reach no farther. Half:
// it is seen in part; twice: what else there is in the liquid is taken for it.
#define DR_STRAND_FORM_DRAG_REACH 3.0

#endif
