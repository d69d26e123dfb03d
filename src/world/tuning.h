// Numbers of the world's stages that are not derived, each with what half and twice of it do.
#ifndef DR_WORLD_TUNING_H
#define DR_WORLD_TUNING_H

// ---- strands in liquid

// Half an edge that is longer than this share of a cell has samples so far apart. Half: twice as many; twice: liquid
// finds gaps between them.
#define DR_STRAND_SPACING 0.5

// A vertex whose kernel holds less than this share of a cell of liquid is dry. Half or twice: no difference that could
// be seen.
#define DR_STRAND_DRY 1e-6

// Of the kernel around a vertex so much counts as open at least: a vertex at a wall has a half. Half or twice: no
// difference but for vertices deep in solids.
#define DR_STRAND_LEAST_OPEN 0.1

// A vertex with so much of the pores around it full of liquid is under it: no bridges there, and less of them towards
// it. Half of it: bridges end farther above the surface; twice: where all around is liquid.
#define DR_STRAND_SUBMERGED 0.5

// The pressure is found anew where strands make more of what it did void than this share. Half: hardly ever less wrong,
// as (10) is good where drag is not strong; twice: errors of some hundredths stay.
#define DR_STRAND_VOID 0.02

// At most so often. Half: twice the error where drag is strongest; twice: no difference.
#define DR_STRAND_ROUNDS 4

// And no more after a round that left more than this share of what was missed. Half: some hundredths of error more in
// compressible liquid; one: twice the rounds there, for little.
#define DR_STRAND_WORTH 0.7

#endif
