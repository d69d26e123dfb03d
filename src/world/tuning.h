// Numbers of the world's stages that are not given by the scene. Derived ones, with where they come from; tuned ones,
// with what half and twice of them do to results; how fine steps, samples and solves are, where finer is more exact and
// dearer; what changes the cost alone; guards, whose half and twice change nothing but what is broken already. Figures
// were measured, what is said without a figure follows from the code.
#ifndef DR_WORLD_TUNING_H
#define DR_WORLD_TUNING_H

// ==== derived

// Cells that liquid may cross in a step: its velocity is known three layers beyond its surface, and kernels reach one
// further than they are moved.
#define DR_STEP_LIQUID_CELLS 2.0

// Cells: walls thinner than this may lie between two layers of the grid's corners, which then see none of them.
#define DR_WALL_HOLDS 1.0

// Share of a face from which on it lies inside a body and liquid there moves with it; on the others its surface is
// smooth. Faces half a cell below a plane surface have 5/6, those a cell below 47/48: the middle of both. Half: liquid
// all over the smeared surface is bound, and a cube of twice the liquid's density and six cells falls with 0.79 of its
// acceleration (0.98); never: liquid seeps into a body in the course of seconds.
#define DR_BODY_INSIDE 0.90625

// The same of grains, which have no surface of their own: of a plane heap exactly that of its surface.
#define DR_BODY_GRAINS 0.5

// Share of a face that a thin sheet's kernel takes where it lets no liquid through: a face half a cell from a sheet has
// 1/2 and must hold, one a cell away has 1/8 and must not; the geometric mean of both.
#define DR_BODY_SHEET 0.25

// Of the thrust of a strand's drag on the liquid around, what is pressure: in creeping flow, half of it by the symmetry
// of a force across a line; it is no more than all of it.
#define DR_STRAND_LEAST_FORM_DRAG 0.5
#define DR_STRAND_MOST_FORM_DRAG  1.0

// How far from a strand the pressure's gradient is that without it, in cells: kernels of both reach 1.5.
#define DR_STRAND_FORM_DRAG_REACH 3.0

// Strands take no more of a cell than circles in the closest packing, pi / sqrt(12).
#define DR_STRAND_DENSEST 0.9069

// Cells: what touches nodes that a collider holds is as near to it as kernels are wide.
#define DR_CLOTH_NEAR_COLLIDER 1.5

// Particles to a cell of liquid that is nothing but drops: two in every direction, as bodies have by default.
#define DR_DROPS_PER_CELL 8

// ==== tuned

// A vertex with so much of the pores around it full of liquid is under it: no bridges there, and less of them towards
// it. Half: bridges end farther above the surface; twice: only where all around is liquid.
#define DR_STRAND_SUBMERGED 0.5

// Of its velocity that a face may lose to drag by the sums of the pressure alone; beyond that it is bounded by what
// vertices around see lost. Half: bounds are looked for at half the drag, which changes little; twice: a face may come
// to lose nearly all, and further pressures are found more often.
#define DR_STRAND_LOSS 0.5

// Where contact lately acted on more than one strand in so many of a group, all of it goes by one stage: others will
// soon be touched, and each would cost its step anew. Half: more such steps; twice: groups are damped sooner.
#define DR_STRAND_CROWD 16

// Vertices nearer than this share of the reach of a seam lie as good as on each other: a thread between them would be
// shorter than the yarn is thick. Half: threads half as long, and explicit steps with them; twice: seams leave more
// vertices out.
#define DR_SEAM_NEAREST 0.25

// Liquids that are softer than this bulk modulus are compressed, others keep their volume, dyn/cm2: what is stopped at
// 10 m/s is pressed by rho v^2 / K = 1 %. Half: 2 % are not seen; twice: sound of twice the square sets the residuals.
#define DR_LIQUID_STIFF_BULK 1e8

// ==== how fine

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

// Share of a cell that fabric crosses at most: what is pressed across it must not turn inside out in one step. Half:
// twice the steps; twice: layers that meet at speed invert.
#define DR_STEP_THIN 0.3

// Surface tension is stable at any step; beyond some capillary times it would no longer be seen to oscillate. Half:
// twice the steps of small drops; twice: drops of a few cells are damped within a swing.
#define DR_STEP_CAPILLARY 5.0

// Parts of a step over which the way of colliders is looked at. Half: a jerk within a step is met late; twice: no
// difference but for the looks.
#define DR_STEP_LOOKS 8

// Half an edge that is longer than this share of a cell has samples so far apart, and vertices within twice of it share
// them. Half: twice as many; twice: liquid finds gaps between them.
#define DR_STRAND_SPACING 0.5

// A strand whose cross-section is less than this share of a cell's does not look for itself in the share of strands
// around: its drag is then at most so much too strong. Half or twice: no difference that could be seen.
#define DR_STRAND_SLENDER 5e-3

