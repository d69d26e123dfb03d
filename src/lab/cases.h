// Every case of the lab; validate.c and bench.c list them.
#ifndef DR_LAB_CASES_H
#define DR_LAB_CASES_H

#include "lab/lab.h"

extern const dr_lab_case dr_lab_free_fall, dr_lab_momentum, dr_lab_rotation, dr_lab_slide;
extern const dr_lab_case dr_lab_hydrostatic, dr_lab_dam_break, dr_lab_standing_wave, dr_lab_rotating_drop,
    dr_lab_poiseuille, dr_lab_falling_film, dr_lab_spin_up, dr_lab_stokes_first_problem, dr_lab_coulomb_friction,
    dr_lab_rayleigh_drop, dr_lab_volume, dr_lab_emitter, dr_lab_mixture_column, dr_lab_strand_column,
    dr_lab_strand_buoyancy, dr_lab_settling, dr_lab_darcy_strands, dr_lab_float, dr_lab_locality, dr_lab_galilean,
    dr_lab_sloshing_energy;
extern const dr_lab_case dr_lab_bridge_pair, dr_lab_incline, dr_lab_capstan, dr_lab_stick_slip, dr_lab_coalescence,
    dr_lab_clump;
extern const dr_lab_case dr_lab_pile;
extern const dr_lab_case dr_lab_film_fibre, dr_lab_film_beading, dr_lab_film_wave, dr_lab_film_stoker, dr_lab_film_spin,
    dr_lab_film_coriolis, dr_lab_film_drop, dr_lab_film_arc, dr_lab_film_across, dr_lab_film_energy, dr_lab_drip_tip,
    dr_lab_drip_horizontal, dr_lab_shake, dr_lab_film_terminal, dr_lab_film_yield, dr_lab_film_yield_spin;
extern const dr_lab_case dr_lab_settling_thick, dr_lab_strand_duct, dr_lab_pull_off, dr_lab_thick, dr_lab_bath;
extern const dr_lab_case dr_lab_repose, dr_lab_column_collapse;
extern const dr_lab_case dr_lab_rod_cantilever, dr_lab_rod_tip_load, dr_lab_rod_end_moment, dr_lab_rod_vibration,
    dr_lab_rod_self_buckling, dr_lab_rod_ring_twist, dr_lab_rod_twist_clamped, dr_lab_rod_bend_twist, dr_lab_rod_spin,
    dr_lab_rod_swing;
extern const dr_lab_case dr_lab_yarn_cantilever, dr_lab_yarn_curl;
extern const dr_lab_case dr_lab_sheet_stretch, dr_lab_sheet_swing, dr_lab_fibre_bed, dr_lab_fibre_pile,
    dr_lab_fibre_models, dr_lab_sheet_cantilever, dr_lab_sheet_lateral_buckling, dr_lab_sheet_euler, dr_lab_sheet_drape;
extern const dr_lab_case dr_lab_shear_startup, dr_lab_hb_channel, dr_lab_hb_incline, dr_lab_hb_slump,
    dr_lab_compressible_column, dr_lab_hb_recoil;
extern const dr_lab_case dr_lab_dam, dr_lab_pressure, dr_lab_surface, dr_lab_transfer, dr_lab_strands, dr_lab_contact,
    dr_lab_scenes, dr_lab_film_bench, dr_lab_codim;

#endif
