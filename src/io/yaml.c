// The document is taken event by event, so that nesting and repetition are bounded before anything is built. libfyaml's
// own messages are collected, never printed.
#include "io/yaml.h"

#ifdef DR_HAVE_FYAML

#include "base/utf8.h"

#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST      48
#define MOST_VALUES  1000000
#define MOST_ANCHORS 1000

// A list or map that is still open.
typedef struct frame {
    dr_node *node;
    size_t weight; // values in it, aliases written out
    int anchor;    // -1: none
    const char *key;
    size_t key_length;
    int key_line, key_column;
} frame;

typedef struct anchor {
    const char *name;
    size_t length, weight;
    const dr_node *node; // NULL while it is open
} anchor;

typedef struct builder {
    dr_arena *arena;
    const char *name;
    dr_error *error;
    struct fy_parser *parser;
    dr_node *root;
    frame frames[DEEPEST];
    int depth, documents, anchor_count;
    anchor anchors[MOST_ANCHORS];
} builder;

static dr_status complain(const builder *b, int line, int column, const char *what)
{
    return dr_error_add(b->error, DR_STATUS_BAD_SCENE, "%s:%d:%d: %s", b->name, line, column, what);
}

static dr_status out_of_memory(const builder *b)
{
    return dr_error_memory(b->error, "reading the scene");
}

static const char *copy_token(builder *b, struct fy_token *token, size_t *length)
{
    const char *text = token ? fy_token_get_text(token, length) : "";
    if (!token || !text) *length = 0;
    return dr_arena_copy(b->arena, text ? text : "", *length);
}

// ---- anchors

static dr_status open_anchor(builder *b, struct fy_token *token, const dr_node *node, int *index)
{
    *index = -1;
    if (!token) return DR_STATUS_OK;
    if (b->anchor_count == MOST_ANCHORS) return complain(b, node->line, node->column, "too many anchors");
    anchor *fresh = &b->anchors[b->anchor_count];
    fresh->name = copy_token(b, token, &fresh->length);
    if (!fresh->name) return out_of_memory(b);
    *index = b->anchor_count++;
    return DR_STATUS_OK;
}

static void close_anchor(builder *b, int index, const dr_node *node, size_t weight)
{
    if (index < 0) return;
    b->anchors[index].node = node;
    b->anchors[index].weight = weight;
}

static const anchor *find_anchor(const builder *b, const char *name, size_t length)
{
    for (int i = b->anchor_count; i-- > 0;) {
        if (b->anchors[i].length == length && memcmp(b->anchors[i].name, name, length) == 0) return &b->anchors[i];
    }
    return NULL;
}

// ---- building

static dr_node *make_node(builder *b, struct fy_event *event, dr_node_kind kind)
{
    dr_node *node = dr_arena_alloc(b->arena, sizeof *node);
    if (!node) return NULL;
    const struct fy_mark *mark = fy_event_start_mark(event);
    node->kind = kind;
    node->line = mark ? mark->line + 1 : 0;
    node->column = mark ? mark->column + 1 : 0;
    return node;
}