// The pressure is found anew where strands make more of what it did void than this share. Half: hardly ever less wrong,
// as (10) is good where drag is not strong; twice: errors of some hundredths stay.
#define DR_STRAND_VOID 0.02

// At most so often. Half: twice the error where drag is strongest; twice: no difference.
#define DR_STRAND_ROUNDS 4

// And no more after a round that left more than this share of what was missed. Half: some hundredths of error more in
// compressible liquid; one: twice the rounds there, for little.
#define DR_STRAND_WORTH 0.7

// What may be left of the equations of drag, squared, of its energy, at which the impulses are good to about a
// hundredth, and iterations at most; what is left then is drag that comes a step later. A tenth: two iterations more
// where drag is strong; ten times: an error of three hundredths there.
#define DR_STRAND_DRAG_LEFT       1e-5
#define DR_STRAND_DRAG_ITERATIONS 40

// Of the radius, and of an edge's length: how nearly strands that the scene puts into a collider are laid on it. Half:
// a push more now and then; twice: hairs begin two hundredths of their radius inside.
#define DR_STRAND_LAID 0.01

// Newton ends where the residual is this share of that of the free motion. Half: one iteration more now and then;
// twice: drapes creep by a thousandth.
#define DR_CLOTH_TOLERANCE 1e-3

// Under the pressure of liquid: the same. Half: a few products more; ten times: heavy liquid stretches stiff cloth.
#define DR_CLOTH_PRESSED 1e-4

// Newton's systems are solved to this share of their right side; it falls with the residual. Half: more inner, fewer
// outer iterations.
#define DR_CLOTH_FORCING 0.1

// Share of the fall that a slope promises, from which on a step of Newton is taken (Armijo's, as textbooks have it).
// Half or twice: no difference, steps that fall fall by far more.
#define DR_CLOTH_ARMIJO 1e-4

// Newton iterations of a solve at most. Half: an eighth of the iterations of a sheet that falls on a ball, where
// friction makes them many, and the same drape to 2e-5 cm; twice: no difference.
#define DR_CLOTH_NEWTONS 20

// Products of a system, halvings of a step at most. Half or twice: no difference on a ball or under a drop.
#define DR_CLOTH_INNER  300
#define DR_CLOTH_HALVES 8

// Friction fades below this share of the speed that gravity gives in a step. Newton's iteration begins with the first,
// takes the next share of it every time and goes down to the last. Half of the last: what rests creeps half as fast;
// twice: systems are twice as easy. Of the others: an iteration more or fewer.
#define DR_CLOTH_FADE_FIRST 0.5
#define DR_CLOTH_FADE_EACH  0.2
#define DR_CLOTH_FADE_LAST  2e-3

// What holds vertices in place is solved so far, of what they are off, and iterations at most: they are put in place
// whatever is left. A tenth: more iterations, and nothing that could be seen.
#define DR_CLOTH_HOLD_TOLERANCE  1e-4
#define DR_CLOTH_HOLD_ITERATIONS 100

// Vertices a cell apart, half-way between nodes, have velocities in turn that no velocity of the grid has: what holds
// them is springs that give way by this share of what the grid does, in place of rods. Half: half as many iterations
// again; twice: they are off by two thousandths of what the grid would move them by, until they are put in place.
#define DR_CLOTH_HOLD_COMPLIANCE 1e-3

// Steps end at this share of the time in which a thing falls by a cell, or backward Euler would take
// the swing out of cloth: one that swings freely by g h loses a third of its energy in ten radians. Half: half of that.
#define DR_CLOTH_CALM 0.1

// Rounds on the pressure of cloth and liquid end where what is missed is this share of what the pressure did, as work;
// answers of cloth in a round are solved to it too. Half: one round more in stiff cloth, as many products.
#define DR_CLOTH_VOID 0.03

// Rounds where cloth was linearised, at most. Half or twice: no difference under a drop, one to three are made.
#define DR_CLOTH_ROUNDS 6

// Rounds know cloth as it was linearised, and a flat sheet that is pushed across itself stretches in second order
// alone: it is solved anew with what they found, so often at most, and last of all. None: sheets are stretched by what
// their linear answer does not see, which is energy from nowhere. Half: a fifth fewer products, and a drop on cotton
// has 5 % less potential energy after 30 ms; twice: 7 % more products, and 1 % more of it.
#define DR_CLOTH_TURNS 4

// ==== cost alone

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

// Halvings of a step for strands that do not converge, or that scripts pull through others: then they are taken as
// they are. And the share of a frame below which a step is not made shorter for the latter: a script that meets a
// collider head on would halve steps for ever, each a little before the meeting. Half or twice: such steps are some
// halvings shorter or longer.
#define DR_STRAND_PATIENCE 4
#define DR_STRAND_SHORTEST 1e-3

