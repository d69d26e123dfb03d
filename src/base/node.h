// A document as a tree of scalars, lists and maps, each with the place where it stands.
#ifndef DR_BASE_NODE_H
#define DR_BASE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef enum dr_node_kind { DR_NODE_SCALAR, DR_NODE_LIST, DR_NODE_MAP } dr_node_kind;

// Children hang on `first` and `next`; two nodes share children where the document repeats itself by an alias.
typedef struct dr_node dr_node;
struct dr_node {
    dr_node_kind kind;
    bool quoted;
    int line, column; // from 1
    const char *text; // scalars
    size_t length;
    const char *key; // in a map
    size_t key_length;
    int key_line, key_column;
    int count; // of children
    dr_node *first, *last, *next;
};

// The entry of a map with that key, NULL where there is none.
static inline const dr_node *dr_node_find(const dr_node *map, const char *key)
{
    size_t length = strlen(key);
    if (map->kind != DR_NODE_MAP) return NULL;
    for (const dr_node *node = map->first; node; node = node->next) {
        if (node->key_length == length && memcmp(node->key, key, length) == 0) return node;
    }
    return NULL;
}

#endif
