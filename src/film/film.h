// The film of liquid on strands: its state, and volume that comes to it or leaves. docs/theory/film.md.
// Values lie vertex by vertex as those of strands do: a value of an edge is kept at the vertex where the edge starts.
// Arrays in, arrays out: strands come as dr_film_host, one at a time, first vertex at index 0.
#ifndef DR_FILM_FILM_H
#define DR_FILM_FILM_H

#include "base/columns.h"
#include "math/rigid.h"
#include "math/viscoplastic.h"

#include <stdbool.h>

// State. The film's momentum is sum over vertices of mass times the strand's velocity, plus sum over edges of half the
// mass of their inner vertices times `velocity` along the edge, plus `impulse`, which the strand is given in the next
// step. The cells at both ends rest against the strand. (1), (2)
typedef struct dr_film {
    size_t vertices, capacity;
    double *volume;   // [vertex] cm3
    double *velocity; // [vertex] of the edge, along it and relative to it, cm/s
    double *impulse;  // [vertex][3] dyn s
    double *strain;   // [vertex] elastic, b_xx - b_yy; NULL where no liquid is thick
    double *mix;      // [vertex][liquids] cm3 of each; NULL where there is but one
    int liquids;
    // Of the strand, as the last step left it.
    double *force; // [vertex][3] all but gravity and the film's, dyn
    double *felt;  // [vertex][3] its acceleration over the time that a drop takes to leave, cm/s2
} dr_film;

#define DR_FILM_LIQUIDS 8 // that may mix in films

extern const dr_column_table dr_film_columns; // of one liquid that is not thick

const dr_column_table *dr_film_table(bool thick, int liquids);
bool dr_film_reserve(dr_film *film, const dr_allocator *allocator, size_t vertices, bool thick,
                     int liquids); // all dry; false: out of memory
void dr_film_free(dr_film *film, const dr_allocator *allocator);

// What thick liquid yields and flows by; thin liquid has its viscosity as consistency and an index of one.
typedef struct dr_film_flow_curve {
    double yield, consistency, index; // stress at a wall that shears: yield + consistency rate^index
    double shear_modulus;
    double norm_yield, norm_consistency; // the same of the norm of the stress
} dr_film_flow_curve;

// Liquids that mix in films, cgs.
typedef struct dr_film_liquids {
    int count;
    double density[DR_FILM_LIQUIDS], viscosity[DR_FILM_LIQUIDS], surface_tension[DR_FILM_LIQUIDS];
    bool thick; // any of them
    dr_film_flow_curve curve[DR_FILM_LIQUIDS];
} dr_film_liquids;

// What a film consists of and how it moves.
typedef struct dr_film_law {
    const dr_film_liquids *liquids;             // that it may be mixed of; NULL: one alone
    int liquid;                                 // its own among these
    double density, viscosity, surface_tension; // cgs
    double slip;                                // length, cm
    bool hoop;                                  // the surface pulls together around the strand: films bead
    bool transport;                             // momentum of the strand's motion goes along with the liquid
    bool still;                                 // it stays where it is, and moves with the strand
    // Thick liquids: stress at the wall is yield + consistency rate^index. They have no viscosity.
    bool thick;
    double yield, consistency, index; // of shear
    bool elastic;                     // it strains along the strand
    double shear_modulus;
    dr_viscoplastic plastic; // of the norm of the stress
    double depth;            // an acceleration per width: pressure rho depth A besides that of the surface. For tests
} dr_film_law;

// The strand that carries a film.
typedef struct dr_film_host {
    int count;                  // vertices
    const double *position;     // [vertex][3] cm
    const double *velocity;     // [vertex][3] cm/s
    const double *mass;         // [vertex] of the strand alone, g
    const double *spin;         // [vertex] of edges about themselves, rad/s; NULL: none
    const double *radius;       // [vertex] cm
    const double *pull;         // [vertex][3] gravity and force fields, cm/s2
    const double *acceleration; // [vertex][3] that the strand is expected to have, for what yields; NULL: none
    const double *gravity;      // [3] the part of pull that acts on the matrix of dr_film_answer too, cm/s2
    const unsigned char *held;  // [vertex] not 0: by a script
    const double *company;      // [vertex] strands that share its liquid's surface, itself among them; NULL: none else
    const unsigned char *bridged; // [vertex] not 0: liquid joins it to a neighbour, or is around it; NULL: none
    const double *borne; // [vertex] share of the film's weight along it that liquid around it bears; NULL: none
    bool free_end[2];    // a drop can hang there
} dr_film_host;

// Cross-section and height of a film; cell: the length of a vertex's cell.
double dr_film_height(double volume, double cell, double radius);
double dr_film_volume(double height, double cell, double radius);

// Half of each neighbouring edge, as long as they are now.
double dr_film_cell(const dr_film_host *host, int v);

// What is on vertex v: volume of one liquid, mass, and numbers of the mixture, by volume. (32)
double dr_film_of_liquid(const dr_film *film, int v, int liquid);
double dr_film_mass(const dr_film *film, const dr_film_law *law, int v);
double dr_film_density(const dr_film *film, const dr_film_law *law, int v);
double dr_film_viscosity(const dr_film *film, const dr_film_law *law, int v);
double dr_film_tension(const dr_film *film, const dr_film_law *law, int v);
dr_film_flow_curve dr_film_flow_curve_at(const dr_film *film, const dr_film_law *law, int v);
void dr_film_flow_curve_add(dr_film_flow_curve *sum, double part, const dr_film_flow_curve *of);
dr_film_flow_curve dr_film_flow_curve_thin(double viscosity); // of liquid that is not thick

// How many liquids a film may have, and the density of one of them.
int dr_film_liquid_count(const dr_film *film);
double dr_film_liquid_density(const dr_film *film, const dr_film_law *law, int liquid);

// Liquid with an absolute velocity comes to vertex v: `film` starts at the strand's first vertex. liquid: which of
// several.
void dr_film_add(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, int liquid, double volume,
                 const double velocity[3]);

// Liquid leaves vertex v, with its momentum: what it has is given, at most what there is of that liquid. Returns the
// volume.
double dr_film_take(dr_film *film, const dr_film_law *law, const dr_film_host *host, int v, int liquid, double volume,
                    double momentum[3]);

// The film of one strand, out of that of all.
dr_film dr_film_of(const dr_film *all, size_t first);

typedef struct dr_film_budget {
    double volume, mass, linear[3], angular[3];
    double kinetic, potential, surface; // erg
} dr_film_budget;

// Adds masses and momenta of a strand's film.
void dr_film_add_motion(const dr_film *film, const dr_film_law *law, const dr_film_host *host, dr_rigid_sum *sum);
double dr_film_surface_energy(const dr_film *film, const dr_film_law *law, const dr_film_host *host);

// Adds what a strand's film has; gravity for its potential energy.
void dr_film_sum(const dr_film *film, const dr_film_law *law, const dr_film_host *host, const double gravity[3],
                 dr_film_budget *sum);

#endif
