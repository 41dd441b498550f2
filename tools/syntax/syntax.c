// The face of one grammar for internal/syntax: a source goes in, its whole tree comes out as an array of records in preorder.
#include <stdint.h>
#include <stdlib.h>

#include <tree_sitter/api.h>

const TSLanguage *GRAMMAR(void);

#define EXPORT(name) __attribute__((export_name(#name))) name

// 16 bytes, little endian, read by internal/syntax. size counts the node and all below it.
typedef struct {
  uint16_t symbol;
  uint8_t field, flags;
  uint32_t start, end, size;
} Record;

enum { NAMED = 1, IS_ERROR = 2, MISSING = 4 };

static Record *list;
static uint32_t capacity, length;

static int push(const TSTreeCursor *cursor) {
  if (length == capacity) {
    uint32_t more = capacity ? capacity * 2 : 1 << 14;
    Record *grown = realloc(list, more * sizeof(Record));
    if (!grown) return 0;
    list = grown;
    capacity = more;
  }
  TSNode node = ts_tree_cursor_current_node(cursor);
  list[length++] = (Record){
      .symbol = ts_node_symbol(node),
      .field = (uint8_t)ts_tree_cursor_current_field_id(cursor),
      .flags = (ts_node_is_named(node) ? NAMED : 0) | (ts_node_is_error(node) ? IS_ERROR : 0) |
               (ts_node_is_missing(node) ? MISSING : 0),
      .start = ts_node_start_byte(node),
      .end = ts_node_end_byte(node),
      .size = 1,
  };
  return 1;
}

// walk fills the list and tells whether there was room for everything.
static int walk(TSTreeCursor *cursor) {
  uint32_t *open = 0, depth = 0, room = 0;
  int whole = 0;
  for (;;) {
    uint32_t at = length;
    if (!push(cursor)) break;
    if (ts_tree_cursor_goto_first_child(cursor)) {
      if (depth == room) {
        room = room ? room * 2 : 256;
        uint32_t *grown = realloc(open, room * sizeof(uint32_t));
        if (!grown) break;
        open = grown;
      }
      open[depth++] = at;
      continue;
    }
    while (depth && !ts_tree_cursor_goto_next_sibling(cursor)) {
      uint32_t up = open[--depth];
      list[up].size = length - up;
      ts_tree_cursor_goto_parent(cursor);
      if (!depth) {
        whole = 1;
        break;
      }
    }
    if (whole || !depth) {
      whole = 1;
      break;
    }
  }
  free(open);
  return whole;
}

void *EXPORT(alloc)(uint32_t n) { return malloc(n); }

void EXPORT(release)(void *p) { free(p); }

// parse gives the number of records, 0 when there was no memory for them.
uint32_t EXPORT(parse)(const char *source, uint32_t n) {
  length = 0;
  TSParser *parser = ts_parser_new();
  if (ts_parser_set_language(parser, GRAMMAR())) {
    TSTree *tree = ts_parser_parse_string(parser, 0, source, n);
    if (tree) {
      TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
      if (!walk(&cursor)) length = 0;
      ts_tree_cursor_delete(&cursor);
      ts_tree_delete(tree);
    }
  }
  ts_parser_delete(parser);
  return length;
}

const Record *EXPORT(records)(void) { return list; }

uint32_t EXPORT(symbols)(void) { return ts_language_symbol_count(GRAMMAR()); }

const char *EXPORT(symbol)(uint32_t i) { return ts_language_symbol_name(GRAMMAR(), (TSSymbol)i); }

uint32_t EXPORT(fields)(void) { return ts_language_field_count(GRAMMAR()); }

const char *EXPORT(field)(uint32_t i) { return ts_language_field_name_for_id(GRAMMAR(), (TSFieldId)i); }
