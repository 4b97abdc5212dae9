// Numbers, and the two dots of a range: where one ends depends on more than the next character.
//
// As the compiler's lexer has it: all that could belong to a number does, so `1.2.3`, `0x1F` and `10f` are no tokens at
// all and not two; but a number ends before `..`, and three dots are no token.

#include "tree_sitter/parser.h"

enum Token { NUMBER, DOTS };

void *tree_sitter_toy_external_scanner_create(void) { return NULL; }

void tree_sitter_toy_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_toy_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_toy_external_scanner_deserialize(void *payload, const char *buffer,
                                                  unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static bool is_letter(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(int32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What a number has had so far.
enum Part { WHOLE, POINT, EXPONENT, SIGN, POWER, WRONG };

static enum Part after_digit(enum Part part) {
  return part == EXPONENT || part == SIGN ? POWER : part;
}

// The rest of a number after its first characters, of which at least one is a digit.
static bool scan_number(TSLexer *lexer, enum Part part) {
  for (;;) {
    int32_t c = lexer->lookahead;
    lexer->mark_end(lexer);
    if (is_digit(c)) {
      part = after_digit(part);
      lexer->advance(lexer, false);
    } else if (c == '.') {
      lexer->advance(lexer, false);
      if (lexer->lookahead == '.') break;
      part = part == WHOLE ? POINT : WRONG;
    } else if ((c == 'e' || c == 'E') && (part == WHOLE || part == POINT)) {
      part = EXPONENT;
      lexer->advance(lexer, false);
      if (lexer->lookahead == '+' || lexer->lookahead == '-') {
        lexer->advance(lexer, false);
        part = SIGN;
      }
    } else if (is_letter(c)) {
      part = WRONG;
      lexer->advance(lexer, false);
    } else {
      break;
    }
  }
  lexer->result_symbol = NUMBER;
  return part == WHOLE || part == POINT || part == POWER;
}

bool tree_sitter_toy_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (!valid[NUMBER] && !valid[DOTS]) return false;
  while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead == '.') {
    lexer->advance(lexer, false);
    if (is_digit(lexer->lookahead)) return valid[NUMBER] && scan_number(lexer, POINT);
    if (lexer->lookahead != '.' || !valid[DOTS]) return false;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = DOTS;
    return lexer->lookahead != '.';
  }
  return valid[NUMBER] && is_digit(lexer->lookahead) && scan_number(lexer, WHOLE);
}
