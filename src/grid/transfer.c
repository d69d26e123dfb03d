// Transfers of particles, which are sets like others.
#include "grid/transfer.h"

static dr_transfer_load make_load(const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user)
{
    return (dr_transfer_load){.places = dr_transfer_particle_places(particles),
                              .mass = particles->mass,
                              .velocity = particles->velocity,
                              .affine = particles->affine,
                              .dt = dt,
                              .stress = stress,
                              .user = user};
}

void dr_transfer_to_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                          float *node)
{
    dr_transfer_load load = make_load(particles, dt, stress, user);
    dr_transfer_load_nodes(transfer, grid, par, &load, node);
}

void dr_transfer_stress_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                                 float *mass, float *momentum)
{
    dr_transfer_load load = make_load(particles, dt, stress, user);
    dr_transfer_load_faces(transfer, grid, par, &load, mass, momentum);
}

void dr_transfer_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, float *mass, float *momentum)
{
    dr_transfer_stress_to_faces(transfer, grid, par, particles, 0.0, NULL, NULL, mass, momentum);
}

void dr_transfer_values_to_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                                 const dr_particles *particles, const float *value, float *face)
{
    dr_transfer_places places = dr_transfer_particle_places(particles);
    dr_transfer_spread_faces(transfer, grid, par, &places, value, face);
}