static void append(dr_node *parent, dr_node *child)
{
    child->next = NULL;
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

static dr_status take_key(builder *b, frame *top, const dr_node *node)
{
    if (node->kind != DR_NODE_SCALAR) return complain(b, node->line, node->column, "a key must be a single word");
    top->key = node->text;
    top->key_length = node->length;
    top->key_line = node->line;
    top->key_column = node->column;
    return DR_STATUS_OK;
}

// Puts a finished node where it belongs: a key, a value, an item or the root.
static dr_status place_node(builder *b, dr_node *node, size_t weight)
{
    if (b->depth == 0) {
        b->root = node;
        return DR_STATUS_OK;
    }
    frame *top = &b->frames[b->depth - 1];
    top->weight += weight;
    if (top->weight > MOST_VALUES) {
        return complain(b, node->line, node->column, "more than a million values, aliases written out");
    }
    if (top->node->kind == DR_NODE_MAP && !top->key) return take_key(b, top, node);
    node->key = top->key;
    node->key_length = top->key_length;
    node->key_line = top->key_line;
    node->key_column = top->key_column;
    top->key = NULL;
    if (node->line == 0) { // nothing is written: the place is that of the key
        node->line = top->node->kind == DR_NODE_MAP ? node->key_line : top->node->line;
        node->column = top->node->kind == DR_NODE_MAP ? node->key_column : top->node->column;
    }
    append(top->node, node);
    return DR_STATUS_OK;
}

static dr_status open_frame(builder *b, struct fy_event *event, dr_node_kind kind, struct fy_token *anchor_token)
{
    dr_node *node = make_node(b, event, kind);
    if (!node) return out_of_memory(b);
    if (b->depth == DEEPEST) return complain(b, node->line, node->column, "nested too deeply");
    if (b->depth > 0) {
        const frame *top = &b->frames[b->depth - 1];
        if (top->node->kind == DR_NODE_MAP && !top->key) {
            return complain(b, node->line, node->column, "a key must be a single word");
        }
    }
    frame *fresh = &b->frames[b->depth];
    *fresh = (frame){.node = node, .weight = 1};
    dr_status status = open_anchor(b, anchor_token, node, &fresh->anchor);
    if (status == DR_STATUS_OK) b->depth++;
    return status;
}

static bool is_merge(const dr_node *node)
{
    return node->key_length == 2 && memcmp(node->key, "<<", 2) == 0;
}

static dr_node *find_own(const dr_node *map, const dr_node *entry)
{
    for (dr_node *node = map->first; node; node = node->next) {
        if (node->key_length == entry->key_length && memcmp(node->key, entry->key, entry->key_length) == 0) return node;
    }
    return NULL;
}

// "<<: *base" supplies the entries that the map does not write itself.
static dr_status merge(builder *b, dr_node *map)
{
    dr_node whole = *map;
    const dr_node *base = NULL;
    map->first = map->last = NULL;
    map->count = 0;
    for (dr_node *node = whole.first, *next; node; node = next) {
        next = node->next;
        if (!is_merge(node)) {
            append(map, node);
        } else if (base || node->kind != DR_NODE_MAP) {
            return complain(b, node->key_line, node->key_column, "<< takes one group of keys, once");
        } else {
            base = node;
        }
    }
    for (const dr_node *entry = base ? base->first : NULL; entry; entry = entry->next) {
        if (find_own(map, entry)) continue;
        dr_node *copy = dr_arena_alloc(b->arena, sizeof *copy);
        if (!copy) return out_of_memory(b);
        *copy = *entry;
        append(map, copy);
    }
    return DR_STATUS_OK;
}

static bool has_merge(const dr_node *map)
{
    if (map->kind != DR_NODE_MAP) return false;
    for (const dr_node *node = map->first; node; node = node->next) {
        if (is_merge(node)) return true;
    }
    return false;
}

static dr_status close_frame(builder *b)
{
    frame *top = &b->frames[--b->depth];
    if (has_merge(top->node)) {
        dr_status status = top->node->count > 1000 ? complain(b, top->node->line, top->node->column, "too many keys")
                                                   : merge(b, top->node);
        if (status != DR_STATUS_OK) return status;
    }
    close_anchor(b, top->anchor, top->node, top->weight);
    return place_node(b, top->node, top->weight);
}

static dr_status add_scalar(builder *b, struct fy_event *event)
{
    dr_node *node = make_node(b, event, DR_NODE_SCALAR);
    int index;
    if (!node) return out_of_memory(b);
    struct fy_token *token = event->scalar.value;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    node->quoted = style != FYSS_PLAIN && style != FYSS_ANY;
    bool marked = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (marked && node->column > 1) node->column--; // the place is that of the quote
    node->text = copy_token(b, token, &node->length);
    if (!node->text) return out_of_memory(b);
    dr_status status = open_anchor(b, event->scalar.anchor, node, &index);
    if (status != DR_STATUS_OK) return status;
    close_anchor(b, index, node, 1);
    return place_node(b, node, 1);
}

static dr_status add_alias(builder *b, struct fy_event *event)
{
    dr_node *node = make_node(b, event, DR_NODE_SCALAR);
    size_t length = 0;
    const char *name = node ? copy_token(b, event->alias.anchor, &length) : NULL;
    if (!name) return out_of_memory(b);
    const anchor *target = find_anchor(b, name, length);
    char what[120];
    if (!target || !target->node) {
        snprintf(what, sizeof what,
                 target ? "the alias *%.*s stands inside itself" : "there is no anchor &%.*s before this",
                 (int)(length < 60 ? length : 60), name);
        return complain(b, node->line, node->column > 1 ? node->column - 1 : 1, what);
    }
    int line = node->line, column = node->column;
    *node = *target->node;
    node->line = line;
    node->column = column > 1 ? column - 1 : column; // of the star
    return place_node(b, node, target->weight);
}

static dr_status take_event(builder *b, struct fy_event *event)
{
    const struct fy_mark *mark;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++ == 0) return DR_STATUS_OK;
        mark = fy_event_start_mark(event);
        return complain(b, mark ? mark->line + 1 : 1, 1, "a second document begins here; a scene is one document");
    case FYET_MAPPING_START:
        return open_frame(b, event, DR_NODE_MAP, event->mapping_start.anchor);
    case FYET_SEQUENCE_START:
        return open_frame(b, event, DR_NODE_LIST, event->sequence_start.anchor);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_frame(b);
    case FYET_SCALAR:
        return add_scalar(b, event);
    case FYET_ALIAS:
        return add_alias(b, event);
    default:
        return DR_STATUS_OK;
    }
}

