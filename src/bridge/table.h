// The force of a bridge as a table over area and distance, one for a pair of radii and contact angles up to scale.
// docs/theory/bridges.md, "Table".
#ifndef DR_BRIDGE_TABLE_H
#define DR_BRIDGE_TABLE_H

#include "base/memory.h"
#include "bridge/bridge.h"

typedef struct dr_bridge_table dr_bridge_table;

// NULL when memory is out. Sides are scaled: only the ratio of their radii and their angles count.
dr_bridge_table *dr_bridge_table_create(const dr_bridge_sides *sides, const dr_allocator *allocator);
void dr_bridge_table_destroy(dr_bridge_table *table, const dr_allocator *allocator);

// Attraction per length over surface tension, never below 0, of a bridge of `area` on a first fibre of `radius`, and
// its slope over distance (may be NULL). Closer than touching it is that of touching, beyond rupture it is 0.
double dr_bridge_table_force(const dr_bridge_table *table, double radius, double distance, double area, double *slope);

// The distance at which the bridge ruptures.
double dr_bridge_table_rupture(const dr_bridge_table *table, double radius, double area);

#endif