// Repetitions of a step in which contact met further groups, that then go by one stage, before all do. Half or twice:
// a repetition less or more where many strands meet at once.
#define DR_STRAND_REPEATS 2

// What an implicit step costs, in explicit ones, counted on hanging cotton and on cotton on a ball at 20, 100 and 480
// times the limit: Newton iterations, which grow with the logarithm of that ratio, each with its evaluations and
// matrices, and products with those, which grow with it and, when it is large, with its root. Walls and friction take
// twice the iterations. Half of a cost: implicit from half the ratio on.
#define DR_CLOTH_COST_NEWTON      3.0
#define DR_CLOTH_COST_PRODUCT     0.25
#define DR_CLOTH_NEWTONS_FIRST    1.5
#define DR_CLOTH_NEWTONS_EACH     0.33
#define DR_CLOTH_PRODUCTS_EACH    0.7
#define DR_CLOTH_PRODUCTS_OF_ROOT 7.0
#define DR_CLOTH_WALLS_NEWTON     2.0

// Among liquid cloth is solved before and after the pressure, and answers it. Half or twice: as above.
#define DR_CLOTH_COST_WET 2.5

// A particle of liquid costs as many vertices or elements in every step. Half: explicit up to some steps more.
#define DR_CLOTH_COST_LIQUID 4.0

// Far below what the mesh itself asks for, bending is taken for at most so many times stiffer than at rest instead of
// being looked at: triangles squeezed to half their height, edges pressed to two thirds. Half: what is squeezed more
// may shake; twice: looked at more often.
#define DR_CLOTH_SQUEEZED 4.0

// ==== guards

// Share of a cell, an edge, a volume, the area of a face that is rounding. Colliders are taken for thinner by it, so
// that liquid poured up to one is poured as drawn. Half or twice: no difference.
#define DR_WORLD_ROUNDING 1e-6

// The same of what scenes say in decimals. Half or twice: no difference.
#define DR_SCENE_ROUNDING 1e-3

// Share of a time that is rounding. Half or twice: no difference.
#define DR_TIME_ROUNDING 1e-9

// Extent, cm, of what has no end. Half or twice: no difference.
#define DR_SCENE_ENDLESS 1e12

// A particle that is pressed to less than this share of its volume counts with it: its strain tells nothing any more.
// Half or twice: no difference but in what is crushed.
#define DR_BODY_PRESSED 0.1F

// A vertex whose kernel holds less than this share of a cell of liquid is dry. Half or twice: no difference that could
// be seen.
#define DR_STRAND_DRY 1e-6

// Of the kernel around a vertex so much counts as open at least: a vertex at a wall has a half. Half or twice: no
// difference but for vertices deep in solids.
#define DR_STRAND_LEAST_OPEN 0.1

// Contact angle, rad, beyond which liquid does not hold strands together: a little short of a right angle, where the
// force of a bridge changes its sign. Half: liquids of 43 degrees and more do not bridge; twice: bridges push.
#define DR_STRAND_WIDEST 1.5

// Strands as scenes have them. Of the mean edge: shorter ones are joined with the next. Of an edge that leads into a
// collider: less along its surface has no direction. Of the radius: a vertex no further from an edge lies on it. Tries
// to bring a vertex out of a collider. Half or twice: no difference but in strands that are drawn so.
#define DR_STRAND_SHORT_EDGE 1e-3
#define DR_STRAND_STEEP      0.05
#define DR_STRAND_ON_EDGE    0.5
#define DR_STRAND_PUSHES     16

// Length of an edge, cm, that is none; how nearly chords of a curl have their edges' lengths, and iterations to that at
// most. Half or twice: no difference, it is rounding.
#define DR_STRAND_NO_EDGE     1e-9
#define DR_STRAND_CHORD       1e-15
#define DR_STRAND_CHORD_TURNS 30

// What float leaves of a velocity, in cells per step: no residual is asked to be smaller, and no slip told from none.
// And of an energy, for Newton. Half or twice: no difference but where nothing moves.
#define DR_CLOTH_NOISE        1e-6
#define DR_CLOTH_ENERGY_NOISE 1e-8

// An element that a step would draw to more than so many times its length, or that at rest if it is longer, is torn.
// Half: every element that is not drawn shorter, which none could avoid; twice: steps are judged by what inverts alone.
#define DR_CLOTH_TORN 2.0

// Cells that nodes may move in a step without a triangle turning over that has no angle above 120 degrees: (6.5),
// exact.
#define DR_CLOTH_SOUND 0.1830127018922193

// Cosine between normals of walls that are one wall. Half or twice the angle: no difference but between planes that
// meet at some degrees.
#define DR_CLOTH_SAME_WALL 0.99

#endif
