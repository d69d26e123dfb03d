// YAML and JSON text to a tree of nodes.
#ifndef DR_IO_YAML_H
#define DR_IO_YAML_H

#include "base/error.h"
#include "base/memory.h"
#include "base/node.h"

// Reads one document. The tree lives in the arena; `name` stands for the file in messages. Aliases share their
// children; nesting, repetition by aliases and the number of values are bounded.
dr_status dr_yaml_parse(const char *text, size_t length, const char *name, dr_arena *arena, const dr_node **root,
                        dr_error *error);

#endif