// ---- the text itself

// libfyaml is given clean UTF-8 only: some versions never return from broken characters.
static dr_status check_text(const builder *b, const char **text, size_t *length)
{
    if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) *text += 3, *length -= 3;
    int line = 1, column = 1;
    for (size_t i = 0, step; i < *length; i += step) {
        step = (*text)[i] == '\r' ? 1 : dr_utf8_length(*text + i, *length - i);
        if (step == 0) return complain(b, line, column, "this is not text in UTF-8");
        bool ends = (*text)[i] == '\n';
        line += ends;
        column = ends ? 1 : column + 1;
    }
    return DR_STATUS_OK;
}

// ---- libfyaml

static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)length;
}

static struct fy_diag *make_diag(void)
{
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = swallow;
    config.colorize = false;
    struct fy_diag *diag = fy_diag_create(&config);
    if (diag) fy_diag_set_collect_errors(diag, true);
    return diag;
}

// What libfyaml found wrong: the first message is the cause.
static dr_status report(const builder *b, struct fy_diag *diag)
{
    void *state = NULL;
    const struct fy_diag_error *found = fy_diag_errors_iterate(diag, &state);
    if (!found) return dr_error_add(b->error, DR_STATUS_BAD_SCENE, "%s: this is not YAML", b->name);
    char what[200];
    snprintf(what, sizeof what, "this is not YAML: %.150s", found->msg ? found->msg : "");
    return complain(b, found->line > 0 ? found->line : 1, found->column > 0 ? found->column : 1, what);
}

static dr_status take_events(builder *b, struct fy_diag *diag)
{
    dr_status status = DR_STATUS_OK;
    struct fy_event *event;
    while (status == DR_STATUS_OK && (event = fy_parser_parse(b->parser)) != NULL) {
        status = take_event(b, event);
        fy_parser_event_free(b->parser, event);
    }
    if (status != DR_STATUS_OK) return status;
    if (fy_parser_get_stream_error(b->parser) || fy_diag_got_error(diag) || b->depth > 0) return report(b, diag);
    return DR_STATUS_OK;
}

static dr_status build(builder *b, const char *text, size_t length, struct fy_diag *diag)
{
    struct fy_parse_cfg config = {.search_path = "", .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2, .diag = diag};
    b->parser = fy_parser_create(&config);
    if (!b->parser) return out_of_memory(b);
    dr_status status = fy_parser_set_string(b->parser, text, length) == 0 ? take_events(b, diag) : out_of_memory(b);
    fy_parser_destroy(b->parser);
    return status;
}

dr_status dr_yaml_parse(const char *text, size_t length, const char *name, dr_arena *arena, const dr_node **root,
                        dr_error *error)
{
    *root = NULL;
    builder *b = dr_arena_alloc(arena, sizeof *b);
    if (!b) return dr_error_memory(error, "reading the scene");
    *b = (builder){.arena = arena, .name = name, .error = error};
    dr_status status = check_text(b, &text, &length);
    if (status != DR_STATUS_OK) return status;
    struct fy_diag *diag = make_diag();
    if (!diag) return out_of_memory(b);
    status = build(b, text, length, diag);
    fy_diag_destroy(diag);
    if (status == DR_STATUS_OK && !b->root)
        status = dr_error_add(error, DR_STATUS_BAD_SCENE, "%s: the file is empty", name);
    *root = b->root;
    return status;
}

#else

dr_status dr_yaml_parse(const char *text, size_t length, const char *name, dr_arena *arena, const dr_node **root,
                        dr_error *error)
{
    (void)text;
    (void)length;
    (void)arena;
    *root = NULL;
    return dr_error_add(error, DR_STATUS_UNSUPPORTED,
                        "%s: this build cannot read scenes: it was made without libfyaml (Debian package libfyaml-dev)",
                        name);
}

#endif
